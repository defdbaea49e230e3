"""Atoms proposed by a model, over real HTTP: good ones become files, the rest are refused with the reason, which the model hears."""

import json
import socket
from pathlib import Path

import pytest

from legoenv_mcp.cli import main
from legoenv_mcp.controller import atoms
from tests.controller.test_compose import BROKEN, INTENT
from tests.support.model_server import model_server

GOOD = BROKEN.replace('id = "broken"', 'id = "say_hello"').replace(
    "[[step]]", '[[phrasing]]\ntext = "#{{ channel.name }} should read Hello."\n\n[[step]]', 1
)
RULE = """id = "refund_rounding"
version = 1
title = "Refunds are rounded down"
topic = "refund rounding"
tags = ["refund"]
needs = ["payment", "amount"]
params = { unit = [500, 1000] }
when = "amount % unit != 0"
set = { amount = "= amount - amount % unit" }
text = "Refunds are rounded down to a multiple of {{ unit | minor(payment.currency) }}."
"""
PHRASING = """[[phrasing]]
register = "chatty"
text = "Hi! {{ customer.name }} ({{ customer.email }}) gets the money of {{ invoice.number }} back. Tell #{{ channel.name }}, please: \
customer, invoice, amount."
"""


def proposal(name: str, toml: str) -> str:
    return json.dumps({"id": name, "toml": toml})


def run(url: str, out: Path, *words: str) -> int:
    return main(
        [
            "compose",
            "--backend",
            "openai",
            "--model",
            "m",
            "--base-url",
            url,
            "--out",
            str(out),
            "--count",
            "1",
            "--json",
            *words,
        ]
    )


def test_a_good_intent_becomes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with model_server([proposal("say_hello", GOOD)]) as model:
        assert run(model.url, tmp_path / "mine", "--wish", "something friendly") == 0
    told = json.loads(capsys.readouterr().out)
    assert (tmp_path / "mine" / "intents" / "say_hello.toml").read_text(encoding="utf-8") == GOOD
    assert (len(told["accepted"]), told["refused"]) == (1, [])
    system, user = (m["content"] for m in model.requests[0]["messages"])
    assert "refund_payment(payment_id: str, amount: int | None = None)" in system
    assert "payments.Payment" in system
    assert "something friendly" in user
    assert INTENT in user, "it is told what there is already"
    assert "say_hello" not in atoms.load_all(atoms.Intent), "an accepted atom takes part only when its folder is named"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("I would rather not.", "no JSON object"),
        ('{"id": "x"}', "no JSON object"),
        (proposal("../../etc/passwd", GOOD), "no name"),
        (proposal(INTENT, GOOD), "already"),
        (proposal("say_hello", "id = ["), "say_hello.toml"),
        (proposal("say_hello", GOOD.replace("domain =", "domian =")), "domian"),
        (proposal("say_hello", GOOD.replace("channel.name", "channel.nmae")), "nothing composed"),
        (proposal("say_hello", GOOD.replace("{{ channel.name }}", "{{ cycler.__init__.__globals__ }}")), "cycler"),
        (proposal("say_hello", GOOD.replace('facts = ["Hello"]', 'facts = ["Goodbye"]')), "V9"),
        (
            proposal(
                "say_hello", GOOD.replace('text = "Hello" }', 'text = "Hello" }\n\n[[step]]\ndo = "chat.levitate"')
            ),
            "levitate",
        ),
    ],
)
def test_the_rest_is_refused_and_the_model_hears_why(
    answer: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with model_server([answer, proposal("say_hello", GOOD)]) as model:
        assert run(model.url, tmp_path / "mine") == 0, "the second answer is good"
    told = json.loads(capsys.readouterr().out)
    assert [says in r["reason"] for r in told["refused"]] == [True], told["refused"]
    assert says in model.requests[1]["messages"][-1]["content"]
    assert [p.name for p in (tmp_path / "mine").rglob("*.toml")] == ["say_hello.toml"]


def test_after_three_bad_answers_it_is_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with model_server(["no", "no", "no", proposal("say_hello", GOOD)]) as model:
        assert run(model.url, tmp_path / "mine") == 1
    assert len(model.requests) == 3
    assert not (tmp_path / "mine").exists()
    assert len(json.loads(capsys.readouterr().out)["refused"]) == 3


def test_a_rule_is_tried_on_the_intents_it_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loose = RULE.replace("amount - amount % unit", "amount - amount % 7")
    with model_server([proposal("refund_rounding", loose), proposal("refund_rounding", RULE)]) as model:
        assert run(model.url, tmp_path / "mine", "--kind", "rule") == 0
    told = json.loads(capsys.readouterr().out)
    assert (tmp_path / "mine" / "rules" / "refund_rounding.toml").is_file()
    assert not told["refused"] or "V13" in told["refused"][0]["reason"]


def test_a_phrasing_is_added_to_its_intent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with model_server([proposal("any", PHRASING)]) as model:
        assert run(model.url, tmp_path / "mine", "--kind", "phrasing", "--intent", INTENT) == 0
    capsys.readouterr()
    made = tmp_path / "mine" / "intents" / f"{INTENT}.toml"
    before = len(atoms.load(atoms.Intent, INTENT).phrasing)
    assert made.read_text(encoding="utf-8").count("[[phrasing]]") == before + 1


@pytest.mark.parametrize("status", [401, 500])
def test_an_endpoint_that_refuses_is_one_line(status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with model_server([status]) as model:
        assert run(model.url, tmp_path / "mine") == 1
    told = capsys.readouterr().err.strip().splitlines()
    assert len(told) == 1
    assert "Error" in told[0]


def test_an_endpoint_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    assert run(f"http://127.0.0.1:{port}/v1", tmp_path / "mine") == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--backend", "openai"], "--model"), (["--backend", "openai", "--model", "m", "--kind", "phrasing"], "--intent")],
)
def test_what_is_missing_is_said(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compose", *words]) == 2
    assert says in capsys.readouterr().err
