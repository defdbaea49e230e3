"""information_schema."""

from typing import Any

from . import functions_system as fs
from . import types
from .catalog import Column
from .models import Namespace, Relation, Role, Sequence
from .types import shown

Rows = list[tuple[Any, ...]]
_KINDS = {"table": "BASE TABLE", "view": "VIEW", "materialized view": "MATERIALIZED VIEW"}


def _relations(env: Any, *kinds: str) -> list[Relation]:
    found = [r for r in env.catalog.objects(Relation).values() if not kinds or r.kind in kinds]
    return sorted(
        (r for r in found if any(env.has_privilege(r, p) for p in ("select", "insert", "update", "delete"))),
        key=lambda r: (r.schema_, r.name),
    )


def _tables(env: Any) -> Rows:
    db = env.catalog.database
    return [
        (db, r.schema_, r.name, _KINDS[r.kind], None, None, "YES" if r.kind == "table" else "NO", "NO")
        for r in _relations(env, "table", "view")
    ]


def _yes(flag: bool) -> str:
    return "YES" if flag else "NO"


def _columns(env: Any) -> Rows:
    made, db = Rows(), env.catalog.database
    for r in _relations(env, "table", "view"):
        for i, c in enumerate(env.catalog.columns(r), 1):
            kind = c.kind
            length = c.mods[0] if kind in ("varchar", "bpchar") and c.mods else None
            precision, radix, scale = _numbers(c)
            data = "ARRAY" if types.is_array(kind) else "USER-DEFINED" if types.is_enum(kind) else shown(kind)
            udt = kind.rpartition(".")[2] if types.is_enum(kind) else kind
            schema = kind.partition(".")[0] if types.is_enum(kind) else "pg_catalog"
            default = None if c.identity or c.generated else c.default or None
            moment = (
                (c.mods[0] if c.mods else 6)
                if kind in ("timestamp", "timestamptz", "time", "interval")
                else 0
                if kind == "date"
                else None
            )
            identity = "ALWAYS" if c.identity == "always" else "BY DEFAULT" if c.identity else None
            made.append((
                db, r.schema_, r.name, c.name, i, default, _yes(not c.notnull), data, length,
                    length * 4 if length else 1073741824 if kind in ("text", "varchar") else None, precision, radix,
                scale, moment, db, schema, udt, str(i), _yes(bool(c.identity)), identity, "ALWAYS" if c.generated else "NEVER",
                    c.generated or None, _yes(r.kind == "table"),
            ))  # fmt: skip
    return made


def _numbers(c: Column) -> tuple[Any, Any, Any]:
    sizes = {"int2": 16, "int4": 32, "int8": 64, "float4": 24, "float8": 53}
    if c.kind in sizes:
        return sizes[c.kind], 2, 0 if c.kind in types.INTEGERS else None
    if c.kind == "numeric":
        return (c.mods[0], 10, c.mods[1] if len(c.mods) > 1 else 0) if c.mods else (None, 10, None)
    return None, None, None


def _table_constraints(env: Any) -> Rows:
    made, db = Rows(), env.catalog.database
    names = {"primary": "PRIMARY KEY", "unique": "UNIQUE", "check": "CHECK", "foreign": "FOREIGN KEY"}
    for r in _relations(env, "table"):
        for c in env.catalog.constraints(r):
            made.append(
                (
                    db,
                    r.schema_,
                    c.name,
                    db,
                    r.schema_,
                    r.name,
                    names[c.kind],
                    _yes(c.deferrable),
                    _yes(c.deferred),
                    "YES",
                )
            )
        for i, c in enumerate(env.catalog.columns(r), 1):
            if c.notnull:
                made.append(
                    (db, r.schema_, f"2200_{r.oid}_{i}_not_null", db, r.schema_, r.name, "CHECK", "NO", "NO", "YES")
                )
    return made


def _key_columns(env: Any) -> Rows:
    made, db = Rows(), env.catalog.database
    for r in _relations(env, "table"):
        for c in env.catalog.constraints(r, "primary", "unique", "foreign"):
            for i, name in enumerate(c.columns, 1):
                made.append((db, r.schema_, c.name, db, r.schema_, r.name, name, i, i if c.kind == "foreign" else None))
    return made


def _constraint_columns(env: Any) -> Rows:
    made, db = Rows(), env.catalog.database
    for r in _relations(env, "table"):
        for c in env.catalog.constraints(r):
            target = env.catalog.by_oid(c.refers) if c.refers else r
            for name in c.refers_columns if c.refers else c.columns:
                made.append((db, target.schema_, target.name, name, db, r.schema_, c.name))
    return made


def _referential(env: Any) -> Rows:
    made, db = Rows(), env.catalog.database
    for r in _relations(env, "table"):
        for c in env.catalog.constraints(r, "foreign"):
            parent = env.catalog.by_oid(c.refers)
            unique = next(
                (i.name for i in env.catalog.indexes(parent) if i.unique and set(i.keys) == set(c.refers_columns)), None
            )
            made.append(
                (
                    db,
                    r.schema_,
                    c.name,
                    db,
                    parent.schema_,
                    unique,
                    "NONE",
                    fs.ACTIONS[c.on_update],
                    fs.ACTIONS[c.on_delete],
                )
            )
    return made


