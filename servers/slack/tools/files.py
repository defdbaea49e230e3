"""files.*: uploading, finding and reading files. https://docs.slack.dev/reference/methods?family=files"""

import base64
import json
from typing import Annotated, Any

from legoenv_mcp.app import UPPER36, URLSAFE, ApiError, Ctx, Field, Payload, Query, Reply

from .. import mrkdwn
from ..access import conversation, ids, is_admin, is_member, me, on_mcp, visible
from ..access import user as user_row
from ..app import app, err
from ..blocks import Block, parse_blocks
from ..file_object import file as shown
from ..file_object import file_bytes
from ..filetypes import GROUPS, guess
from ..models import CanvasAccess, CanvasSection, ChannelCanvas, Conversation, File, FileShare, User
from ..paging import numbered
from ..posting import post, thread_root, writable
from ..resources import team

MAX_SNIPPET = 1_000_000
MAX_FILE = 1_000_000_000
MAX_SHOWN = 20_000
MAX_PLACES = 100


def readable(ctx: Ctx, row: File) -> bool:
    """A file is its owner's, and everyone's who sees a conversation it was shared in."""
    if row.user == me(ctx):
        return True
    places = {s.channel for s in ctx.db.find(FileShare, file=row.id)} | {
        a.entity for a in ctx.db.find(CanvasAccess, canvas=row.id)
    }
    if me(ctx) in places:
        return True
    rows = [ctx.db.get(Conversation, one) for one in places]
    return any(c is not None and (c.kind == "public" or is_member(ctx, c.id, me(ctx))) for c in rows)


def file_row(ctx: Ctx, file_id: str, code: str = "file_not_found") -> File:
    found = ctx.db.get(File, file_id)
    if found is None or found.state != "complete" or not readable(ctx, found):
        raise err(code)
    return found


def _content(data: bytes) -> dict[str, Any]:
    try:
        return {"content": data.decode(), "is_base64": False, "size": len(data)}
    except UnicodeDecodeError:
        return {"content": base64.b64encode(data).decode(), "is_base64": True, "size": len(data)}


@app.get("/api/files.list", tool="list_files", also=("POST",))
def list_files(
    ctx: Ctx,
    channel: str | None = None,
    user: str | None = None,
    types: str = "all",
    ts_from: float | None = None,
    ts_to: float | None = None,
    count: Annotated[int, Field(ge=1, le=1000)] | None = None,
    page: Annotated[int, Field(ge=1, le=1000)] = 1,
) -> dict[str, Any]:
    """Lists files you may see, newest first.

    channel: Only files shared in this conversation (its id).
    user: Only files of this user (the id).
    types: Which kinds, separated by commas: all, snippets, images, pdfs, zips, docs, videos, canvases.
    ts_from: Only files created at this Unix time or later.
    ts_to: Only files created at this Unix time or earlier.
    count: How many a page.
    page: Which page, from 1.
    """
    wanted = [one.strip() for one in types.split(",") if one.strip()]
    if any(one not in GROUPS and one != "all" for one in wanted):
        raise err("unknown_type")
    kinds = None if not wanted or "all" in wanted else frozenset[str]().union(*(GROUPS[one] for one in wanted))
    owner = user_row(ctx, user).id if user else None
    place = conversation(ctx, channel).id if channel else None
    found = ctx.db.find(File, state="complete", user=owner, created__ge=ts_from, created__le=ts_to, order="-created")
    shared = {s.file for s in ctx.db.find(FileShare, channel=place)} if place else None
    rows = [
        f
        for f in found
        if (shared is None or f.id in shared) and (kinds is None or f.filetype in kinds) and readable(ctx, f)
    ]
    items, paging = numbered(rows, count or (30 if on_mcp(ctx) else 100), page, lambda f: shown(ctx, f))
    return {"files": items, "paging": paging}


@app.get("/api/files.info", tool="get_file_info", also=("POST",))
def get_file_info(ctx: Ctx, file: str) -> dict[str, Any]:
    """Gives one file; of a text file its content too, up to 20,000 characters.

    file: The file's id.
    """
    row = file_row(ctx, file)
    body: dict[str, Any] = {"file": shown(ctx, row)}
    if not row.is_base64 and row.filetype != "quip":
        body |= {"content": row.content[:MAX_SHOWN], "is_truncated": len(row.content) > MAX_SHOWN}
    return body if on_mcp(ctx) else body | {"comments": [], "response_metadata": {"next_cursor": ""}}


@app.post("/api/files.delete", tool="delete_file", effect="delete", also=("GET",))
def delete_file(ctx: Ctx, file: str) -> None:
    """Deletes a file of yours, wherever it was shared; admins may delete other people's files that are in channels.

    file: The file's id.
    """
    row = file_row(ctx, file)
    if row.user != me(ctx) and not (is_admin(ctx) and _in_channel(ctx, row)):
        raise err("cant_delete_file")
    drop(ctx, row)


