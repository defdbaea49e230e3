"""The mailbox as a whole: profile, history, push. https://developers.google.com/workspace/gmail/api/reference/rest/v1/users"""

import re
from typing import Any, Literal

from legoenv_mcp.app import Ctx, cursor_page

from .. import mailbox
from ..app import UserId, app, me, refuse
from ..fields import answers
from ..models import History
from ..resources import page_size
from .messages import MaxResults

HistoryType = Literal["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"]
_LISTS = {
    "messageAdded": "messagesAdded", "messageDeleted": "messagesDeleted", "labelAdded": "labelsAdded", "labelRemoved": "labelsRemoved",
}  # fmt: skip
_WEEK_MS = 7 * 24 * 3600 * 1000


@app.get("/gmail/v1/users/{userId}/profile", tool="get_profile")
@answers("Profile")
def get_profile(ctx: Ctx, userId: UserId = "me") -> dict[str, Any]:
    """Gets the mailbox's address, how many messages and threads it has, and its current history id."""
    row = ctx.db.query("SELECT count(*) AS messages, count(DISTINCT thread_id) AS threads FROM message")[0]
    return {
        "emailAddress": me(ctx).email, "messagesTotal": row["messages"], "threadsTotal": row["threads"],
        "historyId": str(mailbox.history_id(ctx)),
    }  # fmt: skip


@app.get("/gmail/v1/users/{userId}/history", tool="list_history")
@answers("ListHistoryResponse")
def list_history(
    ctx: Ctx, userId: UserId = "me", startHistoryId: str | None = None, historyTypes: list[HistoryType] | None = None,
    labelId: str | None = None, maxResults: MaxResults = None, pageToken: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists what has changed in the mailbox since a history id, oldest first.

    startHistoryId: The history id to go on from, as a message, a thread or the profile gives it.
    historyTypes: Only these kinds of change.
    labelId: Only changes of messages with this label.
    maxResults: How many to list, at most 500.
    pageToken: The nextPageToken of the page before.
    """
    if not startHistoryId or not re.fullmatch(r"\d{1,20}", startHistoryId) or int(startHistoryId) == 0:
        raise refuse("Missing/invalid parameter: startHistoryId")
    start = int(startHistoryId)
    if start < mailbox.FIRST_HISTORY:
        raise ctx.app.not_found("History", startHistoryId)
    rows = ctx.db.find(History, order="id", id__gt=min(start, 2**63 - 1), type__in=historyTypes) if historyTypes else (
        ctx.db.find(History, order="id", id__gt=min(start, 2**63 - 1))
    )  # fmt: skip
    if labelId:
        rows = [r for r in rows if labelId in r.label_ids or labelId in r.changed]
    page = cursor_page(rows, page_size(ctx, maxResults), pageToken, "history")
    out: dict[str, Any] = {"history": [_change(ctx, r) for r in page.items]} if page.items else {}
    if page.cursor:
        out["nextPageToken"] = page.cursor
    return {**out, "historyId": str(mailbox.history_id(ctx))}


def _change(ctx: Ctx, row: History) -> dict[str, Any]:
    message: dict[str, Any] = {"id": row.message_id, "threadId": row.thread_id}
    entry: dict[str, Any] = {"message": {**message, **({"labelIds": row.label_ids} if row.label_ids else {})}}
    if row.changed:
        entry["labelIds"] = row.changed
    return {"id": str(row.id), "messages": [message], _LISTS[row.type]: [entry]}


@app.post("/gmail/v1/users/{userId}/watch", tool="watch_mailbox", effect="update", mcp=False)
@answers("WatchResponse")
def watch_mailbox(
    ctx: Ctx, topicName: str = "", userId: UserId = "me", labelIds: list[str] | None = None,
    labelFilterBehavior: Literal["include", "exclude"] | None = None, labelFilterAction: Literal["include", "exclude"] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Sets up push notifications to a Cloud Pub/Sub topic, for a week.

    topicName: The topic, as projects/PROJECT/topics/TOPIC.
    labelIds: The labels to notify about.
    labelFilterBehavior: Whether changes of these labels are told or left out.
    labelFilterAction: The former name of labelFilterBehavior.
    """
    if not re.fullmatch(r"projects/[a-z][a-z0-9-]{4,28}[a-z0-9]/topics/[A-Za-z][\w.~+%-]{2,254}", topicName):
        raise refuse("Invalid topicName does not match projects/<project>/topics/<topic>")
    mailbox.check_labels(ctx, labelIds or [], frozenset())
    account = me(ctx)
    expiration = mailbox.now_ms(ctx) + _WEEK_MS
    behavior = labelFilterBehavior or labelFilterAction or "include"
    ctx.db.update(
        account,
        watch={
            "topicName": topicName,
            "labelIds": labelIds or [],
            "labelFilterBehavior": behavior,
            "expiration": expiration,
        },
    )
    return {"historyId": str(mailbox.history_id(ctx)), "expiration": str(expiration)}


@app.post("/gmail/v1/users/{userId}/stop", tool="stop_watch", effect="delete", status=204, mcp=False)
def stop_watch(ctx: Ctx, userId: UserId = "me") -> None:
    """Ends push notifications."""
    ctx.db.update(me(ctx), watch=None)
