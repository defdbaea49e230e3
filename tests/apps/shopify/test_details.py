"""Shopify: drafts, discounts, metafields, webhooks, and what agents trip over."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from legoenv_mcp import templates
from legoenv_mcp.kernel.context import Reply
from tests.apps.shopify.support import ACTIONS, Shop, _act, _check, _on_hand


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
