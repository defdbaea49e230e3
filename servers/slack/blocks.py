"""Block Kit, as far as Slack checks it when a message arrives. https://docs.slack.dev/reference/block-kit/blocks"""

import json
from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Field

from .app import err

BASE36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class TextObject(TypedDict, total=False):
    """Text in a block, or an element with a text."""

    __pydantic_config__ = {"extra": "allow"}  # pyright: ignore[reportGeneralTypeIssues]
    type: Annotated[str, Field(description="mrkdwn or plain_text; of an element its type")]
    text: Annotated[Any, Field(description="The text")]


class Block(TypedDict, total=False):
    """A block; what further fields it has depends on its type."""

    __pydantic_config__ = {"extra": "allow"}  # pyright: ignore[reportGeneralTypeIssues]
    type: Annotated[str, Field(description="section, header, divider, context, image, actions, rich_text ...")]
    block_id: Annotated[str, Field(description="A name for the block")]
    text: Annotated[TextObject, Field(description="Text of a section or header (a header has plain_text)")]
    fields: Annotated[list[TextObject], Field(description="Texts in two columns, in a section")]
    elements: Annotated[list[TextObject], Field(description="Elements of a context, actions or rich_text block")]


class Attachment(TypedDict, total=False):
    """A legacy attachment."""

    __pydantic_config__ = {"extra": "allow"}  # pyright: ignore[reportGeneralTypeIssues]
    fallback: Annotated[str, Field(description="Plain text for where it cannot be shown")]
    color: Annotated[str, Field(description="The bar beside it: good, warning, danger or a hex color")]
    pretext: Annotated[str, Field(description="Text above it")]
    title: Annotated[str, Field(description="Its title")]
    title_link: Annotated[str, Field(description="Where the title leads")]
    text: Annotated[str, Field(description="Its text")]


_REQUIRED = {
    "section": (),
    "divider": (),
    "header": ("text",),
    "context": ("elements",),
    "actions": ("elements",),
    "rich_text": ("elements",),
    "image": ("alt_text",),
    "input": ("label", "element"),
    "file": ("external_id", "source"),
    "markdown": ("text",),
    "table": ("rows",),
    "video": ("alt_text", "title", "thumbnail_url", "video_url"),
    "call": ("call_id",),
    "context_actions": ("elements",),
}
_MOST_ELEMENTS = {"context": 10, "actions": 25, "context_actions": 5}
MAX_BLOCKS = 50
MAX_ATTACHMENTS = 100


def parse_blocks(ctx: Ctx, given: list[Any] | str | None) -> list[dict[str, Any]]:
    """Blocks from an array or its JSON text, checked, each with a `block_id`."""
    blocks = _listed(given, "invalid_blocks_format")
    problems = list[str]()
    if len(blocks) > MAX_BLOCKS:
        problems.append(f"no more than {MAX_BLOCKS} items allowed [json-pointer:/blocks]")
    seen = set[str]()
    for index, block in enumerate(blocks[:MAX_BLOCKS]):
        problems += _problems(block, f"/blocks/{index}")
        block_id = block.get("block_id") if isinstance(block, dict) else None
        if isinstance(block_id, str) and block_id:
            if block_id in seen:
                problems.append(f"`block_id` {block_id} already exists [json-pointer:/blocks/{index}/block_id]")
            seen.add(block_id)
    if problems:
        raise err("invalid_blocks", *problems)
    return [
        block if block.get("block_id") else {**block, "block_id": ctx.id("", 5, BASE36, kind="block")}
        for block in blocks
    ]


def parse_attachments(given: list[Any] | str | None) -> list[dict[str, Any]]:
    """Attachments from an array or its JSON text, numbered as Slack does."""
    attachments = _listed(given, "invalid_attachments")
    if len(attachments) > MAX_ATTACHMENTS:
        raise err("too_many_attachments")
    for index, one in enumerate(attachments):
        if not isinstance(one, dict):
            raise err("invalid_attachments", f"must be an object [json-pointer:/attachments/{index}]")
        inner = one.get("blocks")
        if inner is not None:
            problems = [
                p
                for i, b in enumerate(_listed(inner, "invalid_attachments"))
                for p in _problems(b, f"/attachments/{index}/blocks/{i}")
            ]
            if problems:
                raise err("invalid_attachments", *problems)
        if not any(
            one.get(part)
            for part in (
                "text",
                "fallback",
                "pretext",
                "title",
                "fields",
                "image_url",
                "blocks",
                "actions",
                "author_name",
            )
        ):
            raise err("no_text")
    return [{"id": number, **one} for number, one in enumerate(attachments, 1)]


