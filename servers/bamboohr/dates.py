"""Days of the company's time zone, and the forms in which BambooHR writes times."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from legoenv_mcp.app import ApiError, Ctx

from .errors import refuse
from .models import Account

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def account(ctx: Ctx) -> Account:
    return ctx.require(Account, 1)


def address(ctx: Ctx, path: str) -> str:
    """Where a path of the API is, in the form of address that the caller used."""
    version = re.search(r"/v[12](_[12])?/", f"{ctx.request.path}/")
    return f"{ctx.request.base}{ctx.request.path[: version.start()] if version else ''}/v1/{path}"


def today(ctx: Ctx) -> date:
    """The day that it is where the company is."""
    return ctx.now.astimezone(ZoneInfo(account(ctx).timezone)).date()


def stamp(ctx: Ctx) -> str:
    """Now, as employees' last changes are written."""
    return ctx.now.replace(microsecond=0).isoformat()


def local_day(ctx: Ctx, when: str) -> str:
    """The company's day of a time."""
    if _DAY.fullmatch(when):
        return when
    return ctx.parse_time(when).astimezone(ZoneInfo(account(ctx).timezone)).date().isoformat()


def day(text: object) -> date | None:
    """A day as `YYYY-MM-DD`; None where it is not one."""
    if not isinstance(text, str) or not _DAY.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def need_day(text: object, name: str, status: int = 400) -> date:
    """A day, or the refusal that says which parameter is none."""
    found = day(text)
    if found is None:
        raise refuse(status, f"{name} is not a valid date in YYYY-MM-DD format")
    return found


def moment(text: str, name: str) -> datetime:
    """An ISO 8601 time, with `+` perhaps read as a space; the refusal where it is none."""
    try:
        made = datetime.fromisoformat(re.sub(r" (\d\d:\d\d)$", r"+\1", text.strip()))
    except ValueError:
        raise bad_moment(name) from None
    return made if made.tzinfo else made.replace(tzinfo=UTC)


def bad_moment(name: str) -> ApiError:
    return refuse(400, f"{name} is not a valid ISO 8601 date")


def days_between(first: date, last: date) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]
