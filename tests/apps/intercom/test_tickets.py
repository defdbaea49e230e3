"""Intercom: tickets."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.intercom.support import (
    SOON,
    call,
    contact,
    declined,
    http,
    me,
    new_ticket,
    ref,
    refused,
    started,
    thread,
    types,
)


def states(episode: Episode) -> dict[str, str]:
    return {s["internal_label"]: s["id"] for s in call(episode, "list_ticket_states")["data"]}


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"Priority": "Soonish"}, "Ticket attribute 'Priority' must be one of: Low, Normal, High, Urgent"),
        ({"Colour": "red"}, "Ticket attribute 'Colour' does not exist on the ticket type"),
        ({"_default_title_": 5}, "Ticket attribute '_default_title_' must be a string"),
        ({"_default_title_": ""}, "Missing required ticket attributes: _default_title_"),
    ],
)
def test_attributes_must_fit_the_ticket_type(episode: Episode, attributes: dict[str, Any], why: str) -> None:
    kind = types(episode)["Support request"]["id"]
    given_ = {"_default_title_": "T", **attributes}
    told = refused(
        episode, "create_ticket", ticket_type_id=kind, contacts=[{"id": contact(episode)}], ticket_attributes=given_
    )
    assert told == (400, "parameter_invalid", why)


def test_a_ticket_goes_through_its_states(episode: Episode) -> None:
    made, named, mine = new_ticket(episode, Priority="High"), states(episode), me(episode)
    key = made["id"]
    assert (made["ticket_id"], made["ticket_state"]["category"], made["open"]) == ("104", "submitted", True)
    assert call(episode, "retrieve_conversation", conversation_id=key)["ticket"]["ticket_id"] == "104"

    def update(**arguments: Any) -> Any:
        return call(episode, "update_ticket", ticket_id=key, admin_id=mine, **arguments)

    bea = ref(episode, "people.Person", "bea")
    assert update(assignee_id=bea, ticket_state_id=named["In progress"])["admin_assignee_id"] == bea
    done = update(ticket_state_id=named["Resolved"], ticket_attributes={"Priority": "Low"})
    assert (done["open"], done["ticket_state"]["internal_label"]) == (False, "Resolved")
    again = update(ticket_state_id=named["Waiting on customer"])
    assert (again["open"], again["ticket_attributes"]["Priority"]) == (True, "Low")
    assert update(snoozed_until=SOON)["snoozed_until"] == SOON
    assert update(open=False)["open"] is False
    assert update(open=True, is_shared=False)["open"] is True
    log = [p["part_type"] for p in again["ticket_parts"]["ticket_parts"]]
    assert log == [
        "ticket_state_updated_by_admin", "assignment", "ticket_state_updated_by_admin", "ticket_attribute_updated_by_admin",
        "ticket_state_updated_by_admin", "ticket_state_updated_by_admin",
    ]  # fmt: skip
    older = http(
        episode, "PUT", f"/tickets/{key}", {"state": "resolved", "assignment": {"admin_id": mine, "assignee_id": "0"}}
    )
    assert (older["ticket_state"]["category"], older["admin_assignee_id"]) == ("resolved", "0")


def test_states_and_assignees_that_a_ticket_cannot_have(episode: Episode) -> None:
    outage, named = new_ticket(episode, "Outage")["id"], states(episode)
    wrong = (400, "ticket_state_id_invalid", "Ticket state id is not valid or is not associated with the ticket type")
    assert refused(episode, "update_ticket", ticket_id=outage, ticket_state_id=named["Closed"]) == wrong
    assert refused(episode, "update_ticket", ticket_id=outage, ticket_state_id="1") == wrong
    nobody = (404, "assignee_not_found", "Assignee not found")
    assert refused(episode, "update_ticket", ticket_id=outage, assignee_id="12") == nobody
    assert refused(episode, "update_ticket", ticket_id=outage, admin_id="12") == nobody
    # What fails late leaves nothing of what came before it.
    assert (
        refused(
            episode, "update_ticket", ticket_id=outage, ticket_attributes={"Affected customers": 4}, ticket_state_id="1"
        )
        == wrong
    )
    assert (
        refused(episode, "update_ticket", ticket_id=outage, ticket_attributes={"Affected customers": "four"})[0] == 400
    )
    assert refused(episode, "update_ticket", ticket_id=outage, ticket_attributes={"Started at": "yesterday"})[0] == 400


def test_back_office_tickets_are_no_conversations(episode: Episode) -> None:
    key, mine = new_ticket(episode, "Bug report", Severity="Major")["id"], me(episode)
    assert refused(episode, "retrieve_conversation", conversation_id=key)[0] == 404
    told = refused(
        episode,
        "reply_to_ticket",
        ticket_id=key,
        message_type="comment",
        type="user",
        intercom_user_id=contact(episode),
        body="x",
    )
    assert told == (400, "parameter_mismatch", "User replies are not allowed on Backoffice tickets")
    kind = types(episode)["Bug report"]["id"]
    plain = started(episode)
    assert refused(episode, "convert_conversation_to_ticket", conversation_id=plain, ticket_type_id=kind) == (
        400, "parameter_invalid", "Ticket type is not a customer ticket type",
    )  # fmt: skip
    told = refused(
        episode, "create_ticket", ticket_type_id=types(episode)["Support request"]["id"], contacts=[{"id": contact(episode)}],
        conversation_to_link_id=plain, ticket_attributes={"_default_title_": "Bug"},
    )  # fmt: skip
    assert told[2] == "A conversation can only be linked to a Back-office or a Tracker ticket"
    linked = call(
        episode, "create_ticket", ticket_type_id=kind, contacts=[{"email": "new@person.example"}], conversation_to_link_id=plain,
        ticket_attributes={"_default_title_": "Bug"}, assignment={"admin_assignee_id": mine},
    )  # fmt: skip
    assert linked["admin_assignee_id"] == mine
    assert http(episode, "GET", f"/conversations/{plain}")["linked_objects"]["data"] == [
        {"type": "ticket", "id": linked["id"], "category": "Back-office"}
    ]
    made = call(episode, "search_contacts", query={"field": "email", "operator": "=", "value": "new@person.example"})
    assert made["data"][0]["role"] == "lead"
    call(
        episode, "reply_to_ticket", ticket_id=linked["id"], message_type="note", type="admin", admin_id=mine, body="Found it",
        cross_post=True,
    )  # fmt: skip
    parts = http(episode, "GET", f"/conversations/{plain}")["conversation_parts"]["conversation_parts"]
    assert [(p["part_type"], p["body"]) for p in parts] == [("note", "<p>Found it</p>")]


def test_a_conversation_becomes_a_ticket_once(episode: Episode) -> None:
    key, kind = started(episode), types(episode)["Support request"]["id"]
    assert refused(episode, "convert_conversation_to_ticket", conversation_id=key, ticket_type_id=kind)[0] == 400
    given_ = {"_default_title_": "Hello"}
    made = call(episode, "convert_conversation_to_ticket", conversation_id=key, ticket_type_id=kind, attributes=given_)
    assert (made["id"], made["ticket_attributes"]) == (key, given_)
    again = refused(
        episode, "convert_conversation_to_ticket", conversation_id=key, ticket_type_id=kind, attributes=given_
    )
    assert again == (400, "parameter_invalid", "Conversation is already a ticket")


def test_ticket_replies_tags_jobs_and_deletion(episode: Episode) -> None:
    key, mine = thread(episode, "103"), me(episode)
    said = call(
        episode, "reply_to_ticket", ticket_id=key, message_type="comment", type="admin", admin_id=mine, body="Hello"
    )
    assert (said["type"], said["part_type"], said["body"]) == ("ticket_part", "open", "<p>Hello</p>")
    assert call(episode, "get_ticket", ticket_id=key)["open"] is True
    tag = call(episode, "create_or_update_tag", name="seen")["id"]
    call(episode, "tag_ticket", ticket_id=key, id=tag, admin_id=mine)
    assert call(episode, "untag_ticket", ticket_id=key, tag_id=tag, admin_id=mine)["id"] == tag
    assert refused(episode, "untag_ticket", ticket_id=key, tag_id=tag, admin_id=mine) == (
        404,
        "tag_not_found",
        "Tag not found",
    )
    kind = types(episode)["Support request"]["id"]
    body = {
        "ticket_type_id": kind,
        "contacts": [{"id": contact(episode)}],
        "ticket_attributes": {"_default_title_": "Later"},
    }
    job = http(episode, "POST", "/tickets/enqueue", body)
    assert job["status"] == "pending"
    done = http(episode, "GET", f"/jobs/status/{job['id']}")
    assert done["status"] == "success"
    assert call(episode, "get_ticket", ticket_id=done["resource_id"])["ticket_attributes"]["_default_title_"] == "Later"
    assert http(episode, "DELETE", f"/tickets/{key}") == {"id": key, "object": "ticket", "deleted": True}
    assert declined(episode, "GET", "/jobs/status/1") == (404, "job_not_found", "Job Not Found")


def test_ticket_types_are_made_and_changed(episode: Episode) -> None:
    made = http(episode, "POST", "/ticket_types", {"name": "Refund", "category": "Customer"})
    assert [a["name"] for a in made["ticket_type_attributes"]["data"]] == ["_default_title_", "_default_description_"]
    path = f"/ticket_types/{made['id']}"
    field = {
        "name": "Reason",
        "description": "Why",
        "data_type": "list",
        "list_items": "Late, Broken",
        "required_to_create": True,
    }
    added = http(episode, "POST", f"{path}/attributes", field)
    assert [o["name"] for o in added["input_options"]["list_options"]] == ["Late", "Broken"]
    assert declined(episode, "POST", f"{path}/attributes", field)[0] == 400
    assert (
        refused(episode, "create_ticket", ticket_type_id=made["id"], contacts=[{"id": contact(episode)}])[2]
        == "Missing required ticket attributes: Reason"
    )
    option = added["input_options"]["list_options"][1]["id"]
    ticket = call(
        episode,
        "create_ticket",
        ticket_type_id=made["id"],
        contacts=[{"id": contact(episode)}],
        ticket_attributes={"Reason": option},
    )
    assert ticket["ticket_attributes"]["Reason"] == "Broken"
    changed = http(
        episode, "PUT", f"{path}/attributes/{added['id']}", {"list_items": "Broken, Other", "required_to_create": False}
    )
    assert changed["input_options"]["list_options"][0]["id"] == option
    assert declined(episode, "PUT", path, {"category": "Tracker"})[0] == 400
    assert http(episode, "PUT", path, {"archived": True})["archived"] is True
    gone = refused(episode, "create_ticket", ticket_type_id=made["id"], contacts=[{"id": contact(episode)}])
    assert gone[:2] == (404, "ticket_type_not_found")
