"""Coupons and promotion codes as applied: checked, counted, and written down as discounts. https://docs.stripe.com/api/discounts"""

from collections.abc import Sequence
from typing import Any

from legoenv_mcp.app import Ctx

from .errors import no_such, refuse
from .ids import new
from .models import Charge, Coupon, Customer, Discount, Invoice, PromotionCode
from .money import display
from .params import DiscountParam
from .render_billing import coupon_terms, coupon_valid
from .subscription_dates import add_interval


def usable_coupon(ctx: Ctx, key: str, param: str = "coupon") -> Coupon:
    """A coupon that can still be redeemed."""
    coupon = ctx.db.get(Coupon, key)
    if coupon is None:
        raise no_such("Coupon", key, param=param, status=400)
    if not coupon_valid(coupon, int(ctx.now.timestamp())):
        raise refuse(f"Coupon expired: {key}", code="coupon_expired", param=param)
    return coupon


def _promoted(ctx: Ctx, key: str, customer: Customer, param: str) -> tuple[PromotionCode, Coupon]:
    code = ctx.db.get(PromotionCode, key)
    if code is None:
        raise no_such("PromotionCode", key, param=param, status=400)
    now = int(ctx.now.timestamp())
    used_up = code.max_redemptions is not None and code.times_redeemed >= code.max_redemptions
    if not code.active or used_up or (code.expires_at is not None and code.expires_at < now):
        raise refuse("This promotion code is invalid or has expired.", code="promotion_code_expired", param=param)
    if code.customer and code.customer != customer.id:
        raise refuse(
            "This promotion code cannot be redeemed because it is restricted to another customer.", param=param
        )
    if code.first_time_transaction and ctx.db.first(Charge, customer=customer.id, paid=True):
        raise refuse(
            "This promotion code cannot be redeemed because the associated customer has prior transactions.",
            code="promotion_code_customer_not_first_time", param=param,
        )  # fmt: skip
    return code, usable_coupon(ctx, code.coupon, param)


def check_minimum(code: PromotionCode, amount: int | None, currency: str, param: str) -> None:
    """A promotion code may be good for larger purchases only."""
    least = code.minimum_amount if code.minimum_amount_currency == currency else None
    if least is not None and amount is not None and amount < least:
        raise refuse(
            f"This promotion code cannot be redeemed because the amount is below its minimum of {display(least, currency)}.",
            param=param,
        )


def apply(
    ctx: Ctx,
    asked: Sequence[DiscountParam],
    customer: Customer,
    currency: str,
    *,
    invoice: str | None = None,
    subscription: str | None = None,
    amount: int | None = None,
) -> list[str]:
    """Redeems what was asked for; the ids of the discounts. `amount` is what is bought, where that is known."""
    made = list[str]()
    for i, one in enumerate(asked):
        param = f"discounts[{i}]"
        if one.discount:
            found = ctx.db.get(Discount, one.discount)
            if found is None:
                raise no_such("Discount", one.discount, param=f"{param}[discount]", status=400)
            made.append(found.id)
            continue
        code = None
        if one.promotion_code:
            code, coupon = _promoted(ctx, one.promotion_code, customer, f"{param}[promotion_code]")
            check_minimum(code, amount, currency, f"{param}[promotion_code]")
        elif one.coupon:
            coupon = usable_coupon(ctx, one.coupon, f"{param}[coupon]")
        else:
            raise refuse(
                "You must specify one of coupon, discount or promotion_code.", code="parameter_missing", param=param
            )
        made.append(_redeem(ctx, coupon, code, customer, currency, f"{param}[coupon]", invoice, subscription).id)
    return made


def _redeem(
    ctx: Ctx, coupon: Coupon, code: PromotionCode | None, customer: Customer, currency: str, param: str, invoice: str | None,
    subscription: str | None,
) -> Discount:  # fmt: skip
    if coupon.amount_off is not None and coupon.currency != currency:
        raise refuse(
            f"The coupon {coupon.id} is in {coupon.currency}, but the currency here is {currency}.", param=param
        )
    months = coupon.duration_in_months if coupon.duration == "repeating" else None
    now = ctx.epoch()
    row = ctx.db.add(
        Discount(
            id=new(ctx, "di"), coupon=coupon.id, terms={**coupon_terms(coupon), "products": coupon.applies_to}, customer=customer.id,
            end=add_interval(now, "month", months) if months else None, invoice=invoice, promotion_code=code and code.id, start=now,
            subscription=subscription,
        )
    )  # fmt: skip
    ctx.db.update(coupon, times_redeemed=coupon.times_redeemed + 1)
    if code:
        ctx.db.update(code, times_redeemed=code.times_redeemed + 1)
    return row


def running(ctx: Ctx, keys: Sequence[str], invoice: Invoice | None = None, *, first: bool = False) -> list[str]:
    """Which of a subscription's discounts still count on its next invoice: `once` is spent on the first."""
    now, out = int(ctx.now.timestamp()), list[str]()
    for key in keys:
        row = ctx.db.get(Discount, key)
        if row and (row.end is None or row.end > now) and (first or row.terms["duration"] != "once"):
            out.append(key)
    return out


def terms_of(ctx: Ctx, keys: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Each discount's id and the coupon's terms when it was applied."""
    return [(key, row.terms) for key in keys if (row := ctx.db.get(Discount, key))]
