"""twilio-python, unmodified but for the base URL of each product, against the Twilio app over real HTTP."""

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from twilio.base.exceptions import TwilioRestException
from twilio.rest import Client
from twilio.twiml.voice_response import Dial, VoiceResponse

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = [
    pytest.mark.sdk,
    # The SDK's session leaves its connections to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SENDER, ANA, LINE = "+13125550180", "+16145550162", "+16175550190"


def connect(rest: str, account: str) -> Any:
    """What a program changes: where each product is."""
    client = Client(account, "token")
    client.api.base_url = rest
    for product in ("messaging", "verify", "conversations", "lookups", "accounts"):
        getattr(client, product).base_url = f"{rest}/{product}"
    return client


@pytest.fixture
def client(gateway: "Gateway") -> Any:
    rest = gateway.episode(["twilio"]).rest("twilio")
    (account,) = connect(rest, "AC0").api.v2010.accounts.list()
    return connect(rest, account.sid)


def refused(call: Any, *args: Any, **kwargs: Any) -> tuple[int, int | None]:
    with pytest.raises(TwilioRestException) as caught:
        call(*args, **kwargs)
    return caught.value.status, caught.value.code


def test_the_account(client: Any) -> None:
    account = client.api.v2010.accounts(client.account_sid).fetch()
    assert (account.friendly_name, account.status) == ("Quaymark", "active")
    assert float(client.balance.fetch().balance) > 0
    assert [c.phone_number for c in client.outgoing_caller_ids.list()]


def test_a_text(client: Any) -> None:
    made = client.messages.create(to=ANA, from_=SENDER, body="Yard 1 opens at 7.")
    assert (made.status, made.direction, made.date_created.tzinfo) == ("queued", "outbound-api", UTC)
    found = client.messages(made.sid).fetch()
    assert (found.status, found.price, found.error_code) == ("delivered", "-0.00830", None)
    assert client.messages(made.sid).update(body="").body == ""
    assert client.messages(made.sid).delete() is True
    assert refused(client.messages(made.sid).fetch) == (404, 20404)
    assert refused(client.messages.create, to=ANA, from_=LINE, body="x") == (400, 21606)
    assert refused(client.messages.create, to="12", from_=SENDER, body="x") == (400, 21211)
    pictured = client.messages.create(to=ANA, from_=SENDER, media_url=["https://x.example/yard.png"])
    assert [m.content_type for m in client.messages(pictured.sid).media.list()] == ["image/png"]


def test_texts_are_walked_page_by_page(client: Any) -> None:
    walked = [m.sid for m in client.messages.stream(page_size=9)]
    assert len(walked) == len(set(walked)) > 50
    assert walked == [m.sid for m in client.messages.list()]
    first = client.messages.page(page_size=5)
    second = first.next_page()
    assert [m.sid for m in second] == walked[5:10]
    assert [m.sid for m in second.previous_page()] == walked[:5]
    day = client.messages.list(
        date_sent_after=datetime(2026, 3, 1, tzinfo=UTC), date_sent_before=datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
    )
    assert {m.date_sent.date() for m in day} == {date(2026, 3, 1)}
    assert {m.from_ for m in client.messages.list(from_=SENDER, limit=5)} == {SENDER}


def test_a_call(client: Any) -> None:
    said = VoiceResponse()
    said.say("Good morning")
    said.pause(length=500)
    made = client.calls.create(to=ANA, from_=LINE, twiml=str(said), record=True)
    assert made.status == "queued"
    assert client.calls(made.sid).fetch().status == "in-progress"
    recording = client.calls(made.sid).recordings.create()
    assert client.calls(made.sid).recordings(recording.sid).update(status="paused").status == "paused"
    assert client.calls(made.sid).update(status="completed").status == "completed"
    assert {r.status for r in client.recordings.list(call_sid=made.sid)} == {"completed"}
    assert client.recordings(recording.sid).delete() is True
    assert refused(client.calls(made.sid).update, status="completed") == (400, 21220)
    assert refused(client.calls.create, to=ANA, from_=LINE, twiml="<Response>") == (400, 12100)
    assert client.calls.list(status="in-progress", limit=5)
    assert all(
        c.start_time.date() == date(2026, 2, 27)
        for c in client.calls.list(start_time=datetime(2026, 2, 27, tzinfo=UTC))
    )


def test_a_conference(client: Any) -> None:
    said = VoiceResponse()
    dial = Dial()
    dial.conference("Standup")
    said.append(dial)
    call = client.calls.create(to=ANA, from_=LINE, twiml=said)
    (room,) = client.conferences.list(friendly_name="Standup", status="in-progress")
    joined = client.conferences(room.sid).participants.create(from_=LINE, to="+14025550120", label="omaha", muted=True)
    assert [p.call_sid for p in client.conferences(room.sid).participants.list()] == [call.sid, joined.call_sid]
    assert client.conferences(room.sid).participants("omaha").update(muted=False).muted is False
    assert client.conferences(room.sid).participants("omaha").delete() is True
    assert client.conferences(room.sid).update(status="completed").reason_conference_ended == "conference-ended-via-api"


def test_numbers(client: Any) -> None:
    assert len(client.incoming_phone_numbers.list()) == 4
    offers = client.available_phone_numbers("US").local.list(area_code=415, limit=3)
    assert [o.locality for o in offers] == ["San Francisco"] * 3
    assert client.available_phone_numbers("US").toll_free.list(limit=1)[0].phone_number.startswith("+18")
    assert "GB" in [c.country_code for c in client.available_phone_numbers.list()]
    made = client.incoming_phone_numbers.create(phone_number=offers[0].phone_number, sms_url="https://x.example/sms")
    assert client.incoming_phone_numbers(made.sid).update(friendly_name="West").friendly_name == "West"
    assert refused(client.incoming_phone_numbers.create, phone_number=made.phone_number) == (400, 21422)
    assert client.incoming_phone_numbers(made.sid).delete() is True
    address = client.addresses.create("Quaymark", "1 Quay St", "London", "London", "E1 6AN", "GB")
    assert client.addresses(address.sid).update(city="Bristol").city == "Bristol"


def test_a_messaging_service(client: Any) -> None:
    service = client.messaging.v1.services.create(friendly_name="Dock")
    (number,) = client.incoming_phone_numbers.list(phone_number=SENDER)
    client.messaging.v1.services(service.sid).phone_numbers.create(number.sid)
    again = client.messaging.v1.services(service.sid).phone_numbers.create
    assert refused(again, number.sid) == (409, 21710)
    at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC) + timedelta(hours=3)
    made = client.messages.create(
        to=ANA, body="Later", messaging_service_sid=service.sid, schedule_type="fixed", send_at=at
    )
    assert made.status == "scheduled"
    assert client.messages(made.sid).update(status="canceled").status == "canceled"
    names = [f"Pool {n}" for n in range(5)]
    for name in names:
        client.messaging.v1.services.create(friendly_name=name)
    walked = [s.friendly_name for s in client.messaging.v1.services.list(page_size=2)]
    assert walked == [*names[::-1], "Dock"]
    assert client.messaging.v1.services(service.sid).update(sticky_sender=False).sticky_sender is False
    items = [
        {
            "contact_id": ANA,
            "correlation_id": "a" * 32,
            "sender_id": service.sid,
            "status": "opt-out",
            "source": "website",
        }
    ]
    assert client.accounts.v1.bulk_consents.create(items=items).items[0]["error_code"] == 0
    assert refused(client.messages.create, to=ANA, body="x", messaging_service_sid=service.sid) == (400, 21610)
    assert client.messaging.v1.services(service.sid).delete() is True


