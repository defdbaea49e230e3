"""Checks: what data cannot say of an end state, said in Python.

A check is a pure function of an app's state before and after, in `checks/<file>.py` of an atoms folder:

    @check
    def evenly_spread(app: AppState, *, tickets: list[str], people: list[str]) -> str:
        ...

It answers what is wrong, in a sentence, or nothing. A goal names it `app:file.evenly_spread`.
"""

from collections.abc import Callable
from pathlib import Path

from legoenv_mcp.verify.state import AppState, BadTarget

Check = Callable[..., str]
_known: dict[str, Check] = {}


def check(function: Check) -> Check:
    """Makes a function known by its file's and its own name."""
    file = Path(function.__code__.co_filename).stem
    _known[f"{file}.{function.__name__}"] = function
    return function


def forget(file: str) -> None:
    """The checks of a file are no longer known: it is read anew."""
    for name in [n for n in _known if n.startswith(f"{file}.")]:
        del _known[name]


def find(name: str) -> Check:
    """The check of that name. BadTarget where there is none."""
    if name not in _known:
        raise BadTarget(f"there is no check {name!r}; there are: {', '.join(sorted(_known)) or 'none'}")
    return _known[name]


__all__ = ["AppState", "Check", "check", "find", "forget"]
