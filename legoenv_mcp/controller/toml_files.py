"""Reading TOML atoms: a mistake is one line that names file, line and key."""

import re
import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound=BaseModel)


class BadFile(ValueError):
    """An atom's file is wrong; the message is `file:line: what`."""


def read(path: Path, model: type[M]) -> M:
    """The file as the model. BadFile where it is no TOML, has unknown or missing keys, or a value that may not be."""
    text = path.read_text(encoding="utf-8")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"{path.name}: {error}") from None
    try:
        made = model.model_validate(data)
    except ValidationError as error:
        # A misspelt key is the reason for the missing one, and has a line.
        first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
        place = ".".join(str(part) for part in first["loc"])
        raise BadFile(f"{path.name}:{line_of(text, first['loc'])}: {place}: {first['msg']}") from None
    if (made_id := getattr(made, "id", path.stem)) != path.stem:
        raise BadFile(f"{path.name}:1: id is {made_id!r}, but the file is {path.stem}.toml")
    return made


def line_of(text: str, place: tuple[int | str, ...]) -> int:
    """The line on which a place of a TOML document is written, as near as its keys tell: tables are walked in order."""
    line = 1
    lines = text.splitlines()
    for at, part in enumerate(place):
        if isinstance(part, int):
            continue
        follows = place[at + 1] if at + 1 < len(place) else None
        count = follows + 1 if isinstance(follows, int) else 1
        pattern = re.compile(rf"^\s*(\[\[?[\w.]*\b{re.escape(str(part))}\]\]?|{re.escape(str(part))}\s*=)")
        hits = [n for n, content in enumerate(lines, 1) if n >= line and pattern.match(content)]
        if hits:
            line = hits[min(count, len(hits)) - 1]
    return line
