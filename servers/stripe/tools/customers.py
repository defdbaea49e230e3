"""Customers. https://docs.stripe.com/api/customers"""

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from legoenv_mcp.app import MISSING, Body, Ctx, Field

from .. import billing, invoicing
from ..app import app
from ..errors import no_such, refuse
from ..events import emit
from ..ids import code, new
from ..lists import listing, searching
from ..lookups import at, attach, email_address, home_currency
from ..models import Customer, CustomerBalanceTransaction, PaymentMethod, Subscription
from ..money import known_currency
from ..params import (
    Address,
    After,
    Before,
    Created,
    Expand,
    ExpandBody,
    Limit,
    MetadataParam,
    Params,
    Query,
    Shipping,
    Text,
    Token,
    asked,
    given,
    merged,
    times,
)
from ..resources import deleted, show


class InvoiceSettings(Params):
    """Defaults for the customer's invoices."""

    default_payment_method: str | None = Field(
        default=None, description="ID of an attached payment method to charge invoices to."
    )
    footer: str | None = Field(default=None, description="Footer printed on invoices.")


def _columns(ctx: Ctx, settings: Any, customer: str | None, given_balance: Any) -> dict[str, Any]:
    out = dict[str, Any]()
    if settings is not MISSING:
        key = settings.default_payment_method
        if key:
            method = ctx.db.get(PaymentMethod, key)
            if method is None:
                raise no_such("PaymentMethod", key, param="invoice_settings[default_payment_method]", status=400)
            if method.customer != customer:
                raise refuse(
                    f"The customer does not have a payment method with the ID {key}. The payment method must be attached to the customer.",
                    code="resource_missing", param="invoice_settings[default_payment_method]",
                )  # fmt: skip
        if "default_payment_method" in settings.model_fields_set:
            out["default_payment_method"] = key or None
        if "footer" in settings.model_fields_set:
            out["footer"] = settings.footer or None
    if given_balance is not MISSING and given_balance:
        out["currency"] = home_currency(ctx)
    return out


