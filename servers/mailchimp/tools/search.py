"""Search. https://mailchimp.com/developer/marketing/api/search-members/"""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import campaigns, people, resources
from ..app import app
from ..errors import invalid_resource
from ..inputs import Exclude, Fields
from ..models import Campaign, Member
from ..paging import links

MOST = 30


@app.get("/search-members", tool="search_members")
def search_members(
    ctx: Ctx, query: str, fields: Fields = None, exclude_fields: Exclude = None, list_id: str | None = None
) -> dict[str, Any]:
    """Finds members by e-mail address or name, of all audiences or one. exact_matches have that address; full_search has all words.

    query: An address, a name, or parts of them.
    list_id: Only in this audience.
    """
    if list_id:
        people.audience(ctx, list_id)
    words = query.casefold().split()
    if not words:
        raise invalid_resource(("query", "Please enter something to search for"))
    rows = [
        m
        for m in ctx.db.find(Member, list_id=list_id or None, order="email_address,contact_id")
        if m.status != "archived"
    ]
    exact = [m for m in rows if m.email_address.casefold() == " ".join(words)]
    full = [m for m in rows if m not in exact and all(w in _text(m) for w in words)] + exact
    full.sort(key=lambda m: (m.email_address, m.contact_id))

    def told(found: list[Member]) -> dict[str, Any]:
        return {"members": resources.members(ctx, found[:MOST]), "total_items": len(found)}

    return {
        "exact_matches": told(exact),
        "full_search": told(full),
        "_links": links(ctx, "/search-members", "SearchMembers"),
    }


def _text(member: Member) -> str:
    values = (str(v) for tag, v in member.merge_fields.items() if tag in ("FNAME", "LNAME"))
    return " ".join((member.email_address, *values)).casefold()


@app.get("/search-campaigns", tool="search_campaigns")
def search_campaigns(ctx: Ctx, query: str, fields: Fields = None, exclude_fields: Exclude = None) -> dict[str, Any]:
    """Finds campaigns by words of their title, subject, sender or text.

    query: The words; all of them must be there.
    """
    words = query.casefold().split()
    if not words:
        raise invalid_resource(("query", "Please enter something to search for"))
    results = list[dict[str, Any]]()
    for row in sorted(ctx.db.find(Campaign), key=lambda c: c.create_time, reverse=True):
        settings = [
            str(row.settings.get(n, "")) for n in ("title", "subject_line", "preview_text", "from_name", "reply_to")
        ]
        text = "\n".join([*settings, campaigns.body_of(row)])
        if all(word in text.casefold() for word in words):
            at = max(0, text.casefold().find(words[0]) - 40)
            results.append({"campaign": campaigns.shown(ctx, row), "snippet": " ".join(text[at : at + 160].split())})
    return {
        "results": results[:MOST],
        "total_items": len(results),
        "_links": links(ctx, "/search-campaigns", "SearchCampaigns"),
    }
