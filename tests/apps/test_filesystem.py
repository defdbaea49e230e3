"""The filesystem server through its public faces. That it answers as the real one does: tests/sdk/test_filesystem.py."""

import json
import posixpath
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from mcp import Client

from legoenv_mcp import templates
from legoenv_mcp.capabilities.file_storage import File, Folder
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import encode, handle
from legoenv_mcp.faces.tools import result
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

DENIED = "Access denied - path outside allowed directories: {} not in /workspace"
BAD = "MCP error -32602: Input validation error: Invalid arguments for tool {}: {}"
FILES = [
    Folder(key="reports", path="reports", modified="2026-01-05T10:00:00Z"),
    Folder(key="old", path="reports/old", modified="2026-01-06T10:00:00Z"),
    File(key="q1", path="reports/q1.md", content="# Q1\nRevenue: 10\n", modified="2026-02-01T08:30:00Z"),
    File(key="plan", path="plan.txt", content="Größe\n", modified="2026-02-02T08:30:00Z"),
]


@pytest.fixture
def episode() -> Episode:
    return episode_of("filesystem", FILES)


def call(episode: Episode, tool: str, **arguments: Any) -> Reply:
    return episode.call("filesystem", tool, arguments)


def text(episode: Episode, tool: str, **arguments: Any) -> str:
    reply = call(episode, tool, **arguments)
    assert not reply.error, reply.shown
    return reply.body["content"]


def shown(answer: Any) -> str:
    return answer.content[0].text


def changed(episode: Episode) -> list[tuple[str, str]]:
    return [(change.kind, change.key[0]) for change in episode.changes()]


async def test_a_result_is_text_and_the_same_text_structured(episode: Episode) -> None:
    async with Client(serve(episode, ["filesystem"])) as agent:
        tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
        assert len(tools) == 14
        assert tools["read_text_file"].output_schema is not None
        assert tools["write_file"].annotations is not None
        assert tools["write_file"].annotations.destructive_hint
        read = await agent.call_tool("read_text_file", {"path": "/workspace/reports/q1.md", "head": 1})
        assert shown(read) == "# Q1"
        assert read.structured_content == {"content": "# Q1"}
        refused = await agent.call_tool("read_text_file", {"path": "/etc/passwd"})
        assert refused.is_error
        assert refused.structured_content is None
        assert shown(refused) == DENIED.format("/etc/passwd")
        assert refused.meta is not None
        assert refused.meta["legoenv/status"] == 403


async def test_media_are_content_blocks(episode: Episode) -> None:
    text(episode, "write_file", path="logo.svg", content="<svg/>")
    async with Client(serve(episode, ["filesystem"])) as agent:
        image = await agent.call_tool("read_media_file", {"path": "logo.svg"})
        assert image.content[0].model_dump(exclude_none=True, by_alias=True) == {
            "type": "image", "data": "PHN2Zy8+", "mimeType": "image/svg+xml",
        }  # fmt: skip
        assert image.structured_content == {
            "content": [{"type": "image", "data": "PHN2Zy8+", "mimeType": "image/svg+xml"}]
        }
        other = await agent.call_tool("read_media_file", {"path": "plan.txt"})
        assert other.content[0].resource.uri == "file:///workspace/plan.txt"  # pyright: ignore


