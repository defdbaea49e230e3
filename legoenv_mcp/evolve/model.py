"""The backend `openai`: a model at an OpenAI-compatible endpoint proposes repairs, one after another, each told why the last was refused.

For a server atom it proposes code, one operation; for the others data, the atom's file. Nothing it says is believed: code is inspected,
then tried where it can do no harm (confine.py), and both stand the same acceptance as any other patch.
"""

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import tomlkit

from legoenv_mcp import registry
from legoenv_mcp.controller.propose import Model, NoModel
from legoenv_mcp.evolve import confine, fleet, source
from legoenv_mcp.evolve.fleet import Atom, Edit, Patch, Refused
from legoenv_mcp.evolve.nursery import Nursery
from legoenv_mcp.evolve.schema import evolved
from legoenv_mcp.evolve.schema.documents import Document

CANDIDATES = 4
MOST_SOURCE = 24_000
_BRIEF = """You repair a fleet of simulated applications and the task atoms over them. You are given one finding: its cause, the atom to
blame, the failing cases. Answer with one JSON object and nothing else.
For a server: {"title": "...", "code": "..."}; code is one Python module for servers/<app>/evolved/: its imports (relative, such as
`from ..app import app`, `from ..models import Thing`; of the library only legoenv_mcp.app and legoenv_mcp.capabilities; of the standard
library only pure modules such as datetime and re) and one function under the app's decorator, in the style of the sources shown, with a
docstring. It takes `ctx: Ctx` first. An operation that exists already is replaced with replaces=True in the decorator.
For an intent, a rule, a place or a verifier: {"title": "...", "toml": "..."}; toml is the atom's whole file, mended, its id unchanged.
For data: {"title": "...", "file": "<path as shown>", "csv": "..."}; csv is that file's whole text, mended, its columns unchanged.
The smallest change that works is the best. Files, sockets, processes and clocks are out of reach: a patch that tries is refused.
Lint rules: every parameter is typed, every operation has a docstring, a read writes nothing, ids and times come from ctx."""


class OpenAIBackend:
    """Proposes by asking a model. NoModel out of `propose` where there is no answer at all."""

    name = "openai"
    trusted = False

    def __init__(self, model: str, base_url: str = "", candidates: int = CANDIDATES) -> None:
        self.model = Model(model, base_url)
        self.candidates = candidates
        self._messages = list[dict[str, str]]()

    def propose(self, finding: dict[str, Any], nursery: Nursery) -> Iterator[Patch | Refused]:
        """Candidates, each asked for when the one before it has been refused."""
        self._messages = [{"role": "system", "content": _BRIEF}, {"role": "user", "content": request(finding)}]
        for _ in range(self.candidates):
            said = self.model.say(self._messages)
            self._messages.append({"role": "assistant", "content": said})
            yield read_answer(finding, said)

    def told(self, finding: dict[str, Any], patch: Patch | Refused, reason: str) -> None:
        self._messages.append(
            {"role": "user", "content": f"Refused: {reason[:1500]}\nMend it and answer with the whole object again."}
        )


def request(finding: dict[str, Any]) -> str:
    """What the model is shown: the finding, the failing cases, the atom's sources."""
    atom = Atom.named(finding["atom"])
    cases = [{k: v for k, v in s.items() if k not in ("reply", "changed")} for s in finding["evidence"][:3]]
    parts = [
        f"Cause: {finding['cause']}. Atom: {atom}. About: {finding['about']}.",
        f"Failing cases: {json.dumps(cases, default=str)[:6000]}",
    ]
    if atom.kind == "server":
        parts += _sources(atom.id, finding["about"].split(" ")[0])
    elif atom.kind == "data":
        keys = {s.get("key", "") for s in finding["evidence"]} | {
            k for s in finding["evidence"] for k in s.get("others", ())
        }
        for path in source.world_files(atom.id):
            text = fleet.read(path) or ""
            if any(k and re.search(rf"^{re.escape(k)},", text, re.MULTILINE) for k in keys):
                parts.append(f"File {path}:\n{text[:MOST_SOURCE]}")
    else:
        path = Document(atom).path
        parts.append(f"File {path}:\n{fleet.read(path)}")
    return "\n\n".join(parts)


def _sources(slug: str, tool: str) -> list[str]:
    """The app's modules, those that speak of the tool's resource first, as far as there is room."""
    words = [w for w in re.split(r"[\W_]+", tool.lower()) if len(w) > 3]
    found = sorted(source.modules(slug), key=lambda m: (-sum(m.text.lower().count(w) for w in words), len(m.text)))
    parts, room = list[str](), MOST_SOURCE
    for module in found:
        if len(module.text) < room:
            parts.append(f"File {module.path}:\n{module.text}")
            room -= len(module.text)
    return parts


def read_answer(finding: dict[str, Any], said: str) -> Patch | Refused:
    """A candidate out of what the model said; Refused, with the reason, where it is none."""
    atom = Atom.named(finding["atom"])
    try:
        data = json.loads(said)
        title = str(data.get("title") or "a repair")[:120]
        if atom.kind == "server":
            return _code(finding, atom, title, str(data["code"]))
        if atom.kind == "data":
            return _rows(atom, title, str(data["file"]), str(data["csv"]))
        return _document(atom, title, str(data["toml"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return Refused(atom, "an answer", f"malformed: {type(error).__name__}: {str(error)[:200]}")


def _code(finding: dict[str, Any], atom: Atom, title: str, code: str) -> Patch | Refused:
    if problems := confine.inspect_source(code):
        return Refused(atom, title, f"inspection: {'; '.join(problems[:5])}")
    tool = finding["about"].split(" ")[0]
    if not re.search(rf"tool\s*=\s*['\"]{re.escape(tool)}['\"]", code):
        return Refused(atom, title, f"malformed: it declares no operation {tool!r}")
    folder = registry.folder(atom.id) / "evolved"
    number = 1 + max((int(m[1]) for p in folder.glob("e*.py") if (m := re.match(r"e(\d+)_", p.name))), default=0)
    name = re.sub(r"\W+", "_", tool).strip("_").lower()
    edits = [Edit(f"servers/{atom.id}/evolved/e{number:03}_{name}.py", evolved.tidy(code.rstrip() + "\n"))]
    if not (folder / "__init__.py").is_file():
        edits.insert(0, Edit(f"servers/{atom.id}/evolved/__init__.py", evolved.INIT))
    return Patch(atom, title, tuple(edits), tool=tool, backend="openai")


def _document(atom: Atom, title: str, text: str) -> Patch | Refused:
    held = Document(atom)
    if tomllib.loads(text).get("id") != held.held.get("id"):
        return Refused(atom, title, "malformed: the id is another")
    made = tomlkit.parse(text)
    made["version"] = int(held.held.get("version", 1)) + 1
    return Patch(atom, title, (Edit(held.path, tomlkit.dumps(made)),), backend="openai")


def _rows(atom: Atom, title: str, path: str, text: str) -> Patch | Refused:
    if path not in source.world_files(atom.id):
        return Refused(atom, title, f"malformed: {path} is no file of {atom.id}")
    old, new = (list(csv.DictReader(io.StringIO(t))) for t in (fleet.read(path) or "", text))
    if not new or list(old[0]) != list(new[0]):
        return Refused(atom, title, "malformed: the columns are others")
    if {r["key"] for r in old if "key" in r} - {r["key"] for r in new if "key" in r}:
        return Refused(atom, title, "malformed: it takes rows away")
    return Patch(atom, title, (Edit(path, text.rstrip("\n") + "\n"),), backend="openai")


__all__ = ["NoModel", "OpenAIBackend", "read_answer", "request"]
