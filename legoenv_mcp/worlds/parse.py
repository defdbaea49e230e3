"""Strict readers of CSV tables, and of texts with front matter and `===` blocks. Every error names file and line."""

import csv
import io
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound=BaseModel)

DAYS = frozenset(
    {"start_date", "close_date", "due", "issued", "paid", "paid_on", "born", "terminated", "first_day", "last_day"}
)
"""Fields that hold ISO days, where they hold text."""
INSTANTS = frozenset({
    "created", "updated", "at", "date", "modified", "started", "canceled", "cancelled", "closed", "done",
    "Booking.start",
})  # fmt: skip
"""Fields that hold RFC 3339 UTC instants to the second, where they hold text."""
FORWARD = frozenset(
    {"due", "close_date", "start_date", "terminated", "first_day", "last_day", "Booking.start", "Campaign.at"}
)
"""Fields that may lie after the world's clock."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class WorldError(ValueError):
    """A world's files are wrong; the message starts with `file:line: `."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was read: a path relative to the world's folder and a line counted from 1."""

    file: str
    line: int

    def error(self, field: str, problem: str) -> WorldError:
        return WorldError(f"{self.file}:{self.line}: {f'{field}: ' if field else ''}{problem}")


@dataclass(frozen=True, slots=True)
class Block:
    """One `=== a | b | name: value` line, split at ` | `, and the text under it up to the next one."""

    place: Place
    head: list[str]
    text: str


def read_grid(file: str, text: str) -> tuple[list[str], list[tuple[Place, list[str]]]]:
    """A CSV's column names and its rows. WorldError for a column that stands twice, or a row of the wrong length."""
    reader = csv.reader(io.StringIO(text), strict=True)
    rows: list[tuple[Place, list[str]]] = []
    columns: list[str] = []
    line = 0
    try:
        columns = next(reader, columns)
        if len(set(columns)) != len(columns):
            raise Place(file, 1).error("", "a column stands twice")
        line = reader.line_num
        for row in reader:
            place, line = Place(file, line + 1), reader.line_num
            if len(row) != len(columns):
                raise place.error("", f"{len(row)} cells under {len(columns)} columns")
            rows.append((place, row))
    except csv.Error as error:
        raise Place(file, reader.line_num).error("", str(error)) from error
    return columns, rows


def read_csv(file: str, text: str, allowed: frozenset[str]) -> Iterator[tuple[Place, dict[str, str]]]:
    """Rows with their non-empty cells. WorldError for a column not in `allowed`, or a row of the wrong length."""
    columns, rows = read_grid(file, text)
    for column in columns:
        if column not in allowed:
            raise Place(file, 1).error(column, "unknown column")
    for place, row in rows:
        yield place, {column: cell for column, cell in zip(columns, row, strict=True) if cell != ""}


def read_toml(file: str, text: str, allowed: frozenset[str]) -> dict[str, Any]:
    """A TOML file's top level. WorldError for bad TOML or a key not in `allowed`."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        raise Place(file, int(found[1]) if found else 1).error("", str(error)) from error
    lines = text.splitlines()
    for key in values:
        if key not in allowed:
            at = next((n for n, line in enumerate(lines, 1) if line.lstrip("[ ").startswith(key)), 1)
            raise Place(file, at).error(key, "unknown key")
    return values


def read_text(file: str, text: str, front: frozenset[str] | None) -> tuple[dict[str, Any], str, list[Block]]:
    """Front matter, the text before the first block, and the blocks.

    `front` None: the file has no front matter. Else it starts with `+++`, TOML of those keys, `+++`.
    """
    lines = text.split("\n")
    values: dict[str, Any] = {}
    start = 0
    if front is not None:
        if lines[0] != "+++" or "+++" not in lines[1:]:
            raise Place(file, 1).error("", "no front matter between +++ lines")
        end = lines.index("+++", 1)
        # A blank first line keeps TOML's line numbers those of the file.
        values = read_toml(file, "\n".join(["", *lines[1:end]]), front)
        start = end + 1
    heads = [n for n in range(start, len(lines)) if lines[n].startswith("=== ")]
    ends = [*heads, len(lines)][1:]
    body = "\n".join(lines[start : heads[0] if heads else len(lines)]).strip("\n")
    blocks = [
        Block(Place(file, head + 1), [part.strip() for part in lines[head][4:].split(" | ")],
              "\n".join(lines[head + 1 : end]).strip("\n"))
        for head, end in zip(heads, ends, strict=True)
    ]  # fmt: skip
    return values, body, blocks


def options(block: Block, start: int, valued: frozenset[str], flags: frozenset[str] = frozenset()) -> dict[str, str]:
    """The parts of a block's head from `start` on: `name: value` for a name in `valued`, or a bare word in `flags`."""
    if len(block.head) < start:
        raise block.place.error("", f"a block's head has at least {start} parts")
    found: dict[str, str] = {}
    for part in block.head[start:]:
        name, colon, value = part.partition(":")
        if name in found:
            raise block.place.error(name, "stands twice")
        if colon and name in valued:
            found[name] = value.strip()
        elif not colon and name in flags:
            found[name] = "true"
        else:
            raise block.place.error(name, "unknown part of a block's head")
    return found


def build(model: type[M], place: Place, values: dict[str, Any], clock: str) -> M:
    """The model of `values`; text is split at `;` where the field is a tuple.

    WorldError where the model refuses it, or a time is malformed or after `clock`.
    """
    kinds = _kinds(model)
    ready = dict(values)
    for name, value in values.items():
        kind = kinds.get(name)
        if kind is None:
            raise place.error(name, "unknown field")
        if kind == "plain" or not isinstance(value, str):
            continue
        if kind == "tuple":
            ready[name] = tuple(part.strip() for part in value.split(";"))
        elif value:
            check_time(place, name, value, "" if kind.startswith("any") else clock, day=kind.endswith("day"))
    try:
        return model.model_validate(ready)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise place.error(".".join(map(str, first["loc"])), first["msg"]) from error


@cache
def _kinds(model: type[BaseModel]) -> dict[str, str]:
    """What text of each field is: `plain`, `tuple`, or a `past` or `any` `day` or `instant`."""
    found: dict[str, str] = {}
    for name, info in model.model_fields.items():
        names = {name, f"{model.__name__}.{name}"}
        when = "any" if FORWARD & names else "past"
        found[name] = "plain"
        if get_origin(info.annotation) is tuple:
            found[name] = "tuple"
        elif info.annotation is str and name in DAYS:
            found[name] = f"{when} day"
        elif info.annotation is str and INSTANTS & names:
            found[name] = f"{when} instant"
    return found


def check_time(place: Place, name: str, value: str, clock: str, *, day: bool) -> None:
    """WorldError where the value is no day or instant, or is after `clock`; an empty `clock` allows any time."""
    try:
        if not (_DAY if day else _INSTANT).fullmatch(value):
            raise ValueError
        datetime.fromisoformat(value)
    except ValueError:
        form = "2026-02-27" if day else "2026-02-27T16:05:00Z"
        raise place.error(name, f'"{value}" is not of the form {form}') from None
    if clock and value > clock:
        raise place.error(name, f"{value} is after the world's clock {clock}")
