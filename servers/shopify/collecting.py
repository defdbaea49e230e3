"""Which products a collection has: those put into a custom one, those a smart one's rules match."""

from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import Ctx, Field

from . import money
from .errors import BLANK, refused
from .inputs import Input
from .models import Collect, Collection, Object, Product, Variant
from .resources import stock_of, title_of

_TEXT = ("equals", "not_equals", "starts_with", "ends_with", "contains", "not_contains")
_NUMBER = ("equals", "not_equals", "greater_than", "less_than")
RELATIONS: dict[str, tuple[str, ...]] = {
    "title": _TEXT, "type": _TEXT, "vendor": _TEXT, "variant_title": _TEXT, "tag": ("equals",), "variant_price": _NUMBER,
    "variant_compare_at_price": _NUMBER, "variant_weight": _NUMBER, "variant_inventory": _NUMBER,
}  # fmt: skip
SORTS = ("alpha-asc", "alpha-desc", "best-selling", "created", "created-desc", "manual", "price-asc", "price-desc")


class RuleInput(Input):
    """What products a smart collection takes."""

    column: str = Field(description=f"What to look at: {', '.join(RELATIONS)}.")
    relation: str = Field(
        description="`equals`, `not_equals`, `greater_than`, `less_than`, `starts_with`, `ends_with`, `contains`, `not_contains`."
    )
    condition: str = Field(max_length=255, description="The value to compare with.")


def rules_of(given: list[RuleInput]) -> list[Object]:
    """Rules as a collection keeps them; a smart collection has at least one."""
    if not given:
        raise refused("rules", BLANK)
    for rule in given:
        if rule.column not in RELATIONS:
            raise refused("rules", f"Column '{rule.column}' is not valid")
        if rule.relation not in RELATIONS[rule.column]:
            raise refused("rules", f"Relation '{rule.relation}' is not valid for column '{rule.column}'")
        if rule.condition == "":
            raise refused("rules", "Condition can't be blank")
        if rule.column.startswith("variant_") and RELATIONS[rule.column] == _NUMBER:
            money.cents(rule.condition, "rules", least=None)
    return [rule.model_dump() for rule in given]


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "equals": lambda a, b: a == b, "not_equals": lambda a, b: a != b, "greater_than": lambda a, b: a > b, "less_than": lambda a, b: a < b,
    "starts_with": lambda a, b: a.startswith(b), "ends_with": lambda a, b: a.endswith(b), "contains": lambda a, b: b in a,
    "not_contains": lambda a, b: b not in a,
}  # fmt: skip


def _values(ctx: Ctx, column: str, product: Product, variants: list[Variant]) -> list[Any]:
    if column in ("title", "vendor"):
        return [product.__dict__[column].casefold()]
    if column == "type":
        return [product.product_type.casefold()]
    if column == "tag":
        return [tag.casefold() for tag in product.tags]
    if column == "variant_title":
        return [title_of(v).casefold() for v in variants]
    if column == "variant_price":
        return [v.price for v in variants]
    if column == "variant_compare_at_price":
        return [v.compare_at_price or 0 for v in variants]
    if column == "variant_weight":
        return [v.grams / 10 for v in variants]
    return [stock_of(ctx, v.inventory_item_id) * 100 for v in variants]


def _matches(ctx: Ctx, rule: Object, product: Product, variants: list[Variant]) -> bool:
    column, text = rule["column"], rule["condition"]
    # Numbers compare in hundredths: money's cents, weights' and stocks' as well (weights are kilograms).
    wanted: Any = money.cents(text, "rules", None) if RELATIONS[column] == _NUMBER else text.casefold()
    test = _TESTS[rule["relation"]]
    return any(test(value, wanted) for value in _values(ctx, column, product, variants))


def members(ctx: Ctx, collection: Collection) -> list[int]:
    """The ids of a collection's products, in its order."""
    if collection.kind == "custom":
        places = {c.product_id: c.position for c in ctx.db.find(Collect, collection_id=collection.id)}
        rows = ctx.db.find(Product, id__in=list(places))
    else:
        whole = any if collection.disjunctive else all
        places = dict[int, int]()
        rows = list[Product]()
        for product in ctx.db.find(Product):
            variants = ctx.db.find(Variant, product_id=product.id)
            if whole(_matches(ctx, rule, product, variants) for rule in collection.rules):
                rows.append(product)
    way = collection.sort_order

    def price(row: Product) -> int:
        return min((v.price for v in ctx.db.find(Variant, product_id=row.id)), default=0)

    keys: dict[str, Callable[[Product], Any]] = {
        "alpha": lambda r: r.title.casefold(), "created": lambda r: r.created_at, "price": price, "manual": lambda r: places.get(r.id, 0),
    }  # fmt: skip
    key = keys.get(way.partition("-")[0], keys["manual"])
    rows.sort(key=lambda r: r.id)
    rows.sort(key=key, reverse=way.endswith("-desc"))
    return [row.id for row in rows]
