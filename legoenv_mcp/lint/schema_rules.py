"""What every MCP client and model API accepts of a tool. One bad tool makes a provider refuse a whole request: hence errors."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from legoenv_mcp.lint.findings import Finding, Level

_NAME = re.compile(r"^[A-Za-z](?!.*__)[A-Za-z0-9_-]*$")
_KEY = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")
_TYPES = {"string", "integer", "number", "boolean", "array", "object"}
_KEYWORDS = {
    "type", "properties", "required", "items", "enum", "description", "default", "minimum", "maximum", "minLength", "maxLength",
    "minItems", "maxItems", "pattern", "format",
}  # fmt: skip
_REMEDY = {
    "anyOf": "write one type; optional means absent, not null",
    "oneOf": "split the tool or use one type",
    "$ref": "inline it",
    "const": "use enum with one value",
    "exclusiveMinimum": "use minimum",
    "exclusiveMaximum": "use maximum",
    "additionalProperties": "leave it out and refuse unknown arguments in the handler",
}
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_READS = re.compile(
    r"(^|[_-])(get|list|search|find|read|fetch|query|retrieve|lookup|count|describe)([_-]|$)|^(get|list|search|find|read|fetch)(?=[A-Z])"
)
_WRITES = re.compile(
    r"(^|[_-])(create|update|delete|remove|send|add|set|cancel|archive|merge|close|move|post|put|patch|upload|write)([_-]|$)",
    re.IGNORECASE,
)
_DELETES = re.compile(
    r"(^|[_-])(delete|remove|purge|destroy|revoke|trash|void)([_-]|$)|^(delete|remove)(?=[A-Z])", re.IGNORECASE
)
MAX_TOOLS, MAX_DEPTH, MAX_PROPERTIES, MAX_SCHEMA, MAX_DESCRIPTION, MAX_JOINED = 128, 5, 100, 8_000, 1024, 50

Report = Callable[[str, Level, str, str], None]


def check_tools(slug: str) -> list[Finding]:
    """The findings over an app's tools/list."""
    from legoenv_mcp.faces.tools import listing  # noqa: PLC0415 - other rules load no app

    return check_listing(slug, listing(slug))


def check_listing(slug: str, tools: Sequence[Mapping[str, Any]]) -> list[Finding]:
    """The findings over a tools/list in wire form, whoever serves it."""
    findings, seen = list[Finding](), set[str]()
    if len(tools) > MAX_TOOLS:
        findings.append(
            Finding(
                slug, "", "L27", "error", "", f"{len(tools)} tools: OpenAI and Copilot refuse more than {MAX_TOOLS}"
            )
        )
    for tool in tools:
        name = str(tool.get("name"))

        def report(rule: str, level: Level, path: str, message: str, name: str = name) -> None:
            findings.append(Finding(slug, name, rule, level, path, message))

        if name.lower() in seen:
            report("N3", "error", "", "another tool has this name")
        seen.add(name.lower())
        _check_tool(slug, name, tool, report)
    return findings


def _check_tool(slug: str, name: str, tool: Mapping[str, Any], report: Report) -> None:
    if not _NAME.match(name):
        report("N1", "error", "", "a name is a letter, then letters, digits, _ or -, without __")
    if len(f"{slug}__{name}") > MAX_JOINED:
        report(
            "N2",
            "error",
            "",
            f"{slug}__{name} is longer than {MAX_JOINED} characters: it must fit every client's prefix",
        )
    text = tool.get("description") or ""
    if len(text.strip()) < 15:
        report("D4", "error", "", "the description is missing or shorter than 15 characters")
    elif len(text) > MAX_DESCRIPTION:
        report(
            "D5", "error", "", f"the description has {len(text)} characters; OpenAI refuses more than {MAX_DESCRIPTION}"
        )
    if not 0 < len(tool.get("title") or "") <= 60:
        report("D6", "warn", "", "the title is missing or longer than 60 characters")
    schema = tool.get("inputSchema")
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        report("S7", "error", "", 'inputSchema must be {"type": "object", "properties": {...}}')
    else:
        count = _check_schema(schema, "", 0, report)
        if count > MAX_PROPERTIES:
            report("S19", "error", "", f"{count} properties, more than {MAX_PROPERTIES}")
        if (size := len(json.dumps(schema))) > MAX_SCHEMA:
            report("S19", "warn", "", f"an inputSchema of {size} bytes: every model call pays for it")
    produced = tool.get("outputSchema")
    if produced is not None:
        if produced.get("type") != "object" or any(k in produced for k in ("anyOf", "oneOf", "allOf", "$ref")):
            report("O20", "error", "", 'outputSchema must be a plain {"type": "object"}')
        if '"$ref"' in json.dumps(produced):
            report("O21", "error", "", "outputSchema has a $ref: inline it")
    _check_hints(name, tool.get("annotations") or {}, report)


