"""Salesforce: composite, collections, trees; bulk, reports, the REST face, replication and more."""

import json
from typing import Any
from urllib.parse import quote

from mcp import Client

from legoenv_mcp import registry
from legoenv_mcp.capabilities.crm import Company, Contact, Deal, Lead
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.diff import all_keys
from legoenv_mcp.testing import episode_of
from tests.apps.salesforce.support import BASE, ENTITIES, Salesforce, _priced


def test_composite_all_or_none(sf: Salesforce) -> None:
    parts = [
        {"method": "POST", "url": f"{BASE}/sobjects/Account", "referenceId": "a", "body": {"Name": "Nova"}},
        {"method": "POST", "url": f"{BASE}/sobjects/Contact", "referenceId": "c", "body": {"AccountId": "@{a.id}"}},
        {"method": "GET", "url": f"{BASE}/sobjects/Account/@{{a.id}}", "referenceId": "g"},
    ]
    reply = sf.episode.call("salesforce", "composite_request", {"compositeRequest": parts, "allOrNone": True})
    answers = reply.body["compositeResponse"]
    assert (reply.wire_status, [a["httpStatusCode"] for a in answers]) == (200, [400, 400, 400])
    assert answers[0]["body"][0]["errorCode"] == answers[2]["body"][0]["errorCode"] == "PROCESSING_HALTED"
    assert answers[1]["body"][0]["errorCode"] == "REQUIRED_FIELD_MISSING"
    assert sf.episode.changes() == []
    answers = sf.composite_request(compositeRequest=parts)["compositeResponse"]
    assert [a["httpStatusCode"] for a in answers] == [201, 400, 200]
    assert answers[2]["body"]["Name"] == "Nova"
    parts[0]["body"] = {"Name": "Nova Two"}
    inner = {"allOrNone": True, "records": [{"attributes": {"type": "Contact"}, "FirstName": "No surname"}]}
    parts[1] = {"method": "POST", "url": f"{BASE}/composite/sobjects", "referenceId": "c", "body": inner}
    reply = sf.episode.call("salesforce", "composite_request", {"compositeRequest": parts, "allOrNone": True})
    told = reply.body["compositeResponse"][1]["body"]  # what failed says why, although its own status is 200
    assert told[0]["errors"][0]["statusCode"] == "REQUIRED_FIELD_MISSING"
    bad = [{"method": "GET", "url": f"{BASE}/sobjects/Account/@{{x.id}}", "referenceId": "g"}]
    assert (
        "Invalid reference specified"
        in sf.composite_request(compositeRequest=bad)["compositeResponse"][0]["body"][0]["message"]
    )
    for wrong in ([], [parts[0]] * 26, [parts[0], parts[0]], [{"method": "GET"}]):
        assert sf.refused("composite_request", compositeRequest=wrong)["status"] == 400


def test_batch(sf: Salesforce) -> None:
    parts = [
        {"method": "PATCH", "url": f"v60.0/sobjects/Account/{sf.id(Company, 'acme')}", "richInput": {"Phone": "1"}},
        {"method": "GET", "url": "v60.0/sobjects/Account/nope"},
        {"method": "GET", "url": f"v60.0/query?q={quote('SELECT COUNT() FROM Account')}"},
    ]
    whole = sf.composite_batch(batchRequests=parts)
    assert (whole["hasErrors"], [r["statusCode"] for r in whole["results"]]) == (True, [204, 404, 200])
    halted = sf.composite_batch(batchRequests=parts, haltOnError=True)
    assert [r["statusCode"] for r in halted["results"]] == [204, 404, 412]
    nested = sf.composite_batch(batchRequests=[{"method": "POST", "url": "v60.0/composite/batch", "richInput": {}}])
    assert nested["results"][0]["result"][0]["errorCode"] == "INVALID_HTTP_REQUEST"


