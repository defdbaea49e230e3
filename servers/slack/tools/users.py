"""users.*, dnd.*: the workspace's people. https://docs.slack.dev/reference/methods?family=users"""

import json
import re
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Field

from ..access import is_admin, me, on_mcp
from ..access import user as user_row
from ..access import users as user_rows
from ..app import app, err
from ..models import ProfileField, User
from ..paging import cursor_slice, metadata, size
from ..resources import profile as profile_json
from ..resources import team
from ..resources import user as shown

EDITABLE = (
    "first_name",
    "last_name",
    "display_name",
    "title",
    "phone",
    "pronouns",
    "start_date",
    "status_text",
    "status_emoji",
    "email",
)


class Profile(TypedDict, total=False):
    """What of a profile to change."""

    __pydantic_config__ = {"extra": "ignore"}  # pyright: ignore[reportGeneralTypeIssues]
    first_name: Annotated[str, Field(description="First name")]
    last_name: Annotated[str, Field(description="Last name")]
    real_name: Annotated[str, Field(description="Full name, in place of first and last")]
    display_name: Annotated[str, Field(description="Name shown in conversations")]
    title: Annotated[str, Field(description="Job title")]
    phone: Annotated[str, Field(description="Phone number")]
    pronouns: Annotated[str, Field(description="Pronouns")]
    start_date: Annotated[str, Field(description="First day at work, YYYY-MM-DD")]
    email: Annotated[str, Field(description="Email address; admins only")]
    status_text: Annotated[str, Field(description="Status, at most 100 characters")]
    status_emoji: Annotated[str, Field(description="Status emoji in colons")]
    status_expiration: Annotated[int, Field(description="When the status ends, Unix seconds; 0 for never")]
    fields: Annotated[Any, Field(description="Values of custom fields by their ids")]


@app.get("/api/users.list", tool="list_users", also=("POST",))
def list_users(
    ctx: Ctx, limit: int | None = None, cursor: str | None = None, include_locale: bool = False
) -> dict[str, Any]:
    """Lists the members of the workspace, deactivated ones included.

    limit: At most this many.
    cursor: The next_cursor of the page before.
    include_locale: Whether to add each user's locale.
    """
    page = cursor_slice(ctx.db.find(User, order="real_name"), size(ctx, limit, 1000, 50), cursor, "user")
    members = [shown(ctx, u) | ({"locale": "en-US"} if include_locale else {}) for u in page.items]
    return {"members": members, **({} if on_mcp(ctx) else {"cache_ts": ctx.epoch()}), **metadata(page.cursor)}


@app.get("/api/users.info", tool="get_user_info", also=("POST",))
def get_user_info(ctx: Ctx, user: str, include_locale: bool = False) -> dict[str, Any]:
    """Gives one user: names, title, email, time zone, status, whether admin or deactivated.

    user: The user's id.
    include_locale: Whether to add the user's locale.
    """
    return {"user": shown(ctx, user_row(ctx, user)) | ({"locale": "en-US"} if include_locale else {})}


@app.get("/api/users.lookupByEmail", tool="lookup_user_by_email", also=("POST",))
def lookup_user_by_email(ctx: Ctx, email: str) -> dict[str, Any]:
    """Finds an active user by email address.

    email: The address.
    """
    wanted = email.strip().lower()
    found = next((u for u in ctx.db.find(User, deleted=False) if wanted and u.email.lower() == wanted), None)
    if found is None:
        raise err("users_not_found")
    return {"user": shown(ctx, found)}


@app.get("/api/users.getPresence", tool="get_user_presence", also=("POST",), mcp=False)
def get_user_presence(ctx: Ctx, user: str | None = None) -> dict[str, Any]:
    """Tells whether a user is active or away.

    user: The user's id; you if left out.
    """
    row = user_row(ctx, user or me(ctx))
    active = row.presence == "auto" and not row.deleted
    made: dict[str, Any] = {"presence": "active" if active else "away"}
    if row.id == me(ctx):
        made |= {
            "online": True,
            "auto_away": False,
            "manual_away": row.presence == "away",
            "connection_count": 1,
            "last_activity": ctx.epoch(),
        }
    return made


