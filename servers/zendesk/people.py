"""Users: what making, changing, merging and deleting one does. https://developer.zendesk.com/api-reference/ticketing/users/users/"""

import re
from collections.abc import Iterable
from typing import Any

from legoenv_mcp.app import Ctx

from . import ids, tagging
from .errors import Problems, refuse
from .inputs import plain
from .models import Group, GroupMembership, Identity, Organization, OrganizationMembership, Ticket, User

_EMAIL = re.compile(r"[^@\s\x00]{1,64}@[^@\s.\x00]+(\.[^@\s.\x00]+)+")
_PLAIN = (
    "role", "phone", "alias", "external_id", "time_zone", "locale", "details", "notes", "signature", "suspended", "verified",
)  # fmt: skip
OPEN = ("new", "open", "pending", "hold", "solved")


def find(ctx: Ctx, user_id: int) -> User:
    return ctx.require(User, user_id)


def by_email(ctx: Ctx, email: str) -> User | None:
    """The user with this address, primary or not."""
    own = ctx.db.first(Identity, type="email", value=email.strip().lower())
    return ctx.db.get(User, own.user_id) if own else None


def columns(ctx: Ctx, problems: Problems, row: User | None, given: dict[str, Any]) -> dict[str, Any]:
    """The columns that were sent, checked; the e-mail address in lower case."""
    new = {
        n: given[n] for n in _PLAIN if n in given and not (n in ("role", "time_zone", "locale") and given[n] is None)
    }
    for flag in ("suspended", "verified"):
        if flag in new:
            new[flag] = bool(new[flag])
    if "name" in given or row is None:
        new["name"] = (given.get("name") or "").strip()
        if not new["name"]:
            problems.add("name", "Name: is too short (minimum is 1 character)", "TooShort")
    if given.get("email"):
        new["email"] = _address(ctx, problems, row, given["email"])
    if given.get("external_id"):
        other = ctx.db.first(User, external_id=given["external_id"], active=True)
        if other and (row is None or other.id != row.id):
            problems.add("external_id", f"External: {given['external_id']} has already been taken", "DuplicateValue")
    if "organization_id" in given:
        if given["organization_id"] is not None and ctx.db.get(Organization, given["organization_id"]) is None:
            problems.add("organization_id", "Organization: is invalid")
        new["organization_id"] = given["organization_id"]
    if "default_group_id" in given:
        group = given["default_group_id"]
        member = row is not None and ctx.db.count(GroupMembership, user_id=row.id, group_id=group)
        if group is not None and not member:
            problems.add("default_group_id", "Default group: the user is not a member")
        new["default_group_id"] = group
    if "tags" in given:
        new["tags"] = tagging.clean(given["tags"] or [])
    if given.get("user_fields") is not None:
        new["user_fields"] = {**(row.user_fields if row else {}), **plain(given["user_fields"])}
    return new


def _address(ctx: Ctx, problems: Problems, row: User | None, email: str) -> str:
    address = email.strip().lower()
    if not _EMAIL.fullmatch(address):
        problems.add("email", f"Email: {email} is not properly formatted", "InvalidFormat")
        return address
    other = by_email(ctx, address)
    if other is not None and (row is None or other.id != row.id):
        problems.add("email", f"Email: {address} is already being used by another user", "DuplicateValue")
    return address


def create(ctx: Ctx, given: dict[str, Any]) -> User:
    problems = Problems()
    new = columns(ctx, problems, None, given)
    problems.check()
    now = ctx.timestamp()
    new.setdefault("organization_id", of_domain(ctx, new.get("email")))
    row = ctx.db.add(User(id=ids.new(ctx, "user"), created_at=now, updated_at=now, **new))
    if row.email:
        add_identity(ctx, row, "email", row.email, primary=True, verified=row.verified)
    if row.organization_id is not None:
        join_organization(ctx, row, row.organization_id, default=True)
    if row.role != "end-user":
        group = ctx.db.first(Group, default=True, deleted=False)
        if group:
            join_group(ctx, row, group.id)
    return row


