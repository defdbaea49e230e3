"""The Trello app through its public faces: rules, states, search, pages, and the project-tracking capability."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import testing
from legoenv_mcp.capabilities import Entity, Plan
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, Task, TaskComment
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of


def person(handle: str, **more: Any) -> Person:
    given = {
        "first_name": handle.title(),
        "last_name": "van Reed",
        "email": f"{handle}@brightwater.example",
        "handle": handle,
    }
    return Person(**{"key": handle, "title": "Analyst", "department": "Finance", **given, **more})


def task(number: int, title: str, **more: Any) -> Task:
    return Task(
        **{
            "key": f"T{number}",
            "project": "ops",
            "number": number,
            "title": title,
            "created": f"2026-02-{number:02}T09:00:00Z",
            **more,
        }
    )


OPS = Project(
    key="ops", name="Operations", code="OPS", description="What we promised", lead="alex.doyle", members=("alex.doyle", "bea"),
    created="2024-01-08T09:58:07Z",
)  # fmt: skip
OLD = Project(key="old", name="Old things", code="OLD", members=("bea",), archived=True, created="2023-01-08T09:58:07Z")
TASKS = [
    task(1, "Quarter plan", kind="epic", priority="high", reporter="bea", labels=("quarter",)),
    task(
        2, "Renewal sheet", body="One row a subscription", status="in_progress", kind="bug", priority="low", assignee="bea",
        reporter="alex.doyle", due="2026-03-04", parent="T1", labels=("sales", "quarter"),
        comments=(TaskComment(author="bea", at="2026-02-10T10:00:00Z", body="Nearly there"),),
    ),
    task(3, "Order chairs", status="done", done="2026-02-20T08:00:00Z", assignee="alex.doyle"),
    task(4, "Call the dock", due="2026-02-27", assignee="alex.doyle"),
    task(5, "Read the lease", status="in_review", due="2026-05-01"),
]  # fmt: skip
ENTITIES: list[Entity] = [person("bea"), person("carl", admin=True), person("dan", active=False), OPS, OLD, *TASKS]


class Trello:
    """An account as an agent and as a program sees it."""

    def __init__(self, *more: Entity) -> None:
        self.episode: Episode = episode_of("trello", [*ENTITIES, *more])
        self.live = self.episode.app("trello")

    def __call__(self, tool: str, **arguments: Any) -> Any:
        reply = self.live.call(tool, arguments)
        assert not reply.error, (tool, reply.body)
        return reply.body

    def refused(self, status: int, said: Any, tool: str, /, **arguments: Any) -> None:
        before = self.episode.changes()
        reply = self.live.call(tool, arguments)
        assert (reply.status, reply.body) == (status, said)
        assert self.episode.changes() == before

    def rest(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        url = path + (f"?{urlencode(query)}" if query else "")
        headers = {} if body is None else {"content-type": "application/json"}
        sent = b"" if body is None else json.dumps(body).encode()
        return handle(self.live, Request(method, path, url, {}, headers, ""), sent)

    def ref(self, entity: Entity) -> str:
        kind = "people" if isinstance(entity, Person) else "project_tracking"
        return self.live.template.refs[f"{kind}.{type(entity).__name__}"][entity.key]

    def view(self, kind: type[Any]) -> list[Any]:
        ctx, found = Ctx(self.live, None, None, Request()), list[Any]()
        for table, shape in self.live.app.shapes.items():
            for raw in self.live.store.connection.execute(shape.select):
                entity = self.live.app.provides["project_tracking"].view(ctx, table, shape.decode(raw))
                if type(entity) is kind:
                    found.append(entity)
        return found

    def one(self, kind: type[Any], key: str) -> Any:
        return next(e for e in self.view(kind) if e.id == key)

    def play(self, plan: Plan) -> list[Any]:
        replies = list[Any]()
        try:
            step = next(plan)
            while True:
                replies.append(self(step.tool, **step.arguments))
                step = plan.send(replies[-1])
        except StopIteration:
            return replies

    def lists(self) -> dict[str, str]:
        return {row["name"]: row["id"] for row in self("get_board_lists", id=self.ref(OPS))}


@pytest.fixture
def trello() -> Trello:
    return Trello()


def names(cards: Any) -> list[str]:
    return [card["name"] for card in cards]


# The capability


def test_people_projects_and_tasks_come_back(trello: Trello) -> None:
    bea, carl, dan = ENTITIES[0], ENTITIES[1], ENTITIES[2]
    for entity in (bea, carl, dan):
        assert isinstance(entity, Person)
        shown = trello.one(Person, trello.ref(entity))
        for name in ("first_name", "last_name", "email", "handle", "title", "admin", "active"):
            assert getattr(shown, name) == getattr(entity, name)
    for entity in (OPS, OLD):
        shown = trello.one(Project, trello.ref(entity))
        people = {"alex.doyle": trello.live.template.refs["people.Person"]["alex.doyle"], "bea": trello.ref(bea)}
        assert shown == entity.model_copy(
            update={"key": "", "id": shown.id, "code": "",
                "lead": people.get(entity.lead, ""), "members": tuple(people[m] for m in entity.members)}
        )  # fmt: skip
    for entity in TASKS:
        shown = trello.one(Task, trello.ref(entity))
        for name in ("number", "title", "body", "kind", "status", "priority", "due", "labels", "created", "done"):
            assert getattr(shown, name) == getattr(entity, name), name
        assert shown.project == trello.ref(OPS)
        assert shown.parent == (trello.ref(TASKS[0]) if entity.parent else "")
    said = trello.one(Task, trello.ref(TASKS[1])).comments
    assert [(c.author, c.at, c.body) for c in said] == [(trello.ref(bea), "2026-02-10T10:00:00Z", "Nearly there")]


def test_each_verb_shows_in_the_view(trello: Trello) -> None:
    p, board, key, bea = (
        trello.live.app.provides["project_tracking"],
        trello.ref(OPS),
        trello.ref(TASKS[3]),
        trello.ref(ENTITIES[0]),
    )
    assert "Old things" in str(trello.play(p.list_projects()))
    assert "Order chairs" in str(trello.play(p.list_tasks(board)))
    assert "Nearly there" in str(trello.play(p.get_task(trello.ref(TASKS[1]))))
    assert trello.episode.changes() == []
    made = trello.play(p.create_task(board, "New", "Body"))[-1]["id"]
    assert (trello.one(Task, made).status, trello.one(Task, made).body, trello.one(Task, made).number) == (
        "todo",
        "Body",
        6,
    )
    trello.play(p.update_task(key, title="Ring the dock", due=""))
    assert (trello.one(Task, key).title, trello.one(Task, key).due) == ("Ring the dock", "")
    trello.play(p.complete_task(key))
    assert trello.one(Task, key).status == "done"
    assert trello.one(Task, key).done.startswith("2026-03-02T09")
    trello.play(p.comment(key, "Rang twice"))
    assert trello.one(Task, key).comments[0].body == "Rang twice"
    trello.play(p.assign_task(key, bea))
    assert trello.one(Task, key).assignee == bea
    trello.play(p.assign_task(key, trello.ref(ENTITIES[1])))
    assert trello.ref(ENTITIES[1]) in trello.one(Project, board).members
    trello.play(p.delete_task(key))
    assert key not in {t.id for t in trello.view(Task)}
    trello.play(p.create_project("Fresh", "FR"))
    fresh = next(x for x in trello.view(Project) if x.name == "Fresh")
    assert names(trello("get_board_lists", id=fresh.id)) == ["To Do", "In Progress", "In Review", "Done"]


# Rules


def test_ids_and_short_links(trello: Trello) -> None:
    card = trello("get_card", id=trello.ref(TASKS[1]))
    assert trello("get_card", id=card["shortLink"])["id"] == card["id"]
    assert trello("get_board", id=trello("get_board", id=card["idBoard"])["shortLink"])["name"] == "Operations"
    trello.refused(400, "invalid id", "get_card", id="not an id")
    trello.refused(404, "The requested resource was not found.", "get_card", id="0" * 24)
    trello.refused(404, "The requested resource was not found.", "update_card", id="Zzzzzzzz", name="x")
    assert trello.rest("GET", "/1/nothing").status == 404
    assert trello.rest("POST", "/1/cards", ["no"]).body == "Error parsing body"
    assert trello.rest("PUT", f"/1/cards/{card['id']}", {"name": 4321}).body == "invalid value for name"


def test_labels_must_be_the_boards_and_go_on_once(trello: Trello) -> None:
    key = trello.ref(TASKS[1])
    own = trello("get_card", id=key)["labels"][0]["id"]
    other = trello("create_label", idBoard=trello("create_board", name="Else")["id"], name="Far", color="lime")["id"]
    trello.refused(400, "that label is already on the card", "add_label_to_card", id=key, idLabel=own)
    trello.refused(400, "invalid value for value", "add_label_to_card", id=key, idLabel=other)
    trello.refused(400, "invalid value for idLabels", "update_card", id=key, idLabels=[other])
    trello.refused(400, {"message": "Invalid objectId", "error": "ERROR"}, "update_card", id=key, idLabels=["x"])
    trello.refused(400, "invalid value for color", "create_label", idBoard=trello.ref(OPS), name="x", color="mauve")
    trello("remove_label_from_card", id=key, idLabel=own)
    trello.refused(400, "that label is not on the card", "remove_label_from_card", id=key, idLabel=own)
    trello("delete_label", id=trello("get_card", id=key)["labels"][0]["id"])
    assert len(trello("get_card", id=key)["labels"]) == 2


def test_members_must_be_the_boards_first(trello: Trello) -> None:
    key, board, carl, dan = trello.ref(TASKS[1]), trello.ref(OPS), trello.ref(ENTITIES[1]), trello.ref(ENTITIES[2])
    trello.refused(400, "invalid value for value", "add_member_to_card", id=key, idMember=carl)
    trello.refused(400, "invalid value for idMembers", "update_card", id=key, idMembers=[carl])
    trello.refused(400, "member is already on the card", "add_member_to_card", id=key, idMember=trello.ref(ENTITIES[0]))
    trello.refused(400, "member is deactivated", "add_board_member", id=board, idMember=dan)
    trello("invite_board_member", id=board, email="CARL@brightwater.example")
    assert len(trello("add_member_to_card", id=key, idMember=carl)) == 2
    trello("remove_board_member", id=board, idMember=carl)
    assert carl not in trello("get_card", id=key)["idMembers"]
    trello.refused(400, "Not enough admins", "remove_board_member", id=board, idMember=trello("get_member")["id"])


def test_nothing_is_added_to_a_closed_board(trello: Trello) -> None:
    board, key, todo = trello.ref(OPS), trello.ref(TASKS[1]), trello.lists()["To Do"]
    trello("update_board", id=board, closed=True)
    for tool, arguments in (
        ("create_card", {"idList": todo, "name": "x"}), ("create_list", {"idBoard": board, "name": "x"}),
        ("update_card", {"id": key, "name": "x"}),
        ("add_comment", {"id": key, "text": "x"}), ("create_label", {"idBoard": board, "name": "x"}), ("create_checklist", {"idCard": key}),
        ("archive_list", {"id": todo}), ("update_board", {"id": board, "name": "x"}), ("delete_card", {"id": key}),
    ):  # fmt: skip
        trello.refused(400, "board is closed", tool, **arguments)
    assert trello("get_card", id=key)["name"] == "Renewal sheet"
    trello("update_board", id=board, closed=False)
    trello("update_card", id=key, name="Open again")


def test_archiving_hides_and_comes_back(trello: Trello) -> None:
    lists, board, key = trello.lists(), trello.ref(OPS), trello.ref(TASKS[3])
    trello("archive_list", id=lists["To Do"])
    assert "Call the dock" not in names(trello("get_board_cards", id=board))
    assert "Call the dock" in names(trello("get_board_cards", id=board, filter="open"))
    assert list(trello.lists()) == ["In Progress", "In Review", "Done"]
    assert names(trello("search", query="dock is:archived")["cards"]) == ["Call the dock"]
    trello("archive_list", id=lists["To Do"], value=False)
    trello("update_card", id=key, closed=True)
    assert names(trello("get_list_cards", id=lists["To Do"], filter="closed")) == ["Call the dock"]
    assert trello.rest("DELETE", f"/1/lists/{lists['To Do']}").status == 404
    trello("archive_all_cards", id=lists["To Do"])
    assert trello("get_list_cards", id=lists["To Do"]) == []


def test_texts_have_limits_and_dates_are_dates(trello: Trello) -> None:
    todo, key = trello.lists()["To Do"], trello.ref(TASKS[3])
    trello.refused(400, "invalid value for name", "create_card", idList=todo, name="x" * 16385)
    trello.refused(400, "invalid value for name", "update_card", id=key, name="")
    trello.refused(400, "invalid value for text", "add_comment", id=key, text="")
    trello.refused(400, "invalid value for due", "update_card", id=key, due="soon")
    trello.refused(400, "invalid value for pos", "update_card", id=key, pos=-1)
    trello.refused(400, "invalid value for idList", "create_card", idList="x", name="y")
    trello.refused(400, "invalid value for url", "add_attachment_to_card", id=key, url="ftp://x")
    assert trello("update_card", id=key, due="2026-04-01T10:00:00+02:00")["due"] == "2026-04-01T08:00:00.000Z"
    assert trello("update_card", id=key, due=None)["due"] is None


def test_comments_belong_to_their_authors(trello: Trello) -> None:
    key = trello.ref(TASKS[1])
    theirs = trello("get_card_actions", id=key)[0]["id"]
    trello.refused(401, "unauthorized permission requested", "update_comment", id=key, idAction=theirs, text="x")
    mine = trello("add_comment", id=key, text="Mine")["id"]
    assert trello("update_comment", id=key, idAction=mine, text="Still mine")["data"]["text"] == "Still mine"
    trello.refused(
        404, "The requested resource was not found.", "delete_comment", id=trello.ref(TASKS[3]), idAction=mine
    )
    trello("delete_comment", id=key, idAction=mine)
    trello("delete_comment", id=key, idAction=theirs)  # an admin of the board may
    assert trello("get_card_actions", id=key, filter="commentCard") == []


# Cards


def test_completion_has_its_date(trello: Trello) -> None:
    key = trello.ref(TASKS[3])
    assert trello("update_card", id=key, dueComplete=True)["dateCompleted"].startswith("2026-03-02")
    assert trello.one(Task, key).status == "done"  # ticked off, wherever it lies
    assert trello("update_card", id=key, dueComplete=False)["dateCompleted"] is None
    assert trello.one(Task, key).status == "todo"
    trello("move_card", id=key, idList=trello.lists()["Done"])
    assert trello.one(Task, key).status == "done"
    moves = trello("get_card_actions", id=key, filter="updateCard:idList")
    assert (moves[0]["data"]["listBefore"]["name"], moves[0]["data"]["listAfter"]["name"]) == ("To Do", "Done")


def test_going_to_another_board(trello: Trello) -> None:
    other = trello("create_board", name="Else", permissionLevel="org")
    first = trello("get_board_lists", id=other["id"])[0]
    key = trello.ref(TASKS[1])
    moved = trello("move_card", id=key, idList=first["id"])
    assert (moved["idBoard"], moved["idShort"], moved["labels"], moved["idMembers"]) == (other["id"], 1, [], [])
    assert trello("get_card_actions", id=key, filter="commentCard")
    trello.refused(400, "invalid value for idList", "update_card", id=key, idBoard=trello.ref(OPS), idList=first["id"])
    trello.refused(
        400, "invalid value for idList", "move_all_cards", id=first["id"], idBoard=trello.ref(OPS), idList=first["id"]
    )


def test_copies_take_what_is_asked(trello: Trello) -> None:
    key, todo = trello.ref(TASKS[1]), trello.lists()["To Do"]
    box = trello("create_checklist", idCard=key, name="Steps")
    trello("create_check_item", id=box["id"], name="One")
    whole = trello("create_card", idList=todo, idCardSource=key)
    assert (whole["name"], whole["badges"]["checkItems"], whole["badges"]["comments"], len(whole["labels"])) == (
        "Renewal sheet",
        1,
        1,
        4,
    )
    part = trello("create_card", idList=todo, idCardSource=key, name="Part", keepFromSource=["due"])
    assert (part["due"], part["badges"]["checkItems"], part["labels"]) == ("2026-03-04T12:00:00.000Z", 0, [])
    trello.refused(
        400, "invalid value for keepFromSource", "create_card", idList=todo, idCardSource=key, keepFromSource=["soul"]
    )


def test_checklists(trello: Trello) -> None:
    key, other = trello.ref(TASKS[3]), trello.ref(TASKS[4])
    box = trello("create_checklist", idCard=key, name="Steps")
    item = trello("create_check_item", id=box["id"], name="One", due="2026-03-09")
    assert trello("update_check_item", id=key, idCheckItem=item["id"], state="complete")["state"] == "complete"
    trello.refused(
        404,
        "The requested resource was not found.",
        "update_check_item",
        id=other,
        idCheckItem=item["id"],
        state="complete",
    )
    trello.refused(400, "invalid value for state", "update_check_item", id=key, idCheckItem=item["id"], state="halfway")
    trello.refused(
        400,
        "invalid value for idMember",
        "update_check_item",
        id=key,
        idCheckItem=item["id"],
        idMember=trello.ref(ENTITIES[1]),
    )
    badges = trello("get_card", id=key)["badges"]
    assert (badges["checkItems"], badges["checkItemsChecked"]) == (1, 1)
    trello("delete_check_item", id=box["id"], idCheckItem=item["id"])
    trello("delete_checklist", id=box["id"])
    assert trello("get_card_checklists", id=key) == []


def test_custom_fields(trello: Trello) -> None:
    key = trello.ref(TASKS[3])
    field = trello(
        "create_custom_field", idModel=trello.ref(OPS), name="Size", type="list", options=[{"value": {"text": "S"}}]
    )
    choice = field["options"][0]["id"]
    assert trello("update_card_custom_field", id=key, idCustomField=field["id"], idValue=choice)["idValue"] == choice
    trello.refused(
        400, "invalid value for idValue", "update_card_custom_field", id=key, idCustomField=field["id"], idValue="x"
    )
    number = trello("create_custom_field", idModel=trello.ref(OPS), name="Cost", type="number")["id"]
    wrong = "Invalid custom field item value."
    trello.refused(400, wrong, "update_card_custom_field", id=key, idCustomField=number, value={"number": "many"})
    trello("update_card_custom_field", id=key, idCustomField=number, value={"number": "3.5"})
    assert len(trello("get_card", id=key, customFieldItems=True)["customFieldItems"]) == 2
    trello("delete_custom_field", id=number)
    trello("update_card_custom_field", id=key, idCustomField=field["id"])
    assert trello("get_card", id=key, customFieldItems=True)["customFieldItems"] == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["top", "bottom"])), max_size=8))
def test_top_and_bottom_are_where_they_say(moves: list[tuple[int, str]]) -> None:
    """Whatever was moved before, a card put on top comes first in its list and one put at the bottom last; none is lost."""
    trello = Trello()
    todo = trello.lists()["To Do"]
    for number, place in moves:
        key = trello.ref(TASKS[number])
        trello("update_card", id=key, idList=todo, pos=place)
        order = [c["id"] for c in trello("get_list_cards", id=todo)]
        assert order[0 if place == "top" else -1] == key
    assert len(trello("get_board_cards", id=trello.ref(OPS))) == len(TASKS)


# Search


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("renewal", {"Renewal sheet"}), ("RENEW", set()), ("nearly", {"Renewal sheet"}), ('"row a subscription"', {"Renewal sheet"}),
        ('"subscription row"', set()), ("@bea", {"Renewal sheet"}), ("member:me is:open", {"Order chairs", "Call the dock"}),
        ("#quarter", {"Quarter plan", "Renewal sheet"}), ("label:quarter -label:Bug", {"Quarter plan"}),
        ('label:"High priority"', {"Quarter plan"}),
        ("#red", {"Renewal sheet"}), ('list:"In Review"', {"Read the lease"}), ("due:week", {"Renewal sheet"}),
        ("due:overdue", {"Call the dock"}),
        ("has:due -due:overdue -due:week", {"Read the lease"}), ("due:90 sort:due", {"Renewal sheet", "Read the lease"}),
        ("board:Operations has:attachments", {"Renewal sheet"}), ("comment:nearly", {"Renewal sheet"}), ("name:nearly", set()),
        ("description:row", {"Renewal sheet"}), ("-has:members", {"Quarter plan", "Read the lease"}), ("created:14", set()),
        ("edited:14", {"Order chairs"}),
        ("is:archived", set()), ("due:incomplete list:done", set()), ("the -dock", {"Read the lease"}),
    ],
)  # fmt: skip
def test_searches_find(trello: Trello, query: str, found: set[str]) -> None:
    assert set(names(trello("search", query=query, modelTypes=["cards"])["cards"])) == found


@pytest.mark.parametrize("query", ["is:bogus", "due:someday", "has:legs", "sort:size", "-created:never", "label:"])
def test_what_search_does_not_know_is_named(trello: Trello, query: str) -> None:
    trello.refused(400, f"invalid value for query: {query.removeprefix('-')}", "search", query=query)


def test_search_in_other_ways(trello: Trello) -> None:
    assert names(trello("search", query="RENEW", partial=True, modelTypes=["cards"])["cards"]) == ["Renewal sheet"]
    ordered = trello("search", query="has:due sort:due", modelTypes=["cards"])["cards"]
    turned = trello("search", query="has:due -sort:due", modelTypes=["cards"])["cards"]
    assert names(ordered) == ["Read the lease", "Renewal sheet", "Call the dock"] == names(turned)[::-1]
    first = trello("search", query="has:due sort:due", cards_limit=2)["cards"]
    second = trello("search", query="has:due sort:due", cards_limit=2, cards_page=1)["cards"]
    assert names(first + second) == names(ordered)
    everything = trello("search", query="operations")
    assert names(everything["boards"]) == ["Operations"]
    assert [m["username"] for m in trello("search", query="carl", modelTypes=["members"])["members"]] == ["carl"]
    trello.refused(400, "invalid value for modelTypes", "search", query="x", modelTypes=["ghosts"])
    assert names(trello("search", query="-renewal", idBoards=[trello.ref(OLD)])["cards"]) == []


# Shapes and pages


def test_fields_nested_resources_and_single_fields(trello: Trello) -> None:
    board, key = trello.ref(OPS), trello.ref(TASKS[1])
    assert set(trello.rest("GET", f"/1/cards/{key}", fields="name,url").body) == {"id", "name", "url"}
    whole = trello.rest(
        "GET", f"/1/boards/{board}", cards="open", lists="open", members="true", checklists="all", labels="all"
    ).body
    assert (len(whole["cards"]), len(whole["lists"]), len(whole["members"])) == (5, 4, 2)
    card = trello.rest(
        "GET", f"/1/cards/{key}", members="true", checklists="all", attachments="true", board="true", list="true"
    ).body
    assert (card["board"]["name"], card["list"]["name"], card["members"][0]["username"]) == (
        "Operations",
        "In Progress",
        "bea",
    )
    assert card["url"].startswith(f"https://trello.com/c/{card['shortLink']}/2-renewal-sheet")
    assert trello.rest("GET", f"/1/cards/{key}/name").body == {"_value": "Renewal sheet"}
    assert trello.rest("PUT", f"/1/cards/{key}/name", value="Via field").body["name"] == "Via field"
    assert trello.rest("PUT", f"/1/cards/{key}/closed", {"value": "true"}).body["closed"] is True
    assert trello.rest("PUT", f"/1/cards/{key}/idMembers", value="").body["idMembers"] == []
    assert trello.rest("PUT", f"/1/cards/{key}/name").body == "invalid value for value"
    assert trello.rest("GET", f"/1/boards/{board}/cards/2").body["id"] == key


def test_pages_of_cards_and_actions(trello: Trello) -> None:
    board, walked, before = trello.ref(OPS), list[str](), {}
    while page := trello("get_board_cards", id=board, filter="all", limit=2, **before):
        walked += [c["id"] for c in page]
        before = {"before": min(c["id"] for c in page)}
    assert sorted(walked) == sorted(trello.ref(t) for t in TASKS)
    key = trello.ref(TASKS[3])
    for number in range(5):
        trello("add_comment", id=key, text=str(number))
    pages = [trello("get_board_actions", id=board, filter="commentCard", limit=2, page=n) for n in range(4)]
    assert [a["data"]["text"] for page in pages for a in page] == ["4", "3", "2", "1", "0", "Nearly there"]
    since = trello("get_board_actions", id=board, filter="commentCard", since="2026-03-01")
    assert len(since) == 5
    assert len(trello("get_board_actions", id=board, filter="commentCard", before=since[3]["id"])) == 2
    trello.refused(400, "invalid value for before", "get_board_actions", id=board, before="yesterday")


def test_batches_read_and_only_read(trello: Trello) -> None:
    key = trello.ref(TASKS[1])
    body = trello.rest(
        "GET", "/1/batch", urls=f"/cards/{key}?fields=name,due,/members/me/boards?fields=name,/cards/zzz"
    ).body
    assert body[0]["200"]["name"] == "Renewal sheet"
    assert names(body[1]["200"]) == ["Operations"]
    assert body[2] == {"name": "Error", "message": "invalid id", "statusCode": 400}
    assert trello.rest("GET", "/1/batch", urls="cards").body == "invalid value for urls"
    assert trello.rest("GET", "/1/batch", urls="/batch?urls=/x").body == "invalid value for urls"


def test_webhooks(trello: Trello) -> None:
    made = trello("create_webhook", idModel=trello.ref(OPS), callbackURL="https://x.example/hook")
    twice = "A webhook with that callback, model, and token already exists"
    trello.refused(400, twice, "create_webhook", idModel=trello.ref(OPS), callbackURL="https://x.example/hook")
    trello.refused(
        400, "invalid value for idModel", "create_webhook", idModel="0" * 24, callbackURL="https://x.example/hook"
    )
    assert trello.rest("PUT", f"/1/webhooks/{made['id']}", active="false").body["active"] is False
    trello("delete_webhook", id=made["id"])


def test_private_boards_are_their_members(trello: Trello) -> None:
    board = trello("create_board", name="Mine")["id"]
    trello("add_board_member", id=board, idMember=trello.ref(ENTITIES[0]), type="admin")
    trello("remove_board_member", id=board, idMember="me")
    trello.refused(401, "unauthorized permission requested", "get_board", id=board)
    assert board not in {b["id"] for b in trello("list_member_boards", id="bea")}


@pytest.mark.anyio
async def test_agents_see_plain_errors_and_short_answers() -> None:
    episode = episode_of("trello", world="quaymark")
    async with Client(serve(episode, ["trello"])) as client:
        boards = (await client.call_tool("list_member_boards", {})).structured_content
        assert boards is not None
        for board in boards["result"]:
            reply = await client.call_tool("get_board_cards", {"id": board["id"]})
            assert len(str(reply.content[0])) < 40_000
        refused = await client.call_tool("get_card", {"id": "no"})
        assert refused.is_error
        assert "invalid id" in str(refused.content)


# What a second pair of eyes found


@pytest.fixture
def humble(monkeypatch: pytest.MonkeyPatch) -> Trello:
    """An account whose agent is no admin of the workspace."""
    monkeypatch.setattr(testing, "ALEX", testing.ALEX.model_copy(update={"admin": False}))
    return Trello()


def test_observers_only_look(humble: Trello) -> None:
    trello = humble
    board, key, todo = trello.ref(OPS), trello.ref(TASKS[1]), trello.lists()["To Do"]
    trello("add_board_member", id=board, idMember=trello.ref(ENTITIES[0]), type="admin")
    trello("add_board_member", id=board, idMember="me", type="observer")
    for tool, arguments in (
        ("update_card", {"id": key, "name": "x"}), ("create_card", {"idList": todo, "name": "x"}),
        ("add_comment", {"id": key, "text": "x"}),
        ("archive_list", {"id": todo}), ("add_board_member", {"id": board, "idMember": "me", "type": "admin"}),
        ("update_board", {"id": board, "permissionLevel": "public"}),
    ):  # fmt: skip
        trello.refused(401, "unauthorized permission requested", tool, **arguments)
    assert trello("get_card", id=key)["name"] == "Renewal sheet"


def test_only_admins_change_who_sees_a_board_and_make_admins(humble: Trello) -> None:
    trello = humble
    board, carl = trello.ref(OPS), trello.ref(ENTITIES[1])
    trello("add_board_member", id=board, idMember=trello.ref(ENTITIES[0]), type="admin")
    trello("add_board_member", id=board, idMember="me", type="normal")
    denied = "unauthorized permission requested"
    trello.refused(401, denied, "update_board", id=board, permissionLevel="public")
    trello.refused(401, denied, "add_board_member", id=board, idMember=carl, type="admin")
    trello("add_board_member", id=board, idMember=carl)
    trello("update_board", id=board, name="Renamed by a member")


def test_boards_say_who_comments(trello: Trello) -> None:
    board, key = trello.ref(OPS), trello.ref(TASKS[1])
    assert trello.rest("PUT", f"/1/boards/{board}", {"prefs/comments": "disabled"}).status == 200
    trello.refused(401, "unauthorized permission requested", "add_comment", id=key, text="x")


def test_top_is_on_top_even_of_nought(trello: Trello) -> None:
    todo, first, second = trello.lists()["To Do"], trello.ref(TASKS[0]), trello.ref(TASKS[3])
    for place in (0, 1e-300):
        trello("update_card", id=first, idList=todo, pos=place)
        trello("update_card", id=second, idList=todo, pos="top")
        assert [c["id"] for c in trello("get_list_cards", id=todo)][:2] == [second, first]


@pytest.mark.parametrize("query", ["dock # 4", 'dock 27" @ 5', 'dock"', '"dock"', 'the dock "', "dock & @"])
def test_signs_in_queries_are_no_errors(trello: Trello, query: str) -> None:
    trello("update_card", id=trello.ref(TASKS[3]), desc='4 27" 5')
    assert names(trello("search", query=query, modelTypes=["cards"])["cards"]) == ["Call the dock"]


@pytest.mark.parametrize("query", ["@", "# -", '""', "  ", "?"])
def test_a_query_for_nothing_finds_nothing(trello: Trello, query: str) -> None:
    found = trello("search", query=query)
    assert not any(found[kind] for kind in ("cards", "boards", "members", "organizations"))


def test_times_that_move_by_themselves_are_not_changes(trello: Trello) -> None:
    key = trello.ref(TASKS[1])
    said = trello("add_comment", id=key, text="One")["id"]
    trello("update_comment", id=key, idAction=said, text="Two")
    trello("update_board", id=trello.ref(OPS), closed=True)
    moved = {c.table: c.columns for c in trello.episode.changes() if c.kind == "update"}
    assert moved == {"board": ("closed",)}


@pytest.mark.parametrize("kind", ["comments", "commentCard:text", "commentCard,moved", "updatecard"])
def test_kinds_of_actions_must_exist(trello: Trello, kind: str) -> None:
    key, said = trello.ref(TASKS[1]), "invalid value for filter"
    trello.refused(400, said, "get_card_actions", id=key, filter=kind)
    trello.refused(400, said, "get_card", id=key, actions=kind)
    trello.refused(400, said, "get_board_actions", id=trello.ref(OPS), filter=kind)


def test_filters_of_people_are_heeded(trello: Trello) -> None:
    board = trello.ref(OPS)
    admins = trello("get_board", id=board, members="admins")["members"]
    assert [p["id"] for p in admins] == [trello("get_member")["id"]]
    assert trello.rest("GET", f"/1/boards/{board}/members", filter="bosses").body == "invalid value for filter"
    assert trello.rest("GET", f"/1/boards/{board}/memberships", filter="none").body == []
    workspace = trello("list_member_organizations")[0]["id"]
    assert trello.rest("GET", f"/1/organizations/{workspace}/members", filter="bosses").status == 400


def test_things_of_other_boards_are_not_found_in_this_one(trello: Trello) -> None:
    other, key = trello("create_board", name="Else")["id"], trello.ref(TASKS[1])
    label = trello("get_card", id=key)["labels"][0]["id"]
    for path in (f"labels/{label}", f"cards/{key}", "cards/99"):
        reply = trello.rest("GET", f"/1/boards/{other}/{path}")
        assert (reply.status, reply.body) == (404, "The requested resource was not found.")


def test_nested_resources_and_states_are_shown(trello: Trello) -> None:
    board, key = trello.ref(OPS), trello.ref(TASKS[1])
    box = trello("create_checklist", idCard=key, name="Steps")["id"]
    item = trello("create_check_item", id=box, name="One", checked=True)["id"]
    trello("create_check_item", id=box, name="Two")
    assert trello.rest("GET", f"/1/cards/{key}").body["checkItemStates"] == [{"idCheckItem": item, "state": "complete"}]
    asked = {
        "card_members": "true",
        "card_checklists": "all",
        "card_attachments": "true",
        "card_customFieldItems": "true",
    }
    cards = trello.rest("GET", f"/1/boards/{board}", cards="all", **asked).body["cards"]
    card = next(c for c in cards if c["id"] == key)
    assert (card["members"][0]["username"], card["checklists"][0]["name"]) == ("bea", "Steps")
    assert (card["attachments"][0]["name"], card["customFieldItems"]) == ("Parent", [])
    boards = trello.rest("GET", "/1/members/me/boards", lists="open", fields="name").body
    assert names(boards[0]["lists"]) == ["To Do", "In Progress", "In Review", "Done"]


def test_memberships_change_by_their_ids(trello: Trello) -> None:
    board = trello.ref(OPS)
    rows = {m["idMember"]: m["id"] for m in trello.rest("GET", f"/1/boards/{board}/memberships").body}
    path = f"/1/boards/{board}/memberships/{rows[trello.ref(ENTITIES[0])]}"
    assert trello.rest("PUT", path, type="observer").body["memberType"] == "observer"
    assert trello.rest("PUT", path, type="owner").body == "invalid value for type"
    other = trello("create_board", name="Else")["id"]
    assert trello.rest("PUT", path.replace(board, other), type="normal").status == 404


def test_copies_on_the_same_board_keep_custom_fields(trello: Trello) -> None:
    key, todo = trello.ref(TASKS[1]), trello.lists()["To Do"]
    field = trello("create_custom_field", idModel=trello.ref(OPS), name="Cost", type="number")["id"]
    trello("update_card_custom_field", id=key, idCustomField=field, value={"number": 5})
    copy = trello("create_card", idList=todo, idCardSource=key)["id"]
    assert trello("get_card", id=copy, customFieldItems=True)["customFieldItems"][0]["value"] == {"number": "5"}
    wrong = "Invalid custom field item value."
    for number in ("1_000", "nan", "1e999", ""):
        trello.refused(400, wrong, "update_card_custom_field", id=key, idCustomField=field, value={"number": number})
    column = trello("get_card", id=key)["idList"]
    made = trello.rest("POST", "/1/lists", {"name": "Twin", "idBoard": trello.ref(OPS), "idListSource": column}).body
    twin = trello("get_list_cards", id=made["id"])[0]
    assert (len(twin["labels"]), twin["idMembers"]) == (4, [trello.ref(ENTITIES[0])])


def test_refused_ids_name_their_parameter_and_tell_agents_where_to_look(trello: Trello) -> None:
    key, board = trello.ref(TASKS[1]), trello.ref(OPS)
    for name, tool, arguments in (
        ("idBoard", "create_list", {"name": "x"}), ("idBoard", "create_label", {"name": "x"}), ("idCard", "create_checklist", {}),
        ("idModel", "create_custom_field", {"name": "x", "type": "text"}), ("idBoard", "update_card", {"id": key}),
        ("idCardSource", "create_card", {"idList": trello.lists()["To Do"]}),
    ):  # fmt: skip
        trello.refused(400, f"invalid value for {name}", tool, **{name: "Operations"}, **arguments)
    for tool, arguments, hint in (
        ("add_member_to_card", {"id": key, "idMember": "bea"}, "get_board_members"),
        ("add_member_to_card", {"id": key, "idMember": trello.ref(ENTITIES[1])}, "add_board_member"),
        ("move_card", {"id": key, "idList": "Done"}, "get_board_lists"),
        ("get_board_actions", {"id": board, "filter": "comments"}, "commentCard"),
        ("search", {"query": "is:closed"}, "archived"),
        ("get_card", {"id": "Renewal sheet"}, "24 hexadecimal digits"),
        ("update_card", {"id": key, "due": "tomorrow"}, "ISO 8601"),
        ("update_card", {"id": key, "pos": -1}, "or a number"),
        ("update_card", {"id": key, "pos": "first"}, "or a number"),
        ("create_card", {"name": "x"}, "equired"),
        ("update_check_item", {"id": key, "idCheckItem": key, "state": "done"}, "incomplete"),
    ):
        assert hint in str(trello.live.call(tool, arguments).shown)


def test_what_people_did_on_boards_one_may_not_see_is_not_told(trello: Trello) -> None:
    board = trello("create_board", name="Mine")["id"]
    trello("add_board_member", id=board, idMember=trello.ref(ENTITIES[0]), type="admin")
    trello("update_board", id=board, desc="Secret")
    trello("remove_board_member", id=board, idMember="me")
    told = trello.rest("GET", "/1/members/me/actions").body
    assert board not in {a["data"].get("board", {}).get("id") for a in told}


def test_boards_say_who_invites_and_who_joins(humble: Trello) -> None:
    trello = humble
    board, carl, me = trello.ref(OPS), trello.ref(ENTITIES[1]), trello("get_member")["id"]
    prefs = {"prefs/invitations": "admins", "prefs/selfJoin": False}
    assert trello.rest("PUT", f"/1/boards/{board}", prefs).status == 200
    for name, value in (("comments", "everybody"), ("voting", "x"), ("invitations", "nobody")):
        reply = trello.rest("PUT", f"/1/boards/{board}", {f"prefs/{name}": value})
        assert (reply.status, reply.body.split("/")[0][:17]) == (400, "invalid value for")
    trello("add_board_member", id=board, idMember=trello.ref(ENTITIES[0]), type="admin")
    trello("add_board_member", id=board, idMember="me", type="normal")
    trello.refused(401, "unauthorized permission requested", "add_board_member", id=board, idMember=carl)
    trello("remove_board_member", id=board, idMember="me")
    trello.refused(401, "unauthorized permission requested", "add_board_member", id=board, idMember=me)


def test_actions_tell_of_labels_and_lead_to_what_they_are_about(trello: Trello) -> None:
    key, board = trello.ref(TASKS[3]), trello.ref(OPS)
    label = trello("create_label", idBoard=board, name="Wet", color="blue")["id"]
    trello("add_label_to_card", id=key, idLabel=label)
    trello("update_card", id=key, idLabels=[])
    told = trello("get_card_actions", id=key, filter="addLabelToCard,removeLabelFromCard")
    assert [(a["type"], a["data"]["label"]["name"]) for a in told] == [
        ("removeLabelFromCard", "Wet"),
        ("addLabelToCard", "Wet"),
    ]
    path = f"/1/actions/{told[0]['id']}"
    assert trello.rest("GET", f"{path}/card").body["id"] == key
    assert trello.rest("GET", f"{path}/board").body["id"] == board
    assert trello.rest("GET", f"{path}/list").body["name"] == "To Do"
    assert trello.rest("GET", f"{path}/member").body["username"] == "alex"


def test_checklists_are_deleted_by_their_card(trello: Trello) -> None:
    key, box = trello.ref(TASKS[3]), trello("create_checklist", idCard=trello.ref(TASKS[3]), name="Steps")["id"]
    assert trello.rest("DELETE", f"/1/cards/{trello.ref(TASKS[1])}/checklists/{box}").status == 404
    assert trello.rest("DELETE", f"/1/cards/{key}/checklists/{box}").status == 200
    assert trello("get_card_checklists", id=key) == []


def test_every_card_has_the_action_that_made_it(trello: Trello) -> None:
    told = trello("get_card_actions", id=trello.ref(TASKS[0]), filter="createCard")
    assert [(a["memberCreator"]["username"], a["date"]) for a in told] == [("bea", "2026-02-01T09:00:00.000Z")]
    everything = trello("get_board_actions", id=trello.ref(OPS), filter="createCard")
    assert [a["data"]["card"]["idShort"] for a in everything] == [5, 4, 3, 2, 1]
    made = trello("create_card", idList=trello.lists()["To Do"], name="New")["id"]
    assert [a["type"] for a in trello("get_card_actions", id=made, filter="all")] == ["createCard"]
