"""The tables of a SELECT: a type's own and those that its relationship paths join, and what a compiled query is."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import metadata
from ..fields import Spec
from ..metadata import FieldInfo, SObjectType
from .syntax import At, Path, Query

if TYPE_CHECKING:
    from .compile import Compiler

MAX_LEVELS = 5
MAX_JOINS = 55
HINT = "Please reference your WSDL or the describe call for the appropriate names."
_NAME_COLUMNS = ("Id", "Name", "FirstName", "LastName", "Email", "Phone", "Title", "Username", "Alias", "IsActive")


@dataclass(frozen=True, slots=True)
class Column:
    """An SQL expression and the field it shows; for money also the amount in the corporate currency."""

    sql: str
    info: FieldInfo
    corporate: str = ""

    def order(self, direction: str, nulls: str) -> list[str]:
        """The ORDER BY terms of a field: text without case, money by its worth, a picklist as its values are listed."""
        text = f"fold({self.sql})"
        if self.info.type == "picklist" and self.info.spec.values:
            listed = " ".join(f"WHEN {_literal(v)} THEN {i}" for i, v in enumerate(self.info.spec.values))
            rank = f"iif({self.sql} IS NULL, NULL, CASE {text} {listed} ELSE {len(self.info.spec.values)} END)"
            return [f"{rank} {direction} NULLS {nulls}", f"{text} {direction}"]
        sql = text if self.info.type in metadata.TEXTUAL else self.corporate or self.sql
        return [f"{sql} {direction} NULLS {nulls}"]


def _literal(value: str) -> str:
    """A picklist's value as SQL text to compare folded text with."""
    return "'" + value.casefold().replace("'", "''") + "'"


def _corporate(alias: str, kind: SObjectType, info: FieldInfo) -> str:
    """An amount of money in the corporate currency; nothing where the field or type knows no currency."""
    if info.type != "currency" or "currencyisocode" not in kind.fields:
        return ""
    rate = f'(SELECT "ConversionRate" FROM currencytype WHERE "IsoCode" = {alias}."CurrencyIsoCode")'
    return f'round({alias}."{info.name}" / ifnull({rate}, 1), 2)'


@dataclass(slots=True)
class Output:
    """A column of the result and where it goes in the record."""

    path: tuple[str, ...]
    info: FieldInfo
    index: int
    whole: bool = False


@dataclass(slots=True)
class Nested:
    """A child subquery: the relationship and the compiled query over the children."""

    name: str
    field: str
    plan: "Plan"
    limit: int | None
    offset: int


@dataclass(slots=True)
class Plan:
    """A compiled query. `parents` are the joined relationships shown, with the outputs of their id and type."""

    kind: SObjectType
    sql: str
    values: list[Any]
    outputs: list[Output]
    parents: dict[tuple[str, ...], tuple[int, str | int]] = field(
        default_factory=dict[tuple[str, ...], tuple[int, str | int]]
    )
    nested: list[Nested] = field(default_factory=list[Nested])
    aggregate: bool = False
    counts: bool = False


NAME = FieldInfo("Name", Spec("string", "Name", 255))


