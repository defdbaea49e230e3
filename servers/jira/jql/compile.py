"""JQL's clauses -> an SQL condition over the issue table. Values never enter the text: they are bound."""

from datetime import timedelta
from typing import Any

from legoenv_mcp.app import Ctx

from .. import times
from . import dates, operands, past, schema, text
from .operands import Found
from .schema import Searchable
from .syntax import All, Clause, Either, JqlError, Many, Query, Value

_NEVER = "0"
_MOST_CLAUSES = 400
_TEXTS = ("summary", "description", "environment")


class Compiler:
    """Compiles one query. `lenient` turns what it cannot resolve into a warning and a clause that matches nothing."""

    def __init__(self, ctx: Ctx, lenient: bool = False, depth: int = 0) -> None:
        self.ctx = ctx
        self.lenient = lenient
        self.depth = depth
        self.values = list[Any]()
        self.warnings = list[str]()
        self.clauses = 0

    def condition(self, query: Query) -> str:
        return self._of(query.where) if query.where is not None else "1"

    def order(self, query: Query) -> str:
        """ORDER BY: empty values come last, descending first, as Jira sorts them."""
        parts = list[str]()
        for sort in query.order:
            spec = schema.find(sort.field)
            if spec is None:
                self._complain(JqlError(operands.unknown_field(sort.field)))
                continue
            if not spec.sort:
                self._complain(JqlError(f"Not able to sort using field '{sort.field}'."))
                continue
            down = bool(sort.descending)
            for expression in spec.sort.split(", number") if spec.how == "key" else [spec.sort]:
                made = expression or "number"
                parts.append(f"{made} {'DESC NULLS FIRST' if down else 'ASC NULLS LAST'}")
        return ", ".join([*parts, "id DESC"])

    def bind(self, value: Any) -> str:
        self.values.append(value)
        return "?"

    def bind_all(self, values: Any) -> str:
        return ", ".join(self.bind(v) for v in values)

    def _complain(self, error: JqlError) -> None:
        if not self.lenient:
            raise error
        self.warnings.append(str(error))

    # Clauses

    def _of(self, node: Any) -> str:
        if isinstance(node, All):
            return "(" + " AND ".join(map(self._of, node.parts)) + ")"
        if isinstance(node, Either):
            return "(" + " OR ".join(map(self._of, node.parts)) + ")"
        self.clauses += 1
        if self.clauses > _MOST_CLAUSES:
            raise JqlError(f"The JQL query is too complex: it has more than {_MOST_CLAUSES} clauses.")
        held = len(self.values)
        try:
            return self._clause(node)
        except JqlError as error:
            del self.values[held:]
            self._complain(error)
            return _NEVER

    def _clause(self, clause: Clause) -> str:
        spec = schema.find(clause.field)
        if spec is None:
            raise JqlError(operands.unknown_field(clause.field))
        operator = clause.operator
        if operator not in spec.operators:
            raise JqlError(f"The operator '{operator}' is not supported by the '{clause.field}' field.")
        if operator in schema.PAST:
            return past.compile(self, spec, clause)
        many = isinstance(clause.operand, Many)
        if operator in ("is", "is not"):
            if not isinstance(clause.operand, Value) or clause.operand.function or clause.operand.text is not None:
                shown = clause.operand.shown
                raise JqlError(
                    f"The operator '{operator}' supports only EMPTY and NULL, not '{shown}', for field '{clause.field}'."
                )
            return self._empty(spec, operator == "is")
        if many and operator not in ("in", "not in"):
            raise JqlError(
                f"Operator '{operator}' does not support the list value '{clause.operand.shown}' for field '{clause.field}'."
            )
        if (
            operator in ("in", "not in")
            and not many
            and not (isinstance(clause.operand, Value) and clause.operand.function)
        ):
            raise JqlError(
                f"Operator '{operator}' does not support the non-list value '{clause.operand.shown}' for field '{clause.field}'."
            )
        negative = operator in ("!=", "not in", "!~")
        values = operands.flattened(clause.operand)
        if spec.how == "text":
            return self._text(spec, clause.field, values[0], negative)
        if operator in schema.ORDERED:
            return self._ordered(spec, clause.field, operator, values[0])
        return self._among(spec, clause.field, values, negative)

    # Emptiness

    def _empty(self, spec: Searchable, empty: bool) -> str:
        if spec.how in ("parts", "labels", "sprint"):
            return f"{spec.held} {'=' if empty else '!='} '[]'"
        if spec.how in ("link", "attachment"):
            return f"({'NOT ' if empty else ''}{_any_row(spec)})"
        if spec.how == "text":
            return f"coalesce({spec.column}, '') {'=' if empty else '!='} ''"
        return f"{spec.column} IS {'' if empty else 'NOT '}NULL"

    # Text

    def _text(self, spec: Searchable, name: str, value: Value, negative: bool) -> str:
        if value.function:
            raise operands.bad_function(value, name)
        if value.text is None:
            raise JqlError(f"The field '{name}' does not support searching for an empty string.")
        try:
            text.compiled(value.text)
        except text.BadText as error:
            raise JqlError(str(error) or f"Unable to parse the text '{value.text}' for field '{name}'.") from None
        if not value.text.strip():
            raise JqlError(f"The field '{name}' does not support searching for an empty string.")
        if spec.name == "text":
            tests = [f"jql_matches({column}, {self.bind(value.text)})" for column in _TEXTS]
            comments = f'EXISTS (SELECT 1 FROM "comment" c WHERE c.issue_id = issue.id AND jql_matches(c.body, {self.bind(value.text)}))'
            made = "(" + " OR ".join([*tests, comments]) + ")"
        elif spec.name == "comment":
            made = f'EXISTS (SELECT 1 FROM "comment" c WHERE c.issue_id = issue.id AND jql_matches(c.body, {self.bind(value.text)}))'
        else:
            made = f"jql_matches({spec.column}, {self.bind(value.text)})"
            return f"({spec.column} != '' AND NOT {made})" if negative else made
        return f"(NOT {made})" if negative else made

    # Order

    def _ordered(self, spec: Searchable, name: str, operator: str, value: Value) -> str:
        if not value.function and value.text is None:
            raise JqlError(f"The operator '{operator}' is not supported by EMPTY values for the '{name}' field.")
        if spec.how == "date":
            return f"{spec.column} {operator} {self.bind(self._date(spec, name, value))}"
        if spec.how == "work_date":
            stamp = self.bind(times.moment(dates.moment(_dated(value, name), name, self.ctx.now)))
            return f"EXISTS (SELECT 1 FROM worklog w WHERE w.issue_id = issue.id AND w.started {operator} {stamp})"
        if spec.how in ("number", "duration"):
            return f"{spec.column} {operator} {self.bind(operands.number(spec, name, value))}"
        found = operands.resolve(self.ctx, spec, name, [value])
        if spec.how == "option":
            ranks = {id: getattr(spec.options[id], "rank", 0) for id in spec.options}
            wanted = next(iter(found.ids))
            passing = [id for id, rank in ranks.items() if _holds(rank, operator, ranks[wanted])]
            return f"{spec.column} IN ({self.bind_all(passing)})"
        if spec.how == "key":
            here = self.bind_all(found.ids)
            return (
                f"EXISTS (SELECT 1 FROM issue i WHERE i.id IN ({here}) AND i.project_id = issue.project_id"
                f" AND issue.number {operator} i.number)"
            )
        here = self.bind_all(found.ids)
        return (
            f'EXISTS (SELECT 1 FROM json_each(issue."{spec.column}") j JOIN version v ON v.id = j.value JOIN version t'
            f" ON t.project_id = v.project_id WHERE t.id IN ({here}) AND v.position {operator} t.position)"
        )

    def _date(self, spec: Searchable, name: str, value: Value) -> str:
        """Due dates are days: a moment within one stands for that day."""
        when = dates.moment(_dated(value, name), name, self.ctx.now)
        return when.date().isoformat() if spec.column == "duedate" else times.moment(when)

    # Equality

    def _among(self, spec: Searchable, name: str, values: list[Value], negative: bool) -> str:
        if spec.how in ("date", "number", "duration", "work_date"):
            return self._equal_to(spec, name, values, negative)
        if spec.how == "filter":
            return self._filters(name, values, negative)
        found = operands.resolve(self.ctx, spec, name, values)
        if found.empty and "is" not in spec.operators:
            raise JqlError(f"The field '{name}' does not support searching for EMPTY values.")
        if spec.how in ("parts", "labels", "sprint"):
            return self._holding(spec, found, negative)
        if spec.how == "watcher":
            test = f'EXISTS (SELECT 1 FROM "{spec.column}" w WHERE w.issue_id = issue.id AND w.accountId IN ({self.bind_all(found.ids)}))'
            return f"(NOT {test})" if negative else test
        if spec.how == "link":
            return self._linked(found, negative)
        if spec.how == "work_author":
            test = f"EXISTS (SELECT 1 FROM worklog w WHERE w.issue_id = issue.id AND w.author IN ({self.bind_all(found.ids)}))"
            return f"(NOT {test})" if negative else test
        inside = f"{spec.column} IN ({self.bind_all(found.ids)})"
        if negative:
            return f"({spec.column} IS NOT NULL AND NOT {inside})"
        return f"({inside} OR {spec.column} IS NULL)" if found.empty else inside

    def _holding(self, spec: Searchable, found: Found, negative: bool) -> str:
        """A field of several values: one of them is among these; negated, it has some and none of these."""
        value = "jql_folded(j.value)" if spec.how == "labels" else "j.value"
        column = spec.held
        test = f"EXISTS (SELECT 1 FROM json_each({column}) j WHERE {value} IN ({self.bind_all(found.ids)}))"
        if negative:
            return f"({column} != '[]' AND NOT {test})"
        return f"({test} OR {column} = '[]')" if found.empty else test

    def _linked(self, found: Found, negative: bool) -> str:
        """Links by their type, in either direction or in one."""
        tests = [
            f"EXISTS (SELECT 1 FROM issuelink l WHERE l.{side} = issue.id AND l.type = {self.bind(type)})"
            for type, side in found.ids
        ]
        made = "(" + (" OR ".join(tests) or _NEVER) + ")"
        return f"(NOT {made})" if negative else made

    def _equal_to(self, spec: Searchable, name: str, values: list[Value], negative: bool) -> str:
        some = [v for v in values if v.function or v.text is not None]
        empty = len(some) < len(values)
        if empty and "is" not in spec.operators:
            raise JqlError(f"The field '{name}' does not support searching for EMPTY values.")
        if spec.how == "work_date":
            days = [dates.moment(_dated(v, name), name, self.ctx.now) for v in some]
            spans = " OR ".join(
                f"(w.started >= {self.bind(times.moment(d))} AND w.started < {self.bind(times.moment(d + timedelta(days=1)))})"
                for d in days
            )
            test = f"EXISTS (SELECT 1 FROM worklog w WHERE w.issue_id = issue.id AND ({spans or _NEVER}))"
            return f"(NOT {test})" if negative else test
        given = [self._date(spec, name, v) if spec.how == "date" else operands.number(spec, name, v) for v in some]
        inside = f"{spec.column} IN ({self.bind_all(given)})"
        if negative:
            return f"({spec.column} IS NOT NULL AND NOT {inside})"
        return f"({inside} OR {spec.column} IS NULL)" if empty else inside

    def _filters(self, name: str, values: list[Value], negative: bool) -> str:
        """A saved filter stands for its query."""
        tests = list[str]()
        for value in values:
            query = operands.saved(self.ctx, name, value, self.depth)
            inner = Compiler(self.ctx, self.lenient, self.depth + 1)
            tests.append(f"coalesce({inner.condition(query)}, 0)")
            self.values += inner.values
            self.clauses += inner.clauses
            if self.clauses > _MOST_CLAUSES:
                raise JqlError(f"The JQL query is too complex: it has more than {_MOST_CLAUSES} clauses.")
        made = "(" + " OR ".join(tests) + ")"
        return f"(NOT {made})" if negative else made


def _any_row(spec: Searchable) -> str:
    if spec.how == "link":
        return "EXISTS (SELECT 1 FROM issuelink l WHERE issue.id IN (l.inward, l.outward))"
    return "EXISTS (SELECT 1 FROM attachment a WHERE a.issue_id = issue.id)"


def _holds(rank: int, operator: str, wanted: int) -> bool:
    return {">": rank > wanted, ">=": rank >= wanted, "<": rank < wanted, "<=": rank <= wanted}[operator]


def _dated(value: Value, name: str) -> Value:
    if value.function and value.function.lower() not in dates.NAMES:
        raise operands.bad_function(value, name)
    return value
