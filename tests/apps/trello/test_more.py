"""Trello's smaller changes: lists, labels, attachments, checklists, comments and custom fields, by every address that changes them."""

from typing import Any

import pytest

from tests.apps.trello.support import Trello, names
from tests.support.tracker import OPS, TASKS

NOWHERE = "0" * 24


@pytest.fixture
def trello() -> Trello:
    return Trello()


def send(trello: Trello, method: str, path: str, body: Any = None, **query: Any) -> Any:
    reply = trello.rest(method, path, body, **query)
    assert reply.status == 200, reply.body
    return reply.body


def refused(trello: Trello, status: int, method: str, path: str, body: Any = None, **query: Any) -> Any:
    """What a call says that is refused and leaves nothing behind."""
    before = trello.episode.changes()
    reply = trello.rest(method, path, body, **query)
    assert reply.status == status, reply.body
    assert trello.episode.changes() == before
    return reply.body


def notes(trello: Trello, board: str, kind: str) -> list[Any]:
    return [action["data"] for action in trello("get_board_actions", id=board, filter=kind)]


def test_lists_are_added_by_their_board(trello: Trello) -> None:
    board = trello.ref(OPS)
    made = send(trello, "POST", f"/1/boards/{board}/lists", {"name": "Waiting", "pos": "bottom"})
    short = trello("get_board", id=board)["shortLink"]
    first = send(trello, "POST", f"/1/boards/{short}/lists", name="Inbox")
    assert (made["name"], made["closed"], made["idBoard"]) == ("Waiting", False, board)
    assert list(trello.lists()) == ["Inbox", "To Do", "In Progress", "In Review", "Done", "Waiting"]
    assert trello.lists()["Inbox"] == first["id"]
    assert [(c.table, c.kind) for c in trello.episode.changes()] == [("list", "insert")] * 2
    assert [data["list"]["name"] for data in notes(trello, board, "createList")] == ["Inbox", "Waiting"]
    assert refused(trello, 400, "POST", f"/1/boards/{board}/lists", {"name": ""}) == "invalid value for name"
    refused(trello, 404, "POST", f"/1/boards/{NOWHERE}/lists", {"name": "x"})


def test_lists_are_renamed_moved_and_archived(trello: Trello) -> None:
    board, todo = trello.ref(OPS), trello.lists()["To Do"]
    cards = names(trello("get_list_cards", id=todo))
    shown = trello("update_list", id=todo, name="Next", pos="bottom", subscribed=True)
    assert (shown["name"], shown["subscribed"]) == ("Next", True)
    assert list(trello.lists()) == ["In Progress", "In Review", "Done", "Next"]
    assert names(trello("get_list_cards", id=todo)) == cards
    assert {"name": "To Do"} in [data["old"] for data in notes(trello, board, "updateList")]
    assert trello("update_list", id=todo, closed=True)["closed"] is True
    assert "Next" not in trello.lists()
    assert trello("update_list", id=todo, closed=False, pos="top")["closed"] is False
    assert next(iter(trello.lists())) == "Next"
    trello.refused(400, "invalid value for name", "update_list", id=todo, name="")
    trello.refused(404, "The requested resource was not found.", "update_list", id=todo, idBoard=NOWHERE)
    trello.refused(404, "The requested resource was not found.", "update_list", id=NOWHERE, name="x")


def test_a_list_goes_to_another_board_with_its_cards(trello: Trello) -> None:
    todo, other = trello.lists()["To Do"], trello("create_board", name="Else")["id"]
    cards = names(trello("get_list_cards", id=todo))
    assert trello("update_list", id=todo, idBoard=other)["idBoard"] == other
    assert "To Do" not in trello.lists()
    assert trello("get_board_lists", id=other)[-1]["id"] == todo
    assert names(trello("get_board_cards", id=other)) == cards
    assert not set(cards) & set(names(trello("get_board_cards", id=trello.ref(OPS))))


