"""The changelog of evolution, `atoms_db/evolution/log.jsonl`: what was repaired, why, what was proven; and the way back."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from legoenv_mcp.evolve import fleet
from legoenv_mcp.evolve.fleet import Edit, Patch
from legoenv_mcp.worlds import atoms_folders

LOG = "evolution/log.jsonl"
REJECTED = "evolution/rejected.jsonl"


def home() -> Path:
    """The folder of atoms whose changelog is written: the first that has one, else the first."""
    roots = atoms_folders()
    return next((root for root in roots if (root / LOG).is_file()), roots[0])


def entries() -> list[dict[str, Any]]:
    """Every repair that was accepted, the oldest first."""
    path = home() / LOG
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def line(
    patch: Patch,
    before: Sequence[Edit],
    finding: dict[str, Any],
    proven: Sequence[str],
    reproved: int,
    tests: tuple[int, int],
    exhibit: dict[str, Any],
) -> dict[str, Any]:
    """A changelog line. `before` are the files as they were, which is all that undoing takes."""
    return {
        "atom": str(patch.atom),
        "title": patch.title,
        "backend": patch.backend,
        "cause": finding["cause"],
        "about": finding["about"],
        "evidence": finding["evidence"],
        **({"exhibit": exhibit} if exhibit else {}),
        "environments": list(proven),
        "reproved": reproved,
        "tests": tests[0],
        "tests_passed": tests[1],
        "tool": patch.tool,
        "files": [
            {"path": new.path, "before": _hash(old.text), "after": _hash(new.text), "was": old.text}
            for new, old in zip(patch.edits, before, strict=True)
        ],
    }


def keep(lines: Sequence[dict[str, Any]], name: str = LOG) -> None:
    """Adds lines to the changelog, or to the list of what was rejected."""
    path = home() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)


def undo(count: int) -> list[dict[str, Any]]:
    """Takes the last repairs back: each file as it was before. ValueError where one has been changed since, and nothing is done."""
    known = entries()
    chosen = known[len(known) - count :]
    texts = dict[str, str | None]()
    for one in reversed(chosen):
        for file in one["files"]:
            now = texts[file["path"]] if file["path"] in texts else fleet.read(file["path"])
            if _hash(now) != file["after"]:
                raise ValueError(
                    f"{file['path']} has been changed since {one['title']!r} was accepted; undo it by hand (git diff)"
                )
            texts[file["path"]] = file["was"]
    fleet.write(Edit(path, text) for path, text in texts.items())
    path = home() / LOG
    path.write_text(
        "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in known[: len(known) - count]), encoding="utf-8"
    )
    return chosen


def _hash(text: str | None) -> str:
    return "" if text is None else hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
