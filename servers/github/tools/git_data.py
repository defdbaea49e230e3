"""The Git database. https://docs.github.com/en/rest/git"""

import base64
import binascii
import re
from typing import Any, Literal

from pydantic import BaseModel

from legoenv_mcp.app import MISSING, ApiError, Ctx, Reply

from .. import git, pulls, refs
from ..accounts import repository
from ..app import app, not_found
from ..models import Blob, Commit, Protection, Ref, Repository, TagObject, Tree
from ..resources import encoded, git_commit_json, ref_json, repo_url
from .branches import new_ref


class Identity(BaseModel):
    name: str
    email: str
    date: str | None = None


class TreeEntry(BaseModel):
    path: str
    mode: Literal["100644", "100755", "040000", "160000", "120000"] = "100644"
    type: Literal["blob", "tree", "commit"] | None = None
    sha: str | None | MISSING = MISSING
    content: str | MISSING = MISSING


_SHA = re.compile(r"[0-9a-f]{40}")


@app.post("/repos/{owner}/{repo}/git/blobs", tool="create_blob", status=201, mcp=False)
def create_blob(
    ctx: Ctx, owner: str, repo: str, content: str, encoding: Literal["utf-8", "base64"] = "utf-8"
) -> dict[str, Any]:
    """Creates a blob."""
    found = repository(ctx, owner, repo, "write")
    try:
        data = content.encode() if encoding == "utf-8" else base64.b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ApiError(422, "content is not valid Base64") from None
    sha = git.put_blob(ctx, found, data)
    return {"sha": sha, "url": f"{repo_url(ctx, found)}/git/blobs/{sha}"}


@app.get("/repos/{owner}/{repo}/git/blobs/{file_sha}", tool="get_blob", mcp=False)
def get_blob(ctx: Ctx, owner: str, repo: str, file_sha: str) -> Any:
    """Gets a blob in Base64, or raw with the raw media type."""
    found = repository(ctx, owner, repo)
    blob = ctx.require(Blob, (found.id, file_sha))
    if ".raw" in ctx.request.headers.get("accept", ""):
        return Reply(git.blob_bytes(blob), media_type="application/vnd.github.raw+json; charset=utf-8")
    return {
        "sha": blob.sha, "node_id": f"B_{blob.sha[:20]}", "size": blob.size, "url": f"{repo_url(ctx, found)}/git/blobs/{blob.sha}",
        "content": encoded(git.blob_bytes(blob)), "encoding": "base64",
    }  # fmt: skip


def _tree_json(ctx: Ctx, repo: Repository, sha: str, recursive: bool) -> dict[str, Any]:
    api = f"{repo_url(ctx, repo)}/git"
    rows = (
        list(git.walk(ctx, repo, sha))
        if recursive
        else [(name, mode, inner) for mode, name, inner in git.tree_entries(ctx, repo, sha)]
    )

    def show(path: str, mode: str, inner: str) -> dict[str, Any]:
        kind = "tree" if mode == git.FOLDER else "commit" if mode == git.SUBMODULE else "blob"
        made: dict[str, Any] = {
            "path": path,
            "mode": mode.zfill(6),
            "type": kind,
            "sha": inner,
            "url": f"{api}/{kind}s/{inner}",
        }
        blob = ctx.db.get(Blob, (repo.id, inner)) if kind == "blob" else None
        return {**made, "size": blob.size} if blob else made

    return {"sha": sha, "url": f"{api}/trees/{sha}", "tree": [show(*row) for row in rows], "truncated": False}


def _tree_sha(ctx: Ctx, repo: Repository, text: str) -> str:
    if ctx.db.get(Tree, (repo.id, text)):
        return text
    sha = git.resolve(ctx, repo, text)
    if sha is None:
        raise not_found()
    return git.commit(ctx, repo, sha).tree


