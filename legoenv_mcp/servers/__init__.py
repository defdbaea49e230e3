"""The fleet as a package: `legoenv_mcp.servers.<slug>` lies in a folder of `LEGOENV_SERVERS`, else in the checkout's `servers/`, else
in the wheel's copy. An app in an earlier one hides that of the same slug in later ones, as with atoms."""

import os
from pathlib import Path

_here = Path(__file__).resolve().parent
_checkout = _here.parent.parent / "servers"

__path__ = [
    *filter(None, os.environ.get("LEGOENV_SERVERS", "").split(os.pathsep)),
    str(_checkout if _checkout.is_dir() and (_checkout.parent / "pyproject.toml").is_file() else _here),
]
