"""Google Calendar with Google's own Python client, its base URL changed and nothing else."""

import copy
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import googleapiclient
import pytest
from google.auth.credentials import AnonymousCredentials
from googleapiclient.discovery import build, build_from_document
from googleapiclient.errors import HttpError
from googleapiclient.http import BatchHttpRequest

from legoenv_mcp import registry

pytestmark = pytest.mark.sdk

DOCUMENT: dict[str, Any] = json.loads(
    (Path(googleapiclient.__file__).parent / "discovery_cache/documents/calendar.v3.json").read_text("utf-8")
)
MAYA, JUN = "maya.chen@quaymark.example", "jun.takeda@quaymark.example"


@pytest.fixture
def base(gateway: Any) -> str:
    return gateway.episode(["google_calendar"]).rest("google_calendar")


@pytest.fixture
def service(base: str) -> Iterator[Any]:
    options = {"api_endpoint": f"{base}/calendar/v3/"}
    with build(
        "calendar", "v3", static_discovery=True, client_options=options, credentials=AnonymousCredentials()
    ) as made:
        yield made


@pytest.fixture
def rooted(base: str) -> Iterator[Any]:
    """The client takes addresses from the document's root URL as well, as it does against the product."""
    document = {**copy.deepcopy(DOCUMENT), "rootUrl": f"{base}/", "baseUrl": f"{base}/calendar/v3/"}
    with build_from_document(document, credentials=AnonymousCredentials()) as made:
        yield made


def walk(call: Any, following: Any) -> tuple[list[dict[str, Any]], int, dict[str, Any]]:
    """All items of a list, how many pages there were, the last of them."""
    items, pages, page = list[dict[str, Any]](), 0, dict[str, Any]()
    while call is not None:
        page = call.execute()
        items += page["items"]
        pages += 1
        call = following(call, page)
    return items, pages, page


def refused(call: Any) -> Any:
    with pytest.raises(HttpError) as found:
        call.execute()
    return found.value


def test_the_list_of_calendars(service: Any) -> None:
    calendars = service.calendarList()
    items, pages, last = walk(calendars.list(maxResults=7), calendars.list_next)
    assert pages == 3
    assert len({i["id"] for i in items}) == 18
    assert "nextSyncToken" in last
    (own,) = [i for i in items if i.get("primary")]
    assert (own["id"], own["accessRole"], own["kind"]) == (MAYA, "owner", "calendar#calendarListEntry")
    assert calendars.get(calendarId="primary").execute() == own
    writable = calendars.list(minAccessRole="writer").execute()["items"]
    assert {i["accessRole"] for i in writable} == {"owner", "writer"}
    changed = calendars.patch(calendarId=JUN, body={"summaryOverride": "Jun", "colorId": "7"}).execute()
    assert (changed["summaryOverride"], changed["backgroundColor"]) == ("Jun", "#42d692")
    assert calendars.delete(calendarId=JUN).execute() == ""
    news = calendars.list(syncToken=last["nextSyncToken"]).execute()["items"]
    assert [(i["id"], i["deleted"]) for i in news] == [(JUN, True)]
    assert calendars.insert(body={"id": JUN}).execute()["accessRole"] == "reader"


