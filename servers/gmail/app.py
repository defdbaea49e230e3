"""Gmail's answers and refusals. https://developers.google.com/workspace/gmail/api/guides/handle-errors"""

from collections.abc import Callable
from typing import Annotated, Any

from legoenv_mcp.app import ApiError, App, Ctx, Query, Reply
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


def refuse(message: str, **info: Any) -> ApiError:
    """A 400 in Gmail's own words."""
    return ApiError(400, message, **info)


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
    "gmail", Table, envelope=envelope, invalid=google.invalid, not_found=google.not_found,
    malformed=google.malformed, unauthorized=google.unauthorized,
    no_route=lambda method, path: ApiError(404, "Not Found"),
    too_large=lambda limit: ApiError(413, f"Request payload size exceeds the limit: {limit} bytes."),
    around=around, unknown="refuse", unknown_query="ignore", functions=FUNCTIONS,
)  # fmt: skip
