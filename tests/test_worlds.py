"""Worlds: what is shipped is whole and coherent, and what is broken is refused with its file and line."""

import os
import re
import shutil
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from legoenv_mcp.capabilities import (
    Entity,
    accounting,
    calendar,
    chat,
    crm,
    database,
    dev_repo,
    docs_notes,
    ecommerce,
    email,
    file_storage,
    helpdesk,
    hr,
    marketing_email,
    payments,
    project_tracking,
    scheduling,
    sms_voice,
    spreadsheet,
)
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.worlds import World, WorldError, atoms_folders, load, worlds

MINIMUM: dict[type[Entity], int] = {
    Person: 64, crm.Company: 44, crm.Contact: 90, crm.Lead: 25, crm.Deal: 56, crm.Activity: 40, chat.Channel: 30,
    chat.Message: 330, email.Message: 310, payments.Customer: 30, payments.Product: 8, payments.Subscription: 26,
    payments.Invoice: 90, payments.Payment: 85, dev_repo.Repository: 5, dev_repo.Issue: 70, dev_repo.PullRequest: 30,
    dev_repo.Release: 5, dev_repo.Run: 15, file_storage.File: 60,
    calendar.Calendar: 14, calendar.Event: 140, helpdesk.Requester: 34, helpdesk.Queue: 5, helpdesk.Ticket: 85,
    project_tracking.Project: 6, project_tracking.Task: 130, docs_notes.Document: 60, spreadsheet.Workbook: 8,
    spreadsheet.Table: 18, database.DataTable: 15, accounting.Customer: 33, accounting.Vendor: 22, accounting.Item: 8,
    accounting.Invoice: 85, accounting.Bill: 45, ecommerce.Product: 22, ecommerce.Shopper: 40, ecommerce.Order: 70,
    marketing_email.Audience: 4, marketing_email.Subscriber: 160, marketing_email.Campaign: 14,
    sms_voice.PhoneNumber: 4, sms_voice.TextMessage: 60, sms_voice.Call: 40, hr.Employment: 72, hr.TimeOff: 40,
    scheduling.MeetingType: 8, scheduling.Booking: 40,
}  # fmt: skip


@pytest.fixture(scope="module")
def quaymark() -> World:
    return load("quaymark")