def test_a_walk_over_a_calendar_and_what_changed_since(service: Any) -> None:
    events = service.events()
    call = events.list(calendarId="primary", maxResults=10)
    items, pages, last = walk(call, events.list_next)
    assert pages > 3
    assert len({i["id"] for i in items}) == len(items)
    assert any("recurrence" in i for i in items)
    bounds = {"timeMin": "2026-03-02T00:00:00Z", "timeMax": "2026-03-16T00:00:00Z"}
    call = events.list(calendarId="primary", singleEvents=True, orderBy="startTime", maxResults=8, **bounds)
    single, pages, _ = walk(call, events.list_next)
    assert pages > 2
    starts = [i["start"].get("dateTime", i["start"].get("date")) for i in single if "dateTime" in i["start"]]
    assert starts == sorted(starts)
    assert not any("recurrence" in i for i in single)

    assert events.list(calendarId="primary", syncToken=last["nextSyncToken"]).execute()["items"] == []
    made = events.insert(calendarId="primary", body=meeting()).execute()
    events.delete(calendarId="primary", eventId=items[0]["id"]).execute()
    news = events.list(calendarId="primary", syncToken=last["nextSyncToken"]).execute()["items"]
    assert [(i["id"], i["status"]) for i in news] == [(made["id"], "confirmed"), (items[0]["id"], "cancelled")]
    error = refused(events.list(calendarId="primary", syncToken="bm9uZQ"))
    assert (error.status_code, error.error_details[0]["reason"]) == (410, "fullSyncRequired")


def meeting(**more: Any) -> dict[str, Any]:
    return {
        "summary": "Budget",
        "start": {"dateTime": "2026-03-10T10:00:00", "timeZone": "Europe/London"},
        "end": {"dateTime": "2026-03-10T11:00:00", "timeZone": "Europe/London"},
        **more,
    }


def test_an_event_from_insertion_to_deletion(service: Any) -> None:
    events = service.events()
    body = meeting(
        attendees=[{"email": JUN}, {"email": "dana@meridian.example", "optional": True}],
        reminders={"useDefault": False, "overrides": [{"method": "email", "minutes": 30}]},
        extendedProperties={"private": {"deal": "42"}, "shared": {"team": "ops"}},
        conferenceData={"createRequest": {"requestId": "r1", "conferenceSolutionKey": {"type": "hangoutsMeet"}}},
    )
    made = events.insert(calendarId="primary", body=body, conferenceDataVersion=1, sendUpdates="all").execute()
    assert made["kind"] == "calendar#event"
    assert len(made["id"]) == 26
    assert made["iCalUID"] == f"{made['id']}@google.com"
    assert made["organizer"] == made["creator"] == {"email": MAYA, "displayName": "Maya Chen", "self": True}
    assert made["hangoutLink"] == made["conferenceData"]["entryPoints"][0]["uri"]
    assert [a["responseStatus"] for a in made["attendees"]] == ["needsAction", "needsAction"]
    found = events.list(calendarId="primary", privateExtendedProperty="deal=42").execute()["items"]
    assert [i["id"] for i in found] == [made["id"]]
    assert events.get(calendarId=JUN, eventId=made["id"]).execute()["organizer"]["email"] == MAYA

    moved = events.patch(
        calendarId="primary",
        eventId=made["id"],
        body={"end": {"dateTime": "2026-03-10T11:30:00Z"}, "location": "Harbour"},
    ).execute()
    assert (moved["end"]["dateTime"], moved["location"], moved["sequence"]) == ("2026-03-10T11:30:00Z", "Harbour", 1)
    moved["summary"] = "Budget, final"
    whole = events.update(calendarId="primary", eventId=made["id"], body=moved, conferenceDataVersion=1).execute()
    assert {k: v for k, v in whole.items() if k not in ("etag", "updated")} == {
        k: v for k, v in moved.items() if k not in ("etag", "updated")
    }
    assert whole["etag"] != moved["etag"]

    stale = events.patch(calendarId="primary", eventId=made["id"], body={"summary": "Late"})
    stale.headers["If-Match"] = made["etag"]
    error = refused(stale)
    assert (error.status_code, error.error_details[0]["reason"]) == (412, "conditionNotMet")
    assert events.delete(calendarId="primary", eventId=made["id"], sendUpdates="all").execute() == ""
    assert events.get(calendarId="primary", eventId=made["id"]).execute()["status"] == "cancelled"
    assert events.get(calendarId=JUN, eventId=made["id"]).execute()["status"] == "cancelled"
    error = refused(events.delete(calendarId="primary", eventId=made["id"]))
    assert (error.status_code, error.reason) == (410, "Resource has been deleted")


