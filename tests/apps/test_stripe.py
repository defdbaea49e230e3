"""The Stripe app through its public faces: rules, state machines, search, pages, money that adds up, and the payments capability."""

from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.capabilities import Entity, Plan, payments
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

WORLD: list[Entity] = [
    payments.Customer(
        key="harbor",
        name="Harbor",
        email="ap@harbor.example",
        company="harbor-co",
        phone="+1 312 555 0100",
        created="2025-03-30T08:38:09Z",
    ),
    payments.Customer(
        key="nord",
        name="Nord",
        email="nord@nord.example",
        currency="eur",
        description="Pays late",
        created="2025-04-30T08:38:09Z",
    ),
    payments.Product(key="seats", name="Seats", description="Per seat.", created="2025-01-16T10:25:22Z"),
    payments.Product(key="old", name="Old", active=False, created="2024-01-16T10:25:22Z"),
    payments.Price(
        key="monthly",
        product="seats",
        nickname="Monthly",
        amount=1000,
        interval="month",
        created="2025-01-16T11:00:00Z",
    ),
    payments.Price(key="yearly", product="seats", amount=10000, interval="year", created="2025-01-16T11:00:01Z"),
    payments.Price(key="setup", product="seats", amount=5000, active=False, created="2025-01-16T11:00:02Z"),
    payments.Subscription(key="sub", customer="harbor", price="monthly", quantity=3, started="2025-12-05T09:00:00Z"),
    payments.Subscription(
        key="gone",
        customer="harbor",
        price="yearly",
        status="canceled",
        started="2024-12-05T09:00:00Z",
        canceled="2025-12-05T09:00:00Z",
    ),
    payments.Subscription(
        key="trial", customer="nord", price="yearly", status="trialing", started="2026-02-20T09:00:00Z"
    ),
    payments.Invoice(
        key="paid",
        customer="harbor",
        number="H-1",
        status="paid",
        subscription="sub",
        issued="2026-02-05",
        due="2026-03-07",
        paid="2026-02-06",
        lines=(payments.Line(description="Seats", quantity=3, amount=3000, price="monthly"),),
    ),
    payments.Invoice(
        key="open",
        customer="nord",
        number="N-1",
        currency="eur",
        memo="PO 7",
        issued="2026-02-10",
        due="2026-03-12",
        lines=(
            payments.Line(description="Setup", amount=5000),
            payments.Line(description="Visit", quantity=2, amount=3000),
        ),
    ),
    payments.Invoice(
        key="draft",
        customer="harbor",
        status="draft",
        issued="2026-02-28",
        lines=(payments.Line(description="Work", amount=700),),
    ),
    payments.Invoice(
        key="void",
        customer="harbor",
        number="H-0",
        status="void",
        issued="2026-01-05",
        lines=(payments.Line(description="x", amount=1),),
    ),
    payments.Payment(
        key="p1",
        customer="harbor",
        amount=3000,
        invoice="paid",
        description="Invoice H-1",
        created="2026-02-06T10:00:00Z",
    ),
    payments.Payment(
        key="p2",
        customer="nord",
        amount=8000,
        currency="eur",
        status="failed",
        invoice="open",
        failure="expired_card",
        card_brand="mastercard",
        card_last4="8846",
        created="2026-02-11T10:00:00Z",
    ),
    payments.Payment(
        key="p3",
        customer="harbor",
        amount=20000,
        description="Consulting",
        refunded=4000,
        created="2026-02-12T10:00:00Z",
    ),
    payments.Payment(key="p4", customer="harbor", amount=900, disputed=True, created="2026-02-13T10:00:00Z"),
    payments.Payment(
        key="p5",
        customer="harbor",
        amount=7000,
        status="pending",
        description="Bank debit",
        created="2026-02-26T10:00:00Z",
    ),
]


