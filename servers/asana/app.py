"""Asana's envelopes, refusals and input/output options. https://developers.asana.com/docs/errors"""

import json
from collections.abc import Callable
from typing import Annotated, Any

from legoenv_mcp.app import ApiError, App, Ctx, Field, Page, Problem, Query, Reply

from .models import Table

API = "/api/1.0"
HELP = (
    "For more information on API status codes and how to handle them, read the docs on errors: "
    "https://developers.asana.com/docs/errors"
)
MOST_NAME, MOST_TEXT = 1024, 65_535
_NOISE = {
    "hearted", "hearts", "num_hearts", "is_rendered_as_separator", "photo", "is_formula_field", "is_value_read_only", "representation_type",
    "asana_created_field", "has_notifications_enabled", "reaction_summary", "previews", "minimum_access_level_for_customization",
    "minimum_access_level_for_sharing", "current_status", "due_date", "author",
}  # fmt: skip
"""What a full record repeats or only programs use: agents are given it when they ask by opt_fields."""

Gid = Annotated[str, Field(max_length=400)]
Name = Annotated[str, Field(max_length=MOST_NAME)]
Text = Annotated[str, Field(max_length=MOST_TEXT)]
Fields = Annotated[
    str | None, Query(),
    Field(
        description="Comma-separated fields to return instead of the default ones; inside of related objects with a dot, as assignee.name.",
        max_length=4000,
    ),
]  # fmt: skip
Limit = Annotated[int | None, Query(), Field(ge=1, le=100, description="How many objects a page has, at most.")]
Offset = Annotated[str | None, Query(), Field(description="The offset token of next_page, for the page after.")]
Ids = Annotated[list[str], Field(max_length=1000)]


def bad(message: str) -> ApiError:
    return ApiError(400, message)


def forbidden(what: str) -> ApiError:
    return ApiError(403, f"You do not have access to this {what}.")


def premium(message: str) -> ApiError:
    return ApiError(402, message)


def unknown_in_path(kind: str, gid: object) -> ApiError:
    return ApiError(404, f"{kind}: Unknown object: {gid}")


def spelt(path: tuple[str | int, ...]) -> str:
    """A place in the input as Asana spells it: `projects: [0]`."""
    return ": ".join(f"[{part}]" if isinstance(part, int) else str(part)[:100] for part in path)


_JSON_TYPES: list[tuple[type[Any] | tuple[type[Any], ...], str]] = [
    (bool, "boolean"), ((int, float), "number"), (str, "string"), ((dict, list), "object"),
]  # fmt: skip


def json_type(value: object) -> str:
    return next((name for kind, name in _JSON_TYPES if isinstance(value, kind)), "object")


_TEXTS = (
    "name",
    "notes",
    "html_notes",
    "text",
    "html_text",
    "title",
    "description",
    "due_on",
    "due_at",
    "start_on",
    "start_at",
)


def _invalid(problems: list[Problem]) -> ApiError:
    p = problems[0]
    name = spelt(p.path)
    if p.kind == "missing":
        return bad(f"{name}: Missing input" if len(p.path) == 1 else f"{name}: Missing required field")
    if p.kind == "unknown":
        return bad(f"Unrecognized request field {name}")
    if p.kind == "null":
        return bad(f"{name}: Missing input")
    if p.kind == "type" and "valid string" in p.message and name in _TEXTS:
        return bad(f"{name}: Value is not a string: {str(p.value)[:100]}")
    if p.kind == "type" and "valid string" in p.message and not isinstance(p.value, (bytes, str)):
        return bad(f"{name}: Not a valid GID type: {json_type(p.value)}")
    if p.kind == "type" and "dictionary" in p.message:
        return bad(f"{name}: Value is not a JSON object: {str(p.value)[:100]}")
    if p.path == ("offset",):
        return bad("offset: Your pagination token is invalid.")
    return bad(f"{name}: {p.message}: {str(p.value)[:100]}")


