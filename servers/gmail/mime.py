"""RFC 2822 text to what Gmail shows of it, and back. Bytes are never reformatted: headers are replaced as text."""

import base64
import binascii
import email
import hashlib
import html
import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from email.header import Header, decode_header
from email.message import EmailMessage, Message
from email.policy import SMTP
from email.utils import format_datetime, getaddresses, parsedate_to_datetime
from html.parser import HTMLParser
from typing import Any

_ADDRESS = re.compile(
    r"[^\s@<>,;:\"()\[\]\\]+@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+"
)
_HEADER_LINE = re.compile(rb"[!-9;-~]+:")


def encode64(data: bytes) -> str:
    """base64url, padded, as Gmail writes it."""
    return base64.urlsafe_b64encode(data).decode()


def decode64(text: str) -> bytes | None:
    """base64 in either alphabet, padded or not; None where it is neither."""
    plain = re.sub(r"\s", "", text).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def decoded(value: str) -> str:
    """A header's value with its encoded words read and its folds undone."""
    value = re.sub(r"\r?\n[ \t]*", " ", str(value))
    if "=?" not in value:
        try:
            return value.encode("ascii", "surrogateescape").decode("utf-8", "replace")
        except UnicodeEncodeError:
            return value.encode("utf-8", "replace").decode()
    out = ""
    try:
        for part, charset in decode_header(value):
            out += part if isinstance(part, str) else _text(part, charset or "ascii")
    except (ValueError, LookupError, binascii.Error):
        return value
    return out


def _text(data: bytes, charset: str) -> str:
    try:
        return data.decode(charset)
    except (LookupError, UnicodeDecodeError):
        return data.decode("utf-8", "replace")


def addresses(values: list[str]) -> list[str]:
    """Address headers as `Name <a@b.c>` or bare addresses."""
    found = getaddresses([re.sub(r"\r?\n[ \t]*", " ", str(v)) for v in values])
    return [f"{decoded(name)} <{address}>" if name else address for name, address in found if address]


def split_address(address: str) -> tuple[str, str]:
    """`Name <a@b.c>` or a bare address as name and address; the name may hold commas."""
    bare = address.strip()
    head, angle, inner = bare[:-1].rpartition("<")
    if not angle or not bare.endswith(">") or ">" in inner:
        return "", bare
    name = head.strip()
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    return name, inner.strip()


def bare(address: str) -> str:
    """The address alone."""
    return split_address(address)[1]


def is_address(text: str) -> bool:
    return _ADDRESS.fullmatch(text) is not None


def bad_header(value: str) -> bool:
    """Whether an address header holds something that is no address."""
    value = re.sub(r"\r?\n[ \t]*", " ", value).strip()  # not decoded yet: an encoded name may hold a comma
    if not value or re.fullmatch(r"[\w\s-]+:\s*;", value):
        return False
    return any(not is_address(a) for _, a in getaddresses([value]))


@dataclass(slots=True)
class Parsed:
    """A message read. `parts`: part id and part, the root first."""

    root: Message
    parts: list[tuple[str, Message]] = field(default_factory=list[tuple[str, Message]])

    def header(self, name: str) -> str:
        value = self.root.get(name)
        return decoded(value) if value is not None else ""

    def all(self, name: str) -> list[str]:
        return [str(v) for v in self.root.get_all(name, [])]

    @property
    def date(self) -> datetime | None:
        try:
            made = parsedate_to_datetime(self.header("Date"))
        except (ValueError, TypeError, IndexError):
            return None
        return made if made.tzinfo else None

    def inline(self, subtype: str) -> str:
        """The first text part of a kind that is no attachment, with plain line ends."""
        for _, part in self.parts:
            if part.get_content_type() == f"text/{subtype}" and not is_file(part):
                return part_text(part).replace("\r\n", "\n").rstrip("\n")
        return ""

    def files(self) -> Iterator[tuple[str, str, Message]]:
        """The attachments: part id, file name, part."""
        for part_id, part in self.parts:
            if is_file(part):
                yield part_id, file_name(part), part


def parse(raw: bytes) -> Parsed:
    found = Parsed(email.message_from_bytes(raw))

    def walk(part: Message, part_id: str, depth: int) -> None:
        found.parts.append((part_id, part))
        if part.get_content_maintype() == "multipart" and isinstance(part.get_payload(), list) and depth < 50:
            for number, inner in enumerate(part.get_payload()):
                if isinstance(inner, Message):
                    walk(inner, f"{part_id}.{number}" if part_id else str(number), depth + 1)

    walk(found.root, "", 0)
    return found


