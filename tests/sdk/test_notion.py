"""notion-client, unmodified but for its base URL, against the Notion app over real HTTP."""

from typing import TYPE_CHECKING, Any

import pytest
from notion_client import APIErrorCode, APIResponseError, Client
from notion_client.helpers import collect_paginated_api, is_full_page, iterate_paginated_api

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = [pytest.mark.sdk, pytest.mark.filterwarnings("ignore::ResourceWarning")]

SCHEMA: dict[str, Any] = {
    "Task": {"title": {}},
    "Stage": {"select": {"options": [{"name": "New", "color": "blue"}, {"name": "Won", "color": "green"}]}},
    "State": {"status": {}},
    "Due": {"date": {}},
    "Cost": {"number": {"format": "euro"}},
    "Done": {"checkbox": {}},
    "No": {"unique_id": {"prefix": "TASK"}},
}


@pytest.fixture
def base(gateway: "Gateway") -> str:
    return gateway.episode(["notion"]).rest("notion")


@pytest.fixture
def client(base: str) -> Any:
    with Client(auth="ntn_test", base_url=base) as made:
        yield made


def text(content: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": {"content": content}}]


def page_named(client: Any, title: str) -> Any:
    found = client.search(query=title, filter={"property": "object", "value": "page"})["results"]
    return next(p for p in found if p["properties"]["title"]["title"][0]["plain_text"] == title)


def database(client: Any) -> tuple[Any, str]:
    handbook = page_named(client, "Handbook")
    made = client.databases.create(
        parent={"type": "page_id", "page_id": handbook["id"]}, title=text("Tasks"), initial_data_source={"properties": SCHEMA}
    )  # fmt: skip
    source = made["data_sources"][0]["id"]
    for i in range(7):
        client.pages.create(
            parent={"type": "data_source_id", "data_source_id": source},
            properties={
                "Task": {"title": text(f"Task {i}")},
                "Stage": {"select": {"name": "Won" if i % 2 else "New"}},
                "State": {"status": {"name": "In progress"}},
                "Due": {"date": {"start": f"2026-03-0{i + 1}"}},
                "Cost": {"number": i * 10},
                "Done": {"checkbox": i > 4},
            },
        )
    return made, source


def names(results: list[Any]) -> list[str]:
    return [page["properties"]["Task"]["title"][0]["plain_text"] for page in results]


def test_users(client: Any) -> None:
    me = client.users.me()
    assert me["type"] == "bot"
    owner = me["bot"]["owner"]["user"]
    assert owner["person"]["email"] == "maya.chen@quaymark.example"
    assert client.users.retrieve(owner["id"])["name"] == "Maya Chen"
    everyone = client.users.list()["results"]
    pages = collect_paginated_api(client.users.list, page_size=20)
    assert [u["id"] for u in pages] == [u["id"] for u in everyone]
    assert len(pages) > 40


def test_search_is_walked_by_cursor(client: Any) -> None:
    whole = client.search(page_size=100)
    assert whole["type"] == "page_or_data_source"
    walked = list(iterate_paginated_api(client.search, page_size=10))
    assert [p["id"] for p in walked] == [p["id"] for p in whole["results"]]
    assert len({p["id"] for p in walked}) == len(walked) > 30
    assert all(is_full_page(p) for p in walked)
    times = [p["last_edited_time"] for p in walked]
    assert times == sorted(times, reverse=True)
    with pytest.raises(APIResponseError) as caught:
        client.search(start_cursor="1a7f2c9e-0000-4000-8000-00000000abcd")
    assert "start_cursor provided is invalid" in str(caught.value)


def test_a_page_and_its_blocks(client: Any) -> None:
    handbook = page_named(client, "Handbook")
    page = client.pages.create(
        parent={"page_id": handbook["id"].replace("-", "")},
        properties={"title": {"title": text("Release notes")}},
        icon={"type": "emoji", "emoji": "🚢"},
        children=[
            {"object": "block", "type": "heading_2", "heading_2": {"rich_text": text("Changes")}},
            {"paragraph": {"rich_text": text("First")}},
            {"toggle": {"rich_text": text("More"), "children": [{"to_do": {"rich_text": text("Check")}}]}},
        ],
    )
    assert page["parent"] == {"type": "page_id", "page_id": handbook["id"]}
    assert page["url"] == f"https://www.notion.so/Release-notes-{page['id'].replace('-', '')}"
    blocks = client.blocks.children.list(page["id"])["results"]
    assert [b["type"] for b in blocks] == ["heading_2", "paragraph", "toggle"]
    assert blocks[2]["has_children"]
    inner = client.blocks.children.list(blocks[2]["id"])["results"]
    assert inner[0]["parent"] == {"type": "block_id", "block_id": blocks[2]["id"]}
    ticked = client.blocks.update(inner[0]["id"], to_do={"checked": True})
    assert ticked["to_do"]["checked"] is True
    assert ticked["to_do"]["rich_text"][0]["plain_text"] == "Check"
    added = client.blocks.children.append(page["id"], children=[{"divider": {}}], after=blocks[0]["id"])["results"]
    assert [b["type"] for b in client.blocks.children.list(page["id"])["results"]] == [
        "heading_2",
        "divider",
        "paragraph",
        "toggle",
    ]
    assert client.blocks.delete(added[0]["id"])["in_trash"] is True
    assert client.blocks.retrieve(page["id"])["child_page"] == {"title": "Release notes"}
    assert page["id"] in [b["id"] for b in client.blocks.children.list(handbook["id"])["results"]]
    for _ in range(3):
        client.blocks.children.append(page["id"], children=[{"paragraph": {"rich_text": text("x")}}] * 4)
    walked = collect_paginated_api(client.blocks.children.list, block_id=page["id"], page_size=4)
    assert len(walked) == 3 + 12
    gone = client.pages.update(page["id"], in_trash=True)
    assert gone["in_trash"] is gone["archived"] is True
    with pytest.raises(APIResponseError) as caught:
        client.blocks.children.append(page["id"], children=[{"divider": {}}])
    assert caught.value.code == APIErrorCode.ValidationError
    assert "archived" in str(caught.value)
    assert client.pages.update(page["id"], in_trash=False)["in_trash"] is False


def test_markdown(client: Any) -> None:
    page = client.pages.create(
        parent={"workspace": True},
        properties={"title": {"title": text("Notes")}},
        markdown="# One\n\n- a\n- b\n\nLast **words**",
    )
    assert client.pages.retrieve_markdown(page["id"])["markdown"] == "# One\n\n- a\n- b\n\nLast **words**"
    before = client.blocks.children.list(page["id"])["results"]
    made = client.pages.update_markdown(
        page["id"],
        type="update_content",
        update_content={"content_updates": [{"old_str": "- a", "new_str": "- alpha"}]},
    )
    assert made["markdown"] == "# One\n\n- alpha\n- b\n\nLast **words**"
    after = client.blocks.children.list(page["id"])["results"]
    assert [b["id"] for b in before] == [b["id"] for b in after]


def test_a_database_is_queried(client: Any) -> None:
    made, source = database(client)
    shown = client.data_sources.retrieve(source)
    assert shown["parent"] == {"type": "database_id", "database_id": made["id"]}
    assert [o["name"] for o in shown["properties"]["State"]["status"]["options"]] == [
        "Not started",
        "In progress",
        "Done",
    ]
    won = client.data_sources.query(
        source,
        filter={
            "and": [
                {"property": "Stage", "select": {"equals": "Won"}},
                {
                    "or": [
                        {"property": "Cost", "number": {"less_than": 20}},
                        {"property": "Done", "checkbox": {"equals": True}},
                    ]
                },
            ]
        },
        sorts=[{"property": "Due", "direction": "descending"}],
    )
    assert names(won["results"]) == ["Task 5", "Task 1"]
    everything = collect_paginated_api(
        client.data_sources.query,
        data_source_id=source,
        page_size=3,
        sorts=[{"property": "Cost", "direction": "ascending"}],
    )
    assert names(everything) == [f"Task {i}" for i in range(7)]
    assert everything[3]["properties"]["No"]["unique_id"] == {"prefix": "TASK", "number": 4}
    changed = client.pages.update(
        everything[0]["id"], properties={"State": {"status": {"name": "Done"}}, "Due": {"date": None}}
    )
    assert changed["properties"]["State"]["status"]["name"] == "Done"
    item = client.pages.properties.retrieve(everything[0]["id"], everything[0]["properties"]["Cost"]["id"])
    assert item["object"] == "property_item"
    assert item["number"] == 0
    few = client.data_sources.query(source, filter_properties=["title"], page_size=1)["results"][0]
    assert list(few["properties"]) == ["Task"]
    updated = client.data_sources.update(
        source, properties={"Cost": {"name": "Price"}, "Due": None, "Owner": {"people": {}}}
    )
    assert {"Price", "Owner"} <= set(updated["properties"])
    assert "Due" not in updated["properties"]
    assert client.databases.update(made["id"], title=text("All tasks"))["title"][0]["plain_text"] == "All tasks"
    assert client.data_sources.list_templates(source)["templates"] == []


def test_the_version_before_data_sources(client: Any, base: str) -> None:
    made, source = database(client)
    with Client(auth="ntn_test", base_url=base, notion_version="2022-06-28") as made_old:
        old: Any = made_old
        shown = old.databases.retrieve(made["id"])
        assert shown["properties"]["Stage"]["select"]["options"][1]["name"] == "Won"
        assert "data_sources" not in shown
        found = old.request(
            path=f"databases/{made['id']}/query",
            method="POST",
            body={"filter": {"property": "Task", "title": {"ends_with": "3"}}},
        )
        assert found["type"] == "page_or_database"
        assert found["results"][0]["parent"] == {"type": "database_id", "database_id": made["id"]}
        assert old.search(filter={"property": "object", "value": "database"})["results"][0]["object"] == "database"
        row = old.pages.create(parent={"database_id": made["id"]}, properties={"Task": {"title": text("Old way")}})
        assert row["parent"]["type"] == "database_id"
        client.data_sources.create(parent={"database_id": made["id"]}, properties={"Name": {"title": {}}})
        with pytest.raises(APIResponseError) as caught:
            old.databases.retrieve(made["id"])
        assert "multiple data sources are not supported" in str(caught.value)
    with pytest.raises(APIResponseError) as caught:
        client.request(path=f"databases/{made['id']}/query", method="POST", body={})
    assert caught.value.code == APIErrorCode.InvalidRequestURL
    assert source


def test_comments(client: Any) -> None:
    page = page_named(client, "Handbook")
    first = client.comments.create(parent={"page_id": page["id"]}, rich_text=text("Still right?"))
    reply = client.comments.create(discussion_id=first["discussion_id"], rich_text=text("Yes"))
    assert reply["parent"] == {"type": "page_id", "page_id": page["id"]}
    walked = collect_paginated_api(client.comments.list, block_id=page["id"], page_size=1)
    assert [c["id"] for c in walked] == [first["id"], reply["id"]]
    assert client.comments.update(reply["id"], rich_text=text("No"))["rich_text"][0]["plain_text"] == "No"
    assert client.comments.retrieve(reply["id"])["rich_text"][0]["plain_text"] == "No"
    client.comments.delete(reply["id"])
    assert len(client.comments.list(block_id=page["id"])["results"]) == 1


def test_a_file_is_uploaded_and_attached(client: Any) -> None:
    upload = client.file_uploads.create(filename="plan.pdf")
    assert upload["status"] == "pending"
    assert upload["content_type"] == "application/pdf"
    sent = client.file_uploads.send(upload["id"], file=("plan.pdf", b"%PDF-1.7", "application/pdf"))
    assert (sent["status"], sent["content_length"]) == ("uploaded", 8)
    assert client.file_uploads.retrieve(upload["id"])["status"] == "uploaded"
    page = page_named(client, "Handbook")
    block = {"pdf": {"type": "file_upload", "file_upload": {"id": upload["id"]}}}
    made = client.blocks.children.append(page["id"], children=[block])["results"][0]
    assert made["pdf"]["type"] == "file"
    parts = client.file_uploads.create(mode="multi_part", filename="big.zip", number_of_parts=2)
    for number in ("1", "2"):
        client.file_uploads.send(parts["id"], file=("big.zip", b"x" * 10, "application/zip"), part_number=number)
    assert client.file_uploads.complete(parts["id"])["status"] == "uploaded"
    assert len(client.file_uploads.list(status="uploaded")["results"]) == 2


def test_refusals_are_notions(client: Any) -> None:
    with pytest.raises(APIResponseError) as caught:
        client.pages.retrieve("0d1c7fa2-9e14-4c1b-8ba5-ac3f5b6a7d88")
    error = caught.value
    assert (error.status, error.code) == (404, APIErrorCode.ObjectNotFound)
    assert str(error) == (
        "Could not find page with ID: 0d1c7fa2-9e14-4c1b-8ba5-ac3f5b6a7d88. Make sure the relevant pages and databases "
        'are shared with your integration "Quaymark integration".'
    )
    assert error.request_id
    with pytest.raises(APIResponseError) as caught:
        client.pages.create(properties={})
    assert str(caught.value) == "body failed validation: body.parent should be defined, instead was `undefined`."
    with pytest.raises(APIResponseError) as caught:
        client.databases.retrieve("None")
    assert str(caught.value) == 'path failed validation: path.database_id should be a valid uuid, instead was `"None"`.'
    with pytest.raises(APIResponseError) as caught:
        client.users.list(page_size=101)
    assert "query.page_size should be ≤ `100`, instead was `101`" in str(caught.value).replace('"', "")
    with pytest.raises(APIResponseError) as caught:
        client.request(path="nowhere", method="GET")
    assert caught.value.code == APIErrorCode.InvalidRequestURL
