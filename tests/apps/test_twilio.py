"""The Twilio app through its public faces: who may text whom, calls and conferences, numbers, Verify, Conversations, usage, pages."""

import importlib
import json
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp.capabilities import Entity, sms_voice
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Reply, Request
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


@pytest.fixture
def api() -> Twilio:
    return Twilio()


# Texts


def test_a_text_is_queued_and_then_delivered(api: Twilio) -> None:
    made = api.text()
    assert (made["status"], made["date_sent"], made["price"], made["direction"]) == (
        "queued",
        None,
        None,
        "outbound-api",
    )
    assert (made["from"], made["to"], made["num_segments"], made["num_media"]) == (US, ANA, "1", "0")
    assert made["sid"].startswith("SM")
    assert len(made["sid"]) == 34
    found = api.get(f"/Messages/{made['sid']}")
    assert (found["status"], found["price"], found["date_sent"]) == (
        "delivered",
        "-0.00830",
        "Mon, 02 Mar 2026 09:00:01 +0000",
    )
    assert [c.table for c in api.episode.changes()] == ["message"]


@pytest.mark.parametrize(
    ("params", "status", "code"),
    [
        ({"From": US, "Body": "x"}, 400, 21604),
        ({"To": ANA, "Body": "x"}, 400, 21603),
        ({"To": ANA, "From": US}, 400, 21602),
        ({"To": ANA, "From": US, "Body": "  "}, 400, 21602),
        ({"To": "+1617", "From": US, "Body": "x"}, 400, 21211),
        ({"To": "nobody", "From": US, "Body": "x"}, 400, 21211),
        ({"To": ANA, "From": "+1", "Body": "x"}, 400, 21212),
        ({"To": ANA, "From": LINE, "Body": "x"}, 400, 21606),
        ({"To": ANA, "From": "+13125550199", "Body": "x"}, 400, 21659),
        ({"To": ANA, "From": "12345", "Body": "x"}, 400, 21659),
        ({"To": US, "From": US, "Body": "x"}, 400, 21266),
        ({"To": BEN, "From": UK, "Body": "x"}, 400, 21610),
        ({"To": ANA, "From": "Acme", "Body": "x"}, 400, 21612),
        ({"To": ANA, "From": US, "Body": "x" * 1601}, 400, 21617),
        ({"To": ANA, "From": US, "MediaUrl": "ftp://x.example/a"}, 400, 21620),
        ({"To": BEN, "From": UK, "MediaUrl": "https://x.example/a.png"}, 400, 21610),
        ({"To": ANA, "From": UK, "MediaUrl": "https://x.example/a.png"}, 400, 21621),
        ({"To": ANA, "From": US, "MediaUrl": ["https://x.example/a.png"] * 11}, 400, 21623),
        ({"To": ANA, "From": US, "Body": "x", "StatusCallback": "nope"}, 400, 21609),
        ({"To": ANA, "From": US, "ContentSid": "HX1"}, 400, 21655),
        ({"To": ANA, "MessagingServiceSid": "MG1", "Body": "x"}, 404, 21701),
        ({"To": ANA, "From": US, "Body": "x", "ScheduleType": "fixed", "SendAt": "2026-03-02T10:00:00Z"}, 400, 35118),
        ({"To": f"whatsapp:{ANA}", "From": US, "Body": "x"}, 400, 21910),
        ({"To": f"whatsapp:{ANA}", "From": f"whatsapp:{US}", "Body": "x"}, 400, 63007),
        ({"To": "+15005550002", "From": US, "Body": "x"}, 400, 21612),
        ({"To": "+15005550009", "From": US, "Body": "x"}, 400, 21614),
        ({"To": ANA, "From": "+15005550008", "Body": "x"}, 400, 21611),
        ({"To": ANA, "From": US, "Body": "x", "ScheduleType": "someday"}, 400, 20001),
    ],
)
def test_texts_that_are_refused(api: Twilio, params: dict[str, Any], status: int, code: int) -> None:
    assert api.refused("POST", "/Messages", **params) == (status, code)


def test_national_numbers_are_read_and_names_reach_where_they_may(api: Twilio) -> None:
    assert api.text("(614) 555-0161")["to"] == ANA
    made = api.post("/Messages", To="+442079460612", From="Acme", Body="Hi")
    assert (made["from"], api.get(f"/Messages/{made['sid']}")["status"]) == ("Acme", "delivered")


def test_stop_and_start_decide_who_may_be_texted(api: Twilio) -> None:
    """Texts between the account's own numbers come in, too."""
    assert api.post("/Messages", To=BEN, From=US, Body="From another number")["status"] == "queued"
    api.text(UK, "STOP")
    assert api.refused("POST", "/Messages", To=US, From=UK, Body="x") == (400, 21610)
    assert api.get("/Messages", To=UK, From=US, PageSize=1)["messages"][0]["direction"] == "inbound"
    api.text(UK, "Unstop")
    assert api.post("/Messages", To=US, From=UK, Body="x")["status"] == "queued"
    items = [{"contact_id": BEN, "sender_id": UK, "status": "opt-in", "correlation_id": "a" * 32}]
    done = api.post("/accounts/v1/Consents/Bulk", Items=[json.dumps(i) for i in items])["items"]
    assert done == [{"correlation_id": "a" * 32, "error_code": 0, "error_messages": []}]
    assert api.post("/Messages", To=BEN, From=UK, Body="Back")["status"] == "queued"
    mixed = [
        {"contact_id": BEN, "sender_id": UK, "status": "opt-out"},
        {"contact_id": "?", "sender_id": "?", "status": "opt-out"},
    ]
    done = api.post("/accounts/v1/Consents/Bulk", Items=[json.dumps(i) for i in mixed])["items"]
    assert [i["error_code"] for i in done] == [0, 20001]
    assert api.refused("POST", "/Messages", To=BEN, From=UK, Body="x") == (400, 21610)
    assert api.refused("POST", "/accounts/v1/Consents/Bulk", Items="{") == (400, 20001)


def test_a_landline_gets_no_text(api: Twilio) -> None:
    found = api.get(f"/Messages/{api.text(LINE)['sid']}")
    assert (found["status"], found["error_code"], found["error_message"]) == (
        "undelivered",
        30006,
        "Landline or unreachable carrier",
    )


