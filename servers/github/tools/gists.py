"""Gists. https://docs.github.com/en/rest/gists/gists"""

from typing import Any

from legoenv_mcp.app import HEX, MISSING, ApiError, Ctx, Page, Reply

from ..accounts import account, me
from ..app import PageNumber, PerPage, app, base_url, failed, not_found, page_of, when
from ..languages import language_of
from ..models import Account, Gist
from ..resources import user_json


def gist_json(ctx: Ctx, row: Gist, *, full: bool = False) -> dict[str, Any]:
    api, owner = f"{base_url(ctx)}/gists/{row.id}", ctx.require(Account, row.owner_id)
    files = dict[str, Any]()
    for name, content in row.files.items():
        files[name] = {"filename": name, "type": "text/plain", "language": language_of(name, data=True), "size": len(content.encode()),
                       "raw_url": f"https://gist.githubusercontent.com/{owner.login}/{row.id}/raw/{name}"}  # fmt: skip
        if full:
            files[name] |= {"truncated": False, "content": content, "encoding": "utf-8"}
    return {
        "url": api, "forks_url": f"{api}/forks", "commits_url": f"{api}/commits", "id": row.id, "node_id": f"G_{row.id}",
        "git_pull_url": f"https://gist.github.com/{row.id}.git", "git_push_url": f"https://gist.github.com/{row.id}.git",
        "html_url": f"https://gist.github.com/{owner.login}/{row.id}", "files": files, "public": row.public, "created_at": row.created_at,
        "updated_at": row.updated_at, "description": row.description, "comments": 0, "user": None, "comments_url": f"{api}/comments",
        "owner": user_json(ctx, owner), "truncated": False,
    }  # fmt: skip


def _gist(ctx: Ctx, key: str, *, own: bool = False) -> Gist:
    found = ctx.db.get(Gist, key)
    if found is None or (own and found.owner_id != me(ctx).id):
        raise not_found()
    return found


def _create(ctx: Ctx, files: dict[str, str], description: str | None, public: bool) -> dict[str, Any]:
    if not files:
        raise failed("Gist", "files", "missing_field")
    for name, content in files.items():
        if not name or "/" in name or not content:
            raise failed("Gist", "files", "missing_field" if not content else "invalid")
    now = ctx.timestamp()
    row = Gist(
        id=ctx.id("", 32, HEX, kind="gist"),
        owner_id=me(ctx).id,
        description=description,
        public=public,
        files=files,
        created_at=now,
        updated_at=now,
    )
    return gist_json(ctx, ctx.db.add(row), full=True)


@app.post("/gists", tool="create_gist_rest", status=201, mcp=False)
def create_gist_rest(
    ctx: Ctx, files: dict[str, dict[str, Any]], description: str | None = None, public: bool = False
) -> dict[str, Any]:
    """Creates a gist."""
    return _create(ctx, {name: str(file.get("content") or "") for name, file in files.items()}, description, public)


@app.post("", tool="create_gist", status=201)
def create_gist(
    ctx: Ctx, filename: str, content: str, description: str | MISSING = MISSING, public: bool = False
) -> dict[str, Any]:
    """Creates a gist with one file.

    filename: Name of the file.
    content: The file's text.
    description: What the gist is.
    public: Whether it is listed publicly.
    """
    return _create(ctx, {filename: content}, description if isinstance(description, str) else None, public)


@app.get("/gists", tool="list_gists_rest", mcp=False)
def list_gists_rest(ctx: Ctx, since: str | None = None, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists the authenticated user's gists."""
    return _list(ctx, me(ctx), since, perPage, page)


@app.get("/users/{username}/gists", tool="list_gists_for_user", mcp=False)
def list_for_user(
    ctx: Ctx, username: str, since: str | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:
    """Lists a user's public gists."""
    return _list(ctx, account(ctx, username), since, perPage, page)


def _list(ctx: Ctx, owner: Account, since: str | None, per_page: int, page: int) -> Page[Any]:
    rows = ctx.db.find(Gist, order="-updated_at", owner_id=owner.id)
    rows = [
        r
        for r in rows
        if (r.public or owner.id == me(ctx).id) and (not since or when(r.updated_at, "since") >= when(since, "since"))
    ]
    return page_of(rows, per_page, page, lambda r: gist_json(ctx, r))


@app.get("", tool="list_gists")
def list_gists(
    ctx: Ctx, username: str | MISSING = MISSING, since: str | MISSING = MISSING, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists gists of a user, or your own.

    username: Whose gists; your own by default.
    since: Only gists updated after this ISO 8601 time.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    owner = account(ctx, username) if isinstance(username, str) else me(ctx)
    return _list(ctx, owner, since if isinstance(since, str) else None, perPage, page)


@app.get("/gists/{gist_id}", tool="get_gist")
def get_gist(ctx: Ctx, gist_id: str) -> dict[str, Any]:
    """Gets a gist with the content of its files.

    gist_id: The gist's id.
    """
    return gist_json(ctx, _gist(ctx, gist_id), full=True)


@app.patch("/gists/{gist_id}", tool="update_gist_rest", mcp=False)
def update_gist_rest(
    ctx: Ctx,
    gist_id: str,
    description: str | None | MISSING = MISSING,
    files: dict[str, dict[str, Any] | None] | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes a gist: files are rewritten, renamed, or with null removed."""
    row = _gist(ctx, gist_id, own=True)
    after = dict(row.files)
    for name, change in (files if isinstance(files, dict) else {}).items():
        if change is None:
            after.pop(name, None)
            continue
        content = change.get("content", after.get(name, ""))
        new_name = change.get("filename") or name
        if not isinstance(content, str) or not content or not isinstance(new_name, str):
            raise failed("Gist", "files", "missing_field")
        after.pop(name, None)
        after[new_name] = content
    return _change(ctx, row, after, {"description": description} if description is not MISSING else {})


def _change(ctx: Ctx, row: Gist, files: dict[str, str], more: dict[str, Any]) -> dict[str, Any]:
    if not files:
        raise failed("Gist", "files", "missing_field")
    return gist_json(ctx, ctx.db.update(row, files=files, updated_at=ctx.timestamp(), **more), full=True)


@app.patch("", tool="update_gist")
def update_gist(
    ctx: Ctx, gist_id: str, filename: str, content: str, description: str | MISSING = MISSING
) -> dict[str, Any]:
    """Writes a file of one of your gists, and optionally its description.

    gist_id: The gist's id.
    filename: The file to write or add.
    content: The file's whole new text.
    description: New description.
    """
    if not content:
        raise ApiError(422, 'Invalid request.\n\n"content" must not be empty.')
    row = _gist(ctx, gist_id, own=True)
    return _change(
        ctx, row, {**row.files, filename: content}, {"description": description} if isinstance(description, str) else {}
    )


@app.delete("/gists/{gist_id}", tool="delete_gist", mcp=False)
def delete_gist(ctx: Ctx, gist_id: str) -> Reply:
    """Deletes a gist."""
    ctx.db.delete(_gist(ctx, gist_id, own=True))
    return Reply(None, 204)
