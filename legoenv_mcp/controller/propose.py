"""Atoms proposed by a model: intents, phrasings and rules, through any OpenAI-compatible endpoint.

A proposal is data, never code. It passes what every atom passes (schema, lint, composition and proof) or is refused with the reason;
the model hears the reason and may try again. What is accepted is an ordinary TOML file that a person reviews in a diff.
"""

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from openai import OpenAI, OpenAIError

from legoenv_mcp.controller import atoms
from legoenv_mcp.controller.atoms import Intent, Rule, load_all
from legoenv_mcp.controller.compose import Composer, Outcome, Wanted, attempt, compose
from legoenv_mcp.controller.proposal_text import brief
from legoenv_mcp.lint.atom_rules import check_atoms
from legoenv_mcp.worlds import atoms_folders

What = Literal["intent", "phrasing", "rule"]
TRIES = 3
TRIAL = 2
_FOLDERS: dict[What, str] = {"intent": "intents", "phrasing": "intents", "rule": "rules"}


class NoModel(RuntimeError):
    """The endpoint cannot be reached, or does not answer as the protocol says. One line for the user."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model proposed: the atom's id and TOML, and why it was refused (empty: it was accepted)."""

    what: What
    id: str
    toml: str
    reason: str = ""
    proven: tuple[Outcome, ...] = ()

    @property
    def accepted(self) -> bool:
        return not self.reason


@dataclass
class Model:
    """A chat model behind an OpenAI-compatible endpoint."""

    name: str
    base_url: str = ""
    timeout: float = 120.0
    _client: OpenAI | None = field(default=None, repr=False)

    def say(self, messages: Sequence[dict[str, str]]) -> str:
        """The model's answer. NoModel where there is none."""
        try:
            if self._client is None:
                key = os.environ.get("OPENAI_API_KEY") or "none"
                self._client = OpenAI(base_url=self.base_url or None, api_key=key, timeout=self.timeout, max_retries=4)
            wanted: Any = list(messages)
            answer = self._client.chat.completions.create(
                model=self.name, messages=wanted, response_format={"type": "json_object"}, temperature=0.8
            )
        except OpenAIError as error:
            raise NoModel(f"{self.base_url or 'the endpoint'}: {type(error).__name__}: {str(error)[:200]}") from None
        choices = getattr(answer, "choices", None)
        if not choices or choices[0].message is None:
            raise NoModel(f"{self.base_url or 'the endpoint'} answered without a choice")
        return choices[0].message.content or ""


def propose(
    model: Model, what: What, wish: str = "", *, about: str = "", tries: int = TRIES, trial: int = TRIAL
) -> Iterator[Proposal]:
    """Every attempt at one atom, the last of them accepted where one was. `about` is the intent that phrasings are for."""
    messages = [{"role": "system", "content": brief()}, {"role": "user", "content": _request(what, wish, about)}]
    for _ in range(tries):
        said = model.say(messages)
        proposal = _judge(what, about, said, trial)
        yield proposal
        if proposal.accepted:
            return
        messages += [
            {"role": "assistant", "content": said},
            {"role": "user", "content": f"Refused: {proposal.reason}\nMend it and answer with the whole atom again."},
        ]


def _request(what: What, wish: str, about: str) -> str:
    lines = [f"Propose one {what}."]
    if what == "intent":
        held = ", ".join(sorted(load_all(Intent)))
        lines.append(f"Intents there are already (propose another): {held}.")
    elif what == "rule":
        tags = sorted({t for i in load_all(Intent).values() for t in i.tags})
        lines.append(f"Tags of intents that it may use: {', '.join(tags)}.")
    else:
        text = _source(about)
        lines.append(f"It is a [[phrasing]] for this intent, in another register than those it has:\n{text}")
    if wish:
        lines.append(f"Wanted: {wish}")
    lines.append(
        'Answer with one JSON object: {"id": "...", "toml": "..."}. For a phrasing, toml holds just the [[phrasing]] table.'
    )
    return "\n".join(lines)


def _source(intent: str) -> str:
    for root in atoms_folders():
        for path in (root / "intents").rglob(f"{intent}.toml"):
            return path.read_text(encoding="utf-8")
    raise LookupError(f"there is no intent {intent!r}")


