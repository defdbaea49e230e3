"""Every rule of `legoenv lint` can fail: for each, something that breaks it and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp import lint, servers
from legoenv_mcp.lint.schema_rules import check_listing

HINTS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}


def tool(schema: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    properties = {"size": {"type": "string", "description": "How large."}} if schema is None else schema
    return {
        "name": "make_thing", "title": "Make a thing", "description": "Makes a thing of some size.",
        "inputSchema": {"type": "object", "properties": properties}, "annotations": HINTS, **changes,
    }  # fmt: skip


def field(**schema: Any) -> dict[str, Any]:
    return tool({"size": {"description": "How large.", **schema}})


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"type": "string", "description": "x"}
    for _ in range(depth):
        inner = {"type": "object", "description": "x", "properties": {"in": inner}}
    return tool({"size": inner})


BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("N1", tool(name="chat.post")),
    ("N1", tool(name="_thing")),
    ("N1", tool(name="make__thing")),
    ("N2", tool(name="m" * 48)),
    ("D4", tool(description="Makes.")),
    ("D5", tool(description="x" * 1025)),
    ("D6", tool(title="x" * 61)),
    ("S7", tool(inputSchema={"anyOf": []})),
    ("S8", field(anyOf=[{"type": "string"}])),
    ("S8", field(type="object", properties={}, additionalProperties=False)),
    ("S8", field(type="string", const="x")),
    ("S9", field(type=["string", "null"])),
    ("S9", field()),
    ("S10", field(type="string", properties={})),
    ("S11", field(type="array")),
    ("S12", field(type="string", enum=["a", ""])),
    ("S12", field(type="integer", enum=[1, 2])),
    ("S13", field(type="string", default=None)),
    ("S14", field(type="string", format="email")),
    ("S15", field(type="string", pattern="(?=x)")),
    ("S15", field(type="integer", maximum=2**60)),
    ("S16", tool(inputSchema={"type": "object", "properties": {}, "required": ["size"]})),
    ("S16", field(type="object")),
    ("S17", tool({"filter[x]": {"type": "string", "description": "x"}})),
    ("S18", tool({"size": {"type": "string"}})),
    ("S19", nested(6)),
    ("S19", tool({f"p{n}": {"type": "string", "description": "x"} for n in range(101)})),
    ("O20", tool(outputSchema={"type": "array"})),
    ("O21", tool(outputSchema={"type": "object", "properties": {"a": {"$ref": "#/x"}}})),
    ("A22", tool(annotations={"readOnlyHint": True})),
    ("A23", tool(annotations={**HINTS, "readOnlyHint": True, "destructiveHint": True})),
    ("A24", tool(name="delete_thing")),
    ("A24", tool(name="list_things")),
]


def rules(tools: list[dict[str, Any]]) -> set[str]:
    return {f.rule for f in check_listing("shop", tools)}


def test_a_good_tool_has_no_findings() -> None:
    assert rules([tool()]) == set()


@pytest.mark.parametrize(("rule", "bad"), BROKEN, ids=[f"{n}-{rule}" for n, (rule, _) in enumerate(BROKEN)])
def test_a_broken_tool_is_found(rule: str, bad: dict[str, Any]) -> None:
    assert rule in rules([bad])


def test_names_differ_by_more_than_case_and_there_are_not_too_many() -> None:
    assert "N3" in rules([tool(), tool(name="Make_Thing")])
    assert "L27" in rules([tool(name=f"make_{n}") for n in range(129)])


APP = """
from legoenv_mcp.app import App, Ctx, Field, Row, registry
{imports}

class Table(Row, registry=registry()): ...

class Thing(Table, table=True):
    id: int | None = Field(default=None, primary_key=True)
    name: str

app = App("bad", Table)

@app.get("/things", tool="list_things")
def list_things(ctx: Ctx) -> list[Thing]:
    \"\"\"Lists the things that there are.\"\"\"
    {body}
    return ctx.db.find(Thing)
"""


def app_rules(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    *,
    imports: str = "",
    body: str = "pass",
    manifest: str = "",
) -> set[str]:
    home = folder / name
    home.mkdir()
    (home / "__init__.py").write_text('"""Bad."""\n', encoding="utf-8")
    (home / "app.toml").write_text(manifest or 'name = "Bad"\nversion = "1"\ncapabilities = []\n', encoding="utf-8")
    (home / "app.py").write_text(APP.format(imports=imports, body=body), encoding="utf-8")
    monkeypatch.setattr(servers, "__path__", [*servers.__path__, str(folder)])
    findings, _, failed = lint.run([name])
    assert failed
    return {f"{f.rule} {f.message}" for f in findings}


@pytest.mark.parametrize(
    ("rule", "how"),
    [
        ("P1 imports random", {"imports": "import random"}),
        ("P1 imports sqlite3", {"imports": "import sqlite3"}),
        ("P1 imports legoenv_mcp.kernel.store", {"imports": "from legoenv_mcp.kernel.store import Store"}),
        ("P1 imports requests", {"imports": "import requests"}),
        ("P1 reads the wall clock", {"imports": "from datetime import datetime", "body": "datetime.now()"}),
        ("P1 hash() is salted", {"body": "hash('x')"}),
        ("P2 does not load", {"imports": "raise RuntimeError"}),
        ("P3 1 tools", {}),
        ("P4 app.toml claims", {"manifest": 'name = "Bad"\nversion = "1"\ncapabilities = ["crm"]\n'}),
        ("P5 is a read but calls db.add", {"body": "ctx.db.add(Thing(name='x'))"}),
        ("P5 is a read but draws ctx.id", {"body": "ctx.id('x', 3)"}),
    ],
)  # fmt: skip
def test_a_broken_app_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, how: dict[str, str], request: Any
) -> None:
    found = app_rules(tmp_path, monkeypatch, f"bad{abs(request.node.callspec.indices['rule'])}", **how)
    assert any(f.startswith(rule) for f in found), found
