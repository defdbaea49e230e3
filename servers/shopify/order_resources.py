"""Orders and what hangs on them as Shopify's JSON."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import money
from .models import (
    Customer,
    DraftOrder,
    Fulfillment,
    FulfillmentLine,
    FulfillmentOrder,
    FulfillmentOrderLine,
    LineItem,
    Location,
    Object,
    Order,
    Product,
    Refund,
    RefundLine,
    Transaction,
)
from .paying import balance, left, lines_of, transactions_of
from .resources import gid, postal, show_customer, the_shop, times, when


def name_of(order: Order) -> str:
    return f"#{order.order_number}"


def status_of(line: LineItem) -> str | None:
    if line.fulfilled == 0:
        return None
    return "fulfilled" if left(line) == 0 else "partial"


def show_line(ctx: Ctx, r: LineItem, currency: str, own: dict[int, int]) -> Object:
    """A line. `own` says which of the order's discount applications is a line's own."""
    exists = r.product_id is not None and ctx.db.get(Product, r.product_id) is not None
    allocations = [
        {"amount": money.text(amount), "amount_set": money.both(amount, currency), "discount_application_index": at}
        for at, amount in ((0, r.discount - r.own_discount), (own.get(r.id, 0), r.own_discount))
        if amount
    ]
    levies = [
        {
            "channel_liable": False,
            "title": "Tax",
            **money.currencies(("price", r.tax), currency=currency),
            "rate": _rate(r),
        }
    ]
    return {
        "id": r.id, "admin_graphql_api_id": gid("LineItem", r.id), "attributed_staffs": [], "current_quantity": r.quantity - r.refunded,
        "fulfillable_quantity": left(r), "fulfillment_service": "manual", "fulfillment_status": status_of(r), "gift_card": r.gift_card,
        "grams": r.grams, "name": f"{r.title} - {r.variant_title}" if r.variant_title else r.title,
        **money.currencies(("price", r.price), currency=currency), "product_exists": exists, "product_id": r.product_id,
        "properties": r.properties, "quantity": r.quantity, "requires_shipping": r.requires_shipping, "sales_line_item_group_id": None,
        "sku": r.sku, "taxable": r.taxable,
        "title": r.title, **money.currencies(("total_discount", r.own_discount), currency=currency), "variant_id": r.variant_id,
        "variant_inventory_management": "shopify" if r.variant_id else None, "variant_title": r.variant_title, "vendor": r.vendor,
        "tax_lines": levies if r.tax else [], "duties": [], "discount_allocations": allocations,
    }  # fmt: skip


def _rate(r: LineItem) -> float:
    base = r.price * r.quantity - r.discount
    return round(r.tax / base, 4) if base else 0.0


def show_transaction(ctx: Ctx, r: Transaction) -> Object:
    return {
        "id": r.id, "order_id": r.order_id, "kind": r.kind, "gateway": r.gateway, "status": r.status,
        "message": r.message or ("Marked as paid" if r.kind == "sale" and r.status == "success" else None), **times(ctx, r, "created_at"),
        "test": r.test, "authorization": r.authorization, "location_id": None, "user_id": None, "parent_id": r.parent_id,
        **times(ctx, r, "processed_at"), "device_id": None, "error_code": None, "source_name": r.source_name, "receipt": {},
        "amount": money.text(r.amount), "currency": r.currency, "payment_id": f"#{r.order_id % 10**6}.{r.id % 10}",
        "manual_payment_gateway": r.gateway in ("manual", "cash"), "admin_graphql_api_id": gid("OrderTransaction", r.id),
    }  # fmt: skip


def show_fulfillment(ctx: Ctx, r: Fulfillment, order: Order) -> Object:
    items = list[Object]()
    _, own = _applications(order, lines_of(ctx, order))
    for part in ctx.db.find(FulfillmentLine, fulfillment_id=r.id):
        line = ctx.require(LineItem, part.line_item_id)
        items.append({**show_line(ctx, line, order.currency, own), "quantity": part.quantity})
    return {
        "id": r.id, "order_id": r.order_id, "status": r.status, **times(ctx, r, "created_at", "updated_at"), "service": r.service,
        "tracking_company": r.tracking_company, "shipment_status": r.shipment_status, "location_id": r.location_id,
        "origin_address": None, "line_items": items, "tracking_number": r.tracking_numbers[0] if r.tracking_numbers else None,
        "tracking_numbers": r.tracking_numbers, "tracking_url": r.tracking_urls[0] if r.tracking_urls else None,
        "tracking_urls": r.tracking_urls, "receipt": {}, "name": f"{name_of(order)}.{r.number}",
        "admin_graphql_api_id": gid("Fulfillment", r.id),
    }  # fmt: skip


def show_refund(ctx: Ctx, r: Refund, order: Order) -> Object:
    parts = list[Object]()
    _, own = _applications(order, lines_of(ctx, order))
    for x in ctx.db.find(RefundLine, refund_id=r.id):
        line = ctx.require(LineItem, x.line_item_id)
        parts.append({
            "id": x.id, "quantity": x.quantity, "line_item_id": x.line_item_id, "location_id": x.location_id,
            "restock_type": x.restock_type, "subtotal": x.subtotal / 100, "total_tax": x.total_tax / 100,
            "subtotal_set": money.both(x.subtotal, order.currency), "total_tax_set": money.both(x.total_tax, order.currency),
            "line_item": show_line(ctx, line, order.currency, own),
        })  # fmt: skip
    adjustments = [
        {
            "id": r.id + n, "order_id": order.id, "refund_id": r.id, "kind": kind, "reason": reason, "tax_amount": "0.00",
            **money.currencies(("amount", amount), currency=order.currency),
        }
        for n, (kind, reason, amount) in enumerate(
            (("shipping_refund", "Shipping refund", -r.shipping), ("refund_discrepancy", "Refund discrepancy", r.discrepancy)), 1
        )
        if amount
    ]  # fmt: skip
    moves = [show_transaction(ctx, t) for t in transactions_of(ctx, order) if t.id in r.transaction_ids]
    return {
        "id": r.id, "order_id": r.order_id, **times(ctx, r, "created_at"), "note": r.note, "user_id": None,
        **times(ctx, r, "processed_at"), "restock": r.restock, "duties": [], "admin_graphql_api_id": gid("Refund", r.id),
        "total_duties_set": money.both(0, order.currency), "return": None, "refund_shipping_lines": [], "additional_fees": [],
        "refund_line_items": parts, "transactions": moves, "order_adjustments": adjustments,
    }  # fmt: skip


def show_order(ctx: Ctx, r: Order) -> Object:
    lines = lines_of(ctx, r)
    refunds = ctx.db.find(Refund, order_id=r.id)
    gone = ctx.db.find(RefundLine, refund_id__in=[x.id for x in refunds]) if refunds else []
    money_of = balance(ctx, r)
    subtotal = r.total_line_items_price - r.total_discounts
    less = sum(x.subtotal for x in gone)
    less_tax = sum(x.total_tax for x in gone)
    moves = transactions_of(ctx, r)
    customer = ctx.db.get(Customer, r.customer_id) if r.customer_id is not None else None
    sums = money.currencies(
        ("current_subtotal_price", subtotal - less), ("current_total_discounts", r.total_discounts),
        ("current_total_price", money_of.owed), ("current_total_tax", r.total_tax - less_tax), ("subtotal_price", subtotal),
        ("total_discounts", r.total_discounts), ("total_line_items_price", r.total_line_items_price), ("total_price", r.total_price),
        ("total_tax", r.total_tax), currency=r.currency,
    )  # fmt: skip
    applications, own = _applications(r, lines)
    shop = the_shop(ctx)
    token = f"{r.id:x}".rjust(32, "0")
    shipping_back, none = sum(x.shipping for x in refunds), money.both(0, r.currency)
    return {
        "id": r.id, "admin_graphql_api_id": gid("Order", r.id), "app_id": 580111, "browser_ip": None,
        "buyer_accepts_marketing": r.buyer_accepts_marketing, "cancel_reason": r.cancel_reason, "cancelled_at": when(ctx, r.cancelled_at),
        "cart_token": None, "checkout_id": None, "checkout_token": None, "client_details": None, "closed_at": when(ctx, r.closed_at),
        "company": None, "confirmation_number": token[-9:].upper(), "confirmed": True, "contact_email": r.email or None,
        **times(ctx, r, "created_at"),
        "currency": r.currency, **sums, "current_shipping_price_set": money.both(r.total_shipping - shipping_back, r.currency),
        "current_total_additional_fees_set": None, "current_total_duties_set": None, "customer_locale": "en", "device_id": None,
        "discount_codes": [{k: d[k] for k in ("code", "amount", "type")} for d in r.discount_codes], "duties_included": False,
        "email": r.email, "estimated_taxes": False, "financial_status": r.financial_status, "fulfillment_status": r.fulfillment_status,
        "landing_site": None, "landing_site_ref": None, "location_id": None, "merchant_business_entity_id": None,
        "merchant_of_record_app_id": None, "name": name_of(r), "note": r.note,
        "note_attributes": r.note_attributes, "number": r.order_number - 1000, "order_number": r.order_number,
        "order_status_url": f"https://{shop.domain}/{shop.id}/orders/{token}/authenticate?key={token[::-1]}",
        "original_total_additional_fees_set": None, "original_total_duties_set": None,
        "payment_gateway_names": list(dict.fromkeys(t.gateway for t in moves if t.kind != "refund")), "phone": r.phone, "po_number": None,
        "presentment_currency": r.currency, **times(ctx, r, "processed_at"), "reference": None, "referring_site": None,
        "source_identifier": None, "source_name": r.source_name, "source_url": None, "tags": ", ".join(r.tags), "tax_exempt": False,
        "tax_lines": r.tax_lines, "taxes_included": r.taxes_included, "test": r.test, "token": token,
        "total_cash_rounding_payment_adjustment_set": none, "total_cash_rounding_refund_adjustment_set": none,
        "total_outstanding": money.text(0 if r.cancelled_at else money_of.due),
        "total_shipping_price_set": money.both(r.total_shipping, r.currency), "total_tip_received": "0.00",
        "total_weight": sum(line.grams * line.quantity for line in lines), **times(ctx, r, "updated_at"), "user_id": None,
        "billing_address": postal(r.billing_address) if r.billing_address else None,
        "customer": show_customer(ctx, customer, short=True) if customer else None,
        "discount_applications": applications,
        "fulfillments": [show_fulfillment(ctx, f, r) for f in ctx.db.find(Fulfillment, order_id=r.id)],
        "line_items": [show_line(ctx, line, r.currency, own) for line in lines], "payment_terms": None,
        "refunds": [show_refund(ctx, x, r) for x in refunds],
        "shipping_address": postal(r.shipping_address) if r.shipping_address else None,
        "shipping_lines": [_shipping_line(line, r.currency) for line in r.shipping_lines],
    }  # fmt: skip


def _applications(r: Order, lines: list[LineItem]) -> tuple[list[Object], dict[int, int]]:
    """The discounts of an order, what is off all of it first; and which of them is each discounted line's own."""
    common = {"allocation_method": "across", "target_selection": "all"}
    out: list[Object] = [
        {
            "target_type": "shipping_line" if d["type"] == "shipping" else "line_item", "type": "discount_code",
            "value": d.get("percent") or d["amount"], "value_type": "percentage" if d["type"] == "percentage" else "fixed_amount",
            **common, "code": d["code"],
        }
        for d in r.discount_codes
    ]  # fmt: skip
    manual: Object = {
        "target_type": "line_item",
        "type": "manual",
        "value_type": "fixed_amount",
        "title": "Discount",
        "description": None,
    }
    rest = sum(line.discount - line.own_discount for line in lines)
    if rest and not out:
        out.append({**manual, "value": money.text(rest), **common})
    own = dict[int, int]()
    for line in lines:
        if line.own_discount:
            own[line.id] = len(out)
            value = money.text(line.own_discount)
            out.append({**manual, "value": value, "allocation_method": "across", "target_selection": "explicit"})
    return out, own


