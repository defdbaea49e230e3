"""Zendesk's refusals. It has several envelopes: a code with a description, the same with `details` by field, an object with a
title, a list. https://developer.zendesk.com/documentation/ticketing/using-the-zendesk-api/best-practices/#handling-errors"""

from typing import Any

from legoenv_mcp.app import ApiError

Details = dict[str, list[dict[str, Any]]]


def envelope(error: ApiError) -> Any:
    if error.body is not None:
        return error.body
    return {"error": error.code or "InternalError", "description": error.message}


def coded(status: int, code: str, description: str) -> ApiError:
    return ApiError(status, description, code=code)


def not_found() -> ApiError:
    return coded(404, "RecordNotFound", "Not found")


def titled(status: int, title: str, message: str) -> ApiError:
    return ApiError(status, message, body={"error": {"title": title, "message": message}})


def attribute(name: str, why: str, action: str = "") -> ApiError:
    """A parameter of the wrong kind, named with the endpoint that was asked."""
    place = f" from {action}" if action else ""
    return titled(
        400,
        "Invalid attribute",
        f"You passed an invalid value for the {name} attribute. Invalid parameter: {name} {why}{place}",
    )


def forbidden(
    message: str = "You do not have access to this page. Please contact the account owner of this help desk for further help.",
) -> ApiError:
    return titled(403, "Forbidden", message)


def listed(code: str, title: str, detail: str) -> ApiError:
    """The envelope of refused pagination."""
    return ApiError(400, detail, body={"errors": [{"code": code, "title": title, "detail": detail}]})


def record_invalid(details: Details) -> ApiError:
    text = "; ".join(p["description"] for problems in details.values() for p in problems)
    body = {"error": "RecordInvalid", "description": "Record validation errors", "details": details}
    return ApiError(422, text, body=body)


def refuse(field: str, description: str, error: str | None = "InvalidValue", **more: Any) -> ApiError:
    """One validation error of one field (`base` for the record as a whole)."""
    return record_invalid({field: [{"description": description, "error": error, **more}]})


class Problems:
    """Validation errors, collected so that a caller hears of all of them at once."""

    def __init__(self) -> None:
        self.details: Details = {}

    def add(self, field: str, description: str, error: str | None = "InvalidValue", **more: Any) -> None:
        self.details.setdefault(field, []).append({"description": description, "error": error, **more})

    def check(self) -> None:
        if self.details:
            raise record_invalid(self.details)


def too_many(name: str = "", limit: int = 100) -> ApiError:
    body = {
        "error": "TooManyValues",
        "description": f"Parameter {name} cannot specify more than {limit} values",
        "max_count": limit,
    }
    return ApiError(400, body["description"], body=body)
