"""HubSpot's answers. https://developers.hubspot.com/docs/api-reference/error-handling"""

import re
import unicodedata
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Problem, Reply

from . import errors
from .models import Table

_SPLIT = re.compile(r"[^\w@.+-]+")
_HOST = re.compile(r"[\w.-]+")
_WORD = re.compile(r"\w+")
_PHONE = re.compile(r"[+\d.-]+")


def invalid(problems: list[Problem]) -> ApiError:
    """Bad arguments, in the words of HubSpot's JSON reader."""
    missing = [p.name for p in problems if p.kind == "missing"]
    if missing:
        return errors.refusal(
            400, f"Invalid input JSON: Some required fields were not set: [{', '.join(missing)}]",
            errors=[{"message": f"{name} is required", "in": name} for name in missing],
        )  # fmt: skip
    first = problems[0]
    if first.kind == "unknown":
        message = f'Unrecognized field "{first.name}"'
    elif first.kind == "enum" and first.context:
        message = f"Enum type must be one of: [{first.context.get('expected', '')}]".replace("'", "")
    else:
        message = first.message
    return errors.refusal(
        400, f"Invalid input: {first.name}: {message}", errors=[{"message": message, "in": first.name}]
    )


def no_route(method: str, path: str) -> ApiError:
    allowed = app.router.match("", path)[2]
    if not allowed:
        return ApiError(404, f"Not found: no endpoint at {path}")
    return ApiError(405, f"Method not allowed: {method}", headers={"Allow": ", ".join(sorted(set(allowed)))})


def done(ctx: Ctx, body: Any) -> Any:
    """Nothing over REST, as documented for 204; agents on the MCP face are told what was done."""
    return Reply(None, 204) if ctx.request.method else body


def fold(value: Any) -> Any:
    """How text is compared: without case."""
    return unicodedata.normalize("NFKC", value).casefold() if isinstance(value, str) else value


def tokens(value: str) -> set[str]:
    """The words that search knows a text by: whole ones such as addresses, the domains in them, and the parts of these."""
    text = fold(value)
    return {t for t in _SPLIT.split(text) if t} | set(_HOST.findall(text)) | set(_WORD.findall(text)) | {text}


def terms_of(text: str) -> list[str]:
    """The words of a search's text: marks between words are none."""
    return [w for w in re.findall(r"[\w@.+*-]+", fold(text)) if "*" in w or _WORD.search(w)]


def has_token(value: Any, pattern: str) -> bool:
    """CONTAINS_TOKEN: whether a text has all words of the pattern; `*` stands for any characters of a word."""
    if value is None:
        return False
    known = tokens(str(value))
    wanted = terms_of(pattern)
    return bool(wanted) and all(
        any(_like(word, token) for token in known) or ("*" not in word and known.issuperset(_WORD.findall(word)))
        for word in wanted
    )


def _like(pattern: str, token: str) -> bool:
    """Wildcards by greedy matching of the pieces between them, which takes no longer than the text is long."""
    if "*" not in pattern:
        return pattern == token
    first, *middle, last = pattern.split("*")
    if len(token) < len(first) + len(last) or not token.startswith(first) or not token.endswith(last):
        return False
    place, end = len(first), len(token) - len(last)
    for piece in middle:
        found = token.find(piece, place, end)
        if found < 0:
            return False
        place = found + len(piece)
    return True


def begins(value: Any, word: str) -> bool:
    """Full-text search: whether a word of the text begins so. Telephone numbers also match by their digits."""
    if value is None:
        return False
    known = tokens(str(value))
    if any(t.startswith(word) for t in known):
        return True
    digits = re.sub(r"\D", "", word)
    return bool(len(digits) >= 6 and _PHONE.fullmatch(word)) and digits in re.sub(r"\D", "", str(value))


app = App(
    "hubspot",
    Table,
    envelope=errors.body,
    invalid=invalid,
    not_found=lambda kind, key: errors.no_object(str(key)),
    no_route=no_route,
    malformed=lambda reason: errors.bad_json(reason),
    unauthorized=lambda: errors.refusal(
        401,
        "Authentication credentials not found. This API supports OAuth 2.0 authentication and you can find more details at "
        "https://developers.hubspot.com/docs/methods/auth/oauth-overview",
        "INVALID_AUTHENTICATION",
    ),
    too_large=lambda limit: errors.refusal(413, f"The request body is larger than {limit} bytes"),
    unknown="ignore",
    trailing_slash=True,
    functions={
        "fold": (1, fold),
        "has_token": (2, lambda value, pattern: int(has_token(value, pattern))),
        "begins": (2, lambda value, word: int(begins(value, word))),
    },
)
