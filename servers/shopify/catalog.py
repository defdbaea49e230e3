"""Products and what belongs to them: handles, options, variants, images, membership of collections."""

import re
import unicodedata
from typing import Any, ClassVar

from legoenv_mcp.app import ApiError, Ctx, Field

from . import money, stock
from .errors import BLANK, not_found, refused
from .inputs import Input, MetafieldInput
from .metadata import attach, forget
from .models import Collect, Collection, Image, InventoryItem, InventoryLevel, Object, Product, Variant, new
from .resources import grams, the_shop, title_of

DEFAULT = "Default Title"
MOST_VARIANTS = 100
NO_STOCK = (
    "Write requests to inventory_quantity and inventory_quantity_adjustment are no longer supported. "
    "Please use the Inventory Levels API."
)


class VariantInput(Input):
    """A form in which a product is sold."""

    quiet: ClassVar[frozenset[str]] = frozenset({"metafields", "inventory_quantity", "inventory_quantity_adjustment"})

    id: int | None = Field(default=None, description="The variant's id, where it exists.")
    option1: str | None = Field(default=None, max_length=255, description="Its value of the first option.")
    option2: str | None = Field(default=None, max_length=255, description="Its value of the second option.")
    option3: str | None = Field(default=None, max_length=255, description="Its value of the third option.")
    price: str | None = Field(default=None, description="Price of one, such as 19.90.")
    compare_at_price: str | None = Field(default=None, description="The price before a sale.")
    sku: str | None = Field(default=None, max_length=255, description="Stock keeping unit.")
    barcode: str | None = Field(default=None, max_length=255, description="Barcode, UPC or ISBN.")
    position: int | None = Field(default=None, ge=1, description="Place among the variants, counted from 1.")
    grams: int | None = Field(default=None, ge=0, le=2_000_000_000, description="Weight in grams.")
    weight: float | None = Field(default=None, ge=0, le=2_000_000, description="Weight in `weight_unit`.")
    weight_unit: str | None = Field(default=None, description="`g`, `kg`, `oz` or `lb`.")
    inventory_management: str | None = Field(default=None, description="`shopify` tracks stock; null does not.")
    inventory_policy: str | None = Field(default=None, description="`deny` or `continue` selling when out of stock.")
    requires_shipping: bool | None = Field(default=None, description="Whether it is shipped.")
    taxable: bool | None = Field(default=None, description="Whether tax is charged.")
    image_id: int | None = Field(default=None, description="The product's image that shows it.")
    inventory_quantity: Any = Field(default=None, description="Not written here: stock has tools of its own.")
    inventory_quantity_adjustment: Any = Field(default=None, description="Not written here either.")
    metafields: list[MetafieldInput] | None = Field(default=None, description="Metafields to attach.")


class OptionInput(Input):
    """What tells variants apart."""

    id: int | None = Field(default=None, description="The option's id, where it exists.")
    name: str | None = Field(default=None, max_length=255, description="Such as Size or Color.")
    values: list[str] | None = Field(default=None, description="The values it has.")


class ImageInput(Input):
    """A product's image."""

    id: int | None = Field(default=None, description="The image's id, where it exists.")
    src: str | None = Field(default=None, max_length=2000, description="Where the image is.")
    attachment: str | None = Field(default=None, description="The image itself, in Base64.")
    filename: str | None = Field(default=None, max_length=255, description="The file's name, with an attachment.")
    alt: str | None = Field(default=None, max_length=512, description="Alternative text.")
    position: int | None = Field(default=None, ge=1, description="Place among the images, counted from 1.")
    variant_ids: list[int] | None = Field(default=None, description="The variants that it shows.")


def handle_for(ctx: Ctx, model: type[Product] | type[Collection], text: str, own: int | None = None) -> str:
    """A handle made of a text, with a number where it is taken."""
    bare = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", bare).strip("-")[:240] or model.__name__.lower()
    handle, n = stem, 0
    while (other := ctx.db.first(model, handle=handle)) is not None and other.id != own:
        n += 1
        handle = f"{stem}-{n}"
    return handle


def the_product(ctx: Ctx, key: int) -> Product:
    row = ctx.db.get(Product, key)
    if row is None:
        raise not_found()
    return row


def variants_of(ctx: Ctx, product: Product) -> list[Variant]:
    return ctx.db.find(Variant, product_id=product.id, order="position,id")


def options_of(ctx: Ctx, given: list[OptionInput]) -> list[Object]:
    """Options as the product keeps them."""
    if len(given) > 3:
        raise refused("options", "Can only specify a maximum of 3 options")
    names = [(o.name or "").strip() for o in given]
    if not all(names):
        raise refused("options", "name can't be blank")
    if len({name.casefold() for name in names}) < len(names):
        raise refused("options", "names must be unique")
    return [{"id": o.id or new(ctx, "Option"), "name": name} for o, name in zip(given, names, strict=True)]


