"""Accounts, contacts, leads and users."""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import errors
from ..models import Account, Case, Contact, Lead, Opportunity, SObject, User
from . import marketing, service
from .change import Change


def full_name(change: Change) -> None:
    change["Name"] = " ".join(filter(None, (change["FirstName"], change["LastName"])))


def _contact(change: Change) -> None:
    full_name(change)
    change["IsEmailBounced"] = bool(change["EmailBouncedReason"] or change["EmailBouncedDate"])


def _user(change: Change) -> None:
    full_name(change)
    if change.creating:
        change["UserType"] = change["UserType"] or "Standard"
    if change.differs("Username"):
        name = str(change["Username"])
        if "@" not in name:
            raise errors.refusal("INVALID_EMAIL_ADDRESS", f"Username: invalid email address: {name}", "Username")
        own = change.old.Id if change.old else ""
        if any(u.Id != own for u in change.ctx.db.where(User, 'fold("Username") = ?', (name.casefold(),))):
            message = (
                "Duplicate Username.<br>The username already exists in this or another Salesforce organization. Usernames must be unique"
                " across all Salesforce organizations. To resolve, use a different username (it doesn't need to match the user's email"
                " address)."
            )
            raise errors.refusal("DUPLICATE_USERNAME", message, "Username")


_SHOWN = frozenset({"Name", "FirstName", "LastName", "Email", "Phone", "Company", "AccountId"})


def _shown_elsewhere(change: Change) -> None:
    """What cases and campaign members show of a person or a firm changes with it."""
    row, ctx = change.row, change.ctx
    if change.creating or not change.changed & _SHOWN:
        return
    if isinstance(row, Contact):
        service.show_contact(ctx, row)
    if isinstance(row, (Contact, Lead)):
        marketing.show_person(ctx, row)
    elif isinstance(row, Account):
        for contact in ctx.db.find(Contact, AccountId=row.Id):
            marketing.show_person(ctx, contact)


def _cases_of(ctx: Ctx, row: SObject, field: str) -> None:
    mine: dict[str, Any] = {field: row.Id, "IsDeleted": False}
    cases = ctx.db.find(Case, order="CaseNumber", **mine)
    if cases:
        numbers = ", ".join(str(c.CaseNumber) for c in cases[:5])
        name = getattr(row, "Name", "")
        message = f"Your attempt to delete {name} could not be completed because it is associated with the following cases.: {numbers}\n"
        raise errors.refusal("DELETE_FAILED", message)


def _delete_account(ctx: Ctx, row: Account) -> None:
    _cases_of(ctx, row, "AccountId")
    if ctx.db.first(Opportunity, AccountId=row.Id, IsWon=True, IsDeleted=False) is not None:
        message = (
            f"Your attempt to delete {row.Name} could not be completed because some opportunities in this account were closed won."
            " If you want to delete this account, you must first delete its closed won opportunities."
        )
        raise errors.refusal("DELETE_FAILED", message)


def _delete_contact(ctx: Ctx, row: Contact) -> None:
    _cases_of(ctx, row, "ContactId")


BEFORE = {"Contact": _contact, "Lead": full_name, "User": _user}
AFTER = {"Account": _shown_elsewhere, "Contact": _shown_elsewhere, "Lead": _shown_elsewhere}
REFUSE_DELETE = {"Account": _delete_account, "Contact": _delete_contact}