@pytest.fixture(scope="module", params=["quaymark", "larkfell", "tarrowlisle"])
def world(request: pytest.FixtureRequest) -> World:
    return load(request.param)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A writable copy of the world that hides the shipped one."""
    source = next(info.folder for info in worlds() if info.id == "quaymark")
    folder = tmp_path / "worlds" / "quaymark"
    shutil.copytree(source, folder)
    monkeypatch.setenv("LEGOENV_ATOMS", os.pathsep.join(["", str(tmp_path)]))
    return folder


def test_all_worlds_load_and_name_themselves() -> None:
    assert [info.id for info in worlds()] == ["empty", "larkfell", "quaymark", "tarrowlisle"]
    for info in worlds():
        loaded = load(info.id)
        assert loaded.agent.key == info.agent
        assert loaded.agent.email.endswith(f"@{info.domain}")
        assert loaded.agent.active


def test_a_fresh_account_is_the_agent_alone() -> None:
    empty = load("empty")
    assert [person.key for person in empty.entities(Person)] == ["robin.avery"]
    assert [one.owner for one in empty.entities(calendar.Calendar) if one.primary] == ["robin.avery"]
    assert not any(empty.entities(kind) for kind in MINIMUM if kind not in {Person, calendar.Calendar})


def test_loading_again_gives_the_same(quaymark: World) -> None:
    again = load("quaymark")
    assert again.hash == quaymark.hash
    assert again.entities(email.Message) == quaymark.entities(email.Message)


@pytest.mark.parametrize("kind", MINIMUM, ids=lambda kind: f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}")
def test_the_world_is_large_enough(quaymark: World, kind: type[Entity]) -> None:
    assert len(quaymark.entities(kind)) >= MINIMUM[kind]


def test_every_kind_is_in_the_smaller_worlds_too() -> None:
    larkfell, tarrowlisle = load("larkfell"), load("tarrowlisle")
    for kind, minimum in MINIMUM.items():
        assert larkfell.entities(kind), kind
        assert len(tarrowlisle.entities(kind)) >= minimum // 2, kind


@pytest.mark.parametrize("world_id", ["quaymark", "tarrowlisle"])
def test_every_stage_status_and_box_occurs(world_id: str) -> None:
    world = load(world_id)
    assert {deal.stage for deal in world.entities(crm.Deal)} == {
        "prospecting", "qualification", "proposal", "negotiation", "won", "lost"
    }  # fmt: skip
    assert {invoice.status for invoice in world.entities(payments.Invoice)} == {
        "draft", "open", "paid", "void", "uncollectible"
    }  # fmt: skip
    assert {payment.status for payment in world.entities(payments.Payment)} == {"succeeded", "failed", "pending"}
    assert {message.box for message in world.entities(email.Message)} == {
        "inbox", "sent", "archive", "drafts", "trash", "spam"
    }  # fmt: skip
    assert {pull.state for pull in world.entities(dev_repo.PullRequest)} == {"open", "closed", "merged"}
    assert {ticket.status for ticket in world.entities(helpdesk.Ticket)} == {
        "new", "open", "pending", "solved", "closed"
    }  # fmt: skip
    assert {task.status for task in world.entities(project_tracking.Task)} == {
        "todo", "in_progress", "in_review", "done"
    }  # fmt: skip
    assert {event.status for event in world.entities(calendar.Event)} == {"confirmed", "tentative", "cancelled"}
    assert {one.status for one in world.entities(marketing_email.Campaign)} == {"draft", "scheduled", "sent"}
    assert {off.status for off in world.entities(hr.TimeOff)} == {"requested", "approved", "denied", "canceled"}
    assert {call.status for call in world.entities(sms_voice.Call)} == {
        "completed", "busy", "no_answer", "failed", "in_progress"
    }  # fmt: skip


def test_parents_come_before_children(world: World) -> None:
    trees: tuple[tuple[type[Entity], str], ...] = (
        (Person, "manager"), (chat.Message, "thread"), (email.Message, "in_reply_to"),
        (project_tracking.Task, "parent"), (docs_notes.Document, "parent"),
    )  # fmt: skip
    for kind, parent in trees:
        seen: set[str] = set()
        for entity in world.entities(kind):
            assert not (key := getattr(entity, parent)) or key in seen, f"{entity.key} before {key}"
            seen.add(entity.key)
    seen = set()
    for folder in world.entities(file_storage.Folder):
        assert "/" not in folder.path or folder.path.rpartition("/")[0] in seen
        seen.add(folder.path)


def test_who_pays_is_a_customer_account(world: World) -> None:
    accounts = {account.key: account for account in world.entities(crm.Company)}
    addresses = {contact.email: contact.company for contact in world.entities(crm.Contact)}
    payers = world.entities(payments.Customer)
    for payer in payers:
        assert accounts[payer.company].kind in {"customer", "former_customer"}
        assert addresses[payer.email] == payer.company
    assert {payer.company for payer in payers} == {
        account.key for account in accounts.values() if account.kind in {"customer", "former_customer"}
    }


def test_won_deals_are_customers_with_a_subscription_and_invoices(world: World) -> None:
    accounts = {account.key: account for account in world.entities(crm.Company)}
    subscribed = {subscription.customer for subscription in world.entities(payments.Subscription)}
    invoiced = {invoice.customer for invoice in world.entities(payments.Invoice)}
    for deal in world.entities(crm.Deal):
        if deal.stage in {"won", "lost"}:
            assert deal.close_date < world.clock
        else:
            assert deal.close_date > world.clock[:10]
        if deal.stage == "won":
            assert accounts[deal.company].kind == "customer"
            assert {f"cus-{deal.company}"} <= subscribed & invoiced


def test_amounts_add_up(world: World) -> None:
    prices = {price.key: price for price in world.entities(payments.Price)}
    received: Counter[str] = Counter()
    for payment in world.entities(payments.Payment):
        assert payment.refunded <= payment.amount
        if payment.status == "succeeded":
            received[payment.invoice] += payment.amount
    payers = {payer.key: payer for payer in world.entities(payments.Customer)}
    for invoice in world.entities(payments.Invoice):
        assert invoice.lines
        assert invoice.currency == payers[invoice.customer].currency
        for line in invoice.lines:
            price = prices[line.price]
            assert (line.amount, invoice.currency) == (line.quantity * price.amount, price.currency)
        assert received[invoice.key] == (invoice.total if invoice.status == "paid" else 0), invoice.key
        assert bool(invoice.paid) == (invoice.status == "paid")


def test_deal_amounts_are_list_prices(world: World) -> None:
    prices = {(price.nickname): price for price in world.entities(payments.Price)}
    for deal in world.entities(crm.Deal):
        total = 0
        for item in deal.description.partition(". Lost: ")[0].split(" + "):
            quantity, nickname = item.split(" x ")
            price = prices[nickname]
            assert price.currency == deal.currency.lower()
            total += int(quantity) * price.amount * (12 if price.interval == "month" else 1)
        assert deal.amount * 100 == total, deal.key


def test_owners_sell_and_authors_are_members(world: World) -> None:
    people = {person.key: person for person in world.entities(Person)}
    for account in world.entities(crm.Company):
        assert people[account.owner].department.endswith("Sales")
    channels = {channel.key: channel for channel in world.entities(chat.Channel)}
    for message in world.entities(chat.Message):
        assert message.author in channels[message.channel].members, message.key


def test_what_texts_mention_exists(world: World) -> None:
    numbers = {invoice.number for invoice in world.entities(payments.Invoice)}
    numbers |= {bill.number for bill in world.entities(accounting.Bill)}
    issues = {(x.repo, x.number) for kind in (dev_repo.Issue, dev_repo.PullRequest) for x in world.entities(kind)}
    texts = [message.body for message in world.entities(email.Message)]
    texts += [message.text for message in world.entities(chat.Message)]
    texts += [file.content for file in world.entities(file_storage.File)]
    texts += [page.body for page in world.entities(docs_notes.Document)]
    texts += [message.body for ticket in world.entities(helpdesk.Ticket) for message in ticket.messages]
    for task in world.entities(project_tracking.Task):
        texts += [task.title, task.body, *(comment.body for comment in task.comments)]
    text = "\n".join(texts)
    assert set(re.findall(r"\b[A-Z]{2}-\d{4}-\d{3,4}\b", text)) <= numbers
    repositories = "|".join(repository.name for repository in world.entities(dev_repo.Repository))
    named = re.findall(rf"({repositories}) (?:issue )?#?(\d+)", text)
    assert len(named) > 5
    assert {(repo, int(number)) for repo, number in named} <= issues


def test_customers_mails_come_from_their_contacts(world: World) -> None:
    domains = {account.domain for account in world.entities(crm.Company)}
    contacts = {contact.email for contact in world.entities(crm.Contact)}
    for message in world.entities(email.Message):
        for address in re.findall(r"[\w.-]+@[\w.-]+", " ".join([message.sender, *message.to, *message.cc])):
            assert address.partition("@")[2] not in domains or address in contacts, (message.key, address)


def test_commits_make_the_tree(world: World) -> None:
    for repository in world.entities(dev_repo.Repository):
        made: dict[str, str | None] = {}
        for commit in world.entities(dev_repo.Commit):
            if commit.repo == repository.key and commit.branch == repository.default_branch:
                made |= {change.path: change.content for change in commit.changes}
        tree = world.info.folder / "repos" / repository.key / "tree"
        files = {path.relative_to(tree).as_posix(): path.read_text() for path in tree.rglob("*") if path.is_file()}
        assert {path: content for path, content in made.items() if content is not None} == files


def test_open_pull_requests_have_a_branch_and_merged_ones_a_commit(world: World) -> None:
    commits = world.entities(dev_repo.Commit)
    branches = {(commit.repo, commit.branch) for commit in commits}
    for pull in world.entities(dev_repo.PullRequest):
        if pull.state == "open":
            assert (pull.repo, pull.head) in branches, pull.key
        if pull.state == "merged":
            merge = [c for c in commits if c.repo == pull.repo and c.message.endswith(f"(#{pull.number})")]
            assert [(c.branch, c.at) for c in merge] == [(pull.base, pull.closed)], pull.key


def test_calendars_hold_what_people_answered(world: World) -> None:
    calendars = {one.key: one for one in world.entities(calendar.Calendar)}
    assert [one.key for one in calendars.values() if one.primary and one.owner == world.agent.key] == [world.agent.key]
    known = {person.email for person in world.entities(Person)}
    known |= {contact.email for contact in world.entities(crm.Contact)}
    known |= {f"{name}@{world.domain}" for name in world.info.mailboxes}
    known |= {vendor.email for vendor in world.entities(accounting.Vendor)}
    responses: set[str] = set()
    for event in world.entities(calendar.Event):
        assert event.calendar in calendars
        assert {attendee.email for attendee in event.attendees} | {event.organizer} <= known, event.key
        assert event.created <= world.clock
        responses |= {attendee.response for attendee in event.attendees}
        if event.time_zone and "T" in event.start:
            at = datetime.fromisoformat(event.start)
            assert at.utcoffset() == at.astimezone(ZoneInfo(event.time_zone)).utcoffset(), event.key
    assert responses == {"accepted", "declined", "tentative", "needs_action"}


def test_recurrences_begin_with_their_event_and_leave_out_what_would_be(world: World) -> None:
    recurring = [event for event in world.entities(calendar.Event) if event.recurrence]
    assert len(recurring) >= 5
    for event in recurring:
        start = datetime.fromisoformat(event.start).replace(tzinfo=None)
        rule = dict(part.split("=") for part in event.recurrence[0].removeprefix("RRULE:").split(";"))
        days = set(re.findall("[A-Z]{2}", rule.get("BYDAY", f"{start:%a}".upper()[:2])))
        for day in (start, *map(datetime.fromisoformat, re.findall(r"\d{8}T\d{6}", " ".join(event.recurrence[1:])))):
            assert f"{day:%a}".upper()[:2] in days, event.key
            assert (day.time(), day >= start) == (start.time(), True), event.key


def test_recurrences_can_be_expanded(world: World) -> None:
    rule = pytest.importorskip("dateutil.rrule")
    recurring = [event for event in world.entities(calendar.Event) if event.recurrence]
    assert any("EXDATE" in line for event in recurring for line in event.recurrence)
    for event in recurring:
        start = datetime.fromisoformat(event.start).replace(tzinfo=None)
        end = start + timedelta(days=90)
        lines = [re.sub(r"^(EXDATE);TZID=[^:]+", r"\1", line) for line in event.recurrence]
        lines = [re.sub(r"UNTIL=(\w+)Z", r"UNTIL=\1", line) for line in lines]
        dates = rule.rrulestr("\n".join(lines), dtstart=start, forceset=True)
        found = dates.between(start, end, inc=True)
        assert found[0] == start, event.key
        for day in re.findall(r"\d{8}T\d{6}", "".join(line for line in lines if line.startswith("EXDATE"))):
            assert datetime.fromisoformat(day) not in found
            bare = rule.rrulestr(lines[0], dtstart=start)
            assert datetime.fromisoformat(day) in bare, f"{event.key}: nothing to leave out on {day}"


def test_tickets_come_from_customers_and_are_answered_by_their_queue(world: World) -> None:
    accounts = {account.key: account for account in world.entities(crm.Company)}
    contacts = {contact.email: contact for contact in world.entities(crm.Contact)}
    people = {person.key for person in world.entities(Person)}
    requesters = {one.key: one for one in world.entities(helpdesk.Requester)}
    assert not people & set(requesters)
    for one in requesters.values():
        assert contacts[one.email].company == one.company
        assert accounts[one.company].kind in {"customer", "former_customer"}
    queues = {queue.key: queue for queue in world.entities(helpdesk.Queue)}
    for ticket in world.entities(helpdesk.Ticket):
        assert ticket.messages[0].author == ticket.requester
        assert not ticket.messages[0].note
        assert not ticket.assignee or ticket.assignee in queues[ticket.queue].members, ticket.key
        assert bool(ticket.assignee) == (ticket.status != "new"), ticket.key
        assert ticket.status not in {"solved", "closed"} or len(ticket.messages) > 1


def test_tasks_are_worked_on_by_members_of_their_project(world: World) -> None:
    projects = {project.key: project for project in world.entities(project_tracking.Project)}
    tasks = {task.key: task for task in world.entities(project_tracking.Task)}
    for task in tasks.values():
        assert task.assignee in projects[task.project].members, task.key
        assert not task.parent or tasks[task.parent].project == task.project
        assert not task.done or task.created <= task.done
        assert [c.at for c in task.comments] == sorted(c.at for c in task.comments), task.key
        assert all(task.created <= comment.at for comment in task.comments), task.key
    for project in projects.values():
        numbers = sorted(task.number for task in tasks.values() if task.project == project.key)
        assert numbers == list(range(1, len(numbers) + 1))


def test_the_books_are_the_payments(world: World) -> None:
    payers = {payer.key: payer for payer in world.entities(payments.Customer)}
    customers = {customer.key: customer for customer in world.entities(accounting.Customer)}
    assert {c.company for c in customers.values()} == {p.company for p in payers.values()}
    items = {item.name for item in world.entities(accounting.Item)}
    assert {product.name for product in world.entities(payments.Product)} <= items
    booked = {invoice.number: invoice for invoice in world.entities(accounting.Invoice)}
    sent = {i.number: i for i in world.entities(payments.Invoice) if i.status != "draft"}
    assert booked.keys() == sent.keys()
    for number, invoice in sent.items():
        book = booked[number]
        assert customers[book.customer].company == payers[invoice.customer].company
        assert (book.currency, book.issued, book.due, book.paid_on) == (
            invoice.currency.upper(), invoice.issued, invoice.due, invoice.paid
        )  # fmt: skip
        assert [round(line.amount * 100) for line in book.lines] == [line.amount for line in invoice.lines]
        assert round(book.paid * 100) == (invoice.total if invoice.status == "paid" else 0)
        assert book.void == (invoice.status == "void")


def test_bills_are_paid_in_full_or_open(world: World) -> None:
    currencies = {vendor.key: vendor.currency for vendor in world.entities(accounting.Vendor)}
    for bill in world.entities(accounting.Bill):
        assert bill.lines
        assert bill.currency == currencies[bill.vendor]
        assert bill.paid in {0, round(sum(line.amount for line in bill.lines), 2)}, bill.key
        assert bool(bill.paid) == bool(bill.paid_on)


def test_orders_are_of_what_the_shop_sells(world: World) -> None:
    products = {v.sku: product for product in world.entities(ecommerce.Product) for v in product.variants}
    prices = {v.sku: v.price for product in products.values() for v in product.variants}
    shoppers = {shopper.key: shopper for shopper in world.entities(ecommerce.Shopper)}
    orders = sorted(world.entities(ecommerce.Order), key=lambda order: order.number)
    assert [order.created for order in orders] == sorted(order.created for order in orders)
    for order in orders:
        assert shoppers[order.shopper].created <= order.created
        for line in order.lines:
            assert line.price == prices[line.sku]
            assert products[line.sku].created <= order.created, (order.key, line.sku)
            assert 0 <= line.shipped <= line.quantity
            assert 0 <= line.refunded <= line.quantity
        assert not order.cancelled or not any(line.shipped for line in order.lines)
        assert not order.cancelled or order.created < order.cancelled < world.clock, order.key
        assert bool(order.tracking) == bool(order.carrier) == any(line.shipped for line in order.lines), order.key
    assert {order.paid for order in orders} == {True, False}


def test_campaign_counts_add_up(world: World) -> None:
    members: dict[str, list[marketing_email.Subscriber]] = defaultdict(list)
    for one in world.entities(marketing_email.Subscriber):
        members[one.audience].append(one)
    for campaign in world.entities(marketing_email.Campaign):
        counts = (campaign.sent, campaign.opened, campaign.clicked, campaign.bounced, campaign.unsubscribed)
        if campaign.status != "sent":
            assert not any(counts)
            assert (campaign.at > world.clock) if campaign.status == "scheduled" else not campaign.at
            continue
        assert campaign.created <= campaign.at <= world.clock
        assert campaign.clicked <= campaign.opened <= campaign.sent - campaign.bounced
        assert campaign.unsubscribed <= campaign.opened
        assert 0 < campaign.sent <= sum(one.created < campaign.at for one in members[campaign.audience])


def test_nobody_writes_to_do_not_contact(world: World) -> None:
    silent = {contact.email for contact in world.entities(crm.Contact) if contact.do_not_contact}
    assert silent
    for one in world.entities(marketing_email.Subscriber):
        assert one.email not in silent or one.status in {"unsubscribed", "cleaned"}
    assert not silent & {booking.invitee_email for booking in world.entities(scheduling.Booking)}
    assert not silent & {attendee.email for event in world.entities(calendar.Event) for attendee in event.attendees}


def test_everybody_is_employed_in_their_countrys_currency(world: World) -> None:
    money = {"GB": "GBP", "US": "USD", "NL": "EUR", "PT": "EUR", "FR": "EUR", "CA": "CAD", "SG": "SGD", "IN": "INR"}
    people = {person.key: person for person in world.entities(Person)}
    employed = {one.person: one for one in world.entities(hr.Employment)}
    assert employed.keys() == people.keys()
    for key, one in employed.items():
        assert one.currency == money[people[key].country]
        assert int(people[key].start_date[:4]) - int(one.born[:4]) >= 18
        assert bool(one.terminated) == (not people[key].active)
    numbers = sorted(employed.values(), key=lambda one: one.number)
    assert [people[o.person].start_date for o in numbers] == sorted(p.start_date for p in people.values())
    for off in world.entities(hr.TimeOff):
        assert off.first_day <= off.last_day
        assert people[off.person].active or off.last_day < employed[off.person].terminated


def test_bookings_are_of_leads_contacts_and_candidates(world: World) -> None:
    kinds = {kind.key: kind for kind in world.entities(scheduling.MeetingType)}
    known = {contact.email for contact in world.entities(crm.Contact)}
    known |= {lead.email for lead in world.entities(crm.Lead)}
    known |= {shopper.email for shopper in world.entities(ecommerce.Shopper)}
    for booking in world.entities(scheduling.Booking):
        assert booking.invitee_email in known or kinds[booking.meeting_type].slug == "first-interview"
        assert booking.created < booking.start
        assert not booking.no_show or booking.start < world.clock
        assert kinds[booking.meeting_type].active or booking.start < world.clock
        assert bool(booking.reason) == (booking.status == "canceled")


def test_sheets_and_databases_agree_with_the_records(quaymark: World) -> None:
    deals = {deal.title: deal for deal in quaymark.entities(crm.Deal)}
    sheets = {table.key: table for table in quaymark.entities(spreadsheet.Table)}
    for row in sheets["pipeline.open-deals"].rows:
        deal = deals[str(row[0])]
        assert (row[3], row[4], row[5], row[6]) == (deal.stage, deal.amount, deal.currency, deal.close_date)
    active = [p for p in quaymark.entities(Person) if p.active and p.start_date <= quaymark.clock]
    assert [(row[0], row[1]) for row in sheets["headcount.by-department"].rows] == [
        (name, sum(p.department == name for p in active))
        for name in dict.fromkeys(str(row[0]) for row in sheets["headcount.by-department"].rows)
    ]
    tables = {table.key: table for table in quaymark.entities(database.DataTable)}
    tenants = {row[0]: row[1] for row in tables["app.tenants"].rows}
    subscriptions = {one.key: one for one in quaymark.entities(payments.Subscription)}
    mirrored = {str(row[8]): row for row in tables["app.subscriptions"].rows}
    assert mirrored.keys() == subscriptions.keys()
    for key, row in mirrored.items():
        assert f"cus-{tenants[row[1]]}" == subscriptions[key].customer
        assert (row[3], row[5]) == (subscriptions[key].quantity, subscriptions[key].status)
    tickets = {int(ticket.key): ticket for ticket in quaymark.entities(helpdesk.Ticket)}
    assert {row[0]: row[4] for row in tables["support_metrics.tickets"].rows} == {
        number: ticket.status for number, ticket in tickets.items()
    }
    daily = {str(row[0]): row for row in tables["support_metrics.daily"].rows}
    for day, row in daily.items():
        assert row[1] == sum(ticket.created.startswith(day) for ticket in tickets.values())
    for table in (*sheets.values(), *tables.values()):
        assert all(len(row) == len(table.columns) for row in table.rows)


def test_as_many_points_are_measured_as_are_paid_for() -> None:
    tarrowlisle = load("tarrowlisle")
    tables = {table.key: table for table in tarrowlisle.entities(database.DataTable)}
    sites = {row[0]: (str(row[1]), row[5]) for row in tables["sensors.sites"].rows}
    measured = Counter(sites[row[1]][0] for row in tables["sensors.points"].rows)
    assert measured == dict(sites.values())
    assert measured == {
        one.customer.removeprefix("cus-"): one.quantity
        for one in tarrowlisle.entities(payments.Subscription)
        if one.price.startswith("watch-") and one.status != "canceled"
    }
    mirrored = {str(row[7]): (row[3], row[4]) for row in tables["practice.subscriptions"].rows}
    assert mirrored == {one.key: (one.quantity, one.status) for one in tarrowlisle.entities(payments.Subscription)}


BROKEN = [
    ("contacts.csv", r",meridian-freight,", ",acme,", 'contacts.csv:2: company: no account "acme"'),
    ("contacts.csv", r"key,first_name", "key,forename", "contacts.csv:1: forename: unknown column"),
    ("deals.csv", r",won,", ",maybe,", "deals.csv:2: stage: "),
    ("invoices.csv", r"2024-11-11", "2024-11-31", "invoices.csv:2: issued: "),
    ("payments.csv", r"2024-12-05T", "2036-12-05T", "payments.csv:2: created: "),
    ("people.csv", r",tobias,", ",hmarsh,", 'people.csv:3: handle: "hmarsh" is taken already'),
    ("people.csv", r"London,GB", "London,GB,extra", "people.csv:2: "),
    ("mail/arden-discount.md", r"teresa.vance@quaymark", "nobody@quaymark", "mail/arden-discount.md:5: to: no person"),
    ("mail/arden-discount.md", r"flags: unread", "flags: undead", 'flags: no such flag "undead"'),
    ("mail/arden-discount.md", r"folders =", "folder =", "mail/arden-discount.md:3: folder: unknown key"),
    ("mail/arden-discount.md", r'"Renewals"', '"Refusals"', 'folders: no folder "Refusals"'),
    ("chat/finance.md", r"\| tom.reyes", "| tom.ryes", 'chat/finance.md:1: author: no person "tom.ryes"'),
    ("chat/finance.md", r"thread: \d+", "thread: 999", 'thread: no chat message "finance.999"'),
    ("repos/infra/repo.toml", r'"oncall.md"', '"nothing.md"', 'paths: no content of "nothing.md"'),
    ("repos/infra/issues/0011.md", r'"security"', '"safety"', 'issues/0011.md:1: labels: no label "safety"'),
    ("files.csv", r"README.txt", "README.md", 'path: no file "README.md"'),
    ("calendar/events.csv", r"tom.reyes accepted", "tom.reyes excepted", 'attendees: no such answer "excepted"'),
    ("calendar/events.csv", r"RRULE:FREQ=WEEKLY", "RRULE:OFTEN", 'recurrence: "RRULE:OFTEN'),
    ("calendar/events.csv", r"laura.bennett,maya", "laura.benet,maya", 'organizer: no person "laura.benet"'),
    (
        "helpdesk/tickets/4102.md",
        r"rafael.costa \|",
        "raphael.costa |",
        'author: no person or requester "raphael.costa"',
    ),
    ("projects/tasks.csv", r"OPS-2,ops,2", "OPS-2,ops,3", '"OPS-2" is not its project\'s code and its number'),
    ("projects/tasks.csv", r",OPS-1,", ",OPS-100,", 'parent: no task "OPS-100"'),
    ("docs/specs.md", r'"ingrid.solheim"', '"ingrid"', 'docs/specs.md:1: author: no person "ingrid"'),
    ("sheets/pipeline/Open deals.csv", r",negotiation,", ",haggling,", 'Stage: "haggling" is none of'),
    ("sheets/pipeline/Open deals.csv", r"Amount: number", "Amount: amount", "Open deals.csv:1: kind: "),
    ("databases/app/users.csv", r"\n2,\d+,", "\n2,99,", 'users.csv:3: tenant_id: no tenants.id "99"'),
    ("databases/app/users.csv", r"\n2,", "\n1,", 'users.csv:3: id: "1" is taken already'),
    ("accounting/invoice_lines.csv", r"item-track", "item-trek", 'invoice_lines.csv:2: item: no item "item-trek"'),
    ("shop/order_lines.csv", r",QH-", ",QX-", 'lines: no variant "QX-'),
    ("marketing/subscribers.csv", r",subscribed,", ",subscribing,", "subscribers.csv:2: status: "),
    ("phone/texts.csv", r"\+13125550180", "+13125550189", 'sender: no number of ours "+13125550189"'),
    ("hr/employments.csv", r",19\d\d-", ",19-", "employments.csv:2: born: "),
    ("scheduling/bookings.csv", r"\d\dZ,,,true", "99Z,,,true", "start: "),
    ("world.toml", r'agent = "maya.chen"', 'agent = "maya"', 'agent: no person "maya"'),
]


@pytest.mark.parametrize(("file", "old", "new", "says"), BROKEN, ids=[f"{row[0]}-{row[2][:12]}" for row in BROKEN])
def test_errors_name_file_and_line(copy: Path, file: str, old: str, new: str, says: str) -> None:
    path = copy / file
    text, count = re.subn(old, new, path.read_text(), count=1)
    assert count == 1
    path.write_text(text)
    with pytest.raises(WorldError) as caught:
        load("quaymark")
    assert says in str(caught.value)
    assert re.match(r"[^:]+:\d+: ", str(caught.value))


def test_a_file_of_no_kind_is_refused(copy: Path) -> None:
    (copy / "notes.txt").write_text("hello")
    with pytest.raises(WorldError, match=r"notes\.txt:1: "):
        load("quaymark")


def test_any_byte_changes_the_hash(copy: Path, quaymark: World) -> None:
    assert load("quaymark").hash == quaymark.hash
    (copy / "files" / "README.txt").write_text("Changed.\n")
    assert load("quaymark").hash != quaymark.hash


def test_a_world_that_is_not_there() -> None:
    with pytest.raises(LookupError, match="empty, larkfell, quaymark, tarrowlisle"):
        load("nowhere")
    assert atoms_folders()
