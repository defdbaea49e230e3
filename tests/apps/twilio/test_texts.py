"""Twilio: texts; messaging services."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.twilio.support import ANA, BEN, CAI, LINE, UK, US, Twilio, phones, segments


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