def update(ctx: Ctx, row: User, given: dict[str, Any]) -> User:
    if not row.active:
        raise refuse("base", "User: has been deleted", "InvalidValue")
    problems = Problems()
    new = columns(ctx, problems, row, given)
    problems.check()
    if new.get("role", row.role) == "end-user" and row.role != "end-user":
        _leave_staff(ctx, row)
        new["default_group_id"] = None
    if (email := new.pop("email", None)) is not None:
        own = ctx.db.first(Identity, user_id=row.id, value=email) or add_identity(ctx, row, "email", email)
        if row.email is None:
            make_primary(ctx, own)
            new["email"] = email
    if "organization_id" in new and new["organization_id"] != row.organization_id:
        _move(ctx, row, new["organization_id"])
    if new.get("default_group_id"):
        for membership in ctx.db.find(GroupMembership, user_id=row.id):
            ctx.db.update(membership, default=membership.group_id == new["default_group_id"])
    ctx.db.update(row, **new, updated_at=ctx.timestamp())
    if row.role != "end-user" and not ctx.db.count(GroupMembership, user_id=row.id):
        group = ctx.db.first(Group, default=True, deleted=False)
        if group:
            join_group(ctx, row, group.id)
    return row


def _leave_staff(ctx: Ctx, row: User) -> None:
    """An agent who is none any more: out of the groups, and without assigned tickets that are still worked on."""
    if row.id == ids.me(ctx):
        raise refuse("role", "Role: you cannot downgrade yourself")
    ctx.db.delete_where(GroupMembership, user_id=row.id)
    unassign(ctx, row.id)


def unassign(ctx: Ctx, user_id: int, group_id: int | None = None) -> None:
    for ticket in ctx.db.find(Ticket, assignee_id=user_id, group_id=group_id, status__in=OPEN[:-1], deleted=False):
        ctx.db.update(ticket, assignee_id=None, updated_at=ctx.timestamp())


def _move(ctx: Ctx, row: User, organization_id: int | None) -> None:
    """The default organization changes: the former one is left."""
    if row.organization_id is not None:
        ctx.db.delete_where(OrganizationMembership, user_id=row.id, organization_id=row.organization_id)
    if organization_id is not None:
        join_organization(ctx, row, organization_id, default=True)


def delete(ctx: Ctx, row: User) -> User:
    """Users stay, inactive, for the tickets that name them; their addresses are free again."""
    if not row.active:
        raise ctx.app.not_found("User", row.id)
    if row.id == ids.me(ctx):
        raise refuse("base", "You cannot delete yourself", "InvalidValue")
    waiting = ctx.db.count(Ticket, requester_id=row.id, status__in=OPEN, deleted=False)
    if waiting:
        raise refuse("base", f"User is requester on {waiting} ticket(s) that are not closed.", "InvalidValue")
    unassign(ctx, row.id)
    ctx.db.delete_where(Identity, user_id=row.id)
    ctx.db.delete_where(GroupMembership, user_id=row.id)
    ctx.db.delete_where(OrganizationMembership, user_id=row.id)
    return ctx.db.update(row, active=False, email=None, phone=None, default_group_id=None, updated_at=ctx.timestamp())


