"""Google Sheets: what is typed; formulas; ranges."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.google_sheets.support import http, ok, put, refused, value


@pytest.mark.parametrize(
    ("typed", "stored", "shown"),
    [
        ("12", 12, "12"),
        ("1,234.50", 1234.5, "1,234.50"),
        ("$1,200", 1200, "$1,200"),
        ("-£3.10", -3.1, "-£3.10"),
        ("12.5%", 0.125, "12.50%"),
        ("2026-03-05", 46086, "2026-03-05"),
        ("3/5/2026", 46086, "3/5/2026"),
        ("5 Mar 2026", 46086, "5 Mar 2026"),
        ("10:30 PM", 0.9375, "10:30 PM"),
        ("2026-03-05 06:00", 46086.25, "2026-03-05 06:00"),
        ("true", True, "TRUE"),
        ("'007", "007", "007"),
        ("31/31/2026", "31/31/2026", "31/31/2026"),
        ("3/5", 46086, "3/5"),
        ("March 5", 46086, "March 5"),
        ("5-Mar", 46086, "5-Mar"),
        ("Apr 2026", 46113, "Apr 2026"),
        ("Room 5", "Room 5", "Room 5"),
        ("13/32", "13/32", "13/32"),
        ("10 PM", 22 / 24, "10:00 PM"),
        ("0.00000012", 0.00000012, "0.00000012"),
        ("020 7946 0311", "020 7946 0311", "020 7946 0311"),
        (7.0, 7, "7"),
        (False, False, "FALSE"),
    ],
)
def test_what_is_typed_is_read(episode: Episode, sheet: str, typed: Any, stored: Any, shown: str) -> None:
    put(episode, sheet, {"A1": typed})
    found = value(episode, sheet, "A1")
    assert (type(found), found) == (type(stored), stored)
    assert value(episode, sheet, "A1", "FORMATTED_VALUE") == shown


def test_cells_of_plain_text_take_what_is_typed_as_it_is(episode: Episode, sheet: str) -> None:
    ok(episode, "format_cells", spreadsheetId=sheet, range="A1:E1", numberFormatType="TEXT")
    typed = ["007", "=1+1", "3/5/2026", "TRUE", 5]
    ok(episode, "update_values", spreadsheetId=sheet, range="A1", values=[typed])
    found = ok(episode, "get_values", spreadsheetId=sheet, range="A1:E1", valueRenderOption="UNFORMATTED_VALUE")
    assert found["values"] == [typed]
    ok(episode, "replace_text", spreadsheetId=sheet, find="007", replacement="008")
    assert value(episode, sheet, "A1") == "008"


def test_days_are_told_as_asked_beside_formulas(episode: Episode, sheet: str) -> None:
    put(episode, sheet, {"A1": "2026-03-05", "B1": "=A1+1", "C1": 4})
    how = {"valueRenderOption": "FORMULA", "dateTimeRenderOption": "FORMATTED_STRING"}
    assert ok(episode, "get_values", spreadsheetId=sheet, range="A1:C1", **how)["values"] == [
        ["2026-03-05", "=A1+1", 4]
    ]


def test_raw_takes_text_as_it_is(episode: Episode, sheet: str) -> None:
    given_values = [["=1+1", "12", "2026-03-05", 5, True]]
    ok(episode, "update_values", spreadsheetId=sheet, range="A1", values=given_values, valueInputOption="RAW")
    found = ok(episode, "get_values", spreadsheetId=sheet, range="A1:E1", valueRenderOption="UNFORMATTED_VALUE")
    assert found["values"] == given_values


def test_rest_wants_the_input_option(episode: Episode, sheet: str) -> None:
    reply = http(episode, "PUT", f"/{sheet}/values/A1", {"values": [[1]]})
    assert (reply.status, reply.body["error"]["message"]) == (400, "'valueInputOption' is required but not specified")
    assert "errors" not in reply.body["error"]


CELLS = {
    "A1": "Name", "B1": "Amount", "C1": "Day", "A2": "ann", "B2": 10, "C2": "2026-01-31", "A3": "bob", "B3": 20, "C3": "2026-03-02",
    "A4": "Ann", "B4": 5.5, "C4": "2026-03-31",
}  # fmt: skip


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ("=1+2*3-4/2", 5), ("=-2^2", 4), ("=2^3^2", 64), ("=50%*4", 2), ('="a"&1&TRUE', "a1TRUE"), ("=1=1", True), ('="A"="a"', True),
        ('=2<"a"', True), ("=SUM(B2:B4)", 35.5), ("=SUM(B:B)", 35.5), ("=SUM(2:2)", 46063), ('=SUMIF(A:A,"ann",B:B)', 15.5),
        ('=SUMIFS(B2:B4,A2:A4,"ann",B2:B4,">6")', 10), ("=COUNT(A1:C4)", 6), ("=COUNTA(A1:C4)", 12), ('=COUNTIF(B:B,">=10")', 2),
        ('=COUNTIF(A:A,"a*")', 2), ('=COUNTIFS(A:A,"<>ann",B:B,">1")', 1), ("=AVERAGE(B2:B4)", 11.8333333333333),
        ('=AVERAGEIF(A:A,"ann",B:B)', 7.75), ("=MIN(B:B)", 5.5), ("=MAX(B:B,99)", 99), ("=MEDIAN(B:B)", 10), ("=ROUND(2.675,2)", 2.68),
        ("=ROUNDUP(2.1)", 3), ("=ROUNDDOWN(-2.19,1)", -2.1), ("=ABS(-3)", 3), ("=MOD(-7,3)", 2), ("=LARGE(B:B,2)", 10),
        ("=SMALL(B:B,1)", 5.5),
        ('=IF(B2>5,"big","small")', "big"), ('=IFS(B2>50,"a",TRUE,"b")', "b"), ('=IFERROR(1/0,"none")', "none"),
        ("=AND(TRUE,B2=10)", True), ("=OR(FALSE,B2=11)", False), ("=NOT(FALSE)", True), ('=VLOOKUP("bob",A1:C4,2,FALSE)', 20),
        ("=HLOOKUP(\"Amount\",A1:C4,3,FALSE)", 20), ('=XLOOKUP("bob",A:A,B:B)', 20), ('=XLOOKUP("zoe",A:A,B:B,"no")', "no"),
        ("=INDEX(A1:C4,3,1)", "bob"), ('=MATCH("bob",A1:A4,0)', 3), ("=INDEX(B:B,MATCH(\"ann\",A:A,0))", 10),
        ('=CONCATENATE("x",A2,1)', "xann1"), ('=TEXTJOIN("-",TRUE,A2:A4)', "ann-bob-Ann"), ('=TEXT(1234.5,"#,##0.00")', "1,234.50"),
        ('=TEXT(C3,"d mmmm yyyy")', "2 March 2026"), ('=LEFT("abc",2)', "ab"), ('=RIGHT("abc",2)', "bc"), ('=MID("abcd",2,2)', "bc"),
        ('=LEN("abc")', 3), ('=TRIM("  a  b ")', "a b"), ('=UPPER("a")', "A"), ('=PROPER("ann lee")', "Ann Lee"),
        ('=SUBSTITUTE("a-b-c","-","+",2)', "a-b+c"), ("=DATE(2026,3,5)", 46086), ("=TODAY()", 46083), ("=YEAR(C2)", 2026),
        ("=MONTH(C3)", 3), ("=DAY(C4)", 31), ("=EDATE(C2,1)", 46081), ("=EOMONTH(C3,0)", 46112), ('=DATEDIF(C2,C4,"M")', 2),
        ("=NETWORKDAYS(DATE(2026,3,2),DATE(2026,3,9))", 6), ('=SUMPRODUCT((A2:A4="ann")*B2:B4)', 15.5), ("={1,2;3,4}", 1),
        ('=COUNTA(UNIQUE(A2:A3))', 2), ("=COUNTA(FILTER(A2:A4,B2:B4>6))", 2), ("=INDEX(SORT(B2:B4,1,FALSE),1)", 20),
        ("='Sheet1'!B2+Sheet1!$B$3", 30), ("=SUM(B2:B4", "#ERROR!"), ("=1/0", "#DIV/0!"), ("=NOSUCH(1)", "#NAME?"), ("=nothing", "#NAME?"),
        ("=A2+1", "#VALUE!"), ('=VLOOKUP("zoe",A:B,2,FALSE)', "#N/A"), ("=Nowhere!A1", "#REF!"), ("=VLOOKUP(1,A:B,9)", "#REF!"),
        ("=SQRT(-1)", "#NUM!"), ("=LEFT()", "#N/A"), ("=E1", "#REF!"), ("=SUM(E1:E2)", "#REF!"), ("=(-8)^0.5", "#NUM!"),
        ("=10^400", "#NUM!"), ('=REGEXMATCH(A2,"^a")', True), ('=REGEXEXTRACT("order 417 of","[0-9]+")', "417"),
        ('=REGEXEXTRACT("a-b","(.)-(.)")', "a"), ('=REGEXREPLACE("a-b","(.)-(.)","$2-$1")', "b-a"), ("=REGEXMATCH(B2,\"1\")", "#VALUE!"),
        ('=REGEXEXTRACT(A2,"z")', "#N/A"), ('=REGEXMATCH(A2,"(")', "#REF!"), ('=REGEXMATCH(A2,"(a+)+$")', "#REF!"),
        ('=XMATCH("bob",A1:A4)', 3), ("=XMATCH(15,B2:B4,-1)", 1), ('=XMATCH("ann",A1:A4,0,-1)', 4), ("=LOOKUP(25,B2:B3,A2:A3)", "bob"),
        ("=LOOKUP(12,B2:C3)", 46053), ("=RANK.EQ(20,B2:B4)", 1), ("=STDEV.S(B2:B3)", 7.07106781186548), ("=QUARTILE(B2:B4,2)", 10),
        ("=SUMSQ(B2:B3)", 500), ("=COUNTA(VSTACK(A2:A4,A2))", 4), ("=SUM(HSTACK(B2:B4,1))", "#N/A"), ("=INDEX(TOCOL(A1:B2),3)", "ann"),
    ],
)  # fmt: skip
def test_formulas(episode: Episode, sheet: str, formula: str, wanted: Any) -> None:
    put(episode, sheet, {**CELLS, "E1": formula})
    assert value(episode, sheet, "E1") == wanted


def test_what_depends_is_worked_out_anew(episode: Episode, sheet: str) -> None:
    chain = {f"A{n}": f"=A{n - 1}+1" for n in range(2, 601)}
    put(episode, sheet, {"A1": 1, **chain})
    assert value(episode, sheet, "A600") == 600
    put(episode, sheet, {"A1": 101})
    assert value(episode, sheet, "A600") == 700


def test_long_sums_and_patterns_are_worked_out(episode: Episode, sheet: str) -> None:
    long = "ab" * 20_000
    put(
        episode,
        sheet,
        {
            "A1": "=" + "+".join(["1"] * 3000),
            "B1": long,
            "A2": '=COUNTIF(B1,"' + "*a" * 60 + '*c")',
            "A3": '=COUNTIF(B1,"a*b?*b")',
        },
    )
    assert [value(episode, sheet, f"A{n}") for n in (1, 2, 3)] == [3000, 0, 1]
    for pattern in ("(a+)+$", "(a|ab)*c", "a*+", r"(a)\\1", "("):
        wrong = refused(episode, "replace_text", spreadsheetId=sheet, find=pattern, replacement="", searchByRegex=True)
        assert wrong.startswith("Invalid requests[0].findReplace: Invalid regular expression")
    assert "too long" in refused(
        episode, "replace_text", spreadsheetId=sheet, find="a*b*c", replacement="", searchByRegex=True
    )
    specs = {"setBasicFilter": {"filter": {"filterSpecs": [{"columnIndex": "a"}]}}}
    assert "filter_specs[0].column_index" in refused(episode, "batch_update", spreadsheetId=sheet, requests=[specs])


def test_circles_are_errors(episode: Episode, sheet: str) -> None:
    put(episode, sheet, {"A1": "=B1", "B1": "=C1+1", "C1": "=A1", "D1": "=A1"})
    assert ok(episode, "get_values", spreadsheetId=sheet, range="A1:D1")["values"] == [["#REF!"] * 4]


def test_results_flow_into_blank_cells(episode: Episode, sheet: str) -> None:
    put(episode, sheet, {**CELLS, "E1": "=SORT(FILTER(A2:B4,B2:B4>5),2,TRUE)", "H1": "=F2*2"})
    assert ok(episode, "get_values", spreadsheetId=sheet, range="E1:H3")["values"] == [
        ["Ann", "5.5", "", "20"], ["ann", "10"], ["bob", "20"]
    ]  # fmt: skip
    put(episode, sheet, {"J1": "=CHOOSECOLS(A1:C2,2,1)", "J5": '=REGEXEXTRACT("7 of 9","([0-9]) of ([0-9])")'})
    assert ok(episode, "get_values", spreadsheetId=sheet, range="J1:K5")["values"] == [
        ["Amount", "Name"], ["10", "ann"], [], [], ["7", "9"]
    ]  # fmt: skip
    put(episode, sheet, {"E2": "in the way"})
    assert value(episode, sheet, "E1") == "#REF!"


def test_formats_follow_the_inputs(episode: Episode, sheet: str) -> None:
    put(
        episode,
        sheet,
        {
            "A1": "$1.50",
            "A2": "$2.25",
            "A3": "=SUM(A1:A2)",
            "A4": "=A1*2",
            "B1": "2026-03-05",
            "B2": "=B1+7",
            "B3": "=B2-B1",
        },
    )
    shown = ok(episode, "get_values", spreadsheetId=sheet, range="A3:B4", majorDimension="COLUMNS")
    assert shown["values"] == [["$3.75", "$3.00"], ["7"]]
    assert value(episode, sheet, "B2", "FORMATTED_VALUE") == "2026-03-12"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Sheet1", "Sheet1!A1:Z1000"), ("A:C", "Sheet1!A1:C1000"), ("2:5", "Sheet1!A2:Z5"), ("'My data'!B2", "'My data'!B2"),
        ("My data!B2:C", "'My data'!B2:C1000"), ("my data", "'My data'!A1:Z1000"), ("taxes", "'My data'!C1:C2"), ("CO2", "CO2!A1:Z1000"),
        ("'CO2'!A1", "'CO2'!A1"), ("A5:A", "Sheet1!A5:A1000"), ("$A$1:B9999", "Sheet1!A1:B1000"),
        ("R2C3", "Sheet1!C2"), ("'My data'!R1C1:r3c2", "'My data'!A1:B3"),
    ],
)  # fmt: skip
def test_ranges(episode: Episode, sheet: str, text: str, told: str) -> None:
    ok(episode, "create_sheet", spreadsheetId=sheet, title="My data")
    ok(episode, "add_named_range", spreadsheetId=sheet, name="taxes", range="'My data'!C1:C2")
    ok(episode, "create_sheet", spreadsheetId=sheet, title="CO2")
    if text == "CO2":  # a cell's name is a cell
        assert refused(episode, "get_values", spreadsheetId=sheet, range=text) == (
            "Range (Sheet1!CO2) exceeds grid limits. Max rows: 1000, max columns: 26"
        )
    else:
        assert ok(episode, "get_values", spreadsheetId=sheet, range=text)["range"] == told


@pytest.mark.parametrize(
    "text", ["Nope!A1", "A0", "nope", "A1:", "!A1", "Sheet1!", "A1:B2:C3", "1A", "R0C1", "Nope!R1C1"]
)
def test_what_is_no_range(episode: Episode, sheet: str, text: str) -> None:
    assert refused(episode, "get_values", spreadsheetId=sheet, range=text) == f"Unable to parse range: {text}"


def test_tools_by_title_tell_which_sheets_there_are(episode: Episode, sheet: str) -> None:
    ok(episode, "create_sheet", spreadsheetId=sheet, title="It's due")
    wanted = "No sheet with title: 'Due'. The spreadsheet's sheets are: 'Sheet1', 'It's due'."
    for tool, rest_of in (
        ("get_sheet_data", {}),
        ("update_cells", {"range": "A1", "data": [[1]]}),
        ("delete_rows", {"startRow": 1}),
    ):
        assert refused(episode, tool, spreadsheetId=sheet, sheet="Due", **rest_of) == wanted
    told = ok(episode, "update_cells", spreadsheetId=sheet, sheet="It's due", range="'It''s due'!B2", data=[[1]])
    assert told["updatedRange"] == "'It''s due'!B2"
    assert refused(episode, "get_sheet_data", spreadsheetId=sheet, sheet="It's due", range="Sheet1!A1") == (
        "Unable to parse range: 'It''s due'!Sheet1!A1"
    )
    assert ok(episode, "get_sheet_data", spreadsheetId=sheet, sheet="it's due")["totalRows"] == 2


def test_writes_stay_in_their_range(episode: Episode, sheet: str) -> None:
    assert refused(episode, "update_values", spreadsheetId=sheet, range="A1:B2", values=[[1], [2], [3]]) == (
        "Requested writing within range [Sheet1!A1:B2], but tried writing to row [3]"
    )
    assert refused(episode, "update_values", spreadsheetId=sheet, range="A1:B2", values=[[1, 2, 3]]) == (
        "Requested writing within range [Sheet1!A1:B2], but tried writing to column [C]"
    )
    assert "exceeds grid limits" in refused(
        episode, "update_values", spreadsheetId=sheet, range="A1000", values=[[1], [2]]
    )
    assert refused(episode, "update_values", spreadsheetId=sheet, range="A1", values=[[[1]]]).startswith(
        "Invalid values[0][0]: list_value"
    )
    told = ok(episode, "update_values", spreadsheetId=sheet, range="A1:D9", values=[[1, None], [None, 2]])
    assert (told["updatedRange"], told["updatedCells"]) == ("Sheet1!A1:B2", 2)


def test_a_batch_of_values_is_atomic(episode: Episode, sheet: str) -> None:
    data = [{"range": "A1", "values": [[1]]}, {"range": "Nope!A1", "values": [[1]]}]
    assert refused(episode, "batch_update_values", spreadsheetId=sheet, data=data) == (
        "Invalid data[1]: Unable to parse range: Nope!A1"
    )
    data[1] = {"range": "B1:B2", "values": [[1], [2], [3]]}
    assert refused(episode, "batch_update_values", spreadsheetId=sheet, data=data) == (
        "Invalid data[1]: Requested writing within range [Sheet1!B1:B2], but tried writing to row [3]"
    )


def test_append_finds_the_table(episode: Episode, sheet: str) -> None:
    put(episode, sheet, {"B2": "x", "C2": "y", "B3": 1, "B6": "other", "B7": 2})
    told = ok(episode, "append_values", spreadsheetId=sheet, range="B2", values=[["n", 1]])
    assert (told["tableRange"], told["updates"]["updatedRange"]) == ("Sheet1!B2:C3", "Sheet1!B4:C4")
    told = ok(episode, "append_values", spreadsheetId=sheet, range="Sheet1", values=[[3]])
    assert (told["tableRange"], told["updates"]["updatedRange"]) == ("Sheet1!B6:B7", "Sheet1!B8")
    told = ok(episode, "append_values", spreadsheetId=sheet, range="B2", values=[["m"]], insertDataOption="INSERT_ROWS")
    assert told["updates"]["updatedRange"] == "Sheet1!B5"
    assert value(episode, sheet, "B7") == "other"
    told = ok(episode, "append_values", spreadsheetId=sheet, range="H20", values=[["alone"]])
    assert "tableRange" not in told
    assert told["updates"]["updatedRange"] == "Sheet1!H20"
