"""Rows as the API shows them."""

from collections.abc import Iterable
from typing import Any

from legoenv_mcp.app import Ctx

from . import wire
from .models import (
    Account,
    Bill,
    Class,
    CompanyCurrency,
    CreditMemo,
    Customer,
    Department,
    Invoice,
    Item,
    Link,
    NameRecord,
    Preferences,
    Purchase,
    Record,
    TaxCode,
    Transaction,
    Vendor,
)
from .models.names import ACCOUNT_TYPES
from .models.sales import SalesForm
from .models.taxes import rate_list
from .wire import MASKED, TARGETS, WRAPPED, cents, masked, units

HIDDEN = frozenset({"Voided", "DeliveryTime", "content", "rates", "Code", "EntityType"})
CURRENCIES = {
    "USD": "United States Dollar", "EUR": "Euro", "GBP": "British Pound Sterling", "CAD": "Canadian Dollar", "AUD": "Australian Dollar",
    "CHF": "Swiss Franc", "JPY": "Japanese Yen", "SEK": "Swedish Krona", "NOK": "Norwegian Krone", "DKK": "Danish Krone",
    "PLN": "Polish Zloty",
    "SGD": "Singapore Dollar", "INR": "Indian Rupee", "NZD": "New Zealand Dollar", "MXN": "Mexican Peso",
}  # fmt: skip


