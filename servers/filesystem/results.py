"""What the tools answer."""

from typing import Literal

from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12


class Text(TypedDict):
    """The text that the content shows, once more for programs."""

    content: str


class Media(TypedDict):
    type: Literal["image", "audio"]
    data: str
    mimeType: str


class Blob(TypedDict):
    uri: str
    mimeType: str
    blob: str


class Embedded(TypedDict):
    type: Literal["resource"]
    resource: Blob


class Blocks(TypedDict):
    """The content blocks once more."""

    content: list[Media | Embedded]