def test_rest_has_a_route_for_each_tool(episode: Episode) -> None:
    def post(tool: str, body: Any, kind: str = "application/json") -> tuple[int, Any]:
        request = Request("POST", f"/tools/{tool}", f"http://x/tools/{tool}", {}, {"content-type": kind})
        status, _, content = encode(handle(episode.app("filesystem"), request, json.dumps(body).encode()))
        return status, json.loads(content)

    assert post("list_directory", {"path": "reports"}) == (200, {"content": "[DIR] old\n[FILE] q1.md"})
    assert post("write_file", {"path": "a/b", "content": ""}) == (
        404,
        {
            "content": [{"type": "text", "text": "ENOENT: no such file or directory, open '/workspace/a/b'"}],
            "isError": True,
        },
    )
    status, body = post("edit_file", {"path": "plan.txt", "edits": [{"oldText": 1, "newText": "x"}], "dryRun": None})
    assert status == 400
    assert body["content"][0]["text"].endswith(
        "Invalid input: expected string, received number at edits[0].oldText\nInvalid input: expected boolean, received null at dryRun"
    )
    assert post("no_tool", {})[0] == 404


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "message"),
    [
        ("read_text_file", {"path": "plan.txt", "head": 1, "tail": 1}, 400, "Cannot specify both head and tail parameters simultaneously"),
        ("read_text_file", {"path": "nope"}, 404, "ENOENT: no such file or directory, open '/workspace/nope'"),
        ("read_text_file", {"path": "reports"}, 400, "EISDIR: illegal operation on a directory, read"),
        ("read_text_file", {"path": "plan.txt/x"}, 400, "ENOTDIR: not a directory, realpath '/workspace/plan.txt/x'"),
        ("list_directory", {"path": "plan.txt"}, 400, "ENOTDIR: not a directory, scandir '/workspace/plan.txt'"),
        ("write_file", {"path": "no/file", "content": ""}, 404, "ENOENT: no such file or directory, open '/workspace/no/file'"),
        ("write_file", {"path": "/workspace2/x", "content": ""}, 403, DENIED.format("/workspace2/x")),
        ("write_file", {"path": "../x", "content": ""}, 403, DENIED.format("/x")),
        ("write_file", {"path": "reports/../../etc/x", "content": ""}, 403, DENIED.format("/etc/x")),
        ("create_directory", {"path": "~/x"}, 403, DENIED.format("/home/user/x")),
        ("create_directory", {"path": "plan.txt"}, 409, "EEXIST: file already exists, mkdir '/workspace/plan.txt'"),
        ("create_directory", {"path": "a/" + "b" * 256}, 400, f"ENAMETOOLONG: name too long, mkdir '/workspace/a/{'b' * 256}'"),
        ("move_file", {"source": "plan.txt", "destination": "reports/q1.md"}, 409, "Destination already exists: /workspace/reports/q1.md"),
        ("move_file", {"source": "plan.txt", "destination": "reports"}, 409, "Destination already exists: /workspace/reports"),
        ("move_file", {"source": "x", "destination": "y"}, 404,
         "ENOENT: no such file or directory, rename '/workspace/x' -> '/workspace/y'"),
        ("move_file", {"source": "plan.txt", "destination": "x/y"}, 404,
         "ENOENT: no such file or directory, rename '/workspace/plan.txt' -> '/workspace/x/y'"),
        ("move_file", {"source": "reports", "destination": "reports/old/r"}, 400,
         "EINVAL: invalid argument, rename '/workspace/reports' -> '/workspace/reports/old/r'"),
        ("move_file", {"source": "plan.txt", "destination": "/tmp/plan.txt"}, 403,
         DENIED.format("/tmp/plan.txt")),
        ("edit_file", {"path": "plan.txt", "edits": [{"oldText": "Größe", "newText": "x"}, {"oldText": "nope", "newText": ""}]}, 400,
         "Could not find exact match for edit:\nnope"),
        ("edit_file", {"path": "plan.txt"}, 400,
         BAD.format("edit_file", "Invalid input: expected array, received undefined at edits")),
        ("write_file", {"path": "plan.txt", "content": "x", "mode": "a"}, 400,
         BAD.format('write_file', 'Unrecognized key: "mode" at mode')),
    ],
)  # fmt: skip
def test_a_refusal_has_the_servers_words_and_changes_nothing(
    episode: Episode, tool: str, arguments: dict[str, Any], status: int, message: str
) -> None:
    reply = call(episode, tool, **arguments)
    assert (reply.error, reply.status, reply.shown) == (True, status, message)
    assert episode.changes() == []


def test_writing_over_a_file_keeps_its_place_and_says_nothing(episode: Episode) -> None:
    assert text(episode, "write_file", path="plan.txt", content="new") == "Successfully wrote to plan.txt"
    assert changed(episode) == [("update", "/workspace/plan.txt")]
    assert episode.changes()[0].columns == ("content",)
    text(episode, "write_file", path="plan.txt", content="Größe\n")
    assert episode.changes() == [], "times alone are no change"


