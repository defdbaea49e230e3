"""Jira's tables. What an administrator configures (statuses, priorities, workflows) is in `site`. Times are UTC, to the second."""

from typing import Any, ClassVar

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()):
    """The base of Jira's tables."""


class Site(Table, table=True):
    """The one row about the site itself."""

    id: int = Field(primary_key=True)
    name: str
    base_url: str


class User(Table, table=True):
    """An Atlassian account. What is behind `displayName` comes from its profile."""

    accountId: str = Field(primary_key=True)
    accountType: str = "atlassian"
    emailAddress: str
    displayName: str
    active: bool = True
    timeZone: str = "UTC"
    first_name: str = ""
    last_name: str = ""
    nickname: str = ""
    job_title: str = ""
    department: str = ""
    manager: str = ""
    phone: str = ""
    city: str = ""
    country: str = ""
    start_date: str = ""
    admin: bool = False


class Group(Table, table=True):
    groupId: str = Field(primary_key=True)
    name: str = Field(unique=True)


class GroupMember(Table, table=True):
    groupId: str = Field(primary_key=True, foreign_key="group.groupId")
    accountId: str = Field(primary_key=True, foreign_key="user.accountId")


class Project(Table, table=True):
    """`last_number` is that of the newest issue: numbers of deleted issues are not given again."""

    id: int = Field(primary_key=True)
    key: str = Field(unique=True)
    name: str
    description: str = ""
    lead: str | None = Field(None, foreign_key="user.accountId")
    projectTypeKey: str = "software"
    assigneeType: str = "UNASSIGNED"
    url: str = ""
    archived: bool = False
    created: str
    last_number: int = Field(0, derived=True)


class ProjectMember(Table, table=True):
    """Who is in the project's role "Member"."""

    project_id: int = Field(primary_key=True, foreign_key="project.id")
    accountId: str = Field(primary_key=True, foreign_key="user.accountId")
    position: int = 0


class Component(Table, table=True):
    id: int = Field(primary_key=True)
    project_id: int = Field(foreign_key="project.id", index=True)
    name: str
    description: str = ""
    lead: str | None = Field(None, foreign_key="user.accountId")
    assigneeType: str = "PROJECT_DEFAULT"


class Version(Table, table=True):
    id: int = Field(primary_key=True)
    project_id: int = Field(foreign_key="project.id", index=True)
    name: str
    description: str = ""
    archived: bool = False
    released: bool = False
    startDate: str | None = None
    releaseDate: str | None = None
    position: int = 0


class Issue(Table, table=True):
    """Texts are Markdown; beside one is the Atlassian document where Markdown does not say all of it. Durations are in seconds."""

    id: int = Field(primary_key=True)
    key: str = Field(unique=True)
    number: int
    project_id: int = Field(foreign_key="project.id", index=True)
    issuetype: int
    summary: str
    description: str = ""
    description_adf: dict[str, Any] | None = None
    environment: str = ""
    environment_adf: dict[str, Any] | None = None
    status: int
    priority: int | None = None
    resolution: int | None = None
    resolutiondate: str | None = None
    assignee: str | None = Field(None, foreign_key="user.accountId", index=True)
    reporter: str | None = Field(None, foreign_key="user.accountId")
    creator: str | None = Field(None, foreign_key="user.accountId")
    created: str
    updated: str = Field(derived=True)
    duedate: str | None = None
    parent: int | None = Field(None, foreign_key="issue.id", index=True)
    labels: list[str] = []
    components: list[int] = []
    fixVersions: list[int] = []
    versions: list[int] = []
    sprints: list[int] = []
    story_points: float | None = None
    timeoriginalestimate: int | None = None
    timeestimate: int | None = None
    timespent: int | None = Field(default=None, derived=True)
    statuscategorychangedate: str = Field(derived=True)
    rank: float


class Comment(Table, table=True):
    id: int = Field(primary_key=True)
    issue_id: int = Field(foreign_key="issue.id", index=True)
    author: str | None = Field(None, foreign_key="user.accountId")
    updateAuthor: str | None = Field(None, foreign_key="user.accountId")
    body: str
    body_adf: dict[str, Any] | None = None
    created: str
    updated: str = Field(derived=True)
    visibility: dict[str, Any] | None = None


class Worklog(Table, table=True):
    id: int = Field(primary_key=True)
    issue_id: int = Field(foreign_key="issue.id", index=True)
    author: str = Field(foreign_key="user.accountId")
    updateAuthor: str = Field(foreign_key="user.accountId")
    comment: str = ""
    comment_adf: dict[str, Any] | None = None
    started: str
    timeSpentSeconds: int
    created: str
    updated: str = Field(derived=True)
    visibility: dict[str, Any] | None = None


class IssueLink(Table, table=True):
    """`inward` is the issue that the type's outward words start from: inward "blocks" outward."""

    id: int = Field(primary_key=True)
    type: int
    inward: int = Field(foreign_key="issue.id", index=True)
    outward: int = Field(foreign_key="issue.id", index=True)


class RemoteLink(Table, table=True):
    id: int = Field(primary_key=True)
    issue_id: int = Field(foreign_key="issue.id", index=True)
    globalId: str | None = None
    relationship: str | None = None
    url: str
    title: str
    summary: str = ""


class Attachment(Table, table=True):
    """`content` is base64."""

    id: int = Field(primary_key=True)
    issue_id: int = Field(foreign_key="issue.id", index=True)
    filename: str
    author: str = Field(foreign_key="user.accountId")
    created: str
    size: int
    mimeType: str
    content: str


class Watcher(Table, table=True):
    issue_id: int = Field(primary_key=True, foreign_key="issue.id")
    accountId: str = Field(primary_key=True, foreign_key="user.accountId")


class Vote(Table, table=True):
    issue_id: int = Field(primary_key=True, foreign_key="issue.id")
    accountId: str = Field(primary_key=True, foreign_key="user.accountId")


class IssueProperty(Table, table=True):
    issue_id: int = Field(primary_key=True, foreign_key="issue.id")
    key: str = Field(primary_key=True)
    value: dict[str, Any]


class Changelog(Table, table=True):
    """An issue's history: follows from what was done to it."""

    derived_table: ClassVar[bool] = True
    id: int = Field(primary_key=True)
    issue_id: int = Field(foreign_key="issue.id", index=True)
    author: str | None = Field(None, foreign_key="user.accountId")
    created: str
    items: list[dict[str, Any]]


class Filter(Table, table=True):
    id: int = Field(primary_key=True)
    name: str
    description: str = ""
    owner: str = Field(foreign_key="user.accountId")
    jql: str
    favourites: list[str] = []
    sharePermissions: list[dict[str, Any]] = []


class Board(Table, table=True):
    id: int = Field(primary_key=True)
    name: str
    type: str
    filter_id: int = Field(foreign_key="filter.id")
    project_id: int | None = Field(None, foreign_key="project.id")


class Sprint(Table, table=True):
    id: int = Field(primary_key=True)
    board_id: int = Field(foreign_key="board.id", index=True)
    name: str
    state: str = "future"
    goal: str = ""
    startDate: str | None = None
    endDate: str | None = None
    completeDate: str | None = None
    createdDate: str
