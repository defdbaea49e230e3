"""Notes."""

from typing import Annotated

from legoenv_mcp.app import Ctx, Field

from ..app import app
from ..models import Note


@app.get("/notes", tool="list_notes")
def list_notes(ctx: Ctx, tag: str | None = None) -> dict[str, list[Note]]:
    """Lists notes.

    tag: Only notes that have this tag.
    """
    return {"notes": [note for note in ctx.db.find(Note) if tag is None or tag in note.tags]}


@app.get("/notes/{id}", tool="get_note")
def get_note(ctx: Ctx, id: str) -> Note:
    """Gets one note by its id.

    id: The note's id.
    """
    return ctx.require(Note, id)


@app.post("/notes", tool="create_note", status=201)
def create_note(ctx: Ctx, text: Annotated[str, Field(min_length=1)], tags: list[str] | None = None) -> Note:
    """Writes a note.

    text: What it says.
    tags: Words it can be found by.
    """
    return ctx.db.add(Note(id=ctx.id("n_", 12), text=text, tags=tags or [], created=ctx.timestamp()))


@app.delete("/notes/{id}", tool="delete_note", status=204)
def delete_note(ctx: Ctx, id: str) -> None:
    """Removes a note for good.

    id: The note's id.
    """
    ctx.db.delete(ctx.require(Note, id))
