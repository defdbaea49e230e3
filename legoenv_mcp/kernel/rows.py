"""Row: a SQLModel table whose instances the store reads and writes without the ORM.

SQLModel leaves three gaps that Row closes: lists, dicts, nested models and literals have no column type, construction of a
table model does not validate, and all tables share one metadata (here each app has its own registry, so every app may have a
`deal`). It leans on SQLModel's and SQLAlchemy's internals in `_column_type`, `Row.of` and `Column`; tests/kernel pins that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self, cast, dataclass_transform

import sqlmodel.main
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json, to_jsonable_python
from sqlalchemy import JSON, Boolean, MetaData, String, Table, TypeDecorator
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import registry as sa_registry
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlmodel import SQLModel
from sqlmodel.main import SQLModelMetaclass


def registry() -> sa_registry:
    """A fresh table registry: each app's base class takes its own."""
    return sa_registry(metadata=MetaData())


def Field(default: Any = ..., *, derived: bool = False, **options: Any) -> Any:
    """SQLModel's Field (column and validation options) and one more: `derived`.

    A derived column moves by itself (an update time, an etag, a counter, a history id, a read mark where reading sets it):
    state diffs leave it out.
    """
    if "pattern" in options:  # SQLModel has the older name, which pydantic does not hear within Annotated
        options["schema_extra"] = {**options.get("schema_extra", {}), "pattern": options.pop("pattern")}
    if derived:
        options["schema_extra"] = {**options.get("schema_extra", {}), "json_schema_extra": {"derived": True}}
    return sqlmodel.Field(**options) if default is ... else sqlmodel.Field(default, **options)


class Json(TypeDecorator[Any]):
    """A JSON column that also takes models, so that an ad-hoc `Session` can write rows."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> Any:
        return to_jsonable_python(value)


_sqlmodel_column_type: Callable[[Any], Any] = sqlmodel.main.get_sqlalchemy_type


def _column_type(field: Any) -> Any:
    """The column type where SQLModel knows none: text for literals, JSON for everything structured."""
    try:
        return _sqlmodel_column_type(field)
    except (ValueError, TypeError):
        schema = TypeAdapter(field.annotation).json_schema()
        kinds = {arm.get("type") for arm in schema.get("anyOf", [schema])} - {"null"}
        return String if kinds == {"string"} else Json


@dataclass_transform(kw_only_default=True, field_specifiers=(Field,))
class RowMeta(SQLModelMetaclass):
    """SQLModel's metaclass, with `_column_type` while it makes columns."""

    def __new__(cls, name: str, bases: tuple[type[Any], ...], class_dict: dict[str, Any], **kwargs: Any) -> Any:
        main = cast(Any, sqlmodel.main)
        main.get_sqlalchemy_type = _column_type
        try:
            return super().__new__(cls, name, bases, class_dict, **kwargs)
        finally:
            main.get_sqlalchemy_type = _sqlmodel_column_type


class Row(SQLModel, metaclass=RowMeta, registry=registry()):
    """A table row. Subclass it once per app with `registry=registry()`, then that class with `table=True` per table.

    Construction validates and refuses unknown fields. `derived_table = True` keeps a whole table out of state diffs (a
    history, an event feed). `__tablename__` is the class's name in lower case unless set.
    `hidden_table = True` says that no read of the product shows the table (an outbox, keys of idempotent requests).
    """

    model_config = {"extra": "forbid", "validate_default": False}  # pyright: ignore[reportAssignmentType]
    derived_table: ClassVar[bool] = False
    hidden_table: ClassVar[bool] = False

    def __init__(self, **data: Any) -> None:
        state = values_of(self).get("_sa_instance_state")
        self.__pydantic_validator__.validate_python(data, self_instance=self)
        if state is not None:
            values_of(self)["_sa_instance_state"] = state

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        """A row from values that the store has read, unchecked; the dict becomes the row's own.

        It has no SQLAlchemy state, which costs more than the rest of the read: attributes are read from the dict (`Column`), and
        `__setattr__` below writes there.
        """
        row = object.__new__(cls)
        put = object.__setattr__
        put(row, "__dict__", values)
        put(row, "__pydantic_fields_set__", set(values))
        put(row, "__pydantic_extra__", None)
        put(row, "__pydantic_private__", None)
        return row

    def __setattr__(self, name: str, value: Any) -> None:
        if "_sa_instance_state" in self.__dict__ or name not in type(self).model_fields:
            super().__setattr__(name, value)
        else:
            values_of(self)[name] = value

    @classmethod
    def shape(cls) -> "Shape":
        """How the class lies in its table."""
        found = cls.__dict__.get("_row_shape")
        if found is None:
            # SQLAlchemy arms a class's attributes when its mappers are configured, at the latest when it is first constructed. A
            # store that only reads constructs nothing.
            cls._sa_registry.configure()  # pyright: ignore[reportAttributeAccessIssue]
            found = Shape(cls)
            for name in found.columns:
                type.__setattr__(cls, name, Column(cls.__dict__[name]))
            type.__setattr__(cls, "_row_shape", found)
        return found


