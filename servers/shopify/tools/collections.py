"""Custom and smart collections, and which products are in them. https://shopify.dev/docs/api/admin-rest/2025-01/resources/collection"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Reply

from ..app import app
from ..catalog import handle_for, the_product
from ..collecting import SORTS, RuleInput, members, rules_of
from ..errors import BLANK, not_found, refused
from ..inputs import Input, MetafieldInput
from ..logbook import log
from ..metadata import attach, forget
from ..models import Collect, Collection, Product, new
from ..paging import (
    Asked,
    Fields,
    Limit,
    PageInfo,
    RestIds,
    RestText,
    RestTime,
    SinceId,
    asked,
    filters,
    listing,
)
from ..resources import gid, show_collection, show_product, the_shop, times

Kind = Literal["custom", "smart"]


class CollectionInput(Input):
    """What custom and smart collections have in common."""

    title: str | None = Field(default=None, max_length=255, description="Its name.")
    body_html: str | None = Field(default=None, max_length=500_000, description="Description, as HTML.")
    handle: str | None = Field(
        default=None, max_length=255, description="Its name in addresses, made of the title by default."
    )
    sort_order: str | None = Field(default=None, description=f"How products are ordered: {', '.join(SORTS)}.")
    published: bool | None = Field(default=None, description="Whether it is in the online store.")
    template_suffix: str | None = Field(default=None, max_length=255, description="Theme template for its page.")
    metafields: list[MetafieldInput] | None = Field(default=None, description="Metafields to attach.")


class CollectInput(Input):
    """A product in a custom collection."""

    product_id: int = Field(description="The product's id.")
    collection_id: int | None = Field(default=None, description="The custom collection's id.")


class CustomInput(CollectionInput):
    """A custom collection: products are put into it one by one."""

    collects: list[CollectInput] | None = Field(default=None, description="Products to put into it.")


class SmartInput(CollectionInput):
    """A smart collection: it takes the products that its rules match."""

    rules: list[RuleInput] | None = Field(default=None, description="Which products it takes.")
    disjunctive: bool | None = Field(
        default=None, description="Whether one matching rule is enough; else all must match."
    )


def the_collection(ctx: Ctx, key: int, kind: Kind | None = None) -> Collection:
    row = ctx.db.get(Collection, key)
    if row is None or (kind and row.kind != kind):
        raise not_found()
    return row


def _rows(ctx: Ctx, kind: Kind, ask: Asked) -> list[Collection]:
    handles = ask.handle.split(",") if ask.handle else None
    rows = ctx.db.find(Collection, kind=kind, handle__in=handles, **filters(ctx, ask, "updated_at", "published_at"))
    if ask.title is not None:
        rows = [row for row in rows if row.title.casefold() == ask.title.casefold()]
    if ask.product_id is not None:
        rows = [row for row in rows if ask.product_id in members(ctx, row)]
    return rows


def _columns(ctx: Ctx, data: CollectionInput, row: Collection | None) -> dict[str, Any]:
    out = data.given("body_html", "template_suffix")
    if data.has("title") or row is None:
        if not (data.title or "").strip():
            raise refused("title", BLANK)
        out["title"] = data.title
    if data.sort_order is not None:
        if data.sort_order not in SORTS:
            raise refused("sort_order", "is not included in the list")
        out["sort_order"] = data.sort_order
    if data.handle:
        out["handle"] = handle_for(ctx, Collection, data.handle, row.id if row else None)
    if data.published is not None or row is None:
        out["published_at"] = None if data.published is False else ctx.timestamp()
    return out


def _create(ctx: Ctx, kind: Kind, data: CollectionInput, **more: Any) -> Collection:
    columns = {**_columns(ctx, data, None), **more}
    columns.setdefault("handle", handle_for(ctx, Collection, columns["title"]))
    row = ctx.db.add(Collection(id=new(ctx, "Collection"), kind=kind, updated_at=ctx.timestamp(), **columns))
    if data.metafields:
        attach(ctx, "collection", row.id, data.metafields)
    log(ctx, "Collection", row.id, "create", f"{the_shop(ctx).name} created a collection: {row.title}.", row.title)
    return row


def _drop(ctx: Ctx, row: Collection) -> None:
    ctx.db.delete_where(Collect, collection_id=row.id)
    forget(ctx, "collection", row.id)
    log(ctx, "Collection", row.id, "destroy", f"{the_shop(ctx).name} deleted a collection: {row.title}.", row.title)
    ctx.db.delete(row)


def _shown(ctx: Ctx, row: Collection) -> dict[str, Any]:
    return show_collection(ctx, row, len(members(ctx, row)) if not ctx.request.method else None)


@app.get("/custom_collections", tool="list_custom_collections")
def list_custom_collections(
    ctx: Ctx, title: str | MISSING = MISSING, product_id: int | MISSING = MISSING, handle: RestText = MISSING, ids: RestIds = MISSING,
    updated_at_min: RestTime = MISSING, updated_at_max: RestTime = MISSING, published_at_min: RestTime = MISSING,
    published_at_max: RestTime = MISSING, since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING,
    fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists custom collections, those that products are put into one by one.

    title: Only the one with this title.
    product_id: Only those that have this product.
    handle: Only those with these comma-separated handles.
    ids: Only those with these ids.
    updated_at_min: Only those changed at or after this time.
    updated_at_max: Only those changed at or before this time.
    published_at_min: Only those published at or after this time.
    published_at_max: Only those published at or before this time.
    """
    ask = asked(ctx)
    return listing(ctx, ask, "custom_collections", _rows(ctx, "custom", ask), lambda row: _shown(ctx, row))


