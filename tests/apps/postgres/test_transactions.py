"""PostgreSQL through its tools: against the real server; errors; what a diff shows; transactions; rights."""

import json
from typing import Any

import pytest

from legoenv_mcp.kernel.episode import LiveApp
from tests.apps.postgres.support import RECORDED, fresh, post, refused, rows, run


def raw_sql(live: LiveApp, sql: str) -> dict[str, Any]:
    """A statement's outcome as the recording has it."""
    headers = {"neon-raw-text-output": "true", "neon-array-mode": "true"}
    reply = post(live, {"query": sql}, **headers)
    if reply.error:
        kept = ("code", "message", "detail", "hint", "schema", "table", "column", "constraint", "position")
        return {"error": {name: reply.body[name] for name in kept if reply.body[name]}}
    return reply.body


@pytest.mark.parametrize("recorded", RECORDED, ids=["first", "second", "third"])
def test_every_recorded_statement_is_answered_as_the_real_server_did(recorded: list[dict[str, Any]]) -> None:
    """The MCP connection lasts, as the recorded one did; what it cannot show (oids, text) comes from the columns it names."""
    live = fresh()
    different = list[str]()
    for wanted in recorded:
        reply = live.call("execute_sql", {"sql": wanted["sql"], "max_rows": 2000})
        if reply.error:
            kept = ("code", "message", "detail", "hint", "schema", "table", "column", "constraint", "position")
            if {"error": {k: reply.body[k] for k in kept if reply.body[k]}} != {"error": wanted.get("error")}:
                different.append(f"{wanted['sql']}\n  wanted {wanted}\n  got {reply.shown}")
            continue
        body = reply.body
        if "error" in wanted or body["command"] != wanted["tag"]:
            different.append(f"{wanted['sql']}\n  wanted {wanted}\n  got {body}")
        elif "rows" in wanted and body["rows"] != seen(wanted):
            different.append(f"{wanted['sql']}\n  wanted {seen(wanted)}\n  got {body['rows']}")
    assert len(recorded) > 160
    assert not different, "\n".join(different[:10])


_ARRAYS = {1005: 21, 1007: 23, 1016: 20, 1009: 25, 1015: 1043, 1231: 1700, 1021: 700, 1022: 701}


