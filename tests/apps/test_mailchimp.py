"""The Mailchimp app through its public faces: members and their states, segments, campaigns, reports, and the capability."""

import gzip
import hashlib
import io
import json
import tarfile
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.marketing_email import Audience, Campaign, Subscriber
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import encode, handle
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

APP = "mailchimp"
ANN, BOB, CYD, DAN, EVE = (f"{name}@northgrove.example" for name in ("ann", "bob", "cyd", "dan", "eve"))
NEWS = Audience(
    key="news",
    name="News",
    from_name="Alex",
    from_email="alex.doyle@brightwater.example",
    created="2025-01-01T08:00:00Z",
)


def subscriber(email: str, status: Any = "subscribed", *tags: str, at: str = "2025-06-01T08:00:00Z") -> Subscriber:
    name = email.partition("@")[0].title()
    return Subscriber(
        key=email,
        audience="news",
        email=email,
        first_name=name,
        last_name="Stone",
        status=status,
        tags=tags,
        created=at,
    )


ENTITIES: list[Entity] = [
    NEWS, Audience(key="other", name="Other", created="2025-02-01T08:00:00Z"),
    subscriber(ANN, "subscribed", "reader", "vip"), subscriber(BOB, "unsubscribed"), subscriber(CYD, "cleaned"),
    subscriber(DAN, "pending"), subscriber(EVE, "subscribed", "reader", at="2026-01-01T08:00:00Z"),
    Campaign(
        key="old", audience="news", name="Old issue", subject="What was", body="Hello {{first_name}},\n\nit was.", status="sent",
        at="2025-12-01T09:00:00Z", sent=3, opened=1, clicked=1, bounced=1, unsubscribed=1, created="2025-11-30T09:00:00Z",
    ),
    Campaign(key="next", audience="news", name="Next issue", subject="What is", body="It is.", created="2026-02-01T09:00:00Z"),
]  # fmt: skip


@pytest.fixture
def episode() -> Episode:
    return episode_of(APP, ENTITIES)


