"""What the load consists of: for each app, how a marked row is written, found again and listed, over REST and over MCP."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Call:
    """One call in both spellings: a request below the app's REST address, and a tool with its arguments."""

    method: str
    path: str
    tool: str
    arguments: dict[str, Any]
    body: bytes = b""
    media_type: str = ""


def _get(path: str, tool: str, arguments: dict[str, Any], **query: Any) -> Call:
    return Call("GET", path + (f"?{urlencode(query)}" if query else ""), tool, arguments)


def _post(path: str, tool: str, arguments: dict[str, Any], body: dict[str, Any], *, form: bool = False) -> Call:
    sent = urlencode(body) if form else json.dumps(body)
    return Call("POST", path, tool, arguments, sent.encode(), FORM if form else JSON)


@dataclass(frozen=True, slots=True)
class Work:
    """An app's part of the load.

    look: the REST path that says where rows go; place: takes that from the answer. write: the call that writes a row with this text.
    key: the row's key in the answer (the app's own body). get, list: the calls that show the row, and a page of rows with marked ones.
    """

    look: str
    place: Callable[[Any], str]
    write: Callable[[str, str], Call]
    key: Callable[[Any], str]
    get: Callable[[str, str], Call]
    list: Callable[[str], Call]


def _slack_place(body: Any) -> str:
    return next(c["id"] for c in body["channels"] if c.get("is_member"))


def _slack_history(place: str, **window: Any) -> Call:
    asked = {"channel": place, **window}
    spelled = {k: str(v).lower() if isinstance(v, bool) else v for k, v in asked.items()}
    return _get("/api/conversations.history", "get_conversation_history", asked, **spelled)


def _github(place: str) -> dict[str, str]:
    owner, _, repo = place.partition("/")
    return {"owner": owner, "repo": repo}


def _hubspot(text: str) -> dict[str, Any]:
    return {"properties": {"firstname": text, "email": f"{text.lower()}@load.example"}}


WORK: dict[str, Work] = {
    "stripe": Work(
        look="/v1/customers?limit=1",
        place=lambda _: "",
        write=lambda _, text: _post("/v1/customers", "create_customer", {"name": text}, {"name": text}, form=True),
        key=lambda body: body["id"],
        get=lambda _, key: _get(f"/v1/customers/{key}", "retrieve_customer", {"customer": key}),
        list=lambda _: _get("/v1/customers", "list_customers", {"limit": 20}, limit=20),
    ),
    "slack": Work(
        look="/api/conversations.list",
        place=_slack_place,
        write=lambda place, text: _post(
            "/api/chat.postMessage", "post_message", {"channel": place, "text": text}, {"channel": place, "text": text}
        ),
        key=lambda body: body["ts"],
        get=lambda place, key: _slack_history(place, latest=key, inclusive=True, limit=1),
        list=lambda place: _slack_history(place, limit=20),
    ),
    "hubspot": Work(
        look="/crm/v3/objects/contacts?limit=1",
        place=lambda _: "",
        write=lambda _, text: _post("/crm/v3/objects/contacts", "create_contact", _hubspot(text), _hubspot(text)),
        key=lambda body: body["id"],
        get=lambda _, key: _get(f"/crm/v3/objects/contacts/{key}", "get_contact", {"contactId": key}),
        list=lambda _: _post(
            "/crm/v3/objects/contacts/search", "search_contacts", {"query": "canary", "limit": 20}, {"query": "canary", "limit": 20}
        ),
    ),
    "zendesk": Work(
        look="/api/v2/tickets?per_page=1",
        place=lambda _: "",
        write=lambda _, text: _post(
            "/api/v2/tickets", "create_ticket", {"ticket": {"subject": text, "comment": {"body": text}}},
            {"ticket": {"subject": text, "comment": {"body": text}}},
        ),
        key=lambda body: str(body["ticket"]["id"]),
        get=lambda _, key: _get(f"/api/v2/tickets/{key}", "show_ticket", {"ticket_id": int(key)}),
        list=lambda _: _get(
            "/api/v2/tickets", "list_tickets", {"sort_by": "created_at", "sort_order": "desc", "per_page": 20},
            sort_by="created_at", sort_order="desc", per_page=20,
        ),
    ),
    "trello": Work(
        look="/1/members/me/cards?limit=1",
        place=lambda body: body[0]["idList"],
        write=lambda place, text: _post(
            "/1/cards", "create_card", {"idList": place, "name": text}, {"idList": place, "name": text}
        ),
        key=lambda body: body["id"],
        get=lambda _, key: _get(f"/1/cards/{key}", "get_card", {"id": key}),
        list=lambda place: _get(f"/1/lists/{place}/cards", "get_list_cards", {"id": place, "limit": 20}, limit=20),
    ),
    "github": Work(
        look="/user/repos",
        place=lambda body: body[0]["full_name"],
        write=lambda place, text: _post(
            f"/repos/{place}/issues", "create_issue", {**_github(place), "title": text}, {"title": text}
        ),
        key=lambda body: str(body["number"]),
        get=lambda place, key: _get(
            f"/repos/{place}/issues/{key}", "get_issue", {**_github(place), "issue_number": int(key)}
        ),
        list=lambda place: _get(
            f"/repos/{place}/issues", "list_issues", {**_github(place), "perPage": 20}, per_page=20
        ),
    ),
}  # fmt: skip
