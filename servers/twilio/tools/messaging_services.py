"""Messaging services and consents. https://www.twilio.com/docs/messaging/api/service-resource"""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator

from legoenv_mcp.app import HEX, MISSING, Body, Ctx, Field, Reply

from ..app import app
from ..errors import refuse, require
from ..lists import PageNumber, PageSize, PageToken, link, meta_listing
from ..models import IncomingPhoneNumber, MessagingService, ServiceNumber
from ..params import HiddenFlag, Method, check_urls, columns
from ..phones import read
from ..resources import account_sid
from ..sending import set_opt_out

SERVICES = "/messaging/v1/Services"
POOL_LIMIT = 400
FriendlyName = Annotated[str, Field(min_length=1, max_length=64)]
Validity = Annotated[int, Field(ge=1, le=36000)]
Usecase = Literal["notifications", "marketing", "verification", "discussion", "poll", "undeclared"]


def _show(ctx: Ctx, row: MessagingService) -> dict[str, Any]:
    url = link(ctx, f"{SERVICES}/{row.sid}")
    parts = {"phone_numbers": "PhoneNumbers", "short_codes": "ShortCodes", "alpha_senders": "AlphaSenders"}
    return {
        "account_sid": account_sid(ctx), **{name: getattr(row, name) for name in type(row).model_fields},
        "us_app_to_person_registered": False,
        "url": url, "links": {name: f"{url}/{part}" for name, part in parts.items()},
    }  # fmt: skip


