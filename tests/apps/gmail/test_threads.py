"""Gmail: threads, history, settings."""

from typing import Any

from legoenv_mcp.kernel.episode import Episode
from tests.apps.gmail.support import DANA, call, ref, refused, view


def test_threads(episode: Episode) -> None:
    thread = call(episode, "get_message", id=ref(episode, "inv.1"))["threadId"]
    assert [m["id"] for m in call(episode, "get_thread", id=thread)["messages"]] == [
        ref(episode, "inv.1"),
        ref(episode, "inv.2"),
    ]
    assert all("TRASH" in m["labelIds"] for m in call(episode, "trash_thread", id=thread)["messages"])
    assert all("TRASH" not in m["labelIds"] for m in call(episode, "untrash_thread", id=thread)["messages"])
    call(episode, "delete_thread", 204, id=thread)
    refused(episode, "get_thread", 404, id=thread)
    assert refused(episode, "get_thread", id="x y") == "Invalid id value"


def test_history_tells_what_happened(episode: Episode) -> None:
    start = call(episode, "get_profile")["historyId"]
    assert call(episode, "list_history", startHistoryId=start) == {"historyId": start}
    one = ref(episode, "inv.1")
    call(episode, "modify_message", id=one, addLabelIds=["STARRED"], removeLabelIds=["UNREAD"])
    sent = call(episode, "send_message", to=DANA, body="x")
    told = call(episode, "list_history", startHistoryId=start)
    assert [next(k for k in h if k not in ("id", "messages")) for h in told["history"]] == [
        "labelsAdded",
        "labelsRemoved",
        "messagesAdded",
    ]
    assert told["history"][0]["labelsAdded"][0]["labelIds"] == ["STARRED"]
    assert told["historyId"] == call(episode, "get_message", id=sent["id"])["historyId"]
    only = call(episode, "list_history", startHistoryId=start, historyTypes=["messageAdded"])["history"]
    assert [h["messages"][0]["id"] for h in only] == [sent["id"]]
    assert len(call(episode, "list_history", startHistoryId=start, labelId="STARRED")["history"]) == 2
    assert refused(episode, "list_history") == "Missing/invalid parameter: startHistoryId"
    refused(episode, "list_history", 404, startHistoryId="17")


def test_filters_do_their_work_on_what_comes_in(episode: Episode) -> None:
    label = next(x["id"] for x in call(episode, "list_labels")["labels"] if x["name"] == "Customers")
    rule = {
        "criteria": {"subject": "urgent", "hasAttachment": True},
        "action": {"addLabelIds": [label, "STARRED"], "removeLabelIds": ["INBOX"]},
    }
    made = call(episode, "create_filter", 200, **rule)
    assert call(episode, "list_filters")["filter"] == [{"id": made["id"], **rule}]
    me = "alex.doyle@brightwater.example"
    hit = call(
        episode, "send_message", to=me, subject="Urgent: x", body="y", attachments=[{"filename": "a", "content": "b"}]
    )
    assert hit["labelIds"] == sorted([label, "SENT", "STARRED", "UNREAD"])
    assert call(episode, "send_message", to=me, subject="Urgent: x", body="y")["labelIds"] == [
        "INBOX",
        "SENT",
        "UNREAD",
    ]
    assert refused(episode, "create_filter", 400, **rule) == "Filter already exists"
    assert refused(episode, "create_filter", action=rule["action"]) == "Filter doesn't contain any criteria"
    assert refused(episode, "create_filter", criteria=rule["criteria"]) == "Filter doesn't contain any actions"
    assert refused(episode, "create_filter", criteria={"query": "has:wings"}, action=rule["action"])
    assert (
        refused(episode, "create_filter", criteria={"from": "x"}, action={"addLabelIds": ["Nope"]})
        == "Invalid label: Nope"
    )
    assert (
        refused(episode, "create_filter", criteria={"from": "x"}, action={"forward": "a@b.example"})
        == "Unrecognized forwarding address"
    )
    call(episode, "create_forwarding_address", forwardingEmail="b@brightwater.example")
    call(episode, "create_filter", criteria={"from": "x"}, action={"forward": "b@brightwater.example"})
    call(episode, "delete_filter", 204, id=made["id"])


def test_a_filter_has_one_label_and_its_subject_is_a_phrase(episode: Episode) -> None:
    labels = [x["id"] for x in call(episode, "list_labels")["labels"] if x["type"] == "user"]
    rule: dict[str, Any] = {
        "criteria": {"subject": "status report"},
        "action": {"addLabelIds": [*labels[:2], "STARRED"]},
    }
    assert refused(episode, "create_filter", **rule) == "A filter can add only one user-defined label"
    rule["action"] = {"addLabelIds": [labels[0]]}
    call(episode, "create_filter", 200, **rule)
    me = "alex.doyle@brightwater.example"
    assert labels[0] in call(episode, "send_message", to=me, subject="Status reports, week 9", body="y")["labelIds"]
    assert labels[0] not in call(episode, "send_message", to=me, subject="Report on status", body="y")["labelIds"]
    call(episode, "create_filter", 200, criteria={"subject": "tender OR bid"}, action={"addLabelIds": ["STARRED"]})
    assert "STARRED" in call(episode, "send_message", to=me, subject="Our bid", body="y")["labelIds"]


def test_settings_rules(episode: Episode) -> None:
    assert call(episode, "get_vacation") == {"enableAutoReply": False}
    assert "required" in refused(episode, "update_vacation", enableAutoReply=True)
    assert (
        refused(episode, "update_vacation", startTime="200", endTime="100") == "Vacation startTime must precede endTime"
    )
    call(episode, "update_vacation", enableAutoReply=True, responseSubject="Away", startTime=1)
    assert call(episode, "get_vacation") == {"enableAutoReply": True, "responseSubject": "Away", "startTime": "1"}
    assert (
        refused(episode, "update_auto_forwarding", enabled=True, emailAddress="a@b.example")
        == "Unrecognized forwarding address"
    )
    assert "deleted" in refused(episode, "delete_send_as", sendAsEmail="alex.doyle@brightwater.example")
    call(episode, "create_send_as", sendAsEmail="ops@brightwater.example", displayName="Operations")
    sent = call(
        episode, "send_message", 200, **{"from": "Operations <ops@brightwater.example>", "to": DANA, "body": "x"}
    )
    assert view(episode, sent["id"]).sender == "Operations <ops@brightwater.example>"
    pending = call(episode, "create_send_as", sendAsEmail="me@elsewhere.example")
    assert pending["verificationStatus"] == "pending"
    assert (
        refused(episode, "send_message", 400, **{"from": "me@elsewhere.example", "to": DANA, "body": "x"})
        == "Invalid From header"
    )
    refused(episode, "create_send_as", 409, sendAsEmail="ops@brightwater.example")
