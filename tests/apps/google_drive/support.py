"""What the tests of Google Drive share."""

import json
from typing import Any
from urllib.parse import parse_qsl

from legoenv_mcp import registry
from legoenv_mcp.capabilities.file_storage import File, Folder
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode

SLUG = "google_drive"


APP = registry.load(SLUG)


FOLDER, DOC, SHEET = (f"application/vnd.google-apps.{kind}" for kind in ("folder", "document", "spreadsheet"))


ALEX, DANA = "alex.doyle@brightwater.example", "dana.ruiz@brightwater.example"


WORLD: list[Any] = [
    Person(key="dana.ruiz", first_name="Dana", last_name="Ruiz", email=DANA, handle="dana", title="Analyst", department="Ops"),
    Folder(key="Reports", path="Reports", modified="2026-02-01T10:00:00Z"),
    Folder(key="Reports/Old", path="Reports/Old", modified="2026-01-01T10:00:00Z"),
    File(key="jan", path="Reports/jan-summary.md", content="# January\n\nTotal: 40\n", modified="2026-02-02T10:00:00Z"),
    File(key="feb", path="Reports/feb_summary.md", content="February was quiet.\n", modified="2026-03-01T10:00:00Z"),
    File(key="old", path="Reports/Old/rates 2024.csv", content="day,rate\n1,2.5\n", modified="2025-01-02T10:00:00Z"),
    File(key="note", path="it's a note.txt", content="Call Dana about the yearly total.\n", modified="2026-02-20T08:30:00Z"),
]  # fmt: skip


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = episode.call(SLUG, tool, arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> tuple[int, str]:
    before = episode.changes()
    reply = episode.call(SLUG, tool, arguments)
    assert reply.error, reply.body
    assert episode.changes() == before
    assert reply.body["error"]["code"] == reply.status
    return reply.status, reply.body["error"]["errors"][0]["reason"]


def http(episode: Episode, method: str, path: str, body: Any = None, base: str = "/drive/v3", **headers: str) -> Reply:
    target, _, text = path.partition("?")
    request = Request(
        method, f"{base}{target}", f"http://x{base}{path}", dict(parse_qsl(text, keep_blank_values=True)),
        {"content-type": "application/json", **{k.replace("_", "-").lower(): v for k, v in headers.items()}}, "http://x",
    )  # fmt: skip
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return rest.handle(episode.app(SLUG), request, data)


def key(episode: Episode, name: str) -> str:
    """The id of a file or folder of the world."""
    refs = episode.app(SLUG).template.refs
    return refs["file_storage.File"].get(name) or refs["file_storage.Folder"][name]


def names(episode: Episode, q: str, **more: Any) -> list[str]:
    return [f["name"] for f in call(episode, "list_files", q=q, fields="files(name)", **more)["files"]]


def paths(episode: Episode) -> dict[str, Any]:
    live = episode.app(SLUG)
    ctx, shape = Ctx(live, None, None, Request()), APP.shapes["file"]
    rows = [shape.decode(raw) for raw in live.store.connection.execute(shape.select)]
    found = [e for row in rows if (e := APP.provides["file_storage"].view(ctx, "file", row)) is not None]
    return {e.path: e for e in found}


def give_away(episode: Episode, file_id: str) -> None:
    arguments = {"type": "user", "role": "owner", "emailAddress": DANA, "transferOwnership": True}
    assert call(episode, "create_permission", fileId=file_id, **arguments)["role"] == "owner"


def mine(episode: Episode, file_id: str) -> str:
    listed = call(episode, "list_permissions", fileId=file_id)["permissions"]
    return next(p["id"] for p in listed if p.get("emailAddress") == ALEX)
