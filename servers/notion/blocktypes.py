"""Blocks as requests write them. https://developers.notion.com/reference/block

A checked block is {"type", "content", "children"}: content is what is kept and shown under the type's name, children are checked blocks.
One request nests two levels of children below the blocks that it adds.
"""

from functools import cache
from typing import Any

from legoenv_mcp.app import Ctx

from .check import (
    Check,
    an_object,
    array,
    boolean,
    enum,
    nothing,
    nullable,
    number,
    obj,
    one_of,
    refuse,
    text,
    uuid,
    validation,
)
from .languages import LANGUAGES
from .media import external_or_upload, icon
from .richtext import color, plain, rich_text

LEVELS = 2
"""How many levels of children the blocks of one request may have."""
MOST = 1000
"""How many blocks one request may make, in all."""
HOLDERS = {"table_row": "table", "column": "column_list"}
"""The types that stand in one other type alone."""

_TEXTUAL = ("paragraph", "bulleted_list_item", "numbered_list_item", "quote", "toggle", "to_do", "callout", "template")
_HEADINGS = ("heading_1", "heading_2", "heading_3", "heading_4")
_MEDIA = ("image", "video", "pdf", "file", "audio")
_BARE = ("divider", "breadcrumb")

CONTAINERS = frozenset((*_TEXTUAL, *_HEADINGS, "synced_block", "column_list", "column", "table", "child_page"))
"""The types that take children."""


def _language(ctx: Ctx, value: Any, path: str) -> str:
    return enum(*LANGUAGES)(ctx, value.lower() if isinstance(value, str) else value, path)


def _fields(kind: str) -> dict[str, Check]:
    """The fields of a type's content that may be written, but for children."""
    if kind in _TEXTUAL:
        more: dict[str, dict[str, Check]] = {
            "to_do": {"checked": boolean},
            "callout": {"icon": nullable(icon)},
            "paragraph": {"icon": nullable(icon)},
        }
        return {"rich_text": rich_text, "color": color, **more.get(kind, {})}
    if kind in _HEADINGS:
        return {"rich_text": rich_text, "color": color, "is_toggleable": boolean}
    if kind in _MEDIA:
        return {"caption": rich_text, "name": text(1000)}
    fields: dict[str, dict[str, Check]] = {
        "code": {"rich_text": rich_text, "language": _language, "caption": rich_text},
        "equation": {"expression": text(1000)},
        "embed": {"url": text(2000), "caption": rich_text},
        "bookmark": {"url": text(2000), "caption": rich_text},
        "table_of_contents": {"color": color},
        "table": {"table_width": number, "has_column_header": boolean, "has_row_header": boolean},
        "table_row": {"cells": array(rich_text)},
        "column_list": {},
        "column": {"width_ratio": number},
        "synced_block": {"synced_from": nullable(obj({"block_id": uuid, "type": enum("block_id")}, ("block_id",)))},
    }
    return fields.get(kind, {})


_REQUIRED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*_TEXTUAL, *_HEADINGS), ("rich_text",)),
    "code": ("rich_text", "language"),
    "equation": ("expression",),
    "embed": ("url",),
    "bookmark": ("url",),
    "table": ("table_width", "children"),
    "table_row": ("cells",),
    "column_list": ("children",),
    "column": ("children",),
    "synced_block": ("synced_from",),
}

_link_to_page = one_of({"page_id": uuid, "database_id": uuid, "comment_id": uuid})


def _defaults(kind: str) -> dict[str, Any]:
    if kind in _TEXTUAL or kind in _HEADINGS:
        own: dict[str, Any] = {"to_do": {"checked": False}, "callout": {"icon": {"type": "emoji", "emoji": "💡"}}}.get(
            kind, {}
        )
        return {"rich_text": [], "color": "default", **({"is_toggleable": False} if kind in _HEADINGS else {}), **own}
    rest: dict[str, dict[str, Any]] = {
        "code": {"caption": [], "rich_text": []},
        "embed": {"caption": []},
        "bookmark": {"caption": []},
        "table_of_contents": {"color": "default"},
        "table": {"has_column_header": False, "has_row_header": False},
    }
    return rest.get(kind, {"caption": []} if kind in _MEDIA else {})


