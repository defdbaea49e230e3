"""Journal entries, transfers, deposits. https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/journalentry"""

from typing import Any

from legoenv_mcp.app import MISSING, Ctx

from .. import models, tooling
from ..app import app
from ..shapes import Currency, DepositLine, JournalLine, Ref


@app.post("/journalentry", tool="create_journal_entry")
def create_journal_entry(
    ctx: Ctx, Line: list[JournalLine], TxnDate: str | MISSING = MISSING, DocNumber: str | MISSING = MISSING,
    PrivateNote: str | MISSING = MISSING, Adjustment: bool | MISSING = MISSING, CurrencyRef: Currency | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Posts a journal entry. The debits must equal the credits. A line on receivables names a customer, one on payables a vendor.

    Line: JournalEntryLineDetail lines with Amount, PostingType and AccountRef.
    TxnDate: Its date, YYYY-MM-DD; today by default.
    DocNumber: Its number.
    PrivateNote: A memo.
    Adjustment: Whether it is an adjusting entry.
    CurrencyRef: The entry's currency; the home currency by default.
    """
    return tooling.create(ctx, models.JournalEntry)


@app.post("/journalentry", tool="update_journal_entry", effect="update")
def update_journal_entry(
    ctx: Ctx, Id: str, SyncToken: str, Line: list[JournalLine] | MISSING = MISSING, TxnDate: str | MISSING = MISSING,
    DocNumber: str | None | MISSING = MISSING, PrivateNote: str | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of a journal entry that are given; the others stay. Lines are replaced as a whole and must balance.

    Id: The entry's Id.
    SyncToken: Its current version, from reading it.
    Line: All lines that shall be there.
    TxnDate: Its date.
    DocNumber: Its number.
    PrivateNote: A memo.
    """
    return tooling.update(ctx, models.JournalEntry)


@app.post("/transfer", tool="create_transfer")
def create_transfer(
    ctx: Ctx,
    FromAccountRef: Ref,
    ToAccountRef: Ref,
    Amount: float,
    TxnDate: str | MISSING = MISSING,
    PrivateNote: str | MISSING = MISSING,
) -> dict[str, Any]:
    """Moves money from one account to another.

    FromAccountRef: The account it leaves.
    ToAccountRef: The account it goes to.
    Amount: How much.
    TxnDate: When, YYYY-MM-DD.
    PrivateNote: A memo.
    """
    return tooling.create(ctx, models.Transfer)


@app.post("/deposit", tool="create_deposit")
def create_deposit(
    ctx: Ctx,
    DepositToAccountRef: Ref,
    Line: list[DepositLine],
    TxnDate: str | MISSING = MISSING,
    PrivateNote: str | MISSING = MISSING,
) -> dict[str, Any]:
    """Takes money to the bank: payments and sales receipts that lie in Undeposited Funds, and money from elsewhere.

    DepositToAccountRef: The bank account.
    Line: What is deposited: lines that link a Payment or SalesReceipt with its whole amount, or name an account.
    TxnDate: When, YYYY-MM-DD.
    PrivateNote: A memo.
    """
    return tooling.create(ctx, models.Deposit)
