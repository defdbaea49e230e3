"""Trainings: types, categories and employees' records. https://documentation.bamboohr.com/reference/training"""

from typing import Annotated, Any

from pydantic import BaseModel

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Reply

from ..app import app, done
from ..dates import need_day
from ..employees import the_employee
from ..errors import refuse
from ..models_more import TrainingCategory, TrainingRecord, TrainingType

Name = Annotated[str, Field(min_length=1, max_length=255)]
Text = Annotated[str, Field(max_length=4000)]
Count = Annotated[float, Field(ge=0, le=100_000)]


def _category(ctx: Ctx, key: int, status: int = 404) -> TrainingCategory:
    found = ctx.db.get(TrainingCategory, key)
    if found is None:
        raise refuse(status, "The training category does not exist")
    return found


def _type(ctx: Ctx, key: int, status: int = 404) -> TrainingType:
    found = ctx.db.get(TrainingType, key)
    if found is None:
        raise refuse(status, "The training type does not exist")
    return found


@app.get("/v1/training/category", tool="list_training_categories", mcp=False)
def list_training_categories(ctx: Ctx) -> Any:
    """Lists the categories of trainings by id."""
    return {str(c.id): {"id": c.id, "name": c.name} for c in ctx.db.find(TrainingCategory)}


def _name_free(ctx: Ctx, name: str, status: int, own: int = 0) -> None:
    if any(c.name.casefold() == name.casefold() and c.id != own for c in ctx.db.find(TrainingCategory)):
        raise refuse(status, "A training category with the same name already exists")


@app.post("/v1/training/category", tool="create_training_category", status=201, mcp=False)
def create_training_category(ctx: Ctx, name: Name) -> dict[str, Any]:
    """Makes a category of trainings.

    name: Its name.
    """
    _name_free(ctx, name, 400)
    made = ctx.db.add(TrainingCategory(id=ctx.sequence("training_category"), name=name))
    return {"id": made.id, "name": made.name}


@app.put("/v1/training/category/{trainingCategoryId}", tool="update_training_category", mcp=False)
def update_training_category(ctx: Ctx, trainingCategoryId: int, name: Name) -> dict[str, Any]:
    """Renames a category of trainings.

    trainingCategoryId: The category's id.
    name: Its new name.
    """
    row = _category(ctx, trainingCategoryId)
    _name_free(ctx, name, 409, row.id)
    ctx.db.update(row, name=name)
    return {"id": row.id, "name": row.name}


@app.delete("/v1/training/category/{trainingCategoryId}", tool="delete_training_category", mcp=False)
def delete_training_category(ctx: Ctx, trainingCategoryId: int) -> Reply:
    """Deletes a category; its trainings have none then.

    trainingCategoryId: The category's id.
    """
    row = _category(ctx, trainingCategoryId)
    for one in ctx.db.find(TrainingType, categoryId=row.id):
        ctx.db.update(one, categoryId=None)
    ctx.db.delete(row)
    return done(ctx)


class CategoryInput(BaseModel):
    """A category, by id or by name; an unknown name makes one."""

    id: int | MISSING = Field(default=MISSING, description="The category's id.")
    name: Name | MISSING = Field(default=MISSING, description="The category's name.")


def _category_of(ctx: Ctx, given: CategoryInput | int | str) -> int:
    if isinstance(given, int):
        return _category(ctx, given, 400).id
    if isinstance(given, CategoryInput) and isinstance(given.id, int):
        return _category(ctx, given.id, 400).id
    name = given if isinstance(given, str) else given.name
    if not isinstance(name, str) or not name.strip():
        raise refuse(400, "The category needs an id or a name")
    known = next((c for c in ctx.db.find(TrainingCategory) if c.name.casefold() == name.strip().casefold()), None)
    return (known or ctx.db.add(TrainingCategory(id=ctx.sequence("training_category"), name=name.strip()[:255]))).id


def _shown_type(ctx: Ctx, row: TrainingType) -> dict[str, Any]:
    category = ctx.db.get(TrainingCategory, row.categoryId) if row.categoryId else None
    body: dict[str, Any] = {"id": row.id, "name": row.name, "renewable": row.renewable}
    if row.frequency is not None:
        body["frequency"] = row.frequency
    if row.dueFromHireDate is not None:
        body["dueFromHireDate"] = row.dueFromHireDate
    return {
        **body,
        "required": row.required,
        "category": {"id": category.id, "name": category.name} if category else [],
        "linkUrl": row.linkUrl,
        "description": row.description,
        "allowEmployeesToMarkComplete": row.allowEmployeesToMarkComplete,
    }


