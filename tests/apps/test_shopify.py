"""The Shopify app through its public faces: rules, state machines, search, pages, money and stock that add up."""

import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import templates
from legoenv_mcp.capabilities import Entity, ecommerce
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

SHOP: list[Entity] = [
    ecommerce.Product(
        key="mug", title="Blue mug", vendor="Kiln", kind="Kitchen", tags=("blue", "gift"), created="2025-01-02T10:00:00Z",
        variants=(
            ecommerce.Variant(sku="MUG-S", title="Small", price=10, stock=20, weight_grams=300),
            ecommerce.Variant(sku="MUG-L", title="Large", price=15, stock=5, compare_at=18),
        ),
    ),
    ecommerce.Product(
        key="card", title="Gift card holder", vendor="Paper", kind="Paper", tags=("gift",), created="2025-02-02T10:00:00Z",
        variants=(ecommerce.Variant(sku="CARD", price=3.33),),
    ),
    ecommerce.Shopper(
        key="ann", first_name="Ann", last_name="Lee", email="ann@lee.example", street="1 Quay", city="Hull", country="GB",
        tags=("vip",), created="2025-01-05T10:00:00Z",
    ),
    ecommerce.Shopper(key="bob", first_name="Bob", last_name="Ray", email="bob@ray.example", created="2025-01-06T10:00:00Z"),
    ecommerce.Order(
        key="one", number=1001, shopper="ann", lines=(ecommerce.OrderLine(sku="MUG-S", quantity=3, price=10),), shipping=5, tax=7,
        discount=1, created="2026-02-01T10:00:00Z",
    ),
    ecommerce.Order(
        key="two", number=1002, shopper="ann", paid=False, lines=(ecommerce.OrderLine(sku="MUG-L", quantity=1, price=15),),
        created="2026-02-02T10:00:00Z",
    ),
    ecommerce.Order(
        key="three", number=1003, shopper="bob", lines=(ecommerce.OrderLine(sku="MUG-S", quantity=2, price=10, shipped=2),),
        tracking="T1", carrier="UPS", created="2026-02-03T10:00:00Z",
    ),
]  # fmt: skip


class Shop:
    """An episode of the shop above, and shorter ways to call it."""

    def __init__(self, entities: list[Entity] = SHOP) -> None:
        self.episode: Episode = episode_of("shopify", entities)
        self.live = self.episode.app("shopify")

    def call(self, tool: str, **arguments: Any) -> Any:
        reply = self.live.call(tool, arguments)
        assert not reply.error, f"{tool}: {reply.body}"
        return reply.body

    def no(self, tool: str, status: int = 422, **arguments: Any) -> Any:
        """A call that is refused, and leaves everything as it was."""
        before = self.live.store.connection.serialize()
        reply = self.live.call(tool, arguments)
        assert (reply.error, reply.status) == (True, status), f"{tool}: {reply.status} {reply.body}"
        assert self.live.store.connection.serialize() == before
        return reply.body["errors"]

    def rest(self, method: str, path: str, body: Any = None) -> Reply:
        where, _, query = path.partition("?")
        headers = {"content-type": "application/json"} if body is not None else {}
        url = f"http://shop.test{path}"
        pairs = dict(p.split("=", 1) for p in query.split("&") if p)
        request = Request(method, where, url, pairs, headers, "http://shop.test")
        return handle(self.live, request, b"" if body is None else json.dumps(body).encode())

    def ref(self, kind: str, key: str) -> int:
        return int(self.live.template.refs[f"ecommerce.{kind}"][key])

    def order(self, key: int) -> Any:
        return self.rest("GET", f"/admin/api/2025-01/orders/{key}.json").body["order"]

    def variant(self, sku: str) -> Any:
        found = self.call("list_products", query=f"sku:{sku}")["products"][0]
        return next(v for v in found["variants"] if v["sku"] == sku)

    def stock(self, sku: str) -> dict[int, int]:
        item = self.variant(sku)["inventory_item_id"]
        levels = self.call("list_inventory_levels", inventory_item_ids=[item])["inventory_levels"]
        return {x["location_id"]: x["available"] for x in levels}

    def places(self) -> list[int]:
        return [p["id"] for p in self.call("list_locations")["locations"]]

    def sell(self, sku: str, quantity: int, **more: Any) -> Any:
        line = {"variant_id": self.variant(sku)["id"], "quantity": quantity}
        wanted = {"line_items": [line], "inventory_behaviour": "decrement_obeying_policy", **more}
        return self.call("create_order", order=wanted)["order"]

    def fos(self, order: int) -> list[Any]:
        return self.call("list_order_fulfillment_orders", order_id=order)["fulfillment_orders"]

    def ship(self, order: int, quantity: int | None = None) -> Any:
        fo = next(f for f in self.fos(order) if f["status"] in ("open", "in_progress"))
        group: dict[str, Any] = {"fulfillment_order_id": fo["id"]}
        if quantity is not None:
            group["fulfillment_order_line_items"] = [{"id": fo["line_items"][0]["id"], "quantity": quantity}]
        return self.call("create_fulfillment", line_items_by_fulfillment_order=[group])["fulfillment"]


@pytest.fixture
def shop() -> Shop:
    return Shop()


async def test_tools_answer_over_mcp(shop: Shop) -> None:
    async with Client(serve(shop.episode, ["shopify"])) as client:
        found = await client.call_tool("list_products", {"query": "mug"})
        assert found.structured_content is not None
        assert [p["title"] for p in found.structured_content["products"]] == ["Blue mug"]
        refused = await client.call_tool("get_order", {"order_id": 1})
        assert refused.is_error
        assert json.loads(refused.content[0].text) == {"status": 404, "errors": "Not Found"}  # pyright: ignore[reportAttributeAccessIssue]


def test_every_version_and_no_other_path(shop: Shop) -> None:
    for start in ("/admin/api/2024-10", "/admin/api/2025-01", "/admin/api/unstable", "/admin"):
        assert shop.rest("GET", f"{start}/shop.json").body["shop"]["name"] == "Brightwater"
    assert shop.rest("GET", "/admin/api/2024-10/shop.json").headers["X-Shopify-API-Version"] == "2024-10"
    assert shop.rest("GET", "/admin/api/2025-01/nothing.json").body == {"errors": "Not Found"}
    assert shop.rest("POST", "/admin/api/2025-01/products.json", {}).body == {
        "errors": {"product": "Required parameter missing or invalid"}
    }
    assert shop.rest("GET", "/admin/api/2025-01/products/x.json").status == 400


