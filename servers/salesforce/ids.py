"""Record ids: 15 case-sensitive characters, or 18 with a suffix that makes them safe to compare without case."""

import re

from legoenv_mcp.app import Ctx

_SUFFIX = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
_SHAPE = re.compile(r"[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?")
_POD = "gK0000"


def checksum(short: str) -> str:
    """The suffix of a 15 character id: one character per five, whose bits tell which of the five are capitals."""
    return "".join(_SUFFIX[sum(short[start + bit].isupper() << bit for bit in range(5))] for start in (0, 5, 10))


def full(value: object) -> str | None:
    """The 18 character form of an id, None where it is no well-formed id (wrong length, characters or suffix)."""
    if not isinstance(value, str) or not _SHAPE.fullmatch(value):
        return None
    short = value[:15]
    made = short + checksum(short)
    return made if len(value) == 15 or made[15:] == value[15:].upper() else None


def new(ctx: Ctx, prefix: str) -> str:
    """The next id of the sObject with this key prefix."""
    short = ctx.id(prefix + _POD, 6, kind=prefix)
    return short + checksum(short)
