"""Verify: codes sent to people and checked. https://www.twilio.com/docs/verify/api"""

import re
from datetime import timedelta
from typing import Annotated, Any, Literal

from legoenv_mcp.app import DIGITS, HEX, MISSING, Body, Ctx, Field, Reply

from ..app import app
from ..errors import not_found, path_of, refuse, require
from ..lists import PageNumber, PageSize, PageToken, link, meta_listing
from ..models import IncomingPhoneNumber, Verification, VerifyService
from ..params import Hidden, HiddenFlag, columns, only
from ..phones import read
from ..resources import account_sid
from ..sending import receive
from ..times import when
from ..usage import still_charged

SERVICES = "/verify/v2/Services"
LAPSES = timedelta(minutes=10)
MOST_CHECKS = MOST_SENDS = 5
VERIFY_SENDER = "+18339190000"
ServiceName = Annotated[str, Field(min_length=1, max_length=65)]
CodeLength = Annotated[int, Field(ge=4, le=10)]
Channel = Literal["sms", "call", "email", "whatsapp"]
_EMAIL = re.compile(r"[^@\s,;]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+")


def _show_service(ctx: Ctx, row: VerifyService) -> dict[str, Any]:
    url = link(ctx, f"{SERVICES}/{row.sid}")
    parts = {"verifications": "Verifications", "verification_checks": "VerificationCheck", "rate_limits": "RateLimits"}
    return {
        "account_sid": account_sid(ctx), **{name: getattr(row, name) for name in type(row).model_fields},
        "push": {"include_date": False, "apn_credential_sid": None, "fcm_credential_sid": None},
        "totp": {"issuer": row.friendly_name, "time_step": 30, "code_length": 6, "skew": 1},
        "whatsapp": {"msg_service_sid": None, "from": None}, "url": url,
        "links": {name: f"{url}/{part}" for name, part in parts.items()},
    }  # fmt: skip


def _check_name(name: str | None) -> None:
    """Five digits in a row look like a code, and are refused."""
    if name is not None and re.search(r"\d(?:\D?\d){4}", name):
        raise refuse(400, 60200, "Invalid parameter: FriendlyName must not contain 5 or more digits")


