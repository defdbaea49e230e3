"""What may be written into a cell, and what becomes of it: checked by the field's type, or made to fit where `typecast` is set."""

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from legoenv_mcp.app import BASE62, ApiError, Ctx

from . import dates
from .app import is_id, refuse
from .grid import Grid
from .kinds import COLORS, COMPUTED, TEXT
from .models import Attachment, Column, User
from .values import LONGEST_TEXT, iso, tidy

_CHECKED = ("true", "checked", "yes", "y", "1", "1.0", "x", "on", "✓")
_EMPTY: tuple[Any, ...] = (None, "", [])


def bad_value(column: Column) -> ApiError:
    return refuse("INVALID_VALUE_FOR_COLUMN", f'Field "{column.name}" cannot accept the provided value')


class Writer:
    """Takes values into cells. `typecast` is the caller's; `create_linked` makes a record that a link by name asks for."""

    def __init__(self, grid: Grid, typecast: bool, create_linked: Callable[[str, str], str]) -> None:
        self.grid = grid
        self.ctx: Ctx = grid.ctx
        self.typecast = typecast
        self.create_linked = create_linked

    def accept(self, column: Column, value: Any, before: Any) -> Any:
        """The value as it is kept; None empties the cell. `before` is what the cell holds."""
        kind = column.type
        if kind in COMPUTED:
            why = f'Field "{column.name}" cannot accept a value because the field is computed'
            raise refuse("INVALID_VALUE_FOR_COLUMN", why)
        if value in _EMPTY and not isinstance(value, bool | int | float):
            return None
        if kind in TEXT:
            return self._text(column, value)
        if kind == "checkbox":
            return self._checkbox(column, value)
        if kind in ("date", "dateTime"):
            return self._date(column, value)
        take: dict[str, Callable[[Column, Any], Any]] = {
            "number": self._number, "currency": self._number, "percent": self._number, "duration": self._number, "rating": self._rating,
            "singleSelect": self._select, "multipleSelects": self._selects, "singleCollaborator": self._person,
            "multipleCollaborators": self._people, "multipleRecordLinks": self._links, "barcode": self._barcode,
        }  # fmt: skip
        if kind == "multipleAttachments":
            return self._attachments(column, value, before or [])
        return take[kind](column, value)

    # Text, numbers, dates

    def _text(self, column: Column, value: Any) -> Any:
        if isinstance(value, str):
            if len(value) > LONGEST_TEXT:
                raise bad_value(column)
            return value
        if not self.typecast:
            raise bad_value(column)
        if isinstance(value, bool | int | float):
            return value
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return self._text(column, ", ".join(value))
        raise bad_value(column)

    def _number(self, column: Column, value: Any) -> float | int:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise bad_value(column)
        if isinstance(value, str):
            found = _read_number(value, column.type) if self.typecast else None
            if found is None:
                raise bad_value(column)
            value = found
        if not math.isfinite(value):
            raise bad_value(column)
        return tidy(value)

    def _rating(self, column: Column, value: Any) -> int | None:
        found = self._number(column, value)
        if found == 0:
            return None
        if found != int(found) or not 1 <= found <= column.options["max"]:
            raise bad_value(column)
        return int(found)

    def _checkbox(self, column: Column, value: Any) -> bool | None:
        if isinstance(value, bool):
            return value or None  # an unchecked box is an empty cell
        if not self.typecast or not isinstance(value, str | int | float):
            raise bad_value(column)
        return str(value).strip().lower() in _CHECKED or None

    def _date(self, column: Column, value: Any) -> str:
        if not isinstance(value, str):
            raise bad_value(column)
        at = None
        if column.type == "date" and not self.typecast:
            at = _exact(value) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value) else None
            if at is None and _exact(value) is not None:
                raise bad_value(column)
        elif self.typecast:
            form = column.options["dateFormat"]["name"]
            at = _exact(value) or dates.typed(value, self.ctx.now, day_first=form == "european")
        else:
            at = _exact(value)
        if at is None:
            raise refuse("INVALID_VALUE_FOR_COLUMN", f'Cannot parse date value "{value[:200]}" for field {column.name}')
        return at.date().isoformat() if column.type == "date" else iso(at)

    def _barcode(self, column: Column, value: Any) -> dict[str, Any]:
        if self.typecast and isinstance(value, str):
            value = {"text": value}
        if not isinstance(value, dict) or not isinstance(value.get("text"), str) or set(value) - {"text", "type"}:
            raise bad_value(column)
        if not isinstance(value.get("type"), str | None):
            raise bad_value(column)
        return {k: v for k, v in value.items() if v is not None}

    # Options

    def _select(self, column: Column, value: Any) -> str:
        if self.typecast and isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if self.typecast and isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, str):
            raise bad_value(column)
        return self._option(column, value)

    def _selects(self, column: Column, value: Any) -> list[str]:
        if self.typecast and isinstance(value, str):
            value = _pieces(value)
        if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
            raise bad_value(column)
        return list(dict.fromkeys(self._option(column, v) for v in value))

    def _option(self, column: Column, name: str) -> str:
        choices = column.options["choices"]
        for choice in choices:
            if name in (choice["name"], choice["id"]):
                return choice["name"]
        if not self.typecast:
            known = ", ".join(c["name"] for c in choices[:30])
            raise refuse(
                "INVALID_MULTIPLE_CHOICE_OPTIONS",
                f'Insufficient permissions to create new select option ""{name}""',
                hint=f'The options of "{column.name}" are: {known}.',
            )
        name = name.strip()
        for choice in choices:
            if name.casefold() == choice["name"].casefold():
                return choice["name"]
        if not name or len(name) > 10_000:
            raise bad_value(column)
        made = {"id": self.ctx.id("sel", 14), "name": name, "color": COLORS[len(choices) % 10]}
        self.ctx.db.update(column, options={**column.options, "choices": [*choices, made]})
        return name

    # People, links, files

    def _person(self, column: Column, value: Any) -> str:
        user = None
        if isinstance(value, dict) and set(value) <= {"id", "email", "name"}:
            user = self._user(value.get("id"), value.get("email"))
        elif self.typecast and isinstance(value, str):
            user = self._user(value, value, value)
        if user is None:
            raise bad_value(column)
        return user.id

    def _user(self, key: Any, email: Any, name: Any = None) -> User | None:
        if isinstance(key, str) and (found := self.grid.user(key)):
            return found
        if isinstance(email, str) and email and (found := self.grid.user_of(email)):
            return found
        return self.ctx.db.first(User, name=name) if isinstance(name, str) and name else None

    def _people(self, column: Column, value: Any) -> list[str]:
        if self.typecast and isinstance(value, str):
            value = _pieces(value)
        if not isinstance(value, list):
            raise bad_value(column)
        return list(dict.fromkeys(self._person(column, v) for v in value))

    def _links(self, column: Column, value: Any) -> list[str]:
        if self.typecast and isinstance(value, str):
            value = _pieces(value)
        if not isinstance(value, list):
            raise refuse("INVALID_RECORD_ID", "Value is not an array of record IDs.")
        table = column.options["linkedTableId"]
        found = list[str]()
        for one in value:
            key = one.get("id") if isinstance(one, dict) else one
            if not isinstance(key, str) or not key:
                raise refuse("INVALID_RECORD_ID", "Value is not an array of record IDs.")
            if is_id("rec", key):
                self.check_link(column, key)
            elif self.typecast:
                key = self._named(table, key.strip())
            else:
                raise refuse("INVALID_RECORD_ID", f'Value "{key[:200]}" is not a valid record ID.')
            found.append(key)
        return list(dict.fromkeys(found))

    def check_link(self, column: Column, key: str) -> None:
        table = column.options["linkedTableId"]
        if key in self.grid.records(table):
            return
        elsewhere = next((t for t in self.grid.tables if key in self.grid.records(t)), None)
        if elsewhere is None:
            raise refuse("ROW_DOES_NOT_EXIST", f"Record ID {key} does not exist")
        why = f"Record ID {key} belongs to table {elsewhere}, but the field links to table {table}"
        raise refuse("ROW_TABLE_DOES_NOT_MATCH_LINKED_TABLE", why)

    def _named(self, table: str, name: str) -> str:
        """The record of that name; typecast makes one where there is none."""
        for record in self.grid.records(table).values():
            if self.grid.title(record).casefold() == name.casefold():
                return record.id
        return self.create_linked(table, name)

    def _attachments(self, column: Column, value: Any, before: list[str]) -> list[str]:
        if self.typecast and isinstance(value, str):
            value = [{"url": piece.strip()} for piece in value.split(",") if piece.strip()]
        if not isinstance(value, list):
            raise refuse(
                "INVALID_ATTACHMENT_OBJECT", f"Invalid attachment for field {column.name}: value is not an array"
            )
        found = list[str]()
        for one in value:
            known = one.get("id") if isinstance(one, dict) else None
            if isinstance(known, str) and (known in before or self._known_file(known)):
                found.append(known)
                continue
            url, name = (one.get("url"), one.get("filename")) if isinstance(one, dict) else (None, None)
            if not isinstance(url, str) or not re.match(r"https?://[^\s/]", url) or not isinstance(name, str | None):
                why = f'Invalid attachment for field {column.name}: an object with an http(s) "url", or the "id" of one, is needed'
                raise refuse("INVALID_ATTACHMENT_OBJECT", why)
            found.append(attach(self.ctx, self.grid.base.id, name or url.rstrip("/").rpartition("/")[2], "", 0, url).id)
        return list(dict.fromkeys(found))

    def _known_file(self, key: str) -> bool:
        row = self.ctx.db.get(Attachment, key)
        return row is not None and row.base_id == self.grid.base.id


