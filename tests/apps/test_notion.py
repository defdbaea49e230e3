"""The Notion app through its public faces: blocks, the trash, data sources, queries, Markdown, and the documents capability."""

import json
from typing import Any

import mcp.types as t
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import templates
from legoenv_mcp.capabilities import Entity, Plan
from legoenv_mcp.capabilities.docs_notes import Document
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

BODY = """# Title

A *first* paragraph with **bold *and both***, ~~gone~~, `code` and a [link](https://a.example/x?y=1).
Its second line: 2 * 3 < 7, snake_case_name.

- one
  - deeper

    with a paragraph
- [ ] to do
- [x] done

3. three
4. four

> said
> so
>
> - here

| a | b |
| --- | --- |
| 1 \\| 2 | `z` |

```sh
ls -l
```

---

$$
x^2
$$

![A map](https://a.example/map.png)"""

DOCUMENTS = [
    Document(
        key="guide",
        title="Guide",
        body=BODY,
        author="alex.doyle",
        created="2025-01-01T08:00:05Z",
        updated="2026-01-01T08:00:07Z",
    ),
    Document(key="guide/start", title="Getting started", body="Begin here.", parent="guide", author="bea"),
    Document(key="notes", title="Meeting notes", body="* odd *bullets*\n\n\n* spelt _otherwise_\n", author="bea"),
]
BEA = Person(
    key="bea", first_name="Bea", last_name="Reed", email="bea@brightwater.example", handle="bea", title="Analyst",
    department="Finance", manager="alex.doyle", city="Leeds", active=False,
)  # fmt: skip
SCHEMA: dict[str, Any] = {
    "Name": {"title": {}},
    "Stage": {"select": {"options": [{"name": "New"}, {"name": "Won", "color": "green"}]}},
    "State": {"status": {}},
    "Tags": {"multi_select": {}},
    "Due": {"date": {}},
    "Cost": {"number": {"format": "euro"}},
    "Done": {"checkbox": {}},
    "Mail": {"email": {}},
    "Text": {"rich_text": {}},
    "Who": {"people": {}},
    "No": {"unique_id": {"prefix": "T"}},
    "Made": {"created_time": {}},
    "Size": {"formula": {"expression": 'if(prop("Cost") > 15, "big " + prop("Name"), "small")'}},
    "Double": {"formula": {"expression": 'round(prop("Cost") * 2 + 0.4)'}},
}


@pytest.fixture
def episode() -> Episode:
    return episode_of("notion", [BEA, *DOCUMENTS])


def call(episode: Episode, tool: str, /, **arguments: Any) -> Any:
    reply = episode.app("notion").call(f"API-{tool}", arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, /, status: int = 400, **arguments: Any) -> str:
    """The message of a refusal, which leaves nothing behind."""
    live = episode.app("notion")
    before = live.store.connection.serialize()
    reply = live.call(f"API-{tool}", arguments)
    assert reply.error, reply.body
    assert (reply.status, reply.body["object"], reply.body["status"]) == (status, "error", status)
    assert live.store.connection.serialize() == before
    return reply.body["message"]


def ref(episode: Episode, key: str) -> str:
    return episode.app("notion").refs("docs_notes.Document")[key]


def person(episode: Episode, key: str) -> str:
    return episode.app("notion").refs("people.Person")[key]


def rich(content: str) -> list[dict[str, Any]]:
    return [{"text": {"content": content}}]


def paragraph(content: str, *children: Any) -> dict[str, Any]:
    return {"paragraph": {"rich_text": rich(content), **({"children": list(children)} if children else {})}}


def kinds(episode: Episode, page: str) -> list[str]:
    return [b["type"] for b in call(episode, "get-block-children", block_id=page, page_size=100)["results"]]


def viewed(episode: Episode, table: str) -> dict[str, Entity]:
    live = episode.app("notion")
    ctx, shape = Ctx(live, None, None, Request()), live.app.shapes[table]
    rows = [shape.decode(raw) for raw in live.store.connection.execute(shape.select)]
    found = [live.app.provides["docs_notes"].view(ctx, table, row) for row in rows]
    return {e.id: e for e in found if e is not None}


def carry_out(episode: Episode, plan: Plan) -> Any:
    reply: Any = None
    try:
        step = next(plan)
        while True:
            made = episode.app("notion").call(step.tool, step.arguments)
            assert not made.error, made.body
            reply = made.body
            step = plan.send(reply)
    except StopIteration:
        return reply


@pytest.fixture
def tasks(episode: Episode) -> str:
    """A data source of six tasks."""
    made = call(
        episode, "create-a-database", parent={"page_id": ref(episode, "guide")}, title=rich("Tasks"),
        initial_data_source={"properties": SCHEMA},
    )  # fmt: skip
    source = made["data_sources"][0]["id"]
    for i in range(6):
        values: dict[str, Any] = {
            "Name": {"title": rich(f"Task {i}")},
            "Stage": {"select": {"name": "Won" if i % 2 else "New"}},
            "Tags": {"multi_select": [{"name": "all"}, {"name": f"t{i}"}]},
            "Due": {"date": {"start": f"2026-03-0{i + 1}"}},
            "Cost": {"number": i * 10},
            "Done": {"checkbox": i > 3},
            "Who": {"people": [{"id": person(episode, "bea" if i < 2 else "alex.doyle")}]},
        }
        if i == 5:
            values |= {"Due": {"date": None}, "Mail": {"email": "x@a.example"}, "Text": {"rich_text": rich("Ärger")}}
        call(episode, "post-page", parent={"data_source_id": source}, properties=values)
    return source


