"""Articles, collections and help centers. https://developers.intercom.com/docs/references/rest-api/api.intercom.io/articles"""

import re
from html import escape
from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx

from .. import errors, ids
from ..app import app
from ..inputs import Attributes, PageNumber, PerPage, Text
from ..models import Admin, Article, Collection, HelpCenter
from ..paging import numbered
from ..text import html, plain

State = Literal["published", "draft"]


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def article(ctx: Ctx, row: Article, *, alone: bool = True) -> dict[str, Any]:
    center = ctx.db.find(HelpCenter)[0]
    live = row.state == "published"
    shown: dict[str, Any] = {
        "id": row.id, "type": "article", "workspace_id": ids.workspace(ctx).id, "parent_id": ids.whole(row.parent_id),
        "parent_type": "collection" if row.parent_id else None, "parent_ids": [int(row.parent_id)] if row.parent_id else [],
        "tags": {"type": "tag.list", "tags": []}, "title": row.title, "description": row.description, "body": row.body,
        "author_id": int(row.author_id), "state": row.state, "created_at": row.created_at, "updated_at": row.updated_at,
        "url": f"{_address(center)}/en/articles/{row.id}-{_slug(row.title)}" if live else None, "default_locale": "en",
        "translated_content": row.translated_content,
    }  # fmt: skip
    if alone:
        shown["statistics"] = {
            "type": "article_statistics", "views": 0, "conversations": 0, "reactions": 0, "happy_reaction_percentage": 0,
            "neutral_reaction_percentage": 0, "sad_reaction_percentage": 0,
        }  # fmt: skip
    return shown


def _address(center: HelpCenter) -> str:
    return f"https://{center.custom_domain}" if center.custom_domain else f"https://intercom.help/{center.identifier}"


def collection(ctx: Ctx, row: Collection) -> dict[str, Any]:
    center = ctx.require(HelpCenter, row.help_center_id)
    return {
        "id": row.id, "workspace_id": ids.workspace(ctx).id, "name": row.name,
        "url": f"{_address(center)}/en/collections/{row.id}-{_slug(row.name)}", "order": row.order, "created_at": row.created_at,
        "updated_at": row.updated_at, "description": row.description, "icon": row.icon, "parent_id": row.parent_id,
        "help_center_id": int(row.help_center_id), "default_locale": "en", "translated_content": row.translated_content,
    }  # fmt: skip


def _author(ctx: Ctx, key: str) -> str:
    if ctx.db.get(Admin, key) is None:
        raise errors.invalid_parameter("author_id must be the id of a teammate")
    return key


def _parent(ctx: Ctx, key: str | None, kind: str | None) -> str | None:
    if not key:
        return None
    if kind not in (None, "collection", "section"):
        raise errors.invalid_parameter("parent_type must be collection or section")
    if ctx.db.get(Collection, key) is None:
        raise errors.refuse(404, "not_found", "Parent not found")
    return key


@app.get("/articles", tool="list_articles")
def list_articles(ctx: Ctx, page: PageNumber = 1, per_page: PerPage = 25) -> dict[str, Any]:
    """Lists the help center's articles, those last changed first. By words: `search_articles`."""
    rows = ctx.db.find(Article, order="-updated_at,-id")
    return numbered(ctx, rows, lambda a: article(ctx, a, alone=False), page, per_page, "/articles")


