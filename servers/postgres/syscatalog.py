"""information_schema and pg_catalog, as far as clients ask for them."""

from collections.abc import Callable
from typing import Any

from . import functions_system as fs
from . import models, types
from .extensions import AVAILABLE
from .infoschema import _INFO, _relations, _schemas, _sequences
from .models import Constraint, Enum, Index, Policy, Relation, Role
from .parsing import schema_of
from .scope import Out
from .types import shown

Rows = list[tuple[Any, ...]]
_RELKINDS = {"table": "r", "view": "v", "materialized view": "m"}
_CONTYPES = {"primary": "p", "unique": "u", "check": "c", "foreign": "f"}
_LETTER = {"cascade": "c", "restrict": "r", "set null": "n", "set default": "d", "": "a"}


def _namespace_oid(env: Any, name: str) -> int:
    return next((oid for oid, n, _ in _schemas(env) if n == name), 0)


def _role_oid(env: Any, name: str) -> int:
    found = env.catalog.objects(Role).get((name,))
    return found.oid if found else 10


def _acl(target: Any) -> Any:
    if not target.acl:
        return None
    letters = {
        "select": "r",
        "insert": "a",
        "update": "w",
        "delete": "d",
        "truncate": "D",
        "references": "x",
        "trigger": "t",
        "usage": "U",
        "create": "C",
    }
    own = f"{target.owner}=arwdDxt/{target.owner}"
    return [
        own,
        *(
            f"{'' if r == 'public' else r}={''.join(letters.get(p, '') for p in ps)}/{target.owner}"
            for r, ps in target.acl.items()
        ),
    ]


def _pg_class(env: Any) -> Rows:
    made = Rows()
    for r in _relations(env):
        rows = len(env.catalog.rows(r)) if r.kind != "view" else 0
        keyed = bool(env.catalog.indexes(r))
        made.append(
            (
                r.oid,
                r.name,
                _namespace_oid(env, r.schema_),
                _role_oid(env, r.owner),
                _RELKINDS[r.kind],
                float(rows),
                fs.table_bytes(env, r) // fs.BLOCK if rows else 0,
                len(r.columns),
                keyed,
                "p",
                r.row_security,
                r.force_row_security,
                _acl(r),
                False,
            )
        )
        made += [
            (
                i.oid,
                i.name,
                _namespace_oid(env, r.schema_),
                _role_oid(env, r.owner),
                "i",
                float(rows),
                1,
                len(i.keys),
                False,
                "p",
                False,
                False,
                None,
                False,
            )
            for i in env.catalog.indexes(r)
        ]
    made += [
        (
            s.oid,
            s.name,
            _namespace_oid(env, s.schema_),
            _role_oid(env, s.owner),
            "S",
            1.0,
            1,
            3,
            False,
            "p",
            False,
            False,
            _acl(s),
            False,
        )
        for s in _sequences(env)
    ]
    return made


def _type_oid(env: Any, kind: str) -> int:
    if types.is_enum(kind):
        schema, _, name = kind.partition(".")
        found = env.catalog.first(Enum, schema_=schema, name=name)
        return found.oid if found else 0
    return types.oid(kind)


def _pg_attribute(env: Any) -> Rows:
    return [
        (r.oid, c.name, _type_oid(env, c.kind), types.SIZES.get(c.kind, -1), i, types.modifier(c.kind, c.mods), c.notnull,
            bool(c.default or c.generated) and not c.identity,
         {"always": "a", "default": "d"}.get(c.identity, ""), "s" if c.generated else "", False, 1 if types.is_array(c.kind) else 0)
        for r in _relations(env) for i, c in enumerate(env.catalog.columns(r), 1)
    ]  # fmt: skip


def _pg_attrdef(env: Any) -> Rows:
    return [
        (r.oid * 100 + i, r.oid, i, c.default or c.generated)
        for r in _relations(env, "table")
        for i, c in enumerate(env.catalog.columns(r), 1)
        if (c.default and not c.identity) or c.generated
    ]


def _numbers_of(env: Any, relation: Relation, names: list[str]) -> list[int]:
    places = {c.name: i for i, c in enumerate(env.catalog.columns(relation), 1)}
    return [places.get(name, 0) for name in names]


