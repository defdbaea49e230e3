"""What images are built from: the build context with the library, the apps, the atoms, and a wheelhouse of what they need."""

import hashlib
import importlib.metadata
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO

from legoenv_mcp import registry
from legoenv_mcp.fleet.engine import EngineError, one_line
from legoenv_mcp.worlds import atoms_folders

NOT_IN_IMAGES = {"docker", "openai", "pyyaml"}
"""Dependencies of commands that make no sense in a container: running containers, writing manifests, asking a model."""

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parent if (PACKAGE.parent / "pyproject.toml").is_file() else None
MOMENT = 946684800
"""The time of every file: images must not differ by when they were made."""


@dataclass(frozen=True, slots=True)
class Python:
    """The base image's interpreter: what wheels have to suit."""

    version: str  # "3.11"
    machine: str  # "x86_64", "aarch64"
    glibc: str  # "2.36"

    @property
    def platforms(self) -> list[str]:
        """The wheel tags it takes, the newest first; pip takes them literally."""
        newest = int(self.glibc.split(".")[1])
        tags = [f"manylinux_2_{minor}_{self.machine}" for minor in range(newest, 16, -1)]
        return [*tags, f"manylinux2014_{self.machine}", f"linux_{self.machine}"]


def containers_folder() -> Path:
    """Where the Dockerfiles are: in the checkout, or in the installed package."""
    return PACKAGE / "containers" if CHECKOUT is None else CHECKOUT / "containers"


def requirements() -> list[str]:
    """What is installed in images, as requirement lines."""
    if CHECKOUT is not None:  # what an editable installation says of itself is as old as the installation
        project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        named = list[str](project["dependencies"])
    else:
        named = [line for line in importlib.metadata.requires("legoenv") or [] if "extra ==" not in line]
    return sorted(line for line in named if _name(line) not in NOT_IN_IMAGES)


def pins() -> list[str]:
    """The versions that this very installation runs with, or the checkout's locked ones: images get no others."""
    if CHECKOUT is not None:
        lines = (CHECKOUT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line and not line.startswith("#")]
    return sorted(f"{d.name}=={d.version}" for d in importlib.metadata.distributions() if d.name != "legoenv")


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def wheelhouse(python: Python) -> Path:
    """A folder with the wheels of all requirements, and pip's own; downloaded once for each set of versions."""
    wanted = [*requirements(), *pins(), str(python)]
    key = hashlib.blake2b("\n".join(wanted).encode(), digest_size=8).hexdigest()
    folder = registry.cache_folder() / "wheels" / key
    if (folder / "requirements.txt").is_file():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    constraints = folder.parent / f"{key}.constraints"
    constraints.write_text("\n".join(pins()), encoding="utf-8")
    tag = "cp" + python.version.replace(".", "")
    platforms = [word for platform in python.platforms for word in ("--platform", platform)]
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary=:all:",
        "--implementation", "cp", "--python-version", python.version, "--abi", tag, "--abi", "abi3", "--abi", "none", *platforms,
        "--dest", str(folder), "--constraint", str(constraints), *requirements(), "pip",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()[-1:]
        raise EngineError(f"the packages for the images cannot be downloaded: {one_line(' '.join(said[-1:]))}")
    constraints.unlink()
    # Written last: a wheelhouse without it was not finished.
    (folder / "requirements.txt").write_text("\n".join(requirements()) + "\n", encoding="utf-8")
    return folder


def sources() -> Iterator[tuple[str, Path]]:
    """Every file of the library, the apps and the atoms, by its place in the context."""
    yield from _tree("app/legoenv_mcp", PACKAGE, skip={"servers", "atoms_db", "containers"})
    yield "app/legoenv_mcp/servers/__init__.py", PACKAGE / "servers" / "__init__.py"
    for slug in registry.slugs():
        yield from _tree(f"app/legoenv_mcp/servers/{slug}", registry.folder(slug))
    taken = set[str]()
    for root in atoms_folders():  # as when they are read: of two files at one place, the earlier folder's
        for name, path in _tree("app/legoenv_mcp/atoms_db", root):
            if name not in taken:
                taken.add(name)
                yield name, path
    yield from _tree("containers", containers_folder())


def _tree(prefix: str, root: Path, skip: set[str] | None = None) -> Iterator[tuple[str, Path]]:
    for path in sorted(root.rglob("*")):
        place = path.relative_to(root)
        if path.is_file() and "__pycache__" not in place.parts and place.parts[0] not in (skip or ()):
            yield f"{prefix}/{place.as_posix()}", path


def fingerprint(wheels: Path) -> str:
    """A hash of all that goes into the images."""
    digest = hashlib.blake2b(digest_size=16)
    for name, path in sources():
        digest.update(f"{name}\0".encode())
        digest.update(path.read_bytes())
    digest.update("\n".join(sorted(p.name for p in wheels.iterdir())).encode())
    return digest.hexdigest()


def write_tar(target: IO[bytes], wheels: Path) -> None:
    """The context as a tar archive, the same bytes for the same sources."""
    with tarfile.open(fileobj=target, mode="w") as archive:
        _add(archive, "Dockerfile", containers_folder() / "Dockerfile")
        for path in sorted(wheels.iterdir()):
            _add(archive, f"wheels/{path.name}", path)
        for name, path in sources():
            _add(archive, name, path)


def _add(archive: tarfile.TarFile, name: str, path: Path) -> None:
    data = path.read_bytes()
    archive.addfile(entry(name, len(data), 0o755 if path.stat().st_mode & 0o100 else 0o644), BytesIO(data))


def entry(name: str, size: int, mode: int = 0o644, owner: int = 0) -> tarfile.TarInfo:
    """A file's head in an archive, with nothing in it of when and where it was made."""
    made = tarfile.TarInfo(name)
    made.size, made.mode, made.mtime, made.uid, made.gid = size, mode, MOMENT, owner, owner
    return made


def write_folder(target: Path, wheels: Path) -> None:
    """The context as a folder, for other builders (`docker buildx build`, kaniko)."""
    with (target / ".context.tar").open("w+b") as file:
        write_tar(file, wheels)
        file.seek(0)
        with tarfile.open(fileobj=file) as archive:
            archive.extractall(target, filter="data")
    (target / ".context.tar").unlink()
