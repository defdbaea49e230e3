"""Ecommerce on Shopify: what fills it, what is seen of it, and how each verb is done with its tools."""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, ecommerce

from . import money, shipping
from .catalog import DEFAULT, handle_for
from .models import (
    Customer,
    CustomerAddress,
    Fulfillment,
    InventoryItem,
    InventoryLevel,
    LineItem,
    Order,
    Product,
    Variant,
    new,
)
from .paying import add_transaction, balance, left, settle
from .refunding import Part, Reckoning, write
from .resources import CODES, COUNTRIES, the_shop, title_of
from .selling import of_variant, place
from .stock import move


def moment(ctx: Ctx, text: str) -> str:
    """A time or day of the world; a day stands for nine o'clock."""
    return (text if "T" in text else f"{text}T09:00:00Z") if text else ctx.timestamp()


def fill_product(ctx: Ctx, e: ecommerce.Product) -> str:
    at = moment(ctx, e.created)
    option = {"id": new(ctx, "Option"), "name": "Title"}
    row = ctx.db.add(
        Product(
            id=new(ctx, "Product"), title=e.title, body_html=e.description or None, vendor=e.vendor, product_type=e.kind,
            handle=handle_for(ctx, Product, e.title), status=e.status, tags=list(e.tags), options=[option],
            published_at=at if e.status == "active" else None, created_at=at, updated_at=at,
        )
    )  # fmt: skip
    for position, v in enumerate(e.variants, 1):
        item = InventoryItem(id=new(ctx, "InventoryItem"), tracked=v.stock is not None, created_at=at, updated_at=at)
        ctx.db.add(item)
        ctx.db.add(
            Variant(
                id=new(ctx, "Variant"), product_id=row.id, inventory_item_id=item.id, position=position, option1=v.title or DEFAULT,
                price=money.of(v.price), compare_at_price=None if v.compare_at is None else money.of(v.compare_at), sku=v.sku,
                grams=v.weight_grams, created_at=at, updated_at=at,
            )
        )  # fmt: skip
        level = InventoryLevel(
            inventory_item_id=item.id,
            location_id=the_shop(ctx).primary_location_id,
            available=v.stock or 0,
            updated_at=at,
        )
        ctx.db.add(level)
    return str(row.id)


def fill_shopper(ctx: Ctx, e: ecommerce.Shopper) -> str:
    at = moment(ctx, e.created)
    row = ctx.db.add(
        Customer(
            id=new(ctx, "Customer"), email=e.email, first_name=e.first_name, last_name=e.last_name, phone=e.phone or None,
            note=e.note or None, tags=list(e.tags), currency=the_shop(ctx).currency, created_at=at, updated_at=at,
            marketing_state="subscribed" if e.accepts_marketing else "not_subscribed",
            consent_updated_at=at if e.accepts_marketing else None,
        )
    )  # fmt: skip
    if e.street or e.city or e.country:
        code = e.country if e.country in COUNTRIES else CODES.get(e.country, e.country)
        address = {
            "first_name": e.first_name, "last_name": e.last_name, "address1": e.street or None, "city": e.city or None,
            "province": e.state or None, "zip": e.postal_code or None, "country_code": code or None,
            "country": COUNTRIES.get(code, code) or None, "phone": e.phone or None,
        }  # fmt: skip
        ctx.db.add(CustomerAddress(id=new(ctx, "Address"), customer_id=row.id, default=True, address=address))
    return str(row.id)


