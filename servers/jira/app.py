"""Jira's answers. https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#status-codes"""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from legoenv_mcp.app import ApiError, App, Ctx, Field, Problem, Query, Reply

from .jql.text import matches
from .models import Table

_VERSION = re.compile(r"/rest/(api|agile)/([^/]+)(?:/.*)?")
_VERSIONS = {"api": {"2", "3", "latest"}, "agile": {"1.0", "latest"}}
_NOISE = {
    "self", "avatarUrls", "iconUrl", "avatarId", "avatarURI", "expand", "accountType", "timeZone", "colorName", "hierarchyLevel", "locale",
    "applicationRoles", "isGlobal", "isInitial", "isAvailable", "isConditional", "isLooped", "jsdPublic", "simplified", "subscriptions",
    "editPermissions", "searchUrl", "roles", "isAssigneeTypeValid", "realAssigneeType",
}  # fmt: skip

IssueKey = Annotated[str, Field(min_length=1)]
StartAt = Annotated[int, Query("startAt"), Field(ge=0, lt=2**31)]
Limit = Annotated[int, Query("maxResults"), Field(ge=0, lt=2**31)]


def refuse(status: int, *messages: str, **errors: str) -> ApiError:
    """A refusal: sentences about the whole request, and sentences by the field that they are about."""
    return ApiError(status, "; ".join([*messages, *errors.values()]), messages=list(messages), errors=dict(errors))


def refuse_fields(errors: Mapping[str, str], *messages: str) -> ApiError:
    """The same for fields whose names come from the caller."""
    return ApiError(400, "; ".join([*messages, *errors.values()]), messages=list(messages), errors=dict(errors))


def envelope(error: ApiError) -> dict[str, Any]:
    if error.status >= 500:
        return {"errorMessages": ["Internal server error"], "errors": {}}
    messages = error.messages if error.messages is not None else [error.message]
    return {"errorMessages": messages, "errors": error.errors or {}}


def _invalid(problems: list[Problem]) -> ApiError:
    first = problems[0]
    if first.name in ("nextPageToken", "cursor"):
        return refuse(400, "The provided next page token is invalid or has expired.")
    if first.kind == "missing":
        return ApiError(
            400, "", messages=[], errors={p.name: f"{p.name} is required." for p in problems if p.kind == "missing"}
        )
    if first.kind == "unknown":
        return refuse(400, f"Unrecognized parameter '{first.name}'.")
    told = {p.name: f"'{p.value}' is not valid for '{p.name}': {p.message}"[:300] for p in problems}
    return refuse(400, *told.values())


def _around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """Only the versions that there are. Agents get what people read: no links to pictures, no addresses of resources."""
    found = _VERSION.fullmatch(ctx.request.path)
    if found and found[2] not in _VERSIONS[found[1]]:
        raise _no_route(ctx.request.method, ctx.request.path)
    result = call()
    if over_mcp(ctx):
        if isinstance(result, Reply) and not result.error and not result.media_type:
            result.body = plain(result.body)
        return result if isinstance(result, Reply) else plain(result)
    return result


def plain(value: Any) -> Any:
    """An answer without what only programs use."""
    if isinstance(value, dict):
        dropped = _NOISE | {"description"} if "statusCategory" in value or "subtask" in value else _NOISE
        return {k: plain(v) for k, v in value.items() if k not in dropped and not (k == "active" and v is True)}
    return [plain(v) for v in value] if isinstance(value, list) else value


def _no_route(method: str, path: str) -> ApiError:
    return ApiError(
        404, f"No resource method found for {method}", messages=["Oops, you've found a dead link."], errors={}
    )


def documents(ctx: Ctx) -> bool:
    """Whether the caller's texts are Atlassian documents: in version 3 they are, in version 2 and for agents plain text."""
    return ctx.request.path.startswith(("/rest/api/3/", "/rest/api/latest/"))


def over_mcp(ctx: Ctx) -> bool:
    return not ctx.request.method


def done(ctx: Ctx, body: Any, status: int = 204) -> Any:
    """Nothing over REST, as documented for 204; agents are told what was done."""
    return body if over_mcp(ctx) else Reply(None if status == 204 else {}, status)


def flat(values: list[str] | str | None) -> list[str]:
    """A parameter that may be repeated or separated by commas."""
    given = [values] if isinstance(values, str) else values or []
    return [part.strip() for text in given for part in text.split(",") if part.strip()]


app = App(
    "jira",
    Table,
    envelope=envelope,
    invalid=_invalid,
    not_found=lambda kind, key: refuse(404, f"The {kind.lower()} with id '{key}' does not exist"),
    no_route=_no_route,
    malformed=lambda reason: refuse(
        400, "Invalid request payload. Refer to the REST API documentation and try again.", reason
    ),
    unauthorized=lambda: ApiError(
        401, "", messages=["Client must be authenticated to access this resource."], errors={},
        headers={"WWW-Authenticate": 'OAuth realm="Jira"'},
    ),
    too_large=lambda limit: refuse(413, f"The request body is larger than {limit} bytes"),
    around=_around,
    unknown="ignore",
    mixed=True,
    trailing_slash=True,
    functions={"jql_matches": (2, matches), "jql_folded": (1, str.casefold)},
)  # fmt: skip