_TYPES = {
    "pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "txt": "text/plain",
    "csv": "text/csv", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "zip": "application/zip", "svg": "image/svg+xml",
}  # fmt: skip


def attach(ctx: Ctx, base: str, name: str, kind: str, size: int, url: str = "", sha256: str = "") -> Attachment:
    """A new file of a base. What is named by an address keeps it; uploaded files get one."""
    key = ctx.id("att", 14)
    name = name.partition("?")[0][:1000] or "file"
    kind = kind or _TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")
    if not url:
        url = f"https://v5.airtableusercontent.com/v3/u/1/1/{ctx.id('', 22, BASE62, kind='file address')}/{key}"
    return ctx.db.add(Attachment(id=key, base_id=base, url=url, filename=name, type=kind, size=size, sha256=sha256))


def _exact(value: str) -> datetime | None:
    """An ISO 8601 day or time."""
    try:
        made = datetime.fromisoformat(value)
        return (made if made.tzinfo else made.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _pieces(value: str) -> list[str]:
    """The parts of a text between its commas; one in double quotes may have commas itself."""
    found = re.findall(r'\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)', value)
    made = [quoted.replace('""', '"').strip() or plain.strip() for quoted, plain in found]
    return [piece for piece in made if piece]


def _read_number(value: str, kind: str) -> float | None:
    if kind == "duration" and (
        found := re.fullmatch(r"(-?)(\d{1,9}):(\d{1,2})(?::(\d{1,2}(?:\.\d+)?))?", value.strip())
    ):
        seconds = int(found[2]) * 3600 + int(found[3]) * 60 + float(found[4] or 0)
        return -seconds if found[1] else seconds
    found = re.fullmatch(
        r"\s*(-?)\s*[^\d\s.,-]{0,4}\s*(-?[\d,]*\.?\d+(?:[eE][+-]?\d{1,3})?)\s*(%?)\s*[^\d\s%]{0,4}\s*", value[:100]
    )
    if found is None:
        return None
    made = float(found[2].replace(",", "")) * (-1 if found[1] else 1)
    return made / 100 if kind == "percent" and found[3] else made