def _shipping_line(line: Object, currency: str) -> Object:
    price = money.cents(line["price"], "price")
    return {
        "id": line["id"], "carrier_identifier": None, "code": line.get("code"), "current_discounted_price_set": money.both(price, currency),
        "is_removed": False, **money.currencies(("discounted_price", price), ("price", price), currency=currency), "phone": None,
        "requested_fulfillment_service_id": None, "source": line.get("source") or "shopify", "title": line["title"],
        "tax_lines": [], "discount_allocations": [],
    }  # fmt: skip


_ACTIONS = {
    "open": ["create_fulfillment", "hold", "move", "cancel_fulfillment_order"],
    "in_progress": ["create_fulfillment", "cancel_fulfillment_order"], "scheduled": ["mark_as_open"],
    "on_hold": ["release_hold"], "incomplete": ["create_fulfillment"],
}  # fmt: skip


_DESTINATION = (
    "address1",
    "address2",
    "city",
    "company",
    "country",
    "first_name",
    "last_name",
    "phone",
    "province",
    "zip",
)


def show_fulfillment_order(ctx: Ctx, r: FulfillmentOrder) -> Object:
    order = ctx.require(Order, r.order_id)
    place = ctx.db.get(Location, r.assigned_location_id)
    a = order.shipping_address
    shop = the_shop(ctx).id
    to = {n: postal(a)[n] for n in _DESTINATION} if a else None
    rows = ctx.db.find(FulfillmentOrderLine, fulfillment_order_id=r.id, quantity__gt=0)
    assigned = {
        n: getattr(place, n, None)
        for n in ("address1", "address2", "city", "country_code", "name", "phone", "province", "zip")
    }
    return {
        "id": r.id, "shop_id": shop, "order_id": r.order_id, "assigned_location_id": r.assigned_location_id,
        "request_status": r.request_status, "status": r.status, "supported_actions": _ACTIONS.get(r.status, []),
        "destination": {"id": r.id, "email": order.email or None, **to} if to else None,
        "line_items": [
            {
                "id": x.id, "shop_id": shop, "fulfillment_order_id": r.id, "quantity": x.quantity, "line_item_id": x.line_item_id,
                "inventory_item_id": x.inventory_item_id, "fulfillable_quantity": x.fulfillable_quantity, "variant_id": x.variant_id,
            }
            for x in rows
        ],
        "international_duties": None, "fulfill_at": when(ctx, r.fulfill_at), "fulfill_by": when(ctx, r.fulfill_by),
        "fulfillment_holds": r.holds, **times(ctx, r, "created_at", "updated_at"), "delivery_method": None,
        "assigned_location": {**assigned, "location_id": r.assigned_location_id}, "merchant_requests": [],
    }  # fmt: skip


