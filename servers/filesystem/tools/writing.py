"""Making, overwriting, editing and moving."""

from pydantic import BaseModel

from legoenv_mcp.app import Ctx, Field

from .. import tree
from ..app import app, refuse
from ..diff import unified
from ..edits import NotFound, apply
from ..models import Node
from ..paths import validate
from ..results import Text
from ..text import decode, unix_lines


class Edit(BaseModel):
    """One replacement."""

    oldText: str = Field(description="The text to replace, exactly as it stands in the file")
    newText: str = Field(description="The text to put in its place")


@app.post("/tools/write_file", tool="write_file", effect="update", title="Write File")
def write_file(ctx: Ctx, path: str, content: str) -> Text:
    """Make a file with this text, or replace all of a file that is there: it is overwritten without a warning. Its directory
    must exist. Works in the allowed directories only.

    path: The file, absolute or relative to an allowed directory.
    content: The file's whole text.
    """
    tree.write(ctx, validate(ctx, path), content.encode())
    return Text(content=f"Successfully wrote to {path}")


@app.post("/tools/edit_file", tool="edit_file", effect="update", idempotent=False, title="Edit File")
def edit_file(ctx: Ctx, path: str, edits: list[Edit], dryRun: bool = False) -> Text:
    """Edit a text file by lines: each edit replaces the first place where its old text stands with its new text, one after the
    other. Answers a git-style diff of what changed; if one edit does not fit, nothing changes. Works in the allowed
    directories only.

    path: The file, absolute or relative to an allowed directory.
    edits: The replacements, in order.
    dryRun: Show the diff and change nothing.
    """
    real = validate(ctx, path)
    before = after = unix_lines(decode(tree.read(ctx, real)))
    try:
        for edit in edits:
            after = apply(after, edit.oldText, edit.newText)
    except NotFound as error:
        raise refuse(400, str(error)) from None
    patch = unified(real, before, after)
    fence = "```"
    while fence in patch:
        fence += "`"
    node = ctx.db.get(Node, real)
    if not dryRun and node is not None:
        tree.replace(ctx, node, after.encode())
    return Text(content=f"{fence}diff\n{patch}{fence}\n\n")


@app.post(
    "/tools/create_directory", tool="create_directory", effect="create", idempotent=True, title="Create Directory"
)
def create_directory(ctx: Ctx, path: str) -> Text:
    """Make a directory and any missing directories above it; one that is there already is fine. Works in the allowed
    directories only.

    path: The directory, absolute or relative to an allowed directory.
    """
    tree.make_directories(ctx, validate(ctx, path))
    return Text(content=f"Successfully created directory {path}")


@app.post("/tools/move_file", tool="move_file", effect="update", idempotent=False, title="Move File")
def move_file(ctx: Ctx, source: str, destination: str) -> Text:
    """Move or rename a file or a directory with all in it. Fails where something is at the destination already, or where the
    destination's directory does not exist. Both must be in the allowed directories.

    source: What to move, absolute or relative to an allowed directory.
    destination: Its new path, with the new name, not only the directory to move it into.
    """
    tree.rename(ctx, validate(ctx, source), validate(ctx, destination))
    return Text(content=f"Successfully moved {source} to {destination}")
