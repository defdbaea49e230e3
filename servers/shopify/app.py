"""Shopify's answers: versions, `fields=`, call-limit headers and errors. https://shopify.dev/docs/api/admin-rest"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from legoenv_mcp.app import MISSING, ApiError, App, Ctx, Reply, draw

from . import errors
from .models import Table

STABLE = "2025-01"
# Versions are quarters; an app asks for one in every path, and unversioned paths mean the oldest.
VERSIONS = ("unstable", *(f"{year}-{month}" for year in range(2019, 2031) for month in ("01", "04", "07", "10")))


def around(ctx: Ctx, call: Callable[[], Any]) -> Reply:
    """What Shopify does to every answer."""
    operation = ctx.operation
    assert operation is not None
    version = re.match(r"/admin/api/([\w-]+)/", ctx.request.path)
    headers = {
        "X-Shopify-API-Version": version[1] if version else STABLE, "X-Shopify-Shop-Api-Call-Limit": "1/40",
        "X-Request-Id": draw(operation.tool, ctx.timestamp(), ctx.request.url).hex()[:32],
    }  # fmt: skip
    try:
        result = call()
    except ApiError as error:
        error.headers = {**headers, **error.headers}
        raise
    reply = result if isinstance(result, Reply) else Reply(result, operation.status)
    reply.headers = {**headers, **reply.headers}
    if isinstance(reply.body, dict):
        fields = getattr(ctx.args, "fields", MISSING)
        if operation.reads and isinstance(fields, str) and fields.strip():
            reply.body = _selected(reply.body, {name.strip() for name in fields.split(",")})
        if not ctx.request.method:
            reply.body = {name: compact(value) for name, value in reply.body.items()}
    return reply


def _selected(body: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    """The named fields of the resource or resources that an answer holds."""

    def pick(value: Any) -> Any:
        return {k: v for k, v in value.items() if k in names} if isinstance(value, Mapping) else value

    return {k: [pick(one) for one in v] if isinstance(v, list) else pick(v) for k, v in body.items()}


# What repeats other fields, or is the same in every object.
_NOISE = frozenset({
    "admin_graphql_api_id", "app_id", "browser_ip", "buyer_accepts_marketing", "checkout_id", "checkout_token", "client_details",
    "confirmation_number", "contact_email", "currency_code", "customer_locale", "device_id", "duties", "fulfillment_service",
    "landing_site", "payment_details", "presentment_currency", "published_scope", "receipt", "referring_site", "reference", "shop_id",
    "source_identifier", "taxes_included", "test", "token", "total_weight", "user_id", "variant_inventory_management", "gateway_id",
    "product_exists", "old_inventory_quantity", "default_address", "merchant_requests", "processed_at", "confirmed", "weight_unit",
    "price_currency", "payment_terms", "discount_applications", "destination", "location_name", "sms_marketing_consent",
    "origin_address", "billing_address", "checkout_enabled", "order_status_url", "number", "estimated_taxes", "total_tip_received",
    "tax_exempt", "verified_email", "gift_card", "taxable", "current_total_discounts", "total_line_items_price", "opt_in_level",
    "duties_included", "is_removed",
})  # fmt: skip


def compact(body: Any) -> Any:
    """An answer for a model's context: what is null or empty and what repeats other fields is left out. REST has it all."""
    if isinstance(body, Mapping):
        kept = {k: compact(v) for k, v in body.items() if k not in _NOISE and not k.endswith("_set") and v is not None}
        return {k: v for k, v in kept.items() if v not in ("", {}, [])}
    return [compact(value) for value in body] if isinstance(body, list) else body


app = App(
    "shopify", Table, envelope=errors.envelope, invalid=errors.invalid, not_found=lambda kind, key: errors.not_found(),
    no_route=lambda method, path: errors.not_found(),
    malformed=lambda reason: ApiError(400, f"Bad Request: {reason}"),
    unauthorized=lambda: ApiError(401, "[API] Invalid API key or access token (unrecognized login or wrong password)"),
    too_large=lambda limit: ApiError(413, f"The request body is larger than {limit} bytes"),
    around=around, unknown="ignore", mixed=True, suffix=".json", prefix=(*(f"/admin/api/{v}" for v in VERSIONS), "/admin"),
)  # fmt: skip
