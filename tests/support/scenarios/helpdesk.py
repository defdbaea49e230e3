"""The verbs of helpdesk."""

from legoenv_mcp.capabilities import crm, helpdesk
from legoenv_mcp.capabilities.people import Person
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
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
    if p.offers("list_tickets"):
        s.reads(p.list_tickets(), key, s.ref(other))
    if p.offers("list_customer_tickets"):
        asker = s.first(helpdesk.Requester, lambda r: r.key == ticket.requester)
        s.reads(p.list_customer_tickets(s.ref(asker)), key)
    if p.offers("set_priority"):
        s.run(p.set_priority(s.ref(other), "urgent"))
        assert s.one(helpdesk.Ticket, lambda t: t.id == s.ref(other)).priority == "urgent"
    if p.offers("move_to_queue"):
        queue = s.first(helpdesk.Queue, lambda q: q.key != other.queue)
        s.run(p.move_to_queue(s.ref(other), s.ref(queue)))
        assert s.one(helpdesk.Ticket, lambda t: t.id == s.ref(other)).queue == s.ref(queue)
    if p.offers("update_customer"):
        asker = s.first(helpdesk.Requester)
        s.run(p.update_customer(s.ref(asker), phone="+16175550143"))
        assert s.one(helpdesk.Requester, lambda r: r.id == s.ref(asker)).phone == "+16175550143"
    if p.offers("list_queue_members"):
        queue = s.first(helpdesk.Queue, lambda q: len(q.members) > 1)
        people = [s.first(Person, lambda x, m=m: x.key == m) for m in queue.members]
        s.reads(p.list_queue_members(s.ref(queue)), *(x.name for x in people))
    if p.offers("get_company"):
        company = s.first(crm.Company)
        s.reads(p.get_company(s.ref(company)), company.name)
