"""Gmail as an e-mail app: fill, view, verbs."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, email

from . import mailbox, mime
from .app import me
from .models import Draft, Label, Message
from .resources import raw_bytes

_BOXES = {
    "inbox": ["INBOX"],
    "sent": ["SENT"],
    "archive": [],
    "drafts": ["DRAFT"],
    "trash": ["TRASH"],
    "spam": ["SPAM"],
}


class GmailEmail(email.Email):
    """One mailbox: a Folder is a label of the owner's, a Message is a message."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, email.Folder):
            number = ctx.sequence("label")
            return ctx.db.add(Label(id=f"Label_{number}", name=entity.name, number=100 + number)).id
        if isinstance(entity, email.Message):
            return self._fill_message(ctx, entity)
        raise TypeError(f"Gmail has no {type(entity).__name__}")

    def _fill_message(self, ctx: Ctx, entity: email.Message) -> str:
        date = datetime.fromisoformat(entity.date).astimezone(UTC)
        sender = mime.bare(entity.sender)
        letter = mime.Letter(
            entity.sender, list(entity.to), list(entity.cc), list(entity.bcc), subject=entity.subject, body=entity.body,
            html=entity.html, date=date,
            files=[(a.name, a.media_type, a.content.encode()) for a in entity.attachments],
            message_id=mailbox.message_id_header(ctx, sender.rpartition("@")[2] or "mail.gmail.com"),
        )  # fmt: skip
        own = me(ctx).email
        if sender.lower() != own.lower():
            letter.extra["Delivered-To"] = own
        parent = ctx.db.get(Message, ctx.ref(email.Message, entity.in_reply_to)) if entity.in_reply_to else None
        if parent is not None:
            named = mailbox.references(mime.parse(raw_bytes(parent)))
            letter.reply_to = f"<{parent.rfc822_id}>"
            letter.references = " ".join(
                f"<{i}>" for i in [*(i for i in named if i != parent.rfc822_id), parent.rfc822_id]
            )
        thread = self._thread(ctx, entity, parent)
        new = "" if ctx.db.get(Message, thread) else thread
        message = mailbox.store(
            ctx, mime.write(letter, mailbox.mark(entity.key)), self._labels(ctx, entity), thread_id=thread, message_id=new,
            date=int(date.timestamp() * 1000),
        )  # fmt: skip
        if entity.box == "drafts":
            ctx.db.add(Draft(id=f"r{ctx.integer('draft', -(2**63), 2**63 - 1)}", message_id=message.id))
        return message.id

    @staticmethod
    def _thread(ctx: Ctx, entity: email.Message, parent: Message | None) -> str:
        """The conversation of a message. As in Gmail another subject starts another one, whatever the world's file holds together.

        A thread's id is that of its first message, so the world's name of a thread (and a further subject in it) makes both.
        """
        subject = mailbox.plain_subject(entity.subject)
        if parent is not None and mailbox.plain_subject(parent.subject) == subject:
            return parent.thread_id

        def named(*parts: str) -> str:
            return "19" + hashlib.blake2b("\n".join(parts).encode(), digest_size=7).hexdigest()

        first = ctx.db.get(Message, named(entity.thread))
        own = first is None or mailbox.plain_subject(first.subject) == subject
        return named(entity.thread) if own else named(entity.thread, subject)

    @staticmethod
    def _labels(ctx: Ctx, entity: email.Message) -> list[str]:
        labels = list(_BOXES[entity.box])
        flags = {"UNREAD": entity.unread, "STARRED": entity.starred, "IMPORTANT": entity.important}
        labels += [name for name, on in flags.items() if on]
        for folder in entity.folders:
            if ctx.has_ref(email.Folder, folder):
                labels.append(ctx.ref(email.Folder, folder))
            elif label := ctx.db.first(Label, name=folder):
                labels.append(label.id)
        return labels

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "label":
            return email.Folder(id=row["id"], name=row["name"]) if row["type"] == "user" else None
        if table != "message":
            return None
        labels = set(row["label_ids"])
        parsed = mime.parse(row["raw"].encode("latin-1"))
        parent = ctx.db.first(Message, rfc822_id=row["in_reply_to"]) if row["in_reply_to"] else None
        names = [label.name for label in ctx.db.find(Label, order="number", type="user") if label.id in labels]
        return email.Message(
            id=row["id"], thread=row["thread_id"], subject=row["subject"], sender=row["sender"], to=tuple(row["to"]), cc=tuple(row["cc"]),
            bcc=tuple(row["bcc"]), date=datetime.fromtimestamp(row["date"] // 1000, UTC).isoformat().replace("+00:00", "Z"),
            body=parsed.inline("plain") or row["body"], html=row["html"], box=_box(labels), folders=tuple(names),
            unread="UNREAD" in labels, starred="STARRED" in labels, important="IMPORTANT" in labels,
            in_reply_to=parent.id if parent else "",
            attachments=tuple(
                email.Attachment(name=name, media_type=part.get_content_type(), content=mime.part_bytes(part).decode("utf-8", "replace"))
                for _, name, part in parsed.files()
            ),
        )  # fmt: skip

    def search_messages(self, text: str) -> Plan:
        yield call("list_messages", q=text)

    def get_message(self, message_id: str) -> Plan:
        yield call("get_message", id=message_id)

    def send_message(self, to: str, subject: str, body: str) -> Plan:
        yield call("send_message", to=to, subject=subject, body=body)

    def reply(self, message_id: str, body: str) -> Plan:
        yield call("reply_to_message", messageId=message_id, body=body)

    def save_draft(self, to: str, subject: str, body: str) -> Plan:
        yield call("create_draft", to=to, subject=subject, body=body)

    def file_message(self, message_id: str, folder: str) -> Plan:
        """Gmail's "move to": the label, and out of the inbox."""
        found = yield call("list_labels")
        label = next((one["id"] for one in found["labels"] if one["name"].casefold() == folder.casefold()), "")
        if not label:
            made = yield call("create_label", name=folder)
            label = made["id"]
        yield call("modify_message", id=message_id, addLabelIds=[label], removeLabelIds=["INBOX"])

    def list_folders(self) -> Plan:
        yield call("list_labels")

    def mark_read(self, message_id: str) -> Plan:
        yield call("modify_message", id=message_id, removeLabelIds=["UNREAD"])

    def delete_message(self, message_id: str) -> Plan:
        yield call("trash_message", id=message_id)


def _box(labels: set[str]) -> str:
    """Where a message lies. One that its owner sent to himself is in the inbox as well as sent: sent is what it is."""
    for label, box in (("TRASH", "trash"), ("SPAM", "spam"), ("DRAFT", "drafts"), ("SENT", "sent"), ("INBOX", "inbox")):
        if label in labels:
            return box
    return "archive"


provides = {"email": GmailEmail()}