def md5(email: str) -> str:
    return hashlib.md5(email.lower().encode()).hexdigest()


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = episode.call(APP, tool, arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> Any:
    """The problem document; nothing is written."""
    before = episode.changes()
    reply = episode.call(APP, tool, arguments)
    assert reply.error, reply.body
    assert episode.changes() == before
    body: Any = reply.body
    assert body["status"] == reply.status
    assert body["type"].startswith("https://mailchimp.com/")
    return body


def rest(episode: Episode, method: str, path: str, body: Any = None) -> Reply:
    bare, _, query = path.partition("?")
    headers = {"content-type": "application/json"}
    request = Request(method, bare, path, dict(parse_qsl(query)), headers, "https://here")
    return handle(episode.app(APP), request, b"" if body is None else json.dumps(body).encode())


def got(episode: Episode, method: str, path: str, body: Any = None, status: int = 200) -> Any:
    reply = rest(episode, method, path, body)
    assert reply.status == status, reply.body
    return reply.body


@pytest.fixture
def news(episode: Episode) -> str:
    return episode.app(APP).template.refs["marketing_email.Audience"]["news"]


def draft(episode: Episode, news: str, **changed: Any) -> str:
    """A campaign that is ready to be sent."""
    set_up = {"subject_line": "Hi", "title": "Draft", "from_name": "Alex", "reply_to": "alex@brightwater.example"}
    recipients = changed.pop("recipients", {"list_id": news})
    made = call(episode, "create_campaign", type="regular", recipients=recipients, settings={**set_up, **changed})
    html = '<p>Hi *|FNAME|*, <a href="https://brightwater.example/a">read on</a></p>'
    call(episode, "set_campaign_content", campaign_id=made["id"], html=html)
    return made["id"]


# Members


def test_adding_updating_and_archiving_a_member(episode: Episode, news: str) -> None:
    made = call(
        episode, "add_list_member", list_id=news, email_address="Fay@Northgrove.example", status="subscribed",
        merge_fields={"FNAME": "Fay", "UNKNOWN": "x"}, tags=["reader", "new"],
    )  # fmt: skip
    assert made["id"] == md5("fay@northgrove.example")
    assert made["merge_fields"] == {"FNAME": "Fay"}
    assert [t["name"] for t in made["tags"]] == ["new", "reader"]
    again = call(
        episode,
        "update_list_member",
        list_id=news,
        subscriber_hash=made["id"],
        merge_fields={"LNAME": "Hill"},
        vip=True,
    )
    assert again["full_name"] == "Fay Hill"
    assert again["vip"] is True
    moved = call(
        episode,
        "update_list_member",
        list_id=news,
        subscriber_hash="FAY@northgrove.example",
        email_address="fh@northgrove.example",
    )
    assert moved["id"] == md5("fh@northgrove.example")
    assert (moved["contact_id"], moved["tags_count"]) == (made["contact_id"], 2)
    gone = call(episode, "archive_list_member", list_id=news, subscriber_hash="fh@northgrove.example")
    assert gone["status"] == "archived"
    listed = call(episode, "list_members", list_id=news, count=50)["members"]
    assert "fh@northgrove.example" not in {m["email_address"] for m in listed}
    assert call(episode, "list_members", list_id=news, status="archived")["total_items"] == 1
    twice = refused(episode, "archive_list_member", list_id=news, subscriber_hash="fh@northgrove.example")
    assert (twice["status"], twice["title"]) == (405, "Method Not Allowed")
    back = call(episode, "add_list_member", list_id=news, email_address="fh@northgrove.example", status="subscribed")
    assert (back["contact_id"], back["status"], back["full_name"]) == (made["contact_id"], "subscribed", "Fay Hill")


def test_who_is_on_the_audience_is_not_added_again(episode: Episode, news: str) -> None:
    for email in (ANN, ANN.upper(), BOB):
        body = refused(episode, "add_list_member", list_id=news, email_address=email, status="subscribed")
        assert (body["status"], body["title"]) == (400, "Member Exists")
        assert body["detail"] == f"{email} is already a list member. Use PUT to insert or update list members."
    taken = refused(episode, "update_list_member", list_id=news, subscriber_hash=ANN, email_address=EVE)
    assert taken["title"] == "Member Exists"


@pytest.mark.parametrize("email", [BOB, CYD])
def test_who_left_or_bounced_may_only_be_asked(episode: Episode, news: str, email: str) -> None:
    for tool in ("update_list_member", "set_list_member"):
        for status in ("subscribed", "transactional"):
            body = refused(episode, tool, list_id=news, subscriber_hash=email, status=status)
            assert (body["status"], body["title"]) == (400, "Member In Compliance State")
            assert body["detail"].startswith(f"{email} is in a compliance state")
    assert (
        call(episode, "set_list_member", list_id=news, subscriber_hash=email, status="pending")["status"] == "pending"
    )
    body = refused(episode, "update_list_member", list_id=news, subscriber_hash=email, status="subscribed")
    assert body["title"] == "Member In Compliance State"  # only they themselves can confirm


def test_whom_the_account_took_off_it_may_put_back(episode: Episode, news: str) -> None:
    gone = call(episode, "update_list_member", list_id=news, subscriber_hash=ANN, status="unsubscribed")
    assert (gone["status"], gone["unsubscribe_reason"]) == ("unsubscribed", "N/A (Unsubscribed by an admin)")
    assert [(c.table, c.columns) for c in episode.changes()] == [("member", ("status",))]
    call(episode, "archive_list_member", list_id=news, subscriber_hash=ANN)
    back = call(episode, "add_list_member", list_id=news, email_address=ANN, status="subscribed")
    assert back["status"] == "subscribed"
    assert "unsubscribe_reason" not in back
    call(episode, "update_list_member", list_id=news, subscriber_hash=ANN, status="unsubscribed")
    assert (
        call(episode, "set_list_member", list_id=news, subscriber_hash=ANN, status="subscribed")["status"]
        == "subscribed"
    )
    # Who left by themselves stays so, whatever the account does to them in between.
    for status in ("pending", "unsubscribed"):
        call(episode, "update_list_member", list_id=news, subscriber_hash=BOB, status=status)
    body = refused(episode, "update_list_member", list_id=news, subscriber_hash=BOB, status="subscribed")
    assert body["title"] == "Member In Compliance State"
    call(episode, "archive_list_member", list_id=news, subscriber_hash=BOB)
    body = refused(episode, "add_list_member", list_id=news, email_address=BOB, status="subscribed")
    assert body["title"] == "Member In Compliance State"
    call(episode, "update_list_member", list_id=news, subscriber_hash=ANN, status="cleaned")
    body = refused(episode, "update_list_member", list_id=news, subscriber_hash=ANN, status="subscribed")
    assert body["title"] == "Member In Compliance State"
    assert (
        call(episode, "update_list_member", list_id=news, subscriber_hash=DAN, status="subscribed")["status"]
        == "subscribed"
    )


def test_who_is_deleted_for_good_is_not_added_again(episode: Episode, news: str) -> None:
    call(episode, "add_member_note", list_id=news, subscriber_hash=ANN, note="Likes tea")
    report = call(episode, "list_reports")["reports"][0]
    assert call(episode, "delete_member_permanently", list_id=news, subscriber_hash=ANN)["deleted"] is True
    assert refused(episode, "get_list_member", list_id=news, subscriber_hash=ANN)["title"] == "Resource Not Found"
    for tool, more in (
        ("add_list_member", {"email_address": ANN, "status": "pending"}),
        ("set_list_member", {"subscriber_hash": md5(ANN), "email_address": ANN, "status_if_new": "subscribed"}),
        ("update_list_member", {"subscriber_hash": EVE, "email_address": ANN}),
    ):
        body = refused(episode, tool, list_id=news, **more)
        assert (body["status"], body["title"]) == (400, "Forgotten Email Not Subscribed")
        assert body["detail"].startswith(f"{ANN} was permanently deleted and cannot be re-imported.")
    after = call(episode, "list_reports")["reports"][0]
    for name in ("emails_sent", "unsubscribed", "bounces"):
        assert after[name] == report[name]
    assert after["opens"]["unique_opens"] == report["opens"]["unique_opens"]


def test_put_adds_or_updates(episode: Episode, news: str) -> None:
    fresh = "gil@northgrove.example"
    missing = refused(episode, "set_list_member", list_id=news, subscriber_hash=fresh)
    assert missing["errors"] == [{"field": "", "message": "Required fields were not provided: status_if_new"}]
    other = refused(
        episode,
        "set_list_member",
        list_id=news,
        subscriber_hash=md5("x@y.example"),
        email_address=fresh,
        status_if_new="subscribed",
    )
    assert other["errors"][0]["field"] == "email_address"
    path = f"/lists/{news}/members/{md5(fresh)}"
    made = got(episode, "PUT", path, {"email_address": fresh, "status_if_new": "pending"})
    assert made["status"] == "pending"
    same = got(episode, "PUT", path, {"email_address": fresh, "status_if_new": "subscribed", "language": "de"})
    assert (same["status"], same["language"], same["contact_id"]) == ("pending", "de", made["contact_id"])
    assert [link["rel"] for link in same["_links"][:4]] == ["self", "parent", "update", "upsert"]
    assert same["_links"][0]["href"] == f"https://here{path}"


def test_merge_fields_are_checked(episode: Episode, news: str) -> None:
    def make(**field: Any) -> Any:
        return call(episode, "create_merge_field", list_id=news, **field)

    size = make(name="Size", type="number", tag="size")
    assert size["tag"] == "SIZE"
    make(name="Plan", type="dropdown", tag="PLAN", options={"choices": ["basic", "pro"]})
    made = make(name="Company", type="text", required=True)
    assert made["tag"] == f"MMERGE{made['merge_id']}"
    make(name="Birthday", type="birthday", tag="BDAY")
    make(name="Since", type="date", tag="SINCE")
    bad = {"SIZE": "big", "PLAN": "gold", "BDAY": "13/40", "SINCE": "soon"}
    body = refused(
        episode,
        "add_list_member",
        list_id=news,
        email_address="h@northgrove.example",
        status="subscribed",
        merge_fields=bad,
    )
    assert body["detail"] == "Your merge fields were invalid."
    said = {e["field"]: e["message"] for e in body["errors"]}
    assert said["SIZE"] == "Please enter a number"
    assert said[made["tag"]] == "Please enter a value"
    assert set(said) == {*bad, made["tag"]}
    good = {"SIZE": "12", "PLAN": "pro", "BDAY": "2/9", "SINCE": "03/04/2026", made["tag"]: "Acme"}
    kept = call(
        episode,
        "add_list_member",
        list_id=news,
        email_address="h@northgrove.example",
        status="subscribed",
        merge_fields=good,
    )
    assert kept["merge_fields"] == {
        "SIZE": 12,
        "PLAN": "pro",
        "BDAY": "02/09",
        "SINCE": "2026-03-04",
        made["tag"]: "Acme",
    }
    call(
        episode,
        "add_list_member",
        list_id=news,
        email_address="i@northgrove.example",
        status="subscribed",
        skip_merge_validation=True,
    )
    taken = refused(episode, "create_merge_field", list_id=news, name="Again", type="text", tag="FNAME")
    assert "already exists" in taken["detail"]
    assert (
        refused(episode, "create_merge_field", list_id=news, name="Pick", type="radio")["errors"][0]["field"]
        == "options.choices"
    )
    call(episode, "update_merge_field", list_id=news, merge_id=size["merge_id"], tag="SEATS", required=True)
    shown = call(episode, "get_list_member", list_id=news, subscriber_hash="h@northgrove.example")
    assert shown["merge_fields"]["SEATS"] == 12
    got(episode, "DELETE", f"/lists/{news}/merge-fields/{size['merge_id']}", status=204)
    assert (
        "SEATS"
        not in call(episode, "get_list_member", list_id=news, subscriber_hash="h@northgrove.example")["merge_fields"]
    )


def test_bad_arguments_are_told_field_by_field(episode: Episode, news: str) -> None:
    body = refused(episode, "add_list_member", list_id=news, email_address=3, status="gone")
    assert (body["status"], body["title"]) == (400, "Invalid Resource")
    assert body["detail"].startswith("The resource submitted could not be validated.")
    assert body["errors"] == [
        {"field": "email_address", "message": "Schema describes string, integer found instead"},
        {
            "field": "status",
            "message": "Data presented is not one of the accepted values: subscribed, unsubscribed, cleaned, pending, transactional.",
        },
    ]
    missing = refused(episode, "add_list_member", list_id=news, status="subscribed")
    assert missing["errors"] == [{"field": "", "message": "Required fields were not provided: email_address"}]
    invalid = refused(episode, "add_list_member", list_id=news, email_address="nobody", status="subscribed")
    assert (invalid["title"], invalid["detail"]) == ("Invalid Resource", "Please provide a valid email address.")
    assert "errors" not in invalid
    assert refused(episode, "list_members", list_id=news, count=1001)["errors"][0]["field"] == "count"
    assert refused(episode, "list_members", list_id="nope")["status"] == 404
    assert (
        refused(episode, "list_members", list_id=news, since_last_changed="soon")["errors"][0]["field"]
        == "since_last_changed"
    )


def test_errors_travel_as_problem_documents(episode: Episode) -> None:
    reply = rest(episode, "GET", "/3.0/lists/nope")
    headers = dict(encode(reply)[1])
    assert reply.status == 404
    assert headers[b"content-type"] == b"application/problem+json; charset=utf-8"
    wrong = rest(episode, "DELETE", "/lists")
    assert (wrong.status, wrong.headers["Allow"]) == (405, "GET, POST")
    assert rest(episode, "GET", "/nowhere").status == 404
    broken = handle(
        episode.app(APP), Request("POST", "/lists", "/lists", {}, {"content-type": "application/json"}), b"{"
    )
    assert broken.body["title"] == "JSON Parse Error"
    assert got(episode, "GET", "/ping")["health_status"] == "Everything's Chimpy!"
    assert got(episode, "GET", "/")["account_name"] == "Brightwater"


def test_fields_are_chosen(episode: Episode, news: str) -> None:
    path = f"/lists/{news}/members"
    only = got(episode, "GET", f"{path}?fields=members.email_address,members.merge_fields.FNAME,total_items&count=1")
    assert only == {"members": [{"email_address": ANN, "merge_fields": {"FNAME": "Ann"}}], "total_items": 5}
    without = got(episode, "GET", f"{path}?exclude_fields=members,_links")
    assert set(without) == {"list_id", "total_items"}
    assert call(episode, "list_members", list_id=news, fields=["members.web_id"], count=1)["members"][0]["web_id"]


def test_members_are_filtered_sorted_and_paged(episode: Episode, news: str) -> None:
    def emails(**arguments: Any) -> list[str]:
        return [m["email_address"] for m in call(episode, "list_members", list_id=news, **arguments)["members"]]

    assert emails(status="subscribed") == [ANN, EVE]
    assert emails(status="subscribed", sort_field="timestamp_opt", sort_dir="DESC") == [EVE, ANN]
    assert emails(since_timestamp_opt="2025-12-31T23:00:00-01:00") == [EVE]
    assert emails(before_timestamp_opt="2025-12-31") == [ANN, BOB, CYD]
    walked = [email for offset in range(0, 6, 2) for email in emails(count=2, offset=offset)]
    assert sorted(walked) == [ANN, BOB, CYD, DAN, EVE]
    assert call(episode, "list_members", list_id=news, count=0)["total_items"] == 5
    got(episode, "PATCH", f"/lists/{news}/members/{md5(EVE)}", {"vip": True})
    assert emails(vip_only=True) == [EVE]
    since = got(episode, "GET", f"/lists/{news}/members?since_last_campaign=true&fields=members.email_address")
    assert since == {"members": [{"email_address": EVE}]}


def test_batch_subscribing_lets_each_stand_for_itself(episode: Episode, news: str) -> None:
    entries = [
        {"email_address": "j@northgrove.example", "status": "subscribed", "tags": ["reader"]},
        {"email_address": "J@northgrove.example", "status": "subscribed"},
        {"email_address": ANN, "status": "subscribed", "merge_fields": {"LNAME": "Reed"}, "tags": ["only"]},
        {"email_address": BOB, "status": "subscribed"}, {"email_address": "nobody", "status": "subscribed"},
        {"email_address": "k@northgrove.example"},
    ]  # fmt: skip
    first = call(episode, "batch_subscribe_members", list_id=news, members=entries)
    assert (first["total_created"], first["total_updated"], first["error_count"]) == (1, 0, 5)
    assert [e["error_code"] for e in first["errors"]].count("ERROR_CONTACT_EXISTS") == 2
    second = call(
        episode, "batch_subscribe_members", list_id=news, members=entries[2:4], update_existing=True, sync_tags=True
    )
    assert (second["total_updated"], second["error_count"]) == (1, 1)
    ann = second["updated_members"][0]
    assert ([t["name"] for t in ann["tags"]], ann["full_name"]) == (["only"], "Ann Reed")
    assert "compliance state" in second["errors"][0]["error"]
    assert (
        refused(episode, "batch_subscribe_members", list_id=news, members=entries * 90)["errors"][0]["field"]
        == "members"
    )


def test_reports_members_and_audiences_agree_on_who_left_and_who_opened(episode: Episode, news: str) -> None:
    (report,) = call(episode, "list_reports")["reports"]
    (gone,) = call(episode, "list_campaign_unsubscribes", campaign_id=report["id"])["unsubscribes"]
    bob = call(episode, "get_list_member", list_id=news, subscriber_hash=BOB)
    assert (gone["email_address"], gone["timestamp"]) == (BOB, bob["last_changed"])
    cyd = call(episode, "get_list_member", list_id=news, subscriber_hash=CYD)
    assert cyd["last_changed"] == report["send_time"]
    since = got(episode, "GET", f"/lists/{news}/members?unsubscribed_since=2025-12-01T00:00:00Z")
    assert [m["email_address"] for m in since["members"]] == [BOB]
    call(episode, "delete_member_permanently", list_id=news, subscriber_hash=ANN)
    stats = call(episode, "get_list", list_id=news)["stats"]
    assert stats["last_unsub_date"] == bob["last_changed"]
    usual = call(episode, "list_reports")["reports"][0]["list_stats"]
    assert got(episode, "GET", f"/reports/{report['id']}")["industry_stats"].keys() >= {
        "type",
        "open_rate",
        "click_rate",
    }
    assert (stats["open_rate"], stats["click_rate"]) == (round(usual["open_rate"], 4), round(usual["click_rate"], 4))


def test_a_tag_is_the_same_however_it_is_capitalised(episode: Episode, news: str) -> None:
    who = {"list_id": news, "subscriber_hash": EVE}
    call(episode, "update_member_tags", **who, tags=[{"name": "VIP", "status": "active"}])
    assert [t["name"] for t in call(episode, "search_tags", list_id=news)["tags"]] == ["reader", "vip"]
    assert {t["name"] for t in call(episode, "get_list_member", **who)["tags"]} == {"reader", "vip"}
    entries = [{"email_address": EVE, "status": "subscribed", "tags": ["Vip"]}]
    call(episode, "batch_subscribe_members", list_id=news, members=entries, update_existing=True, sync_tags=True)
    assert [t["name"] for t in call(episode, "get_list_member", **who)["tags"]] == ["vip"]
    call(episode, "update_member_tags", **who, tags=[{"name": "vIP", "status": "inactive"}])
    assert "tags" not in call(episode, "get_list_member", **who) or not call(episode, "get_list_member", **who)["tags"]


def test_a_segment_outlives_what_it_rests_on(episode: Episode, news: str) -> None:
    field = call(episode, "create_merge_field", list_id=news, name="City", type="text", tag="CITY")
    old = next(c for c in call(episode, "list_campaigns", count=50)["campaigns"] if c["status"] == "sent")
    (vip,) = call(episode, "search_tags", list_id=news, name="vip")["tags"]
    conditions = {
        "Tagged": {"condition_type": "StaticSegment", "field": "static_segment", "op": "static_is", "value": vip["id"]},
        "Placed": {"condition_type": "TextMerge", "field": "CITY", "op": "blank"},
        "Reached": {"condition_type": "Aim", "field": "aim", "op": "sent", "value": old["id"]},
    }
    made = {
        name: call(episode, "create_segment", list_id=news, name=name, options={"match": "all", "conditions": [c]})
        for name, c in conditions.items()
    }
    assert all(segment["member_count"] for segment in made.values())
    draft = call(
        episode, "create_campaign", type="regular",
        recipients={"list_id": news, "segment_opts": {"saved_segment_id": made["Tagged"]["id"]}},
    )  # fmt: skip
    call(episode, "delete_segment", list_id=news, segment_id=vip["id"])
    got(episode, "DELETE", f"/lists/{news}/merge-fields/{field['merge_id']}", status=204)
    call(episode, "delete_campaign", campaign_id=old["id"])
    listed = {s["name"]: s["member_count"] for s in call(episode, "list_segments", list_id=news)["segments"]}
    assert {name: listed[name] for name in conditions} == dict.fromkeys(conditions, 0)
    for segment in made.values():
        assert call(episode, "list_segment_members", list_id=news, segment_id=segment["id"])["members"] == []
    assert call(episode, "get_campaign", campaign_id=draft["id"])["recipients"]["recipient_count"] == 0
    assert call(episode, "list_campaigns")["total_items"] == 2


def test_tags_notes_events_and_activity(episode: Episode, news: str) -> None:
    who = {"list_id": news, "subscriber_hash": ANN}
    tags = [
        {"name": "vip", "status": "inactive"},
        {"name": "gold", "status": "active"},
        {"name": "nil", "status": "inactive"},
    ]
    call(episode, "update_member_tags", **who, tags=tags)
    held = call(episode, "list_member_tags", **who)
    assert {t["name"] for t in held["tags"]} == {"reader", "gold"}
    assert [t["name"] for t in call(episode, "search_tags", list_id=news, name="G")["tags"]] == ["gold"]
    assert (
        refused(episode, "update_member_tags", **who, tags=[{"name": " ", "status": "active"}])["title"]
        == "Invalid Resource"
    )
    note = call(episode, "add_member_note", **who, note="Called")
    path = f"/lists/{news}/members/{md5(ANN)}/notes/{note['id']}"
    assert note["created_by"] == "Alex Doyle"
    assert got(episode, "PATCH", path, {"note": "Called twice"})["note"] == "Called twice"
    assert got(episode, "GET", path)["note"] == "Called twice"
    assert call(episode, "list_member_notes", **who)["notes"][0]["note"] == "Called twice"
    assert rest(episode, "GET", f"/lists/{news}/members/{md5(EVE)}/notes/{note['id']}").status == 404
    got(episode, "DELETE", path, status=204)
    assert call(episode, "list_member_notes", **who) == {
        "notes": [],
        "email_id": md5(ANN),
        "list_id": news,
        "total_items": 0,
    }
    call(episode, "add_member_event", **who, name="purchase", properties={"sku": "a"})
    assert refused(episode, "add_member_event", **who, name="x")["errors"][0]["field"] == "name"
    assert got(episode, "GET", f"/lists/{news}/members/{ANN}/events")["events"][0]["properties"] == {"sku": "a"}
    kinds = {a["activity_type"] for a in call(episode, "list_member_activity", **who)["activity"]}
    assert {"sent", "signup", "event"} <= kinds
    assert {a["action"] for a in got(episode, "GET", f"/lists/{news}/members/{md5(ANN)}/activity")["activity"]} >= {
        "sent"
    }
    assert got(episode, "GET", f"/lists/{news}/members/{md5(ANN)}/goals")["goals"] == []


# Audiences


def test_an_audience_lives_and_dies(episode: Episode, news: str) -> None:
    contact = {"company": "Brightwater", "address1": "1 Quay", "city": "Bristol", "country": "GB"}
    defaults = {"from_name": "Alex", "from_email": "alex@brightwater.example", "subject": "", "language": "en"}
    given: dict[str, Any] = {
        "name": "Fresh", "contact": contact, "permission_reminder": "You asked.", "campaign_defaults": defaults, "email_type_option": False,
    }  # fmt: skip
    missing = refused(episode, "create_list", **{**given, "contact": {"company": "Brightwater"}})
    assert {"field": "contact", "message": "Required fields were not provided: city"} in missing["errors"]
    made = call(episode, "create_list", **given)
    assert len(made["id"]) == 10
    assert made["stats"]["member_count"] == 0
    assert [f["tag"] for f in call(episode, "list_merge_fields", list_id=made["id"])["merge_fields"]] == [
        "FNAME", "LNAME", "ADDRESS", "PHONE",
    ]  # fmt: skip
    changed = call(episode, "update_list", list_id=made["id"], name="Fresher", contact={"city": "Bath"})
    assert (changed["name"], changed["contact"]["city"], changed["contact"]["company"]) == (
        "Fresher",
        "Bath",
        "Brightwater",
    )
    assert call(episode, "list_audiences")["total_items"] == 3
    assert [a["name"] for a in call(episode, "list_audiences", email=ANN)["lists"]] == ["News"]
    call(episode, "delete_list", list_id=news)
    assert refused(episode, "get_list", list_id=news)["status"] == 404
    kept = got(episode, "GET", "/campaigns")["campaigns"]
    assert len(kept) == 2
    assert all(not c["recipients"]["list_is_active"] for c in kept)


def test_an_audience_tells_its_history(episode: Episode, news: str) -> None:
    stats = call(episode, "get_list", list_id=news)["stats"]
    assert (stats["member_count"], stats["unsubscribe_count"], stats["cleaned_count"], stats["campaign_count"]) == (
        2,
        1,
        1,
        2,
    )
    assert stats["member_count_since_send"] == 1
    months = got(episode, "GET", f"/lists/{news}/growth-history?sort_dir=ASC")["history"]
    assert [(m["month"], m["existing"]) for m in months] == [("2025-06", 0), ("2026-01", 4)]
    assert got(episode, "GET", f"/lists/{news}/growth-history/2026-01")["optins"] == 1
    assert rest(episode, "GET", f"/lists/{news}/growth-history/2020-01").status == 404
    days = got(episode, "GET", f"/lists/{news}/activity")["activity"]
    assert any(day["emails_sent"] == 3 for day in days)
    for leaf, name in (("clients", "clients"), ("locations", "locations"), ("abuse-reports", "abuse_reports")):
        assert got(episode, "GET", f"/lists/{news}/{leaf}")[name] == []


def test_interest_groups(episode: Episode, news: str) -> None:
    topics = call(episode, "create_interest_category", list_id=news, title="Topics", type="checkboxes")
    where = {"list_id": news, "interest_category_id": topics["id"]}
    rail, sea = (call(episode, "create_interest", **where, name=name)["id"] for name in ("Rail", "Sea"))
    assert "already exists" in refused(episode, "create_interest", **where, name="rail")["detail"]
    call(episode, "update_list_member", list_id=news, subscriber_hash=ANN, interests={rail: True})
    strange = refused(episode, "update_list_member", list_id=news, subscriber_hash=ANN, interests={"nope": True})
    assert strange["errors"] == [{"field": "interests.nope", "message": "Invalid interest ID"}]
    counts = {i["name"]: i["subscriber_count"] for i in call(episode, "list_interests", **where)["interests"]}
    assert counts == {"Rail": "1", "Sea": "0"}
    assert call(episode, "list_interest_categories", list_id=news)["total_items"] == 1
    base = f"/lists/{news}/interest-categories/{topics['id']}"
    query = f"interest_category_id={topics['id']}&interest_ids={rail},{sea}"
    assert got(episode, "GET", f"/lists/{news}/members?{query}&interest_match=any")["total_items"] == 1
    assert got(episode, "GET", f"/lists/{news}/members?{query}&interest_match=all")["total_items"] == 0
    assert rest(episode, "GET", f"/lists/{news}/members?interest_ids={rail}").status == 400
    assert got(episode, "PATCH", base, {"title": "Themes"})["title"] == "Themes"
    assert got(episode, "GET", base)["title"] == "Themes"
    assert got(episode, "PATCH", f"{base}/interests/{sea}", {"name": "Ocean"})["name"] == "Ocean"
    assert got(episode, "GET", f"{base}/interests/{sea}")["name"] == "Ocean"
    got(episode, "DELETE", f"{base}/interests/{rail}", status=204)
    assert list(got(episode, "GET", f"/lists/{news}/members/{md5(ANN)}")["interests"]) == [sea]
    got(episode, "DELETE", base, status=204)
    assert rest(episode, "GET", base).status == 404


def test_webhooks(episode: Episode, news: str) -> None:
    path = f"/lists/{news}/webhooks"
    made = got(episode, "POST", path, {"url": "https://hooks.example/a", "events": {"subscribe": True}})
    assert (made["events"]["subscribe"], made["events"]["cleaned"]) == (True, False)
    assert rest(episode, "POST", path, {"url": "https://hooks.example/a"}).status == 400
    one = f"{path}/{made['id']}"
    assert got(episode, "PATCH", one, {"events": {"cleaned": True}})["events"]["subscribe"] is True
    assert got(episode, "GET", one)["events"]["cleaned"] is True
    assert got(episode, "GET", path)["total_items"] == 1
    got(episode, "DELETE", one, status=204)
    assert rest(episode, "GET", one).status == 404


# Segments


def test_static_segments_are_tags(episode: Episode, news: str) -> None:
    made = call(episode, "create_segment", list_id=news, name="Gold", static_segment=[ANN, BOB, "who@nowhere.example"])
    assert (made["type"], made["member_count"]) == ("static", 1)
    assert (
        refused(episode, "create_segment", list_id=news, name="gold", static_segment=[])["detail"]
        == "Sorry, that tag already exists."
    )
    where = {"list_id": news, "segment_id": made["id"]}
    batch = call(episode, "batch_segment_members", **where, members_to_add=[EVE, CYD], members_to_remove=[ANN])
    assert (batch["total_added"], batch["total_removed"], batch["error_count"]) == (1, 1, 1)
    assert [m["email_address"] for m in call(episode, "list_segment_members", **where)["members"]] == [EVE]
    assert call(episode, "update_segment", **where, name="Golden", static_segment=[ANN])["member_count"] == 1
    path = f"/lists/{news}/segments/{made['id']}"
    assert got(episode, "POST", f"{path}/members", {"email_address": EVE})["email_address"] == EVE
    assert rest(episode, "POST", f"{path}/members", {"email_address": BOB}).status == 400
    got(episode, "DELETE", f"{path}/members/{md5(EVE)}", status=204)
    assert rest(episode, "DELETE", f"{path}/members/{md5(EVE)}").status == 404
    assert got(episode, "GET", path)["name"] == "Golden"
    assert (
        refused(episode, "update_segment", **where, options={"match": "any", "conditions": []})["title"]
        == "Invalid Action"
    )
    call(episode, "delete_segment", **where)
    assert refused(episode, "list_segment_members", **where)["status"] == 404


def test_saved_segments_follow_their_conditions(episode: Episode, news: str) -> None:
    tags = {s["name"]: s["id"] for s in call(episode, "list_segments", list_id=news, count=50)["segments"]}
    old = next(c for c in call(episode, "list_campaigns", status="sent", fields=["campaigns"])["campaigns"])
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"field": "FNAME", "op": "is", "value": "ANN"}, [ANN]), ({"field": "FNAME", "op": "not", "value": "Ann"}, [EVE]),
        ({"field": "LNAME", "op": "contains", "value": "ton"}, [ANN, EVE]), ({"field": "LNAME", "op": "starts", "value": "x"}, []),
        ({"field": "PHONE", "op": "blank"}, [ANN, EVE]), ({"field": "merge1", "op": "ends", "value": "e"}, [EVE]),
        ({"field": "EMAIL", "op": "contains", "value": "eve@"}, [EVE]),
        ({"field": "static_segment", "op": "static_is", "value": tags["vip"]}, [ANN]),
        ({"field": "static_segment", "op": "static_not", "value": tags["vip"]}, [EVE]),
        ({"field": "timestamp_opt", "op": "greater", "value": "date", "extra": "2025-12-31"}, [EVE]),
        ({"field": "timestamp_opt", "op": "less", "value": "2025-12-31"}, [ANN]),
        ({"field": "timestamp_opt", "op": "within", "value": 90}, [EVE]),
        ({"field": "timestamp_opt", "op": "greater", "value": "campaign", "extra": old["web_id"]}, [EVE]),
        ({"field": "gmonkey", "op": "notmember"}, [ANN, EVE]), ({"field": "rating", "op": "greater", "value": 1}, [ANN, EVE]),
        ({"field": "aim", "op": "sent", "value": old["web_id"]}, [ANN]), ({"field": "aim", "op": "nosent", "value": "any"}, [EVE]),
        ({"field": "source", "op": "source_is", "value": "Hosted Signup Form"}, [ANN, EVE]),
    ]  # fmt: skip
    made = call(
        episode, "create_segment", list_id=news, name="S", options={"match": "all", "conditions": [cases[0][0]]}
    )
    assert made["options"]["conditions"][0]["condition_type"] == "TextMerge"
    for condition, expected in cases:
        shown = call(
            episode, "update_segment", list_id=news, segment_id=made["id"], options={"conditions": [condition]}
        )
        found = call(episode, "list_segment_members", list_id=news, segment_id=made["id"])
        assert [m["email_address"] for m in found["members"]] == expected, condition
        assert shown["member_count"] == len(expected)
    both = {"match": "any", "conditions": [cases[0][0], cases[6][0]]}
    assert call(episode, "update_segment", list_id=news, segment_id=made["id"], options=both)["member_count"] == 2


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ({"condition_type": "EcommPurchased", "field": "ecomm_purchased", "op": "member"}, "EcommPurchased"),
        ({"field": "FNAME", "op": "sounds", "value": "x"}, "not one of the accepted values"),
        ({"field": "NOPE", "op": "is", "value": "x"}, "did not match"),
        ({"field": "FNAME", "op": "is"}, "Schema describes string"), ({"op": "is"}, "Required fields"),
        ({"field": "static_segment", "op": "static_is", "value": "9e99"}, "does not exist"),
        ({"field": "aim", "op": "open", "value": "nope"}, "does not exist"),
        ({"field": "timestamp_opt", "op": "greater", "value": "date", "extra": "soon"}, "YYYY-MM-DD"),
        ({"condition_type": "Nope", "field": "x", "op": "is"}, "did not match"),
    ],
)  # fmt: skip
def test_conditions_that_cannot_be_read_are_refused(
    episode: Episode, news: str, condition: dict[str, Any], said: str
) -> None:
    body = refused(
        episode, "create_segment", list_id=news, name="S", options={"match": "all", "conditions": [condition]}
    )
    assert (body["status"], body["title"]) == (400, "Invalid Resource")
    assert said in body["errors"][0]["message"]
    assert body["errors"][0]["field"].startswith("options.conditions.item:0")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    op=st.sampled_from(["is", "not", "contains", "notcontain", "starts", "ends"]),
    value=st.text("aneov Ä%'", max_size=4),
)
def test_a_condition_and_its_opposite_part_the_audience(op: str, value: str) -> None:
    episode = episode_of(APP, ENTITIES)
    news = episode.app(APP).template.refs["marketing_email.Audience"]["news"]
    opposite = {"is": "not", "not": "is", "contains": "notcontain", "notcontain": "contains"}
    total = 0
    for place, name in enumerate((op, opposite.get(op, op))):
        options = {"match": "all", "conditions": [{"field": "FNAME", "op": name, "value": value}]}
        total += call(episode, "create_segment", list_id=news, name=f"Part {place}", options=options)["member_count"]
    assert total == 2 if op in opposite else total <= 4


