"""The verbs of crm."""

from legoenv_mcp.capabilities import crm
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
