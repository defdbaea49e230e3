"""Requests about the spreadsheet, its sheets, and their rows and columns."""

from zoneinfo import ZoneInfo

from . import dimensions, formulas, masks, schemas
from .app import refuse
from .batch import request
from .book import Book
from .models import Cell, Json, ProtectedRange, Sheet
from .resources import sheet_properties
from .schemas import Number, Part, Text

_LONGEST_TITLE = 100
_PROPERTIES = (
    "title", "index", "hidden", "tabColor", "tabColorStyle", "rightToLeft", "gridProperties", "sheetId", "sheetType",
)  # fmt: skip
_GRID = (
    "rowCount",
    "columnCount",
    "frozenRowCount",
    "frozenColumnCount",
    "hideGridlines",
    "rowGroupControlAfter",
    "columnGroupControlAfter",
)


def check_title(book: Book, title: str, own: Sheet | None = None) -> str:
    if not title.strip():
        raise refuse("Sheet name cannot be empty.")
    if len(title) > _LONGEST_TITLE:
        raise refuse(f"The name of a sheet may be at most {_LONGEST_TITLE} characters long.")
    held = book.titled(title)
    if held is not None and (own is None or held.sheet_id != own.sheet_id):
        raise refuse(f'A sheet with the name "{title}" already exists. Please enter another name.')
    return title


def free_title(book: Book, base: str) -> str:
    """Sheet2, Sheet3 ...: the next that nobody has."""
    taken, at = {s.title.lower() for s in book.sheets()}, len(book.sheets()) + 1
    while f"{base}{at}".lower() in taken:
        at += 1
    return f"{base}{at}"


def new_id(book: Book) -> int:
    while True:
        made = book.ctx.integer("sheet", 1, 2**31 - 1)
        if book.ctx.db.get(Sheet, (book.id, made)) is None:
            return made


def place(book: Book, sheet_id: int | None, at: int | None) -> None:
    """Numbers the sheets anew, with one of them moved to a place."""
    order = book.sheets()
    if sheet_id is not None:
        own = next(s for s in order if s.sheet_id == sheet_id)
        order.remove(own)
        order.insert(len(order) if at is None else min(max(at, 0), len(order)), own)
    for position, sheet in enumerate(order):
        if sheet.position != position:
            book.ctx.db.update(sheet, position=position)
    book.forget()


def _grid(said: Json, sheet: Sheet | None) -> Json:
    """Grid properties as columns, checked."""
    out = {n: v for n, v in said.items() if n in _GRID[:5]}
    for name in ("rowCount", "columnCount"):
        if name in out and out[name] < 1:
            raise refuse(f"gridProperties.{name} must be greater than or equal to 1.")
    rows = out.get("rowCount", sheet.rowCount if sheet else 1000)
    columns = out.get("columnCount", sheet.columnCount if sheet else 26)
    frozen = (
        ("rows", out.get("frozenRowCount", sheet.frozenRowCount if sheet else 0), rows),
        ("columns", out.get("frozenColumnCount", sheet.frozenColumnCount if sheet else 0), columns),
    )
    for word, count, total in frozen:
        if count < 0:
            raise refuse(f"The number of frozen {word} cannot be negative.")
        if count >= total:
            raise refuse(f"You can't freeze all visible {word} on the sheet.")
    return out


def _color(said: Json) -> Json | None:
    return (said.get("tabColorStyle") or {}).get("rgbColor") or said.get("tabColor")


class AddSheet(Part):
    properties: schemas.SheetProperties | None = None


@request("addSheet", AddSheet)
def add_sheet(book: Book, body: AddSheet) -> Json:
    said = body.properties.sent() if body.properties else {}
    if said.get("sheetType", "GRID") not in ("GRID", "SHEET_TYPE_UNSPECIFIED"):
        raise refuse("Only sheets of the type GRID can be added.")
    sheet_id = said.get("sheetId")
    if sheet_id is not None and sheet_id < 0:
        raise refuse(f"Invalid sheet id: {sheet_id}. It must be non-negative.")
    if sheet_id is not None and book.ctx.db.get(Sheet, (book.id, sheet_id)) is not None:
        raise refuse(f"A sheet with id {sheet_id} already exists.")
    title = check_title(book, said.get("title") or free_title(book, "Sheet"))
    count = len(book.sheets())
    if said.get("index", 0) > count:
        raise refuse(f"Sheet index ({said['index']}) is out of range. The spreadsheet has {count} sheets.")
    made = book.ctx.db.add(Sheet(
        spreadsheet_id=book.id, sheet_id=new_id(book) if sheet_id is None else sheet_id, title=title, position=count, rowCount=1,
        columnCount=1, hidden=said.get("hidden", False), rightToLeft=said.get("rightToLeft", False), tabColor=_color(said),
    ))  # fmt: skip
    grid = {"rowCount": 1000, "columnCount": 26, **_grid(said.get("gridProperties", {}), None)}
    book.resize(made, grid["rowCount"], grid["columnCount"])
    book.ctx.db.update(made, **{n: v for n, v in grid.items() if n not in ("rowCount", "columnCount")})
    place(book, made.sheet_id, said.get("index"))
    return {"addSheet": {"properties": sheet_properties(book.sheet(made.sheet_id))}}


