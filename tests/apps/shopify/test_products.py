"""Shopify: products, collections, stock, customers."""

from tests.apps.shopify.support import Shop


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
