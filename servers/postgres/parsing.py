"""The parser's footing: a cursor over tokens, and names as the grammar distinguishes them."""

from typing import Any

from .errors import SqlError
from .lexer import Token, readable
from .nodes import TypeName

RESERVED = frozenset(
    [
        "all",
        "analyse",
        "analyze",
        "and",
        "any",
        "array",
        "as",
        "asc",
        "asymmetric",
        "both",
        "case",
        "cast",
        "check",
        "collate",
        "column",
        "constraint",
        "create",
        "current_catalog",
        "current_date",
        "current_role",
        "current_time",
        "current_timestamp",
        "current_user",
        "default",
        "deferrable",
        "desc",
        "distinct",
        "do",
        "else",
        "end",
        "except",
        "false",
        "fetch",
        "for",
        "foreign",
        "from",
        "grant",
        "group",
        "having",
        "in",
        "initially",
        "intersect",
        "into",
        "lateral",
        "leading",
        "limit",
        "localtime",
        "localtimestamp",
        "not",
        "null",
        "offset",
        "on",
        "only",
        "or",
        "order",
        "placing",
        "primary",
        "references",
        "returning",
        "select",
        "session_user",
        "some",
        "symmetric",
        "table",
        "then",
        "to",
        "trailing",
        "true",
        "union",
        "unique",
        "user",
        "using",
        "variadic",
        "when",
        "where",
        "window",
        "with",
    ]
)
TYPE_OR_FUNCTION = frozenset(
    [
        "authorization",
        "binary",
        "collation",
        "concurrently",
        "cross",
        "current_schema",
        "freeze",
        "full",
        "ilike",
        "inner",
        "is",
        "isnull",
        "join",
        "left",
        "like",
        "natural",
        "notnull",
        "outer",
        "overlaps",
        "right",
        "similar",
        "tablesample",
        "verbose",
    ]
)
"""Names that are no column or table names, but may be functions and types."""
NEEDS_AS = frozenset(
    [
        "array",
        "as",
        "char",
        "character",
        "create",
        "day",
        "except",
        "fetch",
        "filter",
        "for",
        "from",
        "grant",
        "group",
        "having",
        "hour",
        "intersect",
        "into",
        "isnull",
        "limit",
        "minute",
        "month",
        "notnull",
        "offset",
        "on",
        "order",
        "over",
        "overlaps",
        "precision",
        "returning",
        "second",
        "to",
        "union",
        "varying",
        "where",
        "window",
        "with",
        "within",
        "without",
        "year",
    ]
)
"""Names that are column labels only after AS."""
_TYPE_WORDS = {
    ("double", "precision"): "float8", ("character", "varying"): "varchar", ("char", "varying"): "varchar",
    ("bit", "varying"): "varbit", ("national", "character"): "bpchar", ("national", "char"): "bpchar",
}  # fmt: skip
ALIASES = {
    "int": "int4", "integer": "int4", "smallint": "int2", "bigint": "int8", "decimal": "numeric", "dec": "numeric", "real": "float4",
    "boolean": "bool", "character": "bpchar", "char": "bpchar",
}  # fmt: skip
_SPANS = ("year", "month", "day", "hour", "minute", "second")


def schema_of(name: tuple[str, ...]) -> str:
    """The schema of a qualified name, empty where it has none."""
    return "".join(name[-2:-1])