class Scope:
    """The tables of one SELECT: its own and those joined by relationship paths."""

    def __init__(self, compiler: "Compiler", kind: SObjectType, query: Query) -> None:
        self.compiler, self.kind, self.query = compiler, kind, query
        self.alias = compiler.name()
        self.joins = dict[tuple[str, ...], tuple[str, SObjectType | None, tuple[str, ...]]]()
        self.sql = [f'"{kind.table}" AS {self.alias}']

    def trim(self, path: Path) -> tuple[str, ...]:
        """The path without the query's own alias or type name in front."""
        head = path.names[0].lower()
        own = (self.query.alias.lower(), self.kind.name.lower())
        return path.names[1:] if len(path.names) > 1 and head in own and head not in self.kind.relations else path.names

    def column(self, path: Path) -> Column:
        names = self.trim(path)
        if len(names) > MAX_LEVELS + 1:
            raise self.compiler.fail(
                path.at, f"The relationship path has more than {MAX_LEVELS} levels", "INVALID_FIELD"
            )
        alias, kind = self.alias, self.kind
        for depth in range(1, len(names)):
            alias, joined = self.join(alias, kind, names[:depth], path)
            if joined is None:
                return self._name_column(alias, names, depth, path)
            kind = joined
        info = kind.field(names[-1])
        if info is None:
            raise self.compiler.no_column(names[-1], kind.name, path.at)
        return Column(f'{alias}."{info.name}"' if not info.parts else alias, info, _corporate(alias, kind, info))

    def join(self, alias: str, kind: SObjectType, names: tuple[str, ...], path: Path) -> tuple[str, SObjectType | None]:
        """The alias of the table a relationship leads to, joined when first needed; no type where it has several."""
        key = tuple(n.lower() for n in names)
        if key not in self.joins:
            info = kind.relations.get(key[-1])
            if info is None:
                message = (
                    f"Didn't understand relationship '{names[-1]}' in field path. If you are attempting to use a custom relationship,"
                    f" be sure to append the '__r' after the custom relationship name. {HINT}"
                )
                raise self.compiler.fail(path.at, message, "INVALID_FIELD")
            if len(self.joins) >= MAX_JOINS:
                raise self.compiler.fail(path.at, f"A query has at most {MAX_JOINS} parent relationships")
            made = self.compiler.name()
            targets = info.spec.to
            target = metadata.TYPES[targets[0].lower()] if len(targets) == 1 else None
            source = f'"{target.table}"' if target else _names_of(targets)
            self.sql.append(f'LEFT JOIN {source} AS {made} ON {made}."Id" = {alias}."{info.name}"')
            self.joins[key] = made, target, targets
        found = self.joins[key]
        return found[0], found[1]

    def _name_column(self, alias: str, names: tuple[str, ...], depth: int, path: Path) -> Column:
        """A field of a polymorphic parent: those that all targets share."""
        if depth != len(names) - 1:
            raise self.compiler.fail(
                path.at, f"Didn't understand relationship '{names[depth]}' in field path. {HINT}", "INVALID_FIELD"
            )
        wanted = names[-1].lower()
        shown = next((n for n in (*_NAME_COLUMNS, "Type") if n.lower() == wanted), None)
        if shown is None:
            raise self.compiler.no_column(names[-1], "Name", path.at)
        targets = [metadata.TYPES[t.lower()] for t in self.joins[tuple(n.lower() for n in names[:-1])][2]]
        info = next((i for t in targets if (i := t.field(shown)) and shown != "Type"), None)
        return Column(f'{alias}."{shown}"', FieldInfo(shown, info.spec if info else NAME.spec))

    def fields_of(self, group: str, at: At) -> list[FieldInfo]:
        """What FIELDS(ALL | STANDARD | CUSTOM) stands for."""
        found = [i for i in self.kind.fields.values() if group == "ALL" or i.custom == (group == "CUSTOM")]
        if group not in ("ALL", "STANDARD", "CUSTOM"):
            raise self.compiler.fail(at, f"Unknown FIELDS group: {group}")
        return found


def _names_of(targets: tuple[str, ...]) -> str:
    """The rows of several types as one table with the columns of the pseudo type Name."""
    parts = list[str]()
    for target in targets:
        kind = metadata.TYPES[target.lower()]
        shown = [f'"{n}"' if n.lower() in kind.fields else f'NULL AS "{n}"' for n in _NAME_COLUMNS]
        if "name" not in kind.fields and kind.name_field is not None:
            shown[1] = f'"{kind.name_field.name}" AS "Name"'
        parts.append(f'SELECT {", ".join(shown)}, \'{kind.name}\' AS "Type" FROM "{kind.table}"')
    return f"({' UNION ALL '.join(parts)})"
