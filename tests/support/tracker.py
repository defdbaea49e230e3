"""A small workspace for the tests of project trackers: two projects, five tasks, three people."""

from typing import Any

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, Task, TaskComment


def person(handle: str, **more: Any) -> Person:
    mail = f"{handle}@brightwater.example"
    given = {
        "first_name": handle.title(),
        "last_name": "van Reed",
        "email": mail,
        "handle": handle,
        "department": "Finance",
    }
    return Person(**{"key": handle, "title": "Analyst", **given, **more})


def task(number: int, title: str, **more: Any) -> Task:
    at = f"2026-02-{number:02}T09:00:00Z"
    return Task(**{"key": f"T{number}", "project": "ops", "number": number, "title": title, "created": at, **more})


OPS = Project(
    key="ops", name="Operations", code="OPS", description="What we promised", lead="alex.doyle", members=("alex.doyle", "bea"),
    created="2024-01-08T09:58:07Z",
)  # fmt: skip


OLD = Project(key="old", name="Old things", code="OLD", members=("bea",), archived=True, created="2023-01-08T09:58:07Z")


TASKS = [
    task(1, "Quarter plan", kind="epic", priority="high", reporter="bea", labels=("quarter",)),
    task(
        2, "Renewal sheet", body="One row a subscription", status="in_progress", kind="bug", priority="low", assignee="bea",
        reporter="alex.doyle", due="2026-03-04", parent="T1", labels=("sales", "quarter"),
        comments=(TaskComment(author="bea", at="2026-02-10T10:00:00Z", body="Nearly there"),),
    ),
    task(3, "Order chairs", status="done", done="2026-02-20T08:00:00Z", assignee="alex.doyle"),
    task(4, "Call the dock", due="2026-02-27", assignee="alex.doyle"),
    task(5, "Read the lease", status="in_review", due="2026-05-01"),
]  # fmt: skip


ENTITIES: list[Entity] = [person("bea"), person("carl", admin=True), person("dan", active=False), OPS, OLD, *TASKS]
