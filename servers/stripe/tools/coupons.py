"""Coupons, promotion codes and tax rates. https://docs.stripe.com/api/coupons"""

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from legoenv_mcp.app import MISSING, Body, Ctx, Field

from ..app import app
from ..discounts import usable_coupon
from ..errors import no_such, refuse
from ..events import emit
from ..ids import code as short_code
from ..ids import new
from ..lists import listing
from ..lookups import living
from ..models import Coupon, Discount, Product, PromotionCode, Subscription, TaxRate
from ..money import known_currency
from ..params import (
    After,
    Before,
    Created,
    Expand,
    ExpandBody,
    Limit,
    MetadataParam,
    Params,
    asked,
    given,
    merged,
    times,
)
from ..resources import deleted, show


class AppliesTo(Params):
    """What a coupon is good for."""

    products: list[str] = Field(description="IDs of the products.")


class Promotion(Params):
    """What a promotion code gives."""

    type: Literal["coupon"] = Field(description="Always `coupon`.")
    coupon: str = Field(description="ID of the coupon.")


class Restrictions(Params):
    """When a promotion code is good."""

    first_time_transaction: bool = Field(default=False, description="Only for a customer's first payment.")
    minimum_amount: int | None = Field(
        default=None, ge=1, description="Least amount of the purchase, in the smallest unit."
    )
    minimum_amount_currency: str | None = Field(default=None, description="The minimum amount's currency.")


@app.post("/v1/coupons", tool="create_coupon")
def create_coupon(
    ctx: Ctx, duration: Literal["forever", "once", "repeating"] = "once",
    percent_off: Annotated[float, Field(gt=0, le=100)] | MISSING = MISSING,
    amount_off: Annotated[int, Field(ge=1)] | MISSING = MISSING, currency: str | MISSING = MISSING,
    duration_in_months: Annotated[int, Field(ge=1)] | MISSING = MISSING,
    name: Annotated[str, Field(max_length=40)] | MISSING = MISSING,
    id: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_-]+$")] | MISSING = MISSING,
    applies_to: AppliesTo | MISSING = MISSING, max_redemptions: Annotated[int, Field(ge=1)] | MISSING = MISSING,
    redeem_by: int | MISSING = MISSING, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a coupon: a percentage or an amount off invoices. Customers get it by a discount on an invoice or subscription, or by a
    promotion code.

    duration: For how long it lasts on a subscription: `once`, `repeating` for some months, or `forever`.
    percent_off: How many percent off, above 0 and up to 100.
    amount_off: How much off, in the smallest unit; instead of a percentage.
    currency: The amount's three-letter currency code.
    duration_in_months: For how many months, where the duration is `repeating`.
    name: A name that customers see.
    id: An ID of your own choice, such as a code; by default one is made.
    applies_to: Products that it is limited to.
    max_redemptions: How often it can be redeemed in all.
    redeem_by: Until when it can be redeemed (Unix seconds).
    """
    if (percent_off is MISSING) == (amount_off is MISSING):
        raise refuse(
            "Must provide either percent_off or amount_off" + ("." if percent_off is MISSING else ", but not both.")
        )
    if amount_off is not MISSING and currency is MISSING:
        raise refuse("Missing required param: currency.", code="parameter_missing", param="currency")
    if (duration == "repeating") != (duration_in_months is not MISSING):
        if duration == "repeating":
            raise refuse(
                "Missing required param: duration_in_months.", code="parameter_missing", param="duration_in_months"
            )
        raise refuse(
            "You can only use `duration_in_months` when `duration` is `repeating`.", param="duration_in_months"
        )
    if redeem_by is not MISSING and redeem_by <= ctx.epoch():
        raise refuse("redeem_by must be in the future.", param="redeem_by")
    key = id if id is not MISSING else short_code(ctx, "coupon")
    if ctx.db.get(Coupon, key):
        raise refuse("Coupon already exists.", code="resource_already_exists", param="id")
    values = given(ctx.sent(), "id", "applies_to", "metadata", "currency")
    values["currency"] = known_currency(currency) if amount_off is not MISSING and currency is not MISSING else None
    if applies_to is not MISSING:
        for i, product in enumerate(applies_to.products):
            if ctx.db.get(Product, product) is None:
                raise no_such("Product", product, param=f"applies_to[products][{i}]", status=400)
        values["applies_to"] = applies_to.products
    row = ctx.db.add(
        Coupon(id=key, created=ctx.epoch(), metadata_=merged({}, metadata), **{"duration": duration, **values})
    )
    emit(ctx, "coupon.created", row)
    return show(ctx, row)


@app.get("/v1/coupons", tool="list_coupons")
def list_coupons(
    ctx: Ctx, created: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING, ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists coupons, newest first."""
    return listing(ctx, Coupon, "/v1/coupons", limit, starting_after, ending_before, **times("created", created))


