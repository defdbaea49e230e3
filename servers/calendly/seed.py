"""What an account begins with: the organization, and the routing form that its site shows."""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .models import Organization, RoutingForm

SINCE = "2023-01-02T09:00:00.000000Z"
"""When the account was opened."""


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    account = ctx.db.add(
        Organization(uuid=ctx.uuid("organization"), name=organisation.name, created_at=SINCE, updated_at=SINCE)
    )
    topic = ctx.uuid("question")
    asked: list[tuple[str, str, str, bool, list[str]]] = [
        (ctx.uuid("question"), "Name", "name", True, []), (ctx.uuid("question"), "Email", "email", True, []),
        (topic, "What is it about?", "select", True, ["Sales", "Support", "Something else"]),
    ]  # fmt: skip
    questions: list[dict[str, Any]] = [
        {"uuid": uuid, "name": name, "type": kind, "required": required, "answer_choices": choices or None}
        for uuid, name, kind, required, choices in asked
    ]
    site = f"https://{organisation.domain}"
    routes: list[dict[str, Any]] = [
        {"question_uuid": topic, "answer": answer, "result": {"type": "external_url", "value": f"{site}/{path}"}}
        for answer, path in (("Sales", "contact-sales"), ("Support", "support"))
    ]
    thanks = {"headline": "Thank you", "body": "We read every message and answer within two working days."}
    ctx.db.add(RoutingForm(
        uuid=ctx.uuid("routing_form"), organization=account.uuid, name=f"Talk to {organisation.name}", questions=questions,
        routes=routes, fallback={"type": "custom_message", "value": thanks}, created_at=SINCE, updated_at=SINCE,
    ))  # fmt: skip
