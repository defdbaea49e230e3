"""Zendesk's administration: many records at once, addresses, tags, groups, fields, macros and views that are changed and deleted."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.zendesk.support import APP, ENTITIES, call, found, refused, rest, ticket, update, user_id

CUSTOMER = "dana@meridian.example"


@pytest.fixture
def episode() -> Episode:
    return episode_of(APP, ENTITIES)


def done(episode: Episode, method: str, path: str, body: Any = None, status: int = 200) -> Any:
    """What a REST request answers, which must be a success."""
    reply = rest(episode, method, f"/api/v2/{path}", body)
    assert reply.status == status, reply.body
    return reply.body


def wrong(episode: Episode, method: str, path: str, body: Any = None, status: int = 404) -> str:
    """What a refused REST request says, as one text. It changes nothing."""
    before = episode.changes()
    reply = rest(episode, method, f"/api/v2/{path}", body)
    assert reply.status == status, reply.body
    assert episode.changes() == before
    return str(reply.body)


def results(episode: Episode, answer: Any) -> list[Any]:
    """What became of each record of a job that is queued."""
    assert answer["job_status"]["status"] == "queued"
    job = call(episode, "show_job_status", job_status_id=answer["job_status"]["id"])["job_status"]
    assert (job["status"], job["total"]) == ("completed", len(job["results"]))
    return job["results"]


def organization(episode: Episode, name: str = "Meridian Freight") -> Any:
    return call(episode, "search", query=f'type:organization name:"{name}"')["results"][0]


# Tickets


def test_many_deleted_tickets_are_restored_or_destroyed(episode: Episode) -> None:
    before = ticket(episode, 101)["subject"]
    call(episode, "delete_many_tickets", ids=[101, 102, 104])
    wrong(episode, "PUT", "deleted_tickets/restore_many.json?ids=101,103")  # 103 is not deleted: none is restored
    done(episode, "PUT", "deleted_tickets/restore_many.json?ids=101,102")
    assert ticket(episode, 101)["subject"] == before
    assert [t["id"] for t in call(episode, "list_deleted_tickets")["deleted_tickets"]] == [104]
    assert found(episode, "type:ticket status<solved") == [102, 101]

    wrong(episode, "DELETE", "deleted_tickets/destroy_many.json?ids=104,101")
    done_for = results(episode, done(episode, "DELETE", "deleted_tickets/destroy_many.json?ids=104"))
    assert [(r["id"], r["success"]) for r in done_for] == [(104, True)]
    assert call(episode, "list_deleted_tickets")["deleted_tickets"] == []
    wrong(episode, "PUT", "deleted_tickets/restore_many.json?ids=104")
    gone = {c.table for c in episode.changes() if c.kind == "delete"}
    assert gone >= {"ticket", "comment"}


def test_words_of_a_message_are_redacted(episode: Episode) -> None:
    first = call(episode, "list_ticket_comments", ticket_id=101)["comments"][0]["id"]
    path = f"tickets/101/comments/{first}/redact.json"
    assert "was not found" in wrong(episode, "PUT", path, {"text": "card"}, 422)
    wrong(episode, "PUT", "tickets/101/comments/9/redact.json", {"text": "export"})
    wrong(episode, "PUT", f"tickets/102/comments/{first}/redact.json", {"text": "export"})
    body = done(episode, "PUT", path, {"text": "export"})["comment"]["body"]
    assert body == "The nightly ▇▇▇▇▇▇ stops with an error."
    assert call(episode, "list_ticket_comments", ticket_id=101)["comments"][0]["body"] == body
    assert ticket(episode, 101)["description"] == body
    closed = call(episode, "list_ticket_comments", ticket_id=103)["comments"][0]["id"]
    wrong(episode, "PUT", f"tickets/103/comments/{closed}/redact.json", {"text": "fine"}, 422)


def test_an_upload_is_deleted_until_it_is_in_a_message(episode: Episode) -> None:
    tokens = [
        done(episode, "POST", f"uploads.json?filename={name}", b"lines", 201)["upload"]["token"]
        for name in ("one.txt", "two.txt")
    ]
    done(episode, "DELETE", f"uploads/{tokens[0]}.json", status=204)
    wrong(episode, "DELETE", f"uploads/{tokens[0]}.json")
    refused(episode, "update_ticket", ticket_id=101, ticket={"comment": {"body": "See", "uploads": [tokens[0]]}})
    update(episode, 101, comment={"body": "See", "uploads": [tokens[1]]})
    wrong(episode, "DELETE", f"uploads/{tokens[1]}.json")


def test_a_field_is_deleted_with_its_values(episode: Episode) -> None:
    made = call(episode, "create_ticket_field", ticket_field={"type": "text", "title": "Order"})["ticket_field"]["id"]
    update(episode, 101, custom_fields=[{"id": made, "value": "A-17"}])
    fields = {f["type"]: f["id"] for f in call(episode, "list_ticket_fields")["ticket_fields"]}
    assert "system field" in wrong(episode, "DELETE", f"ticket_fields/{fields['subject']}.json", status=422)
    done(episode, "DELETE", f"ticket_fields/{made}.json", status=204)
    wrong(episode, "DELETE", f"ticket_fields/{made}.json")
    assert made not in {f["id"] for f in call(episode, "list_ticket_fields")["ticket_fields"]}
    assert made not in {f["id"] for f in done(episode, "GET", "tickets/101.json")["ticket"]["custom_fields"]}
    refused(episode, "update_ticket", ticket_id=101, ticket={"custom_fields": [{"id": made, "value": "A-18"}]})


# Groups


def test_a_group_is_renamed_and_made_an_agents_default(episode: Episode) -> None:
    groups = {g["name"]: g["id"] for g in call(episode, "list_groups")["groups"]}
    path = f"groups/{groups['Billing']}.json"
    assert "already been taken" in wrong(episode, "PUT", path, {"group": {"name": "first LINE"}}, 422)
    wrong(episode, "PUT", "groups/9.json", {"group": {"name": "Finance"}})
    done(episode, "PUT", path, {"group": {"name": "Finance", "description": "Invoices"}})
    shown = done(episode, "GET", path)["group"]
    assert (shown["name"], shown["description"]) == ("Finance", "Invoices")
    assert found(episode, "type:ticket group:Finance") == [104, 103]

    bea = user_id(episode, "bea@brightwater.example")
    joined = {"user_id": bea, "group_id": groups["Billing"]}
    made = call(episode, "create_group_membership", group_membership=joined)["group_membership"]["id"]
    wrong(episode, "PUT", f"users/{user_id(episode, CUSTOMER)}/group_memberships/{made}/make_default.json")
    answer = done(episode, "PUT", f"users/{bea}/group_memberships/{made}/make_default.json")["group_memberships"]
    assert [m["group_id"] for m in answer if m["default"]] == [groups["Billing"]]
    assert call(episode, "show_user", user_id=bea)["user"]["default_group_id"] == groups["Billing"]


# Users


def test_many_users_are_created_or_changed(episode: Episode) -> None:
    ann, cat = {"name": "Ann Dell", "email": "ann@new.example"}, {"name": "Cat Ives", "email": "cat@new.example"}
    made = results(
        episode, done(episode, "POST", "users/create_many.json", {"users": [ann, {"name": "Twin", "email": CUSTOMER}]})
    )
    assert made[0] == {"index": 0, "status": "Created", "id": user_id(episode, "ann@new.example")}
    assert (made[1]["index"], made[1]["success"]) == (1, False)
    assert CUSTOMER in made[1]["details"]
    again = {"users": [{**ann, "phone": "+44 20 7946 0002"}, cat]}
    both = results(episode, done(episode, "POST", "users/create_or_update_many.json", again))
    assert [r["status"] for r in both] == ["Updated", "Created"]
    assert both[0]["id"] == made[0]["id"]
    assert call(episode, "show_user", user_id=made[0]["id"])["user"]["phone"] == "+44 20 7946 0002"
    assert call(episode, "show_user", user_id=both[1]["id"])["user"]["name"] == "Cat Ives"
    wrong(episode, "POST", "users/create_many.json", {"users": [ann] * 101}, 400)
    wrong(episode, "POST", "users/create_or_update_many.json", {"users": [ann] * 101}, 400)


def test_addresses_are_verified_changed_and_deleted(episode: Episode) -> None:
    kim = call(episode, "create_user", user={"name": "Kim Ash", "email": "kim@new.example"})["user"]
    own = f"users/{kim['id']}/identities"
    assert not kim["verified"]
    first = done(episode, "GET", f"{own}.json")["identities"][0]["id"]
    added = {"identity": {"type": "email", "value": "kim@other.example"}}
    second = done(episode, "POST", f"{own}.json", added, 201)["identity"]["id"]

    assert done(episode, "PUT", f"{own}/{first}/request_verification.json") == {}
    assert not call(episode, "show_user", user_id=kim["id"])["user"]["verified"]
    assert done(episode, "PUT", f"{own}/{first}/verify.json")["identity"]["verified"]
    assert call(episode, "show_user", user_id=kim["id"])["user"]["verified"]
    shown = {i["id"]: i["verified"] for i in call(episode, "list_user_identities", user_id=kim["id"])["identities"]}
    assert shown == {first: True, second: False}

    taken = {"identity": {"value": CUSTOMER}}
    assert CUSTOMER in wrong(episode, "PUT", f"{own}/{second}.json", taken, 422)
    done(episode, "PUT", f"{own}/{second}.json", {"identity": {"value": "Kim.Ash@other.example", "verified": True}})
    done(episode, "PUT", f"{own}/{first}.json", {"identity": {"value": "k.ash@new.example"}})
    shown = done(episode, "GET", f"{own}/{second}.json")["identity"]
    assert (shown["value"], shown["verified"], shown["primary"]) == ("kim.ash@other.example", True, False)
    assert call(episode, "show_user", user_id=kim["id"])["user"]["email"] == "k.ash@new.example"

    assert "primary" in wrong(episode, "DELETE", f"{own}/{first}.json", status=422)
    done(episode, "DELETE", f"{own}/{second}.json", status=204)
    assert [i["id"] for i in call(episode, "list_user_identities", user_id=kim["id"])["identities"]] == [first]
    call(episode, "create_user", user={"name": "Kim Other", "email": "kim.ash@other.example"})  # the address is free
    elsewhere = f"users/{user_id(episode, CUSTOMER)}/identities/{first}"
    wrong(episode, "DELETE", f"{elsewhere}.json")
    wrong(episode, "PUT", f"{elsewhere}.json", {"identity": {"verified": False}})
    wrong(episode, "PUT", f"{elsewhere}/verify.json")
    wrong(episode, "PUT", f"{elsewhere}/request_verification.json")


def test_an_address_that_is_verified_makes_its_user_verified(episode: Episode) -> None:
    for name, how in (("ann", "added"), ("ben", "changed")):
        user = call(episode, "create_user", user={"name": name, "email": f"{name}@new.example"})["user"]["id"]
        own = f"users/{user}/identities"
        if how == "added":
            given = {"type": "email", "value": f"{name}@other.example", "verified": True}
            done(episode, "POST", f"{own}.json", {"identity": given}, 201)
        else:
            first = done(episode, "GET", f"{own}.json")["identities"][0]["id"]
            done(episode, "PUT", f"{own}/{first}.json", {"identity": {"verified": True}})
        assert call(episode, "show_user", user_id=user)["user"]["verified"], how


def test_tags_of_users_and_organizations(episode: Episode) -> None:
    dana, firm = f"users/{user_id(episode, CUSTOMER)}", f"organizations/{organization(episode)['id']}"
    for path in (dana, firm):
        assert done(episode, "PUT", f"{path}/tags.json", {"tags": ["VIP", "beta tester"]}) == {
            "tags": ["beta", "tester", "vip"]
        }
        assert done(episode, "PUT", f"{path}/tags.json", {"tags": ["vip", "eu"]})["tags"] == [
            "beta", "eu", "tester", "vip",
        ]  # fmt: skip
        assert done(episode, "GET", f"{path}/tags.json")["tags"] == ["beta", "eu", "tester", "vip"]
    assert found(episode, "type:user tags:eu") == [user_id(episode, CUSTOMER)]
    assert found(episode, "type:organization tags:eu") == [organization(episode)["id"]]
    assert done(episode, "DELETE", f"{dana}/tags.json", {"tags": ["eu", "unknown"]})["tags"] == [
        "beta", "tester", "vip",
    ]  # fmt: skip
    assert done(episode, "POST", f"{dana}/tags.json", {"tags": ["gold"]}, 201) == {"tags": ["gold"]}
    shown = call(episode, "show_user", user_id=user_id(episode, CUSTOMER))["user"]
    assert shown["tags"] == ["gold"]
    for method in ("PUT", "POST", "DELETE"):
        wrong(episode, method, "users/9/tags.json", {"tags": ["vip"]})
    wrong(episode, "PUT", "organizations/9/tags.json", {"tags": ["vip"]})


# Organizations


def test_an_organization_is_created_or_changed_by_id_or_external_id(episode: Episode) -> None:
    path = "organizations/create_or_update.json"
    acme = {"name": "Acme", "external_id": "a1"}
    made = done(episode, "POST", path, {"organization": acme}, 201)["organization"]["id"]
    renamed = done(episode, "POST", path, {"organization": {"name": "Acme Works", "external_id": "a1"}})
    assert (renamed["organization"]["id"], renamed["organization"]["name"]) == (made, "Acme Works")
    noted = {"organization": {"id": made, "notes": "Pays late", "domain_names": ["elsewhere.example"]}}
    assert done(episode, "POST", path, noted)["organization"]["id"] == made
    shown = call(episode, "show_organization", organization_id=made)["organization"]
    assert (shown["name"], shown["notes"]) == ("Acme Works", "Pays late")
    finn = call(episode, "show_user", user_id=user_id(episode, "finn@elsewhere.example"))["user"]
    assert finn["organization_id"] == made
    # A name alone does not say which organization is meant.
    assert "already been taken" in wrong(episode, "POST", path, {"organization": {"name": "Acme Works"}}, 422)


def test_many_organizations_are_created_changed_and_deleted(episode: Episode) -> None:
    given = [{"name": "North", "external_id": "n"}, {"name": "Meridian Freight"}, {"name": "South"}]
    made = results(episode, done(episode, "POST", "organizations/create_many.json", {"organizations": given}))
    assert [r["status"] for r in made] == ["Created", "Failed", "Created"]
    assert "already been taken" in made[1]["details"]
    north, south = made[0]["id"], made[2]["id"]
    assert organization(episode, "North")["id"] == north

    alike = done(
        episode, "PUT", f"organizations/update_many.json?ids={north},{south},9", {"organization": {"notes": "Pole"}}
    )
    assert [(r["id"], r["success"]) for r in results(episode, alike)] == [(north, True), (south, True), (9, False)]
    each = {"organizations": [{"external_id": "n", "details": "Cold"}, {"id": south, "name": "Far South"}]}
    assert all(r["success"] for r in results(episode, done(episode, "PUT", "organizations/update_many.json", each)))
    shown = call(episode, "show_organization", organization_id=north)["organization"]
    assert (shown["notes"], shown["details"]) == ("Pole", "Cold")
    shown = call(episode, "show_organization", organization_id=south)["organization"]
    assert (shown["notes"], shown["name"]) == ("Pole", "Far South")
    wrong(episode, "PUT", "organizations/update_many.json", {}, 400)

    meridian = organization(episode)["id"]
    gone = results(episode, done(episode, "DELETE", f"organizations/destroy_many.json?ids={meridian},9"))
    assert [(r["id"], r["success"]) for r in gone] == [(meridian, True), (9, False)]
    refused(episode, "show_organization", organization_id=meridian)
    assert call(episode, "show_user", user_id=user_id(episode, CUSTOMER))["user"].get("organization_id") is None
    assert ticket(episode, 101).get("organization_id") is None
    done(episode, "DELETE", "organizations/destroy_many.json?external_ids=n")
    assert [o["name"] for o in call(episode, "list_organizations")["organizations"]] == ["Far South"]


# Rules


def test_a_macro_is_changed_and_deleted(episode: Episode) -> None:
    high = [{"field": "priority", "value": "high"}]
    made = done(episode, "POST", "macros.json", {"macro": {"title": "Hurry", "actions": high}}, 201)["macro"]["id"]
    path = f"macros/{made}.json"
    assert "blank" in wrong(episode, "PUT", path, {"macro": {"title": " "}}, 422)
    wrong(episode, "PUT", path, {"macro": {"actions": [{"field": "mood", "value": "x"}]}}, 422)
    wrong(episode, "PUT", "macros/9.json", {"macro": {"title": "Nobody's"}})
    urgent = [{"field": "priority", "value": "urgent"}]
    done(episode, "PUT", path, {"macro": {"title": "Hurry up", "actions": urgent}})
    assert "Hurry up" in {m["title"] for m in call(episode, "list_macros")["macros"]}
    applied = call(episode, "apply_macro", ticket_id=102, macro_id=made)["result"]["ticket"]
    assert applied["priority"] == "urgent"
    done(episode, "PUT", path, {"macro": {"active": False}})
    assert made not in {m["id"] for m in call(episode, "list_macros", active=True)["macros"]}
    assert done(episode, "GET", path)["macro"]["actions"] == urgent

    done(episode, "DELETE", path, status=204)
    wrong(episode, "DELETE", path)
    refused(episode, "apply_macro", ticket_id=102, macro_id=made)
    assert made not in {m["id"] for m in call(episode, "list_macros")["macros"]}


def test_a_view_is_changed(episode: Episode) -> None:
    def condition(value: str) -> list[dict[str, str]]:
        return [{"field": "status", "operator": "is", "value": value}]

    def listed() -> list[int]:
        return [t["id"] for t in call(episode, "list_view_tickets", view_id=made)["tickets"]]

    made = call(episode, "create_view", view={"title": "Mine", "all": condition("open")})["view"]["id"]
    path = f"views/{made}.json"
    assert listed() == [101]
    shown = done(episode, "PUT", path, {"view": {"title": "Solved", "all": condition("solved")}})["view"]
    assert (shown["title"], listed()) == ("Solved", [104])
    some = [{"field": "priority", "operator": "is", "value": "high"}]
    done(episode, "PUT", path, {"view": {"any": some}})  # the conditions of `all` stay
    assert listed() == []
    assert "blank" in wrong(episode, "PUT", path, {"view": {"title": ""}}, 422)
    assert "at least one" in wrong(episode, "PUT", path, {"view": {"all": []}}, 422)
    wrong(episode, "PUT", "views/9.json", {"view": {"title": "Nobody's"}})
    done(episode, "PUT", path, {"view": {"active": False}})
    assert made not in {v["id"] for v in call(episode, "list_views", active=True)["views"]}
