"""SELECT, VALUES, set operations, FROM, and the statements that write rows."""

from typing import Any

from .errors import SqlError
from .nodes import (
    Const,
    Cte,
    Grouping,
    Query,
    RowLit,
    Select,
    SetOp,
    Star,
    SubRef,
    TableRef,
    Values,
)  # fmt: skip
from .parser_writes import _WRITES, Writes
from .parsing import NEEDS_AS, RESERVED

_STARTS = ("select", "values", "with", "table")


class Queries(Writes):
    def starts_query(self, n: int = 0) -> bool:
        while self.sign("(", n):
            n += 1
        return any(self.word(w, n=n) for w in _STARTS)

    def query(self) -> Any:
        """A whole query: WITH, set operations, ORDER BY, LIMIT and what locks rows."""
        self.enter()
        ctes = self.ctes() if self.word("with") else []
        made = self._set_operations()
        if self._has_tail() or ctes:
            if made.order or made.limit or made.offset or made.ctes:
                made = SubRef(made, "unnamed_subquery", at=made.at)
                made = Select([(Star(), "")], froms=[made], at=made.at)
            made.ctes = ctes
            self._tail(made)
        self.leave()
        return made

    def ctes(self) -> list[Cte]:
        self.need("with")
        recursive = self.take("recursive")
        found = list[Cte]()
        while True:
            at, name = self.at, self.name()
            columns = self.paren_names() if self.sign("(") else []
            self.need("as")
            if self.take("not"):
                self.need("materialized")
            else:
                self.take("materialized")
            self.need_sign("(")
            body = self.writing() if self.any_word(*_WRITES) else self.query()
            self.need_sign(")")
            found.append(Cte(name, columns, body, recursive, at=at))
            if not self.take_sign(","):
                return found

    def _set_operations(self) -> Any:
        left = self._intersections()
        while self.any_word("union", "except"):
            token = self.next()
            every = self.take("all")
            if not every:
                self.take("distinct")
            left = SetOp(token.value, every, left, self._intersections(), at=token.start)
        return left

    def _intersections(self) -> Any:
        left = self._simple()
        while self.word("intersect"):
            token = self.next()
            every = self.take("all")
            if not every:
                self.take("distinct")
            left = SetOp("intersect", every, left, self._simple(), at=token.start)
        return left

    def _simple(self) -> Any:
        at = self.at
        if self.take_sign("("):
            made = self.query()
            self.need_sign(")")
            return made
        if self.take("values"):
            rows = [self._row()]
            while self.take_sign(","):
                rows.append(self._row())
            return Values(rows, at=at)
        if self.take("table"):
            return Select([(Star(at=at), "")], froms=[TableRef(self.qualified(), at=at)], at=at)
        self.need("select")
        return self._select(at)

    def _row(self) -> list[Any]:
        self.need_sign("(")
        found = [self.expression()]
        while self.take_sign(","):
            found.append(self.expression())
        self.need_sign(")")
        return found

    def _select(self, at: int) -> Select:
        made = Select(at=at)
        if self.take("distinct"):
            made.distinct = self._row() if self.take("on") else True
        else:
            self.take("all")
        if not (
            self.token.kind == "end"
            or self.sign(")")
            or self.sign(";")
            or self.any_word(
                "from", "where", "group", "having", "window", "union", "intersect", "except", "order", "limit", "offset"
            )
        ):
            made.targets = self.targets()
        if self.take("into"):
            self._into()
        if self.take("from"):
            made.froms = self.froms()
        if self.take("where"):
            made.where = self.expression()
        if self.take("group"):
            self.need("by")
            if not self.take("all"):
                self.take("distinct")
            made.group = [self._group_item()]
            while self.take_sign(","):
                made.group.append(self._group_item())
        if self.take("having"):
            made.having = self.expression()
        if self.take("window"):
            while True:
                name = self.name()
                self.need("as")
                made.windows[name] = self.window()
                if not self.take_sign(","):
                    break
        return made

    def _into(self) -> None:
        """SELECT ... INTO table, which only a whole statement can have."""
        opened = sum({"(": 1, ")": -1}.get(str(t.value), 0) for t in self.tokens[: self.i] if t.kind == "op")
        if opened:
            raise SqlError("42601", "SELECT ... INTO is not allowed here", self.at)
        temporary = bool(self.take_any("temporary", "temp"))
        self.take("unlogged")
        self.take("table")
        self.into = {"place": self.at, "name": self.qualified(), "temporary": temporary, "names": [], "text": ""}

    def _group_item(self) -> Any:
        at = self.at
        for kind in ("rollup", "cube"):
            if self.word(kind) and self.sign("(", 1):
                self.next()
                return Grouping(kind, self._row(), at=at)
        if self.take("grouping", "sets"):
            self.need_sign("(")
            items = [self._group_item()]
            while self.take_sign(","):
                items.append(self._group_item())
            self.need_sign(")")
            return Grouping("sets", items, at=at)
        if self.sign("(") and self.sign(")", 1):
            self.i += 2
            return RowLit([], at=at)
        return self.expression()

    def targets(self) -> list[tuple[Any, str]]:
        found = [self._target()]
        while self.take_sign(","):
            found.append(self._target())
        return found

    def _target(self) -> tuple[Any, str]:
        at = self.at
        if self.take_sign("*"):
            return Star(at=at), ""
        expr = self.expression()
        if self.take("as"):
            return expr, self.label()
        if self.token.kind == "quoted" or (
            self.token.kind == "name" and self.token.value not in NEEDS_AS and self._bare_label()
        ):
            return expr, self.next().value
        return expr, ""

    def _bare_label(self) -> bool:
        word = self.token.value
        return word not in RESERVED or word not in (
            "from",
            "where",
            "and",
            "or",
            "union",
            "when",
            "then",
            "else",
            "end",
            "asc",
            "desc",
        )

    def _has_tail(self) -> bool:
        return self.any_word("order", "limit", "offset", "fetch", "for")

    def _tail(self, made: Query) -> None:
        if self.take("order"):
            self.need("by")
            made.order = self.sorts()
        clauses = set[str]()
        while True:
            start, clause = self.at, "limit" if self.any_word("limit", "fetch") else self.token.value
            if clause in ("limit", "offset") and self.any_word("limit", "fetch", "offset"):
                if clause in clauses:
                    raise self.fail()
                clauses.add(clause)
            if self.take("limit"):
                made.limit = None if self.take("all") else self.expression()
                if self.sign(","):
                    raise self._limit_comma(start)
            elif self.take("offset"):
                made.offset = self.expression()
                self.take_any("row", "rows")
            elif self.take("fetch"):
                self.need_any("first", "next")
                made.limit = Const(1, "int4", at=self.at) if self.any_word("row", "rows") else self.operand()
                self.need_any("row", "rows")
                if self.take("with"):
                    self.need("ties")
                    made.ties = True
                else:
                    self.need("only")
            elif self.take("for"):
                if self.take("no"):
                    self.need("key", "update")
                elif self.take("key"):
                    self.need("share")
                else:
                    self.need_any("update", "share")
                made.locking = "update"
                if self.take("of"):
                    self.names()
                if self.take("skip"):
                    self.need("locked")
                else:
                    self.take("nowait")
            else:
                return

    def _limit_comma(self, at: int) -> Exception:
        error = self.fail()
        error.position = at
        error.args = ("LIMIT #,# syntax is not supported",)
        error.message, error.hint = "LIMIT #,# syntax is not supported", "Use separate LIMIT and OFFSET clauses."
        return error

    # FROM

    # INSERT, UPDATE, DELETE
