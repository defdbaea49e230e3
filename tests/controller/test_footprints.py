"""What a frame says of the rows that the steps of a task make."""

from legoenv_mcp.controller.footprints import Group, _allow


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
