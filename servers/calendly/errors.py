"""Calendly's refusals: a title, a message, and which parameters are wrong. https://developer.calendly.com/api-docs/overview/errors"""

from typing import Any

from legoenv_mcp.app import ApiError, Problem

_TITLES = {
    400: "Invalid Argument", 401: "Unauthenticated", 403: "Permission Denied", 404: "Resource Not Found", 409: "Already Exists",
    413: "Payload Too Large", 500: "Internal Server Error",
}  # fmt: skip
NO_ACCESS = "You do not have permission to access this resource."
NO_PERMISSION = "You do not have permission"
NOT_OURS = "This user is not in your organization"
_UNKNOWN = "The server encountered an unexpected condition that prevented it from fulfilling the request."


def envelope(error: ApiError) -> dict[str, Any]:
    message = error.message if error.status < 500 else _UNKNOWN
    body: dict[str, Any] = {"title": error.title or _TITLES.get(error.status, "Error"), "message": message}
    return {**body, "details": error.details} if error.details else body


def invalid(*details: tuple[str, str]) -> ApiError:
    """The refusal of parameters: each with what is wrong with it."""
    told = [{"parameter": parameter, "message": message} for parameter, message in details]
    return ApiError(400, "The supplied parameters are invalid.", details=told)


def denied(message: str = NO_ACCESS) -> ApiError:
    return ApiError(403, message)


def not_found(kind: str = "", key: Any = "") -> ApiError:
    return ApiError(404, "The server could not find the requested resource.")


def exists(message: str) -> ApiError:
    return ApiError(409, message)


def _wrong(problem: Problem) -> str:
    context = problem.context or {}
    match problem.kind:
        case "missing":
            return "is missing"
        case "null":
            return "must be filled"
        case "enum":
            return "must be one of: " + str(context.get("expected", "")).replace(" or ", ", ").replace("'", "")
        case "unknown":
            return "is not allowed"
        case "range" if "le" in context:
            return f"must be less than or equal to {context['le']}"
        case "range" if "ge" in context:
            return f"must be greater than or equal to {context['ge']}"
        case "length" if context.get("max_length"):
            return f"size cannot be greater than {context['max_length']}"
        case "length":
            return "must be filled"
        case "format":
            return "is in invalid format"
        case _:
            told = problem.message.partition(",")[0].replace("Input should be a valid ", "must be of the type ")
            return told.replace("Input should be", "must be")[:200]


def _place(problem: Problem) -> str:
    """`questions_and_answers[0].question`."""
    place = ""
    for part in problem.path:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else str(part)
    return place[:200]


def from_problems(problems: list[Problem]) -> ApiError:
    return invalid(*((_place(p), _wrong(p)) for p in problems))
