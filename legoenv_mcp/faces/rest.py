"""The REST face: HTTP requests on the product's own paths -> operations -> the product's own responses."""

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from email.message import Message
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, unquote

from pydantic_core import from_json

from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Reply, Request, as_json
from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.kernel.errors import ApiError
from legoenv_mcp.kernel.operations import Operation, Param, kinds_of

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_LONGEST_HEADER = 8192
_NO_BODY = {204, 205, 304}
_BODY_DEPTH = 100
_INDEX_DIGITS = 9
_Pairs = list[tuple[str, str]]


# Escapes of characters that mean the same without (RFC 3986, 6.2.2.2, and those that no path needs to escape).
_PLAIN = "-._~:@!$&'()*+,;=" + string.ascii_letters + string.digits
_NEEDLESS = re.compile("%(" + "|".join(f"{ord(c):02X}" for c in _PLAIN) + ")", re.IGNORECASE)


def normal_path(path: str) -> str:
    """The path with needless escapes undone: `/v1/x%3Abatch` is `/v1/x:batch`, while `%2F` stays inside its segment."""
    return _NEEDLESS.sub(lambda found: chr(int(found[1], 16)), path) if "%" in path else path


class Unreadable(Exception):
    """The body is not what its content type says."""


def handle(live: LiveApp, request: Request, body: bytes) -> Reply:
    """One HTTP request against an app of an episode."""
    request, body = tunnelled(request, body)
    found = read_request(live.app, request, body)
    return found if isinstance(found, Reply) else live.perform(found[0], found[1], request)


def tunnelled(request: Request, body: bytes) -> tuple[Request, bytes]:
    """A GET whose address was too long for its client, sent as a form by POST (Google's clients do, from 2,048 characters on)."""
    if request.method != "POST" or request.headers.get("x-http-method-override", "").upper() != "GET":
        return request, body
    if _media_type(request.headers.get("content-type", ""))[0] not in ("", "application/x-www-form-urlencoded"):
        return request, body
    text = "&".join(filter(None, [request.url.partition("?")[2], body.decode("latin-1")]))
    address = request.url.partition("?")[0] + (f"?{text}" if text else "")
    query = dict(parse_qsl(text, keep_blank_values=True))
    return replace(request, method="GET", url=address, query=query), b""


def read_request(app: App, request: Request, body: bytes | None) -> Reply | tuple[Operation, dict[str, Any]]:
    """The operation that a request means and its arguments by the function's names; a refusal where there is none."""
    app.read_request = read_request
    method = "GET" if request.method == "HEAD" else request.method
    operation, in_path, _ = app.router.match(method, request.path)
    if operation is None:
        return app.refusal(app.no_route(request.method, request.path))
    kind = request.headers.get("content-type", "")
    if any(param.raw for param in operation.params.values()) and not kind.startswith("multipart/"):
        kind = "application/octet-stream"  # clients name no type for an upload, or a form's
    try:
        fields, payload = _read_body(app, kind, body or b"")
        if app.xml and isinstance(payload, (str, bytes)) and _is_xml(kind) and _takes_fields(operation):
            fields, payload = app.xml(payload), None
        if payload is not None and not isinstance(payload, (dict, bytes, str)) and _takes_fields(operation):
            raise Unreadable("the body must be a JSON object")
        query = _spelt(parse_qsl(request.url.partition("?")[2], keep_blank_values=True), app.arrays)
    except Unreadable as error:
        return app.refusal(app.malformed(str(error)))
    except ApiError as error:
        return app.refusal(error)
    return operation, _arguments(app, operation, in_path, query, fields, payload, request.headers)


def _arguments(
    app: App, operation: Operation, in_path: Mapping[str, str], query: dict[str, Any], fields: dict[str, Any], payload: Any,
    headers: Mapping[str, str],
) -> dict[str, Any]:  # fmt: skip
    """Path, query, body and header values by the function's parameter names; unknown ones under their own name, to be refused."""
    out = dict[str, Any]()
    query, fields = dict(query), dict(fields)
    whole = next((p for p in operation.params.values() if p.where == "payload" and p.rest), None)
    for param in operation.params.values():
        if not param.rest:
            continue
        if param.where == "path":
            out[param.name] = in_path[param.wire]
        elif param.where == "header":
            if (value := headers.get(param.wire.lower())) is not None:
                out[param.name] = value
        elif param.where == "payload":
            if payload is not None and payload != b"":
                out[param.name] = payload
        else:
            places = (query, fields) if param.where == "query" else (fields, query)
            for place in places if app.mixed else places[:1]:
                if param.wire in place:
                    out[param.name] = _shaped(app, operation, param, place.pop(param.wire), place is query)
                    break
    if whole is None and app.unknown == "refuse":
        out.update({_stranger(operation, name): value for name, value in fields.items()})
    if app.unknown_query == "refuse":
        out.update({_stranger(operation, name): value for name, value in query.items()})
    return out


