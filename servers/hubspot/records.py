"""Records: found, written and shown alike for every object type."""

from collections.abc import Iterable, Sequence
from typing import Any

from legoenv_mcp.app import ApiError, Ctx

from . import associations, errors, rules, times
from .fields import Definition
from .kinds import CONTACTS, KINDS, Kind, portal, resolve
from .models import Contact, CrmObject, CustomObject, History, Membership, Owner, User
from .properties import STAGED, definitions
from .values import Refused, read, wire


def new_id(ctx: Ctx) -> str:
    """The next record id of the account: they grow, with gaps."""
    return str(ctx.sequence("object", start=38_214_000_000, step=1009) + ctx.integer("object_gap", 0, 1008))


# Finding


def find(
    ctx: Ctx, kind: Kind, key: str, id_property: str | None = None, archived: bool | None = False
) -> CrmObject | None:
    """The record with an id, or with a value of a unique property; None where there is none. archived=None takes either."""
    if id_property and id_property != "hs_object_id":
        d = definitions(ctx, kind).get(id_property)
        if d is None or not d.unique:
            raise errors.bad_request(
                f"idProperty {id_property} is not a unique property of {kind.singular}", context={"propertyName": [id_property]}
            )  # fmt: skip
        row = by_value(ctx, kind, d, key)
    else:
        row = associations.lookup(ctx, kind, key)
    return row if row is not None and archived in (None, row.archived) else None


def by_value(ctx: Ctx, kind: Kind, d: Definition, value: Any) -> CrmObject | None:
    """The live record that has a value of a unique property. E-mail addresses are those of merged contacts, too."""
    if kind.cls is Contact and d.name == "email":
        address = str(value).strip().lower()
        found = ctx.db.where(
            Contact,
            "NOT archived AND (email = ? OR instr(';' || coalesce(hs_additional_emails, '') || ';', ';' || ? || ';') > 0)",
            [address, address], limit=1,
        )  # fmt: skip
        return found[0] if found else None
    condition, values = f"NOT archived AND fold({column(kind, d.name)}) = fold(?)", [value]
    if kind.cls is CustomObject:
        condition, values = f"{condition} AND object_type = ?", [value, kind.name]
    rows = ctx.db.where(kind.cls, condition, values, limit=1)
    return rows[0] if rows else None


def emails_of(contact: CrmObject) -> list[str]:
    return (
        [e for e in [contact.email, *(contact.hs_additional_emails or "").split(";")] if e]
        if isinstance(contact, Contact)
        else []
    )


def require(ctx: Ctx, kind: Kind, key: str, id_property: str | None = None, archived: bool | None = False) -> CrmObject:
    row = find(ctx, kind, key, id_property, archived)
    if row is None:
        raise errors.no_object(key)
    return row


def column(kind: Kind, name: str) -> str:
    """A property as SQL. Names of the account's own are letters, digits and underscores, so they need no escaping."""
    system = {kind.cls.created: "created_at", kind.cls.modified: "updated_at", "hs_object_id": "id"}
    if name in system:
        return f'"{system[name]}"'
    if name == "hs_merged_object_ids":
        return "(SELECT group_concat(value, ';') FROM json_each(merged_ids))"
    if name in kind.cls.standard():
        return f'"{name}"' if name in kind.cls.model_fields else "NULL"
    return f"json_extract(custom, '$.{name}')"


def value(row: CrmObject, name: str) -> Any:
    """A record's stored value of a property."""
    if name == row.created:
        return row.created_at
    if name == row.modified:
        return row.updated_at
    if name == "hs_object_id":
        return row.id
    if name == "hs_merged_object_ids":
        return ";".join(row.merged_ids) or None
    return getattr(row, name) if name in row.standard() else row.custom.get(name)


# Writing


def checked(ctx: Ctx, kind: Kind, given: dict[str, Any], row: CrmObject | None) -> dict[str, Any]:
    """What a caller sent as stored values by name. Refused as a whole, naming each property that does not pass."""
    known, bad, made = definitions(ctx, kind), list[errors.Bad](), dict[str, Any]()
    for name, sent in given.items():
        d = known.get(name)
        if d is None:
            bad.append((name, f'Property "{name}" does not exist', "PROPERTY_DOESNT_EXIST"))
            continue
        if d.fixed:
            # An own id or an unchanged value sent back is no attempt to write it.
            if row is None or wire(d, value(row, name)) != sent:
                bad.append((name, f'"{name}" is a read only property; its value cannot be set.', "READ_ONLY_VALUE"))
            continue
        try:
            made[name] = read(ctx, kind, d, sent, None if row is None else value(row, name))
        except Refused as refused:
            bad.append((name, refused.message, refused.code))
    if bad:
        raise errors.bad_properties(portal(ctx).portal_id, bad)
    return made


