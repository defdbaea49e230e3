"""Compose files, and stacks for Docker Swarm, which reads an older kind of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from legoenv_mcp.fleet.containers import ISOLATED
from legoenv_mcp.fleet.manifests import APP_LIMITS, GATEWAY_LIMITS, ROUTER_LIMITS, TMPFS, Options

_Service = dict[str, Any]

_TOKENS = {
    "LEGOENV_TOKEN": "${LEGOENV_TOKEN:-}",
    "LEGOENV_CONTROL_TOKEN": "${LEGOENV_CONTROL_TOKEN:-}",
    "LEGOENV_ALLOWED_HOSTS": "${LEGOENV_ALLOWED_HOSTS:-localhost}",
}
"""From the environment of whoever starts it, or its .env file."""

_REPLICAS = ["haproxy", "-db", "-f", "/etc/legoenv/replicas.cfg"]


def apps(slugs: Sequence[str], options: Options) -> dict[str, Any]:
    """Apps on a network without a way out, a router before them."""
    services = {slug: _hardened(_app(slug, options), APP_LIMITS) for slug in slugs}
    for slug, service in services.items():
        service |= {
            "dns": ["127.0.0.1"], "restart": "unless-stopped", "networks": {"inside": {"aliases": [f"{slug}.legoenv.internal"]}}
        }  # fmt: skip
    services["router"] = _router(options, {})
    return _file(services, _volumes(slugs if options.persist else ()))


def gateway(options: Options) -> dict[str, Any]:
    """Replicas of the gateway as services of their own: Compose names a service's replicas as it likes, and the router needs names."""
    names = [f"gateway-{n}" for n in range(1, options.replicas + 1)]
    services = {name: _hardened(_gateway(name, options), GATEWAY_LIMITS) for name in names}
    for name, service in services.items():
        service |= {"dns": ["127.0.0.1"], "restart": "unless-stopped", "networks": ["inside"]}
        if options.persist:
            service["volumes"] = [f"{name}:/data"]
    services["router"] = _router(options, {"command": _REPLICAS, "environment": {"LEGOENV_DOMAIN": ""}})
    return _file(services, _volumes(names if options.persist else ()))


def _app(slug: str, options: Options) -> _Service:
    service: _Service = {
        "image": options.image(slug),
        "command": options.app_command(),
        "environment": {"LEGOENV_ALLOWED_HOSTS": f"{slug}.legoenv.internal,{slug}.localhost"},
    }
    if options.persist:
        service["volumes"] = [f"{slug}:/data"]
    return service


def _gateway(name: str, options: Options) -> _Service:
    return {
        "image": options.image("gateway"),
        "hostname": name,
        "command": options.gateway_command(),
        "environment": {**_TOKENS, "LEGOENV_REPLICA": name},
        "stop_grace_period": f"{options.grace}s",
    }


def _router(options: Options, more: Mapping[str, Any]) -> _Service:
    service: _Service = {
        "image": options.image("router"), **more, "restart": "unless-stopped", "networks": ["inside", "door"],
        "ports": [f"127.0.0.1:{options.port}:8080"],
    }  # fmt: skip
    return _hardened(service, ROUTER_LIMITS)


def _hardened(service: _Service, limits: Mapping[str, Any]) -> _Service:
    return {
        **service,
        "read_only": True,
        "tmpfs": [TMPFS],
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "mem_limit": limits["memory"],
        "memswap_limit": limits["memory"],
        "cpus": float(limits["cpus"]),
        "pids_limit": limits["pids"],
    }


def _file(services: dict[str, Any], volumes: dict[str, Any]) -> dict[str, Any]:
    made = {"services": services, "networks": {"inside": {"internal": True, "driver_opts": ISOLATED}, "door": {}}}
    return made | ({"volumes": volumes} if volumes else {})


def _volumes(names: Sequence[str]) -> dict[str, Any]:
    return {name: {} for name in names}


# Swarm


def swarm_apps(slugs: Sequence[str], options: Options) -> dict[str, Any]:
    """As in Compose. Each app is one task: its episode is in it."""
    services = dict[str, Any]()
    for slug in slugs:
        service = _stacked(_app(slug, options), APP_LIMITS, _once("stop-first"))
        service |= {"dns": ["127.0.0.1"], "networks": {"inside": {"aliases": [f"{slug}.legoenv.internal"]}}}
        services[slug] = service
    services["router"] = _swarm_router(options, {})
    return _stack(services, _volumes(slugs if options.persist else ()))


def swarm_gateway(options: Options) -> dict[str, Any]:
    """One service whose tasks are called gateway-1, gateway-2, ...: an update replaces one after the other."""
    name = "gateway-{{.Task.Slot}}"
    service = _gateway(name, options)
    if options.persist:
        service["volumes"] = ["episodes:/data"]
    deploy = {
        "replicas": options.replicas,
        # A task's own address under its own name; there is no balancing to be done by Swarm.
        "endpoint_mode": "dnsrr",
        # The new task takes the old one's name, and its volume: the old one has to be gone. A new one counts as well after 10 s.
        "update_config": {"parallelism": 1, "order": "stop-first", "delay": "2s", "monitor": "10s", "failure_action": "rollback"},
        "rollback_config": {"parallelism": 1, "order": "stop-first"},
        "restart_policy": {"condition": "any", "delay": "1s"},
    }  # fmt: skip
    services = {
        "gateway": {**_stacked(service, GATEWAY_LIMITS, deploy), "dns": ["127.0.0.1"], "networks": ["inside"]},
        "router": _swarm_router(options, {"command": _REPLICAS, "environment": {"LEGOENV_DOMAIN": ""}}),
    }
    # A volume for each replica, on the node where it first ran: keep replicas there with a placement constraint, or share the volume.
    volumes = {"episodes": {"name": "legoenv-episodes-{{.Task.Slot}}"}} if options.persist else {}
    return _stack(services, volumes)


def _swarm_router(options: Options, more: Mapping[str, Any]) -> _Service:
    """One on every node, each at the node's own port: whichever node is asked, the answer is the same."""
    deploy = {"mode": "global", "endpoint_mode": "dnsrr", "restart_policy": {"condition": "any", "delay": "1s"}}
    service: _Service = {
        "image": options.image("router"), **more, "networks": ["inside", "door"],
        "ports": [{"target": 8080, "published": options.port, "protocol": "tcp", "mode": "host"}],
    }  # fmt: skip
    return _stacked(service, ROUTER_LIMITS, deploy)


def _once(order: str) -> dict[str, Any]:
    return {
        "replicas": 1, "endpoint_mode": "dnsrr", "update_config": {"order": order},
        "restart_policy": {"condition": "any", "delay": "1s"},
    }  # fmt: skip


def _stacked(service: _Service, limits: Mapping[str, Any], deploy: Mapping[str, Any]) -> _Service:
    return {
        **service,
        "read_only": True,
        "tmpfs": [TMPFS.partition(":")[0]],
        "cap_drop": ["ALL"],
        "deploy": {**deploy, "resources": {"limits": dict(limits)}},
    }


def _stack(services: dict[str, Any], volumes: dict[str, Any]) -> dict[str, Any]:
    networks = {"inside": {"driver": "overlay", "internal": True}, "door": {"driver": "overlay"}}
    made = {"version": "3.9", "services": services, "networks": networks}
    return made | ({"volumes": volumes} if volumes else {})
