"""Twilio's answers. https://www.twilio.com/docs/usage/twilios-response

Twilio's products live on hosts of their own; here they share one address. What is below api.twilio.com is below the address itself
(`/2010-04-01/...`), the others are below their host's first name: `/messaging/v1`, `/verify/v2`, `/conversations/v1`, `/lookups/v2` and
`/accounts/v1`. With the vendor's SDK: `client.api.base_url = address`, `client.messaging.base_url = f"{address}/messaging"` and so on.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from legoenv_mcp.app import ApiError, App, Ctx, Field, Query, Reply

from . import errors
from .errors import not_found, path_of, refuse
from .models import Table
from .resources import VERSION, account_sid

AccountSid = Annotated[str, Query(mcp=False), Field(description="The SID of the account, which list_accounts tells.")]
"""The account in the path. On the MCP face it is the only one there is."""
ACCOUNT = f"/{VERSION}/Accounts/{{AccountSid}}"

_NOISE = frozenset(
    {"api_version", "subresource_uris", "links", "uri", "first_page_uri", "first_page_url", "account_sid", "queue_time"}
)
_KEPT = frozenset({"next_page_uri", "next_page_url", "body"})


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """The account in the path must be the caller's; agents are spared what only programs use."""
    given = ctx.args.__dict__.get("AccountSid") if ctx.args else None
    if given and given != account_sid(ctx):
        raise not_found(path_of(ctx))
    result = call()
    return result if ctx.request.method or isinstance(result, Reply) else compact(result)


def compact(body: Any) -> Any:
    """An answer for a model's context: without what is null, empty, or an address that tools do not take."""
    if isinstance(body, Mapping):
        return {
            name: compact(value)
            for name, value in body.items()
            if name not in _NOISE and not name.endswith("_method") and (value not in (None, "", {}) or name in _KEPT)
        }
    return [compact(item) for item in body] if isinstance(body, list) else body


def _no_route(method: str, path: str) -> ApiError:
    if app.router.match(method, path)[2]:
        return refuse(405, 20004, "Method not allowed")
    return not_found(path)


app = App(
    "twilio", Table, envelope=errors.envelope, invalid=errors.invalid, not_found=lambda kind, key: not_found(f"/{kind}s/{key}"),
    no_route=_no_route, malformed=lambda reason: refuse(400, 20001, f"The request body cannot be read: {reason}"),
    unauthorized=lambda: ApiError(
        401, "Authenticate", code=20003, headers={"WWW-Authenticate": 'Basic realm="Twilio API"'}
    ),
    too_large=lambda limit: refuse(413, 20413, "Request Entity Too Large"), around=around, unknown="ignore", suffix=".json",
)  # fmt: skip
