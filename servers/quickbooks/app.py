"""QuickBooks Online's answers. https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api"""

import re
from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Problem

from . import faults
from .models import Table
from .models.base import REALM
from .models.company import Request

PREFIX = f"/v3/company/{REALM}"


def invalid(problems: list[Problem]) -> ApiError:
    """Arguments that do not fit. Over REST bodies are read by the records themselves, so this is about parameters mostly."""
    first = problems[0]
    if first.kind == "missing":
        return faults.missing(first.name)
    if first.kind == "enum":
        return faults.enumeration(first.value, first.name)
    if first.kind == "length" and isinstance(first.value, str) and first.context and "max_length" in first.context:
        return faults.length(first.name, first.context["max_length"], len(first.value))
    return faults.unsupported_property(first.name)


def no_route(method: str, path: str) -> ApiError:
    company = re.match(r"/v3/company/([^/]*)", path)
    if company and company[1] != REALM:
        message = "message=ApplicationAuthorizationFailed; errorCode=003100; statusCode=403"
        return ApiError(403, message, code="3100", kind="SERVICE", gateway=True)
    relative = path.replace(REALM, ":realmid")
    return faults.unsupported(f"Could not find resource for relative : {method} {relative}")


def unauthorized() -> ApiError:
    message = "message=AuthenticationFailed; errorCode=003200; statusCode=401"
    return ApiError(
        401, message, detail="Token expired or missing", code="3200", kind="AUTHENTICATION", gateway=True,
        headers={"WWW-Authenticate": "Bearer"},
    )  # fmt: skip


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """Stamps refusals with the time, reads `minorversion`, and answers a repeated `requestid` with what it was answered before."""
    try:
        version = ctx.request.query.get("minorversion", "")
        if version and not re.fullmatch(r"[0-9]{1,4}", version):
            raise faults.fault("2030", "Invalid ID", f"Invalid minorversion : {version[:40]}", "minorversion")
        key = ctx.request.query.get("requestid", "")
        if not key or ctx.operation is None or ctx.operation.reads:
            return call()
        if len(key) > 50:
            raise faults.length("requestid", 50, len(key))
        seen = ctx.db.get(Request, key)
        if seen is not None:
            return seen.response
        result = call()
        if isinstance(result, dict):
            ctx.db.add(Request(requestid=key, response=result))
        return result
    except ApiError as error:
        error.info["time"] = ctx.timestamp()
        raise


def answer(ctx: Ctx, **parts: Any) -> dict[str, Any]:
    """The success envelope: the object under its type's name, and the time."""
    return {**parts, "time": ctx.timestamp("milliseconds")}


app = App(
    "quickbooks",
    Table,
    envelope=faults.body,
    invalid=invalid,
    not_found=lambda kind, key: faults.not_found(),
    no_route=no_route,
    malformed=lambda reason: faults.unsupported_property(f"Unexpected input ({reason})"),
    unauthorized=unauthorized,
    too_large=lambda limit: faults.fault(
        "6030", "Upload request size exceeds allowed limit", f"The request is larger than {limit} bytes", status=413
    ),
    around=around,
    unknown="ignore",
    unknown_query="ignore",
    prefix=PREFIX,
    trailing_slash=True,
)

__all__ = ["PREFIX", "REALM", "answer", "app"]