def _stranger(operation: Operation, name: str) -> str:
    """An unknown name that cannot be mistaken for one of the function's parameters."""
    return f"{name} " if name in operation.params else name


def _shaped(app: App, operation: Operation, param: Param, value: Any, in_query: bool) -> Any:
    """A query string's value for a list parameter is a list, also when it was given once."""
    if app.arrays == "bracket" and isinstance(value, (dict, list)):
        value = _fitted(value, operation.input_properties[param.name])
    if operation.is_list(param.name):
        if isinstance(value, str) and app.arrays == "comma":
            return [part for part in value.split(",") if part]
        if isinstance(value, str) and in_query:
            return [value]
        return value
    if in_query and isinstance(value, list):
        return value[-1]
    return value


def _takes_fields(operation: Operation) -> bool:
    """Whether an operation reads named fields of the body, and not the body as a whole."""
    places = {param.where for param in operation.params.values() if param.rest}
    return "body" in places and "payload" not in places


def _is_xml(content_type: str) -> bool:
    """Whether a body claims to be XML: `application/xml`, `text/xml`, `application/atom+xml`."""
    return _media_type(content_type)[0].endswith(("/xml", "+xml"))


def _read_body(app: App, content_type: str, body: bytes) -> tuple[dict[str, Any], Any]:
    """Named fields, and the body as a whole: JSON data, fields of a form, text or bytes."""
    kind, charset, boundary = _media_type(content_type)
    if not body:
        return {}, None
    if kind == "application/x-www-form-urlencoded":
        try:
            fields = _spelt(parse_qsl(_decoded(body, charset), keep_blank_values=True, errors="strict"), app.arrays)
        except (ValueError, LookupError) as error:
            raise Unreadable(f"malformed form data ({error})") from None
        return fields, _whole(fields) if app.arrays == "bracket" else fields
    if kind == "multipart/form-data":
        fields = _multipart(body, boundary)
        return fields, fields
    if kind == "application/json" or kind.endswith("+json") or (not kind and body[:1] in b'{["'):
        try:
            data = from_json(body, allow_inf_nan=False)
        except ValueError as error:
            raise Unreadable(f"malformed JSON ({error})") from None
        if _depth(data) > _BODY_DEPTH:
            raise Unreadable(f"JSON nested deeper than {_BODY_DEPTH}")
        if app.body_key:
            data = _unwrapped(app, data)
        return (data if isinstance(data, dict) else {}), data
    if kind.startswith("text/") and kind != "text/html":
        try:
            return {}, _decoded(body, charset)
        except (ValueError, LookupError):
            raise Unreadable(f"the text is not valid {charset}") from None
    return {}, body


def _unwrapped(app: App, data: Any) -> dict[str, Any]:
    """The fields of a JSON body that carries them under a name."""
    if app.unwrap is not None:
        return app.unwrap(data)
    if not isinstance(data, dict) or not isinstance(fields := data.get(app.body_key), dict):
        raise Unreadable(f"the fields must be an object under {app.body_key!r}")
    return fields


def _decoded(body: bytes, charset: str) -> str:
    """The body as text. ValueError, too, where it spells lone surrogates, as UTF-7 can: nothing could store or answer them."""
    text = body.decode(charset)
    text.encode()
    return text


def _depth(data: Any) -> int:
    depth, level = 0, [data]
    while level and depth <= _BODY_DEPTH:
        depth += 1
        level = [v for d in level if isinstance(d, (dict, list)) for v in (d.values() if isinstance(d, dict) else d)]
    return depth


@lru_cache(maxsize=64)
def _media_type(content_type: str) -> tuple[str, str, str]:
    """Type, character set and boundary. A client sends the same ones over and over."""
    message = Message()
    message["content-type"] = content_type
    return (
        message.get_content_type() if content_type else "",
        message.get_content_charset() or "utf-8",
        str(message.get_param("boundary") or ""),
    )


def _multipart(body: bytes, boundary: str) -> dict[str, Any]:
    """Fields of a multipart form: text, or for a file `{"filename", "content_type", "content": bytes}`."""
    from python_multipart import multipart  # noqa: PLC0415 - few requests need it

    fields = dict[str, Any]()

    def on_field(field: Any) -> None:
        fields[field.field_name.decode()] = (field.value or b"").decode()

    def on_file(file: Any) -> None:
        file.file_object.seek(0)
        kind = getattr(file, "content_type", None) or ""
        fields[file.field_name.decode()] = {
            "filename": (file.file_name or b"").decode(), "content_type": kind, "content": file.file_object.read(),
        }  # fmt: skip

    try:
        in_memory = {"MAX_MEMORY_FILE_SIZE": len(body) + 1}
        parser = multipart.FormParser(
            "multipart/form-data", on_field, on_file, boundary=boundary.encode(), config=in_memory
        )
        parser.write(body)
        parser.finalize()
    except ValueError as error:  # also the parser's own errors
        raise Unreadable(f"malformed multipart form ({error})") from None
    if f"--{boundary}--".encode() not in body:
        raise Unreadable("malformed multipart form (it does not end)")
    return fields


