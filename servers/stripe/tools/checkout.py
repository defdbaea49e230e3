"""Checkout sessions. https://docs.stripe.com/api/checkout/sessions"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field

from ..app import app
from ..discounts import check_minimum, usable_coupon
from ..errors import no_such, refuse
from ..events import emit
from ..ids import new
from ..lists import listing, whole
from ..lookups import email_address, living
from ..models import CheckoutSession, Price, PromotionCode
from ..money import check_charge_amount, percent
from ..params import (
    After,
    AutomaticTaxParam,
    Before,
    Created,
    DiscountParam,
    Expand,
    ExpandBody,
    Limit,
    MetadataParam,
    Params,
    Text,
    asked,
    check_automatic_tax,
    given,
    merged,
    times,
)
from ..render_billing import cart
from ..resources import show
from .price_data import Inline, chosen, inline_price

DAY = 86400


class LineParam(Params):
    """A price and how many of it."""

    price: str | None = Field(default=None, description="ID of the price.")
    price_data: Inline = Field(default=None, description="A price for this purchase alone, instead of `price`.")
    quantity: int = Field(default=1, ge=1, le=999999, description="How many.")


Lines = Annotated[list[LineParam], Field(min_length=1, max_length=100)]


def cart_items(
    ctx: Ctx, lines: Sequence[LineParam], place: str = "line_items"
) -> tuple[list[dict[str, Any]], list[Price]]:
    """The lines of a purchase and their prices, all of one currency."""
    items, prices = list[dict[str, Any]](), list[Price]()
    for i, line in enumerate(lines):
        chosen(line.price, line.price_data, f"{place}[{i}]")
        if line.price_data is not None:
            price = inline_price(ctx, line.price_data, f"{place}[{i}][price_data]", products=True)
        else:
            price = ctx.db.get(Price, line.price)
        if price is None:
            raise no_such("Price", line.price, param=f"{place}[{i}][price]", status=400)
        if not price.active and line.price_data is None:
            raise refuse(
                f"The price specified is inactive. This field only accepts active prices. Price: {price.id}",
                param=f"{place}[{i}][price]",
            )
        if prices and price.currency != prices[0].currency:
            raise refuse("All prices must have the same currency.", param=f"{place}[{i}][price]")
        items.append({"id": new(ctx, "li"), "price": price.id, "quantity": line.quantity, "amount_discount": 0})
        prices.append(price)
    return items, prices


def _check_mode(mode: str, prices: Sequence[Price]) -> None:
    recurring = [p for p in prices if p.interval]
    if mode == "payment" and recurring:
        raise refuse("You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time "
                     "prices.", param="mode")  # fmt: skip
    if mode == "subscription" and not recurring:
        raise refuse(
            "You must provide at least one recurring price in `subscription` mode when using prices.", param="mode"
        )


@app.post("/v1/checkout/sessions", tool="create_checkout_session")
def create_checkout_session(
    ctx: Ctx, mode: Literal["payment", "setup", "subscription"] = "payment", line_items: Lines | MISSING = MISSING,
    success_url: Text | MISSING = MISSING, cancel_url: Text | MISSING = MISSING, customer: str | MISSING = MISSING,
    customer_email: str | MISSING = MISSING,
    client_reference_id: Annotated[Annotated[str, Field(max_length=200)] | MISSING, Body(mcp=False)] = MISSING,
    discounts: Annotated[list[DiscountParam], Field(max_length=1)] | MISSING = MISSING, automatic_tax: AutomaticTaxParam = MISSING,
    allow_promotion_codes: bool | MISSING = MISSING, expires_at: int | MISSING = MISSING,
    ui_mode: Annotated[Literal["hosted", "hosted_page"] | MISSING, Body(mcp=False)] = MISSING,
    payment_method_types: Annotated[list[str] | MISSING, Body(mcp=False)] = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a checkout session: a page, open for a day, where a customer pays. The answer's `url` is the page.

    mode: Whether the customer pays once, subscribes, or only saves a payment method.
    line_items: What is bought.
    success_url: Where the customer goes after paying.
    cancel_url: Where the customer goes to turn back.
    customer: Who pays.
    customer_email: Email address to fill in, where there is no customer yet.
    client_reference_id: A reference of your own, such as a cart's.
    discounts: A coupon or promotion code to apply.
    allow_promotion_codes: Whether the customer may enter promotion codes.
    automatic_tax: Whether Stripe Tax calculates the tax.
    expires_at: Until when it is open (Unix seconds), half an hour to a day from now.
    ui_mode: Only the hosted page is simulated.
    payment_method_types: Types of payment methods to allow.
    """
    if mode != "setup" and line_items is MISSING:
        raise refuse("Missing required param: line_items.", code="parameter_missing", param="line_items")
    if success_url is MISSING:
        raise refuse("Missing required param: success_url.", code="parameter_missing", param="success_url")
    if customer is not MISSING and customer_email is not MISSING:
        raise refuse("You may only specify one of these parameters: customer, customer_email.", param="customer_email")
    if discounts is not MISSING and allow_promotion_codes is not MISSING:
        raise refuse(
            "You may only specify one of these parameters: allow_promotion_codes, discounts.",
            param="allow_promotion_codes",
        )
    email_address(customer_email, "customer_email")
    check_automatic_tax(automatic_tax)
    now = ctx.epoch()
    end = now + DAY if expires_at is MISSING else expires_at
    if not now + 1800 <= end <= now + DAY:
        raise refuse(
            "The `expires_at` timestamp must be at least 30 minutes and less than 24 hours from Checkout Session creation.",
            param="expires_at",
        )
    payer = living(ctx, customer).id if customer is not MISSING else None
    items, prices = cart_items(ctx, [] if line_items is MISSING else line_items)
    if mode != "setup":
        _check_mode(mode, prices)
    subtotal = sum(p.unit_amount * i["quantity"] for p, i in zip(prices, items, strict=True))
    off = _discounted(ctx, items, prices, [] if discounts is MISSING else discounts)
    if mode == "payment" and subtotal - off > 0:
        check_charge_amount(subtotal - off, prices[0].currency, "line_items")
    values = given(
        ctx.sent(), "line_items", "customer", "discounts", "expires_at", "ui_mode", "payment_method_types", "metadata", "mode",
        "automatic_tax",
    )  # fmt: skip
    shown = (
        [] if discounts is MISSING else [{"coupon": d.coupon, "promotion_code": d.promotion_code} for d in discounts]
    )
    row = ctx.db.add(
        CheckoutSession(
            id=new(ctx, "cs"), created=now, mode=mode, items=items, currency=prices[0].currency if prices else None, customer=payer,
            amount_subtotal=subtotal if prices else None, amount_total=subtotal - off if prices else None, amount_discount=off,
            discounts=shown, expires_at=end, metadata_=merged({}, metadata), **values,
        )
    )  # fmt: skip
    return show(ctx, row)


