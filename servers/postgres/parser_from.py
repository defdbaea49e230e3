"""FROM: tables, subqueries, functions, joins."""

from typing import Any

from .errors import SqlError
from .nodes import (
    FuncRef,
    Join,
    SubRef,
    TableRef,
    TypeName,
    Values,
)  # fmt: skip
from .parser_expressions import Expressions


class FromItems(Expressions):
    """FROM: tables, subqueries, functions, joins."""

    def froms(self) -> list[Any]:
        found = [self._from_item()]
        while self.take_sign(","):
            found.append(self._from_item())
        return found

    def _from_item(self) -> Any:
        self.enter()
        left = self._from_primary()
        while True:
            at = self.at
            natural = self.take("natural")
            kind = "inner"
            if self.take("cross"):
                kind = "cross"
            elif side := self.take_any("left", "right", "full"):
                self.take("outer")
                kind = side
            elif not self.take("inner") and not self.word("join"):
                if natural:
                    raise self.fail()
                self.leave()
                return left
            self.need("join")
            right = self._from_primary() if not self._nested_join() else self._from_item()
            made = Join(kind, left, right, natural=natural, at=at)
            if kind != "cross" and not natural:
                if self.take("using"):
                    made.using = self.paren_names()
                else:
                    self.need("on")
                    made.on = self.expression()
            left = made

    def _nested_join(self) -> bool:
        return False

    def _from_primary(self) -> Any:
        at = self.at
        lateral = self.take("lateral")
        if self.sign("("):
            if self.starts_query():
                self.next()
                query = self.query()
                self.need_sign(")")
                alias, columns = self._alias()
                if not alias:
                    what = "VALUES" if isinstance(query, Values) else "subquery"
                    example = "VALUES" if what == "VALUES" else "SELECT"
                    raise SqlError(
                        "42601",
                        f"{what} in FROM must have an alias",
                        at,
                        hint=f"For example, FROM ({example} ...) [AS] foo.",
                    )
                return SubRef(query, alias, columns, lateral, at=at)
            self.next()
            item = self._from_item()
            self.need_sign(")")
            if not isinstance(item, Join):
                raise self.fail()
            item.alias = self._alias()[0]
            return item
        if self.word("rows", "from") and self.sign("(", 2):
            self.i += 3
            funcs = [self.operand()]
            while self.take_sign(","):
                funcs.append(self.operand())
            self.need_sign(")")
            return self._function_tail(FuncRef(funcs, rows_from=True, at=at))
        only = self.take("only")
        if self.token.kind == "name" and self.token.value in ("current_date", "current_user"):
            return self._function_tail(FuncRef([self.operand()], at=at))
        name = self.qualified() if not self._is_call() else ()
        if not name:
            return self._function_tail(FuncRef([self._cast_free_call()], at=at))
        del only
        self.take_sign("*")
        alias, columns = self._alias()
        if self.word("tablesample"):
            raise self.fail()
        return TableRef(name, alias, columns, at=at)

    def _is_call(self) -> bool:
        n = 1
        while self.sign(".", n):
            n += 2
        return self.token.kind in ("name", "quoted") and self.sign("(", n)

    def _cast_free_call(self) -> Any:
        token = self.token
        special = self._special_function(token.value, token.start) if token.kind == "name" else None
        return special if special is not None else self._name(token)

    def _function_tail(self, made: FuncRef) -> FuncRef:
        if self.take("with"):
            self.need("ordinality")
            made.ordinality = True
        took = self.take("as")
        if self.sign("("):
            made.defs = self._definitions()
            return made
        if took or self.is_name():
            made.alias = self.name()
            if self.sign("("):
                if self.ahead(2).kind in ("name", "quoted"):
                    made.defs = self._definitions()
                else:
                    made.columns = self.paren_names()
        return made

    def _definitions(self) -> list[tuple[str, TypeName]]:
        self.need_sign("(")
        found = list[tuple[str, TypeName]]()
        while True:
            found.append((self.name(), self.type_name()))
            if not self.take_sign(","):
                break
        self.need_sign(")")
        return found

    def _alias(self) -> tuple[str, list[str]]:
        if self.take("as") or (self.is_name() and not self.any_word("set", "window")):
            alias = self.name()
        else:
            return "", []
        return alias, self.paren_names() if self.sign("(") else []
