"""Intercom: search."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.intercom.support import (
    SOON,
    call,
    contact,
    http,
    ids_of,
    leaf,
    me,
    new_ticket,
    ref,
    refused,
    shown,
    started,
    thread,
    types,
)


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
