"""Unified diffs as the server's `diff` library writes them: Myers' shortest edit script over lines, four lines of context."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CONTEXT = 4
MAX_EDITS = 1000
"""Beyond so many lines changed, what lies between the first and the last change is shown as replaced as a whole."""


@dataclass(slots=True)
class Run:
    """Lines that are kept (" "), removed ("-") or added ("+")."""

    sign: str
    lines: list[str]


def unified(path: str, old: str, new: str) -> str:
    """The patch from one text to the other."""
    head = [f"Index: {path}", "=" * 67, f"--- {path}\toriginal", f"+++ {path}\tmodified"]
    return "\n".join([*head, *_hunks(runs(lines_of(old), lines_of(new)))]) + "\n"


def lines_of(text: str) -> list[str]:
    """The lines, each with its line break."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def runs(old: Sequence[str], new: Sequence[str]) -> list[Run]:
    """The shortest way from one to the other, in order; among equally short ones removals come early."""
    script = _shortest(old, new)
    out, x, y = list[Run](), 0, 0

    def add(sign: str, lines: Sequence[str]) -> None:
        if out and out[-1].sign == sign:
            out[-1].lines += lines
        elif lines:
            out.append(Run(sign, list(lines)))

    for sign, count in script:
        if sign == "+":
            add(sign, new[y : y + count])
        else:
            add(sign, old[x : x + count])
        x += count if sign != "+" else 0
        y += count if sign != "-" else 0
    return out


_Step = tuple[str, int, "_Step | None"]


def _shortest(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int]]:
    """Myers' greedy search: for each number of edits, the furthest place on each diagonal (position in old less that in new)."""

    def slide(x: int, y: int, step: "_Step | None") -> "tuple[int, _Step | None]":
        start = x
        while x < len(old) and y < len(new) and old[x] == new[y]:
            x, y = x + 1, y + 1
        return x, (" ", x - start, step) if x > start else step

    x, step = slide(0, 0, None)
    if x == len(old) == len(new):
        return _unrolled(step)
    furthest: dict[int, tuple[int, _Step | None]] = {0: (x, step)}
    lowest, highest = -len(new) - 1, len(old) + 1
    for edits in range(1, min(len(old) + len(new), MAX_EDITS) + 1):
        reached: dict[int, tuple[int, _Step | None]] = {}
        for diagonal in range(max(lowest, -edits), min(highest, edits) + 1, 2):
            removal, addition = furthest.get(diagonal - 1), furthest.get(diagonal + 1)
            can_remove = removal is not None and removal[0] < len(old)
            can_add = addition is not None and 0 <= addition[0] - diagonal - 1 < len(new)
            if addition is not None and can_add and (not can_remove or removal is None or removal[0] < addition[0]):
                x, step = addition[0], ("+", 1, addition[1])
            elif removal is not None and can_remove:
                x, step = removal[0] + 1, ("-", 1, removal[1])
            else:
                continue
            x, step = slide(x, x - diagonal, step)
            if x == len(old) and x - diagonal == len(new):
                return _unrolled(step)
            reached[diagonal] = (x, step)
            if x == len(old):
                highest = min(highest, diagonal - 1)
            if x - diagonal == len(new):
                lowest = max(lowest, diagonal + 1)
        furthest = reached
    return _whole(old, new)


def _unrolled(step: "_Step | None") -> list[tuple[str, int]]:
    out = list[tuple[str, int]]()
    while step is not None:
        out.append((step[0], step[1]))
        step = step[2]
    return out[::-1]


def _whole(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int]]:
    """All lines between the first and the last difference taken out and put in."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - head) if old[-1 - i] != new[-1 - i]), shorter - head)
    return [(" ", head), ("-", len(old) - head - tail), ("+", len(new) - head - tail), (" ", tail)]


def _hunks(changes: list[Run]) -> Iterator[str]:
    """The changes with their context; runs of kept lines no longer than two contexts join the changes about them."""
    old_line = new_line = 1
    block, old_start, new_start = list[str](), 0, 0
    for index, run in enumerate(changes):
        if run.sign != " ":
            if not block:
                before = changes[index - 1].lines[-CONTEXT:] if index else []
                block = [" " + line for line in before]
                old_start, new_start = old_line - len(before), new_line - len(before)
            block += [run.sign + line for line in run.lines]
        elif block:
            last = index == len(changes) - 1
            joins = len(run.lines) <= 2 * CONTEXT and not last
            kept = run.lines if joins else run.lines[:CONTEXT]
            block += [" " + line for line in kept]
            if not joins:
                yield from _hunk(block, old_start, new_start)
                block = []
        old_line += len(run.lines) if run.sign != "+" else 0
        new_line += len(run.lines) if run.sign != "-" else 0
    if block:
        yield from _hunk(block, old_start, new_start)


def _hunk(block: list[str], old_start: int, new_start: int) -> Iterator[str]:
    removed = sum(line[0] != "+" for line in block)
    added = sum(line[0] != "-" for line in block)
    yield f"@@ -{old_start - (removed == 0)},{removed} +{new_start - (added == 0)},{added} @@"
    for line in block:
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"
