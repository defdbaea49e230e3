"""An episode that sleeps between its calls is the same episode: same answers, same changes, same bytes. Asleep it is small."""

import sqlite3
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legoenv_mcp import templates
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.kernel.template import Delta

ADDED = (
    Person(
        key="zoe", first_name="Zoe", last_name="Arden", email="zoe@sleep.example", handle="zoe", title="Clerk", department="Operations"
    ),
)  # fmt: skip

CALLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("stripe", "create_customer", {"name": "Asleep", "email": "a@sleep.example"}),
    ("stripe", "list_customers", {"limit": 3}),
    ("stripe", "create_customer", {"name": "x" * 20_000}),
    ("stripe", "create_customer", {"email": 5}),
    ("slack", "create_conversation", {"name": "night"}),
    ("slack", "create_conversation", {"name": "night"}),
    ("slack", "list_conversations", {"limit": 5}),
)


def fresh(added: bool) -> Episode:
    return templates.episode(("stripe", "slack"), seed="sleep", added=ADDED if added else ())


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(CALLS), st.booleans()), max_size=10), st.booleans())
def test_whoever_sleeps_misses_nothing(calls: list[tuple[Any, bool]], added: bool) -> None:
    awake, sleeper = fresh(added), fresh(added)
    for call, sleeps in calls:
        assert awake.call(*call).body == sleeper.call(*call).body
        if sleeps:
            sleeper.sleep()
    assert [c.as_json() for c in awake.changes()] == [c.as_json() for c in sleeper.changes()]
    for slug in awake.live:
        ours = [e.app(slug).store.connection.serialize() for e in (awake, sleeper)]
        assert ours[0] == ours[1]
    twin = sleeper.copy()
    assert [c.as_json() for c in twin.changes()] == [c.as_json() for c in awake.changes()]


@pytest.mark.parametrize("added", [False, True])
def test_asleep_it_keeps_what_it_wrote_alone(added: bool) -> None:
    episode = fresh(added)
    episode.call(*CALLS[0])
    whole = episode.size
    live = episode.live["stripe"]
    episode.sleep()
    assert 0 < episode.size < whole / 5
    with pytest.raises(sqlite3.ProgrammingError):
        live.store.connection.execute("SELECT 1")
    assert episode.call(*CALLS[0]).status == 200
    assert episode.size == pytest.approx(whole, rel=0.1)
    episode.sleep()
    episode.close()


def test_an_environments_own_template_is_kept_as_its_difference() -> None:
    template = fresh(True).templates("slack")
    assert template.base is not None
    assert isinstance(template._kept, Delta)
    assert template._kept.size < len(template.base.image) / 3
    rows = "SELECT count(*) FROM user WHERE email = 'zoe@sleep.example'"
    assert template.fork().execute(rows).fetchone() == (1,)
    assert template.base.fork().execute(rows).fetchone() == (0,)


@given(st.binary(max_size=20_000), st.binary(max_size=20_000))
def test_a_difference_makes_any_image_of_any_other(base: bytes, image: bytes) -> None:
    assert Delta.between(base, image).over(base) == image


def test_a_served_episode_remembers_its_latest_calls() -> None:
    episode = fresh(False)
    episode.remember = 5
    for n in range(40):
        episode.call("stripe", "list_customers", {"limit": n + 1})
    journal = episode.app("stripe").journal
    assert 5 <= len(journal) <= 10
    assert journal[-1].arguments == {"limit": 40}
