"""What a verifier is made of. Written in TOML; unknown keys are errors.

A target is `app.table` (the app's own rows) or `app:capability.Entity` (canonical entities, through the app's view). Fields map to
matchers (see matchers.py); `"@name.field"` stands for a field of a selected row.
"""

import re
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

_TARGET = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+|:[a-z_]+\.[A-Za-z_]+)")


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Select(Strict):
    """A row of the start state that goals speak of. It must match exactly one."""

    source: str = Field(alias="in")
    where: dict[str, Any]


class Goal(Strict):
    """One thing that must be so at the end. Exactly one of the seven kinds is given, naming a target.

    created: exactly `count` new rows match `with`, and no other new row of the target exists unless allowed by the frame.
    changed: the selected row has become as `to` says. deleted: the selected row is gone.
    exists, absent: some, no row of the end state matches `with`. counted: exactly `count` rows of the end state match.
    checked: `app:file.function`, a function in Python (checks.py) finds nothing wrong; `free` are arguments of calls that it leaves open.
    """

    name: str
    created: str = ""
    changed: str = ""
    deleted: str = ""
    exists: str = ""
    absent: str = ""
    counted: str = ""
    checked: str = ""
    row: str = ""
    fields: dict[str, Any] = Field(default_factory=dict[str, Any], alias="with")
    to: dict[str, Any] = Field(default_factory=dict[str, Any])
    count: int = 1
    free: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return next(k for k in KINDS if getattr(self, k))

    @property
    def target(self) -> str:
        return getattr(self, self.kind)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = [k for k in KINDS if getattr(self, k)]
        if len(given) != 1:
            raise ValueError(f"a goal has exactly one of {', '.join(KINDS)}; this has {given or 'none'}")
        if not _TARGET.fullmatch(self.target):
            raise ValueError(f"{self.target!r} is no target: write app.table or app:capability.Entity")
        if self.kind in ("changed", "deleted") and not self.row.startswith("@"):
            raise ValueError(f'{self.kind} needs row = "@selection"')
        if self.kind == "changed" and not self.to:
            raise ValueError("changed needs to = { field = value }")
        if self.kind in ("created", "exists", "absent", "counted") and not self.fields:
            raise ValueError(f"{self.kind} needs with = {{ field = value }}")
        return self


KINDS = ("created", "changed", "deleted", "exists", "absent", "counted", "checked")


class Allow(Strict):
    """One part of the frame: changes that may have happened. Exactly one of insert, update, delete names `app.table`.

    `with` is what the row must be like (an inserted one as it is, another as it was), `to` what an updated row must have become.
    `inside` names a column of an inserted row that holds the key of another new row: what it is a part of.
    """

    insert: str = ""
    update: str = ""
    delete: str = ""
    row: str = ""
    fields: dict[str, Any] = Field(default_factory=dict[str, Any], alias="with")
    to: dict[str, Any] = Field(default_factory=dict[str, Any])
    columns: tuple[str, ...] = ()
    inside: str = ""
    max: int = 1
    optional: bool = False

    @property
    def kind(self) -> str:
        return next(k for k in ("insert", "update", "delete") if getattr(self, k))

    @property
    def target(self) -> str:
        return getattr(self, self.kind)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if sum(bool(v) for v in (self.insert, self.update, self.delete)) != 1:
            raise ValueError("a frame entry has exactly one of insert, update, delete")
        if self.update and not self.columns:
            raise ValueError("update needs columns = [...]: which may have changed")
        if (self.update or self.delete) and not (self.row or self.fields):
            raise ValueError(f'{self.kind} needs row = "@selection" or with = {{ field = value }}')
        return self


class Answer(Strict):
    """What the final answer must say: every fact, and none of what is forbidden."""

    facts: tuple[Any, ...]
    forbid: tuple[Any, ...] = ()


class Verifier(Strict):
    """Selections, goals, the frame and, where the task asks for one, the answer."""

    select: dict[str, Select] = Field(default_factory=dict[str, Select])
    goal: tuple[Goal, ...] = ()
    allow: tuple[Allow, ...] = ()
    answer: Answer | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.goal and self.answer is None:
            raise ValueError("a verifier without a goal or an answer passes whatever happens")
        names = [g.name for g in self.goal]
        if len(set(names)) != len(names):
            raise ValueError("two goals have the same name")
        return self