def file_name(part: Message) -> str:
    if part.get_content_maintype() == "multipart":
        return ""
    try:
        name = part.get_filename()
    except (ValueError, LookupError, TypeError):
        name = None
    if name:
        return decoded(name)
    return "noname.eml" if part.get_content_type() == "message/rfc822" else ""


def is_file(part: Message) -> bool:
    kind = part.get_content_maintype()
    if kind == "multipart":
        return False
    return bool(file_name(part)) or kind != "text" or part.get_content_disposition() == "attachment"


def part_bytes(part: Message) -> bytes:
    """A part's content, its transfer encoding undone."""
    payload = part.get_payload()
    if isinstance(payload, list):
        return b"\r\n".join(p.as_bytes() for p in payload if isinstance(p, Message))
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        data = str(payload).encode("utf-8", "replace")
    return data if isinstance(data, bytes) else b""


def part_text(part: Message) -> str:
    try:
        charset = part.get_content_charset() or "utf-8"
    except (ValueError, LookupError):
        charset = "utf-8"
    return _text(part_bytes(part), charset)


def media_type(name: str) -> str:
    """A file's type by its name's ending, "" where that says nothing."""
    return mimetypes.MimeTypes().guess_type(name)[0] or ""


def attachment_id(message_id: str, part_id: str) -> str:
    """The token under which a part's bytes are fetched."""
    digest = hashlib.blake2b(f"{message_id}/{part_id}".encode(), digest_size=27).digest()
    return "ANGjdJ" + base64.urlsafe_b64encode(digest).decode()


def payload(message_id: str, parsed: Parsed) -> dict[str, Any]:
    """The message as Gmail's tree of parts."""

    def show(part: Message, part_id: str, depth: int) -> dict[str, Any]:
        out: dict[str, Any] = {
            "partId": part_id, "mimeType": part.get_content_type(), "filename": file_name(part), "headers": headers(part),
        }  # fmt: skip
        if part.get_content_maintype() == "multipart":
            inner = part.get_payload()
            parts = [p for p in inner if isinstance(p, Message)] if isinstance(inner, list) and depth < 50 else []
            out["body"] = {"size": 0}
            if parts:
                out["parts"] = [
                    show(p, f"{part_id}.{n}" if part_id else str(n), depth + 1) for n, p in enumerate(parts)
                ]
        elif is_file(part):
            out["body"] = {"attachmentId": attachment_id(message_id, part_id), "size": len(part_bytes(part))}
        else:
            data = part_text(part).encode("utf-8", "replace")
            out["body"] = {"size": len(data), **({"data": encode64(data)} if data else {})}
        return out

    return show(parsed.root, "", 0)


def headers(part: Message) -> list[dict[str, str]]:
    return [{"name": name, "value": decoded(value)} for name, value in part.items()]


