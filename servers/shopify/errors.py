"""Shopify's refusals: `{"errors": ...}` with a text, or with a list of messages for each field. https://shopify.dev/docs/api/usage/response-codes"""

from typing import Any

from legoenv_mcp.app import ApiError, Problem

BLANK = "can't be blank"


def envelope(error: ApiError) -> dict[str, Any]:
    return {"errors": error.errors if error.errors is not None else error.message}


def refused(field: str, *messages: str) -> ApiError:
    """422: a field's value breaks a rule of the resource."""
    return ApiError(422, f"{field} {messages[0]}", errors={field: list(messages)})


def bad(parameter: str, message: str) -> ApiError:
    """400: a parameter cannot be read."""
    return ApiError(400, f"{parameter}: {message}", errors={parameter: message})


def not_found() -> ApiError:
    return ApiError(404, "Not Found")


_RUBY = {dict: "Hash", list: "Array", str: "String", int: "Integer", float: "Float", bool: "Boolean", type(None): "NilClass"}  # fmt: skip
_WANTED = (
    ("integer", "Integer"), ("number", "Float"), ("boolean", "Boolean"), ("dictionary", "Hash"), ("instance", "Hash"), ("object", "Hash"),
    ("list", "Array"), ("string", "String"),
)  # fmt: skip


def invalid(problems: list[Problem]) -> ApiError:
    """Arguments that do not fit the operation."""
    first = problems[0]
    name = str(next((part for part in reversed(first.path) if isinstance(part, str)), "base"))
    nested = len(first.path) > 1
    if first.kind in ("missing", "null") and not nested:
        return bad(name, "Required parameter missing or invalid")
    if first.kind == "missing":
        return refused(name, BLANK)
    if first.kind == "unknown":
        return bad(name, "is not a parameter of this operation")
    if first.kind in ("type", "null") or "beyond 64 bits" in first.message:
        least = "Integer" if "beyond 64 bits" in first.message else "String"
        wanted = next((word for text, word in _WANTED if text in first.message.lower()), least)
        if wanted == "Integer" and (name == "id" or name.endswith(("_id", "_ids", "ids"))):
            wanted = "id"
        return bad(name, f"expected {_RUBY.get(type(first.value), 'String')} to be a {wanted}")
    if first.kind == "enum":
        if nested:
            return refused(name, "is not included in the list")
        return bad(name, f"is not a valid value. {first.message.replace('Input should', 'It must')}")
    if first.kind == "length":
        return refused(name, f"is too long (maximum is {(first.context or {}).get('max_length', 255)} characters)")
    if first.kind == "range":
        return refused(name, first.message.replace("Input should", "must").replace("must be", "must be"))
    return refused(name, "is invalid")
