"""Custom fields: which are on an object, what values they take, how a value reads. https://developers.asana.com/docs/custom-fields"""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from legoenv_mcp.app import Ctx

from . import access
from .app import bad, json_type, premium
from .models import CustomField, CustomFieldSetting, PortfolioItem, Project, Task, TaskProject, User

MOST_TEXT = 1024


@dataclass(frozen=True)
class Valued:
    """A custom field with the value that an object has for it."""

    field: CustomField
    value: Any

    @property
    def gid(self) -> str:
        return self.field.gid


def settings(ctx: Ctx, parent: str) -> list[CustomFieldSetting]:
    return ctx.db.find(CustomFieldSetting, parent=parent, order="place,gid")


def on_project(ctx: Ctx, project: str) -> list[CustomField]:
    return [ctx.require(CustomField, s.custom_field) for s in settings(ctx, project)]


def on(ctx: Ctx, row: Task | Project) -> list[CustomField]:
    """The fields that an object has values of: those of a task's projects, those of a project's portfolios."""
    if isinstance(row, Task):
        parents = [place.project for place in ctx.db.find(TaskProject, task=row.gid)]
    else:
        parents = [item.portfolio for item in ctx.db.find(PortfolioItem, project=row.gid)]
    found = {f.gid: f for parent in parents for f in on_project(ctx, parent)}
    return list(found.values())


def valued(ctx: Ctx, row: Task | Project) -> list[Valued]:
    return [Valued(field, row.custom.get(field.gid)) for field in on(ctx, row)]


def option(field: CustomField, gid: object) -> dict[str, Any] | None:
    return next((o for o in field.enum_options if o["gid"] == gid), None)


def shown_option(one: dict[str, Any]) -> dict[str, Any]:
    return {
        "gid": one["gid"],
        "color": one["color"],
        "enabled": one["enabled"],
        "name": one["name"],
        "resource_type": "enum_option",
    }


def display(ctx: Ctx, field: CustomField, value: Any) -> str | None:
    """A value as people read it."""
    if value is None or value == []:
        return None
    match field.resource_subtype:
        case "enum":
            found = option(field, value)
            return found["name"] if found else None
        case "multi_enum":
            return ", ".join(o["name"] for gid in value if (o := option(field, gid)))
        case "number":
            return _number(field, value)
        case "people":
            return ", ".join(ctx.require(User, gid).name for gid in value)
        case "date":
            return value["date_time"] or f"{value['date']}T00:00:00.000Z"
    return str(value)


def _number(field: CustomField, value: float) -> str:
    if field.format == "percentage":
        return f"{value * 100:.{field.precision or 0}f}%"
    text = f"{value:.{field.precision or 0}f}"
    if field.format == "currency" and field.currency_code:
        return f"{field.currency_code} {text}"
    if field.custom_label:
        return (
            f"{text} {field.custom_label}"
            if field.custom_label_position == "suffix"
            else f"{field.custom_label} {text}"
        )
    return text


def read(ctx: Ctx, field: CustomField, value: Any) -> Any:
    """A value as a caller sends it, for the column; refused where the field does not take it."""
    if field.id_prefix is not None:
        raise bad(f"custom_fields: {field.gid}: Cannot write this property")
    if value is None or value == "":
        return None
    match field.resource_subtype:
        case "text":
            if not isinstance(value, str):
                raise bad(f"custom_fields: {field.gid}: Value is not a string: {str(value)[:100]}")
            if len(value) > MOST_TEXT:
                raise bad(f"custom_fields: {field.gid}: Text is longer than {MOST_TEXT} characters")
            return value
        case "number":
            return _read_number(field, value)
        case "enum":
            return _read_option(field, value, "enum_value")
        case "multi_enum":
            given = value.split(",") if isinstance(value, str) else value
            if not isinstance(given, list):
                raise bad(f"custom_fields: {field.gid}: Value is not an array: {str(value)[:100]}")
            return list(dict.fromkeys(_read_option(field, one, "multi_enum_values") for one in given))
        case "people":
            given = value.split(",") if isinstance(value, str) else value
            if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
                raise bad(f"custom_fields: {field.gid}: Value is not an array of users: {str(value)[:100]}")
            return list(dict.fromkeys(access.person(ctx, one, f"custom_fields: {field.gid}").gid for one in given))
        case "date":
            return _read_date(ctx, field, value)


def _read_number(field: CustomField, value: Any) -> float:
    try:
        found = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else float("nan")
    except ValueError:
        found = float("nan")
    if not isfinite(found) or abs(found) >= 1e15:
        raise bad(f"custom_fields: {field.gid}: Value is not a number: {str(value)[:100]}")
    return round(found, (field.precision or 0) + (2 if field.format == "percentage" else 0))


def _read_option(field: CustomField, value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise bad(f"{name}: Not a valid GID type: {json_type(value)}")
    found = option(field, value.strip())
    if found is None:
        raise bad(f"{name}: Not a recognized ID: {value[:100]}")
    if not found["enabled"]:
        raise bad(f"{name}: Enum option is disabled: {value[:100]}")
    return found["gid"]


def _read_date(ctx: Ctx, field: CustomField, value: Any) -> dict[str, Any] | None:
    place = f"custom_fields: {field.gid}"
    given = {"date": value} if isinstance(value, str) else value
    if not isinstance(given, dict) or not all(v is None or isinstance(v, str) for v in given.values()):
        raise bad(f"{place}: Value is not a date: {str(value)[:100]}")
    at = access.moment(ctx, given.get("date_time"), f"{place}: date_time")
    on_day = at[:10] if at else access.day(given.get("date"), f"{place}: date")
    return {"date": on_day, "date_time": at} if on_day else None


def written(
    ctx: Ctx, row: Task | Project, sent: dict[str, Any], fields: list[CustomField] | None = None
) -> dict[str, Any]:
    """The object's values after `{field: value}` is written to it; only fields that are on it take one."""
    if not sent:
        return row.custom
    if not access.workspace(ctx).premium:
        raise premium("Custom Fields are not available for free users or guests.")
    here = {f.gid: f for f in (on(ctx, row) if fields is None else fields)}
    values = dict(row.custom)
    for gid, value in sent.items():
        if not access.is_gid(gid):
            raise bad(f"custom_fields: Not a recognized ID: {gid[:100]}")
        if gid not in here:
            raise bad(f"Custom field with ID {gid} is not on given object")
        values[gid] = read(ctx, here[gid], value)
    return {gid: value for gid, value in values.items() if value is not None}


def numbered(ctx: Ctx, values: dict[str, Any], projects: list[str]) -> dict[str, Any]:
    """The values with the next number of every ID field of the projects that has given the task none yet."""
    made = dict(values)
    for field in (f for project in projects for f in on_project(ctx, project)):
        if field.id_prefix is not None and field.gid not in made:
            ctx.db.update(field, last_number=field.last_number + 1)
            made[field.gid] = f"{field.id_prefix}-{field.last_number}"
    return made
