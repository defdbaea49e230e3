"""The verbs of calendar."""

from legoenv_mcp.capabilities import calendar
from legoenv_mcp.verify.matchers import matches
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p, agent = s.provider, s.world.agent
    mine = s.ref(s.first(calendar.Calendar, lambda c: c.primary and c.owner == agent.key))
    s.reads(p.list_calendars(), s.first(calendar.Calendar, lambda c: c.primary and c.owner == agent.key).name)
    s.run(p.create_calendar("Made by verb", "Europe/Berlin"))
    assert s.one(calendar.Calendar, lambda c: c.name == "Made by verb").time_zone == "Europe/Berlin"
    start, end = "2026-03-17T10:00:00+01:00", "2026-03-17T11:00:00+01:00"
    s.run(p.create_event(mine, "Talk about verbs", start, end, ("dana@elsewhere.example",)))
    made = s.one(calendar.Event, lambda e: e.title == "Talk about verbs")
    assert matches({"instant": start}, made.start)
    assert [a.email for a in made.attendees if a.email != agent.email] == ["dana@elsewhere.example"]
    s.reads(p.list_events(mine, "2026-03-17T00:00:00Z", "2026-03-18T00:00:00Z"), "Talk about verbs")
    s.reads(p.get_event(mine, made.id), "Talk about verbs")
    s.reads(p.find_busy_times((mine,), "2026-03-17T00:00:00Z", "2026-03-18T00:00:00Z"), "2026-03-17")
    s.run(p.update_event(mine, made.id, title="Talk about nouns"))
    assert s.one(calendar.Event, lambda e: e.id == made.id and e.calendar == made.calendar).title == "Talk about nouns"
    invited = s.first(
        calendar.Event,
        lambda e: (
            s.live.template.refs["calendar.Calendar"].get(e.calendar) == mine
            and not e.recurrence
            and e.status == "confirmed"
            and e.organizer != agent.email
            and any(a.email == agent.email and a.response != "accepted" for a in e.attendees)
        ),
    )
    s.run(p.respond_to_invite(mine, s.ref(invited), "accepted"))
    answered = s.one(calendar.Event, lambda e: e.id == s.ref(invited) and e.calendar == mine)
    assert [a.response for a in answered.attendees if a.email == agent.email] == ["accepted"]
    s.run(p.delete_event(mine, made.id))
    assert all(e.status == "cancelled" for e in s.all(calendar.Event) if e.id == made.id)
