"""Regular expressions that callers give: only such as take no backtracking for ever, as in the product's own engine."""

import re

_PATTERN_LIMIT = 500
_LONGEST_SEARCHED = {0: 50_000, 1: 5_000, 2: 1_000, 3: 300}
"""Letters of a text that are searched, by how many repetitions the expression has: the time grows by their power."""


def sound(wanted: str) -> bool:
    """Nested repetition can take for ever, and the product's own engine takes no back-references."""
    return len(wanted) <= _PATTERN_LIMIT and not re.search(r"[*+}][*+{]|\)[*+{]|\\\d|\(\?[=!<]", wanted)


def longest(wanted: str) -> int:
    """The letters of a text that the expression may search."""
    return _LONGEST_SEARCHED.get(len(re.findall(r"[*+{]", wanted)), 100)


def template(replacement: str) -> str:
    """A replacement in which $1 is the first group."""
    return re.sub(r"\$(\d)", r"\\g<\1>", replacement.replace("\\", "\\\\"))
