"""The objects that callers send, and kinds of parameters."""

from typing import Annotated, Literal, NotRequired

from pydantic import BeforeValidator
from typing_extensions import TypedDict

from legoenv_mcp.app import Field

LocationKind = Literal[
    "ask_invitee", "custom", "google_conference", "gotomeeting_conference", "inbound_call", "microsoft_teams_conference",
    "outbound_call", "physical", "webex_conference", "zoom_conference",
]  # fmt: skip
Locale = Literal["de", "en", "es", "fr", "it", "nl", "pt", "uk"]
Uuid = Annotated[str, Field(description="The UUID, or the whole URI that ends in it.", min_length=1, max_length=300)]
Uri = Annotated[str, Field(max_length=300)]
Color = Annotated[str, Field(pattern=r"^#[a-f\d]{6}$")]
Name = Annotated[str, Field(min_length=1, max_length=255)]
ShortName = Annotated[str, Field(min_length=1, max_length=55)]
Long = Annotated[str, Field(max_length=10_000)]
Minutes = Annotated[int, Field(ge=1, le=720)]
Moment = Annotated[str, Field(max_length=40)]


def _truth(value: object) -> object:
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


Flag = Annotated[bool, BeforeValidator(_truth)]


class Location(TypedDict):
    """Where a meeting can be held."""

    kind: Annotated[LocationKind, Field(description="What kind of place.")]
    location: NotRequired[
        Annotated[str, Field(description="The place, for the kinds physical, custom and ask_invitee.", max_length=1000)]
    ]
    additional_info: NotRequired[Annotated[str, Field(description="What else invitees should know.", max_length=1000)]]
    phone_number: NotRequired[
        Annotated[str, Field(description="The number that invitees call, for inbound_call.", max_length=40)]
    ]


class ChosenLocation(TypedDict):
    """The invitee's choice among the event type's locations."""

    kind: Annotated[LocationKind, Field(description="One of the event type's location kinds.")]
    location: NotRequired[
        Annotated[
            str,
            Field(
                description="The place, or for outbound_call the invitee's phone number. Not for conferences.",
                max_length=1000,
            ),
        ]
    ]


Interval = TypedDict(
    "Interval",
    {
        "from": Annotated[str, Field(description="Start of the hours, local, as 09:00.", max_length=5)],
        "to": Annotated[str, Field(description="End of the hours, local, as 17:00.", max_length=5)],
    },
)
Weekday = Literal["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]


class Rule(TypedDict):
    """The hours of a weekday, or of one date."""

    type: Annotated[Literal["wday", "date"], Field(description="Whether the rule is for a weekday or a date.")]
    intervals: Annotated[list[Interval], Field(description="The bookable hours; none closes the day.", max_length=50)]
    wday: NotRequired[Annotated[Weekday, Field(description="The weekday, for type wday.")]]
    date: NotRequired[Annotated[str, Field(description="The date as YYYY-MM-DD, for type date.", max_length=10)]]


Rules = Annotated[list[Rule], Field(max_length=400)]


class AvailabilityRule(TypedDict):
    """Rules and the time zone that their hours are local to."""

    timezone: Annotated[str, Field(description="IANA time zone of the hours.", max_length=60)]
    rules: NotRequired[
        Annotated[list[Rule], Field(description="All rules; they replace the present ones.", max_length=400)]
    ]
    user: NotRequired[
        Annotated[str, Field(description="URI of the host, when an administrator changes somebody's.", max_length=300)]
    ]


class ShareRule(TypedDict):
    """Rules and the time zone that their hours are local to."""

    timezone: Annotated[str, Field(description="IANA time zone of the hours.", max_length=60)]
    rules: Annotated[list[Rule], Field(description="The rules.", max_length=400)]


class Person(TypedDict):
    """Who is booked."""

    email: Annotated[str, Field(description="The invitee's e-mail address.", min_length=1, max_length=254)]
    timezone: Annotated[str, Field(description="The invitee's IANA time zone.", min_length=1, max_length=60)]
    name: NotRequired[
        Annotated[str, Field(description="Full name. Needed unless first_name is given.", max_length=255)]
    ]
    first_name: NotRequired[
        Annotated[str, Field(description="First name. Needed unless name is given.", max_length=255)]
    ]
    last_name: NotRequired[Annotated[str, Field(description="Last name.", max_length=255)]]
    text_reminder_number: NotRequired[
        Annotated[str, Field(description="Phone number for reminders by SMS, with country code.", max_length=40)]
    ]


class Answer(TypedDict):
    """An answer to one of the event type's questions."""

    question: Annotated[str, Field(description="The question, exactly as the event type has it.", max_length=1000)]
    answer: Annotated[str, Field(description="The invitee's answer.", max_length=10_000)]
    position: NotRequired[Annotated[int, Field(description="The question's position.", ge=0, le=100)]]


class Tracking(TypedDict, total=False):
    """Where the invitee came from."""

    utm_campaign: Annotated[str | None, Field(description="Campaign.", max_length=255)]
    utm_source: Annotated[str | None, Field(description="Source.", max_length=255)]
    utm_medium: Annotated[str | None, Field(description="Medium.", max_length=255)]
    utm_content: Annotated[str | None, Field(description="Content.", max_length=255)]
    utm_term: Annotated[str | None, Field(description="Term.", max_length=255)]
    salesforce_uuid: Annotated[str | None, Field(description="Id of the Salesforce record.", max_length=255)]


TRACKING = ("utm_campaign", "utm_source", "utm_medium", "utm_content", "utm_term", "salesforce_uuid")


class Spot(TypedDict):
    """A span of time that can be booked."""

    start_time: Annotated[str, Field(description="Its start.", max_length=40)]
    end_time: Annotated[str, Field(description="Its end.", max_length=40)]


class DateSetting(TypedDict):
    """When a one-off can be booked."""

    type: Annotated[Literal["date_range", "days_in_future", "spots"], Field(description="Which way to say when.")]
    start_date: NotRequired[Annotated[str, Field(description="First day, for date_range.", max_length=10)]]
    end_date: NotRequired[Annotated[str, Field(description="Last day, for date_range.", max_length=10)]]
    days: NotRequired[Annotated[int, Field(description="How many days from now, for days_in_future.", ge=0, le=365)]]
    only_weekdays: NotRequired[Annotated[bool, Field(description="Whether only Monday to Friday count.")]]
    spots: NotRequired[Annotated[list[Spot], Field(description="The bookable spans, for spots.", max_length=50)]]