def _columns(product: Product, data: VariantInput, old: Variant | None) -> dict[str, Any]:
    """A variant's columns as they are asked for, checked."""
    if data.inventory_quantity is not None or data.inventory_quantity_adjustment is not None:
        raise ApiError(400, NO_STOCK)
    out = data.given("sku", "barcode", "requires_shipping", "taxable", "image_id")
    out = {name: value for name, value in out.items() if value is not None or name in ("sku", "barcode", "image_id")}
    if data.has("price"):
        out["price"] = money.cents(data.price or "0", "price")
    if data.has("compare_at_price"):
        text = data.compare_at_price
        out["compare_at_price"] = money.cents(text, "compare_at_price") if text else None
    if data.inventory_policy is not None:
        if data.inventory_policy not in ("deny", "continue"):
            raise refused("inventory_policy", "is not included in the list")
        out["inventory_policy"] = data.inventory_policy
    if data.weight_unit is not None:
        if data.weight_unit not in ("g", "kg", "oz", "lb"):
            raise refused("weight_unit", "is not included in the list")
        out["weight_unit"] = data.weight_unit
    unit = str(out.get("weight_unit") or (old.weight_unit if old else "kg"))
    if data.weight is not None:
        out["grams"] = grams(data.weight, unit)
    elif data.grams is not None:
        out["grams"] = data.grams
    for at in (1, 2, 3):
        name = f"option{at}"
        value = data.__dict__[name] if data.has(name) or old is None else old.__dict__[name]
        if at > len(product.options):
            if value:
                raise refused(name, f"is not an option of the product, which has {len(product.options)}")
            value = None
        elif not (value or "").strip():
            if len(product.options) > 1 or product.options[0]["name"] != "Title":
                raise refused(name, BLANK)
            value = DEFAULT
        out[name] = value
    return out


def tracked(data: VariantInput) -> bool | None:
    """Whether stock is tracked; None where nothing is said."""
    if not data.has("inventory_management"):
        return None
    if data.inventory_management not in (None, "", "shopify"):
        raise refused("inventory_management", "is not included in the list")
    return data.inventory_management == "shopify"


def _unique(ctx: Ctx, product: Product, values: dict[str, Any], own: int | None) -> None:
    mine = tuple((values[f"option{at}"] or "").casefold() for at in (1, 2, 3))
    for other in variants_of(ctx, product):
        if other.id != own and tuple((other.__dict__[f"option{at}"] or "").casefold() for at in (1, 2, 3)) == mine:
            raise refused("base", f"The variant '{title_of(other)}' already exists.")


def _own_image(ctx: Ctx, product: Product, key: int | None) -> None:
    image = ctx.db.get(Image, key) if key is not None else None
    if key is not None and (image is None or image.product_id != product.id):
        raise refused("image_id", "is not an image of the product")


def add_variant(ctx: Ctx, product: Product, data: VariantInput) -> Variant:
    """A new variant with its inventory item, stocked at the shop's own location with nothing."""
    others = variants_of(ctx, product)
    if len(others) >= MOST_VARIANTS:
        raise refused("base", f"Exceeded maximum number of variants allowed ({MOST_VARIANTS})")
    values = _columns(product, data, None)
    keeps = tracked(data)
    _unique(ctx, product, values, None)
    _own_image(ctx, product, values.get("image_id"))
    at = ctx.timestamp()
    item = ctx.db.add(InventoryItem(id=new(ctx, "InventoryItem"), tracked=bool(keeps), created_at=at, updated_at=at))
    row = ctx.db.add(
        Variant(
            id=new(ctx, "Variant"), product_id=product.id, inventory_item_id=item.id, position=len(others) + 1, created_at=at,
            updated_at=at, **values,
        )
    )  # fmt: skip
    stock.connect(ctx, item.id, the_shop(ctx).primary_location_id)
    if data.metafields:
        attach(ctx, "variant", row.id, data.metafields)
    if data.position is not None:
        _place(ctx, product, row, data.position)
    return row


def change_variant(ctx: Ctx, product: Product, row: Variant, data: VariantInput) -> Variant:
    """Changes what is sent."""
    values = _columns(product, data, row)
    keeps = tracked(data)
    _unique(ctx, product, values, row.id)
    _own_image(ctx, product, values.get("image_id"))
    changed = {name: value for name, value in values.items() if row.__dict__[name] != value}
    if changed:
        ctx.db.update(row, **changed, updated_at=ctx.timestamp())
    item = ctx.db.get(InventoryItem, row.inventory_item_id)
    if item is not None and keeps is not None and keeps != item.tracked:
        ctx.db.update(item, tracked=keeps, updated_at=ctx.timestamp())
    if data.metafields:
        attach(ctx, "variant", row.id, data.metafields)
    if data.position is not None and data.position != row.position:
        _place(ctx, product, row, data.position)
    return row


def _place(ctx: Ctx, product: Product, row: Variant, position: int) -> None:
    order = [v for v in variants_of(ctx, product) if v.id != row.id]
    order.insert(min(position, len(order) + 1) - 1, row)
    _renumber(ctx, order)


