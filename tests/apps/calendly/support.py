"""What the tests of Calendly share."""

import json
from typing import Any
from urllib.parse import urlencode

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.scheduling import Booking, MeetingType
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.testing import episode_of

API = "https://api.calendly.com"


def person(handle: str, zone: str = "Europe/London", **more: Any) -> Person:
    given = {"last_name": "Reed", "email": f"{handle}@brightwater.example", "title": "Adviser", "department": "Sales"}
    return Person(**{"key": handle, "first_name": handle.title(), "handle": handle, "time_zone": zone, **given, **more})


def kind(key: str, host: str, **more: Any) -> MeetingType:
    return MeetingType(**{"key": key, "name": key.title(), "slug": key, "host": host, "location": "Video", **more})


def booked(key: str, what: str, start: str, **more: Any) -> Booking:
    given = {"invitee_name": "Dana Field", "invitee_email": "dana@elsewhere.example", "created": "2026-02-20T09:00:00Z"}
    return Booking(**{"key": key, "meeting_type": what, "start": start, **given, **more})


ENTITIES: list[Entity] = [
    person("nia"), person("ravi", "America/New_York", phone="+1 212 555 0100"), person("bob", active=False, department="Support"),
    kind("intro", "nia"), kind("demo", "ravi", minutes=60, hours="10:00-16:00", location="Phone"),
    kind("visit", "nia", location="Oak Street 4"), kind("closed", "bob", active=False),
    kind("office", "alex.doyle", minutes=15, location=""),
    booked("past", "intro", "2026-02-25T10:00:00Z", note="Bring the sheet"),
    booked("off", "intro", "2026-03-04T10:00:00Z", status="canceled"),
    booked("next", "intro", "2026-03-05T11:00:00Z", invitee_email="lee@elsewhere.example"),
]  # fmt: skip


WHO = {"name": "Kim Lund", "email": "kim@elsewhere.example", "timezone": "Europe/Oslo"}


class Calendly:
    """An account as an agent and as a program sees it. The time is Monday, 2 March 2026, 9:00 UTC."""

    def __init__(self) -> None:
        self.episode = episode_of("calendly", ENTITIES)
        self.live = self.episode.app("calendly")
        self.org = self.ok("get_current_user")["resource"]["current_organization"]

    def ref(self, entity: str, key: str) -> str:
        names = {"user": "people.Person", "type": "scheduling.MeetingType", "event": "scheduling.Booking"}
        return self.live.template.refs[names[entity]][key]

    def call(self, tool: str, **arguments: Any) -> Reply:
        return self.live.call(tool, arguments)

    def ok(self, tool: str, **arguments: Any) -> Any:
        reply = self.call(tool, **arguments)
        assert not reply.error, reply.body
        return reply.body

    def refused(self, tool: str, status: int, said: str, /, **arguments: Any) -> None:
        """The call is refused with these words, and changes nothing."""
        before = self.live.changes()
        reply = self.call(tool, **arguments)
        assert (reply.error, reply.status) == (True, status), reply.body
        assert said in json.dumps(reply.body), reply.body
        assert self.live.changes() == before

    def http(self, method: str, path: str, body: Any = None, **query: Any) -> Reply:
        url = path + (f"?{urlencode(query)}" if query else "")
        headers = {"content-type": "application/json"} if body is not None else {}
        request = Request(
            method, path, url, {k: str(v) for k, v in query.items()}, headers, "https://gateway.example/rest"
        )
        return handle(self.live, request, json.dumps(body).encode() if body is not None else b"")

    def demote(self) -> None:
        """Makes the caller, whom every world makes an administrator, a plain member. The first write makes the episode's own copy."""
        self.ok("create_organization_invitation", uuid=self.org, email="first@elsewhere.example")
        self.live.store.connection.execute("UPDATE membership SET role = 'user' WHERE role = 'owner'")

    def starts(self, event_type: str, start: str, end: str) -> list[str]:
        found = self.ok("list_event_type_available_times", event_type=event_type, start_time=start, end_time=end)
        return [slot["start_time"] for slot in found["collection"]]

    def book(self, key: str, start: str, **more: Any) -> dict[str, Any]:
        return self.ok("create_invitee", event_type=self.ref("type", key), start_time=start, invitee=WHO, **more)[
            "resource"
        ]

    def invitee(self, event: str) -> dict[str, Any]:
        return self.ok("list_event_invitees", uuid=event)["collection"][0]
