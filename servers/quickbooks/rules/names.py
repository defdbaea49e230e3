"""List objects: names, parents, types."""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import faults, wire
from ..books import SYSTEM, rate_of
from ..models import (
    Account,
    Class,
    CompanyCurrency,
    Customer,
    Department,
    Employee,
    Item,
    NameRecord,
    Posting,
    Record,
    Term,
    Vendor,
)
from ..models.names import ACCOUNT_TYPES
from ..resources import CURRENCIES, Showing, home_currency

DELETED = " (deleted)"
DEPTH = 4
_PEOPLE = (Customer, Vendor, Employee)
_SUB = {Item: "SubItem", Account: "SubAccount", Class: "SubClass", Department: "SubDepartment", Customer: "Job"}
_LASTING = frozenset(
    SYSTEM[role][2] for role in ("receivable", "payable", "undeposited", "opening", "retained", "exchange", "tax")
)
"""Subtypes of the accounts that QuickBooks posts to by itself."""
_TYPES = {
    "IncomeAccountRef": ("Income", "Other Income"),
    "ExpenseAccountRef": ("Expense", "Other Expense", "Cost of Goods Sold"),
    "AssetAccountRef": ("Other Current Asset",),
}  # fmt: skip


def prepare(ctx: Ctx, cls: type[Record], state: dict[str, Any], old: Record | None, body: dict[str, Any]) -> None:
    """Completes and checks a list object."""
    if issubclass(cls, _PEOPLE):
        _person(ctx, cls, state, old)
    if cls is Account:
        _account(ctx, state, old)
    elif cls is Item:
        _item(state, old)
    elif cls is Term:
        _term(state)
    elif cls is CompanyCurrency:
        _currency(ctx, state, old)
    wire.require(cls, state)
    _name(cls, state, old)
    if "ParentRef" in state:
        _parent(ctx, cls, state, old)
    if cls.noun:
        _unique(ctx, cls, state, old)


def _person(ctx: Ctx, cls: type[Record], state: dict[str, Any], old: Record | None) -> None:
    parts = [state.get(part) for part in ("Title", "GivenName", "MiddleName", "FamilyName", "Suffix")]
    if cls is Employee and not (state.get("GivenName") or state.get("FamilyName")):
        raise faults.missing("FamilyName")
    state["DisplayName"] = state.get("DisplayName") or " ".join(p for p in parts if p) or state.get("CompanyName")
    if not state["DisplayName"]:
        detail = "Title, GivenName, MiddleName, FamilyName, DisplayName, Suffix - one of these must be non-empty"
        raise faults.fault("6080", "No Name Provided", detail)
    state["PrintOnCheckName"] = (
        state.get("PrintOnCheckName") or (state.get("CompanyName") or state["DisplayName"])[:110]
    )
    if cls is not Employee:
        state["CurrencyRef"] = state.get("CurrencyRef") or home_currency(ctx)
        if isinstance(old, (Customer, Vendor)) and old.CurrencyRef != state["CurrencyRef"]:
            raise faults.business(f"The currency of a {cls.noun} can't be changed once it is set.", "CurrencyRef")
        rate_of(ctx, state["CurrencyRef"])


def _name(cls: type[Record], state: dict[str, Any], old: Record | None) -> None:
    """A name has no colon, which parts the levels of full names; an inactive object's says that it is."""
    name = str(state.get(cls.named) or "").strip()
    if any(char in name for char in ":\t\n") or not name:
        raise faults.fault(
            "2040",
            "Invalid String",
            "An element contains invalid characters : names have no colon, tab or line break",
            cls.named,
        )
    if cls is Account and '"' in name:
        raise faults.fault("2040", "Invalid String", 'An element contains invalid characters : "', cls.named)
    most = wire.fields(cls)[cls.named].most or 500
    if not state.get("Active", True):
        if not name.endswith(DELETED):
            name = name[: most - len(DELETED)] + DELETED
    elif isinstance(old, NameRecord) and not old.Active:
        name = name.removesuffix(DELETED)
    state[cls.named] = name


def _unique(ctx: Ctx, cls: type[Record], state: dict[str, Any], old: Record | None) -> None:
    """6240 where the name is taken: for people by any of the three kinds, for other lists at the same level."""
    name = str(state[cls.named]).casefold()
    kinds: tuple[type[Record], ...] = _PEOPLE if issubclass(cls, _PEOPLE) else (cls,)
    for kind in kinds:
        for row in ctx.db.find(kind):
            if old is not None and type(row) is cls and row.Id == old.Id:
                continue
            if str(getattr(row, kind.named)).casefold() != name:
                continue
            if kind is cls and kind is not Customer and getattr(row, "ParentRef", None) != state.get("ParentRef"):
                continue
            raise faults.duplicate_name("customer, vendor or employee" if issubclass(cls, _PEOPLE) else cls.noun)


