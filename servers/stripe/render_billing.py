"""The catalogue, invoices, subscriptions and checkout as Stripe's objects. https://docs.stripe.com/api/invoices"""

from legoenv_mcp.app import Ctx

from .ids import token
from .models import (
    Account,
    CheckoutSession,
    Coupon,
    CreditNote,
    Customer,
    Discount,
    Invoice,
    InvoiceItem,
    InvoicePayment,
    LineItem,
    PaymentLink,
    Price,
    Product,
    PromotionCode,
    Subscription,
    SubscriptionItem,
    TaxRate,
)
from .resources import Object, listed, renders, show


@renders(Product)
def product(ctx: Ctx, row: Product) -> Object:
    return {
        "id": row.id, "object": "product", "active": row.active, "created": row.created, "default_price": row.default_price,
        "description": row.description, "images": row.images, "livemode": False, "marketing_features": [], "metadata": row.metadata_,
        "name": row.name, "package_dimensions": None, "shippable": row.shippable, "statement_descriptor": row.statement_descriptor,
        "tax_code": row.tax_code, "type": "service", "unit_label": row.unit_label, "updated": row.updated, "url": row.url,
    }  # fmt: skip


@renders(Price)
def price(ctx: Ctx, row: Price) -> Object:
    recurring = row.interval and {
        "interval": row.interval, "interval_count": row.interval_count, "meter": None, "trial_period_days": row.trial_period_days,
        "usage_type": "licensed",
    }  # fmt: skip
    return {
        "id": row.id, "object": "price", "active": row.active, "billing_scheme": "per_unit", "created": row.created,
        "currency": row.currency, "custom_unit_amount": None, "livemode": False, "lookup_key": row.lookup_key, "metadata": row.metadata_,
        "nickname": row.nickname, "product": row.product, "recurring": recurring, "tax_behavior": row.tax_behavior, "tiers_mode": None,
        "transform_quantity": None, "type": row.type, "unit_amount": row.unit_amount, "unit_amount_decimal": str(row.unit_amount),
    }  # fmt: skip


def plan(row: Price) -> Object:
    """A recurring price in the form it had before prices: subscription items still carry it."""
    return {
        "id": row.id, "object": "plan", "active": row.active, "amount": row.unit_amount, "amount_decimal": str(row.unit_amount),
        "billing_scheme": "per_unit", "created": row.created, "currency": row.currency, "interval": row.interval,
        "interval_count": row.interval_count, "livemode": False, "metadata": row.metadata_, "meter": None, "nickname": row.nickname,
        "product": row.product, "tiers_mode": None, "transform_usage": None, "trial_period_days": row.trial_period_days,
        "usage_type": "licensed",
    }  # fmt: skip


def coupon_terms(row: Coupon) -> Object:
    return {
        "id": row.id, "object": "coupon", "amount_off": row.amount_off, "created": row.created, "currency": row.currency,
        "duration": row.duration, "duration_in_months": row.duration_in_months, "livemode": False,
        "max_redemptions": row.max_redemptions, "metadata": row.metadata_, "name": row.name, "percent_off": row.percent_off,
        "redeem_by": row.redeem_by, "times_redeemed": row.times_redeemed,
    }  # fmt: skip


def coupon_valid(row: Coupon, now: int) -> bool:
    used_up = row.max_redemptions is not None and row.times_redeemed >= row.max_redemptions
    return not used_up and (row.redeem_by is None or now <= row.redeem_by)


@renders(Coupon)
def coupon(ctx: Ctx, row: Coupon) -> Object:
    return {**coupon_terms(row), "valid": coupon_valid(row, int(ctx.now.timestamp()))}


@renders(PromotionCode)
def promotion_code(ctx: Ctx, row: PromotionCode) -> Object:
    return {
        "id": row.id, "object": "promotion_code", "active": row.active, "code": row.code, "created": row.created,
        "customer": row.customer, "expires_at": row.expires_at, "livemode": False, "max_redemptions": row.max_redemptions,
        "metadata": row.metadata_, "promotion": {"coupon": row.coupon, "type": "coupon"},
        "restrictions": {
            "first_time_transaction": row.first_time_transaction, "minimum_amount": row.minimum_amount,
            "minimum_amount_currency": row.minimum_amount_currency,
        },
        "times_redeemed": row.times_redeemed,
    }  # fmt: skip


@renders(Discount)
def discount(ctx: Ctx, row: Discount) -> Object:
    return {
        "id": row.id, "object": "discount", "checkout_session": None, "customer": row.customer, "end": row.end, "invoice": row.invoice,
        "invoice_item": None, "promotion_code": row.promotion_code, "source": {"coupon": row.coupon, "type": "coupon"},
        "start": row.start, "subscription": row.subscription, "subscription_item": None,
    }  # fmt: skip