def test_filters_fields_and_counts(shop: Shop) -> None:
    def titles(query: str) -> list[str]:
        return [p["title"] for p in shop.rest("GET", f"/admin/products.json?{query}").body["products"]]

    assert titles("vendor=Kiln") == ["Blue mug"]
    assert titles("title=blue%20mug") == ["Blue mug"]
    assert titles(f"ids={shop.ref('Product', 'card')},5") == ["Gift card holder"]
    assert titles("created_at_min=2025-01-15T00:00:00Z") == ["Gift card holder"]
    assert titles("status=draft,archived") == []
    assert titles("handle=blue-mug,x") == ["Blue mug"]
    body = shop.rest("GET", "/admin/products.json?fields=id,title").body["products"][0]
    assert body.keys() == {"id", "title"}
    assert shop.rest("GET", "/admin/products/count.json?product_type=Kitchen").body == {"count": 1}
    assert shop.rest("GET", "/admin/products.json?created_at_min=soon").status == 400
    orders = shop.rest("GET", "/admin/orders.json").body["orders"]
    assert [o["name"] for o in orders] == ["#1002", "#1001"]  # the shipped and paid one is closed
    for query, names in {
        "status=any": 3, "status=closed": 1, "financial_status=paid": 1, "financial_status=pending": 1, "fulfillment_status=unshipped": 2,
        "status=any&fulfillment_status=shipped": 1, "status=cancelled": 0, "name=1001": 1, "name=%231002": 1,
    }.items():  # fmt: skip
        assert len(shop.rest("GET", f"/admin/orders.json?{query}").body["orders"]) == names, query
    assert shop.rest("GET", "/admin/orders.json?financial_status=owed").status == 400
    assert shop.rest("GET", "/admin/customers/count.json").body == {"count": 2}
    own = shop.rest("GET", f"/admin/customers/{shop.ref('Shopper', 'ann')}/orders.json?status=any&limit=1")
    assert [o["order_number"] for o in own.body["orders"]] == [1002]
    after = own.headers["Link"].partition(">")[0].removeprefix("<http://shop.test")
    assert [o["order_number"] for o in shop.rest("GET", after).body["orders"]] == [1001]


def test_pages_by_link_header() -> None:
    shop = Shop([])
    for n in range(12):
        shop.call("create_customer", customer={"first_name": f"C{n:02d}"})
    seen, path = list[str](), "/admin/api/2025-01/customers.json?limit=5"
    pages, links = list[str](), dict[str, str]()
    while path:
        reply = shop.rest("GET", path)
        seen += [c["first_name"] for c in reply.body["customers"]]
        pages.append(path)
        links = {
            part.split('rel="')[1][:-1]: part[1 : part.index(">")]
            for part in reply.headers.get("Link", "").split(", ")
            if part
        }
        path = links["next"].removeprefix("http://shop.test") if "next" in links else ""
    assert seen == [f"C{n:02d}" for n in range(12)]
    assert len(pages) == 3
    back = shop.rest("GET", links["previous"].removeprefix("http://shop.test"))
    assert [c["first_name"] for c in back.body["customers"]] == seen[5:10]
    token = urlsplit(links["previous"]).query.partition("page_info=")[2]
    refused = shop.rest("GET", f"/admin/api/2025-01/customers.json?page_info={token}&created_at_min=2020-01-01")
    assert "cannot be passed" in refused.body["errors"]["created_at_min"]
    assert shop.rest("GET", "/admin/api/2025-01/customers.json?page=2").status == 400
    first = shop.call("list_customers", limit=7)
    assert len(shop.call("list_customers", page_info=first["next_page_info"])["customers"]) == 5


def test_a_page_keeps_the_filters_of_its_question(shop: Shop) -> None:
    reply = shop.rest("GET", "/admin/orders.json?status=any&order=created_at%20asc&limit=2")
    path = reply.headers["Link"].partition(">")[0].removeprefix("<http://shop.test")
    assert [o["order_number"] for o in reply.body["orders"]] == [1001, 1002]
    assert [o["order_number"] for o in shop.rest("GET", path).body["orders"]] == [1003]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ann", ["Ann"]), ("email:ann@lee.example", ["Ann"]), ("ANN OR bob", ["Ann", "Bob"]), ("tag:vip", ["Ann"]), ("-tag:vip", ["Bob"]),
        ("NOT tag:vip", ["Bob"]), ("country:GB city:Hull", ["Ann"]), ('country:"United Kingdom"', ["Ann"]), ("orders_count:>1", ["Ann"]),
        ("orders_count:1", ["Bob"]), ("total_spent:<=20", ["Bob"]), ("first_name:A*", ["Ann"]), ("(ann OR bob) AND -vip", ["Bob"]),
        ("accepts_marketing:false", ["Ann", "Bob"]), ("created_at:>2025-01-05", ["Bob"]), ("created_at:2025-01-05", ["Ann"]),
        ("phone:*", []), ("nobody", []), ("", ["Ann", "Bob"]),
    ],
)  # fmt: skip
def test_customer_search(shop: Shop, query: str, found: list[str]) -> None:
    people = shop.call("search_customers", query=query, order="id ASC")["customers"]
    assert [p["first_name"] for p in people] == found


@pytest.mark.parametrize("query", ["((", "shoe_size:4", "orders_count:>many", "created_at:soon", "a OR"])
def test_bad_searches_are_refused(shop: Shop, query: str) -> None:
    assert "query" in shop.no("search_customers", 400, query=query)


def test_products_and_variants(shop: Shop) -> None:
    made = shop.call(
        "create_product",
        product={"title": "Shirt", "options": [{"name": "Size"}, {"name": "Color"}], "variants": [
            {"option1": "S", "option2": "Red", "price": "9.99", "inventory_management": "shopify"}, {"option1": "M", "option2": "Red"},
        ]},
    )["product"]  # fmt: skip
    key = made["id"]
    assert [v["title"] for v in made["variants"]] == ["S / Red", "M / Red"]
    assert shop.no("create_variant", product_id=key, variant={"option1": "s", "option2": "red"}) == {
        "base": ["The variant 'S / Red' already exists."]
    }
    assert shop.no("create_variant", product_id=key, variant={"option1": "L"}) == {"option2": ["can't be blank"]}
    assert "option3" in shop.no(
        "create_variant", product_id=key, variant={"option1": "L", "option2": "Red", "option3": "x"}
    )
    assert "price" in shop.no("update_variant", variant_id=made["variants"][0]["id"], variant={"price": "cheap"})
    shop.no("update_variant", variant_id=made["variants"][0]["id"], variant={"price": "-1"})
    shop.no("update_product", product_id=key, product={"status": "gone"})
    shop.no("update_product", product_id=key, product={"title": " "})
    shop.call("create_variant", product_id=key, variant={"option1": "L", "option2": "Red", "price": 12, "position": 1})
    kept = shop.call("get_product", product_id=key)["product"]["variants"]
    assert [v["option1"] for v in kept] == ["L", "S", "M"]
    shop.call("update_product", product_id=key, product={"variants": [{"id": kept[1]["id"], "price": "11"}]})
    left = shop.call("get_product", product_id=key)["product"]["variants"]
    assert [(v["option1"], v["price"]) for v in left] == [("S", "11.00")]
    shop.no("delete_variant", product_id=key, variant_id=left[0]["id"])
    plain = shop.call("create_product", product={"title": "Shirt"})["product"]
    assert (plain["handle"], plain["variants"][0]["title"]) == ("shirt-1", "Default Title")
    shop.call("create_variant", product_id=plain["id"], variant={"option1": "Yellow"})
    only = shop.call("get_product", product_id=plain["id"])["product"]["variants"]
    assert [v["title"] for v in only] == ["Yellow"]
    shop.call("delete_variant", product_id=key, variant_id=shop.call("create_variant", product_id=key,
              variant={"option1": "X", "option2": "Y"})["variant"]["id"])  # fmt: skip
    shop.call("delete_product", product_id=key)
    shop.no("get_product", 404, product_id=key)


