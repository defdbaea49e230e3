"""The server's catalog as tables, the rows of all tables, and what sessions have open.

A row of an agent's table is one `Record`: its cells by column name, exact (numbers of arbitrary precision and moments are text).
"""

from typing import Any, ClassVar

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()):
    """The base of every table."""


class Role(Table, table=True):
    """A user or group. `member_of` are the roles whose privileges it has."""

    name: str = Field(primary_key=True)
    oid: int
    superuser: bool = False
    login: bool = False
    createdb: bool = False
    createrole: bool = False
    bypassrls: bool = False
    inherit: bool = True
    member_of: list[str] = Field(default_factory=list)
    comment: str = ""


class Database(Table, table=True):
    """A database. The MCP server is connected to one of them."""

    name: str = Field(primary_key=True)
    oid: int
    connected: bool = False
    owner: str = "postgres"
    comment: str = ""
    acl: dict[str, list[str]] = Field(default_factory=dict)


class Namespace(Table, table=True):
    """A schema."""

    oid: int = Field(primary_key=True)
    database: str = Field(index=True)
    name: str
    owner: str = "postgres"
    comment: str = ""
    acl: dict[str, list[str]] = Field(default_factory=dict)


class Relation(Table, table=True):
    """A table, view or materialized view. `columns` are dicts as `catalog.Column` has them; `acl` is role -> privileges."""

    oid: int = Field(primary_key=True)
    database: str = Field(index=True)
    schema_: str = "public"
    name: str
    kind: str = "table"
    columns: list[dict[str, Any]] = Field(default_factory=list)
    definition: str = ""
    owner: str = "postgres"
    comment: str = ""
    acl: dict[str, list[str]] = Field(default_factory=dict)
    row_security: bool = False
    force_row_security: bool = False
    next_row: int = Field(default=1, derived=True)


class Constraint(Table, table=True):
    """A primary key, unique, check or foreign key. `refers` is the other table's oid."""

    oid: int = Field(primary_key=True)
    database: str = Field(index=True)
    relation: int
    name: str
    kind: str
    columns: list[str] = Field(default_factory=list)
    expression: str = ""
    refers: int = 0
    refers_columns: list[str] = Field(default_factory=list)
    on_delete: str = ""
    on_update: str = ""
    deferrable: bool = False
    deferred: bool = False
    nulls_distinct: bool = True
    validated: bool = True
    comment: str = ""


class Index(Table, table=True):
    """`keys` are columns and expressions as text with what follows them; `constraint` the one that it enforces."""

    oid: int = Field(primary_key=True)
    database: str = Field(index=True)
    relation: int
    name: str
    unique: bool = False
    primary: bool = False
    method: str = "btree"
    keys: list[str] = Field(default_factory=list)
    suffixes: list[str] = Field(default_factory=list)
    include: list[str] = Field(default_factory=list)
    predicate: str = ""
    constraint: int = 0
    nulls_distinct: bool = True
    comment: str = ""


class Sequence(Table, table=True):
    """`owner_table` and `owner_column` are whose default it is; its state moves without a transaction."""

    oid: int = Field(primary_key=True)
    database: str = Field(index=True)
    schema_: str = "public"
    name: str
    type: str = "int8"
    start: int = 1
    increment: int = 1
    minimum: int = 1
    maximum: int = 2**63 - 1
    cycle: bool = False
    owner_table: int = 0
    owner_column: str = ""
    owner: str = "postgres"
    acl: dict[str, list[str]] = Field(default_factory=dict)
    comment: str = ""
    last_value: int = Field(default=1, derived=True)
    called: bool = Field(default=False, derived=True)


class Enum(Table, table=True):
    """An enum type."""

    oid: int = Field(primary_key=True)
    database: str = Field(index=True)
    schema_: str = "public"
    name: str
    labels: list[str] = Field(default_factory=list)
    comment: str = ""


class Policy(Table, table=True):
    """A row-level security policy."""

    oid: int = Field(primary_key=True)
    database: str = Field(index=True)
    relation: int
    name: str
    command: str = "all"
    roles: list[str] = Field(default_factory=list)
    permissive: bool = True
    using: str = ""
    check: str = ""
    comment: str = ""


class Extension(Table, table=True):
    oid: int = Field(primary_key=True)
    database: str = Field(index=True)
    name: str
    version: str
    comment: str = ""


class Record(Table, table=True):
    """One row of a table."""

    relation: int = Field(primary_key=True)
    n: int = Field(primary_key=True)
    cells: dict[str, Any] = Field(default_factory=dict)


class Session(Table, table=True):
    """The MCP server's connection to a database: its open transaction and its settings."""

    derived_table: ClassVar[bool] = True
    database: str = Field(primary_key=True)
    state: str = "idle"
    started: str = ""
    read_only: bool = False
    settings: dict[str, str] = Field(default_factory=dict)
    before: dict[str, str] = Field(default_factory=dict)
    savepoints: list[dict[str, Any]] = Field(default_factory=list)
    deferred: list[str] = Field(default_factory=list)
    sequences: dict[str, int] = Field(default_factory=dict)


class Pending(Table, table=True):
    """What an open transaction has written, in order, until it commits: no one else sees it."""

    derived_table: ClassVar[bool] = True
    database: str = Field(primary_key=True)
    n: int = Field(primary_key=True)
    table: str
    key: list[Any] = Field(default_factory=list)
    cells: dict[str, Any] | None = None


class Statement(Table, table=True):
    """pg_stat_statements, filled once the extension is created."""

    derived_table: ClassVar[bool] = True
    database: str = Field(primary_key=True)
    query: str = Field(primary_key=True)
    calls: int = 0
    rows: int = 0
    read: int = 0
