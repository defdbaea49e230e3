"""Search of commits. https://docs.github.com/en/rest/search/search#search-commits"""

from typing import Any, Literal

from legoenv_mcp.app import Ctx, Page

from .. import git, query
from ..accounts import full_name, readable
from ..app import PageNumber, PerPage, app
from ..finders import person
from ..models import Commit, Repository
from ..query import Qualifier, Value, date, mentions
from ..resources import commit_json, repo_json
from .search import Order, answer, checked

_WORDS = {
    "repo", "user", "org", "author", "committer", "author-name", "author-email", "committer-name", "committer-email", "author-date",
    "committer-date", "merge", "hash", "parent", "tree", "is", "sort",
}  # fmt: skip
_CHOICES = {"merge": {"true", "false"}, "is": {"public", "private"}}


def _test(ctx: Ctx, name: str, value: Value, repo: Repository, row: Commit) -> bool:
    text = value.text.lower()
    match name:
        case "repo":
            return full_name(ctx, repo).lower() == text
        case "user" | "org":
            return repo.owner_id == person(ctx, value.text).id
        case "author" | "committer":
            return getattr(row, f"{name}_id") == person(ctx, value.text).id
        case "author-name" | "committer-name":
            return mentions(text, getattr(row, name.replace("-", "_")))
        case "author-email" | "committer-email":
            return getattr(row, name.replace("-", "_")).lower() == text
        case "author-date" | "committer-date":
            return date(value, getattr(row, name.replace("-", "_")))
        case "merge":
            return (len(row.parents) > 1) == (text == "true")
        case "hash":
            return row.sha.startswith(text)
        case "parent":
            return any(p.startswith(text) for p in row.parents)
        case "tree":
            return row.tree.startswith(text)
        case _:
            return repo.private == (text == "private")


def _commits(ctx: Ctx, text: str, sort: str | None, order: str | None, per_page: int, page: int) -> Page[Any]:
    tree = checked(ctx, text, _WORDS, _CHOICES)
    found = list[tuple[float, tuple[Repository, Commit]]]()
    for repo in readable(ctx):
        head = git.branch(ctx, repo, repo.default_branch)
        for row in git.history(ctx, repo, head.sha) if head else []:

            def qualifier(node: Qualifier, repo: Repository = repo, row: Commit = row) -> bool:
                return node.name == "sort" or any(_test(ctx, node.name, v, repo, row) for v in node.values)

            if query.holds(tree, qualifier, lambda needle, row=row: mentions(needle, row.message)):
                found.append((1.0, (repo, row)))
    if sort:
        found.sort(
            key=lambda pair: (getattr(pair[1][1], sort.replace("-", "_")), pair[1][1].sha), reverse=order != "asc"
        )
    return answer(
        found, per_page, page, lambda pair: {**commit_json(ctx, *pair), "repository": repo_json(ctx, pair[0])}
    )


CommitSort = Literal["author-date", "committer-date"]


@app.get("/search/commits", tool="search_commits_rest", mcp=False)
def search_commits_rest(
    ctx: Ctx, q: str = "", sort: CommitSort | None = None, order: Order | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Searches the commits of default branches."""
    return _commits(ctx, q, sort, order, perPage, page)


@app.get("", tool="search_commits")
def search_commits(
    ctx: Ctx, query: str, sort: CommitSort | None = None, order: Order | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Searches commit messages on default branches, e.g. `zone author:NAME author-date:>2026-01-01 repo:OWNER/NAME`.

    query: Words and qualifiers (repo, org, author, committer, author-email, author-date, committer-date, hash, merge).
    sort: What to sort by; best match by default.
    order: Which way to sort.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    return _commits(ctx, query, sort, order, perPage, page)
