"""EXPLAIN: a plan's steps with estimates, in the text and JSON formats."""

from typing import Any

from . import deparse
from . import nodes as n
from .errors import SqlError, unsupported
from .functions_system import table_bytes
from .models import Relation
from .values import J

Node = dict[str, Any]


def explain(env: Any, statement: Any, options: dict[str, Any], compile_: Any) -> tuple[list[tuple[Any, ...]], str]:
    form = options.get("format", "text")
    if form not in ("text", "json"):
        raise unsupported(f"EXPLAIN (FORMAT {str(form).upper()})")
    made = compile_(statement)
    ran = None
    if options.get("analyze"):
        rows = made.run()
        ran = getattr(made, "count", 0) or len(rows)
    root = tree(env, statement, made)
    if ran is not None:
        root["Actual Rows"] = ran
    if form == "json":
        import json  # noqa: PLC0415

        from .values import read_json  # noqa: PLC0415

        body: Node = {"Plan": root}
        return [(J(read_json(json.dumps([body]), "json")),)], "jsonb"
    return [(line,) for line in lines(root, ran is not None, costs=options.get("costs", True) is not False)], "text"


def tree(env: Any, statement: Any, made: Any) -> Node:
    root = _of(env, made.note)
    if isinstance(statement, (n.Insert, n.Update, n.Delete)):
        kind = type(statement).__name__
        top = _node("ModifyTable", 0, root["Total Cost"], 0, 0)
        top |= {
            "Operation": kind,
            "Relation Name": statement.table.name[-1],
            "Alias": statement.table.alias or statement.table.name[-1],
            "Plans": [root],
        }
        return top
    return _tail(env, statement, root)


