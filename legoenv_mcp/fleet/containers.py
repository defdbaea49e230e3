"""A fleet: apps in containers of one engine, on a network without a way out, behind one address on this machine.

A network that reaches nothing cannot publish ports either. So the apps' network is internal, and one router (HAProxy) stands on it and
on an ordinary network, publishing one port of 127.0.0.1: `/apps/slack/...` goes to the container of slack.
"""

import contextlib
import hashlib
import io
import json
import re
import socket
import tarfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from docker.errors import APIError, NotFound

from legoenv_mcp.fleet import images
from legoenv_mcp.fleet.context import entry
from legoenv_mcp.fleet.engine import EngineError, asking, connect, explain, one_line

FLEET, APP, CONFIG, SETTINGS, ENVIRONMENT = (
    "legoenv.fleet", "legoenv.app", "legoenv.config", "legoenv.settings", "legoenv.environment",
)  # fmt: skip
NAME = "legoenv"
PORT = 8800
OWNER = 10001
"""The user that our images run as."""

WORKERS = 8
_RESTART: Any = {"Name": "unless-stopped"}
_START_SECONDS = 120

HARDENED: dict[str, Any] = {
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
    "tmpfs": {"/tmp": "rw,noexec,nosuid,nodev,size=32m,mode=1777"},
}
"""What every container is refused: a root file system to write to, capabilities, more rights than it began with."""

