"""Stripe's refusals. https://docs.stripe.com/api/errors and https://docs.stripe.com/error-codes"""

import re
from collections.abc import Sequence
from typing import Any

from legoenv_mcp.app import BASE62, ApiError, Ctx, Problem, draw

# How a missing object of a table is called in "No such ...", and the parameter blamed for it when its id was in the path.
NAMES: dict[str, tuple[str, str]] = {
    "Customer": ("customer", "id"), "CustomerBalanceTransaction": ("customer_balance_transaction", "id"), "Product": ("product", "id"),
    "Price": ("price", "price"), "PaymentMethod": ("PaymentMethod", "payment_method"), "PaymentIntent": ("payment_intent", "intent"),
    "Charge": ("charge", "id"), "Refund": ("refund", "id"), "Dispute": ("dispute", "dispute"), "Payout": ("payout", "payout"),
    "BalanceTransaction": ("balance transaction", "id"), "SetupIntent": ("setupintent", "intent"), "Event": ("event", "id"),
    "Coupon": ("coupon", "coupon"), "PromotionCode": ("promotion code", "promotion_code"), "Discount": ("discount", "discount"),
    "TaxRate": ("tax rate", "tax_rate"), "Subscription": ("subscription", "id"), "SubscriptionItem": ("subscription_item", "item"),
    "Invoice": ("invoice", "invoice"), "InvoiceItem": ("invoiceitem", "id"), "LineItem": ("line item", "line_item_id"),
    "InvoicePayment": ("invoice_payment", "invoice_payment"), "CreditNote": ("credit note", "id"),
    "CheckoutSession": ("checkout.session", "session"), "PaymentLink": ("payment link", "payment_link"),
}  # fmt: skip

DOCS = "https://stripe.com/docs/error-codes/"


def refuse(
    message: str, *, code: str | None = None, param: str | None = None, status: int = 400, **more: Any
) -> ApiError:
    """An invalid_request_error, or whatever `type` says."""
    return ApiError(status, message, **{"type": "invalid_request_error", "code": code, "param": param, **more})


def no_such(kind: str, key: object, *, param: str | None = None, status: int = 404) -> ApiError:
    name, in_path = NAMES.get(kind, (kind.lower(), "id"))
    return refuse(f"No such {name}: '{key}'", code="resource_missing", param=param or in_path, status=status)


def not_found(kind: str, key: Any) -> ApiError:
    return no_such(kind, key)


def no_route(method: str, path: str) -> ApiError:
    tail = "Please see https://stripe.com/docs or we can help at https://support.stripe.com/."
    return refuse(f"Unrecognized request URL ({method}: {path}). {tail}", status=404)


def unauthorized() -> ApiError:
    return refuse(
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. "
        "'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we can help at "
        "https://support.stripe.com/.",
        status=401,
        headers={"WWW-Authenticate": 'Bearer realm="Stripe"'},
    )


def malformed(reason: str) -> ApiError:
    return refuse(f"Invalid request body: {reason}.")


def too_large(limit: int) -> ApiError:
    return refuse(f"Request body exceeds the limit of {limit} bytes.", status=413)


def request_id(*parts: object) -> str:
    """A request's id, from what was asked: reads may draw no ids."""
    number, out = int.from_bytes(draw("request", *parts)), ""
    for _ in range(14):
        number, digit = divmod(number, 62)
        out += BASE62[digit]
    return f"req_{out}"


def this_request(ctx: Ctx) -> str | None:
    """The id of the request that is being answered."""
    if ctx.operation is None:
        return None
    return request_id(
        ctx.operation.tool, ctx.timestamp(), ctx.args.model_dump_json(exclude_unset=True) if ctx.args else ""
    )


def envelope(error: ApiError) -> dict[str, Any]:
    """The error object, with `request_log_url` for the request that the headers name."""
    request = error.headers.setdefault("Request-Id", request_id(error.status, error.message, error.param))
    kind = error.type or ("api_error" if error.status >= 500 else "invalid_request_error")
    body: dict[str, Any] = {
        "message": error.message,
        "type": kind,
        "request_log_url": f"https://dashboard.stripe.com/test/logs/{request}",
    }
    if error.code:
        body |= {"code": error.code, "doc_url": DOCS + error.code.replace("_", "-")}
    for name in ("param", "decline_code", "advice_code", "charge", "payment_intent", "payment_method", "setup_intent"):
        if (value := getattr(error, name)) is not None:
            body[name] = value
    return {"error": dict(sorted(body.items()))}


