"""Work that may be shared out in more than one way."""

from collections import Counter

from legoenv_mcp.verify.checks import AppState, check


def _shared(given: dict[str, str], things: list[str], people: list[str]) -> str:
    counts = Counter(given.get(thing, "") for thing in things)
    strangers = [who or "nobody" for who in counts if who not in people]
    if strangers:
        return f"given to {', '.join(strangers)}, none of {', '.join(people)}"
    least, most = min(counts[who] for who in people), max(counts[who] for who in people)
    return f"somebody has {most}, somebody {least}" if most - least > 1 else ""


@check
def tickets_evenly(app: AppState, *, tickets: list[str], people: list[str]) -> str:
    """Each ticket has one of these people as its assignee, and nobody has two more of them than another."""
    given = {ticket["id"]: ticket["assignee"] for ticket in app.entities("helpdesk.Ticket")}
    return _shared(given, tickets, people)


@check
def tasks_evenly(app: AppState, *, tasks: list[str], people: list[str]) -> str:
    """Each task has one of these people as its assignee, and nobody has two more of them than another."""
    given = {task["id"]: task["assignee"] for task in app.entities("project_tracking.Task")}
    return _shared(given, tasks, people)
