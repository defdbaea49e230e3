"""What a formula function is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MANY = 100_000
"""As many arguments as a formula has room for."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function over evaluated arguments, of which it takes `least` to `most`. `kind` is what it yields."""

    run: Callable[..., Any]
    least: int
    most: int
    kind: str = "text"
