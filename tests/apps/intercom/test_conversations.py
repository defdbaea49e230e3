"""Intercom: conversations."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.intercom.support import (
    SOON,
    call,
    contact,
    declined,
    http,
    leaf,
    me,
    ref,
    refused,
    shown,
    started,
    thread,
)


def test_a_conversation_is_assigned_snoozed_closed_and_reopened_and_its_log_tells(episode: Episode) -> None:
    key, mine = started(episode), me(episode)
    bea, team = ref(episode, "people.Person", "bea"), ref(episode, "helpdesk.Queue", "first")

    def manage(**arguments: Any) -> Any:
        return call(episode, "manage_conversation", conversation_id=key, admin_id=mine, **arguments)

    one = http(episode, "GET", f"/conversations/{key}")
    assert (one["state"], one["open"], one["source"]["body"]) == ("open", True, "<p>Hello there</p>")
    assert one["waiting_since"] == one["created_at"]
    assert manage(message_type="assignment", type="admin", assignee_id=bea)["admin_assignee_id"] == int(bea)
    assert manage(message_type="assignment", type="team", assignee_id=team)["team_assignee_id"] == int(team)
    snoozed = manage(message_type="snoozed", snoozed_until=SOON)
    assert (snoozed["state"], snoozed["open"], snoozed["snoozed_until"]) == ("snoozed", True, SOON)
    assert manage(message_type="open")["state"] == "open"
    closed = manage(message_type="close", body="Goodbye")
    assert (closed["state"], closed["open"]) == ("closed", False)
    assert manage(message_type="assignment", type="admin", assignee_id=mine)["state"] == "open"
    assert "admin_assignee_id" not in manage(message_type="assignment", type="admin", assignee_id="0")
    parts = http(episode, "GET", f"/conversations/{key}?display_as=plaintext")["conversation_parts"][
        "conversation_parts"
    ]
    assert [p["part_type"] for p in parts] == [
        "assignment", "assignment", "snoozed", "open", "close", "assign_and_reopen", "assignment",
    ]  # fmt: skip
    assert parts[4]["body"] == "Goodbye"
    assert parts[1]["assigned_to"] == {"type": "team", "id": team}


def test_what_cannot_be_done_to_a_conversation(episode: Episode) -> None:
    key, mine = started(episode), me(episode)

    def cannot(**arguments: Any) -> tuple[int, str, str]:
        return refused(episode, "manage_conversation", **{"conversation_id": key, "admin_id": mine, **arguments})

    assert cannot(message_type="snoozed")[:2] == (400, "parameter_not_found")
    assert cannot(message_type="snoozed", snoozed_until=1) == (
        400,
        "parameter_invalid",
        "snoozed_until must be in the future",
    )
    assert cannot(message_type="assignment", type="admin", assignee_id="12") == (
        404,
        "assignee_not_found",
        "Assignee not found",
    )
    gone = ref(episode, "people.Person", "gone")
    assert cannot(message_type="assignment", type="admin", assignee_id=gone)[0] == 404
    assert cannot(message_type="assignment")[:2] == (400, "parameter_not_found")
    assert cannot(message_type="close", admin_id="12") == (404, "admin_not_found", "Admin not found")
    assert cannot(message_type="merge")[:2] == (400, "parameter_invalid")
    assert cannot(message_type="close", conversation_id="12") == (404, "not_found", "Resource Not Found")


@pytest.mark.parametrize("how", ["close", "snoozed"])
@pytest.mark.parametrize("side", ["admin", "user"])
def test_any_reply_reopens_and_a_note_does_not(episode: Episode, how: str, side: str) -> None:
    key, mine = started(episode), me(episode)
    until = {"snoozed_until": SOON} if how == "snoozed" else {}
    call(episode, "manage_conversation", conversation_id=key, message_type=how, admin_id=mine, **until)
    noted = call(
        episode,
        "reply_to_conversation",
        conversation_id=key,
        message_type="note",
        type="admin",
        admin_id=mine,
        body="Hm",
    )
    assert noted["state"] == ("closed" if how == "close" else "snoozed")
    who = {"admin_id": mine} if side == "admin" else {"intercom_user_id": contact(episode)}
    replied = call(
        episode, "reply_to_conversation", conversation_id=key, message_type="comment", type=side, body="Again", **who
    )
    last = replied["conversation_parts"]["conversation_parts"][-1]
    assert (replied["state"], last["part_type"], last["body"]) == ("open", "open", "<p>Again</p>")
    assert ("waiting_since" in replied) == (side == "user")


def test_snoozing_ends_when_its_time_comes(episode: Episode) -> None:
    key, mine = started(episode), me(episode)
    now = http(episode, "GET", f"/conversations/{key}")["updated_at"]
    call(
        episode,
        "manage_conversation",
        conversation_id=key,
        message_type="snoozed",
        admin_id=mine,
        snoozed_until=now + 3,
    )
    assert call(episode, "retrieve_conversation", conversation_id=key)["state"] == "snoozed"
    for name in ("a", "b", "c"):
        call(episode, "create_or_update_tag", name=name)
    assert call(episode, "retrieve_conversation", conversation_id=key)["state"] == "open"


def test_replies_name_who_writes(episode: Episode) -> None:
    key, mine = thread(episode), me(episode)

    def cannot(**arguments: Any) -> tuple[int, str, str]:
        return refused(
            episode, "reply_to_conversation", **{"conversation_id": key, "message_type": "comment", **arguments}
        )

    assert cannot(type="admin", body="x")[:2] == (400, "parameter_not_found")
    assert cannot(type="admin", admin_id=mine) == (400, "parameter_invalid", "Body is required")
    assert cannot(type="user", body="x")[:2] == (400, "parameter_not_found")
    assert cannot(type="user", body="x", email="nobody@x.example") == (404, "not_found", "User Not Found")
    assert cannot(type="user", body="x", intercom_user_id=contact(episode, "finn"))[0] == 400
    assert cannot(type="user", body="x", message_type="note", intercom_user_id=contact(episode))[0] == 400
    assert cannot(type="admin", message_type="quick_reply", admin_id=mine)[0] == 400
    by_mail = call(
        episode, "reply_to_conversation", conversation_id=key, message_type="comment", type="user", email="Dana@meridian.example",
        body="<p>As <b>HTML</b></p>", attachment_urls=["https://x.example/a.png"],
    )  # fmt: skip
    last = by_mail["conversation_parts"]["conversation_parts"][-1]
    assert (last["body"], last["attachments"][0]["name"]) == ("<p>As <b>HTML</b></p>", "a.png")
    quick = call(
        episode, "reply_to_conversation", conversation_id=key, message_type="quick_reply", type="admin", admin_id=mine,
        reply_options=[{"text": "Yes", "uuid": "1"}],
    )  # fmt: skip
    assert quick["conversation_parts"]["conversation_parts"][-1]["metadata"]["quick_reply_options"][0]["text"] == "Yes"
    latest = started(episode)
    assert http(episode, "POST", "/conversations/last/reply", {
        "message_type": "comment", "type": "user", "intercom_user_id": contact(episode), "body": "Still here",
    })["id"] == latest  # fmt: skip


def test_people_of_a_conversation(episode: Episode) -> None:
    key, mine, finn = started(episode), me(episode), contact(episode, "finn")
    both = call(
        episode,
        "attach_contact_to_conversation",
        conversation_id=key,
        customer={"email": "finn@elsewhere.example"},
        admin_id=mine,
    )
    assert [c["id"] for c in both["customers"]] == [contact(episode), finn]
    call(episode, "attach_contact_to_conversation", conversation_id=key, customer={"email": "new@person.example"})
    [lead] = call(episode, "search_contacts", query=leaf("role", "=", "lead"))["data"]
    call(episode, "detach_contact_from_conversation", conversation_id=key, contact_id=lead["id"], admin_id=mine)
    left = call(
        episode, "detach_contact_from_conversation", conversation_id=key, contact_id=contact(episode), admin_id=mine
    )
    assert [c["id"] for c in left["customers"]] == [finn]
    last = refused(episode, "detach_contact_from_conversation", conversation_id=key, contact_id=finn, admin_id=mine)
    assert last == (422, "parameter_invalid", "Removing the last customer is not allowed")
    assert refused(
        episode, "detach_contact_from_conversation", conversation_id=key, contact_id=contact(episode), admin_id=mine
    ) == (404, "not_found", "User Not Found")


def test_tagging_titling_redacting_and_deleting(episode: Episode) -> None:
    key, mine = thread(episode), me(episode)
    tag = call(episode, "create_or_update_tag", name="urgent")["id"]
    assert call(episode, "tag_conversation", conversation_id=key, id=tag, admin_id=mine)["name"] == "urgent"
    assert {t["name"] for t in shown(episode)["tags"]["tags"]} == {"api", "export", "urgent"}
    path = f"/conversations/{key}/tags/{tag}"
    assert declined(episode, "DELETE", path)[:2] == (400, "parameter_not_found")
    assert http(episode, "DELETE", path, {"admin_id": mine})["id"] == tag
    assert declined(episode, "DELETE", path, {"admin_id": mine}) == (404, "tag_not_found", "Tag not found")
    assert (
        refused(episode, "untag_conversation", conversation_id="1", tag_id=tag, admin_id=mine)[2]
        == "Conversation not found"
    )
    changed = call(
        episode,
        "update_conversation",
        conversation_id=key,
        read=True,
        title="Export",
        custom_attributes={"area": "jobs"},
    )
    assert (changed["title"], changed["custom_attributes"]) == ("Export", {"area": "jobs"})
    assert (
        changed["conversation_parts"]["conversation_parts"][-1]["part_type"]
        == "conversation_attribute_updated_by_admin"
    )
    parts = shown(episode)["conversation_parts"]["conversation_parts"]
    comment = next(p for p in parts if p["part_type"] == "comment")
    state = next(p for p in parts if p["body"] is None)
    gone = (404, "conversation_part_or_message_not_found", "Conversation part or message not found")
    assert refused(
        episode,
        "redact_conversation",
        type="conversation_part",
        conversation_id=key,
        conversation_part_id=state["id"],
    ) == (400, "conversation_part_not_redactable", "This conversation part cannot be redacted")
    assert refused(episode, "redact_conversation", type="source", conversation_id=key, source_id="1") == gone
    call(
        episode,
        "redact_conversation",
        type="conversation_part",
        conversation_id=key,
        conversation_part_id=comment["id"],
    )
    call(episode, "redact_conversation", type="source", conversation_id=key, source_id=changed["source"]["id"])
    now = shown(episode)
    assert now["source"]["body"] == "<p><i>This message was deleted</i></p>"
    assert [p["redacted"] for p in now["conversation_parts"]["conversation_parts"] if p["id"] == comment["id"]] == [
        True
    ]
    assert http(episode, "DELETE", f"/conversations/{key}") == {"id": key, "object": "conversation", "deleted": True}
    assert refused(episode, "get_ticket", ticket_id=key)[:2] == (404, "ticket_not_found")
