"""A page's content as Markdown. https://developers.notion.com/reference/retrieve-page-markdown"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Body, Ctx, Field

from ..app import app
from ..check import refuse, validation
from ..edits import markdown_of, rewrite
from ..models import Database
from ..shapes import Markdown
from ..tree import editable, get_node, get_page

_Edit = Literal["replace_content", "update_content", "insert_content", "replace_content_range"]


@with_config(ConfigDict(extra="forbid"))
class Replace(TypedDict, total=False):
    """Replaces the whole content."""

    new_str: Annotated[Markdown, Field(description="The whole new content.")]
    allow_deleting_content: Annotated[bool, Field(description="true may delete child pages and databases.")]


@with_config(ConfigDict(extra="forbid"))
class Update(TypedDict, total=False):
    """One find-and-replace edit."""

    old_str: Annotated[Markdown, Field(description="Text that is there, exactly.")]
    new_str: Annotated[Markdown, Field(description="What to put in its place.")]
    replace_all_matches: Annotated[bool, Field(description="true replaces every occurrence.")]


@with_config(ConfigDict(extra="forbid"))
class Updates(TypedDict, total=False):
    """Find-and-replace edits, in order."""

    content_updates: Annotated[list[Update], Field(max_length=100, description="The edits.")]
    allow_deleting_content: Annotated[bool, Field(description="true may delete child pages and databases.")]


@with_config(ConfigDict(extra="forbid"))
class Spot(TypedDict, total=False):
    """The start or the end of the page."""

    type: Annotated[Literal["start", "end"], Field(description="Which of the two.")]


@with_config(ConfigDict(extra="forbid"))
class Insert(TypedDict, total=False):
    """Adds content: at the end, at the start, or behind what `after` selects."""

    content: Annotated[Markdown, Field(description="What to add.")]
    after: Annotated[str, Field(description="The text behind which to add: first words...last words.")]
    position: Spot


@with_config(ConfigDict(extra="forbid"))
class Range(TypedDict, total=False):
    """Replaces a range of the content."""

    content: Annotated[Markdown, Field(description="The new text.")]
    content_range: Annotated[str, Field(description="The text to replace: first words...last words.")]
    allow_deleting_content: Annotated[bool, Field(description="true may delete child pages and databases.")]


def _shown(ctx: Ctx, key: str) -> dict[str, Any]:
    return {
        "object": "page_markdown", "id": key, "markdown": markdown_of(ctx, key), "truncated": False, "unknown_block_ids": [],
    }  # fmt: skip


@app.get("/v1/pages/{page_id}/markdown", tool="API-retrieve-page-markdown", title="Retrieve a page as Markdown")
def retrieve_markdown(ctx: Ctx, page_id: str, include_transcript: bool | MISSING = MISSING) -> dict[str, Any]:
    """Retrieves a page's whole content as Markdown, the quickest way to read it. Pages and databases in it are tags with their
    addresses: <page url="...">Title</page>. The title and the properties are not part of it.

    page_id: The page's id, or a block's for what stands in it.
    include_transcript: Whether to include transcripts of meeting notes.
    """
    node = get_node(ctx, page_id, "path.page_id")
    if isinstance(node, Database):
        raise validation("A database has no content of its own; query its data source instead.")
    return _shown(ctx, node.id)


@app.patch("/v1/pages/{page_id}/markdown", tool="API-update-page-markdown", title="Update a page's content as Markdown")
def update_markdown(
    ctx: Ctx,
    page_id: str,
    type: _Edit,
    replace_content: Replace | MISSING = MISSING,
    update_content: Updates | MISSING = MISSING,
    insert_content: Insert | MISSING = MISSING,
    replace_content_range: Range | MISSING = MISSING,
    allow_async: Annotated[bool | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:
    """Edits a page's content as Markdown. Name the edit in `type` and give the object of that name: insert_content adds (at the end by
    default), update_content finds and replaces exact text, replace_content overwrites everything. Child pages and databases are only
    deleted with allow_deleting_content.

    page_id: The page's id.
    type: Which edit to make.
    replace_content: {"new_str": the whole new content}.
    update_content: {"content_updates": [{"old_str": exact text there is, "new_str": what to put in its place}]}. An old_str that occurs
        more than once needs replace_all_matches.
    insert_content: {"content": what to add, "position": {"type": "start" or "end"}}, or "after": "first words...last words" of the text
        behind which to add.
    replace_content_range: {"content": the new text, "content_range": "first words...last words" of what it replaces}.
    """
    page = get_page(ctx, page_id, "path.page_id")
    editable(ctx, page)
    edits = {"replace_content": replace_content, "update_content": update_content, "insert_content": insert_content,
             "replace_content_range": replace_content_range}  # fmt: skip
    for name, given in edits.items():
        if name == type and given is MISSING:
            refuse(f"body.{name}", "defined")
        if name != type and given is not MISSING:
            refuse(f"body.{name}", "not present", given)
    edit: dict[str, Any] = {**edits[type]}  # pyright: ignore[reportGeneralTypeIssues]
    text = markdown_of(ctx, page.id)
    match type:
        case "replace_content":
            new = _need(edit, "new_str", type)
        case "update_content":
            new = _updated(text, edit)
        case "insert_content":
            new = _inserted(text, edit)
        case _:
            start, end = _selected(text, _need(edit, "content_range", type), f"body.{type}.content_range")
            new = text[:start] + _need(edit, "content", type) + text[end:]
    rewrite(ctx, page, new.strip("\n"), may_delete=edit.get("allow_deleting_content") is True)
    return _shown(ctx, page.id)


def _need(edit: dict[str, Any], name: str, kind: str) -> str:
    if name not in edit:
        refuse(f"body.{kind}.{name}", "defined")
    return edit[name]


def _updated(text: str, edit: dict[str, Any]) -> str:
    if "content_updates" not in edit:
        refuse("body.update_content.content_updates", "defined")
    for i, one in enumerate(edit["content_updates"]):
        kind = f"update_content.content_updates[{i}]"
        old, new = _need(one, "old_str", kind), _need(one, "new_str", kind)
        count = text.count(old) if old else 0
        if not count:
            raise validation(f"Could not find old_str in the page's content: {old[:100]}")
        if count > 1 and not one.get("replace_all_matches"):
            raise validation(
                f"old_str occurs {count} times in the page's content; set replace_all_matches or give more of the text."
            )
        text = text.replace(old, new)
        if len(text) > 1_000_000:
            raise validation("The page's content would be too long.")
    return text


def _inserted(text: str, edit: dict[str, Any]) -> str:
    content = _need(edit, "content", "insert_content").strip("\n")
    if "after" in edit:
        if "position" in edit:
            refuse("body.insert_content.position", "not present", edit["position"])
        _, end = _selected(text, edit["after"], "body.insert_content.after")
        stop = text.find("\n", end)
        cut = len(text) if stop < 0 else stop
        return f"{text[:cut]}\n\n{content}\n\n{text[cut:].lstrip(chr(10))}"
    if edit.get("position", {}).get("type", "end") == "start":
        return f"{content}\n\n{text}"
    return f"{text}\n\n{content}" if text else content


def _selected(text: str, selection: str, path: str) -> tuple[int, int]:
    """Where "first words...last words" begins and ends."""
    first, dots, last = selection.partition("...")
    start = text.find(first) if first else -1
    end = start + len(first) if not dots else text.find(last, start + len(first)) + len(last) if last else len(text)
    if start < 0 or end < start + len(first) or (last and last not in text[start + len(first) :]):
        raise validation(f"Could not find the selection in the page's content: {path} `{selection[:100]}`.")
    return start, end
