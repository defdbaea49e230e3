"""Users' addresses. https://developer.zendesk.com/api-reference/ticketing/users/user_identities/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Reply

from .. import errors, people, resources
from ..app import app, created, done
from ..inputs import Input, sent
from ..models import Identity
from ..paging import Page, PerPage, listing
from .users import UserId

IdentityId = Annotated[int, Field(description="The identity's id.")]


class IdentityInput(Input):
    """An address of a user."""

    type: Literal["email", "phone_number", "twitter", "facebook", "google"] | None = Field(
        default=None, description="Kind of address."
    )
    value: str | None = Field(default=None, description="The address itself.", max_length=255)
    verified: bool | None = Field(default=None, description="Whether it is known to be the user's.")
    primary: bool | None = Field(default=None, description="Whether it is the main one of its kind.")


def _own(ctx: Ctx, user_id: int, identity_id: int) -> Identity:
    found = ctx.db.first(Identity, id=identity_id, user_id=user_id)
    if found is None:
        raise errors.not_found()
    return found


@app.get("/api/v2/users/{user_id}/identities", tool="list_user_identities")
def list_user_identities(ctx: Ctx, user_id: UserId, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists a user's e-mail addresses and other identities."""
    people.find(ctx, user_id)
    rows = ctx.db.find(Identity, user_id=user_id)
    return listing(ctx, "identities", rows, lambda i: resources.identity(ctx, i), page=page, per_page=per_page)


@app.get("/api/v2/users/{user_id}/identities/{identity_id}", tool="show_user_identity", mcp=False)
def show_user_identity(ctx: Ctx, user_id: UserId, identity_id: IdentityId) -> dict[str, Any]:
    """Shows an identity of a user."""
    return {"identity": resources.identity(ctx, _own(ctx, user_id, identity_id))}


@app.post("/api/v2/users/{user_id}/identities", tool="create_user_identity", mcp=False, status=201)
def create_user_identity(ctx: Ctx, user_id: UserId, identity: IdentityInput) -> Reply:
    """Adds an e-mail address or other identity to a user.

    identity: The identity, with `type` and `value`.
    """
    row, given = people.find(ctx, user_id), sent(ctx, identity)
    kind, value = given.get("type") or "email", (given.get("value") or "").strip()
    if not row.active:
        raise errors.not_found()
    if not value:
        raise errors.refuse("value", "Value: cannot be blank", "BlankValue")
    if kind == "email":
        problems = errors.Problems()
        value = people.columns(ctx, problems, row, {"email": value})["email"]
        problems.check()
        if ctx.db.count(Identity, user_id=row.id, value=value):
            raise errors.refuse("value", f"Value: {value} has already been taken", "DuplicateValue")
    made = people.add_identity(ctx, row, kind, value, verified=bool(given.get("verified")))
    _vouch(ctx, made)
    if given.get("primary") or not ctx.db.count(Identity, user_id=row.id, type=kind, primary=True):
        _promote(ctx, made)
    return created(ctx, {"identity": resources.identity(ctx, made)})


def _vouch(ctx: Ctx, own: Identity) -> None:
    """A user is verified as soon as any of the addresses is."""
    user = people.find(ctx, own.user_id)
    if own.verified and not user.verified:
        ctx.db.update(user, verified=True, updated_at=ctx.timestamp())


def _promote(ctx: Ctx, own: Identity) -> None:
    people.make_primary(ctx, own)
    if own.type == "email":
        ctx.db.update(people.find(ctx, own.user_id), email=own.value, updated_at=ctx.timestamp())


@app.put("/api/v2/users/{user_id}/identities/{identity_id}", tool="update_user_identity", mcp=False)
def update_user_identity(ctx: Ctx, user_id: UserId, identity_id: IdentityId, identity: IdentityInput) -> dict[str, Any]:
    """Changes an identity: its value, or that it is verified.

    identity: What to change.
    """
    own, given = _own(ctx, user_id, identity_id), sent(ctx, identity)
    new = dict[str, Any]()
    if given.get("value"):
        new["value"] = given["value"]
        if own.type == "email":
            problems = errors.Problems()
            new["value"] = people.columns(ctx, problems, people.find(ctx, user_id), {"email": given["value"]})["email"]
            problems.check()
    if given.get("verified") is not None:
        new["verified"] = given["verified"]
    ctx.db.update(own, **new, updated_at=ctx.timestamp())
    _vouch(ctx, own)
    if own.primary and own.type == "email":
        ctx.db.update(people.find(ctx, user_id), email=own.value, updated_at=ctx.timestamp())
    return {"identity": resources.identity(ctx, own)}


def _all(ctx: Ctx, user_id: int) -> dict[str, Any]:
    return listing(ctx, "identities", ctx.db.find(Identity, user_id=user_id), lambda i: resources.identity(ctx, i))


@app.put("/api/v2/users/{user_id}/identities/{identity_id}/make_primary", tool="make_user_identity_primary")
def make_user_identity_primary(ctx: Ctx, user_id: UserId, identity_id: IdentityId) -> dict[str, Any]:
    """Makes one of a user's e-mail addresses the primary one. `list_user_identities` tells their ids."""
    _promote(ctx, _own(ctx, user_id, identity_id))
    return _all(ctx, user_id)


@app.put("/api/v2/users/{user_id}/identities/{identity_id}/verify", tool="verify_user_identity", mcp=False)
def verify_user_identity(ctx: Ctx, user_id: UserId, identity_id: IdentityId) -> dict[str, Any]:
    """Marks an address as verified."""
    own = ctx.db.update(_own(ctx, user_id, identity_id), verified=True, updated_at=ctx.timestamp())
    _vouch(ctx, own)
    return {"identity": resources.identity(ctx, own)}


@app.put(
    "/api/v2/users/{user_id}/identities/{identity_id}/request_verification", tool="request_user_verification", mcp=False
)
def request_user_verification(ctx: Ctx, user_id: UserId, identity_id: IdentityId) -> Any:
    """Sends the user a mail to verify an address."""
    _own(ctx, user_id, identity_id)
    return Reply({}, 200)


@app.delete("/api/v2/users/{user_id}/identities/{identity_id}", tool="delete_user_identity", mcp=False)
def delete_user_identity(ctx: Ctx, user_id: UserId, identity_id: IdentityId) -> Any:
    """Removes an address of a user; not the main one while there are others."""
    own = _own(ctx, user_id, identity_id)
    if own.primary and ctx.db.count(Identity, user_id=user_id, type=own.type) > 1:
        raise errors.refuse("base", "Identity: the primary identity cannot be deleted", "InvalidValue")
    ctx.db.delete(own)
    if own.primary and own.type == "email":
        ctx.db.update(people.find(ctx, user_id), email=None, updated_at=ctx.timestamp())
    return done(ctx, {"deleted": True, "id": identity_id})
