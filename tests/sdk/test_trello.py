"""py-trello, unmodified, against the Trello app over real HTTP: its client takes the session that sends its requests."""

from typing import TYPE_CHECKING, Any

import pytest
import requests
from trello import ResourceUnavailable, TrelloClient

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = [pytest.mark.sdk, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


class Elsewhere(requests.Session):
    """A session that sends what is meant for api.trello.com to a running app."""

    def __init__(self, rest: str) -> None:
        super().__init__()
        self.rest = rest

    def request(self, method: Any, url: Any, *args: Any, **kwargs: Any) -> requests.Response:
        for host in ("https://api.trello.com", "https://trello.com"):
            url = str(url).replace(host, self.rest)
        return super().request(method, url, *args, **kwargs)


@pytest.fixture
def client(gateway: "Gateway") -> Any:
    session: Any = Elsewhere(gateway.episode(["trello"], world="quaymark").rest("trello"))
    yield TrelloClient(api_key="k" * 32, api_secret="t" * 64, http_service=session)
    session.close()


def board(client: Any, name: str = "Operations") -> Any:
    return next(b for b in client.list_boards() if b.name == name)


def column(client: Any, name: str, of: str = "Operations") -> Any:
    return next(x for x in board(client, of).list_lists("open") if x.name == name)


def refused(status: int, text: str, call: Any, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(ResourceUnavailable) as caught:
        call(*args, **kwargs)
    assert caught.value._status == status
    assert text in str(caught.value)


def test_who_and_where(client: Any) -> None:
    me = client.get_member("me")
    assert me.full_name == "Maya Chen"
    assert me.email == "maya.chen@quaymark.example"
    organization = client.list_organizations()[0]
    assert client.get_organization(organization.id).name == "quaymark"
    everything = {b.name for b in organization.all_boards()}
    assert {b.name for b in client.list_boards()} < everything
    assert {b.name for b in client.list_boards("closed")} == {"CRM clean-up"}
    assert any(m.username == me.username for m in organization.get_members())


def test_a_board_is_read(client: Any) -> None:
    ops = board(client)
    assert [x.name for x in ops.list_lists()] == ["To Do", "In Progress", "In Review", "Done"]
    assert "High priority" in {x.name for x in ops.get_labels()}
    members = ops.all_members()
    assert "Maya Chen" in {m.full_name for m in members}
    assert [m.full_name for m in ops.admin_members()] == ["Maya Chen"]
    cards = ops.all_cards()
    assert all(c.list_id in {x.id for x in ops.all_lists()} for c in cards)
    assert client.get_card(cards[0].id).name == cards[0].name
    assert ops.get_card(cards[0].id).id == cards[0].id
    assert ops.get_last_activity() is not None
    assert client.get_list(cards[0].list_id).board.id == ops.id


def test_pages_of_a_list_lead_through_every_card_once(client: Any) -> None:
    done = column(client, "Done")
    everything = [c.id for c in done.list_cards("all")]
    assert len(everything) > 3
    walked = [c.id for c in done.list_cards_iter(card_filter="all", batch=2)]
    assert sorted(walked) == sorted(everything)


def test_a_card_lives(client: Any) -> None:
    ops, todo = board(client), column(client, "To Do")
    label = next(x for x in ops.get_labels() if x.name == "Bug")
    card = todo.add_card(
        "Made by the SDK",
        desc="With a text",
        labels=[label],
        due="2026-03-20",
        position="top",
        assign=[ops.all_members()[0]],
    )
    assert todo.list_cards()[0].id == card.id
    assert [x.name for x in card.labels] == ["Bug"]
    card.set_name("Renamed")
    card.set_description("Another text")
    card.set_due_complete()
    card.change_list(column(client, "Done").id)
    card.fetch()
    assert (card.name, card.desc) == ("Renamed", "Another text")
    assert client.get_card(card.id).is_due_complete
    assert card.list_id == column(client, "Done").id
    assert str(card.due).startswith("2026-03-20")
    assert card.list_movements()[0]["destination"]["name"] == "Done"
    card.remove_label(label)
    refused(400, "that label is not on the card", card.remove_label, label)
    card.add_label(label)
    refused(400, "that label is already on the card", card.add_label, label)
    card.change_pos("bottom")
    card.set_closed(True)
    assert card.id in {c.id for c in ops.closed_cards()}
    card.delete()
    refused(404, "The requested resource was not found.", client.get_card, card.id)
    refused(400, "invalid id", client.get_card, "no-such-card")


def test_members_of_a_card(client: Any) -> None:
    ops = board(client)
    card = column(client, "To Do").add_card("Somebody's")
    person, outsider = ops.all_members()[1], client.get_member("hmarsh")
    card.add_member(person)
    refused(400, "member is already on the card", card.add_member, person)
    refused(400, "invalid value for value", card.add_member, outsider)
    ops.add_member(outsider)
    card.assign(outsider.id)
    card.fetch()
    assert card.member_id == [person.id, outsider.id]
    card.remove_member(person)
    ops.remove_member(outsider)
    card.fetch()
    assert card.member_id == []


def test_comments_attachments_checklists(client: Any) -> None:
    card = column(client, "To Do").add_card("Full")
    said = card.comment("First")
    card.update_comment(said["id"], "Second")
    assert [c["data"]["text"] for c in card.get_comments()] == ["Second"]
    card.attach(name="Docs", url="https://docs.quaymark.example/x")
    card.attach(name="note.txt", mimeType="text/plain", file=b"content")
    attached = card.fetch_attachments(force=True)
    assert [(a["name"], a["isUpload"]) for a in attached] == [("Docs", False), ("note.txt", True)]
    assert client.http_service.get(attached[1]["url"]).content == b"content"
    card.remove_attachment(attached[0]["id"])
    checklist = card.add_checklist("Steps", ["One", "Two"], itemstates=[True, False])
    checklist.set_checklist_item("Two", True)
    checklist.add_checklist_item("Three")
    checklist.rename("Stages")
    found = client.get_card(card.id).checklists[0]
    assert found.name == "Stages"
    assert [(i["name"], i["checked"]) for i in found.items] == [("One", True), ("Two", True), ("Three", False)]
    checklist.delete_checklist_item("One")
    checklist.delete()
    card.delete_comment(said)
    card.fetch(eager=True)
    assert (card.badges["comments"], card.badges["checkItems"], card.badges["attachments"]) == (0, 0, 1)


def test_boards_and_lists_are_made_and_put_away(client: Any) -> None:
    made = client.add_board("From the SDK", default_lists=False)
    first, second = made.add_list("One"), made.add_list("Two", pos="bottom")
    assert [x.name for x in made.open_lists()] == ["One", "Two"]
    made.add_label("Odd", "lime")
    assert "Odd" in {x.name for x in made.get_labels()}
    for name in ("a", "b"):
        first.add_card(name)
    first.move_all_cards(second)
    assert [c.name for c in second.list_cards()] == ["a", "b"]
    second.archive_all_cards()
    assert second.list_cards() == []
    first.set_name("Uno")
    first.close()
    assert [x.name for x in made.closed_lists()] == ["Uno"]
    made.set_name("Renamed")
    made.close()
    refused(400, "board is closed", second.add_card, "late")
    made.open()
    made.delete()
    refused(404, "not found", client.get_board, made.id)


def test_search_stars_hooks_and_custom_fields(client: Any) -> None:
    found = client.search("renewal -is:archived", models="cards", cards_limit=5)
    assert found
    assert all("renewal" in f"{c.name} {c.desc}".lower() or c.id for c in found)
    refused(400, "invalid value for query: due:someday", client.search, "due:someday")
    ops = board(client)
    star = client.add_star(ops.id)
    assert [s.board_id for s in client.list_stars()] == [ops.id]
    client.delete_star(star)
    assert client.list_stars() == []
    hook = client.create_hook("https://hooks.quaymark.example/t", ops.id, desc="watch", token="t" * 64)
    assert [h.id for h in client.list_hooks(token="t" * 64)] == [hook.id]
    hook.delete()
    field = ops.add_custom_field_definition("Cost", "number", pos="bottom")
    card = column(client, "To Do").add_card("Priced")
    card.set_custom_field(12.5, field)
    assert [(f.name, f.value) for f in client.get_card(card.id).custom_fields] == [("Cost", 12.5)]


def test_errors_are_plain_text_and_batches_take_paths(client: Any) -> None:
    session = client.http_service
    reply = session.get("https://api.trello.com/1/cards/zzz", params={"key": "k", "token": "t"})
    assert (reply.status_code, reply.text, reply.headers["content-type"]) == (
        400,
        "invalid id",
        "text/plain; charset=utf-8",
    )
    ops = board(client)
    paths = f"/members/me?fields=username,fullName,/boards/{ops.id}/name,/cards/{'0' * 24}"
    reply = session.get("https://api.trello.com/1/batch", params={"urls": paths}).json()
    assert reply[0]["200"]["username"]
    assert reply[1] == {"200": {"_value": "Operations"}}
    assert reply[2] == {"name": "Error", "message": "The requested resource was not found.", "statusCode": 404}