def seen(wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """Recorded rows as a tool shows them: JSON where JSON has the type, text for the rest."""
    return [
        {n: shown(t, v) for n, t, v in zip(wanted["columns"], wanted["types"], row, strict=True)}
        for row in wanted["rows"]
    ]


def shown(oid: int, text: str | None) -> Any:
    if text is None or oid not in (16, 20, 21, 23, 26, 700, 701, 114, 3802, *_ARRAYS):
        return text
    if oid == 16:
        return text == "t"
    if oid in (700, 701):
        return float(text)
    if oid in _ARRAYS:
        items = json.loads(text.replace("{", "[").replace("}", "]")) if _ARRAYS[oid] in (20, 21, 23) else words(text)
        return [None if i is None or i == "NULL" else i for i in items]
    return json.loads(text)


def words(text: str) -> list[str | None]:
    made = json.loads(
        "[" + ",".join(w if w.startswith('"') else json.dumps(w) for w in text[1:-1].split(",") if w) + "]"
    )
    return list(made)


@pytest.mark.parametrize("recorded", RECORDED, ids=["first", "second", "third"])
def test_types_and_text_are_the_real_servers(recorded: list[dict[str, Any]]) -> None:
    """Queries through the HTTP face, which names type oids and sends values as text, among the tables as they were then."""
    live, plain, compared = fresh(), True, 0
    for wanted in recorded:
        sql = wanted["sql"]
        if plain and "rows" in wanted and sql.startswith(("SELECT", "WITH RECURSIVE", "VALUES")) and "val(" not in sql:
            body = raw_sql(live, sql)
            assert "error" not in body, body
            assert [f["name"] for f in body["fields"]] == wanted["columns"], sql
            types = [0 if f["dataTypeID"] in (2249, 3500) else f["dataTypeID"] for f in body["fields"]]
            assert types == wanted["types"], sql
            assert body["rows"] == wanted["rows"], sql
            compared += 1
        run_any(live, sql)
        # What a session has open or set is its own: the HTTP face is another session.
        tag = wanted.get("tag", "")
        ended = tag in ("ROLLBACK", "COMMIT", "RESET") and not sql.startswith("ROLLBACK TO")
        plain = ended or (plain and tag not in ("BEGIN", "SET"))
    assert compared > 60


def run_any(live: LiveApp, sql: str) -> Any:
    return live.call("execute_sql", {"sql": sql})


def test_an_error_is_printed_as_psycopg_prints_it() -> None:
    live = fresh("quaymark")
    reply = live.call("execute_sql", {"sql": "SELECT slug,\n       nam FROM tenants"})
    assert reply.error
    assert reply.shown == (
        'Error: column "nam" does not exist\nLINE 2:        nam FROM tenants\n               ^\n'
        'HINT:  Perhaps you meant to reference the column "tenants.name".\nSQLSTATE:  42703'
    )
    shown = live.call("execute_sql", {"sql": "INSERT INTO tenants SELECT * FROM tenants LIMIT 1"}).shown or ""
    assert shown.startswith('Error: duplicate key value violates unique constraint "tenants_pkey"\nDETAIL:  Key (')
    assert shown.endswith(
        "SCHEMA NAME:  public\nTABLE NAME:  tenants\nCONSTRAINT NAME:  tenants_pkey\nSQLSTATE:  23505"
    )


def test_a_long_line_is_cut_as_libpq_cuts_it() -> None:
    live = fresh()
    text = "SELECT 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, nosuch, 20, 21, 22, 23, 24, 25"
    lines = (live.call("execute_sql", {"sql": text}).shown or "").split("\n")
    assert lines[1] == "LINE 1: ... 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, nosuch, 20..."
    assert lines[2].index("^") == lines[1].index("nosuch")


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE FUNCTION"),
        ("CREATE TRIGGER t BEFORE INSERT ON x EXECUTE FUNCTION f()", "CREATE TRIGGER"),
        ("MERGE INTO a USING b ON true WHEN MATCHED THEN DO NOTHING", "MERGE"),
        ("COPY a FROM STDIN", "COPY"),
        ("DO $$ BEGIN END $$", "DO"),
        ("LISTEN x", "LISTEN"),
        ("CREATE TABLE t (a int) PARTITION BY RANGE (a)", "CREATE TABLE with PARTITION"),
        ("CREATE DOMAIN d AS int", "CREATE DOMAIN"),
        ("DROP FUNCTION f", "DROP FUNCTION"),
        ("CREATE EXTENSION pg_trgm", "extension pg_trgm"),
    ],
)
def test_what_is_not_modelled_says_so(sql: str, what: str) -> None:
    body = refused(fresh(), sql)
    assert (body["code"], body["message"]) == ("0A000", f"{what} is not supported")


def test_runaway_queries_are_cancelled() -> None:
    live = fresh()
    for sql in (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
        "SELECT count(*) FROM generate_series(1, 3000) a, generate_series(1, 3000) b",
        "SELECT * FROM generate_series(1, 100000000)",
        "SELECT pg_sleep(100000)",
    ):
        assert refused(live, sql)["code"] == "57014"
    assert refused(live, "SELECT repeat('x', 1000) ~ '(x+x+)+y'")["code"] == "2201B"
    assert refused(live, "SELECT " + "(" * 3000 + "1" + ")" * 3000)["code"] == "54001"
    assert refused(live, "SELECT " + " + ".join(["1"] * 20000))["code"] == "54001"
    assert live.changes() == []


def test_an_update_of_one_row_changes_exactly_that_row() -> None:
    live = fresh("quaymark")
    slug = rows(live, "SELECT slug FROM tenants ORDER BY slug LIMIT 1")[0][0]
    assert run(live, f"UPDATE tenants SET status = 'closed' WHERE slug = '{slug}'")["command"] == "UPDATE 1"
    (change,) = live.changes()
    assert (change.table, change.kind, change.columns) == ("record", "update", ("cells",))
    assert change.before is not None
    assert change.after is not None
    assert {k for k, v in change.after["cells"].items() if v != change.before["cells"][k]} == {"status"}
    assert change.after["cells"]["slug"] == slug
    run(live, f"UPDATE tenants SET status = '{change.before['cells']['status']}' WHERE slug = '{slug}'")
    assert live.changes() == []


