"""Rows as Jira's JSON: people, projects, and what issues refer to. Issues themselves are in `issues`."""

import base64
import hashlib
from typing import Any

from legoenv_mcp.app import Ctx

from . import access, adf, rendering, site, times
from .app import documents
from .models import (
    Attachment,
    Board,
    Comment,
    Component,
    Filter,
    Project,
    RemoteLink,
    Sprint,
    User,
    Version,
    Worklog,
)

_API = "/rest/api/3"


def link(ctx: Ctx, path: str) -> str:
    """The address of a resource, in the version of the API that the caller uses."""
    asked = ctx.request.path.split("/")
    api = f"/rest/api/{asked[3]}" if asked[:3] == ["", "rest", "api"] and len(asked) > 3 else _API
    return f"{access.base_url(ctx)}{api}/{path}"


def _pictures(base: str) -> dict[str, str]:
    return {f"{size}x{size}": f"{base}/{size}" for size in (48, 24, 16, 32)}


def text(ctx: Ctx, written: str, doc: dict[str, Any] | None) -> Any:
    """A stored text as the caller's version of the API has it."""
    return adf.shown(written, doc) if documents(ctx) else (written or None)


def person(ctx: Ctx, account: str | None) -> dict[str, Any] | None:
    """A user inside another resource."""
    found = ctx.db.get(User, account) if account else None
    return None if found is None else user(ctx, found)


def user(ctx: Ctx, row: User) -> dict[str, Any]:
    digest = hashlib.md5(row.emailAddress.encode(), usedforsecurity=False).hexdigest()
    return {
        "self": link(ctx, f"user?accountId={row.accountId}"),
        "accountId": row.accountId,
        "accountType": row.accountType,
        "emailAddress": row.emailAddress,
        "avatarUrls": _pictures(f"https://secure.gravatar.com/avatar/{digest}"),
        "displayName": row.displayName,
        "active": row.active,
        "timeZone": row.timeZone,
    }


def category(ctx: Ctx, row: site.Category) -> dict[str, Any]:
    return {
        "self": link(ctx, f"statuscategory/{row.id}"),
        "id": row.id,
        "key": row.key,
        "colorName": row.color,
        "name": row.name,
    }


def status(ctx: Ctx, id: int) -> dict[str, Any]:
    row = site.STATUSES[id]
    return {
        "self": link(ctx, f"status/{row.id}"), "description": row.description, "iconUrl": f"{access.base_url(ctx)}/",
        "name": row.name, "id": str(row.id), "statusCategory": category(ctx, row.category),
    }  # fmt: skip


def issue_type(ctx: Ctx, id: int) -> dict[str, Any]:
    row = site.KINDS[id]
    return {
        "self": link(ctx, f"issuetype/{row.id}"), "id": str(row.id), "description": row.description,
        "iconUrl": link(ctx, f"universal_avatar/view/type/issuetype/avatar/{10300 + row.id % 100}?size=medium"), "name": row.name,
        "subtask": row.level < 0, "avatarId": 10300 + row.id % 100, "hierarchyLevel": row.level,
    }  # fmt: skip


def priority(ctx: Ctx, id: int | None, whole: bool = False) -> dict[str, Any] | None:
    if id is None:
        return None
    row = site.PRIORITIES[id]
    icon = f"{access.base_url(ctx)}/images/icons/priorities/{row.name.lower()}.svg"
    more = {"statusColor": row.color, "description": row.description, "isDefault": id == 3} if whole else {}
    return {"self": link(ctx, f"priority/{id}"), "iconUrl": icon, "name": row.name, "id": str(id), **more}


def resolution(ctx: Ctx, id: int | None) -> dict[str, Any] | None:
    if id is None:
        return None
    row = site.RESOLUTIONS[id]
    return {"self": link(ctx, f"resolution/{id}"), "id": str(id), "description": row.description, "name": row.name}


def link_type(ctx: Ctx, id: int) -> dict[str, Any]:
    row = site.LINK_TYPES[id]
    return {
        "id": str(id),
        "name": row.name,
        "inward": row.inward,
        "outward": row.outward,
        "self": link(ctx, f"issueLinkType/{id}"),
    }


def project_head(ctx: Ctx, row: Project) -> dict[str, Any]:
    """A project inside another resource, and in lists."""
    return {
        "self": link(ctx, f"project/{row.id}"), "id": str(row.id), "key": row.key, "name": row.name,
        "projectTypeKey": row.projectTypeKey, "simplified": False,
        "avatarUrls": _pictures(link(ctx, "universal_avatar/view/type/project/avatar/10400")),
    }  # fmt: skip


def project(ctx: Ctx, row: Project) -> dict[str, Any]:
    """A project whole."""
    return {
        "expand": "description,lead,issueTypes,url,projectKeys,permissions,insight", **project_head(ctx, row),
        "description": row.description, "lead": person(ctx, row.lead),
        "components": [component(ctx, c) for c in ctx.db.find(Component, project_id=row.id)],
        "issueTypes": [issue_type(ctx, kind) for kind in site.KINDS], "assigneeType": row.assigneeType,
        "versions": [version(ctx, v) for v in ctx.db.find(Version, project_id=row.id, order="position")],
        "roles": {"Member": link(ctx, f"project/{row.id}/role/10002")}, "style": "classic", "isPrivate": False, "properties": {},
        "archived": row.archived, **({"url": row.url} if row.url else {}),
    }  # fmt: skip


