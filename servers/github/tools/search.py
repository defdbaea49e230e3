"""Search. https://docs.github.com/en/rest/search/search"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Page, numbered_page

from .. import git, query
from ..accounts import full_name, readable
from ..app import WEB, PageNumber, PerPage, app
from ..finders import (
    ISSUE_CHOICES,
    ISSUE_WORDS,
    REACTION_SORTS,
    REPO_CHOICES,
    REPO_WORDS,
    IssueSearch,
    Known,
    RepositorySearch,
    columns,
    person,
    places,
    scope,
    sort_of,
    with_forks,
    within,
)  # fmt: skip
from ..issues import issue_json
from ..languages import language_of
from ..models import Blob, Issue, Repository
from ..query import Qualifier, Value, fits, number
from ..resources import repo_json, repo_url

Order = Literal["asc", "desc"]


def answer(found: list[Any], per_page: int, page: int, show: Any) -> Page[Any]:
    """Found items as (score, item), under GitHub's limit of 1000 results."""
    if page * per_page > 1000 and (page - 1) * per_page >= 1000:
        raise ApiError(422, "Only the first 1000 search results are available")
    made = numbered_page(found, per_page, page).map(lambda pair: {**show(pair[1]), "score": pair[0]})
    made.extra = {"key": "items", "with": {"incomplete_results": False}}
    return made


def checked(ctx: Ctx, text: str, known: set[str], choices: dict[str, set[str]]) -> Any:
    if not text.strip():
        raise ApiError(422, "Validation Failed", errors=[{"resource": "Search", "field": "q", "code": "missing"}])
    tree = query.as_words(query.parse(text), known)
    query.check(tree, choices, query.operators(text))
    scope(ctx, tree)
    return tree


# Issues and pull requests


def _issues(ctx: Ctx, text: str, sort: str | None, order: str | None, per_page: int, page: int) -> Page[Any]:
    tree = checked(ctx, text, ISSUE_WORDS, ISSUE_CHOICES)
    where, needles = places(tree, {"title", "body", "comments"}), query.words(tree)
    found, known = list[tuple[float, IssueSearch]](), Known(ctx)
    for repo in within(ctx, tree, readable(ctx)):
        for issue in ctx.db.find(Issue, repository_id=repo.id, **columns(tree)):
            item = IssueSearch(known, repo, issue)
            if query.holds(tree, item.qualifier, lambda needle, item=item: item.text(needle, where)):
                found.append((item.score(needles), item))
    by, way = sort_of(tree, sort, order)
    keys: dict[str, Any] = {
        "created": lambda i: i.issue.created_at, "updated": lambda i: i.issue.updated_at, "comments": lambda i: len(i.comments),
        "interactions": lambda i: len(i.comments) + i.reactions(), "reactions": lambda i: i.reactions(),
        **{f"reactions-{word}": lambda i, kind=kind: i.reactions(kind) for word, kind in REACTION_SORTS.items()},
    }  # fmt: skip
    if by in keys:
        found.sort(key=lambda pair: (keys[by](pair[1]), pair[1].issue.id), reverse=way == "desc")
    else:
        found.sort(key=lambda pair: (pair[0], pair[1].issue.created_at, pair[1].issue.id), reverse=True)
    return answer(found, per_page, page, lambda i: issue_json(ctx, i.repo, i.issue))


IssueSort = Literal[
    "comments", "reactions", "reactions-+1", "reactions--1", "reactions-smile", "reactions-thinking_face", "reactions-heart",
    "reactions-tada", "interactions", "created", "updated",
]  # fmt: skip


