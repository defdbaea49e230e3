"""What each search's qualifiers mean. https://docs.github.com/en/search-github/searching-on-github"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from legoenv_mcp.app import ApiError, Ctx

from . import query
from .accounts import account, find_repository, full_name, may, me
from .checks import approvals, overall
from .models import Account, Issue, Label, Milestone, Pull, Reaction, Repository, Review
from .query import Qualifier, Value, date, mentions, number
from .resources import repo_json

Test = Callable[[Value], bool]
UNSEARCHABLE = (
    "The listed users and repositories cannot be searched either because the resources do not exist or you do not "
    "have permission to view them."
)
PEOPLE = {
    "author",
    "assignee",
    "commenter",
    "mentions",
    "involves",
    "review-requested",
    "reviewed-by",
    "user-review-requested",
}
ISSUE_WORDS = {
    "repo", "user", "org", "is", "type", "state", "label", "milestone", "no", "in", "sort", "created", "updated", "closed", "merged",
    "comments",
    "head", "base", "status", "review", "draft", "reason", "archived", "language", "reactions", "interactions", *PEOPLE,
}  # fmt: skip
ISSUE_CHOICES = {
    "is": {"open", "closed", "merged", "unmerged", "issue", "pr", "pull-request", "draft", "public", "private", "locked", "unlocked",
    "queued"},
    "type": {"issue", "pr", "pull-request"}, "state": {"open", "closed"}, "no": {"label", "milestone", "assignee", "project"},
    "in": {"title", "body", "comments"}, "review": {"none", "required", "approved", "changes_requested"}, "draft": {"true", "false"},
    "status": {"pending", "success", "failure"},
    "archived": {"true", "false"}, "reason": {"completed", "not planned", "not_planned", "duplicate", "reopened"},
}  # fmt: skip
REPO_WORDS = {
    "user", "org", "repo", "in", "size", "forks", "stars", "followers", "created", "pushed", "updated", "language", "topic", "topics", "is",
    "archived", "fork", "template", "visibility", "sort", "license", "good-first-issues", "help-wanted-issues",
}  # fmt: skip
REPO_CHOICES = {
    "in": {"name", "description", "readme", "topics"}, "is": {"public", "private"}, "archived": {"true", "false"},
    "fork": {"true", "false", "only"}, "template": {"true", "false"}, "visibility": {"public", "private"},
}  # fmt: skip


def person(ctx: Ctx, text: str) -> Account:
    if text.lower() == "@me":
        return me(ctx)
    try:
        return account(ctx, text.removeprefix("@"))
    except ApiError:
        raise query.refused(UNSEARCHABLE) from None


def scope(ctx: Ctx, tree: Any) -> None:
    """Accounts and repositories that a query names must be there to be searched."""
    for node in query.qualifiers(tree):
        for value in node.values:
            if node.name == "repo":
                owner, _, name = value.text.partition("/")
                found = find_repository(ctx, owner, name)
                if found is None or not may(ctx, found, me(ctx), "read"):
                    raise query.refused(UNSEARCHABLE)
            elif (node.name in ("user", "org") or node.name in PEOPLE) and value.text != "*":
                person(ctx, value.text)


def within(ctx: Ctx, tree: Any, repos: list[Repository]) -> list[Repository]:
    """Only the repositories that the query as a whole is limited to by `repo:`."""
    if isinstance(tree, query.Both) and not tree.any:
        for part in tree.parts:
            repos = within(ctx, part, repos)
    if isinstance(tree, Qualifier) and tree.name == "repo":
        wanted = {value.text.lower() for value in tree.values}
        return [repo for repo in repos if full_name(ctx, repo).lower() in wanted]
    return repos


def columns(tree: Any) -> dict[str, Any]:
    """What the query as a whole demands of an issue's columns, so that fewer rows are looked at."""
    out = dict[str, Any]()
    if isinstance(tree, query.Both) and not tree.any:
        for part in tree.parts:
            out |= columns(part)
    if isinstance(tree, Qualifier) and tree.name in ("is", "type", "state") and len(tree.values) == 1:
        word = tree.values[0].text.lower()
        if word in ("open", "closed"):
            out["state"] = word
        if word in ("issue", "pr", "pull-request"):
            out["is_pull"] = word != "issue"
    return out


def places(tree: Any, default: set[str]) -> set[str]:
    """Where texts are looked for: what `in:` says."""
    said = {v.text.lower() for node in query.qualifiers(tree) if node.name == "in" for v in node.values}
    return said or default


def sort_of(tree: Any, sort: str | None, order: str | None) -> tuple[str | None, str]:
    """The order wanted: as a parameter, or as sort:updated-asc in the query."""
    for node in query.qualifiers(tree):
        if node.name == "sort" and sort is None:
            field, _, way = node.values[0].text.rpartition("-")
            return (field, way) if way in ("asc", "desc") else (node.values[0].text, "desc")
    return sort, order or "desc"


