"""search.*: finding messages and files. https://docs.slack.dev/reference/methods?family=search"""

import hashlib
import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, decode_cursor, encode_cursor

from .. import mrkdwn
from ..access import me, on_mcp, visible, zone
from ..app import app, err
from ..emoji import canonical
from ..file_object import file as file_json
from ..filetypes import GROUPS
from ..message_object import legible, permalink
from ..models import Conversation, File, FileShare, Member, Message, Pin, Reaction, Star, User
from ..paging import metadata
from ..query import Clause, Query, hits, in_time, parse
from ..resources import channel_name, team
from .files import readable

Count = Annotated[int, Field(ge=1, le=100)]
PageNumber = Annotated[int, Field(ge=1, le=100)]
Sort = Literal["score", "timestamp"]
Direction = Literal["asc", "desc"]


class Searcher:
    """One search: the caller, the places that are visible, what names mean."""

    def __init__(self, ctx: Ctx, text: str) -> None:
        if not text.strip():
            raise err("no_query")
        if len(text) > 4000:
            raise err("invalid_arguments", "must be less than 4001 characters [json-pointer:/query]")
        self.ctx = ctx
        self.query: Query = Query(sorted(parse(text).clauses, key=lambda c: not c.key))  # cheap tests first
        self.me = me(ctx)
        self.zone = zone(ctx)
        self.today = ctx.now.astimezone(self.zone).date()
        self.places = {c.id: c for c in ctx.db.find(Conversation) if visible(ctx, c)}
        self.members = dict[str, set[str]]()
        self.handles = {u.id: u.name for u in ctx.db.find(User)}
        self.names = {c.id: c.name for c in self.places.values()}
        self.named = dict[tuple[str, str], set[str]]()

    def people(self, value: str) -> set[str]:
        """The users that `@handle`, `<@U…>`, `me`, an id, or a name means."""
        if ("user", value) not in self.named:
            self.named["user", value] = self._people(value)
        return self.named["user", value]

    def _people(self, value: str) -> set[str]:
        if value.lower() in ("me", "@me"):
            return {self.me}
        name = re.sub(r"^<@([A-Z0-9]+)(?:\|[^>]*)?>$", r"\1", value).removeprefix("@")
        low = name.lower()
        return {
            u.id
            for u in self.ctx.db.find(User)
            if name == u.id or low in (u.name.lower(), u.display_name.lower(), u.real_name.lower(), u.email.lower())
        }

    def channels(self, value: str) -> set[str]:
        """The conversations that `#name`, `<#C…>`, an id, or a person (the direct message with them) means."""
        if ("channel", value) not in self.named:
            self.named["channel", value] = self._channels(value)
        return self.named["channel", value]

    def _channels(self, value: str) -> set[str]:
        name = re.sub(r"^<#([A-Z0-9]+)(?:\|[^>]*)?>$", r"\1", value).removeprefix("#")
        found = {c.id for c in self.places.values() if name == c.id or (c.name and c.name == name.lower())}
        people = self.people(value) if not value.startswith("#") else set[str]()
        return found | {c.id for c in self.places.values() if c.kind == "im" and people and self.party(c.id) & people}

    def party(self, channel: str) -> set[str]:
        """The others in a conversation; oneself in the notes to self."""
        if channel not in self.members:
            self.members[channel] = {m.user for m in self.ctx.db.find(Member, channel=channel)}
        return (self.members[channel] - {self.me}) or self.members[channel]

    # Messages

    def inside(self) -> set[str]:
        """The conversations that messages are looked for in: those of any `in:`, else all that the caller sees."""
        wanted = [c.value for c in self.query.clauses if c.key == "in" and not c.negated]
        return set(self.places) if not wanted else set[str]().union(*map(self.channels, wanted))

    def text(self, row: Message) -> str:
        """What a message says, as people read it."""
        said = mrkdwn.said(row.text, row.blocks, row.attachments)
        return mrkdwn.readable(said, lambda user: self.handles.get(user, ""), lambda place: self.names.get(place, ""))

    def day(self, seconds: int) -> date:
        """The day in the caller's time zone."""
        return datetime.fromtimestamp(seconds, self.zone).date()

    def message(self, row: Message, text: str) -> bool:
        return self.query.passes(lambda clause: self._message_passes(clause, row, text))

    def _message_passes(self, clause: Clause, row: Message, text: str) -> bool:
        key, value = clause.key, clause.value
        if not key:
            return hits(clause, text) > 0
        if key == "from":
            return row.user in self.people(value)
        if key == "in":
            return row.channel in self.channels(value)
        if key == "to":
            direct, to = self.places[row.channel].kind == "im", self.people(value)
            return direct and row.user not in to and bool(to & ({self.me} | self.party(row.channel)))
        if key == "with":
            return self._with(row, self.people(value))
        if key in ("has", "hasmy"):
            return self._has(row, value, only_me=key == "hasmy")
        if key == "is":
            return self._is(row, value)
        if key == "type":
            raise err("invalid_arguments", "type: is for files [json-pointer:/query]")
        return in_time(key, value, self.day(int(row.ts.partition(".")[0])), self.today)

    def _with(self, row: Message, people: set[str]) -> bool:
        """Threads and direct messages that the person takes part in."""
        if self.places[row.channel].kind in ("im", "mpim"):
            return bool(people & self.party(row.channel))
        root = row.thread_ts or row.ts
        parent = self.ctx.db.get(Message, (row.channel, root))
        authors = {m.user for m in self.ctx.db.find(Message, channel=row.channel, thread_ts=root)} | (
            {parent.user} if parent else set()
        )
        return len(authors) > 1 and bool(people & authors)

    def _has(self, row: Message, value: str, only_me: bool) -> bool:
        word, db = value.lower(), self.ctx.db
        if emoji := re.fullmatch(r":(.+):", word):
            given = {"name": canonical(emoji[1]), "user": self.me if only_me else None}
            return db.count(Reaction, channel=row.channel, ts=row.ts, **given) > 0
        if word in ("reaction", "reactions"):
            return db.count(Reaction, channel=row.channel, ts=row.ts, user=self.me if only_me else None) > 0
        if word in ("pin", "pins"):
            return db.get(Pin, (row.channel, row.ts)) is not None
        if word in ("link", "links"):
            return "<http" in row.text or "<mailto:" in row.text
        if word in ("file", "files"):
            return bool(row.files)
        if word in ("star", "stars"):
            return self._is(row, "saved")
        if word in ("mention", "mentions"):
            return "<@" in row.text or "<!" in row.text
        raise err("invalid_arguments", f"unsupported search modifier: has:{value} [json-pointer:/query]")

    def _is(self, row: Message, value: str) -> bool:
        if value.lower() in ("saved", "starred"):
            return self.ctx.db.get(Star, (self.me, row.channel, row.ts)) is not None
        if value.lower() in ("thread", "threads"):
            return row.thread_ts is not None or self.ctx.db.count(Message, channel=row.channel, thread_ts=row.ts) > 0
        if value.lower() in ("dm", "im"):
            return self.places[row.channel].kind in ("im", "mpim")
        if value.lower() == "pinned":
            return self.ctx.db.get(Pin, (row.channel, row.ts)) is not None
        raise err("invalid_arguments", f"unsupported search modifier: is:{value} [json-pointer:/query]")

    # Files

    def file(self, row: File, text: str) -> bool:
        return self.query.passes(lambda clause: self._file_passes(clause, row, text))

    def _file_passes(self, clause: Clause, row: File, text: str) -> bool:
        key, value = clause.key, clause.value
        if not key:
            return hits(clause, text) > 0
        if key == "from":
            return row.user in self.people(value)
        if key == "in":
            return bool({s.channel for s in self.ctx.db.find(FileShare, file=row.id)} & self.channels(value))
        if key == "type":
            return row.filetype in GROUPS.get(value.lower(), frozenset({value.lower()}))
        if key in ("before", "after", "on", "during"):
            return in_time(key, value, self.day(row.created), self.today)
        raise err("invalid_arguments", f"unsupported search modifier for files: {key}: [json-pointer:/query]")

    def score(self, text: str) -> int:
        return sum(hits(term, text) for term in self.query.terms())

    def marked(self, text: str) -> str:
        """The text with what was found between Slack's two private characters."""
        wanted = sorted({w for t in self.query.terms() for w in re.findall(r"[\w'’]+", t.value)}, key=len, reverse=True)
        pattern = "|".join(re.escape(w) for w in wanted)
        return re.sub(rf"\b({pattern})\b", "\ue000\\1\ue001", text, flags=re.IGNORECASE) if pattern else text


