"""INSERT, UPDATE and DELETE."""

from typing import TYPE_CHECKING, Any

from .nodes import (
    Conflict,
    Cte,
    Delete,
    Insert,
    Into,
    TableRef,
    Update,
)  # fmt: skip
from .parser_from import FromItems

_WRITES = ("insert", "update", "delete")


class Writes(FromItems):
    """INSERT, UPDATE and DELETE."""

    if TYPE_CHECKING:

        def ctes(self) -> list[Cte]: ...
        def _index(self, left: Any, at: int) -> Any: ...
        def targets(self) -> list[tuple[Any, str]]: ...

    def writing(self) -> Any:
        ctes = self.ctes() if self.word("with") else []
        at, word = self.at, self.need_any(*_WRITES)
        made = self._insert(at) if word == "insert" else self._update(at) if word == "update" else self._delete(at)
        made.ctes = ctes
        return made

    def _returning(self) -> list[tuple[Any, str]]:
        return self.targets() if self.take("returning") else []

    def _target_table(self, word: str) -> TableRef:
        self.take("only")
        at = self.at
        made = TableRef(self.qualified(), at=at)
        self.take_sign("*")
        if self.take("as") or (self.is_name() and not self.any_word(word)):
            made.alias = self.name()
        return made

    def _insert(self, at: int) -> Insert:
        self.need("into")
        place = self.at
        table = TableRef(self.qualified(), at=place)
        if self.take("as"):
            table.alias = self.name()
        columns, places, overriding = list[str](), list[int](), ""
        if self.sign("(") and not self.starts_query():
            self.next()
            while True:
                places.append(self.at)
                columns.append(self.name())
                if not self.take_sign(","):
                    break
            self.need_sign(")")
        if self.take("overriding"):
            overriding = self.need_any("system", "user")
            self.need("value")
        source = None
        if not self.take("default", "values"):
            source = self.query()
        conflict = self._conflict() if self.take("on") else None
        return Insert(table, columns, source, conflict, self._returning(), overriding, places, at=at)

    def _conflict(self) -> Conflict:
        at = self.at
        self.need("conflict")
        target, constraint, where = list[Any](), "", None
        if self.take("on"):
            self.need("constraint")
            constraint = self.name()
        elif self.sign("("):
            self.next()
            while True:
                target.append(self.operand())
                if not self.take_sign(","):
                    break
            self.need_sign(")")
            if self.take("where"):
                where = self.expression()
        self.need("do")
        if self.take("nothing"):
            return Conflict(target, constraint, where, None, None, at=at)
        self.need("update", "set")
        sets = self._sets()
        return Conflict(target, constraint, where, sets, self.expression() if self.take("where") else None, at=at)

    def _sets(self) -> list[tuple[list[str], Any, int]]:
        found = list[tuple[list[str], Any, int]]()
        while True:
            at = self.at
            if self.sign("("):
                columns = self.paren_names()
                self.need_sign("=")
                found.append((columns, self.expression(), at))
            else:
                column = self.name()
                steps = list[Any]()
                while self.sign("["):
                    place = self.next().start
                    steps.append(self._index(None, place))
                if self.sign("."):
                    raise self.fail()
                self.need_sign("=")
                value = self.expression()
                found.append(([column], Into(steps, value, at=at) if steps else value, at))
            if not self.take_sign(","):
                return found

    def _update(self, at: int) -> Update:
        table = self._target_table("set")
        self.need("set")
        sets = self._sets()
        froms = self.froms() if self.take("from") else []
        where = self.expression() if self.take("where") else None
        return Update(table, sets, froms, where, self._returning(), at=at)

    def _delete(self, at: int) -> Delete:
        self.need("from")
        table = self._target_table("using")
        using = self.froms() if self.take("using") else []
        where = self.expression() if self.take("where") else None
        return Delete(table, using, where, self._returning(), at=at)