def test_media_goes_along_and_can_be_deleted(api: Twilio) -> None:
    made = api.text(MediaUrl=["https://x.example/a.png", "https://x.example/b.pdf?x=1"])
    assert (made["sid"][:2], made["num_media"]) == ("MM", "2")
    path = f"/Messages/{made['sid']}/Media"
    media = api.get(path)["media_list"]
    assert sorted(m["content_type"] for m in media) == ["application/pdf", "image/png"]
    assert api.get(f"{path}/{media[0]['sid']}") == media[0]
    api("DELETE", f"{path}/{media[0]['sid']}")
    assert api.refused("GET", f"{path}/{media[0]['sid']}") == (404, 20404)
    assert len(api.get(path)["media_list"]) == 1
    api("DELETE", f"/Messages/{made['sid']}")
    assert api.refused("GET", path) == (404, 20404)


def test_a_scheduled_text_can_be_canceled_until_it_is_sent(api: Twilio) -> None:
    service = api.service("us")
    later = {"MessagingServiceSid": service, "ScheduleType": "fixed", "SendAt": "2026-03-02T10:00:00Z"}
    made = api.text(**later)
    path = f"/Messages/{made['sid']}"
    assert (made["status"], made["date_sent"], api.get(path)["status"]) == ("scheduled", None, "scheduled")
    assert api.get("/Messages", DateSent="2026-03-02")["messages"] == []
    assert api.refused("DELETE", path) == (409, 20009)
    assert api.refused("POST", path, Body="") == (409, 20009)
    assert api.post(path, Status="canceled")["status"] == "canceled"
    assert api.refused("POST", path, Status="canceled") == (409, 30409)
    due = f"/Messages/{api.text(**later)['sid']}"
    api.pass_by(3700)
    assert (api.get(due)["status"], api.get(due)["date_sent"]) == ("delivered", "Mon, 02 Mar 2026 10:00:00 +0000")
    assert api.refused("POST", due, Status="canceled") == (409, 30409)
    for at in ("2026-03-02T10:05:00Z", "2027-03-02T10:05:00Z", "soon", "0001-01-01T00:00:00+14:00"):
        assert api.refused("POST", "/Messages", To=ANA, Body="x", **{**later, "SendAt": at}) == (400, 35114)
    assert api.refused("POST", "/Messages", To=ANA, Body="x", MessagingServiceSid=service, ScheduleType="fixed") == (
        400,
        35111,
    )


def test_what_a_transition_changes_is_what_a_person_would_say() -> None:
    """No lengths, prices and hours, which are the clock's: they would tell two ways to the same state apart."""
    world = Twilio()
    (going,) = world.get("/Calls", Status="in-progress")["calls"]
    made = world.post(f"/Calls/{going['sid']}/Recordings")["sid"]
    world.post(f"/Calls/{going['sid']}", Status="completed")
    changed = {(c.table, *c.key): c.columns for c in world.episode.changes() if c.kind == "update"}
    assert changed == {("call", going["sid"]): ("status",)}
    assert world.get(f"/Recordings/{made}")["duration"] != "-1"
    assert world.get(f"/Calls/{going['sid']}")["price"] is not None


def test_a_text_is_redacted_or_deleted_for_good(api: Twilio) -> None:
    path = f"/Messages/{api.text()['sid']}"
    assert api.refused("POST", path, Body="other") == (400, 20001)
    assert api.post(path, Body="")["body"] == ""
    assert api.refused("POST", path, Status="canceled") == (409, 30409)
    api("DELETE", path)
    assert api.refused("GET", path) == (404, 20404)
    assert api.refused("DELETE", path) == (404, 20404)


def test_feedback_is_for_those_who_asked_for_it(api: Twilio) -> None:
    asked, not_asked = api.text(ProvideFeedback="true"), api.text()
    assert api.post(f"/Messages/{asked['sid']}/Feedback", Outcome="unconfirmed")["outcome"] == "unconfirmed"
    assert api.refused("POST", f"/Messages/{not_asked['sid']}/Feedback", Outcome="confirmed") == (400, 20001)


def test_texts_are_listed_newest_first_and_filtered(api: Twilio) -> None:
    def bodies(**params: Any) -> list[str]:
        return [m["body"] for m in api.get("/Messages", **params)["messages"]]

    assert bodies() == [" stop ", "?", "Hi", "Hi Ana"]
    assert bodies(To=ANA) == ["Hi Ana"]
    assert bodies(From="614-555-0161") == ["Hi"]
    assert bodies(DateSent="2026-02-28") == ["Hi"]
    assert bodies(**{"DateSent>": "2026-03-01"}) == [" stop ", "?"]
    assert bodies(**{"DateSent<": "2026-02-28"}) == ["Hi", "Hi Ana"]
    assert bodies(**{"DateSent>": "2026-03-01T10:30:00Z"}) == [" stop "]
    for day in ("yesterday", "9999-13-31", "0001-01-01T00:00:00+14:00"):
        assert api.refused("GET", "/Messages", DateSent=day) == (400, 20001)


def test_pages_lead_through_every_text_once_and_back(api: Twilio) -> None:
    for n in range(7):
        api.text(body=f"n{n}")
    page, walked = api.get("/Messages", PageSize=3, From=US), list[str]()
    first = page
    while True:
        walked += [m["sid"] for m in page["messages"]]
        if page["next_page_uri"] is None:
            break
        page = api.get(page["next_page_uri"])
    assert len(walked) == len(set(walked)) == 9
    assert walked == [m["sid"] for m in api.get("/Messages", From=US)["messages"]]
    assert (page["page"], page["start"], page["page_size"]) == (2, 6, 3)
    back = api.get(page["previous_page_uri"])
    assert [m["sid"] for m in back["messages"]] == walked[3:6]
    assert api.get(back["previous_page_uri"])["messages"] == first["messages"]
    assert api.refused("GET", "/Messages", PageSize=0) == (400, 20006)
    assert api.refused("GET", "/Messages", PageSize=1001) == (400, 20007)
    assert api.refused("GET", "/Messages", PageToken="PAnope") == (400, 20001)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("", 1), ("a" * 160, 1), ("a" * 161, 2), ("a" * 306, 2), ("a" * 307, 3), ("€" * 80, 1), ("€" * 81, 2), ("é" * 160, 1),
        ("ç" * 70, 1), ("ç" * 71, 2), ("ç" * 134, 2), ("ç" * 135, 3), ("😀" * 35, 1), ("😀" * 36, 2), ("😀" * 67, 3), ("[" * 153, 3),
    ],
)  # fmt: skip
def test_segments(body: str, count: int) -> None:
    assert segments.count(body) == count


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="aé€[ç😀\n", max_size=400))
def test_segments_hold_the_text_and_no_more_than_needed(body: str) -> None:
    gsm = segments.is_gsm7(body)
    units = sum(2 if c in segments.GSM7_EXTENDED else 1 for c in body) if gsm else len(body.encode("utf-16-le")) // 2
    alone, each, count = (160, 153, segments.count(body)) if gsm else (70, 67, segments.count(body))
    assert (count == 1) == (units <= alone)
    assert count == 1 or count * (each - 1) < units + each <= (count + 1) * each


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="+0123456789 ()-x", max_size=18))
def test_a_number_that_is_read_reads_itself(text: str) -> None:
    found = phones.read(text)
    if found is not None:
        assert phones.read(found.e164) == found
        assert found.e164[1:].isdigit()
        assert phones.read(phones.formatted(found.e164)) == found


