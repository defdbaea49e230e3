"""Documents on Notion: the world's people and pages as rows and back, and what one does with them."""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.docs_notes import DocsNotes, Document
from legoenv_mcp.capabilities.people import Person

from .check import uuid_of
from .edits import markdown_of, parsed
from .models import Page, User
from .richtext import runs
from .tree import insert, places, trashed

_PROFILE = ("handle", "title", "department", "manager", "phone", "city", "country", "time_zone", "start_date", "admin")


def user_id(key: str) -> str:
    """A person's id follows from the key, so that a manager and the integration's owner can be named before being filled."""
    return uuid_of("person", key)


class NotionDocs(DocsNotes):
    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, Person):
            return self._fill_person(ctx, entity)
        assert isinstance(entity, Document)
        return self._fill_document(ctx, entity)

    def _fill_person(self, ctx: Ctx, person: Person) -> str:
        profile: dict[str, Any] = {name: getattr(person, name) for name in _PROFILE}
        profile |= {"first_name": person.first_name, "last_name": person.last_name}
        profile["manager"] = user_id(person.manager) if person.manager else ""
        key = user_id(person.key) if person.key else ctx.uuid("person")
        ctx.db.add(User(id=key, name=person.name, email=person.email, active=person.active, profile=profile))
        return key

    def _fill_document(self, ctx: Ctx, document: Document) -> str:
        author = ctx.ref(Person, document.author) if document.author else ctx.ref(Person, ctx.agent)
        created = document.created or ctx.timestamp()
        marks: dict[str, Any] = {
            "created_time": created, "created_by": author, "last_edited_time": document.updated or created, "last_edited_by": author,
        }  # fmt: skip
        parent = ctx.ref(Document, document.parent) if document.parent else ""
        page = ctx.db.add(
            Page(
                id=ctx.uuid(),
                parent_type="page_id" if parent else "workspace",
                parent=parent,
                position=places(ctx, parent, 1)[0] if parent else 0,
                title=document.title,
                rich_title=runs(document.title),
                **marks,
            )
        )
        insert(ctx, page, parsed(ctx, document.body), marks=marks)
        reads = markdown_of(ctx, page.id, pages=False)
        if reads != document.body:
            ctx.db.update(page, spelling={"was": document.body, "reads": reads})
        return page.id

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "user" and row["type"] == "person":
            return self._view_person(row)
        if table == "page" and row["parent_type"] != "data_source_id" and not trashed(ctx, Page.of(row)):
            return self._view_document(ctx, row)
        return None

    def _view_person(self, row: dict[str, Any]) -> Person:
        return Person(id=row["id"], email=row["email"], active=row["active"], **row["profile"])

    def _view_document(self, ctx: Ctx, row: dict[str, Any]) -> Document:
        author = ctx.db.get(User, row["created_by"])
        body, spelling = markdown_of(ctx, row["id"], pages=False), row["spelling"]
        if spelling and body.startswith(spelling["reads"]):  # nothing of it was changed
            body = spelling["was"] + body[len(spelling["reads"]) :]
        return Document(
            id=row["id"],
            title=row["title"],
            body=body,
            parent=row["parent"] if row["parent_type"] == "page_id" else "",
            # What the integration makes, it makes for its owner.
            author=author.owner if author and author.type == "bot" else row["created_by"],
            created=row["created_time"],
            updated=row["last_edited_time"],
        )

    def search_documents(self, text: str) -> Plan:
        yield call("API-post-search", query=text, filter={"property": "object", "value": "page"})

    def get_document(self, document_id: str) -> Plan:
        yield call("API-retrieve-page-markdown", page_id=document_id)

    def create_document(self, title: str, body: str, parent_id: str = "") -> Plan:
        parent = {"page_id": parent_id} if parent_id else {"type": "workspace", "workspace": True}
        properties = {"title": {"title": [{"text": {"content": title}}]}}
        yield call("API-post-page", parent=parent, properties=properties, markdown=body)

    def update_document(self, document_id: str, body: str) -> Plan:
        yield call(
            "API-update-page-markdown",
            page_id=document_id,
            type="insert_content",
            insert_content={"content": body, "position": {"type": "end"}},
        )

    def delete_document(self, document_id: str) -> Plan:
        yield call("API-patch-page", page_id=document_id, in_trash=True)

    def list_documents(self) -> Plan:
        yield call("API-post-search", filter={"property": "object", "value": "page"})

    def comment(self, document_id: str, body: str) -> Plan:
        yield call("API-create-a-comment", parent={"page_id": document_id}, rich_text=[{"text": {"content": body}}])


provides = {"docs_notes": NotionDocs()}
