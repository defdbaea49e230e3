"""Whatever a caller sends, what is answered can be sent: over HTTP, over MCP, in process."""

from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json, to_json

from legoenv_mcp.faces import rest
from legoenv_mcp.faces import tools as mcp_face
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx, Reply
from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.kernel.errors import ApiError
from legoenv_mcp.kernel.operations import Query
from legoenv_mcp.kernel.rows import Field, Row, registry
from legoenv_mcp.templates import empty


class Table(Row, registry=registry()): ...


class Thing(Table, table=True):
    id: int = Field(primary_key=True)
    size: int = 0


def quoting(problems: list[Any]) -> ApiError:
    """As many products do: what was sent, in the body, in a header, and as text."""
    said = f"{problems[0].name}: {problems[0].message}: {problems[0].value}"
    return ApiError(400, said, headers={"X-Error": said}, shown=said)


app = App("things", Table, invalid=quoting)


@app.get("/things/{id}", tool="get_thing")
def get_thing(ctx: Ctx, id: int, factor: Annotated[int, Query()] = 1) -> Thing:
    return ctx.require(Thing, id * factor)


@app.get("/things", tool="list_things")
def list_things(
    ctx: Ctx, below: int = 0, words: list[str] | None = None, data: dict[str, Any] | None = None
) -> dict[str, Any]:
    found = ctx.db.find(Thing, size__lt=below * 4)
    return {"count": ctx.db.count(Thing, size__gt=below * 4), "found": len(found), "words": words, "data": data}


@app.get("/digits", tool="count_digits")
def count_digits(ctx: Ctx, digits: str) -> int:
    return int(digits)


@app.get("/deep", tool="descend")
def descend(ctx: Ctx, steps: int) -> int:
    return descend(ctx, steps - 1) + 1 if steps else 0


def live() -> LiveApp:
    return empty(app, "", "2026-01-01T00:00:00Z")


def sendable(reply: Reply) -> dict[str, Any]:
    status, headers, body = rest.encode(reply)
    assert status < 500
    assert all(
        not (set(range(32)) - {9}) & set(value) and 127 not in value and len(value) <= 8192 for _, value in headers
    )
    from_json(body)
    return from_json(to_json(mcp_face.result(reply)))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(exclude_categories=())), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(
    st.sampled_from(sorted(app.operations)),
    st.dictionaries(st.sampled_from(["id", "factor", "below", "words", "data", "digits", "\ud800"]), ANYTHING),
)
def test_any_arguments_get_an_answer_that_can_be_sent(tool: str, arguments: dict[str, Any]) -> None:
    sendable(live().call(tool, arguments))


@pytest.mark.parametrize("id", [2**62, -(2**63), 2**63 - 1])
def test_ids_that_are_calculated_beyond_64_bits_are_not_found(id: int) -> None:
    assert live().call("get_thing", {"id": id, "factor": 1000}).status == 404
    listed = live().call("list_things", {"below": id})
    assert (listed.status, listed.body["count"], listed.body["found"]) == (200, 0, 0)


@pytest.mark.parametrize(
    ("tool", "arguments"), [("count_digits", {"digits": "9" * 5000}), ("descend", {"steps": 10**6})]
)
def test_what_nothing_can_count_or_descend_into_is_the_callers_mistake(tool: str, arguments: dict[str, Any]) -> None:
    reply = live().call(tool, arguments)
    assert reply.status == 400
    assert "out of range" in sendable(reply)["content"][0]["text"]


@pytest.mark.parametrize("depth", [101, 1000, 100_000])
def test_endless_nesting_is_refused(depth: int) -> None:
    data: Any = 1
    for _ in range(depth):
        data = {"a": data}
    assert live().call("list_things", {"data": data}).status == 400
    assert live().call("list_things", {"below": data}).status == 400
