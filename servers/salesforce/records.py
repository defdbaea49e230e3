"""Records: finding, creating, changing, deleting and restoring them, with what the platform does around each."""

from collections.abc import Mapping
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Person

from . import duplicates, errors, ids, metadata, rules, times, values
from .metadata import FieldInfo, SObjectType
from .models import Group, Organization, ProcessInstance, Profile, RecordType, SObject, User
from .rules import Change

ADMINISTRATOR = "System Administrator"


def kind_of(name: str) -> SObjectType:
    """The sObject type of this name; NOT_FOUND where there is none."""
    found = metadata.TYPES.get(name.lower())
    if found is None:
        hint = metadata.similar(name, (k.name for k in metadata.TYPES.values()), "types")
        raise errors.not_found(hint=f"There is no sObject type '{name}'. {hint}")
    return found


def current_user(ctx: Ctx) -> str:
    """The id of the user on whose behalf calls are made (of the system while an organisation is set up)."""
    if ctx.has_ref(Person, ctx.agent):
        return ctx.ref(Person, ctx.agent)
    return system_user(ctx)


def system_user(ctx: Ctx) -> str:
    row = ctx.db.first(User, Alias="autoproc")
    return row.Id if row else ""


def is_administrator(ctx: Ctx) -> bool:
    user = ctx.db.get(User, current_user(ctx))
    profile = ctx.db.get(Profile, user.ProfileId or "") if user else None
    return profile is not None and profile.Name == ADMINISTRATOR


def corporate_currency(ctx: Ctx) -> str:
    row = ctx.db.first(Organization)
    return (row.DefaultCurrencyIsoCode if row else None) or "USD"


def find(ctx: Ctx, kind: SObjectType, record_id: str) -> SObject:
    """The record of a resource's path: NOT_FOUND where there is none, ENTITY_IS_DELETED where it lies in the recycle bin."""
    full = ids.full(record_id)
    if full is None:
        raise errors.not_found(f"Provided external ID field does not exist or is not accessible: {record_id}")
    row = ctx.db.get(kind.cls, full)
    if row is None:
        raise errors.not_found()
    if row.IsDeleted:
        raise errors.deleted()
    return row


def by_external_id(ctx: Ctx, kind: SObjectType, field_name: str, value: str) -> list[SObject]:
    """The records whose external id has this value, without case."""
    info = kind.field(field_name)
    if info is None or not (info.spec.external or info.type == "id"):
        raise errors.not_found(f"Provided external ID field does not exist or is not accessible: {field_name}")
    if info.type == "id":
        full = ids.full(value)
        row = ctx.db.get(kind.cls, full) if full else None
        return [row] if row and not row.IsDeleted else []
    return ctx.db.where(kind.cls, f'fold("{info.name}") = ? AND "IsDeleted" = 0', (value.casefold(),))


# Reading what was sent


def _resolve(ctx: Ctx, kind: SObjectType, given: Mapping[str, Any], creating: bool) -> dict[str, tuple[FieldInfo, Any]]:
    """The fields sent, by exact name; parents named by their external id become references."""
    found = dict[str, tuple[FieldInfo, Any]]()
    for name, value in given.items():
        if name.lower() == "attributes":
            continue
        relation = kind.relations.get(name.lower())
        if relation is not None and isinstance(value, Mapping):
            found[relation.name] = (relation, _foreign_key(ctx, relation, value))
            continue
        info = kind.field(name)
        if info is None:
            raise errors.no_column(name, kind.name, kind.hint(name))
        found[info.name] = (info, value)
    if "Id" in found:
        if creating:
            raise errors.refusal("INVALID_FIELD_FOR_INSERT_UPDATE", "cannot specify Id in an insert call", "Id")
        raise errors.refusal("INVALID_FIELD", "The Id field should not be specified in the sobject data.", listed=False)
    fixed = [
        n
        for n, (info, _) in found.items()
        if info.parts or not (info.spec.createable if creating else info.spec.updateable)
    ]
    if fixed:
        hint = next((f"Write {', '.join(info.parts)}." for info, _ in found.values() if info.parts), None)
        if "Name" in fixed and "lastname" in kind.fields:
            hint = "Write FirstName and LastName; Name follows."
        raise errors.not_writable(*fixed, hint=hint)
    return found


