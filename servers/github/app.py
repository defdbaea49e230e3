"""GitHub's answers: bodies, headers, pages and refusals. https://docs.github.com/en/rest/using-the-rest-api"""

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator

from legoenv_mcp.app import ApiError, App, Ctx, Field, Page, Problem, Query, Reply, link_header, numbered_page

from .compact import compact
from .models import Table

DOCS = "https://docs.github.com/rest"
WEB = "https://github.com"
ENTERPRISE = "/api/v3"
"""Where GitHub Enterprise Server has the API; clients that are given an address of their own look there."""


def envelope(error: ApiError) -> dict[str, Any]:
    body: dict[str, Any] = {"message": error.message}
    if error.errors is not None:
        body["errors"] = error.errors
    return {**body, "documentation_url": error.documentation_url or DOCS, "status": str(error.status)}


def failed(resource: str, field: str = "", code: str = "invalid", message: str = "", value: Any = None) -> ApiError:
    """`Validation Failed` with one entry in `errors`."""
    entry: dict[str, Any] = {"resource": resource, "code": code}
    if field:
        entry["field"] = field
    if value is not None:
        entry["value"] = value
    if message:
        entry["message"] = message
    return ApiError(422, "Validation Failed", errors=[entry])


def not_found(kind: str = "", key: Any = None) -> ApiError:
    return ApiError(404, "Not Found")


_SORTS = {
    "string": "a string",
    "integer": "an integer",
    "list": "an array",
    "boolean": "a boolean",
    "dict": "an object",
    "dictionary": "an object",
}


def _problem(problem: Problem) -> str:
    where = "For 'properties/" + "/".join(map(str, problem.path)) + "', "
    shown = json.dumps(problem.value, default=str)[:100]
    if problem.kind == "enum":
        expected = str((problem.context or {}).get("expected", "")).replace("'", '"').replace(" or ", ", ")
        return f"{where}{shown} is not a member of [{expected}]."
    if problem.kind == "null":
        return f"{where}nil is not {_sort(problem.message)}."
    if problem.kind == "type":
        return f"{where}{shown} is not {_sort(problem.message)}."
    return f"{where}{problem.message}."


def _sort(message: str) -> str:
    found = re.search(r"valid (\w+)", message)
    return _SORTS.get(found[1] if found else "", "valid")


def invalid(problems: list[Problem]) -> ApiError:
    """Arguments that the endpoint's JSON schema refuses. A path that no resource can have (/issues/abc) is simply not found."""
    if any(isinstance(p.value, str) and _in_path(p) for p in problems):
        return not_found()
    absent = [f'"{p.name}"' for p in problems if p.kind == "missing"]
    unknown = [f'"{p.name}"' for p in problems if p.kind == "unknown"]
    lines = [_problem(p) for p in problems if p.kind not in ("missing", "unknown")]
    if absent:
        lines.insert(0, f"{', '.join(absent)} {'was' if len(absent) == 1 else 'were'}n't supplied.")
    if unknown:
        lines.append(f"{', '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} not a permitted key.")
    return ApiError(422, "Invalid request.\n\n" + "\n".join(lines))


def _in_path(problem: Problem) -> bool:
    operation = app.operations.get(problem.tool)
    return operation is not None and any(
        p.where == "path" and p.wire == problem.path[0] for p in operation.params.values()
    )


