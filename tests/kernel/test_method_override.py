"""A GET too long for its client comes as a POST that says so."""

import pytest

from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Request

FORM = "application/x-www-form-urlencoded"


def request(method: str = "POST", override: str = "GET", kind: str = FORM) -> Request:
    headers = {"content-type": kind, **({"x-http-method-override": override} if override else {})}
    return Request(method, "/notes", "http://host/notes?a=1", {"a": "1"}, headers, "http://host")


def test_a_long_get_is_read_as_one() -> None:
    read, body = rest.tunnelled(request(), b"q=x%20y&tag=1&tag=2")
    assert (read.method, body) == ("GET", b"")
    assert read.url == "http://host/notes?a=1&q=x%20y&tag=1&tag=2"
    assert read.query == {"a": "1", "q": "x y", "tag": "2"}


@pytest.mark.parametrize(
    "given", [request(override=""), request(override="DELETE"), request("PUT"), request(kind="application/json")]
)
def test_any_other_request_stays_as_it_is(given: Request) -> None:
    assert rest.tunnelled(given, b"q=x") == (given, b"q=x")
