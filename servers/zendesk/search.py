"""Search: tickets, users, organizations and groups that a query means."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from legoenv_mcp.app import Ctx

from . import ids
from .models import (
    PRIORITIES,
    STATUSES,
    TYPES,
    Attachment,
    Brand,
    Comment,
    Group,
    GroupMembership,
    Identity,
    Organization,
    OrganizationMembership,
    SatisfactionRating,
    Ticket,
    User,
)
from .query import KINDS, Query, Term, compare_rank, compare_time, hits, invalid, parse

Record = Ticket | User | Organization | Group
Test = Callable[[Ctx, Term, Any], bool]


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that was found, and how well it fits."""

    kind: str
    row: Record
    score: int

    @property
    def id(self) -> int:
        return self.row.id


def find(
    ctx: Ctx, text: str, kinds: Iterable[str] = (), sort_by: str | None = None, sort_order: str | None = None
) -> list[Hit]:
    """What a query finds, in its order: as asked, else the best and then the newest first."""
    query = parse(text)
    asked = query.kinds or list(kinds) or list(KINDS)
    for term in query.filters:
        if not any(_test(kind, term.key) for kind in KINDS):
            raise invalid(f"{term.key} is not a property that can be searched")
    searched = [kind for kind in dict.fromkeys(asked) if all(_test(kind, term.key) for term in query.filters)]
    found = [hit for kind in searched for row in _rows(ctx, kind) if (hit := _hit(ctx, query, kind, row)) is not None]
    by, way = sort_by or query.sort_by or "relevance", sort_order or query.sort_order or "desc"
    found.sort(key=lambda h: (h.row.created_at, h.id), reverse=True)
    found.sort(key=lambda h: _place(h, by), reverse=way == "desc")
    return found


def _rows(ctx: Ctx, kind: str) -> list[Any]:
    if kind == "ticket":
        return ctx.db.find(Ticket, deleted=False)
    if kind == "user":
        return ctx.db.find(User, active=True)
    return ctx.db.find(Organization) if kind == "organization" else ctx.db.find(Group, deleted=False)


def _place(hit: Hit, by: str) -> Any:
    row: Any = hit.row
    if by == "relevance":
        return hit.score
    if by in ("created_at", "updated_at"):
        return getattr(row, by)
    ranks: dict[str, tuple[str, ...]] = {"priority": PRIORITIES, "status": STATUSES, "ticket_type": TYPES}
    value = getattr(row, "type" if by == "ticket_type" else by, None)
    return ranks[by].index(value) if value in ranks[by] else -1


def _hit(ctx: Ctx, query: Query, kind: str, row: Any) -> Hit | None:
    """Filters first. Of several values of one property one is enough, unless they are bounds. `*` is any value, as not `none`."""
    either = dict[str, bool]()
    for term in query.filters:
        test = _test(kind, term.key)
        assert test is not None
        anything = term.value == "*" and not term.phrase and term.operator == ":"
        held = not test(ctx, replace(term, value="none"), row) if anything else test(ctx, term, row)
        if term.negated:
            if held:
                return None
        elif term.operator == ":":
            either[term.key] = either.get(term.key, False) or held
        elif not held:
            return None
    if not all(either.values()):
        return None
    score = 0
    if query.words:
        heavy, light = _text(ctx, kind, row)
        for term in query.words:
            found = 3 * hits(term, heavy) + hits(term, light) + 100 * (not term.phrase and term.value == str(row.id))
            if bool(found) == term.negated:
                return None
            score += 0 if term.negated else found
    return Hit(kind, row, score)


def _text(ctx: Ctx, kind: str, row: Any) -> tuple[str, str]:
    """What is searched: names and subjects count for more than the rest."""
    if kind == "ticket":
        said = [c.body for c in ctx.db.find(Comment, ticket_id=row.id)]
        values = [str(v) for v in row.custom_fields.values() if v not in (None, True, False)]
        return row.subject or "", "\n".join([*said, *values, *row.tags, row.external_id or ""])
    if kind == "user":
        own = [i.value for i in ctx.db.find(Identity, user_id=row.id)]
        fields = [str(v) for v in row.user_fields.values() if v is not None]
        return row.name, "\n".join(
            [
                *own,
                row.phone or "",
                row.alias or "",
                row.notes or "",
                row.details or "",
                row.external_id or "",
                *row.tags,
                *fields,
            ]
        )
    if kind == "organization":
        return row.name, "\n".join(
            [*row.domain_names, row.notes or "", row.details or "", row.external_id or "", *row.tags]
        )
    return row.name, row.description


# Tests by property


