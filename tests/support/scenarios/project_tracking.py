"""The verbs of project_tracking."""

from legoenv_mcp.capabilities import project_tracking
from legoenv_mcp.capabilities.people import Person
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    project = s.first(project_tracking.Project, lambda x: not x.archived)
    place = s.ref(project)
    task = s.first(
        project_tracking.Task, lambda t: t.project == project.key and t.status == "todo" and t.kind != "epic"
    )
    key = s.ref(task)
    s.reads(p.list_projects(), project.name)
    s.reads(p.list_tasks(place), task.title)
    s.reads(p.get_task(key), task.title)
    s.run(p.create_task(place, "Made by verb", "With a body."))
    made = s.one(project_tracking.Task, lambda t: t.title == "Made by verb")
    assert (made.project, made.body.strip(), made.status) == (place, "With a body.", "todo")
    s.run(p.update_task(key, title="Renamed by verb", due="2026-04-01"))
    changed = s.one(project_tracking.Task, lambda t: t.id == key)
    assert (changed.title, changed.due) == ("Renamed by verb", "2026-04-01")
    s.run(p.complete_task(key))
    assert s.one(project_tracking.Task, lambda t: t.id == key).status == "done"
    if p.offers("list_people"):
        member = next(m for m in s.world.entities(Person) if m.key in project.members and m.key != s.world.agent.key)
        s.reads(p.list_people(place), s.live.template.refs["people.Person"][member.key], member.last_name)
    if p.offers("comment"):
        s.run(p.comment(key, "Commented by verb."))
        assert any(
            c.body.strip() == "Commented by verb." for c in s.one(project_tracking.Task, lambda t: t.id == key).comments
        )
