"""What is wrong in an atom's text is found without composing from it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from legoenv_mcp.controller import atoms
from legoenv_mcp.lint.atom_rules import check_atoms

INTENT = """id = "tell"
version = 1
title = "Tell the team"
domain = "operations"
roles = { chat = "chat" }

[pick.channel]
kind = "chat.Channel"
where = "not it.direct"
by = ["name"]

[choose]
word = ["hello", "good morning"]

[let]
text = "{{ word }}, {{ agent.first_name }}"

[[phrasing]]
text = "Say {{ word }} in #{{ channel.name }}."

[[phrasing]]
text = "#{{ channel.name }} should hear {{ word }}."

[[step]]
id = "say"
do = "chat.send_message"
with = { channel_id = "= channel", text = { wordings = ["{{ text }}", "{{ text }}!"] } }

[[goal]]
name = "said"
created = "chat:chat.Message"
with = { channel = "= channel", text = { facts = ["= word"] } }

[[wrong]]
name = "says nothing"
drop = ["say"]
"""
RULE = """id = "loud"
version = 1
title = "Loud"
topic = "habit"
needs = ["word"]
params = { count = [1, 2] }
when = "count > 1"
set = { word = "= word | upper" }
text = "Above {{ count }}, speak up."
"""
TRAP = """id = "twin"
version = 1
title = "Twin"
near = "chat.Channel"

[[entity]]
as = "other"
kind = "chat.Channel"
with = { name = "{{ it.name }}-2" }

[[wrong]]
name = "takes the twin"
pick = { it = "= other" }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, text in (("intents/tell", INTENT), ("rules/loud", RULE), ("traps/twin", TRAP)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(atoms, "atoms_folders", lambda: [tmp_path])
    atoms.forget()
    yield tmp_path
    atoms.forget()


def test_sound_atoms_have_no_findings(folder: Path) -> None:
    things, findings = check_atoms()
    assert not findings
    assert {name for name, _ in things} == {"intent tell", "rule loud", "trap twin"}


@pytest.mark.parametrize(
    ("file", "old", "new", "rule", "says"),
    [
        ("intents/tell", "{{ word }} in #", "{{ wrod }} in #", "E2", "wrod"),
        ("intents/tell", 'where = "not it.direct"', 'where = "not it.direct and it.members | lenght"', "E2", "lenght"),
        ("intents/tell", 'by = ["name"]', 'by = ["nmae"]', "E3", "nmae"),
        ("intents/tell", 'do = "chat.send_message"', 'do = "chat.shout"', "E4", "shout"),
        ("intents/tell", "channel_id =", "channel =", "E4", "channel"),
        ("intents/tell", 'chat.Message"\nwith = { channel', 'chat.Message"\nwith = { chanel', "E3", "chanel"),
        ("intents/tell", 'created = "chat:', 'created = "chap:', "E4", "chap"),
        ("intents/tell", "should hear", "needs post_message with", "E5", "post_message"),
        ("intents/tell", 'drop = ["say"]', 'drop = ["sing"]', "E2", "sing"),
        ("intents/tell", 'drop = ["say"]', "", "E6", "says nothing"),
        ("rules/loud", "Above {{ count }}", "Above {{ limit }}", "E2", "limit"),
        ("traps/twin", 'near = "chat.Channel"', 'near = "chat.Chanel"', "E3", "chat.Chanel"),
        ("traps/twin", "with = { name", "with = { nmae", "E3", "nmae"),
        ("traps/twin", 'id = "twin"', 'id = "twins"', "E1", "twins"),
        ("rules/loud", "[1, 2]", "[1, 2", "E1", "loud.toml"),
    ],
)
def test_each_mistake_is_found(folder: Path, file: str, old: str, new: str, rule: str, says: str) -> None:
    path = folder / f"{file}.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    atoms.forget()
    _, findings = check_atoms()
    assert [f for f in findings if f.rule == rule and says in f.message], findings
