"""Google Sheets as a spreadsheet app: fill, view, verbs. A table is a sheet whose first row names its columns."""

import hashlib
from collections.abc import Mapping
from datetime import date
from typing import Any, ClassVar

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.spreadsheet import Cell, Column, Spreadsheet, Table, Workbook

from . import a1, dates, entry, formats, models
from .book import Book
from .models import Json
from .values import Problem

_ISO: Json = {"type": "DATE", "pattern": "yyyy-mm-dd"}
_FORMATS: dict[str, Json] = {"date": _ISO, "money": {"type": "CURRENCY", "pattern": "#,##0.00"}}
_RULES = {"yes_no": "BOOLEAN", "email": "TEXT_IS_EMAIL", "choice": "ONE_OF_LIST"}
_KINDS = {rule: kind for kind, rule in _RULES.items()}


class GoogleSheets(Spreadsheet):
    """A workbook is a file, a table one of its sheets: column names in the first row, a row of cells in each after it.

    What a column holds shows in the format and the validation of its cells, as people set them.
    """

    entities: ClassVar[tuple[type[Entity], ...]] = (Person, *Spreadsheet.entities)

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, Person):
            return self._fill_person(ctx, entity)
        if isinstance(entity, Workbook):
            return self._fill_workbook(ctx, entity)
        if isinstance(entity, Table):
            return self._fill_table(ctx, entity)
        raise TypeError(f"Google Sheets has no {type(entity).__name__}")

    @staticmethod
    def _fill_person(ctx: Ctx, entity: Person) -> str:
        kept = entity.model_dump(exclude={"key", "id", "email", "first_name", "last_name", "time_zone", "active"})
        ctx.db.add(models.Person(
            email=entity.email, first_name=entity.first_name, last_name=entity.last_name, time_zone=entity.time_zone, active=entity.active,
            profile=kept,
        ))  # fmt: skip
        return entity.email

    @staticmethod
    def _fill_workbook(ctx: Ctx, entity: Workbook) -> str:
        account = ctx.db.first(models.Account)
        mine = account.email if account else ""
        owner = ctx.ref(Person, entity.owner) if entity.owner else mine
        me = ctx.db.get(models.Person, mine)
        digest = hashlib.blake2b(f"spreadsheet {entity.key or entity.name}".encode(), digest_size=33).hexdigest()
        created = entity.created or ctx.timestamp()
        row = ctx.db.add(models.Spreadsheet(
            id=f"1{digest[:43]}", title=entity.name, owner=owner, createdTime=created, modifiedTime=created, locale="en_GB",
            timeZone=me.time_zone if me else "Etc/GMT",
        ))  # fmt: skip
        return row.id

    @staticmethod
    def _fill_table(ctx: Ctx, entity: Table) -> str:
        workbook = ctx.ref(Workbook, entity.workbook)
        count = ctx.db.count(models.Sheet, spreadsheet_id=workbook)
        digest = hashlib.blake2b(f"sheet {entity.key or entity.name}".encode(), digest_size=4).digest()
        sheet = ctx.db.add(models.Sheet(
            spreadsheet_id=workbook, sheet_id=int.from_bytes(digest) >> 1 if count else 0, title=entity.name, position=count,
            frozenRowCount=1, rowCount=max(1000, len(entity.rows) + 100), columnCount=max(26, len(entity.columns)),
        ))  # fmt: skip

        def put(row: int, column: int, **content: Any) -> None:
            if any(v is not None for v in content.values()):
                ctx.db.add(
                    models.Cell(spreadsheet_id=workbook, sheet_id=sheet.sheet_id, row=row, column=column, **content)
                )

        for at, column in enumerate(entity.columns):
            put(0, at, value=column.name, format={"textFormat": {"bold": True}})
        for number, row in enumerate(entity.rows or ((None,) * len(entity.columns),), 1):
            for at, column in enumerate(entity.columns):
                value = row[at] if at < len(row) else None
                put(number, at, **_content(column, value))
        return f"{workbook}/{sheet.sheet_id}"

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "person":
            return _person(ctx, row)
        if table == "spreadsheet":
            owner = row["owner"]
            return Workbook(id=row["id"], name=row["title"], owner=owner, created=row["createdTime"])
        if table == "sheet":
            return _table(ctx, row)
        return None

    def list_tables(self, workbook_id: str) -> Plan:
        yield call("list_sheets", spreadsheetId=workbook_id)

    def read_rows(self, workbook_id: str, table: str) -> Plan:
        at: int | None = 1
        while at is not None:
            reply = yield call("get_sheet_data", spreadsheetId=workbook_id, sheet=table, startRow=at)
            at = reply.get("nextStartRow")

    def add_row(self, workbook_id: str, table: str, cells: Mapping[str, Cell]) -> Plan:
        reply = yield call("get_sheet_data", spreadsheetId=workbook_id, sheet=table, maxRows=1)
        columns = reply["rows"][0]["values"]
        row = [_said(cells[name]) if name in cells else None for name in columns]
        while row and row[-1] is None:
            row.pop()
        yield call("append_values", spreadsheetId=workbook_id, range=a1.quoted(table), values=[row])

    def update_row(self, workbook_id: str, table: str, where: Mapping[str, Cell], cells: Mapping[str, Cell]) -> Plan:
        columns, at = yield from _look_up(workbook_id, table, where)
        for name, value in cells.items():
            place = a1.cell_name(at - 1, columns.index(name))
            yield call("update_cells", spreadsheetId=workbook_id, sheet=table, range=place, data=[[_said(value)]])

    def delete_row(self, workbook_id: str, table: str, where: Mapping[str, Cell]) -> Plan:
        _, at = yield from _look_up(workbook_id, table, where)
        yield call("delete_rows", spreadsheetId=workbook_id, sheet=table, startRow=at)

    def create_table(self, workbook_id: str, table: str, columns: tuple[str, ...]) -> Plan:
        yield call("create_sheet", spreadsheetId=workbook_id, title=table)
        yield call(
            "update_cells", spreadsheetId=workbook_id, sheet=table, range="A1", data=[[_said(c) for c in columns]]
        )

    def add_column(self, workbook_id: str, table: str, column: str) -> Plan:
        reply = yield call("get_sheet_data", spreadsheetId=workbook_id, sheet=table, maxRows=1)
        rows = reply["rows"]
        place = a1.cell_name(0, len(rows[0]["values"]) if rows else 0)
        yield call("update_cells", spreadsheetId=workbook_id, sheet=table, range=place, data=[[_said(column)]])