def test_a_series_and_its_occurrences(service: Any) -> None:
    events = service.events()
    body = meeting(recurrence=["RRULE:FREQ=WEEKLY;COUNT=6", "EXDATE;TZID=Europe/London:20260324T100000"])
    series = events.insert(calendarId="primary", body=body).execute()
    call = events.instances(calendarId="primary", eventId=series["id"], maxResults=2)
    items, pages, _ = walk(call, events.instances_next)
    assert pages == 3
    # Daylight saving begins on 29 March; the wall clock stays.
    assert [i["start"]["dateTime"] for i in items] == [
        "2026-03-10T10:00:00Z", "2026-03-17T10:00:00Z", "2026-03-31T10:00:00+01:00", "2026-04-07T10:00:00+01:00",
        "2026-04-14T10:00:00+01:00",
    ]  # fmt: skip
    assert items[2]["id"] == f"{series['id']}_20260331T090000Z"
    events.delete(calendarId="primary", eventId=items[1]["id"]).execute()
    later = {name: {"dateTime": f"2026-04-01T{hour}:00:00Z"} for name, hour in (("start", 14), ("end", 15))}
    one = events.patch(calendarId="primary", eventId=items[2]["id"], body={**later, "summary": "Moved"}).execute()
    assert one["recurringEventId"] == series["id"]
    assert one["originalStartTime"]["dateTime"] == "2026-03-31T10:00:00+01:00"
    after = events.instances(calendarId="primary", eventId=series["id"], showDeleted=True).execute()["items"]
    assert [(i["id"][-16:], i["status"]) for i in after] == [
        ("20260310T100000Z", "confirmed"), ("20260317T100000Z", "cancelled"), ("20260331T090000Z", "confirmed"),
        ("20260407T090000Z", "confirmed"), ("20260414T090000Z", "confirmed"),
    ]  # fmt: skip
    assert after[2]["summary"] == "Moved"


def test_a_change_of_this_and_the_following_occurrences(service: Any) -> None:
    """As the product's guide has it: the series ends before, another one goes on."""
    events = service.events()
    series = events.insert(calendarId="primary", body=meeting(recurrence=["RRULE:FREQ=DAILY;COUNT=30"])).execute()
    days = events.instances(calendarId="primary", eventId=series["id"], maxResults=25).execute()["items"]
    changed = events.patch(calendarId="primary", eventId=days[22]["id"], body={"location": "Quay"}).execute()
    assert changed["recurringEventId"] == series["id"]
    # From 30 March on, after the clocks have changed.
    ended = events.get(calendarId="primary", eventId=series["id"]).execute()
    ended["recurrence"] = ["RRULE:FREQ=DAILY;UNTIL=20260330T085959Z"]
    events.update(calendarId="primary", eventId=series["id"], body=ended).execute()
    rest = {
        **meeting(recurrence=["RRULE:FREQ=DAILY;COUNT=10"]),
        "start": {"dateTime": "2026-03-30T14:00:00", "timeZone": "Europe/London"},
        "end": {"dateTime": "2026-03-30T15:00:00", "timeZone": "Europe/London"},
    }
    events.insert(calendarId="primary", body=rest).execute()
    found, _, _ = walk(
        events.list(
            calendarId="primary", q="budget", singleEvents=True, orderBy="startTime", timeMin="2026-03-28T00:00:00Z",
            timeMax="2026-04-02T00:00:00Z",
        ),
        events.list_next,
    )  # fmt: skip
    assert [i["start"]["dateTime"] for i in found if i["summary"] == "Budget"] == [
        "2026-03-28T10:00:00Z", "2026-03-29T10:00:00+01:00", "2026-03-30T14:00:00+01:00", "2026-03-31T14:00:00+01:00",
        "2026-04-01T14:00:00+01:00",
    ]  # fmt: skip


