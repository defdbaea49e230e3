"""Tags and segments. https://developers.intercom.com/docs/references/rest-api/api.intercom.io/tags"""

from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Field

from .. import errors, ids, people, resources
from ..app import app
from ..catalogues import contacts as searchable
from ..inputs import Text
from ..models import Company, Contact, Segment, Tag, Tagging
from ..paging import whole


class Tagged(TypedDict, total=False):
    """A company, by either id."""

    id: Annotated[Text, Field(description="Intercom's id of it.")]
    company_id: Annotated[Text, Field(description="Your own id of it.")]
    untag: Annotated[bool, Field(description="true takes the tag off.")]


class TaggedUser(TypedDict, total=False):
    """A contact, by its id."""

    id: Annotated[Text, Field(description="The contact's id.")]
    untag: Annotated[bool, Field(description="true takes the tag off.")]


@app.get("/tags", tool="list_tags")
def list_tags(ctx: Ctx) -> dict[str, Any]:
    """Lists the tags, with the ids that tagging needs."""
    return whole([resources.tag(t) for t in ctx.db.find(Tag)])


@app.get("/tags/{tag_id}", tool="find_tag", mcp=False)
def find_tag(ctx: Ctx, tag_id: str) -> dict[str, Any]:
    """Shows a tag.

    tag_id: The tag's id.
    """
    return resources.tag(ctx.require(Tag, tag_id))


def _named(ctx: Ctx, name: str) -> Tag:
    """The tag of a name, in whatever case it is written; a new one where there is none."""
    found = next((t for t in ctx.db.find(Tag) if t.name.casefold() == name.casefold()), None)
    return found or ctx.db.add(Tag(id=ids.number(ctx, "tag"), name=name))


@app.post("/tags", tool="create_or_update_tag", effect="update")
def create_or_update_tag(
    ctx: Ctx,
    name: str,
    id: Text | None = None,
    companies: list[Tagged] | None = None,
    users: list[TaggedUser] | None = None,
) -> dict[str, Any]:
    """Creates a tag by its name (or shows the one there), renames the one whose id is given, and tags or untags companies and contacts.

    name: The tag's name.
    id: The id of the tag to rename.
    companies: Companies to tag, each {"id"} or {"company_id"}; {"untag": true} with it takes the tag off.
    users: Contacts to tag, each {"id"}; {"untag": true} with it takes the tag off.
    """
    name = name.strip()
    if not name:
        raise errors.invalid_parameter("invalid tag parameters")
    targets = list[tuple[Any, str, bool]]()
    for one in companies or []:
        row = (
            ctx.db.get(Company, one["id"])
            if "id" in one
            else ctx.db.first(Company, company_id=one.get("company_id", ""))
        )
        if row is None:
            raise errors.not_found("Company")
        targets.append(("company", row.id, bool(one.get("untag"))))
    targets += [("contact", people.find(ctx, u.get("id", "")).id, bool(u.get("untag"))) for u in users or []]
    if id is not None:
        tag = ctx.require(Tag, id)
        if any(t.name.casefold() == name.casefold() and t.id != tag.id for t in ctx.db.find(Tag)):
            raise errors.invalid_parameter("invalid tag parameters")
        ctx.db.update(tag, name=name)
    else:
        tag = _named(ctx, name)
    for kind, key, untag in targets:
        there = ctx.db.get(Tagging, (tag.id, kind, key))
        if untag and there is not None:
            ctx.db.delete(there)
        elif not untag and there is None:
            ctx.db.add(
                Tagging(tag_id=tag.id, kind=kind, object_id=key, applied_at=ctx.epoch(), admin_id=ids.me(ctx).id)
            )
    return resources.tag(tag)


def _names_tag(query: Any, tag_id: str) -> bool:
    if isinstance(query, dict):
        return (query.get("field") == "tag_id" and query.get("value") == tag_id) or _names_tag(
            query.get("value"), tag_id
        )
    return isinstance(query, list) and any(_names_tag(one, tag_id) for one in query)


@app.delete("/tags/{tag_id}", tool="delete_tag", mcp=False)
def delete_tag(ctx: Ctx, tag_id: str) -> Any:
    """Deletes a tag, and takes it off everything. One that a segment is made of stays.

    tag_id: The tag's id.
    """
    row = ctx.require(Tag, tag_id)
    users = [s.name for s in ctx.db.find(Segment) if _names_tag(s.query, row.id)]
    if users:
        raise errors.refuse(
            400,
            "tag_has_dependent_objects",
            f"Unable to delete Tag with dependent objects. Segments: {', '.join(users)}.",
        )
    ctx.db.delete_where(Tagging, tag_id=row.id)
    ctx.db.delete(row)
    return {"id": row.id, "object": "tag", "deleted": True}


@app.get("/segments", tool="list_segments")
def list_segments(ctx: Ctx, include_count: bool | None = None) -> dict[str, Any]:
    """Lists the segments: groups of contacts by rules. Their members: `search_contacts` by segment_id.

    include_count: Whether to tell how many contacts each has.
    """
    shown = [resources.segment(s) for s in ctx.db.find(Segment, order="created_at,id")]
    if include_count:
        catalogue, everybody = searchable(ctx), ctx.db.find(Contact, archived=False)
        for one in shown:
            test = catalogue.compile(ctx.require(Segment, one["id"]).query)
            one["count"] = sum(map(test, everybody))
    return {"type": "segment.list", "segments": shown}


@app.get("/segments/{segment_id}", tool="retrieve_segment", mcp=False)
def retrieve_segment(ctx: Ctx, segment_id: str) -> dict[str, Any]:
    """Shows a segment.

    segment_id: The segment's id.
    """
    return resources.segment(ctx.require(Segment, segment_id))
