"""Companies. https://developers.intercom.com/docs/references/rest-api/api.intercom.io/companies"""

import base64
import binascii
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Query

from .. import errors, ids, resources
from ..app import app
from ..inputs import Attributes, CompanyId, PageNumber, PerPage, Seconds, Spend, Text
from ..models import Company, Contact, ContactCompany, Conversation, DataAttribute, Tagging
from ..paging import numbered, whole

_SCROLL = 100


def _read(ctx: Ctx, old: dict[str, Any], sent: Attributes) -> dict[str, Any]:
    """Custom attributes with what was sent; those that companies do not have yet are added to the workspace."""
    kinds: dict[type, Literal["boolean", "integer", "float", "string"]] = {
        bool: "boolean", int: "integer", float: "float", str: "string",
    }  # fmt: skip
    known = {a.name: a for a in ctx.db.find(DataAttribute, model="company", custom=True)}
    out = dict(old)
    for name, value in sent.items():
        if value is not None and type(value) not in kinds:
            raise errors.invalid_parameter(f"Custom attribute '{name}' must be a string, a number or a boolean")
        if value is not None and name not in known:
            when = ctx.epoch()
            known[name] = ctx.db.add(DataAttribute(
                id=int(ids.number(ctx, "attribute")), model="company", name=name, label=name, data_type=kinds[type(value)],
                created_at=when, updated_at=when,
            ))  # fmt: skip
        if value is not None:
            kind = known[name].data_type
            good = type(value) is {"boolean": bool, "string": str}.get(kind, int) or (
                kind == "float" and type(value) in (int, float)
            )
            if not good:
                raise errors.invalid_parameter(f"Custom attribute '{name}' must be of type {kind}")
        out[name] = value
    return {n: v for n, v in out.items() if v is not None}