def _in_channel(ctx: Ctx, row: File) -> bool:
    """Whether a file is shared in a channel, and not in direct messages alone."""
    places = [ctx.db.get(Conversation, s.channel) for s in ctx.db.find(FileShare, file=row.id)]
    return any(c is not None and c.kind in ("public", "private") and visible(ctx, c) for c in places)


def drop(ctx: Ctx, row: File) -> None:
    """Deletes a file and what belongs to it; messages keep a trace of it."""
    for kind in (CanvasSection, CanvasAccess, ChannelCanvas):
        ctx.db.delete_where(kind, canvas=row.id)
    ctx.db.delete_where(FileShare, file=row.id)
    ctx.db.delete(row)


@app.post("/api/files.upload", tool="upload_file", effect="send", also=("GET",))
def upload_file(
    ctx: Ctx,
    content: str | None = None,
    filename: str = "",
    title: str | None = None,
    channels: str = "",
    initial_comment: str | None = None,
    thread_ts: str | None = None,
    filetype: str | None = None,
    file: Annotated[Any, Query(mcp=False)] = None,
) -> dict[str, Any]:
    """Uploads a text file, and shares it in conversations where these are given.

    content: The file's text.
    filename: The file's name with its extension.
    title: The file's title; its name if left out.
    channels: Ids of conversations to share it in, separated by commas.
    initial_comment: A message to share it with.
    thread_ts: The parent message's ts, to share it in a thread.
    filetype: Slack's name of the file's type; told from the name if left out.
    file: The file itself, in a multipart form.
    """
    data, name = _uploaded(content, file, filename)
    if len(data) > MAX_SNIPPET and file is None:
        raise err("post_contents_too_large")
    kind, media = guess(name, data)
    row = ctx.db.add(
        File(
            id=ctx.id("F", 10, UPPER36),
            name=name,
            title=title or name,
            filetype=filetype or kind,
            mimetype=media,
            user=me(ctx),
            created=ctx.epoch(),
            **_content(data),
        )
    )
    _share(ctx, [row], ids(channels), initial_comment, thread_ts)
    return {"file": shown(ctx, row)}


def _uploaded(content: str | None, file: Any, filename: str) -> tuple[bytes, str]:
    if isinstance(file, dict) and isinstance(file.get("content"), bytes):
        return file["content"], filename or str(file.get("filename") or "-")
    data = content if content is not None else file if isinstance(file, str) else None
    if not data:
        raise err("no_file_data")
    return data.encode(), filename or "-.txt"


def _share(
    ctx: Ctx, files: list[File], places: list[str], comment: str | None, thread_ts: str | None, blocks: Any = None
) -> None:
    """One message with the files in each conversation."""
    if comment and len(comment) > 40_000:
        raise err("msg_too_long")
    said = {"text": mrkdwn.stored(comment or ""), "blocks": parse_blocks(ctx, blocks)}
    for one in places:
        place = writable(ctx, one)
        root = thread_root(ctx, place, thread_ts)
        made = post(ctx, place.id, **said, thread_ts=root, files=[f.id for f in files])
        for row in files:
            ctx.db.add(FileShare(file=row.id, channel=place.id, ts=made.ts))


# Uploading in three steps, as SDKs do: https://docs.slack.dev/messaging/working-with-files#upload


@app.post("/api/files.getUploadURLExternal", tool="get_upload_url", also=("GET",), mcp=False)
def get_upload_url(
    ctx: Ctx, filename: str, length: int, alt_txt: str | None = None, snippet_type: str | None = None
) -> dict[str, Any]:
    """Gives the address to send a file's bytes to, and the id the file will have.

    filename: The file's name.
    length: The file's size in bytes.
    alt_txt: What an image shows, for those who cannot see it.
    snippet_type: The language of a snippet.
    """
    if not filename:
        raise err("invalid_arguments", "missing required field: filename")
    if length < 1:
        raise err("missing_argument")
    if length > MAX_FILE:
        raise err("file_upload_size_restricted")
    if snippet_type and length > MAX_SNIPPET:
        raise err("snippet_too_large")
    if len(alt_txt or "") > 1000:
        raise err("alt_txt_too_large")
    kind, media = guess(filename)
    row = ctx.db.add(
        File(
            id=ctx.id("F", 10, UPPER36),
            state="promised",
            ticket=ctx.id("", 40, URLSAFE, kind="ticket"),
            name=filename,
            title=filename,
            filetype=snippet_type or kind,
            mimetype=media,
            user=me(ctx),
            created=ctx.epoch(),
            size=length,
            alt_txt=alt_txt or "",
        )
    )
    return {"upload_url": f"{ctx.request.base or 'https://files.slack.com'}/upload/v1/{row.ticket}", "file_id": row.id}


