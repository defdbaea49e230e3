"""The Zendesk app through its public faces: rules, states, search, views, pages, and the helpdesk capability."""

import json
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.capabilities import Entity, Plan, crm, helpdesk
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode, Template
from legoenv_mcp.testing import episode_of

APP = "zendesk"


def person(handle: str, **more: Any) -> Person:
    return Person(
        key=handle, first_name=handle.title(), last_name="Reed", email=f"{handle}@brightwater.example", handle=handle,
        title="Agent", department="Support", **more,
    )  # fmt: skip


def message(author: str, at: str, body: str, note: bool = False) -> helpdesk.TicketMessage:
    return helpdesk.TicketMessage(author=author, at=at, body=body, note=note)


ENTITIES: list[Entity] = [
    person("bea"),
    person("carl", admin=True, manager="bea"),
    crm.Company(
        key="meridian", name="Meridian Freight", domain="meridian.example", kind="customer", employees=40, owner="bea"
    ),
    helpdesk.Requester(
        key="dana", name="Dana Whitfield", email="dana@meridian.example", company="meridian", created="2025-05-01T08:00:00Z"
    ),
    helpdesk.Requester(key="finn", name="Finn Aldous", email="finn@elsewhere.example"),
    helpdesk.Queue(key="first", name="First line", members=("alex.doyle", "bea")),
    helpdesk.Queue(key="billing", name="Billing", members=("carl",)),
    helpdesk.Ticket(
        key="101", subject="Export fails at midnight", requester="dana", status="open", priority="high", kind="problem",
        assignee="bea", queue="first", tags=("export", "api"), created="2026-02-27T09:00:00Z", updated="2026-02-27T11:00:00Z",
        messages=(
            message("dana", "2026-02-27T09:00:00Z", "The nightly export stops with an error."),
            message("bea", "2026-02-27T10:00:00Z", "Which workspace is it?"),
            message("bea", "2026-02-27T11:00:00Z", "Looks like the scheduler.", note=True),
        ),
    ),
    helpdesk.Ticket(
        key="102", subject="Invoice for two seats too many", requester="finn", status="new", channel="web",
        created="2026-03-01T10:00:00Z", messages=(message("finn", "2026-03-01T10:00:00Z", "We have five seats, not seven."),),
    ),
    helpdesk.Ticket(
        key="103", subject="Thanks", requester="dana", status="closed", assignee="carl", queue="billing",
        created="2026-01-05T10:00:00Z", messages=(message("dana", "2026-01-05T10:00:00Z", "All fine now."),),
    ),
    helpdesk.Ticket(
        key="104", subject="Invoice address", requester="dana", status="solved", priority="low", assignee="carl", queue="billing",
        created="2026-02-20T10:00:00Z", messages=(message("dana", "2026-02-20T10:00:00Z", "Please change the address."),),
    ),
]  # fmt: skip


@pytest.fixture
def episode() -> Episode:
    return episode_of(APP, ENTITIES)


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = episode.call(APP, tool, arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> Any:
    """The body of a refused call, which leaves nothing."""
    before = episode.changes()
    reply = episode.call(APP, tool, arguments)
    assert reply.error, reply.body
    assert episode.changes() == before
    return {"status": reply.status, **reply.body}


def details(body: Any) -> str:
    assert body["error"] == "RecordInvalid"
    assert body["description"] == "Record validation errors"
    return "; ".join(p["description"] for found in body["details"].values() for p in found)


def rest(episode: Episode, method: str, path: str, body: Any = None) -> Reply:
    parts = urlsplit(path)
    query = dict(parse_qsl(parts.query))
    headers = {"content-type": "application/json"}
    request = Request(method, parts.path, f"http://desk.example{path}", query, headers, "http://desk.example")
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return handle(episode.app(APP), request, data)


def update(episode: Episode, ticket_id: int, **ticket: Any) -> Any:
    return call(episode, "update_ticket", ticket_id=ticket_id, ticket=ticket)["ticket"]


def ticket(episode: Episode, ticket_id: int) -> Any:
    return call(episode, "show_ticket", ticket_id=ticket_id)["ticket"]


def user_id(episode: Episode, email: str) -> int:
    return call(episode, "search_users", query=f"email:{email}")["users"][0]["id"]


def me(episode: Episode) -> int:
    return call(episode, "show_current_user")["user"]["id"]


def found(episode: Episode, query: str) -> list[Any]:
    return [r["id"] for r in call(episode, "search", query=query)["results"]]


# Status


def test_a_new_ticket_opens_when_it_is_assigned_and_is_never_new_again(episode: Episode) -> None:
    made = update(episode, 102, assignee_id=user_id(episode, "bea@brightwater.example"))
    assert made["status"] == "open"
    body = refused(episode, "update_ticket", ticket_id=102, ticket={"status": "new"})
    assert details(body) == "Status: cannot be set to new again"


def test_solving_needs_an_assignee(episode: Episode) -> None:
    body = refused(episode, "update_ticket", ticket_id=102, ticket={"status": "solved"})
    assert body["status"] == 422
    problem = body["details"]["base"][0]
    assert problem["description"] == "Assignee: is required when solving a ticket"
    assert problem["ticket_field_type"] == "FieldAssignee"
    solved = update(episode, 102, status="solved", assignee_email="carl@brightwater.example")
    assert (solved["status"], solved["assignee_id"]) == ("solved", user_id(episode, "carl@brightwater.example"))


def test_a_solved_ticket_keeps_an_assignee(episode: Episode) -> None:
    groups = {g["name"]: g["id"] for g in call(episode, "list_groups")["groups"]}
    for change in ({"assignee_id": None}, {"group_id": groups["First line"]}):
        body = refused(episode, "update_ticket", ticket_id=104, ticket=change)
        assert details(body) == "Assignee: is required when solving a ticket"
    assert "assignee_id" not in update(episode, 104, assignee_id=None, status="open")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("update_ticket", {"ticket_id": 103, "ticket": {"status": "open"}}),
        ("update_ticket", {"ticket_id": 103, "ticket": {"comment": {"body": "One more thing", "public": False}}}),
        ("add_tags", {"ticket_id": 103, "tags": ["late"]}),
        ("set_tags", {"ticket_id": 103, "tags": ["late"]}),
        ("remove_tags", {"ticket_id": 103, "tags": ["late"]}),
    ],
)
def test_a_closed_ticket_takes_no_change(episode: Episode, tool: str, arguments: dict[str, Any]) -> None:
    assert details(refused(episode, tool, **arguments)) == "Status: closed prevents ticket update"


