"""Lookup v2. https://www.twilio.com/docs/lookup/v2-api"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field

from ..app import app
from ..errors import refuse
from ..lists import link
from ..models import IncomingPhoneNumber
from ..params import only
from ..phones import CALLING_CODE, Number, national_format, read

PACKAGES = (
    "caller_name", "sim_swap", "call_forwarding", "line_status", "line_type_intelligence", "identity_match", "reassigned_number",
    "sms_pumping_risk", "phone_number_quality_score", "pre_fill",
)  # fmt: skip
ENABLED = ("caller_name", "line_type_intelligence")
_CARRIERS = {"US": ("T-Mobile USA, Inc.", "310", "160"), "CA": ("Rogers", "302", "720"), "GB": ("EE", "234", "30")}


@app.get("/lookups/v2/PhoneNumbers/{PhoneNumber}", tool="lookup_phone_number")
def lookup_phone_number(
    ctx: Ctx, PhoneNumber: str, Fields: str | MISSING = MISSING,
    CountryCode: Annotated[str, Field(pattern="^[A-Za-z]{2}$")] | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Says whether a phone number is valid, how it is written, and with `Fields` what kind of line it is.

    PhoneNumber: The number, in E.164 format or as it is written in its country.
    Fields: More to find out, separated by commas: `line_type_intelligence`, `caller_name`.
    CountryCode: The ISO code of the country that a national number is of; US unless given.
    """
    wanted = [part.strip() for part in (only(Fields) or "").split(",") if part.strip()]
    for part in wanted:
        if part not in PACKAGES:
            raise refuse(400, 20001, f"Invalid value for parameter Fields: {part[:60]}")
        if part not in ENABLED:
            raise refuse(403, 60606, f"Lookup Package {part} is Not Enabled")
    country = "US" if CountryCode is MISSING else CountryCode.upper()
    number = read(PhoneNumber, country)
    digits = sum(c.isdigit() for c in PhoneNumber)
    errors = [] if number else [_fault(PhoneNumber, country, digits)]
    shown = {
        "calling_country_code": number.code if number else None, "country_code": number.country if number else None,
        "phone_number": number.e164 if number else PhoneNumber, "national_format": national_format(number) if number else None,
        "valid": number is not None, "validation_errors": errors, **dict.fromkeys(PACKAGES),
        "url": link(ctx, f"/lookups/v2/PhoneNumbers/{number.e164 if number else PhoneNumber}"),
    }  # fmt: skip
    if number and "line_type_intelligence" in wanted:
        shown["line_type_intelligence"] = _line(ctx, number)
    if number and "caller_name" in wanted:
        name = None if number.country == "US" else 60607
        shown["caller_name"] = {"caller_name": None, "caller_type": None, "error_code": name}
    return shown


def _fault(text: str, country: str, digits: int) -> str:
    if not digits or any(c.isalpha() for c in text):
        return "NOT_A_NUMBER"
    if not text.strip().startswith("+") and country not in CALLING_CODE:
        return "INVALID_COUNTRY_CODE"
    if digits < 10:
        return "TOO_SHORT"
    return (
        "TOO_LONG"
        if digits > 11 and (not text.startswith("+") or digits > 15 or text.startswith("+1"))
        else "INVALID_BUT_POSSIBLE"
    )


def _line(ctx: Ctx, number: Number) -> dict[str, Any]:
    """What kind of line it is, as far as digits tell: in North America they do not tell mobiles from landlines."""
    own = ctx.db.first(IncomingPhoneNumber, phone_number=number.e164)
    if own is not None:
        return {
            "carrier_name": "Twilio", "mobile_country_code": None, "mobile_network_code": None,
            "type": "tollFree" if own.type == "toll-free" else "nonFixedVoip", "error_code": None,
        }  # fmt: skip
    if number.kind == "toll-free":
        kind = "tollFree"
    elif number.code == "1" or number.kind == "mobile":
        kind = "mobile"
    else:
        kind = "landline"
    carrier, country, network = _CARRIERS.get(number.country, (None, None, None))
    mobile = kind == "mobile"
    return {
        "carrier_name": carrier, "mobile_country_code": country if mobile else None, "mobile_network_code": network if mobile else None,
        "type": kind, "error_code": None,
    }  # fmt: skip