def _pg_constraint(env: Any) -> Rows:
    made = Rows()
    for r in _relations(env, "table"):
        indexes = {i.constraint: i.oid for i in env.catalog.indexes(r)}
        for c in env.catalog.constraints(r):
            parent = env.catalog.by_oid(c.refers) if c.refers else None
            made.append((
                c.oid, c.name, _namespace_oid(env, r.schema_), _CONTYPES[c.kind], c.deferrable, c.deferred, c.validated, r.oid,
                    indexes.get(c.oid, 0), c.refers, _LETTER[c.on_update] if parent else " ",
                _LETTER[c.on_delete] if parent else " ", _numbers_of(env, r, c.columns), _numbers_of(env, parent,
                    c.refers_columns) if parent else None,
            ))  # fmt: skip
    return made


def _pg_index(env: Any) -> Rows:
    return [
        (
            i.oid,
            r.oid,
            len(i.keys),
            len(i.keys),
            i.unique,
            i.primary,
            True,
            True,
            " ".join(map(str, _numbers_of(env, r, i.keys))),
            i.predicate or None,
        )
        for r in _relations(env)
        for i in env.catalog.indexes(r)
    ]


def _pg_indexes(env: Any) -> Rows:
    return [
        (r.schema_, r.name, i.name, None, fs.index_text(env, i))
        for r in _relations(env)
        for i in sorted(env.catalog.indexes(r), key=lambda i: i.name)
    ]


def _pg_type(env: Any) -> Rows:
    base = [
        (
            oid,
            kind.strip('"'),
            11,
            types.SIZES.get(kind, -1),
            "b",
            types.category(kind),
            0,
            types._ARRAY_OIDS.get(kind, 0),
        )
        for kind, oid in types.OIDS.items()
    ]
    arrays = [(oid, "_" + kind, 11, -1, "b", "A", types.OIDS[kind], 0) for kind, oid in types._ARRAY_OIDS.items()]
    return [
        *base,
        *arrays,
        *(
            (e.oid, e.name, _namespace_oid(env, e.schema_), 4, "e", "E", 0, 0)
            for e in env.catalog.objects(Enum).values()
        ),
    ]


def _stat_tables(env: Any) -> Rows:
    return [
        (r.oid, r.schema_, r.name, 0, 0, 0, 0, len(env.catalog.rows(r)), 0, 0, 0, 0, None, None, None, None, 0)
        for r in _relations(env, "table")
    ]


def _pg_settings(env: Any) -> Rows:
    return [
        (k, env.setting(k), None, "Client Connection Defaults", "", "user", "string", "default")
        for k in sorted(fs.DEFAULTS)
    ]


