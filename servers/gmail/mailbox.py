"""The mailbox: messages in and out, threads, labels, and the history of it all."""

import re
from collections.abc import Iterable
from typing import Any

from legoenv_mcp.app import HEX, URLSAFE, ApiError, Ctx, draw

from . import mime
from .app import me, refuse
from .mime import Parsed
from .models import Draft, File, Filter, History, Label, Message, MessageText, SendAs
from .search import Condition, Mailbox, label_name, text_match, translate
from .words import joined, stem, words

FIRST_HISTORY = 100_000
_FIXED = frozenset({"SENT", "DRAFT", "CHAT"})
_CATEGORY = "CATEGORY_"
_OPERATORS = re.compile(r"""["(){}]|(^|\s)([-+]\S|OR(\s|$))""")
"""What makes a filter's subject more than the phrase that it is."""


def new_id(ctx: Ctx) -> str:
    return ctx.id("19", 14, HEX, kind="message")


def message_id_header(ctx: Ctx, domain: str = "mail.gmail.com") -> str:
    return f"<CA{ctx.id('', 47, URLSAFE, kind='rfc822')}@{domain}>"


def check_id(value: str, name: str = "id") -> str:
    """An id's form: hexadecimal digits; Gmail tells a malformed one from one that is not there."""
    if not re.fullmatch(r"[0-9a-fA-F]{1,16}", value):
        raise refuse(f"Invalid {name} value")
    return value.lower()


def require_message(ctx: Ctx, message_id: str) -> Message:
    return ctx.require(Message, check_id(message_id))


def thread_messages(ctx: Ctx, thread_id: str) -> list[Message]:
    """A thread's messages, oldest first; 404 where there is none."""
    found = ctx.db.find(Message, order="date,arrival", thread_id=check_id(thread_id))
    if not found:
        raise ctx.app.not_found("Thread", thread_id)
    return found


# History


def history_id(ctx: Ctx) -> int:
    """The mailbox's latest history id."""
    row = ctx.db.query(
        "SELECT max((SELECT coalesce(max(id), 0) FROM history), (SELECT coalesce(max(history_id), 0) FROM message)) AS n"
    )
    return max(int(row[0]["n"] or 0), FIRST_HISTORY)


def record(ctx: Ctx, kind: Any, message: Message, changed: Iterable[str] = ()) -> int:
    """Writes a change into the history; returns its id."""
    number = ctx.sequence("history", start=FIRST_HISTORY + 1)
    if ctx.operation is not None:  # a mailbox's past is not part of its history
        ctx.db.add(History(
            id=number, type=kind, message_id=message.id, thread_id=message.thread_id, label_ids=message.label_ids, changed=sorted(changed),
        ))  # fmt: skip
    return number


# Messages in


def store(
    ctx: Ctx, raw: bytes, labels: Iterable[str], *, thread_id: str = "", date: int, message_id: str = ""
) -> Message:
    """Adds a message to the mailbox, in a thread or as the first of its own."""
    parsed = mime.parse(raw)
    new = message_id or new_id(ctx)
    text, page = parsed.inline("plain"), parsed.inline("html")
    body = text or (mime.html_text(page) if page else "")
    files = [
        File(part_id=p, name=n, media_type=part.get_content_type(), size=len(mime.part_bytes(part)))
        for p, n, part in parsed.files()
    ]
    message = ctx.db.add(Message(
        id=new, thread_id=thread_id or new, label_ids=sorted(set(labels)), subject=parsed.header("Subject"),
        sender=(mime.addresses(parsed.all("From")) or [""])[0], to=mime.addresses(parsed.all("To")), cc=mime.addresses(parsed.all("Cc")),
        bcc=mime.addresses(parsed.all("Bcc")), body=body, html=page, files=files, date=date, snippet=mime.snippet(body),
        size=len(raw), rfc822_id=parsed.header("Message-ID").strip().strip("<>"), in_reply_to=_first_id(parsed.header("In-Reply-To")),
        arrival=ctx.sequence("arrival"), raw=raw.decode("latin-1"),
    ))  # fmt: skip
    _index(ctx, message, parsed)
    ctx.db.update(message, history_id=record(ctx, "messageAdded", message))
    return message


