"""Rich text: plain text and the HTML subset are two spellings of one text. https://developers.asana.com/docs/rich-text"""

import re
from html import escape
from typing import Any
from xml.etree import ElementTree

from .app import bad

_TAGS = {
    "body", "strong", "em", "u", "s", "code", "pre", "ol", "ul", "li", "a", "blockquote", "h1", "h2", "hr", "img", "table", "tr", "td",
    "object",
}  # fmt: skip
_BLOCKS = {"li", "h1", "h2", "blockquote", "pre", "tr"}
_MOST_DEPTH = 50


def read(html: str, field: str) -> str:
    """The plain text of a rich one; refused where it is not the XML that Asana takes."""
    if "<!" in html or "\x00" in html:
        raise bad(f"{field}: XML is invalid")
    try:
        root = ElementTree.fromstring(html)
    except (ElementTree.ParseError, ValueError):
        raise bad(f"{field}: XML is invalid") from None
    if root.tag != "body":
        raise bad(f"{field}: XML is invalid")
    out = list[str]()
    _walk(root, out, field, 0)
    return re.sub(r"\n{3,}", "\n\n", "".join(out)).strip()


def _walk(node: Any, out: list[str], field: str, depth: int) -> None:
    if node.tag not in _TAGS or depth > _MOST_DEPTH:
        raise bad(f"{field}: Unsupported HTML tag: {str(node.tag)[:50]}")
    if node.text:
        out.append(node.text)
    for inner in node:
        if inner.tag in ("ol", "ul") and out and not out[-1].endswith("\n"):
            out.append("\n")
        _walk(inner, out, field, depth + 1)
        if inner.tag in _BLOCKS:
            out.append("\n")
        if inner.tail:
            out.append(inner.tail)


def html_of(text: str, html: str | None) -> str:
    """The rich spelling of a text."""
    return html if html is not None else f"<body>{escape(text, quote=False)}</body>"


def either(sent: dict[str, Any], plain: str, rich: str) -> dict[str, Any]:
    """The columns that a text sent as plain or as rich sets."""
    if plain in sent and rich in sent:
        raise bad(f"You may only provide one of {plain} or {rich}!")
    if rich in sent:
        return {plain: read(sent[rich] or "<body></body>", rich), rich: sent[rich]}
    return {plain: sent[plain] or "", rich: None} if plain in sent else {}
