"""Message text. https://docs.slack.dev/messaging/formatting-message-text

Slack keeps text with `& < >` escaped and with everything special in angle brackets: `<@U…>`, `<#C…>`, `<!here>`, `<https://…|label>`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_MARKUP = re.compile(
    r"<(?:@[UW][A-Z0-9]+|#[CG][A-Z0-9]+|!(?:here|channel|everyone|subteam\^S[A-Z0-9]+|date\^[^|>]+)|https?://[^|>\s]+|mailto:[^|>\s]+)(?:\|[^>]*)?>"
)
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt);)")
_URL = re.compile(r"https?://[^\s<>|]*[^\s<>|.,;:!?'\")\]]")
_EMAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+\b")
_NAME = re.compile(r"(?<![\w&/])([@#])([a-z0-9_][\w-]*(?:\.[\w-]+)*)")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


def _outside(pattern: re.Pattern[str], text: str, change: Callable[[str], str]) -> str:
    """The text with what the pattern does not match changed."""
    out, at = list[str](), 0
    for found in pattern.finditer(text):
        out += [change(text[at : found.start()]), found[0]]
        at = found.end()
    return "".join([*out, change(text[at:])])


def _linked(text: str) -> str:
    """Web and mail addresses as links, as Slack makes them when a message arrives."""
    text = _URL.sub(lambda m: f"<{m[0]}>", text)
    return _outside(_MARKUP, text, lambda part: _EMAIL.sub(lambda m: f"<mailto:{m[0]}|{m[0]}>", part))


def stored(text: str) -> str:
    """Text that a caller sends, as Slack keeps it: callers may have escaped already, and may have written markup.

    A mention of a user is kept without a name, which changes.
    """

    def plain(part: str) -> str:
        escaped = _ENTITY.sub("&amp;", part).replace("<", "&lt;").replace(">", "&gt;")
        return _outside(_CODE, escaped, _linked)

    return _outside(_MARKUP, re.sub(r"<@([UW][A-Z0-9]+)\|[^>]*>", r"<@\1>", text), plain)


_MARKDOWN = (
    (re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE), "\ue000\\1\ue000"),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), "\ue000\\2\ue000"),
    (re.compile(r"^([ \t]*)[-*+][ \t]+", re.MULTILINE), r"\1• "),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"_\1_"),
    (re.compile(r"~~(?=\S)(.+?)(?<=\S)~~"), r"~\1~"),
    (re.compile(r"\[([^\]\n]+)\]\((https?://[^\s)]+)\)"), r"<\2|\1>"),
    (re.compile("\ue000+"), "*"),
)
"""What Markdown writes otherwise; the private character stands for the asterisk of bold until italics are done."""


def from_markdown(text: str) -> str:
    """Standard Markdown as mrkdwn."""

    def change(part: str) -> str:
        for pattern, put in _MARKDOWN:
            part = pattern.sub(put, part)
        return part

    return _outside(_CODE, text, change)


def written(text: str, people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """Plain text as a person typed it, as Slack keeps it: nothing in it is markup, and names are mentions."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return mentioning(_outside(_CODE, escaped, _linked), people, channels)


def mentioning(text: str, people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """Kept text with `@handle` and `#channel` as mentions, where they are known."""

    def mention(found: re.Match[str]) -> str:
        sign, name = found[1], found[2]
        if sign == "@":
            return f"<@{people[name]}>" if name in people else found[0]
        return f"<#{channels[name]}|{name}>" if name in channels else found[0]

    def plain(part: str) -> str:
        return _outside(_MARKUP, part, lambda rest: _NAME.sub(mention, rest))

    return _outside(_CODE, text, plain) if "@" in text or "#" in text else text


def labelled(text: str, people: Callable[[str], str], channels: Callable[[str], str]) -> str:
    """Kept text whose mentions also say the names of what they mention: `<@U…|handle>`."""

    def label(found: re.Match[str]) -> str:
        name = (people if found[1] == "@" else channels)(found[2])
        return f"<{found[1]}{found[2]}|{name}>" if name else found[0]

    return re.sub(r"<([@#])([A-Z0-9]+)(?:\|[^>]*)?>", label, text)


def readable(text: str, people: Callable[[str], str], channels: Callable[[str], str]) -> str:
    """Kept text as a person reads it: the reverse of `written`."""

    def show(found: re.Match[str]) -> str:
        body, _, label = found[1].partition("|")
        if body.startswith("@"):
            return "@" + (people(body[1:]) or body[1:])
        if body.startswith("#"):
            return "#" + (label or channels(body[1:]) or body[1:])
        if body.startswith("mailto:"):
            return label or body.removeprefix("mailto:")
        if body.startswith("!"):
            return label or "@" + body[1:]
        return f"{label} ({body})" if label and label != body else body

    plain = re.sub(r"<([@#!][^>]+|https?://[^>]+|mailto:[^>]+)>", show, text)
    return plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def block_text(blocks: Iterable[Any]) -> str:
    """What blocks say, for notifications and search: their text objects, in order."""
    found = list[str]()

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            kind, text = node.get("type"), node.get("text")
            if isinstance(text, str) and kind in ("plain_text", "mrkdwn", "text", "markdown"):
                found.append(text)
            elif kind == "user":
                found.append(f"<@{node.get('user_id')}>")
            elif kind == "link" and isinstance(node.get("url"), str):
                found.append(str(text or node["url"]))
            for key, value in node.items():
                if isinstance(value, (dict, list)) and key != "options":
                    walk(value)
        elif isinstance(node, list):
            for one in node:
                walk(one)

    walk(list(blocks))
    return "\n".join(found)


def said(text: str, blocks: Iterable[Any], attachments: Iterable[Any]) -> str:
    """All that a message says: its text, or its blocks' where it has none, and its attachments'."""
    parts = [text or block_text(blocks)]
    for one in attachments:
        parts += [str(one[part]) for part in ("pretext", "title", "text", "fallback") if one.get(part)]
        parts.append(block_text([one.get("blocks", [])]))
    return "\n".join(part for part in parts if part)
