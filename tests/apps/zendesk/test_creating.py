"""Zendesk: creating; deletion, merging, bulk; people."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.zendesk.support import call, details, found, me, refused, rest, ticket, update, user_id


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
