"""Price rules and their discount codes. https://shopify.dev/docs/api/admin-rest/2025-01/resources/pricerule"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Reply

from .. import money
from ..app import app
from ..errors import BLANK, not_found, refused
from ..inputs import Input
from ..models import DiscountCode, PriceRule, new
from ..paging import CreatedMax, CreatedMin, Fields, Limit, PageInfo, RestTime, SinceId, asked, filters, listing, moment
from ..resources import gid, times

LISTS = (
    "prerequisite_customer_ids", "entitled_product_ids", "entitled_variant_ids", "entitled_collection_ids", "entitled_country_ids",
    "prerequisite_product_ids", "prerequisite_variant_ids", "prerequisite_collection_ids",
)  # fmt: skip

RANGES = ("prerequisite_subtotal_range", "prerequisite_quantity_range", "prerequisite_shipping_price_range")


class RangeInput(Input):
    """A bound."""

    greater_than_or_equal_to: str | None = Field(default=None, description="At least this.")
    less_than_or_equal_to: str | None = Field(default=None, description="At most this.")


class PriceRuleInput(Input):
    """A price rule."""

    title: str | None = Field(default=None, max_length=255, description="Its name.")
    value_type: Literal["fixed_amount", "percentage"] | None = Field(default=None, description="What `value` means.")
    value: str | None = Field(default=None, description="What is off, below zero: -10.0.")
    target_type: Literal["line_item", "shipping_line"] | None = Field(default=None, description="What it is off.")
    target_selection: Literal["all", "entitled"] | None = Field(
        default=None, description="Whether all of them, or the entitled ones."
    )
    allocation_method: Literal["each", "across"] | None = Field(
        default=None, description="Off each item, or off all of them together."
    )
    customer_selection: Literal["all", "prerequisite"] | None = Field(
        default=None, description="Whether any customer may use it."
    )
    starts_at: str | None = Field(default=None, description="From when it holds.")
    ends_at: str | None = Field(default=None, description="Until when it holds.")
    usage_limit: int | None = Field(default=None, ge=1, description="How often it may be used.")
    once_per_customer: bool | None = Field(default=None, description="Whether a customer may use it once only.")
    allocation_limit: int | None = Field(default=None, ge=1, description="How often it counts in one order.")
    prerequisite_subtotal_range: RangeInput | None = Field(default=None, description="What the order must come to.")
    prerequisite_quantity_range: RangeInput | None = Field(
        default=None, description="How many items the order must have."
    )
    prerequisite_customer_ids: list[int] | None = Field(default=None, description="Customers who may use it.")
    entitled_product_ids: list[int] | None = Field(default=None, description="Products it is off.")
    entitled_variant_ids: list[int] | None = Field(default=None, description="Variants it is off.")
    entitled_collection_ids: list[int] | None = Field(default=None, description="Collections it is off.")


class CodeInput(Input):
    """A discount code."""

    code: str | None = Field(default=None, max_length=255, description="What customers type.")


def show_rule(ctx: Ctx, r: PriceRule) -> dict[str, Any]:
    lists = {name: r.details.get(name, []) for name in LISTS}
    ranges = {name: r.details.get(name) for name in RANGES}
    return {
        "id": r.id, "value_type": r.value_type, "value": f"{r.value / 100:.1f}", "customer_selection": r.customer_selection,
        "target_type": r.target_type, "target_selection": r.target_selection, "allocation_method": r.allocation_method,
        "allocation_limit": r.allocation_limit, "once_per_customer": r.once_per_customer, "usage_limit": r.usage_limit,
        **times(ctx, r, "starts_at", "ends_at", "created_at", "updated_at"), **lists, **ranges,
        "prerequisite_to_entitlement_quantity_ratio": {"prerequisite_quantity": None, "entitled_quantity": None},
        "prerequisite_to_entitlement_purchase": {"prerequisite_amount": None}, "customer_segment_prerequisite_ids": [],
        "title": r.title, "admin_graphql_api_id": gid("PriceRule", r.id),
    }  # fmt: skip


def show_code(ctx: Ctx, r: DiscountCode) -> dict[str, Any]:
    return {
        "id": r.id, "price_rule_id": r.price_rule_id, "code": r.code, "usage_count": r.usage_count,
        **times(ctx, r, "created_at", "updated_at"),
    }  # fmt: skip


def _the_rule(ctx: Ctx, key: int) -> PriceRule:
    row = ctx.db.get(PriceRule, key)
    if row is None:
        raise not_found()
    return row


def _the_code(ctx: Ctx, rule: int, key: int) -> DiscountCode:
    row = ctx.db.get(DiscountCode, key)
    if row is None or row.price_rule_id != rule:
        raise not_found()
    return row


_NEEDED = ("title", "value_type", "value", "target_type", "target_selection", "allocation_method", "customer_selection")


def _columns(ctx: Ctx, data: PriceRuleInput, row: PriceRule | None) -> dict[str, Any]:
    names = ("title", "value_type", "target_type", "target_selection", "allocation_method", "customer_selection")
    out = {name: value for name, value in data.given(*names).items() if value is not None}
    for name in _NEEDED if row is None else ():
        if not data.__dict__[name]:
            raise refused(name, BLANK)
    if row is None and data.starts_at is None:
        raise refused("starts_at", BLANK)
    if data.value is not None:
        out["value"] = money.cents(data.value, "value", least=None)
    after: dict[str, Any] = {n: out.get(n, row.__dict__[n] if row else None) for n in (*names, "value")}
    if after["value"] > 0:
        raise refused("value", "must be less than or equal to 0")
    if after["value_type"] == "percentage" and after["value"] < -10_000:
        raise refused("value", "must be between -100 and 0")
    if after["target_type"] == "shipping_line" and (after["value_type"], after["allocation_method"]) != (
        "percentage",
        "each",
    ):
        raise refused("value_type", "must be a percentage off each where the target is shipping")
    details = dict(row.details) if row else {}
    for name in LISTS:
        if name in PriceRuleInput.model_fields and data.has(name):
            details[name] = data.__dict__[name] or []
    for name in ("prerequisite_subtotal_range", "prerequisite_quantity_range"):
        if data.has(name):
            bound = data.__dict__[name]
            details[name] = bound.model_dump(exclude_none=True) if bound else None
    entitled = any(
        details.get(n)
        for n in ("entitled_product_ids", "entitled_variant_ids", "entitled_collection_ids", "entitled_country_ids")
    )
    if after["target_selection"] == "entitled" and not entitled:
        raise refused("target_selection", "entitled needs entitled products, variants or collections")
    if after["customer_selection"] == "prerequisite" and not details.get("prerequisite_customer_ids"):
        raise refused("customer_selection", "prerequisite needs customers")
    out["details"] = details
    for name in ("starts_at", "ends_at"):
        if data.has(name) and (data.__dict__[name] is not None or name == "ends_at"):
            out[name] = moment(ctx, name, data.__dict__[name])
    starts, ends = (out.get(n, row.__dict__[n] if row else None) for n in ("starts_at", "ends_at"))
    if ends and starts and ends <= starts:
        raise refused("ends_at", "must be after the start date")
    out |= data.given("usage_limit", "allocation_limit")
    if data.once_per_customer is not None:
        out["once_per_customer"] = data.once_per_customer
    return out


@app.get("/price_rules", tool="list_price_rules")
def list_price_rules(
    ctx: Ctx, created_at_min: CreatedMin = MISSING, created_at_max: CreatedMax = MISSING, updated_at_min: RestTime = MISSING,
    updated_at_max: RestTime = MISSING, starts_at_min: RestTime = MISSING, starts_at_max: RestTime = MISSING,
    ends_at_min: RestTime = MISSING, ends_at_max: RestTime = MISSING, since_id: SinceId = MISSING, limit: Limit = MISSING,
    page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists price rules: what discount codes take off, and when.

    updated_at_min: Only those changed at or after this time.
    updated_at_max: Only those changed at or before this time.
    starts_at_min: Only those that start at or after this time.
    starts_at_max: Only those that start at or before this time.
    ends_at_min: Only those that end at or after this time.
    ends_at_max: Only those that end at or before this time.
    """
    ask = asked(ctx)
    rows = ctx.db.find(PriceRule, **filters(ctx, ask, "created_at", "updated_at", "starts_at", "ends_at"))
    return listing(ctx, ask, "price_rules", rows, lambda row: show_rule(ctx, row))


