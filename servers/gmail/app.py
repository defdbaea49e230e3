"""Gmail's answers and refusals. https://developers.google.com/workspace/gmail/api/guides/handle-errors"""

import re
from collections.abc import Callable
from typing import Annotated, Any

from legoenv_mcp.app import ApiError, App, Ctx, Problem, Query, Reply
from legoenv_mcp.styles import google

from .fields import select
from .models import Account, Table
from .search import FUNCTIONS

UserId = Annotated[str, Query(mcp=False)]
"""`me` or the mailbox's address; agents have one mailbox and need not say it."""

_KINDS = {
    400: ("invalidArgument", "INVALID_ARGUMENT"), 401: ("authError", "UNAUTHENTICATED"), 403: ("forbidden", "PERMISSION_DENIED"),
    404: ("notFound", "NOT_FOUND"), 409: ("aborted", "ABORTED"), 413: ("uploadTooLarge", "INVALID_ARGUMENT"),
    500: ("backendError", "INTERNAL"),
}  # fmt: skip


def envelope(error: ApiError) -> dict[str, Any]:
    """Google's error object."""
    return google.envelope(error, _KINDS)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _where(path: tuple[str | int, ...]) -> str:
    """A path as Google's JSON reader writes it: `message.label_ids[0]`."""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{_snake(part)}" if out else _snake(part)
    return out


def _told(problem: Problem) -> tuple[str, str]:
    *outer, name = problem.path
    if problem.kind == "unknown":
        place = f" at '{_where(tuple(outer))}'" if outer else ""
        return _where(tuple(outer)), f'Invalid JSON payload received. Unknown name "{name}"{place}: Cannot find field.'
    field = _where(problem.path)
    if problem.kind == "missing":
        return field, f"Missing required field: {problem.name}"
    shown = f'"{problem.value}"' if isinstance(problem.value, str) else str(problem.value)
    return field, f"Invalid value at '{field}' ({problem.message}), {shown[:200]}"


def invalid(problems: list[Problem]) -> ApiError:
    told = [_told(p) for p in problems]
    return ApiError(400, "\n".join(text for _, text in told), reason="invalid", violations=told)


def not_found(kind: str = "", key: Any = "") -> ApiError:
    """The same words for every kind of thing, as the product has it."""
    del kind, key
    return ApiError(404, "Requested entity was not found.")


def refuse(message: str, **info: Any) -> ApiError:
    """A 400 in Gmail's own words."""
    return ApiError(400, message, **info)


def malformed(reason: str) -> ApiError:
    return ApiError(400, f"Invalid JSON payload received. {reason[:1].upper()}{reason[1:]}", reason="parseError")


def _unauthorized() -> ApiError:
    message = (
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication "
        "credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
    )
    return ApiError(401, message, headers={"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/"'})


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """What holds for every method: the common query parameters, whose mailbox it is, and `fields`."""
    query = ctx.request.query
    try:
        _check_query(ctx)
        result = call()
        if isinstance(result, Reply) or not query.get("fields"):
            return result
        return select(ctx.operation.tool if ctx.operation else "", result, query["fields"])
    except ApiError as error:
        error.info["bare"] = query.get("$.xgafv") == "2"
        raise


def _check_query(ctx: Ctx) -> None:
    for name in google.unknown_parameters(ctx):
        text = (
            f'Invalid JSON payload received. Unknown name "{name}": Cannot bind query parameter. '
            f"Field '{name}' could not be found in request message."
        )
        raise refuse(text, reason="invalid", violations=[("", text)])
    if ctx.operation is None or not ctx.request.method:
        return
    if ctx.request.query.get("alt", "json") not in ("json", "media"):
        raise refuse(f"Invalid value at 'alt': only json is served, not \"{ctx.request.query['alt']}\"")
    user = getattr(ctx.args, "userId", "me")
    if user != "me" and user.lower() != (owner := me(ctx).email.lower()):
        raise ApiError(403, f"Delegation denied for {owner}")


def me(ctx: Ctx) -> Account:
    """The mailbox's account."""
    found = ctx.db.first(Account)
    if found is None:
        raise ApiError(400, "Mail service not enabled", reason="failedPrecondition", code="FAILED_PRECONDITION")
    return found


app = App(
    "gmail", Table, envelope=envelope, invalid=invalid, not_found=not_found, malformed=malformed, unauthorized=_unauthorized,
    no_route=lambda method, path: ApiError(404, "Not Found"),
    too_large=lambda limit: ApiError(413, f"Request payload size exceeds the limit: {limit} bytes."),
    around=around, unknown="refuse", unknown_query="ignore", functions=FUNCTIONS,
)  # fmt: skip
