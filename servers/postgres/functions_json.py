"""json and jsonb: operators and functions."""

import json
from decimal import Decimal
from typing import Any

from . import values
from .errors import SqlError
from .jsonedits import _at, _concat, _path, _set, _steps, _strip, _without, _without_path, contains
from .signatures import function, operator
from .values import J, Setting, print_json, read_json


def to_plain(kind: str, value: Any, s: Setting) -> Any:
    """A value of SQL's as JSON data."""
    if value is None:
        return None
    match value:
        case bool() | Decimal():
            return value if not isinstance(value, Decimal) or value.is_finite() else "NaN"
        case int() if kind != "regclass":
            return Decimal(value)
        case float():
            return (
                Decimal(values.print_float(value))
                if value == value and abs(value) != float("inf")
                else values.print_float(value)
            )
        case J():
            return value.v
        case list():
            return [to_plain(kind[1:], v, s) for v in value]
        case Record():
            return {name: to_plain(k, v, s) for name, k, v in zip(value.names, value.kinds, value, strict=True)}
        case tuple() if not hasattr(value, "months"):
            return {f"f{n}": to_plain(values.kind_of(v), v, s) for n, v in enumerate(value, 1)}
        case _:
            pass
    if kind == "json":
        return read_json(value, "json")
    made = values.text(kind, value, s)
    return (
        made.replace(" ", "T", 1)
        + ("" if kind == "timestamp" or (":" in made[-6:-2] and made[-3] == ":" and made[-6] in "+-") else ":00")
        if kind in ("timestamp", "timestamptz")
        else made
    )


class Record(tuple[Any, ...]):
    """A composite value that knows its columns."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, cells: Any, names: tuple[str, ...], kinds: tuple[str, ...]) -> "Record":
        made = cls(cells)
        made.names, made.kinds = names, kinds
        return made


def _data(kind: str, value: Any) -> Any:
    return value.v if kind == "jsonb" else read_json(value, "json")


def _made(kind: str, value: Any) -> Any:
    """A part of a JSON value, in the type of the whole."""
    return J(value) if kind == "jsonb" else print_json(value, compact=True)


def _pairs(names: list[Any], items: list[Any]) -> dict[str, Any]:
    if len(names) != len(items):
        raise SqlError("2202E", "mismatched array dimensions")
    if any(name is None for name in names):
        raise SqlError("22004", "null value not allowed for object key")
    if any(isinstance(v, list) for v in (*names, *items)):
        raise SqlError("2202E", "wrong number of array subscripts")
    return dict(zip(names, items, strict=True))


def _paired(items: list[Any]) -> dict[str, Any]:
    if len(items) % 2:
        raise SqlError("2202E", "array must have even number of elements")
    return _pairs(items[::2], items[1::2])


def _text(value: Any) -> str | None:
    return None if value is None else value if isinstance(value, str) else print_json(value)


def _json_text(kind: str, value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return print_json(value, compact=kind == "json")


def _typeof(data: Any) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", Decimal: "number", type(None): "null"}
    return names[type(data)]


def _length(data: Any) -> int:
    if not isinstance(data, list):
        raise SqlError(
            "22023",
            "cannot get array length of a non-array"
            if isinstance(data, dict)
            else "cannot get array length of a scalar",
        )
    return len(data)


def _elements(data: Any, what: str) -> list[Any]:
    if not isinstance(data, list):
        raise SqlError("22023", f"cannot extract elements from {'an object' if isinstance(data, dict) else 'a scalar'}")
    del what
    return data


def _fields(data: Any, name: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise SqlError("22023", f"cannot call {name} on {'an array' if isinstance(data, list) else 'a scalar'}")
    return data


def _sorted(data: dict[str, Any], kind: str) -> list[str]:
    return sorted(data, key=lambda k: (len(k.encode()), k)) if kind == "jsonb" else list(data)


def _pretty(data: Any, depth: int = 0) -> str:
    pad = "    " * (depth + 1)
    if isinstance(data, dict) and data:
        inner = ",\n".join(
            f"{pad}{json.dumps(k, ensure_ascii=False)}: {_pretty(data[k], depth + 1)}" for k in _sorted(data, "jsonb")
        )
        return "{\n" + inner + "\n" + "    " * depth + "}"
    if isinstance(data, list) and data:
        return "[\n" + ",\n".join(pad + _pretty(v, depth + 1) for v in data) + "\n" + "    " * depth + "]"
    return ("{\n}" if isinstance(data, dict) else "[\n]") if isinstance(data, (dict, list)) else print_json(data)


class Typed:
    """A value with its type, for functions of any arguments that make JSON of them."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: str, value: Any) -> None:
        self.kind, self.value = kind, value


