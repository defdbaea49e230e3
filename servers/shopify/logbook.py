"""Events: what happened to a resource. https://shopify.dev/docs/api/admin-rest/2025-01/resources/event"""

from legoenv_mcp.app import Ctx

from .models import Event, new


def log(ctx: Ctx, kind: str, key: int, verb: str, message: str, *arguments: str, at: str = "") -> None:
    """Notes an event of an order, product, collection and the like."""
    ctx.db.add(
        Event(
            id=new(ctx, "Event"), subject_type=kind, subject_id=key, verb=verb, message=message, arguments=list(arguments),
            created_at=at or ctx.timestamp(),
        )
    )  # fmt: skip
