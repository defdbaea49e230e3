"""The two-tool face, for agents that face hundreds of operations: find one with `api_search`, perform it with `api_request`."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import mcp.types as t
from mcp import MCPError
from pydantic_core import from_json, to_json

from legoenv_mcp import registry
from legoenv_mcp.faces import rest
from legoenv_mcp.faces.api_search import BadCall, base_url, search
from legoenv_mcp.faces.mcp import new_server
from legoenv_mcp.kernel.context import Reply, Request, as_json
from legoenv_mcp.kernel.episode import Episode, LiveApp

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
DEFAULT_RESULTS = 5
MAX_RESULTS = 20
_LIMIT = 4 * 1024 * 1024


# Performing


def request(
    episode: Episode, slugs: Sequence[str], method: str, url: str, query: Mapping[str, Any] | None = None, body: Any = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[Reply, int]:  # fmt: skip
    """One request at a product's own address; the reply and the HTTP status it would have had."""
    slug, path, given = _place(slugs, url)
    live = episode.app(slug)
    pairs = "&".join(filter(None, (given, _query(live, query or {}))))
    names = {name.lower(): str(value) for name, value in (headers or {}).items()}
    content, kind = _content(body)
    if kind and "content-type" not in names:
        names["content-type"] = kind
    if isinstance(body, Mapping) and names.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        content = urlencode(_pairs(body, "bracket")).encode()
    if len(content) > _LIMIT:
        reply = live.app.refusal(live.app.too_large(_LIMIT))
    else:
        base = base_url(slug)
        flat = dict(rest.parse_qsl(pairs, keep_blank_values=True))
        whole = f"{base}{path}" + (f"?{pairs}" if pairs else "")
        reply = rest.handle(live, Request(method, rest.normal_path(path), whole, flat, names, base), content)
    return reply, reply.wire_status or reply.status


def _place(slugs: Sequence[str], url: str) -> tuple[str, str, str]:
    """The app that a URL belongs to, the path below its base, the query string in it."""
    if any(ord(c) < 32 for c in url):
        raise BadCall("url: contains control characters")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise BadCall(f"url: {error}") from None
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._") or "/"
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?[]")
    known = ", ".join(base_url(slug) for slug in slugs)
    if not parts.scheme and not parts.netloc:
        if len(slugs) > 1:
            raise BadCall(f"url: say which API, with a whole URL. There are: {known}")
        base = urlsplit(base_url(slugs[0])).path
        return slugs[0], _below(path, base) or path, query
    best, below = "", ""
    for slug in slugs:
        base = urlsplit(base_url(slug))
        rest_of = _below(path, base.path) if base.netloc.lower() == parts.netloc.lower() else None
        if rest_of is not None and (not best or len(rest_of) < len(below)):
            best, below = slug, rest_of
    if not best or parts.scheme.lower() not in ("http", "https"):
        raise BadCall(f"url: there is no API at {parts.scheme}://{parts.netloc}{parts.path}. There are: {known}")
    return best, below, query


def _below(path: str, base: str) -> str | None:
    """What follows `base` in a path; None where it does not lie below."""
    if not path.startswith(base) or (base and path[len(base) :][:1] not in ("", "/")):
        return None
    return path[len(base) :] or "/"


def _query(live: LiveApp, query: Mapping[str, Any]) -> str:
    return urlencode(_pairs(query, live.app.arrays))


def _pairs(values: Mapping[str, Any], arrays: str, prefix: str = "") -> list[tuple[str, str]]:
    """Data as query or form pairs, spelt as the product spells lists and objects."""
    out = list[tuple[str, str]]()
    for name, value in values.items():
        name = f"{prefix}[{name}]" if prefix else name
        if value is None:
            continue
        if isinstance(value, Mapping):
            out += _pairs(value, arrays, name) if arrays == "bracket" else [(name, to_json(value).decode())]
        elif isinstance(value, (list, tuple)):
            if arrays == "comma":
                out.append((name, ",".join(map(_text, value))))
            elif arrays == "bracket":
                out += _pairs({str(n): item for n, item in enumerate(value)}, arrays, name)
            else:
                out += [(name, _text(item)) for item in value]
        else:
            out.append((name, _text(value)))
    return out