def nested(pairs: _Pairs, arrays: str) -> dict[str, Any]:
    """Form or query pairs as data. Repeated names become lists; with "bracket", `a[b][0]=v` nests, as PHP and Stripe spell it."""
    out = _spelt(pairs, arrays)
    return _whole(out) if arrays == "bracket" else out


def _spelt(pairs: _Pairs, arrays: str) -> dict[str, Any]:
    """Pairs as data in which `a[0]` is still an object's key: whether it is a list's place, a parameter's type tells."""
    out = dict[str, Any]()
    for name, value in pairs:
        if arrays == "bracket" and "[" in name and not name.startswith("["):
            head, *rest = name.replace("]", "").split("[")
            _put(out, [head, *rest], value)
        elif name in out:
            if not isinstance(out[name], list):
                out[name] = [out[name]]
            out[name].append(value)
        else:
            out[name] = value
    return out


def _put(place: dict[str, Any], path: list[str], value: str) -> None:
    if len(path) > _BODY_DEPTH:
        raise Unreadable(f"names nested deeper than {_BODY_DEPTH}")
    for part in path[:-1]:
        inner = place.setdefault(part, {})
        if not isinstance(inner, dict):
            raise Unreadable(f"{'.'.join(path)} is both a value and an object")
        place = inner
    last = path[-1] if path[-1] else str(len(place))
    place[last] = value


def _whole(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: _fitted(value, {}) for name, value in fields.items()}


def _fitted(value: Any, schema: Mapping[str, Any]) -> Any:
    """Objects whose keys are numbers are lists, in the order of the numbers, except where the schema says object."""
    arms = [schema, *schema.get("anyOf", ())]
    if isinstance(value, list):
        items = next((arm["items"] for arm in arms if "items" in arm), {})
        return [_fitted(v, items) for v in value]
    if not isinstance(value, dict):
        return value
    kinds = kinds_of(schema)
    if value and all(map(_is_index, value)) and ("array" in kinds or "object" not in kinds):
        return _fitted([value[k] for k in sorted(value, key=int)], schema)
    return {k: _fitted(v, _member(arms, k)) for k, v in value.items()}


def _member(arms: Sequence[Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    """The schema of an object's member."""
    known = (arm.get("properties", {}).get(name) or arm.get("additionalProperties") for arm in arms)
    return next((found for found in known if isinstance(found, Mapping)), {})


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) <= _INDEX_DIGITS


def encode(reply: Reply) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """A reply as HTTP: status, headers, body."""
    status = reply.wire_status or reply.status
    # A value may come from callers' data: a line break would begin another header, servers refuse to send other control characters,
    # and clients to read what is too long.
    headers = [
        (name.lower().encode("latin-1"), _CONTROL.sub(" ", value[:_LONGEST_HEADER]).encode("latin-1", "replace"))
        for name, value in reply.headers.items()
    ]
    if status in _NO_BODY:
        return status, headers, b""
    if reply.media_type:
        body = reply.body if isinstance(reply.body, bytes) else str(reply.body).encode("utf-8", "replace")
        kind = reply.media_type
    else:
        body, kind = as_json(reply.body), "application/json; charset=utf-8"
    if all(name != b"content-type" for name, _ in headers):
        headers.append((b"content-type", kind.encode("latin-1")))
    return status, [*headers, (b"content-length", str(len(body)).encode())], body


async def respond(app: LiveApp, scope: Any, receive: Any, send: Any, path: str, base: str, limit: int) -> None:
    """Serves one ASGI HTTP request whose path below the face's mount point is `path`."""
    body = await read_body(receive, limit)
    raw = scope.get("query_string", b"").decode("latin-1")
    if body is None:
        reply = app.app.refusal(app.app.too_large(limit))
    else:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        query = dict(parse_qsl(raw, keep_blank_values=True))
        request = Request(scope["method"], path, f"{base}{path}" + (f"?{raw}" if raw else ""), query, headers, base)
        reply = handle(app, request, body)
    status, headers_out, content = encode(reply)
    await send({"type": "http.response.start", "status": status, "headers": headers_out})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})


async def read_body(receive: Any, limit: int) -> bytes | None:
    """The whole request body; None as soon as it is larger than the limit."""
    chunks, size = list[bytes](), 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(chunks)
        size += len(message.get("body", b""))
        if size > limit:
            return None
        chunks.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(chunks)


__all__ = ["ApiError", "encode", "handle", "nested", "normal_path", "read_body", "read_request", "respond", "unquote"]
