"""What a frame says of the rows that the steps of a task make."""

from legoenv_mcp import templates, worlds
from legoenv_mcp.capabilities import ecommerce, project_tracking
from legoenv_mcp.controller.footprints import Group, _allow, _facts, _part_names


def comment(inside: set[str]) -> Group:
    return Group(
        "zendesk", "comment", "insert", counts={0: 1}, rows=1, inside=inside, numeric={"author_id"},
        matches={"author_id": [{"zendesk/requester"}]},
    )  # fmt: skip


def test_who_wrote_the_first_note_of_a_new_ticket_is_the_goals_matter() -> None:
    (entry,) = _allow(comment({"ticket_id"}), {"zendesk/requester": {"7"}}, [1], 1)
    assert entry.fields == {}
    assert entry.inside == "ticket_id"


def test_who_writes_on_a_ticket_that_was_there_is_not_free() -> None:
    (entry,) = _allow(comment(set()), {"zendesk/requester": {"7"}}, [1], 1)
    assert entry.fields == {"author_id": 7}
    assert not entry.inside


def test_the_parts_of_an_entity_are_told_with_what_they_name() -> None:
    template = templates.template("shopify")
    product = next(p for p in worlds.load("quaymark").entities(ecommerce.Product) if len(p.variants) > 1)
    facts = list(_facts(template, "product", product, rows=False))
    rows = {row[0]: row[1] for row in template.connection.execute("SELECT sku, inventory_item_id FROM variant")}
    stock = {value for label, value in facts if label == "product>variant.inventory_item_id"}
    assert stock == {str(rows[v.sku]) for v in product.variants}
    images = template.connection.execute("SELECT count(*) FROM image WHERE product_id = ?", (facts[0][1],)).fetchone()[
        0
    ]
    assert images == 1 or not [label for label, _ in facts if label.startswith("product>image")]


def test_what_belongs_to_an_entity_but_is_one_itself_is_none_of_its_parts() -> None:
    assert _part_names(project_tracking.Project) == frozenset()
    assert _part_names(ecommerce.Product) == {"variant"}


def test_fewer_things_leave_fewer_rows_and_the_heading() -> None:
    group = Group("google_sheets", "cell", "insert", counts={0: 14, 1: 14}, rows=28)
    (entry,) = _allow(group, {}, [6, 6], 3)
    assert entry.max == 8
