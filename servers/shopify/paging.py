"""Lists: filters that all resources share, `since_id`, and cursors in Link headers. https://shopify.dev/docs/api/usage/pagination-rest

A `page_info` stands for a whole question: where the page before ended, and the filters it was asked with. It takes none beside it.
"""

import base64
import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode

from pydantic import BeforeValidator

from legoenv_mcp.app import MISSING, Ctx, Field, Query, Reply

from .errors import bad
from .resources import parsed

T = TypeVar("T")
TOP = 250
GUIDE = "https://shopify.dev/api/usage/pagination-rest"


def split(value: Any) -> Any:
    """Ids as one text, `1,2,3`, or as a list."""
    if isinstance(value, list):
        return [part for one in value for part in (one.split(",") if isinstance(one, str) else [one])]
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


Limit = Annotated[
    Annotated[int, Field(ge=1)] | MISSING,
    Field(description="How many to return, at most 250; by default 50, for tools 10."),
]
SinceId = Annotated[int | MISSING, Field(description="Only those with greater ids than this, in order of id.")]
PageInfo = Annotated[
    str | MISSING,
    Field(description="The `next_page_info` or `previous_page_info` of an answer; no filters may be given with it."),
]
Fields = Annotated[str | MISSING, Field(description="Comma-separated names of the fields to return.")]
Ids = Annotated[Annotated[list[int], BeforeValidator(split)] | MISSING, Field(description="Only those with these ids.")]
CreatedMin = Annotated[str | MISSING, Field(description="Only those created at or after this ISO 8601 time.")]
CreatedMax = Annotated[str | MISSING, Field(description="Only those created at or before this ISO 8601 time.")]
UpdatedMin = Annotated[str | MISSING, Field(description="Only those changed at or after this ISO 8601 time.")]
UpdatedMax = Annotated[str | MISSING, Field(description="Only those changed at or before this ISO 8601 time.")]
# The same for agents who have enough parameters to choose from.
RestSinceId = Annotated[int | MISSING, Query(mcp=False)]
RestIds = Annotated[Annotated[list[int], BeforeValidator(split)] | MISSING, Query(mcp=False)]
RestTime = Annotated[str | MISSING, Query(mcp=False)]
RestText = Annotated[str | MISSING, Query(mcp=False)]


class Asked:
    """What a list was asked for, by this call or by the one whose `page_info` it carries on. What was not given is None."""

    def __init__(self, values: dict[str, Any], limit: int, place: "tuple[str, Any, int] | None", wanted: str) -> None:
        self.values = values
        self.limit = limit
        self.place = place
        self.wanted = wanted

    def __getattr__(self, name: str) -> Any:
        return self.values.get(name)


def asked(ctx: Ctx) -> Asked:
    """The question of a list operation."""
    given = {name: value for name, value in ctx.sent().items() if value is not MISSING}
    limit = min(given.pop("limit", 50 if ctx.request.method else 10), TOP)
    wanted = str(given.pop("fields", ""))
    if "page" in ctx.request.query:
        raise bad("page", f"page cannot be passed. See {GUIDE} for more information.")
    if "page_info" not in given:
        return Asked(given, limit, None, wanted)
    token = given.pop("page_info")
    for name in given:
        raise bad(name, f"{name} cannot be passed. See {GUIDE} for more information.")
    return _decoded(ctx, token, limit, wanted)


def _decoded(ctx: Ctx, token: str, limit: int, wanted: str) -> Asked:
    operation = ctx.operation
    assert operation is not None
    assert ctx.args is not None
    try:
        made = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        direction, value, last, filters = made["direction"], made["last_value"], made["last_id"], made["filters"]
        if direction not in ("next", "prev") or type(last) is not int or type(value) not in (str, int):
            raise ValueError(token)
        in_path = {n: v for n, v in ctx.args.__dict__.items() if operation.params[n].where == "path"}
        again = operation.model.model_validate({**filters, **in_path})
        sent = {n: v for n, v in again.__dict__.items() if n in filters}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise bad("page_info", "Invalid value.") from None
    return Asked(sent, limit, (direction, value, last), wanted)


def _encoded(direction: str, value: Any, last: int, ask: Asked) -> str:
    filters = {name: value for name, value in ask.values.items() if value is not None}
    made = json.dumps({"direction": direction, "last_id": last, "last_value": value, "filters": filters})
    return base64.urlsafe_b64encode(made.encode()).decode().rstrip("=")


def moment(ctx: Ctx, name: str, text: Any) -> str | None:
    """A time that a caller gave, as the tables have it."""
    if text is None or text is MISSING:
        return None
    try:
        # A plus sign in a query string that was not escaped is a space.
        return stamp(parsed(ctx, re.sub(r" (\d\d:?\d\d)$", r"+\1", text.strip())))
    except (ValueError, OverflowError):
        raise bad(name, "is not a valid date and time") from None


def stamp(time: datetime) -> str:
    """A datetime as the tables have times."""

    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def filters(ctx: Ctx, ask: Asked, *spans: str) -> dict[str, Any]:
    """Filters of the store for `ids`, `since_id` and the bounds of times: `created_at_min` and the like."""
    out: dict[str, Any] = {"id__in": ask.ids, "id__gt": ask.since_id}
    for span in spans or ("created_at", "updated_at"):
        out[f"{span}__ge"] = moment(ctx, f"{span}_min", getattr(ask, f"{span}_min"))
        out[f"{span}__le"] = moment(ctx, f"{span}_max", getattr(ask, f"{span}_max"))
    return out


def listing(
    ctx: Ctx, ask: Asked, name: str, rows: Iterable[T], show: Callable[[T], dict[str, Any]], by: str = "id", *, down: bool = False,
    key: Callable[[T], Any] | None = None,
) -> Reply:  # fmt: skip
    """One page of these rows under a name, ordered by a column (`key` computes what is none) and the id."""
    if ask.since_id is not None:
        by, down, key = "id", False, None

    def place(row: Any) -> tuple[Any, int]:
        return (key(row) if key else row.__dict__[by] or ""), row.id

    try:
        ranked = sorted(((place(row), row) for row in rows), key=lambda pair: pair[0], reverse=down)
        before = after = 0
        if ask.place is not None:
            direction, value, last = ask.place
            edge = (value, last)
            if direction == "next":
                before = sum((p >= edge) if down else (p <= edge) for p, _ in ranked)
            else:
                end = sum((p > edge) if down else (p < edge) for p, _ in ranked)
                before = max(0, end - ask.limit)
                after = len(ranked) - end
    except TypeError:
        raise bad("page_info", "Invalid value.") from None
    shown = ranked[before : len(ranked) - after][: ask.limit]
    body: dict[str, Any] = {name: [show(row) for _, row in shown]}
    links = list[str]()
    ways = [("previous", "prev", shown[0][0])] if shown and before else []
    if shown and before + len(shown) < len(ranked):
        ways.append(("next", "next", shown[-1][0]))
    for word, direction, (value, last) in ways:
        token = _encoded(direction, value, last, ask)
        if not ctx.request.method:
            body[f"{word}_page_info"] = token
            continue
        query = {"limit": ask.limit, **({"fields": ask.wanted} if ask.wanted else {}), "page_info": token}
        links.append(f'<{ctx.request.base}{ctx.request.path}?{urlencode(query)}>; rel="{word}"')
    return Reply(body, headers={"Link": ", ".join(links)} if links else {})
