"""The verbs of docs_notes."""

from legoenv_mcp.capabilities import docs_notes
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    page = s.first(docs_notes.Document, lambda d: len(d.body) > 100)
    key = s.ref(page)
    s.reads(p.search_documents(page.title), page.title)
    s.reads(p.get_document(key), page.title)
    s.run(p.create_document("Made by verb", "A first paragraph.", key))
    made = s.one(docs_notes.Document, lambda d: d.title == "Made by verb")
    assert (made.body.strip(), made.parent) == ("A first paragraph.", key)
    s.run(p.update_document(made.id, "A second paragraph."))
    assert s.one(docs_notes.Document, lambda d: d.id == made.id).body.split("\n\n")[-1].strip() == "A second paragraph."
    s.run(p.delete_document(made.id))
    assert not [d for d in s.all(docs_notes.Document) if d.id == made.id]
