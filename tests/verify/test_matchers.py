"""Matchers: spelling is free, facts are bounded, near misses are not taken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legoenv_mcp.verify.matchers import equal, has_fact, matches


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (25, 25.0),
        ("a  b", "a b "),
        ("it’s “so”", 'it\'s "so"'),
        ("caf\u00e9", "cafe\u0301"),
        ([1, 2.0], (1.0, 2)),
        ({"a": [1]}, {"a": [1.0]}),
        (True, 1),
        (0.1, 0.1),
        ("a\u00a0b", "a b"),
    ],
)
def test_equality_is_free_of_spelling(expected: object, found: object) -> None:
    assert equal(expected, found)


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (25, 25.01),
        ("a", "A"),
        ("a", "b"),
        ([1, 2], [2, 1]),
        (1, "1"),
        (True, 0),
        (None, ""),
        ({"a": 1}, {"a": 1, "b": 2}),
    ],
)
def test_what_differs_is_not_equal(expected: object, found: object) -> None:
    assert not equal(expected, found)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (1250, "it costs 1,250 a month"),
        (1250, "it costs 1250.00"),
        (1250.5, "1,250.50!"),
        ("Meridian Freight", "for <b>Meridian\u00a0Freight</b>, as agreed"),
        ("Meridian Freight", "MERIDIAN  freight"),
        ({"money": 1250, "currency": "USD"}, "refunded $1,250.00 today"),
        ({"money": 1250, "currency": "USD"}, "refunded USD 1250"),
        ({"money": 1250, "currency": "USD"}, "refunded 1,250"),
        ({"money": 1250, "currency": "USD"}, "refunded USD1,250.00"),
        ({"money": 1250, "currency": "USD"}, "refunded 1250USD today"),
        ({"money": 1250, "currency": "USD"}, "refunded _1,250 USD_."),
        ("QM-2026-0126", "paid: _QM-2026-0126_, in full"),
        ("owner_told", "tagged _owner_told_"),
        ({"phone": "+14025550120"}, "call +1 402-555-0120 back"),
        ({"phone": "+1 402 555 0120"}, "call +1 (402) 555-0120."),
        ({"phone": "+14025550120"}, "from +14025550120"),
        (12, "_12_ pieces"),
        ({"one_of": ["yes", "approved"]}, "It is approved."),
        ("INV-0042", "see INV-0042."),
        ("ann@example.com", "Ann Lee <ann@example.com> asks"),
        (-5, "at -5 degrees"),
        ({"date": "2026-03-12"}, "on Thursday, 12 March"),
        ({"date": "2026-03-12"}, "due March 12th, 2026"),
        ({"date": "2026-03-12"}, "due 2026-03-12T10:00:00Z"),
        ({"date": "2026-09-02"}, "from the 2nd of Sept."),
        ({"date": "2026-03-12"}, "12.03.2026"),
        ({"date": "2026-06-15"}, "from 15 to 18 June 2026"),
        ({"date": "2026-06-18"}, "15-18 June 2026"),
        ({"date": "2026-06-15"}, "June 15-18, 2026"),
        ({"date": "2026-06-18"}, "June 15th through 18th"),
        ({"date": "2026-06-15"}, "June 15 to 18:00"),
        (2, "Two addresses are off the list"),
        (1, "it is one task"),
        ({"time": "14:30"}, "at 14:30-15:00"),
        ({"time": "15:00"}, "at 14:30-15:00"),
        ({"time": "14:30"}, "2:30 PM London time"),
        ({"time": "14:00"}, "at 2pm"),
        ({"time": "09:00"}, "9:00"),
    ],
)
def test_a_fact_is_found_in_any_spelling(fact: object, text: str) -> None:
    assert has_fact(fact, text)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (1250, "it costs 11,250"),
        (1250, "it costs 1,250.01"),
        (125, "it costs 1,250"),
        (1250, "order A1250B"),
        ("Meridian", "Meridiana"),
        ("INV-0042", "INV-00421"),
        ({"money": 1250, "currency": "USD"}, "refunded €1,250"),
        ({"money": 1250, "currency": "USD"}, "refunded 1250 EUR"),
        ({"money": 1250, "currency": "USD"}, "refunded EUR1,250"),
        ({"money": 1250, "currency": "USD"}, "refunded 1250GBP"),
        ({"money": 1250, "currency": "USD"}, "refunded USD11,250"),
        (1250, "order ABC1250"),
        ("owner", "tagged owner_told"),
        ({"phone": "+14025550120"}, "call +1 402-555-0121"),
        ({"phone": "+14025550120"}, "call +1402555012055"),
        ({"phone": "+14025550120"}, "call 402"),
        (42, "in 4.2 hours"),
        ({"date": "2026-03-12"}, "12 March 2025"),
        ({"date": "2026-03-02"}, "12 March, or March 20"),
        ({"date": "2026-06-15"}, "15-18 June 2025"),
        ({"date": "2026-06-16"}, "15-18 June 2026"),
        ({"date": "2026-06-18"}, "June 15 to 18:00"),
        (2, "twenty-two tasks"),
        (7, "seventy tasks"),
        (1, "no one of us, and one of them"),
        ({"time": "09:00"}, "9:00 pm"),
        ({"time": "02:30"}, "12:30"),
        ({"time": "05:00"}, "2026-03-12T14:30:00-05:00"),
    ],
)
def test_a_near_miss_is_not_the_fact(fact: object, text: str) -> None:
    assert not has_fact(fact, text)


@given(st.integers(-(10**9), 10**9))
def test_a_number_is_found_however_it_is_grouped(number: int) -> None:
    for shown in (str(number), f"{number:,}", f"{number}.00", f"({number})"):
        assert has_fact(number, f"total: {shown} units"), shown
        assert not has_fact(number + 1, f"total: {shown} units"), shown


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_a_set_is_free_of_order_but_not_of_number(values: list[int]) -> None:
    assert matches({"set": values}, list(reversed(values)))
    assert not matches({"set": values}, [*values, values[0]])
    assert not matches({"set": values}, values[1:])


@pytest.mark.parametrize(
    ("matcher", "found", "good"),
    [
        ({"one_of": ["a", "b"]}, "b", True),
        (["a", {"number": 3}], ["a", "3.0"], True),
        (["a", {"number": 3}], ["a", "4"], False),
        (["a", {"number": 3}], ["a"], False),
        ({"one_of": ["a", "b"]}, "c", False),
        ({"facts": ["refund", 40], "forbid": ["Kim"]}, "the refund of 40 is done", True),
        ({"facts": ["refund", 40], "forbid": ["Kim"]}, "the refund of 40 for Kim is done", False),
        ({"facts": ["refund"]}, None, False),
        ({"number": 10, "tolerance": 0.5}, 10.4, True),
        ({"number": 10, "tolerance": 0.5}, 10.6, False),
        ({"instant": "2026-03-02T10:00:00+01:00"}, "2026-03-02T09:00:00Z", True),
        ({"instant": "2026-03-02T10:00:00Z", "tolerance": 60}, "2026-03-02T10:00:59Z", True),
        ({"instant": "2026-03-02T10:00:00Z"}, "2026-03-02T10:00:00+01:00", False),
        ({"instant": "2026-03-02T09:00:00Z"}, 1772442000, True),
        ({"instant": "2026-03-02T09:00:00Z"}, 1772442000000, True),
        ({"email": "dana@x.example"}, "Dana Ruiz <DANA@x.example>", True),
        ({"email": "dana@x.example"}, "dana@y.example", False),
        ({"prefix": "re_"}, "re_1", True),
        ({"not": "a"}, "b", True),
        ({"empty": True}, "", True),
        ({"empty": True}, "x", False),
        ({"any": True}, None, True),
        ({"holds": "a", "only": ["a", "b"]}, ["b", "a"], True),
        ({"holds": "a", "only": ["a", "b"]}, ["a", "c"], False),
        ({"holds": "a", "only": ["a", "b"]}, ["b"], False),
        ({"only": ["a"]}, [], True),
    ],
)
def test_matchers(matcher: object, found: object, good: bool) -> None:
    assert matches(matcher, found) is good


def test_a_table_is_matched_by_some_of_its_fields() -> None:
    found = [{"note": True, "body": "Refunded 12.50 USD."}, {"note": False, "body": "Thanks"}]
    paid = {"facts": [{"money": 12.5, "currency": "USD"}]}
    assert matches({"holds": {"fields": {"note": True, "body": paid}}}, found)
    assert not matches({"holds": {"fields": {"note": False, "body": paid}}}, found)
    assert not matches({"holds": {"fields": {"nothing": 1}}}, found)
