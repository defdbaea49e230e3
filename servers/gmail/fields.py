"""`fields=`: partial responses. https://developers.google.com/workspace/gmail/api/guides/performance#partial-response"""

from typing import Any

from legoenv_mcp.app import ApiError
from legoenv_mcp.styles import google
from legoenv_mcp.styles.google import Names

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


def select(tool: str, result: Any, fields: str) -> Any:
    """The result with the selected fields alone. A 400 names a path that the response does not have."""
    try:
        return google.select(result, fields, SCHEMAS.get(RESPONSES.get(tool, "")))
    except google.BadSelection as bad:
        text = (
            f"Invalid field selection '{bad.path}'"
            if bad.unread
            else f"Error expanding 'fields' parameter. Cannot find matching fields for path '{bad.path}'."
        )
    told = f"Request contains an invalid argument. {text}"
    raise ApiError(400, told, reason="badRequest", violations=[("fields", text)])
