"""System calls over the rows. Every path given here is a real one, as `paths.validate` returns it."""

import posixpath
from collections.abc import Iterator

from legoenv_mcp.app import HEX, Ctx

from .app import errno, refuse
from .models import Node, made, stored
from .paths import allowed, check_length, name_too_long, strictly_below


def read(ctx: Ctx, path: str) -> bytes:
    """A file's bytes."""
    node = found(ctx, path, "open")
    if node.kind == "directory":
        raise errno("EISDIR", "read")
    return node.data


def found(ctx: Ctx, path: str, call: str) -> Node:
    """The row of what is at a path, which this system call asks for."""
    check_length(call, path)
    node = ctx.db.get(Node, path)
    if node is None:
        raise errno("ENOENT", call, path)
    return node


def scan(ctx: Ctx, path: str) -> list[Node]:
    """A directory's entries in the order of their names' bytes."""
    node = found(ctx, path, "scandir")
    if node.kind != "directory":
        raise errno("ENOTDIR", "scandir", path)
    return ctx.db.find(Node, parent=path)


def below(ctx: Ctx, path: str) -> dict[str, list[Node]]:
    """Everything below a directory, by parent, each directory's entries in the order of `scan`."""
    by_parent = dict[str, list[Node]]()
    for node in ctx.db.where(Node, "path > ? AND path < ?", (path.rstrip("/") + "/", path.rstrip("/") + "0")):
        by_parent.setdefault(node.parent, []).append(node)
    return by_parent


def walk(ctx: Ctx, path: str) -> Iterator[Node]:
    """Everything below a directory, each directory before its entries."""
    entries = below(ctx, path)
    pending = list(reversed(entries.get(path, [])))
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(entries.get(node.path, []))


def write(ctx: Ctx, path: str, data: bytes) -> None:
    """Makes a file, or puts a new one in the place of an old one, which keeps its permissions alone."""
    check_length("open", path)
    old = ctx.db.get(Node, path)
    if old is None:
        _parent(ctx, path, "open", path)
        ctx.db.add(made(path, ctx.timestamp(), data))
    else:
        replace(ctx, old, data)
    _changed(ctx, path)


def replace(ctx: Ctx, old: Node, data: bytes) -> None:
    """What an atomic write does: the bytes go to a scratch file beside the old one, and that is renamed over it."""
    scratch = f"{old.path}.{ctx.id('', 32, HEX, kind='scratch')}.tmp"
    check_length("open", scratch)
    if name_too_long(scratch):
        raise errno("ENAMETOOLONG", "open", scratch)
    if old.kind == "directory":
        raise errno("EISDIR", "rename", scratch, old.path)
    now = ctx.timestamp()
    ctx.db.update(old, **stored(data), created=now, modified=now, accessed=now)
    _changed(ctx, old.path)


def make_directories(ctx: Ctx, path: str) -> None:
    """A directory with all its parents, where they are not there yet."""
    check_length("mkdir", path)
    missing = list[str]()
    current = path
    while (node := ctx.db.get(Node, current)) is None:
        missing.append(current)
        current = posixpath.dirname(current)
    if node.kind != "directory":
        raise errno("EEXIST" if current == path else "ENOTDIR", "mkdir", path)
    for each in reversed(missing):
        if name_too_long(each):
            raise errno("ENAMETOOLONG", "mkdir", path)
        ctx.db.add(made(each, ctx.timestamp()))
        _changed(ctx, each)


def rename(ctx: Ctx, source: str, destination: str) -> None:
    """Moves a file, link or whole directory to a place where nothing is."""
    check_length("lstat", destination)
    if ctx.db.get(Node, destination) is not None:
        raise refuse(409, f"Destination already exists: {destination}")
    check_length("rename", source)
    node = ctx.db.get(Node, source)
    if node is None:
        raise errno("ENOENT", "rename", source, destination)
    _parent(ctx, destination, "rename", source, destination)
    if strictly_below(destination, source):
        raise errno("EINVAL", "rename", source, destination)
    if any(root == source or strictly_below(root, source) for root in allowed(ctx)):
        # An allowed directory is a mount point, as in the product's own container set-up.
        raise errno("EBUSY", "rename", source, destination)
    for each in [node, *walk(ctx, source)]:
        ctx.db.delete(each)
        path = destination + each.path[len(source) :]
        ctx.db.add(Node(**{**each.model_dump(), "path": path, "parent": posixpath.dirname(path)}))
    _changed(ctx, source)
    _changed(ctx, destination)


def _parent(ctx: Ctx, path: str, call: str, *named: str) -> None:
    """Refuses a new entry whose directory is not there."""
    parent = ctx.db.get(Node, posixpath.dirname(path))
    if parent is None:
        raise errno("ENOENT", call, *named)
    if parent.kind != "directory":
        raise errno("ENOTDIR", call, *named)


def _changed(ctx: Ctx, path: str) -> None:
    """An entry came, went or was replaced: its directory was modified."""
    parent = ctx.db.get(Node, posixpath.dirname(path))
    if parent is not None:
        ctx.db.update(parent, modified=ctx.timestamp())
