"""Notion: capability; blocks; the trash, moving, sharing."""

from typing import Any

from legoenv_mcp.kernel.episode import Episode
from tests.apps.notion.support import (
    BEA,
    DOCUMENTS,
    call,
    carry_out,
    kinds,
    paragraph,
    person,
    ref,
    refused,
    rich,
    viewed,
)


def test_what_is_filled_is_viewed(episode: Episode) -> None:
    pages, users = viewed(episode, "page"), viewed(episode, "user")
    for document in DOCUMENTS:
        shown: Any = pages[ref(episode, document.key)]
        assert shown.body == document.body
        assert shown.title == document.title
        assert shown.author == person(episode, document.author)
        assert shown.parent == (ref(episode, document.parent) if document.parent else "")
        if document.created:
            assert (shown.created, shown.updated) == (document.created, document.updated)
    bea = users[person(episode, "bea")]
    assert bea == BEA.model_copy(update={"key": "", "id": bea.id, "manager": person(episode, "alex.doyle")})


def test_verbs_show_their_effect(episode: Episode) -> None:
    docs = episode.app("notion").app.provides["docs_notes"]
    assert [p["id"] for p in carry_out(episode, docs.search_documents("meeting"))["results"]] == [ref(episode, "notes")]
    assert "first" in carry_out(episode, docs.get_document(ref(episode, "guide")))["markdown"]
    top = carry_out(episode, docs.create_document("Plan", "Do *it*."))["id"]
    below = carry_out(episode, docs.create_document("Detail", "", top))["id"]
    pages: Any = viewed(episode, "page")
    assert (pages[top].title, pages[top].body, pages[top].parent) == ("Plan", "Do *it*.", "")
    assert pages[top].author == person(episode, "alex.doyle")
    assert pages[below].parent == top
    for key in ("guide", "notes"):
        carry_out(episode, docs.update_document(ref(episode, key), "And 1 * 2 * 3."))
        old = next(d for d in DOCUMENTS if d.key == key)
        now: Any = viewed(episode, "page")[ref(episode, key)]
        assert now.body == f"{old.body}\n\nAnd 1 * 2 * 3."
    assert carry_out(episode, docs.comment(top, "Good"))["rich_text"][0]["plain_text"] == "Good"
    carry_out(episode, docs.delete_document(top))
    assert top not in viewed(episode, "page")
    listed = [p["id"] for p in carry_out(episode, docs.list_documents())["results"]]
    assert top not in listed
    assert below not in listed
    assert ref(episode, "guide") in listed


def test_blocks_are_nested_two_levels_and_a_hundred_a_request(episode: Episode) -> None:
    page = ref(episode, "notes")
    deep = paragraph("1", paragraph("2", paragraph("3")))
    call(episode, "patch-block-children", block_id=page, children=[deep])
    deeper = paragraph("1", paragraph("2", paragraph("3", paragraph("4"))))
    message = refused(episode, "patch-block-children", block_id=page, children=[deeper])
    assert message.startswith(
        "body failed validation: body.children[0].paragraph.children[0].paragraph.children[0].paragraph.children "
        "should be not present, instead was `[{"
    )
    message = refused(episode, "patch-block-children", block_id=page, children=[paragraph("x")] * 101)
    assert message == "body failed validation: body.children.length should be ≤ `100`, instead was `101`."
    message = refused(episode, "patch-block-children", block_id=page, children=[paragraph("x" * 2001)])
    assert "rich_text[0].text.content.length should be ≤ `2000`, instead was `2001`." in message
    archived = {"paragraph": {"rich_text": []}, "archived": False}
    assert "archived should be not present" in refused(
        episode, "patch-block-children", block_id=page, children=[archived]
    )
    code = {"code": {"rich_text": rich("x"), "language": "klingon"}}
    assert "code.language should be" in refused(episode, "patch-block-children", block_id=page, children=[code])


def test_a_refused_block_leaves_none_of_its_neighbours(episode: Episode) -> None:
    page = ref(episode, "notes")
    before = kinds(episode, page)
    refused(episode, "patch-block-children", block_id=page, children=[paragraph("ok"), {"heading_1": {}}])
    refused(episode, "patch-block-children", block_id=page, children=[paragraph("ok")], after=ref(episode, "guide"))
    assert kinds(episode, page) == before
    assert episode.changes() == []


