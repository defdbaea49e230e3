"""What the tests of Salesforce share."""

import json
from typing import Any

from legoenv_mcp.capabilities import Entity, Plan
from legoenv_mcp.capabilities.crm import Activity
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from tests.support.customers import ACME, BEA, BOLT, DANA, GONE, LENA, OMAR, RENEWAL, WON

BASE = "/services/data/v60.0"


ACTIVITIES = [
    Activity(
        key="t1", kind="task", subject="Call Dana back", body="About the paper.", about="renewal", owner="bea", due="2026-03-04",
        created="2026-02-20T10:00:00Z",
    ),
    Activity(key="t2", kind="call", subject="First call", about="lena", owner="bea", due="2026-02-10", done=True,
    created="2026-02-10T10:00:00Z"),
    Activity(
        key="t3", kind="note", subject="Likes mornings", body="Never call after noon.", about="dana", owner="bea", done=True,
        created="2026-02-11T10:00:00Z",
    ),
    Activity(
        key="t4", kind="meeting", subject="Review", body="Quarterly.", about="acme", owner="alex.doyle", due="2026-02-12", done=True,
        created="2026-02-01T10:00:00Z",
    ),
    Activity(key="t5", kind="note", subject="Loose note", body="On nothing.", owner="bea", done=True, created="2026-02-11T10:00:00Z"),
]  # fmt: skip


ENTITIES: list[Entity] = [BEA, GONE, ACME, BOLT, DANA, OMAR, LENA, RENEWAL, WON, *ACTIVITIES]


class Salesforce:
    """The app of one episode: `tool(...)` calls must succeed, `refused(...)` must not and must change nothing."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.live = episode.app("salesforce")

    def __getattr__(self, tool: str) -> Any:
        if tool.startswith("_"):  # hypothesis asks for its own
            raise AttributeError(tool)

        def run(**arguments: Any) -> Any:
            reply = self.episode.call("salesforce", tool, arguments)
            assert not reply.error, reply.body
            return reply.body

        return run

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The refusal's error, with its status."""
        before = self.everything()
        reply = self.episode.call("salesforce", tool, arguments)
        assert reply.error
        assert 400 <= reply.status < 500, reply.body
        assert self.everything() == before
        return {"status": reply.status, **reply.body[0]}

    def everything(self) -> dict[str, Any]:
        connection = self.live.store.connection
        return {
            name: connection.execute(f'SELECT * FROM "{name}" ORDER BY 1').fetchall() for name in self.live.app.shapes
        }

    def rest(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """A request on the REST face: status and body."""
        raw = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        kind = "text/csv" if isinstance(body, str) else "application/json"
        sent = {"content-type": kind, **{k.replace("_", "-").lower(): v for k, v in headers.items()}}
        plain, _, _ = path.partition("?")
        reply = handle(self.live, Request(method, plain, path, {}, sent, ""), raw)
        return reply.wire_status or reply.status, reply.body

    def id(self, kind: type[Entity], key: str) -> str:
        return self.live.template.refs[f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"][key]

    def soql(self, q: str, **more: Any) -> list[dict[str, Any]]:
        return self.query(q=q, **more)["records"]

    def create(self, sobject: str, **fields: Any) -> str:
        return self.create_record(sobject=sobject, fields=fields)["id"]

    def get(self, sobject: str, record_id: str) -> dict[str, Any]:
        return self.get_record(sobject=sobject, id=record_id)

    def update(self, sobject: str, record_id: str, **fields: Any) -> None:
        self.update_record(sobject=sobject, id=record_id, fields=fields)

    def view(self, record_id: str) -> Entity | None:
        """The canonical entity of a record."""
        app = self.live.app
        ctx = Ctx(self.live, None, None, Request())
        for name, shape in app.shapes.items():
            row = self.live.store.get(shape.cls, record_id) if shape.key == ("Id",) else None
            if row is not None:
                return app.provides["crm"].view(ctx, name, {c: getattr(row, c) for c in shape.columns})
        return None

    def play(self, plan: Plan) -> list[dict[str, Any]]:
        """Runs a verb's steps, as the plan player does."""
        replies = list[dict[str, Any]]()
        try:
            step = next(plan)
            while True:
                reply = self.episode.call("salesforce", step.tool, step.arguments)
                assert not reply.error, reply.body
                replies.append(reply.body)
                step = plan.send(reply.body)
        except StopIteration:
            return replies


def _priced(sf: Salesforce, currency: str = "GBP") -> tuple[str, str]:
    """A product and its standard price."""
    product = sf.create("Product2", Name="Winch", ProductCode="W-1", IsActive=True)
    book = sf.soql("SELECT Id FROM Pricebook2 WHERE IsStandard = true")[0]["Id"]
    entry = sf.create(
        "PricebookEntry", Pricebook2Id=book, Product2Id=product, UnitPrice=500, IsActive=True, CurrencyIsoCode=currency
    )
    return product, entry
