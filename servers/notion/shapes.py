"""Arguments that several operations take, typed as far as agents need to be told."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Body, Field

Properties: TypeAlias = dict[str, Any]
Cursor: TypeAlias = str | None | MISSING
Children: TypeAlias = list[dict[str, Any]]
Title: TypeAlias = list[dict[str, Any]]
HiddenFlag: TypeAlias = Annotated[bool | MISSING, Body(mcp=False)]
Look: TypeAlias = dict[str, Any] | None | MISSING
"""An icon or a cover; null takes it away."""

Markdown: TypeAlias = Annotated[str, Field(max_length=100_000)]


@with_config(ConfigDict(extra="forbid"))
class PageParent(TypedDict, total=False):
    """Where a page stands. Give one of the ids, or `workspace`."""

    type: Annotated[
        Literal["page_id", "database_id", "data_source_id", "workspace"], Field(description="Which of the kinds it is.")
    ]
    page_id: Annotated[str, Field(description="The page's id.")]
    database_id: Annotated[str, Field(description="The database's id.")]
    data_source_id: Annotated[str, Field(description="The data source's id.")]
    workspace: Annotated[bool, Field(description="true: the top level of the workspace.")]


@with_config(ConfigDict(extra="forbid"))
class DatabaseParent(TypedDict, total=False):
    """Where a database stands: a page, or the workspace."""

    type: Annotated[Literal["page_id", "workspace"], Field(description="Which of the kinds it is.")]
    page_id: Annotated[str, Field(description="The page's id.")]
    workspace: Annotated[bool, Field(description="true: the top level of the workspace.")]


@with_config(ConfigDict(extra="forbid"))
class SourceParent(TypedDict, total=False):
    """The database that holds a data source."""

    type: Annotated[Literal["database_id"], Field(description="Which of the kinds it is.")]
    database_id: Annotated[str, Field(description="The database's id.")]


@with_config(ConfigDict(extra="forbid"))
class CommentParent(TypedDict, total=False):
    """What a comment is about: a page or a block."""

    type: Annotated[Literal["page_id", "block_id"], Field(description="Which of the kinds it is.")]
    page_id: Annotated[str, Field(description="The page's id.")]
    block_id: Annotated[str, Field(description="The block's id.")]


@with_config(ConfigDict(extra="forbid"))
class Sort(TypedDict, total=False):
    """One sort: by a property, or by a timestamp."""

    property: Annotated[str, Field(description="The name or id of the property.")]
    timestamp: Annotated[Literal["created_time", "last_edited_time"], Field(description="In place of a property.")]
    direction: Annotated[Literal["ascending", "descending"], Field(description="Which way.")]


@with_config(ConfigDict(extra="forbid"))
class After(TypedDict):
    """The block behind which to put things."""

    id: Annotated[str, Field(description="The block's id.")]


@with_config(ConfigDict(extra="forbid"))
class Position(TypedDict, total=False):
    """Where to put things: behind a block, at the start or at the end."""

    type: Annotated[
        Literal["after_block", "start", "end", "page_start", "page_end"], Field(description="Which of the kinds it is.")
    ]
    after_block: After