def test_images_and_nested_paths(shop: Shop) -> None:
    base = f"/admin/products/{shop.ref('Product', 'mug')}"
    made = shop.rest("POST", f"{base}/images.json", {"image": {"src": "https://files.example/a.png", "alt": "A"}})
    assert made.status == 200
    key = made.body["image"]["id"]
    variant = shop.variant("MUG-S")["id"]
    shop.rest("PUT", f"{base}/images/{key}.json", {"image": {"variant_ids": [variant]}})
    assert shop.rest("GET", f"{base}/variants/{variant}.json").body["variant"]["image_id"] == key
    shop.rest("PUT", f"{base}/variants/{variant}.json", {"variant": {"price": "10.50"}})
    assert shop.rest("GET", f"/admin/variants/{variant}.json").body["variant"]["price"] == "10.50"
    assert shop.rest("POST", f"{base}/images.json", {"image": {"src": "nowhere"}}).status == 422
    assert shop.rest("DELETE", f"{base}/images/{key}.json").body == {}
    assert shop.rest("GET", f"{base}/images/count.json").body == {"count": 0}


def test_collections(shop: Shop) -> None:
    mug, card = shop.ref("Product", "mug"), shop.ref("Product", "card")

    def smart(*rules: tuple[str, str, str], disjunctive: bool = False) -> set[int]:
        given = [dict(zip(("column", "relation", "condition"), rule, strict=True)) for rule in rules]
        made = shop.call(
            "create_smart_collection", smart_collection={"title": "T", "rules": given, "disjunctive": disjunctive}
        )
        found = shop.call("list_collection_products", collection_id=made["smart_collection"]["id"])
        return {p["id"] for p in found["products"]}

    assert smart(("tag", "equals", "GIFT")) == {mug, card}
    assert smart(("variant_price", "greater_than", "10")) == {mug}
    assert smart(("vendor", "equals", "Paper"), ("title", "contains", "mug")) == set()
    assert smart(("vendor", "equals", "Paper"), ("title", "contains", "mug"), disjunctive=True) == {mug, card}
    assert smart(("variant_inventory", "less_than", "6"), ("type", "not_equals", "Paper")) == {mug}
    rule = {"column": "tag", "relation": "contains", "condition": "x"}
    assert "rules" in shop.no("create_smart_collection", smart_collection={"title": "T", "rules": [rule]})
    assert "rules" in shop.no("create_smart_collection", smart_collection={"title": "T"})
    shelf = shop.call("create_custom_collection", custom_collection={"title": "Shelf"})["custom_collection"]["id"]
    shop.call("create_collect", collect={"product_id": mug, "collection_id": shelf})
    assert "product_id" in shop.no("create_collect", collect={"product_id": mug, "collection_id": shelf})
    assert [p["id"] for p in shop.call("list_products", collection_id=shelf)["products"]] == [mug]
    assert shop.call("list_custom_collections", product_id=mug)["custom_collections"][0]["id"] == shelf
    made = shop.call("list_smart_collections")["smart_collections"][0]["id"]
    assert (
        shop.rest("PUT", f"/admin/smart_collections/{made}.json", {"smart_collection": {"title": "New"}}).status == 200
    )
    assert (
        shop.rest("PUT", f"/admin/custom_collections/{shelf}.json", {"custom_collection": {"title": "New"}}).status
        == 200
    )
    collect = shop.rest("GET", f"/admin/collects.json?collection_id={shelf}").body["collects"][0]["id"]
    assert shop.rest("DELETE", f"/admin/collects/{collect}.json").status == 200
    for path in (f"custom_collections/{shelf}", f"smart_collections/{made}"):
        assert shop.rest("DELETE", f"/admin/{path}.json").status == 200
        assert shop.rest("GET", f"/admin/{path}.json").status == 404


def test_stock_rules(shop: Shop) -> None:
    main, other = shop.places()
    item, bare = shop.variant("MUG-S")["inventory_item_id"], shop.variant("CARD")["inventory_item_id"]
    assert shop.no("adjust_inventory_level", inventory_item_id=bare, location_id=main, available_adjustment=1) == [
        "Inventory item does not have inventory tracking enabled"
    ]
    shop.no("adjust_inventory_level", 404, inventory_item_id=item, location_id=other, available_adjustment=1)
    shop.no("adjust_inventory_level", inventory_item_id=item, location_id=main, available_adjustment=2_000_000_000)
    shop.call("set_inventory_level", inventory_item_id=item, location_id=other, available=4)
    shop.call("adjust_inventory_level", inventory_item_id=item, location_id=other, available_adjustment=-6)
    assert shop.stock("MUG-S") == {main: 20, other: -2}
    shop.no("list_inventory_levels")
    shop.call(
        "update_inventory_item",
        inventory_item_id=bare,
        inventory_item={"tracked": True, "sku": "CARD-2", "cost": "1.5"},
    )
    assert shop.call("get_inventory_item", inventory_item_id=bare)["inventory_item"]["cost"] == "1.50"
    assert shop.variant("CARD-2")["inventory_item_id"] == bare
    connected = shop.rest(
        "POST", "/admin/inventory_levels/connect.json", {"location_id": other, "inventory_item_id": bare}
    )
    assert connected.status == 201
    path = f"/admin/inventory_levels.json?inventory_item_id={bare}&location_id="
    assert shop.rest("DELETE", f"{path}{other}").status == 200
    assert shop.rest("DELETE", f"{path}{main}").status == 422


def test_customers(shop: Shop) -> None:
    ann = shop.ref("Shopper", "ann")
    assert shop.no("create_customer", customer={"email": "Ann@Lee.example"}) == {"email": ["has already been taken"]}
    assert shop.no("create_customer", customer={"email": "nope"}) == {"email": ["is invalid"]}
    assert "customer" in shop.no("create_customer", customer={"note": "nobody"})
    shop.call(
        "update_customer",
        customer_id=ann,
        customer={"phone": "+44 20 7946 0000", "email_marketing_consent": {"state": "subscribed"}},
    )
    assert shop.no("create_customer", customer={"first_name": "X", "phone": "+442079460000"}) == {
        "phone": ["has already been taken"]
    }
    address = {"address1": "2 Quay", "city": "Hull", "country": "gb", "default": True}
    made = shop.call("create_customer_address", customer_id=ann, address=address)["customer_address"]
    assert (made["country"], made["default"]) == ("United Kingdom", True)
    shop.no("create_customer_address", customer_id=ann, address=address)
    shop.no("create_customer_address", customer_id=ann, address={"country": "Atlantis"})
    base = f"/admin/customers/{ann}"
    first, second = [a["id"] for a in shop.rest("GET", f"{base}/addresses.json").body["addresses"]]
    assert shop.rest("DELETE", f"{base}/addresses/{second}.json").status == 422
    assert shop.rest("PUT", f"{base}/addresses/{first}/default.json").status == 200
    assert (
        shop.rest("PUT", f"{base}/addresses/{second}.json", {"address": {"city": "York"}}).body["customer_address"][
            "city"
        ]
        == "York"
    )
    assert shop.rest("DELETE", f"{base}/addresses/{second}.json").status == 200
    assert shop.rest("POST", f"{base}/send_invite.json", {"customer_invite": {"subject": "Hi"}}).status == 201
    assert "activate" in shop.rest("POST", f"{base}/account_activation_url.json").body["account_activation_url"]
    assert shop.rest("DELETE", f"{base}.json").body == {"errors": "Error deleting customer"}
    new = shop.call("create_customer", customer={"first_name": "New"})["customer"]["id"]
    assert shop.rest("DELETE", f"/admin/customers/{new}.json").status == 200


