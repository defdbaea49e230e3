"""Templates and folders. https://mailchimp.com/developer/marketing/api/templates/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import HEX, MISSING, Ctx, Field, Query

from .. import markup, people, resources, times
from ..app import app, done
from ..errors import invalid_action, invalid_resource, not_found
from ..inputs import Count, Direction, Exclude, Fields, HiddenMoment, Offset, TemplateId
from ..models import Campaign, Folder, Template
from ..paging import between, collection, links

Name = Annotated[str, Field(min_length=1, max_length=50)]
FolderName = Annotated[str, Field(min_length=1, max_length=100)]
FolderId = Annotated[str, Field(description="The folder's id.")]


def _shown(ctx: Ctx, row: Template) -> dict[str, Any]:
    return {
        "id": row.id, "type": row.type, "name": row.name, "drag_and_drop": row.drag_and_drop, "responsive": row.responsive,
        "category": row.category, "date_created": row.date_created, "date_edited": row.date_edited, "created_by": row.created_by,
        "edited_by": row.edited_by, "active": True, "folder_id": row.folder_id, "thumbnail": "", "share_url": "",
        "content_type": "template", "_links": links(ctx, f"/templates/{row.id}", "Templates", ("PATCH", "DELETE"), ("default-content",)),
    }  # fmt: skip


@app.get("/templates", tool="list_templates")
def list_templates(
    ctx: Ctx, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0,
    type: Literal["user", "base", "gallery"] | None = None,
    created_by: Annotated[str | None, Query(mcp=False)] = None, since_date_created: HiddenMoment = None,
    before_date_created: HiddenMoment = None, category: Annotated[str | None, Query(mcp=False)] = None,
    folder_id: Annotated[str | None, Query(mcp=False)] = None,
    sort_field: Literal["date_created", "date_edited", "name"] = "date_created", sort_dir: Direction = "DESC",
) -> dict[str, Any]:  # fmt: skip
    """Lists templates: the account's own (user) and those that Mailchimp gives (base).

    type: user, base or gallery.
    created_by: Only those that this user made.
    category: Only those of this category.
    folder_id: Only those in this folder.
    sort_field: What to sort by.
    """
    rows = [
        t
        for t in ctx.db.find(Template, type=type, created_by=created_by, category=category, folder_id=folder_id)
        if between(t.date_created, since_date_created, before_date_created)
    ]
    rows.sort(key=lambda t: (getattr(t, sort_field), t.id), reverse=sort_dir == "DESC")
    return collection(ctx, "templates", rows, lambda t: _shown(ctx, t), count, offset, "/templates", "Templates")


@app.get("/templates/{template_id}", tool="get_template")
def get_template(
    ctx: Ctx, template_id: TemplateId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows a template: its name, folder and kind, and which parts of it campaigns fill (sections)."""
    row = ctx.require(Template, template_id)
    body = _shown(ctx, row)
    return body if ctx.request.method else {**body, "sections": list(markup.sections(row.html))}


def _folder(ctx: Ctx, key: str) -> str:
    folder = ctx.db.get(Folder, key) if key else None
    if key and (folder is None or folder.kind != "template"):
        raise invalid_resource(("folder_id", "The folder does not exist"))
    return key


@app.post("/templates", tool="create_template")
def create_template(ctx: Ctx, name: Name, html: str, folder_id: str = "") -> dict[str, Any]:
    """Creates a template.

    name: Its name.
    html: Its HTML. Elements with mc:edit="NAME" are the parts that campaigns fill.
    folder_id: The template folder it lies in.
    """
    when, by = times.now(ctx), resources.me(ctx)
    row = ctx.db.add(Template(
        id=people.number(ctx), name=name, html=html, folder_id=_folder(ctx, folder_id), created_by=by, edited_by=by, date_created=when,
        date_edited=when,
    ))  # fmt: skip
    return _shown(ctx, row)


def _own(ctx: Ctx, template_id: int) -> Template:
    row = ctx.require(Template, template_id)
    if row.type != "user":
        raise invalid_action("Only templates of the account can be changed.")
    return row


