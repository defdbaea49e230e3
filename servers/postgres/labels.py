"""The names of outputs that are given none."""

from typing import Any

from . import nodes as n


def name_of(node: Any) -> str:
    """The name of an output that is given none."""
    return _figured(node)[0]


def _figured(node: Any) -> tuple[str, int]:
    """A name and how strongly it is meant: a cast gives way to a column's or a function's, not to a constant's."""
    match node:
        case n.Col():
            return node.parts[-1], 2
        case n.Func():
            return node.label or node.name[-1], 2
        case n.Cast():
            name, strength = _figured(node.arg)
            return (name, strength) if strength > 1 else (node.type.name[-1].strip('"'), 1)
        case n.Case():
            name, strength = _figured(node.other) if node.other is not None else ("", 0)
            return (name, strength) if strength > 1 else ("case", 1)
        case n.Attr():
            return node.name, 2
        case n.Index() | n.Collate():
            return _figured(node.arg)
        case n.ArrayLit():
            return "array", 2
        case n.RowLit():
            return "row", 2
        case n.Sub():
            if node.kind == "scalar" and isinstance(node.query, n.Select) and node.query.targets:
                target, label = node.query.targets[0]
                return (label, 2) if label else _figured(target)
            return (node.kind, 2) if node.kind != "scalar" else ("?column?", 0)
        case n.Const() if node.type == "bool":
            return "bool", 1
        case _:
            return "?column?", 0
