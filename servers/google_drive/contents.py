"""Bytes and text: how content is kept, and what Docs editors files are made from and exported to."""

import base64
import csv
import hashlib
import html
import io
import re
import zipfile
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any, Protocol

from markdown_it import MarkdownIt

from .words import DOCUMENT, DOCX, SPREADSHEET, XLSX

MARKDOWN = ("text/markdown", "text/x-markdown")


class Held(Protocol):
    """What holds content: a file or one of its revisions."""

    content: str
    encoding: Any
    source: str


@dataclass(frozen=True, slots=True)
class Media:
    """Uploaded content, and its type where the caller told one."""

    data: bytes
    mime: str = ""


def kept(data: bytes) -> dict[str, Any]:
    """The columns that keep some bytes."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"content": base64.b64encode(data).decode(), "encoding": "base64"}
    return {"content": text, "encoding": "utf-8"}


def data_of(held: Held) -> bytes:
    return base64.b64decode(held.content) if held.encoding == "base64" else held.content.encode()


def size_of(held: Held) -> int:
    return len(data_of(held))


def checksums(data: bytes) -> dict[str, str]:
    return {
        "md5Checksum": hashlib.md5(data, usedforsecurity=False).hexdigest(),
        "sha1Checksum": hashlib.sha1(data, usedforsecurity=False).hexdigest(),
        "sha256Checksum": hashlib.sha256(data).hexdigest(),
    }


def imported(data: bytes, mime: str) -> dict[str, Any]:
    """The columns of a Docs editors file that is made from uploaded content."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    if mime == "text/html":
        return {"content": _from_html(text), "encoding": "utf-8", "source": "text/markdown"}
    if mime == "text/tab-separated-values":
        return {"content": _written(_cells(text, "\t"), ","), "encoding": "utf-8", "source": "text/csv"}
    return {"content": text, "encoding": "utf-8", "source": "text/markdown" if mime in MARKDOWN else mime}


def _from_html(text: str) -> str:
    reader = _Reader()
    try:
        reader.feed(text)
        reader.close()
    except AssertionError:  # how the parser refuses marked sections that it does not know
        return text
    return reader.text()


class _Reader(HTMLParser):
    """HTML as Markdown: headings, lists, paragraphs, emphasis, links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._out = list[str]()
        self._links = list[str]()
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "title"):
            self._silent += 1
        elif re.fullmatch("h[1-6]", tag):
            self._out.append("\n\n" + "#" * int(tag[1]) + " ")
        elif tag in ("p", "div", "ul", "ol", "table", "blockquote"):
            self._out.append("\n\n")
        elif tag in ("br", "tr"):
            self._out.append("\n")
        elif tag == "li":
            self._out.append("\n- ")
        elif tag in ("b", "strong"):
            self._out.append("**")
        elif tag in ("i", "em"):
            self._out.append("*")
        elif tag == "a":
            self._links.append(dict(attrs).get("href") or "")
            self._out.append("[")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style", "title"):
            self._silent = max(0, self._silent - 1)
        elif tag in ("b", "strong"):
            self._out.append("**")
        elif tag in ("i", "em"):
            self._out.append("*")
        elif tag == "a" and self._links:
            self._out.append(f"]({self._links.pop()})")
        elif tag in ("td", "th"):
            self._out.append("\t")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._out.append(re.sub(r"\s+", " ", data))

    def text(self) -> str:
        lines = [line.strip() for line in "".join(self._out).split("\n")]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def plain(held: Held) -> str:
    """A document's text without its Markdown."""
    if held.source != "text/markdown":
        return held.content
    out = list[str]()
    for token in MarkdownIt("commonmark").enable("table").parse(held.content):
        if token.type == "inline":
            out.append("".join(_spoken(child) for child in token.children or []))
        elif token.type == "list_item_open":
            out.append(f"{token.info}. " if token.info else "* ")
        elif token.type in ("paragraph_close", "heading_close", "tr_close"):
            out.append("\n")
        elif token.type in ("td_close", "th_close"):
            out.append("\t")
        elif token.type in ("fence", "code_block"):
            out.append(token.content)
    return "".join(out)


def _spoken(token: Any) -> str:
    return "\n" if token.type in ("softbreak", "hardbreak") else token.content if token.type != "html_inline" else ""


