"""Airtable as a spreadsheet app: fill, view, verbs. A workbook is a base, a table a table whose fields are typed as its columns are."""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.base import ToolCall
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.spreadsheet import Cell, Column, Spreadsheet, Table, Workbook

from . import models
from .grid import Grid, cell_text, plain_json
from .kinds import COLORS, COMPUTED, DATE_FORMATS, PRIMARY, TEXT
from .people import me
from .showing import cell_string
from .values import Fault, iso, parsed

Json = dict[str, Any]
_NAME = ("first_name", "last_name", "email", "active")
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
_KINDS = {
    "number": "number",
    "currency": "money",
    "date": "date",
    "checkbox": "yes_no",
    "email": "email",
    "singleSelect": "choice",
}


class Airtable(Spreadsheet):
    """The first column whose type allows it is the primary field. Text with line ends is long text, choices are a single select."""

    entities: ClassVar[tuple[type[Entity], ...]] = (Person, *Spreadsheet.entities)

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, Person):
            return self._fill_person(ctx, entity)
        if isinstance(entity, Workbook):
            return self._fill_workbook(ctx, entity)
        if isinstance(entity, Table):
            return self._fill_table(ctx, entity)
        raise TypeError(f"Airtable has no {type(entity).__name__}")

    @staticmethod
    def _fill_person(ctx: Ctx, person: Person) -> str:
        """Who is at the company is in its workspace: administrators own it, the caller creates in it, the others edit."""
        profile = person.model_dump(exclude={"key", "id", "email", "active"})
        user = ctx.db.add(
            models.User(
                id=ctx.id("usr", 14), email=person.email, name=person.name, active=person.active, profile=profile
            )
        )
        workspace = ctx.db.first(models.Workspace)
        if workspace is not None and person.active:
            level = "owner" if person.admin else "create" if person.key == ctx.agent else "edit"
            ctx.db.add(
                models.Collaborator(
                    scope=workspace.id,
                    user_id=user.id,
                    permission_level=level,
                    granted_by=user.id,
                    created_time=_time(ctx, person.start_date),
                )
            )
        return user.id

    @staticmethod
    def _fill_workbook(ctx: Ctx, workbook: Workbook) -> str:
        workspace = ctx.db.find(models.Workspace)[0]
        owner = ctx.ref(Person, workbook.owner) if workbook.owner else me(ctx)
        created = _time(ctx, workbook.created)
        base = ctx.db.add(
            models.Base(
                id=ctx.id("app", 14), workspace_id=workspace.id, name=workbook.name, owner=owner, created_time=created
            )
        )
        ctx.db.add(
            models.Collaborator(
                scope=base.id, user_id=owner, permission_level="owner", granted_by=owner, created_time=created
            )
        )
        return base.id

    @staticmethod
    def _fill_table(ctx: Ctx, table: Table) -> str:
        base = ctx.require(models.Base, ctx.ref(Workbook, table.workbook))
        position = ctx.db.count(models.Table, base_id=base.id)
        row = ctx.db.add(
            models.Table(
                id=ctx.id("tbl", 14), base_id=base.id, name=table.name, position=position, last_number=len(table.rows)
            )
        )
        currency = ctx.db.find(models.Workspace)[0].currency
        columns = list[models.Column]()
        for at, column in enumerate(table.columns):
            cells = [r[at] for r in table.rows if at < len(r)]
            kind, options = _field(ctx, column, cells, currency)
            columns.append(
                ctx.db.add(
                    models.Column(
                        id=ctx.id("fld", 14), table_id=row.id, name=column.name, type=kind, position=at, options=options
                    )
                )
            )
        primary = next((c for c in columns if c.type in PRIMARY), columns[0])
        ctx.db.update(row, primary_field_id=primary.id)
        _views(ctx, row.id, columns)
        for number, values in enumerate(table.rows, 1):
            cells = {
                c.id: v for c, v in zip(columns, values, strict=False) if v is not None and v is not False and v != ""
            }
            ctx.db.add(
                models.Record(
                    id=ctx.id("rec", 14),
                    table_id=row.id,
                    number=number,
                    created_time=base.created_time,
                    created_by=base.owner,
                    cells=cells,
                )
            )
        return row.id

    def view(self, ctx: Ctx, table: str, row: Json) -> Entity | None:
        if table == "user":
            return Person(id=row["id"], email=row["email"], active=row["active"], **_profile(ctx, row["profile"]))
        if table == "base":
            return Workbook(
                id=row["id"], name=row["name"], owner=row["owner"], created=row["created_time"].replace(".000Z", "Z")
            )
        if table == "base_table":
            return _table(ctx, row)
        return None

    def list_tables(self, workbook_id: str) -> Plan:
        yield call("list_tables", baseId=workbook_id, detailLevel="identifiersOnly")

    def read_rows(self, workbook_id: str, table: str) -> Plan:
        yield from _pages(workbook_id, table)

    def add_row(self, workbook_id: str, table: str, cells: Mapping[str, Cell]) -> Plan:
        fields = {name: value for name, value in cells.items() if value is not None}
        yield call("create_record", baseId=workbook_id, tableId=table, fields=fields, typecast=True)

    def update_row(self, workbook_id: str, table: str, where: Mapping[str, Cell], cells: Mapping[str, Cell]) -> Plan:
        key = yield from _look_up(workbook_id, table, where)
        yield call("update_record", baseId=workbook_id, tableId=table, recordId=key, fields=dict(cells), typecast=True)

    def delete_row(self, workbook_id: str, table: str, where: Mapping[str, Cell]) -> Plan:
        key = yield from _look_up(workbook_id, table, where)
        yield call("delete_record", baseId=workbook_id, tableId=table, recordId=key)

    def create_table(self, workbook_id: str, table: str, columns: tuple[str, ...]) -> Plan:
        fields = [{"name": name, "type": "singleLineText"} for name in columns]
        yield call("create_table", baseId=workbook_id, name=table, fields=fields)

    def add_column(self, workbook_id: str, table: str, column: str) -> Plan:
        yield call("create_field", baseId=workbook_id, tableId=table, name=column, type="singleLineText")


