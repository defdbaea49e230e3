"""Apps in containers: what they are refused, how they are reached, what survives."""

import json
import os
import signal
import socket
import threading
import time
from typing import Any

import httpx
import pytest
from fastmcp import Client

from tests.docker.conftest import TestFleet, legoenv

pytestmark = pytest.mark.docker

NET = """
import socket
try:
    socket.create_connection(("{host}", {port}), 3).close()
    print("reached")
except OSError as error:
    print("refused")
"""


async def test_a_foreign_client_runs_the_printed_configuration() -> None:
    """FastMCP's client starts `docker run -i` itself, as desktop clients do."""
    configuration = json.loads(legoenv("config", "slack", "--docker").stdout)
    async with Client(configuration) as client:
        names = {tool.name for tool in await client.list_tools()}
        listed = {tool["name"] for tool in json.loads(legoenv("tools", "slack", "--json").stdout)}
        assert names == listed
        told = await client.call_tool("auth_test", {}, raise_on_error=False)
        assert not told.is_error


async def test_up_serves_mcp_and_rest_behind_one_address(fleet: TestFleet) -> None:
    up = fleet.up("slack", "stripe")
    async with Client(up["stripe"]["mcp"]) as client:
        assert {tool.name for tool in await client.list_tools()} >= {"create_customer", "list_customers"}
        made = await client.call_tool("create_customer", {"email": "ada@acme.example", "name": "Ada"})
    key = made.structured_content["id"] if made.structured_content else ""
    found = httpx.get(f"{up['stripe']['rest']}/v1/customers/{key}", auth=("sk_test_1", ""))
    assert found.json()["email"] == "ada@acme.example", "both faces show one episode"
    port = httpx.URL(up["slack"]["mcp"]).port
    # For SDKs that take a host and no path. The name is given by hand: not every resolver knows *.localhost.
    own = httpx.post(
        f"http://127.0.0.1:{port}/api/auth.test",
        headers={"Host": f"slack.localhost:{port}", "Authorization": "Bearer xoxb-1"},
    )
    assert own.json()["ok"] is True
    absent = httpx.get(f"http://127.0.0.1:{port}/apps/notion/mcp")
    assert (absent.status_code, absent.json()["type"]) == (503, "urn:legoenv:problem:not-up")
    again = fleet.up("slack", "stripe")
    assert again["stripe"]["mcp"] == up["stripe"]["mcp"]
    assert httpx.get(f"{again['stripe']['rest']}/v1/customers/{key}", auth=("sk", "")).status_code == 200, "left alone"
    shown = json.loads(fleet.run("ps", "--json").stdout)
    assert [(one["app"], one["state"]) for one in shown] == [("slack", "running"), ("stripe", "running")]
    assert "legoenv: serving slack" in fleet.run("logs", "slack").stdout
    used = json.loads(fleet.run("stats", "--json").stdout)
    assert {one["app"] for one in used} == {"slack", "stripe"}
    assert all(0 < one["memory"] < one["limit"] == 256 * 2**20 for one in used)
    assert fleet.run("reset", "stripe").returncode == 0
    assert httpx.get(f"{again['stripe']['rest']}/v1/customers/{key}", auth=("sk", "")).status_code == 404


