"""Settings that are one object each. https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.settings"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field

from .. import mime
from ..app import UserId, app, me, refuse
from ..compose import Ignored
from ..fields import answers
from ..models import ForwardingAddress

Disposition = Literal["dispositionUnspecified", "leaveInInbox", "archive", "trash", "markRead"]


@app.get("/gmail/v1/users/{userId}/settings/vacation", tool="get_vacation")
@answers("VacationSettings")
def get_vacation(ctx: Ctx, userId: UserId = "me") -> dict[str, Any]:
    """Gets the vacation responder: whether it is on, and what it answers."""
    return {"enableAutoReply": False, **me(ctx).vacation}


@app.put("/gmail/v1/users/{userId}/settings/vacation", tool="update_vacation")
@answers("VacationSettings")
def update_vacation(
    ctx: Ctx, userId: UserId = "me", enableAutoReply: bool = False, responseSubject: str | None = None,
    responseBodyPlainText: str | None = None, responseBodyHtml: str | None = None, restrictToContacts: bool = False,
    restrictToDomain: bool = False, startTime: str | int | None = None, endTime: str | int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Sets the vacation responder as a whole: what is left out is unset.

    enableAutoReply: Whether messages are answered.
    responseSubject: A subject to put before that of the answered message.
    responseBodyPlainText: The answer's text.
    responseBodyHtml: The answer's text as HTML, used in place of the plain text.
    restrictToContacts: Whether only contacts get an answer.
    restrictToDomain: Whether only people of the own domain get an answer.
    startTime: From when on, in milliseconds since 1970.
    endTime: Until when, in milliseconds since 1970.
    """
    times = {name: str(value) for name, value in (("startTime", startTime), ("endTime", endTime)) if value is not None}
    for name, value in times.items():
        if not re.fullmatch(r"\d{1,18}", value):
            raise refuse(
                f"Invalid value at '{re.sub('T', '_t', name)}' (TYPE_INT64), \"{value[:40]}\"", reason="invalid"
            )
    if len(times) == 2 and int(times["startTime"]) >= int(times["endTime"]):
        raise refuse("Vacation startTime must precede endTime")
    texts = {
        "responseSubject": responseSubject, "responseBodyPlainText": responseBodyPlainText, "responseBodyHtml": responseBodyHtml,
    }  # fmt: skip
    if enableAutoReply and not any(texts.values()):
        raise refuse("A response subject or a response body is required to enable auto-replies")
    settings = {
        "enableAutoReply": enableAutoReply, **{n: v for n, v in texts.items() if v is not None},
        **{n: True for n, v in (("restrictToContacts", restrictToContacts), ("restrictToDomain", restrictToDomain)) if v}, **times,
    }  # fmt: skip
    return ctx.db.update(me(ctx), vacation=settings).vacation


@app.get("/gmail/v1/users/{userId}/settings/autoForwarding", tool="get_auto_forwarding")
@answers("AutoForwarding")
def get_auto_forwarding(ctx: Ctx, userId: UserId = "me") -> dict[str, Any]:
    """Gets whether all incoming mail is forwarded, and where to."""
    return {"enabled": False, **me(ctx).auto_forwarding}


@app.put("/gmail/v1/users/{userId}/settings/autoForwarding", tool="update_auto_forwarding")
@answers("AutoForwarding")
def update_auto_forwarding(
    ctx: Ctx, userId: UserId = "me", enabled: bool = False, emailAddress: str | None = None,
    disposition: Disposition = "dispositionUnspecified",
) -> dict[str, Any]:  # fmt: skip
    """Sets whether all incoming mail is forwarded to a verified forwarding address.

    enabled: Whether mail is forwarded.
    emailAddress: The address, one of the verified forwarding addresses.
    disposition: What becomes of a forwarded message here.
    """
    if enabled:
        found = ctx.db.get(ForwardingAddress, emailAddress or "")
        if found is None or found.verificationStatus != "accepted":
            raise refuse("Unrecognized forwarding address", reason="failedPrecondition", code="FAILED_PRECONDITION")
        if disposition == "dispositionUnspecified":
            raise refuse("Invalid disposition")
    settings: dict[str, Any] = {"enabled": enabled}
    if emailAddress:
        settings |= {"emailAddress": emailAddress}
    if disposition != "dispositionUnspecified":
        settings |= {"disposition": disposition}
    return ctx.db.update(me(ctx), auto_forwarding=settings).auto_forwarding


@app.get("/gmail/v1/users/{userId}/settings/forwardingAddresses", tool="list_forwarding_addresses")
@answers("ListForwardingAddressesResponse")
def list_forwarding_addresses(ctx: Ctx, userId: UserId = "me") -> dict[str, Any]:
    """Lists the addresses that mail may be forwarded to, and whether they are verified."""
    found = ctx.db.find(ForwardingAddress)
    return {"forwardingAddresses": [a.model_dump() for a in found]} if found else {}


@app.get(
    "/gmail/v1/users/{userId}/settings/forwardingAddresses/{forwardingEmail}", tool="get_forwarding_address", mcp=False
)
@answers("ForwardingAddress")
def get_forwarding_address(ctx: Ctx, forwardingEmail: str, userId: UserId = "me") -> dict[str, Any]:
    """Gets a forwarding address.

    forwardingEmail: The address.
    """
    return ctx.require(ForwardingAddress, forwardingEmail).model_dump()


