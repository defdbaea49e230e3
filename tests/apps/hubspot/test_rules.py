"""HubSpot: rules."""

from legoenv_mcp.capabilities.crm import Company, Contact, Deal
from tests.apps.hubspot.support import HubSpot, codes, spec


def test_an_email_address_is_unique_whatever_its_case(hs: HubSpot) -> None:
    dana = hs.id(Contact, "dana")
    error = hs.refused("create_contact", properties={"email": "DANA@acme.example"})
    assert (error["code"], error["category"]) == (409, "CONFLICT")
    assert error["message"] == f"Contact already exists. Existing ID: {dana}"
    error = hs.refused("update_contact", contactId=hs.id(Contact, "omar"), properties={"email": "dana@acme.example"})
    assert error["code"] == 409
    inputs = [{"properties": {"email": "new@x.example"}}, {"properties": {"email": "dana@acme.example"}}]
    assert hs.refused("batch_create_objects", objectType="contacts", inputs=inputs)["code"] == 409
    hs.archive_contact(contactId=dana)
    assert hs.create_contact(properties={"email": "dana@acme.example"})["id"] != dana


def test_the_lifecycle_stage_moves_forward_only_unless_it_is_cleared(hs: HubSpot) -> None:
    dana = hs.id(Contact, "dana")
    before = hs.everything()
    reply = hs.update_contact(contactId=dana, properties={"lifecyclestage": "lead"})
    assert reply["properties"]["lifecyclestage"] == "customer"
    assert hs.everything() == before
    hs.update_contact(contactId=dana, properties={"lifecyclestage": "evangelist"})
    hs.update_contact(contactId=dana, properties={"lifecyclestage": ""})
    hs.update_contact(contactId=dana, properties={"lifecyclestage": "lead"})
    history = hs.get_contact(contactId=dana, propertiesWithHistory=["lifecyclestage"])["propertiesWithHistory"]
    assert [h["value"] for h in history["lifecyclestage"]] == ["lead", "", "evangelist", "customer"]
    acme = hs.id(Company, "acme")
    assert (
        hs.update_company(companyId=acme, properties={"lifecyclestage": "lead"})["properties"]["lifecyclestage"]
        == "customer"
    )


def test_a_stage_belongs_to_the_pipeline(hs: HubSpot) -> None:
    status, made = hs.rest(
        "POST", "/crm/v3/pipelines/deals",
        {"label": "Partners", "displayOrder": 1, "stages": [
            {"label": "Talks", "displayOrder": 0, "metadata": {"probability": "0.1"}, "stageId": "talks"},
            {"label": "Signed", "displayOrder": 1, "metadata": {"probability": "1.0"}, "stageId": "signed"},
        ]},
    )  # fmt: skip
    assert status == 201
    deal = hs.id(Deal, "renewal")
    error = hs.refused("update_deal", dealId=deal, properties={"dealstage": "talks"})
    assert codes(error) == {"dealstage": "INVALID_OPTION"}
    assert "talks is not a valid pipeline stage ID. Valid options are: pipelineId=default : [" in error["message"]
    assert codes(hs.refused("update_deal", dealId=deal, properties={"pipeline": made["id"]})) == {
        "dealstage": "INVALID_OPTION"
    }
    assert codes(hs.refused("update_deal", dealId=deal, properties={"pipeline": "nope"})) == {
        "pipeline": "INVALID_OPTION"
    }
    hs.update_deal(dealId=deal, properties={"pipeline": made["id"], "dealstage": "signed"})
    assert hs.values("deals", deal, "hs_is_closed_won") == {"hs_is_closed_won": "true"}
    assert hs.rest("DELETE", f"/crm/v3/pipelines/deals/{made['id']}?validateReferencesBeforeDelete=true")[1]["context"][
        "ids"
    ] == [deal]
    assert hs.rest("DELETE", f"/crm/v3/pipelines/deals/{made['id']}/stages/signed")[0] == 400
    assert (
        hs.rest(
            "POST", f"/crm/v3/pipelines/deals/{made['id']}/stages", {"label": "Bad", "displayOrder": 3, "metadata": {}}
        )[0]
        == 400
    )