@app.get("/smart_collections", tool="list_smart_collections")
def list_smart_collections(
    ctx: Ctx, title: str | MISSING = MISSING, product_id: int | MISSING = MISSING, handle: RestText = MISSING, ids: RestIds = MISSING,
    updated_at_min: RestTime = MISSING, updated_at_max: RestTime = MISSING, published_at_min: RestTime = MISSING,
    published_at_max: RestTime = MISSING, since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING,
    fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists smart collections, those that take products by rules.

    title: Only the one with this title.
    product_id: Only those that have this product.
    handle: Only those with these comma-separated handles.
    ids: Only those with these ids.
    updated_at_min: Only those changed at or after this time.
    updated_at_max: Only those changed at or before this time.
    published_at_min: Only those published at or after this time.
    published_at_max: Only those published at or before this time.
    """
    ask = asked(ctx)
    return listing(ctx, ask, "smart_collections", _rows(ctx, "smart", ask), lambda row: _shown(ctx, row))


@app.get("/custom_collections/count", tool="count_custom_collections", mcp=False)
def count_custom_collections(
    ctx: Ctx, title: str | MISSING = MISSING, product_id: int | MISSING = MISSING
) -> dict[str, int]:
    """Counts custom collections.

    title: Only the one with this title.
    product_id: Only those that have this product.
    """
    return {"count": len(_rows(ctx, "custom", asked(ctx)))}


@app.get("/smart_collections/count", tool="count_smart_collections", mcp=False)
def count_smart_collections(
    ctx: Ctx, title: str | MISSING = MISSING, product_id: int | MISSING = MISSING
) -> dict[str, int]:
    """Counts smart collections.

    title: Only the one with this title.
    product_id: Only those that have this product.
    """
    return {"count": len(_rows(ctx, "smart", asked(ctx)))}


@app.get("/custom_collections/{collection_id}", tool="get_custom_collection", mcp=False)
def get_custom_collection(ctx: Ctx, collection_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a custom collection.

    collection_id: The collection's id.
    """
    return {"custom_collection": show_collection(ctx, the_collection(ctx, collection_id, "custom"))}


@app.get("/smart_collections/{collection_id}", tool="get_smart_collection", mcp=False)
def get_smart_collection(ctx: Ctx, collection_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a smart collection.

    collection_id: The collection's id.
    """
    return {"smart_collection": show_collection(ctx, the_collection(ctx, collection_id, "smart"))}


@app.post("/custom_collections", tool="create_custom_collection", status=201)
def create_custom_collection(ctx: Ctx, custom_collection: CustomInput) -> dict[str, Any]:
    """Creates a custom collection.

    custom_collection: The collection; `title` is required.
    """
    row = _create(ctx, "custom", custom_collection)
    for one in custom_collection.collects or []:
        _put(ctx, row, one.product_id)
    return {"custom_collection": _shown(ctx, row)}


@app.post("/smart_collections", tool="create_smart_collection", status=201)
def create_smart_collection(ctx: Ctx, smart_collection: SmartInput) -> dict[str, Any]:
    """Creates a smart collection.

    smart_collection: The collection; `title` and `rules` are required.
    """
    rules = rules_of(smart_collection.rules or [])
    more = {"rules": rules, "disjunctive": bool(smart_collection.disjunctive)}
    if smart_collection.sort_order is None:
        more["sort_order"] = "best-selling"
    row = _create(ctx, "smart", smart_collection, **more)
    return {"smart_collection": _shown(ctx, row)}


@app.put("/custom_collections/{collection_id}", tool="update_custom_collection", mcp=False)
def update_custom_collection(ctx: Ctx, collection_id: int, custom_collection: CustomInput) -> dict[str, Any]:
    """Changes the fields of a custom collection that are sent.

    collection_id: The collection's id.
    custom_collection: What to change.
    """
    row = the_collection(ctx, collection_id, "custom")
    ctx.db.update(row, **_columns(ctx, custom_collection, row), updated_at=ctx.timestamp())
    if custom_collection.metafields:
        attach(ctx, "collection", row.id, custom_collection.metafields)
    return {"custom_collection": _shown(ctx, row)}


@app.put("/smart_collections/{collection_id}", tool="update_smart_collection", mcp=False)
def update_smart_collection(ctx: Ctx, collection_id: int, smart_collection: SmartInput) -> dict[str, Any]:
    """Changes the fields of a smart collection that are sent.

    collection_id: The collection's id.
    smart_collection: What to change.
    """
    row = the_collection(ctx, collection_id, "smart")
    changes = _columns(ctx, smart_collection, row)
    if smart_collection.rules is not None:
        changes["rules"] = rules_of(smart_collection.rules)
    if smart_collection.disjunctive is not None:
        changes["disjunctive"] = smart_collection.disjunctive
    ctx.db.update(row, **changes, updated_at=ctx.timestamp())
    return {"smart_collection": _shown(ctx, row)}


@app.delete("/custom_collections/{collection_id}", tool="delete_custom_collection", mcp=False)
def delete_custom_collection(ctx: Ctx, collection_id: int) -> dict[str, Any]:
    """Deletes a custom collection; its products stay.

    collection_id: The collection's id.
    """
    _drop(ctx, the_collection(ctx, collection_id, "custom"))
    return {}


@app.delete("/smart_collections/{collection_id}", tool="delete_smart_collection", mcp=False)
def delete_smart_collection(ctx: Ctx, collection_id: int) -> dict[str, Any]:
    """Deletes a smart collection; its products stay.

    collection_id: The collection's id.
    """
    _drop(ctx, the_collection(ctx, collection_id, "smart"))
    return {}


@app.get("/collections/{collection_id}", tool="get_collection", mcp=False)
def get_collection(ctx: Ctx, collection_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a collection of either kind.

    collection_id: The collection's id.
    """
    row = the_collection(ctx, collection_id)
    return {"collection": {**show_collection(ctx, row, len(members(ctx, row))), "collection_type": row.kind}}


@app.get("/collections/{collection_id}/products", tool="list_collection_products")
def list_collection_products(
    ctx: Ctx, collection_id: int, limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING
) -> Reply:
    """Lists the products of a custom or smart collection, in its order.

    collection_id: The collection's id.
    """
    ask = asked(ctx)
    places = {key: at for at, key in enumerate(members(ctx, the_collection(ctx, collection_id)))}
    rows = ctx.db.find(Product, id__in=list(places))
    return listing(ctx, ask, "products", rows, lambda row: show_product(ctx, row), key=lambda row: places[row.id])


def _put(ctx: Ctx, collection: Collection, product_id: int) -> Collect:
    if collection.kind != "custom":
        raise refused("collection", "Smart collections cannot be manually edited")
    product = the_product(ctx, product_id)
    if ctx.db.first(Collect, collection_id=collection.id, product_id=product.id):
        raise refused("product_id", "already exists in this collection")
    at = ctx.timestamp()
    place = ctx.db.count(Collect, collection_id=collection.id) + 1
    return ctx.db.add(
        Collect(
            id=new(ctx, "Collect"), collection_id=collection.id, product_id=product.id, position=place, created_at=at, updated_at=at
        )
    )  # fmt: skip


def _show_collect(ctx: Ctx, row: Collect) -> dict[str, Any]:
    return {
        "id": row.id, "collection_id": row.collection_id, "product_id": row.product_id, **times(ctx, row, "created_at", "updated_at"),
        "position": row.position, "sort_value": f"{row.position:010d}", "admin_graphql_api_id": gid("Collect", row.id),
    }  # fmt: skip


@app.get("/collects", tool="list_collects", mcp=False)
def list_collects(
    ctx: Ctx, collection_id: int | MISSING = MISSING, product_id: int | MISSING = MISSING, since_id: SinceId = MISSING,
    limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists which products are in which custom collections.

    collection_id: Only those of this collection.
    product_id: Only those of this product.
    """
    ask = asked(ctx)
    rows = ctx.db.find(Collect, collection_id=ask.collection_id, product_id=ask.product_id, **filters(ctx, ask))
    return listing(ctx, ask, "collects", rows, lambda row: _show_collect(ctx, row))


@app.post("/collects", tool="create_collect", status=201)
def create_collect(ctx: Ctx, collect: CollectInput) -> dict[str, Any]:
    """Puts a product into a custom collection.

    collect: The product and the collection.
    """
    if collect.collection_id is None:
        raise refused("collection_id", BLANK)
    return {"collect": _show_collect(ctx, _put(ctx, the_collection(ctx, collect.collection_id), collect.product_id))}


@app.delete("/collects/{collect_id}", tool="delete_collect", mcp=False)
def delete_collect(ctx: Ctx, collect_id: int) -> dict[str, Any]:
    """Takes a product out of a custom collection.

    collect_id: The collect's id.
    """
    row = ctx.db.get(Collect, collect_id)
    if row is None:
        raise not_found()
    ctx.db.delete(row)
    return {}
