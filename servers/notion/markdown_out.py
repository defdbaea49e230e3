"""Blocks as Markdown: the other way of `markdown_in`. Text is escaped only where it would read as something else."""

import re
from collections.abc import Callable
from typing import Any

from . import markdown_in
from .models import Block, Database, Page
from .tree import Node

Below = Callable[[str], list[Node]]

_SPECIAL = re.compile(r"([\\`*_~\[\]<>$&|!])")
_LONG = 20_000
"""A text longer than this is not tried as a block of its own, which takes time."""
_LISTS = {"bulleted_list_item": "bullet", "to_do": "bullet", "numbered_list_item": "number"}
_MARKS = {"bold": "**", "italic": "*", "strikethrough": "~~"}


def address(key: str) -> str:
    return f"https://www.notion.so/{key.replace('-', '')}"


def document(nodes: list[Node], below: Below, *, pages: bool = True) -> str:
    """A page's content. Without `pages` the pages and databases in it are left out."""
    return join(chunks(nodes, below, pages=pages))


def chunks(nodes: list[Node], below: Below, *, pages: bool = True) -> list[tuple[Node, str, str]]:
    """Each node with what separates it from the one before, and its text."""
    out, number = list[tuple[Node, str, str]](), 0
    last: str | None = None
    for node in nodes:
        if not pages and not isinstance(node, Block):
            continue
        kind = node.type if isinstance(node, Block) else "page"
        family = _LISTS.get(kind)
        number = (
            number + 1
            if family == "number" and last == "number"
            else node.content.get("list_start_index", 1)
            if isinstance(node, Block)
            else 1
        )
        separator = "" if not out else "\n" if family and family == last else "\n\n"
        out.append((node, separator, _node(node, number, below, pages)))
        last = family
    return out


def join(parts: list[tuple[Node, str, str]]) -> str:
    return "".join(separator + text for _, separator, text in parts)


def _node(node: Node, number: int, below: Below, pages: bool) -> str:
    if isinstance(node, Page):
        return f'<page url="{address(node.id)}">{node.title}</page>'
    if isinstance(node, Database):
        return f'<database url="{address(node.id)}">{node.title}</database>'
    inner = document(below(node.id), below, pages=pages) if node.type not in ("table", "code") else ""
    content, kind = node.content, node.type
    match kind:
        case "heading_1" | "heading_2" | "heading_3" | "heading_4":
            own = f"{'#' * int(kind[-1])} {inline(content['rich_text'], line=True)}".rstrip()
            own = re.sub(r"(?<=\s)(#+)$", r"\\\1", own)  # it would close the heading
            return f"{own}\n\n{inner}" if inner else own
        case "bulleted_list_item":
            own = re.sub(r"^(?=\[[ xX]\])", r"\\", _paragraph(content["rich_text"]))  # it would be a to-do
            return _hung("- ", own, inner, below(node.id))
        case "to_do":
            return _hung(
                "- ",
                f"[{'x' if content.get('checked') else ' '}] {_paragraph(content['rich_text'])}",
                inner,
                below(node.id),
            )
        case "numbered_list_item":
            return _hung(f"{number}. ", _paragraph(content["rich_text"]), inner, below(node.id))
        case "quote":
            return _quoted("\n\n".join(filter(None, (_paragraph(content["rich_text"]), inner))))
        case "code":
            return _code(node)
        case "divider":
            return "---"
        case "equation":
            return f"$$\n{content['expression']}\n$$"
        case "table":
            return _table(below(node.id))
        case "callout":
            icon = content.get("icon") or {}
            mark = f' icon="{icon["emoji"]}"' if icon.get("type") == "emoji" else ""
            hue = f' color="{content["color"]}"' if content.get("color", "default") != "default" else ""
            return f"<callout{mark}{hue}>\n{_tabbed(_filled(_paragraph(content['rich_text']), inner))}\n</callout>"
        case "toggle":
            held = f"\n{_tabbed(inner)}" if inner else ""
            return f"<details>\n<summary>{inline(content['rich_text'], line=True)}</summary>{held}\n</details>"
        case "column_list" | "column":
            tag = "columns" if kind == "column_list" else "column"
            return f"<{tag}>\n{_tabbed(inner)}\n</{tag}>"
        case "table_of_contents":
            return "<table_of_contents/>"
        case "image" if content.get("type") == "external":
            return f"![{inline(content.get('caption', []), line=True)}]({content['external']['url']})"
        case "paragraph":
            return _filled(_paragraph(content["rich_text"]) or "<empty-block/>", inner)
        case _:
            return f'<unknown url="{address(node.id)}" alt="{kind}"/>'