def _same(have: Any, term: Term) -> bool:
    """Text as a property's value: none, whole words, or a beginning with a `*`."""
    if term.value.lower() == "none" and not term.phrase:
        return have in (None, "", [])
    return have not in (None, "") and hits(term, str(have)) > 0


def _attribute(name: str) -> Test:
    return lambda ctx, term, row: _same(getattr(row, name), term)


def _exact(name: str) -> Test:
    def test(ctx: Ctx, term: Term, row: Any) -> bool:
        have = getattr(row, name)
        if term.value.lower() == "none":
            return have is None
        return have is not None and str(have).lower() == term.value.lower()

    return test


def _moment(name: str) -> Test:
    def test(ctx: Ctx, term: Term, row: Any) -> bool:
        if term.value.lower() == "none" and term.operator == ":":
            return getattr(row, name) is None
        return compare_time(ctx, term, getattr(row, name))

    return test


def _ranked(name: str, ranks: tuple[str, ...]) -> Test:
    def test(ctx: Ctx, term: Term, row: Any) -> bool:
        if term.value.lower() == "none":
            return getattr(row, name) is None
        return compare_rank(term, ranks, getattr(row, name))

    return test


def _choice(name: str, choices: tuple[str, ...]) -> Test:
    def test(ctx: Ctx, term: Term, row: Any) -> bool:
        wanted = term.value.lower()
        if wanted not in (*choices, "none"):
            raise invalid(f"{term.key} must be one of {', '.join(choices)}, not {term.value}")
        return getattr(row, name) == (None if wanted == "none" else wanted)

    return test


def _flag(name: str) -> Test:
    def test(ctx: Ctx, term: Term, row: Any) -> bool:
        if term.value.lower() not in ("true", "false"):
            raise invalid(f"{term.key} must be true or false, not {term.value}")
        return getattr(row, name) == (term.value.lower() == "true")

    return test


def _tags(ctx: Ctx, term: Term, row: Any) -> bool:
    wanted = term.value.lower().split()
    if wanted == ["none"]:
        return not row.tags
    return all(
        any(t.startswith(word[:-1]) for t in row.tags) if word.endswith("*") else word in row.tags for word in wanted
    )


def _named(ctx: Ctx, term: Term, kind: type[User] | type[Group] | type[Organization], key: int | None) -> bool:
    """Whether the record behind a reference is the one that is meant: by id, address, name, `me` or `none`."""
    wanted = term.value.lower()
    if wanted == "none" or key is None:
        return wanted == "none" and key is None
    if kind is User and wanted == "me":
        return key == ids.me(ctx)
    if wanted.isascii() and wanted.isdecimal():
        return str(key) == wanted
    row = ctx.db.get(kind, key)
    if row is None:
        return False
    if isinstance(row, User) and "@" in wanted:
        return ctx.db.count(Identity, user_id=row.id, value=wanted) > 0 or row.email == wanted
    return hits(term, row.name) > 0


def _reference(name: str, kind: type[User] | type[Group] | type[Organization]) -> Test:
    return lambda ctx, term, row: _named(ctx, term, kind, getattr(row, name))


def _any_reference(
    keys: Callable[[Ctx, Any], Iterable[int]], kind: type[User] | type[Group] | type[Organization]
) -> Test:
    def test(ctx: Ctx, term: Term, row: Any) -> bool:
        named = list(keys(ctx, row)) or [None]
        return any(_named(ctx, term, kind, key) for key in named)

    return test


def _comment(ctx: Ctx, term: Term, row: Any) -> bool:
    return any(hits(term, c.body) for c in ctx.db.find(Comment, ticket_id=row.id))


def _attached(ctx: Ctx, term: Term, row: Any) -> bool:
    wanted = term.value.lower()
    if wanted not in ("true", "false"):
        raise invalid(f"has_attachment must be true or false, not {term.value}")
    found = any(ctx.db.count(Attachment, comment_id=c.id) for c in ctx.db.find(Comment, ticket_id=row.id))
    return found == (wanted == "true")


def _satisfaction(ctx: Ctx, term: Term, row: Any) -> bool:
    rating = ctx.db.first(SatisfactionRating, ticket_id=row.id, order="-id")
    score, said = (rating.score, bool(rating.comment)) if rating else ("unoffered", False)
    tests = {s: score == s for s in ("good", "bad", "offered", "unoffered")}
    tests |= {f"{s}withcomment": score == s and said for s in ("good", "bad")}
    if term.value.lower() not in tests:
        raise invalid(f"satisfaction must be one of {', '.join(tests)}, not {term.value}")
    return tests[term.value.lower()]