def _renumber(ctx: Ctx, rows: list[Any]) -> None:
    for at, one in enumerate(rows, 1):
        if one.position != at:
            ctx.db.update(one, position=at)


def drop_variant(ctx: Ctx, product: Product, row: Variant) -> None:
    """Removes a variant and its stock. Units that orders have committed stay with the orders."""
    ctx.db.delete_where(InventoryLevel, inventory_item_id=row.inventory_item_id)
    item = ctx.db.get(InventoryItem, row.inventory_item_id)
    forget(ctx, "variant", row.id)
    ctx.db.delete(row)
    if item is not None:
        ctx.db.delete(item)
    _renumber(ctx, variants_of(ctx, product))


def is_bare(rows: list[Variant]) -> bool:
    """Whether a product has only the variant that it was given for want of any."""
    return len(rows) == 1 and title_of(rows[0]) == DEFAULT


def replace_variants(ctx: Ctx, product: Product, given: list[VariantInput]) -> None:
    """The product's variants become these: those with an id are changed, others are new, the rest goes."""
    have = {v.id: v for v in variants_of(ctx, product)}
    kept = {data.id for data in given if data.id is not None}
    if not given:
        raise refused("variants", "must have at least one variant")
    for key in kept:
        if key not in have:
            raise not_found()
    for key, row in have.items():
        if key not in kept:
            drop_variant(ctx, product, row)
    for data in given:
        if data.id is not None:
            change_variant(ctx, product, have[data.id], data)
        else:
            add_variant(ctx, product, data)


def add_image(ctx: Ctx, product: Product, data: ImageInput) -> Image:
    """A new image. Images are kept where Shopify keeps them, whatever they were sent as."""
    if not data.src and not data.attachment:
        raise refused("image", "src can't be blank")
    if data.src and not re.match(r"https?://[^\s/]+/\S*|https?://[^\s/]+$", data.src):
        raise refused("image", f"Could not download image: {data.src[:200]}")
    key = new(ctx, "Image")
    name = data.filename or (data.src or "").split("?")[0].rstrip("/").rpartition("/")[2] or "image.jpg"
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:120]
    at = ctx.timestamp()
    have = ctx.db.find(Image, product_id=product.id, order="position,id")
    row = ctx.db.add(
        Image(
            id=key, product_id=product.id, position=len(have) + 1, alt=data.alt, created_at=at, updated_at=at,
            src=f"https://cdn.shopify.com/s/files/1/{the_shop(ctx).id % 10000:04d}/products/{safe}?v={ctx.epoch()}",
        )
    )  # fmt: skip
    _settle_image(ctx, product, row, data)
    return row


def change_image(ctx: Ctx, product: Product, row: Image, data: ImageInput) -> Image:
    if data.has("alt") and data.alt != row.alt:
        ctx.db.update(row, alt=data.alt, updated_at=ctx.timestamp())
    _settle_image(ctx, product, row, data)
    return row


def _settle_image(ctx: Ctx, product: Product, row: Image, data: ImageInput) -> None:
    if data.position is not None and data.position != row.position:
        order = [i for i in ctx.db.find(Image, product_id=product.id, order="position,id") if i.id != row.id]
        order.insert(min(data.position, len(order) + 1) - 1, row)
        _renumber(ctx, order)
    if data.variant_ids is not None:
        variants = variants_of(ctx, product)
        if not set(data.variant_ids) <= {v.id for v in variants}:
            raise refused("variant_ids", "must be variants of the product")
        for one in variants:
            if one.id in data.variant_ids and one.image_id != row.id:
                ctx.db.update(one, image_id=row.id)
            elif one.id not in data.variant_ids and one.image_id == row.id:
                ctx.db.update(one, image_id=None)


def drop_image(ctx: Ctx, product: Product, row: Image) -> None:
    for variant in ctx.db.find(Variant, image_id=row.id):
        ctx.db.update(variant, image_id=None)
    forget(ctx, "product_image", row.id)
    ctx.db.delete(row)
    _renumber(ctx, ctx.db.find(Image, product_id=product.id, order="position,id"))


def replace_images(ctx: Ctx, product: Product, given: list[ImageInput]) -> None:
    have = {i.id: i for i in ctx.db.find(Image, product_id=product.id)}
    kept = {data.id for data in given if data.id is not None}
    if not kept <= have.keys():
        raise not_found()
    for key, row in have.items():
        if key not in kept:
            drop_image(ctx, product, row)
    for data in given:
        if data.id is not None:
            change_image(ctx, product, have[data.id], data)
        else:
            add_image(ctx, product, data)


def drop_product(ctx: Ctx, product: Product) -> None:
    """Removes a product and all that belongs to it; orders keep what they say of it."""
    for row in variants_of(ctx, product):
        drop_variant(ctx, product, row)
    ctx.db.delete_where(Image, product_id=product.id)
    ctx.db.delete_where(Collect, product_id=product.id)
    forget(ctx, "product", product.id)
    ctx.db.delete(product)
