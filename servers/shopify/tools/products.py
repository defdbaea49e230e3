"""Products. https://shopify.dev/docs/api/admin-rest/2025-01/resources/product"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field, Reply, ToolOnly

from ..app import app
from ..catalog import (
    ImageInput,
    OptionInput,
    VariantInput,
    add_image,
    add_variant,
    drop_product,
    handle_for,
    options_of,
    replace_images,
    replace_variants,
    the_product,
    variants_of,
)
from ..collecting import members
from ..errors import BLANK, bad, refused
from ..inputs import Input, MetafieldInput, TagText, tags_of
from ..logbook import log
from ..metadata import attach
from ..models import Collection, Product, new
from ..paging import (
    Asked,
    CreatedMax,
    CreatedMin,
    Fields,
    Ids,
    Limit,
    PageInfo,
    RestText,
    RestTime,
    SinceId,
    UpdatedMax,
    UpdatedMin,
    asked,
    filters,
    listing,
    moment,
)
from ..query import matching
from ..resources import show_product, the_shop

STATUSES = ("active", "archived", "draft")


class ProductInput(Input):
    """A product."""

    title: str | None = Field(default=None, max_length=255, description="Its name.")
    body_html: str | None = Field(default=None, max_length=500_000, description="Description, as HTML.")
    vendor: str | None = Field(default=None, max_length=255, description="Who makes it.")
    product_type: str | None = Field(default=None, max_length=255, description="What kind of product it is.")
    handle: str | None = Field(
        default=None, max_length=255, description="Its name in addresses, made of the title by default."
    )
    status: str | None = Field(default=None, description="`active`, `draft` or `archived`.")
    tags: TagText | None = Field(default=None, description="Comma-separated tags; replaces those it has.")
    template_suffix: str | None = Field(default=None, max_length=255, description="Theme template for its page.")
    published: bool | None = Field(default=None, description="Whether it is in the online store.")
    options: list[OptionInput] | None = Field(default=None, description="Up to three options that variants differ in.")
    variants: list[VariantInput] | None = Field(
        default=None,
        description="Its variants. When updating, those not listed are deleted and those with `id` changed.",
    )
    images: list[ImageInput] | None = Field(default=None, description="Its images; replaces those it has.")
    metafields: list[MetafieldInput] | None = Field(default=None, description="Metafields to attach.")


def _rows(ctx: Ctx, ask: Asked) -> list[Product]:
    """The products that a list or a count asks for."""
    bounds = {
        "published_at__ge": moment(ctx, "published_at_min", ask.published_at_min),
        "published_at__le": moment(ctx, "published_at_max", ask.published_at_max),
    }  # fmt: skip
    statuses = [s.strip() for s in (ask.status or "").split(",") if s.strip() and s.strip() != "any"]
    for status in statuses:
        if status not in STATUSES:
            raise bad("status", "is not a valid value")
    where: dict[str, Any] = {"status__in": statuses or None}
    if ask.handle is not None:
        where["handle__in"] = [part.strip() for part in ask.handle.split(",")]
    if ask.published_status not in (None, "any"):
        if ask.published_status not in ("published", "unpublished"):
            raise bad("published_status", "is not a valid value")
        where["published_at__null"] = ask.published_status == "unpublished"
    rows = ctx.db.find(Product, **filters(ctx, ask), **bounds, **where)
    for name in ("title", "vendor", "product_type"):
        if (wanted := ask.values.get(name)) is not None:
            rows = [r for r in rows if r.__dict__[name].casefold() == wanted.casefold()]
    if ask.collection_id is not None:
        collection = ctx.db.get(Collection, ask.collection_id)
        inside = set(members(ctx, collection)) if collection else set[int]()
        rows = [r for r in rows if r.id in inside]
    if ask.query:
        rows = matching(ctx, "product", ask.query, rows, lambda row: show_product(ctx, row))
    return rows


@app.get("/products", tool="list_products")
def list_products(
    ctx: Ctx, query: Annotated[str | MISSING, ToolOnly()] = MISSING, title: str | MISSING = MISSING, vendor: str | MISSING = MISSING,
    product_type: str | MISSING = MISSING, handle: str | MISSING = MISSING, status: str | MISSING = MISSING,
    collection_id: int | MISSING = MISSING, published_status: RestText = MISSING, created_at_min: CreatedMin = MISSING,
    created_at_max: CreatedMax = MISSING, updated_at_min: UpdatedMin = MISSING, updated_at_max: UpdatedMax = MISSING,
    published_at_min: RestTime = MISSING, published_at_max: RestTime = MISSING, ids: Ids = MISSING, since_id: SinceId = MISSING,
    limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists products with their variants and stock, in order of id.

    query: Words, or Shopify search syntax: `title:boot* tag:sale -vendor:acme`, `sku:`, `product_type:`, `status:`, `price:>10`,
      `inventory_total:<5`, `created_at:>2025-01-01`, joined by AND, OR, NOT and parentheses.
    title: Only the product with exactly this title.
    vendor: Only products of this vendor.
    product_type: Only products of this type.
    handle: Only products with these comma-separated handles.
    status: Only products with these comma-separated statuses: `active`, `draft`, `archived`.
    collection_id: Only products in this collection.
    published_status: `published`, `unpublished` or `any`.
    published_at_min: Only those published at or after this time.
    published_at_max: Only those published at or before this time.
    """
    ask = asked(ctx)
    return listing(ctx, ask, "products", _rows(ctx, ask), lambda row: show_product(ctx, row))


