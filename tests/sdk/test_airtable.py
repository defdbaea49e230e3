"""pyairtable, unmodified but for its endpoint, against the Airtable app over real HTTP."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from pyairtable import Api, formulas
from requests import HTTPError
from requests.adapters import HTTPAdapter

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = pytest.mark.sdk


class ContentHost(HTTPAdapter):
    """Uploads go to a host of their own; here it is the same as the API's."""

    def __init__(self, rest: str) -> None:
        super().__init__()
        self.netloc = urlsplit(rest).netloc

    def send(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        request.url = request.url.replace("//content.airtable.com/", f"//{self.netloc}/")
        return super().send(request, *args, **kwargs)


@pytest.fixture
def api(gateway: "Gateway") -> Any:
    rest = gateway.episode(["airtable"]).rest("airtable")
    api = Api("patTest.0123", endpoint_url=rest, retry_strategy=None)
    api.session.mount("http://content.airtable.com", ContentHost(rest))
    yield api
    api.session.close()


@pytest.fixture
def base(api: Any) -> Any:
    return next(b for b in api.bases() if b.name == "Pipeline review Q1 2026")


@pytest.fixture
def deals(base: Any) -> Any:
    return base.table("Open deals")


def refused(call: Any, *args: Any, **kwargs: Any) -> tuple[int, Any]:
    with pytest.raises(HTTPError) as caught:
        call(*args, **kwargs)
    return caught.value.response.status_code, caught.value.response.json()["error"]  # pyright: ignore[reportOptionalMemberAccess]


def test_bases_and_their_schema(api: Any, base: Any) -> None:
    assert api.whoami()["id"].startswith("usr")
    schema = base.schema()
    table = schema.table("Open deals")
    assert table.field("Stage").options.choices[0].name == "prospecting"
    assert table.field("Close").options.date_format.name == "iso"
    assert table.views[0].visible_field_ids == [f.id for f in table.fields]
    assert [t.name for t in base.tables()] == [t.name for t in schema.tables]
    people = base.collaborators()
    assert people.workspace_id.startswith("wsp")
    assert people.individual_collaborators.via_base[0].permission_level == "owner"
    assert api.workspace(people.workspace_id).collaborators().base_ids.count(base.id) == 1


def test_records_are_read_page_by_page(deals: Any) -> None:
    pages = list(deals.iterate(page_size=5, sort=["-Amount"]))
    amounts = [r["fields"]["Amount"] for page in pages for r in page]
    assert len(pages) == 4
    assert amounts == sorted(amounts, reverse=True)
    assert len({r["id"] for page in pages for r in page}) == 18
    assert len(deals.all(max_records=7, page_size=3)) == 7
    first = deals.first(formula=formulas.match({"Stage": "proposal", "Currency": "EUR"}), fields=["Deal", "Stage"])
    assert first["fields"]["Stage"] == "proposal"
    assert deals.get(first["id"])["fields"]["Deal"] == first["fields"]["Deal"]
    by_id = deals.get(first["id"], use_field_ids=True)["fields"]
    assert by_id[deals.schema().field("Stage").id] == "proposal"
    text = deals.get(first["id"], cell_format="string", time_zone="Europe/London", user_locale="en-gb")
    assert isinstance(text["fields"]["Amount"], str)


def test_formulas_made_by_the_sdk(deals: Any) -> None:
    amount, stage = formulas.Field("Amount"), formulas.Field("Stage")
    big = deals.all(formula=formulas.AND(amount.gt(10000), formulas.NOT(stage.eq("prospecting"))))
    assert big
    assert all(r["fields"]["Amount"] > 10000 and r["fields"]["Stage"] != "prospecting" for r in big)
    wanted = big[0]["fields"]["Deal"]
    assert [r["id"] for r in deals.all(formula=formulas.EQ(formulas.Field("Deal"), wanted))] == [big[0]["id"]]
    long = formulas.OR(*[formulas.EQ(formulas.Field("Deal"), f"{wanted} {n} {'x' * 80}") for n in range(150)])
    assert deals.all(formula=long, sort=["Deal"]) == []  # too long for an address: goes by POST
    assert refused(deals.all, formula="{Nothing}=1") == (
        422,
        {
            "type": "INVALID_FILTER_BY_FORMULA",
            "message": "The formula for filtering records is invalid: Unknown field names: nothing",
        },
    )


def test_records_are_written(deals: Any) -> None:
    made = deals.create({"Deal": "Test - One", "Amount": 10, "Stage": "proposal"})
    assert deals.update(made["id"], {"Amount": 12.5})["fields"]["Amount"] == 12.5
    assert "Amount" not in deals.update(made["id"], {"Deal": "Test - One"}, replace=True)["fields"]
    many = deals.batch_create([{"Deal": f"Test - {n}", "Amount": n} for n in range(23)])
    assert len(many) == 23
    changed = deals.batch_update([{"id": r["id"], "fields": {"Stage": "negotiation"}} for r in many[:12]])
    assert {r["fields"]["Stage"] for r in changed} == {"negotiation"}
    done = deals.batch_upsert(
        [{"fields": {"Deal": "Test - 3", "Amount": 99}}, {"fields": {"Deal": "Test - New", "Amount": 1}}], ["Deal"]
    )
    assert (len(done["updatedRecords"]), len(done["createdRecords"])) == (1, 1)
    assert len(deals.batch_delete([r["id"] for r in many])) == 23
    assert deals.delete(made["id"])["deleted"] is True
    assert refused(deals.get, made["id"]) == (404, {"type": "MODEL_ID_NOT_FOUND", "message": "Record not found"})
    status, error = refused(deals.create, {"Stage": "someday"})
    assert (status, error["type"]) == (422, "INVALID_MULTIPLE_CHOICE_OPTIONS")
    assert deals.create({"Deal": "x", "Stage": "someday"}, typecast=True)["fields"]["Stage"] == "someday"


def test_tables_and_fields_are_made(api: Any, base: Any) -> None:
    table = base.create_table("Gifts", [{"name": "What", "type": "singleLineText"}], description="Sent to customers")
    price = table.create_field("Price", "currency", options={"precision": 2, "symbol": "£"})
    price.name = "Cost"
    price.save()
    status, error = refused(table.create_field, "Twice", "formula", options={"formula": "{Cost}*2"})
    assert (status, error["type"]) == (422, "UNSUPPORTED_FIELD_TYPE_FOR_CREATE")
    link = table.create_field(
        "Deals", "multipleRecordLinks", options={"linkedTableId": base.schema().table("Open deals").id}
    )
    deal = base.table("Open deals").first()
    gift = table.create({"What": "Mug", "Cost": 7.25, "Deals": [deal["id"]]})
    assert gift["fields"]["Cost"] == 7.25
    back = base.schema(force=True).table("Open deals").field("Gifts")
    assert link.options.inverse_link_field_id == back.id
    assert base.table("Open deals").get(deal["id"])["fields"]["Gifts"] == [gift["id"]]
    schema = table.schema(force=True)
    schema.name = "Presents"
    schema.save()
    assert base.schema(force=True).table("Presents").description == "Sent to customers"
    made = api.create_base(
        base.collaborators().workspace_id, "Scratch", [{"name": "T", "fields": [{"name": "A", "type": "email"}]}]
    )
    assert made.name == "Scratch"
    made.delete()


def test_comments_and_files(base: Any, deals: Any) -> None:
    record = deals.first()
    comment = deals.add_comment(record["id"], "Is this still on?")
    deals.add_comment(record["id"], "It is", parent_comment_id=comment.id)
    comment.text = "Is this still on? By when?"
    comment.save()
    assert comment.last_updated_time is not None
    assert [c.text for c in deals.comments(record["id"])] == ["It is", "Is this still on? By when?"]
    assert deals.all(count_comments=True)[0]["commentCount"] == 2
    comment.delete()
    deals.create_field("Files", "multipleAttachments")
    done = deals.upload_attachment(record["id"], "Files", "note.txt", content=b"hello", content_type="text/plain")
    (files,) = done["fields"].values()
    assert (files[0]["filename"], files[0]["size"]) == ("note.txt", 5)


def test_webhooks(base: Any, deals: Any) -> None:
    made = base.add_webhook("https://x.example/hook", {"options": {"filters": {"dataTypes": ["tableData"]}}})
    for n in range(3):
        deals.create({"Deal": f"Hooked {n}"})
    hook = base.webhook(made.id)
    assert hook.cursor_for_next_payload == 4
    payloads = list(hook.payloads())
    assert [p.base_transaction_number for p in payloads] == [1, 2, 3]
    (table,) = payloads[0].changed_tables_by_id.values()
    (record,) = table.created_records_by_id.values()
    assert "Hooked 0" in record.cell_values_by_field_id.values()
    hook.disable_notifications()
    hook.extend_expiration()
    hook.delete()
    assert base.webhooks() == []


def test_views(base: Any) -> None:
    first, *others = base.schema().table("Open deals").views
    assert [(v.type, v.name) for v in others] == [("kanban", "By Stage"), ("calendar", "Calendar of Close")]
    for view in others:
        view.delete()
    assert [v.name for v in base.schema(force=True).table("Open deals").views] == ["Grid view"]
    status, error = refused(first.delete)
    assert (status, error["type"]) == (422, "CANNOT_DELETE_LAST_VIEW")
