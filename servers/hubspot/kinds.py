"""Object types: HubSpot's own and the account's, by any of their names."""

from dataclasses import dataclass

from legoenv_mcp.app import Ctx

from . import errors
from .models import (
    Account,
    Call,
    Company,
    Contact,
    CrmObject,
    CustomObject,
    Deal,
    Email,
    Lead,
    LineItem,
    Meeting,
    Note,
    Product,
    Schema,
    Task,
    Ticket,
    User,
)

CLASSES: tuple[type[CrmObject], ...] = (
    Contact, Deal, Ticket, Lead, Company, LineItem, Product, Task, Note, Call, Meeting, Email, User,
)  # fmt: skip
"""The types in the order in which an association names its two sides."""

ENGAGEMENTS: tuple[type[CrmObject], ...] = (Note, Task, Call, Meeting, Email)


@dataclass(frozen=True, slots=True)
class Kind:
    """An object type. `name` is the one in paths; `schema` is a custom type's."""

    cls: type[CrmObject]
    name: str
    singular: str
    type_id: str
    label: str
    schema: Schema | None = None

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(self.schema.required) if self.schema else self.cls.required

    @property
    def searched(self) -> tuple[str, ...]:
        return tuple(self.schema.searchable) if self.schema else self.cls.searched

    @property
    def shown(self) -> tuple[str, ...]:
        mine = (self.schema.primary_display,) if self.schema and self.schema.primary_display else ()
        return (*mine, *self.cls.defaults())


KINDS: dict[type[CrmObject], Kind] = {
    cls: Kind(cls, cls.plural, cls.singular, cls.type_id, cls.label) for cls in CLASSES
}
_BY_NAME = {name: kind for kind in KINDS.values() for name in (kind.name, kind.singular, kind.type_id)}
CONTACTS, COMPANIES, DEALS, TICKETS, LEADS = (KINDS[c] for c in (Contact, Company, Deal, Ticket, Lead))
RANK = {kind.name: place for place, kind in enumerate(KINDS.values())}


def portal(ctx: Ctx) -> Account:
    """The account."""
    found = ctx.db.first(Account)
    if found is None:
        raise errors.not_found()
    return found


def full_name(ctx: Ctx, schema: Schema) -> str:
    return f"p{portal(ctx).portal_id}_{schema.name}"


def of_schema(ctx: Ctx, schema: Schema) -> Kind:
    return Kind(CustomObject, full_name(ctx, schema), schema.name, schema.id, schema.label_singular, schema)


def resolve(ctx: Ctx, name: str) -> Kind:
    """The type that a name means: plural, singular, type id, or a custom type's names."""
    folded = name.strip().lower().replace(" ", "_").replace("-", "_" if name[:2] not in ("0-", "2-") else "-")
    if (kind := _BY_NAME.get(folded)) is not None:
        return kind
    for schema in ctx.db.find(Schema, archived=False):
        kind = of_schema(ctx, schema)
        if folded in (kind.name.lower(), kind.singular.lower(), kind.type_id):
            return kind
    raise errors.no_type(name)


def by_type_id(ctx: Ctx, type_id: str) -> Kind:
    return resolve(ctx, type_id)