@app.post("/companies", tool="create_or_update_company", effect="update")
def create_or_update_company(
    ctx: Ctx,
    company_id: Text | None = None,
    name: str | MISSING = MISSING,
    plan: str | MISSING = MISSING,
    size: int | MISSING = MISSING,
    website: str | MISSING = MISSING,
    industry: str | MISSING = MISSING,
    custom_attributes: Attributes | MISSING = MISSING,
    remote_created_at: Seconds | MISSING = MISSING,
    monthly_spend: Spend | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes the company that has a company_id of your own, or creates it where there is none. A company is shown once it has people.

    company_id: Your own id of the company; it cannot change.
    name: Its name.
    plan: The name of its plan.
    size: How many people work there.
    website: The address of its website.
    industry: Its industry.
    custom_attributes: Values by name; new names become attributes of companies.
    remote_created_at: When you created it, in seconds since 1970.
    monthly_spend: What it spends in a month, in whole numbers.
    """
    if not company_id:
        raise errors.missing_parameter("Company id is a required parameter.")
    sent = ctx.sent()
    sent.pop("company_id")
    row, when = ctx.db.first(Company, company_id=company_id), ctx.epoch()
    if "custom_attributes" in sent:
        sent["custom_attributes"] = _read(ctx, row.custom_attributes if row else {}, sent["custom_attributes"])
    if row is None:
        row = ctx.db.add(
            Company(id=ids.objectid(ctx, "company"), company_id=company_id, created_at=when, updated_at=when, **sent)
        )
    elif sent:
        ctx.db.update(row, **sent, updated_at=when)
    return resources.company(ctx, row)


def _listed(ctx: Ctx, order: str) -> list[Company]:
    """Companies as lists have them: those without people are left out."""
    peopled = {
        row["company_id"]
        for row in ctx.db.query(
            "SELECT DISTINCT c.company_id FROM contactcompany c JOIN contact p ON p.id = c.contact_id WHERE p.archived = 0"
        )
    }
    return [c for c in ctx.db.find(Company, order=order) if c.id in peopled]


@app.get("/companies", tool="list_companies")
def list_companies(
    ctx: Ctx,
    name: str | None = None,
    company_id: str | None = None,
    tag_id: str | None = None,
    segment_id: str | None = None,
    page: PageNumber = 1,
    per_page: PerPage = 15,
) -> dict[str, Any]:
    """Lists companies that have people, last used first; with a name or a company_id, shows the one that has it, people or none.

    name: The exact name of one.
    company_id: Your own id of one.
    tag_id: Only those with this tag.
    segment_id: Only those in this segment.
    """
    if name is not None or company_id is not None:
        row = ctx.db.first(Company, name=name, company_id=company_id)
        if row is None:
            raise errors.not_found("Company")
        return resources.company(ctx, row)
    rows = _listed(ctx, "-updated_at,-id")
    if tag_id is not None:
        tagged = {t.object_id for t in ctx.db.find(Tagging, kind="company", tag_id=tag_id)}
        rows = [c for c in rows if c.id in tagged]
    if segment_id is not None:
        rows = []
    return numbered(ctx, rows, lambda c: resources.company(ctx, c), page, per_page, "/companies")


@app.get("/companies/{company_id}", tool="retrieve_company")
def retrieve_company(ctx: Ctx, company_id: CompanyId) -> dict[str, Any]:
    """Shows a company."""
    return resources.company(ctx, ctx.require(Company, company_id))


@app.put("/companies/{company_id}", tool="update_company", mcp=False)
def update_company(
    ctx: Ctx,
    company_id: CompanyId,
    name: str | MISSING = MISSING,
    plan: str | MISSING = MISSING,
    size: int | MISSING = MISSING,
    website: str | MISSING = MISSING,
    industry: str | MISSING = MISSING,
    custom_attributes: Attributes | MISSING = MISSING,
    monthly_spend: Spend | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes a company by Intercom's id of it."""
    row, sent = ctx.require(Company, company_id), ctx.sent()
    if "custom_attributes" in sent:
        sent["custom_attributes"] = _read(ctx, row.custom_attributes, sent["custom_attributes"])
    if sent:
        ctx.db.update(row, **sent, updated_at=ctx.epoch())
    return resources.company(ctx, row)


@app.delete("/companies/{company_id}", tool="delete_company", mcp=False)
def delete_company(ctx: Ctx, company_id: CompanyId) -> dict[str, Any]:
    """Deletes a company. Its people stay."""
    row = ctx.require(Company, company_id)
    ctx.db.delete_where(ContactCompany, company_id=row.id)
    ctx.db.delete_where(Tagging, kind="company", object_id=row.id)
    for thread in ctx.db.find(Conversation, company_id=row.id):
        ctx.db.update(thread, company_id=None)
    ctx.db.delete(row)
    return {"id": row.id, "object": "company", "deleted": True}


@app.post("/companies/list", tool="list_all_companies", effect="read", mcp=False)
def list_all_companies(
    ctx: Ctx,
    page: Annotated[PageNumber, Query()] = 1,
    per_page: Annotated[PerPage, Query()] = 15,
    order: Annotated[Literal["asc", "desc"] | None, Query()] = None,
) -> dict[str, Any]:
    """Lists companies that have people, by when they were last used.

    order: asc or desc, which is the default.
    """
    way = "updated_at,id" if order == "asc" else "-updated_at,-id"
    rows = _listed(ctx, way)
    return numbered(ctx, rows, lambda c: resources.company(ctx, c), page, per_page, "/companies/list")


@app.get("/companies/scroll", tool="scroll_over_all_companies", mcp=False)
def scroll_over_all_companies(ctx: Ctx, scroll_param: str | None = None) -> dict[str, Any]:
    """Goes through all companies, 100 at a time. An empty page is the end.

    scroll_param: The `scroll_param` of the page before.
    """
    after = ""
    if scroll_param:
        try:
            word, _, after = (
                base64.urlsafe_b64decode(scroll_param + "=" * (-len(scroll_param) % 4)).decode().partition(":")
            )
        except (binascii.Error, ValueError):
            word = ""
        if word != "scroll":
            raise errors.refuse(404, "not_found", "scroll parameter not found")
    rows = ctx.db.find(Company, id__gt=after or None, order="id", limit=_SCROLL)
    place = rows[-1].id if rows else after
    token = base64.urlsafe_b64encode(f"scroll:{place}".encode()).decode().rstrip("=")
    return {
        "type": "list", "data": [resources.company(ctx, c) for c in rows], "pages": None, "total_count": None,
        "scroll_param": token if rows else None,
    }  # fmt: skip


@app.get("/companies/{company_id}/contacts", tool="list_contacts_of_company")
def list_contacts_of_company(
    ctx: Ctx, company_id: CompanyId, page: PageNumber = 1, per_page: PerPage = 50
) -> dict[str, Any]:
    """Lists a company's people."""
    row = ctx.require(Company, company_id)
    joined = [j.contact_id for j in ctx.db.find(ContactCompany, company_id=row.id)]
    people = ctx.db.find(Contact, id__in=joined, archived=False, order="created_at,id")
    return numbered(ctx, people, lambda c: resources.contact(ctx, c), page, per_page, f"/companies/{row.id}/contacts")


@app.get("/companies/{company_id}/segments", tool="list_segments_of_company", mcp=False)
def list_segments_of_company(ctx: Ctx, company_id: CompanyId) -> dict[str, Any]:
    """Lists the segments that a company is in."""
    ctx.require(Company, company_id)
    return whole([])