def _filled(own: str, inner: str) -> str:
    return f"{own}\n\n{inner}" if own and inner else own or inner


def _tabbed(text: str) -> str:
    return "\n".join(f"\t{line}" if line else "" for line in text.split("\n"))


def _hung(mark: str, own: str, inner: str, held: list[Node]) -> str:
    """An item of a list; what it holds stands below its text."""
    pad = " " * len(mark)
    tight = bool(held) and isinstance(held[0], Block) and held[0].type in _LISTS
    text = own + (("\n" if tight and own else "\n\n") + inner if inner else "")
    first, *rest = text.split("\n")
    return "\n".join(
        [
            f"{mark}{first}".rstrip() if not first else f"{mark}{first}",
            *(f"{pad}{line}" if line else "" for line in rest),
        ]
    )


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _code(node: Block) -> str:
    text = "".join(one["plain_text"] for one in node.content["rich_text"])
    language = node.content["language"]
    info = node.info if markdown_in.language_of(node.info) == language else "" if language == "plain text" else language
    longest = max((len(found) for found in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{info}\n{text}\n{fence}" if text else f"{fence}{info}\n{fence}"


def _table(rows: list[Node]) -> str:
    lines = list[str]()
    for row in rows:
        cells = row.content["cells"] if isinstance(row, Block) else []
        shown = [re.sub(r"(?<!\\)\|", r"\\|", inline(cell, line=True)) for cell in cells]
        lines.append(f"| {' | '.join(shown)} |")
        if len(lines) == 1:
            lines.append(f"|{' --- |' * len(cells)}")
    return "\n".join(lines)


# Inline


def _paragraph(rich: list[dict[str, Any]]) -> str:
    """A paragraph's text, or what else reads like one, spelled so that it reads as that paragraph."""
    if not rich:
        return ""
    plain = inline(rich)
    if len(plain) > _LONG:
        return plain
    wanted, escaped = _comparable(rich), _spelled(rich, escape=True)
    spellings = (plain, escaped, _shielded(plain), _shielded(escaped), _spaced(_shielded(escaped)))
    for text in spellings:
        if any(map(markdown_in.bounds_a_box, text.split("\n"))):
            continue
        made = markdown_in.blocks(text, _known(rich))
        if len(made) == 1 and made[0]["type"] == "paragraph" and _comparable(made[0]["content"]["rich_text"]) == wanted:
            return text
    return plain


def _spaced(text: str) -> str:
    """Space ahead of a line, and empty lines, as what they are and not as layout."""
    text = re.sub(r"^[ \t]+", lambda found: "".join(f"&#{ord(c)};" for c in found[0]), text, flags=re.MULTILINE)
    return re.sub(r"\n(?=\n)", "&#10;", text)


def _shielded(text: str) -> str:
    """Lines that begin like another kind of block, their first sign escaped."""
    lines = [
        re.sub(r"^(\s*)(\d+)([.)])(?=\s|$)", r"\1\2\\\3", re.sub(r"^(\s*)([#>+=\-])", r"\1\\\2", line))
        for line in text.split("\n")
    ]
    return "\n".join(lines)


def inline(rich: list[dict[str, Any]], *, line: bool = False) -> str:
    """Rich text as inline Markdown, escaped if it would read as something else without. `line` keeps it to one line."""
    if line:
        rich = [{**one, "plain_text": one["plain_text"].replace("\n", " ")} for one in rich]
    text = _spelled(rich)
    if _comparable(markdown_in.inline_text(text, _known(rich))) == _comparable(rich):
        return text
    return _spelled(rich, escape=True)


def _known(rich: list[dict[str, Any]]) -> markdown_in.Mention:
    """The mentions of a text by what they lead to."""

    def mention(kind: str, key: str) -> dict[str, Any] | None:
        for one in rich:
            if one["type"] == "mention" and one["mention"]["type"] == kind:
                inner = one["mention"][kind]
                if key == inner.get("start") or key.replace("-", "") == inner.get("id", "").replace("-", ""):
                    return one
        return None

    return mention


def _comparable(rich: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    out = list[tuple[Any, ...]]()
    for one in markdown_in.joined(rich):
        styles = {k for k, v in one["annotations"].items() if v is True}
        out.append((one["plain_text"], one["href"] or "", tuple(sorted(styles))))
    return out


def _spelled(rich: list[dict[str, Any]], *, escape: bool = False) -> str:
    """Runs with their marks; a style that goes on over several runs is opened once."""
    out, opened = list[str](), list[str]()
    for i, one in enumerate(rich):
        wanted = [style for style in _MARKS if one["annotations"].get(style)]
        while opened and any(style not in wanted for style in opened):
            out.append(_MARKS[opened.pop()])
        fresh = sorted((style for style in wanted if style not in opened), key=lambda style: -_reach(rich, i, style))
        text = _run(one, escape)
        lead = len(text) - len(text.lstrip()) if fresh else 0
        out += [text[:lead], *(_MARKS[style] for style in fresh), text[lead:]]
        opened += fresh
        ends = [style for style in opened if i + 1 == len(rich) or not rich[i + 1]["annotations"].get(style)]
        if ends and out[-1] != out[-1].rstrip():
            tail = out[-1][len(out[-1].rstrip()) :]
            out[-1] = out[-1].rstrip()
            while opened and any(style in opened for style in ends):
                out.append(_MARKS[opened.pop()])
            out.append(tail)
    return "".join([*out, *(_MARKS[style] for style in reversed(opened))])


def _reach(rich: list[dict[str, Any]], start: int, style: str) -> int:
    """How many runs on a style goes."""
    return next((i for i, one in enumerate(rich[start:]) if not one["annotations"].get(style)), len(rich) - start)


def _run(one: dict[str, Any], escape: bool) -> str:
    text = one["plain_text"]
    if one["type"] == "equation":
        return f"$`{text}`$"
    if one["type"] == "mention":
        kind = one["mention"]["type"]
        if kind == "date":
            return f'<mention-date start="{one["mention"]["date"]["start"]}"/>'
        return f'<mention-{kind} url="{_leads(kind, one["mention"][kind]["id"])}">{text.removeprefix("@")}</mention-{kind}>'
    if one["annotations"].get("code"):
        longest = max((len(found) for found in re.findall(r"`+", text)), default=0)
        fence = "`" * (longest + 1)
        pad = " " if text.startswith("`") or text.endswith("`") else ""
        text = f"{fence}{pad}{text}{pad}{fence}"
    elif escape:
        text = _SPECIAL.sub(r"\\\1", text)
    if one["annotations"].get("underline"):
        text = f'<span underline="true">{text}</span>'
    if one["href"] and one["type"] == "text":
        href = one["href"] if not re.search(r"[\s()<>]", one["href"]) else f"<{one['href']}>"
        return f"[{text}]({href})"
    return text


def _leads(kind: str, key: str) -> str:
    return f"user://{key}" if kind == "user" else address(key)
