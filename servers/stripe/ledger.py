"""The account's own money: a balance transaction for everything that moves it. https://docs.stripe.com/api/balance_transactions"""

from datetime import UTC, datetime, timedelta
from typing import Any

from legoenv_mcp.app import Ctx

from .ids import new
from .models import Account, BalanceTransaction

DISPUTE_FEE = 1500
SETTLEMENT_DAYS = 2


def record(
    ctx: Ctx, kind: str, source: str, amount: int, currency: str, *, fee: int = 0, category: str = "", description: str | None = None,
    at: int | None = None, immediate: bool = False,
) -> BalanceTransaction:  # fmt: skip
    """Moves money. What comes from customers is available after the settlement days, at midnight UTC."""
    moment = ctx.epoch() if at is None else at
    return ctx.db.add(
        BalanceTransaction(
            id=new(ctx, "txn"), created=moment, amount=amount, currency=currency, description=description, fee=fee, net=amount - fee,
            available_on=moment if immediate else settles(moment), reporting_category=category or kind, source=source, type=kind,
        )
    )  # fmt: skip


def settles(moment: int) -> int:
    """Midnight UTC, the settlement days after a moment."""
    day = datetime.fromtimestamp(moment, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return int((day + timedelta(days=SETTLEMENT_DAYS)).timestamp())


def sums(ctx: Ctx) -> dict[str, tuple[int, int]]:
    """Currency -> what is available and what is still pending."""
    now = int(ctx.now.timestamp())
    rows = ctx.db.query(
        "SELECT currency, coalesce(sum(net) FILTER (WHERE available_on <= ?), 0) AS available,"
        " coalesce(sum(net) FILTER (WHERE available_on > ?), 0) AS pending FROM balance_transaction GROUP BY currency ORDER BY currency",
        (now, now),
    )
    return {row["currency"]: (row["available"], row["pending"]) for row in rows}


def balance(ctx: Ctx) -> dict[str, Any]:
    """The balance object: nothing but sums over the balance transactions."""
    found = sums(ctx)
    account = ctx.db.first(Account)
    if not found and account:
        found = {account.default_currency: (0, 0)}

    def entries(which: int) -> list[dict[str, Any]]:
        return [
            {"amount": of[which], "currency": name, "source_types": {"card": of[which]}} for name, of in found.items()
        ]

    return {"object": "balance", "available": entries(0), "livemode": False, "pending": entries(1)}