def test_collections(sf: Salesforce) -> None:
    good = {"attributes": {"type": "Account"}, "Name": "Good"}
    bad = {"attributes": {"type": "Contact"}, "FirstName": "Bad"}
    reply = sf.episode.call("salesforce", "create_records_collection", {"records": [good, bad], "allOrNone": True})
    assert [r["success"] for r in reply.body] == [False, False]
    assert reply.body[0]["errors"][0]["statusCode"] == "ALL_OR_NONE_OPERATION_ROLLED_BACK"
    assert sf.episode.changes() == []
    made, failed = sf.create_records_collection(records=[good, bad])
    assert failed["errors"] == [{"statusCode": "REQUIRED_FIELD_MISSING", "message": "Required fields are missing: [LastName]",
    "fields": ["LastName"]}]  # fmt: skip
    changed = {"attributes": {"type": "Account"}, "id": made["id"], "Name": "Better"}
    unknown = {"attributes": {"type": "Account"}, "Id": "001000000000000AAA", "Name": "x"}
    results = sf.update_records_collection(records=[changed, unknown])
    assert (results[0]["success"], results[1]["errors"][0]["statusCode"]) == (True, "INVALID_CROSS_REFERENCE_KEY")
    rows = sf.get_records_collection(sobject="Account", ids=f"{made['id']},001000000000000AAA", fields="Name")
    assert (rows[0]["Name"], rows[1]) == ("Better", None)
    upserted = sf.upsert_records_collection(
        sobject="Account", field="External_Id__c", records=[{"External_Id__c": "u1", "Name": "U"}]
    )
    assert upserted[0]["created"] is True
    deleted = sf.delete_records_collection(ids=f"{made['id']},nonsense")
    assert [d["success"] for d in deleted] == [True, False]
    unknown_type = [good, {"attributes": {"type": "Acount"}, "Name": "x"}]
    assert sf.refused("create_records_collection", records=unknown_type)["errorCode"] == "INVALID_TYPE"
    assert sf.refused("create_records_collection", records=[good] * 201)["errorCode"] == "EXCEEDED_ID_LIMIT"


def test_trees(sf: Salesforce) -> None:
    tree = {
        "attributes": {"type": "Account", "referenceId": "a"}, "Name": "Tree",
        "Contacts": {"records": [{"attributes": {"type": "Contact", "referenceId": "c"}, "LastName": "Leaf"}]},
    }  # fmt: skip
    status, made = sf.rest("POST", f"{BASE}/composite/tree/Account/", {"records": [tree]})
    assert (status, made["hasErrors"], len(made["results"])) == (201, False, 2)
    assert sf.soql("SELECT Name FROM Contact WHERE Account.Name = 'Tree'")[0]["Name"] == "Leaf"
    before = sf.everything()
    tree["Contacts"]["records"].append({"attributes": {"type": "Contact", "referenceId": "bad"}})  # type: ignore[index, union-attr]
    tree["Name"] = "Tree two"
    status, failed = sf.rest("POST", f"{BASE}/composite/tree/Account", {"records": [tree]})
    assert (status, failed["results"][0]["referenceId"]) == (400, "bad")
    assert sf.everything() == before
    twice = [{"attributes": {"type": "Account", "referenceId": "r"}, "Name": name} for name in ("One", "Two")]
    status, failed = sf.rest("POST", f"{BASE}/composite/tree/Account", {"records": twice})
    assert (status, failed["results"][0]["errors"][0]["statusCode"]) == (400, "INVALID_INPUT")
    assert sf.everything() == before