def test_tables_and_columns_keep_their_shape(episode: Episode) -> None:
    page = ref(episode, "notes")

    def row(*cells: str) -> dict[str, Any]:
        return {"table_row": {"cells": [rich(cell) for cell in cells]}}

    table = {"table": {"table_width": 2, "has_column_header": True, "children": [row("a", "b"), row("c", "d")]}}
    columns = {"column_list": {"children": [{"column": {"children": [paragraph("l")]}}, {"column": {"children": []}}]}}
    made = call(episode, "patch-block-children", block_id=page, children=[table, columns])["results"]
    rows = call(episode, "get-block-children", block_id=made[0]["id"])["results"]
    assert [[c[0]["plain_text"] for c in r["table_row"]["cells"]] for r in rows] == [["a", "b"], ["c", "d"]]
    call(episode, "patch-block-children", block_id=made[0]["id"], children=[row("e", "f")], after=rows[0]["id"])
    wrong = [row("only")]
    assert "table width" in refused(episode, "patch-block-children", block_id=made[0]["id"], children=wrong)
    assert "Only table_row" in refused(
        episode, "patch-block-children", block_id=made[0]["id"], children=[paragraph("x")]
    )
    assert "only be a child of a table" in refused(episode, "patch-block-children", block_id=page, children=wrong)
    assert "table width" in refused(
        episode, "update-a-block", block_id=rows[0]["id"], type={"table_row": {"cells": []}}
    )
    one = {"column_list": {"children": [{"column": {"children": []}}]}}
    assert "≥ `2`" in refused(episode, "patch-block-children", block_id=page, children=[one])
    markdown = call(episode, "retrieve-page-markdown", page_id=page)["markdown"]
    assert "| a | b |\n| --- | --- |\n| e | f |\n| c | d |" in markdown


def test_rows_and_columns_stand_nowhere_else_at_any_depth(episode: Episode) -> None:
    page, row = ref(episode, "guide/start"), {"table_row": {"cells": [rich("x")]}}
    column = {"column": {"children": [paragraph("x")]}}
    for lost in (row, column):
        for children in (
            [lost],
            [paragraph("x", lost)],
            [{"column_list": {"children": [column, {"column": {"children": [lost]}}]}}],
        ):
            said = refused(episode, "patch-block-children", block_id=page, children=children)
            assert "can only be a child of a" in said or "not present" in said
        made = {"parent": {"page_id": page}, "properties": {"title": rich("x")}}
        assert "can only be a child of a" in refused(episode, "post-page", **made, children=[lost])


def test_a_request_makes_a_thousand_blocks_at_most(episode: Episode) -> None:
    page = ref(episode, "guide/start")
    ten = [paragraph("x", *[paragraph("y")] * 99)] * 10
    call(episode, "patch-block-children", block_id=page, children=ten)
    said = refused(episode, "patch-block-children", block_id=page, children=[*ten, paragraph("x")])
    assert "≤ `1000` blocks in all, instead held `1001`" in said
    for text, most in (("a\n" * 20_000, 10_000), ("x " * 40_000 + "\n", None)):
        arguments = {"page_id": page, "type": "replace_content", "replace_content": {"new_str": text}}
        if most:
            assert f"one request may have {most}" in refused(episode, "update-page-markdown", **arguments)
        else:
            call(episode, "update-page-markdown", **arguments)


def test_an_update_changes_what_it_names(episode: Episode) -> None:
    page = ref(episode, "guide")
    blocks = call(episode, "get-block-children", block_id=page)["results"]
    todo = next(b for b in blocks if b["type"] == "to_do")
    done = call(episode, "update-a-block", block_id=todo["id"], type={"to_do": {"checked": True, "color": "red"}})
    assert (done["to_do"]["checked"], done["to_do"]["color"]) == (True, "red")
    assert done["to_do"]["rich_text"] == todo["to_do"]["rich_text"]
    message = refused(episode, "update-a-block", block_id=todo["id"], type={"paragraph": {"rich_text": []}})
    assert "body.to_do should be defined" in message
    assert "child_page" in refused(episode, "update-a-block", block_id=page, type={"paragraph": {"rich_text": []}})
    assert "should be defined" in refused(episode, "update-a-block", block_id=todo["id"])
    divider = next(b for b in blocks if b["type"] == "divider")
    more = [paragraph("x")]
    assert "does not support children" in refused(
        episode, "patch-block-children", block_id=divider["id"], children=more
    )


