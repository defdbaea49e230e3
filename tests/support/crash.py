"""Clients that write until the server is killed under them, and what must then be found: every write that was acknowledged, whole.

A write here is a Zendesk ticket (ticket, comment, audits) or a Slack conversation (conversation, membership), marked by its name.
"""

import hashlib
import json
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

SLUGS = ["zendesk", "slack"]
_MANY = 25
"""Writes after which an episode begins anew."""


def draw(*what: Any, below: int) -> int:
    """A number that follows from these words."""
    return int.from_bytes(hashlib.blake2b(repr(what).encode(), digest_size=8).digest()) % below


@dataclass
class Kept:
    """What a client knows of its episode: names acknowledged, and what was under way when the server died."""

    id: str = ""
    paths: dict[str, str] = field(default_factory=dict[str, str])
    acknowledged: set[str] = field(default_factory=set[str])
    under_way: str = ""
    written: int = 0


class Writer:
    """A client that writes into an episode of its own until the server is gone."""

    def __init__(self, number: int, controls: bool) -> None:
        self.number = number
        self.kept = Kept()
        self.ended = list[str]()
        """Ids of episodes whose end was acknowledged."""
        self._controls = controls
        self._made = 0

    def run(self, url: str, acknowledged: Callable[[], None]) -> None:
        with httpx.Client(base_url=url, timeout=60) as http:
            try:
                while True:
                    self._step(http)
                    acknowledged()
            except httpx.TransportError:
                return

    def _step(self, http: httpx.Client) -> None:
        kept = self.kept
        if not kept.id and self._controls:
            kept.under_way = "open"
            made = http.post("/episodes", json={"apps": SLUGS}).raise_for_status().json()
            paths = {slug: "/" + faces["rest"].split("/", 3)[3] for slug, faces in made["apps"].items()}
            self.kept = Kept(made["id"], paths)
        elif self._controls and len(kept.acknowledged) >= _MANY:
            self._begin_anew(http)
        else:
            self._write(http)
        self.kept.under_way = ""

    def _begin_anew(self, http: httpx.Client) -> None:
        kept = self.kept
        self._made += 1
        if self._made % 2:
            kept.under_way = "reset"
            http.post(f"/episodes/{kept.id}/reset").raise_for_status()
            kept.acknowledged.clear()
        else:
            kept.under_way = "end"
            http.delete(f"/episodes/{kept.id}").raise_for_status()
            self.ended.append(kept.id)
            self.kept = Kept()

    def _write(self, http: httpx.Client) -> None:
        kept = self.kept
        name = f"kept-{self.number}-{self._made}-{kept.written}"
        kept.written += 1
        kept.under_way = name
        if draw(name, below=2):
            body = {"ticket": {"subject": name, "comment": {"body": name}}}
            http.post(f"{kept.paths['zendesk']}/api/v2/tickets", json=body).raise_for_status()
        else:
            made = http.post(f"{kept.paths['slack']}/api/conversations.create", data={"name": name}, headers=SLACK)
            assert made.raise_for_status().json()["ok"], made.text
        kept.acknowledged.add(name)

    # Afterwards

    def check(self, http: httpx.Client) -> None:
        """Raises AssertionError where a write that was acknowledged is not there, or anything is that nobody asked for."""
        for one in self.ended:
            assert http.get(f"/episodes/{one}").status_code == 404, "an episode that was ended is there again"
        kept, under_way = self.kept, self.kept.under_way
        if not kept.id and self._controls:
            return
        shown = names(http, kept.paths)
        if shown is None:
            assert under_way == "end", f"the episode of client {self.number} is lost"
            self.ended.append(kept.id)
            self.kept = Kept()
            return
        wanted = kept.acknowledged
        mine = {name for name in shown if name.startswith(f"kept-{self.number}-")}
        possible = [wanted, wanted | {under_way}] if under_way.startswith("kept-") else [wanted]
        if under_way == "reset":
            possible.append(set())
        assert mine in possible, f"lost: {sorted(wanted - mine)}; strange: {sorted(mine - wanted)}; doing {under_way!r}"
        kept.acknowledged, kept.under_way = mine, ""


