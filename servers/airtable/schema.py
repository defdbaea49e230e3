"""Making tables and fields, and showing them. https://airtable.com/developers/web/api/model/table-model"""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict

from legoenv_mcp.app import Ctx, Field

from . import formula as formulas
from .app import invalid, refuse
from .dates import zone
from .evaluate import ARITIES, kind_of
from .grid import Grid
from .hooks import Log
from .kinds import (
    COLORS,
    DATE_FORMATS,
    NUMBERS,
    OVER_LINKS,
    PRIMARY,
    TEXT,
    TIME_FORMATS,
    FieldType,
    bad_options,
    read_options,
)
from .models import Column, Table, View

Json = dict[str, Any]
Name = Annotated[str, Field(max_length=255)]
Description = Annotated[str, Field(max_length=20_000)]
MOST_FIELDS = 500


class FormatOption(BaseModel):
    """How dates or times are shown."""

    model_config = ConfigDict(extra="allow")
    name: Annotated[
        str | None, Field(description="For dates local, friendly, us, european or iso; for times 12hour or 24hour.")
    ] = None


class ChoiceOption(BaseModel):
    """An option of a select."""

    model_config = ConfigDict(extra="allow")
    name: Annotated[str | None, Field(description="The option's name.")] = None
    color: Annotated[str | None, Field(description="Its colour, such as blueLight2 or greenBright.")] = None


class FieldOptions(BaseModel):
    """What the types of fields need, all in one; which of it a type takes is checked when the field is made."""

    model_config = ConfigDict(extra="allow")
    choices: Annotated[list[ChoiceOption] | None, Field(description="singleSelect, multipleSelects: the options.")] = (
        None
    )
    precision: Annotated[
        int | None, Field(description="number, percent, currency: digits behind the point, 0 to 8.")
    ] = None
    symbol: Annotated[str | None, Field(description="currency: its sign.")] = None
    icon: Annotated[
        str | None, Field(description="checkbox: check, star, heart, thumbsUp, flag; rating: all but check.")
    ] = None
    color: Annotated[str | None, Field(description="checkbox, rating: such as greenBright.")] = None
    max: Annotated[int | None, Field(description="rating: the most, 1 to 10.")] = None
    dateFormat: Annotated[FormatOption | None, Field(description="date, dateTime: how days are shown.")] = None
    timeFormat: Annotated[FormatOption | None, Field(description="dateTime: how times are shown.")] = None
    timeZone: Annotated[str | None, Field(description="dateTime: utc, client, or a zone's name.")] = None
    durationFormat: Annotated[str | None, Field(description="duration: h:mm or h:mm:ss.")] = None
    linkedTableId: Annotated[str | None, Field(description="multipleRecordLinks: the table to link to.")] = None


class NewField(BaseModel):
    """A field to be made."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[
        str, Field(max_length=255, description="The field's name, unlike those of the table's other fields.")
    ]
    type: Annotated[FieldType, Field(description="The kind of its cells; not a computed one.")]
    description: Annotated[str | None, Field(max_length=20_000, description="What the field is for.")] = None
    options: Annotated[
        dict[str, Any] | None,
        Field(
            description='What its type needs, as create_field has it: {"choices": [{"name"}]} for selects, {"precision"} for numbers.'
        ),
    ] = None


class NewTable(BaseModel):
    """A table to be made."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(max_length=255, description="The table's name.")]
    description: Annotated[str | None, Field(max_length=20_000, description="What the table is for.")] = None
    fields: Annotated[
        list[NewField], Field(min_length=1, max_length=MOST_FIELDS, description="Its fields, the primary one first.")
    ]


# Making


def make_table(ctx: Ctx, grid: Grid, new: NewTable, log: Log) -> Table:
    """A table with its fields and the grid view that every table has."""
    if not new.name.strip():
        raise invalid("A table's name may not be empty.")
    check_table_name(grid, new.name)
    first = new.fields[0]
    if first.type not in PRIMARY:
        raise refuse(
            "INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE",
            f"Invalid options for {new.name}.{first.name}: {first.type} cannot be the type of the primary field",
        )
    table = ctx.db.add(
        Table(
            id=ctx.id("tbl", 14),
            base_id=grid.base.id,
            name=new.name,
            description=new.description,
            position=len(grid.tables),
        )
    )
    grid.forget(schema=True)
    for new_field in new.fields:
        column = make_field(ctx, grid, table, new_field, log)
        if not table.primary_field_id:
            ctx.db.update(table, primary_field_id=column.id)
    ctx.db.add(View(id=ctx.id("viw", 14), table_id=table.id, name="Grid view"))
    grid.forget(schema=True)
    log.table_created(table)
    return grid.tables[table.id]


def check_table_name(grid: Grid, name: str, but: str = "") -> None:
    if any(t.name.casefold() == name.casefold() and t.id != but for t in grid.tables.values()):
        raise refuse("DUPLICATE_TABLE_NAME", f'A table named "{name}" already exists in this base')


