"""Shopify's search syntax, read by the grammar in search.lark and matched against resources as they are shown."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

from legoenv_mcp.app import ApiError, Ctx

from .errors import bad
from .resources import parsed

T = TypeVar("T")
Object = dict[str, Any]
MOST_DEPTH = 40


def _address(name: str) -> Callable[[Object], list[Any]]:
    return lambda o: [a.get(name) for a in o["addresses"]]


def _name(name: str) -> Callable[[Object], list[Any]]:
    return lambda o: [o[name]]


def _tags(o: Object) -> list[Any]:
    return o["tags"].split(", ") if o["tags"] else []


def _money(name: str) -> Callable[[Object], list[Any]]:
    return lambda o: [float(o[name])]


def _variant(name: str, read: Callable[[Any], Any] = lambda v: v) -> Callable[[Object], list[Any]]:
    return lambda o: [read(v[name]) for v in o["variants"] if v[name] is not None]


_MARKETING: Callable[[Object], list[Any]] = lambda o: [o["email_marketing_consent"]["state"]]  # noqa: E731
_TIMES: dict[str, Callable[[Object], list[Any]]] = {
    "created_at": _name("created_at"),
    "updated_at": _name("updated_at"),
}

# Resource -> field -> the values it has in a resource. Times compare as times, numbers as numbers, text by whole words.
FIELDS: dict[str, dict[str, Callable[[Object], list[Any]]]] = {
    "customer": {
        **_TIMES, "id": _name("id"), "email": _name("email"), "first_name": _name("first_name"), "last_name": _name("last_name"),
        "phone": _name("phone"), "state": _name("state"), "tag": _tags, "customer_tag": _tags, "orders_count": _name("orders_count"),
        "total_spent": _money("total_spent"), "verified_email": _name("verified_email"), "note": _name("note"),
        "accepts_marketing": lambda o: [_MARKETING(o) == ["subscribed"]], "email_marketing_state": _MARKETING,
        "country": lambda o: [*_address("country")(o), *_address("country_code")(o)], "city": _address("city"),
        "province": _address("province"), "company": _address("company"), "address1": _address("address1"),
        "address2": _address("address2"), "zip": _address("zip"), "customer_date": _name("created_at"), "name": lambda o: [_full(o)],
    },
    "product": {
        **_TIMES, "id": _name("id"), "title": _name("title"), "vendor": _name("vendor"), "product_type": _name("product_type"),
        "tag": _tags, "status": _name("status"), "handle": _name("handle"), "sku": _variant("sku"), "barcode": _variant("barcode"),
        "price": _variant("price", float), "variant_title": _variant("title"), "variant_id": _variant("id"),
        "inventory_total": lambda o: [sum(v["inventory_quantity"] for v in o["variants"] if v["inventory_management"])],
        "published_status": lambda o: ["published" if o["published_at"] else "unpublished"], "published_at": _name("published_at"),
    },
    "order": {
        **_TIMES, "id": _name("id"), "name": lambda o: [o["name"], str(o["order_number"])], "email": _name("email"),
        "financial_status": _name("financial_status"), "tag": _tags, "note": _name("note"), "processed_at": _name("processed_at"),
        "fulfillment_status": lambda o: [o["fulfillment_status"] or "unfulfilled", *([] if o["fulfillment_status"] else ["unshipped"])],
        "status": lambda o: ["any", "cancelled" if o["cancelled_at"] else "closed" if o["closed_at"] else "open"],
        "customer_id": lambda o: [(o["customer"] or {}).get("id")], "total_price": _money("total_price"),
        "sku": lambda o: [line["sku"] for line in o["line_items"]], "discount_code": lambda o: [d["code"] for d in o["discount_codes"]],
        "product_id": lambda o: [line["product_id"] for line in o["line_items"]], "source_name": _name("source_name"),
    },
}  # fmt: skip


def _full(o: Object) -> str:
    return " ".join(filter(None, (o["first_name"], o["last_name"])))


# What words without a field look at.
TEXTS: dict[str, Callable[[Object], list[Any]]] = {
    "customer": lambda o: [
        _full(o), o["email"], o["phone"], o["note"], o["tags"],
        *(a[n] for a in o["addresses"] for n in ("company", "address1", "city", "province", "country", "zip")),
    ],
    "product": lambda o: [
        o["title"], o["vendor"], o["product_type"], o["tags"], o["handle"], re.sub(r"<[^>]*>", " ", o["body_html"] or ""),
        *(v[n] for v in o["variants"] for n in ("title", "sku", "barcode")),
    ],
    "order": lambda o: [
        o["name"], str(o["order_number"]), o["email"], o["note"], o["tags"], _full(o["customer"]) if o["customer"] else None,
        *(line[n] for line in o["line_items"] for n in ("title", "sku")),
    ],
}  # fmt: skip


@cache
def _parser() -> Lark:
    grammar = (Path(__file__).parent / "search.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", maybe_placeholders=False)


def matching(ctx: Ctx, resource: str, query: str, rows: Iterable[T], show: Callable[[T], Object]) -> list[T]:
    """The rows whose resource a query matches."""
    if not query.strip():
        return list(rows)
    try:
        tree = _parser().parse(query)
    except LarkError:
        raise _unreadable(query) from None
    test = _compile(ctx, resource, tree.children[0], 0)
    return [row for row in rows if test(show(row))]


def _unreadable(query: str) -> ApiError:
    return bad("query", f"Invalid search query: {query[:200]}")


Test = Callable[[Object], bool]


def _compile(ctx: Ctx, resource: str, node: Any, depth: int) -> Test:
    if depth > MOST_DEPTH:
        raise bad("query", "Invalid search query: nested too deep")
    if node.data in ("either", "both"):
        parts = [_compile(ctx, resource, child, depth + 1) for child in node.children]
        whole = any if node.data == "either" else all
        return lambda o: whole(test(o) for test in parts)
    if node.data == "negation":
        inner = _compile(ctx, resource, node.children[-1], depth + 1)
        return lambda o: not inner(o)
    if node.data == "text":
        return _words(resource, node.children[0])
    return _field(ctx, resource, node)


def _value(tree: Tree[Token]) -> tuple[str, bool]:
    """A value's text and whether it is a phrase."""
    text = str(tree.children[0])
    return (
        (re.sub(r"\\(.)", r"\1", text[1:-1]), True) if tree.data == "phrase" else (re.sub(r"\\(.)", r"\1", text), False)
    )


