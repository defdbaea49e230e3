"""Finding objects by what callers call them, who may touch them, and the ids, times and places of new ones."""

from datetime import UTC, datetime
from typing import Any, TypeVar

from legoenv_mcp.app import HEX, ApiError, Ctx, Row
from legoenv_mcp.capabilities.people import Person

from .app import PLACES, bad_object_id, invalid, is_id, is_short, missing_object
from .models import Board, Card, Checklist, Label, Member, Membership, Organization, TrelloList

R = TypeVar("R", bound=Row)
STEP = 65536
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def new_id(ctx: Ctx, moment: str = "") -> str:
    """24 hexadecimal digits, the first 8 of them the second in which the object was made."""
    seconds = int(ctx.parse_time(moment).timestamp()) if moment else ctx.epoch()
    return f"{seconds:08x}" + ctx.id("", 16, HEX, kind="object")


def short_link(ctx: Ctx) -> str:
    return ctx.id("", 8, BASE58, kind="short link")


def born(key: str) -> str:
    """When the object of this id was made, in whole seconds."""
    return datetime.fromtimestamp(int(key[:8], 16), UTC).isoformat().replace("+00:00", "Z")


def stamp(ctx: Ctx) -> str:
    return ctx.timestamp("milliseconds")


def millis(moment: str) -> str:
    """A time as Trello writes it."""
    return Ctx.parse_time(moment).astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def date_in(name: str, text: str | None) -> str | None:
    """A date that a caller gave; empty text and `null` clear it."""
    if text is None or text in ("", "null"):
        return None
    try:
        return millis(text)
    except (ValueError, OverflowError):
        raise invalid(name, "a date as ISO 8601 has it, or null") from None


def me(ctx: Ctx) -> Member:
    """The member whose token it is."""
    return ctx.require(Member, ctx.ref(Person, ctx.agent))


def member(ctx: Ctx, key: str) -> Member:
    """By id, username or `me`."""
    if key == "me":
        return me(ctx)
    found = ctx.db.get(Member, key) or ctx.db.first(Member, username=key)
    if found is None:
        raise missing_object()
    return found


def organization(ctx: Ctx, key: str) -> Organization:
    """By id or short name."""
    found = ctx.db.get(Organization, key) or ctx.db.first(Organization, name=key)
    if found is None:
        raise missing_object()
    return found


def may_see(ctx: Ctx, board: Board) -> bool:
    """Boards of the workspace are everyone's; private ones their members'."""
    if board.prefs["permissionLevel"] != "private":
        return True
    return ctx.db.first(Membership, idBoard=board.id, idMember=ctx.ref(Person, ctx.agent)) is not None


def board(ctx: Ctx, key: str) -> Board:
    found = ctx.db.first(Board, shortLink=key) if is_short(key) else ctx.require(Board, key)
    if found is None:
        raise missing_object()
    if not may_see(ctx, found):
        raise ApiError(401, "unauthorized permission requested")
    return found


def open_board(ctx: Ctx, key: str) -> Board:
    """A board to write on: nothing can be added to a closed one, and observers only look."""
    found = board(ctx, key)
    if found.closed:
        raise ApiError(400, "board is closed")
    if observes(ctx, found.id):
        raise forbidden()
    return found


def board_named(ctx: Ctx, name: str, key: str) -> Board:
    """A board to write on, that a parameter names by its id or short link."""
    if not is_id(key) and not is_short(key):
        raise invalid(name, "the id of a board (list_member_boards)")
    return open_board(ctx, key)


def observes(ctx: Ctx, id_board: str) -> bool:
    """Whether the token's member is on the board to look only."""
    own = me(ctx)
    found = ctx.db.first(Membership, idBoard=id_board, idMember=own.id)
    return found is not None and found.memberType == "observer" and not own.admin


def may_comment(ctx: Ctx, found: Card) -> None:
    """Boards say who comments: nobody, their members, observers too, or the whole workspace."""
    row = ctx.require(Board, found.idBoard)
    wanted = row.prefs.get("comments", "members")
    if row.closed:
        raise ApiError(400, "board is closed")
    if wanted == "disabled" or (wanted == "members" and observes(ctx, row.id)):
        raise forbidden()


def card(ctx: Ctx, key: str) -> Card:
    found = ctx.db.first(Card, shortLink=key) if is_short(key) else ctx.require(Card, key)
    if found is None:
        raise missing_object()
    board(ctx, found.idBoard)
    return found


