"""Releases. https://docs.github.com/en/rest/releases/releases"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Page, Reply

from .. import git, refs
from ..accounts import full_name, may, me, repository
from ..app import WEB, PageNumber, PerPage, app, failed, not_found, page_of
from ..models import Commit, Ref, Release, Repository
from ..resources import node_id, repo_url, user_json

Latest = Literal["true", "false", "legacy"]


def release_json(ctx: Ctx, repo: Repository, row: Release) -> dict[str, Any]:
    root, web = repo_url(ctx, repo), f"{WEB}/{full_name(ctx, repo)}"
    api, uploads = f"{root}/releases/{row.id}", f"https://uploads.github.com/repos/{full_name(ctx, repo)}"
    return {
        "url": api, "assets_url": f"{api}/assets", "upload_url": f"{uploads}/releases/{row.id}/assets{{?name,label}}",
        "html_url": f"{web}/releases/tag/{row.tag_name}", "id": row.id, "author": user_json(ctx, row.author_id),
        "node_id": node_id("Release", row.id),
        "tag_name": row.tag_name, "target_commitish": row.target_commitish, "name": row.name, "draft": row.draft,
        "prerelease": row.prerelease,
        "created_at": row.created_at, "published_at": row.published_at, "assets": [], "body": row.body, "immutable": False,
        "tarball_url": None if row.draft else f"{root}/tarball/{row.tag_name}",
        "zipball_url": None if row.draft else f"{root}/zipball/{row.tag_name}",
    }  # fmt: skip


def _visible(ctx: Ctx, repo: Repository) -> list[Release]:
    """Newest first; drafts are for people who may push."""
    drafts = may(ctx, repo, me(ctx), "write")
    found = [r for r in ctx.db.find(Release, repository_id=repo.id) if drafts or not r.draft]
    return sorted(found, key=lambda r: (r.created_at, r.id), reverse=True)


def _release(ctx: Ctx, repo: Repository, key: int) -> Release:
    found = ctx.db.get(Release, key)
    if found is None or found.repository_id != repo.id or (found.draft and not may(ctx, repo, me(ctx), "write")):
        raise not_found()
    return found


@app.get("/repos/{owner}/{repo}/releases", tool="list_releases")
def list_releases(ctx: Ctx, owner: str, repo: str, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists a repository's releases, newest first.

    owner: The repository's owner.
    repo: The repository's name.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    return page_of(_visible(ctx, found), perPage, page, lambda r: release_json(ctx, found, r))


@app.get("/repos/{owner}/{repo}/releases/latest", tool="get_latest_release")
def get_latest_release(ctx: Ctx, owner: str, repo: str) -> dict[str, Any]:
    """Gets the latest release: the newest that is neither a draft nor a prerelease.

    owner: The repository's owner.
    repo: The repository's name.
    """
    found = repository(ctx, owner, repo)
    listed = [r for r in _visible(ctx, found) if not r.draft and not r.prerelease]
    chosen = next((r for r in listed if r.make_latest != "false"), next(iter(listed), None))
    if chosen is None:
        raise not_found()
    return release_json(ctx, found, chosen)


@app.get("/repos/{owner}/{repo}/releases/tags/{tag:path}", tool="get_release_by_tag")
def get_release_by_tag(ctx: Ctx, owner: str, repo: str, tag: str) -> dict[str, Any]:
    """Gets the published release of a tag.

    owner: The repository's owner.
    repo: The repository's name.
    tag: The tag's name.
    """
    found = repository(ctx, owner, repo)
    row = next((r for r in _visible(ctx, found) if r.tag_name == tag and not r.draft), None)
    if row is None:
        raise not_found()
    return release_json(ctx, found, row)


@app.get("/repos/{owner}/{repo}/releases/{release_id}", tool="get_release", mcp=False)
def get_release(ctx: Ctx, owner: str, repo: str, release_id: int) -> dict[str, Any]:
    """Gets a release by its id."""
    found = repository(ctx, owner, repo)
    return release_json(ctx, found, _release(ctx, found, release_id))


def _publish(ctx: Ctx, repo: Repository, tag: str, target: str, but: int = 0) -> None:
    """A published release has its tag; one that does not exist is made at the target."""
    if any(r.tag_name == tag and not r.draft and r.id != but for r in ctx.db.find(Release, repository_id=repo.id)):
        raise failed("Release", "tag_name", "already_exists")
    if ctx.db.get(Ref, (repo.id, f"refs/tags/{tag}")) is None:
        sha = git.resolve(ctx, repo, target)
        if sha is None:
            raise failed("Release", "target_commitish", "invalid")
        refs.set_ref(ctx, repo, f"refs/tags/{tag}", sha)


def _check_tag(tag: str) -> None:
    if not git.check_ref(tag):
        error = failed("Release", "tag_name", "custom", "tag_name is not a valid tag")
        raise error


@app.post("/repos/{owner}/{repo}/releases", tool="create_release", status=201)
def create_release(
    ctx: Ctx, owner: str, repo: str, tag_name: str, target_commitish: str | None = None, name: str | None = None, body: str | None = None,
    draft: bool = False, prerelease: bool = False, make_latest: Latest = "true",
) -> dict[str, Any]:  # fmt: skip
    """Publishes a release of a tag, or drafts one. A tag that does not exist is created.

    owner: The repository's owner.
    repo: The repository's name.
    tag_name: The tag's name.
    target_commitish: Branch or commit SHA to tag; unused where the tag exists. The default branch by default.
    name: The release's title.
    body: What is in the release, in Markdown.
    draft: Whether to keep it unpublished.
    prerelease: Whether it is not ready for production.
    make_latest: Whether it becomes the latest release.
    """
    found = repository(ctx, owner, repo, "write")
    _check_tag(tag_name)
    if ctx.db.first(Commit, repository_id=found.id) is None:
        raise failed("Release", code="custom", message="Repository is empty.")
    target = target_commitish or found.default_branch
    if not draft:
        _publish(ctx, found, tag_name, target)
    return release_json(ctx, found, ctx.db.add(Release(
        id=ctx.sequence("release", 187_330_214, 641), repository_id=found.id, tag_name=tag_name, target_commitish=target, name=name,
            body=body,
        draft=draft, prerelease=prerelease, make_latest=make_latest, author_id=me(ctx).id, created_at=ctx.timestamp(),
        published_at=None if draft else ctx.timestamp(),
    )))  # fmt: skip


@app.patch("/repos/{owner}/{repo}/releases/{release_id}", tool="update_release", mcp=False)
def update_release(
    ctx: Ctx, owner: str, repo: str, release_id: int, tag_name: str | MISSING = MISSING, target_commitish: str | MISSING = MISSING,
    name: str | None | MISSING = MISSING, body: str | None | MISSING = MISSING, draft: bool | MISSING = MISSING,
    prerelease: bool | MISSING = MISSING, make_latest: Latest | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a release; draft false publishes it."""
    found = repository(ctx, owner, repo, "write")
    row, changes = _release(ctx, found, release_id), ctx.sent()
    tag = changes.get("tag_name", row.tag_name)
    _check_tag(tag)
    if not changes.get("draft", row.draft):
        _publish(ctx, found, tag, changes.get("target_commitish", row.target_commitish), row.id)
        changes["published_at"] = row.published_at or ctx.timestamp()
    elif not row.draft:
        changes["published_at"] = None
    return release_json(ctx, found, ctx.db.update(row, **changes))


@app.delete("/repos/{owner}/{repo}/releases/{release_id}", tool="delete_release", mcp=False)
def delete_release(ctx: Ctx, owner: str, repo: str, release_id: int) -> Reply:
    """Deletes a release; its tag stays."""
    found = repository(ctx, owner, repo, "write")
    ctx.db.delete(_release(ctx, found, release_id))
    return Reply(None, 204)


@app.get("/repos/{owner}/{repo}/releases/{release_id}/assets", tool="list_release_assets", mcp=False)
def list_release_assets(ctx: Ctx, owner: str, repo: str, release_id: int) -> list[Any]:
    """Lists a release's uploaded files, of which there are none."""
    _release(ctx, repository(ctx, owner, repo), release_id)
    return []