def _listed(given: list[Any] | str | None, code: str) -> list[Any]:
    if given is None or given == "":
        return []
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            raise err(code) from None
    if not isinstance(given, list):
        raise err(code)
    return given


def _problems(block: Any, at: str) -> list[str]:
    if not isinstance(block, dict):
        return [f"must be an object [json-pointer:{at}]"]
    kind = block.get("type")
    if kind is None:
        return [f"missing required field: type [json-pointer:{at}]"]
    if not isinstance(kind, str) or kind not in _REQUIRED:
        return [f"unsupported type: {kind} [json-pointer:{at}/type]"]
    found = [f"missing required field: {name} [json-pointer:{at}]" for name in _REQUIRED[kind] if name not in block]
    if len(str(block.get("block_id", ""))) > 255:
        found.append(f"must be less than 256 characters [json-pointer:{at}/block_id]")
    if kind == "section":
        if not block.get("text") and not block.get("fields"):
            found.append(f"missing required field: text [json-pointer:{at}]")
        if block.get("text"):
            found += _text(block["text"], f"{at}/text", 3000, ("mrkdwn", "plain_text"))
        fields = block.get("fields") or []
        if not isinstance(fields, list) or len(fields) > 10:
            found.append(f"no more than 10 items allowed [json-pointer:{at}/fields]")
        else:
            found += [
                p for i, f in enumerate(fields) for p in _text(f, f"{at}/fields/{i}", 2000, ("mrkdwn", "plain_text"))
            ]
    elif kind == "header" and "text" in block:
        found += _text(block["text"], f"{at}/text", 150, ("plain_text",))
    elif kind == "image" and not (block.get("image_url") or block.get("slack_file")):
        found.append(f"missing required field: image_url [json-pointer:{at}]")
    elif kind == "markdown" and not isinstance(block.get("text", ""), str):
        found.append(f"must be a string [json-pointer:{at}/text]")
    elements = block.get("elements")
    if "elements" in _REQUIRED[kind] and elements is not None:
        found += _elements(kind, elements, f"{at}/elements")
    return found


def _elements(kind: str, elements: Any, at: str) -> list[str]:
    if not isinstance(elements, list) or not elements:
        return [f"must provide at least one element [json-pointer:{at}]"]
    most = _MOST_ELEMENTS.get(kind)
    if most and len(elements) > most:
        return [f"no more than {most} items allowed [json-pointer:{at}]"]
    found = list[str]()
    for index, one in enumerate(elements):
        here = f"{at}/{index}"
        if not isinstance(one, dict):
            found.append(f"must be an object [json-pointer:{here}]")
        elif not one.get("type"):
            found.append(f"missing required field: type [json-pointer:{here}]")
        elif kind == "context" and one["type"] not in ("mrkdwn", "plain_text", "image"):
            found.append(f"unsupported type: {one['type']} [json-pointer:{here}/type]")
        elif kind == "context" and one["type"] != "image":
            found += _text(one, here, 3000, ("mrkdwn", "plain_text"))
        elif kind == "actions" and one["type"] == "button":
            found += _text(one.get("text"), f"{here}/text", 75, ("plain_text",))
    return found


def _text(node: Any, at: str, most: int, kinds: tuple[str, ...]) -> list[str]:
    if not isinstance(node, dict):
        return [f"must be an object [json-pointer:{at}]"]
    if node.get("type") not in kinds:
        return [f"must be a valid enum value: {', '.join(kinds)} [json-pointer:{at}/type]"]
    text = node.get("text")
    if not isinstance(text, str) or not text:
        return [f"must be more than 0 characters [json-pointer:{at}/text]"]
    return [f"must be less than {most + 1} characters [json-pointer:{at}/text]"] if len(text) > most else []
