"""Selections: lists that SQLite counts and slices are the lists that would have been read."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from legoenv_mcp import templates
from legoenv_mcp.kernel.pages import cursor_page, numbered_page
from legoenv_mcp.kernel.store import Store


def opened() -> tuple[Store, Any]:
    """The store of an app with a few dozen rows, and the table that has them."""
    live = templates.episode(["stripe"]).app("stripe")
    return live.store, live.app.shapes["customer"].cls


PLACES = st.none() | st.integers(-30, 60)


@settings(max_examples=60, deadline=None)
@given(start=PLACES, stop=PLACES, most=st.sampled_from([0, 3, 1000]))
def test_a_slice_is_that_of_the_list(start: int | None, stop: int | None, most: int) -> None:
    store, Customer = opened()
    whole = store.where(Customer, "created >= ?", [0], order="-created,-id")[:most]
    oldest = whole[-1].created if whole else 2**62
    selected = store.select(Customer, "created >= ?", [oldest if most < 1000 else 0], order="-created,-id")
    held = [c.id for c in store.where(Customer, "created >= ?", [oldest if most < 1000 else 0], order="-created,-id")]
    assert len(selected) == len(held)
    assert [c.id for c in selected[start:stop]] == held[start:stop]
    assert [c.id for c in selected] == held


def test_pages_of_a_selection_are_those_of_the_list() -> None:
    store, Customer = opened()
    held = store.where(Customer, "1", order="id")
    selected = store.select(Customer, "1", order="id")
    for page in range(1, len(held) // 7 + 3):
        ours, theirs = numbered_page(selected, 7, page), numbered_page(held, 7, page)
        assert ([c.id for c in ours.items], ours.total, ours.more) == (
            [c.id for c in theirs.items],
            theirs.total,
            theirs.more,
        )
    first = cursor_page(selected, 5)
    assert [c.id for c in cursor_page(selected, 5, first.cursor).items] == [c.id for c in held[5:10]]
