"""canvases.*: documents of sections. https://docs.slack.dev/reference/methods?family=canvases"""

import json
import re
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import UPPER36, Ctx, Field

from ..access import conversation, ids, is_member, me
from ..access import user as user_row
from ..app import app, err
from ..models import CanvasAccess, CanvasSection, ChannelCanvas, File, FileShare
from .files import drop, file_row


class Document(TypedDict, total=False):
    """A canvas's content: Markdown."""

    __pydantic_config__ = {"extra": "allow"}  # pyright: ignore[reportGeneralTypeIssues]
    type: Annotated[str, Field(description="markdown")]
    markdown: Annotated[str, Field(description="The content")]


class Change(TypedDict, total=False):
    """One change of a canvas."""

    __pydantic_config__ = {"extra": "allow"}  # pyright: ignore[reportGeneralTypeIssues]
    operation: Annotated[str, Field(description="What to do")]
    section_id: Annotated[str, Field(description="The section it is about")]
    document_content: Annotated[Document, Field(description="New content")]
    title_content: Annotated[Document, Field(description="New title")]


class Criteria(TypedDict, total=False):
    """What sections to look for."""

    __pydantic_config__ = {"extra": "allow"}  # pyright: ignore[reportGeneralTypeIssues]
    section_types: Annotated[list[str], Field(description="any_header, h1, h2 or h3")]
    contains_text: Annotated[str, Field(description="Text the section contains")]


def _object(given: Any, code: str, *messages: str) -> Any:
    """An argument that is JSON, or JSON text."""
    if isinstance(given, str):
        try:
            return json.loads(given)
        except ValueError:
            raise err(code, *messages) from None
    return given


def _markdown(given: Any, code: str) -> str:
    content = _object(given, code)
    if (
        not isinstance(content, dict)
        or content.get("type", "markdown") != "markdown"
        or not isinstance(content.get("markdown"), str)
    ):
        raise err(code)
    if len(content["markdown"]) > 100_000:
        raise err(code)
    return content["markdown"]


def _sections(markdown: str) -> list[tuple[str, str]]:
    """Markdown as sections: each heading one, each paragraph, list or code block between them one."""
    found, fenced = list[list[str]](), False
    for line in markdown.splitlines():
        heading = not fenced and re.match(r"#{1,3}\s", line)
        if (
            heading
            or not found
            or (not fenced and (not line.strip() or (found[-1] and re.match(r"#{1,3}\s", found[-1][0]))))
        ):
            found.append([])
        fenced ^= line.lstrip().startswith("```")
        if line.strip() or fenced:
            found[-1].append(line)
    texts = ["\n".join(lines) for lines in found if any(one.strip() for one in lines)]
    return [(f"h{len(m[0].rstrip())}" if (m := re.match(r"#{1,3}\s", text)) else "text", text) for text in texts]


def _insert(ctx: Ctx, canvas: str, position: int, markdown: str) -> None:
    """New sections from a position on; later ones move up."""
    made = _sections(markdown)
    for row in ctx.db.find(CanvasSection, canvas=canvas, position__ge=position) if made else ():
        ctx.db.update(row, position=row.position + len(made))
    for offset, (kind, text) in enumerate(made):
        section_id = ctx.id("temp:C:", 28, UPPER36, kind="section")
        ctx.db.add(CanvasSection(id=section_id, canvas=canvas, position=position + offset, type=kind, markdown=text))  # pyright: ignore[reportArgumentType]


def _text(ctx: Ctx, canvas: str) -> str:
    return "\n\n".join(s.markdown for s in ctx.db.find(CanvasSection, canvas=canvas, order="position"))


def _create(ctx: Ctx, title: str | None, content: Any) -> File:
    markdown = _markdown(content, "canvas_creation_failed") if content not in (None, "") else ""
    name = title or "Untitled"
    row = ctx.db.add(
        File(
            id=ctx.id("F", 10, UPPER36),
            name=name,
            title=name,
            filetype="quip",
            mimetype="application/vnd.slack-docs",
            user=me(ctx),
            created=ctx.epoch(),
            size=0,
        )
    )
    ctx.db.add(CanvasAccess(canvas=row.id, entity=me(ctx), access_level="owner"))
    _insert(ctx, row.id, 0, markdown)
    _resize(ctx, row)
    return row


def _resize(ctx: Ctx, row: File) -> None:
    text = _text(ctx, row.id)
    ctx.db.update(row, content=text, size=len(text.encode()))


