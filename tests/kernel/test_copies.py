"""A copy of an episode goes on by itself: it and the original never see each other's writes, and both would come to the same."""

from typing import Any

from legoenv_mcp import templates

SLUGS = ("slack", "stripe")


def written(episode: Any) -> list[Any]:
    return [c.as_json() for c in episode.changes()]


def test_a_copy_stands_where_the_original_stood() -> None:
    episode = templates.episode(SLUGS, seed="copies")
    episode.call("stripe", "create_customer", {"name": "Before", "email": "before@copies.example"})
    twin = episode.copy()
    assert written(twin) == written(episode)
    assert [e.tool for e in twin.app("stripe").journal] == ["create_customer"]
    answers = [
        e.call("stripe", "create_customer", {"name": "After", "email": "after@copies.example"}).body
        for e in (twin, episode)
    ]
    assert answers[0] == answers[1], "the same ids and the same clock"
    assert twin.app("stripe").store.connection.serialize() == episode.app("stripe").store.connection.serialize()


def test_neither_sees_what_the_other_writes() -> None:
    episode = templates.episode(SLUGS, seed="copies")
    episode.call("slack", "create_conversation", {"name": "from-before"})
    twin = episode.copy()
    twin.call("slack", "create_conversation", {"name": "only-in-the-copy"})
    episode.call("stripe", "create_customer", {"name": "Only in the original"})
    names = [{c["after"]["name"] for c in written(e) if c["table"] == "conversation"} for e in (episode, twin)]
    assert names == [{"from-before"}, {"from-before", "only-in-the-copy"}]
    assert [{c["app"] for c in written(e)} for e in (episode, twin)] == [{"slack", "stripe"}, {"slack"}]


def test_a_copy_of_what_was_only_read_is_no_copy_yet() -> None:
    episode = templates.episode(("slack",), seed="copies")
    episode.call("slack", "list_conversations", {})
    twin = episode.copy()
    assert twin.app("slack").store.connection is twin.app("slack").template.connection
    twin.call("slack", "create_conversation", {"name": "first-write"})
    assert not episode.changes()
