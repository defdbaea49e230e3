"""Google's error object, and the query parameters that every method takes. https://google.aip.dev/193"""

from collections.abc import Mapping
from typing import Any

from legoenv_mcp.app import ApiError, Ctx

COMMON = frozenset(
    {"$.xgafv", "access_token", "alt", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser"}
    | {"upload_protocol", "uploadType", "upload_id", "userIp", "trace"}
)
"""Query parameters that every method takes."""


def envelope(error: ApiError, kinds: Mapping[int, tuple[str, str]], *, canonical: bool = True) -> dict[str, Any]:
    """The error object. An ApiError may carry reason, code, domain, location, location_type, violations, and `bare`.

    kinds: by HTTP status, the reason and the canonical code of an error that names none. canonical: whether the product tells the
    canonical code; the older APIs do not. `bare` leaves out the legacy `errors` list, where the caller asked for v2 errors.
    """
    reason, status = kinds.get(error.status, ("badRequest", "INVALID_ARGUMENT"))
    reason, status = error.reason or reason, error.code or status
    body: dict[str, Any] = {"code": error.status, "message": error.message}
    if not error.bare:
        entry = {"message": error.message, "domain": error.domain or "global", "reason": reason}
        if error.location:
            entry |= {"location": error.location, "locationType": error.location_type or "parameter"}
        body["errors"] = [entry]
    if canonical:
        body["status"] = status
    if error.violations:
        body["details"] = [
            {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [{"field": field, "description": text} for field, text in error.violations],
            }
        ]
    return {"error": body}


def unknown_parameters(ctx: Ctx) -> list[str]:
    """The query parameters of a REST call that neither its method nor every method has."""
    if ctx.operation is None or not ctx.request.method:
        return []
    known = COMMON | {p.wire for p in ctx.operation.params.values() if p.where == "query"}
    return [name for name in ctx.request.query if name not in known]
