"""What the tests of Shopify share."""

import json
from typing import Any

from hypothesis import strategies as st

from legoenv_mcp.capabilities import Entity, ecommerce
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