def _foreign_key(ctx: Ctx, relation: FieldInfo, value: Mapping[str, Any]) -> str:
    keys = {k: v for k, v in value.items() if k.lower() != "attributes"}
    if len(keys) != 1:
        raise errors.refusal(
            "INVALID_FIELD", f"Relationship {relation.spec.relation} needs exactly one external ID field", listed=False
        )
    ((name, wanted),) = keys.items()
    for target in relation.spec.to:
        kind = kind_of(target)
        info = kind.field(name)
        if info is not None and (info.spec.external or info.type == "id"):
            rows = by_external_id(ctx, kind, name, str(wanted))
            if rows:
                return rows[0].Id
            message = f"Foreign key external ID: {wanted} not found for field {info.name} in entity {kind.name}"
            raise errors.refusal("INVALID_FIELD", message, listed=False)
    message = f"Foreign key relationship {relation.spec.relation}: field {name} is not an external ID"
    raise errors.refusal("INVALID_FIELD", message, listed=False)


def _require(kind: SObjectType, draft: Mapping[str, Any], among: set[str] | None = None) -> None:
    missing = [
        info.name for info in kind.columns.values()
        if info.spec.required and draft.get(info.name) is None and (among is None or info.name in among)
    ]  # fmt: skip
    if missing:
        raise errors.refusal("REQUIRED_FIELD_MISSING", f"Required fields are missing: [{', '.join(missing)}]", *missing)


def _unique(ctx: Ctx, kind: SObjectType, draft: Mapping[str, Any], own: str, among: set[str]) -> None:
    for info in kind.columns.values():
        value = draft.get(info.name)
        if info.spec.unique and info.name in among and value is not None:
            other = next((r for r in by_external_id(ctx, kind, info.name, value) if r.Id != own), None)
            if other is not None:
                message = f"duplicate value found: {info.name} duplicates value on record with id: {other.Id[:15]}"
                raise errors.refusal("DUPLICATE_VALUE", message, info.name)


def _active_owner(ctx: Ctx, kind: SObjectType, draft: Mapping[str, Any], sent: set[str]) -> None:
    if "OwnerId" in sent and str(draft["OwnerId"]).startswith(User.prefix):
        owner = ctx.db.get(User, draft["OwnerId"])
        if owner is not None and not owner.IsActive:
            message = f"operation performed with inactive user [{owner.Id[:15]}] as owner of {kind.name.lower()}"
            raise errors.refusal("INACTIVE_OWNER_OR_USER", message, "OwnerId")


def _record_type(ctx: Ctx, kind: SObjectType, draft: Mapping[str, Any], sent: set[str]) -> None:
    """A record's type is one of its sObject's."""
    wanted = draft.get("RecordTypeId") if "RecordTypeId" in sent else None
    row = ctx.db.get(RecordType, wanted) if wanted else None
    if row is not None and (row.SobjectType != kind.name or not row.IsActive):
        message = f"Record Type ID: this ID value isn't valid for the user: {wanted}"
        raise errors.refusal("INVALID_CROSS_REFERENCE_KEY", message, "RecordTypeId")


# Writing


def create(ctx: Ctx, kind: SObjectType, given: Mapping[str, Any], *, allow_save: bool = False) -> str:
    """Creates a record from what a caller sent; answers its id."""
    if not kind.allows("create"):
        raise errors.refusal(
            "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", f"entity type {kind.name} does not support create", status=400
        )
    found = _resolve(ctx, kind, given, True)
    draft = {name: values.read(ctx, kind, info, value) for name, (info, value) in found.items()}
    draft, sent = defaults(ctx, kind, draft), set(draft)
    _require(kind, draft)
    _unique(ctx, kind, draft, "", sent)
    _active_owner(ctx, kind, draft, sent)
    _record_type(ctx, kind, draft, sent)
    change = Change(ctx, kind, draft, None, sent)
    rules.before(change)
    if not allow_save:
        duplicates.check(ctx, kind, draft, None)
    return _insert(change, times.now(ctx), current_user(ctx)).Id


