"""Trello's search language over cards: parsed by a grammar, then put to each card."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from legoenv_mcp.app import ApiError, Ctx

from . import access
from .models import Attachment, Board, BoardStar, Card, CheckItem, Checklist, Comment, Label, Member, TrelloList

_DAYS = {"day": 1, "week": 7, "month": 28}
_MOST_TERMS = 100
_ALIASES = {"desc": "description", "comments": "comment", "members": "member"}


def unsupported(text: str, known: Iterable[str] = ()) -> ApiError:
    """The refusal of a query. Agents are told what an operator takes."""
    said = f"invalid value for query: {text[:100]}"
    return ApiError(400, said, shown=f"{said} (it takes {', '.join(known)})") if known else ApiError(400, said)


@dataclass(frozen=True)
class Term:
    """One condition: an operator (`text` for plain words) and its value. `phrase`: the words must follow each other."""

    operator: str
    value: str
    negated: bool = False
    phrase: bool = False


@dataclass
class Query:
    """A search read. `sort` is empty for the order by last activity."""

    terms: list[Term] = field(default_factory=list[Term])
    sort: str = ""
    reverse: bool = False

    @property
    def empty(self) -> bool:
        """Whether it asks for nothing."""
        return not self.terms and not self.sort

    @property
    def words_only(self) -> bool:
        """Whether it can be put to things that are no cards."""
        return bool(self.terms) and all(term.operator == "text" for term in self.terms)


@cache
def _parser() -> Lark:
    return Lark(Path(__file__).with_name("search.lark").read_text(encoding="utf-8"), parser="lalr", lexer="contextual")


def read(text: str) -> Query:
    """The query as terms; operators' values are checked here."""
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        place = error.pos_in_stream or 0
        raise unsupported(text[max(0, place - 40) :] or text) from None
    found = Query()
    for node in tree.children:
        assert isinstance(node, Tree)
        _take(found, node)
    if len(found.terms) > _MOST_TERMS:
        raise unsupported(f"more than {_MOST_TERMS} terms")
    return found


def _take(found: Query, node: Tree[Token]) -> None:
    negated = isinstance(node.children[0], Token)
    atom = node.children[-1]
    assert isinstance(atom, Tree)
    raw = str(atom.children[-1])
    value = raw.strip('"') if raw.startswith('"') else raw
    kind = str(atom.data)
    if kind == "operator":
        kind = str(atom.children[0]).rstrip(":").lower()
        kind = _ALIASES.get(kind, kind)
    if kind == "sort":
        if value.lower() not in ("created", "edited", "due"):
            raise unsupported(f"sort:{value}", ("created", "edited", "due"))
        found.sort, found.reverse = value.lower(), negated
        return
    if kind in ("due", "created", "edited", "is", "has"):
        value = value.lower()
        _check(kind, value)
    if kind != "text" or words(value):  # signs alone are not looked for
        found.terms.append(Term(kind, value, negated, raw.startswith('"')))


def _check(kind: str, value: str) -> None:
    known = {
        "is": {"open", "archived", "starred"}, "has": {"attachments", "description", "cover", "members", "checklists", "labels", "due"},
        "due": {*_DAYS, "overdue", "complete", "incomplete"}, "created": set(_DAYS), "edited": set(_DAYS),
    }  # fmt: skip
    number = kind in ("due", "created", "edited") and re.fullmatch(r"\d{1,5}", value)
    if value not in known[kind] and not number:
        numbers = ["a number of days"] if kind in ("due", "created", "edited") else []
        raise unsupported(f"{kind}:{value}", [*sorted(known[kind]), *numbers])


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def contains(text: str, wanted: str, *, phrase: bool, partial: bool) -> bool:
    """Whether the wanted words are in a text, whole; with `partial` it is enough that words begin with them."""
    have, want = words(text), words(wanted)
    if not want:
        return True

    def fits(word: str, other: str) -> bool:
        return word.startswith(other) if partial else word == other

    if phrase or len(want) > 1:
        size = len(want)
        return any(all(map(fits, have[n : n + size], want)) for n in range(len(have) - size + 1))
    return any(fits(word, want[0]) for word in have)


@dataclass
class Subject:
    """A card, with what a search may ask of its surroundings."""

    ctx: Ctx
    card: Card
    board: Board
    column: TrelloList

    @cached_property
    def comments(self) -> str:
        return "\n".join(c.text for c in self.ctx.db.find(Comment, idCard=self.card.id))

    @cached_property
    def checklists(self) -> str:
        rows = self.ctx.db.find(Checklist, idCard=self.card.id)
        items = self.ctx.db.find(CheckItem, idChecklist__in=[r.id for r in rows])
        return "\n".join([*(r.name for r in rows), *(i.name for i in items)])

    @cached_property
    def labels(self) -> list[Label]:
        return self.ctx.db.find(Label, id__in=self.card.idLabels)

    @property
    def archived(self) -> bool:
        return self.card.closed or self.column.closed

    def text(self) -> str:
        return "\n".join([self.card.name, self.card.desc, self.comments, self.checklists])


