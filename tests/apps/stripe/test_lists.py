"""Stripe: lists, expansion, search; money that adds up; the MCP face; the payments capability."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.capabilities import Plan, payments
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode
from tests.apps.stripe.support import WORLD, Stripe


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
