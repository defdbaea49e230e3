"""Cases."""

from legoenv_mcp.app import Ctx

from .. import times
from ..models import Case, CaseComment, CaseStatus, Contact
from .change import Change


def _case(change: Change) -> None:
    """A case gets its number when it is made, its closing time when it is closed, its account from its contact."""
    ctx = change.ctx
    if change.creating:
        change["CaseNumber"] = f"{ctx.sequence('case', start=1001):08d}"
    contact = ctx.db.get(Contact, change["ContactId"] or "")
    if contact is not None and change["AccountId"] is None and "AccountId" not in change.sent:
        change["AccountId"] = contact.AccountId
    change["ContactPhone"] = contact.Phone if contact else None
    change["ContactEmail"] = contact.Email if contact else None
    status = ctx.db.first(CaseStatus, MasterLabel=change["Status"])
    closed = status is not None and status.IsClosed
    if closed != change["IsClosed"]:
        change["ClosedDate"] = times.now(ctx) if closed else None
    change["IsClosed"] = closed


def _case_after(change: Change) -> None:
    """Internal comments sent with a case become a comment of it."""
    row = change.row
    if isinstance(row, Case) and "Comments" in change.sent and row.Comments:
        from .. import records  # noqa: PLC0415 - records call rules

        records.insert(change.ctx, CaseComment, ParentId=row.Id, CommentBody=row.Comments, IsPublished=False)


def show_contact(ctx: Ctx, contact: Contact) -> None:
    """A contact's cases show how to reach it."""
    for case in ctx.db.find(Case, ContactId=contact.Id):
        ctx.db.update(case, ContactPhone=contact.Phone, ContactEmail=contact.Email)


BEFORE = {"Case": _case}
AFTER = {"Case": _case_after}
