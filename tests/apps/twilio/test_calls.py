"""Twilio: calls; conferences; numbers; verify."""

from typing import Any

import pytest

from tests.apps.twilio.support import ANA, BEN, CAI, LINE, UK, US, Twilio, models


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