def test_containers_may_next_to_nothing(fleet: TestFleet, engine: Any) -> None:
    up = fleet.up("slack", "--memory", "200m", "--cpus", "0.5", "--pids", "40")
    container = fleet.container("slack")
    host = container.attrs["HostConfig"]
    assert (host["Memory"], host["NanoCpus"], host["PidsLimit"]) == (200 * 2**20, 500_000_000, 40)
    assert host["ReadonlyRootfs"]
    assert host["CapDrop"] == ["ALL"]
    assert host["SecurityOpt"] == ["no-new-privileges:true"]
    status = fleet.run("exec", "slack", "--", "cat", "/proc/1/status").stdout
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert facts["Uid"].split() == ["10001"] * 4
    assert {int(facts[f"Cap{kind}"], 16) for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {0}
    assert facts["NoNewPrivs"] == "1"
    for place in ("/x", "/opt/legoenv/x", "/data/x"):
        tried = fleet.run("exec", "slack", "--", "touch", place)
        assert (tried.returncode, "Read-only" in tried.stderr) == (1, True), place
    # No way out: not to the world, not to this machine's other ports; and no names are looked up for it.
    with socket.create_server(("0.0.0.0", 0)) as here:
        assert list(container.attrs["NetworkSettings"]["Networks"]) == [fleet.name]
        outside = _address_of_this_machine()
        for host_name, port in (("1.1.1.1", 53), (outside, here.getsockname()[1])):
            said = fleet.run("exec", "slack", "--", "python", "-c", NET.format(host=host_name, port=port)).stdout
            assert said.strip() == "refused", host_name
    lookup = "import socket\ntry: print(socket.getaddrinfo('example.com', 80))\nexcept OSError: print('unknown')"
    assert fleet.run("exec", "slack", "--", "python", "-c", lookup).stdout.strip() == "unknown"
    assert container.attrs["NetworkSettings"]["Ports"] in ({}, {"8000/tcp": None})
    ports = fleet.container("router").attrs["NetworkSettings"]["Ports"]["8080/tcp"]
    assert [one["HostIp"] for one in ports] == ["127.0.0.1"]
    assert str(ports[0]["HostPort"]) == str(httpx.URL(up["slack"]["mcp"]).port)


def _address_of_this_machine() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return str(probe.getsockname()[0])


def test_containers_become_healthy(fleet: TestFleet) -> None:
    fleet.up("slack")
    deadline = time.monotonic() + 90
    health = ""
    while health != "healthy" and time.monotonic() < deadline:
        time.sleep(0.5)
        health = json.loads(fleet.run("ps", "--json").stdout)[0]["health"]
    assert health == "healthy"


def test_acknowledged_writes_survive_a_kill_in_the_middle_of_writing(fleet: TestFleet) -> None:
    up = fleet.up("stripe", "--persist", "--world", "empty")
    url, headers = f"{up['stripe']['rest']}/v1/customers", {"Authorization": "Bearer sk_test_1"}
    acknowledged, unsure, stop = list[str](), list[str](), threading.Event()

    def write(worker: int) -> None:
        with httpx.Client(timeout=5) as http:
            for n in range(100_000):
                if stop.is_set():
                    return
                form = {"name": f"{worker}-{n}", "metadata[whole]": "yes"}
                try:
                    answer = http.post(url, data=form, headers=headers).raise_for_status()
                    acknowledged.append(answer.json()["id"])
                except httpx.HTTPError:
                    unsure.append(form["name"])
                    time.sleep(0.05)

    workers = [threading.Thread(target=write, args=(n,)) for n in range(3)]
    for worker in workers:
        worker.start()
    while len(acknowledged) < 40:
        time.sleep(0.01)
    fleet.container("stripe").kill(signal.SIGKILL)
    stop.set()
    for worker in workers:
        worker.join()
    assert fleet.up("stripe", "--persist", "--world", "empty")["stripe"]["state"] == "running"
    url = f"{json.loads(fleet.run('ps', '--json').stdout)[0]['rest']}/v1/customers"
    found, cursor = dict[str, dict[str, Any]](), ""
    while True:
        page = httpx.get(url, params={"limit": 100} | ({"starting_after": cursor} if cursor else {}), headers=headers)
        rows = page.raise_for_status().json()
        found |= {row["id"]: row for row in rows["data"]}
        if not rows["has_more"]:
            break
        cursor = rows["data"][-1]["id"]
    assert set(acknowledged) <= set(found), "every acknowledged write is there"
    others = [row["name"] for row in found.values() if row["id"] not in acknowledged]
    assert set(others) <= set(unsure), "and of the rest only some that were not answered"
    assert len(others) == len(set(others)), "none of them twice"
    assert all(row["metadata"] == {"whole": "yes"} for row in found.values()), "none by half"
    assert fleet.run("down").returncode == 0
    fleet.up("stripe", "--persist", "--world", "empty")
    url = f"{json.loads(fleet.run('ps', '--json').stdout)[0]['rest']}/v1/customers"
    assert httpx.get(url, params={"limit": 1}, headers=headers).json()["data"], "down keeps what --persist kept"
    wrong = fleet.run("up", "stripe", "--persist", "--world", "quaymark")
    assert wrong.returncode == 1
    assert "holds a state of the world 'empty'" in wrong.stderr
    assert len(wrong.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_one_line(fleet: TestFleet) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = fleet.run("up", "slack", "--port", str(port))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert f"port {port}: the port is in use" in done.stderr
    assert "--port" in done.stderr


def test_an_image_that_is_not_built_is_one_line(fleet: TestFleet) -> None:
    done = legoenv("fleet", "up", "slack", "--fleet", fleet.name, env={**os.environ, "LEGOENV_IMAGES": "nobody"})
    assert done.returncode == 1
    assert done.stderr == "legoenv: not built yet: nobody/slack, nobody/router; run `legoenv fleet build slack`\n"
