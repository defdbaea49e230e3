"""Items and the chart of accounts. https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/item"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx

from .. import models, tooling
from ..app import app
from ..models.names import TypeOfAccount
from ..shapes import Currency, Ref


@app.post("/item", tool="create_item")
def create_item(
    ctx: Ctx, Name: str, Type: Literal["Service", "NonInventory", "Inventory", "Category"] = "Service",
    IncomeAccountRef: Ref | MISSING = MISSING, ExpenseAccountRef: Ref | MISSING = MISSING, AssetAccountRef: Ref | MISSING = MISSING,
    UnitPrice: float | MISSING = MISSING, PurchaseCost: float | MISSING = MISSING, Description: str | MISSING = MISSING,
    Sku: str | MISSING = MISSING, Taxable: bool | MISSING = MISSING, QtyOnHand: float | MISSING = MISSING,
    InvStartDate: str | MISSING = MISSING, ParentRef: Ref | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a product or service. What is sold needs an income account, what is bought an expense account; an inventory item needs both,
    an asset account and a start date.

    Name: The item's name, unique.
    Type: What it is.
    IncomeAccountRef: The income account that sales post to.
    ExpenseAccountRef: The expense account that purchases post to (cost of goods sold for inventory).
    AssetAccountRef: The asset account of an inventory item.
    UnitPrice: The price at which it is sold.
    PurchaseCost: What it costs.
    Description: Text on sales forms.
    Sku: Stock keeping unit.
    Taxable: Whether its sale is taxed.
    QtyOnHand: The quantity that an inventory item begins with.
    InvStartDate: From when an inventory item is counted, YYYY-MM-DD.
    ParentRef: The category or item it belongs to.
    """
    return tooling.create(ctx, models.Item)


@app.post("/item", tool="update_item", effect="update")
def update_item(
    ctx: Ctx, Id: str, SyncToken: str, Name: str | MISSING = MISSING, UnitPrice: float | None | MISSING = MISSING,
    PurchaseCost: float | None | MISSING = MISSING, Description: str | None | MISSING = MISSING, Sku: str | None | MISSING = MISSING,
    Taxable: bool | MISSING = MISSING, IncomeAccountRef: Ref | MISSING = MISSING, ExpenseAccountRef: Ref | MISSING = MISSING,
    Active: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of an item that are given; the others stay. Items are not deleted but made inactive.

    Id: The item's Id.
    SyncToken: Its current version, from reading it.
    Name: The new name.
    UnitPrice: The price at which it is sold.
    PurchaseCost: What it costs.
    Description: Text on sales forms.
    Sku: Stock keeping unit.
    Taxable: Whether its sale is taxed.
    IncomeAccountRef: The income account.
    ExpenseAccountRef: The expense account.
    Active: false makes it inactive, true active again.
    """
    return tooling.update(ctx, models.Item)


@app.post("/account", tool="create_account")
def create_account(
    ctx: Ctx, Name: str, AccountType: TypeOfAccount | MISSING = MISSING, AccountSubType: str | MISSING = MISSING,
    AcctNum: str | MISSING = MISSING, Description: str | MISSING = MISSING, ParentRef: Ref | MISSING = MISSING,
    CurrencyRef: Currency | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates an account in the chart of accounts; its type or its subtype is needed.

    Name: The account's name, unique.
    AccountType: The type.
    AccountSubType: The detail type, e.g. Checking, OfficeGeneralAdministrativeExpenses.
    AcctNum: The account's number, 7 characters at most.
    Description: What it is for.
    ParentRef: The account whose subaccount it is; of the same type.
    CurrencyRef: The account's currency; the home currency by default.
    """
    return tooling.create(ctx, models.Account)


@app.post("/account", tool="update_account", effect="update")
def update_account(
    ctx: Ctx, Id: str, SyncToken: str, Name: str | MISSING = MISSING, AcctNum: str | None | MISSING = MISSING,
    Description: str | None | MISSING = MISSING, Active: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of an account that are given; the others stay. Accounts are not deleted but made inactive.

    Id: The account's Id.
    SyncToken: Its current version, from reading it.
    Name: The new name.
    AcctNum: The account's number.
    Description: What it is for.
    Active: false makes it inactive, true active again.
    """
    return tooling.update(ctx, models.Account)
