"""GitHub's resources as tables. https://docs.github.com/en/rest?apiVersion=2022-11-28

Git objects are kept as git keeps them: addressed by the SHA-1 of their canonical bytes, per repository. Blobs and trees are
derived tables: the commit that names a tree pins all of its content, so the commit's row says it all.
"""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Index, Row, registry

Side = Literal["LEFT", "RIGHT"]
RunStatus = Literal["queued", "in_progress", "completed"]
Conclusion = Literal["success", "failure", "cancelled"]
Permission = Literal["pull", "triage", "push", "maintain", "admin"]


class Table(Row, registry=registry()): ...


class Account(Table, table=True):
    """A user or the organisation; `org_role` is a user's standing in the organisation, empty for outsiders.

    `given_name` is the part of `name` that canonical people have as their first name; the API does not show it.
    """

    id: int = Field(primary_key=True)
    login: str = Field(index=True)
    type: Literal["User", "Organization"] = "User"
    name: str | None = None
    given_name: str = ""
    email: str | None = None
    company: str | None = None
    blog: str = ""
    location: str | None = None
    bio: str | None = None
    org_role: Literal["", "member", "admin"] = ""
    suspended: bool = False
    default_repository_permission: Literal["none", "read", "write", "admin"] = "write"
    created_at: str
    updated_at: str = Field(derived=True)


class Repository(Table, table=True):
    """`language` is the one the owner declared; without it the largest by bytes is shown."""

    id: int = Field(primary_key=True)
    owner_id: int = Field(foreign_key="account.id", index=True)
    name: str
    description: str | None = None
    homepage: str | None = None
    private: bool = False
    archived: bool = False
    fork_of: int | None = None
    is_template: bool = False
    default_branch: str = "main"
    language: str | None = None
    topics: list[str] = []
    has_issues: bool = True
    has_projects: bool = True
    has_wiki: bool = True
    has_discussions: bool = False
    allow_squash_merge: bool = True
    allow_merge_commit: bool = True
    allow_rebase_merge: bool = True
    allow_auto_merge: bool = False
    allow_update_branch: bool = False
    delete_branch_on_merge: bool = False
    created_at: str
    updated_at: str = Field(derived=True)
    pushed_at: str = Field(derived=True)


class Collaborator(Table, table=True):
    repository_id: int = Field(primary_key=True, foreign_key="repository.id")
    user_id: int = Field(primary_key=True, foreign_key="account.id")
    permission: Permission = "push"


class Star(Table, table=True):
    repository_id: int = Field(primary_key=True, foreign_key="repository.id")
    user_id: int = Field(primary_key=True, foreign_key="account.id")
    starred_at: str


class Blob(Table, table=True):
    """A file's bytes: as text where they are UTF-8, else in Base64."""

    derived_table: ClassVar[bool] = True
    repository_id: int = Field(primary_key=True)
    sha: str = Field(primary_key=True)
    size: int
    binary: bool = False
    content: str


class Tree(Table, table=True):
    """`entries`: (mode, name, sha) in git's order."""

    derived_table: ClassVar[bool] = True
    repository_id: int = Field(primary_key=True)
    sha: str = Field(primary_key=True)
    entries: list[list[str]]


class Commit(Table, table=True):
    """`branch` is the branch the commit was first pushed to, empty while none has it; `paths` is what it was said to change."""

    repository_id: int = Field(primary_key=True, foreign_key="repository.id")
    sha: str = Field(primary_key=True)
    tree: str
    parents: list[str]
    message: str
    author_name: str
    author_email: str
    author_date: str
    committer_name: str
    committer_email: str
    committer_date: str
    author_id: int | None = None
    committer_id: int | None = None
    branch: str = ""
    paths: list[str] = []


class TagObject(Table, table=True):
    repository_id: int = Field(primary_key=True, foreign_key="repository.id")
    sha: str = Field(primary_key=True)
    tag: str
    message: str
    object_sha: str
    object_type: str
    tagger_name: str
    tagger_email: str
    tagger_date: str


class Ref(Table, table=True):
    """`name` is the full one: refs/heads/main."""

    repository_id: int = Field(primary_key=True, foreign_key="repository.id")
    name: str = Field(primary_key=True)
    sha: str


class Protection(Table, table=True):
    """A branch's protection; `reviews`, `checks` and `restrictions` are None where that rule is off."""

    repository_id: int = Field(primary_key=True, foreign_key="repository.id")
    branch: str = Field(primary_key=True)
    reviews: dict[str, Any] | None = None
    checks: dict[str, Any] | None = None
    restrictions: dict[str, Any] | None = None
    enforce_admins: bool = False
    required_linear_history: bool = False
    allow_force_pushes: bool = False
    allow_deletions: bool = False
    required_conversation_resolution: bool = False


class Status(Table, table=True):
    id: int = Field(primary_key=True)
    repository_id: int = Field(foreign_key="repository.id", index=True)
    sha: str
    state: Literal["error", "failure", "pending", "success"]
    context: str = "default"
    description: str | None = None
    target_url: str | None = None
    creator_id: int = Field(foreign_key="account.id")
    created_at: str


class Label(Table, table=True):
    id: int = Field(primary_key=True)
    repository_id: int = Field(foreign_key="repository.id", index=True)
    name: str
    color: str
    description: str | None = None
    default: bool = False


class Milestone(Table, table=True):
    id: int = Field(primary_key=True)
    repository_id: int = Field(foreign_key="repository.id", index=True)
    number: int
    title: str
    description: str | None = None
    state: Literal["open", "closed"] = "open"
    due_on: str | None = None
    creator_id: int = Field(foreign_key="account.id")
    created_at: str
    updated_at: str = Field(derived=True)
    closed_at: str | None = None


