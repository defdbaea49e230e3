"""Expressions of atoms: what they can say, that they cannot reach Python, and how a wrong one is told."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legoenv_mcp.capabilities.crm import Deal
from legoenv_mcp.controller.expressions import BadExpression, filled, holds, render, value_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1250.5 | money('usd')", "1,250.50 USD"),
        ("40500 | minor('eur')", "405.00 EUR"),
        ("40550 | units", 405.5),
        ("405.505 | cents", 40551),
        ("2.5 | round", 3),
        ("10 / 4 | round(1)", 2.5),
        ("'2026-03-02' | plus_days(-2)", "2026-02-28"),
        ("'2026-03-06' | business_days(1)", "2026-03-09"),
        ("'2026-03-09' | business_days(-1)", "2026-03-06"),
        ("'2026-03-02' | days_since('2025-12-31T23:00:00Z')", 61),
        ("'2026-03-02' | long_date", "2 March 2026"),
        ("'2026-03-02' | weekday", "Monday"),
        ("'2026-03-02T09:00:00Z' | local('America/New_York')", "04:00"),
        ("'2026-03-29' | at('09:30', 'Europe/London')", "2026-03-29T09:30:00+01:00"),
        ("'2026-03-02T09:00:00+00:00' | plus_minutes(45)", "2026-03-02T09:45:00+00:00"),
        ("'2026-03-02' | days_ago(3, '10:15')", "2026-02-27T10:15:00Z"),
        ("'Refunds of older payments!' | slug", "refunds-of-older-payments"),
        ("['a', 'b', 'c'] | listed", "a, b and c"),
        ("'# Top\\n\\n- [ ] one\\n2. two\\n3 left' | plain_lines", ["Top", "one", "two", "3 left"]),
        ("(['Daniel Kim', 'Dana Ruiz', 'Danielle Kim'] | closest('Danielle Kin'))[0]", "Danielle Kim"),
        ("deals | selectattr('stage', 'eq', 'won') | sum(attribute='amount')", 700),
    ],
)
def test_values(text: str, value: Any) -> None:
    deals = [
        Deal(title="a", stage="won", amount=400),
        Deal(title="b", stage="lost", amount=9),
        Deal(title="c", stage="won", amount=300),
    ]
    assert value_of(text, {"deals": deals}) == value


@pytest.mark.parametrize(
    "text",
    ["no_such_name", "deal.no_such_field", "1 / 0", "1 +", "deal | no_such_filter", "'x' | plus_days(1)", "[][3]"],
)
def test_what_has_no_value_is_named(text: str) -> None:
    with pytest.raises(BadExpression) as told:
        value_of(text, {"deal": Deal(title="a")})
    assert text[:12] in str(told.value)


@pytest.mark.parametrize(
    "text",
    [
        "deal.__class__.__mro__",
        "''.__class__.__base__.__subclasses__()",
        "deal.model_copy.__globals__",
        "(1).__reduce__()",
        "range(10000000) | list",
        "cycler.__init__.__globals__",
    ],
)
def test_python_is_out_of_reach(text: str) -> None:
    with pytest.raises(BadExpression):
        value_of(text, {"deal": Deal(title="a")})


def test_values_are_filled_at_any_depth_and_keep_their_types() -> None:
    names = {"n": 3, "word": "seven"}
    value = {"a": "= n + 1", "b": ["{{ word }} of {{ n }}", {"c": "= word == 'seven'"}], "plain": "n", "number": 5}
    assert filled(value, names) == {"a": 4, "b": ["seven of 3", {"c": True}], "plain": "n", "number": 5}
    assert filled("= [deal]", {"deal": Deal(title="x", key="k")}, lambda v: getattr(v, "key", v)) == ["k"]


def test_an_empty_condition_holds() -> None:
    assert holds("", {})
    assert not holds("n > 3", {"n": 3})


@given(st.text(max_size=40))
def test_any_text_is_a_value_or_a_bad_expression(text: str) -> None:
    for use in (value_of, render):
        with contextlib.suppress(BadExpression):
            use(text, {"a": 1})


def test_rows_of_a_table() -> None:
    deals = [Deal(key=title, title=title, amount=amount) for title, amount in (("Pumps", 1), ("Hoses", 2))]
    assert value_of("deals | cells('title', 'amount')", {"deals": deals}) == [["Pumps", 1], ["Hoses", 2]]