def test_a_closed_ticket_is_not_merged_but_followed_up(episode: Episode) -> None:
    assert "closed" in details(refused(episode, "merge_tickets", ticket_id=101, ids=[103]))
    assert "closed" in details(refused(episode, "merge_tickets", ticket_id=103, ids=[101]))
    again = {"comment": {"body": "Again"}, "requester_id": ticket(episode, 103)["requester_id"]}
    other = call(episode, "create_ticket", ticket={**again, "via_followup_source_id": 101})["ticket"]
    assert "source" not in other["via"], "only closed tickets are followed up; of others it has no effect"
    made = call(
        episode, "create_ticket", ticket={**again, "submitter_id": again["requester_id"], "via_followup_source_id": 103}
    )
    assert made["ticket"]["via"]["source"]["from"] == {"ticket_id": 103}
    assert made["ticket"]["submitter_id"] == me(episode), "whoever makes a follow-up submits it"
    assert ticket(episode, 103)["followup_ids"] == [made["ticket"]["id"]]


@pytest.mark.parametrize("status", ["pending", "hold", "solved"])
def test_the_requesters_reply_reopens(episode: Episode, status: str) -> None:
    update(episode, 101, status=status)
    dana = user_id(episode, "dana@meridian.example")
    assert update(episode, 101, comment={"body": "Any news?", "author_id": dana})["status"] == "open"
    metric = call(episode, "show_ticket_metrics", ticket_id=101)["ticket_metric"]
    assert metric["reopens"] == int(status == "solved")
    assert metric["requester_updated_at"] == metric["latest_comment_added_at"], "the requester wrote, whoever sent it"


def test_an_agents_reply_and_note_leave_the_status(episode: Episode) -> None:
    update(episode, 101, status="pending")
    assert update(episode, 101, comment={"body": "Still looking", "public": True})["status"] == "pending"
    assert update(episode, 101, comment={"body": "No idea", "public": False})["status"] == "pending"
    assert [c["public"] for c in call(episode, "list_ticket_comments", ticket_id=101)["comments"]][-2:] == [True, False]


def test_with_a_problem_its_incidents_are_solved(episode: Episode) -> None:
    assert "only incidents" in details(refused(episode, "update_ticket", ticket_id=102, ticket={"problem_id": 101}))
    body = refused(episode, "update_ticket", ticket_id=102, ticket={"type": "incident", "problem_id": 104})
    assert "not a problem" in details(body)
    update(episode, 102, type="incident", problem_id=101)
    assert [t["id"] for t in call(episode, "list_ticket_incidents", ticket_id=101)["tickets"]] == [102]
    update(episode, 101, status="solved", comment={"body": "Fixed", "public": True})
    solved = ticket(episode, 102)
    assert (solved["status"], solved["assignee_id"]) == ("solved", user_id(episode, "bea@brightwater.example"))
    assert call(episode, "list_ticket_comments", ticket_id=102)["comments"][-1]["body"] == "Fixed"


def test_a_ticket_is_public_while_any_message_is(episode: Episode) -> None:
    first, second, _ = call(episode, "list_ticket_comments", ticket_id=101)["comments"]
    call(episode, "make_ticket_comment_private", ticket_id=101, comment_id=second["id"])
    assert ticket(episode, 101)["is_public"] is True
    call(episode, "make_ticket_comment_private", ticket_id=101, comment_id=first["id"])
    assert ticket(episode, 101)["is_public"] is False
    update(episode, 101, comment={"body": "Among us"})
    assert ticket(episode, 101)["is_public"] is False, "what is written on a private ticket is a note"
    assert update(episode, 101, comment={"body": "Hello", "public": True})["is_public"] is True


# Assignment


def test_an_assignee_is_an_agent_of_the_group(episode: Episode) -> None:
    groups = {g["name"]: g["id"] for g in call(episode, "list_groups")["groups"]}
    bea, carl = user_id(episode, "bea@brightwater.example"), user_id(episode, "carl@brightwater.example")
    dana = user_id(episode, "dana@meridian.example")
    assert (
        details(refused(episode, "update_ticket", ticket_id=102, ticket={"assignee_id": dana}))
        == "Assignee: is invalid"
    )
    both = {"assignee_id": carl, "group_id": groups["First line"]}
    assert "not a member" in details(refused(episode, "update_ticket", ticket_id=102, ticket=both))
    moved = update(episode, 101, assignee_id=carl)
    assert moved["group_id"] == groups["Billing"], "the agent's own group comes along"
    left = update(episode, 101, group_id=groups["First line"])
    assert "assignee_id" not in left, "an agent of another group does not stay"
    assert update(episode, 101, assignee_id=bea)["group_id"] == groups["First line"]


def test_an_agent_who_leaves_a_group_leaves_its_tickets(episode: Episode) -> None:
    carl = user_id(episode, "carl@brightwater.example")
    update(episode, 102, assignee_id=carl)
    own = [m for m in call(episode, "list_group_memberships")["group_memberships"] if m["user_id"] == carl]
    call(episode, "delete_group_membership", membership_id=own[0]["id"])
    assert "assignee_id" not in ticket(episode, 102)
    assert ticket(episode, 103)["assignee_id"] == carl, "closed tickets keep theirs"
    assert ticket(episode, 104)["assignee_id"] == carl, "there is nobody else in the group"
    bea = user_id(episode, "bea@brightwater.example")
    carls, _ = (
        call(episode, "create_group_membership", group_membership={"user_id": agent, "group_id": own[0]["group_id"]})
        for agent in (carl, bea)
    )
    call(episode, "delete_group_membership", membership_id=carls["group_membership"]["id"])
    assert ticket(episode, 104)["assignee_id"] == bea, "a solved ticket goes to the group's first member"
    assert "any group" in details(refused(episode, "update_ticket", ticket_id=102, ticket={"assignee_id": carl}))


# Creating


def test_creating_a_ticket(episode: Episode) -> None:
    body = refused(episode, "create_ticket", ticket={"subject": "Nothing said"})
    assert details(body) == "Description: cannot be blank"
    asker = {"email": "new@meridian.example"}
    body = refused(episode, "create_ticket", ticket={"comment": {"body": "Hi"}, "requester": asker})
    assert "Name: is too short" in details(body)
    answer = call(
        episode,
        "create_ticket",
        ticket={"comment": {"body": "Hi there\nall"}, "requester": {**asker, "name": "New Person"}},
    )
    made = answer["ticket"]
    assert (made["id"], made["status"], made["subject"]) == (105, "new", "Hi there")
    assert made["organization_id"] == ticket(episode, 101)["organization_id"], "by the domain of the address"
    assert [e["type"] for e in answer["audit"]["events"]][:2] == ["Comment", "Create"]
    again = call(episode, "create_ticket", ticket={"comment": {"body": "Hi"}, "requester": asker})["ticket"]
    assert again["requester_id"] == made["requester_id"]


