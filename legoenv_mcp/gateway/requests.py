"""The bodies that the gateway's own paths take."""

import re
from dataclasses import dataclass
from typing import Any

from legoenv_mcp.gateway.problems import Problem

MAX_APPS = 256
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/@-]{0,199}")
_SLUG = re.compile(r"[a-z0-9_]{1,40}")
_WORLD = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Creation:
    """What `POST /episodes` asks for: an environment, or apps."""

    environment: str = ""
    apps: tuple[str, ...] = ()
    world: str = ""
    seed: str = ""


def _invalid(detail: str) -> Problem:
    return Problem(400, "invalid-request", detail)


def _only(body: dict[str, Any], *names: str) -> None:
    if strangers := sorted(set(body) - set(names)):
        raise _invalid(f"Unknown member: {', '.join(strangers)}. Known: {', '.join(names)}.")


def read_creation(body: dict[str, Any]) -> Creation:
    """Raises the Problem that says what is wrong."""
    given = {name: value for name, value in body.items() if value is not None}
    if "environment" in given:
        if set(given) & {"apps", "world", "seed"}:
            raise _invalid("`environment` brings its own apps, world and seed: give it alone.")
        _only(given, "environment")
        name = given["environment"]
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise _invalid("`environment` must be the id of an environment.")
        return Creation(environment=name)
    _only(given, "environment", "apps", "world", "seed")
    apps = given.get("apps")
    if not isinstance(apps, list) or not apps:
        raise _invalid("Give `environment`, or `apps` as a list of at least one app.")
    slugs: list[Any] = apps  # pyright: ignore[reportUnknownVariableType]
    if len(slugs) > MAX_APPS:
        raise _invalid(f"`apps` may have at most {MAX_APPS} members.")
    if not all(isinstance(slug, str) and _SLUG.fullmatch(slug) for slug in slugs) or len(set(slugs)) < len(slugs):
        raise _invalid("`apps` must be different slugs, as GET /apps lists them.")
    world, seed = given.get("world", ""), given.get("seed", "")
    if not isinstance(world, str) or (world and not _WORLD.fullmatch(world)):
        raise _invalid("`world` must be the id of a world.")
    if isinstance(seed, bool) or not isinstance(seed, (int, str)) or len(str(seed)) > 64:
        raise _invalid("`seed` must be a whole number.")
    return Creation(apps=tuple(slugs), world=world, seed=str(seed))


def read_answer(body: dict[str, Any]) -> str | None:
    """What `POST /episodes/{id}/grade` is given: the agent's answer, where the task asks for one."""
    _only(body, "answer")
    answer = body.get("answer")
    if answer is not None and not isinstance(answer, str):
        raise _invalid("`answer` must be a string.")
    return answer