@app.post("/articles", tool="create_article")
def create_article(
    ctx: Ctx, title: str, author_id: Text | None = None, description: str | None = None, body: str | None = None,
    state: State | None = None, parent_id: Text | None = None, parent_type: str | None = None, translated_content: Attributes | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates an article, a draft unless published.

    title: Its title.
    author_id: The id of the teammate who writes it (`identify_admin` for yours).
    description: What it is about.
    body: The article, as HTML.
    state: published or draft.
    parent_id: The id of the collection that it is in; without one it stands alone.
    parent_type: collection.
    translated_content: Titles and bodies in other languages, by locale.
    """
    if author_id is None:
        raise errors.missing_parameter("author_id must be in the main body or default locale translated_content object")
    if not title.strip():
        raise errors.invalid_parameter("Title can't be blank")
    when = ctx.epoch()
    row = ctx.db.add(Article(
        id=ids.number(ctx, "article"), title=title, description=description or "", body=html(body or ""), author_id=_author(ctx, author_id),
        state=state or "draft", parent_id=_parent(ctx, parent_id, parent_type), translated_content=translated_content, created_at=when,
        updated_at=when,
    ))  # fmt: skip
    return article(ctx, row)


_TERMS = re.compile(r"\w+")


def _marked(text: str, words: list[str]) -> list[dict[str, Any]]:
    """Text in pieces, with what was searched for as highlights."""
    out, last = list[dict[str, Any]](), 0
    pattern = re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))), re.IGNORECASE)
    for found in pattern.finditer(text):
        if found.start() > last:
            out.append({"type": "plain", "text": escape(text[last : found.start()], quote=False)})
        out.append({"type": "highlight", "text": escape(found[0], quote=False)})
        last = found.end()
    return [*out, *([{"type": "plain", "text": escape(text[last:], quote=False)}] if last < len(text) else [])]


@app.get("/articles/search", tool="search_articles")
def search_articles(
    ctx: Ctx, phrase: str | None = None, state: Literal["published", "draft", "all"] | None = None, help_center_id: int | None = None,
    highlight: bool | None = None, page: PageNumber = 1, per_page: PerPage = 10,
) -> dict[str, Any]:  # fmt: skip
    """Finds articles that have all words of a phrase in their title, description or body, titles first.

    phrase: Words to look for.
    state: published, draft or all.
    help_center_id: Only those of this help center.
    highlight: Whether to show where the words are.
    """
    words = [w.casefold() for w in _TERMS.findall(phrase or "")]
    centers = {c.id: c.help_center_id for c in ctx.db.find(Collection)}
    scored = list[tuple[int, Article]]()
    for row in ctx.db.find(Article, state=None if state in (None, "all") else state, order="-updated_at,-id"):
        if help_center_id is not None and centers.get(row.parent_id or "") != str(help_center_id):
            continue
        title, rest = row.title.casefold(), f"{row.description} {plain(row.body)}".casefold()
        if all(w in title or w in rest for w in words):
            scored.append((sum(w in title for w in words), row))
    rows = [row for _, row in sorted(scored, key=lambda one: -one[0])]
    listed = numbered(ctx, rows, lambda a: article(ctx, a, alone=False), page, per_page, "/articles/search")
    start = (page - 1) * per_page
    marks = [
        {
            "article_id": row.id, "highlighted_title": _marked(row.title, words),
            "highlighted_summary": [_marked(f"{row.description} {plain(row.body)}".strip()[:300], words)],
        }
        for row in (rows[start : start + per_page] if highlight and words else [])
    ]  # fmt: skip
    return {**listed, "data": {"articles": listed["data"], "highlights": marks}}


@app.get("/articles/{article_id}", tool="retrieve_article")
def retrieve_article(ctx: Ctx, article_id: str) -> dict[str, Any]:
    """Shows an article.

    article_id: The article's id.
    """
    return article(ctx, ctx.require(Article, article_id))


@app.put("/articles/{article_id}", tool="update_article")
def update_article(
    ctx: Ctx, article_id: str, title: str | MISSING = MISSING, description: str | MISSING = MISSING, body: str | MISSING = MISSING,
    author_id: Text | MISSING = MISSING, state: State | MISSING = MISSING, parent_id: Text | None | MISSING = MISSING,
    parent_type: str | None | MISSING = MISSING, translated_content: Attributes | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes an article, publishes it or makes it a draft again.

    article_id: The article's id.
    title: Its title.
    description: What it is about.
    body: The article, as HTML.
    author_id: The id of the teammate who writes it.
    state: published or draft.
    parent_id: The id of the collection that it is in; null for none.
    parent_type: collection.
    translated_content: Titles and bodies in other languages, by locale.
    """
    row, sent = ctx.require(Article, article_id), ctx.sent()
    if "title" in sent and not sent["title"].strip():
        raise errors.invalid_parameter("Title can't be blank")
    if "author_id" in sent:
        _author(ctx, sent["author_id"])
    kind = sent.pop("parent_type", None)
    if "parent_id" in sent:
        sent["parent_id"] = _parent(ctx, sent["parent_id"], kind)
    if "body" in sent:
        sent["body"] = html(sent["body"])
    return article(ctx, ctx.db.update(row, **sent, updated_at=ctx.epoch()))


@app.delete("/articles/{article_id}", tool="delete_article", mcp=False)
def delete_article(ctx: Ctx, article_id: str) -> dict[str, Any]:
    """Deletes an article for good.

    article_id: The article's id.
    """
    row = ctx.require(Article, article_id)
    ctx.db.delete(row)
    return {"id": row.id, "object": "article", "deleted": True}


@app.get("/help_center/collections", tool="list_collections")
def list_collections(ctx: Ctx, page: PageNumber = 1, per_page: PerPage = 20) -> dict[str, Any]:
    """Lists the collections that articles are in, those last changed first."""
    rows = ctx.db.find(Collection, order="-updated_at,-id")
    return numbered(ctx, rows, lambda c: collection(ctx, c), page, per_page, "/help_center/collections")


@app.post("/help_center/collections", tool="create_collection")
def create_collection(
    ctx: Ctx, name: str | None = None, description: str | None = None, parent_id: Text | None = None, help_center_id: int | None = None,
    translated_content: Attributes | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a collection for articles, in another one where a parent is given.

    name: Its name.
    description: What it is about.
    parent_id: The id of the collection that it is in.
    help_center_id: The id of the help center; the first where left out.
    translated_content: Names in other languages, by locale.
    """
    if not (name or "").strip():
        raise errors.missing_parameter("Name is a required parameter.")
    centers = ctx.db.find(HelpCenter)
    center = centers[0] if help_center_id is None else ctx.require(HelpCenter, str(help_center_id))
    above, when = _parent(ctx, parent_id, None), ctx.epoch()
    row = ctx.db.add(Collection(
        id=ids.number(ctx, "collection"), name=name or "", description=description or "", parent_id=above, help_center_id=center.id,
        order=len(ctx.db.find(Collection)) + 1, translated_content=translated_content, created_at=when, updated_at=when,
    ))  # fmt: skip
    return collection(ctx, row)


@app.get("/help_center/collections/{collection_id}", tool="retrieve_collection", mcp=False)
def retrieve_collection(ctx: Ctx, collection_id: str) -> dict[str, Any]:
    """Shows a collection.

    collection_id: The collection's id.
    """
    return collection(ctx, ctx.require(Collection, collection_id))


@app.put("/help_center/collections/{collection_id}", tool="update_collection", mcp=False)
def update_collection(
    ctx: Ctx, collection_id: str, name: str | MISSING = MISSING, description: str | MISSING = MISSING,
    parent_id: Text | None | MISSING = MISSING, translated_content: Attributes | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a collection.

    collection_id: The collection's id.
    name: Its name.
    description: What it is about.
    parent_id: The id of the collection that it is in; null for none.
    translated_content: Names in other languages, by locale.
    """
    row, sent = ctx.require(Collection, collection_id), ctx.sent()
    if "name" in sent and not sent["name"].strip():
        raise errors.missing_parameter("Name is a required parameter.")
    if "parent_id" in sent:
        sent["parent_id"] = above = _parent(ctx, sent["parent_id"], None)
        while above is not None:
            if above == row.id:
                raise errors.invalid_parameter("A collection cannot be inside itself")
            above = ctx.require(Collection, above).parent_id
    return collection(ctx, ctx.db.update(row, **sent, updated_at=ctx.epoch()))


@app.delete("/help_center/collections/{collection_id}", tool="delete_collection", mcp=False)
def delete_collection(ctx: Ctx, collection_id: str) -> dict[str, Any]:
    """Deletes a collection. What was in it stands alone.

    collection_id: The collection's id.
    """
    row = ctx.require(Collection, collection_id)
    for inside in [*ctx.db.find(Article, parent_id=row.id), *ctx.db.find(Collection, parent_id=row.id)]:
        ctx.db.update(inside, parent_id=None)
    ctx.db.delete(row)
    return {"id": row.id, "object": "collection", "deleted": True}


def _center(ctx: Ctx, row: HelpCenter) -> dict[str, Any]:
    return {
        "id": row.id, "workspace_id": ids.workspace(ctx).id, "created_at": row.created_at, "updated_at": row.updated_at,
        "identifier": row.identifier, "website_turned_on": row.website_turned_on, "display_name": row.display_name,
        "url": _address(row), "custom_domain": row.custom_domain,
    }  # fmt: skip


@app.get("/help_center/help_centers", tool="list_help_centers", mcp=False)
def list_help_centers(ctx: Ctx, page: PageNumber = 1, per_page: PerPage = 20) -> dict[str, Any]:
    """Lists the help centers."""
    return numbered(ctx, ctx.db.find(HelpCenter), lambda c: _center(ctx, c), page, per_page)


@app.get("/help_center/help_centers/{help_center_id}", tool="retrieve_help_center", mcp=False)
def retrieve_help_center(ctx: Ctx, help_center_id: str) -> dict[str, Any]:
    """Shows a help center.

    help_center_id: The help center's id.
    """
    return _center(ctx, ctx.require(HelpCenter, help_center_id))
