"""Atoms of tasks: intents, rules, traps, places where a policy is published, stray writes. All are TOML files under an atoms folder.

Values may be `"= expression"`, templates with `{{ ... }}`, or literals (expressions.py). Names in them: every pick and choice, every
`let`, `world`, `agent`, `today`, `now`. An entity stands for what the app calls it: `payment_id = "= payment"`.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, field_validator, model_validator

from legoenv_mcp.controller.kinds import capability_classes, kinds
from legoenv_mcp.controller.toml_files import BadFile, read
from legoenv_mcp.verify.model import KINDS as GOAL_KINDS
from legoenv_mcp.verify.model import Strict
from legoenv_mcp.worlds import atoms_folders

Values = dict[str, Any]


class Pick(Strict):
    """Entities of the world that the task is about: drawn among those for which `where` holds (`it` is the candidate), the one whose
    key `key` gives, or with `many` all of them, in `order`, at most `limit`.

    `by` are the fields by which the instruction points at it: no other entity of the kind may have the same.
    """

    kind: str
    where: str = ""
    key: str = ""
    many: bool = False
    order: str = ""
    limit: int = 0
    least: int = 1
    by: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.kind not in kinds():
            raise ValueError(f"there is no kind {self.kind!r}")
        return self


class Computed(Strict):
    """A value that an agent has to work out, or a list of such, and the values it is worked out from: each must be readable."""

    value: str
    of: str


class Act(Strict):
    """One step: a verb of the role's capability (`pay.refund_payment`), or with `tool` a tool of its app.

    `each` repeats it for every value of a list, as `it`. A list `wordings` as an argument is a text in several wordings, each as good.
    """

    id: str = ""
    do: str = ""
    tool: str = ""
    args: Values = Field(default_factory=dict[str, Any], alias="with")
    when: str = ""
    each: str = ""
    after: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if bool(self.do) == bool(self.tool):
            raise ValueError("a step has either do = role.verb or tool = role.tool")
        if "." not in (self.do or self.tool):
            raise ValueError("a step names role.verb or role.tool")
        return self

    @property
    def role(self) -> str:
        return (self.do or self.tool).partition(".")[0]

    @property
    def name(self) -> str:
        return (self.do or self.tool).partition(".")[2]


class Aim(Strict):
    """A goal as an intent states it: a goal of a verifier (verify/model.py) whose target is `role:capability.Entity` or `role.table`,
    and whose `of` is the entity that is to be changed or gone. `checked` names a function in the checks folder (verify/checks.py):
    `role:file.function`, with `with` as its arguments; steps' arguments named in `free` may be any for which it holds."""

    name: str
    created: str = ""
    changed: str = ""
    deleted: str = ""
    exists: str = ""
    absent: str = ""
    counted: str = ""
    checked: str = ""
    of: str = ""
    fields: Values = Field(default_factory=dict[str, Any], alias="with")
    to: Values = Field(default_factory=dict[str, Any])
    count: str | int = 1
    free: tuple[str, ...] = ()
    when: str = ""
    each: str = ""

    @property
    def kind(self) -> str:
        return next((k for k in GOAL_KINDS if getattr(self, k)), "")

    @property
    def target(self) -> str:
        return getattr(self, self.kind)

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(bool(getattr(self, k)) for k in GOAL_KINDS) != 1:
            raise ValueError(f"a goal has exactly one of {', '.join(GOAL_KINDS)}")
        if self.kind in ("changed", "deleted") and not self.of:
            raise ValueError(f'{self.kind} needs of = "= entity"')
        return self


class May(Strict):
    """A change that is allowed beyond what the steps' own verbs make (verify/model.py Allow), its target `role.table`."""

    insert: str = ""
    update: str = ""
    delete: str = ""
    fields: Values = Field(default_factory=dict[str, Any], alias="with")
    to: Values = Field(default_factory=dict[str, Any])
    columns: tuple[str, ...] = ()
    max: int = 1


class Phrasing(Strict):
    """The instruction in one register."""

    register_: Literal["terse", "chatty", "forwarded", "ticket", "plain"] = Field("plain", alias="register")
    text: str


class Reply(Strict):
    """The answer that the task asks for: as the reference gives it, and what any answer must and must not say."""

    text: str
    facts: tuple[Any, ...]
    forbid: tuple[Any, ...] = ()


class Wrong(Strict):
    """A mistake that an agent may make, and that must be caught: another entity for a pick, another value for a let, steps left out
    or added."""

    name: str
    pick: Values = Field(default_factory=dict[str, Any])
    let: Values = Field(default_factory=dict[str, Any])
    drop: tuple[str, ...] = ()
    step: tuple[Act, ...] = ()
    answer: str = ""
    when: str = ""


class Made(Strict):
    """An entity added to the world for one environment. `as` is the name under which values may refer to it. With `each` there is one
    for every value of a list (`it`, `number`), and the name stands for all of them."""

    as_: str = Field("", alias="as")
    kind: str
    fields: Values = Field(default_factory=dict[str, Any], alias="with")
    when: str = ""
    each: str = ""


class Body(Strict):
    """What intents and rules have in common: choices, values, steps, goals."""

    roles: dict[str, str] = Field(default_factory=dict[str, str])
    choose: dict[str, list[Any]] = Field(default_factory=dict[str, list[Any]])
    pick: dict[str, Pick] = Field(default_factory=dict[str, Pick])
    let: Values = Field(default_factory=dict[str, Any])
    compute: dict[str, Computed] = Field(default_factory=dict[str, Computed])
    step: tuple[Act, ...] = ()
    goal: tuple[Aim, ...] = ()
    may: tuple[May, ...] = ()

    @field_validator("roles")
    @classmethod
    def _known(cls, roles: dict[str, str]) -> dict[str, str]:
        for role, what in roles.items():
            if not what.startswith("app:") and what not in capability_classes():
                raise ValueError(f"role {role!r}: there is no capability {what!r}")
        return roles