ISOLATED = {"com.docker.network.bridge.inhibit_ipv4": "true"}
"""An internal network leads nowhere but to this machine itself, whose services listen on the bridge's address: it gets none."""

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """How an app's container runs. memory: as docker writes it ("256m"); cpus: cores; pids: processes and threads."""

    world: str = ""
    persist: bool = False
    memory: str = "256m"
    cpus: float = 1.0
    pids: int = 64

    @property
    def limits(self) -> dict[str, Any]:
        return {
            "mem_limit": self.memory, "memswap_limit": self.memory, "nano_cpus": int(self.cpus * 1e9), "pids_limit": self.pids
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Running:
    """An app's container as listings show it. The addresses are empty where the router is not up."""

    app: str
    container: str
    state: str
    health: str
    image: str
    world: str
    persist: bool
    mcp: str
    rest: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a container uses: cpu in percent of a core, memory in bytes without what the kernel would drop."""

    app: str
    cpu: float
    memory: int
    limit: int
    pids: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Fleet:
    """The containers that carry a fleet's name. Fleets of different names do not see each other."""

    def __init__(self, name: str = NAME) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", name):
            raise EngineError(f"{name!r} is no name of a fleet: up to 40 lower-case letters, digits and hyphens")
        self.name = name
        self.client = connect()

    # Up

    def up(
        self, slugs: Sequence[str], settings: Settings, *, port: int = PORT, report: Report = lambda _: None,
        start: Mapping[str, bytes] | None = None, environment: str = "",
    ) -> list[Running]:  # fmt: skip
        """Starts what is not running as asked, and waits until it serves. Containers that already run so are left alone.

        port: of this machine, 0 for a free one. start: databases that the apps begin with instead of their own.
        """
        missing = [what for what in (*slugs, "router") if not self._built(what)]
        if missing:
            words = " ".join(slug for slug in missing if slug != "router")
            raise EngineError(
                f"not built yet: {', '.join(images.name(m) for m in missing)}; run `legoenv fleet build {words}`"
            )
        self._networks()
        self._router(port)
        with ThreadPoolExecutor(WORKERS) as pool:
            waiting = [pool.submit(self._start, slug, settings, (start or {}).get(slug), environment) for slug in slugs]
            try:
                for slug, one in zip(slugs, waiting, strict=True):
                    one.result()
                    report(slug)
            except EngineError:
                pool.shutdown(cancel_futures=True)
                raise
        up = {running.app: running for running in self.ps()}
        return [up[slug] for slug in slugs]

    @staticmethod
    def _built(what: str) -> bool:
        try:
            images.find(what)
        except EngineError:
            return False
        return True

    def _networks(self) -> None:
        for name, internal in ((self.name, True), (f"{self.name}-door", False)):
            with asking(f"the network {name}"):
                if not self.client.networks.list(filters={"label": f"{FLEET}={self.name}"}, names=[f"^{name}$"]):
                    options = ISOLATED if internal else {}
                    self.client.networks.create(
                        name, driver="bridge", internal=internal, options=options, labels={FLEET: self.name}
                    )

    def _router(self, port: int) -> None:
        name = f"{self.name}-router"
        found = self._container(name)
        if found is not None:
            with asking(f"starting {name}"):
                same = found.labels.get(CONFIG) == images.find("router").name and port in (0, _published(found))
                if same and found.status == "running":
                    return
                found.remove(force=True)
        port = port or _free_port()
        what = f"starting the router at port {port}"
        with asking(what):
            made = self.client.containers.create(
                images.name("router"), name=name, labels={FLEET: self.name, CONFIG: images.name("router")},
                network=f"{self.name}-door", ports={"8080/tcp": ("127.0.0.1", port)}, restart_policy=_RESTART,
                mem_limit="128m", memswap_limit="128m", nano_cpus=int(1e9), pids_limit=64, detach=True, **HARDENED,
            )  # fmt: skip
            try:
                self.client.networks.get(self.name).connect(made)
                made.start()
            except APIError as error:
                made.remove(force=True)
                raise EngineError(explain(what, str(error.explanation or error))) from None

    def _start(self, slug: str, settings: Settings, database: bytes | None, environment: str) -> None:
        name = f"{self.name}-{slug}"
        config = self._config(slug, settings, database)
        found = self._container(name)
        with asking(f"starting {name}"):
            if found is not None and found.labels.get(FLEET) != self.name:
                raise EngineError(
                    f"there is a container {name} that is not this fleet's: rename it, or take another --fleet"
                )
            if found is not None and found.labels.get(CONFIG) != config:
                found.remove(force=True)
                found = None
            if found is None:
                found = self._create(
                    slug, settings, config, environment, durable=settings.persist or database is not None
                )
                if database is not None:
                    found.put_archive("/data", _archive(f"{slug}.sqlite", database))
            if found.status != "running":
                found.start()
            self._wait(found)

    def _config(self, slug: str, settings: Settings, database: bytes | None) -> str:
        """Names the way a container runs: one of another name is made anew."""
        image = self.client.images.get(images.name(slug)).id
        parts = [str(image), json.dumps(asdict(settings)), hashlib.blake2b(database or b"").hexdigest()]
        return hashlib.blake2b("/".join(parts).encode(), digest_size=16).hexdigest()

    def _create(self, slug: str, settings: Settings, config: str, environment: str, *, durable: bool) -> Any:
        words = ["--http", "--host", "0.0.0.0", "--port", "8000"]
        words += ["--world", settings.world] if settings.world else []
        volumes = dict[str, dict[str, str]]()
        if durable:
            volume = f"{self.name}-{slug}"
            self.client.volumes.create(volume, labels={FLEET: self.name, APP: slug})
            volumes[volume] = {"bind": "/data", "mode": "rw"}
            words += ["--db", "/data"]
        inside = f"{slug}.legoenv.internal"
        labels = {
            FLEET: self.name, APP: slug, CONFIG: config, SETTINGS: json.dumps(asdict(settings)), ENVIRONMENT: environment
        }  # fmt: skip
        # Its only network is the one without a way out. Older engines would still look up the world's names for it: hence `dns`.
        return self.client.containers.create(
            images.name(slug), words, name=f"{self.name}-{slug}", hostname=slug.replace("_", "-"), labels=labels, volumes=volumes,
            environment={"LEGOENV_ALLOWED_HOSTS": f"{inside},{slug}.localhost"}, network=self.name,
            networking_config={self.name: self.client.api.create_endpoint_config(aliases=[inside])},
            restart_policy=_RESTART, dns=["127.0.0.1"], detach=True, **settings.limits, **HARDENED,
        )  # fmt: skip

    def _wait(self, container: Any) -> None:
        """Until the server says that it serves. EngineError with its last words where it ends instead."""
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            container.reload()
            state = container.attrs["State"]
            said = container.logs(since=_instant(state["StartedAt"])).decode(errors="replace")
            if "legoenv: serving" in said:
                return
            if container.status in ("exited", "dead") or state.get("Restarting"):
                break
            time.sleep(0.1)
        last = [line for line in container.logs(tail=20).decode(errors="replace").splitlines() if "warning" not in line]
        with contextlib.suppress(APIError):
            container.stop(timeout=1)
        cause = one_line(last[-1].removeprefix("legoenv: ")) if last else "it says nothing"
        raise EngineError(f"{container.name} does not come up: {cause}")

    # What is there

    def _container(self, name: str) -> Any | None:
        with asking(name):
            try:
                return self.client.containers.get(name)
            except NotFound:
                return None

    def _apps(self, slugs: Iterable[str] = ()) -> list[Any]:
        """The containers of these apps (of all), by app. EngineError where one is not there."""
        with asking("listing containers"):
            found = self.client.containers.list(all=True, filters={"label": [f"{FLEET}={self.name}", APP]})
        by_slug = {c.labels[APP]: c for c in found}
        for slug in slugs:
            if slug not in by_slug:
                there = ", ".join(sorted(by_slug)) or "none"
                raise EngineError(f"{slug} is not up; there are: {there}")
        return [by_slug[slug] for slug in (tuple(slugs) or sorted(by_slug))]

    def ps(self) -> list[Running]:
        """Every app's container, by app."""
        router = self._container(f"{self.name}-router")
        port = _published(router) if router is not None and router.status == "running" else 0
        base = f"http://127.0.0.1:{port}" if port else ""
        return [_running(c, base) for c in self._apps()]

    def environment(self) -> str:
        """The environment that the fleet is an episode of; empty where it is none."""
        return next((c.labels.get(ENVIRONMENT, "") for c in self._apps()), "")

    def logs(self, slug: str, *, follow: bool = False, tail: int | None = None) -> Iterator[bytes]:
        (container,) = self._apps([slug])
        with asking(f"the log of {slug}"):
            yield from container.logs(stream=True, follow=follow, tail="all" if tail is None else tail)

    def exec(self, slug: str, words: Sequence[str]) -> tuple[int, bytes, bytes]:
        """Runs a command in an app's container: exit status, standard output and error."""
        (container,) = self._apps([slug])
        with asking(f"running {words[0]} in {slug}"):
            code, (out, err) = container.exec_run(list(words), demux=True)
        return int(code), out or b"", err or b""

    def stats(self) -> list[Usage]:
        """What each running container uses now."""
        running = [c for c in self._apps() if c.status == "running"]
        with asking("reading statistics"), ThreadPoolExecutor(max(1, len(running))) as pool:
            return list(pool.map(lambda c: _usage(c.labels[APP], c.stats(stream=False)), running))

    # Down

    def reset(self, slugs: Sequence[str] = ()) -> list[str]:
        """Back to the start: the state is dropped, kept data too. Answers which."""
        found = self._apps(slugs)
        if self.environment():
            raise EngineError("an episode of an environment is begun anew with `fleet up --environment`, not reset")
        for container in found:
            slug, settings = container.labels[APP], Settings(**json.loads(container.labels[SETTINGS]))
            with asking(f"resetting {slug}"):
                container.remove(force=True)
                self._drop_volume(f"{self.name}-{slug}")
            self._start(slug, settings, None, "")
        return [c.labels[APP] for c in found]

    def down(self, slugs: Sequence[str] = (), *, volumes: bool = False) -> list[str]:
        """Removes containers (all: with router and networks); data stays unless `volumes`. Answers which apps' were there."""
        found = self._apps(slugs)
        with asking("removing containers"), ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(lambda c: self._remove(c), found))
        if not self._apps():
            with asking("removing the fleet"):
                if (router := self._container(f"{self.name}-router")) is not None:
                    router.remove(force=True)
                for network in self.client.networks.list(filters={"label": f"{FLEET}={self.name}"}):
                    network.remove()
        if volumes or self._is_episode(found):
            gone = {c.labels[APP] for c in found}
            with asking("removing data"):
                for volume in self.client.volumes.list(filters={"label": f"{FLEET}={self.name}"}):
                    labels = (volume.attrs or {}).get("Labels") or {}
                    if not slugs or labels.get(APP) in gone:
                        self._drop_volume(str(volume.name))
        return [c.labels[APP] for c in found]

    @staticmethod
    def _is_episode(found: Sequence[Any]) -> bool:
        return any(c.labels.get(ENVIRONMENT) for c in found)

    @staticmethod
    def _remove(container: Any) -> None:
        container.stop(timeout=5)
        with contextlib.suppress(NotFound):
            container.remove(force=True)

    def _drop_volume(self, name: str) -> None:
        with contextlib.suppress(NotFound):
            self.client.volumes.get(name).remove()


