"""What the API takes of a new order."""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Ctx, Field

from . import money
from .errors import refused
from .inputs import AddressInput, Input, MetafieldInput, NoteAttribute, TagText, plain
from .models import Customer, DiscountCode, Object, Variant, new
from .people import CustomerInput, add_customer, default_address, valid_email
from .selling import Wanted, of_variant


class TaxLineInput(Input):
    """A tax."""

    title: str = Field(default="Tax", max_length=255, description="Its name.")
    price: str = Field(description="Its amount.")
    rate: float | None = Field(default=None, description="Its rate, such as 0.2.")


class LineInput(Input):
    """A line of an order: a variant, or a title and a price."""

    quiet: ClassVar[frozenset[str]] = frozenset({"properties", "tax_lines", "grams", "taxable"})

    variant_id: int | None = Field(default=None, description="The variant's id.")
    quantity: int = Field(ge=1, le=1_000_000, description="How many.")
    title: str | None = Field(default=None, max_length=255, description="What it is, where it is no variant.")
    price: str | None = Field(default=None, description="Price of one; the variant's by default.")
    sku: str | None = Field(default=None, max_length=255, description="Stock keeping unit.")
    total_discount: str | None = Field(default=None, description="What is off this line.")
    grams: int | None = Field(default=None, ge=0, le=2_000_000_000, description="Weight of one in grams.")
    requires_shipping: bool | None = Field(default=None, description="Whether it is shipped.")
    taxable: bool | None = Field(default=None, description="Whether tax is charged.")
    properties: list[NoteAttribute] | None = Field(default=None, description="Notes on the line, such as an engraving.")
    tax_lines: list[TaxLineInput] | None = Field(default=None, description="The line's taxes.")


class ShippingLineInput(Input):
    """How an order is shipped."""

    title: str = Field(max_length=255, description="The shipping method's name.")
    price: str = Field(default="0.00", description="What it costs.")
    code: str | None = Field(default=None, max_length=255, description="Its code.")


class DiscountInput(Input):
    """A discount code that the order used."""

    code: str = Field(max_length=255, description="The code.")
    amount: str = Field(description="How much is off, or the percentage.")
    type: Literal["fixed_amount", "percentage", "shipping"] = Field(
        default="fixed_amount", description="What `amount` means."
    )


class PaymentInput(Input):
    """A payment that was made."""

    kind: Literal["authorization", "sale"] = Field(
        default="sale", description="`sale`, or `authorization` to capture later."
    )
    amount: str | None = Field(default=None, description="How much; the order's total by default.")
    status: Literal["success", "pending", "failure"] = Field(default="success", description="How it went.")
    gateway: str = Field(default="manual", max_length=255, description="Who processed it.")


class OrderCustomerInput(CustomerInput):
    """The customer: one who is known by id or email, or a new one."""

    quiet: ClassVar[frozenset[str]] = frozenset({
        "addresses", "metafields", "send_email_invite", "email_marketing_consent", "tax_exempt", "verified_email", "note", "tags",
    })  # fmt: skip

    id: int | None = Field(default=None, description="The customer's id.")


class OrderInput(Input):
    """A new order."""

    quiet: ClassVar[frozenset[str]] = frozenset({
        "metafields", "billing_address", "note_attributes", "tax_lines", "test", "buyer_accepts_marketing", "source_name", "currency",
        "fulfillment_status",
    })  # fmt: skip

    line_items: list[LineInput] | None = Field(default=None, description="What was sold; at least one line.")
    customer: OrderCustomerInput | None = Field(default=None, description="Who bought it.")
    email: str | None = Field(default=None, max_length=255, description="The customer's email address.")
    phone: str | None = Field(default=None, max_length=64, description="The customer's phone number.")
    financial_status: Literal["pending", "authorized", "paid", "partially_paid"] | None = Field(
        default=None,
        description="What was paid where no transactions say: `paid` (default), `pending` or `authorized`.",
    )
    transactions: list[PaymentInput] | None = Field(default=None, description="Payments that were made.")
    fulfillment_status: str | None = Field(default=None, description="`fulfilled` where all of it was sent already.")
    inventory_behaviour: Literal["bypass", "decrement_ignoring_policy", "decrement_obeying_policy"] = Field(
        default="bypass",
        description="Whether stock is reserved: not (`bypass`), always, or refused where there is too little.",
    )
    shipping_address: AddressInput | None = Field(
        default=None, description="Where it goes; the customer's default by default."
    )
    billing_address: AddressInput | None = Field(default=None, description="Who is billed.")
    shipping_lines: list[ShippingLineInput] | None = Field(default=None, description="How it is shipped.")
    discount_codes: list[DiscountInput] | None = Field(default=None, description="At most one discount code.")
    tax_lines: list[TaxLineInput] | None = Field(default=None, description="The order's taxes.")
    total_tax: str | None = Field(default=None, description="The order's tax, where no tax lines say.")
    taxes_included: bool = Field(default=False, description="Whether prices contain tax.")
    currency: str | None = Field(default=None, description="The order's currency, the shop's own.")
    note: str | None = Field(default=None, max_length=5000, description="A note for the shop.")
    note_attributes: list[NoteAttribute] | None = Field(default=None, description="Notes by name.")
    tags: TagText | None = Field(default=None, description="Comma-separated tags.")
    processed_at: str | None = Field(default=None, description="When it was sold, where that was elsewhere.")
    source_name: str | None = Field(default=None, max_length=255, description="Where it comes from.")
    test: bool = Field(default=False, description="Whether it is a test order.")
    buyer_accepts_marketing: bool = Field(default=False, description="Whether the customer takes marketing mail.")
    metafields: list[MetafieldInput] | None = Field(default=None, description="Metafields to attach.")