def _first_id(value: str) -> str:
    found = re.search(r"<([^<>\s]+)>", value)
    return found[1] if found else ""


def _index(ctx: Ctx, message: Message, parsed: Parsed) -> None:
    """Keeps what the search looks at. In `all`, a mark keeps phrases from crossing from one field into the next."""
    fields = {
        "from": [message.sender], "to": [*message.to, *message.cc, *message.bcc], "cc": message.cc, "bcc": message.bcc,
        "subject": [message.subject], "filename": [f.name for f in message.files], "list": [parsed.header("List-ID")],
        "deliveredto": parsed.all("Delivered-To"),
    }  # fmt: skip
    split = {name: [words(t) for t in texts if t] for name, texts in fields.items()}
    everything = [w for name in ("from", "to", "subject", "filename") for w in split[name]]
    split["all"] = [*everything, words(message.body)]
    for name, pieces in split.items():
        flat = [w for piece in pieces for w in (*piece, "|")][:-1]
        if flat:
            ctx.db.add(
                MessageText(
                    message_id=message.id, field=name, words=joined(flat), stems=joined([stem(w) for w in flat])
                )
            )


# Threads


def plain_subject(subject: str) -> str:
    """A subject without the prefixes that replying and forwarding put before it, its spaces single."""
    bare = re.sub(r"^(?:\s*(?:re|fwd?|aw|wg|sv|antw)\s*(?:\[\d+\])?:)+", "", subject, flags=re.IGNORECASE)
    return " ".join(bare.split()).casefold()


def references(parsed: Parsed) -> list[str]:
    """The message ids that a message says it answers."""
    text = f"{parsed.header('References')} {parsed.header('In-Reply-To')}"
    return list(dict.fromkeys(re.findall(r"<([^<>\s]+)>", text)))


def find_thread(ctx: Ctx, raw: bytes, thread_id: str) -> str:
    """The thread that a message to be sent joins: the one it names, if its subject and its references agree with it."""
    if not thread_id:
        return ""
    if not re.fullmatch(r"[0-9a-fA-F]{1,16}", thread_id):
        raise refuse("Invalid thread_id value")
    held = thread_messages(ctx, thread_id)
    return thread_id.lower() if _agrees(held, mime.parse(raw)) else ""


def _agrees(held: list[Message], parsed: Parsed) -> bool:
    named = set(references(parsed))
    subject = plain_subject(parsed.header("Subject"))
    return any(m.rfc822_id in named for m in held if m.rfc822_id) and any(
        plain_subject(m.subject) == subject for m in held
    )


def incoming_thread(ctx: Ctx, raw: bytes) -> str:
    """The thread that a message from outside belongs to by its references and subject."""
    parsed = mime.parse(raw)
    named = references(parsed)
    if not named:
        return ""
    subject = plain_subject(parsed.header("Subject"))
    for message in ctx.db.find(Message, order="-date", rfc822_id__in=named):
        if plain_subject(message.subject) == subject:
            return message.thread_id
    return ""


# Labels


def check_labels(ctx: Ctx, label_ids: Iterable[str], fixed: frozenset[str] = _FIXED) -> list[str]:
    """Label ids that exist and may be set by hand."""
    wanted = list(dict.fromkeys(label_ids))
    for label_id in wanted:
        if label_id in fixed:
            raise refuse(f"Invalid label: {label_id}")
        if ctx.db.get(Label, label_id) is None:
            raise refuse("labelId not found" if label_id.startswith("Label_") else f"Invalid label: {label_id}")
    return wanted


def check_changes(ctx: Ctx, add: list[str], remove: list[str]) -> None:
    """What modify refuses before anything changes."""
    if not add and not remove:
        raise refuse("No label add or removes specified")
    if len(add) > 100 or len(remove) > 100:
        raise refuse("Too many label adds or removes specified")
    check_labels(ctx, [*add, *remove])
    if set(add) & set(remove):
        raise refuse("Cannot both add and remove the same label")


