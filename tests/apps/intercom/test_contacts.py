"""Intercom: contacts."""

from legoenv_mcp.kernel.episode import Episode
from tests.apps.intercom.support import call, contact, declined, http, me, refused


def test_a_contact_with_an_existing_external_id_is_refused_and_named(episode: Episode) -> None:
    made = call(
        episode, "create_contact", email="Ada@Example.com", external_id="u-1", name="Ada", owner_id=int(me(episode))
    )
    assert (made["role"], made["email"], made["external_id"], made["owner_id"]) == (
        "user",
        "ada@example.com",
        "u-1",
        int(me(episode)),
    )
    assert len(made["id"]) == 24
    told = f"A contact matching those details already exists with id={made['id']}"
    assert refused(episode, "create_contact", external_id="u-1") == (409, "conflict", told)
    assert refused(episode, "create_contact", role="lead", external_id="u-1")[0] == 409
    assert refused(episode, "create_contact", email="ADA@example.com") == (409, "conflict", told)
    # Users who have ids of their own may share an address; leads may have any.
    call(episode, "create_contact", email="ada@example.com", external_id="u-2")
    call(episode, "create_contact", email="ada@example.com", role="lead")
    assert refused(episode, "update_contact", contact_id=contact(episode), external_id="u-2")[0] == 409
    call(episode, "archive_contact", contact_id=made["id"])
    assert refused(episode, "create_contact", external_id="u-1")[2].startswith("An archived contact matching")
    assert http(episode, "GET", "/contacts/find_by_external_id/u-2")["email"] == "ada@example.com"
    assert declined(episode, "GET", "/contacts/find_by_external_id/u-1") == (404, "not_found", "User Not Found")


def test_what_a_contact_must_be(episode: Episode) -> None:
    assert refused(episode, "create_contact", role="user", name="Nobody")[:2] == (400, "parameter_invalid")
    assert refused(episode, "create_contact", email="no address")[2] == "Email is invalid"
    owner = refused(episode, "create_contact", email="a@b.example", owner_id=1)
    assert owner == (400, "parameter_invalid", "The owner specified is not a member of the workspace")
    unknown = refused(episode, "create_contact", email="a@b.example", custom_attributes={"shoe_size": 4})
    assert unknown == (400, "parameter_invalid", "Custom attribute 'shoe_size' does not exist")
    assert refused(episode, "create_contact", email="a@b.example", custom_attributes={"time_zone": 4})[0] == 400
    assert declined(episode, "POST", "/contacts", {"email": "a@b.example", "shoe": 1}) == (
        400,
        "bad_request",
        "bad 'shoe' parameter",
    )
    assert refused(episode, "update_contact", contact_id=contact(episode), role="lead")[0] == 400
    assert refused(episode, "update_contact", contact_id=contact(episode), email=None)[0] == 400
    assert refused(episode, "retrieve_contact", contact_id="ffffffffffffffffffffffff") == (
        404,
        "not_found",
        "User Not Found",
    )
    row = call(
        episode,
        "update_contact",
        contact_id=contact(episode),
        custom_attributes={"time_zone": "Europe/Paris"},
        phone="+33",
    )
    assert (row["custom_attributes"], row["phone"]) == ({"time_zone": "Europe/Paris"}, "+33")
    assert "custom_attributes" not in call(
        episode, "update_contact", contact_id=contact(episode), custom_attributes={"time_zone": None}
    )


