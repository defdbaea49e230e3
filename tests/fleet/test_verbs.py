"""The studs' second half: every core verb of a capability runs on every app that has it, and the view shows its effect.

A scenario speaks the capability's language only; the app's own ids come from what the world was filled with.
"""

from collections.abc import Callable
from typing import Any

import pytest

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.capabilities import (
    Entity,
    calendar,
    chat,
    crm,
    dev_repo,
    docs_notes,
    email,
    file_storage,
    helpdesk,
    payments,
    project_tracking,
    spreadsheet,
)
from legoenv_mcp.capabilities.base import Plan
from legoenv_mcp.kernel.context import Ctx, Request, entity_name
from legoenv_mcp.verify.matchers import matches
from legoenv_mcp.worlds import World

WORLD = templates.DEFAULT_WORLD


class Stage:
    """An app in an episode, played through a capability's verbs and looked at through its view."""

    def __init__(self, slug: str, capability: str) -> None:
        self.live = templates.episode([slug], WORLD, "verbs").app(slug)
        self.provider = self.live.app.provides[capability]
        self.world: World = worlds.load(WORLD)

    def ref(self, entity: Entity) -> str:
        return self.live.template.refs[entity_name(type(entity))][entity.key]

    def first(self, kind: type[Any], test: Callable[[Any], bool] = lambda _: True) -> Any:
        return next(e for e in self.world.entities(kind) if test(e))

    def run(self, plan: Plan) -> list[Any]:
        """Plays a verb; every call must succeed. Returns the replies."""
        replies = list[Any]()
        try:
            call = next(plan)
            while True:
                reply = self.live.call(call.tool, call.arguments)
                assert not reply.error, f"{self.live.app.slug}.{call.tool}({call.arguments}): {reply.body}"
                replies.append(reply.body)
                call = plan.send(reply.body)
        except StopIteration:
            assert replies, "the verb made no call"
            return replies

    def reads(self, plan: Plan, *shown: object) -> None:
        """A reading verb: changes nothing, and what it must find is in its replies."""
        before = self.live.changes()
        text = str(self.run(plan))
        assert self.live.changes() == before
        for value in shown:
            assert str(value) in text, f"{value!r} is not in {text[:500]}"

    def all(self, kind: type[Any]) -> list[Any]:
        ctx, found = Ctx(self.live, None, None, Request()), list[Any]()
        for table, shape in self.live.app.shapes.items():
            for raw in self.live.store.connection.execute(shape.select):
                entity = self.provider.view(ctx, table, shape.decode(raw))
                if type(entity) is kind:
                    found.append(entity)
        return found

    def one(self, kind: type[Any], test: Callable[[Any], bool]) -> Any:
        found = [e for e in self.all(kind) if test(e)]
        assert len(found) == 1, f"{len(found)} {entity_name(kind)} found, one expected"
        return found[0]


def plays_email(s: Stage) -> None:
    p, agent = s.provider, s.world.agent.email
    received = s.first(email.Message, lambda m: m.box == "inbox" and agent not in m.sender and m.folders)
    key = s.ref(received)
    s.reads(p.search_messages(received.subject), key)
    s.reads(p.get_message(key), received.subject)
    s.reads(p.list_folders(), s.first(email.Folder).name)
    s.run(p.send_message("someone@elsewhere.example", "Verbs at work", "Hello there."))
    sent = s.one(email.Message, lambda m: m.subject == "Verbs at work")
    assert (sent.box, sent.to, sent.body.strip()) == ("sent", ("someone@elsewhere.example",), "Hello there.")
    s.run(p.reply(key, "An answer by verb."))
    answer = s.one(email.Message, lambda m: m.body.strip() == "An answer by verb.")
    assert answer.box == "sent"
    assert answer.thread == s.one(email.Message, lambda m: m.id == key).thread
    s.run(p.save_draft("someone@elsewhere.example", "Not yet", "Later."))
    assert s.one(email.Message, lambda m: m.subject == "Not yet").box == "drafts"
    folder = s.first(email.Folder, lambda f: f.name not in received.folders)
    s.run(p.file_message(key, folder.name))
    assert folder.name in s.one(email.Message, lambda m: m.id == key).folders
    unread = s.first(email.Message, lambda m: m.unread and m.box == "inbox")
    s.run(p.mark_read(s.ref(unread)))
    assert not s.one(email.Message, lambda m: m.id == s.ref(unread)).unread
    s.run(p.delete_message(key))
    assert all(m.box == "trash" for m in s.all(email.Message) if m.id == key)


