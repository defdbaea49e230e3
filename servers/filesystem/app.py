"""How the server answers: text content with a structured twin, errors as plain text, bad arguments in its validator's words.

It has no HTTP API; `POST /tools/{name}` with the arguments as JSON answers the structured content here.
"""

from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Problem, Reply

from .models import Table


def refuse(status: int, text: str) -> ApiError:
    """A refusal whose text is all that an MCP client sees."""
    return ApiError(status, text, shown=text)


_ERRNO = {
    "EBUSY": (409, "resource busy or locked"),
    "EEXIST": (409, "file already exists"),
    "EINVAL": (400, "invalid argument"),
    "EISDIR": (400, "illegal operation on a directory"),
    "ELOOP": (400, "too many symbolic links encountered"),
    "ENAMETOOLONG": (400, "name too long"),
    "ENOENT": (404, "no such file or directory"),
    "ENOTDIR": (400, "not a directory"),
}


def errno(code: str, call: str, path: str = "", to: str = "") -> ApiError:
    """A failed system call in Node.js's words."""
    status, meaning = _ERRNO[code]
    text = f"{code}: {meaning}, {call}" + (f" '{path}'" if path else "") + (f" -> '{to}'" if to else "")
    return ApiError(status, text, shown=text, code=code)


def _invalid(problems: list[Problem]) -> ApiError:
    said = "\n".join(f"{_complaint(p)} at {_place(p)}" for p in problems)
    return refuse(
        400, f"MCP error -32602: Input validation error: Invalid arguments for tool {problems[0].tool}: {said}"
    )


def _place(problem: Problem) -> str:
    head, *rest = problem.path
    return str(head) + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)


def _complaint(problem: Problem) -> str:
    if problem.kind == "unknown":
        return f'Unrecognized key: "{problem.path[-1]}"'
    schema = _schema(problem)
    if problem.kind == "length" and schema.get("type") == "array":
        return f"Too small: expected array to have >={schema.get('minItems', 1)} items"
    if problem.kind == "enum":
        return "Invalid option: expected one of " + "|".join(f'"{option}"' for option in schema.get("enum", []))
    if problem.kind == "invalid":
        return f"Invalid input: {problem.message}"
    return f"Invalid input: expected {schema.get('type', 'string')}, received {_received(problem)}"


def _schema(problem: Problem) -> dict[str, Any]:
    """The JSON schema of the place that a problem points at."""
    schema = app.operations[problem.tool].input_properties.get(str(problem.path[0]), {})
    for part in problem.path[1:]:
        schema = schema.get("items", {}) if isinstance(part, int) else schema.get("properties", {}).get(part, {})
    return schema


def _received(problem: Problem) -> str:
    if problem.kind == "missing":
        return "undefined"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", type(None): "null"}
    return names.get(type(problem.value), "object")


def _envelope(error: ApiError) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": error.message}], "isError": True}


def _around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """A tool's result is its content: text, or the content blocks themselves."""
    body = call().model_dump()
    content = body["content"]
    return Reply(body, shown=content) if isinstance(content, str) else Reply(body, blocks=content)


app = App("filesystem", Table, envelope=_envelope, invalid=_invalid, around=_around)
