"""Files of a repository. https://docs.github.com/en/rest/repos/contents"""

import base64
import binascii
import re
from posixpath import normpath
from typing import Annotated, Any

from pydantic import BaseModel, Field

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Query, Reply

from .. import git, refs
from ..accounts import full_name, repository
from ..app import DOCS, WEB, accepts, app
from ..models import Blob, Ref, Repository
from ..pulls import close_mentioned
from ..resources import content_json, git_commit_json
from .branches import new_ref


class Person(BaseModel):
    name: str
    email: str
    date: str | None = None


class PushedFile(BaseModel):
    path: str = Field(description="Path of the file.")
    content: str = Field(description="The file's whole text.")


def _clean(path: str) -> str:
    path = path.strip("/")
    if any(part in ("", ".", "..", ".git") for part in path.split("/")) or "\0" in path:
        raise ApiError(422, "path contains a malformed path component")
    return path


def _at(ctx: Ctx, repo: Repository, ref: str | None) -> tuple[str, str]:
    """The commit that a ref names, and the ref as links show it."""
    sha = git.resolve(ctx, repo, ref or repo.default_branch)
    if sha is None:
        if not ctx.db.first(Ref, repository_id=repo.id):
            raise ApiError(404, "This repository is empty.")
        raise ApiError(
            404, f"No commit found for the ref {ref}", documentation_url="https://docs.github.com/v3/repos/contents/"
        )
    return sha, (ref or repo.default_branch).removeprefix("refs/heads/").removeprefix("refs/tags/")


def _entry(ctx: Ctx, repo: Repository, path: str, ref: str | None) -> tuple[str, str, str]:
    sha, shown = _at(ctx, repo, ref)
    found = git.find(ctx, repo, git.commit(ctx, repo, sha).tree, path)
    if found is None:
        raise ApiError(404, "Not Found", documentation_url=f"{DOCS}/repos/contents#get-repository-content")
    return found[0], found[1], shown


def _listing(ctx: Ctx, repo: Repository, path: str, sha: str, ref: str) -> list[dict[str, Any]]:
    base = f"{path}/" if path else ""
    return [
        content_json(ctx, repo, base + name, mode, inner, ref) for mode, name, inner in git.tree_entries(ctx, repo, sha)
    ]


@app.get("/repos/{owner}/{repo}/contents/{path:path}", tool="get_content", mcp=False)
def get_content(ctx: Ctx, owner: str, repo: str, path: str, ref: str | None = None) -> Any:
    """Gets a file with its content, or a folder's entries; raw with the raw media type."""
    found, path = repository(ctx, owner, repo), path.strip("/")
    mode, sha, shown = _entry(ctx, found, path, ref)
    if mode == git.FOLDER:
        entries = _listing(ctx, found, path, sha, shown)
        if accepts(ctx, "object"):
            return {**content_json(ctx, found, path, mode, sha, shown), "entries": entries}
        return entries
    if mode == git.SUBMODULE:
        module = {"submodule_git_url": _submodule(ctx, found, path, ref)}
        return {**content_json(ctx, found, path, mode, sha, shown, full=True), **module}
    blob = ctx.require(Blob, (found.id, sha))
    if mode == git.SYMLINK and (target := _target(ctx, found, path, blob.content, ref)):
        mode, sha, blob = target
    if accepts(ctx, "raw"):
        return Reply(git.blob_bytes(blob), media_type="application/vnd.github.raw+json; charset=utf-8")
    return content_json(ctx, found, path, mode, sha, shown, full=True)


def _target(ctx: Ctx, repo: Repository, path: str, link: str, ref: str | None) -> tuple[str, str, Blob] | None:
    """The ordinary file of this repository that a symbolic link leads to."""
    place = normpath(f"{path.rpartition('/')[0] or '.'}/{link}")
    if link.startswith("/") or place.startswith(".."):
        return None
    entry = git.find(ctx, repo, git.commit(ctx, repo, _at(ctx, repo, ref)[0]).tree, place)
    blob = ctx.db.get(Blob, (repo.id, entry[1])) if entry and entry[0] in (git.FILE, git.EXECUTABLE) else None
    return (entry[0], entry[1], blob) if entry and blob else None


def _submodule(ctx: Ctx, repo: Repository, path: str, ref: str | None) -> str | None:
    """Where a submodule comes from, as .gitmodules says it."""
    entry = git.find(ctx, repo, git.commit(ctx, repo, _at(ctx, repo, ref)[0]).tree, ".gitmodules")
    blob = ctx.db.get(Blob, (repo.id, entry[1])) if entry else None
    for part in (blob.content if blob else "").split("[submodule "):
        values = dict(re.findall(r"^\s*(path|url)\s*=\s*(.+?)\s*$", part, re.MULTILINE))
        if values.get("path") == path:
            return values.get("url")
    return None


@app.get("/repos/{owner}/{repo}/contents", tool="get_root_content", mcp=False)
def get_root_content(ctx: Ctx, owner: str, repo: str, ref: str | None = None) -> Any:
    """Lists the repository's top folder."""
    return get_content(ctx, owner, repo, "", ref)


