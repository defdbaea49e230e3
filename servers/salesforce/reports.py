"""Reports: a saved query with groups and totals, run as the Analytics API runs it. https://developer.salesforce.com/docs/atlas.en-us.api_analytics.meta"""

from typing import Any

from legoenv_mcp.app import Ctx

from . import errors, metadata
from .metadata import FieldInfo, SObjectType
from .soql.run import Run
from .soql.syntax import At, Call, Compare, Literal, Logic, Ordering, Path, Query, Selected

_OPERATORS = {
    "equals": "=", "notEqual": "!=", "lessThan": "<", "greaterThan": ">", "lessOrEqual": "<=", "greaterOrEqual": ">=", "contains": "like",
    "notContain": "unlike", "startsWith": "starts",
}  # fmt: skip
MAX_DETAILS = 2000

STANDARD: dict[str, dict[str, Any]] = {
    "Open Opportunities by Stage": {
        "format": "Summary", "type": "Opportunity", "description": "Pipeline: every open opportunity, by stage.",
        "groupings": ["StageName"],
        "columns": ["Name", "Account.Name", "Owner.Name", "CloseDate", "Amount"], "sums": ["Amount"], "filters": [["IsClosed", "equals",
        "false"]],
    },
    "Won Opportunities by Owner": {
        "format": "Summary", "type": "Opportunity", "description": "Closed won, by owner.", "groupings": ["Owner.Name"],
        "columns": ["Name", "Account.Name", "CloseDate", "Amount"], "sums": ["Amount"], "filters": [["IsWon", "equals", "true"]],
    },
    "Accounts by Type": {
        "format": "Summary", "type": "Account", "description": "All accounts, by type.", "groupings": ["Type"],
        "columns": ["Name", "Industry", "Owner.Name", "BillingCountry"], "sums": [], "filters": [],
    },
    "Leads by Status": {
        "format": "Summary", "type": "Lead", "description": "Leads that are not converted, by status.", "groupings": ["Status"],
        "columns": ["Name", "Company", "Email", "LeadSource"], "sums": [], "filters": [["IsConverted", "equals", "false"]],
    },
    "Open Cases by Priority": {
        "format": "Summary", "type": "Case", "description": "Cases that are not closed, by priority.", "groupings": ["Priority"],
        "columns": ["CaseNumber", "Subject", "Account.Name", "Status"], "sums": [], "filters": [["IsClosed", "equals", "false"]],
    },
    "Contacts and Accounts": {
        "format": "Tabular", "type": "Contact", "description": "All contacts with their accounts.", "groupings": [],
        "columns": ["Name", "Title", "Email", "Account.Name"], "sums": [], "filters": [],
    },
}  # fmt: skip
"""Report name -> its definition. Columns are field paths of its type."""


def column_field(kind: SObjectType, path: str) -> FieldInfo:
    """The field a column shows; INVALID_FIELD where the path leads nowhere."""
    *relations, name = path.split(".")
    for relation in relations:
        link = kind.relations.get(relation.lower())
        if link is None:
            raise errors.no_column(path, kind.name)
        kind = metadata.TYPES[link.spec.to[-1].lower()]
    info = kind.field(name)
    if info is None or info.parts:
        raise errors.no_column(path, kind.name)
    return info


def describe(row_id: str, name: str, developer_name: str, definition: dict[str, Any]) -> dict[str, Any]:
    """A report's metadata and what its columns are."""
    kind = metadata.TYPES[definition["type"].lower()]
    columns, groups = definition["columns"], definition["groupings"]
    aggregates = [*(f"s!{s}" for s in definition["sums"]), "RowCount"]
    return {
        "reportMetadata": {
            "id": row_id, "name": name, "developerName": developer_name, "description": definition["description"], "currency": None,
            "reportFormat": definition["format"].upper(), "reportType": {"type": definition["type"], "label": kind.cls.plural},
            "detailColumns": columns, "aggregates": aggregates, "groupingsAcross": [],
            "groupingsDown": [{"name": g, "sortOrder": "Asc", "dateGranularity": "None", "sortAggregate": None} for g in groups],
            "reportFilters": [{"column": c, "operator": o, "value": v, "isRunPageEditable": True} for c, o, v in definition["filters"]],
            "reportBooleanFilter": None, "hasDetailRows": True, "hasRecordCount": True, "scope": "organization",
        },
        "reportExtendedMetadata": {
            "detailColumnInfo": {c: {"label": column_field(kind, c).spec.label, "dataType": column_field(kind, c).type} for c in columns},
            "groupingColumnInfo": {
                g: {"label": column_field(kind, g).spec.label, "dataType": column_field(kind, g).type, "groupingLevel": i}
                for i, g in enumerate(groups)
            },
            "aggregateColumnInfo": {
                a: {"label": "Record Count" if a == "RowCount" else f"Sum of {column_field(kind, a[2:]).spec.label}",
                "dataType": "int" if a == "RowCount" else "currency"}
                for a in aggregates
            },
        },
    }  # fmt: skip