def test_a_lead_is_merged_into_a_user_and_never_the_other_way(episode: Episode) -> None:
    lead = call(episode, "create_contact", role="lead", email="d@meridian.example", phone="+1 555")["id"]
    user = contact(episode)
    made = call(episode, "create_conversation", **{"from": {"type": "lead", "id": lead}, "body": "Hi"})[
        "conversation_id"
    ]
    call(episode, "create_note", contact_id=lead, body="Met at the fair")
    tag = call(episode, "create_or_update_tag", name="fair", users=[{"id": lead}])["id"]
    assert refused(episode, "merge_contacts", **{"from": user, "into": lead})[:2] == (400, "parameter_invalid")
    assert refused(episode, "merge_contacts", **{"from": user, "into": user})[0] == 400
    assert refused(episode, "merge_contacts", **{"from": lead, "into": lead})[0] == 400
    merged = call(episode, "merge_contacts", **{"from": lead, "into": user})
    assert (merged["id"], merged["email"], merged["phone"]) == (user, "dana@meridian.example", "+1 555")
    assert [t["id"] for t in merged["tags"]["data"]] == [tag]
    assert merged["notes"]["total_count"] == 1
    assert refused(episode, "retrieve_contact", contact_id=lead)[0] == 404
    assert http(episode, "GET", f"/conversations/{made}")["source"]["author"]["id"] == user


def test_archived_contacts_are_out_of_sight_until_they_come_back(episode: Episode) -> None:
    who = contact(episode)
    query = {"field": "id", "operator": "=", "value": who}
    assert call(episode, "archive_contact", contact_id=who)["archived"] is True
    assert call(episode, "search_contacts", query=query)["total_count"] == 0
    assert refused(episode, "update_contact", contact_id=who, name="X")[0] == 404
    assert call(episode, "unarchive_contact", contact_id=who)["archived"] is False
    assert call(episode, "search_contacts", query=query)["total_count"] == 1
    assert http(episode, "POST", f"/contacts/{who}/block") == {
        "type": "contact",
        "id": who,
        "external_id": None,
        "blocked": True,
    }
    assert refused(episode, "retrieve_contact", contact_id=who)[0] == 404
    call(episode, "unarchive_contact", contact_id=who)
    gone = call(episode, "delete_contact", contact_id=who)
    assert gone["deleted"] is True
    assert refused(episode, "unarchive_contact", contact_id=who)[0] == 404


def test_companies_of_contacts(episode: Episode) -> None:
    who, firm = contact(episode, "finn"), call(episode, "list_companies", company_id="meridian")["id"]
    joined = call(episode, "attach_contact_to_company", contact_id=who, id=firm)
    assert (joined["name"], joined["user_count"]) == ("Meridian", 2)
    assert http(episode, "GET", f"/contacts/{who}/companies")["data"][0]["id"] == firm
    assert call(episode, "list_contacts_of_company", company_id=firm)["total_count"] == 2
    assert declined(episode, "POST", f"/contacts/{who}/companies", {}) == (
        400,
        "parameter_not_found",
        "company not specified",
    )
    assert declined(episode, "POST", f"/contacts/{who}/companies", {"id": "x"}) == (
        404,
        "company_not_found",
        "Company Not Found",
    )
    assert call(episode, "detach_contact_from_company", contact_id=who, company_id=firm)["user_count"] == 1
    assert refused(episode, "detach_contact_from_company", contact_id=who, company_id=firm)[:2] == (
        404,
        "company_not_found",
    )


