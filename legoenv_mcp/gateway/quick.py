"""The short way for the call that agents make all day: `tools/call`, where no session is kept.

The newest protocol revision keeps none, and an episode's address keeps none for the older ones: a request says all there is to say.
The SDK's way through its transport, dispatcher and three validations of the result costs several times what our tools do, and hands
the request from task to task, each of which waits behind all other clients' calls. So a request that is beyond doubt is answered
here; whatever has anything unusual goes the SDK's way, which answers it or says what is wrong. tests/gateway/test_quick.py holds the
two to the same answers.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import from_json, to_json

from legoenv_mcp.faces.replies import KEPT, Answer
from legoenv_mcp.faces.tools import result
from legoenv_mcp.gateway.problems import Problem
from legoenv_mcp.gateway.wire import Exchange
from legoenv_mcp.kernel.episode import Episode

REVISION = "2026-07-28"
_OLDER = frozenset({"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
"""The revisions whose calls look alike; a client may leave out which it speaks."""
HEADERS = [(b"content-type", b"application/json")]
_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_SERVER = "io.modelcontextprotocol/serverInfo"
_ROUTING = {b"mcp-protocol-version", b"mcp-method", b"mcp-name", b"mcp-session-id"}


def looks_quick(exchange: Exchange, stateless: bool) -> bool:
    """Whether the headers are those of such a request, each once. `stateless`: whether the endpoint keeps no sessions."""
    headers = exchange.headers
    accepted = headers.get("accept", "")
    if (
        exchange.method != "POST"
        or headers.get("content-type", "").partition(";")[0].strip() != "application/json"
        or "application/json" not in accepted
    ):
        return False
    given = sum(name in _ROUTING for name, _ in exchange.scope["headers"])
    version = headers.get("mcp-protocol-version", "")
    if version == REVISION:
        return headers.get("mcp-method") == "tools/call" and given == 3
    return stateless and version in _OLDER and given == bool(version) and "text/event-stream" in accepted


def answer(
    exchange: Exchange, body: bytes, places: Mapping[str, tuple[str, str]], find: Callable[[], Episode], server: Mapping[str, str]
) -> bytes | None:  # fmt: skip
    """The answer's body; None where the request is for the SDK to look at. `server` is how the server calls itself."""
    try:
        request: Any = from_json(body, allow_inf_nan=False)
    except ValueError:
        return None
    if not _is(dict, request) or request.keys() != {"jsonrpc", "id", "method", "params"}:
        return None
    key, params = request["id"], request["params"]
    if request["jsonrpc"] != "2.0" or request["method"] != "tools/call" or type(key) not in (int, str):
        return None
    newest = exchange.headers.get("mcp-protocol-version") == REVISION
    if not _is(dict, params) or not params.keys() <= {"name", "arguments", "_meta"}:
        return None
    if not (_meant if newest else _unmarked)(params.get("_meta")):
        return None
    name, arguments = params.get("name"), params.get("arguments")
    place = places.get(name) if _is(str, name) else None
    if place is None or not (arguments is None or _is(dict, arguments)):
        return None
    if newest and exchange.headers.get("mcp-name") != name:
        return None
    try:
        episode = find()
    except Problem:
        return None
    live, tool = episode.app(place[0]), place[1]

    def ask() -> Answer:
        reply = live.call(tool, arguments)
        made = result(reply)
        if newest:
            made["_meta"] = {**made.get("_meta", {}), _SERVER: dict(server)}
        else:
            del made["resultType"]
        sent = _encoded(made)
        return Answer(sent, len(sent), reply.status)

    asked = (tool, *server.values(), newest, b"" if not arguments else _encoded(arguments))
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (_encoded(key), KEPT.answer(live, asked, ask))


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


def _unmarked(meta: Any) -> bool:
    """Whether an older revision's envelope is the plain one: none, or a client's own notes."""
    return meta is None or (_is(dict, meta) and not any(key.startswith("io.modelcontextprotocol/") for key in meta))


def _encoded(data: Any) -> bytes:
    try:
        return to_json(data)
    except ValueError:  # text that is no Unicode, from an argument that was echoed: as escapes
        return json.dumps(data).encode()
