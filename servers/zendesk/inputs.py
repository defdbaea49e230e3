"""Request bodies: what an object's properties are when it is sent. Zendesk passes over properties it does not know, or that only
it sets; for agents on the MCP face, unknown ones are refused."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from legoenv_mcp.app import Ctx, Field

from . import errors
from .models import Priority, Role, Status, TicketType
from .paging import IdList


class Input(BaseModel):
    model_config = ConfigDict(extra="allow")


def sent(ctx: Ctx, body: Input) -> dict[str, Any]:
    """The known properties that were sent, nested objects as they are."""
    if not ctx.request.method:
        _refuse_strangers(body)
    return {name: getattr(body, name) for name in type(body).model_fields if name in body.model_fields_set}


def _refuse_strangers(value: Any) -> None:
    if isinstance(value, list):
        for item in value:
            _refuse_strangers(item)
    elif isinstance(value, Input):
        known = ", ".join(type(value).model_fields)
        for name in value.model_extra or ():
            raise errors.titled(
                400, "Invalid attribute", f"You passed an unknown attribute: {name}. Those that can be set are: {known}"
            )
        for name in value.model_fields_set & type(value).model_fields.keys():
            _refuse_strangers(getattr(value, name))


def plain(value: Any) -> Any:
    """The known properties as plain data, to be sent on to another operation."""
    if isinstance(value, Input):
        return {n: plain(getattr(value, n)) for n in type(value).model_fields if n in value.model_fields_set}
    return [plain(item) for item in value] if isinstance(value, list) else value


def _words(value: Any) -> Any:
    """Tags as a list or as one text with spaces or commas."""
    return value.replace(",", " ").split() if isinstance(value, str) else value


def _unset(value: Any) -> Any:
    """An empty text empties a field, as null does."""
    return None if value == "" else value


def _pairs(value: Any) -> Any:
    """Custom fields as a list, or as one object of values under their ids."""
    return [{"id": key, "value": said} for key, said in value.items()] if isinstance(value, dict) else value


Tags = Annotated[list[str], BeforeValidator(_words)]
Note = Annotated[str | None, Field(max_length=65_535)]


class CommentInput(Input):
    """A message to add to a ticket."""

    body: str | None = Field(default=None, description="The text of the message.")
    html_body: str | None = Field(default=None, description="The message in HTML, instead of `body`.")
    public: bool | None = Field(
        default=None,
        description="True: a reply that the requester gets. False: an internal note, seen by agents only. "
        "Left out, it is as public as the ticket, for most tickets a reply.",
    )
    author_id: int | None = Field(
        default=None, description="Id of the user who writes. Default: you; of a new ticket, the submitter."
    )
    uploads: list[str] | None = Field(default=None, description="Tokens of uploaded files to attach.")


class RequesterInput(Input):
    """Who asks, by e-mail address. Somebody who is not known yet becomes a user."""

    email: str | None = Field(default=None, description="E-mail address.")
    name: str | None = Field(default=None, description="Full name, needed for a new user.")


class CustomFieldInput(Input):
    """The value of a custom field."""

    id: int = Field(description="Id of the ticket field.")
    value: Any = Field(default=None, description="The new value; null empties the field.")


class ParticipantInput(Input):
    """A follower or CC to add or remove."""

    user_id: int | None = Field(default=None, description="Id of the user.")
    user_email: str | None = Field(
        default=None, description="E-mail address, instead of the id. For a CC who is not known yet a user is made."
    )
    user_name: str | None = Field(default=None, description="Name of a user who is made so.")
    action: Literal["put", "delete"] = Field(default="put", description="`put` adds, `delete` removes.")


class TicketInput(Input):
    """A ticket's properties."""

    subject: str | None = Field(default=None, description="Subject line.", max_length=255)
    comment: CommentInput | None = Field(default=None, description="A reply or note to add.")
    status: Status | None = Field(
        default=None, description="`solved` needs an assignee; `closed` is final: a closed ticket takes no change."
    )
    priority: Annotated[Priority | None, BeforeValidator(_unset)] = Field(default=None, description="How urgent it is.")
    type: Annotated[TicketType | None, BeforeValidator(_unset)] = Field(
        default=None, description="What kind of request it is."
    )
    requester_id: int | None = Field(default=None, description="Id of the user who asks.")
    requester: RequesterInput | None = Field(
        default=None, description="Who asks, by e-mail address, instead of the id."
    )
    assignee_id: Annotated[int | None, BeforeValidator(_unset)] = Field(
        default=None, description="Id of the agent who works on it; null unassigns."
    )
    assignee_email: str | None = Field(default=None, description="E-mail address of the agent, instead of the id.")
    group_id: int | None = Field(default=None, description="Id of the group that works on it.")
    organization_id: int | None = Field(default=None, description="Id of one of the requester's organizations.")
    tags: Tags | None = Field(default=None, description="All tags: replaces those that are there.")
    custom_fields: Annotated[list[CustomFieldInput] | None, BeforeValidator(_pairs)] = Field(
        default=None, description="Values of custom fields."
    )
    problem_id: int | None = Field(default=None, description="For an incident: id of the problem ticket it belongs to.")
    due_at: str | None = Field(default=None, description="For a task: when it is due, in ISO 8601.")
    external_id: str | None = Field(default=None, description="Your own id for the ticket.")
    followers: list[ParticipantInput] | None = Field(default=None, description="Agents who follow the ticket.")
    email_ccs: list[ParticipantInput] | None = Field(default=None, description="Users who get copies by e-mail.")
    collaborator_ids: IdList | None = Field(
        default=None, description="Ids of users to CC (agents follow): replaces those that are there."
    )
    collaborators: list[int | str | RequesterInput] | None = Field(
        default=None, description="The same by ids, e-mail addresses, or names and addresses."
    )
    additional_collaborators: list[int | str | RequesterInput] | None = Field(
        default=None, description="Likewise, beside those that are there."
    )
    brand_id: int | None = Field(default=None, description="Id of the brand.")


