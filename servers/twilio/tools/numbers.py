"""The account's numbers and those for sale. https://www.twilio.com/docs/phone-numbers/api"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import HEX, MISSING, Body, Ctx, Field, Query, Reply

from ..app import ACCOUNT, AccountSid, app
from ..errors import not_found, path_of, refuse, require
from ..inventory import COUNTRIES, Offer, find_offer, kinds_in, matches, miles, offers, show_offer
from ..lists import PageNumber, PageSize, PageToken, listing
from ..models import Address, IncomingPhoneNumber, ServiceNumber
from ..params import Hidden, HiddenFlag, Method, Name, check_urls, columns, only
from ..phones import formatted, read
from ..resources import root, show_number
from ..usage import still_charged

OFFERS_SHOWN, AGENTS = 30, 15
Country = Annotated[str, Field(pattern="^[A-Za-z]{2}$")]


@app.get(f"{ACCOUNT}/AvailablePhoneNumbers", tool="list_available_countries", mcp=False)
def list_available_countries(
    ctx: Ctx,
    AccountSid: AccountSid = "",
    PageSize: PageSize = MISSING,
    Page: PageNumber = MISSING,
    PageToken: PageToken = MISSING,
) -> dict[str, Any]:
    """Lists the countries that numbers are for sale in."""
    return {"uri": f"{root(ctx)}/AvailablePhoneNumbers.json", "countries": [_country(ctx, code) for code in COUNTRIES]}


@app.get(f"{ACCOUNT}/AvailablePhoneNumbers/{{CountryCode}}", tool="fetch_available_country", mcp=False)
def fetch_available_country(ctx: Ctx, CountryCode: Country, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Says which kinds of numbers are for sale in a country.

    CountryCode: The country's ISO code, of two letters.
    """
    if CountryCode.upper() not in COUNTRIES:
        raise not_found(path_of(ctx))
    return _country(ctx, CountryCode.upper())


def _country(ctx: Ctx, code: str) -> dict[str, Any]:
    uri = f"{root(ctx)}/AvailablePhoneNumbers/{code}"
    names = {"Local": "local", "TollFree": "toll_free", "Mobile": "mobile"}
    return {
        "country_code": code, "country": COUNTRIES[code], "uri": f"{uri}.json", "beta": False,
        "subresource_uris": {names[kind]: f"{uri}/{kind}.json" for kind in kinds_in(code)},
    }  # fmt: skip


