"""Links between issues."""

from typing import Any

from legoenv_mcp.app import ApiError, Ctx

from . import access, discussion, history, site
from .app import refuse
from .models import Issue, IssueLink


def type_of(value: Any) -> site.LinkType:
    """A link type by id or name."""
    given = value.get("id", value.get("name")) if isinstance(value, dict) else value
    found = site.named(site.LINK_TYPES, given) if isinstance(given, (str, int)) else None
    if found is None:
        raise refuse(404, f"No issue link type with name '{given}' found.")
    return found


def named(value: str) -> tuple[site.LinkType, bool]:
    """A link type as an agent names it, and whether by its inward words, which turn the link round: A is blocked by B."""
    wanted = value.strip().casefold()
    for type in site.LINK_TYPES.values():
        if wanted in (type.outward, type.inward):
            return type, wanted != type.outward
    try:
        return type_of({"name": value}), False
    except ApiError as error:
        valid = ", ".join(t.name for t in site.LINK_TYPES.values())
        raise refuse(error.status, f"{error.message} Valid: {valid}.") from None


def _issue(ctx: Ctx, value: Any) -> Issue:
    given = value.get("key", value.get("id")) if isinstance(value, dict) else value
    return access.issue(ctx, given)


def create(ctx: Ctx, type: site.LinkType, inward: Issue, outward: Issue, comment: Any = None) -> IssueLink:
    """Links two issues; linking what is linked already changes nothing. The comment goes to the inward issue."""
    if inward.id == outward.id:
        raise refuse(400, "You cannot link an issue to itself.")
    found = ctx.db.first(IssueLink, type=type.id, inward=inward.id, outward=outward.id)
    if found is None:
        found = ctx.db.add(
            IssueLink(id=ctx.sequence("link", 10000), type=type.id, inward=inward.id, outward=outward.id)
        )
        for here, words, there in ((inward, type.outward, outward), (outward, type.inward, inward)):
            history.change(
                ctx,
                here,
                {},
                [
                    history.item(
                        "Link", None, None, there.key, f"This work item {words} {there.key}", field_id="issuelinks"
                    )
                ],
            )
    if isinstance(comment, dict) and comment.get("body"):
        discussion.add(ctx, inward, comment["body"], comment.get("visibility"))
    return found


def from_update(ctx: Ctx, issue: Issue, value: dict[str, Any]) -> None:
    """An `update.issuelinks` entry: the other issue is named, this one is on the other side."""
    type = type_of(value.get("type"))
    if value.get("outwardIssue") is not None:
        create(ctx, type, issue, _issue(ctx, value["outwardIssue"]))
    else:
        create(ctx, type, _issue(ctx, value.get("inwardIssue")), issue)


def remove(ctx: Ctx, link: IssueLink) -> None:
    type = site.LINK_TYPES[link.type]
    inward, outward = ctx.require(Issue, link.inward), ctx.require(Issue, link.outward)
    ctx.db.delete(link)
    for here, words, there in ((inward, type.outward, outward), (outward, type.inward, inward)):
        gone = history.item("Link", there.key, f"This work item {words} {there.key}", None, None, field_id="issuelinks")
        history.change(ctx, here, {}, [gone])