def _look_up(workbook_id: str, table: str, where: Mapping[str, Cell]) -> Any:
    """Reads until the row is found that has these values; its columns and its number."""
    columns, at = list[str](), 1
    while True:
        reply = yield call("get_sheet_data", spreadsheetId=workbook_id, sheet=table, startRow=at, unformatted=True)
        for row in reply["rows"]:
            values = row["values"]
            if not columns:
                columns = [str(v) for v in values]
            elif all(_same(values, columns.index(name), value) for name, value in where.items()):
                return columns, row["row"]
        if "nextStartRow" not in reply:
            raise LookupError(f"no row of {table} has {dict(where)}")
        at = reply["nextStartRow"]


def _same(values: list[Any], at: int, wanted: Cell) -> bool:
    value = values[at] if at < len(values) and values[at] != "" else None
    if (
        isinstance(wanted, str)
        and not isinstance(value, str)
        and value is not None
        and (day := _day(wanted)) is not None
    ):
        return value == day
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _day(text: str) -> int | None:
    """The number of an ISO day."""
    try:
        return int(dates.serial(date.fromisoformat(text))) if len(text) == 10 else None
    except ValueError:
        return None


def _said(value: Cell) -> Any:
    """A value as to type it, so that text stays text. An ISO day is typed as it is: it becomes a date."""
    if value is None:
        return ""
    if isinstance(value, str) and _day(value) is None:
        typed = entry.typed(value, "en_GB")
        if typed.value != value or typed.formula is not None:
            return f"'{value}"
    return value


