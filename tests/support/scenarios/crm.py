"""The verbs of crm."""

from legoenv_mcp.capabilities import crm
from legoenv_mcp.capabilities.people import Person
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
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
    _extended(s)


def _extended(s: Stage) -> None:
    """The verbs that not every product has."""
    p = s.provider
    person = s.first(Person, lambda x: x.active and not any(d.owner == x.key for d in s.world.entities(crm.Deal)))
    if p.offers("find_person"):
        s.reads(p.find_person(person.email), s.ref(person))
    if p.offers("list_deals"):
        mine = s.first(crm.Deal, lambda d: bool(d.owner))
        s.reads(p.list_deals(), mine.title)
        owner = next(x for x in s.world.entities(Person) if x.key == mine.owner)
        s.reads(p.list_deals(s.ref(owner)), mine.title)
    if p.offers("update_deal"):
        deal = s.ref(s.first(crm.Deal, lambda d: d.stage not in ("won", "lost")))
        s.run(p.update_deal(deal, owner=s.ref(person), amount=4321, next_step="Ask for the order number"))
        found = s.one(crm.Deal, lambda d: d.id == deal)
        assert (found.owner, found.amount, found.next_step) == (s.ref(person), 4321, "Ask for the order number")
    if p.offers("delete_contact"):
        gone = s.ref(
            s.first(crm.Contact, lambda c: c.last_name not in {x.last_name for x in s.world.entities(crm.Lead)})
        )
        s.run(p.delete_contact(gone))
        assert gone not in {c.id for c in s.all(crm.Contact)}
    if p.offers("find_company"):
        company = s.first(crm.Company)
        s.reads(p.find_company(company.name), s.ref(company))
    if p.offers("list_leads"):
        s.reads(p.list_leads(), s.first(crm.Lead).email)
    if p.offers("update_lead"):
        lead = s.ref(s.first(crm.Lead, lambda x: x.status == "new"))
        s.run(p.update_lead(lead, status="working", owner=s.ref(person)))
        changed = s.one(crm.Lead, lambda x: x.id == lead)
        assert (changed.status, changed.owner) == ("working", s.ref(person))