# Campaigns


def test_a_campaign_is_sent_once_and_then_fixed(episode: Episode, news: str) -> None:
    bare = call(episode, "create_campaign", type="regular", recipients={"list_id": news})["id"]
    checklist = call(episode, "get_send_checklist", campaign_id=bare)
    assert checklist["is_ready"] is False
    assert {i["heading"] for i in checklist["items"] if i["type"] == "error"} == {
        "Subject line", "From name", "Replies", "HTML email", "Plain-text email",
    }  # fmt: skip
    assert refused(episode, "send_campaign", campaign_id=bare)["detail"] == "Your Campaign is not ready to send."
    key = draft(episode, news)
    assert call(episode, "get_send_checklist", campaign_id=key)["is_ready"] is True
    assert call(episode, "get_campaign_content", campaign_id=key)["plain_text"] == "Hi *|FNAME|*, read on"
    sent = call(episode, "send_campaign", campaign_id=key)
    assert (sent["status"], sent["emails_sent"]) == ("sent", 2)
    for tool, more in (
        ("send_campaign", {}), ("update_campaign", {"settings": {"subject_line": "Other"}}),
        ("set_campaign_content", {"html": "<p>Other</p>"}), ("schedule_campaign", {"schedule_time": "2026-03-03T10:00:00Z"}),
        ("unschedule_campaign", {}),
    ):  # fmt: skip
        assert refused(episode, tool, campaign_id=key, **more)["status"] == 400
    report = call(episode, "get_campaign_report", campaign_id=key)
    assert (report["emails_sent"], report["opens"]["opens_total"]) == (2, 0)
    who = call(episode, "list_campaign_recipients", campaign_id=key)
    assert [r["email_address"] for r in who["sent_to"]] == [ANN, EVE]
    urls = call(episode, "list_click_details", campaign_id=key)["urls_clicked"]
    assert urls[0]["url"] == "https://brightwater.example/a"
    assert got(episode, "GET", f"/campaigns?member_id={md5(EVE)}")["total_items"] == 1