def open_card(ctx: Ctx, key: str) -> Card:
    """A card to write on: its board must be open."""
    found = card(ctx, key)
    open_board(ctx, found.idBoard)
    return found


def card_named(ctx: Ctx, name: str, key: str) -> Card:
    """A card to write on, that a parameter names."""
    if not is_id(key) and not is_short(key):
        raise invalid(name, "the id or short link of a card")
    return open_card(ctx, key)


def column(ctx: Ctx, key: str) -> TrelloList:
    found = ctx.require(TrelloList, key)
    board(ctx, found.idBoard)
    return found


def label(ctx: Ctx, key: str) -> Label:
    found = ctx.require(Label, key)
    board(ctx, found.idBoard)
    return found


def checklist(ctx: Ctx, key: str) -> Checklist:
    found = ctx.require(Checklist, key)
    board(ctx, found.idBoard)
    return found


def named(ctx: Ctx, cls: type[R], name: str, key: str, hint: str = "") -> R:
    """An object that a parameter names by its id."""
    if not is_id(key):
        raise invalid(name, hint)
    found = ctx.db.get(cls, key)
    if found is None:
        raise missing_object()
    return found


def ids_in(values: list[str]) -> list[str]:
    """A list of ids, each once; text with commas counts as several."""
    out = dict.fromkeys(part.strip() for value in values for part in value.split(",") if part.strip())
    if not all(map(is_id, out)):
        raise bad_object_id()
    return list(out)


def members_in(ctx: Ctx, id_board: str, values: list[str], name: str = "idMembers") -> list[str]:
    """Members for a card: they must belong to its board."""
    out = ids_in(values)
    known = {m.idMember for m in ctx.db.find(Membership, idBoard=id_board)}
    if not set(out) <= known:
        raise invalid(name, "only members of the board can be on its cards (get_board_members; add_board_member)")
    return out


def labels_in(ctx: Ctx, id_board: str, values: list[str], name: str = "idLabels") -> list[str]:
    """Labels for a card: they must be its board's."""
    out = ids_in(values)
    if out and ctx.db.count(Label, idBoard=id_board, id__in=out) != len(out):
        raise invalid(name, "only labels of the card's own board (get_board_labels)")
    return out


def place(wanted: str | float | None, taken: list[float], name: str = "pos") -> float:
    """A position among others: `top` halves the first (or goes below nought), `bottom` is a step after the last."""
    if wanted is None or wanted == "bottom":
        return float(max(taken) + STEP) if taken else float(STEP)
    if wanted == "top":
        first = min(taken, default=2.0 * STEP)
        return first / 2 if first > 1e-9 else first - STEP
    number = float(wanted)
    if not 0 <= number < 2**53:
        raise invalid(name, PLACES)
    return number


def card_places(ctx: Ctx, id_list: str, but: str = "") -> list[float]:
    return [c.pos for c in ctx.db.find(Card, idList=id_list) if c.id != but]


def clean(values: dict[str, Any]) -> dict[str, Any]:
    """Without what was not given."""
    return {name: value for name, value in values.items() if value is not None}


def admin_of(ctx: Ctx, id_board: str) -> bool:
    """Whether the token's member is an admin of the board or of the workspace."""
    own = me(ctx)
    found = ctx.db.first(Membership, idBoard=id_board, idMember=own.id)
    return own.admin or (found is not None and found.memberType == "admin")


def forbidden() -> ApiError:
    return ApiError(401, "unauthorized permission requested")


def workspace(ctx: Ctx) -> Organization | None:
    """The only workspace there is, where there is only one."""
    found = ctx.db.find(Organization, limit=2)
    return found[0] if len(found) == 1 else None


def member_types(which: str) -> list[str] | None:
    """The kinds of members that a filter lets through; None for all."""
    known: dict[str, list[str] | None] = {
        "admins": ["admin"], "owners": ["admin"], "normal": ["normal"], "none": [], "all": None, "true": None, "active": None,
    }  # fmt: skip
    if which not in known:
        raise invalid("filter", "all, admins, normal or none")
    return known[which]


def memberships(ctx: Ctx, id_board: str | None = None) -> list[Membership]:
    """Those of a board, or the token's member's own."""
    if id_board is not None:
        return ctx.db.find(Membership, idBoard=id_board)
    return ctx.db.find(Membership, idMember=ctx.ref(Person, ctx.agent))