class Issue(Table, table=True):
    """An issue, or the conversation of a pull request (`is_pull`). `labels` and `assignees` are ids."""

    __table_args__ = (
        Index("ix_issue_number", "repository_id", "number", unique=True),
        Index("ix_issue_created", "repository_id", "created_at", "id"),
    )
    id: int = Field(primary_key=True)
    repository_id: int = Field(foreign_key="repository.id", index=True)
    number: int
    is_pull: bool = False
    title: str
    body: str | None = None
    user_id: int = Field(foreign_key="account.id")
    state: Literal["open", "closed"] = "open"
    state_reason: Literal["completed", "not_planned", "duplicate", "reopened"] | None = None
    locked: bool = False
    active_lock_reason: Literal["off-topic", "too heated", "resolved", "spam"] | None = None
    milestone_id: int | None = Field(default=None, foreign_key="milestone.id")
    labels: list[int] = []
    assignees: list[int] = []
    parent_id: int | None = None
    sub_issues: list[int] = []
    created_at: str
    updated_at: str = Field(derived=True)
    closed_at: str | None = None
    closed_by: int | None = None


class Pull(Table, table=True):
    """What a pull request has beside its issue. The shas follow the branches until it is closed."""

    id: int = Field(primary_key=True)
    issue_id: int = Field(foreign_key="issue.id", index=True)
    repository_id: int = Field(foreign_key="repository.id", index=True)
    number: int
    head_repository_id: int
    head_ref: str
    head_sha: str = Field(derived=True)
    base_ref: str
    base_sha: str = Field(derived=True)
    draft: bool = False
    merged: bool = False
    merged_at: str | None = None
    merged_by: int | None = None
    merge_commit_sha: str | None = None
    requested_reviewers: list[int] = []
    maintainer_can_modify: bool = False


class Comment(Table, table=True):
    id: int = Field(primary_key=True)
    issue_id: int = Field(foreign_key="issue.id", index=True)
    user_id: int = Field(foreign_key="account.id")
    body: str
    created_at: str
    updated_at: str = Field(derived=True)


class Review(Table, table=True):
    id: int = Field(primary_key=True)
    pull_id: int = Field(foreign_key="pull.id", index=True)
    user_id: int = Field(foreign_key="account.id")
    body: str = ""
    state: Literal["PENDING", "APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"]
    commit_id: str
    submitted_at: str | None = None


class ReviewComment(Table, table=True):
    """A comment on the diff. The first of a thread says who resolved it, if someone did."""

    id: int = Field(primary_key=True)
    pull_id: int = Field(foreign_key="pull.id", index=True)
    review_id: int = Field(foreign_key="review.id", index=True)
    user_id: int = Field(foreign_key="account.id")
    body: str
    path: str
    commit_id: str
    subject_type: Literal["line", "file"] = "line"
    line: int | None = None
    side: Side = "RIGHT"
    start_line: int | None = None
    start_side: Side | None = None
    diff_hunk: str = ""
    in_reply_to_id: int | None = None
    resolved_by: int | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class Reaction(Table, table=True):
    """`subject` is the kind and id of what was reacted to: issue:5, comment:9, review_comment:3."""

    id: int = Field(primary_key=True)
    subject: str = Field(index=True)
    user_id: int = Field(foreign_key="account.id")
    content: Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]
    created_at: str


class Event(Table, table=True):
    """What happened to an issue or pull request, in order."""

    derived_table: ClassVar[bool] = True
    id: int = Field(primary_key=True)
    issue_id: int = Field(index=True)
    actor_id: int
    event: str
    detail: dict[str, Any] = {}
    commit_id: str | None = None
    created_at: str


class Release(Table, table=True):
    id: int = Field(primary_key=True)
    repository_id: int = Field(foreign_key="repository.id", index=True)
    tag_name: str
    target_commitish: str
    name: str | None = None
    body: str | None = None
    draft: bool = False
    prerelease: bool = False
    make_latest: Literal["true", "false", "legacy"] = "true"
    author_id: int = Field(foreign_key="account.id")
    created_at: str
    published_at: str | None = None


class Workflow(Table, table=True):
    """A workflow file of the default branch; `alias` is what a world's runs call it."""

    id: int = Field(primary_key=True)
    repository_id: int = Field(foreign_key="repository.id", index=True)
    path: str
    name: str
    alias: str = ""
    state: Literal["active", "deleted", "disabled_manually"] = "active"
    created_at: str
    updated_at: str = Field(derived=True)


class Run(Table, table=True):
    id: int = Field(primary_key=True)
    workflow_id: int = Field(foreign_key="workflow.id", index=True)
    repository_id: int = Field(foreign_key="repository.id", index=True)
    run_number: int
    run_attempt: int = 1
    event: str
    status: RunStatus
    conclusion: Conclusion | None = None
    head_branch: str
    head_sha: str
    display_title: str
    actor_id: int = Field(foreign_key="account.id")
    inputs: dict[str, Any] = {}
    created_at: str
    run_started_at: str
    updated_at: str = Field(derived=True)


class Job(Table, table=True):
    """A job of one attempt of a run. Jobs follow their run."""

    derived_table: ClassVar[bool] = True
    id: int = Field(primary_key=True)
    run_id: int = Field(index=True)
    run_attempt: int
    name: str
    status: str
    conclusion: str | None = None
    steps: list[dict[str, Any]] = []
    started_at: str
    completed_at: str | None = None


class Gist(Table, table=True):
    """`files`: content by file name."""

    id: str = Field(primary_key=True)
    owner_id: int = Field(foreign_key="account.id", index=True)
    description: str | None = None
    public: bool = False
    files: dict[str, str]
    created_at: str
    updated_at: str = Field(derived=True)
