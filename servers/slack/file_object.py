"""Files as Slack's JSON. https://docs.slack.dev/reference/objects/file-object"""

import base64
from typing import Any

from legoenv_mcp.app import Ctx

from .access import is_member, me, on_mcp
from .filetypes import SNIPPETS
from .models import Conversation, File, FileShare, User
from .resources import team, workspace_url


def file_bytes(row: File) -> bytes:
    return base64.b64decode(row.content) if row.is_base64 else row.content.encode()


PRETTY = {
    "text": "Plain Text",
    "csv": "CSV",
    "markdown": "Markdown (raw)",
    "pdf": "PDF",
    "png": "PNG",
    "jpg": "JPEG",
    "gif": "GIF",
    "json": "JSON",
    "python": "Python",
    "javascript": "JavaScript",
    "html": "HTML",
    "yaml": "YAML",
    "xml": "XML",
    "zip": "Zip",
    "docx": "Word Document",
    "xlsx": "Excel Spreadsheet",
    "pptx": "PowerPoint Presentation",
    "quip": "Canvas",
    "sql": "SQL",
    "shell": "Shell",
    "binary": "Binary",
    "svg": "SVG",
    "mp4": "MPEG 4 Video",
    "email": "Email",
}


def file(ctx: Ctx, row: File) -> dict[str, Any]:
    shares = ctx.db.find(FileShare, file=row.id)
    places = {
        c.id: c
        for c in (ctx.db.get(Conversation, s.channel) for s in shares)
        if c is not None and (c.kind == "public" or is_member(ctx, c.id, me(ctx)))
    }
    kinds = {"channels": ("public",), "groups": ("private",), "ims": ("im", "mpim")}
    base = ctx.request.base or "https://files.slack.com"
    link = f"{base}/files-pri/{team(ctx).id}-{row.id}"
    owner = ctx.db.get(User, row.user)
    mode = (
        "quip" if row.filetype == "quip" else "hosted" if row.is_base64 or row.filetype not in SNIPPETS else "snippet"
    )
    if on_mcp(ctx):
        slim = {
            "id": row.id,
            "name": row.name,
            "title": row.title,
            "filetype": row.filetype,
            "user": row.user,
            "created": row.created,
            "size": row.size,
        }
        return slim | ({"channels": list(places)} if places else {})
    made: dict[str, Any] = {
        "id": row.id,
        "created": row.created,
        "timestamp": row.created,
        "name": row.name,
        "title": row.title,
        "mimetype": row.mimetype,
        "filetype": row.filetype,
        "pretty_type": PRETTY.get(row.filetype, row.filetype.upper()),
        "user": row.user,
        "user_team": team(ctx).id,
        "editable": mode != "hosted",
        "size": row.size,
        "mode": mode,
        "is_external": False,
        "external_type": "",
        "is_public": any(c.kind == "public" for c in places.values()),
        "public_url_shared": False,
        "display_as_bot": False,
        "username": owner.display_name if owner else "",
        "url_private": f"{link}/{row.name}",
        "url_private_download": f"{link}/download/{row.name}",
        "permalink": f"{workspace_url(ctx)}files/{row.user}/{row.id}/{row.name}",
        "has_rich_preview": False,
        "file_access": "visible",
        "comments_count": 0,
        **({"alt_txt": row.alt_txt} if row.alt_txt else {}),
        "shares": {},
        **{name: [c.id for c in places.values() if c.kind in wanted] for name, wanted in kinds.items()},
    }
    for share in shares:
        if share.channel in places:
            group = "public" if places[share.channel].kind == "public" else "private"
            entry = {
                "ts": share.ts,
                "channel_name": places[share.channel].name,
                "team_id": team(ctx).id,
                "share_user_id": row.user,
            }
            made["shares"].setdefault(group, {}).setdefault(share.channel, []).append(entry)
    return made
