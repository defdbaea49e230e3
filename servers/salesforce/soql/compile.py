"""A query's syntax tree -> SQL over the sObjects' tables, every literal bound."""

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import count
from typing import Any

from legoenv_mcp.app import ApiError

from .. import metadata
from ..fields import Spec
from ..metadata import FieldInfo, SObjectType
from . import conditions
from .scope import HINT, Column, Nested, Output, Plan, Scope
from .syntax import At, Call, Compare, Literal, Logic, Path, Query, Selected, Subquery, failure

MAX_OFFSET = 2000
MAX_DEPTH = 60
MAX_COLUMNS = 1000
AGGREGATES = frozenset({"COUNT", "COUNT_DISTINCT", "SUM", "AVG", "MIN", "MAX"})
_DATE_PARTS = {
    "CALENDAR_YEAR": "CAST(substr({0}, 1, 4) AS INTEGER)", "CALENDAR_MONTH": "CAST(substr({0}, 6, 2) AS INTEGER)",
    "CALENDAR_QUARTER": "(CAST(substr({0}, 6, 2) AS INTEGER) + 2) / 3", "DAY_IN_MONTH": "CAST(substr({0}, 9, 2) AS INTEGER)",
    "DAY_IN_WEEK": "CAST(strftime('%w', substr({0}, 1, 10)) AS INTEGER) + 1",
    "DAY_IN_YEAR": "CAST(strftime('%j', substr({0}, 1, 10)) AS INTEGER)",
    "DAY_ONLY": "substr({0}, 1, 10)", "HOUR_IN_DAY": "CAST(substr({0}, 12, 2) AS INTEGER)",
    "WEEK_IN_MONTH": "(CAST(substr({0}, 9, 2) AS INTEGER) + 6) / 7",
    "WEEK_IN_YEAR": "(CAST(strftime('%j', substr({0}, 1, 10)) AS INTEGER) + 6) / 7",
}  # fmt: skip
_DATE_PARTS |= {f"FISCAL_{p}": _DATE_PARTS[f"CALENDAR_{p}"] for p in ("YEAR", "MONTH", "QUARTER")}
_SAME = frozenset({"TOLABEL", "CONVERTCURRENCY", "CONVERTTIMEZONE"})


