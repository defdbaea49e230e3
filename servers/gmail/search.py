"""The `q` parameter: Gmail's search language, parsed by a grammar and translated to SQL over the messages.

https://support.google.com/mail/answer/7190
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token
from lark.exceptions import LarkError, UnexpectedInput

from legoenv_mcp.app import ApiError

from .words import around, joined, stem, words

FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any]]] = {"gm_around": (5, around)}
PST = timezone(timedelta(hours=-8))
"""Dates in a query are midnights in PST, whatever the mailbox's own zone (the API's guide says so)."""

_MOST_TERMS, _DEEPEST, _AROUND_COST = 300, 50, 10
_BOXES = {
    "inbox": "INBOX", "sent": "SENT", "draft": "DRAFT", "drafts": "DRAFT", "trash": "TRASH", "bin": "TRASH", "spam": "SPAM",
    "starred": "STARRED", "unread": "UNREAD", "important": "IMPORTANT", "chat": "CHAT", "chats": "CHAT",
}  # fmt: skip
_NEVER = frozenset({"muted", "snoozed", "scheduled", "outbox"})
_CATEGORIES = {"social": "SOCIAL", "promotions": "PROMOTIONS", "updates": "UPDATES", "forums": "FORUMS"}
_LINKS = {
    "drive": ("drive google com", "docs google com"), "document": ("docs google com document",),
    "spreadsheet": ("docs google com spreadsheets",), "presentation": ("docs google com presentation",),
    "youtube": ("youtube com", "youtu be"),
}  # fmt: skip
_STARS = frozenset(
    {f"{c}-star" for c in ("orange", "red", "purple", "blue", "green")}
    | {"red-bang", "orange-guillemet", "yellow-bang", "green-check", "blue-info", "purple-question"}
)
_UNITS = {"": 1, "k": 1024, "kb": 1024, "m": 1024**2, "mb": 1024**2, "g": 1024**3}


@dataclass(slots=True)
class Condition:
    """An SQL condition over `message` and its values."""

    sql: str
    values: list[Any] = field(default_factory=list[Any])

    @staticmethod
    def join(word: str, parts: "list[Condition]") -> "Condition":
        if len(parts) == 1:
            return parts[0]
        return Condition("(" + f" {word} ".join(p.sql for p in parts) + ")", [v for p in parts for v in p.values])

    def negated(self) -> "Condition":
        return Condition(f"NOT {self.sql}", self.values)


@dataclass(slots=True)
class Query:
    """A translated query. `boxes`: which of TRASH and SPAM it asks for itself (both, where it says in:anywhere)."""

    condition: Condition
    boxes: set[str]


@dataclass(slots=True)
class Mailbox:
    """What a query's words mean in this mailbox: own addresses, label ids by searchable name (several may share one), the time."""

    own: list[str]
    labels: Mapping[str, list[str]]
    now: datetime


def label_name(name: str) -> str:
    """A label's name as `label:` spells it."""
    return re.sub(r"[\s/&()|]+", "-", name.strip().casefold())


class _Lenient:
    """The search box closes what is left open, and passes over what closes nothing and an OR with nothing on one side."""

    always_accept = ()
    _PAIRS: Mapping[str, str] = {"LPAR": "RPAR", "LBRACE": "RBRACE"}

    def process(self, stream: Iterable[Token]) -> Iterator[Token]:
        out, open_ = list[Token](), list[str]()

        def close() -> None:
            kind = open_.pop()
            while out and out[-1].type == "_OR":
                out.pop()
            out.append(Token(kind, ")" if kind == "RPAR" else "}"))

        for token in stream:
            if token.type in self._PAIRS:
                open_.append(self._PAIRS[token.type])
            elif token.type in self._PAIRS.values():
                if open_ and open_[-1] == token.type:
                    close()
                continue
            elif token.type == "_OR" and (not out or out[-1].type in ("_OR", *self._PAIRS)):
                continue
            out.append(token)
        while open_:
            close()
        while out and out[-1].type == "_OR":
            out.pop()
        return iter(out)


@cache
def _parser() -> Lark:
    grammar = (Path(__file__).parent / "search.lark").read_text(encoding="utf-8")
    return Lark(grammar, start="query", parser="lalr", lexer="basic", postlex=_Lenient())


def bad(text: str) -> ApiError:
    return ApiError(400, f"Invalid search query: {text}")