def _object(kind: str) -> Any:
    def run(s: Setting, *parts: Typed) -> Any:
        if len(parts) % 2:
            raise SqlError(
                "22023",
                "argument list must have even number of elements",
                hint=f"The arguments of {kind}_build_object() must consist of alternating keys and values.",
            )
        pairs = list[tuple[str, Any]]()
        for name, value in zip(parts[::2], parts[1::2], strict=True):
            if name.value is None:
                raise SqlError(
                    "22023",
                    "argument 1: key must not be null" if kind == "jsonb" else "argument 1 cannot be null",
                    hint="" if kind == "jsonb" else "Object keys should be text.",
                )
            pairs.append((values.text(name.kind, name.value, s), to_plain(value.kind, value.value, s)))
        if kind == "jsonb":
            return J(dict(pairs))
        return (
            "{"
            + ", ".join(f"{json.dumps(k, ensure_ascii=False)} : {print_json(v, compact=True)}" for k, v in pairs)
            + "}"
        )

    return run


def _list(kind: str) -> Any:
    def run(s: Setting, *parts: Typed) -> Any:
        made = [to_plain(p.kind, p.value, s) for p in parts]
        return J(made) if kind == "jsonb" else "[" + ", ".join(print_json(v, compact=True) for v in made) + "]"

    return run


def _of(kind: str) -> Any:
    def run(s: Setting, value: Typed) -> Any:
        made = to_plain(value.kind, value.value, s)
        return J(made) if kind == "jsonb" else value.value if value.kind == "json" else print_json(made, compact=True)

    return run


