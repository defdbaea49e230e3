"""Edits of a text: each replaces one stretch, found exactly or, failing that, by its lines without their indentation."""

from .text import BLANKS, indent, unix_lines


class NotFound(LookupError):
    """The text to replace is not there."""


def apply(text: str, old: str, new: str) -> str:
    """The text with the first place where `old` stands replaced by `new`."""
    wanted, replacement = unix_lines(old), unix_lines(new)
    if wanted in text:
        return text.replace(wanted, replacement, 1)
    lines, wanted_lines = text.split("\n"), wanted.split("\n")
    bare, bare_wanted = [line.strip(BLANKS) for line in lines], [line.strip(BLANKS) for line in wanted_lines]
    count = len(wanted_lines)
    for at in range(len(lines) - count + 1):
        if bare[at : at + count] == bare_wanted:
            lines[at : at + count] = _indented(replacement.split("\n"), wanted_lines, indent(lines[at]))
            return "\n".join(lines)
    raise NotFound(f"Could not find exact match for edit:\n{old}")


def _indented(new: list[str], old: list[str], base: str) -> list[str]:
    """The new lines behind the indentation found; where a line and the old one at its place were both indented, as far in as
    the one is beyond the other."""
    out = [base + new[0].lstrip(BLANKS)]
    for at, line in enumerate(new[1:], 1):
        was, now = indent(old[at]) if at < len(old) else "", indent(line)
        out.append(base + " " * (len(now) - len(was)) + line.lstrip(BLANKS) if was and now else line)
    return out