class DeleteSheet(Part):
    sheetId: Number = None


@request("deleteSheet", DeleteSheet)
def delete_sheet(book: Book, body: DeleteSheet) -> None:
    sheet = book.sheet(body.sheetId or 0, "sheet")
    if not any(not s.hidden for s in book.sheets() if s.sheet_id != sheet.sheet_id):
        raise refuse("You can't remove all the visible sheets in a document.")
    book.check_unprotected(sheet)
    db = book.ctx.db
    db.delete_where(Cell, spreadsheet_id=book.id, sheet_id=sheet.sheet_id)
    for row in [*book.names(), *db.find(ProtectedRange, spreadsheet_id=book.id)]:
        if row.range.get("sheetId", 0) == sheet.sheet_id:
            db.delete(row)
    db.delete(sheet)
    for cell in db.where(Cell, "spreadsheet_id = ? AND formula IS NOT NULL", [book.id]):
        text = formulas.rewritten(
            cell.formula or "", lambda r: None if r.sheet is not None and r.sheet.lower() == sheet.title.lower() else r
        )
        if text != cell.formula:
            db.update(cell, formula=text)
    book.unguard()
    place(book, None, None)


class DuplicateSheet(Part):
    sourceSheetId: Number = None
    insertSheetIndex: Number = None
    newSheetId: Number = None
    newSheetName: Text = None


@request("duplicateSheet", DuplicateSheet)
def duplicate_sheet(book: Book, body: DuplicateSheet) -> Json:
    source = book.sheet(body.sourceSheetId or 0, "sheet")
    if body.newSheetId is not None and book.ctx.db.get(Sheet, (book.id, body.newSheetId)) is not None:
        raise refuse(f"A sheet with id {body.newSheetId} already exists.")
    title = check_title(book, body.newSheetName or copy_title(book, source.title))
    at = body.insertSheetIndex
    made = copied(book, source, book, title, body.newSheetId, at or 0)
    return {"duplicateSheet": {"properties": sheet_properties(made)}}


def copy_title(book: Book, title: str) -> str:
    taken, base = {s.title.lower() for s in book.sheets()}, f"Copy of {title}"[:_LONGEST_TITLE]
    at, made = 1, base
    while made.lower() in taken:
        at += 1
        made = f"{base[: _LONGEST_TITLE - 6]} {at}"
    return made


def copied(source: Book, sheet: Sheet, target: Book, title: str, sheet_id: int | None, at: int | None) -> Sheet:
    """A sheet's copy in a spreadsheet, with all its cells."""
    db, key = target.ctx.db, new_id(target) if sheet_id is None else sheet_id

    def rehomed(grid: Json) -> Json:
        return {**grid, "sheetId": key}

    values = sheet.model_dump() | {
        "spreadsheet_id": target.id, "sheet_id": key, "title": title, "position": len(target.sheets()), "rowCount": 1, "columnCount": 1,
        "hidden": False, "merges": [rehomed(m) for m in sheet.merges],
        "basicFilter": sheet.basicFilter and {**sheet.basicFilter, "range": rehomed(sheet.basicFilter.get("range", {}))},
    }  # fmt: skip
    made = db.add(Sheet(**values))
    target.resize(made, sheet.rowCount, sheet.columnCount)
    for cell in db.find(Cell, spreadsheet_id=source.id, sheet_id=sheet.sheet_id):
        db.add(Cell(**{**cell.model_dump(), "spreadsheet_id": target.id, "sheet_id": key}))
    place(target, key, at)
    return target.sheet(key)


class UpdateSheetProperties(Part):
    properties: schemas.SheetProperties | None = None
    fields: Text = None


