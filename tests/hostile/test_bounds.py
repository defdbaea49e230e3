"""Searches and queries that would not end are ended: by what the product itself bounds, and at last by the processor time that a call
gets. What was broken off has left nothing behind, and others are served."""

import gc
import re
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from legoenv_mcp import templates
from legoenv_mcp.kernel import bounds
from legoenv_mcp.kernel.episode import Episode

SERIES = "generate_series(1, 100000)"
ENDLESS = [
    f"SELECT count(*) FROM {SERIES} a, {SERIES} b",
    "SELECT * FROM generate_series(1, 10000000000)",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t, generate_series(1, 10)) SELECT count(*) FROM t",
    "SELECT count(*) FROM " + ", ".join(f"information_schema.columns {name}" for name in "abcd"),
    f"EXPLAIN ANALYZE SELECT count(*) FROM {SERIES} a, {SERIES} b",
    "SELECT repeat('a', 30) || '!' ~ '^(a|a)*$'",
    "SELECT repeat('a', 100) || '!' ~ '^(a|aa)+$'",
    "SELECT regexp_replace(repeat('a', 50000), 'a*a*a*c', 'x', 'g')",
    "SELECT repeat('a', 50000) SIMILAR TO '%a%a%a%a%b'",
]  # fmt: skip
BOUNDLESS = [
    "SELECT repeat('a', 1000000000)",
    "SELECT lpad('a', 1000000000, 'b')",
    f"SELECT string_agg(repeat('a', 100000), '') FROM {SERIES}",
    f"SELECT repeat('a', 100000) FROM {SERIES}",
    "SELECT json_agg(x) FROM (SELECT repeat('a', 1000000) x) t, generate_series(1, 1000)",
    "SELECT x FROM (SELECT repeat('a', 1000000) x) t, generate_series(1, 1000)",
    "SELECT array_fill(1, ARRAY[100000, 100000])",
    "SELECT 10::numeric ^ 100000",
    "SELECT exp(99999::numeric)",
    "SELECT repeat('9', 16000)::numeric ^ 0.5",
    "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    "SELECT " + "NOT " * 5000 + "true",
    "SELECT 1" + " UNION SELECT 1" * 3000,
    "SELECT (repeat('[', 100000))::json",
]


def episode(slug: str) -> Episode:
    return Episode(lambda name: templates.template(name, templates.DEFAULT_WORLD), (slug,), "bounds")


@pytest.fixture
def short() -> Iterator[None]:
    bounds.bound_calls(0.2)
    yield
    bounds.bound_calls(0)


def query(live: Episode, sql: str) -> Any:
    return live.call("postgres", "execute_sql", {"sql": sql})


@pytest.mark.parametrize("sql", ENDLESS)
def test_a_query_that_would_not_end_is_cancelled_as_the_server_cancels(short: None, sql: str) -> None:
    live = episode("postgres")
    reply = query(live, sql)
    assert (reply.status, reply.body["code"], reply.body["message"]) == (
        400,
        "57014",
        "canceling statement due to statement timeout",
    )
    assert query(live, "SELECT 1 AS one").body["rows"] == [{"one": 1}]


@pytest.mark.parametrize("sql", BOUNDLESS)
def test_a_query_that_would_fill_the_memory_is_refused(short: None, sql: str) -> None:
    live = episode("postgres")
    reply = query(live, sql)
    assert reply.status == 400
    assert reply.body["code"] in ("54000", "54001", "57014", "2202E", "22003", "22P02"), reply.body
    assert query(live, "SELECT 1 AS one").body["rows"] == [{"one": 1}]


def test_what_clears_objects_away_is_not_broken_off(short: None) -> None:
    """Nobody would hear of it: such an exception is printed and forgotten (and fails this test as a warning)."""

    def slow(_phase: str, _info: dict[str, int]) -> None:
        for _ in range(20_000):
            pass

    before = gc.get_threshold()
    gc.callbacks.append(slow)
    gc.set_threshold(2000, 10, 10)
    try:
        assert query(episode("postgres"), ENDLESS[0]).body["code"] == "57014"
    finally:
        gc.callbacks.remove(slow)
        gc.set_threshold(*before)