@app.post("/api/users.setPresence", tool="set_user_presence", effect="update", also=("GET",), mcp=False)
def set_user_presence(ctx: Ctx, presence: Literal["auto", "away"]) -> None:
    """Sets whether you show as away.

    presence: `away`, or `auto` to follow your activity.
    """
    ctx.db.update(user_row(ctx, me(ctx)), presence=presence)


@app.get("/api/users.profile.get", tool="get_user_profile", also=("POST",))
def get_user_profile(ctx: Ctx, user: str | None = None, include_labels: bool = False) -> dict[str, Any]:
    """Gives a user's profile with its custom fields and status.

    user: The user's id; you if left out.
    include_labels: Whether to name the custom fields.
    """
    return {"profile": profile_json(ctx, user_row(ctx, user or me(ctx)), include_labels or on_mcp(ctx))}


@app.post("/api/users.profile.set", tool="set_user_profile", effect="update", also=("GET",))
def set_user_profile(
    ctx: Ctx,
    profile: Profile | str | None = None,
    name: str | None = None,
    value: str | None = None,
    user: str | None = None,
) -> dict[str, Any]:
    """Changes your profile or status; admins may change other people's, but not another admin's.

    profile: The fields to change. The status is status_text, status_emoji and status_expiration (Unix seconds, 0 for never).
    name: One field to change, in place of profile.
    value: Its new value.
    user: The user's id; you if left out.
    """
    row = user_row(ctx, user or me(ctx))
    admin = is_admin(ctx)
    if row.id != me(ctx) and not admin:
        raise err("not_admin")
    if row.id != me(ctx) and row.is_admin:
        raise err("cannot_update_admin_user")
    if isinstance(profile, str):
        try:
            wanted: Any = json.loads(profile)
        except ValueError:
            raise err("invalid_profile") from None
    else:
        wanted = dict(profile) if profile is not None else {name: value} if name and value is not None else None
    if not isinstance(wanted, dict) or not wanted:
        raise err("invalid_profile")
    changes = _profile_changes(ctx, row, wanted)
    if "email" in changes and not admin:
        raise err("not_admin")
    changed = {k: v for k, v in changes.items() if getattr(row, k) != v}
    if changed:
        ctx.db.update(row, **changed, updated=ctx.epoch())
    return {"username": row.name, "profile": profile_json(ctx, row)}