def test_what_an_order_comes_to(shop: Shop) -> None:
    made = shop.sell(
        "MUG-S", 3, email="new@buyer.example", discount_codes=[{"code": "TEN", "amount": "10", "type": "percentage"}], total_tax="5.40",
        shipping_lines=[{"title": "Post", "price": "4.5"}], customer={"first_name": "New"},
    )  # fmt: skip
    assert (made["subtotal_price"], made["total_tax"], made["total_price"]) == ("27.00", "5.40", "36.90")
    assert (made["name"], made["financial_status"]) == ("#1004", "paid")
    assert shop.stock("MUG-S")[shop.places()[0]] == 17
    assert shop.call("search_customers", query="email:new@buyer.example")["customers"][0]["first_name"] == "New"
    line = {"variant_id": shop.variant("MUG-L")["id"], "quantity": 50}
    wanted = {"line_items": [line], "inventory_behaviour": "decrement_obeying_policy"}
    assert shop.no("create_order", order=wanted) == {"line_items": ["Unable to reserve inventory"]}
    shop.call("create_order", order={**wanted, "inventory_behaviour": "decrement_ignoring_policy"})
    assert shop.stock("MUG-L")[shop.places()[0]] == -45
    shop.no("create_order", order={"line_items": [{"variant_id": 5, "quantity": 1}]})
    shop.no("create_order", order={"line_items": [{"title": "Service", "quantity": 1}]})
    shop.no("create_order", order={"line_items": [{"title": "Service", "price": "5", "quantity": 0}]})
    shop.no("create_order", order={"line_items": [{"title": "S", "price": "5", "quantity": 1, "total_discount": "6"}]})
    service = shop.call("create_order", order={"line_items": [{"title": "Service", "price": "5", "quantity": 2}]})[
        "order"
    ]
    assert service["total_price"] == "10.00"


def test_payments(shop: Shop) -> None:
    key = shop.sell("MUG-S", 2, financial_status="authorized")["id"]

    def pay(**transaction: Any) -> Any:
        return shop.call("create_order_transaction", order_id=key, transaction=transaction)["transaction"]

    shop.no("create_order_transaction", order_id=key, transaction={"kind": "refund", "amount": "5"})
    shop.no("create_order_transaction", order_id=key, transaction={"kind": "capture", "amount": "20.01"})
    pay(kind="capture", amount="5")
    assert shop.order(key)["financial_status"] == "partially_paid"
    shop.no("create_order_transaction", order_id=key, transaction={"kind": "void"})
    pay(kind="capture")
    assert shop.order(key)["financial_status"] == "paid"
    shop.no("create_order_transaction", order_id=key, transaction={"kind": "capture"})
    shop.no("create_order_transaction", order_id=key, transaction={"kind": "sale"})
    pay(kind="refund", amount="4")
    assert shop.order(key)["financial_status"] == "partially_refunded"
    assert [t["kind"] for t in shop.call("list_order_transactions", order_id=key)["transactions"]] == [
        "authorization", "capture", "capture", "refund",
    ]  # fmt: skip
    held = shop.sell("MUG-S", 1, financial_status="authorized")["id"]
    shop.call("create_order_transaction", order_id=held, transaction={"kind": "void"})
    assert shop.order(held)["financial_status"] == "voided"
    shop.no("create_order_transaction", order_id=held, transaction={"kind": "capture"})
    waiting = shop.ref("Order", "two")
    shop.call("create_order_transaction", order_id=waiting, transaction={"kind": "sale", "source": "external"})
    assert (shop.order(waiting)["financial_status"], shop.order(waiting)["total_outstanding"]) == ("paid", "0.00")


def test_shipping_takes_from_the_stock_and_cancelling_puts_back(shop: Shop) -> None:
    key = shop.sell("MUG-S", 4)["id"]
    fo = shop.fos(key)[0]
    group = {
        "fulfillment_order_id": fo["id"],
        "fulfillment_order_line_items": [{"id": fo["line_items"][0]["id"], "quantity": 5}],
    }
    assert shop.no("create_fulfillment", line_items_by_fulfillment_order=[group]) == [
        "Invalid fulfillment order line item quantity requested."
    ]
    shop.no("create_fulfillment", line_items_by_fulfillment_order=[])
    shop.no("create_fulfillment", line_items_by_fulfillment_order=[{"fulfillment_order_id": 7}])
    sent = shop.ship(key, 1)
    assert (shop.order(key)["fulfillment_status"], shop.fos(key)[0]["status"]) == ("partial", "in_progress")
    shop.ship(key)
    assert (shop.order(key)["fulfillment_status"], shop.fos(key)[0]["status"]) == ("fulfilled", "closed")
    assert (
        "unfulfillable status= closed"
        in shop.no("create_fulfillment", line_items_by_fulfillment_order=[{"fulfillment_order_id": fo["id"]}])[0]
    )
    info = {"number": "1Z", "company": "UPS"}
    moved = shop.call("update_fulfillment_tracking", fulfillment_id=sent["id"], fulfillment={"tracking_info": info})
    assert moved["fulfillment"]["tracking_url"].endswith("1Z")
    shop.no("cancel_order", order_id=key)
    path = f"/admin/orders/{key}/fulfillments/{sent['id']}/events.json"
    assert shop.rest("POST", path, {"event": {"status": "delivered"}}).status == 201
    assert shop.rest("GET", path).body["fulfillment_events"][0]["status"] == "delivered"
    shop.call("cancel_fulfillment", fulfillment_id=sent["id"])
    shop.no("cancel_fulfillment", fulfillment_id=sent["id"])
    shop.no("update_fulfillment_tracking", fulfillment_id=sent["id"], fulfillment={"tracking_info": info})
    assert shop.order(key)["fulfillment_status"] == "partial"
    assert shop.fos(key)[0]["line_items"][0]["fulfillable_quantity"] == 1


