"""HubSpot: associations."""

from legoenv_mcp.capabilities.crm import Company, Contact, Deal
from tests.apps.hubspot.support import HubSpot, spec


def test_a_contact_has_one_primary_company(hs: HubSpot) -> None:
    dana, acme, bolt = hs.id(Contact, "dana"), hs.id(Company, "acme"), hs.id(Company, "bolt")
    where = {"fromObjectType": "contacts", "fromObjectId": dana, "toObjectType": "companies"}
    hs.create_default_association(**where, toObjectId=bolt)
    assert hs.values("contacts", dana, "associatedcompanyid") == {"associatedcompanyid": acme}
    pair = hs.create_association(**where, toObjectId=bolt, associations=[spec(1)])
    assert (pair["labels"], pair["toObjectTypeId"]) == (["Primary"], "0-2")
    assert hs.values("contacts", dana, "associatedcompanyid") == {"associatedcompanyid": bolt}
    found = hs.list_associations(objectType="contact", objectId=dana, toObjectType="company")["results"]
    assert {r["toObjectId"]: [t["typeId"] for t in r["associationTypes"]] for r in found} == {
        int(acme): [279], int(bolt): [1, 279],
    }  # fmt: skip
    back = hs.list_associations(objectType="companies", objectId=bolt, toObjectType="contacts")["results"]
    assert [t["typeId"] for r in back if r["toObjectId"] == int(dana) for t in r["associationTypes"]] == [2, 280]
    hs.remove_association(**where, toObjectId=bolt)
    assert hs.values("contacts", dana, "associatedcompanyid") == {"associatedcompanyid": None}
    before = hs.everything()
    hs.remove_association(**where, toObjectId=bolt)
    assert hs.everything() == before


def test_batches_of_associations_tell_of_records_without_any(hs: HubSpot) -> None:
    for version in ("v3", "v4"):
        path = f"/crm/{version}/associations/contacts/companies/batch/read"
        status, body = hs.rest("POST", path, {"inputs": [{"id": hs.id(Contact, "dana")}, {"id": "77"}]})
        assert (status, len(body["results"]), body["numErrors"]) == (207, 1, 1)
        assert body["errors"][0]["subCategory"] == "crm.associations.NO_ASSOCIATIONS_FOUND"


def test_without_its_plain_type_an_association_ends(hs: HubSpot) -> None:
    dana, acme = hs.id(Contact, "dana"), hs.id(Company, "acme")

    def labels(*types: int) -> list[str | None]:
        pair = {"from": {"id": dana}, "to": {"id": acme}, "types": [spec(t) for t in types]}
        path = "/crm/v4/associations/contacts/companies/batch/labels/archive"
        assert hs.rest("POST", path, {"inputs": [pair]})[0] == 204
        found = hs.list_associations(objectType="contacts", objectId=dana, toObjectType="companies")["results"]
        return [t["label"] for one in found for t in one["associationTypes"]]

    assert labels(1) == [None]
    hs.create_association(
        fromObjectType="contacts", fromObjectId=dana, toObjectType="companies", toObjectId=acme, associations=[spec(1)]
    )
    assert labels(279) == []
    assert hs.values("contacts", dana, "associatedcompanyid") == {"associatedcompanyid": None}


def test_owners_are_told_briefly_to_agents(hs: HubSpot) -> None:
    [bea] = hs.list_owners(email="bea.stone@brightwater.example")["results"]
    assert set(bea) == {"id", "email", "firstName", "lastName", "userId", "archived", "teams"}
    assert "createdAt" in hs.rest("GET", f"/crm/v3/owners/{bea['id']}")[1]


def test_ids_may_be_numbers(hs: HubSpot) -> None:
    dana, acme = int(hs.id(Contact, "dana")), int(hs.id(Company, "acme"))
    bolt, won = int(hs.id(Company, "bolt")), int(hs.id(Deal, "won"))
    [found] = hs.list_associations(objectType="companies", objectId=acme, toObjectType="contacts")["results"]
    assert found["toObjectId"] == dana
    read = hs.batch_read_objects(objectType="contacts", inputs=[{"id": found["toObjectId"]}])["results"]
    assert [r["id"] for r in read] == [str(dana)] == [hs.get_contact(contactId=dana)["id"]]
    hs.batch_update_objects(objectType="contacts", inputs=[{"id": dana, "properties": {"city": "Rome"}}])
    ends = [{"to": {"id": dana}, "types": [spec(3)]}]
    status, _ = hs.rest(
        "POST",
        "/crm/v3/objects/deals",
        {"properties": {"dealname": "D", "dealstage": "closedwon"}, "associations": ends},
    )
    assert status == 201
    pair = {"from": {"id": dana}, "to": {"id": bolt}, "types": [spec(279)]}
    hs.batch_create_associations(fromObjectType="contacts", toObjectType="companies", inputs=[pair])
    hs.update_deal(dealId=won, properties={"amount": 1})
    assert hs.found("deals", ("associations.contact", "EQ", dana)) == ["Acme - renewal", "D"]
    assert hs.refused("get_contact", contactId=True)["code"] == 400
    assert hs.refused("get_contact", contactId=1.5)["code"] == 400
    path = "/crm/v3/objects/companies/merge"
    assert hs.rest("POST", path, {"primaryObjectId": acme, "objectIdToMerge": bolt})[0] == 200


