"""The short way for the call that agents make all day: `tools/call` of the newest protocol revision.

That revision keeps no session: a request says all there is to say. The SDK's way through its transport, dispatcher and three
validations of the result costs several times what our tools do, so a request that is beyond doubt is answered here; whatever has
anything unusual goes the SDK's way, which answers it or says what is wrong. tests/gateway/test_quick.py holds the two to the
same answers.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from mcp.server import Server
from pydantic_core import from_json, to_json

from legoenv_mcp.faces.mcp import result
from legoenv_mcp.gateway.problems import Problem
from legoenv_mcp.gateway.wire import Exchange
from legoenv_mcp.kernel.episode import Episode

REVISION = "2026-07-28"
HEADERS = [(b"content-type", b"application/json")]
_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_SERVER = "io.modelcontextprotocol/serverInfo"
_ROUTING = {b"mcp-protocol-version", b"mcp-method", b"mcp-name"}


def looks_quick(exchange: Exchange) -> bool:
    """Whether the headers are those of such a request, each once."""
    headers = exchange.headers
    return (
        exchange.method == "POST"
        and headers.get("mcp-protocol-version") == REVISION
        and headers.get("mcp-method") == "tools/call"
        and headers.get("content-type", "").partition(";")[0].strip() == "application/json"
        and "application/json" in headers.get("accept", "")
        and sum(name in _ROUTING for name, _ in exchange.scope["headers"]) == 3
    )


def answer(
    exchange: Exchange, body: bytes, places: Mapping[str, tuple[str, str]], find: Callable[[], Episode], server: Server[Any]
) -> bytes | None:  # fmt: skip
    """The answer's body; None where the request is for the SDK to look at."""
    try:
        request: Any = from_json(body, allow_inf_nan=False)
    except ValueError:
        return None
    if not _is(dict, request) or request.keys() != {"jsonrpc", "id", "method", "params"}:
        return None
    key, params = request["id"], request["params"]
    if request["jsonrpc"] != "2.0" or request["method"] != "tools/call" or type(key) not in (int, str):
        return None
    if not _is(dict, params) or not params.keys() <= {"name", "arguments", "_meta"} or not _meant(params.get("_meta")):
        return None
    name, arguments = params.get("name"), params.get("arguments")
    place = places.get(name) if _is(str, name) else None
    if place is None or exchange.headers.get("mcp-name") != name or not (arguments is None or _is(dict, arguments)):
        return None
    try:
        episode = find()
    except Problem:
        return None
    made = result(episode.call(*place, arguments))
    made["_meta"] = {**made.get("_meta", {}), _SERVER: server.server_info_stamp}
    return _encoded({"jsonrpc": "2.0", "id": key, "result": made})


def _is(kind: type, value: Any) -> bool:
    return isinstance(value, kind)


def _meant(meta: Any) -> bool:
    """Whether the request's envelope says what the headers say, in the shapes that the revision asks for."""
    return (
        _is(dict, meta)
        and meta.get(_VERSION) == REVISION
        and _is(dict, meta.get(_CAPABILITIES))
        and (meta.get(_CLIENT) is None or _is(dict, meta[_CLIENT]))
    )


def _encoded(data: Any) -> bytes:
    try:
        return to_json(data)
    except ValueError:  # text that is no Unicode, from an argument that was echoed: as escapes
        return json.dumps(data).encode()