@request("updateSheetProperties", UpdateSheetProperties)
def update_sheet_properties(book: Book, body: UpdateSheetProperties) -> None:
    names = masks.read(body.fields, "properties")
    said = body.properties.sent() if body.properties else {}
    sheet = book.sheet(said.get("sheetId", 0), "sheet")
    masks.only(names, _PROPERTIES, "SheetProperties")
    wanted = names or {n: {} for n in said if n != "sheetId"}
    changes: Json = {}
    if "title" in wanted:
        changes["title"] = check_title(book, said.get("title", ""), sheet)
    if "hidden" in wanted:
        changes["hidden"] = said.get("hidden", False)
        if changes["hidden"] and not any(not s.hidden for s in book.sheets() if s.sheet_id != sheet.sheet_id):
            raise refuse("You can't hide all the sheets in a document.")
    if "rightToLeft" in wanted:
        changes["rightToLeft"] = said.get("rightToLeft", False)
    if "tabColor" in wanted or "tabColorStyle" in wanted:
        changes["tabColor"] = _color(said)
    if "gridProperties" in wanted:
        below = wanted["gridProperties"]
        masks.only(below, _GRID, "GridProperties")
        given = said.get("gridProperties", {})
        chosen = {n: given.get(n, 0) for n in (below or given)}
        changes |= _grid(chosen, sheet)
    old = sheet.title
    _resize(book, sheet, changes.pop("rowCount", sheet.rowCount), changes.pop("columnCount", sheet.columnCount))
    book.ctx.db.update(sheet, **{n: v for n, v in changes.items() if getattr(sheet, n) != v})
    if sheet.title != old:
        _retitle(book, old, sheet.title)
    if "index" in wanted:
        at = said.get("index", 0)
        if not 0 <= at <= len(book.sheets()):
            raise refuse(f"Sheet index ({at}) is out of range. The spreadsheet has {len(book.sheets())} sheets.")
        place(book, sheet.sheet_id, at - 1 if at > sheet.position else at)
    book.forget()


def _resize(book: Book, sheet: Sheet, rows: int, columns: int) -> None:
    """A grid that becomes smaller loses what lies beyond."""
    if rows < sheet.rowCount:
        dimensions.delete(book, sheet, "ROWS", rows, sheet.rowCount)
    if columns < sheet.columnCount:
        dimensions.delete(book, sheet, "COLUMNS", columns, sheet.columnCount)
    if (rows, columns) != (sheet.rowCount, sheet.columnCount):
        book.resize(sheet, rows, columns)


def _retitle(book: Book, old: str, new: str) -> None:
    for cell in book.ctx.db.where(Cell, "spreadsheet_id = ? AND formula IS NOT NULL", [book.id]):
        text = formulas.retitled(cell.formula or "", old, new)
        if text != cell.formula:
            book.ctx.db.update(cell, formula=text)


class UpdateSpreadsheetProperties(Part):
    properties: schemas.SpreadsheetProperties | None = None
    fields: Text = None


@request("updateSpreadsheetProperties", UpdateSpreadsheetProperties)
def update_spreadsheet_properties(book: Book, body: UpdateSpreadsheetProperties) -> None:
    names = masks.read(body.fields, "properties")
    said = body.properties.sent() if body.properties else {}
    masks.only(names, ("title", "locale", "timeZone", "autoRecalc"), "SpreadsheetProperties")
    wanted = names or said
    changes = {n: said.get(n, "") for n in ("title", "locale", "timeZone", "autoRecalc") if n in wanted}
    check_properties(changes)
    book.ctx.db.update(book.row, **{n: v for n, v in changes.items() if getattr(book.row, n) != v})
    book.forget()


LOCALES = ("en", "en_US", "en_GB", "en_IE", "en_CA", "en_AU", "en_NZ", "en_IN", "en_ZA")


def check_properties(said: Json) -> None:
    if "title" in said and not said["title"].strip():
        raise refuse("Spreadsheet title cannot be empty.")
    if "locale" in said and said["locale"] not in LOCALES:
        raise refuse(f"Unsupported locale: {said['locale'][:60]}")
    if "timeZone" in said:
        try:
            ZoneInfo(said["timeZone"])
        except (ValueError, OSError, LookupError):
            raise refuse(f"Invalid time zone: {said['timeZone'][:60]}") from None
    if said.get("autoRecalc") in ("", "RECALCULATION_INTERVAL_UNSPECIFIED"):
        raise refuse("autoRecalc must be specified.")
