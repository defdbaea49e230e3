"""The verbs of database."""

from typing import Any

from legoenv_mcp.capabilities import database
from legoenv_mcp.capabilities.database import DataColumn
from legoenv_mcp.verify.matchers import equal
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    table = s.first(
        database.DataTable,
        lambda t: (
            len(t.rows) > 3
            and sum(c.key for c in t.columns) == 1
            and any(c.kind == "text" and not c.key and not c.references for c in t.columns)
            and not any(
                c.references.partition(".")[0] == t.name
                for other in s.world.entities(database.DataTable)
                for c in other.columns
            )
        ),
    )
    ref = s.ref(table)
    names = [c.name for c in table.columns]
    key = next(c.name for c in table.columns if c.key)
    text = next(c.name for c in table.columns if c.kind == "text" and not c.key and not c.references)
    at = names.index(key)

    def rows() -> dict[Any, dict[str, Any]]:
        shown = s.one(database.DataTable, lambda t: t.id == ref)
        return {r[at]: dict(zip([c.name for c in shown.columns], r, strict=True)) for r in shown.rows}

    before = rows()
    first, second = dict(zip(names, table.rows[0], strict=True)), dict(zip(names, table.rows[1], strict=True))
    s.reads(p.list_tables(), table.name)
    s.reads(p.describe_table(ref), *names)
    s.reads(p.query_rows(ref, {key: first[key]}), first[key])

    fresh = {c.name: v for c, v in zip(table.columns, table.rows[2], strict=True)}
    new_key = max(before) + 1000 if isinstance(first[key], int) else "added-by-verb"
    s.run(p.insert_rows(ref, ({**fresh, key: new_key, text: "Added by 'verb'"},)))
    assert rows()[new_key][text] == "Added by 'verb'"
    assert len(rows()) == len(before) + 1

    s.run(p.update_rows(ref, {key: second[key]}, {text: "Changed by verb"}))
    after = rows()
    assert after[second[key]][text] == "Changed by verb"
    assert all(equal(after[k], row) for k, row in before.items() if k != second[key])

    s.run(p.delete_rows(ref, {key: new_key}))
    assert rows().keys() == before.keys()

    if type(p).offers("create_table"):
        s.run(
            p.create_table(
                "made_by_verb",
                (
                    DataColumn(name="id", kind="integer", key=True),
                    DataColumn(name="label", required=True),
                    DataColumn(name="price", kind="numeric"),
                    DataColumn(name="done", kind="boolean"),
                ),
            )
        )
        made = s.one(database.DataTable, lambda t: t.name == "made_by_verb")
        assert [(c.name, c.kind, c.key, c.required) for c in made.columns] == [
            ("id", "integer", True, False),
            ("label", "text", False, True),
            ("price", "numeric", False, False),
            ("done", "boolean", False, False),
        ]
        s.run(p.insert_rows(made.id, ({"id": 1, "label": "one", "price": 2.5, "done": True},)))
        assert s.one(database.DataTable, lambda t: t.name == "made_by_verb").rows == ((1, "one", 2.5, True),)
