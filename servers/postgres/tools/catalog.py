"""Looking at databases, schemas and objects."""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field

from .. import functions_system as fs
from ..app import app
from ..connect import default_database, engine, rows_of
from ..models import Database
from .sql import Base

Name = Annotated[str, Field(min_length=1, max_length=63)]
Schema = Annotated[str | MISSING, Field(max_length=63)]


def _schema(value: Any) -> str:
    return value if isinstance(value, str) else "public"


@app.get("/mcp/databases", tool="list_databases")
def list_databases(ctx: Ctx) -> list[dict[str, Any]]:
    """Lists the server's databases with owner, encoding and size, and which of them the server is connected to."""
    here = default_database(ctx)
    found = list[dict[str, Any]]()
    for d in sorted(ctx.db.find(Database), key=lambda d: d.name):
        size = fs.database_bytes(engine(ctx, d.name, reading=True).env)
        found.append(
            {
                "name": d.name,
                "owner": d.owner,
                "encoding": "UTF8",
                "collate": "C.UTF-8",
                "size": fs.pretty(size),
                "connected": d.name == here,
                "comment": d.comment or None,
            }
        )
    return found


@app.get("/mcp/schemas", tool="list_schemas")
def list_schemas(ctx: Ctx, database: Base = MISSING) -> list[dict[str, Any]]:
    """Lists all schemas in the database with owner and kind: user, system or information schema.

    database: The database; without it the one the server is connected to.
    """
    return rows_of(ctx, database, """
        SELECT schema_name, schema_owner,
               CASE WHEN schema_name LIKE 'pg\\_%' THEN 'System Schema' WHEN schema_name = 'information_schema'
                    THEN 'System Information Schema' ELSE 'User Schema' END AS schema_type
        FROM information_schema.schemata ORDER BY schema_type DESC, schema_name""")  # fmt: skip


_OBJECTS = {
    "table": "SELECT table_schema AS schema, table_name AS name, table_type AS type, obj_description((quote_ident(table_schema) || '.'"
             " || quote_ident(table_name))::regclass, 'pg_class') AS comment"
             " FROM information_schema.tables WHERE table_schema = $1 AND table_type = 'BASE TABLE' ORDER BY table_name",
    "view": "SELECT table_schema AS schema, table_name AS name, table_type AS type FROM information_schema.tables WHERE table_schema ="
            " $1 AND table_type = 'VIEW' ORDER BY table_name",
    "materialized view": "SELECT schemaname AS schema, matviewname AS name, 'MATERIALIZED VIEW' AS type FROM pg_matviews WHERE"
                         " schemaname = $1 ORDER BY 2",
    "sequence": "SELECT sequence_schema AS schema, sequence_name AS name, data_type FROM information_schema.sequences WHERE"
                " sequence_schema = $1 ORDER BY sequence_name",
    "index": "SELECT schemaname AS schema, indexname AS name, tablename AS table FROM pg_indexes WHERE schemaname = $1 ORDER BY indexname",
    "type": "SELECT n.nspname AS schema, t.typname AS name, array_agg(e.enumlabel ORDER BY e.enumsortorder) AS labels FROM pg_type t"
            " JOIN pg_namespace n ON n.oid = t.typnamespace"
            " JOIN pg_enum e ON e.enumtypid = t.oid WHERE n.nspname = $1 GROUP BY 1, 2 ORDER BY 2",
}  # fmt: skip
_Kind = Literal["table", "view", "materialized view", "sequence", "index", "type", "extension"]


@app.get("/mcp/objects", tool="list_objects")
def list_objects(
    ctx: Ctx, schema_name: Name, object_type: _Kind = "table", database: Base = MISSING
) -> list[dict[str, Any]]:
    """Lists the objects of one kind in a schema. Extensions belong to no schema.

    schema_name: Schema name.
    object_type: Which kind of objects.
    database: The database; without it the one the server is connected to.
    """
    if object_type == "extension":
        return rows_of(
            ctx,
            database,
            "SELECT extname AS name, extversion AS version, extrelocatable AS relocatable FROM pg_extension ORDER BY extname",
        )
    return rows_of(ctx, database, _OBJECTS[object_type], schema_name)