# Messaging services


def test_a_service_chooses_the_sender(api: Twilio) -> None:
    service = api.service("line")
    path = f"/messaging/v1/Services/{service}"
    assert api.refused("POST", "/Messages", To=ANA, Body="x", MessagingServiceSid=service) == (400, 21703)
    assert api.refused("POST", "/Messages", To=ANA, Body="x", MessagingServiceSid=api.service()) == (400, 21704)
    for key in ("us", "uk"):
        api.post(f"{path}/PhoneNumbers", PhoneNumberSid=api.number(key))
    made = api.text(MessagingServiceSid=service)
    assert (made["status"], made["from"], made["messaging_service_sid"]) == ("accepted", None, service)
    assert api.get(f"/Messages/{made['sid']}")["from"] == US
    uk = api.text("+442079460612", MessagingServiceSid=service)
    assert api.get(f"/Messages/{uk['sid']}")["from"] == UK
    assert api.refused("POST", "/Messages", To=ANA, Body="x", From=US, MessagingServiceSid=api.service()) == (
        400,
        21711,
    )


def test_a_stop_is_against_the_whole_service(api: Twilio) -> None:
    service = api.service("us", "uk")
    api.episode.app("twilio")
    items = json.dumps({"contact_id": CAI, "sender_id": service, "status": "opt-out"})
    api.post("/accounts/v1/Consents/Bulk", Items=items)
    for sender in ({"From": US}, {"From": UK}, {"MessagingServiceSid": service}):
        assert api.refused("POST", "/Messages", To=CAI, Body="x", **sender) == (400, 21610)


def test_smart_encoding_saves_segments(api: Twilio) -> None:
    text = "“It’s fine” – " * 8
    plain, smart = api.text(body=text), api.text(body=text, SmartEncoded="true")
    assert (plain["num_segments"], smart["num_segments"]) == ("2", "1")
    assert "“" not in smart["body"]
    pooled = api.text(body=text, MessagingServiceSid=api.service("us"))
    assert (pooled["status"], pooled["from"], pooled["num_segments"]) == ("accepted", None, "0")
    assert api.get(f"/Messages/{pooled['sid']}")["num_segments"] == "1"


def test_a_service_lives_and_dies(api: Twilio) -> None:
    sid = api.service("us", UseInboundWebhookOnNumber="true")
    path = f"/messaging/v1/Services/{sid}"
    assert api.get(path)["use_inbound_webhook_on_number"] is True
    assert api.post(path, FriendlyName="New", StickySender="false")["sticky_sender"] is False
    assert api.refused("POST", path, StatusCallback="x") == (400, 21609)
    assert api.refused("POST", "/messaging/v1/Services") == (400, 20001)
    assert api.refused("POST", f"{path}/PhoneNumbers", PhoneNumberSid=api.number("us")) == (409, 21710)
    assert api.refused("POST", f"{path}/PhoneNumbers", PhoneNumberSid="PN1") == (404, 20404)
    other = f"/messaging/v1/Services/{api.service()}"
    assert api.refused("POST", f"{other}/PhoneNumbers", PhoneNumberSid=api.number("us")) == (409, 21712)
    (number,) = api.get(f"{path}/PhoneNumbers")["phone_numbers"]
    assert (number["phone_number"], number["capabilities"]) == (US, ["Voice", "SMS", "MMS"])
    assert api.get(f"{path}/PhoneNumbers/{number['sid']}") == number
    api("DELETE", f"{path}/PhoneNumbers/{number['sid']}")
    assert api.refused("GET", f"{path}/PhoneNumbers/{number['sid']}") == (404, 20404)
    assert [s["friendly_name"] for s in api.get("/messaging/v1/Services")["services"]] == ["Pool", "New"]
    api("DELETE", path)
    assert api.refused("GET", path) == (404, 20404)


# Calls


def test_a_call_goes_on_until_somebody_hangs_up(api: Twilio) -> None:
    made = api.call(Record="true")
    assert (made["status"], made["start_time"], made["from_formatted"]) == ("queued", None, "(617) 555-0200")
    path = f"/Calls/{made['sid']}"
    assert api.get(path)["status"] == "in-progress"
    assert api.get(f"{path}/Recordings")["recordings"][0]["status"] == "in-progress"
    assert api.refused("DELETE", path) == (409, 20009)
    api.pass_by(70)
    assert api.post(path, Status="canceled")["status"] == "in-progress"
    over = api.post(path, Status="completed")
    assert (over["status"], over["duration"], over["price"]) == ("completed", "71", "-0.02800")
    assert api.get("/Recordings", CallSid=made["sid"])["recordings"][0]["status"] == "completed"
    for params in ({"Status": "completed"}, {"Twiml": "<Response/>"}, {"Url": "https://x.example"}):
        assert api.refused("POST", path, **params) == (400, 21220)
    api("DELETE", path)
    assert api.refused("GET", path) == (404, 20404)


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"To": ANA, "From": LINE}, 21205),
        ({"To": ANA, "From": LINE, "Url": "x"}, 21205),
        ({"To": ANA, "From": LINE, "Url": ""}, 21205),
        ({"To": ANA, "Url": "https://x.example"}, 21213),
        ({"From": LINE, "Url": "https://x.example"}, 21201),
        ({"To": "1", "From": LINE, "Url": "https://x.example"}, 21211),
        ({"To": "+15005550001", "From": LINE, "Url": "https://x.example"}, 21217),
        ({"To": "+15005550003", "From": LINE, "Url": "https://x.example"}, 21215),
        ({"To": ANA, "From": UK, "Url": "https://x.example"}, 21210),
        ({"To": ANA, "From": ANA, "Url": "https://x.example"}, 21210),
        ({"To": ANA, "From": "?", "Url": "https://x.example"}, 21212),
        ({"To": ANA, "From": LINE, "ApplicationSid": "AP1"}, 21218),
        ({"To": ANA, "From": LINE, "Twiml": "<Response><Say>Hi</Response>"}, 12100),
        ({"To": ANA, "From": LINE, "Twiml": "<Say>Hi</Say>"}, 12100),
        ({"To": ANA, "From": LINE, "Twiml": "hello"}, 12100),
        (
            {
                "To": ANA,
                "From": LINE,
                "Twiml": '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><Response>&e;</Response>',
            },
            12100,
        ),
        ({"To": ANA, "From": LINE, "Twiml": f"<Response><Say>{'x' * 4000}</Say></Response>"}, 21658),
    ],
)
def test_calls_that_are_refused(api: Twilio, params: dict[str, Any], code: int) -> None:
    assert api.refused("POST", "/Calls", **params) == (400, code)


