"""HTML of mailings: its text, its links, and the parts of a template that may be filled (`mc:edit`)."""

import re
from collections.abc import Mapping
from html import escape
from html.parser import HTMLParser

_BLOCKS = frozenset(
    [
        "p",
        "div",
        "br",
        "tr",
        "table",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "li",
        "ul",
        "ol",
        "blockquote",
        "section",
        "article",
        "header",
        "footer",
        "hr",
    ]
)
_HIDDEN = frozenset(("script", "style", "head", "title"))
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)


class _Reader(HTMLParser):
    """Collects the text with line breaks where blocks are, and the web links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts, self.links, self.hidden = list[str](), list[str](), 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self.hidden += 1
        if tag in _BLOCKS:
            self.parts.append("\n\n" if tag == "p" else "\n")
        for name, value in attrs:
            if tag == "a" and name == "href" and value and value.startswith(("http://", "https://")):
                self.links.append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self.hidden = max(0, self.hidden - 1)
        elif tag in _BLOCKS and tag != "br":
            self.parts.append("\n\n" if tag == "p" else "\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(re.sub(r"\s+", " ", data))


def _read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


def plain(html: str) -> str:
    """The text of a page, paragraphs apart."""
    text = re.sub(r"[ \t]*\n[ \t]*", "\n", "".join(_read(html).parts))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def links(html: str, text: str = "") -> list[str]:
    """The web addresses that a mailing links to, each once."""
    found = [*_read(html).links, *re.findall(r"https?://[^\s<>\"')\]]+", text)]
    return list(dict.fromkeys(found))


def paragraphs(text: str) -> str:
    """Plain text as HTML."""
    parts = [p for p in re.split(r"\n\s*\n", text.strip()) if p]
    return "\n".join(
        f"<p>{escape(p.strip(), quote=False)}</p>".replace("\n", "<br>\n", p.strip().count("\n")) for p in parts
    )


class _Sections(HTMLParser):
    """Finds where the insides of elements with `mc:edit` begin and end."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.lines = [0]
        for line in html.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.found = list[tuple[str, int, int]]()
        self.open = list[tuple[str, str, int]]()
        """Open elements: their tag, their section's name or nothing, where their inside begins."""

    def _place(self) -> int:
        line, column = self.getpos()
        return self.lines[min(line - 1, len(self.lines) - 1)] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            name = next((v for n, v in attrs if n == "mc:edit" and v), "") or ""
            self.open.append((tag, name, self._place() + len(self.get_starttag_text() or "")))

    def handle_endtag(self, tag: str) -> None:
        if not any(opened == tag for opened, _, _ in self.open):
            return
        while True:
            opened, name, start = self.open.pop()
            if opened == tag:
                if name:
                    self.found.append((name, start, self._place()))
                return


def _sections(html: str) -> list[tuple[str, int, int]]:
    html = html.replace("\r\n", "\n")
    reader = _Sections(html)
    reader.feed(html)
    reader.close()
    return sorted(reader.found, key=lambda s: s[1])


def sections(html: str) -> dict[str, str]:
    """The parts of a template that may be filled, with what they hold."""
    html = html.replace("\r\n", "\n")
    return {name: html[start:end] for name, start, end in _sections(html)}


def filled(html: str, values: Mapping[str, str]) -> str:
    """The template with the parts that are given in place of its own."""
    html = html.replace("\r\n", "\n")
    out, at = list[str](), 0
    for name, start, end in _sections(html):
        if name in values and start >= at:
            out += [html[at:start], values[name]]
            at = end
    return "".join([*out, html[at:]])