REACTION_SORTS = {
    "+1": "+1",
    "-1": "-1",
    "smile": "laugh",
    "thinking_face": "confused",
    "heart": "heart",
    "tada": "hooray",
}
"""What sorts by one reaction call it, and what the reaction is called."""


class Known:
    """What the items of one search share, each read once."""

    def __init__(self, ctx: Ctx) -> None:
        self.ctx = ctx

    @cached_property
    def pulls(self) -> dict[int, Pull]:
        return {pull.issue_id: pull for pull in self.ctx.db.find(Pull)}

    @cached_property
    def comments(self) -> dict[int, list[tuple[int, str]]]:
        """Authors and texts by issue."""
        out = dict[int, list[tuple[int, str]]]()
        for row in self.ctx.db.query("SELECT issue_id, user_id, body FROM comment"):
            out.setdefault(row["issue_id"], []).append((row["user_id"], row["body"]))
        return out

    @cached_property
    def labels(self) -> dict[int, str]:
        return {row["id"]: row["name"].lower() for row in self.ctx.db.query("SELECT id, name FROM label")}

    @cached_property
    def people(self) -> dict[str, Account]:
        """Those that the query has named so far."""
        return {}

    def person(self, text: str) -> Account:
        if text not in self.people:
            self.people[text] = person(self.ctx, text)
        return self.people[text]


class IssueSearch:
    """An issue or pull request, as its qualifiers see it."""

    def __init__(self, known: Known, repo: Repository, issue: Issue) -> None:
        self.ctx, self.known, self.repo, self.issue = known.ctx, known, repo, issue

    @property
    def pull(self) -> Pull | None:
        return self.known.pulls.get(self.issue.id) if self.issue.is_pull else None

    @property
    def comments(self) -> list[tuple[int, str]]:
        return self.known.comments.get(self.issue.id, [])

    def reactions(self, kind: str | None = None) -> int:
        return self.ctx.db.count(Reaction, subject=f"issue:{self.issue.id}", content=kind)

    def text(self, needle: str, where: set[str]) -> bool:
        if "title" in where and mentions(needle, self.issue.title):
            return True
        if "body" in where and mentions(needle, self.issue.body):
            return True
        return "comments" in where and any(mentions(needle, body) for _, body in self.comments)

    def score(self, needles: list[str]) -> float:
        return 1.0 + sum(2.0 * mentions(n, self.issue.title) + mentions(n, self.issue.body) for n in needles)

    def qualifier(self, node: Qualifier) -> bool:
        if node.name in ("in", "sort"):
            return True
        test = (
            self._is
            if node.name in ("is", "type")
            else getattr(self, "_" + node.name.replace("-", "_"), None) or self._person(node.name)
        )
        return any(test(value) for value in node.values)

    def _person(self, name: str) -> Test:
        return lambda value: self._concerns(name, value)

    def _concerns(self, name: str, value: Value) -> bool:
        issue, pull = self.issue, self.pull
        if value.text == "*":
            return bool(issue.assignees) if name == "assignee" else True
        who = self.known.person(value.text)
        match name:
            case "author":
                return issue.user_id == who.id
            case "assignee":
                return who.id in issue.assignees
            case "commenter":
                return any(author == who.id for author, _ in self.comments)
            case "mentions":
                return self.text(f"@{who.login}", {"body", "comments"})
            case "involves":
                return any(self._concerns(n, value) for n in ("author", "assignee", "commenter", "mentions"))
            case "review-requested" | "user-review-requested":
                return pull is not None and who.id in pull.requested_reviewers
            case _:
                reviews = self.ctx.db.find(Review, pull_id=pull.id) if pull else []
                return any(r.user_id == who.id and r.state != "PENDING" for r in reviews)

    def _is(self, value: Value) -> bool:
        issue, pull = self.issue, self.pull
        match value.text.lower():
            case "open" | "closed" as state:
                return issue.state == state
            case "merged":
                return pull is not None and pull.merged
            case "unmerged":
                return pull is not None and not pull.merged
            case "issue":
                return not issue.is_pull
            case "pr" | "pull-request":
                return issue.is_pull
            case "draft":
                return pull is not None and pull.draft
            case "public" | "private" as kind:
                return self.repo.private == (kind == "private")
            case "locked" | "unlocked" as lock:
                return issue.locked == (lock == "locked")
            case _:
                return False

    def _state(self, value: Value) -> bool:
        return self.issue.state == value.text.lower()

    def _repo(self, value: Value) -> bool:
        return full_name(self.ctx, self.repo).lower() == value.text.lower()

    def _user(self, value: Value) -> bool:
        return self.repo.owner_id == self.known.person(value.text).id

    _org = _user

    def _label(self, value: Value) -> bool:
        return value.text.lower() in (self.known.labels[key] for key in self.issue.labels)

    def _milestone(self, value: Value) -> bool:
        row = self.ctx.db.get(Milestone, self.issue.milestone_id) if self.issue.milestone_id else None
        return row is not None and (value.text == "*" or row.title.lower() == value.text.lower())

    def _no(self, value: Value) -> bool:
        held = {"label": self.issue.labels, "milestone": self.issue.milestone_id, "assignee": self.issue.assignees}
        return not held.get(value.text.lower())

    def _created(self, value: Value) -> bool:
        return date(value, self.issue.created_at)

    def _updated(self, value: Value) -> bool:
        return date(value, self.issue.updated_at)

    def _closed(self, value: Value) -> bool:
        return date(value, self.issue.closed_at)

    def _merged(self, value: Value) -> bool:
        return date(value, self.pull.merged_at if self.pull else None)

    def _comments(self, value: Value) -> bool:
        return number(value, len(self.comments))

    def _reactions(self, value: Value) -> bool:
        return number(value, self.reactions())

    def _interactions(self, value: Value) -> bool:
        return number(value, len(self.comments) + self.reactions())

    def _head(self, value: Value) -> bool:
        return self.pull is not None and self.pull.head_ref.lower().startswith(value.text.lower())

    def _base(self, value: Value) -> bool:
        return self.pull is not None and self.pull.base_ref.lower() == value.text.lower()

    def _status(self, value: Value) -> bool:
        return self.pull is not None and overall(self.ctx, self.repo, self.pull.head_sha) == value.text.lower()

    def _draft(self, value: Value) -> bool:
        return self.pull is not None and self.pull.draft == (value.text.lower() == "true")

    def _archived(self, value: Value) -> bool:
        return self.repo.archived == (value.text.lower() == "true")

    def _language(self, value: Value) -> bool:
        return (self.repo.language or "").lower() == value.text.lower()

    def _reason(self, value: Value) -> bool:
        return (self.issue.state_reason or "").replace("_", " ") == value.text.lower().replace("_", " ")

    def _review(self, value: Value) -> bool:
        if self.pull is None:
            return False
        yes, no = approvals(self.ctx, self.repo, self.pull)
        state = (
            "changes_requested"
            if no
            else "approved"
            if yes
            else "required"
            if self.pull.requested_reviewers
            else "none"
        )
        return value.text.lower() == state or (value.text.lower() == "none" and state == "required")


