"""Code that nobody has accepted runs where it can do no harm: what it tries is refused, and the fleet goes on."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from legoenv_mcp import servers
from legoenv_mcp.evolve import confine
from legoenv_mcp.evolve.fleet import Edit
from legoenv_mcp.evolve.nursery import Answer, Job, Nursery

SAMPLES = Path(__file__).resolve().parents[1] / "sample_apps"
HEAD = '''"""Evolved."""

from typing import Any

from legoenv_mcp.app import Ctx

from ..app import app


@app.get("/1/evolved", tool="evolved_tool")
def evolved_tool(ctx: Ctx) -> dict[str, Any]:
    """Tries something."""
'''


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    """A nursery that sees the sample apps too, of which `notes` is the smallest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEGOENV_SERVERS", str(SAMPLES))
        patch.setattr(servers, "__path__", [*servers.__path__, str(SAMPLES)])
        with Nursery(1) as made:
            yield made


def tried(nursery: Nursery, body: str, *, seconds: int = 60) -> Answer:
    """The app with this operation, fuzzed by a confined child."""
    edits = (
        Edit("servers/notes/evolved/__init__.py", '"""Evolved."""\n'),
        Edit("servers/notes/evolved/e001_evolved_tool.py", HEAD + body),
    )
    args = {"slug": "notes", "tool": "evolved_tool", "calls": [{}]}
    return nursery.one(Job("accept.fuzz", args, edits, confined=True, seconds=seconds))


def test_an_honest_operation_is_tried_and_stands(nursery: Nursery) -> None:
    assert tried(nursery, '    return {"ok": True}\n').get() == []


@pytest.mark.parametrize(
    "body",
    [
        "    return {'it': open('/etc/passwd').read()}\n",
        "    import os\n    return {'it': os.listdir('/') and os.fork()}\n",
        "    import subprocess\n    subprocess.run(['true'])\n    return {}\n",
        "    import socket\n    socket.socket()\n    return {}\n",
        "    import ctypes\n    ctypes.CDLL(None)\n    return {}\n",
        "    import os\n    os.kill(os.getppid(), 9)\n    return {}\n",
    ],
    ids=["reads", "forks", "runs", "connects", "native", "kills"],
)
def test_what_escapes_inspection_is_stopped(nursery: Nursery, body: str) -> None:
    """The operation answers 500 to everything: it was stopped, and its fuzz says so."""
    answer = tried(nursery, body)
    assert answer.lost or any("answers 500" in line for line in answer.value)


def test_it_writes_nowhere(nursery: Nursery, tmp_path: Path) -> None:
    target = tmp_path / "escaped"
    tried(nursery, f"    open({str(target)!r}, 'w').write('x')\n    return {{}}\n")
    assert not target.exists()


def test_it_reaches_no_server(nursery: Nursery) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        tried(
            nursery,
            f"    import urllib.request\n    urllib.request.urlopen('http://127.0.0.1:{port}')\n    return {{}}\n",
        )
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_loop_ends_and_others_go_on(nursery: Nursery) -> None:
    assert "too long" in tried(nursery, "    while True:\n        pass\n", seconds=3).lost
    assert tried(nursery, '    return {"ok": True}\n').get() == []


def test_memory_has_an_end(nursery: Nursery) -> None:
    answer = tried(nursery, "    return {'it': len(bytearray(8 << 30))}\n")
    assert answer.lost or any("answers 500" in line for line in answer.value)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("import os\n", "import of os"),
        ("from subprocess import run\n", "import from subprocess"),
        ("from ...registry import load\n", "import from ...registry"),
        ("from legoenv_mcp.controller import prove\n", "import from legoenv_mcp.controller"),
        ("x = eval('1')\n", "eval"),
        ("x = ().__class__\n", ".__class__"),
        ("def f(ctx):\n    return ctx.db.connection\n", ".connection"),
        ("x = '{0.__class__}'.format(1)\n", "format text"),
        ("def f(:\n", "no Python"),
    ],
)
def test_inspection_names_what_it_refuses(text: str, wrong: str) -> None:
    assert any(wrong in line for line in confine.inspect_source(text))


def test_inspection_passes_what_apps_are_made_of() -> None:
    text = "import re\nfrom datetime import date\nfrom legoenv_mcp.app import Ctx\nfrom ..app import app\nfrom ..tools.x import y\n"
    assert confine.inspect_source(text) == []
