"""Landing pages. https://mailchimp.com/developer/marketing/api/landing-pages/"""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import HEX, MISSING, Ctx, Field, Query

from .. import people, resources, times
from ..app import app, done
from ..errors import invalid_action, invalid_resource
from ..inputs import Count, Direction, Exclude, Fields
from ..models import Audience, LandingPage, Template
from ..paging import collection, links

PageId = Annotated[str, Field(description="The page's id.")]
Text = Annotated[str, Field(max_length=255)]


class PageTracking(TypedDict, total=False):
    """What is tracked."""

    track_with_mailchimp: Annotated[bool, Field(description="Visits, by cookie.")]
    enable_restricted_data_processing: Annotated[bool, Field(description="Whether data is processed restrictedly.")]


def _shown(ctx: Ctx, row: LandingPage) -> dict[str, Any]:
    path, name = f"/landing-pages/{row.id}", row.status == "published"
    return {
        "id": row.id, "name": row.name, "title": row.title, "description": row.description, "template_id": row.template_id,
        "status": row.status, "list_id": row.list_id, "store_id": row.store_id, "web_id": row.web_id,
        "created_by_source": "api", "url": f"https://mailchi.mp/{resources.account(ctx).username}/{row.id}" if name else "",
        "created_at": row.created_at, "published_at": row.published_at, "unpublished_at": row.unpublished_at,
        "updated_at": row.updated_at, "tracking": row.tracking,
        "_links": links(ctx, path, "LandingPages", ("PATCH", "DELETE"), ("content", "actions/publish", "actions/unpublish")),
    }  # fmt: skip


def _checked(ctx: Ctx, sent: dict[str, Any]) -> None:
    if sent.get("list_id") and ctx.db.get(Audience, sent["list_id"]) is None:
        raise invalid_resource(("list_id", "The list does not exist"))
    if sent.get("store_id"):
        raise invalid_resource(("store_id", "The store does not exist"))
    if sent.get("template_id") and ctx.db.get(Template, sent["template_id"]) is None:
        raise invalid_resource(("template_id", "The template does not exist"))


@app.get("/landing-pages", tool="list_landing_pages", mcp=False)
def list_landing_pages(
    ctx: Ctx, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10,
    sort_field: Literal["created_at", "updated_at"] = "created_at", sort_dir: Direction = "ASC",
) -> dict[str, Any]:  # fmt: skip
    """Lists landing pages.

    sort_field: What to sort by.
    """
    rows = ctx.db.find(LandingPage)
    rows.sort(key=lambda p: (getattr(p, sort_field), p.web_id), reverse=sort_dir == "DESC")
    return collection(ctx, "landing_pages", rows, lambda p: _shown(ctx, p), count, 0, "/landing-pages", "LandingPages")


@app.post("/landing-pages", tool="create_landing_page", mcp=False)
def create_landing_page(
    ctx: Ctx, name: Text = "", title: Text = "", description: str = "", type: Literal["signup", "product"] = "signup",
    list_id: str = "", store_id: str = "", template_id: int | None = None, tracking: PageTracking | None = None,
    use_default_list: Annotated[bool, Query()] = False,
) -> dict[str, Any]:  # fmt: skip
    """Creates a landing page, not published yet.

    name: Its name in the account.
    title: Its title, which visitors see.
    description: What it is about.
    type: signup or product.
    list_id: The audience that its visitors join.
    store_id: The store that it sells from.
    template_id: The template it is made from.
    tracking: What is tracked.
    use_default_list: Whether the account's first audience is taken where none is named.
    """
    first = ctx.db.first(Audience, order="date_created")
    if not list_id and use_default_list and first:
        list_id = first.id
    _checked(ctx, {"list_id": list_id, "store_id": store_id, "template_id": template_id})
    when = times.now(ctx)
    row = ctx.db.add(LandingPage(
        id=ctx.id("", 12, HEX, kind="page"), web_id=people.number(ctx), name=name, title=title, description=description,
        list_id=list_id, store_id=store_id, template_id=template_id, tracking=dict(tracking or {}), created_at=when, updated_at=when,
    ))  # fmt: skip
    return _shown(ctx, row)


@app.get("/landing-pages/{page_id}", tool="get_landing_page", mcp=False)
def get_landing_page(
    ctx: Ctx, page_id: PageId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows a landing page."""
    return _shown(ctx, ctx.require(LandingPage, page_id))


@app.patch("/landing-pages/{page_id}", tool="update_landing_page", mcp=False)
def update_landing_page(
    ctx: Ctx, page_id: PageId, name: Text | MISSING = MISSING, title: Text | MISSING = MISSING, description: str | MISSING = MISSING,
    list_id: str | MISSING = MISSING, store_id: str | MISSING = MISSING, tracking: PageTracking | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes what is sent of a landing page.

    name: Its name in the account.
    title: Its title, which visitors see.
    description: What it is about.
    list_id: The audience that its visitors join.
    store_id: The store that it sells from.
    tracking: What is tracked.
    """
    row, sent = ctx.require(LandingPage, page_id), ctx.sent()
    _checked(ctx, sent)
    if "tracking" in sent:
        sent["tracking"] = {**row.tracking, **sent["tracking"]}
    return _shown(ctx, ctx.db.update(row, **sent, updated_at=times.now(ctx)))


@app.delete("/landing-pages/{page_id}", tool="delete_landing_page", mcp=False, status=204)
def delete_landing_page(ctx: Ctx, page_id: PageId) -> Any:
    """Deletes a landing page."""
    ctx.db.delete(ctx.require(LandingPage, page_id))
    return done(ctx, page_id=page_id, deleted=True)


@app.get("/landing-pages/{page_id}/content", tool="get_landing_page_content", mcp=False)
def get_landing_page_content(
    ctx: Ctx, page_id: PageId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows the HTML of a landing page."""
    row = ctx.require(LandingPage, page_id)
    template = ctx.db.get(Template, row.template_id) if row.template_id else None
    path = f"/landing-pages/{row.id}/content"
    return {"html": template.html if template else "", "_links": links(ctx, path, "LandingPages/Content")}


@app.post(
    "/landing-pages/{page_id}/actions/publish", tool="publish_landing_page", effect="transition", mcp=False, status=204
)
def publish_landing_page(ctx: Ctx, page_id: PageId) -> Any:
    """Publishes a landing page. It needs a title and an audience."""
    row = ctx.require(LandingPage, page_id)
    if not (row.title and row.list_id):
        raise invalid_action("The landing page needs a title and a list before it can be published.")
    when = times.now(ctx)
    ctx.db.update(row, status="published", published_at=when, updated_at=when)
    return done(ctx, page_id=row.id, status=row.status)


@app.post(
    "/landing-pages/{page_id}/actions/unpublish",
    tool="unpublish_landing_page",
    effect="transition",
    mcp=False,
    status=204,
)
def unpublish_landing_page(ctx: Ctx, page_id: PageId) -> Any:
    """Takes a landing page off the web."""
    row = ctx.require(LandingPage, page_id)
    if row.status != "published":
        raise invalid_action("The landing page is not published.")
    when = times.now(ctx)
    ctx.db.update(row, status="unpublished", unpublished_at=when, updated_at=when)
    return done(ctx, page_id=row.id, status=row.status)
