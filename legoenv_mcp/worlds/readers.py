"""One reader a kind of file: texts of a world to canonical entities."""

import re
from typing import Any

from legoenv_mcp.capabilities import Entity, chat, crm, dev_repo, email, file_storage, payments
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.worlds import grids, office
from legoenv_mcp.worlds.parse import Block, Place, build, options, read_csv, read_text, read_toml
from legoenv_mcp.worlds.reading import Reading

_TABLES: dict[str, type[Entity]] = {
    "accounts": crm.Company, "contacts": crm.Contact, "leads": crm.Lead, "deals": crm.Deal, "activities": crm.Activity,
    "customers": payments.Customer, "products": payments.Product, "prices": payments.Price,
    "subscriptions": payments.Subscription, "payments": payments.Payment, "releases": dev_repo.Release,
    "runs": dev_repo.Run, "mail_folders": email.Folder,
}  # fmt: skip
_ADDRESS = re.compile(r"(?:[^<>@;|]+ <)?([^\s<>@;|]+@[^\s<>@;|]+\.[a-z]+)>?")
_FLAGS = frozenset({"unread", "starred", "important"})
_BOXES = frozenset({"inbox", "sent", "archive", "drafts", "trash", "spam"})


def people(reading: Reading, mailboxes: set[str]) -> dict[str, Person]:
    """Reads people.csv; the people by key. `mailboxes` are the addresses of no person."""
    reading.table("people.csv", Person)
    found = [person for _, person in reading.entities[Person] if isinstance(person, Person)]
    reading.people = {person.key: person for person in found}
    reading.own = mailboxes | {person.email for person in found}
    return reading.people


def everything(reading: Reading, agent: str) -> None:
    """Reads all but the people. `agent` is the mailbox owner's address."""
    for name, kind in _TABLES.items():
        reading.table(f"{name}.csv", kind)
    reading.table(
        "channels.csv", chat.Channel, lambda _, row: row.setdefault("name", "") if row.get("direct") else None
    )
    reading.with_lines(
        payments.Invoice, "invoices.csv", "lines", "invoice_lines.csv", payments.Line, "invoice", price=payments.Price
    )
    for file in reading.under("mail/", ".md"):
        _thread(reading, file, agent)
    for file in reading.under("chat/", ".md"):
        _channel(reading, file)
    _repositories(reading)
    _drive(reading)
    office.everything(reading)
    grids.everything(reading)


def _thread(reading: Reading, file: str, agent: str) -> None:
    front, before, blocks = read_text(file, reading.use(file), frozenset({"subject", "box", "folders"}))
    thread = file.removeprefix("mail/").removesuffix(".md")
    if before.strip() or not blocks or "subject" not in front:
        raise Place(file, 1).error("", "a thread is a subject and messages")
    ids: list[str] = []
    for block in blocks:
        given = options(block, 3, frozenset({"cc", "box", "folders", "re", "subject", "flags"}))
        number, date, addresses = block.head[:3]
        sender, _, to = addresses.partition(" -> ")
        everyone = {"sender": [sender], "to": to.split(";"), "cc": given["cc"].split(";") if "cc" in given else []}
        for name, listed in everyone.items():
            everyone[name] = [_address(block.place, name, one.strip(), reading.domain, reading.own) for one in listed]
        from_agent = _bare(sender) == agent
        answered = given.get("re", ids[-1] if ids else "none")
        values: dict[str, Any] = {
            "key": f"{thread}.{number}", "thread": thread, "date": date, "sender": sender, "to": tuple(everyone["to"]),
            "cc": tuple(everyone["cc"]), "box": given.get("box", "sent" if from_agent else front.get("box", "inbox")),
            "folders": tuple(given["folders"].split("; ")) if "folders" in given else tuple(front.get("folders", ())),
            "in_reply_to": "" if answered == "none" else f"{thread}.{answered}",
            "subject": given.get("subject", front["subject"] if answered == "none" else f"Re: {front['subject']}"),
            **_parts(block),
        }  # fmt: skip
        if values["box"] not in _BOXES:
            raise block.place.error("box", f'no such box "{values["box"]}"')
        for flag in given.get("flags", "").split(", ") if "flags" in given else ():
            if flag not in _FLAGS:
                raise block.place.error("flags", f'no such flag "{flag}"')
            values[flag] = True
        ids.append(number)
        reading.add(email.Message, block.place, values)


