"""A text of statements as nodes."""

from typing import Any

from .nodes import Stmt
from .parser_alterations import Alterations
from .parsing import RESERVED

_QUERIES = ("select", "values", "with", "table")
_UNKNOWN = [
    "abort",
    "alter",
    "analyze",
    "begin",
    "call",
    "checkpoint",
    "close",
    "cluster",
    "comment",
    "commit",
    "copy",
    "create",
    "deallocate",
    "declare",
    "delete",
    "discard",
    "do",
    "drop",
    "end",
    "execute",
    "explain",
    "fetch",
    "grant",
    "import",
    "insert",
    "listen",
    "load",
    "lock",
    "merge",
    "move",
    "notify",
    "prepare",
    "reassign",
    "refresh",
    "reindex",
    "release",
    "reset",
    "revoke",
    "rollback",
    "savepoint",
    "security",
    "select",
    "set",
    "show",
    "start",
    "table",
    "truncate",
    "unlisten",
    "update",
    "vacuum",
    "values",
    "with",
]


class Parser(Alterations):
    def statements(self) -> list[tuple[Any, str]]:
        """Each statement with its own text."""
        found = list[tuple[Any, str]]()
        while self.token.kind != "end":
            if self.take_sign(";"):
                continue
            start = self.at
            made = self.statement()
            if self.token.kind != "end" and not self.sign(";"):
                raise self.fail()
            found.append((made, self.sql[start : self.at].strip()))
        return found

    def statement(self) -> Any:
        token = self.token
        word = token.value if token.kind == "name" else ""
        if self.sign("(") or word in _QUERIES:
            if word == "with" and self._with_writes():
                return self.writing()
            self.into = None
            made = self.query()
            return made if self.into is None else Stmt("CREATE TABLE AS", {**self.into, "query": made}, at=token.start)
        if word in ("insert", "update", "delete"):
            return self.writing()
        if word not in _UNKNOWN:
            raise self.fail()
        method = getattr(self, f"_do_{word}", None)
        if method is None:
            return Stmt("unsupported", {"name": word.upper()}, at=self._skip())
        self.next()
        return method(token.start)

    def _with_writes(self) -> bool:
        """Whether the statement after the WITH clause is one that writes."""
        depth, n = 0, 0
        while (token := self.ahead(n)).kind != "end":
            if token.kind == "op" and token.value in "()":
                depth += 1 if token.value == "(" else -1
                if not depth and token.value == ")" and self.ahead(n + 1).kind == "name":
                    follows = self.ahead(n + 1).value
                    if follows in ("insert", "update", "delete"):
                        return True
                    if follows in ("select", "values", "table"):
                        return False
            n += 1
        return False

    def _skip(self) -> int:
        at = self.at
        while self.token.kind != "end" and not self.sign(";"):
            self.next()
        return at

    # Transactions and settings

    def _modes(self) -> dict[str, Any]:
        modes = dict[str, Any]()
        while True:
            if self.take("isolation"):
                self.need("level")
                first = self.need_any("serializable", "repeatable", "read")
                modes["isolation"] = first
                if first == "repeatable":
                    self.need("read")
                    modes["isolation"] = "repeatable read"
                elif first == "read":
                    modes["isolation"] = "read " + self.need_any("committed", "uncommitted")
            elif self.take("read"):
                modes["read_only"] = self.need_any("only", "write") == "only"
            elif self.take("not"):
                self.need("deferrable")
            elif not self.take("deferrable"):
                return modes
            self.take_sign(",")

    def _do_begin(self, at: int) -> Stmt:
        self.take_any("work", "transaction")
        return Stmt("BEGIN", self._modes(), at=at)

    def _do_start(self, at: int) -> Stmt:
        self.need("transaction")
        return Stmt("START TRANSACTION", self._modes(), at=at)

    def _do_commit(self, at: int) -> Stmt:
        self.take_any("work", "transaction")
        if self.take("and"):
            no = self.take("no")
            self.need("chain")
            return Stmt("COMMIT", {"chain": not no}, at=at)
        return Stmt("COMMIT", at=at)

    _do_end = _do_commit

    def _do_rollback(self, at: int) -> Stmt:
        self.take_any("work", "transaction")
        if self.take("to"):
            self.take("savepoint")
            return Stmt("ROLLBACK TO", {"name": self.name()}, at=at)
        if self.take("and"):
            no = self.take("no")
            self.need("chain")
            return Stmt("ROLLBACK", {"chain": not no}, at=at)
        return Stmt("ROLLBACK", at=at)

    _do_abort = _do_rollback

    def _do_savepoint(self, at: int) -> Stmt:
        return Stmt("SAVEPOINT", {"name": self.name()}, at=at)

    def _do_release(self, at: int) -> Stmt:
        self.take("savepoint")
        return Stmt("RELEASE", {"name": self.name()}, at=at)

    def _do_set(self, at: int) -> Stmt:
        if self.take("session", "characteristics", "as"):
            self.need("transaction")
            return Stmt("SET SESSION", self._modes(), at=at)
        local = bool(self.take_any("local", "session") == "local")
        if self.take("transaction"):
            return Stmt("SET TRANSACTION", self._modes(), at=at)
        if self.take("constraints"):
            every = self.take("all")
            names = [] if every else [self.qualified()[-1]]
            while not every and self.take_sign(","):
                names.append(self.qualified()[-1])
            return Stmt(
                "SET CONSTRAINTS",
                {"names": names, "deferred": self.need_any("deferred", "immediate") == "deferred"},
                at=at,
            )
        if self.take("time", "zone"):
            return Stmt("SET", {"name": "timezone", "value": self._setting(), "local": local}, at=at)
        if self.take("role") or (self.take("session") and self.take("authorization")):
            if not self.take_sign("="):
                self.take("to")
            role = self.string() if self.token.kind == "string" else self.label()
            return Stmt("SET ROLE", {"name": "" if role in ("none", "default") else role}, at=at)
        name = self.label()
        while self.take_sign("."):
            name += f".{self.label()}"
        if not self.take("to"):
            self.need_sign("=")
        return Stmt("SET", {"name": name, "value": self._setting(), "local": local}, at=at)

    def _setting(self) -> str | None:
        if self.take("default"):
            return None
        parts = list[str]()
        while True:
            token = self.next()
            if token.kind == "op" and token.value in "+-" and self.token.kind in ("integer", "number"):
                parts.append(token.value + self.next().value)
            elif token.kind in ("string", "name", "quoted", "integer", "number"):
                parts.append(str(token.value))
            else:
                raise self.fail(token)
            if not self.take_sign(","):
                return ", ".join(parts)

    def _do_reset(self, at: int) -> Stmt:
        if self.take("role"):
            return Stmt("SET ROLE", {"name": "", "reset": True}, at=at)
        if self.take("session"):
            self.need("authorization")
            return Stmt("SET ROLE", {"name": "", "reset": True}, at=at)
        name = self.label()
        while self.take_sign("."):
            name += f".{self.label()}"
        return Stmt("RESET", {"name": name}, at=at)

    def _do_show(self, at: int) -> Stmt:
        if self.take("time", "zone"):
            return Stmt("SHOW", {"name": "timezone"}, at=at)
        if self.take("transaction", "isolation", "level"):
            return Stmt("SHOW", {"name": "transaction_isolation"}, at=at)
        if self.take("session", "authorization"):
            return Stmt("SHOW", {"name": "session_authorization"}, at=at)
        name = self.label()
        while self.take_sign("."):
            name += f".{self.label()}"
        return Stmt("SHOW", {"name": name}, at=at)

    def _do_discard(self, at: int) -> Stmt:
        return Stmt("DISCARD", {"name": self.need_any("all", "plans", "sequences", "temp", "temporary")}, at=at)

    # Maintenance

    def _do_explain(self, at: int) -> Stmt:
        options = dict[str, Any]()
        if self.take_sign("("):
            while True:
                name = self.label()
                value: Any = True
                if not self.sign(",") and not self.sign(")"):
                    value = str(self.next().value).lower()
                    value = value not in ("false", "off", "0") if name != "format" else value
                options[name] = value
                if not self.take_sign(","):
                    break
            self.need_sign(")")
        else:
            for word in ("analyze", "verbose"):
                if self.take(word):
                    options[word] = True
        return Stmt("EXPLAIN", {"options": options, "statement": self.statement()}, at=at)

    def _maintained(self, kind: str, at: int) -> Stmt:
        if self.take_sign("("):
            while not self.take_sign(")"):
                if self.next().kind == "end":
                    raise self.fail()
        while self.take_any("full", "freeze", "verbose", "analyze"):
            pass
        tables = list[tuple[tuple[str, ...], int]]()
        while self.is_name():
            tables.append((self.qualified(), self.at))
            if self.sign("("):
                self.paren_names()
            if not self.take_sign(","):
                break
        return Stmt(kind, {"tables": tables}, at=at)

    def _do_vacuum(self, at: int) -> Stmt:
        return self._maintained("VACUUM", at)

    def _do_analyze(self, at: int) -> Stmt:
        return self._maintained("ANALYZE", at)

    def _do_checkpoint(self, at: int) -> Stmt:
        return Stmt("CHECKPOINT", at=at)

    def _do_reindex(self, at: int) -> Stmt:
        kind = self.need_any("table", "index", "schema", "database", "system")
        self.take("concurrently")
        return Stmt("REINDEX", {"what": kind, "name": self.qualified(), "place": self.at}, at=at)

    def _do_lock(self, at: int) -> Stmt:
        self.take("table")
        self.take("only")
        tables = [self.qualified()]
        while self.take_sign(","):
            tables.append(self.qualified())
        if self.take("in"):
            while self.take_any("access", "row", "share", "exclusive", "update"):
                pass
            self.need("mode")
        self.take("nowait")
        return Stmt("LOCK TABLE", {"tables": tables}, at=at)


def parse(sql: str) -> list[tuple[Any, str]]:
    return Parser(sql).statements()


def parse_expression(text: str) -> Any:
    """An expression that was kept as text: a default, a check, a policy."""
    parser = Parser(text)
    made = parser.expression()
    if parser.token.kind != "end":
        raise parser.fail()
    return made


__all__ = ["RESERVED", "Parser", "parse", "parse_expression"]