def _discounted(
    ctx: Ctx, items: list[dict[str, Any]], prices: Sequence[Price], asked_for: Sequence[DiscountParam]
) -> int:
    """How much the discount takes off; noted at each line."""
    total = 0
    for one in asked_for:
        key = one.coupon
        if one.promotion_code:
            code = ctx.db.get(PromotionCode, one.promotion_code)
            if code is None:
                raise no_such("PromotionCode", one.promotion_code, param="discounts[0][promotion_code]", status=400)
            if not code.active:
                raise refuse(
                    "This promotion code is inactive.",
                    code="promotion_code_expired",
                    param="discounts[0][promotion_code]",
                )
            bought = sum(p.unit_amount * i["quantity"] for p, i in zip(prices, items, strict=True))
            check_minimum(code, bought, prices[0].currency, "discounts[0][promotion_code]")
            key = code.coupon
        coupon = usable_coupon(ctx, key or "", "discounts[0][coupon]")
        left = coupon.amount_off
        for item, price in zip(items, prices, strict=True):
            amount = price.unit_amount * item["quantity"]
            if coupon.applies_to and price.product not in coupon.applies_to:
                continue
            off = percent(amount, coupon.percent_off) if coupon.percent_off is not None else min(left or 0, amount)
            if left is not None:
                left -= off
            item["amount_discount"] = off
            total += off
    return total


@app.get("/v1/checkout/sessions/{session}", tool="retrieve_checkout_session", mcp=False)
def retrieve_checkout_session(ctx: Ctx, session: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a checkout session.

    session: The session's ID.
    """
    return show(ctx, ctx.require(CheckoutSession, session))


@app.get("/v1/checkout/sessions", tool="list_checkout_sessions", mcp=False)
def list_checkout_sessions(
    ctx: Ctx, customer: str | MISSING = MISSING, status: Literal["open", "complete", "expired"] | MISSING = MISSING,
    payment_link: str | MISSING = MISSING, created: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING,
    ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists checkout sessions, newest first.

    customer: Only those of this customer.
    status: Only with this status.
    payment_link: Only those of this payment link.
    """
    filters = {
        "customer": asked(customer), "status": asked(status), "payment_link": asked(payment_link), **times("created", created),
    }  # fmt: skip
    return listing(ctx, CheckoutSession, "/v1/checkout/sessions", limit, starting_after, ending_before, **filters)


@app.get("/v1/checkout/sessions/{session}/line_items", tool="list_checkout_session_line_items", mcp=False)
def list_checkout_session_line_items(
    ctx: Ctx,
    session: str,
    limit: Limit = 10,
    starting_after: After = MISSING,
    ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:
    """Lists what a checkout session sells.

    session: The session's ID.
    """
    row = ctx.require(CheckoutSession, session)
    url = f"/v1/checkout/sessions/{row.id}/line_items"
    return whole(ctx, cart(ctx, row.items, row.currency), url, limit, starting_after, ending_before)


@app.post("/v1/checkout/sessions/{session}/expire", tool="expire_checkout_session", effect="transition", mcp=False)
def expire_checkout_session(ctx: Ctx, session: str, expand: ExpandBody = MISSING) -> dict[str, Any]:
    """Closes an open checkout session, so that nobody can pay there any more.

    session: The session's ID.
    """
    row = ctx.require(CheckoutSession, session)
    if row.status != "open":
        raise refuse(
            "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of "
            f"{row.status}.", param="session",
        )  # fmt: skip
    ctx.db.update(row, status="expired")
    emit(ctx, "checkout.session.expired", row)
    return show(ctx, row)
