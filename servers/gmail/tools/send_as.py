"""Send-as addresses. https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.settings.sendAs"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx

from .. import mime
from ..app import UserId, app, me, refuse
from ..compose import Ignored
from ..fields import answers
from ..models import SendAs

BodyEmail = Annotated[Any, Body("sendAsEmail", mcp=False)]


class Server(BaseModel, extra="forbid"):
    """A mail server of another provider. Username and password are never given back."""

    host: str | None = None
    port: int | None = None
    username: str | None = None
    password: str | None = None
    securityMode: Literal["securityModeUnspecified", "none", "ssl", "starttls"] | None = None


OwnServer = Annotated[Server | None, Body(mcp=False)]


def _show(row: SendAs) -> dict[str, Any]:
    out: dict[str, Any] = {"sendAsEmail": row.sendAsEmail, "displayName": row.displayName}
    out |= {"replyToAddress": row.replyToAddress, "signature": row.signature}
    if row.isPrimary:
        out["isPrimary"] = True
    if row.isDefault:
        out["isDefault"] = True
    if not row.isPrimary:
        out["treatAsAlias"] = row.treatAsAlias
    if row.smtpMsa:
        out["smtpMsa"] = row.smtpMsa
    if row.verificationStatus:
        out["verificationStatus"] = row.verificationStatus
    return out


def _require(ctx: Ctx, email: str) -> SendAs:
    return ctx.require(SendAs, email)


@app.get("/gmail/v1/users/{userId}/settings/sendAs", tool="list_send_as")
@answers("ListSendAsResponse")
def list_send_as(ctx: Ctx, userId: UserId = "me") -> dict[str, Any]:
    """Lists the addresses that mail may be sent from, with display names and signatures."""
    rows = sorted(ctx.db.find(SendAs), key=lambda r: (not r.isPrimary, r.sendAsEmail))
    return {"sendAs": [_show(row) for row in rows]}


@app.get("/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}", tool="get_send_as", mcp=False)
@answers("SendAs")
def get_send_as(ctx: Ctx, sendAsEmail: str, userId: UserId = "me") -> dict[str, Any]:
    """Gets a send-as address.

    sendAsEmail: The address.
    """
    return _show(_require(ctx, sendAsEmail))


@app.post("/gmail/v1/users/{userId}/settings/sendAs", tool="create_send_as")
@answers("SendAs")
def create_send_as(
    ctx: Ctx, sendAsEmail: str = "", userId: UserId = "me", displayName: str = "", replyToAddress: str = "", signature: str = "",
    treatAsAlias: bool = True, isDefault: bool = False, smtpMsa: OwnServer = None, isPrimary: Ignored = None,
    verificationStatus: Ignored = None,
) -> dict[str, Any]:  # fmt: skip
    """Adds an address to send from. One of the own domain is accepted at once; any other waits for its owner to verify it.

    sendAsEmail: The address.
    displayName: The name shown with it.
    replyToAddress: Where answers go, if elsewhere.
    signature: The signature, as HTML.
    treatAsAlias: Whether mail sent from it counts as the owner's own.
    isDefault: Whether new mail is sent from it.
    """
    if not mime.is_address(sendAsEmail) or (replyToAddress and not mime.is_address(replyToAddress)):
        raise refuse("Invalid send-as address" if not mime.is_address(sendAsEmail) else "Invalid reply-to address")
    if ctx.db.get(SendAs, sendAsEmail) is not None:
        raise ApiError(409, "Send-as address already exists", reason="alreadyExists", code="ALREADY_EXISTS")
    own = sendAsEmail.rpartition("@")[2].lower() == me(ctx).email.rpartition("@")[2].lower()
    if isDefault and not own:
        raise refuse("A send-as address must be verified before it is made the default")
    row = ctx.db.add(SendAs(
        sendAsEmail=sendAsEmail, displayName=displayName, replyToAddress=replyToAddress, signature=signature, treatAsAlias=treatAsAlias,
        verificationStatus="accepted" if own else "pending", smtpMsa=_public(smtpMsa),
    ))  # fmt: skip
    if isDefault:
        _make_default(ctx, row)
    return _show(row)


def _public(server: Server | None) -> dict[str, Any] | None:
    return server.model_dump(exclude_none=True, exclude={"username", "password"}) if server else None


def _make_default(ctx: Ctx, row: SendAs) -> None:
    if row.verificationStatus == "pending":
        raise refuse("A send-as address must be verified before it is made the default")
    for other in ctx.db.find(SendAs, isDefault=True):
        ctx.db.update(other, isDefault=False)
    ctx.db.update(row, isDefault=True)


def _change(ctx: Ctx, row: SendAs, changes: dict[str, Any]) -> dict[str, Any]:
    if changes.get("replyToAddress") and not mime.is_address(changes["replyToAddress"]):
        raise refuse("Invalid reply-to address")
    default = changes.pop("isDefault", None)
    if row.isDefault and default is False:
        raise refuse("The default send-as address can only be changed by making another one the default")
    if row.isPrimary:
        changes.pop("treatAsAlias", None)
        changes.pop("smtpMsa", None)
    if "smtpMsa" in changes:
        changes["smtpMsa"] = _public(changes["smtpMsa"])
    ctx.db.update(row, **changes)
    if default:
        _make_default(ctx, row)
    return _show(row)


@app.patch("/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}", tool="update_send_as")
@answers("SendAs")
def update_send_as(
    ctx: Ctx, sendAsEmail: str, userId: UserId = "me", displayName: str | MISSING = MISSING, replyToAddress: str | MISSING = MISSING,
    signature: str | MISSING = MISSING, treatAsAlias: bool | MISSING = MISSING, isDefault: bool | MISSING = MISSING,
    smtpMsa: OwnServer = None, body_email: BodyEmail = None, isPrimary: Ignored = None, verificationStatus: Ignored = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of a send-as address that are given: its signature, for one.

    sendAsEmail: The address.
    displayName: The name shown with it.
    replyToAddress: Where answers go, if elsewhere.
    signature: The signature, as HTML.
    treatAsAlias: Whether mail sent from it counts as the owner's own.
    isDefault: true to send new mail from it.
    """
    names = ("displayName", "replyToAddress", "signature", "treatAsAlias", "isDefault", "smtpMsa")
    return _change(ctx, _require(ctx, sendAsEmail), {n: v for n, v in ctx.sent().items() if n in names})