def test_scheduling(episode: Episode, news: str) -> None:
    key = draft(episode, news)

    def why(time: str, **more: Any) -> str:
        body = refused(episode, "schedule_campaign", campaign_id=key, schedule_time=time, **more)
        return body["errors"][0]["message"] if "errors" in body else body["detail"]

    assert "quarter-hour" in why("2026-03-03T10:05:00Z")
    assert "in the future" in why("2026-03-02T08:45:00Z")
    assert "24 hours" in why("2026-03-02T10:00:00Z", timewarp=True)
    assert "datetime" in why("tomorrow")
    before = episode.changes()
    call(episode, "schedule_campaign", campaign_id=key, schedule_time="2026-03-03T10:45:00Z")
    call(episode, "unschedule_campaign", campaign_id=key)
    assert episode.changes() == before  # a timewarp that was not asked for is no setting
    call(episode, "schedule_campaign", campaign_id=key, schedule_time="2026-03-03T11:15:00+01:00")
    shown = call(episode, "get_campaign", campaign_id=key)
    assert (shown["status"], shown["send_time"]) == ("schedule", "2026-03-03T10:15:00+00:00")
    for tool, more in (("update_campaign", {"settings": {"title": "x"}}), ("delete_campaign", {})):
        assert refused(episode, tool, campaign_id=key, **more)["title"] == "Invalid Action"
    call(episode, "unschedule_campaign", campaign_id=key)
    assert call(episode, "get_campaign", campaign_id=key)["status"] == "save"
    call(episode, "update_campaign", campaign_id=key, settings={"from_name": ""})
    assert "not ready" in why("2026-03-03T10:00:00Z")
    call(episode, "delete_campaign", campaign_id=key)
    assert refused(episode, "get_campaign", campaign_id=key)["status"] == 404