def _judge(what: What, about: str, said: str, trial: int) -> Proposal:
    """What becomes of an answer: each test that an atom passes, in turn."""
    try:
        data = json.loads(said)
        name, toml = str(data["id"]), str(data["toml"])
    except (ValueError, KeyError, TypeError):
        return Proposal(what, "", said[:2000], 'the answer is no JSON object with "id" and "toml"')
    if what == "phrasing":
        name, toml = about, _with_phrasing(about, toml)
    if not name.isidentifier() or len(name) > 60:
        return Proposal(what, name, toml, "the id is no name of lower-case letters, digits and underscores")
    if what != "phrasing" and name in load_all(Intent if what == "intent" else Rule):
        return Proposal(what, name, toml, f"there is a {what} {name!r} already")
    with TemporaryDirectory() as folder, _shown_first(Path(folder)) as reload:
        path = Path(folder) / _FOLDERS[what] / f"{name}.toml"
        path.parent.mkdir()
        path.write_text(toml, encoding="utf-8")
        reload()
        return _tried(what, name, toml, trial)


def _tried(what: What, name: str, toml: str, trial: int) -> Proposal:
    _, findings = check_atoms()
    mine = [f for f in findings if name in f.app or f"{name}.toml" in f.message]
    if mine:
        return Proposal(what, name, toml, "; ".join(f.message for f in mine)[:1500])
    intents = frozenset({name}) if what != "rule" else _intents_for(load_all(Rule)[name])
    if not intents:
        return Proposal(what, name, toml, "no intent has the tags and names that the rule needs")
    composer = Composer(f"proposal {name}", Wanted(intents=intents))
    if what == "rule":
        composer.rules.update(dict.fromkeys(set(load_all(Rule)) - {name}, 1000))
    found = list(compose(composer, trial, lambda recipes: map(attempt, recipes), batch=4, most=trial * 12))
    proven = tuple(o for o in found if o.entry and (what != "rule" or name in o.entry.rules))
    if proven:
        return Proposal(what, name, toml, proven=proven)
    refused = [f"{o.rule}: {o.detail}" for o in found if not o.entry]
    why = "; ".join(dict.fromkeys(refused)) or "it was never used"
    return Proposal(what, name, toml, f"nothing composed from it is proven: {why}"[:1500])


def _intents_for(rule: Rule) -> frozenset[str]:
    return frozenset(
        i.id
        for i in load_all(Intent).values()
        if set(rule.tags) <= set(i.tags) and set(rule.needs) <= {*i.pick, *i.let, *i.compute, *i.choose}
    )


def _with_phrasing(intent: str, toml: str) -> str:
    """The intent's own text with another phrasing; only that table is taken from what was proposed."""
    try:
        table = tomllib.loads(toml)["phrasing"][0]
        register, text = str(table.get("register", "plain")), str(table["text"])
    except (tomllib.TOMLDecodeError, KeyError, IndexError, TypeError, AttributeError):
        return toml
    made = f"[[phrasing]]\nregister = {json.dumps(register)}\ntext = {json.dumps(text, ensure_ascii=False)}\n\n"
    head, _, tail = _source(intent).partition("[[step]]")
    return f"{head}{made}[[step]]{tail}"


@contextmanager
def _shown_first(folder: Path) -> Iterator[Callable[[], None]]:
    """A folder of atoms before all others, while it lasts; what is yielded makes its files be seen."""
    before = os.environ.get("LEGOENV_ATOMS")
    os.environ["LEGOENV_ATOMS"] = os.pathsep.join(filter(None, [str(folder), before or ""]))
    try:
        yield atoms.forget
    finally:
        if before is None:
            del os.environ["LEGOENV_ATOMS"]
        else:
            os.environ["LEGOENV_ATOMS"] = before
        atoms.forget()


def keep(proposal: Proposal, folder: Path) -> Path:
    """Writes an accepted atom as a file of an atoms folder."""
    path = folder / _FOLDERS[proposal.what] / f"{proposal.id}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(proposal.toml, encoding="utf-8")
    atoms.forget()
    return path


__all__ = ["Model", "NoModel", "Proposal", "keep", "propose"]