def test_a_dry_run_shows_the_same_diff_and_changes_nothing(episode: Episode) -> None:
    edits = [{"oldText": "Revenue: 10", "newText": "Revenue: 12"}]
    dry = text(episode, "edit_file", path="reports/q1.md", edits=edits, dryRun=True)
    assert episode.changes() == []
    assert "-Revenue: 10\n+Revenue: 12\n" in dry
    assert text(episode, "edit_file", path="reports/q1.md", edits=edits) == dry
    assert text(episode, "read_text_file", path="reports/q1.md") == "# Q1\nRevenue: 12\n"


def test_moving_a_directory_moves_all_in_it(episode: Episode) -> None:
    text(episode, "move_file", source="reports", destination="archive")
    assert text(episode, "search_files", path=".", pattern="**") == (
        "/workspace/archive\n/workspace/archive/old\n/workspace/archive/q1.md\n/workspace/plan.txt"
    )
    assert (
        text(episode, "get_file_info", path="archive/q1.md")
        .splitlines()[2]
        .startswith("modified: Sun Feb 01 2026 08:30:00 GMT+0000")
    )
    text(episode, "move_file", source="archive", destination="reports")
    assert episode.changes() == []


def test_a_directory_is_made_with_those_above_it_and_once(episode: Episode) -> None:
    text(episode, "create_directory", path="a/b/c")
    assert changed(episode) == [("insert", f"/workspace/{path}") for path in ("a", "a/b", "a/b/c")]
    text(episode, "create_directory", path="a/b")
    assert len(episode.changes()) == 3


def test_times_follow_the_episodes_clock(episode: Episode) -> None:
    text(episode, "write_file", path="reports/new.txt", content="x")
    info = text(episode, "get_file_info", path="reports/new.txt").splitlines()
    assert info[1] == "created: Mon Mar 02 2026 09:00:01 GMT+0000 (Coordinated Universal Time)"
    assert (
        text(episode, "get_file_info", path="reports").splitlines()[2].startswith("modified: Mon Mar 02 2026 09:00:01")
    )
    assert (
        text(episode, "get_file_info", path="reports").splitlines()[1].startswith("created: Mon Jan 05 2026 10:00:00")
    )


def test_trees_deeper_than_the_stack(episode: Episode) -> None:
    path = "d/" * 2000
    text(episode, "create_directory", path=path)
    assert text(episode, "directory_tree", path=".").count('"children"') == 2002
    assert text(episode, "search_files", path=".", pattern="**/d").count("\n") == 1999
    text(episode, "move_file", source="d", destination="e")
    assert call(episode, "create_directory", path="e/" + "d/" * 2100).shown.startswith("ENAMETOOLONG")  # pyright: ignore


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 3000, "!(a)" * 40, "x!(a)" * 40, "*(*(*(*(*(a|b)))))" * 5, "+(+(a)|+(b))" * 8, "**/" * 500 + "x", "{a,b}" * 60, "{" * 3000,
     "[" * 5000,
     "{1..999999999}", "@(" * 3000, "{a," * 500 + "}" * 500, "*(" * 90 + "a" + ")" * 90, "!(!(!(!(a))))"],
)  # fmt: skip
def test_no_pattern_goes_on_for_ever(episode: Episode, pattern: str) -> None:
    name = "ab" * 100
    text(episode, "write_file", path=name, content="")
    assert call(episode, "search_files", path=".", pattern=pattern).status == 200
    assert call(episode, "directory_tree", path=".", excludePatterns=[pattern]).status in (200, 400)


def test_a_large_rewrite_is_still_a_diff(episode: Episode) -> None:
    old = "".join(f"{n}\n" for n in range(20000))
    new = "".join(f"{n * 7 % 20011}\n" for n in range(20000))
    text(episode, "write_file", path="big", content=old)
    diff = text(episode, "edit_file", path="big", edits=[{"oldText": old, "newText": new}])
    assert diff.count("\n+") >= 19000


# Capability


