"""Rows as Gmail's JSON, and the readable forms that the MCP face adds."""

from datetime import UTC, datetime
from typing import Any, Literal

from legoenv_mcp.app import Ctx, cursor_page

from . import mime
from .models import Draft, Label, Message
from .search import Condition

Format = Literal["minimal", "full", "raw", "metadata"]
_SHOWN = frozenset(
    {"from", "to", "cc", "bcc", "reply-to", "subject", "date", "message-id", "in-reply-to", "references", "list-id"}
)
LIST_DEFAULT, LIST_DEFAULT_TOOL, LIST_MOST = 100, 25, 500


def raw_bytes(message: Message) -> bytes:
    return message.raw.encode("latin-1")


def stub(message: Message) -> dict[str, Any]:
    return {"id": message.id, "threadId": message.thread_id}


def sent(message: Message) -> dict[str, Any]:
    """What the writing methods answer."""
    return {**stub(message), "labelIds": message.label_ids}


def message_json(
    message: Message, form: Format = "full", wanted: list[str] | None = None, decode: bool = False
) -> dict[str, Any]:
    """A message in one of its formats. decode: a `full` one with its text read, rather than its parts in base64."""
    out: dict[str, Any] = {
        **stub(message),
        **({"labelIds": message.label_ids} if message.label_ids else {}),
        "snippet": message.snippet,
    }
    if form in ("full", "metadata"):
        parsed = mime.parse(raw_bytes(message))
        if form == "metadata":
            names = {n.lower() for n in wanted or []}
            shown = [h for h in mime.headers(parsed.root) if not names or h["name"].lower() in names]
            out["payload"] = {"mimeType": parsed.root.get_content_type(), **({"headers": shown} if shown else {})}
        elif decode:
            shown = [h for h in mime.headers(parsed.root) if h["name"].lower() in _SHOWN]
            out["payload"] = {"mimeType": parsed.root.get_content_type(), "headers": shown}
            out["text"] = message.body
            out["attachments"] = [
                {
                    "attachmentId": mime.attachment_id(message.id, f.part_id),
                    "filename": f.name,
                    "mimeType": f.media_type,
                    "size": f.size,
                }
                for f in message.files
            ]
        else:
            out["payload"] = mime.payload(message.id, parsed)
    out |= {"sizeEstimate": message.size, "historyId": str(message.history_id), "internalDate": str(message.date)}
    if form == "raw":
        out["raw"] = mime.encode64(raw_bytes(message))
    return out


def summary(message: Message) -> dict[str, Any]:
    """A message in a list for agents: enough to choose by."""
    return {
        **sent(message), "from": message.sender, "to": message.to, "subject": message.subject, "date": _iso(message.date),
        "snippet": message.snippet,
    }  # fmt: skip


def _iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds // 1000, UTC).isoformat().replace("+00:00", "Z")


def thread_json(
    messages: list[Message], form: Format = "full", wanted: list[str] | None = None, decode: bool = False
) -> dict[str, Any]:
    shown = [message_json(m, form, wanted, decode) for m in messages]
    return {"id": messages[0].thread_id, "historyId": str(max(m.history_id for m in messages)), "messages": shown}


def draft_json(draft: Draft, message: Message, form: Format = "full", decode: bool = False) -> dict[str, Any]:
    return {"id": draft.id, "message": message_json(message, form, None, decode)}


def label_json(label: Label) -> dict[str, Any]:
    out: dict[str, Any] = {"id": label.id, "name": label.name}
    if label.messageListVisibility:
        out["messageListVisibility"] = label.messageListVisibility
    if label.labelListVisibility:
        out["labelListVisibility"] = label.labelListVisibility
    out["type"] = label.type
    if label.color:
        out["color"] = label.color.model_dump(exclude_none=True)
    return out


def label_counts(ctx: Ctx, label_id: str) -> dict[str, Any]:
    """How many messages and threads have a label, and how many of them are unread."""
    has = "EXISTS (SELECT 1 FROM json_each(m.label_ids) WHERE value = ?)"
    unread = "EXISTS (SELECT 1 FROM json_each(m.label_ids) WHERE value = 'UNREAD')"
    row = ctx.db.query(
        f"SELECT count(*) AS messagesTotal, coalesce(sum({unread}), 0) AS messagesUnread, count(DISTINCT thread_id) AS threadsTotal, "
        f"count(DISTINCT CASE WHEN {unread} THEN thread_id END) AS threadsUnread FROM message m WHERE {has}",
        [label_id],
    )
    return row[0]


def page_size(ctx: Ctx, given: int | None) -> int:
    """How many a list answers: as many as asked for, up to Gmail's most; fewer by default to agents."""
    if given is None:
        return LIST_DEFAULT if ctx.request.method else LIST_DEFAULT_TOOL
    return min(given, LIST_MOST) or LIST_DEFAULT


def message_page(ctx: Ctx, found: Condition, size: int, token: str | None) -> tuple[list[Message], dict[str, Any]]:
    """The newest messages for which a condition holds, and what goes with a page of them."""
    total = ctx.db.query(f"SELECT count(*) AS n FROM message WHERE {found.sql}", found.values)[0]["n"]
    page = cursor_page(range(total), size, token, "messages")
    rows = ctx.db.where(Message, found.sql, found.values, order="-date,-arrival", limit=size, offset=page.offset)
    return rows, _more(page.cursor, total)


def _more(cursor: str | None, total: int) -> dict[str, Any]:
    return {**({"nextPageToken": cursor} if cursor else {}), "resultSizeEstimate": total}


def thread_page(ctx: Ctx, found: Condition, size: int, token: str | None) -> tuple[list[list[Message]], dict[str, Any]]:
    """The threads with a message for which a condition holds, the one with the newest such message first."""
    total = ctx.db.query(f"SELECT count(DISTINCT thread_id) AS n FROM message WHERE {found.sql}", found.values)[0]["n"]
    page = cursor_page(range(total), size, token, "threads")
    ids = ctx.db.query(
        f"SELECT thread_id FROM message WHERE {found.sql} GROUP BY thread_id ORDER BY max(date) DESC, max(arrival) DESC LIMIT ? OFFSET ?",
        [*found.values, size, page.offset],
    )
    held: dict[str, list[Message]] = {row["thread_id"]: [] for row in ids}
    for message in ctx.db.find(Message, order="date,arrival", thread_id__in=list(held)):
        held[message.thread_id].append(message)
    return list(held.values()), _more(page.cursor, total)