class Stripe:
    """The REST face of one episode, with forms as Stripe's clients send them."""

    def __init__(self, entities: list[Entity] | None = None) -> None:
        self.episode: Episode = episode_of("stripe", WORLD if entities is None else entities)
        self.live = self.episode.app("stripe")

    def reply(self, method: str, path: str, headers: dict[str, str] | None = None, **params: Any) -> Reply:
        form = urlencode(list(_pairs(params)))
        query, body = ("?" + form if form else "", b"") if method != "POST" else ("", form.encode())
        sent = {"content-type": "application/x-www-form-urlencoded"} if body else {}
        return handle(self.live, Request(method, path, path + query, {}, {**sent, **(headers or {})}), body)

    def __call__(self, method: str, path: str, **params: Any) -> dict[str, Any]:
        reply = self.reply(method, path, **params)
        assert reply.status == 200, reply.body
        return reply.body

    def get(self, path: str, **params: Any) -> dict[str, Any]:
        return self("GET", path, **params)

    def post(self, path: str, **params: Any) -> dict[str, Any]:
        return self("POST", path, **params)

    def refused(self, method: str, path: str, **params: Any) -> dict[str, Any]:
        """The error of a call that is refused and leaves nothing behind."""
        before = [c.as_json() for c in self.episode.changes()]
        reply = self.reply(method, path, **params)
        assert 400 <= reply.status < 500, reply.body
        assert [c.as_json() for c in self.episode.changes()] == before
        return {"status": reply.status, **reply.body["error"]}

    def ref(self, kind: str, key: str) -> str:
        return self.live.refs(f"payments.{kind}")[key]

    def card(self, customer: str, name: str = "pm_card_visa") -> str:
        """A new card of the customer's, which invoices are charged to."""
        key = self.post(f"/v1/payment_methods/{name}/attach", customer=customer)["id"]
        self.post(f"/v1/customers/{customer}", invoice_settings={"default_payment_method": key})
        return key

    def balance(self) -> dict[str, int]:
        shown = self.get("/v1/balance")
        out = dict[str, int]()
        for part in ("available", "pending"):
            for entry in shown[part]:
                out[entry["currency"]] = out.get(entry["currency"], 0) + entry["amount"]
        return out


