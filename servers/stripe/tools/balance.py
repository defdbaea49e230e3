"""The account, its balance, what moved it, and payouts. https://docs.stripe.com/api/balance"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field
from legoenv_mcp.app import Query as InQuery

from .. import ledger
from ..app import app
from ..errors import refuse
from ..events import emit
from ..ids import new
from ..lists import listing
from ..models import Account, BalanceTransaction, Payout
from ..money import display, known_currency
from ..params import After, Before, Created, Expand, ExpandBody, Limit, MetadataParam, When, asked, given, merged, times
from ..resources import show


@app.get("/v1/account", tool="get_stripe_account_info")
def get_stripe_account_info(ctx: Ctx, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves the account that calls are made for: its name, country and default currency."""
    account = ctx.db.first(Account)
    if account is None:
        raise refuse("No such account", code="resource_missing", status=404)
    return show(ctx, account)


@app.get("/v1/balance", tool="retrieve_balance")
def retrieve_balance(ctx: Ctx, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves the account's balance by currency: what is available to pay out and what is still pending.
    Amounts are in the currency's smallest unit, such as cents."""
    return ledger.balance(ctx)


@app.get("/v1/balance_transactions", tool="list_balance_transactions")
def list_balance_transactions(
    ctx: Ctx, type: str | MISSING = MISSING, source: str | MISSING = MISSING, currency: str | MISSING = MISSING,
    payout: Annotated[str | MISSING, InQuery(mcp=False)] = MISSING, created: Created = MISSING, limit: Limit = 10,
    starting_after: After = MISSING, ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists what moved the balance (charges with their fees, refunds, disputes, payouts), newest first. Amounts are in the
    currency's smallest unit, such as cents.

    type: Only of this type, such as `charge`, `refund`, `adjustment` or `payout`.
    source: Only those of this charge, refund or payout.
    currency: Only in this currency.
    payout: Only those of this automatic payout; payouts here are made by hand and have none.
    """
    filters = {
        "type": asked(type), "source": asked(source), "currency": asked(currency), **times("created", created),
        **({} if payout is MISSING else {"id": ""}),
    }  # fmt: skip
    return listing(ctx, BalanceTransaction, "/v1/balance_transactions", limit, starting_after, ending_before, **filters)


@app.get("/v1/balance_transactions/{id}", tool="retrieve_balance_transaction", mcp=False)
def retrieve_balance_transaction(ctx: Ctx, id: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a balance transaction.

    id: The balance transaction's ID.
    """
    return show(ctx, ctx.require(BalanceTransaction, id))


@app.post("/v1/payouts", tool="create_payout")
def create_payout(
    ctx: Ctx, amount: Annotated[int, Field(ge=1)], currency: str, description: str | MISSING = MISSING,
    method: Literal["standard", "instant"] | MISSING = MISSING,
    statement_descriptor: Annotated[Annotated[str, Field(max_length=22)] | MISSING, Body(mcp=False)] = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Sends money from the available balance to the account's bank.

    amount: How much, in the smallest unit.
    currency: Three-letter currency code.
    description: What it is for.
    method: `instant` arrives at once.
    statement_descriptor: Text on the bank statement.
    """
    unit = known_currency(currency)
    available, _ = ledger.sums(ctx).get(unit, (0, 0))
    if amount > available:
        raise refuse(
            "You have insufficient funds in your Stripe account. One likely reason you have insufficient funds is that your funds are "
            "automatically being paid out; try enabling manual payouts by going to https://dashboard.stripe.com/account/payouts. "
            f"Available: {display(max(available, 0), unit)}.",
            code="balance_insufficient",
        )  # fmt: skip
    values = given(ctx.sent(), "metadata", "currency")
    row = Payout(
        id=new(ctx, "po"), created=ctx.epoch(), arrival_date=ctx.epoch() if method == "instant" else ledger.settles(ctx.epoch()),
        currency=unit, destination=f"ba_1{row_account(ctx)}{unit}", metadata_=merged({}, metadata), **values,
    )  # fmt: skip
    words = "STRIPE PAYOUT" if row.description is None else row.description
    row.balance_transaction = ledger.record(ctx, "payout", row.id, -amount, unit, description=words, immediate=True).id
    ctx.db.add(row)
    emit(ctx, "payout.created", row)
    return show(ctx, row)


def row_account(ctx: Ctx) -> str:
    """The part of ids that belongs to the account's own bank accounts."""
    account = ctx.db.first(Account)
    return account.id.removeprefix("acct_") if account else ""


@app.get("/v1/payouts", tool="list_payouts")
def list_payouts(
    ctx: Ctx, status: str | MISSING = MISSING, destination: str | MISSING = MISSING, arrival_date: When = MISSING,
    created: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING, ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists payouts to the account's bank, newest first. Amounts are in the currency's smallest unit, such as cents.

    status: Only with this status, such as `pending`, `paid` or `canceled`.
    destination: Only to this bank account.
    arrival_date: Only those that arrive in this range.
    """
    filters = {
        "status": asked(status), "destination": asked(destination), **times("created", created), **times("arrival_date", arrival_date),
    }  # fmt: skip
    return listing(ctx, Payout, "/v1/payouts", limit, starting_after, ending_before, **filters)


@app.get("/v1/payouts/{payout}", tool="retrieve_payout", mcp=False)
def retrieve_payout(ctx: Ctx, payout: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a payout.

    payout: The payout's ID.
    """
    return show(ctx, ctx.require(Payout, payout))


@app.post("/v1/payouts/{payout}", tool="update_payout", effect="update", mcp=False)
def update_payout(
    ctx: Ctx, payout: str, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING
) -> dict[str, Any]:
    """Changes a payout's metadata.

    payout: The payout's ID.
    """
    row = ctx.require(Payout, payout)
    was = show(ctx, row)
    if metadata is not MISSING:
        ctx.db.update(row, metadata_=merged(row.metadata_, metadata))
    emit(ctx, "payout.updated", row, was=was)
    return show(ctx, row)


@app.post("/v1/payouts/{payout}/cancel", tool="cancel_payout", effect="transition", mcp=False)
def cancel_payout(ctx: Ctx, payout: str, expand: ExpandBody = MISSING) -> dict[str, Any]:
    """Cancels a payout that is still pending; the money is available again.

    payout: The payout's ID.
    """
    row = ctx.require(Payout, payout)
    if row.status != "pending":
        raise refuse(f"Payouts with the status `{row.status}` cannot be canceled.", code="payout_not_cancelable")
    back = ledger.record(ctx, "payout_cancel", row.id, row.amount, row.currency, category="payout_reversal",
                         description="STRIPE PAYOUT CANCELED",
                         immediate=True)  # fmt: skip
    ctx.db.update(row, status="canceled", failure_balance_transaction=back.id)
    emit(ctx, "payout.canceled", row)
    return show(ctx, row)
