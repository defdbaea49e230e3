"""Mailchimp: campaigns; reports and search; what is off the MCP face."""

import gzip
import io
import json
import tarfile
from typing import Any

from mcp import Client

from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.mailchimp.support import ANN, APP, BOB, CYD, EVE, call, draft, got, md5, refused, rest


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
