"""What names mean at a place of a query: the tables in FROM, the query around it, its WITH list."""

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from . import nodes as n
from .errors import SqlError
from .functions_json import Record

if TYPE_CHECKING:
    from .grouping import GroupStage
    from .session import Connection as Session

Fn = Callable[[Any], Any]


class _No:
    """No constant."""


NO = _No()


@dataclass(slots=True)
class E:
    """A compiled expression: its function of the row, its type, its value where it is a constant."""

    fn: Fn
    kind: str
    mods: tuple[int, ...] = ()
    value: Any = NO
    names: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    @property
    def constant(self) -> bool:
        return self.value is not NO


def const(value: Any, kind: str) -> E:
    return E(lambda _: value, kind, value=value)


@dataclass(slots=True)
class Out:
    """A column of a query's result."""

    name: str
    kind: str
    mods: tuple[int, ...] = ()
    source: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class Plan:
    """A compiled query: its columns, and what makes its rows. `note` describes it for EXPLAIN."""

    columns: list[Out]
    run: Callable[[], list[tuple[Any, ...]]]
    note: Any = None


@dataclass(slots=True)
class Source:
    """One item of FROM: its columns lie in the row from `offset` on."""

    alias: str
    columns: list[Out]
    offset: int
    relation: Any = None
    hidden: set[int] = field(default_factory=set[int])
    scalar: bool = False
    primary: list[int] = field(default_factory=list[int])
    used: set[int] = field(default_factory=set[int])
    system: int = 0
    """How many columns at the end are the system's: there when named, and in no row as a whole."""

    @property
    def shown(self) -> list[Out]:
        return self.columns[: len(self.columns) - self.system]


