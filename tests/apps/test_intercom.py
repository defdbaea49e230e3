"""The Intercom app through its public faces: rules, states, search, pages, and the helpdesk capability."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry
from legoenv_mcp.capabilities import Entity, Plan, helpdesk
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

APP = "intercom"
SOON = 4_000_000_000


def message(author: str, at: str, body: str, note: bool = False) -> helpdesk.TicketMessage:
    return helpdesk.TicketMessage(author=author, at=at, body=body, note=note)


ENTITIES: list[Entity] = [
    Person(
        key="bea", first_name="Bea", last_name="Reed", email="bea@brightwater.example", handle="bea", title="Agent", department="Support"
    ),
    Person(
        key="gone", first_name="Gus", last_name="Gone", email="gus@brightwater.example", handle="gus", title="Agent",
        department="Support", active=False,
    ),
    helpdesk.Requester(
        key="dana", name="Dana Whitfield", email="dana@meridian.example", company="meridian", created="2025-05-01T08:00:00Z"
    ),
    helpdesk.Requester(key="finn", name="Finn Aldous", email="finn@elsewhere.example", created="2025-06-15T23:30:00Z"),
    helpdesk.Queue(key="first", name="First line", members=("alex.doyle", "bea")),
    helpdesk.Ticket(
        key="101", subject="Export fails at midnight", requester="dana", status="open", priority="high", kind="problem",
        assignee="bea", queue="first", tags=("export", "api"), created="2026-02-27T09:00:00Z", updated="2026-02-27T11:00:00Z",
        messages=(
            message("dana", "2026-02-27T09:00:00Z", "The nightly export stops with an error.\nIt is <urgent>.\n\nThanks"),
            message("bea", "2026-02-27T10:00:00Z", "Which workspace is it?"),
            message("bea", "2026-02-27T11:00:00Z", "Looks like the scheduler.", note=True),
        ),
    ),
    helpdesk.Ticket(
        key="102", subject="Invoice for two seats too many", requester="finn", status="new", channel="web",
        created="2026-03-01T10:00:00Z", messages=(message("finn", "2026-03-01T10:00:00Z", "We have five seats, not seven."),),
    ),
    helpdesk.Ticket(
        key="103", subject="Thanks", requester="dana", status="closed", assignee="bea", queue="first",
        created="2026-01-05T10:00:00Z", messages=(message("dana", "2026-01-05T10:00:00Z", "All fine now."),),
    ),
]  # fmt: skip


@pytest.fixture
def episode() -> Episode:
    return episode_of(APP, ENTITIES)


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = episode.call(APP, tool, arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> tuple[int, str, str]:
    """Status, code and message of a refused call, which leaves nothing."""
    before = episode.changes()
    reply = episode.call(APP, tool, arguments)
    assert reply.error, reply.body
    assert episode.changes() == before
    return _said(reply)


def _said(reply: Reply) -> tuple[int, str, str]:
    assert reply.body["type"] == "error.list"
    assert len(reply.body["request_id"]) == 36
    [one] = reply.body["errors"]
    return reply.status, one["code"], one["message"]


def rest(episode: Episode, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    parts = urlsplit(path)
    sent = {"content-type": "application/json", **{n.replace("_", "-"): v for n, v in headers.items()}}
    base = "http://intercom.example"
    request = Request(method, parts.path, f"{base}{path}", dict(parse_qsl(parts.query)), sent, base)
    return handle(episode.app(APP), request, b"" if body is None else json.dumps(body).encode())


def http(episode: Episode, method: str, path: str, body: Any = None) -> Any:
    reply = rest(episode, method, path, body)
    assert not reply.error, reply.body
    return reply.body


def declined(episode: Episode, method: str, path: str, body: Any = None) -> tuple[int, str, str]:
    before = episode.changes()
    reply = rest(episode, method, path, body)
    assert reply.error, reply.body
    assert episode.changes() == before
    return _said(reply)


def ref(episode: Episode, entity: str, key: str) -> str:
    return episode.app(APP).template.refs[entity][key]


def me(episode: Episode) -> str:
    return call(episode, "identify_admin")["id"]


def contact(episode: Episode, key: str = "dana") -> str:
    return ref(episode, "helpdesk.Requester", key)


def thread(episode: Episode, key: str = "101") -> str:
    return ref(episode, "helpdesk.Ticket", key)


def shown(episode: Episode, key: str = "101") -> Any:
    return http(episode, "GET", f"/conversations/{thread(episode, key)}")


def started(episode: Episode, key: str = "dana") -> str:
    """A plain conversation."""
    who = {"type": "user", "id": contact(episode, key)}
    made = call(episode, "create_conversation", **{"from": who, "body": "Hello there"})
    return made["conversation_id"]


# Contacts


def test_a_contact_with_an_existing_external_id_is_refused_and_named(episode: Episode) -> None:
    made = call(
        episode, "create_contact", email="Ada@Example.com", external_id="u-1", name="Ada", owner_id=int(me(episode))
    )
    assert (made["role"], made["email"], made["external_id"], made["owner_id"]) == (
        "user",
        "ada@example.com",
        "u-1",
        int(me(episode)),
    )
    assert len(made["id"]) == 24
    told = f"A contact matching those details already exists with id={made['id']}"
    assert refused(episode, "create_contact", external_id="u-1") == (409, "conflict", told)
    assert refused(episode, "create_contact", role="lead", external_id="u-1")[0] == 409
    assert refused(episode, "create_contact", email="ADA@example.com") == (409, "conflict", told)
    # Users who have ids of their own may share an address; leads may have any.
    call(episode, "create_contact", email="ada@example.com", external_id="u-2")
    call(episode, "create_contact", email="ada@example.com", role="lead")
    assert refused(episode, "update_contact", contact_id=contact(episode), external_id="u-2")[0] == 409
    call(episode, "archive_contact", contact_id=made["id"])
    assert refused(episode, "create_contact", external_id="u-1")[2].startswith("An archived contact matching")
    assert http(episode, "GET", "/contacts/find_by_external_id/u-2")["email"] == "ada@example.com"
    assert declined(episode, "GET", "/contacts/find_by_external_id/u-1") == (404, "not_found", "User Not Found")


def test_what_a_contact_must_be(episode: Episode) -> None:
    assert refused(episode, "create_contact", role="user", name="Nobody")[:2] == (400, "parameter_invalid")
    assert refused(episode, "create_contact", email="no address")[2] == "Email is invalid"
    owner = refused(episode, "create_contact", email="a@b.example", owner_id=1)
    assert owner == (400, "parameter_invalid", "The owner specified is not a member of the workspace")
    unknown = refused(episode, "create_contact", email="a@b.example", custom_attributes={"shoe_size": 4})
    assert unknown == (400, "parameter_invalid", "Custom attribute 'shoe_size' does not exist")
    assert refused(episode, "create_contact", email="a@b.example", custom_attributes={"time_zone": 4})[0] == 400
    assert declined(episode, "POST", "/contacts", {"email": "a@b.example", "shoe": 1}) == (
        400,
        "bad_request",
        "bad 'shoe' parameter",
    )
    assert refused(episode, "update_contact", contact_id=contact(episode), role="lead")[0] == 400
    assert refused(episode, "update_contact", contact_id=contact(episode), email=None)[0] == 400
    assert refused(episode, "retrieve_contact", contact_id="ffffffffffffffffffffffff") == (
        404,
        "not_found",
        "User Not Found",
    )
    row = call(
        episode,
        "update_contact",
        contact_id=contact(episode),
        custom_attributes={"time_zone": "Europe/Paris"},
        phone="+33",
    )
    assert (row["custom_attributes"], row["phone"]) == ({"time_zone": "Europe/Paris"}, "+33")
    assert "custom_attributes" not in call(
        episode, "update_contact", contact_id=contact(episode), custom_attributes={"time_zone": None}
    )


def test_a_lead_is_merged_into_a_user_and_never_the_other_way(episode: Episode) -> None:
    lead = call(episode, "create_contact", role="lead", email="d@meridian.example", phone="+1 555")["id"]
    user = contact(episode)
    made = call(episode, "create_conversation", **{"from": {"type": "lead", "id": lead}, "body": "Hi"})[
        "conversation_id"
    ]
    call(episode, "create_note", contact_id=lead, body="Met at the fair")
    tag = call(episode, "create_or_update_tag", name="fair", users=[{"id": lead}])["id"]
    assert refused(episode, "merge_contacts", **{"from": user, "into": lead})[:2] == (400, "parameter_invalid")
    assert refused(episode, "merge_contacts", **{"from": user, "into": user})[0] == 400
    assert refused(episode, "merge_contacts", **{"from": lead, "into": lead})[0] == 400
    merged = call(episode, "merge_contacts", **{"from": lead, "into": user})
    assert (merged["id"], merged["email"], merged["phone"]) == (user, "dana@meridian.example", "+1 555")
    assert [t["id"] for t in merged["tags"]["data"]] == [tag]
    assert merged["notes"]["total_count"] == 1
    assert refused(episode, "retrieve_contact", contact_id=lead)[0] == 404
    assert http(episode, "GET", f"/conversations/{made}")["source"]["author"]["id"] == user


def test_archived_contacts_are_out_of_sight_until_they_come_back(episode: Episode) -> None:
    who = contact(episode)
    query = {"field": "id", "operator": "=", "value": who}
    assert call(episode, "archive_contact", contact_id=who)["archived"] is True
    assert call(episode, "search_contacts", query=query)["total_count"] == 0
    assert refused(episode, "update_contact", contact_id=who, name="X")[0] == 404
    assert call(episode, "unarchive_contact", contact_id=who)["archived"] is False
    assert call(episode, "search_contacts", query=query)["total_count"] == 1
    assert http(episode, "POST", f"/contacts/{who}/block") == {
        "type": "contact",
        "id": who,
        "external_id": None,
        "blocked": True,
    }
    assert refused(episode, "retrieve_contact", contact_id=who)[0] == 404
    call(episode, "unarchive_contact", contact_id=who)
    gone = call(episode, "delete_contact", contact_id=who)
    assert gone["deleted"] is True
    assert refused(episode, "unarchive_contact", contact_id=who)[0] == 404


def test_companies_of_contacts(episode: Episode) -> None:
    who, firm = contact(episode, "finn"), call(episode, "list_companies", company_id="meridian")["id"]
    joined = call(episode, "attach_contact_to_company", contact_id=who, id=firm)
    assert (joined["name"], joined["user_count"]) == ("Meridian", 2)
    assert http(episode, "GET", f"/contacts/{who}/companies")["data"][0]["id"] == firm
    assert call(episode, "list_contacts_of_company", company_id=firm)["total_count"] == 2
    assert declined(episode, "POST", f"/contacts/{who}/companies", {}) == (
        400,
        "parameter_not_found",
        "company not specified",
    )
    assert declined(episode, "POST", f"/contacts/{who}/companies", {"id": "x"}) == (
        404,
        "company_not_found",
        "Company Not Found",
    )
    assert call(episode, "detach_contact_from_company", contact_id=who, company_id=firm)["user_count"] == 1
    assert refused(episode, "detach_contact_from_company", contact_id=who, company_id=firm)[:2] == (
        404,
        "company_not_found",
    )


def test_companies_are_made_or_changed_by_their_own_id(episode: Episode) -> None:
    made = call(
        episode, "create_or_update_company", company_id="c-9", name="Nine", custom_attributes={"seats": 4}, plan="Gold"
    )
    again = call(episode, "create_or_update_company", company_id="c-9", size=12)
    assert (again["id"], again["name"], again["size"], again["custom_attributes"]) == (
        made["id"],
        "Nine",
        12,
        {"seats": 4},
    )
    assert again["plan"]["name"] == "Gold"
    assert refused(episode, "create_or_update_company", name="No id")[:2] == (400, "parameter_not_found")
    assert declined(episode, "POST", "/companies", {"company_id": "c-9", "test": 1}) == (
        400,
        "bad_request",
        "bad 'test' parameter",
    )
    assert refused(episode, "create_or_update_company", company_id="c-9", custom_attributes={"seats": "four"})[0] == 400
    assert "seats" in [a["name"] for a in call(episode, "list_data_attributes", model="company")["data"]]
    assert (
        http(episode, "PUT", f"/companies/{made['id']}", {"website": "https://nine.example"})["website"]
        == "https://nine.example"
    )
    # Lists leave out a company that nobody belongs to yet; by its own id it is found.
    assert [c["company_id"] for c in http(episode, "POST", "/companies/list?order=asc")["data"]] == ["meridian"]
    assert call(episode, "list_companies")["total_count"] == 1
    assert call(episode, "list_companies", company_id="c-9")["id"] == made["id"]
    call(episode, "attach_contact_to_company", contact_id=contact(episode), id=made["id"])
    assert {c["company_id"] for c in http(episode, "GET", "/companies")["data"]} == {"meridian", "c-9"}
    assert http(episode, "POST", "/companies", {"company_id": "c-9", "monthly_spend": 155.98})["monthly_spend"] == 155
    page = http(episode, "GET", "/companies/scroll")
    assert len(page["data"]) == 2
    assert http(episode, "GET", f"/companies/scroll?scroll_param={page['scroll_param']}")["data"] == []
    assert declined(episode, "GET", "/companies/scroll?scroll_param=zzz")[0] == 404
    assert http(episode, "DELETE", f"/companies/{made['id']}") == {
        "id": made["id"],
        "object": "company",
        "deleted": True,
    }
    assert refused(episode, "retrieve_company", company_id=made["id"])[:2] == (404, "company_not_found")


def test_tags_notes_segments_and_subscriptions(episode: Episode) -> None:
    who = contact(episode)
    tag = call(episode, "create_or_update_tag", name="VIP")["id"]
    assert call(episode, "create_or_update_tag", name="vip")["id"] == tag
    assert call(episode, "tag_contact", contact_id=who, id=tag)["applied_by"]["id"] == me(episode)
    assert http(episode, "GET", f"/contacts/{who}/tags")["data"][0]["name"] == "VIP"
    found = call(episode, "search_contacts", query={"field": "tag_id", "operator": "=", "value": tag})
    assert [c["id"] for c in found["data"]] == [who]
    assert call(episode, "untag_contact", contact_id=who, tag_id=tag)["id"] == tag
    assert refused(episode, "untag_contact", contact_id=who, tag_id=tag) == (404, "not_found", "Resource Not Found")
    assert refused(episode, "tag_contact", contact_id=who, id="1")[:2] == (404, "not_found")
    assert refused(episode, "create_or_update_tag", name=" ") == (400, "parameter_invalid", "invalid tag parameters")
    http(episode, "DELETE", f"/tags/{tag}")
    assert declined(episode, "GET", f"/tags/{tag}")[0] == 404
    note = call(episode, "create_note", contact_id=who, body="Called back", admin_id=me(episode))
    assert note["body"] == "<p>Called back</p>"
    assert http(episode, "GET", f"/notes/{note['id']}")["author"]["id"] == me(episode)
    assert call(episode, "list_notes", contact_id=who)["total_count"] == 1
    assert refused(episode, "create_note", contact_id=who, body="x", admin_id="1") == (
        404,
        "not_found",
        "Resource Not Found",
    )
    segments = call(episode, "list_segments", include_count=True)["segments"]
    assert {s["name"]: s["count"] for s in segments} == {"All users": 2, "All leads": 0, "Unsubscribed": 0}
    call(episode, "update_contact", contact_id=who, unsubscribed_from_emails=True)
    assert {s["name"] for s in http(episode, "GET", f"/contacts/{who}/segments")["data"]} == {
        "All users",
        "Unsubscribed",
    }
    types = {t["consent_type"]: t["id"] for t in http(episode, "GET", "/subscription_types")["data"]}
    path = f"/contacts/{who}/subscriptions"
    assert http(episode, "POST", path, {"id": types["opt_in"], "consent_type": "opt_in"})["id"] == types["opt_in"]
    assert declined(episode, "POST", path, {"id": types["opt_in"], "consent_type": "opt_out"})[0] == 400
    assert http(episode, "GET", f"/contacts/{who}")["opted_in_subscription_types"]["total_count"] == 1
    http(episode, "DELETE", f"{path}/{types['opt_in']}")
    assert http(episode, "GET", path)["data"] == []


# Conversations


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


# Tickets


def types(episode: Episode) -> dict[str, Any]:
    return {t["name"]: t for t in http(episode, "GET", "/ticket_types")["data"]}


def states(episode: Episode) -> dict[str, str]:
    return {s["internal_label"]: s["id"] for s in call(episode, "list_ticket_states")["data"]}


def new_ticket(episode: Episode, kind: str = "Support request", **attributes: Any) -> Any:
    return call(
        episode, "create_ticket", ticket_type_id=types(episode)[kind]["id"], contacts=[{"id": contact(episode)}],
        ticket_attributes={"_default_title_": "Broken", "_default_description_": "It broke.", **attributes},
    )  # fmt: skip


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


# Search


def ids_of(episode: Episode, tool: str, query: Any, **more: Any) -> set[str]:
    body = call(episode, tool, query=query, **more)
    return {row["id"] for row in body.get("data", body.get("conversations", body.get("tickets")))}


def leaf(field: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (leaf("email", "=", "DANA@meridian.example"), {"dana"}),
        (leaf("email", "!=", "dana@meridian.example"), {"finn"}),
        (leaf("name", "~", "ald"), {"finn"}),
        (leaf("name", "!~", "ald"), {"dana"}),
        (leaf("name", "^", "dan"), {"dana"}),
        (leaf("name", "$", "OUS"), {"finn"}),
        (leaf("email_domain", "IN", ["meridian.example", "elsewhere.example"]), {"dana", "finn"}),
        (leaf("email_domain", "NIN", ["meridian.example"]), {"finn"}),
        (leaf("external_id", "=", None), {"dana", "finn"}),
        (leaf("owner_id", "!=", None), set()),
        (leaf("unsubscribed_from_emails", "=", False), {"dana", "finn"}),
        # By day: 2025-05-01 is the whole day, whatever the hour that is given.
        (leaf("created_at", "=", 1746057600), {"dana"}),
        (leaf("created_at", ">", 1746057600), {"finn"}),
        (leaf("created_at", "<", "1750032000"), {"dana", "finn"}),
        (leaf("created_at", "<", 1750000000), {"dana"}),
        ({"operator": "OR", "value": [leaf("name", "~", "dana"), leaf("name", "~", "finn")]}, {"dana", "finn"}),
        (
            {
                "operator": "AND",
                "value": [
                    {"operator": "OR", "value": [leaf("name", "~", "dana"), leaf("name", "~", "finn")]},
                    leaf("email", "$", "elsewhere.example"),
                ],
            },
            {"finn"},
        ),
    ],
)
def test_contacts_are_searched(episode: Episode, query: Any, found: set[str]) -> None:
    assert ids_of(episode, "search_contacts", query) == {contact(episode, key) for key in found}


@pytest.mark.parametrize(
    ("query", "code", "part"),
    [
        (leaf("shoe", "=", "4"), "invalid_field", "'shoe'"),
        (leaf("custom_attributes.shoe", "=", "4"), "invalid_field", "'custom_attributes.shoe'"),
        (leaf("name", "LIKE", "x"), "invalid_operator", "'LIKE'"),
        (leaf("name", ">", "x"), "invalid_operator", "'>'"),
        (leaf("created_at", ">=", 1), "invalid_operator", "'>='"),
        (leaf("created_at", "!=", 1), "invalid_operator", "'!='"),
        (leaf("tag_id", "IN", ["1"]), "invalid_operator", "'IN'"),
        (leaf("created_at", "=", "foobar"), "invalid_value", "UNIX timestamp"),
        (leaf("created_at", "=", 10**15), "invalid_value", "UNIX timestamp"),
        (leaf("name", "IN", "x"), "invalid_value", "array"),
        (leaf("owner_id", "=", "x"), "invalid_value", "number"),
        (leaf("unsubscribed_from_emails", "=", "maybe"), "invalid_value", "boolean"),
        ({"field": "name", "operator": "="}, "invalid_query", "no value"),
        ({"operator": "AND", "value": []}, "invalid_query", "array"),
        ({"operator": "XOR", "value": [leaf("name", "=", "x")]}, "invalid_query", "field"),
        ({"operator": "AND", "value": [leaf("name", "=", "x")] * 16}, "invalid_query", "15"),
        ({"operator": "AND", "value": ["name"]}, "invalid_query", "object"),
        (
            {
                "operator": "AND",
                "value": [{"operator": "OR", "value": [{"operator": "AND", "value": [leaf("name", "=", "x")]}]}],
            },
            "invalid_query",
            "2 deep",
        ),
        ({**leaf("name", "=", "x"), "sort": 1}, "invalid_query", "'sort'"),
    ],
)
def test_a_wrong_query_is_refused_by_what_is_wrong_with_it(episode: Episode, query: Any, code: str, part: str) -> None:
    status, found, why = refused(episode, "search_contacts", query=query)
    assert (status, found) == (400, code)
    assert part in why


def test_conversations_and_tickets_are_searched(episode: Episode) -> None:
    keys = {key: thread(episode, key) for key in ("101", "102", "103")}
    mine, bea = me(episode), ref(episode, "people.Person", "bea")

    def conversations(*query: Any) -> set[str]:
        return ids_of(episode, "search_conversations", leaf(*query))

    def tickets(*query: Any) -> set[str]:
        return ids_of(episode, "search_tickets", leaf(*query))

    assert conversations("state", "=", "closed") == {keys["103"]}
    assert conversations("open", "=", "true") == {keys["101"], keys["102"]}
    assert conversations("admin_assignee_id", "=", bea) == {keys["101"], keys["103"]}
    assert conversations("admin_assignee_id", "=", None) == {keys["102"]}
    assert conversations("contact_ids", "=", contact(episode)) == {keys["101"], keys["103"]}
    assert conversations("source.body", "=", "export") == {keys["101"]}
    assert conversations("source.body", "=", "nightly export") == set()
    assert conversations("source.body", "~", "nightly export") == {keys["101"]}
    assert conversations("source.author.email", "^", "finn@") == {keys["102"]}
    assert conversations("statistics.count_conversation_parts", ">", 5) == {keys["101"]}
    tag = next(t["id"] for t in call(episode, "list_tags")["data"] if t["name"] == "export")
    assert conversations("tag_ids", "IN", [tag]) == {keys["101"]}
    created = shown(episode)["created_at"]
    assert conversations("created_at", ">", created) == {keys["101"], keys["102"]}
    assert conversations("created_at", "<", created) == {keys["101"], keys["103"]}
    assert tickets("title", "~", "invoice") == {keys["102"]}
    assert tickets("state", "IN", ["submitted", "resolved"]) == {keys["102"], keys["103"]}
    assert tickets("category", "=", "request") == set(keys.values())
    support = types(episode)["Support request"]
    assert tickets("ticket_type_id", "=", support["id"]) == set(keys.values())
    priority = next(a["id"] for a in support["ticket_type_attributes"]["data"] if a["name"] == "Priority")
    assert tickets(f"ticket_attribute.{priority}", "=", "high") == {keys["101"]}
    assert refused(episode, "search_tickets", query=leaf("ticket_state", "=", "x"))[1] == "invalid_field"
    bug = new_ticket(episode, "Bug report")["id"]
    assert tickets("category", "=", "task") == {bug}
    assert bug not in conversations("open", "=", True)
    assert refused(episode, "search_tickets", query=leaf("title", "~", "x"), sort={"order": "desc"}) == (
        400, "invalid_sort_order", "Invalid sort order 'desc'. Must be one of: ascending, descending",
    )  # fmt: skip
    call(episode, "manage_conversation", conversation_id=keys["102"], message_type="close", admin_id=mine)
    assert conversations("statistics.last_closed_by_id", "=", mine) == {keys["102"]}


def test_pages_lead_through_everything_once(episode: Episode) -> None:
    for n in range(7):
        call(episode, "create_contact", external_id=f"u{n}", name=f"User {n}")
    query = leaf("name", "^", "User")
    seen, after = list[str](), None
    for _ in range(10):
        asked = {"per_page": 3, **({"starting_after": after} if after else {})}
        body = call(
            episode, "search_contacts", query=query, pagination=asked, sort={"field": "name", "order": "ascending"}
        )
        assert (body["total_count"], body["pages"]["total_pages"]) == (7, 3)
        seen += [c["name"] for c in body["data"]]
        after = body["pages"].get("next", {}).get("starting_after")
        if after is None:
            break
    assert seen == [f"User {n}" for n in range(7)]
    listed = call(episode, "list_contacts", per_page=4)
    rest_of = call(episode, "list_contacts", per_page=4, starting_after=listed["pages"]["next"]["starting_after"])
    assert len({c["id"] for c in [*listed["data"], *rest_of["data"]]}) == 8
    assert call(episode, "list_contacts", per_page=4, page=3)["data"] != []
    assert refused(episode, "list_contacts", starting_after="nonsense")[:2] == (400, "parameter_invalid")
    assert refused(episode, "search_contacts", query=query, pagination={"per_page": 151})[0] == 400
    assert http(episode, "GET", "/conversations?per_page=2")["pages"]["next"]["page"] == 2


def test_whoever_is_assigned_to_nobody_is_found_by_0_and_by_null(episode: Episode) -> None:
    for search in ("search_conversations", "search_tickets"):
        for nobody in (0, "0", None):
            assert ids_of(episode, search, leaf("admin_assignee_id", "=", nobody)) == {thread(episode, "102")}
            assert ids_of(episode, search, leaf("team_assignee_id", "!=", nobody)) == {
                thread(episode),
                thread(episode, "103"),
            }


def test_what_is_open_again_or_resolved_is_not_snoozed(episode: Episode) -> None:
    key, resolved = (
        thread(episode),
        next(s["id"] for s in call(episode, "list_ticket_states")["data"] if s["category"] == "resolved"),
    )
    asleep = leaf("snoozed_until", ">", 0)
    soon = call(episode, "create_note", contact_id=contact(episode), body="x")["created_at"] + 3
    call(
        episode,
        "manage_conversation",
        conversation_id=key,
        message_type="snoozed",
        admin_id=me(episode),
        snoozed_until=soon,
    )
    assert ids_of(episode, "search_conversations", asleep) == {key}
    for n in range(4):
        call(episode, "create_note", contact_id=contact(episode), body=str(n))
    assert ids_of(episode, "search_conversations", asleep) == set()
    made = http(episode, "PUT", f"/tickets/{key}", {"ticket_state_id": resolved, "snoozed_until": SOON})
    assert (made["open"], made["snoozed_until"]) == (False, None)


def test_no_contact_gets_an_address_that_is_none(episode: Episode) -> None:
    kind = next(t["id"] for t in call(episode, "list_ticket_types")["data"] if t["category"] == "Customer")
    wrong = (400, "parameter_invalid", "Email is invalid")
    for email in ("not an email", ""):
        told = refused(
            episode, "create_ticket", ticket_type_id=kind, contacts=[{"email": email}],
            ticket_attributes={"_default_title_": "x"},
        )  # fmt: skip
        assert told == wrong
        added = refused(
            episode, "attach_contact_to_conversation", conversation_id=thread(episode), customer={"email": email}
        )
        assert added == wrong


def test_a_conversation_tells_its_customers_first_words_and_how_it_stood_at_each_part(episode: Episode) -> None:
    key, mine = started(episode), me(episode)
    born = http(episode, "GET", f"/conversations/{key}")
    assert born["first_contact_reply"]["created_at"] == born["created_at"]
    for step in (
        {"message_type": "close"},
        {"message_type": "open"},
        {"message_type": "snoozed", "snoozed_until": SOON},
    ):
        call(episode, "manage_conversation", conversation_id=key, admin_id=mine, **step)
    call(
        episode,
        "reply_to_conversation",
        conversation_id=key,
        message_type="note",
        type="admin",
        admin_id=mine,
        body="x",
    )
    told = http(episode, "PUT", f"/conversations/{key}?display_as=plaintext", {"title": "Hi"})
    assert [p["state"] for p in told["conversation_parts"]["conversation_parts"]] == [
        "closed",
        "open",
        "snoozed",
        "snoozed",
    ]
    assert (told["source"]["body"], told["conversation_parts"]["conversation_parts"][-1]["body"]) == (
        "Hello there",
        "x",
    )


# What else a workspace has


def test_teammates_and_being_away(episode: Episode) -> None:
    bea = ref(episode, "people.Person", "bea")
    reasons = http(episode, "GET", "/away_status_reasons")["data"]
    away = call(
        episode,
        "set_away_admin",
        admin_id=bea,
        away_mode_enabled=True,
        away_mode_reassign=True,
        away_status_reason_id=reasons[0]["id"],
    )
    assert (away["away_mode_enabled"], away["away_status_reason_id"]) == (True, reasons[0]["id"])
    assert refused(episode, "set_away_admin", admin_id="1", away_mode_enabled=True, away_mode_reassign=False) == (
        404, "admin_not_found", "Admin for admin_id not found",
    )  # fmt: skip
    assert (
        refused(
            episode,
            "set_away_admin",
            admin_id=bea,
            away_mode_enabled=True,
            away_mode_reassign=False,
            away_status_reason_id="1",
        )[0]
        == 400
    )
    assert http(episode, "GET", f"/admins/{bea}")["away_mode_reassign"] is True
    [team] = call(episode, "list_teams")["teams"]
    assert int(bea) in http(episode, "GET", f"/teams/{team['id']}")["admin_ids"]
    assert declined(episode, "GET", "/teams/1") == (404, "team_not_found", "Team not found")


def test_data_attributes(episode: Episode) -> None:
    made = http(episode, "POST", "/data_attributes", {"name": "Seats", "model": "contact", "data_type": "integer"})
    assert (made["full_name"], made["admin_id"]) == ("custom_attributes.Seats", me(episode))
    row = call(episode, "create_contact", external_id="s", custom_attributes={"Seats": 4})
    assert ids_of(episode, "search_contacts", leaf("custom_attributes.Seats", ">", 3)) == {row["id"]}

    def cannot(**body: Any) -> str:
        return declined(
            episode, "POST", "/data_attributes", {"name": "X", "model": "contact", "data_type": "string", **body}
        )[2]

    assert cannot(name="!nv@l!d") == (
        "Your name for this attribute must only contain alphanumeric characters, currency symbols, and hyphens"
    )
    assert cannot(name="seats", model="company").startswith("You already have 'Seats' in your people data.")
    assert cannot(data_type="time") == "Data Type isn't an option"
    assert cannot(model="ticket") == "The Data Attribute model field must be either contact or company"
    assert cannot(data_type="options", options=[{"value": "1"}]) == "Options isn't an array"
    assert http(episode, "PUT", f"/data_attributes/{made['id']}", {"archived": True})["archived"] is True
    assert declined(episode, "PUT", "/data_attributes/1", {"archived": True})[:2] == (404, "field_not_found")
    assert refused(episode, "create_contact", external_id="t", custom_attributes={"Seats": 4})[0] == 400


def test_data_events(episode: Episode) -> None:
    who = contact(episode)
    call(episode, "update_contact", contact_id=who, external_id="dana-1")
    for _ in range(2):
        call(
            episode,
            "submit_data_event",
            event_name="placed-order",
            id=who,
            created_at=1772440000,
            metadata={f"k{n}": n for n in range(12)},
        )
    reply = rest(
        episode, "POST", "/events", {"event_name": "placed-order", "user_id": "dana-1", "created_at": 1772440001}
    )
    assert (reply.status, reply.body) == (202, "")
    events = call(episode, "list_data_events", intercom_user_id=who)["events"]
    assert [e["created_at"] for e in events] == [1772440001, 1772440000]
    assert len(events[1]["metadata"]) == 10
    http(episode, "POST", "/events/summaries", {
        "user_id": "dana-1", "event_summaries": {"event_name": "placed-order", "count": 5, "first": 1, "last": 2},
    })  # fmt: skip
    [total] = call(episode, "list_data_events", email="dana@meridian.example", summary=True)["events"]
    assert (total["count"], total["first"], total["last"]) == (7, 1, 1772440001)
    assert refused(episode, "submit_data_event", event_name="x", user_id="nobody") == (
        404,
        "not_found",
        "User Not Found",
    )


def test_messages(episode: Episode) -> None:
    who, mine = contact(episode), me(episode)
    to = {"type": "user", "id": who}
    sent = call(
        episode, "create_message", message_type="in_app", to=to, body="heyy", **{"from": {"type": "admin", "id": mine}}
    )
    assert (sent["type"], sent["message_type"], sent["owner"]["id"]) == ("admin_message", "inapp", mine)
    assert "conversation_id" not in sent
    opened = call(
        episode,
        "create_message",
        message_type="email",
        to=to,
        subject="Hi",
        body="There",
        create_conversation_without_contact_reply=True,
    )
    talk = call(episode, "retrieve_conversation", conversation_id=opened["conversation_id"])
    assert (talk["source"]["delivered_as"], talk["source"]["type"], talk["source"]["subject"]) == (
        "admin_initiated",
        "email",
        "Hi",
    )
    assert refused(episode, "create_message", message_type="email", to=to, body="x") == (
        422, "parameter_not_found", "No subject supplied for email message",
    )  # fmt: skip
    assert refused(episode, "create_message", message_type="in_app", to=to) == (
        400,
        "parameter_invalid",
        "Body is required",
    )
    assert refused(episode, "create_message", message_type="in_app", to={"type": "user", "id": "1"}, body="x")[0] == 404


def test_the_help_center(episode: Episode) -> None:
    mine = me(episode)
    home = call(episode, "create_collection", name="Guides")
    inner = call(episode, "create_collection", name="Exports", parent_id=home["id"])
    made = call(
        episode, "create_article", title="How to export", body="Press <b>Export</b>.", author_id=mine, parent_id=inner["id"],
        parent_type="collection", state="published",
    )  # fmt: skip
    assert made["url"].endswith(f"/articles/{made['id']}-how-to-export")
    draft = call(episode, "create_article", title="Secrets", author_id=mine)
    assert draft["state"] == "draft"
    assert refused(episode, "create_article", title="x") == (
        400, "parameter_not_found", "author_id must be in the main body or default locale translated_content object",
    )  # fmt: skip
    assert refused(episode, "create_collection") == (400, "parameter_not_found", "Name is a required parameter.")
    found = http(episode, "GET", "/articles/search?phrase=press+export&highlight=true")
    assert [a["id"] for a in found["data"]["articles"]] == [made["id"]]
    assert {"type": "highlight", "text": "export"} in found["data"]["highlights"][0]["highlighted_title"]
    assert call(episode, "search_articles", phrase="export", state="draft")["total_count"] == 0
    assert (
        call(episode, "update_article", article_id=draft["id"], state="published", title="No secrets")["state"]
        == "published"
    )
    assert http(episode, "GET", "/articles?per_page=1")["pages"]["next"].endswith("/articles?page=2&per_page=1")
    path = "/help_center/collections"
    assert declined(episode, "PUT", f"{path}/{home['id']}", {"parent_id": inner["id"]})[0] == 400
    assert http(episode, "PUT", f"{path}/{home['id']}", {"name": "All guides"})["name"] == "All guides"
    http(episode, "DELETE", f"{path}/{inner['id']}")
    assert "parent_id" not in call(episode, "retrieve_article", article_id=made["id"])
    assert http(episode, "DELETE", f"/articles/{made['id']}") == {
        "id": made["id"],
        "object": "article",
        "deleted": True,
    }
    assert refused(episode, "retrieve_article", article_id=made["id"]) == (404, "not_found", "Resource Not Found")
    [center] = http(episode, "GET", "/help_center/help_centers")["data"]
    assert (
        http(episode, "GET", f"/help_center/help_centers/{center['id']}")["display_name"] == "Brightwater Help Center"
    )


# The faces


def test_versions_headers_and_unknown_addresses(episode: Episode) -> None:
    reply = rest(episode, "GET", "/me", intercom_version="2.11")
    assert reply.headers["Intercom-Version"] == "2.11"
    assert _said(rest(episode, "GET", "/me", intercom_version="9.9")) == (
        400, "intercom_version_invalid", "The requested version could not be found",
    )  # fmt: skip
    assert declined(episode, "GET", "/macros") == (404, "not_found", "Resource Not Found")
    assert declined(episode, "POST", "/contacts/search", {}) == (
        400,
        "parameter_not_found",
        "Query is a required parameter.",
    )
    assert rest(episode, "POST", "/contacts/search", [1]).status == 400


async def test_an_agent_is_told_less_than_a_program(episode: Episode) -> None:
    async with Client(serve(episode, [APP])) as client:
        listed = await client.list_tools()
        assert len(listed.tools) == 60
        result = await client.call_tool("search_tickets", {"query": leaf("state", "=", "in_progress")})
    assert result.structured_content is not None
    [ticket] = result.structured_content["tickets"]
    assert ticket["ticket_type"] == {
        "id": ticket["ticket_type"]["id"],
        "name": "Support request",
        "category": "Customer",
    }
    assert "ticket_parts" not in ticket
    assert "ticket_parts" in call(episode, "get_ticket", ticket_id=ticket["id"])


# The capability


def play(episode: Episode, plan: Plan) -> Any:
    body: Any = None
    try:
        step = next(plan)
        while True:
            body = call(episode, step.tool, **step.arguments)
            step = plan.send(body)
    except StopIteration:
        return body


def viewed(episode: Episode, key: str) -> helpdesk.Ticket:
    live = episode.app(APP)
    shape = live.app.shapes["conversation"]
    raw = live.store.connection.execute(shape.by_key, (thread(episode, key),)).fetchone()
    made = live.app.provides["helpdesk"].view(Ctx(live, None, None, Request()), "conversation", shape.decode(raw))
    assert isinstance(made, helpdesk.Ticket)
    return made


def test_a_filled_ticket_is_viewed_as_it_was(episode: Episode) -> None:
    given_ = next(e for e in ENTITIES if isinstance(e, helpdesk.Ticket) and e.key == "101")
    made = viewed(episode, "101")
    for name in ("subject", "status", "priority", "kind", "channel", "created", "updated"):
        assert getattr(made, name) == getattr(given_, name), name
    assert set(made.tags) == set(given_.tags)
    assert [(m.at, m.body, m.note) for m in made.messages] == [(m.at, m.body, m.note) for m in given_.messages]
    assert made.messages[0].author == made.requester == contact(episode)


@pytest.mark.parametrize("status", ["new", "open", "pending", "solved", "closed"])
def test_each_status_has_a_state(episode: Episode, status: helpdesk.Status) -> None:
    provider = registry.load(APP).provides["helpdesk"]
    for key in ("101", "102", "103"):
        play(episode, provider.update_status(thread(episode, key), status))
        assert viewed(episode, key).status == status


def test_the_other_verbs(episode: Episode) -> None:
    provider = registry.load(APP).provides["helpdesk"]
    bea = ref(episode, "people.Person", "bea")
    play(episode, provider.assign_ticket(thread(episode, "102"), bea))
    assert viewed(episode, "102").assignee == bea
    assert play(episode, provider.find_customer("finn@elsewhere.example"))["total_count"] == 1
    assert play(episode, provider.create_customer("Ivy Noor", "ivy@noor.example"))["role"] == "user"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["close", "open", "snoozed", "assignment", "comment", "user", "note"]), max_size=8))
def test_a_conversation_is_in_one_state_and_nothing_leaves_its_log(steps: list[str]) -> None:
    """Whatever is done: open says what the state says, a snooze has its time, and each step added one part."""
    episode = episode_of(APP, ENTITIES)
    key, mine = thread(episode, "102"), me(episode)
    before = shown(episode, "102")["conversation_parts"]["total_count"]
    for step in steps:
        if step in ("comment", "note"):
            call(
                episode,
                "reply_to_conversation",
                conversation_id=key,
                message_type=step,
                type="admin",
                admin_id=mine,
                body="x",
            )
        elif step == "user":
            finn = contact(episode, "finn")
            call(
                episode,
                "reply_to_conversation",
                conversation_id=key,
                message_type="comment",
                type="user",
                intercom_user_id=finn,
                body="y",
            )
        else:
            more = (
                {"snoozed_until": SOON} if step == "snoozed" else {"assignee_id": mine} if step == "assignment" else {}
            )
            call(episode, "manage_conversation", conversation_id=key, message_type=step, admin_id=mine, **more)
        now = shown(episode, "102")
        assert now["open"] == (now["state"] != "closed")
        assert (now["snoozed_until"] == SOON) == (now["state"] == "snoozed")
    after = shown(episode, "102")
    assert after["conversation_parts"]["total_count"] == before + len(steps)
