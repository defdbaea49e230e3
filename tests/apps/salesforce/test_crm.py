"""Salesforce: the crm capability."""

import pytest

from legoenv_mcp import registry
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.crm import Company, Contact, Deal, Lead
from legoenv_mcp.capabilities.people import Person
from tests.apps.salesforce.support import ENTITIES, Salesforce

REFERENCES = {"owner": Person, "manager": Person, "company": Company, "contact": Contact}


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda e: f"{type(e).__name__}-{e.key}")
def test_fill_then_view_gives_the_entity_back(sf: Salesforce, entity: Entity) -> None:
    viewed = sf.view(sf.id(type(entity), entity.key))
    assert viewed is not None
    expected = entity.model_dump(exclude={"key", "id"})
    about = expected.get("about")
    for name, kind in REFERENCES.items():
        if expected.get(name):
            expected[name] = sf.id(kind, expected[name])
    if about:
        kinds = (Company, Contact, Lead, Deal)
        expected["about"] = next(sf.id(k, about) for k in kinds if about in sf.live.refs(f"crm.{k.__name__}"))
    assert viewed.model_dump(exclude={"key", "id"}) == expected


def test_every_entity_of_the_world_is_there(world: Salesforce) -> None:
    refs = world.live.template.refs
    assert {"people.Person", "crm.Company", "crm.Contact", "crm.Lead", "crm.Deal", "crm.Activity"} <= set(refs)
    for entity in ("people.Person", "crm.Company", "crm.Contact", "crm.Lead", "crm.Deal", "crm.Activity"):
        for record_id in refs[entity].values():
            assert world.view(record_id) is not None


def test_verbs(sf: Salesforce) -> None:
    crm = registry.load("salesforce").provides["crm"]
    assert sf.play(crm.find_contact("dana@acme.example"))[0]["records"][0]["Id"] == sf.id(Contact, "dana")
    assert sf.play(crm.get_contact(sf.id(Contact, "dana")))[0]["Email"] == "dana@acme.example"
    assert sum(len(r["records"]) for r in sf.play(crm.list_contacts())) == 2
    new = Contact(first_name="Eve", last_name="O'Neil", email="eve@bolt.example", title="CFO", do_not_contact=True)
    made = sf.play(crm.create_contact(new, sf.id(Company, "bolt")))[0]["id"]
    viewed = sf.view(made)
    assert isinstance(viewed, Contact)
    assert (viewed.name, viewed.email, viewed.company, viewed.do_not_contact) == (
        "Eve O'Neil",
        "eve@bolt.example",
        sf.id(Company, "bolt"),
        True,
    )
    sf.play(crm.update_contact(made, title="CEO", do_not_contact=False, mobile="+44 7700 900009"))
    viewed = sf.view(made)
    assert isinstance(viewed, Contact)
    assert (viewed.title, viewed.do_not_contact, viewed.mobile) == ("CEO", False, "+44 7700 900009")
    assert sf.play(crm.find_deal("Acme - renewal"))[0]["records"][0]["Id"] == sf.id(Deal, "renewal")
    for stage in ("prospecting", "qualification", "proposal", "negotiation", "won", "lost"):
        sf.play(crm.set_deal_stage(sf.id(Deal, "renewal"), stage))
        deal = sf.view(sf.id(Deal, "renewal"))
        assert isinstance(deal, Deal)
        assert deal.stage == stage