@renders(TaxRate)
def tax_rate(ctx: Ctx, row: TaxRate) -> Object:
    return {
        "id": row.id, "object": "tax_rate", "active": row.active, "country": row.country, "created": row.created,
        "description": row.description, "display_name": row.display_name, "effective_percentage": None, "flat_amount": None,
        "inclusive": row.inclusive, "jurisdiction": row.jurisdiction, "jurisdiction_level": None, "livemode": False,
        "metadata": row.metadata_, "percentage": row.percentage, "rate_type": "percentage", "state": row.state, "tax_type": row.tax_type,
    }  # fmt: skip


def _rates(ctx: Ctx, keys: list[str]) -> list[Object]:
    return [show(ctx, rate) for key in keys if (rate := ctx.db.get(TaxRate, key))]


def pricing(ctx: Ctx, key: str | None, unit_amount: int | None) -> Object:
    """What a line costs apiece; an amount without a price has no details."""
    found = ctx.db.get(Price, key) if key else None
    details = found and {"price": found.id, "product": found.product}
    return {
        "price_details": details, "type": "price_details",
        "unit_amount_decimal": None if unit_amount is None else str(unit_amount),
    }  # fmt: skip


@renders(InvoiceItem)
def invoice_item(ctx: Ctx, row: InvoiceItem) -> Object:
    parent = row.subscription and {
        "subscription_details": {"subscription": row.subscription, "subscription_item": row.subscription_item},
        "type": "subscription_details",
    }  # fmt: skip
    return {
        "id": row.id, "object": "invoiceitem", "amount": row.amount, "currency": row.currency, "customer": row.customer,
        "date": row.date, "description": row.description, "discountable": row.discountable, "discounts": [], "invoice": row.invoice,
        "livemode": False, "metadata": row.metadata_, "net_amount": row.amount, "parent": parent or None,
        "period": {"end": row.period_end, "start": row.period_start}, "pricing": pricing(ctx, row.price, row.unit_amount),
        "proration": row.proration, "quantity": row.quantity, "tax_rates": _rates(ctx, row.tax_rates), "test_clock": None,
    }  # fmt: skip


@renders(LineItem)
def line_item(ctx: Ctx, row: LineItem) -> Object:
    if row.subscription_item and not row.invoice_item:
        kind: str = "subscription_item_details"
        details: Object = {
            "invoice_item": None, "proration": row.proration, "proration_details": {"credited_items": None},
            "subscription": row.subscription, "subscription_item": row.subscription_item,
        }  # fmt: skip
    else:
        kind = "invoice_item_details"
        details = {
            "invoice_item": row.invoice_item, "proration": row.proration, "proration_details": {"credited_items": None},
            "subscription": row.subscription,
        }  # fmt: skip
    return {
        "id": row.id, "object": "line_item", "amount": row.amount, "currency": row.currency, "description": row.description,
        "discount_amounts": row.discount_amounts, "discountable": row.discountable, "discounts": [], "invoice": row.invoice,
        "livemode": False, "metadata": row.metadata_,
        "parent": {"invoice_item_details": None, "subscription_item_details": None, kind: details, "type": kind},
        "period": {"end": row.period_end, "start": row.period_start}, "pretax_credit_amounts": [],
        "pricing": pricing(ctx, row.price, row.unit_amount), "quantity": row.quantity,
        "subscription": row.subscription, "subtotal": row.amount, "taxes": row.taxes,
    }  # fmt: skip


def invoice_lines(ctx: Ctx, key: str) -> list[LineItem]:
    return ctx.db.find(LineItem, invoice=key, order="position")


@renders(Invoice)
def invoice(ctx: Ctx, row: Invoice) -> Object:
    return invoice_with(ctx, row, invoice_lines(ctx, row.id))


