"""Rows as Shopify's JSON: the shop, its catalogue and its customers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from legoenv_mcp.app import Ctx

from . import money
from .models import (
    Collection,
    Customer,
    CustomerAddress,
    Event,
    Image,
    InventoryItem,
    InventoryLevel,
    Location,
    Metafield,
    Object,
    Product,
    Shop,
    Variant,
    Webhook,
)

COUNTRIES = {
    "AT": "Austria", "AU": "Australia", "BE": "Belgium", "BR": "Brazil", "CA": "Canada", "CH": "Switzerland", "CN": "China",
    "DE": "Germany", "DK": "Denmark", "ES": "Spain", "FI": "Finland", "FR": "France", "GB": "United Kingdom", "IE": "Ireland",
    "IN": "India", "IT": "Italy", "JP": "Japan", "MX": "Mexico", "NL": "Netherlands", "NO": "Norway", "NZ": "New Zealand",
    "PL": "Poland", "PT": "Portugal", "SE": "Sweden", "SG": "Singapore", "US": "United States",
}  # fmt: skip
CODES = {name: code for code, name in COUNTRIES.items()}


def the_shop(ctx: Ctx) -> Shop:
    """The one shop; read once in a call."""
    found: Shop | None = vars(ctx).get("shopify_shop")
    if found is None:
        found = vars(ctx)["shopify_shop"] = ctx.db.find(Shop)[0]
    return found


def when(ctx: Ctx, text: str | None) -> str | None:
    """A time in the shop's time zone."""
    if text is None:
        return None
    return ctx.parse_time(text).astimezone(ZoneInfo(the_shop(ctx).iana_timezone)).isoformat(timespec="seconds")


def parsed(ctx: Ctx, text: str) -> datetime:
    """A time that a caller gave: in the shop's time zone where it names none. ValueError where it is no time."""
    made = datetime.fromisoformat(text)
    return made if made.tzinfo else made.replace(tzinfo=ZoneInfo(the_shop(ctx).iana_timezone))


def gid(kind: str, key: int) -> str:
    return f"gid://shopify/{kind}/{key}"


def times(ctx: Ctx, row: Any, *names: str) -> Object:
    return {name: when(ctx, row.__dict__[name]) for name in names}


def show_shop(ctx: Ctx) -> Object:
    s = the_shop(ctx)
    at = ctx.db.get(Location, s.primary_location_id)
    offset = ctx.now.astimezone(ZoneInfo(s.iana_timezone)).strftime("%z")
    return {
        "id": s.id, "name": s.name, "email": s.email, "customer_email": s.email, "domain": s.domain,
        "myshopify_domain": s.myshopify_domain, "shop_owner": s.shop_owner, "phone": s.phone or None, "currency": s.currency,
        "money_format": "${{amount}}" if s.currency == "USD" else "{{amount}}", "enabled_presentment_currencies": [s.currency],
        "country": s.country_code, "country_code": s.country_code, "country_name": s.country_name,
        "address1": at and at.address1, "city": at and at.city, "zip": at and at.zip,
        "iana_timezone": s.iana_timezone, "timezone": f"(GMT{offset[:3]}:{offset[3:]}) {s.iana_timezone}",
        "primary_locale": "en", "weight_unit": "kg", "plan_name": s.plan_name, "plan_display_name": s.plan_name.title(),
        "primary_location_id": s.primary_location_id, "taxes_included": False, "has_discounts": True, "has_gift_cards": False,
        "multi_location_enabled": True, "eligible_for_payments": True, "setup_required": False, "password_enabled": False,
        **times(ctx, s, "created_at"),
    }  # fmt: skip


def show_location(ctx: Ctx, r: Location) -> Object:
    country = COUNTRIES.get(r.country_code, r.country_code)
    return {
        "id": r.id, "name": r.name, "address1": r.address1, "address2": r.address2, "city": r.city, "zip": r.zip,
        "province": r.province, "country": r.country_code, "country_code": r.country_code, "country_name": country,
        "localized_country_name": country, "phone": r.phone, "active": r.active, "legacy": False,
        **times(ctx, r, "created_at", "updated_at"), "admin_graphql_api_id": gid("Location", r.id),
    }  # fmt: skip


def stock_of(ctx: Ctx, item: int) -> int:
    """What is for sale of an item, wherever it lies."""
    return sum(level.available for level in ctx.db.find(InventoryLevel, inventory_item_id=item))