@app.get("/repos/{owner}/{repo}/readme", tool="get_readme", mcp=False)
def get_readme(ctx: Ctx, owner: str, repo: str, ref: str | None = None) -> Any:
    """Gets the repository's preferred README."""
    found = repository(ctx, owner, repo)
    sha, _ = _at(ctx, found, ref)
    names = [n for mode, n, _ in git.tree_entries(ctx, found, git.commit(ctx, found, sha).tree) if mode != git.FOLDER]
    readme = next((n for n in names if n.lower().startswith("readme")), None)
    if readme is None:
        raise ApiError(404, "Not Found")
    return get_content(ctx, owner, repo, readme, ref)


@app.get("", tool="get_file_contents")
def get_file_contents(
    ctx: Ctx, owner: str, repo: str, path: str = "/", ref: str | MISSING = MISSING, sha: str | MISSING = MISSING
) -> Any:
    """Gets the contents of a file, with the blob SHA that an update needs, or lists a directory.

    owner: The repository's owner (user or organization).
    repo: The repository's name.
    path: Path of the file or directory; the root directory by default.
    ref: Branch, tag or full git ref (refs/heads/..., refs/tags/..., refs/pull/NUMBER/head); the default branch by default.
    sha: A commit SHA, used instead of ref.
    """
    found, path = repository(ctx, owner, repo), path.strip("/")
    wanted = sha if isinstance(sha, str) else ref if isinstance(ref, str) else None
    mode, blob_sha, shown = _entry(ctx, found, path, wanted)
    if mode == git.FOLDER:
        keys = ("type", "name", "path", "size", "sha")
        return [{key: e[key] for key in keys} for e in _listing(ctx, found, path, blob_sha, shown)]
    if mode == git.SUBMODULE:
        return {"type": "submodule", "name": path.rsplit("/", 1)[-1], "path": path, "sha": blob_sha,
                "submodule_git_url": _submodule(ctx, found, path, wanted)}  # fmt: skip
    blob = ctx.require(Blob, (found.id, blob_sha))
    made = {
        "type": "symlink" if mode == git.SYMLINK else "file", "name": path.rsplit("/", 1)[-1], "path": path, "sha": blob_sha,
        "size": blob.size, "encoding": "utf-8", "content": blob.content,
        "html_url": f"{WEB}/{full_name(ctx, found)}/blob/{shown}/{path}",
    }  # fmt: skip
    if blob.binary:
        made["encoding"] = "base64"
    return made


# Writing


def _put(
    ctx: Ctx, repo: Repository, path: str, message: str, content: bytes, sha: str | None, branch: str | None,
    committer: dict[str, str] | None = None, author: dict[str, str] | None = None,
) -> Reply:  # fmt: skip
    path, target = _clean(path), branch or repo.default_branch
    head = git.branch(ctx, repo, target)
    tree = git.tree_of(ctx, repo, head.sha if head else None)
    there = git.find(ctx, repo, tree, path)
    if there is not None and there[0] == git.FOLDER:
        raise ApiError(422, "path is a directory")
    if there is not None and not sha:
        raise ApiError(422, 'Invalid request.\n\n"sha" wasn\'t supplied.' if ctx.request.method else
            f"File already exists at {path}. You must provide the current file's SHA when updating: its sha as get_file_contents "
            f"gives it for {target}.")  # fmt: skip
    if sha and (there is None or there[1] != sha):
        raise ApiError(409, f"{path} does not match {sha}")
    parts = path.split("/")
    for k in range(1, len(parts)):
        above = git.find(ctx, repo, tree, "/".join(parts[:k]))
        if above is not None and above[0] != git.FOLDER:
            raise ApiError(422, f"{'/'.join(parts[:k])} is a file, not a directory")
    made_sha = git.put_blob(ctx, repo, content)
    mode = there[0] if there else git.FILE
    commit = refs.commit_files(
        ctx,
        repo,
        target,
        {path: (mode, made_sha)},
        message or f"{'Update' if there else 'Create'} {path}",
        author,
        committer,
    )
    finish(ctx, repo, target, message)
    body = {
        "content": content_json(ctx, repo, path, mode, made_sha, target),
        "commit": git_commit_json(ctx, repo, commit),
    }
    return Reply(body, 200 if there else 201)


def finish(ctx: Ctx, repo: Repository, branch: str, message: str) -> None:
    """What a commit's message asks for where it reaches the default branch."""
    if branch == repo.default_branch:
        close_mentioned(ctx, repo, [message])


def _decoded(content: str) -> bytes:
    try:
        return base64.b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ApiError(422, "content is not valid Base64") from None


@app.put("/repos/{owner}/{repo}/contents/{path:path}", tool="create_or_update_file_contents", mcp=False)
def put_content(
    ctx: Ctx, owner: str, repo: str, path: str, message: str, content: str, sha: str | None = None, branch: str | None = None,
    committer: Person | None = None, author: Person | None = None,
) -> Reply:  # fmt: skip
    """Creates a file, or with its current blob sha replaces it, in a commit of its own."""
    found = repository(ctx, owner, repo, "write")
    people = [p.model_dump(exclude_none=True) if p else None for p in (committer, author)]
    return _put(ctx, found, path, message, _decoded(content), sha, branch, *people)


