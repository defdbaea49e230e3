"""A kill at any point: what was acknowledged is there afterwards, and nothing is half there.

LEGOENV_FAULT_RUNS says how often servers are killed (6; for the figure in docs/hardening.md, 200).
"""

import os
from pathlib import Path
from typing import Any

import httpx

from tests.support.crash import Kept, Writer, check_whole, run

RUNS = int(os.environ.get("LEGOENV_FAULT_RUNS", "6"))
CLIENTS = 4


def test_killed_gateways_have_lost_nothing(start_gateway: Any, tmp_path: Path) -> None:
    state, writers, calls, looked = tmp_path / "state", [Writer(n, controls=True) for n in range(CLIENTS)], 0, 0
    for number in range(RUNS - RUNS // 3):
        gateway = start_gateway("--db", str(state))
        with httpx.Client(base_url=gateway.url, timeout=60) as http:
            for writer in writers:
                writer.check(http)
        calls += run(gateway, writers, f"gateway {number}")
        looked += check_whole(state, tmp_path / "copy")
    gateway = start_gateway("--db", str(state))
    with httpx.Client(base_url=gateway.url, timeout=60) as http:
        for writer in writers:
            writer.check(http)
    left = {folder.name for folder in (state / "episodes").iterdir()}
    assert left >= {writer.kept.id for writer in writers if writer.kept.id}
    print(f"gateway: {RUNS - RUNS // 3} kills, {calls} calls acknowledged, {looked} journal entries looked at")


def test_killed_servers_have_lost_nothing(start_process: Any, tmp_path: Path) -> None:
    state, writers, calls, looked = tmp_path / "state", list[Writer](), 0, 0
    for number in range(RUNS // 3):
        if number % 16 == 0:
            state = tmp_path / f"state-{number}"
            writers = [Writer(n, controls=False) for n in range(CLIENTS)]
            for writer in writers:
                writer.kept = Kept(paths={slug: f"/apps/{slug}/rest" for slug in ("zendesk", "slack")})
        server = start_process("serve", "zendesk", "slack", "--http", "--port", "0", "--db", str(state))
        with httpx.Client(base_url=server.url, timeout=60) as http:
            for writer in writers:
                writer.check(http)
        calls += run(server, writers, f"serve {number}")
        looked += check_whole(state, tmp_path / "copy")
    server = start_process("serve", "zendesk", "slack", "--http", "--port", "0", "--db", str(state))
    with httpx.Client(base_url=server.url, timeout=60) as http:
        for writer in writers:
            writer.check(http)
    print(f"serve: {RUNS // 3} kills, {calls} calls acknowledged, {looked} journal entries looked at")
