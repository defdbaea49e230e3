"""The account, the applications, labels. https://developers.google.com/workspace/drive/api/reference/rest/v3/about"""

from typing import Annotated, Any

from legoenv_mcp.app import ApiError, Ctx, Field, Query

from ..access import Tree
from ..app import app, invalid_value, not_found
from ..fields import answers
from ..resources import quota_of, user_json
from ..words import DOCUMENT, EXPORTS, FOLDER_COLORS, IMPORTS, PRESENTATION, SPREADSHEET, THEME_IMAGE, THEMES

_APPS = {
    "619683526622": ("Google Docs", "document", DOCUMENT), "567612451337": ("Google Sheets", "spreadsheet", SPREADSHEET),
    "504521142153": ("Google Slides", "presentation", PRESENTATION),
}  # fmt: skip
_QUOTA = 2 * 2**40


@app.get("/drive/v3/about", tool="get_about")
@answers("About")
def get_about(ctx: Ctx, fields: Annotated[str | None, Query()] = None) -> dict[str, Any]:
    """Tells who calls, how much storage is used, and what files can be exported to and imported from.

    fields: What to answer, as user,storageQuota,exportFormats,importFormats; user and storageQuota by default.
    """
    tree = Tree(ctx)
    sizes = {r.id: quota_of(r) for r in tree.everything() if r.owner == tree.me.email}
    used, trashed = (
        sum(sizes.values()),
        sum(size for key, size in sizes.items() if (r := tree.row(key)) and tree.trashed(r)),
    )
    themes = [{"id": n, "backgroundImageLink": THEME_IMAGE.format(n), "colorRgb": c} for n, c in THEMES.items()]
    return {
        "kind": "drive#about", "user": user_json(tree, tree.me.email), "appInstalled": True, "canCreateDrives": True,
        "canCreateTeamDrives": True, "driveThemes": themes, "teamDriveThemes": themes, "exportFormats": EXPORTS, "importFormats": IMPORTS,
        "folderColorPalette": list(FOLDER_COLORS), "maxUploadSize": str(5 * 2**40),
        "maxImportSizes": {DOCUMENT: "10485760", SPREADSHEET: "104857600", PRESENTATION: "104857600"},
        "storageQuota": {
            "limit": str(_QUOTA), "usage": str(used), "usageInDrive": str(used), "usageInDriveTrash": str(trashed),
        },
    }  # fmt: skip


def _app(key: str) -> dict[str, Any]:
    name, kind, mime = _APPS[key]
    return {
        "kind": "drive#app", "id": key, "name": name, "objectType": kind, "primaryMimeTypes": [mime], "supportsCreate": True,
        "installed": True, "authorized": True, "useByDefault": True, "hasDriveWideScope": True,
    }  # fmt: skip


@app.get("/drive/v3/apps", tool="list_apps", mcp=False)
@answers("AppList")
def list_apps(
    ctx: Ctx,
    appFilterExtensions: str | None = None,
    appFilterMimeTypes: str | None = None,
    languageCode: str | None = None,
) -> dict[str, Any]:
    """Lists the applications that the account has."""
    wanted = [m.strip() for m in (appFilterMimeTypes or "").split(",") if m.strip()]
    shown = [_app(k) for k, (_, _, mime) in _APPS.items() if not wanted or mime in wanted]
    return {"kind": "drive#appList", "defaultAppIds": list(_APPS), "items": shown}


@app.get("/drive/v3/apps/{appId}", tool="get_app", mcp=False)
@answers("App")
def get_app(ctx: Ctx, appId: str) -> dict[str, Any]:
    """Gets an application."""
    if appId not in _APPS:
        raise ApiError(404, f"App not found: {appId}", location="appId")
    return _app(appId)


@app.get("/drive/v3/files/{fileId}/listLabels", tool="list_labels", mcp=False)
@answers("LabelList")
def list_labels(
    ctx: Ctx, fileId: str, maxResults: Annotated[int, Field(ge=1, le=100)] = 100, pageToken: str | None = None
) -> dict[str, Any]:
    """Lists a file's labels. The organisation has defined none."""
    Tree(ctx).require(fileId)
    if pageToken:
        raise invalid_value("pageToken")
    return {"kind": "drive#labelList", "labels": []}


@app.get("/drive/v3/operations/{name:path}", tool="get_operation", mcp=False)
@answers("Operation")
def get_operation(ctx: Ctx, name: str) -> dict[str, Any]:
    """Gets an operation. Downloads are done when they are started, and are not kept."""
    raise not_found("Operation", name)
