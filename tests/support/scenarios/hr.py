"""The verbs of hr."""

from legoenv_mcp.capabilities import hr
from legoenv_mcp.capabilities.people import Person
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    someone = s.first(Person, lambda one: one.active and one.key != s.world.agent.key and one.phone)
    key = s.ref(someone)
    s.reads(p.list_employees(), someone.email)
    s.reads(p.get_employee(key), someone.last_name, someone.title)
    s.run(p.hire_employee("Vera", "Verbova", "vera@verbs.example", "Verb Keeper", someone.department, "2026-03-09"))
    hired = s.one(Person, lambda one: one.email == "vera@verbs.example")
    assert (hired.first_name, hired.last_name, hired.title, hired.department) == (
        "Vera", "Verbova", "Verb Keeper", someone.department,
    )  # fmt: skip
    assert (hired.start_date, hired.active) == ("2026-03-09", True)
    _changes(s, key, someone)
    _time_off(s, key)


def _changes(s: Stage, key: str, someone: Person) -> None:
    p = s.provider
    s.run(p.update_employee(key, title="Head of Verbs", phone="+1 617 555 0199"))
    changed = s.one(Person, lambda one: one.id == key)
    assert (changed.title, changed.phone) == ("Head of Verbs", "+1 617 555 0199")
    assert (changed.department, changed.email) == (someone.department, someone.email)
    s.run(p.update_employee(key, department="Legal"))
    assert s.one(Person, lambda one: one.id == key).department == "Legal"
    before = s.one(hr.Employment, lambda e: e.person == key)
    s.run(p.change_pay(key, before.pay + 4000, before.currency, "2026-04-01"))
    after = s.one(hr.Employment, lambda e: e.person == key)
    assert (after.pay, after.currency, after.terminated) == (before.pay + 4000, before.currency, "")
    leaver = s.first(Person, lambda one: one.active and one.key not in (s.world.agent.key, someone.key))
    s.run(p.terminate_employee(s.ref(leaver), "2026-03-31"))
    assert s.one(hr.Employment, lambda e: e.person == s.ref(leaver)).terminated == "2026-03-31"


def _time_off(s: Stage, key: str) -> None:
    """The verbs that not every product has."""
    p = s.provider
    asked = s.first(hr.TimeOff, lambda t: t.status == "requested")
    other = s.first(hr.TimeOff, lambda t: t.status == "requested" and t.key != asked.key)
    if p.offers("list_time_off"):
        s.reads(p.list_time_off(asked.first_day, asked.last_day), asked.first_day, s.ref(asked))
    if p.offers("request_time_off"):
        s.run(p.request_time_off(key, "2026-07-13", "2026-07-17", "unpaid"))
        made = s.one(hr.TimeOff, lambda t: t.person == key and t.first_day == "2026-07-13")
        assert (made.last_day, made.kind, made.status) == ("2026-07-17", "unpaid", "requested")
    if p.offers("decide_time_off"):
        s.run(p.decide_time_off(s.ref(asked), approve=True))
        s.run(p.decide_time_off(s.ref(other), approve=False))
        status = {t.id: t.status for t in s.all(hr.TimeOff)}
        assert (status[s.ref(asked)], status[s.ref(other)]) == ("approved", "denied")
