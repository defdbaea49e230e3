"""Which path means what: one regular expression for every route."""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "healthz", "readyz", "apps", "openapi", "episodes", "episode", "grade", "reset", "mcp", "rest", "openenv"
]

_PATH = re.compile(
    r"(?:/episodes/(?P<episode>[A-Za-z0-9_-]{1,64}))?(?:/apps/(?P<slug>[a-z0-9_]{1,40}))?(?:/(?P<leaf>[a-z.]{1,20}))?(?P<rest>/.*)?",
    re.DOTALL,
)

# (has an episode, has an app, the last word) -> what it is
_KINDS: dict[tuple[bool, bool, str | None], Kind] = {
    (False, False, "healthz"): "healthz",
    (False, False, "readyz"): "readyz",
    (False, False, "apps"): "apps",
    (False, False, "openapi.json"): "openapi",
    (False, False, "episodes"): "episodes",
    (False, False, "openenv"): "openenv",
    (False, False, "mcp"): "mcp",
    (False, True, "mcp"): "mcp",
    (False, True, "rest"): "rest",
    (False, True, "openapi.json"): "openapi",
    (True, False, None): "episode",
    (True, False, "grade"): "grade",
    (True, False, "reset"): "reset",
    (True, False, "mcp"): "mcp",
    (True, True, "mcp"): "mcp",
    (True, True, "rest"): "rest",
}

METHODS: dict[Kind, tuple[str, ...]] = {
    "healthz": ("GET", "HEAD"),
    "readyz": ("GET", "HEAD"),
    "apps": ("GET", "HEAD"),
    "openapi": ("GET", "HEAD"),
    "episodes": ("POST",),
    "episode": ("GET", "HEAD", "DELETE"),
    "grade": ("POST",),
    "reset": ("POST",),
    "mcp": ("GET", "POST", "DELETE"),
    "openenv": ("GET", "HEAD", "POST"),
    "rest": (),  # whatever the product knows
}

CONTROL: frozenset[Kind] = frozenset({"episodes", "episode", "grade", "reset", "openenv"})
"""What an agent has no business with."""


@dataclass(frozen=True, slots=True)
class Route:
    """A path's meaning: `episode` is an episode's id or its agent's key, `mount` the path of a REST face, `below` what follows it."""

    kind: Kind
    episode: str = ""
    slug: str = ""
    mount: str = ""
    below: str = ""


def parse(path: str) -> Route | None:
    """What a path (percent-escapes and all) means; None where it means nothing. A trailing slash means nothing more."""
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    episode, slug, leaf, rest = found.group("episode", "slug", "leaf", "rest")
    kind = _KINDS.get((episode is not None, slug is not None, leaf))
    if kind is None or (kind not in ("rest", "openenv") and rest not in (None, "/")):
        return None
    below = rest or ""
    return Route(kind, episode or "", slug or "", path[: len(path) - len(below)], below)
