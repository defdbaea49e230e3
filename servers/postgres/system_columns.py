"""The columns that every table has without being asked: where a row lies, who wrote it, and which table it is of."""

import re

from .errors import SqlError
from .models import Relation
from .scope import Out

NAMES = ("ctid", "tableoid", "xmin", "xmax", "cmin", "cmax")
_OUTS = [Out("ctid", "tid"), *(Out(name, "oid") for name in NAMES[1:])]
_MENTIONED = re.compile(rf"\b({'|'.join(NAMES)})\b", re.IGNORECASE)
_WRITER, _LOCKER = 731, 732
"""Numbers of transactions: of all that wrote rows, and of the one that locked a row to update it in INSERT ... ON CONFLICT."""


def wanted(sql: str) -> bool:
    """Whether statements may name one of them: rows carry them only then."""
    return _MENTIONED.search(sql) is not None


def check_name(name: str) -> None:
    if name in NAMES:
        raise SqlError("42701", f'column name "{name}" conflicts with a system column name')


def outs(relation: Relation) -> list[Out]:
    return [Out(out.name, out.kind, source=(relation.oid, -i)) for i, out in enumerate(_OUTS, 1)]


def cells(relation: Relation, key: int, *, locked: bool = False) -> tuple[int, ...]:
    """Their values for the row with this key."""
    return (key, relation.oid, _WRITER, _LOCKER if locked else 0, 0, 0)