@app.patch("/templates/{template_id}", tool="update_template")
def update_template(
    ctx: Ctx,
    template_id: TemplateId,
    name: Name | MISSING = MISSING,
    html: str | MISSING = MISSING,
    folder_id: str | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes a template. Campaigns made from it before stay as they are.

    name: Its name.
    html: Its HTML.
    folder_id: The template folder it lies in.
    """
    row, sent = _own(ctx, template_id), ctx.sent()
    _folder(ctx, sent.get("folder_id", ""))
    return _shown(ctx, ctx.db.update(row, **sent, date_edited=times.now(ctx), edited_by=resources.me(ctx)))


@app.delete("/templates/{template_id}", tool="delete_template", mcp=False, status=204)
def delete_template(ctx: Ctx, template_id: TemplateId) -> Any:
    """Deletes a template."""
    ctx.db.delete(_own(ctx, template_id))
    return done(ctx, template_id=template_id, deleted=True)


@app.get("/templates/{template_id}/default-content", tool="get_template_default_content", mcp=False)
def get_template_default_content(
    ctx: Ctx, template_id: TemplateId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows what the parts of a template hold before they are filled."""
    row = ctx.require(Template, template_id)
    path = f"/templates/{row.id}/default-content"
    return {"sections": markup.sections(row.html), "_links": links(ctx, path, "Templates/DefaultContent")}


# Folders


def _in_folder(ctx: Ctx, row: Folder) -> int:
    if row.kind == "template":
        return ctx.db.count(Template, folder_id=row.id)
    return sum(c.settings.get("folder_id") == row.id for c in ctx.db.find(Campaign))


def _folder_shown(ctx: Ctx, row: Folder) -> dict[str, Any]:
    path = f"/{row.kind}-folders/{row.id}"
    schema = f"{row.kind.capitalize()}Folders"
    return {
        "name": row.name,
        "id": row.id,
        "count": _in_folder(ctx, row),
        "_links": links(ctx, path, schema, ("PATCH", "DELETE")),
    }


def _folders(ctx: Ctx, kind: Literal["campaign", "template"], count: int, offset: int) -> dict[str, Any]:
    rows = ctx.db.find(Folder, kind=kind, order="name,id")
    schema = f"{kind.capitalize()}Folders"
    return collection(ctx, "folders", rows, lambda f: _folder_shown(ctx, f), count, offset, f"/{kind}-folders", schema)


def _one_folder(ctx: Ctx, kind: str, key: str) -> Folder:
    row = ctx.db.get(Folder, key)
    if row is None or row.kind != kind:
        raise not_found()
    return row


def _new_folder(ctx: Ctx, kind: Literal["campaign", "template"], name: str) -> dict[str, Any]:
    return _folder_shown(ctx, ctx.db.add(Folder(id=ctx.id("", 10, HEX, kind="folder"), kind=kind, name=name)))


def _drop_folder(ctx: Ctx, row: Folder) -> Any:
    """What lay in it lies in none."""
    for template in ctx.db.find(Template, folder_id=row.id):
        ctx.db.update(template, folder_id="")
    for campaign in ctx.db.find(Campaign):
        if campaign.settings.get("folder_id") == row.id:
            ctx.db.update(campaign, settings={**campaign.settings, "folder_id": ""})
    ctx.db.delete(row)
    return done(ctx, folder_id=row.id, deleted=True)


@app.get("/campaign-folders", tool="list_campaign_folders", mcp=False)
def list_campaign_folders(
    ctx: Ctx, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0
) -> dict[str, Any]:
    """Lists the folders of campaigns."""
    return _folders(ctx, "campaign", count, offset)


@app.post("/campaign-folders", tool="create_campaign_folder", mcp=False)
def create_campaign_folder(ctx: Ctx, name: FolderName) -> dict[str, Any]:
    """Creates a folder for campaigns.

    name: Its name.
    """
    return _new_folder(ctx, "campaign", name)


@app.get("/campaign-folders/{folder_id}", tool="get_campaign_folder", mcp=False)
def get_campaign_folder(
    ctx: Ctx, folder_id: FolderId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows a folder of campaigns."""
    return _folder_shown(ctx, _one_folder(ctx, "campaign", folder_id))


@app.patch("/campaign-folders/{folder_id}", tool="update_campaign_folder", mcp=False)
def update_campaign_folder(ctx: Ctx, folder_id: FolderId, name: FolderName) -> dict[str, Any]:
    """Renames a folder of campaigns.

    name: Its name.
    """
    return _folder_shown(ctx, ctx.db.update(_one_folder(ctx, "campaign", folder_id), name=name))


@app.delete("/campaign-folders/{folder_id}", tool="delete_campaign_folder", mcp=False, status=204)
def delete_campaign_folder(ctx: Ctx, folder_id: FolderId) -> Any:
    """Deletes a folder of campaigns; the campaigns stay."""
    return _drop_folder(ctx, _one_folder(ctx, "campaign", folder_id))


@app.get("/template-folders", tool="list_template_folders", mcp=False)
def list_template_folders(
    ctx: Ctx, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0
) -> dict[str, Any]:
    """Lists the folders of templates."""
    return _folders(ctx, "template", count, offset)


@app.post("/template-folders", tool="create_template_folder", mcp=False)
def create_template_folder(ctx: Ctx, name: FolderName) -> dict[str, Any]:
    """Creates a folder for templates.

    name: Its name.
    """
    return _new_folder(ctx, "template", name)


@app.get("/template-folders/{folder_id}", tool="get_template_folder", mcp=False)
def get_template_folder(
    ctx: Ctx, folder_id: FolderId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows a folder of templates."""
    return _folder_shown(ctx, _one_folder(ctx, "template", folder_id))


@app.patch("/template-folders/{folder_id}", tool="update_template_folder", mcp=False)
def update_template_folder(ctx: Ctx, folder_id: FolderId, name: FolderName) -> dict[str, Any]:
    """Renames a folder of templates.

    name: Its name.
    """
    return _folder_shown(ctx, ctx.db.update(_one_folder(ctx, "template", folder_id), name=name))


@app.delete("/template-folders/{folder_id}", tool="delete_template_folder", mcp=False, status=204)
def delete_template_folder(ctx: Ctx, folder_id: FolderId) -> Any:
    """Deletes a folder of templates; the templates stay."""
    return _drop_folder(ctx, _one_folder(ctx, "template", folder_id))