def translate(text: str, mailbox: Mailbox) -> Query:
    """A query as an SQL condition. A 400 names what cannot be understood."""
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        token = getattr(error, "token", None)
        ended = token is not None and token.type == "$END"
        at = error.pos_in_stream or 0
        rest = "its end" if ended else f"'{text[at : at + 20]}'"
        raise bad(f"cannot be read at {rest}") from None
    except LarkError as error:
        raise bad(str(error).splitlines()[0]) from None
    if not tree.children:
        return Query(Condition("1"), set())
    walker = _Walker(mailbox)
    return Query(walker.visit(tree.children[0], "", True, 0), walker.boxes)


def text_match(where: str, phrase: str, exact: bool) -> Condition:
    """Whether a field holds the words next to each other."""
    found = words(phrase)
    if not found:
        return Condition("1")
    column = "words" if exact else "stems"
    sought = joined(found if exact else [stem(w) for w in found])
    # A list of ids rather than a correlated EXISTS: SQLite makes it once a term, not once a term and message.
    return Condition(
        f"message.id IN (SELECT t.message_id FROM message_text t WHERE t.field = ? AND instr(t.{column}, ?) > 0)",
        [where or "all", sought],
    )


def labelled(*label_ids: str) -> Condition:
    """Whether a message has one of the labels."""
    marks = ", ".join("?" * len(label_ids))
    return Condition(f"EXISTS (SELECT 1 FROM json_each(message.label_ids) WHERE value IN ({marks}))", list(label_ids))


class _Walker:
    """Walks a parsed query; `inside` is the field whose value is being read."""

    def __init__(self, mailbox: Mailbox) -> None:
        self.mailbox = mailbox
        self.boxes = set[str]()
        self.terms = 0

    def visit(self, tree: Any, inside: str, positive: bool, depth: int) -> Condition:
        if depth > _DEEPEST:
            raise bad(f"nested deeper than {_DEEPEST} levels")
        rule, parts = str(tree.data), tree.children
        if rule in ("conjunction", "disjunction", "any_of"):
            if rule == "any_of":  # {a b}: any of the terms that a space would join
                parts = parts[0].children
            done = [self.visit(p, inside, positive, depth + 1) for p in parts]
            return Condition.join("AND" if rule == "conjunction" else "OR", done)
        if rule == "negation":
            return self.visit(parts[0], inside, not positive, depth + 1).negated()
        self.terms += _AROUND_COST if rule == "around" else rule != "field"
        if self.terms > _MOST_TERMS:
            raise bad(f"more than {_MOST_TERMS} terms")
        if rule == "field":
            name = str(parts[0])[:-1].lower()
            if inside:
                raise bad(f"{name}: inside {inside}: is not supported")
            return self.visit(parts[1], name, positive, depth + 1)
        if rule == "around":
            return self._around(parts, inside)
        token = str(parts[0])
        quoted = token.startswith('"')
        value = token.strip('"') if quoted else token
        if inside:
            return self._field(inside, value, quoted or rule == "exact", positive)
        ordered = re.fullmatch(r"(.+?)\s+AROUND\s*\(?(\d+)\)?\s+(.+)", value) if quoted else None
        if ordered:
            return self._near(ordered[1], ordered[3], int(ordered[2]), True)
        return text_match("", value, quoted or rule == "exact")

    def _around(self, parts: list[Any], inside: str) -> Condition:
        first, distance, second = parts
        if inside or any(str(p.data) not in ("word", "phrase", "exact") for p in (first, second)):
            raise bad("AROUND stands between two words or phrases")
        number = re.search(r"\d+", str(distance))
        return self._near(str(first.children[0]), str(second.children[0]), int(number[0]) if number else 0, False)

    @staticmethod
    def _near(first: str, second: str, distance: int, ordered: bool) -> Condition:
        return Condition(
            "message.id IN (SELECT t.message_id FROM message_text t WHERE t.field = 'all' AND gm_around(t.words, ?, ?, ?, ?))",
            [" ".join(words(first)), " ".join(words(second)), distance, int(ordered)],
        )

    def _field(self, name: str, value: str, exact: bool, positive: bool) -> Condition:
        plain = value.strip().casefold()
        if name in ("from", "to", "cc", "bcc", "deliveredto") and plain == "me":
            return Condition.join("OR", [text_match(name, own, True) for own in self.mailbox.own])
        if name in ("from", "to", "cc", "bcc", "subject", "filename", "list", "deliveredto"):
            return text_match(name, value, exact)
        if name in ("in", "is", "label"):
            return self._place(name, plain, positive)
        if name == "rfc822msgid":
            return Condition("message.rfc822_id = ?", [value.strip().strip("<>")])
        if name == "has":
            return self._has(plain)
        if name == "category":
            return self._category(plain)
        if name in ("size", "larger", "smaller"):
            found = re.fullmatch(r"(\d{1,12})(kb?|mb?|g)?", plain)
            if not found:
                raise bad(f"{name}:{value} is not a size")
            return Condition(
                f"message.size {'<' if name == 'smaller' else '>'} ?", [int(found[1]) * _UNITS[found[2] or ""]]
            )
        return self._time(name, plain)

    def _place(self, name: str, value: str, positive: bool) -> Condition:
        if value in ("anywhere", "all") and name == "in":
            if positive and value == "anywhere":
                self.boxes |= {"TRASH", "SPAM"}
            return Condition("1")
        if value == "read" and name != "label":
            return labelled("UNREAD").negated()
        if value in ("archive", "archived") and name != "label":
            return labelled("INBOX", "SENT", "DRAFT", "TRASH", "SPAM").negated()
        if value in _NEVER and name != "label":
            return Condition("0")
        labels = self.mailbox.labels.get(label_name(value), []) or [_BOXES[v] for v in (value,) if v in _BOXES]
        if not labels:
            if name == "is":
                raise bad(f"is:{value} is not supported")
            return Condition("0")
        if positive:
            self.boxes |= {"TRASH", "SPAM"} & set(labels)
        return labelled(*labels)

    def _has(self, value: str) -> Condition:
        if value == "attachment":
            return Condition("message.files <> '[]'")
        if value in ("userlabels", "nouserlabels"):
            found = Condition(
                "EXISTS (SELECT 1 FROM json_each(message.label_ids) WHERE value LIKE 'Label\\_%' ESCAPE '\\')"
            )
            return found if value == "userlabels" else found.negated()
        if value == "yellow-star":
            return labelled("STARRED")
        if value in _STARS:
            return Condition("0")
        if value in _LINKS:
            return Condition.join("OR", [text_match("", link, True) for link in _LINKS[value]])
        raise bad(f"has:{value} is not supported")

    @staticmethod
    def _category(value: str) -> Condition:
        if value in ("primary", "personal"):
            others = [f"CATEGORY_{c}" for c in _CATEGORIES.values()]
            inbox = Condition.join("AND", [labelled("INBOX"), labelled(*others).negated()])
            return Condition.join("OR", [labelled("CATEGORY_PERSONAL"), inbox])
        if value in ("reservations", "purchases"):
            return Condition("0")
        if value not in _CATEGORIES:
            raise bad(f"category:{value} is not a category")
        return labelled(f"CATEGORY_{_CATEGORIES[value]}")

    def _time(self, name: str, value: str) -> Condition:
        after = name in ("after", "newer", "newer_than")
        if name in ("older_than", "newer_than"):
            found = re.fullmatch(r"(\d{1,5})([hdmy])", value)
            if not found:
                raise bad(f"{name}:{value} is not an age such as 2d, 3m or 1y")
            moment = _ago(self.mailbox.now, int(found[1]), found[2])
        else:
            moment = _date(value)
            if moment is None:
                raise bad(f"{name}:{value} is not a date such as 2026/02/27 or seconds since 1970")
        return Condition(f"message.date {'>=' if after else '<'} ?", [int(moment.timestamp() * 1000)])