@app.put("/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}", tool="replace_send_as", mcp=False)
@answers("SendAs")
def replace_send_as(
    ctx: Ctx, sendAsEmail: str, userId: UserId = "me", displayName: str = "", replyToAddress: str = "", signature: str = "",
    treatAsAlias: bool = True, isDefault: bool | None = None, smtpMsa: OwnServer = None, body_email: BodyEmail = None,
    isPrimary: Ignored = None, verificationStatus: Ignored = None,
) -> dict[str, Any]:  # fmt: skip
    """Replaces a send-as address: what is left out is emptied.

    sendAsEmail: The address.
    displayName: The name shown with it.
    replyToAddress: Where answers go, if elsewhere.
    signature: The signature, as HTML.
    treatAsAlias: Whether mail sent from it counts as the owner's own.
    isDefault: true to send new mail from it.
    """
    changes: dict[str, Any] = {
        "displayName": displayName, "replyToAddress": replyToAddress, "signature": signature, "treatAsAlias": treatAsAlias,
        "isDefault": isDefault, "smtpMsa": smtpMsa,
    }  # fmt: skip
    return _change(ctx, _require(ctx, sendAsEmail), changes)


@app.delete("/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}", tool="delete_send_as", status=204)
def delete_send_as(ctx: Ctx, sendAsEmail: str, userId: UserId = "me") -> None:
    """Removes a send-as address. The mailbox's own address cannot be removed.

    sendAsEmail: The address.
    """
    row = _require(ctx, sendAsEmail)
    if row.isPrimary:
        raise refuse("The primary send-as address cannot be deleted")
    if row.isDefault:
        primary = ctx.db.first(SendAs, isPrimary=True)
        if primary is not None:
            ctx.db.update(primary, isDefault=True)
    ctx.db.delete(row)


@app.post(
    "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}/verify",
    tool="verify_send_as",
    effect="update",
    status=204,
    mcp=False,
)
def verify_send_as(ctx: Ctx, sendAsEmail: str, userId: UserId = "me") -> None:
    """Sends the verification mail of a pending address again.

    sendAsEmail: The address.
    """
    if _require(ctx, sendAsEmail).verificationStatus != "pending":
        raise refuse("Send-as address is verified already", reason="failedPrecondition", code="FAILED_PRECONDITION")
