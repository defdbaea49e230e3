"""Composition: from atoms to proven environments, the same for the same seed; what is refused is told by rule and atom."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from legoenv_mcp.cli import main
from legoenv_mcp.controller import atoms, catalogue, environments
from legoenv_mcp.controller.compose import Composer, Outcome, Wanted, attempt, compose
from legoenv_mcp.controller.derive import derive
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.plans import calls_of, play
from legoenv_mcp.controller.recipes import Recipe
from legoenv_mcp.controller.scene import Scene

INTENT = "refund_payment_and_note"


def in_turn(recipes: Sequence[Recipe]) -> Iterable[Outcome]:
    return map(attempt, recipes)


def composed(seed: str, count: int = 3) -> list[Outcome]:
    composer = Composer(seed, Wanted(intents=frozenset({INTENT})))
    return list(compose(composer, count, in_turn, batch=count))


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    return composed("tests")


@pytest.fixture(scope="module")
def environment(outcomes: list[Outcome]) -> Environment:
    return derive(next(o for o in outcomes if o.entry).recipe)


def test_what_is_accepted_is_proven_and_differs(outcomes: list[Outcome]) -> None:
    accepted = [o for o in outcomes if o.entry]
    assert len({o.recipe.id for o in accepted}) == 3
    for outcome in accepted:
        assert outcome.entry
        assert outcome.proof
        assert outcome.proof.played > 0
        assert outcome.proof.killed >= 0.99 * (outcome.proof.played - outcome.proof.equivalent)
        assert outcome.proof.digest == catalogue.rests_on(outcome.entry)


def test_the_same_seed_draws_the_same(outcomes: list[Outcome]) -> None:
    assert [o.recipe for o in composed("tests")] == [o.recipe for o in outcomes]
    assert [o.recipe for o in composed("other")] != [o.recipe for o in outcomes]


def test_an_environment_follows_from_its_recipe_alone(environment: Environment, outcomes: list[Outcome]) -> None:
    recipe = next(o for o in outcomes if o.entry).recipe
    again = derive(Recipe.model_validate_json(recipe.model_dump_json()))
    assert again == environment
    assert again.hash == environment.hash


def test_the_frame_is_about_this_environment_and_not_about_those_it_was_learnt_from(environment: Environment) -> None:
    target = next(g for g in environment.verifier.goal if g.changed)
    payment = environment.verifier.select[target.row[1:]].where["id"]
    update = next(a for a in environment.verifier.allow if a.update == "stripe.charge")
    assert update.fields == {"id": payment}
    assert "amount_refunded" in update.columns
    refund = next(a for a in environment.verifier.allow if a.insert == "stripe.refund")
    assert refund.fields["charge"] == payment
    assert refund.max == 1


def test_a_mail_goes_to_nobody_else() -> None:
    composer = Composer("mail", Wanted(intents=frozenset({"leave_decide_by_cover"})))
    recipe = next(r for r in (composer.draw() for _ in range(9)) if isinstance(r, Recipe))
    (mail,) = (g for g in derive(recipe).verifier.goal if g.name == "mail")
    assert mail.fields["cc"] == mail.fields["bcc"] == {"only": [{"email": Scene(recipe).world.agent.email}]}


def test_a_policy_is_called_by_its_own_topic_where_the_intent_has_one_too() -> None:
    composer = Composer("topic", Wanted(intents=frozenset({"project_kickoff"})))
    drawn = (composer.draw() for _ in range(40))
    recipe = next(r for r in drawn if isinstance(r, Recipe) and any(u.place for u in r.rules))
    used = next(u for u in recipe.rules if u.place)
    assert atoms.load(atoms.Rule, used.rule).topic in derive(recipe).instruction


def test_the_plan_is_the_same_as_plain_calls(environment: Environment) -> None:
    """What a connection elsewhere is sent: verbs are taken apart, references resolved."""
    calls = calls_of(environment.plan, environment.episode())
    assert all(c.tool and "$" not in json.dumps(c.arguments) for c in calls)
    episode = environment.episode()
    run = play(calls, episode)
    assert not run.failed
    assert environment.grade(episode, environment.answer).passed


def test_the_instruction_names_no_tool_and_no_id(environment: Environment) -> None:
    tools = {d.tool for d in calls_of(environment.plan, environment.episode())}
    assert not [t for t in tools if t in environment.instruction]
    assert "ch_" not in environment.instruction
    assert environment.instruction.startswith("You are ")


def test_the_command_composes_into_a_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new.sqlite"
    status = main(
        ["compose", "--count", "2", "--seed", "cli", "--intent", INTENT, "--jobs", "1", "--out", str(out), "--json"]
    )
    told = json.loads(capsys.readouterr().out)
    assert (status, told["proven"], len(told["environments"])) == (0, 2, 2)
    assert sum(r["count"] for r in told["reasons"]) == told["rejected"]
    kept = catalogue.read_database(out)
    assert sorted(e.id for e, _ in kept) == sorted(told["environments"])
    with sqlite3.connect(out) as db:
        assert db.execute("SELECT count(*) FROM rejection").fetchone()[0] == told["rejected"]
        assert (INTENT,) in db.execute("SELECT id FROM atom WHERE kind = 'intent'").fetchall()
    db.close()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--apps", "stripe,nonesuch"], "nonesuch"),
        (["--capability", "telepathy"], "telepathy"),
        (["--intent", "win_the_lottery"], "win_the_lottery"),
        (["--count", "0"], "--count"),
    ],
)
def test_a_wish_that_cannot_be_is_one_line(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compose", *words]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert len(told.splitlines()) == 1


BROKEN = """id = "broken"
version = 1
title = "Broken"
domain = "finance"
roles = { chat = "chat" }

