"""Airtable: people, files, comments, views, webhooks."""

import base64

import pytest
from mcp import Client

from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.testing import episode_of
from tests.apps.airtable.support import Shop


def test_people_and_files_in_cells(shop: Shop) -> None:
    me = shop.call("whoami")
    shop.add_field("Owner", "singleCollaborator")
    shop.add_field("Files", "multipleAttachments")
    made = shop.orders(
        "create_record",
        fields={
            "Order": "F",
            "Owner": {"email": me["email"].upper()},
            "Files": [{"url": "https://x.example/a/plan.pdf"}],
        },
    )
    assert made["fields"]["Owner"] == {"id": me["id"], "email": me["email"], "name": "Alex Doyle"}
    file = made["fields"]["Files"][0]
    assert (file["filename"], file["type"]) == ("plan.pdf", "application/pdf")
    upload = {"baseId": shop.base, "recordId": made["id"], "attachmentFieldIdOrName": "Files"}
    content = base64.b64encode(b"hello").decode()
    done = shop.call("upload_attachment", **upload, contentType="text/plain", file=content, filename="hi.txt")
    files = next(iter(done["fields"].values()))
    assert [(f["filename"], f["size"]) for f in files] == [("plan.pdf", 0), ("hi.txt", 5)]
    one = shop.orders("update_record", recordId=made["id"], fields={"Files": [{"id": files[1]["id"]}]})
    assert [f["filename"] for f in one["fields"]["Files"]] == ["hi.txt"]
    bad = {**upload, "contentType": "text/plain", "filename": "x"}
    assert shop.refused("upload_attachment", **bad, file="not base64!")[0] == 422
    assert shop.refused("upload_attachment", **{**bad, "attachmentFieldIdOrName": "Order"}, file=content)[0] == 422
    orders = {"baseId": shop.base, "tableId": "Orders"}
    assert (
        shop.refused("create_record", **orders, fields={"Files": [{"url": "ftp://x"}]})[1]
        == "INVALID_ATTACHMENT_OBJECT"
    )
    assert (
        shop.refused("create_record", **orders, fields={"Owner": {"id": "usrnobody"}})[1] == "INVALID_VALUE_FOR_COLUMN"
    )


def test_comments(shop: Shop) -> None:
    place = {"baseId": shop.base, "tableId": "Orders", "recordId": shop.ids()["A-1"]}
    me = shop.call("whoami")["id"]
    first = shop.call("create_comment", **place, text=f"See @[{me}]")
    assert first["mentioned"][me]["displayName"] == "Alex Doyle"
    answer = shop.call("create_comment", **place, text="Yes", parentCommentId=first["id"])
    assert answer["parentCommentId"] == first["id"]
    for n in range(3):
        shop.call("create_comment", **place, text=f"More {n}")
    page = shop.call("list_comments", **place, pageSize=4)
    rest = shop.call("list_comments", **place, pageSize=4, offset=page["offset"])
    assert [c["text"] for c in page["comments"] + rest["comments"]] == [
        "More 2",
        "More 1",
        "More 0",
        "Yes",
        f"See @[{me}]",
    ]
    assert rest["offset"] is None
    changed = shop.call("update_comment", **place, rowCommentId=first["id"], text="Done")
    assert changed["lastUpdatedTime"] is not None
    assert shop.orders(recordMetadata=["commentCount"])["records"][0]["commentCount"] == 5
    shop.call("delete_comment", **place, rowCommentId=first["id"])
    assert shop.refused("update_comment", **place, rowCommentId=first["id"], text="x") == (404, "MODEL_ID_NOT_FOUND")
    other = {**place, "recordId": shop.ids()["A-2"]}
    assert shop.refused("delete_comment", **other, rowCommentId=answer["id"])[0] == 404
    assert shop.refused("create_comment", **place, text="")[0] == 422


