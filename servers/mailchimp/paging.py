"""Collections and links. https://mailchimp.com/developer/marketing/docs/methods-parameters/#pagination"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from legoenv_mcp.app import Ctx

T = TypeVar("T")

_SCHEMA = "https://us6.api.mailchimp.com/schema/3.0/Definitions"


def links(
    ctx: Ctx, path: str, schema: str, writes: Sequence[str] = (), below: Iterable[str] = (), *, collection: bool = False
) -> list[dict[str, str]]:
    """Where a resource is and what can be done with it. Agents on the MCP face have tools for that."""
    if not ctx.request.method:
        return []
    base = ctx.request.base + path
    own = f"{_SCHEMA}/{schema}/{'CollectionResponse' if collection else 'Response'}.json"
    parent = path.rsplit("/", 1)[0]
    made = [{"rel": "self", "href": base, "method": "GET", "targetSchema": own}]
    made.append({
        "rel": "parent", "href": f"{ctx.request.base}{parent or '/'}", "method": "GET",
        "targetSchema": f"{_SCHEMA}/{schema}/CollectionResponse.json" if not collection else f"{_SCHEMA}/Root/Response.json",
    })  # fmt: skip
    for method in writes:
        rel = {"PATCH": "update", "PUT": "upsert", "POST": "create", "DELETE": "delete"}[method]
        link = {"rel": rel, "href": base, "method": method}
        if method != "DELETE":
            link |= {"targetSchema": own, "schema": f"{_SCHEMA}/{schema}/{method}.json"}
        made.append(link)
    for name in below:
        method = "POST" if name.startswith("actions/") else "GET"
        rel = name.removeprefix("actions/").replace("-", "_")
        made.append({"rel": rel, "href": f"{base}/{name}", "method": method})
    return made


def collection(
    ctx: Ctx,
    name: str,
    rows: Sequence[T],
    show: Callable[[T], Any],
    count: int,
    offset: int,
    path: str,
    schema: str,
    **head: Any,
) -> dict[str, Any]:
    """A page of a list of rows: the members of the page under their name, and how many there are in all."""
    page = rows[offset : offset + count]
    return {
        name: [show(row) for row in page], **head, "total_items": len(rows),
        "_links": links(ctx, path, schema, collection=True),
    }  # fmt: skip


def between(value: str, since: str | None, before: str | None) -> bool:
    """Whether a time lies from `since` on and ahead of `before`; an empty one lies nowhere."""
    if since is None and before is None:
        return True
    return bool(value) and (since is None or value >= since) and (before is None or value < before)
