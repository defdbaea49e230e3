"""The health check: asks the server in this container whether it is well. One that speaks stdio has no port, and is well while it runs."""

import os
import sys
import urllib.error
import urllib.request
from pathlib import Path


def main() -> int:
    words = Path("/proc/1/cmdline").read_bytes().split(b"\0")
    if b"gateway" not in words and b"--http" not in words:
        return 0
    port = words[words.index(b"--port") + 1].decode() if b"--port" in words else os.environ["LEGOENV_PORT"]
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=4) as answer:
            return answer.status != 200
    except urllib.error.HTTPError as error:
        return error.code != 404  # it lets its episodes end: that is as it should be
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1


sys.exit(main())