def title_of(variant: Variant) -> str:
    return " / ".join(o for o in (variant.option1, variant.option2, variant.option3) if o is not None)


_UNITS = {"g": 1.0, "kg": 1000.0, "oz": 28.349523125, "lb": 453.59237}


def show_variant(ctx: Ctx, r: Variant) -> Object:
    item = ctx.db.get(InventoryItem, r.inventory_item_id)
    quantity = stock_of(ctx, r.inventory_item_id)
    return {
        "id": r.id, "product_id": r.product_id, "title": title_of(r), "price": money.text(r.price), "position": r.position,
        "inventory_policy": r.inventory_policy,
        "compare_at_price": None if r.compare_at_price is None else money.text(r.compare_at_price),
        "option1": r.option1, "option2": r.option2, "option3": r.option3, **times(ctx, r, "created_at", "updated_at"),
        "taxable": r.taxable, "barcode": r.barcode, "fulfillment_service": "manual", "grams": r.grams,
        "inventory_management": "shopify" if item and item.tracked else None, "requires_shipping": r.requires_shipping, "sku": r.sku,
        "weight": round(r.grams / _UNITS[r.weight_unit], 4), "weight_unit": r.weight_unit, "inventory_item_id": r.inventory_item_id,
        "inventory_quantity": quantity, "old_inventory_quantity": quantity, "image_id": r.image_id,
        "admin_graphql_api_id": gid("ProductVariant", r.id),
    }  # fmt: skip


def grams(weight: float, unit: str) -> int:
    return round(weight * _UNITS[unit])


def show_image(ctx: Ctx, r: Image, variants: Sequence[Variant]) -> Object:
    return {
        "id": r.id, "product_id": r.product_id, "position": r.position, **times(ctx, r, "created_at", "updated_at"), "alt": r.alt,
        "width": r.width, "height": r.height, "src": r.src, "variant_ids": [v.id for v in variants if v.image_id == r.id],
        "admin_graphql_api_id": gid("ProductImage", r.id),
    }  # fmt: skip


def show_product(ctx: Ctx, r: Product) -> Object:
    variants = ctx.db.find(Variant, product_id=r.id, order="position,id")
    images = [show_image(ctx, i, variants) for i in ctx.db.find(Image, product_id=r.id, order="position,id")]
    options = [
        {
            "id": option["id"], "product_id": r.id, "name": option["name"], "position": at,
            "values": list(dict.fromkeys(v for one in variants if (v := one.__dict__[f"option{at}"]) is not None)),
        }
        for at, option in enumerate(r.options, 1)
    ]  # fmt: skip
    return {
        "id": r.id, "title": r.title, "body_html": r.body_html, "vendor": r.vendor, "product_type": r.product_type,
        **times(ctx, r, "created_at"), "handle": r.handle, **times(ctx, r, "updated_at", "published_at"),
        "template_suffix": r.template_suffix, "published_scope": r.published_scope, "tags": ", ".join(r.tags), "status": r.status,
        "admin_graphql_api_id": gid("Product", r.id), "variants": [show_variant(ctx, v) for v in variants], "options": options,
        "images": images, "image": images[0] if images else None,
    }  # fmt: skip


def show_collection(ctx: Ctx, r: Collection, count: int | None = None) -> Object:
    smart = {"disjunctive": r.disjunctive, "rules": r.rules} if r.kind == "smart" else {}
    return {
        "id": r.id, "handle": r.handle, "title": r.title, **times(ctx, r, "updated_at"), "body_html": r.body_html,
        **times(ctx, r, "published_at"), "sort_order": r.sort_order, "template_suffix": r.template_suffix, **smart,
        **({} if count is None else {"products_count": count}), "published_scope": r.published_scope,
        "admin_graphql_api_id": gid("Collection", r.id),
    }  # fmt: skip


def show_item(ctx: Ctx, r: InventoryItem) -> Object:
    variant = ctx.db.first(Variant, inventory_item_id=r.id)
    return {
        "id": r.id, "sku": variant and variant.sku, **times(ctx, r, "created_at", "updated_at"),
        "requires_shipping": variant is None or variant.requires_shipping, "cost": None if r.cost is None else money.text(r.cost),
        "country_code_of_origin": r.country_code_of_origin, "province_code_of_origin": r.province_code_of_origin,
        "harmonized_system_code": r.harmonized_system_code, "tracked": r.tracked, "country_harmonized_system_codes": [],
        "admin_graphql_api_id": gid("InventoryItem", r.id),
    }  # fmt: skip


