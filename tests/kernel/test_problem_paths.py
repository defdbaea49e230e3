"""Where a bad argument lies, as its caller spells it: no names of Python's types, whichever arm of a union it was for."""

from typing import Any, Literal

import pytest
from pydantic import MISSING, BaseModel, ConfigDict

from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx
from legoenv_mcp.kernel.operations import InvalidArguments
from legoenv_mcp.kernel.rows import Row, registry


class Table(Row, registry=registry()): ...


class Address(BaseModel):
    model_config = ConfigDict(extra="forbid")
    city: str | None = None
    notes: dict[str, int] = {}


class Shipping(BaseModel):
    address: Address | Literal[""] = ""
    stops: list[Address] | int = 0


app = App("paths", Table)


@app.post("/send", tool="send", effect="read")
def send(
    ctx: Ctx, to: Address | Literal[""] | MISSING = MISSING, via: list[Shipping] | Literal[""] | MISSING = MISSING,
    only: Address | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Sends something.

    to: Where to.
    via: Which way.
    only: Where to alone.
    """
    return {}


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"to": {"planet": "Mars"}}, ("to", "planet")),
        ({"to": {"city": 5}}, ("to", "city")),
        ({"to": 5}, ("to",)),
        ({"to": {"notes": {"Planet": "x"}}}, ("to", "notes", "Planet")),
        ({"via": [{"address": {"city": 5}}]}, ("via", 0, "address", "city")),
        ({"via": [{"stops": [{"planet": 5}]}]}, ("via", 0, "stops", 0, "planet")),
        ({"only": {"Address": 5}}, ("only", "Address")),
    ],
)
def test_a_unions_arms_are_no_part_of_the_path(arguments: dict[str, Any], path: tuple[str | int, ...]) -> None:
    operation = app.operations["send"]
    with pytest.raises(InvalidArguments) as bad:
        operation.validate(arguments)
    assert path in [problem.path for problem in bad.value.problems]