for _kind in ("json", "jsonb"):

    def _get(a: Any, step: Any, kind: str = _kind) -> Any:
        found, value = _at(_data(kind, a), step)
        return _made(kind, value) if found else None

    def _get_text(a: Any, step: Any, kind: str = _kind) -> Any:
        return _json_text(kind, _at(_data(kind, a), step)[1])

    def _get_path(a: Any, *path: Any, kind: str = _kind) -> Any:
        found, value = _path(_data(kind, a), path[0] if path and isinstance(path[0], list) else list(path))
        return _made(kind, value) if found else None

    def _get_path_text(a: Any, *path: Any, kind: str = _kind) -> Any:
        return _json_text(kind, _path(_data(kind, a), path[0] if path and isinstance(path[0], list) else list(path))[1])

    operator(f"->({_kind},text) {_kind}; ->({_kind},int4) {_kind}", _get)
    operator(f"->>({_kind},text) text; ->>({_kind},int4) text", _get_text)
    operator(f"#>({_kind},text[]) {_kind}", _get_path)
    operator(f"#>>({_kind},text[]) text", _get_path_text)
    function(f"{_kind}_extract_path({_kind},variadic text) {_kind}", _get_path)
    function(f"{_kind}_extract_path_text({_kind},variadic text) text", _get_path_text)
    function(f"{_kind}_array_length({_kind}) int4", lambda a, k=_kind: _length(_data(k, a)))
    function(f"{_kind}_typeof({_kind}) text", lambda a, k=_kind: _typeof(_data(k, a)))
    function(f"{_kind}_strip_nulls({_kind}) {_kind}", lambda a, k=_kind: _made(k, _strip(_data(k, a))))
    function(
        f"{_kind}_array_elements({_kind}) {_kind}",
        lambda a, k=_kind: [_made(k, v) for v in _elements(_data(k, a), k)],
        many=True,
    )
    function(
        f"{_kind}_array_elements_text({_kind}) text",
        lambda a, k=_kind: [_json_text(k, v) for v in _elements(_data(k, a), k)],
        many=True,
    )
    function(
        f"{_kind}_object_keys({_kind}) text",
        lambda a, k=_kind: _sorted(_fields(_data(k, a), f"{k}_object_keys"), k),
        many=True,
    )
    function(
        f"{_kind}_each({_kind}) record:key=text,value={_kind}",
        lambda a, k=_kind: [(n, _made(k, d[n])) for d in [_fields(_data(k, a), f"{k}_each")] for n in _sorted(d, k)],
        many=True,
    )
    function(
        f"{_kind}_each_text({_kind}) record:key=text,value=text",
        lambda a, k=_kind: [
            (n, _json_text(k, d[n])) for d in [_fields(_data(k, a), f"{k}_each_text")] for n in _sorted(d, k)
        ],
        many=True,
    )
    for _name, _make in (("build_object", _object), ("build_array", _list)):
        function(f"{_kind}_{_name}() {_kind}", _make(_kind), env=True, strict=False)
        function(f"{_kind}_{_name}(variadic typed) {_kind}", _make(_kind), env=True, strict=False)
    function(
        f"to_{_kind}(typed) {_kind}",
        lambda s, v, run=_of(_kind): None if v.value is None else run(s, v),
        env=True,
        strict=False,
    )
    function(f"{_kind}_object(text[]) {_kind}", lambda a, k=_kind: _made(k, _paired(a)))
    function(f"{_kind}_object(text[],text[]) {_kind}", lambda a, b, k=_kind: _made(k, _pairs(a, b)))
function(
    "row_to_json(typed) json; array_to_json(typed) json",
    lambda s, v: None if v.value is None else _of("json")(s, v),
    env=True,
    strict=False,
)
operator("@>(jsonb,jsonb) bool", lambda a, b: contains(a.v, b.v))
operator("<@(jsonb,jsonb) bool", lambda a, b: contains(b.v, a.v))
operator("?(jsonb,text) bool", lambda a, k: k in a.v if isinstance(a.v, (dict, list)) else a.v == k)
operator(
    "?|(jsonb,text[]) bool",
    lambda a, ks: any(k in a.v for k in ks if isinstance(k, str)) if isinstance(a.v, (dict, list)) else a.v in ks,
)
operator(
    "?&(jsonb,text[]) bool",
    lambda a, ks: all(k in a.v for k in ks if isinstance(k, str)) if isinstance(a.v, (dict, list)) else False,
)
operator("||(jsonb,jsonb) jsonb", lambda a, b: J(_concat(a.v, b.v)))
operator("-(jsonb,text) jsonb; -(jsonb,int4) jsonb; -(jsonb,text[]) jsonb", lambda a, k: J(_without(a.v, k)))
operator("#-(jsonb,text[]) jsonb", lambda a, p: J(_without_path(a.v, _steps(p))))
function("jsonb_exists(jsonb,text) bool", lambda a, k: k in a.v if isinstance(a.v, (dict, list)) else a.v == k)
function("jsonb_set(jsonb,text[],jsonb) jsonb", lambda a, p, v: J(_set(a.v, _steps(p), v.v, True)))
function("jsonb_set(jsonb,text[],jsonb,bool) jsonb", lambda a, p, v, c: J(_set(a.v, _steps(p), v.v, c)))
function("jsonb_insert(jsonb,text[],jsonb) jsonb", lambda a, p, v: J(_set(a.v, _steps(p), v.v, True, True)))
function(
    "jsonb_insert(jsonb,text[],jsonb,bool) jsonb",
    lambda a, p, v, after: J(_set(a.v, _steps(p), v.v, True, True, after)),
)
function("jsonb_pretty(jsonb) text", lambda a: _pretty(a.v))
