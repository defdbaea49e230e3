"""Mailchimp's refusals: problem documents. https://mailchimp.com/developer/marketing/docs/errors/"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from legoenv_mcp.app import ApiError, Problem

TYPE = "https://mailchimp.com/developer/marketing/docs/errors/"
NO_ADDRESS = "Please provide a valid email address."
HEADERS = {"Content-Type": "application/problem+json; charset=utf-8"}
SEE_ERRORS = "The resource submitted could not be validated. For field-specific details, see the 'errors' array."
_TITLES = {
    400: "Bad Request", 401: "API Key Invalid", 403: "Forbidden", 404: "Resource Not Found", 405: "Method Not Allowed",
    413: "Request Entity Too Large", 429: "Too Many Requests", 500: "Internal Server Error",
}  # fmt: skip
_KINDS = {"dictionary": "object", "list": "array", "number": "number", "integer": "integer", "boolean": "boolean"}


def refuse(
    status: int, detail: str, title: str = "", headers: Mapping[str, str] | None = None, **info: Any
) -> ApiError:
    return ApiError(status, detail, title=title or _TITLES[status], headers={**HEADERS, **(headers or {})}, **info)


def envelope(error: ApiError) -> dict[str, Any]:
    title = error.title or _TITLES.get(error.status, "Bad Request")
    mark = hashlib.sha256(f"{title}\n{error.message}\n{error.errors}".encode()).hexdigest()
    body = {
        "type": TYPE, "title": title, "status": error.status, "detail": error.message,
        "instance": f"{mark[:8]}-{mark[8:12]}-{mark[12:16]}-{mark[16:20]}-{mark[20:32]}",
    }  # fmt: skip
    return {**body, "errors": error.errors} if error.errors else body


def invalid_resource(*errors: tuple[str, str], detail: str = SEE_ERRORS) -> ApiError:
    """400 Invalid Resource; each error is a field's name and what is wrong with it."""
    return refuse(400, detail, "Invalid Resource", errors=[{"field": f, "message": m} for f, m in errors])


def not_found() -> ApiError:
    return refuse(404, "The requested resource could not be found.")


def invalid_action(detail: str = "The action requested was not valid for this resource.") -> ApiError:
    return refuse(400, detail, "Invalid Action")


def not_allowed(detail: str = "", allow: Sequence[str] = ()) -> ApiError:
    text = "The requested method and resource are not compatible. See the Allow header for this resource's available methods."
    return refuse(405, detail or text, headers={"Allow": ", ".join(allow)} if allow else None)


def invalid(problems: list[Problem]) -> ApiError:
    """Bad arguments, as Mailchimp's JSON schema validator tells them."""
    if len(problems) == 1 and problems[0].name == "email_address" and NO_ADDRESS in problems[0].message:
        return invalid_resource(detail=NO_ADDRESS)
    missing = [p for p in problems if p.kind == "missing"]
    told = [(".".join(map(str, p.path[:-1])), f"Required fields were not provided: {p.path[-1]}") for p in missing] + [
        (p.name[:200], _message(p)) for p in problems if p.kind != "missing"
    ]
    return invalid_resource(*told)


def _message(problem: Problem) -> str:
    expected = str((problem.context or {}).get("expected", ""))
    if problem.kind == "enum":
        choices = re.findall(r"'([^']*)'", expected)
        return f"Data presented is not one of the accepted values: {', '.join(choices) or expected}."
    if problem.kind in ("type", "null"):
        found = re.search(r"valid (\w+)", problem.message)
        described = _KINDS.get(found[1], found[1]) if found else "another type"
        if described != "MISSING":
            return f"Schema describes {described}, {kind_of(problem.value)} found instead"
        return "Data did not match any of the schemas described in anyOf."
    if problem.kind == "unknown":
        return "This field is not part of the resource"
    return problem.message.removeprefix("Value error, ")[:300]


def kind_of(value: Any) -> str:
    """A value's JSON type in the validator's words."""
    if value is None:
        return "NULL"
    names = {bool: "boolean", int: "integer", float: "double", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "object")
