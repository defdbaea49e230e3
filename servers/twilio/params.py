"""Parameter types and what turns PascalCase parameters into columns."""

import re
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator

from legoenv_mcp.app import MISSING, Body, Ctx, Field

from .errors import refuse


def _listed(value: Any) -> Any:
    """A form that says a list's parameter once says a list of one."""
    return [value] if isinstance(value, str) else value


Texts = Annotated[list[str], BeforeValidator(_listed)]
Name = Annotated[str, Field(max_length=64)]
Address = Annotated[str, Field(min_length=1, max_length=200)]
Method = Annotated[Literal["GET", "POST"] | MISSING, Body(mcp=False)]
Hidden = Annotated[str | MISSING, Body(mcp=False)]
HiddenFlag = Annotated[bool | MISSING, Body(mcp=False)]
Attributes = Annotated[str, Field(max_length=16384)]


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def columns(ctx: Ctx, *without: str) -> dict[str, Any]:
    """What was sent, by column."""
    return {snake(name): value for name, value in ctx.sent().items() if name not in without}


def is_url(text: str) -> bool:
    if len(text) > 4000 or any(c.isspace() for c in text):
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def check_urls(ctx: Ctx, code: int = 21502) -> None:
    """Every `...Url` and `StatusCallback` that was sent is one, or empty."""
    for name, value in ctx.sent().items():
        if (
            isinstance(value, str)
            and value
            and (name.endswith("Url") or name == "StatusCallback")
            and not is_url(value)
        ):
            if name == "StatusCallback" and code == 21502:
                raise refuse(400, 21609, f"The StatusCallback URL {value[:100]} is not a valid URL.")
            raise refuse(400, code, f"{name} is not a valid URL: {value[:100]}")


def only(value: Any) -> Any:
    """None where a parameter was not sent."""
    return None if value is MISSING else value
