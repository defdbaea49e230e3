"""Git's object model over tables: blobs, trees and commits named by the SHA-1 of their canonical bytes, refs, and history."""

import base64
import hashlib
import heapq
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from legoenv_mcp.app import ApiError, Ctx

from .models import Account, Blob, Commit, Pull, Ref, Repository, TagObject, Tree

FILE, EXECUTABLE, SYMLINK, FOLDER, SUBMODULE = "100644", "100755", "120000", "40000", "160000"
_BAD_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^/|/$|\.$|\.lock(/|$)|(^|/)\.|^@$|^-")

Files = dict[str, tuple[str, str]]
"""A tree laid flat: path -> (mode, blob sha)."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Who and when; `date` is RFC 3339."""

    name: str
    email: str
    date: str

    def line(self) -> str:
        return f"{self.name} <{self.email}> {int(Ctx.parse_time(self.date).timestamp())} +0000"


def object_sha(kind: str, content: bytes) -> str:
    """The name git gives to an object."""
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()


EMPTY_TREE = object_sha("tree", b"")


# Blobs and trees


def put_blob(ctx: Ctx, repo: Repository, content: bytes) -> str:
    sha = object_sha("blob", content)
    if ctx.db.get(Blob, (repo.id, sha)) is None:
        try:
            text, binary = content.decode(), b"\0" in content
        except UnicodeDecodeError:
            text, binary = "", True
        if binary:
            text = base64.b64encode(content).decode()
        ctx.db.add(Blob(repository_id=repo.id, sha=sha, size=len(content), binary=binary, content=text))
    return sha


def blob_bytes(blob: Blob) -> bytes:
    return base64.b64decode(blob.content) if blob.binary else blob.content.encode()


def put_tree(ctx: Ctx, repo: Repository, entries: Iterable[tuple[str, str, str]]) -> str:
    """Stores (mode, name, sha) entries; git sorts folders as if their names ended in a slash."""
    ordered = sorted(entries, key=lambda e: (e[1] + "/" if e[0] == FOLDER else e[1]).encode())
    content = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(sha) for mode, name, sha in ordered)
    sha = object_sha("tree", content)
    if ctx.db.get(Tree, (repo.id, sha)) is None:
        ctx.db.add(Tree(repository_id=repo.id, sha=sha, entries=[list(entry) for entry in ordered]))
    return sha


def tree_entries(ctx: Ctx, repo: Repository, sha: str) -> list[tuple[str, str, str]]:
    tree = ctx.db.get(Tree, (repo.id, sha))
    return [(mode, name, entry) for mode, name, entry in tree.entries] if tree else []


def walk(ctx: Ctx, repo: Repository, sha: str, prefix: str = "") -> Iterator[tuple[str, str, str]]:
    """Every entry below a tree, folders before what they hold: (path, mode, sha)."""
    for mode, name, entry in tree_entries(ctx, repo, sha):
        yield prefix + name, mode, entry
        if mode == FOLDER:
            yield from walk(ctx, repo, entry, f"{prefix}{name}/")


def files(ctx: Ctx, repo: Repository, tree: str) -> Files:
    return {path: (mode, sha) for path, mode, sha in walk(ctx, repo, tree) if mode != FOLDER}


def find(ctx: Ctx, repo: Repository, tree: str, path: str) -> tuple[str, str] | None:
    """(mode, sha) of what lies at a path; the tree itself for the empty path."""
    found = (FOLDER, tree)
    for part in filter(None, path.split("/")):
        if found[0] != FOLDER:
            return None
        inner = {name: (mode, sha) for mode, name, sha in tree_entries(ctx, repo, found[1])}
        if part not in inner:
            return None
        found = inner[part]
    return found


def write_tree(ctx: Ctx, repo: Repository, base: str, changes: Mapping[str, tuple[str, str] | None]) -> str:
    """The tree that changes (path -> (mode, sha), None deletes) make of a base tree. Only folders touched are rewritten."""
    here = {name: (mode, sha) for mode, name, sha in tree_entries(ctx, repo, base)}
    below = dict[str, dict[str, tuple[str, str] | None]]()
    for path, change in changes.items():
        head, slash, rest = path.partition("/")
        if slash:
            below.setdefault(head, {})[rest] = change
        elif change is None:
            here.pop(head, None)
        else:
            here[head] = change
    for name, inner in below.items():
        mode, sha = here.get(name, (FOLDER, EMPTY_TREE))
        made = write_tree(ctx, repo, sha if mode == FOLDER else EMPTY_TREE, inner)
        if made == EMPTY_TREE:
            if mode == FOLDER:
                here.pop(name, None)
        else:
            here[name] = (FOLDER, made)
    return put_tree(ctx, repo, [(mode, name, sha) for name, (mode, sha) in here.items()])


# Commits


