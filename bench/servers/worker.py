"""Environments that live in their caller's process: `PYTHON worker.py legoenv|tau2`. Reads commands from standard input, a JSON object a
line, and answers each with a line. Runs in the contender's own environment, so nothing of this project is imported but by its own side.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Call = Callable[[str], str]
"""One episode: kind of call -> the text that an agent reads."""


def legoenv() -> Callable[[], Call]:
    """Our Shopify, filled from the default world, as evaluation and training in process use it."""
    from legoenv_mcp import templates
    from legoenv_mcp.faces.toolbox import Toolbox

    tools = Toolbox(["shopify"])
    first = json.loads(tools.call(templates.episode(["shopify"]), "list_orders", {"limit": 20}).text)["orders"][0]
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "read": ("get_order", {"order_id": first["id"]}),
        "list": ("list_customers", {"limit": 20, "fields": "id,first_name,last_name"}),
        "write": ("update_order", {"order_id": first["id"], "order": {"id": first["id"], "note": "New"}}),
    }

    def episode() -> Call:
        lived = templates.episode(["shopify"])

        def call(kind: str) -> str:
            called = tools.call(lived, *calls[kind])
            if called.error:
                raise RuntimeError(called.text)
            return called.text

        return call

    return episode


def tau2() -> Callable[[], Call]:
    """tau2's retail domain; its log of every call is turned off, which makes it 5 times as fast."""
    from loguru import logger

    logger.remove()
    from tau2.data_model.message import ToolCall
    from tau2.domains.retail.environment import get_environment

    db = get_environment().tools.db
    address = {
        "address1": "1 New Road",
        "address2": "",
        "city": "Bend",
        "state": "OR",
        "country": "USA",
        "zip": "97701",
    }
    pending = next(order.order_id for order in db.orders.values() if order.status == "pending")
    calls = {
        "read": ("get_order_details", {"order_id": pending}),
        "list": ("list_all_product_types", {}),
        "write": ("modify_pending_order_address", {"order_id": pending, **address}),
    }

    def episode() -> Call:
        environment = get_environment()

        def call(kind: str) -> str:
            name, arguments = calls[kind]
            answer = environment.get_response(ToolCall(id="1", name=name, arguments=arguments, requestor="assistant"))
            if answer.error:
                raise RuntimeError(answer.content)
            return answer.content

        return call

    return episode


class Worker:
    """The commands."""

    def __init__(self, make: Callable[[], Call]) -> None:
        self._make = make
        self._call = make()
        self._call("read")

    def look(self, kind: str) -> str:
        return self._call(kind)

    def latencies(self, kind: str, calls: int, after: str) -> list[float]:
        call, times = self._call, list[float]()
        for _ in range(calls):
            if after:
                call(after)
            start = time.perf_counter()
            call(kind)
            times.append(time.perf_counter() - start)
        return times

    def throughput(self, kinds: list[str], calls: int) -> float:
        call = self._make()
        call("read")
        start = time.perf_counter()
        for n in range(calls):
            call(kinds[n % len(kinds)])
        return calls / (time.perf_counter() - start)

    def episode(self, kinds: list[str]) -> float:
        start = time.perf_counter()
        call = self._make()
        for kind in kinds:
            call(kind)
        return time.perf_counter() - start

    def hold(self, episodes: int) -> float:
        before, held = self.memory(), list[Call]()
        for _ in range(episodes):
            call = self._make()
            call("read")
            call("write")
            held.append(call)
        return max(0.0, (self.memory() - before) / episodes)

    def memory(self) -> float:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def main() -> None:
    worker = Worker({"legoenv": legoenv, "tau2": tau2}[sys.argv[1]]())
    out = sys.stdout
    sys.stdout = sys.stderr  # what a library prints must not be taken for an answer
    print(json.dumps("ready"), file=out, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(getattr(worker, asked.pop("do"))(**asked)), file=out, flush=True)


if __name__ == "__main__":
    main()
