"""Trello's answers. Refusals are plain text. https://developer.atlassian.com/cloud/trello/guides/rest-api/status-codes/"""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from legoenv_mcp.app import ApiError, App, Ctx, Field, Problem, Reply

from .models import Table

MOST_TEXT = 16384
_ID = re.compile(r"[0-9a-f]{24}")
_SHORT = re.compile(r"[A-Za-z0-9]{8}")
_NOISE = {
    "descData", "checkItemStates", "manualCoverAttachment", "idAttachmentCover", "cardRole", "mirrorSourceId", "nodeId", "limits", "email",
    "idMembersVoted", "pinned", "datePluginDisable", "creationMethod", "ixUpdate", "enterpriseOwned", "idEnterprise", "templateGallery",
    "premiumFeatures", "powerUps", "idTags", "nameData", "textData", "avatarHash", "avatarUrl", "idMemberReferrer", "idPremOrgsAdmin",
    "nonPublic", "nonPublicAvailable", "activityBlocked", "shortUrl", "appCreator", "display", "entities", "previews", "edgeColor",
    "fogbugz", "dateLastView", "softLimit", "uses", "logoHash", "logoUrl", "invited", "invitations",
    "datasource", "idUploadedBackground", "idPlugin", "attachmentsByType",
    "lastUpdatedByAi", "viewingMemberVoted",
}  # fmt: skip
"""What programs are told and agents are not."""

Text = Annotated[str, Field(max_length=MOST_TEXT)]
Name = Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
Pos = Literal["top", "bottom"] | float
PLACES = "top, bottom or a number from 0"


def invalid(name: str, hint: str = "") -> ApiError:
    """The refusal of a parameter's value. Agents are given the hint besides."""
    said = f"invalid value for {name}"
    return ApiError(400, said, shown=f"{said}: {hint}") if hint else ApiError(400, said)


def missing_object() -> ApiError:
    return ApiError(404, "The requested resource was not found.")


def bad_id() -> ApiError:
    return ApiError(400, "invalid id", shown="invalid id: ids are 24 hexadecimal digits, not names or addresses")


def bad_object_id() -> ApiError:
    """What lists of ids are answered with where one is no id: the one refusal that is JSON."""
    return ApiError(400, "Invalid objectId", body={"message": "Invalid objectId", "error": "ERROR"})


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def is_short(text: str) -> bool:
    return _SHORT.fullmatch(text) is not None


def envelope(error: ApiError) -> Any:
    return error.body or (error.message if error.status < 500 else "internal server error")


def _invalid(problems: list[Problem]) -> ApiError:
    first = problems[0]
    if first.kind == "unknown":
        return ApiError(400, f"unknown parameter {first.name}"[:200])
    name = str(first.path[0])[:100]
    return invalid(name, PLACES if name == "pos" else first.message[:200])


def over_mcp(ctx: Ctx) -> bool:
    return not ctx.request.method


def _around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """Agents are told what people look at."""
    result = call()
    return plain(result) if over_mcp(ctx) and not isinstance(result, Reply) else result


def plain(value: Any) -> Any:
    """An answer without what only programs use."""
    if isinstance(value, dict):
        if value.keys() == {"id", "idBoard", "name", "color"}:  # a label on a card
            return {k: v for k, v in value.items() if k != "idBoard"}
        return {
            k: plain(v) for k, v in value.items() if k not in _NOISE and not (k == "idLabels" and "labels" in value)
        }
    return [plain(v) for v in value] if isinstance(value, list) else value


app = App(
    "trello",
    Table,
    envelope=envelope,
    invalid=_invalid,
    not_found=lambda kind, key: missing_object() if is_id(str(key)) or is_short(str(key)) else bad_id(),
    no_route=lambda method, path: ApiError(404, f"Cannot {method} {path}"),
    malformed=lambda reason: ApiError(400, "Error parsing body"),
    unauthorized=lambda: ApiError(401, "invalid key"),
    too_large=lambda limit: ApiError(413, "Request Entity Too Large"),
    around=_around,
    unknown="ignore",
    mixed=True,
    arrays="comma",
    trailing_slash=True,
)