def test_labels_are_added_by_their_board_or_a_card(trello: Trello) -> None:
    board, key = trello.ref(OPS), trello.ref(TASKS[3])
    wet = send(trello, "POST", f"/1/boards/{board}/labels", {"name": "Wet", "color": "blue"})
    assert (wet["name"], wet["color"], wet["idBoard"]) == ("Wet", "blue", board)
    assert wet["id"] in {label["id"] for label in trello("get_board_labels", id=board)}
    assert refused(trello, 400, "POST", f"/1/boards/{board}/labels", {"name": "x", "color": "mauve"})
    refused(trello, 404, "POST", f"/1/boards/{NOWHERE}/labels", {"name": "x"})

    path, had = f"/1/cards/{key}/labels", [label["id"] for label in trello("get_card", id=key)["labels"]]
    same = send(trello, "POST", path, {"name": "Wet", "color": "blue"})
    dry = send(trello, "POST", path, {"name": "Dry", "color": None})
    assert (same["id"], dry["color"], dry["idBoard"]) == (wet["id"], None, board)
    assert [label["id"] for label in trello("get_card", id=key)["labels"]] == [*had, wet["id"], dry["id"]]
    made = [c for c in trello.episode.changes() if (c.table, c.kind) == ("label", "insert")]
    assert len(made) == 2
    assert refused(trello, 400, "POST", path, {"name": "Wet", "color": "blue"}) == "that label is already on the card"
    assert refused(trello, 400, "POST", path, {"name": "x", "color": "mauve"}) == "invalid value for color"
    refused(trello, 404, "POST", f"/1/cards/{NOWHERE}/labels", {"name": "x", "color": "red"})


def test_labels_change_on_every_card(trello: Trello) -> None:
    cards = trello.ref(TASKS[0]), trello.ref(TASKS[1])
    first, second = ({x["name"]: x["id"] for x in trello("get_card", id=key)["labels"]} for key in cards)
    label = first["quarter"]
    assert second["quarter"] == label
    shown = trello("update_label", id=label, name="Q2", color="pink_dark")
    assert (shown["id"], shown["name"], shown["color"]) == (label, "Q2", "pink_dark")
    assert send(trello, "PUT", f"/1/labels/{label}/name", {"value": "Q3"})["name"] == "Q3"
    assert send(trello, "PUT", f"/1/labels/{label}/color", value="lime")["color"] == "lime"
    for key in cards:
        mine = next(x for x in trello("get_card", id=key)["labels"] if x["id"] == label)
        assert (mine["name"], mine["color"]) == ("Q3", "lime")
    assert trello("update_label", id=label, color=None)["color"] is None
    assert {(c.table, c.kind) for c in trello.episode.changes()} == {("label", "update")}
    trello.refused(400, "invalid value for color", "update_label", id=label, color="mauve")
    trello.refused(404, "The requested resource was not found.", "update_label", id=NOWHERE, name="x")
    assert refused(trello, 400, "PUT", f"/1/labels/{label}/color", value="mauve") == "invalid value for color"
    assert refused(trello, 400, "PUT", f"/1/labels/{label}/name") == "invalid value for value"
    refused(trello, 404, "PUT", f"/1/labels/{label}/idBoard", value=NOWHERE)
    refused(trello, 404, "PUT", f"/1/labels/{NOWHERE}/name", value="x")


def test_attachments_are_renamed_and_moved(trello: Trello) -> None:
    key, other = trello.ref(TASKS[3]), trello.ref(TASKS[4])
    first, second = (
        trello("add_attachment_to_card", id=key, url=f"https://x.example/{n}", name=n)["id"] for n in ("One", "Two")
    )
    path = f"/1/cards/{key}/attachments/{second}"
    shown = send(trello, "PUT", path, {"name": "Map", "pos": "top"})
    assert (shown["name"], shown["url"]) == ("Map", "https://x.example/Two")
    assert names(trello("get_card_attachments", id=key)) == ["Map", "One"]
    assert refused(trello, 400, "PUT", path, {"name": ""}) == "invalid value for name"
    refused(trello, 404, "PUT", f"/1/cards/{other}/attachments/{first}", {"name": "x"})
    refused(trello, 404, "PUT", f"/1/cards/{key}/attachments/{NOWHERE}", {"name": "x"})


def test_checklists_are_renamed_and_moved(trello: Trello) -> None:
    key = trello.ref(TASKS[3])
    first, second = (trello("create_checklist", idCard=key, name=name)["id"] for name in ("Steps", "Tools"))
    trello("create_check_item", id=second, name="Rope")
    shown = trello("update_checklist", id=second, name="Gear", pos="top")
    assert (shown["name"], names(shown["checkItems"])) == ("Gear", ["Rope"])
    assert [c["id"] for c in trello("get_card_checklists", id=key)] == [second, first]
    assert notes(trello, trello.ref(OPS), "updateChecklist")[0]["checklist"]["name"] == "Gear"
    trello.refused(400, "invalid value for name", "update_checklist", id=first, name="")
    trello.refused(404, "The requested resource was not found.", "update_checklist", id=NOWHERE, name="x")