def show_draft(ctx: Ctx, r: DraftOrder, totals: Object) -> Object:
    customer = ctx.db.get(Customer, r.customer_id) if r.customer_id is not None else None
    shop = the_shop(ctx)
    values: dict[str, Any] = {n: money.text(totals[n]) for n in ("total_price", "subtotal_price", "total_tax")}
    return {
        "id": r.id, "note": r.note, "email": r.email, "taxes_included": False, "currency": shop.currency,
        **times(ctx, r, "invoice_sent_at", "created_at", "updated_at"), "tax_exempt": r.tax_exempt, **times(ctx, r, "completed_at"),
        "name": f"#D{r.number}", "status": r.status, "line_items": totals["lines"],
        "shipping_address": postal(r.shipping_address) if r.shipping_address else None,
        "billing_address": postal(r.billing_address) if r.billing_address else None,
        "invoice_url": f"https://{shop.domain}/{shop.id}/invoices/{r.id:032x}", "applied_discount": totals["discount"],
        "order_id": r.order_id, "shipping_line": r.shipping_line, "tax_lines": [], "tags": ", ".join(r.tags),
        "note_attributes": r.note_attributes, **values, "admin_graphql_api_id": gid("DraftOrder", r.id), "payment_terms": None,
        "customer": show_customer(ctx, customer, short=True) if customer else None,
    }  # fmt: skip
