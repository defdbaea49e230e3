"""Times as Mailchimp writes them: `2026-03-02T09:00:00+00:00`. Written alike they sort as text."""

from datetime import UTC, datetime, timedelta

from legoenv_mcp.app import Ctx


def now(ctx: Ctx) -> str:
    return iso(ctx.now)


def iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def normal(text: str) -> str:
    """Any ISO 8601 time in UTC. ValueError where it is none."""
    head, space, tail = text.strip().rpartition(" ")
    if space and "T" in head and ":" in tail:  # a query string's `+` that was not escaped
        text = f"{head}+{tail}"
    try:
        return iso(Ctx.parse_time(text.strip()).astimezone(UTC))
    except (OverflowError, ValueError):
        raise ValueError("Invalid datetime format") from None


def moment(text: str) -> datetime:
    return Ctx.parse_time(text)


def later(text: str, **by: float) -> str:
    return iso(moment(text) + timedelta(**by))


def from_world(text: str) -> str:
    return normal(text) if text else ""


def to_world(text: str) -> str:
    return text.removesuffix("+00:00") + "Z" if text else ""