def _words(resource: str, value: Tree[Token]) -> Test:
    text, phrase = _value(value)
    wanted = text.casefold()
    if not phrase and wanted.endswith("*"):
        wanted = wanted.rstrip("*")
    read = TEXTS[resource]
    return lambda o: any(_begins(str(one).casefold(), wanted) for one in read(o) if one)


def _begins(text: str, wanted: str) -> bool:
    """Whether a word of a text begins so: unquoted words match beginnings, as search fields do."""
    return re.search(rf"(?<!\w){re.escape(wanted)}", text) is not None if wanted else True


_COMPARES: dict[str, Callable[[Any, Any], bool]] = {
    ">": lambda a, b: a > b, "<": lambda a, b: a < b, ">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b, "": lambda a, b: a == b,
}  # fmt: skip


def _field(ctx: Ctx, resource: str, node: Tree[Token]) -> Test:
    name = str(node.children[0])[:-1]
    operator = str(node.children[1]) if len(node.children) == 3 else ""
    value = node.children[-1]
    assert isinstance(value, Tree)
    text, phrase = _value(value)
    read = FIELDS[resource].get(name)
    if read is None:
        known = ", ".join(sorted(FIELDS[resource]))
        raise bad("query", f"Invalid search field for {resource}s: {name}. There are: {known}")
    if text == "*" and not phrase and not operator:
        return lambda o: any(one not in (None, "", []) for one in read(o))
    compare = _COMPARES[operator]
    if name.endswith("_at") or name == "customer_date":
        return _time(ctx, name, text, operator, read)
    number = float(text) if re.fullmatch(r"-?\d{1,18}(\.\d{1,9})?", text) else None
    if operator and number is None:
        raise bad("query", f"Invalid value for {name}: {text[:100]}")
    wanted = text.casefold()

    def same(one: Any) -> bool:
        if one is None:
            return False
        if isinstance(one, bool):
            return not operator and wanted in (("true", "1") if one else ("false", "0"))
        if isinstance(one, (int, float)):
            return number is not None and compare(one, number)
        if operator:
            return False
        if name == "phone" and (digits := re.sub(r"\D", "", wanted.rstrip("*"))):
            kept = re.sub(r"\D", "", str(one))
            return kept.startswith(digits) if wanted.endswith("*") else kept == digits
        have = str(one).casefold()
        if not phrase and wanted.endswith("*"):
            return _begins(have, wanted.rstrip("*"))
        if name in ("title", "note", "address1", "company", "name", "variant_title"):
            return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", have) is not None
        return have == wanted

    return lambda o: any(same(one) for one in read(o))


def _time(ctx: Ctx, name: str, text: str, operator: str, read: Callable[[Object], list[Any]]) -> Test:
    try:
        wanted = parsed(ctx, text)
    except ValueError:
        raise bad("query", f"Invalid value for {name}: {text[:100]}") from None
    day = re.fullmatch(r"\d{4}-\d\d-\d\d", text) is not None

    def same(one: Any) -> bool:
        if one is None:
            return False
        have = ctx.parse_time(one)
        if not operator:
            return have.date() == wanted.date() if day else have == wanted
        if day and operator in (">", "<="):
            return _COMPARES[operator](have.date(), wanted.date())
        return _COMPARES[operator](have, wanted)

    return lambda o: any(same(one) for one in read(o))
