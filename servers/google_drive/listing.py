"""Lists: which files a search covers, in what order, and their pages."""

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from legoenv_mcp.app import BadCursor, cursor_page

from .access import RANKS, Tree
from .app import forbidden, invalid_value, not_found, over_rest, refuse
from .contents import plain
from .models import File, Json
from .query import Query, Term, moment, parse, words
from .resources import quota_of
from .words import DOCUMENT, FOLDER

T = TypeVar("T")
_DATES = ("<=", "<", "=", "!=", ">", ">=")
_TEXT, _EQUAL = ("contains", "=", "!="), ("=", "!=")
_VISIBILITIES = ("anyoneCanFind", "anyoneWithLink", "domainCanFind", "domainWithLink", "limited")
_CORPORA = ("user", "domain", "drive", "allDrives")


def page(rows: Sequence[T], limit: int, token: str | None, *scope: object) -> tuple[list[T], Json]:
    """A slice of a list, and the token of the next one. A token is of use for the same question only."""
    key = hashlib.blake2b(repr(scope).encode(), digest_size=6).hexdigest()
    try:
        made = cursor_page(rows, limit, token, f"~!{key}")
    except BadCursor:
        raise invalid_value(
            "pageToken", "send the nextPageToken of the page before, with the other parameters as they were."
        ) from None
    return made.items, {"nextPageToken": made.cursor} if made.cursor else {}


def file_terms(tree: Tree) -> dict[str, Term]:
    """The terms that searches for files have. https://developers.google.com/workspace/drive/api/guides/ref-search-terms"""
    root, mine = tree.me.root, tree.me.email

    def people(row: File, least: str) -> set[str]:
        found = {(g.email or g.domain or g.id).casefold() for g in tree.grants(row) if RANKS[g.role] >= RANKS[least]}
        return found | ({"me"} if mine.casefold() in found else set())

    def owners(row: File) -> set[str]:
        return {row.owner.casefold(), *(["me"] if row.owner == mine else [])}

    def parents(row: File) -> set[str]:
        aliases = {root: "root", tree.me.app_data: "appdatafolder"}
        return (
            {row.parent.casefold(), *([aliases[row.parent]] if row.parent in aliases else [])} if row.parent else set()
        )

    def shared_with_me(row: File) -> bool:
        return (
            bool(row.owner) and row.owner != mine and any(p.type == "user" and tree.applies(p) for p in tree.given(row))
        )

    def visibility(row: File) -> str:
        found = {(g.type, g.discoverable) for g in tree.grants(row)}
        kinds = {"anyoneCanFind": ("anyone", True), "anyoneWithLink": ("anyone", False), "domainCanFind": ("domain", True),
                 "domainWithLink": ("domain", False)}  # fmt: skip
        return next((name for name, kind in kinds.items() if kind in found), "limited")

    text = cache(lambda key: _text(tree, key))
    when = {
        name: Term(_DATES, "date", _reader(name))
        for name in ("modifiedTime", "createdTime", "viewedByMeTime", "sharedWithMeTime")
    }
    return {
        "name": Term(_TEXT, "name", lambda r: r.name),
        "fullText": Term(("contains",), "fulltext", lambda r: text(r.id)),
        "mimeType": Term(_TEXT, "text", lambda r: r.mimeType),
        **when,
        "trashed": Term(_EQUAL, "boolean", tree.trashed),
        "starred": Term(_EQUAL, "boolean", lambda r: r.starred),
        "sharedWithMe": Term(_EQUAL, "boolean", shared_with_me),
        "parents": Term(("in",), "parents", parents),
        "owners": Term(("in",), "people", owners),
        "writers": Term(("in",), "people", lambda r: people(r, "writer")),
        "readers": Term(("in",), "people", lambda r: people(r, "reader")),
        "properties": Term(("has",), "pairs", lambda r: r.properties),
        "appProperties": Term(("has",), "pairs", lambda r: r.appProperties),
        "visibility": Term(_EQUAL, "text", visibility, _VISIBILITIES),
        "shortcutDetails.targetId": Term(_EQUAL, "text", lambda r: r.shortcutTargetId or ""),
    }


def _reader(name: str) -> Callable[[Any], Any]:
    return lambda row: moment(getattr(row, name) or "")


def _text(tree: Tree, key: str) -> list[str]:
    """What the search for text sees of a file: its name, description and content."""
    row = tree.row(key)
    if row is None:
        return []
    content = "" if row.encoding == "base64" else plain(row) if row.mimeType == DOCUMENT else row.content
    return words("\n".join([row.name, row.description or "", row.indexableText or "", content]))