SLACK = {"authorization": "Bearer xoxb-1"}


def names(http: httpx.Client, paths: dict[str, str]) -> set[str] | None:
    """The names of everything in the episode; None where there is no such episode."""
    found = set[str]()
    for page in range(1, 100):
        newest = {"sort_by": "created_at", "sort_order": "desc", "per_page": 100, "page": page}
        tickets = http.get(f"{paths['zendesk']}/api/v2/tickets", params=newest)
        if tickets.status_code == 404:
            return None
        found |= {ticket["subject"] for ticket in tickets.raise_for_status().json()["tickets"]}
        if not tickets.json()["next_page"]:
            break
    listed = http.get(f"{paths['slack']}/api/conversations.list", params={"limit": 1000}, headers=SLACK)
    return found | {channel["name"] for channel in listed.raise_for_status().json()["channels"]}


def run(process: Any, writers: list[Writer], seed: str) -> int:
    """Lets the clients write, and kills the server at a point that follows from the seed. Answers how many calls were acknowledged."""
    after, count, enough = draw(seed, below=70), 0, threading.Event()
    lock = threading.Lock()

    def acknowledged() -> None:
        nonlocal count
        with lock:
            count += 1
            if count >= after:
                enough.set()

    threads = [threading.Thread(target=writer.run, args=(process.url, acknowledged)) for writer in writers]
    for thread in threads:
        thread.start()
    assert enough.wait(120), process.read_log()
    threading.Event().wait(draw(seed, "more", below=20) / 1000)
    process.stop(signal.SIGKILL)
    for thread in threads:
        thread.join(120)
    return count


def databases(folder: Path, scratch: Path) -> Iterator[tuple[str, sqlite3.Connection]]:
    """Copies of the databases below a folder, as the kill has left them."""
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(folder, scratch)
    for path in sorted(scratch.rglob("*.sqlite")):
        if (path.parent / ".clearing").exists():  # a reset that the kill has interrupted: it is finished at the start
            continue
        connection = sqlite3.connect(path)
        try:
            yield path.stem, connection
        finally:
            connection.close()


def check_whole(folder: Path, scratch: Path) -> int:
    """Raises AssertionError where anything is half there: rows without their journal entry, an entry without its rows, a ticket
    without its comment, a conversation without its member. Answers how many calls were looked at."""
    looked = 0
    for slug, db in databases(folder, scratch):
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        keys = {
            table: [row[1] for row in sorted(db.execute(f'PRAGMA table_info("{table}")'), key=lambda r: r[5]) if row[5]]
            for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        }
        entries = db.execute("SELECT arguments, touched FROM _journal ORDER BY n").fetchall()
        writes = db.execute("SELECT value FROM _meta WHERE key = 'writes'").fetchone()
        assert (writes[0] if writes else 0) == len(entries), "the clock goes with the writes"
        named = set[str]()
        for arguments, touched in entries:
            looked += 1
            assert len(json.loads(touched)) >= 2, "these writes write several rows"
            for table, key in json.loads(touched):
                where = " AND ".join(f'"{column}" = ?' for column in keys[table])
                assert db.execute(f'SELECT 1 FROM "{table}" WHERE {where}', key).fetchone(), (table, key)
            found = json.loads(arguments)
            named.add(found["ticket"]["subject"] if slug == "zendesk" else found["name"])
        marked = (
            "SELECT subject, (SELECT count(*) FROM comment WHERE ticket_id = ticket.id) FROM ticket WHERE subject LIKE 'kept-%'"
            if slug == "zendesk"
            else "SELECT name, (SELECT count(*) FROM member WHERE channel = conversation.id) FROM conversation WHERE name LIKE 'kept-%'"
        )  # fmt: skip
        rows = db.execute(marked).fetchall()
        assert {name for name, _ in rows} == named, "each row has its journal entry"
        assert all(parts for _, parts in rows), "a row has its parts"
    return looked