@app.get("/mcp/objects/details", tool="get_object_details")
def get_object_details(
    ctx: Ctx, schema_name: Name, object_name: Name, object_type: Literal["table", "view", "sequence", "extension"] = "table",
        database: Base = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Shows one object in detail: a table's columns, constraints and indexes, a view's columns and definition, a sequence's bounds.

    schema_name: Schema name.
    object_name: Object name.
    object_type: Which kind of object.
    database: The database; without it the one the server is connected to.
    """
    if object_type == "extension":
        found = rows_of(
            ctx,
            database,
            "SELECT extname AS name, extversion AS version, extrelocatable AS relocatable FROM pg_extension WHERE extname = $1",
            object_name,
        )
        return _one(found, object_type, object_name)
    if object_type == "sequence":
        found = rows_of(ctx, database, "SELECT sequence_schema AS schema, sequence_name AS name, data_type, start_value, increment,"
                                       " maximum_value FROM information_schema.sequences"
                                       " WHERE sequence_schema = $1 AND sequence_name = $2", schema_name, object_name)  # fmt: skip
        return _one(found, object_type, object_name)
    columns = rows_of(ctx, database, """
        SELECT column_name AS column,
               CASE WHEN character_maximum_length IS NOT NULL THEN data_type || '(' || character_maximum_length || ')'
                    WHEN data_type = 'USER-DEFINED' THEN udt_name WHEN data_type = 'ARRAY' THEN substr(udt_name, 2) || '[]'
                    ELSE data_type END AS data_type, is_nullable, column_default AS "default", identity_generation AS identity
        FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position""", schema_name,
            object_name)  # fmt: skip
    if not columns:
        raise _absent(object_type, f"{schema_name}.{object_name}")
    oid = "(SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2)"
    constraints = rows_of(
        ctx,
        database,
        f"SELECT conname AS name, contype AS type, pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conrelid = {oid}"
        " ORDER BY conname",
        schema_name,
        object_name,
    )
    words = {"p": "PRIMARY KEY", "u": "UNIQUE", "c": "CHECK", "f": "FOREIGN KEY"}
    indexes = rows_of(
        ctx,
        database,
        "SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE schemaname = $1 AND tablename = $2 ORDER BY 1",
        schema_name,
        object_name,
    )
    made: dict[str, Any] = {
        "basic": {"schema": schema_name, "name": object_name, "type": object_type},
        "columns": [{k: v for k, v in c.items() if k != "identity" or v} for c in columns],
        "constraints": [{**c, "type": words[c["type"]]} for c in constraints], "indexes": indexes,
    }  # fmt: skip
    if object_type == "view":
        found = rows_of(
            ctx,
            database,
            "SELECT definition FROM pg_views WHERE schemaname = $1 AND viewname = $2",
            schema_name,
            object_name,
        )
        if not found:
            raise _absent(object_type, f"{schema_name}.{object_name}")
        made["definition"] = found[0]["definition"]
    comment = rows_of(ctx, database, f"SELECT obj_description({oid}, 'pg_class') AS text", schema_name, object_name)[0][
        "text"
    ]
    return {**made, "comment": comment} if comment else made


def _absent(kind: str, name: str) -> ApiError:
    text = f"{kind} {name} does not exist"
    return ApiError(404, text, wire_status=400, shown=f"Error: {text}", fields={"severity": "ERROR", "code": "42P01"})


def _one(found: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    if not found:
        raise _absent(kind, name)
    return found[0]


@app.get("/mcp/extensions", tool="list_extensions")
def list_extensions(ctx: Ctx, available: bool = False, database: Base = MISSING) -> list[dict[str, Any]]:
    """Lists installed extensions with their versions, or all that could be installed.

    available: Whether to list also those that are not installed.
    database: The database; without it the one the server is connected to.
    """
    where = "" if available else " WHERE installed_version IS NOT NULL"
    return rows_of(
        ctx,
        database,
        f"SELECT name, installed_version, default_version, comment FROM pg_available_extensions{where} ORDER BY name",
    )


@app.get("/mcp/roles", tool="list_roles")
def list_roles(ctx: Ctx) -> list[dict[str, Any]]:
    """Lists the server's roles: whether each may log in, is a superuser, may create roles and databases, and what it is a member of."""
    return rows_of(ctx, "", """
        SELECT r.rolname AS name, r.rolcanlogin AS login, r.rolsuper AS superuser, r.rolcreaterole AS create_role,
               r.rolcreatedb AS create_db, r.rolbypassrls AS bypass_rls,
               ARRAY(SELECT g.rolname::text FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid
                     WHERE m.member = r.oid ORDER BY 1) AS member_of
        FROM pg_roles r ORDER BY r.rolname""")  # fmt: skip


@app.get("/mcp/indexes", tool="list_indexes")
def list_indexes(
    ctx: Ctx, table_name: Name, schema_name: Schema = MISSING, database: Base = MISSING
) -> list[dict[str, Any]]:
    """Lists a table's indexes with their definitions, whether each is unique or the primary key, and its size.

    table_name: Table name.
    schema_name: Schema name; public by default.
    database: The database; without it the one the server is connected to.
    """
    return rows_of(ctx, database, """
        SELECT i.relname AS name, x.indisunique AS "unique", x.indisprimary AS "primary", pg_get_indexdef(i.oid) AS definition
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
             JOIN pg_namespace n ON n.oid = t.relnamespace
        WHERE t.relname = $1 AND n.nspname = $2 ORDER BY 1""", table_name, _schema(schema_name))  # fmt: skip


@app.get("/mcp/foreign_keys", tool="list_foreign_keys")
def list_foreign_keys(
    ctx: Ctx,
    schema_name: Schema = MISSING,
    table_name: Annotated[str | MISSING, Field(max_length=63)] = MISSING,
    database: Base = MISSING,
) -> list[dict[str, Any]]:
    """Lists foreign keys of a schema: which table refers to which, and what happens on delete and update.

    schema_name: Schema name; public by default.
    table_name: Only those from or to this table.
    database: The database; without it the one the server is connected to.
    """
    return rows_of(ctx, database, """
        SELECT c.conname AS name, t.relname AS "table", p.relname AS references, pg_get_constraintdef(c.oid) AS definition
        FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class p ON p.oid = c.confrelid
             JOIN pg_namespace n ON n.oid = t.relnamespace
        WHERE c.contype = 'f' AND n.nspname = $1 AND ($2::text IS NULL OR $2 IN (t.relname, p.relname)) ORDER BY 2, 1""",
        _schema(schema_name), table_name if isinstance(table_name, str) else None)  # fmt: skip


@app.get("/mcp/sequences", tool="list_sequences")
def list_sequences(ctx: Ctx, schema_name: Schema = MISSING, database: Base = MISSING) -> list[dict[str, Any]]:
    """Lists sequences with their last value, bounds and step.

    schema_name: Schema name; public by default.
    database: The database; without it the one the server is connected to.
    """
    return rows_of(
        ctx,
        database,
        "SELECT sequencename AS name, data_type, last_value, start_value, increment_by, max_value, cycle FROM pg_sequences WHERE"
        " schemaname = $1 ORDER BY 1",
        _schema(schema_name),
    )


@app.get("/mcp/policies", tool="list_policies")
def list_policies(ctx: Ctx, schema_name: Schema = MISSING, database: Base = MISSING) -> list[dict[str, Any]]:
    """Lists row-level security policies, and on which tables row security is on.

    schema_name: Schema name; public by default.
    database: The database; without it the one the server is connected to.
    """
    return rows_of(ctx, database, """
        SELECT t.tablename AS "table", t.rowsecurity AS row_security, p.policyname AS policy, p.permissive, p.roles,
               p.cmd AS command, p.qual AS using, p.with_check
        FROM pg_tables t LEFT JOIN pg_policies p ON p.schemaname = t.schemaname AND p.tablename = t.tablename
        WHERE t.schemaname = $1 AND (t.rowsecurity OR p.policyname IS NOT NULL) ORDER BY 1, 3""", _schema(schema_name))  # fmt: skip


@app.get("/mcp/privileges", tool="list_privileges")
def list_privileges(
    ctx: Ctx, table_name: Name, schema_name: Schema = MISSING, database: Base = MISSING
) -> list[dict[str, Any]]:
    """Lists who may do what with a table or view.

    table_name: Table or view name.
    schema_name: Schema name; public by default.
    database: The database; without it the one the server is connected to.
    """
    return rows_of(ctx, database, "SELECT grantee, string_agg(privilege_type, ', ' ORDER BY privilege_type) AS privileges,"
                                  " bool_or(is_grantable = 'YES') AS grantable FROM information_schema.table_privileges"
                                  " WHERE table_schema = $1 AND table_name = $2 GROUP BY grantee ORDER BY grantee", _schema(schema_name),
                                  table_name)  # fmt: skip


@app.get("/mcp/settings", tool="list_settings")
def list_settings(
    ctx: Ctx, pattern: Annotated[str, Field(max_length=63)] | MISSING = MISSING, database: Base = MISSING
) -> list[dict[str, Any]]:
    """Lists server settings and their values in this session.

    pattern: Only settings whose name contains this text.
    database: The database; without it the one the server is connected to.
    """
    return rows_of(
        ctx,
        database,
        "SELECT name, setting FROM pg_settings WHERE $1::text IS NULL OR strpos(name, lower($1)) > 0 ORDER BY name",
        pattern if isinstance(pattern, str) else None,
    )