def test_who_asks_has_written_the_first_message_unless_another_submits(episode: Episode) -> None:
    dana = user_id(episode, "dana@meridian.example")

    def first(**properties: Any) -> tuple[int, int, int]:
        made = call(episode, "create_ticket", ticket={"comment": {"body": "Hi"}, **properties})
        said = call(episode, "list_ticket_comments", ticket_id=made["ticket"]["id"])["comments"][0]
        return made["ticket"]["submitter_id"], said["author_id"], made["audit"]["author_id"]

    assert first(requester_id=dana) == (dana, dana, dana)
    assert first(requester={"email": "dana@meridian.example"}) == (dana, dana, dana)
    assert first(requester_id=dana, submitter_id=me(episode)) == (me(episode),) * 3
    assert first() == (me(episode),) * 3


def test_a_new_ticket_goes_to_the_group_of_its_organization(episode: Episode) -> None:
    groups = {g["name"]: g["id"] for g in call(episode, "list_groups")["groups"]}
    dana = call(episode, "show_user", user_id=user_id(episode, "dana@meridian.example"))["user"]
    new = {"comment": {"body": "Hi"}, "requester_id": dana["id"]}
    call(
        episode,
        "update_organization",
        organization_id=dana["organization_id"],
        organization={"group_id": groups["Billing"]},
    )
    assert call(episode, "create_ticket", ticket=new)["ticket"]["group_id"] == groups["Billing"]
    asked = call(episode, "create_ticket", ticket={**new, "group_id": groups["First line"]})["ticket"]
    assert asked["group_id"] == groups["First line"]
    given = call(episode, "create_ticket", ticket={**new, "assignee_email": "bea@brightwater.example"})["ticket"]
    assert given["group_id"] == groups["First line"]


def test_copies_go_to_people_who_become_users_by_it(episode: Episode) -> None:
    new = {"user_email": "Zed@partner.example", "user_name": "Zed Ory"}
    zed = update(episode, 101, email_ccs=[new])["email_cc_ids"]
    assert [call(episode, "show_user", user_id=i)["user"]["name"] for i in zed] == ["Zed Ory"]
    assert update(episode, 101, email_ccs=[{**new, "action": "delete"}]).get("email_cc_ids") is None
    wrong = refused(episode, "update_ticket", ticket_id=101, ticket={"email_ccs": [{"user_email": "zed"}]})
    assert "not properly formatted" in details(wrong)


def test_of_collaborators_agents_follow_and_customers_get_copies(episode: Episode) -> None:
    bea, finn = user_id(episode, "bea@brightwater.example"), user_id(episode, "finn@elsewhere.example")
    given = [bea, "finn@elsewhere.example", {"name": "Kim Ode", "email": "kim@ode.example"}]
    changed = update(episode, 101, collaborators=given)
    kim = user_id(episode, "kim@ode.example")
    assert (changed["follower_ids"], changed["email_cc_ids"]) == ([bea], [finn, kim])
    kept = update(episode, 101, collaborator_ids=changed["collaborator_ids"])
    assert (kept["follower_ids"], kept["email_cc_ids"]) == ([bea], [finn, kim]), "what was read may be written back"
    assert update(episode, 101, collaborator_ids=[finn])["email_cc_ids"] == [finn]
    assert update(episode, 101, additional_collaborators=[str(kim)])["email_cc_ids"] == [finn, kim]
    assert "does not exist" in details(refused(episode, "update_ticket", ticket_id=101, ticket={"collaborators": [7]}))


def test_an_empty_text_empties_a_field(episode: Episode) -> None:
    sent = {"priority": "", "type": "", "assignee_id": ""}
    body = rest(episode, "PUT", "/api/v2/tickets/101.json", {"ticket": sent}).body["ticket"]
    assert [body[name] for name in sent] == [None, None, None]


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        ({"priority": "critical"}, "Priority: is invalid"),
        ({"status": "done"}, "Status: is invalid"),
        ({"requester_id": 1}, "Requester: is invalid"),
        ({"group_id": 1}, "Group: is invalid"),
        ({"due_at": "2026-04-01"}, "Due date: only tasks have one"),
        ({"type": "task", "due_at": "soon"}, "Due date: is not a date"),
        ({"custom_fields": [{"id": 5, "value": "x"}]}, "Custom field 5 does not exist"),
        ({"followers": [{"user_email": "dana@meridian.example"}]}, "is not an agent"),
        ({"organization_id": 1}, "Organization: the requester is not a member"),
    ],
)
def test_values_that_a_ticket_does_not_take(episode: Episode, properties: dict[str, Any], why: str) -> None:
    assert why in details(refused(episode, "create_ticket", ticket={"comment": {"body": "x"}, **properties}))
    assert why in details(refused(episode, "update_ticket", ticket_id=102, ticket=properties))


def test_a_safe_update_is_refused_when_somebody_was_faster(episode: Episode) -> None:
    stamp = ticket(episode, 101)["updated_at"]
    change = {"priority": "low", "safe_update": True, "updated_stamp": stamp}
    update(episode, 101, **change)
    assert refused(episode, "update_ticket", ticket_id=101, ticket=change)["error"] == "UpdateConflict"


def test_tags_are_replaced_added_and_removed(episode: Episode) -> None:
    assert update(episode, 101, tags=["One two", "two,one"])["tags"] == ["one", "two"]
    assert call(episode, "add_tags", ticket_id=101, tags=["two", "three"])["tags"] == ["one", "three", "two"]
    assert call(episode, "remove_tags", ticket_id=101, tags=["one"])["tags"] == ["three", "two"]
    assert update(episode, 101, additional_tags=["four"], remove_tags=["two"])["tags"] == ["four", "three"]
    assert {"name": "four", "count": 1} in call(episode, "list_tags")["tags"]


