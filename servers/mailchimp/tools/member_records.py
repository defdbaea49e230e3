"""A member's tags, notes, events, activity and goals. https://mailchimp.com/developer/marketing/api/list-member-tags/"""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Field, Query

from .. import activity, people, resources, times
from ..app import app, done
from ..errors import not_found
from ..inputs import Count, Direction, Exclude, Fields, Hash, ListId, Offset, Time
from ..models import Event, Member, Note, Segment, SegmentMember
from ..paging import collection, links

NoteText = Annotated[str, Field(min_length=1, max_length=1000)]
NoteId = Annotated[int, Field(description="The note's id.")]


class Tag(TypedDict):
    """A tag to give or take."""

    name: Annotated[str, Field(description="The tag's name.")]
    status: Annotated[Literal["active", "inactive"], Field(description="active gives the tag, inactive takes it away.")]


@app.get("/lists/{list_id}/members/{subscriber_hash}/tags", tool="list_member_tags")
def list_member_tags(
    ctx: Ctx, list_id: ListId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None,
    count: Count = 10, offset: Offset = 0,
) -> dict[str, Any]:  # fmt: skip
    """Lists a member's tags, with when each was given."""
    row = people.find(ctx, list_id, subscriber_hash)
    held = ctx.db.find(SegmentMember, contact_id=row.contact_id, order="date_added,segment_id")
    known = {s.id: s for s in ctx.db.find(Segment, list_id=list_id, type="static")}
    path = f"/lists/{list_id}/members/{row.id}/tags"
    return collection(
        ctx, "tags", held, lambda h: {"id": h.segment_id, "name": known[h.segment_id].name, "date_added": h.date_added}, count,
        offset, path, "Lists/Members/Tags",
    )  # fmt: skip


@app.post("/lists/{list_id}/members/{subscriber_hash}/tags", tool="update_member_tags", effect="update", status=204)
def update_member_tags(
    ctx: Ctx, list_id: ListId, subscriber_hash: Hash, tags: list[Tag], is_syncing: bool = False
) -> Any:
    """Gives tags to a member and takes others away, by name. Tags that do not exist are made; those not named stay as they are.

    tags: The tags, each active or inactive.
    is_syncing: Whether automations that tags start are to be left alone.
    """
    row = people.find(ctx, list_id, subscriber_hash)
    names = people.named(tag["name"] for tag in tags)
    for tag in tags:
        people.put_tag(ctx, row, tag["name"].strip(), tag["status"] == "active")
    if names:
        ctx.db.update(row, last_changed=times.now(ctx))
    return done(ctx, email_address=row.email_address, tags=resources.one_member(ctx, row)["tags"])


# Notes


def _note(ctx: Ctx, member: Member, note_id: int) -> Note:
    found = ctx.db.get(Note, note_id)
    if found is None or found.contact_id != member.contact_id:
        raise not_found()
    return found


@app.get("/lists/{list_id}/members/{subscriber_hash}/notes", tool="list_member_notes")
def list_member_notes(
    ctx: Ctx, list_id: ListId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None,
    count: Count = 10, offset: Offset = 0,
    sort_field: Annotated[Literal["created_at", "updated_at", "note_id"], Query(mcp=False)] = "created_at",
    sort_dir: Annotated[Direction, Query(mcp=False)] = "DESC",
) -> dict[str, Any]:  # fmt: skip
    """Lists the notes on a member, the latest first.

    sort_field: What to sort by.
    """
    row = people.find(ctx, list_id, subscriber_hash)
    key = "id" if sort_field == "note_id" else sort_field
    notes = sorted(ctx.db.find(Note, contact_id=row.contact_id), key=lambda n: (getattr(n, key), n.id))
    if sort_dir == "DESC":
        notes.reverse()
    path = f"/lists/{list_id}/members/{row.id}/notes"
    return collection(
        ctx, "notes", notes, lambda n: resources.note(ctx, n, row), count, offset, path, "Lists/Members/Notes",
        email_id=row.id, list_id=list_id,
    )  # fmt: skip


@app.post("/lists/{list_id}/members/{subscriber_hash}/notes", tool="add_member_note")
def add_member_note(ctx: Ctx, list_id: ListId, subscriber_hash: Hash, note: NoteText) -> dict[str, Any]:
    """Adds a note to a member, for the people who work with the audience.

    note: The note, of at most 1,000 characters.
    """
    row, when = people.find(ctx, list_id, subscriber_hash), times.now(ctx)
    made = ctx.db.add(Note(
        id=people.number(ctx), contact_id=row.contact_id, note=note, created_by=resources.me(ctx), created_at=when, updated_at=when,
    ))  # fmt: skip
    return resources.note(ctx, made, row)


@app.get("/lists/{list_id}/members/{subscriber_hash}/notes/{note_id}", tool="get_member_note", mcp=False)
def get_member_note(
    ctx: Ctx,
    list_id: ListId,
    subscriber_hash: Hash,
    note_id: NoteId,
    fields: Fields = None,
    exclude_fields: Exclude = None,
) -> dict[str, Any]:
    """Shows a note on a member."""
    row = people.find(ctx, list_id, subscriber_hash)
    return resources.note(ctx, _note(ctx, row, note_id), row)