def found(episode: Episode, source: str, condition: Any, **more: Any) -> str:
    """The numbers of the tasks that match, in order of cost."""
    more.setdefault("sorts", [{"property": "Cost", "direction": "ascending"}])
    results = call(episode, "query-data-source", data_source_id=source, filter=condition, **more)["results"]
    return "".join(p["properties"]["Name"]["title"][0]["plain_text"][-1] for p in results)


# Capability


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


# Blocks


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


# The trash, moving, sharing


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


# Data sources


def test_conditions(episode: Episode, tasks: str) -> None:
    bea = person(episode, "bea")
    undone = {"property": "Done", "checkbox": {"equals": False}}
    free, won = {"property": "Cost", "number": {"equals": 0}}, {"property": "Stage", "select": {"equals": "Won"}}
    for condition, wanted in (
        ({"property": "Name", "title": {"contains": "task"}}, "012345"),
        ({"property": "Name", "rich_text": {"ends_with": "4"}}, "4"),
        ({"property": "Name", "title": {"does_not_equal": "Task 1"}}, "02345"),
        ({"property": "Text", "rich_text": {"starts_with": "är"}}, "5"),
        ({"property": "Text", "rich_text": {"is_empty": True}}, "01234"),
        ({"property": "Mail", "email": {"is_not_empty": True}}, "5"),
        ({"property": "Stage", "select": {"equals": "Won"}}, "135"),
        ({"property": "Stage", "select": {"does_not_equal": "Won"}}, "024"),
        ({"property": "State", "status": {"is_empty": True}}, "012345"),
        ({"property": "Tags", "multi_select": {"contains": "t2"}}, "2"),
        ({"property": "Tags", "multi_select": {"does_not_contain": "t2"}}, "01345"),
        ({"property": "Cost", "number": {"greater_than_or_equal_to": 30}}, "345"),
        ({"property": "Cost", "number": {"does_not_equal": 30}}, "01245"),
        ({"property": "Done", "checkbox": {"equals": True}}, "45"),
        ({"property": "Done", "checkbox": {"does_not_equal": True}}, "0123"),
        ({"property": "Due", "date": {"equals": "2026-03-02"}}, "1"),
        ({"property": "Due", "date": {"equals": "today"}}, "1"),
        ({"property": "Due", "date": {"before": "2026-03-02"}}, "0"),
        ({"property": "Due", "date": {"on_or_after": "2026-03-04T10:00:00Z"}}, "34"),
        ({"property": "Due", "date": {"this_week": {}}}, "01234"),
        ({"property": "Due", "date": {"past_week": {}}}, "01"),
        ({"property": "Due", "date": {"next_month": {}}}, "1234"),
        ({"property": "Due", "date": {"is_empty": True}}, "5"),
        ({"property": "Who", "people": {"contains": bea}}, "01"),
        ({"property": "Who", "people": {"contains": "me"}}, "2345"),
        ({"property": "No", "unique_id": {"less_than": 3}}, "01"),
        ({"property": "Size", "formula": {"string": {"starts_with": "big"}}}, "2345"),
        ({"property": "Double", "formula": {"number": {"greater_than": 60}}}, "45"),
        ({"property": "Made", "created_time": {"on_or_after": "2026-03-02"}}, "012345"),
        ({"timestamp": "last_edited_time", "last_edited_time": {"before": "2026-03-02"}}, ""),
        ({"or": [{"property": "Done", "checkbox": {"equals": True}}, {"property": "Cost", "number": {"equals": 0}}]}, "045"),
        ({"and": [undone, {"or": [free, won]}]}, "013"),
        ({"and": []}, "012345"),
    ):  # fmt: skip
        assert found(episode, tasks, condition) == wanted, condition


def test_bad_filters_are_named(episode: Episode, tasks: str) -> None:
    leaf = {"property": "Cost", "number": {"equals": 1}}
    for condition, message in (
        ({"property": "Nope", "number": {"equals": 1}}, "Could not find property with name or id: Nope"),
        ({"property": "Cost", "select": {"equals": "x"}}, "database property number does not match filter select"),
        ({"property": "Cost", "number": {"equals": "1"}}, "body.filter.number.equals should be a number, instead was `\"1\"`."),
        ({"property": "Cost", "number": {"contains": 1}}, "body.filter.number.contains should be not present"),
        ({"property": "Cost", "number": {}}, "body.filter.number.equals should be defined"),
        ({"property": "Stage", "select": {"equals": "Lost"}}, 'select option "Lost" not found for property "Stage"'),
        ({"property": "Due", "date": {"equals": "yesteryear"}}, "should be a valid ISO 8601 date string"),
        ({"property": "Due", "date": {"is_empty": False}}, "should be `true`"),
        ({"property": "Cost"}, "body.filter.number should be defined"),
        ({}, "body.filter.or should be defined"),
        ({"and": [{"or": [{"and": [leaf]}]}]}, "body.filter.and[0].or[0].and should be not present"),
        ({"and": [leaf], "or": [leaf]}, "body.filter.or should be not present"),
        ({"timestamp": "edited", "edited": {}}, "body.filter.timestamp should be"),
    ):  # fmt: skip
        assert message in refused(episode, "query-data-source", data_source_id=tasks, filter=condition), condition
    bad = [{"property": "Nope", "direction": "ascending"}]
    assert "Could not find sort property" in refused(episode, "query-data-source", data_source_id=tasks, sorts=bad)
    assert "page_size should be ≤ `100`" in refused(episode, "query-data-source", data_source_id=tasks, page_size=101)