def _tail(env: Any, statement: Any, root: Node) -> Node:
    """What is done to the rows of a query last."""
    del env
    if isinstance(statement, n.Query):
        if statement.order:
            rows = root["Plan Rows"]
            cost = root["Total Cost"] + max(rows, 1) * 0.03
            root = {
                **_node("Sort", cost, cost + rows * 0.0025, rows, root["Plan Width"]),
                "Sort Key": [_shown(s) for s in statement.order],
                "Plans": [root],
            }
        if statement.limit is not None:
            count = (
                statement.limit.value
                if isinstance(statement.limit, n.Const) and isinstance(statement.limit.value, int)
                else max(root["Plan Rows"] // 10, 1)
            )
            rows = min(count, root["Plan Rows"])
            share = rows / max(root["Plan Rows"], 1)
            cost = root["Startup Cost"] + (root["Total Cost"] - root["Startup Cost"]) * share
            root = {**_node("Limit", root["Startup Cost"], cost, rows, root["Plan Width"]), "Plans": [root]}
    return root


def _shown(sort: n.Sort) -> str:
    from .labels import name_of  # noqa: PLC0415

    name = (
        str(sort.expr.value)
        if isinstance(sort.expr, n.Const)
        else ".".join(sort.expr.parts)
        if isinstance(sort.expr, n.Col)
        else name_of(sort.expr)
    )
    return name + (" DESC" if sort.desc else "")


def _node(kind: str, start: float, total: float, rows: float, width: int) -> Node:
    return {
        "Node Type": kind,
        "Startup Cost": round(float(start), 2),
        "Total Cost": round(float(total), 2),
        "Plan Rows": max(int(rows), 0),
        "Plan Width": width,
    }


def _of(env: Any, note: Any) -> Node:
    match note:
        case ("table", Relation() as relation, str() as alias):
            return _scan(env, relation, alias)
        case ("select", list() as steps, n.Select() | None as select, _):
            return _select(env, steps, select)
        case ("setop", str() as op, left, right):
            a, b = _of(env, left), _of(env, right)
            rows = a["Plan Rows"] + b["Plan Rows"]
            kind = "Append" if op == "union" else "SetOp"
            return {
                **_node(kind, 0, a["Total Cost"] + b["Total Cost"] + rows * 0.01, rows, a["Plan Width"]),
                "Plans": [a, b],
            }
        case ("join", list() as notes, str() as kind):
            plans = [_of(env, x) for x in notes]
            made = plans[0]
            for other in plans[1:]:
                made = _join(made, other, kind, True)
            return made
        case ("function", str() as name):
            return {**_node("Function Scan", 0, 10, 1000, 8), "Function Name": name, "Alias": name}
        case ("cte" | "recursive" | "write", str() as name):
            return {**_node("CTE Scan", 0, 2, 100, 32), "CTE Name": name, "Alias": name}
        case ("values", int() as count):
            return _node("Values Scan" if count > 1 else "Result", 0, 0.01 * count, count, 32)
        case _:
            return _node("Result", 0, 0.01, 1, 4)


def _scan(env: Any, relation: Relation, alias: str) -> Node:
    rows = len(env.catalog.rows(relation))
    pages = table_bytes(env, relation) // 8192
    width = sum({"text": 32, "varchar": 32, "numeric": 10}.get(c.kind, 8) for c in env.catalog.columns(relation))
    return {
        **_node("Seq Scan", 0, pages + rows * 0.01, rows, width),
        "Relation Name": relation.name,
        "Schema": relation.schema_,
        "Alias": alias,
    }


def _select(env: Any, steps: list[Any], select: n.Select | None) -> Node:
    made: Node | None = None
    for step in steps:
        item = _of(env, step.note)
        if step.filters:
            item = _filtered(env, item, step, select)
        made = item if made is None else _join(made, item, step.kind, bool(step.keys), told(step.compiler, step.joined))
    root = made or _node("Result", 0, 0.01, 1, 4)
    if select is None:
        return root
    if select.group:
        groups = max(root["Plan Rows"] // 10, 1)
        root = {
            **_node(
                "HashAggregate",
                root["Total Cost"] + root["Plan Rows"] * 0.01,
                root["Total Cost"] + root["Plan Rows"] * 0.01 + groups * 0.01,
                groups,
                root["Plan Width"],
            ),
            "Group Key": [_key(g, select, steps) for g in select.group],
            "Plans": [root],
        }
    elif any(_aggregated(t) for t, _ in select.targets):
        cost = root["Total Cost"] + root["Plan Rows"] * 0.0025
        root = {**_node("Aggregate", cost, cost + 0.01, 1, 8), "Plans": [root]}
    if select.distinct is True:
        rows = max(root["Plan Rows"] // 2, 1)
        root = {
            **_node("Unique", root["Total Cost"], root["Total Cost"] + rows * 0.01, rows, root["Plan Width"]),
            "Plans": [root],
        }
    return root


def _aggregated(node: Any) -> bool:
    from .query import _has_aggregate  # noqa: PLC0415

    return _has_aggregate(node)


def _filtered(env: Any, item: Node, step: Any, select: n.Select | None) -> Node:
    """A scan under conditions: by index where an equality fits one and the table has pages to save."""
    rows = max(item["Plan Rows"] // 10, 1) if item["Plan Rows"] else 0
    found = _usable(env, item, select)
    if found is not None and item["Plan Rows"] > 100:
        unique = found.unique
        rows = 1 if unique else max(item["Plan Rows"] // 100, 1)
        return {
            **item,
            "Node Type": "Index Scan",
            "Index Name": found.name,
            "Startup Cost": 0.28,
            "Total Cost": round(8.29 + rows * 0.02, 2),
            "Plan Rows": rows,
        } | _tests(step, [x for x in step.tested if found.keys[0] in equalities(x, item["Alias"])])
    return {
        **item,
        "Plan Rows": rows,
        "Total Cost": round(item["Total Cost"] + item["Plan Rows"] * 0.0025, 2),
    } | _tests(step, [])


def _tests(step: Any, by_index: list[Any]) -> Node:
    """What a scan tests: by its index, and on the rows that this finds."""
    rest = [x for x in step.tested if all(x is not y for y in by_index)]
    made = {"Index Cond": told(step.compiler, by_index, plain=True), "Filter": told(step.compiler, rest, plain=True)}
    return {name: text for name, text in made.items() if text}


def told(compiler: Any, nodes: list[Any], *, plain: bool = False) -> str:
    """Conditions as a plan shows them, those of joins with the tables' names. Empty for what cannot be shown."""
    if compiler is None or not nodes:
        return ""
    scope = compiler.scope
    before, scope.raw = scope.raw, True
    compiler.planned, compiler.qualified = True, len(scope.sources) > 1 and not plain
    try:
        texts = [deparse.show(node, compiler) for node in nodes]
    except SqlError:
        return ""
    finally:
        scope.raw, compiler.planned, compiler.qualified = before, False, False
    return texts[0] if len(texts) == 1 else f"({' AND '.join(texts)})"


def _key(node: Any, select: n.Select, steps: list[Any]) -> str:
    if isinstance(node, n.Const) and isinstance(node.value, int) and 0 < node.value <= len(select.targets):
        node = select.targets[node.value - 1][0]
    elif isinstance(node, n.Col) and len(node.parts) == 1:
        node = next((t for t, label in select.targets if label == node.parts[0]), node)
    return told(steps[0].compiler, [node]) if steps else ""


def _usable(env: Any, item: Node, select: n.Select | None) -> Any:
    relation = env.catalog.relation(item.get("Schema", ""), item.get("Relation Name", ""))
    if relation is None or select is None or select.where is None:
        return None
    named = set(equalities(select.where, item["Alias"]))
    return next((i for i in env.catalog.indexes(relation) if i.keys and i.keys[0] in named and not i.predicate), None)


def equalities(node: Any, alias: str) -> list[str]:
    """Columns that a condition compares with something, as an index on them would serve."""
    if isinstance(node, n.Logic) and node.op == "and":
        return [x for a in node.args for x in equalities(a, alias)]
    side = (
        node.left
        if isinstance(node, n.Op) and node.op in ("=", "<", ">", "<=", ">=")
        else node.arg
        if isinstance(node, (n.In, n.Between))
        else None
    )
    if isinstance(side, n.Col) and (len(side.parts) == 1 or side.parts[-2] == alias):
        return [side.parts[-1]]
    return []


def _join(left: Node, right: Node, kind: str, hashed: bool, condition: str = "") -> Node:
    names = {"left": "Left", "right": "Right", "full": "Full"}
    rows = max(left["Plan Rows"], right["Plan Rows"]) if hashed else left["Plan Rows"] * right["Plan Rows"]
    cost = (
        left["Total Cost"]
        + right["Total Cost"]
        + rows * 0.01
        + (right["Plan Rows"] * 0.01 if hashed else left["Plan Rows"] * right["Total Cost"] * 0.01)
    )
    width = left["Plan Width"] + right["Plan Width"]
    if hashed:
        right = {
            **_node("Hash", right["Total Cost"], right["Total Cost"], right["Plan Rows"], right["Plan Width"]),
            "Plans": [right],
        }
    return {
        **_node("Hash Join" if hashed else "Nested Loop", right["Startup Cost"], cost, rows, width),
        "Join Type": names.get(kind, "Inner"),
        **({"Hash Cond": condition} if hashed and condition else {}),
        "Plans": [left, right],
    }


def lines(node: Node, analyzed: bool, depth: int = 0, *, costs: bool = True) -> list[str]:
    kind = node["Node Type"]
    if kind == "ModifyTable":
        kind = f"{node['Operation']} on {node['Relation Name']}"
    elif "Join Type" in node:
        kind = kind if node["Join Type"] == "Inner" else f"{kind.removesuffix(' Join')} {node['Join Type']} Join"
    if node["Node Type"] in ("Seq Scan", "Index Scan"):
        using = f" using {node['Index Name']}" if "Index Name" in node else ""
        alias = f" {node['Alias']}" if node["Alias"] != node["Relation Name"] else ""
        kind += f"{using} on {node['Relation Name']}{alias}"
    elif "Function Name" in node:
        kind += f" on {node['Function Name']}"
    elif "CTE Name" in node:
        kind += f" on {node['CTE Name']}"
    actual = f" (actual rows={node['Actual Rows']} loops=1)" if analyzed and "Actual Rows" in node else ""
    cost = (
        f"cost={node['Startup Cost']:.2f}..{node['Total Cost']:.2f} rows={node['Plan Rows']} width={node['Plan Width']}"
    )
    head = f"{kind}{f'  ({cost})' if costs else ''}{actual}"
    out = [head if not depth else "  " * (depth * 3 - 2) + "->  " + head]
    pad = "  " * (1 + depth * 3)
    out += [f"{pad}{name}: {', '.join(node[name])}" for name in ("Sort Key", "Group Key") if name in node]
    out += [f"{pad}{name}: {node[name]}" for name in ("Hash Cond", "Index Cond", "Filter") if name in node]
    for child in node.get("Plans", []):
        out += lines(child, analyzed, depth + 1, costs=costs)
    return out
