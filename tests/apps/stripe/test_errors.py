"""Stripe: errors; idempotency."""

from typing import Any

import pytest

from tests.apps.stripe.support import Stripe


@pytest.mark.parametrize(
    ("method", "path", "params", "status", "code", "param", "message"),
    [
        ("GET", "/v1/customers/cus_nope", {}, 404, "resource_missing", "id", "No such customer: 'cus_nope'"),
        (
            "GET",
            "/v1/payment_intents/pi_nope",
            {},
            404,
            "resource_missing",
            "intent",
            "No such payment_intent: 'pi_nope'",
        ),
        ("GET", "/v1/setup_intents/seti_no", {}, 404, "resource_missing", "intent", "No such setupintent: 'seti_no'"),
        (
            "POST",
            "/v1/payment_intents",
            {"amount": 100, "currency": "usd", "customer": "cus_nope"},
            400,
            "resource_missing",
            "customer",
            "No such customer: 'cus_nope'",
        ),
        (
            "GET",
            "/v1/nothing",
            {},
            404,
            None,
            None,
            "Unrecognized request URL (GET: /v1/nothing). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.",
        ),
        (
            "POST",
            "/v1/payment_intents",
            {"currency": "usd"},
            400,
            "parameter_missing",
            "amount",
            "Missing required param: amount.",
        ),
        (
            "POST",
            "/v1/payment_intents",
            {"amount": "ten", "currency": "usd"},
            400,
            "parameter_invalid_integer",
            "amount",
            "Invalid integer: ten",
        ),
        (
            "POST",
            "/v1/payment_intents",
            {"amount": 0, "currency": "usd"},
            400,
            "parameter_invalid_integer",
            "amount",
            "This value must be greater than or equal to 1.",
        ),
        (
            "POST",
            "/v1/payment_intents",
            {"amount": 49, "currency": "usd"},
            400,
            "amount_too_small",
            "amount",
            "Amount must be at least $0.50 usd",
        ),
        (
            "POST",
            "/v1/payment_intents",
            {"amount": 100_000_000, "currency": "usd"},
            400,
            "amount_too_large",
            "amount",
            "Amount must be no more than $999,999.99 usd",
        ),
        (
            "GET",
            "/v1/charges",
            {"limit": 101},
            400,
            "parameter_invalid_integer",
            "limit",
            "This value must be less than or equal to 100.",
        ),
        (
            "GET",
            "/v1/invoices",
            {"status": "lost"},
            400,
            None,
            "status",
            "Invalid status: must be one of draft, open, void, paid, or uncollectible",
        ),
        (
            "POST",
            "/v1/customers",
            {"address": {"planet": "Mars"}},
            400,
            "parameter_unknown",
            "address[planet]",
            "Received unknown parameter: address[planet]",
        ),
        ("POST", "/v1/customers", {"balance": ""}, 400, "parameter_invalid_empty", "balance", None),
        ("POST", "/v1/customers", {"metadata": "x"}, 400, None, "metadata", "Invalid object"),
        ("POST", "/v1/subscriptions", {"customer": "c", "items": "x"}, 400, None, "items", "Invalid array"),
        (
            "POST",
            "/v1/refunds",
            {},
            400,
            None,
            None,
            "One of the following params should be provided for this request: payment_intent or charge.",
        ),
        (
            "GET",
            "/v1/customers",
            {"expand": ["customer"]},
            400,
            None,
            "expand",
            "This property cannot be expanded (customer). You may want to try expanding 'data.customer' instead.",
        ),
        (
            "GET",
            "/v1/charges",
            {"expand": ["data.a.b.c.d.e"]},
            400,
            None,
            "expand",
            "You cannot expand more than 4 levels of a property. Property: data.a.b.c.d.e",
        ),
        (
            "GET",
            "/v1/charges",
            {"expand": ["data.amount"]},
            400,
            None,
            "expand",
            "This property cannot be expanded (data.amount).",
        ),
    ],
)
def test_errors_are_stripes(
    api: Stripe,
    method: str,
    path: str,
    params: dict[str, Any],
    status: int,
    code: str | None,
    param: str | None,
    message: str | None,
) -> None:
    error = api.refused(method, path, **params)
    assert (error["status"], error["type"], error.get("code"), error.get("param")) == (
        status,
        "invalid_request_error",
        code,
        param,
    )
    assert message is None or error["message"] == message
    assert error.get("doc_url") == (code and f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}")
    assert "req_" in error["request_log_url"]


def test_every_answer_names_its_request_and_version(api: Stripe) -> None:
    good = api.reply("GET", "/v1/balance", {"stripe-version": "2025-03-31.basil"})
    assert good.headers["Stripe-Version"] == "2025-03-31.basil"
    assert good.headers["Request-Id"].startswith("req_")
    bad = api.reply("GET", "/v1/customers/cus_nope")
    assert bad.headers["Request-Id"] in bad.body["error"]["request_log_url"]


def test_metadata_merges_unsets_and_is_limited(api: Stripe, harbor: str) -> None:
    path = f"/v1/customers/{harbor}"
    assert api.post(path, metadata={"a": "1", "b": "2"})["metadata"] == {"company": "harbor-co", "a": "1", "b": "2"}
    assert api.post(path, metadata={"a": "", "c": "3"})["metadata"] == {"company": "harbor-co", "b": "2", "c": "3"}
    assert api.post(path, metadata="")["metadata"] == {}
    assert "40 characters" in api.refused("POST", path, metadata={"k" * 41: "x"})["message"]
    assert "500 characters" in api.refused("POST", path, metadata={"k": "x" * 501})["message"]
    assert "50 metadata keys" in api.refused("POST", path, metadata={f"k{i}": "x" for i in range(51)})["message"]


def test_an_empty_string_unsets(api: Stripe, harbor: str) -> None:
    api.post(f"/v1/customers/{harbor}", description="Old", address={"city": "Chicago"})
    shown = api.post(f"/v1/customers/{harbor}", description="", address="")
    assert (shown["description"], shown["address"], shown["name"]) == (None, None, "Harbor")


def test_the_same_key_replays_and_other_parameters_are_refused(api: Stripe) -> None:
    key = {"idempotency-key": "k1"}
    first = api.reply("POST", "/v1/customers", key, email="a@a.example")
    again = api.reply("POST", "/v1/customers", key, email="a@a.example")
    assert first.body == again.body
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Original-Request"] == first.headers["Request-Id"]
    assert len([c for c in api.episode.changes() if c.table == "customer"]) == 1
    other = api.reply("POST", "/v1/customers", key, email="b@a.example")
    assert (other.status, other.body["error"]["type"]) == (400, "idempotency_error")
    elsewhere = api.reply("POST", "/v1/products", key, name="x")
    assert elsewhere.body["error"]["type"] == "idempotency_error"


def test_a_declined_charge_is_replayed_too_and_charged_once(api: Stripe) -> None:
    ask = {"amount": 500, "currency": "usd", "payment_method": "pm_card_chargeDeclined", "confirm": True}
    first = api.reply("POST", "/v1/payment_intents", {"idempotency-key": "k"}, **ask)
    again = api.reply("POST", "/v1/payment_intents", {"idempotency-key": "k"}, **ask)
    assert (first.status, again.status, again.body) == (402, 402, first.body)
    assert len([c for c in api.episode.changes() if c.table == "charge"]) == 1


def test_a_refused_call_leaves_its_key_free(api: Stripe) -> None:
    assert api.reply("POST", "/v1/products", {"idempotency-key": "k"}, nam="x").status == 400
    assert api.reply("POST", "/v1/products", {"idempotency-key": "k"}, name="x").status == 200
