"""Zendesk: search; views and macros."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legoenv_mcp.kernel.episode import Episode
from tests.apps.zendesk.support import APP, call, details, found, refused, rest, update, user_id

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
