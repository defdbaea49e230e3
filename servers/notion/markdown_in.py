"""Markdown as blocks. CommonMark with tables, strikethrough and the tags of Notion's enhanced Markdown.

https://developers.notion.com/guides/data-apis/enhanced-markdown

A block is made as `blocktypes` makes it, {"type", "content", "children"}; {"type": "kept", "id"} is a block, page or database of the page
that the text refers to and that stays as it is.
"""

import re
from collections.abc import Callable
from functools import cache
from html import unescape
from itertools import groupby
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.tree import SyntaxTreeNode

from .languages import LANGUAGES
from .richtext import PLAIN, run

Made = dict[str, Any]
Mention = Callable[[str, str], dict[str, Any] | None]

_BOXES = ("callout", "details", "columns", "column")
_OPEN = re.compile(
    r"<(callout|details|columns|column)((?:\s+[\w-]+=\"[^\"]*\")*)\s*>\s*(?:<summary>(.*)</summary>)?\s*$"
)
_CLOSE = re.compile(r"\s*</(callout|details|columns|column)>\s*$")
_ATTRIBUTE = re.compile(r"([\w-]+)=\"([^\"]*)\"")
_KEPT = re.compile(
    r"<(?:page|database|unknown)\s[^>]*url=\"[^\"]*?([0-9a-f]{32})\"[^>]*(?:/>|>.*</(?:page|database)>)\s*$"
)
_TAG = re.compile(r"<(/?)([\w-]+)((?:\s+[\w-]+=\"[^\"]*\")*)\s*(/?)>$")
_ID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")
_TO_DO = re.compile(r"\[([ xX])\] ?")
ALIASES = {
    "": "plain text", "text": "plain text", "txt": "plain text", "sh": "shell", "zsh": "shell", "js": "javascript", "ts": "typescript",
    "py": "python", "rb": "ruby", "yml": "yaml", "md": "markdown", "dockerfile": "docker", "cpp": "c++", "cs": "c#", "tex": "latex",
}  # fmt: skip
STYLES = {"strong": "bold", "em": "italic", "s": "strikethrough"}


DEEPEST = 12
LONGEST = 2000
"""How long a run of text may be."""


class TooDeep(ValueError):
    """Tags that hold blocks are nested deeper than DEEPEST."""


def language_of(info: str) -> str:
    """The language that a fence's info string names."""
    name = info.strip().split(" ")[0].lower() if info.strip().lower() not in LANGUAGES else info.strip().lower()
    known = ALIASES.get(name, name)
    return known if known in LANGUAGES else "plain text"


