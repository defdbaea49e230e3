"""Segments and tags. https://mailchimp.com/developer/marketing/api/list-segments/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Query

from .. import conditions, people, resources, times
from ..app import app, done
from ..errors import invalid_action, invalid_resource, not_found, refuse
from ..inputs import Count, Email, Exclude, Fields, Hash, HiddenMoment, ListId, Offset, Options, SegmentId
from ..models import Campaign, Member, Segment, SegmentMember
from ..paging import between, collection, links

Name = Annotated[str, Field(min_length=1, max_length=100)]
Include = Annotated[bool, Query(mcp=False), Field(description="Whether such members count too.")]
Addresses = Annotated[list[str], Field(max_length=500)]


def find(ctx: Ctx, list_id: str, segment_id: int) -> Segment:
    people.audience(ctx, list_id)
    found = ctx.db.get(Segment, segment_id)
    if found is None or found.list_id != list_id:
        raise not_found()
    return found


def _shown(ctx: Ctx, row: Segment, **include: bool) -> dict[str, Any]:
    return resources.segment(ctx, row, len(conditions.chosen(ctx, row, include)))


@app.get("/lists/{list_id}/segments", tool="list_segments")
def list_segments(
    ctx: Ctx, list_id: ListId, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0,
    type: Literal["saved", "static", "fuzzy"] | None = None,
    since_created_at: HiddenMoment = None, before_created_at: HiddenMoment = None, since_updated_at: HiddenMoment = None,
    before_updated_at: HiddenMoment = None, include_cleaned: Include = False, include_transactional: Include = False,
    include_unsubscribed: Include = False,
) -> dict[str, Any]:  # fmt: skip
    """Lists an audience's segments. Tags are segments of type static; saved ones follow conditions.

    type: static for tags, saved for conditions.
    """
    people.audience(ctx, list_id)
    rows = [
        s
        for s in ctx.db.find(Segment, list_id=list_id, type=type)
        if between(s.created_at, since_created_at, before_created_at)
        and between(s.updated_at, since_updated_at, before_updated_at)
    ]
    include = {
        "include_cleaned": include_cleaned, "include_transactional": include_transactional, "include_unsubscribed": include_unsubscribed,
    }  # fmt: skip
    path = f"/lists/{list_id}/segments"
    return collection(
        ctx,
        "segments",
        rows,
        lambda s: _shown(ctx, s, **include),
        count,
        offset,
        path,
        "Lists/Segments",
        list_id=list_id,
    )


@app.post("/lists/{list_id}/segments", tool="create_segment")
def create_segment(
    ctx: Ctx,
    list_id: ListId,
    name: Name,
    static_segment: list[str] | MISSING = MISSING,
    options: Options | MISSING = MISSING,
) -> dict[str, Any]:
    """Creates a segment: a tag (static_segment) or a saved one that follows conditions (options).

    name: Its name.
    static_segment: Addresses of its members; an empty list makes a tag that nobody has. Who is not on the audience is left out.
    options: The conditions: {"match": "all", "conditions":
      [{"condition_type": "TextMerge", "field": "FNAME", "op": "is", "value": "Ann"}]}.
    """
    people.audience(ctx, list_id)
    sent, when = ctx.sent(), times.now(ctx)
    _free(ctx, list_id, name)
    if ("static_segment" in sent) == ("options" in sent):
        raise invalid_resource(("", "Provide either static_segment or options"))
    kept = conditions.read(ctx, list_id, sent["options"])[0] if "options" in sent else {}
    row = ctx.db.add(Segment(
        id=people.number(ctx), list_id=list_id, name=name.strip() or name, type="saved" if kept else "static", options=kept,
        created_at=when, updated_at=when,
    ))  # fmt: skip
    _put(ctx, row, sent.get("static_segment", []), [])
    return _shown(ctx, row)


def _free(ctx: Ctx, list_id: str, name: str, but: int = 0) -> None:
    if any(s.name.casefold() == name.strip().casefold() and s.id != but for s in ctx.db.find(Segment, list_id=list_id)):
        raise refuse(400, "Sorry, that tag already exists.")


def _put(
    ctx: Ctx, row: Segment, add: list[str], remove: list[str]
) -> tuple[list[Member], list[Member], list[dict[str, Any]]]:
    """Puts members into a static segment and takes others out; those who are not on the audience are told."""
    added, removed, strange = list[Member](), list[Member](), dict[str, list[str]]()
    for wanted, out in ((add, added), (remove, removed)):
        for address in wanted:
            member = people.lookup(ctx, row.list_id, address.strip()) if "@" in address else None
            if member is None or (member.status in ("archived", "cleaned", "unsubscribed") and out is added):
                strange.setdefault(
                    "Email addresses given are not subscribed to the list."
                    if member
                    else "Email address is not on the list.",
                    [],
                ).append(address)
                continue
            held = ctx.db.get(SegmentMember, (row.id, member.contact_id))
            if out is added and held is None:
                ctx.db.add(SegmentMember(segment_id=row.id, contact_id=member.contact_id, date_added=times.now(ctx)))
                out.append(member)
            elif out is removed and held is not None:
                ctx.db.delete(held)
                out.append(member)
    return (added, removed, [{"email_addresses": who, "error": why} for why, who in strange.items()])


@app.get("/lists/{list_id}/segments/{segment_id}", tool="get_segment", mcp=False)
def get_segment(
    ctx: Ctx, list_id: ListId, segment_id: SegmentId, fields: Fields = None, exclude_fields: Exclude = None,
    include_cleaned: Include = False, include_transactional: Include = False, include_unsubscribed: Include = False,
) -> dict[str, Any]:  # fmt: skip
    """Shows a segment: its conditions and how many members it has now."""
    return _shown(
        ctx, find(ctx, list_id, segment_id), include_cleaned=include_cleaned, include_transactional=include_transactional,
        include_unsubscribed=include_unsubscribed,
    )  # fmt: skip


@app.patch("/lists/{list_id}/segments/{segment_id}", tool="update_segment")
def update_segment(
    ctx: Ctx, list_id: ListId, segment_id: SegmentId, name: Name | MISSING = MISSING,
    static_segment: list[str] | MISSING = MISSING, options: Options | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a segment's name, a tag's members (all of them: who is not named loses it), or a saved segment's conditions.

    name: Its name.
    static_segment: Addresses of all who are to have the tag.
    options: The conditions.
    """
    row, sent = find(ctx, list_id, segment_id), ctx.sent()
    if "name" in sent:
        _free(ctx, list_id, sent["name"], row.id)
    if "options" in sent and row.type == "static":
        raise invalid_action("A static segment has no conditions.")
    if "static_segment" in sent and row.type == "saved":
        raise invalid_action("The members of a saved segment follow its conditions.")
    changes: dict[str, Any] = {"name": sent["name"]} if "name" in sent else {}
    if "options" in sent:
        changes["options"] = conditions.read(ctx, list_id, {**row.options, **sent["options"]})[0]
    if "static_segment" in sent:
        wanted = {people.email_hash(address) for address in sent["static_segment"]}
        for held in ctx.db.find(SegmentMember, segment_id=row.id):
            if ctx.require(Member, held.contact_id).id not in wanted:
                ctx.db.delete(held)
        _put(ctx, row, sent["static_segment"], [])
    return _shown(ctx, ctx.db.update(row, **changes, updated_at=times.now(ctx)))


