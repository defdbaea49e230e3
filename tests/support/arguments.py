"""Hypothesis strategies for tool arguments: from a tool's own input schema, valid and not, with values that exist in the app."""

import json
from typing import Any

from hypothesis import strategies as st

from legoenv_mcp.kernel.episode import Template

NASTY = [
    "",
    " ",
    "\x00",
    "a" * 3000,
    "'; DROP TABLE x; --",
    "%",
    "_",
    "../../etc/passwd",
    "ÅÄÖ ß 漢字 🙂",
    "<b>x</b>",
    "=1+1",
    "null",
    "-1",
    "[",
    "{",
]
NUMBERS = [0, 1, -1, 2, 10, 100, 2**31, 2**63, -(2**63) - 1, 10**30]


def pool(template: Template) -> list[Any]:
    """Keys and short texts that really occur in the app: without them a fuzzer rarely gets past "not found"."""
    found = list[Any]()
    for shape in template.app.shapes.values():
        for raw in template.connection.execute(f"{shape.select} LIMIT 4"):
            found += [v for v in raw if isinstance(v, (int, str)) and not (isinstance(v, str) and len(v) > 80)]
    return list(dict.fromkeys(found)) or ["x"]


def arguments(schema: dict[str, Any], known: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments for a tool: mostly well-typed, now and then with a wrong type, a missing or a strange parameter."""
    texts = [k for k in known if isinstance(k, str)] or ["x"]
    numbers = [k for k in known if isinstance(k, int)] or [1]
    required = set(schema.get("required", []))
    fields = {name: value(sub, texts, numbers) for name, sub in schema["properties"].items()}
    whole = st.fixed_dictionaries(
        {n: s for n, s in fields.items() if n in required},
        optional={n: s for n, s in fields.items() if n not in required},
    )
    wrong = st.sampled_from([None, 5, "x", [], {}, [1], {"a": 1}, True, 1.5])

    def spoil(made: tuple[dict[str, Any], int, Any, str]) -> dict[str, Any]:
        arguments, how, bad, text = made
        names = sorted(schema["properties"])
        if how == 1 and names:
            return {**arguments, names[len(text) % len(names)]: bad}
        if how == 2:
            return {**arguments, f"no_such_{len(text)}": bad}
        if how == 3 and required:
            return {k: v for k, v in arguments.items() if k != sorted(required)[0]}
        return arguments

    return st.tuples(whole, st.integers(0, 12), wrong, st.text(max_size=6)).map(spoil)


def value(schema: dict[str, Any], texts: list[str], numbers: list[int]) -> st.SearchStrategy[Any]:
    """One value for a position of an input schema."""
    kind = schema.get("type")
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if kind == "boolean":
        return st.booleans()
    if kind in ("integer", "number"):
        low, high = int(schema.get("minimum", -5)), int(schema.get("maximum", 500))
        return st.one_of(st.sampled_from(numbers), st.integers(low, max(low, high)), st.sampled_from(NUMBERS))
    if kind == "array":
        return st.lists(value(schema.get("items", {"type": "string"}), texts, numbers), max_size=3)
    if kind == "object":
        properties = schema.get("properties", {})
        if not properties:
            return st.dictionaries(st.sampled_from(["a", "name", "key"]), st.sampled_from(texts), max_size=2)
        return st.fixed_dictionaries({}, optional={n: value(s, texts, numbers) for n, s in properties.items()})
    return st.one_of(st.sampled_from(texts), st.sampled_from(texts), st.sampled_from(NASTY), st.text(max_size=12))


def shown(arguments: Any) -> str:
    """Arguments in a failure message, shortened."""
    text = json.dumps(arguments, ensure_ascii=True, default=repr)
    return text if len(text) < 400 else text[:400] + "..."