def _ago(moment: str, value: str, now: datetime) -> bool:
    days = _DAYS.get(value) or int(value)
    return Ctx.parse_time(moment) >= now - timedelta(days=days)


def _due(subject: Subject, value: str, partial: bool) -> bool:
    card, now = subject.card, subject.ctx.now
    if value in ("complete", "incomplete"):
        return card.due is not None and card.dueComplete == (value == "complete")
    if card.due is None:
        return False
    due = Ctx.parse_time(card.due)
    if value == "overdue":
        return due < now and not card.dueComplete
    return now <= due <= now + timedelta(days=_DAYS.get(value) or int(value))


def _is(subject: Subject, value: str, partial: bool) -> bool:
    if value == "starred":
        return subject.ctx.db.first(BoardStar, idBoard=subject.board.id) is not None
    return subject.archived == (value == "archived")


def _has(subject: Subject, value: str, partial: bool) -> bool:
    card = subject.card
    if value == "attachments":
        return subject.ctx.db.first(Attachment, idCard=card.id) is not None
    if value == "checklists":
        return subject.ctx.db.first(Checklist, idCard=card.id) is not None
    return bool(
        {
            "description": card.desc,
            "cover": card.cover,
            "members": card.idMembers,
            "labels": card.idLabels,
            "due": card.due,
        }[value]
    )


def _member(subject: Subject, value: str, partial: bool) -> bool:
    name = value.removeprefix("@").casefold()
    if name == "me":
        return access.me(subject.ctx).id in subject.card.idMembers
    people = subject.ctx.db.find(Member, id__in=subject.card.idMembers)
    return any(
        name in (p.id, p.username.casefold()) or contains(p.fullName, name, phrase=True, partial=partial)
        for p in people
    )


def _label(subject: Subject, value: str, partial: bool) -> bool:
    wanted = value.casefold()
    return any(
        wanted in (x.id, (x.color or "").casefold())
        or (x.name and contains(x.name, value, phrase=True, partial=partial))
        for x in subject.labels
    )


def _board(subject: Subject, value: str, partial: bool) -> bool:
    board = subject.board
    return value in (board.id, board.shortLink) or contains(board.name, value, phrase=True, partial=partial)


_TESTS: dict[str, Callable[[Subject, str, bool], bool]] = {
    "due": _due, "is": _is, "has": _has, "member": _member, "label": _label, "board": _board,
    "created": lambda s, value, partial: _ago(access.born(s.card.id), value, s.ctx.now),
    "edited": lambda s, value, partial: _ago(s.card.dateLastActivity, value, s.ctx.now),
    "list": lambda s, value, partial: contains(s.column.name, value, phrase=True, partial=partial),
    "name": lambda s, value, partial: contains(s.card.name, value, phrase=True, partial=partial),
    "description": lambda s, value, partial: contains(s.card.desc, value, phrase=True, partial=partial),
    "comment": lambda s, value, partial: contains(s.comments, value, phrase=True, partial=partial),
    "checklist": lambda s, value, partial: contains(s.checklists, value, phrase=True, partial=partial),
}  # fmt: skip


def find(ctx: Ctx, query: Query, cards: Sequence[Card], partial: bool) -> list[Card]:
    """The cards for which every term holds, in the order asked for: the newest date first, `-sort:` the oldest."""
    if query.empty:
        return []
    boards = {b.id: b for b in ctx.db.find(Board)}
    columns = {c.id: c for c in ctx.db.find(TrelloList)}

    def holds(subject: Subject, term: Term) -> bool:
        if term.operator == "text":
            return contains(subject.text(), term.value, phrase=term.phrase, partial=partial)
        return _TESTS[term.operator](subject, term.value, partial)

    found = list[Card]()
    for card in cards:
        subject = Subject(ctx, card, boards[card.idBoard], columns[card.idList])
        if all(holds(subject, term) != term.negated for term in query.terms):
            found.append(card)
    keys: dict[str, Callable[[Card], Any]] = {
        "": lambda c: (c.dateLastActivity, c.id), "edited": lambda c: (c.dateLastActivity, c.id), "created": lambda c: c.id,
        "due": lambda c: (c.due or "", c.id),
    }  # fmt: skip
    return sorted(found, key=keys[query.sort], reverse=not query.reverse)