def _bare(address: str) -> str:
    found = _ADDRESS.fullmatch(address)
    return found[1] if found else ""


def _address(place: Place, name: str, address: str, domain: str, own: set[str]) -> str:
    bare = _bare(address)
    if not bare:
        raise place.error(name, f'"{address}" is no address')
    if bare.endswith(f"@{domain}") and bare not in own:
        raise place.error(name, f'no person "{bare}"')
    return address


def _parts(block: Block) -> dict[str, Any]:
    """A message's body, HTML and attachments."""
    pieces = re.split(r"^--- (attachment: .+|html)$", block.text, flags=re.MULTILINE)
    found: dict[str, Any] = {"body": pieces[0].strip("\n")}
    attachments: list[email.Attachment] = []
    for head, content in zip(pieces[1::2], pieces[2::2], strict=True):
        if head == "html":
            found["html"] = content.strip("\n")
            continue
        name, _, media_type = head.removeprefix("attachment: ").partition(" | ")
        attachments.append(
            email.Attachment(name=name, media_type=media_type or "text/plain", content=content.strip("\n") + "\n")
        )
    return {**found, "attachments": tuple(attachments)}


def _channel(reading: Reading, file: str) -> None:
    _, before, blocks = read_text(file, reading.use(file), None)
    if before.strip():
        raise Place(file, 1).error("", "text before the first message")
    channel = file.removeprefix("chat/").removesuffix(".md")
    for block in blocks:
        given = options(block, 3, frozenset({"thread", "reactions"}), frozenset({"pinned"}))
        number, at, author = block.head[:3]
        reactions = tuple(one.strip() for one in given["reactions"].split(";")) if "reactions" in given else ()
        for reaction in reactions:
            reading.mention(block.place, "reactions", reaction.partition(":")[2], Person)
        thread = f"{channel}.{given['thread']}" if "thread" in given else ""
        reading.add(chat.Message, block.place, {
            "key": f"{channel}.{number}", "channel": channel, "author": author, "text": block.text, "at": at,
            "thread": thread, "reactions": reactions, "pinned": "pinned" in given,
        })  # fmt: skip


def _repositories(reading: Reading) -> None:
    commits: list[tuple[Place, dict[str, Any]]] = []

    def complete(place: Place, row: dict[str, Any]) -> None:
        folder = f"repos/{row.get('key', '')}/"
        file = f"{folder}repo.toml"
        values = read_toml(file, reading.use(file), frozenset({"labels", "milestones", "commits"}))
        for name, model in (("labels", dev_repo.Label), ("milestones", dev_repo.Milestone)):
            row[name] = tuple(build(model, Place(file, 1), one, reading.clock) for one in values.get(name, ()))
        commits.extend(_commits(reading, row, folder, values.get("commits", [])))

    reading.table("repositories.csv", dev_repo.Repository, complete)
    for place, values in commits:
        reading.add(dev_repo.Commit, place, values)
    for kind, folder in ((dev_repo.Issue, "issues"), (dev_repo.PullRequest, "pulls")):
        for _, repository in list(reading.entities[dev_repo.Repository]):
            for file in reading.under(f"repos/{repository.key}/{folder}/", ".md"):
                _issue(reading, file, kind, repository)
    numbers: set[tuple[str, int]] = set()
    for place, entity in reading.entities[dev_repo.Issue] + reading.entities[dev_repo.PullRequest]:
        if isinstance(entity, dev_repo.Issue | dev_repo.PullRequest):
            if (entity.repo, entity.number) in numbers:
                raise place.error("number", f'"{entity.number}" is taken already')
            numbers.add((entity.repo, entity.number))


