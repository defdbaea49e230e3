"""Intercom: what else a workspace has; the faces; the capability."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry
from legoenv_mcp.capabilities import Plan, helpdesk
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.intercom.support import (
    APP,
    ENTITIES,
    SOON,
    _said,
    call,
    contact,
    declined,
    http,
    ids_of,
    leaf,
    me,
    ref,
    refused,
    rest,
    shown,
    thread,
)


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
