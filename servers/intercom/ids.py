"""Ids as Intercom makes them, who calls, and times between the world's texts and Intercom's seconds."""

from datetime import UTC, datetime

from legoenv_mcp.app import HEX, Ctx
from legoenv_mcp.capabilities.people import Person

from . import errors
from .models import Admin, Workspace

_STARTS = {
    "admin": 7_310_482, "team": 8_204_911, "conversation": 215_470_000_000_101, "message": 403_918_320, "part": 24_617_330_051,
    "tag": 11_240_367, "note": 30_581, "ticket_type": 2_614_877, "ticket_attribute": 9_150_233, "ticket_state": 5_401_126,
    "article": 10_483_551, "collection": 12_207_940, "help_center": 4_188_203, "subscription": 68_415, "job": 3_907_114,
    "attribute": 16_022_845, "away_reason": 77_021,
}  # fmt: skip


def number(ctx: Ctx, kind: str) -> str:
    """The next number of a kind, as text."""
    return str(ctx.sequence(kind, start=_STARTS[kind]))


def objectid(ctx: Ctx, kind: str, when: int | None = None) -> str:
    """24 hexadecimal characters that begin with a time, as contacts, companies and segments have."""
    seconds = ctx.epoch() if when is None else when
    return f"{seconds % 2**32:08x}" + ctx.id("", 16, HEX, kind=kind)


def workspace(ctx: Ctx) -> Workspace:
    return ctx.db.find(Workspace)[0]


def me(ctx: Ctx) -> Admin:
    """The teammate whose token it is."""
    return ctx.require(Admin, ctx.ref(Person, ctx.agent))


def admin(ctx: Ctx, key: str | None) -> Admin:
    """The teammate named by `admin_id`; the caller where none is."""
    return me(ctx) if key is None else ctx.require(Admin, key)


def whole(key: str | None) -> int | None:
    """An id where Intercom answers a number."""
    return int(key) if key else None


def seconds(text: str) -> int:
    """A world's time as seconds."""
    made = datetime.fromisoformat(text)
    return int((made if made.tzinfo else made.replace(tzinfo=UTC)).timestamp())


def instant(when: int | None) -> str:
    """Seconds as a world's time."""
    return "" if when is None else datetime.fromtimestamp(when, UTC).isoformat().replace("+00:00", "Z")


def owner(ctx: Ctx, key: int | str | None) -> str | None:
    """An account's owner, who must be a teammate."""
    if key is None:
        return None
    if ctx.db.get(Admin, str(key)) is None:
        raise errors.invalid_parameter("The owner specified is not a member of the workspace")
    return str(key)
