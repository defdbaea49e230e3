"""The account, its balance, addresses and verified caller IDs. https://www.twilio.com/docs/iam/api/account"""

from typing import Annotated, Any

from legoenv_mcp.app import HEX, MISSING, Ctx, Field, Reply

from .. import usage
from ..app import ACCOUNT, AccountSid, app
from ..errors import refuse, require
from ..lists import PageNumber, PageSize, PageToken, listing
from ..models import Account, Address, IncomingPhoneNumber, OutgoingCallerId
from ..params import HiddenFlag, Name, columns, only
from ..phones import read
from ..resources import VERSION, account_sid, root, show_account, show_address, show_caller_id

Line = Annotated[str, Field(min_length=1, max_length=256)]
Country = Annotated[str, Field(pattern="^[A-Za-z]{2}$")]


@app.get(f"/{VERSION}/Accounts", tool="list_accounts")
def list_accounts(
    ctx: Ctx, FriendlyName: str | MISSING = MISSING, Status: str | MISSING = MISSING, PageSize: PageSize = MISSING,
    Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists the accounts that the caller may use: the one there is, whose SID is in the paths of all that is the account's.

    FriendlyName: Only accounts of exactly this name.
    Status: Only accounts with this status.
    """
    rows = ctx.db.find(Account, friendly_name=only(FriendlyName), status=only(Status))
    return listing(ctx, f"/{VERSION}/Accounts.json", "accounts", rows, show_account, PageSize, Page, PageToken)


@app.get(f"/{VERSION}/Accounts/{{Sid}}", tool="fetch_account", mcp=False)
def fetch_account(ctx: Ctx, Sid: AccountSid = "") -> dict[str, Any]:
    """Fetches the account: its name, type and status."""
    return show_account(ctx, require(ctx, Account, Sid or account_sid(ctx)))


@app.get(f"{ACCOUNT}/Balance", tool="fetch_balance")
def fetch_balance(ctx: Ctx, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Fetches the account's balance in US dollars."""
    account = require(ctx, Account, account_sid(ctx))
    return {
        "account_sid": account.sid, "balance": f"{account.opening_balance - usage.total(ctx):.5f}", "currency": "USD",
    }  # fmt: skip


@app.get(f"{ACCOUNT}/OutgoingCallerIds", tool="list_caller_ids")
def list_caller_ids(
    ctx: Ctx, AccountSid: AccountSid = "", PhoneNumber: str | MISSING = MISSING, FriendlyName: str | MISSING = MISSING,
    PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists the verified caller IDs: numbers that are not the account's but may be called from.

    PhoneNumber: Only this number.
    FriendlyName: Only caller IDs of exactly this name.
    """
    number = read(only(PhoneNumber) or "")
    wanted = number.e164 if number else only(PhoneNumber)
    rows = ctx.db.find(
        OutgoingCallerId, order="date_created,sid", phone_number=wanted, friendly_name=only(FriendlyName)
    )
    path = f"{root(ctx)}/OutgoingCallerIds.json"
    return listing(ctx, path, "outgoing_caller_ids", rows, show_caller_id, PageSize, Page, PageToken)


@app.get(f"{ACCOUNT}/OutgoingCallerIds/{{Sid}}", tool="fetch_caller_id", mcp=False)
def fetch_caller_id(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Fetches a verified caller ID.

    Sid: The caller ID's SID.
    """
    return show_caller_id(ctx, require(ctx, OutgoingCallerId, Sid))


@app.post(f"{ACCOUNT}/OutgoingCallerIds/{{Sid}}", tool="update_caller_id", effect="update", mcp=False)
def update_caller_id(
    ctx: Ctx, Sid: str, AccountSid: AccountSid = "", FriendlyName: Name | MISSING = MISSING
) -> dict[str, Any]:
    """Renames a verified caller ID.

    Sid: The caller ID's SID.
    FriendlyName: The new name.
    """
    row = require(ctx, OutgoingCallerId, Sid)
    if given := columns(ctx):
        ctx.db.update(row, **given, date_updated=ctx.timestamp())
    return show_caller_id(ctx, row)


@app.delete(f"{ACCOUNT}/OutgoingCallerIds/{{Sid}}", tool="delete_caller_id", status=204, mcp=False)
def delete_caller_id(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> Reply:
    """Removes a verified caller ID: the number may no longer be called from.

    Sid: The caller ID's SID.
    """
    ctx.db.delete(require(ctx, OutgoingCallerId, Sid))
    return Reply({}, 204)


@app.post(f"{ACCOUNT}/Addresses", tool="create_address", status=201)
def create_address(
    ctx: Ctx, CustomerName: Line, Street: Line, City: Line, Region: Line, PostalCode: Line, IsoCountry: Country,
    AccountSid: AccountSid = "", StreetSecondary: Annotated[str, Field(max_length=256)] | MISSING = MISSING,
    FriendlyName: Name | MISSING = MISSING, EmergencyEnabled: HiddenFlag = MISSING, AutoCorrectAddress: HiddenFlag = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Adds an address to the account, for numbers that need one.

    CustomerName: Whose address it is.
    Street: House number and street.
    City: The city.
    Region: The state or region.
    PostalCode: The postal code.
    IsoCountry: The country's ISO code, of two letters.
    StreetSecondary: Suite, floor or flat.
    FriendlyName: A name for the address.
    """
    at = ctx.timestamp()
    given = columns(ctx, "AutoCorrectAddress", "IsoCountry")
    row = Address(sid=ctx.id("AD", 32, HEX), iso_country=IsoCountry.upper(), date_created=at, date_updated=at, **given)
    return show_address(ctx, ctx.db.add(row))


@app.get(f"{ACCOUNT}/Addresses", tool="list_addresses")
def list_addresses(
    ctx: Ctx, AccountSid: AccountSid = "", CustomerName: str | MISSING = MISSING, FriendlyName: str | MISSING = MISSING,
    IsoCountry: str | MISSING = MISSING, PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists the account's addresses.

    CustomerName: Only addresses of exactly this customer.
    FriendlyName: Only addresses of exactly this name.
    IsoCountry: Only addresses in this country.
    """
    rows = ctx.db.find(
        Address, order="-date_created,sid", customer_name=only(CustomerName), friendly_name=only(FriendlyName),
        iso_country=only(IsoCountry),
    )  # fmt: skip
    return listing(ctx, f"{root(ctx)}/Addresses.json", "addresses", rows, show_address, PageSize, Page, PageToken)


@app.get(f"{ACCOUNT}/Addresses/{{Sid}}", tool="fetch_address", mcp=False)
def fetch_address(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Fetches one of the account's addresses.

    Sid: The address's SID.
    """
    return show_address(ctx, require(ctx, Address, Sid))


@app.post(f"{ACCOUNT}/Addresses/{{Sid}}", tool="update_address", effect="update", mcp=False)
def update_address(
    ctx: Ctx, Sid: str, AccountSid: AccountSid = "", CustomerName: Line | MISSING = MISSING, Street: Line | MISSING = MISSING,
    City: Line | MISSING = MISSING, Region: Line | MISSING = MISSING, PostalCode: Line | MISSING = MISSING,
    StreetSecondary: Annotated[str, Field(max_length=256)] | MISSING = MISSING, FriendlyName: Name | MISSING = MISSING,
    EmergencyEnabled: HiddenFlag = MISSING, AutoCorrectAddress: HiddenFlag = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of an address that are sent.

    Sid: The address's SID.
    CustomerName: Whose address it is.
    Street: House number and street.
    City: The city.
    Region: The state or region.
    PostalCode: The postal code.
    StreetSecondary: Suite, floor or flat.
    FriendlyName: A name for the address.
    """
    row = require(ctx, Address, Sid)
    if given := columns(ctx, "AutoCorrectAddress"):
        ctx.db.update(row, **given, date_updated=ctx.timestamp())
    return show_address(ctx, row)


@app.delete(f"{ACCOUNT}/Addresses/{{Sid}}", tool="delete_address", status=204, mcp=False)
def delete_address(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> Reply:
    """Deletes an address that no number needs.

    Sid: The address's SID.
    """
    row = require(ctx, Address, Sid)
    if ctx.db.first(IncomingPhoneNumber, address_sid=Sid):
        raise refuse(409, 20409, f"Address {Sid} is in use by a phone number and cannot be deleted")
    ctx.db.delete(row)
    return Reply({}, 204)
