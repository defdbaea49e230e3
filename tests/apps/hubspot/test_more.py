"""HubSpot's rarer writes: logged calls and meetings, batches of associations in both versions, labels, lists, pipelines, properties."""

from typing import Any

import pytest

from legoenv_mcp.capabilities.crm import Company, Contact, Deal
from legoenv_mcp.testing import episode_of
from tests.apps.hubspot.support import ENTITIES, HubSpot, spec


@pytest.fixture
def hs() -> HubSpot:
    return HubSpot(episode_of("hubspot", ENTITIES))


def linked(hs: HubSpot, kind: str, record_id: str, to: str) -> dict[str, list[str | None]]:
    """The ids that a record is associated with, with the labels of each."""
    found = hs.list_associations(objectType=kind, objectId=record_id, toObjectType=to)["results"]
    return {str(one["toObjectId"]): [t["label"] for t in one["associationTypes"]] for one in found}


def refused_over_rest(hs: HubSpot, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """A refused request: its status and body, and that it changed nothing."""
    before = hs.everything()
    status, told = hs.rest(method, path, body)
    assert 400 <= status < 500, told
    assert hs.everything() == before
    return status, told


def test_calls_and_meetings_are_logged_on_records(hs: HubSpot) -> None:
    dana, deal = hs.id(Contact, "dana"), hs.id(Deal, "renewal")
    call = hs.create_call(
        properties={"hs_timestamp": "2026-03-02T08:00:00Z", "hs_call_title": "Price", "hs_call_status": "COMPLETED"},
        associations=[{"to": {"id": dana}, "types": [spec(194)]}],
    )
    meeting = hs.create_meeting(
        properties={"hs_timestamp": "2026-03-05T10:00:00Z", "hs_meeting_title": "Signing",
                    "hs_meeting_start_time": "2026-03-05T10:00:00Z", "hs_meeting_end_time": "2026-03-05T11:00:00Z"},
        associations=[{"to": {"id": deal}, "types": [spec(212)]}],
    )  # fmt: skip
    assert hs.values("calls", call["id"], "hs_call_title", "hs_call_status") == {
        "hs_call_title": "Price", "hs_call_status": "COMPLETED",
    }  # fmt: skip
    assert hs.values("meetings", meeting["id"], "hs_meeting_end_time") == {
        "hs_meeting_end_time": "2026-03-05T11:00:00Z"
    }
    assert call["id"] in linked(hs, "contacts", dana, "calls")
    assert [*linked(hs, "deals", deal, "meetings")] == [meeting["id"]]
    assert {c.table for c in hs.episode.changes()} >= {"call", "meeting"}
    nobody = [{"to": {"id": "9"}, "types": [spec(194)]}]
    moment = {"hs_timestamp": "2026-03-02T08:00:00Z"}
    assert hs.refused("create_call", properties=moment, associations=nobody)["code"] == 400
    assert hs.refused("create_meeting", properties={"hs_meeting_title": "When?"})["code"] == 400


def test_any_type_is_upserted_by_a_unique_property(hs: HubSpot) -> None:
    hs.create_property(
        objectType="companies", name="vat", label="VAT", type="string", fieldType="text", groupName="companyinformation",
        hasUniqueValue=True,
    )  # fmt: skip
    acme, path = hs.id(Company, "acme"), "/crm/v3/objects/companies/batch/upsert"
    hs.update_object(objectType="companies", objectId=acme, properties={"vat": "GB1"})
    inputs = [
        {"id": "GB1", "idProperty": "vat", "properties": {"city": "Rome"}},
        {"id": "GB2", "idProperty": "vat", "properties": {"name": "Ivo Ltd"}},
    ]
    status, body = hs.rest("POST", path, {"inputs": inputs})
    assert (status, [r["new"] for r in body["results"]]) == (200, [False, True])
    assert body["results"][0]["id"] == acme
    assert hs.values("companies", acme, "city", "name") == {"city": "Rome", "name": "Acme Cranes Ltd"}
    assert hs.found("companies", ("vat", "EQ", "GB2")) == ["Ivo Ltd"]
    assert refused_over_rest(hs, "POST", path, {"inputs": [{"id": "9", "properties": {}}]})[0] == 404
    assert refused_over_rest(hs, "POST", path, {"inputs": [inputs[0], inputs[0]]})[0] == 400


def test_pairs_are_associated_and_parted_in_batches(hs: HubSpot) -> None:
    omar, deal, won = hs.id(Contact, "omar"), hs.id(Deal, "renewal"), hs.id(Deal, "won")
    path = "/crm/v4/associations/contacts/deals/batch"
    pairs = [{"from": {"id": omar}, "to": {"id": one}} for one in (deal, won)]
    status, body = hs.rest("POST", f"{path}/associate/default", {"inputs": pairs})
    assert (status, len(body["results"])) == (200, 4)
    assert [(r["from"]["id"], r["to"]["id"]) for r in body["results"][:2]] == [(omar, deal), (deal, omar)]
    assert linked(hs, "contacts", omar, "deals") == {deal: [None], won: [None]}
    lost = [pairs[0], {"from": {"id": omar}, "to": {"id": "9"}}]
    refused_over_rest(hs, "POST", f"{path}/associate/default", {"inputs": lost})
    many = {"inputs": [{"from": {"id": omar}, "to": [{"id": deal}, {"id": "9"}]}]}
    assert hs.rest("POST", f"{path}/archive", many)[0] == 204
    assert linked(hs, "contacts", omar, "deals") == {won: [None]}
    refused_over_rest(hs, "POST", "/crm/v4/associations/contacts/widgets/batch/archive", many)


def test_version_3_names_the_types_of_associations(hs: HubSpot) -> None:
    dana, bolt = hs.id(Contact, "dana"), hs.id(Company, "bolt")
    path = "/crm/v3/associations/contacts/companies/batch"
    pair = {"from": {"id": dana}, "to": {"id": bolt}, "type": "contact_to_company"}
    status, body = hs.rest("POST", f"{path}/create", {"inputs": [pair]})
    assert (status, body["results"]) == (201, [pair])
    assert linked(hs, "contacts", dana, "companies")[bolt] == ["Primary", None]
    assert hs.values("contacts", dana, "associatedcompanyid") == {"associatedcompanyid": bolt}
    for other in ({"type": "contact_to_moon"}, {"to": {"id": "9"}}):
        assert refused_over_rest(hs, "POST", f"{path}/create", {"inputs": [{**pair, **other}]})[0] == 400
    assert hs.rest("POST", f"{path}/archive", {"inputs": [pair]})[0] == 204
    assert linked(hs, "contacts", dana, "companies")[bolt] == [None]
    assert hs.rest("POST", f"{path}/archive", {"inputs": [{**pair, "type": "contact_to_company_unlabeled"}]})[0] == 204
    assert bolt not in linked(hs, "contacts", dana, "companies")
    refused_over_rest(hs, "POST", f"{path}/archive", {"inputs": [{**pair, "type": "contact_to_moon"}]})


def test_a_label_is_renamed_both_ways(hs: HubSpot) -> None:
    path = "/crm/v4/associations/contacts/deals/labels"
    made = hs.rest("POST", path, {"label": "Decides", "name": "decides", "inverseLabel": "Decided by"})[1]["results"]
    own = made[0]["typeId"]
    new = {"associationTypeId": own, "label": "Signs", "inverseLabel": "Signed by"}
    assert hs.rest("PUT", path, new)[0] == 204
    assert hs.rest("PUT", path, {"associationTypeId": own, "label": "Pays"})[0] == 204
    labels = {
        (a, b): [t["label"] for t in found if t["category"] == "USER_DEFINED"]
        for a, b in (("contacts", "deals"), ("deals", "contacts"))
        if (found := hs.get_association_definitions(fromObjectType=a, toObjectType=b)["results"])
    }
    assert labels == {("contacts", "deals"): ["Pays"], ("deals", "contacts"): ["Signed by"]}
    for unknown in (9, 3, made[1]["typeId"]):  # none, HubSpot's own, and one that goes the other way
        assert refused_over_rest(hs, "PUT", path, {**new, "associationTypeId": unknown})[0] == 404


def city(value: str) -> dict[str, Any]:
    test = {"filterType": "PROPERTY", "property": "city", "operation": {"operator": "STARTS_WITH", "value": value}}
    return {
        "filterBranchType": "OR", "filterBranches": [{"filterBranchType": "AND", "filters": [test]}],
    }  # fmt: skip


def test_new_filters_change_who_is_in_a_list(hs: HubSpot) -> None:
    made = hs.create_list(name="There", objectTypeId="0-1", processingType="DYNAMIC", filterBranch=city("par"))["list"]
    assert made["size"] == 0
    path = f"/crm/v3/lists/{made['listId']}/update-list-filters"
    status, body = hs.rest("PUT", path, {"filterBranch": city("lon")})
    assert (status, body["updatedList"]["size"], body["updatedList"]["listVersion"]) == (
        200, 1, made["listVersion"] + 1,
    )  # fmt: skip
    members = hs.list_memberships(listId=made["listId"])["results"]
    assert [m["recordId"] for m in members] == [hs.id(Contact, "dana")]
    refused_over_rest(hs, "PUT", path, {"filterBranch": {"filterBranchType": "UNIFIED_EVENTS"}})
    by_hand = hs.create_list(name="Hand", objectTypeId="0-1", processingType="MANUAL")["list"]["listId"]
    refused_over_rest(hs, "PUT", f"/crm/v3/lists/{by_hand}/update-list-filters", {"filterBranch": city("lon")})
    unknown = "/crm/v3/lists/999/update-list-filters"
    assert refused_over_rest(hs, "PUT", unknown, {"filterBranch": city("lon")})[0] == 404


def test_members_are_exchanged_and_cleared(hs: HubSpot) -> None:
    dana, omar = hs.id(Contact, "dana"), hs.id(Contact, "omar")
    vips = hs.create_list(name="VIPs", objectTypeId="0-1", processingType="MANUAL")["list"]["listId"]
    hs.add_list_members(listId=vips, recordIds=[dana])
    path = f"/crm/v3/lists/{vips}/memberships"
    swap = {"recordIdsToAdd": [omar, "9"], "recordIdsToRemove": [dana]}
    assert hs.rest("PUT", f"{path}/add-and-remove", swap) == (
        200, {"recordIdsMissing": ["9"], "recordIdsRemoved": [dana], "recordsIdsAdded": [omar]},
    )  # fmt: skip
    assert [m["recordId"] for m in hs.list_memberships(listId=vips)["results"]] == [omar]
    assert hs.rest("DELETE", path)[0] == 204
    assert hs.list_memberships(listId=vips)["total"] == 0
    assert hs.get_contact(contactId=omar)["id"] == omar
    dynamic = hs.create_list(name="There", objectTypeId="0-1", processingType="DYNAMIC", filterBranch=city("lon"))
    for list_id, code in ((dynamic["list"]["listId"], 400), ("999", 404)):
        assert refused_over_rest(hs, "DELETE", f"/crm/v3/lists/{list_id}/memberships")[0] == code
        assert refused_over_rest(hs, "PUT", f"/crm/v3/lists/{list_id}/memberships/add-and-remove", swap)[0] == code


def test_a_pipeline_is_renamed_archived_and_restored(hs: HubSpot) -> None:
    stage = {"label": "Talks", "displayOrder": 0, "metadata": {"probability": "0.1"}, "stageId": "talks"}
    made = hs.rest("POST", "/crm/v3/pipelines/deals", {"label": "Partners", "displayOrder": 1, "stages": [stage]})[1]
    path = f"/crm/v3/pipelines/deals/{made['id']}"

    def labels() -> list[str]:
        return [p["label"] for p in hs.list_pipelines(objectType="deals")["results"]]

    standard = labels()[0]
    status, body = hs.rest("PATCH", path, {"label": "Resellers", "displayOrder": -1})
    assert (status, body["label"], body["displayOrder"]) == (200, "Resellers", -1)
    assert labels() == ["Resellers", standard]
    assert refused_over_rest(hs, "PATCH", path, {"label": standard})[0] == 409
    assert refused_over_rest(hs, "PATCH", "/crm/v3/pipelines/deals/nope", {"label": "X"})[0] == 404
    assert hs.rest("DELETE", path)[0] == 204
    assert labels() == [standard]
    assert refused_over_rest(hs, "DELETE", path)[0] == 404
    deal = {"dealname": "D", "pipeline": made["id"], "dealstage": "talks"}
    assert hs.refused("create_deal", properties=deal)["code"] == 400
    assert hs.rest("PATCH", path, {"archived": False})[1]["archived"] is False
    assert hs.create_deal(properties=deal)["properties"]["pipeline"] == made["id"]


def test_stages_come_and_go(hs: HubSpot) -> None:
    path = "/crm/v3/pipelines/deals/default/stages"
    new = {"label": "Legal", "displayOrder": 4, "metadata": {"probability": "0.95"}}
    status, made = hs.rest("POST", path, new)
    assert (status, made["label"], made["metadata"]["isClosed"]) == (201, "Legal", "false")
    assert refused_over_rest(hs, "POST", path, new)[0] == 409
    assert refused_over_rest(hs, "POST", path.replace("default", "nope"), new)[0] == 404
    deal = hs.id(Deal, "renewal")
    hs.update_deal(dealId=deal, properties={"dealstage": made["id"]})
    assert hs.values("deals", deal, "hs_deal_stage_probability") == {"hs_deal_stage_probability": "0.95"}
    status, told = refused_over_rest(hs, "DELETE", f"{path}/{made['id']}")
    assert (status, told["context"]["ids"]) == (400, [deal])
    hs.update_deal(dealId=deal, properties={"dealstage": "closedwon"})
    assert hs.rest("DELETE", f"{path}/{made['id']}")[0] == 204
    assert made["id"] not in [s["id"] for s in hs.rest("GET", path)[1]["results"]]
    assert refused_over_rest(hs, "DELETE", f"{path}/{made['id']}")[0] == 404
    assert hs.refused("update_deal", dealId=deal, properties={"dealstage": made["id"]})["code"] == 400


def test_properties_are_made_in_a_group_of_their_own(hs: HubSpot) -> None:
    path = "/crm/v3/properties/deals"
    group = {"name": "shipping", "label": "Shipping"}
    status, made = hs.rest("POST", f"{path}/groups", group)
    assert (status, made["label"], made["archived"]) == (201, "Shipping", False)
    assert hs.rest("GET", f"{path}/groups/shipping")[1] == made
    assert refused_over_rest(hs, "POST", f"{path}/groups", group)[0] == 409
    assert refused_over_rest(hs, "POST", f"{path}/groups", {"name": "a b", "label": "A"})[0] == 400

    def text(name: str, **other: Any) -> dict[str, Any]:
        return {
            "name": name, "label": name.title(), "type": "string", "fieldType": "text", "groupName": "shipping", **other
        }  # fmt: skip

    status, body = hs.rest("POST", f"{path}/batch/create", {"inputs": [text("harbour"), text("vessel")]})
    assert (status, [p["groupName"] for p in body["results"]]) == (201, ["shipping", "shipping"])
    deal = hs.id(Deal, "renewal")
    hs.update_deal(dealId=deal, properties={"harbour": "Hull", "vessel": "Ada"})
    assert hs.values("deals", deal, "harbour", "vessel") == {"harbour": "Hull", "vessel": "Ada"}
    for bad in (text("harbour"), text("crane", groupName="nowhere")):
        refused_over_rest(hs, "POST", f"{path}/batch/create", {"inputs": [text("pilot"), bad]})


def test_batches_of_any_kind_are_read(hs: HubSpot) -> None:
    def read(kind: str, record_id: str, *names: str) -> list[str | None]:
        asked = {"inputs": [{"id": record_id}], "properties": list(names)}
        status, body = hs.rest("POST", f"/crm/v3/objects/{kind}/batch/read", asked)
        assert (status, [r["id"] for r in body["results"]]) == (200, [record_id])
        return [body["results"][0]["properties"][name] for name in names]

    product = hs.create_object(objectType="products", properties={"name": "Crane hour", "price": "120"})["id"]
    link = [{"to": {"id": hs.id(Deal, "renewal")}, "types": [spec(20)]}]
    item = hs.create_object(
        objectType="line_items", properties={"hs_product_id": product, "quantity": "3"}, associations=link
    )["id"]
    assert read("products", product, "name", "price") == ["Crane hour", "120"]
    assert read("line_items", item, "name", "amount") == ["Crane hour", "360"]

    made = hs.rest(
        "POST", "/crm-object-schemas/v3/schemas",
        {"name": "vessel", "labels": {"singular": "Vessel", "plural": "Vessels"}, "requiredProperties": ["imo"],
         "primaryDisplayProperty": "imo", "properties": [{"name": "imo", "label": "IMO", "hasUniqueValue": True}]},
    )[1]  # fmt: skip
    vessel = hs.create_object(objectType="vessel", properties={"imo": "IMO 2"})["id"]
    assert read(made["objectTypeId"], vessel, "imo") == ["IMO 2"]

    email = {"propertyName": "hs_email", "operator": "EQ", "value": "bea.stone@brightwater.example"}
    bea = hs.search_objects(objectType="users", filterGroups=[{"filters": [email]}])["results"][0]["id"]
    assert read("users", bea, "hs_given_name", "hs_job_title") == ["Bea", "Sales Director"]


def test_property_groups_are_listed(hs: HubSpot) -> None:
    path = "/crm/v3/properties/companies/groups"
    assert hs.rest("POST", path, {"name": "fleet", "label": "Fleet"})[0] == 201
    status, body = hs.rest("GET", path)
    assert (status, [(g["name"], g["label"]) for g in body["results"]][-1]) == (200, ("fleet", "Fleet"))
    assert hs.rest("GET", f"{path}/nowhere")[0] == 404