def test_custom_fields_are_checked_and_bring_tags(episode: Episode) -> None:
    options = [{"name": "Gold", "value": "gold"}, {"name": "Silver", "value": "silver"}]
    field = call(
        episode,
        "create_ticket_field",
        ticket_field={"type": "tagger", "title": "Tier", "custom_field_options": options},
    )["ticket_field"]
    empty = rest(episode, "GET", "/api/v2/tickets/101.json").body["ticket"]
    assert empty["custom_fields"] == empty["fields"] == [{"id": field["id"], "value": None}]
    assert "custom_fields" not in ticket(episode, 101)
    changed = update(episode, 101, custom_fields=[{"id": field["id"], "value": "gold"}])
    assert changed["tags"] == ["api", "export", "gold"]
    assert found(episode, f"custom_field_{field['id']}:gold") == found(episode, "fieldvalue:gold") == [101]
    changed = update(episode, 101, custom_fields=[{"id": field["id"], "value": "silver"}])
    assert changed["tags"] == ["api", "export", "silver"]
    body = refused(
        episode, "update_ticket", ticket_id=101, ticket={"custom_fields": [{"id": field["id"], "value": "bronze"}]}
    )
    assert body["details"]["base"][0]["ticket_field_id"] == field["id"]
    assert (
        rest(episode, "PUT", f"/api/v2/ticket_fields/{field['id']}", {"ticket_field": {"required": True}}).status == 200
    )
    body = refused(
        episode,
        "update_ticket",
        ticket_id=102,
        ticket={"status": "solved", "assignee_email": "bea@brightwater.example"},
    )
    assert details(body) == "Tier: is required when solving a ticket"


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(a|aa)*b", "((a+))*", "(a{2,}){30}", "("])
def test_patterns_that_would_not_end_are_refused(episode: Episode, pattern: str) -> None:
    field = {"type": "regexp", "title": "Code", "regexp_for_validation": pattern}
    assert "is invalid" in details(refused(episode, "create_ticket_field", ticket_field=field))
    made = call(episode, "create_ticket_field", ticket_field={**field, "regexp_for_validation": r"^(\d{3}-)+[+*]$"})
    number = made["ticket_field"]["id"]
    assert update(episode, 101, custom_fields=[{"id": number, "value": "123-456-*"}])["custom_fields"]
    wrong = refused(episode, "update_ticket", ticket_id=101, ticket={"custom_fields": {str(number): "123-x"}})
    assert details(wrong) == "Code: is invalid"


# Deletion, merging, bulk


def test_deleted_tickets_can_be_restored(episode: Episode) -> None:
    call(episode, "delete_ticket", ticket_id=101)
    assert refused(episode, "show_ticket", ticket_id=101)["error"] == "RecordNotFound"
    assert refused(episode, "delete_ticket", ticket_id=101)["status"] == 404
    assert found(episode, "type:ticket export") == []
    deleted = call(episode, "list_deleted_tickets")["deleted_tickets"]
    assert [(d["id"], d["previous_state"]) for d in deleted] == [(101, "open")]
    call(episode, "restore_deleted_ticket", ticket_id=101)
    assert ticket(episode, 101)["status"] == "open"
    assert episode.changes() == []


def test_a_destroyed_tickets_number_is_not_given_again(episode: Episode) -> None:
    made = call(episode, "create_ticket", ticket={"comment": {"body": "x"}})["ticket"]["id"]
    call(episode, "delete_ticket", ticket_id=made)
    assert rest(episode, "DELETE", f"/api/v2/deleted_tickets/{made}.json").status == 200
    assert call(episode, "create_ticket", ticket={"comment": {"body": "x"}})["ticket"]["id"] == made + 1


def test_merging_closes_the_others_and_says_so(episode: Episode) -> None:
    assert "into itself" in details(refused(episode, "merge_tickets", ticket_id=101, ids=[101]))
    job = call(episode, "merge_tickets", ticket_id=101, ids=[102])["job_status"]
    assert job["status"] == "queued"
    done = call(episode, "show_job_status", job_status_id=job["id"])["job_status"]
    assert done["status"] == "completed"
    assert [r["id"] for r in done["results"]] == [102, 101]
    source, target = ticket(episode, 102), ticket(episode, 101)
    assert (source["status"], source["tags"]) == ("closed", ["closed_by_merge"])
    assert target["email_cc_ids"] == [source["requester_id"]]
    last = call(episode, "list_ticket_comments", ticket_id=101)["comments"][-1]
    assert last["public"] is False
    assert 'Request #102 "Invoice for two seats too many"' in last["body"]


def test_spam_suspends_who_sent_it(episode: Episode) -> None:
    finn = user_id(episode, "finn@elsewhere.example")
    call(episode, "mark_ticket_as_spam", ticket_id=102)
    assert call(episode, "show_user", user_id=finn)["user"]["suspended"] is True
    assert refused(episode, "show_ticket", ticket_id=102)["status"] == 404


def test_of_many_tickets_only_those_that_may_change(episode: Episode) -> None:
    job = call(episode, "update_many_tickets", ids=[101, 103, 999], ticket={"priority": "urgent"})["job_status"]
    results = call(episode, "show_job_status", job_status_id=job["id"])["job_status"]["results"]
    assert [(r["id"], r["success"]) for r in results] == [(101, True), (103, False), (999, False)]
    assert "closed prevents" in results[1]["details"]
    assert results[2]["error"] == "RecordNotFound"
    assert ticket(episode, 101)["priority"] == "urgent"
    many = refused(episode, "delete_many_tickets", ids=list(range(101)))
    assert (many["status"], many["error"], many["max_count"]) == (400, "TooManyValues", 100)


# People


def test_addresses_are_unique(episode: Episode) -> None:
    body = refused(episode, "create_user", user={"name": "Other", "email": "Dana@Meridian.example"})
    assert body["details"]["email"][0]["error"] == "DuplicateValue"
    assert "already being used" in details(body)
    assert "properly formatted" in details(refused(episode, "create_user", user={"name": "X", "email": "nobody"}))
    assert "Name: is too short" in details(refused(episode, "create_user", user={"email": "x@y.example"}))


def test_a_new_address_of_a_user_is_secondary_until_it_is_made_primary(episode: Episode) -> None:
    dana = user_id(episode, "dana@meridian.example")
    changed = call(episode, "update_user", user_id=dana, user={"email": "Dana.W@meridian.example"})["user"]
    assert changed["email"] == "dana@meridian.example"
    assert [c.table for c in episode.changes()] == ["identity"]
    own = call(episode, "list_user_identities", user_id=dana)["identities"]
    assert [(i["value"], i["primary"]) for i in own] == [
        ("dana@meridian.example", True), ("dana.w@meridian.example", False),
    ]  # fmt: skip
    call(episode, "make_user_identity_primary", user_id=dana, identity_id=own[1]["id"])
    assert call(episode, "show_user", user_id=dana)["user"]["email"] == "dana.w@meridian.example"
    kim = call(episode, "create_user", user={"name": "Kim"})["user"]["id"]
    first = call(episode, "update_user", user_id=kim, user={"email": "kim@ode.example"})["user"]
    assert first["email"] == "kim@ode.example", "the only address is the primary one"


@pytest.mark.parametrize("group", [0, 1, 2**62])
def test_a_default_group_is_one_of_the_agents(episode: Episode, group: int) -> None:
    bea = user_id(episode, "bea@brightwater.example")
    wrong = refused(episode, "update_user", user_id=bea, user={"default_group_id": group})
    assert details(wrong) == "Default group: the user is not a member"
    call(episode, "create_user", user={"name": "Kim", "default_group_id": None})


def test_a_user_with_open_requests_is_not_deleted(episode: Episode) -> None:
    finn = user_id(episode, "finn@elsewhere.example")
    assert (
        details(refused(episode, "delete_user", user_id=finn))
        == "User is requester on 1 ticket(s) that are not closed."
    )
    update(episode, 102, status="closed", assignee_email="bea@brightwater.example")
    assert call(episode, "delete_user", user_id=finn)["user"]["active"] is False
    assert call(episode, "create_user", user={"name": "Finn", "email": "finn@elsewhere.example"})["user"]["id"] != finn


def test_merging_users_moves_their_tickets(episode: Episode) -> None:
    finn, dana = user_id(episode, "finn@elsewhere.example"), user_id(episode, "dana@meridian.example")
    bea = user_id(episode, "bea@brightwater.example")
    assert "end users" in details(refused(episode, "merge_end_users", user_id=finn, user={"id": bea}))
    call(episode, "update_user", user_id=finn, user={"tags": ["vip"], "phone": "+1 555 0100"})
    rest(
        episode,
        "POST",
        f"/api/v2/users/{finn}/identities.json",
        {"identity": {"type": "phone_number", "value": "+15550100"}},
    )
    before = call(episode, "show_user", user_id=dana)["user"]
    after = call(episode, "merge_end_users", user_id=finn, user={"email": "dana@meridian.example"})["user"]
    assert {**after, "updated_at": ""} == {**before, "updated_at": ""}, "the rest is lost with the account"
    kinds = [i["type"] for i in call(episode, "list_user_identities", user_id=dana)["identities"]]
    assert kinds == ["email", "email"]
    assert ticket(episode, 102)["requester_id"] == dana
    assert user_id(episode, "finn@elsewhere.example") == dana, "the address is a second one now"
    listed = call(episode, "list_user_tickets", user_id=dana, relation="requested")
    assert listed["count"] == 4


def test_organizations_get_their_customers_by_domain(episode: Episode) -> None:
    finn = user_id(episode, "finn@elsewhere.example")
    made = call(
        episode, "create_organization", organization={"name": "Elsewhere", "domain_names": ["elsewhere.example"]}
    )["organization"]
    assert call(episode, "show_user", user_id=finn)["user"]["organization_id"] == made["id"]
    assert [u["id"] for u in call(episode, "list_organization_users", organization_id=made["id"])["users"]] == [finn]
    other = call(
        episode, "create_organization", organization={"name": "Another", "domain_names": ["elsewhere.example"]}
    )["organization"]
    assert call(episode, "show_user", user_id=finn)["user"]["organization_id"] == made["id"], "who has one keeps it"
    late = call(episode, "create_user", user={"name": "Late", "email": "late@elsewhere.example"})["user"]
    assert late["organization_id"] == other["id"], "the first by name"


def test_who_leaves_an_organization_takes_working_tickets_along(episode: Episode) -> None:
    dana = user_id(episode, "dana@meridian.example")
    own = rest(episode, "GET", f"/api/v2/users/{dana}/organization_memberships.json").body["organization_memberships"]
    assert rest(episode, "DELETE", f"/api/v2/organization_memberships/{own[0]['id']}.json").status == 204
    assert "organization_id" not in ticket(episode, 101)
    assert ticket(episode, 103)["organization_id"] == own[0]["organization_id"]


# Search

QUERIES = [
    ("type:ticket status<solved", {101, 102}),
    ("type:ticket status>=solved", {103, 104}),
    ("status:open status:new", {101, 102}),
    ("type:ticket -status:closed -status:solved", {101, 102}),
    ("invoice", {102, 104}),
    ('"invoice address"', {104}),
    ("invoi", {102, 104}),
    ("invoice -seats", {104}),
    ("export scheduler", {101}),
    ("subject:export", {101}),
    ("description:nightly", {101}),
    ("comment:scheduler", {101}),
    ("type:ticket requester:dana@meridian.example", {101, 103, 104}),
    ('requester:"Finn Aldous"', {102}),
    ("requester:finn type:ticket", {102}),
    ("assignee:none", {102}),
    ("-assignee:none type:ticket", {101, 103, 104}),
    ("assignee:me", set()),
    ("commenter:bea", {101}),
    ("group:billing type:ticket", {103, 104}),
    ('group:"First line" type:ticket', {101}),
    ("organization:meridian type:ticket", {101, 103, 104}),
    ("organization:none type:ticket", {102}),
    ("type:ticket tags:api", {101}),
    ('type:ticket tags:"api export"', {101}),
    ("type:ticket tags:ap*", {101}),
    ("type:ticket tags:none", {102, 103, 104}),
    ("type:ticket *", {101, 102, 103, 104}),
    ("type:ticket tags:*", {101}),
    ("type:ticket -assignee:*", {102}),
    ("priority:*", {101, 104}),
    ("ticket_type:*", {101}),
    ("external_id:* type:ticket", set()),
    ("solved:* type:ticket", {103, 104}),
    ("priority>normal", {101}),
    ("priority:none", {102, 103}),
    ("ticket_type:problem", {101}),
    ("via:web type:ticket", {102}),
    ("via:mail type:ticket", {101, 103, 104}),
    ("assignee_id:none", {102}),
    ("group_id:none type:ticket", {102}),
    ("organization_id:none type:ticket", {102}),
    ("type:ticket created>2026-02-20", {101, 102}),
    ("type:ticket created>=2026-02-20", {101, 102, 104}),
    ("type:ticket created:2026-02-20", {104}),
    ("type:ticket created<2026-02-01", {103}),
    ("type:ticket created>2026-02-27T09:30:00Z", {102}),
    ("type:ticket created>24hours", {102}),
    ("type:ticket created<1month", {103}),
    ("type:ticket created>2026-01-01 created<2026-02-01", {103}),
    ("solved>2026-02-01", {104}),
    ("101", {101}),
    ("has_attachment:true", set()),
    ("satisfaction:unoffered status:new", {102}),
]


@pytest.mark.parametrize(("query", "wanted"), QUERIES)
def test_queries(episode: Episode, query: str, wanted: set[int]) -> None:
    assert set(found(episode, query)) == wanted
    assert call(episode, "count_search_results", query=query)["count"] == len(wanted)


def test_queries_find_other_records(episode: Episode) -> None:
    kinds = {r["result_type"] for r in call(episode, "search", query="meridian")["results"]}
    assert kinds >= {"user", "organization"}
    assert len(found(episode, "type:user role:admin")) == 2
    assert len(found(episode, "type:user organization:meridian")) == 1
    assert len(found(episode, "type:user group:billing")) == 1
    assert len(found(episode, "type:group first")) == 1
    assert len(found(episode, "type:organization domain:meridian.example")) == 1


def test_results_are_sorted(episode: Episode) -> None:
    assert found(episode, "type:ticket order_by:created sort:asc") == [103, 104, 101, 102]
    assert found(episode, "type:ticket order_by:priority") == [101, 104, 102, 103]
    results = call(episode, "search", query="type:ticket", sort_by="status", sort_order="asc")["results"]
    assert [r["id"] for r in results] == [102, 101, 104, 103]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("mood:bad", "mood"),
        ("status:lost", "lost"),
        ("status<lost", "lost"),
        ("created>soon", "soon"),
        ("type:article", "article"),
        ("type:incident", "ticket_type"),
        ("invoice OR export", "OR"),
        ("subject>b", "subject cannot be compared with >"),
        ("order_by:colour", "colour"),
        ("assignee:", "assignee:"),
        ("status:(open new)", "(open"),
    ],
)
def test_what_the_language_does_not_have_is_named(episode: Episode, query: str, named: str) -> None:
    body = refused(episode, "search", query=query)
    assert (body["status"], body["error"]) == (422, "invalid")
    assert named in body["description"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(
            [q for q, _ in QUERIES] + ["-", '"', "a:b", "x<", "(", "tags:", "*", "created>1", "été", ":", "-status:new"]
        ),
        max_size=4,
    )
)
def test_any_query_is_answered_or_refused(episode: Episode, parts: list[str]) -> None:
    reply = episode.call(APP, "search", {"query": " ".join(parts)})
    assert reply.status in (200, 422)
    assert episode.changes() == []


