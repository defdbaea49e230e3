"""What changed since. https://developers.google.com/workspace/drive/api/guides/manage-changes"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Query

from ..access import Tree
from ..app import Flag, Text, app, forbidden, invalid_value, not_found, over_rest
from ..fields import answers
from ..models import Change
from ..resources import change_json

_DIGITS = 18


def _start(ctx: Ctx) -> int:
    found = ctx.db.first(Change, order="-id")
    return (found.id or 0) + 1 if found else 1


def _drive(tree: Tree, key: str | None) -> None:
    if key:
        root = tree.row(key)
        if root is None or tree.drive(key) is None or tree.rank(root) == 0:
            raise not_found("Drive", key)


@app.get("/drive/v3/changes/startPageToken", tool="get_start_page_token")
@answers("StartPageToken")
def get_start_page_token(
    ctx: Ctx,
    driveId: str | None = None,
    supportsAllDrives: Flag = None,
    supportsTeamDrives: Flag = None,
    teamDriveId: Text = None,
) -> dict[str, Any]:
    """Gets the token from which list_changes lists what changes from now on.

    driveId: The shared drive whose changes are wanted; all of the caller's files by default.
    """
    _drive(Tree(ctx), driveId or teamDriveId)
    return {"kind": "drive#startPageToken", "startPageToken": str(_start(ctx))}


@app.get("/drive/v3/changes", tool="list_changes")
@answers("ChangeList")
def list_changes(
    ctx: Ctx, pageToken: str, pageSize: Annotated[int, Field(ge=1, le=1000)] | None = None, includeRemoved: bool = True,
    driveId: str | None = None, restrictToMyDrive: bool | None = None, fields: Annotated[str | None, Query()] = None,
    includeCorpusRemovals: Flag = None, includeItemsFromAllDrives: Flag = None, includeLabels: Text = None,
    includePermissionsForView: Text = None, includeTeamDriveItems: Flag = None, spaces: Text = None, supportsAllDrives: Flag = None,
    supportsTeamDrives: Flag = None, teamDriveId: Text = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists which files and shared drives changed since a token, each once, in the order of their last change. The last page has
    newStartPageToken for the next time.

    pageToken: From get_start_page_token, or the nextPageToken or newStartPageToken of an answer before.
    pageSize: How many to list; 50 by default, at most 1000.
    includeRemoved: Whether what was deleted, or is the caller's no longer, is listed too.
    driveId: The shared drive whose changes are wanted.
    restrictToMyDrive: true for files in My Drive alone.
    fields: What to answer, as newStartPageToken,changes(fileId,removed,file(name,trashed)).
    """
    tree, drive = Tree(ctx), driveId or teamDriveId
    if not pageToken.isascii() or not pageToken.isdigit() or not 0 < len(pageToken.lstrip("0")) <= _DIGITS:
        raise invalid_value("pageToken", "get_start_page_token has one.")
    _drive(tree, drive)
    wide = (includeItemsFromAllDrives or includeTeamDriveItems) and (supportsAllDrives or supportsTeamDrives)
    if over_rest(ctx) and drive and not wide:
        text = "The includeItemsFromAllDrives and supportsAllDrives parameters must be set to true when driveId is set."
        raise forbidden(text, "teamDriveIncludeItemsRequired", location="includeItemsFromAllDrives")
    wide = wide or not over_rest(ctx)
    start, latest = int(pageToken), dict[tuple[str, str], Change]()
    for change in ctx.db.find(Change, order="id", id__ge=start):
        if (
            (drive and change.driveId != drive)
            or (change.driveId and not wide)
            or (change.driveId and restrictToMyDrive)
        ):
            continue
        latest[change.type, change.target] = change
    size = pageSize or (100 if over_rest(ctx) else 50)
    rows = sorted(latest.values(), key=lambda c: c.id or 0)
    made = [(c, told) for c in rows if (told := change_json(tree, c)) and (includeRemoved or not told["removed"])]
    shown = [told for _, told in made[:size]]
    out: dict[str, Any] = {"kind": "drive#changeList", "changes": shown}
    if len(made) > size:
        return {**out, "nextPageToken": str(made[size][0].id)}
    return {**out, "newStartPageToken": str(max(_start(ctx), start))}
