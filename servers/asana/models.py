"""Asana's objects as tables. https://developers.asana.com/docs/object-hierarchy

References are gids. Lists of references that the product itself keeps as plain sets (followers, tags, likes) are JSON columns.
"""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()):
    """The base of Asana's tables."""


class Workspace(Table, table=True):
    """An organization. `premium` is its plan: search and custom fields need one."""

    gid: str = Field(primary_key=True)
    name: str
    email_domains: list[str] = Field(default_factory=list)
    is_organization: bool = True
    premium: bool = True


class User(Table, table=True):
    """A person. `last_name` says where the full name divides; title and department are the profile's."""

    gid: str = Field(primary_key=True)
    name: str
    last_name: str = ""
    email: str = Field(index=True)
    title: str = ""
    department: str = ""


class WorkspaceMembership(Table, table=True):
    """That somebody is, or was, in the workspace."""

    __tablename__ = "workspace_membership"  # pyright: ignore[reportAssignmentType]
    gid: str = Field(primary_key=True)
    user: str = Field(index=True)
    workspace: str
    is_active: bool = True
    is_admin: bool = False
    is_guest: bool = False
    created_at: str


class UserTaskList(Table, table=True):
    """Somebody's My Tasks."""

    __tablename__ = "user_task_list"  # pyright: ignore[reportAssignmentType]
    gid: str = Field(primary_key=True)
    user: str = Field(unique=True)
    workspace: str


class Team(Table, table=True):
    """A team of the organization."""

    gid: str = Field(primary_key=True)
    name: str
    description: str = ""
    workspace: str
    visibility: Literal["secret", "request_to_join", "public"] = "public"


class TeamMembership(Table, table=True):
    """A member of a team."""

    __tablename__ = "team_membership"  # pyright: ignore[reportAssignmentType]
    gid: str = Field(primary_key=True)
    team: str = Field(index=True)
    user: str = Field(index=True)
    is_admin: bool = False
    is_guest: bool = False


Color = Literal[
    "dark-pink", "dark-green", "dark-blue", "dark-red", "dark-teal", "dark-brown", "dark-orange", "dark-purple", "dark-warm-gray",
    "light-pink", "light-green", "light-blue", "light-red", "light-teal", "light-brown", "light-orange", "light-purple",
    "light-warm-gray", "none",
]  # fmt: skip
AccessLevel = Literal["admin", "editor", "commenter", "viewer"]


class Project(Table, table=True):
    """A project. `custom` are its own values of the custom fields of portfolios, by field."""

    gid: str = Field(primary_key=True)
    name: str
    notes: str = ""
    html_notes: str | None = None
    archived: bool = False
    color: str | None = None
    icon: str | None = None
    default_view: str = "list"
    privacy_setting: Literal["public_to_workspace", "private_to_team", "private"] = "public_to_workspace"
    default_access_level: str = "editor"
    team: str | None = Field(default=None, index=True)
    workspace: str
    owner: str | None = None
    followers: list[str] = Field(default_factory=list)
    due_on: str | None = None
    start_on: str | None = None
    completed: bool = False
    completed_at: str | None = Field(default=None, derived=True)
    completed_by: str | None = Field(default=None, derived=True)
    custom: dict[str, Any] = Field(default_factory=dict)
    created_at: str
    modified_at: str = Field(derived=True)


class Membership(Table, table=True):
    """A member of a project, portfolio or goal."""

    gid: str = Field(primary_key=True)
    parent: str = Field(index=True)
    kind: Literal["project", "portfolio", "goal"]
    member: str = Field(index=True)
    access_level: AccessLevel = "editor"
    place: float = Field(default=0.0, derived=True)


class Section(Table, table=True):
    """A section of a project, or of somebody's My Tasks; `place` orders them."""

    gid: str = Field(primary_key=True)
    name: str
    project: str = Field(index=True)
    place: float
    created_at: str


class Task(Table, table=True):
    """A task. `custom` are its values of custom fields, by field; `place` orders the subtasks of a parent."""

    gid: str = Field(primary_key=True)
    name: str = ""
    notes: str = ""
    html_notes: str | None = None
    resource_subtype: Literal["default_task", "milestone", "approval"] = "default_task"
    approval_status: Literal["pending", "approved", "rejected", "changes_requested"] | None = None
    completed: bool = Field(default=False, index=True)
    completed_at: str | None = Field(default=None, derived=True)
    completed_by: str | None = Field(default=None, derived=True)
    assignee: str | None = Field(default=None, index=True)
    assignee_section: str | None = Field(default=None, derived=True)
    assigned_by: str | None = Field(default=None, derived=True)
    due_on: str | None = None
    due_at: str | None = None
    start_on: str | None = None
    start_at: str | None = None
    parent: str | None = Field(default=None, index=True)
    place: float = Field(default=0.0)
    workspace: str
    followers: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    likes: list[str] = Field(default_factory=list)
    external: dict[str, Any] | None = None
    custom: dict[str, Any] = Field(default_factory=dict)
    created_by: str | None = None
    created_at: str
    modified_at: str = Field(derived=True)


class TaskProject(Table, table=True):
    """That a task is in a section of a project; `place` orders the tasks of the section."""

    __tablename__ = "task_project"  # pyright: ignore[reportAssignmentType]
    task: str = Field(primary_key=True)
    project: str = Field(primary_key=True, index=True)
    section: str = Field(index=True)
    place: float


class Dependency(Table, table=True):
    """That a task waits for another."""

    task: str = Field(primary_key=True)
    depends_on: str = Field(primary_key=True, index=True)