def _ordered(found: list[tuple[int, str, Any]], sort: str, direction: str) -> list[Any]:
    """By score or by time; equal scores by time, newest first."""
    newest = sorted(found, key=lambda f: f[1], reverse=direction == "desc" or sort == "score")
    if sort == "score":
        newest = sorted(newest, key=lambda f: f[0], reverse=direction == "desc")
    return [f[2] for f in newest]


def _section(rows: list[Any], count: int, page: int, show: Callable[[Any], Any], mcp: bool) -> dict[str, Any]:
    """A kind's matches with both ways in which Slack tells where in the list they are."""
    start, total = (page - 1) * count, len(rows)
    shown = rows[start : start + count]
    pages = -(-total // count)
    made: dict[str, Any] = {"total": total, "paging": {"count": count, "total": total, "page": page, "pages": pages}}
    if not mcp:
        first, last = (start + 1, start + len(shown)) if shown else (0, 0)
        made["pagination"] = {
            "total_count": total,
            "page": page,
            "per_page": count,
            "page_count": pages,
            "first": first,
            "last": last,
        }
    return made | {"matches": [show(row) for row in shown]}


def _messages(search: Searcher, sort: str, direction: str) -> list[Message]:
    rows = search.ctx.db.find(Message, channel__in=search.inside())
    found = [(r, search.text(r)) for r in rows if r.subtype != "tombstone"]
    return _ordered([(search.score(text), r.ts, r) for r, text in found if search.message(r, text)], sort, direction)


def _files(search: Searcher, sort: str, direction: str) -> list[File]:
    found = [
        (r, f"{r.title}\n{r.name}\n{'' if r.is_base64 else r.content}")
        for r in search.ctx.db.find(File, state="complete")
    ]
    seen = [(r, text) for r, text in found if readable(search.ctx, r)]
    return _ordered(
        [(search.score(text), f"{r.created:012d}{r.id}", r) for r, text in seen if search.file(r, text)],
        sort,
        direction,
    )


def _match(search: Searcher, row: Message, highlight: bool) -> dict[str, Any]:
    ctx, place = search.ctx, search.places[row.channel]
    author = ctx.db.get(User, row.user)
    text = legible(ctx, search.marked(row.text) if highlight else row.text)
    if on_mcp(ctx):
        where = {"id": place.id, "name": channel_name(ctx, place)}
        return {
            "channel": where,
            "user": row.user,
            "username": author.name if author else "",
            "ts": row.ts,
            "text": text or search.text(row),
            "permalink": permalink(ctx, row),
        }
    digest = hashlib.blake2b(f"{row.channel}{row.ts}".encode(), digest_size=16).hexdigest()
    iid = "-".join((digest[:8], digest[8:12], f"4{digest[13:16]}", f"a{digest[17:20]}", digest[20:]))
    channel = {
        "id": place.id,
        "is_channel": place.kind == "public",
        "is_group": place.kind == "private",
        "is_im": place.kind == "im",
        "is_mpim": place.kind == "mpim",
        "is_shared": False,
        "is_org_shared": False,
        "is_ext_shared": False,
        "is_private": place.kind != "public",
        "name": channel_name(ctx, place),
        "pending_shared": [],
        "is_pending_ext_shared": False,
    }
    return {
        "iid": iid,
        "team": team(ctx).id,
        "score": search.score(search.text(row)),
        "channel": channel,
        "type": "im" if place.kind == "im" else "message",
        "user": row.user,
        "username": row.username or (author.name if author else ""),
        "ts": row.ts,
        "text": text,
        "permalink": permalink(ctx, row),
        **({"blocks": row.blocks} if row.blocks else {}),
        **({"attachments": row.attachments} if row.attachments else {}),
    }


@app.get("/api/search.messages", tool="search_messages", also=("POST",))
def search_messages(
    ctx: Ctx,
    query: str,
    sort: Sort = "score",
    sort_dir: Direction = "desc",
    count: Count = 20,
    page: PageNumber = 1,
    highlight: bool = False,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Searches the messages you can see, replies included. All words must occur; quotes make a phrase, a - before a
    part excludes it. Modifiers: from:@handle or from:me, in:#channel or in:@handle (either of two such), with:@handle,
    has:link, has:file, has:pin, has:reaction, has::emoji:, is:thread, is:saved, before:, after:, on: a date, during: a
    month or year.

    query: Words and modifiers.
    sort: By how well they fit, or by time.
    sort_dir: The best or newest first, or last.
    count: How many a page.
    page: Which page, from 1.
    highlight: Whether to mark the words found.
    cursor: The next_cursor of the page before, or * for the first; in place of page.
    """
    search = Searcher(ctx, query)
    rows = _messages(search, sort, sort_dir)
    if cursor:
        page = 1 if cursor == "*" else decode_cursor(cursor, "search")
        if page < 1:
            raise err("invalid_cursor")
    body: dict[str, Any] = {
        "query": query,
        "messages": _section(rows, count, page, lambda r: _match(search, r, highlight), on_mcp(ctx)),
    }
    if cursor:
        body |= metadata(encode_cursor(page + 1, "search") if page * count < len(rows) else None)
    return body


@app.get("/api/search.files", tool="search_files", also=("POST",))
def search_files(
    ctx: Ctx,
    query: str,
    sort: Sort = "score",
    sort_dir: Direction = "desc",
    count: Count = 20,
    page: PageNumber = 1,
    highlight: bool = False,
) -> dict[str, Any]:
    """Searches the files you can see, by title, name and text. Modifiers: from:@handle, in:#channel, type:pdfs,
    before:, after:, on:, during:.

    query: Words and modifiers.
    sort: By how well they fit, or by time.
    sort_dir: The best or newest first, or last.
    count: How many a page.
    page: Which page, from 1.
    highlight: Whether to mark the words found.
    """
    search = Searcher(ctx, query)
    return {
        "query": query,
        "files": _section(_files(search, sort, sort_dir), count, page, lambda r: file_json(ctx, r), on_mcp(ctx)),
    }


@app.get("/api/search.all", tool="search_all", also=("POST",), mcp=False)
def search_all(
    ctx: Ctx,
    query: str,
    sort: Sort = "score",
    sort_dir: Direction = "desc",
    count: Count = 20,
    page: PageNumber = 1,
    highlight: bool = False,
) -> dict[str, Any]:
    """Searches messages and files at once.

    query: Words and modifiers.
    sort: By how well they fit, or by time.
    sort_dir: The best or newest first, or last.
    count: How many a page.
    page: Which page, from 1.
    highlight: Whether to mark the words found.
    """
    search, mcp = Searcher(ctx, query), on_mcp(ctx)
    both = Query([c for c in search.query.clauses if c.key in ("", "from", "in", "before", "after", "on", "during")])
    files = _files(search, sort, sort_dir) if len(both.clauses) == len(search.query.clauses) else []
    return {
        "query": query,
        "messages": _section(
            _messages(search, sort, sort_dir), count, page, lambda r: _match(search, r, highlight), mcp
        ),
        "files": _section(files, count, page, lambda r: file_json(ctx, r), mcp),
        "posts": _section([], count, page, lambda r: r, mcp),
    }