def test_views_and_collaborators(shop: Shop) -> None:
    views = shop.call("list_views", baseId=shop.base)["views"]
    assert [v["name"] for v in views] == ["Grid view", "By Status", "Calendar of Due", "Grid view"]
    shown = shop.call("get_view_metadata", baseId=shop.base, viewId=views[0]["id"])
    assert len(shown["visibleFieldIds"]) == 8
    assert "visibleFieldIds" not in shop.call("get_view_metadata", baseId=shop.base, viewId=views[1]["id"])
    assert shop.names(view="By Status") == ["A-1", "A-2", "A-3", "b-4"]
    assert shop.call("delete_view", baseId=shop.base, viewId=views[1]["id"])["deleted"] is True
    assert (
        shop.refused("list_records", baseId=shop.base, tableId="Orders", view=views[1]["id"])[1] == "VIEW_ID_NOT_FOUND"
    )
    assert shop.refused("delete_view", baseId=shop.base, viewId=views[3]["id"])[1] == "CANNOT_DELETE_LAST_VIEW"
    shop.add_field("At", "dateTime", timeZone="utc", dateFormat={"name": "us"}, timeFormat={"name": "12hour"})
    last = shop.orders("create_record", fields={"At": "9999-12-31T23:00:00Z"})["id"]
    late = shop.orders("get_record", recordId=last, cellFormat="string", timeZone="Asia/Tokyo", userLocale="ja")
    assert late["fields"]["At"] == "12/31/9999 11:00pm"
    status, _ = shop.rest("GET", f"/v0/meta/bases/{shop.base}/views", query={"include[]": "visibleFieldIds"})
    assert status == 200
    assert (
        shop.refused("list_records", baseId=shop.base, tableId="People", view=views[0]["id"])[1] == "FAILED_STATE_CHECK"
    )
    me, base = shop.call("whoami")["id"], shop.base
    assert shop.refused("delete_base_collaborator", baseId=base, userOrGroupId=me)[0] == 422
    assert shop.refused("update_base_collaborator", baseId=base, userOrGroupId=me, permissionLevel="read")[0] == 422
    again = [{"user": {"id": me}, "permissionLevel": "edit"}]
    assert shop.refused("add_base_collaborators", baseId=base, collaborators=again)[0] == 422
    assert (
        shop.refused(
            "add_base_collaborators", baseId=base, collaborators=[{"user": {"id": "x"}, "permissionLevel": "edit"}]
        )[0]
        == 404
    )


def test_who_may_what_in_a_company() -> None:
    live = episode_of("airtable", world="quaymark").app("airtable")
    base = next(b for b in live.call("list_bases").body["bases"] if b["name"] == "Budget 2026")
    found = live.call("get_base_collaborators", {"baseId": base["id"]}).body["individualCollaborators"]
    owner = found["baseCollaborators"][0]
    assert owner["email"] == "dmitri.volkov@quaymark.example"
    other = next(
        c for c in found["workspaceCollaborators"] if c["permissionLevel"] == "edit" and c["userId"] != owner["userId"]
    )
    grant = {"baseId": base["id"], "collaborators": [{"user": {"id": other["userId"]}, "permissionLevel": "create"}]}
    assert not live.call("add_base_collaborators", grant).error
    change = {"baseId": base["id"], "userOrGroupId": other["userId"], "permissionLevel": "comment"}
    assert not live.call("update_base_collaborator", change).error
    assert not live.call("delete_base_collaborator", {"baseId": base["id"], "userOrGroupId": other["userId"]}).error
    assert live.changes() == []