def test_invitations_and_what_is_the_organizers(service: Any) -> None:
    events = service.events()
    (review,) = events.list(calendarId="primary", q="renewal review").execute()["items"]
    assert review["organizer"]["email"] == "priya.raman@quaymark.example"
    error = refused(events.patch(calendarId="primary", eventId=review["id"], body={"summary": "Mine"}))
    assert (error.status_code, error.error_details[0]) == (
        403,
        {
            "domain": "calendar",
            "reason": "forbiddenForNonOrganizer",
            "message": "Shared properties can only be changed by the organizer of the event.",
        },
    )
    guests = [{**a, "responseStatus": "accepted"} if a.get("self") else a for a in review["attendees"]]
    answered = events.patch(calendarId="primary", eventId=review["id"], body={"attendees": guests}).execute()
    assert next(a for a in answered["attendees"] if a.get("self"))["responseStatus"] == "accepted"
    hers = events.get(calendarId="priya.raman@quaymark.example", eventId=review["id"]).execute()
    assert next(a for a in hers["attendees"] if a["email"] == MAYA)["responseStatus"] == "accepted"


def test_calendars_sharing_and_busy_times(service: Any) -> None:
    calendar = service.calendars().insert(body={"summary": "Audit", "timeZone": "Europe/Zurich"}).execute()
    assert calendar["dataOwner"] == MAYA
    key = calendar["id"]
    rule = {"role": "reader", "scope": {"type": "user", "value": JUN}}
    made = service.acl().insert(calendarId=key, body=rule).execute()
    assert (made["id"], made["role"]) == (f"user:{JUN}", "reader")
    assert service.acl().patch(calendarId=key, ruleId=made["id"], body={"role": "writer"}).execute()["role"] == "writer"
    rules = service.acl().list(calendarId=key).execute()["items"]
    assert {r["id"] for r in rules} == {f"user:{JUN}", f"user:{MAYA}"}
    assert service.acl().delete(calendarId=key, ruleId=made["id"]).execute() == ""
    assert refused(service.acl().get(calendarId=key, ruleId=made["id"])).status_code == 404

    event = service.events().insert(calendarId=key, body=meeting()).execute()
    assert event["organizer"] == {"email": key, "displayName": "Audit", "self": True}
    assert event["start"]["dateTime"] == "2026-03-10T11:00:00+01:00"
    query = {
        "timeMin": "2026-03-10T00:00:00Z",
        "timeMax": "2026-03-11T00:00:00Z",
        "items": [{"id": key}, {"id": "x@y.example"}],
    }
    answer = service.freebusy().query(body=query).execute()
    assert answer["calendars"][key]["busy"] == [{"start": "2026-03-10T10:00:00Z", "end": "2026-03-10T11:00:00Z"}]
    assert answer["calendars"]["x@y.example"]["errors"] == [{"domain": "global", "reason": "notFound"}]

    moved = service.events().move(calendarId=key, eventId=event["id"], destination="primary").execute()
    assert moved["organizer"]["email"] == MAYA
    assert service.events().get(calendarId=key, eventId=event["id"]).execute()["status"] == "cancelled"
    changed = service.calendars().patch(calendarId=key, body={"description": "Until June"}).execute()
    assert changed["description"] == "Until June"
    assert (
        service.calendars().update(calendarId=key, body={"summary": "Audit 2026"}).execute()["summary"] == "Audit 2026"
    )
    assert service.calendars().delete(calendarId=key).execute() == ""
    assert refused(service.calendars().get(calendarId=key)).status_code == 404
    assert (
        refused(service.calendars().delete(calendarId="primary")).error_details[0]["reason"]
        == "cannotDeletePrimaryCalendar"
    )
    assert service.calendars().clear(calendarId="primary").execute() == ""
    left = service.events().list(calendarId="primary", timeMin="2026-03-02T00:00:00Z").execute()["items"]
    assert all(e["organizer"]["email"] != MAYA for e in left)


