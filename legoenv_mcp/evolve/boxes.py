"""The container in which code that nobody has accepted yet is tried, where a Docker engine and an image of ours are there.

It has no network, no capabilities, a read-only file system, limits on memory and processes; of the host it sees the library, the fleet and
the folder in which jobs leave their answers, each where the host has it. What runs inside is a nursery like any other (nursery.py), its
children confined once more (confine.py).
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import legoenv_mcp
from legoenv_mcp import registry
from legoenv_mcp.evolve.fleet import link_cache
from legoenv_mcp.evolve.nursery import NoBox
from legoenv_mcp.fleet import images
from legoenv_mcp.fleet.engine import EngineError, host

IMAGE = "runtime"
_LIMITS = ("--memory", "4g", "--memory-swap", "4g", "--pids-limit", "256")
_HARD = ("--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges")


def command(folder: Path, words: list[str]) -> list[str]:
    """The command that runs a nursery in a container; `folder` is where it may write. NoBox where there is no engine, or no image."""
    client = shutil.which("docker")
    if client is None:
        raise NoBox("there is no `docker` command here")
    try:
        image = images.find(IMAGE).name
    except EngineError as error:
        raise NoBox(str(error)) from None
    cache = folder / "cache"
    if not cache.is_dir():
        cache.mkdir()
        link_cache(cache)
    mounts = [f"--volume={path}:{path}:ro" for path in _seen()]
    variables = {
        "PYTHONPATH": str(_root()),
        "LEGOENV_CACHE": str(cache),
        **{n: os.environ[n] for n in ("LEGOENV_SERVERS", "LEGOENV_ATOMS") if n in os.environ},
    }
    return [
        client, "--host", host(), "run", "--rm", "--interactive", "--init", *_HARD, *_LIMITS,
        "--user", f"{os.getuid()}:{os.getgid()}", "--tmpfs", "/tmp:size=256m,mode=1777",
        *mounts, f"--volume={folder}:{folder}", *(f"--env={n}={v}" for n, v in variables.items()),
        "--workdir", "/tmp", "--entrypoint", "/opt/legoenv/bin/python", image, *words,
    ]  # fmt: skip


def _root() -> Path:
    return Path(legoenv_mcp.__file__).resolve().parents[1]


def _seen() -> Iterator[Path]:
    """What a nursery reads: the library, the apps and atoms of the fleet and of folders laid over it."""
    package = Path(legoenv_mcp.__file__).resolve().parent
    found = {package, *(registry.folder(slug).parent for slug in registry.slugs())}
    found |= {package.parent / name for name in ("servers", "atoms_db")}
    for name in ("LEGOENV_SERVERS", "LEGOENV_ATOMS"):
        found |= {Path(p) for p in os.environ.get(name, "").split(os.pathsep) if p}
    yield from sorted({p.resolve() for p in found if p.is_dir()} | {p for p in found if p.is_dir()})
    if (package.parent / "pyproject.toml").is_file():
        yield package.parent / "pyproject.toml"  # by which a checkout knows itself