class Intent(Body):
    """What someone wants done, stated against roles: capabilities (`chat = "chat"`) or one app (`repo = "app:github"`)."""

    id: str
    version: int
    title: str
    domain: Literal["sales", "marketing", "operations", "support", "finance", "hr", "engineering", "it", "product"]
    tags: tuple[str, ...] = ()
    worlds: tuple[str, ...] = ()
    phrasing: tuple[Phrasing, ...]
    entity: tuple[Made, ...] = ()
    """What the task brings with it: the request in a mail, the list to work through, the wrong entry in the books. Picks are drawn
    before; `let` and all that follows know them by their names."""
    wrong: tuple[Wrong, ...] = ()
    right: tuple[Wrong, ...] = ()
    """Other ways that are as good: each must pass."""
    answer: Reply | None = None
    hard: str = ""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.roles:
            raise ValueError("an intent needs roles")
        for act in self.step:
            if act.role not in self.roles:
                raise ValueError(f"step {act.do or act.tool!r}: there is no role {act.role!r}")
        ids = [a.id for a in self.step if a.id]
        if len(set(ids)) != len(ids):
            raise ValueError("two steps have the same id")
        if not self.goal and self.answer is None:
            raise ValueError("an intent without a goal or an answer asks for nothing")
        return self


class Rule(Body):
    """A policy that changes what the right end state is.

    It applies to intents that have all `tags` and all names in `needs`. Where `when` holds, it sets values (`set`), drops steps and
    goals by id or name, and adds its own. `params` are the policy's figures; an older version of it has others.
    """

    id: str
    version: int
    title: str
    topic: str
    tags: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    params: dict[str, list[Any]] = Field(default_factory=dict[str, list[Any]])
    when: str = ""
    set: Values = Field(default_factory=dict[str, Any])
    drop: tuple[str, ...] = ()
    text: str
    agrees: str = ""
    """A predicate over the values that must hold in the end, whichever rule made them."""
    places: tuple[str, ...] = ()


class Trap(Strict):
    """Something laid into the world that misleads, and the mistake it invites. It applies to intents with a pick of kind `near` (the
    pick is then `it`, the wrong one `other`), or with all names in `needs` and all `tags`."""

    id: str
    version: int
    title: str
    near: str = ""
    roles: dict[str, str] = Field(default_factory=dict[str, str])
    tags: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    where: str = ""
    choose: dict[str, list[Any]] = Field(default_factory=dict[str, list[Any]])
    let: Values = Field(default_factory=dict[str, Any])
    entity: tuple[Made, ...] = ()
    wrong: tuple[Wrong, ...]


class Place(Strict):
    """Where a policy may be published: the capability it takes, the entities that carry it, the steps that read it, and sentences for
    the instruction that point at it. Names: rule (title, topic), text, author, published, `notice` once made."""

    id: str
    version: int
    capability: str = ""
    pick: dict[str, Pick] = Field(default_factory=dict[str, Pick])
    entity: tuple[Made, ...] = ()
    step: tuple[Act, ...] = ()
    pointer: tuple[str, ...]


class Strays(Strict):
    """Writes of one capability that no task asks for."""

    id: str
    version: int
    let: Values = Field(default_factory=dict[str, Any])
    pick: dict[str, Pick] = Field(default_factory=dict[str, Pick])
    step: tuple[Act, ...]


A = TypeVar("A", bound=Strict)
FOLDERS: dict[type[Strict], str] = {Intent: "intents", Rule: "rules", Trap: "traps", Place: "places", Strays: "strays"}


def load_all(model: type[A]) -> dict[str, A]:
    """Every atom of a kind, by id; one of an earlier atoms folder hides those of the same id in later ones. BadFile where one is wrong.

    Read once in a process: `forget` makes it read anew.
    """
    return _load_all(model, tuple(atoms_folders()))


@cache
def _load_all(model: type[A], roots: tuple[Path, ...]) -> dict[str, A]:
    found = dict[str, Path]()
    for root in roots:
        for path in sorted((root / FOLDERS[model]).rglob("*.toml")):
            found.setdefault(path.stem, path)
    return {name: read(path, model) for name, path in sorted(found.items())}


def forget() -> None:
    """Atoms are read anew when next asked for."""
    _load_all.cache_clear()
    _digests.cache_clear()


def digests(model: type[Strict]) -> dict[str, str]:
    """The content hash of every atom of a kind."""
    return _digests(model, tuple(atoms_folders()))


@cache
def _digests(model: type[Strict], roots: tuple[Path, ...]) -> dict[str, str]:
    return {name: digest(atom) for name, atom in _load_all(model, roots).items()}


def digest(atom: Strict) -> str:
    """An atom's content hash."""
    return hashlib.blake2b(atom.model_dump_json(by_alias=True).encode(), digest_size=8).hexdigest()


def load(model: type[A], name: str) -> A:
    """One atom. LookupError where there is none."""
    found = load_all(model)
    if name not in found:
        raise LookupError(f"there is no {model.__name__.lower()} {name!r}")
    return found[name]


__all__ = [
    "FOLDERS",
    "Act",
    "Aim",
    "BadFile",
    "Body",
    "Computed",
    "Intent",
    "Made",
    "May",
    "Phrasing",
    "Pick",
    "Place",
    "Reply",
    "Rule",
    "Strays",
    "Trap",
    "Wrong",
    "load",
    "load_all",
]  # fmt: skip