class NewTicketInput(TicketInput):
    """A new ticket's properties; it needs a comment."""

    description: str | None = Field(default=None, description="The first message, instead of `comment`.")
    submitter_id: int | None = Field(
        default=None,
        description="Id of the user who submits, the first message's author: yours where you write for the requester. "
        "Default: the requester.",
    )
    recipient: str | None = Field(default=None, description="The support address it was sent to.")
    via_followup_source_id: int | None = Field(
        default=None, description="Id of the closed ticket that this one follows up; of others, it has no effect."
    )


class TicketChangeInput(TicketInput):
    """What to change of a ticket: only what is sent changes."""

    additional_tags: Tags | None = Field(default=None, description="Tags to add to those that are there.")
    remove_tags: Tags | None = Field(default=None, description="Tags to remove.")
    safe_update: bool | None = Field(default=None, description="With `updated_stamp`: refuse if changed since.")
    updated_stamp: str | None = Field(default=None, description="The `updated_at` that you know.")


class OneOfManyInput(TicketChangeInput):
    """What to change of one of several tickets."""

    id: int = Field(description="Id of the ticket.")


class RequestCommentInput(Input):
    """A public message of the requester's."""

    body: str | None = Field(default=None, description="The text of the message.")
    html_body: str | None = Field(default=None, description="The message in HTML, instead of `body`.")


class RequestInput(Input):
    """A request: a ticket as its requester sees it."""

    subject: str | None = Field(default=None, description="Subject line.", max_length=255)
    comment: RequestCommentInput | None = Field(default=None, description="The message.")
    priority: Priority | None = Field(default=None, description="How urgent it is.")
    type: TicketType | None = Field(default=None, description="What kind of request it is.")
    requester: RequesterInput | None = Field(default=None, description="Who asks, where it is not you.")
    custom_fields: list[CustomFieldInput] | None = Field(default=None, description="Values of custom fields.")
    solved: bool | None = Field(default=None, description="True marks the request as solved.")


class UserFields(Input):
    """The account's custom user fields."""

    job_title: str | None = Field(default=None, description="Job title.")
    department: str | None = Field(default=None, description="Department.")
    manager: str | None = Field(default=None, description="Id of the manager's user.")
    city: str | None = Field(default=None, description="City.")
    country: str | None = Field(default=None, description="Country, two letters.")
    start_date: str | None = Field(default=None, description="First working day.")


class OrganizationFields(Input):
    """The account's custom organization fields."""

    industry: str | None = Field(default=None, description="Industry.")
    kind: str | None = Field(default=None, description="customer, prospect, partner or former_customer.")
    tier: str | None = Field(default=None, description="enterprise, mid_market or smb.")
    employees: int | None = Field(default=None, description="How many people work there.")
    annual_revenue: int | None = Field(default=None, description="Revenue a year.")
    phone: str | None = Field(default=None, description="Phone number.")
    street: str | None = Field(default=None, description="Street.")
    city: str | None = Field(default=None, description="City.")
    state: str | None = Field(default=None, description="State.")
    postal_code: str | None = Field(default=None, description="Postal code.")
    country: str | None = Field(default=None, description="Country, two letters.")
    owner: str | None = Field(default=None, description="Id of the user who looks after it.")