def _headers(ctx: Ctx) -> dict[str, str]:
    accept = ctx.request.headers.get("accept", "")
    found = re.search(r"application/vnd\.github(?:\.(?:v3|2022-11-28))?\.?(\w*)(?:\+json)?", accept)
    kind = found[1] if found else ""
    return {
        "X-GitHub-Media-Type": f"github.v3{f'; param={kind}' if kind and kind != 'json' else ''}; format=json",
        "X-GitHub-Api-Version-Selected": "2022-11-28",
        "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4999", "X-RateLimit-Used": "1", "X-RateLimit-Resource": "core",
        "X-RateLimit-Reset": str(ctx.epoch() + 3600),
    }  # fmt: skip


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """Every answer has GitHub's headers; on the MCP face it is trimmed as GitHub's MCP server trims it."""
    headers = _headers(ctx)
    try:
        result = call()
    except ApiError as error:
        error.headers = {**headers, **error.headers}
        error.info.setdefault("documentation_url", _docs(ctx))
        raise
    status = ctx.operation.status if ctx.operation else 200
    reply = result if isinstance(result, Reply) else Reply(result, status)
    if isinstance(reply.body, Page):
        page = reply.body
        if ctx.request.method and (
            link := link_header(ctx.request.url, page.offset // page.limit + 1, page.limit, page.total)
        ):
            headers["Link"] = link
        key = page.extra.get("key")
        reply.body = {"total_count": page.total, **page.extra.get("with", {}), key: page.items} if key else page.items
    reply.headers = {**headers, **reply.headers}
    if not ctx.request.method and not reply.media_type and not reply.error:
        reply.body = compact(reply.body)
    return reply


_SECTIONS = {
    "users": "users/users", "repositories": "repos/repos", "contents": "repos/contents", "commits": "commits/commits",
    "branches": "branches/branches", "git_data": "git", "issues": "issues/issues", "issue_parts": "issues/comments",
    "milestones": "issues/milestones", "assignees": "issues/assignees", "timeline": "issues/events", "pulls": "pulls/pulls",
    "reviews": "pulls/reviews", "review_requests": "pulls/review-requests", "releases": "releases/releases",
    "search": "search/search", "search_commits": "search/search", "search_users": "search/search", "actions": "actions/workflow-runs",
    "actions_methods": "actions/workflows", "checks": "checks/runs", "gists": "gists/gists", "collaborators": "collaborators/collaborators",
}  # fmt: skip
"""Where in the API reference each module's operations stand."""


def _docs(ctx: Ctx) -> str:
    module = ctx.operation.fn.__module__.rsplit(".", 1)[-1] if ctx.operation else ""
    return f"{DOCS}/{_SECTIONS[module]}" if module in _SECTIONS else DOCS


app = App(
    "github", Table, envelope=envelope, invalid=invalid, not_found=not_found, no_route=lambda method, path: ApiError(404, "Not Found"),
    malformed=lambda reason: ApiError(400, "Problems parsing JSON"), unauthorized=lambda: ApiError(401, "Bad credentials"),
    around=around, unknown="ignore", prefix=ENTERPRISE,
)  # fmt: skip


# Parameters that many operations share. REST clamps page sizes rather than refusing them.


def _clamp(value: Any) -> Any:
    number = int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,9}", value) else value
    if isinstance(value, str) and number is value:
        return 30
    return min(number, 100) if isinstance(number, int) and number > 0 else number if isinstance(number, bool) else 30


def _first(value: Any) -> Any:
    if isinstance(value, str):
        return max(int(value), 1) if re.fullmatch(r"-?\d{1,9}", value) else 1
    return max(value, 1) if isinstance(value, int) else value


PerPage = Annotated[int, BeforeValidator(_clamp), Field(ge=1, le=100), Query("per_page")]
PageNumber = Annotated[int, BeforeValidator(_first), Field(ge=1, le=1_000_000)]


def page_of(
    items: Sequence[Any],
    per_page: int,
    page: int,
    show: Callable[[Any], Any] = lambda i: i,
    key: str = "",
    **others: Any,
) -> Page[Any]:
    """One numbered page, its items shown; under `key` with a `total_count` where the endpoint answers an object."""
    made = numbered_page(items, per_page, page).map(show)
    made.extra = {"key": key, "with": others}
    return made


def accepts(ctx: Ctx, *kinds: str) -> str:
    """Which of these custom media types (raw, diff, patch, html) the caller asked for; else empty."""
    accept = ctx.request.headers.get("accept", "")
    found = re.search(r"vnd\.github(?:\.v3)?\.(\w+)", accept)
    return found[1] if found and found[1] in kinds else ""


def when(text: str, name: str) -> datetime:
    """A time that a caller sent for this parameter; GitHub's 422 where it is none."""
    try:
        return Ctx.parse_time(text)
    except ValueError:
        shown = json.dumps(text[:100])
        raise ApiError(422, f"Invalid request.\n\nFor 'properties/{name}', {shown} is not a valid date-time.") from None


def base_url(ctx: Ctx) -> str:
    """Where links in answers start: where the caller called, as their client may follow no others."""
    prefix = ENTERPRISE if ctx.request.path.startswith(f"{ENTERPRISE}/") else ""
    return (ctx.request.base or "https://api.github.com") + prefix
