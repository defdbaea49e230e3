"""`expand[]`: ids in an answer replaced by what they name, along dotted paths. https://docs.stripe.com/api/expanding_objects"""

from collections.abc import Callable, Mapping
from typing import Any

from legoenv_mcp.app import MISSING, Ctx, Row

from .errors import refuse
from .models import (
    BalanceTransaction,
    Charge,
    CheckoutSession,
    Coupon,
    CreditNote,
    Customer,
    CustomerBalanceTransaction,
    Discount,
    Dispute,
    Invoice,
    InvoicePayment,
    PaymentIntent,
    PaymentLink,
    PaymentMethod,
    Payout,
    Price,
    Product,
    PromotionCode,
    Refund,
    Subscription,
)
from .render_billing import cart
from .resources import Object, listed, show

MAX_LEVELS = 4

# Object -> the fields (dotted below the object) that hold an id, and the table it is in. None: the id's prefix tells.
EDGES: dict[str, dict[str, type[Row] | None]] = {
    "customer": {"invoice_settings.default_payment_method": PaymentMethod},
    "customer_balance_transaction": {"customer": Customer, "invoice": Invoice, "credit_note": CreditNote},
    "product": {"default_price": Price},
    "price": {"product": Product},
    "plan": {"product": Product},
    "payment_method": {"customer": Customer},
    "payment_intent": {"customer": Customer, "latest_charge": Charge, "payment_method": PaymentMethod},
    "setup_intent": {"customer": Customer, "payment_method": PaymentMethod},
    "charge": {"balance_transaction": BalanceTransaction, "customer": Customer, "payment_intent": PaymentIntent},
    "refund": {"balance_transaction": BalanceTransaction, "charge": Charge, "payment_intent": PaymentIntent},
    "dispute": {"charge": Charge, "payment_intent": PaymentIntent},
    "balance_transaction": {"source": None},
    "payout": {"balance_transaction": BalanceTransaction, "failure_balance_transaction": BalanceTransaction},
    "promotion_code": {"customer": Customer, "promotion.coupon": Coupon},
    "discount": {"customer": Customer, "promotion_code": PromotionCode, "source.coupon": Coupon},
    "invoiceitem": {"customer": Customer, "invoice": Invoice},
    "line_item": {"subscription": Subscription, "pricing.price_details.price": Price, "discounts": Discount},
    "invoice": {
        "customer": Customer, "default_payment_method": PaymentMethod, "discounts": Discount,
        "parent.subscription_details.subscription": Subscription, "total_discount_amounts.discount": Discount,
    },
    "invoice_payment": {"invoice": Invoice, "payment.payment_intent": PaymentIntent},
    "subscription": {
        "customer": Customer, "default_payment_method": PaymentMethod, "latest_invoice": Invoice, "discounts": Discount,
    },
    "credit_note": {
        "customer": Customer, "invoice": Invoice, "customer_balance_transaction": CustomerBalanceTransaction, "refunds.refund": Refund,
    },
    "checkout.session": {
        "customer": Customer, "payment_intent": PaymentIntent, "subscription": Subscription, "invoice": Invoice,
        "payment_link": PaymentLink,
    },
}  # fmt: skip

# Fields that could be expanded but never hold anything here: asking for them is no mistake.
EMPTY: dict[str, frozenset[str]] = {
    "customer": frozenset({"default_source", "test_clock"}),
    "customer_balance_transaction": frozenset({"checkout_session"}),
    "product": frozenset({"tax_code"}),
    "payment_intent": frozenset({"application", "on_behalf_of", "review", "source"}),
    "setup_intent": frozenset({"application", "latest_attempt", "mandate", "on_behalf_of", "single_use_mandate"}),
    "charge": frozenset({
        "application", "application_fee", "failure_balance_transaction", "on_behalf_of", "review", "source_transfer", "transfer",
    }),
    "refund": frozenset({"failure_balance_transaction", "source_transfer_reversal", "transfer_reversal"}),
    "invoice": frozenset({
        "account_tax_ids", "application", "default_source", "latest_revision", "on_behalf_of", "test_clock",
    }),
    "invoiceitem": frozenset({"discounts", "test_clock"}),
    "subscription": frozenset({
        "application", "default_source", "on_behalf_of", "pending_setup_intent", "schedule", "test_clock",
    }),
    "subscription_item": frozenset({"discounts"}),
    "payout": frozenset({"destination", "original_payout", "reversed_by"}),
    "checkout.session": frozenset({"setup_intent"}),
    "payment_link": frozenset({"application", "on_behalf_of"}),
}  # fmt: skip

_BY_PREFIX: dict[str, type[Row]] = {"ch": Charge, "re": Refund, "du": Dispute, "po": Payout}


def _refunds(ctx: Ctx, of: Object) -> Object:
    rows = ctx.db.find(Refund, charge=of["id"], order="-created", limit=11)
    return listed([show(ctx, r) for r in rows[:10]], f"/v1/charges/{of['id']}/refunds", has_more=len(rows) > 10)


