"""Payment links: addresses where anyone can buy. https://docs.stripe.com/api/payment-link"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import LOWER36, MISSING, Body, Ctx, Field, ToolOnly

from ..app import app
from ..errors import refuse
from ..events import emit
from ..ids import new
from ..lists import listing, whole
from ..models import PaymentLink
from ..params import After, Before, Expand, ExpandBody, Limit, MetadataParam, Params, asked, given, merged, plain
from ..render_billing import cart
from ..resources import show
from .checkout import LineParam, cart_items


class Redirect(Params):
    """Where to go."""

    url: Annotated[str, Field(max_length=2048)] = Field(description="The address.")


class Confirmation(Params):
    """What to say."""

    custom_message: str | None = Field(default=None, max_length=500, description="A message of your own.")


class AfterCompletion(Params):
    """What happens after the payment."""

    type: Literal["hosted_confirmation", "redirect"] = Field(
        description="Whether a page is shown or the customer sent on."
    )
    redirect: Redirect | None = Field(default=None, description="Where to go, where the customer is sent on.")
    hosted_confirmation: Confirmation | None = Field(default=None, description="What to say, where a page is shown.")


class PhoneCollection(Params):
    """Whether to ask for a phone number."""

    enabled: bool = Field(description="Whether to ask.")


class CompletedSessions(Params):
    """How many purchases."""

    limit: int = Field(ge=1, description="How many at most.")


class LinkRestrictions(Params):
    """When a link can be used."""

    completed_sessions: CompletedSessions = Field(description="For how many purchases it is good.")


Quantity = Annotated[int, Field(ge=1, le=999999)]


@app.post("/v1/payment_links", tool="create_payment_link")
def create_payment_link(
    ctx: Ctx, line_items: Annotated[list[LineParam], Field(min_length=1, max_length=20)] | MISSING = MISSING,
    price: Annotated[str | MISSING, ToolOnly()] = MISSING, quantity: Annotated[Quantity | MISSING, ToolOnly()] = MISSING,
    redirect_url: Annotated[str | MISSING, ToolOnly()] = MISSING, after_completion: AfterCompletion | MISSING = MISSING,
    allow_promotion_codes: bool | MISSING = MISSING,
    billing_address_collection: Annotated[Literal["auto", "required"] | MISSING, Body(mcp=False)] = MISSING,
    customer_creation: Literal["always", "if_required"] | MISSING = MISSING,
    inactive_message: Annotated[Annotated[str, Field(max_length=500)] | MISSING, Body(mcp=False)] = MISSING,
    phone_number_collection: Annotated[PhoneCollection | MISSING, Body(mcp=False)] = MISSING,
    restrictions: LinkRestrictions | MISSING = MISSING,
    submit_type: Annotated[Literal["auto", "book", "donate", "pay", "subscribe"] | MISSING, Body(mcp=False)] = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a payment link: an address that can be shared and where anyone can buy. Give a price and quantity, or several line items.

    line_items: What is sold, where it is more than one price.
    price: ID of the price to sell.
    quantity: How many of it.
    redirect_url: Where the customer goes after paying.
    after_completion: What happens after the payment.
    allow_promotion_codes: Whether customers may enter promotion codes.
    billing_address_collection: Whether to ask for a billing address.
    customer_creation: Whether every buyer becomes a customer.
    inactive_message: What is said when the link is switched off.
    phone_number_collection: Whether to ask for a phone number.
    restrictions: For how many purchases it is good.
    submit_type: What the button says.
    """
    if price is not MISSING:
        lines = [LineParam(price=price, quantity=1 if quantity is MISSING else quantity)]
    elif line_items is MISSING:
        raise refuse("Missing required param: line_items.", code="parameter_missing", param="line_items")
    else:
        lines = line_items
    items, prices = cart_items(ctx, lines)
    done: dict[str, Any] = {"type": "hosted_confirmation", "hosted_confirmation": {"custom_message": None}}
    if redirect_url is not MISSING:
        done = {"type": "redirect", "redirect": {"url": redirect_url}}
    elif after_completion is not MISSING:
        done = _completion(after_completion)
    values = given(
        ctx.sent(), "line_items", "price", "quantity", "redirect_url", "after_completion", "phone_number_collection", "metadata"
    )  # fmt: skip
    row = ctx.db.add(
        PaymentLink(
            id=new(ctx, "plink"), created=ctx.epoch(), after_completion=done, currency=prices[0].currency, items=items,
            url=f"https://buy.stripe.com/test_{ctx.id('', 18, LOWER36, kind='link')}", metadata_=merged({}, metadata),
            phone_number_collection=phone_number_collection is not MISSING and phone_number_collection.enabled, **values,
        )
    )  # fmt: skip
    emit(ctx, "payment_link.created", row)
    return show(ctx, row)


def _completion(given_one: AfterCompletion) -> dict[str, Any]:
    if given_one.type == "redirect" and given_one.redirect is None:
        raise refuse(
            "Missing required param: after_completion[redirect].",
            code="parameter_missing",
            param="after_completion[redirect]",
        )
    return {name: value for name, value in plain(given_one).items() if value is not None}


@app.get("/v1/payment_links", tool="list_payment_links", mcp=False)
def list_payment_links(
    ctx: Ctx, active: bool | MISSING = MISSING, limit: Limit = 10, starting_after: After = MISSING, ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists payment links, newest first.

    active: Only those that are switched on, or off.
    """
    return listing(ctx, PaymentLink, "/v1/payment_links", limit, starting_after, ending_before, active=asked(active))


@app.get("/v1/payment_links/{payment_link}", tool="retrieve_payment_link", mcp=False)
def retrieve_payment_link(ctx: Ctx, payment_link: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a payment link.

    payment_link: The payment link's ID.
    """
    return show(ctx, ctx.require(PaymentLink, payment_link))


@app.get("/v1/payment_links/{payment_link}/line_items", tool="list_payment_link_line_items", mcp=False)
def list_payment_link_line_items(
    ctx: Ctx,
    payment_link: str,
    limit: Limit = 10,
    starting_after: After = MISSING,
    ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:
    """Lists what a payment link sells.

    payment_link: The payment link's ID.
    """
    row = ctx.require(PaymentLink, payment_link)
    url = f"/v1/payment_links/{row.id}/line_items"
    return whole(ctx, cart(ctx, row.items, row.currency), url, limit, starting_after, ending_before)


@app.post("/v1/payment_links/{payment_link}", tool="update_payment_link", effect="update", mcp=False)
def update_payment_link(
    ctx: Ctx, payment_link: str, active: bool | MISSING = MISSING, after_completion: AfterCompletion | MISSING = MISSING,
    allow_promotion_codes: bool | MISSING = MISSING, inactive_message: Annotated[str, Field(max_length=500)] | MISSING = MISSING,
    customer_creation: Literal["always", "if_required"] | MISSING = MISSING,
    billing_address_collection: Literal["auto", "required"] | MISSING = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a payment link, or switches it off with `active: false`.

    payment_link: The payment link's ID.
    active: Whether it can be used.
    after_completion: What happens after the payment.
    allow_promotion_codes: Whether customers may enter promotion codes.
    inactive_message: What is said when it is switched off.
    customer_creation: Whether every buyer becomes a customer.
    billing_address_collection: Whether to ask for a billing address.
    """
    row = ctx.require(PaymentLink, payment_link)
    was = show(ctx, row)
    changes = given(ctx.sent(), "metadata", "after_completion")
    if after_completion is not MISSING:
        changes["after_completion"] = _completion(after_completion)
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    emit(ctx, "payment_link.updated", row, was=was)
    return show(ctx, row)
