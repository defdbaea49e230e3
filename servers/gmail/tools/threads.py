"""Threads. https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.threads"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, ToolOnly

from .. import mailbox
from ..app import UserId, app
from ..fields import answers
from ..mailbox import check_changes, thread_messages
from ..models import Message
from ..resources import page_size, sent, summary, thread_json, thread_page
from .messages import MaxResults


@app.get("/gmail/v1/users/{userId}/threads", tool="list_threads")
@answers("ListThreadsResponse")
def list_threads(
    ctx: Ctx, userId: UserId = "me", q: str | None = None, labelIds: list[str] | None = None, maxResults: MaxResults = None,
    pageToken: str | None = None, includeSpamTrash: bool = False, details: Annotated[bool, ToolOnly()] = True,
) -> dict[str, Any]:  # fmt: skip
    """Lists threads with a message that matches, newest first. `q` is Gmail's search language, as in list_messages.

    q: A query in Gmail's search language.
    labelIds: Only threads with a message that has all of these label ids.
    maxResults: How many to list, at most 500 (25 by default).
    pageToken: The nextPageToken of the page before.
    includeSpamTrash: Whether threads in SPAM and TRASH are listed too.
    details: Whether subject, last sender, date and number of messages are listed beside the ids.
    """
    found = mailbox.condition(ctx, q, labelIds, includeSpamTrash)
    threads, more = thread_page(ctx, found, page_size(ctx, maxResults), pageToken)
    told = details and not ctx.request.method
    return {**({"threads": [_show(held, told) for held in threads]} if threads else {}), **more}


def _show(held: list[Message], details: bool) -> dict[str, Any]:
    last = held[-1]
    out: dict[str, Any] = {
        "id": last.thread_id, "snippet": last.snippet, "historyId": str(max(m.history_id for m in held)),
    }  # fmt: skip
    if details:
        about = summary(last)
        out |= {
            "subject": held[0].subject,
            "lastFrom": about["from"],
            "lastDate": about["date"],
            "messageCount": len(held),
        }
        out["labelIds"] = sorted({label for m in held for label in m.label_ids})
    return out


@app.get("/gmail/v1/users/{userId}/threads/{id}", tool="get_thread")
@answers("Thread")
def get_thread(
    ctx: Ctx, id: str, userId: UserId = "me", format: Literal["full", "metadata", "minimal"] = "full",
    metadataHeaders: list[str] | None = None, decode: Annotated[bool, ToolOnly()] = True,
) -> dict[str, Any]:  # fmt: skip
    """Gets a thread with all its messages, oldest first.

    id: The thread's id.
    format: full; metadata (headers only) or minimal (labels only).
    metadataHeaders: With format metadata, only these headers.
    decode: Whether full messages are given with their text and a list of attachments, rather than as MIME parts in base64url.
    """
    return thread_json(thread_messages(ctx, id), format, metadataHeaders, decode and not ctx.request.method)


def _brief(held: list[Message]) -> dict[str, Any]:
    return {
        "id": held[0].thread_id,
        "historyId": str(max(m.history_id for m in held)),
        "messages": [sent(m) for m in held],
    }


@app.post("/gmail/v1/users/{userId}/threads/{id}/modify", tool="modify_thread", effect="update")
@answers("Thread")
def modify_thread(
    ctx: Ctx,
    id: str,
    userId: UserId = "me",
    addLabelIds: list[str] | None = None,
    removeLabelIds: list[str] | None = None,
) -> dict[str, Any]:
    """Adds labels to every message of a thread and removes others.

    id: The thread's id.
    addLabelIds: Label ids to add.
    removeLabelIds: Label ids to remove.
    """
    held = thread_messages(ctx, id)
    check_changes(ctx, addLabelIds or [], removeLabelIds or [])
    for message in held:
        mailbox.relabel(ctx, message, addLabelIds or [], removeLabelIds or [])
    return _brief(held)


@app.post("/gmail/v1/users/{userId}/threads/{id}/trash", tool="trash_thread", effect="update")
@answers("Thread")
def trash_thread(ctx: Ctx, id: str, userId: UserId = "me") -> dict[str, Any]:
    """Moves every message of a thread to the trash.

    id: The thread's id.
    """
    held = thread_messages(ctx, id)
    for message in held:
        mailbox.relabel(ctx, message, ["TRASH"])
    return _brief(held)


@app.post("/gmail/v1/users/{userId}/threads/{id}/untrash", tool="untrash_thread", effect="update")
@answers("Thread")
def untrash_thread(ctx: Ctx, id: str, userId: UserId = "me") -> dict[str, Any]:
    """Takes every message of a thread out of the trash.

    id: The thread's id.
    """
    held = thread_messages(ctx, id)
    for message in held:
        mailbox.relabel(ctx, message, remove=["TRASH"])
    return _brief(held)


@app.delete("/gmail/v1/users/{userId}/threads/{id}", tool="delete_thread", status=204)
def delete_thread(ctx: Ctx, id: str, userId: UserId = "me") -> None:
    """Deletes a thread with all its messages for good. It cannot be taken back; trash_thread is the usual way.

    id: The thread's id.
    """
    for message in thread_messages(ctx, id):
        mailbox.remove(ctx, message)
