"""hubspot-api-client, unmodified but for its host, against the HubSpot app over real HTTP."""

import json
from typing import TYPE_CHECKING, Any

import hubspot
import pytest
from hubspot.crm.associations.v4 import AssociationSpec
from hubspot.crm.companies import SimplePublicObjectInputForCreate as NewCompany
from hubspot.crm.contacts import (
    BatchInputSimplePublicObjectBatchInputForCreate,
    BatchReadInputSimplePublicObjectId,
    Filter,
    FilterGroup,
    PublicMergeInput,
    PublicObjectSearchRequest,
    SimplePublicObjectBatchInputForCreate,
    SimplePublicObjectId,
    SimplePublicObjectInput,
    SimplePublicObjectInputForCreate,
)
from hubspot.crm.contacts.exceptions import ApiException as ContactsError
from hubspot.crm.deals import SimplePublicObjectInput as DealChange
from hubspot.crm.deals.exceptions import ApiException as DealsError
from hubspot.crm.lists import ListCreateRequest, ListSearchRequest
from hubspot.crm.objects.notes import SimplePublicObjectInputForCreate as NewNote
from hubspot.crm.pipelines import PipelineStagePatchInput
from hubspot.crm.properties import OptionInput, PropertyCreate
from hubspot.crm.tickets import SimplePublicObjectInputForCreate as NewTicket

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = [
    pytest.mark.sdk,
    # The SDK leaves its connections to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:hubspot.*"),
]


@pytest.fixture
def client(gateway: "Gateway") -> Any:
    return hubspot.Client.create(access_token="pat-na1-test", host=gateway.episode(["hubspot"]).rest("hubspot"))


def search(client: Any, kind: str, name: str, operator: str, value: str, **more: Any) -> Any:
    group = FilterGroup(filters=[Filter(property_name=name, operator=operator, value=value)])
    request = PublicObjectSearchRequest(filter_groups=[group], limit=10, **more)
    return getattr(client.crm, kind).search_api.do_search(public_object_search_request=request)


def error(caught: Any) -> dict[str, Any]:
    return json.loads(caught.value.body)


def test_contacts_are_created_read_changed_and_archived(client: Any) -> None:
    api = client.crm.contacts.basic_api
    made = api.create(
        SimplePublicObjectInputForCreate(
            properties={"email": "Ida.Lind@lind.example", "firstname": "Ida"}, associations=[]
        )
    )
    assert made.properties["email"] == "ida.lind@lind.example"
    assert made.created_at.year == 2026
    found = api.get_by_id("ida.lind@lind.example", id_property="email", properties=["firstname", "city"])
    assert (found.id, found.properties["city"]) == (made.id, None)
    changed = api.update(made.id, SimplePublicObjectInput(properties={"city": "Oslo"}))
    assert changed.properties["city"] == "Oslo"
    with pytest.raises(ContactsError) as caught:
        api.create(SimplePublicObjectInputForCreate(properties={"email": "ida.lind@lind.example"}, associations=[]))
    assert caught.value.status == 409
    assert error(caught)["message"] == f"Contact already exists. Existing ID: {made.id}"
    api.archive(made.id)
    with pytest.raises(ContactsError) as caught:
        api.get_by_id(made.id)
    assert (caught.value.status, error(caught)["category"]) == (404, "OBJECT_NOT_FOUND")
    assert api.get_by_id(made.id, archived=True).archived


def test_every_page_of_contacts_comes_once(client: Any) -> None:
    api, ids, after, pages = client.crm.contacts.basic_api, list[str](), None, 0
    while True:
        page = api.get_page(limit=25, after=after, properties=["email", "lastname"], associations=["companies"])
        ids += [r.id for r in page.results]
        pages += 1
        if page.paging is None:
            break
        assert "after=" in page.paging.next.link
        after = page.paging.next.after
    assert pages > 3
    assert len(ids) == len(set(ids))
    assert {c.id for c in client.crm.contacts.get_all()} == set(ids)


def test_searches_walk_their_pages(client: Any) -> None:
    found, after, page = list[str](), "0", None
    while after is not None:
        page = search(
            client,
            "contacts",
            "email",
            "CONTAINS_TOKEN",
            "*.example",
            sorts=["lastname"],
            properties=["lastname"],
            after=after,
        )
        found += [r.properties["lastname"] for r in page.results]
        after = page.paging.next.after if page.paging else None
    assert page is not None
    assert len(found) == page.total > 20
    assert [n.casefold() for n in found] == sorted(n.casefold() for n in found)
    with pytest.raises(ContactsError) as caught:
        search(client, "contacts", "no_such_property", "EQ", "1")
    assert error(caught)["message"] == "There was a problem with the request."