def values_of(row: SQLModel) -> dict[str, Any]:
    """A row's own values by column, to be written past SQLAlchemy's and pydantic's attribute handling, which know no transaction."""
    return cast(dict[str, Any], row.__dict__)


class Column:
    """A column's attribute on its class, in place of SQLAlchemy's: that one has a `__set__`, so Python would ask it, in Python, for every
    value that is read, although the value lies in the row's own dict. Setting goes through `Row.__setattr__` in any case.
    """

    __slots__ = ("_attribute",)

    def __init__(self, attribute: Any) -> None:
        self._attribute = attribute

    def __get__(self, row: Row | None, owner: type[Row]) -> Any:
        """SQLAlchemy's attribute of the class; of a row whose dict lacks the value (a session has expired it), what it loads."""
        return self._attribute if row is None else self._attribute.__get__(row, owner)


@dataclass(frozen=True, slots=True)
class Codec:
    """How a field's value lies in its column; None stands for "as it is"."""

    encode: Callable[[Any], Any] | None
    decode: Callable[[Any], Any] | None


def _encode_json(value: Any) -> str | None:
    return None if value is None else to_json(value).decode()


class Shape:
    """A Row class seen as a table: names, keys, codecs and the SQL text that depends on nothing else."""

    def __init__(self, cls: type[Row]) -> None:
        table: Table = cls.__table__  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        self.cls = cls
        self.table = table.name
        self.columns = tuple(column.name for column in table.columns)
        self.key = tuple(column.name for column in table.primary_key.columns)
        self.references = {key.parent.name: key.column.table.name for key in table.foreign_keys}
        self.auto_key = len(self.key) == 1 and cls.model_fields[self.key[0]].annotation in (int, int | None)
        self.codecs = {column.name: self._codec(column.name, column.type) for column in table.columns}
        self.encoders = [(name, codec.encode) for name, codec in self.codecs.items() if codec.encode]
        self.decoders = [(name, codec.decode) for name, codec in self.codecs.items() if codec.decode]
        self.derived = frozenset(
            self.columns
            if cls.derived_table
            else [
                name
                for name, field in cls.model_fields.items()
                if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("derived")
            ]
        )
        names = ", ".join(f'"{name}"' for name in self.columns)
        self.select = f'SELECT {names} FROM "{table.name}"'
        self.where_key = " AND ".join(f'"{name}" = ?' for name in self.key)
        self.by_key = f"{self.select} WHERE {self.where_key}"
        self.orders = dict[str, str]()
        """ORDER BY clauses by what they were asked for with: apps know a few."""
        self.insert = f'INSERT INTO "{table.name}" ({names}) VALUES ({", ".join("?" * len(self.columns))})'

    def _codec(self, name: str, kind: Any) -> Codec:
        if isinstance(kind, Json):
            adapter = self.adapters[name]
            structured = "$ref" in str(adapter.json_schema())

            def decode(text: str | float | None) -> Any:
                # SQLite takes a JSON column for a numeric one: a bare number comes back as itself, not as its text.
                value = from_json(text) if isinstance(text, str) else text
                return adapter.validate_python(value) if structured and value is not None else value

            return Codec(_encode_json, decode)
        return (
            Codec(None, lambda value: None if value is None else bool(value))
            if isinstance(kind, Boolean)
            else Codec(None, None)
        )

    @cached_property
    def adapters(self) -> dict[str, TypeAdapter[Any]]:
        """A validator for each field, constraints included."""
        return {name: TypeAdapter(_annotated(field)) for name, field in self.cls.model_fields.items()}

    def decode(self, raw: tuple[Any, ...]) -> dict[str, Any]:
        """A row of SQLite's as field values."""
        values = dict(zip(self.columns, raw, strict=True))
        for name, decode in self.decoders:
            values[name] = decode(values[name])
        return values

    def encode(self, values: Mapping[str, Any]) -> list[Any]:
        """Field values in column order, as SQLite takes them."""
        codecs = self.codecs
        return [encode(values[name]) if (encode := codecs[name].encode) else values[name] for name in self.columns]

    def ddl(self) -> list[str]:
        """The statements that make the table and its indexes."""
        table: Table = self.cls.__table__  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        dialect = sqlite.dialect()
        made = [CreateTable(table), *(CreateIndex(index) for index in sorted(table.indexes, key=lambda i: str(i.name)))]
        return [str(statement.compile(dialect=dialect)).strip() for statement in made]


def _annotated(field: Any) -> Any:
    annotation = field.annotation
    for constraint in field.metadata:
        annotation = Annotated[annotation, constraint]
    return annotation
