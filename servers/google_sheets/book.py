"""A spreadsheet in a call: its sheets, its ranges, its cells."""

from dataclasses import dataclass, replace
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.styles import google

from . import a1, entry
from .a1 import Ref
from .app import refuse
from .engine import Engine, box, local_time
from .entry import Entered
from .models import Account, Cell, Json, NamedRange, ProtectedRange, Sheet, Spreadsheet
from .schemas import GridRange

MOST_CELLS = 10_000_000
LONGEST = 50_000
_GUARDED = (
    "You are trying to edit a protected cell or object. Please contact the spreadsheet owner to remove "
    "protection if you need to edit."
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of a sheet, both ends included and within the grid. `bound` is false for a single cell, which only says where to begin,
    and for open ends, which say not where to stop."""

    sheet: Sheet
    top: int
    left: int
    bottom: int
    right: int
    bound_rows: bool = True
    bound_columns: bool = True

    @property
    def name(self) -> str:
        return a1.range_name(self.sheet.title, self.top, self.left, self.bottom, self.right)

    def holds(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    @property
    def grid(self) -> Json:
        return {
            "sheetId": self.sheet.sheet_id, "startRowIndex": self.top, "endRowIndex": self.bottom + 1,
            "startColumnIndex": self.left, "endColumnIndex": self.right + 1,
        }  # fmt: skip


class Book:
    """Reads through `engine`; writes through `put`, which forgets what the engine knew."""

    def __init__(self, ctx: Ctx, spreadsheet: Spreadsheet) -> None:
        self.ctx = ctx
        self.row = spreadsheet
        self.id = spreadsheet.id
        self.today = local_time(ctx, spreadsheet.timeZone).date()
        self._engine: Engine | None = None
        self._guards: list[ProtectedRange] | None = None

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            self._engine = Engine(self.ctx, self.row)
        return self._engine

    def forget(self) -> None:
        """What was worked out no longer holds: something was written."""
        self._engine = None

    def unguard(self) -> None:
        """Protections changed."""
        self._guards = None

    # Sheets

    def sheets(self) -> list[Sheet]:
        return self.ctx.db.find(Sheet, order="position", spreadsheet_id=self.id)

    def sheet(self, sheet_id: int, what: str = "grid") -> Sheet:
        found = self.ctx.db.get(Sheet, (self.id, sheet_id))
        if found is None:
            raise refuse(f"No {what} with id: {sheet_id}")
        return found

    def titled(self, title: str) -> Sheet | None:
        return next((s for s in self.sheets() if s.title.lower() == title.lower()), None)

    def named(self, title: str | None) -> Sheet:
        """The sheet that a tool's caller means: the first where none is named."""
        if title is None:
            return self.sheets()[0]
        found = self.titled(title)
        if found is None:
            there = ", ".join(f"'{s.title}'" for s in self.sheets()[:20])
            raise refuse(f"No sheet with title: '{title[:100]}'. The spreadsheet's sheets are: {there}.")
        return found

    # Ranges

    def locate(self, text: str) -> Area:
        """A range in A1 or R1C1 notation, a named range, or a sheet's title."""
        ref = a1.read(text)
        if ref is not None:
            sheet = self.sheets()[0] if ref.sheet is None else self.titled(ref.sheet)
            if sheet is not None:
                return self._within(ref, sheet)
        else:
            head, mark, name = text.rpartition("!")
            found = next((n for n in self.names() if n.name.lower() == (name if mark else text).lower()), None)
            if found is not None and (not mark or self.titled(a1.unquoted(head)) is not None):
                return self.area(found.range)
            sheet = self.titled(a1.unquoted(text))
            if sheet is not None:
                return Area(sheet, 0, 0, sheet.rowCount - 1, sheet.columnCount - 1, False, False)
            ref = a1.numbered(text)
            sheet = None if ref is None else self.sheets()[0] if ref.sheet is None else self.titled(ref.sheet)
            if ref is not None and sheet is not None:
                return self._within(ref, sheet)
        raise refuse(f"Unable to parse range: {text}")

    def _within(self, ref: Ref, sheet: Sheet) -> Area:
        if (ref.top or 0) >= sheet.rowCount or (ref.left or 0) >= sheet.columnCount:
            raise beyond(sheet, a1.written(Ref(sheet.title, ref.top, ref.left, ref.bottom, ref.right, ref.single)))
        top, left, bottom, right = box(ref, sheet)
        bound = not ref.single
        return Area(sheet, top, left, bottom, right, bound and ref.bottom is not None, bound and ref.right is not None)

    def ranged(self, said: GridRange | None) -> Area:
        """The area of a GridRange in a body."""
        return self.area(said.sent() if said else {})

    def used(self, area: Area) -> Area | None:
        """The area as far down as it has anything; None where it is blank."""
        held = [c.row for c in self.cells(area) if c.value is not None or c.formula is not None]
        held += [
            r for (r, c), v in self.engine.spilt(area.sheet.sheet_id).items() if v is not None and area.holds(r, c)
        ]
        return replace(area, bottom=max(held)) if held else None

    def area(self, grid: Json, what: str = "grid") -> Area:
        """A GridRange, of which every end may be open."""
        sheet = self.sheet(grid.get("sheetId") or 0, what)
        top, left = grid.get("startRowIndex") or 0, grid.get("startColumnIndex") or 0
        bottom, right = grid.get("endRowIndex"), grid.get("endColumnIndex")
        for name, value in grid.items():
            if name != "sheetId" and value is not None and value < 0:
                raise refuse(f"GridRange.{name}[{value}] cannot be negative.")
        if (bottom is not None and bottom <= top) or (right is not None and right <= left):
            raise refuse("The range is empty: its end must be after its start.")
        if top >= sheet.rowCount or left >= sheet.columnCount:
            raise beyond(sheet, a1.range_name(sheet.title, top, left, (bottom or top + 1) - 1, (right or left + 1) - 1))
        return Area(
            sheet, top, left, (sheet.rowCount if bottom is None else min(bottom, sheet.rowCount)) - 1,
            (sheet.columnCount if right is None else min(right, sheet.columnCount)) - 1, bottom is not None, right is not None,
        )  # fmt: skip

    def names(self) -> list[NamedRange]:
        return self.ctx.db.find(NamedRange, order="name", spreadsheet_id=self.id)

    # Cells

    def cell(self, sheet: Sheet, row: int, column: int) -> Cell | None:
        return self.ctx.db.get(Cell, (self.id, sheet.sheet_id, row, column))

    def cells(self, area: Area) -> list[Cell]:
        """The stored cells of an area, by row and column."""
        return self.ctx.db.find(
            Cell, order="row,column", spreadsheet_id=self.id, sheet_id=area.sheet.sheet_id, row__ge=area.top, row__le=area.bottom,
            column__ge=area.left, column__le=area.right,
        )  # fmt: skip

    def put(self, sheet: Sheet, row: int, column: int, **changes: Any) -> None:
        """Changes what a cell holds; a cell that holds nothing is no row."""
        self._guard(sheet, row, column)
        for words in (changes.get("value"), changes.get("formula"), changes.get("note")):
            if isinstance(words, str) and len(words) > LONGEST:
                raise refuse(f"Your input contains more than the maximum of {LONGEST} characters in a single cell.")
        held = self.cell(sheet, row, column)
        if held is None:
            changes = {n: v for n, v in changes.items() if v is not None}
            if changes:
                self.ctx.db.add(
                    Cell(spreadsheet_id=self.id, sheet_id=sheet.sheet_id, row=row, column=column, **changes)
                )
                self.forget()
            return
        new = {n: v for n, v in changes.items() if getattr(held, n) != v or type(getattr(held, n)) is not type(v)}
        if not new:
            return
        kept = {n: new.get(n, getattr(held, n)) for n in ("value", "formula", "format", "validation", "note")}
        if all(v is None for v in kept.values()):
            self.ctx.db.delete(held)
        else:
            self.ctx.db.update(held, **new)
        self.forget()

    def type(self, sheet: Sheet, row: int, column: int, value: Any) -> None:
        """A value as typed into a cell. A cell formatted as plain text takes what is typed as it is, formulas too."""
        said = entry.typed(value, self.row.locale, self.today)
        if isinstance(value, str) and not isinstance(said.value, str):
            held = self.cell(sheet, row, column)
            if (((held.format if held else None) or {}).get("numberFormat") or {}).get("type") == "TEXT":
                said = entry.raw(value)
        self.enter(sheet, row, column, said)

    def enter(self, sheet: Sheet, row: int, column: int, said: Entered) -> None:
        """A value as entered. A format that its spelling asks for is set, unless the cell has one of the same type."""
        changes: Json = {"value": said.value, "formula": said.formula}
        if said.number_format is not None:
            held = self.cell(sheet, row, column)
            before = (held.format if held else None) or {}
            if (before.get("numberFormat") or {}).get("type") != said.number_format["type"]:
                changes["format"] = {**before, "numberFormat": said.number_format}
        self.put(sheet, row, column, **changes)

    def _guard(self, sheet: Sheet, row: int, column: int) -> None:
        """Protected cells are for their editors and the owner."""
        if self._guards is None:
            me = self.ctx.db.first(Account)
            mine = me.email if me else ""
            rows = self.ctx.db.find(ProtectedRange, spreadsheet_id=self.id)
            self._guards = [p for p in rows if not p.warningOnly and mine not in p.editors and mine != self.row.owner]
        for guard in self._guards:
            if inside(guard.range, sheet, row, column) and not any(
                inside(free, sheet, row, column) for free in guard.unprotected
            ):
                raise refuse(_GUARDED)

    def check_unprotected(self, sheet: Sheet) -> None:
        """A sheet with a protected range is not for others to delete."""
        for cell in self.ctx.db.find(Cell, spreadsheet_id=self.id, sheet_id=sheet.sheet_id):
            self._guard(sheet, cell.row, cell.column)

    # The grid

    def resize(self, sheet: Sheet, rows: int, columns: int) -> None:
        others = sum(s.rowCount * s.columnCount for s in self.sheets() if s.sheet_id != sheet.sheet_id)
        if others + rows * columns > MOST_CELLS:
            raise too_many()
        self.ctx.db.update(sheet, rowCount=rows, columnCount=columns)
        self.forget()

    def touch(self) -> None:
        self.ctx.db.update(self.row, modifiedTime=self.ctx.timestamp("milliseconds"))


def too_many() -> Exception:
    return refuse(
        f"This action would increase the number of cells in the workbook above the limit of {MOST_CELLS} cells."
    )


def beyond(sheet: Sheet, name: str) -> Exception:
    return refuse(f"Range ({name}) exceeds grid limits. Max rows: {sheet.rowCount}, max columns: {sheet.columnCount}")


def inside(grid: Json, sheet: Sheet, row: int, column: int) -> bool:
    """Whether a GridRange holds a cell."""
    return (
        grid.get("sheetId", 0) == sheet.sheet_id
        and grid.get("startRowIndex", 0) <= row < grid.get("endRowIndex", row + 1)
        and grid.get("startColumnIndex", 0) <= column < grid.get("endColumnIndex", column + 1)
    )


def open_book(ctx: Ctx, spreadsheet_id: str) -> Book:
    """The spreadsheet with this id; the product's refusal where there is none."""
    found = ctx.db.get(Spreadsheet, spreadsheet_id)
    if found is None:
        raise google.not_found()
    return Book(ctx, found)
