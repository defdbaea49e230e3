"""Checks of nested JSON that refuse as Notion does: `body.children[0].paragraph.rich_text should be defined, instead was `undefined`.`

A check takes the value and its path and returns the value as it is kept. Checks are built from the ones below like the types of the
API reference.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from legoenv_mcp.app import ApiError, Ctx, draw

Check = Callable[[Ctx, Any, str], Any]

_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)
_SHOWN = 50


class _Undefined:
    pass


UNDEFINED = _Undefined()


def validation(message: str) -> ApiError:
    return ApiError(400, message, code="validation_error")


def dashed(hexadecimal: str) -> str:
    """32 hexadecimal digits as a UUID is written."""
    h = hexadecimal.replace("-", "").lower()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def uuid_of(*parts: object) -> str:
    """A UUID (version 4) that depends on the parts alone."""
    h = draw("notion", *parts, size=16).hex()
    return dashed(f"{h[:12]}4{h[13:16]}{'89ab'[int(h[16], 16) % 4]}{h[17:]}")


def shown(value: Any) -> str:
    """A value as Notion's messages quote it."""
    if value is UNDEFINED:
        return "undefined"
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def told(path: str, expected: str, value: Any = UNDEFINED) -> str:
    return f"{path} should be {expected}, instead was `{shown(value)}`."


def failed(*messages: str) -> ApiError:
    """A refusal of what the path's root (`body`, `query`, `path`) holds; any one of the messages' demands would do."""
    root = re.split(r"[.\[]", messages[0], maxsplit=1)[0]
    if len(messages) == 1:
        return validation(f"{root} failed validation: {messages[0]}")
    return validation(f"{root} failed validation. Fix one:\n" + "\n".join(messages))


def refuse(path: str, expected: str, value: Any = UNDEFINED) -> NoReturn:
    raise failed(told(path, expected, value))


def choice(names: Sequence[str]) -> str:
    """`"a"`, `"b"`, or `"c"`."""
    quoted = [f'`"{name}"`' for name in names]
    if len(quoted) < 3:
        return " or ".join(quoted)
    return f"{', '.join(quoted[:-1])}, or {quoted[-1]}"


# Scalars


def text(most: int = 2000, least: int = 0) -> Check:
    def check(_ctx: Ctx, value: Any, path: str) -> str:
        if not isinstance(value, str):
            refuse(path, "a string", value)
        if len(value) > most:
            refuse(f"{path}.length", f"≤ `{most}`", len(value))
        if len(value) < least:
            refuse(f"{path}.length", f"≥ `{least}`", len(value))
        return value

    return check


def boolean(_ctx: Ctx, value: Any, path: str) -> bool:
    if not isinstance(value, bool):
        refuse(path, "a boolean", value)
    return value


def number(_ctx: Ctx, value: Any, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        refuse(path, "a number", value)
    return value


def enum(*names: str) -> Check:
    def check(_ctx: Ctx, value: Any, path: str) -> str:
        if not isinstance(value, str) or value not in names:
            refuse(path, choice(names), value)
        return value

    return check


def uid(value: Any, path: str) -> str:
    """An id, with or without its dashes."""
    if not isinstance(value, str) or not _UUID.fullmatch(value):
        refuse(path, "a valid uuid", value)
    return dashed(value)


def uuid(_ctx: Ctx, value: Any, path: str) -> str:
    return uid(value, path)


def anything(_ctx: Ctx, value: Any, _path: str) -> Any:
    return value


def nothing(_ctx: Ctx, value: Any, path: str) -> Any:
    refuse(path, "not present", value)


def nullable(inner: Check) -> Check:
    return lambda ctx, value, path: None if value is None else inner(ctx, value, path)


# Structures


def array(item: Check, most: int = 100) -> Check:
    def check(ctx: Ctx, value: Any, path: str) -> list[Any]:
        if not isinstance(value, list):
            refuse(path, "an array", value)
        if len(value) > most:
            refuse(f"{path}.length", f"≤ `{most}`", len(value))
        return [item(ctx, one, f"{path}[{i}]") for i, one in enumerate(value)]

    return check


def an_object(value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        refuse(path, "an object", value)
    return value


def obj(fields: Mapping[str, Check], required: Sequence[str] = ()) -> Check:
    """An object with these fields and no others."""

    def check(ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
        given = an_object(value, path)
        for name in required:
            if name not in given:
                refuse(f"{path}.{name}", "defined")
        for name in given:
            if name not in fields:
                refuse(f"{path}.{name}", "not present", given[name])
        return {name: fields[name](ctx, one, f"{path}.{name}") for name, one in given.items()}

    return check


def one_of(arms: Mapping[str, Check], common: Mapping[str, Check] | None = None) -> Check:
    """An object of one of several kinds, told by the key it has and perhaps by `type`: {"type": kind, kind: ..., common ...}."""
    shared = common or {}

    def check(ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
        given = an_object(value, path)
        kind = given.get("type")
        if "type" in given and (not isinstance(kind, str) or kind not in arms):
            refuse(f"{path}.type", choice(list(arms)), kind)
        present = [name for name in given if name in arms]
        if kind is None:
            if not present:
                raise failed(*(told(f"{path}.{name}", "defined") for name in arms))
            kind = present[0]
        if kind not in given:
            refuse(f"{path}.{kind}", "defined")
        for name in given:
            if name not in (kind, "type") and name not in shared:
                refuse(f"{path}.{name}", "not present", given[name])
        made = {name: shared[name](ctx, given[name], f"{path}.{name}") for name in shared if name in given}
        return {"type": kind, kind: arms[kind](ctx, given[kind], f"{path}.{kind}"), **made}

    return check