def variant_or_refuse(ctx: Ctx, key: int) -> Variant:
    row = ctx.db.get(Variant, key)
    if row is None:
        raise refused("variant_id", f"{key} is not available")
    return row


def line_of(ctx: Ctx, data: LineInput) -> Wanted:
    """A line as it is sold."""
    if data.variant_id is not None:
        line = of_variant(ctx, variant_or_refuse(ctx, data.variant_id), data.quantity)
        if data.price is not None:
            line.price = money.cents(data.price, "price")
    else:
        if not (data.title or "").strip():
            raise refused("line_items", "title can't be blank")
        if data.price is None:
            raise refused("line_items", "price can't be blank")
        line = Wanted(data.quantity, money.cents(data.price, "price"), data.title or "")
        line.details = {"requires_shipping": True, "vendor": None}
    for name in ("sku", "grams", "requires_shipping", "taxable"):
        if data.__dict__[name] is not None:
            line.details[name] = data.__dict__[name]
    if data.properties:
        line.details["properties"] = plain(data.properties)
    line.discount = money.cents(data.total_discount, "total_discount") if data.total_discount else 0
    if line.discount > line.price * line.quantity:
        raise refused("total_discount", "cannot be greater than the line's price")
    line.tax = sum(money.cents(t.price, "tax_lines") for t in data.tax_lines or [])
    return line


def buyer(ctx: Ctx, data: OrderInput) -> Customer | None:
    """The order's customer: a known one, or one who is made for it."""
    given = data.customer
    if given is not None and given.id is not None:
        row = ctx.db.get(Customer, given.id)
        if row is None:
            raise refused("customer", "does not exist")
        return row
    email = (given.email if given else None) or data.email
    if email:
        valid_email(email)
        known = ctx.db.where(Customer, "lower(email) = lower(?)", [email], limit=1)
        if known:
            return known[0]
    if given is not None:
        if not given.email and email:
            given = CustomerInput(**{**given.given(*CustomerInput.model_fields), "email": email})
        return add_customer(ctx, given)
    return add_customer(ctx, CustomerInput(email=email)) if email else None


def shipping_lines(ctx: Ctx, given: list[ShippingLineInput] | None) -> tuple[list[Object], int]:
    out = list[Object]()
    total = 0
    for one in given or []:
        price = money.cents(one.price, "shipping_lines")
        total += price
        out.append(
            {
                "id": new(ctx, "ShippingLine"),
                "title": one.title,
                "price": money.text(price),
                "code": one.code or one.title,
            }
        )
    return out, total


def discounts(ctx: Ctx, given: list[DiscountInput], goods: int, ship: int) -> tuple[list[Object], int, int]:
    """Discount codes as the order shows them, and what they take off the goods and off shipping."""
    if len(given) > 1:
        raise refused("discount_codes", "cannot have more than one discount code")
    off = off_shipping = 0
    shown = list[Object]()
    for one in given:
        amount = money.cents(one.amount, "discount_codes")
        if one.type == "percentage":
            if amount > 10_000:
                raise refused("discount_codes", "percentage must be between 0 and 100")
            off = money.percent(goods, one.amount)
            percent = f"{amount / 100:.2f}".removesuffix("0")
            shown.append({"code": one.code, "amount": money.text(off), "type": "percentage", "percent": percent})
        elif one.type == "shipping":
            off_shipping = min(amount, ship)
            shown.append({"code": one.code, "amount": money.text(off_shipping), "type": "shipping"})
        else:
            off = min(amount, goods)
            shown.append({"code": one.code, "amount": money.text(off), "type": "fixed_amount"})
        used = ctx.db.where(DiscountCode, "lower(code) = lower(?)", [one.code], limit=1)
        if used:
            ctx.db.update(used[0], usage_count=used[0].usage_count + 1)
    return shown, off, off_shipping


def addresses(
    ctx: Ctx, customer: Customer | None, to: AddressInput | None, bill: AddressInput | None
) -> dict[str, Any]:
    home = default_address(ctx, customer) if customer else None
    shipped = to.data() if to else (home.address if home else None)
    return {"shipping_address": shipped, "billing_address": bill.data() if bill else shipped}
