"""Recipes: what was drawn for an environment. Everything else about it is derived from the atoms (derive.py)."""

import hashlib
from typing import Any

from pydantic import Field

from legoenv_mcp.verify.model import Strict


class RuleUse(Strict):
    """A rule in an environment: its figures, where it is published (empty: in the instruction), and the figures of an older version
    that is published too (empty: there is none)."""

    rule: str
    params: dict[str, Any] = Field(default_factory=dict[str, Any])
    place: str = ""
    old: dict[str, Any] = Field(default_factory=dict[str, Any])
    choices: dict[str, Any] = Field(default_factory=dict[str, Any])
    picks: dict[str, str] = Field(default_factory=dict[str, str])


class TrapUse(Strict):
    """A trap in an environment, and the pick that it lies near."""

    trap: str
    near: str = ""
    choices: dict[str, Any] = Field(default_factory=dict[str, Any])


class Recipe(Strict):
    """An environment as it was drawn."""

    intent: str
    world: str
    binding: dict[str, str]
    picks: dict[str, str] = Field(default_factory=dict[str, str])
    choices: dict[str, Any] = Field(default_factory=dict[str, Any])
    phrasing: int = 0
    rules: tuple[RuleUse, ...] = ()
    traps: tuple[TrapUse, ...] = ()

    @property
    def id(self) -> str:
        """The environment's id: the intent's, and a hash of all that was drawn."""
        digest = hashlib.blake2b(self.model_dump_json(by_alias=True).encode(), digest_size=4).hexdigest()
        return f"{self.intent}-{digest}"


def draw(seed: str, count: int) -> int:
    """A number below count that the seed fixes."""
    return int.from_bytes(hashlib.blake2b(seed.encode(), digest_size=6).digest(), "big") % count
