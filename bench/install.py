"""Peers installed into a cache folder: a virtual environment or a `node_modules` each, of the versions that `requirements-*.txt` and
`emulate.json` pin. What is there is used again; what can't be had is left out, with the reason."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PATIENCE = 600
"""Seconds that an installation may take."""


class NotToBeHad(Exception):
    """A peer can't be installed here; the message is the reason in one line."""


@dataclass(frozen=True, slots=True)
class Installed:
    """Where a peer is, and which versions of what: package -> version."""

    folder: Path
    versions: dict[str, str]

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"


def python_peer(name: str, cache: Path, report: Callable[[str], None], dependencies: bool = True) -> Installed:
    """A virtual environment with what `requirements-NAME.txt` lists. `dependencies`: with what those packages ask for besides."""
    wanted = HERE / f"requirements-{name}.txt"
    folder = cache / f"{name}-{_digest(wanted)}-py{sys.version_info.major}{sys.version_info.minor}"
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted]

    def make() -> None:
        _run([sys.executable, "-m", "venv", folder])
        _run(pip if dependencies else [*pip, "--no-deps"])

    _once(folder, name, make, report)
    pinned = [line.split("==") for line in wanted.read_text(encoding="utf-8").splitlines() if "==" in line]
    shown = {package.split("[")[0]: version.split()[0] for package, version in pinned}
    return Installed(folder, shown if dependencies else dict(list(shown.items())[:1]))


def node_peer(name: str, cache: Path, report: Callable[[str], None]) -> Installed:
    """A folder with the npm packages that `NAME.json` pins."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise NotToBeHad("there is no Node.js")
    wanted = HERE / f"{name}.json"
    folder = cache / f"{name}-{_digest(wanted)}"

    def make() -> None:
        folder.mkdir(parents=True)
        shutil.copy(wanted, folder / "package.json")
        _run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder])

    _once(folder, name, make, report)
    versions = json.loads(wanted.read_text(encoding="utf-8"))["dependencies"]
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return Installed(folder, {**versions, "node": node.lstrip("v")})


def _digest(file: Path) -> str:
    return hashlib.blake2b(file.read_bytes(), digest_size=4).hexdigest()


def _once(folder: Path, name: str, make: Callable[[], None], report: Callable[[str], None]) -> None:
    done = folder / ".made"
    if done.exists():
        return
    report(f"installing {name} (once)")
    shutil.rmtree(folder, ignore_errors=True)
    make()
    done.touch()


def _run(command: list[str | Path]) -> None:
    words = list(map(str, command))
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise NotToBeHad(f"`{' '.join(words[-4:])}` took longer than {PATIENCE} s") from None
    if ended.returncode:
        said = [line for line in (ended.stderr or ended.stdout).splitlines() if line.strip()]
        errors = [line for line in said if "error" in line.lower()]
        raise NotToBeHad((errors or said or [f"`{words[0]}` failed"])[-1].strip())
