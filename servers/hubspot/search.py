"""Search: filter groups, free text and sorts over one object type, translated to SQL.

https://developers.hubspot.com/docs/api-reference/search/guide
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, WithJsonSchema
from typing_extensions import TypedDict

from legoenv_mcp.app import Body, Ctx

from . import associations, errors, records, times
from .app import fold, terms_of
from .fields import Definition
from .kinds import Kind, resolve
from .models import CrmObject, CustomObject
from .properties import definitions
from .values import as_text

Operator = Literal[
    "EQ", "NEQ", "LT", "LTE", "GT", "GTE", "BETWEEN", "IN", "NOT_IN", "HAS_PROPERTY", "NOT_HAS_PROPERTY", "CONTAINS_TOKEN",
    "NOT_CONTAINS_TOKEN",
]  # fmt: skip
MAX_GROUPS, MAX_FILTERS, MAX_TOTAL, MAX_RESULTS, MAX_QUERY = 5, 6, 18, 10_000, 3_000
_COMPARE = {"EQ": "=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}


def _several(sent: Any) -> Any:
    """The values of IN as a list; text holds a JSON list, or values with semicolons between."""
    if not isinstance(sent, str):
        return sent
    if sent.lstrip().startswith("["):
        try:
            return json.loads(sent)
        except ValueError:
            return sent
    return [part.strip() for part in sent.split(";") if part.strip()]


# An array here would nest the tools' schemas deeper than model APIs take, hence text beside the list.
Several = Annotated[
    list[str | int | float | bool],
    BeforeValidator(_several),
    WithJsonSchema(
        {
            "type": "string",
            "description": "The values of IN and NOT_IN: a JSON list, or values with semicolons between.",
        }
    ),
]


class Filter(TypedDict, total=False):
    """One condition on a property."""

    propertyName: str
    operator: Operator
    value: str | int | float | bool | None
    values: Several | None
    highValue: str | int | float | None


class FilterGroup(TypedDict, total=False):
    """Conditions that all have to hold."""

    filters: list[Filter]


Alone = Annotated[list[Filter] | None, Body(mcp=False)]
"""Filters beside the groups: those of one more group. HubSpot takes them, its newer reference is silent about them."""


def grouped(groups: Sequence[FilterGroup] | None, filters: list[Filter] | None) -> list[FilterGroup]:
    """All groups of a request."""
    return [*(groups or ()), *([FilterGroup(filters=filters)] if filters else ())]


class Sort(TypedDict, total=False):
    """The property to sort by."""

    propertyName: str
    direction: Literal["ASCENDING", "DESCENDING"]


@dataclass(slots=True)
class Query:
    """An SQL condition being made: text that is ours, values that are the caller's."""

    ctx: Ctx
    kind: Kind
    known: Mapping[str, Definition]
    values: list[Any] = field(default_factory=list)

    def bind(self, value: Any) -> str:
        self.values.append(value)
        return "?"

    def groups(self, groups: Sequence[FilterGroup]) -> str:
        """Groups any of which has to hold."""
        if len(groups) > MAX_GROUPS:
            raise errors.bad_request(f"Too many filter groups: {len(groups)}. The maximum is {MAX_GROUPS}.")
        if sum(len(g.get("filters", ())) for g in groups) > MAX_TOTAL:
            raise errors.bad_request(f"Too many filters. The maximum over all filter groups is {MAX_TOTAL}.")
        return " OR ".join(f"({self.group(g)})" for g in groups) or "1"

    def group(self, group: FilterGroup) -> str:
        filters = group.get("filters")
        if filters is None:
            raise errors.bad_json("Cannot build FilterGroup, some of required attributes are not set [filters]")
        if len(filters) > MAX_FILTERS:
            raise errors.bad_request(f"Too many filters in a group: {len(filters)}. The maximum is {MAX_FILTERS}.")
        return " AND ".join(f"({self.filter(f)})" for f in filters) or "1"

    def filter(self, given: Filter) -> str:
        """One condition."""
        unset = [n for n in ("propertyName", "operator") if n not in given]
        if unset:
            raise errors.bad_json(f"Cannot build Filter, some of required attributes are not set [{', '.join(unset)}]")
        name, operator = given["propertyName"], given["operator"]  # pyright: ignore[reportTypedDictNotRequiredAccess]
        if name.startswith("associations."):
            return self._associated(name.partition(".")[2], operator, given)
        d = self.known.get(name)
        if d is None:
            message = f'Property "{name}" does not exist for object type {self.kind.singular}'
            raise errors.bad_request(
                "There was a problem with the request.",
                errors=[{"message": message, "code": "PROPERTY_DOESNT_EXIST", "context": {"propertyName": [name]}}],
            )  # fmt: skip
        place = records.column(self.kind, name)
        if operator == "HAS_PROPERTY":
            return f"{place} IS NOT NULL"
        if operator == "NOT_HAS_PROPERTY":
            return f"{place} IS NULL"
        if operator in ("IN", "NOT_IN"):
            return self._among(d, place, operator, given)
        if operator == "BETWEEN":
            if given.get("highValue") is None:
                raise _misses(operator, "highValue")
            low, high = self.operand(d, _needed(given, "value", operator)), self.operand(d, given.get("highValue"))
            return f"{self.side(d, place)} BETWEEN {self.bind(low)} AND {self.bind(high)}"
        value = _needed(given, "value", operator)
        if operator == "CONTAINS_TOKEN":
            return f"has_token({place}, {self.bind(as_text(value))})"
        if operator == "NOT_CONTAINS_TOKEN":
            return f"NOT has_token({place}, {self.bind(as_text(value))})"
        if d.multiple and operator == "NEQ":
            return f"NOT coalesce(instr(';' || {place} || ';', ';' || {self.bind(as_text(value))} || ';') > 0, 0)"
        if operator == "NEQ":
            return f"{self.side(d, place)} IS NOT {self.bind(self.operand(d, value))}"
        if d.multiple and operator == "EQ":
            return f"instr(';' || {place} || ';', ';' || {self.bind(as_text(value))} || ';') > 0"
        return f"{self.side(d, place)} {_COMPARE[operator]} {self.bind(self.operand(d, value))}"

    def side(self, d: Definition, place: str) -> str:
        """A property as it is compared: numbers as numbers, text without case; options, days and times as they are."""
        if d.type == "number":
            return f"CAST({place} AS REAL)"
        return f"fold({place})" if d.type in ("string", "phone_number") else place

    def operand(self, d: Definition, sent: Any) -> Any:
        """What a property is compared with, read as its type. A value of another type is refused."""
        value = as_text(sent) or ""
        made: Any = None
        if d.type == "number":
            try:
                made = float(value)
            except ValueError:
                made = None
            made = None if made is None or made != made or abs(made) > 1e300 else made
        elif d.type == "bool":
            made = {"true": 1, "false": 0}.get(value.strip().lower())
        elif d.type == "date":
            moment = times.read_moment(value.strip())
            made = moment[:10] if moment else None
        elif d.type == "datetime":
            made = times.read_moment(value.strip())
        else:
            return fold(value) if d.type in ("string", "phone_number") else value
        if made is None:
            raise errors.bad_request(
                "There was a problem with the request.",
                errors=[{
                    "message": f"'{value}' is not a valid {d.type} to compare {d.name} with", "code": "INVALID_FILTER_VALUE",
                    "context": {"propertyName": [d.name]},
                }],
            )  # fmt: skip
        return made

    def _among(self, d: Definition, place: str, operator: str, given: Filter) -> str:
        """IN takes text as it is, while search knows text in lower case: values of text have to be lower case."""
        chosen = given.get("values")
        if not chosen:
            raise _misses(operator, "values")
        if d.type in ("string", "phone_number"):
            wanted: list[Any] = [as_text(v) or "" for v in chosen]
        else:
            wanted = [self.operand(d, v) for v in chosen]
        if d.multiple:
            found = " OR ".join(f"instr(';' || {place} || ';', ';' || {self.bind(w)} || ';') > 0" for w in wanted)
        else:
            found = f"{self.side(d, place)} IN ({', '.join(self.bind(w) for w in wanted)})"
        return f"({found})" if operator == "IN" else f"({place} IS NULL OR NOT ({found}))"

    def _associated(self, name: str, operator: str, given: Filter) -> str:
        """Records associated with another: the pseudo-property `associations.contact`."""
        to = resolve(self.ctx, name)
        if operator == "EQ":
            ids = [as_text(_needed(given, "value", operator)) or ""]
        elif operator == "IN":
            ids = [as_text(v) or "" for v in given.get("values") or ()]
        else:
            raise errors.bad_request(f"Operator {operator} is not supported for associations.{name}; use EQ or IN")
        found = {i for one in ids for i in associations.related(self.ctx, to, one, self.kind)}
        return f"id IN ({', '.join(self.bind(i) for i in sorted(found))})" if found else "0"

    def words(self, text: str) -> str:
        """Free text: every word begins a word of one of the properties that the type is searched by."""
        if len(text) > MAX_QUERY:
            raise errors.bad_request(f"The query is longer than {MAX_QUERY} characters")
        places = [records.column(self.kind, n) for n in self.kind.searched if n in self.known]
        terms = list[str]()
        for word in terms_of(text):
            word = word.strip("*.-")
            if word and places:
                terms.append("(" + " OR ".join(f"begins({p}, {self.bind(word)})" for p in places) + ")")
        return " AND ".join(terms) or ("1" if not text.strip() else "0")