def test_what_is_said_takes_its_time(api: Twilio) -> None:
    made = api.call(
        Twiml="<Response><Pause length='20'/><Say>ten words take four seconds at the pace of Twilio</Say></Response>"
    )
    path = f"/Calls/{made['sid']}"
    api.pass_by(23)
    assert api.get(path)["status"] == "in-progress"
    api.pass_by(1)
    over = api.get(path)
    assert (over["status"], over["duration"], over["end_time"]) == (
        "completed",
        "24",
        "Mon, 02 Mar 2026 09:00:25 +0000",
    )
    assert api.refused("POST", path, Status="completed") == (400, 21220)
    limited = api.call(TimeLimit=30)
    longer = api.call(Twiml="<Response><Pause length='20'/></Response>")
    assert (
        api.post(f"/Calls/{longer['sid']}", Twiml="<Response><Pause length='90'/></Response>")["status"]
        == "in-progress"
    )
    api.pass_by(40)
    statuses = [api.get(f"/Calls/{c['sid']}")["status"] for c in (limited, longer)]
    assert statuses == ["completed", "in-progress"]


def test_calls_are_listed_and_filtered(api: Twilio) -> None:
    def seconds(**params: Any) -> list[str | None]:
        return [c["duration"] for c in api.get("/Calls", **params)["calls"]]

    assert seconds() == [None, "0", "61"]
    assert seconds(Status="busy") == ["0"]
    assert seconds(From=ANA) == ["61"]
    assert seconds(StartTime="2026-03-02") == [None]
    assert seconds(**{"StartTime<": "2026-02-26"}) == ["0", "61"]
    assert seconds(**{"EndTime>": "2026-02-26T09:30:00Z"}) == ["0"]
    assert api.refused("GET", "/Calls", Status="asleep") == (400, 20001)


def test_a_recording_is_paused_stopped_and_deleted(api: Twilio) -> None:
    call = api.call()["sid"]
    made = api.post(f"/Calls/{call}/Recordings", RecordingChannels="dual")
    path = f"/Calls/{call}/Recordings/{made['sid']}"
    assert (made["status"], made["channels"], made["duration"]) == ("in-progress", 2, "-1")
    assert api.refused("DELETE", f"/Recordings/{made['sid']}") == (409, 20009)
    assert api.post(path, Status="paused")["status"] == "paused"
    assert api.post(f"/Calls/{call}/Recordings/Twilio.CURRENT", Status="in-progress")["status"] == "in-progress"
    assert api.post(path, Status="stopped")["status"] == "stopped"
    assert api.refused("POST", path, Status="in-progress") == (400, 21220)
    assert api.get(path) == api.get(f"/Recordings/{made['sid']}")
    api("DELETE", path)
    assert api.refused("GET", f"/Recordings/{made['sid']}") == (404, 20404)
    kept = api.post(f"/Calls/{call}/Recordings")["sid"]
    api.post(f"/Calls/{call}", Status="completed")
    assert api.refused("POST", f"/Calls/{call}/Recordings") == (400, 21220)
    api("DELETE", f"/Calls/{call}")
    assert api.get(f"/Recordings/{kept}")["status"] == "completed"
    api("DELETE", f"/Recordings/{kept}")


# Conferences


def test_a_conference_begins_with_its_first_participant_and_ends_with_its_last(api: Twilio) -> None:
    ana = api.post("/Conferences/Standup/Participants", From=LINE, To=ANA, Label="ana", EarlyMedia="true")
    ben = api.post("/Conferences/Standup/Participants", From=LINE, To=BEN, Muted="true")
    room = ana["conference_sid"]
    assert (ben["conference_sid"], ana["status"], ben["muted"]) == (room, "queued", True)
    assert api.get(f"/Conferences/{room}")["status"] == "in-progress"
    assert api.refused("POST", "/Conferences/Standup/Participants", From=LINE, To=CAI, Label="ana") == (400, 16025)
    assert api.refused("POST", f"/Conferences/CF{'0' * 32}/Participants", From=LINE, To=CAI) == (404, 20404)
    people = f"/Conferences/{room}/Participants"
    assert api.get(f"{people}/ana")["call_sid"] == ana["call_sid"]
    assert [p["call_sid"] for p in api.get(people, Muted="true")["participants"]] == [ben["call_sid"]]
    assert api.post(f"{people}/{ben['call_sid']}", Muted="false", Hold="true")["hold"] is True
    assert api.refused("POST", f"{people}/ana", CallSidToCoach="CA1") == (400, 20001)
    api("DELETE", f"{people}/ana")
    assert api.get(f"/Calls/{ana['call_sid']}")["status"] == "completed"
    assert len(api.get(people)["participants"]) == 1
    api.post(f"/Calls/{ben['call_sid']}", Status="completed")
    over = api.get(f"/Conferences/{room}")
    assert (over["status"], over["reason_conference_ended"], over["call_sid_ending_conference"]) == (
        "completed", "last-participant-left", ben["call_sid"],
    )  # fmt: skip
    assert api.refused("GET", f"{people}/{ben['call_sid']}") == (404, 20404)
    assert api.refused("POST", f"/Conferences/{room}", Status="completed") == (400, 20001)
    assert api.refused("POST", f"{people}", From=LINE, To=CAI) == (400, 20001)
    assert api.get(f"/Conferences/{room}/Recordings")["recordings"] == []