def test_search_reads_a_thousand_results_at_most(episode: Episode) -> None:
    body = refused(episode, "search", query="type:ticket", page=11, per_page=100)
    assert "Search Response Limits" in body["description"]
    reply = rest(episode, "GET", "/api/v2/search.json?query=type%3Aticket&page%5Bsize%5D=2")
    assert reply.status == 400
    assert "page must be an integer" in reply.body["error"]["message"]


# Views and macros


def view_of(
    episode: Episode, every: list[tuple[str, str, Any]], some: list[tuple[str, str, Any]] | None = None
) -> set[int]:
    def spelt(given: list[tuple[str, str, Any]]) -> list[dict[str, Any]]:
        return [{"field": f, "operator": o, "value": v} for f, o, v in given]

    made = call(episode, "create_view", view={"title": "Test", "all": spelt(every), "any": spelt(some or [])})["view"]
    listed = {t["id"] for t in call(episode, "list_view_tickets", view_id=made["id"])["tickets"]}
    table = call(episode, "execute_view", view_id=made["id"])
    assert {r["ticket_id"] for r in table["rows"]} == listed
    assert table["count"] == len(listed)
    return listed


def test_views_show_what_their_conditions_say(episode: Episode) -> None:
    unsolved = ("status", "less_than", "solved")
    anything = ("status", "less_than", "closed")
    bea = str(user_id(episode, "bea@brightwater.example"))
    assert view_of(episode, [unsolved]) == {101, 102}
    assert view_of(episode, [unsolved, ("assignee_id", "is", "")]) == {102}
    assert view_of(episode, [("assignee_id", "is", bea)]) == {101}
    assert view_of(episode, [anything], [("current_tags", "includes", "api other"), ("priority", "is", "low")]) == {
        101,
        104,
    }
    assert view_of(episode, [anything, ("current_tags", "not_includes", "api")]) == {102, 104}
    assert view_of(episode, [anything, ("priority", "greater_than", "low")]) == {101}
    assert view_of(episode, [anything, ("created_at", "less_than", "24")]) == {102}
    assert view_of(episode, [anything, ("OPEN", "greater_than", "48")]) == {101}
    assert view_of(episode, [anything, ("subject_includes_word", "includes", "invoice nothing")]) == {102, 104}
    assert view_of(episode, [("group_id", "is", "current_groups")]) == {101}


