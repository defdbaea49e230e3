"""Parents as requests name them: which page, block, database or data source something is to stand in, and where there."""

from collections.abc import Mapping
from typing import Any

from legoenv_mcp.app import MISSING, Ctx

from .check import failed, refuse, told, uid, validation
from .models import Block, Database, DataSource, Page, ParentType
from .schema import only_source
from .tree import editable, get_data_source, get_database, get_node, get_page

Place = tuple[ParentType, str, Page | Block | DataSource | None]


def named(parent: Mapping[str, Any], allowed: tuple[str, ...], path: str = "body.parent") -> str:
    """Which of the kinds a parent is; exactly one is named."""
    kind = parent.get("type")
    if kind is None:
        present = [one for one in allowed if one in parent]
        if not present:
            raise failed(*(told(f"{path}.{one}", "defined") for one in allowed))
        kind = present[0]
    elif kind not in allowed:
        raise failed(told(f"{path}.type", " or ".join(f'`"{one}"`' for one in allowed), kind))
    for one in parent:
        if one not in ("type", kind):
            refuse(f"{path}.{one}", "not present", parent[one])
    if kind == "workspace":
        if parent.get("workspace", True) is not True:
            refuse(f"{path}.workspace", "`true`", parent["workspace"])
    elif kind not in parent:
        refuse(f"{path}.{kind}", "defined")
    return kind


def page_place(ctx: Ctx, parent: Mapping[str, Any], path: str = "body.parent") -> Place:
    """Where a page is to stand. A database's id stands for its only data source."""
    kind = named(parent, ("page_id", "database_id", "data_source_id", "workspace"), path)
    if kind == "workspace":
        return "workspace", "", None
    if kind == "page_id":
        page = get_page(ctx, parent["page_id"], f"{path}.page_id")
        editable(ctx, page)
        return "page_id", page.id, page
    if kind == "database_id":
        database = get_database(ctx, parent["database_id"], f"{path}.database_id")
        editable(ctx, database)
        source = only_source(ctx, database.id)
    else:
        source = get_data_source(ctx, parent["data_source_id"], f"{path}.data_source_id")
    editable(ctx, source)
    return "data_source_id", source.id, source


def database_place(ctx: Ctx, parent: Mapping[str, Any], path: str = "body.parent") -> tuple[ParentType, str]:
    kind = named(parent, ("page_id", "workspace"), path)
    if kind == "workspace":
        return "workspace", ""
    page = get_page(ctx, parent["page_id"], f"{path}.page_id")
    editable(ctx, page)
    return "page_id", page.id


def behind(ctx: Ctx, position: Any, after: Any) -> tuple[str | None, bool]:
    """(the block behind which to put things, whether to put them first)."""
    if after is not MISSING and after is not None:
        if position is not MISSING:
            raise validation("body failed validation: body.after should be not present when body.position is given.")
        return uid(after, "body.after"), False
    if position is MISSING or position is None:
        return None, False
    kind = position.get("type", "after_block" if "after_block" in position else None)
    if kind is None:
        refuse("body.position.type", "defined")
    if kind == "after_block":
        if "after_block" not in position:
            refuse("body.position.after_block", "defined")
        return get_node(ctx, position["after_block"]["id"], "body.position.after_block.id").id, False
    if "after_block" in position:
        refuse("body.position.after_block", "not present", position["after_block"])
    return None, kind in ("start", "page_start")


def database_of(ctx: Ctx, source: DataSource) -> Database:
    return ctx.require(Database, source.database)
