"""Pages: every style walks a list once, in order; cursors that are none of ours are refused, whatever they look like."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legoenv_mcp.app import (
    BadCursor,
    Page,
    cursor_page,
    decode_cursor,
    encode_cursor,
    keyset_page,
    link_header,
    numbered_page,
    offset_page,
)
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx
from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.kernel.rows import Field, Row, registry
from legoenv_mcp.templates import empty

LISTS = st.lists(st.text(max_size=3), max_size=20)
LIMITS = st.integers(1, 7)


@given(LISTS, LIMITS)
def test_a_walk_by_cursor_sees_each_item_once(items: list[str], limit: int) -> None:
    seen, cursor, pages = list[str](), None, 0
    while True:
        page = cursor_page(items, limit, cursor, "list")
        assert page.total == len(items)
        assert page.more == (page.cursor is not None)
        seen += page.items
        pages += 1
        if page.cursor is None:
            break
        assert len(page.items) == limit
        cursor = page.cursor
    assert seen == items
    assert pages == max(1, -(-len(items) // limit)), "no empty page behind the last"


@given(LISTS, LIMITS)
def test_numbers_and_offsets_cut_alike(items: list[str], size: int) -> None:
    for number in range(1, 6):
        by_number, by_offset = numbered_page(items, size, number), offset_page(items, size, (number - 1) * size)
        assert by_number == by_offset
        assert by_number.items == items[(number - 1) * size : number * size]
        assert by_number.more == (number * size < len(items))


@given(st.lists(st.integers(), unique=True, max_size=20), LIMITS)
def test_a_walk_by_keys_sees_each_item_once_in_both_directions(items: list[int], limit: int) -> None:
    for forwards in (True, False):
        seen, edge = list[int](), None
        while True:
            page = keyset_page(items, limit, str, after=edge if forwards else None, before=None if forwards else edge)
            if not forwards and edge is None:
                page = Page(items[-limit:], more=len(items) > limit)
            seen = [*seen, *page.items] if forwards else [*page.items, *seen]
            if not page.more:
                break
            edge = str(page.items[-1 if forwards else 0])
        assert seen == items


def test_a_window_between_two_keys() -> None:
    items = list("abcdef")
    page = keyset_page(items, 10, str, after="b", before="e")
    assert (page.items, page.more) == (["c", "d"], False)
    page = keyset_page(items, 1, str, after="b", before="e")
    assert (page.items, page.more) == (["c"], True)
    assert keyset_page(items, 5, str, after="f").items == []
    with pytest.raises(KeyError, match="nope"):
        keyset_page(items, 1, str, before="nope")


def test_a_page_of_changed_items_is_the_same_page() -> None:
    page = cursor_page([1, 2, 3], 2)
    page.extra["etag"] = "x"
    changed = page.map(str)
    assert changed.items == ["1", "2"]
    assert (changed.cursor, changed.total, changed.offset, changed.limit, changed.more, changed.extra) == (
        page.cursor, 3, 0, 2, True, {"etag": "x"},
    )  # fmt: skip


@given(st.integers(0, 2**63 - 1), st.text(max_size=8))
def test_a_cursor_says_its_place_to_its_own_list_only(offset: int, scope: str) -> None:
    cursor = encode_cursor(offset, scope)
    assert re.fullmatch(r"[\w-]+", cursor, re.ASCII), "fit for a URL"
    assert decode_cursor(cursor, scope) == offset
    with pytest.raises(BadCursor):
        decode_cursor(cursor, scope + "x")


@pytest.mark.parametrize("offset", ["-1", "1.5", "", "x", "٣", "²", "1" * 5000, str(2**63), "1" * 40])
def test_a_forged_place_is_no_place(offset: str) -> None:
    import base64

    with pytest.raises(BadCursor):
        decode_cursor(base64.urlsafe_b64encode(f"list:{offset}".encode()).decode().rstrip("="), "list")


@given(st.text(max_size=20))
def test_any_other_text_is_no_cursor(text: str) -> None:
    with pytest.raises(BadCursor):
        decode_cursor(text, "some list")


class Table(Row, registry=registry()): ...


class Thing(Table, table=True):
    id: int | None = Field(default=None, primary_key=True)
    color: str


def things() -> LiveApp:
    app = App("things", Table)

    @app.get("/things", tool="list_things")
    def list_things(ctx: Ctx, cursor: str | None = None, limit: int = 3, color: str | None = None) -> Page[Thing]:
        """Lists things."""
        return ctx.page(Thing, limit=limit, cursor=cursor, order="-color", color=color)

    app.wrap = lambda page: {"ids": [t.id for t in page.items], "next": page.cursor}
    live = empty(app, "agent", "2026-01-01T00:00:00Z")
    for n in range(10):
        live.store.add(Thing(color="red" if n % 2 else "blue"))
    return live


def test_pages_of_rows_walk_the_filtered_list_in_order() -> None:
    live = things()

    def walk(**arguments: Any) -> list[int]:
        ids, cursor = list[int](), None
        while True:
            body = live.call("list_things", {**arguments, "cursor": cursor}).body
            ids += body["ids"]
            cursor = body["next"]
            if cursor is None:
                return ids

    assert walk() == [2, 4, 6, 8, 10, 1, 3, 5, 7, 9], "ties in the order of the key"
    assert walk(color="blue", limit=2) == [1, 3, 5, 7, 9]
    assert walk(limit=5) == walk(limit=100)


@pytest.mark.parametrize(
    "cursor",
    ["nope", "", "é", encode_cursor(3, "Other"), encode_cursor(10**25, "Thing"), encode_cursor(2**63, "Thing")],
)
def test_a_bad_cursor_is_the_callers_fault(cursor: str) -> None:
    reply = things().call("list_things", {"cursor": cursor})
    assert reply.status == (200 if cursor == "" else 400), reply.body


def links(header: str) -> dict[str, dict[str, list[str]]]:
    return {rel: parse_qs(urlsplit(url).query) for url, rel in re.findall(r'<([^>]*)>; rel="(\w+)"', header)}


@given(st.integers(0, 50), st.integers(1, 10), st.integers(1, 12))
def test_links_lead_through_the_whole_list(total: int, size: int, page: int) -> None:
    last = max(1, -(-total // size))
    found = links(link_header("https://api.example/things?q=a%20b&page=9", page, size, total))
    assert ("next" in found) == ("last" in found) == (page < last)
    assert ("prev" in found) == ("first" in found) == (page > 1)
    for rel, number in {"next": page + 1, "last": last, "first": 1, "prev": min(page - 1, last)}.items():
        if rel in found:
            assert found[rel] == {"q": ["a b"], "page": [str(number)], "per_page": [str(size)]}


def test_links_keep_the_callers_own_size() -> None:
    assert links(link_header("/t?per_page=2", 1, 2, 5))["next"] == {"per_page": ["2"], "page": ["2"]}
    assert links(link_header("/t", 1, 2, 5, page_key="p", size_key="size"))["last"] == {"p": ["3"], "size": ["2"]}
    assert link_header("/t", 1, 5, 5) == ""
