"""Comments' text as HTML and back."""

from html import escape, unescape
from html.parser import HTMLParser


def html(body: str) -> str:
    """Plain text as Zendesk shows it."""
    paragraphs = [p for p in body.split("\n\n") if p.strip()]
    inner = "\n\n".join(
        f'<p dir="auto">{escape(p, quote=False).replace(chr(10), chr(10) + "<br>")}</p>' for p in paragraphs
    )
    return f'<div class="zd-comment" dir="auto">{inner}</div>'


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts = list[str]()

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("p", "div", "li"):
            self.parts.append("\n\n")


def plain(markup: str) -> str:
    """HTML as plain text."""
    reader = _Text()
    reader.feed(markup)
    reader.close()
    return unescape("".join(reader.parts)).strip()
