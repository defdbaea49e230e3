"""The resources of the API as callers write them, and what can be selected of its answers.

https://developers.google.com/workspace/calendar/api/v3/reference. Every field may be left out or null; fields that only the product
writes are read over. The product ignores fields that it does not know.
"""

from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, Field

from legoenv_mcp.styles.google import Names

Text = str | None
Flag = bool | None
Number = Annotated[int, Field(ge=-(2**31), lt=2**31)] | None


class Resource(BaseModel, extra="ignore"):
    """A JSON object of the API."""

    def sent(self) -> dict[str, Any]:
        """What the caller wrote, null included."""
        return self.model_dump(exclude_unset=True)


class EventDateTime(Resource):
    date: Text = None
    dateTime: Text = None
    timeZone: Text = None


class Party(Resource):
    """The organizer or the creator of an event."""

    displayName: Text = None
    email: Text = None
    id: Text = None
    self: Flag = None


class EventAttendee(Resource):
    additionalGuests: Number = None
    asyncOperation: Text = None
    comment: Text = None
    displayName: Text = None
    email: Text = None
    id: Text = None
    optional: Flag = None
    organizer: Flag = None
    resource: Flag = None
    responseStatus: Text = None
    self: Flag = None


class EventReminder(Resource):
    method: Text = None
    minutes: Number = None


class Reminders(Resource):
    overrides: list[EventReminder] | None = None
    useDefault: Flag = None


class ExtendedProperties(Resource):
    private: dict[str, Text] | None = None
    shared: dict[str, Text] | None = None


class EventAttachment(Resource):
    fileId: Text = None
    fileUrl: Text = None
    iconLink: Text = None
    mimeType: Text = None
    title: Text = None


class Source(Resource):
    title: Text = None
    url: Text = None


class ConferenceSolutionKey(Resource):
    type: Text = None


class ConferenceSolution(Resource):
    iconUri: Text = None
    key: ConferenceSolutionKey | None = None
    name: Text = None


class ConferenceRequestStatus(Resource):
    statusCode: Text = None


class CreateConferenceRequest(Resource):
    conferenceSolutionKey: ConferenceSolutionKey | None = None
    requestId: Text = None
    status: ConferenceRequestStatus | None = None


class EntryPoint(Resource):
    accessCode: Text = None
    entryPointFeatures: list[str] | None = None
    entryPointType: Text = None
    label: Text = None
    meetingCode: Text = None
    passcode: Text = None
    password: Text = None
    pin: Text = None
    regionCode: Text = None
    uri: Text = None


class AddOnParameters(Resource):
    parameters: dict[str, Text] | None = None


class ConferenceParameters(Resource):
    addOnParameters: AddOnParameters | None = None


class ConferenceData(Resource):
    conferenceId: Text = None
    conferenceSolution: ConferenceSolution | None = None
    createRequest: CreateConferenceRequest | None = None
    entryPoints: list[EntryPoint] | None = None
    notes: Text = None
    parameters: ConferenceParameters | None = None
    signature: Text = None


class BirthdayProperties(Resource):
    contact: Text = None
    customTypeName: Text = None
    type: Text = None


class FocusTimeProperties(Resource):
    autoDeclineMode: Text = None
    chatStatus: Text = None
    declineMessage: Text = None


class OutOfOfficeProperties(Resource):
    autoDeclineMode: Text = None
    declineMessage: Text = None


class CustomLocation(Resource):
    label: Text = None


class OfficeLocation(Resource):
    buildingId: Text = None
    deskId: Text = None
    floorId: Text = None
    floorSectionId: Text = None
    label: Text = None


class WorkingLocationProperties(Resource):
    customLocation: CustomLocation | None = None
    homeOffice: Any = None
    officeLocation: OfficeLocation | None = None
    type: Text = None


class Gadget(Resource):
    display: Text = None
    height: Number = None
    iconLink: Text = None
    link: Text = None
    preferences: dict[str, Text] | None = None
    title: Text = None
    type: Text = None
    width: Number = None


class Event(Resource):
    anyoneCanAddSelf: Flag = None
    attachments: list[EventAttachment] | None = None
    attendees: list[EventAttendee] | None = None
    attendeesOmitted: Flag = None
    birthdayProperties: BirthdayProperties | None = None
    colorId: Text = None
    conferenceData: ConferenceData | None = None
    created: Text = None
    creator: Party | None = None
    description: Text = None
    end: EventDateTime | None = None
    endTimeUnspecified: Flag = None
    etag: Text = None
    eventLabelId: Text = None
    eventType: Text = None
    extendedProperties: ExtendedProperties | None = None
    focusTimeProperties: FocusTimeProperties | None = None
    gadget: Gadget | None = None
    guestsCanInviteOthers: Flag = None
    guestsCanModify: Flag = None
    guestsCanSeeOtherGuests: Flag = None
    hangoutLink: Text = None
    htmlLink: Text = None
    iCalUID: Text = None
    id: Text = None
    kind: Text = None
    location: Text = None
    locked: Flag = None
    organizer: Party | None = None
    originalStartTime: EventDateTime | None = None
    outOfOfficeProperties: OutOfOfficeProperties | None = None
    privateCopy: Flag = None
    recurrence: list[str] | None = None
    recurringEventId: Text = None
    reminders: Reminders | None = None
    sequence: Number = None
    source: Source | None = None
    start: EventDateTime | None = None
    status: Text = None
    summary: Text = None
    transparency: Text = None
    updated: Text = None
    visibility: Text = None
    workingLocationProperties: WorkingLocationProperties | None = None


