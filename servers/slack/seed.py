"""A fresh workspace: Slackbot, the general channel and the profile fields companies use."""

import re
from typing import Literal

from legoenv_mcp.app import UPPER36, Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .access import SLACKBOT
from .models import Conversation, ProfileField, Team, User

FIELDS: tuple[tuple[str, Literal["text", "user"]], ...] = (
    ("Department", "text"),
    ("Manager", "user"),
    ("City", "text"),
    ("Country", "text"),
)


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    domain = re.sub(r"[^a-z0-9-]", "", organisation.name.lower().replace(" ", "-")) or "workspace"
    ctx.db.add(
        Team(id=ctx.id("T", 10, UPPER36), name=organisation.name, domain=domain, email_domain=organisation.domain)
    )
    ctx.db.add(User(id=SLACKBOT, name="slackbot", real_name="Slackbot", display_name="Slackbot", first_name="slackbot"))
    for ordering, (label, kind) in enumerate(FIELDS):
        ctx.db.add(ProfileField(id=ctx.id("Xf", 9, UPPER36), label=label, type=kind, ordering=ordering))
    for name, purpose in (
        (
            "general",
            "Share announcements and updates about company news, upcoming events, or teammates who deserve some kudos.",
        ),
        ("random", "Other channels are for work. This one's just for fun."),
    ):
        ctx.db.add(
            Conversation(
                id=ctx.id("C", 10, UPPER36),
                kind="public",
                name=name,
                creator=SLACKBOT,
                created=ctx.epoch(),
                is_general=name == "general",
                purpose=purpose,
                purpose_creator=SLACKBOT,
                purpose_set=ctx.epoch(),
            )
        )