@app.post("/upload/v1/{ticket}", tool="upload_bytes", effect="update", also=("PUT",), mcp=False)
def upload_bytes(ctx: Ctx, ticket: str, body: Annotated[Any, Payload(raw=True)] = None) -> Reply:
    """Takes the bytes of a promised upload.

    ticket: The last part of the upload address.
    body: The file's bytes, or a multipart form with one file.
    """
    row = ctx.db.first(File, ticket=ticket, state__in=["promised", "received"]) if ticket else None
    if row is None:
        raise ApiError(404, "upload_not_found")
    if isinstance(body, dict):
        body = next((one["content"] for one in body.values() if isinstance(one, dict)), b"")
    data = body if isinstance(body, bytes) else b""
    if len(data) != row.size:
        raise ApiError(400, "upload_size_mismatch")
    known = {} if "." in row.name else dict(zip(("filetype", "mimetype"), guess(row.name, data), strict=True))
    ctx.db.update(row, state="received", **_content(data), **known)
    return Reply(f"OK - {len(data)}", media_type="text/plain; charset=utf-8")


@app.post("/api/files.completeUploadExternal", tool="complete_upload", effect="send", also=("GET",), mcp=False)
def complete_upload(
    ctx: Ctx,
    files: list[dict[str, Any]] | str,
    channel_id: str | None = None,
    channels: str | None = None,
    initial_comment: str | None = None,
    thread_ts: str | None = None,
    blocks: list[Block] | str | None = None,
) -> dict[str, Any]:
    """Finishes uploads whose bytes have been sent, and shares the files.

    files: The files' ids, each with a title if wanted.
    channel_id: The id of the conversation to share them in.
    channels: Ids of several conversations or users, separated by commas.
    initial_comment: A message to share them with.
    thread_ts: The parent message's ts, to share them in a thread.
    blocks: Block Kit blocks to share them with, where there is no initial_comment.
    """
    rows = list[File]()
    for one in _listed(files):
        found = (
            ctx.db.get(File, one.get("id", ""))
            if isinstance(one, dict) and isinstance(one.get("id", ""), str)
            else None
        )
        if found is None or found.state != "received" or found.user != me(ctx):
            raise err("file_not_found")
        title = one.get("title")
        rows.append(
            ctx.db.update(
                found, state="complete", ticket="", title=title if isinstance(title, str) and title else found.title
            )
        )
    places = list(dict.fromkeys([*ids(channel_id or ""), *ids(channels or "")]))
    if len(places) > MAX_PLACES:
        raise err("channels_limit_exceeded")
    for one in places:  # by id alone, unlike chat.postMessage
        if ctx.db.get(Conversation, one) is None and ctx.db.get(User, one) is None:
            raise err("channel_not_found")
    _share(ctx, rows, places, initial_comment, thread_ts, None if initial_comment else blocks)
    return {"files": [shown(ctx, row) for row in rows]}


def _listed(files: Any) -> list[Any]:
    if isinstance(files, str):
        try:
            files = json.loads(files)
        except ValueError:
            files = None
    if not isinstance(files, list) or not files:
        raise err("invalid_arguments", "must be a list of files [json-pointer:/files]")
    return files


def _download(ctx: Ctx, reference: str, name: str, attachment: bool) -> Reply:
    row = ctx.db.get(File, reference.partition("-")[2])
    if (
        row is None
        or row.state != "complete"
        or reference != f"{team(ctx).id}-{row.id}"
        or row.name != name
        or not readable(ctx, row)
    ):
        raise ApiError(404, "file_not_found")
    headers = {"Content-Disposition": f"{'attachment' if attachment else 'inline'}; filename*=UTF-8''{_percent(name)}"}
    return Reply(file_bytes(row), headers=headers, media_type=row.mimetype)


def _percent(name: str) -> str:
    return "".join(
        c if c.isascii() and (c.isalnum() or c in "-._") else "".join(f"%{b:02X}" for b in c.encode()) for c in name
    )


@app.get("/files-pri/{reference}/download/{name}", tool="download_file", mcp=False)
def download_file(ctx: Ctx, reference: str, name: str) -> Reply:
    """Gives a file's bytes, to be saved.

    reference: Workspace and file id.
    name: The file's name.
    """
    return _download(ctx, reference, name, True)


@app.get("/files-pri/{reference}/{name}", tool="view_file", mcp=False)
def view_file(ctx: Ctx, reference: str, name: str) -> Reply:
    """Gives a file's bytes.

    reference: Workspace and file id.
    name: The file's name.
    """
    return _download(ctx, reference, name, False)
