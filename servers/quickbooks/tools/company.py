"""The company, its preferences and attachments, exchange rates. https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/companyinfo"""

import base64
import binascii
from typing import Annotated, Any

from pydantic_core import from_json

from legoenv_mcp.app import MISSING, Ctx, Payload

from .. import faults, models, records, tooling, wire
from ..app import REALM, answer, app
from ..endpoints import Whole, shown
from ..resources import home_currency, show
from ..shapes import AttachedTo
from ..store import insert


@app.get(f"/companyinfo/{REALM}", tool="get_company_info")
def get_company_info(ctx: Ctx) -> dict[str, Any]:
    """The company's name, address and fiscal year."""
    return shown(ctx, _only(ctx, models.CompanyInfo))


@app.get("/preferences", tool="get_preferences")
def get_preferences(ctx: Ctx) -> dict[str, Any]:
    """The company's preferences: home currency, whether classes and locations are tracked, until when the books are closed."""
    return shown(ctx, _only(ctx, models.Preferences))


@app.post("/preferences", tool="post_preferences", effect="update", mcp=False)
def post_preferences(ctx: Ctx, body: Whole = None) -> dict[str, Any]:
    """Changes preferences. Members that are left out stay.

    body: The preferences, with Id and SyncToken.
    """
    given = {"Id": "1", **(body or {})}
    return shown(ctx, records.update(ctx, models.Preferences, {**given, "sparse": True}))


def _only(ctx: Ctx, cls: type[models.Record]) -> models.Record:
    row = ctx.db.first(cls)
    if row is None:
        raise faults.not_found()
    return row


@app.get("/exchangerate", tool="get_exchange_rate", mcp=False)
def get_exchange_rate(ctx: Ctx, sourcecurrencycode: str, asofdate: str | None = None) -> dict[str, Any]:
    """What a unit of a currency is worth in home currency.

    sourcecurrencycode: The currency.
    asofdate: On which day.
    """
    day = wire.day(asofdate, "asofdate") if asofdate else ctx.now.date().isoformat()
    found = ctx.db.first(
        models.ExchangeRate, order="-AsOfDate", SourceCurrencyCode=sourcecurrencycode, AsOfDate__le=day
    )
    if found is None:
        raise faults.not_found()
    return shown(ctx, found)


@app.post("/exchangerate", tool="post_exchange_rate", effect="update", mcp=False)
def post_exchange_rate(ctx: Ctx, body: Whole = None) -> dict[str, Any]:
    """Sets a currency's rate from a day on.

    body: SourceCurrencyCode, Rate, AsOfDate.
    """
    given = body or {}
    for name in ("SourceCurrencyCode", "Rate"):
        if given.get(name) in (None, ""):
            raise faults.missing(name)
    code = wire.text(given["SourceCurrencyCode"], "SourceCurrencyCode", 3) or ""
    if ctx.db.first(models.CompanyCurrency, Code=code) is None:
        raise faults.bad_reference("Currency", code)
    rate = float(wire.money(given["Rate"], "Rate", 7))
    if not 0 < rate <= 1_000_000:
        raise faults.number("Rate", rate)
    day = wire.day(given["AsOfDate"], "AsOfDate") if given.get("AsOfDate") else ctx.now.date().isoformat()
    row = ctx.db.first(models.ExchangeRate, SourceCurrencyCode=code, AsOfDate=day)
    if row is not None:
        ctx.db.update(row, Rate=rate, LastUpdatedTime=ctx.timestamp())
        return shown(ctx, row)
    state = {"SourceCurrencyCode": code, "TargetCurrencyCode": home_currency(ctx), "Rate": rate, "AsOfDate": day}
    return shown(ctx, insert(ctx, models.ExchangeRate, **state))


@app.post("/attachable", tool="create_attachable")
def create_attachable(
    ctx: Ctx, Note: str, AttachableRef: list[AttachedTo] | MISSING = MISSING, Category: str | MISSING = MISSING
) -> dict[str, Any]:
    """Attaches a note to objects.

    Note: The text.
    AttachableRef: What it is attached to.
    Category: Contact Photo, Document, Image, Receipt, Signature, Sound or Other.
    """
    return tooling.create(ctx, models.Attachable)


@app.post("/upload", tool="upload", mcp=False)
def upload(ctx: Ctx, parts: Annotated[dict[str, Any] | None, Payload(mcp=False)] = None) -> dict[str, Any]:
    """Uploads files: for each a part file_metadata_NN, an attachable as JSON, and a part file_content_NN.

    parts: The form's parts.
    """
    made = list[dict[str, Any]]()
    for name, part in sorted((parts or {}).items()):
        if not name.startswith("file_content_"):
            continue
        described = (parts or {}).get(name.replace("content", "metadata"))
        data = part.get("content", b"") if isinstance(part, dict) else str(part).encode()
        made.append({"Attachable": show(ctx, _stored(ctx, described, data, part if isinstance(part, dict) else {}))})
    if not made:
        raise faults.missing("file_content_01")
    return answer(ctx, AttachableResponse=made)


def _stored(ctx: Ctx, described: Any, data: bytes, part: dict[str, Any]) -> models.Attachable:
    raw = described.get("content", b"") if isinstance(described, dict) else described
    try:
        body = from_json(raw) if raw else {}
    except ValueError:
        raise faults.unsupported_property("file_metadata") from None
    if not isinstance(body, dict):
        raise faults.fault(
            "6040",
            "The file metadata must be of Attachable type",
            "The file metadata submitted must be of Attachable type.",
        )
    body.setdefault("FileName", part.get("filename"))
    body.setdefault("ContentType", part.get("content_type") or "application/octet-stream")
    try:
        content = base64.b64decode(data, validate=True) if not part else data
    except binascii.Error:
        content = data
    row = records.create(ctx, models.Attachable, {k: v for k, v in body.items() if k != "Id"})
    assert isinstance(row, models.Attachable)
    return ctx.db.update(row, Size=len(content), content=base64.b64encode(content).decode())
