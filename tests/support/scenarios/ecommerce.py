"""The verbs of ecommerce."""

from legoenv_mcp.capabilities import ecommerce
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    product = s.first(ecommerce.Product, lambda x: x.status == "active" and (x.variants[0].stock or 0) > 20)
    key = s.ref(product)
    s.reads(p.search_products(product.title), key)
    s.reads(p.get_product(key), product.variants[0].sku)
    order = s.first(ecommerce.Order, lambda o: o.paid and not o.cancelled and all(x.shipped for x in o.lines))
    s.reads(p.list_orders())
    s.reads(p.get_order(s.ref(order)), order.number)
    s.reads(p.get_order_lines(s.ref(order)), *(line.sku for line in order.lines))
    if p.offers("find_customer"):
        shopper = s.first(ecommerce.Shopper)
        s.reads(p.find_customer(shopper.email), s.ref(shopper))
    if p.offers("find_order"):
        s.reads(p.find_order(order.number), s.ref(order))
    if p.offers("list_customer_orders"):
        buyer = s.first(ecommerce.Shopper, lambda x: x.key == order.shopper)
        s.reads(p.list_customer_orders(s.ref(buyer)), s.ref(order))
    if p.offers("update_order"):
        s.run(p.update_order(s.ref(order), note="By verb", tags=("verb", "word")))
        noted = s.one(ecommerce.Order, lambda x: x.id == s.ref(order))
        assert (noted.note, set(noted.tags)) == ("By verb", {"verb", "word"})
    if p.offers("update_customer"):
        shopper = s.first(ecommerce.Shopper)
        s.run(p.update_customer(s.ref(shopper), phone="+16175550143", note="By verb"))
        known = s.one(ecommerce.Shopper, lambda x: x.id == s.ref(shopper))
        assert (known.phone, known.note) == ("+16175550143", "By verb")
    if p.offers("update_product"):
        s.run(
            p.update_product(
                key, title="Verbs, assorted", description="All of them.", status="draft", tags=("verb", "word")
            )
        )
        made = s.one(ecommerce.Product, lambda x: x.id == key)
        assert (made.title, made.description, made.status) == ("Verbs, assorted", "All of them.", "draft")
        assert set(made.tags) == {"verb", "word"}
    if p.offers("adjust_stock"):
        sku = product.variants[0].sku
        before = _stock(s, key, sku)
        s.run(p.adjust_stock(key, sku, -3))
        assert _stock(s, key, sku) == before - 3
    _orders(s)


def _stock(s: Stage, product: str, sku: str) -> int:
    found = s.one(ecommerce.Product, lambda x: x.id == product)
    stock = next(v.stock for v in found.variants if v.sku == sku)
    assert stock is not None
    return stock


def _orders(s: Stage) -> None:
    """What happens to orders: each verb on one that it may be done to, and its effect."""
    p = s.provider

    def order(key: str) -> ecommerce.Order:
        return s.one(ecommerce.Order, lambda o: o.id == key)

    def waits(o: ecommerce.Order) -> bool:
        return o.paid and not o.cancelled and not any(x.shipped or x.refunded for x in o.lines)

    waiting = [o for o in s.world.entities(ecommerce.Order) if waits(o)]
    assert len(waiting) > 1, "the world has too few orders that wait to be shipped"
    if p.offers("ship_order"):
        key = s.ref(waiting[0])
        s.run(p.ship_order(key, "VB100200300", "Verb Haulage"))
        made = order(key)
        assert all(line.shipped == line.quantity for line in made.lines)
        assert (made.tracking, made.carrier) == ("VB100200300", "Verb Haulage")
    if p.offers("cancel_order"):
        key = s.ref(waiting[1])
        s.run(p.cancel_order(key))
        assert order(key).cancelled
    if p.offers("refund_order"):
        sold = s.first(
            ecommerce.Order, lambda o: o.paid and not o.cancelled and all(x.shipped and not x.refunded for x in o.lines)
        )
        key = s.ref(sold)
        s.run(p.refund_order(key))
        assert all(line.refunded == line.quantity for line in order(key).lines)
    if p.offers("refund_line"):
        kept = [o for o in s.world.entities(ecommerce.Order) if _kept(o)]
        sold = kept[-1]
        s.run(p.refund_line(s.ref(sold), sold.lines[1].sku, 1))
        assert order(s.ref(sold)).given_back > 0
        assert [line.refunded for line in order(s.ref(sold)).lines] == [int(n == 1) for n in range(len(sold.lines))]


def _kept(order: ecommerce.Order) -> bool:
    """Paid, of several lines, all of them sent and none of them given back."""
    whole = all(x.shipped and not x.refunded for x in order.lines)
    return order.paid and not order.cancelled and whole and len(order.lines) > 1