def _pairs(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _pairs(inner, f"{name}[{key}]" if name else str(key).rstrip("_"))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _pairs(inner, f"{name}[{i}]")
    else:
        yield name, {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value


@pytest.fixture
def api() -> Stripe:
    return Stripe()


@pytest.fixture
def harbor(api: Stripe) -> str:
    return api.ref("Customer", "harbor")


# Errors


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


# Idempotency


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


# Payment intents


def intent(api: Stripe, **more: Any) -> dict[str, Any]:
    return api.post("/v1/payment_intents", **{"amount": 2000, "currency": "usd", **more})


def test_a_payment_intent_runs_through_its_states(api: Stripe) -> None:
    made = intent(api)
    assert (made["status"], made["capture_method"]) == ("requires_payment_method", "automatic_async")
    assert made["client_secret"].startswith(made["id"] + "_secret_")
    path = f"/v1/payment_intents/{made['id']}"
    error = api.refused("POST", path + "/confirm")
    assert (error["code"], error["payment_intent"]["id"]) == ("payment_intent_unexpected_state", made["id"])
    assert api.post(path, payment_method="pm_card_visa")["status"] == "requires_confirmation"
    done = api.post(path + "/confirm")
    assert (done["status"], done["amount_received"]) == ("succeeded", 2000)
    for leaf, words in (
        ("/confirm", "already succeeded"),
        ("/capture", "already been captured"),
        ("/cancel", "has a status of succeeded"),
    ):
        error = api.refused("POST", path + leaf)
        assert error["code"] == "payment_intent_unexpected_state"
        assert words in error["message"]
    error = api.refused("POST", path, amount=900)
    assert "amount could not be updated" in error["message"]
    assert api.post(path, description="still fine")["description"] == "still fine"


def test_a_manual_capture_holds_then_takes_a_part(api: Stripe) -> None:
    before = api.balance()
    made = intent(api, capture_method="manual", payment_method="pm_card_visa", confirm=True)
    path = f"/v1/payment_intents/{made['id']}"
    assert (made["status"], made["amount_capturable"], api.balance()) == ("requires_capture", 2000, before)
    charge = api.get(f"/v1/charges/{made['latest_charge']}")
    assert (charge["captured"], charge["paid"], charge["balance_transaction"]) == (False, True, None)
    assert "must cancel the PaymentIntent" in api.refused("POST", "/v1/refunds", charge=charge["id"])["message"]
    assert api.refused("POST", path + "/capture", amount_to_capture=2001)["code"] == "amount_too_large"
    taken = api.post(path + "/capture", amount_to_capture=1500)
    assert (taken["status"], taken["amount_received"], taken["amount_capturable"]) == ("succeeded", 1500, 0)
    assert api.balance()["usd"] - before["usd"] == 1500 - 74
    assert api.refused("POST", "/v1/refunds", charge=charge["id"], amount=1501)["param"] == "amount"


def test_canceling_releases_what_was_held(api: Stripe) -> None:
    made = intent(api, capture_method="manual", payment_method="pm_card_visa", confirm=True)
    before = api.balance()
    gone = api.post(f"/v1/payment_intents/{made['id']}/cancel", cancellation_reason="abandoned")
    assert (gone["status"], gone["cancellation_reason"], gone["canceled_at"] is not None) == (
        "canceled",
        "abandoned",
        True,
    )
    charge = api.get(f"/v1/charges/{made['latest_charge']}")
    assert (charge["refunded"], charge["captured"], api.balance()) == (True, False, before)
    assert "status of canceled" in api.refused("POST", f"/v1/payment_intents/{made['id']}/cancel")["message"]
    assert (
        api.refused("POST", f"/v1/payment_intents/{made['id']}/confirm", payment_method="pm_card_visa")["code"]
        == "payment_intent_unexpected_state"
    )


@pytest.mark.parametrize(
    ("card", "code", "decline"),
    [
        ("pm_card_visa_chargeDeclined", "card_declined", "generic_decline"),
        ("pm_card_chargeCustomerFail", "card_declined", "generic_decline"),
        ("pm_card_visa_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
        ("pm_card_visa_chargeDeclinedLostCard", "card_declined", "lost_card"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card", "expired_card"),
        ("pm_card_chargeDeclinedIncorrectCvc", "incorrect_cvc", "incorrect_cvc"),
        ("pm_card_chargeDeclinedProcessingError", "processing_error", "processing_error"),
    ],
)
def test_a_decline_is_a_402_that_leaves_the_failed_charge(api: Stripe, card: str, code: str, decline: str) -> None:
    before = api.balance()
    made = intent(api, payment_method=card)
    reply = api.reply("POST", f"/v1/payment_intents/{made['id']}/confirm")
    error = reply.body["error"]
    assert (reply.status, error["type"], error["code"], error["decline_code"]) == (402, "card_error", code, decline)
    assert error["payment_intent"]["status"] == "requires_payment_method"
    charge = api.get(f"/v1/charges/{error['charge']}")
    assert (charge["status"], charge["failure_code"], charge["outcome"]["reason"]) == ("failed", code, decline)
    assert api.balance() == before
    assert (
        "does not have a successful charge" in api.refused("POST", "/v1/refunds", payment_intent=made["id"])["message"]
    )
    assert api.post(f"/v1/payment_intents/{made['id']}/confirm", payment_method="pm_card_visa")["status"] == "succeeded"


def test_three_d_secure_waits_for_the_customer(api: Stripe, harbor: str) -> None:
    made = intent(api, payment_method="pm_card_threeDSecure2Required", confirm=True, return_url="https://example.com")
    assert (made["status"], made["next_action"]["type"]) == ("requires_action", "redirect_to_url")
    away = api.reply(
        "POST",
        "/v1/payment_intents",
        amount=500,
        currency="usd",
        confirm=True,
        off_session=True,
        payment_method="pm_card_authenticationRequired",
    )
    assert away.body["error"]["code"] == "authentication_required"
    assert api.post(f"/v1/payment_intents/{made['id']}/cancel")["status"] == "canceled"


def test_payment_methods_belong_to_their_customer(api: Stripe, harbor: str) -> None:
    nord, card = api.ref("Customer", "nord"), api.card(harbor)
    wrong = api.refused("POST", "/v1/payment_intents", amount=500, currency="usd", customer=nord, payment_method=card)
    assert "does not belong to the Customer you supplied" in wrong["message"]
    assert (
        "Please include the Customer"
        in api.refused("POST", "/v1/payment_intents", amount=500, currency="usd", payment_method=card)["message"]
    )
    once = intent(api, payment_method="pm_card_visa", confirm=True)["payment_method"]
    assert (
        "may not be used again"
        in api.refused("POST", "/v1/payment_intents", amount=500, currency="usd", payment_method=once, confirm=True)[
            "message"
        ]
    )
    api.post(f"/v1/payment_methods/{card}/detach")
    assert api.get(f"/v1/customers/{harbor}")["invoice_settings"]["default_payment_method"] is None
    assert "not attached to a customer" in api.refused("POST", f"/v1/payment_methods/{card}/detach")["message"]
    assert (
        "may not be used again" in api.refused("POST", f"/v1/payment_methods/{card}/attach", customer=harbor)["message"]
    )
    assert api.refused("POST", "/v1/payment_methods/pm_card_chargeDeclined/attach", customer=harbor)["status"] == 402
    assert api.refused("POST", "/v1/payment_methods/pm_card_nonsense/attach", customer=harbor)["status"] == 404


def test_zero_decimal_amounts_have_no_cents(api: Stripe) -> None:
    made = intent(api, amount=5000, currency="JPY", payment_method="pm_card_visa", confirm=True)
    assert made["currency"] == "jpy"
    error = api.refused("POST", "/v1/refunds", payment_intent=made["id"], amount=5001)
    assert error["message"] == "Refund amount (¥5,001) is greater than unrefunded amount on charge (¥5,000)"
    assert "Invalid currency: xyz" in api.refused("POST", "/v1/payment_intents", amount=500, currency="xyz")["message"]


# Refunds, disputes, the balance


def test_refunds_never_exceed_the_charge(api: Stripe) -> None:
    charge = api.ref("Payment", "p3")
    error = api.refused("POST", "/v1/refunds", charge=charge, amount=16001)
    assert error["message"] == "Refund amount ($160.01) is greater than unrefunded amount on charge ($160.00)"
    rest = api.post("/v1/refunds", charge=charge, metadata={"ticket": "7"})
    assert (rest["amount"], rest["metadata"]) == (16000, {"ticket": "7"})
    assert api.get(f"/v1/charges/{charge}")["refunded"] is True
    error = api.refused("POST", "/v1/refunds", charge=charge)
    assert (error["code"], error["message"]) == (
        "charge_already_refunded",
        f"Charge {charge} has already been refunded.",
    )
    assert api.refused("POST", f"/v1/refunds/{rest['id']}/cancel")["message"] == "Canceling this refund is unsupported."
    assert api.get("/v1/refunds", charge=charge)["data"][0]["id"] == rest["id"]
    moved = api.get("/v1/balance_transactions", source=rest["id"])["data"][0]
    assert (moved["amount"], moved["fee"], moved["type"]) == (-16000, 0, "refund")


def test_a_disputed_charge_is_not_refunded_until_the_dispute_is_won(api: Stripe) -> None:
    charge = api.ref("Payment", "p4")
    assert api.refused("POST", "/v1/refunds", charge=charge)["code"] == "charge_disputed"
    found = api.get("/v1/disputes", charge=charge)["data"][0]
    assert (found["status"], found["amount"], found["balance_transactions"][0]["net"]) == ("needs_response", 900, -2400)
    path = f"/v1/disputes/{found['id']}"
    staged = api.post(path, evidence={"product_description": "Seats"}, submit=False)
    assert (staged["status"], staged["evidence"]["product_description"]) == ("needs_response", "Seats")
    before = api.balance()["usd"]
    won = api.post(path, evidence={"uncategorized_text": "winning_evidence"})
    assert (won["status"], won["evidence_details"]["submission_count"]) == ("won", 1)
    assert won["evidence"]["product_description"] == "Seats"
    assert api.balance()["usd"] == before + 900
    assert (
        api.refused("POST", path, evidence={"uncategorized_text": "more"})["message"]
        == "This dispute is already closed"
    )
    assert api.refused("POST", path + "/close")["message"] == "This dispute is already closed"
    assert api.post("/v1/refunds", charge=charge)["amount"] == 900


def test_disputes_move_through_their_states(api: Stripe) -> None:
    def disputed(card: str) -> dict[str, Any]:
        made = intent(api, payment_method=card, confirm=True)
        return api.get("/v1/disputes", payment_intent=made["id"])["data"][0]

    plain = disputed("pm_card_createDispute")
    assert api.post(f"/v1/disputes/{plain['id']}", evidence={"receipt": "r"})["status"] == "under_review"
    assert api.post(f"/v1/disputes/{plain['id']}/close")["status"] == "lost"
    lost = disputed("pm_card_createDispute")
    assert (
        api.post(f"/v1/disputes/{lost['id']}", evidence={"uncategorized_text": "losing_evidence"})["status"] == "lost"
    )
    before = api.balance()["usd"]
    asked = disputed("pm_card_createDisputeInquiry")
    assert (asked["status"], asked["is_charge_refundable"], asked["balance_transactions"]) == (
        "warning_needs_response",
        True,
        [],
    )
    escalated = api.post(f"/v1/disputes/{asked['id']}", evidence={"uncategorized_text": "escalate_inquiry_evidence"})
    assert (escalated["status"], escalated["is_charge_refundable"]) == ("needs_response", False)
    assert api.balance()["usd"] == before + 2000 - 88 - 2000 - 1500


def test_payouts_take_what_is_available_only(api: Stripe) -> None:
    shown = {e["currency"]: e["amount"] for e in api.get("/v1/balance")["available"]}
    intent(api, amount=90000, payment_method="pm_card_visa", confirm=True)
    assert {e["currency"]: e["amount"] for e in api.get("/v1/balance")["available"]} == shown
    error = api.refused("POST", "/v1/payouts", amount=shown["usd"] + 1, currency="usd")
    assert error["code"] == "balance_insufficient"
    paid = api.post("/v1/payouts", amount=shown["usd"], currency="usd")
    assert (paid["status"], paid["arrival_date"] > paid["created"]) == ("pending", True)
    assert {e["currency"]: e["amount"] for e in api.get("/v1/balance")["available"]}["usd"] == 0
    assert api.post(f"/v1/payouts/{paid['id']}/cancel")["status"] == "canceled"
    assert {e["currency"]: e["amount"] for e in api.get("/v1/balance")["available"]} == shown
    assert api.refused("POST", f"/v1/payouts/{paid['id']}/cancel")["code"] == "payout_not_cancelable"


# Lists, expansion, search


def test_lists_filter_and_page(api: Stripe, harbor: str) -> None:
    everything = [c["id"] for c in api.get("/v1/charges")["data"]]
    assert len(everything) == 5
    page = api.get("/v1/charges", limit=2)
    assert (page["object"], page["has_more"], page["url"]) == ("list", True, "/v1/charges")
    walked = [c["id"] for c in page["data"]]
    while page["has_more"]:
        page = api.get("/v1/charges", limit=2, starting_after=walked[-1])
        walked += [c["id"] for c in page["data"]]
    assert walked == everything
    back = api.get("/v1/charges", limit=2, ending_before=everything[4])
    assert ([c["id"] for c in back["data"]], back["has_more"]) == (everything[2:4], True)
    mine = api.get("/v1/charges", customer=harbor, created={"lt": api.get(f"/v1/charges/{everything[1]}")["created"]})
    assert [c["id"] for c in mine["data"]] == [everything[2], everything[4]]
    both = api.refused("GET", "/v1/charges", starting_after=everything[0], ending_before=everything[1])
    assert both["param"] == "ending_before"
    assert api.get("/v1/subscriptions", customer=harbor)["data"][0]["id"] == api.ref("Subscription", "sub")
    assert len(api.get("/v1/subscriptions", customer=harbor, status="all")["data"]) == 2
    assert [p["nickname"] for p in api.get("/v1/prices", recurring={"interval": "month"})["data"]] == ["Monthly"]
    assert [p["name"] for p in api.get("/v1/products", active=False)["data"]] == ["Old"]


def test_rows_of_the_same_second_are_paged_too() -> None:
    api = Stripe(
        [
            payments.Customer(key=f"c{i}", name=f"C{i}", email="same@x.example", created="2025-01-01T00:00:00Z")
            for i in range(7)
        ]
    )
    walked, page = list[str](), api.get("/v1/customers", limit=3)
    while True:
        walked += [c["id"] for c in page["data"]]
        if not page["has_more"]:
            break
        page = api.get("/v1/customers", limit=3, starting_after=walked[-1])
    assert len(set(walked)) == len(walked) == 7
    back = api.get("/v1/customers", limit=3, ending_before=walked[5])
    assert [c["id"] for c in back["data"]] == walked[2:5]


def test_expansion_follows_nested_paths(api: Stripe, harbor: str) -> None:
    found = api.get(
        "/v1/charges", expand=["data.customer.invoice_settings.default_payment_method", "data.payment_intent"], limit=3
    )
    for charge in found["data"]:
        assert charge["customer"]["object"] == "customer"
        assert charge["customer"]["invoice_settings"]["default_payment_method"]["object"] == "payment_method"
        assert charge["payment_intent"]["object"] == "payment_intent"
    invoice = api.get(
        f"/v1/invoices/{api.ref('Invoice', 'paid')}",
        expand=["parent.subscription_details.subscription.latest_invoice", "lines.data.pricing.price_details.price"],
    )
    assert invoice["parent"]["subscription_details"]["subscription"]["latest_invoice"]["id"] == invoice["id"]
    assert invoice["lines"]["data"][0]["pricing"]["price_details"]["price"]["unit_amount"] == 1000
    shown = api.get(f"/v1/customers/{harbor}", expand=["subscriptions"])
    assert [s["id"] for s in shown["subscriptions"]["data"]] == [api.ref("Subscription", "sub")]
    moved = api.get("/v1/balance_transactions", type="charge", limit=1, expand=["data.source"])
    assert moved["data"][0]["source"]["object"] == "charge"


@pytest.mark.parametrize(
    ("resource", "query", "found"),
    [
        ("charges", 'status:"failed"', 1),
        ("charges", 'status:"FAILED"', 1),
        ("charges", '-status:"succeeded"', 2),
        ("charges", "amount>3000", 3),
        ("charges", "amount>=3000 AND amount<=8000", 3),
        ("charges", 'currency:"eur" OR amount:900', 2),
        ("charges", 'disputed:"true"', 1),
        ("charges", 'payment_method_details.card.last4:"8846"', 1),
        ("charges", 'payment_method_details.card.brand:"visa" status:"succeeded"', 3),
        ("charges", 'refunded:"true"', 0),
        ("customers", 'email:"AP@harbor.example"', 1),
        ("customers", 'email~"example"', 2),
        ("customers", 'name~"arb" and -phone:null', 1),
        ("customers", "phone:null", 1),
        ("customers", 'metadata["company"]:"harbor-co"', 1),
        ("customers", '-metadata["company"]:null', 1),
        ("invoices", 'number:"N-1"', 1),
        ("invoices", 'status:"open" AND total>7000', 1),
        ("prices", 'active:"true" AND type:"recurring"', 2),
        ("products", 'name:"Seats"', 1),
        ("products", "name:'it''s'", None),
        ("subscriptions", 'status:"canceled" AND canceled_at>1', 1),
        ("payment_intents", 'status:"processing"', 1),
        ("charges", 'amount:"20000"', 1),
        ("customers", 'name:"o\\"brien"', 0),
        ("charges", 'status:"failed" AND currency:"eur" OR amount:1', None),
        ("charges", '(status:"failed")', None),
        ("charges", 'status~"fail"', None),
        ("charges", 'currency>"a"', None),
        ("charges", "amount~100", None),
        ("charges", 'amount:"many"', None),
        ("customers", 'name~"ab"', None),
        ("customers", 'shoe:"44"', None),
        ("customers", "name:", None),
        ("customers", "", None),
        ("customers", "name", None),
        ("charges", " AND ".join(["amount>1"] * 11), None),
    ],
)
def test_search_speaks_stripes_language(api: Stripe, resource: str, query: str, found: int | None) -> None:
    if found is None:
        error = api.refused("GET", f"/v1/{resource}/search", query=query)
        assert (error["status"], error["param"]) == (400, "query")
        return
    answer = api.get(f"/v1/{resource}/search", query=query)
    assert (answer["object"], len(answer["data"])) == ("search_result", found)


def test_search_goes_on_by_token(api: Stripe) -> None:
    first = api.get("/v1/charges/search", query="amount>1", limit=3)
    assert first["has_more"]
    second = api.get("/v1/charges/search", query="amount>1", limit=3, page=first["next_page"])
    assert (second["has_more"], second["next_page"]) == (False, None)
    assert len({c["id"] for c in first["data"] + second["data"]}) == 5
    assert api.refused("GET", "/v1/charges/search", query="amount>2", page=first["next_page"])["param"] == "page"
    assert api.refused("GET", "/v1/charges/search", query="amount>1", page="zzz")["param"] == "page"


# Money that adds up

CARDS = (
    "pm_card_visa",
    "pm_card_chargeDeclined",
    "pm_card_createDispute",
    "pm_card_bypassPending",
    "pm_card_threeDSecure2Required",
)
STEP = st.one_of(
    st.tuples(
        st.just("pay"),
        st.integers(1, 60000),
        st.sampled_from(CARDS),
        st.booleans(),
        st.sampled_from(("usd", "eur", "jpy")),
    ),
    st.tuples(st.just("capture"), st.integers(0, 5), st.integers(1, 60000)),
    st.tuples(st.just("cancel"), st.integers(0, 5)),
    st.tuples(st.just("refund"), st.integers(0, 5), st.integers(1, 60000)),
    st.tuples(st.just("answer"), st.integers(0, 2), st.sampled_from(("winning_evidence", "losing_evidence", "hm"))),
    st.tuples(st.just("pay out"), st.integers(1, 60000)),
    st.tuples(
        st.just("invoice"), st.lists(st.integers(-3000, 9000), min_size=1, max_size=3), st.sampled_from((0, 7, 33, 100))
    ),
)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(STEP, min_size=1, max_size=14))
def test_the_balance_is_the_sum_of_what_moved_it(steps: list[tuple[Any, ...]]) -> None:
    api = Stripe()
    customer = api.ref("Customer", "harbor")
    api.card(customer)
    intents = list[str]()
    for kind, *how in steps:
        if kind == "pay":
            amount, card, hold, currency = how
            reply = api.reply(
                "POST",
                "/v1/payment_intents",
                amount=amount,
                currency=currency,
                payment_method=card,
                confirm=True,
                capture_method="manual" if hold else "automatic",
            )
            found = reply.body.get("error", {}).get("payment_intent", reply.body)
            intents += [found["id"]] if "id" in found else []
        elif kind == "pay out":
            api.reply("POST", "/v1/payouts", amount=how[0], currency="usd")
        elif kind == "answer":
            found = api.get("/v1/disputes")["data"]
            if how[0] < len(found):
                api.reply("POST", f"/v1/disputes/{found[how[0]]['id']}", evidence={"uncategorized_text": how[1]})
        elif kind == "invoice":
            _invoice(api, customer, *how)
        elif how[0] < len(intents):
            if kind == "refund":
                api.reply("POST", "/v1/refunds", payment_intent=intents[how[0]], amount=how[1])
            elif kind == "capture":
                api.reply("POST", f"/v1/payment_intents/{intents[how[0]]}/capture", amount_to_capture=how[1])
            else:
                api.reply("POST", f"/v1/payment_intents/{intents[how[0]]}/cancel")
        check_books(api)


def _invoice(api: Stripe, customer: str, amounts: list[int], percent: int) -> None:
    discounts = [{"coupon": api.post("/v1/coupons", percent_off=percent)["id"]}] if percent else []
    draft = api.post("/v1/invoices", customer=customer, discounts=discounts)["id"]
    for amount in amounts:
        api.post("/v1/invoiceitems", customer=customer, invoice=draft, amount=amount, currency="usd")
    paid = api.post(f"/v1/invoices/{draft}/pay")
    assert paid["status"] == "paid"
    assert paid["subtotal"] == sum(amounts) == sum(line["amount"] for line in paid["lines"]["data"])
    assert paid["total"] == paid["subtotal"] - sum(d["amount"] for d in paid["total_discount_amounts"])
    assert paid["total"] + paid["starting_balance"] == paid["amount_due"] + paid["ending_balance"]
    assert paid["amount_paid"] == paid["amount_due"]


def check_books(api: Stripe) -> None:
    """The balance is the sum of the balance transactions, and each follows from what it is of."""
    moved = api.live.store.query(
        "SELECT currency, sum(amount - fee) AS net, sum(net) AS total FROM balance_transaction GROUP BY currency"
    )
    assert (
        api.balance()
        == {row["currency"]: row["net"] for row in moved}
        == {row["currency"]: row["total"] for row in moved}
    )
    charges = api.get("/v1/charges", limit=100)["data"]
    for charge in charges:
        refunds = api.get("/v1/refunds", charge=charge["id"], limit=100)["data"]
        assert (
            charge["amount_refunded"]
            == sum(r["amount"] for r in refunds)
            <= (charge["amount_captured"] or charge["amount"])
        )
        assert charge["amount_captured"] <= charge["amount"]
        of = api.get("/v1/balance_transactions", source=charge["id"])["data"]
        assert sum(t["amount"] for t in of) == charge["amount_captured"]
    customers = api.get("/v1/customers", limit=100)["data"]
    for customer in customers:
        moves = api.get(f"/v1/customers/{customer['id']}/balance_transactions", limit=100)["data"]
        assert customer["balance"] == sum(m["amount"] for m in moves)


# The MCP face


async def test_tools_answer_compactly_and_errors_carry_the_envelope(api: Stripe, harbor: str) -> None:
    async with Client(serve(api.episode, ["stripe"])) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert len(tools) <= 60
        assert {
            "create_customer",
            "finalize_invoice",
            "retrieve_balance",
            "update_dispute",
            "cancel_subscription",
        } <= set(tools)
        assert tools["list_charges"].annotations is not None
        assert tools["list_charges"].annotations.read_only_hint is True
        found = await client.call_tool("list_customers", {"email": "ap@harbor.example", "created": None})
        assert found.structured_content is not None
        assert found.structured_content["data"][0]["id"] == harbor
        assert "test_clock" not in found.structured_content["data"][0]
        link = await client.call_tool("create_payment_link", {"price": api.ref("Price", "monthly"), "quantity": "2"})
        assert link.structured_content is not None
        assert link.structured_content["url"].startswith("https://buy.stripe.com/test_")
        refused = await client.call_tool("create_refund", {"charge": api.ref("Payment", "p3"), "amount": 999999})
        assert refused.is_error
        assert "greater than unrefunded amount" in str(refused.content[0])
        unknown = await client.call_tool("create_customer", {"shoe_size": 44})
        assert "Received unknown parameter: shoe_size" in str(unknown.content[0])


def test_lists_of_a_whole_world_fit_a_models_context() -> None:
    episode = templates.episode(["stripe"], world="quaymark")
    app = registry.load("stripe")
    for name, operation in app.operations.items():
        if (
            operation.mcp
            and operation.reads
            and not operation.input_schema.get("required")
            and name != "preview_invoice"
        ):
            reply = episode.call("stripe", name, {})
            assert reply.status == 200, (name, reply.body)
            assert len(reply.text()) < 30_000, name
    assert episode.changes() == []


# The payments capability


def play(episode: Episode, plan: Plan) -> list[Reply]:
    replies = list[Reply]()
    try:
        step = next(plan)
        while True:
            replies.append(episode.call("stripe", step.tool, step.arguments))
            step = plan.send(replies[-1].body)
    except StopIteration:
        return replies


def view(episode: Episode, table: str, key: str) -> Any:
    live = episode.app("stripe")
    row = live.store.get(live.app.shapes[table].cls, key)
    return live.app.provides["payments"].view(Ctx(live, None, None, Request()), table, row.__dict__) if row else None


TABLES = {
    "Customer": "customer",
    "Product": "product",
    "Price": "price",
    "Subscription": "subscription",
    "Invoice": "invoice",
    "Payment": "charge",
}


def expected(refs: Any, entity: Any) -> dict[str, Any]:
    """An entity as `view` gives it back: its references as the app's ids."""
    kinds = {
        "customer": "Customer",
        "price": "Price",
        "product": "Product",
        "subscription": "Subscription",
        "invoice": "Invoice",
    }
    out = entity.model_dump(exclude={"key", "id"})
    for field, kind in kinds.items():
        if out.get(field):
            out[field] = refs(f"payments.{kind}")[out[field]]
    for line in out.get("lines", ()):
        line["price"] = refs("payments.Price")[line["price"]] if line["price"] else ""
    return out


@pytest.mark.parametrize("entity", WORLD, ids=lambda e: f"{type(e).__name__}-{e.key}")
def test_what_was_filled_is_seen_again(entity: Any) -> None:
    api = Stripe()
    kind = type(entity).__name__
    seen = view(api.episode, TABLES[kind], api.ref(kind, entity.key))
    assert seen.model_dump(exclude={"key", "id"}) == expected(api.live.refs, entity)
    assert (seen.key, seen.id) == ("", api.ref(kind, entity.key))


def test_a_whole_world_is_seen_again() -> None:
    world, episode = worlds.load("quaymark"), templates.episode(["stripe"], world="quaymark")
    live = episode.app("stripe")
    for kind in payments.Payments.entities:
        for entity in world.entities(kind):
            key = live.refs(f"payments.{kind.__name__}")[entity.key]
            seen = view(episode, TABLES[kind.__name__], key)
            wanted = expected(live.refs, entity)
            got = seen.model_dump(exclude={"key", "id"})
            assert {n: v for n, v in got.items() if wanted[n] != v and wanted[n] != ""} == {}, entity.key


def test_verbs_do_what_they_say() -> None:
    api = Stripe()
    provided: payments.Payments = api.live.app.provides["payments"]
    harbor, episode = api.ref("Customer", "harbor"), api.episode
    assert play(episode, provided.find_payer("ap@harbor.example"))[-1].body["data"][0]["id"] == harbor
    assert len(play(episode, provided.list_payments(harbor))[-1].body["data"]) == 4
    assert play(episode, provided.check_payment(api.ref("Payment", "p3")))[-1].body["amount"] == 20000
    assert play(episode, provided.request_payment(api.ref("Price", "monthly"), 2))[-1].body["object"] == "payment_link"
    paid = play(episode, provided.collect_payment(harbor, 4200, "USD"))[-1].body
    seen = view(episode, "charge", paid["latest_charge"])
    assert (seen.customer, seen.amount, seen.currency, seen.status) == (harbor, 4200, "usd", "succeeded")
    play(episode, provided.refund_payment(paid["latest_charge"], 200))
    assert view(episode, "charge", paid["latest_charge"]).refunded == 200
    play(episode, provided.refund_payment(paid["latest_charge"]))
    assert view(episode, "charge", paid["latest_charge"]).refunded == 4200
    assert play(episode, provided.cancel_payment(api.ref("Payment", "p5")))[-1].status == 200
    assert view(episode, "charge", api.ref("Payment", "p5")).status == "failed"
    play(episode, provided.collect_payment(api.ref("Customer", "nord"), 900, "eur"))
    assert view(episode, "customer", harbor).company == "harbor-co"