def test_sorts_and_pages(episode: Episode, tasks: str) -> None:
    everything = {"and": list[Any]()}
    by = [{"property": "Stage", "direction": "descending"}, {"property": "Due", "direction": "descending"}]
    assert found(episode, tasks, everything, sorts=by) == "315420"
    assert found(episode, tasks, everything, sorts=[{"property": "Name", "direction": "descending"}]) == "543210"
    assert (
        found(episode, tasks, everything, sorts=[{"timestamp": "created_time", "direction": "ascending"}]) == "012345"
    )
    walked, cursor = "", None
    while True:
        page = call(
            episode,
            "query-data-source",
            data_source_id=tasks,
            page_size=4,
            **({"start_cursor": cursor} if cursor else {}),
        )
        walked += "".join(p["properties"]["Name"]["title"][0]["plain_text"][-1] for p in page["results"])
        cursor = page["next_cursor"]
        assert page["has_more"] == (cursor is not None)
        if cursor is None:
            break
    assert walked == "543210"


def test_values_must_fit_the_schema(episode: Episode, tasks: str) -> None:
    parent = {"data_source_id": tasks}
    for properties, message in (
        ({"Nope": {"number": 1}}, "Nope is not a property that exists."),
        ({"Cost": {"rich_text": rich("1")}}, "Cost is expected to be number."),
        ({"Cost": {"number": "1"}}, "body.properties.Cost.number should be a number"),
        ({"Cost": {}}, "body.properties.Cost.number should be defined"),
        ({"State": {"status": {"name": "Lost"}}}, 'Invalid status option. Status option "Lost" does not exist".'),
        ({"Stage": {"select": {"name": "a,b"}}}, "commas not allowed"),
        ({"Due": {"date": {"start": "2026-02-30"}}}, "should be a valid ISO 8601 date string"),
        ({"Due": {"date": {"start": "2026-03-02", "end": "2026-03-01"}}}, "Start date must be before end date."),
        ({"Who": {"people": [{"id": tasks}]}}, f"Could not find user with ID: {tasks}."),
        ({"No": {"unique_id": {"number": 9}}}, "cannot be set via the API"),
        ({"Size": {"formula": {"string": "x"}}}, "cannot be set via the API"),
    ):
        assert message in refused(episode, "post-page", parent=parent, properties=properties), properties
    made = call(episode, "post-page", parent=parent, properties={"Stage": {"select": {"name": "Lost"}}})
    assert made["properties"]["Stage"]["select"]["name"] == "Lost"
    schema = call(episode, "retrieve-a-data-source", data_source_id=tasks)["properties"]
    assert [o["name"] for o in schema["Stage"]["select"]["options"]] == ["New", "Won", "Lost"]
    item = call(episode, "retrieve-a-page-property", page_id=made["id"], property_id=schema["Who"]["id"])
    assert (item["object"], item["results"]) == ("list", [])
    guide = ref(episode, "guide")
    assert "Cost is not a property that exists." in refused(
        episode, "patch-page", page_id=guide, properties={"Cost": {"number": 1}}
    )


def test_the_schema_changes_with_the_pages(episode: Episode, tasks: str) -> None:
    def alter(**properties: Any) -> Any:
        return call(episode, "update-a-data-source", data_source_id=tasks, properties=properties)["properties"]

    shown = alter(Cost={"name": "Price"}, Mail=None, Site={"url": {}}, Stage={"select": {"options": [{"name": "Won"}]}})
    assert "Mail" not in shown
    assert shown["Price"]["number"] == {"format": "euro"}
    assert shown["Size"]["formula"]["expression"].startswith('if(prop("Price")')
    rows = call(episode, "query-data-source", data_source_id=tasks)["results"]
    assert [r["properties"]["Stage"]["select"] is None for r in rows] == [False, True] * 3
    many = alter(Stage={"multi_select": {}})
    assert [o["name"] for o in many["Stage"]["multi_select"]["options"]] == ["Won"]
    assert (
        len(
            call(episode, "query-data-source", data_source_id=tasks)["results"][0]["properties"]["Stage"][
                "multi_select"
            ]
        )
        == 1
    )
    for properties, message in (
        ({"Name": None}, "Cannot delete title property."),
        ({"Nope": None}, "Could not find property with name or id: Nope"),
        ({"Other": {"title": {}}}, "only one title"),
        ({"Price": {"name": "Due"}}, "exists already"),
        ({"State": {"select": {}}}, "status"),
        ({"X": {"formula": {"expression": "prop("}}}, "Formula is invalid"),
        ({"X": {"formula": {"expression": 'prop("Nope")'}}}, "undefined property `Nope`"),
        ({"X": {"formula": {"expression": "frobnicate(1)"}}}, "undefined function `frobnicate`"),
        ({"X": {"number": {"format": "doubloon"}}}, "number.format should be"),
        ({"X": {"button": {}}}, "should be not present"),
    ):
        assert message in refused(episode, "update-a-data-source", data_source_id=tasks, properties=properties), (
            properties
        )