def test_webhooks_tell_what_changed(shop: Shop) -> None:
    table, pieces = shop.orders("describe_table")["id"], shop.field("Pieces")["id"]
    filters = {"dataTypes": ["tableData", "tableFields", "tableMetadata"], "recordChangeScope": table}
    spec = {"options": {"filters": filters, "includes": {"includePreviousCellValues": True}}}
    hook = shop.call("create_webhook", baseId=shop.base, specification=spec, notificationUrl="https://x.example/hook")
    assert hook["expirationTime"] == "2026-03-09T09:00:01.000Z"
    watching = {
        "options": {"filters": {"dataTypes": ["tableData"], "watchDataInFieldIds": [pieces], "changeTypes": ["update"]}}
    }
    narrow = shop.call("create_webhook", baseId=shop.base, specification=watching)
    key = shop.ids()["A-1"]
    shop.orders("update_record", recordId=key, fields={"Pieces": 5})
    shop.orders("update_record", recordId=key, fields={"Status": "open"})
    made = shop.orders("create_record", fields={"Order": "W"})
    shop.orders("delete_record", recordId=made["id"])
    shop.call("create_record", baseId=shop.base, tableId="People", fields={"Name": "Cy"})
    shop.add_field("Extra", "singleLineText")
    shop.call("update_table", baseId=shop.base, tableId="Orders", name="Sales")
    place = {"baseId": shop.base, "webhookId": hook["id"]}
    first = shop.call("list_webhook_payloads", **place, limit=4)
    rest = shop.call("list_webhook_payloads", **place, cursor=first["cursor"])
    told = [p["changedTablesById"][table] for p in first["payloads"] + rest["payloads"]]
    assert (first["mightHaveMore"], rest["mightHaveMore"], rest["cursor"]) == (True, False, 7)
    assert told[0]["changedRecordsById"][key] == {
        "current": {"cellValuesByFieldId": {pieces: 5}}, "previous": {"cellValuesByFieldId": {pieces: 2}},
    }  # fmt: skip
    status = told[1]["changedRecordsById"][key]["current"]["cellValuesByFieldId"][shop.field("Status", table)["id"]]
    assert (status["name"], status["color"]) == ("open", "blueLight2")
    assert list(told[2]["createdRecordsById"]) == [made["id"]]
    assert told[3]["destroyedRecordIds"] == [made["id"]]
    assert [f["name"] for f in told[4]["createdFieldsById"].values()] == ["Extra"]
    assert told[5]["changedMetadata"]["current"]["name"] == "Sales"
    assert first["payloads"][0]["actionMetadata"]["sourceMetadata"]["user"]["permissionLevel"] == "create"
    assert [p["baseTransactionNumber"] for p in first["payloads"]] == [1, 2, 3, 4]
    assert len(shop.call("list_webhook_payloads", baseId=shop.base, webhookId=narrow["id"])["payloads"]) == 1
    listed = {h["id"]: h for h in shop.call("list_webhooks", baseId=shop.base)["webhooks"]}
    assert listed[hook["id"]]["cursorForNextPayload"] == 7
    shop.call("enable_webhook_notifications", **place, enable=False)
    assert shop.call("refresh_webhook", **place)["expirationTime"] > hook["expirationTime"]
    shop.call("delete_webhook", **place)
    assert shop.refused("list_webhook_payloads", **place) == (404, "MODEL_ID_NOT_FOUND")
    assert shop.refused("create_webhook", baseId=shop.base, specification=spec, notificationUrl="http://x")[0] == 422
    assert shop.refused("enable_webhook_notifications", baseId=shop.base, webhookId=narrow["id"], enable=True)[0] == 422


@pytest.mark.anyio
async def test_agents_are_told_why(shop: Shop) -> None:
    async with Client(serve(shop.episode, ["airtable"])) as client:
        tools = (await client.list_tools()).tools
        assert {"list_bases", "describe_table", "search_records", "create_record", "update_records"} <= {
            t.name for t in tools
        }
        arguments = {"baseId": shop.base, "tableId": "Orders", "fields": {"Total": 1}}
        reply = await client.call_tool("create_record", arguments)
        assert reply.is_error
        assert "The fields of Orders are: Order, Amount" in str(reply.content)
        listed = await client.call_tool("list_records", {"baseId": shop.base, "tableId": "Orders", "pageSize": 1})
        assert listed.structured_content is not None
        assert listed.structured_content["records"][0]["fields"]["Order"] == "A-1"
