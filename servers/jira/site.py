"""What an administrator has set up: issue types, statuses and the workflows between them, priorities, resolutions, link types.

Ids are those of a Jira Cloud site made from the Software template.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Category:
    id: int
    key: str
    name: str
    color: str


@dataclass(frozen=True, slots=True)
class Status:
    id: int
    name: str
    category: Category
    description: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """An issue type. `level` is its place in the hierarchy: 1 epics, 0 standard, -1 sub-tasks."""

    id: int
    name: str
    level: int
    description: str


@dataclass(frozen=True, slots=True)
class Option:
    """A priority or a resolution. `rank` grows with importance."""

    id: int
    name: str
    description: str
    color: str = ""
    rank: int = 0


@dataclass(frozen=True, slots=True)
class LinkType:
    id: int
    name: str
    inward: str
    outward: str


@dataclass(frozen=True, slots=True)
class Transition:
    """A step of a workflow. `screen` says which fields are asked on the way: `resolution` optional or required."""

    id: int
    name: str
    origins: tuple[int, ...]
    to: int
    resolution: str = ""


NEW = Category(2, "new", "To Do", "blue-gray")
INDETERMINATE = Category(4, "indeterminate", "In Progress", "yellow")
DONE = Category(3, "done", "Done", "green")
CATEGORIES = (Category(1, "undefined", "No Category", "medium-gray"), NEW, INDETERMINATE, DONE)

TO_DO, IN_PROGRESS, IN_REVIEW, FINISHED = 10000, 3, 10001, 10002
STATUSES = {
    s.id: s
    for s in (
        Status(TO_DO, "To Do", NEW),
        Status(IN_PROGRESS, "In Progress", INDETERMINATE, "This work item is being actively worked on at the moment by the assignee."),
        Status(IN_REVIEW, "In Review", INDETERMINATE),
        Status(FINISHED, "Done", DONE),
    )
}  # fmt: skip

EPIC, STORY, TASK, BUG, SUBTASK = 10000, 10001, 10002, 10004, 10003
KINDS = {
    k.id: k
    for k in (
        Kind(EPIC, "Epic", 1, "A big user story that needs to be broken down."),
        Kind(STORY, "Story", 0, "Functionality or a feature expressed as a user goal."),
        Kind(TASK, "Task", 0, "A small, distinct piece of work."),
        Kind(BUG, "Bug", 0, "A problem or error."),
        Kind(SUBTASK, "Sub-task", -1, "A small piece of work that's part of a larger task."),
    )
}

PRIORITIES = {
    p.id: p
    for p in (
        Option(1, "Highest", "This problem will block progress.", "#d04437", 5),
        Option(2, "High", "Serious problem that could block progress.", "#f15C75", 4),
        Option(3, "Medium", "Has the potential to affect progress.", "#f79232", 3),
        Option(4, "Low", "Minor problem or easily worked around.", "#707070", 2),
        Option(5, "Lowest", "Trivial problem with little or no impact on progress.", "#999999", 1),
    )
}
DEFAULT_PRIORITY = 3

RESOLUTIONS = {
    r.id: r
    for r in (
        Option(10000, "Done", "Work has been completed on this issue."),
        Option(10001, "Won't Do", "This issue won't be actioned."),
        Option(10002, "Duplicate", "The problem is a duplicate of an existing issue."),
        Option(10003, "Cannot Reproduce", "All attempts at reproducing this issue failed, or not enough information was available."),
    )
}  # fmt: skip
RESOLVED = 10000

LINK_TYPES = {
    t.id: t
    for t in (
        LinkType(10000, "Blocks", "is blocked by", "blocks"),
        LinkType(10001, "Cloners", "is cloned by", "clones"),
        LinkType(10002, "Duplicate", "is duplicated by", "duplicates"),
        LinkType(10003, "Relates", "relates to", "relates to"),
    )
}

# Bugs close only with a stated reason; everything else is done when someone says so.
SIMPLE = (
    Transition(11, "To Do", (IN_PROGRESS, IN_REVIEW, FINISHED), TO_DO),
    Transition(21, "In Progress", (TO_DO, IN_REVIEW), IN_PROGRESS),
    Transition(31, "In Review", (IN_PROGRESS,), IN_REVIEW),
    Transition(41, "Done", (TO_DO, IN_PROGRESS, IN_REVIEW), FINISHED, "optional"),
)
BUG_FLOW = (
    Transition(4, "Start Progress", (TO_DO,), IN_PROGRESS),
    Transition(301, "Stop Progress", (IN_PROGRESS,), TO_DO),
    Transition(711, "Ready for Review", (IN_PROGRESS,), IN_REVIEW),
    Transition(721, "Request Changes", (IN_REVIEW,), IN_PROGRESS),
    Transition(5, "Resolve Issue", (IN_PROGRESS, IN_REVIEW), FINISHED, "required"),
    Transition(2, "Close Issue", (TO_DO,), FINISHED, "required"),
    Transition(3, "Reopen Issue", (FINISHED,), TO_DO),
)


def workflow(kind: int) -> tuple[Transition, ...]:
    """The transitions of an issue type."""
    return BUG_FLOW if kind == BUG else SIMPLE


def named(options: dict[int, Any], value: Any) -> Any:
    """The option with this id, or this name whatever its case; None where there is none."""
    text = str(value).strip()
    if text.isascii() and text.isdecimal() and len(text) < 19 and int(text) in options:
        return options[int(text)]
    return next((o for o in options.values() if o.name.casefold() == text.casefold()), None)