class Tokens:
    """The statement text, its tokens and a place among them."""

    def __init__(self, sql: str) -> None:
        self.sql = sql
        self.tokens, self.unreadable = readable(sql)
        self.i = 0
        self.depth = 0
        self.into: dict[str, Any] | None = None

    @property
    def token(self) -> Token:
        return self.tokens[self.i]

    @property
    def at(self) -> int:
        return self.tokens[self.i].start

    def ahead(self, n: int = 1) -> Token:
        return self.tokens[min(self.i + n, len(self.tokens) - 1)]

    def next(self) -> Token:
        token = self.tokens[self.i]
        if token.kind != "end":
            self.i += 1
        return token

    def fail(self, token: Token | None = None) -> SqlError:
        """What bison says at the token that no rule takes."""
        token = token or self.token
        if token.kind == "bad" and self.unreadable is not None:
            return self.unreadable
        if token.kind == "end":
            return SqlError("42601", "syntax error at end of input", token.start)
        return SqlError("42601", f'syntax error at or near "{self.sql[token.start : token.stop]}"', token.start)

    def enter(self) -> None:
        self.depth += 1
        if self.depth > 150:
            raise SqlError(
                "54001", "stack depth limit exceeded", hint='Increase the configuration parameter "max_stack_depth"'
                " (currently 2048kB), after ensuring the platform's stack depth limit is adequate.",
            )  # fmt: skip

    def leave(self) -> None:
        self.depth -= 1

    # Words and signs

    def word(self, *words: str, n: int = 0) -> bool:
        """Whether the next tokens are these keywords, each given word one token."""
        return all(self.ahead(n + k).kind == "name" and self.ahead(n + k).value == w for k, w in enumerate(words))

    def any_word(self, *words: str) -> bool:
        return self.token.kind == "name" and self.token.value in words

    def take(self, *words: str) -> bool:
        if self.word(*words):
            self.i += len(words)
            return True
        return False

    def take_any(self, *words: str) -> str:
        """The one of these keywords that is next, taken; else nothing."""
        return self.next().value if self.any_word(*words) else ""

    def need(self, *words: str) -> None:
        for word in words:
            if not self.take(word):
                raise self.fail()

    def need_any(self, *words: str) -> str:
        found = self.take_any(*words)
        if not found:
            raise self.fail()
        return found

    def sign(self, sign: str, n: int = 0) -> bool:
        token = self.ahead(n)
        return token.kind == "op" and token.value == sign

    def take_sign(self, sign: str) -> bool:
        if self.sign(sign):
            self.i += 1
            return True
        return False

    def need_sign(self, sign: str) -> None:
        if not self.take_sign(sign):
            raise self.fail()

    # Names

    def is_name(self, n: int = 0) -> bool:
        token = self.ahead(n)
        return token.kind == "quoted" or (
            token.kind == "name" and token.value not in RESERVED and token.value not in TYPE_OR_FUNCTION
        )

    def name(self) -> str:
        if not self.is_name():
            raise self.fail()
        return self.next().value

    def label(self) -> str:
        """A name where any keyword may stand: after AS, after a dot."""
        if self.token.kind not in ("name", "quoted"):
            raise self.fail()
        return self.next().value

    def names(self) -> list[str]:
        found = [self.name()]
        while self.take_sign(","):
            found.append(self.name())
        return found

    def paren_names(self) -> list[str]:
        self.need_sign("(")
        found = self.names()
        self.need_sign(")")
        return found

    def qualified(self) -> tuple[str, ...]:
        parts = [self.name()]
        while self.take_sign("."):
            parts.append(self.label())
        return tuple(parts)

    def string(self) -> str:
        if self.token.kind != "string":
            raise self.fail()
        return self.next().value

    def whole(self) -> int:
        """A whole number, perhaps with a sign."""
        sign = -1 if self.take_sign("-") else 1
        if sign == 1:
            self.take_sign("+")
        if self.token.kind != "integer":
            raise self.fail()
        return sign * int(self.next().value)

    # Types

    def type_name(self) -> TypeName:
        at = self.at
        self.take("setof")
        first = self.token
        if first.kind == "name" and first.value in RESERVED:
            raise self.fail()
        parts = [self.label()]
        quoted = first.kind == "quoted"
        while self.take_sign("."):
            parts.append(self.label())
            quoted = True
        mods = tuple[int, ...]()
        if not quoted and self.token.kind == "name" and (pair := _TYPE_WORDS.get((parts[0], str(self.token.value)))):
            self.next()
            parts = [pair]
            if pair == "bpchar" and self.take("varying"):
                parts = ["varchar"]
        if parts[-1] == "interval" and not quoted:
            self.interval_span()
        if self.take_sign("("):
            found = [self.whole()]
            while self.take_sign(","):
                found.append(self.whole())
            self.need_sign(")")
            mods = tuple(found)
        if not quoted and parts[0] in ("timestamp", "time") and self.any_word("with", "without"):
            if self.take("with", "time", "zone"):
                parts = [parts[0] + "tz"]
            else:
                self.take("without", "time", "zone")
        if not quoted:
            if parts[0] in ("char", "character") and not mods:
                mods = (1,)
            if parts[0] == "float":
                parts = ["float4" if mods and mods[0] <= 24 else "float8"]
                mods = ()
            parts[0] = ALIASES.get(parts[0], parts[0])
        elif parts == ["char"]:
            parts = ['"char"']
        array = False
        if self.take("array"):
            array = True
            if self.take_sign("["):
                self.whole()
                self.need_sign("]")
        while self.sign("[") and (self.sign("]", 1) or self.sign("]", 2)):
            self.next()
            if not self.take_sign("]"):
                self.whole()
                self.need_sign("]")
            array = True
        return TypeName(tuple(parts), mods, array, at=at)

    def interval_span(self) -> str:
        """The unit after INTERVAL '..': `day`, or `hour to minute`, of which the last counts."""
        if not self.any_word(*_SPANS):
            return ""
        unit = self.next().value
        if self.take("to"):
            unit = self.need_any(*_SPANS)
        return unit