def component(ctx: Ctx, row: Component) -> dict[str, Any]:
    owner = ctx.require(Project, row.project_id)
    lead = person(ctx, row.lead)
    return {
        "self": link(ctx, f"component/{row.id}"), "id": str(row.id), "name": row.name, "description": row.description,
        **({"lead": lead, "leadAccountId": row.lead} if lead else {}), "assigneeType": row.assigneeType,
        "realAssigneeType": "PROJECT_DEFAULT", "isAssigneeTypeValid": row.assigneeType == "PROJECT_DEFAULT", "project": owner.key,
        "projectId": owner.id,
    }  # fmt: skip


def version(ctx: Ctx, row: Version) -> dict[str, Any]:
    late = bool(row.releaseDate) and not row.released and str(row.releaseDate) < ctx.now.date().isoformat()
    dates = {k: v for k, v in (("startDate", row.startDate), ("releaseDate", row.releaseDate)) if v}
    return {
        "self": link(ctx, f"version/{row.id}"), "id": str(row.id), "description": row.description, "name": row.name,
        "archived": row.archived, "released": row.released, **dates, **({"overdue": late} if row.releaseDate else {}),
        "projectId": row.project_id,
    }  # fmt: skip


def comment(ctx: Ctx, row: Comment) -> dict[str, Any]:
    made: dict[str, Any] = {
        "self": link(ctx, f"issue/{row.issue_id}/comment/{row.id}"), "id": str(row.id), "author": person(ctx, row.author),
        "body": text(ctx, row.body, row.body_adf), "updateAuthor": person(ctx, row.updateAuthor), "created": times.wire(row.created),
        "updated": times.wire(row.updated), "jsdPublic": True,
    }  # fmt: skip
    return made | ({"visibility": row.visibility} if row.visibility else {})


def rendered_comment(ctx: Ctx, row: Comment) -> dict[str, Any]:
    """A comment as a page shows it."""
    shown = {
        "body": rendering.html(row.body, row.body_adf),
        "created": rendering.moment(row.created),
        "updated": rendering.moment(row.updated),
    }
    return comment(ctx, row) | shown


def worklog(ctx: Ctx, row: Worklog) -> dict[str, Any]:
    said = {"comment": text(ctx, row.comment, row.comment_adf)} if row.comment else {}
    return {
        "self": link(ctx, f"issue/{row.issue_id}/worklog/{row.id}"), "author": person(ctx, row.author),
        "updateAuthor": person(ctx, row.updateAuthor), **said, "created": times.wire(row.created), "updated": times.wire(row.updated),
        "started": times.wire(row.started), "timeSpent": times.shown(row.timeSpentSeconds), "timeSpentSeconds": row.timeSpentSeconds,
        "id": str(row.id), "issueId": str(row.issue_id), **({"visibility": row.visibility} if row.visibility else {}),
    }  # fmt: skip


def attachment(ctx: Ctx, row: Attachment) -> dict[str, Any]:
    return {
        "self": link(ctx, f"attachment/{row.id}"), "id": str(row.id), "filename": row.filename, "author": person(ctx, row.author),
        "created": times.wire(row.created), "size": row.size, "mimeType": row.mimeType,
        "content": link(ctx, f"attachment/content/{row.id}"),
    }  # fmt: skip


def content(row: Attachment) -> bytes:
    return base64.b64decode(row.content)


def remote_link(ctx: Ctx, row: RemoteLink) -> dict[str, Any]:
    more = {k: v for k, v in (("globalId", row.globalId), ("relationship", row.relationship)) if v}
    said = {"summary": row.summary} if row.summary else {}
    target = {"url": row.url, "title": row.title, **said, "icon": {}, "status": {"icon": {}}}
    return {
        "id": row.id, "self": link(ctx, f"issue/{row.issue_id}/remotelink/{row.id}"), **more, "application": {}, "object": target,
    }  # fmt: skip


def filter(ctx: Ctx, row: Filter) -> dict[str, Any]:
    return {
        "self": link(ctx, f"filter/{row.id}"), "id": str(row.id), "name": row.name, "description": row.description,
        "owner": person(ctx, row.owner), "jql": row.jql, "viewUrl": f"{access.base_url(ctx)}/issues/?filter={row.id}",
        "searchUrl": link(ctx, f"search?jql=filter={row.id}"), "favourite": access.me(ctx).accountId in row.favourites,
        "favouritedCount": len(row.favourites), "sharePermissions": row.sharePermissions, "editPermissions": [], "subscriptions":
        {"size": 0, "items": [], "max-results": 1000, "start-index": 0, "end-index": 0},
    }  # fmt: skip


def _agile(ctx: Ctx, path: str) -> str:
    return f"{access.base_url(ctx)}/rest/agile/1.0/{path}"


def board(ctx: Ctx, row: Board) -> dict[str, Any]:
    where = ctx.db.get(Project, row.project_id) if row.project_id else None
    made: dict[str, Any] = {"id": row.id, "self": _agile(ctx, f"board/{row.id}"), "name": row.name, "type": row.type}
    if where:
        made["location"] = {
            "projectId": where.id, "displayName": f"{where.name} ({where.key})", "projectName": where.name, "projectKey": where.key,
            "projectTypeKey": where.projectTypeKey, "avatarURI": "", "name": f"{where.name} ({where.key})",
        }  # fmt: skip
    return made | {"isPrivate": False}


def sprint(ctx: Ctx, row: Sprint) -> dict[str, Any]:
    dates = {name: times.agile(getattr(row, name)) for name in ("startDate", "endDate", "completeDate")}
    return {
        "id": row.id, "self": _agile(ctx, f"sprint/{row.id}"), "state": row.state, "name": row.name,
        **{k: v for k, v in dates.items() if v}, "createdDate": times.agile(row.createdDate), "originBoardId": row.board_id,
        "goal": row.goal,
    }  # fmt: skip
