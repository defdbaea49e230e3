"""Functions about the session and the catalog, and those that move sequences."""

import hashlib
from typing import Any

from legoenv_mcp.app import Ctx

from . import deparse, models, types
from . import nodes as n
from .calls import _VOLATILE
from .errors import SqlError
from .expressions import Compiler
from .functions_text import quote_ident
from .models import Constraint, Index, Namespace, Relation, Role, Sequence, Statement
from .rowscope import row_scope
from .session import DEFAULTS, Connection
from .signatures import function

VERSION = "PostgreSQL 15.8 (Debian 15.8-1.pgdg120+1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit"
ACTIONS = {
    "": "NO ACTION",
    "cascade": "CASCADE",
    "restrict": "RESTRICT",
    "set null": "SET NULL",
    "set default": "SET DEFAULT",
}
BLOCK = 8192


def current_setting(env: Connection, name: str, missing_ok: bool = False) -> str | None:
    low = name.lower()
    if low == "transaction_read_only":
        return "on" if env.state.read_only else "off"
    if low == "is_superuser":
        return "on" if env.superuser() else "off"
    if low == "role":
        return env.state.settings.get("role", "none")
    found = env.setting(low)
    if found is None and not missing_ok:
        raise SqlError("42704", f'unrecognized configuration parameter "{name}"')
    return found


def _set_config(env: Connection, name: str, value: str, local: bool) -> str:
    del local
    env.change(name, value)
    return value


def _sequence(env: Connection, oid: int) -> Sequence:
    found = env.catalog.objects(Sequence).get((oid,))
    if found is None:
        raise SqlError("42809", f'"{env.shown_relation(oid)}" is not a sequence')
    return found


def _currval(env: Connection, oid: int) -> int:
    found = env.state.sequences.get(str(oid))
    if found is None:
        raise SqlError("55000", f'currval of sequence "{_sequence(env, oid).name}" is not yet defined in this session')
    return found


def _lastval(env: Connection) -> int:
    last = env.state.sequences.get("last")
    if last is None:
        raise SqlError("55000", "lastval is not yet defined in this session")
    return env.state.sequences[str(last)]


def _serial_sequence(env: Connection, table: str, column: str) -> str | None:
    relation = env.catalog.by_oid(env.relation_oid(table))
    if not any(c.name == column for c in env.catalog.columns(relation)):
        raise SqlError("42703", f'column "{column}" of relation "{relation.name}" does not exist')
    found = env.catalog.first(Sequence, owner_table=relation.oid, owner_column=column)
    return f"{quote_ident(found.schema_)}.{quote_ident(found.name)}" if found else None


