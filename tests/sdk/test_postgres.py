"""Neon's serverless driver for JavaScript, unmodified but for its endpoint, against the PostgreSQL app over real HTTP."""

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from conftest import Gateway, Node

pytestmark = [pytest.mark.sdk, pytest.mark.node]


@pytest.fixture(scope="module")
def found(node: "Node", gateway: "Gateway") -> Any:
    done = node.run("neon.mjs", gateway.episode(["postgres"]).rest("postgres"))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_values_come_back_in_the_drivers_types(found: Any) -> None:
    assert found["one"] == [
        {"one": 1, "text": "x", "yes": True, "exact": "1.50", "doc": {"a": [1]}, "list": [1, 2], "nothing": None}
    ]
    assert found["query"] == [{"sum": 42, "words": ["a", "b c"]}]
    assert found["date"] == "2026-03-02T07:00:00.000Z"


def test_writes_with_parameters(found: Any) -> None:
    assert found["created"] == []
    assert found["inserted"] == [{"id": 1, "body": "Neon 'quoted'", "n": "9007199254740993"}]
    assert found["updated"] == [{"body": "Neon 'quoted'!"}]
    assert found["deleted"]["command"] == "DELETE"
    assert found["deleted"]["rowCount"] == 1


def test_full_results_carry_the_fields(found: Any) -> None:
    full = found["full"]
    assert (full["command"], full["rowCount"], full["rows"]) == ("SELECT", 1, [[1, "Neon 'quoted'!"]])
    assert [(f["name"], f["dataTypeID"], f["dataTypeSize"], f["format"]) for f in full["fields"]] == [
        ("id", 23, 4, "text"),
        ("body", 25, -1, "text"),
    ]
    assert [f["columnID"] for f in full["fields"]] == [1, 2]
    assert full["viaNeonFetch"] is True


def test_keys_lead_through_every_row_once(found: Any) -> None:
    pages = found["pages"]
    walked = [slug for page in pages for slug in page]
    assert len(pages) > 2
    assert len(walked) == len(set(walked)) == found["total"]


def test_a_batch_is_one_transaction(found: Any) -> None:
    assert found["batch"] == [[], [{"n": 2}]]
    assert found["batchRefused"]["code"] == "23505"
    assert [row["body"] for row in found["afterRefused"]] == ["Neon 'quoted'!", "two"]
    assert found["readOnly"]["code"] == "25006"
    assert found["readOnly"]["message"] == "cannot execute DELETE in a read-only transaction"


def test_errors_are_the_drivers_own_with_every_field(found: Any) -> None:
    duplicate = found["duplicate"]
    assert duplicate["driver"] is True
    assert duplicate["name"] == "NeonDbError"
    assert duplicate["code"] == "23505"
    assert duplicate["message"] == 'duplicate key value violates unique constraint "notes_body_key"'
    assert duplicate["detail"] == "Key (body)=(two) already exists."
    assert (duplicate["constraint"], duplicate["table"], duplicate["severity"]) == ("notes_body_key", "notes", "ERROR")
    assert (found["syntax"]["code"], found["syntax"]["position"]) == ("42601", "1")
    assert found["missing"]["message"] == 'relation "nosuch" does not exist'
    assert found["stranger"]["message"] == "password authentication failed for user 'nobody'"
    assert found["noDatabase"]["code"] == "3D000"


def test_the_endpoint_as_any_http_client_sees_it(gateway: "Gateway") -> None:
    rest = gateway.episode(["postgres"]).rest("postgres")
    reply = httpx.post(f"{rest}/sql", json={"query": "SELECT $1::int AS n, 2.5 AS x, 9::int8 AS big", "params": [7]})
    body = reply.raise_for_status().json()
    assert (body["command"], body["rowCount"], body["rowAsArray"]) == ("SELECT", 1, False)
    assert body["rows"] == [{"n": 7, "x": "2.5", "big": "9"}]
    listed = httpx.post(f"{rest}/sql", json={"query": "SELECT 1, true"}, headers={"Neon-Array-Mode": "true"}).json()
    assert listed["rows"] == [[1, True]]
    for content in ('{"query": 5}', "[1]", "{", "{}", '{"query": "SELECT 1", "params": 3}', '{"queries": 1}'):
        refused = httpx.post(f"{rest}/sql", content=content)
        assert refused.status_code == 400
        assert refused.json()["message"].startswith("could not parse the HTTP request body")
    several = httpx.post(f"{rest}/sql", json={"query": "CREATE TABLE a (x int); CREATE TABLE b (x int)"})
    assert several.status_code == 400
    assert several.json()["code"] == "42601"
    assert httpx.post(f"{rest}/sql", json={"query": "SELECT * FROM a"}).json()["code"] == "42P01"
    assert httpx.post(f"{rest}/nosuch", json={}).status_code == 404
