"""Opportunities, their contact roles, products and prices."""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import errors, times
from ..models import (
    Contact,
    Opportunity,
    OpportunityContactRole,
    OpportunityLineItem,
    OpportunityStage,
    Pricebook2,
    PricebookEntry,
    Product2,
    SObject,
)
from . import marketing
from .change import Change

_FORECAST = {"Best Case": "BestCase", "Commit": "Forecast"}
_IN_USE = (
    "Your attempt to delete {} could not be completed because it is associated with the following opportunities. If the following table"
    " is empty, it is because you do not have access to the records restricting the delete.: {}\n"
)


def _save(ctx: Ctx, row: SObject, **changes: Any) -> None:
    from .. import records  # noqa: PLC0415 - records call rules

    records.touch(ctx, row, **changes)


def _opportunity(change: Change) -> None:
    """The stage drives what is closed and won, how likely it is and how it is forecast."""
    change.before = (getattr(change.old, "CampaignId", None),)
    stage = change.ctx.db.first(OpportunityStage, MasterLabel=change["StageName"])
    if stage is not None:
        if change.differs("StageName"):
            change["LastStageChangeDate"] = None if change.creating else times.now(change.ctx)
            if "Probability" not in change.sent or change["Probability"] is None:
                change["Probability"] = stage.DefaultProbability
            if "ForecastCategoryName" not in change.sent or change["ForecastCategoryName"] is None:
                change["ForecastCategoryName"] = stage.ForecastCategoryName
        change["IsClosed"], change["IsWon"] = stage.IsClosed, stage.IsWon
    forecast = change["ForecastCategoryName"]
    change["ForecastCategory"] = _FORECAST.get(forecast, forecast)
    if not 0 <= (change["Probability"] or 0) <= 100:
        message = f"Probability (%): value outside of valid range on numeric field: {change['Probability']}"
        raise errors.refusal("NUMBER_OUTSIDE_VALID_RANGE", message, "Probability")
    old = change.old
    if isinstance(old, Opportunity) and old.HasOpportunityLineItem and not change.system:
        change["Amount"] = old.Amount  # the sum of its products; what is sent is ignored
        for name in ("Pricebook2Id", "CurrencyIsoCode"):
            if change.differs(name):
                message = f"field integrity exception: {name} (cannot be changed on an opportunity that has products)"
                raise errors.refusal("FIELD_INTEGRITY_EXCEPTION", message, name)
    amount = change["Amount"]
    change["ExpectedRevenue"] = None if amount is None else round(amount * (change["Probability"] or 0) / 100, 2)
    if close := change["CloseDate"]:
        year, quarter = int(close[:4]), (int(close[5:7]) + 2) // 3
        change["FiscalYear"], change["FiscalQuarter"], change["Fiscal"] = year, quarter, f"{year} {quarter}"


def _opportunity_after(change: Change) -> None:
    """A new opportunity's contact becomes its primary contact role; its name shows in its products."""
    row = change.row
    if isinstance(row, Opportunity) and not change.creating and "Name" in change.changed:
        _name_lines(change.ctx, OpportunityId=row.Id)
    if isinstance(row, Opportunity) and (change.creating or change.changed & {"CampaignId", "Amount", "IsWon"}):
        for campaign in dict.fromkeys([row.CampaignId, *change.before]):
            marketing.recount_opportunities(change.ctx, campaign)
    if change.creating and isinstance(row, Opportunity) and row.ContactId:
        from .. import records  # noqa: PLC0415 - records call rules

        records.insert(
            change.ctx, OpportunityContactRole, created=row.CreatedDate or "", by=row.CreatedById or "", OpportunityId=row.Id,
            ContactId=row.ContactId, IsPrimary=True,
        )  # fmt: skip


def _opportunity_deleted(ctx: Ctx, row: Opportunity) -> None:
    marketing.recount_opportunities(ctx, row.CampaignId)


def _contact_role_after(change: Change) -> None:
    """There is one primary contact at most, and the opportunity names it."""
    role = change.row
    assert isinstance(role, OpportunityContactRole)
    opportunity = change.ctx.db.get(Opportunity, role.OpportunityId or "")
    if opportunity is None:
        return
    if role.IsPrimary:
        for other in change.ctx.db.find(
            OpportunityContactRole, OpportunityId=role.OpportunityId, IsPrimary=True, IsDeleted=False
        ):
            if other.Id != role.Id:
                change.ctx.db.update(other, IsPrimary=False)
    _primary_contact(change.ctx, opportunity)