def test_associations_need_two_records_and_a_type_between_them(hs: HubSpot) -> None:
    dana, acme = hs.id(Contact, "dana"), hs.id(Company, "acme")
    where = {"fromObjectType": "contacts", "fromObjectId": dana, "toObjectType": "companies", "toObjectId": acme}
    assert hs.refused("create_association", **where, associations=[spec(3)])["code"] == 400
    assert hs.refused("create_association", **where, associations=[])["code"] == 400
    assert hs.refused("create_association", **where | {"toObjectId": "9"}, associations=[spec(279)])["code"] == 400
    assert (
        hs.refused("create_default_association", **where | {"toObjectType": "contacts", "toObjectId": dana})["code"]
        == 400
    )
    users = {"toObjectType": "users", "toObjectId": "1"}
    assert hs.refused("create_default_association", **where | users)["code"] == 400
    assert hs.refused("create_deal", properties={"dealname": "D", "dealstage": "qualifiedtobuy"},
                      associations=[{"to": {"id": "9"}, "types": [spec(341)]}])["code"] == 400  # fmt: skip
    inputs = [{"from": {"id": dana}, "to": {"id": acme}}, {"from": {"id": dana}, "to": {"id": "9"}}]
    assert hs.refused(
        "batch_create_associations", fromObjectType="contacts", toObjectType="companies", inputs=inputs, types=[spec(279)]
    )["code"] == 400  # fmt: skip
    types = hs.get_association_definitions(fromObjectType="contacts", toObjectType="companies")["results"]
    assert types == [
        {"category": "HUBSPOT_DEFINED", "typeId": 1, "label": "Primary"}, {"category": "HUBSPOT_DEFINED", "typeId": 279, "label": None},
    ]  # fmt: skip


def test_the_account_s_own_labels_go_both_ways(hs: HubSpot) -> None:
    path = "/crm/v4/associations/contacts/deals/labels"
    status, made = hs.rest("POST", path, {"label": "Decides", "name": "decides", "inverseLabel": "Decided by"})
    assert (status, [t["label"] for t in made["results"]]) == (200, ["Decides", "Decided by"])
    assert hs.rest("POST", path, {"label": "Decides", "name": "again"})[0] == 409
    dana, deal = hs.id(Contact, "dana"), hs.id(Deal, "renewal")
    own = {"associationCategory": "USER_DEFINED", "associationTypeId": made["results"][0]["typeId"]}
    inputs = [{"from": {"id": dana}, "to": {"id": deal}, "types": [own]}]
    hs.batch_create_associations(fromObjectType="contacts", toObjectType="deals", inputs=inputs)
    back = hs.list_associations(objectType="deals", objectId=deal, toObjectType="contacts")["results"][0]
    assert [t["label"] for t in back["associationTypes"]] == ["Decided by", None]
    assert hs.rest("POST", "/crm/v4/associations/contacts/deals/batch/labels/archive", {"inputs": inputs})[0] == 204
    assert hs.rest("DELETE", f"{path}/{own['associationTypeId']}")[0] == 204
    assert hs.rest("DELETE", f"{path}/{own['associationTypeId']}")[0] == 404
    status, read = hs.rest(
        "POST", "/crm/v4/associations/contacts/deals/batch/read", {"inputs": [{"id": dana}, {"id": "9"}]}
    )
    assert (status, read["results"][0]["to"][0]["toObjectId"], read["numErrors"]) == (207, int(deal), 1)
    status, old = hs.rest("POST", "/crm/v3/associations/contacts/companies/batch/read", {"inputs": [{"id": dana}]})
    assert [t["type"] for t in old["results"][0]["to"]] == ["contact_to_company", "contact_to_company_unlabeled"]