def test_a_verification(client: Any) -> None:
    service = client.verify.v2.services.create(friendly_name="Quaymark", custom_code_enabled=True)
    verify = client.verify.v2.services(service.sid)
    made = verify.verifications.create(to=ANA, channel="sms", custom_code="482915")
    assert (made.status, made.valid) == ("pending", False)
    assert verify.verification_checks.create(to=ANA, code="111111").valid is False
    assert verify.verification_checks.create(to=ANA, code="482915").status == "approved"
    assert refused(verify.verification_checks.create, to=ANA, code="482915") == (404, 20404)
    other = verify.verifications.create(to="+14025550120", channel="call")
    assert verify.verifications(other.sid).update(status="canceled").status == "canceled"


def test_a_conversation(client: Any) -> None:
    room = client.conversations.v1.conversations.create(friendly_name="Order 7", unique_name="order-7")
    thread = client.conversations.v1.conversations("order-7")
    thread.participants.create(messaging_binding_address=ANA, messaging_binding_proxy_address=SENDER)
    maya = thread.participants.create(identity="maya")
    for n in range(5):
        thread.messages.create(author="maya", body=f"Message {n}")
    walked = [m.body for m in thread.messages.stream(page_size=2)]
    assert walked == [f"Message {n}" for n in range(5)]
    assert client.messages.list(to=ANA, limit=1)[0].body == "Message 4"
    assert refused(client.conversations.v1.conversations.create, unique_name="order-7") == (409, 50353)
    assert thread.participants(maya.sid).delete() is True
    assert thread.update(state="closed").state == "closed"
    assert refused(thread.messages.create, body="x") == (400, 50377)
    assert client.conversations.v1.conversations(room.sid).delete() is True


def test_lookups_and_usage(client: Any) -> None:
    found = client.lookups.v2.phone_numbers("+442079460608").fetch(fields="line_type_intelligence")
    assert (found.valid, found.country_code, found.line_type_intelligence["type"]) == (True, "GB", "landline")
    records = {r.category: r for r in client.usage.records.list()}
    assert records["sms"].price > 0
    assert records["totalprice"].usage_unit == "usd"
    months = client.usage.records.monthly.list(category="calls")
    assert [r.start_date for r in months][-1] == date(2026, 2, 1)
    (last,) = client.usage.records.last_month.list(category="sms")
    assert (last.start_date, last.end_date) == (date(2026, 2, 1), date(2026, 2, 28))
