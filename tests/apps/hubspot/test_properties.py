"""HubSpot: properties, engagements, lists, custom objects; the crm capability."""

import json

from legoenv_mcp import registry
from legoenv_mcp.capabilities.crm import Activity, Company, Contact, Deal, Lead
from legoenv_mcp.capabilities.people import Person
from tests.apps.hubspot.support import ENTITIES, TABLES, HubSpot, codes, spec
from tests.support.customers import LENA


def test_properties_are_defined_changed_and_archived(hs: HubSpot) -> None:
    made = hs.create_property(
        objectType="contacts", name="shirt", label="Shirt", groupName="contactinformation", type="enumeration", fieldType="select",
        options=[{"label": "Small", "value": "s"}, {"label": "Large", "value": "l"}],
    )  # fmt: skip
    assert (made["hubspotDefined"], [o["value"] for o in made["options"]]) == (False, ["s", "l"])
    assert (
        hs.refused("create_property", objectType="contacts", name="shirt", label="S", groupName="contactinformation")[
            "code"
        ]
        == 409
    )
    for bad in ({"name": "No good"}, {"groupName": "nowhere"}, {"type": "number"}, {"name": "id"}):
        given = {"objectType": "contacts", "name": "other", "label": "O", "groupName": "contactinformation", **bad}
        assert hs.refused("create_property", **given)["code"] in (400, 409)
    dana = hs.id(Contact, "dana")
    assert codes(hs.refused("update_contact", contactId=dana, properties={"shirt": "xl"})) == {
        "shirt": "INVALID_OPTION"
    }
    hs.update_contact(contactId=dana, properties={"shirt": "l"})
    assert hs.found("contacts", ("shirt", "EQ", "l")) == ["dana@acme.example"]
    changed = hs.update_property(objectType="contacts", propertyName="shirt", label="T-shirt")
    assert (changed["label"], len(changed["options"])) == ("T-shirt", 2)
    assert hs.refused("update_property", objectType="contacts", propertyName="email", type="number")["code"] == 400
    assert (
        hs.refused("update_property", objectType="contacts", propertyName="lifecyclestage", options=[])["code"] == 400
    )
    assert hs.refused("get_property", objectType="contacts", propertyName="nope")["code"] == 404
    assert hs.rest("DELETE", "/crm/v3/properties/contacts/email")[0] == 400
    assert hs.rest("DELETE", "/crm/v3/properties/contacts/shirt")[0] == 204
    assert "shirt" not in {p["name"] for p in hs.list_properties(objectType="contacts")["results"]}
    assert [p["name"] for p in hs.list_properties(objectType="contacts", archived=True)["results"]] == ["shirt"]
    assert codes(hs.refused("update_contact", contactId=dana, properties={"shirt": "s"})) == {
        "shirt": "PROPERTY_DOESNT_EXIST"
    }


def test_a_unique_property_is_a_key(hs: HubSpot) -> None:
    hs.create_property(
        objectType="deals", name="order_no", label="Order", groupName="dealinformation", hasUniqueValue=True
    )
    first, second = hs.id(Deal, "renewal"), hs.id(Deal, "won")
    hs.update_deal(dealId=first, properties={"order_no": "A-1"})
    error = hs.refused("update_deal", dealId=second, properties={"order_no": "a-1"})
    assert codes(error) == {"order_no": "CONFLICTING_UNIQUE_VALUE"}
    assert error["message"].endswith(f"{first} already has that value.")
    assert hs.get_object(objectType="deals", objectId="A-1", idProperty="order_no")["id"] == first


def test_engagements_are_notes_and_tasks_by_another_name(hs: HubSpot) -> None:
    deal, bea = hs.id(Deal, "renewal"), int(hs.id(Person, "bea"))
    made = hs.create_engagement(
        type="TASK", ownerId=bea, associations={"dealIds": [int(deal)]}, metadata={"subject": "Ring", "body": "Now", "status": "WAITING"}
    )["engagement"]  # fmt: skip
    assert hs.values("tasks", str(made["id"]), "hs_task_subject", "hs_task_status") == {
        "hs_task_subject": "Ring",
        "hs_task_status": "WAITING",
    }
    hs.update_engagement(engagementId=made["id"], metadata={"status": "COMPLETED"})
    found = hs.get_engagement(engagementId=made["id"])
    assert (found["metadata"]["status"], found["associations"]["dealIds"]) == ("COMPLETED", [int(deal)])
    assert hs.refused("get_engagement", engagementId=5)["code"] == 404
    assert hs.refused("create_engagement", type="NOTE", ownerId=bea, metadata={"shape": "round"})["code"] == 400
    assert hs.refused("create_engagement", type="NOTE", ownerId=5, metadata={"body": "x"})["code"] == 400
    assert (
        hs.refused("create_engagement", type="NOTE", associations={"dealIds": [9]}, metadata={"body": "x"})["code"]
        == 400
    )
    status, made = hs.rest(
        "POST",
        "/engagements/v1/engagements",
        {"engagement": {"type": "NOTE", "ownerId": bea}, "metadata": {"body": "x"}},
    )
    assert status == 200


