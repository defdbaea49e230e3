"""reminders.*: what to be reminded of. https://docs.slack.dev/reference/methods?family=reminders"""

from typing import Any

from legoenv_mcp.app import UPPER36, Ctx

from ..access import SLACKBOT, me, user, zone
from ..app import app, err
from ..models import Reminder
from ..when import Unclear, understand

DAY = 86_400
YEARS_5 = 5 * 366 * DAY


def _shown(row: Reminder) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": row.id,
        "creator": row.creator,
        "user": row.user,
        "text": row.text,
        "recurring": row.recurrence is not None,
        "time": row.time,
    }
    return made | ({"recurrence": row.recurrence} if row.recurrence else {"complete_ts": row.complete_ts})


def _own(ctx: Ctx, reminder_id: str) -> Reminder:
    found = ctx.db.get(Reminder, reminder_id)
    if found is None or me(ctx) not in (found.creator, found.user):
        raise err("not_found")
    return found


@app.post("/api/reminders.add", tool="add_reminder", also=("GET",))
def add_reminder(ctx: Ctx, text: str, time: str | int, user: str | None = None) -> dict[str, Any]:
    """Sets a reminder for yourself.

    text: What to be reminded of.
    time: When: Unix seconds, a number of seconds from now (up to a day), or words such as "in 20 minutes",
        "tomorrow at 9am", "on March 5 at 14:00", "every Thursday".
    user: Your own id, or nothing: others cannot be reminded.
    """
    if not text.strip():
        raise err("missing_argument")
    if user and user != me(ctx):
        _check_other(ctx, user)
    at, recurrence = _time(ctx, str(time).strip())
    row = ctx.db.add(
        Reminder(id=ctx.id("Rm", 9, UPPER36), creator=me(ctx), user=me(ctx), text=text, time=at, recurrence=recurrence)
    )
    return {"reminder": _shown(row)}


def _check_other(ctx: Ctx, user_id: str) -> None:
    other = user(ctx, user_id)
    raise err(
        "cannot_add_slackbot" if other.id == SLACKBOT else "cannot_add_bot" if other.is_bot else "cannot_add_others"
    )


def _time(ctx: Ctx, given: str) -> tuple[int, dict[str, Any] | None]:
    now = ctx.epoch()
    if given.isascii() and given.isdecimal() and len(given) < 16:
        number = int(given)
        at = now + number if number <= DAY else number
        if not now < at <= now + YEARS_5:
            raise err("cannot_parse")
        return at, None
    try:
        moment, recurrence = understand(given, ctx.now.astimezone(zone(ctx)))
    except Unclear:
        raise err("cannot_parse") from None
    if moment.timestamp() > now + YEARS_5:
        raise err("cannot_parse")
    return int(moment.timestamp()), recurrence


@app.get("/api/reminders.list", tool="list_reminders", also=("POST",))
def list_reminders(ctx: Ctx) -> dict[str, Any]:
    """Lists your reminders, completed ones included, soonest first."""
    return {"reminders": [_shown(r) for r in ctx.db.find(Reminder, order="time") if me(ctx) in (r.creator, r.user)]}


@app.get("/api/reminders.info", tool="get_reminder_info", also=("POST",), mcp=False)
def get_reminder_info(ctx: Ctx, reminder: str) -> dict[str, Any]:
    """Gives one reminder.

    reminder: The reminder's id.
    """
    return {"reminder": _shown(_own(ctx, reminder))}


@app.post("/api/reminders.complete", tool="complete_reminder", effect="transition", also=("GET",))
def complete_reminder(ctx: Ctx, reminder: str) -> None:
    """Marks a reminder as done; one that recurs cannot be.

    reminder: The reminder's id.
    """
    row = _own(ctx, reminder)
    if row.user != me(ctx):
        raise err("cannot_complete_others")
    if row.recurrence is not None:
        raise err("cannot_complete_recurring")
    if not row.complete_ts:
        ctx.db.update(row, complete_ts=ctx.epoch())


@app.post("/api/reminders.delete", tool="delete_reminder", effect="delete", also=("GET",))
def delete_reminder(ctx: Ctx, reminder: str) -> None:
    """Deletes a reminder.

    reminder: The reminder's id.
    """
    ctx.db.delete(_own(ctx, reminder))