def check_unique(ctx: Ctx, kind: Kind, values: dict[str, Any], row: CrmObject | None) -> None:
    known = definitions(ctx, kind)
    for name, new in values.items():
        if new is None or not known[name].unique:
            continue
        holder = by_value(ctx, kind, known[name], new)
        if holder is None or (row is not None and holder.id == row.id):
            continue
        if kind is CONTACTS and name == "email":
            raise errors.taken("Contact", holder.id)
        what = f"objectTypeId={kind.type_id}, propertyName={name}, value={new}"
        place = f"PropertyValueCoordinates{{portalId={portal(ctx).portal_id}, {what}}}"
        message = f"Cannot set {place} on {row.id if row else 'new object'}. {holder.id} already has that value."
        raise errors.bad_request(
            message,
            errors=[{"message": message, "code": "CONFLICTING_UNIQUE_VALUE", "context": {"propertyName": [name]}}],
        )


def check_pipeline(ctx: Ctx, kind: Kind, values: dict[str, Any]) -> None:
    if kind.name in STAGED and (found := rules.check_stage(ctx, kind, values)) is not None:
        name, refused = found
        raise errors.bad_properties(portal(ctx).portal_id, [(name, refused.message, refused.code)])


def create(ctx: Ctx, kind: Kind, given: dict[str, Any], links: Sequence[dict[str, Any]] = ()) -> CrmObject:
    """A new record with its associations."""
    if kind.cls is User:
        raise errors.bad_request("Objects of type user cannot be created by this API")
    values = rules.prepared(ctx, kind, checked(ctx, kind, given, None))
    missing = [name for name in kind.required if values.get(name) is None]
    if missing:
        message = f"Error creating {kind.singular.upper()}. Some required properties were not set."
        raise errors.bad_request(
            message, context={"properties": missing}, errors=[{"message": message, "context": {"properties": missing}}]
        )
    if kind.name in ("contacts", "companies") and not any(v is not None for v in values.values()):
        raise errors.bad_request(f"Error creating {kind.singular.upper()}. At least one property has to be set.")
    check_unique(ctx, kind, values, None)
    check_pipeline(ctx, kind, values)
    ends = [_end(ctx, kind, one) for one in links]
    if kind.name == "leads" and not any(to.name in ("contacts", "companies") for to, _, _ in ends):
        raise errors.bad_request("Error creating LEAD. A lead has to be associated with a contact or a company.")
    row = insert(ctx, kind, values, given)
    for to, to_id, types in ends:
        associations.link(ctx, kind, row.id, to, to_id, types)
    return require(ctx, kind, row.id)


def insert(ctx: Ctx, kind: Kind, values: dict[str, Any], given: dict[str, Any], created: str = "") -> CrmObject:
    """Writes a new record of checked values."""
    at = created or times.now(ctx)
    columns = {n: v for n, v in values.items() if n in kind.cls.model_fields and v is not None}
    own = {n: v for n, v in values.items() if n not in kind.cls.model_fields and v is not None}
    more: dict[str, Any] = {"object_type": kind.name} if kind.cls is CustomObject else {}
    row = kind.cls(id=new_id(ctx), created_at=at, updated_at=at, custom=own, **columns, **more)
    for name, new in rules.computed(ctx, kind, row, given, None).items():
        setattr(row, name, new)
    return ctx.db.add(row)


def _end(ctx: Ctx, kind: Kind, one: dict[str, Any]) -> tuple[Kind, str, list[int]]:
    """An association that a new record is to have: the other record and the types."""
    to_id, types = str(one["to"]["id"]), one.get("types") or []
    if not types:
        raise errors.bad_json("Cannot build PublicAssociationsForObject, some required attributes are not set [types]")
    found = [
        associations.require_type(ctx, t["associationTypeId"], kind, category=t.get("associationCategory"))
        for t in types
    ]
    to = resolve(ctx, found[0].end)
    for t in found:
        if t.end != to.name:
            raise errors.bad_request("The types of an association have to lead to the same object type")
    associations.require_object(ctx, to, to_id)
    return to, to_id, [t.id for t in found]