class ConferenceProperties(Resource):
    allowedConferenceSolutionTypes: list[str] | None = None


class EventLabel(Resource):
    backgroundColor: Text = None
    id: Text = None
    name: Text = None


class LabelProperties(Resource):
    eventLabels: list[EventLabel] | None = None


class AvailableTime(Resource):
    dayOfWeek: Text = None
    periodEnd: Number = None
    periodStart: Number = None


class WorkingHours(Resource):
    availableTimes: list[AvailableTime] | None = None
    workingHoursEnabled: Flag = None


class Calendar(Resource):
    autoAcceptInvitations: Flag = None
    conferenceProperties: ConferenceProperties | None = None
    dataOwner: Text = None
    description: Text = None
    etag: Text = None
    id: Text = None
    kind: Text = None
    labelProperties: LabelProperties | None = None
    location: Text = None
    summary: Text = None
    timeZone: Text = None
    workingHours: WorkingHours | None = None


class CalendarNotification(Resource):
    method: Text = None
    type: Text = None


class NotificationSettings(Resource):
    notifications: list[CalendarNotification] | None = None


class CalendarListEntry(Resource):
    accessRole: Text = None
    autoAcceptInvitations: Flag = None
    backgroundColor: Text = None
    colorId: Text = None
    conferenceProperties: ConferenceProperties | None = None
    dataOwner: Text = None
    defaultReminders: list[EventReminder] | None = None
    deleted: Flag = None
    description: Text = None
    etag: Text = None
    foregroundColor: Text = None
    hidden: Flag = None
    id: Text = None
    kind: Text = None
    location: Text = None
    notificationSettings: NotificationSettings | None = None
    primary: Flag = None
    selected: Flag = None
    summary: Text = None
    summaryOverride: Text = None
    timeZone: Text = None


class Scope(Resource):
    type: Text = None
    value: Text = None


class AclRule(Resource):
    etag: Text = None
    id: Text = None
    kind: Text = None
    role: Text = None
    scope: Scope | None = None


class Channel(Resource):
    address: Text = None
    expiration: str | int | None = None
    id: Text = None
    kind: Text = None
    params: dict[str, Text] | None = None
    payload: Flag = None
    resourceId: Text = None
    resourceUri: Text = None
    token: Text = None
    type: Text = None


class FreeBusyRequestItem(Resource):
    id: Text = None


class FreeBusyRequest(Resource):
    calendarExpansionMax: Number = None
    groupExpansionMax: Number = None
    items: list[FreeBusyRequestItem] | None = None
    timeMax: Text = None
    timeMin: Text = None
    timeZone: Text = None


def _names(annotation: Any) -> Names:
    """What can be selected below a field of this type."""
    for kind in (annotation, *get_args(annotation)):
        if get_origin(kind) is list:
            return _names(get_args(kind)[0])
        if get_origin(kind) is dict:
            return {"*": {}}
        if isinstance(kind, type) and issubclass(kind, Resource):
            return {name: _names(field.annotation) for name, field in kind.model_fields.items()}
    return {}


def _page(item: type[Resource] | None, *more: str) -> Names:
    names: Names = {name: {} for name in ("kind", "etag", "nextPageToken", "nextSyncToken", *more)}
    return {**names, "items": _names(item) if item else {"kind": {}, "etag": {}, "id": {}, "value": {}}}


_ERROR: Names = {"domain": {}, "reason": {}}
_COLOR: Names = {"*": {"background": {}, "foreground": {}}}
SCHEMAS: dict[str, Names] = {
    kind.__name__: _names(kind) for kind in (Event, Calendar, CalendarListEntry, AclRule, Channel)
} | {
    "Events": {
        **_page(Event, "accessRole", "description", "summary", "timeZone", "updated"),
        "defaultReminders": _names(EventReminder),
    },
    "CalendarList": _page(CalendarListEntry),
    "Acl": _page(AclRule),
    "Settings": _page(None),
    "Setting": {"kind": {}, "etag": {}, "id": {}, "value": {}},
    "Colors": {"kind": {}, "updated": {}, "calendar": _COLOR, "event": _COLOR},
    "FreeBusyResponse": {
        "kind": {}, "timeMin": {}, "timeMax": {},
        "calendars": {"*": {"busy": {"start": {}, "end": {}}, "errors": _ERROR}},
        "groups": {"*": {"calendars": {}, "errors": _ERROR}},
    },
}  # fmt: skip
"""What each response has, by its name in the discovery document."""

RESPONSES: dict[str, Names] = {}
"""Tool -> what its answer has; filled by `answers`."""

ANSWERS: dict[str, str] = {}
"""Tool -> the name of its answer."""


def answers(response: str) -> Any:
    """Marks an operation's function with its response's name, for `fields`."""

    def mark(fn: Any) -> Any:
        ANSWERS[fn.__name__] = response
        RESPONSES[fn.__name__] = SCHEMAS[response]
        return fn

    return mark