def _content(kind: str, below: int) -> Check:
    """What stands under the type's name, with its children."""
    if kind in _MEDIA:
        return external_or_upload(_fields(kind))
    if kind == "link_to_page":
        return _link_to_page
    fields = _fields(kind)
    if kind in CONTAINERS:
        if kind == "table":
            fields["children"] = array(one_of({"table_row": _content("table_row", 0)}, {"object": enum("block")}))
        elif kind == "column_list":
            fields["children"] = array(one_of({"column": _content("column", below)}, {"object": enum("block")}))
        else:
            fields["children"] = array(block(below - 1)) if below else nothing
    return obj(fields, _REQUIRED.get(kind, ()))


def _made(value: dict[str, Any]) -> dict[str, Any]:
    """A checked one_of as {"type", "content", "children"}."""
    kind = value["type"]
    content = {**_defaults(kind), **value[kind]}
    children = [child if "content" in child else _made(child) for child in content.pop("children", [])]
    return {"type": kind, "content": content, "children": children}


def _shape(made: dict[str, Any], path: str) -> None:
    """What a table and columns must have that the types do not say."""
    kind, children = made["type"], made["children"]
    _housed(children, kind)
    for one in children if kind == "column_list" else ():
        _housed(one["children"], "column")
    if kind == "table":
        width = made["content"]["table_width"]
        if not children:
            refuse(f"{path}.table.children.length", "≥ `1`", 0)
        if width < 1 or width != int(width):
            refuse(f"{path}.table.table_width", "≥ `1`", width)
        made["content"]["table_width"] = int(width)
        if any(len(row["content"]["cells"]) != width for row in children):
            raise validation("Number of cells in table row must match the table width of the parent table.")
    if kind == "column_list" and len(children) < 2:
        refuse(f"{path}.column_list.children.length", "≥ `2`", len(children))
    if kind in _HEADINGS and children and not made["content"]["is_toggleable"]:
        raise validation(f"Children are only supported for toggleable headings; set `is_toggleable` of the {kind}.")


def _housed(children: list[dict[str, Any]], holder: str) -> None:
    for one in children:
        wanted = HOLDERS.get(one["type"], holder)
        if wanted != holder:
            raise validation(f"A {one['type']} block can only be a child of a {wanted} block.")


@cache
def _kinds(below: int) -> Check:
    names = (*_TEXTUAL, *_HEADINGS, *_MEDIA, *_BARE, "code", "equation", "embed", "bookmark", "table_of_contents", "link_to_page",
             "table", "table_row", "column_list", "column", "synced_block")  # fmt: skip
    return one_of({kind: _content(kind, below) for kind in names}, {"object": enum("block")})


def block(below: int = LEVELS) -> Check:
    """A block with at most `below` levels of children."""

    def check(ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
        made = _made(_kinds(below)(ctx, an_object(value, path), path))
        _shape(made, path)
        return made

    return check


def blocks(ctx: Ctx, value: Any, path: str, holder: str = "child_page") -> list[dict[str, Any]]:
    """The blocks that a request adds to one of the type `holder`."""
    made = array(block())(ctx, value, path)
    _housed(made, holder)
    count = sum(map(_count, made))
    if count > MOST:
        raise validation(
            f"body failed validation: {path} should hold ≤ `{MOST}` blocks in all, instead held `{count}`."
        )
    return made


def _count(made: dict[str, Any]) -> int:
    return 1 + sum(map(_count, made["children"]))


@cache
def _changes() -> dict[str, Check]:
    plain_kinds = (*_TEXTUAL, *_HEADINGS, *_BARE, "code", "equation", "embed", "bookmark", "table_of_contents", "table", "table_row",
                   "column", "synced_block")  # fmt: skip
    checks: dict[str, Check] = {kind: obj(_fields(kind)) for kind in plain_kinds}
    checks["table"] = obj({"has_column_header": boolean, "has_row_header": boolean})
    checks.update({kind: external_or_upload(_fields(kind), whole=False) for kind in _MEDIA})
    checks["link_to_page"] = _link_to_page
    return checks


def changes(ctx: Ctx, kind: str, value: Any, path: str) -> dict[str, Any]:
    """What an update may change of a block of this type, checked."""
    check = _changes().get(kind)
    if check is None:
        raise validation(f"Updating a block of type {kind} is not supported via the API.")
    return check(ctx, value, path)


def updatable() -> tuple[str, ...]:
    return tuple(_changes())


def text_of(content: dict[str, Any]) -> str:
    """A block's plain text."""
    if "rich_text" in content:
        return plain(content["rich_text"])
    if "cells" in content:
        return " | ".join(plain(cell) for cell in content["cells"])
    return content.get("expression") or content.get("url") or plain(content.get("caption", []))