def show_level(ctx: Ctx, r: InventoryLevel) -> Object:
    item = ctx.db.get(InventoryItem, r.inventory_item_id)
    return {
        "inventory_item_id": r.inventory_item_id, "location_id": r.location_id,
        "available": r.available if item and item.tracked else None, **times(ctx, r, "updated_at"),
        "admin_graphql_api_id": f"gid://shopify/InventoryLevel/{r.location_id}?inventory_item_id={r.inventory_item_id}",
    }  # fmt: skip


def show_address(r: CustomerAddress) -> Object:
    return {"id": r.id, "customer_id": r.customer_id, **postal(r.address), "default": r.default}


def postal(a: Object) -> Object:
    """An address with every field, names and codes alike."""
    code = a.get("country_code")
    province = a.get("province")
    name = " ".join(filter(None, (a.get("first_name"), a.get("last_name"))))
    return {
        "first_name": a.get("first_name"), "last_name": a.get("last_name"), "company": a.get("company"), "address1": a.get("address1"),
        "address2": a.get("address2"), "city": a.get("city"), "province": province, "country": a.get("country"), "zip": a.get("zip"),
        "phone": a.get("phone"), "name": name, "province_code": a.get("province_code") or province, "country_code": code,
        "country_name": a.get("country"),
    }  # fmt: skip


def show_customer(ctx: Ctx, r: Customer, *, short: bool = False) -> Object:
    sql = "SELECT id, order_number, total_price, cancelled_at FROM orders WHERE customer_id = ? ORDER BY created_at DESC, id DESC"
    orders = [] if short else ctx.db.query(sql, (r.id,))
    addresses = [show_address(a) for a in ctx.db.find(CustomerAddress, customer_id=r.id)]
    default = next((a for a in addresses if a["default"]), None)
    spent = sum(o["total_price"] for o in orders if not o["cancelled_at"])
    history = {
        "orders_count": len(orders), "total_spent": money.text(spent), "last_order_id": orders[0]["id"] if orders else None,
        "last_order_name": f"#{orders[0]['order_number']}" if orders else None,
    }  # fmt: skip
    return {
        "id": r.id, "email": r.email, **times(ctx, r, "created_at", "updated_at"), "first_name": r.first_name, "last_name": r.last_name,
        "state": r.state, **({} if short else history), "note": r.note, "verified_email": r.verified_email, "multipass_identifier": None,
        "tax_exempt": r.tax_exempt, "tags": ", ".join(r.tags), "currency": r.currency, "phone": r.phone,
        **({} if short else {"addresses": addresses}), "tax_exemptions": [],
        "email_marketing_consent": {
            "state": r.marketing_state, "opt_in_level": r.opt_in_level, "consent_updated_at": when(ctx, r.consent_updated_at),
        },
        "sms_marketing_consent": None, "admin_graphql_api_id": gid("Customer", r.id), **({"default_address": default} if default else {}),
    }  # fmt: skip


def show_metafield(ctx: Ctx, r: Metafield) -> Object:
    value: Any = int(r.value) if r.type in ("integer", "number_integer") else r.value
    if r.type == "boolean":
        value = r.value == "true"
    kind = {"product_image": "ProductImage", "variant": "ProductVariant"}.get(r.owner_resource, r.owner_resource)
    return {
        "id": r.id, "namespace": r.namespace, "key": r.key, "value": value, "description": r.description, "owner_id": r.owner_id,
        **times(ctx, r, "created_at", "updated_at"), "owner_resource": kind.lower(), "type": r.type,
        "admin_graphql_api_id": gid("Metafield", r.id),
    }  # fmt: skip


def show_event(ctx: Ctx, r: Event) -> Object:
    shop = the_shop(ctx)
    return {
        "id": r.id, "subject_id": r.subject_id, **times(ctx, r, "created_at"), "subject_type": r.subject_type, "verb": r.verb,
        "arguments": r.arguments, "body": None, "message": r.message, "author": shop.name, "description": r.message,
        "path": f"/admin/{r.subject_type.lower()}s/{r.subject_id}",
    }  # fmt: skip


def show_webhook(ctx: Ctx, r: Webhook) -> Object:
    return {
        "id": r.id, "address": r.address, "topic": r.topic, **times(ctx, r, "created_at", "updated_at"), "format": r.format,
        "fields": r.fields, "metafield_namespaces": r.metafield_namespaces, "api_version": r.api_version,
        "private_metafield_namespaces": [],
    }  # fmt: skip
