"""Twilio's refusals. https://www.twilio.com/docs/usage/twilios-response#response-formats-exceptions"""

import re
from typing import Any, TypeVar

from legoenv_mcp.app import ApiError, Ctx, Problem, Row

from .models import Account

R = TypeVar("R", bound=Row)
_PRODUCT = re.compile(r"^/(messaging|verify|conversations|lookups|accounts)/v\d(?=/)")
PAGE_SIZES = 1000


def refuse(status: int, code: int, message: str) -> ApiError:
    return ApiError(status, message, code=code)


def envelope(error: ApiError) -> dict[str, Any]:
    code = error.code or {400: 20001, 401: 20003, 404: 20404, 413: 20413}.get(error.status, 20500)
    return {
        "code": code,
        "message": error.message,
        "more_info": f"https://www.twilio.com/docs/errors/{code}",
        "status": error.status,
    }


def not_found(path: str) -> ApiError:
    return refuse(404, 20404, f"The requested resource {path} was not found")


def path_of(ctx: Ctx) -> str:
    """The address of what was asked for, as Twilio names it in refusals: without the product's own prefix."""
    if ctx.request.path:
        return _PRODUCT.sub("", ctx.request.path)
    operation = ctx.operation
    assert operation is not None
    account = ctx.db.first(Account)
    values = {**ctx.args.__dict__, "AccountSid": account.sid if account else ""} if ctx.args else {}
    path = re.sub(r"\{(\w+)\}", lambda m: str(values.get(m[1], "")), operation.path)
    short = _PRODUCT.sub("", path)
    return short if short != path else f"{path}.json"


def require(ctx: Ctx, cls: type[R], key: str, **also: Any) -> R:
    """The row that the path names; `also` is what must hold for it to be there."""
    row = ctx.db.get(cls, key)
    if row is None or any(getattr(row, name) != value for name, value in also.items()):
        raise not_found(path_of(ctx))
    return row


def invalid(problems: list[Problem]) -> ApiError:
    """Bad arguments. Verify says 60200 where the others say 20001."""
    first = problems[0]
    name, verify = first.name[:100], "verif" in first.tool
    if first.kind == "missing":
        return refuse(400, 20001, f"Missing required parameter {name} in the post body")
    if first.kind == "unknown":
        return refuse(400, 20001, f"Unknown parameter {name}")
    if name == "PageSize" and first.kind == "range":
        if str(first.value).lstrip("0+").startswith("-") or str(first.value).strip("0") == "":
            return refuse(400, 20006, "Page size must be greater than 0")
        return refuse(400, 20007, f"Page size must be less than or equal to {PAGE_SIZES}")
    shown = str(first.value)[:100]
    if verify:
        return refuse(400, 60200, f"Invalid parameter `{name}`: {shown}")
    return refuse(400, 20001, f"Invalid value for parameter {name}: {shown} ({first.message[:150]})")