def test_a_time_in_a_time_zone_is_shown_by_its_offset(episode: Episode, tasks: str) -> None:
    page = call(episode, "query-data-source", data_source_id=tasks)["results"][0]["id"]

    def due(**date: Any) -> dict[str, Any]:
        return {"page_id": page, "properties": {"Due": {"date": date}}}

    shown = call(
        episode,
        "patch-page",
        **due(start="2026-03-01T20:00:00", end="2026-07-01T09:00:00", time_zone="America/New_York"),
    )
    assert shown["properties"]["Due"]["date"] == {
        "start": "2026-03-01T20:00:00.000-05:00", "end": "2026-07-01T09:00:00.000-04:00", "time_zone": None,
    }  # fmt: skip
    assert found(episode, tasks, {"property": "Due", "date": {"equals": "2026-03-02T01:00:00Z"}}) == "15"
    for start in ("20260301", "2026-W01-1", "tomorrow", ""):
        assert "should be a valid ISO 8601 date string" in refused(episode, "patch-page", **due(start=start))
    for start in ("2026-03-01", "2026-03-01T20:00:00Z"):
        assert "without a UTC offset" in refused(episode, "patch-page", **due(start=start, time_zone="Europe/Berlin"))


def test_a_timestamp_is_compared_as_it_is_shown(episode: Episode, tasks: str) -> None:
    page = call(episode, "query-data-source", data_source_id=tasks)["results"][0]
    for kind in ("created_time", "last_edited_time"):
        for operator, there in (("equals", True), ("after", False), ("on_or_before", True)):
            condition = {"timestamp": kind, kind: {operator: page[kind]}}
            results = call(episode, "query-data-source", data_source_id=tasks, filter=condition)["results"]
            assert (page["id"] in [one["id"] for one in results]) is there, (kind, operator)


def test_an_option_is_renamed_by_its_id(episode: Episode, tasks: str) -> None:
    new, won = call(episode, "retrieve-a-data-source", data_source_id=tasks)["properties"]["Stage"]["select"]["options"]
    options = [{"id": new["id"], "name": "Fresh"}, {"id": won["id"]}]
    change = {"data_source_id": tasks, "properties": {"Stage": {"select": {"options": options}}}}
    call(episode, "update-a-data-source", **change)
    assert found(episode, tasks, {"property": "Stage", "select": {"equals": "Fresh"}}) == "024"
    options[0]["name"] = "Won"
    assert "same name" in refused(episode, "update-a-data-source", **change)


def test_a_relation_ends_on_both_sides(episode: Episode, tasks: str) -> None:
    far = call(
        episode, "create-a-database", parent={"page_id": ref(episode, "guide")}, title=rich("Projects"),
        initial_data_source={"properties": {"Name": {"title": {}}, "Tasks": {"relation": {
            "data_source_id": tasks, "dual_property": {"synced_property_name": "Project"}}}}},
    )["data_sources"][0]["id"]  # fmt: skip
    near = [one["id"] for one in call(episode, "query-data-source", data_source_id=tasks)["results"]]
    related = {"Tasks": {"relation": [{"id": key} for key in near]}}
    project = call(episode, "post-page", parent={"data_source_id": far}, properties=related)
    back = call(episode, "patch-page", page_id=project["id"], properties=project["properties"])
    assert back["properties"] == project["properties"]  # what is read may be written

    def theirs(page: str) -> list[str]:
        shown = call(episode, "retrieve-a-page", page_id=page)["properties"]
        return [one["id"] for name in ("Tasks", "Project") if name in shown for one in shown[name]["relation"]]

    call(episode, "patch-page", page_id=near[0], in_trash=True)
    assert theirs(project["id"]) == near[1:]
    call(episode, "patch-page", page_id=near[0], in_trash=False)
    assert theirs(project["id"]) == near
    call(episode, "move-page", page_id=near[0], parent={"page_id": ref(episode, "guide")})
    assert theirs(project["id"]) == near[1:]
    call(episode, "update-a-data-source", data_source_id=far, properties={"Tasks": None})
    shown = call(episode, "retrieve-a-data-source", data_source_id=tasks)["properties"]["Project"]["relation"]
    assert shown["type"] == "single_property"
    before = call(episode, "retrieve-a-page", page_id=project["id"])
    call(episode, "patch-page", page_id=near[1], properties={"Project": {"relation": []}})
    assert call(episode, "retrieve-a-page", page_id=project["id"]) == before


def test_what_a_new_property_follows_from_is_there_at_once(episode: Episode, tasks: str) -> None:
    alter = {"data_source_id": tasks, "properties": {"No": None, "After": {"relation": {"data_source_id": tasks}}}}
    call(episode, "update-a-data-source", **alter)
    first, second, *_ = call(episode, "query-data-source", data_source_id=tasks)["results"]
    call(episode, "patch-page", page_id=first["id"], properties={"After": {"relation": [{"id": second["id"]}]}})
    both = {"data_source_id": tasks, "dual_property": {"synced_property_name": "Before"}}
    alter["properties"] = {"After": {"relation": both}, "Key": {"unique_id": {"prefix": "K"}}}
    call(episode, "update-a-data-source", **alter)
    shown = call(episode, "retrieve-a-page", page_id=second["id"])["properties"]
    assert shown["Before"]["relation"] == [{"id": first["id"]}]
    oldest = call(
        episode, "query-data-source", data_source_id=tasks, sorts=[{"timestamp": "created_time", "direction": "ascending"}]
    )["results"]  # fmt: skip
    numbers = [page["properties"]["Key"]["unique_id"]["number"] for page in oldest]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) == 6


