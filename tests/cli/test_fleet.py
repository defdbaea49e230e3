"""`legoenv fleet` where no engine is needed: manifests by Kubernetes's own schemas, the catalogue, and what is said when things fail."""

import json
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml


def fleet(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "legoenv_mcp.cli", "fleet", *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **environment}
    )


def documents(kind: str, *words: str) -> list[dict[str, Any]]:
    done = fleet("manifest", "--kind", kind, *words)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


@pytest.mark.parametrize(
    "words", [("--replicas", "3"), ("--persist",), ("slack", "google_sheets", "--persist", "--world", "empty")]
)
def test_kubernetes_accepts_every_object(words: tuple[str, ...]) -> None:
    for document in documents("k8s", *words):
        kubernetes_validate.validate(document, "1.34", strict=True)


def test_the_validator_would_notice() -> None:
    """A check that cannot fail is none: a misspelt field is refused."""
    (replicas,) = [d for d in documents("k8s") if d["kind"] == "StatefulSet"]
    replicas["spec"]["template"]["spec"]["terminationGracePeriod"] = 1
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(replicas, "1.34", strict=True)


def test_kubernetes_gateway_is_probed_limited_bounded_and_refused_the_world() -> None:
    by_kind = dict[str, list[dict[str, Any]]]()
    for document in documents("k8s", "--replicas", "3", "--drain", "100"):
        by_kind.setdefault(document["kind"], []).append(document)
    spec = by_kind["StatefulSet"][0]["spec"]
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    assert spec["replicas"] == 3
    assert pod["terminationGracePeriodSeconds"] > 100, "longer than it may drain"
    assert pod["securityContext"]["runAsNonRoot"]
    assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container)
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert set(container["resources"]["limits"]) == {"cpu", "memory"}
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert {d["metadata"]["name"] for d in by_kind["PodDisruptionBudget"]} == {"gateway", "router"}
    policies = {d["metadata"]["name"]: d["spec"] for d in by_kind["NetworkPolicy"]}
    assert policies["gateway"]["egress"] == []
    assert "Egress" in policies["gateway"]["policyTypes"]


def test_every_selector_selects_the_pods_it_means() -> None:
    """Services, budgets and policies are joined to pods by labels alone: a typing error would go unnoticed by any schema."""
    made = documents("k8s")
    pods = [d["spec"]["template"]["metadata"]["labels"] for d in made if d["kind"] in ("StatefulSet", "Deployment")]
    for document in made:
        spec = document["spec"]
        wanted = spec.get("podSelector", spec.get("selector"))
        labels = wanted.get("matchLabels", wanted)
        assert any(labels.items() <= pod.items() for pod in pods), document["metadata"]["name"]


def test_compose_and_swarm_name_each_replica() -> None:
    (compose,) = documents("compose", "--replicas", "3")
    assert set(compose["services"]) == {"gateway-1", "gateway-2", "gateway-3", "router"}
    assert compose["networks"]["inside"]["internal"] is True
    assert compose["services"]["router"]["ports"] == ["127.0.0.1:8765:8080"]
    (swarm,) = documents("swarm", "--replicas", "3")
    gateway = swarm["services"]["gateway"]
    assert gateway["hostname"] == gateway["environment"]["LEGOENV_REPLICA"] == "gateway-{{.Task.Slot}}"
    assert gateway["deploy"]["update_config"]["parallelism"] == 1


def test_the_router_knows_as_many_replicas_as_manifests_may_have() -> None:
    text = (Path(__file__).parents[2] / "containers" / "router" / "replicas.cfg").read_text(encoding="utf-8")
    for number in range(17):  # Kubernetes counts from 0, the others from 1
        assert text.count(f"server gateway-{number} ") == 3
    assert fleet("manifest", "--kind", "swarm", "--replicas", "17").returncode == 2


def test_the_catalogue_names_what_dockers_gateway_starts() -> None:
    made = yaml.safe_load(fleet("catalog", "slack", "stripe", LEGOENV_IMAGES="registry.example/team").stdout)
    assert set(made["registry"]) == {"slack", "stripe"}
    entry = made["registry"]["slack"]
    assert (entry["type"], entry["image"]) == ("server", "registry.example/team/slack")
    assert entry["disableNetwork"] is True
    tools = subprocess.run(
        [sys.executable, "-m", "legoenv_mcp.cli", "tools", "slack", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert [tool["name"] for tool in entry["tools"]] == [tool["name"] for tool in json.loads(tools.stdout)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("up",), "name apps, or give --all"),
        (("up", "nosuchapp"), "unknown app 'nosuchapp'"),
        (("up", "slack", "--world", "nosuchworld"), "no world 'nosuchworld'"),
        (("up", "slack", "--memory", "lots"), "'lots' is not a size"),
        (("up", "slack", "--cpus", "none"), "'none' is not a number of cores"),
        (("up", "slack", "--environment", "x"), "give --environment alone"),
        (("build", "slack", "--all"), "name apps, or give --all"),
        (("exec", "slack"), "say what to run"),
        (("manifest",), "--kind"),
    ],
)
def test_bad_words_are_one_line_and_status_2(words: tuple[str, ...], said: str) -> None:
    done = fleet(*words)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_engine_is_one_line() -> None:
    done = fleet("ps", DOCKER_HOST="unix:///nowhere/docker.sock", PYTHONWARNINGS="always::ResourceWarning")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "legoenv: no Docker engine answers at unix:///nowhere/docker.sock: start Docker (or dockerd), "
        "or name another engine with DOCKER_HOST\n"
    )


class _Engine(BaseHTTPRequestHandler):
    """An engine whose disk is full."""

    def do_GET(self) -> None:
        if self.path.endswith("/_ping"):
            self._answer(200, b"OK")
        elif self.path.endswith("/version"):
            self._answer(200, json.dumps({"ApiVersion": "1.41"}).encode())
        else:
            self._answer(500, json.dumps({"message": "write /var/lib/docker/x: no space left on device"}).encode())

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "unix"

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[str]:
    path = str(tmp_path / "engine.sock")
    with socketserver.ThreadingUnixStreamServer(path, _Engine) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"unix://{path}"
        server.shutdown()
        thread.join()


def test_a_full_disk_is_one_line(full_disk: str) -> None:
    done = fleet("ps", DOCKER_HOST=full_disk)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "the disk that Docker keeps its data on is full" in done.stderr
    assert "docker system prune" in done.stderr