def test_bulk_jobs(sf: Salesforce) -> None:
    job = sf.create_bulk_job(object="Contact", operation="insert")["id"]
    sf.upload_bulk_job_data(
        id=job, data='LastName,Email,Account.External_Id__c\nOne,one@x.example,\nTwo,broken,\n"Th, ree",,#N/A\n'
    )
    assert sf.refused("upload_bulk_job_data", id=job, data="x")["errorCode"] == "INVALIDJOBSTATE"
    assert sf.close_bulk_job(id=job)["state"] == "UploadComplete"
    done = sf.get_bulk_job(id=job)
    assert (done["state"], done["numberRecordsProcessed"], done["numberRecordsFailed"]) == ("JobComplete", 3, 2)
    failed = sf.get_bulk_job_results(id=job, results="failedResults")
    assert "INVALID_EMAIL_ADDRESS:Email: invalid email address: broken:Email --" in failed
    query = sf.create_bulk_query_job(query="SELECT Name, Email FROM Contact WHERE Email LIKE 'one@%'")["id"]
    assert sf.get_bulk_query_results(id=query) == '"Name","Email"\n"One","one@x.example"\n'
    broken = sf.create_bulk_job(object="Contact", operation="insert")["id"]
    sf.upload_bulk_job_data(id=broken, data="LastName\na,b\n")
    sf.close_bulk_job(id=broken)
    assert sf.get_bulk_job(id=broken)["state"] == "Failed"
    assert sf.refused("create_bulk_job", object="Contact", operation="upsert")["errorCode"] == "INVALIDJOB"
    assert (
        sf.refused("create_bulk_query_job", query="SELECT COUNT(Id) FROM Contact")["errorCode"] == "FEATURENOTENABLED"
    )
    assert {c.table for c in sf.episode.changes()} == {"contact"}
    moments = sf.create_bulk_query_job(query="SELECT CreatedDate FROM Account WHERE Name = 'Bolt Freight'")["id"]
    assert sf.get_bulk_query_results(id=moments) == '"CreatedDate"\n"2024-03-01T10:00:00.000Z"\n'
    assert [j["id"] for j in sf.rest("GET", f"{BASE}/jobs/query")[1]["records"]] == [query, moments]


def test_a_hard_delete_leaves_nothing_in_the_bin(sf: Salesforce) -> None:
    account = sf.create("Account", Name="Short-lived")
    sf.create("Contact", LastName="Short", AccountId=account)
    job = sf.create_bulk_job(object="Account", operation="hardDelete")["id"]
    sf.upload_bulk_job_data(id=job, data=f"Id\n{account}\n")
    sf.close_bulk_job(id=job)
    assert sf.get_bulk_job(id=job)["numberRecordsFailed"] == 0
    assert sf.query_all(q=f"SELECT Id FROM Account WHERE Id = '{account}'")["totalSize"] == 0
    assert sf.query_all(q="SELECT Id FROM Contact WHERE LastName = 'Short'")["totalSize"] == 0
    assert sf.episode.changes() == []


def test_reports(sf: Salesforce) -> None:
    ids = {r["name"]: r["id"] for r in sf.list_reports()}
    ran = sf.run_report(reportId=ids["Open Opportunities by Stage"], includeDetails=True)
    assert ran["groupingsDown"]["groupings"][0]["label"] == "Negotiation/Review"
    assert ran["factMap"]["0!T"]["aggregates"][0]["value"] == 56000.0  # in the corporate currency
    assert ran["factMap"]["0!T"]["rows"][0]["dataCells"][0]["label"] == "Acme - renewal"
    filters = {"reportFilters": [{"column": "Amount", "operator": "greaterThan", "value": "50000"}]}
    ran = sf.run_report_with_filters(reportId=ids["Open Opportunities by Stage"], reportMetadata=filters)
    assert ran["factMap"]["T!T"]["aggregates"][-1]["value"] == 0
    bad = {"reportFilters": [{"column": "Nope", "operator": "equals", "value": "1"}]}
    assert (
        sf.refused("run_report_with_filters", reportId=ids["Leads by Status"], reportMetadata=bad)["errorCode"]
        == "INVALID_FIELD"
    )
    assert sf.refused("run_report", reportId="00O000000000000AAA")["status"] == 404
    assert {sf.describe_report(reportId=i)["reportMetadata"]["name"] for i in ids.values()} == set(ids)
    assert sf.episode.changes() == []