def test_imports_quick_additions_colours_settings_and_channels(service: Any) -> None:
    events = service.events()
    body = meeting(iCalUID="external-1@meridian.example", organizer={"email": "dana@meridian.example"})
    error = refused(events.import_(calendarId="primary", body=body))
    assert error.error_details[0]["reason"] == "participantIsNeitherOrganizerNorAttendee"
    made = events.import_(calendarId="primary", body={**body, "attendees": [{"email": MAYA}]}).execute()
    assert (made["iCalUID"], made["organizer"]["email"]) == (body["iCalUID"], "dana@meridian.example")
    again = events.import_(
        calendarId="primary", body={**body, "summary": "New", "attendees": [{"email": MAYA}]}
    ).execute()
    assert (again["id"], again["summary"]) == (made["id"], "New")
    assert [e["id"] for e in events.list(calendarId="primary", iCalUID=body["iCalUID"]).execute()["items"]] == [
        made["id"]
    ]
    quick = events.quickAdd(calendarId="primary", text="Dentist on Friday 3pm-4pm").execute()
    assert (quick["summary"], quick["start"]["dateTime"]) == ("Dentist", "2026-03-06T15:00:00Z")
    colors = service.colors().get().execute()
    assert (len(colors["event"]), len(colors["calendar"])) == (11, 24)
    settings = service.settings().list().execute()["items"]
    assert {"id": "timezone", "value": "Europe/London"}.items() <= next(
        s for s in settings if s["id"] == "timezone"
    ).items()
    assert service.settings().get(setting="weekStart").execute()["value"] == "1"
    channel = {"id": "c-1", "type": "web_hook", "address": "https://hooks.example/calendar"}
    opened = events.watch(calendarId="primary", body=channel).execute()
    assert opened["kind"] == "api#channel"
    assert service.channels().stop(body={"id": "c-1", "resourceId": opened["resourceId"]}).execute() == ""


def test_refusals_are_googles(service: Any) -> None:
    events = service.events()
    missing = refused(events.get(calendarId="primary", eventId="aaaaaaaaaaaaaaaaaaaaaaaaaa"))
    assert (missing.status_code, missing.reason) == (404, "Not Found")
    assert refused(events.list(calendarId="nobody@else.example")).status_code == 404
    order = refused(events.list(calendarId="primary", orderBy="startTime"))
    assert order.reason == "The requested ordering is not available for the particular query."
    assert order.error_details[0]["location"] == "orderBy"
    turned = meeting(end={"dateTime": "2026-03-10T09:00:00Z"})
    assert refused(events.insert(calendarId="primary", body=turned)).error_details[0]["reason"] == "timeRangeEmpty"
    writer = refused(events.insert(calendarId=JUN, body=meeting()))
    assert (writer.status_code, writer.reason) == (403, "You need to have writer access to this calendar.")
    twice = meeting(id="abcde12345")
    events.insert(calendarId="primary", body=twice).execute()
    assert refused(events.insert(calendarId="primary", body=twice)).status_code == 409
    assert refused(events.insert(calendarId="primary", body=meeting(id="xyz"))).reason == "Invalid resource id value."
    assert (
        refused(events.list(calendarId="primary", fields="items/nothing")).reason
        == "Invalid field selection items/nothing"
    )


def test_fields_are_selected(service: Any) -> None:
    page = (
        service.events()
        .list(calendarId="primary", maxResults=2, fields="nextPageToken,items(id,start/dateTime)")
        .execute()
    )
    assert set(page) == {"nextPageToken", "items"}
    assert all(set(i) <= {"id", "start"} for i in page["items"])
    found = service.freebusy().query(
        body={"timeMin": "2026-03-02T00:00:00Z", "timeMax": "2026-03-03T00:00:00Z", "items": [{"id": "primary"}]},
        fields="calendars/primary/busy/start",
    ).execute()  # fmt: skip
    assert all(set(span) == {"start"} for span in found["calendars"]["primary"]["busy"])


