"""Repairs of worlds: an entity that is not there is made after its likes, two that cannot be told apart are told apart."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from legoenv_mcp import worlds
from legoenv_mcp.controller.kinds import kind as entity_kind
from legoenv_mcp.evolve import fleet, source
from legoenv_mcp.evolve.fleet import Atom, Edit, Patch

Finding = Mapping[str, Any]
Row = dict[str, str]
NAMING = (
    "name",
    "title",
    "subject",
    "first_name",
    "last_name",
    "email",
    "number",
    "handle",
    "domain",
    "path",
    "phone",
    "description",
    "code",
)
LIKES = 12


def _table(world: str, keys: set[str]) -> tuple[str, list[Row]] | None:
    """The CSV that most of these keys are rows of."""
    best, most = None, 0
    for path in source.world_files(world):
        rows = list(csv.DictReader(io.StringIO(fleet.read(path) or "")))
        here = len(keys & {r.get("key", "") for r in rows})
        if here > most:
            best, most = (path, rows), here
    return best


def _patch(atom: Atom, title: str, path: str, rows: Sequence[Row], shape: str) -> Patch:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return Patch(atom, title, (Edit(path, out.getvalue()),), shape=shape)


def absent(finding: Finding) -> Iterator[Patch]:
    """A row of that key, after each of its likes in turn: the key says what it is called, the rest of the world what it says of it, the
    like all else."""
    atom = Atom.named(finding["atom"])
    kind, _, key = finding["about"].partition(" ")
    if not kind or not key:
        return
    world = worlds.load(atom.id)
    held = _table(atom.id, {e.key for e in world.entities(entity_kind(kind))})
    if held is None:
        return
    path, rows = held
    if any(r["key"] == key for r in rows):
        return
    said = _named_alike(atom.id, key, rows) | _said(atom.id, key, path, list(rows[0]))
    for like in sorted(rows, key=lambda r: (-_common(r["key"], key), rows.index(r)))[:LIKES]:
        made = _renamed(like, key, rows) | {c: v for c, v in said.items() if like.get(c)}
        at = rows.index(like) + 1
        yield _patch(atom, f"{kind} {key}, after {like['key']}", path, [*rows[:at], made, *rows[at:]], "absent")


def _said(world: str, key: str, path: str, columns: Sequence[str]) -> Row:
    """What other tables say of a thing: the address that is made of its key and what stands beside it, the company of what refers to it."""
    local, said = ".".join(w for w in re.split(r"[\W_]+", key) if w).lower(), dict[str, Counter[str]]()
    for other in source.world_files(world):
        for row in csv.DictReader(io.StringIO(fleet.read(other) or "")) if other != path else ():
            address = next((v for v in row.values() if v and v.partition("@")[0] == local and "@" in v), "")
            beside = ("email", "phone", "company") if address else ("company",) if key in row.values() else ()
            for column in [c for c in beside if c in columns]:
                if value := address if column == "email" else row.get(column, ""):
                    said.setdefault(column, Counter())[value] += 1
    return {column: values.most_common(1)[0][0] for column, values in said.items()}


def _named_alike(world: str, key: str, rows: Sequence[Row]) -> Row:
    """What a thing belongs to, in columns whose rows are called after it: the deal prairie-rates to the company prairie-grain."""
    said = Row()
    for column in [c for c in rows[0] if c != "key"]:
        values = [(r["key"], r[column]) for r in rows if r[column]]
        after = sum(bool(_words(own) & _words(value)) for own, value in values)
        if 2 * after > len(values):
            keys = _keys_with(world, {value for _, value in values})
            best = max(keys, key=lambda k: (_common(k, key), k), default="")
            if _words(best) & _words(key):
                said[column] = best
    return said


def _keys_with(world: str, values: set[str]) -> set[str]:
    """The keys of the world's table in which most of these are keys."""
    tables = [
        {row["key"] for row in csv.DictReader(io.StringIO(fleet.read(path) or "")) if row.get("key")}
        for path in source.world_files(world)
    ]
    best = max(tables, key=lambda t: len(t & values), default=set[str]())
    return best if 2 * len(best & values) > len(values) else set()


