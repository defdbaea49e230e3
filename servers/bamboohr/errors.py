"""How BambooHR refuses: an empty body with the reason in a header. https://documentation.bamboohr.com/docs/api-details

Newer endpoints have problem documents or `{"error": ...}`. Agents on the MCP face, who see no headers, are told the reason in the text.
"""

import json
from typing import Any

from legoenv_mcp.app import ApiError, Problem

HEADER = "X-BambooHR-Error-Message"


def refuse(status: int, message: str, body: Any = None, headers: dict[str, str] | None = None) -> ApiError:
    """A refusal. `body` is for the endpoints whose errors have one."""
    message = " ".join(message.split())[:300]
    shown = {"status": status, **(body if isinstance(body, dict) else {"error": message})}
    kind = {} if body is not None else {"Content-Type": "text/html; charset=UTF-8"}
    return ApiError(
        status, message, headers={HEADER: message, **kind, **(headers or {})}, body=body, shown=json.dumps(shown, ensure_ascii=False)
    )  # fmt: skip


def problem(status: int, title: str, detail: str, code: str = "") -> ApiError:
    """An RFC 9457 problem, as the datasets and time tracking have it."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail[:300]}
    return refuse(status, detail, {**body, **({"code": code} if code else {})})


def coded(status: int, code: Any, message: str) -> ApiError:
    """The `error` object of the employee list and the custom reports."""
    return refuse(status, message, {"error": {"code": code, "message": message}})


def envelope(error: ApiError) -> Any:
    return "" if error.body is None else error.body


def invalid(problems: list[Problem]) -> ApiError:
    """Arguments that do not fit; the newer endpoints have their own envelope for that."""
    told = "; ".join(f"{p.name}: {p.message}" for p in problems)
    tool = problems[0].tool
    if tool == "list_employees":
        return coded(400, "BadPage" if problems[0].path[0] == "page" else "BadRequest", told)
    if tool.startswith(("list_timesheet", "create_timesheet", "create_or_update_timesheet", "delete_timesheet")):
        return problem(400, "Bad Request", told)
    if tool.startswith("create_webhook") or tool.startswith("update_webhook"):
        return refuse(400, told, {"errors": [{"error": "Invalid request", "issues": told.split("; ")}]})
    return refuse(400, told)


def not_found(kind: str, key: Any) -> ApiError:
    return refuse(404, f"{kind} {key} was not found")


def no_employee() -> ApiError:
    return refuse(404, "Employee not found")