@app.patch("/lists/{list_id}/members/{subscriber_hash}/notes/{note_id}", tool="update_member_note", mcp=False)
def update_member_note(
    ctx: Ctx, list_id: ListId, subscriber_hash: Hash, note_id: NoteId, note: NoteText
) -> dict[str, Any]:
    """Changes a note on a member.

    note: The note, of at most 1,000 characters.
    """
    row = people.find(ctx, list_id, subscriber_hash)
    found = ctx.db.update(_note(ctx, row, note_id), note=note, updated_at=times.now(ctx))
    return resources.note(ctx, found, row)


@app.delete(
    "/lists/{list_id}/members/{subscriber_hash}/notes/{note_id}", tool="delete_member_note", mcp=False, status=204
)
def delete_member_note(ctx: Ctx, list_id: ListId, subscriber_hash: Hash, note_id: NoteId) -> Any:
    """Deletes a note on a member."""
    ctx.db.delete(_note(ctx, people.find(ctx, list_id, subscriber_hash), note_id))
    return done(ctx, note_id=note_id, deleted=True)


# Events and activity


@app.get("/lists/{list_id}/members/{subscriber_hash}/events", tool="list_member_events", mcp=False)
def list_member_events(
    ctx: Ctx, list_id: ListId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None,
    count: Count = 10, offset: Offset = 0,
) -> dict[str, Any]:  # fmt: skip
    """Lists what websites and apps reported of a member, the latest first."""
    row = people.find(ctx, list_id, subscriber_hash)
    events = ctx.db.find(Event, contact_id=row.contact_id, order="-occurred_at,-id")
    return collection(
        ctx, "events", events,
        lambda e: {"occurred_at": e.occurred_at, "name": e.name, **({"properties": e.properties} if e.properties else {})},
        count, offset, f"/lists/{list_id}/members/{row.id}/events", "Lists/Members/Events",
    )  # fmt: skip


@app.post("/lists/{list_id}/members/{subscriber_hash}/events", tool="add_member_event", status=204)
def add_member_event(
    ctx: Ctx,
    list_id: ListId,
    subscriber_hash: Hash,
    name: Annotated[str, Field(min_length=2, max_length=30)],
    properties: dict[str, Any] | None = None,
    is_syncing: bool = False,
    occurred_at: Time | None = None,
) -> Any:
    """Records something that a member did elsewhere, such as a purchase or a visit.

    name: What it is, of 2 to 30 characters.
    properties: Details, by name.
    is_syncing: Whether automations that events start are to be left alone.
    occurred_at: When it was; now when left out.
    """
    row = people.find(ctx, list_id, subscriber_hash)
    ctx.db.add(Event(
        id=people.number(ctx), contact_id=row.contact_id, name=name, properties=properties or {}, is_syncing=is_syncing,
        occurred_at=occurred_at or times.now(ctx),
    ))  # fmt: skip
    return done(ctx, email_address=row.email_address, event=name)


@app.get("/lists/{list_id}/members/{subscriber_hash}/activity", tool="get_member_activity_50", mcp=False)
def get_member_activity_50(
    ctx: Ctx, list_id: ListId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None,
    action: list[str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Tells the last 50 things that a member did with mailings.

    action: Only these: open, click, bounce, unsub, sent.
    """
    row = people.find(ctx, list_id, subscriber_hash)
    rows = [a for a in activity.of_member(ctx, row) if not action or a["action"] in action][:50]
    return {
        "activity": rows, "email_id": row.id, "list_id": list_id, "total_items": len(rows),
        "_links": links(ctx, f"/lists/{list_id}/members/{row.id}/activity", "Lists/Members/Activity"),
    }  # fmt: skip


@app.get("/lists/{list_id}/members/{subscriber_hash}/activity-feed", tool="list_member_activity")
def list_member_activity(
    ctx: Ctx, list_id: ListId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None,
    count: Count = 10, offset: Offset = 0, activity_filters: list[str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Tells what a member did, the latest first: mailings they got, opened and clicked, sign-up, departure, notes, events.

    activity_filters: Only these: open, click, bounce, unsub, sent, signup, note, event.
    """
    row = people.find(ctx, list_id, subscriber_hash)
    rows = [a for a in activity.feed(ctx, row) if not activity_filters or a["activity_type"] in activity_filters]
    path = f"/lists/{list_id}/members/{row.id}/activity-feed"
    return collection(
        ctx,
        "activity",
        rows,
        lambda a: a,
        count,
        offset,
        path,
        "Lists/Members/ActivityFeed",
        email_id=row.id,
        list_id=list_id,
    )


@app.get("/lists/{list_id}/members/{subscriber_hash}/goals", tool="list_member_goals", mcp=False)
def list_member_goals(
    ctx: Ctx, list_id: ListId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Tells which pages a member visited after a mailing, as far as that was tracked."""
    row = people.find(ctx, list_id, subscriber_hash)
    path = f"/lists/{list_id}/members/{row.id}/goals"
    return {
        "goals": [],
        "email_id": row.id,
        "list_id": list_id,
        "total_items": 0,
        "_links": links(ctx, path, "Lists/Members/Goals"),
    }