def _subscriptions(ctx: Ctx, of: Object) -> Object:
    rows = ctx.db.find(Subscription, customer=of["id"], status__ne="canceled", order="-created", limit=11)
    return listed([show(ctx, r) for r in rows[:10]], f"/v1/customers/{of['id']}/subscriptions", has_more=len(rows) > 10)


def _payments(ctx: Ctx, of: Object) -> Object:
    rows = ctx.db.find(InvoicePayment, invoice=of["id"], order="created")
    return listed([show(ctx, r) for r in rows], "/v1/invoice_payments")


def _confirmation_secret(ctx: Ctx, of: Object) -> Object | None:
    payment = ctx.db.first(InvoicePayment, invoice=of["id"])
    intent = ctx.db.get(PaymentIntent, payment.payment_intent) if payment else None
    return {"client_secret": intent.client_secret, "type": "payment_intent"} if intent else None


def _session_items(ctx: Ctx, of: Object) -> Object:
    row = ctx.require(CheckoutSession, of["id"])
    return listed(cart(ctx, row.items, row.currency), f"/v1/checkout/sessions/{row.id}/line_items")


def _link_items(ctx: Ctx, of: Object) -> Object:
    row = ctx.require(PaymentLink, of["id"])
    return listed(cart(ctx, row.items, row.currency), f"/v1/payment_links/{row.id}/line_items")


def _applies_to(ctx: Ctx, of: Object) -> Object | None:
    row = ctx.db.get(Coupon, of["id"])
    return {"products": row.applies_to} if row and row.applies_to else None


# Fields that an object has only when they are asked for.
EXTRAS: dict[tuple[str, str], Callable[[Ctx, Object], Any]] = {
    ("charge", "refunds"): _refunds,
    ("customer", "subscriptions"): _subscriptions,
    ("customer", "sources"): lambda ctx, of: listed([], f"/v1/customers/{of['id']}/sources"),
    ("customer", "tax_ids"): lambda ctx, of: listed([], f"/v1/customers/{of['id']}/tax_ids"),
    ("invoice", "payments"): _payments,
    ("invoice", "confirmation_secret"): _confirmation_secret,
    ("checkout.session", "line_items"): _session_items,
    ("payment_link", "line_items"): _link_items,
    ("coupon", "applies_to"): _applies_to,
    ("price", "currency_options"): lambda ctx, of: {
        of["currency"]: {"unit_amount": of["unit_amount"], "tax_behavior": of["tax_behavior"]}
    },
}


def expanded(ctx: Ctx, body: Any) -> Any:
    """The answer with what its caller asked to be expanded."""
    paths = ctx.sent().get("expand")
    if paths is MISSING or not paths or not isinstance(body, dict):
        return body
    for path in paths:
        parts = path.split(".")
        if len([p for p in parts if p != "data"]) > MAX_LEVELS:
            raise refuse(
                f"You cannot expand more than {MAX_LEVELS} levels of a property. Property: {path}", param="expand"
            )
        _expand(ctx, body, parts, path, str(body.get("object", "")), "", body)
    return body


def _expand(ctx: Ctx, node: Any, parts: list[str], path: str, kind: str, below: str, root: Object) -> None:
    """Expands along `parts` under a node: an object of a kind, or the part `below` of one."""
    if not parts or node is None:
        return
    if isinstance(node, list):
        for item in node:
            _expand(ctx, item, parts, path, *_place(item, kind, below), root)
        return
    name, rest = parts[0], parts[1:]
    field = f"{below}.{name}" if below else name
    if not isinstance(node, dict):
        raise _cannot(path, root)
    if not below and (kind, name) in EXTRAS and name not in node:
        node[name] = EXTRAS[kind, name](ctx, node)
    elif field in EDGES.get(kind, {}):
        node[name] = _loaded(ctx, node.get(name), EDGES[kind][field])
    elif (name == "total_count" and kind == "search_result") or field in EMPTY.get(kind, ()):
        return
    elif (not isinstance(node.get(name), (dict, list)) and not _leads_on(kind, field)) or (
        not rest and not (isinstance(node.get(name), dict) and "object" in node[name]) and (kind, name) not in EXTRAS
    ):
        raise _cannot(path, root)
    inner = node.get(name)
    _expand(ctx, inner, rest, path, *_place(inner, kind, field), root)


def _place(node: Any, kind: str, below: str) -> tuple[str, str]:
    if isinstance(node, Mapping) and "object" in node:
        return str(node["object"]), ""
    return kind, below


def _leads_on(kind: str, field: str) -> bool:
    return any(edge.startswith(field + ".") for edge in EDGES.get(kind, {}))


def _loaded(ctx: Ctx, value: Any, model: type[Row] | None) -> Any:
    if isinstance(value, list):
        return [_loaded(ctx, v, model) for v in value]
    if not isinstance(value, str):
        return value
    model = model or _BY_PREFIX.get(value.partition("_")[0])
    row = ctx.db.get(model, value) if model else None
    return show(ctx, row) if row else value


def _cannot(path: str, root: Object) -> Exception:
    message = f"This property cannot be expanded ({path})."
    if root.get("object") in ("list", "search_result") and not path.startswith("data"):
        message += f" You may want to try expanding 'data.{path}' instead."
    return refuse(message, param="expand")
