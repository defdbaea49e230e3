"""An app's REST face as an OpenAPI 3.1 document, made from its operations."""

import re
from typing import Any

from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Reply
from legoenv_mcp.kernel.operations import Operation, Param
from legoenv_mcp.registry import AppInfo

_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")
_NO_BODY = {204, 205, 304}
_RESERVED_HEADERS = {"accept", "content-type", "authorization"}  # OpenAPI says these elsewhere
_SCHEMES: dict[str, dict[str, Any]] = {
    "basic": {"type": "http", "scheme": "basic"},
    "bearer": {"type": "http", "scheme": "bearer"},
}


def undeclared(operation: Operation) -> list[str]:
    """The names in a path that its function does not ask for: parts that may be anything, as an API's version."""
    declared = {p.wire for p in operation.params.values() if p.where == "path"}
    return [name for name in _PARAMETER.findall(operation.path) if name not in declared]


def document(info: AppInfo, app: App, url: str) -> dict[str, Any]:
    """The document, for the face mounted at `url`."""
    paths = dict[str, dict[str, Any]]()
    spelt = dict[str, tuple[str, list[str]]]()
    for operation in app.operations.values():
        if not operation.path:
            continue
        # Two templates that differ in their parameters' names only are one path: the first one names them.
        names = _PARAMETER.findall(operation.path)
        path, first = spelt.setdefault(
            _PARAMETER.sub("{}", operation.path), (_PARAMETER.sub(r"{\1}", operation.path), names)
        )
        renamed = dict(zip(names, first, strict=True))
        for number, method in enumerate(operation.methods):
            described = _operation(app, operation, renamed)
            described["parameters"] += [
                {
                    "name": renamed[name],
                    "in": "path",
                    "required": True,
                    "schema": {"type": "string", "default": info.version},
                }
                for name in undeclared(operation)
            ]
            if number:
                described["operationId"] += f"_{method.lower()}"
            paths.setdefault(path, {}).setdefault(method.lower(), described)
    scheme = _SCHEMES.get(info.auth)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": info.name,
            "version": info.version,
            "description": f"{info.name}'s API, simulated. The product's own: {info.docs}",
        },
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"securitySchemes": {info.auth: scheme}} if scheme else {},
        "security": [{info.auth: []}, {}] if scheme else [],
    }


def _operation(app: App, operation: Operation, renamed: dict[str, str]) -> dict[str, Any]:
    params = [p for p in operation.params.values() if p.rest]
    found: dict[str, Any] = {
        "operationId": operation.tool,
        "summary": operation.title,
        "description": operation.description,
        "parameters": [
            _parameter(operation, p, renamed)
            for p in params
            if p.where in ("path", "query") or (p.where == "header" and p.wire.lower() not in _RESERVED_HEADERS)
        ],
        "responses": _responses(app, operation),
    }
    if (body := _body(app, operation, [p for p in params if p.where in ("body", "payload")])) is not None:
        found["requestBody"] = body
    return found


def _schema(operation: Operation, param: Param) -> dict[str, Any]:
    return {
        k: v for k, v in operation.input_properties[param.name].items() if k not in ("description", "title", "derived")
    }


def _described(operation: Operation, param: Param) -> str:
    return operation.about.get(param.name) or operation.input_properties[param.name].get("description", "")


def _parameter(operation: Operation, param: Param, renamed: dict[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": renamed.get(param.wire, param.wire) if param.where == "path" else param.wire,
        "in": param.where,
        "required": param.where == "path" or param.required,
        "description": _described(operation, param),
        "schema": _schema(operation, param),
    }
    return made


def _body(app: App, operation: Operation, params: list[Param]) -> dict[str, Any] | None:
    if not params:
        return None
    whole = next((p for p in params if p.where == "payload"), None)
    if whole is not None:
        kind = "application/octet-stream" if whole.raw else "application/json"
        schema = {} if whole.raw else _schema(operation, whole)
        return {
            "required": whole.required,
            "description": _described(operation, whole),
            "content": {kind: {"schema": schema}},
        }
    required = [p.wire for p in params if p.required]
    schema = {
        "type": "object",
        "properties": {p.wire: {**_schema(operation, p), "description": _described(operation, p)} for p in params},
        **({"required": required} if required else {}),
    }
    if app.body_key:
        schema = {
            "type": "object",
            "properties": {app.body_key: schema},
            "required": [app.body_key] if required else [],
        }
    kinds = (
        ["application/x-www-form-urlencoded", "application/json"]
        if app.arrays == "bracket" or app.mixed
        else ["application/json"]
    )
    return {"required": bool(required) and not app.mixed, "content": {kind: {"schema": schema} for kind in kinds}}


def _responses(app: App, operation: Operation) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "Done."}
    if operation.status not in _NO_BODY:
        success["content"] = {"application/json": {"schema": app.output_schema(operation) or {}}}
        success["content"] |= {kind: {} for kind in app.media}
        if operation.hints.get("return") is Reply:  # a file, a page, whatever the product sends there
            success["content"]["*/*"] = {}
    return {str(operation.status): success, "default": {"description": "Refused, in the product's own error envelope."}}
