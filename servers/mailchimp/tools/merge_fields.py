"""Merge fields. https://mailchimp.com/developer/marketing/api/list-merges/"""

import re
from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import people, resources
from ..app import app, done
from ..errors import invalid_resource, not_found, refuse
from ..inputs import Count, Exclude, Fields, ListId, Offset
from ..models import Member, MergeField, MergeType
from ..paging import collection

MergeId = Annotated[int, Field(description="The merge field's number.")]
Order = Annotated[int, Field(ge=0, le=1000)]
MAX_FIELDS = 80


class MergeOptions(TypedDict, total=False):
    """Settings that depend on the type."""

    default_country: Annotated[int, Field(description="Of an address: the country's number.")]
    phone_format: Annotated[str, Field(description="Of a phone: US or none.")]
    date_format: Annotated[str, Field(description="Of a date or birthday, such as MM/DD/YYYY.")]
    choices: Annotated[list[str], Field(description="Of a dropdown or radio: what can be chosen.")]
    size: Annotated[int, Field(description="Of a text: how long it is.")]


def _field(ctx: Ctx, list_id: str, merge_id: int) -> MergeField:
    people.audience(ctx, list_id)
    found = ctx.db.get(MergeField, (list_id, merge_id))
    if found is None:
        raise not_found()
    return found


@app.get("/lists/{list_id}/merge-fields", tool="list_merge_fields")
def list_merge_fields(
    ctx: Ctx, list_id: ListId, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0,
    type: MergeType | None = None, required: bool | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists an audience's merge fields: what is kept of each member beside the address.

    type: Only those of this type.
    required: Only those that must, or need not, be filled.
    """
    people.audience(ctx, list_id)
    rows = ctx.db.find(MergeField, list_id=list_id, type=type, required=required, order="display_order,merge_id")
    path = f"/lists/{list_id}/merge-fields"
    return collection(
        ctx,
        "merge_fields",
        rows,
        lambda f: resources.merge_field(ctx, f),
        count,
        offset,
        path,
        "Lists/MergeFields",
        list_id=list_id,
    )


@app.get("/lists/{list_id}/merge-fields/{merge_id}", tool="get_merge_field", mcp=False)
def get_merge_field(
    ctx: Ctx, list_id: ListId, merge_id: MergeId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows a merge field."""
    return resources.merge_field(ctx, _field(ctx, list_id, merge_id))


def _tag(ctx: Ctx, list_id: str, given: str, but: int = 0) -> str:
    tag = given.strip().upper()
    if not re.fullmatch(r"[A-Z0-9_]{1,10}", tag):
        raise invalid_resource(("tag", "A merge tag has up to 10 letters, digits and underscores"))
    taken = {f.tag for f in ctx.db.find(MergeField, list_id=list_id) if f.merge_id != but}
    if tag in taken or tag in ("EMAIL", "INTERESTS", "UNSUB", "FORWARD"):
        raise refuse(400, f'A Merge Field with the tag "{tag}" already exists for this list.')
    return tag


@app.post("/lists/{list_id}/merge-fields", tool="create_merge_field")
def create_merge_field(
    ctx: Ctx, list_id: ListId, name: Annotated[str, Field(min_length=1, max_length=50)], type: MergeType,
    tag: str | None = None, required: bool = False, default_value: str = "", public: bool = False,
    display_order: Order | None = None, options: MergeOptions | None = None, help_text: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Adds a merge field to an audience. A dropdown or radio needs options with choices.

    name: What people see.
    type: What it takes.
    tag: What mailings and members name it by, of up to 10 characters; MMERGE and a number when left out.
    required: Whether new members need it.
    default_value: What stands for it where it is empty.
    public: Whether sign-up forms show it.
    display_order: Its place on forms.
    options: Settings that depend on the type.
    help_text: What helps to fill it.
    """
    people.audience(ctx, list_id)
    known = ctx.db.find(MergeField, list_id=list_id)
    if len(known) >= MAX_FIELDS:
        raise refuse(400, f"An audience has at most {MAX_FIELDS} merge fields.")
    merge_id = max((f.merge_id for f in known), default=0) + 1
    chosen = _tag(ctx, list_id, tag if tag else f"MMERGE{merge_id}")
    choices = dict(options or {})
    if type in ("dropdown", "radio") and not choices.get("choices"):
        raise invalid_resource(("options.choices", "Please enter at least one choice"))
    row = ctx.db.add(MergeField(
        list_id=list_id, merge_id=merge_id, tag=chosen, name=name, type=type, required=required, default_value=default_value,
        public=public, display_order=merge_id + 1 if display_order is None else display_order, options=choices, help_text=help_text,
    ))  # fmt: skip
    return resources.merge_field(ctx, row)


@app.patch("/lists/{list_id}/merge-fields/{merge_id}", tool="update_merge_field")
def update_merge_field(
    ctx: Ctx, list_id: ListId, merge_id: MergeId, name: Annotated[str, Field(min_length=1, max_length=50)] | MISSING = MISSING,
    tag: str | MISSING = MISSING, required: bool | MISSING = MISSING, default_value: str | MISSING = MISSING,
    public: bool | MISSING = MISSING, display_order: Order | MISSING = MISSING, options: MergeOptions | MISSING = MISSING,
    help_text: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes what is sent of a merge field; its type stays. Members keep their values under a new tag.

    name: What people see.
    tag: What mailings and members name it by.
    required: Whether new members need it.
    default_value: What stands for it where it is empty.
    public: Whether sign-up forms show it.
    display_order: Its place on forms.
    options: Settings that depend on the type.
    help_text: What helps to fill it.
    """
    row, sent = _field(ctx, list_id, merge_id), ctx.sent()
    if "tag" in sent:
        sent["tag"] = _tag(ctx, list_id, sent["tag"], merge_id)
    if "options" in sent:
        sent["options"] = {**row.options, **sent["options"]}
        if row.type in ("dropdown", "radio") and not sent["options"].get("choices"):
            raise invalid_resource(("options.choices", "Please enter at least one choice"))
    before = row.tag
    ctx.db.update(row, **sent)
    if row.tag != before:
        _move_values(ctx, list_id, before, row.tag)
    return resources.merge_field(ctx, row)


def _move_values(ctx: Ctx, list_id: str, before: str, after: str) -> None:
    """Members' values of a merge field under its new tag, or gone with it."""
    for member in ctx.db.find(Member, list_id=list_id):
        if before in member.merge_fields:
            kept = {tag: value for tag, value in member.merge_fields.items() if tag != before}
            ctx.db.update(member, merge_fields={**kept, after: member.merge_fields[before]} if after else kept)


@app.delete("/lists/{list_id}/merge-fields/{merge_id}", tool="delete_merge_field", mcp=False, status=204)
def delete_merge_field(ctx: Ctx, list_id: ListId, merge_id: MergeId) -> Any:
    """Deletes a merge field and what members have in it."""
    row = _field(ctx, list_id, merge_id)
    _move_values(ctx, list_id, row.tag, "")
    ctx.db.delete(row)
    return done(ctx, merge_id=merge_id, deleted=True)
