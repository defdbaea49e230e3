"""CREATE of indexes, views, sequences, types, roles and policies."""

from typing import Any

from .nodes import Stmt
from .parser_queries import Queries


class Objects(Queries):
    """CREATE of indexes, views, sequences, types, roles and policies."""

    def _text(self, start: int) -> str:
        """The text from a place to here."""
        return self.sql[start : self.ahead(-1).stop].strip()

    def _if_not_exists(self) -> bool:
        return self.take("if", "not", "exists")

    def _rest(self) -> None:
        while self.token.kind != "end" and not self.sign(";"):
            self.next()

    def _create_index(self, at: int) -> Stmt:
        unique = self.take("unique")
        self.need("index")
        self.take("concurrently")
        exists = self._if_not_exists()
        name = "" if self.word("on") else self.name()
        self.need("on")
        self.take("only")
        place, table = self.at, self.qualified()
        method = self.name() if self.take("using") else "btree"
        self.need_sign("(")
        keys, classes = list[tuple[Any, str, str]](), list[str]()
        while True:
            start = self.at
            expr = self.operand()
            text = self._text(start)
            if self.take("collate"):
                self.qualified()
            named = self.is_name() and not self.any_word("asc", "desc", "nulls")
            classes.append(self.qualified()[-1] if named else "")
            suffix = " DESC" if self.take("desc") else ""
            if not suffix:
                self.take("asc")
            if self.take("nulls"):
                which = self.need_any("first", "last")
                suffix += "" if which == ("first" if suffix else "last") else f" NULLS {which.upper()}"
            keys.append((expr, text, suffix))
            if not self.take_sign(","):
                break
        self.need_sign(")")
        include = self.paren_names() if self.take("include") else []
        distinct = True
        if self.take("nulls"):
            distinct = not self.take("not")
            self.need("distinct")
        if self.take("with"):
            self.need_sign("(")
            while not self.take_sign(")"):
                self.next()
        where, text = None, ""
        if self.take("where"):
            start = self.at
            where = self.expression()
            text = self._text(start)
        return Stmt("CREATE INDEX", {
            "unique": unique, "exists": exists, "name": name, "table": table, "place": place, "method": method, "keys": keys,
            "classes": classes, "include": include, "where": where, "text": text, "distinct": distinct,
        }, at=at)  # fmt: skip

    def _create_view(self, at: int, replace: bool, materialized: bool = False) -> Stmt:
        exists = self._if_not_exists()
        place, name = self.at, self.qualified()
        columns = self.paren_names() if self.sign("(") else []
        if self.take("with"):
            self.need_sign("(")
            while not self.take_sign(")"):
                self.next()
        self.need("as")
        start = self.at
        query = self.query()
        text = self._text(start)
        if self.take("with"):
            if materialized:
                self.take("no")
                self.need("data")
            else:
                self.take_any("cascaded", "local")
                self.need("check", "option")
        kind = "CREATE MATERIALIZED VIEW" if materialized else "CREATE VIEW"
        return Stmt(
            kind,
            {
                "name": name,
                "place": place,
                "columns": columns,
                "query": query,
                "text": text,
                "replace": replace,
                "exists": exists,
            },
            at=at,
        )

    def sequence_options(self) -> dict[str, Any]:
        found = dict[str, Any]()
        while True:
            if self.take("as"):
                found["type"] = self.type_name().name[-1]
            elif self.take("increment"):
                self.take("by")
                found["increment"] = self.whole()
            elif self.take("start"):
                self.take("with")
                found["start"] = self.whole()
            elif self.take("restart"):
                self.take("with")
                found["restart"] = self.whole() if self.token.kind == "integer" or self.sign("-") else None
            elif self.take("minvalue"):
                found["minimum"] = self.whole()
            elif self.take("maxvalue"):
                found["maximum"] = self.whole()
            elif self.take("cache"):
                self.whole()
            elif self.take("cycle"):
                found["cycle"] = True
            elif self.take("owned"):
                self.need("by")
                found["owned"] = () if self.take("none") else self.qualified()
            elif self.take("no"):
                which = self.need_any("minvalue", "maxvalue", "cycle")
                if which == "cycle":
                    found["cycle"] = False
            else:
                return found

    def _create_type(self, at: int) -> Stmt:
        place, name = self.at, self.qualified()
        self.need("as")
        if not self.take("enum"):
            self._rest()
            return Stmt("unsupported", {"name": "CREATE TYPE other than ENUM"}, at=at)
        self.need_sign("(")
        labels = list[str]()
        while not self.sign(")"):
            labels.append(self.string())
            if not self.take_sign(","):
                break
        self.need_sign(")")
        return Stmt("CREATE TYPE", {"name": name, "place": place, "labels": labels}, at=at)

    def _role_options(self) -> dict[str, Any]:
        found = dict[str, Any]()
        self.take("with")
        flags = ("superuser", "createdb", "createrole", "inherit", "login", "replication", "bypassrls")
        while self.token.kind == "name":
            word = self.label()
            if word in flags:
                found[word] = True
            elif word.startswith("no") and word[2:] in flags:
                found[word[2:]] = False
            elif word in ("password", "valid"):
                self.take("until")
                self.next()
            elif word == "encrypted":
                self.need("password")
                self.string()
            elif word in ("in", "role", "admin", "user"):
                if word == "in":
                    self.need_any("role", "group")
                found["in" if word == "in" else "members"] = self.names()
            elif word == "connection":
                self.need("limit")
                found["limit"] = self.whole()
            else:
                raise self.fail(self.ahead(-1))
        return found

    def _create_policy(self, at: int) -> Stmt:
        parts: dict[str, Any] = {"name": self.name()}
        self.need("on")
        parts["place"], parts["table"] = self.at, self.qualified()
        if self.take("as"):
            parts["restrictive"] = self.need_any("permissive", "restrictive") == "restrictive"
        if self.take("for"):
            parts["command"] = self.need_any("all", "select", "insert", "update", "delete")
        if self.take("to"):
            parts["roles"] = [self.label()]
            while self.take_sign(","):
                parts["roles"].append(self.label())
        for word, name in ((("using",), "using"), (("with", "check"), "check")):
            if self.take(*word):
                self.need_sign("(")
                start = self.at
                self.expression()
                parts[name] = self._text(start)
                self.need_sign(")")
        return Stmt("CREATE POLICY", parts, at=at)