def update(ctx: Ctx, kind: Kind, row: CrmObject, given: dict[str, Any]) -> CrmObject:
    """Changes the properties that are given. Values that a record has already are no change."""
    changes = checked(ctx, kind, given, row)
    rules.keep_lifecycle(row, changes)
    changes = {n: v for n, v in changes.items() if value(row, n) != v}
    check_unique(ctx, kind, changes, row)
    if kind.name in STAGED and set(changes) & set(STAGED[kind.name]):
        check_pipeline(ctx, kind, {n: changes.get(n, value(row, n)) for n in STAGED[kind.name]})
    missing = [n for n in kind.required if n in changes and changes[n] is None]
    if missing:
        raise errors.bad_properties(
            portal(ctx).portal_id, [(n, f"{n} cannot be empty", "REQUIRED_VALUE") for n in missing]
        )
    return write(ctx, kind, row, changes, given)


def write(ctx: Ctx, kind: Kind, row: CrmObject, changes: dict[str, Any], given: dict[str, Any]) -> CrmObject:
    """Writes checked changes, what follows from them, and the history."""
    if not changes:
        return row
    before = {name: value(row, name) for name in kind.cls.standard() if name in kind.cls.model_fields}
    columns = {n: v for n, v in changes.items() if n in kind.cls.standard()}
    own = {n: v for n, v in changes.items() if n not in kind.cls.standard()}
    old_own = {n: row.custom.get(n) for n in own}
    if own:
        columns["custom"] = {n: v for n, v in {**row.custom, **own}.items() if v is not None}
    row = ctx.db.update(row, **columns, updated_at=times.now(ctx))
    follow = rules.computed(ctx, kind, row, given, before)
    ctx.db.update(row, **follow)
    remember(ctx, kind, row, {n: (before.get(n, old_own.get(n)), v) for n, v in {**changes, **follow}.items()})
    return row


def remember(ctx: Ctx, kind: Kind, row: CrmObject, changed: dict[str, tuple[Any, Any]]) -> None:
    """Keeps what values were; the first change of a property also keeps its original."""
    known, user = definitions(ctx, kind), current_user(ctx)
    for name, (old, new) in changed.items():
        place: dict[str, Any] = {"object_type": kind.name, "object_id": row.id, "name": name}
        if old is not None and ctx.db.first(History, **place) is None:
            ctx.db.add(History(**place, value=wire(known.get(name), old) or "", timestamp=row.created_at))
        ctx.db.add(History(**place, value=wire(known.get(name), new) or "", timestamp=row.updated_at, user_id=user))


def current_user(ctx: Ctx) -> int | None:
    """The user on whose behalf calls are made."""
    if not ctx.has_ref("people.Person", ctx.agent):
        return None
    owner = ctx.db.get(Owner, ctx.ref("people.Person", ctx.agent))
    return owner.user_id if owner else None


def archive(ctx: Ctx, kind: Kind, row: CrmObject) -> None:
    """Takes a record out of reads. What it was associated with stops counting it."""
    if kind.cls is User:
        raise errors.bad_request("Objects of type user cannot be deleted by this API")
    ctx.db.update(row, archived=True, archived_at=times.now(ctx), updated_at=times.now(ctx))
    for name, other in associations.neighbours(ctx, kind, row.id):
        associations.recount(ctx, resolve(ctx, name), other)


