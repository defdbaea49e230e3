"""What the tests of Twilio share."""

import importlib
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from legoenv_mcp.capabilities import Entity, sms_voice
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

phones: Any = importlib.import_module("legoenv_mcp.servers.twilio.phones")


segments: Any = importlib.import_module("legoenv_mcp.servers.twilio.segments")


models: Any = importlib.import_module("legoenv_mcp.servers.twilio.models")


US, UK, LINE = "+16175550100", "+442079460100", "+16175550200"


ANA, BEN, CAI = "+16145550161", "+442079460611", "+14025550120"


WORLD: list[Entity] = [
    sms_voice.PhoneNumber(key="us", number=US, label="Alerts", created="2025-03-11T10:15:20Z"),
    sms_voice.PhoneNumber(key="uk", number=UK, label="Alerts UK", voice=False, created="2025-03-12T10:15:20Z"),
    sms_voice.PhoneNumber(key="line", number=LINE, label="Support", sms=False, created="2025-03-13T10:15:20Z"),
    sms_voice.TextMessage(key="hi", sender=US, to=ANA, body="Hi Ana", at="2026-02-27T10:00:00Z"),
    sms_voice.TextMessage(key="re", sender=ANA, to=US, body="Hi", inbound=True, status="received", at="2026-02-28T10:00:00Z"),
    sms_voice.TextMessage(key="bad", sender=US, to=CAI, body="?", status="undelivered", at="2026-03-01T10:00:00Z"),
    sms_voice.TextMessage(key="stop", sender=BEN, to=UK, body=" stop ", inbound=True, status="received", at="2026-03-01T11:00:00Z"),
    sms_voice.Call(key="old", caller=ANA, to=LINE, inbound=True, seconds=61, at="2026-02-26T09:00:00Z"),
    sms_voice.Call(key="busy", caller=LINE, to=ANA, status="busy", at="2026-02-26T10:00:00Z"),
    sms_voice.Call(key="on", caller=CAI, to=LINE, inbound=True, status="in_progress", seconds=30, at="2026-03-02T08:59:30Z"),
]  # fmt: skip


class Twilio:
    """The REST face of one episode, with forms as Twilio's clients send them. Paths of the 2010 API are those below the account."""

    def __init__(self, world: str = "") -> None:
        self.episode: Episode = episode_of("twilio", WORLD, world=world)
        self.live = self.episode.app("twilio")
        (account,) = self.raw("GET", "/2010-04-01/Accounts.json").body["accounts"]
        self.account = account["sid"]

    def raw(self, method: str, path: str, params: Any = ()) -> Reply:
        form = urlencode(list(params.items()) if isinstance(params, dict) else list(params), doseq=True)
        if form and method != "POST":
            path += ("&" if "?" in path else "?") + form
        body = form.encode() if method == "POST" else b""
        headers = {"content-type": "application/x-www-form-urlencoded"} if body else {}
        query = dict(parse_qsl(urlsplit(path).query))
        return handle(self.live, Request(method, urlsplit(path).path, path, query, headers), body)

    def whole(self, path: str) -> str:
        products = ("/2010", "/messaging", "/verify", "/conversations", "/lookups", "/accounts")
        return path if path.startswith(products) else f"/2010-04-01/Accounts/{self.account}{path}.json"

    def __call__(self, method: str, path: str, **params: Any) -> Any:
        reply = self.raw(method, self.whole(path), params)
        assert reply.status in (200, 201, 204), reply.body
        assert (reply.status == 204) == (method == "DELETE")
        return reply.body

    def get(self, path: str, **params: Any) -> Any:
        return self("GET", path, **params)

    def post(self, path: str, **params: Any) -> Any:
        return self("POST", path, **params)

    def text(self, to: str = ANA, body: str = "Hello", **params: Any) -> Any:
        return self.post(
            "/Messages", To=to, Body=body, **({"From": US} if "MessagingServiceSid" not in params else {}), **params
        )

    def call(self, to: str = ANA, **params: Any) -> Any:
        return self.post(
            "/Calls",
            To=to,
            From=LINE,
            **({"Url": "https://x.example/v.xml"} | params if "Twiml" not in params else params),
        )

    def refused(self, method: str, path: str, **params: Any) -> tuple[int, int]:
        """Status and code of a call that is refused and leaves nothing behind."""
        before = [c.as_json() for c in self.episode.changes()]
        reply = self.raw(method, self.whole(path), params)
        assert 400 <= reply.status < 500, reply.body
        assert [c.as_json() for c in self.episode.changes()] == before
        assert reply.body.keys() == {"code", "message", "more_info", "status"}
        assert reply.body["status"] == reply.status
        assert reply.body["more_info"].endswith(str(reply.body["code"]))
        return reply.status, reply.body["code"]

    def number(self, key: str) -> str:
        return self.live.refs("sms_voice.PhoneNumber")[key]

    def pass_by(self, seconds: int) -> None:
        """Time goes on as it does: with writes."""
        self.live.write_count += seconds

    def service(self, *keys: str, **settings: Any) -> str:
        sid = self.post("/messaging/v1/Services", FriendlyName="Pool", **settings)["sid"]
        for key in keys:
            self.post(f"/messaging/v1/Services/{sid}/PhoneNumbers", PhoneNumberSid=self.number(key))
        return sid