def invalid(problems: list[Problem]) -> ApiError:
    """Bad arguments: unknown parameters are complained about before missing ones, those before bad values."""
    unknown = [bracketed(p.path) for p in problems if p.kind == "unknown"]
    if unknown:
        word = "parameter" if len(unknown) == 1 else "parameters"
        return refuse(f"Received unknown {word}: {', '.join(unknown)}", code="parameter_unknown", param=unknown[0])
    first = next((p for p in problems if p.kind == "missing"), problems[0])
    name = bracketed(first.path)
    if first.kind == "missing":
        return refuse(f"Missing required param: {name}.", code="parameter_missing", param=name)
    if first.value == "":
        return empty(name)
    return _bad_value(first, name, problems)


def empty(name: str) -> ApiError:
    """An empty string for what cannot be unset."""
    return refuse(
        f"You passed an empty string for '{name}'. We assume empty values are an attempt to unset a parameter; however '{name}' "
        f"cannot be unset. You should remove '{name}' from your request or supply a non-empty value.",
        code="parameter_invalid_empty",
        param=name,
    )


def _bad_value(problem: Problem, name: str, problems: Sequence[Problem]) -> ApiError:
    context = problem.context or {}
    if problem.kind == "enum":
        last = re.sub(r".*\[(\w+)\]$", r"\1", name)
        return refuse(f"Invalid {last}: must be one of {_choices(str(context.get('expected', '')))}", param=name)
    if problem.kind == "range":
        for bound, words in (
            ("ge", "greater than or equal to"),
            ("le", "less than or equal to"),
            ("gt", "greater than"),
        ):
            if bound in context:
                return refuse(
                    f"This value must be {words} {context[bound]:.15g}.", code="parameter_invalid_integer", param=name
                )
        return refuse(f"Invalid integer: {problem.value}", code="parameter_invalid_integer", param=name)
    if problem.kind == "length":
        return _bad_length(problem, name, context)
    if problem.kind == "format":
        return refuse(f"Invalid {name}: {_short(problem.value)}", param=name)
    if problem.kind == "null":
        return refuse(f"Invalid value for {name}: null", param=name)
    words = {p.message for p in problems if p.path == problem.path}
    if isinstance(problem.value, (dict, list)) and any("string" in message for message in words):
        return refuse(f"Invalid string: {_short(problem.value)}", param=name)
    for part, kind in (("integer", "integer"), ("boolean", "boolean"), ("number", "decimal"), ("list", "array")):
        if any(part in message for message in words):
            code = "parameter_invalid_integer" if kind == "integer" else None
            return refuse(
                "Invalid array" if kind == "array" else f"Invalid {kind}: {_short(problem.value)}",
                code=code,
                param=name,
            )
    if any("dictionary" in m or "instance of" in m for m in words):
        return refuse("Invalid object", param=name)
    return refuse(f"Invalid string: {_short(problem.value)}", param=name)


def _bad_length(problem: Problem, name: str, context: Any) -> ApiError:
    if isinstance(problem.value, str):
        return refuse(
            f"Invalid string: {_short(problem.value)}; must be at most {context.get('max_length')} characters",
            param=name,
        )
    if "max_length" in context:
        return refuse(f"Array must contain at most {context['max_length']} elements.", param=name)
    return refuse(
        f"Invalid array: must contain at least {context.get('min_length', 1)} element.",
        code="parameter_invalid_empty",
        param=name,
    )


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 30 else f"{text[:10]}...{text[-10:]}"


def _choices(expected: str) -> str:
    words = [w for w in re.findall(r"'([^']*)'", expected) if w]
    return " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])}, or {words[-1]}"


def bracketed(path: tuple[str | int, ...]) -> str:
    """A parameter's place as forms spell it: `items[0][price]`."""
    return str(path[0]) + "".join(f"[{part}]" for part in path[1:])
