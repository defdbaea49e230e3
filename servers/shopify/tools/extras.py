"""The shop, metafields, events and webhooks. https://shopify.dev/docs/api/admin-rest/2025-01/resources/metafield"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Query, Reply, Row

from ..app import app
from ..errors import not_found, refused
from ..inputs import Input, MetafieldInput
from ..metadata import change, put
from ..models import (
    Collection,
    Customer,
    DraftOrder,
    Event,
    Image,
    Metafield,
    Order,
    Product,
    Variant,
    Webhook,
    new,
)
from ..paging import CreatedMax, CreatedMin, Fields, Limit, PageInfo, RestText, SinceId, asked, filters, listing
from ..resources import show_event, show_metafield, show_shop, show_webhook, the_shop

# A path's plural -> what owns the metafields, and its table.
OWNERS: dict[str, tuple[str, type[Row]]] = {
    "products": ("product", Product), "variants": ("variant", Variant), "product_images": ("product_image", Image),
    "customers": ("customer", Customer), "orders": ("order", Order), "draft_orders": ("draft_order", DraftOrder),
    "collections": ("collection", Collection), "custom_collections": ("collection", Collection),
    "smart_collections": ("collection", Collection),
}  # fmt: skip
Resource = Annotated[
    str, Field(description=f"The owner's kind: {', '.join(k for k in OWNERS if not k.endswith('m_collections'))}.")
]


@app.get("/shop", tool="get_shop")
def get_shop(ctx: Ctx, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves the shop: its name, currency, time zone and address."""
    return {"shop": show_shop(ctx)}


def _owner(ctx: Ctx, resource: str, key: int) -> str:
    kind = OWNERS.get(resource)
    if kind is None or ctx.db.get(kind[1], key) is None:
        raise not_found()
    return kind[0]


def _the_metafield(ctx: Ctx, key: int, owner: tuple[str, int] | None = None) -> Metafield:
    row = ctx.db.get(Metafield, key)
    if row is None or (owner is not None and (row.owner_resource, row.owner_id) != owner):
        raise not_found()
    return row


def _metafields(ctx: Ctx, owner: str, key: int) -> Reply:
    ask = asked(ctx)
    rows = ctx.db.find(
        Metafield,
        owner_resource=owner,
        owner_id=key,
        namespace=ask.namespace,
        key=ask.key,
        type=ask.type,
        **filters(ctx, ask),
    )
    return listing(ctx, ask, "metafields", rows, lambda row: show_metafield(ctx, row))


