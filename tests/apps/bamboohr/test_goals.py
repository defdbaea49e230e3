"""BambooHR: goals, training, hiring, webhooks, timesheets."""

from legoenv_mcp.testing import episode_of
from tests.apps.bamboohr.support import Bamboo


def test_a_goal_lives(bamboo: Bamboo) -> None:
    bea = int(bamboo.bea)
    usual = {"employeeId": bamboo.bea, "title": "Close faster", "dueDate": "2026-06-30", "sharedWithEmployeeIds": [bea]}
    bamboo.refused(400, "owner", "create_goal", **{**usual, "sharedWithEmployeeIds": [int(bamboo.alex)]})
    bamboo.refused(400, "dueDate", "create_goal", **{**usual, "dueDate": "June"})
    bamboo.refused(400, "only valid", "create_goal", **usual, percentComplete=50, completionDate="2026-01-01")
    key = bamboo("create_goal", **usual, percentComplete=20)["goal"]["id"]
    at = {"employeeId": bamboo.bea, "goalId": key}
    bamboo.refused(400, "completionDate is required", "update_goal_progress", **at, percentComplete=100)
    assert (
        bamboo("update_goal_progress", **at, percentComplete=100, completionDate="2026-03-01")["goal"]["status"]
        == "completed"
    )
    bamboo.refused(400, "not associated", "update_goal_progress", employeeId=bamboo.alex, goalId=key, percentComplete=5)
    bamboo.refused(404, "goal", "update_goal_progress", employeeId=bamboo.bea, goalId="999", percentComplete=5)
    bamboo("create_goal_comment", **at, text="Well done")
    bamboo.refused(400, "blank", "create_goal_comment", **at, text=" ")
    bamboo("close_goal", **at, comment="Over")
    assert [c["text"] for c in bamboo("list_goal_comments", **at)["comments"]] == ["Well done", "Over"]
    bamboo.refused(403, "closed", "close_goal", **at)
    bamboo.refused(403, "closed", "update_goal", **at, **{k: v for k, v in usual.items() if k != "employeeId"})
    assert bamboo("list_goals", employeeId=bamboo.bea)["goals"] == []
    assert len(bamboo("list_goals", employeeId=bamboo.bea, filter="status-closed")["goals"]) == 1
    path = f"/v1/performance/employees/{bamboo.bea}/goals/{key}"
    assert bamboo.rest("POST", f"{path}/reopen").body["goal"]["status"] == "completed"
    assert bamboo.rest("POST", f"{path}/reopen").status == 403
    steps = {
        "title": "Faster",
        "dueDate": "2026-07-01",
        "sharedWithEmployeeIds": [bea],
        "milestonesEnabled": True,
        "milestones": [{"title": "a"}, {"title": "b"}],
    }
    goal = bamboo("update_goal", **at, **steps)["goal"]
    assert (goal["percentComplete"], len(goal["milestones"])) == (0, 2)
    bamboo.refused(400, "milestones", "update_goal_progress", **at, percentComplete=5)
    one = goal["milestones"][0]["id"]
    assert (
        bamboo.rest("PUT", f"{path}/milestones/{one}/progress", {"complete": True}).body["goal"]["percentComplete"]
        == 50
    )
    assert bamboo.rest("PUT", f"{path}/milestones/999/progress", {"complete": True}).status == 404
    whole = bamboo.rest("GET", f"{path}/aggregate").body
    assert {p["employeeId"] for p in whole["persons"]} == {bea, int(bamboo.alex)}
    bamboo("delete_goal", **at)
    bamboo.refused(404, "goal", "delete_goal", **at)