def test_fulfillment_orders_move_wait_and_are_cancelled(shop: Shop) -> None:
    main, other = shop.places()
    key = shop.sell("MUG-S", 4)["id"]
    fo = shop.fos(key)[0]["id"]
    move = {"new_location_id": other}
    assert "not stocked" in shop.no("move_fulfillment_order", fulfillment_order_id=fo, fulfillment_order=move)[0]
    item = shop.variant("MUG-S")["inventory_item_id"]
    shop.call("set_inventory_level", inventory_item_id=item, location_id=other, available=3)
    units = [{"id": shop.fos(key)[0]["line_items"][0]["id"], "quantity": 1}]
    done = shop.call(
        "move_fulfillment_order",
        fulfillment_order_id=fo,
        fulfillment_order={**move, "fulfillment_order_line_items": units},
    )
    assert done["remaining_fulfillment_order"]["id"] == fo
    assert done["moved_fulfillment_order"]["assigned_location_id"] == other
    assert shop.stock("MUG-S") == {main: 17, other: 2}
    hold = {"reason": "inventory_out_of_stock"}
    shop.call("hold_fulfillment_order", fulfillment_order_id=fo, fulfillment_hold=hold)
    shop.no("hold_fulfillment_order", fulfillment_order_id=fo, fulfillment_hold=hold)
    shop.no("move_fulfillment_order", fulfillment_order_id=fo, fulfillment_order=move)
    shop.no("cancel_fulfillment_order", fulfillment_order_id=fo)
    shop.no("create_fulfillment", line_items_by_fulfillment_order=[{"fulfillment_order_id": fo}])
    shop.call("release_fulfillment_order_hold", fulfillment_order_id=fo)
    shop.no("release_fulfillment_order_hold", fulfillment_order_id=fo)
    both = [{"fulfillment_order_id": f["id"]} for f in shop.fos(key)]
    shop.no("create_fulfillment", line_items_by_fulfillment_order=both)
    gone = shop.call("cancel_fulfillment_order", fulfillment_order_id=fo)
    assert (gone["fulfillment_order"]["status"], gone["replacement_fulfillment_order"]["status"]) == ("closed", "open")
    assert shop.rest("GET", f"/admin/fulfillment_orders/{fo}/locations_for_move.json").status == 200
    deadline = {"fulfillment_order_ids": [fo], "fulfillment_deadline": "2026-03-09T00:00:00Z"}
    assert shop.rest("POST", "/admin/fulfillment_orders/set_fulfillment_orders_deadline.json", deadline).status == 200


def test_refunds(shop: Shop) -> None:
    key = shop.ref("Order", "one")  # 3 mugs at 10, 1 off, 7 tax, 5 shipping: 41
    line = shop.order(key)["line_items"][0]["id"]

    def units(n: int, restock: str = "no_restock") -> dict[str, Any]:
        return {"refund_line_items": [{"line_item_id": line, "quantity": n, "restock_type": restock}]}

    due = shop.call("calculate_refund", order_id=key, refund=units(1))["refund"]
    assert [t["amount"] for t in due["transactions"]] == ["11.99"]  # a third of 29 and of 7, rounded down
    assert shop.no("create_refund", order_id=key, refund=units(4)) == {
        "refund_line_items.quantity": ["cannot refund more items than were purchased"]
    }
    shop.no("create_refund", order_id=key, refund=units(1, "return"))
    shop.no("create_refund", order_id=key, refund={})
    shop.no("create_refund", order_id=key, refund={"shipping": {"amount": "5.01"}})
    shop.no("create_refund", order_id=key, refund={"transactions": [{"amount": "41.01"}]})
    parent = due["transactions"][0]["parent_id"]
    paid = [{"parent_id": parent, "amount": "11.99", "kind": "refund"}]
    shop.call("create_refund", order_id=key, refund={**units(1, "cancel"), "transactions": paid})
    assert shop.stock("MUG-S")[shop.places()[0]] == 21
    order = shop.order(key)
    assert (order["financial_status"], order["current_total_price"]) == ("partially_refunded", "29.01")
    assert order["line_items"][0]["fulfillable_quantity"] == 2
    shop.ship(key)
    shop.call("create_refund", order_id=key, refund=units(1, "return"))
    assert shop.stock("MUG-S")[shop.places()[0]] == 22
    shop.no("cancel_fulfillment", fulfillment_id=shop.order(key)["fulfillments"][0]["id"])
    rest = shop.call("calculate_refund", order_id=key, refund={**units(1), "shipping": {"full_refund": True}})["refund"]
    assert rest["shipping"]["maximum_refundable"] == "5.00"
    back = [{"parent_id": parent, "amount": "29.01", "kind": "refund"}]
    shop.call(
        "create_refund", order_id=key, refund={**units(1), "shipping": {"full_refund": True}, "transactions": back}
    )
    order = shop.order(key)
    assert (order["financial_status"], order["current_total_price"]) == ("refunded", "0.00")
    assert len(shop.rest("GET", f"/admin/orders/{key}/refunds.json").body["refunds"]) == 3


def test_cancelling(shop: Shop) -> None:
    key = shop.sell("MUG-S", 4)["id"]
    shop.no("cancel_order", order_id=key, amount="40.01")
    shop.call("cancel_order", order_id=key, reason="customer", restock=True, amount="40")
    order = shop.order(key)
    assert (order["financial_status"], order["fulfillment_status"], order["cancel_reason"]) == (
        "refunded",
        "restocked",
        "customer",
    )
    assert shop.stock("MUG-S")[shop.places()[0]] == 20
    shop.no("cancel_order", order_id=key)
    shop.no("open_order", order_id=key)
    shop.no("create_order_transaction", order_id=key, transaction={"kind": "sale"})
    unpaid = shop.ref("Order", "two")
    shop.call("cancel_order", order_id=unpaid)
    assert shop.order(unpaid)["financial_status"] == "voided"
    assert shop.stock("MUG-L")[shop.places()[0]] == 5
    shop.no("cancel_order", order_id=shop.ref("Order", "three"))


def test_orders_change_close_and_go(shop: Shop) -> None:
    key = shop.ref("Order", "one")
    shop.call("update_order", order_id=key, order={"note": "Ring", "tags": "b,a", "shipping_address": {"city": "York"}})
    order = shop.order(key)
    assert (order["note"], order["tags"], order["shipping_address"]["city"]) == ("Ring", "a, b", "York")
    assert order["shipping_address"]["address1"] == "1 Quay"
    shop.no("update_order", order_id=key, order={"email": "nope"})
    assert shop.call("close_order", order_id=key)["order"]["closed_at"]
    assert "closed_at" not in shop.call("open_order", order_id=key)["order"]
    assert shop.rest("DELETE", f"/admin/orders/{key}.json").status == 422  # paid online
    manual = shop.sell("MUG-S", 2)["id"]
    assert shop.rest("DELETE", f"/admin/orders/{manual}.json").body == {}
    assert shop.stock("MUG-S")[shop.places()[0]] == 20
    assert shop.rest("GET", f"/admin/orders/{key}/events.json").body["events"]