@pytest.mark.parametrize(
    ("expression", "full", "blank"),
    [
        ('prop("Cost") * 2', {"type": "number", "number": 20}, {"type": "number", "number": None}),
        ('formatDate(prop("Due"), "D MMM YYYY")', {"type": "string", "string": "2 Mar 2026"}, {"type": "string", "string": None}),
        ('month(dateAdd(prop("Due"), 11, "months"))', {"type": "number", "number": 2}, {"type": "number", "number": None}),
        ('dateBetween(dateSubtract(prop("Due"), 1, "weeks"), prop("Due"), "days")', {"type": "number", "number": -7},
         {"type": "number", "number": None}),
        ('prop("Due") > dateAdd(prop("Due"), -1, "day")', {"type": "boolean", "boolean": True}, {"type": "boolean", "boolean": None}),
        ('prop("Due")', {"type": "date", "date": {"start": "2026-03-02T00:00:00.000+00:00", "end": None, "time_zone": None}},
         {"type": "date", "date": None}),
        ('dateAdd(prop("Due"), 99999999, "years")', {"type": "date", "date": None}, {"type": "date", "date": None}),
        ('dateAdd(prop("Due"), 1, "moons")', {"type": "date", "date": None}, {"type": "date", "date": None}),
    ],
)  # fmt: skip
def test_a_formula_is_of_one_type_whatever_is_blank(
    episode: Episode, tasks: str, expression: str, full: dict[str, Any], blank: dict[str, Any]
) -> None:
    change = {"data_source_id": tasks, "properties": {"F": {"formula": {"expression": expression}}}}
    call(episode, "update-a-data-source", **change)
    empty = call(episode, "post-page", parent={"data_source_id": tasks}, properties={})
    assert empty["properties"]["F"]["formula"] == blank
    pages = call(
        episode, "query-data-source", data_source_id=tasks, filter={"property": "Name", "title": {"equals": "Task 1"}}
    )
    assert pages["results"][0]["properties"]["F"]["formula"] == full


def test_formulas_of_formulas_are_worked_out_once(episode: Episode, tasks: str) -> None:
    before, change = "Cost", dict[str, Any](data_source_id=tasks)
    for i in range(6):
        expression = " + ".join([f'prop("{before}")'] * 100)
        before = f"F{i}"
        change["properties"] = {before: {"formula": {"expression": expression}}}
        call(episode, "update-a-data-source", **change)
    call(episode, "post-page", parent={"data_source_id": tasks}, properties={})
    for expression in ("+".join(["1"] * 2000), "1?" * 900 + "1" + ":1" * 900, 'prop("F5") + 1'):
        change["properties"] = {"F0": {"formula": {"expression": expression}}}
        call(episode, "update-a-data-source", **change)
        assert len(call(episode, "query-data-source", data_source_id=tasks)["results"]) == 7


def test_a_page_shows_the_first_of_a_long_relation(episode: Episode, tasks: str) -> None:
    schema = {"Name": {"title": {}}, "Of": {"relation": {"data_source_id": tasks}}}
    source = call(
        episode, "create-a-database", parent={"page_id": ref(episode, "guide")}, initial_data_source={"properties": schema}
    )["data_sources"][0]["id"]  # fmt: skip
    made = [call(episode, "post-page", parent={"data_source_id": tasks})["id"] for _ in range(30)]
    page = call(
        episode,
        "post-page",
        parent={"data_source_id": source},
        properties={"Of": {"relation": [{"id": key} for key in made]}},
    )
    assert len(page["properties"]["Of"]["relation"]) == 25
    assert page["properties"]["Of"]["has_more"] is True
    where, walked, cursor = {"page_id": page["id"], "property_id": page["properties"]["Of"]["id"]}, list[str](), None
    while True:
        items = call(episode, "retrieve-a-page-property", **where, page_size=7, start_cursor=cursor)
        walked += [one["relation"]["id"] for one in items["results"]]
        cursor = items["next_cursor"]
        if cursor is None:
            break
    assert walked == made


def test_relations_have_two_sides_and_rollups_add_up(episode: Episode, tasks: str) -> None:
    rollup = {"relation_property_name": "Tasks"}
    schema: dict[str, Any] = {
        "Name": {"title": {}},
        "Tasks": {"relation": {"data_source_id": tasks, "dual_property": {}}},
        "Total": {"rollup": {"function": "sum", "rollup_property_name": "Cost", **rollup}},
        "Names": {"rollup": {"function": "show_original", "rollup_property_name": "Name", **rollup}},
    }
    made = call(
        episode,
        "create-a-database",
        parent={"page_id": ref(episode, "notes")},
        title=rich("Projects"),
        initial_data_source={"properties": schema},
    )
    projects = made["data_sources"][0]["id"]
    rows = call(episode, "query-data-source", data_source_id=tasks)["results"]
    values = {"Name": {"title": rich("P")}, "Tasks": {"relation": [{"id": r["id"]} for r in rows[:2]]}}
    project = call(episode, "post-page", parent={"data_source_id": projects}, properties=values)
    assert project["properties"]["Total"]["rollup"] == {"type": "number", "number": 90, "function": "sum"}
    assert len(project["properties"]["Names"]["rollup"]["array"]) == 2
    back = next(
        n
        for n, p in call(episode, "retrieve-a-data-source", data_source_id=tasks)["properties"].items()
        if p["type"] == "relation"
    )
    task = call(episode, "retrieve-a-page", page_id=rows[0]["id"])
    assert task["properties"][back]["relation"] == [{"id": project["id"]}]
    call(episode, "patch-page", page_id=rows[0]["id"], properties={back: {"relation": []}})
    project = call(episode, "retrieve-a-page", page_id=project["id"])
    assert project["properties"]["Tasks"]["relation"] == [{"id": rows[1]["id"]}]
    assert found_names(episode, projects, {"property": "Tasks", "relation": {"contains": rows[1]["id"]}}) == ["P"]
    assert found_names(episode, projects, {"property": "Total", "rollup": {"number": {"greater_than": 40}}}) == []
    assert found_names(
        episode, projects, {"property": "Names", "rollup": {"any": {"rich_text": {"contains": "Task"}}}}
    ) == ["P"]
    stranger = {"Tasks": {"relation": [{"id": project["id"]}]}}
    assert "not in the data source" in refused(episode, "patch-page", page_id=project["id"], properties=stranger)