def _page(held: Held, name: str) -> str:
    """A document as an HTML page."""
    if held.source == "text/markdown":
        body = MarkdownIt("commonmark", {"html": False}).enable("table").render(held.content)
    else:
        body = "".join(f"<p>{html.escape(line)}</p>" for line in held.content.splitlines())
    return f'<html><head><meta charset="UTF-8"><title>{html.escape(name)}</title></head><body>{body}</body></html>'


def rows(held: Held) -> list[list[str]]:
    """A spreadsheet's cells."""
    return _cells(held.content, ",")


def _cells(text: str, delimiter: str) -> list[list[str]]:
    lines = io.StringIO(text.replace("\0", ""), newline="").readlines()
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:  # a cell too large for the reader
        return [[line.rstrip("\r\n")] for line in lines]


def _written(table: list[list[str]], delimiter: str) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows(table)
    return out.getvalue().removesuffix("\r\n")


def exported(kind: str, held: Held, name: str, mime: str) -> bytes:
    """A Docs editors file in another format; the caller has made sure that there is one."""
    if mime == "application/pdf":
        return _pdf(plain(held) if kind == DOCUMENT else held.content)
    if kind == SPREADSHEET:
        table = rows(held)
        if mime == XLSX:
            return _xlsx(table)
        return _written(table, "\t" if mime == "text/tab-separated-values" else ",").encode()
    if mime == DOCX:
        return _docx(plain(held))
    if mime == "text/html":
        return _page(held, name).encode()
    if mime == "application/zip":
        return _zip({f"{re.sub(r'[^A-Za-z0-9]', '', name) or 'document'}.html": _page(held, name)})
    if mime in MARKDOWN:
        return held.content.encode()
    return ("\ufeff" + plain(held).replace("\n", "\r\n")).encode()


def _zip(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text.encode("utf-8", "replace"))
    return out.getvalue()


_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _escaped(text: str) -> str:
    return html.escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", text), quote=False)


def _office(part: str, kind: str, more: dict[str, str], types: dict[str, str]) -> bytes:
    """An Office package: its main part, and what a reader needs to find it."""
    overrides = "".join(f'<Override PartName="/{n}" ContentType="{t}"/>' for n, t in types.items())
    return _zip({
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
        "_rels/.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/{kind}" Target="{part}"/></Relationships>',
        **more,
    })  # fmt: skip


def _docx(text: str) -> bytes:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(
        f'<w:p><w:r><w:t xml:space="preserve">{_escaped(line)}</w:t></w:r></w:p>' for line in text.split("\n")
    )
    main = f'{_XML}<w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>'
    return _office(
        "word/document.xml", "officeDocument", {"word/document.xml": main}, {"word/document.xml": f"{DOCX}.main+xml"}
    )


def _xlsx(table: list[list[str]]) -> bytes:
    sheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    lines = "".join(
        "<row>"
        + "".join(f'<c t="inlineStr"><is><t xml:space="preserve">{_escaped(v)}</t></is></c>' for v in row)
        + "</row>"
        for row in table
    )
    parts = {
        "xl/workbook.xml": f'{_XML}<workbook xmlns="{sheet}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'{_XML}<worksheet xmlns="{sheet}"><sheetData>{lines}</sheetData></worksheet>',
    }  # fmt: skip
    base = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = {"xl/workbook.xml": f"{base}.sheet.main+xml", "xl/worksheets/sheet1.xml": f"{base}.worksheet+xml"}
    return _office("xl/workbook.xml", "officeDocument", parts, types)


def _literal(line: str) -> str:
    return re.sub(r"([()\\])", r"\\\1", re.sub(r"[\x00-\x1f]", " ", line))


def _pdf(text: str) -> bytes:
    """The text, 50 lines a page, in a font that every reader has."""
    lines = [
        line[i : i + 95] for line in text.replace("\t", "    ").split("\n") for i in range(0, max(len(line), 1), 95)
    ]
    pages = [lines[i : i + 50] for i in range(0, len(lines), 50)]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{4 + 2 * n} 0 R' for n in range(len(pages)))}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for n, page in enumerate(pages):
        shown = "".join(f"({_literal(line)}) Tj T*\n" for line in page)
        stream = f"BT /F1 10 Tf 50 760 Td 14 TL\n{shown}ET".encode("cp1252", "replace")
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>"
            % (5 + 2 * n),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    out, places = b"%PDF-1.4\n", list[int]()
    for n, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (n, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return out + head + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