def test_the_rest_face(sf: Salesforce) -> None:
    account = sf.id(Company, "acme")
    assert sf.rest("GET", "/services/data")[0] == 200
    for version in ("v20.0", "v99.0", "vx"):
        assert sf.rest("GET", f"/services/data/{version}/sobjects")[0] == 404
    status, body = sf.rest("PATCH", f"{BASE}/sobjects/Account/{account}", {"Phone": "2"})
    assert (status, body) == (204, None)
    assert sf.rest("GET", f"{BASE}/sobjects/Account/{account}?fields=Phone,Name")[1]["Phone"] == "2"
    status, body = sf.rest("GET", f"{BASE}/sobjects/Account/{account}?fields=Nope")
    assert (status, body) == (
        400,
        [{"message": "No such column 'Nope' on sobject of type Account", "errorCode": "INVALID_FIELD"}],
    )
    assert sf.rest("GET", f"{BASE}/sobjects/Account/{account}/Contacts")[1]["totalSize"] == 1
    assert sf.rest("GET", f"{BASE}/sobjects/Account/{account}/Owner")[1]["Name"] == "Bea Stone"
    assert sf.rest("GET", f"{BASE}/sobjects/Account/{account}/Nothing")[0] == 404
    assert sf.rest("POST", f"{BASE}/sobjects/Account/", "[1")[1][0]["errorCode"] in (
        "JSON_PARSER_ERROR",
        "REQUIRED_FIELD_MISSING",
    )
    assert sf.rest("POST", f"{BASE}/sobjects/Account/", [1])[1][0]["errorCode"] == "JSON_PARSER_ERROR"
    assert sf.rest("POST", f"{BASE}/sobjects/Nothing", {"Name": "x"})[0] == 404
    status, body = sf.rest("PUT", f"{BASE}/sobjects/Account/{account}", {})
    assert (status, body[0]["errorCode"], body[0]["message"]) == (
        405, "METHOD_NOT_ALLOWED", "HTTP Method 'PUT' not allowed. Allowed are HEAD,GET,PATCH,DELETE",
    )  # fmt: skip
    status, body = sf.rest("PATCH", f"{BASE}/sobjects/Account/{account}", {"Id": account})
    assert body[0]["message"] == "The Id field should not be specified in the sobject data."
    assert [s["Id"] for s in sf.rest("GET", f"{BASE}/recent?limit=1")[1]] == [account]


def test_related_records(sf: Salesforce) -> None:
    children = sf.get_related_records(
        sobject="Account", id=sf.id(Company, "acme"), relationship="contacts", fields="Name,Email"
    )
    assert children["records"][0]["Email"] == "dana@acme.example"
    parent = sf.get_related_records(sobject="Contact", id=sf.id(Contact, "dana"), relationship="Account", fields="Name")
    assert parent["Name"] == "Acme Cranes Ltd"


def test_what_changed_lately(sf: Salesforce) -> None:
    span = {"start": "2026-03-01T00:00:00Z", "end": "2026-03-03T00:00:00Z"}
    assert sf.get_updated_records(sobject="Contact", **span)["ids"] == []
    sf.update("Contact", sf.id(Contact, "dana"), Title="Head of buying")
    assert sf.get_updated_records(sobject="Contact", **span)["ids"] == [sf.id(Contact, "dana")]
    sf.delete_record(sobject="Contact", id=sf.id(Contact, "dana"))
    assert sf.get_deleted_records(sobject="Contact", **span)["deletedRecords"][0]["id"] == sf.id(Contact, "dana")
    for wrong in (
        {"start": span["end"], "end": span["start"]},
        {"start": "2025-01-01T00:00:00Z", "end": span["end"]},
        {"start": "x", "end": "y"},
    ):
        assert sf.refused("get_updated_records", sobject="Contact", **wrong)["errorCode"] == "INVALID_REPLICATION_DATE"


