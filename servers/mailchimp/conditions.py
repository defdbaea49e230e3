"""Segment conditions: read and checked first, then asked of each member. https://mailchimp.com/developer/marketing/docs/alternative-schemas/

What rests on data the account does not have (orders, places, social profiles, surveys) is refused by its name.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from legoenv_mcp.app import ApiError, Ctx

from . import times
from .errors import invalid_resource
from .models import Campaign, Delivery, Interest, InterestCategory, Member, MergeField, Segment, SegmentMember

Test = Callable[[Member], bool]

_TEXT = {
    "is": lambda a, b: a == b, "not": lambda a, b: a != b, "contains": lambda a, b: b in a, "notcontain": lambda a, b: b not in a,
    "starts": lambda a, b: a.startswith(b), "ends": lambda a, b: a.endswith(b), "greater": lambda a, b: a > b,
    "less": lambda a, b: a < b,
}  # fmt: skip
_BLANK = ("blank", "blank_not")
_OPS: dict[str, tuple[str, ...]] = {
    "TextMerge": (*_TEXT, *_BLANK), "SelectMerge": ("is", "not", "contains", "notcontain", *_BLANK),
    "AddressMerge": ("contains", "notcontain", *_BLANK), "DateMerge": ("is", "not", "less", "greater", *_BLANK),
    "BirthdayMerge": ("is", "not", *_BLANK), "EmailAddress": tuple(_TEXT), "StaticSegment": ("static_is", "static_not"),
    "Aim": ("open", "click", "sent", "noopen", "noclick", "nosent"),
    "Date": ("greater", "less", "is", "not", *_BLANK, "within", "notwithin"), "NewSubscribers": ("date_within",),
    "Interests": ("interestcontains", "interestcontainsall", "interestnotcontains"), "VIP": ("member", "notmember"),
    "MemberRating": ("is", "not", "greater", "less"), "SignupSource": ("source_is", "source_not"), "Language": ("is", "not"),
}  # fmt: skip
_FIELDS = {
    "static_segment": "StaticSegment", "aim": "Aim", "timestamp_opt": "Date", "info_changed": "Date", "gmonkey": "VIP",
    "rating": "MemberRating", "source": "SignupSource", "language": "Language", "EMAIL": "EmailAddress", "merge0": "EmailAddress",
}  # fmt: skip
_MERGE = {
    "address": "AddressMerge",
    "birthday": "BirthdayMerge",
    "date": "DateMerge",
    "dropdown": "SelectMerge",
    "radio": "SelectMerge",
}
_ELSEWHERE = (
    "Ecomm",
    "Goal",
    "Social",
    "IPGeo",
    "Predicted",
    "Fuzzy",
    "Survey",
    "CampaignPoll",
    "Conversation",
    "Automation",
    "Zip",
)


def read(ctx: Ctx, list_id: str, options: Mapping[str, Any], path: str = "options") -> tuple[dict[str, Any], Test]:
    """The options as they are kept, each condition with its type, and the test they make."""
    given = options.get("conditions") or []
    match = options.get("match", "all")
    if not given:
        raise invalid_resource((f"{path}.conditions", "A segment needs at least one condition"))
    kept, tests = list[dict[str, Any]](), list[Test]()
    for place, condition in enumerate(given):
        where = f"{path}.conditions.item:{place}"
        kind = _kind(ctx, list_id, condition, where)
        tests.append(_Reader(ctx, list_id, condition, where).test(kind))
        kept.append({**condition, "condition_type": kind})
    join = any if match == "any" else all
    return {"match": match, "conditions": kept}, lambda member: join(test(member) for test in tests)


def _kind(ctx: Ctx, list_id: str, condition: Mapping[str, Any], where: str) -> str:
    """The condition's type, which older clients leave to its field."""
    for name in ("field", "op"):
        if not isinstance(condition.get(name), str):
            raise invalid_resource((where, f"Required fields were not provided: {name}"))
    field = condition["field"]
    kind = (
        condition.get("condition_type") or _FIELDS.get(field) or ("Interests" if field.startswith("interests-") else "")
    )
    if kind == "Date" and condition["op"] == "date_within":
        kind = "NewSubscribers"
    if not kind:
        merge = _merge(ctx, list_id, field)
        kind = _MERGE.get(merge.type, "TextMerge") if merge else ""
    if kind not in _OPS:
        if kind.startswith(_ELSEWHERE):
            raise invalid_resource(
                (f"{where}.condition_type", f"The condition type {kind} needs data this audience does not have")
            )
        raise invalid_resource(
            (
                f"{where}.field" if not kind else f"{where}.condition_type",
                "Data did not match any of the schemas described in anyOf.",
            )
        )
    if condition["op"] not in _OPS[kind]:
        accepted = ", ".join(_OPS[kind])
        raise invalid_resource((f"{where}.op", f"Data presented is not one of the accepted values: {accepted}."))
    return kind


