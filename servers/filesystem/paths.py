"""From the path a caller names to the place in the tree it really is, or a refusal: nothing outside is ever reached.

Two steps, as in the reference: the path as written must lie in an allowed directory, and so must where its links lead.
"""

import posixpath
import re
import unicodedata

from legoenv_mcp.app import Ctx

from .app import errno, refuse
from .models import AllowedDirectory, Node

HOME = "/home/user"
NAME_MAX, PATH_MAX, LINKS_MAX = 255, 4096, 40


class Missing(Exception):
    """A path ends at something that is not there."""


def allowed(ctx: Ctx) -> list[str]:
    """The allowed directories in their order."""
    return [row.path for row in ctx.db.find(AllowedDirectory, order="position")]


def within(path: str, roots: list[str]) -> bool:
    """Whether a normalised absolute path is one of these directories or below one."""
    return "\0" not in path and any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)


def resolve(*parts: str) -> str:
    """The parts joined and normalised. Two leading slashes are one, other than in Python's own normpath."""
    return "/" + posixpath.normpath("/" + posixpath.join(*parts)).lstrip("/")


def validate(ctx: Ctx, requested: str) -> str:
    """The real path of what the caller names, which need not exist yet; a refusal where it is outside."""
    roots = allowed(ctx)
    path = HOME + requested[1:] if requested == "~" or requested.startswith("~/") else requested
    if re.match(r"[A-Za-z]:([\\/]|$)", path):
        raise refuse(403, f"Access denied - Windows-style path received on a POSIX host: {requested}")
    absolute = resolve(path) if path.startswith("/") else _relative(path, roots)
    if not within(absolute, roots):
        raise refuse(403, f"Access denied - path outside allowed directories: {absolute} not in {', '.join(roots)}")
    try:
        return inside(realpath(ctx, absolute, roots), roots)
    except Missing:
        return _equivalent(ctx, absolute, roots)


def inside(real: str, roots: list[str]) -> str:
    """The path itself, where it is in an allowed directory."""
    if not within(real, roots):
        raise refuse(
            403, f"Access denied - symlink target outside allowed directories: {real} not in {', '.join(roots)}"
        )
    return real


def _relative(path: str, roots: list[str]) -> str:
    """A relative path below the first allowed directory for which it stays in an allowed one."""
    candidates = [resolve(root, path) for root in roots]
    return next((c for c in candidates if within(c, roots)), candidates[0])


def realpath(ctx: Ctx, absolute: str, roots: list[str], known: str = "/") -> str:
    """The path with every link followed. What lies outside the allowed directories is unknown and taken as it is named.

    known: A part from the start of the path that is a real one already.
    """
    current, links = known, 0
    pending = _names(absolute[len(known) :])
    while pending:
        name = pending.pop()
        if name == "..":
            current = posixpath.dirname(current)
            continue
        if len(name.encode()) > NAME_MAX:
            raise errno("ENAMETOOLONG", "realpath", absolute)
        step = posixpath.join(current, name)
        node = ctx.db.get(Node, step)
        if node is None and within(step, roots):
            raise Missing(step)
        if node is not None and node.kind == "symlink":
            links += 1
            if links > LINKS_MAX:
                raise errno("ELOOP", "realpath", absolute)
            target = node.target or ""
            current = "/" if target.startswith("/") else current
            pending += _names(target)
            continue
        if node is not None and node.kind == "file" and pending:
            raise errno("ENOTDIR", "realpath", absolute)
        current = step
    return current


def real_place(ctx: Ctx, path: str) -> str:
    """The real path of something in the tree, wherever it leads. Missing, or a refusal, where it leads nowhere."""
    return realpath(ctx, path, allowed(ctx))


def _names(path: str) -> list[str]:
    """The names in a path, the last first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


def _equivalent(ctx: Ctx, absolute: str, roots: list[str]) -> str:
    """A path that is not there as written: its names may be there in another Unicode form, else it is one to be made."""
    root = max((r for r in roots if within(absolute, [r])), key=len)
    names = [name for name in absolute[len(root) :].split("/") if name]
    parent = posixpath.dirname(absolute)
    try:
        current = realpath(ctx, root, roots)
        for index, name in enumerate(names):
            found = _in_any_form(ctx, current, name)
            if found is None:
                return posixpath.join(current, *names[index:])
            current = inside(realpath(ctx, found, roots, current), roots)
    except Missing:
        raise refuse(404, f"Parent directory does not exist: {parent}") from None
    return current


def _in_any_form(ctx: Ctx, directory: str, name: str) -> str | None:
    """The path of the entry of this name, in whatever Unicode form its name is."""
    node = ctx.db.get(Node, directory)
    if node is not None and node.kind != "directory":
        raise errno("ENOTDIR", "scandir", directory)
    exact = posixpath.join(directory, name)
    if ctx.db.get(Node, exact) is not None:
        return exact
    wanted = unicodedata.normalize("NFC", name)
    found = [n for n in ctx.db.find(Node, parent=directory) if unicodedata.normalize("NFC", n.name) == wanted]
    if len(found) > 1:
        raise refuse(409, f"Ambiguous Unicode path component: {name}")
    return found[0].path if found else None


def strictly_below(path: str, other: str) -> bool:
    return path.startswith(other.rstrip("/") + "/")


def check_length(call: str, path: str) -> None:
    """What the operating system refuses of a whole path; names in it were looked at when it was resolved."""
    if len(path.encode()) >= PATH_MAX:
        raise errno("ENAMETOOLONG", call, path)


def name_too_long(path: str) -> bool:
    return len(path.rsplit("/", 1)[-1].encode()) > NAME_MAX