def merge(ctx: Ctx, source: User, target: User) -> User:
    """One end user's tickets and addresses become another's; the rest of the first is lost with the account, as documented."""
    if source.id == target.id:
        raise refuse("base", "User: cannot be merged into itself", "InvalidValue")
    for one in (source, target):
        if one.role != "end-user" or not one.active:
            raise refuse("base", "Only end users can be merged", "InvalidValue")
    for ticket in ctx.db.find(Ticket, requester_id=source.id):
        ctx.db.update(ticket, requester_id=target.id, updated_at=ctx.timestamp())
    for ticket in ctx.db.find(Ticket, email_cc_ids__contains=str(source.id)):
        ccs = dict.fromkeys(target.id if i == source.id else i for i in ticket.email_cc_ids)
        ctx.db.update(ticket, email_cc_ids=list(ccs))
    ctx.db.delete_where(Identity, user_id=source.id, type="phone_number")
    for own in ctx.db.find(Identity, user_id=source.id):
        ctx.db.update(own, user_id=target.id, primary=own.primary and not ctx.db.count(Identity, user_id=target.id))
    ctx.db.delete_where(OrganizationMembership, user_id=source.id)
    ctx.db.update(source, active=False, email=None, phone=None, organization_id=None, updated_at=ctx.timestamp())
    email = target.email or next((i.value for i in ctx.db.find(Identity, user_id=target.id, type="email")), None)
    return ctx.db.update(target, email=email, updated_at=ctx.timestamp())


# What belongs to users


def add_identity(
    ctx: Ctx, row: User, kind: str, value: str, *, primary: bool = False, verified: bool = False
) -> Identity:
    now = ctx.timestamp()
    return ctx.db.add(
        Identity(
            id=ids.new(ctx, "identity"), user_id=row.id, type=kind, value=value, primary=primary, verified=verified,  # pyright: ignore[reportArgumentType]
            created_at=now, updated_at=now,
        )
    )  # fmt: skip


def make_primary(ctx: Ctx, own: Identity) -> None:
    for other in ctx.db.find(Identity, user_id=own.user_id, type=own.type, primary=True):
        ctx.db.update(other, primary=False, updated_at=ctx.timestamp())
    ctx.db.update(own, primary=True, updated_at=ctx.timestamp())


def join_group(ctx: Ctx, row: User, group_id: int) -> GroupMembership:
    now, first = ctx.timestamp(), not ctx.db.count(GroupMembership, user_id=row.id)
    made = ctx.db.add(
        GroupMembership(
            id=ids.new(ctx, "group_membership"),
            user_id=row.id,
            group_id=group_id,
            default=first,
            created_at=now,
            updated_at=now,
        )
    )
    if first:
        ctx.db.update(row, default_group_id=group_id)
    return made


def join_organization(ctx: Ctx, row: User, organization_id: int, *, default: bool = False) -> OrganizationMembership:
    now = ctx.timestamp()
    first = default or not ctx.db.count(OrganizationMembership, user_id=row.id)
    found = ctx.db.first(OrganizationMembership, user_id=row.id, organization_id=organization_id)
    if first:
        for other in ctx.db.find(OrganizationMembership, user_id=row.id, default=True):
            ctx.db.update(other, default=False, updated_at=now)
    if found is not None:
        return ctx.db.update(found, default=first or found.default, updated_at=now)
    if first and row.organization_id != organization_id:
        ctx.db.update(row, organization_id=organization_id)
    return ctx.db.add(
        OrganizationMembership(
            id=ids.new(ctx, "organization_membership"), user_id=row.id, organization_id=organization_id, default=first,
            created_at=now, updated_at=now,
        )
    )  # fmt: skip


def of_domain(ctx: Ctx, email: str | None) -> int | None:
    """The organization whose domains an address belongs to; of several, the first by name."""
    domain = (email or "").rpartition("@")[2].lower()
    named = [o for o in ctx.db.find(Organization) if domain and domain in o.domain_names]
    return min(named, key=lambda o: (o.name.casefold(), o.id)).id if named else None


def gather(ctx: Ctx, organization: Organization, domains: Iterable[str]) -> None:
    """Domains that an organization gets bring it the verified customers with such an address who belong to none yet."""
    wanted = set(domains)
    if not wanted:
        return
    for row in ctx.db.find(User, role="end-user", active=True, verified=True):
        if row.organization_id is None and (row.email or "").rpartition("@")[2] in wanted:
            join_organization(ctx, row, organization.id, default=True)
            ctx.db.update(row, updated_at=ctx.timestamp())


