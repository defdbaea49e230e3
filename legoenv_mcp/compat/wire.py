"""The wire of a worker: one JSON object a line on standard input and output.

`{"id": 1, "op": "call", ...}` is answered by `{"id": 1, "result": ...}` or `{"id": 1, "error": "..."}`. What the package prints
goes to standard error.
"""

import json
import os
import sys


class Refused(Exception):
    """What was asked for cannot be had; the message says why in one line."""


def serve(operations):
    """Answers requests with `operations[op](**arguments)` until standard input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"id": request.pop("id")}
        try:
            answer["result"] = operations[request.pop("op")](**request)
        except Refused as error:
            answer["error"] = str(error)
        except Exception as error:  # noqa: BLE001 - the package's own failure, told to whoever asked
            answer["error"] = f"{type(error).__name__}: {error}"
        out.write(json.dumps(answer, ensure_ascii=False, default=str) + "\n")
        out.flush()
