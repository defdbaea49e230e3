"""Airtable: formulas."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.airtable.support import Shop


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ('{Status}="open"', ["A-2", "b-4"]),
        ("AND({Status}='open', {Amount} > 100)", ["b-4"]),
        ("OR({Order}='A-1', NOT({Amount}))", ["A-1", "A-3"]),
        ("{Paid}", ["A-1"]),
        ("{Paid}=1", ["A-1"]),
        ("NOT({Paid})", ["A-2", "A-3", "b-4"]),
        ("{Paid}=FALSE()", ["A-2", "A-3", "b-4"]),
        ("{Amount}=BLANK()", ["A-3"]),
        ('{Due}=""', ["A-3"]),
        ('SEARCH("BOB", {Contact})', ["A-2"]),
        ('FIND("BOB", {Contact})', []),
        ("IS_AFTER({Due}, '2026-03-01')", ["A-1"]),
        ("IS_SAME({Due}, '2026-03-05', 'month')", ["A-1", "A-2"]),
        ("IS_BEFORE({Due}, TODAY())", ["A-2", "b-4"]),
        ("{Due} >= '2026-03-01'", ["A-1", "A-2"]),
        ("DATETIME_DIFF({Due}, '2026-03-01', 'days') = 9", ["A-1"]),
        ("MONTH({Due})=2", ["b-4"]),
        ("Pieces*2 + 1 = 15", ["b-4"]),
        ("-Pieces < -6", ["A-2", "b-4"]),
        ("MOD({Pieces}, 2)", ["A-3", "b-4"]),
        ('REGEX_MATCH({Order}, "^[a-z]")', ["b-4"]),
        ("LEN({Order} & {Status}) > 7", ["A-3"]),
        ("RECORD_ID()='nothing'", []),
        ("IF({Amount}>100, {Pieces}>5, {Pieces}=1)", ["A-3", "b-4"]),
        ("SWITCH({Status}, 'open', 1, 'sent', 1, 0)", ["A-1", "A-2", "b-4"]),
        ("{Long note}='says \\\"hi\\\"'", ["b-4"]),
        ("{Amount}/0 > 1000000", ["A-1", "A-2", "b-4"]),
        ("ISERROR({Order}+1)", ["A-1", "A-2", "A-3", "b-4"]),
        ("{Order}+1", []),
        ("XOR({Paid}, {Amount}>100)", ["b-4"]),
        ("and({paid}, {pieces}=2)", ["A-1"]),
    ],
)
def test_records_are_filtered_by_formulas(shop: Shop, formula: str, found: list[str]) -> None:
    assert shop.matching(formula) == found


def test_a_formula_may_name_very_many_values(shop: Shop) -> None:
    values = ", ".join(f"{{Order}}='A-{n}'" for n in range(2, 2000))
    path = f"/v0/{shop.base}/Orders/listRecords"
    status, body = shop.rest("POST", path, {"filterByFormula": f"OR({values})", "fields": ["Order"]})
    assert (status, [r["fields"]["Order"] for r in body["records"]]) == (200, ["A-2", "A-3"])


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("{Status}=", "Invalid formula. Please check your formula text."),
        ("{Status}==1", "Invalid formula. Please check your formula text."),
        ("{Status", "Invalid formula. Please check your formula text."),
        ("“x”=1", "Invalid formula. Please check your formula text."),
        ("FOO({Status}, BAR(1))", "Unknown function names: FOO, BAR"),
        ("{First Name}={LAST}", "Unknown field names: first name, last"),
        ("IF({Status})", "Invalid formula: too few arguments for IF()."),
        ("NOT(1, 2)", "Invalid formula: too many arguments for NOT()."),
    ],
)
def test_formulas_that_are_none(shop: Shop, formula: str, said: str) -> None:
    reply = shop.live.call("list_records", {"baseId": shop.base, "tableId": "Orders", "filterByFormula": formula})
    assert reply.status == 422
    whole = f"The formula for filtering records is invalid: {said}"
    assert reply.body == {"error": {"type": "INVALID_FILTER_BY_FORMULA", "message": whole}}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3 & 'x'", "9x"),
        ("'a' & 1 + 1", "a2"),
        ("10 / 4", 2.5),
        ("0.1 + 0.2 = 0.3", None),
        ("ROUND(2.345, 2)", 2.35),
        ("ROUNDDOWN(-2.349, 1) & '|' & ROUNDUP(2.301, 1)", "-2.3|2.4"),
        ("CEILING(7, 5) & FLOOR(7, 5) & EVEN(3) & ODD(2) & INT(-1.5)", "10543-2"),
        ("SUM(1, 2, 3.5) & ' ' & AVERAGE(2, 4) & ' ' & MAX(3, 9) & ' ' & MIN(3, 9)", "6.5 3 9 3"),
        ("MID('airtable', 4, 3) & LEFT('xyz', 1) & RIGHT('xyz', 2)", "tabxyz"),
        ("SUBSTITUTE('a-b-c', '-', '+', 2)", "a-b+c"),
        ("REPLACE('abcdef', 2, 3, 'X')", "aXef"),
        ("REPT('ab', 3) & UPPER('x') & TRIM('  y ')", "abababXy"),
        ("REGEX_EXTRACT('order 42', '[0-9]+')", "42"),
        (r"REGEX_EXTRACT('a 7.5', '\d+\.\d+') & REGEX_MATCH('x', '(a+)+') & REPT('x', 2)", {"error": "#ERROR!"}),
        (r"REGEX_EXTRACT('a 7.5', '\d+\\.(\d+)')", "5"),
        ("REGEX_REPLACE('a1b2', '[0-9]', '#')", "a#b#"),
        ("VALUE('$1,200.50')", 1200.5),
        ("DATETIME_FORMAT('2026-03-05T14:07:09Z', 'dddd, MMMM Do YYYY, h:mm A')", "Thursday, March 5th 2026, 2:07 PM"),
        (
            "DATETIME_FORMAT(SET_TIMEZONE('2026-03-05T23:30:00Z', 'Europe/Berlin'), 'YYYY-MM-DD HH:mm')",
            "2026-03-06 00:30",
        ),
        ("DATESTR(DATEADD('2026-01-31', 1, 'month'))", "2026-02-28"),
        ("DATETIME_FORMAT(DATETIME_PARSE('05/03/2026 4pm', 'DD/MM/YYYY ha'), 'M/D H')", "3/5 16"),
        ("DATETIME_DIFF('2027-03-01', '2026-03-02', 'years') & DATETIME_DIFF('2026-05-01', '2026-03-01', 'M')", "02"),
        ("WEEKDAY('2026-03-01') & WEEKDAY('2026-03-01', 'Monday') & WEEKNUM('2026-03-01')", "0610"),
        ("DATESTR(WORKDAY('2026-03-06', 1))", "2026-03-09"),
        ("WORKDAY_DIFF('2026-03-02', '2026-03-09', '2026-03-04')", 5),
        ("FROMNOW('2026-03-05')", "3 days"),
        ("IF(BLANK(), 'a', 'b')", "b"),
        ("1/0", {"specialValue": "Infinity"}),
        ("0/0", {"specialValue": "NaN"}),
        ("ERROR()", {"error": "#ERROR!"}),
        ("'a' * 2", {"error": "#ERROR!"}),
        ("ARRAYJOIN(ARRAYUNIQUE('b', 'a', 'b'), '/')", "b/a"),
        ("ENCODE_URL_COMPONENT('a b&c')", "a%20b%26c"),
        ("T(5) & T('x')", "x"),
        ("IF(TRUE(), 2 > 1)", 1),
    ],
)
def test_formula_fields_are_reckoned(shop: Shop, formula: str, value: Any) -> None:
    if value is None:
        value = 0
    shop.add_field("F", "formula", formula=formula)
    assert shop.orders(pageSize=1)["records"][0]["fields"].get("F") == value


def test_a_formula_field_follows_names_and_values(shop: Shop) -> None:
    made = shop.add_field("Total", "formula", formula="{Amount} * Pieces")
    amount, pieces = shop.field("Amount")["id"], shop.field("Pieces")["id"]
    assert made["options"]["formula"] == f"{{{amount}}} * {{{pieces}}}"
    assert made["options"]["referencedFieldIds"] == [amount, pieces]
    assert made["options"]["result"]["type"] == "number"
    shop.call("update_field", baseId=shop.base, tableId="Orders", fieldId=amount, name="Price")
    key = shop.ids()["A-1"]
    changed = shop.orders("update_record", recordId=key, fields={"Price": 10})
    assert changed["fields"]["Total"] == 20
    refused = shop.refused("update_record", baseId=shop.base, tableId="Orders", recordId=key, fields={"Total": 1})
    assert refused == (422, "INVALID_VALUE_FOR_COLUMN")
    assert shop.matching("{Total}=800") == ["A-2"]
    again = shop.add_field("Twice", "formula", formula="{Total}*2")
    assert again["options"]["result"]["type"] == "number"
    assert shop.names(sort=[{"field": "Twice", "direction": "desc"}])[0] == "b-4"


LITERALS = st.one_of(
    st.integers(0, 99).map(str), st.text("ab' ", max_size=3).map(lambda t: '"' + t + '"'), st.just("{Amount}")
)


FORMULAS = st.recursive(
    LITERALS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "&", "=", "<", ">="]), inner).map(" ".join),
        inner.map(lambda f: f"({f})"),
        st.tuples(inner, inner, inner).map(lambda f: f"IF({f[0]}, {f[1]}, {f[2]})"),
        inner.map(lambda f: f"-{f}"),
    ),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(FORMULAS)
def test_a_formula_is_true_its_negation_or_an_error(formula: str) -> None:
    """Whatever a formula yields, each record is in exactly one of the lists for it, for its negation, and for its failing."""
    shop = Shop()
    both = shop.matching(f"NOT(ISERROR({formula}))")
    yes, no = shop.matching(formula), shop.matching(f"IF(ISERROR({formula}), 0, NOT({formula}))")
    assert sorted(yes + no) == sorted(both)
