"""Datasets: employees' fields queried with filters, sorts and pages. https://documentation.bamboohr.com/reference/datasets"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field

from ..app import app
from ..employees import value
from ..errors import problem
from ..fields import FIELDS, FieldSpec, field_of
from ..models import Employee, ListOption
from ..odata import BadFilter, parse, plain
from ..reports import paged
from ..tables import Current

DATASETS = {"employee": "Employee"}
_PAGES = {
    "jobInfo": "Job",
    "compensation": "Compensation",
    "employmentStatus": "Job",
    "bonus": "Compensation",
    "commission": "Compensation",
}
Names = Annotated[list[str], Field(min_length=1, max_length=400)]


def _known(name: str, status: int) -> None:
    if name not in DATASETS:
        title = "Not Found" if status == 404 else "Unprocessable Entity"
        raise problem(status, title, f"The dataset {name[:60]} does not exist", "DATASET_NOT_FOUND")


def _field(name: str) -> FieldSpec:
    spec = field_of(name)
    if spec is None:
        raise problem(
            422, "Unprocessable Entity", f"The field {name[:60]} does not exist in this dataset", "INVALID_FIELD"
        )
    return spec


@app.get("/v1_2/datasets", tool="list_datasets", mcp=False)
def list_datasets(ctx: Ctx) -> dict[str, Any]:
    """Lists the datasets that can be queried."""
    return {"datasets": [{"name": name, "label": label} for name, label in DATASETS.items()]}


@app.get("/v1_2/datasets/{datasetName}/fields", tool="get_fields_from_dataset")
def get_fields_from_dataset(
    ctx: Ctx, datasetName: str, page: int | MISSING = MISSING, page_size: int | MISSING = MISSING
) -> dict[str, Any]:
    """Lists the fields of a dataset.

    datasetName: The dataset's name, such as `employee`.
    page: The page's number, from 1.
    page_size: How many fields a page has, at most 1000.
    """
    _known(datasetName, 422)
    rows, pagination = paged(ctx, list(FIELDS.values()), page, page_size, f"datasets/{datasetName}/fields", 500)
    fields = [
        {"name": f.alias, "label": f.name, "parentType": "table" if _table(f) else "page", "parentName": _PAGES.get(_table(f), "Personal"),
         "entityName": _table(f) or "personal"}
        for f in rows
    ]  # fmt: skip
    return {"pagination": pagination, "name": datasetName, "label": DATASETS[datasetName], "fields": fields}


def _table(spec: FieldSpec) -> str:
    return spec.source.partition(".")[0] if "." in spec.source else ""


@app.post("/v1_2/datasets/{datasetName}/field-options", tool="get_field_options", mcp=False, effect="read")
def get_field_options(ctx: Ctx, datasetName: str, fields: Names) -> dict[str, Any]:
    """Lists the values that fields of a dataset can be filtered by.

    datasetName: The dataset's name, such as `employee`.
    fields: The fields' names.
    """
    _known(datasetName, 422)
    now, found = Current(ctx), dict[str, Any]()
    for name in fields:
        spec = _field(name)
        if spec.list:
            options = ctx.db.find(ListOption, fieldId=spec.list, archived=False)
            found[name] = [{"id": o.id, "value": o.name} for o in options]
        else:
            values = {str(v) for e in ctx.db.find(Employee) if (v := value(now, e, spec)) is not None}
            found[name] = [{"id": v, "value": v} for v in sorted(values)]
    return found


@app.post("/v2/datasets/{datasetName}/data", tool="get_data_from_dataset", effect="read")
def get_data_from_dataset(
    ctx: Ctx, datasetName: str, fields: Names, filter: Annotated[str | None, Field(max_length=4000)] = None,
    orderBy: Annotated[str | None, Field(max_length=1000)] = None, page: Annotated[int, Field(ge=1, le=100_000)] = 1,
    pageSize: Annotated[int, Field(ge=1, le=1000)] = 100,
) -> dict[str, Any]:  # fmt: skip
    """Queries employees: the fields of those that a filter lets through, sorted, page by page. The way to count or compare employees.

    datasetName: The dataset's name, such as `employee`.
    fields: The fields to show, as get_fields_from_dataset names them.
    filter: An expression such as `status eq 'Active' and department in ('Finance', 'Legal') and hireDate ge '2025-01-01'`, with eq, ne,
      lt, le, gt, ge, in, and, or, not and parentheses.
    orderBy: Fields to sort by, each with asc or desc, separated by commas: `lastName asc`. They must be among the fields.
    page: The page's number, from 1.
    pageSize: How many records a page has, at most 1000.
    """
    _known(datasetName, 404)
    specs = {name: _field(name) for name in fields}
    now, rows = Current(ctx), ctx.db.find(Employee)
    if filter and filter.strip():
        try:
            test, names = parse(filter)
        except BadFilter as error:
            raise problem(422, "Unprocessable Entity", str(error), "INVALID_FILTER") from None
        known = {name: _field(name) for name in names}
        rows = [e for e in rows if test(lambda name, e=e: value(now, e, known[name]))]
    for name, down in reversed(_rules(orderBy or "", list(specs))):
        rows.sort(key=lambda e, spec=specs[name]: _key(value(now, e, spec)), reverse=down)
    pages = max(1, -(-len(rows) // pageSize))
    shown = rows[(page - 1) * pageSize : page * pageSize]
    path = f"{ctx.request.base}/v2/datasets/{datasetName}/data"
    links = {
        "next": f"{path}?page={page + 1}" if page < pages else None,
        "prev": f"{path}?page={page - 1}" if page > 1 else None,
    }
    return {
        "data": [{"fields": {name: value(now, e, spec) for name, spec in specs.items()}} for e in shown], "links": links,
        "meta": {"page": page, "pageSize": pageSize, "totalPages": pages, "totalItems": len(rows)},
    }  # fmt: skip


def _rules(text: str, fields: list[str]) -> list[tuple[str, bool]]:
    found = list[tuple[str, bool]]()
    for rule in _filled(text.split(",")):
        name, _, way = rule.partition(" ")
        way = way.strip().lower() or "asc"
        if name not in fields or way not in ("asc", "desc"):
            raise _bad_sort(rule)
        found.append((name, way == "desc"))
    return found


def _filled(parts: list[str]) -> list[str]:
    return [part.strip() for part in parts if part.strip()]


def _bad_sort(rule: str) -> ApiError:
    why = f"Cannot sort by {rule[:60]}: a rule is one of the requested fields, then asc or desc"
    return problem(422, "Unprocessable Entity", why, "INVALID_ORDER_BY")


def _key(value: Any) -> tuple[int, float, str]:
    """Nothing first, then numbers and amounts, then text."""
    found = plain(value)
    return (0, 0, "") if found is None else (2, 0, found) if isinstance(found, str) else (1, found, "")
