"""What the parser makes of a statement. Names and fields follow the grammar; `at` is the place in the text, for errors."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Node:
    at: int = field(default=0, compare=False, kw_only=True)


@dataclass(slots=True)
class TypeName(Node):
    """A type as it is written: name, modifiers, array or not, SETOF or not."""

    name: tuple[str, ...]
    mods: tuple[int, ...] = ()
    array: bool = False


# Expressions


@dataclass(slots=True)
class Const(Node):
    value: Any
    type: str


@dataclass(slots=True)
class Param(Node):
    number: int


@dataclass(slots=True)
class Col(Node):
    parts: tuple[str, ...]


@dataclass(slots=True)
class Star(Node):
    parts: tuple[str, ...] = ()


@dataclass(slots=True)
class Op(Node):
    """An operator; `left` is None for a prefix one."""

    op: str
    left: Any
    right: Any


@dataclass(slots=True)
class Logic(Node):
    op: str
    args: list[Any]


@dataclass(slots=True)
class Is(Node):
    """IS NULL, TRUE, FALSE, UNKNOWN."""

    what: str
    arg: Any
    negated: bool = False


@dataclass(slots=True)
class Distinct(Node):
    left: Any
    right: Any
    negated: bool = False


@dataclass(slots=True)
class In(Node):
    arg: Any
    items: Any
    negated: bool = False


@dataclass(slots=True)
class Between(Node):
    arg: Any
    low: Any
    high: Any
    negated: bool = False
    symmetric: bool = False


@dataclass(slots=True)
class Like(Node):
    kind: str
    arg: Any
    pattern: Any
    escape: Any = None
    negated: bool = False


@dataclass(slots=True)
class AnyAll(Node):
    op: str
    kind: str
    left: Any
    right: Any


@dataclass(slots=True)
class Window(Node):
    base: str = ""
    partition: list[Any] = field(default_factory=list[Any])
    order: list[Any] = field(default_factory=list[Any])
    frame: Any = None
    name: str = ""


@dataclass(slots=True)
class Frame(Node):
    """ROWS, RANGE or GROUPS between two bounds (kind, offset); `exclude` what is left out."""

    mode: str
    start: tuple[str, Any]
    stop: tuple[str, Any]
    exclude: str = ""


@dataclass(slots=True)
class Func(Node):
    name: tuple[str, ...]
    args: list[Any]
    names: list[str] = field(default_factory=list[str])
    star: bool = False
    distinct: bool = False
    variadic: bool = False
    order: list[Any] = field(default_factory=list[Any])
    within: list[Any] = field(default_factory=list[Any])
    filter: Any = None
    over: Window | None = None
    label: str = ""


@dataclass(slots=True)
class Cast(Node):
    arg: Any
    type: TypeName


@dataclass(slots=True)
class Case(Node):
    arg: Any
    whens: list[tuple[Any, Any]]
    other: Any


@dataclass(slots=True)
class Sub(Node):
    """A subquery as a value: scalar, exists or array."""

    kind: str
    query: Any


@dataclass(slots=True)
class ArrayLit(Node):
    items: list[Any]


@dataclass(slots=True)
class RowLit(Node):
    items: list[Any]


@dataclass(slots=True)
class Index(Node):
    arg: Any
    low: Any
    high: Any = None
    slice: bool = False


@dataclass(slots=True)
class Into(Node):
    """What SET gives to a part of a column."""

    steps: list[Index]
    value: Any


@dataclass(slots=True)
class Attr(Node):
    arg: Any
    name: str


@dataclass(slots=True)
class Collate(Node):
    arg: Any
    name: str


@dataclass(slots=True)
class Default(Node):
    pass


# Queries


@dataclass(slots=True)
class Sort(Node):
    expr: Any
    desc: bool = False
    nulls_first: bool = False


@dataclass(slots=True)
class Cte(Node):
    name: str
    columns: list[str]
    query: Any
    recursive: bool = False


@dataclass(slots=True)
class Query(Node):
    """What SELECT, VALUES and set operations share."""

    ctes: list[Cte] = field(default_factory=list[Cte], kw_only=True)
    order: list[Sort] = field(default_factory=list[Sort], kw_only=True)
    limit: Any = field(default=None, kw_only=True)
    offset: Any = field(default=None, kw_only=True)
    ties: bool = field(default=False, kw_only=True)
    locking: str = field(default="", kw_only=True)


@dataclass(slots=True)
class Select(Query):
    targets: list[tuple[Any, str]] = field(default_factory=list[tuple[Any, str]])
    distinct: Any = None
    froms: list[Any] = field(default_factory=list[Any])
    where: Any = None
    group: list[Any] | None = None
    having: Any = None
    windows: dict[str, Window] = field(default_factory=dict[str, Window])


@dataclass(slots=True)
class SetOp(Query):
    op: str = ""
    all: bool = False
    left: Any = None
    right: Any = None


@dataclass(slots=True)
class Values(Query):
    rows: list[list[Any]] = field(default_factory=list[list[Any]])


@dataclass(slots=True)
class Grouping(Node):
    """ROLLUP, CUBE or GROUPING SETS."""

    kind: str
    items: list[Any]


@dataclass(slots=True)
class TableRef(Node):
    name: tuple[str, ...]
    alias: str = ""
    columns: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class SubRef(Node):
    query: Any
    alias: str = ""
    columns: list[str] = field(default_factory=list[str])
    lateral: bool = False


@dataclass(slots=True)
class FuncRef(Node):
    """Functions in FROM; `defs` are the columns a record-returning one is said to have."""

    funcs: list[Any]
    alias: str = ""
    columns: list[str] = field(default_factory=list[str])
    defs: list[tuple[str, TypeName]] = field(default_factory=list[tuple[str, TypeName]])
    ordinality: bool = False
    rows_from: bool = False


@dataclass(slots=True)
class Join(Node):
    kind: str
    left: Any
    right: Any
    on: Any = None
    using: list[str] | None = None
    natural: bool = False
    alias: str = ""


# Writing


@dataclass(slots=True)
class Conflict(Node):
    target: list[Any]
    constraint: str
    where: Any
    sets: list[tuple[list[str], Any, int]] | None
    update_where: Any


@dataclass(slots=True)
class Insert(Node):
    table: TableRef
    columns: list[str]
    source: Any
    conflict: Conflict | None
    returning: list[tuple[Any, str]]
    overriding: str = ""
    places: list[int] = field(default_factory=list[int], compare=False)
    ctes: list[Cte] = field(default_factory=list[Cte])


@dataclass(slots=True)
class Update(Node):
    table: TableRef
    sets: list[tuple[list[str], Any, int]]
    froms: list[Any]
    where: Any
    returning: list[tuple[Any, str]]
    ctes: list[Cte] = field(default_factory=list[Cte])


@dataclass(slots=True)
class Delete(Node):
    table: TableRef
    using: list[Any]
    where: Any
    returning: list[tuple[Any, str]]
    ctes: list[Cte] = field(default_factory=list[Cte])


@dataclass(slots=True)
class Stmt(Node):
    """Every other statement: its name, as the command tag has it, and its parts."""

    kind: str
    parts: dict[str, Any] = field(default_factory=dict[str, Any])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.parts.get(name)


@dataclass(slots=True)
class ColumnDef(Node):
    name: str
    type: TypeName
    constraints: list["ConstraintDef"]


@dataclass(slots=True)
class ConstraintDef(Node):
    """null, notnull, default, identity, generated, primary, unique, check, foreign."""

    kind: str
    name: str = ""
    columns: list[str] = field(default_factory=list[str])
    expr: Any = None
    text: str = ""
    table: tuple[str, ...] = ()
    refers: list[str] = field(default_factory=list[str])
    on_delete: str = ""
    on_update: str = ""
    deferrable: bool = False
    deferred: bool = False
    always: bool = False
    options: dict[str, Any] = field(default_factory=dict[str, Any])