def test_a_view_with_wrong_conditions_is_refused(episode: Episode) -> None:
    def wrong(*conditions: tuple[str, str, Any]) -> str:
        every = [{"field": f, "operator": o, "value": v} for f, o, v in conditions]
        return details(refused(episode, "create_view", view={"title": "Wrong", "all": every}))

    assert "at least one" in wrong(("current_tags", "includes", "x"))
    assert "Invalid field 'mood'" in wrong(("mood", "is", "x"))
    assert "Invalid operator 'includes'" in wrong(("status", "includes", "open"))
    assert "Invalid value 'lost'" in wrong(("status", "is", "lost"))


def test_a_macro_shows_what_it_would_do_and_saves_nothing(episode: Episode) -> None:
    macros = {m["title"]: m["id"] for m in call(episode, "list_macros")["macros"]}
    result = call(episode, "apply_macro", ticket_id=104, macro_id=macros["Customer not responding"])["result"]
    assert (result["ticket"]["status"], result["ticket"]["tags"]) == ("solved", ["customer_not_responding"])
    assert result["comment"]["body"].startswith("Hello Dana,")
    assert episode.changes() == []
    mine = call(episode, "apply_macro", ticket_id=102, macro_id=macros["Take it!"])["result"]["ticket"]
    update(episode, 102, assignee_id=mine["assignee_id"], group_id=mine["group_id"])
    assert found(episode, "assignee:me") == [102]


# REST


def test_lists_page_by_number_and_by_cursor(episode: Episode) -> None:
    body, pages, path = (
        dict[str, Any](),
        list[list[int]](),
        "/api/v2/tickets.json?per_page=3&sort_by=created_at&sort_order=desc",
    )
    while path:
        body = rest(episode, "GET", path).body
        pages.append([t["id"] for t in body["tickets"]])
        path = (body["next_page"] or "").removeprefix("http://desk.example")
        assert body["count"] == 4
    assert pages == [[102, 101, 104], [103]]
    assert body["previous_page"].endswith("page=1")

    pages, path = [], "/api/v2/tickets?page[size]=3&sort=-status"
    while path:
        body = rest(episode, "GET", path).body
        pages.append([t["id"] for t in body["tickets"]])
        path = body["links"]["next"].removeprefix("http://desk.example") if body["meta"]["has_more"] else ""
    assert pages == [[103, 104, 101], [102]]
    back = rest(episode, "GET", body["links"]["prev"].removeprefix("http://desk.example")).body
    assert [t["id"] for t in back["tickets"]] == pages[0]


def test_a_views_cursors_follow_its_order(episode: Episode) -> None:
    every = [{"field": "status", "operator": "less_than", "value": "closed"}]
    output = {"columns": ["subject"], "sort_by": "created", "sort_order": "desc"}
    made = call(episode, "create_view", view={"title": "Newest", "all": every, "output": output})["view"]["id"]
    for what, key, number in (("tickets", "tickets", "id"), ("execute", "rows", "ticket_id")):
        path, seen = f"/api/v2/views/{made}/{what}?page[size]=2", list[int]()
        while path:
            body = rest(episode, "GET", path).body
            seen += [t[number] for t in body[key]]
            path = body["links"]["next"].removeprefix("http://desk.example") if body["meta"]["has_more"] else ""
        assert seen == [102, 101, 104]
        asked = rest(episode, "GET", f"/api/v2/views/{made}/{what}?page[size]=5&sort=id").body
        assert [t[number] for t in asked[key]] == [101, 102, 104]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/v2/tickets?page=101&per_page=100", 400, "InvalidPaginationDepth"),
        ("/api/v2/tickets?page[size]=x", 400, "InvalidPaginationParameter"),
        ("/api/v2/tickets?page[size]=2&sort=subject", 400, "InvalidPaginationParameter"),
        ("/api/v2/tickets?page[after]=junk", 400, "InvalidPaginationParameter"),
    ],
)
def test_pages_that_are_none(episode: Episode, path: str, status: int, code: str) -> None:
    reply = rest(episode, "GET", path)
    assert (reply.status, reply.body["errors"][0]["code"]) == (status, code)


