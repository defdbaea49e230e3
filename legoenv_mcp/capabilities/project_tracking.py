"""Project tracking: projects and their tasks."""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

from pydantic import BaseModel

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks
from legoenv_mcp.capabilities.people import Person

Status = Literal["todo", "in_progress", "in_review", "done"]


class TaskComment(BaseModel, frozen=True, extra="forbid"):
    """`author` is a Person's key."""

    author: str
    at: str
    body: str


class Project(Entity):
    """A project or board. `code` is its short name in capitals (`OPS`), by which some products number tasks."""

    name: str
    code: str
    description: str = ""
    lead: str = ""
    members: tuple[str, ...] = ()
    archived: bool = False
    created: str = ""


class Task(Entity):
    """A task. `project`, `assignee`, `reporter` are keys; `parent` is another Task's key; `due` an ISO day; `number` counts in
    its project."""

    project: str
    number: int
    title: str
    body: str = ""
    kind: Literal["task", "bug", "story", "epic"] = "task"
    status: Status = "todo"
    priority: Literal["low", "medium", "high", "highest", ""] = ""
    assignee: str = ""
    reporter: str = ""
    due: str = ""
    labels: tuple[str, ...] = ()
    parent: str = ""
    comments: tuple[TaskComment, ...] = ()
    created: str = ""
    done: str = ""


class ProjectTracking(Capability):
    name = "project_tracking"
    entities: ClassVar[tuple[type[Entity], ...]] = (Person, Project, Task)

    @abstractmethod
    def list_projects(self) -> Plan: ...
    @abstractmethod
    def list_tasks(self, project_id: str) -> Plan: ...
    @abstractmethod
    def get_task(self, task_id: str) -> Plan: ...
    @abstractmethod
    def create_task(self, project_id: str, title: str, body: str = "") -> Plan: ...
    @abstractmethod
    def update_task(self, task_id: str, **changes: Any) -> Plan:
        """Changes any of title, body, due (an ISO day)."""

    @abstractmethod
    def complete_task(self, task_id: str) -> Plan: ...
    def list_people(self, project_id: str) -> Plan:
        """Those to whom tasks of the project can be given."""
        return lacks(self, "list_people")

    def create_project(self, name: str, code: str) -> Plan:
        return lacks(self, "create_project")

    def comment(self, task_id: str, body: str) -> Plan:
        return lacks(self, "comment")

    def assign_task(self, task_id: str, person_id: str) -> Plan:
        return lacks(self, "assign_task")

    def delete_task(self, task_id: str) -> Plan:
        return lacks(self, "delete_task")
