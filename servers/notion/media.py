"""Icons, covers and files: an emoji, an address elsewhere or an upload. https://developers.notion.com/reference/file-object"""

from collections.abc import Mapping
from typing import Any

from legoenv_mcp.app import Ctx

from .check import Check, enum, nullable, obj, one_of, text, uid, uuid, validation
from .models import FileUpload

NOTICON_COLORS = ("gray", "lightgray", "brown", "yellow", "orange", "green", "blue", "purple", "pink", "red")

_external = obj({"url": text(2000, 1)}, ("url",))


def uploaded(ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
    """The `file_upload` of a request as the `file` of an answer. The upload must be complete."""
    key = uid(obj({"id": uuid}, ("id",))(ctx, value, path)["id"], f"{path}.id")
    found = ctx.require(FileUpload, key)
    if found.status != "uploaded":
        raise validation(
            f"File upload {key} has status `{found.status}`; it must be `uploaded` before it can be attached."
        )
    return {
        "url": f"https://prod-files-secure.s3.us-west-2.amazonaws.com/{key}/{found.filename or 'file'}",
        "upload": key,
    }


def _as_file(made: dict[str, Any]) -> dict[str, Any]:
    if made["type"] != "file_upload":
        return made
    rest = {name: one for name, one in made.items() if name not in ("type", "file_upload")}
    return {"type": "file", "file": made["file_upload"], **rest}


def _emoji(ctx: Ctx, value: Any, path: str) -> str:
    made = text(40, 1)(ctx, value, path)
    if made.isascii():
        raise validation(f"{path} should be an emoji, instead was `{made}`.")
    return made


_icon = one_of(
    {
        "emoji": _emoji,
        "external": _external,
        "file_upload": uploaded,
        "icon": obj({"name": text(100, 1), "color": enum(*NOTICON_COLORS)}, ("name",)),
    }
)
_cover = one_of({"external": _external, "file_upload": uploaded})


def icon(ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
    return _as_file(_icon(ctx, value, path))


def cover(ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
    return _as_file(_cover(ctx, value, path))


def external_or_upload(common: Mapping[str, Check], *, whole: bool = True) -> Check:
    """A file with a caption or a name beside it; of a change (not `whole`) also the caption or name alone."""
    full = one_of({"external": _external, "file_upload": uploaded}, common)
    beside = obj(common)

    def check(ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
        if not whole and isinstance(value, dict) and not {"external", "file_upload", "type"} & set(value):
            return beside(ctx, value, path)
        return _as_file(full(ctx, value, path))

    return check


_hosted = obj({"url": text(2000, 1), "expiry_time": nullable(text(100))}, ("url",))
_file = one_of({"external": _external, "file_upload": uploaded, "file": _hosted}, {"name": text(100)})


def named_file(ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
    """An item of a files property."""
    made = _as_file(_file(ctx, value, path))
    return {
        "name": made.get("name") or made[made["type"]]["url"].rsplit("/", 1)[-1],
        **{k: v for k, v in made.items() if k != "name"},
    }
