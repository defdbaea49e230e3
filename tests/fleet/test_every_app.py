"""What holds for every app of the fleet, shown by running each of its operations."""

import os
import subprocess
import sys
from functools import cache

import jsonschema
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from support.arguments import arguments, pool, shown

from legoenv_mcp import lint, registry, templates, worlds
from legoenv_mcp.kernel.context import Reply
from legoenv_mcp.kernel.episode import Episode, Template

SLUGS = [a.slug for a in registry.apps()]
OPERATIONS = [(slug, op.tool) for slug in SLUGS for op in registry.load(slug).operations.values() if op.mcp]
WORLD = templates.DEFAULT_WORLD
# 5 cases an operation here; the nightly mode asks for 200.
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large, HealthCheck.large_base_example]
CASES = int(os.environ.get("LEGOENV_FUZZ_CASES", "5"))


@cache
def known(slug: str) -> list[object]:
    return pool(templates.template(slug, WORLD))


@cache
def template(slug: str) -> Template:
    return templates.template(slug, WORLD)


def fresh(slug: str) -> Episode:
    return Episode(template, (slug,), "fuzz")


def check_reply(slug: str, tool: str, reply: Reply, given: object) -> None:
    assert reply.status < 500, f"{slug}.{tool}({shown(given)}) answered {reply.status}: {reply.body}"
    assert reply.error == (reply.status >= 400), (
        f"{slug}.{tool}({shown(given)}): status {reply.status}, error {reply.error}"
    )
    if reply.error:
        assert reply.body or reply.shown, f"{slug}.{tool}({shown(given)}): an error without a body"
        return
    schema = registry.load(slug).output_schema(registry.load(slug).operations[tool])
    if schema is not None:
        jsonschema.validate(reply.body, schema)


@pytest.mark.parametrize("slug", SLUGS)
def test_an_app_keeps_the_rules(slug: str) -> None:
    findings, passed, failed = lint.run([slug])
    assert passed, "lint looked at nothing"
    assert not failed, "\n".join(map(str, findings))


@pytest.mark.parametrize("slug", SLUGS)
def test_the_index_tells_what_the_loaded_app_has(slug: str) -> None:
    app, info = registry.load(slug), registry.info(slug)
    assert info.tools == len([op for op in app.operations.values() if op.mcp])
    assert info.tables == len(app.shapes)
    assert set(info.capabilities) == set(app.provides)


@pytest.mark.parametrize("world", [w.id for w in worlds.worlds()])
@pytest.mark.parametrize("slug", SLUGS)
def test_an_app_is_filled_alike_from_a_world_each_time(slug: str, world: str) -> None:
    app = registry.load(slug)
    assert templates.build(app, world) == templates.build(app, world)


@pytest.mark.parametrize(("slug", "tool"), [(s, t) for s, t in OPERATIONS if registry.load(s).operations[t].reads])
def test_a_read_writes_nothing_and_draws_nothing(slug: str, tool: str) -> None:
    """An episode is copied from its template by the first write or the first id drawn: after a read there is no copy."""
    operation = registry.load(slug).operations[tool]

    @seed(1)
    @settings(
        max_examples=CASES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=SLOW,
    )
    @given(arguments(operation.input_schema, known(slug)))
    def run(given: dict[str, object]) -> None:
        live = fresh(slug).app(slug)
        reply = live.call(tool, given)
        check_reply(slug, tool, reply, given)
        assert live.store.connection is live.template.connection
        assert live.changes() == []
        assert live.write_count == 0
        assert live.call(tool, given).body == reply.body

    run()


@pytest.mark.parametrize(("slug", "tool"), [(s, t) for s, t in OPERATIONS if not registry.load(s).operations[t].reads])
def test_a_refused_write_leaves_nothing_and_none_is_our_fault(slug: str, tool: str) -> None:
    operation = registry.load(slug).operations[tool]

    @seed(1)
    @settings(
        max_examples=CASES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=SLOW,
    )
    @given(arguments(operation.input_schema, known(slug)))
    def run(given: dict[str, object]) -> None:
        live = fresh(slug).app(slug)
        reply = live.call(tool, given)
        check_reply(slug, tool, reply, given)
        if reply.error and not reply.keep:
            assert live.changes() == [], f"{slug}.{tool}({shown(given)}) was refused and wrote"
            assert live.write_count == 0

    run()


CHOICES = [
    (slug, tool, name)
    for slug, tool in OPERATIONS
    for name, schema in registry.load(slug).operations[tool].input_schema["properties"].items()
    if "enum" in schema and schema.get("type") == "string"
]


@pytest.mark.parametrize("slug", SLUGS)
def test_a_choice_that_there_is_not_is_refused(slug: str) -> None:
    """Whatever else is asked for: no enum is decoration."""
    for _, tool, name in (c for c in CHOICES if c[0] == slug):
        reply = fresh(slug).app(slug).call(tool, {name: "no such choice"})
        assert 400 <= reply.status < 500, f"{slug}.{tool} takes {name}='no such choice': {shown(reply.body)}"


@pytest.mark.parametrize("slug", SLUGS)
def test_any_sequence_of_calls_replays_to_the_same_bytes(slug: str) -> None:
    app = registry.load(slug)
    one_call = st.sampled_from([op.tool for op in app.operations.values() if op.mcp]).flatmap(
        lambda tool: st.tuples(st.just(tool), arguments(app.operations[tool].input_schema, known(slug)))
    )

    @seed(2)
    @settings(
        max_examples=CASES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=SLOW,
    )
    @given(st.lists(one_call, min_size=3, max_size=12))
    def run(calls: list[tuple[str, dict[str, object]]]) -> None:
        first, second = fresh(slug).app(slug), fresh(slug).app(slug)
        answers = [[live.call(tool, given) for tool, given in calls] for live in (first, second)]
        assert [(r.status, r.body, r.headers) for r in answers[0]] == [
            (r.status, r.body, r.headers) for r in answers[1]
        ]
        assert first.store.connection.serialize() == second.store.connection.serialize()

    run()


def test_templates_are_the_same_bytes_in_any_process() -> None:
    """Sets and hashes of text differ between processes: nothing of an app may depend on them."""
    code = (
        "import hashlib, sys; from legoenv_mcp import registry, templates\n"
        "for slug in sys.argv[1:]:\n"
        "    print(slug, hashlib.blake2b(templates.build(registry.load(slug), 'quaymark')).hexdigest())\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code, *SLUGS],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert len(runs[0].splitlines()) == len(SLUGS)