def test_selecting_changes_nothing_and_moves_no_clock() -> None:
    live = fresh("quaymark")
    before = rows(live, "SELECT now()")
    run(live, "SELECT count(*) FROM users; SELECT 1")
    assert rows(live, "SELECT now()") == before
    assert live.write_count == 0
    assert live.changes() == []


def test_a_new_column_with_a_default_touches_no_row() -> None:
    live = fresh("quaymark")
    run(live, "ALTER TABLE tenants ADD COLUMN tier text NOT NULL DEFAULT 'basic'")
    assert {c.table for c in live.changes()} == {"relation"}
    assert rows(live, "SELECT DISTINCT tier FROM tenants") == [("basic",)]
    run(live, "ALTER TABLE tenants DROP COLUMN tier")
    assert refused(live, "SELECT tier FROM tenants")["code"] == "42703"


def test_an_open_transaction_is_seen_by_nobody_until_it_commits() -> None:
    live = fresh()
    run(live, "CREATE TABLE t (id serial PRIMARY KEY, v text)")
    settled = len(live.changes())
    assert live.call("begin_transaction", {}).body["status"] == "in transaction"
    run(live, "INSERT INTO t (v) VALUES ('a')")
    assert rows(live, "SELECT v FROM t") == [("a",)]
    assert len(live.changes()) == settled
    assert post(live, {"query": "SELECT * FROM t"}).body["rows"] == []
    assert live.call("get_transaction_status", {}).body["status"] == "in transaction"
    assert live.call("commit_transaction", {}).body == {"command": "COMMIT", "status": "idle"}
    assert len(live.changes()) == settled + 1
    assert post(live, {"query": "SELECT v FROM t"}).body["rows"] == [{"v": "a"}]


def test_a_failed_statement_aborts_the_transaction_until_it_is_rolled_back() -> None:
    live = fresh()
    run(live, "CREATE TABLE t (id int PRIMARY KEY)")
    settled = live.changes()
    run(live, "BEGIN; INSERT INTO t VALUES (1)")
    assert refused(live, "INSERT INTO t VALUES (1)")["code"] == "23505"
    for sql in ("SELECT 1", "INSERT INTO t VALUES (2)", "BEGIN", "SAVEPOINT a"):
        body = refused(live, sql)
        assert body["code"] == "25P02"
        assert body["message"] == "current transaction is aborted, commands ignored until end of transaction block"
    assert live.call("get_transaction_status", {}).body["status"] == "in failed transaction"
    ended = live.call("commit_transaction", {}).body
    assert (ended["command"], ended["status"]) == ("ROLLBACK", "idle")
    assert rows(live, "SELECT * FROM t") == []
    assert live.changes() == settled


def test_savepoints_over_several_calls() -> None:
    live = fresh()
    run(live, "CREATE TABLE t (id int PRIMARY KEY)")
    live.call("begin_transaction", {})
    run(live, "INSERT INTO t VALUES (1)")
    assert live.call("create_savepoint", {"name": "One"}).body["command"] == "SAVEPOINT"
    run(live, "INSERT INTO t VALUES (2)")
    refused(live, "INSERT INTO t VALUES (2)")
    assert live.call("rollback_transaction", {"to_savepoint": "One"}).body["status"] == "in transaction"
    assert rows(live, "SELECT id FROM t") == [(1,)]
    run(live, "INSERT INTO t VALUES (3)")
    live.call("commit_transaction", {})
    assert rows(live, "SELECT id FROM t ORDER BY id") == [(1,), (3,)]
    assert live.call("create_savepoint", {"name": "x"}).body["code"] == "25P01"


def test_a_read_only_transaction_writes_nothing() -> None:
    live = fresh("quaymark")
    assert live.call("begin_transaction", {"read_only": True}).body["status"] == "in transaction"
    body = refused(live, "DELETE FROM api_keys")
    assert (body["code"], body["message"]) == ("25006", "cannot execute DELETE in a read-only transaction")
    assert live.call("rollback_transaction", {}).body["status"] == "idle"
    assert refused(live, "BEGIN READ ONLY; CREATE TABLE x (a int)")["code"] == "25006"
    live.call("rollback_transaction", {})
    assert live.changes() == []