def test_drafts_are_completed_once(shop: Shop) -> None:
    line = {
        "variant_id": shop.variant("MUG-S")["id"],
        "quantity": 2,
        "applied_discount": {"value": "1", "value_type": "fixed_amount"},
    }
    draft = shop.call(
        "create_draft_order",
        draft_order={"line_items": [line, {"title": "Wrap", "price": "2", "quantity": 1}], "customer": {"id": shop.ref("Shopper", "ann")},
                     "applied_discount": {"value": "10", "value_type": "percentage"}, "use_customer_default_address": True,
                     "shipping_line": {"title": "Post", "price": "3"}},
    )["draft_order"]  # fmt: skip
    key = draft["id"]
    assert (draft["name"], draft["subtotal_price"], draft["total_price"]) == ("#D1", "18.90", "21.90")
    assert shop.stock("MUG-S")[shop.places()[0]] == 20
    shop.no("create_draft_order", draft_order={})
    shop.no("create_draft_order", draft_order={"line_items": [line], "customer": {"id": 4}})
    shop.call("update_draft_order", draft_order_id=key, draft_order={"note": "Soon"})
    assert shop.call("send_draft_order_invoice", draft_order_id=key)["draft_order_invoice"]["to"] == "ann@lee.example"
    assert shop.call("list_draft_orders", status="invoice_sent")["draft_orders"][0]["id"] == key
    done = shop.call("complete_draft_order", draft_order_id=key)["draft_order"]
    order = shop.order(done["order_id"])
    assert (order["total_price"], order["financial_status"], order["source_name"]) == (
        "21.90",
        "paid",
        "shopify_draft_order",
    )
    assert shop.stock("MUG-S")[shop.places()[0]] == 18
    shop.no("complete_draft_order", draft_order_id=key)
    shop.no("update_draft_order", draft_order_id=key, draft_order={"note": "Later"})
    shop.no("send_draft_order_invoice", draft_order_id=key)
    assert shop.rest("DELETE", f"/admin/draft_orders/{key}.json").status == 200


def test_discounts(shop: Shop) -> None:
    rule = {
        "title": "Spring", "value_type": "percentage", "value": "-10", "target_type": "line_item", "target_selection": "all",
        "allocation_method": "across", "customer_selection": "all", "starts_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    for name, value in {
        "value": "10", "title": "", "target_selection": "entitled", "customer_selection": "prerequisite", "ends_at": "2025-01-01T00:00:00Z",
    }.items():  # fmt: skip
        shop.no("create_price_rule", price_rule={**rule, name: value})
    shop.no("create_price_rule", price_rule={**rule, "value": "-100.5"})
    key = shop.call("create_price_rule", price_rule=rule)["price_rule"]["id"]
    shop.call("create_discount_code", price_rule_id=key, discount_code={"code": "SPRING"})
    assert shop.no("create_discount_code", price_rule_id=key, discount_code={"code": "spring"}) == {
        "code": ["must be unique. Please try a different code."]
    }
    code = shop.call("lookup_discount_code", code="Spring")["discount_code"]["id"]
    found = shop.rest("GET", "/admin/discount_codes/lookup.json?code=SPRING")
    assert (found.status, found.headers["Location"]) == (
        303,
        f"http://shop.test/admin/price_rules/{key}/discount_codes/{code}.json",
    )
    shop.sell("MUG-S", 1, discount_codes=[{"code": "SPRING", "amount": "1.00"}])
    assert shop.call("list_discount_codes", price_rule_id=key)["discount_codes"][0]["usage_count"] == 1
    base = f"/admin/price_rules/{key}"
    assert shop.rest("PUT", f"{base}.json", {"price_rule": {"value": "-20"}}).body["price_rule"]["value"] == "-20.0"
    assert shop.rest("PUT", f"{base}/discount_codes/{code}.json", {"discount_code": {"code": "MAY"}}).status == 200
    assert shop.rest("DELETE", f"{base}/discount_codes/{code}.json").status == 204
    assert shop.rest("DELETE", f"{base}.json").status == 204
    assert shop.call("list_price_rules")["price_rules"] == []


def test_metafields(shop: Shop) -> None:
    mug = shop.ref("Product", "mug")
    field = {"namespace": "care", "key": "wash", "value": "30", "type": "number_integer"}
    key = shop.call("create_metafield", resource="products", resource_id=mug, metafield=field)["metafield"]["id"]
    assert shop.no("create_metafield", resource="products", resource_id=mug, metafield=field) == {
        "key": ["must be unique within this namespace on this resource"]
    }
    for bad in ({"value": "x"}, {"type": "shape"}, {"namespace": "a"}, {"key": ""}, {"type": "json", "value": "{"}):
        shop.no("create_metafield", resource="products", resource_id=mug, metafield={**field, "key": "other", **bad})
    shop.no("create_metafield", 404, resource="planets", resource_id=mug, metafield=field)
    change = {"value": "40"}
    made = shop.call(
        "update_resource_metafield", resource="products", resource_id=mug, metafield_id=key, metafield=change
    )
    assert made["metafield"]["value"] == 40
    assert len(shop.call("list_metafields", resource="products", resource_id=mug, namespace="care")["metafields"]) == 1
    assert shop.rest("PUT", f"/admin/metafields/{key}.json", {"metafield": {"value": "50"}}).status == 200
    assert shop.rest("DELETE", f"/admin/products/{mug}/metafields/{key}.json").status == 200
    own = shop.rest("POST", "/admin/metafields.json", {"metafield": {**field, "type": "boolean", "value": "true"}})
    assert own.body["metafield"]["value"] is True
    assert shop.rest("DELETE", f"/admin/metafields/{own.body['metafield']['id']}.json").status == 200


def test_webhooks(shop: Shop) -> None:
    hook = {"topic": "orders/create", "address": "https://hooks.example/in"}

    def post(**changes: str) -> Reply:
        return shop.rest("POST", "/admin/webhooks.json", {"webhook": {**hook, **changes}})

    key = post().body["webhook"]["id"]
    assert post().body == {"errors": {"address": ["for this topic has already been taken"]}}
    assert post(address="http://hooks.example").body == {"errors": {"address": ["protocol http:// is not supported"]}}
    assert "topic" in post(topic="orders/eaten").body["errors"]
    assert (
        shop.rest("PUT", f"/admin/webhooks/{key}.json", {"webhook": {"address": "https://hooks.example/b"}}).status
        == 200
    )
    assert shop.rest("DELETE", f"/admin/webhooks/{key}.json").body == {}


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from([
            "sell", "ship", "unship", "cancel", "cancel_keep", "move", "hold", "release", "requeue", "refund_cancel", "refund_return",
            "refund", "adjust", "capture", "pay_back",
        ]),
        st.integers(0, 3), st.integers(1, 4),
    ),
    min_size=4, max_size=16,
)  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ACTIONS)
def test_stock_and_money_add_up_whatever_happens(actions: list[tuple[str, int, int]]) -> None:
    shop = Shop()
    main, other = shop.places()
    item = shop.variant("MUG-S")["inventory_item_id"]
    shop.call("set_inventory_level", inventory_item_id=item, location_id=other, available=9)
    for action, which, count in actions:
        before = _on_hand(shop)
        ok = _act(shop, action, which, count, item, (main, other))
        if ok and action in (
            "sell",
            "move",
            "hold",
            "release",
            "requeue",
            "refund_cancel",
            "refund",
            "cancel",
            "capture",
            "pay_back",
        ):
            assert _on_hand(shop) == before, f"{action} changed what is on hand"
        _check(shop)