def test_a_mention_names_its_target(episode: Episode) -> None:
    text = [
        {"mention": {"user": {"id": person(episode, "bea")}}},
        {"mention": {"page": {"id": ref(episode, "guide")}}},
        {"mention": {"date": {"start": "2026-03-02"}}},
        {"equation": {"expression": "x^2"}, "annotations": {"bold": True}},
    ]
    page = ref(episode, "notes")
    made = call(episode, "patch-block-children", block_id=page, children=[{"quote": {"rich_text": text}}])["results"][0]
    assert [r["plain_text"] for r in made["quote"]["rich_text"]] == ["@Bea Reed", "Guide", "2026-03-02", "x^2"]
    written = call(episode, "retrieve-page-markdown", page_id=page)["markdown"].split("\n\n")[-1]
    call(episode, "update-page-markdown", page_id=page, type="replace_content", replace_content={"new_str": written})
    again = call(episode, "get-block-children", block_id=page)["results"]
    assert [r["plain_text"] for r in again[0]["quote"]["rich_text"]] == ["@Bea Reed", "Guide", "2026-03-02", "x^2"]
    nobody = {"quote": {"rich_text": [{"mention": {"user": {"id": ref(episode, "guide")}}}]}}
    assert "a user of this workspace" in refused(episode, "patch-block-children", block_id=page, children=[nobody])


def test_what_is_in_the_trash_must_be_restored_first(episode: Episode) -> None:
    guide, start = ref(episode, "guide"), ref(episode, "guide/start")
    block = call(episode, "get-block-children", block_id=guide)["results"][0]["id"]
    gone = call(episode, "patch-page", page_id=guide, in_trash=True)
    assert gone["in_trash"] is True
    assert call(episode, "retrieve-a-page", page_id=start)["in_trash"] is True
    title = {"title": {"title": rich("New")}}
    here = "Can't edit block that is archived. You must unarchive the block before editing."
    assert refused(episode, "patch-page", page_id=guide, properties=title) == here
    assert refused(episode, "patch-block-children", block_id=guide, children=[paragraph("x")]) == here
    for tool, arguments in {
        "patch-page": {"page_id": start, "properties": title},
        "update-a-block": {"block_id": block, "type": {"heading_1": {"rich_text": rich("x")}}},
        "delete-a-block": {"block_id": block},
        "post-page": {"parent": {"page_id": start}, "properties": title},
        "create-a-comment": {"parent": {"page_id": start}, "rich_text": rich("x")},
        "update-page-markdown": {"page_id": start, "type": "replace_content", "replace_content": {"new_str": "x"}},
        "move-page": {"page_id": start, "parent": {"page_id": ref(episode, "notes")}},
    }.items():
        assert "archived ancestor" in refused(episode, tool, **arguments), tool
    assert "Guide" not in str(call(episode, "post-search", query="guide")["results"])
    assert len(call(episode, "post-search", filter={"in_trash": True})["results"]) == 2
    assert call(episode, "patch-page", page_id=guide, in_trash=False, properties=title)["in_trash"] is False
    assert call(episode, "retrieve-a-page", page_id=start)["in_trash"] is False
    call(episode, "delete-a-block", block_id=block)
    assert refused(episode, "delete-a-block", block_id=block) == here
    assert call(episode, "update-a-block", block_id=block, in_trash=False)["in_trash"] is False