def defaults(ctx: Ctx, kind: SObjectType, draft: Mapping[str, Any]) -> dict[str, Any]:
    """A new record's values: those given, else the fields' defaults, the caller as owner, the corporate currency."""
    made = {
        name: info.spec.default if info.type != "boolean" else bool(info.spec.default)
        for name, info in kind.columns.items()
    }
    made.update({name: value for name, value in draft.items() if value is not None})
    if "OwnerId" in made and made["OwnerId"] is None:
        made["OwnerId"] = current_user(ctx)
    if "CurrencyIsoCode" in made and made["CurrencyIsoCode"] is None:
        made["CurrencyIsoCode"] = corporate_currency(ctx)
    return made


def insert(ctx: Ctx, cls: type[SObject], *, created: str = "", by: str = "", **given: Any) -> SObject:
    """A record that the system itself writes (set-up, a world's data): its rules run, permissions and duplicate rules do not."""
    kind = kind_of(cls.__name__)
    draft = defaults(ctx, kind, {name: value for name, value in given.items() if value != ""})
    change = Change(ctx, kind, draft, None, set(given))
    rules.before(change)
    return _insert(change, times.read_datetime(created) or times.now(ctx), by or current_user(ctx))


def _insert(change: Change, moment: str, user: str) -> SObject:
    ctx, kind = change.ctx, change.kind
    audit = {
        "Id": ids.new(ctx, kind.prefix), "CreatedDate": moment, "LastModifiedDate": moment, "SystemModstamp": moment, "CreatedById": user,
        "LastModifiedById": user, "LastViewedDate": moment, "LastReferencedDate": moment,
    }  # fmt: skip
    row = ctx.db.add(kind.cls(**{**change.draft, **audit}))
    change.row = row
    rules.after(change)
    return row


def update(ctx: Ctx, kind: SObjectType, row: SObject, given: Mapping[str, Any], *, allow_save: bool = False) -> None:
    """Changes the fields that a caller sent."""
    if not kind.allows("update"):
        raise errors.refusal("CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", f"entity type {kind.name} does not support update")
    rules.guard(ctx, kind, row)
    refuse_locked(ctx, row)
    found = _resolve(ctx, kind, given, False)
    changes = {name: values.read(ctx, kind, info, value) for name, (info, value) in found.items()}
    if "CurrencyIsoCode" in changes and changes["CurrencyIsoCode"] is None:
        raise values.bad_choice(found["CurrencyIsoCode"][0], "")  # every amount has a currency
    draft = {name: getattr(row, name) for name in kind.columns} | changes
    _require(kind, draft, set(changes))
    _unique(ctx, kind, draft, row.Id, set(changes))
    _active_owner(ctx, kind, draft, set(changes))
    _record_type(ctx, kind, draft, set(changes))
    change = Change(ctx, kind, draft, row, set(changes))
    rules.before(change)
    if not allow_save:
        duplicates.check(ctx, kind, draft, row)
    _write(change)


def _write(change: Change) -> None:
    ctx, old = change.ctx, change.old
    assert old is not None
    moment, user = times.now(ctx), current_user(ctx)
    before = dict(old.__dict__)
    changed = {n: v for n, v in change.draft.items() if before.get(n) != v and n != "Id"}
    audit = {
        "LastModifiedDate": moment,
        "SystemModstamp": moment,
        "LastModifiedById": user,
        "LastViewedDate": moment,
        "LastReferencedDate": moment,
    }
    change.changed = frozenset(changed)
    change.row = ctx.db.update(old, **{**changed, **audit})
    rules.after(change)


