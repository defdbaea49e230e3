"""Listing directories and finding files."""

import json
from typing import Literal

from legoenv_mcp.app import ApiError, Ctx, Field

from .. import tree
from ..app import app, refuse
from ..glob import matches
from ..models import Node
from ..paths import Missing, allowed, real_place, strictly_below, validate
from ..results import Text
from ..text import collation, formatted_size, padded


def _label(node: Node) -> str:
    return "[DIR]" if node.kind == "directory" else "[FILE]"


@app.post("/tools/list_directory", tool="list_directory", effect="read", title="List Directory")
def list_directory(ctx: Ctx, path: str) -> Text:
    """List what is directly in a directory, one entry a line, marked [FILE] or [DIR]. Works in the allowed directories only.

    path: The directory, absolute or relative to an allowed directory.
    """
    return Text(content="\n".join(f"{_label(node)} {node.name}" for node in tree.scan(ctx, validate(ctx, path))))


@app.post(
    "/tools/list_directory_with_sizes",
    tool="list_directory_with_sizes",
    effect="read",
    title="List Directory with Sizes",
)
def list_directory_with_sizes(ctx: Ctx, path: str, sortBy: Literal["name", "size"] = "name") -> Text:
    """List what is directly in a directory with the sizes of its files, marked [FILE] or [DIR], and their number and total size
    at the end. Works in the allowed directories only.

    path: The directory, absolute or relative to an allowed directory.
    sortBy: Sort the entries by name, or the largest first.
    """
    entries = [(node, _size(ctx, node)) for node in tree.scan(ctx, validate(ctx, path))]
    entries.sort(key=(lambda e: -e[1]) if sortBy == "size" else (lambda e: collation(e[0].name)))
    files = [size for node, size in entries if node.kind != "directory"]
    lines = [
        f"{_label(node)} {padded(node.name, 30)} " + (f"{formatted_size(size):>10}" if node.kind != "directory" else "")
        for node, size in entries
    ]
    totals = [
        f"Total: {len(files)} files, {len(entries) - len(files)} directories",
        f"Combined size: {formatted_size(sum(files))}",
    ]
    return Text(content="\n".join([*lines, "", *totals]))


def _size(ctx: Ctx, node: Node) -> int:
    """An entry's size, of a link that of what it leads to; nothing where that is not there or not ours."""
    if node.kind != "symlink":
        return node.size
    try:
        found = ctx.db.get(Node, real_place(ctx, node.path))
    except (ApiError, Missing):
        return 0
    return found.size if found else 0


@app.post("/tools/directory_tree", tool="directory_tree", effect="read", title="Directory Tree")
def directory_tree(ctx: Ctx, path: str, excludePatterns: list[str] = Field(default_factory=list)) -> Text:
    """Show a directory and all below it as JSON, indented by two: each entry has `name`, `type` (file or directory) and, a
    directory, `children`, which may be empty. Works in the allowed directories only.

    path: The directory, absolute or relative to an allowed directory.
    excludePatterns: Glob patterns of entries to leave out, matched against paths relative to the directory; one without `*`
        leaves out entries of that name at any depth.
    """
    real = validate(ctx, path)
    children = {real: tree.scan(ctx, real), **tree.below(ctx, real)}
    try:
        kept = {
            parent: [node for node in nodes if not any(_excluded(_relative(node, real), p) for p in excludePatterns)]
            for parent, nodes in children.items()
        }
    except ValueError as error:
        raise refuse(400, str(error)) from None
    return Text(content=_as_json(kept, real))


def _excluded(path: str, pattern: str) -> bool:
    if "*" in pattern:
        return matches(path, pattern)
    return any(matches(path, each) for each in (pattern, f"**/{pattern}", f"**/{pattern}/**"))


def _relative(node: Node, root: str) -> str:
    return node.path[len(root.rstrip("/")) + 1 :]


def _as_json(children: dict[str, list[Node]], root: str) -> str:
    """The tree as `JSON.stringify(tree, null, 2)` writes it. Trees may be deeper than Python's stack."""
    out, work = list[str](), list[str | tuple[str, int]]([(root, 0)])
    while work:
        item = work.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        path, level = item
        nodes, pad = children.get(path, []), "  " * level
        if not nodes:
            out.append("[]")
            continue
        todo: list[str | tuple[str, int]] = ["["]
        for index, node in enumerate(nodes):
            name, kind = json.dumps(node.name, ensure_ascii=False), "directory" if node.kind == "directory" else "file"
            todo.append(f'{"," if index else ""}\n{pad}  {{\n{pad}    "name": {name},\n{pad}    "type": "{kind}"')
            if kind == "directory":
                todo += [f',\n{pad}    "children": ', (node.path, level + 2)]
            todo.append(f"\n{pad}  }}")
        work += reversed([*todo, f"\n{pad}]"])
    return "".join(out)


@app.post("/tools/search_files", tool="search_files", effect="read", title="Search Files")
def search_files(ctx: Ctx, path: str, pattern: str, excludePatterns: list[str] = Field(default_factory=list)) -> Text:
    """Find files and directories below a directory by a glob pattern on their paths relative to it: `*.md` finds those directly
    in it, `**/*.md` those at any depth. Answers full paths, one a line. Upper and lower case differ. Works in the allowed
    directories only.

    path: The directory to search, absolute or relative to an allowed directory.
    pattern: The glob pattern.
    excludePatterns: Glob patterns of entries to leave out, with all below them.
    """
    real = validate(ctx, path)
    tree.scan(ctx, real)
    found, skipped = list[str](), ""
    for node in tree.walk(ctx, real):
        if skipped and strictly_below(node.path, skipped):
            continue
        relative = _relative(node, real)
        try:
            if node.kind == "symlink":
                validate(ctx, node.path)
            if any(matches(relative, each) for each in excludePatterns):
                skipped = node.path
                continue
            if matches(relative, pattern):
                found.append(node.path)
        except (ApiError, ValueError):
            # An entry that may not be looked at, or a pattern that is none, finds nothing.
            skipped = node.path
    return Text(content="\n".join(found) or "No matches found")


@app.post(
    "/tools/list_allowed_directories", tool="list_allowed_directories", effect="read", title="List Allowed Directories"
)
def list_allowed_directories(ctx: Ctx) -> Text:
    """List the directories that this server may work in; all below them is open to it as well. Tells where to start."""
    return Text(content="Allowed directories:\n" + "\n".join(allowed(ctx)))