def _text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value).decode()


def _content(body: Any) -> tuple[bytes, str]:
    """The body's bytes and media type: data as JSON, and text that is not JSON as itself."""
    if body is None or body == "":
        return b"", ""
    if not isinstance(body, str):
        return to_json(body), "application/json"
    try:
        from_json(body)
    except ValueError:
        return body.encode("utf-8", "replace"), "text/plain; charset=utf-8"
    return body.encode(), "application/json"


# As tools


def _text_parameter(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def _map_parameter(description: str) -> dict[str, Any]:
    return {"type": "object", "properties": {}, "description": description}


@lru_cache(maxsize=64)
def tools(slugs: tuple[str, ...]) -> tuple[t.Tool, t.Tool]:
    """The two tools, over these apps."""
    apps = ", ".join(slugs)
    return (
        t.Tool(
            name="api_search",
            title="Search API operations",
            description=(
                "Finds API operations by what they do, and shows how each is called: method, URL and parameters. Search before "
                f"calling api_request. Apps: {apps}."
            )[:1024],
            input_schema={
                "type": "object",
                "properties": {
                    "query": _text_parameter("What the operation should do, in a few words."),
                    "app": _text_parameter("Only operations of this app.", enum=list(slugs)),
                    "limit": {
                        "type": "integer", "description": "How many operations to show.", "default": DEFAULT_RESULTS, "minimum": 1,
                        "maximum": MAX_RESULTS,
                    },
                },
                "required": ["query"],
            },
            output_schema={
                "type": "object",
                "properties": {"operations": {"type": "array", "items": {"type": "object", "properties": {}}}},
                "required": ["operations"],
            },
            annotations=t.ToolAnnotations(
                title="Search API operations", read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
            ),
        ),
        t.Tool(
            name="api_request",
            title="Perform an API request",
            description=(
                "Performs one HTTP request against an app's API and returns its status, headers and body. Fill the `{...}` parts of the "
                "URL that api_search shows. No credentials are needed."
            ),
            input_schema={
                "type": "object",
                "properties": {
                    "method": _text_parameter("The HTTP method.", enum=list(METHODS)),
                    "url": _text_parameter("The whole URL, as api_search shows it, path parameters filled in."),
                    "query": _map_parameter("Query parameters by name; lists are repeated."),
                    "body": _map_parameter("The request body: its fields by name. An array or plain text may be given as a string."),
                    "headers": _map_parameter("Request headers by name, where the operation has any."),
                },
                "required": ["method", "url"],
            },
            annotations=t.ToolAnnotations(
                title="Perform an API request", read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
            ),
        ),
    )  # fmt: skip


def _read(arguments: Mapping[str, Any] | None, names: Sequence[str]) -> dict[str, Any]:
    given = {name: value for name, value in (arguments or {}).items() if value is not None}
    try:
        to_json(given)
    except ValueError:  # nothing could send it
        raise BadCall("the arguments are not valid Unicode text, or nested too deeply") from None
    if strangers := sorted(set(given) - set(names)):
        raise BadCall(f"{strangers[0]}: is not a parameter. There are: {', '.join(names)}")
    return given


def _want_text(given: Mapping[str, Any], name: str) -> str:
    if not isinstance(given.get(name), str):
        raise BadCall(f"{name}: {'is required' if name not in given else 'must be a string'}")
    return given[name]


def _want_map(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = given.get(name, {})
    if isinstance(value, str):
        try:
            value = json.loads(value or "{}")
        except ValueError:
            raise BadCall(f"{name}: must be an object") from None
    if not isinstance(value, dict):
        raise BadCall(f"{name}: must be an object")
    return value


def _api_search(episode: Episode, slugs: Sequence[str], arguments: Mapping[str, Any] | None) -> t.CallToolResult:
    given = _read(arguments, ("query", "app", "limit"))
    limit = given.get("limit", DEFAULT_RESULTS)
    try:
        limit = int(limit) if not isinstance(limit, bool) and float(limit) == int(limit) else 0
    except (TypeError, ValueError, OverflowError):
        limit = 0
    if not 1 <= limit <= MAX_RESULTS:
        raise BadCall(f"limit: must be a whole number from 1 to {MAX_RESULTS}")
    app = _want_text(given, "app") if "app" in given else None
    found = {"operations": search(slugs, _want_text(given, "query"), app, limit)}
    return t.CallToolResult(
        content=[t.TextContent(text=to_json(found).decode())], structured_content=found, is_error=False
    )


def _api_request(episode: Episode, slugs: Sequence[str], arguments: Mapping[str, Any] | None) -> t.CallToolResult:
    given = _read(arguments, ("method", "url", "query", "body", "headers"))
    method = _want_text(given, "method").upper()
    if method not in METHODS:
        raise BadCall(f"method: must be one of {', '.join(METHODS)}")
    url, query, headers = _want_text(given, "url"), _want_map(given, "query"), _want_map(given, "headers")
    if any(not isinstance(value, (str, int, float, bool)) for value in headers.values()):
        raise BadCall("headers: every value must be a string")
    reply, status = request(episode, slugs, method, url, query, given.get("body"), headers)
    _, wire_headers, content = rest.encode(reply)
    shown: dict[str, Any] = {
        "status": status,
        "headers": {k.decode(): v.decode("latin-1") for k, v in wire_headers},
        "body": None,
    }
    shown["headers"].pop("content-length", None)
    if isinstance(reply.body, bytes) and reply.media_type:
        try:
            shown["body"] = reply.body.decode()
        except UnicodeDecodeError:
            shown |= {"body": json.loads(to_json(reply.body, bytes_mode="base64")), "encoding": "base64"}
    elif content and method != "HEAD":
        shown["body"] = reply.body
    text: list[t.ContentBlock] = [t.TextContent(text=as_json(shown).decode())]
    if reply.error:
        return t.CallToolResult(content=text, is_error=True, _meta={"legoenv/status": reply.status})
    return t.CallToolResult(
        content=text, structured_content=shown, is_error=False, _meta={"legoenv/status": reply.status}
    )


_CALLS: dict[str, Callable[[Episode, Sequence[str], Mapping[str, Any] | None], t.CallToolResult]] = {
    "api_search": _api_search,
    "api_request": _api_request,
}


def call(episode: Episode, slugs: Sequence[str], name: str, arguments: Mapping[str, Any] | None) -> t.CallToolResult:
    """A call of one of the two tools. KeyError where it is another."""
    perform = _CALLS[name]
    try:
        return perform(episode, slugs, arguments)
    except BadCall as error:
        text = json.dumps({"status": 400, "error": str(error)}, ensure_ascii=False)
        return t.CallToolResult(content=[t.TextContent(text=text)], is_error=True, _meta={"legoenv/status": 400})


def serve(resolve: Callable[[Any], Episode], slugs: Sequence[str]) -> Any:
    """The SDK's server with the two tools over these apps."""
    chosen = tuple(slugs)

    async def list_tools(_ctx: Any, _params: Any) -> t.ListToolsResult:
        return t.ListToolsResult(tools=list(tools(chosen)))

    async def call_tool(ctx: Any, params: t.CallToolRequestParams) -> t.CallToolResult:
        if params.name not in _CALLS:
            raise MCPError(t.INVALID_PARAMS, f"Unknown tool: {params.name}")
        return call(resolve(ctx), chosen, params.name, params.arguments)

    title = ", ".join(registry.info(slug).name for slug in chosen[:12])
    return new_server("legoenv-api", title, "1", list_tools, call_tool)