def test_companies_are_made_or_changed_by_their_own_id(episode: Episode) -> None:
    made = call(
        episode, "create_or_update_company", company_id="c-9", name="Nine", custom_attributes={"seats": 4}, plan="Gold"
    )
    again = call(episode, "create_or_update_company", company_id="c-9", size=12)
    assert (again["id"], again["name"], again["size"], again["custom_attributes"]) == (
        made["id"],
        "Nine",
        12,
        {"seats": 4},
    )
    assert again["plan"]["name"] == "Gold"
    assert refused(episode, "create_or_update_company", name="No id")[:2] == (400, "parameter_not_found")
    assert declined(episode, "POST", "/companies", {"company_id": "c-9", "test": 1}) == (
        400,
        "bad_request",
        "bad 'test' parameter",
    )
    assert refused(episode, "create_or_update_company", company_id="c-9", custom_attributes={"seats": "four"})[0] == 400
    assert "seats" in [a["name"] for a in call(episode, "list_data_attributes", model="company")["data"]]
    assert (
        http(episode, "PUT", f"/companies/{made['id']}", {"website": "https://nine.example"})["website"]
        == "https://nine.example"
    )
    # Lists leave out a company that nobody belongs to yet; by its own id it is found.
    assert [c["company_id"] for c in http(episode, "POST", "/companies/list?order=asc")["data"]] == ["meridian"]
    assert call(episode, "list_companies")["total_count"] == 1
    assert call(episode, "list_companies", company_id="c-9")["id"] == made["id"]
    call(episode, "attach_contact_to_company", contact_id=contact(episode), id=made["id"])
    assert {c["company_id"] for c in http(episode, "GET", "/companies")["data"]} == {"meridian", "c-9"}
    assert http(episode, "POST", "/companies", {"company_id": "c-9", "monthly_spend": 155.98})["monthly_spend"] == 155
    page = http(episode, "GET", "/companies/scroll")
    assert len(page["data"]) == 2
    assert http(episode, "GET", f"/companies/scroll?scroll_param={page['scroll_param']}")["data"] == []
    assert declined(episode, "GET", "/companies/scroll?scroll_param=zzz")[0] == 404
    assert http(episode, "DELETE", f"/companies/{made['id']}") == {
        "id": made["id"],
        "object": "company",
        "deleted": True,
    }
    assert refused(episode, "retrieve_company", company_id=made["id"])[:2] == (404, "company_not_found")


def test_tags_notes_segments_and_subscriptions(episode: Episode) -> None:
    who = contact(episode)
    tag = call(episode, "create_or_update_tag", name="VIP")["id"]
    assert call(episode, "create_or_update_tag", name="vip")["id"] == tag
    assert call(episode, "tag_contact", contact_id=who, id=tag)["applied_by"]["id"] == me(episode)
    assert http(episode, "GET", f"/contacts/{who}/tags")["data"][0]["name"] == "VIP"
    found = call(episode, "search_contacts", query={"field": "tag_id", "operator": "=", "value": tag})
    assert [c["id"] for c in found["data"]] == [who]
    assert call(episode, "untag_contact", contact_id=who, tag_id=tag)["id"] == tag
    assert refused(episode, "untag_contact", contact_id=who, tag_id=tag) == (404, "not_found", "Resource Not Found")
    assert refused(episode, "tag_contact", contact_id=who, id="1")[:2] == (404, "not_found")
    assert refused(episode, "create_or_update_tag", name=" ") == (400, "parameter_invalid", "invalid tag parameters")
    http(episode, "DELETE", f"/tags/{tag}")
    assert declined(episode, "GET", f"/tags/{tag}")[0] == 404
    note = call(episode, "create_note", contact_id=who, body="Called back", admin_id=me(episode))
    assert note["body"] == "<p>Called back</p>"
    assert http(episode, "GET", f"/notes/{note['id']}")["author"]["id"] == me(episode)
    assert call(episode, "list_notes", contact_id=who)["total_count"] == 1
    assert refused(episode, "create_note", contact_id=who, body="x", admin_id="1") == (
        404,
        "not_found",
        "Resource Not Found",
    )
    segments = call(episode, "list_segments", include_count=True)["segments"]
    assert {s["name"]: s["count"] for s in segments} == {"All users": 2, "All leads": 0, "Unsubscribed": 0}
    call(episode, "update_contact", contact_id=who, unsubscribed_from_emails=True)
    assert {s["name"] for s in http(episode, "GET", f"/contacts/{who}/segments")["data"]} == {
        "All users",
        "Unsubscribed",
    }
    types = {t["consent_type"]: t["id"] for t in http(episode, "GET", "/subscription_types")["data"]}
    path = f"/contacts/{who}/subscriptions"
    assert http(episode, "POST", path, {"id": types["opt_in"], "consent_type": "opt_in"})["id"] == types["opt_in"]
    assert declined(episode, "POST", path, {"id": types["opt_in"], "consent_type": "opt_out"})[0] == 400
    assert http(episode, "GET", f"/contacts/{who}")["opted_in_subscription_types"]["total_count"] == 1
    http(episode, "DELETE", f"{path}/{types['opt_in']}")
    assert http(episode, "GET", path)["data"] == []
