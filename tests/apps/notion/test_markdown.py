"""Notion: markdown; comments, users, faces."""

import json
from typing import Any

import mcp.types as t
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import templates
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.notion.support import BEA, BODY, DOCUMENTS, call, kinds, paragraph, person, ref, refused, rich, viewed


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