@app.post("/gmail/v1/users/{userId}/settings/forwardingAddresses", tool="create_forwarding_address")
@answers("ForwardingAddress")
def create_forwarding_address(
    ctx: Ctx, forwardingEmail: str = "", userId: UserId = "me", verificationStatus: Ignored = None
) -> dict[str, Any]:
    """Adds a forwarding address. One of the own domain is accepted at once; any other waits for its owner to verify it.

    forwardingEmail: The address.
    """
    if not mime.is_address(forwardingEmail):
        raise refuse("Invalid forwarding address")
    if ctx.db.get(ForwardingAddress, forwardingEmail) is not None:
        raise refuse("Forwarding address already exists", reason="alreadyExists", code="ALREADY_EXISTS")
    own = forwardingEmail.rpartition("@")[2].lower() == me(ctx).email.rpartition("@")[2].lower()
    made = ForwardingAddress(forwardingEmail=forwardingEmail, verificationStatus="accepted" if own else "pending")
    return ctx.db.add(made).model_dump()


@app.delete(
    "/gmail/v1/users/{userId}/settings/forwardingAddresses/{forwardingEmail}",
    tool="delete_forwarding_address",
    status=204,
)
def delete_forwarding_address(ctx: Ctx, forwardingEmail: str, userId: UserId = "me") -> None:
    """Removes a forwarding address; forwarding to it ends.

    forwardingEmail: The address.
    """
    ctx.db.delete(ctx.require(ForwardingAddress, forwardingEmail))
    account = me(ctx)
    if account.auto_forwarding.get("emailAddress") == forwardingEmail:
        ctx.db.update(account, auto_forwarding={"enabled": False})


@app.get("/gmail/v1/users/{userId}/settings/imap", tool="get_imap", mcp=False)
@answers("ImapSettings")
def get_imap(ctx: Ctx, userId: UserId = "me") -> dict[str, Any]:
    """Gets the IMAP settings."""
    return {"enabled": True, "autoExpunge": True, "expungeBehavior": "archive", **me(ctx).imap}


@app.put("/gmail/v1/users/{userId}/settings/imap", tool="update_imap", mcp=False)
@answers("ImapSettings")
def update_imap(
    ctx: Ctx, userId: UserId = "me", enabled: bool = False, autoExpunge: bool = False,
    expungeBehavior: Literal["expungeBehaviorUnspecified", "archive", "trash", "deleteForever"] = "archive",
    maxFolderSize: Annotated[int, Field(ge=0, le=10000)] = 0,
) -> dict[str, Any]:  # fmt: skip
    """Sets the IMAP settings.

    enabled: Whether IMAP is on.
    autoExpunge: Whether a message marked as deleted is expunged at once.
    expungeBehavior: What becomes of a message that is expunged from its last folder.
    maxFolderSize: The most messages that a folder may hold: 0 (no limit), 1000, 2000, 5000 or 10000.
    """
    if maxFolderSize not in (0, 1000, 2000, 5000, 10000):
        raise refuse("Invalid maxFolderSize")
    settings = {
        "enabled": enabled, "autoExpunge": autoExpunge, "expungeBehavior": expungeBehavior,
        **({"maxFolderSize": maxFolderSize} if maxFolderSize else {}),
    }  # fmt: skip
    return ctx.db.update(me(ctx), imap=settings).imap


@app.get("/gmail/v1/users/{userId}/settings/pop", tool="get_pop", mcp=False)
@answers("PopSettings")
def get_pop(ctx: Ctx, userId: UserId = "me") -> dict[str, Any]:
    """Gets the POP settings."""
    return {"accessWindow": "disabled", "disposition": "leaveInInbox", **me(ctx).pop}


@app.put("/gmail/v1/users/{userId}/settings/pop", tool="update_pop", mcp=False)
@answers("PopSettings")
def update_pop(
    ctx: Ctx, userId: UserId = "me",
    accessWindow: Literal["accessWindowUnspecified", "disabled", "fromNowOn", "allMail"] = "disabled",
    disposition: Disposition = "leaveInInbox",
) -> dict[str, Any]:  # fmt: skip
    """Sets the POP settings.

    accessWindow: Which messages POP gives.
    disposition: What becomes of a message that POP has given.
    """
    return ctx.db.update(me(ctx), pop={"accessWindow": accessWindow, "disposition": disposition}).pop


@app.get("/gmail/v1/users/{userId}/settings/language", tool="get_language", mcp=False)
@answers("LanguageSettings")
def get_language(ctx: Ctx, userId: UserId = "me") -> dict[str, Any]:
    """Gets the language of the mailbox's pages."""
    return {"displayLanguage": me(ctx).language}


@app.put("/gmail/v1/users/{userId}/settings/language", tool="update_language", mcp=False)
@answers("LanguageSettings")
def update_language(ctx: Ctx, displayLanguage: str = "", userId: UserId = "me") -> dict[str, Any]:
    """Sets the language of the mailbox's pages.

    displayLanguage: An RFC 3066 language tag.
    """
    if not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", displayLanguage):
        raise refuse("Invalid display language")
    return {"displayLanguage": ctx.db.update(me(ctx), language=displayLanguage).language}
