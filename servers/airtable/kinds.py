"""Field types and what their options must be. https://airtable.com/developers/web/api/field-model"""

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from legoenv_mcp.app import ApiError

from .app import refuse

FieldType = Literal[
    "singleLineText", "multilineText", "richText", "email", "url", "phoneNumber", "number", "currency", "percent", "duration", "rating",
    "checkbox", "date", "dateTime", "singleSelect", "multipleSelects", "singleCollaborator", "multipleCollaborators",
    "multipleRecordLinks", "multipleAttachments", "barcode", "formula", "rollup", "multipleLookupValues", "count", "autoNumber",
    "createdTime", "lastModifiedTime", "createdBy", "lastModifiedBy", "aiText", "button", "externalSyncSource",
]  # fmt: skip
TEXT = frozenset({"singleLineText", "multilineText", "richText", "email", "url", "phoneNumber"})
NUMBERS = frozenset({"number", "currency", "percent", "duration", "rating"})
TIMES = frozenset({"date", "dateTime", "createdTime", "lastModifiedTime"})
OVER_LINKS = frozenset({"rollup", "multipleLookupValues", "count"})
COMPUTED = OVER_LINKS | {"formula", "autoNumber", "createdTime", "lastModifiedTime", "createdBy", "lastModifiedBy"}
PRIMARY = TEXT | {"number", "currency", "percent", "duration", "date", "dateTime", "barcode", "formula", "autoNumber"}
UNMADE = COMPUTED | {"aiText", "button", "externalSyncSource"}
"""Types that the API has no way to make: people make them in Airtable itself."""

DATE_FORMATS = {"local": "l", "friendly": "LL", "us": "M/D/YYYY", "european": "D/M/YYYY", "iso": "YYYY-MM-DD"}
TIME_FORMATS = {"12hour": "h:mma", "24hour": "HH:mm"}
_SHADES = ("Light2", "Light1", "Bright", "Dark1")
_HUES = ("blue", "cyan", "teal", "green", "yellow", "orange", "red", "pink", "purple", "gray")
COLORS = tuple(f"{hue}{shade}" for shade in _SHADES for hue in _HUES)
BRIGHT = tuple(c for c in COLORS if c.endswith("Bright"))
Bright = Literal[
    "yellowBright", "orangeBright", "redBright", "pinkBright", "purpleBright", "blueBright", "cyanBright", "tealBright", "greenBright",
    "grayBright",
]  # fmt: skip


class Options(BaseModel):
    """Options of a field; what is no option is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Precise(Options):
    precision: int = Field(ge=0, le=8)


class Money(Options):
    precision: int = Field(ge=0, le=7)
    symbol: str = Field(max_length=20)


class Checked(Options):
    icon: Literal["check", "xCheckbox", "star", "heart", "thumbsUp", "flag", "dot"]
    color: Bright


class Rated(Options):
    icon: Literal["star", "heart", "thumbsUp", "flag", "dot"]
    max: int = Field(ge=1, le=10)
    color: Bright


class DateFormat(Options):
    name: Literal["local", "friendly", "us", "european", "iso"]
    format: str | None = None


class TimeFormat(Options):
    name: Literal["12hour", "24hour"]
    format: str | None = None


class Dated(Options):
    dateFormat: DateFormat


class Timed(Options):
    timeZone: str = Field(max_length=60)
    dateFormat: DateFormat
    timeFormat: TimeFormat


class Lasting(Options):
    durationFormat: Literal["h:mm", "h:mm:ss", "h:mm:ss.S", "h:mm:ss.SS", "h:mm:ss.SSS"]


class Choice(Options):
    id: str | None = None
    name: str = Field(min_length=1, max_length=10_000)
    color: str | None = None


class Chosen(Options):
    choices: Annotated[list[Choice], Field(max_length=10_000)]


class Linked(Options):
    linkedTableId: str
    viewIdForRecordSelection: str | None = None


class Formula(Options):
    formula: str = Field(min_length=1)


class Counted(Options):
    recordLinkFieldId: str


class LookedUp(Counted):
    fieldIdInLinkedTable: str


class RolledUp(LookedUp):
    formula: str = "SUM(values)"


class Created(Options):
    result: dict[str, Any] | None = None


class Modified(Created):
    referencedFieldIds: list[str] | None = None


class Reversed(Options):
    isReversed: bool = False


_MODELS: dict[str, type[Options]] = {
    "number": Precise, "percent": Precise, "currency": Money, "checkbox": Checked, "rating": Rated, "date": Dated, "dateTime": Timed,
    "duration": Lasting, "singleSelect": Chosen, "multipleSelects": Chosen, "multipleRecordLinks": Linked, "formula": Formula,
    "count": Counted, "multipleLookupValues": LookedUp, "rollup": RolledUp, "createdTime": Created, "lastModifiedTime": Modified,
    "multipleAttachments": Reversed,
}  # fmt: skip
_OPTIONAL = frozenset({"createdTime", "lastModifiedTime", "multipleAttachments"})
assert set(get_args(FieldType)) >= COMPUTED | PRIMARY | set(_MODELS)


def bad_options(place: str, why: str) -> ApiError:
    return refuse("INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE", f"Invalid options for {place}: {why}")


def read_options(place: str, name: str, kind: str, given: dict[str, Any] | None) -> dict[str, Any]:
    """The options of a field to be made, checked for themselves. `place` is Table.Field, as refusals name it."""
    if kind in UNMADE:
        why = f"Creating {kind} fields is not supported at this time"
        hint = "People make such fields in Airtable itself; a field of another type can keep the values."
        raise refuse("UNSUPPORTED_FIELD_TYPE_FOR_CREATE", f"Invalid options for {place}: {why}", hint=hint)
    model = _MODELS.get(kind)
    if model is None:
        if given:
            raise bad_options(place, f"Failed schema validation: {name}.options is not expected")
        return {}
    if given is None and kind not in _OPTIONAL:
        raise bad_options(place, f"Failed schema validation: {name}.options is missing")
    try:
        made = model.model_validate(given or {}).model_dump(exclude_none=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join([f"{name}.options", *map(str, first["loc"])])
        fault = "is missing" if first["type"] == "missing" else f"has an invalid value ({first['msg']})"
        fault = "is not a valid option" if first["type"] == "extra_forbidden" else fault
        raise bad_options(place, f"Failed schema validation: {path} {fault}") from None
    for key, formats in (("dateFormat", DATE_FORMATS), ("timeFormat", TIME_FORMATS)):
        if key in made:
            made[key] = {"name": made[key]["name"], "format": formats[made[key]["name"]]}
    return made