def test_twiml_joins_a_conference_and_the_api_ends_it(api: Twilio) -> None:
    twiml = "<Response><Dial><Conference {}>Daily</Conference></Dial></Response>"
    waiting = api.call(Twiml=twiml.format("startConferenceOnEnter='false'"))
    (room,) = api.get("/Conferences", FriendlyName="Daily")["conferences"]
    assert room["status"] == "init"
    host = api.call(CAI, Twiml=twiml.format("endConferenceOnExit='true'"))
    assert api.get("/Conferences", Status="in-progress")["conferences"][0]["sid"] == room["sid"]
    api.post(f"/Calls/{host['sid']}", Status="completed")
    assert (
        api.get(f"/Conferences/{room['sid']}")["reason_conference_ended"]
        == "participant-with-end-conference-on-exit-left"
    )
    assert api.get(f"/Calls/{waiting['sid']}")["status"] == "completed"
    again = api.call(Twiml=twiml.format(""))
    (room,) = api.get("/Conferences", Status="in-progress")["conferences"]
    assert (
        api.post(f"/Conferences/{room['sid']}", Status="completed")["reason_conference_ended"]
        == "conference-ended-via-api"
    )
    assert api.get(f"/Calls/{again['sid']}")["status"] == "completed"


# Numbers


def test_a_number_is_searched_bought_set_up_and_released(api: Twilio) -> None:
    found = api.get("/AvailablePhoneNumbers/US/Local", AreaCode=617, SmsEnabled="true")["available_phone_numbers"]
    assert {(n["locality"], n["region"], n["phone_number"][:5]) for n in found} == {("Boston", "MA", "+1617")}
    number = found[0]["phone_number"]
    made = api.post("/IncomingPhoneNumbers", PhoneNumber=number, SmsUrl="https://x.example/sms", FriendlyName="Boston")
    assert (made["friendly_name"], made["sms_url"], made["capabilities"]["sms"]) == (
        "Boston",
        "https://x.example/sms",
        True,
    )
    assert api.refused("POST", "/IncomingPhoneNumbers", PhoneNumber=number) == (400, 21422)
    path = f"/IncomingPhoneNumbers/{made['sid']}"
    assert api.refused("POST", path, VoiceUrl="x y") == (400, 21502)
    assert api.post(path, VoiceUrl="https://x.example/v", SmsUrl="")["sms_url"] == ""
    assert api.post("/Messages", From=number, To=ANA, Body="Hi")["status"] == "queued"
    assert [n["sid"] for n in api.get("/IncomingPhoneNumbers", PhoneNumber=number)["incoming_phone_numbers"]] == [
        made["sid"]
    ]
    api("DELETE", path)
    assert api.refused("POST", "/Messages", From=number, To=ANA, Body="Hi") == (400, 21659)
    assert api.refused("GET", path) == (404, 20404)


def test_searches_for_numbers(api: Twilio) -> None:
    def found(path: str = "US/Local", **params: Any) -> list[dict[str, Any]]:
        return api.get(f"/AvailablePhoneNumbers/{path}", **params)["available_phone_numbers"]

    assert len(found()) == 30
    assert found() == found()
    assert len(found(PageSize=3)) == 3
    assert {n["region"] for n in found(InRegion="ca")} == {"CA"}
    assert {n["locality"] for n in found(InLocality="New York")} == {"New York"}
    assert {n["postal_code"] for n in found(InPostalCode="60601")} == {"60601"}
    assert {n["locality"] for n in found(NearLatLong="37.8,-122.3", Distance=20)} == {"San Francisco", "Oakland"}
    assert {n["locality"] for n in found(NearNumber="+16175550100", Distance=5)} == {"Boston"}
    assert all("555" in n["phone_number"] for n in found(Contains="kjk"))
    assert found(Contains="617******9")
    assert found(SmsEnabled="false") == found(FaxEnabled="true") == []
    assert {n["phone_number"][2:5] for n in found("US/TollFree")} <= {"833", "844", "855", "866", "877", "888"}
    assert found("GB/Local", ExcludeAllAddressRequired="true") == []
    assert {n["phone_number"][:4] for n in found("GB/Mobile")} == {"+447"}
    assert api.refused("GET", "/AvailablePhoneNumbers/US/Local", Contains="6") == (400, 21421)
    assert api.refused("GET", "/AvailablePhoneNumbers/US/Local", NearLatLong="x") == (400, 20001)
    assert api.refused("GET", "/AvailablePhoneNumbers/FR/Local") == (404, 20404)
    assert api.refused("GET", "/AvailablePhoneNumbers/US/Mobile") == (404, 20404)
    assert [c["country_code"] for c in api.get("/AvailablePhoneNumbers")["countries"]] == ["US", "CA", "GB"]
    assert api.get("/AvailablePhoneNumbers/GB")["country"] == "United Kingdom"
    assert api.refused("GET", "/AvailablePhoneNumbers/FR") == (404, 20404)


