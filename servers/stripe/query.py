"""Stripe's search queries as SQL conditions. https://docs.stripe.com/search#query-fields-for-charges"""

import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

from .errors import refuse

Kind = Literal["numeric", "string", "token"]
MAX_CLAUSES = 10

# Field -> how its value compares, and the column or JSON path it lies at. Tokens match whole values only.
_MONEY: dict[str, tuple[Kind, str]] = {
    "amount": ("numeric", "amount"),
    "created": ("numeric", "created"),
    "currency": ("token", "currency"),
}
_CARD = "json_extract(payment_method_details, '$.card.{}')"
FIELDS: dict[str, dict[str, tuple[Kind, str]]] = {
    "charges": {
        **_MONEY,
        "billing_details.address.postal_code": ("token", "json_extract(billing_details, '$.address.postal_code')"),
        "customer": ("token", "customer"),
        "disputed": ("token", "CASE disputed WHEN 1 THEN 'true' ELSE 'false' END"),
        "payment_method_details.card.brand": ("token", _CARD.format("brand")),
        "payment_method_details.card.exp_month": ("token", f"CAST({_CARD.format('exp_month')} AS TEXT)"),
        "payment_method_details.card.exp_year": ("token", f"CAST({_CARD.format('exp_year')} AS TEXT)"),
        "payment_method_details.card.fingerprint": ("token", _CARD.format("fingerprint")),
        "payment_method_details.card.last4": ("token", _CARD.format("last4")),
        "refunded": ("token", "CASE refunded WHEN 1 THEN 'true' ELSE 'false' END"),
        "status": ("token", "status"),
    },
    "customers": {
        "created": ("numeric", "created"), "email": ("string", "email"), "name": ("string", "name"), "phone": ("string", "phone"),
    },
    "invoices": {
        "created": ("numeric", "created"), "currency": ("token", "currency"), "customer": ("token", "customer"),
        "number": ("string", "number"), "receipt_number": ("string", "NULL"), "status": ("string", "status"),
        "subscription": ("string", "subscription"), "total": ("numeric", "total"),
        "last_finalization_error_code": ("string", "NULL"), "last_finalization_error_type": ("string", "NULL"),
    },
    "payment_intents": {**_MONEY, "customer": ("token", "customer"), "status": ("token", "status")},
    "prices": {
        "active": ("token", "CASE active WHEN 1 THEN 'true' ELSE 'false' END"), "currency": ("token", "currency"),
        "lookup_key": ("string", "lookup_key"), "product": ("string", "product"),
        "type": ("token", "CASE WHEN interval IS NULL THEN 'one_time' ELSE 'recurring' END"),
    },
    "products": {
        "active": ("token", "CASE active WHEN 1 THEN 'true' ELSE 'false' END"), "description": ("string", "description"),
        "name": ("string", "name"), "shippable": ("token", "CASE shippable WHEN 1 THEN 'true' WHEN 0 THEN 'false' END"),
        "url": ("string", "url"),
    },
    "subscriptions": {
        "canceled_at": ("numeric", "canceled_at"), "created": ("numeric", "created"), "status": ("string", "status"),
    },
}  # fmt: skip

UNREADABLE = (
    'We were unable to parse your search query. Try using the format `metadata["key"]:"value"` to query for metadata or key:"value" '
    "to query for other fields."
)


@cache
def _parser() -> Lark:
    grammar = (Path(__file__).parent / "search.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", keep_all_tokens=False, maybe_placeholders=False)


def compile_query(resource: str, query: str) -> tuple[str, list[Any]]:
    """The query as an SQL condition and its bound values."""
    try:
        tree = _parser().parse(query)
    except LarkError:
        raise refuse(_unsupported(query) or UNREADABLE, param="query") from None
    clauses = [c for c in tree.children if isinstance(c, Tree)]
    if len(clauses) > MAX_CLAUSES:
        raise refuse(
            f"Search queries can have at most {MAX_CLAUSES} clauses, but yours has {len(clauses)}.", param="query"
        )
    joined_by_or = any(isinstance(c, Token) for c in tree.children)
    conditions, values = list[str](), list[Any]()
    for clause in clauses:
        condition, bound = _clause(resource, clause)
        conditions.append(condition)
        values += bound
    return (" OR " if joined_by_or else " AND ").join(f"({c})" for c in conditions), values


def _unsupported(query: str) -> str | None:
    """What Stripe's language leaves out, said by name."""
    bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", '""', query)
    if re.search(r"[()]", bare):
        return "We were unable to parse your search query: parentheses are not supported."
    if re.search(r"(?i)\bAND\b", bare) and re.search(r"(?i)\bOR\b", bare):
        return "We were unable to parse your search query: AND and OR can't be combined in one query."
    return None


def _clause(resource: str, clause: Tree[Token]) -> tuple[str, list[Any]]:
    parts = list(clause.children)
    negated = isinstance(parts[0], Token) and parts[0].type == "NEGATION"
    field, operator, value = parts[1:] if negated else parts
    assert isinstance(field, Tree)
    assert isinstance(value, Tree)
    operator = str(operator)
    if field.data == "metadata":
        name, kind, bound = (
            f'metadata["{_unquoted(field.children[0])}"]',
            "string",
            [_json_path(_unquoted(field.children[0]))],
        )
        column = "json_extract(metadata_, ?)"
    else:
        name, bound = ".".join(str(part) for part in field.children), list[Any]()
        found = FIELDS[resource].get(name)
        if found is None:
            raise refuse(
                f"Field `{name}` is an unsupported search field for resource `{resource}`. See "
                f"http://stripe.com/docs/search#query-fields-for-{resource.replace('_', '-')} for a list of supported fields.",
                param="query",
            )
        kind, column = found
    condition, more = _comparison(name, kind, column, operator, value)
    return (f"({condition}) IS NOT 1" if negated else condition), [*bound, *more]


def _comparison(name: str, kind: str, column: str, operator: str, value: Tree[Token]) -> tuple[str, list[Any]]:
    if value.data == "null":
        if operator != ":":
            raise refuse(f"The `{operator}` operator can't be used with null on field `{name}`.", param="query")
        return f"{column} IS NULL", []
    text = _unquoted(value.children[0]) if value.data == "text" else str(value.children[0])
    if kind == "numeric":
        if operator == "~":
            raise refuse(f"The `~` operator is not supported on numeric field `{name}`.", param="query")
        if not re.fullmatch(r"-?\d{1,18}", text):
            raise refuse(f"Invalid value for numeric field `{name}`: `{text}`.", param="query")
        return f"{column} {'=' if operator == ':' else operator} ?", [int(text)]
    if operator in (">", "<", ">=", "<="):
        raise refuse(
            f"The `{operator}` operator is only supported on numeric fields, and `{name}` is not one.", param="query"
        )
    if operator == "~":
        if kind == "token":
            raise refuse(f"Field `{name}` can only be matched exactly, not with the `~` operator.", param="query")
        if len(text) < 3:
            raise refuse("Substring search requires at least 3 characters.", param="query")
        escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return f"{column} LIKE ? ESCAPE '\\'", [f"%{escaped}%"]
    return f"lower({column}) = lower(?)", [text]


def _unquoted(token: Any) -> str:
    return re.sub(r"\\(.)", r"\1", str(token)[1:-1])


def _json_path(key: str) -> str:
    if '"' in key:
        raise refuse("Metadata keys in search queries can't contain double quotes.", param="query")
    return f'$."{key}"'