def test_what_is_broken_off_leaves_nothing_behind(short: None) -> None:
    live = episode("postgres")
    assert query(live, "CREATE TABLE kept (n int)").status == 200
    before = query(live, "SELECT count(*) AS n FROM kept").body["rows"]
    writes = live.app("postgres").write_count
    reply = query(live, "INSERT INTO kept SELECT 1; SELECT repeat('a', 30) || '!' ~ '^(a|a)*$'")
    assert reply.body["code"] == "57014"
    assert query(live, "SELECT count(*) AS n FROM kept").body["rows"] == before
    assert live.app("postgres").write_count == writes
    assert query(live, "INSERT INTO kept VALUES (1)").status == 200


def test_time_that_a_call_does_not_use_is_not_taken_from_the_next(short: None) -> None:
    live = episode("postgres")
    for _ in range(200):
        assert query(live, "SELECT count(*) FROM generate_series(1, 2000)").status == 200


def test_a_call_of_another_thread_breaks_nothing_off(short: None) -> None:
    """Templates are filled in threads: what takes long there is not taken out on whom the main thread serves."""
    answers = list[Any]()
    slow = "SELECT count(*) FROM generate_series(1, 500000) a WHERE a::text LIKE '%7%7%7%7%7%'"
    other = threading.Thread(target=lambda: answers.append(query(episode("postgres"), slow).status))
    other.start()
    while other.is_alive():
        assert query(episode("postgres"), "SELECT 1").status == 200
    assert answers == [200]


def test_a_gateway_goes_on_after_a_call_that_would_not_end(start_gateway: Any) -> None:
    gateway = start_gateway("--call-limit", "0.3")
    slow, other = gateway.episode(["postgres"]), gateway.episode(["notes"], world="empty")
    sql = {"sql": "SELECT repeat('a', 30) || '!' ~ '^(a|a)*$'"}
    refused = httpx.post(f"{slow.rest('postgres')}/mcp/execute_sql", json=sql)
    assert refused.status_code == 400
    assert refused.json()["code"] == "57014"
    assert httpx.get(f"{other.rest('notes')}/notes").status_code == 200
    assert "postgres.execute_sql took too long" in gateway.read_log()
    assert "Traceback" not in gateway.read_log()


# Wildcards on a text that fits them almost


STARS = "a*" * 30 + "b"


@pytest.fixture
def generous() -> Iterator[None]:
    """No one waits for this: it is there for what does not end at all."""
    bounds.bound_calls(20)
    yield
    bounds.bound_calls(0)


def test_wildcards_of_jql(generous: None) -> None:
    live = episode("jira")
    project = live.call("jira", "search_projects", {}).body["values"][0]["key"]
    made = live.call("jira", "create_issue", {"project_key": project, "summary": "a" * 200, "issue_type": "Task"})
    assert made.status == 201, made.body
    found = live.call("jira", "search", {"jql": f'summary ~ "{STARS}"'})
    assert (found.status, found.body["issues"]) == (200, [])


def test_wildcards_of_quickbooks(generous: None) -> None:
    live = episode("quickbooks")
    assert live.call("quickbooks", "create_customer", {"DisplayName": "a" * 100}).status == 200
    pattern = STARS.replace("*", "%")
    found = live.call("quickbooks", "query", {"query": f"select * from Customer where DisplayName like '{pattern}'"})
    assert (found.status, "Customer" in found.body["QueryResponse"]) == (200, False)


def test_wildcards_of_file_names(generous: None) -> None:
    live = episode("filesystem")
    root = re.search(r"/\w+", live.call("filesystem", "list_allowed_directories", {}).text())
    assert root is not None
    name = "a" * 100
    assert live.call("filesystem", "write_file", {"path": f"{root[0]}/{name}", "content": "x"}).status == 200
    stars, brackets = "*a" * 40 + "*b", "!(" * 40 + ")" * 40
    for pattern in (
        stars,
        brackets,
        "**/" * 40 + "*b",
        "+(a|aa)" * 5 + "b",
        "*(*(*(*(a))))b",
        "{a,b}" * 30,
        "[a-z]*" * 40 + "b",
    ):
        found = live.call("filesystem", "search_files", {"path": root[0], "pattern": pattern})
        assert found.status < 500, (pattern, found.body)
        assert name not in found.text() or pattern == brackets, pattern
