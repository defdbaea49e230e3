"""String functions and operators."""

import base64
import hashlib
import re
from typing import Any

from . import patterns
from .errors import SqlError
from .signatures import function, operator
from .values import Setting

_LIMIT = 20_000_000


def _sized(value: str) -> str:
    if len(value) > _LIMIT:
        raise SqlError("54000", "requested length too large")
    return value


def _substring(value: str, start: int, count: int | None = None) -> str:
    if count is not None and count < 0:
        raise SqlError("22011", "negative substring length not allowed")
    stop = None if count is None else max(start + count - 1, 0)
    return value[max(start - 1, 0) : stop]


def _pad(value: str, size: int, fill: str, left: bool) -> str:
    if size <= len(value) or not fill:
        return value[: max(size, 0)]
    _sized("x" * min(size, _LIMIT + 1))
    extra = (fill * ((size - len(value)) // len(fill) + 1))[: size - len(value)]
    return extra + value if left else value + extra


def _split_part(value: str, mark: str, n: int) -> str:
    if not n:
        raise SqlError("22023", "field position must not be zero")
    parts = value.split(mark) if mark else [value]
    at = n - 1 if n > 0 else len(parts) + n
    return parts[at] if 0 <= at < len(parts) else ""


def _initcap(value: str) -> str:
    return re.sub(r"[^\W_]+", lambda m: m[0][0].upper() + m[0][1:].lower(), value)


def _overlay(value: str, new: str, start: int, count: int | None = None) -> str:
    count = len(new) if count is None else count
    if start <= 0:
        raise SqlError("22011", "negative substring length not allowed")
    return value[: start - 1] + new + value[start - 1 + max(count, 0) :]


def _chr(code: int) -> str:
    if code == 0:
        raise SqlError("54000", "null character not permitted")
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        raise SqlError("54000", f"requested character too large for encoding: {code}")
    return chr(code)


def _encode(value: bytes, form: str) -> str:
    match form:
        case "hex":
            return value.hex()
        case "base64":
            made = base64.b64encode(value).decode()
            return "\n".join(made[i : i + 76] for i in range(0, len(made), 76))
        case "escape":
            return "".join(chr(b) if 32 <= b < 127 and b != 92 else "\\\\" if b == 92 else f"\\{b:03o}" for b in value)
        case _:
            raise SqlError("22023", f'unrecognized encoding: "{form}"')


def _decode(value: str, form: str) -> bytes:
    try:
        match form:
            case "hex":
                return bytes.fromhex(value)
            case "base64":
                return base64.b64decode("".join(value.split()), validate=True)
            case "escape":
                return re.sub(
                    rb"\\([0-7]{3}|\\)",
                    lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 8) & 255]),
                    value.encode(),
                )
            case _:
                raise SqlError("22023", f'unrecognized encoding: "{form}"')
    except ValueError:
        raise SqlError("22023", f"invalid {'hexadecimal data' if form == 'hex' else 'base64 end sequence'}") from None


def _format(s: Setting, pattern: str | None, *values: Any) -> str | None:
    if pattern is None:
        return None
    given, at = list(values), 0

    def one(found: re.Match[str]) -> str:
        nonlocal at
        if found[0] == "%%":
            return "%"
        if found[4] not in ("s", "I", "L"):
            raise SqlError(
                "22023", f'unrecognized format() type specifier "{found[4]}"', hint='For a single "%" use "%%".'
            )
        if found[1]:
            at = int(found[1])
        else:
            at += 1
        if not 0 < at <= len(given):
            raise SqlError("22023", "too few arguments for format()")
        value = given[at - 1]
        if found[4] == "I":
            if value is None:
                raise SqlError("22004", "null values cannot be formatted as an SQL identifier")
            made = quote_ident(str(value))
        elif found[4] == "L":
            made = quote_literal(str(value)) if value is not None else "NULL"
        else:
            made = "" if value is None else str(value)
        return made.ljust(int(found[3] or 0)) if found[2] else made.rjust(min(int(found[3] or 0), 10_000))

    return re.sub(r"%(?:(\d+)\$)?(-?)(\d*)(.|$)", one, pattern)


def quote_ident(name: str) -> str:
    from .parsing import RESERVED, TYPE_OR_FUNCTION  # noqa: PLC0415

    plain = re.fullmatch(r"[a-z_][a-z0-9_$]*", name) and name not in RESERVED and name not in TYPE_OR_FUNCTION
    return name if plain else '"' + name.replace('"', '""') + '"'


def quote_literal(value: str) -> str:
    made = "'" + value.replace("'", "''") + "'"
    return " E" + made.replace("\\", "\\\\") if "\\" in value else made


def _translate(value: str, source: str, target: str) -> str:
    table: dict[int, str | None] = {}
    for at, char in enumerate(source):
        table.setdefault(ord(char), target[at] if at < len(target) else None)
    return value.translate(table)


def _between(kind: str) -> Any:
    return lambda s, *values: (
        "".join(v for v in values if v is not None)
        if kind == "concat"
        else _sized(values[0].join(v for v in values[1:] if v is not None))
        if values[0] is not None
        else None
    )


operator("||(text,text) text", lambda a, b: _sized(a + b))
operator("||(bytea,bytea) bytea", lambda a, b: a + b)
operator("^@(text,text) bool", lambda a, b: a.startswith(b))
operator("~(text,text) bool", lambda a, p: patterns.search(p, a))
operator("~*(text,text) bool", lambda a, p: patterns.search(p, a, "i"))
operator("!~(text,text) bool", lambda a, p: not patterns.search(p, a))
operator("!~*(text,text) bool", lambda a, p: not patterns.search(p, a, "i"))
operator("~~(text,text) bool", lambda a, p: patterns.like(p, a))
operator("~~*(text,text) bool", lambda a, p: patterns.like(p, a, fold=True))
operator("!~~(text,text) bool", lambda a, p: not patterns.like(p, a))
operator("!~~*(text,text) bool", lambda a, p: not patterns.like(p, a, fold=True))