def _checked(row: dict[str, Any]) -> None:
    if row.get("renewable") and not row.get("frequency"):
        raise refuse(400, "A renewable training needs a frequency")
    if row.get("frequency") and not row.get("renewable"):
        raise refuse(400, "A frequency is not valid for a training that is not renewable")
    if row.get("dueFromHireDate") is not None and not row.get("required"):
        raise refuse(400, "dueFromHireDate is not valid unless the training is required")


@app.get("/v1/training/type", tool="list_training_types")
def list_training_types(ctx: Ctx) -> Any:
    """Lists the trainings that employees can have, by id."""
    return {str(t.id): _shown_type(ctx, t) for t in ctx.db.find(TrainingType)}


@app.post("/v1/training/type", tool="create_training_type", status=201)
def create_training_type(
    ctx: Ctx, name: Name, required: bool | MISSING = MISSING, renewable: bool = False,
    frequency: Annotated[int, Field(ge=1, le=1200)] | MISSING = MISSING, category: CategoryInput | int | str | MISSING = MISSING,
    dueFromHireDate: Annotated[int, Field(ge=0, le=36_500)] | MISSING = MISSING, linkUrl: Text | MISSING = MISSING,
    description: Text | MISSING = MISSING, allowEmployeesToMarkComplete: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Makes a training that employees can have.

    name: Its name.
    required: Whether employees must have it.
    renewable: Whether it must be renewed.
    frequency: After how many months, where it must be renewed.
    category: Its category, by id or name.
    dueFromHireDate: Days after the hire date by which new employees must have it, where it is required.
    linkUrl: A link to it.
    description: More about it.
    allowEmployeesToMarkComplete: Whether employees may say themselves that they have had it.
    """
    row = {k: v for k, v in ctx.sent().items() if k != "category"}
    _checked(row)
    if category is not MISSING:
        row["categoryId"] = _category_of(ctx, category)  # pyright: ignore[reportArgumentType]
    made = ctx.db.add(TrainingType(id=ctx.sequence("training_type", start=11), **row))
    return _shown_type(ctx, made)


@app.put("/v1/training/type/{trainingTypeId}", tool="update_training_type", mcp=False)
def update_training_type(
    ctx: Ctx, trainingTypeId: int, name: Name | MISSING = MISSING, required: bool | MISSING = MISSING, renewable: bool | MISSING = MISSING,
    frequency: Annotated[int, Field(ge=1, le=1200)] | None | MISSING = MISSING, category: CategoryInput | int | str | MISSING = MISSING,
    dueFromHireDate: Annotated[int, Field(ge=0, le=36_500)] | None | MISSING = MISSING, linkUrl: Text | None | MISSING = MISSING,
    description: Text | None | MISSING = MISSING, allowEmployeesToMarkComplete: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a training.

    trainingTypeId: The training's id.
    name: Its name.
    required: Whether employees must have it.
    renewable: Whether it must be renewed.
    frequency: After how many months, where it must be renewed.
    category: Its category, by id or name.
    dueFromHireDate: Days after the hire date by which new employees must have it, where it is required.
    linkUrl: A link to it.
    description: More about it.
    allowEmployeesToMarkComplete: Whether employees may say themselves that they have had it.
    """
    row = _type(ctx, trainingTypeId)
    changes = {k: v for k, v in ctx.sent().items() if k != "category"}
    if changes.get("renewable") is False:
        changes.setdefault("frequency", None)
    if changes.get("required") is False:
        changes.setdefault("dueFromHireDate", None)
    _checked({**row.__dict__, **changes})
    if category is not MISSING:
        changes["categoryId"] = _category_of(ctx, category)  # pyright: ignore[reportArgumentType]
    ctx.db.update(row, **changes)
    return _shown_type(ctx, row)


@app.delete("/v1/training/type/{trainingTypeId}", tool="delete_training_type", mcp=False)
def delete_training_type(ctx: Ctx, trainingTypeId: int) -> Reply:
    """Deletes a training of which no employee has a record.

    trainingTypeId: The training's id.
    """
    row = _type(ctx, trainingTypeId)
    if ctx.db.count(TrainingRecord, type=row.id):
        raise refuse(400, "The training type has employee trainings, which must be removed first")
    ctx.db.delete(row)
    return done(ctx)


class CostInput(BaseModel):
    """What a training cost."""

    currency: str = Field(pattern=r"^[A-Z]{3}$", description="ISO 4217 code of the currency.")
    amount: str = Field(pattern=r"^[0-9]{1,12}(\.[0-9]{1,4})?$", description="The amount as a decimal.")


Cost = Annotated[CostInput | MISSING, Body()]


def _shown(row: TrainingRecord) -> dict[str, Any]:
    return {
        "id": row.id, "employeeId": str(row.employeeId), "completed": row.completed, "notes": row.notes, "instructor": row.instructor,
        "credits": None if row.credits is None else f"{row.credits:g}", "hours": None if row.hours is None else f"{row.hours:g}",
        "cost": None if row.cost is None else f"{row.cost:.2f} {row.costCurrency}", "type": row.type,
    }  # fmt: skip


def _columns(given: dict[str, Any]) -> dict[str, Any]:
    need_day(given["completed"], "completed")
    cost = given.pop("cost", None)
    if isinstance(cost, CostInput):
        given |= {"cost": float(cost.amount), "costCurrency": cost.currency}
    return given


@app.get("/v1/training/record/employee/{employeeId}", tool="list_employee_trainings")
def list_employee_trainings(
    ctx: Ctx, employeeId: Annotated[str, Field(max_length=20)], type: int | MISSING = MISSING
) -> Any:
    """Lists the trainings that an employee has had, by id.

    employeeId: The employee's id.
    type: Only those of this training.
    """
    employee = the_employee(ctx, employeeId)
    rows = ctx.db.find(TrainingRecord, employeeId=employee.id, type=type if isinstance(type, int) else None)
    return {str(r.id): _shown(r) for r in rows} if rows else []


@app.post("/v1/training/record/employee/{employeeId}", tool="create_employee_training_record", status=201)
def create_employee_training_record(
    ctx: Ctx, employeeId: Annotated[str, Field(max_length=20)], type: int, completed: str, notes: Text | MISSING = MISSING,
    instructor: Text | MISSING = MISSING, hours: Count | MISSING = MISSING, credits: Count | MISSING = MISSING, cost: Cost = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Records that an employee has had a training.

    employeeId: The employee's id.
    type: The training's id, as list_training_types shows it.
    completed: The day on which it was completed, YYYY-MM-DD.
    notes: Notes about it.
    instructor: Who gave it.
    hours: How many hours it took.
    credits: How many credits it gave.
    cost: What it cost.
    """
    employee = the_employee(ctx, employeeId)
    kind = _type(ctx, type, 400)
    columns = _columns(
        {k: v for k, v in ctx.sent().items() if k != "type"} | ({"cost": cost} if cost is not MISSING else {})
    )
    made = ctx.db.add(
        TrainingRecord(id=ctx.sequence("training_record", start=61), employeeId=employee.id, type=kind.id, **columns)
    )
    return _shown(made)


def _record(ctx: Ctx, key: int) -> TrainingRecord:
    found = ctx.db.get(TrainingRecord, key)
    if found is None:
        raise refuse(404, "The training record does not exist")
    return found


@app.put(
    "/v1/training/record/{employeeTrainingRecordId}", tool="update_employee_training_record", mcp=False, status=201
)
def update_employee_training_record(
    ctx: Ctx, employeeTrainingRecordId: int, completed: str, notes: Text | MISSING = MISSING, instructor: Text | MISSING = MISSING,
    hours: Count | MISSING = MISSING, credits: Count | MISSING = MISSING, cost: Cost = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the record of a training.

    employeeTrainingRecordId: The record's id.
    completed: The day on which it was completed, YYYY-MM-DD.
    notes: Notes about it.
    instructor: Who gave it.
    hours: How many hours it took.
    credits: How many credits it gave.
    cost: What it cost.
    """
    row = _record(ctx, employeeTrainingRecordId)
    ctx.db.update(row, **_columns(ctx.sent() | ({"cost": cost} if cost is not MISSING else {})))
    return _shown(row)


@app.delete("/v1/training/record/{employeeTrainingRecordId}", tool="delete_employee_training_record", mcp=False)
def delete_employee_training_record(ctx: Ctx, employeeTrainingRecordId: int) -> Reply:
    """Deletes the record of a training.

    employeeTrainingRecordId: The record's id.
    """
    ctx.db.delete(_record(ctx, employeeTrainingRecordId))
    return done(ctx, id=employeeTrainingRecordId)
