"""Cells as the API shows them: as JSON, as text, and as webhooks tell them."""

from collections.abc import Iterable
from datetime import UTC, tzinfo
from typing import Any

from .dates import formatted
from .grid import Grid, cell_text, plain_json
from .kinds import DATE_FORMATS, NUMBERS, TEXT, TIME_FORMATS
from .models import Attachment, Column, Record
from .values import Fault, Moment, number_text, text

_IMAGE = "image/"


def cell_json(grid: Grid, record: Record, column: Column) -> Any:
    """A cell's value; None where it is empty and so left out."""
    cell, kind = record.cells.get(column.id), column.type
    if kind in TEXT:
        return None if cell is None else cell_text(cell)
    if kind == "checkbox":
        return True if cell else None
    if kind == "singleCollaborator":
        return None if cell is None else grid.user_json(cell)
    if kind == "multipleCollaborators":
        return [grid.user_json(key) for key in cell] if cell else None
    if kind == "multipleAttachments":
        return [attachment_json(a) for a in grid.attachments(cell)] if cell else None
    if kind == "createdBy":
        return grid.user_json(record.created_by)
    if kind == "lastModifiedBy":
        return grid.user_json(grid.last_change(record, None)[1])
    if kind == "multipleLookupValues":
        return _looked_up(grid, record, column)
    if kind in ("formula", "rollup", "count", "autoNumber", "createdTime", "lastModifiedTime"):
        value = grid.value(record, column)
        return None if value is None or value == "" or value == [] else plain_json(value)
    return cell or (cell if kind in NUMBERS else None)


def _looked_up(grid: Grid, record: Record, column: Column) -> Any:
    link, target = grid.columns(record.table_id).get(column.options["recordLinkFieldId"]), grid.target(column)
    if link is None or target is None:
        return {"error": "#ERROR!"}
    found = list[Any]()
    for other in grid.linked(record, link):
        value = grid.value(other, target)
        shown = plain_json(value) if isinstance(value, Fault) else cell_json(grid, other, target)
        found += shown if isinstance(shown, list) else [] if shown is None else [shown]
    return found or None


def attachment_json(row: Attachment) -> dict[str, Any]:
    made: dict[str, Any] = {"id": row.id, "url": row.url, "filename": row.filename, "size": row.size, "type": row.type}
    if row.type.startswith(_IMAGE):
        made["thumbnails"] = {size: {"url": f"{row.url}/{size}"} for size in ("small", "large", "full")}
    return made


def record_json(
    grid: Grid,
    record: Record,
    columns: Iterable[Column],
    *,
    ids: bool = False,
    zone: tzinfo | None = None,
    strings: bool = False,
) -> dict[str, Any]:
    """A record with these fields, by name or id; empty cells are left out."""
    fields = dict[str, Any]()
    for column in columns:
        shown = (cell_string(grid, record, column, zone or UTC) or None) if strings else cell_json(grid, record, column)
        if shown is not None:
            fields[column.id if ids else column.name] = shown
    return {"id": record.id, "createdTime": record.created_time, "fields": fields}


def cell_string(grid: Grid, record: Record, column: Column, zone: tzinfo = UTC) -> str:
    """A cell as people read it (`cellFormat=string`)."""
    if column.type == "checkbox":
        return "checked" if record.cells.get(column.id) else ""
    value = grid.value(record, column)
    shaped = column
    if column.type in ("multipleLookupValues", "rollup"):
        shaped = grid.target(column) or column
    return _string(value, shaped, zone)


def _string(value: Any, column: Column, zone: tzinfo) -> str:
    if value is None:
        return ""
    if isinstance(value, Fault):
        return value.shown
    if isinstance(value, list):
        return ", ".join(_quoted(_string(v, column, zone)) for v in value)
    if isinstance(value, Moment):
        return _moment(value, column.options, zone)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value, column)
    return text(value)


def _quoted(shown: str) -> str:
    return '"' + shown.replace('"', '""') + '"' if "," in shown else shown


def _moment(value: Moment, options: dict[str, Any], zone: tzinfo) -> str:
    day = (options.get("dateFormat") or {"format": DATE_FORMATS["us"]})["format"]
    if value.day:
        return formatted(value.at, day)
    hour = (options.get("timeFormat") or {"format": TIME_FORMATS["12hour"]})["format"]
    try:
        local = value.at.astimezone(zone)
    except OverflowError:  # the first or last day that there is
        local = value.at
    return formatted(local, f"{day} {hour}")


def _number(value: float, column: Column) -> str:
    options = column.options
    if value != value or value in (float("inf"), float("-inf")):
        return number_text(value)
    if column.type == "currency":
        sign = "-" if value < 0 else ""
        return f"{sign}{options['symbol']}{abs(value):,.{options['precision']}f}"
    if column.type == "percent":
        return f"{value * 100:.{options['precision']}f}%"
    if column.type == "number":
        return f"{value:.{options['precision']}f}"
    if column.type == "duration":
        return duration_text(value, options["durationFormat"])
    return number_text(value)


def duration_text(value: float, pattern: str) -> str:
    """Seconds as hours, minutes and what of a second the format shows."""
    sign, left = "-" if value < 0 else "", abs(value)
    places = len(pattern.partition(".")[2])
    left = round(left, places) if "ss" in pattern else round(left / 60) * 60
    hours, rest = divmod(left, 3600)
    minutes, seconds = divmod(rest, 60)
    shown = f"{sign}{int(hours)}:{int(minutes):02}"
    if "ss" in pattern:
        shown += f":{seconds:0{3 + places if places else 2}.{places}f}"
    return shown


def hook_json(grid: Grid, column: Column, cell: Any) -> Any:
    """A stored value as webhook payloads tell it: options and links as objects."""
    if cell is None or cell is False:
        return None
    if column.type == "singleSelect":
        return _choice(column, cell)
    if column.type == "multipleSelects":
        return [_choice(column, name) for name in cell]
    if column.type == "multipleRecordLinks":
        there = grid.records(column.options["linkedTableId"])
        return [{"id": key, "name": grid.title(there[key]) if key in there else ""} for key in cell]
    if column.type == "singleCollaborator":
        return grid.user_json(cell)
    if column.type == "multipleCollaborators":
        return [grid.user_json(key) for key in cell]
    if column.type == "multipleAttachments":
        return [attachment_json(a) for a in grid.attachments(cell)]
    return cell_text(cell) if column.type in TEXT else cell


def _choice(column: Column, name: str) -> dict[str, Any]:
    return next((c for c in column.options["choices"] if c["name"] == name), {"name": name})


def sort_key(grid: Grid, record: Record, column: Column) -> tuple[Any, ...]:
    """A cell's place among the others of its field: blanks first, options in their order, text without regard to case."""
    value = grid.value(record, column)
    if column.type == "checkbox":
        return (1, int(bool(value)), "")
    if column.type == "singleSelect" and value is not None:
        order = [c["name"] for c in column.options["choices"]]
        return (1, order.index(value) if value in order else len(order), "")
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else text([v for v in value if not isinstance(v, Fault)])
    if value is None or value == "":
        return (0, 0, "")
    if isinstance(value, Fault) or value != value:
        return (3, 0, "")
    if isinstance(value, Moment):
        return (1, value.at.timestamp(), "")
    if isinstance(value, int | float):
        return (1, value, "")
    return (2, 0, f"{value.casefold()}\0{value}")