def _content(column: Column, value: Cell) -> Json:
    """What a cell of a column holds."""
    made: Json = {"value": value}
    if column.kind == "date" and isinstance(value, str) and (day := _day(value)) is not None:
        made["value"] = day
    if column.kind in _FORMATS:
        made["format"] = {"numberFormat": _FORMATS[column.kind]}
    if column.kind == "number":
        places = len(repr(value).partition(".")[2]) if isinstance(value, float) and not value.is_integer() else 0
        pattern = "#,##0" + ("." + "0" * min(places, 10) if places else "")
        made["format"] = {"numberFormat": {"type": "NUMBER", "pattern": pattern}}
    if column.kind in _RULES:
        condition: Json = {"type": _RULES[column.kind]}
        if column.choices:
            condition["values"] = [{"userEnteredValue": c} for c in column.choices]
        made["validation"] = {"condition": condition, "showCustomUi": True}
    return made


def _person(ctx: Ctx, row: dict[str, Any]) -> Person:
    kept = dict(row["profile"])
    if kept.get("manager") and ctx.has_ref(Person, kept["manager"]):
        kept["manager"] = ctx.ref(Person, kept["manager"])
    named = {name: row[name] for name in ("email", "first_name", "last_name", "time_zone", "active")}
    return Person(id=row["email"], **named, **kept)


def _table(ctx: Ctx, row: dict[str, Any]) -> Table | None:
    workbook = ctx.db.get(models.Spreadsheet, row["spreadsheet_id"])
    if workbook is None:
        return None
    engine, sheet_id = Book(ctx, workbook).engine, row["sheet_id"]
    cells, spilt = engine.cells(sheet_id), engine.spilt(sheet_id)
    spots = {*cells, *spilt}
    width = max((c for r, c in spots if r == 0 and engine.value(sheet_id, r, c) is not None), default=-1) + 1
    columns = tuple(_column(_name(engine.value(sheet_id, 0, c)), cells, c) for c in range(width))
    rows = list[tuple[Cell, ...]]()
    for number in sorted({r for r, c in spots if r > 0 and c < width}):
        values = tuple(_told(engine.value(sheet_id, number, c), cells.get((number, c))) for c in range(width))
        if any(v is not None for v in values):
            rows.append(values)
    return Table(
        id=f"{workbook.id}/{sheet_id}", workbook=workbook.id, name=row["title"], columns=columns, rows=tuple(rows)
    )


def _name(value: Any) -> str:
    return value.shown if isinstance(value, Problem) else formats.text_of(value, None, "en_GB")


def _told(value: Any, cell: models.Cell | None) -> Cell:
    if isinstance(value, Problem):
        return value.shown
    if isinstance(value, int | float) and not isinstance(value, bool) and cell is not None:
        number_format = (cell.format or {}).get("numberFormat")
        if number_format and number_format.get("type") == "DATE" and (when := dates.moment(value)) is not None:
            return when.date().isoformat()
    return value


def _column(name: str, cells: dict[tuple[int, int], models.Cell], at: int) -> Column:
    """A column as its first cells show it."""
    below = min((r for r, c in cells if c == at and r > 0), default=0)
    cell = cells.get((below, at)) if below else None
    if cell is None:
        return Column(name=name)
    condition = (cell.validation or {}).get("condition", {})
    if condition.get("type") in _KINDS:
        choices = tuple(str(v.get("userEnteredValue", "")) for v in condition.get("values", []))
        kind = _KINDS[condition["type"]]
        return Column(name=name, kind=kind, choices=choices if kind == "choice" else ())  # pyright: ignore[reportArgumentType]
    shown = ((cell.format or {}).get("numberFormat") or {}).get("type")
    kind = {"DATE": "date", "CURRENCY": "money", "NUMBER": "number"}.get(str(shown), "text")
    return Column(name=name, kind=kind)  # pyright: ignore[reportArgumentType]


provides = {"spreadsheet": GoogleSheets()}
