"""Manifests for other schedulers: Compose and Swarm on Docker, Kubernetes. What they start is what `legoenv fleet up` starts, or
replicas of the gateway behind one address.

Whatever runs them, an episode stays with its replica by name: replicas are called gateway-1, gateway-2, ... in DNS, episodes' ids carry
the name, and the router (containers/router/replicas.cfg) goes by it. No state is shared and none decides the way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import yaml

from legoenv_mcp.fleet import images

Kind = Literal["compose", "swarm", "k8s"]

MAX_REPLICAS = 16
"""As many as the router's configuration names."""

APP_LIMITS = {"cpus": "1.0", "memory": "256M", "pids": 64}
GATEWAY_LIMITS = {"cpus": "1.0", "memory": "1G", "pids": 128}
ROUTER_LIMITS = {"cpus": "1.0", "memory": "128M", "pids": 64}

USER = 10001
TMPFS = "/tmp:size=32m,mode=1777"


@dataclass(frozen=True, slots=True)
class Options:
    """What can be chosen. port: published; drain: seconds that a replaced replica's episodes may go on."""

    replicas: int = 2
    persist: bool = False
    port: int = 8765
    world: str = ""
    tag: str = "latest"
    drain: int = 600

    def image(self, what: str) -> str:
        return f"{images.name(what)}:{self.tag}"

    def app_command(self) -> list[str]:
        words = ["--http", "--host", "0.0.0.0", "--port", "8000"]
        return [*words, *(["--world", self.world] if self.world else []), *(["--db", "/data"] if self.persist else [])]

    def gateway_command(self) -> list[str]:
        """Episodes in files are found again by the replica that replaces theirs: there is nothing to wait for."""
        words = ["--world", self.world] if self.world else []
        return [*words, "--db", "/data"] if self.persist else [*words, "--drain", str(self.drain)]

    @property
    def grace(self) -> int:
        """Seconds that a gateway gets to end."""
        return 30 if self.persist else self.drain + 30


def manifest(kind: Kind, slugs: Sequence[str], options: Options) -> str:
    """The manifest, as YAML: of these apps, or of the gateway where none is named."""
    from legoenv_mcp.fleet import compose, kubernetes  # noqa: PLC0415 - they take their words from here

    match kind:
        case "compose":
            documents = [compose.apps(slugs, options) if slugs else compose.gateway(options)]
        case "swarm":
            documents = [compose.swarm_apps(slugs, options) if slugs else compose.swarm_gateway(options)]
        case "k8s":
            documents = kubernetes.apps(slugs, options) if slugs else kubernetes.gateway(options)
    what = ", ".join(slugs) if slugs else f"the gateway, {options.replicas} replicas"
    head = f"# LegoEnv: {what}. Written by `legoenv fleet manifest --kind {kind}`; {_START[kind]}\n"
    return head + to_yaml(documents)


_START = {
    "compose": "start it with `docker compose -f FILE up -d`.",
    "swarm": "start it with `docker stack deploy --resolve-image never -c FILE legoenv`.",
    "k8s": "start it with `kubectl apply -f FILE`.",
}


class _Plain(yaml.SafeDumper):
    """Lists indented, nothing abbreviated: as people write it."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def to_yaml(documents: Sequence[dict[str, Any]]) -> str:
    return yaml.dump_all(documents, Dumper=_Plain, sort_keys=False, width=120, explicit_start=len(documents) > 1)