def invoice_with(ctx: Ctx, row: Invoice, lines: list[LineItem]) -> Object:
    """An invoice with these lines: a preview's are in no table."""
    payer, account = ctx.db.get(Customer, row.customer), ctx.db.first(Account)
    page = (
        f"https://invoice.stripe.com/i/{account.id if account else ''}/test_{token('invoice', row.id)}?s=ap"
        if row.finalized_at
        else None
    )
    discounted = sum(d["amount"] for d in row.total_discount_amounts)
    exclusive = sum(t["amount"] for t in row.total_taxes if t["tax_behavior"] == "exclusive")
    all_taxes = sum(t["amount"] for t in row.total_taxes)
    inclusive = all_taxes - exclusive
    waiting = row.status == "draft" and row.auto_advance
    parent = None
    if row.subscription:
        of = ctx.db.get(Subscription, row.subscription)
        details = {"metadata": of.metadata_ if of else {}, "subscription": row.subscription}
        parent = {"quote_details": None, "subscription_details": details, "type": "subscription_details"}
    return {
        "id": row.id, "object": "invoice", "account_country": account and account.country, "account_name": account and account.name,
        "account_tax_ids": None, "amount_due": row.amount_due, "amount_overpaid": 0, "amount_paid": row.amount_paid,
        "amount_paid_off_stripe": row.amount_paid_off_stripe,
        "amount_remaining": row.amount_remaining, "amount_shipping": 0, "application": None, "attempt_count": row.attempt_count,
        "attempted": row.attempted, "auto_advance": row.auto_advance,
        "automatic_tax": {"disabled_reason": None, "enabled": False, "liability": None, "provider": None, "status": None},
        "automatically_finalizes_at": row.created + 3601 if waiting else None, "billing_reason": row.billing_reason,
        "collection_method": row.collection_method, "created": row.created, "currency": row.currency,
        "custom_fields": row.custom_fields, "customer": row.customer, "customer_address": payer and payer.address,
        "customer_email": payer and payer.email, "customer_name": payer and payer.name, "customer_phone": payer and payer.phone,
        "customer_shipping": payer and payer.shipping, "customer_tax_exempt": payer and payer.tax_exempt, "customer_tax_ids": [],
        "default_payment_method": row.default_payment_method, "default_source": None,
        "default_tax_rates": _rates(ctx, row.default_tax_rates), "description": row.description, "discounts": row.discounts,
        "due_date": row.due_date, "effective_at": row.effective_at, "ending_balance": row.ending_balance, "footer": row.footer,
        "from_invoice": None, "hosted_invoice_url": page,
        "invoice_pdf": page and page.replace("https://invoice.stripe.com/i/", "https://pay.stripe.com/invoice/").replace("?", "/pdf?"),
        "issuer": {"type": "self"}, "last_finalization_error": None, "latest_revision": None,
        "lines": listed([show(ctx, line) for line in lines[:10]], f"/v1/invoices/{row.id}/lines", has_more=len(lines) > 10,
                        total_count=len(lines)),
        "livemode": False, "metadata": row.metadata_,
        "next_payment_attempt": row.created + 3600 if waiting and row.collection_method == "charge_automatically" else None,
        "number": row.number, "on_behalf_of": None, "parent": parent,
        "payment_settings": {"default_mandate": None, "payment_method_options": None, "payment_method_types": None},
        "period_end": row.period_end, "period_start": row.period_start,
        "post_payment_credit_notes_amount": row.post_payment_credit_notes_amount,
        "pre_payment_credit_notes_amount": row.pre_payment_credit_notes_amount, "receipt_number": None, "rendering": None,
        "shipping_cost": None, "shipping_details": None, "starting_balance": row.starting_balance,
        "statement_descriptor": row.statement_descriptor, "status": row.status,
        "status_transitions": {
            "finalized_at": row.finalized_at, "marked_uncollectible_at": row.marked_uncollectible_at, "paid_at": row.paid_at,
            "voided_at": row.voided_at,
        },
        "subtotal": row.subtotal, "subtotal_excluding_tax": row.subtotal - inclusive, "test_clock": None, "total": row.total,
        "total_discount_amounts": row.total_discount_amounts,
        "total_excluding_tax": row.subtotal - discounted - inclusive, "total_pretax_credit_amounts": [],
        "total_taxes": row.total_taxes, "webhooks_delivered_at": row.created,
    }  # fmt: skip


@renders(InvoicePayment)
def invoice_payment(ctx: Ctx, row: InvoicePayment) -> Object:
    return {
        "id": row.id, "object": "invoice_payment", "amount_paid": row.amount_paid, "amount_requested": row.amount_requested,
        "created": row.created, "currency": row.currency, "invoice": row.invoice, "is_default": True, "livemode": False,
        "payment": {"payment_intent": row.payment_intent, "type": "payment_intent"}, "status": row.status,
        "status_transitions": {"canceled_at": row.canceled_at, "paid_at": row.paid_at},
    }  # fmt: skip