@app.get("/price_rules/count", tool="count_price_rules", mcp=False)
def count_price_rules(ctx: Ctx) -> dict[str, int]:
    """Counts price rules."""
    return {"count": ctx.db.count(PriceRule)}


@app.get("/price_rules/{price_rule_id}", tool="get_price_rule", mcp=False)
def get_price_rule(ctx: Ctx, price_rule_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a price rule.

    price_rule_id: The price rule's id.
    """
    return {"price_rule": show_rule(ctx, _the_rule(ctx, price_rule_id))}


@app.post("/price_rules", tool="create_price_rule", status=201)
def create_price_rule(ctx: Ctx, price_rule: PriceRuleInput) -> dict[str, Any]:
    """Creates a price rule. Customers use it by a discount code, which create_discount_code gives it.

    price_rule: The price rule: title, value, what it is off, who may use it and from when.
    """
    columns = _columns(ctx, price_rule, None)
    at = ctx.timestamp()
    row = ctx.db.add(PriceRule(id=new(ctx, "PriceRule"), created_at=at, updated_at=at, **columns))
    return {"price_rule": show_rule(ctx, row)}


@app.put("/price_rules/{price_rule_id}", tool="update_price_rule", mcp=False)
def update_price_rule(ctx: Ctx, price_rule_id: int, price_rule: PriceRuleInput) -> dict[str, Any]:
    """Changes the fields of a price rule that are sent.

    price_rule_id: The price rule's id.
    price_rule: What to change.
    """
    row = _the_rule(ctx, price_rule_id)
    ctx.db.update(row, **_columns(ctx, price_rule, row), updated_at=ctx.timestamp())
    return {"price_rule": show_rule(ctx, row)}


@app.delete("/price_rules/{price_rule_id}", tool="delete_price_rule", mcp=False, status=204)
def delete_price_rule(ctx: Ctx, price_rule_id: int) -> None:
    """Deletes a price rule and its discount codes.

    price_rule_id: The price rule's id.
    """
    row = _the_rule(ctx, price_rule_id)
    ctx.db.delete_where(DiscountCode, price_rule_id=row.id)
    ctx.db.delete(row)


def _code(ctx: Ctx, text: str | None, own: int | None = None) -> str:
    if not (text or "").strip():
        raise refused("code", BLANK)
    for other in ctx.db.where(DiscountCode, "lower(code) = lower(?)", [(text or "").strip()]):
        if other.id != own:
            raise refused("code", "must be unique. Please try a different code.")
    return (text or "").strip()


@app.get("/price_rules/{price_rule_id}/discount_codes", tool="list_discount_codes")
def list_discount_codes(
    ctx: Ctx, price_rule_id: int, since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING,
    fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists a price rule's discount codes and how often they were used.

    price_rule_id: The price rule's id.
    """
    ask = asked(ctx)
    rows = ctx.db.find(DiscountCode, price_rule_id=_the_rule(ctx, price_rule_id).id, **filters(ctx, ask))
    return listing(ctx, ask, "discount_codes", rows, lambda row: show_code(ctx, row))


@app.get("/discount_codes/lookup", tool="lookup_discount_code")
def lookup_discount_code(ctx: Ctx, code: str) -> Any:
    """Finds a discount code.

    code: The code.
    """
    found = ctx.db.where(DiscountCode, "lower(code) = lower(?)", [code], limit=1)
    if not found:
        raise not_found()
    if not ctx.request.method:
        return {"discount_code": show_code(ctx, found[0])}
    prefix = ctx.request.path.partition("/discount_codes/")[0]
    place = f"{ctx.request.base}{prefix}/price_rules/{found[0].price_rule_id}/discount_codes/{found[0].id}.json"
    return Reply("", 303, {"Location": place}, media_type="text/html; charset=utf-8")


@app.get("/discount_codes/count", tool="count_discount_codes", mcp=False)
def count_discount_codes(ctx: Ctx) -> dict[str, int]:
    """Counts the shop's discount codes."""
    return {"count": ctx.db.count(DiscountCode)}


@app.get("/price_rules/{price_rule_id}/discount_codes/{discount_code_id}", tool="get_discount_code", mcp=False)
def get_discount_code(ctx: Ctx, price_rule_id: int, discount_code_id: int) -> dict[str, Any]:
    """Retrieves a discount code.

    price_rule_id: The price rule's id.
    discount_code_id: The discount code's id.
    """
    return {"discount_code": show_code(ctx, _the_code(ctx, price_rule_id, discount_code_id))}


@app.post("/price_rules/{price_rule_id}/discount_codes", tool="create_discount_code", status=201)
def create_discount_code(ctx: Ctx, price_rule_id: int, discount_code: CodeInput) -> dict[str, Any]:
    """Creates a discount code of a price rule. No two codes are alike.

    price_rule_id: The price rule's id.
    discount_code: The code.
    """
    rule = _the_rule(ctx, price_rule_id)
    text, at = _code(ctx, discount_code.code), ctx.timestamp()
    row = ctx.db.add(
        DiscountCode(id=new(ctx, "DiscountCode"), price_rule_id=rule.id, code=text, created_at=at, updated_at=at)
    )
    return {"discount_code": show_code(ctx, row)}


@app.put("/price_rules/{price_rule_id}/discount_codes/{discount_code_id}", tool="update_discount_code", mcp=False)
def update_discount_code(
    ctx: Ctx, price_rule_id: int, discount_code_id: int, discount_code: CodeInput
) -> dict[str, Any]:
    """Changes a discount code.

    price_rule_id: The price rule's id.
    discount_code_id: The discount code's id.
    discount_code: The code.
    """
    row = _the_code(ctx, price_rule_id, discount_code_id)
    ctx.db.update(row, code=_code(ctx, discount_code.code, row.id), updated_at=ctx.timestamp())
    return {"discount_code": show_code(ctx, row)}


@app.delete(
    "/price_rules/{price_rule_id}/discount_codes/{discount_code_id}", tool="delete_discount_code", mcp=False, status=204
)
def delete_discount_code(ctx: Ctx, price_rule_id: int, discount_code_id: int) -> None:
    """Deletes a discount code.

    price_rule_id: The price rule's id.
    discount_code_id: The discount code's id.
    """
    ctx.db.delete(_the_code(ctx, price_rule_id, discount_code_id))
