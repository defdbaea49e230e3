"""Intercom with its own client, python-intercom, unmodified: only its base URL is ours."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from intercom import Intercom
from intercom.conversations import (
    ConversationsManageRequestBody_Assignment,
    ConversationsManageRequestBody_Close,
    ConversationsManageRequestBody_Open,
    ConversationsManageRequestBody_Snoozed,
)
from intercom.conversations.types import (
    AttachContactToConversationRequestCustomerIntercomUserId,
    CreateConversationRequestFrom,
)
from intercom.core.api_error import ApiError
from intercom.errors import BadRequestError, NotFoundError, UnprocessableEntityError
from intercom.types import (
    AdminReplyConversationRequest,
    AdminReplyTicketRequest,
    ContactReplyIntercomUserIdRequest,
    CreateContactRequestWithEmail,
    CreateContactRequestWithRole,
    CreateDataEventRequestWithId,
    CreateMessageRequest_Inapp,
    CreateMessageRequestFrom,
    CreateMessageRequestTo,
    CreateTicketRequestContactsItemId,
    MultipleFilterSearchRequest,
    RedactConversationRequest_ConversationPart,
    SingleFilterSearchRequest,
    StartingAfterPaging,
)

pytestmark = pytest.mark.sdk


@pytest.fixture
def client(gateway: Any) -> Iterator[Any]:
    with httpx.Client(timeout=60) as http:
        yield Intercom(token="token", base_url=gateway.episode(["intercom"]).rest("intercom"), httpx_client=http)


def refusal(caught: Any) -> dict[str, Any]:
    """The first error of a refused call; the client makes a model of some bodies."""
    body = caught.value.body
    found = body if isinstance(body, dict) else body.model_dump()
    return found["errors"][0]


def by(field: str, operator: str, value: Any) -> SingleFilterSearchRequest:
    return SingleFilterSearchRequest(field=field, operator=operator, value=value)


def walk(search: Any, query: Any, size: int) -> list[str]:
    """The ids of all that a search finds, page by page. The client's own pager of searches asks for the first page for ever."""
    out, after = list[str](), None
    for _ in range(20):
        page = search(query=query, pagination=StartingAfterPaging(per_page=size, starting_after=after))
        out += [row.id for row in page.items]
        if page.response.pages.next is None:
            break
        after = page.response.pages.next.starting_after
    assert len(out) > size
    return out


def person(client: Any, name: str) -> Any:
    [found] = client.contacts.search(query=by("name", "=", name)).items
    return found


def test_who_calls_and_with_whom(client: Any) -> None:
    me = client.admins.identify()
    assert (me.name, me.email, me.app.name) == ("Maya Chen", "maya.chen@quaymark.example", "Quaymark")
    admins = client.admins.list().admins
    assert len(admins) > 60
    away = client.admins.away(int(me.id), away_mode_enabled=True, away_mode_reassign=False)
    assert away.away_mode_enabled is True
    assert client.admins.find(int(me.id)).away_mode_enabled is True
    teams = client.teams.list().teams
    assert client.teams.find(teams[0].id).name == "First line"
    with pytest.raises(NotFoundError) as missing:
        client.admins.find(1)
    assert refusal(missing)["code"] == "admin_not_found"