def _primary_contact(ctx: Ctx, opportunity: Opportunity) -> None:
    role = ctx.db.first(OpportunityContactRole, OpportunityId=opportunity.Id, IsPrimary=True, IsDeleted=False)
    wanted = role.ContactId if role else None
    if opportunity.ContactId != wanted and not opportunity.IsDeleted:  # in the bin it keeps what it was
        ctx.db.update(opportunity, ContactId=wanted)


def _contact_role_deleted(ctx: Ctx, row: OpportunityContactRole) -> None:
    opportunity = ctx.db.get(Opportunity, row.OpportunityId or "")
    if opportunity is not None:
        _primary_contact(ctx, opportunity)


def _price(change: Change) -> None:
    """A product has a standard price before it has others, and one price per price book and currency."""
    ctx = change.ctx
    product = ctx.db.get(Product2, change["Product2Id"])
    book = ctx.db.get(Pricebook2, change["Pricebook2Id"])
    if product is None or book is None:
        return
    change["Name"], change["ProductCode"] = product.Name, product.ProductCode
    if change.creating:
        same = {"Product2Id": product.Id, "CurrencyIsoCode": change["CurrencyIsoCode"], "IsDeleted": False}
        if ctx.db.first(PricebookEntry, Pricebook2Id=book.Id, **same) is not None:
            raise errors.refusal(
                "DUPLICATE_VALUE",
                "This price definition already exists in this price book",
                "Pricebook2Id",
                "Product2Id",
            )
        if not book.IsStandard:
            standard_book = ctx.db.first(Pricebook2, IsStandard=True)
            standard = ctx.db.first(PricebookEntry, Pricebook2Id=standard_book.Id if standard_book else "", **same)
            if standard is None:
                raise errors.refusal("STANDARD_PRICE_NOT_DEFINED", "No standard price defined for this product")
            if change["UseStandardPrice"]:
                change["UnitPrice"] = standard.UnitPrice


def _integrity(reason: str, *fields: str) -> Exception:
    return errors.refusal(
        "FIELD_INTEGRITY_EXCEPTION", f"field integrity exception: {', '.join(fields)} ({reason})", *fields
    )


def _line_item(change: Change) -> None:
    """A product's price on an opportunity: quantity times sales price, less the discount."""
    ctx = change.ctx
    opportunity = ctx.db.get(Opportunity, change["OpportunityId"])
    assert opportunity is not None
    if change["PricebookEntryId"] is None and change["Product2Id"]:
        book = opportunity.Pricebook2Id or next((b.Id for b in ctx.db.find(Pricebook2, IsStandard=True)), "")
        found = ctx.db.first(
            PricebookEntry,
            Pricebook2Id=book,
            Product2Id=change["Product2Id"],
            CurrencyIsoCode=opportunity.CurrencyIsoCode,
            IsDeleted=False,
        )
        change["PricebookEntryId"] = found.Id if found else None
    entry = ctx.db.get(PricebookEntry, change["PricebookEntryId"] or "")
    if entry is None:
        raise errors.refusal(
            "REQUIRED_FIELD_MISSING", "Required fields are missing: [PricebookEntryId]", "PricebookEntryId"
        )
    if change.creating:
        if not entry.IsActive:
            raise _integrity("pricebook entry is inactive", "PricebookEntryId")
        if opportunity.Pricebook2Id not in (None, entry.Pricebook2Id):
            raise _integrity(
                "pricebook entry is in a different pricebook than the one assigned to the opportunity",
                "PricebookEntryId",
            )
        if entry.CurrencyIsoCode != opportunity.CurrencyIsoCode:
            raise _integrity(
                "pricebook entry currency code does not match opportunity currency code", "PricebookEntryId"
            )
    if {"UnitPrice", "TotalPrice"} <= change.sent:
        raise _integrity("cannot specify both UnitPrice and TotalPrice", "UnitPrice", "TotalPrice")
    quantity = change["Quantity"]
    if quantity == 0:
        raise _integrity("quantity must not be zero", "Quantity")
    if not 0 <= (change["Discount"] or 0) <= 100:
        raise errors.refusal(
            "NUMBER_OUTSIDE_VALID_RANGE",
            f"Discount: value outside of valid range on numeric field: {change['Discount']}",
            "Discount",
        )
    if change["TotalPrice"] is not None and "TotalPrice" in change.sent:
        change["UnitPrice"] = round(change["TotalPrice"] / quantity, 2)
    elif change["UnitPrice"] is None:
        raise errors.refusal("REQUIRED_FIELD_MISSING", "Required fields are missing: [TotalPrice]", "TotalPrice")
    change["Product2Id"], change["ListPrice"], change["ProductCode"] = (
        entry.Product2Id,
        entry.UnitPrice,
        entry.ProductCode,
    )
    change["Name"], change["CurrencyIsoCode"] = _line_name(opportunity, entry), opportunity.CurrencyIsoCode
    change["Subtotal"] = round(quantity * change["UnitPrice"], 2)
    if "TotalPrice" not in change.sent or change["TotalPrice"] is None:
        change["TotalPrice"] = round(change["Subtotal"] * (1 - (change["Discount"] or 0) / 100), 2)