def envelope(error: ApiError) -> dict[str, Any]:
    made: dict[str, Any] = {"errors": [{"message": error.message, "help": HELP}]}
    if error.status >= 500:
        made = {"errors": [{"message": "Server Error", "help": HELP, "phrase": "6 sad squid snuggle softly"}]}
    return made if error.sync is None else {"errors": [{"message": error.message}], "sync": error.sync}


def _unwrap(body: Any) -> dict[str, Any]:
    """The object under `data`; `options`, its sibling, says what the query string says as opt_."""
    if not isinstance(body, dict):
        raise bad("Could not parse request data, invalid JSON")
    for name in body:
        if name not in ("data", "options"):
            raise bad(
                f"Unrecognized request field {str(name)[:100]} . The only allowed keys at the top level are: data, options. "
                "Is it possible you did not wrap object properties in a data object?"
            )
    fields = body.get("data", {})
    if not isinstance(fields, dict):
        raise bad(f"data: Value is not a JSON object: {str(fields)[:100]}")
    options = body.get("options")
    chosen = options.get("fields") if isinstance(options, dict) else None
    if isinstance(chosen, list) and all(isinstance(name, str) for name in chosen):
        return {"opt_fields": ",".join(chosen), **fields}
    return {"opt_fields": chosen, **fields} if isinstance(chosen, str) else fields


def wrap(result: Any) -> Any:
    """A list of pages carries how to go on, everything else only its data."""
    if isinstance(result, Page):
        return {
            "data": result.items,
            **({"next_page": result.extra["next_page"]} if "next_page" in result.extra else {}),
        }
    return {"data": result}


class Shown(dict[str, Any]):
    """An object as answered, and where it can be got."""

    location: str = ""


def over_mcp(ctx: Ctx) -> bool:
    return not ctx.request.method


def plain(value: Any) -> Any:
    """A full record without its noise."""
    if isinstance(value, dict):
        inner = {k: plain(v) for k, v in value.items() if k not in _NOISE}
        if value.get("resource_type") == "enum_option":
            return {k: v for k, v in inner.items() if k in ("gid", "name") or (k == "enabled" and not v)}
        return inner
    return [plain(v) for v in value] if isinstance(value, list) else value


def _lean(shown: Any) -> Any:
    """A task's or project's custom fields tell agents their values; the choices are told by the field itself."""
    made = plain(shown)
    if isinstance(made, dict) and made.get("resource_type") in ("task", "project"):
        keep = (
            "gid",
            "name",
            "resource_subtype",
            "display_value",
            "enum_value",
            "multi_enum_values",
            "number_value",
            "text_value",
        )
        made["custom_fields"] = [
            {k: v for k, v in field.items() if k in (*keep, "date_value", "people_value")}
            for field in made.get("custom_fields", [])
        ]
    return made


def _around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    result = call()
    if over_mcp(ctx):
        chosen = ctx.args is not None and getattr(ctx.args, "opt_fields", None)
        return result if chosen or isinstance(result, (Page, Reply)) else _lean(result)
    if isinstance(result, Reply):
        return result
    operation = ctx.operation
    status = operation.status if operation else 200
    headers = {}
    if status == 201 and isinstance(result, Shown) and result.location:
        headers["Location"] = f"{ctx.request.base or 'https://app.asana.com'}{API}{result.location}"
    body = wrap(result)
    if ctx.request.query.get("opt_pretty") in ("true", "1", ""):
        text = json.dumps(body, indent=2, ensure_ascii=False) + "\n"
        return Reply(text, status, headers, media_type="application/json; charset=utf-8")
    return Reply(body, status, headers)


app = App(
    "asana",
    Table,
    wrap=wrap,
    envelope=envelope,
    invalid=_invalid,
    not_found=unknown_in_path,
    no_route=lambda method, path: ApiError(404, "No matching route for request"),
    malformed=lambda reason: bad("Could not parse request data, invalid JSON"),
    unauthorized=lambda: ApiError(401, "Not Authorized", headers={"WWW-Authenticate": 'Bearer realm="Asana"'}),
    too_large=lambda limit: ApiError(413, "The request was too large"),
    around=_around,
    unknown="ignore",
    mixed=True,
    body_key="data",
    unwrap=_unwrap,
    trailing_slash=True,
)
