"""The router: which operation a method and a path mean."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legoenv_mcp.kernel.operations import Operation
from legoenv_mcp.kernel.routes import Router

TABLE = [
    ("GET", "/"),
    ("GET", "/items"),
    ("POST", "/items"),
    ("GET", "/items/{id}"),
    ("PATCH", "/items/{item_id}"),
    ("GET", "/items/search"),
    ("GET", "/items/{id}/parts"),
    ("GET", "/items/search/parts"),
    ("GET", "/items/{id}/parts/{part}"),
    ("POST", "/items/{id}:archive"),
    ("GET", "/items/{id}.json"),
    ("GET", "/{kind}/{id}/log"),
    ("GET", "/repos/{owner}/{repo}/contents/{path:path}"),
    ("GET", "/repos/{owner}/{repo}/{archive_format}/{ref:path}"),
    ("GET", "/trees/{path:path}/blame"),
    ("GET", "/trees/{path:path}"),
]


def nothing(ctx: object) -> None:
    """Does nothing."""


def operation(method: str, path: str, also: tuple[str, ...] = ()) -> Operation:
    options = {"effect": None, "title": "", "status": 200, "mcp": True, "idempotent": None, "destructive": None}
    return Operation(nothing, method, path, f"{method} {path}", also=also, **options)


ROUTER = Router([operation(method, path) for method, path in TABLE])


@pytest.mark.parametrize(
    ("request_line", "found", "arguments"),
    [
        ("GET /", "GET /", {}),
        ("GET /items", "GET /items", {}),
        ("POST /items", "POST /items", {}),
        ("GET /items/7", "GET /items/{id}", {"id": "7"}),
        ("PATCH /items/7", "PATCH /items/{item_id}", {"item_id": "7"}),
        ("GET /items/search", "GET /items/search", {}),
        ("PATCH /items/search", "PATCH /items/{item_id}", {"item_id": "search"}),
        ("GET /items/search/parts", "GET /items/search/parts", {}),
        ("GET /items/7/parts", "GET /items/{id}/parts", {"id": "7"}),
        ("GET /items/7/parts/9", "GET /items/{id}/parts/{part}", {"id": "7", "part": "9"}),
        ("POST /items/7:archive", "POST /items/{id}:archive", {"id": "7"}),
        ("POST /items/a:b:archive", "POST /items/{id}:archive", {"id": "a:b"}),
        ("GET /items/7.json", "GET /items/{id}.json", {"id": "7"}),
        ("GET /items/7.json.json", "GET /items/{id}.json", {"id": "7.json"}),
        ("GET /items/7/log", "GET /{kind}/{id}/log", {"kind": "items", "id": "7"}),
        ("GET /items/a%2Fb", "GET /items/{id}", {"id": "a/b"}),
        ("GET /items/%C3%A9+", "GET /items/{id}", {"id": "é+"}),
        ("GET /items/%25", "GET /items/{id}", {"id": "%"}),
        ("GET /items/%zz", "GET /items/{id}", {"id": "%zz"}),
        ("GET /repos/o/r/contents/a/b.md", "GET /repos/{owner}/{repo}/contents/{path:path}", {"owner": "o", "repo": "r", "path": "a/b.md"}),
        ("GET /repos/o/r/contents/", "GET /repos/{owner}/{repo}/contents/{path:path}", {"owner": "o", "repo": "r", "path": ""}),
        ("GET /repos/o/r/zip/x/y", "GET /repos/{owner}/{repo}/{archive_format}/{ref:path}",
         {"owner": "o", "repo": "r", "archive_format": "zip", "ref": "x/y"}),
        ("GET /trees/a/b/blame", "GET /trees/{path:path}/blame", {"path": "a/b"}),
        ("GET /trees/a/b/blame/c", "GET /trees/{path:path}", {"path": "a/b/blame/c"}),
    ],
)  # fmt: skip
def test_a_request_means(request_line: str, found: str, arguments: dict[str, str]) -> None:
    operation, given_arguments, _ = ROUTER.match(*request_line.split(" ", 1))  # pyright: ignore[reportArgumentType]
    assert operation is not None
    assert (operation.tool, given_arguments) == (found, arguments)


@pytest.mark.parametrize(
    ("request_line", "allowed"),
    [
        ("DELETE /items", {"GET", "POST"}),
        ("DELETE /items/search", {"GET", "PATCH"}),
        ("GET /nothing", set()),
        ("GET /items/", set()),
        ("GET /items//parts", set()),
        ("GET //", set()),
        ("GET ", set()),
        ("GET items", set()),
        ("GET /items/7/8", set()),
        ("GET /repos/o/r/contents", set()),
        ("get /items", {"GET", "POST"}),
    ],
)
def test_what_no_operation_takes_says_which_methods_the_path_has(request_line: str, allowed: set[str]) -> None:
    operation, arguments, methods = ROUTER.match(*request_line.split(" ", 1))  # pyright: ignore[reportArgumentType]
    assert operation is None
    assert arguments == {}
    assert set(methods) == allowed


def test_an_operation_may_be_reached_by_other_methods() -> None:
    router = Router([operation("GET", "/x", also=("POST",)), operation("POST", "/x"), operation("PUT", "/x")])
    assert router.match("POST", "/x")[0] is router.match("GET", "/x")[0], "the first declared has it"
    assert router.match("PUT", "/x")[0] is not None


def test_an_operation_without_a_path_is_not_on_this_face() -> None:
    assert Router([operation("POST", "")]).match("POST", "")[0] is None


@given(st.permutations(TABLE))
def test_the_order_of_declaration_does_not_matter(table: list[tuple[str, str]]) -> None:
    router = Router([operation(method, path) for method, path in table])
    for line in (
        "/items/search",
        "/items/7",
        "/items/7.json",
        "/items/search/parts",
        "/trees/a/blame",
        "/repos/o/r/contents/x",
        "/items/7/log",
    ):
        here, there = router.match("GET", line), ROUTER.match("GET", line)
        assert here[0] is not None
        assert there[0] is not None
        assert (here[0].tool, here[1]) == (there[0].tool, there[1])


@given(st.sampled_from([path for method, path in TABLE if method == "GET" and "{" in path]), st.data())
def test_a_filled_template_finds_its_operation_with_its_values(template: str, data: st.DataObject) -> None:
    import re

    names = re.findall(r"\{(\w+)(:path)?\}", template)
    values = {name: data.draw(st.text(min_size=1, max_size=6), label=name) for name, _ in names}
    path = template
    for name, rest in names:
        # Safe from the literal segments about it, which other templates have.
        path = path.replace(f"{{{name}{rest}}}", quote(f"~{values[name]}~", safe=""))
    operation, arguments, _ = ROUTER.match("GET", path)
    assert operation is not None
    assert operation.tool == f"GET {template}"
    assert arguments == {name: f"~{value}~" for name, value in values.items()}


@given(st.text("/{}%.:~a b\n", max_size=20))
def test_any_path_has_an_answer(path: str) -> None:
    for method in ("GET", "POST"):
        operation, _, _ = ROUTER.match(method, path)
        assert operation is None or method in operation.methods