@renders(SubscriptionItem)
def subscription_item(ctx: Ctx, row: SubscriptionItem) -> Object:
    of = ctx.require(Price, row.price)
    return {
        "id": row.id, "object": "subscription_item", "billing_thresholds": None, "created": row.created,
        "current_period_end": row.current_period_end, "current_period_start": row.current_period_start, "discounts": [],
        "metadata": row.metadata_, "plan": plan(of), "price": show(ctx, of), "quantity": row.quantity,
        "subscription": row.subscription, "tax_rates": _rates(ctx, row.tax_rates),
    }  # fmt: skip


@renders(Subscription)
def subscription(ctx: Ctx, row: Subscription) -> Object:
    items = ctx.db.find(SubscriptionItem, subscription=row.id, order="created")
    shown = [show(ctx, item) for item in items]
    return {
        "id": row.id, "object": "subscription", "application": None, "application_fee_percent": None,
        "automatic_tax": {"disabled_reason": None, "enabled": False, "liability": None},
        "billing_cycle_anchor": row.billing_cycle_anchor, "billing_cycle_anchor_config": None,
        "billing_mode": {"flexible": None, "type": "classic"}, "billing_thresholds": None, "cancel_at": row.cancel_at,
        "cancel_at_period_end": row.cancel_at_period_end, "canceled_at": row.canceled_at,
        "cancellation_details": {
            "comment": row.cancellation_comment, "feedback": row.cancellation_feedback, "reason": row.cancellation_reason,
        },
        "collection_method": row.collection_method, "created": row.created, "currency": row.currency, "customer": row.customer,
        "days_until_due": row.days_until_due, "default_payment_method": row.default_payment_method, "default_source": None,
        "default_tax_rates": _rates(ctx, row.default_tax_rates), "description": row.description, "discounts": row.discounts,
        "ended_at": row.ended_at, "invoice_settings": {"account_tax_ids": None, "issuer": {"type": "self"}},
        "items": listed(shown, f"/v1/subscription_items?subscription={row.id}", total_count=len(shown)),
        "latest_invoice": row.latest_invoice, "livemode": False, "metadata": row.metadata_,
        "next_pending_invoice_item_invoice": None, "on_behalf_of": None, "pause_collection": row.pause_collection,
        "payment_settings": {
            "payment_method_options": None, "payment_method_types": None, "save_default_payment_method": row.save_default_payment_method,
        },
        "pending_invoice_item_interval": None, "pending_setup_intent": None, "pending_update": None, "schedule": None,
        "start_date": row.start_date, "status": row.status, "test_clock": None, "transfer_data": None, "trial_end": row.trial_end,
        "trial_settings": {"end_behavior": {"missing_payment_method": row.missing_payment_method}}, "trial_start": row.trial_start,
    }  # fmt: skip


def summed(parts: list[Object], by: str) -> list[Object]:
    """Amounts of discounts or taxes, one for each of `by`."""
    out = list[Object]()
    for part in parts:
        same = next((o for o in out if o[by] == part[by]), None)
        if same is None:
            out.append(dict(part))
            continue
        for name in ("amount", "taxable_amount"):
            if name in part:
                same[name] += part[name]
    return out


@renders(CreditNote)
def credit_note(ctx: Ctx, row: CreditNote) -> Object:
    kind = (
        "mixed"
        if row.pre_payment_amount and row.post_payment_amount
        else "post_payment"
        if row.post_payment_amount
        else "pre_payment"
    )
    off = [d for item in row.items for d in item["discount_amounts"]]
    taxes = [t for item in row.items for t in item.get("taxes", [])]
    subtotal = sum(item["amount"] for item in row.items) if row.items else row.amount
    inclusive = sum(t["amount"] for t in taxes if t["tax_behavior"] == "inclusive")
    return {
        "id": row.id, "object": "credit_note", "amount": row.amount, "amount_shipping": 0, "created": row.created,
        "currency": row.currency, "customer": row.customer, "customer_balance_transaction": row.customer_balance_transaction,
        "discount_amount": sum(d["amount"] for d in off), "discount_amounts": summed(off, "discount"), "effective_at": row.created,
        "invoice": row.invoice, "lines": listed(row.items, f"/v1/credit_notes/{row.id}/lines"), "livemode": False, "memo": row.memo,
        "metadata": row.metadata_,
        "number": row.number, "out_of_band_amount": row.out_of_band_amount or None,
        "pdf": f"https://pay.stripe.com/credit_notes/test_{token('credit note', row.id)}/pdf?s=ap",
        "post_payment_amount": row.post_payment_amount, "pre_payment_amount": row.pre_payment_amount, "pretax_credit_amounts": [],
        "reason": row.reason, "refunds": [{"amount_refunded": row.refund_amount, "refund": row.refund}] if row.refund else [],
        "shipping_cost": None, "status": row.status, "subtotal": subtotal,
        "subtotal_excluding_tax": subtotal - inclusive, "total": row.amount,
        "total_excluding_tax": row.amount - sum(t["amount"] for t in taxes), "total_taxes": summed(taxes, "tax_rate_details"),
        "type": kind, "voided_at": row.voided_at,
    }  # fmt: skip