def _running(container: Any, base: str) -> Running:
    slug, state = container.labels[APP], container.attrs["State"]
    settings = json.loads(container.labels.get(SETTINGS, "{}"))
    health = (state.get("Health") or {}).get("Status", "")
    at = f"{base}/apps/{slug}" if base else ""
    image = container.attrs["Config"]["Image"]
    return Running(
        slug, container.name, container.status, health, image, settings.get("world", ""), settings.get("persist", False),
        at and f"{at}/mcp", at and f"{at}/rest",
    )  # fmt: skip


def _usage(slug: str, stats: Mapping[str, Any]) -> Usage:
    """As `docker stats` reckons: memory without the file cache that the kernel would drop first."""
    memory = stats.get("memory_stats", {})
    details = memory.get("stats", {})
    cache = details.get("total_inactive_file", details.get("inactive_file", 0))  # cgroup v1, v2
    now, before = stats.get("cpu_stats", {}), stats.get("precpu_stats", {})
    used = now.get("cpu_usage", {}).get("total_usage", 0) - before.get("cpu_usage", {}).get("total_usage", 0)
    passed = now.get("system_cpu_usage", 0) - before.get("system_cpu_usage", 0)
    cpu = 100 * used / passed * now.get("online_cpus", 1) if passed > 0 else 0.0
    return Usage(
        slug, round(cpu, 2), memory.get("usage", 0) - cache, memory.get("limit", 0), stats.get("pids_stats", {}).get("current", 0)
    )  # fmt: skip


def _published(container: Any) -> int:
    """The port of this machine that a router listens on."""
    found = (container.attrs["HostConfig"].get("PortBindings") or {}).get("8080/tcp") or [{}]
    return int(found[0].get("HostPort") or 0)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _archive(name: str, data: bytes) -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(entry(name, len(data), 0o600, OWNER), io.BytesIO(data))
    return archive.getvalue()


def _instant(started: str) -> float:
    """Docker's nanoseconds are more than datetime reads."""
    from datetime import UTC, datetime  # noqa: PLC0415

    whole, _, fraction = started.rstrip("Z").partition(".")
    return datetime.fromisoformat(whole).replace(tzinfo=UTC).timestamp() + float(f"0.{fraction or 0}")
