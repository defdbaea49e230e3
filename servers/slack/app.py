"""Slack's answers: HTTP 200 whatever happens, `ok` tells. https://docs.slack.dev/apis/web-api/#evaluating-responses"""

from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Problem

from .models import Table

_DENIED = {
    "not_in_channel",
    "cant_update_message",
    "cant_delete_message",
    "cant_archive_general",
    "cant_leave_general",
    "cant_kick_from_general",
    "cant_kick_self",
    "cant_invite_self",
    "cant_invite",
    "not_authorized",
    "permission_denied",
    "not_admin",
    "cant_delete_file",
    "cannot_add_others",
    "cannot_complete_others",
    "restricted_action",
    "cannot_update_admin_user",
    "last_member",
    "no_permission",
}
_CONFLICT = {
    "name_taken",
    "already_reacted",
    "already_pinned",
    "already_in_channel",
    "already_archived",
    "not_archived",
    "is_archived",
    "is_inactive",
    "already_starred",
    "name_already_exists",
    "handle_already_exists",
    "channel_canvas_already_exists",
}
_ABSENT = {"not_found", "no_such_subteam", "no_reaction", "no_pin", "not_starred", "file_deleted", "users_not_found"}

_OWN_CODES = {
    "blocks": "invalid_blocks",
    "attachments": "invalid_attachments",
    "metadata": "invalid_metadata_format",
    "cursor": "invalid_cursor",
    "post_at": "invalid_time",
    "presence": "invalid_presence",
    "profile": "invalid_profile",
}
"""Parameters whose bad values have an error of their own."""


def _status(code: str) -> int:
    if code in _DENIED:
        return 403
    if code in _CONFLICT:
        return 409
    return 404 if code in _ABSENT or code.endswith("_not_found") else 400


def err(code: str, *messages: str, **info: Any) -> ApiError:
    """A refusal by Slack's code. `messages` say what is wrong with the arguments; other keywords go into the answer beside `error`."""
    return ApiError(_status(code), code, wire_status=200, messages=list(messages), beside=info)


def wrap(result: Any) -> dict[str, Any]:
    return {"ok": True, **(result or {})}


def envelope(error: ApiError) -> dict[str, Any]:
    if error.status >= 500:
        return {"ok": False, "error": "internal_error"}
    body: dict[str, Any] = {"ok": False, "error": error.message, **(error.beside or {})}
    if error.messages:
        if error.message in ("invalid_blocks", "invalid_attachments"):
            body["errors"] = error.messages
        body["response_metadata"] = {"messages": [f"[ERROR] {message}" for message in error.messages]}
    return body


def _message(problem: Problem) -> str:
    name, pointer = problem.path[-1], "/".join(map(str, problem.path))
    if problem.kind == "missing":
        return f"missing required field: {name}" + (f" [json-pointer:/{pointer}]" if len(problem.path) > 1 else "")
    if problem.kind == "unknown":
        return f"invalid additional property: {name} [json-pointer:/{pointer}]"
    return f"{problem.message[0].lower()}{problem.message[1:]} [json-pointer:/{pointer}]"


def _invalid(problems: list[Problem]) -> ApiError:
    first = problems[0]
    code = (
        _OWN_CODES.get(str(first.path[0]), "invalid_arguments")
        if first.kind != "missing" or len(first.path) > 1
        else "invalid_arguments"
    )
    deeper = {p.path[:1] for p in problems if len(p.path) > 1}
    told = [
        p for p in problems if len(p.path) > 1 or p.path not in deeper
    ]  # not also "must be text" for an array that may be either
    return err(code, *dict.fromkeys(_message(problem) for problem in told))


def _no_route(method: str, path: str) -> ApiError:
    if path.startswith("/api/"):
        return ApiError(404, "unknown_method", wire_status=200, beside={"req_method": path.removeprefix("/api/")})
    return ApiError(404, "not_found")


def _around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """Before anything else is written, messages whose time has come are sent."""
    if ctx.operation is not None and not ctx.operation.reads:
        from .posting import send_due  # noqa: PLC0415 - posting needs `app`

        send_due(ctx)
    return call()


app = App(
    "slack",
    Table,
    wrap,
    envelope,
    invalid=_invalid,
    not_found=lambda kind, key: err(f"{kind.lower()}_not_found"),
    no_route=_no_route,
    malformed=lambda reason: err("invalid_json" if "JSON" in reason else "invalid_form_data", reason),
    unauthorized=lambda: ApiError(401, "not_authed", wire_status=200),
    too_large=lambda limit: ApiError(413, "request_too_large"),
    around=_around,
    unknown="ignore",
    mixed=True,
)