def test_a_page_moves_but_not_into_itself(episode: Episode, tasks: str) -> None:
    guide, start, notes = (ref(episode, key) for key in ("guide", "guide/start", "notes"))
    assert "into itself" in refused(episode, "move-page", page_id=guide, parent={"page_id": start})
    assert "into itself" in refused(episode, "move-page", page_id=guide, parent={"page_id": guide})
    assert "into itself" in refused(episode, "move-page", page_id=guide, parent={"data_source_id": tasks})
    moved = call(episode, "move-page", page_id=start, parent={"page_id": notes})
    assert moved["parent"] == {"type": "page_id", "page_id": notes}
    assert kinds(episode, notes)[-1] == "child_page"
    row = call(episode, "move-page", page_id=start, parent={"data_source_id": tasks})
    assert row["properties"]["Name"]["title"][0]["plain_text"] == "Getting started"
    assert row["properties"]["No"]["unique_id"]["number"] == 7
    assert list(call(episode, "move-page", page_id=start, parent={"workspace": True})["properties"]) == ["title"]


def test_a_page_that_is_not_shared_is_not_there(episode: Episode) -> None:
    guide, start = ref(episode, "guide"), ref(episode, "guide/start")
    block = call(episode, "get-block-children", block_id=guide)["results"][0]["id"]
    call(episode, "create-a-comment", parent={"page_id": start}, rich_text=rich("x"))
    live = episode.app("notion")
    live.store.connection.execute("UPDATE page SET shared = 0 WHERE id = ?", (guide,))
    hint = 'Make sure the relevant pages and databases are shared with your integration "Brightwater integration".'
    for tool, arguments in {
        "retrieve-a-page": {"page_id": start},
        "retrieve-a-block": {"block_id": block},
        "get-block-children": {"block_id": guide},
        "retrieve-page-markdown": {"page_id": start},
        "retrieve-a-comment": {"block_id": start},
        "patch-page": {"page_id": guide, "in_trash": True},
    }.items():
        reply = live.call(f"API-{tool}", arguments)
        assert (reply.status, reply.body["code"]) == (404, "object_not_found"), tool
        assert reply.body["message"].endswith(hint)
    assert [p["id"] for p in call(episode, "post-search")["results"]] == [ref(episode, "notes")]


def test_a_mention_reads_as_its_page_is_called_now(episode: Episode) -> None:
    guide, start = ref(episode, "guide"), ref(episode, "guide/start")
    mention = [{"mention": {"page": {"id": guide}}}]
    call(episode, "patch-block-children", block_id=start, children=[{"quote": {"rich_text": mention}}])
    call(episode, "create-a-comment", parent={"page_id": start}, rich_text=mention)
    call(episode, "patch-page", page_id=guide, properties={"title": {"title": rich("Manual")}})
    block = call(episode, "get-block-children", block_id=start)["results"][-1]
    assert block["quote"]["rich_text"][0]["plain_text"] == "Manual"
    assert call(episode, "retrieve-a-comment", block_id=start)["results"][0]["rich_text"][0]["plain_text"] == "Manual"
    markdown = call(episode, "retrieve-page-markdown", page_id=start)["markdown"]
    assert ">Manual</mention-page>" in markdown
    insert = {"content": "More.", "position": {"type": "end"}}
    call(episode, "update-page-markdown", page_id=start, type="insert_content", insert_content=insert)
    assert call(episode, "get-block-children", block_id=start)["results"][-2] == block


def test_an_id_of_another_kind_is_named(episode: Episode, tasks: str) -> None:
    page = ref(episode, "guide")
    block = call(episode, "get-block-children", block_id=page)["results"][0]["id"]
    database = call(episode, "retrieve-a-data-source", data_source_id=tasks)["parent"]["database_id"]
    assert refused(episode, "retrieve-a-page", page_id=database) == (
        f"Provided ID {database} is a database, not a page. Use the retrieve database API instead."
    )
    assert refused(episode, "retrieve-page-markdown", status=404, page_id=tasks).startswith("Could not find block")
    assert refused(episode, "patch-page", page_id=block, in_trash=True) == (
        f"Provided ID {block} is a block, not a page. Use the retrieve block API instead."
    )
    assert refused(episode, "retrieve-a-database", database_id=page) == (
        f"Provided database_id {page} is a page, not a database. Use the pages API instead, or pass the ID of the database itself."
    )
    reply = episode.app("notion").call("API-query-data-source", {"data_source_id": database})
    assert (reply.status, reply.body["message"].split(".")[0]) == (
        404,
        f"Could not find data_source with ID: {database}",
    )
    assert reply.body["additional_data"] == {"integration_id": call(episode, "get-self")["id"]}
