"""The gateway's own paths as an OpenAPI 3.1 document."""

from typing import Any

from legoenv_mcp import __version__
from legoenv_mcp.gateway.problems import MEDIA_TYPE


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _object(required: tuple[str, ...] = (), **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


_TEXT: dict[str, Any] = {"type": "string"}
_INSTANT: dict[str, Any] = {"type": "string", "format": "date-time"}
_URL: dict[str, Any] = {"type": "string", "format": "uri"}

_SCHEMAS: dict[str, Any] = {
    "Problem": _object(("type", "title", "status", "detail"), type=_TEXT, title=_TEXT, status={"type": "integer"}, detail=_TEXT),
    "Places": _object(("mcp", "rest"), mcp=_URL, rest=_URL),
    "App": _object(
        ("slug", "name", "capabilities", "version", "tools", "tables"),
        slug=_TEXT, name=_TEXT, version=_TEXT, capabilities={"type": "array", "items": _TEXT}, docs=_TEXT, auth=_TEXT, base_url=_TEXT,
        tools={"type": "integer"}, tables={"type": "integer"}, mcp=_URL, rest=_URL,
    ),
    "NewEpisode": {
        "oneOf": [
            _object(("environment",), environment=_TEXT),
            _object(
                ("apps",), apps={"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}, world=_TEXT,
                seed={"type": ["integer", "string"]},
            ),
        ]
    },
    "Episode": _object(
        ("id", "mcp", "apps", "expires_at"),
        id={"type": "string", "description": "Controls the episode. The addresses below do not contain it: they are for the agent."},
        environment=_TEXT, instruction=_TEXT, world=_TEXT, seed=_TEXT, mcp=_URL,
        apps={"type": "object", "additionalProperties": _ref("Places")}, created_at=_INSTANT, expires_at=_INSTANT,
    ),
    "Grade": _object(
        ("reward", "passed", "assertions", "diff"),
        reward={"type": "number"},
        passed={"type": "boolean"},
        assertions={
            "type": "array",
            "items": _object(("name", "passed", "detail"), name=_TEXT, passed={"type": "boolean"}, detail=_TEXT),
        },
        diff={"type": "array", "items": {"type": "object"}, "description": "Rows inserted, updated and deleted, app by app."},
    ),
}  # fmt: skip

_PROBLEM = {"description": "A problem document (RFC 9457).", "content": {MEDIA_TYPE: {"schema": _ref("Problem")}}}


def _operation(
    name: str,
    summary: str,
    status: int,
    schema: dict[str, Any] | None,
    *parameters: str,
    body: dict[str, Any] | None = None,
) -> dict[str, Any]:
    answer: dict[str, Any] = {"description": "Done."}
    if schema is not None:
        answer["content"] = _json(schema)
    made: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "parameters": [{"name": p, "in": "path", "required": True, "schema": _TEXT} for p in parameters],
        "responses": {str(status): answer, "default": _PROBLEM},
    }
    if body is not None:
        made["requestBody"] = {"content": _json(body)}
    return made


def document(url: str) -> dict[str, Any]:
    """The document, for the gateway reached at `url`. MCP and REST faces are told of in words: MCP has its own discovery, and
    each app's REST face its own document at `/apps/{slug}/openapi.json`."""
    anything: dict[str, Any] = {"type": "object"}
    mcp = "An MCP endpoint (streamable HTTP)"
    return {
        "openapi": "3.1.0",
        "info": {"title": "LegoEnv gateway", "version": __version__},
        "servers": [{"url": url}],
        "security": [{"bearer": []}, {}],
        "components": {"schemas": _SCHEMAS, "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
        "paths": {
            "/healthz": {"get": _operation("health", "Whether the process is up", 200, anything)},
            "/readyz": {
                "get": _operation("readiness", "Whether new episodes are welcome (else 404 or 503)", 200, anything)
            },
            "/apps": {"get": _operation("listApps", "The fleet", 200, {"type": "array", "items": _ref("App")})},
            "/apps/{slug}/openapi.json": {
                "get": _operation("describeApp", "An app's REST face", 200, anything, "slug")
            },
            "/apps/{slug}/mcp": {
                "post": _operation("scratchMcp", f"{mcp} over a scratch episode", 200, anything, "slug", body=anything)
            },
            "/episodes": {
                "post": _operation(
                    "createEpisode",
                    "Opens an episode of an environment, or of apps",
                    201,
                    _ref("Episode"),
                    body=_ref("NewEpisode"),
                )
            },
            "/episodes/{id}": {
                "get": _operation("getEpisode", "An episode", 200, _ref("Episode"), "id"),
                "delete": _operation("endEpisode", "Ends an episode", 204, None, "id"),
            },
            "/episodes/{id}/reset": {
                "post": _operation("resetEpisode", "Takes everything back", 200, _ref("Episode"), "id")
            },
            "/episodes/{id}/grade": {
                "post": _operation(
                    "gradeEpisode", "Grades the present state", 200, _ref("Grade"), "id", body=_object(answer=_TEXT)
                )
            },
            "/episodes/{id}/mcp": {
                "post": _operation(
                    "episodeMcp", f"{mcp} over all apps of an episode", 200, anything, "id", body=anything
                )
            },
            "/episodes/{id}/apps/{slug}/mcp": {
                "post": _operation(
                    "appMcp", f"{mcp} over one app of an episode", 200, anything, "id", "slug", body=anything
                )
            },
        },
    }