def entities(episode: Episode) -> dict[str, Any]:
    """Every canonical entity that the app's rows show, by path."""
    live = episode.app("filesystem")
    capability = live.app.provides["file_storage"]
    ctx = Ctx(live, None, None, Request())
    rows = ctx.db.query("SELECT * FROM node")
    found = [e for row in rows if (e := capability.view(ctx, "node", row)) is not None]
    return {e.path: e for e in found}


def run(episode: Episode, verb: str, *arguments: str) -> list[Any]:
    plan = getattr(episode.app("filesystem").app.provides["file_storage"], verb)(*arguments)
    replies, reply = list[Any](), None
    while True:
        try:
            step = plan.send(reply)
        except StopIteration:
            return replies
        answer = episode.call("filesystem", step.tool, step.arguments)
        assert not answer.error, answer.shown
        reply = answer.body
        replies.append(reply)


def test_what_was_filled_is_viewed_alike(episode: Episode) -> None:
    found = entities(episode)
    assert len(found) == len(FILES)
    for given_entity in FILES:
        assert found[given_entity.path].model_dump(exclude={"id", "key"}) == given_entity.model_dump(
            exclude={"id", "key"}
        )
        assert found[given_entity.path].id == f"/workspace/{given_entity.path}"


def test_the_effect_of_verbs_is_viewed(episode: Episode) -> None:
    run(episode, "create_folder", "new")
    run(episode, "upload_file", "new/note [1].txt", "hello")
    assert entities(episode)["new/note [1].txt"].content == "hello"
    assert run(episode, "search_files", "note [1]") == [{"content": "/workspace/new/note [1].txt"}]
    assert run(episode, "download_file", "new/note [1].txt") == [{"content": "hello"}]
    assert run(episode, "list_folder", "new") == [{"content": "[FILE] note [1].txt"}]
    assert run(episode, "list_folder", "")[0]["content"].startswith("[DIR] new\n")
    assert "size: 5" in run(episode, "get_file_info", "new/note [1].txt")[0]["content"]
    run(episode, "move_file", "new/note [1].txt", "reports/note.txt")
    assert "reports/note.txt" in entities(episode)
    assert "new/note [1].txt" not in entities(episode)


@pytest.mark.parametrize("world", ["quaymark", "empty"])
def test_worlds_are_filled_whole(world: str) -> None:
    from legoenv_mcp import worlds

    found = entities(templates.episode(["filesystem"], world))
    for kind in (Folder, File):
        for entity in worlds.load(world).entities(kind):
            assert isinstance(found[entity.path], kind)
            assert getattr(found[entity.path], "content", "") == getattr(entity, "content", "")


# Invariants

NAMES = st.sampled_from(["a", "b", "c.txt", "d e", "é", "."])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
ROOTS = st.sampled_from(["", "/workspace/", "./", "../workspace/", "/workspace//x/../"])
TEXTS = st.text(st.sampled_from("ab \n\té"), max_size=12)