def test_purchases_that_are_refused_and_an_address(api: Twilio) -> None:
    assert api.refused("POST", "/IncomingPhoneNumbers") == (400, 21421)
    assert api.refused("POST", "/IncomingPhoneNumbers", PhoneNumber="x") == (400, 21421)
    assert api.refused("POST", "/IncomingPhoneNumbers", PhoneNumber=ANA) == (400, 21422)
    assert api.refused("POST", "/IncomingPhoneNumbers", AreaCode="12") == (400, 21451)
    assert api.refused("POST", "/IncomingPhoneNumbers", AreaCode="999") == (400, 21452)
    assert api.post("/IncomingPhoneNumbers", AreaCode="312")["phone_number"].startswith("+1312")
    uk = api.get("/AvailablePhoneNumbers/GB/Local")["available_phone_numbers"][0]["phone_number"]
    assert api.refused("POST", "/IncomingPhoneNumbers", PhoneNumber=uk) == (400, 21631)
    assert api.refused("POST", "/IncomingPhoneNumbers", PhoneNumber=uk, AddressSid="AD1") == (400, 21615)
    where = {
        "CustomerName": "Acme",
        "Street": "1 High St",
        "City": "London",
        "Region": "London",
        "PostalCode": "EC1A 1AA",
    }
    assert api.refused("POST", "/Addresses", **where) == (400, 20001)
    address = api.post("/Addresses", **where, IsoCountry="gb")
    assert (address["iso_country"], address["validated"]) == ("GB", True)
    made = api.post("/IncomingPhoneNumbers", PhoneNumber=uk, AddressSid=address["sid"])
    assert api.refused("DELETE", f"/Addresses/{address['sid']}") == (409, 20409)
    assert api.post(f"/Addresses/{address['sid']}", Street="2 High St")["street"] == "2 High St"
    assert api.get(f"/Addresses/{address['sid']}") == api.get("/Addresses", IsoCountry="GB")["addresses"][0]
    api("DELETE", f"/IncomingPhoneNumbers/{made['sid']}")
    api("DELETE", f"/Addresses/{address['sid']}")
    assert api.get("/Addresses")["addresses"] == []


def test_a_verified_caller_id_may_be_called_from(api: Twilio) -> None:
    assert api.get("/OutgoingCallerIds")["outgoing_caller_ids"] == []
    world = Twilio(world="quaymark")
    (mine,) = world.get("/OutgoingCallerIds")["outgoing_caller_ids"]
    path, call = (
        f"/OutgoingCallerIds/{mine['sid']}",
        {"To": ANA, "From": mine["phone_number"], "Url": "https://x.example"},
    )
    assert world.post("/Calls", **call)["from"] == mine["phone_number"]
    assert world.refused("POST", "/Messages", To=ANA, From=mine["phone_number"], Body="x") == (400, 21659)
    assert world.post(path, FriendlyName="Maya")["friendly_name"] == "Maya"
    assert (
        world.get(path) == world.get("/OutgoingCallerIds", PhoneNumber=mine["phone_number"])["outgoing_caller_ids"][0]
    )
    world("DELETE", path)
    assert world.refused("POST", "/Calls", **call) == (400, 21210)


# Verify


def code_of(api: Twilio, sid: str) -> str:
    row = api.live.store.get(models.Verification, sid)
    assert row is not None
    return row.code


def test_a_code_is_sent_checked_and_used_up(api: Twilio) -> None:
    service = api.post("/verify/v2/Services", FriendlyName="Acme", CodeLength=4)
    path = f"/verify/v2/Services/{service['sid']}"
    made = api.post(f"{path}/Verifications", To=ANA, Channel="sms")
    code = code_of(api, made["sid"])
    assert (made["status"], made["valid"], len(code), len(made["send_code_attempts"])) == ("pending", False, 4, 1)
    again = api.post(f"{path}/Verifications", To=ANA, Channel="call")
    assert (again["sid"], len(again["send_code_attempts"]), code_of(api, made["sid"])) == (made["sid"], 2, code)
    wrong = api.post(f"{path}/VerificationCheck", To=ANA, Code="0000" if code != "0000" else "1111")
    assert (wrong["status"], wrong["valid"]) == ("pending", False)
    right = api.post(f"{path}/VerificationCheck", VerificationSid=made["sid"], Code=code)
    assert (right["status"], right["valid"]) == ("approved", True)
    assert api.refused("POST", f"{path}/VerificationCheck", To=ANA, Code=code) == (404, 20404)
    assert api.get(f"{path}/Verifications/{made['sid']}")["status"] == "approved"
    assert api.refused("GET", f"{path}/Verifications/{ANA}") == (404, 20404)


def test_five_tries_five_sends_ten_minutes(api: Twilio) -> None:
    service = api.post("/verify/v2/Services", FriendlyName="Acme", CustomCodeEnabled="true")["sid"]
    path = f"/verify/v2/Services/{service}"
    api.post(f"{path}/Verifications", To=ANA, Channel="sms", CustomCode="123456")
    for _ in range(5):
        assert api.post(f"{path}/VerificationCheck", To=ANA, Code="654321")["status"] == "pending"
    assert api.refused("POST", f"{path}/VerificationCheck", To=ANA, Code="123456") == (429, 60202)
    assert api.get(f"{path}/Verifications/{ANA}")["status"] == "max_attempts_reached"
    assert api.refused("POST", f"{path}/Verifications", To=ANA, Channel="sms") == (429, 60202)
    for _ in range(5):
        api.post(f"{path}/Verifications", To=CAI, Channel="sms", CustomCode="4444")
    assert api.refused("POST", f"{path}/Verifications", To=CAI, Channel="sms") == (429, 60203)
    api.pass_by(600)
    assert api.refused("POST", f"{path}/VerificationCheck", To=CAI, Code="4444") == (404, 20404)
    assert api.refused("GET", f"{path}/Verifications/{CAI}") == (404, 20404)
    fresh = api.post(f"{path}/Verifications", To=CAI, Channel="sms")
    assert len(fresh["send_code_attempts"]) == 1
    assert api.post(f"{path}/Verifications/{fresh['sid']}", Status="canceled")["status"] == "canceled"
    assert api.refused("POST", f"{path}/Verifications/{fresh['sid']}", Status="approved") == (404, 20404)


def test_verifications_that_are_refused(api: Twilio) -> None:
    service = api.post("/verify/v2/Services", FriendlyName="Acme")["sid"]
    path = f"/verify/v2/Services/{service}"
    assert api.refused("POST", "/verify/v2/Services", FriendlyName="Acme 12345") == (400, 60200)
    assert api.refused("POST", "/verify/v2/Services", FriendlyName="Acme", CodeLength=11) == (400, 60200)
    assert api.refused("POST", f"{path}/Verifications", To="x", Channel="sms") == (400, 60200)
    assert api.refused("POST", f"{path}/Verifications", To="x", Channel="email") == (400, 60200)
    assert api.refused("POST", f"{path}/Verifications", To=ANA, Channel="pigeon") == (400, 60200)
    assert api.refused("POST", f"{path}/Verifications", To=ANA) == (400, 20001)
    assert api.refused("POST", f"{path}/Verifications", To="+18005550100", Channel="sms") == (403, 60205)
    assert api.refused("POST", f"{path}/Verifications", To=ANA, Channel="sms", CustomCode="123456") == (403, 60204)
    assert api.refused("POST", f"{path}/VerificationCheck", Code="1234") == (400, 60200)
    assert api.refused("POST", f"/verify/v2/Services/VA{'0' * 32}/Verifications", To=ANA, Channel="sms") == (404, 20404)
    assert api.post(path, FriendlyName="Renamed", TtsName="Ren")["friendly_name"] == "Renamed"
    assert api.get("/verify/v2/Services")["services"][0] == api.get(path)
    api.post(f"{path}/Verifications", To="ana@x.example", Channel="email")
    api("DELETE", path)
    assert api.refused("GET", path) == (404, 20404)