def test_agents_are_told_what_to_do(sf: Salesforce) -> None:
    told = {
        "Similar fields: Phone": ("create_record", {"sobject": "Account", "fields": {"Name": "x", "Phon": "1"}}),
        "Similar types: Opportunity": ("create_record", {"sobject": "Oportunity", "fields": {}}),
        "Similar fields: StageName": ("query", {"q": "SELECT Stage FROM Opportunity"}),
        "Similar types: Account": ("query", {"q": "SELECT Id FROM Accounts"}),
        "Similar relationships: Contacts": ("query", {"q": "SELECT (SELECT Id FROM Contact) FROM Account"}),
        "One of: Prospecting, ": (
            "update_record",
            {"sobject": "Opportunity", "id": sf.id(Deal, "won"), "fields": {"StageName": "Won"}},
        ),
        "FirstName and LastName": ("create_record", {"sobject": "Contact", "fields": {"Name": "Ada Okoro"}}),
        "Write MailingStreet, MailingCity": ("create_record", {"sobject": "Contact", "fields": {"MailingAddress": {}}}),
        "YYYY-MM-DD": ("create_task", {"Subject": "x", "ActivityDate": "March 10"}),
        "id of: Group, User": ("create_task", {"Subject": "x", "OwnerId": "bea"}),
        "allow_save": ("create_record", {"sobject": "Account", "fields": {"Name": "Acme Cranes"}}),
    }
    for word, (tool, arguments) in told.items():
        assert word in sf.refused(tool, **arguments)["hint"]
    assert "hint" not in sf.rest("POST", f"{BASE}/sobjects/Account", {"Phon": "1"})[1][0]
    records = [{"attributes": {"type": "Account"}, "Phon": "1"}]
    assert "hint" not in sf.rest("POST", f"{BASE}/composite/sobjects", {"records": records})[1][0]["errors"][0]


def test_record_types(sf: Salesforce) -> None:
    kinds = {r["SobjectType"] + r["Name"]: r["Id"] for r in sf.soql("SELECT Id, Name, SobjectType FROM RecordType")}
    renewal, business = kinds["OpportunityRenewal"], kinds["AccountBusiness"]
    described = sf.describe_sobject(sobject="Opportunity")
    assert {"name": "Renewal", "recordTypeId": renewal} in described["recordTypes"]
    infos = sf.describe_sobject(sobject="Opportunity", detail="full")["recordTypeInfos"]
    assert [i["name"] for i in infos] == ["Master", "New Business", "Renewal"]
    sf.update("Opportunity", sf.id(Deal, "renewal"), RecordTypeId=renewal)
    wrong = {"sobject": "Opportunity", "id": sf.id(Deal, "renewal"), "fields": {"RecordTypeId": business}}
    assert sf.refused("update_record", **wrong)["errorCode"] == "INVALID_CROSS_REFERENCE_KEY"


def test_describe_says_what_may_be_written(sf: Salesforce) -> None:
    for sobject in ("Account", "Contact", "Lead", "Opportunity", "Case", "Campaign", "Product2"):
        described = sf.describe_sobject(sobject=sobject, detail="full")
        required = {
            f["name"]
            for f in described["fields"]
            if f["createable"] and not f["nillable"] and not f["defaultedOnCreate"]
        }
        error = sf.refused("create_record", sobject=sobject, fields={}) if required else {"fields": []}
        assert set(error["fields"]) == required
        for field in described["fields"]:
            if not field["createable"] and field["name"] != "Id":
                error = sf.refused("create_record", sobject=sobject, fields={field["name"]: "x"})
                assert error["errorCode"] == "INVALID_FIELD_FOR_INSERT_UPDATE"
            if field["filterable"]:
                sf.soql(f"SELECT Id FROM {sobject} WHERE {field['name']} = null")
            else:
                assert sf.refused("query", q=f"SELECT Id FROM {sobject} WHERE {field['name']} = null")
        for child in described["childRelationships"]:
            if child["relationshipName"]:
                sf.soql(f"SELECT Id, (SELECT Id FROM {child['relationshipName']}) FROM {sobject}")