def test_http_batches(rooted: Any, base: str) -> None:
    events = rooted.events()
    answers: dict[str, Any] = {}

    def keep(request_id: str, response: Any, error: HttpError | None) -> None:
        answers[request_id] = error or response

    batch = BatchHttpRequest(callback=keep, batch_uri=f"{base}/batch/calendar/v3")
    batch.add(events.insert(calendarId="primary", body=meeting(id="batch00001")), request_id="made")
    batch.add(events.patch(calendarId="primary", eventId="batch00001", body={"summary": "Twice"}), request_id="changed")
    batch.add(events.get(calendarId="primary", eventId="missing0000"), request_id="missing")
    batch.add(events.delete(calendarId="primary", eventId="batch00001"), request_id="gone")
    batch.execute(http=events._http)
    assert (answers["made"]["id"], answers["changed"]["summary"]) == ("batch00001", "Twice")
    assert answers["missing"].status_code == 404
    assert answers["gone"] == ""


def _methods(resource: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [m for r in resource.get("resources", {}).values() for m in _methods(r)]
    return [*resource.get("methods", {}).values(), *inner]


def test_every_method_of_the_discovery_document_is_an_operation() -> None:
    app = registry.load("google_calendar")
    schemas: Any = importlib.import_module("legoenv_mcp.servers.google_calendar.schemas")
    methods = {(m["httpMethod"], "/calendar/v3/" + m["path"]): m for m in _methods(DOCUMENT)}
    ours = {(o.method, o.path): o for o in app.operations.values() if o.path and not o.path.startswith("/batch")}
    assert set(ours) == set(methods)
    for key, op in ours.items():
        method = methods[key]
        told = {"path": dict[str, Any](), "query": dict[str, Any]()}
        for name, parameter in method.get("parameters", {}).items():
            told[parameter["location"]][name] = parameter
        for where, parameters in told.items():
            mine = {p.wire: p for p in op.params.values() if p.where == where and p.rest}
            assert set(mine) == set(parameters), f"{op.tool} {where}"
            for name, param in mine.items():
                assert op.is_list(param.name) == bool(parameters[name].get("repeated")), f"{op.tool}.{name}"
                if parameters[name].get("enum") and not op.is_list(param.name):
                    values = op.input_properties[param.name]
                    arm = next((a for a in values.get("anyOf", []) if "enum" in a), values)
                    assert set(arm["enum"]) - {None} == set(parameters[name]["enum"]), f"{op.tool}.{name}"
        payload = [p for p in op.params.values() if p.where == "payload"]
        assert bool(payload) == ("request" in method), op.tool
        if "response" in method:
            assert schemas.ANSWERS[op.tool] == method["response"]["$ref"], op.tool
        assert not [p for p in op.params.values() if p.where == "body" and p.rest], op.tool


def test_resources_have_the_fields_of_the_document() -> None:
    schemas: Any = importlib.import_module("legoenv_mcp.servers.google_calendar.schemas")

    def check(ours: dict[str, Any], told: dict[str, Any], path: str) -> None:
        told = DOCUMENT["schemas"][told["$ref"]] if "$ref" in told else told
        if told.get("type") == "array":
            return check(ours, told["items"], path)
        if "additionalProperties" in told:
            return check(ours["*"], told["additionalProperties"], f"{path}.*")
        assert set(ours) == set(told.get("properties", {})), path
        for name, below in ours.items():
            check(below, told["properties"][name], f"{path}.{name}")

    for name, tree in schemas.SCHEMAS.items():
        check(tree, DOCUMENT["schemas"][name], name)
    request = schemas._names(schemas.FreeBusyRequest)
    check(request, DOCUMENT["schemas"]["FreeBusyRequest"], "FreeBusyRequest")
