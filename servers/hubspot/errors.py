"""Refusals as HubSpot words them: `{status, message, correlationId, category, errors, context}`."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from legoenv_mcp.app import ApiError

VALIDATION = "VALIDATION_ERROR"
Bad = tuple[str, str, str]
"""A property that was refused: name, message, code."""


def refusal(status: int, message: str, category: str = VALIDATION, **more: Any) -> ApiError:
    return ApiError(status, message, category=category, **more)


def bad_request(message: str, **more: Any) -> ApiError:
    return refusal(400, message, **more)


def not_found(message: str = "resource not found", **more: Any) -> ApiError:
    return refusal(404, message, "OBJECT_NOT_FOUND", **more)


def no_object(object_id: str) -> ApiError:
    if object_id.isdecimal():
        return not_found(context={"id": [object_id]}, subCategory="crm.objects.NOT_FOUND")
    return not_found("Object not found.  objectId are usually numeric.", context={"id": [object_id]})


def no_type(name: str) -> ApiError:
    return ApiError(400, f"Unable to infer object type from: {name}")


def bad_json(message: str) -> ApiError:
    return ApiError(400, f"Invalid input JSON on line 1, column 1: {message}")


def bad_properties(portal: int, bad: Sequence[Bad]) -> ApiError:
    """Properties that do not pass. The message lists them as JSON, which some clients read."""
    listed = [
        {"isValid": False, "message": message, "error": code, "name": name, "localizedErrorMessage": message, "portalId": portal}
        for name, message, code in bad
    ]  # fmt: skip
    detail = [{"message": message, "code": code, "context": {"propertyName": [name]}} for name, message, code in bad]
    text = json.dumps(listed, separators=(",", ":"), ensure_ascii=False)
    return refusal(400, f"Property values were not valid: {text}", errors=detail)


def conflict(message: str, **more: Any) -> ApiError:
    return refusal(409, message, "CONFLICT", **more)


def taken(label: str, existing: str) -> ApiError:
    return conflict(f"{label} already exists. Existing ID: {existing}")


def body(error: ApiError) -> dict[str, Any]:
    """The error as the API's body. The correlation id is drawn from the content, so that reads need no generator."""
    digest = hashlib.blake2b(f"{error.status}{error.message}".encode(), digest_size=16).hexdigest()
    made: dict[str, Any] = {
        "status": "error", "message": error.message,
        "correlationId": f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:]}",
    }  # fmt: skip
    for name in ("category", "subCategory", "errors", "context", "links"):
        if (value := getattr(error, name)) is not None:
            made[name] = value
    return made
