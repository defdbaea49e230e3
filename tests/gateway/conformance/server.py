"""The gateway's own transport with the suite's server behind it: `server.py` prints the address it listens on."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from fixture import build

from legoenv_mcp.gateway.access import Names, Tokens
from legoenv_mcp.gateway.front import BODY_LIMIT, Front
from legoenv_mcp.gateway.running import address, bind, run

SERVERS: dict[str, Callable[[], Any]] = {"conformance": build}


def load() -> Any:
    from legoenv_mcp.gateway.fleet import Fleet

    # Event streams: this server sends notifications and asks its client, for which a JSON answer has no room.
    return Fleet(limit=10, idle=600, body_limit=BODY_LIMIT, tokens=Tokens(), json_response=False, servers=SERVERS)


listening = bind("127.0.0.1", 0)
url = address(listening, "127.0.0.1", None)
front = Front(load, names=Names("127.0.0.1"), tokens=Tokens())
run(front, listening, started=lambda: print(f"legoenv: serving at {url}", file=sys.stderr, flush=True))