class Compiler:
    """Compiles the queries of one text."""

    def __init__(
        self, text: str, today: date, user: str, include_deleted: bool = False, rates: Mapping[str, float] = {}
    ) -> None:
        self.text, self.today, self.user, self._rates = text, today, user, rates
        self.include_deleted = include_deleted
        self._names: Iterator[int] = count()

    def name(self) -> str:
        return f"t{next(self._names)}"

    def fail(self, at: At, message: str, code: str = "MALFORMED_QUERY", hint: str | None = None) -> ApiError:
        return failure(self.text, at, message, code, hint)

    def no_column(self, name: str, kind: str, at: At) -> ApiError:
        message = (
            f"No such column '{name}' on entity '{kind}'. If you are attempting to use a custom field, be sure to append the '__c'"
            f" after the custom field name. {HINT}"
        )
        known = metadata.TYPES.get(kind.lower())
        return self.fail(at, message, "INVALID_FIELD", known.hint(name) if known else None)

    def rate(self, literal: Literal) -> float:
        """What one unit of the corporate currency costs in the currency of a literal such as EUR500."""
        found = self._rates.get(literal.value[:3].upper())
        if found is None:
            raise self.fail(literal.at, f"Invalid currency code: {literal.value[:3]}", "INVALID_FIELD")
        return found

    def kind(self, name: str, at: At) -> SObjectType:
        found = metadata.TYPES.get(name.lower())
        if found is None:
            message = (
                f"sObject type '{name}' is not supported. If you are attempting to use a custom object, be sure to append the '__c'"
                f" after the entity name. {HINT}"
            )
            hint = metadata.similar(name, (k.name for k in metadata.TYPES.values()), "types")
            raise self.fail(at, message, "INVALID_TYPE", hint)
        return found

    # Whole queries

    def query(self, query: Query, kind: SObjectType | None = None, parent_field: str = "") -> Plan:
        """A top-level query, or with `parent_field` a child subquery, whose first column is the parent's id."""
        kind = kind or self.kind(query.source, query.at)
        scope = Scope(self, kind, query)
        if query.offset is not None and not 0 <= query.offset <= MAX_OFFSET:
            raise self.fail(At(), f"Maximum SOQL offset allowed is {MAX_OFFSET}", "NUMBER_OUTSIDE_VALID_RANGE")
        if query.limit is not None and query.limit < 0:
            raise self.fail(At(), "LIMIT must not be negative")
        calls = [i.expr for i in query.items if isinstance(i, Selected) and isinstance(i.expr, Call)]
        if len(query.items) == 1 and calls and calls[0].name == "COUNT" and not calls[0].arguments and not query.group:
            return self._count(query, scope)
        if query.group or any(c.name in AGGREGATES for c in calls):
            return self._aggregate(query, scope)
        return self._rows(query, scope, parent_field)

    def _count(self, query: Query, scope: Scope) -> Plan:
        where, values = self.where(query, scope)
        inner = f"SELECT 1 FROM {' '.join(scope.sql)}{where}{self._limit(query)}"
        return Plan(scope.kind, f"SELECT count(*) AS c0 FROM ({inner})", values, [], counts=True)

    def _rows(self, query: Query, scope: Scope, parent_field: str) -> Plan:
        plan = Plan(scope.kind, "", [], [])
        columns = [f'{scope.alias}."Id"', f'{scope.alias}."{parent_field}"' if parent_field else "NULL"]
        seen = set[tuple[str, ...]]()
        for item in query.items:
            if isinstance(item, Subquery):
                plan.nested.append(self._nested(item.query, scope.kind))
                continue
            self._select(item, query, scope, plan, columns, seen)
        for key, (alias, target, _) in list(scope.joins.items()):
            if any(
                tuple(p.lower() for p in o.path[: len(key)]) == key and len(o.path) > len(key) for o in plan.outputs
            ):
                columns.append(f'{alias}."Id"')
                kind: str | int = target.name if target else len(columns)
                plan.parents[key] = (len(columns) - 1, kind)
                if not target:
                    columns.append(f'{alias}."Type"')
        where, values = self.where(query, scope)
        if parent_field:
            where += (
                f'{" AND" if where else " WHERE"} {scope.alias}."{parent_field}" IN (SELECT value FROM json_each(?))'
            )
        order = self._order(query, scope, {})
        plan.values = values
        plan.sql = f"SELECT {_listed(columns)} FROM {' '.join(scope.sql)}{where}{order}" + (
            "" if parent_field else self._limit(query)
        )
        return plan

    def _select(
        self, item: Selected, query: Query, scope: Scope, plan: Plan, columns: list[str], seen: set[tuple[str, ...]]
    ) -> None:  # fmt: skip
        expr, alias = item.expr, item.alias
        if isinstance(expr, Call) and expr.name == "FIELDS":
            group = (
                expr.arguments[0].names[0].upper()
                if len(expr.arguments) == 1 and isinstance(expr.arguments[0], Path)
                else ""
            )
            infos = scope.fields_of(group, expr.at)
            if group != "STANDARD" and (query.limit is None or query.limit > 200):
                raise self.fail(expr.at, "The SOQL FIELDS function must have a LIMIT of at most 200")
            for info in infos:
                self._output(
                    Column(f'{scope.alias}."{info.name}"' if not info.parts else scope.alias, info),
                    (info.name,),
                    plan,
                    columns,
                )
            return
        if isinstance(expr, Call):
            column = self.expression(expr, scope)
            path: tuple[str, ...] = (alias or _call_name(expr),)
            if not alias and expr.name not in _SAME:
                raise self.fail(expr.at, f"{expr.name} function needs a GROUP BY clause")
        else:
            if alias:
                raise self.fail(expr.at, "only aggregate expressions use field aliasing")
            column = scope.column(expr)
            names = scope.trim(expr)
            path = (*self._proper(scope, names[:-1]), column.info.name)
        if len(columns) > MAX_COLUMNS:
            raise self.fail(expr.at, "The query selects too many fields")
        key = tuple(p.lower() for p in path)
        if key in seen:
            raise self.fail(expr.at, f"duplicate field selected: {'.'.join(path)}", "INVALID_FIELD")
        seen.add(key)
        self._output(column, path, plan, columns)

    @staticmethod
    def _proper(scope: Scope, names: tuple[str, ...]) -> tuple[str, ...]:
        """Relationship names as the types spell them."""
        kind, out = scope.kind, list[str]()
        for depth, name in enumerate(names, 1):
            out.append(kind.relations[name.lower()].spec.relation)
            kind = scope.joins[tuple(n.lower() for n in names[:depth])][1] or kind
        return tuple(out)

    @staticmethod
    def _output(column: Column, path: tuple[str, ...], plan: Plan, columns: list[str]) -> None:
        if column.info.parts:
            plan.outputs.append(Output(path, column.info, len(columns)))
            columns.extend(f'{column.sql}."{part}"' for part in column.info.parts)
            return
        plan.outputs.append(Output(path, column.info, len(columns)))
        columns.append(column.sql)

    def _nested(self, query: Query, parent: SObjectType) -> Nested:
        link = parent.children.get(query.source.lower())
        if link is None:
            message = (
                f"Didn't understand relationship '{query.source}' in FROM part of query call. If you are attempting to use a custom"
                f" relationship, be sure to append the '__r' after the custom relationship name. {HINT}"
            )
            hint = metadata.similar(query.source, (c.name for c in parent.children.values()), "relationships")
            raise self.fail(query.at, message, "INVALID_TYPE", hint)
        plan = self.query(query, metadata.TYPES[link.child.lower()], link.field)
        if plan.aggregate or plan.counts:
            raise self.fail(query.at, "Aggregate functions are not supported in nested queries")
        return Nested(link.name, link.field, plan, query.limit, query.offset or 0)

    def _aggregate(self, query: Query, scope: Scope) -> Plan:
        plan = Plan(scope.kind, "", [], [], aggregate=True)
        grouped = [self._groupable(g, scope) for g in query.group]
        columns, aliases, unnamed = list[str](), dict[str, tuple[Column, bool]](), count()
        for item in query.items:
            if isinstance(item, Subquery):
                raise self.fail(query.at, "Aggregate queries cannot have child subqueries")
            expr = item.expr
            if isinstance(expr, Call) and expr.name == "FIELDS":
                raise self.fail(expr.at, "The SOQL FIELDS function is not supported with GROUP BY")
            column = self.expression(expr, scope, aggregates=True)
            if not (isinstance(expr, Call) and expr.name in AGGREGATES):
                self._must_be_grouped(expr, column, grouped)
                name = item.alias or (column.info.name if isinstance(expr, Path) else f"expr{next(unnamed)}")
            else:
                name = item.alias or f"expr{next(unnamed)}"
            if name.lower() in aliases:
                raise self.fail(expr.at, f"duplicate alias: {name}")
            aliases[name.lower()] = column, isinstance(expr, Path)
            plan.outputs.append(Output((name,), column.info, len(columns)))
            columns.append(column.sql)
        where, values = self.where(query, scope)
        having = ""
        if query.having is not None:
            condition, more = self.condition(query.having, scope, grouped=grouped)
            having, values = f" HAVING {condition}", [*values, *more]
        group = f" GROUP BY {', '.join(map(_folded, grouped))}" if grouped else ""
        plan.values = values
        order = self._order(query, scope, aliases, grouped)
        plan.sql = (
            f"SELECT {_listed(columns)} FROM {' '.join(scope.sql)}{where}{group}{having}{order}{self._limit(query)}"
        )
        return plan

    def _groupable(self, expr: Any, scope: Scope) -> str:
        if isinstance(expr, Call) and expr.name in ("ROLLUP", "CUBE", "GROUPING"):
            raise self.fail(expr.at, f"GROUP BY {expr.name} is not supported in this organization")
        column = self.expression(expr, scope)
        plain = isinstance(expr, Path)
        if plain and (
            not column.info.filterable
            or column.info.type in ("multipicklist", "datetime", "currency", "double", "percent")
        ):
            raise self.fail(expr.at, f"field '{column.info.name}' can not be grouped in a query call")
        return column.sql

    # Clauses

    def where(self, query: Query, scope: Scope) -> tuple[str, list[Any]]:
        parts, values = list[str](), list[Any]()
        if query.where is not None:
            condition, values = self.condition(query.where, scope)
            parts.append(condition)
        if query.scope == "mine":
            parts.append(f'{scope.alias}."OwnerId" = ?')
            values.append(self.user)
            if "ownerid" not in scope.kind.fields:
                raise self.fail(query.at, f"SCOPE mine is not supported for entity {scope.kind.name}")
        elif query.scope not in ("", "everything"):
            raise self.fail(query.at, f"SCOPE {query.scope} is not supported in this organization")
        if scope.kind.soft_deleted and not (self.include_deleted or query.all_rows):
            parts.append(f'{scope.alias}."IsDeleted" = 0')
        return (f" WHERE {' AND '.join(parts)}" if parts else ""), values

    def _order(
        self, query: Query, scope: Scope, aliases: dict[str, tuple[Column, bool]], grouped: list[str] | None = None
    ) -> str:
        parts = list[str]()
        for ordering in query.order:
            expr = ordering.expr
            if isinstance(expr, Path) and len(expr.names) == 1 and expr.names[0].lower() in aliases:
                column, plain = aliases[expr.names[0].lower()]
            else:
                column, plain = self.expression(expr, scope, aggregates=grouped is not None), isinstance(expr, Path)
                if grouped is not None:
                    self._must_be_grouped(expr, column, grouped)
                if plain and (not column.info.filterable or column.info.type == "multipicklist"):
                    raise self.fail(ordering.expr.at, f"field '{column.info.name}' can not be sorted in a query call")
            direction = "DESC" if ordering.descending else "ASC"
            nulls = "LAST" if ordering.nulls_last else "FIRST"
            parts += column.order(direction, nulls) if plain else [f"{column.sql} {direction} NULLS {nulls}"]
        # No order has ties, so that pages fit together and runs agree.
        parts += [f'{scope.alias}."CreatedDate"', f'{scope.alias}."Id"'] if grouped is None else grouped
        return f" ORDER BY {', '.join(parts)}" if parts else ""

    @staticmethod
    def _limit(query: Query) -> str:
        if query.limit is None and not query.offset:
            return ""
        limit = -1 if query.limit is None else min(query.limit, 2**62)
        return f" LIMIT {limit} OFFSET {query.offset or 0}"

    # Expressions

    def expression(self, expr: Any, scope: Scope, *, aggregates: bool = False) -> Column:
        if isinstance(expr, Path):
            return scope.column(expr)
        if isinstance(expr, Call):
            return self._call(expr, scope, aggregates)
        raise self.fail(expr.at, f"unexpected token: '{expr.value}'")

    def _call(self, call: Call, scope: Scope, aggregates: bool) -> Column:
        name = call.name
        if name in AGGREGATES:
            if not aggregates:
                raise self.fail(call.at, f"Aggregate functions are not allowed here: {name}")
            return self._aggregate_call(call, scope)
        if len(call.arguments) == 1 and (name in _DATE_PARTS or name in _SAME):
            inner = self.expression(call.arguments[0], scope, aggregates=aggregates)
            if name == "CONVERTCURRENCY":
                if inner.info.type != "currency":
                    raise self.fail(call.at, f"convertCurrency is not supported for field {inner.info.name}")
                return Column(inner.corporate or inner.sql, inner.info)
            if name in _SAME:
                return inner
            if inner.info.type not in ("date", "datetime"):
                raise self.fail(
                    call.at, f"{name} function is not supported for field {inner.info.name} of type {inner.info.type}"
                )
            kind = "date" if name == "DAY_ONLY" else "int"
            return Column(_DATE_PARTS[name].format(inner.sql), FieldInfo(inner.info.name, Spec(kind, name)))
        raise self.fail(call.at, f"Unknown or unsupported function: {name}")

    def _aggregate_call(self, call: Call, scope: Scope) -> Column:
        name = call.name
        if not call.arguments and name == "COUNT":
            return Column("count(*)", FieldInfo("count", Spec("int", "Count")))
        if len(call.arguments) != 1:
            raise self.fail(call.at, f"The function {name} takes one field")
        inner = self.expression(call.arguments[0], scope)
        if not inner.info.filterable or inner.info.type in ("multipicklist", "boolean"):
            raise self.fail(call.at, f"field {inner.info.name} does not support aggregate operator {name}")
        if name == "COUNT":
            return Column(f"count({inner.sql})", FieldInfo("count", Spec("int", "Count")))
        if name == "COUNT_DISTINCT":
            return Column(f"count(DISTINCT {_folded(inner.sql)})", FieldInfo("count", Spec("int", "Count")))
        if name in ("SUM", "AVG") and inner.info.type not in metadata.NUMERIC:
            raise self.fail(call.at, f"field {inner.info.name} does not support aggregate operator {name}")
        sql = f"{name.lower()}({inner.corporate or inner.sql})"  # money of several currencies adds up in the corporate one
        if name == "AVG":
            return Column(sql, FieldInfo("avg", Spec("double", "Average")))
        return Column(f"round({sql}, 2)" if inner.info.type == "currency" else sql, inner.info)

    def condition(
        self, node: Any, scope: Scope, *, grouped: list[str] | None = None, depth: int = 0
    ) -> tuple[str, list[Any]]:
        """A condition as SQL that is never NULL, so that NOT means what it says. With `grouped` it is a HAVING condition."""
        if depth > MAX_DEPTH:
            raise self.fail(At(), "The query is too complicated")
        if isinstance(node, Logic):
            made = [self.condition(term, scope, grouped=grouped, depth=depth + 1) for term in node.terms]
            values = [v for _, part in made for v in part]
            if node.op == "not":
                return f"NOT ({made[0][0]})", values
            return _joined(node.op.upper(), [sql for sql, _ in made]), values
        assert isinstance(node, Compare)
        if isinstance(node.expr, Call) and node.expr.name == "CONVERTCURRENCY":
            raise self.fail(
                node.expr.at, "convertCurrency is not allowed in a WHERE clause: compare with USD5000 and the like"
            )
        column = self.expression(node.expr, scope, aggregates=grouped is not None)
        if grouped is not None:
            self._must_be_grouped(node.expr, column, grouped)
        if isinstance(node.expr, Path) and not column.info.filterable:
            raise self.fail(
                node.expr.at, f"field '{column.info.name}' can not be filtered in a query call", "INVALID_FIELD"
            )
        return conditions.compare(self, node, column, scope.kind.name)

    def _must_be_grouped(self, expr: Path | Call, column: Column, grouped: list[str]) -> None:
        if not (isinstance(expr, Call) and expr.name in AGGREGATES) and column.sql not in grouped:
            shown = ".".join(expr.names) if isinstance(expr, Path) else _call_name(expr)
            raise self.fail(expr.at, f"Field must be grouped or aggregated: {shown}")


def _joined(word: str, parts: list[str]) -> str:
    """The parts joined as a balanced tree: SQLite limits how deep an expression is."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return f"({_joined(word, parts[:middle])} {word} {_joined(word, parts[middle:])})"


def _listed(columns: list[str]) -> str:
    """Columns under names of their own: several may show the same field."""
    return ", ".join(f"{column} AS c{index}" for index, column in enumerate(columns))


def _folded(sql: str) -> str:
    """Text groups without case."""
    return f"fold({sql})"


def _call_name(call: Call) -> str:
    """The name under which toLabel(Status) and the like appear in a record."""
    inner = call.arguments[0] if call.arguments else None
    return inner.names[-1] if isinstance(inner, Path) else "expr0"
