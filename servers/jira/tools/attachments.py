"""Files on issues. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-attachments/"""

import base64
import binascii
import mimetypes
from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Payload, Reply, ToolOnly

from .. import access, history, resources, times
from ..app import IssueKey, app, done, over_mcp, refuse
from ..models import Attachment, Issue, Project

MOST_BYTES = 10 * 1024 * 1024
LONGEST_NAME = 255
Tool = Annotated[str | None, ToolOnly()]


def _store(ctx: Ctx, issue: Issue, name: str, content: bytes, kind: str) -> Attachment:
    if not name.strip() or len(name) > LONGEST_NAME or "/" in name:
        raise refuse(400, "The file name is not valid.")
    if len(content) > MOST_BYTES:
        raise refuse(413, f"The file {name} exceeds the maximum attachment size of {MOST_BYTES} bytes.")
    made = ctx.db.add(
        Attachment(
            id=ctx.sequence("attachment", 10000), issue_id=issue.id, filename=name, author=access.me(ctx).accountId,
            created=times.moment(ctx.now), size=len(content), mimeType=kind or mimetypes.guess_type(name)[0] or "application/octet-stream",
            content=base64.b64encode(content).decode(),
        )
    )  # fmt: skip
    history.change(ctx, issue, {}, [history.item("Attachment", None, None, made.id, name, "attachment")])
    return made


@app.post("/rest/api/{api}/issue/{issue_key}/attachments", tool="add_attachment")
def add_attachment(
    ctx: Ctx, issue_key: IssueKey, filename: Tool = None, text: Tool = None, content_base64: Tool = None,
    body: Annotated[Any, Payload(mcp=False)] = None,
) -> Any:  # fmt: skip
    """Attaches a file to an issue: text as it is, or any bytes in base64.

    issue_key: The issue's key or id.
    filename: The file's name with its ending.
    text: The file's text.
    content_base64: The file's bytes in base64, instead of text.
    """
    row = access.writable(ctx, issue_key)
    if over_mcp(ctx):
        if not filename or (text is None) == (content_base64 is None):
            raise refuse(400, "filename and one of text and content_base64 are required.")
        try:
            content = (
                (text or "").encode() if content_base64 is None else base64.b64decode(content_base64, validate=True)
            )
        except (binascii.Error, ValueError):
            raise refuse(400, "content_base64 is not base64.") from None
        return [resources.attachment(ctx, _store(ctx, row, filename, content, ""))]
    if ctx.request.headers.get("x-atlassian-token", "").lower() not in ("no-check", "nocheck"):
        raise refuse(403, "XSRF check failed")
    files = (
        [f for f in body.values() if isinstance(f, dict) and isinstance(f.get("content"), bytes)]
        if isinstance(body, dict)
        else []
    )
    if not files:
        raise refuse(400, "The request has no file; send multipart/form-data with a part named 'file'.")
    return [resources.attachment(ctx, _store(ctx, row, f["filename"], f["content"], f["content_type"])) for f in files]


def _find(ctx: Ctx, id: str) -> Attachment:
    return access.by_id(ctx, Attachment, id, f"The attachment with id '{id}' does not exist")


@app.get("/rest/api/{api}/attachment/{attachment_id}", tool="get_attachment", mcp=False)
def get_attachment(ctx: Ctx, attachment_id: str) -> dict[str, Any]:
    """Gets what is known of a file.

    attachment_id: The attachment's id.
    """
    return resources.attachment(ctx, _find(ctx, attachment_id))


@app.get("/rest/api/{api}/attachment/content/{attachment_id}", tool="download_attachment")
def download_attachment(ctx: Ctx, attachment_id: str) -> Reply:
    """Gets a file's content.

    attachment_id: The attachment's id, as an issue's attachment field has it.
    """
    row = _find(ctx, attachment_id)
    quoted = row.filename.replace('"', "'")
    return Reply(
        resources.content(row),
        200,
        {"Content-Disposition": f'attachment; filename="{quoted}"'},
        media_type=row.mimeType,
    )


@app.delete("/rest/api/{api}/attachment/{attachment_id}", tool="delete_attachment", mcp=False, status=204)
def delete_attachment(ctx: Ctx, attachment_id: str) -> Any:
    """Deletes a file from its issue. Others' files are for administrators of the project.

    attachment_id: The attachment's id.
    """
    row = _find(ctx, attachment_id)
    issue = access.writable(ctx, row.issue_id)
    if row.author != access.me(ctx).accountId and not access.administers(ctx, ctx.require(Project, issue.project_id)):
        raise refuse(403, f"You do not have permission to delete attachment with id: {row.id}")
    ctx.db.delete(row)
    history.change(ctx, issue, {}, [history.item("Attachment", row.id, row.filename, None, None, "attachment")])
    return done(ctx, {"deleted": attachment_id})