def test_the_last_pipeline_stays(hs: HubSpot) -> None:
    for method, body in (("DELETE", None), ("PATCH", {"archived": True})):
        status, told = hs.rest(method, "/crm/v3/pipelines/deals/default", body)
        assert (status, told["message"]) == (400, "The last pipeline of an object type cannot be deleted")
    assert hs.episode.changes() == []


def test_closing_a_deal_dates_it_and_reopening_does_not(hs: HubSpot) -> None:
    deal = hs.id(Deal, "renewal")
    reply = hs.update_deal(dealId=deal, properties={"dealstage": "closedlost"})
    assert reply["properties"]["closedate"] == "2026-03-02T09:00:01Z"
    assert [(c.table, c.columns) for c in hs.episode.changes()] == [("deal", ("dealstage", "closedate"))]
    closed = hs.values(
        "deals", deal, "hs_is_closed", "hs_is_closed_won", "hs_deal_stage_probability", "hs_projected_amount"
    )
    assert [*closed.values()] == ["true", "false", "0", "0"]
    hs.update_deal(dealId=deal, properties={"dealstage": "contractsent"})
    assert hs.values("deals", deal, "hs_is_closed", "closedate") == {
        "hs_is_closed": "false",
        "closedate": "2026-03-02T09:00:01Z",
    }
    hs.update_deal(dealId=deal, properties={"dealstage": "closedwon", "closedate": "2026-03-15"})
    assert hs.values("deals", deal, "closedate") == {"closedate": "2026-03-15T00:00:00Z"}


def test_tickets_tasks_and_leads_follow_their_states(hs: HubSpot) -> None:
    error = hs.refused("create_ticket", properties={"subject": "No stage"})
    assert error["context"] == {"properties": ["hs_pipeline_stage"]}
    assert error["message"] == "Error creating TICKET. Some required properties were not set."
    ticket = hs.create_ticket(properties={"subject": "Stuck", "hs_pipeline_stage": "1", "hs_ticket_priority": "HIGH"})[
        "id"
    ]
    assert codes(hs.refused("update_ticket", ticketId=ticket, properties={"hs_pipeline_stage": "9"})) == {
        "hs_pipeline_stage": "INVALID_OPTION"
    }
    hs.update_ticket(ticketId=ticket, properties={"hs_pipeline_stage": "4"})
    assert hs.values("tickets", ticket, "hs_is_closed", "closed_date") == {
        "hs_is_closed": "true",
        "closed_date": "2026-03-02T09:00:02Z",
    }
    hs.update_ticket(ticketId=ticket, properties={"hs_pipeline_stage": "2"})
    assert hs.values("tickets", ticket, "closed_date") == {"closed_date": None}
    assert hs.refused("create_task", properties={"hs_task_subject": "No date"})["context"] == {
        "properties": ["hs_timestamp"]
    }
    task = hs.create_task(properties={"hs_task_subject": "Do", "hs_timestamp": "2026-03-09"})["id"]
    hs.update_object(objectType="tasks", objectId=task, properties={"hs_task_status": "COMPLETED"})
    assert hs.values("tasks", task, "hs_task_is_completed")["hs_task_is_completed"] == "1"
    assert hs.refused("create_object", objectType="leads", properties={"hs_lead_name": "Nobody"})["code"] == 400
    link = [{"to": {"id": hs.id(Contact, "dana")}, "types": [spec(578)]}]
    lead = hs.create_object(objectType="leads", properties={"hs_lead_name": "Dana again"}, associations=link)
    assert lead["properties"]["hs_pipeline_stage"] == "new-stage-id"
    assert hs.refused("create_object", objectType="users", properties={"hs_job_title": "CEO"})["code"] == 400


