"""Many calls in one request. https://developers.google.com/workspace/drive/api/guides/performance#batch-requests"""

from legoenv_mcp.app import Ctx, Reply
from legoenv_mcp.styles.google import perform_batch

from ..app import Content, app

_MOST = 100


@app.post("/batch/drive/v3", tool="batch", effect="update", mcp=False)
def batch(ctx: Ctx, content: Content = b"") -> Reply:
    """Performs up to 100 calls, given as the parts of a multipart/mixed body. Each succeeds or fails by itself."""
    return perform_batch(ctx, content, _MOST)
