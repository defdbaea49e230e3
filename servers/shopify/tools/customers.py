"""Customers and their addresses. https://shopify.dev/docs/api/admin-rest/2025-01/resources/customer"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field, Reply

from ..app import app
from ..errors import bad, not_found, refused
from ..inputs import Input
from ..logbook import log
from ..metadata import attach, forget
from ..models import Customer, CustomerAddress, Order
from ..paging import (
    CreatedMax,
    CreatedMin,
    Fields,
    Ids,
    Limit,
    PageInfo,
    RestTime,
    SinceId,
    asked,
    filters,
    listing,
)
from ..people import (
    CustomerAddressInput,
    CustomerInput,
    add_address,
    add_customer,
    addresses_of,
    columns,
    make_default,
    the_customer,
    touch,
    valid_email,
)
from ..query import matching
from ..resources import show_address, show_customer, the_shop


class InviteInput(Input):
    """An invitation by mail."""

    to: str | None = Field(default=None, max_length=255, description="Who gets it; the customer by default.")
    from_: str | None = Field(
        default=None, max_length=255, alias="from", description="Who sends it; the shop by default."
    )
    subject: str | None = Field(default=None, max_length=500, description="Its subject.")
    custom_message: str | None = Field(default=None, max_length=5000, description="Its text.")
    bcc: list[str] | None = Field(default=None, description="Who gets a blind copy.")


@app.get("/customers", tool="list_customers")
def list_customers(
    ctx: Ctx, ids: Ids = MISSING, created_at_min: CreatedMin = MISSING, created_at_max: CreatedMax = MISSING,
    updated_at_min: RestTime = MISSING, updated_at_max: RestTime = MISSING, since_id: SinceId = MISSING, limit: Limit = MISSING,
    page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists customers in order of id. To find one by email or name, search_customers.

    updated_at_min: Only those changed at or after this time.
    updated_at_max: Only those changed at or before this time.
    """
    ask = asked(ctx)
    return listing(
        ctx, ask, "customers", ctx.db.find(Customer, **filters(ctx, ask)), lambda row: show_customer(ctx, row)
    )


@app.get("/customers/count", tool="count_customers", mcp=False)
def count_customers(
    ctx: Ctx, created_at_min: CreatedMin = MISSING, created_at_max: CreatedMax = MISSING, updated_at_min: RestTime = MISSING,
    updated_at_max: RestTime = MISSING,
) -> dict[str, int]:  # fmt: skip
    """Counts customers.

    updated_at_min: Only those changed at or after this time.
    updated_at_max: Only those changed at or before this time.
    """
    return {"count": ctx.db.count(Customer, **filters(ctx, asked(ctx)))}


_ORDERS = ("id", "created_at", "updated_at", "last_order_date", "orders_count", "total_spent", "name")