def test_lists_are_kept_by_hand_or_by_filters(hs: HubSpot) -> None:
    dana = hs.id(Contact, "dana")
    vips = hs.create_list(name="VIPs", objectTypeId="0-1", processingType="MANUAL")["list"]["listId"]
    added = hs.add_list_members(listId=vips, recordIds=[dana, dana, "9"])
    assert (added["recordsIdsAdded"], added["recordIdsMissing"]) == ([dana], ["9"])
    assert [m["recordId"] for m in hs.list_memberships(listId=vips)["results"]] == [dana]
    assert (
        "already exists"
        in hs.refused("create_list", name="vips", objectTypeId="0-1", processingType="MANUAL")["message"]
    )
    assert hs.refused("create_list", name="D", objectTypeId="0-1", processingType="DYNAMIC")["code"] == 400
    branch = {"filterBranchType": "OR", "filterBranches": [{"filterBranchType": "AND", "filters": [
        {"filterType": "PROPERTY", "property": "lifecyclestage", "operation": {"operator": "IS_ANY_OF", "values": ["customer"]}},
        {"filterType": "PROPERTY", "property": "city", "operation": {"operator": "STARTS_WITH", "value": "lon"}},
    ]}]}  # fmt: skip
    dynamic = hs.create_list(name="Londoners", objectTypeId="contacts", processingType="DYNAMIC", filterBranch=branch)[
        "list"
    ]
    assert dynamic["size"] == 1
    hs.update_contact(contactId=dana, properties={"city": "Leeds"})
    assert hs.get_list(listId=dynamic["listId"])["list"]["size"] == 0
    error = hs.refused("add_list_members", listId=dynamic["listId"], recordIds=[dana])
    assert error["subCategory"] == "ILS.INVALID_LIST_PROCESSING_TYPE"
    bad = {"filterBranchType": "UNIFIED_EVENTS"}
    error = hs.refused("create_list", name="X", objectTypeId="0-1", processingType="DYNAMIC", filterBranch=bad)
    assert error["message"] == "Filter branch type UNIFIED_EVENTS is not supported"
    assert hs.search_lists(query="lond")["lists"][0]["additionalProperties"] == {"hs_list_size": "0"}
    assert hs.rest("GET", f"/crm/v3/lists/records/0-1/{dana}/memberships")[1]["results"][0]["listId"] == vips
    hs.remove_list_members(listId=vips, recordIds=[dana])
    assert hs.list_memberships(listId=vips)["total"] == 0
    assert hs.rest("DELETE", f"/crm/v3/lists/{vips}")[0] == 204
    assert hs.refused("get_list", listId=vips)["code"] == 404
    assert hs.rest("PUT", f"/crm/v3/lists/{vips}/restore")[0] == 204
    assert hs.rest("PUT", f"/crm/v3/lists/{vips}/update-list-name?listName=Best")[1]["updatedList"]["name"] == "Best"


def test_custom_objects_are_objects(hs: HubSpot) -> None:
    status, made = hs.rest(
        "POST", "/crm-object-schemas/v3/schemas",
        {"name": "vessel", "labels": {"singular": "Vessel", "plural": "Vessels"}, "requiredProperties": ["imo"],
         "searchableProperties": ["imo"],
         "primaryDisplayProperty": "imo", "properties": [
             {"name": "imo", "label": "IMO", "hasUniqueValue": True},
             {"name": "tons", "label": "Tons", "type": "number", "fieldType": "number"}]},
    )  # fmt: skip
    assert status == 201
    kind = made["objectTypeId"]
    assert [s["name"] for s in hs.get_schemas()["results"]] == ["vessel"]
    assert hs.refused("create_object", objectType=kind, properties={"tons": "5"})["code"] == 400
    one = hs.create_object(objectType="vessel", properties={"imo": "IMO 9074729", "tons": "81000"})["id"]
    hs.create_object(objectType=made["fullyQualifiedName"], properties={"imo": "IMO 2", "tons": "900"})
    assert hs.found(kind, ("tons", "GT", "1000")) == [one]
    assert (
        hs.get_object(objectType=kind, objectId="imo 9074729", idProperty="imo")["properties"]["imo"] == "IMO 9074729"
    )
    assert hs.refused("get_object", objectType="contacts", objectId=one)["code"] == 404