def test_a_text_of_statements_happens_wholly_or_not_at_all() -> None:
    live = fresh()
    made = run(live, "CREATE TABLE a (x int); INSERT INTO a VALUES (1), (2); SELECT count(*) FROM a")
    assert made["commands"] == ["CREATE TABLE", "INSERT 0 2", "SELECT 1"]
    before = live.changes()
    assert refused(live, "INSERT INTO a VALUES (3); SELECT 1/0")["code"] == "22012"
    assert rows(live, "SELECT count(*) FROM a") == [(2,)]
    assert live.changes() == before
    assert refused(live, "BEGIN; INSERT INTO a VALUES (3); COMMIT; SELECT nosuch")["code"] == "42703"
    assert rows(live, "SELECT count(*) FROM a") == [(3,)]
    assert live.call("begin_transaction", {}).body["command"] == "BEGIN"
    assert live.call("begin_transaction", {}).body["notices"] == ["there is already a transaction in progress"]


def test_deferred_keys_are_checked_at_commit() -> None:
    live = fresh()
    run(live, "CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (p int REFERENCES p DEFERRABLE INITIALLY DEFERRED)")
    run(live, "BEGIN; INSERT INTO c VALUES (1); INSERT INTO p VALUES (1); COMMIT")
    run(live, "BEGIN; INSERT INTO c VALUES (2)")
    assert refused(live, "COMMIT")["code"] == "23503"
    assert rows(live, "SELECT * FROM c") == [(1,)]
    assert refused(live, "INSERT INTO c VALUES (9)")["code"] == "23503"


def test_a_sequence_keeps_what_a_failed_insert_drew() -> None:
    live = fresh()
    run(live, "CREATE TABLE t (id serial PRIMARY KEY, v text UNIQUE); INSERT INTO t (v) VALUES ('a')")
    before = [(c.table, c.key) for c in live.changes()]
    refused(live, "INSERT INTO t (v) VALUES ('a')")
    assert [(c.table, c.key) for c in live.changes()] == before
    assert run(live, "INSERT INTO t (v) VALUES ('b') RETURNING id")["rows"] == [{"id": 3}]
    run(live, "BEGIN; INSERT INTO t (v) VALUES ('c'); ROLLBACK")
    assert run(live, "INSERT INTO t (v) VALUES ('c') RETURNING id")["rows"] == [{"id": 5}]


def test_row_level_security_hides_rows_without_an_error() -> None:
    live = fresh("quaymark")
    run(live, "CREATE ROLE auditor LOGIN; GRANT SELECT, UPDATE, INSERT ON tenants TO auditor")
    run(live, "ALTER TABLE tenants ENABLE ROW LEVEL SECURITY")
    total = rows(live, "SELECT count(*) FROM tenants")[0][0]
    assert total > 1
    run(live, "SET ROLE auditor")
    assert rows(live, "SELECT count(*) FROM tenants") == [(0,)]
    run(live, "RESET ROLE; CREATE POLICY active ON tenants TO auditor USING (status = 'active')")
    run(live, "SET ROLE auditor")
    seen = rows(live, "SELECT count(*) FROM tenants")[0][0]
    assert 0 < seen < total
    assert run(live, "UPDATE tenants SET name = name")["command"] == f"UPDATE {seen}"
    body = refused(live, "UPDATE tenants SET status = 'closed'")
    assert (body["code"], body["message"]) == (
        "42501",
        'new row violates row-level security policy for table "tenants"',
    )
    assert refused(live, "SELECT * FROM users")["message"] == "permission denied for table users"
    assert refused(live, "DELETE FROM tenants")["code"] == "42501"
    assert refused(live, "DROP TABLE tenants")["message"] == "must be owner of table tenants"
    assert refused(live, "CREATE ROLE other")["code"] == "42501"
    run(live, "RESET ROLE")
    listed = live.call("list_policies", {}).body
    assert [p["policy"] for p in listed if p["table"] == "tenants"] == ["active"]
    assert "auditor" in {p["grantee"] for p in live.call("list_privileges", {"table_name": "tenants"}).body}
    connection = "postgres://auditor:x@host/app"
    reply = post(live, {"query": "SELECT count(*)::int AS n FROM tenants"}, **{"neon-connection-string": connection})
    assert reply.body["rows"] == [{"n": seen}]
