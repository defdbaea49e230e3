"""Accounts, repositories and git objects as JSON."""

import base64
import hashlib
from functools import cache
from typing import Any
from urllib.parse import quote

from legoenv_mcp.app import Ctx

from . import git, patches
from .accounts import full_name, me, role
from .app import WEB, base_url
from .languages import languages
from .models import Account, Blob, Commit, Issue, Protection, Repository, Star, TagObject

_PREFIXES = {
    "Account": "U", "Organization": "O", "Repository": "R", "Issue": "I", "Pull": "PR", "Comment": "IC", "Review": "PRR",
    "ReviewComment": "PRRC", "Label": "LA", "Milestone": "MI", "Release": "RE", "Workflow": "W", "Run": "WFR", "Job": "CR",
    "Event": "E", "Reaction": "REA", "Status": "SC", "Thread": "PRRT",
}  # fmt: skip


@cache
def node_id(kind: str, number: int) -> str:
    """A global id in GitHub's format: the kind, and [0, number] in MessagePack."""
    packed = b"\xce" + number.to_bytes(4, "big") if number < 2**32 else b"\xcf" + number.to_bytes(8, "big")
    return f"{_PREFIXES[kind]}_{base64.urlsafe_b64encode(bytes([0x92, 0]) + packed).decode().rstrip('=')}"


def user_json(ctx: Ctx, user: Account | int | None) -> dict[str, Any] | None:
    """The short form that stands in other resources."""
    if isinstance(user, int):
        return ctx.once(("user", user), lambda: user_json(ctx, ctx.db.get(Account, user)))
    if user is None:
        return None
    return _user(ctx, user)


def _user(ctx: Ctx, row: Account) -> dict[str, Any]:
    api = f"{base_url(ctx)}/users/{row.login}"
    links = {
        "followers_url": "/followers", "following_url": "/following{/other_user}", "gists_url": "/gists{/gist_id}",
        "starred_url": "/starred{/owner}{/repo}", "subscriptions_url": "/subscriptions", "organizations_url": "/orgs",
        "repos_url": "/repos", "events_url": "/events{/privacy}", "received_events_url": "/received_events",
    }  # fmt: skip
    return {
        "login": row.login, "id": row.id, "node_id": node_id("Organization" if row.type == "Organization" else "Account", row.id),
        "avatar_url": f"https://avatars.githubusercontent.com/u/{row.id}?v=4", "gravatar_id": "", "url": api,
        "html_url": f"{WEB}/{row.login}",
        **{key: api + path for key, path in links.items()}, "type": row.type, "user_view_type": "public", "site_admin": False,
    }  # fmt: skip


def user_full(ctx: Ctx, row: Account) -> dict[str, Any]:
    owned = ctx.db.find(Repository, owner_id=row.id)
    return {
        **(user_json(ctx, row) or {}), "name": row.name, "company": row.company, "blog": row.blog, "location": row.location,
        "email": row.email,
        "hireable": None, "bio": row.bio, "twitter_username": None, "public_repos": sum(not r.private for r in owned), "public_gists": 0,
        "followers": 0, "following": 0, "created_at": row.created_at, "updated_at": row.updated_at,
    }  # fmt: skip


def organisation_json(ctx: Ctx, row: Account, *, full: bool = False) -> dict[str, Any]:
    api = f"{base_url(ctx)}/orgs/{row.login}"
    short = {
        "login": row.login, "id": row.id, "node_id": node_id("Organization", row.id), "url": api, "repos_url": f"{api}/repos",
        "events_url": f"{api}/events", "hooks_url": f"{api}/hooks", "issues_url": f"{api}/issues",
        "members_url": f"{api}/members{{/member}}",
        "public_members_url": f"{api}/public_members{{/member}}", "avatar_url": f"https://avatars.githubusercontent.com/u/{row.id}?v=4",
        "description": row.bio,
    }  # fmt: skip
    if not full:
        return short
    owned = ctx.db.find(Repository, owner_id=row.id)
    return {
        **short, "name": row.name, "company": row.company, "blog": row.blog, "location": row.location, "email": row.email,
        "is_verified": True, "has_organization_projects": True, "has_repository_projects": True,
        "public_repos": sum(not r.private for r in owned), "public_gists": 0, "followers": 0, "following": 0,
        "html_url": f"{WEB}/{row.login}",
        "type": "Organization", "total_private_repos": sum(r.private for r in owned), "owned_private_repos": sum(r.private for r in owned),
        "default_repository_permission": row.default_repository_permission, "members_can_create_repositories": True,
        "created_at": row.created_at, "updated_at": row.updated_at,
    }  # fmt: skip


