"""Mailchimp: audiences; segments."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.mailchimp.support import ANN, APP, BOB, CYD, ENTITIES, EVE, call, got, md5, refused, rest


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
