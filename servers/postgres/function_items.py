"""Functions in FROM."""

from collections.abc import Callable
from typing import Any

from . import nodes as n
from . import types, values
from .calls import is_aggregate
from .errors import SqlError
from .expressions import Compiler
from .functions_json import Record
from .joins import Rows
from .scope import Out, Plan, Scope, Source

_RECORDS = ("json_to_record", "jsonb_to_record", "json_to_recordset", "jsonb_to_recordset")


def _named(columns: list[Out], names: list[str], alias: str, at: int) -> list[Out]:
    if len(names) > len(columns):
        raise SqlError(
            "42P10", f'table "{alias}" has {len(columns)} columns available but {len(names)} columns specified', at
        )
    return [
        Out(name, c.kind, c.mods, c.source)
        for name, c in zip([*names, *(c.name for c in columns[len(names) :])], columns, strict=True)
    ]


class FunctionItems:
    """Functions as items of a FROM clause."""

    scope: Scope
    env: Any
    compiler: Compiler

    def _functions(self, item: n.FuncRef) -> tuple[Plan, Source]:
        scope = self.scope
        before, scope.clause = scope.clause, "from"
        calls = list[tuple[Callable[[Any], Any], list[Out], bool]]()
        funcs = item.funcs
        if (
            len(funcs) == 1
            and isinstance(funcs[0], n.Func)
            and funcs[0].name[-1] == "unnest"
            and len(funcs[0].args) > 1
        ):
            funcs = [n.Func(("unnest",), [a], at=funcs[0].at) for a in funcs[0].args]
        for node in funcs:
            calls.append(self._function(node, item))
        scope.clause = before
        columns = [c for _, outs, _ in calls for c in outs]
        if item.ordinality:
            columns.append(Out("ordinality", "int8"))
        name = item.alias or (item.funcs[0].name[-1] if isinstance(item.funcs[0], n.Func) else "")
        if (
            item.alias
            and len(columns) - item.ordinality == 1
            and not item.columns
            and self._nameless(item.funcs[0], columns)
        ):
            columns[0] = Out(item.alias, columns[0].kind, columns[0].mods)
        cell, env = scope.cell, self.env
        ordinality = item.ordinality

        def run() -> Rows:
            lists = list[Rows]()
            for fn, outs, is_set in calls:
                made = fn(cell[0])
                made = made if is_set else [made]
                lists.append([tuple(v) if len(outs) > 1 or isinstance(v, Record) else (v,) for v in made or ()])
            env.tick(sum(map(len, lists)))
            if len(lists) == 1:
                rows = lists[0]
            else:
                most = max(map(len, lists))
                rows = [
                    tuple(
                        x
                        for rows, (_, outs, _) in zip(lists, calls, strict=True)
                        for x in (rows[i] if i < len(rows) else (None,) * len(outs))
                    )
                    for i in range(most)
                ]
            return [(*r, i) for i, r in enumerate(rows, 1)] if ordinality else rows

        source = Source(
            name,
            _named(columns, item.columns, name, item.at),
            scope.width,
            scalar=(len(columns) == 1 and not calls[0][2]) or len(columns) == 1,
        )
        return Plan(columns, run, ("function", name)), source

    @staticmethod
    def _nameless(node: Any, columns: list[Out]) -> bool:
        """Whether the one column has no name of its own, so that it takes the alias."""
        return not isinstance(node, n.Func) or columns[0].name == node.name[-1]

    def _function(self, node: Any, item: n.FuncRef) -> tuple[Callable[[Any], Any], list[Out], bool]:
        """A function's rows, its columns, and whether it returns a set."""
        from .calls import lookup  # noqa: PLC0415

        if isinstance(node, n.Func) and is_aggregate(node):
            raise SqlError("42803", "aggregate functions are not allowed in functions in FROM", node.at)
        if isinstance(node, n.Func) and node.name[-1] in _RECORDS:
            return self._records(node, item)
        made = self.compiler.value(node)
        name = node.name[-1] if isinstance(node, n.Func) else "column"
        many = False
        outs = [Out(name, made.kind, made.mods)]
        if isinstance(node, n.Func) and node.name[-1] not in ("coalesce", "nullif"):
            try:
                found = lookup(self.compiler, node, [self.compiler.value(a) for a in node.args])
            except SqlError:
                found = None
            if found is not None:
                many = found.overload.many
                if found.ret.startswith("record:"):
                    outs = [
                        Out(part.split("=")[0], part.split("=")[1])
                        for part in found.ret.removeprefix("record:").split(",")
                    ]
                elif node.name[-1] in (
                    "jsonb_array_elements",
                    "json_array_elements",
                    "jsonb_array_elements_text",
                    "json_array_elements_text",
                ):
                    outs = [Out("value", made.kind)]
        if item.defs and made.kind != "record":
            raise SqlError(
                "42601", 'a column definition list is only allowed for functions returning "record"', item.at
            )
        return made.fn, outs, many

    def _records(self, node: n.Func, item: n.FuncRef) -> tuple[Callable[[Any], Any], list[Out], bool]:
        """json_to_record and its kin, whose columns the query names."""
        if not item.defs:
            raise SqlError("42601", 'a column definition list is required for functions returning "record"', node.at)
        kind = "jsonb" if node.name[-1].startswith("jsonb") else "json"
        arg = self.compiler._to(self.compiler.value(node.args[0]), kind, node.args[0])
        outs = [Out(name, *self.env.type_of(t)) for name, t in item.defs]
        many, env, fn = node.name[-1].endswith("set"), self.env, arg.fn

        def one(data: Any) -> tuple[Any, ...]:
            if not isinstance(data, dict):
                raise SqlError(
                    "22023", f"cannot call {node.name[-1]} on a {'scalar' if not isinstance(data, list) else 'array'}"
                )
            cells = list[Any]()
            for out in outs:
                value = data.get(out.name)
                if value is None:
                    cells.append(None)
                elif out.kind in ("json", "jsonb"):
                    cells.append(values.J(value) if out.kind == "jsonb" else values.print_json(value))
                elif types.is_array(out.kind) and isinstance(value, list):
                    cells.append(
                        [
                            None
                            if v is None
                            else values.read(
                                types.element(out.kind), v if isinstance(v, str) else values.print_json(v), env
                            )
                            for v in value
                        ]
                    )
                else:
                    cells.append(
                        values.read(out.kind, value if isinstance(value, str) else values.print_json(value), env)
                    )
            return tuple(cells)

        def run(row: Any) -> Any:
            value = fn(row)
            if value is None:
                return [] if many else [(None,) * len(outs)]
            data = value.v if kind == "jsonb" else values.read_json(value, "json")
            return [one(d) for d in data] if many else [one(data)]

        return run, outs, True