def test_a_code_to_an_own_number_comes_in_as_a_text(api: Twilio) -> None:
    service = api.post("/verify/v2/Services", FriendlyName="Acme")["sid"]
    api.post(f"/verify/v2/Services/{service}/Verifications", To=US, Channel="sms")
    text = api.get("/Messages", To=US, PageSize=1)["messages"][0]["body"]
    done = api.post(f"/verify/v2/Services/{service}/VerificationCheck", To=US, Code=text.rpartition(" ")[2])
    assert done["valid"] is True


# Conversations


def test_a_conversation_texts_its_phones(api: Twilio) -> None:
    room = api.post("/conversations/v1/Conversations", FriendlyName="Order 7", UniqueName="order-7")
    path = "/conversations/v1/Conversations/order-7"
    phone = {"MessagingBinding.Address": ANA, "MessagingBinding.ProxyAddress": US}
    ana = api.post(f"{path}/Participants", **phone)
    maya = api.post(f"{path}/Participants", Identity="maya", Attributes='{"role": "agent"}')
    assert ana["messaging_binding"] == {"type": "sms", "address": ANA, "proxy_address": US}
    said = api.post(f"{path}/Messages", Author="maya", Body="On its way")
    assert (said["index"], said["participant_sid"], said["delivery"]["delivered"]) == (0, maya["sid"], "all")
    text = api.get("/Messages", To=ANA, PageSize=1)["messages"][0]
    assert (text["body"], text["from"], text["status"]) == ("On its way", US, "delivered")
    told = api.post(f"{path}/Messages", Author=ANA, Body="Thanks")
    assert (told["index"], told["delivery"], told["participant_sid"]) == (1, None, ana["sid"])
    assert [m["body"] for m in api.get(f"{path}/Messages", Order="desc")["messages"]] == ["Thanks", "On its way"]
    assert api.post(f"{path}/Messages/{told['sid']}", Body="Thanks!")["body"] == "Thanks!"
    assert api.get(f"{path}/Messages/{told['sid']}")["body"] == "Thanks!"
    api("DELETE", f"{path}/Messages/{told['sid']}")
    assert api.refused("GET", f"{path}/Messages/{told['sid']}") == (404, 20404)
    assert api.post(f"{path}/Messages", Body="Index goes on")["index"] == 2
    assert api.post(f"{path}/Participants/maya", LastReadMessageIndex=2)["last_read_message_index"] == 2
    assert api.get(f"{path}/Participants/{maya['sid']}")["attributes"] == '{"role": "agent"}'
    api("DELETE", f"{path}/Participants/maya")
    assert [p["sid"] for p in api.get(f"{path}/Participants")["participants"]] == [ana["sid"]]
    api("DELETE", path)
    assert api.refused("GET", f"/conversations/v1/Conversations/{room['sid']}") == (404, 20404)


def test_conversations_that_are_refused(api: Twilio) -> None:
    rooms = "/conversations/v1/Conversations"
    one = f"{rooms}/{api.post(rooms, UniqueName='one')['sid']}"
    two = f"{rooms}/{api.post(rooms)['sid']}"
    phone = {"MessagingBinding.Address": ANA, "MessagingBinding.ProxyAddress": US}
    api.post(f"{one}/Participants", **phone)
    api.post(f"{one}/Participants", Identity="maya")
    assert api.refused("POST", rooms, UniqueName="one") == (409, 50353)
    assert api.refused("POST", rooms, UniqueName=f"CH{'0' * 32}") == (400, 50390)
    assert api.refused("POST", rooms, State="closed") == (400, 50384)
    assert api.refused("POST", rooms, Attributes="{") == (400, 50304)
    assert api.refused("POST", rooms, MessagingServiceSid="MG1") == (404, 21701)
    assert api.refused("POST", f"{one}/Participants", Identity="maya") == (409, 50433)
    assert api.refused("POST", f"{two}/Participants", **phone) == (409, 50416)
    assert api.refused("POST", f"{two}/Participants") == (400, 50407)
    assert api.refused("POST", f"{two}/Participants", **{"MessagingBinding.Address": ANA}) == (400, 50412)
    assert api.refused("POST", f"{two}/Participants", **{**phone, "MessagingBinding.ProxyAddress": LINE}) == (
        400,
        50408,
    )
    assert api.refused("POST", f"{two}/Participants", **{**phone, "MessagingBinding.Address": US}) == (400, 50409)
    assert api.refused("POST", f"{two}/Messages") == (400, 50503)
    assert api.post(one, State="closed")["state"] == "closed"
    assert api.refused("POST", one, State="active") == (400, 50377)
    assert api.refused("POST", f"{one}/Messages", Body="x") == (400, 50377)
    assert api.post(f"{two}/Participants", **phone)["sid"].startswith("MB")
    assert [r["state"] for r in api.get(rooms, State="closed")["conversations"]] == ["closed"]


def test_pages_of_the_newer_products(api: Twilio) -> None:
    rooms = "/conversations/v1/Conversations"
    made = [api.post(rooms, FriendlyName=f"r{n}")["sid"] for n in range(5)]
    page, walked = api.get(rooms, PageSize=2), list[str]()
    while True:
        walked += [r["sid"] for r in page["conversations"]]
        if page["meta"]["next_page_url"] is None:
            break
        page = api.get(f"{rooms}?{urlsplit(page['meta']['next_page_url']).query}")
    assert walked == made[::-1]
    assert (page["meta"]["key"], page["meta"]["page"]) == ("conversations", 2)
    assert page["meta"]["previous_page_url"]


# Lookups, usage, the account


