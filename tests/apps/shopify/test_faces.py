"""Shopify: the faces, filters and pages."""

import json
from urllib.parse import urlsplit

import pytest
from mcp import Client

from legoenv_mcp.faces.mcp import serve
from tests.apps.shopify.support import Shop


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