def test_a_campaign_goes_to_a_part_of_its_audience(episode: Episode, news: str) -> None:
    tag = next(s["id"] for s in call(episode, "search_tags", list_id=news, name="vip")["tags"])
    key = draft(episode, news, recipients={"list_id": news, "segment_opts": {"saved_segment_id": tag}})
    shown = call(episode, "get_campaign", campaign_id=key)["recipients"]
    assert (shown["recipient_count"], shown["segment_text"]) == (1, "Contacts in the tag vip")
    nobody = {"match": "all", "conditions": [{"field": "FNAME", "op": "is", "value": "Nobody"}]}
    call(episode, "update_campaign", campaign_id=key, recipients={"segment_opts": nobody})
    items = call(episode, "get_send_checklist", campaign_id=key)["items"]
    assert 'Your segment of list "News" is empty.' in [i["details"] for i in items]
    assert refused(episode, "send_campaign", campaign_id=key)["status"] == 400
    for recipients in ({"list_id": "nope"}, {"segment_opts": {"saved_segment_id": 1}}):
        assert (
            refused(episode, "update_campaign", campaign_id=key, recipients=recipients)["title"] == "Invalid Resource"
        )
    eve = {"conditions": [{"field": "FNAME", "op": "is", "value": "Eve"}]}
    call(episode, "update_campaign", campaign_id=key, recipients={"segment_opts": eve})
    assert call(episode, "send_campaign", campaign_id=key)["emails_sent"] == 1


