"""Slack: the chat capability."""

from typing import Any

import pytest

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities import Entity, Plan, chat
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import ALEX
from tests.apps.slack.support import CHANNELS, MESSAGES, PEOPLE, context, ok, place, ts, who


def viewed(episode: Episode, table: str, key: Any) -> Entity | None:
    live = episode.app("slack")
    shape = live.app.shapes[table]
    row = live.store.get(shape.cls, key)
    assert row is not None
    values = {name: row.__dict__[name] for name in shape.columns}
    return live.app.provides["chat"].view(context(episode), table, values)


def run(episode: Episode, plan: Plan) -> dict[str, Any]:
    reply: Any = None
    try:
        step = next(plan)
        while True:
            reply = ok(episode, step.tool, **step.arguments)
            step = plan.send(reply)
    except StopIteration:
        return reply


def test_people_come_back_as_they_were_filled(episode: Episode) -> None:
    for given in [ALEX, *PEOPLE]:
        manager = who(episode, given.manager) if given.manager else ""
        wanted = given.model_copy(update={"key": "", "id": who(episode, given.key), "manager": manager})
        assert viewed(episode, "user", who(episode, given.key)) == wanted


def test_channels_come_back_as_they_were_filled(episode: Episode) -> None:
    for given in CHANNELS:
        wanted = given.model_copy(
            update={
                "key": "",
                "id": place(episode, given.key),
                "creator": who(episode, given.creator),
                "members": tuple(who(episode, one) for one in given.members),
            }
        )
        assert viewed(episode, "conversation", place(episode, given.key)) == wanted


def test_messages_come_back_as_they_were_filled(episode: Episode) -> None:
    for given in MESSAGES:
        channel, at = place(episode, given.channel), ts(episode, given.key)
        reactions = tuple(f"{e}:{who(episode, p)}" for e, _, p in (r.partition(":") for r in given.reactions))
        wanted = given.model_copy(
            update={
                "key": "",
                "id": at,
                "channel": channel,
                "author": who(episode, given.author),
                "reactions": reactions,
                "thread": ts(episode, given.thread) if given.thread else "",
            }
        )
        assert viewed(episode, "message", (channel, at)) == wanted


def test_each_verb_shows_in_the_view(episode: Episode) -> None:
    verbs, ops = registry.load("slack").provides["chat"], place(episode, "ops")
    sent = run(episode, verbs.send_message(ops, "See https://x.example & @bea"))
    message = viewed(episode, "message", (ops, sent["ts"]))
    assert isinstance(message, chat.Message)
    assert (message.text, message.author) == ("See https://x.example & @bea", who(episode, "alex.doyle"))
    reply = run(episode, verbs.reply_in_thread(ops, sent["ts"], "Sure"))
    answer = viewed(episode, "message", (ops, reply["ts"]))
    assert isinstance(answer, chat.Message)
    assert answer.thread == sent["ts"]
    run(episode, verbs.add_reaction(ops, sent["ts"], "eyes"))
    message = viewed(episode, "message", (ops, sent["ts"]))
    assert isinstance(message, chat.Message)
    assert message.reactions == (f"eyes:{who(episode, 'alex.doyle')}",)
    run(episode, verbs.share_file(ops, "a.txt", "Text"))
    assert run(episode, verbs.list_messages(ops))["messages"][0]["files"][0]["name"] == "a.txt"
    run(episode, verbs.remove_participant(ops, who(episode, "bea")))
    channel = viewed(episode, "conversation", ops)
    assert isinstance(channel, chat.Channel)
    assert channel.members == (who(episode, "alex.doyle"),)
    made = run(episode, verbs.create_channel("fresh"))["channel"]["id"]
    fresh = viewed(episode, "conversation", made)
    assert isinstance(fresh, chat.Channel)
    assert fresh.name == "fresh"


@pytest.mark.parametrize("world", ["quaymark", "empty"])
def test_a_world_fills_the_app(world: str) -> None:
    episode = templates.episode(["slack"], world)
    users = ok(episode, "list_users", limit=1000)["members"]
    assert ok(episode, "auth_test")["user_id"] in {u["id"] for u in users}
    for channel in ok(episode, "list_conversations", types="public_channel,private_channel,im", limit=200)["channels"]:
        reply = episode.call("slack", "get_conversation_history", {"channel": channel["id"]})
        assert len(reply.text()) < 40_000, channel["name"]
