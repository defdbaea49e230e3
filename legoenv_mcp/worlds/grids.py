"""Readers of tables of typed columns: spreadsheets and databases. A CSV's header says each column's name and kind."""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from legoenv_mcp.capabilities import database, spreadsheet
from legoenv_mcp.worlds.parse import Place, build, check_time, read_grid
from legoenv_mcp.worlds.reading import Reading

C = TypeVar("C", bound=BaseModel)
Cell = str | int | float | bool | None

_SHEET_HEAD = re.compile(r"(?P<name>[^:]+)(?:: (?P<kind>[a-z_]+)(?:\((?P<choices>[^()]+)\))?)?")
_DATA_HEAD = re.compile(
    r"(?P<name>\w+): (?P<kind>[a-z]+)(?P<key> key)?(?P<required> required)?(?: -> (?P<references>\w+\.\w+))?"
)
_TRUTH = {"yes": True, "no": False, "true": True, "false": False}


def everything(reading: Reading) -> None:
    reading.table("sheets/workbooks.csv", spreadsheet.Workbook)
    reading.table("sheets/tables.csv", spreadsheet.Table, lambda place, row: _sheet(reading, place, row))
    held: dict[tuple[str, str], set[Cell]] = {}
    reading.table("databases/tables.csv", database.DataTable, lambda place, row: _data_table(reading, place, row, held))


def _grid(
    reading: Reading, place: Place, file: str, model: type[C], head: re.Pattern[str]
) -> tuple[list[C], list[tuple[Place, list[str]]]]:
    """The columns of a CSV, and its rows of cells as they are written."""
    if file not in reading.texts:
        raise place.error("name", f'no file "{file}"')
    heads, rows = read_grid(file, reading.use(file))
    columns: list[C] = []
    for written in heads:
        found = head.fullmatch(written)
        if found is None:
            raise Place(file, 1).error(written, "is no column's name and kind")
        values: dict[str, Any] = {name: value for name, value in found.groupdict().items() if value is not None}
        if "choices" in values:
            values["choices"] = tuple(values["choices"].split("/"))
        for flag in {"key", "required"} & values.keys():
            values[flag] = True
        columns.append(build(model, Place(file, 1), values, reading.clock))
    return columns, rows


def _sheet(reading: Reading, place: Place, row: dict[str, Any]) -> None:
    file = f"sheets/{row.get('workbook', '')}/{row.get('name', '')}.csv"
    columns, rows = _grid(reading, place, file, spreadsheet.Column, _SHEET_HEAD)
    row["columns"] = tuple(columns)
    row["rows"] = tuple(
        tuple(_sheet_cell(at, column, cell) for column, cell in zip(columns, cells, strict=True)) for at, cells in rows
    )


def _sheet_cell(place: Place, column: spreadsheet.Column, cell: str) -> Cell:
    if column.choices and cell and cell not in column.choices:
        raise place.error(column.name, f'"{cell}" is none of {", ".join(column.choices)}')
    if column.kind == "email" and cell and "@" not in cell:
        raise place.error(column.name, f'"{cell}" is no address')
    return _cell(place, column.name, column.kind, cell)


def _data_table(reading: Reading, place: Place, row: dict[str, Any], held: dict[tuple[str, str], set[Cell]]) -> None:
    """Reads a table; `held` are the values of each column of the tables listed before, by database and `table.column`."""
    name, base = row.get("name", ""), row.get("database", "")
    columns, rows = _grid(reading, place, f"databases/{base}/{name}.csv", database.DataColumn, _DATA_HEAD)
    cells = [
        tuple(_cell(at, column.name, column.kind, cell) for column, cell in zip(columns, written, strict=True))
        for at, written in rows
    ]
    for number, column in enumerate(columns):
        held[base, f"{name}.{column.name}"] = {values[number] for values in cells}
        for at, value in zip((at for at, _ in rows), (values[number] for values in cells), strict=True):
            if value is None and (column.key or column.required):
                raise at.error(column.name, "missing")
            if value is not None and column.references and value not in held.get((base, column.references), ()):
                raise at.error(column.name, f'no {column.references} "{value}"')
    keys = [number for number, column in enumerate(columns) if column.key]
    seen: set[tuple[Cell, ...]] = set()
    for (at, _), values in zip(rows, cells, strict=True):
        key = tuple(values[number] for number in keys)
        if keys and key in seen:
            raise at.error(columns[keys[0]].name, f'"{" ".join(map(str, key))}" is taken already')
        seen.add(key)
    row.update(columns=tuple(columns), rows=tuple(cells))


def _cell(place: Place, name: str, kind: str, cell: str) -> Cell:
    """A cell's value; an empty one is None."""
    if cell == "":
        return None
    if kind in {"date", "timestamp"}:
        check_time(place, name, cell, "", day=kind == "date")
        return cell
    try:
        return _VALUES[kind](cell) if kind in _VALUES else cell
    except (ValueError, KeyError):
        raise place.error(name, f'"{cell}" is no {kind}') from None


def _number(cell: str) -> int | float:
    return float(cell) if "." in cell else int(cell)


def _json(cell: str) -> str:
    json.loads(cell)
    return cell


_VALUES: dict[str, Callable[[str], Cell]] = {
    "number": _number, "money": float, "yes_no": _TRUTH.__getitem__, "integer": int, "numeric": float,
    "boolean": _TRUTH.__getitem__, "json": _json,
}  # fmt: skip

__all__ = ["everything"]