def plays_chat(s: Stage) -> None:
    p = s.provider
    channel = s.first(
        chat.Channel, lambda c: not c.archived and not c.direct and not c.private and s.world.agent.key in c.members
    )
    place = s.ref(channel)
    s.run(p.send_message(place, "Said by verb."))
    said = s.one(chat.Message, lambda m: m.text == "Said by verb.")
    assert said.channel == place
    s.reads(p.list_messages(place), "Said by verb.")
    s.run(p.reply_in_thread(place, said.id, "Answered by verb."))
    assert s.one(chat.Message, lambda m: m.text == "Answered by verb.").thread == said.id
    s.run(p.add_reaction(place, said.id, "tada"))
    assert any(r.startswith("tada:") for r in s.one(chat.Message, lambda m: m.text == "Said by verb.").reactions)
    s.run(p.share_file(place, "verbs.txt", "Content."))
    s.run(p.create_channel("made-by-verb"))
    assert s.one(chat.Channel, lambda c: c.name == "made-by-verb")
    other = next(m for m in channel.members if m != s.world.agent.key)
    person = s.live.template.refs["people.Person"][other]
    s.run(p.remove_participant(place, person))
    assert person not in s.one(chat.Channel, lambda c: c.id == place).members


def plays_crm(s: Stage) -> None:
    p = s.provider
    contact = s.first(crm.Contact)
    key = s.ref(contact)
    s.reads(p.find_contact(contact.email), contact.email)
    s.reads(p.get_contact(key), contact.last_name)
    s.reads(p.list_contacts())
    company = s.ref(s.first(crm.Company))
    s.run(p.create_contact(crm.Contact(first_name="Vera", last_name="Verbova", email="vera@verbs.example"), company))
    made = s.one(crm.Contact, lambda c: c.email == "vera@verbs.example")
    assert (made.first_name, made.last_name, made.company) == ("Vera", "Verbova", company)
    s.run(p.update_contact(key, title="Head of Verbs"))
    assert s.one(crm.Contact, lambda c: c.id == key).title == "Head of Verbs"
    deal = s.first(crm.Deal, lambda d: d.stage not in ("won", "lost"))
    s.reads(p.find_deal(deal.title), deal.title)
    s.run(p.set_deal_stage(s.ref(deal), "won"))
    assert s.one(crm.Deal, lambda d: d.id == s.ref(deal)).stage == "won"


def plays_payments(s: Stage) -> None:
    p = s.provider
    paid = s.first(payments.Payment, lambda x: x.status == "succeeded" and not x.refunded and not x.disputed)
    customer = next(c for c in s.world.entities(payments.Customer) if c.key == paid.customer)
    key, payer = s.ref(paid), s.ref(customer)
    s.reads(p.find_payer(customer.email), payer)
    s.reads(p.list_payments(payer), key)
    s.reads(p.check_payment(key), key)
    s.run(p.refund_payment(key, 100))
    assert s.one(payments.Payment, lambda x: x.id == key).refunded == 100
    s.run(p.request_payment(s.ref(s.first(payments.Price, lambda x: x.active)), 2))
    before = {x.id for x in s.all(payments.Payment)}
    s.run(p.collect_payment(payer, 4200, customer.currency))
    new = [x for x in s.all(payments.Payment) if x.id not in before]
    assert [(x.customer, x.amount, x.status) for x in new] == [(payer, 4200, "succeeded")]


