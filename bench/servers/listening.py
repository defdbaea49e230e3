"""What the peers' servers have in common: a free port, said on standard error, served by uvicorn at its best. Runs in each peer's own
environment, so it imports nothing of this project."""

import socket
import sys
from typing import Any

import uvicorn


def serve(app: Any, path: str = "") -> None:
    """Serves an ASGI application until it is killed."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="error", access_log=False, loop="uvloop", http="httptools")
        print(f"http://127.0.0.1:{listening.getsockname()[1]}{path}", file=sys.stderr, flush=True)
        uvicorn.Server(config).run(sockets=[listening])
