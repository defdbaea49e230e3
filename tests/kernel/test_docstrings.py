"""An operation's docstring: prose, and a line for each parameter, continued on indented ones."""

from legoenv_mcp.kernel.context import Ctx
from legoenv_mcp.kernel.operations import Operation


def book(ctx: Ctx, room: str, note: str = "") -> None:
    """Books a room
    for an hour.

    room: The room's name,
      as its door says.
    note: What for,
        in a word.
    """


def test_a_parameter_line_goes_on_however_deep_it_is_indented() -> None:
    operation = Operation(
        book, "POST", "/bookings", "book", effect=None, title="", status=200, mcp=True, also=(), idempotent=None, destructive=None
    )  # fmt: skip
    assert operation.description == "Books a room\nfor an hour."
    assert operation.about == {"room": "The room's name, as its door says.", "note": "What for, in a word."}