def _views(ctx: Ctx, table: str, columns: list[models.Column]) -> None:
    """The grid that every table has; a board of the first select's options and a calendar of the first date, as people make them."""
    board = next((f"By {c.name}" for c in columns if c.type == "singleSelect"), None)
    days = next((f"Calendar of {c.name}" for c in columns if c.type == "date"), None)
    names = {"grid": "Grid view", "kanban": board, "calendar": days}
    for position, (kind, name) in enumerate((k, n) for k, n in names.items() if n is not None):
        ctx.db.add(
            models.View(id=ctx.id("viw", 14), table_id=table, name=name, type=kind, position=position)  # pyright: ignore[reportArgumentType]
        )


def _time(ctx: Ctx, text: str) -> str:
    at = parsed(text) if text else None
    return iso(at.at if at else ctx.now)


def _profile(ctx: Ctx, kept: Json) -> Json:
    manager = kept.get("manager", "")
    return {**kept, "manager": ctx.ref(Person, manager) if manager and ctx.has_ref(Person, manager) else ""}


def _field(ctx: Ctx, column: Column, cells: list[Cell], currency: str) -> tuple[str, Json]:
    """The field type that a column becomes, and its options."""
    if column.kind in ("number", "money"):
        places = max(
            (len(repr(v).partition(".")[2]) for v in cells if isinstance(v, float) and not v.is_integer()), default=0
        )
        if column.kind == "number":
            return "number", {"precision": min(places, 8)}
        named = next((c for c in _SYMBOLS if c in column.name.split()), currency)
        return "currency", {"precision": max(2, min(places, 7)), "symbol": _SYMBOLS.get(named, named)}
    if column.kind == "date":
        return "date", {"dateFormat": {"name": "iso", "format": DATE_FORMATS["iso"]}}
    if column.kind == "yes_no":
        return "checkbox", {"icon": "check", "color": "greenBright"}
    if column.kind == "choice":
        choices = [{"id": ctx.id("sel", 14), "name": c, "color": COLORS[n % 10]} for n, c in enumerate(column.choices)]
        return "singleSelect", {"choices": choices}
    if column.kind == "email":
        return "email", {}
    long = any(isinstance(v, str) and "\n" in v for v in cells)
    return ("multilineText" if long else "singleLineText"), {}


def _table(ctx: Ctx, row: Json) -> Table | None:
    base = ctx.db.get(models.Base, row["base_id"])
    if base is None:
        return None
    grid = Grid(ctx, base)
    columns = list(grid.columns(row["id"]).values())
    rows = tuple(tuple(_cell(grid, record, c) for c in columns) for record in grid.records(row["id"]).values())
    return Table(id=row["id"], workbook=base.id, name=row["name"], columns=tuple(map(_column, columns)), rows=rows)


def _column(column: models.Column) -> Column:
    choices = tuple(c["name"] for c in column.options["choices"]) if column.type == "singleSelect" else ()
    kind = (
        "number"
        if column.type in ("percent", "duration", "rating", "count", "autoNumber")
        else _KINDS.get(column.type, "text")
    )
    return Column(name=column.name, kind=kind, choices=choices)  # pyright: ignore[reportArgumentType]


def _cell(grid: Grid, record: models.Record, column: models.Column) -> Cell:
    """A cell as the world would say it. A number that was typed into a text field is still a number."""
    cell = record.cells.get(column.id)
    if column.type == "checkbox":
        return bool(cell)
    if column.type in TEXT or column.type in _KINDS or column.type in ("percent", "duration", "rating", "dateTime"):
        return cell
    if column.type in COMPUTED:
        value = grid.value(record, column)
        shown = None if isinstance(value, Fault) else plain_json(value)
        if isinstance(shown, str | int | float):
            return shown
    return cell_string(grid, record, column) or None


def _pages(workbook_id: str, table: str) -> Generator[ToolCall, Json, list[Json]]:
    """Every record of a table, page by page."""
    found, offset = list[Json](), {}
    while True:
        reply = yield call("list_records", baseId=workbook_id, tableId=table, pageSize=100, **offset)
        found += reply["records"]
        if "offset" not in reply:
            return found
        offset = {"offset": reply["offset"]}


def _look_up(workbook_id: str, table: str, where: Mapping[str, Cell]) -> Generator[ToolCall, Json, str]:
    """The id of the record that has these values."""
    for record in (yield from _pages(workbook_id, table)):
        if all(_same(record["fields"].get(name), value) for name, value in where.items()):
            return record["id"]
    raise LookupError(f"no record of {table} has {dict(where)}")


def _same(shown: Any, wanted: Cell) -> bool:
    if wanted in (None, "") or wanted is False:
        return not shown
    if isinstance(shown, str) and not isinstance(wanted, str):
        return shown == cell_text(wanted)
    return shown == wanted and isinstance(shown, bool) == isinstance(wanted, bool)


provides = {"spreadsheet": Airtable()}
