"""Three-way merges, of text by lines and of trees by path, as git does them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from legoenv_mcp.app import Ctx

from . import git
from .models import Blob, Repository


def merge_lines(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str] | None:
    """The lines both sides make of the base; None where their changes touch the same or neighbouring lines differently."""
    left, right = _edits(base, ours), _edits(base, theirs)
    out, position, i, j = list[str](), 0, 0, 0
    while i < len(left) or j < len(right):
        group_left, group_right = list[_Edit](), list[_Edit]()
        start = min(e.start for e in (left[i : i + 1] + right[j : j + 1]))
        end, grew = start, True
        while grew:  # edits that overlap or touch belong to one region
            grew = False
            while i < len(left) and left[i].start <= end:
                group_left.append(left[i])
                end, i, grew = max(end, left[i].end), i + 1, True
            while j < len(right) and right[j].start <= end:
                group_right.append(right[j])
                end, j, grew = max(end, right[j].end), j + 1, True
        out += base[position:start]
        mine, yours = _apply(base, group_left, start, end), _apply(base, group_right, start, end)
        if not group_right or mine == yours:
            out += mine
        elif not group_left:
            out += yours
        else:
            return None
        position = end
    return [*out, *base[position:]]


@dataclass(frozen=True, slots=True)
class _Edit:
    """Base lines start..end become `lines`."""

    start: int
    end: int
    lines: list[str]


def _edits(base: Sequence[str], side: Sequence[str]) -> list[_Edit]:
    codes = SequenceMatcher(None, base, side, autojunk=False).get_opcodes()
    return [_Edit(a, b, list(side[c:d])) for tag, a, b, c, d in codes if tag != "equal"]


def _apply(base: Sequence[str], edits: list[_Edit], start: int, end: int) -> list[str]:
    out, position = list[str](), start
    for edit in edits:
        out += [*base[position : edit.start], *edit.lines]
        position = edit.end
    return [*out, *base[position:end]]


@dataclass(slots=True)
class Merge:
    """A merge tried: what changes on our side's tree, and the paths that conflict. `texts` are blobs still to be stored."""

    changes: dict[str, tuple[str, str] | None] = field(default_factory=dict[str, tuple[str, str] | None])
    texts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    conflicts: list[str] = field(default_factory=list[str])

    def write(self, ctx: Ctx, repo: Repository, ours: str) -> str:
        """The merged tree."""
        for path, content in self.texts.items():
            mode = (self.changes.get(path) or (git.FILE, ""))[0]
            self.changes[path] = (mode, git.put_blob(ctx, repo, content))
        return git.write_tree(ctx, repo, ours, self.changes)


def merge_trees(ctx: Ctx, repo: Repository, base: str, ours: str, theirs: str) -> Merge:
    """Tries to bring what `theirs` changed since `base` into `ours` (all trees). Reads only."""
    made = Merge()
    if base == theirs or ours == theirs:
        return made
    was, mine, yours = (git.files(ctx, repo, tree) for tree in (base, ours, theirs))
    for path in sorted(was.keys() | yours.keys()):
        b, o, t = was.get(path), mine.get(path), yours.get(path)
        if t in (b, o):
            continue
        if o == b:
            made.changes[path] = t
            continue
        text = _merge_blobs(ctx, repo, b, o, t) if o and t else None
        if text is None or o is None or t is None:
            made.conflicts.append(path)
        else:
            made.changes[path] = (t[0] if b and b[0] == o[0] else o[0], "")
            made.texts[path] = text
    kept = {p for p in mine if made.changes.get(p, mine[p]) is not None} | {p for p, c in made.changes.items() if c}
    made.conflicts += sorted(p for p in kept if any(p[:k] in kept for k, char in enumerate(p) if char == "/"))
    return made


def _merge_blobs(
    ctx: Ctx, repo: Repository, base: tuple[str, str] | None, ours: tuple[str, str], theirs: tuple[str, str]
) -> bytes | None:
    blobs = [ctx.db.get(Blob, (repo.id, side[1])) if side else None for side in (base, ours, theirs)]
    if any(blob is not None and blob.binary for blob in blobs) or base is None:
        return None
    lines = [blob.content.splitlines(keepends=True) if blob else [] for blob in blobs]
    merged = merge_lines(*lines)
    return None if merged is None else "".join(merged).encode()