def _needed(given: Filter, name: str, operator: str) -> Any:
    if given.get(name) is None:
        raise _misses(operator, name)
    return given.get(name)


def _misses(operator: str, what: str) -> Exception:
    return errors.bad_json(
        "Cannot construct instance of `com.hubspot.inbounddb.publicobject.core.v3.search.Filter`, problem: "
        f"operator {operator} requires {'values' if what == 'values' else f'a {what}'}"
    )


def _sort(sent: Sort | str) -> Mapping[str, Any] | str:
    """A sort as an object, where HubSpot's own clients send one as JSON text; a mere name stays one."""
    if isinstance(sent, str) and sent.lstrip().startswith("{"):
        try:
            made = json.loads(sent)
        except (ValueError, RecursionError):
            return sent
        return {n: str(v) for n, v in made.items()}
    return sent


def order(kind: Kind, known: Mapping[str, Definition], sorts: Sequence[Sort | str]) -> str:
    """The ORDER BY of a sort; records without the property come last. Without one, the oldest come first."""
    if len(sorts) > 1:
        raise errors.bad_request("Only one sort can be applied to a search")
    if not sorts:
        return "created_at, id"
    one = _sort(sorts[0])
    if isinstance(one, str):
        name, down = one.strip().lstrip("-"), one.strip().startswith("-")
    else:
        name, down = one.get("propertyName", ""), one.get("direction") == "DESCENDING"
    d = known.get(name)
    if d is None:
        raise errors.bad_request(
            f"Unable to sort by property {name}, which does not exist", context={"propertyName": [name]}
        )
    place = records.column(kind, name)
    place = f"CAST({place} AS REAL)" if d.type == "number" and place != '"id"' else f"fold({place})"
    raw = records.column(kind, name)
    return f"{raw} IS NULL, {place}{' DESC' if down else ''}, id"


