"""Mailchimp: members."""

from typing import Any

import pytest

from legoenv_mcp.faces.rest import encode, handle
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import Episode
from tests.apps.mailchimp.support import ANN, APP, BOB, CYD, DAN, EVE, call, got, md5, refused, rest


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
