"""Meetings for which more than one time is right."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from legoenv_mcp.verify.busy import declined_by, instant, overlapping
from legoenv_mcp.verify.checks import AppState, check


@check
def meets_while_all_are_free(
    app: AppState, *, calendar: str, title: str, day: str, opens: str, closes: str, zone: str, minutes: int, calendars: list[str],
    people: list[str],
) -> str:  # fmt: skip
    """One new event of that title and length on the day, within the hours of the zone, with these people (whose calendars are those, in
    the same order), at a time at which none of them is busy."""
    made = [
        app.view("calendar.Event", c.table, c.after) for c in app.changes if c.kind == "insert" and c.after is not None
    ]
    new = [event for event in made if event is not None and event["calendar"] == calendar]
    if len(new) != 1 or new[0]["title"].casefold().strip() != title.casefold():
        return f"expected one new event {title!r}; found {[event['title'] for event in new]}"
    event = new[0]
    if event["recurrence"] or not event["busy"] or "T" not in event["start"]:
        return "the event recurs, shows as free or lasts the whole day"
    guests = {guest["email"].casefold() for guest in event["attendees"]}
    wanted = {email.casefold() for email in people}
    if not wanted - {event["organizer"].casefold()} <= guests <= wanted:
        return f"expected the guests {sorted(wanted)}; found {sorted(guests)}"
    start, end = (instant(event[name]).astimezone(ZoneInfo(zone)) for name in ("start", "end"))
    if end - start != timedelta(minutes=minutes):
        return f"expected {minutes} minutes; found {end - start}"
    if not (f"{day}T{opens}" <= start.isoformat()[:16] and end.isoformat()[:16] <= f"{day}T{closes}"):
        return f"expected a time on {day} between {opens} and {closes} in {zone}; found {start} to {end}"
    there = app.entities("calendar.Event", before=True)
    for owner, theirs in zip(people, calendars, strict=True):
        own = [e for e in there if e["calendar"] == theirs and not declined_by(e, owner)]
        busy = overlapping(own, event["start"], event["end"])
        if busy:
            return f"{owner} is busy then: {busy[0]['title']}"
    return ""
