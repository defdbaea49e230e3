"""Which environments a command is about: named, read from a file, or so many of the catalogue."""

import hashlib
import json
from collections.abc import Collection, Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Any

from legoenv_mcp.controller.environments import Listed, UnknownEnvironment, listed


def choose(
    named: str = "", *, count: int = 0, apps: Collection[str] = (), difficulty: int = 0, seed: str = "0"
) -> list[Listed]:
    """Environments by id, in a fixed order.

    named: ids separated by commas, or a file of them (see `read_ids`). apps: only those that use no other app. count: at most so
    many, spread over the intents: the same seed and catalogue give the same ones. ValueError, in one line, where a name is unknown,
    a file cannot be read, or nothing is left.
    """
    try:
        known = {e.id: e for e in listed()}
    except UnknownEnvironment as error:
        raise ValueError(str(error)) from None
    chosen = list(known.values())
    if named:
        ids = named_in(named, known)
        if strangers := [i for i in ids if i not in known]:
            shown = ", ".join(strangers[:3]) + (f" and {len(strangers) - 3} more" if len(strangers) > 3 else "")
            raise ValueError(f"unknown environment {shown}; see: legoenv envs")
        chosen = [known[i] for i in ids]
    if apps:
        chosen = [e for e in chosen if set(e.apps) <= set(apps)]
    if difficulty:
        chosen = [e for e in chosen if e.difficulty == difficulty]
    if count and count < len(chosen):
        chosen = _spread(chosen, count, seed)
    if not chosen:
        raise ValueError("no environment is left by this choice; see: legoenv envs")
    return chosen


def named_in(named: str, known: Collection[str] = ()) -> list[str]:
    """The ids that an option names: a file's, or the text's own. A file that cannot be read is a ValueError."""
    path = Path(named)
    if named not in known and ("/" in named or path.suffix or path.is_file()):
        return read_ids(path)
    return list(dict.fromkeys(filter(None, (part.strip() for part in named.split(",")))))


def read_ids(path: Path, *keys: str) -> list[str]:
    """Ids from a file, each once: one a line (`#` begins a comment), a JSON list, or JSON Lines of objects with one of `keys`
    (`environment_id`, `environment`, `id`), such as `legoenv envs --json` and `legoenv export` write."""
    keys = keys or ("environment_id", "environment", "id")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        items = _items(text)
    except ValueError as error:
        raise ValueError(f"{path} is no list of environments: {error}") from None
    found = list[str]()
    for item in items:
        value = next((item[k] for k in keys if k in item), None) if isinstance(item, dict) else item
        if not isinstance(value, str) or not value:
            raise ValueError(f"{path}: {json.dumps(item)[:80]} has none of {', '.join(keys)}")
        found.append(value)
    return list(dict.fromkeys(found))


def _items(text: str) -> Iterable[Any]:
    if text.lstrip().startswith("["):
        return json.loads(text)
    lines = [line.strip() for line in text.splitlines()]
    return [
        json.loads(line) if line.startswith(("{", '"')) else line.partition("#")[0].strip()
        for line in lines
        if line and not line.startswith("#")
    ]


def _spread(found: Iterable[Listed], count: int, seed: str) -> list[Listed]:
    """One of each intent, then a second of each, and so on, in an order that the seed fixes."""

    def place(text: str) -> str:
        return hashlib.blake2b(f"{seed}/{text}".encode(), digest_size=8).hexdigest()

    by_intent = dict[str, list[Listed]]()
    for one in sorted(found, key=lambda e: place(e.id)):
        by_intent.setdefault(one.intent or one.id, []).append(one)
    columns = [by_intent[name] for name in sorted(by_intent, key=place)]
    return [one for rank in zip_longest(*columns) for one in rank if one is not None][:count]
