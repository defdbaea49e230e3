"""Differences between trees: files with their counts and patches, and whole diffs in git's format."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from legoenv_mcp.app import Ctx

from . import git
from .models import Blob, Commit, Repository

_CONTEXT = 3


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file changed. `patch` is the hunks; None for binary files."""

    path: str
    status: str
    old: tuple[str, str] | None
    new: tuple[str, str] | None
    previous: str
    additions: int
    deletions: int
    patch: str | None

    @property
    def sha(self) -> str:
        return (self.new or self.old or ("", ""))[1]

    def text(self) -> str:
        """The file's part of a `.diff`."""
        before = self.previous or self.path
        out = [f"diff --git a/{before} b/{self.path}"]
        old, new = self.old, self.new
        if old is None and new:
            out.append(f"new file mode {new[0]}")
        elif new is None and old:
            out.append(f"deleted file mode {old[0]}")
        elif old and new and old[0] != new[0]:
            out += [f"old mode {old[0]}", f"new mode {new[0]}"]
        if self.previous:
            alike = "100" if old and new and old[1] == new[1] else "50"
            out += [f"similarity index {alike}%", f"rename from {before}", f"rename to {self.path}"]
        if not (old and new and old[1] == new[1]):
            mode = f" {new[0]}" if old and new and old[0] == new[0] else ""
            out.append(f"index {old[1][:7] if old else '0000000'}..{new[1][:7] if new else '0000000'}{mode}")
            a, b = f"a/{before}" if old else "/dev/null", f"b/{self.path}" if new else "/dev/null"
            if self.patch is None:
                out.append(f"Binary files {a} and {b} differ")
            elif self.patch:
                out += [f"--- {a}", f"+++ {b}", self.patch]
        return "\n".join(out) + "\n"


def hunks(old: str, new: str) -> tuple[str, int, int]:
    """A unified patch without its file header, and how many lines it adds and removes."""
    a, b = _lines(old), _lines(new)
    out, added, removed = list[str](), 0, 0
    for group in SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        out.append(f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                out += [" " + line for line in a[i1:i2]]
                continue
            out += ["-" + line for line in a[i1:i2]] + ["+" + line for line in b[j1:j2]]
            removed, added = removed + i2 - i1, added + j2 - j1
    return "\n".join(out), added, removed


def _lines(text: str) -> list[str]:
    """Lines without their ends; a last line that lacks one carries git's note, so that it differs from the same with one."""
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ No newline at end of file"]


def _span(start: int, end: int) -> str:
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + 1 if count else start},{count}"


def between(ctx: Ctx, repo: Repository, old: str, new: str) -> list[FileDiff]:
    """What turns one tree into another, by path; a file that moved unchanged is renamed."""
    if old == new:
        return []
    before, after = git.files(ctx, repo, old), git.files(ctx, repo, new)
    gone = [p for p in before if p not in after]
    fresh = [p for p in after if p not in before]
    moved = dict[str, str]()
    for path in fresh:
        source = next((p for p in gone if before[p][1] == after[path][1] and p not in moved.values()), None)
        if source is not None:
            moved[path] = source
    out = list[FileDiff]()
    for path in sorted(before.keys() | after.keys()):
        was, now = before.get(path), after.get(path)
        if was == now or path in moved.values():
            continue
        if path in moved:
            out.append(FileDiff(path, "renamed", before[moved[path]], now, moved[path], 0, 0, ""))
            continue
        status = "added" if was is None else "removed" if now is None else "modified"
        patch, added, removed = _patch(ctx, repo, was, now)
        out.append(FileDiff(path, status, was, now, "", added, removed, patch))
    return out


def _patch(
    ctx: Ctx, repo: Repository, was: tuple[str, str] | None, now: tuple[str, str] | None
) -> tuple[str | None, int, int]:
    blobs = [ctx.db.get(Blob, (repo.id, side[1])) if side else None for side in (was, now)]
    if any(blob is not None and blob.binary for blob in blobs):
        return None, 0, 0
    return hunks(*(blob.content if blob else "" for blob in blobs))


def of_commit(ctx: Ctx, repo: Repository, commit: Commit) -> list[FileDiff]:
    """What a commit changed against its first parent."""
    return between(ctx, repo, git.tree_of(ctx, repo, commit.parents[0] if commit.parents else None), commit.tree)


def diff_text(diffs: list[FileDiff]) -> str:
    return "".join(diff.text() for diff in diffs)


def patch_text(ctx: Ctx, repo: Repository, commits: list[Commit]) -> str:
    """Commits in the format of `git format-patch`, oldest first."""
    out = list[str]()
    for n, commit in enumerate(commits, 1):
        number = f" {n}/{len(commits)}" if len(commits) > 1 else ""
        head, _, rest = commit.message.partition("\n")
        date = Ctx.parse_time(commit.author_date).strftime("%a, %d %b %Y %H:%M:%S +0000")
        diffs = of_commit(ctx, repo, commit)
        stat = [
            f" {d.path} | {d.additions + d.deletions} {'+' * min(d.additions, 30)}{'-' * min(d.deletions, 30)}"
            for d in diffs
        ]
        counts = stats(diffs)
        total = f" {len(diffs)} files changed, {counts['additions']} insertions(+), {counts['deletions']} deletions(-)"
        out.append(
            f"From {commit.sha} Mon Sep 17 00:00:00 2001\nFrom: {commit.author_name} <{commit.author_email}>\nDate: {date}\n"
            f"Subject: [PATCH{number}] {head}\n\n{rest.strip()}{chr(10) if rest.strip() else ''}---\n"
            + "\n".join([*stat, total])
            + f"\n\n{diff_text(diffs)}\n"
        )
    return "".join(out)


def stats(diffs: list[FileDiff]) -> dict[str, Any]:
    added, removed = sum(d.additions for d in diffs), sum(d.deletions for d in diffs)
    return {"total": added + removed, "additions": added, "deletions": removed}
