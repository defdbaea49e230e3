"""Expressions, by precedence climbing over the grammar's own levels."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from .lexer import Token
from .nodes import (
    AnyAll,
    Attr,
    Between,
    Cast,
    Col,
    Collate,
    Const,
    Distinct,
    Func,
    In,
    Index,
    Is,
    Like,
    Logic,
    Op,
    Param,
    RowLit,
    Star,
    Sub,
    TypeName,
)  # fmt: skip
from .parser_primaries import Primaries
from .parsing import RESERVED, TYPE_OR_FUNCTION

_COMPARISON = frozenset(("<", ">", "=", "<=", ">=", "<>"))
_OTHER = 6
_LEVELS = {"+": 7, "-": 7, "*": 8, "/": 8, "%": 8, "^": 9}
"""Levels of the operators above the nameless ones."""


class Expressions(Primaries):
    if TYPE_CHECKING:

        def query(self) -> Any: ...
        def starts_query(self, n: int = 0) -> bool: ...

    def expression(self) -> Any:
        self.enter()
        left = self._and()
        while (at := self.at) is not None and self.take("or"):
            right = self._and()
            if isinstance(left, Logic) and left.op == "or":
                left.args.append(right)
            else:
                left = Logic("or", [left, right], at=at)
        self.leave()
        return left

    def _and(self) -> Any:
        left = self._not()
        while (at := self.at) is not None and self.take("and"):
            right = self._not()
            if isinstance(left, Logic) and left.op == "and":
                left.args.append(right)
            else:
                left = Logic("and", [left, right], at=at)
        return left

    def _not(self) -> Any:
        at = self.at
        if self.take("not"):
            self.enter()
            made = Logic("not", [self._not()], at=at)
            self.leave()
            return made
        return self._is()

    def _is(self) -> Any:
        left = self._comparison()
        while True:
            at = self.at
            if self.take("isnull"):
                left = Is("null", left, at=at)
            elif self.take("notnull"):
                left = Is("null", left, True, at=at)
            elif self.take("is"):
                negated = self.take("not")
                if self.take("distinct", "from"):
                    left = Distinct(left, self._comparison(), not negated, at=at)
                else:
                    left = Is(self.need_any("null", "true", "false", "unknown"), left, negated, at=at)
            else:
                return left

    def _comparison(self) -> Any:
        left = self._range()
        while self.token.kind == "op" and self.token.value in _COMPARISON:
            token = self.next()
            left = self._any_all(token.value, left, token) or Op(token.value, left, self._range(), at=token.start)
        return left

    def _any_all(self, op: str, left: Any, token: Token) -> Any:
        if not (self.any_word("any", "some", "all") and self.sign("(", 1)):
            return None
        kind = "all" if self.next().value == "all" else "any"
        self.need_sign("(")
        right = self.query() if self.starts_query() else self.expression()
        self.need_sign(")")
        return AnyAll(op, kind, left, right, at=token.start)

    def _range(self) -> Any:
        left = self.operand(_OTHER)
        while True:
            at, mark = self.at, self.i
            negated = self.take("not")
            if self.take("between"):
                symmetric = self.take("symmetric")
                if not symmetric:
                    self.take("asymmetric")
                low = self.operand(_OTHER)
                self.need("and")
                left = Between(left, low, self.operand(_OTHER), negated, symmetric, at=at)
            elif self.take("in"):
                self.need_sign("(")
                if self.starts_query():
                    items: Any = self.query()
                else:
                    items = [self.expression()]
                    while self.take_sign(","):
                        items.append(self.expression())
                self.need_sign(")")
                left = In(left, items, negated, at=at)
            elif kind := (self.take_any("like", "ilike") or ("similar" if self.take("similar", "to") else "")):
                op = {"like": "~~", "ilike": "~~*"}.get(kind, "similar")
                many = self._any_all(("!" if negated else "") + op, left, self.ahead(-1))
                if many is not None:
                    left = many
                    continue
                pattern = self.operand(_OTHER)
                escape = self.operand(_OTHER) if self.take("escape") else None
                left = Like(kind, left, pattern, escape, negated, at=at)
            elif not negated and self.word("overlaps"):
                self.next()
                right = self.operand(_OTHER)
                if not (isinstance(left, RowLit) and isinstance(right, RowLit)):
                    raise self.fail(self.tokens[mark])
                left = Func(("overlaps",), [*left.items, *right.items], at=at)
            else:
                self.i = mark
                return left

    def operand(self, level: int = _OTHER) -> Any:
        """Operators from this level up: the nameless ones, sums, products, powers."""
        left = self._postfix()
        while True:
            token = self.token
            op = token.value
            if self.word("operator") and self.sign("(", 1):
                self.i += 2
                while self.token.kind != "op":
                    self.next()
                    self.need_sign(".")
                op = self.next().value
                self.need_sign(")")
                left = Op(op, left, self.operand(_OTHER + 1), at=token.start)
                continue
            if token.kind != "op" or op in _COMPARISON or op in "()[],;:." or op in ("::", "..", ":=", "=>"):
                return left
            own = _LEVELS.get(op, _OTHER)
            if own < level:
                return left
            self.next()
            many = self._any_all(op, left, token)
            left = many if many is not None else Op(op, left, self.operand(own + 1), at=token.start)

    def _postfix(self) -> Any:
        token = self.token
        if token.kind == "op" and token.value in ("-", "+"):
            self.next()
            self.enter()
            inner = self._postfix()
            self.leave()
            if isinstance(inner, Const) and inner.type in ("int4", "int8", "numeric"):
                if token.value == "-":
                    return _number_const(-inner.value if inner.value else inner.value, token.start)
                return inner
            return Op(token.value, None, inner, at=token.start) if token.value == "-" else inner
        if (
            token.kind == "op"
            and token.value not in _COMPARISON
            and token.value not in ("(", ")", "[", "]", ",", ";", ":", ".", "::", "*")
        ):
            self.next()
            return Op(token.value, None, self.operand(_OTHER + 1), at=token.start)
        left = self._cast_chain(self._primary())
        while True:
            at = self.at
            if self.take("at", "time", "zone"):
                left = Func(("timezone",), [self._cast_chain(self._primary()), left], at=at)
            elif self.take("collate"):
                left = Collate(left, self.qualified()[-1], at=at)
            else:
                return left

    def _cast_chain(self, left: Any) -> Any:
        while True:
            at = self.at
            if self.take_sign("::"):
                left = Cast(left, self.type_name(), at=at)
            elif self.take_sign("["):
                left = self._index(left, at)
            elif self.sign(".") and not isinstance(left, (Col, Star)):
                self.next()
                left = Star((left,), at=at) if self.take_sign("*") else Attr(left, self.label(), at=at)
            else:
                return left

    def _index(self, left: Any, at: int) -> Any:
        low = None if self.sign(":") else self.expression()
        if not self.take_sign(":"):
            self.need_sign("]")
            return Index(left, low, at=at)
        high = None if self.sign("]") else self.expression()
        self.need_sign("]")
        return Index(left, low, high, True, at=at)

    # Primaries

    def _primary(self) -> Any:
        token = self.token
        match token.kind:
            case "integer" | "number":
                self.next()
                value = int(token.value) if token.kind == "integer" else Decimal(token.value)
                return _number_const(value, token.start)
            case "string":
                self.next()
                return Const(token.value, "unknown", at=token.start)
            case "bits":
                self.next()
                return Cast(
                    Const(token.value, "unknown", at=token.start), TypeName(("bit",), at=token.start), at=token.start
                )
            case "param":
                self.next()
                return Param(token.value, at=token.start)
            case "op" if token.value == "(":
                return self._paren(token)
            case "name":
                found = self._keyword(token)
                if found is not None:
                    return found
            case _:
                pass
        return self._name(token)

    def _paren(self, token: Token) -> Any:
        self.next()
        if self.starts_query():
            query = self.query()
            self.need_sign(")")
            return Sub("scalar", query, at=token.start)
        first = self.expression()
        if self.take_sign(")"):
            # `(row).field`, where the parentheses keep `row` from being read as a table's name.
            if not self.sign("."):
                return first
            at = self.next().start
            return Star((first,), at=at) if self.take_sign("*") else Attr(first, self.label(), at=at)
        items = [first]
        while self.take_sign(","):
            items.append(self.expression())
        self.need_sign(")")
        return RowLit(items, at=token.start)

    def _name(self, token: Token) -> Any:
        if token.kind not in ("name", "quoted") or (token.kind == "name" and token.value in RESERVED):
            raise self.fail()
        if token.kind == "name" and token.value in TYPE_OR_FUNCTION and not self.sign("(", 1):
            raise self.fail()
        parts = [self.next().value]
        while self.take_sign("."):
            if self.take_sign("*"):
                return Star(tuple(parts), at=token.start)
            parts.append(self.label())
        if self.sign("("):
            return self._function(tuple(parts), token.start)
        if self.token.kind == "string" and len(parts) == 1 and token.kind == "name":
            raise self.fail()
        return Col(tuple(parts), at=token.start)

    # Functions


def _number_const(value: Any, at: int) -> Const:
    if isinstance(value, Decimal):
        return Const(value, "numeric", at=at)
    if -(2**31) <= value < 2**31:
        return Const(value, "int4", at=at)
    if -(2**63) <= value < 2**63:
        return Const(value, "int8", at=at)
    return Const(Decimal(value), "numeric", at=at)