@app.post(SERVICES, tool="create_messaging_service", status=201)
def create_messaging_service(
    ctx: Ctx, FriendlyName: FriendlyName, InboundRequestUrl: str | MISSING = MISSING, InboundMethod: Method = MISSING,
    FallbackUrl: Annotated[str | MISSING, Body(mcp=False)] = MISSING, FallbackMethod: Method = MISSING,
    StatusCallback: str | MISSING = MISSING, StickySender: bool | MISSING = MISSING, MmsConverter: HiddenFlag = MISSING,
    SmartEncoding: bool | MISSING = MISSING, FallbackToLongCode: HiddenFlag = MISSING, AreaCodeGeomatch: bool | MISSING = MISSING,
    ValidityPeriod: Validity | MISSING = MISSING, SynchronousValidation: HiddenFlag = MISSING, Usecase: Usecase | MISSING = MISSING,
    UseInboundWebhookOnNumber: HiddenFlag = MISSING,
    ScanMessageContent: Annotated[Literal["inherit", "enable", "disable"] | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a messaging service: a pool of numbers to text from, and how it texts.

    FriendlyName: A name for the service.
    InboundRequestUrl: Where to tell of texts that come in.
    StatusCallback: Where to tell what became of texts.
    StickySender: Whether a recipient is always texted from the same number.
    SmartEncoding: Whether look-alikes of plain characters become those, to save segments.
    AreaCodeGeomatch: Whether a number of the recipient's area code is preferred.
    ValidityPeriod: Seconds that a text may wait to be sent, 36,000 at most.
    Usecase: What the service is for.
    """
    check_urls(ctx)
    at = ctx.timestamp()
    row = MessagingService(sid=ctx.id("MG", 32, HEX), date_created=at, date_updated=at, **columns(ctx))
    return _show(ctx, ctx.db.add(row))


@app.get(SERVICES, tool="list_messaging_services")
def list_messaging_services(
    ctx: Ctx, PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING
) -> dict[str, Any]:
    """Lists the account's messaging services."""
    rows = ctx.db.find(MessagingService, order="-date_created,-sid")
    return meta_listing(ctx, SERVICES, "services", rows, _show, PageSize, Page, PageToken)


@app.get(f"{SERVICES}/{{Sid}}", tool="fetch_messaging_service", mcp=False)
def fetch_messaging_service(ctx: Ctx, Sid: str) -> dict[str, Any]:
    """Fetches a messaging service with its settings.

    Sid: The service's SID.
    """
    return _show(ctx, require(ctx, MessagingService, Sid))


@app.post(f"{SERVICES}/{{Sid}}", tool="update_messaging_service", effect="update")
def update_messaging_service(
    ctx: Ctx, Sid: str, FriendlyName: FriendlyName | MISSING = MISSING, InboundRequestUrl: str | MISSING = MISSING,
    InboundMethod: Method = MISSING, FallbackUrl: Annotated[str | MISSING, Body(mcp=False)] = MISSING, FallbackMethod: Method = MISSING,
    StatusCallback: str | MISSING = MISSING, StickySender: bool | MISSING = MISSING, MmsConverter: HiddenFlag = MISSING,
    SmartEncoding: bool | MISSING = MISSING, FallbackToLongCode: HiddenFlag = MISSING, AreaCodeGeomatch: bool | MISSING = MISSING,
    ValidityPeriod: Validity | MISSING = MISSING, SynchronousValidation: HiddenFlag = MISSING, Usecase: Usecase | MISSING = MISSING,
    UseInboundWebhookOnNumber: HiddenFlag = MISSING,
    ScanMessageContent: Annotated[Literal["inherit", "enable", "disable"] | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the settings of a messaging service that are sent.

    Sid: The service's SID.
    FriendlyName: A name for the service.
    InboundRequestUrl: Where to tell of texts that come in.
    StatusCallback: Where to tell what became of texts.
    StickySender: Whether a recipient is always texted from the same number.
    SmartEncoding: Whether look-alikes of plain characters become those, to save segments.
    AreaCodeGeomatch: Whether a number of the recipient's area code is preferred.
    ValidityPeriod: Seconds that a text may wait to be sent, 36,000 at most.
    Usecase: What the service is for.
    """
    row = require(ctx, MessagingService, Sid)
    check_urls(ctx)
    if given := columns(ctx):
        ctx.db.update(row, **given, date_updated=ctx.timestamp())
    return _show(ctx, row)


@app.delete(f"{SERVICES}/{{Sid}}", tool="delete_messaging_service", status=204)
def delete_messaging_service(ctx: Ctx, Sid: str) -> Reply:
    """Deletes a messaging service; its numbers stay the account's.

    Sid: The service's SID.
    """
    row = require(ctx, MessagingService, Sid)
    ctx.db.delete_where(ServiceNumber, service_sid=Sid)
    ctx.db.delete(row)
    return Reply({}, 204)


def _show_number(ctx: Ctx, row: ServiceNumber) -> dict[str, Any]:
    number = ctx.db.get(IncomingPhoneNumber, row.phone_number_sid)
    assert number is not None
    able = [name for name in ("voice", "sms", "mms") if getattr(number, name)]
    return {
        "sid": number.sid, "account_sid": account_sid(ctx), "service_sid": row.service_sid, "phone_number": number.phone_number,
        "country_code": number.iso_country, "capabilities": [{"sms": "SMS", "mms": "MMS", "voice": "Voice"}[name] for name in able],
        "date_created": row.date_created, "date_updated": row.date_created,
        "url": link(ctx, f"{SERVICES}/{row.service_sid}/PhoneNumbers/{number.sid}"),
    }  # fmt: skip


@app.post(f"{SERVICES}/{{ServiceSid}}/PhoneNumbers", tool="add_messaging_service_number", status=201)
def add_messaging_service_number(ctx: Ctx, ServiceSid: str, PhoneNumberSid: str) -> dict[str, Any]:
    """Adds one of the account's numbers to a messaging service. A number is in one service at most.

    ServiceSid: The service's SID.
    PhoneNumberSid: The number's SID.
    """
    require(ctx, MessagingService, ServiceSid)
    if ctx.db.get(IncomingPhoneNumber, PhoneNumberSid) is None:
        raise refuse(404, 20404, f"The requested resource /PhoneNumbers/{PhoneNumberSid} was not found")
    if (joined := ctx.db.get(ServiceNumber, PhoneNumberSid)) is not None:
        if joined.service_sid == ServiceSid:
            raise refuse(409, 21710, "Phone Number or Short Code is already in the Messaging Service.")
        raise refuse(409, 21712, "Phone Number or Short Code is associated with another Messaging Service.")
    if ctx.db.count(ServiceNumber, service_sid=ServiceSid) >= POOL_LIMIT:
        raise refuse(412, 21714, "Messaging Service Number Pool size limit reached")
    row = ServiceNumber(phone_number_sid=PhoneNumberSid, service_sid=ServiceSid, date_created=ctx.timestamp())
    return _show_number(ctx, ctx.db.add(row))


@app.get(f"{SERVICES}/{{ServiceSid}}/PhoneNumbers", tool="list_messaging_service_numbers")
def list_messaging_service_numbers(
    ctx: Ctx, ServiceSid: str, PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING
) -> dict[str, Any]:
    """Lists the numbers that a messaging service texts from.

    ServiceSid: The service's SID.
    """
    require(ctx, MessagingService, ServiceSid)
    rows = ctx.db.find(ServiceNumber, service_sid=ServiceSid, order="date_created,phone_number_sid")
    path = f"{SERVICES}/{ServiceSid}/PhoneNumbers"
    return meta_listing(
        ctx, path, "phone_numbers", rows, _show_number, PageSize, Page, PageToken, key=lambda row: row.phone_number_sid
    )


@app.get(f"{SERVICES}/{{ServiceSid}}/PhoneNumbers/{{Sid}}", tool="fetch_messaging_service_number", mcp=False)
def fetch_messaging_service_number(ctx: Ctx, ServiceSid: str, Sid: str) -> dict[str, Any]:
    """Fetches a number of a messaging service.

    ServiceSid: The service's SID.
    Sid: The number's SID.
    """
    return _show_number(ctx, require(ctx, ServiceNumber, Sid, service_sid=ServiceSid))


@app.delete(f"{SERVICES}/{{ServiceSid}}/PhoneNumbers/{{Sid}}", tool="remove_messaging_service_number", status=204)
def remove_messaging_service_number(ctx: Ctx, ServiceSid: str, Sid: str) -> Reply:
    """Takes a number out of a messaging service; it stays the account's.

    ServiceSid: The service's SID.
    Sid: The number's SID.
    """
    ctx.db.delete(require(ctx, ServiceNumber, Sid, service_sid=ServiceSid))
    return Reply({}, 204)


class Consent(BaseModel):
    """What somebody said to being texted."""

    contact_id: str = Field(description="Whose consent it is: a phone number in E.164 format.")
    correlation_id: str = Field(default="", description="An id of 32 characters that the answer repeats.")
    sender_id: str = Field(description="The sender: a messaging service's SID, or one of the account's numbers.")
    status: Literal["opt-in", "opt-out"] = Field(description="Whether the contact may be texted.")
    source: Literal["website", "offline", "opt-in-message", "opt-out-message", "others"] = Field(
        default="others", description="Where the contact said so."
    )
    date_of_consent: str = Field(default="", description="When the contact said so, in ISO 8601.")


def _objects(value: Any) -> Any:
    """A form repeats the parameter, each time with an object as JSON text."""
    listed = value if isinstance(value, list) else [value]
    try:
        return [json.loads(item) if isinstance(item, str) else item for item in listed]
    except (ValueError, RecursionError):
        return value


@app.post("/accounts/v1/Consents/Bulk", tool="upsert_consents", effect="update", status=201)
def upsert_consents(
    ctx: Ctx, Items: Annotated[list[Consent], BeforeValidator(_objects), Field(min_length=1, max_length=25)]
) -> dict[str, Any]:  # fmt: skip
    """Records who may be texted by a sender and who may not, as STOP and START do. Each item is answered for itself.

    Items: Up to 25 consents.
    """
    return {"items": [_consent(ctx, item) for item in Items]}


def _consent(ctx: Ctx, item: Consent) -> dict[str, Any]:
    contact, sender, wrong = read(item.contact_id), item.sender_id, list[str]()
    if contact is None:
        wrong.append("contact_id is not a valid phone number")
    if ctx.db.get(MessagingService, sender) is None:
        number = read(sender)
        own = ctx.db.first(IncomingPhoneNumber, phone_number=number.e164) if number else None
        sender = own.phone_number if own else sender
        if own is None:
            wrong.append("sender_id is neither a messaging service nor a phone number of this account")
    if contact is not None and not wrong:
        set_opt_out(ctx, sender, contact.e164, item.status == "opt-out", ctx.timestamp())
    return {"correlation_id": item.correlation_id, "error_code": 20001 if wrong else 0, "error_messages": wrong}