class _Plain(HTMLParser):
    """The text that a page of HTML shows."""

    _BREAKS = frozenset({"br", "p", "div", "tr", "li", "h1", "h2", "h3", "h4", "table", "ul", "ol", "blockquote"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        del attrs
        self.hidden += tag in ("style", "script", "head")
        if tag in self._BREAKS:
            self.out.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("style", "script", "head"):
            self.hidden = max(0, self.hidden - 1)
        elif tag in ("p", "div", "table"):
            self.out.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.out.append(re.sub(r"\s+", " ", data))


def html_text(page: str) -> str:
    reader = _Plain()
    try:
        reader.feed(page)
        reader.close()
    except (ValueError, AssertionError):
        return re.sub(r"<[^>]*>", " ", page)
    lines = [line.strip() for line in "".join(reader.out).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def snippet(text: str) -> str:
    """The beginning of the text on one line, as HTML."""
    plain = re.sub(r"\s+", " ", text).strip()
    cut = plain if len(plain) <= 200 else plain[:200].rsplit(" ", 1)[0]
    return html.escape(cut, quote=True).replace("&#x27;", "&#39;")


# Writing


def header_line(name: str, value: str) -> bytes:
    """A header, folded, encoded where it must be; line breaks in the value cannot start another one."""
    plain = re.sub(r"[\r\n]+", " ", value)
    if plain.isascii():
        text = Header(plain, "us-ascii", maxlinelen=120, header_name=name).encode(linesep="\r\n")
    else:
        text = Header(plain, "utf-8", header_name=name).encode(linesep="\r\n")
    return f"{name}: {text}\r\n".encode("ascii", "replace")


def address_line(name: str, given: list[str]) -> bytes:
    """An address header; display names are encoded or quoted where they must be."""
    shown = list[str]()
    for one in given:
        title, address = split_address(re.sub(r"[\r\n]+", " ", one))
        if title and not title.isascii():
            title = Header(title, "utf-8").encode(linesep="")
        elif re.search(r"[^\w\s'-]", title):
            title = '"' + title.replace("\\", "\\\\").replace('"', '\\"') + '"'
        shown.append(f"{title} <{address}>" if title else address)
    return f"{name}: {(',' + chr(13) + chr(10) + ' ').join(shown)}\r\n".encode("ascii", "replace")


def with_headers(raw: bytes, lines: dict[str, bytes], drop: tuple[str, ...] = ()) -> bytes:
    """The message with these headers in place of those it had (`drop`: removed), its body untouched."""
    raw = re.sub(rb"\r?\n", b"\r\n", raw)
    head, gap, body = raw.partition(b"\r\n\r\n")
    if raw.startswith(b"\r\n"):
        head, gap, body = b"", b"\r\n\r\n", raw[2:]
    elif not _HEADER_LINE.match(head):
        head, gap, body = b"", b"\r\n\r\n", raw
    gone = {n.lower().encode() for n in (*lines, *drop)}
    kept, keep = list[bytes](), True
    for line in head.split(b"\r\n") if head else []:
        if line[:1] not in (b" ", b"\t"):
            keep = line.partition(b":")[0].strip().lower() not in gone
        if keep:
            kept.append(line + b"\r\n")
    del gap
    return b"".join([*lines.values(), *kept]) + b"\r\n" + body


@dataclass(slots=True)
class Letter:
    """A message to be written."""

    sender: str
    to: list[str] = field(default_factory=list[str])
    cc: list[str] = field(default_factory=list[str])
    bcc: list[str] = field(default_factory=list[str])
    subject: str = ""
    body: str = ""
    html: str = ""
    files: list[tuple[str, str, bytes]] = field(default_factory=list[tuple[str, str, bytes]])
    reply_to: str = ""
    references: str = ""
    message_id: str = ""
    date: datetime | None = None
    extra: dict[str, str] = field(default_factory=dict[str, str])


def write(letter: Letter, mark: str) -> bytes:
    """A letter as RFC 2822 text. `mark` makes its part boundaries, which may not be random."""
    content = EmailMessage(policy=SMTP)
    if letter.body or not letter.html:
        content.set_content(letter.body)
        if letter.html:
            content.add_alternative(letter.html, subtype="html")
    else:
        content.set_content(letter.html, subtype="html")
    for name, media_type, data in letter.files:
        kind, _, subtype = media_type.partition("/")
        if kind in ("message", "multipart") or not subtype:
            kind, subtype = "application", "octet-stream"
        content.add_attachment(data, maintype=kind, subtype=subtype, filename=name)
    for number, part in enumerate(p for p in content.walk() if p.is_multipart()):
        part.set_boundary(f"{number:012d}{mark}")
    lines: dict[str, bytes] = {name: header_line(name, value) for name, value in letter.extra.items()}
    if letter.date:
        lines["Date"] = header_line("Date", format_datetime(letter.date))
    if letter.message_id:
        lines["Message-ID"] = f"Message-ID: {letter.message_id}\r\n".encode("ascii", "replace")
    lines["From"] = address_line("From", [letter.sender])
    for name, given in (("To", letter.to), ("Cc", letter.cc), ("Bcc", letter.bcc)):
        if given:
            lines[name] = address_line(name, given)
    lines["Subject"] = header_line("Subject", letter.subject)
    if letter.reply_to:
        lines["In-Reply-To"] = f"In-Reply-To: {letter.reply_to}\r\n".encode("ascii", "replace")
    if letter.references:
        lines["References"] = f"References: {f'{chr(13) + chr(10)} '.join(letter.references.split())}\r\n".encode(
            "ascii", "replace"
        )
    return with_headers(content.as_bytes(), lines)