def relabel(ctx: Ctx, message: Message, add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
    """Changes a message's labels. Inbox, spam and trash are one place: being put in one takes it out of the others."""
    before, added = set(message.label_ids), set(add)
    after = (before | added) - set(remove)
    for place in ("TRASH", "SPAM", "INBOX"):
        if place in added:
            after -= {"TRASH", "SPAM", "INBOX"} - {place}
            break
    if new := sorted(label for label in added if label.startswith(_CATEGORY)):
        after -= {label for label in after if label.startswith(_CATEGORY)} - {new[-1]}
    if after == before:
        return
    ctx.db.update(message, label_ids=sorted(after))
    number = 0
    if more := after - before:
        number = record(ctx, "labelAdded", message, more)
    if less := before - after:
        number = record(ctx, "labelRemoved", message, less)
    ctx.db.update(message, history_id=number)


def remove(ctx: Ctx, message: Message) -> None:
    """Deletes a message for good, with the draft that it is."""
    ctx.db.delete_where(Draft, message_id=message.id)
    record(ctx, "messageDeleted", message)
    ctx.db.delete_where(MessageText, message_id=message.id)
    ctx.db.delete(message)


# Search


def own_addresses(ctx: Ctx) -> list[str]:
    return [a.sendAsEmail for a in ctx.db.find(SendAs) if a.verificationStatus != "pending"] or [me(ctx).email]


def default_sender(ctx: Ctx) -> str:
    """Whom a message is from that does not say it: the default send-as address."""
    account, row = me(ctx), ctx.db.first(SendAs, isDefault=True)
    name, address = (row.displayName or account.name, row.sendAsEmail) if row else (account.name, account.email)
    return f"{name} <{address}>" if name else address


def mailbox(ctx: Ctx) -> Mailbox:
    labels = dict[str, list[str]]()
    for label in ctx.db.find(Label):
        labels.setdefault(label_name(label.name), []).append(label.id)
    return Mailbox(own_addresses(ctx), labels, ctx.now)


def condition(
    ctx: Ctx, q: str | None, label_ids: list[str] | None, include_spam_trash: bool, drafts: bool = False
) -> Condition:
    """What list's parameters ask for, as one condition over the messages."""
    parts, boxes = list[Condition](), set[str]()
    if q and q.strip():
        query = translate(q, mailbox(ctx))
        parts.append(query.condition)
        boxes |= query.boxes
    for label_id in dict.fromkeys(label_ids or []):
        if ctx.db.get(Label, label_id) is None:
            raise refuse(f"Invalid label: {label_id}")
        boxes.add(label_id)
        parts.append(Condition("EXISTS (SELECT 1 FROM json_each(message.label_ids) WHERE value = ?)", [label_id]))
    if not include_spam_trash:
        for box in ("TRASH", "SPAM"):
            if box not in boxes:
                parts.append(
                    Condition("NOT EXISTS (SELECT 1 FROM json_each(message.label_ids) WHERE value = ?)", [box])
                )
    if drafts:
        parts.append(Condition("message.id IN (SELECT message_id FROM draft)"))
    return Condition.join("AND", parts) if parts else Condition("1")


# Messages out


def prepare(ctx: Ctx, raw: bytes, *, sending: bool) -> bytes:
    """A message as Gmail takes it from its owner: the sender's own address, a date, a message id of Gmail's own once sent."""
    parsed = mime.parse(raw)
    if not any(parsed.all(name) for name in ("To", "Cc", "Bcc")) and sending:
        raise refuse("Recipient address required")
    for name in ("To", "Cc", "Bcc"):
        if any(mime.bad_header(v) for v in parsed.all(name)):
            raise refuse(f"Invalid {name} header")
    if sending and not any(mime.addresses(parsed.all(name)) for name in ("To", "Cc", "Bcc")):
        raise refuse("Recipient address required")
    lines: dict[str, bytes] = {}
    account = me(ctx)
    given = mime.addresses(parsed.all("From"))
    own = {a.lower() for a in own_addresses(ctx)}
    if not given:
        lines["From"] = mime.address_line("From", [default_sender(ctx)])
    elif mime.bare(given[0]).lower() not in own:
        name = given[0].partition(" <")[0] if " <" in given[0] else account.name
        lines["From"] = mime.address_line("From", [f"{name} <{account.email}>" if name else account.email])
    if parsed.date is None:
        lines["Date"] = mime.header_line("Date", mime.format_datetime(ctx.now.replace(microsecond=0)))
    if sending or not parsed.header("Message-ID"):
        lines["Message-ID"] = f"Message-ID: {message_id_header(ctx)}\r\n".encode()
    if not parsed.header("MIME-Version"):
        lines["MIME-Version"] = b"MIME-Version: 1.0\r\n"
    return mime.with_headers(raw, lines)


def now_ms(ctx: Ctx) -> int:
    return int(ctx.now.timestamp() * 1000)


def send(ctx: Ctx, raw: bytes, thread_id: str = "", *, joined_thread: str = "") -> Message:
    """Sends a message: it lies in SENT, and in the inbox too where its owner is among the recipients."""
    ready = prepare(ctx, raw, sending=True)
    thread = joined_thread or find_thread(ctx, ready, thread_id)
    parsed = mime.parse(ready)
    own = {a.lower() for a in own_addresses(ctx)}
    recipients = {mime.bare(a).lower() for name in ("To", "Cc", "Bcc") for a in mime.addresses(parsed.all(name))}
    labels = ["SENT"]
    if recipients & own:
        labels += ["INBOX", "UNREAD"]
    message = store(ctx, ready, labels, thread_id=thread, date=now_ms(ctx))
    if "INBOX" in labels:
        apply_filters(ctx, message)
    return message


def save_draft(
    ctx: Ctx, raw: bytes, thread_id: str = "", *, at: str = "", labels: Iterable[str] = ("DRAFT",)
) -> Message:
    """Stores a draft's message; `at` is the thread it stays in whatever its headers say."""
    ready = prepare(ctx, raw, sending=False)
    return store(ctx, ready, labels, thread_id=at or find_thread(ctx, ready, thread_id), date=now_ms(ctx))


# Filters


def filter_condition(ctx: Ctx, criteria: dict[str, Any]) -> Condition:
    """A filter's criteria as a condition over the messages."""
    parts = list[Condition]()
    where = mailbox(ctx)
    for name in ("from", "to", "subject"):
        if text := criteria.get(name):
            if name == "subject" and not _OPERATORS.search(text):
                parts.append(text_match(name, text, False))
                continue
            try:
                parts.append(translate(f"{name}:({text})", where).condition)
            except ApiError:
                parts.append(text_match(name, text, False))
    if criteria.get("query"):
        parts.append(translate(criteria["query"], where).condition)
    if criteria.get("negatedQuery"):
        parts.append(translate(criteria["negatedQuery"], where).condition.negated())
    if criteria.get("hasAttachment"):
        parts.append(Condition("message.files <> '[]'"))
    if criteria.get("size") and criteria.get("sizeComparison") in ("larger", "smaller"):
        sign = ">" if criteria["sizeComparison"] == "larger" else "<"
        parts.append(Condition(f"message.size {sign} ?", [criteria["size"]]))
    return Condition.join("AND", parts) if parts else Condition("0")


def apply_filters(ctx: Ctx, message: Message) -> None:
    """Does with a message that has come in what the filters say. Forwarding leaves the mailbox and shows nowhere in it."""
    add, less = set[str](), set[str]()
    for rule in ctx.db.find(Filter, order="number"):
        found = filter_condition(ctx, rule.criteria)
        if ctx.db.where(Message, f"message.id = ? AND ({found.sql})", [message.id, *found.values]):
            add |= {i for i in rule.action.get("addLabelIds", []) if ctx.db.get(Label, i)}
            less |= set(rule.action.get("removeLabelIds", []))
    if add or less:
        relabel(ctx, message, add, less - add)


def mark(message_id: str) -> str:
    """A boundary's text for a message."""
    return draw("boundary", message_id, size=8).hex()