def check_field_name(grid: Grid, table: Table, name: str, but: str = "") -> None:
    others = [c.name.casefold() for c in grid.columns(table).values() if c.id != but]
    if not name.strip() or name.casefold() in others:
        why = "The name is empty." if not name.strip() else f'{table.name} already has a field named "{name}".'
        raise refuse("DUPLICATE_OR_EMPTY_FIELD_NAME", hint=why)


def make_field(ctx: Ctx, grid: Grid, table: Table, new: NewField, log: Log) -> Column:
    """A field, and for a link the field on the other side."""
    check_field_name(grid, table, new.name)
    if len(grid.columns(table)) >= MOST_FIELDS:
        raise refuse("TOO_MANY_FIELDS", f"A table may have at most {MOST_FIELDS} fields")
    place = f"{table.name}.{new.name}"
    options = _completed(ctx, grid, table, new.type, place, read_options(place, new.name, new.type, new.options))
    column = _add(ctx, grid, table, new.name, new.type, options, new.description)
    log.field_created(column)
    if new.type == "multipleRecordLinks" and options["linkedTableId"] != table.id:
        other = grid.tables[options["linkedTableId"]]
        back = {
            "linkedTableId": table.id,
            "isReversed": False,
            "prefersSingleRecordLink": False,
            "inverseLinkFieldId": column.id,
        }
        inverse = _add(ctx, grid, other, _free_name(grid, other, table.name), new.type, back, None)
        ctx.db.update(column, options={**options, "inverseLinkFieldId": inverse.id})
        log.field_created(inverse)
    return column


def _add(ctx: Ctx, grid: Grid, table: Table, name: str, kind: str, options: Json, description: str | None) -> Column:
    made = ctx.db.add(
        Column(
            id=ctx.id("fld", 14),
            table_id=table.id,
            name=name,
            type=kind,
            description=description,
            position=len(grid.columns(table)),
            options=options,
        )
    )
    grid.columns(table)[made.id] = made
    return made


def _free_name(grid: Grid, table: Table, name: str) -> str:
    taken, made, n = {c.name.casefold() for c in grid.columns(table).values()}, name, 1
    while made.casefold() in taken:
        n += 1
        made = f"{name} {n}"
    return made


def _completed(ctx: Ctx, grid: Grid, table: Table, kind: str, place: str, options: Json) -> Json:
    """Options as they are kept: ids drawn, other fields and tables found."""
    if kind in ("singleSelect", "multipleSelects"):
        return {"choices": choices(ctx, place, options["choices"])}
    if kind == "dateTime" and options["timeZone"] != "client" and zone(options["timeZone"]) is None:
        raise bad_options(place, f'Invalid timezone "{options["timeZone"]}"')
    if kind == "multipleRecordLinks":
        if options["linkedTableId"] not in grid.tables:
            raise bad_options(place, "linkedTableId is not the id of a table of this base")
        if (view := options.get("viewIdForRecordSelection")) is not None:
            row = ctx.db.get(View, view)
            if row is None or row.table_id != options["linkedTableId"]:
                raise bad_options(place, "viewIdForRecordSelection is not the id of a view of the linked table")
        return {**options, "isReversed": False, "prefersSingleRecordLink": False}
    if kind == "multipleAttachments":
        return {"isReversed": options.get("isReversed", False)}
    if kind == "formula":
        return {"formula": checked_formula(grid, table, options["formula"], place)}
    if kind in OVER_LINKS:
        return _over_links(grid, table, place, options)
    if kind == "lastModifiedTime" and (watched := options.get("referencedFieldIds")):
        if unknown := [key for key in watched if key not in grid.columns(table)]:
            raise bad_options(place, f"referencedFieldIds: {unknown[0]} is not a field of this table")
        return {"referencedFieldIds": watched}
    return {} if kind in ("createdTime", "lastModifiedTime") else options


def _over_links(grid: Grid, table: Table, place: str, options: Json) -> Json:
    link = grid.columns(table).get(options["recordLinkFieldId"])
    if link is None or link.type != "multipleRecordLinks":
        raise bad_options(place, "recordLinkFieldId is not the id of a link field of this table")
    target = options.get("fieldIdInLinkedTable")
    if target is not None and target not in grid.columns(link.options["linkedTableId"]):
        raise bad_options(place, "fieldIdInLinkedTable is not the id of a field of the linked table")
    if "formula" in options:
        return {**options, "formula": checked_formula(grid, table, options["formula"], place, values=True)}
    return options


def checked_formula(grid: Grid, table: Table, source: str, place: str, *, values: bool = False) -> str:
    """A formula with its fields named by id."""
    known = formulas.finder(grid.columns(table))

    def find(name: str) -> Column | None:
        return None if values and name == "values" else known(name)

    try:
        node = formulas.parse(source)
        formulas.check(node, find, ARITIES, values=values)
    except formulas.BadFormula as error:
        raise bad_options(place, str(error)) from None
    return formulas.by_ids(source, node, find)


