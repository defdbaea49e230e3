"""Associations: their types, and links between records. A link is kept once, seen from the type that comes first in `RANK`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from legoenv_mcp.app import Ctx

from . import errors
from .kinds import KINDS, RANK, Kind, resolve
from .models import Association, AssociationLabel, Company, Contact, CrmObject, Deal

HUBSPOT, USER = "HUBSPOT_DEFINED", "USER_DEFINED"


@dataclass(frozen=True, slots=True)
class Type:
    """An association type, one way. `inverse` is the same seen from the other side."""

    id: int
    inverse: int
    start: str
    end: str
    name: str
    label: str | None = None
    category: str = HUBSPOT


# From, to, id, id the other way, and for labelled ones the two labels.
_PLAIN = """
contacts contacts 449 449 | companies companies 450 450 | deals deals 451 451 | tickets tickets 452 452
contacts companies 279 280 | contacts deals 4 3 | contacts tickets 15 16 | contacts leads 607 608
contacts calls 193 194 | contacts emails 197 198 | contacts meetings 199 200 | contacts notes 201 202 | contacts tasks 203 204
deals companies 341 342 | tickets companies 339 340 | leads companies 610 609
companies calls 181 182 | companies emails 185 186 | companies meetings 187 188 | companies notes 189 190 | companies tasks 191 192
deals tickets 27 28 | deals line_items 19 20 | deals calls 205 206 | deals emails 209 210 | deals meetings 211 212
deals notes 213 214 | deals tasks 215 216
tickets calls 219 220 | tickets emails 223 224 | tickets meetings 225 226 | tickets notes 227 228 | tickets tasks 229 230
leads calls 596 595 | leads emails 598 597 | leads meetings 600 599 | leads notes 854 855 | leads tasks 646 647
"""
_LABELLED: tuple[tuple[str, str, int, int, str, str], ...] = (
    ("contacts", "companies", 1, 2, "Primary", "Primary"), ("deals", "companies", 5, 6, "Primary", "Primary"),
    ("tickets", "companies", 26, 25, "Primary", "Primary"), ("contacts", "leads", 577, 578, "Primary", "Primary"),
    ("companies", "companies", 13, 14, "Child Company", "Parent Company"),
)  # fmt: skip
PRIMARY = {("contacts", "companies"): 1, ("deals", "companies"): 5, ("tickets", "companies"): 26}
"""Types of which a record has one: the first company becomes it, another one takes its place."""


def _singular(plural: str) -> str:
    return next(k.singular for k in KINDS.values() if k.name == plural)


def _built() -> dict[int, Type]:
    made = dict[int, Type]()
    labelled = {(a, b) for a, b, *_ in _LABELLED}
    for entry in _PLAIN.replace("|", "\n").split("\n"):
        if not entry.strip():
            continue
        a, b, there, back = entry.split()
        end = "_unlabeled" if (a, b) in labelled and a != b else ""
        made[int(there)] = Type(int(there), int(back), a, b, f"{_singular(a)}_to_{_singular(b)}{end}")
        made[int(back)] = Type(int(back), int(there), b, a, f"{_singular(b)}_to_{_singular(a)}{end}")
    for a, b, there, back, label, other in _LABELLED:
        names = ("parent_to_child_company", "child_to_parent_company") if a == b else (
            f"{_singular(a)}_to_{_singular(b)}", f"{_singular(b)}_to_{_singular(a)}",
        )  # fmt: skip
        made[there] = Type(there, back, a, b, names[0], label)
        made[back] = Type(back, there, b, a, names[1], other)
    return made


TYPES = _built()


def _of_label(row: AssociationLabel) -> Type:
    return Type(row.type_id, row.inverse_id, row.from_type, row.to_type, row.name, row.label, USER)


def types_between(ctx: Ctx, start: Kind, end: Kind) -> list[Type]:
    """The types from one kind to another: labelled ones of HubSpot's, the plain one, the account's."""
    found = [t for t in TYPES.values() if t.start == start.name and t.end == end.name]
    made = ctx.db.find(AssociationLabel, from_type=start.name, to_type=end.name)
    return [*sorted(found, key=lambda t: (t.label is None, t.id)), *(_of_label(r) for r in made)]


def plain_type(ctx: Ctx, start: Kind, end: Kind) -> Type:
    """The type without a label. Every pair of kinds that can be associated has one."""
    for found in types_between(ctx, start, end):
        if found.label is None:
            return found
    raise errors.bad_request(
        f"No association type found between {start.singular} and {end.singular}",
        context={"fromObjectType": [start.name], "toObjectType": [end.name]}
    )  # fmt: skip


def require_type(ctx: Ctx, type_id: int, start: Kind, end: Kind | None = None, category: str | None = None) -> Type:
    """The type with this id that begins at `start`."""
    found = TYPES.get(type_id)
    if found is None and (row := ctx.db.get(AssociationLabel, type_id)) is not None:
        found = _of_label(row)
    if (
        found is None
        or found.start != start.name
        or (end is not None and found.end != end.name)
        or (category or found.category) != found.category
    ):
        to = end.type_id if end else "any object"
        raise errors.bad_request(
            f"Invalid association type: {category or HUBSPOT} type id {type_id} is not valid between {start.type_id} and {to}",
            context={"associationTypeId": [str(type_id)]}, subCategory="crm.associations.INVALID_ASSOCIATION_TYPE",
        )  # fmt: skip
    return found


def _first(a: Kind, a_id: str, b: Kind, b_id: str) -> bool:
    """Whether a link is kept as seen from `a`."""
    if a.name == b.name:
        return (len(a_id), a_id) <= (len(b_id), b_id)
    return (RANK.get(a.name, 99), a.name) < (RANK.get(b.name, 99), b.name)


def _inverse(ctx: Ctx, type_id: int) -> int:
    if type_id in TYPES:
        return TYPES[type_id].inverse
    row = ctx.db.get(AssociationLabel, type_id)
    return row.inverse_id if row else type_id


def _key(a: Kind, a_id: str, b: Kind, b_id: str) -> tuple[str, str, str, str]:
    return (a.name, a_id, b.name, b_id) if _first(a, a_id, b, b_id) else (b.name, b_id, a.name, a_id)


def lookup(ctx: Ctx, kind: Kind, object_id: str) -> CrmObject | None:
    """The record with an id, or the one that it was merged into; archived ones too."""
    row = ctx.db.get(kind.cls, object_id)
    if row is None:
        merged = "EXISTS (SELECT 1 FROM json_each(merged_ids) WHERE value = ?)"
        row = next(iter(ctx.db.where(kind.cls, merged, [object_id], limit=1)), None)
    return row if row is None or kind.schema is None or getattr(row, "object_type", "") == kind.name else None


def _live(ctx: Ctx, kind: Kind, object_id: str) -> str:
    """The id that a record has now: another one where it was merged."""
    row = lookup(ctx, kind, object_id)
    return row.id if row else object_id


def types_of(ctx: Ctx, a: Kind, a_id: str, b: Kind, b_id: str) -> list[int]:
    """The ids of the types that link two records, seen from the first."""
    a_id, b_id = _live(ctx, a, a_id), _live(ctx, b, b_id)
    row = ctx.db.get(Association, _key(a, a_id, b, b_id))
    if row is None:
        return []
    return list(row.types) if _first(a, a_id, b, b_id) else [_inverse(ctx, t) for t in row.types]


def _store(ctx: Ctx, a: Kind, a_id: str, b: Kind, b_id: str, types: Iterable[int]) -> None:
    key = _key(a, a_id, b, b_id)
    kept = sorted(set(types) if _first(a, a_id, b, b_id) else {_inverse(ctx, t) for t in types})
    row = ctx.db.get(Association, key)
    if row is None and kept:
        ctx.db.add(Association(from_type=key[0], from_id=key[1], to_type=key[2], to_id=key[3], types=kept))
    elif row is not None and not kept:
        ctx.db.delete(row)
    elif row is not None and row.types != kept:
        ctx.db.update(row, types=kept)


def link(ctx: Ctx, a: Kind, a_id: str, b: Kind, b_id: str, types: Iterable[int]) -> list[int]:
    """Associates two records by these types, as seen from the first, and the plain type; answers all that link them now."""
    a_id, b_id = _live(ctx, a, a_id), _live(ctx, b, b_id)
    if a.name == b.name and a_id == b_id:
        raise errors.bad_request(f"Cannot associate object {a_id} with itself", context={"id": [a_id]})
    wanted = {*types_of(ctx, a, a_id, b, b_id), *types, plain_type(ctx, a, b).id}
    for (start, end), primary in PRIMARY.items():
        here = primary if (a.name, b.name) == (start, end) else TYPES[primary].inverse
        if {a.name, b.name} != {start, end}:
            continue
        owner, owner_id, other = (a, a_id, b) if a.name == start else (b, b_id, a)
        holders = [
            i for i in related(ctx, owner, owner_id, other) if primary in types_of(ctx, owner, owner_id, other, i)
        ]
        target = b_id if a.name == start else a_id
        if here in wanted:
            for holder in holders:
                if holder != target:
                    kept = [t for t in types_of(ctx, owner, owner_id, other, holder) if t != primary]
                    _store(ctx, owner, owner_id, other, holder, kept)
        elif not holders:
            wanted.add(here)
    _store(ctx, a, a_id, b, b_id, wanted)
    recount(ctx, a, a_id)
    recount(ctx, b, b_id)
    return sorted(wanted)


def unlink(ctx: Ctx, a: Kind, a_id: str, b: Kind, b_id: str, types: Iterable[int] | None = None) -> None:
    """Takes types off a link, or the whole link. With the plain type all the others go."""
    a_id, b_id = _live(ctx, a, a_id), _live(ctx, b, b_id)
    now = types_of(ctx, a, a_id, b, b_id)
    if not now:
        return
    gone = set(now if types is None else types)
    _store(ctx, a, a_id, b, b_id, [] if plain_type(ctx, a, b).id in gone else set(now) - gone)
    recount(ctx, a, a_id)
    recount(ctx, b, b_id)


def related(ctx: Ctx, kind: Kind, object_id: str, to: Kind) -> list[str]:
    """The ids of the records of a kind that are associated with a record; archived ones are left out."""
    object_id = _live(ctx, kind, object_id)
    there = ctx.db.find(Association, from_type=kind.name, from_id=object_id, to_type=to.name)
    back = ctx.db.find(Association, to_type=kind.name, to_id=object_id, from_type=to.name)
    ids = {r.to_id for r in there} | {r.from_id for r in back}
    live = {row.id for row in ctx.db.find(to.cls, id__in=ids, archived=False)} if ids else set[str]()
    return sorted(ids & live, key=lambda i: (len(i), i))


def linked(ctx: Ctx, kind: Kind, object_id: str, to: Kind) -> list[tuple[str, list[Type]]]:
    """The records of a kind that are associated with a record, each with the types."""
    found = list[tuple[str, list[Type]]]()
    known = {t.id: t for t in types_between(ctx, kind, to)}
    for other in related(ctx, kind, object_id, to):
        ids = types_of(ctx, kind, object_id, to, other)
        found.append((other, sorted((known[i] for i in ids if i in known), key=lambda t: (t.label is None, t.id))))
    return found


def recount(ctx: Ctx, kind: Kind, object_id: str) -> None:
    """Brings the counts that a record keeps of its associations up to date."""
    row = ctx.db.get(kind.cls, object_id)
    if row is None:
        return
    made: dict[str, Any] = {}

    def count(plural: str) -> float | None:
        return float(len(related(ctx, kind, object_id, resolve(ctx, plural)))) or None

    if isinstance(row, Contact):
        companies = resolve(ctx, "companies")
        ids = related(ctx, kind, object_id, companies)
        primary = next((i for i in ids if 1 in types_of(ctx, kind, object_id, companies, i)), None)
        made = {"associatedcompanyid": primary, "num_associated_deals": count("deals")}
    elif isinstance(row, Company):
        parents = [i for i in related(ctx, kind, object_id, kind) if 14 in types_of(ctx, kind, object_id, kind, i)]
        made = {
            "num_associated_contacts": count("contacts"), "num_associated_deals": count("deals"),
            "hs_parent_company_id": parents[0] if parents else None,
        }  # fmt: skip
    elif isinstance(row, Deal):
        made = {"num_associated_contacts": count("contacts")}
    changed = {n: v for n, v in made.items() if getattr(row, n) != v}
    if changed:
        ctx.db.update(row, **changed)


def neighbours(ctx: Ctx, kind: Kind, object_id: str) -> list[tuple[str, str]]:
    """Every record associated with one, as kind name and id, archived ones too."""
    there = ctx.db.find(Association, from_type=kind.name, from_id=object_id)
    back = ctx.db.find(Association, to_type=kind.name, to_id=object_id)
    return sorted({(r.to_type, r.to_id) for r in there} | {(r.from_type, r.from_id) for r in back})


def require_object(ctx: Ctx, kind: Kind, object_id: str) -> CrmObject:
    """The record at an association's end."""
    row = lookup(ctx, kind, object_id)
    if row is None or row.archived:
        raise errors.bad_request(
            f"{kind.singular.upper()}={object_id} is not valid", context={"id": [object_id], "objectType": [kind.name]},
            subCategory="crm.associations.INVALID_OBJECT_IDS",
        )  # fmt: skip
    return row
