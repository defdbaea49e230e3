"""The checks folders: what atoms say in Python (verify/checks.py), read when first needed."""

import hashlib
import importlib.util
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from legoenv_mcp.verify.checks import forget as forget_checks
from legoenv_mcp.worlds import atoms_folders


def files() -> dict[str, Path]:
    """Every file of checks by its name; one of an earlier atoms folder hides those of the same name in later ones."""
    found = dict[str, Path]()
    for root in atoms_folders():
        for path in sorted((root / "checks").glob("*.py")):
            found.setdefault(path.stem, path)
    return found


def load(targets: Iterable[str]) -> None:
    """Makes the checks that goals name (`app:file.function`) known. What is not there is told when it is asked for (BadTarget)."""
    for name in {target.partition(":")[2].partition(".")[0] for target in targets}:
        path = files().get(name)
        if path is not None:
            _load(path, path.stat().st_mtime_ns)


@cache
def _load(path: Path, _stamp: int) -> None:
    name = f"legoenv_checks.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be read as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    forget_checks(path.stem)
    spec.loader.exec_module(module)


def digest(targets: Iterable[str]) -> str:
    """The content hash of the files that goals' checks are in; empty where there are none."""
    names = sorted({target.partition(":")[2].partition(".")[0] for target in targets})
    known = files()
    content = b"".join(known[name].read_bytes() for name in names if name in known)
    return hashlib.blake2b(content, digest_size=8).hexdigest() if content else ""
