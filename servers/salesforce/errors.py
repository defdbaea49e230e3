"""Refusals as Salesforce words them: a list of `{message, errorCode, fields}`."""

from collections.abc import Iterable
from typing import Any

from legoenv_mcp.app import ApiError


def refusal(code: str, message: str, *fields: str, status: int = 400, listed: bool = True, **more: Any) -> ApiError:
    """An error. DML errors list their fields, even none; errors of the resource itself have no such list."""
    return ApiError(status, message, code=code, fields=list(fields) if listed else None, **more)


def not_found(message: str = "The requested resource does not exist", hint: str | None = None) -> ApiError:
    return refusal("NOT_FOUND", message, status=404, listed=False, hint=hint)


def deleted() -> ApiError:
    return refusal("ENTITY_IS_DELETED", "entity is deleted", status=404)


def no_column(name: str, sobject: str, hint: str | None = None) -> ApiError:
    return refusal("INVALID_FIELD", f"No such column '{name}' on sobject of type {sobject}", listed=False, hint=hint)


def method_not_allowed(method: str, allowed: Iterable[str]) -> ApiError:
    listed = ",".join(m for m in ("HEAD", "GET", "POST", "PATCH", "PUT", "DELETE") if m in allowed)
    message = f"HTTP Method '{method}' not allowed. Allowed are {listed}"
    return refusal("METHOD_NOT_ALLOWED", message, status=405, listed=False)


def json_error(message: str, hint: str | None = None) -> ApiError:
    return refusal("JSON_PARSER_ERROR", message, listed=False, hint=hint)


_SPELT = {"date": "A date is YYYY-MM-DD.", "datetime": "A time is ISO 8601 with zone, e.g. 2026-03-05T10:00:00Z."}


def cannot_read(kind: str, value: object) -> ApiError:
    """A value that the platform cannot read as the field's type."""
    token = {
        bool: "VALUE_TRUE" if value else "VALUE_FALSE",
        int: "VALUE_NUMBER_INT",
        float: "VALUE_NUMBER_FLOAT",
        list: "START_ARRAY",
        dict: "START_OBJECT",
    }
    shown = token.get(type(value), "VALUE_STRING")
    shown_value = f" value {value}" if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
    return json_error(
        f"Cannot deserialize instance of {kind} from {shown}{shown_value} or request may be missing a required field at [line:1, column:1]",
        _SPELT.get(kind),
    )


def not_writable(*fields: str, hint: str | None = None) -> ApiError:
    return refusal(
        "INVALID_FIELD_FOR_INSERT_UPDATE",
        f"Unable to create/update fields: {', '.join(fields)}. Please check the security settings of this field and verify that it is"
        " read/write for your profile or permission set.",
        *fields,
        hint=hint,
    )


def cross_reference(*fields: str) -> ApiError:
    return refusal("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id", *fields)


def body(error: ApiError) -> list[dict[str, Any]]:
    """The error as the REST API's body."""
    made: dict[str, Any] = {"message": error.message, "errorCode": error.code or "UNKNOWN_EXCEPTION"}
    if error.fields is not None:
        made["fields"] = error.fields
    if error.duplicateResult is not None:
        made["duplicateResult"] = error.duplicateResult
    if error.hint is not None:  # on the MCP face only
        made["hint"] = error.hint
    return [made]


def as_result(errors: Any) -> list[dict[str, Any]]:
    """The same errors as collections, trees and bulk jobs spell them in a record's result."""
    if not isinstance(errors, list):
        return [{"statusCode": "UNKNOWN_EXCEPTION", "message": str(errors), "fields": []}]
    return [
        {
            "statusCode": e.get("errorCode", "UNKNOWN_EXCEPTION"), "message": e.get("message", ""), "fields": e.get("fields") or [],
            **({"duplicateResult": e["duplicateResult"]} if "duplicateResult" in e else {}),
        }
        for e in errors
    ]  # fmt: skip