def _profile_changes(ctx: Ctx, row: User, wanted: dict[str, Any]) -> dict[str, Any]:
    """The columns that the wanted profile changes, checked."""
    changes: dict[str, Any] = {k: v for k, v in wanted.items() if k in EDITABLE}
    if any(not isinstance(v, str) for v in changes.values()):
        raise err("invalid_profile")
    if isinstance(wanted.get("real_name"), str):
        first, _, last = wanted["real_name"].partition(" ")
        changes = {"first_name": first, "last_name": last} | changes
    if len(changes.get("status_text", "")) > 100 or any(len(v) > 200 for v in changes.values()):
        raise err("too_long")
    if changes.get("status_text") and not changes.get("status_emoji", row.status_emoji):
        changes["status_emoji"] = ":speech_balloon:"
    if changes.get("status_emoji") and not re.fullmatch(r":[a-z0-9_+'-]+:", changes["status_emoji"]):
        raise err("profile_set_failed")
    if changes.get("display_name", "").startswith("@"):
        raise err("invalid_starts_with_at")
    if changes.get("email") and (not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", changes["email"])):
        raise err("invalid_profile")
    if changes.get("email") and any(u.id != row.id and u.email == changes["email"] for u in ctx.db.find(User)):
        raise err("email_taken")
    if "status_expiration" in wanted:
        until = wanted["status_expiration"]
        if (
            isinstance(until, bool)
            or not str(until).isascii()
            or not str(until).isdecimal()
            or len(str(until)) > 13
            or int(until) >= 2**40
        ):
            raise err("invalid_profile")
        changes["status_expiration"] = int(until)
    if wanted.get("fields"):
        changes["fields"] = _custom(ctx, row, wanted["fields"])
    if {"first_name", "last_name"} & changes.keys():
        names = (changes.get("first_name", row.first_name), changes.get("last_name", row.last_name))
        changes["real_name"] = " ".join(part for part in names if part)
    return changes


def _custom(ctx: Ctx, row: User, given: Any) -> dict[str, str]:
    known, fields = {f.id for f in ctx.db.find(ProfileField)}, dict(row.fields)
    if not isinstance(given, dict):
        raise err("invalid_profile")
    for key, one in given.items():
        text = one.get("value", "") if isinstance(one, dict) else one
        if key not in known or not isinstance(text, str):
            raise err("invalid_profile")
        fields[key] = text
    return {k: v for k, v in fields.items() if v}


@app.get("/api/users.identity", tool="get_user_identity", also=("POST",), mcp=False)
def get_user_identity(ctx: Ctx) -> dict[str, Any]:
    """Gives the calling user's name and workspace."""
    row = user_row(ctx, me(ctx))
    return {"user": {"id": row.id, "name": row.real_name, "email": row.email}, "team": {"id": team(ctx).id}}


# Do not disturb


def _dnd(ctx: Ctx, row: User) -> dict[str, Any]:
    snoozed = row.snooze_until > ctx.epoch()
    more = {
        "snooze_endtime": row.snooze_until,
        "snooze_remaining": row.snooze_until - ctx.epoch(),
        "snooze_is_indefinite": False,
    }
    return {
        "dnd_enabled": snoozed,
        "next_dnd_start_ts": 1,
        "next_dnd_end_ts": 1,
        "snooze_enabled": snoozed,
        **(more if snoozed else {}),
    }


@app.get("/api/dnd.info", tool="get_dnd_info", also=("POST",), mcp=False)
def get_dnd_info(ctx: Ctx, user: str | None = None) -> dict[str, Any]:
    """Tells whether a user has notifications turned off, and until when.

    user: The user's id; you if left out.
    """
    return _dnd(ctx, user_row(ctx, user or me(ctx)))


@app.get("/api/dnd.teamInfo", tool="get_dnd_team_info", also=("POST",), mcp=False)
def get_dnd_team_info(ctx: Ctx, users: str) -> dict[str, Any]:
    """Tells the same of several users.

    users: Ids of users, separated by commas.
    """

    return {"users": {row.id: _dnd(ctx, row) for row in user_rows(ctx, users)}}


@app.post("/api/dnd.setSnooze", tool="set_dnd_snooze", effect="update", also=("GET",), mcp=False)
def set_dnd_snooze(ctx: Ctx, num_minutes: int) -> dict[str, Any]:
    """Turns your notifications off for a while.

    num_minutes: For how many minutes.
    """
    if num_minutes < 1:
        raise err("missing_duration")
    if num_minutes > 60 * 24 * 365:
        raise err("too_long")
    row = ctx.db.update(user_row(ctx, me(ctx)), snooze_until=ctx.epoch() + 60 * num_minutes)
    dnd = _dnd(ctx, row)
    return {k: v for k, v in dnd.items() if k.startswith("snooze")}


@app.post("/api/dnd.endSnooze", tool="end_dnd_snooze", effect="update", also=("GET",), mcp=False)
def end_dnd_snooze(ctx: Ctx) -> dict[str, Any]:
    """Turns your notifications on again."""
    row = user_row(ctx, me(ctx))
    if row.snooze_until <= ctx.epoch():
        raise err("snooze_not_active")
    return _dnd(ctx, ctx.db.update(row, snooze_until=0))
