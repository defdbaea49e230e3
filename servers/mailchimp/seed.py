"""What a fresh account has: its owner's profile and the templates that Mailchimp gives. Audiences are the world's."""

import re
from datetime import timedelta

from legoenv_mcp.app import HEX, Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from . import audiences, people, times
from .models import Account, Template

_FOOTER = '<p class="footer">You get this because you signed up. <a href="*|UNSUB|*">Unsubscribe</a></p>'
_BASES = {
    "1 Column": '<h1 mc:edit="header">A headline</h1>\n<div mc:edit="body"><p>What there is to tell.</p></div>',
    "1:2 Column": '<h1 mc:edit="header">A headline</h1>\n<div mc:edit="main"><p>The main story.</p></div>\n'
    '<table><tr><td mc:edit="left">One more</td><td mc:edit="right">And another</td></tr></table>',
    "Simple Text": '<div mc:edit="body"><p>Dear *|FNAME|*,</p></div>',
}


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    since = times.iso(ctx.now - timedelta(days=3 * 365))
    ctx.db.add(Account(
        account_id=ctx.id("", 25, HEX, kind="account"), login_id=str(ctx.integer("login", 10_000_000, 99_999_999)),
        account_name=organisation.name, email=agent.email, first_name=agent.first_name, last_name=agent.last_name,
        username=re.sub(r"[^a-z0-9]", "", organisation.name.lower()) or agent.handle, member_since=since,
        account_timezone=organisation.time_zone, account_industry=organisation.industry,
        contact={
            **audiences.EMPTY_CONTACT, "company": organisation.name, "city": agent.city, "country": agent.country,
        },
    ))  # fmt: skip
    for name, body in _BASES.items():
        ctx.db.add(Template(
            id=people.number(ctx), name=name, type="base", category="Basic", created_by="Mailchimp", date_created=since,
            date_edited=since, html=f"<html>\n<body>\n{body}\n{_FOOTER}\n</body>\n</html>",
        ))  # fmt: skip
