"""Schemas that every client takes, whatever the annotation; that refuse no argument the operation takes; and that results fit."""

import datetime as dt
import decimal
import enum
import json
import uuid
from typing import Annotated, Any, Literal, Optional

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import MISSING, AnyUrl, BaseModel, Field, TypeAdapter
from pydantic import create_model as _create_model

from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx
from legoenv_mcp.kernel.rows import Row, registry
from legoenv_mcp.kernel.schema import portable
from legoenv_mcp.lint.findings import Level
from legoenv_mcp.lint.schema_rules import _check_schema

create_model: Any = _create_model  # annotations are data here


class Color(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Address(BaseModel):
    street: str = Field(description="The street")
    number: int | None = Field(default=None, ge=1, description="The house number")


class Tree(BaseModel):
    """A node."""

    name: str = Field(description="The name")
    children: list["Tree"] = Field(default_factory=list, description="Nodes below")


class Cat(BaseModel):
    kind: Literal["cat"] = Field(description="What it is")
    lives: int = Field(default=9, description="Lives left")


class Dog(BaseModel):
    kind: Literal["dog"] = Field(description="What it is")
    good: bool = Field(default=True, description="Whether it is good")


Animal: Any = Annotated[Cat | Dog, Field(discriminator="kind")]

SIMPLE: list[Any] = [
    str, int, float, bool, bytes, Any, dt.date, dt.datetime, dt.timedelta, uuid.UUID, decimal.Decimal, AnyUrl, Color, Size, Address, Tree,
    Animal, Literal["a", "b"], Literal["a", ""], Literal[""], Literal[1, 2], Literal["a", 1], Literal["a", None], Literal[True],
    dict[str, Any], dict[str, int],
    dict[str, Address], list, dict, tuple[int, str], tuple[str, ...], set[int], frozenset[Color],
    Annotated[int, Field(ge=1, le=100)], Annotated[int, Field(gt=0, lt=10)], Annotated[float, Field(gt=0)],
    Annotated[int, Field(ge=-(2**63), lt=2**63)],
    Annotated[int, Field(multiple_of=5)], Annotated[str, Field(min_length=1, max_length=5)],
    Annotated[str, Field(pattern=r"^[a-z]+$")], Annotated[str, Field(pattern=r"^(?:[a-z]+)$")],
    Annotated[list[str], Field(min_length=1, max_length=3)], Annotated[str, Field(examples=["x"])],
    Annotated[str, Field(json_schema_extra={"x-thing": 1})], Annotated[str, Field(json_schema_extra={"deprecated": True})],
    Annotated[str, Field(description="Mine")],
]  # fmt: skip
LEAVES = st.sampled_from(SIMPLE)


def joined(arms: list[Any]) -> Any:
    made = arms[0]
    for arm in arms[1:]:
        made = made | arm if not isinstance(made, str) else Optional[arm]  # noqa: UP045
    return made


ANNOTATIONS = st.recursive(
    LEAVES,
    lambda inner: (
        inner.map(lambda t: list[t])
        | inner.map(lambda t: dict[str, t])
        | inner.map(lambda t: t | None)
        | st.lists(inner, min_size=2, max_size=3).map(joined)
        | inner.map(
            lambda t: create_model(
                "Inner",
                field=(t, Field(description="Inside")),
                other=(t | None, Field(default=None, description="Other")),
            )
        )
    ),
    max_leaves=3,
)


def errors(schema: dict[str, Any]) -> list[str]:
    found = list[str]()

    def report(rule: str, level: Level, path: str, message: str) -> None:
        # How deep an app nests is its own affair.
        if level == "error" and rule != "S19":
            found.append(f"{rule} {path}: {message}")

    _check_schema(schema, "", 0, report)
    return found


def as_input(annotation: Any) -> dict[str, Any]:
    model = create_model("Arguments", value=(annotation, Field(description="A value")))
    return portable(model.model_json_schema())


@pytest.mark.parametrize("annotation", [*SIMPLE, *[t | None for t in SIMPLE], *[list[t] for t in SIMPLE]], ids=str)
def test_every_annotation_makes_a_schema_all_clients_take(annotation: Any) -> None:
    schema = as_input(annotation)
    assert errors(schema) == [], json.dumps(schema)
    assert schema["properties"]["value"]["description"] in ("A value", "Mine")


@settings(deadline=None, max_examples=300)
@given(ANNOTATIONS)
def test_any_annotation_makes_a_schema_all_clients_take(annotation: Any) -> None:
    assert errors(as_input(annotation)) == []


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str | None, {"type": "string"}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, 2], {"type": "string", "enum": ["1", "2"]}),
        (Literal["a", ""], {"type": "string", "enum": ["a"]}),
        (Literal["a"] | Literal["b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["me"] | str, {"type": "string"}),
        (str | Literal["me"], {"type": "string"}),
        (Literal["auto"] | int, {"type": "string"}),
        (Literal["auto"] | int | None, {"type": "string"}),
        (Color | int, {"type": "string"}),
        (str | int, {"type": "string"}),
        (int | float, {"type": "number"}),
        (str | list[str], {"type": "array", "items": {"type": "string"}}),
        (Annotated[int, Field(gt=0, lt=10)], {"type": "integer", "minimum": 1, "maximum": 9}),
        (Annotated[int, Field(ge=-(2**63), lt=2**63)], {"type": "integer"}),
        (list[dict[str, int]], {"type": "array", "items": {"type": "object", "properties": {}}}),
        (dt.datetime, {"type": "string", "format": "date-time"}),
        (dt.date, {"type": "string"}),
        (tuple[int, str], {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string"}}),
        (tuple[int, int], {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer"}}),
    ],
    ids=str,
)
def test_annotations_and_their_schemas(annotation: Any, expected: dict[str, Any]) -> None:
    found = as_input(annotation)["properties"]["value"]
    found.pop("description")
    assert found == expected


def test_patterns_that_not_every_engine_knows_are_left_out() -> None:
    for pattern in (r"^(?!x)", r"(?<=a)b", r"(a)\1"):
        assert portable({"type": "string", "pattern": pattern}) == {"type": "string"}
    assert portable({"type": "string", "pattern": "^a"}) == {"type": "string", "pattern": "^a"}


def test_a_union_of_objects_has_the_keys_of_all() -> None:
    schema = as_input(list[Animal])["properties"]["value"]["items"]
    assert list(schema["properties"]) == ["kind", "lives", "good"]
    assert schema["properties"]["kind"] == {"type": "string", "enum": ["cat", "dog"]}
    assert schema["required"] == ["kind"]


class Branch(BaseModel):
    left: "Branch | Leaf | None" = Field(default=None, description="Left")
    right: "Leaf | Branch | None" = Field(default=None, description="Right")


class Leaf(BaseModel):
    name: str = Field(description="The name")
    parent: "Branch | None" = Field(default=None, description="Above")


def test_unions_of_recursive_models_end() -> None:
    for annotation in (Branch, Leaf, Branch | Leaf, list[Leaf | Branch] | None):
        assert errors(as_input(annotation)) == []


def test_a_recursive_model_ends() -> None:
    schema = as_input(Tree)["properties"]["value"]
    assert schema["properties"]["children"]["items"] == {
        "type": "object", "properties": {}, "description": "A nested Tree.",
    }  # fmt: skip


# No schema refuses what its operation takes (unions apart, of which one type is shown; numbers in enums are spelt as text).

VALUES: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (str, st.text(max_size=5)),
    (int, st.integers(-(2**70), 2**70)),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (bool, st.booleans()),
    (Annotated[int, Field(gt=-3, lt=3)], st.integers(-2, 2)),
    (Annotated[float, Field(gt=0, lt=1)], st.floats(0, 1, exclude_min=True, exclude_max=True)),
    (Annotated[int, Field(ge=-(2**63), lt=2**63)], st.integers(-(2**63), 2**63 - 1)),
    (Literal["a", "b"], st.sampled_from("ab")),
    (Color, st.sampled_from(["red", "blue"])),
    (list[int], st.lists(st.integers(), max_size=3)),
    (tuple[int, int], st.tuples(st.integers(), st.integers()).map(list)),
    (dict[str, int], st.dictionaries(st.text(max_size=3), st.integers(), max_size=3)),
    (Address, st.fixed_dictionaries({"street": st.text(max_size=3)}, optional={"number": st.integers(1, 9)})),
    (list[Tree], st.just([{"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}])),
    (Annotated[str, Field(pattern=r"^[a-z]+$", max_length=3)], st.text("abc", min_size=1, max_size=3)),
    (dt.datetime, st.just("2026-01-02T03:04:05Z")),
    (dt.date, st.just("2026-01-02")),
    (Literal["me"] | str, st.text(max_size=3)),
]  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(VALUES).flatmap(lambda pair: st.tuples(st.just(pair[0]), pair[1])))
def test_what_an_operation_takes_its_schema_takes(case: tuple[Any, Any]) -> None:
    annotation, value = case
    TypeAdapter(annotation).validate_python(value)
    jsonschema.validate({"value": value}, as_input(annotation))


# Results fit their schemas

RESULTS: list[tuple[Any, Any]] = [
    (str | None, None), (str | None, "a"), (Literal["a"] | None, None), (Literal["a", "b"], "b"), (Color | None, Color.RED),
    (Size, Size.LARGE),
    (int | str, "a"), (int | str | None, None), (list[int | None], [1, None]), (tuple[int, str], (1, "a")), (tuple[int, str] | None, None),
    (dict[str, int | None], {"a": None}), (dict[str, Address], {"a": Address(street="s")}), (Animal, Dog(kind="dog")),
    (list[Animal], [Cat(kind="cat")]),
    (Animal | None, None), (Tree, Tree(name="a", children=[Tree(name="b", children=[Tree(name="c")])])), (Tree | None, None),
    (Any, {"x": [1]}), (Any, None),
    (dict[str, Any], {"a": None, "b": {"c": []}}), (list[Any], [1, "a", None]),
    (dt.datetime, dt.datetime(2026, 1, 1, tzinfo=dt.UTC)), (dt.date | None, None),
    (decimal.Decimal, decimal.Decimal("1.5")), (decimal.Decimal | None, decimal.Decimal(2)),
    (uuid.UUID, uuid.UUID(int=1)), (bytes, b"x"), (set[int], {1}),
    (Address | Tree, Tree(name="n")), (list[Address] | Address | None, Address(street="s", number=3)),
    (float, 1), (Literal[1, "a", None], None),
]  # fmt: skip


@pytest.mark.parametrize(("annotation", "value"), RESULTS, ids=str)
def test_results_fit_their_schemas(annotation: Any, value: Any) -> None:
    model = create_model(
        "Result",
        value=(annotation, ...),
        more=(list.__class_getitem__(annotation), ...),
        maybe=(annotation | None, None),
    )
    schema = portable(TypeAdapter(model).json_schema(mode="serialization"), output=True)
    assert schema["type"] == "object"
    assert "$ref" not in json.dumps(schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    result = model.model_construct(value=value, more=[value], maybe=value)
    jsonschema.validate(json.loads(result.model_dump_json()), schema)
    jsonschema.validate(json.loads(model.model_construct(value=value, more=[], maybe=None).model_dump_json()), schema)


def test_a_tools_schema_has_its_descriptions_names_and_defaults() -> None:
    class Table(Row, registry=registry()): ...

    app = App("schemas", Table)

    @app.post("/things", tool="make_thing")
    def make_thing(
        ctx: Ctx, name: str, from_: str | None = None, kind: Literal["a", "b"] = "a", size: int | MISSING = MISSING,
        where: Address | None = None,
    ) -> Address:  # fmt: skip
        """Makes a thing.

        name: What it is called.
        from_: Where it comes from,
            in words.
        kind: Which kind.
        size: How large.
        where: Its place.
        """
        return Address(street=name)

    schema = app.operations["make_thing"].input_schema
    assert errors(schema) == []
    assert list(schema["properties"]) == ["name", "from", "kind", "size", "where"]
    assert schema["required"] == ["name"]
    assert schema["properties"]["from"] == {"type": "string", "description": "Where it comes from, in words."}
    assert schema["properties"]["kind"] == {
        "type": "string",
        "enum": ["a", "b"],
        "default": "a",
        "description": "Which kind.",
    }
    assert schema["properties"]["size"] == {"type": "integer", "description": "How large."}
    assert schema["properties"]["where"]["description"] == "Its place."
    output = app.operations["make_thing"].output_schema
    assert output is not None
    assert output["properties"]["number"]["type"] == ["integer", "null"]
