"""Query and search. https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/dome_query.htm"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Header, ToolOnly

from .. import errors, records
from ..app import app, base_path
from ..soql import search
from ..soql.run import DEFAULT_BATCH, Cursor, page

MCP_BATCH = 50
"""Records a page for agents, whose context is dear; programs get the API's own 2,000."""


def _batch(ctx: Ctx, asked: int | None, options: str | None) -> int:
    if not ctx.request.method:
        return asked or MCP_BATCH
    found = re.search(r"batchSize\s*=\s*(\d+)", options or "")
    return min(max(int(found[1][:6]), 200), DEFAULT_BATCH) if found else DEFAULT_BATCH


@app.get("/services/data/v{version}/query", tool="query")
def query(
    ctx: Ctx,
    q: str,
    batch_size: Annotated[int, Field(ge=1, le=2000), ToolOnly()] | None = None,
    options: Annotated[str | None, Header("Sforce-Query-Options")] = None,
) -> dict[str, Any]:
    """Runs a SOQL query, e.g. SELECT Id, Name, Account.Name FROM Contact WHERE Email = 'a@b.example'. Supports parent paths, child
    subqueries, aggregates with GROUP BY and HAVING, semi-joins, date literals (THIS_QUARTER, LAST_N_DAYS:30), ORDER BY, LIMIT and
    OFFSET. There is no SELECT *: use FIELDS(ALL) with LIMIT 200, or name the fields. Amounts are in the record's CurrencyIsoCode; SUM,
    AVG, MIN, MAX and convertCurrency(Amount) are in the corporate currency, at CurrencyType's rates. Answers records, and where there
    are more, nextRecordsUrl for query_more.

    q: The SOQL statement.
    batch_size: Records per page.
    """
    return page(ctx, Cursor(q, 0, _batch(ctx, batch_size, options)), base_path(ctx))


@app.get("/services/data/v{version}/queryAll", tool="query_all")
def query_all(
    ctx: Ctx,
    q: str,
    batch_size: Annotated[int, Field(ge=1, le=2000), ToolOnly()] | None = None,
    options: Annotated[str | None, Header("Sforce-Query-Options")] = None,
) -> dict[str, Any]:
    """Runs a SOQL query that also finds records in the recycle bin (IsDeleted = true).

    q: The SOQL statement.
    batch_size: Records per page.
    """
    return page(ctx, Cursor(q, 0, _batch(ctx, batch_size, options), True), base_path(ctx))


@app.get("/services/data/v{version}/query/{locator}", tool="query_more")
def query_more(ctx: Ctx, locator: str) -> dict[str, Any]:
    """Gets the next page of a query.

    locator: The last part of the nextRecordsUrl that the previous page gave; the whole URL is fine too.
    """
    return page(ctx, Cursor.decode(locator.rstrip("/").rpartition("/")[2]), base_path(ctx))


@app.get("/services/data/v{version}/queryAll/{locator}", tool="query_all_more", mcp=False)
def query_all_more(ctx: Ctx, locator: str) -> dict[str, Any]:
    """Gets the next page of a query that includes deleted records.

    locator: The last part of the nextRecordsUrl that the previous page gave.
    """
    return page(ctx, Cursor.decode(locator), base_path(ctx))


@app.get("/services/data/v{version}/search", tool="search_sosl")
def search_sosl(ctx: Ctx, q: str) -> dict[str, Any]:
    """Searches several types at once with SOSL, e.g. FIND {Acme*} IN NAME FIELDS RETURNING Account(Id, Name), Contact(Id, Name, Email)
    LIMIT 20. Matches whole words unless * is used; groups are ALL, NAME, EMAIL and PHONE FIELDS.

    q: The SOSL statement.
    """
    return search.run(ctx, q, base_path(ctx))


@app.get("/services/data/v{version}/parameterizedSearch", tool="parameterized_search")
def parameterized_search(
    ctx: Ctx,
    q: str,
    sobject: str | list[str] | None = None,
    fields: str | None = None,
    in_: Literal["ALL", "NAME", "EMAIL", "PHONE"] = "ALL",
    overallLimit: Annotated[int, Field(ge=1, le=2000)] = 25,
) -> dict[str, Any]:
    """Searches for words without writing SOSL.

    q: The words to find; * stands for any ending.
    sobject: The type to search; all searchable types where left out.
    fields: The fields to return, separated by commas.
    in_: The group of fields to search.
    overallLimit: The most records to return.
    """
    names = [sobject] if isinstance(sobject, str) else sobject or []
    wanted = fields.split(",") if fields else ["Id"]
    targets = [{"name": n, "fields": wanted} for n in ",".join(names).split(",") if n]
    if fields and not targets:
        raise errors.refusal("MISSING_ARGUMENT", "fields needs at least one sobject", listed=False)
    return search.by_parameters(ctx, q, targets, in_, overallLimit, base_path(ctx))


@app.post("/services/data/v{version}/parameterizedSearch", tool="parameterized_search_post", effect="read", mcp=False)
def parameterized_search_post(
    ctx: Ctx,
    q: str,
    sobjects: list[dict[str, Any]] | None = None,
    fields: list[str] | None = None,
    in_: str = "ALL",
    overallLimit: Annotated[int, Field(ge=1, le=2000)] = 2000,
) -> dict[str, Any]:
    """Searches for words, with fields, filter and limit per type.

    q: The words to find.
    sobjects: The types to search, each with name, fields, where and limit.
    fields: The fields to return for types that name none.
    in_: The group of fields to search.
    overallLimit: The most records to return.
    """
    targets = [{"fields": fields or ["Id"], **s} for s in sobjects or []]
    return search.by_parameters(ctx, q, targets, in_, overallLimit, base_path(ctx))


@app.get("/services/data/v{version}/recent", tool="list_recently_viewed")
def list_recently_viewed(ctx: Ctx, limit: Annotated[int, Field(ge=1, le=200)] = 20) -> list[dict[str, Any]]:
    """Lists the records that the current user created or changed last, newest first.

    limit: How many.
    """
    return recent(ctx, limit, base_path(ctx))


def recent(ctx: Ctx, limit: int, base: str, only: str = "") -> list[dict[str, Any]]:
    """The current user's latest records, of one type or of all that keep track of views."""
    found = list[tuple[str, dict[str, Any]]]()
    user = records.current_user(ctx)
    for kind in records.metadata.TYPES.values():
        if (only and kind.name != only) or "lastvieweddate" not in kind.fields or not kind.soft_deleted:
            continue
        for row in ctx.db.find(kind.cls, order="-LastViewedDate", limit=limit, IsDeleted=False, LastModifiedById=user):
            shown = {"attributes": {"type": kind.name, "url": f"{base}/sobjects/{kind.name}/{row.Id}"}, "Id": row.Id}
            if kind.name_field:
                shown[kind.name_field.name] = getattr(row, kind.name_field.name)
            found.append((row.LastViewedDate or "", shown))
    found.sort(key=lambda pair: pair[0], reverse=True)
    return [shown for _, shown in found[:limit]]
