"""What Trello offers for tracking projects: people, projects and tasks as members, boards and cards, and back.

A project is a board with the lists To Do, In Progress, In Review and Done. Where Trello has no field, it is done as teams do it there:
a task's kind and priority are labels of the board ("Bug", "High priority"), its parent is a link to the other card among the
attachments, called "Parent". A card counts as done when it lies in Done or is ticked off; completing it does both.
"""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, ProjectTracking, Status, Task, TaskComment

from . import access
from .models import Activity, Attachment, Board, Card, Comment, Label, Member, Membership, TrelloList
from .shapes import COLORS, SITE

LISTS: dict[Status, str] = {"todo": "To Do", "in_progress": "In Progress", "in_review": "In Review", "done": "Done"}
KINDS: dict[str, tuple[str, str]] = {"bug": ("Bug", "red"), "story": ("Story", "green"), "epic": ("Epic", "purple")}
PRIORITIES: dict[str, tuple[str, str]] = {
    "highest": ("Highest priority", "red_dark"), "high": ("High priority", "orange"), "medium": ("Medium priority", "yellow"),
    "low": ("Low priority", "sky"),
}  # fmt: skip
PARENT = "Parent"
_NAMES = {label[0] for label in (*KINDS.values(), *PRIORITIES.values())}
_WORLD_DUE = "T12:00:00.000Z"


def rows(reply: Any) -> list[dict[str, Any]]:
    """A reply that is a list, which the MCP face has under `result`."""
    return reply if isinstance(reply, list) else reply["result"]


