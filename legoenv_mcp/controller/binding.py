"""Binding: which app plays which role. A role takes an app that has the capability with every verb that the atom's steps use."""

import itertools
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.controller.atoms import Body, Trap


class Unbindable(LookupError):
    """No app can play a role: the message names the smallest set of verbs that is missing."""


def verbs_needed(atom: Body | Trap) -> dict[str, set[str]]:
    """Role -> the verbs of its capability that the atom's steps use."""
    acts = atom.step if isinstance(atom, Body) else tuple(s for w in atom.wrong for s in w.step)
    found: dict[str, set[str]] = {role: set() for role in atom.roles}
    for act in acts:
        if act.do:
            found.setdefault(act.role, set()).add(act.name)
    return found


def bind(
    roles: Mapping[str, str], verbs: Mapping[str, set[str]], allowed: frozenset[str], rank: Callable[[str], float]
) -> dict[str, str]:
    """An app for every role, the best by rank, two roles of the same capability on different apps. Unbindable where there is none."""
    choices = {role: _able(role, what, verbs.get(role, set()), allowed) for role, what in roles.items()}
    # A handful of roles with a handful of apps each: every assignment is tried, no solver is needed.
    best, least = None, float("inf")
    for combination in itertools.product(*choices.values()):
        binding = dict(zip(choices, combination, strict=True))
        pairs = [(roles[r], slug) for r, slug in binding.items()]
        score = sum(rank(slug) for slug in set(combination))
        if len(set(pairs)) == len(pairs) and score < least:
            best, least = binding, score
    if best is None:
        raise Unbindable(f"no different apps for the roles {', '.join(roles)}")
    return best


@cache
def claims() -> dict[str, tuple[str, ...]]:
    """Every app and its capabilities, looked up once in a process."""
    return {a.slug: tuple(a.capabilities) for a in registry.apps()}


def _able(role: str, what: str, verbs: set[str], allowed: frozenset[str]) -> list[str]:
    if what.startswith("app:"):
        slug = what.removeprefix("app:")
        if slug not in allowed:
            raise Unbindable(f"{role}: {slug} is not among the apps")
        return [slug]
    having = [slug for slug, capabilities in claims().items() if what in capabilities and slug in allowed]
    missing = {slug: {v for v in verbs if not _offers(slug, what, v)} for slug in having}
    able = [slug for slug in having if not missing[slug]]
    if not able:
        lack = min(missing.values(), key=len, default=set[str]())
        raise Unbindable(f"{role}: no app offers {what}" + (f" with {', '.join(sorted(lack))}" if lack else ""))
    return able


def _offers(slug: str, capability: str, verb: str) -> bool:
    provider: Any = registry.load(slug).provides[capability]
    return bool(provider.offers(verb))