def recompute(ctx: Ctx, opportunity_id: str) -> None:
    """An opportunity's amount and quantity from its products; without products the last amount stays."""
    opportunity = ctx.db.get(Opportunity, opportunity_id)
    if opportunity is None or opportunity.IsDeleted:
        return
    lines = ctx.db.find(OpportunityLineItem, OpportunityId=opportunity_id, IsDeleted=False)
    if not lines:
        if opportunity.HasOpportunityLineItem:
            _save(ctx, opportunity, HasOpportunityLineItem=False)
        return
    entry = ctx.db.get(PricebookEntry, lines[0].PricebookEntryId or "")
    _save(
        ctx, opportunity, HasOpportunityLineItem=True, Amount=round(sum(line.TotalPrice or 0 for line in lines), 2),
        TotalOpportunityQuantity=sum(line.Quantity or 0 for line in lines),
        Pricebook2Id=opportunity.Pricebook2Id or (entry.Pricebook2Id if entry else None),
    )  # fmt: skip


def _line_item_after(change: Change) -> None:
    recompute(change.ctx, change["OpportunityId"])


def _line_item_deleted(ctx: Ctx, row: OpportunityLineItem) -> None:
    recompute(ctx, row.OpportunityId or "")


def _product_in_use(ctx: Ctx, row: SObject) -> None:
    field = "Product2Id" if isinstance(row, Product2) else "PricebookEntryId"
    mine: dict[str, Any] = {field: row.Id, "IsDeleted": False}
    lines = ctx.db.find(OpportunityLineItem, **mine)
    if lines:
        ids = dict.fromkeys(line.OpportunityId or "" for line in lines)
        names = [o.Name for i in list(ids)[:5] if (o := ctx.db.get(Opportunity, i))]
        raise errors.refusal("DELETE_FAILED", _IN_USE.format(getattr(row, "Name", ""), ", ".join(map(str, names))))


def _price_book_in_use(ctx: Ctx, row: Pricebook2) -> None:
    if row.IsStandard:
        raise errors.refusal("DELETE_FAILED", "You cannot delete the standard price book")
    used = ctx.db.find(Opportunity, Pricebook2Id=row.Id, IsDeleted=False)
    if used:
        raise errors.refusal("DELETE_FAILED", _IN_USE.format(row.Name, ", ".join(str(o.Name) for o in used[:5])))


def _product_after(change: Change) -> None:
    """A product's name and code show in its prices."""
    row = change.row
    if not change.creating and isinstance(row, Product2) and change.changed & {"Name", "ProductCode"}:
        for entry in change.ctx.db.find(PricebookEntry, Product2Id=row.Id):
            change.ctx.db.update(entry, Name=row.Name, ProductCode=row.ProductCode)
        _name_lines(change.ctx, Product2Id=row.Id)


def _name_lines(ctx: Ctx, **which: Any) -> None:
    """The products of opportunities under the names that both have now."""
    for line in ctx.db.find(OpportunityLineItem, **which):
        opportunity, product = ctx.db.get(Opportunity, line.OpportunityId), ctx.db.get(Product2, line.Product2Id)
        if opportunity is not None and product is not None:
            ctx.db.update(line, Name=_line_name(opportunity, product), ProductCode=product.ProductCode)


def _line_name(opportunity: Opportunity, priced: Product2 | PricebookEntry) -> str:
    return f"{opportunity.Name} {priced.Name}"[:376]


def contact_of(ctx: Ctx, opportunity_id: str) -> Contact | None:
    """An opportunity's primary contact."""
    role = ctx.db.first(OpportunityContactRole, OpportunityId=opportunity_id, IsPrimary=True, IsDeleted=False)
    return ctx.db.get(Contact, role.ContactId or "") if role else None


BEFORE = {"Opportunity": _opportunity, "PricebookEntry": _price, "OpportunityLineItem": _line_item}
AFTER = {
    "Opportunity": _opportunity_after, "OpportunityContactRole": _contact_role_after, "OpportunityLineItem": _line_item_after,
    "Product2": _product_after,
}  # fmt: skip
REFUSE_DELETE = {"Product2": _product_in_use, "PricebookEntry": _product_in_use, "Pricebook2": _price_book_in_use}
AFTER_DELETE = {
    "Opportunity": _opportunity_deleted,
    "OpportunityLineItem": _line_item_deleted,
    "OpportunityContactRole": _contact_role_deleted,
}
