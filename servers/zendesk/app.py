"""Zendesk Support's answers. https://developer.zendesk.com/api-reference/ticketing/introduction/"""

from collections.abc import Callable, Mapping
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Problem, Reply, draw

from . import errors
from .models import Table

_ACTIONS = {"GET": "index", "POST": "create", "PUT": "update", "DELETE": "destroy"}
_KINDS = {
    "int": "an integer",
    "bool": "a boolean",
    "list": "an array",
    "dict": "a hash",
    "date": "a date",
    "model": "a hash",
}


def _action(tool: str) -> str:
    """The endpoint as Zendesk's messages name it: `api/v2/tickets/show`."""
    operation = app.operations.get(tool)
    if operation is None:
        return ""
    parts = [p for p in operation.path.split("/")[3:] if not p.startswith("{")]
    one = operation.path.endswith("}")
    verb = "show" if one and operation.method == "GET" else _ACTIONS.get(operation.method, "index")
    return f"api/v2/{'/'.join(parts)}/{verb}"


def _must(problem: Problem) -> str:
    if problem.kind in ("range", "enum"):
        return problem.message.replace("Input should", "must")
    if problem.kind == "length":
        return f"must{problem.message.partition(' should')[2]}"
    found = next((text for word, text in _KINDS.items() if word in problem.message.lower()), "a string")
    return f"must be {found}"


def invalid(problems: list[Problem]) -> ApiError:
    """Arguments of the wrong kind are an invalid attribute; values that a record's field does not take are a record's errors."""
    first = next((p for p in problems if p.kind in ("missing", "unknown", "type")), problems[0])
    if first.kind == "missing":
        names = ", ".join(p.name for p in problems if p.kind == "missing")
        return errors.titled(400, "Missing parameter", f"Required parameter missing: {names}")
    if first.kind == "unknown":
        return errors.titled(400, "Invalid attribute", f"You passed an unknown attribute: {first.name}")
    inside = sum(isinstance(part, str) for part in first.path) > 1 and first.kind in (
        "enum",
        "length",
        "format",
        "null",
    )
    if not inside:
        return errors.attribute(first.name, _must(first), _action(first.tool))
    found = errors.Problems()
    for problem in problems:
        field = next((part for part in reversed(problem.path) if isinstance(part, str)), "base")
        longest = (problem.context or {}).get("max_length")
        if problem.kind == "length" and longest:
            found.add(field, f"{title(field)}: is too long (maximum is {longest} characters)", "TooLong")
        else:
            found.add(field, f"{title(field)}: is invalid", "InvalidValue")
    return errors.record_invalid(found.details)


def title(field: str) -> str:
    """`assignee_id` as validation messages write it."""
    return field.removesuffix("_id").replace("_", " ").capitalize()


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """Every answer has Zendesk's headers. On the MCP face it is trimmed to what an agent reads."""
    tool = ctx.operation.tool if ctx.operation else ""
    headers = {
        "X-Zendesk-API-Version": "v2", "X-Rate-Limit": "700", "X-Rate-Limit-Remaining": "699",
        "RateLimit-Limit": "700", "RateLimit-Remaining": "699", "RateLimit-Reset": "60",
        "X-Request-Id": draw(tool, ctx.timestamp(), ctx.request.url).hex()[:32],
    }  # fmt: skip
    try:
        result = call()
    except ApiError as error:
        error.headers = {**headers, **error.headers}
        raise
    reply = result if isinstance(result, Reply) else Reply(result, ctx.operation.status if ctx.operation else 200)
    reply.headers = {**headers, **reply.headers}
    if not ctx.request.method and not reply.error and isinstance(reply.body, dict):
        reply.body = {name: compact(value) for name, value in reply.body.items() if value is not None}
    return reply


# Links, texts that repeat others, and settings that every object has alike. REST has them all.
_NOISE = frozenset({
    "url", "raw_subject", "raw_title", "raw_description", "raw_title_in_portal", "html_body", "plain_body", "metadata", "fields",
    "forum_topic_id", "sharing_agreement_ids", "allow_channelback", "allow_attachments", "from_messaging_channel", "locale",
    "locale_id", "photo", "shared", "shared_agent", "shared_phone_number", "two_factor_auth_enabled", "role_type", "report_csv",
    "restricted_agent", "only_private_comments", "ticket_restriction", "moderator", "iana_time_zone", "columns",
    "collapsed_for_agents", "shared_tickets", "shared_comments", "undeliverable_count", "deliverable_state", "account_id",
    "generated_timestamp",
})  # fmt: skip


def compact(body: Any) -> Any:
    """Without what is null or empty, and without noise."""
    if isinstance(body, Mapping):
        kept = {name: compact(value) for name, value in body.items() if name not in _NOISE and value is not None}
        return {name: value for name, value in kept.items() if value not in ({}, [])}
    return [compact(value) for value in body] if isinstance(body, list) else body


def done(ctx: Ctx, body: Mapping[str, Any], status: int = 204) -> Any:
    """Nothing over REST, as documented for 204; agents on the MCP face are told what was done."""
    return Reply(None, status) if ctx.request.method else body


def created(ctx: Ctx, body: dict[str, Any]) -> Reply:
    """A created record, with where it is."""
    url = next((v["url"] for v in body.values() if isinstance(v, dict) and "url" in v), "")
    return Reply(body, 201, {"Location": url})


app = App(
    "zendesk", Table, envelope=errors.envelope, invalid=invalid, not_found=lambda kind, key: errors.not_found(),
    no_route=lambda method, path: errors.coded(404, "InvalidEndpoint", "Not found"),
    malformed=lambda reason: ApiError(
        422, reason, body={"error": "Unprocessable Entity", "message": f"Server could not parse JSON: {reason}"}
    ),
    unauthorized=lambda: ApiError(
        401, "Couldn't authenticate you", body={"error": "Couldn't authenticate you"},
        headers={"WWW-Authenticate": 'Basic realm="Web Password"'},
    ),
    too_large=lambda limit: errors.titled(413, "Payload too large", f"The request body is larger than {limit} bytes"),
    around=around, unknown="ignore", trailing_slash=True, suffix=".json",
)  # fmt: skip
