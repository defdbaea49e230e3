"""OpenEnv's wire: what its messages look like."""

import json
from typing import Any, TypeGuard

from pydantic_core import to_json

Json = dict[str, Any]
SUBMIT: Json = {
    "name": "submit",
    "description": "Ends the task and grades it. Give the answer where the task asks a question.",
    "input_schema": {
        "type": "object",
        "properties": {"answer": {"type": "string", "description": "What the task asks you to report."}},
        "additionalProperties": False,
    },
}
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, SERVER_ERROR = -32600, -32601, -32602, -32000


class Refused(Exception):
    """A message that cannot be followed; the code is OpenEnv's."""

    def __init__(self, message: str, code: str = "EXECUTION_ERROR") -> None:
        super().__init__(message)
        self.code = code


class RpcRefused(Exception):
    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.number = number


def rpc_error(code: int, message: str) -> Json:
    return {"error": {"code": code, "message": message}}


def observed(observation: Json, reward: float | None, done: bool) -> Json:
    return {"observation": observation, "reward": reward, "done": done}


def failed(kind: str, message: str) -> Json:
    return {"result": None, "error": {"error_type": kind, "message": message}}


def error_message(error: Refused) -> Json:
    return {"type": "error", "data": {"message": str(error), "code": error.code}}


def frame(data: Json) -> Json:
    return {"type": "websocket.send", "text": to_json(data, bytes_mode="base64").decode()}


def read_message(text: str | bytes) -> Json:
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"Invalid JSON: {error}", "INVALID_JSON") from None
    if not isinstance(data, dict):
        raise Refused("a message is a JSON object", "VALIDATION_ERROR")
    found: Json = data  # pyright: ignore[reportUnknownVariableType]
    return found


def is_object(value: Any) -> TypeGuard[Json]:
    return isinstance(value, dict)


def as_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


_ACTION: Json = {
    "oneOf": [
        {"type": "object", "properties": {"type": {"const": "list_tools"}}, "required": ["type"]},
        {
            "type": "object",
            "properties": {
                "type": {"const": "call_tool"},
                "tool_name": {"type": "string"},
                "arguments": {"type": "object"},
            },
            "required": ["type", "tool_name"],
        },
    ]
}
SCHEMA: Json = {
    "action": _ACTION,
    "observation": {
        "type": "object",
        "properties": {
            "tools": {"type": "array"},
            "tool_name": {"type": "string"},
            "result": {
                "type": "object",
                "properties": {"data": {}, "is_error": {"type": "boolean"}, "status": {"type": "integer"}},
            },
            "error": {"type": ["object", "null"]},
        },
    },
    "state": {"type": "object", "properties": {"episode_id": {"type": "string"}, "step_count": {"type": "integer"}}},
    "reset_observation": {
        "type": "object",
        "properties": {"instruction": {"type": "string"}, "environment": {"type": "string"}, "apps": {"type": "array"}},
    },
}
