"""Versions, describe, limits, who one is. https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/dome_describeGlobal.htm"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, ToolOnly

from .. import metadata, records
from ..app import app, base_path
from ..models import Organization, RecordType, User
from .queries import recent

_RELEASES = {55: "Summer '22", 56: "Winter '23", 57: "Spring '23", 58: "Summer '23", 59: "Winter '24", 60: "Spring '24"}
_LIMITS = {
    "ConcurrentAsyncGetReportInstances": 200, "ConcurrentSyncReportRuns": 20, "DailyApiRequests": 100000,
    "DailyAsyncApexExecutions": 250000,
    "DailyBulkApiBatches": 15000, "DailyBulkV2QueryFileStorageMB": 976562, "DailyBulkV2QueryJobs": 10000, "DataStorageMB": 10240,
    "FileStorageMB": 10240, "HourlyAsyncReportRuns": 1200, "HourlySyncReportRuns": 500, "MassEmail": 5000, "SingleEmail": 5000,
}  # fmt: skip


@app.get("/services/data", tool="list_api_versions", mcp=False)
def list_api_versions(ctx: Ctx) -> list[dict[str, str]]:
    """Lists the versions of the REST API."""
    return [{"label": label, "url": f"/services/data/v{n}.0", "version": f"{n}.0"} for n, label in _RELEASES.items()]


@app.get("/services/data/v{version}", tool="list_api_resources", mcp=False)
def list_api_resources(ctx: Ctx) -> dict[str, str]:
    """Lists the resources of one version of the REST API."""
    base = base_path(ctx)
    names = (
        "analytics",
        "composite",
        "jobs",
        "limits",
        "parameterizedSearch",
        "process",
        "query",
        "queryAll",
        "recent",
        "search",
        "sobjects",
    )
    return {**{name: f"{base}/{name}" for name in names}, "identity": "/services/oauth2/userinfo"}


@app.get("/services/data/v{version}/sobjects", tool="describe_global")
def describe_global(ctx: Ctx, detail: Annotated[Literal["names", "full"], ToolOnly()] = "names") -> dict[str, Any]:
    """Lists the sObject types of the organisation.

    detail: names for name, label and key prefix only; full for all properties.
    """
    base = base_path(ctx)
    kinds = list(metadata.TYPES.values())
    if not ctx.request.method and detail == "names":
        return {
            "sobjects": [
                {"name": k.name, "label": k.cls.label, "keyPrefix": k.prefix, "createable": k.allows("create")}
                for k in kinds
            ]
        }
    return {"encoding": "UTF-8", "maxBatchSize": 200, "sobjects": [k.brief(base) for k in kinds]}


@app.get("/services/data/v{version}/sobjects/{sobject}/describe", tool="describe_sobject")
def describe_sobject(
    ctx: Ctx, sobject: str, detail: Annotated[Literal["compact", "full"], ToolOnly()] = "compact"
) -> dict[str, Any]:  # fmt: skip
    """Describes an sObject type: its fields with types, picklist values, references and what may be written, and its child
    relationships, whose names child subqueries use.

    sobject: The type's API name, e.g. Opportunity.
    detail: compact for what is needed to read and write records; full for every property.
    """
    kind = records.kind_of(sobject)
    base = base_path(ctx)
    whole = kind.describe(base)
    types = ctx.db.find(RecordType, order="Name", SobjectType=kind.name, IsActive=True)
    path = f"{base}/sobjects/{kind.name}"
    whole["recordTypeInfos"] += [
        metadata.record_type_info(path, t.Id, str(t.Name), str(t.DeveloperName)) for t in types
    ]
    if ctx.request.method or detail == "full":
        return whole
    return {
        "name": kind.name, "label": kind.cls.label, "keyPrefix": kind.prefix,
        "createable": whole["createable"], "updateable": whole["updateable"], "deletable": whole["deletable"],
        "fields": [_compact(f) for f in whole["fields"]],
        "childRelationships": [
            {"relationshipName": c["relationshipName"], "childSObject": c["childSObject"], "field": c["field"]}
            for c in whole["childRelationships"] if c["relationshipName"]
        ],
        **({"recordTypes": [{"name": t.Name, "recordTypeId": t.Id} for t in types]} if types else {}),
    }  # fmt: skip


def _compact(f: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"name": f["name"], "type": f["type"]}
    if f["label"].replace(" ", "") != f["name"]:
        made["label"] = f["label"]
    if f["length"] and f["type"] in ("string", "textarea"):
        made["length"] = f["length"]
    if f["picklistValues"] and len(f["picklistValues"]) <= 40:
        made["picklistValues"] = [v["value"] for v in f["picklistValues"]]
        made["restrictedPicklist"] = f["restrictedPicklist"]
    if f["referenceTo"]:
        made["referenceTo"], made["relationshipName"] = f["referenceTo"], f["relationshipName"]
    if not f["nillable"] and f["createable"] and not f["defaultedOnCreate"]:
        made["required"] = True
    if not f["createable"] and not f["updateable"]:
        made["readOnly"] = True
    elif not f["updateable"]:
        made["createOnly"] = True
    return made


@app.get("/services/data/v{version}/sobjects/{sobject}", tool="get_sobject_basic_info", mcp=False)
def get_sobject_basic_info(ctx: Ctx, sobject: str) -> dict[str, Any]:
    """Describes an sObject type in brief, with the records of it that the current user used last.

    sobject: The type's API name.
    """
    kind, base = records.kind_of(sobject), base_path(ctx)
    return {"objectDescribe": kind.brief(base), "recentItems": recent(ctx, 20, base, kind.name)}


@app.get("/services/data/v{version}/limits", tool="get_limits")
def get_limits(ctx: Ctx) -> dict[str, Any]:
    """Gets the organisation's limits and what remains of them."""
    return {name: {"Max": most, "Remaining": most} for name, most in _LIMITS.items()}


@app.get("/services/oauth2/userinfo", tool="get_user_info")
def get_user_info(ctx: Ctx) -> dict[str, Any]:
    """Tells who the current user is: id, name, email, and the organisation."""
    user = ctx.require(User, records.current_user(ctx))
    organisation = ctx.db.first(Organization)
    return {
        "sub": f"https://login.salesforce.com/id/{organisation.Id if organisation else ''}/{user.Id}", "user_id": user.Id,
        "organization_id": organisation.Id if organisation else None, "preferred_username": user.Username,
        "nickname": user.CommunityNickname,
        "name": user.Name, "email": user.Email, "email_verified": True, "given_name": user.FirstName, "family_name": user.LastName,
        "zoneinfo": user.TimeZoneSidKey, "phone_number": user.Phone, "active": user.IsActive, "user_type": "STANDARD",
        "language": user.LanguageLocaleKey, "locale": user.LocaleSidKey, "organization_name": organisation.Name if organisation else None,
    }  # fmt: skip