def test_line_items_take_after_their_product(hs: HubSpot) -> None:
    product = hs.create_object(
        objectType="products", properties={"name": "Crane hour", "price": "120", "hs_sku": "CH"}
    )["id"]
    link = [{"to": {"id": hs.id(Deal, "renewal")}, "types": [spec(20)]}]
    item = hs.create_object(
        objectType="line_items", properties={"hs_product_id": product, "quantity": "3", "hs_discount_percentage": "10"}, associations=link
    )  # fmt: skip
    assert (item["properties"]["name"], item["properties"]["amount"]) == ("Crane hour", "324")
    changed = hs.update_object(objectType="line_items", objectId=item["id"], properties={"quantity": 4})
    assert changed["properties"]["amount"] == "432"
    assert hs.refused("create_object", objectType="products", properties={"price": "1"})["context"] == {
        "properties": ["name"]
    }


def test_what_is_filled_is_viewed(hs: HubSpot) -> None:
    assert set(registry.load("hubspot").provides["crm"].entities) == {type(e) for e in ENTITIES}
    for entity in ENTITIES:
        made = hs.id(type(entity), entity.key)
        table = entity.kind if isinstance(entity, Activity) else TABLES[type(entity)]
        viewed = hs.view(table, made)
        assert viewed is not None, entity.key
        wanted = {**entity.model_dump(), "key": "", "id": made}
        kinds = {"owner": Person, "manager": Person, "company": Company, "contact": Contact}
        for name, kind in kinds.items():
            if wanted.get(name):
                wanted[name] = hs.id(kind, wanted[name])
        if wanted.get("about"):
            wanted["about"] = next(
                i for k in (Contact, Deal, Company, Lead)
                if (i := hs.live.template.refs[f"crm.{k.__name__}"].get(wanted["about"]))
            )  # fmt: skip
        assert viewed.model_dump() == wanted
    contacts = hs.live.store.query("SELECT id FROM contact WHERE email = ?", [LENA.email])
    assert hs.view("contact", contacts[0]["id"]) is None


def test_each_verb_s_effect_is_seen(hs: HubSpot) -> None:
    crm = registry.load("hubspot").provides["crm"]
    acme, bolt, dana = hs.id(Company, "acme"), hs.id(Company, "bolt"), hs.id(Contact, "dana")
    assert hs.play(crm.find_contact("Dana@acme.example"))[0]["results"][0]["id"] == dana
    assert hs.play(crm.get_contact(dana))[0]["properties"]["associatedcompanyid"] == acme
    assert sum(len(r["results"]) for r in hs.play(crm.list_contacts())) == 3
    new = Contact(first_name="Ida", last_name="Lind", email="ida@acme.example", title="CFO", do_not_contact=True)
    made = hs.play(crm.create_contact(new, acme))[0]["id"]
    viewed = hs.view("contact", made)
    assert isinstance(viewed, Contact)
    assert (viewed.name, viewed.company, viewed.title, viewed.do_not_contact) == ("Ida Lind", acme, "CFO", True)
    hs.play(crm.update_contact(made, company=bolt, mobile="+44 7700 900009", do_not_contact=False))
    viewed = hs.view("contact", made)
    assert isinstance(viewed, Contact)
    assert (viewed.company, viewed.mobile, viewed.do_not_contact) == (bolt, "+44 7700 900009", False)
    deal = hs.play(crm.find_deal("Acme - renewal"))[0]["results"][0]["id"]
    for stage in ("prospecting", "qualification", "proposal", "negotiation", "won", "lost"):
        hs.play(crm.set_deal_stage(deal, stage))
        seen = hs.view("deal", deal)
        assert isinstance(seen, Deal)
        assert seen.stage == stage


def test_what_is_archived_or_a_detail_is_no_entity(hs: HubSpot) -> None:
    deal = hs.id(Deal, "renewal")
    hs.archive_object(objectType="deals", objectId=deal)
    assert hs.view("deal", deal) is None
    note = hs.create_note(properties={"hs_note_body": "Plain words", "hs_timestamp": "2026-03-02T09:00:02Z"})["id"]
    seen = hs.view("note", note)
    assert isinstance(seen, Activity)
    assert (seen.subject, seen.body, seen.due) == ("", "Plain words", "")


def test_a_read_of_everything_in_the_world_stays_small(world: HubSpot) -> None:
    for op in world.live.app.operations.values():
        if (
            op.mcp
            and op.reads
            and "objectType" in op.params
            and len([p for p in op.params.values() if p.required]) == 1
        ):
            for kind in ("contacts", "companies", "deals", "leads", "tasks", "users"):
                reply = world.episode.call("hubspot", op.tool, {"objectType": kind})
                assert len(json.dumps(reply.body)) < 40_000
