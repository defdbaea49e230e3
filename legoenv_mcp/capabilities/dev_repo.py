"""Code hosting: repositories with their commits, issues and pull requests."""

from abc import abstractmethod
from typing import ClassVar, Literal

from pydantic import BaseModel

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks
from legoenv_mcp.capabilities.people import Person


class FileChange(BaseModel, frozen=True, extra="forbid"):
    """One file of a commit; `content` None deletes it."""

    path: str
    content: str | None = None


class Label(BaseModel, frozen=True, extra="forbid"):
    name: str
    color: str = "ededed"
    description: str = ""


class Milestone(BaseModel, frozen=True, extra="forbid"):
    title: str
    description: str = ""
    due: str = ""
    closed: bool = False


class Comment(BaseModel, frozen=True, extra="forbid"):
    """`author` is a Person's key."""

    author: str
    at: str
    body: str


class Review(BaseModel, frozen=True, extra="forbid"):
    author: str
    at: str
    state: Literal["approved", "changes_requested", "commented"] = "commented"
    body: str = ""


class Repository(Entity):
    """A repository of the company's organisation. `languages` is the main language first."""

    name: str
    description: str = ""
    private: bool = True
    archived: bool = False
    default_branch: str = "main"
    language: str = ""
    topics: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    milestones: tuple[Milestone, ...] = ()
    created: str = ""


class Commit(Entity):
    """A commit on `branch` (made from the default branch's head where it does not exist yet). `repo` is a Repository's key."""

    repo: str
    branch: str = "main"
    author: str
    at: str
    message: str
    changes: tuple[FileChange, ...]


class Issue(Entity):
    """`number` is the one shared by issues and pull requests of the repository; people are Person keys."""

    repo: str
    number: int
    title: str
    body: str = ""
    author: str
    assignees: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    milestone: str = ""
    state: Literal["open", "closed"] = "open"
    reason: Literal["", "completed", "not_planned"] = ""
    created: str = ""
    closed: str = ""
    comments: tuple[Comment, ...] = ()


class PullRequest(Entity):
    """`head` and `base` are branches; a merged one's commits are in both."""

    repo: str
    number: int
    title: str
    body: str = ""
    author: str
    head: str
    base: str = "main"
    reviewers: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    milestone: str = ""
    draft: bool = False
    state: Literal["open", "closed", "merged"] = "open"
    created: str = ""
    closed: str = ""
    comments: tuple[Comment, ...] = ()
    reviews: tuple[Review, ...] = ()


class Release(Entity):
    repo: str
    tag: str
    name: str = ""
    body: str = ""
    author: str
    draft: bool = False
    prerelease: bool = False
    created: str = ""


class Run(Entity):
    """One run of a workflow on a branch."""

    repo: str
    workflow: str
    branch: str = "main"
    event: str = "push"
    actor: str
    status: Literal["queued", "in_progress", "completed"] = "completed"
    conclusion: Literal["", "success", "failure", "cancelled"] = "success"
    created: str = ""


class DevRepo(Capability):
    name = "dev_repo"
    entities: ClassVar[tuple[type[Entity], ...]] = (Person, Repository, Commit, Issue, PullRequest, Release, Run)

    @abstractmethod
    def find_repository(self, text: str) -> Plan: ...
    @abstractmethod
    def get_file(self, repo: str, path: str) -> Plan: ...
    @abstractmethod
    def commit_file(self, repo: str, branch: str, path: str, content: str, message: str) -> Plan: ...
    @abstractmethod
    def create_branch(self, repo: str, branch: str) -> Plan: ...
    @abstractmethod
    def create_issue(self, repo: str, title: str, body: str) -> Plan: ...
    @abstractmethod
    def list_issues(self, repo: str) -> Plan: ...
    def list_releases(self, repo: str) -> Plan:
        return lacks(self, "list_releases")

    @abstractmethod
    def open_pull_request(self, repo: str, head: str, base: str, title: str, body: str) -> Plan: ...
    @abstractmethod
    def list_pull_requests(self, repo: str) -> Plan: ...
    @abstractmethod
    def merge_pull_request(self, repo: str, number: int) -> Plan: ...
    @abstractmethod
    def comment_on_pull_request(self, repo: str, number: int, body: str) -> Plan: ...
    @abstractmethod
    def run_pipeline(self, repo: str, workflow: str, branch: str) -> Plan: ...