def put_commit(
    ctx: Ctx, repo: Repository, tree: str, parents: list[str], message: str, author: Signature, committer: Signature | None = None,
    branch: str = "",
) -> Commit:  # fmt: skip
    committer = committer or author
    lines = [
        f"tree {tree}",
        *(f"parent {p}" for p in parents),
        f"author {author.line()}",
        f"committer {committer.line()}",
    ]
    sha = object_sha("commit", ("\n".join(lines) + "\n\n" + message).encode())
    found = ctx.db.get(Commit, (repo.id, sha))
    if found is not None:
        return found
    return ctx.db.add(Commit(
        repository_id=repo.id, sha=sha, tree=tree, parents=parents, message=message, branch=branch,
        author_name=author.name, author_email=author.email, author_date=author.date, author_id=_by_email(ctx, author.email),
        committer_name=committer.name, committer_email=committer.email, committer_date=committer.date,
        committer_id=_by_email(ctx, committer.email),
    ))  # fmt: skip


def _by_email(ctx: Ctx, email: str) -> int | None:
    user = ctx.db.first(Account, email=email, type="User")
    return user.id if user else None


def commit(ctx: Ctx, repo: Repository, sha: str) -> Commit:
    found = ctx.db.get(Commit, (repo.id, sha))
    if found is None:
        raise ApiError(404, "Not Found")
    return found


def tree_of(ctx: Ctx, repo: Repository, sha: str | None) -> str:
    return commit(ctx, repo, sha).tree if sha else EMPTY_TREE


def subject(message: str) -> str:
    return message.split("\n", 1)[0]


def history(ctx: Ctx, repo: Repository, start: str, stop: frozenset[str] | set[str] = frozenset()) -> list[Commit]:
    """Commits reachable from `start` and not in `stop`: latest first, no parent before its child."""
    rows = {c.sha: c for c in ctx.db.find(Commit, repository_id=repo.id)}
    reached, stack = set[str](), [start]
    while stack:
        sha = stack.pop()
        if sha not in reached and sha not in stop and sha in rows:
            reached.add(sha)
            stack += rows[sha].parents
    children = dict.fromkeys(reached, 0)
    for sha in reached:
        for parent in rows[sha].parents:
            if parent in children:
                children[parent] += 1
    order, out, n = list[tuple[tuple[int, ...], int, str]](), list[Commit](), 0

    def push(sha: str) -> None:
        nonlocal n
        n += 1
        heapq.heappush(order, ((-int(Ctx.parse_time(rows[sha].committer_date).timestamp()),), n, sha))

    for sha in sorted(s for s, count in children.items() if not count):
        push(sha)
    while order:
        found = rows[heapq.heappop(order)[2]]
        out.append(found)
        for parent in found.parents:
            if parent in children:
                children[parent] -= 1
                if not children[parent]:
                    push(parent)
    return out


def ancestors(ctx: Ctx, repo: Repository, start: str) -> set[str]:
    """`start` and everything it descends from."""
    reached, stack = set[str](), [start]
    while stack:
        sha = stack.pop()
        if sha not in reached and (row := ctx.db.get(Commit, (repo.id, sha))):
            reached.add(sha)
            stack += row.parents
    return reached


def merge_base(ctx: Ctx, repo: Repository, one: str, other: str) -> str | None:
    """The best common ancestor: one that no other common ancestor descends from (the latest, where there are several)."""
    common = ancestors(ctx, repo, one) & ancestors(ctx, repo, other)
    rows = [commit(ctx, repo, sha) for sha in common]
    inner = {sha for row in rows for parent in row.parents for sha in ancestors(ctx, repo, parent)}
    best = sorted((r for r in rows if r.sha not in inner), key=lambda r: (r.committer_date, r.sha))
    return best[-1].sha if best else None


# Refs


def check_ref(name: str) -> bool:
    """Whether git takes the (short or full) ref name."""
    return bool(name) and len(name) < 250 and not _BAD_REF.search(name)


def branch(ctx: Ctx, repo: Repository, name: str) -> Ref | None:
    return ctx.db.get(Ref, (repo.id, f"refs/heads/{name}"))


def peel(ctx: Ctx, repo: Repository, sha: str) -> str:
    """The commit behind an annotated tag, else the sha itself."""
    tag = ctx.db.get(TagObject, (repo.id, sha))
    return peel(ctx, repo, tag.object_sha) if tag else sha


def resolve(ctx: Ctx, repo: Repository, text: str) -> str | None:
    """The commit that a branch, tag, full ref, `HEAD` or (shortened) sha names."""
    if text in ("", "HEAD"):
        text = repo.default_branch
    short = text.removeprefix("refs/")
    for name in (f"refs/heads/{text}", f"refs/tags/{text}", f"refs/{short}"):
        if found := ctx.db.get(Ref, (repo.id, name)):
            return peel(ctx, repo, found.sha)
    if offered := re.fullmatch(r"pull/(\d{1,9})/head", short):
        pull = ctx.db.first(Pull, repository_id=repo.id, number=int(offered[1]))
        return pull.head_sha if pull else None
    if re.fullmatch(r"[0-9a-f]{40}", text):
        sha = peel(ctx, repo, text)
        return sha if ctx.db.get(Commit, (repo.id, sha)) else None
    if re.fullmatch(r"[0-9a-f]{4,39}", text):
        found = ctx.db.find(Commit, repository_id=repo.id, sha__startswith=text, limit=2)
        return found[0].sha if len(found) == 1 else None
    return None