def repo_url(ctx: Ctx, repo: Repository) -> str:
    return f"{base_url(ctx)}/repos/{full_name(ctx, repo)}"


_TEMPLATES = {
    "archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}", "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}", "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors", "deployments_url": "/deployments", "downloads_url": "/downloads", "events_url": "/events",
    "forks_url": "/forks", "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks", "issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}", "languages_url": "/languages",
    "merges_url": "/merges", "milestones_url": "/milestones{/number}", "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}", "releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}  # fmt: skip


def permissions(granted: str) -> dict[str, bool]:
    order = ["none", "read", "triage", "write", "maintain", "admin"]
    rank = order.index(granted)
    return {"admin": rank >= 5, "maintain": rank >= 4, "push": rank >= 3, "triage": rank >= 2, "pull": rank >= 1}


def repo_json(ctx: Ctx, repo: Repository, *, full: bool = False) -> dict[str, Any]:
    name, api = full_name(ctx, repo), repo_url(ctx, repo)
    spoken = languages(ctx, repo)
    forks = ctx.db.count(Repository, fork_of=repo.id)
    stars, opened = ctx.db.count(Star, repository_id=repo.id), ctx.db.count(Issue, repository_id=repo.id, state="open")
    made: dict[str, Any] = {
        "id": repo.id, "node_id": node_id("Repository", repo.id), "name": repo.name, "full_name": name, "private": repo.private,
        "owner": user_json(ctx, repo.owner_id), "html_url": f"{WEB}/{name}", "description": repo.description,
        "fork": repo.fork_of is not None,
        "url": api, **{key: api + path for key, path in _TEMPLATES.items()}, "created_at": repo.created_at, "updated_at": repo.updated_at,
        "pushed_at": repo.pushed_at, "git_url": f"git://github.com/{name}.git", "ssh_url": f"git@github.com:{name}.git",
        "clone_url": f"{WEB}/{name}.git", "svn_url": f"{WEB}/{name}", "homepage": repo.homepage, "size": sum(spoken.values()) // 1024,
        "stargazers_count": stars, "watchers_count": stars, "language": repo.language or next(iter(spoken), None),
        "has_issues": repo.has_issues,
        "has_projects": repo.has_projects, "has_downloads": True, "has_wiki": repo.has_wiki, "has_pages": False,
        "has_discussions": repo.has_discussions, "forks_count": forks, "mirror_url": None, "archived": repo.archived, "disabled": False,
        "open_issues_count": opened, "license": None, "allow_forking": True, "is_template": repo.is_template,
        "web_commit_signoff_required": False,
        "topics": repo.topics, "visibility": "private" if repo.private else "public", "forks": forks, "open_issues": opened,
        "watchers": stars,
        "default_branch": repo.default_branch, "permissions": permissions(role(ctx, repo, me(ctx))),
    }  # fmt: skip
    if full:
        made |= {
            "allow_squash_merge": repo.allow_squash_merge, "allow_merge_commit": repo.allow_merge_commit,
            "allow_rebase_merge": repo.allow_rebase_merge, "allow_auto_merge": repo.allow_auto_merge,
            "delete_branch_on_merge": repo.delete_branch_on_merge, "allow_update_branch": repo.allow_update_branch,
            "network_count": forks, "subscribers_count": 0,
        }  # fmt: skip
        owner = ctx.require(Account, repo.owner_id)
        if owner.type == "Organization":
            made["organization"] = user_json(ctx, owner)
        if repo.fork_of is not None and (parent := ctx.db.get(Repository, repo.fork_of)):
            made["parent"] = made["source"] = repo_json(ctx, parent)
    return made


# Git objects


def _identity(name: str, email: str, date: str) -> dict[str, str]:
    return {"name": name, "email": email, "date": date}


_UNSIGNED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


def git_commit_json(ctx: Ctx, repo: Repository, commit: Commit) -> dict[str, Any]:
    """A commit as the Git database API shows it."""
    api, web = f"{repo_url(ctx, repo)}/git", f"{WEB}/{full_name(ctx, repo)}"
    return {
        "sha": commit.sha, "node_id": f"C_{commit.sha[:20]}", "url": f"{api}/commits/{commit.sha}",
        "html_url": f"{web}/commit/{commit.sha}",
        "author": _identity(commit.author_name, commit.author_email, commit.author_date),
        "committer": _identity(commit.committer_name, commit.committer_email, commit.committer_date),
        "tree": {"sha": commit.tree, "url": f"{api}/trees/{commit.tree}"}, "message": commit.message,
        "parents": [{"sha": p, "url": f"{api}/commits/{p}", "html_url": f"{web}/commit/{p}"} for p in commit.parents],
        "verification": _UNSIGNED,
    }  # fmt: skip


def _writer(ctx: Ctx, user: int | None, email: str) -> dict[str, Any] | None:
    """The account behind a commit's author or committer; commits made on the site are committed by `web-flow`."""
    if email == "noreply@github.com":
        return user_json(ctx, Account(id=19_864_447, login="web-flow", created_at="", updated_at=""))
    return user_json(ctx, user)


def commit_json(
    ctx: Ctx, repo: Repository, commit: Commit, *, diffs: list[patches.FileDiff] | None = None
) -> dict[str, Any]:
    api, web = repo_url(ctx, repo), f"{WEB}/{full_name(ctx, repo)}"
    inner = git_commit_json(ctx, repo, commit)
    made: dict[str, Any] = {
        "sha": commit.sha, "node_id": inner["node_id"],
        "commit": {
            "author": inner["author"], "committer": inner["committer"], "message": commit.message, "tree": inner["tree"],
            "url": inner["url"], "comment_count": 0, "verification": _UNSIGNED,
        },
        "url": f"{api}/commits/{commit.sha}", "html_url": f"{web}/commit/{commit.sha}",
        "comments_url": f"{api}/commits/{commit.sha}/comments",
        "author": _writer(ctx, commit.author_id, commit.author_email),
        "committer": _writer(ctx, commit.committer_id, commit.committer_email),
        "parents": [{"sha": p, "url": f"{api}/commits/{p}", "html_url": f"{web}/commit/{p}"} for p in commit.parents],
    }  # fmt: skip
    if diffs is not None:
        made |= {"stats": patches.stats(diffs), "files": [file_json(ctx, repo, d, commit.sha) for d in diffs]}
    return made


def file_json(ctx: Ctx, repo: Repository, diff: patches.FileDiff, sha: str) -> dict[str, Any]:
    name, api, path = full_name(ctx, repo), repo_url(ctx, repo), quote(diff.path, safe="")
    made: dict[str, Any] = {
        "sha": diff.sha, "filename": diff.path, "status": diff.status, "additions": diff.additions, "deletions": diff.deletions,
        "changes": diff.additions + diff.deletions, "blob_url": f"{WEB}/{name}/blob/{sha}/{path}",
        "raw_url": f"{WEB}/{name}/raw/{sha}/{path}", "contents_url": f"{api}/contents/{path}?ref={sha}",
    }  # fmt: skip
    if diff.patch:
        made["patch"] = diff.patch
    if diff.previous:
        made["previous_filename"] = diff.previous
    return made


def branch_json(ctx: Ctx, repo: Repository, name: str, sha: str, *, full: bool = False) -> dict[str, Any]:
    api = repo_url(ctx, repo)
    rule = ctx.db.get(Protection, (repo.id, name))
    made: dict[str, Any] = {
        "name": name,
        "commit": {"sha": sha, "url": f"{api}/commits/{sha}"},
        "protected": rule is not None,
    }
    checks = (rule.checks if rule else None) or {}
    made["protection"] = {
        "enabled": rule is not None,
        "required_status_checks": {
            "enforcement_level": "off" if not checks else "everyone" if rule and rule.enforce_admins else "non_admins",
            "contexts": checks.get("contexts", []), "checks": [{"context": c, "app_id": None} for c in checks.get("contexts", [])],
        },
    }  # fmt: skip
    made["protection_url"] = f"{api}/branches/{quote(name)}/protection"
    if full:
        made["commit"] = commit_json(ctx, repo, git.commit(ctx, repo, sha))
        made["_links"] = {
            "self": f"{api}/branches/{quote(name)}",
            "html": f"{WEB}/{full_name(ctx, repo)}/tree/{quote(name)}",
        }
    return made


def ref_json(ctx: Ctx, repo: Repository, name: str, sha: str) -> dict[str, Any]:
    api = f"{repo_url(ctx, repo)}/git"
    kind = "tag" if ctx.db.get(TagObject, (repo.id, sha)) else "commit"
    digest = hashlib.sha1(f"{repo.id}:{name}".encode(), usedforsecurity=False).hexdigest()[:20]
    return {
        "ref": name, "node_id": f"REF_{digest}", "url": f"{api}/{quote(name)}",
        "object": {"sha": sha, "type": kind, "url": f"{api}/{kind}s/{sha}"},
    }  # fmt: skip


LARGE = 1_048_576
"""Bytes of a file beyond which its content is for the raw media type alone."""


def encoded(content: bytes) -> str:
    """Base64 in lines of 60, as GitHub breaks them."""
    text = base64.b64encode(content).decode()
    return "".join(f"{text[n : n + 60]}\n" for n in range(0, len(text), 60))


def content_json(
    ctx: Ctx, repo: Repository, path: str, mode: str, sha: str, ref: str, *, full: bool = False
) -> dict[str, Any]:
    """A file, folder, link or submodule as the contents endpoint shows it.

    In a folder's list a submodule says that it is a file, as GitHub keeps it for old clients. `full` is one entry by itself: a file
    has its content, in Base64 with line breaks (none of more than 1 MB), a link its target.
    """
    name, api, place = full_name(ctx, repo), repo_url(ctx, repo), quote(path)
    kind = {git.FOLDER: "dir", git.SYMLINK: "symlink", git.SUBMODULE: "submodule" if full else "file"}.get(mode, "file")
    blob = ctx.db.get(Blob, (repo.id, sha)) if mode not in (git.FOLDER, git.SUBMODULE) else None
    page = "tree" if kind == "dir" else "blob"
    links = {
        "self": f"{api}/contents/{place}?ref={ref}", "git": f"{api}/git/{'trees' if blob is None else 'blobs'}/{sha}",
        "html": f"{WEB}/{name}/{page}/{ref}/{place}",
    }  # fmt: skip
    made: dict[str, Any] = {
        "name": path.rsplit("/", 1)[-1], "path": path, "sha": sha, "size": blob.size if blob else 0, "url": links["self"],
        "html_url": links["html"], "git_url": links["git"],
        "download_url": f"https://raw.githubusercontent.com/{name}/{ref}/{place}" if blob else None, "type": kind,
    }  # fmt: skip
    if full and blob is not None:
        if kind == "symlink":
            made["target"] = blob.content
        elif blob.size > LARGE:
            made |= {"content": "", "encoding": "none"}
        else:
            made |= {"content": encoded(git.blob_bytes(blob)), "encoding": "base64"}
    return {**made, "_links": links}
