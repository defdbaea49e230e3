"""Intercom's refusals: a list of errors, each a code and a message.
https://developers.intercom.com/docs/references/rest-api/errors/error-codes"""

from typing import Any

from legoenv_mcp.app import ApiError, Problem, draw

# What is missing, in the words of the endpoint that looks for it.
_MISSING = {
    "Contact": ("not_found", "User Not Found"),
    "Company": ("company_not_found", "Company Not Found"),
    "Admin": ("admin_not_found", "Admin not found"),
    "Team": ("team_not_found", "Team not found"),
    "Ticket": ("ticket_not_found", "Ticket not found"),
    "Job": ("job_not_found", "Job Not Found"),
    "DataAttribute": ("field_not_found", "We couldn't find that data attribute to update"),
}


def refuse(status: int, code: str, message: str) -> ApiError:
    return ApiError(status, message, code=code)


def invalid_parameter(message: str, status: int = 400) -> ApiError:
    return refuse(status, "parameter_invalid", message)


def missing_parameter(message: str, status: int = 400) -> ApiError:
    return refuse(status, "parameter_not_found", message)


def not_found(kind: str = "", key: Any = None) -> ApiError:
    return refuse(404, *_MISSING.get(kind, ("not_found", "Resource Not Found")))


def unauthorized() -> ApiError:
    return ApiError(
        401, "Access Token Invalid", code="unauthorized", headers={"WWW-Authenticate": 'Bearer realm="Intercom"'}
    )


def _spoken(name: str) -> str:
    return name.replace("_", " ").capitalize()


def invalid(problems: list[Problem]) -> ApiError:
    """Arguments that do not fit: unknown ones first, since a name spelt wrong is often also what is missing."""
    for kind in ("unknown", "missing"):
        first = next((p for p in problems if p.kind == kind), None)
        if first is not None and kind == "unknown":
            return refuse(400, "bad_request", f"bad '{first.name}' parameter")
        if first is not None:
            return missing_parameter(f"{_spoken(first.name)} is a required parameter.")
    first = problems[0]
    return invalid_parameter(f"{first.name} is invalid: {first.message[:1].lower()}{first.message[1:]}")


def request_id(*parts: object) -> str:
    """An id of a request: the same for the same request, so that replays give the same bytes."""
    text = draw("request", *parts).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"


def envelope(error: ApiError) -> dict[str, Any]:
    code = error.code or ("server_error" if error.status >= 500 else "client_error")
    shown = error.request_id or request_id(error.status, code, error.message)
    return {"type": "error.list", "request_id": shown, "errors": [{"code": code, "message": error.message}]}