def fill_order(ctx: Ctx, e: ecommerce.Order) -> str:
    at = moment(ctx, e.created)
    customer = ctx.require(Customer, int(ctx.ref(ecommerce.Shopper, e.shopper)))
    wanted = list[Any]()
    for line in e.lines:
        variant = ctx.db.first(Variant, sku=line.sku)
        assert variant is not None
        one = of_variant(ctx, variant, line.quantity)
        one.price = money.of(line.price)
        wanted.append(one)
    home = ctx.db.first(CustomerAddress, customer_id=customer.id, default=True)
    ship = money.of(e.shipping)
    line = {"id": new(ctx, "ShippingLine"), "title": "Standard", "price": money.text(ship), "code": "Standard"}
    order = place(
        ctx, wanted,
        {
            "customer_id": customer.id, "email": customer.email or "", "note": e.note or None, "tags": list(e.tags), "currency": e.currency,
            "shipping_lines": [line] if ship else [], "total_shipping": ship, "shipping_address": home and home.address,
            "billing_address": home and home.address,
        },
        discount=money.of(e.discount), tax=money.of(e.tax), at=at, number=e.number,
    )  # fmt: skip
    payment = None
    if order.total_price:
        gateway, status = ("shopify_payments", "success") if e.paid else ("manual", "pending")
        payment = add_transaction(ctx, order, "sale", order.total_price, gateway=gateway, status=status, at=at)
    _reserve(ctx, order, e)
    _ship(ctx, order, e, at)
    _give_back(ctx, order, e, payment.id if payment and e.paid else None, at)
    if e.cancelled:
        _call_off(ctx, order, e)
    settle(ctx, order)
    ctx.db.update(order, updated_at=moment(ctx, e.cancelled) if e.cancelled else at)
    if order.fulfillment_status == "fulfilled" and e.paid:
        ctx.db.update(order, closed_at=at)
    return str(order.id)


def _reserve(ctx: Ctx, order: Order, e: ecommerce.Order) -> None:
    """What is not sent yet is committed: the world's stock is what is for sale beside it."""
    if e.cancelled:
        return
    for line, given in zip(ctx.db.find(LineItem, order_id=order.id), e.lines, strict=True):
        rest = given.quantity - given.shipped
        if rest <= 0:
            continue
        for fo in shipping.orders_of(ctx, order):
            for pick in shipping.lines_in(ctx, fo):
                item = ctx.db.get(InventoryItem, pick.inventory_item_id) if pick.inventory_item_id else None
                level = ctx.db.get(InventoryLevel, (pick.inventory_item_id, fo.assigned_location_id))
                if pick.line_item_id == line.id and item is not None and item.tracked and level is not None:
                    move(ctx, level, committed=rest)
                    ctx.db.update(pick, committed=rest)


def _ship(ctx: Ctx, order: Order, e: ecommerce.Order, at: str) -> None:
    sent = {
        line.id: given.shipped for line, given in zip(ctx.db.find(LineItem, order_id=order.id), e.lines, strict=True)
    }
    for fo in shipping.orders_of(ctx, order):
        rows = shipping.lines_in(ctx, fo)
        picks = [(pick, n) for pick in rows if (n := min(sent[pick.line_item_id], pick.fulfillable_quantity)) > 0]
        if not picks:
            continue
        kept = {pick.id: pick.committed for pick, _ in picks}
        for pick, _ in picks:
            ctx.db.update(pick, committed=0)
        shipping.ship(
            ctx, order, picks, fo.assigned_location_id, at=at, tracking_company=e.carrier or None,
            tracking_numbers=[e.tracking] if e.tracking else [],
        )  # fmt: skip
        for pick, _ in picks:
            ctx.db.update(pick, committed=kept[pick.id])


def _give_back(ctx: Ctx, order: Order, e: ecommerce.Order, payment: int | None, at: str) -> None:
    parts = list[Part]()
    for line, given in zip(ctx.db.find(LineItem, order_id=order.id), e.lines, strict=True):
        if given.refunded:
            worth = line.price * line.quantity - line.discount
            share = money.share(worth, given.refunded, line.quantity)
            parts.append(
                Part(
                    line,
                    given.refunded,
                    "no_restock",
                    None,
                    share,
                    money.share(line.tax, given.refunded, line.quantity),
                )
            )
    if not parts:
        return
    row = write(ctx, order, Reckoning(parts, 0, 0), at=at)
    total = sum(p.subtotal + p.tax for p in parts)
    if payment is not None and total:
        made = add_transaction(ctx, order, "refund", total, gateway="shopify_payments", parent=payment, at=at)
        ctx.db.update(row, transaction_ids=[made.id])


