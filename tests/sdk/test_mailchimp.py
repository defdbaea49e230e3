"""mailchimp-marketing's client, unmodified but for its host, against the Mailchimp app over real HTTP."""

import hashlib
import json
from typing import TYPE_CHECKING, Any

import mailchimp_marketing
import pytest
from mailchimp_marketing.api_client import ApiClientError

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = pytest.mark.sdk


@pytest.fixture
def client(gateway: "Gateway") -> Any:
    made = mailchimp_marketing.Client({"api_key": "0123456789abcdef0123456789abcdef-us6", "server": "us6"})
    made.api_client.host = gateway.episode(["mailchimp"]).rest("mailchimp")
    return made


def md5(email: str) -> str:
    return hashlib.md5(email.lower().encode()).hexdigest()


def audience(client: Any, name: str = "Dockside newsletter") -> str:
    found = client.lists.get_all_lists(fields=["lists.id", "lists.name"], count=50)["lists"]
    return next(a["id"] for a in found if a["name"] == name)


def refused(method: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """The problem document. The client reads only application/json, and hands problem+json over as text."""
    with pytest.raises(ApiClientError) as caught:
        method(*args, **kwargs)
    body: dict[str, Any] = json.loads(caught.value.text)
    assert body["status"] == caught.value.status_code
    return body


def test_the_account(client: Any) -> None:
    assert client.ping.get() == {"health_status": "Everything's Chimpy!"}
    root = client.root.get_root(exclude_fields=["_links"])
    assert root["account_name"] == "Quaymark"
    assert "_links" not in root
    assert client.lists.get_all_lists()["total_items"] == 4


def test_members_are_walked_page_by_page(client: Any) -> None:
    key, walked, offset = audience(client), list[str](), 0
    while True:
        page = client.lists.get_list_members_info(key, count=20, offset=offset, fields=["members.id", "total_items"])
        walked += [m["id"] for m in page["members"]]
        offset += 20
        if offset >= page["total_items"]:
            break
    assert offset > 40
    assert len(set(walked)) == len(walked) == page["total_items"]


def test_a_member_lives_and_dies(client: Any) -> None:
    key, email = audience(client), "ines.walcott@northgrove.example"
    made = client.lists.add_list_member(
        key, {"email_address": email, "status": "subscribed", "merge_fields": {"FNAME": "Ines"}, "tags": ["fair"]}
    )
    assert made["id"] == md5(email)
    assert (
        refused(client.lists.add_list_member, key, {"email_address": email, "status": "subscribed"})["title"]
        == "Member Exists"
    )
    client.lists.update_list_member(key, made["id"], {"merge_fields": {"LNAME": "Walcott"}})
    client.lists.update_list_member_tags(key, made["id"], {"tags": [{"name": "fair", "status": "inactive"}]})
    assert client.lists.get_list_member_tags(key, made["id"])["tags"] == []
    client.lists.create_list_member_note(key, made["id"], {"note": "Met at the fair"})
    client.lists.create_list_member_event(key, made["id"], {"name": "visited"})
    shown = client.lists.get_list_member(key, made["id"])
    assert shown["full_name"] == "Ines Walcott"
    assert shown["last_note"]["note"] == "Met at the fair"
    same = client.lists.set_list_member(
        key, made["id"], {"email_address": email, "status_if_new": "subscribed", "vip": True}
    )
    assert same["vip"] is True
    client.lists.update_list_member(key, made["id"], {"status": "unsubscribed"})
    wanted = {"status_if_new": "pending", "status": "subscribed"}
    back = client.lists.set_list_member(key, made["id"], {"email_address": email, **wanted})
    assert back["status"] == "subscribed"
    left = client.lists.get_list_members_info(key, status="unsubscribed")["members"][0]
    again = refused(client.lists.set_list_member, key, left["id"], {"email_address": left["email_address"], **wanted})
    assert again["title"] == "Member In Compliance State"
    assert client.lists.delete_list_member(key, made["id"]).status_code == 204
    client.lists.delete_list_member_permanent(key, made["id"])
    assert refused(client.lists.get_list_member, key, made["id"])["title"] == "Resource Not Found"
    gone = refused(client.lists.add_list_member, key, {"email_address": email, "status": "pending"})
    assert gone["title"] == "Forgotten Email Not Subscribed"


def test_batches_segments_and_fields(client: Any) -> None:
    key = audience(client)
    members = [{"email_address": f"n{i}@northgrove.example", "status": "subscribed"} for i in range(3)]
    done = client.lists.batch_list_members(key, {"members": members, "update_existing": True})
    assert (done["total_created"], done["error_count"]) == (3, 0)
    field = client.lists.add_list_merge_field(key, {"name": "Port", "type": "text", "tag": "PORT"})
    client.lists.update_list_merge_field(key, field["merge_id"], {"name": "Home port"})
    client.lists.update_list_member(key, md5("n1@northgrove.example"), {"merge_fields": {"PORT": "Antwerp"}})
    conditions = [{"condition_type": "TextMerge", "field": "PORT", "op": "is", "value": "Antwerp"}]
    saved = client.lists.create_segment(key, {"name": "Antwerp", "options": {"match": "any", "conditions": conditions}})
    assert saved["member_count"] == 1
    tag = client.lists.create_segment(key, {"name": "Fair", "static_segment": ["n0@northgrove.example"]})
    client.lists.batch_segment_members({"members_to_add": ["n2@northgrove.example"]}, key, tag["id"])
    found = client.lists.get_segment_members_list(key, tag["id"])["members"]
    assert [m["email_address"] for m in found] == ["n0@northgrove.example", "n2@northgrove.example"]
    assert client.lists.tag_search(key, name="fai")["tags"][0]["name"] == "Fair"
    group = client.lists.create_list_interest_category(key, {"title": "Topics", "type": "hidden"})
    interest = client.lists.create_interest_category_interest(key, group["id"], {"name": "Rail"})
    client.lists.update_list_member(key, md5("n0@northgrove.example"), {"interests": {interest["id"]: True}})
    counted = client.lists.get_interest_category_interest(key, group["id"], interest["id"])
    assert counted["subscriber_count"] == "1"
    hook = client.lists.create_list_webhook(key, {"url": "https://hooks.example/a"})
    client.lists.delete_list_webhook(key, hook["id"])


def test_a_campaign_from_draft_to_report(client: Any) -> None:
    key = audience(client)
    made = client.campaigns.create({
        "type": "regular", "recipients": {"list_id": key},
        "settings": {"subject_line": "Hello", "title": "By SDK", "from_name": "Isla", "reply_to": "events@quaymark.example"},
    })["id"]  # fmt: skip
    assert refused(client.campaigns.send, made)["detail"] == "Your Campaign is not ready to send."
    client.campaigns.set_content(made, {"html": '<p>Hi, <a href="https://quaymark.example/x">look</a></p>'})
    assert client.campaigns.get_content(made)["plain_text"] == "Hi, look"
    assert client.campaigns.get_send_checklist(made)["is_ready"] is True
    client.campaigns.schedule(made, {"schedule_time": "2026-03-09T10:30:00+00:00"})
    assert client.campaigns.get(made)["status"] == "schedule"
    client.campaigns.unschedule(made)
    client.campaigns.update(made, {"settings": {"preview_text": "Soon"}})
    client.campaigns.send_test_email(made, {"test_emails": ["isla@quaymark.example"], "send_type": "html"})
    copy = client.campaigns.replicate(made)
    client.campaigns.remove(copy["id"])
    assert client.campaigns.send(made).status_code == 204
    report = client.reports.get_campaign_report(made)
    assert report["emails_sent"] == client.campaigns.get(made)["recipients"]["recipient_count"] == 60
    assert client.reports.get_campaign_recipients(made, count=100)["total_items"] == 60
    refused(client.campaigns.update, made, {"settings": {"title": "x"}})


def test_reports_and_search(client: Any) -> None:
    reports = client.reports.get_all_campaign_reports(count=1000)["reports"]
    sent = next(r for r in reports if r["campaign_title"] == "Product update 2.7")
    assert (sent["emails_sent"], sent["opens"]["unique_opens"], sent["clicks"]["unique_clicks"]) == (64, 37, 8)
    pages = [client.reports.get_campaign_open_details(sent["id"], count=20, offset=o)["members"] for o in (0, 20)]
    assert [len(page) for page in pages] == [20, 17]
    assert client.reports.get_email_activity_for_campaign(sent["id"], count=1)["total_items"] == 64
    assert client.reports.get_campaign_click_details(sent["id"])["urls_clicked"][0]["total_clicks"] == 8
    assert client.searchMembers.search("dana.whitfield@meridianfreight.example")["exact_matches"]["total_items"] == 2
    assert client.searchCampaigns.search("feed")["total_items"] >= 1


def test_templates_and_batches(client: Any) -> None:
    made = client.templates.create({"name": "Mine", "html": '<div mc:edit="main">x</div>'})
    assert client.templates.get_default_content_for_template(made["id"])["sections"] == {"main": "x"}
    client.templates.update_template(made["id"], {"name": "Ours"})
    assert client.templates.list(type="user")["templates"][0]["name"] == "Ours"
    folder = client.campaignFolders.create({"name": "Letters"})
    assert client.campaignFolders.get(folder["id"])["count"] == 0
    batch = client.batches.start({"operations": [{"method": "GET", "path": "/lists"}]})
    assert client.batches.status(batch["id"])["status"] == "finished"
    client.templates.delete_template(made["id"])
    assert refused(client.templates.get_template, made["id"])["status"] == 404
