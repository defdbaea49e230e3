"""What the tests of Stripe share."""

from typing import Any
from urllib.parse import urlencode

from legoenv_mcp.capabilities import Entity, payments
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Reply, Request
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


DAY = 86400


def adds_up(invoice: dict[str, Any]) -> None:
    """What an invoice says of itself follows from its lines."""
    lines = invoice["lines"]["data"]
    off = sum(d["amount"] for d in invoice["total_discount_amounts"])
    exclusive = sum(t["amount"] for t in invoice["total_taxes"] if t["tax_behavior"] == "exclusive")
    assert invoice["subtotal"] == sum(line["amount"] for line in lines)
    assert invoice["total"] == invoice["subtotal"] - off + exclusive
    assert off == sum(d["amount"] for line in lines for d in line["discount_amounts"])
    assert sum(t["amount"] for t in invoice["total_taxes"]) == sum(t["amount"] for line in lines for t in line["taxes"])
    assert invoice["amount_remaining"] == invoice["amount_due"] - invoice["amount_paid"] or invoice["status"] in (
        "paid",
        "void",
    )


def billed(api: Stripe, customer: str, *amounts: int, **more: Any) -> dict[str, Any]:
    draft = api.post("/v1/invoices", customer=customer, **more)
    for amount in amounts:
        api.post("/v1/invoiceitems", customer=customer, invoice=draft["id"], amount=amount, currency=draft["currency"])
    shown = api.get(f"/v1/invoices/{draft['id']}")
    adds_up(shown)
    return shown