class Tree(RuleBasedStateMachine):
    """Random calls against a model: a dict of path -> text, or None for a directory."""

    def __init__(self) -> None:
        super().__init__()
        self.episode = episode_of("filesystem")
        self.model: dict[str, str | None] = {"/workspace": None}

    def attempt(self, tool: str, **arguments: Any) -> bool:
        reply = call(self.episode, tool, **arguments)
        assert reply.status < 500
        return not reply.error

    def place(self, path: str) -> str:
        return posixpath.normpath(posixpath.join("/workspace", path))

    def reachable(self, path: str) -> bool:
        """No file stands in the way."""
        while path != "/":
            path = posixpath.dirname(path)
            if isinstance(self.model.get(path), str):
                return False
        return True

    @rule(root=ROOTS, path=PATHS, content=TEXTS)
    def write(self, root: str, path: str, content: str) -> None:
        place = self.place(path)
        fits = (
            self.reachable(place)
            and self.model.get(posixpath.dirname(place), "") is None
            and self.model.get(place, "") is not None
        )
        assert self.attempt("write_file", path=root + path, content=content) == fits
        if fits:
            self.model[place] = content

    @rule(root=ROOTS, path=PATHS)
    def make(self, root: str, path: str) -> None:
        place = self.place(path)
        fits = self.reachable(place) and not isinstance(self.model.get(place), str)
        assert self.attempt("create_directory", path=root + path) == fits
        while fits and place not in self.model:
            self.model[place] = None
            place = posixpath.dirname(place)

    @rule(source=PATHS, destination=PATHS)
    def move(self, source: str, destination: str) -> None:
        here, there = self.place(source), self.place(destination)
        fits = (
            here in self.model
            and self.reachable(here)
            and there not in self.model
            and self.reachable(there)
            and self.model.get(posixpath.dirname(there), "") is None
            and not there.startswith(here + "/")
        )
        assert self.attempt("move_file", source=source, destination=destination) == fits
        if fits:
            moved = {p: t for p, t in self.model.items() if p == here or p.startswith(here + "/")}
            self.model = {p: t for p, t in self.model.items() if p not in moved}
            self.model.update({there + p[len(here) :]: t for p, t in moved.items()})

    @rule(path=PATHS, old=st.text("ab", min_size=1, max_size=2), new=TEXTS, dry=st.booleans())
    def edit(self, path: str, old: str, new: str, dry: bool) -> None:
        place = self.place(path)
        before = self.model.get(place)
        done = self.attempt("edit_file", path=path, edits=[{"oldText": old, "newText": new}], dryRun=dry)
        if not isinstance(before, str):
            assert not done
        elif old in before:
            assert done
            if not dry:
                self.model[place] = before.replace(old, new, 1)
        elif done and not dry:
            self.model[place] = text(self.episode, "read_text_file", path=path)

    @invariant()
    def the_tree_is_the_models(self) -> None:
        found = text(self.episode, "search_files", path="/workspace", pattern="**")
        paths = [] if found == "No matches found" else found.splitlines()
        assert sorted(paths) == sorted(set(self.model) - {"/workspace"})
        for path in paths:
            held = self.model[path]
            if held is not None:
                assert text(self.episode, "read_text_file", path=path) == held
                assert text(self.episode, "get_file_info", path=path).startswith(f"size: {len(held.encode())}\n")
        rows = self.episode.app("filesystem").store.connection.execute("SELECT path, parent FROM node").fetchall()
        assert all(posixpath.dirname(path) == parent for path, parent in rows)


TestTree = Tree.TestCase
TestTree.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "..",
                ".",
                "",
                "a",
                "/",
                "//",
                "~",
                "\\",
                "\0",
                "\n",
                "C:",
                "é",
                "e\u0301",
                "x" * 256,
                "/workspace",
                "workspace",
                "'",
                '"',
                " ",
            ]
        ),
        max_size=7,
    ).map("".join)
    | st.text(max_size=30)
)
def test_no_path_reaches_out_or_breaks_anything(path: str) -> None:
    episode = SHARED
    reply = call(episode, "write_file", path=path, content="x")
    assert reply.status < 500
    call(episode, "create_directory", path=path)
    for change in episode.changes():
        assert change.key[0].startswith("/workspace/"), repr(path)
        assert posixpath.normpath(change.key[0]) == change.key[0]
        assert "\0" not in change.key[0]
    for tool in ("read_text_file", "list_directory", "directory_tree", "get_file_info", "read_media_file"):
        assert call(episode, tool, path=path).status < 500


SHARED = episode_of("filesystem")


def test_over_http(gateway: Any) -> None:
    """The REST face where an agent finds it."""
    base = gateway.episode(["filesystem"], world="empty").rest("filesystem")
    assert httpx.post(f"{base}/tools/write_file", json={"path": "a.txt", "content": "hi"}).json() == {
        "content": "Successfully wrote to a.txt"
    }
    assert httpx.post(f"{base}/tools/read_text_file", json={"path": "a.txt"}).json() == {"content": "hi"}
    assert httpx.post(f"{base}/tools/read_text_file", json={"path": "b.txt"}).status_code == 404
    assert httpx.get(f"{base}/tools/read_text_file").status_code == 404
    assert result(call(episode_of("filesystem"), "list_allowed_directories"))["isError"] is False
