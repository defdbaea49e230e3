"""The verbs of chat."""

from legoenv_mcp.capabilities import chat
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    channel = s.first(
        chat.Channel, lambda c: not c.archived and not c.direct and not c.private and s.world.agent.key in c.members
    )
    place = s.ref(channel)
    s.reads(p.list_channels(), channel.name, place)
    s.run(p.send_message(place, "Said by verb."))
    said = s.one(chat.Message, lambda m: m.text == "Said by verb.")
    assert said.channel == place
    s.reads(p.list_messages(place), "Said by verb.")
    s.run(p.reply_in_thread(place, said.id, "Answered by verb."))
    assert s.one(chat.Message, lambda m: m.text == "Answered by verb.").thread == said.id
    s.run(p.add_reaction(place, said.id, "tada"))
    assert any(r.startswith("tada:") for r in s.one(chat.Message, lambda m: m.text == "Said by verb.").reactions)
    s.run(p.share_file(place, "verbs.txt", "Content."))
    s.run(p.create_channel("made-by-verb"))
    assert s.one(chat.Channel, lambda c: c.name == "made-by-verb")
    other = next(m for m in channel.members if m != s.world.agent.key)
    person = s.live.template.refs["people.Person"][other]
    s.run(p.remove_participant(place, person))
    assert person not in s.one(chat.Channel, lambda c: c.id == place).members
    if p.offers("list_people"):
        s.reads(p.list_people(), person)
    if p.offers("add_participant"):
        s.run(p.add_participant(place, person))
        assert person in s.one(chat.Channel, lambda c: c.id == place).members