def _parent(ctx: Ctx, cls: type[Record], state: dict[str, Any], old: Record | None) -> None:
    sub = _SUB[cls]
    if not state["ParentRef"]:
        if state[sub] and cls is not Customer:
            raise faults.missing("ParentRef")
        return
    state[sub] = True
    depth, key = 1, state["ParentRef"]
    while key:
        if old is not None and key == str(old.Id):
            raise faults.fault(
                "900",
                "Parent cannot be child",
                "Parent cannot be child : an object cannot be its own parent",
                "ParentRef",
            )
        parent = wire.lookup(ctx, cls.__name__, key)
        if depth == 1 and cls is Account and isinstance(parent, Account) and parent.AccountType != state["AccountType"]:
            raise faults.business("A subaccount must have the same account type as its parent account.", "ParentRef")
        depth, key = depth + 1, getattr(parent, "ParentRef", None)
    if depth > DEPTH + 1:
        raise faults.business(f"You can have at most {DEPTH} levels of sub-items.", "ParentRef")


def _account(ctx: Ctx, state: dict[str, Any], old: Record | None) -> None:
    kind, subtype = state.get("AccountType"), state.get("AccountSubType")
    if not kind and not subtype:
        detail = "Either an Account.AccountType or an Account.AccountSubType must be specified"
        raise faults.fault("6010", "Invalid Account.AccountType && Account.SubType", detail, "AccountType")
    if not kind:
        kind = next((k for k, (_, default) in ACCOUNT_TYPES.items() if default == subtype), None)
        if kind is None:
            raise faults.enumeration(subtype, "AccountSubType")
    state["AccountType"] = kind
    state["AccountSubType"] = subtype or ACCOUNT_TYPES[kind][1]
    if not str(state["AccountSubType"]).isalnum():
        raise faults.enumeration(subtype, "AccountSubType")
    state["CurrencyRef"] = state.get("CurrencyRef") or home_currency(ctx)
    rate_of(ctx, state["CurrencyRef"])
    if not isinstance(old, Account):
        return
    if not state["Active"] and old.AccountSubType in _LASTING:
        same = ctx.db.find(
            Account,
            order="Id",
            AccountType=old.AccountType,
            AccountSubType=old.AccountSubType,
            CurrencyRef=old.CurrencyRef,
        )
        if same[0].Id == old.Id:
            raise faults.business(f"You can't make {old.Name} inactive: QuickBooks posts to it by itself.", "Active")
    changed = old.AccountType != kind or old.CurrencyRef != state["CurrencyRef"]
    if changed and ctx.db.first(Posting, account=old.Id):
        raise faults.business(
            "You can't change the type or the currency of an account that has transactions.", "AccountType"
        )
    if old.Active and not state["Active"] and Showing(ctx).account_balance(old):
        raise faults.business("You can't make an account inactive while it has a balance.", "Active")


def _item(state: dict[str, Any], old: Record | None) -> None:
    kind = state["Type"]
    if isinstance(old, Item) and old.Type != kind and "Inventory" in (old.Type, kind) and old.Type == "Inventory":
        raise faults.business("An inventory item stays an inventory item.", "Type")
    if kind == "Category":
        return
    if kind == "Inventory":
        for name in ("IncomeAccountRef", "ExpenseAccountRef", "AssetAccountRef", "InvStartDate"):
            if not state.get(name):
                raise faults.missing(name)
        state["TrackQtyOnHand"] = True
        state["QtyOnHand"] = state.get("QtyOnHand") or 0
    elif not state.get("IncomeAccountRef") and not state.get("ExpenseAccountRef"):
        raise faults.missing("IncomeAccountRef")
    if state.get("QtyOnHand") and kind != "Inventory":
        raise faults.business("Only inventory items have a quantity on hand.", "QtyOnHand")
    for price in ("UnitPrice", "PurchaseCost", "QtyOnHand"):
        if (state.get(price) or 0) < 0:
            raise faults.number(price, state[price])


def check_item_accounts(ctx: Ctx, state: dict[str, Any]) -> None:
    """The accounts of an item must be of the types that its sides post to."""
    for name, types in _TYPES.items():
        if state.get(name) and ctx.require(Account, int(state[name])).AccountType not in types:
            raise faults.business(f"The {name} of an item must be an account of type {' or '.join(types)}.", name)


def _term(state: dict[str, Any]) -> None:
    dated = state["DayOfMonthDue"] is not None
    if not dated and state["DueDays"] is None:
        raise faults.missing("DueDays")
    state["Type"] = "DATE_DRIVEN" if dated else "STANDARD"


def _currency(ctx: Ctx, state: dict[str, Any], old: Record | None) -> None:
    code = state.get("Code")
    if code not in CURRENCIES:
        raise faults.enumeration(code, "Code")
    same = ctx.db.first(CompanyCurrency, Code=code)
    if code == home_currency(ctx) or (same is not None and (old is None or same.Id != old.Id)):
        raise faults.duplicate_name("currency")
    state["Name"] = state.get("Name") or CURRENCIES[code]
