"""Answers as GitHub's MCP server gives them: without the links, node ids and nulls that fill the REST bodies."""

from typing import Any

_PEOPLE = {
    "user", "author", "committer", "owner", "actor", "assignee", "creator", "merged_by", "closed_by", "uploader", "triggering_actor",
    "assigner", "review_requester", "requested_reviewer", "organization",
}  # fmt: skip
_LISTS_OF_PEOPLE = {"assignees", "requested_reviewers"}
_NOISE = {
    "url", "node_id", "_links", "gravatar_id", "verification", "performed_via_github_app", "author_association", "permissions",
    "site_admin", "user_view_type", "auto_merge", "active_lock_reason", "sub_issues_summary", "assignee", "requested_teams",
    "comment_count", "referenced_workflows", "app", "output", "external_id",
}  # fmt: skip
_KEPT_LINKS = {"html_url", "download_url", "target_url"}
_REPOSITORY = (
    "id", "name", "full_name", "description", "html_url", "language", "stargazers_count", "forks_count", "open_issues_count", "topics",
    "private", "fork", "archived", "default_branch", "created_at", "updated_at", "pushed_at", "score",
)  # fmt: skip


def compact(value: Any, name: str = "", depth: int = 0) -> Any:
    if isinstance(value, list):
        if name in _LISTS_OF_PEOPLE:
            return [person.get("login") if isinstance(person, dict) else person for person in value]
        if name == "labels" and depth:
            return [label["name"] if isinstance(label, dict) and "color" in label else label for label in value]
        if name == "pull_requests":
            return [{"number": pull["number"]} for pull in value]
        return [compact(item, name, depth) for item in value]
    if not isinstance(value, dict):
        return value
    if "full_name" in value and "default_branch" in value:
        if name in ("repo", "repository", "head_repository", "parent", "source"):
            return {"full_name": value["full_name"]}
        return {key: value[key] for key in _REPOSITORY if value.get(key) is not None}
    if name in _PEOPLE and "login" in value:
        return {"login": value["login"]}
    if name == "milestone" and "number" in value:
        return {key: value[key] for key in ("number", "title", "state", "due_on") if value.get(key) is not None}
    if name == "reactions":
        return {key: count for key, count in value.items() if key != "url" and count and isinstance(count, int)}
    out = dict[str, Any]()
    for key, item in value.items():
        if item is None or key in _NOISE or (key.endswith("_url") and key not in _KEPT_LINKS):
            continue
        made = compact(item, key, depth + 1)
        if made != {} or item == {}:
            out[key] = made
    return out