def test_an_archived_record_drops_out_of_reads_until_asked_for(hs: HubSpot) -> None:
    dana, acme = hs.id(Contact, "dana"), hs.id(Company, "acme")
    assert hs.values("companies", acme, "num_associated_contacts") == {"num_associated_contacts": "1"}
    hs.archive_contact(contactId=dana)
    assert hs.refused("get_contact", contactId=dana)["code"] == 404
    assert hs.get_contact(contactId=dana, archived=True)["archivedAt"]
    assert "dana@acme.example" not in hs.found("contacts")
    assert [r["id"] for r in hs.list_objects(objectType="contacts", archived=True)["results"]] == [dana]
    assert hs.list_associations(objectType="companies", objectId=acme, toObjectType="contacts")["results"] == []
    assert hs.values("companies", acme, "num_associated_contacts") == {"num_associated_contacts": None}
    assert hs.refused("update_contact", contactId=dana, properties={"city": "X"})["code"] == 404
    before = hs.everything()
    hs.archive_contact(contactId=dana)
    assert hs.everything() == before
    assert hs.refused("archive_object", objectType="deals", objectId="12345")["code"] == 404


def test_a_merge_keeps_the_primary_and_takes_what_it_lacks(hs: HubSpot) -> None:
    dana, omar = hs.id(Contact, "dana"), hs.id(Contact, "omar")
    hs.update_contact(contactId=omar, properties={"fax": "555", "city": "Paris", "lifecyclestage": "evangelist"})
    note = hs.create_note(
        properties={"hs_note_body": "n", "hs_timestamp": "2026-03-01"},
        associations=[{"to": {"id": omar}, "types": [spec(202)]}],
    )["id"]
    assert hs.refused("merge_contacts", primaryObjectId=dana, objectIdToMerge=dana)["code"] == 400
    assert hs.refused("merge_contacts", primaryObjectId=dana, objectIdToMerge="77")["code"] == 404
    merged = hs.merge_contacts(primaryObjectId=dana, objectIdToMerge=omar)["properties"]
    assert (merged["fax"], merged["city"], merged["lifecyclestage"]) == ("555", "London", "evangelist")
    assert (merged["hs_additional_emails"], merged["hs_merged_object_ids"]) == ("omar@bolt.example", omar)
    assert merged["associatedcompanyid"] == hs.id(Company, "acme")
    assert hs.get_contact(contactId=omar)["id"] == dana
    assert hs.get_contact(contactId="omar@bolt.example", idProperty="email")["id"] == dana
    assert hs.refused("create_contact", properties={"email": "omar@bolt.example"})["message"].endswith(dana)
    links = hs.list_associations(objectType="notes", objectId=note, toObjectType="contacts")["results"]
    assert [one["toObjectId"] for one in links] == [int(dana)]
    companies = hs.list_associations(objectType="contacts", objectId=dana, toObjectType="companies")["results"]
    assert [[t["label"] for t in c["associationTypes"]] for c in companies] == [["Primary", None], [None]]


def test_a_merged_record_is_reached_by_either_id(hs: HubSpot) -> None:
    dana, omar = hs.id(Contact, "dana"), hs.id(Contact, "omar")
    made = hs.create_list(name="Both", objectTypeId="0-1", processingType="MANUAL")["list"]["listId"]
    hs.add_list_members(listId=made, recordIds=[omar])
    hs.merge_contacts(primaryObjectId=dana, objectIdToMerge=omar)
    assert [m["recordId"] for m in hs.list_memberships(listId=made)["results"]] == [dana]
    ends = {"objectType": "contacts", "toObjectType": "companies"}
    assert hs.list_associations(objectId=omar, **ends) == hs.list_associations(objectId=dana, **ends)
    deal = hs.id(Deal, "won")
    hs.create_default_association(fromObjectType="deals", fromObjectId=deal, toObjectType="contacts", toObjectId=omar)
    found = hs.list_associations(objectType="deals", objectId=deal, toObjectType="contacts")["results"]
    assert [one["toObjectId"] for one in found] == [int(dana)]
    assert "Bolt - pilot" in hs.found("deals", ("associations.contact", "EQ", omar))
    assert hs.found("contacts", ("hs_merged_object_ids", "HAS_PROPERTY")) == ["dana@acme.example"]
    hs.remove_association(fromObjectType="contacts", fromObjectId=omar, toObjectType="deals", toObjectId=deal)
    assert hs.list_associations(objectType="deals", objectId=deal, toObjectType="contacts")["results"] == []
    assert hs.remove_list_members(listId=made, recordIds=[omar])["recordIdsRemoved"] == [dana]
