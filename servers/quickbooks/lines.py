"""The lines of forms: what each kind takes, and what they add up to."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from legoenv_mcp.app import Ctx

from . import faults, wire
from .books import system, value
from .models import Account, Item, TaxCode, TaxRate
from .wire import cents, units

SALES = frozenset({"SalesItemLineDetail", "DescriptionOnly", "DiscountLineDetail", "SubTotalLineDetail"})
EXPENSES = frozenset({"AccountBasedExpenseLineDetail", "ItemBasedExpenseLineDetail", "DescriptionOnly"})
UNSUPPORTED = frozenset({"GroupLineDetail", "TDSLineDetail", "ReimburseLineDetail", "TaxLineDetail"})
LINE = frozenset(
    {"Id", "LineNum", "Description", "Amount", "DetailType", "LinkedTxn", "CustomField", "LineEx", "Received"}
)
MOST_LINES = 750

_DETAILS = {
    "SalesItemLineDetail": {"ItemRef", "UnitPrice", "Qty", "TaxCodeRef", "ClassRef", "ServiceDate", "ItemAccountRef", "TaxInclusiveAmt",
                            "DiscountRate", "DiscountAmt", "MarkupInfo", "PriceLevelRef", "TaxClassificationRef", "DeferredRevenue"},
    "DiscountLineDetail": {"PercentBased", "DiscountPercent", "DiscountAccountRef", "Discount", "ClassRef", "TaxCodeRef"},
    "DescriptionLineDetail": {"ServiceDate", "TaxCodeRef"},
    "AccountBasedExpenseLineDetail": {"AccountRef", "BillableStatus", "CustomerRef", "ClassRef", "TaxCodeRef", "TaxAmount",
    "TaxInclusiveAmt",
                                      "MarkupInfo"},
    "ItemBasedExpenseLineDetail": {"ItemRef", "Qty", "UnitPrice", "BillableStatus", "CustomerRef", "ClassRef", "TaxCodeRef",
    "PriceLevelRef",
                                   "TaxInclusiveAmt", "MarkupInfo"},
    "JournalEntryLineDetail": {"PostingType", "AccountRef", "Entity", "ClassRef", "DepartmentRef", "TaxCodeRef", "TaxAmount",
    "BillableStatus",
                               "TaxApplicableOn", "TaxInclusiveAmt"},
    "DepositLineDetail": {"AccountRef", "Entity", "ClassRef", "PaymentMethodRef", "CheckNum", "TxnType", "TaxApplicableOn", "TaxCodeRef"},
}  # fmt: skip
_NUMBERS = {
    "UnitPrice": 7,
    "Qty": 7,
    "DiscountPercent": 5,
    "TaxInclusiveAmt": 2,
    "TaxAmount": 2,
    "DiscountRate": 5,
    "DiscountAmt": 2,
}


def listed(given: Any, name: str = "Line") -> list[dict[str, Any]]:
    """The lines as they were sent: a list of objects."""
    if not isinstance(given, list) or not all(isinstance(line, dict) for line in given):
        raise faults.unsupported_property(name)
    if len(given) > MOST_LINES:
        raise faults.business(f"A transaction has at most {MOST_LINES} lines.", name)
    return given


def detail_of(ctx: Ctx, line: dict[str, Any], kind: str, was: frozenset[str] = frozenset()) -> dict[str, Any]:
    """A line's detail, each member checked. `was` holds references that earlier lines had: they may be inactive by now."""
    given = line.get(kind)
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise faults.unsupported_property(kind)
    made = dict[str, Any]()
    for name, inner in given.items():
        if name not in _DETAILS[kind]:
            raise faults.unsupported_property(str(name))
        if inner is None or inner == "":
            continue
        if name in wire.TARGETS:
            key = wire.key_of(inner, name)
            made[name] = {
                "value": wire.reference(ctx, inner, name, wire.TARGETS[name], key if f"{name}:{key}" in was else None)
            }
        elif name in _NUMBERS:
            made[name] = float(wire.money(inner, name, _NUMBERS[name]))
        elif name == "ServiceDate":
            made[name] = wire.day(inner, name)
        elif name == "PercentBased":
            made[name] = wire.flag(inner, name)
        elif name == "BillableStatus" and inner not in ("Billable", "NotBillable", "HasBeenBilled"):
            raise faults.enumeration(inner, name)
        else:
            made[name] = inner
    return made


def references(lines: list[dict[str, Any]]) -> frozenset[str]:
    """The references in stored lines, as `name:id`."""
    return frozenset(
        f"{name}:{inner['value']}"
        for line in lines
        for detail in line.values()
        if isinstance(detail, dict)
        for name, inner in detail.items()
        if isinstance(inner, dict) and "value" in inner
    )


def start(line: dict[str, Any], allowed: frozenset[str]) -> str:
    """The line's kind. 2170 for one that no such form has."""
    kind = line.get("DetailType")
    if not kind:
        raise faults.missing("DetailType")
    if not isinstance(kind, str) or kind not in allowed:
        raise (
            faults.feature(f"A line of type {kind}", "DetailType")
            if kind in UNSUPPORTED
            else faults.enumeration(kind, "DetailType")
        )
    for name in line:
        if name not in LINE and name != kind and not name.endswith("Detail"):
            raise faults.unsupported_property(str(name))
    return kind