class Scope:
    def __init__(self, env: "Session", parent: "Scope | None" = None) -> None:
        self.env, self.parent = env, parent
        self.sources: list[Source] = []
        self.width = 0
        self.cell: list[Any] = [()]
        self.ctes: dict[str, Any] = {}
        self.merged: dict[str, tuple[E, list[tuple[int, int]]]] = {}
        self.group: GroupStage | None = None
        self.raw = False
        self.clause = "select"
        self.windows: list[Any] = []
        self.named_windows: dict[str, n.Window] = {}
        self.srfs: list[Any] = []
        self.srf_values: list[Any] = []
        self.place = [0]
        self.touched: set[int] = set()
        self.outer = False

    def add(self, source: Source) -> Source:
        if source.alias and any(s.alias == source.alias for s in self.sources):
            raise SqlError("42712", f'table name "{source.alias}" specified more than once')
        self.sources.append(source)
        self.width += len(source.columns)
        return source

    def cte(self, name: str) -> Any:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.ctes:
                return scope.ctes[name]
            scope = scope.parent
        return None

    # Columns

    def column(self, node: n.Col) -> E:
        """The column that a name means, here or in a query around."""
        scope: Scope | None = self
        crossed = list[Scope]()
        while scope is not None:
            found = scope._own(node)
            if found is not None:
                for inner in crossed:
                    inner.outer = True
                try:
                    return scope._read(found, here=scope is self)
                except SqlError as error:
                    error.position = node.at if error.position is None else error.position
                    raise
            crossed.append(scope)
            scope = scope.parent
        raise self._missing(node)

    def _own(self, node: n.Col) -> E | tuple[Source, int] | Source | None:
        parts = node.parts
        if len(parts) == 1:
            if parts[0] in self.merged:
                made, places = self.merged[parts[0]]
                self.touched.update(o for o, _ in places)
                return made
            found = [
                (s, i)
                for s in self.sources
                for i, c in enumerate(s.columns)
                if c.name == parts[0] and i not in s.hidden
            ]
            if len(found) > 1:
                raise SqlError("42702", f'column reference "{parts[0]}" is ambiguous', node.at)
            found = found or [
                (s, i)
                for s in self.sources
                for i, c in enumerate(s.columns)
                if c.name == parts[0] and i >= len(s.shown)
            ]
            if len(found) > 1:
                raise SqlError("42702", f'column reference "{parts[0]}" is ambiguous', node.at)
            if found:
                return found[0]
            return next((s for s in self.sources if s.alias == parts[0]), None)
        if len(parts) == 2:
            alias, name = parts
        elif len(parts) == 3 or (len(parts) == 4 and parts[0] == self.env.catalog.database):
            alias, name = parts[-2:]
        else:
            raise SqlError("42601", f"improper qualified name (too many dotted names): {'.'.join(parts)}", node.at)
        for source in self.sources:
            if source.alias == alias and (
                len(parts) == 2 or (source.relation is not None and source.relation.schema_ == parts[-3])
            ):
                places = [i for i, c in enumerate(source.columns) if c.name == name]
                if not places:
                    shown = ".".join(parts[-2:])
                    raise SqlError("42703", f"column {shown} does not exist", node.at, hint=self._hint(name, alias))
                return source, places[0]
        return None

    def _read(self, found: Any, here: bool) -> E:
        if isinstance(found, E):
            return found
        if isinstance(found, Source):
            return self._whole(found, here)
        source, i = found
        at, column = source.offset + i, source.columns[i]
        self.touched.add(at)
        source.used.add(i)
        if self.group is not None and not self.raw:
            slot = self.group.column(at, source, column)
            return self._fetch(slot, column, here)
        return self._fetch(at, column, here)

    def _fetch(self, at: int, column: Out, here: bool) -> E:
        cell = self.cell
        return E(itemgetter(at) if here else lambda _: cell[0][at], column.kind, column.mods)

    def _whole(self, source: Source, here: bool) -> E:
        """A table's name used as a value: its row; a function's, its one column."""
        columns = source.shown
        if source.scalar and len(columns) == 1:
            return self._read((source, 0), here)
        cells = [self._read((source, i), here).fn for i in range(len(columns))]
        names, kinds = tuple(c.name for c in columns), tuple(c.kind for c in columns)
        whole = lambda r: Record.of([f(r) for f in cells], names, kinds)  # noqa: E731
        if source.relation is not None:
            return E(whole, "record", names=names, kinds=kinds)
        return E(
            lambda r: None if all((v := f(r)) is None for f in cells) and not isinstance(v, int) else whole(r),
            "record",
            names=names,
            kinds=kinds,
        )

    def _missing(self, node: n.Col) -> SqlError:
        parts = node.parts
        if len(parts) == 1:
            return SqlError("42703", f'column "{parts[0]}" does not exist', node.at, hint=self._hint(parts[0], ""))
        alias = parts[-2]
        scope: Scope | None = self
        while scope is not None:
            for source in scope.sources:
                if source.relation is not None and source.relation.name == alias and source.alias != alias:
                    hint = f'Perhaps you meant to reference the table alias "{source.alias}".'
                    return SqlError(
                        "42P01", f'invalid reference to FROM-clause entry for table "{alias}"', node.at, hint=hint
                    )
            scope = scope.parent
        return SqlError("42P01", f'missing FROM-clause entry for table "{alias}"', node.at)

    def _hint(self, name: str, alias: str) -> str:
        """The nearest column names, as the server guesses them."""
        best, found = 4, list[str]()
        scope: Scope | None = self
        while scope is not None:
            for source in scope.sources:
                extra = distance(alias, source.alias) if alias else 0
                for column in source.shown:
                    far = distance(name, column.name) + extra
                    if far > len(name) / 2 or far > 3:
                        continue
                    if far < best:
                        best, found = far, list[str]()
                    if far == best:
                        found.append(f'"{source.alias}.{column.name}"')
            scope = scope.parent
        if not found or len(found) > 2:
            return ""
        return "Perhaps you meant to reference the column " + " or the column ".join(found) + "."

    def expand(self, star: n.Star) -> list[tuple[E, Out]]:
        """What * stands for."""
        if star.parts:
            alias = star.parts[-1]
            source = next((s for s in self.sources if s.alias == alias), None)
            if source is None:
                outer = self.parent.expand(star) if self.parent else None
                if outer is None:
                    raise SqlError("42P01", f'missing FROM-clause entry for table "{alias}"', star.at)
                return [(self.column(n.Col((alias, out.name), at=star.at)), out) for _, out in outer]
            return [(self._read((source, i), True), c) for i, c in enumerate(source.shown)]
        if not self.sources:
            raise SqlError("42601", "SELECT * with no tables specified is not valid", star.at)
        made = [(e, Out(name, e.kind, e.mods)) for name, (e, _) in self.merged.items()]
        for source in self.sources:
            made += [
                (self._read((source, i), True), c)
                for i, c in enumerate(source.shown)
                if i not in source.hidden and c.name not in self.merged
            ]
        return made


def distance(a: str, b: str) -> int:
    """Levenshtein's, as far as 4."""
    if abs(len(a) - len(b)) > 3:
        return 9
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]
