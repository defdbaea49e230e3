"""What the tests of HubSpot share."""

import json
from typing import Any

from legoenv_mcp.capabilities import Entity, Plan
from legoenv_mcp.capabilities.crm import Activity, Company, Contact, Deal, Lead
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from tests.support import customers
from tests.support.customers import BEA, BOLT, COG, DANA, GONE, LENA, OMAR, RENEWAL, WON

ACME = customers.ACME.model_copy(update={"industry": "Heavy lifting"})


ACTIVITIES = [
    Activity(key="t1", kind="task", subject="Call Dana back", body="About the paper.", about="renewal", owner="bea", due="2026-03-04",
             created="2026-02-20T10:00:00Z"),
    Activity(key="t2", kind="call", subject="First call", about="lena", owner="bea", due="2026-02-10", done=True,
             created="2026-02-10T10:00:00Z"),
    Activity(key="t3", kind="note", subject="Likes <mornings>", body="Never call after noon & never at night.", about="dana", owner="bea",
             done=True, created="2026-02-11T10:00:00Z"),
    Activity(key="t4", kind="meeting", subject="Review", body="Quarterly.", about="acme", owner="alex.doyle", due="2026-02-12", done=True,
             created="2026-02-01T10:00:00Z"),
    Activity(key="t5", kind="note", subject="Loose note", body="On nothing.", owner="bea", done=True, created="2026-02-11T10:00:00Z"),
]  # fmt: skip


ENTITIES: list[Entity] = [BEA, GONE, ACME, BOLT, COG, DANA, OMAR, LENA, RENEWAL, WON, *ACTIVITIES]


TABLES = {Person: "owner", Company: "company", Contact: "contact", Lead: "lead", Deal: "deal"}


class HubSpot:
    """The app of one episode: `tool(...)` calls must succeed, `refused(...)` must not and must change nothing."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.live = episode.app("hubspot")

    def __getattr__(self, tool: str) -> Any:
        if tool.startswith("_"):  # hypothesis asks for its own
            raise AttributeError(tool)

        def run(**arguments: Any) -> Any:
            reply = self.episode.call("hubspot", tool, arguments)
            assert not reply.error, reply.body
            return reply.body

        return run

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The refusal's body, with its HTTP status as `code`."""
        before = self.everything()
        reply = self.episode.call("hubspot", tool, arguments)
        assert reply.error, reply.body
        assert 400 <= reply.status < 500, reply.body
        assert reply.body["status"] == "error"
        assert self.everything() == before
        return {"code": reply.status, **reply.body}

    def everything(self) -> dict[str, Any]:
        connection = self.live.store.connection
        return {
            name: connection.execute(f'SELECT * FROM "{name}" ORDER BY 1').fetchall() for name in self.live.app.shapes
        }

    def rest(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """A request on the REST face: status and body."""
        raw = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        plain, _, _ = path.partition("?")
        reply = handle(self.live, Request(method, plain, path, {}, {"content-type": "application/json"}, ""), raw)
        return reply.wire_status or reply.status, reply.body

    def id(self, kind: type[Entity], key: str) -> str:
        return self.live.template.refs[f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"][key]

    def values(self, kind: str, record_id: str, *names: str, **more: Any) -> dict[str, Any]:
        found = self.get_object(objectType=kind, objectId=record_id, properties=list(names), **more)["properties"]
        return {n: found[n] for n in names}

    def found(self, kind: str, *filters: tuple[Any, ...], **more: Any) -> list[str]:
        """The names of the records that filters (name, operator, value or values) find."""
        made = [self.filter(*f) for f in filters]
        name = {"deals": "dealname", "companies": "name", "contacts": "email"}.get(kind, "hs_object_id")
        reply = self.search_objects(
            objectType=kind, filterGroups=[{"filters": made}] if made else [], properties=[name], limit=200, **more
        )
        assert reply["total"] == len(reply["results"])
        return [r["properties"][name] for r in reply["results"]]

    @staticmethod
    def filter(name: str, operator: str, value: Any = None, high: Any = None) -> dict[str, Any]:
        made: dict[str, Any] = {"propertyName": name, "operator": operator}
        if isinstance(value, list):
            made["values"] = value
        elif value is not None:
            made["value"] = value
        return {**made, **({"highValue": high} if high is not None else {})}

    def view(self, table: str, record_id: str) -> Entity | None:
        """The canonical entity of a record."""
        app, shape = self.live.app, self.live.app.shapes[table]
        row = self.live.store.get(shape.cls, record_id)
        assert row is not None
        ctx = Ctx(self.live, None, None, Request())
        return app.provides["crm"].view(ctx, table, {c: getattr(row, c) for c in shape.columns})

    def play(self, plan: Plan) -> list[dict[str, Any]]:
        """Runs a verb's steps, as the plan player does."""
        replies = list[dict[str, Any]]()
        try:
            step = next(plan)
            while True:
                reply = self.episode.call("hubspot", step.tool, step.arguments)
                assert not reply.error, reply.body
                replies.append(reply.body)
                step = plan.send(reply.body)
        except StopIteration:
            return replies


def codes(error: dict[str, Any]) -> dict[str, str]:
    """The refused properties of an error with their codes."""
    return {e["context"]["propertyName"][0]: e["code"] for e in error["errors"]}


def spec(type_id: int) -> dict[str, Any]:
    return {"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": type_id}