def leave_tickets(ctx: Ctx, user_id: int, organization_id: int) -> None:
    """Who leaves an organization takes along the tickets that are still worked on."""
    for ticket in ctx.db.find(
        Ticket, requester_id=user_id, organization_id=organization_id, status__in=OPEN[:-1], deleted=False
    ):
        ctx.db.update(ticket, organization_id=None, updated_at=ctx.timestamp())


# Users named in tickets


def requester(ctx: Ctx, problems: Problems, given: dict[str, Any], *, default: int) -> User | None:
    """Who asks: by id, by e-mail address (a user who is not known yet is made), or whoever calls."""
    by_id, said = given.get("requester_id"), given.get("requester")
    if by_id is not None:
        row = ctx.db.get(User, by_id)
        if row is None or not row.active:
            problems.add("requester", "Requester: is invalid")
            return None
        return row
    if said is None:
        return ctx.db.get(User, default)
    email, name = (said.email or "").strip().lower(), (said.name or "").strip()
    if email and (row := by_email(ctx, email)):
        return row
    if not email and not name:
        problems.add("requester", "Requester: Email: cannot be blank", "BlankValue")
    elif email and not _EMAIL.fullmatch(email):
        problems.add("requester", f"Requester: Email: {email} is not properly formatted", "InvalidFormat")
    elif not name:
        problems.add("requester", "Requester: Name: is too short (minimum is 1 character)", "TooShort")
    else:
        return create(ctx, {"name": name, **({"email": email} if email else {})})
    return None


def _addressed(ctx: Ctx, problems: Problems, what: str, email: str | None, name: str | None = None) -> User | None:
    """The user with an address; one who is not known yet is made, named by the address where there is no name."""
    address = (email or "").strip().lower()
    row = by_email(ctx, address)
    if row is not None or not _EMAIL.fullmatch(address):
        if row is None:
            problems.add(what, f"Email: {email or ''} is not properly formatted", "InvalidFormat")
        return row
    return create(ctx, {"name": (name or "").strip() or address.partition("@")[0], "email": address})


def collaborators(
    ctx: Ctx, problems: Problems, what: str, given: Iterable[Any], ccs: list[int]
) -> tuple[list[int], list[int]]:
    """Users by id, address, or name and address: agents follow, end users (and agents who do already) get copies."""
    follow, copied = list[int](), list[int]()
    for one in given:
        named = isinstance(one, str) and one.strip().isascii() and one.strip().isdecimal() and len(one) < 19
        if isinstance(one, int) or named:
            row = ctx.db.get(User, int(one))
        else:
            row = _addressed(ctx, problems, what, *((one, None) if isinstance(one, str) else (one.email, one.name)))
            if row is None:
                continue
        if row is None or not row.active:
            problems.add(what, f"User {one} does not exist", "RecordNotFound")
        else:
            (copied if row.role == "end-user" or row.id in ccs else follow).append(row.id)
    return follow, copied


def participants(ctx: Ctx, problems: Problems, what: str, present: list[int], given: Iterable[Any]) -> list[int]:
    """Followers (agents only) or CCs, with those put in and taken out."""
    out = list(present)
    for one in given:
        if one.user_id or one.action == "delete" or what == "followers" or not one.user_email:
            row = ctx.db.get(User, one.user_id) if one.user_id else by_email(ctx, one.user_email or "")
        else:
            row = _addressed(ctx, problems, what, one.user_email, one.user_name)
            if row is None:
                continue
        if row is None or not row.active:
            problems.add(what, f"User {one.user_id or one.user_email or ''} does not exist", "RecordNotFound")
        elif one.action == "delete":
            out = [i for i in out if i != row.id]
        elif what == "followers" and row.role == "end-user":
            problems.add(what, f"User {row.id} is not an agent and cannot follow tickets")
        elif row.id not in out:
            out.append(row.id)
    return out
