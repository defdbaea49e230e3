"""Files of employees and of the company. https://documentation.bamboohr.com/reference/employee-files-1"""

import base64
import mimetypes
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Payload, Reply, ToolOnly

from .. import xml
from ..app import Accept, app, done, located
from ..dates import stamp
from ..employees import agent_user, name_of, the_employee
from ..errors import refuse
from ..models import Employee, File, FileCategory, User

EmployeeId = Annotated[str, Field(max_length=20)]
Name = Annotated[str, Field(min_length=1, max_length=255)]
YesNo = Literal["yes", "no"]
Upload = Annotated[Any, Body("file", mcp=False)]
Content = Annotated[str | MISSING, ToolOnly()]
LARGEST = 20 * 1024 * 1024
_TYPES = frozenset({
    "pdf", "doc", "docx", "odt", "rtf", "txt", "csv", "xls", "xlsx", "ods", "ppt", "pptx", "odp", "jpg", "jpeg", "png", "gif", "bmp",
    "tif", "tiff", "heic", "svg", "webp", "zip", "mp3", "mp4", "mov", "html", "htm", "xml", "json", "md", "msg", "eml",
})  # fmt: skip
Owner = Literal["employee", "company"]


def _flag(yes: bool) -> str:
    return "yes" if yes else "no"


def _category(ctx: Ctx, key: int, owner: Owner) -> FileCategory:
    found = ctx.db.get(FileCategory, key)
    if found is None or found.owner != owner:
        raise refuse(404, "The file category was not found")
    return found


def _file(ctx: Ctx, key: int, employee: int | None) -> File:
    found = ctx.db.get(File, key)
    if found is None or found.employeeId != employee:
        raise refuse(404, "The file was not found")
    return found


def _author(ctx: Ctx, user: int | None) -> str:
    found = ctx.db.get(User, user) if user else None
    return name_of(ctx.db.get(Employee, found.employeeId) if found and found.employeeId else None) or ""


def _shown(ctx: Ctx, file: File) -> dict[str, Any]:
    base = {
        "id": file.id, "name": file.name, "originalFileName": file.originalFileName, "size": file.size,
        "dateCreated": ctx.parse_time(file.dateCreated).strftime("%Y-%m-%dT%H:%M:%S+0000"), "createdBy": _author(ctx, file.createdBy),
    }  # fmt: skip
    if file.employeeId is None:
        return {
            **base,
            "size": str(file.size),
            "shareWithEmployees": _flag(file.share),
            "canRenameFile": "yes",
            "canDeleteFile": "yes",
        }
    return {
        **base, "shareWithEmployee": _flag(file.share), "canRenameFile": "yes", "canDeleteFile": "yes",
        "canChangeShareWithEmployeeFieldValue": "yes",
    }  # fmt: skip


def _categories(ctx: Ctx, owner: Owner, employee: int | None) -> list[dict[str, Any]]:
    files = [f for f in ctx.db.find(File) if f.employeeId == employee]
    more = {"canRenameCategory": "yes", "canDeleteCategory": "yes"} if owner == "employee" else {}
    last = {"displayIfEmpty": "yes"} if owner == "employee" else {}
    return [
        {
            "id": c.id, "name": c.name, **more, "canUploadFiles": "yes", **last,
            "files": [_shown(ctx, f) for f in files if f.categoryId == c.id],
        }
        for c in ctx.db.find(FileCategory, owner=owner)
    ]  # fmt: skip


@app.get("/v1/employees/{id}/files/view", tool="list_employee_files")
def list_employee_files(ctx: Ctx, id: EmployeeId, accept: Accept = MISSING) -> dict[str, Any]:
    """Lists an employee's file categories and the files in them, without their content.

    id: The employee's id.
    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    employee = the_employee(ctx, id)
    return {"employee": {"id": employee.id}, "categories": _categories(ctx, "employee", employee.id)}


@app.get("/v1/files/view", tool="list_company_files")
def list_company_files(ctx: Ctx, accept: Accept = MISSING) -> dict[str, Any]:
    """Lists the company's file categories and the files in them, without their content.

    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    return {"categories": _categories(ctx, "company", None)}