@app.delete("/lists/{list_id}/segments/{segment_id}", tool="delete_segment", status=204)
def delete_segment(ctx: Ctx, list_id: ListId, segment_id: SegmentId) -> Any:
    """Deletes a segment or tag. Its members stay on the audience. One that an unsent campaign goes to is refused."""
    row = find(ctx, list_id, segment_id)
    for campaign in ctx.db.find(Campaign, list_id=list_id):
        if campaign.segment_opts.get("saved_segment_id") == row.id and campaign.status in ("schedule", "sending"):
            raise invalid_action("A campaign that is scheduled or being sent uses this segment.")
    ctx.db.delete_where(SegmentMember, segment_id=row.id)
    ctx.db.delete(row)
    return done(ctx, segment_id=segment_id, deleted=True)


@app.get("/lists/{list_id}/segments/{segment_id}/members", tool="list_segment_members")
def list_segment_members(
    ctx: Ctx, list_id: ListId, segment_id: SegmentId, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10,
    offset: Offset = 0, include_cleaned: Include = False, include_transactional: Include = False,
    include_unsubscribed: Annotated[bool, Field(description="Whether those who left count too.")] = False,
) -> dict[str, Any]:  # fmt: skip
    """Lists the subscribed members of a segment or tag."""
    row = find(ctx, list_id, segment_id)
    include = {
        "include_cleaned": include_cleaned, "include_transactional": include_transactional, "include_unsubscribed": include_unsubscribed,
    }  # fmt: skip
    rows = conditions.chosen(ctx, row, include)
    page = rows[offset : offset + count]
    shown = dict(zip((m.contact_id for m in page), resources.members(ctx, page), strict=True))
    path = f"/lists/{list_id}/segments/{segment_id}/members"
    return collection(
        ctx, "members", rows, lambda m: shown[m.contact_id], count, offset, path, "Lists/Segments/Members"
    )