def _canvas(ctx: Ctx, canvas_id: str, write: bool = False) -> File:
    row = file_row(ctx, canvas_id, "canvas_not_found")
    if row.filetype != "quip":
        raise err("canvas_not_found")
    if write and row.user != me(ctx):
        levels = {a.entity: a.access_level for a in ctx.db.find(CanvasAccess, canvas=row.id)}
        if not any(
            level != "read" and (entity == me(ctx) or is_member(ctx, entity, me(ctx)))
            for entity, level in levels.items()
        ):
            raise err("restricted_action")
    return row


@app.post("/api/canvases.create", tool="create_canvas", also=("GET",))
def create_canvas(
    ctx: Ctx, title: str | None = None, document_content: Document | str | None = None, channel_id: str | None = None
) -> dict[str, Any]:
    """Creates a canvas, a document of yours.

    title: The canvas's title.
    document_content: What is in it: type markdown, and the markdown.
    channel_id: A channel to add it to, whose members may then write in it.
    """
    row = _create(ctx, title, document_content)
    if channel_id:
        _attach(ctx, row, channel_id)
    return {"canvas_id": row.id}


@app.post("/api/conversations.canvases.create", tool="create_channel_canvas", also=("GET",), mcp=False)
def create_channel_canvas(
    ctx: Ctx, channel_id: str, title: str | None = None, document_content: Document | str | None = None
) -> dict[str, Any]:
    """Creates the canvas of a channel; each has at most one.

    channel_id: The channel's id.
    title: The canvas's title.
    document_content: What is in it: type markdown, and the markdown.
    """
    row = _create(ctx, title, document_content)
    _attach(ctx, row, channel_id)
    return {"canvas_id": row.id}


def _attach(ctx: Ctx, row: File, channel_id: str) -> None:
    place = conversation(ctx, channel_id)
    if not is_member(ctx, place.id, me(ctx)):
        raise err("restricted_action")
    if ctx.db.get(ChannelCanvas, place.id) is not None:
        raise err("channel_canvas_already_exists")
    ctx.db.add(ChannelCanvas(channel=place.id, canvas=row.id))
    ctx.db.add(CanvasAccess(canvas=row.id, entity=place.id, access_level="write"))
    ctx.db.add(FileShare(file=row.id, channel=place.id, ts=""))


@app.post("/api/canvases.edit", tool="edit_canvas", effect="update", also=("GET",))
def edit_canvas(ctx: Ctx, canvas_id: str, changes: list[Change] | str) -> None:
    """Changes a canvas, one change a call.

    canvas_id: The canvas's id.
    changes: One object with an operation: insert_at_start, insert_at_end, insert_before, insert_after, replace, delete
        or rename. The inserting ones and replace take document_content; insert_before, insert_after and delete need
        section_id, replace without it replaces everything; rename takes title_content.
    """
    row = _canvas(ctx, canvas_id, write=True)
    wanted = _object(changes, "invalid_arguments", "must be a list of changes [json-pointer:/changes]")
    if not isinstance(wanted, list) or len(wanted) != 1 or not isinstance(wanted[0], dict):
        raise err("invalid_arguments", "must have exactly one change [json-pointer:/changes]")
    _apply(ctx, row, wanted[0])
    _resize(ctx, row)


def _apply(ctx: Ctx, row: File, change: dict[str, Any]) -> None:
    operation, sections = change.get("operation"), ctx.db.find(CanvasSection, canvas=row.id, order="position")
    section_id = change.get("section_id")
    target = next((s for s in sections if s.id == section_id), None)
    if section_id is not None and target is None:
        raise err("canvas_editing_failed")
    if operation == "rename":
        title = _markdown(change.get("title_content"), "canvas_editing_failed").strip()
        if not title:
            raise err("canvas_editing_failed")
        ctx.db.update(row, title=title, name=title)
        return
    if operation in ("insert_before", "insert_after", "delete") and target is None:
        raise err("invalid_arguments", "missing required field: section_id [json-pointer:/changes/0]")
    if operation == "delete" and target is not None:
        ctx.db.delete(target)
        return
    places = {"insert_at_start": 0, "insert_at_end": sections[-1].position + 1 if sections else 0}
    if target is not None:
        places |= {"insert_before": target.position, "insert_after": target.position + 1, "replace": target.position}
    elif operation == "replace":
        places["replace"] = 0
    if operation not in places:
        raise err("invalid_arguments", f"must be a valid enum value: {operation} [json-pointer:/changes/0/operation]")
    markdown = _markdown(change.get("document_content"), "canvas_editing_failed")
    if operation == "replace":
        for gone in [target] if target is not None else sections:
            ctx.db.delete(gone)
    _insert(ctx, row.id, places[operation], markdown)


