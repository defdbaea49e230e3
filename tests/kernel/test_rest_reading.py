"""Reading HTTP requests: forms, brackets, multipart and JSON in all the ways clients send them; whatever else comes is a refusal."""

import json
from functools import cache
from typing import Annotated, Any
from urllib.parse import quote_plus, urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from legoenv_mcp.faces.rest import encode, handle, nested
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.kernel.operations import Body, Header, Payload, Query
from legoenv_mcp.kernel.rows import Row, registry
from legoenv_mcp.templates import empty

FORM = "application/x-www-form-urlencoded"
PARTED = "multipart/form-data; boundary=b"


class Table(Row, registry=registry()): ...


def make_app(arrays: Any, **options: Any) -> App:
    app = App("echo", Table, arrays=arrays, **options)

    @app.get("/things/{id}", tool="get_thing")
    def get_thing(
        ctx: Ctx, id: str, tags: Annotated[list[str] | None, Query("tag")] = None, limit: int = 10, flag: bool = False,
        where: dict[str, Any] | None = None, trace: Annotated[str | None, Header("X-Trace")] = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Says what was read."""
        return {"id": id, "tags": tags, "limit": limit, "flag": flag, "where": where, "trace": trace}

    @app.post("/things", tool="add_thing", effect="read")
    def add_thing(
        ctx: Ctx, name: Annotated[str, Body("the name")], items: list[dict[str, Any]] | None = None, meta: dict[str, Any] | None = None,
        file: dict[str, Any] | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Says what was read."""
        shown = {**file, "content": file["content"].decode("latin-1")} if file and "content" in file else file
        return {"name": name, "items": items, "meta": meta, "file": shown}

    @app.patch("/things/{id}", tool="update_thing")
    def update_thing(ctx: Ctx, id: str, name: str | None = None) -> dict[str, Any]:
        """Says what was read."""
        return {"id": id, "name": name}

    @app.post("/raw", tool="send_raw", effect="read")
    def send_raw(ctx: Ctx, body: Annotated[Any, Payload()] = None) -> dict[str, Any]:
        """Says what was read."""
        return {"type": type(body).__name__}

    return app


@cache
def live(arrays: str = "repeat", **options: Any) -> LiveApp:
    return LiveApp(empty(make_app(arrays, **options), "agent", "2026-01-01T00:00:00Z").template)


def send(app: LiveApp, method: str, target: str, body: bytes = b"", content_type: str = "") -> Reply:
    headers = {"content-type": content_type} if content_type else {}
    return handle(app, Request(method, target.partition("?")[0], target, {}, headers), body)


def get(query: str, arrays: str = "repeat") -> dict[str, Any]:
    reply = send(live(arrays), "GET", f"/things/x?{query}")
    assert reply.status == 200, reply.body
    return reply.body


def multipart(*parts: tuple[str, bytes], boundary: str = "b") -> tuple[bytes, str]:
    """A multipart form's body and content type from (headers, content) parts."""
    blocks = [f"--{boundary}\r\n{headers}\r\n\r\n".encode() + content + b"\r\n" for headers, content in parts]
    return b"".join(blocks) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


# What clients send


@pytest.mark.parametrize(
    ("arrays", "query", "tags"),
    [
        ("repeat", "tag=a", ["a"]),
        ("repeat", "tag=a&tag=b&tag=", ["a", "b", ""]),
        ("comma", "tag=a,b,,c", ["a", "b", "c"]),
        ("comma", "tag=a&tag=b", ["a", "b"]),
        ("bracket", "tag[]=a&tag[]=b", ["a", "b"]),
        ("bracket", "tag[1]=b&tag[0]=a&tag[10]=c", ["a", "b", "c"]),
        ("bracket", "tag%5B%5D=a", ["a"]),
        ("bracket", "tag=a", ["a"]),
    ],
)
def test_lists_in_a_query(arrays: str, query: str, tags: list[str]) -> None:
    assert get(query, arrays)["tags"] == tags


def test_scalars_in_a_query_take_the_last_of_several() -> None:
    assert get("limit=1&limit=2")["limit"] == 2
    assert get("flag=true")["flag"] is True
    assert get("limit=%35")["limit"] == 5


def test_nested_forms_are_data() -> None:
    form = "the name=n&items[0][a]=1&items[1][a]=2&items[1][b][]=x&meta[k][l]=v&meta[m n]=w".replace(" ", "+")
    body = send(live("bracket"), "POST", "/things", form.encode(), FORM).body
    assert body == {
        "name": "n", "items": [{"a": "1"}, {"a": "2", "b": ["x"]}], "meta": {"k": {"l": "v"}, "m n": "w"}, "file": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("form", "items", "meta"),
    [
        ("meta[6735]=x", None, {"6735": "x"}),
        ("meta[0]=x&meta[1]=y", None, {"0": "x", "1": "y"}),
        ("items[5][a]=1&items[2][a]=2", [{"a": "2"}, {"a": "1"}], None),
        ("items[0][7]=1", [{"7": "1"}], None),
        ("meta[deep][0]=x", None, {"deep": ["x"]}),
    ],
)
def test_numbers_in_brackets_are_places_of_lists_and_keys_of_objects(form: str, items: Any, meta: Any) -> None:
    body = send(live("bracket"), "POST", "/things", f"the name=n&{form}".replace(" ", "+").encode(), FORM).body
    assert (body["items"], body["meta"]) == (items, meta)


def test_a_form_and_json_say_the_same() -> None:
    by_json = send(live(), "POST", "/things", b'{"the name": "\xc3\xa9"}', "application/json; charset=utf-8").body
    assert send(live(), "POST", "/things", b"the+name=%C3%A9", FORM).body == by_json
    assert send(live(), "POST", "/things", b'{"the name": "\xc3\xa9"}').body == by_json, (
        "no content type, but plainly JSON"
    )
    assert send(live(), "POST", "/things", b'{"the name": "\xc3\xa9"}', "application/vnd.api+json").body == by_json
    assert (
        send(
            live(), "POST", "/things", *multipart(('Content-Disposition: form-data; name="the name"', "é".encode()))
        ).body
        == by_json
    )


def test_a_file_in_a_form_keeps_its_bytes_name_and_type() -> None:
    headers = 'Content-Disposition: form-data; name="file"; filename="a b.bin"\r\nContent-Type: image/png'
    body, kind = multipart(('Content-Disposition: form-data; name="the name"', b"n"), (headers, bytes(range(256))))
    file = send(live(), "POST", "/things", body, kind).body["file"]
    assert file == {"filename": "a b.bin", "content_type": "image/png", "content": bytes(range(256)).decode("latin-1")}


@pytest.mark.parametrize(
    ("body", "kind", "found"),
    [
        (b"", "", "NoneType"), (b"[1]", "application/json", "list"), (b'"a"', "application/json", "str"), (b"a", "text/plain", "str"),
        (b"\xff", "application/octet-stream", "bytes"), (b"a=1", FORM, "dict"), (b"null", "application/json", "NoneType"),
    ],
)  # fmt: skip
def test_a_payload_is_what_the_body_is(body: bytes, kind: str, found: str) -> None:
    assert send(live(), "POST", "/raw", body, kind).body == {"type": found}


def test_headers_are_parameters_where_declared() -> None:
    assert handle(live(), Request("GET", "/things/x", "/things/x", {}, {"x-trace": "t"}), b"").body["trace"] == "t"
    assert send(live(), "GET", "/things/x?trace=t").status == 400


@pytest.mark.parametrize("place", ["unknown", "unknown_query"])
def test_unknown_names_are_refused_or_ignored(place: str) -> None:
    assert send(live(), "GET", "/things/x?nope=1").status == 400
    assert send(live(), "POST", "/things", b'{"the name": "n", "nope": 1}').status == 400
    assert send(live(**{place: "ignore"}), "GET", "/things/x?nope=1").status == 200
    assert send(live(**{place: "ignore"}), "POST", "/things", b'{"the name": "n", "nope": 1}').status == (
        200 if place == "unknown" else 400
    )


def test_a_function_name_is_no_wire_name() -> None:
    assert send(live(), "POST", "/things", b'{"name": "n"}').status == 400
    assert send(live(), "GET", "/things/x?tags=a").status == 400


def test_mixed_apps_take_parameters_from_either_place() -> None:
    app = live(mixed=True)
    assert send(app, "POST", "/things?the+name=n").body["name"] == "n"
    assert send(app, "POST", "/things?the+name=q", b"the+name=b", FORM).status == 400, (
        "in both places: the query's is left over"
    )


# Whatever else comes


BROKEN = [
    (b"{", "application/json"), (b'{"the name": NaN}', "application/json"), (b'{"the name": "\\ud800"}', "application/json"),
    (b"\xff", "application/json"), (b"[" * 100_000, "application/json"), (b"[" * 150 + b"]" * 150, "application/json"),
    (b"1" * 5000, "application/json"), (b"the+name=%FF", FORM), (b"\xff=1", FORM), (b"a[b]=1&a=2&a[c]=3", FORM), (b"a=1&a[b]=2", FORM),
    (b"a[" * 500 + b"x=1", FORM), (b"items[" + b"9" * 5000 + b"]=1", FORM), (b"a=1", FORM + "; charset=nope"),
    (b"a=1", FORM + "; charset=hex"),
    (b"+2AA-=1", FORM + "; charset=utf-7"), (b"the+name=+2AA-", FORM + "; charset=utf-7"), (b"\xff", "text/plain"),
    (b"a", "text/plain; charset=\0"),
    (b"x", "multipart/form-data"), (b"x", "multipart/form-data; boundary="), (b"--b\r\n\r\nx\r\n--b--", PARTED),
    (b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--", PARTED),
    (b'--b\r\nContent-Disposition: form-data; name="\xff"\r\n\r\nx\r\n--b--', PARTED),
    (b'--b\r\nContent-Disposition: form-data; filename="a"\r\n\r\nx\r\n--b--', PARTED),
    (b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--b--', PARTED),
    (b'--b\r\nContent-Disposition: form-data; name="file"; filename="\xff"\r\n\r\nx\r\n--b--', PARTED),
    (b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Transfer-Encoding: base64\r\n\r\n!\r\n--b--',
     PARTED),
    (b"--b\r\nContent-Disposition: x; name=a\r\n\r\nx\r\n--b--", PARTED), (b"--b--", PARTED),
    (b"--b\r\n", PARTED), (b"x", 'multipart/form-data; boundary="'),
    (b"x", "multipart/form-data; boundary=" + "b" * 9999),
    (b"x", "multipart/form-data; boundary*=utf-8''%ff"), (b"{}", "application/json; charset*=x'y'%zz"), (b"{}", ";"), (b"{}", "\xff/\xfe"),
]  # fmt: skip


def check(reply: Reply) -> None:
    """Nothing of ours went wrong, and the answer can be sent."""
    assert reply.status < 500, reply.body
    status, headers, content = encode(reply)
    assert 200 <= status < 500
    assert all(isinstance(part, bytes) for header in headers for part in header)
    json.loads(content)


@pytest.mark.parametrize(("body", "kind"), BROKEN)
@pytest.mark.parametrize("arrays", ["repeat", "bracket", "comma"])
def test_what_cannot_be_read_is_refused(body: bytes, kind: str, arrays: str) -> None:
    for path in ("/things", "/raw"):
        check(send(live(arrays), "POST", path, body, kind))
    reply = send(live(arrays), "POST", "/things", body, kind)
    assert reply.status == 400, reply.body


@pytest.mark.parametrize(
    "target",
    ["/things/%FF?limit=%FF", "/things/x?tag[" + "9" * 5000 + "]=1", "/things/x?" + "tag[a]" * 300 + "=1", "/things/x?tag=1&tag[a]=2",
     "/things/x?where[a]=1&where=2", "/things/x?=&&&==", "/things/x?[]=1&[=2&]=3", "/things/x?limit=" + "9" * 5000, "/things/%00?tag=%00",
     "/things/%ED%A0%80?tag=%ED%A0%80&%ED%A0%80=1", "/things/", "/things//", "//", "", "/things/x/y", "/things/x?limit=1e400"],
)  # fmt: skip
@pytest.mark.parametrize("arrays", ["repeat", "bracket", "comma"])
def test_odd_addresses_are_no_fault(target: str, arrays: str) -> None:
    for method in ("GET", "HEAD", "POST", "BREW"):
        check(send(live(arrays), method, target))


def test_a_name_that_is_no_text_is_a_refusal() -> None:
    app = live()
    assert app.perform(app.app.operations["get_thing"], {"id": "x", "\ud800": 1}, Request()).status == 400


def test_many_fields_of_one_name_are_read_quickly() -> None:
    assert len(nested([("a", "1")] * 500_000, "repeat")["a"]) == 500_000


PIECES = st.sampled_from(
    [
        "a",
        "the name",
        "items",
        "meta",
        "[",
        "]",
        "[]",
        "[0]",
        "[a]",
        "=",
        "&",
        "%",
        "%5B",
        "%FF",
        "+",
        ";",
        "é",
        "\0",
        "1",
    ]
)
BODIES = st.lists(PIECES, max_size=12).map(lambda p: "".join(p).encode()) | st.binary(max_size=60)
TYPES = st.sampled_from(["", FORM, "application/json", "text/plain", PARTED, FORM + "; charset=utf-16"]) | st.text(
    st.characters(codec="latin-1"), max_size=20
)


@settings(max_examples=400, deadline=None)
@given(BODIES, TYPES, st.sampled_from(["repeat", "bracket", "comma"]))
@example(b"", "multipart/form-data; boundary=\xff", "repeat")
def test_any_body_of_any_type_is_read_or_refused(body: bytes, kind: str, arrays: str) -> None:
    check(send(live(arrays), "POST", "/things", body, kind))
    check(send(live(arrays), "POST", "/raw", body, kind))
    check(send(live(arrays), "GET", "/things/x?" + body.decode("latin-1")))


PARTS = st.tuples(
    st.sampled_from(
        ["Content-Disposition: form-data", "content-disposition: form-data", "X: y", "Content-Disposition:", ""]
    ),
    st.sampled_from(['; name="the name"', "; name=file", '; name=""', "; name", '; name="a', ""]),
    st.sampled_from(['; filename="f"', "; filename*=utf-8''%C3%A9", "; filename=", ""]),
    st.sampled_from(
        [
            "",
            "\r\nContent-Type: image/png",
            "\r\nContent-Type:",
            "\r\nbroken",
            "\n",
            "\r\nContent-Transfer-Encoding: quoted-printable",
        ]
    ),
    st.binary(max_size=20),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=3), st.integers(0, 60))
def test_any_multipart_form_is_read_or_refused(parts: list[tuple[str, str, str, str, bytes]], cut: int) -> None:
    body, kind = multipart(*[("".join(words), content) for *words, content in parts])
    check(send(live(), "POST", "/things", body, kind))
    check(send(live(), "POST", "/things", body[: max(0, len(body) - cut)], kind))


# Forms as data and back

KEYS = st.text("abcxyz_", min_size=1, max_size=4)
TEXTS = st.text(max_size=6)
DATA = st.dictionaries(
    KEYS,
    st.recursive(
        TEXTS,
        lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(KEYS, inner, min_size=1, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


def flat(data: Any, name: str = "") -> list[tuple[str, str]]:
    """The data as PHP and Stripe spell it."""
    if isinstance(data, str):
        return [(name, data)]
    pairs = data.items() if isinstance(data, dict) else enumerate(data)
    return [pair for key, value in pairs for pair in flat(value, f"{name}[{key}]" if name else str(key))]


@settings(deadline=None)
@given(DATA)
def test_bracketed_forms_are_the_data_they_spell(data: dict[str, Any]) -> None:
    assert nested(flat(data), "bracket") == data


@settings(deadline=None)
@given(
    st.dictionaries(st.text(min_size=1, max_size=5), st.lists(st.text(max_size=5), min_size=2, max_size=4), max_size=4)
)
def test_repeated_names_are_lists(data: dict[str, list[str]]) -> None:
    assert nested([(name, value) for name, values in data.items() for value in values], "repeat") == data


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_text_survives_any_encoding(text: str) -> None:
    sent = [
        send(live(), "POST", "/things", urlencode({"the name": text}).encode(), FORM),
        send(live(), "POST", "/things", json.dumps({"the name": text}).encode(), "application/json"),
        send(live(mixed=True), "POST", f"/things?the+name={quote_plus(text)}"),
        send(
            live(),
            "POST",
            "/things",
            *multipart(('Content-Disposition: form-data; name="the name"', text.encode()), boundary="b0undary"),
        ),
    ]
    assert [reply.body.get("name") for reply in sent] == [text] * 4


@pytest.mark.parametrize("body", [b"[]", b"[1]", b"5", b"true", b"1.5"])
def test_a_json_body_that_is_no_object_is_refused_where_fields_are_read(body: bytes) -> None:
    """Nothing to change must not pass for a change that was made."""
    refused = send(live(), "PATCH", "/things/1", body, "application/json")
    assert (refused.error, refused.status) == (True, 400)
