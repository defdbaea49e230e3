"""Kinds of arguments. Intercom's ids are text, and clients that send them as numbers are understood."""

from math import isfinite
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypedDict

from legoenv_mcp.app import Body, Field


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _truncated(value: Any) -> Any:
    return int(value) if isinstance(value, float) and isfinite(value) else value


Text = Annotated[str, BeforeValidator(_text)]
Seconds = Annotated[int, Field(ge=0, le=253402300799)]
PerPage = Annotated[int, Field(ge=1, le=150, description="How many to return, at most 150.")]
PageNumber = Annotated[int, Field(ge=1, le=1_000_000, description="Which page, from 1.")]
After = Annotated[str | None, Field(description="The cursor of the next page, from `pages.next.starting_after`.")]
Spend = Annotated[int, BeforeValidator(_truncated)]
Attributes = dict[str, Any]
ContactId = Annotated[str, Field(description="The contact's id, as Intercom gave it.")]
ConversationId = Annotated[str, Field(description="The conversation's id.")]
TicketId = Annotated[str, Field(description="The ticket's id (`id`, not the `ticket_id` that people see).")]
CompanyId = Annotated[str, Field(description="The company's id, as Intercom gave it.")]

Acting = Annotated[
    Text, Body("admin_id"), Field(description="The id of the teammate who does it (`identify_admin` for yours).")
]


class Paging(TypedDict, total=False):
    """How many results, and from which cursor on."""

    per_page: PerPage
    starting_after: After
    page: PageNumber


class Sort(TypedDict, total=False):
    """What to sort by."""

    field: Annotated[str, Field(description="A field that can be searched by.")]
    order: Annotated[str, Field(description="ascending or descending (the default).")]


class File(TypedDict):
    """A file: its name, its media type, and its content in base64."""

    name: Annotated[str, Field(description="The file's name.")]
    content_type: Annotated[str, Field(description="Its media type.")]
    data: Annotated[str, Field(description="Its content in base64.")]


class Option(TypedDict):
    """A button to answer with."""

    text: Annotated[str, Field(description="What the button says.")]
    uuid: Annotated[str, Field(description="An id of your own.")]


class Named(TypedDict, total=False):
    """A contact, named in one of three ways."""

    intercom_user_id: Annotated[Text, Field(description="The contact's id, as Intercom gave it.")]
    user_id: Annotated[Text, Field(description="The contact's external_id.")]
    email: Annotated[str, Field(description="The contact's e-mail address.")]
    customer: SkipJsonSchema[dict[str, Any]]