@app.post("/api/canvases.delete", tool="delete_canvas", effect="delete", also=("GET",))
def delete_canvas(ctx: Ctx, canvas_id: str) -> None:
    """Deletes a canvas of yours.

    canvas_id: The canvas's id.
    """
    row = _canvas(ctx, canvas_id)
    if row.user != me(ctx):
        raise err("restricted_action")
    drop(ctx, row)


@app.post("/api/canvases.getContent", tool="get_canvas_content", effect="read", also=("GET",))
def get_canvas_content(ctx: Ctx, canvas_id: str, content_type: Literal["markdown"] = "markdown") -> dict[str, Any]:
    """Reads a canvas as Markdown.

    canvas_id: The canvas's id.
    content_type: The form to give it in.
    """
    row = _canvas(ctx, canvas_id)
    return {"canvas_id": row.id, "title": row.title, "content": {"type": content_type, "markdown": _text(ctx, row.id)}}


@app.post("/api/canvases.sections.lookup", tool="lookup_canvas_sections", effect="read", also=("GET",))
def lookup_canvas_sections(ctx: Ctx, canvas_id: str, criteria: Criteria | str) -> dict[str, Any]:
    """Finds sections of a canvas, to change them by their ids.

    canvas_id: The canvas's id.
    criteria: section_types (any_header, h1, h2, h3), contains_text, or both.
    """
    row = _canvas(ctx, canvas_id)
    wanted = _object(criteria, "invalid_arguments", "must be an object [json-pointer:/criteria]")
    types, text = (
        (wanted.get("section_types"), wanted.get("contains_text")) if isinstance(wanted, dict) else (None, None)
    )
    known = {"any_header", "h1", "h2", "h3"}
    if (types is None and text is None) or (text is not None and not isinstance(text, str)):
        raise err("invalid_arguments", "missing required field: section_types [json-pointer:/criteria]")
    if types is not None and (not isinstance(types, list) or not types or any(str(t) not in known for t in types)):
        raise err(
            "invalid_arguments",
            f"must be a valid enum value: {', '.join(sorted(known))} [json-pointer:/criteria/section_types]",
        )
    found = [
        s
        for s in ctx.db.find(CanvasSection, canvas=row.id, order="position")
        if (types is None or s.type in types or ("any_header" in types and s.type != "text"))
        and (text is None or text.lower() in s.markdown.lower())
    ]
    return {"sections": [{"id": s.id} for s in found]}


@app.post("/api/canvases.access.set", tool="set_canvas_access", effect="update", also=("GET",), mcp=False)
def set_canvas_access(
    ctx: Ctx,
    canvas_id: str,
    access_level: Literal["read", "write", "owner"],
    channel_ids: list[str] | str | None = None,
    user_ids: list[str] | str | None = None,
) -> None:
    """Says who may open or change a canvas of yours.

    canvas_id: The canvas's id.
    access_level: What they may do.
    channel_ids: Ids of channels, a list or separated by commas; or give users.
    user_ids: Ids of users, a list or separated by commas.
    """
    row = _owned(ctx, canvas_id)
    if bool(channel_ids) == bool(user_ids):
        raise err("invalid_parameters")
    if access_level == "owner" and channel_ids:
        raise err("invalid_parameters")
    for entity in _entities(ctx, channel_ids, user_ids):
        found = ctx.db.get(CanvasAccess, (row.id, entity))
        if found is None:
            ctx.db.add(CanvasAccess(canvas=row.id, entity=entity, access_level=access_level))
        else:
            ctx.db.update(found, access_level=access_level)


@app.post("/api/canvases.access.delete", tool="delete_canvas_access", effect="delete", also=("GET",), mcp=False)
def delete_canvas_access(
    ctx: Ctx, canvas_id: str, channel_ids: list[str] | str | None = None, user_ids: list[str] | str | None = None
) -> None:
    """Takes back who may open a canvas of yours.

    canvas_id: The canvas's id.
    channel_ids: Ids of channels, a list or separated by commas.
    user_ids: Ids of users, a list or separated by commas.
    """
    row = _owned(ctx, canvas_id)
    if not channel_ids and not user_ids:
        raise err("invalid_parameters")
    for entity in _entities(ctx, channel_ids, user_ids):
        ctx.db.delete_where(CanvasAccess, canvas=row.id, entity=entity)


def _owned(ctx: Ctx, canvas_id: str) -> File:
    row = _canvas(ctx, canvas_id)
    if row.user != me(ctx):
        raise err("restricted_action")
    return row


def _entities(ctx: Ctx, channel_ids: list[str] | str | None, user_ids: list[str] | str | None) -> list[str]:
    channels, users = (
        ids(",".join(given) if isinstance(given, list) else given or "") for given in (channel_ids, user_ids)
    )
    return [conversation(ctx, one).id for one in channels] + [user_row(ctx, one).id for one in users]
