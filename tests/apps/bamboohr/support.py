"""What the tests of BambooHR share."""

import json
from typing import Any
from urllib.parse import urlencode

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.hr import Employment, TimeOff
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.testing import episode_of

BEA = Person(
    key="bea",
    first_name="Bea",
    last_name="Reed",
    email="bea@brightwater.example",
    handle="bea",
    title="Analyst",
    department="Finance",
    manager="alex.doyle",
    phone="+44 20 7946 0001",
    city="London",
    country="GB",
    start_date="2024-02-15",
)


CARL = Person(
    key="carl",
    first_name="Carl",
    last_name="Stone",
    email="carl@brightwater.example",
    handle="carl",
    title="Clerk",
    department="Sales",
    start_date="2020-01-06",
    active=False,
)


ENTITIES: list[Entity] = [
    BEA,
    CARL,
    Employment(key="e1", person="bea", number=11, pay=50_000, currency="GBP", born="1990-03-03"),
    Employment(
        key="e2", person="carl", number=12, pay=40_000, currency="USD", kind="part_time", terminated="2026-01-30"
    ),
    TimeOff(
        key="t1",
        person="bea",
        first_day="2026-03-05",
        last_day="2026-03-10",
        status="requested",
        created="2026-02-20T10:00:00Z",
    ),
    TimeOff(
        key="t2",
        person="bea",
        first_day="2026-02-09",
        last_day="2026-02-10",
        status="approved",
        created="2026-01-20T10:00:00Z",
    ),
]


VACATION, SICK, UNPAID = 78, 79, 81


JSON = {"accept": "application/json"}


class Bamboo:
    """An account as an agent and as a program sees it. Its day is 2026-03-02."""

    def __init__(self) -> None:
        self.episode = episode_of("bamboohr", ENTITIES)
        self.live = self.episode.app("bamboohr")
        self.refs = self.live.template.refs
        self.alex, self.bea, self.carl = (self.refs["people.Person"][k] for k in ("alex.doyle", "bea", "carl"))

    def __call__(self, tool: str, /, **arguments: Any) -> Any:
        reply = self.live.call(tool, arguments)
        assert not reply.error, (tool, reply.shown)
        return reply.body

    def refused(self, status: int, why: str, tool: str, /, **arguments: Any) -> None:
        before = self.episode.changes()
        reply = self.live.call(tool, arguments)
        assert reply.status == status, (tool, reply.status, reply.shown or reply.body)
        assert why in str(reply.shown), reply.shown
        assert why.lower() in reply.headers["X-BambooHR-Error-Message"].lower()
        assert self.episode.changes() == before

    def rest(self, method: str, path: str, body: Any = None, headers: dict[str, str] = JSON, **query: Any) -> Any:
        url = path + (f"?{urlencode(query)}" if query else "")
        sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        kind = {} if body is None or isinstance(body, bytes) else {"content-type": "application/json"}
        return handle(
            self.live,
            Request(method, path, url, {k: str(v) for k, v in query.items()}, {**kind, **headers}, "http://x"),
            sent,
        )

    def fields(self, key: str, *names: str, **more: Any) -> dict[str, Any]:
        found = self("get_employee", id=key, fields=",".join(names), **more)
        return {name: found.get(name) for name in names}

    def rows(self, key: str, table: str) -> list[dict[str, Any]]:
        return self("get_employee_table_data", id=key, table=table)

    def balance(self, end: str = "2026-03-02", kind: int = VACATION) -> str:
        found = self("get_time_off_balance", employeeId=self.bea, end=end)
        return next(b["balance"] for b in found if b["timeOffType"] == str(kind))
