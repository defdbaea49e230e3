"""Custom fields, their options, and which projects and portfolios have them. https://developers.asana.com/reference/custom-fields"""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict
from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Page

from .. import access, custom, stories
from ..app import API, Fields, Gid, Limit, Name, Offset, Text, app, bad, premium
from ..listing import one, page
from ..models import CustomField, CustomFieldSetting, Portfolio, Project, Task, Workspace

Subtype = Literal["text", "enum", "multi_enum", "number", "date", "people"]
Format = Literal["currency", "identifier", "percentage", "custom", "duration", "none"]
OptionColor = Literal[
    "none", "red", "orange", "yellow-orange", "yellow", "yellow-green", "green", "blue-green", "aqua", "blue", "indigo", "purple",
    "magenta", "hot-pink", "pink", "cool-gray",
]  # fmt: skip
COLORS = ("green", "yellow", "orange", "red", "blue", "purple", "pink", "aqua", "indigo", "magenta")
MOST_OPTIONS = 500
Rare = Body(mcp=False)


class Option(TypedDict):
    """An option of an enum field."""

    __pydantic_config__ = ConfigDict(extra="ignore")  # pyright: ignore[reportGeneralTypeIssues]
    name: Annotated[str, Field(description="What the option is called.", max_length=1024)]
    color: NotRequired[Annotated[OptionColor, Field(description="The option's colour.")]]
    enabled: NotRequired[Annotated[bool, Field(description="Whether it can be chosen.")]]