@app.get("/{resource}/{resource_id}/metafields", tool="list_metafields")
def list_metafields(
    ctx: Ctx, resource: Resource, resource_id: int, namespace: str | MISSING = MISSING, key: str | MISSING = MISSING,
    type: RestText = MISSING, since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists the metafields of a product, variant, customer, order and so on.

    resource_id: The owner's id.
    namespace: Only those in this namespace.
    key: Only the one with this key.
    type: Only those of this type.
    """
    return _metafields(ctx, _owner(ctx, resource, resource_id), resource_id)


@app.get("/metafields", tool="list_shop_metafields", mcp=False)
def list_shop_metafields(
    ctx: Ctx, namespace: str | MISSING = MISSING, key: str | MISSING = MISSING, type: RestText = MISSING,
    owner_id: Annotated[int | MISSING, Query("metafield[owner_id]")] = MISSING,
    owner_resource: Annotated[str | MISSING, Query("metafield[owner_resource]")] = MISSING,
    since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists the shop's own metafields, or those of the owner that is named.

    namespace: Only those in this namespace.
    key: Only the one with this key.
    type: Only those of this type.
    owner_id: The owner's id.
    owner_resource: The owner's kind.
    """
    if owner_id is not MISSING and owner_resource is not MISSING:
        return _metafields(ctx, owner_resource, owner_id)
    return _metafields(ctx, "shop", the_shop(ctx).id)


@app.get("/{resource}/{resource_id}/metafields/count", tool="count_metafields", mcp=False)
def count_metafields(ctx: Ctx, resource: Resource, resource_id: int) -> dict[str, int]:
    """Counts the metafields of a resource.

    resource_id: The owner's id.
    """
    owner = _owner(ctx, resource, resource_id)
    return {"count": ctx.db.count(Metafield, owner_resource=owner, owner_id=resource_id)}


@app.get("/metafields/{metafield_id}", tool="get_metafield", mcp=False)
def get_metafield(ctx: Ctx, metafield_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a metafield.

    metafield_id: The metafield's id.
    """
    return {"metafield": show_metafield(ctx, _the_metafield(ctx, metafield_id))}


@app.get("/{resource}/{resource_id}/metafields/{metafield_id}", tool="get_resource_metafield", mcp=False)
def get_resource_metafield(
    ctx: Ctx, resource: Resource, resource_id: int, metafield_id: int, fields: Fields = MISSING
) -> dict[str, Any]:
    """Retrieves a metafield of a resource.

    resource_id: The owner's id.
    metafield_id: The metafield's id.
    """
    owner = _owner(ctx, resource, resource_id)
    return {"metafield": show_metafield(ctx, _the_metafield(ctx, metafield_id, (owner, resource_id)))}


@app.post("/{resource}/{resource_id}/metafields", tool="create_metafield", status=201)
def create_metafield(ctx: Ctx, resource: Resource, resource_id: int, metafield: MetafieldInput) -> dict[str, Any]:
    """Attaches a metafield to a product, variant, customer, order and so on.

    resource_id: The owner's id.
    metafield: Its namespace, key, type and value.
    """
    return {"metafield": show_metafield(ctx, put(ctx, _owner(ctx, resource, resource_id), resource_id, metafield))}


@app.post("/metafields", tool="create_shop_metafield", status=201, mcp=False)
def create_shop_metafield(ctx: Ctx, metafield: MetafieldInput) -> dict[str, Any]:
    """Attaches a metafield to the shop.

    metafield: Its namespace, key, type and value.
    """
    return {"metafield": show_metafield(ctx, put(ctx, "shop", the_shop(ctx).id, metafield))}


@app.put("/metafields/{metafield_id}", tool="update_metafield", mcp=False)
def update_metafield(ctx: Ctx, metafield_id: int, metafield: MetafieldInput) -> dict[str, Any]:
    """Changes a metafield's value or type.

    metafield_id: The metafield's id.
    metafield: What to change.
    """
    return {"metafield": show_metafield(ctx, change(ctx, _the_metafield(ctx, metafield_id), metafield))}


@app.put("/{resource}/{resource_id}/metafields/{metafield_id}", tool="update_resource_metafield")
def update_resource_metafield(
    ctx: Ctx, resource: Resource, resource_id: int, metafield_id: int, metafield: MetafieldInput
) -> dict[str, Any]:
    """Changes the value or type of a resource's metafield.

    resource_id: The owner's id.
    metafield_id: The metafield's id.
    metafield: What to change.
    """
    owner = _owner(ctx, resource, resource_id)
    return {
        "metafield": show_metafield(
            ctx, change(ctx, _the_metafield(ctx, metafield_id, (owner, resource_id)), metafield)
        )
    }


@app.delete("/metafields/{metafield_id}", tool="delete_metafield", mcp=False)
def delete_metafield(ctx: Ctx, metafield_id: int) -> dict[str, Any]:
    """Deletes a metafield.

    metafield_id: The metafield's id.
    """
    ctx.db.delete(_the_metafield(ctx, metafield_id))
    return {}


@app.delete("/{resource}/{resource_id}/metafields/{metafield_id}", tool="delete_resource_metafield", mcp=False)
def delete_resource_metafield(ctx: Ctx, resource: Resource, resource_id: int, metafield_id: int) -> dict[str, Any]:
    """Deletes a metafield of a resource.

    resource_id: The owner's id.
    metafield_id: The metafield's id.
    """
    ctx.db.delete(_the_metafield(ctx, metafield_id, (_owner(ctx, resource, resource_id), resource_id)))
    return {}


def _events(ctx: Ctx, **where: Any) -> Reply:
    ask = asked(ctx)
    kinds = [word.strip() for word in ask.filter.split(",")] if ask.filter else None
    rows = ctx.db.find(Event, verb=ask.verb, subject_type__in=kinds, **where, **filters(ctx, ask, "created_at"))
    return listing(ctx, ask, "events", rows, lambda row: show_event(ctx, row))


@app.get("/events", tool="list_events", mcp=False)
def list_events(
    ctx: Ctx, filter: str | MISSING = MISSING, verb: str | MISSING = MISSING, created_at_min: CreatedMin = MISSING,
    created_at_max: CreatedMax = MISSING, since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING,
    fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists what happened in the shop.

    filter: Only events of these comma-separated kinds of subject, such as `Product,Order`.
    verb: Only events of this kind, such as `create`.
    """
    return _events(ctx)


@app.get("/events/count", tool="count_events", mcp=False)
def count_events(ctx: Ctx) -> dict[str, int]:
    """Counts what happened in the shop."""
    return {"count": ctx.db.count(Event)}


@app.get("/events/{event_id}", tool="get_event", mcp=False)
def get_event(ctx: Ctx, event_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves an event.

    event_id: The event's id.
    """
    row = ctx.db.get(Event, event_id)
    if row is None:
        raise not_found()
    return {"event": show_event(ctx, row)}


_SUBJECTS = {
    "products": "Product", "orders": "Order", "customers": "Customer", "custom_collections": "Collection",
    "smart_collections": "Collection",
}  # fmt: skip


@app.get("/{resource}/{resource_id}/events", tool="list_resource_events", mcp=False)
def list_resource_events(
    ctx: Ctx, resource: str, resource_id: int, verb: str | MISSING = MISSING, since_id: SinceId = MISSING, limit: Limit = MISSING,
    page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists what happened to an order, product and so on.

    resource: The subject's kind: `orders`, `products`, `customers`.
    resource_id: The subject's id.
    verb: Only events of this kind, such as `create`.
    """
    if resource not in _SUBJECTS:
        raise not_found()
    _owner(ctx, resource, resource_id)
    return _events(ctx, subject_type=_SUBJECTS[resource], subject_id=resource_id)


TOPICS = frozenset(
    f"{kind}/{verb}"
    for kind, verbs in {
        "orders": ("create", "updated", "paid", "cancelled", "fulfilled", "partially_fulfilled", "delete", "edited"),
        "products": ("create", "update", "delete"), "customers": ("create", "update", "delete", "enable", "disable"),
        "collections": ("create", "update", "delete"), "draft_orders": ("create", "update", "delete"),
        "inventory_levels": ("connect", "update", "disconnect"), "inventory_items": ("create", "update", "delete"),
        "fulfillments": ("create", "update"), "refunds": ("create",), "app": ("uninstalled",), "shop": ("update",),
        "locations": ("create", "update", "delete"), "order_transactions": ("create",),
    }.items()
    for verb in verbs
)  # fmt: skip


class WebhookInput(Input):
    """Where to send what happens."""

    topic: str | None = Field(default=None, max_length=255, description="What to send, such as `orders/create`.")
    address: str | None = Field(default=None, max_length=2000, description="Where to send it.")
    format: Literal["json", "xml"] | None = Field(default=None, description="`json` or `xml`.")
    fields: list[str] | None = Field(default=None, description="Which fields to send.")
    metafield_namespaces: list[str] | None = Field(default=None, description="Which metafields to send.")


def _webhook(ctx: Ctx, data: WebhookInput, row: Webhook | None) -> dict[str, Any]:
    out = {
        n: v
        for n, v in data.given("topic", "address", "format", "fields", "metafield_namespaces").items()
        if v is not None
    }
    topic, address = (str(out.get(n) or (row.__dict__[n] if row else "")) for n in ("topic", "address"))
    if topic not in TOPICS:
        raise refused("topic", f"Invalid topic specified: {topic}. Topics allowed: {', '.join(sorted(TOPICS))}")
    if not address:
        raise refused("address", "can't be blank")
    if not re.match(r"https://[^\s/]+|pubsub://\S+|arn:aws:events:\S+", address):
        raise refused(
            "address",
            f"protocol {address.partition('://')[0]}:// is not supported" if "://" in address else "is invalid",
        )
    for other in ctx.db.find(Webhook, topic=topic, address=address):
        if row is None or other.id != row.id:
            raise refused("address", "for this topic has already been taken")
    return out


def _the_webhook(ctx: Ctx, key: int) -> Webhook:
    row = ctx.db.get(Webhook, key)
    if row is None:
        raise not_found()
    return row


@app.get("/webhooks", tool="list_webhooks", mcp=False)
def list_webhooks(
    ctx: Ctx, topic: str | MISSING = MISSING, address: str | MISSING = MISSING, since_id: SinceId = MISSING, limit: Limit = MISSING,
    page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists webhooks.

    topic: Only those for this topic.
    address: Only those to this address.
    """
    ask = asked(ctx)
    rows = ctx.db.find(Webhook, topic=ask.topic, address=ask.address, **filters(ctx, ask))
    return listing(ctx, ask, "webhooks", rows, lambda row: show_webhook(ctx, row))


@app.get("/webhooks/count", tool="count_webhooks", mcp=False)
def count_webhooks(ctx: Ctx, topic: str | MISSING = MISSING) -> dict[str, int]:
    """Counts webhooks.

    topic: Only those for this topic.
    """
    return {"count": ctx.db.count(Webhook, topic=None if topic is MISSING else topic)}


@app.get("/webhooks/{webhook_id}", tool="get_webhook", mcp=False)
def get_webhook(ctx: Ctx, webhook_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a webhook.

    webhook_id: The webhook's id.
    """
    return {"webhook": show_webhook(ctx, _the_webhook(ctx, webhook_id))}


@app.post("/webhooks", tool="create_webhook", status=201, mcp=False)
def create_webhook(ctx: Ctx, webhook: WebhookInput) -> dict[str, Any]:
    """Has what happens sent to an address.

    webhook: The topic and the address.
    """
    at = ctx.timestamp()
    row = ctx.db.add(Webhook(id=new(ctx, "Webhook"), created_at=at, updated_at=at, **_webhook(ctx, webhook, None)))
    return {"webhook": show_webhook(ctx, row)}


@app.put("/webhooks/{webhook_id}", tool="update_webhook", mcp=False)
def update_webhook(ctx: Ctx, webhook_id: int, webhook: WebhookInput) -> dict[str, Any]:
    """Changes a webhook.

    webhook_id: The webhook's id.
    webhook: What to change.
    """
    row = _the_webhook(ctx, webhook_id)
    ctx.db.update(row, **_webhook(ctx, webhook, row), updated_at=ctx.timestamp())
    return {"webhook": show_webhook(ctx, row)}


@app.delete("/webhooks/{webhook_id}", tool="delete_webhook", mcp=False)
def delete_webhook(ctx: Ctx, webhook_id: int) -> dict[str, Any]:
    """Deletes a webhook.

    webhook_id: The webhook's id.
    """
    ctx.db.delete(_the_webhook(ctx, webhook_id))
    return {}
