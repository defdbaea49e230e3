"""Reading HTTP requests: whatever comes, it is arguments or a refusal in the product's words, never a failure of ours."""

import contextlib
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Reply


def multipart(*lines: str) -> bytes:
    return "\r\n".join(lines).encode()


def test_multipart_fields_and_files() -> None:
    body = multipart(
        "--X", 'Content-Disposition: form-data; name="title"', "", "hello", "--X",
        'Content-Disposition: form-data; name="file"; filename="a.txt"', "Content-Type: text/plain", "", "content", "--X--", "",
    )  # fmt: skip
    fields = rest._multipart(body, "X")
    assert fields == {
        "title": "hello",
        "file": {"filename": "a.txt", "content_type": "text/plain", "content": b"content"},
    }


@pytest.mark.parametrize(
    ("boundary", "body"),
    [
        ("X", multipart("--X", "Content-Disposition: form-data", "", "no name", "--X--", "")),
        ("X", multipart("--X", 'Content-Disposition: form-data; name="a"', "", "never ends", "")),
        ("X", b"not multipart at all"),
        ("", b"--X\r\n"),
        ("é", b"x"),
    ],
)
def test_broken_multipart_is_unreadable(boundary: str, body: bytes) -> None:
    with pytest.raises(rest.Unreadable):
        rest._multipart(body, boundary)


@pytest.mark.parametrize(
    ("pairs", "arrays", "data"),
    [
        ([("a", "1"), ("a", "2")], "repeat", {"a": ["1", "2"]}),
        ([("a[]", "1"), ("a[]", "2")], "bracket", {"a": ["1", "2"]}),
        ([("a[0][b]", "1"), ("a[1][b]", "2")], "bracket", {"a": [{"b": "1"}, {"b": "2"}]}),
        ([("a[b][c]", "1")], "bracket", {"a": {"b": {"c": "1"}}}),
        ([("[a]", "1")], "bracket", {"[a]": "1"}),
        ([("filter[x]", "1")], "repeat", {"filter[x]": "1"}),
    ],
)
def test_lists_and_objects_in_forms(pairs: list[tuple[str, str]], arrays: str, data: dict[str, Any]) -> None:
    assert rest.nested(pairs, arrays) == data


@given(st.lists(st.tuples(st.text("ab[]01", max_size=12), st.text(max_size=3)), max_size=8))
def test_any_form_is_data_or_unreadable(pairs: list[tuple[str, str]]) -> None:
    with contextlib.suppress(rest.Unreadable):
        assert isinstance(rest.nested(pairs, "bracket"), dict)


def test_a_deeply_nested_name_is_unreadable() -> None:
    with pytest.raises(rest.Unreadable):
        rest.nested([("a" + "[b]" * 10_000, "1")], "bracket")


@given(st.text(string.printable, max_size=20))
def test_normal_paths_mean_the_same(text: str) -> None:
    from urllib.parse import quote, unquote

    path = "/" + quote(text, safe="")
    normal = rest.normal_path(path)
    assert unquote(normal) == unquote(path)
    assert normal.count("/") == 1, "an escaped slash stays escaped"
    assert rest.normal_path(normal) == normal


def test_a_header_value_cannot_begin_another_header() -> None:
    _, headers, _ = rest.encode(Reply({}, headers={"Location": "/x\r\nSet-Cookie: a=b"}))
    assert (b"location", b"/x  Set-Cookie: a=b") in headers
