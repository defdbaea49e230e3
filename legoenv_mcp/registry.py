"""Which apps exist, found without importing any; and `load`, which imports one.

`apps()` reads each `app.toml` and counts tools and tables in the syntax trees of the app's sources. The counts are cached by the
sources' times and sizes.
"""

import ast
import hashlib
import importlib
import json
import os
import pkgutil
import sqlite3
import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legoenv_mcp import servers

if TYPE_CHECKING:
    from legoenv_mcp.kernel.app import App

_INDEX = "apps-2.json"
"""Its name changes with its format: another version's index is left to it."""

LOADED_MODULES = ("app", "models", "tools", "evolved", "capabilities", "seed")


class UnknownApp(LookupError):
    """There is no such app; the message says which there are."""

    def __init__(self, slug: str) -> None:
        names = ", ".join(sorted(_folders()))
        super().__init__(f"unknown app {slug!r}; there are: {names}")


@dataclass(frozen=True, slots=True)
class AppInfo:
    """An app as listings show it."""

    slug: str
    name: str
    version: str
    capabilities: tuple[str, ...]
    docs: str
    auth: str
    base_url: str
    tools: int
    tables: int

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "capabilities": list(self.capabilities)}


def _folders() -> dict[str, Path]:
    found = dict[str, Path]()
    for root in servers.__path__:
        for manifest in sorted(Path(root).glob("*/app.toml")):
            found.setdefault(manifest.parent.name, manifest.parent)
    return found


def slugs() -> list[str]:
    """Every app's slug, sorted."""
    return sorted(_folders())


def folder(slug: str) -> Path:
    """The app's folder. UnknownApp where there is none."""
    for root in servers.__path__:  # looked for, not listed: an episode asks this for each of its apps
        found = Path(root) / slug
        if slug.isidentifier() and (found / "app.toml").is_file():
            return found
    raise UnknownApp(slug)


def cache_folder() -> Path:
    """Where derived files (templates, the app index) are kept: `LEGOENV_CACHE`, else the user's cache folder."""
    base = os.environ.get("LEGOENV_CACHE") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) if os.environ.get("LEGOENV_CACHE") else Path(base) / "legoenv"


def sources(slug: str) -> list[Path]:
    """The app's source files, sorted."""
    root = folder(slug)
    return sorted(
        p
        for p in root.rglob("*")
        if p.is_file() and "__pycache__" not in p.parts and p.suffix in (".py", ".toml", ".lark")
    )


@cache
def source_hash(slug: str) -> str:
    """A hash of the app's sources: what its templates and tool lists depend on."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sources(slug):
        digest.update(f"{path.relative_to(folder(slug)).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def machinery_hash() -> str:
    """A hash of what turns sources and worlds into derived files: the library's own code and SQLite's version."""
    here = Path(__file__).resolve().parent
    digest = hashlib.blake2b(f"sqlite {sqlite3.sqlite_version_info[:2]}".encode(), digest_size=8)
    folders = ("kernel", "capabilities", "styles", "worlds", "faces")
    for path in sorted([*(p for f in folders for p in here.glob(f"{f}/**/*.py")), here / "templates.py"]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def keep(path: Path, data: bytes, replaces: str) -> None:
    """Stores a derived file and drops those it replaces (a pattern); a cache that cannot be written is only slower."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(f".{os.getpid()}")
        scratch.write_bytes(data)
        scratch.replace(path)
        for old in path.parent.glob(replaces):
            if old != path:
                old.unlink(missing_ok=True)
    except OSError:
        pass


def apps() -> list[AppInfo]:
    """Every app, by slug."""
    index = _index()
    fresh = {str(path): _entry(slug, path, index) for slug, path in sorted(_folders().items())}
    if any(entry is not index.get(path) for path, entry in fresh.items()):
        keep(cache_folder() / _INDEX, json.dumps(fresh).encode(), "apps*.json")
    return [_info(entry) for entry in fresh.values()]


def _index() -> dict[str, Any]:
    try:
        return json.loads((cache_folder() / _INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _entry(slug: str, path: Path, index: dict[str, Any]) -> dict[str, Any]:
    """An app's entry: the index's where its sources are as they were, else a new one."""
    stamp = [[str(f.relative_to(path)), f.stat().st_mtime_ns, f.stat().st_size] for f in sources(slug)]
    known = index.get(str(path))
    return known if known and known["stamp"] == stamp else {"stamp": stamp, "info": _inspect(slug, path)}


def _info(entry: dict[str, Any]) -> AppInfo:
    info: dict[str, Any] = entry["info"]
    info["capabilities"] = tuple(info["capabilities"])
    return AppInfo(**info)


def info(slug: str) -> AppInfo:
    """One app's listing. UnknownApp where there is none."""
    return _info(_entry(slug, folder(slug), _index()))


def _inspect(slug: str, path: Path) -> dict[str, Any]:
    manifest = tomllib.loads((path / "app.toml").read_text(encoding="utf-8"))
    tools, tables = set[str](), 0
    for source in path.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                words = {k.arg: k.value for k in node.keywords}
                tool, shown = words.get("tool"), words.get("mcp")
                if isinstance(tool, ast.Constant) and not (isinstance(shown, ast.Constant) and shown.value is False):
                    tools.add(str(tool.value))
            elif isinstance(node, ast.ClassDef):
                tables += any(
                    k.arg == "table" and isinstance(k.value, ast.Constant) and k.value.value is True
                    for k in node.keywords
                )
    return {
        "slug": slug, "name": manifest["name"], "version": manifest["version"], "capabilities": manifest["capabilities"],
        "docs": manifest.get("docs", ""), "auth": manifest.get("auth", "bearer"), "base_url": manifest.get("base_url", ""),
        "tools": len(tools), "tables": tables,
    }  # fmt: skip


@cache
def load(slug: str) -> "App":
    """Imports one app with all its modules. UnknownApp where there is none."""
    root = folder(slug)
    package = f"legoenv_mcp.servers.{slug}"
    module = importlib.import_module(f"{package}.app")
    for part in LOADED_MODULES[1:]:
        if (root / part).is_dir():
            found = importlib.import_module(f"{package}.{part}")
            for name in sorted(m.name for m in pkgutil.iter_modules(found.__path__)):
                importlib.import_module(f"{package}.{part}.{name}")
        elif (root / f"{part}.py").is_file():
            found = importlib.import_module(f"{package}.{part}")
            if part == "capabilities":
                module.app.provides = found.provides
            elif part == "seed":
                module.app.seed = found.seed
    return module.app