@app.get("/repos/{owner}/{repo}/git/trees/{tree_sha:path}", tool="get_tree", mcp=False)
def get_tree(ctx: Ctx, owner: str, repo: str, tree_sha: str, recursive: str | None = None) -> dict[str, Any]:
    """Gets a tree by its sha or by a ref; with any value of `recursive` the whole of it."""
    found = repository(ctx, owner, repo)
    return _tree_json(ctx, found, _tree_sha(ctx, found, tree_sha), recursive is not None)


@app.get("", tool="get_repository_tree")
def get_repository_tree(
    ctx: Ctx,
    owner: str,
    repo: str,
    tree_sha: str | MISSING = MISSING,
    recursive: bool = False,
    path_filter: str | MISSING = MISSING,
) -> dict[str, Any]:
    """Gets the tree (files and directories) of a repository at a ref.

    owner: The repository's owner (user or organization).
    repo: The repository's name.
    tree_sha: SHA of the tree, or a branch or tag name; the default branch by default.
    recursive: Whether to list what lies in subdirectories too.
    path_filter: Only paths that start with this prefix, e.g. src/.
    """
    found = repository(ctx, owner, repo)
    sha = _tree_sha(ctx, found, tree_sha if isinstance(tree_sha, str) and tree_sha else found.default_branch)
    whole = _tree_json(ctx, found, sha, recursive)
    prefix = path_filter if isinstance(path_filter, str) else ""
    rows = [
        {k: row[k] for k in ("path", "type", "size", "sha") if k in row}
        for row in whole["tree"]
        if row["path"].startswith(prefix)
    ]
    return {"sha": sha, "truncated": False, "count": len(rows), "tree": rows}


@app.post("/repos/{owner}/{repo}/git/trees", tool="create_tree", status=201, mcp=False)
def create_tree(ctx: Ctx, owner: str, repo: str, tree: list[TreeEntry], base_tree: str | None = None) -> dict[str, Any]:
    """Creates a tree, from a base tree or from nothing; an entry with sha null deletes its path."""
    found = repository(ctx, owner, repo, "write")
    if not tree:
        raise ApiError(422, "Invalid tree info")
    if base_tree and ctx.db.get(Tree, (found.id, base_tree)) is None:
        base = ctx.db.get(Commit, (found.id, base_tree))
        if base is None:
            raise ApiError(422, "base_tree is not a valid tree oid")
        base_tree = base.tree
    changes = dict[str, tuple[str, str] | None]()
    for entry in tree:
        path = entry.path
        if (
            not path
            or path.startswith("/")
            or path.endswith("/")
            or any(p in ("", ".", "..", ".git") for p in path.split("/"))
        ):
            raise ApiError(422, "tree.path contains a malformed path component")
        if isinstance(entry.content, str):
            if isinstance(entry.sha, str):
                raise ApiError(422, "Must supply either tree.sha or tree.content")
            changes[path] = (entry.mode, git.put_blob(ctx, found, entry.content.encode()))
        elif entry.sha is None:
            changes[path] = None
        elif isinstance(entry.sha, str):
            mode = git.FOLDER if entry.mode == "040000" else entry.mode
            kind = Tree if mode == git.FOLDER else Blob
            if mode != git.SUBMODULE and ctx.db.get(kind, (found.id, entry.sha)) is None:
                raise ApiError(422, f"tree.sha {entry.sha} is not a valid {'tree' if kind is Tree else 'blob'}")
            if not _SHA.fullmatch(entry.sha):
                raise ApiError(422, f"tree.sha {entry.sha} is not a valid object name")
            changes[path] = (mode, entry.sha)
        else:
            raise ApiError(422, "Must supply either tree.sha or tree.content")
    return _tree_json(ctx, found, git.write_tree(ctx, found, base_tree or git.EMPTY_TREE, changes), False)


