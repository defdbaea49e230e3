"""Lists: who is in them. The filters of dynamic lists are branches of property filters, translated to SQL like searches."""

from collections.abc import Mapping
from typing import Any

from legoenv_mcp.app import Ctx

from . import errors, records
from .app import fold
from .fields import Definition
from .kinds import Kind, resolve
from .models import CrmObject, CustomObject, Membership, ObjectList
from .properties import definitions
from .search import Query

_COMPARE = {
    "IS_GREATER_THAN": ">", "IS_GREATER_THAN_OR_EQUAL_TO": ">=", "IS_LESS_THAN": "<", "IS_LESS_THAN_OR_EQUAL_TO": "<=",
    "IS_AFTER": ">", "IS_BEFORE": "<",
}  # fmt: skip
MAX_DEPTH = 6


def _unsupported(what: str, name: object) -> Exception:
    return errors.bad_request(
        f"{what} {name} is not supported", errors=[{"message": f"unsupported {what}", "in": "filterBranch"}]
    )


def condition(query: Query, branch: Mapping[str, Any], depth: int = 0) -> str:
    """A filter branch as SQL; whatever it cannot say is refused by name."""
    if depth > MAX_DEPTH or not isinstance(branch, Mapping):
        raise errors.bad_request("The filter branch is nested too deep or no object")
    kind = branch.get("filterBranchType")
    if kind not in ("OR", "AND"):
        raise _unsupported("Filter branch type", kind)
    inner, filters = branch.get("filterBranches") or [], branch.get("filters") or []
    if not isinstance(inner, list) or not isinstance(filters, list):
        raise errors.bad_request("filterBranches and filters must be lists")
    parts = [condition(query, b, depth + 1) for b in inner] + [_filter(query, f) for f in filters]
    if not parts:
        return "0" if kind == "OR" else "1"
    return "(" + f" {kind} ".join(parts) + ")"


def _filter(query: Query, given: Any) -> str:
    if not isinstance(given, Mapping) or given.get("filterType") != "PROPERTY":
        raise _unsupported("Filter type", given.get("filterType") if isinstance(given, Mapping) else given)
    name, operation = given.get("property"), given.get("operation")
    d = query.known.get(name) if isinstance(name, str) else None
    if d is None:
        raise errors.bad_request(
            f"Property {name} does not exist", errors=[{"message": "no such property", "in": "filterBranch"}]
        )
    if not isinstance(operation, Mapping):
        raise errors.bad_request(
            "A property filter needs an operation", errors=[{"message": "required", "in": "operation"}]
        )
    found = _operation(query, d, operation)
    if operation.get("includeObjectsWithNoValueSet") and operation.get("operator") not in ("IS_KNOWN", "IS_UNKNOWN"):
        found = f"({found} OR {records.column(query.kind, d.name)} IS NULL)"
    return found


def _operation(query: Query, d: Definition, operation: Mapping[str, Any]) -> str:
    place, operator = records.column(query.kind, d.name), operation.get("operator")
    side = query.side(d, place)
    if operator == "IS_KNOWN":
        return f"{place} IS NOT NULL"
    if operator == "IS_UNKNOWN":
        return f"{place} IS NULL"
    given = operation.get("values") if "values" in operation else operation.get("value", operation.get("timestamp"))
    several = [g for g in (given if isinstance(given, list) else [given]) if isinstance(g, (str, int, float, bool))]
    if operator == "IS_BETWEEN":
        low, high = operation.get("lowerBound"), operation.get("upperBound")
        if low is None or high is None:
            raise errors.bad_request("IS_BETWEEN needs lowerBound and upperBound")
        return f"{side} BETWEEN {query.bind(query.operand(d, low))} AND {query.bind(query.operand(d, high))}"
    if not several:
        raise errors.bad_request(
            f"The operator {operator} needs a value", errors=[{"message": "required", "in": "operation.value"}]
        )
    if operator in ("IS_ANY_OF", "IS_NONE_OF", "IS_EQUAL_TO", "IS_NOT_EQUAL_TO", "IS_EXACTLY"):
        if d.multiple:
            one = " OR ".join(f"instr(';' || {place} || ';', ';' || {query.bind(str(v))} || ';') > 0" for v in several)
        else:
            one = f"{side} IN ({', '.join(query.bind(query.operand(d, v)) for v in several)})"
        return f"NOT coalesce({one}, 0)" if operator in ("IS_NONE_OF", "IS_NOT_EQUAL_TO") else f"({one})"
    if operator in _COMPARE:
        return f"{side} {_COMPARE[operator]} {query.bind(query.operand(d, several[0]))}"
    text = [fold(str(v)) for v in several]
    if operator in ("CONTAINS", "DOES_NOT_CONTAIN"):
        one = " OR ".join(f"instr(fold({place}), {query.bind(t)}) > 0" for t in text)
        return f"({one})" if operator == "CONTAINS" else f"NOT coalesce({one}, 0)"
    if operator == "STARTS_WITH":
        return "(" + " OR ".join(f"substr(fold({place}), 1, {len(t)}) = {query.bind(t)}" for t in text) + ")"
    if operator == "ENDS_WITH":
        return "(" + " OR ".join(f"substr(fold({place}), -{max(len(t), 1)}) = {query.bind(t)}" for t in text) + ")"
    raise _unsupported("Operator", operator)


def kind_of(ctx: Ctx, row: ObjectList) -> Kind:
    return resolve(ctx, row.object_type)


def matching(ctx: Ctx, kind: Kind, branch: Mapping[str, Any] | None) -> list[CrmObject]:
    """The live records that a filter branch is about."""
    query = Query(ctx, kind, definitions(ctx, kind))
    where = "NOT archived"
    if kind.cls is CustomObject:
        where += f" AND object_type = {query.bind(kind.name)}"
    if branch is not None:
        where += f" AND {condition(query, branch)}"
    return ctx.db.where(kind.cls, where, query.values)


def members(ctx: Ctx, row: ObjectList) -> list[tuple[str, str]]:
    """The records in a list with the times they joined, by id."""
    kind = kind_of(ctx, row)
    if row.processing_type == "DYNAMIC":
        return [(r.id, max(r.created_at, row.created_at)) for r in matching(ctx, kind, row.filter_branch)]
    joined = {m.record_id: m.joined_at for m in ctx.db.find(Membership, list_id=row.id)}
    live = ctx.db.find(kind.cls, id__in=list(joined), archived=False) if joined else []
    return [(r.id, joined[r.id]) for r in live]
