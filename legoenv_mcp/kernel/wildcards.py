"""Texts with wildcards, matched in time that grows with the text and not with what the wildcards could all stand for."""

import re


def wildcard(pattern: str, *, many: str = "*", one: str = "", of: str = ".", flags: int = 0) -> re.Pattern[str]:
    """A regular expression for `fullmatch`: `many` stands for any number of characters (`of` says of which class), `one` for one.

    Between two wildcards the first place that fits is as good as any later one, so it is never looked for again: without that,
    twenty wildcards on a text of a hundred characters take for ever.
    """
    parts = ["".join(of if c == one else re.escape(c) for c in part) for part in pattern.split(many)]
    if len(parts) == 1:
        return re.compile(parts[0], flags)
    head, *middle, tail = parts
    return re.compile(head + "".join(f"(?>{of}*?{part})" for part in middle if part) + f"{of}*{tail}", flags)
