"""PostgreSQL through its tools: the tools that look; what must hold whatever the values."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.postgres.support import fresh, post, refused, rows, run


def test_databases_are_apart() -> None:
    live = fresh("quaymark")
    names = {d["name"]: d["connected"] for d in live.call("list_databases", {}).body}
    assert names["app"] is True
    assert {"analytics", "support_metrics", "postgres"} <= names.keys()
    assert rows(live, "SELECT current_database()") == [("app",)]
    assert rows(live, "SELECT count(*) > 0 FROM shipments", database="analytics") == [(True,)]
    assert refused(live, "SELECT * FROM shipments")["code"] == "42P01"
    assert refused(live, "SELECT 1", database="nosuch")["code"] == "3D000"
    assert refused(live, "SELECT * FROM analytics.public.shipments")["code"] == "0A000"
    run(live, "CREATE DATABASE fresh")
    run(live, "CREATE TABLE t (a int); INSERT INTO t VALUES (1)", database="fresh")
    assert rows(live, "SELECT * FROM t", database="fresh") == [(1,)]
    assert refused(live, "CREATE DATABASE fresh")["code"] == "42P04"


def test_a_new_database_moves_no_connection_and_is_dropped_with_all_it_holds() -> None:
    live = fresh()
    assert rows(live, "SELECT current_database()") == [("postgres",)]
    run(live, "CREATE DATABASE reports")
    assert rows(live, "SELECT current_database()") == [("postgres",)]
    run(
        live,
        "CREATE TABLE t (id int PRIMARY KEY, kind text DEFAULT 'a'); INSERT INTO t VALUES (1), (2)",
        database="reports",
    )
    assert (
        refused(live, "DROP DATABASE reports", database="reports")["message"]
        == "cannot drop the currently open database"
    )
    assert refused(live, "DROP DATABASE postgres", database="reports")["code"] == "55006"
    assert refused(live, "DROP DATABASE nosuch")["code"] == "3D000"
    run(live, "DROP DATABASE reports")
    assert live.changes() == []
    world = fresh("quaymark")
    assert rows(world, "SELECT current_database()") == [("app",)]
    assert refused(world, "DROP DATABASE app", database="postgres")["code"] == "55006"


def test_objects_and_their_details() -> None:
    live = fresh("quaymark")
    assert "public" in [s["schema_name"] for s in live.call("list_schemas", {}).body]
    assert "tenants" in [t["name"] for t in live.call("list_objects", {"schema_name": "public"}).body]
    details = live.call("get_object_details", {"schema_name": "public", "object_name": "users"}).body
    assert details["basic"] == {"schema": "public", "name": "users", "type": "table"}
    assert {"PRIMARY KEY", "FOREIGN KEY"} <= {c["type"] for c in details["constraints"]}
    assert any(i["name"] == "users_pkey" for i in details["indexes"])
    assert details["comment"]
    missing = live.call("get_object_details", {"schema_name": "public", "object_name": "nosuch"})
    assert (missing.status, missing.shown) == (404, "Error: table public.nosuch does not exist")
    run(live, "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE VIEW v AS SELECT slug FROM tenants; CREATE SEQUENCE s")
    for kind, name in (("view", "v"), ("type", "mood"), ("sequence", "s"), ("index", "users_pkey")):
        listed = live.call("list_objects", {"schema_name": "public", "object_type": kind}).body
        assert name in [o["name"] for o in listed]
    view = live.call("get_object_details", {"schema_name": "public", "object_name": "v", "object_type": "view"}).body
    assert view["definition"] == " SELECT slug FROM tenants;"
    assert "plpgsql" in [e["name"] for e in live.call("list_extensions", {}).body]
    assert len(live.call("list_extensions", {"available": True}).body) > 10
    assert {"postgres", "maya_chen"} & {r["name"] for r in live.call("list_roles", {}).body}
    assert live.call("list_foreign_keys", {"table_name": "tenants"}).body
    assert live.call("list_indexes", {"table_name": "tenants"}).body[0]["unique"] is True
    assert "s" in [s["name"] for s in live.call("list_sequences", {}).body]
    assert live.call("list_settings", {"pattern": "search"}).body == [
        {"name": "search_path", "setting": '"$user", public'}
    ]
    assert live.call("get_table_stats", {}).body[0]["rows"] > 0


def test_plans_and_advice() -> None:
    live = fresh()
    run(live, "CREATE TABLE big (id serial PRIMARY KEY, k int, v text)")
    run(live, "INSERT INTO big (k, v) SELECT i % 100, 'v' || i FROM generate_series(1, 500) i")
    before = live.changes()
    plan = live.call("explain_query", {"sql": "SELECT * FROM big WHERE k = 5 ORDER BY v LIMIT 3"}).body["plan"]
    assert [line.split("  (")[0].strip(" ->") for line in plan.split("\n") if "(cost" in line] == [
        "Limit",
        "Sort",
        "Seq Scan on big",
    ]
    better = live.call(
        "explain_query",
        {"sql": "SELECT * FROM big WHERE k = 5", "hypothetical_indexes": [{"table": "big", "columns": ["k"]}]},
    )
    assert better.body["plan"].startswith("Index Scan using <13000>btree_big_k on big")
    ran = live.call("explain_query", {"sql": "SELECT * FROM big", "analyze": True, "format": "json"}).body["plan"]
    assert ran[0]["Plan"]["Actual Rows"] == 500
    refusal = live.call("explain_query", {"sql": "DELETE FROM big", "analyze": True})
    assert refusal.body["code"] == "25006"
    advice = live.call("analyze_query_indexes", {"queries": ["SELECT * FROM big WHERE k = 3"]}).body["recommendations"]
    assert [a["index"] for a in advice] == ["CREATE INDEX ON big USING btree (k)"]
    assert "not currently installed" in live.call("get_top_queries", {}).body["message"]
    assert live.changes() == before
    run(live, "CREATE EXTENSION pg_stat_statements")
    for n in (1, 2, 3):
        run(live, f"SELECT v FROM big WHERE k = {n}")
    top = live.call("get_top_queries", {"sort_by": "total_time"}).body["queries"][0]
    assert (top["query"], top["calls"], top["rows"]) == ("SELECT v FROM big WHERE k = $1", 3, 15)
    work = live.call("analyze_workload_indexes", {}).body["recommendations"]
    assert [w["columns"] for w in work] == [["k"]]
    run(live, "CREATE INDEX big_k ON big (k)")
    assert (
        live.call("analyze_query_indexes", {"queries": ["SELECT * FROM big WHERE k = 3"]}).body["recommendations"] == []
    )
    run(live, "CREATE INDEX big_k2 ON big (k, v)")
    health = live.call("analyze_db_health", {"health_type": "index,sequence"}).body
    assert "Index 'big_k' on table 'big' is covered by index 'big_k2'" in health["index"]
    assert live.call("analyze_db_health", {"health_type": "mood"}).error


def test_long_results_are_cut_and_say_so() -> None:
    body = run(fresh(), "SELECT g FROM generate_series(1, 5000) g", max_rows=3)
    assert body == {
        "command": "SELECT 5000",
        "row_count": 5000,
        "rows": [{"g": 1}, {"g": 2}, {"g": 3}],
        "truncated": True,
    }


INTEGERS = st.one_of(st.none(), st.integers(-(2**31), 2**31 - 1))


TEXTS = st.one_of(st.none(), st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=8))


@settings(max_examples=40, deadline=None, database=None, derandomize=True)
@given(st.lists(st.tuples(INTEGERS, TEXTS), max_size=8))
def test_aggregates_order_and_groups_are_what_python_says(items: list[tuple[int | None, str | None]]) -> None:
    live = fresh()
    run(live, "CREATE TABLE t (n int, v text)")
    for n, v in items:
        reply = post(live, {"query": "INSERT INTO t VALUES ($1, $2)", "params": [n, v]})
        assert not reply.error, reply.body
    numbers = [n for n, _ in items if n is not None]
    assert rows(live, "SELECT count(*), count(n) AS numbers, sum(n), max(n) FROM t") == [
        (len(items), len(numbers), sum(numbers) if numbers else None, max(numbers, default=None))
    ]
    ordered = [r[0] for r in rows(live, "SELECT v FROM t ORDER BY v NULLS FIRST")]
    assert ordered == sorted((v for _, v in items), key=lambda v: (v is not None, v or ""))
    groups = dict(rows(live, "SELECT v, count(*) FROM t GROUP BY v"))
    assert groups == {v: [w for _, w in items].count(v) for v in {v for _, v in items}}
    assert rows(live, "SELECT count(*) FROM t a JOIN t b ON a.n = b.n") == [
        (sum(x == y for x in numbers for y in numbers),)
    ]


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9),
    st.integers(1, 9999),
)
def test_numbers_are_exact(x: Any, n: int) -> None:
    live = fresh()
    made = run(
        live,
        f"SELECT ({x:f}::numeric + {n}) - {n} AS same, ({x:f}::numeric * {n}) AS times, div({n}, 7) * 7 + {n} % 7 AS whole",
    )
    row = made["rows"][0]
    assert row["same"] == f"{x:f}"
    assert row["times"] == f"{x * n:f}"
    assert int(row["whole"]) == n