class UserInput(Input):
    """A user's properties."""

    name: str | None = Field(default=None, description="Full name.", max_length=255)
    email: str | None = Field(default=None, description="Primary e-mail address.")
    role: Role | None = Field(default=None, description="`end-user` asks; `agent` and `admin` work on tickets.")
    phone: str | None = Field(default=None, description="Phone number.")
    organization_id: int | None = Field(default=None, description="Id of the user's organization.")
    default_group_id: int | None = Field(
        default=None, description="An agent's default group, one the agent is a member of."
    )
    alias: str | None = Field(default=None, description="The name that end users see.")
    external_id: str | None = Field(default=None, description="Your own id for the user.")
    time_zone: str | None = Field(default=None, description="IANA time zone.")
    locale: str | None = Field(default=None, description="Language, such as en-US.")
    details: Note = Field(default=None, description="Details, such as an address.")
    notes: Note = Field(default=None, description="Notes for agents.")
    signature: str | None = Field(default=None, description="An agent's signature.")
    tags: Tags | None = Field(default=None, description="All tags: replaces those that are there.")
    user_fields: UserFields | None = Field(default=None, description="Values of custom user fields.")
    suspended: bool | None = Field(default=None, description="True shuts the user out.")
    verified: bool | None = Field(default=None, description="Whether the e-mail address is known to be the user's.")


class OrganizationInput(Input):
    """An organization's properties."""

    name: str | None = Field(default=None, description="Name, unique in the account.", max_length=255)
    external_id: str | None = Field(default=None, description="Your own id for the organization.")
    domain_names: Tags | None = Field(default=None, description="E-mail domains whose users belong to it.")
    details: Note = Field(default=None, description="Details, such as an address.")
    notes: Note = Field(default=None, description="Notes for agents.")
    group_id: int | None = Field(default=None, description="Group that new tickets of its users go to.")
    shared_tickets: bool | None = Field(default=None, description="Whether its users see each other's tickets.")
    shared_comments: bool | None = Field(default=None, description="Whether its users may comment on them.")
    tags: Tags | None = Field(default=None, description="All tags: replaces those that are there.")
    organization_fields: OrganizationFields | None = Field(default=None, description="Values of custom fields.")


class ConditionInput(Input):
    """A condition that tickets must meet."""

    field: str = Field(description="A ticket field: status, priority, type, assignee_id, group_id, current_tags, ...")
    operator: str | None = Field(
        default="is", description="is, is_not, less_than, greater_than, includes or not_includes."
    )
    value: Any = Field(default=None, description="The value to compare with.")


class ActionInput(Input):
    """What a macro sets."""

    field: str = Field(description="What to set: status, priority, assignee_id, set_tags, comment_value, ...")
    value: Any = Field(default=None, description="The value to set.")


class OutputInput(Input):
    """How a view shows tickets."""

    columns: list[str] | None = Field(default=None, description="Columns: subject, requester, created, status, ...")
    group_by: str | None = Field(default=None, description="Column to group by.")
    group_order: Literal["asc", "desc"] | None = Field(default=None, description="Order of the groups.")
    sort_by: str | None = Field(default=None, description="Column to sort by.")
    sort_order: Literal["asc", "desc"] | None = Field(default=None, description="Order of the tickets.")


class ViewInput(Input):
    """A view's properties."""

    title: str | None = Field(default=None, description="Name of the view.", max_length=255)
    description: str | None = Field(default=None, description="What it is for.")
    active: bool | None = Field(default=None, description="Whether agents see it.")
    position: int | None = Field(default=None, description="Place in the list.")
    all: list[ConditionInput] | None = Field(default=None, description="Conditions that must all hold.")
    any: list[ConditionInput] | None = Field(default=None, description="Conditions of which one must hold.")
    output: OutputInput | None = Field(default=None, description="Columns, grouping and sorting.")


class MacroInput(Input):
    """A macro's properties."""

    title: str | None = Field(default=None, description="Name of the macro.", max_length=255)
    description: str | None = Field(default=None, description="What it is for.")
    active: bool | None = Field(default=None, description="Whether agents can apply it.")
    position: int | None = Field(default=None, description="Place in the list.")
    actions: list[ActionInput] | None = Field(default=None, description="What it sets.")