def _act(shop: Shop, action: str, which: int, count: int, item: int, places: tuple[int, int]) -> bool:
    orders = shop.rest("GET", "/admin/orders.json?status=any").body["orders"]
    order = orders[which % len(orders)]
    key, line = order["id"], order["line_items"][0]["id"]
    fos = shop.fos(key)
    fo = fos[count % len(fos)]
    pick = {"fulfillment_order_id": fo["id"]}
    if fo.get("line_items"):
        pick["fulfillment_order_line_items"] = [{"id": fo["line_items"][0]["id"], "quantity": count}]
    units = {"refund_line_items": [{"line_item_id": line, "quantity": count}]}
    sent = order["fulfillments"]
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "sell": ("create_order", {"order": {
            "line_items": [{"variant_id": shop.variant("MUG-S")["id"], "quantity": count}], "email": "ann@lee.example",
            "inventory_behaviour": ("bypass", "decrement_ignoring_policy", "decrement_obeying_policy", "bypass")[which],
            "financial_status": ("paid", "authorized", "pending", "paid")[which],
        }}),
        "ship": ("create_fulfillment", {"line_items_by_fulfillment_order": [pick]}),
        "unship": ("cancel_fulfillment", {"fulfillment_id": sent[count % len(sent)]["id"] if sent else 1}),
        "cancel": ("cancel_order", {"order_id": key, "restock": True}), "cancel_keep": ("cancel_order", {"order_id": key}),
        "move": ("move_fulfillment_order", {"fulfillment_order_id": fo["id"], "fulfillment_order": {"new_location_id": places[count % 2]}}),
        "hold": ("hold_fulfillment_order", {"fulfillment_order_id": fo["id"], "fulfillment_hold": {"reason": "other"}}),
        "release": ("release_fulfillment_order_hold", {"fulfillment_order_id": fo["id"]}),
        "requeue": ("cancel_fulfillment_order", {"fulfillment_order_id": fo["id"]}),
        "refund_cancel": ("create_refund", {"order_id": key, "refund": _with(units, "cancel")}),
        "refund_return": ("create_refund", {"order_id": key, "refund": _with(units, "return")}),
        "refund": ("create_refund", {"order_id": key, "refund": units}),
        "adjust": ("adjust_inventory_level", {"inventory_item_id": item, "location_id": places[which % 2], "available_adjustment": count}),
        "capture": ("create_order_transaction", {"order_id": key, "transaction": {"kind": "capture", "amount": str(count)}}),
        "pay_back": ("create_refund", {"order_id": key, "refund": {"transactions": [{"amount": str(count)}]}}),
    }  # fmt: skip
    tool, arguments = calls[action]
    reply = shop.live.call(tool, arguments)
    assert reply.status < 500, f"{tool}({arguments}): {reply.body}"
    return not reply.error


def _with(units: dict[str, Any], restock: str) -> dict[str, Any]:
    return {"refund_line_items": [{**units["refund_line_items"][0], "restock_type": restock}]}


def _on_hand(shop: Shop) -> int:
    return shop.live.store.query("SELECT sum(available + committed) AS n FROM inventory_level")[0]["n"]


def _check(shop: Shop) -> None:
    """What is committed is what open fulfillment orders wait for; no unit is sent, removed or refunded twice; no money made."""
    query = shop.live.store.query
    reserved = {
        (r["inventory_item_id"], r["assigned_location_id"]): r["n"]
        for r in query(
            "SELECT l.inventory_item_id, f.assigned_location_id, sum(l.committed) AS n FROM fulfillment_order_line l "
            "JOIN fulfillment_order f ON f.id = l.fulfillment_order_id GROUP BY 1, 2"
        )
    }
    for level in query("SELECT * FROM inventory_level"):
        assert level["committed"] == reserved.get((level["inventory_item_id"], level["location_id"]), 0)
        assert level["committed"] >= 0
    for pick in query("SELECT * FROM fulfillment_order_line"):
        assert 0 <= pick["committed"] <= pick["fulfillable_quantity"] <= pick["quantity"]
    for line in query("SELECT * FROM line_item"):
        waits = query(
            "SELECT sum(fulfillable_quantity) AS n FROM fulfillment_order_line WHERE line_item_id = ?", [line["id"]]
        )[0]["n"]
        assert line["quantity"] - line["fulfilled"] - line["removed"] == (waits or 0)
        assert 0 <= line["refunded"] <= line["quantity"]
    for order in query("SELECT id FROM orders"):
        sums = {"capture": 0, "sale": 0, "refund": 0}
        for t in query(
            "SELECT kind, amount FROM \"transaction\" WHERE order_id = ? AND status = 'success'", [order["id"]]
        ):
            sums[t["kind"]] = sums.get(t["kind"], 0) + t["amount"]
        assert sums["refund"] <= sums["capture"] + sums["sale"]


@pytest.mark.parametrize("world", ["quaymark", "larkfell", "empty"])
def test_answers_to_tools_are_small(world: str) -> None:
    live = templates.episode(["shopify"], world=world).app("shopify")
    for tool, arguments in {"list_orders": {"status": "any"}, "list_products": {}, "list_customers": {}}.items():
        assert len(json.dumps(live.call(tool, arguments).body)) < 36_000


def test_stock_is_not_written_with_products(shop: Shop) -> None:
    variant, mug = shop.variant("MUG-S"), shop.ref("Product", "mug")
    words = "Write requests to inventory_quantity and inventory_quantity_adjustment are no longer supported"
    for field in ("inventory_quantity", "inventory_quantity_adjustment"):
        one = {"id": variant["id"], field: 4}
        assert shop.no("update_variant", 400, variant_id=variant["id"], variant=one).startswith(words)
        assert shop.no("update_product", 400, product_id=mug, product={"variants": [one]}).startswith(words)
        assert shop.no("create_product", 400, product={"title": "Cup", "variants": [{field: 4}]}).startswith(words)
    shop.call("update_variant", variant_id=variant["id"], variant={"price": "11"})


def test_times_without_a_zone_are_the_shops() -> None:
    live = templates.episode(["shopify"], world="tarrowlisle").app("shopify")
    orders = live.call("list_orders", {"status": "any", "limit": 250}).body["orders"]
    assert not orders[0]["created_at"].endswith("+00:00")
    for day in {o["created_at"][:10] for o in orders}:
        for asked in (
            {"created_at_min": day, "created_at_max": f"{day}T23:59:59"},
            {"query": f"created_at:{day}"},
            {"query": f"created_at:>={day} created_at:<='{day}T23:59:59'"},
        ):
            found = live.call("list_orders", {"status": "any", "limit": 250, "fields": "created_at", **asked}).body
            assert {o["created_at"][:10] for o in found["orders"]} == {day}, asked


