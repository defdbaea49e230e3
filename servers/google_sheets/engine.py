"""What the cells of a spreadsheet come to. Formulas are worked out when they are read, each once in a call."""

import math
from collections.abc import Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from legoenv_mcp.app import Ctx

from . import (
    dates,
    formulas,
    functions,
    functions_dates,
    functions_lookup,
    functions_math,
    functions_patterns,
    functions_text,
)
from .a1 import Ref, cell_name
from .entry import clean
from .formulas import Node
from .models import Cell, NamedRange, Sheet, Spreadsheet
from .operators import each, operate
from .values import BY_SHOWN, Failed, Matrix, Problem, Scalar, fail, number, scalar

Place = tuple[int, int, int]
"""Sheet id, row, column."""

_CIRCLE = Problem("REF", "Circular dependency detected. To resolve with iterative calculation, see File > Settings.")
_UNREAD = Problem("ERROR", "Formula parse error.")
_MOST_CELLS = 2_000_000
_LARGE = 200_000
LIBRARY = (functions_dates, functions_lookup, functions_math, functions_patterns, functions_text)
"""The modules that declare functions."""


class Engine:
    """The values of one spreadsheet as it is now. A new one is needed after a write."""

    def __init__(self, ctx: Ctx, spreadsheet: Spreadsheet) -> None:
        self.ctx = ctx
        self.locale = spreadsheet.locale
        self.now = dates.serial(local_time(ctx, spreadsheet.timeZone))
        self.sheets = {s.sheet_id: s for s in ctx.db.find(Sheet, order="position", spreadsheet_id=spreadsheet.id)}
        self.titles = {s.title.lower(): s for s in self.sheets.values()}
        self._id = spreadsheet.id
        self._cells = dict[int, dict[tuple[int, int], Cell]]()
        self._done = dict[Place, Any]()
        self._spilt = dict[int, dict[tuple[int, int], Scalar]]()
        self._spilling = set[int]()
        self._names: dict[str, dict[str, Any]] | None = None
        self._visited = 0
        self.place: Place = (0, 0, 0)

    def cells(self, sheet_id: int) -> dict[tuple[int, int], Cell]:
        """The stored cells of a sheet."""
        found = self._cells.get(sheet_id)
        if found is None:
            rows = self.ctx.db.find(Cell, spreadsheet_id=self._id, sheet_id=sheet_id)
            found = self._cells[sheet_id] = {(c.row, c.column): c for c in rows}
        return found

    def value(self, sheet_id: int, row: int, column: int) -> Scalar:
        """What a cell comes to."""
        cell = self.cells(sheet_id).get((row, column))
        if cell is None or (cell.formula is None and cell.value is None):
            return self._spill(sheet_id).get((row, column))
        if cell.formula is None:
            return cell.value
        return self._outcome((sheet_id, row, column))

    def _outcome(self, place: Place) -> Scalar:
        if place not in self._done:
            self._work(place)
        made = self._done[place]
        if isinstance(made, Matrix):
            self._spill(place[0])
            made = self._done[place]
        return scalar(made)

    # Formulas are worked out after those that they refer to, so that no chain is too long for the stack.

    def _work(self, start: Place) -> None:
        stack, open_ = [(start, iter(self._needs(start)))], {start}
        circular = set[Place]()
        while stack:
            place, needs = stack[-1]
            for need in needs:
                if need in open_:
                    circular |= {p for p, _ in stack[[p for p, _ in stack].index(need) :]}
                elif need not in self._done:
                    open_.add(need)
                    stack.append((need, iter(self._needs(need))))
                    break
            else:
                stack.pop()
                open_.discard(place)
                self._done[place] = _CIRCLE if place in circular else self._evaluate(place)

    def _needs(self, place: Place) -> list[Place]:
        """The cells with formulas that a formula refers to."""
        cell = self._cells[place[0]][place[1], place[2]]
        formula = formulas.read(cell.formula or "")
        if formula is None:
            return []
        found = list[Place]()
        refs = [(place[0], ref) for ref in formula.refs]
        for name in formula.names:
            grid = self.names.get(name.lower())
            if grid is not None:
                refs.append((grid.get("sheetId", 0), _ref(grid)))
        for home, ref in refs:
            sheet = self.titles.get(ref.sheet.lower()) if ref.sheet is not None else self.sheets.get(home)
            if sheet is None:
                continue
            held = self.cells(sheet.sheet_id)
            top, left, bottom, right = box(ref, sheet)
            if (bottom - top + 1) * (right - left + 1) > len(held):
                spots = [
                    (r, c) for (r, c), h in held.items() if h.formula and top <= r <= bottom and left <= c <= right
                ]
            else:
                spots = [(r, c) for r in range(top, bottom + 1) for c in range(left, right + 1)]
            found += [(sheet.sheet_id, *s) for s in spots if (h := held.get(s)) is not None and h.formula is not None]
        return found

    def _evaluate(self, place: Place) -> Any:
        before, self.place = self.place, place
        try:
            cell = self._cells[place[0]][place[1], place[2]]
            formula = formulas.read(cell.formula or "")
            if formula is None:
                return _UNREAD
            made = self.result(formula.tree, formula.spills)
            if isinstance(made, Matrix) and not formula.spills:
                made = self._intersect(made)
            return _tidy(made)
        except Failed as failed:
            return failed.problem
        except (OverflowError, ValueError, ArithmeticError):
            return Problem("NUM", "The result is out of range.")
        except RecursionError:
            return _UNREAD
        finally:
            self.place = before

    # Results of more than one cell flow into the blank cells right and below.

    def _spill(self, sheet_id: int) -> dict[tuple[int, int], Scalar]:
        if sheet_id in self._spilt:
            return self._spilt[sheet_id]
        if sheet_id in self._spilling:
            return {}
        self._spilling.add(sheet_id)
        out, cells = dict[tuple[int, int], Scalar](), self.cells(sheet_id)
        for (row, column), cell in cells.items():
            if cell.formula is None:
                continue
            formula = formulas.read(cell.formula)
            if formula is None or not formula.spills:
                continue
            place = (sheet_id, row, column)
            if place not in self._done:
                self._work(place)
            made = self._done[place]
            if not isinstance(made, Matrix):
                continue
            block = _trimmed(made)
            spots = {(row + r, column + c): v for r, line in enumerate(block) for c, v in enumerate(line) if r or c}
            taken = next(
                (s for s in spots if s in out or ((held := cells.get(s)) and (held.formula or held.value is not None))),
                None,
            )
            if taken is not None:
                name = cell_name(*taken)
                message = f"Array result was not expanded because it would overwrite data in {name}."
                self._done[place] = Problem("REF", message)
            else:
                out |= spots
        self._spilling.discard(sheet_id)
        self._spilt[sheet_id] = out
        return out

    def spilt(self, sheet_id: int) -> dict[tuple[int, int], Scalar]:
        """The blank cells that results of formulas flow into."""
        cells = self.cells(sheet_id)
        if not any(c.formula for c in cells.values()):
            return {}
        return self._spill(sheet_id)

    # Trees

    @property
    def names(self) -> dict[str, dict[str, Any]]:
        if self._names is None:
            rows = self.ctx.db.find(NamedRange, spreadsheet_id=self._id)
            self._names = {r.name.lower(): r.range for r in rows}
        return self._names

    def result(self, node: Node, array: bool = False) -> Any:
        """What a node comes to: a value or a matrix. array: whether operators work on whole matrices."""
        kind = node[0]
        if kind in ("number", "string", "boolean"):
            return node[1]
        if kind == "ref":
            return self.range(node[1])
        if kind == "op":
            return self._operate(node[1], node[2], node[3], array)
        if kind == "call":
            return functions.call(self, node[1], node[2], array)
        if kind in ("minus", "plus", "percent"):
            return self._signed(kind, node[1], array)
        if kind == "blank":
            return None
        if kind == "error":
            return Problem(BY_SHOWN.get(node[1], "REF"), "Reference does not exist.")
        if kind == "name":
            grid = self.names.get(node[1].lower())
            if grid is None:
                return Problem("NAME", f"Unknown range name: '{node[1].upper()}'.")
            return self.range(_ref(grid), grid.get("sheetId", 0))
        rows = [[scalar(self.result(item, True)) for item in row] for row in node[1]]
        if len({len(row) for row in rows}) > 1:
            return Problem("VALUE", "An array literal was missing values for one or more rows.")
        return Matrix(rows)

    def range(self, ref: Ref, home: int | None = None) -> Any:
        """The values of a range."""
        if ref.sheet is not None:
            sheet = self.titles.get(ref.sheet.lower())
            if sheet is None:
                return Problem("REF", f"Unresolved sheet name '{ref.sheet}'.")
        else:
            sheet = self.sheets.get(self.place[0] if home is None else home)
            if sheet is None:
                return Problem("REF", "Reference does not exist.")
        top, left, bottom, right = box(ref, sheet)
        if top >= sheet.rowCount or left >= sheet.columnCount:
            return Problem("REF", "Reference does not exist.")
        if ref.bottom is None and (bottom - top + 1) * (right - left + 1) > _LARGE:
            # Of a very long grid only the rows down to the last with anything in it are looked at.
            bottom = max(
                [top, *(r for r, _ in self.cells(sheet.sheet_id)), *(r for r, _ in self._spill(sheet.sheet_id))]
            )
        self._visited += (bottom - top + 1) * (right - left + 1)
        if self._visited > _MOST_CELLS:
            raise fail("ERROR", "The calculation is too large.")
        if ref.single:
            return self.value(sheet.sheet_id, top, left)
        rows = [[self.value(sheet.sheet_id, r, c) for c in range(left, right + 1)] for r in range(top, bottom + 1)]
        return Matrix(rows, top, left)

    def _intersect(self, made: Matrix) -> Scalar:
        """Of a range where one value is wanted: the one in line with the formula."""
        if made.height == 1 and made.width == 1:
            return made.rows[0][0]
        if made.top is not None and made.left is not None:
            _, row, column = self.place
            if made.width == 1 and 0 <= row - made.top < made.height:
                return made.rows[row - made.top][0]
            if made.height == 1 and 0 <= column - made.left < made.width:
                return made.rows[0][column - made.left]
            return Problem("VALUE", "An array value could not be found.")
        return scalar(made)

    def one(self, node: Node) -> Scalar:
        """A single value."""
        made = self.result(node)
        return self._intersect(made) if isinstance(made, Matrix) else made

    def _signed(self, kind: str, node: Node, array: bool) -> Any:
        value = self.result(node, array) if array else self.one(node)
        if kind == "plus":
            return value
        step: Callable[[Scalar], Scalar] = (
            (lambda v: -number(v, self.locale)) if kind == "minus" else (lambda v: number(v, self.locale) / 100)
        )
        return each(step, value)

    def _operate(self, sign: str, left: Node, right: Node, array: bool) -> Any:
        # A long sum leans to the left: it is worked out from its first term on, not by calls within calls.
        chain = [(sign, right)]
        while left[0] == "op":
            chain.append((left[1], left[3]))
            left = left[2]
        made = self.result(left, True) if array else self.one(left)
        for mark, node in reversed(chain):
            other = self.result(node, True) if array else self.one(node)
            made = each(lambda x, y, m=mark: operate(m, x, y, self.locale), made, other)
        return made