def _covered(
    tree: Tree, rows: list[File], corpora: str, drive: str | None, spaces: list[str], drives: bool
) -> list[File]:
    """The files that a search covers: no top folders, and what the caller may see."""

    def within(row: File) -> bool:
        if tree.is_root(row) or row.space not in spaces:
            return False
        if row.driveId:
            member = tree.row(row.driveId)
            hidden = (corpora == "drive" and row.driveId != drive) or not drives or corpora == "domain"
            return not hidden and tree.rank(row) > 0 and (corpora != "user" or member is not None)
        if corpora == "drive":
            return False
        if corpora == "domain":
            return any(tree.applies(g) and g.type == "domain" and g.discoverable for g in tree.grants(row))
        return tree.in_reach(row)

    return [row for row in rows if within(row)]


def check_corpora(
    tree: Tree, corpora: str | None, drive: str | None, items: bool | None, supports: bool | None
) -> tuple[str, bool]:
    """The collection that a search covers, and whether shared drives are in it."""
    wide = bool(items and supports) if over_rest(tree.ctx) else items is not False
    named = corpora or ("drive" if drive else "user")
    if named not in _CORPORA:
        raise invalid_value("corpora", f"it is one of {', '.join(_CORPORA)}.")
    if (named == "drive") != bool(drive):
        text = "The driveId parameter must be specified if and only if corpora is set to drive."
        raise refuse(text, "invalid", location="driveId")
    if named in ("drive", "allDrives") and not wide:
        text = f"The includeItemsFromAllDrives and supportsAllDrives parameters must be set to true when corpora is set to {named}."
        raise forbidden(text, "teamDriveIncludeItemsRequired", location="includeItemsFromAllDrives")
    if drive:
        root = tree.row(drive)
        if root is None or tree.drive(drive) is None or tree.rank(root) == 0:
            raise not_found("Drive", drive)
    return named, wide


def check_spaces(text: str | None) -> list[str]:
    found = [s.strip() for s in (text or "drive").split(",") if s.strip()]
    if not found or any(s not in ("drive", "appDataFolder") for s in found):
        raise invalid_value("spaces", "they are drive and appDataFolder.")
    return found


_BY_NAME: dict[str, Callable[[File], Any]] = {
    "createdTime": lambda r: r.createdTime,
    "folder": lambda r: r.mimeType != FOLDER,
    "modifiedByMeTime": lambda r: r.modifiedByMeTime or "",
    "modifiedTime": lambda r: r.modifiedTime,
    "name": lambda r: r.name.casefold(),
    "name_natural": lambda r: _natural(r.name),
    "quotaBytesUsed": quota_of,
    "recency": lambda r: max(r.modifiedTime, r.viewedByMeTime or "", r.sharedWithMeTime or ""),
    "sharedWithMeTime": lambda r: r.sharedWithMeTime or "",
    "starred": lambda r: not r.starred,
    "viewedByMeTime": lambda r: r.viewedByMeTime or "",
}


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A name so that file2 comes before file10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name.casefold())
    return [(0, int(p[:18]), "") if p[0].isdigit() else (1, 0, p) for p in parts]


def arranged(rows: list[File], order: str | None) -> list[File]:
    """The files in an order: keys with commas between, each upwards or `desc`."""
    rows = sorted(rows, key=lambda r: r.id)
    if not order or not order.strip():
        return sorted(rows, key=lambda r: r.modifiedTime, reverse=True)
    for part in reversed(order.split(",")):
        found = re.fullmatch(r"\s*(\w+)(?:\s+(asc|desc))?\s*", part)
        if not found or found[1] not in _BY_NAME:
            raise invalid_value("orderBy", f"keys are {', '.join(_BY_NAME)}, each with desc after it or not.")
        rows.sort(key=_BY_NAME[found[1]], reverse=found[2] == "desc")
    return rows


def search(
    tree: Tree, q: str | None, *, corpora: str | None = None, drive: str | None = None, items: bool | None = None,
    supports: bool | None = None, order: str | None = None, spaces: str | None = None,
) -> list[File]:  # fmt: skip
    """Every file that a search finds, in order."""
    where, wide = check_corpora(tree, corpora, drive, items, supports)
    within = check_spaces(spaces)
    query = parse(q or "", file_terms(tree))
    if query.phrases and order and order.strip():
        text = "Sorting is not supported for queries with fullText terms. Results are always in descending relevance order."
        raise refuse(text, "badRequest", location="orderBy")
    rows = tree.everything()
    for key in query.parents:
        if (row := tree.row(key)) is None or tree.rank(row) == 0:
            raise not_found("File", key)
    found = [r for r in _covered(tree, rows, where, drive, within, wide) if query.test(r)]
    made = arranged(found, order)
    return sorted(made, key=lambda r: -_relevance(tree, r, query)) if query.phrases else made


def _relevance(tree: Tree, row: File, query: Query) -> int:
    """How often a file has the words sought, those of its name ten times over."""
    sought = {w for phrase in query.phrases for w in words(phrase)}
    name = sum(w in sought for w in words(row.name))
    return sum(w in sought for w in _text(tree, row.id)) + 9 * name
