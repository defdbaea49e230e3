"""Requests about named and protected ranges."""

import re

from legoenv_mcp.app import DIGITS

from . import a1, masks, schemas
from .app import refuse
from .batch import request
from .book import Book
from .models import Account, Json, NamedRange, ProtectedRange
from .resources import named_range, protected_range
from .schemas import Number, Part, Text

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,249}")
_R1C1 = re.compile(r"[Rr]\d*[Cc]\d*")


# Names


def _check_name(book: Book, name: str | None, own: str = "") -> str:
    if (
        not name
        or not _NAME.fullmatch(name)
        or name.lower() in ("true", "false")
        or a1.read(name)
        or _R1C1.fullmatch(name)
    ):
        raise refuse(
            f"The name is not valid: {name or ''}. A range name has letters, digits and underscores, and is no cell's address."
        )
    if any(n.name.lower() == name.lower() and n.id != own for n in book.names()):
        raise refuse(f"Cannot add a named range with name: {name}. It already exists.")
    return name


class AddNamedRange(Part):
    namedRange: schemas.NamedRange | None = None


@request("addNamedRange", AddNamedRange)
def add_named_range(book: Book, body: AddNamedRange) -> Json:
    said = body.namedRange or schemas.NamedRange()
    name, area = _check_name(book, said.name), book.ranged(said.range)
    key = said.namedRangeId or book.ctx.id("", 10, DIGITS, kind="named range")
    if book.ctx.db.get(NamedRange, key) is not None:
        raise refuse(f"A named range with id {key} already exists.")
    made = book.ctx.db.add(NamedRange(id=key, spreadsheet_id=book.id, name=name, range=area.grid))
    book.forget()
    return {"addNamedRange": {"namedRange": named_range(made)}}


def _named(book: Book, key: str | None) -> NamedRange:
    found = book.ctx.db.get(NamedRange, key or "")
    if found is None or found.spreadsheet_id != book.id:
        raise refuse(f"No named range with id: {key or ''}")
    return found


class UpdateNamedRange(Part):
    namedRange: schemas.NamedRange | None = None
    fields: Text = None


@request("updateNamedRange", UpdateNamedRange)
def update_named_range(book: Book, body: UpdateNamedRange) -> None:
    names, said = masks.read(body.fields, "namedRange"), body.namedRange or schemas.NamedRange()
    masks.only(names, ("name", "range", "namedRangeId"), "NamedRange")
    row = _named(book, said.namedRangeId)
    if not names or "name" in names:
        book.ctx.db.update(row, name=_check_name(book, said.name, row.id))
    if not names or "range" in names:
        book.ctx.db.update(row, range=book.ranged(said.range).grid)
    book.forget()


class DeleteNamedRange(Part):
    namedRangeId: Text = None


@request("deleteNamedRange", DeleteNamedRange)
def delete_named_range(book: Book, body: DeleteNamedRange) -> None:
    book.ctx.db.delete(_named(book, body.namedRangeId))
    book.forget()


# Protections


class AddProtectedRange(Part):
    protectedRange: schemas.ProtectedRange | None = None


def _protected(book: Book, said: schemas.ProtectedRange) -> Json:
    if said.namedRangeId and said.range is None:
        return {"range": _named(book, said.namedRangeId).range, "named_range_id": said.namedRangeId}
    if said.range is None:
        raise refuse("Must specify a range or a namedRangeId.")
    book.ranged(said.range)
    return {"range": {"sheetId": said.range.sheetId or 0, **said.range.sent()}, "named_range_id": None}


def _editors(book: Book, said: schemas.Editors | None) -> list[str]:
    me = book.ctx.db.first(Account)
    mine = [me.email] if me else []
    return list(dict.fromkeys([*mine, *(u for u in (said.users if said else None) or [])]))


@request("addProtectedRange", AddProtectedRange)
def add_protected_range(book: Book, body: AddProtectedRange) -> Json:
    said, db = body.protectedRange or schemas.ProtectedRange(), book.ctx.db
    key = said.protectedRangeId
    if said.warningOnly and said.editors is not None and (said.editors.users or said.editors.groups):
        raise refuse("Cannot set editors when warningOnly is true.")
    if key is None:
        key = book.ctx.integer("protected range", 1, 2**31 - 1)
    if db.get(ProtectedRange, (book.id, key)) is not None:
        raise refuse(f"A protected range with id {key} already exists.")
    made = db.add(ProtectedRange(
        spreadsheet_id=book.id, id=key, description=said.description or "", warningOnly=bool(said.warningOnly),
        editors=[] if said.warningOnly else _editors(book, said.editors),
        unprotected=[book.ranged(g).grid for g in said.unprotectedRanges or []], **_protected(book, said),
    ))  # fmt: skip
    book.unguard()
    return {"addProtectedRange": {"protectedRange": protected_range(book, made)}}


def _guard(book: Book, key: int | None) -> ProtectedRange:
    found = book.ctx.db.get(ProtectedRange, (book.id, key or 0))
    if found is None:
        raise refuse(f"No protected range with id: {key or 0}")
    shown = protected_range(book, found)
    if not shown.get("requestingUserCanEdit"):
        raise refuse("You do not have permission to edit this protected range.")
    return found


class UpdateProtectedRange(Part):
    protectedRange: schemas.ProtectedRange | None = None
    fields: Text = None


@request("updateProtectedRange", UpdateProtectedRange)
def update_protected_range(book: Book, body: UpdateProtectedRange) -> None:
    names, said = masks.read(body.fields, "protectedRange"), body.protectedRange or schemas.ProtectedRange()
    known = ("range", "namedRangeId", "description", "warningOnly", "unprotectedRanges", "editors", "protectedRangeId")
    masks.only(names, known, "ProtectedRange")
    row, wanted, changes = _guard(book, said.protectedRangeId), set(names or said.sent()), dict[str, object]()
    if wanted & {"range", "namedRangeId"}:
        changes |= _protected(book, said)
    if "description" in wanted:
        changes["description"] = said.description or ""
    if "warningOnly" in wanted:
        changes["warningOnly"] = bool(said.warningOnly)
    if "editors" in wanted:
        changes["editors"] = _editors(book, said.editors)
    if "unprotectedRanges" in wanted:
        changes["unprotected"] = [book.ranged(g).grid for g in said.unprotectedRanges or []]
    book.ctx.db.update(row, **changes)
    book.unguard()


class DeleteProtectedRange(Part):
    protectedRangeId: Number = None


@request("deleteProtectedRange", DeleteProtectedRange)
def delete_protected_range(book: Book, body: DeleteProtectedRange) -> None:
    book.ctx.db.delete(_guard(book, body.protectedRangeId))
    book.unguard()