def found_names(episode: Episode, source: str, condition: Any) -> list[str]:
    results = call(episode, "query-data-source", data_source_id=source, filter=condition)["results"]
    return [p["properties"]["Name"]["title"][0]["plain_text"] for p in results]


# Markdown


def test_markdown_edits_keep_what_they_do_not_touch(episode: Episode) -> None:
    guide = ref(episode, "guide")
    before = call(episode, "get-block-children", block_id=guide, page_size=100)["results"]
    edits = [{"old_str": "A *first* paragraph", "new_str": "The paragraph"}, {"old_str": "# Title", "new_str": "# Top"}]
    for edit in edits:
        call(
            episode,
            "update-page-markdown",
            page_id=guide,
            type="update_content",
            update_content={"content_updates": [edit]},
        )
    after = call(episode, "get-block-children", block_id=guide, page_size=100)["results"]
    assert [b["id"] for b in after] == [b["id"] for b in before]
    shown: Any = viewed(episode, "page")[guide]
    assert shown.body == BODY.replace("A *first* paragraph", "The paragraph").replace("# Title", "# Top")
    wipe = {"new_str": "Nothing."}
    message = refused(episode, "update-page-markdown", page_id=guide, type="replace_content", replace_content=wipe)
    assert "would delete 1 child page(s) or database(s): Getting started" in message
    kept = call(episode, "retrieve-page-markdown", page_id=guide)["markdown"].rsplit("\n\n", 1)[1]
    assert kept.startswith("<page url=")
    new = {"new_str": f"Intro.\n\n{kept}\n\nOutro."}
    call(episode, "update-page-markdown", page_id=guide, type="replace_content", replace_content=new)
    assert kinds(episode, guide) == ["paragraph", "child_page", "paragraph"]
    head = {"content": "# Head", "position": {"type": "start"}}
    add = {"content": "Middle.", "after": "Int...ro."}
    call(episode, "update-page-markdown", page_id=guide, type="insert_content", insert_content=add)
    call(episode, "update-page-markdown", page_id=guide, type="insert_content", insert_content=head)
    swap = {"content": "End.", "content_range": "Out...ro."}
    made = call(
        episode, "update-page-markdown", page_id=guide, type="replace_content_range", replace_content_range=swap
    )
    assert made["markdown"] == f"# Head\n\nIntro.\n\nMiddle.\n\n{kept}\n\nEnd."
    call(
        episode,
        "update-page-markdown",
        page_id=guide,
        type="replace_content",
        replace_content={**wipe, "allow_deleting_content": True},
    )
    assert kinds(episode, guide) == ["paragraph"]


def test_markdown_edits_that_cannot_be_made(episode: Episode) -> None:
    guide = ref(episode, "guide")

    def edit(**update: Any) -> str:
        return refused(
            episode,
            "update-page-markdown",
            page_id=guide,
            type="update_content",
            update_content={"content_updates": [update]},
        )

    assert "Could not find old_str" in edit(old_str="no such text", new_str="x")
    assert "occurs" in edit(old_str="o", new_str="x")
    assert "new_str should be defined" in edit(old_str="Title")
    assert "body.replace_content should be defined" in refused(
        episode, "update-page-markdown", page_id=guide, type="replace_content"
    )
    both: dict[str, Any] = {"insert_content": {"content": "x"}, "replace_content": {"new_str": "x"}}
    assert "should be not present" in refused(
        episode, "update-page-markdown", page_id=guide, type="replace_content", **both
    )