def test_lookups(api: Twilio) -> None:
    path = "/lookups/v2/PhoneNumbers"
    found = api.get(f"{path}/%2B442079460611", Fields="line_type_intelligence,caller_name")
    assert (found["valid"], found["country_code"], found["national_format"]) == (True, "GB", "020 7946 0611")
    assert found["line_type_intelligence"]["type"] == "landline"
    assert api.get(f"{path}/2079460611", CountryCode="GB")["phone_number"] == BEN
    assert api.get(f"{path}/{US}", Fields="line_type_intelligence")["line_type_intelligence"]["type"] == "nonFixedVoip"
    faults = {t: api.get(f"{path}/{t}")["validation_errors"] for t in ("abc", "617", "16175550100999", ANA)}
    assert faults == {"abc": ["NOT_A_NUMBER"], "617": ["TOO_SHORT"], "16175550100999": ["TOO_LONG"], ANA: []}
    assert api.refused("GET", f"{path}/{ANA}", Fields="shoe_size") == (400, 20001)
    assert api.refused("GET", f"{path}/{ANA}", Fields="sim_swap") == (403, 60606)


def test_usage_adds_up(api: Twilio) -> None:
    api.text(body="x" * 200)
    records = {r["category"]: r for r in api.get("/Usage/Records")["usage_records"]}
    assert (records["sms-outbound"]["count"], records["sms-outbound"]["usage"]) == ("3", "4")
    assert (records["calls-inbound"]["count"], records["calls-inbound"]["usage"]) == ("1", "2")
    parts = [float(r["price"]) for c, r in records.items() if "-" not in c and c != "totalprice"]
    assert abs(sum(parts) - float(records["totalprice"]["price"])) < 1e-4
    daily = api.get("/Usage/Records/Daily", Category="sms")["usage_records"]
    assert [(r["start_date"], r["count"]) for r in daily] == [
        ("2026-03-02", "1"), ("2026-03-01", "2"), ("2026-02-28", "1"), ("2026-02-27", "1"),
    ]  # fmt: skip
    (february,) = api.get("/Usage/Records/LastMonth", Category="sms")["usage_records"]
    assert (february["start_date"], february["end_date"], february["count"]) == ("2026-02-01", "2026-02-28", "2")
    (some,) = api.get("/Usage/Records", Category="sms", StartDate="2026-03-01", EndDate="2026-03-01")["usage_records"]
    assert some["count"] == "2"
    assert api.refused("GET", "/Usage/Records", Category="pigeons") == (400, 20001)
    before = float(api.get("/Balance")["balance"])
    api.text()
    assert round(before - float(api.get("/Balance")["balance"]), 4) == 0.0083


def test_what_was_used_stays_charged_when_its_record_is_deleted(api: Twilio) -> None:
    found = api.get("/AvailablePhoneNumbers/US/Local", PageSize=1)["available_phone_numbers"][0]["phone_number"]
    number, text, call = (
        api.post("/IncomingPhoneNumbers", PhoneNumber=found)["sid"],
        api.text()["sid"],
        api.call()["sid"],
    )
    api.post(f"/Calls/{call}/Recordings")
    api.post(f"/Calls/{call}", Status="completed")
    recording = api.get("/Recordings", CallSid=call)["recordings"][0]["sid"]

    def charged() -> tuple[str, dict[str, tuple[str, str]]]:
        records = api.get("/Usage/Records", PageSize=100)["usage_records"]
        return api.get("/Balance")["balance"], {r["category"]: (r["count"], r["price"]) for r in records}

    before = charged()
    for path in (f"/Messages/{text}", f"/Recordings/{recording}", f"/Calls/{call}", f"/IncomingPhoneNumbers/{number}"):
        api("DELETE", path)
        assert charged() == before, path
    assert not {"pastuse"} & {c.table for c in api.episode.changes()}


def test_the_account_in_the_path_is_the_callers(api: Twilio) -> None:
    assert api.get(f"/2010-04-01/Accounts/{api.account}.json")["friendly_name"] == "Brightwater"
    other = f"/2010-04-01/Accounts/AC{'0' * 32}"
    assert api.refused("GET", f"{other}/Messages.json") == (404, 20404)
    assert api.refused("POST", f"{other}/Messages.json", To=ANA, From=US, Body="x") == (404, 20404)
    assert api.refused("GET", "/2010-04-01/Nothing") == (404, 20404)
    assert api.refused("PUT", "/Messages") == (405, 20004)
    assert api.get("/Messages", Unknown="x")["messages"]


# Agents, and the capability


async def test_tools_answer_compactly_and_errors_carry_the_envelope(api: Twilio) -> None:
    async with Client(serve(api.episode, ["twilio"])) as client:
        sent = await client.call_tool("create_message", {"To": ANA, "From": US, "Body": "Hi"})
        assert sent.structured_content
        assert sent.structured_content["status"] == "queued"
        assert not sent.structured_content.keys() & {"uri", "account_sid", "price"}
        page = (await client.call_tool("list_messages", {"PageSize": 2})).structured_content
        assert page
        token = dict(parse_qsl(urlsplit(page["next_page_uri"]).query))["PageToken"]
        rest = (await client.call_tool("list_messages", {"PageSize": 2, "PageToken": token})).structured_content
        assert rest
        assert len({m["sid"] for m in [*page["messages"], *rest["messages"]]}) == 4
        bad = await client.call_tool("fetch_message", {"Sid": "SM1"})
        assert bad.is_error
        said = json.loads(bad.content[0].text)  # pyright: ignore[reportAttributeAccessIssue]
        assert (said["code"], said["status"]) == (20404, 404)
        assert f"/2010-04-01/Accounts/{api.account}/Messages/SM1.json" in said["message"]
        strange = await client.call_tool("fetch_message", {"Sid": "SM1", "Colour": "red"})
        assert strange.is_error


def test_what_was_filled_is_seen_again(api: Twilio) -> None:
    provider, ctx, seen = api.live.app.provides["sms_voice"], Ctx(api.live, None, None, Request()), dict[str, Any]()
    for table, shape in api.live.app.shapes.items():
        for raw in api.live.store.connection.execute(shape.select):
            if (entity := provider.view(ctx, table, shape.decode(raw))) is not None:
                seen[entity.id] = entity
    for entity in WORLD:
        shown = seen[api.live.refs(f"sms_voice.{type(entity).__name__}")[entity.key]]
        assert shown.model_dump(exclude={"id", "key", "created"}) == entity.model_dump(exclude={"id", "key", "created"})