def _download(file: File) -> Reply:
    content = base64.b64decode(file.content)
    name = file.originalFileName.encode("ascii", "replace").decode().replace('"', "'")
    return Reply(content, headers={"Content-Disposition": f'attachment; filename="{name}"'}, media_type=file.type)


@app.get("/v1/employees/{id}/files/{fileId}", tool="get_employee_file")
def get_employee_file(ctx: Ctx, id: EmployeeId, fileId: int) -> Reply:
    """Gets the content of an employee's file.

    id: The employee's id.
    fileId: The file's id, as list_employee_files shows it.
    """
    return _download(_file(ctx, fileId, the_employee(ctx, id).id))


@app.get("/v1/files/{fileId}", tool="get_company_file")
def get_company_file(ctx: Ctx, fileId: int) -> Reply:
    """Gets the content of a company file.

    fileId: The file's id, as list_company_files shows it.
    """
    return _download(_file(ctx, fileId, None))


def _content(file: Any, text: Any, name: str) -> tuple[str, str, bytes]:
    """What is uploaded: a form's file, or a tool's text. Its name, type and bytes."""
    if isinstance(text, str):
        kind = mimetypes.guess_type(name)[0] or "text/plain"
        return name if "." in name else f"{name}.txt", kind, text.encode()
    if not isinstance(file, Mapping):
        raise refuse(400, "The file is missing")
    sent = cast("Mapping[str, Any]", file)
    content = sent.get("content")
    if not isinstance(content, bytes):
        raise refuse(400, "The file is missing")
    original = str(sent.get("filename") or name)
    kind = str(sent.get("content_type") or "") or mimetypes.guess_type(original)[0] or "application/octet-stream"
    return original, kind, content


def _upload(
    ctx: Ctx, employee: Employee | None, fileName: str, category: int, share: str, file: Any, content: Any
) -> Reply:
    name = fileName.strip()
    if not name:
        raise refuse(400, "The file name is missing")
    section = _category(ctx, category, "company" if employee is None else "employee")
    original, kind, data = _content(file, content, name)
    if not data:
        raise refuse(400, "The file is empty")
    if len(data) > LARGEST:
        raise refuse(413, "The file exceeds the limit of 20 MB")
    extension = original.rpartition(".")[2].lower()
    if extension not in _TYPES:
        raise refuse(400, f"The file extension {extension[:20]} is not supported")
    made = ctx.db.add(
        File(
            id=ctx.sequence("file", start=701), employeeId=employee.id if employee else None, categoryId=section.id, name=name,
            originalFileName=original[:255], type=kind[:100], size=len(data), content=base64.b64encode(data).decode(), share=share == "yes",
            dateCreated=stamp(ctx), createdBy=agent_user(ctx),
        )
    )  # fmt: skip
    where = f"employees/{employee.id}/files/{made.id}" if employee else f"files/{made.id}"
    return done(ctx, 201, located(ctx, where), id=made.id)


@app.post("/v1/employees/{id}/files", tool="upload_employee_file", status=201)
def upload_employee_file(
    ctx: Ctx,
    id: EmployeeId,
    fileName: Name,
    category: int,
    share: YesNo = "no",
    file: Upload = MISSING,
    content: Content = MISSING,
) -> Reply:
    """Uploads a file to a category of an employee's files. Answers the file's id.

    id: The employee's id.
    fileName: The file's name, with its extension.
    category: The category's id, as list_employee_files shows it.
    share: yes to let the employee see it.
    file: The file itself, of a multipart form.
    content: The file's text.
    """
    return _upload(ctx, the_employee(ctx, id), fileName, category, share, file, content)


@app.post("/v1/files", tool="upload_company_file", status=201)
def upload_company_file(
    ctx: Ctx, fileName: Name, category: int, share: YesNo = "no", file: Upload = MISSING, content: Content = MISSING
) -> Reply:
    """Uploads a file to a category of the company's files. Answers the file's id.

    fileName: The file's name, with its extension.
    category: The category's id, as list_company_files shows it.
    share: yes to let all employees see it.
    file: The file itself, of a multipart form.
    content: The file's text.
    """
    return _upload(ctx, None, fileName, category, share, file, content)


