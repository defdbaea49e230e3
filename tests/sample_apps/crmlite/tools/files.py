"""Files, whose names have slashes and spaces."""

from typing import Any

from legoenv_mcp.app import Ctx, Reply

from ..app import app
from ..models import File


@app.get("/v2/files/{path}", tool="get_file", mcp=False)
def get_file(ctx: Ctx, path: str) -> File:
    """Gets one file; slashes in its path are escaped.

    path: The file's path.
    """
    return ctx.require(File, path)


@app.get("/v2/tree/{path:path}", tool="get_tree", mcp=False)
def get_tree(ctx: Ctx, path: str) -> Reply:
    """Gets one file's text, with a link to itself.

    path: The file's path.
    """
    return Reply(
        ctx.require(File, path).content, 200, {"Link": f'<{ctx.request.url}>; rel="self"'}, media_type="text/plain"
    )


@app.post("/v2/files:batch", tool="batch_get_files", effect="read", mcp=False)
def batch_get_files(ctx: Ctx, paths: list[str]) -> list[dict[str, Any]]:
    """Gets several files.

    paths: The files' paths.
    """
    return [ctx.require(File, path).model_dump() for path in paths]
