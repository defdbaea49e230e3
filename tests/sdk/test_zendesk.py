"""Zendesk with zenpy, unmodified: its own environment variables say where the account lies."""

import io
from datetime import UTC, datetime
from typing import Any

import pytest
from zenpy import Zenpy
from zenpy.lib.api_objects import (
    Comment,
    CustomField,
    Group,
    GroupMembership,
    Identity,
    Macro,
    Organization,
    OrganizationMembership,
    Ticket,
    TicketField,
    User,
    View,
)
from zenpy.lib.exception import (
    APIException,
    RecordNotFoundException,
    SearchResponseLimitExceeded,
    TooManyValuesException,
)

pytestmark = pytest.mark.sdk


@pytest.fixture
def zen(gateway: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of an account of its own."""
    scheme, _, place = gateway.episode(["zendesk"]).rest("zendesk").partition("://")
    monkeypatch.setenv("ZENPY_FORCE_SCHEME", scheme)
    monkeypatch.setenv("ZENPY_FORCE_NETLOC", place)
    return Zenpy(subdomain="quaymark", email="maya.chen@quaymark.example", token="token", disable_cache=True)


def refusal(caught: Any) -> dict[str, Any]:
    return caught.value.response.json()


def test_who_calls(zen: Any) -> None:
    me = zen.users.me()
    assert (me.name, me.email, me.role) == ("Maya Chen", "maya.chen@quaymark.example", "admin")
    assert [group.name for group in zen.users.groups(me)] == ["Billing"]
    assert zen.users.related(me).assigned_tickets == 0


def test_a_ticket_lives_from_creation_to_destruction(zen: Any) -> None:
    audit = zen.tickets.create(
        Ticket(
            subject="Printer on fire",
            comment=Comment(body="There is smoke."),
            requester=User(name="Sam Field", email="sam.field@meridianfreight.example"),
            priority="high",
            tags=["hardware"],
        )
    )
    ticket = audit.ticket
    assert (ticket.status, ticket.priority, ticket.requester.name) == ("new", "high", "Sam Field")
    assert ticket.requester.organization.name == "Meridian Freight", "the address's domain tells the organization"
    assert [e["type"] for e in audit.audit.events][:2] == ["Comment", "Create"]

    ticket.assignee_id = zen.users.me().id
    ticket.status = "solved"
    ticket.comment = Comment(body="It is out.", public=True)
    changed = zen.tickets.update(ticket).ticket
    assert (changed.status, changed.group.name) == ("solved", "Billing")
    assert [c.body for c in zen.tickets.comments(ticket)] == ["There is smoke.", "It is out."]
    assert zen.tickets.metrics(ticket).replies == 1
    assert [a.events[0]["type"] for a in zen.tickets.audits(ticket)] == ["Comment", "Comment"]

    zen.tickets.delete(ticket)
    with pytest.raises(RecordNotFoundException) as gone:
        zen.tickets(id=ticket.id)
    assert refusal(gone) == {"error": "RecordNotFound", "description": "Not found"}
    assert ticket.id in {t.id for t in zen.tickets.deleted()}
    zen.tickets.restore(ticket)
    assert zen.tickets(id=ticket.id).subject == "Printer on fire"
    zen.tickets.delete(ticket)
    job = zen.tickets.permanently_delete(ticket)
    assert zen.job_status(id=job.id).status == "completed"
    assert ticket.id not in {t.id for t in zen.tickets.deleted()}


def test_a_closed_ticket_takes_no_change(zen: Any) -> None:
    ticket = zen.tickets(id=4102)
    ticket.comment = Comment(body="One more thing")
    with pytest.raises(APIException) as refused:
        zen.tickets.update(ticket)
    assert refused.value.response.status_code == 422
    assert refusal(refused)["details"]["status"][0]["description"] == "Status: closed prevents ticket update"


def test_tickets_come_page_by_page_by_cursor_and_by_number(zen: Any) -> None:
    by_cursor = [t.id for t in zen.tickets(cursor_pagination=10)]
    assert len(by_cursor) == 94
    assert by_cursor == sorted(set(by_cursor))
    by_number = [t.id for t in zen.tickets(cursor_pagination=False)]
    assert by_number == by_cursor
    found = zen.tickets(cursor_pagination=False)
    assert len(found) == 94
    assert [t.id for t in found[20:23]] == by_cursor[20:23]
    users = [u.id for u in zen.users(cursor_pagination=25, role="end-user")]
    assert len(users) == len(set(users)) == 57


def test_search(zen: Any) -> None:
    found = zen.search(type="ticket", status_less_than="solved", sort_by="created_at", sort_order="asc")
    assert len(found) == 43
    dates = [t.created_at for t in found]
    assert dates == sorted(dates)
    assert zen.search.count("type:ticket status<solved") == 43
    since = datetime(2026, 2, 1, tzinfo=UTC)
    assert {t.id for t in zen.search(type="ticket", created_between=[since, datetime(2026, 2, 8, tzinfo=UTC)])} < {
        t.id for t in zen.search(type="ticket", created_after=since.date())
    }
    assert "Meridian Freight" in [o.name for o in zen.search("freight", type="organization")]
    exported = [t.id for t in zen.search_export(type="ticket", cursor_pagination=20)]
    assert len(exported) == len(set(exported)) == 94
    assert [u.email for u in zen.users.search(query="email:dana.whitfield@meridianfreight.example")] == [
        "dana.whitfield@meridianfreight.example"
    ]
    with pytest.raises(SearchResponseLimitExceeded):
        zen.search(nonsense="x")


def test_bulk_requests_answer_jobs(zen: Any) -> None:
    job = zen.tickets.create([Ticket(subject=f"Batch {n}", description="One of many") for n in range(4)])
    assert job.status == "queued"
    done = zen.job_status(id=job.id)
    assert done.status == "completed"
    made = list(zen.tickets(ids=[r.id for r in done.results]))
    assert {t.subject for t in made} == {f"Batch {n}" for n in range(4)}
    for ticket in made:
        ticket.priority = "low"
    results = zen.job_status(id=zen.tickets.update(made).id).results
    assert all(r.success for r in results)
    zen.tickets.delete(made)
    with pytest.raises(TooManyValuesException):
        zen.tickets.create([Ticket(subject="x", description="y")] * 101)


def test_merging(zen: Any) -> None:
    first, second = (zen.tickets.create(Ticket(subject=s, description=s)).ticket for s in ("Twin one", "Twin two"))
    assert zen.job_status(id=zen.tickets.merge(first, second).id).status == "completed"
    merged = zen.tickets(id=second.id)
    assert (merged.status, merged.tags) == ("closed", ["closed_by_merge"])
    assert "Twin two" in list(zen.tickets.comments(first))[-1].body


def test_tags_and_attachments(zen: Any) -> None:
    ticket = zen.tickets.create(Ticket(subject="Tagged", description="x", tags=["a"])).ticket
    for change, tags, left in (
        (zen.tickets.add_tags, ["b", "c"], ["a", "b", "c"]),
        (zen.tickets.delete_tags, ["a"], ["b", "c"]),
        (zen.tickets.set_tags, ["only"], ["only"]),
    ):
        change(ticket.id, tags)
        assert zen.tickets(id=ticket.id).tags == left
    upload = zen.attachments.upload(io.BytesIO(b"lines of a log"), target_name="crash.log", content_type="text/plain")
    ticket.comment = Comment(body="See the log", uploads=[upload.token])
    zen.tickets.update(ticket)
    attached = list(zen.tickets.comments(ticket))[-1].attachments
    assert [(a.file_name, a.size) for a in attached] == [("crash.log", 14)]


def test_users_and_their_addresses(zen: Any) -> None:
    user = zen.users.create(User(name="Ada Field", email="ada.field@example.com"))
    with pytest.raises(APIException) as taken:
        zen.users.create(User(name="Another", email="ADA.field@example.com"))
    assert refusal(taken)["details"]["email"][0]["error"] == "DuplicateValue"
    same = zen.users.create_or_update(User(name="Ada M. Field", email="ada.field@example.com"))
    assert (same.id, same.name) == (user.id, "Ada M. Field")
    identity = zen.users.identities.create(user, Identity(type="email", value="ada@field.example"))
    zen.users.identities.make_primary(user, identity)
    assert zen.users(id=user.id).email == "ada@field.example"
    assert len(list(zen.users.identities(id=user.id))) == 2
    other = zen.users.create(User(name="A. Field"))
    assert zen.users.merge(other, user).id == user.id
    zen.users.delete(user)
    assert zen.users(id=user.id).active is False


def test_users_by_ids_of_ones_own(zen: Any) -> None:
    user = zen.users.create(User(name="Kay Field", external_id="crm-7"))
    user.name = "Kay Q. Field"
    assert zen.job_status(id=zen.users.update_by_external_id([user]).id).results[0].success
    assert [u.name for u in zen.users(external_id="crm-7")] == ["Kay Q. Field"]
    zen.users.delete_by_external_id([user])
    assert zen.users(id=user.id).active is False


def test_organizations_and_groups(zen: Any) -> None:
    organization = zen.organizations.create(Organization(name="Fieldworks", domain_names=["fieldworks.example"]))
    user = zen.users.create(User(name="Kim Field", email="kim@fieldworks.example"))
    assert user.organization_id == organization.id
    assert [u.id for u in zen.organizations.users(organization)] == [user.id]
    with pytest.raises(APIException) as taken:
        zen.organizations.create(Organization(name="fieldworks"))
    assert refusal(taken)["details"]["name"][0]["error"] == "DuplicateValue"
    second = zen.organizations.create(Organization(name="Fieldworks North"))
    zen.organization_memberships.create(OrganizationMembership(user_id=user.id, organization_id=second.id))
    assert {o.name for o in zen.users.organizations(user)} == {"Fieldworks", "Fieldworks North"}
    organization.notes = "Friendly"
    assert zen.organizations.update(organization).notes == "Friendly"
    zen.organizations.delete(organization)

    group = zen.groups.create(Group(name="Night shift"))
    me = zen.users.me()
    membership = zen.group_memberships.create(GroupMembership(user_id=me.id, group_id=group.id))
    assert [u.id for u in zen.groups.users(group)] == [me.id]
    zen.group_memberships.delete(membership)
    zen.groups.delete(group)


def test_views_and_macros(zen: Any) -> None:
    conditions = [{"field": "status", "operator": "less_than", "value": "solved"}]
    view = zen.views.create(View(title="All that is open", all=conditions))
    assert zen.views.count(view).value == len(list(zen.views.tickets(view))) == 43
    assert zen.views.execute(view).id == view.id
    with pytest.raises(APIException) as refused:
        zen.views.create(View(title="Wrong", all=[{"field": "mood", "operator": "is", "value": "bad"}]))
    assert "Invalid field 'mood'" in refusal(refused)["details"]["base"][0]["description"]
    zen.views.delete(view)

    macro = zen.macros.create(
        Macro(
            title="Urgent now",
            actions=[{"field": "priority", "value": "urgent"}, {"field": "current_tags", "value": "vip"}],
        )
    )
    ticket = zen.tickets.create(Ticket(subject="Slow", description="Slow")).ticket
    effect = zen.tickets.show_macro_effect(ticket, macro)
    assert (effect.ticket.priority, effect.ticket.tags) == ("urgent", ["vip"])
    assert zen.tickets(id=ticket.id).priority is None, "nothing is saved"
    zen.tickets.update(effect.ticket)
    assert zen.tickets(id=ticket.id).priority == "urgent"


def test_custom_fields(zen: Any) -> None:
    options = [{"name": "Berlin", "value": "berlin"}, {"name": "Lyon", "value": "lyon"}]
    field = zen.ticket_fields.create(
        TicketField(type="tagger", title="Depot", custom_field_options=options, required=True)
    )
    ticket = zen.tickets.create(Ticket(subject="Where", description="Where")).ticket
    ticket.custom_fields = [CustomField(id=field.id, value="berlin")]
    changed = zen.tickets.update(ticket).ticket
    assert changed.tags == ["berlin"]
    ticket = zen.tickets(id=ticket.id)
    ticket.custom_fields = [CustomField(id=field.id, value="paris")]
    with pytest.raises(APIException) as refused:
        zen.tickets.update(ticket)
    assert refusal(refused)["details"]["base"][0]["ticket_field_id"] == field.id
    assert field.id in {f.id for f in zen.ticket_fields()}


def test_requests_exports_and_the_rest(zen: Any) -> None:
    assert len(list(zen.requests())) == 0
    zen.tickets.create(Ticket(subject="Mine", description="Mine"))
    mine = list(zen.requests())
    assert [r.subject for r in mine] == ["Mine"]
    assert [c.body for c in zen.requests.comments(mine[0].id)] == ["Mine"]
    assert len({t.id for t in zen.tickets.incremental(start_time=1_500_000_000, paginate_by_time=False)}) == 95
    assert len({t.id for t in zen.tickets.incremental(start_time=1_500_000_000, paginate_by_time=True)}) == 95
    assert len(list(zen.triggers())) == 7
    assert len(list(zen.automations())) == 1
    assert [b.name for b in zen.brands()] == ["Quaymark"]
    assert list(zen.satisfaction_ratings()) == []
    assert {t.name for t in zen.tags()} >= {"billing", "invoice"}
