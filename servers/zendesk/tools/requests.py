"""Requests: tickets as their requesters see them. https://developer.zendesk.com/api-reference/ticketing/tickets/ticket-requests/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Reply

from .. import errors, ids, people, resources, ticketing
from ..app import app, created
from ..inputs import CommentInput, RequestInput, sent
from ..models import STATUSES, Comment, Ticket, User
from ..paging import Page, PerPage, SortOrder, by, listing, ordered
from ..search import find as search_for

RequestId = Annotated[int, Field(description="The request's id, that of its ticket.")]
_SORTS = {"created_at": by("created_at"), "updated_at": by("updated_at")}
RequestStatus = Literal["new", "open", "pending", "hold", "solved", "closed"]


def shown(ctx: Ctx, row: Ticket) -> dict[str, Any]:
    told = resources.ticket(ctx, row)
    names = (
        "id", "status", "priority", "type", "subject", "description", "organization_id", "via", "custom_fields", "requester_id",
        "collaborator_ids", "email_cc_ids", "is_public", "due_at", "created_at", "updated_at", "recipient", "assignee_id", "fields",
        "group_id",
    )  # fmt: skip
    solved = row.status in ("solved", "closed")
    return {
        "url": ids.url(ctx, f"requests/{row.id}"), **{n: told[n] for n in names},
        "can_be_solved_by_me": not solved and row.assignee_id is not None, "solved": solved,
        "followup_source_id": row.followup_source_id, "ticket_form_id": None,
    }  # fmt: skip


def _listed(
    ctx: Ctx,
    rows: list[Ticket],
    page: int,
    per_page: int | None,
    sort_by: str | None = None,
    sort_order: str | None = None,
) -> dict[str, Any]:
    rows = ordered(rows, _SORTS, sort_by, sort_order)
    return listing(ctx, "requests", rows, lambda t: shown(ctx, t), page=page, per_page=per_page)


def _mine(ctx: Ctx, statuses: tuple[str, ...] | None = None) -> list[Ticket]:
    return ctx.db.find(Ticket, requester_id=ids.me(ctx), deleted=False, is_public=True, status__in=statuses)


@app.get("/api/v2/requests", tool="list_requests", mcp=False)
def list_requests(
    ctx: Ctx, status: RequestStatus | None = None, sort_by: Literal["created_at", "updated_at"] | None = None,
    sort_order: SortOrder = None, page: Page = 1, per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the requests that you made yourself.

    status: Only requests with this status.
    sort_by: What to sort by.
    """
    return _listed(ctx, _mine(ctx, (status,) if status else None), page, per_page, sort_by, sort_order)