def plays_file_storage(s: Stage) -> None:
    p = s.provider
    file = s.first(file_storage.File, lambda f: "/" in f.path and f.content)
    folder, _, name = file.path.rpartition("/")
    s.reads(p.list_folder(folder), name)
    s.reads(p.search_files(name), name)
    s.reads(p.get_file_info(file.path))
    s.reads(p.download_file(file.path), file.content.split("\n")[0][:40])
    s.run(p.create_folder("Made by verb"))
    assert s.one(file_storage.Folder, lambda f: f.path == "Made by verb")
    s.run(p.upload_file("Made by verb/note.txt", "Written by verb."))
    assert s.one(file_storage.File, lambda f: f.path == "Made by verb/note.txt").content == "Written by verb."
    s.run(p.move_file("Made by verb/note.txt", "Made by verb/moved.txt"))
    assert s.one(file_storage.File, lambda f: f.content == "Written by verb.").path == "Made by verb/moved.txt"


def plays_dev_repo(s: Stage) -> None:
    p = s.provider
    repository = s.first(dev_repo.Repository, lambda r: not r.archived)
    repo = s.ref(repository)
    s.reads(p.find_repository(repository.name), repository.name)
    s.reads(p.list_issues(repo))
    s.reads(p.list_pull_requests(repo))
    s.reads(p.get_file(repo, "README.md"))
    s.run(p.create_branch(repo, "by-verb"))
    s.run(p.commit_file(repo, "by-verb", "docs/verb.md", "# Verb\n", "Add a page about verbs"))
    assert s.one(dev_repo.Commit, lambda c: c.message == "Add a page about verbs").repo == repo
    s.run(p.create_issue(repo, "Found by verb", "It does not add up."))
    assert s.one(dev_repo.Issue, lambda i: i.title == "Found by verb").state == "open"
    s.run(p.open_pull_request(repo, "by-verb", repository.default_branch, "A page about verbs", "Please look."))
    pull = s.one(dev_repo.PullRequest, lambda x: x.title == "A page about verbs")
    assert (pull.head, pull.base, pull.state) == ("by-verb", repository.default_branch, "open")
    s.run(p.comment_on_pull_request(repo, pull.number, "Looks right."))
    assert any(
        c.body == "Looks right."
        for c in s.one(dev_repo.PullRequest, lambda x: x.number == pull.number and x.repo == repo).comments
    )
    s.run(p.merge_pull_request(repo, pull.number))
    assert s.one(dev_repo.PullRequest, lambda x: x.number == pull.number and x.repo == repo).state == "merged"


def plays_calendar(s: Stage) -> None:
    p, agent = s.provider, s.world.agent
    mine = s.ref(s.first(calendar.Calendar, lambda c: c.primary and c.owner == agent.key))
    s.reads(p.list_calendars(), s.first(calendar.Calendar, lambda c: c.primary and c.owner == agent.key).name)
    s.run(p.create_calendar("Made by verb", "Europe/Berlin"))
    assert s.one(calendar.Calendar, lambda c: c.name == "Made by verb").time_zone == "Europe/Berlin"
    start, end = "2026-03-17T10:00:00+01:00", "2026-03-17T11:00:00+01:00"
    s.run(p.create_event(mine, "Talk about verbs", start, end, ("dana@elsewhere.example",)))
    made = s.one(calendar.Event, lambda e: e.title == "Talk about verbs")
    assert matches({"instant": start}, made.start)
    assert [a.email for a in made.attendees if a.email != agent.email] == ["dana@elsewhere.example"]
    s.reads(p.list_events(mine, "2026-03-17T00:00:00Z", "2026-03-18T00:00:00Z"), "Talk about verbs")
    s.reads(p.get_event(mine, made.id), "Talk about verbs")
    s.reads(p.find_busy_times((mine,), "2026-03-17T00:00:00Z", "2026-03-18T00:00:00Z"), "2026-03-17")
    s.run(p.update_event(mine, made.id, title="Talk about nouns"))
    assert s.one(calendar.Event, lambda e: e.id == made.id and e.calendar == made.calendar).title == "Talk about nouns"
    invited = s.first(
        calendar.Event,
        lambda e: (
            s.live.template.refs["calendar.Calendar"].get(e.calendar) == mine
            and not e.recurrence
            and e.status == "confirmed"
            and e.organizer != agent.email
            and any(a.email == agent.email and a.response != "accepted" for a in e.attendees)
        ),
    )
    s.run(p.respond_to_invite(mine, s.ref(invited), "accepted"))
    answered = s.one(calendar.Event, lambda e: e.id == s.ref(invited) and e.calendar == mine)
    assert [a.response for a in answered.attendees if a.email == agent.email] == ["accepted"]
    s.run(p.delete_event(mine, made.id))
    assert all(e.status == "cancelled" for e in s.all(calendar.Event) if e.id == made.id)