class TrelloTracking(ProjectTracking):
    """Fill, view and verbs."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        """Writes the entity with its own dates."""
        if isinstance(entity, Person):
            return self._person(ctx, entity)
        if isinstance(entity, Project):
            return self._project(ctx, entity)
        assert isinstance(entity, Task)
        return self._task(ctx, entity)

    def _person(self, ctx: Ctx, p: Person) -> str:
        initials = (p.first_name[:1] + p.last_name[:1]).upper()
        row = Member(
            id=access.new_id(ctx), username=p.handle, fullName=p.name, familyName=p.last_name, initials=initials, email=p.email,
            bio=p.title,
            active=p.active, admin=p.admin,
        )  # fmt: skip
        return ctx.db.add(row).id

    def _project(self, ctx: Ctx, p: Project) -> str:
        workspace = access.workspace(ctx)
        creator = ctx.ref(Person, p.lead or (p.members[0] if p.members else ctx.agent))
        board = ctx.db.add(
            Board(
                id=access.new_id(ctx, p.created), shortLink=access.short_link(ctx), name=p.name, desc=p.description, closed=p.archived,
                idOrganization=workspace.id if workspace else None, idMemberCreator=creator, prefs=_prefs(),
                dateLastActivity=access.millis(p.created) if p.created else None,
            )
        )  # fmt: skip
        for place, key in enumerate(p.members):
            kind = "admin" if key == p.lead else "normal"
            ctx.db.add(
                Membership(id=access.new_id(ctx), idBoard=board.id, idMember=ctx.ref(Person, key), memberType=kind, place=place)
            )  # fmt: skip
        for number, title in enumerate(LISTS.values(), start=1):
            ctx.db.add(
                TrelloList(
                    id=access.new_id(ctx, p.created), idBoard=board.id, name=title, pos=float(number * access.STEP)
                )
            )
        for title, color in (*KINDS.values(), *PRIORITIES.values()):
            ctx.db.add(Label(id=access.new_id(ctx, p.created), idBoard=board.id, name=title, color=color))
        return board.id

    def _task(self, ctx: Ctx, t: Task) -> str:
        board = ctx.require(Board, ctx.ref(Project, t.project))
        column = ctx.db.first(TrelloList, idBoard=board.id, name=LISTS[t.status])
        assert column is not None
        titles = [
            t.kind in KINDS and KINDS[t.kind][0],
            t.priority in PRIORITIES and PRIORITIES[t.priority][0],
            *t.labels,
        ]
        touched = access.millis(max([t.created or ctx.timestamp(), t.done, *(c.at for c in t.comments)]))
        card = ctx.db.add(
            Card(
                id=access.new_id(ctx, t.created), shortLink=access.short_link(ctx), idShort=t.number, idBoard=board.id, idList=column.id,
                name=t.title, desc=t.body, pos=access.place(None, access.card_places(ctx, column.id)),
                due=t.due + _WORLD_DUE if t.due else None,
                dueComplete=t.status == "done", dateCompleted=access.millis(t.done) if t.done else None,
                idMembers=[ctx.ref(Person, t.assignee)] if t.assignee else [],
                idMemberCreator=ctx.ref(Person, t.reporter) if t.reporter else None,
                idLabels=[_label(ctx, board, title) for title in titles if title],
                dateLastActivity=touched,
            )
        )  # fmt: skip
        ctx.db.update(
            board,
            last_number=max(board.last_number, t.number),
            dateLastActivity=max(board.dateLastActivity or "", touched),
        )
        if t.parent:
            parent = ctx.require(Card, ctx.ref(Task, t.parent))
            ctx.db.add(
                Attachment(
                    id=access.new_id(ctx, t.created), idCard=card.id, idMember=card.idMemberCreator or board.idMemberCreator, name=PARENT,
                    url=f"{SITE}/c/{parent.shortLink}", date=access.millis(access.born(card.id)), pos=float(access.STEP),
                )
            )  # fmt: skip
        self._made(ctx, board, card)
        for said in t.comments:
            ctx.db.add(
                Comment(
                    id=access.new_id(ctx, said.at), idCard=card.id, idBoard=board.id, idMemberCreator=ctx.ref(Person, said.author),
                    date=access.millis(said.at), text=said.body,
                )
            )  # fmt: skip
        return card.id

    def _made(self, ctx: Ctx, board: Board, card: Card) -> None:
        """The action that every card begins with; cards are made in To Do."""
        first = ctx.db.first(TrelloList, idBoard=board.id, name=LISTS["todo"])
        assert first is not None
        ctx.db.add(
            Activity(
                id=access.new_id(ctx, access.born(card.id)), type="createCard", date=access.millis(access.born(card.id)),
                idMemberCreator=card.idMemberCreator or board.idMemberCreator, idBoard=board.id, idCard=card.id, idList=first.id,
                data={
                    "card": {"id": card.id, "name": card.name, "idShort": card.idShort, "shortLink": card.shortLink},
                    "list": {"id": first.id, "name": first.name},
                    "board": {"id": board.id, "name": board.name, "shortLink": board.shortLink},
                },
            )
        )  # fmt: skip

    # View

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        """The entity that a row is the head of; archived cards are none."""
        make = {"member": self._view_person, "board": self._view_project, "card": self._view_task}.get(table)
        return make(ctx, row) if make else None

    def _view_person(self, ctx: Ctx, r: dict[str, Any]) -> Person:
        family = r["familyName"] if r["fullName"].endswith(f" {r['familyName']}") else r["fullName"].rpartition(" ")[2]
        return Person(
            id=r["id"], first_name=r["fullName"].removesuffix(family).strip(), last_name=family, email=r["email"], handle=r["username"],
            title=r["bio"], department="", admin=bool(r["admin"]), active=bool(r["active"]),
        )  # fmt: skip

    def _view_project(self, ctx: Ctx, r: dict[str, Any]) -> Project:
        members = ctx.db.find(Membership, idBoard=r["id"], order="place,id")
        lead = next((m.idMember for m in members if m.memberType == "admin"), "")
        return Project(
            id=r["id"], name=r["name"], code="", description=r["desc"], lead=lead, members=tuple(m.idMember for m in members),
            archived=bool(r["closed"]), created=access.born(r["id"]),
        )  # fmt: skip

    def _view_task(self, ctx: Ctx, r: dict[str, Any]) -> Task:
        column = ctx.db.get(TrelloList, r["idList"])
        labels = {x.id: x.name or x.color or "" for x in ctx.db.find(Label, idBoard=r["idBoard"])}
        names = [labels[key] for key in r["idLabels"] if key in labels]
        kind: Any = next((k for k, (title, _) in KINDS.items() if title in names), "task")
        priority: Any = next((k for k, (title, _) in PRIORITIES.items() if title in names), "")
        status: Any = next((s for s, title in LISTS.items() if column and column.name == title), "todo")
        said = ctx.db.find(Comment, idCard=r["id"], order="date,id")
        return Task(
            id=r["id"], project=r["idBoard"], number=r["idShort"], title=r["name"], body=r["desc"], kind=kind, priority=priority,
            status="done" if r["dueComplete"] else status,
            assignee=r["idMembers"][0] if r["idMembers"] else "", reporter=r["idMemberCreator"] or "", due=(r["due"] or "")[:10],
            labels=tuple(name for name in names if name not in _NAMES), parent=_parent(ctx, r["id"]),
            comments=tuple(TaskComment(author=c.idMemberCreator, at=_seconds(c.date), body=c.text) for c in said),
            created=access.born(r["id"]), done=_seconds(r["dateCompleted"]),
        )  # fmt: skip

    # Verbs

    def list_projects(self) -> Plan:
        found = yield call("list_member_organizations")
        for workspace in rows(found):
            yield call("get_organization_boards", id=workspace["id"])

    def list_tasks(self, project_id: str) -> Plan:
        yield call("get_board_lists", id=project_id, filter="all")
        found = rows((yield call("get_board_cards", id=project_id, filter="all", limit=50)))
        while len(found) == 50:
            first = min(card["id"] for card in found)
            found = rows((yield call("get_board_cards", id=project_id, filter="all", limit=50, before=first)))

    def get_task(self, task_id: str) -> Plan:
        yield call("get_card", id=task_id, list=True, actions="commentCard", attachments="true", checklists="all")

    def create_task(self, project_id: str, title: str, body: str = "") -> Plan:
        found = rows((yield call("get_board_lists", id=project_id)))
        column = next((row for row in found if row["name"] == LISTS["todo"]), found[0])
        yield call("create_card", idList=column["id"], name=title, **({"desc": body} if body else {}))

    def update_task(self, task_id: str, **changes: Any) -> Plan:
        names = {"title": "name", "body": "desc", "due": "due"}
        yield call("update_card", id=task_id, **{names[k]: v or None if k == "due" else v for k, v in changes.items()})

    def complete_task(self, task_id: str) -> Plan:
        card = yield call("get_card", id=task_id)
        found = rows((yield call("get_board_lists", id=card["idBoard"])))
        column = next((row for row in found if row["name"] == LISTS["done"]), found[-1])
        yield call("update_card", id=task_id, idList=column["id"], dueComplete=True)

    def list_people(self, project_id: str) -> Plan:
        yield call("get_board_members", id=project_id)

    def create_project(self, name: str, code: str) -> Plan:
        reply = yield call("create_board", name=name, permissionLevel="org", defaultLists=False)
        for title in reversed(LISTS.values()):
            yield call("create_list", idBoard=reply["id"], name=title, pos="top")

    def comment(self, task_id: str, body: str) -> Plan:
        yield call("add_comment", id=task_id, text=body)

    def assign_task(self, task_id: str, person_id: str) -> Plan:
        card = yield call("get_card", id=task_id)
        found = rows((yield call("get_board_members", id=card["idBoard"])))
        if person_id not in {person["id"] for person in found}:
            yield call("add_board_member", id=card["idBoard"], idMember=person_id)
        yield call("update_card", id=task_id, idMembers=[person_id])

    def delete_task(self, task_id: str) -> Plan:
        yield call("delete_card", id=task_id)


def _prefs() -> dict[str, Any]:
    return {
        "permissionLevel": "org", "voting": "disabled", "comments": "members", "invitations": "members", "selfJoin": True,
        "cardCovers": True,
        "cardAging": "regular", "background": "blue",
    }  # fmt: skip


def _label(ctx: Ctx, board: Board, title: str) -> str:
    """The board's label of this name, made where it has none."""
    found = ctx.db.first(Label, idBoard=board.id, name=title)
    if found is None:
        color = COLORS[ctx.db.count(Label, idBoard=board.id) % len(COLORS)]
        found = ctx.db.add(Label(id=access.new_id(ctx), idBoard=board.id, name=title, color=color))
    return found.id


def _parent(ctx: Ctx, key: str) -> str:
    """The card that the attachment called Parent leads to."""
    for link in ctx.db.find(Attachment, idCard=key, name=PARENT, order="pos,id"):
        short = link.url.removeprefix(f"{SITE}/c/").partition("/")[0]
        if found := ctx.db.first(Card, shortLink=short):
            return found.id
    return ""


def _seconds(moment: str | None) -> str:
    return (moment or "").replace(".000Z", "Z")


provides = {"project_tracking": TrelloTracking()}
