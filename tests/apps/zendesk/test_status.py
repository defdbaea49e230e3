"""Zendesk: status; assignment."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.zendesk.support import call, details, me, refused, ticket, update, user_id


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