function("lower(text) text", lambda a: a.lower())
function("upper(text) text", lambda a: a.upper())
function("initcap(text) text", _initcap)
function("length(text) int4; char_length(text) int4; character_length(text) int4", len)
function("length(bytea) int4; octet_length(bytea) int4", len)
function("length(bpchar) int4; char_length(bpchar) int4", lambda a: len(a.rstrip(" ")))
function("octet_length(text) int4", lambda a: len(a.encode()))
function("bit_length(text) int4", lambda a: len(a.encode()) * 8)
function(
    "substring(text,int4) text; substring(text,int4,int4) text; substr(text,int4) text; substr(text,int4,int4) text",
    _substring,
)
function("substring(text,text) text", lambda a, p: patterns.first(p, a))
function("left(text,int4) text", lambda a, n: a[:n] if n >= 0 else a[: max(len(a) + n, 0)])
function("right(text,int4) text", lambda a, n: (a[-n:] if n else "") if n >= 0 else a[min(-n, len(a)) :])
function("lpad(text,int4) text", lambda a, n: _pad(a, n, " ", True))
function("lpad(text,int4,text) text", lambda a, n, f: _pad(a, n, f, True))
function("rpad(text,int4) text", lambda a, n: _pad(a, n, " ", False))
function("rpad(text,int4,text) text", lambda a, n, f: _pad(a, n, f, False))
function("ltrim(text) text", lambda a: a.lstrip(" "))
function("rtrim(text) text", lambda a: a.rstrip(" "))
function("btrim(text) text", lambda a: a.strip(" "))
function("ltrim(text,text) text", lambda a, c: a.lstrip(c) if c else a)
function("rtrim(text,text) text", lambda a, c: a.rstrip(c) if c else a)
function("btrim(text,text) text", lambda a, c: a.strip(c) if c else a)
function("replace(text,text,text) text", lambda a, b, c: _sized(a.replace(b, c)) if b else a)
function("translate(text,text,text) text", _translate)
function("reverse(text) text", lambda a: a[::-1])
function("repeat(text,int4) text", lambda a, n: a * n if len(a) * n <= _LIMIT else _sized("x" * (_LIMIT + 1)))
function("strpos(text,text) int4", lambda a, b: a.find(b) + 1)
function("split_part(text,text,int4) text", _split_part)
function(
    "string_to_array(text,text) text[]",
    lambda a, m: [] if not a else list(a) if m is None else a.split(m) if m else [a],
    strict=False,
)
function(
    "string_to_array(text,text,text) text[]", lambda a, m, n: [None if x == n else x for x in (a.split(m) if a else [])]
)
function("string_to_table(text,text) text", lambda a, m: a.split(m) if m else [a], many=True)
function("overlay(text,text,int4) text; overlay(text,text,int4,int4) text", _overlay)
function("ascii(text) int4", lambda a: ord(a[0]) if a else 0)
function("chr(int4) text", _chr)
function("to_hex(int4) text", lambda a: f"{a % 2**32:x}")
function("to_hex(int8) text", lambda a: f"{a % 2**64:x}")
function("md5(text) text", lambda a: hashlib.md5(a.encode(), usedforsecurity=False).hexdigest())
for _n in (224, 256, 384, 512):
    function(f"sha{_n}(bytea) bytea", lambda a, n=_n: hashlib.new(f"sha{n}", a).digest())
function("encode(bytea,text) text", _encode)
function("decode(text,text) bytea", _decode)
function("convert_from(bytea,text) text", lambda a, _: a.decode("utf-8", "replace"))
function("convert_to(text,text) bytea", lambda a, _: a.encode())
function("starts_with(text,text) bool", lambda a, b: a.startswith(b))
function("quote_ident(text) text", quote_ident)
function("quote_literal(text) text", lambda a: quote_literal(a).lstrip(" "))
function("quote_nullable(text) text", lambda a: "NULL" if a is None else quote_literal(a).lstrip(" "), strict=False)
function("concat(variadic any) text", _between("concat"), strict=False, env=True)
function("concat_ws(text,variadic any) text", _between("concat_ws"), strict=False, env=True)
function("format(text) text", _format, env=True)
function("format(text,variadic any) text", _format, strict=False, env=True)
function("regexp_replace(text,text,text) text; regexp_replace(text,text,text,text) text", patterns.replace)
function("regexp_match(text,text) text[]; regexp_match(text,text,text) text[]", patterns.groups)
function("regexp_matches(text,text) text[]; regexp_matches(text,text,text) text[]", patterns.all_groups, many=True)
function("regexp_split_to_array(text,text) text[]; regexp_split_to_array(text,text,text) text[]", patterns.split)
function("regexp_split_to_table(text,text) text; regexp_split_to_table(text,text,text) text", patterns.split, many=True)
function("regexp_count(text,text) int4", lambda a, p: len(patterns.all_groups(a, p, "g")))
function("regexp_like(text,text) bool", lambda a, p: patterns.search(p, a))
function("regexp_like(text,text,text) bool", lambda a, p, f: patterns.search(p, a, f))
function("regexp_substr(text,text) text", lambda a, p: patterns.whole(p, a))
