"""The fleet as a package: `legoenv_mcp.servers.<slug>` lies in the checkout's `servers/`, else in the wheel's copy, else in a
folder of `LEGOENV_SERVERS`."""

import os
from pathlib import Path

_here = Path(__file__).resolve().parent
_checkout = _here.parent.parent / "servers"

__path__ = [
    str(_checkout if _checkout.is_dir() and (_checkout.parent / "pyproject.toml").is_file() else _here),
    *filter(None, os.environ.get("LEGOENV_SERVERS", "").split(os.pathsep)),
]