def _change(ctx: Ctx, file: File, owner: Owner, name: Any, category: Any, share: Any) -> Reply:
    changes: dict[str, Any] = {}
    if isinstance(name, str):
        changes["name"] = name
    if isinstance(category, (int, str)):
        said = str(category)
        changes["categoryId"] = _category(
            ctx, int(said) if said.isascii() and said.isdigit() and len(said) < 19 else 0, owner
        ).id
    if isinstance(share, str):
        changes["share"] = share == "yes"
    if not changes:
        raise refuse(400, "No fields were given")
    ctx.db.update(file, **changes)
    return done(ctx, id=file.id)


@app.post("/v1/employees/{id}/files/{fileId}", tool="update_employee_file", mcp=False, effect="update")
def update_employee_file(
    ctx: Ctx, id: EmployeeId, fileId: int, name: Name | MISSING = MISSING, categoryId: int | MISSING = MISSING,
    shareWithEmployee: YesNo | MISSING = MISSING, shareWithEmployees: Annotated[YesNo | MISSING, Body(mcp=False)] = MISSING,
) -> Reply:  # fmt: skip
    """Renames an employee's file, moves it to another category, or shares it with the employee or not.

    id: The employee's id.
    fileId: The file's id.
    name: The file's new name.
    categoryId: The category to move it to.
    shareWithEmployee: yes or no.
    shareWithEmployees: The same.
    """
    file = _file(ctx, fileId, the_employee(ctx, id).id)
    return _change(
        ctx,
        file,
        "employee",
        name,
        categoryId,
        shareWithEmployees if shareWithEmployee is MISSING else shareWithEmployee,
    )


@app.post("/v1/files/{fileId}", tool="update_company_file", effect="update", mcp=False)
def update_company_file(
    ctx: Ctx, fileId: int, name: Name | MISSING = MISSING, categoryId: int | str | MISSING = MISSING,
    shareWithEmployee: YesNo | MISSING = MISSING,
) -> Reply:  # fmt: skip
    """Renames a company file, moves it to another category, or shares it with all employees or not.

    fileId: The file's id.
    name: The file's new name.
    categoryId: The category to move it to.
    shareWithEmployee: yes or no.
    """
    return _change(ctx, _file(ctx, fileId, None), "company", name, categoryId, shareWithEmployee)


@app.delete("/v1/employees/{id}/files/{fileId}", tool="delete_employee_file")
def delete_employee_file(ctx: Ctx, id: EmployeeId, fileId: int) -> Reply:
    """Deletes an employee's file for good.

    id: The employee's id.
    fileId: The file's id.
    """
    ctx.db.delete(_file(ctx, fileId, the_employee(ctx, id).id))
    return done(ctx, id=fileId)


@app.delete("/v1/files/{fileId}", tool="delete_company_file", mcp=False)
def delete_company_file(ctx: Ctx, fileId: int) -> Reply:
    """Deletes a company file for good.

    fileId: The file's id.
    """
    ctx.db.delete(_file(ctx, fileId, None))
    return done(ctx, id=fileId)


Names = Annotated[list[str] | str | bytes, Payload()]


def _add_categories(ctx: Ctx, owner: Owner, names: list[str] | str | bytes) -> Reply:
    if not isinstance(names, list):
        names = [(e.text or "").strip() for e in xml.parsed(names, "categories").iter("category")]
    known = {c.name.casefold() for c in ctx.db.find(FileCategory, owner=owner)}
    for name in names:
        if not name.strip() or len(name) > 255:
            raise refuse(400, "A category name is empty or too long")
        if name.strip().casefold() in known:
            raise refuse(400, f"The category {name.strip()[:100]} already exists")
        known.add(name.strip().casefold())
        ctx.db.add(FileCategory(id=ctx.sequence("file_category", start=11), name=name.strip(), owner=owner))
    return done(ctx, 201 if names else 200)


@app.post("/v1/employees/files/categories", tool="create_employee_file_category", status=201, mcp=False)
def create_employee_file_category(ctx: Ctx, names: Names) -> Reply:
    """Adds categories to all employees' files.

    names: The categories' names.
    """
    return _add_categories(ctx, "employee", names)


@app.post("/v1/files/categories", tool="create_company_file_category", status=201, mcp=False)
def create_company_file_category(ctx: Ctx, names: Names) -> Reply:
    """Adds categories to the company's files.

    names: The categories' names.
    """
    return _add_categories(ctx, "company", names)