def _call_off(ctx: Ctx, order: Order, e: ecommerce.Order) -> None:
    for fo in shipping.orders_of(ctx, order):
        for pick in shipping.lines_in(ctx, fo):
            ctx.db.update(pick, fulfillable_quantity=0, committed=0)
        ctx.db.update(fo, status="closed")
    for line in ctx.db.find(LineItem, order_id=order.id):
        ctx.db.update(line, removed=line.removed + left(line))
    ctx.db.update(order, cancelled_at=moment(ctx, e.cancelled), cancel_reason="customer")


def view_product(ctx: Ctx, r: Product) -> ecommerce.Product:
    variants = list[ecommerce.Variant]()
    for v in ctx.db.find(Variant, product_id=r.id, order="position,id"):
        item = ctx.db.get(InventoryItem, v.inventory_item_id)
        levels = ctx.db.find(InventoryLevel, inventory_item_id=v.inventory_item_id)
        variants.append(
            ecommerce.Variant(
                sku=v.sku or "", title=title_of(v), price=v.price / 100, weight_grams=v.grams,
                compare_at=None if v.compare_at_price is None else v.compare_at_price / 100,
                stock=sum(level.available for level in levels) if item and item.tracked else None,
            )
        )  # fmt: skip
    return ecommerce.Product(
        id=str(r.id), title=r.title, description=r.body_html or "", vendor=r.vendor, kind=r.product_type, tags=tuple(r.tags),
        status=r.status, variants=tuple(variants), created=r.created_at,
    )  # fmt: skip


def view_shopper(ctx: Ctx, r: Customer) -> ecommerce.Shopper:
    home = ctx.db.first(CustomerAddress, customer_id=r.id, default=True)
    a = home.address if home else {}
    return ecommerce.Shopper(
        id=str(r.id), first_name=r.first_name or "", last_name=r.last_name or "", email=r.email or "", phone=r.phone or "",
        street=a.get("address1") or "", city=a.get("city") or "", state=a.get("province") or "", postal_code=a.get("zip") or "",
        country=a.get("country_code") or "", accepts_marketing=r.marketing_state == "subscribed", tags=tuple(r.tags), note=r.note or "",
        created=r.created_at,
    )  # fmt: skip


def view_order(ctx: Ctx, r: Order) -> ecommerce.Order:
    sent = [f for f in ctx.db.find(Fulfillment, order_id=r.id) if f.status == "success"]
    last = sent[-1] if sent else None
    lines = tuple(
        ecommerce.OrderLine(
            sku=x.sku or "", quantity=x.quantity, price=x.price / 100, shipped=x.fulfilled, refunded=x.refunded
        )
        for x in ctx.db.find(LineItem, order_id=r.id)
    )
    return ecommerce.Order(
        id=str(r.id), number=r.order_number, shopper=str(r.customer_id or ""), lines=lines, shipping=r.total_shipping / 100,
        tax=r.total_tax / 100, discount=r.total_discounts / 100, currency=r.currency, cancelled=r.cancelled_at or "",
        paid=r.financial_status in ("paid", "refunded", "partially_refunded"),
        tracking=last.tracking_numbers[0] if last and last.tracking_numbers else "", carrier=(last.tracking_company or "") if last else "",
        note=r.note or "", tags=tuple(r.tags), created=r.created_at, given_back=balance(ctx, r).refunded / 100,
    )  # fmt: skip


