"""CREATE, ALTER, DROP and the other statements about objects."""

from typing import Any

from .nodes import ColumnDef, ConstraintDef, Stmt
from .parser_objects import Objects

_ACTIONS = {"restrict": "restrict", "cascade": "cascade"}


class Definitions(Objects):
    def _do_create(self, at: int) -> Any:
        replace = self.take("or", "replace")
        temporary = bool(self.take_any("temp", "temporary", "unlogged"))
        unlogged = temporary and self.ahead(-1).value == "unlogged"
        if self.word("unique") or self.word("index"):
            return self._create_index(at)
        if self.take("materialized", "view"):
            return self._create_view(at, replace, materialized=True)
        if self.take("recursive", "view") or self.take("view"):
            return self._create_view(at, replace)
        word = self.take_any(
            "table", "schema", "sequence", "type", "role", "user", "policy", "extension", "database", "domain"
        )
        match word:
            case "table":
                return self._create_table(at, temporary and not unlogged)
            case "schema":
                exists = self._if_not_exists()
                name = "" if self.word("authorization") else self.name()
                owner = self.label() if self.take("authorization") else ""
                return Stmt("CREATE SCHEMA", {"name": name or owner, "owner": owner, "exists": exists}, at=at)
            case "sequence":
                exists = self._if_not_exists()
                place, name = self.at, self.qualified()
                return Stmt(
                    "CREATE SEQUENCE",
                    {"name": name, "place": place, "exists": exists, "options": self.sequence_options()},
                    at=at,
                )
            case "type":
                return self._create_type(at)
            case "role" | "user":
                return Stmt(
                    "CREATE ROLE",
                    {"name": self.label(), "options": self._role_options(), "login": word == "user"},
                    at=at,
                )
            case "policy":
                return self._create_policy(at)
            case "extension":
                exists = self._if_not_exists()
                name = self.label()
                self._rest()
                return Stmt("CREATE EXTENSION", {"name": name, "exists": exists}, at=at)
            case "database":
                name = self.name()
                owner = ""
                self.take("with")
                while self.token.kind == "name":
                    option = self.label()
                    self.take_sign("=")
                    value = self.next().value
                    owner = str(value) if option == "owner" else owner
                return Stmt("CREATE DATABASE", {"name": name, "owner": owner}, at=at)
            case _:
                pass
        what = str(self.token.value).upper() if self.token.kind == "name" else ""
        if word == "domain":
            what = "DOMAIN"
        known = ("FUNCTION", "PROCEDURE", "TRIGGER", "DOMAIN", "RULE", "AGGREGATE", "CAST", "OPERATOR", "SERVER", "PUBLICATION",
                 "SUBSCRIPTION", "STATISTICS", "EVENT", "FOREIGN", "COLLATION", "CONVERSION", "LANGUAGE", "TABLESPACE",
                 "CONSTRAINT")  # fmt: skip
        if what not in known:
            raise self.fail()
        self._rest()
        return Stmt("unsupported", {"name": f"CREATE {what}"}, at=at)

    # Tables

    def _create_table(self, at: int, temporary: bool) -> Stmt:
        parts: dict[str, Any] = {
            "exists": self._if_not_exists(),
            "temporary": temporary,
            "place": self.at,
            "name": self.qualified(),
        }
        columns, constraints, likes = list[ColumnDef](), list[ConstraintDef](), list[Any]()
        names = list[str]()
        if (
            self.sign("(")
            and self.ahead().kind in ("name", "quoted")
            and (self.sign(",", 2) or (self.sign(")", 2) and self.word("as", n=3)))
        ):
            names = self.paren_names()
        elif self.take_sign("("):
            while not self.sign(")"):
                if self.take("like"):
                    likes.append(self._like())
                elif self._starts_table_constraint():
                    constraints.append(self.table_constraint())
                else:
                    columns.append(self.column_def())
                if not self.take_sign(","):
                    break
            self.need_sign(")")
        elif not self.word("as"):
            if self.any_word("of", "partition"):
                self._rest()
                return Stmt("unsupported", {"name": "CREATE TABLE OF"}, at=at)
            raise self.fail()
        for word in ("inherits", "partition"):
            if self.word(word):
                self._rest()
                return Stmt("unsupported", {"name": f"CREATE TABLE with {word.upper()}"}, at=at)
        if self.take("with"):
            self.need_sign("(")
            while not self.take_sign(")"):
                self.next()
        if self.take("on", "commit"):
            parts["on_commit"] = "drop" if self.take("drop") else "delete" if self.take("delete") else "preserve"
            self.take("rows")
        parts |= {"columns": columns, "constraints": constraints, "likes": likes, "names": names}
        if self.take("as"):
            start = self.at
            parts["query"] = self.query()
            parts["text"] = self._text(start)
            if self.take("with"):
                parts["no_data"] = self.take("no")
                self.need("data")
            return Stmt("CREATE TABLE AS", parts, at=at)
        return Stmt("CREATE TABLE", parts, at=at)

    def _like(self) -> Any:
        name, place, options = self.qualified(), self.at, set[str]()
        while including := self.take_any("including", "excluding"):
            what = self.label()
            if including == "including":
                options.add(what)
            else:
                options.discard(what)
        return name, options, place

    def _starts_table_constraint(self) -> bool:
        return self.any_word("constraint", "primary", "unique", "check", "foreign", "exclude") and not (
            self.word("check") and not self.sign("(", 1)
        )

    def column_def(self) -> ColumnDef:
        at, name = self.at, self.name()
        kind = self.type_name()
        constraints = list[ConstraintDef]()
        while True:
            if self.take("collate"):
                self.qualified()
                continue
            made = self._column_constraint(name)
            if made is None:
                return ColumnDef(name, kind, constraints, at=at)
            constraints.append(made)

    def _column_constraint(self, column: str) -> ConstraintDef | None:
        at = self.at
        name = self.name() if self.take("constraint") else ""
        if self.take("not", "null"):
            return ConstraintDef("notnull", name, at=at)
        if self.take("null"):
            return ConstraintDef("null", name, at=at)
        if self.take("default"):
            start = self.at
            expr = self.operand()
            return ConstraintDef("default", name, expr=expr, text=self._text(start), at=at)
        if self.take("generated"):
            always = self.need_any("always", "by") == "always"
            if not always:
                self.need("default")
            self.need("as")
            if self.take("identity"):
                options = dict[str, Any]()
                if self.take_sign("("):
                    options = self.sequence_options()
                    self.need_sign(")")
                return ConstraintDef("identity", name, always=always, options=options, at=at)
            self.need_sign("(")
            start = self.at
            expr = self.expression()
            text = self._text(start)
            self.need_sign(")")
            self.need("stored")
            return ConstraintDef("generated", name, expr=expr, text=text, at=at)
        if self.word("references"):
            return self._references(ConstraintDef("foreign", name, [column], at=at))
        made = self._shared_constraint(name, [column], at)
        if made is None and name:
            raise self.fail()
        return made

    def table_constraint(self) -> ConstraintDef:
        at = self.at
        name = self.name() if self.take("constraint") else ""
        if self.take("foreign", "key"):
            return self._references(ConstraintDef("foreign", name, self.paren_names(), at=at))
        if self.word("exclude"):
            raise self.fail()
        made = self._shared_constraint(name, None, at)
        if made is None:
            raise self.fail()
        return made

    def _shared_constraint(self, name: str, columns: list[str] | None, at: int) -> ConstraintDef | None:
        if self.take("check"):
            self.need_sign("(")
            start = self.at
            expr = self.expression()
            text = self._text(start)
            self.need_sign(")")
            self.take("no", "inherit")
            made = ConstraintDef("check", name, columns or [], expr, text, at=at)
        elif self.word("primary", "key") or self.word("unique"):
            kind = self.next().value
            if kind == "primary":
                self.need("key")
            made = ConstraintDef(kind, name, at=at)
            if self.take("nulls"):
                made.options["nulls"] = not self.take("not")
                self.need("distinct")
            elif columns is None and self.take("using", "index"):
                made.options["index"] = self.name()
                return made
            made.columns = self.paren_names() if columns is None else columns
            if self.take("include"):
                self.paren_names()
        else:
            return None
        self._deferral(made)
        return made

    def _references(self, made: ConstraintDef) -> ConstraintDef:
        self.need("references")
        made.options["place"] = self.at
        made.table = self.qualified()
        made.refers = self.paren_names() if self.sign("(") else []
        if self.take("match"):
            self.need_any("simple", "full")
        while self.take("on"):
            event = self.need_any("delete", "update")
            if self.take("no"):
                self.need("action")
                action = ""
            elif self.take("set"):
                action = "set " + self.need_any("null", "default")
                if self.sign("("):
                    self.paren_names()
            else:
                action = self.need_any(*_ACTIONS)
            if event == "delete":
                made.on_delete = action
            else:
                made.on_update = action
        self._deferral(made)
        return made

    def _deferral(self, made: ConstraintDef) -> None:
        while True:
            if self.take("not", "deferrable"):
                made.deferrable = False
            elif self.take("deferrable"):
                made.deferrable = True
            elif self.take("initially"):
                made.deferred = self.need_any("deferred", "immediate") == "deferred"
                made.deferrable = made.deferrable or made.deferred
            elif self.take("not", "valid"):
                made.options["not_valid"] = True
            else:
                return

    # Indexes, views, sequences, types