def _value(have: Any, term: Term) -> bool:
    if term.value.lower() == "none":
        return have in (None, "", [])
    told = [str(v).lower() if isinstance(v, bool) else str(v) for v in (have if isinstance(have, list) else [have])]
    return have not in (None, "", []) and any(t.lower() == term.value.lower() or hits(term, t) for t in told)


def _fieldvalue(ctx: Ctx, term: Term, row: Any) -> bool:
    return any(_value(v, term) for v in row.custom_fields.values())


_CHANNELS = {"mail": "email", "web_form": "web", "web form": "web", "web_service": "api", "web service": "api"}


def _via(ctx: Ctx, term: Term, row: Any) -> bool:
    return row.via == _CHANNELS.get(term.value.lower(), term.value.lower())


def _brand(ctx: Ctx, term: Term, row: Any) -> bool:
    brand = ctx.db.get(Brand, row.brand_id)
    return brand is not None and (term.value == str(brand.id) or hits(term, brand.name) > 0)


_DATES: dict[str, Test] = {
    "created": _moment("created_at"), "created_at": _moment("created_at"), "updated": _moment("updated_at"),
    "updated_at": _moment("updated_at"),
}  # fmt: skip
_SHARED: dict[str, Test] = {"tags": _tags, "notes": _attribute("notes"), "details": _attribute("details")}
_TESTS: dict[str, dict[str, Test]] = {
    "ticket": {
        **_DATES, "id": _exact("id"), "solved": _moment("solved_at"), "due_date": _moment("due_at"), "status": _ranked("status", STATUSES),
        "priority": _ranked("priority", PRIORITIES), "ticket_type": _choice("type", TYPES), "subject": _attribute("subject"),
        "description": _attribute("description"), "comment": _comment, "tags": _tags, "via": _via,
        "assignee": _reference("assignee_id", User), "requester": _reference("requester_id", User),
        "submitter": _reference("submitter_id", User), "group": _reference("group_id", Group),
        "organization": _reference("organization_id", Organization),
        "cc": _any_reference(lambda ctx, row: row.email_cc_ids, User),
        "follower": _any_reference(lambda ctx, row: row.follower_ids, User),
        "commenter": _any_reference(lambda ctx, row: {c.author_id for c in ctx.db.find(Comment, ticket_id=row.id)}, User),
        "external_id": _exact("external_id"), "fieldvalue": _fieldvalue, "has_attachment": _attached,
        "satisfaction": _satisfaction, "brand": _brand, "problem": _exact("problem_id"), "recipient": _exact("recipient"),
    },
    "user": {
        **_DATES, **_SHARED, "id": _exact("id"), "name": _attribute("name"), "email": _any_reference(lambda ctx, row: [row.id], User),
        "role": _choice("role", ("end-user", "agent", "admin")), "phone": _attribute("phone"), "external_id": _exact("external_id"),
        "is_verified": _flag("verified"), "is_suspended": _flag("suspended"), "user": _reference("id", User),
        "organization": _any_reference(
            lambda ctx, row: [m.organization_id for m in ctx.db.find(OrganizationMembership, user_id=row.id)], Organization
        ),
        "group": _any_reference(lambda ctx, row: [m.group_id for m in ctx.db.find(GroupMembership, user_id=row.id)], Group),
    },
    "organization": {
        **_DATES, **_SHARED, "id": _exact("id"), "name": _attribute("name"), "external_id": _exact("external_id"),
        "organization": _reference("id", Organization),
        "domain": lambda ctx, term, row: term.value.lower() in row.domain_names,
    },
    "group": {**_DATES, "id": _exact("id"), "name": _attribute("name"), "group": _reference("id", Group)},
}  # fmt: skip
# Properties by the names that tickets' own JSON has for them.
_ALIASES = {f"{name}_id": name for name in ("assignee", "requester", "submitter", "group", "organization", "brand")}
_TIMELESS = {"created", "created_at", "updated", "updated_at", "solved", "due_date", "status", "priority"}


def _test(kind: str, key: str) -> Test | None:
    """The test of a property of a kind of record. Only dates and ranks have bounds."""
    number = key.removeprefix("custom_field_")
    if kind == "ticket" and number != key and number.isascii() and number.isdecimal():
        field = number.lstrip("0") or "0"
        return lambda ctx, term, row: _value(row.custom_fields.get(field), term)
    test = _TESTS[kind].get(_ALIASES.get(key, key))
    if test is None:
        return None
    return test if key in _TIMELESS else _plain(test)


def _plain(test: Test) -> Test:
    def checked(ctx: Ctx, term: Term, row: Any) -> bool:
        if term.operator != ":":
            raise invalid(f"{term.key} cannot be compared with {term.operator}")
        return test(ctx, term, row)

    return checked