[pick.channel]
kind = "chat.Channel"
where = "not it.direct and not it.archived and not it.private and agent.key in it.members"

[[phrasing]]
text = "Say hello in #{{ channel.name }}."

[[step]]
do = "chat.list_channels"

[[step]]
id = "note"
do = "chat.send_message"
with = { channel_id = "= channel", text = "Hello" }

[[goal]]
name = "note"
created = "chat:chat.Message"
with = { channel = "= channel", text = { facts = ["Hello"] } }
"""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterable[Path]:
    """A folder of atoms with one small intent, to be broken."""
    (tmp_path / "intents").mkdir()
    monkeypatch.setenv("LEGOENV_ATOMS", str(tmp_path))
    atoms.forget()
    yield tmp_path / "intents" / "broken.toml"
    atoms.forget()


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("", "", ""),
        ('facts = ["Hello"]', 'facts = ["Goodbye"]', "V9"),
        ('text = "Hello"', 'text = "= nothing_there"', "intent"),
        ('facts = ["Hello"]', 'facts = ["Hello", 7314]', "V9"),
        ('do = "chat.send_message"', 'do = "chat.levitate"', "unbindable"),
        ("not it.direct and", "it.name == 'no-such-channel' and", "data"),
        ('[[goal]]\nname = "note"', '[[wrong]]\nname = "no mistake"\nlet = {}\n\n[[goal]]\nname = "note"', "trap"),
        ('kind = "chat.Channel"', 'kind = "chat.Channel"\nby = ["purpose"]', "V14"),
    ],
)
def test_what_is_wrong_with_an_intent_is_told_by_rule(broken: Path, old: str, new: str, rule: str) -> None:
    assert old in BROKEN
    broken.write_text(BROKEN.replace(old, new, 1) if old else BROKEN, encoding="utf-8")
    atoms.forget()
    composer = Composer("broken", Wanted(intents=frozenset({"broken"}), apps=frozenset({"slack", "discord"})))
    found = list(compose(composer, 1, in_turn, batch=4, most=12))
    if not rule:
        assert any(o.entry for o in found), [o.detail for o in found]
    else:
        assert rule in {o.rule for o in found}, [(o.rule, o.detail) for o in found]
        assert {o.atom for o in found if o.rule == rule} == {"intent broken"}


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ('domain = "finance"', 'domain = "alchemy"', 4, "domain"),
        ('roles = { chat = "chat" }', 'roles = { chat = "telepathy" }', 5, "telepathy"),
        ('kind = "chat.Channel"', 'kind = "chat.Chanel"', 8, "chat.Chanel"),
        ('do = "chat.list_channels"', 'doo = "chat.list_channels"', 15, "doo"),
        (
            'created = "chat:chat.Message"',
            'created = "chat:chat.Message"\nchanged = "chat:chat.Message"',
            22,
            "exactly one",
        ),
    ],
)
def test_a_wrong_file_is_named_with_its_line(broken: Path, old: str, new: str, line: int, says: str) -> None:
    broken.write_text(BROKEN.replace(old, new, 1), encoding="utf-8")
    atoms.forget()
    with pytest.raises(atoms.BadFile) as told:
        atoms.load_all(atoms.Intent)
    assert says in str(told.value)
    assert str(told.value).startswith("broken.toml:")
    assert abs(int(str(told.value).split(":")[1]) - line) <= 1


def test_an_unknown_environment_is_told_with_those_there_are() -> None:
    with pytest.raises(environments.UnknownEnvironment) as told:
        environments.load("no_such_environment")
    assert "refund_within_policy" in str(told.value) or "there are" in str(told.value)
