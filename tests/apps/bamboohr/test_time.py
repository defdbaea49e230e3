"""BambooHR: time off."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.apps.bamboohr.support import SICK, UNPAID, VACATION, Bamboo


def test_a_request_takes_working_days(bamboo: Bamboo) -> None:
    made = bamboo(
        "create_time_off_request",
        employeeId=bamboo.bea,
        status="requested",
        start="2026-12-24",
        end="2026-12-28",
        timeOffTypeId=VACATION,
    )
    assert made["amount"] == {"unit": "days", "amount": 2}
    assert made["status"]["status"] == "requested"
    half = bamboo(
        "create_time_off_request",
        employeeId=bamboo.bea,
        status="approved",
        start="2026-05-04",
        end="2026-05-05",
        timeOffTypeId=SICK,
        dates=[{"ymd": "2026-05-05", "amount": 0.5}],
        notes=[{"from": "employee", "note": "Dentist"}],
    )
    assert (half["dates"], half["notes"]) == ({"2026-05-04": 0, "2026-05-05": 0.5}, {"employee": "Dentist"})

    def refused(code: int, why: str, /, **changes: Any) -> None:
        usual = {
            "employeeId": bamboo.bea,
            "status": "requested",
            "start": "2026-05-04",
            "end": "2026-05-05",
            "timeOffTypeId": VACATION,
        }
        bamboo.refused(code, why, "create_time_off_request", **{**usual, **changes})

    refused(400, "on or after the start", end="2026-05-03")
    refused(400, "Invalid time off type", timeOffTypeId=5)
    refused(404, "Employee not found", employeeId="999")
    refused(400, "no working day", start="2026-05-02", end="2026-05-03")
    refused(400, "not between", dates=[{"ymd": "2026-05-06", "amount": 1}])
    refused(400, "from 0 to 1 days", dates=[{"ymd": "2026-05-05", "amount": 2}])
    refused(400, "Invalid previous request", previousRequest=99)
    refused(400, "status", status="canceled")


def test_a_request_takes_the_place_of_another(bamboo: Bamboo) -> None:
    old = int(bamboo.refs["hr.TimeOff"]["t1"])
    bamboo(
        "create_time_off_request",
        employeeId=bamboo.bea,
        status="requested",
        start="2026-03-06",
        end="2026-03-06",
        timeOffTypeId=VACATION,
        previousRequest=old,
    )
    listed = bamboo("list_time_off_requests", start="2026-03-01", end="2026-03-31")
    assert {r["id"]: r["status"]["status"] for r in listed}[old] == "superceded"
    bamboo.refused(403, "cannot be approved", "update_time_off_request_status", requestId=old, status="approved")


_ALLOWED = {("requested", "approved"), ("requested", "denied"), ("requested", "canceled"), ("approved", "canceled")}


@pytest.mark.parametrize("start", ["requested", "approved", "denied", "canceled"])
@pytest.mark.parametrize(
    ("asked", "becomes"),
    [("approved", "approved"), ("declined", "denied"), ("denied", "denied"), ("cancelled", "canceled")],
)
def test_where_a_request_may_go(bamboo: Bamboo, start: str, asked: str, becomes: str) -> None:
    key = int(bamboo.refs["hr.TimeOff"]["t1"])
    if start != "requested":
        bamboo("update_time_off_request_status", requestId=key, status=start)
    if (start, becomes) not in _ALLOWED:
        bamboo.refused(403, f"is {start}", "update_time_off_request_status", requestId=key, status=asked)
        return
    bamboo("update_time_off_request_status", requestId=key, status=asked, note="So be it")
    one = bamboo("list_time_off_requests", start="2026-03-01", end="2026-03-31", id=key)[0]
    assert (one["status"]["status"], one["notes"]["manager"], one["status"]["lastChanged"]) == (
        becomes,
        "So be it",
        "2026-03-02",
    )


def test_requests_are_listed_by_what_they_are(bamboo: Bamboo) -> None:
    def ids(**more: Any) -> list[int]:
        return [
            r["id"] for r in bamboo("list_time_off_requests", **{"start": "2026-01-01", "end": "2026-12-31", **more})
        ]

    first, second = (int(bamboo.refs["hr.TimeOff"][k]) for k in ("t1", "t2"))
    assert ids() == [second, first]
    assert ids(status="approved,denied") == ids(end="2026-03-04") == [second]
    assert ids(start="2026-03-10") == ids(action="approve") == [first]
    assert ids(type="79") == ids(action="myRequests") == ids(employeeId=int(bamboo.alex)) == []
    bamboo.refused(400, "end is not a valid date", "list_time_off_requests", start="2026-01-01", end="soon")
    assert ids(status="declined") == []
    year = {"start": "2026-01-01", "end": "2026-12-31"}
    bamboo.refused(400, "no status pending. There are: requested", "list_time_off_requests", status="pending", **year)
    assert bamboo.rest("GET", "/api/v1/time_off/requests", status="pending", **year).body == []  # pyright: ignore[reportArgumentType]
    bamboo.refused(400, "enabled", "list_users", status="inactive")
    bamboo.refused(404, "does not exist", "update_time_off_request_status", requestId=999, status="approved")
    assert [o["name"] for o in bamboo("list_whos_out", start="2026-02-09", end="2026-02-09")] == ["Bea Reed"]
    assert [o["type"] for o in bamboo("list_whos_out", start="2026-12-20", end="2026-12-31")] == ["holiday"]
    assert bamboo("list_whos_out") == []


def test_balances_accrue_and_are_used_and_adjusted(bamboo: Bamboo) -> None:
    assert bamboo.balance() == "4.25"  # three firsts of a month at 25 / 12, less two days
    assert bamboo.balance("2026-12-31") == "23.00"
    assert bamboo.balance("2026-02-08") == "4.17"
    key = int(bamboo.refs["hr.TimeOff"]["t1"])
    bamboo("update_time_off_request_status", requestId=key, status="approved")
    assert (bamboo.balance(), bamboo.balance("2026-03-10")) == ("4.25", "0.25")
    bamboo(
        "adjust_time_off_balance",
        employeeId=bamboo.bea,
        date="2026-03-01",
        timeOffTypeId=VACATION,
        amount=-1.5,
        note="Sold",
    )
    assert bamboo.balance() == "2.75"
    used = {"date": "2026-03-02", "timeOffRequestId": key}
    path = f"/api/v1/employees/{bamboo.bea}/time_off/history"
    assert bamboo.rest("PUT", path, used).status == 201
    assert bamboo.balance() == "-1.25"
    assert bamboo.rest("PUT", path, used).status == 409
    assert (
        bamboo.rest(
            "PUT", path, {"date": "2026-03-02", "eventType": "override", "timeOffTypeId": VACATION, "amount": 1}
        ).status
        == 201
    )
    bamboo.refused(
        400,
        "discretionary",
        "adjust_time_off_balance",
        employeeId=bamboo.bea,
        date="2026-03-01",
        timeOffTypeId=UNPAID,
        amount=1,
    )
    bamboo.refused(
        400, "date", "adjust_time_off_balance", employeeId=bamboo.bea, date="x", timeOffTypeId=VACATION, amount=1
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(-400, 400), max_size=4), st.integers(1, 5))
def test_a_balance_is_what_accrued_and_was_adjusted_less_what_is_used(adjustments: list[int], days: int) -> None:
    bamboo = Bamboo()
    start = float(bamboo.balance("2026-06-30"))
    for amount in adjustments:
        bamboo(
            "adjust_time_off_balance",
            employeeId=bamboo.bea,
            date="2026-06-01",
            timeOffTypeId=VACATION,
            amount=amount / 4,
        )
    last = f"2026-06-{7 + days:02}"
    made = bamboo(
        "create_time_off_request",
        employeeId=bamboo.bea,
        status="approved",
        start="2026-06-08",
        end=last,
        timeOffTypeId=VACATION,
    )
    assert made["amount"]["amount"] == days
    assert float(bamboo.balance("2026-06-30")) == pytest.approx(start + sum(adjustments) / 4 - days, abs=0.011)
    bamboo("update_time_off_request_status", requestId=made["id"], status="canceled")
    assert float(bamboo.balance("2026-06-30")) == pytest.approx(start + sum(adjustments) / 4, abs=0.011)


def test_policies_are_assigned_one_a_type(bamboo: Bamboo) -> None:
    policies = {p["name"]: p["id"] for p in bamboo("list_time_off_policies")}
    sick = policies["Sick Full-Time"]
    left = bamboo(
        "assign_time_off_policies",
        employeeId=bamboo.bea,
        policies=[{"timeOffPolicyId": sick, "accrualStartDate": None}],
    )
    assert len(left) == 3
    bamboo.refused(
        400,
        "does not have",
        "assign_time_off_policies",
        employeeId=bamboo.bea,
        policies=[{"timeOffPolicyId": sick, "accrualStartDate": None}],
    )
    bamboo.refused(
        400,
        "no policy",
        "adjust_time_off_balance",
        employeeId=bamboo.bea,
        date="2026-03-01",
        timeOffTypeId=SICK,
        amount=1,
    )
    back = bamboo.rest(
        "PUT",
        f"/v1/employees/{bamboo.bea}/time_off/policies",
        [{"timeOffPolicyId": sick, "accrualStartDate": "2026-03-01"}],
    )
    assert len(back.body) == 2
    assert bamboo.balance(kind=SICK) == "0.83"
    assert len(bamboo("list_employee_time_off_policies", employeeId=bamboo.bea)) == 4
    bamboo.refused(
        400,
        "does not exist",
        "assign_time_off_policies",
        employeeId=bamboo.bea,
        policies=[{"timeOffPolicyId": 5, "accrualStartDate": None}],
    )