def local_time(ctx: Ctx, zone: str) -> datetime:
    try:
        return ctx.now.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    except (KeyError, ValueError, OSError):
        return ctx.now.replace(tzinfo=None)


def _ref(grid: dict[str, Any]) -> Ref:
    """A GridRange as a reference."""
    bottom, right = grid.get("endRowIndex"), grid.get("endColumnIndex")
    return Ref(
        None, grid.get("startRowIndex"), grid.get("startColumnIndex"), None if bottom is None else bottom - 1,
        None if right is None else right - 1, False,
    )  # fmt: skip


def box(ref: Ref, sheet: Sheet) -> tuple[int, int, int, int]:
    """The rows and columns of a reference within its sheet, both ends included."""
    bottom = sheet.rowCount - 1 if ref.bottom is None else min(ref.bottom, max(sheet.rowCount - 1, ref.top or 0))
    right = sheet.columnCount - 1 if ref.right is None else min(ref.right, max(sheet.columnCount - 1, ref.left or 0))
    return ref.top or 0, ref.left or 0, bottom, right


def _tidy(made: Any) -> Any:
    if isinstance(made, Matrix):
        return Matrix([[_tidy(v) for v in row] for row in made.rows]) if made.rows else None
    if isinstance(made, float):
        if not math.isfinite(made):
            return Problem("NUM", "The result is out of range.")
        return clean(float(f"{made:.15g}"))
    if isinstance(made, int) and not isinstance(made, bool) and abs(made) > 2**53:
        return float(made)
    return made


def _trimmed(made: Matrix) -> list[list[Scalar]]:
    """Without the blank rows at the end."""
    rows = list(made.rows)
    while len(rows) > 1 and all(v is None for v in rows[-1]):
        rows.pop()
    return rows
