"""Asana's resources: the fields of each, and which a compact record has. Order and names are those of the API reference."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import access, custom, richtext
from .custom import Valued
from .fields import ABSENT, KINDS, Kind
from .models import (
    Attachment,
    Comment,
    CustomField,
    CustomFieldSetting,
    Dependency,
    Goal,
    Job,
    Membership,
    Portfolio,
    PortfolioItem,
    Project,
    Section,
    StatusUpdate,
    Story,
    Tag,
    Task,
    TaskProject,
    Team,
    TeamMembership,
    TimeEntry,
    User,
    UserTaskList,
    Webhook,
    Workspace,
    WorkspaceMembership,
)

SITE = "https://app.asana.com"


def user(ctx: Ctx, gid: str | None) -> User | None:
    return ctx.db.get(User, gid) if gid else None


def users(ctx: Ctx, gids: list[str]) -> list[User]:
    return [found for gid in gids if (found := ctx.db.get(User, gid))]


def likes(ctx: Ctx, row: Any) -> list[dict[str, Any]]:
    return [{"gid": gid, "user": ctx.db.get(User, gid)} for gid in row.likes]


def liked(ctx: Ctx, row: Any) -> bool:
    return access.me(ctx).gid in row.likes


def tasks(ctx: Ctx, gids: list[str]) -> list[Task]:
    return [found for gid in gids if (found := ctx.db.get(Task, gid))]


def tags_of(ctx: Ctx, t: Task) -> list[Tag]:
    return [found for gid in t.tags if (found := ctx.db.get(Tag, gid))]


def projects_of(ctx: Ctx, t: Task) -> list[Project]:
    hidden = access.hidden_projects(ctx)
    places = ctx.db.find(TaskProject, task=t.gid)
    return [ctx.require(Project, p.project) for p in places if p.project not in hidden]


def memberships(ctx: Ctx, t: Task) -> list[dict[str, Any]]:
    hidden = access.hidden_projects(ctx)
    return [
        {"project": ctx.require(Project, p.project), "section": ctx.require(Section, p.section)}
        for p in ctx.db.find(TaskProject, task=t.gid)
        if p.project not in hidden
    ]


def task_link(ctx: Ctx, t: Task) -> str:
    place = ctx.db.first(TaskProject, task=t.gid)
    return f"{SITE}/1/{t.workspace}/{f'project/{place.project}/' if place else ''}task/{t.gid}"


def minutes(ctx: Ctx, t: Task) -> int | None:
    entries = ctx.db.find(TimeEntry, task=t.gid)
    return sum(e.duration_minutes for e in entries) if entries else None


def latest_status(ctx: Ctx, row: Any) -> StatusUpdate | None:
    return ctx.db.first(StatusUpdate, parent=row.gid, order="-created_at,-gid")


def members_of(ctx: Ctx, row: Any) -> list[User]:
    return users(ctx, [m.member for m in ctx.db.find(Membership, parent=row.gid, order="place,gid")])


def parent_of(ctx: Ctx, gid: str) -> Any:
    """The object that a status, membership, attachment or comment is on."""
    for cls in (Task, Project, Portfolio, Goal):
        if (found := ctx.db.get(cls, gid)) is not None:
            return found
    return None


STATUS_COLORS = {
    "on_track": "green", "at_risk": "yellow", "off_track": "red", "on_hold": "blue", "complete": "complete", "achieved": "complete",
    "partial": "yellow", "missed": "red", "dropped": "none",
}  # fmt: skip


def _option(c: Valued) -> dict[str, Any] | None:
    found = custom.option(c.field, c.value)
    return custom.shown_option(found) if found else None


def _options(c: Valued) -> list[dict[str, Any]]:
    return [custom.shown_option(o) for gid in c.value or [] if (o := custom.option(c.field, gid))]


def _only(subtype: str, get: Any) -> Any:
    """A field that only custom fields of one type have."""
    return lambda ctx, c: get(ctx, c) if definition(c).resource_subtype == subtype else ABSENT


def definition(c: Any) -> CustomField:
    return c.field if isinstance(c, Valued) else c


_DEFINITION: dict[str, Any] = {
    "name": lambda ctx, c: definition(c).name,
    "type": lambda ctx, c: definition(c).resource_subtype,
    "resource_subtype": lambda ctx, c: definition(c).resource_subtype,
    "representation_type": lambda ctx, c: "custom_id" if definition(c).id_prefix is not None else definition(c).resource_subtype,
    "id_prefix": lambda ctx, c: ABSENT if definition(c).id_prefix is None else definition(c).id_prefix,
    "enabled": lambda ctx, c: True,
    "enum_options": lambda ctx, c: (
        [custom.shown_option(o) for o in definition(c).enum_options] if "enum" in definition(c).resource_subtype else ABSENT
    ),
    "is_formula_field": lambda ctx, c: False,
    "is_value_read_only": lambda ctx, c: definition(c).id_prefix is not None,
    "description": lambda ctx, c: definition(c).description,
    "precision": _only("number", lambda ctx, c: definition(c).precision),
    "format": lambda ctx, c: "identifier" if definition(c).id_prefix is not None else definition(c).format,
    "currency_code": _only("number", lambda ctx, c: definition(c).currency_code),
    "custom_label": _only("number", lambda ctx, c: definition(c).custom_label),
    "custom_label_position": _only("number", lambda ctx, c: definition(c).custom_label_position),
    "is_global_to_workspace": lambda ctx, c: definition(c).is_global_to_workspace,
    "has_notifications_enabled": lambda ctx, c: definition(c).has_notifications_enabled,
    "asana_created_field": lambda ctx, c: None,
    "created_by": lambda ctx, c: user(ctx, definition(c).created_by),
}  # fmt: skip
_VALUE: dict[str, Any] = {
    "display_value": lambda ctx, c: custom.display(ctx, c.field, c.value),
    "enum_value": _only("enum", lambda ctx, c: _option(c)),
    "multi_enum_values": _only("multi_enum", lambda ctx, c: _options(c)),
    "number_value": _only("number", lambda ctx, c: c.value),
    "text_value": _only("text", lambda ctx, c: c.value),
    "date_value": _only("date", lambda ctx, c: c.value),
    "people_value": _only("people", lambda ctx, c: users(ctx, c.value or [])),
}
_MORE = ("description", "precision", "created_by", "is_formula_field", "is_value_read_only")
_FIELD = ("name", "resource_subtype", "type", "representation_type", "id_prefix", "enabled", "enum_options")

KINDS.update({
    Workspace: Kind("workspace", ["name"], {"name": None, "email_domains": None, "is_organization": None}),
    User: Kind("user", ["name"], {
        "name": None, "email": None, "photo": lambda ctx, u: None,
        "workspaces": lambda ctx, u: [access.workspace(ctx)] if access.active(ctx, u) else [],
    }),
    WorkspaceMembership: Kind("workspace_membership", ["user", "workspace"], {
        "user": lambda ctx, m: user(ctx, m.user), "workspace": lambda ctx, m: ctx.require(Workspace, m.workspace),
        "user_task_list": lambda ctx, m: ctx.db.first(UserTaskList, user=m.user),
        "is_active": None, "is_admin": None, "is_guest": None, "is_view_only": lambda ctx, m: False,
        "vacation_dates": lambda ctx, m: None, "created_at": None,
    }),
    UserTaskList: Kind("user_task_list", ["name"], {
        "name": lambda ctx, x: "My Tasks" if x.user == access.me(ctx).gid else f"{ctx.require(User, x.user).name}'s Tasks",
        "owner": lambda ctx, x: user(ctx, x.user), "workspace": lambda ctx, x: ctx.require(Workspace, x.workspace),
    }),
    Team: Kind("team", ["name"], {
        "name": None, "description": None, "html_description": lambda ctx, t: richtext.html_of(t.description, None),
        "organization": lambda ctx, t: ctx.require(Workspace, t.workspace),
        "permalink_url": lambda ctx, t: f"{SITE}/1/{t.workspace}/team/{t.gid}", "visibility": None,
    }, opt_in=["description", "html_description"]),
    TeamMembership: Kind("team_membership", ["user", "team", "is_guest", "is_limited_access", "is_admin"], {
        "user": lambda ctx, m: user(ctx, m.user), "team": lambda ctx, m: ctx.require(Team, m.team), "is_guest": None,
        "is_limited_access": lambda ctx, m: False, "is_admin": None,
    }),
    Project: Kind("project", ["name"], {
        "name": None, "archived": None, "color": None, "icon": None, "created_at": None,
        "current_status": latest_status, "current_status_update": latest_status,
        "custom_field_settings": lambda ctx, p: custom.settings(ctx, p.gid), "default_view": None, "due_date": lambda ctx, p: p.due_on,
        "due_on": None, "html_notes": lambda ctx, p: richtext.html_of(p.notes, p.html_notes), "members": members_of, "modified_at": None,
        "notes": None, "public": lambda ctx, p: p.privacy_setting == "public_to_workspace", "privacy_setting": None, "start_on": None,
        "default_access_level": None, "minimum_access_level_for_customization": lambda ctx, p: "editor",
        "minimum_access_level_for_sharing": lambda ctx, p: "editor", "custom_fields": custom.valued, "completed": None,
        "completed_at": None, "completed_by": lambda ctx, p: user(ctx, p.completed_by),
        "followers": lambda ctx, p: users(ctx, p.followers), "owner": lambda ctx, p: user(ctx, p.owner),
        "team": lambda ctx, p: ctx.db.get(Team, p.team) if p.team else None,
        "permalink_url": lambda ctx, p: f"{SITE}/1/{p.workspace}/project/{p.gid}",
        "workspace": lambda ctx, p: ctx.require(Workspace, p.workspace),
    }, opt_in=["html_notes"]),
    Section: Kind("section", ["name"], {
        "name": None, "created_at": None, "project": lambda ctx, s: ctx.db.get(Project, s.project),
        "projects": lambda ctx, s: [p for p in [ctx.db.get(Project, s.project)] if p],
    }),
    Task: Kind("task", ["name", "resource_subtype"], {
        "actual_time_minutes": minutes, "approval_status": lambda ctx, t: t.approval_status or ABSENT,
        "assignee": lambda ctx, t: user(ctx, t.assignee), "assignee_status": lambda ctx, t: "inbox",
        "assignee_section": lambda ctx, t: ctx.db.get(Section, t.assignee_section) if t.assignee_section else None,
        "assigned_by": lambda ctx, t: user(ctx, t.assigned_by), "completed": None, "completed_at": None,
        "completed_by": lambda ctx, t: user(ctx, t.completed_by), "created_at": None, "created_by": lambda ctx, t: user(ctx, t.created_by),
        "custom_fields": custom.valued, "dependencies": lambda ctx, t: tasks(ctx, waits_for(ctx, t.gid)),
        "dependents": lambda ctx, t: tasks(ctx, blocks(ctx, t.gid)), "due_at": None, "due_on": None, "external": None,
        "followers": lambda ctx, t: users(ctx, t.followers), "hearted": liked, "hearts": likes,
        "html_notes": lambda ctx, t: richtext.html_of(t.notes, t.html_notes), "is_rendered_as_separator": lambda ctx, t: False,
        "liked": liked, "likes": likes, "memberships": memberships, "modified_at": None, "name": None, "notes": None,
        "num_hearts": lambda ctx, t: len(t.likes), "num_likes": lambda ctx, t: len(t.likes),
        "num_subtasks": lambda ctx, t: ctx.db.count(Task, parent=t.gid),
        "parent": lambda ctx, t: ctx.db.get(Task, t.parent) if t.parent else None,
        "permalink_url": task_link,
        "projects": projects_of, "resource_subtype": None, "start_at": None, "start_on": None,
        "tags": tags_of, "workspace": lambda ctx, t: ctx.require(Workspace, t.workspace),
    }, opt_in=["assigned_by", "created_by", "dependencies", "dependents", "external", "html_notes", "is_rendered_as_separator",
               "num_subtasks"]),
    Tag: Kind("tag", ["name"], {
        "color": None, "created_at": None, "followers": lambda ctx, t: users(ctx, t.followers), "name": None, "notes": None,
        "permalink_url": lambda ctx, t: f"{SITE}/0/{t.gid}/list", "workspace": lambda ctx, t: ctx.require(Workspace, t.workspace),
    }),
    Comment: Kind("story", ["created_at", "created_by", "resource_subtype", "text"], {
        "created_at": None, "created_by": lambda ctx, s: user(ctx, s.created_by), "hearted": liked, "hearts": likes,
        "html_text": lambda ctx, s: richtext.html_of(s.text, s.html_text), "is_editable": lambda ctx, s: s.created_by == access.me(ctx).gid,
        "is_edited": None, "is_pinned": None, "liked": liked, "likes": likes, "num_hearts": lambda ctx, s: len(s.likes),
        "num_likes": lambda ctx, s: len(s.likes), "previews": lambda ctx, s: [], "reaction_summary": lambda ctx, s: [],
        "resource_subtype": lambda ctx, s: "comment_added", "source": lambda ctx, s: "api",
        "sticker_name": lambda ctx, s: s.sticker_name or ABSENT, "target": lambda ctx, s: parent_of(ctx, s.target), "text": None,
        "type": lambda ctx, s: "comment",
    }, opt_in=["html_text"], path="stories"),
    CustomField: Kind("custom_field", _FIELD, _DEFINITION),
    Valued: Kind("custom_field", [*_FIELD, *_MORE, *_VALUE], {**_DEFINITION, **_VALUE}, whole=True),
    CustomFieldSetting: Kind("custom_field_setting", ["custom_field", "is_important", "parent", "project"], {
        "custom_field": lambda ctx, s: ctx.require(CustomField, s.custom_field), "is_important": None,
        "parent": lambda ctx, s: parent_of(ctx, s.parent),
        "project": lambda ctx, s: ctx.db.get(Project, s.parent) if s.kind == "project" else ABSENT,
    }, entire=["custom_field"]),
    Attachment: Kind("attachment", ["name", "resource_subtype"], {
        "connected_to_app": lambda ctx, a: False if a.resource_subtype == "external" else ABSENT, "created_at": None,
        "download_url": lambda ctx, a: f"{ctx.request.base or SITE}/-/asset/{a.gid}" if a.resource_subtype == "asana" else None,
        "host": lambda ctx, a: a.resource_subtype, "name": None, "parent": lambda ctx, a: parent_of(ctx, a.parent),
        "permanent_url": lambda ctx, a: f"{SITE}/app/asana/-/get_asset?asset_id={a.gid}" if a.resource_subtype == "asana" else None,
        "resource_subtype": None, "size": lambda ctx, a: a.size if a.resource_subtype == "asana" else ABSENT,
        "view_url": lambda ctx, a: a.url or f"{SITE}/app/asana/-/get_asset?asset_id={a.gid}",
    }),
    StatusUpdate: Kind("status_update", ["resource_subtype", "title"], {
        "author": lambda ctx, s: user(ctx, s.created_by), "color": lambda ctx, s: STATUS_COLORS[s.status_type], "created_at": None,
        "created_by": lambda ctx, s: user(ctx, s.created_by), "html_text": lambda ctx, s: richtext.html_of(s.text, s.html_text),
        "modified_at": None, "num_likes": lambda ctx, s: 0, "parent": lambda ctx, s: parent_of(ctx, s.parent),
        "resource_subtype": lambda ctx, s: f"{s.kind}_status_update", "status_type": None, "text": None, "title": None,
    }, opt_in=["html_text", "color"], path="status_updates"),
    Portfolio: Kind("portfolio", ["name"], {
        "archived": None, "color": None, "created_at": None, "created_by": lambda ctx, p: user(ctx, p.created_by),
        "current_status_update": latest_status, "custom_field_settings": lambda ctx, p: custom.settings(ctx, p.gid), "due_on": None,
        "members": members_of, "name": None, "owner": lambda ctx, p: user(ctx, p.owner),
        "permalink_url": lambda ctx, p: f"{SITE}/1/{p.workspace}/portfolio/{p.gid}", "public": None,
        "privacy_setting": lambda ctx, p: "public_to_domain" if p.public else "members_only", "start_on": None,
        "workspace": lambda ctx, p: ctx.require(Workspace, p.workspace),
    }, opt_in=["archived"]),
    Membership: Kind("membership", ["parent", "member", "access_level"], {
        "access_level": None, "member": lambda ctx, m: user(ctx, m.member), "parent": lambda ctx, m: parent_of(ctx, m.parent),
        "resource_subtype": lambda ctx, m: f"{m.kind}_membership",
        "user": lambda ctx, m: user(ctx, m.member),
        "project": lambda ctx, m: ctx.db.get(Project, m.parent) if m.kind == "project" else ABSENT,
        "write_access": lambda ctx, m: "full_write" if m.access_level in ("admin", "editor") else "comment_only",
    }),
    Goal: Kind("goal", ["name", "owner"], {
        "current_status_update": latest_status, "due_on": None, "followers": lambda ctx, g: users(ctx, g.followers),
        "html_notes": lambda ctx, g: richtext.html_of(g.notes, g.html_notes), "is_workspace_level": None, "liked": liked, "likes": likes,
        "metric": None, "name": None, "notes": None, "num_likes": lambda ctx, g: len(g.likes),
        "owner": lambda ctx, g: user(ctx, g.owner), "start_on": None, "status": None,
        "team": lambda ctx, g: ctx.db.get(Team, g.team) if g.team else None, "time_period": lambda ctx, g: None,
        "workspace": lambda ctx, g: ctx.require(Workspace, g.workspace),
    }, opt_in=["html_notes"]),
    TimeEntry: Kind("time_tracking_entry", ["duration_minutes", "entered_on", "attributable_to", "created_by"], {
        "attributable_to": lambda ctx, e: ctx.db.get(Project, e.attributable_to) if e.attributable_to else None,
        "billable_status": None, "categories": lambda ctx, e: [], "created_at": None, "created_by": lambda ctx, e: user(ctx, e.created_by),
        "description": None, "duration_minutes": None, "entered_on": None, "task": lambda ctx, e: ctx.db.get(Task, e.task),
    }, path="time_tracking_entries"),
    Job: Kind("job", ["resource_subtype", "status", "new_task", "new_project"], {
        "new_project": lambda ctx, j: ctx.db.get(Project, j.new_project) if j.new_project else None,
        "new_task": lambda ctx, j: ctx.db.get(Task, j.new_task) if j.new_task else None, "resource_subtype": None, "status": None,
    }),
    Webhook: Kind("webhook", ["active", "resource", "target"], {
        "active": None, "created_at": None, "filters": None, "resource": lambda ctx, w: parent_of(ctx, w.resource),
        "target": None, "last_failure_at": lambda ctx, w: None, "last_failure_content": lambda ctx, w: "",
        "last_success_at": lambda ctx, w: w.created_at, "delivery_retry_count": lambda ctx, w: 0,
    }),
})  # fmt: skip


def _told(name: str, cls: Any = None) -> Any:
    """A value that a story of the system holds: as it is, or the object, or the objects, that it names."""

    def get(ctx: Ctx, s: Story) -> Any:
        if name not in s.data:
            return ABSENT
        value = s.data[name]
        if cls is not None and isinstance(value, list):
            return [found for gid in value if (found := ctx.db.get(cls, gid))]
        return ctx.db.get(cls, value) if cls is not None and value else value

    return get


KINDS[Story] = Kind("story", ["created_at", "created_by", "resource_subtype", "text"], {
    "assignee": _told("assignee", User), "created_at": None, "created_by": lambda ctx, s: user(ctx, s.created_by),
    "custom_field": _told("custom_field", CustomField), "dependency": _told("dependency", Task),
    "duplicated_from": _told("duplicated_from", Task), "follower": _told("follower", User),
    "html_text": lambda ctx, s: richtext.html_of(s.text, None), "is_editable": lambda ctx, s: False,
    "is_edited": lambda ctx, s: False, "is_pinned": None, "new_approval_status": _told("new_approval_status"),
    "new_dates": _told("new_dates"), "new_enum_value": _told("new_enum_value"), "new_name": _told("new_name"),
    "new_number_value": _told("new_number_value"), "new_section": _told("new_section", Section), "new_text_value": _told("new_text_value"),
    "old_approval_status": _told("old_approval_status"), "old_dates": _told("old_dates"), "old_enum_value": _told("old_enum_value"),
    "old_name": _told("old_name"), "old_number_value": _told("old_number_value"), "old_section": _told("old_section", Section),
    "old_text_value": _told("old_text_value"), "old_multi_enum_values": _told("old_multi_enum_values"),
    "new_multi_enum_values": _told("new_multi_enum_values"), "old_people_value": _told("old_people_value", User),
    "new_people_value": _told("new_people_value", User), "old_date_value": _told("old_date_value"),
    "new_date_value": _told("new_date_value"), "hearted": lambda ctx, s: False, "hearts": lambda ctx, s: [],
    "liked": lambda ctx, s: False, "likes": lambda ctx, s: [], "num_hearts": lambda ctx, s: 0, "num_likes": lambda ctx, s: 0,
    "previews": lambda ctx, s: [], "reaction_summary": lambda ctx, s: [], "project": _told("project", Project), "resource_subtype": None,
    "source": lambda ctx, s: "api", "tag": _told("tag", Tag), "target": lambda ctx, s: parent_of(ctx, s.target),
    "task": _told("task", Task), "text": None, "type": lambda ctx, s: "system",
}, opt_in=["html_text"], path="stories")  # fmt: skip


def waits_for(ctx: Ctx, gid: str) -> list[str]:
    return [d.depends_on for d in ctx.db.find(Dependency, task=gid)]


def blocks(ctx: Ctx, gid: str) -> list[str]:
    return [d.task for d in ctx.db.find(Dependency, depends_on=gid)]


def items_of(ctx: Ctx, portfolio: str) -> list[Project]:
    return [
        ctx.require(Project, i.project) for i in ctx.db.find(PortfolioItem, portfolio=portfolio, order="place,project")
    ]
