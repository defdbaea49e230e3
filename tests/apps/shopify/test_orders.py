"""Shopify: orders, from payment to refund."""

from typing import Any

from tests.apps.shopify.support import Shop


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
