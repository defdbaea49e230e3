"""The verbs of sms_voice."""

from legoenv_mcp.capabilities import sms_voice
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    sender = s.first(sms_voice.PhoneNumber, lambda n: n.sms)
    known = s.first(
        sms_voice.TextMessage, lambda m: not m.inbound and m.status == "delivered" and m.sender == sender.number
    )
    s.reads(p.list_numbers(), *(n.number for n in s.world.entities(sms_voice.PhoneNumber)))
    s.run(p.send_message(sender.number, known.to, "Texted by verb."))
    sent = s.one(sms_voice.TextMessage, lambda m: m.body == "Texted by verb.")
    assert (sent.sender, sent.to, sent.inbound) == (sender.number, known.to, False)
    assert sent.status in ("queued", "sent", "delivered")
    s.reads(p.get_message(sent.id), "Texted by verb.", known.to)
    s.reads(p.get_message(s.ref(known)), known.body)
    if p.offers("list_messages"):
        s.reads(p.list_messages(known.to), sent.id, s.ref(known))

    line = s.first(sms_voice.PhoneNumber, lambda n: n.voice)
    called = s.first(sms_voice.Call, lambda c: not c.inbound and c.caller == line.number).to
    before = {c.id for c in s.all(sms_voice.Call)}
    s.run(p.place_call(line.number, called))
    placed = s.one(sms_voice.Call, lambda c: c.id not in before)
    assert (placed.caller, placed.to, placed.inbound, placed.status) == (line.number, called, False, "in_progress")
    s.reads(p.list_call_records(), placed.id)
    s.run(p.end_call(placed.id))
    assert s.one(sms_voice.Call, lambda c: c.id == placed.id).status == "completed"
