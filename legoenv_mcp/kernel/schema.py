"""JSON schemas every MCP client and model API accepts. The rules and their sources: docs/tool-schemas.md, checked by `legoenv lint`."""

import re
from typing import Any

_INPUT_KEYWORDS = {
    "type", "properties", "required", "items", "enum", "description", "default", "minimum", "maximum", "minLength", "maxLength",
    "minItems", "maxItems", "pattern", "format",
}  # fmt: skip
_SCALARS = {"string", "integer", "number", "boolean"}


def portable(schema: dict[str, Any], *, output: bool = False) -> dict[str, Any]:
    """pydantic's schema with references inlined and titles dropped.

    Input schemas keep only the keywords that all clients take: one type per position, no null, no union. A union becomes one type
    that refuses nothing which its arms of that type take. Output schemas spell nullable as `["string", "null"]`.
    """
    defs = schema.get("$defs", {})

    def walk(node: dict[str, Any], trail: tuple[str, ...] = ()) -> dict[str, Any]:
        if "$ref" in node:
            name = node["$ref"].rsplit("/", 1)[-1]
            if name in trail:
                return {"type": "object", "properties": {}, "description": f"A nested {name}."}
            return walk({**defs[name], **{k: v for k, v in node.items() if k != "$ref"}}, (*trail, name))
        arms = [a for a in node.get("anyOf", node.get("oneOf", ())) if a.get("type") != "null"]
        nullable = any(a.get("type") == "null" for a in node.get("anyOf", ()))
        if arms:
            rest = {
                k: v
                for k, v in node.items()
                if k not in ("anyOf", "oneOf", "discriminator") and not (k == "default" and v is None)
            }
            if len(arms) == 1:
                return _nullable(walk({**arms[0], **rest}, trail), output and nullable)
            if output:
                return {**_plain(rest, output), "anyOf": [walk(a, trail) for a in node.get("anyOf", arms)]}
            names = [a["$ref"].rsplit("/", 1)[-1] for a in arms if "$ref" in a]
            if set(names) & set(trail):
                arms = [a for a in arms if a.get("$ref", "").rsplit("/", 1)[-1] not in trail] or [{"type": "object"}]
            resolved = [{**defs[a["$ref"].rsplit("/", 1)[-1]], "title": ""} if "$ref" in a else a for a in arms]
            return walk({**_joined(resolved), **rest}, (*trail, *names))
        out = _plain(node, output)
        if "const" in node:
            out["enum"] = [node["const"]]
            out.pop("const", None)
        if "enum" in out and not output:
            _string_enum(out)
        if out.get("format") not in (None, "date-time") and not output:
            out.pop("format")
        for bound, word in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if bound in node and not output:
                step = (1 if bound == "exclusiveMinimum" else -1) if node.get("type") == "integer" else 0
                out[word] = node[bound] + step
        for word in ("minimum", "maximum"):
            if abs(out.get(word, 0)) > 2**53 and not output:
                out.pop(word)
        if re.search(r"\(\?[=!<]|\\[1-9]", str(out.get("pattern", ""))) and not output:
            out.pop("pattern")
        if out.get("default", 0) is None:
            out.pop("default")
        if "type" not in out and "enum" not in out and not output:
            out["type"] = "string" if "items" not in out and "properties" not in out else "object"
        if out.get("type") == "array":
            items = node.get("items") or _either(node.get("prefixItems", []))
            out["items"] = walk(items, trail) if items or output else {"type": "string"}
        if out.get("type") == "object":
            out["properties"] = {name: walk(sub, trail) for name, sub in node.get("properties", {}).items()}
            extra = node.get("additionalProperties")
            if output and isinstance(extra, dict):
                out["additionalProperties"] = walk(extra, trail)
        return out

    return walk(schema)


def _plain(node: dict[str, Any], output: bool) -> dict[str, Any]:
    if output:
        return {
            k: v
            for k, v in node.items()
            if k not in ("$defs", "title", "derived", "default", "additionalProperties", "discriminator")
        }
    return {k: v for k, v in node.items() if k in _INPUT_KEYWORDS}


def _nullable(schema: dict[str, Any], wanted: bool) -> dict[str, Any]:
    if wanted and "anyOf" in schema and {"type": "null"} not in schema["anyOf"]:
        schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    elif wanted and isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
    return schema


def _either(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """One of these."""
    different = list({repr(schema): schema for schema in schemas}.values())
    return different[0] if len(different) == 1 else {"anyOf": different} if different else {}


def _joined(arms: list[dict[str, Any]]) -> dict[str, Any]:
    """The one type that stands for a union where only one may be said: an object or array before text, text before numbers."""
    order = ["object", "array", "string", "number", "integer", "boolean"]

    def kind(arm: dict[str, Any]) -> str:
        return arm["type"] if arm.get("type") in order else "object" if "properties" in arm else "string"

    widest = min(map(kind, arms), key=order.index)
    same = [arm for arm in arms if kind(arm) == widest]
    if all("enum" in arm or "const" in arm for arm in arms):
        return {"enum": [value for arm in arms for value in arm.get("enum", [arm.get("const")])]}
    if len(same) == 1 and (widest != "string" or len(arms) == 1):
        return same[0]
    if widest == "object" and all("properties" in arm for arm in same):
        names = {name: None for arm in same for name in arm["properties"]}
        needed = [n for n in same[0].get("required", []) if all(n in arm.get("required", []) for arm in same)]
        properties = {n: _either([arm["properties"][n] for arm in same if n in arm["properties"]]) for n in names}
        return {"type": "object", "properties": properties, **({"required": needed} if needed else {})}
    if widest == "array":
        return {
            "type": "array",
            "items": _either([arm.get("items") or _either(arm.get("prefixItems", [])) for arm in same]),
        }
    return {"type": widest}


def _string_enum(out: dict[str, Any]) -> None:
    """Enums are non-empty strings on type string: Gemini refuses numbers and empty text."""
    out["enum"] = [str(value) for value in out["enum"] if value not in ("", None)]
    out["type"] = "string"
    if "default" in out and out["default"] is not None:
        out["default"] = str(out["default"])
    if not out["enum"]:
        out.pop("enum")