def _checks(env: Any) -> Rows:
    made, db = Rows(), env.catalog.database
    for r in _relations(env, "table"):
        made += [(db, r.schema_, c.name, c.expression) for c in env.catalog.constraints(r, "check")]
        made += [
            (db, r.schema_, f"2200_{r.oid}_{i}_not_null", f"{c.name} IS NOT NULL")
            for i, c in enumerate(env.catalog.columns(r), 1)
            if c.notnull
        ]
    return made


def _schemas(env: Any) -> list[tuple[int, str, str]]:
    own = [(s.oid, s.name, s.owner) for s in env.catalog.objects(Namespace).values()]
    return [
        *own,
        (13000, "information_schema", "postgres"),
        (11, "pg_catalog", "postgres"),
        (99, "pg_toast", "postgres"),
    ]


def _sequences(env: Any) -> list[Sequence]:
    return sorted(env.catalog.objects(Sequence).values(), key=lambda s: (s.schema_, s.name))


def _info_sequences(env: Any) -> Rows:
    sizes = {"int2": 16, "int4": 32, "int8": 64}
    made = Rows()
    for s in _sequences(env):
        columns = env.catalog.columns(env.catalog.by_oid(s.owner_table)) if s.owner_table else []
        if any(c.identity and c.name == s.owner_column for c in columns):
            continue
        bounds = (str(s.start), str(s.minimum), str(s.maximum), str(s.increment), _yes(s.cycle))
        made.append((env.catalog.database, s.schema_, s.name, shown(s.type), sizes[s.type], 2, 0, *bounds))
    return made


def _views(env: Any) -> Rows:
    return [
        (env.catalog.database, r.schema_, r.name, f" {r.definition};", "NONE", "NO", "NO")
        for r in _relations(env, "view")
    ]


def _privileges(env: Any) -> Rows:
    made, db = Rows(), env.catalog.database
    for r in _relations(env):
        everything = ["insert", "select", "update", "delete", "truncate", "references", "trigger"]
        for grantee, words in [(r.owner, everything), *r.acl.items()]:
            made += [
                (
                    r.owner,
                    "PUBLIC" if grantee == "public" else grantee,
                    db,
                    r.schema_,
                    r.name,
                    w.upper(),
                    _yes(grantee == r.owner),
                    _yes(w == "select"),
                )
                for w in words
            ]
    return made


_INFO = {
    "tables": ("table_catalog table_schema table_name table_type self_referencing_column_name reference_generation is_insertable_into"
               " is_typed", _tables),
    "columns": ("table_catalog table_schema table_name column_name ordinal_position:int4 column_default is_nullable data_type"
                " character_maximum_length:int4 character_octet_length:int4"
                " numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 udt_catalog udt_schema"
                " udt_name dtd_identifier is_identity identity_generation"
                " is_generated generation_expression is_updatable", _columns),
    "schemata": ("catalog_name schema_name schema_owner", lambda env: [(env.catalog.database, name, owner) for _, name,
    owner in _schemas(env)]),
    "table_constraints": ("constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name constraint_type"
                          " is_deferrable initially_deferred enforced", _table_constraints),
    "key_column_usage": ("constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name column_name"
                         " ordinal_position:int4 position_in_unique_constraint:int4", _key_columns),
    "constraint_column_usage": ("table_catalog table_schema table_name column_name constraint_catalog constraint_schema constraint_name",
    _constraint_columns),
    "referential_constraints": ("constraint_catalog constraint_schema constraint_name unique_constraint_catalog"
                                " unique_constraint_schema unique_constraint_name match_option update_rule delete_rule", _referential),
    "check_constraints": ("constraint_catalog constraint_schema constraint_name check_clause", _checks),
    "views": ("table_catalog table_schema table_name view_definition check_option is_updatable is_insertable_into", _views),
    "sequences": ("sequence_catalog sequence_schema sequence_name data_type numeric_precision:int4 numeric_precision_radix:int4"
                  " numeric_scale:int4 start_value minimum_value maximum_value increment cycle_option", _info_sequences),
    "table_privileges": ("grantor grantee table_catalog table_schema table_name privilege_type is_grantable with_hierarchy", _privileges),
    "role_table_grants": ("grantor grantee table_catalog table_schema table_name privilege_type is_grantable with_hierarchy", _privileges),
    "enabled_roles": ("role_name", lambda env: [(r.name,) for r in env.catalog.objects(Role).values()]),
    "routines": ("specific_schema routine_schema routine_name routine_type data_type routine_definition", lambda _: []),
    "triggers": ("trigger_schema trigger_name event_manipulation event_object_schema event_object_table action_statement action_timing",
    lambda _: []),
}  # fmt: skip
