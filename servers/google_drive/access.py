"""The tree of files, and who may do what in it."""

import base64
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.app import DIGITS, Ctx, draw

from .app import forbidden, insufficient, not_found, over_rest
from .models import Account, Drive, File, Grantee, Permission, Person
from .words import FOLDER

RANKS = {"none": 0, "reader": 1, "commenter": 2, "writer": 3, "fileOrganizer": 4, "organizer": 5, "owner": 6}
ANYONE = ("anyoneWithLink", "anyone")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a grantee's role on a file comes from: the file or folder it was given on, and the row that says so, if one does."""

    role: str
    place: File
    row: Permission | None


@dataclass(slots=True)
class Grant:
    """What a grantee has on a file, from wherever."""

    id: str
    type: Grantee
    email: str | None = None
    domain: str | None = None
    discoverable: bool = False
    sources: list[Source] = field(default_factory=list[Source])

    @property
    def role(self) -> str:
        return max((s.role for s in self.sources), key=RANKS.__getitem__)

    def direct(self, row: File) -> Permission | None:
        """The row that gives it on the file itself."""
        return next((s.row for s in self.sources if s.row is not None and s.place.id == row.id), None)

    def inherited(self, row: File) -> str:
        """The best role that comes from above; empty where none does."""
        roles = [s.role for s in self.sources if s.place.id != row.id]
        return max(roles, key=RANKS.__getitem__) if roles else ""


def me(ctx: Ctx) -> Account:
    """The caller's account."""
    found = ctx.db.first(Account)
    if found is None:
        raise forbidden("The domain administrators have disabled Drive apps.", "domainPolicy")
    return found