def _words(key: str) -> set[str]:
    return {w for w in re.split(r"[\W_]+", key.lower()) if len(w) > 2}


def _common(one: str, other: str) -> int:
    """How alike two keys are: words in common, then length of the common beginning."""
    a, b = set(re.split(r"\W", one)), set(re.split(r"\W", other))
    start = next((i for i, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other)))
    return 10 * len(a & b) + start


def _renamed(like: Row, key: str, rows: Sequence[Row]) -> Row:
    """A row like another under a new key, with names of its own."""
    return {column: _own(column, value, key, like["key"], rows) for column, value in like.items()} | {"key": key}


def _own(column: str, value: str, key: str, old: str, rows: Sequence[Row]) -> str:
    spoken = [w for w in re.split(r"[\W_]+", key) if w]
    taken = {r.get(column, "") for r in rows}
    if column not in NAMING or not value:
        return value
    if column == "email":
        local, _, domain = value.partition("@")
        return f"{'.'.join(spoken).lower() or local}@{domain}"
    if column == "first_name":
        return spoken[0].capitalize() if spoken else value
    if column == "last_name":
        return spoken[-1].capitalize() if len(spoken) > 1 else value
    own = re.search(r"\d+$", key)
    if column == "number" and own and re.search(rf"(?<!\d){re.escape(value)}$", old):
        return own[0]  # the key is made of it
    if column in ("phone", "number", "code"):
        return _next(value, taken)
    if column == "domain":
        return f"{''.join(spoken).lower()}.example"
    if column in ("name", "title", "subject", "handle", "path"):
        if value == old:  # a name that is the key, as channels have
            return key
        said = " ".join(w.capitalize() if not w.isdigit() else w for w in spoken)
        return said if said not in taken else f"{said} (2)"
    return value


def _next(value: str, taken: set[str]) -> str:
    """A number that nobody has yet, of the same form."""
    match = re.search(r"(\d+)(?!.*\d)", value)
    if match is None:
        return f"{value}-2"
    number, width = int(match[1]), len(match[1])
    while True:
        number += 1
        made = f"{value[: match.start()]}{str(number).zfill(width)}{value[match.end() :]}"
        if made not in taken:
            return made


def ambiguous(finding: Finding) -> Iterator[Patch]:
    """The one of the two whose key says least of what it is called gets words of its own; else the other."""
    atom = Atom.named(finding["atom"])
    for signal in finding["evidence"]:
        if signal["kind"] != "tie":
            continue
        held = _table(atom.id, {signal["key"], *signal["others"]})
        if held is None:
            continue
        path, rows = held
        both = [r for r in rows if r["key"] in (signal["key"], *signal["others"])]
        columns = [c for c in signal["by"] if c in rows[0]]
        if not columns or len(both) > 6:
            continue
        fakes = [r for r in both if r["key"] != signal["key"]]
        for wrong in (fakes, [r for r in both if r["key"] == signal["key"]]):
            for column in [*(c for c in columns if c in NAMING), *(c for c in columns if c not in NAMING)]:
                changed = [dict(r) if r not in wrong else {**r, column: _own_words(column, r, rows)} for r in rows]
                title = f"{', '.join(r['key'] for r in wrong)}: {column} of its own"
                yield _patch(atom, title, path, changed, "ambiguous")


def _own_words(column: str, row: Row, rows: Sequence[Row]) -> str:
    """What the row's other columns and its key say that it is called."""
    if column == "email" and row.get("first_name"):
        domain = row["email"].partition("@")[2]
        return f"{row['first_name']}.{row.get('last_name', '')}@{domain}".lower().replace(" ", "-")
    taken = {r.get(column, "") for r in rows if r is not row}
    made = _own(column, row[column], row["key"], "", rows)
    if made in taken or made == row[column]:
        made = f"{row[column]} ({row['key']})" if column in NAMING else _next(row[column], taken)
    return made