def test_check_items_are_deleted_by_their_card(trello: Trello) -> None:
    key, other = trello.ref(TASKS[3]), trello.ref(TASKS[4])
    box = trello("create_checklist", idCard=key, name="Steps")["id"]
    one = trello("create_check_item", id=box, name="One")["id"]
    trello("create_check_item", id=box, name="Two")
    refused(trello, 404, "DELETE", f"/1/cards/{other}/checkItem/{one}")
    assert send(trello, "DELETE", f"/1/cards/{key}/checkItem/{one}") == {"limits": {}}
    assert names(trello("get_checklist", id=box)["checkItems"]) == ["Two"]
    assert trello("get_card", id=key)["badges"]["checkItems"] == 1
    refused(trello, 404, "DELETE", f"/1/cards/{key}/checkItem/{one}")


def test_comments_change_and_go_as_actions(trello: Trello) -> None:
    key = trello.ref(TASKS[1])
    theirs = trello("get_card_actions", id=key, filter="commentCard")[0]["id"]
    mine = trello("add_comment", id=key, text="Mine")["id"]
    assert send(trello, "PUT", f"/1/actions/{mine}/text", {"value": "Still mine"})["data"]["text"] == "Still mine"
    told = [a["data"]["text"] for a in trello("get_card_actions", id=key, filter="commentCard")]
    assert told == ["Still mine", "Nearly there"]
    said = "unauthorized permission requested"
    assert refused(trello, 401, "PUT", f"/1/actions/{theirs}/text", {"value": "x"}) == said
    assert refused(trello, 400, "PUT", f"/1/actions/{mine}/text", {"value": ""}) == "invalid value for value"
    refused(trello, 404, "PUT", f"/1/actions/{NOWHERE}/text", {"value": "x"})
    send(trello, "DELETE", f"/1/actions/{mine}")
    assert [a["id"] for a in trello("get_card_actions", id=key, filter="commentCard")] == [theirs]
    assert trello("get_card", id=key)["badges"]["comments"] == 1
    refused(trello, 404, "GET", f"/1/actions/{mine}")
    refused(trello, 404, "DELETE", f"/1/actions/{mine}")
    made = trello("get_card_actions", id=key, filter="createCard")[0]["id"]
    refused(trello, 404, "DELETE", f"/1/actions/{made}")


def test_custom_fields_and_their_choices_change(trello: Trello) -> None:
    board, key = trello.ref(OPS), trello.ref(TASKS[3])
    size = trello("create_custom_field", idModel=board, name="Size", type="list", options=[{"value": {"text": "S"}}])
    cost = trello("create_custom_field", idModel=board, name="Cost", type="number")["id"]
    path, small = f"/1/customFields/{size['id']}", size["options"][0]["id"]
    assert send(trello, "PUT", path, {"name": "Girth", "pos": "bottom"})["name"] == "Girth"
    assert names(trello("get_board_custom_fields", id=board)) == ["Cost", "Girth"]
    assert refused(trello, 400, "PUT", path, {"name": ""}) == "invalid value for name"
    refused(trello, 404, "PUT", f"/1/customFields/{NOWHERE}", {"name": "x"})

    large = send(trello, "POST", f"{path}/options", {"value": {"text": "L"}, "color": "red"})
    assert (large["value"], large["color"], large["idCustomField"]) == ({"text": "L"}, "red", size["id"])
    assert [o["value"]["text"] for o in send(trello, "GET", f"{path}/options")] == ["S", "L"]
    field = {"id": key, "idCustomField": size["id"]}
    assert trello("update_card_custom_field", **field, idValue=large["id"])["idValue"] == large["id"]
    refused(trello, 400, "POST", f"/1/customFields/{cost}/options", {"value": {"text": "x"}})
    refused(trello, 400, "POST", f"{path}/options", {"value": {"text": " "}})
    refused(trello, 404, "POST", f"/1/customFields/{NOWHERE}/options", {"value": {"text": "x"}})

    send(trello, "DELETE", f"{path}/options/{large['id']}")
    assert [o["id"] for o in send(trello, "GET", path)["options"]] == [small]
    assert trello("get_card", id=key, customFieldItems=True)["customFieldItems"] == []
    trello.refused(400, "invalid value for idValue", "update_card_custom_field", **field, idValue=large["id"])
    refused(trello, 404, "DELETE", f"{path}/options/{large['id']}")
