"""Users. https://developer.calendly.com/api-docs/calendly-api/users"""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import access, resources, uris
from ..app import app
from ..booking import CONFERENCES
from ..inputs import Uri, Uuid
from ..models import User

_KINDS = ("physical", "custom", "ask_invitee", "inbound_call", "outbound_call", *CONFERENCES)
_CONNECTED = ("google_conference", "zoom_conference")


@app.get("/users/me", tool="get_current_user")
def get_current_user(ctx: Ctx) -> dict[str, Any]:
    """Who the caller is: the user's URI, time zone, scheduling page, and `current_organization`, which most lists ask for."""
    return {"resource": resources.account(access.me(ctx), access.membership(ctx).organization)}


@app.get("/users/{uuid}", tool="get_user")
def get_user(ctx: Ctx, uuid: Uuid) -> dict[str, Any]:
    """A user of the caller's organization: name, e-mail address, time zone and scheduling page.

    uuid: The user's UUID or URI, or `me`.
    """
    if uuid == "me":
        return get_current_user(ctx)
    found = access.member(ctx, uris.uri(User, uris.row_at(ctx, User, uuid).uuid))
    return {"resource": resources.account(found, access.membership(ctx).organization)}


@app.get("/locations", tool="list_user_meeting_locations")
def list_user_meeting_locations(ctx: Ctx, user: Uri) -> dict[str, Any]:
    """The kinds of meeting locations that a user can offer, and whether the conferencing ones are connected.

    user: The user's URI.
    """
    access.subject(ctx, user)
    return {"collection": [{"kind": k, "connected": k not in CONFERENCES or k in _CONNECTED} for k in _KINDS]}
