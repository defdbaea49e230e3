"""Intents that bring data of their own, name other ways that are right, and have their end judged in Python."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from legoenv_mcp.controller import atoms, catalogue
from legoenv_mcp.controller.compose import Composer, Outcome, Wanted, attempt, compose
from legoenv_mcp.controller.derive import derive
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.recipes import Recipe

INTENT = """
id = "own"
version = 1
title = "Choose a name"
domain = "operations"
roles = { files = "file_storage", chat = "chat" }

[choose]
names = [["Heron", "Curlew", "Avocet"]]

[pick.channel]
kind = "chat.Channel"
where = "not it.direct and not it.archived and not it.private and agent.key in it.members"
by = ["name"]

[[entity]]
as = "proposals"
kind = "file_storage.File"
each = "names"
with = { path = "Proposals/{{ number }}.txt", content = "Call it {{ it }}." }

[let]
chosen = "= names[0]"

[compute.lines]
value = "proposals | rows(\\"[number, it.path]\\")"
of = "proposals | map(attribute='path') | list"

[[phrasing]]
text = "Choose one of the {{ lines | length }} names proposed in the folder Proposals and post it in #{{ channel.name }}."

[[step]]
do = "files.download_file"
each = "proposals"
with = { path = "= it.path" }

[[step]]
do = "chat.list_channels"
after = []

[[step]]
id = "post"
do = "chat.send_message"
with = { channel_id = "= channel", text = { wordings = ["{{ chosen }}", "It is {{ chosen }}."] } }

[[goal]]
name = "post"
checked = "chat:naming.one_of_the_names"
with = { channel = "= channel", names = "= names" }
free = ["text"]

[[right]]
name = "another of the names"
let = { chosen = "= names[1]" }

[[wrong]]
name = "a name that nobody proposed"
let = { chosen = "Sparrow" }
"""

CHECK = '''
from legoenv_mcp.verify.checks import AppState, check


@check
def one_of_the_names(app: AppState, *, channel: str, names: list[str]) -> str:
    """A message in the channel says one of the names."""
    old = {m["id"] for m in app.entities("chat.Message", before=True)}
    new = [m for m in app.entities("chat.Message") if m["id"] not in old and m["channel"] == channel]
    said = [n for n in names for m in new if n in m["text"]]
    return "" if len(said) == 1 else f"{len(said)} of the names {', '.join(names)} were posted, one is wanted"
'''


def in_turn(recipes: Sequence[Recipe]) -> Iterable[Outcome]:
    return map(attempt, recipes)


def composed() -> list[Outcome]:
    composer = Composer(
        "own", Wanted(intents=frozenset({"own"}), apps=frozenset({"slack", "discord", "filesystem", "google_drive"}))
    )
    return list(compose(composer, 2, in_turn, batch=2, most=12))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterable[Path]:
    (tmp_path / "intents").mkdir()
    (tmp_path / "checks").mkdir()
    (tmp_path / "intents" / "own.toml").write_text(INTENT, encoding="utf-8")
    (tmp_path / "checks" / "naming.py").write_text(CHECK, encoding="utf-8")
    monkeypatch.setenv("LEGOENV_ATOMS", str(tmp_path))
    atoms.forget()
    yield tmp_path
    atoms.forget()


def environment_of(outcomes: list[Outcome]) -> Environment:
    assert any(o.entry for o in outcomes), [(o.rule, o.detail) for o in outcomes]
    return derive(next(o.recipe for o in outcomes if o.entry))


def test_what_the_task_brings_lies_in_the_apps_and_its_check_accepts_every_right_way(folder: Path) -> None:
    outcomes = composed()
    environment = environment_of(outcomes)
    laid = {a.fields.get("content") for a in environment.added}
    assert {f"Call it {name}." for name in ("Heron", "Curlew", "Avocet")} <= laid
    assert {v.name for v in environment.equivalent} >= {"wording 2", "another of the names"}
    assert "one of the 3 names" in environment.instruction
    entry = next(o.entry for o in outcomes if o.entry)
    before = catalogue.rests_on(entry)
    check = folder / "checks" / "naming.py"
    check.write_text(CHECK.replace("len(said) == 1", "len(said) >= 0"), encoding="utf-8")
    assert catalogue.rests_on(entry) != before, "a proof rests on its checks"
    assert not any(o.entry for o in composed()), "a check that accepts anything proves nothing"


@pytest.mark.parametrize(
    ("old", "new", "rule", "says"),
    [
        ("naming.one_of_the_names", "naming.nothing_there", "V9", "no check"),
        ("let = { chosen = \"= names[1]\" }", "let = { chosen = \"Sparrow\" }", "V10", "another of the names"),
        ("let = { chosen = \"= names[1]\" }", "let = { chosen = \"= names[0]\" }", "intent", "the same as the reference"),
        ('kind = "file_storage.File"', 'kind = "email.Message"', "data", "email.Message"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_them_is_told(folder: Path, old: str, new: str, rule: str, says: str) -> None:
    assert old in INTENT
    (folder / "intents" / "own.toml").write_text(INTENT.replace(old, new, 1), encoding="utf-8")
    atoms.forget()
    told = [(o.rule, o.detail) for o in composed()]
    assert any(r == rule and says in detail for r, detail in told), told