def cart(ctx: Ctx, items: list[Object], currency: str | None) -> list[Object]:
    """The line items of a checkout session or a payment link."""
    shown = list[Object]()
    for item in items:
        price_of = ctx.require(Price, item["price"])
        product_of = ctx.require(Product, price_of.product)
        subtotal, off = price_of.unit_amount * item["quantity"], item.get("amount_discount", 0)
        shown.append({
            "id": item["id"], "object": "item", "amount_discount": off, "amount_subtotal": subtotal, "amount_tax": 0,
            "amount_total": subtotal - off, "currency": currency, "description": product_of.name, "metadata": {},
            "price": show(ctx, price_of), "quantity": item["quantity"],
        })  # fmt: skip
    return shown


@renders(CheckoutSession)
def checkout_session(ctx: Ctx, row: CheckoutSession) -> Object:
    payer = ctx.db.get(Customer, row.customer) if row.customer else None
    email = (payer and payer.email) or row.customer_email
    return {
        "id": row.id, "object": "checkout.session", "adaptive_pricing": None, "after_expiration": None,
        "allow_promotion_codes": row.allow_promotion_codes, "amount_subtotal": row.amount_subtotal, "amount_total": row.amount_total,
        "automatic_tax": {"enabled": False, "liability": None, "provider": None, "status": None}, "billing_address_collection": None,
        "cancel_url": row.cancel_url, "client_reference_id": row.client_reference_id, "client_secret": None, "consent": None,
        "consent_collection": None, "created": row.created, "currency": row.currency, "custom_fields": [],
        "custom_text": {"after_submit": None, "shipping_address": None, "submit": None, "terms_of_service_acceptance": None},
        "customer": row.customer, "customer_creation": None if row.customer or row.mode != "payment" else "if_required",
        "customer_details": {"email": email, "name": None, "phone": None, "tax_exempt": "none", "tax_ids": None} if email else None,
        "customer_email": row.customer_email, "discounts": row.discounts, "expires_at": row.expires_at, "invoice": None,
        "livemode": False, "locale": None, "metadata": row.metadata_, "mode": row.mode, "payment_intent": None,
        "payment_link": row.payment_link, "payment_method_collection": "if_required" if row.mode == "payment" else "always",
        "payment_method_types": ["card"], "payment_status": "no_payment_required" if row.amount_total in (0, None) else "unpaid",
        "phone_number_collection": {"enabled": False}, "setup_intent": None, "shipping_address_collection": None, "shipping_cost": None,
        "shipping_options": [], "status": row.status, "submit_type": None, "subscription": None, "success_url": row.success_url,
        "total_details": (row.amount_total is not None and {
            "amount_discount": row.amount_discount, "amount_shipping": 0, "amount_tax": 0,
        }) or None,
        "ui_mode": "hosted",
        "url": f"https://checkout.stripe.com/c/pay/{row.id}#{token('session', row.id)}" if row.status == "open" else None,
    }  # fmt: skip


@renders(PaymentLink)
def payment_link(ctx: Ctx, row: PaymentLink) -> Object:
    return {
        "id": row.id, "object": "payment_link", "active": row.active, "after_completion": row.after_completion,
        "allow_promotion_codes": row.allow_promotion_codes, "application": None, "application_fee_amount": None,
        "application_fee_percent": None, "automatic_tax": {"enabled": False, "liability": None},
        "billing_address_collection": row.billing_address_collection, "consent_collection": None, "currency": row.currency,
        "custom_fields": [],
        "custom_text": {"after_submit": None, "shipping_address": None, "submit": None, "terms_of_service_acceptance": None},
        "customer_creation": row.customer_creation, "inactive_message": row.inactive_message, "invoice_creation": None,
        "livemode": False, "metadata": row.metadata_, "on_behalf_of": None, "payment_intent_data": None,
        "payment_method_collection": "always", "payment_method_types": None,
        "phone_number_collection": {"enabled": row.phone_number_collection}, "restrictions": row.restrictions,
        "shipping_address_collection": None, "shipping_options": [], "submit_type": row.submit_type, "subscription_data": None,
        "tax_id_collection": {"enabled": False, "required": "never"}, "transfer_data": None, "url": row.url,
    }  # fmt: skip