def _filter(kind: SObjectType, column: str, operator: str, value: Any) -> Any:
    info = column_field(kind, column)
    if operator not in _OPERATORS:
        raise errors.refusal("BAD_REQUEST", f"The filter operator {operator} is not supported", listed=False)
    path = Path(tuple(column.split(".")), At())
    op = _OPERATORS[operator]
    if op in ("like", "unlike", "starts"):
        escaped = str(value).replace("\\", "\\\\").replace("'", "\\'").replace("%", "\\%").replace("_", "\\_")
        compare = Compare(path, "like", Literal("string", f"'{'' if op == 'starts' else '%'}{escaped}%'", At()))
        return Logic("not", (compare,)) if op == "unlike" else compare
    return Compare(path, op, _literal(info, value))


def _literal(info: FieldInfo, value: Any) -> Literal:
    """A filter's text value in the field's type."""
    text = "" if value is None else str(value)
    if text == "":
        return Literal("null", None, At())
    if info.type == "boolean":
        return Literal("boolean", text.lower() in ("true", "1"), At())
    if info.type in metadata.NUMERIC:
        try:
            return Literal("number", float(text), At())
        except ValueError:
            raise errors.refusal("BAD_REQUEST", f"The filter value {text} is not a number", listed=False) from None
    if info.type in ("date", "datetime"):
        return Literal(info.type, text, At())
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return Literal("string", f"'{quoted}'", At())


def _cell(value: Any) -> dict[str, Any]:
    return {
        "value": value,
        "label": "-" if value is None else f"{value:,.2f}" if isinstance(value, float) else str(value),
    }


def _at(record: dict[str, Any], path: str) -> Any:
    value: Any = record
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def run(ctx: Ctx, described: dict[str, Any], *, details: bool) -> dict[str, Any]:
    """Runs a report by its metadata: groups, totals, and where asked the rows."""
    meta = described["reportMetadata"]
    kind = metadata.TYPES[meta["reportType"]["type"].lower()]
    groups = [g["name"] for g in meta["groupingsDown"]]
    columns = meta["detailColumns"]
    sums = [a[2:] for a in meta["aggregates"] if a.startswith("s!")]
    paths = list(dict.fromkeys([*groups, *columns, *sums]))
    for path in paths:
        column_field(kind, path)
    conditions = [_filter(kind, f["column"], f["operator"], f["value"]) for f in meta["reportFilters"]]
    order = tuple(Ordering(Path(tuple(g.split(".")), At())) for g in groups)
    items = (
        *(Selected(Path(tuple(p.split(".")), At())) for p in paths),
        *(Selected(Call("CONVERTCURRENCY", (Path((s,), At()),), At()), f"sum of {s}") for s in sums),
    )
    query = Query(kind.name, At(), items, where=Logic("and", tuple(conditions)) if conditions else None, order=order)
    _, found = Run(ctx, "").records(query)
    buckets = dict[str, list[dict[str, Any]]]()
    labels = list[Any]()
    for record in found:
        value = _at(record, groups[0]) if groups else None
        if groups and value not in labels:
            labels.append(value)
        buckets.setdefault(f"{labels.index(value)}!T" if groups else "T!T", []).append(record)
    if groups:
        buckets["T!T"] = found

    def fact(key: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
        totals = [_cell(round(sum(r[f"sum of {s}"] or 0 for r in rows), 2)) for s in sums]
        made: dict[str, Any] = {"aggregates": [*totals, _cell(len(rows))]}
        shown = rows if details and (key != "T!T" or not groups) else []
        made["rows"] = [{"dataCells": [_cell(_at(r, c)) for c in columns]} for r in shown[:MAX_DETAILS]]
        return made

    return {
        "attributes": {"reportId": meta["id"], "reportName": meta["name"], "type": "Report"}, "allData": len(found) <= MAX_DETAILS,
        "factMap": {key: fact(key, rows) for key, rows in buckets.items()} or {"T!T": fact("T!T", [])},
        "groupingsAcross": {"groupings": []},
        "groupingsDown": {
            "groupings": [
                {"key": str(i), "label": "-" if v is None else str(v), "value": v, "groupings": []} for i, v in enumerate(labels)
            ]
        },
        "hasDetailRows": details, **described,
    }  # fmt: skip