def test_contacts_live_and_merge(client: Any) -> None:
    lead = client.contacts.create(request=CreateContactRequestWithRole(role="lead", name="Sam Field"))
    user = client.contacts.create(request=CreateContactRequestWithEmail(email="sam@field.example", name="Sam Field"))
    assert (lead.role, user.role) == ("lead", "user")
    with pytest.raises(ApiError) as twice:
        client.contacts.create(request=CreateContactRequestWithEmail(email="sam@field.example"))
    assert twice.value.status_code == 409
    assert user.id in refusal(twice)["message"]
    assert (
        client.contacts.update(user.id, phone="+44 20", custom_attributes={"time_zone": "Europe/London"}).phone
        == "+44 20"
    )
    note = client.notes.create(lead.id, body="Met at the fair")
    merged = client.contacts.merge_lead_in_user(lead_id=lead.id, contact_id=user.id)
    assert merged.notes.total_count == 1
    assert client.notes.find(int(note.id)).contact.id == user.id
    with pytest.raises(ApiError) as merged_away:
        client.contacts.find(lead.id)
    assert (merged_away.value.status_code, refusal(merged_away)["message"]) == (404, "User Not Found")
    client.events.create(
        request=CreateDataEventRequestWithId(id=user.id, event_name="placed-order", created_at=1772440000)
    )
    [event] = client.events.list(type="user", intercom_user_id=user.id).events
    assert event.model_dump()["event_name"] == "placed-order"
    tag = client.tags.list().data[0]
    assert client.tags.tag_contact(user.id, tag_id=tag.id).name == tag.name
    assert [t.id for t in client.contacts.list_attached_tags(user.id).data] == [tag.id]
    client.tags.untag_contact(user.id, tag.id)
    firm = next(iter(client.companies.list(per_page=5)))
    assert client.companies.attach_contact(user.id, company_id=firm.id).id == firm.id
    assert user.id in [c.id for c in client.companies.list_attached_contacts(firm.id).data]
    client.companies.detach_contact(user.id, firm.id)
    assert client.contacts.archive(user.id).archived is True
    assert client.contacts.unarchive(user.id).archived is False
    assert client.contacts.delete(user.id).deleted is True


def test_pages_lead_through_all_contacts_and_companies(client: Any) -> None:
    listed = client.contacts.list(per_page=20)
    total = listed.response.total_count
    assert total > 40
    assert len({c.id for c in listed}) == total
    query = MultipleFilterSearchRequest(
        operator="AND",
        value=[
            MultipleFilterSearchRequest(operator="OR", value=[by("role", "=", "user"), by("role", "=", "lead")]),
            MultipleFilterSearchRequest(operator="AND", value=[by("email", "~", "@")]),
        ],
    )
    assert len(set(found := walk(client.contacts.search, query, 15))) == len(found) == total
    companies = [c.id for c in client.companies.list(per_page=15)]
    assert len(companies) == len(set(companies)) > 20
    scrolled = [c.id for c in client.companies.scroll()]
    assert set(scrolled) > set(companies)  # lists leave out those without people


def test_a_conversation_from_first_word_to_ticket(client: Any) -> None:
    me, dana = client.admins.identify(), person(client, "Akira Mori")
    begun = client.conversations.create(
        from_=CreateConversationRequestFrom(type="user", id=dana.id), body="Where is my invoice?"
    )
    key = begun.conversation_id
    said = client.conversations.reply(
        key, request=AdminReplyConversationRequest(message_type="comment", admin_id=me.id, body="I am looking.")
    )
    assert [p.part_type for p in said.conversation_parts.conversation_parts] == ["comment"]
    other = next(a for a in client.admins.list().admins if a.id != me.id)
    client.conversations.manage(
        key, request=ConversationsManageRequestBody_Assignment(type="admin", admin_id=me.id, assignee_id=other.id)
    )
    snoozed = client.conversations.manage(
        key, request=ConversationsManageRequestBody_Snoozed(admin_id=me.id, snoozed_until=1_900_000_000)
    )
    assert (snoozed.state, snoozed.snoozed_until) == ("snoozed", 1_900_000_000)
    again = client.conversations.reply(
        key,
        request=ContactReplyIntercomUserIdRequest(
            message_type="comment", type="user", intercom_user_id=dana.id, body="Any news?"
        ),
    )
    assert (again.state, again.admin_assignee_id) == ("open", int(other.id))
    closed = client.conversations.manage(key, request=ConversationsManageRequestBody_Close(admin_id=me.id, body="Bye"))
    assert closed.state == "closed"
    client.conversations.manage(key, request=ConversationsManageRequestBody_Open(admin_id=me.id))
    part = again.conversation_parts.conversation_parts[-1]
    redacted = client.conversations.redact_conversation_part(
        request=RedactConversationRequest_ConversationPart(conversation_id=key, conversation_part_id=part.id)
    )
    assert redacted.conversation_parts.conversation_parts[-3].redacted is True
    updated = client.conversations.update(key, read=True, title="Invoice")
    assert (updated.title, updated.read) == ("Invoice", True)
    finn = next(c for c in client.contacts.list() if c.id != dana.id)
    client.conversations.attach_contact_as_admin(
        key, admin_id=me.id, customer=AttachContactToConversationRequestCustomerIntercomUserId(intercom_user_id=finn.id)
    )
    client.conversations.detach_contact_as_admin(key, finn.id, admin_id=me.id)
    with pytest.raises(UnprocessableEntityError) as last:
        client.conversations.detach_contact_as_admin(key, dana.id, admin_id=me.id)
    assert refusal(last)["message"] == "Removing the last customer is not allowed"
    tag = client.tags.list().data[0]
    client.tags.tag_conversation(key, tag_id=tag.id, admin_id=me.id)
    client.tags.untag_conversation(key, tag.id, admin_id=me.id)
    kind = next(t for t in client.ticket_types.list().data if t.category == "Customer")
    with pytest.raises(BadRequestError) as lacking:
        client.conversations.convert_to_ticket(int(key), ticket_type_id=kind.id)
    assert "Missing required ticket attributes" in refusal(lacking)["message"]
    ticket = client.conversations.convert_to_ticket(
        int(key), ticket_type_id=kind.id, attributes={"_default_title_": "Invoice"}
    )
    assert (ticket.id, ticket.ticket_state.category) == (key, "submitted")
    assert client.conversations.find(key, display_as="plaintext").source.body == "Where is my invoice?"