def test_markdown_tags_hold_blocks(episode: Episode) -> None:
    notes, guide = ref(episode, "notes"), ref(episode, "guide")
    bookmark = {"toggle": {"rich_text": rich("Links"), "children": [{"bookmark": {"url": "https://a.example"}}]}}
    call(episode, "patch-block-children", block_id=notes, children=[bookmark])
    text = call(episode, "retrieve-page-markdown", page_id=notes)["markdown"].split("\n\n")[-1]
    assert text.startswith("<details>\n<summary>Links</summary>\n\t<unknown url=")
    callout = '<callout icon="💡" color="gray_background">\n\tMind **this**\n\n\t- a\n</callout>'
    columns = "<columns>\n\t<column>\n\t\tl\n\t</column>\n\n\t<column>\n\t\tr\n\t</column>\n</columns>"
    link = f'<callout>\n\tSee\n\n\t<page url="https://www.notion.so/{guide.replace("-", "")}">Guide</page>\n</callout>'
    new = "\n\n".join((callout, columns, text.replace("Links", "More"), link))
    call(episode, "update-page-markdown", page_id=notes, type="replace_content", replace_content={"new_str": new})
    blocks = call(episode, "get-block-children", block_id=notes)["results"]
    assert [b["type"] for b in blocks] == ["callout", "column_list", "toggle", "callout"]
    assert blocks[0]["callout"]["icon"] == {"type": "emoji", "emoji": "💡"}
    assert kinds(episode, blocks[2]["id"]) == ["bookmark"]
    assert kinds(episode, blocks[3]["id"]) == ["link_to_page"]
    again = call(episode, "retrieve-page-markdown", page_id=notes)["markdown"]
    assert again.startswith(f"{callout}\n\n{columns}\n\n<details>\n<summary>More</summary>")
    deep = {"content": "<callout>\n" * 13 + "x\n" + "</callout>\n" * 13}
    assert "deeper than 12" in refused(
        episode, "update-page-markdown", page_id=notes, type="insert_content", insert_content=deep
    )
    open_ = call(
        episode,
        "update-page-markdown",
        page_id=notes,
        type="replace_content",
        replace_content={"new_str": "<callout>\n\nx"},
    )
    assert kinds(episode, notes) == ["paragraph", "paragraph"]
    assert open_["markdown"].endswith("x")
    many = {"content": "**a** " * 101}
    assert "≤ `100`" in refused(
        episode, "update-page-markdown", page_id=notes, type="insert_content", insert_content=many
    )


LINE = st.text(st.sampled_from("ab *_`~[]()<>#-+.1>|!\\&$:xé"), min_size=1, max_size=14).map(str.strip).filter(bool)


@settings(max_examples=40, deadline=None)
@given(st.lists(LINE, min_size=1, max_size=4))
def test_any_plain_text_reads_back_as_itself(lines: list[str]) -> None:
    episode = episode_of("notion", [BEA, DOCUMENTS[2]])
    page = ref(episode, "notes")
    call(episode, "patch-page", page_id=page, erase_content=True)
    call(episode, "patch-block-children", block_id=page, children=[paragraph(line) for line in lines])
    markdown = call(episode, "retrieve-page-markdown", page_id=page)["markdown"]
    call(episode, "patch-page", page_id=page, erase_content=True)
    call(episode, "update-page-markdown", page_id=page, type="replace_content", replace_content={"new_str": markdown})
    blocks = call(episode, "get-block-children", block_id=page)["results"]
    assert [
        "".join(r["plain_text"] for r in b["paragraph"]["rich_text"]) for b in blocks if b["type"] == "paragraph"
    ] == lines
    assert call(episode, "retrieve-page-markdown", page_id=page)["markdown"] == markdown


ODD = ("* a", "1. a", "# a", "> a", "[x] a", "C #", "---", "```", "<b>x</b>", "<callout>", "</details>", "<!-- x -->",
       '<page url="x">', " a", "\ta", "    a", "a\n\nb", "| a |", "$x$", "a\\", "[a]: b")  # fmt: skip


@pytest.mark.parametrize(
    "kind", ["paragraph", "bulleted_list_item", "numbered_list_item", "quote", "callout", "heading_2"]
)
def test_text_that_looks_like_markdown_reads_back_in_every_block(episode: Episode, kind: str) -> None:
    page = ref(episode, "guide/start")
    for text in ODD:
        if kind == "heading_2" and (text != text.strip() or "\n" in text):
            continue  # a heading is one line, without space around it
        call(episode, "patch-page", page_id=page, erase_content=True)
        held = [{kind: {"rich_text": rich(text)}}, paragraph("end")]
        call(episode, "patch-block-children", block_id=page, children=held)
        markdown = call(episode, "retrieve-page-markdown", page_id=page)["markdown"]
        call(episode, "patch-page", page_id=page, erase_content=True)
        edit = {"page_id": page, "type": "replace_content", "replace_content": {"new_str": markdown}}
        call(episode, "update-page-markdown", **edit)
        back = call(episode, "get-block-children", block_id=page)["results"]
        said = [(one["type"], "".join(r["plain_text"] for r in one[one["type"]]["rich_text"])) for one in back]
        assert said == [(kind, text), ("paragraph", "end")], markdown


WORD = st.text(st.sampled_from("ab*_`1é"), min_size=1, max_size=5)
STYLES = st.sets(st.sampled_from(("bold", "italic", "strikethrough")), max_size=2)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(WORD, STYLES), min_size=1, max_size=5))
def test_styled_words_keep_their_text_and_styles(words: list[tuple[str, set[str]]]) -> None:
    """Words with spaces between them, which are plain."""
    episode = episode_of("notion", [BEA, DOCUMENTS[2]])
    page = ref(episode, "notes")
    text: list[dict[str, Any]] = []
    for word, styles in words:
        text += [{"text": {"content": word}, "annotations": dict.fromkeys(styles, True)}, {"text": {"content": " x "}}]
    call(episode, "patch-page", page_id=page, erase_content=True)
    call(
        episode,
        "patch-block-children",
        block_id=page,
        children=[{"bulleted_list_item": {"rich_text": [*text, *rich(".")]}}],
    )
    markdown = call(episode, "retrieve-page-markdown", page_id=page)["markdown"]
    call(episode, "patch-page", page_id=page, erase_content=True)
    call(episode, "update-page-markdown", page_id=page, type="replace_content", replace_content={"new_str": markdown})
    block = call(episode, "get-block-children", block_id=page)["results"][0]
    shown = letters(block["bulleted_list_item"]["rich_text"])
    wanted = [
        (c, styles)
        for word, styles in words
        for c, styles in [*((c, frozenset(styles)) for c in word), *((c, frozenset[str]()) for c in " x ")]
    ]
    assert shown == [*wanted, (".", frozenset())]


