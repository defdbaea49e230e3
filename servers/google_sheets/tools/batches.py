"""Many calls in one HTTP request, each of which succeeds or fails by itself. What is all or nothing is batch_update."""

from typing import Annotated

from legoenv_mcp.app import Ctx, Payload, Reply
from legoenv_mcp.styles.google import perform_batch

from ..app import app

_MOST = 100
Content = Annotated[bytes, Payload(mcp=False, raw=True)]


@app.post("/batch", tool="batch", effect="update", mcp=False)
def batch(ctx: Ctx, content: Content = b"") -> Reply:
    """Performs up to 100 calls, given as the parts of a multipart/mixed body. Each succeeds or fails by itself."""
    return perform_batch(ctx, content, _MOST)