@app.get(f"{API}/workspaces/{{workspace_gid}}/custom_fields", tool="get_custom_fields_for_workspace")
def get_custom_fields_for_workspace(
    ctx: Ctx, workspace_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the custom fields of a workspace, with their options.

    workspace_gid: The workspace's gid.
    """
    place = access.get(ctx, Workspace, workspace_gid)
    return page(ctx, ctx.db.find(CustomField, workspace=place.gid, order="name,gid"), opt_fields, limit, offset)


@app.get(f"{API}/custom_fields/{{custom_field_gid}}", tool="get_custom_field")
def get_custom_field(ctx: Ctx, custom_field_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a custom field with its options.

    custom_field_gid: The field's gid.
    """
    return one(ctx, access.get(ctx, CustomField, custom_field_gid), opt_fields)


def _options(ctx: Ctx, given: list[Option]) -> list[dict[str, Any]]:
    made = list[dict[str, Any]]()
    for n, option in enumerate(given):
        if not option["name"].strip():
            raise bad(f"enum_options: [{n}]: name: Missing input")
        made.append(_option(ctx, option, COLORS[n % len(COLORS)]))
    return made


def _option(ctx: Ctx, option: Option, color: str) -> dict[str, Any]:
    return {
        "gid": access.new_gid(ctx), "name": option["name"], "enabled": option.get("enabled", True), "color": option.get("color", color),
    }  # fmt: skip


def define(ctx: Ctx, sent: dict[str, Any], workspace: str) -> CustomField:
    """A new custom field. Their names are unique in a workspace."""
    if not access.workspace(ctx).premium:
        raise premium("Custom Fields are not available for free users or guests.")
    kind = sent.get("resource_subtype") or sent.get("type")
    if kind is None:
        raise bad("resource_subtype: Missing input")
    name = sent["name"]
    if not name.strip():
        raise bad("name: Missing input")
    if any(f.name.lower() == name.lower() for f in ctx.db.find(CustomField, workspace=workspace)):
        raise bad("name: A custom field with that name already exists.")
    if sent.get("enum_options") and "enum" not in kind:
        raise bad("enum_options: Only enum and multi_enum custom fields have options")
    if sent.get("precision") is not None and kind != "number":
        raise bad("precision: Only number custom fields have a precision")
    number = kind == "number"
    if number and sent.get("format") == "currency" and not sent.get("currency_code"):
        raise bad("currency_code: Missing input")
    return ctx.db.add(
        CustomField(
            gid=access.new_gid(ctx), name=name, resource_subtype=kind, description=sent.get("description") or "", workspace=workspace,
            enum_options=_options(ctx, sent.get("enum_options") or []), precision=(sent.get("precision") or 0) if number else None,
            format=(sent.get("format") or "none") if number else "none", currency_code=sent.get("currency_code") if number else None,
            custom_label=sent.get("custom_label") if number else None, custom_label_position=sent.get("custom_label_position"),
            has_notifications_enabled=sent.get("has_notifications_enabled") or False, created_by=access.me(ctx).gid,
        )
    )  # fmt: skip


@app.post(f"{API}/custom_fields", tool="create_custom_field", status=201)
def create_custom_field(
    ctx: Ctx, workspace: Gid, name: Name, resource_subtype: Subtype | None = None, description: Text = "", enum_options: list[Option] = [],  # noqa: B006
    precision: Annotated[int, Field(ge=0, le=6)] | None = None, format: Format | None = None,
    currency_code: Annotated[str, Field(pattern="^[A-Z]{3}$")] | None = None,
    type: Annotated[Subtype | None, Rare] = None, custom_label: Annotated[str | None, Rare] = None,
    custom_label_position: Annotated[Literal["prefix", "suffix"] | None, Rare] = None,
    has_notifications_enabled: Annotated[bool, Rare] = False, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a custom field in a workspace. Put it on a project with add_custom_field_setting_for_project.

    workspace: The workspace's gid.
    name: The field's name; no other field of the workspace may have it.
    resource_subtype: What kind of values it takes; must be given.
    description: What it is for.
    enum_options: The options of an enum or multi_enum field.
    precision: The decimals of a number.
    format: How a number is shown.
    currency_code: The currency of a number, as ISO 4217 code.
    """
    return one(ctx, define(ctx, ctx.sent(), access.in_workspace(ctx, workspace).gid), opt_fields)


@app.put(f"{API}/custom_fields/{{custom_field_gid}}", tool="update_custom_field", mcp=False)
def update_custom_field(
    ctx: Ctx, custom_field_gid: Gid, name: Name | MISSING = MISSING, description: Text | MISSING = MISSING,
    precision: Annotated[int, Field(ge=0, le=6)] | MISSING = MISSING, has_notifications_enabled: bool | MISSING = MISSING,
    opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a custom field. Its kind cannot be changed.

    custom_field_gid: The field's gid.
    name: The field's name.
    description: What it is for.
    precision: The decimals of a number.
    has_notifications_enabled: Whether followers are told of changes.
    """
    row, sent = access.get(ctx, CustomField, custom_field_gid), ctx.sent()
    if "name" in sent and not sent["name"].strip():
        raise bad("name: Missing input")
    if any(f.name.lower() == sent.get("name", "").lower() and f.gid != row.gid for f in ctx.db.find(CustomField)):
        raise bad("name: A custom field with that name already exists.")
    names = ("name", "description", "precision", "has_notifications_enabled")
    ctx.db.update(row, **{name: sent[name] for name in names if name in sent})
    return one(ctx, row, opt_fields)


@app.delete(f"{API}/custom_fields/{{custom_field_gid}}", tool="delete_custom_field", mcp=False)
def delete_custom_field(ctx: Ctx, custom_field_gid: Gid) -> dict[str, Any]:
    """Deletes a custom field with all its values.

    custom_field_gid: The field's gid.
    """
    row = access.get(ctx, CustomField, custom_field_gid)
    for cls in (Task, Project):
        for holder in ctx.db.find(cls):
            if row.gid in holder.custom:
                ctx.db.update(holder, custom={k: v for k, v in holder.custom.items() if k != row.gid})
    ctx.db.delete_where(CustomFieldSetting, custom_field=row.gid)
    ctx.db.delete(row)
    return {}


def _enum(row: CustomField) -> CustomField:
    if "enum" not in row.resource_subtype:
        raise bad("custom_field: Only enum and multi_enum custom fields have options")
    return row


def _at(options: list[dict[str, Any]], before: str | None, after: str | None, names: tuple[str, str]) -> int:
    """The place that an option before or after another one has."""
    access.once((names[0], before), (names[1], after))
    anchor = before or after
    if anchor is None:
        return len(options)
    at = next((n for n, o in enumerate(options) if o["gid"] == anchor), None)
    if at is None:
        raise bad(f"{names[0] if before else names[1]}: Not a recognized ID: {anchor[:100]}")
    return at if before else at + 1


@app.post(f"{API}/custom_fields/{{custom_field_gid}}/enum_options", tool="create_enum_option", status=201, mcp=False)
def create_enum_option(
    ctx: Ctx, custom_field_gid: Gid, name: Name, color: OptionColor | None = None, enabled: Annotated[bool, Rare] = True,
    insert_before: Gid | None = None, insert_after: Gid | None = None, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Adds an option to an enum or multi_enum field.

    custom_field_gid: The field's gid.
    name: What the option is called.
    color: The option's colour.
    insert_before: The option to come before.
    insert_after: The option to come after.
    """
    row = _enum(access.get(ctx, CustomField, custom_field_gid))
    if not name.strip():
        raise bad("name: Missing input")
    if len(row.enum_options) >= MOST_OPTIONS:
        raise bad(f"A custom field can have at most {MOST_OPTIONS} options")
    at = _at(row.enum_options, insert_before, insert_after, ("insert_before", "insert_after"))
    made = _option(
        ctx, {"name": name, "enabled": enabled, "color": color or COLORS[len(row.enum_options) % len(COLORS)]}, "none"
    )
    ctx.db.update(row, enum_options=[*row.enum_options[:at], made, *row.enum_options[at:]])
    return custom.shown_option(made)


@app.post(
    f"{API}/custom_fields/{{custom_field_gid}}/enum_options/insert",
    tool="insert_enum_option",
    effect="update",
    mcp=False,
)
def insert_enum_option(
    ctx: Ctx, custom_field_gid: Gid, enum_option: Gid, before_enum_option: Gid | None = None, after_enum_option: Gid | None = None
) -> dict[str, Any]:  # fmt: skip
    """Moves an option before or after another one.

    custom_field_gid: The field's gid.
    enum_option: The option to move.
    before_enum_option: The option to come before.
    after_enum_option: The option to come after.
    """
    row = _enum(access.get(ctx, CustomField, custom_field_gid))
    found = custom.option(row, enum_option)
    if found is None:
        raise bad(f"enum_option: Not a recognized ID: {enum_option[:100]}")
    rest = [o for o in row.enum_options if o["gid"] != enum_option]
    at = _at(rest, before_enum_option, after_enum_option, ("before_enum_option", "after_enum_option"))
    ctx.db.update(row, enum_options=[*rest[:at], found, *rest[at:]])
    return custom.shown_option(found)


@app.put(f"{API}/enum_options/{{enum_option_gid}}", tool="update_enum_option", mcp=False)
def update_enum_option(
    ctx: Ctx, enum_option_gid: Gid, name: Name | MISSING = MISSING, color: OptionColor | MISSING = MISSING,
    enabled: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes an option of a custom field. One that is not enabled can no longer be chosen.

    enum_option_gid: The option's gid.
    name: What it is called.
    color: Its colour.
    enabled: Whether it can be chosen.
    """
    row = next((f for f in ctx.db.find(CustomField) if custom.option(f, enum_option_gid)), None)
    if row is None:
        raise app.not_found("enum_option", enum_option_gid)
    changes = {name: value for name, value in ctx.sent().items() if name in ("name", "color", "enabled")}
    made = [{**o, **changes} if o["gid"] == enum_option_gid else o for o in row.enum_options]
    ctx.db.update(row, enum_options=made)
    return custom.shown_option(next(o for o in made if o["gid"] == enum_option_gid))


# Settings


@app.get(f"{API}/projects/{{project_gid}}/custom_field_settings", tool="get_custom_field_settings_for_project")
def get_custom_field_settings_for_project(
    ctx: Ctx, project_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the custom fields that the tasks of a project have, with their options.

    project_gid: The project's gid.
    """
    project = access.project(ctx, project_gid)
    return page(ctx, custom.settings(ctx, project.gid), opt_fields, limit, offset)


@app.get(
    f"{API}/portfolios/{{portfolio_gid}}/custom_field_settings",
    tool="get_custom_field_settings_for_portfolio",
    mcp=False,
)
def get_custom_field_settings_for_portfolio(
    ctx: Ctx, portfolio_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the custom fields that the projects of a portfolio have.

    portfolio_gid: The portfolio's gid.
    """
    portfolio = access.get(ctx, Portfolio, portfolio_gid)
    return page(ctx, custom.settings(ctx, portfolio.gid), opt_fields, limit, offset)


def put_on(ctx: Ctx, parent: Project | Portfolio, sent: dict[str, Any]) -> CustomFieldSetting:
    """Puts a custom field on a project or portfolio."""
    if not access.workspace(ctx).premium:
        raise premium("Custom Field Settings are not available for free users.")
    given = sent["custom_field"]
    if isinstance(given, dict):
        if (
            not isinstance(given.get("name"), str)
            or given.get("resource_subtype", given.get("type")) not in Subtype.__args__
        ):
            raise bad("custom_field: name and resource_subtype: Missing input")
        field = define(ctx, {k: given[k] for k in ("name", "resource_subtype", "type") if k in given}, parent.workspace)
    else:
        field = access.named(ctx, CustomField, given, "custom_field")
    rows = custom.settings(ctx, parent.gid)
    if any(row.custom_field == field.gid for row in rows):
        raise bad(
            f"custom_field: Custom field is already on this {'project' if isinstance(parent, Project) else 'portfolio'}: {field.gid}"
        )
    before, after = sent.get("insert_before"), sent.get("insert_after")
    access.once(("insert_before", before), ("insert_after", after))
    place = access.between([(row.gid, row.place) for row in rows], after, before)
    if place is None:
        raise bad(f"{'insert_before' if before else 'insert_after'}: Not a recognized ID: {str(before or after)[:100]}")
    made = ctx.db.add(
        CustomFieldSetting(
            gid=access.new_gid(ctx), parent=parent.gid, kind="project" if isinstance(parent, Project) else "portfolio",
            custom_field=field.gid, is_important=bool(sent.get("is_important")), place=place,
        )
    )  # fmt: skip
    if isinstance(parent, Project):
        stories.touched(ctx, parent)
    return made


@app.post(
    f"{API}/projects/{{project_gid}}/addCustomFieldSetting",
    tool="add_custom_field_setting_for_project",
    effect="update",
)
def add_custom_field_setting_for_project(
    ctx: Ctx, project_gid: Gid, custom_field: Annotated[str | dict[str, Any], Field(description="The field's gid.")],
    is_important: bool = False, insert_before: Annotated[Gid | None, Rare] = None, insert_after: Annotated[Gid | None, Rare] = None,
    opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Puts a custom field on a project: only then can its tasks have values of it.

    project_gid: The project's gid.
    is_important: Whether lists show it.
    """
    return one(ctx, put_on(ctx, access.project(ctx, project_gid), ctx.sent()), opt_fields)


def _take_off(ctx: Ctx, parent: str, gid: str) -> dict[str, Any]:
    field = access.named(ctx, CustomField, gid, "custom_field")
    if not ctx.db.delete_where(CustomFieldSetting, parent=parent, custom_field=field.gid):
        raise bad(f"Custom field with ID {field.gid} is not on given object")
    return {}


@app.post(
    f"{API}/projects/{{project_gid}}/removeCustomFieldSetting",
    tool="remove_custom_field_setting_for_project",
    effect="update",
    mcp=False,
)
def remove_custom_field_setting_for_project(ctx: Ctx, project_gid: Gid, custom_field: Gid) -> dict[str, Any]:
    """Takes a custom field off a project.

    project_gid: The project's gid.
    custom_field: The field's gid.
    """
    return _take_off(ctx, access.project(ctx, project_gid).gid, custom_field)


@app.post(
    f"{API}/portfolios/{{portfolio_gid}}/addCustomFieldSetting",
    tool="add_custom_field_setting_for_portfolio",
    effect="update",
    mcp=False,
)
def add_custom_field_setting_for_portfolio(
    ctx: Ctx, portfolio_gid: Gid, custom_field: str, is_important: bool = False, opt_fields: Fields = None
) -> dict[str, Any]:  # fmt: skip
    """Puts a custom field on a portfolio: its projects can then have values of it.

    portfolio_gid: The portfolio's gid.
    custom_field: The field's gid.
    is_important: Whether lists show it.
    """
    return one(ctx, put_on(ctx, access.get(ctx, Portfolio, portfolio_gid), ctx.sent()), opt_fields)


@app.post(
    f"{API}/portfolios/{{portfolio_gid}}/removeCustomFieldSetting",
    tool="remove_custom_field_setting_for_portfolio",
    effect="update",
    mcp=False,
)
def remove_custom_field_setting_for_portfolio(ctx: Ctx, portfolio_gid: Gid, custom_field: Gid) -> dict[str, Any]:
    """Takes a custom field off a portfolio.

    portfolio_gid: The portfolio's gid.
    custom_field: The field's gid.
    """
    return _take_off(ctx, access.get(ctx, Portfolio, portfolio_gid).gid, custom_field)