def _box(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A tag that holds blocks, from its opening line to the closing one."""
    opened = _OPEN.match(_line(state, start))
    if opened is None or opened[1] not in state.env.get("boxes", ()) or state.sCount[start] - state.blkIndent >= 4:
        return False
    tag, depth = opened[1], 0
    for line in range(start, end):
        text = _line(state, line)
        found = _OPEN.match(text)
        depth += bool(found and found[1] == tag)
        if text.strip() == f"</{tag}>":
            depth -= 1
            if depth == 0:
                break
    else:
        return False
    if silent:
        return True
    token = state.push("box", "", 0)
    token.meta = {"tag": tag, "attributes": dict(_ATTRIBUTE.findall(opened[2])), "summary": opened[3] or ""}
    token.content = state.getLines(start + 1, line, state.sCount[start], False)
    state.line = line + 1
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


@cache
def _parser() -> MarkdownIt:
    made = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    made.block.ruler.before("html_block", "box", _box, {"alt": ["paragraph", "blockquote", "list"]})
    return made


def blocks(text: str, mention: Mention | None = None) -> list[Made]:
    """A text's blocks."""
    tree = SyntaxTreeNode(_parser().parse(text, {"boxes": _whole(text)}))
    return [made for node in tree.children for made in _block(node, mention)]


def _whole(text: str) -> frozenset[str]:
    """The tags that hold blocks, if all of them are closed in turn; otherwise they are no tags but text."""
    opened, broken, deepest = list[str](), False, 0
    for line in text.split("\n"):
        if found := _OPEN.match(line.strip()):
            opened.append(found[1])
            deepest = max(deepest, len(opened))
        elif found := _CLOSE.match(line):
            broken = broken or not opened or opened.pop() != found[1]
    if broken or opened:
        return frozenset()
    if deepest > DEEPEST:
        raise TooDeep(deepest)
    return frozenset(_BOXES)


def bounds_a_box(line: str) -> bool:
    """Whether a line opens or closes a tag that holds blocks."""
    return bool(_OPEN.match(line.strip()) or _CLOSE.match(line))


def _made(kind: str, content: dict[str, Any], children: list[Made] | None = None) -> Made:
    return {"type": kind, "content": content, "children": children or []}


def textual(kind: str, rich: list[dict[str, Any]], children: list[Made] | None = None, **more: Any) -> Made:
    return _made(kind, {"rich_text": rich, "color": "default", **more}, children)


def _block(node: SyntaxTreeNode, mention: Mention | None) -> list[Made]:
    match node.type:
        case "paragraph":
            return [_paragraph(node, mention)]
        case "heading":
            level = min(int(node.tag[1]), 4)
            return [textual(f"heading_{level}", _inline(node.children[0], mention), is_toggleable=False)]
        case "fence" | "code_block":
            content = node.content.removesuffix("\n")
            rich = [run(content[i : i + 2000]) for i in range(0, len(content), 2000)]
            made = _made("code", {"caption": [], "rich_text": rich, "language": language_of(node.info)})
            return [{**made, "info": node.info.strip()}]
        case "hr":
            return [_made("divider", {})]
        case "bullet_list" | "ordered_list":
            return _items(node, mention)
        case "blockquote":
            return [_quote(node, mention)]
        case "table":
            return [_table(node, mention)]
        case "box":
            return [_boxed(node, mention)]
        case "html_block":
            return [_html(line) for line in node.content.strip("\n").split("\n") if line.strip()]
        case _:
            return [textual("paragraph", [run(node.content)])]


def _paragraph(node: SyntaxTreeNode, mention: Mention | None) -> Made:
    inline = node.children[0]
    source = inline.content
    if source.startswith("$$") and source.endswith("$$") and len(source) > 4:
        return _made("equation", {"expression": source[2:-2].strip()})
    if len(inline.children) == 1 and inline.children[0].type == "image":
        image = inline.children[0]
        caption = [run(image.content)] if image.content else []
        return _made("image", {"caption": caption, "type": "external", "external": {"url": str(image.attrs["src"])}})
    if len(inline.children) == 1 and inline.children[0].type == "html_inline":
        return _html(source)
    found = _KEPT.match(source)
    if found:
        return {"type": "kept", "id": found[1], "children": [], "content": {}}
    return textual("paragraph", _inline(inline, mention))


def _html(line: str) -> Made:
    if line.strip() == "<empty-block/>":
        return textual("paragraph", [])
    if line.strip() == "<table_of_contents/>":
        return _made("table_of_contents", {"color": "default"})
    found = _KEPT.match(line.strip())
    if found:
        return {"type": "kept", "id": found[1], "children": [], "content": {}}
    return textual("paragraph", [run(line[i : i + 2000]) for i in range(0, len(line), 2000)])


def _headed(children: list[SyntaxTreeNode], mention: Mention | None) -> tuple[list[dict[str, Any]], list[Made]]:
    """The first paragraph as text, the rest as children."""
    rich = list[dict[str, Any]]()
    if children and children[0].type == "paragraph":
        rich = _inline(children[0].children[0], mention)
        children = children[1:]
    elif children and children[0].type == "html_block":
        first, *rest = _block(children[0], mention) or [textual("paragraph", [])]
        if first["type"] == "paragraph" and not rest:  # a tag that means nothing is text
            rich, children = first["content"]["rich_text"], children[1:]
    return rich, [made for child in children for made in _block(child, mention)]


def _items(node: SyntaxTreeNode, mention: Mention | None) -> list[Made]:
    made = list[Made]()
    for number, item in enumerate(node.children):
        rich, children = _headed(item.children, mention)
        if node.type == "ordered_list":
            start = int(node.attrs.get("start", 1))
            index = {"list_start_index": start} if number == 0 and start != 1 else {}
            made.append(textual("numbered_list_item", rich, children, **index))
            continue
        source = item.children[0].children[0].content if item.children and item.children[0].type == "paragraph" else ""
        plain = rich and rich[0]["type"] == "text" and rich[0]["annotations"] == PLAIN
        box = _TO_DO.match(source) if plain else None
        if box:
            rest = rich[0]["plain_text"][box.end() :]
            rich = [*([run(rest)] if rest else []), *rich[1:]]
            made.append(textual("to_do", rich, children, checked=box[1] != " "))
        else:
            made.append(textual("bulleted_list_item", rich, children))
    return made


def _quote(node: SyntaxTreeNode, mention: Mention | None) -> Made:
    rich, children = _headed(node.children, mention)
    return textual("quote", rich, children)


def _table(node: SyntaxTreeNode, mention: Mention | None) -> Made:
    rows = list[Made]()
    for part in node.children:
        for row in part.children:
            cells = [_inline(cell.children[0], mention) if cell.children else [] for cell in row.children]
            rows.append(_made("table_row", {"cells": cells}))
    width = len(rows[0]["content"]["cells"])
    return _made("table", {"table_width": width, "has_column_header": True, "has_row_header": False}, rows)


def _boxed(node: SyntaxTreeNode, mention: Mention | None) -> Made:
    tag, attributes = node.meta["tag"], node.meta["attributes"]
    inner, summary = node.content, node.meta["summary"]
    if tag == "details":
        found = re.match(r"\s*<summary>(.*)</summary>", inner)
        if not summary and found:
            summary, inner = found[1], inner[found.end() :]
        return textual("toggle", _text(summary, mention), blocks(_dedented(inner), mention))
    inner = _dedented(inner)
    made = blocks(inner, mention)
    if tag == "callout":
        head = made[0]["content"]["rich_text"] if made and made[0]["type"] == "paragraph" else []
        icon = {"type": "emoji", "emoji": unescape(attributes["icon"])} if attributes.get("icon") else None
        return textual("callout", head, made[1:] if head else made, icon=icon, color=attributes.get("color", "default"))
    if tag == "columns":
        columns = [one for one in made if one["type"] == "column"]
        return _made("column_list", {}, columns) if len(columns) > 1 else textual("paragraph", [])
    return _made("column", {}, made)


def _dedented(text: str) -> str:
    """Without the tabs by which a box's content is set in."""
    lines = text.split("\n")
    width = min((len(line) - len(line.lstrip("\t")) for line in lines if line.strip()), default=0)
    return "\n".join(line[width:] for line in lines)


def _text(source: str, mention: Mention | None) -> list[dict[str, Any]]:
    """One line's inline Markdown."""
    inline = SyntaxTreeNode(_parser().parseInline(source)).children
    return _inline(inline[0], mention) if inline else []


inline_text = _text

# Inline


def _inline(node: SyntaxTreeNode, mention: Mention | None) -> list[dict[str, Any]]:
    """An inline node's runs; neighbours of one style are one run."""
    found = list[dict[str, Any]]()
    _walk(node.children, {}, None, found, mention)
    return joined(_equations(found))


def _walk(
    nodes: list[SyntaxTreeNode],
    styles: dict[str, Any],
    url: str | None,
    out: list[dict[str, Any]],
    mention: Mention | None,
) -> None:
    held, index = dict(styles), 0
    while index < len(nodes):
        node = nodes[index]
        index += 1
        if node.type in STYLES:
            _walk(node.children, {**held, STYLES[node.type]: True}, url, out, mention)
        elif node.type == "link":
            _walk(node.children, held, str(node.attrs.get("href", "")) or None, out, mention)
        elif node.type == "code_inline":
            out.append(run(node.content, url, {**held, "code": True}))
        elif node.type in ("softbreak", "hardbreak"):
            out.append(run("\n", url, held))
        elif node.type == "image":
            out.append(
                run(node.content or str(node.attrs.get("src", "")), str(node.attrs.get("src", "")) or None, held)
            )
        elif node.type == "html_inline":
            tag = _TAG.match(node.content)
            attributes = dict(_ATTRIBUTE.findall(tag[3])) if tag else {}
            if tag and tag[2] == "span" and (tag[1] or attributes.get("underline") == "true"):
                held = {**held, "underline": not tag[1]}
                continue
            made, skip = _mentioned(nodes, index, tag, attributes, mention)
            out.append(made if made is not None else run(node.content, url, held))
            index += skip
        elif node.content:
            out.append(run(node.content, url, held))


def _mentioned(
    nodes: list[SyntaxTreeNode],
    index: int,
    tag: re.Match[str] | None,
    attributes: dict[str, str],
    mention: Mention | None,
) -> tuple[dict[str, Any] | None, int]:
    """The mention that a tag is, and how many nodes behind it belong to it."""
    if tag is None or mention is None or not tag[2].startswith("mention-"):
        return None, 0
    kind = tag[2].removeprefix("mention-")
    if kind == "date":
        return mention("date", attributes.get("start", "")), 0
    found = _ID.search(attributes.get("url", ""))
    made = mention(kind, found[0]) if found else None
    if made is None or tag[4]:
        return made, 0
    closing = next(
        (i for i, one in enumerate(nodes[index:]) if one.type == "html_inline" and one.content == f"</{tag[2]}>"), None
    )
    return made, 0 if closing is None else closing + 1


def _equations(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`$` around code is an equation."""
    out = list[dict[str, Any]]()
    rest = joined(found)
    for i, one in enumerate(rest):
        code = one["annotations"]["code"] and one["type"] == "text"
        if (
            code
            and 0 < i < len(rest) - 1
            and out
            and out[-1]["plain_text"].endswith("$")
            and rest[i + 1]["plain_text"].startswith("$")
        ):
            out[-1] = run(out[-1]["plain_text"][:-1], out[-1]["href"], out[-1]["annotations"])
            rest[i + 1] = run(rest[i + 1]["plain_text"][1:], rest[i + 1]["href"], rest[i + 1]["annotations"])
            expression = one["plain_text"]
            out.append(
                {
                    "type": "equation",
                    "equation": {"expression": expression},
                    "annotations": {**PLAIN},
                    "plain_text": expression,
                    "href": None,
                }
            )
        else:
            out.append(one)
    return [one for one in out if one["plain_text"]]


def joined(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Runs with neighbours of the same style and link as one, none longer than a run may be."""
    out = list[dict[str, Any]]()
    for _, group in groupby(enumerate(found), key=lambda item: _manner(*item)):
        same = [one for _, one in group]
        first = same[0]
        if first["type"] != "text":
            out += same
            continue
        text = first["plain_text"] if len(same) == 1 else "".join(one["plain_text"] for one in same)
        out += [
            run(text[i : i + LONGEST], first["href"], first["annotations"])
            for i in range(0, max(len(text), 1), LONGEST)
        ]
    return out


def _manner(index: int, one: dict[str, Any]) -> tuple[Any, ...]:
    """What neighbours must share to be one run; a mention or an equation stays by itself."""
    if one["type"] != "text":
        return (index,)
    return (-1, one["href"], *one["annotations"].values())