@app.get("/v1/coupons/{coupon}", tool="retrieve_coupon", mcp=False)
def retrieve_coupon(ctx: Ctx, coupon: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a coupon.

    coupon: The coupon's ID.
    """
    return show(ctx, ctx.require(Coupon, coupon))


@app.post("/v1/coupons/{coupon}", tool="update_coupon", effect="update", mcp=False)
def update_coupon(
    ctx: Ctx, coupon: str, name: Annotated[str, Field(max_length=40)] | MISSING = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a coupon's name or metadata; what it gives never changes.

    coupon: The coupon's ID.
    name: A name that customers see.
    """
    row = ctx.require(Coupon, coupon)
    was = show(ctx, row)
    changes = given(ctx.sent(), "metadata")
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    emit(ctx, "coupon.updated", row, was=was)
    return show(ctx, row)


@app.delete("/v1/coupons/{coupon}", tool="delete_coupon", mcp=False)
def delete_coupon(ctx: Ctx, coupon: str) -> dict[str, Any]:
    """Deletes a coupon: nobody can redeem it any more. Discounts given by it stay.

    coupon: The coupon's ID.
    """
    row = ctx.require(Coupon, coupon)
    for code in ctx.db.find(PromotionCode, coupon=row.id, active=True):
        ctx.db.update(code, active=False)
    emit(ctx, "coupon.deleted", row)
    ctx.db.delete(row)
    return deleted("coupon", coupon)


@app.post("/v1/promotion_codes", tool="create_promotion_code")
def create_promotion_code(
    ctx: Ctx, promotion: Promotion | MISSING = MISSING, coupon: Annotated[str | MISSING, Body(mcp=False)] = MISSING,
    code: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[A-Za-z0-9-]+$")] | MISSING = MISSING,
    active: bool = True,
    customer: str | MISSING = MISSING, expires_at: int | MISSING = MISSING,
    max_redemptions: Annotated[int, Field(ge=1)] | MISSING = MISSING, restrictions: Restrictions | MISSING = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a code that customers can enter to get a coupon's discount.

    promotion: What the code gives: a coupon.
    coupon: The coupon's ID, as older API versions name it.
    code: The code itself, case does not matter; by default one is made. Unique among active codes.
    active: Whether it can be used.
    customer: The only customer who may use it.
    expires_at: Until when it can be used (Unix seconds).
    max_redemptions: How often it can be used in all.
    restrictions: When it is good.
    """
    of = promotion.coupon if promotion is not MISSING else asked(coupon)
    if of is None:
        raise refuse("Missing required param: promotion.", code="parameter_missing", param="promotion")
    usable_coupon(ctx, of, "promotion[coupon]")
    word = code.upper() if code is not MISSING else short_code(ctx, "promotion code")
    if active and ctx.db.first(PromotionCode, code=word, active=True):
        raise refuse(
            "An active promotion code with this code already exists.", code="resource_already_exists", param="code"
        )
    values = given(ctx.sent(), "promotion", "coupon", "code", "customer", "restrictions", "metadata")
    if restrictions is not MISSING:
        if (restrictions.minimum_amount is None) != (restrictions.minimum_amount_currency is None):
            raise refuse("minimum_amount and minimum_amount_currency must be given together.", param="restrictions")
        values |= restrictions.model_dump()
    row = ctx.db.add(
        PromotionCode(
            id=new(ctx, "promo"), created=ctx.epoch(), code=word, coupon=of, metadata_=merged({}, metadata),
            customer=living(ctx, customer).id if customer is not MISSING else None, **values,
        )
    )  # fmt: skip
    emit(ctx, "promotion_code.created", row)
    return show(ctx, row)


@app.get("/v1/promotion_codes", tool="list_promotion_codes", mcp=False)
def list_promotion_codes(
    ctx: Ctx, code: str | MISSING = MISSING, coupon: str | MISSING = MISSING, active: bool | MISSING = MISSING,
    customer: str | MISSING = MISSING, created: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING,
    ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists promotion codes, newest first.

    code: Only this code, whatever its case.
    coupon: Only those of this coupon.
    active: Only those that can or cannot be used.
    customer: Only those limited to this customer.
    """
    filters = {
        "code": None if code is MISSING else code.upper(), "coupon": asked(coupon), "active": asked(active), "customer": asked(customer),
        **times("created", created),
    }  # fmt: skip
    return listing(ctx, PromotionCode, "/v1/promotion_codes", limit, starting_after, ending_before, **filters)


@app.get("/v1/promotion_codes/{promotion_code}", tool="retrieve_promotion_code", mcp=False)
def retrieve_promotion_code(ctx: Ctx, promotion_code: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a promotion code.

    promotion_code: The promotion code's ID.
    """
    return show(ctx, ctx.require(PromotionCode, promotion_code))


@app.post("/v1/promotion_codes/{promotion_code}", tool="update_promotion_code", effect="update", mcp=False)
def update_promotion_code(
    ctx: Ctx,
    promotion_code: str,
    active: bool | MISSING = MISSING,
    metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:
    """Switches a promotion code on or off, or changes its metadata.

    promotion_code: The promotion code's ID.
    active: Whether it can be used.
    """
    row = ctx.require(PromotionCode, promotion_code)
    was = show(ctx, row)
    if active is True and not row.active:
        usable_coupon(ctx, row.coupon)
        if ctx.db.first(PromotionCode, code=row.code, active=True):
            raise refuse(
                "An active promotion code with this code already exists.",
                code="resource_already_exists",
                param="active",
            )
    changes = given(ctx.sent(), "metadata")
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    emit(ctx, "promotion_code.updated", row, was=was)
    return show(ctx, row)


@app.delete("/v1/subscriptions/{subscription}/discount", tool="delete_subscription_discount", mcp=False)
def delete_subscription_discount(ctx: Ctx, subscription: str) -> dict[str, Any]:
    """Takes the discounts off a subscription.

    subscription: The subscription's ID.
    """
    row = ctx.require(Subscription, subscription)
    if not row.discounts:
        raise refuse("No active discount for subscription", code="resource_missing", param="subscription", status=404)
    gone = ctx.require(Discount, row.discounts[0])
    was = show(ctx, row)
    ctx.db.update(row, discounts=[])
    emit(ctx, "customer.discount.deleted", gone)
    emit(ctx, "customer.subscription.updated", row, was=was)
    return {**show(ctx, gone), "deleted": True}


@app.post("/v1/tax_rates", tool="create_tax_rate", mcp=False)
def create_tax_rate(
    ctx: Ctx, display_name: Annotated[str, Field(min_length=1, max_length=50)], percentage: Annotated[float, Field(ge=0, le=100)],
    inclusive: bool, active: bool = True, country: str | MISSING = MISSING, description: str | MISSING = MISSING,
    jurisdiction: str | MISSING = MISSING, state: str | MISSING = MISSING,
    tax_type: Literal["gst", "hst", "jct", "pst", "qst", "rst", "sales_tax", "vat"] | MISSING = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a tax rate, to be applied to invoices and subscriptions.

    display_name: What customers see, such as `VAT`.
    percentage: The rate in percent.
    inclusive: Whether prices contain the tax already.
    active: Whether it can be applied.
    country: Two-letter country code.
    description: A note for yourself.
    jurisdiction: Where it applies, as customers see it.
    state: The state or region.
    tax_type: What tax it is.
    """
    row = ctx.db.add(
        TaxRate(
            id=new(ctx, "txr"), created=ctx.epoch(), metadata_=merged({}, metadata), **given(ctx.sent(), "metadata")
        )
    )
    emit(ctx, "tax_rate.created", row)
    return show(ctx, row)


@app.get("/v1/tax_rates", tool="list_tax_rates", mcp=False)
def list_tax_rates(
    ctx: Ctx, active: bool | MISSING = MISSING, inclusive: bool | MISSING = MISSING, created: Created = MISSING, limit: Limit = 10,
    starting_after: After = MISSING, ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists tax rates, newest first.

    active: Only those that can or cannot be applied.
    inclusive: Only those that prices contain, or those on top.
    """
    filters = {"active": asked(active), "inclusive": asked(inclusive), **times("created", created)}
    return listing(ctx, TaxRate, "/v1/tax_rates", limit, starting_after, ending_before, **filters)


@app.get("/v1/tax_rates/{tax_rate}", tool="retrieve_tax_rate", mcp=False)
def retrieve_tax_rate(ctx: Ctx, tax_rate: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a tax rate.

    tax_rate: The tax rate's ID.
    """
    return show(ctx, ctx.require(TaxRate, tax_rate))


@app.post("/v1/tax_rates/{tax_rate}", tool="update_tax_rate", effect="update", mcp=False)
def update_tax_rate(
    ctx: Ctx, tax_rate: str, active: bool | MISSING = MISSING,
    display_name: Annotated[str, Field(min_length=1, max_length=50)] | MISSING = MISSING, description: str | MISSING = MISSING,
    jurisdiction: str | MISSING = MISSING, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a tax rate's names, or archives it. The percentage never changes.

    tax_rate: The tax rate's ID.
    active: Whether it can be applied.
    display_name: What customers see.
    description: A note for yourself.
    jurisdiction: Where it applies.
    """
    row = ctx.require(TaxRate, tax_rate)
    was = show(ctx, row)
    changes = given(ctx.sent(), "metadata")
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    emit(ctx, "tax_rate.updated", row, was=was)
    return show(ctx, row)
