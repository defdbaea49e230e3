"""The HTTP endpoints of every object. One path creates, updates, deletes and voids, as its body and `operation` say.

They are declared before the tools, which have the same paths and each do one of these things: over HTTP the first declared answers.
"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Payload, Query, Reply

from . import faults, records, send
from .app import answer, app
from .models import KINDS, Record
from .models.sales import SalesForm
from .resources import show

Whole = Annotated[dict[str, Any] | None, Payload(mcp=False)]


def shown(ctx: Ctx, row: Record) -> dict[str, Any]:
    return answer(ctx, **{type(row).__name__: show(ctx, row)})


def gone(ctx: Ctx, cls: type[Record], body: dict[str, Any]) -> dict[str, Any]:
    return answer(ctx, **{cls.__name__: records.delete(ctx, cls, body)})


def form(number: str, cls: type[Record], ctx: Ctx) -> Reply:
    content = send.pdf(ctx, records.find(ctx, cls, number))
    return Reply(content, media_type="application/pdf")


def write(ctx: Ctx, cls: type[Record], body: Any, operation: str, include: str) -> dict[str, Any]:
    """What a POST to an object's path does."""
    if operation == "delete":
        return gone(ctx, cls, body)
    if operation == "void" or (operation == "update" and "void" in include.split(",")):
        return shown(ctx, records.void(ctx, cls, body))
    if operation not in ("", "create", "update"):
        raise faults.unsupported(f"{operation[:40]} {cls.__name__}")
    return shown(ctx, records.save(ctx, cls, body))


def _declare(name: str, cls: type[Record]) -> None:
    path, title = f"/{name.lower()}", name

    def post(
        ctx: Ctx, body: Whole = None, operation: Annotated[str, Query()] = "", include: Annotated[str, Query()] = ""
    ) -> dict[str, Any]:
        return write(ctx, cls, body, operation, include)

    post.__doc__ = (
        f"Creates a {name}, or updates it where the body has an Id: it needs the current SyncToken then, and `sparse: true` to keep what "
        f"it leaves out.\n\nbody: The {name}. operation: delete or void, with Id and SyncToken in the body.\n"
        "include: `void` with operation=update voids a Payment, SalesReceipt or BillPayment; `allowduplicatedocnum`.\n"
    )
    if name not in records.WORLD_ONLY:
        app.post(
            path, tool=f"post_{name.lower()}", effect="update", mcp=False, title=f"Create, update or delete {title}"
        )(post)

    def read(ctx: Ctx, id: str) -> dict[str, Any]:
        return shown(ctx, records.find(ctx, cls, id))

    read.__doc__ = f"Reads a {name}.\n\nid: Its Id.\n"
    app.get(f"{path}/{{id}}", tool=f"read_{name.lower()}", mcp=False, title=f"Read {title}")(read)
    if issubclass(cls, send.SENDABLE):

        def mail(ctx: Ctx, id: str, sendTo: Annotated[str | None, Query()] = None) -> dict[str, Any]:
            return shown(ctx, send.send(ctx, records.find(ctx, cls, id), sendTo))

        mail.__doc__ = f"Emails a {name}.\n\nid: Its Id.\nsendTo: To whom, where not to the address on the form.\n"
        app.post(f"{path}/{{id}}/send", tool=f"mail_{name.lower()}", effect="send", mcp=False)(mail)
    if issubclass(cls, SalesForm):

        def print_(ctx: Ctx, id: str) -> Reply:
            return form(id, cls, ctx)

        print_.__doc__ = f"A {name} as PDF.\n\nid: Its Id.\n"
        app.get(f"{path}/{{id}}/pdf", tool=f"print_{name.lower()}", mcp=False)(print_)


for _name, _cls in KINDS.items():
    if _name not in ("Preferences", "ExchangeRate"):
        _declare(_name, _cls)