def plays_helpdesk(s: Stage) -> None:
    p = s.provider
    ticket = s.first(helpdesk.Ticket, lambda t: t.status == "open" and t.assignee)
    key = s.ref(ticket)
    s.reads(p.find_ticket(ticket.subject), ticket.subject)
    s.reads(p.get_ticket(key), ticket.subject)
    s.reads(p.list_queues(), s.first(helpdesk.Queue).name)
    s.run(p.add_internal_note(key, "Noted by verb."))
    assert [
        m.note for m in s.one(helpdesk.Ticket, lambda t: t.id == key).messages if m.body.strip() == "Noted by verb."
    ] == [True]
    s.run(p.update_status(key, "solved"))
    assert s.one(helpdesk.Ticket, lambda t: t.id == key).status == "solved"
    other = s.first(helpdesk.Ticket, lambda t: t.status in ("new", "open") and t.key != ticket.key)
    if p.offers("reply_to_customer"):
        s.run(p.reply_to_customer(s.ref(other), "Answered by verb."))
        said = [
            m
            for m in s.one(helpdesk.Ticket, lambda t: t.id == s.ref(other)).messages
            if m.body.strip() == "Answered by verb."
        ]
        assert [m.note for m in said] == [False]
    if p.offers("tag_ticket"):
        s.run(p.tag_ticket(s.ref(other), "by_verb"))
        assert {"by_verb", *other.tags} <= set(s.one(helpdesk.Ticket, lambda t: t.id == s.ref(other)).tags)
    if p.offers("create_ticket"):
        requester = s.first(helpdesk.Requester)
        s.run(p.create_ticket("Opened by verb", "It does not add up.", requester.email))
        assert s.one(helpdesk.Ticket, lambda t: t.subject == "Opened by verb").requester == s.ref(requester)


def plays_project_tracking(s: Stage) -> None:
    p = s.provider
    project = s.first(project_tracking.Project, lambda x: not x.archived)
    place = s.ref(project)
    task = s.first(
        project_tracking.Task, lambda t: t.project == project.key and t.status == "todo" and t.kind != "epic"
    )
    key = s.ref(task)
    s.reads(p.list_projects(), project.name)
    s.reads(p.list_tasks(place), task.title)
    s.reads(p.get_task(key), task.title)
    s.run(p.create_task(place, "Made by verb", "With a body."))
    made = s.one(project_tracking.Task, lambda t: t.title == "Made by verb")
    assert (made.project, made.body.strip(), made.status) == (place, "With a body.", "todo")
    s.run(p.update_task(key, title="Renamed by verb", due="2026-04-01"))
    changed = s.one(project_tracking.Task, lambda t: t.id == key)
    assert (changed.title, changed.due) == ("Renamed by verb", "2026-04-01")
    s.run(p.complete_task(key))
    assert s.one(project_tracking.Task, lambda t: t.id == key).status == "done"
    if p.offers("comment"):
        s.run(p.comment(key, "Commented by verb."))
        assert any(
            c.body.strip() == "Commented by verb." for c in s.one(project_tracking.Task, lambda t: t.id == key).comments
        )


