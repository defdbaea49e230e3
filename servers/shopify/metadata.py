"""Metafields: typed values that hang on any resource. https://shopify.dev/docs/apps/build/custom-data/metafields/list-of-data-types"""

import json
import re
from typing import Any

from legoenv_mcp.app import Ctx

from .errors import BLANK, refused
from .inputs import MetafieldInput
from .models import Metafield, new

_JSON = frozenset(
    {"json", "json_string", "money", "dimension", "weight", "volume", "rating", "rich_text_field", "link"}
)
_PATTERNS = {
    "integer": r"-?\d{1,16}", "number_integer": r"-?\d{1,16}", "number_decimal": r"-?\d{1,13}(\.\d{1,9})?", "boolean": r"true|false",
    "date": r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", "color": r"#[0-9a-fA-F]{6}", "id": r"\S{1,255}",
    "date_time": r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(Z|[+-]\d\d:\d\d)?",
    "url": r"(https?|mailto|sms|tel):\S+", "single_line_text_field": r"[^\n]*",
}  # fmt: skip
_FREE = frozenset({"string", "multi_line_text_field"})
_REFERENCES = frozenset({
    "collection_reference", "customer_reference", "file_reference", "metaobject_reference", "mixed_reference", "page_reference",
    "product_reference", "variant_reference",
})  # fmt: skip


def checked(kind: str, value: str) -> str:
    """A value of a type, as it is kept."""
    element = kind.removeprefix("list.")
    if element not in _FREE | _REFERENCES | _JSON and element not in _PATTERNS:
        raise refused("type", f"'{kind}' is not a valid type")
    if kind.startswith("list."):
        made = _json(value)
        if not isinstance(made, list):
            raise refused("value", "must be a JSON array")
        for one in made:
            checked(element, one if isinstance(one, str) else json.dumps(one))
        return value
    if value == "" and element != "string":
        raise refused("value", BLANK)
    if element in _JSON:
        _json(value)
    elif element in _REFERENCES and not re.fullmatch(r"gid://shopify/\w+/\d+", value):
        raise refused("value", "must be a valid global id")
    elif element in _PATTERNS and not re.fullmatch(_PATTERNS[element], value):
        what = {
            "boolean": "must be true or false",
            "number_integer": "must be an integer",
            "integer": "must be an integer",
        }
        raise refused("value", what.get(element, f"is not a valid {element.replace('_', ' ')}"))
    return value


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise refused("value", "is invalid JSON") from None


def put(ctx: Ctx, owner: str, key: int, data: MetafieldInput) -> Metafield:
    """A new metafield of a resource."""
    for name, least, most in (("namespace", 3, 255), ("key", 2, 64)):
        text = data.__dict__[name]
        if not text:
            raise refused(name, BLANK)
        if not least <= len(text) <= most:
            word = f"short (minimum is {least}" if len(text) < least else f"long (maximum is {most}"
            raise refused(name, f"is too {word} characters)")
        if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
            raise refused(name, "may only contain letters, numbers, dashes and underscores")
    if data.value is None:
        raise refused("value", BLANK)
    kind = data.type or "single_line_text_field"
    value = checked(kind, data.value)
    if ctx.db.first(Metafield, owner_resource=owner, owner_id=key, namespace=data.namespace, key=data.key):
        raise refused("key", "must be unique within this namespace on this resource")
    at = ctx.timestamp()
    return ctx.db.add(
        Metafield(
            id=new(ctx, "Metafield"), owner_resource=owner, owner_id=key, namespace=data.namespace or "", key=data.key or "", value=value,
            type=kind, description=data.description, created_at=at, updated_at=at,
        )
    )  # fmt: skip


def change(ctx: Ctx, row: Metafield, data: MetafieldInput) -> Metafield:
    kind = data.type or row.type
    value = checked(kind, row.value if data.value is None else data.value)
    changes: dict[str, Any] = {"type": kind, "value": value, **data.given("description")}
    return ctx.db.update(row, **changes, updated_at=ctx.timestamp())


def attach(ctx: Ctx, owner: str, key: int, given: list[MetafieldInput]) -> None:
    """Metafields that come with their resource: those it has are changed."""
    for data in given:
        have = ctx.db.first(
            Metafield, owner_resource=owner, owner_id=key, namespace=data.namespace or "", key=data.key or ""
        )
        if data.id is not None:
            have = ctx.db.first(Metafield, owner_resource=owner, owner_id=key, id=data.id)
        if have is not None:
            change(ctx, have, data)
        else:
            put(ctx, owner, key, data)


def forget(ctx: Ctx, owner: str, key: int) -> None:
    ctx.db.delete_where(Metafield, owner_resource=owner, owner_id=key)