@app.get("/customers/search", tool="search_customers")
def search_customers(
    ctx: Ctx, query: str = "", order: Annotated[str, Field(max_length=64)] = "last_order_date DESC", limit: Limit = MISSING,
    page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Finds customers by words in names, email, phone, notes, tags and addresses, or by fields.

    query: Words, or Shopify search syntax: `email:`, `first_name:`, `tag:`, `country:`, `city:`, `phone:`, `state:enabled`,
      `orders_count:>3`, `total_spent:>=100`, `accepts_marketing:true`, `created_at:>2025-01-01`, joined by AND, OR, NOT and parentheses.
    order: `last_order_date`, `orders_count`, `total_spent`, `created_at`, `updated_at`, `name` or `id`, then ASC or DESC.
    """
    ask = asked(ctx)
    word, _, way = (ask.order or "last_order_date DESC").strip().partition(" ")
    if word not in _ORDERS or way.upper() not in ("", "ASC", "DESC"):
        raise bad("order", "is not a valid value")
    orders: dict[int, list[Order]] = {}
    for one in ctx.db.find(Order):
        orders.setdefault(one.customer_id or 0, []).append(one)

    def key(row: Customer) -> Any:
        own = orders.get(row.id, [])
        if word == "last_order_date":
            return max((o.created_at for o in own), default="")
        if word == "orders_count":
            return len(own)
        if word == "total_spent":
            return sum(o.total_price for o in own if not o.cancelled_at)
        return f"{row.last_name or ''} {row.first_name or ''}".casefold() if word == "name" else row.__dict__[word]

    rows = matching(ctx, "customer", ask.query or "", ctx.db.find(Customer), lambda row: show_customer(ctx, row))
    return listing(
        ctx, ask, "customers", rows, lambda row: show_customer(ctx, row), key=key, down=way.upper() == "DESC"
    )


@app.get("/customers/{customer_id}", tool="get_customer")
def get_customer(ctx: Ctx, customer_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a customer with their addresses, number of orders and total spent.

    customer_id: The customer's id.
    """
    return {"customer": show_customer(ctx, the_customer(ctx, customer_id))}


@app.post("/customers", tool="create_customer", status=201)
def create_customer(ctx: Ctx, customer: CustomerInput) -> dict[str, Any]:
    """Creates a customer.

    customer: The customer: a name, an email address or a phone number at least.
    """
    row = add_customer(ctx, customer)
    log(ctx, "Customer", row.id, "create", f"{the_shop(ctx).name} created this customer.")
    return {"customer": show_customer(ctx, row)}


@app.put("/customers/{customer_id}", tool="update_customer")
def update_customer(ctx: Ctx, customer_id: int, customer: CustomerInput) -> dict[str, Any]:
    """Changes the fields that are sent. Addresses with an id are changed, others added.

    customer_id: The customer's id.
    customer: What to change.
    """
    row = the_customer(ctx, customer_id)
    ctx.db.update(row, **columns(ctx, customer, row), updated_at=ctx.timestamp())
    for data in customer.addresses or []:
        if data.id is None:
            add_address(ctx, row, data)
        else:
            _change(ctx, row, _the_address(ctx, row, data.id), data)
    if customer.metafields:
        attach(ctx, "customer", row.id, customer.metafields)
    return {"customer": show_customer(ctx, row)}


@app.delete("/customers/{customer_id}", tool="delete_customer", mcp=False)
def delete_customer(ctx: Ctx, customer_id: int) -> dict[str, Any]:
    """Deletes a customer who has no orders.

    customer_id: The customer's id.
    """
    row = the_customer(ctx, customer_id)
    if ctx.db.count(Order, customer_id=row.id):
        raise ApiError(422, "Error deleting customer")
    ctx.db.delete_where(CustomerAddress, customer_id=row.id)
    forget(ctx, "customer", row.id)
    ctx.db.delete(row)
    return {}


@app.post("/customers/{customer_id}/send_invite", tool="send_customer_invite", effect="send", status=201, mcp=False)
def send_customer_invite(
    ctx: Ctx, customer_id: int, customer_invite: InviteInput | MISSING = MISSING
) -> dict[str, Any]:
    """Invites a customer by mail to activate an account.

    customer_id: The customer's id.
    customer_invite: The mail; the shop's own by default.
    """
    row = the_customer(ctx, customer_id)
    mail = InviteInput() if customer_invite is MISSING else customer_invite
    if not row.email:
        raise refused("email", "can't be blank")
    if row.state == "enabled":
        raise refused("base", "account already enabled")
    shop = the_shop(ctx)
    shown = {
        "to": valid_email(mail.to, "to") or row.email, "from": mail.from_ or f'"{shop.name}" <{shop.email}>',
        "subject": mail.subject or "Customer account activation", "custom_message": mail.custom_message or "", "bcc": mail.bcc or [],
    }  # fmt: skip
    ctx.db.update(row, state="invited", updated_at=ctx.timestamp())
    log(ctx, "Customer", row.id, "invite", f"{shop.name} sent an account invite to {shown['to']}.")
    return {"customer_invite": shown}


@app.post("/customers/{customer_id}/account_activation_url", tool="create_account_activation_url", mcp=False)
def create_account_activation_url(ctx: Ctx, customer_id: int) -> dict[str, Any]:
    """Makes a one-time address at which a customer activates their account.

    customer_id: The customer's id.
    """
    row = the_customer(ctx, customer_id)
    if row.state == "enabled":
        raise refused("base", "account already enabled")
    ctx.db.update(row, state="invited", updated_at=ctx.timestamp())
    return {
        "account_activation_url": f"https://{the_shop(ctx).domain}/account/activate/{row.id}/{ctx.id('', 32, kind='activation')}"
    }


def _the_address(ctx: Ctx, row: Customer, key: int) -> CustomerAddress:
    found = ctx.db.get(CustomerAddress, key)
    if found is None or found.customer_id != row.id:
        raise not_found()
    return found


def _change(ctx: Ctx, row: Customer, address: CustomerAddress, data: CustomerAddressInput) -> None:
    made = {name: value for name, value in data.data(address.address).items() if name not in ("id", "default")}
    if made != address.address:
        ctx.db.update(address, address=made)
    if data.default:
        make_default(ctx, row, address)


@app.get("/customers/{customer_id}/addresses", tool="list_customer_addresses", mcp=False)
def list_customer_addresses(ctx: Ctx, customer_id: int, limit: Limit = MISSING, page_info: PageInfo = MISSING) -> Reply:
    """Lists a customer's addresses.

    customer_id: The customer's id.
    """
    ask = asked(ctx)
    return listing(ctx, ask, "addresses", addresses_of(ctx, the_customer(ctx, customer_id)), show_address)


@app.get("/customers/{customer_id}/addresses/{address_id}", tool="get_customer_address", mcp=False)
def get_customer_address(ctx: Ctx, customer_id: int, address_id: int) -> dict[str, Any]:
    """Retrieves an address of a customer.

    customer_id: The customer's id.
    address_id: The address's id.
    """
    return {"customer_address": show_address(_the_address(ctx, the_customer(ctx, customer_id), address_id))}


@app.post("/customers/{customer_id}/addresses", tool="create_customer_address", status=201)
def create_customer_address(ctx: Ctx, customer_id: int, address: CustomerAddressInput) -> dict[str, Any]:
    """Adds an address to a customer.

    customer_id: The customer's id.
    address: The address.
    """
    row = the_customer(ctx, customer_id)
    made = add_address(ctx, row, address)
    touch(ctx, row)
    return {"customer_address": show_address(made)}


@app.put("/customers/{customer_id}/addresses/{address_id}", tool="update_customer_address", mcp=False)
def update_customer_address(
    ctx: Ctx, customer_id: int, address_id: int, address: CustomerAddressInput
) -> dict[str, Any]:
    """Changes the fields of an address that are sent.

    customer_id: The customer's id.
    address_id: The address's id.
    address: What to change.
    """
    row = the_customer(ctx, customer_id)
    found = _the_address(ctx, row, address_id)
    _change(ctx, row, found, address)
    touch(ctx, row)
    return {"customer_address": show_address(found)}


@app.put("/customers/{customer_id}/addresses/{address_id}/default", tool="set_default_customer_address", mcp=False)
def set_default_customer_address(ctx: Ctx, customer_id: int, address_id: int) -> dict[str, Any]:
    """Makes an address the customer's default.

    customer_id: The customer's id.
    address_id: The address's id.
    """
    row = the_customer(ctx, customer_id)
    found = _the_address(ctx, row, address_id)
    make_default(ctx, row, found)
    touch(ctx, row)
    return {"customer_address": show_address(found)}


@app.delete("/customers/{customer_id}/addresses/{address_id}", tool="delete_customer_address", mcp=False)
def delete_customer_address(ctx: Ctx, customer_id: int, address_id: int) -> dict[str, Any]:
    """Deletes an address of a customer that is not the default.

    customer_id: The customer's id.
    address_id: The address's id.
    """
    found = _the_address(ctx, the_customer(ctx, customer_id), address_id)
    if found.default:
        raise refused("base", "Cannot delete the customer's default address")
    ctx.db.delete(found)
    return {}