def test_lists_of_tickets_sort_by_names_and_are_counted(episode: Episode) -> None:
    def listed(sort: str) -> list[int]:
        return [t["id"] for t in rest(episode, "GET", f"/api/v2/tickets.json?sort_by={sort}").body["tickets"]]

    assert listed("requester") == listed("requester.name") == [101, 103, 104, 102]
    assert listed("assignee.name") == [102, 101, 103, 104]
    assert listed("group") == [102, 103, 104, 101]
    wrong = rest(episode, "GET", "/api/v2/tickets.json?sort_by=mood").body["error"]["message"]
    assert "sort_by must be 'created_at'" in wrong
    dana = rest(episode, "GET", "/api/v2/users/search.json?query=dana").body["users"][0]
    carl = user_id(episode, "carl@brightwater.example")
    for path, count in (
        (f"organizations/{dana['organization_id']}/tickets/count", 3), (f"users/{carl}/tickets/assigned/count", 2),
        (f"users/{carl}/tickets/ccd/count", 0),
    ):  # fmt: skip
        assert rest(episode, "GET", f"/api/v2/{path}").body["count"]["value"] == count


def test_many_tickets_are_spam(episode: Episode) -> None:
    job = rest(episode, "PUT", "/api/v2/tickets/mark_many_as_spam.json?ids=102,999").body["job_status"]
    results = rest(episode, "GET", f"/api/v2/job_statuses/{job['id']}.json").body["job_status"]["results"]
    assert [(r["id"], r["success"]) for r in results] == [(102, True), (999, False)]
    assert call(episode, "show_user", user_id=user_id(episode, "finn@elsewhere.example"))["user"]["suspended"] is True


def test_a_file_is_attached_once_and_goes_along_when_tickets_are_merged(episode: Episode) -> None:
    token = rest(episode, "POST", "/api/v2/uploads.json?filename=log.txt", b"lines").body["upload"]["token"]
    update(episode, 102, comment={"body": "See the log", "uploads": [token], "public": False})
    twice = refused(episode, "update_ticket", ticket_id=101, ticket={"comment": {"body": "Again", "uploads": [token]}})
    assert "is not an upload" in details(twice)
    call(episode, "merge_tickets", ticket_id=101, ids=[102])
    for number in (101, 102):
        files = [
            f
            for c in call(episode, "list_ticket_comments", ticket_id=number)["comments"]
            for f in c.get("attachments", [])
        ]
        assert [f["file_name"] for f in files] == ["log.txt"]


def test_refusals_have_zendesks_shapes(episode: Episode) -> None:
    assert rest(episode, "GET", "/api/v2/tickets/9999.json").body == {
        "error": "RecordNotFound",
        "description": "Not found",
    }
    assert rest(episode, "GET", "/api/v2/nonsense.json").body == {
        "error": "InvalidEndpoint",
        "description": "Not found",
    }
    wrong = rest(episode, "GET", "/api/v2/tickets/abc.json")
    assert wrong.status == 400
    assert wrong.body["error"]["title"] == "Invalid attribute"
    assert "must be an integer from api/v2/tickets/show" in wrong.body["error"]["message"]
    short = rest(episode, "GET", "/api/v2/users/autocomplete.json?name=d").body["error"]["message"]
    assert "name must have at least 2 characters" in short
    long = rest(episode, "POST", "/api/v2/users.json", {"user": {"name": "x" * 256}})
    assert details(long.body) == "Name: is too long (maximum is 255 characters)"
    broken = rest(episode, "POST", "/api/v2/tickets.json", b'{"ticket": ')
    assert broken.body["error"] == "Unprocessable Entity"
    missing = rest(episode, "POST", "/api/v2/tickets.json", {})
    assert missing.body["error"] == {"title": "Missing parameter", "message": "Required parameter missing: ticket"}
    over_rest = rest(episode, "PUT", "/api/v2/tickets/102.json", {"ticket": {"id": 102, "colour": "red"}})
    assert over_rest.status == 200, "Zendesk passes over what it does not know"
    assert "colour" in refused(episode, "update_ticket", ticket_id=102, ticket={"colour": "red"})["error"]["message"]


def test_side_loading(episode: Episode) -> None:
    body = rest(
        episode, "GET", "/api/v2/tickets/101.json?include=users,groups,organizations,metric_sets,comment_count"
    ).body
    assert body["ticket"]["satisfaction_rating"] == {"score": "unoffered"}
    assert body["ticket"]["generated_timestamp"] == 1772190000
    assert {u["name"] for u in body["users"]} == {"Dana Whitfield", "Bea Reed"}
    assert [g["name"] for g in body["groups"]] == ["First line"]
    assert [o["name"] for o in body["organizations"]] == ["Meridian Freight"]
    assert (body["ticket"]["comment_count"], body["ticket"]["metric_set"]["reply_time_in_minutes"]["calendar"]) == (
        3,
        60,
    )


def test_requests_are_what_the_requester_sees(episode: Episode) -> None:
    made = rest(
        episode, "POST", "/api/v2/requests.json", {"request": {"subject": "Help", "comment": {"body": "Me too"}}}
    )
    assert (made.status, made.body["request"]["status"]) == (201, "new")
    number = made.body["request"]["id"]
    assert made.body["request"]["can_be_solved_by_me"] is False, "nobody works on it yet"
    update(episode, number, comment={"body": "Hm", "public": False})
    assert len(rest(episode, "GET", f"/api/v2/requests/{number}/comments.json").body["comments"]) == 1
    update(episode, number, status="solved", assignee_email="bea@brightwater.example")
    again = rest(episode, "PUT", f"/api/v2/requests/{number}.json", {"request": {"comment": {"body": "Not yet"}}})
    assert again.body["request"]["status"] == "open"


def test_a_requester_rates_a_solved_ticket(episode: Episode) -> None:
    path, good = (
        "/api/v2/tickets/{}/satisfaction_rating.json",
        {"satisfaction_rating": {"score": "good", "comment": "Fast"}},
    )
    assert rest(episode, "POST", path.format(104), good).status == 403
    mine = call(episode, "create_ticket", ticket={"comment": {"body": "x"}})["ticket"]["id"]
    assert rest(episode, "POST", path.format(mine), good).status == 422
    update(episode, mine, status="solved", assignee_email="bea@brightwater.example")
    assert rest(episode, "POST", path.format(mine), good).status == 201
    assert [r["score"] for r in call(episode, "list_satisfaction_ratings")["satisfaction_ratings"]] == ["good"]
    assert found(episode, "satisfaction:goodwithcomment") == [mine]