class Tag(Table, table=True):
    """A tag of the workspace."""

    gid: str = Field(primary_key=True)
    name: str
    color: str | None = None
    notes: str = ""
    followers: list[str] = Field(default_factory=list)
    workspace: str
    created_at: str


class Comment(Table, table=True):
    """A story that somebody wrote, on a task or a goal: the only kind that is edited. `n` orders stories of one moment."""

    gid: str = Field(primary_key=True)
    target: str = Field(index=True)
    text: str
    html_text: str | None = None
    created_by: str
    created_at: str
    n: int = Field(derived=True)
    is_pinned: bool = False
    is_edited: bool = False
    sticker_name: str | None = None
    likes: list[str] = Field(default_factory=list)


class Story(Table, table=True):
    """A story that Asana itself tells of what was done; `data` are the old and new values."""

    derived_table: ClassVar[bool] = True
    gid: str = Field(primary_key=True)
    target: str = Field(index=True)
    resource_subtype: str
    text: str
    created_by: str | None
    created_at: str
    n: int
    is_pinned: bool = False
    data: dict[str, Any] = Field(default_factory=dict)


class CustomField(Table, table=True):
    """A custom field. `last_number` is the last one given out by an ID field."""

    __tablename__ = "custom_field"  # pyright: ignore[reportAssignmentType]
    gid: str = Field(primary_key=True)
    name: str
    resource_subtype: Literal["text", "enum", "multi_enum", "number", "date", "people"]
    description: str = ""
    enum_options: list[dict[str, Any]] = Field(default_factory=list)
    precision: int | None = None
    format: str = "none"
    currency_code: str | None = None
    custom_label: str | None = None
    custom_label_position: str | None = None
    id_prefix: str | None = None
    is_global_to_workspace: bool = True
    has_notifications_enabled: bool = False
    workspace: str
    created_by: str | None = None
    last_number: int = Field(default=0, derived=True)


class CustomFieldSetting(Table, table=True):
    """That a custom field is on a project or portfolio."""

    __tablename__ = "custom_field_setting"  # pyright: ignore[reportAssignmentType]
    gid: str = Field(primary_key=True)
    parent: str = Field(index=True)
    kind: Literal["project", "portfolio"]
    custom_field: str = Field(index=True)
    is_important: bool = False
    place: float


class Attachment(Table, table=True):
    """A file (its content in base64) or a link on a task or project."""

    gid: str = Field(primary_key=True)
    parent: str = Field(index=True)
    name: str
    resource_subtype: Literal["asana", "external"] = "asana"
    url: str | None = None
    size: int | None = None
    content_type: str = ""
    content: str = ""
    created_by: str | None = None
    created_at: str


class StatusUpdate(Table, table=True):
    """A status update of a project, portfolio or goal."""

    __tablename__ = "status_update"  # pyright: ignore[reportAssignmentType]
    gid: str = Field(primary_key=True)
    parent: str = Field(index=True)
    kind: Literal["project", "portfolio", "goal"]
    title: str
    text: str
    html_text: str | None = None
    status_type: str
    created_by: str
    created_at: str
    modified_at: str = Field(derived=True)


class Portfolio(Table, table=True):
    """A portfolio: a list of projects."""

    gid: str = Field(primary_key=True)
    name: str
    color: str | None = None
    archived: bool = False
    owner: str
    created_by: str
    workspace: str
    public: bool = False
    start_on: str | None = None
    due_on: str | None = None
    created_at: str


class PortfolioItem(Table, table=True):
    """That a project is in a portfolio."""

    __tablename__ = "portfolio_item"  # pyright: ignore[reportAssignmentType]
    portfolio: str = Field(primary_key=True)
    project: str = Field(primary_key=True, index=True)
    place: float


class Goal(Table, table=True):
    """A goal, with its metric."""

    gid: str = Field(primary_key=True)
    name: str
    notes: str = ""
    html_notes: str | None = None
    due_on: str | None = None
    start_on: str | None = None
    status: str | None = None
    is_workspace_level: bool = False
    team: str | None = None
    workspace: str
    owner: str | None = None
    followers: list[str] = Field(default_factory=list)
    likes: list[str] = Field(default_factory=list)
    metric: dict[str, Any] | None = None
    created_at: str


class TimeEntry(Table, table=True):
    """Time that somebody spent on a task."""

    __tablename__ = "time_tracking_entry"  # pyright: ignore[reportAssignmentType]
    gid: str = Field(primary_key=True)
    task: str = Field(index=True)
    duration_minutes: int
    entered_on: str
    description: str = ""
    billable_status: str = "notApplicable"
    attributable_to: str | None = None
    created_by: str
    created_at: str


class Job(Table, table=True):
    """What was done behind the scenes: duplicating."""

    derived_table: ClassVar[bool] = True
    gid: str = Field(primary_key=True)
    resource_subtype: str
    status: str = "succeeded"
    new_task: str | None = None
    new_project: str | None = None


class Event(Table, table=True):
    """A change, as events report it: `scope` names the resources whose events it is among."""

    derived_table: ClassVar[bool] = True
    n: int | None = Field(default=None, primary_key=True)
    scope: list[str]
    resource: str
    kind: str
    action: Literal["changed", "added", "removed", "deleted", "undeleted"]
    user: str | None
    parent: dict[str, Any] | None = None
    change: dict[str, Any] | None = None
    gone: dict[str, Any] | None = None
    created_at: str


class Webhook(Table, table=True):
    """An address that is told of changes. Nothing is sent from here."""

    gid: str = Field(primary_key=True)
    resource: str
    target: str
    active: bool = True
    filters: list[dict[str, Any]] = Field(default_factory=list)
    workspace: str
    created_at: str
