"""Literals and other primaries."""

from typing import TYPE_CHECKING, Any

from .lexer import Token
from .nodes import (
    ArrayLit,
    Case,
    Cast,
    Const,
    Default,
    Func,
    RowLit,
    Sub,
    TypeName,
)  # fmt: skip
from .parser_functions import Functions
from .parsing import RESERVED

_BARE = {
    "current_date": "date", "current_time": "timetz", "current_timestamp": "timestamptz", "localtime": "time",
    "localtimestamp": "timestamp",
}  # fmt: skip


_BARE_NAMES = {
    "current_user": "current_user", "current_role": "current_user", "user": "current_user", "session_user": "session_user",
    "current_catalog": "current_database", "current_schema": "current_schema",
}  # fmt: skip


_LITERAL_TYPES = frozenset(
    [
        "date",
        "time",
        "timetz",
        "timestamp",
        "timestamptz",
        "interval",
        "json",
        "jsonb",
        "uuid",
        "numeric",
        "int4",
        "int8",
        "int2",
        "integer",
        "bigint",
        "smallint",
        "text",
        "bool",
        "boolean",
        "float8",
        "float4",
        "real",
        "bytea",
        "decimal",
        "varchar",
        "regclass",
    ]
)


class Primaries(Functions):
    """Literals and other primaries."""

    if TYPE_CHECKING:

        def query(self) -> Any: ...
        def starts_query(self, n: int = 0) -> bool: ...

    def _keyword(self, token: Token) -> Any:
        word, at = token.value, token.start
        if word in ("true", "false"):
            self.next()
            return Const(word == "true", "bool", at=at)
        if word == "null":
            self.next()
            return Const(None, "unknown", at=at)
        if word == "default":
            self.next()
            return Default(at=at)
        if word == "case":
            return self._case()
        if word == "exists" and self.sign("(", 1):
            self.i += 2
            query = self.query()
            self.need_sign(")")
            return Sub("exists", query, at=at)
        if word == "array" and (self.sign("[", 1) or self.sign("(", 1)):
            self.next()
            if self.take_sign("("):
                query = self.query()
                self.need_sign(")")
                return Sub("array", query, at=at)
            return self._array(at)
        if word == "row" and self.sign("(", 1):
            self.i += 2
            items = list[Any]()
            while not self.sign(")"):
                items.append(self._star_or_expression())
                if not self.take_sign(","):
                    break
            self.need_sign(")")
            return RowLit(items, at=at)
        if word == "cast" and self.sign("(", 1):
            self.i += 2
            arg = self.expression()
            self.need("as")
            kind = self.type_name()
            self.need_sign(")")
            return Cast(arg, kind, at=at)
        if word in _BARE:
            self.next()
            if self.sign("(") and self.ahead().kind == "integer":
                self.i += 2
                self.need_sign(")")
            return Func((word,), [], at=at)
        if word in _BARE_NAMES and not self.sign("(", 1) and not self.sign(".", 1):
            self.next()
            return Func((_BARE_NAMES[word],), [], at=at)
        if word == "interval" and (self.ahead().kind == "string" or self.sign("(", 1)):
            return self._interval(at)
        if self._typed_literal(word):
            kind = self.type_name()
            text = self.token
            return Cast(Const(self.string(), "unknown", at=text.start), kind, at=at)
        return self._special_function(word, at) if self.sign("(", 1) else None

    def _typed_literal(self, word: str) -> bool:
        """DATE '2020-01-01', TIMESTAMP WITH TIME ZONE '...'."""
        if word == "double" and self.word("precision", n=1):
            return self.ahead(2).kind == "string"
        if word not in _LITERAL_TYPES:
            return word not in RESERVED and self.ahead().kind == "string"
        n = 1
        if word in ("time", "timestamp") and (
            self.word("with", "time", "zone", n=1) or self.word("without", "time", "zone", n=1)
        ):
            n = 4
        return self.ahead(n).kind == "string"

    def _interval(self, at: int) -> Any:
        self.next()
        mods = tuple[int, ...]()
        if self.take_sign("("):
            mods = (self.whole(),)
            self.need_sign(")")
        text = self.token
        value = self.string()
        unit = self.interval_span()
        if unit and value.strip().lstrip("+-").replace(".", "", 1).isdigit():
            value = f"{value} {unit}"
        return Cast(Const(value, "unknown", at=text.start), TypeName(("interval",), mods, at=at), at=at)

    def _case(self) -> Any:
        at = self.next().start
        arg = None if self.word("when") else self.expression()
        whens = list[tuple[Any, Any]]()
        while self.take("when"):
            condition = self.expression()
            self.need("then")
            whens.append((condition, self.expression()))
        if not whens:
            raise self.fail()
        other = self.expression() if self.take("else") else None
        self.need("end")
        return Case(arg, whens, other, at=at)

    def _array(self, at: int) -> Any:
        self.need_sign("[")
        items = list[Any]()
        while not self.sign("]"):
            items.append(self._array(self.at) if self.sign("[") else self.expression())
            if not self.take_sign(","):
                break
        self.need_sign("]")
        return ArrayLit(items, at=at)

    def _star_or_expression(self) -> Any:
        return self.expression()