def test_tests_copies_and_resends(episode: Episode, news: str) -> None:
    key = draft(episode, news)
    call(episode, "send_test_email", campaign_id=key, test_emails=["me@brightwater.example"], send_type="html")
    assert (
        refused(episode, "send_test_email", campaign_id=key, test_emails=["me"], send_type="html")["title"]
        == "Invalid Resource"
    )
    copy = call(episode, "replicate_campaign", campaign_id=key)
    assert (copy["status"], copy["settings"]["title"]) == ("save", "Draft (copy 01)")
    assert call(episode, "replicate_campaign", campaign_id=copy["id"])["settings"]["title"] == "Draft (copy 02)"
    assert rest(episode, "POST", f"/campaigns/{key}/actions/create-resend").status == 400
    call(episode, "send_campaign", campaign_id=key)
    again = got(episode, "POST", f"/campaigns/{key}/actions/create-resend")
    assert again["parent_campaign_id"] == key
    assert again["recipients"]["recipient_count"] == 2  # none of them has opened it yet
    assert rest(episode, "POST", f"/campaigns/{copy['id']}/actions/cancel-send").body["title"] == "Invalid Action"


def test_other_kinds_of_campaigns(episode: Episode, news: str) -> None:
    plain = call(
        episode, "create_campaign", type="plaintext", recipients={"list_id": news}, settings={"subject_line": "P"}
    )["id"]
    assert (
        refused(episode, "set_campaign_content", campaign_id=plain, html="<p>x</p>")["errors"][0]["field"]
        == "plain_text"
    )
    assert call(episode, "set_campaign_content", campaign_id=plain, plain_text="x")["plain_text"] == "x"
    assert refused(episode, "create_campaign", type="absplit")["errors"][0]["field"] == "type"
    assert refused(episode, "create_campaign", type="variate")["errors"][0]["field"] == "variate_settings"
    lines = ["One", "Two"]
    variate = call(
        episode, "create_campaign", type="variate", recipients={"list_id": news},
        settings={"from_name": "Alex", "reply_to": "alex@brightwater.example"},
        variate_settings={"winner_criteria": "opens", "subject_lines": lines},
    )["id"]  # fmt: skip
    call(
        episode,
        "set_campaign_content",
        campaign_id=variate,
        variate_contents=[{"html": "<p>A</p>"}, {"html": "<p>B</p>"}],
    )
    assert call(episode, "send_campaign", campaign_id=variate)["emails_sent"] == 2
    assert refused(episode, "create_campaign", type="rss")["errors"][0]["field"] == "rss_opts"
    rss = call(
        episode, "create_campaign", type="rss", recipients={"list_id": news},
        rss_opts={"feed_url": "https://x.example/f", "frequency": "daily"},
        settings={"subject_line": "News", "from_name": "Alex", "reply_to": "alex@brightwater.example"},
    )["id"]  # fmt: skip
    call(episode, "set_campaign_content", campaign_id=rss, html="<p>*|RSSITEMS:|*</p>")
    assert rest(episode, "POST", f"/campaigns/{rss}/actions/pause").status == 400
    for action, status in (
        ("send", "sending"),
        ("pause", "paused"),
        ("resume", "sending"),
        ("cancel-send", "canceled"),
    ):
        got(episode, "POST", f"/campaigns/{rss}/actions/{action}", status=204)
        assert call(episode, "get_campaign", campaign_id=rss)["status"] == status


