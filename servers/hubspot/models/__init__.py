"""CRM objects as tables: one class each, its columns named as the properties are; and the account's settings."""

from .account import (
    Account,
    Association,
    AssociationLabel,
    CustomObject,
    History,
    Membership,
    ObjectList,
    Owner,
    Pipeline,
    Property,
    PropertyGroup,
    Schema,
    Stage,
    Team,
)
from .activities import Call, Email, Meeting, Note, Task
from .base import CrmObject, Table
from .people import Company, Contact, Lead, User
from .sales import Deal, LineItem, Product, Ticket

__all__ = [
    "Account", "Association", "AssociationLabel", "Call", "Company", "Contact", "CrmObject", "CustomObject", "Deal", "Email", "History",
    "Lead", "LineItem", "Meeting", "Membership", "Note", "ObjectList", "Owner", "Pipeline", "Product", "Property", "PropertyGroup",
    "Schema", "Stage", "Table", "Task", "Team", "Ticket", "User",
]  # fmt: skip