def _merge(ctx: Ctx, list_id: str, field: str) -> MergeField | None:
    """The merge field of a tag, or of `merge` and its number."""
    fields = ctx.db.find(MergeField, list_id=list_id)
    return next(
        (f for f in fields if field.upper() == f.tag or field.lower() in (f"merge{f.merge_id}", f"mmerge{f.merge_id}")),
        None,
    )


class _Reader:
    """One condition."""

    def __init__(self, ctx: Ctx, list_id: str, condition: Mapping[str, Any], where: str) -> None:
        self.ctx, self.list_id, self.where = ctx, list_id, where
        self.field, self.op = condition["field"], condition["op"]
        self.value, self.extra = condition.get("value"), condition.get("extra")

    def bad(self, name: str, why: str) -> ApiError:
        return invalid_resource((f"{self.where}.{name}", why))

    def test(self, kind: str) -> Test:
        return getattr(self, f"_{kind.lower()}")()

    def _text(self) -> str:
        if isinstance(self.value, (dict, list)) or self.value is None:
            raise self.bad("value", "Schema describes string, another type found instead")
        return str(self.value).casefold()

    def _compared(self, of: Callable[[Member], Any], wanted: str) -> Test:
        compare, number = _TEXT[self.op], _number(wanted)

        def holds(member: Member) -> bool:
            own = str(of(member)).casefold()
            mine = _number(own)
            return (
                compare(mine, number)
                if self.op in ("greater", "less") and None not in (mine, number)
                else compare(own, wanted)
            )

        return holds

    def _merged(self) -> Callable[[Member], Any]:
        field = _merge(self.ctx, self.list_id, self.field)
        if field is None:
            raise self.bad("field", f"{self.field[:60]} is not a merge field of this audience")
        return lambda member: member.merge_fields.get(field.tag, "")

    def _textmerge(self) -> Test:
        value = self._merged()

        def flat(member: Member) -> str:
            own = value(member)
            return " ".join(str(part) for part in own.values() if part) if isinstance(own, dict) else str(own)

        if self.op in _BLANK:
            return lambda member: (flat(member) == "") == (self.op == "blank")
        return self._compared(flat, self._text())

    _selectmerge = _addressmerge = _birthdaymerge = _textmerge

    def _datemerge(self) -> Test:
        value = self._merged()
        if self.op in _BLANK:
            return lambda member: (value(member) == "") == (self.op == "blank")
        day = self._day("value", self.value)
        return lambda member: bool(value(member)) and _TEXT[self.op](str(value(member)), day)

    def _emailaddress(self) -> Test:
        return self._compared(lambda member: member.email_address, self._text())

    def _language(self) -> Test:
        return self._compared(lambda member: member.language, self._text())

    def _signupsource(self) -> Test:
        wanted = self._text()
        return lambda member: (member.source.casefold() == wanted) == (self.op == "source_is")

    def _vip(self) -> Test:
        return lambda member: member.vip == (self.op == "member")

    def _memberrating(self) -> Test:
        wanted = _number(self._text())
        if wanted is None:
            raise self.bad("value", "Schema describes number, string found instead")
        opened = (self._contacts("status = 'sent'"), self._contacts("opened_at <= ?", times.now(self.ctx)))

        def holds(member: Member) -> bool:
            sent, seen = (opened[0].get(member.contact_id, 0), opened[1].get(member.contact_id, 0))
            return _TEXT[self.op](float(2 + (round(3 * seen / sent) if sent else 0)), wanted)

        return holds

    def _staticsegment(self) -> Test:
        number = _number(self._text())
        row = self.ctx.db.get(Segment, int(number)) if number is not None and abs(number) < 2**53 else None
        if row is None or row.list_id != self.list_id or row.type != "static":
            raise self.bad("value", "This static segment does not exist")
        inside = {m.contact_id for m in self.ctx.db.find(SegmentMember, segment_id=row.id)}
        return lambda member: (member.contact_id in inside) == (self.op == "static_is")

    def _interests(self) -> Test:
        category = self.ctx.db.get(InterestCategory, self.field.removeprefix("interests-"))
        if category is None or category.list_id != self.list_id:
            raise self.bad("field", "This interest category does not exist")
        known = {i.id for i in self.ctx.db.find(Interest, category_id=category.id)}
        if not isinstance(self.value, list) or not all(isinstance(v, str) and v in known for v in self.value):
            raise self.bad("value", "Expects an array of interest ids of the category")
        wanted: list[str] = self.value
        if self.op == "interestcontainsall":
            return lambda member: all(member.interests.get(i) for i in wanted)
        return lambda member: any(member.interests.get(i) for i in wanted) == (self.op == "interestcontains")

    def _contacts(self, condition: str, *values: Any) -> dict[str, int]:
        rows = self.ctx.db.query(
            f"SELECT contact_id, count(*) AS n FROM delivery WHERE {condition} GROUP BY contact_id", values
        )
        return {row["contact_id"]: row["n"] for row in rows}

    def _campaign(self, name: str, value: Any) -> Campaign:
        text = str(value)
        for campaign in self.ctx.db.find(Campaign, list_id=self.list_id):
            if text in (campaign.id, str(campaign.web_id)):
                return campaign
        raise self.bad(name, "This campaign does not exist")

    def _aim(self) -> Test:
        chosen = None if self._text() == "any" else self._campaign("value", self.value).id
        when, doing = times.now(self.ctx), self.op.removeprefix("no")
        rows = self.ctx.db.find(Delivery, campaign_id=chosen)
        done = {
            "open": lambda d: d.opened_at,
            "click": lambda d: d.clicked_at,
            "sent": lambda d: "" if d.status == "sent" else None,
        }[doing]
        did = {d.contact_id for d in rows if (at := done(d)) is not None and at <= when}
        return lambda member: (member.contact_id in did) == (doing == self.op)

    def _day(self, name: str, value: Any) -> str:
        try:
            return times.normal(str(value))[:10]
        except ValueError:
            raise self.bad(name, "Expects a date as YYYY-MM-DD") from None

    def _date(self) -> Test:
        if self.field not in ("timestamp_opt", "info_changed"):
            raise self.bad("field", "Data presented is not one of the accepted values: timestamp_opt, info_changed.")
        own: Test | Any = (
            (lambda m: m.timestamp_opt[:10]) if self.field == "timestamp_opt" else (lambda m: m.last_changed[:10])
        )
        if self.op in _BLANK:
            return lambda member: (own(member) == "") == (self.op == "blank")
        if self.op in ("within", "notwithin"):
            return self._within(own)
        kind = self._text()
        if kind == "date":
            day = self._day("extra", self.extra)
        elif kind == "campaign":
            day = self._campaign("extra", self.extra).send_time[:10]
        elif kind == "last":
            day = max(
                (c.send_time for c in self.ctx.db.find(Campaign, list_id=self.list_id, status="sent")), default=""
            )[:10]
        else:
            day = self._day("value", self.value)
        return lambda member: bool(own(member)) and _TEXT[self.op](own(member), day)

    def _within(self, own: Callable[[Member], str]) -> Test:
        days = _number(str(self.value if self.value not in ("days", None) else self.extra))
        if days is None or not 0 <= days <= 36500:
            raise self.bad("value", "Expects a number of days")
        since = times.iso(self.ctx.now - timedelta(days=days))[:10]
        return lambda member: (own(member) >= since) == (self.op == "within")

    def _newsubscribers(self) -> Test:
        self.op = "within"
        return self._within(lambda member: member.timestamp_opt[:10])


def standing(ctx: Ctx, list_id: str, options: Mapping[str, Any]) -> Test:
    """The test that kept options make. Nobody passes it once what they rest on (a tag, a merge field, a mailing) is gone."""
    try:
        return read(ctx, list_id, options)[1]
    except ApiError:
        return lambda member: False


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 2**53 else None


_STATUSES = {
    "include_unsubscribed": "unsubscribed",
    "include_cleaned": "cleaned",
    "include_transactional": "transactional",
}


def chosen(ctx: Ctx, row: Segment, include: Mapping[str, bool | None]) -> list[Member]:
    """The members of a segment: subscribed ones, and others that are asked for."""
    statuses = ["subscribed", *(status for name, status in _STATUSES.items() if include.get(name))]
    everyone = ctx.db.find(Member, list_id=row.list_id, status__in=statuses, order="timestamp_opt,contact_id")
    if row.type == "static":
        inside = {m.contact_id for m in ctx.db.find(SegmentMember, segment_id=row.id)}
        return [m for m in everyone if m.contact_id in inside]
    test = standing(ctx, row.list_id, row.options)
    return [m for m in everyone if test(m)]