def permission_id(kind: str, value: str = "", discoverable: bool = False) -> str:
    """The id that a grantee has on every file."""
    if kind == "anyone":
        return ANYONE[discoverable]
    number = int.from_bytes(draw("permission", kind if kind == "domain" else "account", value.lower()))
    digits = "".join(DIGITS[number // 10**n % 10] for n in range(20))
    return f"{digits}k" if kind == "domain" else digits


def file_id(*parts: object, length: int = 33) -> str:
    """An id of the product's form that depends on the parts alone."""
    made = base64.urlsafe_b64encode(draw(*parts, size=48)).decode()
    return f"1{made[: length - 1]}"


class Tree:
    """The files as one call sees them. Rows are read once; `everything` reads them all."""

    def __init__(self, ctx: Ctx) -> None:
        self.ctx = ctx
        self.me = me(ctx)
        self.administered = ""  # the shared drive that the caller acts on as an administrator of the domain
        self._now = ctx.timestamp("milliseconds")
        self._rows: dict[str, File | None] = {}
        self._permissions: dict[str, list[Permission]] = {}
        self._people: dict[str, Person | None] = {}
        self._drives: dict[str, Drive | None] = {}

    def everything(self) -> list[File]:
        """Every file there is, and the permissions on each."""
        rows = self.ctx.db.find(File)
        self._rows = {r.id: r for r in rows}
        self._permissions = {r.id: [] for r in rows}
        for permission in self.ctx.db.find(Permission):
            self._permissions[permission.file_id].append(permission)
        return rows

    def row(self, key: str | None) -> File | None:
        """A file by its id or alias, whoever may see it."""
        key = {"root": self.me.root, "appDataFolder": self.me.app_data, "appdata": self.me.app_data}.get(key or "", key)
        if not key:
            return None
        if key not in self._rows:
            self._rows[key] = self.ctx.db.get(File, key)
        return self._rows[key]

    def person(self, email: str) -> Person | None:
        if email not in self._people:
            found = self.ctx.db.get(Person, email)
            self._people[email] = found or next(
                (p for p in self.ctx.db.find(Person) if p.email.lower() == email.lower()), None
            )
        return self._people[email]

    def drive(self, key: str | None) -> Drive | None:
        if key and key not in self._drives:
            self._drives[key] = self.ctx.db.get(Drive, key)
        return self._drives[key] if key else None

    def chain(self, row: File) -> list[File]:
        """A file and the folders above it, nearest first."""
        found, seen = [row], {row.id}
        while (above := self.row(found[-1].parent)) is not None and above.id not in seen:
            found.append(above)
            seen.add(above.id)
        return found

    def children(self, row: File) -> list[File]:
        return self.ctx.db.find(File, parent=row.id)

    def below(self, row: File) -> list[File]:
        """Everything that lies in a folder, however deep, the folders before what they hold."""
        found, waiting = list[File](), [row]
        while waiting:
            inner = self.children(waiting.pop())
            found += inner
            waiting += [r for r in inner if r.mimeType == FOLDER]
        return found

    def trashed(self, row: File) -> bool:
        return any(r.trashed for r in self.chain(row))

    def is_root(self, row: File) -> bool:
        return row.id in (self.me.root, self.me.app_data) or row.id == row.driveId

    # Who may do what

    def given(self, row: File) -> list[Permission]:
        """What was given on a file itself and has not run out."""
        if row.id not in self._permissions:
            self._permissions[row.id] = self.ctx.db.find(Permission, file_id=row.id)
        return [p for p in self._permissions[row.id] if not p.expirationTime or p.expirationTime > self._now]

    def grants(self, row: File) -> list[Grant]:
        """Everybody who has a role on a file: who owns it, who was given one on it or on a folder above."""
        found = dict[str, Grant]()

        def add(key: str, grant: Grant, source: Source) -> None:
            found.setdefault(key, grant).sources.append(source)

        for place in self.chain(row):
            # The owner of a folder may write what lies in it; the top of My Drive is no folder that is shared.
            if place.owner and (place.id == row.id or (place.id != self.me.root and place.owner != row.owner)):
                key = permission_id("user", place.owner)
                role = "owner" if place.id == row.id else "writer"
                add(key, Grant(key, "user", place.owner), Source(role, place, None))
            for p in self.given(place):
                grant = Grant(p.id, p.type, p.emailAddress, p.domain, p.allowFileDiscovery)
                add(p.id, grant, Source(p.role, place, p))
        return list(found.values())

    def applies(self, grant: Grant | Permission) -> bool:
        """Whether a grant is the caller's too."""
        email = grant.email if isinstance(grant, Grant) else grant.emailAddress
        if grant.type == "user":
            return (email or "").lower() == self.me.email.lower()
        if grant.type == "domain":
            return (grant.domain or "").lower() == self.me.domain.lower()
        return grant.type == "anyone"

    def role(self, row: File) -> str:
        """The caller's best role on a file."""
        if row.owner == self.me.email:
            return "owner"
        if row.id == self.administered:
            return "organizer"
        return max((g.role for g in self.grants(row) if self.applies(g)), key=RANKS.__getitem__, default="none")

    def rank(self, row: File) -> int:
        return RANKS[self.role(row)]

    def in_reach(self, row: File) -> bool:
        """Whether a file is among the caller's own: owned, or shared with the caller in a way that searches find."""
        if row.owner == self.me.email:
            return True
        return any(self.applies(g) and (g.type in ("user", "group") or g.discoverable) for g in self.grants(row))

    def require(self, key: str, need: str = "reader", *, drives: bool | None = True) -> File:
        """A file that the caller may see, and has at least a role on."""
        row = self.row(key)
        if row is None or (role := self.rank(row)) == 0 or (row.driveId and over_rest(self.ctx) and not drives):
            raise not_found("File", key)
        if role < RANKS[need]:
            raise insufficient(key)
        return row

    def may_manage(self, row: File) -> bool:
        """Whether the caller may trash or move a file: its owner, or in a shared drive who organizes files."""
        role = self.role(row)
        return RANKS[role] >= RANKS["fileOrganizer"] if row.driveId else role == "owner"

    def may_share(self, row: File) -> bool:
        role = self.role(row)
        if row.driveId:
            drive = self.drive(row.driveId)
            only = drive is not None and drive.restrictions.get("sharingFoldersRequiresOrganizerPermission", False)
            if row.id == row.driveId or (row.mimeType == FOLDER and only):
                return role == "organizer"
            return RANKS[role] >= RANKS["fileOrganizer" if row.mimeType == FOLDER else "writer"]
        return role == "owner" or (role == "writer" and row.writersCanShare)

    def locked(self, row: File) -> bool:
        """Whether a file's content, name and comments must stay as they are."""
        return bool(row.contentRestriction and row.contentRestriction.get("readOnly"))


def ordered(values: Iterable[Any]) -> list[Any]:
    """The values without repetitions, in their order."""
    return list(dict.fromkeys(values))
