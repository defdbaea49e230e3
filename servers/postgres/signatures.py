"""Functions and operators by name, with their signatures, and how a call finds the one it means."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from . import types
from .parsing import ALIASES

_SIGNATURE = re.compile(r"(?P<name>\w+|[^\w\s(]+)\((?P<args>[^)]*)\) (?P<ret>\S+)")
_POLY = ("anyelement", "anyarray", "anycompatible", "anycompatiblearray", "anyenum")


@dataclass(frozen=True, slots=True)
class Overload:
    """One function: `strict` ones are not called with NULLs; `env` ones get the session first."""

    name: str
    args: tuple[str, ...]
    ret: str
    fn: Callable[..., Any]
    strict: bool = True
    env: bool = False
    variadic: str = ""
    many: bool = False


FUNCTIONS: dict[str, list[Overload]] = {}
OPERATORS: dict[str, list[Overload]] = {}


def _kind(word: str) -> str:
    array = word.endswith("[]")
    word = word.removesuffix("[]")
    return ("_" if array else "") + ALIASES.get(word, word)


def _declare(table: dict[str, list[Overload]], signature: str, fn: Callable[..., Any], **options: Any) -> None:
    found = _SIGNATURE.fullmatch(signature)
    if found is None:
        raise ValueError(signature)
    args, variadic = list[str](), ""
    for word in filter(None, (w.strip() for w in found["args"].split(","))):
        if word.startswith("variadic "):
            variadic = _kind(word.removeprefix("variadic "))
        else:
            args.append(_kind(word))
    made = Overload(found["name"], tuple(args), _kind(found["ret"]), fn, variadic=variadic, **options)
    table.setdefault(made.name, []).append(made)


def function(signature: str, fn: Callable[..., Any], **options: Any) -> None:
    """`lower(text) text`; several signatures are separated by semicolons."""
    for one in signature.split(";"):
        _declare(FUNCTIONS, one.strip(), fn, **options)


def operator(signature: str, fn: Callable[..., Any], **options: Any) -> None:
    for one in signature.split(";"):
        _declare(OPERATORS, one.strip(), fn, **options)


class Ambiguous(Exception):
    """Several fit equally well."""


@dataclass(frozen=True, slots=True)
class Match:
    overload: Overload
    args: tuple[str, ...]
    ret: str


def resolve(overloads: Iterable[Overload], given: list[str], *, binary: bool = False) -> Match | None:
    """The overload for arguments of these types, PostgreSQL's rules in their order; None where none fits."""
    fitting = [m for o in overloads if (m := _fit(o, given)) is not None]
    if len(fitting) <= 1:
        return fitting[0] if fitting else None
    exact = [m for m in fitting if all(a == g for a, g in zip(m.args, given, strict=True))]
    if exact:
        return exact[0]
    if binary and len(given) == 2 and "unknown" in given and given != ["unknown", "unknown"]:
        known = next(g for g in given if g != "unknown")
        same = [m for m in fitting if set(m.args) == {known}]
        if same:
            return same[0]
    for score in (_exact_count, _preferred_count):
        scores = [score(m, given) for m in fitting]
        fitting = [m for m, s in zip(fitting, scores, strict=True) if s == max(scores)]
        if len(fitting) == 1:
            return fitting[0]
    for at, kind in enumerate(given):
        if kind != "unknown":
            continue
        stringy = [m for m in fitting if types.category(m.args[at]) == "S"]
        if stringy:
            fitting = [m for m in stringy if m.args[at] in types.PREFERRED] or stringy
            continue
        categories = {types.category(m.args[at]) for m in fitting}
        if len(categories) == 1:
            preferred = [m for m in fitting if m.args[at] in types.PREFERRED]
            fitting = preferred or fitting
    if len(fitting) > 1 and len({types.category(g) for g in given if g != "unknown"}) == 1:
        known = next(g for g in given if g != "unknown")
        same = [m for m in fitting if all(a == known for a, g in zip(m.args, given, strict=True) if g == "unknown")]
        fitting = same or fitting
    if len(fitting) > 1:
        raise Ambiguous
    return fitting[0]


def _exact_count(match: Match, given: list[str]) -> int:
    return sum(a == g for a, g in zip(match.args, given, strict=True) if g != "unknown")


def _preferred_count(match: Match, given: list[str]) -> int:
    return sum(
        a == g or (a in types.PREFERRED and types.category(a) == types.category(g))
        for a, g in zip(match.args, given, strict=True) if g != "unknown"
    )  # fmt: skip


def _fit(overload: Overload, given: list[str]) -> Match | None:
    wanted = list(overload.args)
    if overload.variadic:
        extra = len(given) - len(wanted)
        if extra < 1:
            return None
        wanted += [overload.variadic] * extra
    if len(wanted) != len(given):
        return None
    bound: dict[str, str] = {}
    out = list[str]()
    families = [g for w, g in zip(wanted, given, strict=True) if w in ("anyelement", "anycompatible")]
    families += [
        types.element(g)
        for w, g in zip(wanted, given, strict=True)
        if w in ("anyarray", "anycompatiblearray") and types.is_array(g)
    ]
    if families or any(w in _POLY for w in wanted):
        chosen = types.common(families) if families else None
        if chosen is None:
            return None
        bound["el"] = chosen
    for want, got in zip(wanted, given, strict=True):
        if want == "any":
            out.append(got if got != "unknown" else "text")
        elif want in ("anyelement", "anycompatible"):
            if not types.implicit(got, bound["el"]):
                return None
            out.append(bound["el"])
        elif want in ("anyarray", "anycompatiblearray"):
            if got == "unknown" or (types.is_array(got) and types.implicit(types.element(got), bound["el"])):
                out.append("_" + bound["el"])
            else:
                return None
        elif want == "anyenum":
            if not types.is_enum(got):
                return None
            out.append(got)
            bound["el"] = got
        elif types.implicit(got, want):
            out.append(want)
        else:
            return None
    ret = overload.ret
    if ret in ("anyelement", "anycompatible", "anyenum"):
        ret = bound["el"]
    elif ret in ("anyarray", "anycompatiblearray"):
        ret = "_" + bound["el"]
    return Match(overload, tuple(out), ret)
