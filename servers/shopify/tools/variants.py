"""Variants and images of products. https://shopify.dev/docs/api/admin-rest/2025-01/resources/product-variant"""

from typing import Any

from legoenv_mcp.app import MISSING, Ctx, Reply

from ..app import app
from ..catalog import (
    ImageInput,
    VariantInput,
    add_image,
    add_variant,
    change_image,
    change_variant,
    drop_image,
    drop_variant,
    is_bare,
    the_product,
    variants_of,
)
from ..errors import not_found, refused
from ..models import Image, Product, Variant
from ..paging import Fields, Limit, PageInfo, SinceId, asked, filters, listing
from ..resources import show_image, show_variant


def the_variant(ctx: Ctx, key: int, product: int | None = None) -> Variant:
    row = ctx.db.get(Variant, key)
    if row is None or (product is not None and row.product_id != product):
        raise not_found()
    return row


def _touch(ctx: Ctx, product: Product) -> None:
    ctx.db.update(product, updated_at=ctx.timestamp())


@app.get("/products/{product_id}/variants", tool="list_product_variants", mcp=False)
def list_product_variants(
    ctx: Ctx, product_id: int, since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists a product's variants.

    product_id: The product's id.
    """
    ask = asked(ctx)
    product = the_product(ctx, product_id)
    rows = ctx.db.find(Variant, product_id=product.id, **filters(ctx, ask))
    return listing(ctx, ask, "variants", rows, lambda row: show_variant(ctx, row), "position")


@app.get("/products/{product_id}/variants/count", tool="count_product_variants", mcp=False)
def count_product_variants(ctx: Ctx, product_id: int) -> dict[str, int]:
    """Counts a product's variants.

    product_id: The product's id.
    """
    return {"count": len(variants_of(ctx, the_product(ctx, product_id)))}


@app.get("/variants/{variant_id}", tool="get_variant", mcp=False)
def get_variant(ctx: Ctx, variant_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a variant.

    variant_id: The variant's id.
    """
    return {"variant": show_variant(ctx, the_variant(ctx, variant_id))}


@app.get("/products/{product_id}/variants/{variant_id}", tool="get_product_variant", mcp=False)
def get_product_variant(ctx: Ctx, product_id: int, variant_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a variant of a product.

    product_id: The product's id.
    variant_id: The variant's id.
    """
    return {"variant": show_variant(ctx, the_variant(ctx, variant_id, product_id))}


@app.post("/products/{product_id}/variants", tool="create_variant", status=201)
def create_variant(ctx: Ctx, product_id: int, variant: VariantInput) -> dict[str, Any]:
    """Adds a variant to a product. It takes the place of a lone `Default Title`.

    product_id: The product's id.
    variant: The variant, with a value for each of the product's options.
    """
    product = the_product(ctx, product_id)
    have = variants_of(ctx, product)
    row = add_variant(ctx, product, variant)
    if is_bare(have):
        drop_variant(ctx, product, have[0])
        row = the_variant(ctx, row.id)
    _touch(ctx, product)
    return {"variant": show_variant(ctx, row)}


@app.put("/variants/{variant_id}", tool="update_variant")
def update_variant(ctx: Ctx, variant_id: int, variant: VariantInput) -> dict[str, Any]:
    """Changes the fields of a variant that are sent, such as its price or SKU. Stock is changed with the inventory tools.

    variant_id: The variant's id.
    variant: What to change.
    """
    row = the_variant(ctx, variant_id)
    product = the_product(ctx, row.product_id)
    change_variant(ctx, product, row, variant)
    _touch(ctx, product)
    return {"variant": show_variant(ctx, row)}


@app.put("/products/{product_id}/variants/{variant_id}", tool="update_product_variant", mcp=False)
def update_product_variant(ctx: Ctx, product_id: int, variant_id: int, variant: VariantInput) -> dict[str, Any]:
    """Changes the fields of a product's variant that are sent.

    product_id: The product's id.
    variant_id: The variant's id.
    variant: What to change.
    """
    the_variant(ctx, variant_id, product_id)
    return update_variant(ctx, variant_id, variant)


@app.delete("/products/{product_id}/variants/{variant_id}", tool="delete_variant")
def delete_variant(ctx: Ctx, product_id: int, variant_id: int) -> dict[str, Any]:
    """Deletes a variant and its stock. A product keeps at least one.

    product_id: The product's id.
    variant_id: The variant's id.
    """
    row = the_variant(ctx, variant_id, product_id)
    product = the_product(ctx, product_id)
    if len(variants_of(ctx, product)) == 1:
        raise refused("base", "Cannot delete the last variant of a product")
    drop_variant(ctx, product, row)
    _touch(ctx, product)
    return {}


def _the_image(ctx: Ctx, product_id: int, key: int) -> Image:
    row = ctx.db.get(Image, key)
    if row is None or row.product_id != product_id:
        raise not_found()
    return row


def _shown(ctx: Ctx, product: Product, row: Image) -> dict[str, Any]:
    return show_image(ctx, row, variants_of(ctx, product))


@app.get("/products/{product_id}/images", tool="list_product_images", mcp=False)
def list_product_images(
    ctx: Ctx, product_id: int, since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists a product's images.

    product_id: The product's id.
    """
    ask = asked(ctx)
    product = the_product(ctx, product_id)
    rows = ctx.db.find(Image, product_id=product.id, **filters(ctx, ask))
    return listing(ctx, ask, "images", rows, lambda row: _shown(ctx, product, row), "position")


@app.get("/products/{product_id}/images/count", tool="count_product_images", mcp=False)
def count_product_images(ctx: Ctx, product_id: int) -> dict[str, int]:
    """Counts a product's images.

    product_id: The product's id.
    """
    return {"count": ctx.db.count(Image, product_id=the_product(ctx, product_id).id)}


@app.get("/products/{product_id}/images/{image_id}", tool="get_product_image", mcp=False)
def get_product_image(ctx: Ctx, product_id: int, image_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves an image of a product.

    product_id: The product's id.
    image_id: The image's id.
    """
    return {"image": _shown(ctx, the_product(ctx, product_id), _the_image(ctx, product_id, image_id))}


@app.post("/products/{product_id}/images", tool="create_product_image", mcp=False)
def create_product_image(ctx: Ctx, product_id: int, image: ImageInput) -> dict[str, Any]:
    """Adds an image to a product.

    product_id: The product's id.
    image: The image: `src` or `attachment`.
    """
    product = the_product(ctx, product_id)
    row = add_image(ctx, product, image)
    _touch(ctx, product)
    return {"image": _shown(ctx, product, row)}


@app.put("/products/{product_id}/images/{image_id}", tool="update_product_image", mcp=False)
def update_product_image(ctx: Ctx, product_id: int, image_id: int, image: ImageInput) -> dict[str, Any]:
    """Changes an image's text, place or variants.

    product_id: The product's id.
    image_id: The image's id.
    image: What to change.
    """
    product = the_product(ctx, product_id)
    row = change_image(ctx, product, _the_image(ctx, product_id, image_id), image)
    _touch(ctx, product)
    return {"image": _shown(ctx, product, row)}


@app.delete("/products/{product_id}/images/{image_id}", tool="delete_product_image", mcp=False)
def delete_product_image(ctx: Ctx, product_id: int, image_id: int) -> dict[str, Any]:
    """Deletes an image of a product.

    product_id: The product's id.
    image_id: The image's id.
    """
    product = the_product(ctx, product_id)
    drop_image(ctx, product, _the_image(ctx, product_id, image_id))
    _touch(ctx, product)
    return {}
