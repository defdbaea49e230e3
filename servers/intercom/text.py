"""Bodies: HTML as Intercom keeps it, and the plain text it stands for."""

import re
from html import escape
from html.parser import HTMLParser

_MARKUP = re.compile(
    r"</?(?:p|br|a|b|i|u|em|strong|h[1-6]|ul|ol|li|div|span|img|code|pre|blockquote|table|tr|td|th|hr)\b[^<>]*>", re.I
)
DELETED = "<p><i>This message was deleted</i></p>"


def html(body: str) -> str:
    """HTML as it was given; plain text in paragraphs."""
    if not body or _MARKUP.search(body):
        return body
    paragraphs = body.replace("\r\n", "\n").strip("\n").split("\n\n")
    return "".join(f"<p>{escape(p, quote=False).replace(chr(10), '<br>')}</p>" for p in paragraphs)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts = list[str]()

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.parts.append("\n")
        elif tag == "li":
            self.parts.append("- ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("p", "div", "h1", "h2", "h3", "ul", "ol", "blockquote", "pre"):
            self.parts.append("\n\n")
        elif tag in ("li", "tr"):
            self.parts.append("\n")


def plain(markup: str | None) -> str:
    reader = _Text()
    reader.feed(markup or "")
    reader.close()
    return "".join(reader.parts).strip()
