"""`fields=`: partial responses. https://developers.google.com/workspace/gmail/api/guides/performance#partial-response"""

from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

from legoenv_mcp.app import ApiError

Names = dict[str, Any]
"""A selection, or a schema: field name -> what lies below it; an empty dict is everything."""

_HEADER: Names = {"name": {}, "value": {}}
_BODY: Names = {"attachmentId": {}, "size": {}, "data": {}}
_PART: Names = {"partId": {}, "mimeType": {}, "filename": {}, "headers": _HEADER, "body": _BODY}
_PART["parts"] = _PART
_MESSAGE: Names = {
    **{
        name: {}
        for name in ("id", "threadId", "labelIds", "snippet", "historyId", "internalDate", "sizeEstimate", "raw")
    },
    "payload": _PART,
    "classificationLabelValues": {"labelId": {}, "fields": {"fieldId": {}, "selection": {}}},
}
_THREAD: Names = {"id": {}, "snippet": {}, "historyId": {}, "messages": _MESSAGE}
_DRAFT: Names = {"id": {}, "message": _MESSAGE}
_LABEL: Names = {
    **{name: {} for name in ("id", "name", "messageListVisibility", "labelListVisibility", "type")},
    **{name: {} for name in ("messagesTotal", "messagesUnread", "threadsTotal", "threadsUnread")},
    "color": {"textColor": {}, "backgroundColor": {}},
}
_LABELLED: Names = {"message": _MESSAGE, "labelIds": {}}
_HISTORY: Names = {
    "id": {}, "messages": _MESSAGE, "messagesAdded": {"message": _MESSAGE}, "messagesDeleted": {"message": _MESSAGE},
    "labelsAdded": _LABELLED, "labelsRemoved": _LABELLED,
}  # fmt: skip
_FILTER: Names = {
    "id": {},
    "criteria": {
        name: {}
        for name in (
            "from",
            "to",
            "subject",
            "query",
            "negatedQuery",
            "hasAttachment",
            "excludeChats",
            "size",
            "sizeComparison",
        )
    },
    "action": {"addLabelIds": {}, "removeLabelIds": {}, "forward": {}},
}
_SEND_AS: Names = {
    **{name: {} for name in ("sendAsEmail", "displayName", "replyToAddress", "signature", "isPrimary", "isDefault")},
    **{name: {} for name in ("treatAsAlias", "verificationStatus")},
    "smtpMsa": {name: {} for name in ("host", "port", "username", "password", "securityMode")},
}
_FORWARDING: Names = {"forwardingEmail": {}, "verificationStatus": {}}

SCHEMAS: dict[str, Names] = {
    "Message": _MESSAGE, "MessagePartBody": _BODY, "Thread": _THREAD, "Draft": _DRAFT, "Label": _LABEL, "Filter": _FILTER,
    "SendAs": _SEND_AS, "ForwardingAddress": _FORWARDING,
    "ListMessagesResponse": {"messages": _MESSAGE, "nextPageToken": {}, "resultSizeEstimate": {}},
    "ListThreadsResponse": {"threads": _THREAD, "nextPageToken": {}, "resultSizeEstimate": {}},
    "ListDraftsResponse": {"drafts": _DRAFT, "nextPageToken": {}, "resultSizeEstimate": {}},
    "ListLabelsResponse": {"labels": _LABEL},
    "ListHistoryResponse": {"history": _HISTORY, "nextPageToken": {}, "historyId": {}},
    "ListFiltersResponse": {"filter": _FILTER},
    "ListSendAsResponse": {"sendAs": _SEND_AS},
    "ListForwardingAddressesResponse": {"forwardingAddresses": _FORWARDING},
    "Profile": {"emailAddress": {}, "messagesTotal": {}, "threadsTotal": {}, "historyId": {}},
    "WatchResponse": {"historyId": {}, "expiration": {}},
    "VacationSettings": {
        name: {}
        for name in (
            "enableAutoReply", "responseSubject", "responseBodyPlainText", "responseBodyHtml", "restrictToContacts", "restrictToDomain",
            "startTime", "endTime",
        )
    },
    "AutoForwarding": {"enabled": {}, "emailAddress": {}, "disposition": {}},
    "ImapSettings": {"enabled": {}, "autoExpunge": {}, "expungeBehavior": {}, "maxFolderSize": {}},
    "PopSettings": {"accessWindow": {}, "disposition": {}},
    "LanguageSettings": {"displayLanguage": {}},
}  # fmt: skip
"""What each response has, by its name in the discovery document."""

RESPONSES: dict[str, str] = {}
"""Tool -> the name of its response; filled by `answers`."""


def answers(response: str) -> Any:
    """Marks an operation's function with its response's name, for `fields`."""

    def mark(fn: Any) -> Any:
        RESPONSES[fn.__name__] = response
        return fn

    return mark


@cache
def _parser() -> Lark:
    return Lark((Path(__file__).parent / "fields.lark").read_text(encoding="utf-8"), start="selection", parser="lalr")


def select(tool: str, result: Any, fields: str) -> Any:
    """The result with the selected fields alone. A 400 names a path that the response does not have."""
    schema = SCHEMAS.get(RESPONSES.get(tool, ""))
    try:
        wanted = _read(_parser().parse(fields))
    except LarkError:
        raise _bad(fields, f"Invalid field selection '{fields}'") from None
    if schema is not None:
        _check(wanted, schema, "")
    return _pick(result, wanted)


def _read(tree: Tree[Any]) -> Names:
    """A parsed selection as nested names; a name given twice selects both."""
    out: Names = {}
    for path in tree.children:
        names = [str(t) for t in path.children if isinstance(t, Token)]
        groups = [t for t in path.children if isinstance(t, Tree)]
        below = _read(groups[0].children[0]) if groups else {}
        for name in reversed(names):
            below = {name: below}
        _merge(out, below)
    return out


def _merge(into: Names, other: Names) -> None:
    for name, below in other.items():
        if name not in into:
            into[name] = below
        elif into[name] and below:
            _merge(into[name], below)
        else:
            into[name] = {}


def _check(wanted: Names, schema: Names, path: str) -> None:
    for name, below in wanted.items():
        here = f"{path}/{name}" if path else name
        if name == "*":
            for inner in schema.values():
                if inner and below:
                    _check(below, inner, here)
        elif name not in schema:
            raise _bad(here, f"Error expanding 'fields' parameter. Cannot find matching fields for path '{here}'.")
        elif below:
            _check(below, schema[name], here)


def _bad(path: str, text: str) -> ApiError:
    del path
    return ApiError(
        400, f"Request contains an invalid argument. {text}", reason="badRequest", violations=[("fields", text)]
    )


def _pick(value: Any, wanted: Names) -> Any:
    if isinstance(value, list):
        return [_pick(v, wanted) for v in value]
    if not isinstance(value, dict) or not wanted:
        return value
    every = wanted.get("*")
    out: dict[str, Any] = {}
    for name, inner in value.items():
        if name in wanted:
            out[name] = _pick(inner, wanted[name])
        elif every is not None and (not every or isinstance(inner, dict | list)):
            out[name] = _pick(inner, every)
    return out