async def _over_mcp() -> None:
    episode = episode_of("salesforce", ENTITIES)
    async with Client(serve(episode, ["salesforce"])) as client:
        made = await client.call_tool("create_task", {"Subject": "Hello", "Priority": "Low"})
        assert made.structured_content is not None
        assert made.structured_content["success"] is True
        failed = await client.call_tool("create_record", {"sobject": "Account", "fields": {}})
        assert failed.is_error
        shown = json.loads(failed.content[0].text)  # type: ignore[union-attr]
        assert shown["status"] == 400
        assert shown["errors"][0]["errorCode"] == "REQUIRED_FIELD_MISSING"
        deleted = await client.call_tool("delete_record", {"sobject": "Task", "id": made.structured_content["id"]})
        assert deleted.structured_content == {"id": made.structured_content["id"], "success": True, "errors": []}


def test_over_mcp() -> None:
    import anyio

    anyio.run(_over_mcp)


def test_every_read_reads(world: Salesforce) -> None:
    account = world.soql("SELECT Id FROM Account LIMIT 1")[0]["Id"]
    report = world.list_reports()[0]["id"]
    arguments: dict[str, dict[str, Any]] = {
        "query": {"q": "SELECT Id FROM Account"}, "query_all": {"q": "SELECT Id FROM Account"}, "search_sosl": {"q": "FIND {meridian}"},
        "parameterized_search": {"q": "meridian"}, "describe_sobject": {"sobject": "Case"}, "get_record": {"sobject": "Account",
        "id": account},
        "get_records_collection": {"sobject": "Account", "ids": account, "fields": "Name"}, "run_report": {"reportId": report},
        "run_report_with_filters": {"reportId": report}, "describe_report": {"reportId": report},
        "get_related_records": {"sobject": "Account", "id": account, "relationship": "Contacts"},
        "get_updated_records": {"sobject": "Account", "start": "2026-02-20T00:00:00Z", "end": "2026-03-03T00:00:00Z"},
        "get_deleted_records": {"sobject": "Account", "start": "2026-02-20T00:00:00Z", "end": "2026-03-03T00:00:00Z"},
    }  # fmt: skip
    elsewhere = {
        "query_more",
        "get_record_by_external_id",
        "get_bulk_job",
        "get_bulk_job_results",
        "get_bulk_query_results",
    }
    for operation in registry.load("salesforce").operations.values():
        if operation.reads and operation.mcp and operation.tool not in elsewhere:
            reply = world.episode.call("salesforce", operation.tool, arguments.get(operation.tool, {}))
            assert reply.status == 200, (operation.tool, reply.body)
    assert world.episode.changes() == []


def test_the_same_calls_give_the_same_bytes() -> None:
    def live() -> tuple[Any, Any]:
        sf = Salesforce(episode_of("salesforce", ENTITIES))
        sf.convert_lead(leadId=sf.id(Lead, "lena"))
        sf.create("Case", Subject="x")
        sf.delete_record(sobject="Contact", id=sf.id(Contact, "omar"))
        return sf.everything(), [c.as_json() for c in sf.episode.changes()]

    assert live() == live()


def test_touched_rows_miss_nothing(sf: Salesforce) -> None:
    _, entry = _priced(sf)
    sf.add_opportunity_product(OpportunityId=sf.id(Deal, "renewal"), PricebookEntryId=entry, Quantity=1, UnitPrice=10)
    sf.convert_lead(leadId=sf.id(Lead, "lena"))
    sf.delete_record(sobject="Contact", id=sf.id(Contact, "omar"))
    before, after = sf.live.template.connection, sf.live.store.connection
    shapes = sf.live.app.shapes
    differing = {
        (table, key)
        for table, key in all_keys(sf.live.app, before, after)
        if before.execute(shapes[table].by_key, key).fetchone() != after.execute(shapes[table].by_key, key).fetchone()
    }
    assert differing <= set(sf.live.touched)