def letters(runs: list[dict[str, Any]]) -> list[tuple[str, frozenset[str]]]:
    """Each letter with its styles."""
    return [(c, frozenset(k for k, v in r["annotations"].items() if v is True)) for r in runs for c in r["plain_text"]]


# Comments, users, faces


def test_comments_and_discussions(episode: Episode) -> None:
    guide = ref(episode, "guide")
    block = call(episode, "get-block-children", block_id=guide)["results"][0]["id"]
    first = call(episode, "create-a-comment", parent={"page_id": guide}, markdown="**Really**?")
    assert first["rich_text"][0]["annotations"]["bold"] is True
    other = call(episode, "create-a-comment", parent={"block_id": block}, rich_text=rich("Here"))
    assert other["discussion_id"] != first["discussion_id"]
    reply = call(episode, "create-a-comment", discussion_id=first["discussion_id"], rich_text=rich("Yes"))
    assert [c["id"] for c in call(episode, "retrieve-a-comment", block_id=guide)["results"]] == [
        first["id"],
        reply["id"],
    ]
    assert [c["id"] for c in call(episode, "retrieve-a-comment", block_id=block)["results"]] == [other["id"]]
    assert "body.parent should be defined" in refused(episode, "create-a-comment", rich_text=rich("x"))
    assert "not be empty" in refused(episode, "create-a-comment", parent={"page_id": guide}, rich_text=[])
    refused(episode, "create-a-comment", status=404, discussion_id=guide, rich_text=rich("x"))
    refused(episode, "create-a-comment", status=404, parent={"page_id": block}, rich_text=rich("x"))
    episode.app("notion").store.connection.execute("UPDATE comment SET created_by = ?", (person(episode, "bea"),))
    refused(episode, "update-a-comment", status=403, comment_id=first["id"], rich_text=rich("x"))
    refused(episode, "delete-a-comment", status=403, comment_id=first["id"])


def test_members_who_left_are_not_listed(episode: Episode) -> None:
    names = [u["name"] for u in call(episode, "get-users")["results"]]
    assert "Alex Doyle" in names
    assert "Bea Reed" not in names
    assert call(episode, "get-user", user_id=person(episode, "bea"))["person"]["email"] == BEA.email
    assert "Could not find user with ID" in refused(episode, "get-user", status=404, user_id=ref(episode, "guide"))


def test_versions_and_envelopes_over_rest(episode: Episode) -> None:
    live = episode.app("notion")

    def rest(method: str, path: str, headers: dict[str, str], body: bytes = b"") -> Any:
        return handle(live, Request(method, path, path, {}, headers, ""), body)

    page = f"/v1/pages/{ref(episode, 'guide').replace('-', '').upper()}"
    assert "archived" not in rest("GET", page, {"notion-version": "2026-03-11"}).body
    assert rest("GET", page, {}).body["archived"] is False
    wrong = rest("GET", page, {"notion-version": "1999-01-01"})
    assert (wrong.status, wrong.body["code"]) == (400, "validation_error")
    assert wrong.body["message"].startswith(
        "Notion-Version header failed validation: Notion-Version header should be `"
    )
    broken = rest("POST", "/v1/search", {"content-type": "application/json"}, b"{")
    assert (broken.status, broken.body["code"]) == (400, "invalid_json")
    unknown = rest("POST", "/v1/search", {"content-type": "application/json"}, b'{"queries": "x"}')
    assert unknown.body["message"] == 'body failed validation: body.queries should be not present, instead was `"x"`.'
    for old in ("2021-08-16", "2022-02-22", "2022-06-28"):
        there = rest("GET", page, {"notion-version": old})
        assert there.status == 200
        data_source = rest("GET", f"/v1/data_sources/{ref(episode, 'guide')}", {"notion-version": old})
        assert (data_source.status, data_source.body["code"]) == (400, "invalid_request_url")
    lost = rest("GET", "/v1/nowhere", {})
    assert (lost.status, lost.body["code"]) == (400, "invalid_request_url")


@pytest.mark.anyio
async def test_answers_over_mcp_are_short(anyio_backend: Any) -> None:
    episode = templates.episode(["notion"], world="quaymark")
    async with Client(serve(episode, ["notion"])) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"API-post-search", "API-patch-block-children", "API-retrieve-page-markdown"} <= set(names)
        for tool, arguments in (("API-post-search", {}), ("API-get-users", {})):
            made = await client.call_tool(tool, arguments)
            assert isinstance(made.content[0], t.TextContent)
            assert len(made.content[0].text) < 20_000
        bad = await client.call_tool("API-post-page", {"parent": {"page_id": "x"}})
        assert bad.is_error
        assert isinstance(bad.content[0], t.TextContent)
        assert json.loads(bad.content[0].text)["code"] == "validation_error"