@app.post(SERVICES, tool="create_verify_service", status=201)
def create_verify_service(
    ctx: Ctx, FriendlyName: ServiceName, CodeLength: CodeLength | MISSING = MISSING, LookupEnabled: bool | MISSING = MISSING,
    SkipSmsToLandlines: HiddenFlag = MISSING, DtmfInputRequired: HiddenFlag = MISSING, TtsName: Hidden = MISSING,
    DoNotShareWarningEnabled: HiddenFlag = MISSING, CustomCodeEnabled: bool | MISSING = MISSING, DefaultTemplateSid: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a verification service: what its messages say they are from, and how its codes are.

    FriendlyName: The name that messages show; fewer than five digits.
    CodeLength: How long codes are, 4 to 10 digits; 6 unless given.
    LookupEnabled: Whether each verification looks the number up.
    CustomCodeEnabled: Whether verifications may bring their own code.
    """
    _check_name(FriendlyName)
    at = ctx.timestamp()
    row = VerifyService(sid=ctx.id("VA", 32, HEX), date_created=at, date_updated=at, **columns(ctx))
    return _show_service(ctx, ctx.db.add(row))


@app.get(SERVICES, tool="list_verify_services")
def list_verify_services(
    ctx: Ctx, PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING
) -> dict[str, Any]:
    """Lists the account's verification services."""
    rows = ctx.db.find(VerifyService, order="-date_created,-sid")
    return meta_listing(ctx, SERVICES, "services", rows, _show_service, PageSize, Page, PageToken)


@app.get(f"{SERVICES}/{{Sid}}", tool="fetch_verify_service", mcp=False)
def fetch_verify_service(ctx: Ctx, Sid: str) -> dict[str, Any]:
    """Fetches a verification service.

    Sid: The service's SID.
    """
    return _show_service(ctx, require(ctx, VerifyService, Sid))


@app.post(f"{SERVICES}/{{Sid}}", tool="update_verify_service", effect="update", mcp=False)
def update_verify_service(
    ctx: Ctx, Sid: str, FriendlyName: ServiceName | MISSING = MISSING, CodeLength: CodeLength | MISSING = MISSING,
    LookupEnabled: bool | MISSING = MISSING, SkipSmsToLandlines: HiddenFlag = MISSING, DtmfInputRequired: HiddenFlag = MISSING,
    TtsName: Hidden = MISSING, DoNotShareWarningEnabled: HiddenFlag = MISSING, CustomCodeEnabled: bool | MISSING = MISSING,
    DefaultTemplateSid: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the settings of a verification service that are sent.

    Sid: The service's SID.
    FriendlyName: The name that messages show; fewer than five digits.
    CodeLength: How long codes are, 4 to 10 digits.
    LookupEnabled: Whether each verification looks the number up.
    CustomCodeEnabled: Whether verifications may bring their own code.
    """
    row = require(ctx, VerifyService, Sid)
    _check_name(only(FriendlyName))
    if given := columns(ctx):
        ctx.db.update(row, **given, date_updated=ctx.timestamp())
    return _show_service(ctx, row)


@app.delete(f"{SERVICES}/{{Sid}}", tool="delete_verify_service", status=204, mcp=False)
def delete_verify_service(ctx: Ctx, Sid: str) -> Reply:
    """Deletes a verification service and its verifications.

    Sid: The service's SID.
    """
    row = require(ctx, VerifyService, Sid)
    with still_charged(ctx):
        ctx.db.delete_where(Verification, service_sid=Sid)
        ctx.db.delete(row)
    return Reply({}, 204)


def _show(ctx: Ctx, row: Verification) -> dict[str, Any]:
    return {
        "sid": row.sid, "service_sid": row.service_sid, "account_sid": account_sid(ctx), "to": row.to, "channel": row.channel,
        "status": "max_attempts_reached" if row.status == "pending" and row.checks >= MOST_CHECKS else row.status,
        "valid": row.status == "approved", "lookup": {}, "amount": row.amount, "payee": row.payee, "send_code_attempts": row.sends,
        "date_created": row.date_created, "date_updated": row.date_updated, "sna": None,
        "url": link(ctx, f"{SERVICES}/{row.service_sid}/Verifications/{row.sid}"),
    }  # fmt: skip


def _lapsed(ctx: Ctx, row: Verification) -> bool:
    return ctx.now - when(row.date_created) >= LAPSES


def _address(to: str, channel: str) -> str:
    """Whom a code goes to, as Verify spells it."""
    if channel == "email":
        if not _EMAIL.fullmatch(to):
            raise refuse(400, 60200, f"Invalid parameter `To`: {to[:60]}")
        return to
    number = read(to)
    if number is None:
        raise refuse(400, 60200, f"Invalid parameter `To`: {to[:60]}")
    if number.kind == "toll-free" and channel == "sms":
        raise refuse(403, 60205, "SMS is not supported by landline phone number")
    return number.e164


def _open(ctx: Ctx, service: str, to: str) -> Verification | None:
    """The verification that this recipient has going on, also one whose tries are used up."""
    row = ctx.db.first(Verification, service_sid=service, to=to, status="pending", order="-date_created,-sid")
    return None if row is None or _lapsed(ctx, row) else row


@app.post(f"{SERVICES}/{{ServiceSid}}/Verifications", tool="create_verification", effect="send", status=201)
def create_verification(
    ctx: Ctx, ServiceSid: str, To: str, Channel: Channel, CustomFriendlyName: Hidden = MISSING,
    CustomCode: Annotated[str, Field(pattern="^[0-9A-Za-z]{4,10}$")] | MISSING = MISSING, Locale: str | MISSING = MISSING,
    Amount: Annotated[str | MISSING, Body(mcp=False)] = MISSING, Payee: Annotated[str | MISSING, Body(mcp=False)] = MISSING,
    CustomMessage: Hidden = MISSING, SendDigits: Hidden = MISSING, TemplateSid: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Sends a code to somebody. It lapses after 10 minutes; sent again before that, it is the same code, 5 times at most.

    ServiceSid: The verification service's SID.
    To: Who gets the code: a phone number in E.164 format, or an email address.
    Channel: How the code is sent.
    CustomCode: A code of your own, where the service lets verifications bring one.
    Locale: The message's language.
    """
    service = require(ctx, VerifyService, ServiceSid)
    to = _address(To, Channel)
    if CustomCode is not MISSING and not service.custom_code_enabled:
        raise refuse(403, 60204, "Custom code not allowed")
    at, row = ctx.timestamp(), _open(ctx, ServiceSid, to)
    attempt = {"attempt_sid": ctx.id("VL", 32, HEX), "channel": Channel, "time": at}
    if row is not None:
        if len(row.sends) >= MOST_SENDS:
            raise refuse(429, 60203, "Max send attempts reached")
        if row.checks >= MOST_CHECKS:
            raise refuse(429, 60202, "Max check attempts reached")
        code = {} if CustomCode is MISSING else {"code": CustomCode}
        ctx.db.update(row, channel=Channel, sends=[*row.sends, attempt], date_updated=at, **code)
    else:
        code = (
            ctx.id("", service.code_length, DIGITS, kind="verification code") if CustomCode is MISSING else CustomCode
        )
        row = ctx.db.add(
            Verification(
                sid=ctx.id("VE", 32, HEX), service_sid=ServiceSid, to=to, channel=Channel, code=code, sends=[attempt],
                amount=only(Amount), payee=only(Payee), date_created=at, date_updated=at,
            )
        )  # fmt: skip
    own = ctx.db.first(IncomingPhoneNumber, phone_number=to)
    if own is not None and own.sms and Channel == "sms":
        receive(ctx, own, VERIFY_SENDER, f"Your {service.friendly_name} verification code is: {row.code}", at)
    return _show(ctx, row)


def _found(ctx: Ctx, service: str, key: str) -> Verification:
    """A verification by its SID or its recipient; it is gone once approved, canceled or lapsed."""
    require(ctx, VerifyService, service)
    number = read(key)
    row = ctx.db.get(Verification, key) if key.startswith("VE") else None
    row = row or _open(ctx, service, number.e164 if number else key)
    if row is None or row.service_sid != service or row.status == "deleted" or _lapsed(ctx, row):
        raise not_found(path_of(ctx))
    return row


@app.get(f"{SERVICES}/{{ServiceSid}}/Verifications/{{Sid}}", tool="fetch_verification")
def fetch_verification(ctx: Ctx, ServiceSid: str, Sid: str) -> dict[str, Any]:
    """Fetches a verification, until it lapses.

    ServiceSid: The verification service's SID.
    Sid: The verification's SID, or whom the code was sent to.
    """
    return _show(ctx, _found(ctx, ServiceSid, Sid))


@app.post(f"{SERVICES}/{{ServiceSid}}/Verifications/{{Sid}}", tool="update_verification", effect="transition")
def update_verification(ctx: Ctx, ServiceSid: str, Sid: str, Status: Literal["canceled", "approved"]) -> dict[str, Any]:
    """Cancels a pending verification, or approves it where the code was checked by other means.

    ServiceSid: The verification service's SID.
    Sid: The verification's SID, or whom the code was sent to.
    Status: What becomes of the verification.
    """
    row = _found(ctx, ServiceSid, Sid)
    if row.status != "pending":
        raise not_found(path_of(ctx))
    return _show(ctx, ctx.db.update(row, status=Status, date_updated=ctx.timestamp()))


@app.post(f"{SERVICES}/{{ServiceSid}}/VerificationCheck", tool="check_verification", effect="update", status=201)
def check_verification(
    ctx: Ctx, ServiceSid: str, Code: Annotated[str, Field(min_length=4, max_length=10)], To: str | MISSING = MISSING,
    VerificationSid: str | MISSING = MISSING, Amount: Hidden = MISSING, Payee: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Checks the code that somebody was sent. The right one approves the verification; 5 wrong ones use it up.

    ServiceSid: The verification service's SID.
    Code: The code to check.
    To: Whom the code was sent to.
    VerificationSid: The verification's SID, instead of To.
    """
    require(ctx, VerifyService, ServiceSid)
    if not only(To) and not only(VerificationSid):
        raise refuse(400, 60200, "Invalid parameter: To or VerificationSid is required")
    if only(VerificationSid):
        row = ctx.db.get(Verification, VerificationSid)
        row = (
            row if row and row.service_sid == ServiceSid and row.status == "pending" and not _lapsed(ctx, row) else None
        )
    else:
        number = read(str(To))
        row = _open(ctx, ServiceSid, number.e164 if number else str(To))
    if row is None:
        raise not_found(f"/Services/{ServiceSid}/VerificationCheck")
    if row.checks >= MOST_CHECKS:
        raise refuse(429, 60202, "Max check attempts reached")
    if only(Amount) != row.amount or only(Payee) != row.payee:
        raise refuse(400, 60200, "Invalid parameter: Amount and Payee must be those of the verification")
    at = ctx.timestamp()
    if row.code == Code:
        ctx.db.update(row, status="approved", date_updated=at)
    else:
        ctx.db.update(row, checks=row.checks + 1, date_updated=at)
    shown = _show(ctx, row)
    kept = (
        "sid",
        "service_sid",
        "account_sid",
        "to",
        "channel",
        "valid",
        "amount",
        "payee",
        "date_created",
        "date_updated",
    )
    return {**{name: shown[name] for name in kept}, "status": row.status, "sna_attempts_error_codes": []}