def touch(ctx: Ctx, row: SObject, **changes: Any) -> None:
    """What the system itself changes in a record, with the record's other rules applied."""
    kind = kind_of(type(row).__name__)
    draft = {name: getattr(row, name) for name in kind.columns} | changes
    change = Change(ctx, kind, draft, row, set(changes), system=True)
    rules.before(change)
    _write(change)


def refuse_locked(ctx: Ctx, row: SObject) -> None:
    """A record that waits for approval is locked for all but administrators."""
    if ctx.db.first(ProcessInstance, TargetObjectId=row.Id, Status="Pending") is not None and not is_administrator(ctx):
        raise errors.refusal("ENTITY_IS_LOCKED", "the entity is locked for editing")


def delete(ctx: Ctx, kind: SObjectType, row: SObject) -> None:
    """Moves a record to the recycle bin, with those that cannot be without it; references to it are cleared."""
    if not kind.allows("delete"):
        raise errors.refusal("INSUFFICIENT_ACCESS_OR_READONLY", f"entity type {kind.name} does not support delete")
    rules.refuse_delete(ctx, kind, row)
    refuse_locked(ctx, row)
    moment = times.now(ctx)
    ctx.db.update(
        row, IsDeleted=True, SystemModstamp=moment, LastModifiedDate=moment, LastModifiedById=current_user(ctx)
    )
    for link in kind.referring:
        child = kind_of(link.child)
        for other in ctx.db.find(child.cls, **_children(link, row, False)):
            if link.cascade:
                if not ctx.db.get(child.cls, other.Id).IsDeleted:  # pyright: ignore[reportOptionalMemberAccess]
                    delete(ctx, child, other)
            elif child.soft_deleted and not child.columns[link.field].spec.required:
                ctx.db.update(other, **{link.field: None}, SystemModstamp=moment)
    rules.after_delete(ctx, kind, row)


def purge(ctx: Ctx, kind: SObjectType, row: SObject) -> None:
    """Takes a deleted record, and what was deleted with it, out of the recycle bin for good."""
    for link in kind.referring:
        if link.cascade:
            child = kind_of(link.child)
            for other in ctx.db.find(child.cls, **_children(link, row, True)):
                purge(ctx, child, other)
    ctx.db.delete(row)


def _children(link: metadata.Children, row: SObject, deleted: bool) -> dict[str, Any]:
    """The filter for the records that refer to this one."""
    return {link.field: row.Id, "IsDeleted": deleted}


def _parent_deleted(ctx: Ctx, kind: SObjectType, row: SObject) -> bool:
    """Whether a record that a record cannot be without lies in the recycle bin."""
    for info in kind.columns.values():
        parent_id = getattr(row, info.name) if info.spec.cascade and info.spec.required else None
        parent_kind = metadata.of_id(parent_id) if parent_id else None
        parent = ctx.db.get(parent_kind.cls, parent_id) if parent_kind else None
        if parent is not None and parent.IsDeleted:
            return True
    return False


def undelete(ctx: Ctx, kind: SObjectType, row: SObject) -> None:
    """Takes a record out of the recycle bin, with those that were deleted along with it."""
    if not row.IsDeleted:
        raise errors.refusal("UNDELETE_FAILED", "Entity is not in the recycle bin")
    if _parent_deleted(ctx, kind, row):
        raise errors.refusal("UNDELETE_FAILED", "The parent record is in the recycle bin and has to be restored first")
    deleted_at, moment = row.SystemModstamp, times.now(ctx)
    ctx.db.update(
        row, IsDeleted=False, SystemModstamp=moment, LastModifiedDate=moment, LastModifiedById=current_user(ctx)
    )
    for link in kind.referring:
        if link.cascade:
            child = kind_of(link.child)
            for other in ctx.db.find(child.cls, SystemModstamp=deleted_at, **_children(link, row, True)):
                if not _parent_deleted(ctx, child, other):  # else it comes back with its other parent
                    undelete(ctx, child, other)
    rules.after_delete(ctx, kind, row)


def queue_id(ctx: Ctx, developer_name: str) -> str | None:
    row = ctx.db.first(Group, DeveloperName=developer_name)
    return row.Id if row else None
