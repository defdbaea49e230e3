"""How Google's newer APIs word refusals: those whose bodies are read by their JSON-to-proto reader. https://google.aip.dev/193"""

import re
from typing import Any

from legoenv_mcp.app import ApiError, Problem


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def where(path: tuple[str | int, ...]) -> str:
    """A path as Google's JSON reader writes it: `message.label_ids[0]`."""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{_snake(part)}" if out else _snake(part)
    return out


def told(problem: Problem) -> tuple[str, str]:
    """The place and the wording of one bad argument."""
    *outer, name = problem.path
    if problem.kind == "unknown":
        place = f" at '{where(tuple(outer))}'" if outer else ""
        return where(tuple(outer)), f'Invalid JSON payload received. Unknown name "{name}"{place}: Cannot find field.'
    field = where(problem.path)
    if problem.kind == "missing":
        return field, f"Missing required field: {problem.name}"
    shown = f'"{problem.value}"' if isinstance(problem.value, str) else str(problem.value)
    return field, f"Invalid value at '{field}' ({problem.message}), {shown[:200]}"


def invalid(problems: list[Problem]) -> ApiError:
    """Bad arguments, each with its place."""
    found = [told(p) for p in problems]
    return ApiError(400, "\n".join(text for _, text in found), reason="invalid", violations=found)


def not_found(kind: str = "", key: Any = "") -> ApiError:
    """The same words for every kind of thing, as the product has it."""
    del kind, key
    return ApiError(404, "Requested entity was not found.")


def malformed(reason: str) -> ApiError:
    """A body that is no JSON."""
    return ApiError(400, f"Invalid JSON payload received. {reason[:1].upper()}{reason[1:]}", reason="parseError")


def unauthorized() -> ApiError:
    """Credentials that are missing or wrong."""
    message = (
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication "
        "credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
    )
    return ApiError(401, message, headers={"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/"'})
