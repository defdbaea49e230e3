"""ShopifyAPI, unmodified but for its site, against the Shopify app over real HTTP."""

import json
from typing import TYPE_CHECKING, Any

import pytest
import shopify
from pyactiveresource.connection import BadRequest, ClientError, ResourceNotFound

if TYPE_CHECKING:
    from conftest import Gateway

sdk: Any = shopify  # untyped: what find() answers is one thing or many

pytestmark = [
    pytest.mark.sdk,
    # The SDK leaves the closing of its HTTP responses to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def site(gateway: "Gateway") -> Any:
    rest = gateway.episode(["shopify"]).rest("shopify")
    session = sdk.Session("quaymark.myshopify.com", "2024-10", "shpat_test")
    sdk.ShopifyResource.activate_session(session)
    sdk.ShopifyResource.set_site(f"{rest}/admin/api/2024-10")
    yield rest
    sdk.ShopifyResource.clear_session()


def said(error: ClientError) -> Any:
    return json.loads(error.response.body)["errors"]


def a_product() -> Any:
    return next(p for p in sdk.Product.find(limit=250) if p.variants[0].inventory_quantity > 20)


def test_the_shop_and_its_places() -> None:
    shop = sdk.Shop.current()
    assert (shop.name, shop.currency, shop.myshopify_domain) == ("Quaymark", "USD", "quaymark.myshopify.com")
    places = sdk.Location.find()
    assert shop.primary_location_id in [p.id for p in places]
    assert sdk.Location.find(places[0].id).name == places[0].name


def test_pages_lead_through_every_order_and_product_once() -> None:
    count = sdk.Order.count(status="any")
    page, walked, pages = sdk.Order.find(status="any", limit=25), [], 0
    while True:
        pages += 1
        walked += [o.id for o in page]
        if not page.has_next_page():
            break
        page = page.next_page()
    assert pages > 2
    assert len(walked) == len(set(walked)) == count
    back = page.previous_page()
    assert [o.id for o in back] == walked[25 * (pages - 2) : 25 * (pages - 1)]
    products = [p.id for page in _pages(sdk.Product.find(limit=7)) for p in page]
    assert len(products) == len(set(products)) == sdk.Product.count()
    since = sdk.Product.find(since_id=products[4], limit=3)
    assert [p.id for p in since] == products[5:8]
    with pytest.raises(BadRequest) as caught:
        sdk.Order.find(page_info="nonsense")
    assert said(caught.value) == {"page_info": "Invalid value."}


def _pages(page: Any) -> Any:
    while True:
        yield page
        if not page.has_next_page():
            return
        page = page.next_page()


def test_a_product_lives_and_dies() -> None:
    product = sdk.Product()
    product.title = "Rope, braided"
    product.options = [{"name": "Length"}]
    product.variants = [
        sdk.Variant({"option1": "5 m", "price": "9.50", "sku": "ROPE-5"}),
        sdk.Variant({"option1": "10 m", "price": 17}),
    ]
    product.tags = "sail, rope"
    assert product.save()
    assert [v.price for v in product.variants] == ["9.50", "17.00"]
    assert product.tags == "rope, sail"
    product.title = "Rope"
    product.variants[0].price = "10.00"
    assert product.save()
    again = sdk.Product.find(product.id)
    assert (again.title, again.variants[0].price, again.variants[0].id) == ("Rope", "10.00", product.variants[0].id)
    variant = sdk.Variant.find(product.variants[1].id)
    variant.barcode = "123"
    assert variant.save()
    assert sdk.Variant.find(variant.id, product_id=product.id).barcode == "123"
    added = sdk.Variant({"product_id": product.id, "option1": "20 m", "price": "30"})
    assert added.save()
    image = sdk.Image({"product_id": product.id, "src": "https://files.example/rope.png"})
    assert image.save()
    assert sdk.Product.find(product.id, fields="id,title").attributes.keys() == {"id", "title"}
    product.add_metafield(sdk.Metafield({"namespace": "care", "key": "wash", "value": "30", "type": "number_integer"}))
    assert [(m.key, m.value) for m in product.metafields()] == [("wash", 30)]
    assert [e.verb for e in product.events()] == ["create"]
    product.destroy()
    with pytest.raises(ResourceNotFound) as caught:
        sdk.Product.find(product.id)
    assert said(caught.value) == "Not Found"
    bad = sdk.Product({"title": ""})
    assert not bad.save()
    assert bad.errors.full_messages() == ["title can't be blank"]


def test_collections() -> None:
    product = a_product()
    shelf = sdk.CustomCollection.create({"title": "On the shelf"})
    shelf.add_product(product)
    assert [p.id for p in shelf.products()] == [product.id]
    assert shelf.id in [c.id for c in product.collections()]
    shelf.remove_product(product)
    assert list(shelf.products()) == []
    rule = {"column": "vendor", "relation": "equals", "condition": product.vendor}
    smart = sdk.SmartCollection.create({"title": "Same vendor", "rules": [rule]})
    assert smart.id in [c.id for c in product.smart_collections()]


def test_stock_is_set_adjusted_and_connected() -> None:
    item = a_product().variants[0].inventory_item_id
    main, other = [p.id for p in sdk.Location.find()]
    assert sdk.InventoryLevel.set(main, item, 10).available == 10
    assert sdk.InventoryLevel.adjust(main, item, -4).available == 6
    assert sdk.InventoryLevel.connect(other, item).available == 0
    levels = sdk.InventoryLevel.find(inventory_item_ids=item, location_ids=f"{main},{other}")
    assert {x.location_id: x.available for x in levels} == {main: 6, other: 0}
    next(x for x in levels if x.location_id == other).destroy()
    assert len(sdk.InventoryLevel.find(inventory_item_ids=item)) == 1
    thing = sdk.InventoryItem.find(item)
    thing.cost = "3.25"
    assert thing.save()
    assert sdk.InventoryItem.find(item).cost == "3.25"


def test_customers() -> None:
    known = sdk.Customer.find()[0]
    assert [c.id for c in sdk.Customer.search(query=f"email:{known.email}")] == [known.id]
    made = sdk.Customer.create({"email": "vera@verbs.example", "first_name": "Vera", "tags": "b, a"})
    assert made.tags == "a, b"
    made.note = "Rings twice"
    assert made.save()
    assert made.send_invite().to == "vera@verbs.example"
    assert sdk.Customer.find(made.id).state == "invited"
    again = sdk.Customer({"email": "VERA@verbs.example"})
    assert not again.save()
    assert again.errors.full_messages() == ["email has already been taken"]
    assert sdk.Customer.count() > 1
    buyer = sdk.Customer.search(query="orders_count:>1", limit=1)[0]
    own = sdk.Order.find(email=buyer.email, status="any")
    assert len(own) == buyer.orders_count
    assert {o.customer.id for o in own} == {buyer.id}
    assert {o.id for o in buyer.orders()} <= {o.id for o in own}


def test_an_order_is_placed_shipped_refunded_and_closed() -> None:
    product = a_product()
    line = {"variant_id": product.variants[0].id, "quantity": 3}
    order = sdk.Order.create(
        {"line_items": [line], "email": "buyer@verbs.example", "inventory_behaviour": "decrement_obeying_policy",
         "financial_status": "authorized", "shipping_lines": [{"title": "Post", "price": "5.00"}]}
    )  # fmt: skip
    assert order.financial_status == "authorized"
    assert order.capture().kind == "capture"
    order = sdk.Order.find(order.id)
    assert order.financial_status == "paid"
    assert [t.kind for t in order.transactions()] == ["authorization", "capture"]
    fo = sdk.FulfillmentOrders.find(order_id=order.id)[0]
    sent = sdk.FulfillmentV2.create(
        {"line_items_by_fulfillment_order": [
            {"fulfillment_order_id": fo.id, "fulfillment_order_line_items": [{"id": fo.line_items[0].id, "quantity": 2}]}
        ]}
    )  # fmt: skip
    assert sent.status == "success"
    found = sdk.Fulfillment.find(sent.id, order_id=order.id)
    found.update_tracking({"number": "1Z999", "company": "UPS"}, False)
    assert sdk.Fulfillment.find(sent.id, order_id=order.id).tracking_url.endswith("tracknum=1Z999")
    assert sdk.Order.find(order.id).fulfillment_status == "partial"
    with pytest.raises(ClientError) as caught:
        order.cancel()
    assert "fulfillments" in said(caught.value)["base"][0]
    due = sdk.Refund.calculate(
        order.id,
        shipping={"full_refund": True},
        refund_line_items=[{"line_item_id": order.line_items[0].id, "quantity": 1, "restock_type": "cancel"}],
    )
    back = [
        {"parent_id": t.parent_id, "amount": t.amount, "kind": "refund", "gateway": t.gateway} for t in due.transactions
    ]
    refund = sdk.Refund.create(
        {"order_id": order.id, "shipping": {"full_refund": True}, "transactions": back,
         "refund_line_items": [{"line_item_id": order.line_items[0].id, "quantity": 1, "restock_type": "cancel"}]}
    )  # fmt: skip
    assert [t.kind for t in refund.transactions] == ["refund"]
    order = sdk.Order.find(order.id)
    assert (order.financial_status, order.fulfillment_status) == ("partially_refunded", "fulfilled")
    order.close()
    assert order.closed_at
    order.open()
    assert not order.closed_at
    order.note = "Left at the gate"
    assert order.save()
    assert next(e.verb for e in order.events()) == "placed"


def test_drafts_discounts_and_webhooks() -> None:
    variant = a_product().variants[0]
    draft = sdk.DraftOrder.create(
        {"line_items": [{"variant_id": variant.id, "quantity": 2}], "email": "buyer@verbs.example",
         "applied_discount": {"value": "10", "value_type": "percentage", "title": "Friend"}}
    )  # fmt: skip
    assert float(draft.total_price) == pytest.approx(float(variant.price) * 1.8, abs=0.011)
    assert draft.send_invoice(sdk.DraftOrderInvoice()).to == "buyer@verbs.example"
    draft.complete({"payment_pending": True})
    assert sdk.Order.find(draft.order_id).financial_status == "pending"
    with pytest.raises(ClientError):
        draft.complete()
    rule = sdk.PriceRule.create(
        {"title": "Spring", "value_type": "percentage", "value": "-10.0", "target_type": "line_item", "target_selection": "all",
         "allocation_method": "across", "customer_selection": "all", "starts_at": "2026-01-01T00:00:00Z"}
    )  # fmt: skip
    assert rule.add_discount_code(sdk.DiscountCode({"code": "SPRING"})).code == "SPRING"
    assert [c.code for c in rule.discount_codes()] == ["SPRING"]
    hook = sdk.Webhook.create({"topic": "orders/create", "address": "https://hooks.example/in"})
    hook.address = "https://hooks.example/out"
    assert hook.save()
    assert sdk.Webhook.count() == 1
    hook.destroy()
    assert sdk.Webhook.count() == 0
