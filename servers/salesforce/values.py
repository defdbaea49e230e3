"""A value sent for a field -> the value stored, or the platform's refusal."""

import base64
import binascii
import re
from collections.abc import Iterable
from typing import Any

from legoenv_mcp.app import ApiError, Ctx

from . import errors, ids, metadata, times
from .metadata import FieldInfo, SObjectType

_EMAIL = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+"
)
_NUMBER = re.compile(r"[+-]?\d{1,30}(?:\.\d{1,30})?")
_JSON_KINDS = {"int": "int", "double": "double", "currency": "double", "percent": "double"}


def read(ctx: Ctx, kind: SObjectType, info: FieldInfo, value: Any) -> Any:
    """The stored form of a value sent for a field."""
    if info.type == "boolean":
        return _boolean(value)
    if value is None or value == "":
        return None
    if info.type in metadata.NUMERIC:
        return _number(info, value)
    if info.type == "date":
        return _required(times.read_date(value), "date", value)
    if info.type == "datetime":
        return _required(times.read_datetime(value), "datetime", value)
    if info.type == "reference":
        return reference(ctx, info, value)
    return _text(info, value)


def _required(made: str | None, kind: str, value: Any) -> str:
    if made is None:
        raise errors.cannot_read(kind, value)
    return made


def _boolean(value: Any) -> bool:
    if value is None:
        return False
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if isinstance(value, bool):
        return value
    raise errors.cannot_read("boolean", value)


def _number(info: FieldInfo, value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise errors.cannot_read(_JSON_KINDS[info.type], value)
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value.strip()):
            raise errors.cannot_read(_JSON_KINDS[info.type], value)
        value = float(value) if "." in value else int(value)
    if info.type == "int":
        if value != int(value):
            raise errors.cannot_read("int", value)
        value = int(value)
    limit = 2**31 if info.type == "int" else 10 ** max(info.spec.precision - info.spec.scale, 1)
    if abs(value) >= limit:
        raise errors.refusal(
            "NUMBER_OUTSIDE_VALID_RANGE",
            f"{info.spec.label}: value outside of valid range on numeric field: {value}",
            info.name,
        )
    return value if info.type == "int" else round(float(value), info.spec.scale)


def _text(info: FieldInfo, value: Any) -> str | None:
    if not isinstance(value, str):
        raise errors.cannot_read("string", value)
    value = value.strip()
    if not value:
        return None
    if len(value) > info.spec.length:
        raise errors.refusal(
            "STRING_TOO_LONG",
            f"{info.spec.label}: data value too large: {value[:1000]} (max length={info.spec.length})",
            info.name,
        )
    if info.type == "email" and not _EMAIL.fullmatch(value):
        raise errors.refusal("INVALID_EMAIL_ADDRESS", f"{info.spec.label}: invalid email address: {value}", info.name)
    if info.type == "picklist":
        return choice(info, value)
    if info.type == "multipicklist":
        return ";".join(part.strip() for part in value.split(";") if part.strip()) or None
    if info.type == "base64":
        try:
            base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            raise errors.cannot_read("base64", value[:80]) from None
    return value


def choice(info: FieldInfo, value: str) -> str:
    """A picklist's value; where the picklist is restricted only those it lists."""
    found = next((v for v in info.spec.values if v.casefold() == value.casefold()), None)
    if found is None and info.spec.restricted:
        raise bad_choice(info, value)
    return found or value


def bad_choice(info: FieldInfo, value: str, choices: Iterable[str | None] = ()) -> ApiError:
    listed = ", ".join(map(str, choices or info.spec.values))
    return errors.refusal(
        "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
        f"{info.spec.label}: bad value for restricted picklist field: {value}",
        info.name,
        hint=f"One of: {listed}.",
    )


def reference(ctx: Ctx, info: FieldInfo, value: Any) -> str:
    """The id of a record that is there and of a type the field may refer to."""
    if not isinstance(value, str):
        raise errors.cannot_read("reference", value)
    record_id = ids.full(value.strip())
    wrong = f"{info.spec.label}: id value of incorrect type: {value}"
    wanted = f"{info.name} takes the 15 or 18 character id of: {', '.join(info.spec.to)}."
    if record_id is None:
        raise errors.refusal("MALFORMED_ID", wrong, info.name, hint=wanted)
    target = metadata.of_id(record_id)
    if target is None or target.name not in info.spec.to:
        raise errors.refusal("FIELD_INTEGRITY_EXCEPTION", wrong, info.name, hint=wanted)
    row = ctx.db.get(target.cls, record_id)
    if row is None:
        raise errors.cross_reference(info.name)
    if row.IsDeleted:
        raise errors.refusal("ENTITY_IS_DELETED", "entity is deleted", info.name)
    return record_id
