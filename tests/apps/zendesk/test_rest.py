"""Zendesk: REST; the capability; whatever is asked of a ticket, these hold.."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.capabilities import Entity, Plan, crm, helpdesk
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode, Template
from legoenv_mcp.testing import episode_of
from tests.apps.zendesk.support import APP, ENTITIES, call, details, found, refused, rest, ticket, update, user_id


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