class ShopifyEcommerce(ecommerce.Ecommerce):
    """Fills, views and verbs."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, ecommerce.Product):
            return fill_product(ctx, entity)
        if isinstance(entity, ecommerce.Shopper):
            return fill_shopper(ctx, entity)
        assert isinstance(entity, ecommerce.Order)
        return fill_order(ctx, entity)

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "product":
            return view_product(ctx, Product.of(row))
        if table == "customer":
            return view_shopper(ctx, Customer.of(row))
        return view_order(ctx, Order.of(row)) if table == "orders" else None

    def search_products(self, text: str) -> Plan:
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        yield call("list_products", query=f'"{quoted}"')

    def get_product(self, product_id: str) -> Plan:
        yield call("get_product", product_id=int(product_id))

    def list_orders(self) -> Plan:
        yield call("list_orders", status="any")

    def get_order(self, order_id: str) -> Plan:
        yield call("get_order", order_id=int(order_id))

    def get_order_lines(self, order_id: str) -> Plan:
        yield call("get_order", order_id=int(order_id), fields="id,name,line_items")

    def create_order(self, variant_id: str, quantity: int, email: str) -> Plan:
        line = {"variant_id": int(variant_id), "quantity": quantity}
        yield call(
            "create_order",
            order={"line_items": [line], "email": email, "inventory_behaviour": "decrement_obeying_policy"},
        )

    def cancel_order(self, order_id: str) -> Plan:
        yield call("cancel_order", order_id=int(order_id), restock=True)

    def refund_order(self, order_id: str) -> Plan:
        found = (yield call("get_order", order_id=int(order_id)))["order"]
        lines = [
            {"line_item_id": x["id"], "quantity": x["current_quantity"]}
            for x in found["line_items"]
            if x["current_quantity"]
        ]
        yield from self._refund(order_id, {"refund_line_items": lines, "shipping": {"full_refund": True}})

    def refund_line(self, order_id: str, sku: str, quantity: int) -> Plan:
        found = (yield call("get_order", order_id=int(order_id)))["order"]
        line = {x["sku"]: x["id"] for x in found["line_items"]}[sku]
        yield from self._refund(order_id, {"refund_line_items": [{"line_item_id": line, "quantity": quantity}]})

    def _refund(self, order_id: str, wanted: dict[str, Any]) -> Plan:
        """Refunds what is wanted of an order, with the money that it comes to."""
        due = (yield call("calculate_refund", order_id=int(order_id), refund=wanted))["refund"]
        back = [
            {"parent_id": t["parent_id"], "amount": t["amount"], "gateway": t["gateway"], "kind": "refund"}
            for t in due.get("transactions", [])
        ]
        yield call("create_refund", order_id=int(order_id), refund={**wanted, "transactions": back})

    def ship_order(self, order_id: str, tracking: str, carrier: str) -> Plan:
        found = yield call("list_order_fulfillment_orders", order_id=int(order_id))
        groups = [
            {"fulfillment_order_id": fo["id"]}
            for fo in found["fulfillment_orders"]
            if fo["status"] in ("open", "in_progress")
        ]
        info = {"number": tracking, "company": carrier}
        yield call("create_fulfillment", line_items_by_fulfillment_order=groups, tracking_info=info)

    def update_product(self, product_id: str, **changes: Any) -> Plan:
        names = {"description": "body_html"}
        made = {names.get(k, k): ", ".join(v) if k == "tags" else v for k, v in changes.items()}
        yield call("update_product", product_id=int(product_id), product=made)

    def adjust_stock(self, product_id: str, sku: str, by: int) -> Plan:
        found = (yield call("get_product", product_id=int(product_id)))["product"]
        item = {v.get("sku"): v["inventory_item_id"] for v in found["variants"]}[sku]
        levels = (yield call("list_inventory_levels", inventory_item_ids=[item]))["inventory_levels"]
        yield call(
            "adjust_inventory_level",
            inventory_item_id=item,
            location_id=levels[0]["location_id"],
            available_adjustment=by,
        )

    def find_customer(self, email: str) -> Plan:
        yield call("search_customers", query=f'email:"{email}"')

    def find_order(self, number: int) -> Plan:
        yield call("list_orders", status="any", name=str(number))

    def list_customer_orders(self, customer_id: str) -> Plan:
        yield call("list_orders", status="any", customer_id=int(customer_id))

    def update_order(self, order_id: str, **changes: Any) -> Plan:
        made = {k: ", ".join(v) if k == "tags" else v for k, v in changes.items()}
        yield call("update_order", order_id=int(order_id), order=made)

    def update_customer(self, customer_id: str, **changes: Any) -> Plan:
        made = {k: ", ".join(v) if k == "tags" else v for k, v in changes.items()}
        yield call("update_customer", customer_id=int(customer_id), customer=made)


provides = {"ecommerce": ShopifyEcommerce()}
