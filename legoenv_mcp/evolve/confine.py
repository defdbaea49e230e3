"""What a process may no longer do once it runs code that nobody has accepted yet.

Three rings: the source is inspected before it runs (imports and names, `inspect_source`); the process is put where there is no network
and under limits (`enter`); and an audit hook, which cannot be taken out again, ends it when it opens files it has no business with,
makes sockets or processes, or loads native code.
"""

import ast
import contextlib
import ctypes
import os
import resource
import sys
from pathlib import Path
from typing import Any

ALLOWED = (
    "__future__",
    "collections",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "html",
    "itertools",
    "json",
    "math",
    "re",
    "string",
    "textwrap",
    "typing",
    "typing_extensions",
    "unicodedata",
    "pydantic",
    "legoenv_mcp.app",
    "legoenv_mcp.capabilities",
)
FORBIDDEN_NAMES = frozenset(
    {
        "open",
        "exec",
        "eval",
        "compile",
        "__import__",
        "globals",
        "locals",
        "vars",
        "breakpoint",
        "input",
        "memoryview",
        "exit",
        "quit",
        "__builtins__",
        "__loader__",
        "__spec__",
        "help",
    }
)
FORBIDDEN_ATTRIBUTES = frozenset(
    {
        "connection",
        "_live",
        "template",
        "journal",
        "gi_frame",
        "cr_frame",
        "ag_frame",
        "f_globals",
        "f_builtins",
        "f_locals",
        "f_back",
        "tb_frame",
        "func_globals",
        "sys",
        "os",
        "modules",
    }
)
MEMORY = 2 << 30
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
_KILLED = 97


def inspect_source(text: str, app: str = "") -> list[str]:
    """What a source may not have, one line each: imports off the allow-list, names that reach out of the app, dunder attributes."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        return [f"it is no Python: {error}"]
    found = list[str]()
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Import):
            found += [f"line {line}: import of {a.name}" for a in node.names if not _allowed(a.name)]
        elif isinstance(node, ast.ImportFrom):
            name = node.module or ""
            if node.level > 2 or (not node.level and not _allowed(name)):
                found.append(f"line {line}: import from {'.' * node.level}{name}")
            found += [
                f"line {line}: import of {a.name}"
                for a in node.names
                if a.name in ("os", "sys", "subprocess", "socket", "*")
            ]
        elif isinstance(node, ast.Name) and node.id in FORBIDDEN_NAMES:
            found.append(f"line {line}: {node.id}")
        elif isinstance(node, ast.Attribute):
            dunder = node.attr.startswith("__") and node.attr.endswith("__")
            if dunder or node.attr in FORBIDDEN_ATTRIBUTES:
                found.append(f"line {line}: .{node.attr}")
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and "__" in node.value and "{" in node.value
        ):
            found.append(f"line {line}: a format text that reaches for attributes")
    return found


def _allowed(name: str) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in ALLOWED)


def enter(work: Path, *, seconds: int) -> None:
    """Confines this process for good: `work` is the only folder it may write to."""
    limits = (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, max(5, seconds)),
        (resource.RLIMIT_FSIZE, 64 << 20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 256),
    )
    for what, most in limits:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))
    without_network()
    readable = _readable()
    writable = tuple({str(work.resolve()), str(Path(os.environ.get("LEGOENV_CACHE", work)).resolve())})
    sys.addaudithook(lambda event, args: _watch(event, args, readable, writable))


def without_network() -> bool:
    """Leaves the network behind, where the system lets a process do so: in a namespace of its own there is none."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        return libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 or libc.unshare(CLONE_NEWNET) == 0
    except (OSError, AttributeError):
        return False


def _readable() -> tuple[str, ...]:
    """The folders that an app is imported from and filled from."""
    package = Path(__file__).resolve().parents[1]
    found = {
        sys.prefix,
        sys.base_prefix,
        str(package),
        *(p for p in sys.path if p and Path(p).name in ("site-packages", "lib")),
    }
    for name in ("LEGOENV_SERVERS", "LEGOENV_ATOMS", "LEGOENV_CACHE"):
        found |= set(filter(None, os.environ.get(name, "").split(os.pathsep)))
    for name in ("servers", "atoms_db"):
        found.add(str(package.parent / name))
    return (*tuple(str(Path(p).resolve()) for p in found), "/usr/share/zoneinfo", "/usr/lib", "/usr/local/lib")


_PROCESSES = (
    "os.system",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "subprocess.Popen",
    "pty.spawn",
    "os.kill",
    "os.killpg",
    "socket.",
    "ctypes.",
    "os.chmod",
    "os.chown",
    "os.symlink",
    "os.link",
    "signal.pthread_kill",
    "ftplib.",
    "urllib.",
    "http.client",
)


def _watch(event: str, args: tuple[Any, ...], readable: tuple[str, ...], writable: tuple[str, ...]) -> None:
    if event == "open":
        _watch_open(args, readable, writable)
    elif event in ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "shutil.rmtree", "os.truncate"):
        if not _within(args[0], writable):
            raise PermissionError(f"{event} of {args[0]} is not allowed here")
    elif event.startswith(_PROCESSES):
        raise PermissionError(f"{event} is not allowed here")


def _watch_open(args: tuple[Any, ...], readable: tuple[str, ...], writable: tuple[str, ...]) -> None:
    path, mode, flags = args[0], args[1], args[2] if len(args) > 2 else 0
    if isinstance(path, int):
        return
    writes = (isinstance(mode, str) and any(c in mode for c in "wax+")) or bool(
        isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    )
    if not _within(path, writable if writes else (*readable, *writable)) and os.fspath(path) != os.devnull:
        if writes and "__pycache__" in os.fsdecode(path):
            raise PermissionError("no compiled code is kept")  # Python goes on without
        raise PermissionError(f"opening {os.fsdecode(path)} is not allowed here")


def _within(path: Any, folders: tuple[str, ...]) -> bool:
    real = os.path.realpath(os.fsdecode(path))
    return any(real == f or real.startswith(f + os.sep) for f in folders)
