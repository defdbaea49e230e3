"""Queries, and any object by its id. https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/data-queries"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Payload

from .. import faults, records
from ..app import answer, app
from ..endpoints import gone, shown
from ..query import DEFAULT, run

TOOL_PAGE = 20


@app.get("/query", tool="query")
def query(ctx: Ctx, query: str) -> dict[str, Any]:
    """Finds objects with QuickBooks' query language: SELECT * | fields | COUNT(*) FROM Entity [WHERE ...] [ORDERBY ...]
    [STARTPOSITION n] [MAXRESULTS n]. Conditions are joined by AND; operators are =, <, >, <=, >=, LIKE with %, and IN; values stand in
    single quotes. There is no OR, no NOT and no join. Entities: Customer, Vendor, Employee, Item, Account, Invoice, Estimate, SalesReceipt,
    CreditMemo, RefundReceipt, Payment, Bill, BillPayment, VendorCredit, Purchase, PurchaseOrder, JournalEntry, Transfer, Deposit, Class,
    Department, Term, PaymentMethod, TaxCode, TaxRate, Attachable, TimeActivity and others. Inactive list objects are found with Active IN
    (true, false) only. Without MAXRESULTS 20 objects are answered (100 over HTTP); select single fields to get more at once.

    query: The statement, e.g. SELECT Id, DocNumber, Balance FROM Invoice WHERE Balance > '0' AND CustomerRef = '5' ORDERBY DueDate.
    """
    response = run(ctx, query, DEFAULT if ctx.request.method else TOOL_PAGE)
    return answer(ctx, QueryResponse=response)


@app.post("/query", tool="query_by_post", effect="read", mcp=False)
def query_by_post(ctx: Ctx, statement: Annotated[bytes, Payload(raw=True)] = b"") -> dict[str, Any]:
    """The same with the statement as the body, of type application/text.

    statement: The statement.
    """
    try:
        text = statement.decode()
    except UnicodeDecodeError:
        raise faults.fault("4000", "Error parsing query", "QueryParserError: the query is not UTF-8") from None
    return answer(ctx, QueryResponse=run(ctx, text))


# Each object has a path of its own; these two tools stand for those that have no tool of their own.


@app.get("", tool="get_record")
def get_record(ctx: Ctx, entity: str, id: str) -> dict[str, Any]:
    """Reads any object by its Id, with its current SyncToken.

    entity: The object's type, e.g. vendor, item, account, estimate, creditmemo, purchase, term.
    id: Its Id.
    """
    return shown(ctx, records.find(ctx, records.kind_of(entity), id))


@app.post("", tool="delete_record", effect="delete")
def delete_record(ctx: Ctx, entity: str, Id: str, SyncToken: str) -> dict[str, Any]:
    """Deletes a transaction or an attachment for good, and its effect on the books. List objects (customers, vendors, items, accounts)
    cannot be deleted: update them with Active false. A document that has been paid must be unlinked first, one that has been deposited
    taken out of its deposit.

    entity: The object's type, e.g. salesreceipt, journalentry, billpayment, estimate.
    Id: Its Id.
    SyncToken: Its current version.
    """
    return gone(ctx, records.kind_of(entity), {"Id": Id, "SyncToken": SyncToken})
