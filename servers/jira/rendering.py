"""Texts and times as HTML pages show them: what `renderedFields` and `renderedBody` hold."""

from datetime import datetime
from html import escape
from typing import Any

from legoenv_mcp.app import Ctx

from . import adf

_TAGS = {
    "paragraph": "p", "bulletList": "ul", "orderedList": "ol", "listItem": "li", "blockquote": "blockquote", "table": "table",
    "tableRow": "tr", "tableCell": "td", "tableHeader": "th", "taskList": "ul", "taskItem": "li", "decisionList": "ul",
    "decisionItem": "li", "panel": "div", "expand": "div", "nestedExpand": "div",
}  # fmt: skip
_MARKS = {"strong": "b", "em": "em", "code": "tt", "strike": "del", "underline": "ins"}


def html(text: str, doc: dict[str, Any] | None) -> str:
    """A stored text as HTML."""
    return "\n".join(_node(node) for node in (adf.shown(text, doc) or {}).get("content", []))


def _node(node: dict[str, Any]) -> str:
    kind, attrs = node["type"], node.get("attrs", {})
    if kind == "text":
        return _marked(node)
    if kind == "hardBreak":
        return "<br/>"
    if kind == "rule":
        return "<hr />"
    inside = "".join(map(_node, node.get("content", [])))
    if kind == "heading":
        level = attrs.get("level") if attrs.get("level") in (1, 2, 3, 4, 5, 6) else 1
        return f"<h{level}>{inside}</h{level}>"
    if kind == "codeBlock":
        return f'<div class="code panel"><pre>{inside}</pre></div>'
    if kind in _TAGS:
        return f"<{_TAGS[kind]}>{inside}</{_TAGS[kind]}>"
    return inside or escape(str(attrs.get("text") or attrs.get("shortName") or attrs.get("url") or ""))


def _marked(node: dict[str, Any]) -> str:
    made = escape(node["text"])
    for mark in node.get("marks", []):
        if tag := _MARKS.get(mark["type"]):
            made = f"<{tag}>{made}</{tag}>"
        elif mark["type"] == "link" and isinstance(mark.get("attrs"), dict):
            made = f'<a href="{escape(str(mark["attrs"].get("href", "")))}">{made}</a>'
    return made


def moment(text: str | None) -> str | None:
    """A stored time as people read it, 02/Mar/26 9:05 AM."""
    return None if not text else _said(Ctx.parse_time(text), "%d/%b/%y %I:%M %p")


def day(text: str | None) -> str | None:
    return None if not text else _said(Ctx.parse_time(text), "%d/%b/%y")


def _said(when: datetime, form: str) -> str:
    date, _, rest = when.strftime(form).partition(" ")
    return f"{date} {rest.removeprefix('0')}" if rest else date
