"""Text as the server's JavaScript sees it: lines, white space, sizes, dates, the order of names, file URLs."""

import math
import unicodedata
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from urllib.parse import quote

BLANKS = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What `trim` and `\\s` take for white space; Python's own sets differ."""

_CHUNK = 1024


def decode(data: bytes) -> str:
    """Bytes as UTF-8, what is none of it as U+FFFD."""
    return data.decode("utf-8", "replace")


def unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def indent(line: str) -> str:
    """The white space that a line starts with."""
    return line[: len(line) - len(line.lstrip(BLANKS))]


def head(data: bytes, lines: float) -> str:
    """The first lines; none for a negative number, a broken number counts as the next whole one."""
    text = decode(data)
    found = text.split("\n")
    if not found[-1]:
        found.pop()
    return "\n".join(found[: max(0, math.ceil(lines))])


def tail(data: bytes, lines: float) -> str:
    """The last lines, where the empty one behind a final line break is a line. Read from the end in chunks, which shows for
    numbers that are negative or broken."""
    position, breaks = len(data), 0
    while position > 0 and breaks < lines:
        start = max(0, position - _CHUNK)
        breaks += data.count(b"\n", start, position)
        position = start
    found = unix_lines(decode(data[position:])).split("\n")
    return "\n".join(found[-int(lines) :])


def formatted_size(size: int) -> str:
    """A size in bytes to two decimals of its unit."""
    units = ("B", "KB", "MB", "GB", "TB")
    power = math.floor(math.log(size) / math.log(1024)) if size > 0 else 0
    if power <= 0:
        return f"{max(size, 0)} B"
    power = min(power, len(units) - 1)
    # A double is its decimal value exactly, and a tie goes up: Python's own formatting would round it to even.
    return f"{Decimal(size / 1024**power).quantize(Decimal('0.01'), ROUND_HALF_UP)} {units[power]}"


def padded(text: str, width: int) -> str:
    """The text filled up with blanks, its length counted in UTF-16 units."""
    return text + " " * (width - len(text.encode("utf-16-le")) // 2)


def shown_date(timestamp: str) -> str:
    """A date as `Date.prototype.toString` spells it in UTC."""
    return datetime.fromisoformat(timestamp).strftime("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)")


_SYMBOLS = "_-–,;:!?.'\"“”()[]{}@*/\\&#%`^+<=>|~$€"
_WEIGHT = {c: i for i, c in enumerate([" ", *_SYMBOLS, *"0123456789", *"abcdefghijklmnopqrstuvwxyz"])}


def collation(name: str) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """A key that sorts names as `localeCompare` does in English: letters first of all, then their accents, then their case."""
    letters, accents, cases = list[tuple[int, int]](), list[int](), list[int]()
    for c in unicodedata.normalize("NFKD", name):
        if unicodedata.combining(c):
            if accents:
                accents[-1] = accents[-1] * 0x110000 + ord(c)
            continue
        for low in c.casefold() if not unicodedata.category(c).startswith("C") else "":
            letters.append((_WEIGHT[low], 0) if low in _WEIGHT else (len(_WEIGHT), ord(low)))
            accents.append(0)
            cases.append(int(low != c))
    return letters, accents, cases


def file_url(path: str) -> str:
    """The `file:` URL of an absolute path."""
    return "file://" + quote(path, safe="/-_.~!$&'()*+,;=:@|")


def extension(path: str) -> str:
    """A name's extension in lower case; a name that only starts with a dot has none."""
    name = path.rsplit("/", 1)[-1]
    return name[dot:].lower() if (dot := name.rfind(".")) > 0 else ""