def table_bytes(env: Connection, relation: Relation) -> int:
    """A table's size: its rows in pages, as the storage would have them."""
    rows = env.catalog.rows(relation)
    used = sum(28 + sum(_width(v) for v in row) for row in rows.values())
    return -(-used // (BLOCK - 100)) * BLOCK


def _width(value: Any) -> int:
    if value is None:
        return 0
    return len(value.encode()) + 1 if isinstance(value, str) else 8


def index_bytes(env: Connection, relation: Relation) -> int:
    count = len(env.catalog.rows(relation))
    return (
        len(env.catalog.indexes(relation)) * (2 + count * 20 // BLOCK) * BLOCK
        if count
        else len(env.catalog.indexes(relation)) * BLOCK
    )


def _size(env: Connection, oid: int) -> int | None:
    relation = env.catalog.objects(Relation).get((oid,))
    return table_bytes(env, relation) if relation else BLOCK if (oid,) in env.catalog.objects(Sequence) else None


def _total_size(env: Connection, oid: int) -> int | None:
    relation = env.catalog.objects(Relation).get((oid,))
    return table_bytes(env, relation) + index_bytes(env, relation) if relation else None


def _indexes_size(env: Connection, oid: int) -> int | None:
    relation = env.catalog.objects(Relation).get((oid,))
    return index_bytes(env, relation) if relation else None


def database_bytes(env: Connection) -> int:
    return 7_500_000 + sum(table_bytes(env, r) + index_bytes(env, r) for r in env.catalog.objects(Relation).values())


def pretty(size: Any) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(size) < 10 * 1024 or unit == "GB":
            return f"{size} {unit}"
        size = (int(size) + 512) // 1024
    return f"{size} TB"


def constraint_text(env: Connection, c: Constraint) -> str:
    names = ", ".join(map(quote_ident, c.columns))
    unchecked = "" if c.validated else " NOT VALID"
    later = " DEFERRABLE" * c.deferrable + " INITIALLY DEFERRED" * c.deferred
    match c.kind:
        case "primary":
            return f"PRIMARY KEY ({names}){later}"
        case "unique":
            return f"UNIQUE {'' if c.nulls_distinct else 'NULLS NOT DISTINCT '}({names}){later}"
        case "check":
            return f"CHECK ({c.expression}){unchecked}"
        case _:
            parent = env.catalog.by_oid(c.refers)
            refers = ", ".join(map(quote_ident, c.refers_columns))
            update = f" ON UPDATE {ACTIONS[c.on_update]}" if c.on_update else ""
            delete = f" ON DELETE {ACTIONS[c.on_delete]}" if c.on_delete else ""
            target = f"{env.shown_name(parent.schema_, parent.name)}({refers})"
            return f"FOREIGN KEY ({names}) REFERENCES {target}{update}{delete}{later}{unchecked}"


def index_text(env: Connection, i: Index) -> str:
    from .parser import parse_expression  # noqa: PLC0415

    relation = env.catalog.by_oid(i.relation)
    columns = {c.name for c in env.catalog.columns(relation)}
    keys = list[str]()
    for key, suffix in zip(i.keys, i.suffixes or [""] * len(i.keys), strict=False):
        shown = quote_ident(key) if key in columns else key if isinstance(parse_expression(key), n.Func) else f"({key})"
        keys.append(shown + suffix)
    where = f" WHERE {i.predicate}" if i.predicate else ""
    include = f" INCLUDE ({', '.join(map(quote_ident, i.include))})" if i.include else ""
    distinct = "" if i.nulls_distinct else " NULLS NOT DISTINCT"
    name = f"{quote_ident(relation.schema_)}.{quote_ident(relation.name)}"
    head = f"CREATE {'UNIQUE ' if i.unique else ''}INDEX {quote_ident(i.name)} ON {name}"
    return f"{head} USING {i.method} ({', '.join(keys)}){include}{distinct}{where}"


def _constraint_def(env: Connection, oid: int, *_: Any) -> str | None:
    found = env.catalog.objects(Constraint).get((oid,))
    return constraint_text(env, found) if found else None


def _index_def(env: Connection, oid: int, *_: Any) -> str | None:
    found = env.catalog.objects(Index).get((oid,))
    return index_text(env, found) if found else None


def _view_def(env: Connection, oid: int, *_: Any) -> str | None:
    found = env.catalog.objects(Relation).get((oid,))
    return f" {found.definition};" if found and found.definition else None


def _description(env: Connection, oid: int, kind: str = "pg_class") -> str | None:
    classes: dict[str, tuple[Any, ...]] = {
        "pg_class": (Relation, Index, Sequence),
        "pg_namespace": (Namespace,),
        "pg_constraint": (Constraint,),
        "pg_type": (models.Enum,),
    }
    for cls in classes.get(kind, ()):
        found = env.catalog.objects(cls).get((oid,))
        if found is not None:
            return found.comment or None
    return None


def _column_description(env: Connection, oid: int, number: int) -> str | None:
    found = env.catalog.objects(Relation).get((oid,))
    columns = env.catalog.columns(found) if found else []
    return (columns[number - 1].comment or None) if 0 < number <= len(columns) else None


def _format_type(_: Connection, oid: int, modifier: int | None) -> str:
    kind = next((k for k, v in types.OIDS.items() if v == oid), None) or next(
        ("_" + k for k, v in types._ARRAY_OIDS.items() if v == oid), "???"
    )
    base = kind.lstrip("_")
    mods: tuple[int, ...] = ()
    if modifier is not None and modifier >= 4:
        mods = (
            ((modifier - 4) >> 16, (modifier - 4) & 0xFFFF)
            if base == "numeric"
            else (modifier - 4,)
            if base in ("varchar", "bpchar")
            else ()
        )
    return types.shown(kind, mods) if modifier is None else types.spelt(kind, mods)


def _to_regclass(env: Connection, name: str) -> int | None:
    try:
        return env.relation_oid(name)
    except SqlError:
        return None


def _table_privilege(env: Connection, *args: Any) -> bool | None:
    *who, table, privilege = args
    relation = env.catalog.objects(Relation).get((env.relation_oid(table) if isinstance(table, str) else table,))
    if relation is None:
        return None
    if who:
        env.role(who[0])
    return all(
        env.has_privilege(relation, p.strip().lower().split()[0], who[0] if who else None) for p in privilege.split(",")
    )


def _has_role(env: Connection, *args: Any) -> bool:
    return args[-2] in env.member_roles(args[0] if len(args) > 2 else None)


def _visible(env: Connection, oid: int) -> bool:
    found = env.catalog.objects(Relation).get((oid,))
    return found is None or found.schema_ in env.path()


def _uuid(env: Connection) -> str:
    if env.reading:
        return _drawn(env, "uuid")
    return env.ctx.uuid("uuid")


def _drawn(env: Connection, kind: str) -> str:
    """In a read nothing may be drawn: a value that depends on the place in the statement alone."""
    env.command += 1
    h = hashlib.blake2b(f"{kind} {env.command} {env.budget}".encode(), digest_size=16).hexdigest()
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-8{h[17:20]}-{h[20:]}"


def _random(env: Connection) -> float:
    if env.reading:
        return int(_drawn(env, "random")[:8], 16) / 2**32
    return env.ctx.integer("random", 0, 2**53 - 1) / 2**53


def _sleep(env: Connection, seconds: float) -> str:
    del env
    if seconds > 600:
        raise SqlError("57014", "canceling statement due to statement timeout")
    return ""


def count_statement(ctx: Ctx, database: str, text: str, rows: int, read: int) -> None:
    normal = normalized(text)
    held = ctx.db.get(Statement, (database, normal))
    if held is None:
        ctx.db.add(Statement(database=database, query=normal, calls=1, rows=rows, read=read))
    else:
        ctx.db.update(held, calls=held.calls + 1, rows=held.rows + rows, read=held.read + read)


def normalized(text: str) -> str:
    """A statement with its constants as $1, $2 ..., as pg_stat_statements keeps it."""
    from .lexer import tokens  # noqa: PLC0415

    out, at, count = list[str](), 0, 0
    for token in tokens(text):
        if token.kind in ("string", "integer", "number", "bits"):
            count += 1
            out.append(f"{text[at : token.start]}${count}")
            at = token.stop
    return ("".join(out) + text[at:])[:2000]


def _expression(env: Connection, text: str, oid: int, *_: Any) -> str:
    del env, oid
    return text


_E: dict[str, Any] = {"env": True}
function("nextval(regclass) int8", lambda env, oid: env.nextval(_sequence(env, oid)), **_E)
function("currval(regclass) int8", _currval, **_E)
function("lastval() int8", _lastval, **_E)
function("setval(regclass,int8) int8", lambda env, oid, v: env.setval(_sequence(env, oid), v, True), **_E)
function("setval(regclass,int8,bool) int8", lambda env, oid, v, c: env.setval(_sequence(env, oid), v, c), **_E)
function("pg_get_serial_sequence(text,text) text", _serial_sequence, **_E)
function("gen_random_uuid() uuid; uuid_generate_v4() uuid", _uuid, **_E)
function("random() float8", _random, **_E)
function("version() text", lambda: VERSION)
function("current_user() name; session_user() name", lambda env: env.user, **_E)
function("current_database() name", lambda env: env.catalog.database, **_E)
function("current_schema() name", lambda env: (env.path() or [None])[0], **_E)
function(
    "current_schemas(bool) name[]", lambda env, implicit: [*(["pg_catalog"] if implicit else []), *env.path()], **_E
)
function("current_setting(text) text", current_setting, **_E)
function("current_setting(text,bool) text", current_setting, **_E)
function("set_config(text,text,bool) text", _set_config, **_E)
function("pg_backend_pid() int4", lambda: 4242)
function("txid_current() int8; pg_current_xact_id() int8", lambda env: 1000 + len(env.catalog.log), **_E)
function("pg_is_in_recovery() bool", lambda: False)
function("inet_server_addr() text; inet_client_addr() text", lambda: "127.0.0.1")
function("inet_server_port() int4", lambda: 5432)
function(
    "pg_postmaster_start_time() timestamptz; pg_conf_load_time() timestamptz", lambda env: env.ctx._live.epoch, **_E
)
function("pg_sleep(float8) text", _sleep, **_E)
function("pg_relation_size(regclass) int8; pg_table_size(regclass) int8", _size, **_E)
function("pg_total_relation_size(regclass) int8", _total_size, **_E)
function("pg_indexes_size(regclass) int8", _indexes_size, **_E)
function(
    "pg_database_size(text) int8",
    lambda env, name: database_bytes(env) if name == env.catalog.database else 7_500_000,
    **_E,
)
function("pg_size_pretty(int8) text; pg_size_pretty(numeric) text", pretty)
function("pg_get_constraintdef(oid) text; pg_get_constraintdef(oid,bool) text", _constraint_def, **_E)
function("pg_get_indexdef(oid) text; pg_get_indexdef(oid,int4,bool) text", _index_def, **_E)
function("pg_get_viewdef(regclass) text; pg_get_viewdef(regclass,bool) text", _view_def, **_E)
function("pg_get_expr(text,oid) text; pg_get_expr(text,oid,bool) text", _expression, **_E)
function(
    "pg_get_userbyid(oid) name",
    lambda env, oid: next((r.name for r in env.catalog.objects(Role).values() if r.oid == oid), f"unknown (OID={oid})"),
    **_E,
)
function("obj_description(oid,text) text; obj_description(oid) text", _description, **_E)
function("col_description(oid,int4) text", _column_description, **_E)
function(
    "shobj_description(oid,text) text",
    lambda env, oid, _: next(
        (d.comment or None for d in env.catalog.objects(models.Database).values() if d.oid == oid), None
    ),
    **_E,
)
function("format_type(oid,int4) text", _format_type, strict=False, **_E)
function("to_regclass(text) regclass", _to_regclass, **_E)
function("pg_table_is_visible(oid) bool", _visible, **_E)
function(
    "has_table_privilege(text,text) bool; has_table_privilege(oid,text) bool; has_table_privilege(text,text,text) bool;"
    " has_table_privilege(text,oid,text) bool",
    _table_privilege,
    **_E,
)
function("pg_has_role(text,text) bool; pg_has_role(text,text,text) bool", _has_role, **_E)
function("pg_encoding_to_char(int4) name", lambda _: "UTF8")
function("pg_stat_get_numscans(oid) int8", lambda _: 0)
for _name in ("nextval", "setval", "random", "gen_random_uuid", "uuid_generate_v4", "currval", "lastval"):
    from .signatures import FUNCTIONS

    _VOLATILE.update(o.fn for o in FUNCTIONS[_name])
__all__ = ["DEFAULTS", "Compiler", "deparse", "row_scope"]
