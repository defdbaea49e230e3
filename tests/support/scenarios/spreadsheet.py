"""The verbs of spreadsheet."""

from legoenv_mcp.capabilities import spreadsheet
from legoenv_mcp.verify.matchers import matches
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    table = s.first(
        spreadsheet.Table,
        lambda t: (
            len(t.rows) > 3
            and t.columns[0].kind == "text"
            and len({r[0] for r in t.rows}) == len(t.rows)
            and any(c.kind == "date" for c in t.columns)
            and any(c.kind in ("number", "money") for c in t.columns)
        ),
    )
    book = s.live.template.refs["spreadsheet.Workbook"][table.workbook]
    first, day = table.columns[0].name, next(c.name for c in table.columns if c.kind == "date")
    amount = next(c.name for c in table.columns if c.kind in ("number", "money"))

    def rows(name: str) -> list[dict[str, object]]:
        shown = s.one(spreadsheet.Table, lambda t: t.workbook == book and t.name == name)
        return [dict(zip([c.name for c in shown.columns], r, strict=True)) for r in shown.rows]

    s.reads(p.list_tables(book), table.name)
    s.reads(p.read_rows(book, table.name), table.rows[0][0], table.rows[-1][0])
    s.run(p.add_row(book, table.name, {first: "Added by verb", day: "2026-04-01", amount: 12.5}))
    (added,) = [r for r in rows(table.name) if r[first] == "Added by verb"]
    assert matches("2026-04-01", added[day])
    assert added[amount] == 12.5
    assert len(rows(table.name)) == len(table.rows) + 1
    s.run(p.update_row(book, table.name, {first: table.rows[1][0]}, {amount: 77, first: "007"}))
    (changed,) = [r for r in rows(table.name) if r[first] == "007"]
    assert changed[amount] == 77
    s.run(p.delete_row(book, table.name, {first: table.rows[2][0]}))
    assert [r[first] for r in rows(table.name)] == [
        table.rows[0][0], "007", *(r[0] for r in table.rows[3:]), "Added by verb"
    ]  # fmt: skip
    s.run(p.create_table(book, "Made by verb", ("Name", "Count")))
    s.run(p.add_row(book, "Made by verb", {"Name": "one", "Count": 1}))
    s.run(p.add_column(book, "Made by verb", "Done"))
    s.run(p.update_row(book, "Made by verb", {"Name": "one"}, {"Done": True}))
    assert rows("Made by verb") == [{"Name": "one", "Count": 1, "Done": True}]