def _statements(env: Any) -> Rows:
    found = env.ctx.db.find(models.Statement, database=env.catalog.database)
    return [
        (10, 16384, i, s.query, s.calls, fs_time(s), fs_time(s) / s.calls, s.rows, s.read // 100, 0)
        for i, s in enumerate(found, 1)
    ]


def fs_time(statement: models.Statement) -> float:
    """A statement's time in milliseconds, reckoned from the rows it went over: no clock runs here."""
    return round(statement.calls * 0.05 + statement.read * 0.0005, 4)


def _view(text: str, info: bool) -> list[Out]:
    """`name:type name name` as columns; identifiers of information_schema are names, its other texts varchar."""
    made = list[Out]()
    for part in text.split():
        name, _, kind = part.partition(":")
        identifier = name.endswith(("_name", "_catalog", "_schema", "_owner")) or name in (
            "grantor",
            "grantee",
            "dtd_identifier",
        )
        made.append(
            Out(
                name,
                kind
                or ("name" if info and identifier else "varchar" if info else '"char"' if name in _CHARS else "text"),
            )
        )
    return made


_CHARS = (
    "relkind",
    "relpersistence",
    "contype",
    "confupdtype",
    "confdeltype",
    "attidentity",
    "attgenerated",
    "typtype",
    "typcategory",
    "tgenabled",
    "prokind",
)


_CATALOG = {
    "pg_class": ("oid:oid relname:name relnamespace:oid relowner:oid relkind relpages_rows:float8 relpages:int4 relnatts:int2"
                 " relhasindex:bool relpersistence relrowsecurity:bool relforcerowsecurity:bool relacl:_text relispartition:bool"
                 .replace("relpages_rows", "reltuples"), _pg_class),
    "pg_namespace": ("oid:oid nspname:name nspowner:oid", lambda env: [(oid, name, _role_oid(env, owner)) for oid, name,
    owner in _schemas(env)]),
    "pg_attribute": ("attrelid:oid attname:name atttypid:oid attlen:int2 attnum:int2 atttypmod:int4 attnotnull:bool atthasdef:bool"
                     " attidentity attgenerated attisdropped:bool attndims:int4", _pg_attribute),
    "pg_attrdef": ("oid:oid adrelid:oid adnum:int2 adbin", _pg_attrdef),
    "pg_constraint": ("oid:oid conname:name connamespace:oid contype condeferrable:bool condeferred:bool convalidated:bool conrelid:oid"
                      " conindid:oid confrelid:oid confupdtype confdeltype conkey:_int2 confkey:_int2", _pg_constraint),
    "pg_index": ("indexrelid:oid indrelid:oid indnatts:int2 indnkeyatts:int2 indisunique:bool indisprimary:bool indisvalid:bool"
                 " indisready:bool indkey indpred", _pg_index),
    "pg_indexes": ("schemaname:name tablename:name indexname:name tablespace:name indexdef", _pg_indexes),
    "pg_tables": ("schemaname:name tablename:name tableowner:name tablespace:name hasindexes:bool hasrules:bool hastriggers:bool"
                  " rowsecurity:bool",
                  lambda env: [(r.schema_, r.name, r.owner, None, bool(env.catalog.indexes(r)), False, False,
                      r.row_security) for r in _relations(env, "table")]),
    "pg_views": ("schemaname:name viewname:name viewowner:name definition", lambda env: [(r.schema_, r.name, r.owner,
    f" {r.definition};") for r in _relations(env, "view")]),
    "pg_matviews": ("schemaname:name matviewname:name matviewowner:name hasindexes:bool ispopulated:bool definition",
                    lambda env: [(r.schema_, r.name, r.owner, bool(env.catalog.indexes(r)), True,
                        f" {r.definition};") for r in _relations(env, "materialized view")]),
    "pg_sequences": ("schemaname:name sequencename:name sequenceowner:name data_type start_value:int8 min_value:int8 max_value:int8"
                     " increment_by:int8 cycle:bool cache_size:int8 last_value:int8",
                     lambda env: [(s.schema_, s.name, s.owner, shown(s.type), s.start, s.minimum, s.maximum, s.increment, s.cycle, 1,
                         env.moved(s)[0] if env.moved(s)[1] else None) for s in _sequences(env)]),
    "pg_type": ("oid:oid typname:name typnamespace:oid typlen:int2 typtype typcategory typelem:oid typarray:oid", _pg_type),
    "pg_enum": ("oid:oid enumtypid:oid enumsortorder:float4 enumlabel:name", lambda env: [(e.oid * 100 + i, e.oid, float(i),
    label) for e in env.catalog.objects(Enum).values() for i, label in enumerate(e.labels, 1)]),
    "pg_roles": ("oid:oid rolname:name rolsuper:bool rolinherit:bool rolcreaterole:bool rolcreatedb:bool rolcanlogin:bool"
                 " rolreplication:bool rolconnlimit:int4 rolbypassrls:bool",
                 lambda env: [(r.oid, r.name, r.superuser, r.inherit, r.createrole, r.createdb, r.login, r.superuser, -1,
                     r.bypassrls) for r in env.catalog.objects(Role).values()]),
    "pg_user": ("usename:name usesysid:oid usecreatedb:bool usesuper:bool", lambda env: [(r.name, r.oid, r.createdb,
    r.superuser) for r in env.catalog.objects(Role).values() if r.login]),
    "pg_auth_members": ("roleid:oid member:oid grantor:oid admin_option:bool", lambda env: [(_role_oid(env, p), r.oid, 10,
    False) for r in env.catalog.objects(Role).values() for p in r.member_of]),
    "pg_database": ("oid:oid datname:name datdba:oid encoding:int4 datcollate datctype datistemplate:bool datallowconn:bool",
                    lambda env: [(d.oid, d.name, _role_oid(env, d.owner), 6, "C.UTF-8", "C.UTF-8", False,
                        True) for d in env.catalog.objects(models.Database).values()]),
    "pg_extension": ("oid:oid extname:name extversion extrelocatable:bool", lambda env: [(e.oid, e.name, e.version,
    e.name != "plpgsql") for e in env.catalog.objects(models.Extension).values()]),
    "pg_available_extensions": ("name:name default_version installed_version comment",
                                lambda env: [(n, v, getattr(env.catalog.first(models.Extension, name=n), "version", None), c) for n, (v,
                                    c) in sorted(AVAILABLE.items())]),
    "pg_policies": ("schemaname:name tablename:name policyname:name permissive roles:_text cmd qual with_check",
                    lambda env: [(r.schema_, r.name, p.name, "PERMISSIVE" if p.permissive else "RESTRICTIVE", p.roles or ["public"],
                        p.command.upper(), p.using or None, p.check or None)
                                 for p in env.catalog.objects(Policy).values() for r in [env.catalog.by_oid(p.relation)]]),
    "pg_stat_user_tables": ("relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8"
                            " n_live_tup:int8 n_dead_tup:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8"
                            " last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz"
                            " n_mod_since_analyze:int8", _stat_tables),
    "pg_stat_user_indexes": ("relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_scan:int8 idx_tup_read:int8"
                             " idx_tup_fetch:int8",
                             lambda env: [(r.oid, i.oid, r.schema_, r.name, i.name, 0, 0,
                                 0) for r in _relations(env) for i in env.catalog.indexes(r)]),
    "pg_stat_activity": ("pid:int4 datname:name usename:name application_name client_addr state query backend_start:timestamptz"
                         " xact_start:timestamptz query_start:timestamptz",
                         lambda env: [(4242, env.catalog.database, env.user, env.setting("application_name"), "127.0.0.1", "active", "",
                             env.now, env.now, env.now)]),
    "pg_settings": ("name setting unit category short_desc context vartype source", _pg_settings),
    "pg_description": ("objoid:oid classoid:oid objsubid:int4 description", lambda env: [(r.oid, 1259, 0,
    r.comment) for r in _relations(env) if r.comment]
                       + [(r.oid, 1259, i, c.comment) for r in _relations(env) for i, c in enumerate(env.catalog.columns(r),
                           1) if c.comment]),
    "pg_stat_statements": ("userid:oid dbid:oid queryid:int8 query calls:int8 total_exec_time:float8 mean_exec_time:float8 rows:int8"
                           " shared_blks_hit:int8 shared_blks_read:int8", _statements),
    "pg_proc": ("oid:oid proname:name pronamespace:oid prokind", lambda _: []),
    "pg_trigger": ("oid:oid tgrelid:oid tgname:name tgisinternal:bool", lambda _: []),
    "pg_locks": ("locktype database:oid relation:oid pid:int4 mode granted:bool", lambda _: []),
    "pg_am": ("oid:oid amname:name", lambda _: [(2, "heap"), (403, "btree"), (405, "hash"), (783, "gist"), (2742, "gin"), (4000,
    "spgist"), (3580, "brin")]),
    "pg_inherits": ("inhrelid:oid inhparent:oid inhseqno:int4", lambda _: []),
}  # fmt: skip
_COLUMNS: dict[tuple[str, str], list[Out]] = {}


def find(env: Any, name: tuple[str, ...]) -> tuple[list[Out], Callable[[], Rows]] | None:
    """A system table by name, with the schema or, for pg_catalog, without."""
    schema = schema_of(name) or "pg_catalog"
    table = _INFO if schema == "information_schema" else _CATALOG if schema in ("pg_catalog", "public") else {}
    if name[-1] == "pg_stat_statements" and env.catalog.first(models.Extension, name="pg_stat_statements") is None:
        return None
    found = table.get(name[-1])
    if found is None or (schema == "public" and name[-1] != "pg_stat_statements"):
        return None
    key = (schema, name[-1])
    if key not in _COLUMNS:
        _COLUMNS[key] = _view(found[0], schema == "information_schema")
    return _COLUMNS[key], lambda: found[1](env)


__all__ = ["Constraint", "Index", "find", "fs_time"]
