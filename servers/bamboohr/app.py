"""BambooHR's answers: XML or JSON, and refusals in a header. https://documentation.bamboohr.com/docs/api-details"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from legoenv_mcp.app import MISSING, App, Ctx, Header, Query, Reply, draw

from . import errors, xml
from .dates import address
from .errors import refuse
from .models import Table

Accept = Annotated[str | MISSING, Header("Accept")]
"""`application/json` for JSON; XML otherwise."""
Format = Annotated[str | MISSING, Query("format", mcp=False)]


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """An operation that has both shows XML unless JSON is accepted. The MCP face is spared what is empty."""
    operation = ctx.operation
    assert operation is not None
    result = call()
    reply = result if isinstance(result, Reply) else Reply(result, operation.status)
    if not ctx.request.method:
        if not reply.error and not reply.media_type:
            reply.body = compact(reply.body)
        return reply
    reply.headers = {"X-Request-ID": draw(operation.tool, ctx.timestamp(), ctx.request.url).hex()[:32], **reply.headers}
    if reply.body is None and not reply.media_type:
        reply.body, reply.media_type = "", "text/html; charset=UTF-8"
    elif operation.tool in xml.DOCUMENTS and not wants_json(ctx) and not reply.error:
        reply.body, reply.media_type = xml.document(operation.tool, reply.body), xml.MEDIA
    return reply


def wants_json(ctx: Ctx) -> bool:
    """Whether JSON is asked for, by the header or by `format=json`."""
    asked = "application/json" in ctx.request.headers.get("accept", "")
    return not ctx.request.method or asked or ctx.request.query.get("format", "").lower() == "json"


def compact(body: Any) -> Any:
    """Without what is null, and without what every record has alike."""
    if isinstance(body, Mapping):
        return {k: compact(v) for k, v in body.items() if v is not None and k not in _NOISE}
    return [compact(one) for one in body] if isinstance(body, list) else body


_NOISE = frozenset({
    "canUploadPhoto", "photoUploaded", "photoUrl", "_restrictedFields", "_links", "avatar", "canRenameCategory", "canDeleteCategory",
    "displayIfEmpty", "canRenameFile", "canDeleteFile", "canChangeShareWithEmployeeFieldValue", "effectiveDate", "icon", "color",
    "createdDate", "bypass", "translatedName",
})  # fmt: skip


def done(ctx: Ctx, code: int = 200, headers: dict[str, str] | None = None, /, **told: Any) -> Reply:
    """No body over REST, as documented; agents on the MCP face are told what was done."""
    return Reply(None if ctx.request.method else {"success": True, **told}, code, headers or {})


def located(ctx: Ctx, path: str) -> dict[str, str]:
    """The Location of something new."""
    return {"Location": address(ctx, path)}


app = App(
    "bamboohr", Table, envelope=errors.envelope, invalid=errors.invalid, not_found=errors.not_found,
    no_route=lambda method, path: refuse(404, f"Not Found: {method} {path}"),
    malformed=lambda reason: refuse(400, f"Malformed JSON: {reason}"),
    unauthorized=lambda: refuse(401, "Invalid API key", headers={"WWW-Authenticate": 'Basic realm="BambooHR API"'}),
    too_large=lambda limit: refuse(413, f"The request is larger than {limit} bytes"),
    around=around, unknown="ignore", unknown_query="ignore", arrays="bracket", trailing_slash=True, xml=xml.arguments,
    media=("text/xml", "text/html"),
    prefix=("/api/gateway.php/{companyDomain}", "/api"),
)  # fmt: skip
