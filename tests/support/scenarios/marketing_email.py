"""The verbs of marketing_email."""

from legoenv_mcp.capabilities import marketing_email
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    audience = s.first(marketing_email.Audience)
    key = s.ref(audience)

    def known(email: str) -> marketing_email.Subscriber:
        return s.one(marketing_email.Subscriber, lambda m: m.email == email and m.audience == key)

    s.reads(p.list_audiences(), *(a.name for a in s.world.entities(marketing_email.Audience)))

    email = "verb.walcott@northgrove.example"
    s.run(p.add_contact(key, email, "Verb", "Walcott"))
    added = known(email)
    assert (added.first_name, added.last_name, added.status) == ("Verb", "Walcott", "subscribed")
    s.reads(p.find_contact(email), email, "Walcott")
    s.run(p.update_contact(key, email, last_name="Hale"))
    assert (known(email).first_name, known(email).last_name) == ("Verb", "Hale")

    if p.offers("list_contacts"):
        on_it = [m for m in s.world.entities(marketing_email.Subscriber) if m.audience == audience.key]
        s.reads(p.list_contacts(key), email, *(m.email for m in on_it))

    if p.offers("segment_contact"):
        there = s.first(
            marketing_email.Subscriber, lambda m: m.audience == audience.key and m.status == "subscribed" and m.tags
        )
        s.run(p.segment_contact(key, there.email, "played-by-verb"))
        assert set(known(there.email).tags) == {*there.tags, "played-by-verb"}

    s.run(p.unsubscribe_contact(key, email))
    gone = known(email)
    assert (gone.status, gone.last_name) == ("unsubscribed", "Hale")

    if p.offers("create_campaign"):
        s.run(p.create_campaign(key, "Subject by verb", "Hello {{first_name}},\n\nwritten by verb."))
        made = s.one(marketing_email.Campaign, lambda c: c.subject == "Subject by verb")
        assert (made.audience, made.status) == (key, "draft")
        assert "written by verb." in made.body
        if p.offers("send_campaign"):
            everyone = s.all(marketing_email.Subscriber)
            reached = [m for m in everyone if m.audience == key and m.status == "subscribed"]
            s.run(p.send_campaign(made.id))
            sent = s.one(marketing_email.Campaign, lambda c: c.id == made.id)
            assert (sent.status, sent.sent) == ("sent", len(reached))

    if p.offers("get_campaign_report"):
        past = s.first(marketing_email.Campaign, lambda c: c.status == "sent" and c.opened)
        s.reads(p.get_campaign_report(s.ref(past)), past.subject, past.sent, past.opened)