class Showing:
    """Shows rows of one answer: names and balances are looked up once."""

    def __init__(self, ctx: Ctx) -> None:
        self.ctx = ctx
        self._names = dict[tuple[str, str], str]()
        self._balances = dict[str, dict[str, int]]()
        self._children = dict[Any, dict[str, list[Any]]]()
        self._links: dict[tuple[str, int], list[Link]] | None = None
        self.home = home_currency(ctx)

    def show(self, row: Record) -> dict[str, Any]:
        """The whole object."""
        made: dict[str, Any] = {
            "domain": "QBO", "sparse": False, "Id": row.Code if isinstance(row, TaxCode) else str(row.Id), "SyncToken": str(row.SyncToken),
            "MetaData": {"CreateTime": row.CreateTime, "LastUpdatedTime": row.LastUpdatedTime},
        }  # fmt: skip
        for name, field in wire.fields(type(row)).items():
            value = getattr(row, name)
            if value is None or name in HIDDEN or (name == "Line" and "Line" in row.read_only):
                continue
            if field.form == "reference":
                made[name] = self.reference(name, value, type(row).__name__)
            elif field.form == "wrapped":
                made[name] = {WRAPPED[name]: value}
            elif field.form in ("object", "list"):
                made[name] = self._named(value)
            elif name in MASKED:
                made[name] = masked(name, value)
            else:
                made[name] = value
        return {**made, **row.more, **self._computed(row)}

    def reference(self, name: str, key: str, own: str = "") -> dict[str, str]:
        if name == "CurrencyRef":
            return {"value": key, "name": CURRENCIES.get(key, key)}
        return self._ref(own if name == "ParentRef" else TARGETS.get(name, ""), key)

    def _ref(self, kind: str, key: str) -> dict[str, str]:
        found = self.name(kind, key)
        # The two tax codes that are words carry no name.
        return {"value": key, "name": found} if found and key not in ("TAX", "NON") else {"value": key}

    def name(self, kind: str, key: str) -> str:
        """An object's name as references show it."""
        if (kind, key) not in self._names:
            row = wire.lookup(self.ctx, kind, key) if kind else None
            shown = (
                self.full_name(row)
                if isinstance(row, (Account, Item, Class, Department))
                else getattr(row, row.named, None)
                if row
                else ""
            )
            self._names[kind, key] = str(shown or "")
        return self._names[kind, key]

    def full_name(self, row: Any) -> str:
        """`Parent:Child`."""
        own = str(getattr(row, row.named))
        above = wire.lookup(self.ctx, type(row).__name__, row.ParentRef) if row.ParentRef else None
        return f"{self.full_name(above)}:{own}" if above else own

    def _named(self, value: Any) -> Any:
        """Nested data with the names of what its references refer to."""
        if isinstance(value, list):
            return [self._named(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        out = dict[str, Any]()
        for key, inner in value.items():
            if key == "EntityRef" and isinstance(inner, dict):
                kind = str(inner.get("type") or value.get("Type") or "")
                out[key] = {**self._ref(kind, str(inner.get("value"))), **({"type": kind} if "type" in inner else {})}
            elif key in TARGETS and isinstance(inner, dict) and isinstance(inner.get("value"), str):
                out[key] = self._ref(TARGETS[key], inner["value"])
            else:
                out[key] = self._named(inner)
        return out

    def balance(self, kind: str, key: int) -> float:
        """What a customer owes or a vendor is owed, in their currency."""
        if kind not in self._balances:
            account = "Accounts Receivable" if kind == "Customer" else "Accounts Payable"
            rows = self.ctx.db.query(
                'SELECT p.entity, sum(p."foreign") AS n FROM posting p JOIN account a ON a."Id" = p.account'
                ' WHERE a."AccountType" = ? AND p.entity_type = ? GROUP BY p.entity',
                (account, kind),
            )
            self._balances[kind] = {row["entity"]: row["n"] if kind == "Customer" else -row["n"] for row in rows}
        return units(self._balances[kind].get(str(key), 0))

    def account_balance(self, row: Account) -> float:
        """An account's balance in its own currency; income and expense accounts carry none."""
        if ACCOUNT_TYPES[row.AccountType][0] in ("Revenue", "Expense"):
            return 0
        if "Account" not in self._balances:
            rows = self.ctx.db.query(
                'SELECT account, sum(amount) AS h, sum("foreign") AS f FROM posting GROUP BY account'
            )
            self._balances["Account"] = {f"h{r['account']}": r["h"] for r in rows} | {
                f"f{r['account']}": r["f"] for r in rows
            }
        found = self._balances["Account"].get(("h" if row.CurrencyRef == self.home else "f") + str(row.Id), 0)
        return units(found if ACCOUNT_TYPES[row.AccountType][0] == "Asset" else -found)

    def links_to(self, row: Transaction) -> list[Link]:
        """What is linked to a transaction."""
        if self._links is None:
            self._links = {}
            for link in self.ctx.db.find(Link):
                self._links.setdefault((link.ToType, link.ToId), []).append(link)
                if link.TxnType not in ("Payment", "BillPayment", "Deposit"):
                    self._links.setdefault((link.TxnType, link.TxnId), []).append(link)
        return self._links.get((type(row).__name__, row.Id), [])

    def _computed(self, row: Record) -> dict[str, Any]:
        out: dict[str, Any] = {}
        if isinstance(row, (Account, Item, Class, Department)):
            out["FullyQualifiedName"] = self.full_name(row)
        if isinstance(row, (Customer, Item)) and row.ParentRef:
            out["Level"] = self._level(row)
        if isinstance(row, (Customer, Vendor)):
            out["Balance"] = self.balance(type(row).__name__, row.Id)
        if isinstance(row, Customer):
            jobs = self._below(row)
            out["BalanceWithJobs"] = round(out["Balance"] + sum(self.balance("Customer", job.Id) for job in jobs), 2)
            out |= {"FullyQualifiedName": self.full_name(row), "IsProject": False}
        elif isinstance(row, Account):
            children = self._below(row)
            out["Classification"] = ACCOUNT_TYPES[row.AccountType][0]
            out["CurrentBalance"] = self.account_balance(row)
            out["CurrentBalanceWithSubAccounts"] = round(
                out["CurrentBalance"] + sum(map(self.account_balance, children)), 2
            )
        elif isinstance(row, TaxCode):
            out["SalesTaxRateList"] = rate_list("TaxOnAmount", row.rates)
            out["PurchaseTaxRateList"] = {"TaxRateDetail": []}
        elif isinstance(row, CompanyCurrency):
            out["Code"] = row.Code
        if isinstance(row, Purchase) and row.EntityRef:
            out["EntityRef"] = {**self._ref(row.EntityType or "", row.EntityRef), "type": row.EntityType}
        if isinstance(row, SalesForm) and row.DeliveryInfo:
            out["DeliveryInfo"] = {**row.DeliveryInfo, "DeliveryTime": row.DeliveryTime}
        if isinstance(row, Transaction):
            if row.CurrencyRef != self.home:
                out["HomeTotalAmt"] = units(cents(row.TotalAmt * row.ExchangeRate))
                if isinstance(row, (Invoice, Bill, CreditMemo)):
                    out["HomeBalance"] = units(cents(row.Balance * row.ExchangeRate))
            out["LinkedTxn"] = [self._linked(row, link) for link in self.links_to(row)]
        return out

    def _below(self, row: Any) -> list[Any]:
        """The jobs of a customer or the subaccounts of an account, at all levels."""
        kind = type(row)
        if kind not in self._children:
            self._children[kind] = {}
            for child in self.ctx.db.find(kind, ParentRef__null=False):
                self._children[kind].setdefault(child.ParentRef, []).append(child)
        direct = self._children[kind].get(str(row.Id), [])
        return [*direct, *(lower for child in direct for lower in self._below(child))]

    def _level(self, row: Any) -> int:
        """How many are above it."""
        above = wire.lookup(self.ctx, type(row).__name__, row.ParentRef) if row.ParentRef else None
        return 1 + self._level(above) if above else 0

    def _linked(self, row: Transaction, link: Link) -> dict[str, str]:
        ours = (link.TxnType, link.TxnId) == (type(row).__name__, row.Id)
        kind = link.ToType if ours else link.TxnType
        # A cheque and a card payment of a bill have types of their own here.
        return {
            "TxnId": str(link.ToId if ours else link.TxnId),
            "TxnType": "BillPaymentCheck" if kind == "BillPayment" else kind,
        }


def home_currency(ctx: Ctx) -> str:
    """The currency of the books."""
    found = ctx.db.first(Preferences)
    return str(found.CurrencyPrefs["HomeCurrency"]["value"]) if found else "USD"


def show(ctx: Ctx, row: Record) -> dict[str, Any]:
    return Showing(ctx).show(row)


def show_all(ctx: Ctx, rows: Iterable[Record]) -> list[dict[str, Any]]:
    showing = Showing(ctx)
    return [showing.show(row) for row in rows]


def active(row: Record) -> bool:
    return not isinstance(row, NameRecord) or row.Active
