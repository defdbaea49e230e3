"""Function calls, windows and sort orders."""

from typing import TYPE_CHECKING, Any

from .nodes import (
    Const,
    Frame,
    Func,
    Sort,
    Window,
)  # fmt: skip
from .parsing import Tokens


class Functions(Tokens):
    """Function calls, windows and sort orders."""

    if TYPE_CHECKING:

        def expression(self) -> Any: ...
        def operand(self, level: int = 6) -> Any: ...

    def _special_function(self, word: str, at: int) -> Any:
        """Functions whose arguments have a grammar of their own."""
        if word == "extract":
            self.i += 2
            unit = self.string() if self.token.kind == "string" else self.label()
            self.need("from")
            args = [Const(unit.lower(), "unknown", at=at), self.expression()]
            name = "extract"
        elif word == "position":
            self.i += 2
            needle = self.operand()
            self.need("in")
            args, name = [self.operand(), needle], "strpos"
        elif word == "substring":
            self.i += 2
            args, name = [self.expression()], "substring"
            if self.take("from"):
                args.append(self.expression())
                if self.take("for"):
                    args.append(self.expression())
            elif self.take("for"):
                args += [Const(1, "int4", at=at), self.expression()]
            else:
                while self.take_sign(","):
                    args.append(self.expression())
        elif word == "overlay":
            self.i += 2
            args, name = [self.expression()], "overlay"
            for mark in ("placing", "from", "for"):
                if self.take(mark) or self.take_sign(","):
                    args.append(self.expression())
        elif word == "trim":
            self.i += 2
            side = self.take_any("both", "leading", "trailing") or "both"
            name = {"both": "btrim", "leading": "ltrim", "trailing": "rtrim"}[side]
            first = None if self.word("from") else self.expression()
            if self.take("from"):
                source = self.expression()
                args = [source] if first is None else [source, first]
            else:
                args = [first]
                if self.take_sign(","):
                    args.append(self.expression())
        else:
            return None
        self.need_sign(")")
        return Func((name,), args, label="position" if name == "strpos" else "", at=at)

    def _function(self, name: tuple[str, ...], at: int) -> Any:
        self.need_sign("(")
        made = Func(name, [], at=at)
        if self.take_sign("*"):
            made.star = True
        else:
            made.distinct = self.take("distinct")
            if not made.distinct:
                self.take("all")
            while not self.sign(")"):
                made.variadic = self.take("variadic")
                if self.is_name() and (self.sign("=>", 1) or self.sign(":=", 1)):
                    made.names.append(self.name())
                    self.next()
                made.args.append(self.expression())
                if not self.take_sign(","):
                    break
            if self.take("order", "by"):
                made.order = self.sorts()
        if name[-1] in ("coalesce", "greatest", "least") and not made.args:
            raise self.fail()
        self.need_sign(")")
        if self.take("within", "group"):
            self.need_sign("(")
            self.need("order", "by")
            made.within = self.sorts()
            self.need_sign(")")
        if self.word("filter") and self.sign("(", 1):
            self.i += 2
            self.need("where")
            made.filter = self.expression()
            self.need_sign(")")
        if self.take("over"):
            place = self.at
            made.over = self.window() if self.sign("(") else Window(name=self.name(), at=place)
        return made

    def sorts(self) -> list[Sort]:
        found = list[Sort]()
        while True:
            at, expr = self.at, self.expression()
            desc = False
            if self.take("using"):
                op = self.next().value
                if op not in ("<", ">"):
                    raise self.fail(self.ahead(-1))
                desc = op == ">"
            elif self.take("desc"):
                desc = True
            else:
                self.take("asc")
            first = desc
            if self.take("nulls"):
                first = self.need_any("first", "last") == "first"
            found.append(Sort(expr, desc, first, at=at))
            if not self.take_sign(","):
                return found

    def window(self) -> Window:
        at = self.at
        self.need_sign("(")
        made = Window(at=at)
        if self.is_name() and not self.any_word("partition", "rows", "range", "groups"):
            made.base = self.name()
        if self.take("partition", "by"):
            made.partition = [self.expression()]
            while self.take_sign(","):
                made.partition.append(self.expression())
        if self.take("order", "by"):
            made.order = self.sorts()
        if mode := self.take_any("rows", "range", "groups"):
            between = self.take("between")
            start = self._bound()
            stop = ("current", None)
            if between:
                self.need("and")
                stop = self._bound()
            exclude = ""
            if self.take("exclude"):
                exclude = "current" if self.take("current", "row") else self.take_any("group", "ties")
                if not exclude:
                    self.need("no", "others")
            made.frame = Frame(mode, start, stop, exclude, at=at)
        self.need_sign(")")
        return made

    def _bound(self) -> tuple[str, Any]:
        if self.take("unbounded"):
            return "unbounded " + self.need_any("preceding", "following"), None
        if self.take("current", "row"):
            return "current", None
        offset = self.expression()
        return self.need_any("preceding", "following"), offset