@app.get(f"{ACCOUNT}/AvailablePhoneNumbers/{{CountryCode}}/{{Type}}", tool="list_available_phone_numbers")
def list_available_phone_numbers(
    ctx: Ctx, CountryCode: Country, Type: Literal["Local", "TollFree", "Mobile"] = "Local", AccountSid: AccountSid = "",
    AreaCode: Annotated[int, Field(ge=0, le=999)] | MISSING = MISSING, Contains: Name | MISSING = MISSING,
    InRegion: Name | MISSING = MISSING, InLocality: Name | MISSING = MISSING, InPostalCode: Name | MISSING = MISSING,
    NearNumber: Annotated[str | MISSING, Query(mcp=False)] = MISSING,
    NearLatLong: Annotated[str | MISSING, Query(mcp=False)] = MISSING,
    Distance: Annotated[Annotated[int, Field(ge=1, le=500)] | MISSING, Query(mcp=False)] = MISSING,
    SmsEnabled: bool | MISSING = MISSING, MmsEnabled: bool | MISSING = MISSING, VoiceEnabled: bool | MISSING = MISSING,
    FaxEnabled: Annotated[bool | MISSING, Query(mcp=False)] = MISSING,
    ExcludeAllAddressRequired: bool | MISSING = MISSING, PageSize: PageSize = MISSING, Page: PageNumber = MISSING,
    PageToken: Annotated[str | MISSING, Query(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Searches the numbers that are for sale in a country. Buy one by its `phone_number`.

    CountryCode: The country's ISO code, of two letters.
    Type: Local, toll-free or mobile numbers.
    AreaCode: Only numbers of this area code (United States and Canada).
    Contains: Only numbers with these digits in them, at least two; `*` stands for any digit, letters are those of the keypad.
    InRegion: Only numbers of this state, province or region.
    InLocality: Only numbers of this city.
    InPostalCode: Only numbers of this postal code.
    SmsEnabled: Only numbers that can (or cannot) text.
    MmsEnabled: Only numbers that can (or cannot) send media.
    VoiceEnabled: Only numbers that can (or cannot) call.
    ExcludeAllAddressRequired: Whether to leave out numbers that need an address.
    """
    country = CountryCode.upper()
    if country not in COUNTRIES or Type not in kinds_in(country):
        raise not_found(path_of(ctx))
    if Contains is not MISSING and not re.fullmatch(r"\+?[0-9A-Za-z*]{2,16}", Contains):
        raise refuse(400, 21421, f"Invalid Pattern Provided: {Contains}")
    exact = [
        lambda o: AreaCode is MISSING or (country != "GB" and o.area.head == f"{AreaCode:03d}"),
        lambda o: Contains is MISSING or matches(o.phone_number, Contains),
        lambda o: InRegion is MISSING or (o.area.region or "").casefold() == InRegion.casefold(),
        lambda o: InLocality is MISSING or (o.area.locality or "").casefold() == InLocality.casefold(),
        lambda o: InPostalCode is MISSING or o.area.postal_code == InPostalCode,
        lambda o: SmsEnabled is MISSING or o.sms == SmsEnabled,
        lambda o: MmsEnabled is MISSING or o.mms == MmsEnabled,
        lambda o: VoiceEnabled is not False and FaxEnabled is not True,
        lambda o: ExcludeAllAddressRequired is not True or o.address_requirements == "none",
    ]
    found = [o for o in offers(ctx, country, Type) if all(test(o) for test in exact)]
    found = _near(found, only(NearNumber), only(NearLatLong), 25 if Distance is MISSING else Distance)
    path = f"{root(ctx)}/AvailablePhoneNumbers/{country}/{Type}.json"
    few = AGENTS if not ctx.request.method else OFFERS_SHOWN
    shown = [show_offer(ctx, offer) for offer in found[: few if PageSize is MISSING else PageSize]]
    return {"uri": path, "available_phone_numbers": shown}


def _near(found: list[Offer], number: str | None, place: str | None, distance: int) -> list[Offer]:
    if number:
        like = read(number)
        home = next((o.area for o in found if like and like.national.startswith(o.area.head)), None)
        if like is None:
            raise refuse(400, 21421, f"Invalid NearNumber: {number[:40]}")
        if home is None or home.latitude is None or home.longitude is None:
            return []
        at = (home.latitude, home.longitude)
    elif place:
        parts = place.split(",")
        try:
            at = (float(parts[0]), float(parts[1]))
        except (ValueError, IndexError):
            raise refuse(400, 20001, f"Invalid value for parameter NearLatLong: {place[:40]}") from None
        if len(parts) != 2 or not (-90 <= at[0] <= 90 and -180 <= at[1] <= 180):
            raise refuse(400, 20001, f"Invalid value for parameter NearLatLong: {place[:40]}")
    else:
        return found
    apart = [(miles(o.area, *at), o) for o in found]
    return [o for far, o in apart if far is not None and far <= distance]


@app.post(f"{ACCOUNT}/IncomingPhoneNumbers", tool="buy_phone_number", status=201)
def buy_phone_number(
    ctx: Ctx, AccountSid: AccountSid = "", PhoneNumber: str | MISSING = MISSING, AreaCode: str | MISSING = MISSING,
    FriendlyName: Name | MISSING = MISSING, AddressSid: str | MISSING = MISSING, SmsUrl: str | MISSING = MISSING,
    SmsMethod: Method = MISSING, SmsFallbackUrl: Hidden = MISSING, SmsFallbackMethod: Method = MISSING,
    SmsApplicationSid: Hidden = MISSING, VoiceUrl: str | MISSING = MISSING, VoiceMethod: Method = MISSING,
    VoiceFallbackUrl: Hidden = MISSING, VoiceFallbackMethod: Method = MISSING, VoiceApplicationSid: Hidden = MISSING,
    VoiceCallerIdLookup: HiddenFlag = MISSING, StatusCallback: Hidden = MISSING, StatusCallbackMethod: Method = MISSING,
    BundleSid: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Buys a phone number for the account: a certain one that is for sale, or any of a US or Canadian area code.

    PhoneNumber: The number to buy, in E.164 format.
    AreaCode: The area code to buy any number of.
    FriendlyName: A name for the number; the number itself unless given.
    AddressSid: The account's address, where the number needs one.
    SmsUrl: Where to ask what to do with texts that come in.
    VoiceUrl: Where to ask what to do with calls that come in.
    """
    check_urls(ctx)
    offer = _wanted(ctx, only(PhoneNumber), only(AreaCode))
    if only(AddressSid) and ctx.db.get(Address, str(AddressSid)) is None:
        raise refuse(400, 21615, f"AddressSid {str(AddressSid)[:40]} is not valid")
    if offer.address_requirements != "none" and not only(AddressSid):
        raise refuse(400, 21631, "Phone Number Requires an Address but the 'AddressSid' parameter was empty.")
    at = ctx.timestamp()
    given = columns(ctx, "PhoneNumber", "AreaCode")
    row = ctx.db.add(
        IncomingPhoneNumber(
            sid=ctx.id("PN", 32, HEX), phone_number=offer.phone_number, iso_country=offer.country, type=_kind(offer), sms=offer.sms,
            mms=offer.mms, address_requirements=offer.address_requirements, date_created=at, date_updated=at,
            **{"friendly_name": formatted(offer.phone_number), **given},
        )
    )  # fmt: skip
    return show_number(ctx, row)


def _kind(offer: Offer) -> Literal["local", "mobile", "toll-free"]:
    return "mobile" if offer.kind == "Mobile" else "toll-free" if offer.kind == "TollFree" else "local"


def _wanted(ctx: Ctx, number: str | None, area: str | None) -> Offer:
    if number:
        found = read(number)
        if found is None or found.e164 == "+15005550001":
            raise refuse(400, 21421, f"PhoneNumber {number[:40]} is not a valid number")
        if (offer := find_offer(ctx, found.e164)) is None:
            raise refuse(400, 21422, f"{found.e164} is not available.")
        return offer
    if not area:
        raise refuse(400, 21421, "PhoneNumber or AreaCode is required")
    if not re.fullmatch(r"[2-9][0-9]{2}", area, re.ASCII):
        raise refuse(400, 21451, f"Invalid area code: {area[:20]}")
    for country in ("US", "CA"):
        for offer in offers(ctx, country, "Local"):
            if offer.area.head == area:
                return offer
    raise refuse(400, 21452, f"No phone numbers found in area code {area}")


@app.get(f"{ACCOUNT}/IncomingPhoneNumbers", tool="list_phone_numbers")
def list_phone_numbers(
    ctx: Ctx, AccountSid: AccountSid = "", PhoneNumber: str | MISSING = MISSING, FriendlyName: str | MISSING = MISSING,
    Beta: Annotated[bool | MISSING, Query(mcp=False)] = MISSING, Origin: Annotated[str | MISSING, Query(mcp=False)] = MISSING,
    PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists the account's phone numbers and what they can do.

    PhoneNumber: Only numbers that match this one; a part of it or `*` for any digit may be given.
    FriendlyName: Only the number of exactly this name.
    """
    rows = ctx.db.find(IncomingPhoneNumber, order="-date_created,sid", friendly_name=only(FriendlyName))
    if wanted := re.sub(r"[\s().\-]", "", only(PhoneNumber) or ""):
        rows = [row for row in rows if matches(row.phone_number, wanted)]
    if Beta is True or only(Origin) not in (None, "twilio"):
        rows = []
    path = f"{root(ctx)}/IncomingPhoneNumbers.json"
    return listing(ctx, path, "incoming_phone_numbers", rows, show_number, PageSize, Page, PageToken)


@app.get(f"{ACCOUNT}/IncomingPhoneNumbers/{{Sid}}", tool="fetch_phone_number")
def fetch_phone_number(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Fetches one of the account's numbers with its settings.

    Sid: The number's SID.
    """
    return show_number(ctx, require(ctx, IncomingPhoneNumber, Sid))


@app.post(f"{ACCOUNT}/IncomingPhoneNumbers/{{Sid}}", tool="update_phone_number", effect="update")
def update_phone_number(
    ctx: Ctx, Sid: str, AccountSid: AccountSid = "", FriendlyName: Name | MISSING = MISSING, AddressSid: str | MISSING = MISSING,
    SmsUrl: str | MISSING = MISSING, SmsMethod: Method = MISSING, SmsFallbackUrl: Hidden = MISSING,
    SmsFallbackMethod: Method = MISSING, SmsApplicationSid: Hidden = MISSING, VoiceUrl: str | MISSING = MISSING,
    VoiceMethod: Method = MISSING, VoiceFallbackUrl: Hidden = MISSING, VoiceFallbackMethod: Method = MISSING,
    VoiceApplicationSid: Hidden = MISSING, VoiceCallerIdLookup: HiddenFlag = MISSING, StatusCallback: str | MISSING = MISSING,
    StatusCallbackMethod: Method = MISSING,
    VoiceReceiveMode: Annotated[Literal["voice", "fax"] | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the settings of one of the account's numbers that are sent; an empty text clears one.

    Sid: The number's SID.
    FriendlyName: A name for the number.
    AddressSid: The account's address that belongs to the number.
    SmsUrl: Where to ask what to do with texts that come in.
    VoiceUrl: Where to ask what to do with calls that come in.
    StatusCallback: Where to tell how calls went.
    """
    row = require(ctx, IncomingPhoneNumber, Sid)
    check_urls(ctx)
    if only(AddressSid) and ctx.db.get(Address, str(AddressSid)) is None:
        raise refuse(400, 21615, f"AddressSid {str(AddressSid)[:40]} is not valid")
    if given := columns(ctx):
        ctx.db.update(row, **given, date_updated=ctx.timestamp())
    return show_number(ctx, row)


@app.delete(f"{ACCOUNT}/IncomingPhoneNumbers/{{Sid}}", tool="release_phone_number", status=204)
def release_phone_number(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> Reply:
    """Gives a number back: the account can no longer use it, and may not get it again.

    Sid: The number's SID.
    """
    row = require(ctx, IncomingPhoneNumber, Sid)
    with still_charged(ctx):
        ctx.db.delete_where(ServiceNumber, phone_number_sid=Sid)
        ctx.db.delete(row)
    return Reply({}, 204)