def plays_docs_notes(s: Stage) -> None:
    p = s.provider
    page = s.first(docs_notes.Document, lambda d: len(d.body) > 100)
    key = s.ref(page)
    s.reads(p.search_documents(page.title), page.title)
    s.reads(p.get_document(key), page.title)
    s.run(p.create_document("Made by verb", "A first paragraph.", key))
    made = s.one(docs_notes.Document, lambda d: d.title == "Made by verb")
    assert (made.body.strip(), made.parent) == ("A first paragraph.", key)
    s.run(p.update_document(made.id, "A second paragraph."))
    assert s.one(docs_notes.Document, lambda d: d.id == made.id).body.split("\n\n")[-1].strip() == "A second paragraph."
    s.run(p.delete_document(made.id))
    assert not [d for d in s.all(docs_notes.Document) if d.id == made.id]


def plays_spreadsheet(s: Stage) -> None:
    p = s.provider
    table = s.first(
        spreadsheet.Table,
        lambda t: (
            len(t.rows) > 3
            and t.columns[0].kind == "text"
            and len({r[0] for r in t.rows}) == len(t.rows)
            and any(c.kind == "date" for c in t.columns)
            and any(c.kind in ("number", "money") for c in t.columns)
        ),
    )
    book = s.live.template.refs["spreadsheet.Workbook"][table.workbook]
    first, day = table.columns[0].name, next(c.name for c in table.columns if c.kind == "date")
    amount = next(c.name for c in table.columns if c.kind in ("number", "money"))

    def rows(name: str) -> list[dict[str, object]]:
        shown = s.one(spreadsheet.Table, lambda t: t.workbook == book and t.name == name)
        return [dict(zip([c.name for c in shown.columns], r, strict=True)) for r in shown.rows]

    s.reads(p.list_tables(book), table.name)
    s.reads(p.read_rows(book, table.name), table.rows[0][0], table.rows[-1][0])
    s.run(p.add_row(book, table.name, {first: "Added by verb", day: "2026-04-01", amount: 12.5}))
    (added,) = [r for r in rows(table.name) if r[first] == "Added by verb"]
    assert matches("2026-04-01", added[day])
    assert added[amount] == 12.5
    assert len(rows(table.name)) == len(table.rows) + 1
    s.run(p.update_row(book, table.name, {first: table.rows[1][0]}, {amount: 77, first: "007"}))
    (changed,) = [r for r in rows(table.name) if r[first] == "007"]
    assert changed[amount] == 77
    s.run(p.delete_row(book, table.name, {first: table.rows[2][0]}))
    assert [r[first] for r in rows(table.name)] == [
        table.rows[0][0], "007", *(r[0] for r in table.rows[3:]), "Added by verb"
    ]  # fmt: skip
    s.run(p.create_table(book, "Made by verb", ("Name", "Count")))
    s.run(p.add_row(book, "Made by verb", {"Name": "one", "Count": 1}))
    s.run(p.add_column(book, "Made by verb", "Done"))
    s.run(p.update_row(book, "Made by verb", {"Name": "one"}, {"Done": True}))
    assert rows("Made by verb") == [{"Name": "one", "Count": 1, "Done": True}]


SCENARIOS: dict[str, Callable[[Stage], None]] = {
    "email": plays_email, "chat": plays_chat, "crm": plays_crm, "payments": plays_payments, "file_storage": plays_file_storage,
    "dev_repo": plays_dev_repo, "calendar": plays_calendar, "helpdesk": plays_helpdesk,
    "project_tracking": plays_project_tracking, "docs_notes": plays_docs_notes,
    "spreadsheet": plays_spreadsheet,
}  # fmt: skip
CLAIMS = [(a.slug, c) for a in registry.apps() for c in a.capabilities]


@pytest.mark.parametrize(("slug", "capability"), CLAIMS)
def test_the_verbs_of_a_capability_work(slug: str, capability: str) -> None:
    assert capability in SCENARIOS, f"no scenario plays {capability}: write one"
    SCENARIOS[capability](Stage(slug, capability))
