"""Ids: whole numbers that grow; tickets count from 1."""

from legoenv_mcp.app import Ctx

from .models import Account

_STARTS = {
    "brand": 17_902_655_120_413, "user": 18_004_311_907_537, "group": 18_010_782_664_113, "organization": 18_021_440_315_921,
    "identity": 18_033_107_228_689, "group_membership": 18_040_516_903_185, "organization_membership": 18_047_903_551_761,
    "ticket_field": 18_058_214_770_193, "view": 18_063_902_118_417, "macro": 18_069_415_507_601, "trigger": 18_072_330_164_241,
    "automation": 18_075_118_822_417, "event": 18_100_262_415_377, "satisfaction_rating": 18_200_471_366_033,
    "attachment": 18_250_918_003_729, "job": 1,
}  # fmt: skip


def new(ctx: Ctx, kind: str) -> int:
    """The next id of a kind."""
    return ctx.sequence(kind, _STARTS[kind], 1 if kind == "job" else 128)


def account(ctx: Ctx) -> Account:
    found = ctx.db.first(Account)
    assert found is not None
    return found


def new_ticket(ctx: Ctx) -> int:
    """The next ticket's number: never one that was given before, also when that ticket has been destroyed."""
    own = account(ctx)
    ctx.db.update(own, last_ticket_id=own.last_ticket_id + 1)
    return own.last_ticket_id


def me(ctx: Ctx) -> int:
    """The id of the user who calls."""
    return int(ctx.ref("people.Person", ctx.agent))


def base(ctx: Ctx) -> str:
    """The address of the account's API, with which links begin."""
    return ctx.request.base or f"https://{account(ctx).subdomain}.zendesk.com"


def url(ctx: Ctx, path: str) -> str:
    return f"{base(ctx)}/api/v2/{path}.json"
