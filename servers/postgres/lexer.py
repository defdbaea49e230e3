"""SQL text as tokens, as PostgreSQL's scanner cuts it: folded names, quoted names, the five kinds of strings, operators."""

import re
from typing import Any, NamedTuple

from .errors import SqlError


class Token(NamedTuple):
    """`kind` is name, quoted, string, bits, integer, number, param, op or end; `value` what it stands for."""

    kind: str
    value: Any
    start: int
    stop: int


_SPACE = re.compile(r"(?:\s+|--[^\n]*)+")
_NAME = re.compile(r"[^\W\d][\w$]*")
_NUMBER = re.compile(r"(?:\d+(?:_\d+)*(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_PARAM = re.compile(r"\$(\d+)")
_TAG = re.compile(r"\$(?:[^\W\d]\w*)?\$")
_OPERATOR = re.compile(r"[+\-*/<>=~!@#%^&|`?]+")
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_PLAIN_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SIGNS = set("~!@#%^&|`?")
_PAIRS = ("::", "..", ":=", "=>")


def tokens(sql: str) -> list[Token]:
    """Every token, and one of kind `end`."""
    found, error = readable(sql)
    if error is not None:
        raise error
    return found


def readable(sql: str) -> tuple[list[Token], SqlError | None]:
    """The tokens as far as there are any; what follows them is one of kind `bad`, with the error that it is."""
    if "\x00" in sql:
        raise SqlError("22021", 'invalid byte sequence for encoding "UTF8": 0x00')
    found, at, size = list[Token](), 0, len(sql)
    while at < size:
        if space := _SPACE.match(sql, at):
            at = space.end()
            continue
        try:
            if sql.startswith("/*", at):
                at = _comment(sql, at)
                continue
            token = _token(sql, at)
        except SqlError as error:
            return [*found, Token("bad", "", at, size), Token("end", "", size, size)], error
        found.append(token)
        at = token.stop
    return [*found, Token("end", "", size, size)], None


def _comment(sql: str, at: int) -> int:
    depth, start = 0, at
    while at < len(sql):
        if sql.startswith("/*", at):
            depth, at = depth + 1, at + 2
        elif sql.startswith("*/", at):
            depth, at = depth - 1, at + 2
            if not depth:
                return at
        else:
            at += 1
    raise SqlError("42601", f'unterminated /* comment at or near "{sql[start:]}"', start)


def _token(sql: str, at: int) -> Token:
    char = sql[at]
    if char == "'":
        return _string(sql, at, at, escapes=False)
    if char in "eE" and sql.startswith("'", at + 1):
        return _string(sql, at, at + 1, escapes=True)
    if char in "nN" and sql.startswith("'", at + 1):
        return _string(sql, at, at + 1, escapes=False)
    if char in "bBxX" and sql.startswith("'", at + 1):
        return _string(sql, at, at + 1, escapes=False)._replace(kind="bits")
    if char == '"':
        return _quoted(sql, at)
    if char == "$":
        if param := _PARAM.match(sql, at):
            return Token("param", int(param[1]), at, param.end())
        if tag := _TAG.match(sql, at):
            stop = sql.find(tag[0], tag.end())
            if stop < 0:
                raise SqlError("42601", f'unterminated dollar-quoted string at or near "{sql[at:]}"', at)
            return Token("string", sql[tag.end() : stop], at, stop + len(tag[0]))
    if name := _NAME.match(sql, at):
        return Token("name", name[0].lower()[:63], at, name.end())
    if (number := _NUMBER.match(sql, at)) and (char.isdigit() or char == "."):
        return _number(sql, at, number)
    for pair in _PAIRS:
        if sql.startswith(pair, at):
            return Token("op", pair, at, at + 2)
    if char in "()[],;:.":
        return Token("op", char, at, at + 1)
    if operator := _OPERATOR.match(sql, at):
        text = operator[0]
        for mark in ("--", "/*"):
            if (cut := text.find(mark)) > 0:
                text = text[:cut]
        # As the standard has it: a trailing + or - belongs to what follows, unless the operator is plainly a made-up one.
        while len(text) > 1 and text[-1] in "+-" and not _SIGNS & set(text):
            text = text[:-1]
        return Token("op", "<>" if text == "!=" else text, at, at + len(text))
    raise SqlError("42601", f'syntax error at or near "{char}"', at)


def _number(sql: str, at: int, number: re.Match[str]) -> Token:
    text, stop = number[0], number.end()
    if stop < len(sql) and (sql[stop].isalpha() or sql[stop] == "_"):
        junk = _NAME.match(sql, stop)
        raise SqlError("42601", f'trailing junk after numeric literal at or near "{text}{junk[0] if junk else ""}"', at)
    return Token("integer" if text.isdigit() else "number", text.replace("_", ""), at, stop)


def _string(sql: str, start: int, quote: int, *, escapes: bool) -> Token:
    at, parts = quote + 1, list[str]()
    while True:
        stop = at
        while stop < len(sql) and sql[stop] != "'":
            stop += 2 if escapes and sql[stop] == "\\" else 1
        if stop >= len(sql):
            raise SqlError("42601", f'unterminated quoted string at or near "{sql[start:]}"', start)
        parts.append(sql[at:stop])
        at = stop + 1
        if sql.startswith("'", at):
            parts.append("'")
            at += 1
            continue
        # Strings on successive lines are one.
        if (gap := _SPACE.match(sql, at)) and "\n" in gap[0] and sql.startswith("'", gap.end()):
            at = gap.end() + 1
            continue
        break
    text = "".join(parts)
    return Token("string", _unescaped(text, start) if escapes else text, start, at)


def _unescaped(text: str, start: int) -> str:
    def one(found: re.Match[str]) -> str:
        octal, hexed, short, long, other = found.groups()
        if other is not None:
            return _PLAIN_ESCAPES.get(other, other)
        code = int(octal, 8) if octal else int(hexed or short or long, 16)
        if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
            raise SqlError("22021" if not code else "42601", "invalid Unicode escape value", start)
        return chr(code)

    return _ESCAPE.sub(one, text)


def _quoted(sql: str, at: int) -> Token:
    stop = at + 1
    while True:
        stop = sql.find('"', stop)
        if stop < 0:
            raise SqlError("42601", f'unterminated quoted identifier at or near "{sql[at:]}"', at)
        if not sql.startswith('""', stop):
            break
        stop += 2
    name = sql[at + 1 : stop].replace('""', '"')
    if not name:
        raise SqlError("42601", 'zero-length delimited identifier at or near """"', at)
    return Token("quoted", name[:63], at, stop + 1)
