"""ALTER, DROP, TRUNCATE, COMMENT, GRANT and REVOKE."""

from typing import Any

from .nodes import Stmt
from .parser_definitions import Definitions

_OBJECTS = (
    "table",
    "view",
    "sequence",
    "index",
    "schema",
    "type",
    "role",
    "user",
    "policy",
    "extension",
    "database",
    "function",
    "domain",
)
_PRIVILEGES = ("select", "insert", "update", "delete", "truncate", "references", "trigger", "usage", "create", "connect", "temporary",
               "temp", "execute")  # fmt: skip


class Alterations(Definitions):
    def _kind(self) -> str:
        if self.take("materialized", "view"):
            return "materialized view"
        if self.token.kind == "name" and self.token.value in _OBJECTS:
            word = self.next().value
            return "role" if word == "user" else word
        return ""

    def _do_drop(self, at: int) -> Stmt:
        if self.take("owned"):
            self._rest()
            return Stmt("unsupported", {"name": "DROP OWNED"}, at=at)
        kind = self._kind()
        if kind in ("function", "domain") or not kind:
            if not kind and not self.any_word(
                "trigger", "procedure", "rule", "aggregate", "operator", "cast", "foreign"
            ):
                raise self.fail()
            kind = kind or self.token.value
            self._rest()
            return Stmt("unsupported", {"name": f"DROP {kind.upper()}"}, at=at)
        self.take("concurrently")
        exists = self.take("if", "exists")
        if kind == "policy":
            name = self.name()
            self.need("on")
            return Stmt("DROP POLICY", {"name": name, "table": self.qualified(), "exists": exists}, at=at)
        names = list[tuple[tuple[str, ...], int]]()
        while True:
            place = self.at
            names.append((self.qualified(), place))
            if kind == "database" or not self.take_sign(","):
                break
        behaviour = self.take_any("cascade", "restrict")
        forced = kind == "database" and (self.take("with") or self.sign("("))
        if forced:
            self.need_sign("(")
            self.need("force")
            self.need_sign(")")
        return Stmt(
            f"DROP {kind.upper()}",
            {"what": kind, "names": names, "exists": exists, "cascade": behaviour == "cascade", "force": bool(forced)},
            at=at,
        )

    def _do_truncate(self, at: int) -> Stmt:
        self.take("table")
        tables = list[tuple[tuple[str, ...], int]]()
        while True:
            self.take("only")
            place = self.at
            tables.append((self.qualified(), place))
            self.take_sign("*")
            if not self.take_sign(","):
                break
        restart = self.take("restart", "identity")
        if not restart:
            self.take("continue", "identity")
        return Stmt(
            "TRUNCATE TABLE",
            {"tables": tables, "restart": restart, "cascade": self.take_any("cascade", "restrict") == "cascade"},
            at=at,
        )

    def _do_comment(self, at: int) -> Stmt:
        self.need("on")
        kind = "column" if self.take("column") else "constraint" if self.take("constraint") else self._kind()
        if not kind:
            raise self.fail()
        place, name = self.at, self.qualified()
        parts: dict[str, Any] = {"what": kind, "name": name, "place": place}
        if kind in ("constraint", "policy"):
            self.need("on")
            parts["table"] = self.qualified()
        self.need("is")
        parts["text"] = "" if self.take("null") else self.string()
        return Stmt("COMMENT", parts, at=at)

    def _do_refresh(self, at: int) -> Stmt:
        self.need("materialized", "view")
        self.take("concurrently")
        place, name = self.at, self.qualified()
        if self.take("with"):
            self.take("no")
            self.need("data")
        return Stmt("REFRESH MATERIALIZED VIEW", {"name": name, "place": place}, at=at)

    # GRANT

    def _do_grant(self, at: int) -> Stmt:
        return self._grant("GRANT", "to", at)

    def _do_revoke(self, at: int) -> Stmt:
        self.take("grant", "option", "for")
        return self._grant("REVOKE", "from", at)

    def _grant(self, kind: str, mark: str, at: int) -> Stmt:
        parts: dict[str, Any] = {}
        if not self.any_word(*_PRIVILEGES, "all"):
            parts["memberships"] = self.names()
        else:
            granted = list[tuple[str, list[str]]]()
            while True:
                word = self.label()
                if word == "all":
                    self.take("privileges")
                granted.append((word, self.paren_names() if self.sign("(") else []))
                if not self.take_sign(","):
                    break
            self.need("on")
            parts["privileges"] = granted
            parts["what"] = "table"
            if self.take("all"):
                parts["what"] = self.need_any("tables", "sequences", "functions")
                self.need("in", "schema")
                parts["names"] = [((n,), self.at) for n in self.names()]
            else:
                if word := self.take_any("table", "sequence", "schema", "database", "function"):
                    parts["what"] = word
                names = list[tuple[tuple[str, ...], int]]()
                while True:
                    place = self.at
                    names.append((self.qualified(), place))
                    if not self.take_sign(","):
                        break
                parts["names"] = names
        self.need(mark)
        roles = list[str]()
        while True:
            self.take("group")
            roles.append(self.label())
            if not self.take_sign(","):
                break
        parts["roles"] = roles
        if self.take("with"):
            self.need_any("grant", "admin")
            self.need("option")
        self.take_any("cascade", "restrict")
        return Stmt(f"{kind} ROLE" if "memberships" in parts else kind, parts, at=at)

    # ALTER

    def _do_alter(self, at: int) -> Stmt:
        if self.take("default", "privileges"):
            self._rest()
            return Stmt("ALTER DEFAULT PRIVILEGES", at=at)
        if self.take("system"):
            self._rest()
            return Stmt("unsupported", {"name": "ALTER SYSTEM"}, at=at)
        kind = self._kind()
        if not kind:
            raise self.fail()
        if kind in ("function", "domain", "extension"):
            self._rest()
            return Stmt("unsupported", {"name": f"ALTER {kind.upper()}"}, at=at)
        exists = self.take("if", "exists")
        self.take("only")
        place = self.at
        name = self.qualified() if kind != "role" else (self.label(),)
        parts: dict[str, Any] = {"what": kind, "name": name, "place": place, "exists": exists}
        if kind in ("table", "view", "materialized view", "index", "sequence"):
            self.take_sign("*")
            if kind == "sequence" and (options := self.sequence_options()):
                return Stmt("ALTER SEQUENCE", {**parts, "options": options}, at=at)
            actions = list[Stmt]()
            while True:
                start = self.token
                actions.append(self._table_action())
                single = actions[-1].kind.startswith("rename") or actions[-1].kind == "set schema"
                if single and len(actions) > 1:
                    raise self.fail(start)
                if single or not self.take_sign(","):
                    break
            return Stmt(f"ALTER {kind.upper()}", {**parts, "actions": actions}, at=at)
        if kind == "role":
            if self.take("rename"):
                self.need("to")
                return Stmt("ALTER ROLE", {**parts, "to": self.label()}, at=at)
            if self.any_word("set", "reset", "in"):
                self._rest()
                return Stmt("ALTER ROLE", {**parts, "options": {}}, at=at)
            return Stmt("ALTER ROLE", {**parts, "options": self._role_options()}, at=at)
        if kind == "policy":
            return self._alter_policy(parts, at)
        if kind == "type":
            if self.take("add", "value"):
                parts["exists"] = self._if_not_exists()
                parts["value"] = self.string()
                if side := self.take_any("before", "after"):
                    parts["side"], parts["neighbour"] = side, self.string()
                return Stmt("ALTER TYPE", parts, at=at)
            if self.take("rename", "value"):
                parts["old"] = self.string()
                self.need("to")
                parts["new"] = self.string()
                return Stmt("ALTER TYPE", parts, at=at)
        if self.take("rename"):
            self.need("to")
            return Stmt(f"ALTER {kind.upper()}", {**parts, "to": self.name()}, at=at)
        if self.take("owner", "to"):
            return Stmt(f"ALTER {kind.upper()}", {**parts, "owner": self.label()}, at=at)
        if self.take("set", "schema"):
            return Stmt(f"ALTER {kind.upper()}", {**parts, "schema": self.name()}, at=at)
        if kind == "database" and self.any_word("set", "reset", "with"):
            self._rest()
            return Stmt("ALTER DATABASE", parts, at=at)
        raise self.fail()

    def _alter_policy(self, parts: dict[str, Any], at: int) -> Stmt:
        self.need("on")
        parts["table"] = self.qualified()
        if self.take("rename"):
            self.need("to")
            return Stmt("ALTER POLICY", {**parts, "to": self.name()}, at=at)
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
        return Stmt("ALTER POLICY", parts, at=at)

    def _table_action(self) -> Stmt:
        at = self.at
        if self.take("add"):
            if self._starts_table_constraint():
                return Stmt("add constraint", {"constraint": self.table_constraint()}, at=at)
            self.take("column")
            exists = self._if_not_exists()
            return Stmt("add column", {"exists": exists, "column": self.column_def()}, at=at)
        if self.take("drop"):
            constraint = self.take("constraint")
            if not constraint:
                self.take("column")
            exists = self.take("if", "exists")
            place, name = self.at, self.name()
            cascade = self.take_any("cascade", "restrict") == "cascade"
            return Stmt(
                "drop constraint" if constraint else "drop column",
                {"name": name, "place": place, "exists": exists, "cascade": cascade},
                at=at,
            )
        if self.take("alter"):
            if self.take("constraint"):
                name = self.name()
                self._rest()
                return Stmt("alter constraint", {"name": name}, at=at)
            self.take("column")
            return self._column_action(at, self.name())
        if self.take("rename"):
            if self.take("to"):
                return Stmt("rename", {"to": self.name()}, at=at)
            constraint = self.take("constraint")
            if not constraint:
                self.take("column")
            place, name = self.at, self.name()
            self.need("to")
            return Stmt(
                "rename constraint" if constraint else "rename column",
                {"name": name, "to": self.name(), "place": place},
                at=at,
            )
        if self.take("validate", "constraint"):
            return Stmt("validate", {"name": self.name()}, at=at)
        if self.take("owner", "to"):
            return Stmt("owner", {"owner": self.label()}, at=at)
        if self.take("set", "schema"):
            return Stmt("set schema", {"schema": self.name()}, at=at)
        if word := self.take_any("enable", "disable", "force"):
            if self.take("row", "level", "security"):
                return Stmt("security", {"how": word}, at=at)
            self._rest_of_action()
            return Stmt("unsupported", {"name": f"ALTER TABLE {word.upper()}"}, at=at)
        if self.take("no", "force"):
            self.need("row", "level", "security")
            return Stmt("security", {"how": "no force"}, at=at)
        if self.any_word("set", "reset", "cluster", "inherit", "replica", "attach", "detach"):
            name = self.next().value
            if name in ("set", "reset") and self.sign("("):
                self._rest_of_action()
                return Stmt("storage", at=at)
            self._rest_of_action()
            return Stmt("unsupported", {"name": f"ALTER TABLE {name.upper()}"}, at=at)
        raise self.fail()

    def _rest_of_action(self) -> None:
        depth = 0
        while self.token.kind != "end" and not self.sign(";"):
            depth += self.sign("(") - self.sign(")")
            if self.sign(",") and not depth:
                return
            self.next()

    def _column_action(self, at: int, name: str) -> Stmt:
        parts: dict[str, Any] = {"name": name}
        if self.take("set", "data", "type") or self.take("type"):
            parts["type"] = self.type_name()
            if self.take("collate"):
                self.qualified()
            if self.take("using"):
                parts["using"] = self.expression()
            return Stmt("column type", parts, at=at)
        if self.take("set", "not", "null"):
            return Stmt("set not null", parts, at=at)
        if self.take("drop", "not", "null"):
            return Stmt("drop not null", parts, at=at)
        if self.take("set", "default"):
            start = self.at
            parts["expr"] = self.operand()
            parts["text"] = self._text(start)
            return Stmt("set default", parts, at=at)
        if self.take("drop", "default"):
            return Stmt("drop default", parts, at=at)
        if self.take("add"):
            made = self._column_constraint(name)
            if made is None or made.kind != "identity":
                raise self.fail()
            return Stmt("add identity", {**parts, "identity": made}, at=at)
        if self.take("drop", "identity"):
            return Stmt("drop identity", {**parts, "exists": self.take("if", "exists")}, at=at)
        if self.take("drop", "expression"):
            return Stmt("drop expression", parts, at=at)
        if self.take("restart"):
            self.take("with")
            return Stmt(
                "identity options",
                {**parts, "options": {"restart": self.whole() if self.token.kind == "integer" else None}},
                at=at,
            )
        if self.take("set"):
            if always := self.take("generated"):
                always = self.need_any("always", "by") == "always"
                if not always:
                    self.need("default")
                return Stmt("identity kind", {**parts, "always": always}, at=at)
            self._rest_of_action()
            return Stmt("storage", parts, at=at)
        raise self.fail()