def choices(ctx: Ctx, place: str, given: Sequence[Json]) -> list[Json]:
    """The options of a new select, each with an id and a colour."""
    made = list[Json]()
    for choice in given:
        color = choice.get("color") or COLORS[len(made) % 10]
        if "id" in choice:
            raise bad_options(place, "choices: a new option has no id yet")
        if color not in COLORS:
            raise bad_options(place, f"choices: {color} is not a color")
        made.append({"id": ctx.id("sel", 14), "name": choice["name"], "color": color})
    names = [c["name"].casefold() for c in made]
    if len(set(names)) != len(names):
        raise bad_options(place, "choices: two options have the same name")
    return made


# Showing


def field_json(grid: Grid, column: Column) -> Json:
    made: Json = {"type": column.type}
    options = field_options(grid, column)
    if options:
        made["options"] = options
    made |= {"id": column.id, "name": column.name}
    return {**made, "description": column.description} if column.description is not None else made


def field_options(grid: Grid, column: Column) -> Json:
    """A field's options with what is worked out: whether it is valid, what it refers to, what it yields."""
    kind, options = column.type, column.options
    if kind == "createdTime":
        return {"result": _shown_time()}
    if kind == "lastModifiedTime":
        return {"isValid": True, "referencedFieldIds": options.get("referencedFieldIds", []), "result": _shown_time()}
    if kind == "formula":
        node, find = formulas.parse(options["formula"]), formulas.finder(grid.columns(column.table_id))
        return {
            "isValid": True, "formula": options["formula"], "referencedFieldIds": formulas.references(node, find),
            "result": result(grid, column),
        }  # fmt: skip
    if kind in OVER_LINKS:
        valid = options["recordLinkFieldId"] in grid.columns(column.table_id)
        made = {"isValid": valid, **options}
        if kind == "rollup":
            made["referencedFieldIds"] = []
        return {**made, "result": result(grid, column)} if kind != "count" else made
    return options


def _shown_time() -> Json:
    return {
        "type": "dateTime",
        "options": {
            "dateFormat": {"name": "local", "format": DATE_FORMATS["local"]},
            "timeFormat": {"name": "12hour", "format": TIME_FORMATS["12hour"]},
            "timeZone": "client",
        },
    }


def result(grid: Grid, column: Column, depth: int = 0) -> Json | None:
    """What a computed field yields, as a field type with its options."""
    if depth > 20:
        return None
    if column.type == "multipleLookupValues":
        target = grid.target(column)
        if target is None:
            return None
        if target.type in ("formula", "rollup", "multipleLookupValues"):
            return result(grid, target, depth + 1)
        options = field_options(grid, target)
        return {"type": target.type, **({"options": options} if options else {})}
    kind = result_kind(grid, column, depth)
    if kind in ("number", "truth"):
        return {"type": "number", "options": {"precision": 0 if kind == "truth" else 1}}
    if kind == "time":
        return _shown_time()
    if kind == "day":
        return {"type": "date", "options": {"dateFormat": {"name": "local", "format": DATE_FORMATS["local"]}}}
    return {"type": "singleLineText"}


def result_kind(grid: Grid, column: Column, depth: int = 0) -> str:
    """What a field's values are to a formula."""
    kind = column.type
    if kind in NUMBERS or kind in ("count", "autoNumber"):
        return "number"
    if kind in TEXT or depth > 20:
        return "text"
    if kind in ("dateTime", "createdTime", "lastModifiedTime"):
        return "time"
    if kind in ("date", "checkbox"):
        return "day" if kind == "date" else "truth"
    if kind not in ("formula", "rollup"):
        return "list" if kind == "multipleLookupValues" else "text"
    find = formulas.finder(grid.columns(column.table_id))

    def of(name: str) -> str:
        if kind == "rollup" and name == "values":
            target = grid.target(column)
            return result_kind(grid, target, depth + 1) if target else "text"
        found = find(name)
        return result_kind(grid, found, depth + 1) if found else "text"

    return kind_of(formulas.parse(column.options["formula"]), of)


def table_json(grid: Grid, table: Table, visible: bool = False) -> Json:
    columns = list(grid.columns(table).values())
    made: Json = {"id": table.id, "name": table.name, "primaryFieldId": table.primary_field_id}
    if table.description is not None:
        made["description"] = table.description
    views = grid.ctx.db.find(View, table_id=table.id, order="position,id")
    made["fields"] = [field_json(grid, c) for c in columns]
    made["views"] = [view_json(grid, v, visible) for v in views]
    return made


def view_json(grid: Grid, view: View, visible: bool = False) -> Json:
    made: Json = {"id": view.id, "name": view.name, "type": view.type}
    if visible and view.type == "grid":
        made["visibleFieldIds"] = list(grid.columns(view.table_id))
    return made