@app.get("/search/issues", tool="search_issues_and_pull_requests", mcp=False)
def search_issues_rest(
    ctx: Ctx, q: str = "", sort: IssueSort | None = None, order: Order | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Searches issues and pull requests."""
    return _issues(ctx, q, sort, order, perPage, page)


def _within(text: str, kind: str, owner: Any, repo: Any) -> str:
    scoped = f" repo:{owner}/{repo}" if isinstance(owner, str) and isinstance(repo, str) and owner and repo else ""
    return f"({text}) is:{kind}{scoped}" if text.strip() else f"is:{kind}{scoped}"


@app.get("", tool="search_issues")
def search_issues(
    ctx: Ctx, query: str, owner: str | MISSING = MISSING, repo: str | MISSING = MISSING, sort: IssueSort | None = None,
    order: Order | None = None, page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Searches issues by GitHub's issues search syntax, e.g. `label:bug state:open author:@me timeout in:title`.

    query: Words and qualifiers to search by; already limited to issues.
    owner: With repo, searches this repository only.
    repo: With owner, searches this repository only.
    sort: What to sort by; best match by default.
    order: Which way to sort.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    return _issues(ctx, _within(query, "issue", owner, repo), sort, order, perPage, page)


@app.get("", tool="search_pull_requests")
def search_pull_requests(
    ctx: Ctx, query: str, owner: str | MISSING = MISSING, repo: str | MISSING = MISSING, sort: IssueSort | None = None,
    order: Order | None = None, page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Searches pull requests by GitHub's search syntax, e.g. `is:open review:approved base:main`.

    query: Words and qualifiers to search by; already limited to pull requests.
    owner: With repo, searches this repository only.
    repo: With owner, searches this repository only.
    sort: What to sort by; best match by default.
    order: Which way to sort.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    return _issues(ctx, _within(query, "pr", owner, repo), sort, order, perPage, page)


# Repositories


def _repositories(ctx: Ctx, text: str, sort: str | None, order: str | None, per_page: int, page: int) -> Page[Any]:
    tree = checked(ctx, text, REPO_WORDS, REPO_CHOICES)
    where, needles = places(tree, {"name", "description", "topics"}), query.words(tree)
    found = list[tuple[float, RepositorySearch]]()
    for repo in with_forks(tree, readable(ctx)):
        item = RepositorySearch(ctx, repo)
        if query.holds(tree, item.qualifier, lambda needle, item=item: item.text(needle, where)):
            found.append((item.score(needles), item))
    by, way = sort_of(tree, sort, order)
    keys = {
        "stars": "stargazers_count",
        "forks": "forks_count",
        "updated": "updated_at",
        "help-wanted-issues": "open_issues_count",
    }
    if by in keys:
        found.sort(key=lambda pair: (pair[1].shown[keys[by]], pair[1].repo.id), reverse=way == "desc")
    else:
        found.sort(key=lambda pair: (-pair[0], pair[1].repo.id))
    return answer(found, per_page, page, lambda i: i.shown)


RepoSort = Literal["stars", "forks", "help-wanted-issues", "updated"]


@app.get("/search/repositories", tool="search_repositories_rest", mcp=False)
def search_repositories_rest(
    ctx: Ctx, q: str = "", sort: RepoSort | None = None, order: Order | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Searches repositories."""
    return _repositories(ctx, q, sort, order, perPage, page)


@app.get("", tool="search_repositories")
def search_repositories(
    ctx: Ctx, query: str, sort: RepoSort | None = None, order: Order | None = None, minimal_output: bool = True,
    page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Searches repositories by name, description, topics and qualifiers, e.g. `org:NAME language:python stars:>10`.

    query: Words and qualifiers to search by.
    sort: What to sort by; best match by default.
    order: Which way to sort.
    minimal_output: Kept for callers of GitHub's own server; results are always trimmed here.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    return _repositories(ctx, query, sort, order, perPage, page)


# Code

_CODE_WORDS = {
    "repo",
    "user",
    "org",
    "path",
    "filename",
    "extension",
    "language",
    "size",
    "in",
    "content",
    "fork",
    "is",
}
_CODE_CHOICES = {"in": {"file", "path"}, "fork": {"true", "only", "false"}, "is": {"archived", "fork"}}


def _code(ctx: Ctx, text: str, per_page: int, page: int) -> Page[Any]:
    tree = checked(ctx, text, _CODE_WORDS, _CODE_CHOICES)
    where, needles = places(tree, {"file"}), query.words(tree)
    found = list[tuple[float, tuple[Repository, str, Blob]]]()
    for repo in within(ctx, tree, with_forks(tree, readable(ctx))):
        head = git.branch(ctx, repo, repo.default_branch)
        for path, (_, sha) in git.files(ctx, repo, git.tree_of(ctx, repo, head.sha if head else None)).items():
            blob = ctx.db.get(Blob, (repo.id, sha))
            if blob is None or blob.binary:
                continue

            def text_in(needle: str, path: str = path, blob: Blob = blob) -> bool:
                return ("file" in where and needle.lower() in blob.content.lower()) or (
                    "path" in where and needle.lower() in path.lower()
                )

            def qualifier(node: Qualifier, repo: Repository = repo, path: str = path, blob: Blob = blob) -> bool:
                return node.name in ("in", "fork") or any(
                    _code_test(ctx, node.name, v, repo, path, blob) for v in node.values
                )

            if query.holds(tree, qualifier, text_in):
                found.append((1.0 + sum(n.lower() in path.lower() for n in needles), (repo, path, blob)))
    found.sort(key=lambda pair: (-pair[0], pair[1][0].id, pair[1][1]))

    def show(item: tuple[Repository, str, Blob]) -> dict[str, Any]:
        repo, path, blob = item
        api, name = repo_url(ctx, repo), full_name(ctx, repo)
        made: dict[str, Any] = {
            "name": path.rsplit("/", 1)[-1], "path": path, "sha": blob.sha, "url": f"{api}/contents/{path}?ref={repo.default_branch}",
            "git_url": f"{api}/git/blobs/{blob.sha}", "html_url": f"{WEB}/{name}/blob/{repo.default_branch}/{path}",
        }  # fmt: skip
        if not ctx.request.method or "text-match" in ctx.request.headers.get("accept", ""):
            made["text_matches"] = _fragments(needles, blob)
        return {**made, "repository": name if not ctx.request.method else repo_json(ctx, repo)}

    return answer(found, per_page, page, show)


def _code_test(ctx: Ctx, name: str, value: Value, repo: Repository, path: str, blob: Blob) -> bool:
    text = value.text.lower()
    match name:
        case "repo":
            return full_name(ctx, repo).lower() == text
        case "user" | "org":
            return repo.owner_id == person(ctx, value.text).id
        case "path":
            inner = text.strip("/")
            return fits(inner, path) if "*" in inner else not inner or inner in path.lower()
        case "filename":
            return text in path.rsplit("/", 1)[-1].lower()
        case "extension":
            return path.rsplit("/", 1)[-1].lower().endswith(f".{text.removeprefix('.')}")
        case "language":
            return (language_of(path, data=True) or "").lower() == text
        case "size":
            return number(value, blob.size)
        case "content":
            return text in blob.content.lower()
        case _:
            return repo.archived if text == "archived" else repo.fork_of is not None


def _fragments(needles: list[str], blob: Blob) -> list[dict[str, Any]]:
    """The first line that shows each text looked for."""
    out = list[dict[str, Any]]()
    for needle in needles:
        line = next((line for line in blob.content.split("\n") if needle.lower() in line.lower()), None)
        if line is not None:
            at = line.lower().index(needle.lower())
            out.append(
                {
                    "fragment": line[:200],
                    "property": "content",
                    "matches": [{"text": needle, "indices": [at, at + len(needle)]}],
                }
            )
    return out


@app.get("/search/code", tool="search_code_rest", mcp=False)
def search_code_rest(ctx: Ctx, q: str = "", page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Searches the files of default branches."""
    return _code(ctx, q, perPage, page)


@app.get("", tool="search_code")
def search_code(
    ctx: Ctx, query: str, sort: Literal["indexed"] | None = None, order: Order | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Searches the content of files on default branches, e.g. `timeout path:src language:python repo:OWNER/NAME`.

    query: Texts and qualifiers (repo, user, org, path, filename, extension, language, size, in).
    sort: indexed, by how lately a file was indexed, which here is all at once.
    order: Which way to sort.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    return _code(ctx, query, perPage, page)
