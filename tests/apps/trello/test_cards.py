"""Trello: the capability; rules; cards; search."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, Task
from tests.apps.trello.support import Trello, names
from tests.support.tracker import ENTITIES, OLD, OPS, TASKS


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