@app.get("/api/v2/requests/open", tool="list_open_requests", mcp=False)
def list_open_requests(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists your requests that are not solved."""
    return _listed(ctx, _mine(ctx, STATUSES[:4]), page, per_page)


@app.get("/api/v2/requests/solved", tool="list_solved_requests", mcp=False)
def list_solved_requests(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists your requests that are solved."""
    return _listed(ctx, _mine(ctx, STATUSES[4:]), page, per_page)


@app.get("/api/v2/requests/ccd", tool="list_ccd_requests", mcp=False)
def list_ccd_requests(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the requests that you get copies of."""
    me = ids.me(ctx)
    return _listed(ctx, [t for t in ctx.db.find(Ticket, deleted=False) if me in t.email_cc_ids], page, per_page)


@app.get("/api/v2/requests/search", tool="search_requests", mcp=False)
def search_requests(ctx: Ctx, query: str = "", page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Finds requests of yours.

    query: Words or properties of the search language.
    """
    me = ids.me(ctx)
    rows = [h.row for h in search_for(ctx, query, ["ticket"]) if isinstance(h.row, Ticket) and h.row.requester_id == me]
    return _listed(ctx, rows, page, per_page)


@app.get("/api/v2/users/{user_id}/requests", tool="list_user_requests", mcp=False)
def list_user_requests(ctx: Ctx, user_id: int, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists a user's requests.

    user_id: The user's id.
    """
    people.find(ctx, user_id)
    return _listed(ctx, ctx.db.find(Ticket, requester_id=user_id, deleted=False, is_public=True), page, per_page)


@app.get("/api/v2/organizations/{organization_id}/requests", tool="list_organization_requests", mcp=False)
def list_organization_requests(
    ctx: Ctx, organization_id: int, page: Page = 1, per_page: PerPage = None
) -> dict[str, Any]:
    """Lists an organization's requests.

    organization_id: The organization's id.
    """
    rows = ctx.db.find(Ticket, organization_id=organization_id, deleted=False, is_public=True)
    return _listed(ctx, rows, page, per_page)


def _find(ctx: Ctx, request_id: int) -> Ticket:
    row = ticketing.find(ctx, request_id)
    if not row.is_public:
        raise errors.not_found()
    return row


@app.get("/api/v2/requests/{request_id}", tool="show_request", mcp=False)
def show_request(ctx: Ctx, request_id: RequestId) -> dict[str, Any]:
    """Shows a request."""
    return {"request": shown(ctx, _find(ctx, request_id))}


@app.post("/api/v2/requests", tool="create_request", mcp=False, status=201)
def create_request(ctx: Ctx, request: RequestInput) -> Reply:
    """Makes a request for support, as a customer does; of yours, unless another requester is given.

    request: The request's properties; `subject` and `comment` are needed.
    """
    given = sent(ctx, request)
    if not (given.get("subject") or "").strip():
        raise errors.refuse("subject", "Subject: cannot be blank", "BlankValue")
    asked = {
        n: v
        for n, v in given.items()
        if n in ("subject", "priority", "type", "requester", "custom_fields") and v is not None
    }
    said = given.get("comment")
    comment = CommentInput(**{n: getattr(said, n) for n in ("body", "html_body") if said is not None})
    problems = errors.Problems()
    asker = people.requester(ctx, problems, asked, default=ids.me(ctx))
    problems.check()
    assert asker is not None
    asked.pop("requester", None)
    row, _ = ticketing.create(ctx, {**asked, "requester_id": asker.id, "submitter_id": asker.id, "comment": comment})
    return created(ctx, {"request": shown(ctx, row)})


@app.put("/api/v2/requests/{request_id}", tool="update_request", mcp=False, idempotent=False)
def update_request(ctx: Ctx, request_id: RequestId, request: RequestInput) -> dict[str, Any]:
    """Writes on a request of yours, or marks it as solved. A message on a solved request opens it again.

    request: The message (`comment`), or `solved`.
    """
    row, given = _find(ctx, request_id), sent(ctx, request)
    me = ids.me(ctx)
    if me != row.requester_id and me not in row.email_cc_ids and ctx.require(User, me).role == "end-user":
        raise errors.forbidden()
    new = dict[str, Any]()
    if (said := given.get("comment")) is not None:
        new["comment"] = CommentInput(**{n: getattr(said, n) for n in ("body", "html_body")}, public=True)
    if given.get("solved"):
        new["status"] = "solved"
    ticketing.change(ctx, row, new)
    return {"request": shown(ctx, row)}


@app.get("/api/v2/requests/{request_id}/comments", tool="list_request_comments", mcp=False)
def list_request_comments(ctx: Ctx, request_id: RequestId, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists a request's public messages, and who wrote them."""
    row = _find(ctx, request_id)
    rows = [c for c in ticketing.comments(ctx, row) if c.public]
    out = listing(
        ctx, "comments", rows, lambda c: {**resources.comment(ctx, c), "request_id": row.id,
        "url": ids.url(ctx, f"requests/{row.id}/comments/{c.id}")}, page=page, per_page=per_page,
    )  # fmt: skip
    writers = ctx.db.find(User, id__in=sorted({c["author_id"] for c in out["comments"]}))
    users = [
        {"id": u.id, "name": u.name, "photo": None, "agent": u.role != "end-user", "organization_id": u.organization_id}
        for u in writers
    ]
    return {**out, "users": users, "organizations": []}


@app.get("/api/v2/requests/{request_id}/comments/{comment_id}", tool="show_request_comment", mcp=False)
def show_request_comment(ctx: Ctx, request_id: RequestId, comment_id: int) -> dict[str, Any]:
    """Shows a public message of a request.

    comment_id: The message's id.
    """
    found = ctx.db.first(Comment, id=comment_id, ticket_id=_find(ctx, request_id).id, public=True)
    if found is None:
        raise errors.not_found()
    return {"comment": resources.comment(ctx, found)}