class RepositorySearch:
    """A repository, as its qualifiers see it."""

    def __init__(self, ctx: Ctx, repo: Repository) -> None:
        self.ctx, self.repo = ctx, repo
        self.shown = repo_json(ctx, repo)

    def text(self, needle: str, where: set[str]) -> bool:
        found = [self.repo.name, self.repo.name.replace("-", " ").replace("_", " "), full_name(self.ctx, self.repo)] * (
            "name" in where
        )
        found += [self.repo.description or ""] * ("description" in where) + [" ".join(self.repo.topics)] * (
            "topics" in where
        )
        return any(
            mentions(needle, text) or ("name" in where and needle.lower() in self.repo.name.lower()) for text in found
        )

    def score(self, needles: list[str]) -> float:
        return 1.0 + sum(2.0 * mentions(n, self.repo.name) + mentions(n, self.repo.description) for n in needles)

    def qualifier(self, node: Qualifier) -> bool:
        return node.name in ("in", "sort", "fork") or any(self._test(node.name, value) for value in node.values)

    def _test(self, name: str, value: Value) -> bool:
        repo, shown, text = self.repo, self.shown, value.text.lower()
        match name:
            case "user" | "org":
                return repo.owner_id == person(self.ctx, value.text).id
            case "repo":
                return full_name(self.ctx, repo).lower() == text
            case "size" | "forks" | "stars":
                return number(value, shown[{"size": "size", "forks": "forks_count", "stars": "stargazers_count"}[name]])
            case "followers":
                return number(value, shown["watchers_count"])
            case "created" | "pushed" | "updated":
                return date(value, shown[f"{name}_at"])
            case "language":
                return (shown["language"] or "").lower() == text
            case "topic":
                return text in repo.topics
            case "topics":
                return number(value, len(repo.topics))
            case "is" | "visibility":
                return repo.private == (text == "private")
            case "archived":
                return repo.archived == (text == "true")
            case "template":
                return repo.is_template == (text == "true")
            case "good-first-issues" | "help-wanted-issues":
                wanted = "good first issue" if name.startswith("good") else "help wanted"
                labels = {row.id for row in self.ctx.db.find(Label, repository_id=repo.id, name=wanted)}
                return number(
                    value,
                    sum(
                        bool(labels & set(i.labels))
                        for i in self.ctx.db.find(Issue, repository_id=repo.id, state="open")
                    ),
                )
            case _:
                return False


def with_forks(tree: Any, repos: list[Repository]) -> list[Repository]:
    """Forks are found only where `fork:` asks for them."""
    said = {v.text.lower() for node in query.qualifiers(tree) if node.name == "fork" for v in node.values}
    if "only" in said:
        return [r for r in repos if r.fork_of is not None]
    return repos if "true" in said else [r for r in repos if r.fork_of is None]
