"""Operation: a plain function of an app, seen as a validated call. Its signature is the schema, its docstring the description."""

import contextlib
import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints, is_typeddict

from pydantic import MISSING, BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model

from legoenv_mcp.kernel.errors import Problem, ProblemKind
from legoenv_mcp.kernel.schema import portable

Effect = Literal["read", "create", "update", "delete", "send", "transition"]
Where = Literal["path", "query", "body", "header", "payload"]
EFFECTS: dict[str, Effect] = {"GET": "read", "POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}


@dataclass(frozen=True, slots=True)
class In:
    """Where a parameter travels on the REST face, under which wire name, and which faces have it."""

    where: Where
    name: str = ""
    mcp: bool = True
    rest: bool = True
    raw: bool = False


def Query(name: str = "", *, mcp: bool = True) -> In:
    """A query parameter (the default of GET, HEAD and DELETE), under another wire name: `Annotated[str, Query("filter[status]")]`."""
    return In("query", name, mcp)


def Body(name: str = "", *, mcp: bool = True) -> In:
    """A field of the JSON or form body (the default of POST, PUT and PATCH), under another wire name."""
    return In("body", name, mcp)


def Header(name: str, *, mcp: bool = False) -> In:
    """An HTTP header; by default agents on the MCP face do not see it."""
    return In("header", name, mcp)


def Payload(*, mcp: bool = True, raw: bool = False) -> In:
    """The whole body: a JSON object or array, or raw text or bytes. With `raw` its bytes, whatever type they claim."""
    return In("payload", "", mcp, raw=raw)


def ToolOnly() -> In:
    """A convenience of the MCP face that the product's REST API does not have."""
    return In("body", "", rest=False)


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter. `name` is the function's, `tool_name` the MCP face's, `wire` the product's."""

    name: str
    tool_name: str
    wire: str
    where: Where
    annotation: Any
    default: Any
    mcp: bool
    rest: bool
    raw: bool = False

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty


class InvalidArguments(Exception):
    """The arguments do not fit the signature; `problems` says how, in the caller's own names."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"{p.name}: {p.message}" for p in problems))
        self.problems = problems


_DEPTH = 100
"""How deep an argument may be nested; the REST face reads no deeper body."""

_KINDS: dict[str, ProblemKind] = {
    "missing": "missing", "extra_forbidden": "unknown", "literal_error": "enum", "enum": "enum", "string_pattern_mismatch": "format",
    "greater_than": "range", "greater_than_equal": "range", "less_than": "range", "less_than_equal": "range", "multiple_of": "range",
    "string_too_short": "length", "string_too_long": "length", "too_short": "length", "too_long": "length",
}  # fmt: skip


class Operation:
    """One operation of an app: what its decorator said and what its signature says. Models and schemas are made at first use."""

    def __init__(
        self, fn: Callable[..., Any], method: str, path: str, tool: str, *, effect: Effect | None, title: str, status: int, mcp: bool,
        also: tuple[str, ...], idempotent: bool | None, destructive: bool | None,
    ) -> None:  # fmt: skip
        self.fn = fn
        self.method = method
        self.path = path
        self.tool = tool
        self.effect: Effect = effect or EFFECTS[method]
        self.title = title or tool.replace("_", " ").replace("-", " ").strip().capitalize()
        self.status = status
        self.mcp = mcp
        self.methods = (method, *also)
        self._idempotent, self._destructive = idempotent, destructive

    @property
    def reads(self) -> bool:
        return self.effect == "read"

    @property
    def destructive(self) -> bool:
        """Whether it can overwrite or remove something (MCP's destructiveHint)."""
        return self.effect in ("update", "delete", "transition") if self._destructive is None else self._destructive

    @property
    def idempotent(self) -> bool:
        return self.effect in ("read", "update", "delete") if self._idempotent is None else self._idempotent

    @cached_property
    def _doc(self) -> tuple[str, dict[str, str]]:
        """The docstring's text, and its parameter lines (`name: what it is`, continued on indented lines)."""
        names = set(inspect.signature(self.fn).parameters)
        text, about, current = list[str](), dict[str, str](), ""
        for line in (inspect.getdoc(self.fn) or "").splitlines():
            found = re.match(r"(\w+): +(.+)", line)
            if found and found[1] in names:
                current = found[1]
                about[current] = found[2]
            elif current and line.startswith("  "):
                about[current] += " " + line.strip()
            else:
                current = ""
                text.append(line)
        return "\n".join(text).strip(), about

    @property
    def description(self) -> str:
        return self._doc[0]

    @property
    def about(self) -> dict[str, str]:
        """What the docstring says of the parameters, by the function's names."""
        return self._doc[1]

    @cached_property
    def hints(self) -> dict[str, Any]:
        return get_type_hints(self.fn, include_extras=True)

    @cached_property
    def params(self) -> dict[str, Param]:
        """The parameters by the function's names, in its order."""
        in_path = set(re.findall(r"\{(\w+)(?::\w+)?\}", self.path))
        found = dict[str, Param]()
        for name, parameter in list(inspect.signature(self.fn).parameters.items())[1:]:
            annotation = self.hints[name]
            marks = (
                [m for m in get_args(annotation)[1:] if isinstance(m, In)]
                if get_origin(annotation) is Annotated
                else []
            )
            plain = name.rstrip("_")
            if plain in in_path or name in in_path:
                mark = In("path", plain, marks[0].mcp, marks[0].rest) if marks else In("path", plain)
            elif marks:
                mark = marks[0]
            else:
                mark = In("query" if self.method in ("GET", "HEAD", "DELETE") else "body")
            found[name] = Param(
                name,
                plain,
                mark.name or plain,
                mark.where,
                annotation,
                parameter.default,
                mark.mcp,
                mark.rest,
                mark.raw,
            )
        return found

    @cached_property
    def model(self) -> type[BaseModel]:
        """The pydantic model of the arguments, fields named as in the function."""
        fields = {p.name: (p.annotation, ... if p.required else p.default) for p in self.params.values()}
        config = ConfigDict(
            extra="forbid", arbitrary_types_allowed=True, validate_default=False, protected_namespaces=()
        )
        return create_model(f"{self.tool}_arguments", __config__=config, **fields)  # pyright: ignore[reportCallIssue, reportArgumentType]

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """The MCP face's input schema, in the subset every client accepts; descriptions come from the docstring."""
        whole = self.model.model_json_schema()
        for name, text in self._doc[1].items():
            whole["properties"][name].setdefault("description", text)
        shown = {p.name: p.tool_name for p in self.params.values() if p.mcp}
        whole["properties"] = {tool: whole["properties"][name] for name, tool in shown.items()}
        required = [shown[name] for name in whole.pop("required", []) if name in shown]
        return {**portable(whole), **({"required": required} if required else {})}

    @cached_property
    def output_schema(self) -> dict[str, Any] | None:
        """The schema of a result whose shape the signature states: a pydantic model, row or TypedDict, not a bare dict, list or page."""
        kind = self.hints.get("return")
        if not (is_typeddict(kind) or (isinstance(kind, type) and issubclass(kind, BaseModel))):
            return None
        return portable(TypeAdapter(cast(Any, kind)).json_schema(mode="serialization"), output=True)

    @cached_property
    def _many(self) -> frozenset[str]:
        """Parameters that are arrays or objects, which hosts send as JSON text and query strings repeat."""
        return frozenset(n for n, s in self.input_properties.items() if kinds_of(s) & {"array", "object"})

    @cached_property
    def input_properties(self) -> dict[str, Any]:
        whole = self.model.model_json_schema()
        defs = whole.get("$defs", {})
        return {n: portable({"$defs": defs, **s}, output=True) for n, s in whole["properties"].items()}

    def is_list(self, name: str) -> bool:
        """Whether a parameter is a list (a query string then repeats it)."""
        return "array" in kinds_of(self.input_properties[name])

    def is_text(self, name: str) -> bool:
        return "string" in kinds_of(self.input_properties[name])

    @cached_property
    def nullable(self) -> frozenset[str]:
        """Parameters for which null means something."""
        return frozenset(n for n in self.params if _accepts_null(self.hints[n]))

    def tool_arguments(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by tool name as hosts really send them (null for "not given", JSON text for arrays) -> by the function's names."""
        by_tool = {p.tool_name: p for p in self.params.values() if p.mcp}
        out = dict[str, Any]()
        for key, value in arguments.items():
            param = by_tool.get(key)
            if param is None:
                out[key if key not in self.params else f"{key} "] = (
                    value  # refused as unknown, also a name of another face
                )
                continue
            if value is None and not param.required and param.name not in self.nullable:
                continue
            if isinstance(value, str) and param.name in self._many and not self.is_text(param.name):
                with contextlib.suppress(ValueError, RecursionError):
                    value = json.loads(value)
            out[param.name] = value
        return out

    def validate(self, arguments: Mapping[str, Any], spelt: Literal["tool_name", "wire"] = "tool_name") -> BaseModel:
        """The arguments (by the function's names) as the model; InvalidArguments names parameters as the caller spells them."""
        try:
            made = self.model.model_validate(arguments)
        except ValidationError as error:
            raise InvalidArguments([self._problem(e, spelt) for e in error.errors(include_url=False)]) from None
        except RecursionError:
            raise InvalidArguments(
                [Problem(("arguments",), "invalid", "are nested too deeply", tool=self.tool)]
            ) from None
        problems = [
            Problem(
                (getattr(self.params[name], spelt), *path),
                "range" if isinstance(bad, int) else "invalid",
                why,
                bad,
                tool=self.tool,
            )
            for name in made.model_fields_set
            for path, bad, why in _unstorable(made.__dict__[name])
        ]
        if problems:
            raise InvalidArguments(problems)
        return made

    def _problem(self, error: Any, spelt: str) -> Problem:
        head, *rest = error["loc"] or ("arguments",)  # a name that is no Unicode text has no place
        param = self.params.get(head)
        # A union reports each arm by its type's name; the arm is no part of the caller's path.
        path = tuple(part for part in rest if isinstance(part, int) or not _is_arm(part, param))
        kind = _KINDS.get(error["type"]) or ("type" if error["type"].endswith(("_type", "_parsing")) else "invalid")
        if error.get("input", ...) is None and kind == "type":
            kind = "null"
        shown = getattr(param, spelt) if param else str(head).strip()
        message = "is not a parameter" if kind == "unknown" and not path else error["msg"]
        value = error.get("input")
        return Problem((shown, *path), kind, message, "..." if _deep(value) else value, error.get("ctx"), self.tool)


def _is_arm(part: Any, param: Param | None) -> bool:
    if param is None or not isinstance(part, str):
        return False
    return not part.isidentifier() or part in _ARMS or part in _arm_models(param.annotation)


def _arm_models(annotation: Any, seen: tuple[Any, ...] = ()) -> set[str]:
    """The names of the models that are arms of an annotation's unions, however deep."""
    if annotation in seen:
        return set()
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inner = [field.annotation for field in annotation.model_fields.values()]
        return set[str]().union(*(_arm_models(a, (*seen, annotation)) for a in inner))
    found = set[str]().union(*(_arm_models(a, seen) for a in get_args(annotation)))
    arms = [arm for arm in get_args(annotation) if arm is not type(None)]
    if get_origin(annotation) in (Union, UnionType) and len(arms) > 1:
        found |= {arm.__name__ for arm in arms if isinstance(arm, type)}
    return found


_ARMS = {"str", "int", "float", "bool", "missing", "none", "constrained-str", "constrained-int"}


def kinds_of(schema: Mapping[str, Any]) -> set[str]:
    """The JSON types that a schema lets pass; none where it says nothing."""
    kind = schema.get("type")
    own = set[str](kind if isinstance(kind, list) else [kind] if kind else [])
    return own.union(*(kinds_of(arm) for arm in schema.get("anyOf", ())))


def _accepts_null(annotation: Any) -> bool:
    """Whether None is one of an annotation's own values (not of its items')."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _accepts_null(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return any(_accepts_null(arm) for arm in get_args(annotation))
    return annotation is Any or annotation is None or annotation is type(None)


def _deep(value: Any) -> bool:
    """Whether a value is nested so deeply that quoting it would fail."""
    level, depth = [value], 0
    while level and depth <= _DEPTH:
        level = [v for d in level if isinstance(d, (dict, list)) for v in (d.values() if isinstance(d, dict) else d)]
        depth += 1
    return bool(level)


def _unstorable(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any, str]]:
    """Values that no database column or JSON text holds: numbers beyond 64 bits, lone surrogates, NaN, endless nesting."""
    if len(path) > _DEPTH:
        return [(path[:3], "...", f"is nested deeper than {_DEPTH}")]
    if isinstance(value, str):
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                return [(path, value.encode("utf-8", "replace").decode(), "is not valid Unicode text")]
        return []
    if isinstance(value, bool) or value is None or value is MISSING:
        return []
    if isinstance(value, int):
        return [] if -(2**63) <= value < 2**63 else [(path, value, "is beyond 64 bits")]
    if isinstance(value, float):
        return (
            []
            if value == value and value not in (float("inf"), float("-inf"))
            else [(path, str(value), "is not a finite number")]
        )
    if isinstance(value, BaseModel):
        value = value.__dict__
    if isinstance(value, Mapping):
        return [bad for k, v in value.items() for bad in [*_unstorable(k, path), *_unstorable(v, (*path, str(k)))]]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [bad for i, v in enumerate(value) for bad in _unstorable(v, (*path, i))]
    return []
