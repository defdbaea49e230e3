"""Search of users and organisations. https://docs.github.com/en/rest/search/search#search-users"""

from typing import Any, Literal

from legoenv_mcp.app import Ctx, Page

from .. import query
from ..accounts import me
from ..app import WEB, PageNumber, PerPage, app
from ..finders import places, sort_of
from ..models import Account, Repository
from ..query import Qualifier, Value, date, mentions, number
from ..resources import user_json
from .search import Order, answer, checked

_USER_WORDS = {"type", "in", "repos", "location", "followers", "created", "fullname", "user", "org", "sort", "is"}
_USER_CHOICES = {"type": {"user", "org"}, "in": {"login", "name", "email", "fullname"}}


def _users(
    ctx: Ctx, text: str, kind: str | None, sort: str | None, order: str | None, per_page: int, page: int
) -> Page[Any]:
    tree = checked(ctx, text, _USER_WORDS, _USER_CHOICES)
    where = places(tree, {"login", "name", "email", "fullname"})
    found = list[tuple[float, Account]]()
    for row in ctx.db.find(Account, type=kind, suspended=False):

        def text_in(needle: str, row: Account = row) -> bool:
            hits = [needle.lower() in row.login.lower()] * ("login" in where) + [mentions(needle, row.name)] * bool(
                {"name", "fullname"} & where
            )
            return any(hits) or ("email" in where and mentions(needle, row.email))

        def qualifier(node: Qualifier, row: Account = row) -> bool:
            return node.name in ("in", "sort", "is") or any(_user_test(ctx, node.name, v, row) for v in node.values)

        if query.holds(tree, qualifier, text_in):
            found.append((1.0, row))
    by, way = sort_of(tree, sort, order)
    if by == "joined":
        found.sort(key=lambda pair: (pair[1].created_at, pair[1].id), reverse=way == "desc")
    elif by == "repositories":
        found.sort(key=lambda pair: (ctx.db.count(Repository, owner_id=pair[1].id), pair[1].id), reverse=way == "desc")

    def show(row: Account) -> dict[str, Any]:
        if not ctx.request.method:
            return {
                "login": row.login,
                "id": row.id,
                "name": row.name,
                "type": row.type,
                "html_url": f"{WEB}/{row.login}",
            }
        return user_json(ctx, row) or {}

    return answer(found, per_page, page, show)


def _user_test(ctx: Ctx, name: str, value: Value, row: Account) -> bool:
    text = value.text.lower()
    match name:
        case "type":
            return row.type == ("Organization" if text == "org" else "User")
        case "repos":
            return number(value, ctx.db.count(Repository, owner_id=row.id))
        case "followers":
            return number(value, 0)
        case "location":
            return mentions(text, row.location)
        case "created":
            return date(value, row.created_at)
        case "fullname":
            return mentions(text, row.name)
        case _:
            return row.login.lower() == text.removeprefix("@") or (text == "@me" and row.id == me(ctx).id)


UserSort = Literal["followers", "repositories", "joined"]


@app.get("/search/users", tool="search_users_rest", mcp=False)
def search_users_rest(
    ctx: Ctx, q: str = "", sort: UserSort | None = None, order: Order | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Searches users and organisations."""
    return _users(ctx, q, None, sort, order, perPage, page)


@app.get("", tool="search_users")
def search_users(
    ctx: Ctx, query: str, sort: UserSort | None = None, order: Order | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Searches users by name, login or e-mail, to find someone's login.

    query: Words and qualifiers (in, location, created, repos).
    sort: What to sort by; best match by default.
    order: Which way to sort.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    return _users(ctx, query, "User", sort, order, perPage, page)


@app.get("", tool="search_orgs")
def search_orgs(
    ctx: Ctx, query: str, sort: UserSort | None = None, order: Order | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Searches organizations by name or login.

    query: Words and qualifiers (in, location, created, repos).
    sort: What to sort by; best match by default.
    order: Which way to sort.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    return _users(ctx, query, "Organization", sort, order, perPage, page)
