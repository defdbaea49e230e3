"""Texts: Markdown to the Atlassian Document Format and back, for what agents and version 2 of the API write as plain text.

https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

import re
from collections.abc import Iterable
from typing import Any

Node = dict[str, Any]

_FENCE = re.compile(r"```(\w*)\s*$")
_HEADING = re.compile(r"(#{1,6}) +(\S.*)$")
_BULLET = re.compile(r"[*-] +(\S.*)$")
_NUMBERED = re.compile(r"(\d{1,9})[.)] +(\S.*)$")
_RULE = re.compile(r"-{3,}\s*$")
_INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`|\*\*(?P<strong>[^*\n]+)\*\*|~~(?P<strike>[^~\n]+)~~|(?<!\w)\*(?P<em>[^\s*][^*\n]*)\*(?!\w)"
    r"|(?<!\w)_(?P<em2>[^\s_][^_\n]*)_(?!\w)|\[(?P<label>[^\]\n]+)\]\((?P<href>[^)\s]+)\)"
)
_BLOCKS = {
    "paragraph", "heading", "bulletList", "orderedList", "listItem", "codeBlock", "blockquote", "rule", "panel", "table", "tableRow",
    "tableCell", "tableHeader", "mediaSingle", "mediaGroup", "media", "expand", "nestedExpand", "taskList", "taskItem", "decisionList",
    "decisionItem", "blockCard", "embedCard", "extension", "bodiedExtension", "layoutSection", "layoutColumn", "caption",
}  # fmt: skip
_INLINES = {
    "text",
    "hardBreak",
    "mention",
    "emoji",
    "date",
    "status",
    "inlineCard",
    "placeholder",
    "mediaInline",
    "inlineExtension",
}
_KNOWN = _BLOCKS | _INLINES
_DEEPEST = 40


# Markdown -> document


def document(text: str) -> Node:
    """Markdown as a document."""
    return {"type": "doc", "version": 1, "content": _blocks(text.split("\n"))}


def _blocks(lines: list[str]) -> list[Node]:
    out, place = list[Node](), 0
    while place < len(lines):
        line = lines[place]
        if not line.strip():
            place += 1
        elif fence := _FENCE.match(line):
            end = next((i for i in range(place + 1, len(lines)) if lines[i].strip() == "```"), len(lines))
            attrs = {"attrs": {"language": fence[1]}} if fence[1] else {}
            out.append({"type": "codeBlock", **attrs, "content": _text("\n".join(lines[place + 1 : end]))})
            place = end + 1
        elif heading := _HEADING.match(line):
            out.append({"type": "heading", "attrs": {"level": len(heading[1])}, "content": _inline(heading[2])})
            place += 1
        elif _RULE.match(line):
            out.append({"type": "rule"})
            place += 1
        elif line.startswith(">"):
            end = _while(lines, place, lambda text: text.startswith(">"))
            quoted = "\n".join(text[1:].removeprefix(" ") for text in lines[place:end])
            out.append({"type": "blockquote", "content": [_paragraph(quoted)]})
            place = end
        elif _BULLET.match(line):
            end = _while(lines, place, lambda text: _BULLET.match(text))
            out.append({"type": "bulletList", "content": [_item(_BULLET.match(text)) for text in lines[place:end]]})
            place = end
        elif first := _NUMBERED.match(line):
            end = _while(lines, place, lambda text: _NUMBERED.match(text))
            items = [_item(_NUMBERED.match(text)) for text in lines[place:end]]
            out.append({"type": "orderedList", "attrs": {"order": int(first[1])}, "content": items})
            place = end
        else:
            end = max(place + 1, _while(lines, place, lambda text: text.strip() and not _starts_block(text)))
            out.append(_paragraph("\n".join(lines[place:end])))
            place = end
    return out


def _while(lines: list[str], place: int, holds: Any) -> int:
    return next((i for i in range(place, len(lines)) if not holds(lines[i])), len(lines))


def _starts_block(line: str) -> bool:
    return line.startswith(">") or any(p.match(line) for p in (_FENCE, _HEADING, _BULLET, _NUMBERED, _RULE))


def _item(found: re.Match[str] | None) -> Node:
    return {"type": "listItem", "content": [_paragraph(found[found.lastindex or 0] if found else "")]}


def _paragraph(text: str) -> Node:
    return {"type": "paragraph", "content": _inline(text)}


def _text(text: str, *marks: Node) -> list[Node]:
    return [{"type": "text", "text": text, **({"marks": list(marks)} if marks else {})}] if text else []


def _inline(text: str) -> list[Node]:
    out = list[Node]()
    for number, line in enumerate(text.split("\n")):
        if number:
            out.append({"type": "hardBreak"})
        place = 0
        for found in _INLINE.finditer(line):
            out += _text(line[place : found.start()])
            place = found.end()
            if found["label"]:
                out += _text(found["label"], {"type": "link", "attrs": {"href": found["href"]}})
            else:
                kind = (found.lastgroup or "").rstrip("2")
                out += _text(found[found.lastgroup or 0], {"type": kind})
        out += _text(line[place:])
    return out


# Document -> Markdown


def problem(value: Any) -> bool:
    """Whether this is no document: another shape, a node of no known kind, or nested without end."""
    if not isinstance(value, dict) or value.get("type") != "doc" or value.get("version") != 1:
        return True
    return not isinstance(value.get("content"), list) or not _sound(value["content"], 0)


def _sound(nodes: Any, depth: int) -> bool:
    if not isinstance(nodes, list) or depth > _DEEPEST:
        return False
    for node in nodes:
        if not isinstance(node, dict) or str(node.get("type")) not in _KNOWN:
            return False
        if node["type"] == "text" and not (isinstance(node.get("text"), str) and node["text"]):
            return False
        if not isinstance(node.get("attrs", {}), dict) or not _sound(node.get("content", []), depth + 1):
            return False
        marks = node.get("marks", [])
        if not isinstance(marks, list) or not all(
            isinstance(m, dict) and isinstance(m.get("type"), str) for m in marks
        ):
            return False
    return True


def markdown(doc: Node) -> str:
    """A document as Markdown."""
    return "\n\n".join(_written(node) for node in doc.get("content", []))


def _children(node: Node) -> list[Node]:
    return node.get("content", [])


def _written(node: Node) -> str:
    kind, attrs = node["type"], node.get("attrs", {})
    if kind == "heading":
        level = attrs.get("level", 1)
        return "#" * (level if isinstance(level, int) and 0 < level <= 6 else 1) + " " + _line(_children(node))
    if kind == "codeBlock":
        return f"```{attrs.get('language') or ''}\n{_line(_children(node))}\n```"
    if kind == "rule":
        return "---"
    if kind in ("bulletList", "taskList", "decisionList"):
        return "\n".join(f"- {_joined(item)}" for item in _children(node))
    if kind == "orderedList":
        start = attrs.get("order", 1)
        start = start if isinstance(start, int) else 1
        return "\n".join(f"{start + n}. {_joined(item)}" for n, item in enumerate(_children(node)))
    if kind == "blockquote":
        return "\n".join(f"> {line}" for line in _joined(node).split("\n"))
    if kind == "table":
        return "\n".join("| " + " | ".join(_joined(cell) for cell in _children(row)) + " |" for row in _children(node))
    if any(child["type"] in _BLOCKS for child in _children(node)):
        return _joined(node)
    return _line(_children(node)) if kind in _BLOCKS else _line([node])


def _joined(node: Node) -> str:
    children = _children(node)
    if children and all(child["type"] in _INLINES for child in children):
        return _line(children)
    return "\n".join(_written(child) for child in children)


def _line(nodes: Iterable[Node]) -> str:
    return "".join(map(_span, nodes))


def _span(node: Node) -> str:
    kind, attrs = node["type"], node.get("attrs", {})
    if kind == "hardBreak":
        return "\n"
    if kind == "text":
        text = node["text"]
        for mark in node.get("marks", []):
            around = {"strong": "**", "em": "*", "code": "`", "strike": "~~"}.get(mark["type"])
            if around:
                text = f"{around}{text}{around}"
            elif mark["type"] == "link" and isinstance(mark.get("attrs"), dict):
                text = f"[{text}]({mark['attrs'].get('href', '')})"
        return text
    if kind in _INLINES:
        return str(attrs.get("text") or attrs.get("shortName") or attrs.get("url") or attrs.get("timestamp") or "")
    return _written(node)


def read(value: Node) -> tuple[str, Node | None]:
    """A document as it is stored: its Markdown, and itself where that does not say all of it."""
    text = markdown(value)
    return text, None if document(text)["content"] == value["content"] else value


def shown(text: str, doc: Node | None) -> Node | None:
    """A stored text as a document; None where it is empty."""
    return doc or (document(text) if text else None)
