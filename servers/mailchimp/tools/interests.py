"""Interest categories and the groups in them. https://mailchimp.com/developer/marketing/api/interest-categories/"""

from typing import Annotated, Any

from legoenv_mcp.app import HEX, MISSING, Ctx, Field

from .. import people, resources
from ..app import app, done
from ..errors import not_found, refuse
from ..inputs import Count, Exclude, Fields, ListId, Offset
from ..models import CategoryType, Interest, InterestCategory, Member
from ..paging import collection

CategoryId = Annotated[str, Field(description="The interest category's id.")]
InterestId = Annotated[str, Field(description="The interest's id.")]
Order = Annotated[int, Field(ge=0, le=1000)]
Title = Annotated[str, Field(min_length=1, max_length=100)]


def _category(ctx: Ctx, list_id: str, key: str) -> InterestCategory:
    people.audience(ctx, list_id)
    found = ctx.db.get(InterestCategory, key)
    if found is None or found.list_id != list_id:
        raise not_found()
    return found


def _interest(ctx: Ctx, list_id: str, category: str, key: str) -> Interest:
    found = ctx.db.get(Interest, key)
    if found is None or found.category_id != _category(ctx, list_id, category).id:
        raise not_found()
    return found


@app.get("/lists/{list_id}/interest-categories", tool="list_interest_categories")
def list_interest_categories(
    ctx: Ctx, list_id: ListId, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0,
    type: CategoryType | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists an audience's interest categories: titles under which members belong to groups.

    type: Only those of this type.
    """
    people.audience(ctx, list_id)
    rows = ctx.db.find(InterestCategory, list_id=list_id, type=type, order="display_order,id")
    path = f"/lists/{list_id}/interest-categories"
    return collection(
        ctx,
        "categories",
        rows,
        lambda c: resources.category(ctx, c),
        count,
        offset,
        path,
        "Lists/InterestCategories",
        list_id=list_id,
    )


@app.post("/lists/{list_id}/interest-categories", tool="create_interest_category")
def create_interest_category(
    ctx: Ctx, list_id: ListId, title: Title, type: CategoryType, display_order: Order = 0
) -> dict[str, Any]:
    """Creates an interest category on an audience. Groups are added with create_interest.

    title: Its title.
    type: How forms show it.
    display_order: Its place on forms.
    """
    people.audience(ctx, list_id)
    _unnamed(title, [c.title for c in ctx.db.find(InterestCategory, list_id=list_id)], "Interest category")
    row = ctx.db.add(InterestCategory(
        id=ctx.id("", 10, HEX, kind="category"), list_id=list_id, title=title, type=type, display_order=display_order,
    ))  # fmt: skip
    return resources.category(ctx, row)


def _unnamed(name: str, taken: list[str], kind: str) -> None:
    if name.casefold() in (other.casefold() for other in taken):
        raise refuse(400, f'{kind} "{name}" already exists.')


@app.get("/lists/{list_id}/interest-categories/{interest_category_id}", tool="get_interest_category", mcp=False)
def get_interest_category(
    ctx: Ctx, list_id: ListId, interest_category_id: CategoryId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows an interest category."""
    return resources.category(ctx, _category(ctx, list_id, interest_category_id))


@app.patch("/lists/{list_id}/interest-categories/{interest_category_id}", tool="update_interest_category", mcp=False)
def update_interest_category(
    ctx: Ctx, list_id: ListId, interest_category_id: CategoryId, title: Title | MISSING = MISSING,
    type: CategoryType | MISSING = MISSING, display_order: Order | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes an interest category.

    title: Its title.
    type: How forms show it.
    display_order: Its place on forms.
    """
    row = _category(ctx, list_id, interest_category_id)
    return resources.category(ctx, ctx.db.update(row, **ctx.sent()))


@app.delete(
    "/lists/{list_id}/interest-categories/{interest_category_id}",
    tool="delete_interest_category",
    mcp=False,
    status=204,
)
def delete_interest_category(ctx: Ctx, list_id: ListId, interest_category_id: CategoryId) -> Any:
    """Deletes an interest category with its groups."""
    row = _category(ctx, list_id, interest_category_id)
    for interest in ctx.db.find(Interest, category_id=row.id):
        _drop(ctx, interest)
    ctx.db.delete(row)
    return done(ctx, interest_category_id=row.id, deleted=True)


def _drop(ctx: Ctx, row: Interest) -> None:
    for member in ctx.db.find(Member, list_id=row.list_id):
        if row.id in member.interests:
            ctx.db.update(member, interests={k: v for k, v in member.interests.items() if k != row.id})
    ctx.db.delete(row)


_GROUPS = "/lists/{list_id}/interest-categories/{interest_category_id}/interests"


@app.get(_GROUPS, tool="list_interests")
def list_interests(
    ctx: Ctx, list_id: ListId, interest_category_id: CategoryId, fields: Fields = None, exclude_fields: Exclude = None,
    count: Count = 10, offset: Offset = 0,
) -> dict[str, Any]:  # fmt: skip
    """Lists the groups of an interest category, with how many subscribers are in each."""
    row = _category(ctx, list_id, interest_category_id)
    rows = ctx.db.find(Interest, category_id=row.id, order="display_order,id")
    path = f"/lists/{list_id}/interest-categories/{row.id}/interests"
    return collection(
        ctx, "interests", rows, lambda i: resources.interest(ctx, i), count, offset, path, "Lists/InterestCategories/Interests",
        list_id=list_id, category_id=row.id,
    )  # fmt: skip


@app.post(_GROUPS, tool="create_interest")
def create_interest(
    ctx: Ctx, list_id: ListId, interest_category_id: CategoryId, name: Title, display_order: Order = 0
) -> dict[str, Any]:
    """Adds a group to an interest category. Members join it through their interests (update_list_member).

    name: Its name.
    display_order: Its place on forms.
    """
    category = _category(ctx, list_id, interest_category_id)
    _unnamed(name, [i.name for i in ctx.db.find(Interest, category_id=category.id)], "Interest")
    key = ctx.id("", 10, HEX, kind="interest")
    row = ctx.db.add(Interest(id=key, category_id=category.id, list_id=list_id, name=name, display_order=display_order))
    return resources.interest(ctx, row)


@app.get(_GROUPS + "/{interest_id}", tool="get_interest", mcp=False)
def get_interest(
    ctx: Ctx, list_id: ListId, interest_category_id: CategoryId, interest_id: InterestId, fields: Fields = None,
    exclude_fields: Exclude = None,
) -> dict[str, Any]:  # fmt: skip
    """Shows a group of an interest category."""
    return resources.interest(ctx, _interest(ctx, list_id, interest_category_id, interest_id))


@app.patch(_GROUPS + "/{interest_id}", tool="update_interest", mcp=False)
def update_interest(
    ctx: Ctx, list_id: ListId, interest_category_id: CategoryId, interest_id: InterestId, name: Title | MISSING = MISSING,
    display_order: Order | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a group of an interest category.

    name: Its name.
    display_order: Its place on forms.
    """
    row = _interest(ctx, list_id, interest_category_id, interest_id)
    return resources.interest(ctx, ctx.db.update(row, **ctx.sent()))


@app.delete(_GROUPS + "/{interest_id}", tool="delete_interest", mcp=False, status=204)
def delete_interest(ctx: Ctx, list_id: ListId, interest_category_id: CategoryId, interest_id: InterestId) -> Any:
    """Deletes a group; members leave it."""
    _drop(ctx, _interest(ctx, list_id, interest_category_id, interest_id))
    return done(ctx, interest_id=interest_id, deleted=True)
