"""The verbs of email."""

from legoenv_mcp.capabilities import email
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p, agent = s.provider, s.world.agent.email
    received = s.first(email.Message, lambda m: m.box == "inbox" and agent not in m.sender and m.folders)
    key = s.ref(received)
    s.reads(p.search_messages(received.subject), key)
    s.reads(p.get_message(key), received.subject)
    s.reads(p.list_folders(), s.first(email.Folder).name)
    s.run(p.send_message("someone@elsewhere.example", "Verbs at work", "Hello there."))
    sent = s.one(email.Message, lambda m: m.subject == "Verbs at work")
    assert (sent.box, sent.to, sent.body.strip()) == ("sent", ("someone@elsewhere.example",), "Hello there.")
    s.run(p.reply(key, "An answer by verb."))
    answer = s.one(email.Message, lambda m: m.body.strip() == "An answer by verb.")
    assert answer.box == "sent"
    assert answer.thread == s.one(email.Message, lambda m: m.id == key).thread
    s.run(p.save_draft("someone@elsewhere.example", "Not yet", "Later."))
    assert s.one(email.Message, lambda m: m.subject == "Not yet").box == "drafts"
    folder = s.first(email.Folder, lambda f: f.name not in received.folders)
    s.run(p.file_message(key, folder.name))
    assert folder.name in s.one(email.Message, lambda m: m.id == key).folders
    unread = s.first(email.Message, lambda m: m.unread and m.box == "inbox")
    s.run(p.mark_read(s.ref(unread)))
    assert not s.one(email.Message, lambda m: m.id == s.ref(unread)).unread
    s.run(p.delete_message(key))
    assert all(m.box == "trash" for m in s.all(email.Message) if m.id == key)
