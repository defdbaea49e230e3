"""Stripe's answers: errors, request ids, idempotent replays and expansion. https://docs.stripe.com/api"""

from collections.abc import Callable, Mapping
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Reply, draw

from . import errors, render_billing  # noqa: F401 - registers its renderers
from .expand import expanded
from .models import IdempotencyKey, Table
from .render_payments import API_VERSION


def around(ctx: Ctx, call: Callable[[], Any]) -> Reply:
    """What Stripe does to every request. https://docs.stripe.com/api/idempotent_requests"""
    arguments = ctx.args.model_dump_json(exclude_unset=True) if ctx.args else ""
    operation = ctx.operation
    assert operation is not None
    request = errors.this_request(ctx) or ""
    headers = {"Request-Id": request, "Stripe-Version": ctx.request.headers.get("stripe-version", API_VERSION)}
    key = ctx.request.headers.get("idempotency-key") if ctx.request.method == "POST" and not operation.reads else None
    fingerprint = f"{ctx.request.path} {draw(operation.tool, arguments).hex()}"
    try:
        if key and (saved := _saved(ctx, key, fingerprint)):
            again = {"Idempotency-Key": key, "Idempotent-Replayed": "true", "Original-Request": saved.request}
            return Reply(saved.body, saved.status, {**headers, **again}, saved.status >= 400)
        _refuse_empty(ctx)
        result = call()
        reply = result if isinstance(result, Reply) else Reply(expanded(ctx, result))
    except ApiError as error:
        error.headers |= headers
        raise
    reply.headers = {**headers, **reply.headers}
    if key:
        # A refused request leaves no key, as one that never began to execute leaves none; a declined card does.
        ctx.db.add(
            IdempotencyKey(key=key, fingerprint=fingerprint, request=request, status=reply.status, body=reply.body)
        )
        reply.headers["Idempotency-Key"] = key
    if not ctx.request.method:
        reply.body = compact(reply.body)
    return reply


# Parameters of writes that name something or say how much: an empty string cannot unset them.
_NAMING = frozenset({
    "amount", "charge", "code", "coupon", "currency", "customer", "id", "invoice", "payment_intent", "payment_method", "price", "product",
    "promotion_code", "subscription", "success_url", "display_name",
})  # fmt: skip


def _refuse_empty(ctx: Ctx) -> None:
    """An empty string means "unset"; what cannot be unset refuses it, and so do all parameters of reads."""
    operation = ctx.operation
    assert operation is not None
    for name, value in ctx.sent().items():
        if value == "" and isinstance(value, str) and (operation.reads or name in _NAMING):
            raise errors.empty(operation.params[name].wire)


def _saved(ctx: Ctx, key: str, fingerprint: str) -> IdempotencyKey | None:
    if len(key) > 255:
        raise errors.refuse("Idempotency keys can be at most 255 characters long.", type="idempotency_error")
    saved = ctx.db.get(IdempotencyKey, key)
    path, where = ctx.request.path, saved.fingerprint.rpartition(" ")[0] if saved else ""
    if saved is not None and where != path:
        raise errors.refuse(
            f"Keys for idempotent requests can only be used for the same endpoint they were first used for ('{path}' vs '{where}'). Try "
            f"using a key other than '{key}' if you meant to execute a different request.",
            type="idempotency_error",
        )
    if saved is not None and saved.fingerprint != fingerprint:
        raise errors.refuse(
            "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other "
            f"than '{key}' if you meant to execute a different request.",
            type="idempotency_error",
        )
    return saved


def compact(body: Any) -> Any:
    """An answer for a model's context: what is null, empty or the same in every object is left out. REST has it all."""
    if isinstance(body, Mapping):
        return {
            name: compact(value)
            for name, value in body.items()
            if name not in _NOISE and value is not None and (name in _KEPT or value not in ({}, []))
        }
    return [compact(value) for value in body] if isinstance(body, list) else body


_KEPT = frozenset({"data", "items", "error"})
_NOISE = frozenset({
    "livemode", "automatic_tax", "issuer", "payment_settings", "plan", "amount_details", "payment_method_options", "custom_text",
    "webhooks_delivered_at", "billing_mode", "destination_details", "enhanced_evidence", "proration_details", "amount_shipping",
    "amount_overpaid", "subtotal_excluding_tax", "total_excluding_tax", "regulated_status", "checks",
})  # fmt: skip


app = App(
    "stripe", Table, envelope=errors.envelope, invalid=errors.invalid, not_found=errors.not_found, no_route=errors.no_route,
    malformed=errors.malformed, unauthorized=errors.unauthorized, too_large=errors.too_large, around=around, arrays="bracket",
)  # fmt: skip