def test_batches_and_merges(client: Any) -> None:
    batch = client.crm.contacts.batch_api
    inputs = [
        SimplePublicObjectBatchInputForCreate(
            properties={"email": f"n{i}@new.example", "lastname": f"N{i}"}, associations=[]
        )
        for i in range(3)
    ]
    made = batch.create(BatchInputSimplePublicObjectBatchInputForCreate(inputs=inputs))
    assert (made.status, len(made.results)) == ("COMPLETE", 3)
    ids = [r.id for r in made.results]
    wanted = [SimplePublicObjectId(id=i) for i in [*ids, "1"]]
    read = batch.read(
        BatchReadInputSimplePublicObjectId(inputs=wanted, properties=["lastname"], properties_with_history=["lastname"])
    )
    assert (len(read.results), read.num_errors) == (3, 1)
    assert read.results[0].properties_with_history["lastname"][0].value == "N0"
    merged = client.crm.contacts.basic_api.merge(PublicMergeInput(primary_object_id=ids[0], object_id_to_merge=ids[1]))
    assert merged.properties["hs_additional_emails"] == "n1@new.example"


def test_deals_go_through_their_pipeline(client: Any) -> None:
    pipeline = client.crm.pipelines.pipelines_api.get_all("deals").results[0]
    assert [s.metadata["probability"] for s in pipeline.stages][-2:] == ["1.0", "0.0"]
    deal = search(client, "deals", "hs_is_closed", "EQ", "false").results[0]
    api = client.crm.deals.basic_api
    with pytest.raises(DealsError) as caught:
        api.update(deal.id, DealChange(properties={"dealstage": "nowhere"}))
    assert error(caught)["errors"][0]["code"] == "INVALID_OPTION"
    api.update(deal.id, DealChange(properties={"dealstage": "closedwon"}))
    won = api.get_by_id(deal.id, properties=["hs_is_closed_won", "closedate"], associations=["companies", "contacts"])
    assert won.properties["hs_is_closed_won"] == "true"
    assert won.properties["closedate"].startswith("2026-03-02")
    assert "deal_to_company" in {r.type for r in won.associations["companies"].results}
    stages = client.crm.pipelines.pipeline_stages_api
    changed = stages.update(
        "deals", "default", "contractsent", PipelineStagePatchInput(metadata={"probability": "0.75"})
    )
    assert changed.metadata["probability"] == "0.75"


def test_companies_tickets_notes_and_their_associations(client: Any) -> None:
    company = client.crm.companies.basic_api.create(
        NewCompany(properties={"name": "Lind AS", "domain": "https://www.Lind.example/"}, associations=[])
    )
    assert company.properties["domain"] == "lind.example"
    contact = search(client, "contacts", "email", "HAS_PROPERTY", "").results[0]
    v4 = client.crm.associations.v4.basic_api
    spec = AssociationSpec(association_category="HUBSPOT_DEFINED", association_type_id=280)
    pair = v4.create("companies", company.id, "contacts", contact.id, [spec])
    assert str(pair.to_object_id) == contact.id
    page = v4.get_page("companies", company.id, "contacts")
    assert [t.type_id for t in page.results[0].association_types] == [280]
    v4.create_default("contacts", contact.id, "companies", company.id)
    to = {"to": {"id": contact.id}, "types": [{"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": 16}]}
    ticket = client.crm.tickets.basic_api.create(
        NewTicket(properties={"subject": "Late", "hs_pipeline": "0", "hs_pipeline_stage": "1"}, associations=[to])
    )
    assert ticket.properties["hs_pipeline_stage"] == "1"
    note = client.crm.objects.notes.basic_api.create(
        NewNote(
            properties={"hs_timestamp": "2026-03-02T09:00:00Z", "hs_note_body": "Rang."},
            associations=[{**to, "types": [{"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": 202}]}],
        )
    )
    linked = client.crm.objects.basic_api.get_by_id("notes", note.id, associations=["contacts"])
    assert linked.associations["contacts"].results[0].type == "note_to_contact"
    v4.archive("companies", company.id, "contacts", contact.id)
    assert v4.get_page("companies", company.id, "contacts").results == []


def test_properties_owners_and_lists(client: Any) -> None:
    option = OptionInput(label="Gold", value="gold", hidden=False)
    made = client.crm.properties.core_api.create(
        "contacts",
        PropertyCreate(
            name="level",
            label="Level",
            type="enumeration",
            field_type="select",
            group_name="contactinformation",
            options=[option],
        ),
    )
    assert made.options[0].value == "gold"
    names = {p.name for p in client.crm.properties.core_api.get_all("contacts").results}
    assert {"email", "level", "lifecyclestage"} <= names
    owners = client.crm.owners.owners_api.get_page(limit=10)
    assert len(owners.results) == 10
    assert owners.paging.next.after == owners.results[-1].id
    maya = client.crm.owners.owners_api.get_page(email="maya.chen@quaymark.example").results[0]
    assert client.crm.owners.owners_api.get_by_id(int(maya.id)).first_name == "Maya"
    lists = client.crm.lists
    listed = lists.lists_api.create(ListCreateRequest(name="VIPs", object_type_id="0-1", processing_type="MANUAL")).list
    contact = client.crm.contacts.basic_api.get_page(limit=1).results[0]
    added = lists.memberships_api.add(listed.list_id, [contact.id])
    assert added.records_ids_added == [contact.id]
    assert lists.memberships_api.get_page(listed.list_id).results[0].record_id == contact.id
    found = lists.lists_api.do_search(ListSearchRequest(query="vip", offset=0, additional_properties=[]))
    assert (found.total, found.lists[0].additional_properties["hs_list_size"]) == (1, "1")