def test_feedback(episode: Episode, news: str) -> None:
    path = f"/campaigns/{draft(episode, news)}/feedback"
    made = got(episode, "POST", path, {"message": "Shorter, please"})
    one = f"{path}/{made['feedback_id']}"
    assert got(episode, "PATCH", one, {"is_complete": True})["is_complete"] is True
    assert got(episode, "GET", one)["message"] == "Shorter, please"
    assert got(episode, "GET", path)["total_items"] == 1
    got(episode, "DELETE", one, status=204)
    assert rest(episode, "GET", one).status == 404


def test_templates_and_folders(episode: Episode, news: str) -> None:
    folder = got(episode, "POST", "/template-folders", {"name": "Seasonal"})["id"]
    html = '<body><h1 mc:edit="head">Hello</h1><div mc:edit="main"><div>old</div></div></body>'
    made = call(episode, "create_template", name="Mine", html=html, folder_id=folder)["id"]
    assert call(episode, "get_template", template_id=made)["sections"] == ["head", "main"]
    default = got(episode, "GET", f"/templates/{made}/default-content")
    assert default["sections"] == {"head": "Hello", "main": "<div>old</div>"}
    key = draft(episode, news)
    call(episode, "set_campaign_content", campaign_id=key, template={"id": made, "sections": {"main": "<p>new</p>"}})
    content = call(episode, "get_campaign_content", campaign_id=key)
    assert content["html"] == '<body><h1 mc:edit="head">Hello</h1><div mc:edit="main"><p>new</p></div></body>'
    assert content["plain_text"] == "Hello\n\nnew"
    body = refused(episode, "set_campaign_content", campaign_id=key, template={"id": made, "sections": {"nope": "x"}})
    assert body["errors"][0]["field"] == "template.sections.nope"
    assert call(episode, "update_template", template_id=made, name="Ours")["name"] == "Ours"
    base = call(episode, "list_templates", type="base")["templates"][0]["id"]
    assert refused(episode, "update_template", template_id=base, name="x")["title"] == "Invalid Action"
    assert got(episode, "GET", f"/template-folders/{folder}")["count"] == 1
    assert got(episode, "PATCH", f"/template-folders/{folder}", {"name": "Winter"})["name"] == "Winter"
    assert got(episode, "GET", "/template-folders")["total_items"] == 1
    got(episode, "DELETE", f"/template-folders/{folder}", status=204)
    got(episode, "DELETE", f"/templates/{made}", status=204)
    assert refused(episode, "get_template", template_id=made)["status"] == 404
    letters = got(episode, "POST", "/campaign-folders", {"name": "Letters"})["id"]
    call(episode, "update_campaign", campaign_id=key, settings={"folder_id": letters})
    assert got(episode, "GET", f"/campaigns?folder_id={letters}")["total_items"] == 1
    assert got(episode, "GET", f"/campaign-folders/{letters}")["count"] == 1
    assert got(episode, "PATCH", f"/campaign-folders/{letters}", {"name": "Notes"})["name"] == "Notes"
    assert got(episode, "GET", "/campaign-folders")["folders"][0]["name"] == "Notes"
    got(episode, "DELETE", f"/campaign-folders/{letters}", status=204)
    assert (
        refused(episode, "update_campaign", campaign_id=key, settings={"folder_id": letters})["title"]
        == "Invalid Resource"
    )


# Reports and search


def test_reports_are_sums_of_what_contacts_did(episode: Episode) -> None:
    report = call(episode, "list_reports")["reports"][0]
    key = report["id"]
    assert (report["emails_sent"], report["opens"]["unique_opens"], report["clicks"]["unique_clicks"]) == (3, 1, 1)
    assert (report["bounces"]["hard_bounces"], report["unsubscribed"], report["opens"]["open_rate"]) == (1, 1, 0.5)
    opened = call(episode, "list_open_details", campaign_id=key)
    assert opened["total_opens"] == report["opens"]["opens_total"]
    acts = {e["email_address"]: e["activity"] for e in call(episode, "list_email_activity", campaign_id=key)["emails"]}
    assert set(acts) == {ANN, BOB, CYD}
    assert acts[CYD] == [{"action": "bounce", "type": "hard", "timestamp": "2025-12-01T09:00:00+00:00"}]
    opener = opened["members"][0]["email_address"]
    assert {a["action"] for a in acts[opener]} == {"open", "click"}
    left = call(episode, "list_campaign_unsubscribes", campaign_id=key)["unsubscribes"]
    assert [u["email_address"] for u in left] == [BOB]
    link = call(episode, "list_click_details", campaign_id=key)["urls_clicked"][0]
    base = f"/reports/{key}"
    assert got(episode, "GET", f"{base}/click-details/{link['id']}")["total_clicks"] == 1
    clickers = got(episode, "GET", f"{base}/click-details/{link['id']}/members")["members"]
    assert [m["email_address"] for m in clickers] == [opener]
    assert got(episode, "GET", f"{base}/click-details/{link['id']}/members/{md5(opener)}")["clicks"] == 1
    assert got(episode, "GET", f"{base}/open-details/{md5(opener)}")["opens_count"] >= 1
    assert got(episode, "GET", f"{base}/email-activity/{md5(CYD)}")["activity"] == acts[CYD]
    assert got(episode, "GET", f"{base}/sent-to/{md5(CYD)}")["status"] == "hard"
    assert got(episode, "GET", f"{base}/unsubscribed/{md5(BOB)}")["timestamp"]
    assert rest(episode, "GET", f"{base}/unsubscribed/{md5(ANN)}").status == 404
    assert got(episode, "GET", f"{base}/domain-performance")["domains"][0]["emails_sent"] == 3
    assert got(episode, "GET", f"{base}/advice")["total_items"] == 1
    assert got(episode, "GET", f"{base}/abuse-reports")["total_items"] == 0
    unsent = call(episode, "list_campaigns", status="save")["campaigns"][0]["id"]
    assert refused(episode, "get_campaign_report", campaign_id=unsent)["status"] == 404