@app.post("/repos/{owner}/{repo}/git/commits", tool="create_git_commit", status=201, mcp=False)
def create_commit(
    ctx: Ctx, owner: str, repo: str, message: str, tree: str, parents: list[str] = [], author: Identity | None = None,  # noqa: B006
    committer: Identity | None = None, signature: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a commit that no ref names yet."""
    found = repository(ctx, owner, repo, "write")
    if ctx.db.get(Tree, (found.id, tree)) is None:
        raise ApiError(422, "Tree SHA does not exist")
    for parent in parents:
        if ctx.db.get(Commit, (found.id, parent)) is None:
            raise ApiError(422, "Parent SHA does not exist or is not a commit object")
    who = refs.signature(ctx, author.model_dump(exclude_none=True) if author else None)
    by = refs.signature(ctx, committer.model_dump(exclude_none=True)) if committer else who
    return git_commit_json(ctx, found, git.put_commit(ctx, found, tree, parents, message, who, by))


@app.get("/repos/{owner}/{repo}/git/commits/{commit_sha}", tool="get_git_commit", mcp=False)
def get_git_commit(ctx: Ctx, owner: str, repo: str, commit_sha: str) -> dict[str, Any]:
    """Gets a commit object."""
    found = repository(ctx, owner, repo)
    return git_commit_json(ctx, found, git.commit(ctx, found, commit_sha))


# Refs


@app.get("/repos/{owner}/{repo}/git/ref/{ref:path}", tool="get_ref", mcp=False)
def get_ref(ctx: Ctx, owner: str, repo: str, ref: str) -> dict[str, Any]:
    """Gets one ref: heads/NAME or tags/NAME."""
    found = repository(ctx, owner, repo)
    row = ctx.db.get(Ref, (found.id, refs.full_ref(ref)))
    if row is None:
        raise not_found()
    return ref_json(ctx, found, row.name, row.sha)


@app.get("/repos/{owner}/{repo}/git/matching-refs/{ref:path}", tool="list_matching_refs", mcp=False)
def matching_refs(ctx: Ctx, owner: str, repo: str, ref: str) -> list[Any]:
    """Lists the refs that start with a prefix."""
    found = repository(ctx, owner, repo)
    rows = ctx.db.find(Ref, repository_id=found.id, name__startswith=refs.full_ref(ref))
    return [ref_json(ctx, found, r.name, r.sha) for r in rows]


@app.get("/repos/{owner}/{repo}/git/refs", tool="list_refs", mcp=False)
def list_refs(ctx: Ctx, owner: str, repo: str) -> list[Any]:
    """Lists all refs."""
    found = repository(ctx, owner, repo)
    return [ref_json(ctx, found, r.name, r.sha) for r in ctx.db.find(Ref, repository_id=found.id)]


@app.post("/repos/{owner}/{repo}/git/refs", tool="create_ref", status=201, mcp=False)
def create_ref(ctx: Ctx, owner: str, repo: str, ref: str, sha: str) -> dict[str, Any]:
    """Creates a ref: refs/heads/NAME or refs/tags/NAME."""
    return new_ref(ctx, repository(ctx, owner, repo, "write"), ref, sha)


@app.patch("/repos/{owner}/{repo}/git/refs/{ref:path}", tool="update_ref", mcp=False)
def update_ref(ctx: Ctx, owner: str, repo: str, ref: str, sha: str, force: bool = False) -> dict[str, Any]:
    """Moves a ref; only forward unless forced."""
    found = repository(ctx, owner, repo, "write")
    row = ctx.db.get(Ref, (found.id, refs.full_ref(ref)))
    if row is None:
        raise ApiError(422, "Reference does not exist")
    if ctx.db.get(Commit, (found.id, git.peel(ctx, found, sha))) is None:
        raise ApiError(422, "Object does not exist")
    branch = row.name.removeprefix("refs/heads/") if row.name.startswith("refs/heads/") else ""
    before = row.sha
    if git.peel(ctx, found, before) not in git.ancestors(ctx, found, git.peel(ctx, found, sha)):
        if not force:
            raise ApiError(422, "Update is not a fast forward")
        rule = ctx.db.get(Protection, (found.id, branch))
        if rule is not None and not rule.allow_force_pushes:
            raise ApiError(422, "Repository rule violations found\n\nCannot force-push to this branch")
    if branch:
        refs.guard_push(ctx, found, branch)
    refs.set_ref(ctx, found, row.name, sha)
    if branch:
        pulls.landed(ctx, found, branch, sha, before)
    return ref_json(ctx, found, row.name, sha)


@app.delete("/repos/{owner}/{repo}/git/refs/{ref:path}", tool="delete_ref", mcp=False)
def delete_ref(ctx: Ctx, owner: str, repo: str, ref: str) -> Reply:
    """Deletes a ref; a branch takes its open pull requests with it."""
    found = repository(ctx, owner, repo, "write")
    name = refs.full_ref(ref)
    if name.startswith("refs/heads/"):
        pulls.delete_branch(ctx, found, name.removeprefix("refs/heads/"))
        return Reply(None, 204)
    row = ctx.db.get(Ref, (found.id, name))
    if row is None:
        raise ApiError(422, "Reference does not exist")
    ctx.db.delete(row)
    return Reply(None, 204)


@app.delete("", tool="delete_branch", idempotent=False)
def delete_branch(ctx: Ctx, owner: str, repo: str, branch: str) -> dict[str, Any]:
    """Deletes a branch. Open pull requests from it or onto it are closed.

    owner: The repository's owner.
    repo: The repository's name.
    branch: The branch to delete; the default branch can not be deleted.
    """
    pulls.delete_branch(ctx, repository(ctx, owner, repo, "write"), branch)
    return {"message": f"Branch {branch} deleted"}


# Tag objects


def _tag_json(ctx: Ctx, repo: Repository, tag: TagObject) -> dict[str, Any]:
    api = f"{repo_url(ctx, repo)}/git"
    return {
        "node_id": f"TA_{tag.sha[:20]}", "tag": tag.tag, "sha": tag.sha, "url": f"{api}/tags/{tag.sha}", "message": tag.message,
        "tagger": {"name": tag.tagger_name, "email": tag.tagger_email, "date": tag.tagger_date},
        "object": {"type": tag.object_type, "sha": tag.object_sha, "url": f"{api}/{tag.object_type}s/{tag.object_sha}"},
        "verification": {"verified": False, "reason": "unsigned", "signature": None, "payload": None},
    }  # fmt: skip


@app.post("/repos/{owner}/{repo}/git/tags", tool="create_tag", status=201, mcp=False)
def create_tag(
    ctx: Ctx, owner: str, repo: str, tag: str, message: str, object: str, type: Literal["commit", "tree", "blob"],
    tagger: Identity | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates an annotated tag's object; a ref has to name it yet."""
    found = repository(ctx, owner, repo, "write")
    if type != "commit" or ctx.db.get(Commit, (found.id, object)) is None:
        raise ApiError(422, "Object does not exist or is not a commit")
    who = refs.signature(ctx, tagger.model_dump(exclude_none=True) if tagger else None)
    content = f"object {object}\ntype {type}\ntag {tag}\ntagger {who.line()}\n\n{message}"
    sha = git.object_sha("tag", content.encode())
    row = ctx.db.get(TagObject, (found.id, sha)) or ctx.db.add(TagObject(
        repository_id=found.id, sha=sha, tag=tag, message=message, object_sha=object, object_type=type, tagger_name=who.name,
        tagger_email=who.email, tagger_date=who.date,
    ))  # fmt: skip
    return _tag_json(ctx, found, row)


@app.get("/repos/{owner}/{repo}/git/tags/{tag_sha}", tool="get_tag_object", mcp=False)
def get_tag_object(ctx: Ctx, owner: str, repo: str, tag_sha: str) -> dict[str, Any]:
    """Gets an annotated tag's object."""
    found = repository(ctx, owner, repo)
    return _tag_json(ctx, found, ctx.require(TagObject, (found.id, tag_sha)))
