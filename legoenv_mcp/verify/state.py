"""State: an environment's apps before and after, as grading sees them: rows by table, and entities through the apps' views."""

import sqlite3
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx, Request, entity_name
from legoenv_mcp.kernel.diff import Change
from legoenv_mcp.kernel.episode import Episode, LiveApp
from legoenv_mcp.kernel.store import read_keys
from legoenv_mcp.verify.heads import heads
from legoenv_mcp.verify.matchers import matches

Row = dict[str, Any]


class BadTarget(LookupError):
    """The verifier names an app, table, entity or column that does not exist: the verdict is invalid."""


class AppState:
    """One app: its start state, its end state, what changed between."""

    def __init__(self, live: LiveApp) -> None:
        self.app: App = live.app
        self._live = live

    @cached_property
    def changes(self) -> list[Change]:
        return self._live.changes()

    def rows(self, table: str, *, before: bool = False, where: Mapping[str, Any] | None = None) -> list[Row]:
        """The rows of a table that match, plain equality pushed into SQL."""
        shape = self.app.shapes.get(table)
        if shape is None:
            raise BadTarget(f"{self.app.slug} has no table {table!r}; there are: {', '.join(self.app.shapes)}")
        conditions, values = list[str](), list[Any]()
        for name, wanted in (where or {}).items():
            if name not in shape.columns:
                raise BadTarget(
                    f"{self.app.slug}.{table} has no column {name!r}; there are: {', '.join(shape.columns)}"
                )
            if isinstance(wanted, (int, str)) and not isinstance(wanted, bool) and shape.codecs[name].decode is None:
                conditions.append(f'"{name}" = ?')
                values.append(wanted)
        sql = shape.select + (f" WHERE {' AND '.join(conditions)}" if conditions else "")
        found = [shape.decode(raw) for raw in self._connection(before).execute(sql, values)]
        return [row for row in found if fits(where or {}, row)]

    def entities(self, name: str, *, before: bool = False) -> list[Row]:
        """Every canonical entity of a kind, as a dict of its fields."""
        return [
            e
            for table in self._tables_of(name)
            for row in self.rows(table, before=before)
            if (e := self.view(name, table, row, before=before))
        ]

    def _own_name(self, name: str) -> str:
        """`hr.Person`, a person as HR has it, is the entity `people.Person`."""
        capability, _, kind = name.partition(".")
        provider = self.app.provides.get(capability)
        found = next((k for k in provider.entities if k.__name__ == kind), None) if provider else None
        return entity_name(found) if found else name

    def _tables_of(self, name: str) -> list[str]:
        """The tables in which entities of a kind have their head rows: those that have one at the start, and those written to since."""
        if name.partition(".")[0] not in self.app.provides:
            raise BadTarget(f"{self.app.slug} does not have the capability {name.partition('.')[0]!r}")
        known = {table for table, _ in heads(self._live.template).get(self._own_name(name), {}).values()}
        written = {change.table for change in self.changes}
        return [table for table in self.app.shapes if table in known or table in written]

    def entity(self, name: str, entity_id: str, *, before: bool = False) -> Row | None:
        """The canonical entity `capability.Entity` of an id, or None where there is none."""
        place = heads(self._live.template).get(self._own_name(name), {}).get(entity_id)
        if place is not None:
            values = read_keys(self._connection(before), self.app.shapes, [place])[place]
            return None if values is None else self.view(name, place[0], self._row(place[0], values), before=before)
        made = [] if before else [c for c in self.changes if c.kind == "insert" and c.after is not None]
        shown = (self.view(name, c.table, c.after) for c in made if c.after is not None)
        return next((e for e in shown if e is not None and e["id"] == entity_id), None)

    def _row(self, table: str, values: Mapping[str, Any]) -> Row:
        return self.app.shapes[table].decode(tuple(values.values()))

    def view(self, name: str, table: str, row: Row, *, before: bool = False) -> Row | None:
        """A row as the canonical entity `capability.Entity`, or None where it is not the head of one."""
        capability, _, kind = name.partition(".")
        provider = self.app.provides.get(capability)
        if provider is None:
            raise BadTarget(f"{self.app.slug} does not have the capability {capability!r}")
        entity = provider.view(self._ctx(before), table, row)
        return entity.model_dump() if entity is not None and type(entity).__name__ == kind else None

    def _connection(self, before: bool) -> sqlite3.Connection:
        return self._live.template.connection if before else self._live.store.connection

    def _ctx(self, before: bool) -> Ctx:
        return Ctx(LiveApp(self._live.template) if before else self._live, None, None, Request())


class State:
    """All apps of an episode. Grading reads it and leaves it as it is."""

    def __init__(self, episode: Episode, slugs: Iterable[str]) -> None:
        self.apps = {slug: AppState(episode.app(slug)) for slug in slugs}

    def app(self, slug: str) -> AppState:
        if slug not in self.apps:
            raise BadTarget(f"the environment has no app {slug!r}")
        return self.apps[slug]

    @property
    def changes(self) -> list[Change]:
        return [change for slug in sorted(self.apps) for change in self.apps[slug].changes]

    def find(self, target: str, where: Mapping[str, Any], *, before: bool = False) -> list[Row]:
        """The rows or entities of a target that match."""
        slug, entity, name = split_target(target)
        if entity and isinstance(where.get("id"), str):
            one = self.app(slug).entity(name, where["id"], before=before)
            return [one] if one is not None and fits(where, one) else []
        if entity:
            return [e for e in self.app(slug).entities(name, before=before) if fits(where, e)]
        return self.app(slug).rows(name, before=before, where=where)

    def created(self, target: str) -> list[Row]:
        """New rows or entities of a target."""
        slug, entity, name = split_target(target)
        state = self.app(slug)
        new = [c for c in state.changes if c.kind == "insert" and c.after is not None]
        if not entity:
            return [c.after for c in new if c.table == name and c.after is not None]
        return [e for c in new if c.after is not None and (e := state.view(name, c.table, c.after))]


def split_target(target: str) -> tuple[str, bool, str]:
    """`slack.message` -> ("slack", False, "message"); `slack:chat.Message` -> ("slack", True, "chat.Message")."""
    if ":" in target:
        slug, _, name = target.partition(":")
        return slug, True, name
    slug, _, name = target.partition(".")
    return slug, False, name


def fits(where: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    """Whether a row's fields satisfy the matchers. BadTarget where it has no such field."""
    for name, wanted in where.items():
        if name not in row:
            raise BadTarget(f"there is no field {name!r}; there are: {', '.join(row)}")
        if not matches(wanted, row[name]):
            return False
    return True