def common(line: dict[str, Any], kind: str) -> dict[str, Any]:
    """What every line has."""
    made: dict[str, Any] = {"DetailType": kind}
    if description := wire.text(line.get("Description") or "", "Description", 4000):
        made["Description"] = description
    return made


def amount_of(line: dict[str, Any]) -> Decimal:
    if line.get("Amount") in (None, ""):
        raise faults.missing("Amount")
    return wire.money(line["Amount"], "Amount")


def check_product(line: Decimal, detail: dict[str, Any]) -> None:
    """6070 where the amount is not quantity times price."""
    if "Qty" not in detail or "UnitPrice" not in detail:
        return
    product = (Decimal(str(detail["Qty"])) * Decimal(str(detail["UnitPrice"]))).quantize(Decimal("0.01"), ROUND_HALF_UP)
    if product != line and (detail["Qty"] or detail["UnitPrice"]):
        message = "Amount calculation incorrect in the request"
        raise faults.fault(
            "6070",
            message,
            f"Amount calculation incorrect in the request : Amount is not equal to UnitPrice * Qty. Supplied value:{line}",
        )


def numbered(
    lines: list[dict[str, Any]], given: list[dict[str, Any]], old: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Lines with ids: those that are sent and known stay, the others get the next free one."""
    known = {str(line["Id"]) for line in old if "Id" in line}
    top = max((int(key) for key in known), default=0)
    used = set[str]()
    for number, (line, source) in enumerate(zip(lines, given, strict=True), start=1):
        key = str(source.get("Id") or "")
        if key not in known or key in used:
            top += 1
            key = str(top)
        used.add(key)
        line |= {"Id": key, "LineNum": number}
    return lines


def check_counted(item: Item, day: str) -> None:
    """6270 for an inventory item on a day before it is counted."""
    if item.Type == "Inventory" and item.InvStartDate and day < item.InvStartDate:
        message = "Transaction date is prior to start date for inventory item"
        raise faults.fault(
            "6270", message, f"{message} : {item.Name} is counted from {item.InvStartDate} on.", "TxnDate"
        )


def sales(ctx: Ctx, state: dict[str, Any], old: list[dict[str, Any]]) -> None:
    """Reads a sales form's lines and totals them: items, then the discount, then tax."""
    given, made, kept = listed(state["Line"]), list[dict[str, Any]](), list[dict[str, Any]]()
    was, discount = references(old), None
    for line in given:
        kind = start(line, SALES)
        if kind == "SubTotalLineDetail":
            continue
        one = common(line, kind)
        if kind == "DiscountLineDetail":
            if discount is not None:
                raise faults.business("A transaction has one discount line at most.", "Line")
            discount = one
            one["DiscountLineDetail"] = detail_of(ctx, line, kind, was) or {"PercentBased": False}
            if not one["DiscountLineDetail"].get("PercentBased"):
                if line.get("Amount") in (None, ""):
                    raise faults.fault(
                        "6090",
                        "Discount Line missing required info.",
                        "Discount amount or percent should be provided.",
                        "Line",
                    )
                one["Amount"] = float(amount_of(line))
            elif not one["DiscountLineDetail"].get("DiscountPercent"):
                raise faults.fault(
                    "6090",
                    "Discount Line missing required info.",
                    "Discount amount or percent should be provided.",
                    "Line",
                )
        elif kind == "DescriptionOnly":
            one["DescriptionLineDetail"] = detail_of(ctx, line, "DescriptionLineDetail", was)
        else:
            one |= _sale(ctx, line, was, state["TxnDate"])
        made.append(one)
        kept.append(line)
    if not any(line["DetailType"] != "DiscountLineDetail" for line in made):
        raise faults.missing("Line")
    state["Line"] = numbered(made, kept, old)
    _total(ctx, state, discount)


def _sale(ctx: Ctx, line: dict[str, Any], was: frozenset[str], day: str) -> dict[str, Any]:
    amount, detail = amount_of(line), detail_of(ctx, line, "SalesItemLineDetail", was)
    check_product(amount, detail)
    # A line without an item sells the item that every company begins with.
    detail.setdefault("ItemRef", {"value": "1"})
    item = ctx.db.get(Item, int(detail["ItemRef"]["value"]))
    if item is None or item.Type == "Category" or (not item.IncomeAccountRef and "ItemAccountRef" not in detail):
        raise faults.business(
            f"{item.Name if item else 'The item'} cannot be sold: it has no income account.", "ItemRef"
        )
    check_counted(item, day)
    detail.setdefault("TaxCodeRef", {"value": "TAX" if item.Taxable else "NON"})
    made: dict[str, Any] = {"Amount": float(amount), "SalesItemLineDetail": detail}
    if line.get("Description") in (None, "") and item.Description:
        made["Description"] = item.Description
    return made


def _total(ctx: Ctx, state: dict[str, Any], discount: dict[str, Any] | None) -> None:
    items = [line for line in state["Line"] if line["DetailType"] == "SalesItemLineDetail"]
    subtotal = sum(cents(line["Amount"]) for line in items)
    taxable = sum(
        cents(line["Amount"]) for line in items if value(line["SalesItemLineDetail"].get("TaxCodeRef")) != "NON"
    )
    off = 0
    if discount is not None:
        detail = discount["DiscountLineDetail"]
        if detail.get("PercentBased"):
            off = cents(Decimal(subtotal) * Decimal(str(detail["DiscountPercent"])) / 10000)
            discount["Amount"] = units(off)
        off = cents(discount["Amount"])
        detail.setdefault("DiscountAccountRef", {"value": str(system(ctx, "discounts").Id)})
    state["Line"].append({"Amount": units(subtotal), "DetailType": "SubTotalLineDetail", "SubTotalLineDetail": {}})
    base = (
        taxable if not state["ApplyTaxAfterDiscount"] or not subtotal else round(taxable * (subtotal - off) / subtotal)
    )
    state["TxnTaxDetail"] = tax_detail(ctx, state["TxnTaxDetail"], base)
    total = subtotal - off + cents(state["TxnTaxDetail"]["TotalTax"])
    if total < 0:
        raise faults.business("You must specify a transaction amount that is 0 or greater.")
    if total > cents(wire.MOST_MONEY):
        raise faults.number("TotalAmt", units(total))
    state["TotalAmt"] = units(total)


def tax_detail(ctx: Ctx, given: Any, base: int) -> dict[str, Any]:
    """Sales tax on an amount: by the code that is named, else the amount that is given."""
    if not given:
        return {"TotalTax": 0}
    if not isinstance(given, dict):
        raise faults.unsupported_property("TxnTaxDetail")
    for name in given:
        if name not in ("TxnTaxCodeRef", "TotalTax", "TaxLine", "DefaultTaxCodeRef", "UseAutomatedSalesTax"):
            raise faults.unsupported_property(str(name))
    if not given.get("TxnTaxCodeRef"):
        total = wire.money(given.get("TotalTax") or 0, "TotalTax")
        if total < 0:
            raise faults.number("TotalTax", total)
        return {"TotalTax": float(total)}
    key = wire.reference(ctx, given["TxnTaxCodeRef"], "TxnTaxCodeRef", "TaxCode")
    code = ctx.db.first(TaxCode, Code=key)
    lines, total = list[dict[str, Any]](), 0
    for rate in [ctx.require(TaxRate, int(r)) for r in code.rates] if code else []:
        tax = cents(Decimal(base) * Decimal(str(rate.RateValue)) / 10000)
        total += tax
        detail = {
            "TaxRateRef": {"value": str(rate.Id)},
            "PercentBased": True,
            "TaxPercent": rate.RateValue,
            "NetAmountTaxable": units(base),
        }
        lines.append({"Amount": units(tax), "DetailType": "TaxLineDetail", "TaxLineDetail": detail})
    return {"TxnTaxCodeRef": {"value": key}, "TotalTax": units(total), "TaxLine": lines}


def expenses(ctx: Ctx, state: dict[str, Any], old: list[dict[str, Any]]) -> None:
    """Reads a purchase form's lines and totals them."""
    given, made, was = listed(state["Line"]), list[dict[str, Any]](), references(old)
    for line in given:
        kind = start(line, EXPENSES)
        one = common(line, kind)
        if kind == "DescriptionOnly":
            one["DescriptionLineDetail"] = detail_of(ctx, line, "DescriptionLineDetail", was)
        else:
            amount, detail = amount_of(line), detail_of(ctx, line, kind, was)
            if kind == "AccountBasedExpenseLineDetail":
                if "AccountRef" not in detail:
                    raise faults.missing("AccountRef")
                booked = account_of(ctx, detail["AccountRef"]).AccountType
                if "PaymentType" not in state and booked in ("Accounts Receivable", "Accounts Payable"):
                    raise faults.business(f"A line of this form can't be on an account of type {booked}.", "AccountRef")
            else:
                if "ItemRef" not in detail:
                    raise faults.missing("ItemRef")
                item = ctx.require(Item, int(detail["ItemRef"]["value"]))
                if not (item.AssetAccountRef if item.Type == "Inventory" else item.ExpenseAccountRef):
                    raise faults.business(f"{item.Name} cannot be bought: it has no expense account.", "ItemRef")
                check_counted(item, state["TxnDate"])
                check_product(amount, detail)
            detail.setdefault("BillableStatus", "NotBillable")
            detail.setdefault("TaxCodeRef", {"value": "NON"})
            one |= {"Amount": float(amount), kind: detail}
        made.append(one)
    if not made:
        raise faults.missing("Line")
    total = sum(cents(line["Amount"]) for line in made if "Amount" in line)
    if total < 0:
        raise faults.business("You must specify a transaction amount that is 0 or greater.")
    if total > cents(wire.MOST_MONEY):
        raise faults.number("TotalAmt", units(total))
    state["Line"] = numbered(made, given, old)
    state["TotalAmt"] = units(total)


def account_of(ctx: Ctx, reference: Any) -> Account:
    return ctx.require(Account, int(value(reference)))