def test_orders_are_found_by_whose_they_are_and_by_status(shop: Shop) -> None:
    def names(where: str) -> list[str]:
        return [o["name"] for o in shop.rest("GET", f"/admin/orders.json?status=any&{where}").body["orders"]]

    assert names(f"customer_id={shop.ref('Shopper', 'ann')}") == ["#1002", "#1001"]
    assert names("email=BOB@ray.example") == ["#1003"]
    assert names("email=nobody@ray.example") == []
    # A query that names a status is not narrowed to open orders.
    for query, found in {
        "status:closed": ["#1003"],
        "status:any": ["#1003", "#1002", "#1001"],
        "mug": ["#1002", "#1001"],
    }.items():
        assert [o["name"] for o in shop.call("list_orders", query=query)["orders"]] == found, query
    assert "financial_status" in shop.no("list_orders", 400, query="payment:paid")["query"]
    shop.call("update_customer", customer_id=shop.ref("Shopper", "bob"), customer={"phone": "+44 20 7946 0572"})
    assert [c["email"] for c in shop.call("search_customers", query="phone:+442079460572")["customers"]] == [
        "bob@ray.example"
    ]
    assert shop.call("list_products", vendor="kiln")["products"][0]["title"] == "Blue mug"


def test_every_discount_of_a_line_is_one_of_the_orders(shop: Shop) -> None:
    line = {"title": "Wrap", "price": "10", "quantity": 2, "total_discount": "3"}
    made = shop.call(
        "create_order",
        order={"line_items": [line, {"title": "Bow", "price": "5", "quantity": 1}],
               "discount_codes": [{"code": "TEN", "amount": "10", "type": "percentage"}]},
    )["order"]  # fmt: skip
    draft = shop.call(
        "create_draft_order",
        draft_order={"line_items": [{"title": "Wrap", "price": "10", "quantity": 1, "applied_discount": {"value": "1"}}],
                     "applied_discount": {"value": "2"}},
    )["draft_order"]  # fmt: skip
    done = shop.call("complete_draft_order", draft_order_id=draft["id"])["draft_order"]["order_id"]
    for key in (made["id"], done, shop.ref("Order", "one")):
        shop.ship(key)
        order = shop.order(key)
        given = [0.0] * len(order["discount_applications"])
        for one in order["line_items"]:
            for part in one["discount_allocations"]:
                given[part["discount_application_index"]] += float(part["amount"])
        assert all(given)
        assert sum(given) == pytest.approx(float(order["total_discounts"]))
        sent = {x["id"]: x["discount_allocations"] for x in order["fulfillments"][0]["line_items"]}
        assert sent == {x["id"]: x["discount_allocations"] for x in order["line_items"]}
    order = shop.order(made["id"])
    assert [(d["type"], d["value"]) for d in order["discount_applications"]] == [
        ("discount_code", "10.0"),
        ("manual", "3.00"),
    ]
    assert order["discount_codes"] == [{"code": "TEN", "amount": "2.20", "type": "percentage"}]
    refund = {"refund_line_items": [{"line_item_id": order["line_items"][0]["id"], "quantity": 1}]}
    part = shop.rest("POST", f"/admin/orders/{made['id']}/refunds/calculate.json", {"refund": refund}).body["refund"]
    names = ("price", "discounted_price", "discounted_total_price", "total_cart_discount_amount", "subtotal")
    assert [part["refund_line_items"][0][n] for n in names] == ["10.00", "8.50", "8.50", "0.85", "7.65"]


def test_a_drafts_email_is_its_orders_customer(shop: Shop) -> None:
    for email, known in {"ANN@lee.example": True, "new@ray.example": False}.items():
        draft = {"line_items": [{"title": "Wrap", "price": "2", "quantity": 1}], "email": email}
        key = shop.call("create_draft_order", draft_order=draft)["draft_order"]["id"]
        done = shop.call("complete_draft_order", draft_order_id=key)["draft_order"]
        assert shop.order(done["order_id"])["customer"]["id"] == done["customer"]["id"]
        assert (done["customer"]["id"] == shop.ref("Shopper", "ann")) is known


def test_what_follows_from_a_call_is_no_change_of_its_own(shop: Shop) -> None:
    shop.ship(shop.ref("Order", "one"))
    assert {c.table for c in shop.episode.changes()} == {"fulfillment", "fulfillment_line"}
    fo = shop.fos(shop.ref("Order", "two"))[0]["id"]
    shop.call("hold_fulfillment_order", fulfillment_order_id=fo, fulfillment_hold={"reason": "other"})
    assert [c.columns for c in shop.episode.changes() if c.table == "fulfillment_order"] == [("holds",)]


def test_an_order_that_was_sent_already(shop: Shop) -> None:
    line = {"variant_id": shop.variant("MUG-S")["id"], "quantity": 2}
    order = {"line_items": [line], "fulfillment_status": "fulfilled", "inventory_behaviour": "decrement_obeying_policy"}
    made = shop.rest("POST", "/admin/orders.json", {"order": order}).body["order"]
    assert (made["fulfillment_status"], made["line_items"][0]["fulfillable_quantity"]) == ("fulfilled", 0)
    assert [f["status"] for f in made["fulfillments"]] == ["success"]
    assert [fo["status"] for fo in shop.fos(made["id"])] == ["closed"]
    assert shop.stock("MUG-S")[shop.places()[0]] == 18
    _check(shop)


def test_refusals_say_what_would_do(shop: Shop) -> None:
    wrong = shop.rest("GET", "/admin/orders.json?status=all")
    assert (wrong.status, "'open', 'closed', 'cancelled' or 'any'" in wrong.body["errors"]["status"]) == (400, True)
    item = {"inventory_item_id": shop.variant("CARD")["inventory_item_id"], "location_id": shop.places()[0]}
    words = ["Inventory item does not have inventory tracking enabled"]
    assert shop.no("set_inventory_level", **item, available=3) == words
    shop.ship(key := shop.sell("MUG-S", 1)["id"])
    assert shop.no("cancel_order", order_id=key)["base"][0].startswith("Cannot cancel a paid and fulfilled order")
    assert shop.rest("GET", f"/admin/orders/{10**30}.json").body == {
        "errors": {"order_id": "expected Integer to be a id"}
    }


def test_a_change_of_tracking_keeps_what_is_not_sent(shop: Shop) -> None:
    key = shop.order(shop.ref("Order", "three"))["fulfillments"][0]["id"]

    def track(**info: str) -> tuple[Any, ...]:
        made = shop.call("update_fulfillment_tracking", fulfillment_id=key, fulfillment={"tracking_info": info})
        return tuple(made["fulfillment"].get(f"tracking_{n}") for n in ("company", "number", "url"))

    assert track(number="T2") == ("UPS", "T2", "https://www.ups.com/track?loc=en_US&tracknum=T2")
    assert track(url="https://ship.example/T2") == ("UPS", "T2", "https://ship.example/T2")
    assert track(company="Kayak Post") == ("Kayak Post", "T2", None)
