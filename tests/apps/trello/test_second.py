"""Trello: shapes and pages; what a second pair of eyes found."""

import pytest
from mcp import Client

from legoenv_mcp import testing
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.testing import episode_of
from tests.apps.trello.support import Trello, names
from tests.support.tracker import ENTITIES, OPS, TASKS


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