@app.put("", tool="create_or_update_file", effect="update", idempotent=False)
def create_or_update_file(
    ctx: Ctx, owner: str, repo: str, path: str, content: str, message: str, branch: str, sha: str | MISSING = MISSING
) -> Any:
    """Creates or updates a single file in a repository, in a commit of its own. An existing file needs its current blob SHA.

    owner: The repository's owner (user or organization).
    repo: The repository's name.
    path: Path of the file.
    content: The whole new text of the file.
    message: The commit message.
    branch: The branch to commit to.
    sha: The blob SHA of the file being replaced, as get_file_contents gives it; leave out for a new file.
    """
    found = repository(ctx, owner, repo, "write")
    return _put(ctx, found, path, message, content.encode(), sha if isinstance(sha, str) else None, branch)


@app.post("", tool="push_files")
def push_files(ctx: Ctx, owner: str, repo: str, branch: str, files: list[PushedFile], message: str) -> dict[str, Any]:
    """Pushes several files to a branch in one commit. A branch that does not exist is made from the default branch.

    owner: The repository's owner (user or organization).
    repo: The repository's name.
    branch: The branch to push to, e.g. main.
    files: The files, each with its path and whole content.
    message: The commit message.
    """
    found = repository(ctx, owner, repo, "write")
    if not files:
        raise ApiError(422, "files must not be empty")
    changes = dict[str, tuple[str, str] | None]()
    head, first = git.branch(ctx, found, branch), git.branch(ctx, found, found.default_branch)
    if head is None and first is not None:
        new_ref(ctx, found, f"refs/heads/{branch}", first.sha)
        head = git.branch(ctx, found, branch)
    tree = git.tree_of(ctx, found, head.sha if head else None)
    for file in files:
        path = _clean(file.path)
        there = git.find(ctx, found, tree, path)
        changes[path] = (
            there[0] if there and there[0] != git.FOLDER else git.FILE,
            git.put_blob(ctx, found, file.content.encode()),
        )
    commit = refs.commit_files(ctx, found, branch, changes, message)
    finish(ctx, found, branch, message)
    return {"ref": f"refs/heads/{branch}", "object": {"type": "commit", "sha": commit.sha}, "files": sorted(changes)}


def _delete(
    ctx: Ctx, repo: Repository, path: str, message: str, sha: str | None, branch: str | None, author: dict[str, str] | None = None,
    committer: dict[str, str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    path, target = _clean(path), branch or repo.default_branch
    there = git.find(ctx, repo, git.tree_of(ctx, repo, refs.require_branch(ctx, repo, target).sha), path)
    if there is None or there[0] == git.FOLDER:
        raise ApiError(404, "Not Found")
    if sha is not None and there[1] != sha:
        raise ApiError(409, f"{path} does not match {sha}")
    commit = refs.commit_files(ctx, repo, target, {path: None}, message or f"Delete {path}", author, committer)
    finish(ctx, repo, target, message)
    return {"content": None, "commit": git_commit_json(ctx, repo, commit)}


@app.delete("/repos/{owner}/{repo}/contents/{path:path}", tool="delete_file_contents", mcp=False)
def delete_content(
    ctx: Ctx, owner: str, repo: str, path: str, message: Annotated[str, Body()] = "", sha: Annotated[str, Body()] = "",
    branch: Annotated[str | None, Body()] = None, committer: Annotated[Person | None, Body()] = None,
    author: Annotated[Person | None, Body()] = None, queried: Annotated[str, Query("sha")] = "",
    said: Annotated[str, Query("message")] = "", onto: Annotated[str | None, Query("branch")] = None,
) -> dict[str, Any]:  # fmt: skip
    """Deletes a file in a commit of its own; its current blob sha is needed. Clients send the arguments in body or query."""
    found, sha, message = repository(ctx, owner, repo, "write"), sha or queried, message or said
    absent = [f'"{name}"' for name, value in (("message", message), ("sha", sha)) if not value]
    if absent:
        raise ApiError(
            422, f"Invalid request.\n\n{', '.join(absent)} {'was' if len(absent) == 1 else 'were'}n't supplied."
        )
    people = [p.model_dump(exclude_none=True) if p else None for p in (author, committer)]
    return _delete(ctx, found, path, message, sha, branch or onto, *people)


@app.delete("", tool="delete_file", idempotent=False)
def delete_file(ctx: Ctx, owner: str, repo: str, path: str, message: str, branch: str) -> dict[str, Any]:
    """Deletes a file from a branch, in a commit of its own.

    owner: The repository's owner (user or organization).
    repo: The repository's name.
    path: Path of the file.
    message: The commit message.
    branch: The branch to delete the file from.
    """
    return _delete(ctx, repository(ctx, owner, repo, "write"), path, message, None, branch)