def test_exports_go_on_where_they_ended(episode: Episode) -> None:
    path, seen = "/api/v2/incremental/tickets/cursor.json?start_time=0&per_page=3", list[int]()
    while True:
        body = rest(episode, "GET", path).body
        seen += [t["id"] for t in body["tickets"]]
        path = body["after_url"].removeprefix("http://desk.example")
        if body["end_of_stream"]:
            break
    assert sorted(seen) == [101, 102, 103, 104]
    assert rest(episode, "GET", path).body["tickets"] == []
    late = rest(episode, "GET", "/api/v2/incremental/tickets.json?start_time=1900000000")
    assert late.body["description"].startswith("Too recent start_time")


def test_an_export_loses_none_that_change_between_its_pages(episode: Episode) -> None:
    path, seen = "/api/v2/incremental/tickets/cursor.json?start_time=0&per_page=1", list[int]()
    while True:
        body = rest(episode, "GET", path).body
        seen += [t["id"] for t in body["tickets"]]
        if body["end_of_stream"]:
            break
        path = body["after_url"].removeprefix("http://desk.example")
        if len(seen) == 1:
            update(episode, 104, priority="high")
    assert set(seen) == {101, 102, 103, 104}
    for cursor in ("junk", "", "MTIz", "é"):
        wrong = rest(episode, "GET", f"/api/v2/incremental/tickets/cursor.json?cursor={cursor}")
        assert wrong.status == 400
        assert "cursor is not one of this export" in wrong.body["error"]["message"]


async def test_the_tools_are_there(episode: Episode) -> None:
    async with Client(serve(episode, [APP])) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert 50 <= len(tools) <= 60
        result = await client.call_tool("show_ticket", {"ticket_id": 101})
        assert result.structured_content is not None
        assert result.structured_content["ticket"]["subject"] == "Export fails at midnight"
        wrong = await client.call_tool("show_ticket", {"ticket_id": 7})
        assert wrong.is_error


# The capability


def view(episode: Episode, table: str, key: int) -> Entity | None:
    live = episode.app(APP)
    shape = live.app.shapes[table]
    raw = live.store.connection.execute(shape.by_key, (key,)).fetchone()
    return live.app.provides["helpdesk"].view(Ctx(live, None, None, Request()), table, shape.decode(raw))


def play(episode: Episode, plan: Plan) -> None:
    reply: dict[str, Any] = {}
    try:
        step = next(plan)
        while True:
            reply = call(episode, step.tool, **step.arguments)
            step = plan.send(reply)
    except StopIteration:
        pass


TABLES = {
    Person: "user", crm.Company: "organization", helpdesk.Requester: "user", helpdesk.Queue: "group", helpdesk.Ticket: "ticket",
}  # fmt: skip


@pytest.mark.parametrize("world", ["quaymark", "larkfell"])
def test_what_a_world_fills_is_viewed_as_it_was(world: str) -> None:
    episode, told = templates.episode([APP], world), worlds.load(world)
    refs = episode.app(APP).template.refs

    def ref(kind: str, key: str) -> str:
        return refs[kind][key] if key else ""

    for kind, table in TABLES.items():
        name = f"{kind.__module__.rsplit('.', 1)[-1]}.{kind.__name__}"
        for entity in told.entities(kind):
            seen = view(episode, table, int(refs[name][entity.key]))
            wanted = entity.model_dump() | {"key": "", "id": refs[name][entity.key]}
            for field in ("manager", "owner", "assignee"):
                if field in wanted:
                    wanted[field] = ref("people.Person", wanted[field])
            if kind is helpdesk.Requester:
                wanted["company"] = ref("crm.Company", wanted["company"])
            if kind is helpdesk.Queue:
                wanted["members"] = tuple(ref("people.Person", key) for key in wanted["members"])
            if kind is helpdesk.Ticket:
                wanted["requester"] = ref("helpdesk.Requester", wanted["requester"])
                wanted["queue"] = ref("helpdesk.Queue", wanted["queue"])
                people = refs["people.Person"] | refs["helpdesk.Requester"]
                wanted["messages"] = [m | {"author": people[m["author"]]} for m in wanted["messages"]]
            assert seen is not None
            got = seen.model_dump()
            got["messages"] = list(got.get("messages", []))
            wanted["messages"] = list(wanted.get("messages", []))
            assert got == wanted


def test_each_verb_has_its_effect(episode: Episode) -> None:
    verbs = registry.load(APP).provides["helpdesk"]
    carl = str(user_id(episode, "carl@brightwater.example"))
    for plan in (
        verbs.find_ticket('Export "fails" at: midnight'), verbs.get_ticket("102"), verbs.list_queues(),
        verbs.find_customer("dana@meridian.example"), verbs.assign_ticket("102", carl), verbs.tag_ticket("102", "Seats"),
        verbs.add_internal_note("102", "Check the contract"), verbs.reply_to_customer("102", "We look into it"),
        verbs.update_status("102", "pending"),
    ):  # fmt: skip
        play(episode, plan)
    seen = view(episode, "ticket", 102)
    assert isinstance(seen, helpdesk.Ticket)
    assert (seen.assignee, seen.tags, seen.status) == (carl, ("seats",), "pending")
    assert [(m.body, m.note) for m in seen.messages[1:]] == [("Check the contract", True), ("We look into it", False)]
    play(episode, verbs.create_customer("Kim Ode", "kim@ode.example"))
    customer = view(episode, "user", user_id(episode, "kim@ode.example"))
    assert isinstance(customer, helpdesk.Requester)
    play(episode, verbs.create_ticket("Locked out", "I cannot log in", "kim@ode.example"))
    made = view(episode, "ticket", 105)
    assert isinstance(made, helpdesk.Ticket)
    assert (made.subject, made.requester, made.messages[0].body) == ("Locked out", customer.id, "I cannot log in")


# Whatever is asked of a ticket, these hold.


@cache
def template() -> Template:
    return episode_of(APP, ENTITIES).app(APP).template


STEPS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "status": st.sampled_from(["new", "open", "pending", "hold", "solved", "closed"]),
            "assignee_email": st.sampled_from(["bea@brightwater.example", "carl@brightwater.example"]),
            "assignee_id": st.none(),
            "comment": st.fixed_dictionaries({"body": st.text(max_size=5)}, optional={"public": st.booleans()}),
            "type": st.sampled_from(["problem", "incident", "question", "task"]),
            "tags": st.lists(st.sampled_from(["a", "B c", "d"]), max_size=2),
        },
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(STEPS)
def test_a_tickets_states(steps: list[dict[str, Any]]) -> None:
    episode = Episode(lambda _: template(), (APP,), "test")
    before = ticket(episode, 102)
    for step in steps:
        reply = episode.call(APP, "update_ticket", {"ticket_id": 102, "ticket": step})
        after = ticket(episode, 102)
        assert reply.status in (200, 422)
        if reply.error:
            assert after == before
        if before["status"] == "closed":
            assert after == before
        if before["status"] != "new":
            assert after["status"] != "new"
        if after["status"] == "solved" and before["status"] != "solved":
            assert "assignee_id" in after
        if after["status"] == "new":
            assert "assignee_id" not in after
        before = after