def test_trainings(bamboo: Bamboo) -> None:
    bamboo.refused(400, "needs a frequency", "create_training_type", name="Fire", renewable=True)
    bamboo.refused(400, "dueFromHireDate", "create_training_type", name="Fire", dueFromHireDate=5)
    kind = bamboo("create_training_type", name="Fire", renewable=True, frequency=12, category={"name": "Safety"})
    assert kind["category"] == {"id": 1, "name": "Safety"}
    made = bamboo(
        "create_employee_training_record",
        employeeId=bamboo.bea,
        type=kind["id"],
        completed="2026-02-01",
        hours=1.5,
        cost={"currency": "GBP", "amount": "20"},
    )
    assert (made["hours"], made["cost"]) == ("1.5", "20.00 GBP")
    bamboo.refused(
        400, "training type", "create_employee_training_record", employeeId=bamboo.bea, type=9, completed="2026-02-01"
    )
    bamboo.refused(
        400, "completed", "create_employee_training_record", employeeId=bamboo.bea, type=kind["id"], completed="x"
    )
    assert list(bamboo("list_employee_trainings", employeeId=bamboo.bea)) == [str(made["id"])]
    assert bamboo("list_employee_trainings", employeeId=bamboo.alex) == []
    assert (
        bamboo.rest("PUT", f"/v1/training/record/{made['id']}", {"completed": "2026-02-02", "notes": "ok"}).status
        == 201
    )
    own = f"/v1/training/type/{kind['id']}"
    assert bamboo.rest("DELETE", own).status == 400
    assert bamboo.rest("PUT", own, {"renewable": False}).body["renewable"] is False
    assert bamboo.rest("DELETE", f"/v1/training/record/{made['id']}").status == 200
    assert bamboo.rest("DELETE", own).status == 200
    assert bamboo("list_training_types") == {}
    assert bamboo.rest("POST", "/v1/training/category", {"name": "safety"}).status == 400
    assert bamboo.rest("POST", "/v1/training/category", {"name": "Law"}).status == 201
    assert bamboo.rest("PUT", "/v1/training/category/2", {"name": "Safety"}).status == 409
    assert bamboo.rest("PUT", "/v1/training/category/2", {"name": "Laws"}).status == 200
    assert bamboo.rest("DELETE", "/v1/training/category/2").status == 200
    assert list(bamboo.rest("GET", "/v1/training/category").body) == ["1"]


def test_hiring(bamboo: Bamboo) -> None:
    usual = {
        "postingTitle": "Diver",
        "jobStatus": "Open",
        "hiringLead": int(bamboo.alex),
        "employmentType": "Full-Time",
        "jobDescription": "Dive.",
    }
    bamboo.refused(422, "hiringLead", "create_job_opening", **{**usual, "hiringLead": int(bamboo.carl)})
    bamboo.refused(422, "jobLocation", "create_job_opening", **usual, jobLocation=1)
    place = bamboo("get_company_locations")[0]["id"]
    job = int(bamboo("create_job_opening", **usual, department="Sea", jobLocation=place)["jobOpeningId"])
    bamboo.refused(422, "jobId", "create_candidate", firstName="Dee", lastName="Ash", jobId=999)
    bamboo.refused(422, "email", "create_candidate", firstName="Dee", lastName="Ash", jobId=job, email="dee")
    key = bamboo(
        "create_candidate", firstName="Dee", lastName="Ash", jobId=job, email="dee@sea.example", desiredSalary="40k"
    )["candidateId"]
    assert bamboo("get_job_summaries", statusGroups="Open")[0]["newApplicantsCount"] == 1
    assert bamboo("get_job_summaries", statusGroups="Draft,Filled") == []
    bamboo.refused(400, "status group", "get_job_summaries", statusGroups="Nope")
    statuses = {s["name"]: int(s["id"]) for s in bamboo("get_statuses")}
    bamboo("update_applicant_status", applicationId=key, status=statuses["Interviewed"])
    bamboo.refused(400, "status", "update_applicant_status", applicationId=key, status=99)
    bamboo.refused(404, "application", "update_applicant_status", applicationId=99, status=1)
    bamboo("create_application_comment", applicationId=key, comment="Swims well")
    found = bamboo("get_applications", applicationStatus="ACTIVE", searchString="diver")["applications"]
    assert [(a["id"], a["status"]["label"]) for a in found] == [(key, "Interviewed")]
    assert bamboo("get_applications", applicationStatus="NEW")["applications"] == []
    whole = bamboo("get_application_details", applicationId=key)
    assert (whole["desiredSalary"], whole["commentCount"], whole["status"]["changedByUser"]["firstName"]) == (
        "40k",
        1,
        "Alex",
    )
    assert [h["preferredFullName"] for h in bamboo.rest("GET", "/v1/applicant_tracking/hiring_leads").body] == [
        "Alex Doyle",
        "Bea Reed",
    ]


