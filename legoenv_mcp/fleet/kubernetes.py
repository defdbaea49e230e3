"""Kubernetes manifests: replicas of the gateway as a StatefulSet behind routers, or apps as Deployments."""

from collections.abc import Mapping, Sequence
from typing import Any

from legoenv_mcp.fleet.manifests import APP_LIMITS, GATEWAY_LIMITS, ROUTER_LIMITS, USER, Options

_Object = dict[str, Any]

_PART_OF = {"app.kubernetes.io/part-of": "legoenv"}


def gateway(options: Options) -> list[_Object]:
    """Replicas called gateway-0, gateway-1, ..., two routers behind the Service `legoenv`, and what keeps both up and apart."""
    port = {"name": "http", "containerPort": 8765}
    environment: list[_Object] = [
        {"name": "LEGOENV_REPLICA", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "LEGOENV_ALLOWED_HOSTS", "value": "legoenv"},
        _secret("LEGOENV_TOKEN", "token"),
        _secret("LEGOENV_CONTROL_TOKEN", "control-token"),
    ]
    container = {
        **_container("gateway", options.image("gateway"), options.gateway_command(), GATEWAY_LIMITS, port, environment),
        "startupProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 2, "failureThreshold": 30},
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 10, "timeoutSeconds": 5},
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http"}, "periodSeconds": 2, "failureThreshold": 1},
    }
    pod = _pod("gateway", container, options.grace)
    replicas: _Object = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": _meta("gateway"),
        "spec": {
            "serviceName": "gateway", "replicas": options.replicas, "podManagementPolicy": "Parallel",
            "updateStrategy": {"type": "RollingUpdate"}, "selector": _selector("gateway"), "template": pod,
        },
    }  # fmt: skip
    if options.persist:
        container["volumeMounts"].append({"name": "data", "mountPath": "/data"})
        replicas["spec"]["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": _claim("5Gi")}]
    return [
        # Addresses by name, also of replicas that end: their episodes go on until then.
        _service("gateway", "gateway", 8765, "http", {"clusterIP": "None", "publishNotReadyAddresses": True}),
        replicas,
        _budget("gateway", {"maxUnavailable": 1}),
        _policy("gateway", ingress=[{"from": [_pods("router")], "ports": [{"port": 8765}]}], egress=[]),
        *_routers(options),
    ]


def _routers(options: Options) -> list[_Object]:
    # The router looks names up as they are, without the search list that the cluster's other pods use.
    environment: list[_Object] = [
        {"name": "NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
        {"name": "LEGOENV_DOMAIN", "value": ".gateway.$(NAMESPACE).svc.cluster.local"},
    ]
    container = {
        **_container(
            "router", options.image("router"), [], ROUTER_LIMITS, {"name": "http", "containerPort": 8080}, environment
        ),
        "command": ["haproxy", "-db", "-f", "/etc/legoenv/replicas.cfg"],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 10},
        "readinessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 2},
    }
    pod = _pod("router", container, 60)
    names = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}}
    lookups = {"to": [names], "ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]}
    return [
        _service("legoenv", "router", options.port, "http", {}),
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": _meta("router"),
            "spec": {"replicas": 2, "selector": _selector("router"), "template": pod},
        },
        _budget("router", {"minAvailable": 1}),
        _policy("router", egress=[{"to": [_pods("gateway")], "ports": [{"port": 8765}]}, lookups]),
    ]


def apps(slugs: Sequence[str], options: Options) -> list[_Object]:
    """Each app a Deployment of one pod and a Service of its name; none may reach anything."""
    made = list[_Object]()
    for slug in slugs:
        name = slug.replace("_", "-")
        environment = [{"name": "LEGOENV_ALLOWED_HOSTS", "value": name}]
        port = {"name": "http", "containerPort": 8000}
        probe = {"httpGet": {"path": "/healthz", "port": "http"}}
        container = {
            **_container(name, options.image(slug), options.app_command(), APP_LIMITS, port, environment),
            "startupProbe": {**probe, "periodSeconds": 1, "failureThreshold": 60},
            "livenessProbe": {**probe, "periodSeconds": 10, "timeoutSeconds": 5},
            "readinessProbe": {**probe, "periodSeconds": 5},
        }
        pod = _pod(name, container, 30)
        if options.persist:
            container["volumeMounts"].append({"name": "data", "mountPath": "/data"})
            pod["spec"]["volumes"].append({"name": "data", "persistentVolumeClaim": {"claimName": name}})
            claim = {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": _meta(name), "spec": _claim("1Gi")
            }  # fmt: skip
            made.append(claim)
        # Recreated: two pods of an app would be two episodes under one name.
        spec = {"replicas": 1, "strategy": {"type": "Recreate"}, "selector": _selector(name), "template": pod}
        made += [
            _service(name, name, 8000, "http", {}),
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": _meta(name), "spec": spec},
            _policy(name, egress=[]),
        ]
    return made


# Parts


def _meta(name: str) -> _Object:
    return {"name": name, "labels": {"app.kubernetes.io/name": name, **_PART_OF}}


def _selector(name: str) -> _Object:
    return {"matchLabels": {"app.kubernetes.io/name": name, **_PART_OF}}


def _pods(name: str) -> _Object:
    return {"podSelector": _selector(name)}


def _secret(variable: str, key: str) -> _Object:
    """From the Secret `legoenv`, where there is one: kubectl create secret generic legoenv --from-literal=token=..."""
    return {"name": variable, "valueFrom": {"secretKeyRef": {"name": "legoenv", "key": key, "optional": True}}}


def _container(
    name: str, image: str, words: list[str], limits: Mapping[str, Any], port: _Object, environment: list[_Object]
) -> _Object:
    memory = str(limits["memory"]) + "i"
    return {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        **({"args": words} if words else {}),
        "env": environment,
        "ports": [port],
        "resources": {"requests": {"cpu": "50m", "memory": memory}, "limits": {"cpu": limits["cpus"], "memory": memory}},
        "securityContext": {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}
        },
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    }  # fmt: skip


def _pod(name: str, container: _Object, grace: int) -> _Object:
    spread = {
        "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": _selector(name)
    }  # fmt: skip
    return {
        "metadata": {"labels": {"app.kubernetes.io/name": name, **_PART_OF}},
        "spec": {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": grace,
            "securityContext": {
                "runAsNonRoot": True, "runAsUser": USER, "runAsGroup": USER, "fsGroup": USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "topologySpreadConstraints": [spread],
            "containers": [container],
            "volumes": [{"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "32Mi"}}],
        },
    }  # fmt: skip


def _service(name: str, pods: str, port: int, target: str, more: Mapping[str, Any]) -> _Object:
    ports = [{"name": "http", "port": port, "targetPort": target}]
    spec = {**more, "selector": _selector(pods)["matchLabels"], "ports": ports}
    return {"apiVersion": "v1", "kind": "Service", "metadata": _meta(name), "spec": spec}


def _budget(name: str, bound: Mapping[str, int]) -> _Object:
    spec = {**bound, "selector": _selector(name)}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": _meta(name), "spec": spec}


def _policy(name: str, *, ingress: list[_Object] | None = None, egress: list[_Object]) -> _Object:
    """What pods may reach, and, where given, who may reach them."""
    spec: _Object = {"podSelector": _selector(name), "policyTypes": ["Egress"], "egress": egress}
    if ingress is not None:
        spec |= {"policyTypes": ["Ingress", "Egress"], "ingress": ingress}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": _meta(name), "spec": spec}


def _claim(size: str) -> _Object:
    return {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