def _static(ctx: Ctx, list_id: str, segment_id: int) -> Segment:
    row = find(ctx, list_id, segment_id)
    if row.type != "static":
        raise invalid_action("The members of a saved segment follow its conditions.")
    return row


@app.post("/lists/{list_id}/segments/{segment_id}", tool="batch_segment_members", effect="update")
def batch_segment_members(
    ctx: Ctx,
    list_id: ListId,
    segment_id: SegmentId,
    members_to_add: Addresses | None = None,
    members_to_remove: Addresses | None = None,
) -> dict[str, Any]:
    """Gives a tag (static segment) to up to 500 members and takes it from others.

    members_to_add: Addresses of those who are to have it.
    members_to_remove: Addresses of those who are not.
    """
    row = _static(ctx, list_id, segment_id)
    added, removed, errors = _put(ctx, row, members_to_add or [], members_to_remove or [])
    if added or removed:
        ctx.db.update(row, updated_at=times.now(ctx))
    return {
        "members_added": resources.members(ctx, added), "members_removed": resources.members(ctx, removed), "errors": errors,
        "total_added": len(added), "total_removed": len(removed), "error_count": len(errors),
        "_links": links(ctx, f"/lists/{list_id}/segments/{segment_id}", "Lists/Segments"),
    }  # fmt: skip


@app.post("/lists/{list_id}/segments/{segment_id}/members", tool="add_segment_member", mcp=False)
def add_segment_member(ctx: Ctx, list_id: ListId, segment_id: SegmentId, email_address: Email) -> dict[str, Any]:
    """Gives a tag to a member.

    email_address: Their address.
    """
    row = _static(ctx, list_id, segment_id)
    member = people.lookup(ctx, list_id, email_address)
    if member is None or member.status in ("archived", "cleaned", "unsubscribed"):
        raise refuse(400, f"{email_address} is not subscribed to this list and cannot be added to the segment.")
    _put(ctx, row, [email_address], [])
    ctx.db.update(row, updated_at=times.now(ctx))
    return resources.one_member(ctx, member)


@app.delete(
    "/lists/{list_id}/segments/{segment_id}/members/{subscriber_hash}",
    tool="remove_segment_member",
    mcp=False,
    status=204,
)
def remove_segment_member(ctx: Ctx, list_id: ListId, segment_id: SegmentId, subscriber_hash: Hash) -> Any:
    """Takes a tag from a member."""
    row = _static(ctx, list_id, segment_id)
    member = people.find(ctx, list_id, subscriber_hash)
    held = ctx.db.get(SegmentMember, (row.id, member.contact_id))
    if held is None:
        raise not_found()
    ctx.db.delete(held)
    ctx.db.update(row, updated_at=times.now(ctx))
    return done(ctx, email_address=member.email_address, removed=True)


@app.get("/lists/{list_id}/tag-search", tool="search_tags")
def search_tags(ctx: Ctx, list_id: ListId, name: str | None = None) -> dict[str, Any]:
    """Finds an audience's tags whose names begin with a text; all of them when left out.

    name: What the name begins with.
    """
    people.audience(ctx, list_id)
    start = (name or "").casefold()
    rows = [
        s
        for s in ctx.db.find(Segment, list_id=list_id, type="static", order="name,id")
        if s.name.casefold().startswith(start)
    ]
    return {
        "tags": [{"id": s.id, "name": s.name} for s in rows], "total_items": len(rows),
        "_links": links(ctx, f"/lists/{list_id}/tag-search", "Lists/TagSearch"),
    }  # fmt: skip
