"""Notion: data sources."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.notion.support import call, found, person, ref, refused, rich


def test_conditions(episode: Episode, tasks: str) -> None:
    bea = person(episode, "bea")
    undone = {"property": "Done", "checkbox": {"equals": False}}
    free, won = {"property": "Cost", "number": {"equals": 0}}, {"property": "Stage", "select": {"equals": "Won"}}
    for condition, wanted in (
        ({"property": "Name", "title": {"contains": "task"}}, "012345"),
        ({"property": "Name", "rich_text": {"ends_with": "4"}}, "4"),
        ({"property": "Name", "title": {"does_not_equal": "Task 1"}}, "02345"),
        ({"property": "Text", "rich_text": {"starts_with": "är"}}, "5"),
        ({"property": "Text", "rich_text": {"is_empty": True}}, "01234"),
        ({"property": "Mail", "email": {"is_not_empty": True}}, "5"),
        ({"property": "Stage", "select": {"equals": "Won"}}, "135"),
        ({"property": "Stage", "select": {"does_not_equal": "Won"}}, "024"),
        ({"property": "State", "status": {"is_empty": True}}, "012345"),
        ({"property": "Tags", "multi_select": {"contains": "t2"}}, "2"),
        ({"property": "Tags", "multi_select": {"does_not_contain": "t2"}}, "01345"),
        ({"property": "Cost", "number": {"greater_than_or_equal_to": 30}}, "345"),
        ({"property": "Cost", "number": {"does_not_equal": 30}}, "01245"),
        ({"property": "Done", "checkbox": {"equals": True}}, "45"),
        ({"property": "Done", "checkbox": {"does_not_equal": True}}, "0123"),
        ({"property": "Due", "date": {"equals": "2026-03-02"}}, "1"),
        ({"property": "Due", "date": {"equals": "today"}}, "1"),
        ({"property": "Due", "date": {"before": "2026-03-02"}}, "0"),
        ({"property": "Due", "date": {"on_or_after": "2026-03-04T10:00:00Z"}}, "34"),
        ({"property": "Due", "date": {"this_week": {}}}, "01234"),
        ({"property": "Due", "date": {"past_week": {}}}, "01"),
        ({"property": "Due", "date": {"next_month": {}}}, "1234"),
        ({"property": "Due", "date": {"is_empty": True}}, "5"),
        ({"property": "Who", "people": {"contains": bea}}, "01"),
        ({"property": "Who", "people": {"contains": "me"}}, "2345"),
        ({"property": "No", "unique_id": {"less_than": 3}}, "01"),
        ({"property": "Size", "formula": {"string": {"starts_with": "big"}}}, "2345"),
        ({"property": "Double", "formula": {"number": {"greater_than": 60}}}, "45"),
        ({"property": "Made", "created_time": {"on_or_after": "2026-03-02"}}, "012345"),
        ({"timestamp": "last_edited_time", "last_edited_time": {"before": "2026-03-02"}}, ""),
        ({"or": [{"property": "Done", "checkbox": {"equals": True}}, {"property": "Cost", "number": {"equals": 0}}]}, "045"),
        ({"and": [undone, {"or": [free, won]}]}, "013"),
        ({"and": []}, "012345"),
    ):  # fmt: skip
        assert found(episode, tasks, condition) == wanted, condition


def test_bad_filters_are_named(episode: Episode, tasks: str) -> None:
    leaf = {"property": "Cost", "number": {"equals": 1}}
    for condition, message in (
        ({"property": "Nope", "number": {"equals": 1}}, "Could not find property with name or id: Nope"),
        ({"property": "Cost", "select": {"equals": "x"}}, "database property number does not match filter select"),
        ({"property": "Cost", "number": {"equals": "1"}}, "body.filter.number.equals should be a number, instead was `\"1\"`."),
        ({"property": "Cost", "number": {"contains": 1}}, "body.filter.number.contains should be not present"),
        ({"property": "Cost", "number": {}}, "body.filter.number.equals should be defined"),
        ({"property": "Stage", "select": {"equals": "Lost"}}, 'select option "Lost" not found for property "Stage"'),
        ({"property": "Due", "date": {"equals": "yesteryear"}}, "should be a valid ISO 8601 date string"),
        ({"property": "Due", "date": {"is_empty": False}}, "should be `true`"),
        ({"property": "Cost"}, "body.filter.number should be defined"),
        ({}, "body.filter.or should be defined"),
        ({"and": [{"or": [{"and": [leaf]}]}]}, "body.filter.and[0].or[0].and should be not present"),
        ({"and": [leaf], "or": [leaf]}, "body.filter.or should be not present"),
        ({"timestamp": "edited", "edited": {}}, "body.filter.timestamp should be"),
    ):  # fmt: skip
        assert message in refused(episode, "query-data-source", data_source_id=tasks, filter=condition), condition
    bad = [{"property": "Nope", "direction": "ascending"}]
    assert "Could not find sort property" in refused(episode, "query-data-source", data_source_id=tasks, sorts=bad)
    assert "page_size should be ≤ `100`" in refused(episode, "query-data-source", data_source_id=tasks, page_size=101)


def test_sorts_and_pages(episode: Episode, tasks: str) -> None:
    everything = {"and": list[Any]()}
    by = [{"property": "Stage", "direction": "descending"}, {"property": "Due", "direction": "descending"}]
    assert found(episode, tasks, everything, sorts=by) == "315420"
    assert found(episode, tasks, everything, sorts=[{"property": "Name", "direction": "descending"}]) == "543210"
    assert (
        found(episode, tasks, everything, sorts=[{"timestamp": "created_time", "direction": "ascending"}]) == "012345"
    )
    walked, cursor = "", None
    while True:
        page = call(
            episode,
            "query-data-source",
            data_source_id=tasks,
            page_size=4,
            **({"start_cursor": cursor} if cursor else {}),
        )
        walked += "".join(p["properties"]["Name"]["title"][0]["plain_text"][-1] for p in page["results"])
        cursor = page["next_cursor"]
        assert page["has_more"] == (cursor is not None)
        if cursor is None:
            break
    assert walked == "543210"


def test_values_must_fit_the_schema(episode: Episode, tasks: str) -> None:
    parent = {"data_source_id": tasks}
    for properties, message in (
        ({"Nope": {"number": 1}}, "Nope is not a property that exists."),
        ({"Cost": {"rich_text": rich("1")}}, "Cost is expected to be number."),
        ({"Cost": {"number": "1"}}, "body.properties.Cost.number should be a number"),
        ({"Cost": {}}, "body.properties.Cost.number should be defined"),
        ({"State": {"status": {"name": "Lost"}}}, 'Invalid status option. Status option "Lost" does not exist".'),
        ({"Stage": {"select": {"name": "a,b"}}}, "commas not allowed"),
        ({"Due": {"date": {"start": "2026-02-30"}}}, "should be a valid ISO 8601 date string"),
        ({"Due": {"date": {"start": "2026-03-02", "end": "2026-03-01"}}}, "Start date must be before end date."),
        ({"Who": {"people": [{"id": tasks}]}}, f"Could not find user with ID: {tasks}."),
        ({"No": {"unique_id": {"number": 9}}}, "cannot be set via the API"),
        ({"Size": {"formula": {"string": "x"}}}, "cannot be set via the API"),
    ):
        assert message in refused(episode, "post-page", parent=parent, properties=properties), properties
    made = call(episode, "post-page", parent=parent, properties={"Stage": {"select": {"name": "Lost"}}})
    assert made["properties"]["Stage"]["select"]["name"] == "Lost"
    schema = call(episode, "retrieve-a-data-source", data_source_id=tasks)["properties"]
    assert [o["name"] for o in schema["Stage"]["select"]["options"]] == ["New", "Won", "Lost"]
    item = call(episode, "retrieve-a-page-property", page_id=made["id"], property_id=schema["Who"]["id"])
    assert (item["object"], item["results"]) == ("list", [])
    guide = ref(episode, "guide")
    assert "Cost is not a property that exists." in refused(
        episode, "patch-page", page_id=guide, properties={"Cost": {"number": 1}}
    )


def test_the_schema_changes_with_the_pages(episode: Episode, tasks: str) -> None:
    def alter(**properties: Any) -> Any:
        return call(episode, "update-a-data-source", data_source_id=tasks, properties=properties)["properties"]

    shown = alter(Cost={"name": "Price"}, Mail=None, Site={"url": {}}, Stage={"select": {"options": [{"name": "Won"}]}})
    assert "Mail" not in shown
    assert shown["Price"]["number"] == {"format": "euro"}
    assert shown["Size"]["formula"]["expression"].startswith('if(prop("Price")')
    rows = call(episode, "query-data-source", data_source_id=tasks)["results"]
    assert [r["properties"]["Stage"]["select"] is None for r in rows] == [False, True] * 3
    many = alter(Stage={"multi_select": {}})
    assert [o["name"] for o in many["Stage"]["multi_select"]["options"]] == ["Won"]
    assert (
        len(
            call(episode, "query-data-source", data_source_id=tasks)["results"][0]["properties"]["Stage"][
                "multi_select"
            ]
        )
        == 1
    )
    for properties, message in (
        ({"Name": None}, "Cannot delete title property."),
        ({"Nope": None}, "Could not find property with name or id: Nope"),
        ({"Other": {"title": {}}}, "only one title"),
        ({"Price": {"name": "Due"}}, "exists already"),
        ({"State": {"select": {}}}, "status"),
        ({"X": {"formula": {"expression": "prop("}}}, "Formula is invalid"),
        ({"X": {"formula": {"expression": 'prop("Nope")'}}}, "undefined property `Nope`"),
        ({"X": {"formula": {"expression": "frobnicate(1)"}}}, "undefined function `frobnicate`"),
        ({"X": {"number": {"format": "doubloon"}}}, "number.format should be"),
        ({"X": {"button": {}}}, "should be not present"),
    ):
        assert message in refused(episode, "update-a-data-source", data_source_id=tasks, properties=properties), (
            properties
        )


def test_a_time_in_a_time_zone_is_shown_by_its_offset(episode: Episode, tasks: str) -> None:
    page = call(episode, "query-data-source", data_source_id=tasks)["results"][0]["id"]

    def due(**date: Any) -> dict[str, Any]:
        return {"page_id": page, "properties": {"Due": {"date": date}}}

    shown = call(
        episode,
        "patch-page",
        **due(start="2026-03-01T20:00:00", end="2026-07-01T09:00:00", time_zone="America/New_York"),
    )
    assert shown["properties"]["Due"]["date"] == {
        "start": "2026-03-01T20:00:00.000-05:00", "end": "2026-07-01T09:00:00.000-04:00", "time_zone": None,
    }  # fmt: skip
    assert found(episode, tasks, {"property": "Due", "date": {"equals": "2026-03-02T01:00:00Z"}}) == "15"
    for start in ("20260301", "2026-W01-1", "tomorrow", ""):
        assert "should be a valid ISO 8601 date string" in refused(episode, "patch-page", **due(start=start))
    for start in ("2026-03-01", "2026-03-01T20:00:00Z"):
        assert "without a UTC offset" in refused(episode, "patch-page", **due(start=start, time_zone="Europe/Berlin"))


def test_a_timestamp_is_compared_as_it_is_shown(episode: Episode, tasks: str) -> None:
    page = call(episode, "query-data-source", data_source_id=tasks)["results"][0]
    for kind in ("created_time", "last_edited_time"):
        for operator, there in (("equals", True), ("after", False), ("on_or_before", True)):
            condition = {"timestamp": kind, kind: {operator: page[kind]}}
            results = call(episode, "query-data-source", data_source_id=tasks, filter=condition)["results"]
            assert (page["id"] in [one["id"] for one in results]) is there, (kind, operator)


def test_an_option_is_renamed_by_its_id(episode: Episode, tasks: str) -> None:
    new, won = call(episode, "retrieve-a-data-source", data_source_id=tasks)["properties"]["Stage"]["select"]["options"]
    options = [{"id": new["id"], "name": "Fresh"}, {"id": won["id"]}]
    change = {"data_source_id": tasks, "properties": {"Stage": {"select": {"options": options}}}}
    call(episode, "update-a-data-source", **change)
    assert found(episode, tasks, {"property": "Stage", "select": {"equals": "Fresh"}}) == "024"
    options[0]["name"] = "Won"
    assert "same name" in refused(episode, "update-a-data-source", **change)


def test_a_relation_ends_on_both_sides(episode: Episode, tasks: str) -> None:
    far = call(
        episode, "create-a-database", parent={"page_id": ref(episode, "guide")}, title=rich("Projects"),
        initial_data_source={"properties": {"Name": {"title": {}}, "Tasks": {"relation": {
            "data_source_id": tasks, "dual_property": {"synced_property_name": "Project"}}}}},
    )["data_sources"][0]["id"]  # fmt: skip
    near = [one["id"] for one in call(episode, "query-data-source", data_source_id=tasks)["results"]]
    related = {"Tasks": {"relation": [{"id": key} for key in near]}}
    project = call(episode, "post-page", parent={"data_source_id": far}, properties=related)
    back = call(episode, "patch-page", page_id=project["id"], properties=project["properties"])
    assert back["properties"] == project["properties"]  # what is read may be written

    def theirs(page: str) -> list[str]:
        shown = call(episode, "retrieve-a-page", page_id=page)["properties"]
        return [one["id"] for name in ("Tasks", "Project") if name in shown for one in shown[name]["relation"]]

    call(episode, "patch-page", page_id=near[0], in_trash=True)
    assert theirs(project["id"]) == near[1:]
    call(episode, "patch-page", page_id=near[0], in_trash=False)
    assert theirs(project["id"]) == near
    call(episode, "move-page", page_id=near[0], parent={"page_id": ref(episode, "guide")})
    assert theirs(project["id"]) == near[1:]
    call(episode, "update-a-data-source", data_source_id=far, properties={"Tasks": None})
    shown = call(episode, "retrieve-a-data-source", data_source_id=tasks)["properties"]["Project"]["relation"]
    assert shown["type"] == "single_property"
    before = call(episode, "retrieve-a-page", page_id=project["id"])
    call(episode, "patch-page", page_id=near[1], properties={"Project": {"relation": []}})
    assert call(episode, "retrieve-a-page", page_id=project["id"]) == before


def test_what_a_new_property_follows_from_is_there_at_once(episode: Episode, tasks: str) -> None:
    alter = {"data_source_id": tasks, "properties": {"No": None, "After": {"relation": {"data_source_id": tasks}}}}
    call(episode, "update-a-data-source", **alter)
    first, second, *_ = call(episode, "query-data-source", data_source_id=tasks)["results"]
    call(episode, "patch-page", page_id=first["id"], properties={"After": {"relation": [{"id": second["id"]}]}})
    both = {"data_source_id": tasks, "dual_property": {"synced_property_name": "Before"}}
    alter["properties"] = {"After": {"relation": both}, "Key": {"unique_id": {"prefix": "K"}}}
    call(episode, "update-a-data-source", **alter)
    shown = call(episode, "retrieve-a-page", page_id=second["id"])["properties"]
    assert shown["Before"]["relation"] == [{"id": first["id"]}]
    oldest = call(
        episode, "query-data-source", data_source_id=tasks, sorts=[{"timestamp": "created_time", "direction": "ascending"}]
    )["results"]  # fmt: skip
    numbers = [page["properties"]["Key"]["unique_id"]["number"] for page in oldest]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) == 6


@pytest.mark.parametrize(
    ("expression", "full", "blank"),
    [
        ('prop("Cost") * 2', {"type": "number", "number": 20}, {"type": "number", "number": None}),
        ('formatDate(prop("Due"), "D MMM YYYY")', {"type": "string", "string": "2 Mar 2026"}, {"type": "string", "string": None}),
        ('month(dateAdd(prop("Due"), 11, "months"))', {"type": "number", "number": 2}, {"type": "number", "number": None}),
        ('dateBetween(dateSubtract(prop("Due"), 1, "weeks"), prop("Due"), "days")', {"type": "number", "number": -7},
         {"type": "number", "number": None}),
        ('prop("Due") > dateAdd(prop("Due"), -1, "day")', {"type": "boolean", "boolean": True}, {"type": "boolean", "boolean": None}),
        ('prop("Due")', {"type": "date", "date": {"start": "2026-03-02T00:00:00.000+00:00", "end": None, "time_zone": None}},
         {"type": "date", "date": None}),
        ('dateAdd(prop("Due"), 99999999, "years")', {"type": "date", "date": None}, {"type": "date", "date": None}),
        ('dateAdd(prop("Due"), 1, "moons")', {"type": "date", "date": None}, {"type": "date", "date": None}),
    ],
)  # fmt: skip
def test_a_formula_is_of_one_type_whatever_is_blank(
    episode: Episode, tasks: str, expression: str, full: dict[str, Any], blank: dict[str, Any]
) -> None:
    change = {"data_source_id": tasks, "properties": {"F": {"formula": {"expression": expression}}}}
    call(episode, "update-a-data-source", **change)
    empty = call(episode, "post-page", parent={"data_source_id": tasks}, properties={})
    assert empty["properties"]["F"]["formula"] == blank
    pages = call(
        episode, "query-data-source", data_source_id=tasks, filter={"property": "Name", "title": {"equals": "Task 1"}}
    )
    assert pages["results"][0]["properties"]["F"]["formula"] == full


def test_formulas_of_formulas_are_worked_out_once(episode: Episode, tasks: str) -> None:
    before, change = "Cost", dict[str, Any](data_source_id=tasks)
    for i in range(6):
        expression = " + ".join([f'prop("{before}")'] * 100)
        before = f"F{i}"
        change["properties"] = {before: {"formula": {"expression": expression}}}
        call(episode, "update-a-data-source", **change)
    call(episode, "post-page", parent={"data_source_id": tasks}, properties={})
    for expression in ("+".join(["1"] * 2000), "1?" * 900 + "1" + ":1" * 900, 'prop("F5") + 1'):
        change["properties"] = {"F0": {"formula": {"expression": expression}}}
        call(episode, "update-a-data-source", **change)
        assert len(call(episode, "query-data-source", data_source_id=tasks)["results"]) == 7


def test_a_page_shows_the_first_of_a_long_relation(episode: Episode, tasks: str) -> None:
    schema = {"Name": {"title": {}}, "Of": {"relation": {"data_source_id": tasks}}}
    source = call(
        episode, "create-a-database", parent={"page_id": ref(episode, "guide")}, initial_data_source={"properties": schema}
    )["data_sources"][0]["id"]  # fmt: skip
    made = [call(episode, "post-page", parent={"data_source_id": tasks})["id"] for _ in range(30)]
    page = call(
        episode,
        "post-page",
        parent={"data_source_id": source},
        properties={"Of": {"relation": [{"id": key} for key in made]}},
    )
    assert len(page["properties"]["Of"]["relation"]) == 25
    assert page["properties"]["Of"]["has_more"] is True
    where, walked, cursor = {"page_id": page["id"], "property_id": page["properties"]["Of"]["id"]}, list[str](), None
    while True:
        items = call(episode, "retrieve-a-page-property", **where, page_size=7, start_cursor=cursor)
        walked += [one["relation"]["id"] for one in items["results"]]
        cursor = items["next_cursor"]
        if cursor is None:
            break
    assert walked == made


def test_relations_have_two_sides_and_rollups_add_up(episode: Episode, tasks: str) -> None:
    rollup = {"relation_property_name": "Tasks"}
    schema: dict[str, Any] = {
        "Name": {"title": {}},
        "Tasks": {"relation": {"data_source_id": tasks, "dual_property": {}}},
        "Total": {"rollup": {"function": "sum", "rollup_property_name": "Cost", **rollup}},
        "Names": {"rollup": {"function": "show_original", "rollup_property_name": "Name", **rollup}},
    }
    made = call(
        episode,
        "create-a-database",
        parent={"page_id": ref(episode, "notes")},
        title=rich("Projects"),
        initial_data_source={"properties": schema},
    )
    projects = made["data_sources"][0]["id"]
    rows = call(episode, "query-data-source", data_source_id=tasks)["results"]
    values = {"Name": {"title": rich("P")}, "Tasks": {"relation": [{"id": r["id"]} for r in rows[:2]]}}
    project = call(episode, "post-page", parent={"data_source_id": projects}, properties=values)
    assert project["properties"]["Total"]["rollup"] == {"type": "number", "number": 90, "function": "sum"}
    assert len(project["properties"]["Names"]["rollup"]["array"]) == 2
    back = next(
        n
        for n, p in call(episode, "retrieve-a-data-source", data_source_id=tasks)["properties"].items()
        if p["type"] == "relation"
    )
    task = call(episode, "retrieve-a-page", page_id=rows[0]["id"])
    assert task["properties"][back]["relation"] == [{"id": project["id"]}]
    call(episode, "patch-page", page_id=rows[0]["id"], properties={back: {"relation": []}})
    project = call(episode, "retrieve-a-page", page_id=project["id"])
    assert project["properties"]["Tasks"]["relation"] == [{"id": rows[1]["id"]}]
    assert found_names(episode, projects, {"property": "Tasks", "relation": {"contains": rows[1]["id"]}}) == ["P"]
    assert found_names(episode, projects, {"property": "Total", "rollup": {"number": {"greater_than": 40}}}) == []
    assert found_names(
        episode, projects, {"property": "Names", "rollup": {"any": {"rich_text": {"contains": "Task"}}}}
    ) == ["P"]
    stranger = {"Tasks": {"relation": [{"id": project["id"]}]}}
    assert "not in the data source" in refused(episode, "patch-page", page_id=project["id"], properties=stranger)


def found_names(episode: Episode, source: str, condition: Any) -> list[str]:
    results = call(episode, "query-data-source", data_source_id=source, filter=condition)["results"]
    return [p["properties"]["Name"]["title"][0]["plain_text"] for p in results]
