"""Many calls in one request. https://developers.google.com/workspace/gmail/api/guides/batch"""

from typing import Annotated

from legoenv_mcp.app import Ctx, Payload, Reply
from legoenv_mcp.styles.google import perform_batch

from ..app import app

Content = Annotated[bytes, Payload(mcp=False, raw=True)]
_MOST = 100


@app.post("/batch/gmail/v1", tool="batch", effect="update", mcp=False)
def batch(ctx: Ctx, content: Content = b"") -> Reply:
    """Performs up to 100 calls, given as the parts of a multipart/mixed body. Each succeeds or fails by itself."""
    return perform_batch(ctx, content, _MOST)


@app.post("/batch", tool="batch_global", effect="update", mcp=False)
def batch_global(ctx: Ctx, content: Content = b"") -> Reply:
    """The same at the address that clients know from the discovery document."""
    return perform_batch(ctx, content, _MOST)