def run(
    ctx: Ctx, kind: Kind, groups: Sequence[FilterGroup], text: str | None, sorts: Sequence[Sort | str], limit: int, after: int
) -> tuple[list[CrmObject], int]:  # fmt: skip
    """One page of the hits, and how many there are."""
    if after + limit > MAX_RESULTS:
        raise errors.bad_request(f"Cannot page beyond {MAX_RESULTS} results", context={"after": [str(after)]})
    known = definitions(ctx, kind)
    query = Query(ctx, kind, known)
    terms = ["NOT archived"]
    if kind.cls is CustomObject:
        terms.append(f"object_type = {query.bind(kind.name)}")
    terms.append(f"({query.groups(groups)})")
    if text:
        terms.append(f"({query.words(text)})")
    condition = " AND ".join(terms)
    table = kind.cls.shape().table
    # An order over expressions is no concern of the store's, so the ids come first.
    ids = [
        r["id"]
        for r in ctx.db.query(
            f'SELECT id FROM "{table}" WHERE {condition} ORDER BY {order(kind, known, sorts)}', query.values
        )
    ]
    page = ids[after : after + limit]
    rows = {r.id: r for r in ctx.db.find(kind.cls, id__in=page)} if page else {}
    return [rows[i] for i in page], min(len(ids), MAX_RESULTS)


def read_after(after: Any) -> int:
    """The place that a search's `after` stands for."""
    text = "0" if after in (None, "") else str(after)
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise errors.bad_request(f"Invalid paging cursor: {text}", context={"after": [text]})
    return int(text)


def answer(
    ctx: Ctx, kind: Kind, groups: Sequence[FilterGroup], text: str | None, sorts: Sequence[Sort | str], properties: Iterable[str] | None,
    limit: int, after: Any,
) -> dict[str, Any]:  # fmt: skip
    """A search's answer: total, results and where the next page begins."""
    start = read_after(after)
    rows, total = run(ctx, kind, groups, text, sorts, limit, start)
    known, asked = definitions(ctx, kind), list(properties or ())
    made: dict[str, Any] = {"total": total, "results": [records.shown(ctx, kind, r, asked, known=known) for r in rows]}
    if start + len(rows) < total and rows:
        made["paging"] = {"next": {"after": str(start + len(rows))}}
    return made
