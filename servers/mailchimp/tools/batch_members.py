"""Many members at once. https://mailchimp.com/developer/marketing/api/lists/batch-subscribe-or-unsubscribe/"""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import ApiError, Ctx, Field, Query

from .. import people, resources
from ..app import app
from ..inputs import Interests, ListId, MergeFields, SkipMerge, WrittenStatus
from ..paging import links
from .members import Language


class _Needed(TypedDict):
    email_address: Annotated[str, Field(description="Their address.")]


class Entry(_Needed, total=False):
    """A member."""

    status: Annotated[WrittenStatus, Field(description="subscribed, unsubscribed, cleaned, pending or transactional.")]
    email_type: Annotated[Literal["html", "text"], Field(description="html or text.")]
    merge_fields: MergeFields
    interests: Interests
    tags: Annotated[list[str], Field(description="Names of tags.")]
    language: Annotated[Language, Field(description="Their language.")]
    vip: Annotated[bool, Field(description="Whether they are a VIP.")]


def _error(address: str, text: str, code: str = "ERROR_GENERIC", field: str = "", message: str = "") -> dict[str, str]:
    return {"email_address": address, "error": text, "error_code": code, "field": field, "field_message": message}


@app.post("/lists/{list_id}", tool="batch_subscribe_members", effect="update")
def batch_subscribe_members(
    ctx: Ctx,
    list_id: ListId,
    members: Annotated[list[Entry], Field(max_length=500)],
    update_existing: bool = False,
    sync_tags: bool = False,
    skip_merge_validation: SkipMerge = None,
    skip_duplicate_check: Annotated[bool | None, Query(mcp=False)] = None,
) -> dict[str, Any]:
    """Adds up to 500 members to an audience, or changes those who are there. Each stands for itself: those that cannot be added are told
    in errors, the others are added all the same.

    members: The members; new ones need a status.
    update_existing: Whether those who are on the audience are changed; else they are errors.
    sync_tags: Whether their tags become exactly those given, instead of these added.
    skip_duplicate_check: Takes the last of several entries for an address, instead of refusing all but the first.
    """
    people.audience(ctx, list_id)
    created, updated, errors = list[str](), list[str](), list[dict[str, str]]()
    seen = set[str]()
    entries: list[Entry] = list(members)
    if skip_duplicate_check:
        last = {people.email_hash(e["email_address"]): e for e in entries}
        entries = [e for e in entries if last[people.email_hash(e["email_address"])] is e]
    for entry in entries:
        address = entry["email_address"].strip()
        key = people.email_hash(address)
        row = people.lookup(ctx, list_id, address) if "@" in address else None
        known = row is not None and row.status != "archived"
        if key in seen:
            errors.append(_error(address, f"{address} is given more than once in this request"))
        elif known and not update_existing:
            text = f"{address} is already a list member, do you want to update? please provide update_existing:true in the request body"
            errors.append(_error(address, text, "ERROR_CONTACT_EXISTS"))
        elif "status" not in entry and not known:
            text = "The resource submitted could not be validated. For field-specific details, see the 'errors' array."
            errors.append(_error(address, text, field="status", message="Required fields were not provided: status"))
        else:
            tool = "update_list_member" if known else "add_list_member"
            sent = {k: v for k, v in entry.items() if k != "tags" or not known}
            given = {**sent, "list_id": list_id, "skip_merge_validation": bool(skip_merge_validation)}
            if known:
                given["subscriber_hash"] = key
            reply = ctx.call(tool, given)
            if reply.error:
                first = (reply.body.get("errors") or [{}])[0]
                errors.append(
                    _error(
                        address, reply.body["detail"], field=first.get("field", ""), message=first.get("message", "")
                    )
                )
            else:
                (updated if known else created).append(key)
                _tags(ctx, list_id, key, entry, sync_tags)
        seen.add(key)
    return {
        "new_members": _shown(ctx, list_id, created), "updated_members": _shown(ctx, list_id, updated), "errors": errors,
        "total_created": len(created), "total_updated": len(updated), "error_count": len(errors),
        "_links": links(ctx, f"/lists/{list_id}", "Lists"),
    }  # fmt: skip


def _tags(ctx: Ctx, list_id: str, key: str, entry: Entry, sync: bool) -> None:
    if "tags" not in entry:
        return
    row = people.find(ctx, list_id, key)
    try:
        wanted = people.named(entry["tags"])
    except ApiError:  # the member stands, as with the API; a tag without a name is none
        wanted = [t.strip()[:100] for t in entry["tags"] if t.strip()]
    for name in wanted:
        people.put_tag(ctx, row, name, True)
    if sync:
        for tag in resources.one_member(ctx, row)["tags"]:
            people.put_tag(ctx, row, tag["name"], tag["name"].casefold() in {name.casefold() for name in wanted})


def _shown(ctx: Ctx, list_id: str, keys: list[str]) -> list[dict[str, Any]]:
    return resources.members(ctx, [people.find(ctx, list_id, key) for key in keys])