def test_tickets(client: Any) -> None:
    me, who = client.admins.identify(), person(client, "Akira Mori")
    kind = next(t for t in client.ticket_types.list().data if t.category == "Customer")
    made = client.tickets.create(
        ticket_type_id=kind.id, contacts=[CreateTicketRequestContactsItemId(id=who.id)],
        request_options={"additional_body_parameters": {"ticket_attributes": {"_default_title_": "Broken", "Priority": "High"}}},
    )  # fmt: skip
    assert made.ticket_attributes["Priority"] == "High"
    states = {s.internal_label: s.id for s in client.ticket_states.list_ticket_states().data}
    changed = client.tickets.update(
        made.id, ticket_state_id=states["In progress"], admin_id=int(me.id), assignee_id=me.id
    )
    assert (changed.ticket_state.category, changed.admin_assignee_id) == ("in_progress", me.id)
    note = client.tickets.reply(
        made.id, request=AdminReplyTicketRequest(message_type="note", type="admin", admin_id=me.id, body="Seen")
    )
    assert (note.part_type, note.body) == ("note", "<p>Seen</p>")
    with pytest.raises(BadRequestError) as wrong:
        client.tickets.update(made.id, ticket_state_id="1")
    assert refusal(wrong)["code"] == "ticket_state_id_invalid"
    ids = walk(client.tickets.search, by("open", "=", True), 10)
    assert len(ids) == len(set(ids)) > 20
    assert made.id in ids
    assert client.tickets.get(made.id).ticket_parts.total_count == 4
    assert client.tickets.delete_ticket(made.id).deleted is True


def test_messages_and_the_help_center(client: Any) -> None:
    me, who = client.admins.identify(), person(client, "Akira Mori")
    sent = client.messages.create(
        request=CreateMessageRequest_Inapp(
            body="heyy", from_=CreateMessageRequestFrom(id=int(me.id)), to=CreateMessageRequestTo(type="user", id=who.id),
            create_conversation_without_contact_reply=True,
        )
    )  # fmt: skip
    assert client.conversations.find(sent.conversation_id).source.delivered_as == "admin_initiated"
    home = client.help_centers.collections.create(name="Guides")
    made = client.articles.create(
        request={
            "title": "Exports",
            "author_id": int(me.id),
            "state": "published",
            "parent_id": int(home.id),
            "parent_type": "collection",
        }
    )
    assert client.articles.update(int(made.id), body="<p>How to export.</p>").body == "<p>How to export.</p>"
    assert [a.id for a in client.articles.search(phrase="export").data.articles] == [made.id]
    assert [a.id for a in client.articles.list(per_page=1)] == [made.id]
    assert client.articles.delete(int(made.id)).deleted is True
    with pytest.raises(NotFoundError) as gone:
        client.articles.find(int(made.id))
    assert refusal(gone)["message"] == "Resource Not Found"