def _commits(
    reading: Reading, row: dict[str, Any], folder: str, listed: list[dict[str, Any]]
) -> list[tuple[Place, dict[str, Any]]]:
    """Commits with the content of their files; WorldError where `tree/` is not what the commits make."""
    file, main = f"{folder}repo.toml", row.get("default_branch", "main")
    lines = reading.texts.get(file, "").splitlines()
    starts = [number for number, line in enumerate(lines, 1) if line.strip() == "[[commits]]"]
    last: dict[str, str] = {}
    for commit in listed:
        if commit.get("branch", main) == main:
            last.update({path.removeprefix("-"): commit.get("id", "") for path in commit.get("paths", ())})
    found: list[tuple[Place, dict[str, Any]]] = []
    for line, commit in zip(starts, listed, strict=True):
        place, values = Place(file, line), dict(commit)
        number, paths, branch = values.pop("id", ""), values.pop("paths", []), values.setdefault("branch", main)
        changes: list[dev_repo.FileChange] = []
        for path in paths:
            source = f"{folder}commits/{number}/{path}"
            if path.startswith("-"):
                changes.append(dev_repo.FileChange(path=path[1:]))
                continue
            if source not in reading.texts and branch == main and last[path] == number:
                source = f"{folder}tree/{path}"
            if source not in reading.texts:
                raise place.error("paths", f'no content of "{path}" in commit {number}')
            changes.append(dev_repo.FileChange(path=path, content=reading.use(source)))
        values.update(key=f"{row.get('key', '')}.{number}", repo=row.get("key", ""), changes=tuple(changes))
        found.append((place, values))
    return found


def _issue(reading: Reading, file: str, kind: type[Entity], repository: Entity) -> None:
    elsewhere = {"key", "id", "number", "repo", "body", "comments", "reviews"}
    front, body, blocks = read_text(file, reading.use(file), frozenset(kind.model_fields) - elsewhere)
    notes: dict[str, list[Any]] = {"comments": [], "reviews": []}
    for block in blocks:
        if len(block.head) not in {2, 3} or (len(block.head) == 3 and kind is dev_repo.Issue):
            raise block.place.error("", "a comment's head is a person and a time, a review's has a verdict too")
        author, at = block.head[:2]
        reading.mention(block.place, "author", author, Person)
        values = {"author": author, "at": at, "body": block.text}
        if len(block.head) == 3:
            values["state"] = block.head[2]
            notes["reviews"].append(build(dev_repo.Review, block.place, values, reading.clock))
        else:
            notes["comments"].append(build(dev_repo.Comment, block.place, values, reading.clock))
    number = file.rpartition("/")[2].removesuffix(".md")
    place = Place(file, 1)
    if not number.isdigit():
        raise place.error("number", "the file's name is no number")
    known = {"comments": notes["comments"]} if kind is dev_repo.Issue else notes
    entity = reading.add(kind, place, {
        **front, "key": f"{repository.key}.{int(number)}", "repo": repository.key, "number": int(number), "body": body,
        **{name: tuple(items) for name, items in known.items()},
    })  # fmt: skip
    if isinstance(entity, dev_repo.Issue | dev_repo.PullRequest) and isinstance(repository, dev_repo.Repository):
        labels, milestones = {x.name for x in repository.labels}, {x.title for x in repository.milestones}
        for label in set(entity.labels) - labels:
            raise place.error("labels", f'no label "{label}"')
        if entity.milestone and entity.milestone not in milestones:
            raise place.error("milestone", f'no milestone "{entity.milestone}"')


def _drive(reading: Reading) -> None:
    """Files with their times, and the folders that hold them, outer ones first."""
    folders: dict[str, str] = {}
    listing = "files.csv"
    for place, row in read_csv(listing, reading.use(listing), frozenset({"path", "modified"})):
        path, modified = row.get("path", ""), row.get("modified", "")
        if path.endswith("/"):
            folders[path[:-1]] = max(modified, folders.get(path[:-1], ""))
        elif f"files/{path}" not in reading.texts:
            raise place.error("path", f'no file "{path}"')
        else:
            values = {"key": path, "path": path, "modified": modified, "content": reading.use(f"files/{path}")}
            reading.add(file_storage.File, place, values)
        while "/" in path.rstrip("/"):
            path = path.rstrip("/").rpartition("/")[0]
            folders[path] = max(modified, folders.get(path, ""))
    for path in sorted(folders):
        values = {"key": path, "path": path, "modified": folders[path]}
        reading.add(file_storage.Folder, Place(listing, 1), values)


__all__ = ["everything", "people"]
