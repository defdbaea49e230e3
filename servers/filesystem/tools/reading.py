"""Reading files, and what is known of a file."""

import base64
from typing import Annotated

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field

from .. import tree
from ..app import app, refuse
from ..paths import validate
from ..results import Blob, Blocks, Embedded, Media, Text
from ..text import decode, extension, file_url, head, shown_date, tail

_MEDIA = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".bmp": "image/bmp",
    ".svg": "image/svg+xml", ".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".flac": "audio/flac",
}  # fmt: skip


def _text(ctx: Ctx, path: str, tail_lines: float | MISSING, head_lines: float | MISSING) -> Text:
    real = validate(ctx, path)
    last, first = tail_lines if tail_lines is not MISSING else 0, head_lines if head_lines is not MISSING else 0
    if last and first:
        raise refuse(400, "Cannot specify both head and tail parameters simultaneously")
    tree.found(ctx, real, "stat" if last else "open")
    if last < 0 or first < 0:
        return Text(content="")
    data = tree.read(ctx, real)
    return Text(content=tail(data, last) if last else head(data, first) if first else decode(data))


@app.post("/tools/read_file", tool="read_file", effect="read", title="Read File (Deprecated)")
def read_file(ctx: Ctx, path: str, tail: float | MISSING = MISSING, head: float | MISSING = MISSING) -> Text:
    """Read a whole file as text. DEPRECATED: use read_text_file, which does the same.

    path: The file, absolute or relative to an allowed directory.
    tail: Return the last N lines only.
    head: Return the first N lines only.
    """
    return _text(ctx, path, tail, head)


@app.post("/tools/read_text_file", tool="read_text_file", effect="read", title="Read Text File")
def read_text_file(ctx: Ctx, path: str, tail: float | MISSING = MISSING, head: float | MISSING = MISSING) -> Text:
    """Read one file as text, whatever its extension: the whole of it, or with `head` its first lines, or with `tail` its last
    lines (not both). Says why where the file cannot be read. Works in the allowed directories only.

    path: The file, absolute or relative to an allowed directory.
    tail: Return the last N lines only.
    head: Return the first N lines only.
    """
    return _text(ctx, path, tail, head)


@app.post("/tools/read_media_file", tool="read_media_file", effect="read", title="Read Media File")
def read_media_file(ctx: Ctx, path: str) -> Blocks:
    """Read a file as base64 with its MIME type: images and audio as such content, any other file as an embedded resource.
    Works in the allowed directories only.

    path: The file, absolute or relative to an allowed directory.
    """
    real = validate(ctx, path)
    kind = _MEDIA.get(extension(real), "application/octet-stream")
    data = base64.b64encode(tree.read(ctx, real)).decode()
    if kind == "application/octet-stream":
        resource = Blob(uri=file_url(real), mimeType=kind, blob=data)
        return Blocks(content=[Embedded(type="resource", resource=resource)])
    return Blocks(content=[Media(type="image" if kind.startswith("image/") else "audio", data=data, mimeType=kind)])


@app.post("/tools/read_multiple_files", tool="read_multiple_files", effect="read", title="Read Multiple Files")
def read_multiple_files(ctx: Ctx, paths: Annotated[list[str], Field(min_length=1)]) -> Text:
    """Read several files as text in one call, cheaper than one by one. Each file's text follows its path; a file that cannot
    be read shows its error there and does not stop the others. Works in the allowed directories only.

    paths: The files, each absolute or relative to an allowed directory.
    """

    def shown(path: str) -> str:
        try:
            return f"{path}:\n{decode(tree.read(ctx, validate(ctx, path)))}\n"
        except ApiError as error:
            return f"{path}: Error - {error.message}"

    return Text(content="\n---\n".join(shown(path) for path in paths))


@app.post("/tools/get_file_info", tool="get_file_info", effect="read", title="Get File Info")
def get_file_info(ctx: Ctx, path: str) -> Text:
    """Show what is known of a file or directory without its content: size, times of creation, last change and last access,
    type, permissions. Works in the allowed directories only.

    path: The file or directory, absolute or relative to an allowed directory.
    """
    node = tree.found(ctx, validate(ctx, path), "stat")
    facts = {
        "size": node.size,
        "created": shown_date(node.created),
        "modified": shown_date(node.modified),
        "accessed": shown_date(node.accessed),
        "isDirectory": str(node.kind == "directory").lower(),
        "isFile": str(node.kind == "file").lower(),
        "permissions": f"{node.mode:o}"[-3:],
    }
    return Text(content="\n".join(f"{name}: {value}" for name, value in facts.items()))