@app.post("/v1/customers", tool="create_customer")
def create_customer(
    ctx: Ctx, name: Annotated[str, Field(max_length=256)] | MISSING = MISSING,
    email: Annotated[str, Field(max_length=512)] | MISSING = MISSING,
    phone: Annotated[str, Field(max_length=20)] | MISSING = MISSING, description: Text | MISSING = MISSING,
    address: Address | Literal[""] | MISSING = MISSING, shipping: Shipping | Literal[""] | MISSING = MISSING,
    balance: int | MISSING = MISSING, payment_method: str | MISSING = MISSING,
    invoice_settings: InvoiceSettings | MISSING = MISSING,
    invoice_prefix: Annotated[str, StringConstraints(pattern=r"^[A-Z0-9]{3,12}$")] | MISSING = MISSING,
    next_invoice_sequence: Annotated[Annotated[int, Field(ge=1)] | MISSING, Body(mcp=False)] = MISSING,
    tax_exempt: Literal["none", "exempt", "reverse"] | MISSING = MISSING,
    preferred_locales: Annotated[list[str] | MISSING, Body(mcp=False)] = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a customer.

    name: The customer's full name or business name.
    email: The customer's email address. Several customers may share one.
    phone: The customer's phone number.
    description: Anything to remember about the customer; not shown to them.
    address: The customer's address.
    shipping: Where to send goods; appears on invoices.
    balance: The starting balance in the account's currency, in the smallest unit: negative is credit, positive is owed on the next invoice.
    payment_method: A payment method to attach.
    invoice_settings: Defaults for the customer's invoices.
    invoice_prefix: What the customer's invoice numbers start with, 3 to 12 capitals or digits.
    next_invoice_sequence: The number of the customer's next invoice.
    tax_exempt: Whether tax is charged.
    preferred_locales: Languages the customer prefers, most preferred first.
    """
    email_address(email)
    values = given(ctx.sent(), "payment_method", "invoice_settings", "metadata", "balance")
    key = new(ctx, "cus")
    row = Customer(
        id=key, created=ctx.epoch(), metadata_=merged({}, metadata), **{"invoice_prefix": code(ctx, "prefix"), **values}
    )
    ctx.db.add(row)
    if payment_method is not MISSING:
        attach(ctx, payment_method, row)
    ctx.db.update(row, **_columns(ctx, invoice_settings, key, balance))
    if balance is not MISSING and balance:
        invoicing.move_balance(ctx, row, balance, row.currency or "usd", "initial")
    emit(ctx, "customer.created", row)
    return show(ctx, row)


@app.get("/v1/customers/{customer}", tool="retrieve_customer")
def retrieve_customer(ctx: Ctx, customer: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a customer. Of a deleted one only that it was deleted is left.

    customer: The customer's ID.
    """
    row = ctx.require(Customer, customer)
    return show(ctx, row)


@app.post("/v1/customers/{customer}", tool="update_customer", effect="update")
def update_customer(
    ctx: Ctx, customer: str, name: Annotated[str, Field(max_length=256)] | MISSING = MISSING,
    email: Annotated[str, Field(max_length=512)] | MISSING = MISSING,
    phone: Annotated[str, Field(max_length=20)] | MISSING = MISSING, description: Text | MISSING = MISSING,
    address: Address | Literal[""] | MISSING = MISSING, shipping: Shipping | Literal[""] | MISSING = MISSING,
    balance: int | MISSING = MISSING, invoice_settings: InvoiceSettings | MISSING = MISSING,
    invoice_prefix: Annotated[str, StringConstraints(pattern=r"^[A-Z0-9]{3,12}$")] | MISSING = MISSING,
    next_invoice_sequence: Annotated[Annotated[int, Field(ge=1)] | MISSING, Body(mcp=False)] = MISSING,
    tax_exempt: Literal["none", "exempt", "reverse"] | MISSING = MISSING,
    preferred_locales: Annotated[list[str] | MISSING, Body(mcp=False)] = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields that are sent; an empty string unsets one.

    customer: The customer's ID.
    name: The customer's full name or business name.
    email: The customer's email address.
    phone: The customer's phone number.
    description: Anything to remember about the customer; not shown to them.
    address: The customer's address.
    shipping: Where to send goods.
    balance: The new balance in the smallest unit: negative is credit, positive is owed on the next invoice.
    invoice_settings: Defaults for the customer's invoices, such as the payment method they are charged to.
    invoice_prefix: What the customer's invoice numbers start with.
    next_invoice_sequence: The number of the customer's next invoice.
    tax_exempt: Whether tax is charged.
    preferred_locales: Languages the customer prefers.
    """
    row = at(ctx, customer)
    email_address(email)
    changes = given(ctx.sent(), "invoice_settings", "metadata", "balance")
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    changes |= _columns(ctx, invoice_settings, row.id, MISSING if row.currency else balance)
    was = show(ctx, row)
    ctx.db.update(row, **changes)
    if balance is not MISSING and balance != row.balance:
        invoicing.move_balance(ctx, row, balance - row.balance, row.currency or "usd", "adjustment")
    emit(ctx, "customer.updated", row, was=was)
    return show(ctx, row)


@app.delete("/v1/customers/{customer}", tool="delete_customer")
def delete_customer(ctx: Ctx, customer: str) -> dict[str, Any]:
    """Deletes a customer for good and cancels their subscriptions at once. Their payments and invoices stay.

    customer: The customer's ID.
    """
    row = at(ctx, customer)
    for subscription in ctx.db.find(Subscription, customer=row.id, status__ne="canceled"):
        billing.end(ctx, subscription)
    for method in ctx.db.find(PaymentMethod, customer=row.id):
        ctx.db.update(method, customer=None, spent=True)
    emit(ctx, "customer.deleted", row)
    ctx.db.update(row, deleted=True, default_payment_method=None)
    return deleted("customer", row.id)


@app.get("/v1/customers", tool="list_customers")
def list_customers(
    ctx: Ctx, email: str | MISSING = MISSING, created: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING,
    ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists customers, newest first.

    email: Only customers with exactly this email address (case matters).
    """
    filters = {"email": asked(email), "deleted": False, **times("created", created)}
    return listing(ctx, Customer, "/v1/customers", limit, starting_after, ending_before, **filters)


@app.get("/v1/customers/search", tool="search_customers")
def search_customers(
    ctx: Ctx, query: Query, limit: Limit = 10, page: Token = MISSING, expand: Expand = MISSING
) -> dict[str, Any]:
    """Searches customers by `created`, `email`, `metadata`, `name` and `phone`. `:` matches a whole value ignoring case,
    `~` a part of it."""
    return searching(ctx, Customer, query, limit, page)


@app.get("/v1/customers/{customer}/payment_methods", tool="list_customer_payment_methods", mcp=False)
def list_customer_payment_methods(
    ctx: Ctx, customer: str, type: str | MISSING = MISSING, limit: Limit = 10, starting_after: After = MISSING,
    ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists the payment methods attached to a customer.

    customer: The customer's ID.
    type: Only methods of this type, such as `card`.
    """
    at(ctx, customer, "customer")
    url = f"/v1/customers/{customer}/payment_methods"
    return listing(ctx, PaymentMethod, url, limit, starting_after, ending_before, customer=customer, type=asked(type))


@app.get(
    "/v1/customers/{customer}/payment_methods/{payment_method}", tool="retrieve_customer_payment_method", mcp=False
)
def retrieve_customer_payment_method(
    ctx: Ctx, customer: str, payment_method: str, expand: Expand = MISSING
) -> dict[str, Any]:
    """Retrieves a payment method of a customer.

    customer: The customer's ID.
    payment_method: The payment method's ID.
    """
    at(ctx, customer, "customer")
    row = ctx.db.get(PaymentMethod, payment_method)
    if row is None or row.customer != customer:
        raise no_such("PaymentMethod", payment_method)
    return show(ctx, row)


@app.post("/v1/customers/{customer}/balance_transactions", tool="create_customer_balance_transaction")
def create_customer_balance_transaction(
    ctx: Ctx, customer: str, amount: int, currency: str, description: Annotated[str, Field(max_length=350)] | MISSING = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a customer's credit balance. The balance is used up by their next invoices.

    customer: The customer's ID.
    amount: By how much, in the smallest unit: negative gives credit, positive takes it or adds debt.
    currency: Three-letter currency code; must be the customer's once that is set.
    description: Why.
    """
    row = at(ctx, customer, "customer")
    unit = known_currency(currency)
    if row.currency and row.currency != unit:
        raise refuse(f"The currency {unit} doesn't match the customer's currency {row.currency}.", param="currency")
    if amount == 0:
        raise refuse("Amount must be non-zero.", code="parameter_invalid_integer", param="amount")
    words = None if description is MISSING else description or None
    moved = invoicing.move_balance(
        ctx, row, amount, unit, "adjustment", description=words, metadata_=merged({}, metadata)
    )
    emit(ctx, "customer.updated", row, {"balance": row.balance - amount})
    return show(ctx, moved)


@app.get("/v1/customers/{customer}/balance_transactions", tool="list_customer_balance_transactions", mcp=False)
def list_customer_balance_transactions(
    ctx: Ctx,
    customer: str,
    limit: Limit = 10,
    starting_after: After = MISSING,
    ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:
    """Lists the changes of a customer's credit balance, newest first.

    customer: The customer's ID.
    """
    at(ctx, customer, "customer")
    url = f"/v1/customers/{customer}/balance_transactions"
    return listing(ctx, CustomerBalanceTransaction, url, limit, starting_after, ending_before, customer=customer)


@app.get(
    "/v1/customers/{customer}/balance_transactions/{transaction}",
    tool="retrieve_customer_balance_transaction",
    mcp=False,
)
def retrieve_customer_balance_transaction(
    ctx: Ctx, customer: str, transaction: str, expand: Expand = MISSING
) -> dict[str, Any]:
    """Retrieves a change of a customer's credit balance.

    customer: The customer's ID.
    transaction: The change's ID.
    """
    row = ctx.db.get(CustomerBalanceTransaction, transaction)
    if row is None or row.customer != customer:
        raise no_such("CustomerBalanceTransaction", transaction)
    return show(ctx, row)
