"""Nested parameters. What the API shows but does not take is ignored, as it is by Shopify: clients send whole objects back."""

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler

from legoenv_mcp.app import Field

from .errors import refused
from .models import Object
from .resources import CODES, COUNTRIES


class Input(BaseModel):
    """A nested parameter. `quiet` names fields that tools do not tell of: rarely used ones, and those too deep for some clients."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)
    quiet: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        made = handler(schema)
        properties = handler.resolve_ref_schema(made).get("properties", {})
        for name in cls.quiet:
            properties.pop(name, None)
        return made

    def given(self, *names: str) -> dict[str, Any]:
        """Of these fields, those that were sent."""
        return {n: self.__dict__[n] for n in names if n in self.model_fields_set}

    def has(self, name: str) -> bool:
        return name in self.model_fields_set


def _joined(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return value


TagText = Annotated[str, BeforeValidator(_joined)]


def tags_of(text: str | None) -> list[str]:
    """Tags in a comma-separated text: in alphabetical order, each once whatever its case."""
    found = dict[str, str]()
    for tag in (text or "").split(","):
        if tag.strip():
            found.setdefault(tag.strip().casefold(), tag.strip())
    for tag in found.values():
        if len(tag) > 255:
            raise refused("tags", "is too long (maximum is 255 characters)")
    return sorted(found.values(), key=lambda tag: (tag.casefold(), tag))


class AddressInput(Input):
    """A postal address."""

    first_name: str | None = Field(default=None, max_length=255, description="First name.")
    last_name: str | None = Field(default=None, max_length=255, description="Last name.")
    company: str | None = Field(default=None, max_length=255, description="Company.")
    address1: str | None = Field(default=None, max_length=255, description="Street and number.")
    address2: str | None = Field(default=None, max_length=255, description="Apartment, suite, unit.")
    city: str | None = Field(default=None, max_length=255, description="City.")
    province: str | None = Field(default=None, max_length=255, description="State, province or region.")
    country: str | None = Field(default=None, max_length=255, description="Country's name or two-letter code.")
    zip: str | None = Field(default=None, max_length=32, description="Postal code.")
    phone: str | None = Field(default=None, max_length=64, description="Phone number.")
    province_code: str | None = Field(default=None, max_length=32, description="Province's code.")
    country_code: str | None = Field(default=None, max_length=32, description="Two-letter country code.")

    def data(self, old: Object | None = None) -> Object:
        """The address as it is stored: a country is known by its name and its code."""
        sent = {name: self.__dict__[name] for name in self.model_fields_set}
        country = sent.get("country_code") or sent.get("country")
        if country:
            code = country.upper() if country.upper() in COUNTRIES else CODES.get(country.strip().title())
            if code is None:
                raise refused("country", "is not valid")
            sent |= {"country_code": code, "country": COUNTRIES[code]}
        return {**(old or {}), **sent}


class NoteAttribute(Input):
    """A name and a value that go with an order."""

    name: str = Field(description="Its name.", max_length=255)
    value: str = Field(description="Its value.")


class MetafieldInput(Input):
    """A metafield."""

    id: int | None = Field(default=None, description="The metafield's id, where it exists.")
    namespace: str | None = Field(default=None, description="Container of metafields, such as an app's name.")
    key: str | None = Field(default=None, description="Its name within the namespace.")
    value: str | None = Field(default=None, description="The data, as text.")
    type: str | None = Field(
        default=None, description="Kind of data, such as `single_line_text_field` or `number_integer`."
    )
    description: str | None = Field(default=None, description="What it is for.")


def plain(values: list[Any] | None) -> list[Object]:
    """Nested parameters as data."""
    return [value.model_dump(exclude_none=True) for value in values or []]
