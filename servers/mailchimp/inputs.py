"""Kinds of arguments that many operations share."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, PlainSerializer
from typing_extensions import TypedDict

from legoenv_mcp.app import Field, Query

from . import times
from .errors import NO_ADDRESS


def _listed(value: Any) -> Any:
    return [part for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _zone_free(value: str) -> str:
    return times.normal(value)


def _address(value: str) -> str:
    text = value.strip()
    if len(text) > 254 or not _EMAIL.fullmatch(text):
        raise ValueError(NO_ADDRESS)
    return text


def whole(value: Any) -> Any:
    """A template's and a segment's id are numbers, which some clients send as text."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19 else value


_EMAIL = re.compile(r"[^\s@,;:<>()\[\]\\\"]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*\.)+[A-Za-z]{2,63}")

Fields = Annotated[
    list[str] | None, BeforeValidator(_listed),
    Field(description="What to return: names, dotted for what lies below (lists.id). Everything when left out."),
]  # fmt: skip
Exclude = Annotated[
    list[str] | None, Query(mcp=False), BeforeValidator(_listed), Field(description="What to leave out, as in fields."),
]  # fmt: skip
Count = Annotated[int, Field(ge=0, le=1000, description="How many to return, at most 1000.")]
Offset = Annotated[int, Field(ge=0, description="How many to skip.")]
Time = Annotated[str, AfterValidator(_zone_free)]
Moment = Annotated[Time | None, Field(description="An ISO 8601 time.")]
HiddenMoment = Annotated[Time | None, Query(mcp=False), Field(description="An ISO 8601 time.")]
Direction = Annotated[Literal["ASC", "DESC"], Field(description="ASC or DESC.")]
Email = Annotated[str, AfterValidator(_address)]
Number = Annotated[int, BeforeValidator(whole), PlainSerializer(int)]

ListId = Annotated[str, Field(description="The audience's id (list_audiences).")]
Hash = Annotated[str, Field(description="The member's e-mail address, or its MD5 in lower case, or their contact_id.")]
SegmentId = Annotated[int, Field(description="The segment's id.")]
CampaignId = Annotated[str, Field(description="The campaign's id.")]
TemplateId = Annotated[int, Field(description="The template's id.")]
SkipMerge = Annotated[bool | None, Query(), Field(description="Accepts members without required merge fields.")]
MergeFields = Annotated[dict[str, Any], Field(description="Values by merge tag, such as FNAME and LNAME.")]
Interests = Annotated[dict[str, bool], Field(description="Interest ids, each true or false.")]
WrittenStatus = Literal["subscribed", "unsubscribed", "cleaned", "pending", "transactional"]


class Location(TypedDict, total=False):
    """Where somebody is."""

    latitude: Annotated[float, Field(ge=-90, le=90, description="The latitude.")]
    longitude: Annotated[float, Field(ge=-180, le=180, description="The longitude.")]


class Permission(TypedDict, total=False):
    """A marketing permission."""

    marketing_permission_id: Annotated[str, Field(description="The permission's id.")]
    enabled: Annotated[bool, Field(description="Whether it was given.")]


class Contact(TypedDict, total=False):
    """Whose address stands below each mailing, as the law asks."""

    company: Annotated[str, Field(description="The company's name.")]
    address1: Annotated[str, Field(description="Street and number.")]
    address2: Annotated[str, Field(description="More of the address.")]
    city: Annotated[str, Field(description="The city.")]
    state: Annotated[str, Field(description="The state.")]
    zip: Annotated[str, Field(description="The postal code.")]
    country: Annotated[str, Field(description="The two-letter country code.")]
    phone: Annotated[str, Field(description="The phone number.")]


class Defaults(TypedDict, total=False):
    """What new campaigns of an audience begin with."""

    from_name: Annotated[str, Field(description="Who it is from.")]
    from_email: Annotated[Email, Field(description="The address it is from.")]
    subject: Annotated[str, Field(description="The subject.")]
    language: Annotated[str, Field(description="The language, such as en.")]


class Condition(TypedDict, total=False):
    """One test of a segment."""

    condition_type: Annotated[
        str,
        Field(
            description="TextMerge, EmailAddress, StaticSegment, Aim, Date, Interests, VIP, MemberRating, SignupSource, Language, "
            "DateMerge, BirthdayMerge, SelectMerge, AddressMerge or NewSubscribers."
        ),
    ]
    field: Annotated[
        str,
        Field(
            description="A merge tag, EMAIL, static_segment, aim, timestamp_opt, info_changed, interests-CATEGORY, gmonkey, rating ..."
        ),
    ]
    op: Annotated[
        str,
        Field(
            description="is, not, contains, notcontain, starts, ends, greater, less, blank, blank_not; static_is, static_not; "
            "open, click, sent, noopen, noclick, nosent; interestcontains, interestcontainsall, interestnotcontains; "
            "member, notmember; within, notwithin."
        ),
    ]
    value: Annotated[Any, Field(description="What to compare with.")]
    extra: Annotated[Any, Field(description="The date (YYYY-MM-DD) or campaign, where value is date or campaign.")]


class Options(TypedDict, total=False):
    """Who is in a segment: members for whom all or any of the conditions hold."""

    match: Annotated[Literal["any", "all"], Field(description="any or all.")]
    conditions: Annotated[list[Condition], Field(description="The tests.")]