def test_webhooks(bamboo: Bamboo) -> None:
    hook = {
        "name": "h",
        "url": "https://sea.example/in",
        "format": "json",
        "monitorFields": ["firstName"],
        "postFields": {"firstName": "First"},
    }
    for change in (
        {"url": "http://sea.example"},
        {"monitorFields": []},
        {"format": "xml"},
        {"events": ["employee.updated", "employee_with_fields.created"]},
    ):
        assert bamboo.rest("POST", "/v1/webhooks", {**hook, **change}).status == 400
    reply = bamboo.rest("POST", "/v1/webhooks", {**hook, "monitorFields": ["noSuch"]})
    assert (reply.status, reply.body["errors"][0]["unknownFields"][0]["id"]) == (403, "noSuch")
    assert bamboo.episode.changes() == []
    made = bamboo.rest("POST", "/v1/webhooks", hook)
    assert (made.status, len(made.body["privateKey"])) == (201, 32)
    own = f"/v1/webhooks/{made.body['id']}"
    assert "privateKey" not in bamboo.rest("GET", own).body
    assert bamboo.rest("PUT", own, {**hook, "name": "i"}).body["name"] == "i"
    assert [w["name"] for w in bamboo.rest("GET", "/v1/webhooks").body["webhooks"]] == ["i"]
    assert bamboo.rest("GET", f"{own}/log").body == []
    assert bamboo.rest("DELETE", own).body == "Web hook has been deleted."
    assert bamboo.rest("GET", own).status == 404
    assert bamboo.rest("GET", "/v1/webhooks/monitor_fields").body["fields"]


def test_timesheets(bamboo: Bamboo) -> None:
    bea = int(bamboo.bea)
    hours = [{"employeeId": bea, "date": "2026-02-27", "hours": 7.5}]
    made = bamboo("create_or_update_timesheet_hour_entries", hours=hours)[0]["id"]
    bamboo("create_or_update_timesheet_hour_entries", hours=[{"id": made, "hours": 6, "note": "Left early"}])
    bamboo.refused(
        404, "was not found", "create_or_update_timesheet_hour_entries", hours=[*hours, {"id": 999, "hours": 1}]
    )
    bamboo.refused(
        400, "date is required", "create_or_update_timesheet_hour_entries", hours=[{"employeeId": bea, "hours": 1}]
    )
    own = f"/v1/time_tracking/employees/{bea}"
    assert bamboo.rest("POST", f"{own}/clock_out", {}).status == 409
    past = {"date": "2026-02-26", "timezone": "Europe/London"}
    assert bamboo.rest("POST", f"{own}/clock_in", {"start": "09:00"}).status == 400
    clock = bamboo.rest("POST", f"{own}/clock_in", {**past, "start": "09:00"}).body
    assert bamboo.rest("POST", f"{own}/clock_in", {}).status == 409
    assert bamboo.rest("POST", "/v1/time_tracking/clock_entries/delete", {"clockEntryIds": [clock["id"]]}).status == 409
    assert bamboo.rest("POST", f"{own}/clock_out", {**past, "end": "08:00"}).status == 400
    assert bamboo.rest("POST", f"{own}/clock_out", {**past, "end": "17:15"}).body["hours"] == 8.25
    entries = bamboo("list_timesheet_entries", start="2026-02-01", end="2026-02-28", employeeIds=bamboo.bea)
    assert [(e["type"], e["hours"]) for e in entries] == [("clock", 8.25), ("hour", 6)]
    bamboo.refused(400, "365 days", "list_timesheet_entries", start="2024-01-01", end="2026-02-28")
    assert bamboo.rest("POST", "/v1/time_tracking/hour_entries/delete", {"hourEntryIds": [clock["id"]]}).status == 409
    assert bamboo.rest("POST", "/v1/time_tracking/hour_entries/delete", {"hourEntryIds": [made, 999]}).status == 204
    assert bamboo.rest("POST", "/v1/time_tracking/clock_entries/delete", {"clockEntryIds": [clock["id"]]}).status == 204
    assert bamboo("list_timesheet_entries", start="2026-02-01", end="2026-02-28") == []


def test_a_tool_answer_stays_small() -> None:
    live = episode_of("bamboohr", world="quaymark").app("bamboohr")
    for tool, arguments in (
        ("get_employees_directory", {}),
        ("list_employees", {}),
        ("list_fields", {}),
        ("list_list_fields", {}),
        ("list_tabular_fields", {}),
        ("get_employee_table_data", {"id": "all", "table": "jobInfo"}),
        ("list_users", {}),
        ("list_time_off_requests", {"start": "2025-01-01", "end": "2027-01-01"}),
        ("get_report_by_id", {"reportId": 102}),
    ):
        reply = live.call(tool, arguments)
        assert not reply.error
        assert len(reply.text()) < 30_000, (tool, len(reply.text()))
