"""Twilio: conversations; lookups, usage, the account; agents, and the capability."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from mcp import Client

from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.context import Ctx, Request
from tests.apps.twilio.support import ANA, BEN, LINE, US, WORLD, Twilio


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
