"""What the tools answer."""

from typing import Literal

from pydantic import BaseModel


class Text(BaseModel):
    """The text that the content shows, once more for programs."""

    content: str


class Media(BaseModel):
    """An image or a sound, its bytes in base64."""

    type: Literal["image", "audio"]
    data: str
    mimeType: str


class Blob(BaseModel):
    """Any other file's bytes in base64."""

    uri: str
    mimeType: str
    blob: str


class Embedded(BaseModel):
    """A file as an embedded resource."""

    type: Literal["resource"]
    resource: Blob


class Blocks(BaseModel):
    """The content blocks once more."""

    content: list[Media | Embedded]