def test_search(episode: Episode, news: str) -> None:
    exact = call(episode, "search_members", query=ANN)
    assert [m["email_address"] for m in exact["exact_matches"]["members"]] == [ANN]
    named = call(episode, "search_members", query="eve stone", list_id=news)
    assert [m["email_address"] for m in named["full_search"]["members"]] == [EVE]
    assert call(episode, "search_members", query="zzz")["full_search"]["total_items"] == 0
    assert refused(episode, "search_members", query=" ")["title"] == "Invalid Resource"
    found = call(episode, "search_campaigns", query="it was")
    assert [r["campaign"]["settings"]["title"] for r in found["results"]] == ["Old issue"]


# What is off the MCP face


def test_batches_run_calls_that_stand_for_themselves(episode: Episode, news: str) -> None:
    new = {"email_address": "z@northgrove.example", "status": "subscribed"}
    operations = [
        {"method": "POST", "path": f"/lists/{news}/members", "operation_id": "a", "body": json.dumps(new)},
        {"method": "POST", "path": f"lists/{news}/members", "operation_id": "b", "body": json.dumps({**new, "email_address": ANN})},
        {"method": "GET", "path": f"/lists/{news}/members", "params": {"count": 1, "fields": "total_items"}},
        {"method": "GET", "path": "/batches"},
    ]  # fmt: skip
    made = got(episode, "POST", "/batches", {"operations": operations})
    assert (made["status"], made["total_operations"], made["errored_operations"]) == ("finished", 4, 2)
    packed = got(episode, "GET", made["response_body_url"].removeprefix("https://here"))
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(packed))) as archive:
        held = archive.extractfile(archive.getmembers()[0])
        assert held is not None
        results = json.loads(held.read())
    assert [r["status_code"] for r in results] == [200, 400, 200, 405]
    assert json.loads(results[1]["response"])["title"] == "Member Exists"
    assert json.loads(results[2]["response"]) == {"total_items": 6}
    assert got(episode, "GET", f"/batches/{made['id']}")["status"] == "finished"
    assert got(episode, "GET", "/batches")["total_items"] == 1
    got(episode, "DELETE", f"/batches/{made['id']}", status=204)
    assert rest(episode, "GET", f"/batches/{made['id']}").status == 404


def test_landing_pages(episode: Episode, news: str) -> None:
    made = got(episode, "POST", "/landing-pages", {"name": "Join", "list_id": news})
    path = f"/landing-pages/{made['id']}"
    assert rest(episode, "POST", f"{path}/actions/publish").body["title"] == "Invalid Action"
    assert got(episode, "PATCH", path, {"title": "Join us"})["title"] == "Join us"
    got(episode, "POST", f"{path}/actions/publish", status=204)
    assert got(episode, "GET", path)["status"] == "published"
    got(episode, "POST", f"{path}/actions/unpublish", status=204)
    assert rest(episode, "POST", f"{path}/actions/unpublish").status == 400
    assert got(episode, "GET", f"{path}/content")["html"] == ""
    assert got(episode, "GET", "/landing-pages")["total_items"] == 1
    assert rest(episode, "POST", "/landing-pages", {"list_id": "nope"}).status == 400
    got(episode, "DELETE", path, status=204)
    assert rest(episode, "GET", path).status == 404


def test_classic_automations(episode: Episode, news: str) -> None:
    asked = {"recipients": {"list_id": news}, "trigger_settings": {"workflow_type": "api"}}
    assert (
        rest(episode, "POST", "/automations", {**asked, "trigger_settings": {"workflow_type": "abandonedCart"}}).status
        == 400
    )
    made = got(episode, "POST", "/automations", asked)
    path = f"/automations/{made['id']}"
    email = got(episode, "GET", f"{path}/emails")["emails"][0]["id"]
    one = f"{path}/emails/{email}"
    assert rest(episode, "POST", f"{path}/actions/start-all-emails").status == 400
    assert rest(episode, "POST", f"{one}/actions/start").status == 400
    changed = got(episode, "PATCH", one, {"settings": {"subject_line": "Welcome"}, "delay": {"amount": 2}})
    assert changed["delay"]["amount"] == 2
    got(episode, "POST", f"{path}/actions/start-all-emails", status=204)
    assert rest(episode, "PATCH", one, {"delay": {"amount": 1}}).body["title"] == "Invalid Action"
    entry = got(episode, "POST", f"{one}/queue", {"email_address": ANN})
    assert entry["next_send"].startswith("2026-03-04")
    assert rest(episode, "POST", f"{one}/queue", {"email_address": ANN}).status == 400
    assert rest(episode, "POST", f"{one}/queue", {"email_address": BOB}).status == 400
    assert got(episode, "GET", f"{one}/queue/{md5(ANN)}")["email_address"] == ANN
    assert got(episode, "GET", f"{one}/queue")["total_items"] == 1
    assert got(episode, "POST", f"{path}/removed-subscribers", {"email_address": ANN})["id"] == md5(ANN)
    assert got(episode, "GET", f"{path}/removed-subscribers")["total_items"] == 1
    assert got(episode, "GET", f"{path}/removed-subscribers/{md5(ANN)}")["email_address"] == ANN
    assert rest(episode, "GET", f"{one}/queue/{md5(ANN)}").status == 404
    assert "cannot be added again" in rest(episode, "POST", f"{one}/queue", {"email_address": ANN}).body["detail"]
    got(episode, "POST", f"{one}/actions/pause", status=204)
    got(episode, "POST", f"{one}/actions/start", status=204)
    assert got(episode, "GET", one)["status"] == "sending"
    assert rest(episode, "DELETE", one).status == 400
    got(episode, "POST", f"{path}/actions/pause-all-emails", status=204)
    assert got(episode, "GET", path)["status"] == "paused"
    got(episode, "POST", f"{path}/actions/archive", status=204)
    assert rest(episode, "POST", f"{path}/actions/start-all-emails").status == 400
    assert got(episode, "GET", "/automations?status=archived")["total_items"] == 1


async def test_an_agent_sees_short_answers() -> None:
    episode = episode_of(APP, world="quaymark")
    async with Client(serve(episode, [APP])) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"add_list_member", "send_campaign", "get_campaign_report", "search_members"} <= tools
        assert len(tools) <= 60
        for tool in ("list_audiences", "list_campaigns", "list_reports", "list_templates"):
            answer = await client.call_tool(tool, {})
            text: Any = answer.content[0]
            assert not answer.is_error
            assert len(text.text) < 30_000
            assert "_links" not in text.text