def merge(ctx: Ctx, kind: Kind, primary: CrmObject, other: CrmObject) -> CrmObject:
    """Makes one record of two: the primary keeps its values and takes those that it lacks, and all associations."""
    if primary.id == other.id:
        raise errors.bad_request("Cannot merge an object with itself", context={"id": [primary.id]})
    changes: dict[str, Any] = {}
    for name, d in definitions(ctx, kind).items():
        new = value(other, name)
        if not d.fixed and new is not None and value(primary, name) is None:
            changes[name] = new
    if getattr(primary, "lifecyclestage", None):
        changes["lifecyclestage"] = getattr(other, "lifecyclestage", None) or getattr(primary, "lifecyclestage", None)
        rules.keep_lifecycle(primary, changes)
        if changes.get("lifecyclestage") == getattr(primary, "lifecyclestage", None):
            changes.pop("lifecyclestage", None)
    if isinstance(primary, Contact):
        more = [e for e in [*emails_of(primary), *emails_of(other)] if e != (primary.email or changes.get("email"))]
        changes["hs_additional_emails"] = ";".join(dict.fromkeys(more)) or None
    for name, other_id in associations.neighbours(ctx, kind, other.id):
        to = resolve(ctx, name)
        types = associations.types_of(ctx, kind, other.id, to, other_id)
        associations.unlink(ctx, kind, other.id, to, other_id)
        if other_id != primary.id or to.name != kind.name:
            single = associations.PRIMARY.get((kind.name, name))
            associations.link(ctx, kind, primary.id, to, other_id, [t for t in types if t != single])
    for one in ctx.db.find(Membership, record_id=other.id):
        if ctx.db.get(Membership, (one.list_id, primary.id)) is None:
            ctx.db.add(Membership(list_id=one.list_id, record_id=primary.id, joined_at=one.joined_at))
        ctx.db.delete(one)
    ctx.db.delete(other)
    row = require(ctx, kind, primary.id)
    row = write(ctx, kind, row, {n: v for n, v in changes.items() if value(row, n) != v}, changes)
    return ctx.db.update(row, merged_ids=[*row.merged_ids, other.id, *other.merged_ids], updated_at=times.now(ctx))


# Showing


def names(asked: Iterable[str] | None) -> list[str]:
    """Property names as sent: repeated, or with commas between."""
    return list(dict.fromkeys(n.strip() for one in asked or () for n in one.split(",") if n.strip()))


def shown(
    ctx: Ctx, kind: Kind, row: CrmObject, asked: Iterable[str] | None = None, *, history: Iterable[str] | None = None,
    also: Iterable[str] = (), known: dict[str, Definition] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """A record as the API shows it: the properties asked for beside the few that always come; unknown names are passed over."""
    known = known or definitions(ctx, kind)
    wanted = names(asked)
    base = (kind.cls.created, kind.cls.modified, "hs_object_id") if wanted else kind.shown
    properties = {n: wire(known[n], value(row, n)) for n in sorted({*base, *wanted, *also}) if n in known}
    made: dict[str, Any] = {
        "id": row.id, "properties": properties, "createdAt": times.shown(row.created_at), "updatedAt": times.shown(row.updated_at),
        "archived": row.archived,
    }  # fmt: skip
    if row.archived and row.archived_at:
        made["archivedAt"] = times.shown(row.archived_at)
    if past := [n for n in names(history) if n in known]:
        made["propertiesWithHistory"] = {n: _history(ctx, kind, row, known[n]) for n in past}
    return made


def whole(ctx: Ctx, kind: Kind, row: CrmObject) -> dict[str, Any]:
    """A record with every property that has a value, as answers to writes show it."""
    known = definitions(ctx, kind)
    return shown(ctx, kind, row, also=[n for n in known if value(row, n) is not None], known=known)


def _history(ctx: Ctx, kind: Kind, row: CrmObject, d: Definition) -> list[dict[str, Any]]:
    past = ctx.db.find(History, order="-id", object_type=kind.name, object_id=row.id, name=d.name)
    if past:
        return [
            {
                "value": h.value, "timestamp": times.shown(h.timestamp), "sourceType": "INTEGRATION" if h.user_id else "CRM_UI",
                **({"updatedByUserId": h.user_id} if h.user_id else {}),
            }
            for h in past
        ]  # fmt: skip
    now = wire(d, value(row, d.name))
    return [] if now is None else [{"value": now, "timestamp": times.shown(row.created_at), "sourceType": "CRM_UI"}]


def with_associations(ctx: Ctx, kind: Kind, row: CrmObject, asked: Iterable[str] | None) -> dict[str, Any]:
    """The associations of a record that were asked for, by object type: at most those of one page."""
    made: dict[str, Any] = {}
    for name in names(asked):
        to = resolve(ctx, name)
        found = associations.linked(ctx, kind, row.id, to)
        if found:
            made[to.name.replace("_", " ")] = {
                "results": [{"id": i, "type": t.name} for i, types in found for t in types]
            }
    return {"associations": made} if made else {}


def refused(error: ApiError) -> dict[str, Any]:
    """An error as batches list it."""
    made = {"category": errors.VALIDATION, "context": {}, **errors.body(error)}
    return {
        name: made[name]
        for name in ("status", "category", "subCategory", "message", "errors", "context")
        if name in made
    }


KNOWN = tuple(k.name for k in KINDS.values())
