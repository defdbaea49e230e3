"""The Docker engine: finding it, and saying in one line what it refuses and what to do about it."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import docker
from docker.context import ContextAPI
from docker.errors import APIError, BuildError, DockerException, ImageNotFound
from requests.exceptions import RequestException


class EngineError(Exception):
    """The engine is missing or refuses; the message is one line that says what to do."""


def host() -> str:
    """The engine's address: DOCKER_HOST, else that of docker's current context (Docker Desktop, colima, a remote engine)."""
    if address := os.environ.get("DOCKER_HOST"):
        return address
    context: Any = ContextAPI.get_current_context()
    return str(context.Host) if context is not None and context.Host else "unix:///var/run/docker.sock"


@cache
def connect() -> docker.DockerClient:
    """A client of the engine, which has answered. EngineError where none does."""
    address = host()
    try:
        _knock(address)
        # Many containers are made at a time, each over a connection of its own.
        client = docker.DockerClient(base_url=address, timeout=600, max_pool_size=32)
        client.ping()
    except (DockerException, RequestException, OSError) as error:
        cause = f"{error}"
        if "Permission denied" in cause or "PermissionError" in cause:
            raise EngineError(
                f"you may not use the Docker engine at {address}: join the `docker` group, or use sudo"
            ) from None
        raise EngineError(
            f"no Docker engine answers at {address}: start Docker (or dockerd), or name another engine with DOCKER_HOST"
        ) from None
    return client


def _knock(address: str) -> None:
    """Raises OSError where nobody is behind a socket: Docker's client leaves its own open then."""
    scheme, _, path = address.partition("://")
    if scheme == "unix":
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
            door.connect(path)


@contextmanager
def asking(what: str) -> Iterator[None]:
    """Turns the engine's refusals into EngineErrors; `what` was being done."""
    try:
        yield
    except ImageNotFound as error:
        raise EngineError(f"{what}: {_missing_image(_cause(error))}") from None
    except (APIError, BuildError) as error:
        raise EngineError(explain(what, _cause(error))) from None
    except RequestException as error:
        raise EngineError(f"{what}: the Docker engine stopped answering ({type(error).__name__}): try again") from None


def explain(what: str, cause: str) -> str:
    """One line for a refusal of the engine's, with the remedy where it is known."""
    low = cause.lower()
    if "port is already allocated" in low or "address already in use" in low:
        return f"{what}: the port is in use by another program or container; choose another with --port"
    if "no space left on device" in low or "disk quota" in low:
        return f"{what}: the disk that Docker keeps its data on is full; `docker system prune` frees what nobody uses"
    if "no such image" in low or "pull access denied" in low or "manifest unknown" in low:
        return f"{what}: {_missing_image(cause)}"
    if "pool overlaps" in low or "could not find an available" in low or "all predefined address pools" in low:
        return (
            f"{what}: Docker has no free addresses for another network; `docker network prune` frees those nobody uses"
        )
    return f"{what}: {one_line(cause)}"


def one_line(text: str) -> str:
    return " ".join(text.split())[:400]


def _cause(error: Exception) -> str:
    return str(getattr(error, "explanation", None) or getattr(error, "msg", None) or error)


def _missing_image(cause: str) -> str:
    if "legoenv/" in cause and "base-" not in cause:
        return f"an image is not built yet: run `legoenv fleet build` with the app's name, or --all ({one_line(cause)})"
    return (
        f"a base image is neither here nor can it be pulled ({one_line(cause)}): name another with --base, "
        "or make one with containers/base"
    )