def _ago(now: datetime, number: int, unit: str) -> datetime:
    try:
        if unit in "hd":
            return now - timedelta(hours=number * (1 if unit == "h" else 24))
        months = now.year * 12 + now.month - 1 - number * (12 if unit == "y" else 1)
        year, month = divmod(months, 12)
        for day in (now.day, 30, 29, 28):
            try:
                return now.replace(year=year, month=month + 1, day=min(day, now.day))
            except ValueError:
                if year < 1:
                    raise
    except (ValueError, OverflowError):
        pass
    return datetime(1, 1, 2, tzinfo=UTC)


def _date(value: str) -> datetime | None:
    if re.fullmatch(r"\d{9,11}", value):
        return datetime.fromtimestamp(int(value), UTC)
    parts = value.replace("-", "/").replace(".", "/").split("/")
    if not all(re.fullmatch(r"\d{1,4}", p) for p in parts) or len(parts) > 3:
        return None
    numbers = [int(p) for p in parts]
    if len(parts) == 3 and len(parts[2]) == 4:
        numbers = [numbers[2], numbers[0], numbers[1]]
    elif len(parts[0]) != 4:
        return None
    year, month, day = (*numbers, 1, 1)[:3]
    try:
        return datetime(year, month, day, tzinfo=PST)
    except ValueError:
        return None