@app.get("/products/count", tool="count_products", mcp=False)
def count_products(
    ctx: Ctx, vendor: str | MISSING = MISSING, product_type: str | MISSING = MISSING, status: str | MISSING = MISSING,
    collection_id: int | MISSING = MISSING, published_status: RestText = MISSING, created_at_min: CreatedMin = MISSING,
    created_at_max: CreatedMax = MISSING, updated_at_min: UpdatedMin = MISSING, updated_at_max: UpdatedMax = MISSING,
    published_at_min: RestTime = MISSING, published_at_max: RestTime = MISSING,
) -> dict[str, int]:  # fmt: skip
    """Counts products.

    vendor: Only products of this vendor.
    product_type: Only products of this type.
    status: Only products with these comma-separated statuses.
    collection_id: Only products in this collection.
    published_status: `published`, `unpublished` or `any`.
    published_at_min: Only those published at or after this time.
    published_at_max: Only those published at or before this time.
    """
    return {"count": len(_rows(ctx, asked(ctx)))}


@app.get("/products/{product_id}", tool="get_product")
def get_product(ctx: Ctx, product_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a product with its variants, options and images.

    product_id: The product's id.
    """
    return {"product": show_product(ctx, the_product(ctx, product_id))}


def _plain_columns(ctx: Ctx, data: ProductInput, row: Product | None) -> dict[str, Any]:
    out = data.given("body_html", "template_suffix")
    if data.has("title") or row is None:
        if not (data.title or "").strip():
            raise refused("title", BLANK)
        out["title"] = data.title
    for name in ("vendor", "product_type"):
        if data.has(name):
            out[name] = data.__dict__[name] or ""
    if data.status is not None:
        if data.status not in STATUSES:
            raise refused("status", "is not included in the list")
        out["status"] = data.status
    if data.has("tags"):
        out["tags"] = tags_of(data.tags)
        if len(out["tags"]) > 250:
            raise refused("tags", "cannot have more than 250")
    if data.handle:
        out["handle"] = handle_for(ctx, Product, data.handle, row.id if row else None)
    if data.published is not None:
        now = ctx.timestamp()
        out["published_at"] = ((row.published_at if row else None) or now) if data.published else None
    return out


@app.post("/products", tool="create_product", status=201)
def create_product(ctx: Ctx, product: ProductInput) -> dict[str, Any]:
    """Creates a product. Without variants it has one, `Default Title`. Stock is set with set_inventory_level afterwards, for variants
    whose `inventory_management` is `shopify`.

    product: The product; `title` is required.
    """
    columns = _plain_columns(ctx, product, None)
    at = ctx.timestamp()
    columns.setdefault("handle", handle_for(ctx, Product, columns["title"]))
    columns.setdefault("vendor", the_shop(ctx).name)
    if "published_at" not in columns:
        columns["published_at"] = at if columns.get("status", "active") == "active" else None
    options = options_of(ctx, product.options or [OptionInput(name="Title")])
    row = ctx.db.add(Product(id=new(ctx, "Product"), options=options, created_at=at, updated_at=at, **columns))
    firsts: dict[str, Any] = {f"option{n}": o.values[0] for n, o in enumerate(product.options or [], 1) if o.values}
    for data in product.variants or [VariantInput.model_validate(firsts)]:
        add_variant(ctx, row, data)
    for image in product.images or []:
        add_image(ctx, row, image)
    if product.metafields:
        attach(ctx, "product", row.id, product.metafields)
    log(ctx, "Product", row.id, "create", f"{the_shop(ctx).name} added a new product: {row.title}.", row.title)
    return {"product": show_product(ctx, row)}


@app.put("/products/{product_id}", tool="update_product")
def update_product(ctx: Ctx, product_id: int, product: ProductInput) -> dict[str, Any]:
    """Changes the fields that are sent. A list of variants or images replaces the whole list.

    product_id: The product's id.
    product: What to change.
    """
    row = the_product(ctx, product_id)
    columns = _plain_columns(ctx, product, row)
    was = row.published_at
    if product.options:
        wanted = options_of(ctx, product.options)
        if len(wanted) != len(row.options) and not product.variants:
            raise refused("base", f"could not update options to [{', '.join(o['name'] for o in wanted)}]")
        columns["options"] = [
            {**w, "id": row.options[i]["id"] if i < len(row.options) else w["id"]} for i, w in enumerate(wanted)
        ]
    changed = {name: value for name, value in columns.items() if row.__dict__[name] != value}
    ctx.db.update(row, **changed, updated_at=ctx.timestamp())
    if product.images is not None:
        replace_images(ctx, row, product.images)
    if product.variants is not None:
        replace_variants(ctx, row, product.variants)
    for variant in variants_of(ctx, row):
        if any(variant.__dict__[f"option{n}"] is None for n in range(1, len(row.options) + 1)):
            raise refused("base", "Every variant needs a value for each option")
    if product.metafields:
        attach(ctx, "product", row.id, product.metafields)
    if row.published_at != was:
        verb = "published" if row.published_at else "unpublished"
        log(ctx, "Product", row.id, verb, f"{the_shop(ctx).name} {verb} a product: {row.title}.", row.title)
    return {"product": show_product(ctx, row)}


@app.delete("/products/{product_id}", tool="delete_product")
def delete_product(ctx: Ctx, product_id: int) -> dict[str, Any]:
    """Deletes a product with its variants, stock and images for good. Archiving it (`status`) keeps them.

    product_id: The product's id.
    """
    row = the_product(ctx, product_id)
    log(ctx, "Product", row.id, "destroy", f"{the_shop(ctx).name} deleted a product: {row.title}.", row.title)
    drop_product(ctx, row)
    return {}