def _check_hints(name: str, hints: Mapping[str, Any], report: Report) -> None:
    missing = [h for h in _HINTS if not isinstance(hints.get(h), bool)]
    if missing:
        report("A22", "error", "", f"annotations missing: {', '.join(missing)}")
        return
    if hints["readOnlyHint"] and (hints["destructiveHint"] or not hints["idempotentHint"]):
        report("A23", "error", "", "a read-only tool is idempotent and not destructive")
    if not hints["readOnlyHint"] and _READS.search(name) and not _WRITES.search(name):
        report("A24", "warn", "", "named like a read, but not read-only")
    if _DELETES.search(name) and not hints["destructiveHint"]:
        report("A24", "warn", "", "named like a deletion, but not destructive")


def _check_schema(schema: Any, path: str, depth: int, report: Report) -> int:
    """The rules for one position of an input schema and all below it; returns how many properties there are."""
    if not isinstance(schema, Mapping):
        report("S8", "error", path, "is not a schema object")
        return 0
    for word in sorted(set(schema) - _KEYWORDS):
        report("S8", "error", path, f"keyword {word!r}: {_REMEDY.get(word, 'not understood by every model API')}")
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        report("S9", "error", path, f"type is {kind!r}: it must be one type")
    if kind != "object" and ("properties" in schema or "required" in schema):
        report("S10", "error", path, "properties or required on something that is no object")
    if depth > MAX_DEPTH:
        report("S19", "error", path, f"nested deeper than {MAX_DEPTH}")
    _check_values(schema, kind, path, report)
    count = 0
    if kind == "array":
        if isinstance(schema.get("items"), Mapping) and schema["items"]:
            count += _check_schema(schema["items"], f"{path}[]", depth + 1, report)
        else:
            report("S11", "error", path, "an array without items: VS Code and OpenAI drop the tool")
    if kind == "object":
        count += _check_properties(schema, path, depth, report)
    return count


def _check_values(schema: Mapping[str, Any], kind: Any, path: str, report: Report) -> None:
    if "enum" in schema:
        values = schema["enum"]
        if kind != "string" or not values or not all(isinstance(v, str) and v for v in values):
            report("S12", "error", path, "an enum is non-empty strings on type string: no null, no '', no numbers")
        elif len(values) > 100:
            report("S12", "warn", path, f"an enum of {len(values)} values: describe the format instead")
    if schema.get("default", 0) is None:
        report("S13", "error", path, "default null: leave it out")
    if "format" in schema and schema["format"] != "date-time":
        report("S14", "error", path, f"format {schema['format']!r}: only date-time; say the rest in the description")
    if re.search(r"\(\?[=!<]|\\[1-9]", str(schema.get("pattern", ""))):
        report("S15", "error", path, "a pattern with lookaround or back-reference")
    for word in ("minimum", "maximum"):
        if isinstance(schema.get(word), bool) or abs(schema.get(word, 0) or 0) > 2**53:
            report("S15", "error", path, f"{word} must be a number within +-2^53")


def _check_properties(schema: Mapping[str, Any], path: str, depth: int, report: Report) -> int:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        report("S16", "error", path, "an object without properties")
        return 0
    if not properties and depth:
        report(
            "S16",
            "warn",
            path,
            "a free-form object: models guess and strict modes refuse it; list the keys if they are known",
        )
    for name in schema.get("required", []):
        if name not in properties:
            report("S16", "error", path, f"required names {name!r}, which is no property")
    count = 0
    for name, sub in properties.items():
        here = f"{path}.{name}" if path else name
        if not _KEY.match(name):
            report(
                "S17",
                "error",
                here,
                "a key matches ^[A-Za-z_][A-Za-z0-9_]{0,63}$: map the product's name in the handler",
            )
        if isinstance(sub, Mapping) and not sub.get("description"):
            report("S18", "error" if not depth else "warn", here, "no description")
        count += 1 + _check_schema(sub, here, depth + 1, report)
    return count
