"""Repairs of rules and of the places where they are published."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from legoenv_mcp.evolve.fleet import Atom, Patch
from legoenv_mcp.evolve.schema.documents import EXPRESSION, Document, texts

Finding = Mapping[str, Any]
FLIPS = {
    ">=": ("<", ">", "<="),
    "<=": (">", "<", ">="),
    ">": ("<=", ">=", "<"),
    "<": (">=", "<=", ">"),
    "==": ("!=",),
    "!=": ("==",),
}


def unpublished(finding: Finding) -> Iterator[Patch]:
    atom = Atom.named(finding["atom"])
    yield from _in_place(atom) if atom.kind == "place" else _in_rule(atom, finding)


def _in_place(atom: Atom) -> Iterator[Patch]:
    """The notice carries the rule's text again: at the end of each of its texts in turn, the longest first."""
    document = Document(atom)
    for number, entity in enumerate(document.held.get("entity", [])):
        if entity.get("as") != "notice" or any("{{ text }}" in t for t in texts(entity)):
            continue
        fields = {k: str(v) for k, v in entity["with"].items() if isinstance(v, str) and not str(v).startswith("=")}
        for name in sorted(fields, key=lambda k: ("{{" not in fields[k] or "\n" not in fields[k], -len(fields[k]))):

            def change(held: Any, number: int = number, name: str = name) -> None:
                text = str(held["entity"][number]["with"][name])
                blank = re.search(r"\n{2,}(?=\n)|: ?$|\n\n\n", text)
                at = blank.end() if blank else len(text)
                held["entity"][number]["with"][name] = f"{text[:at]}{{{{ text }}}}{text[at:]}"

            yield document.patch(f"{atom.id}: the notice says the rule's text ({name})", change, shape="unpublished")


def _in_rule(atom: Atom, finding: Finding) -> Iterator[Patch]:
    """The text says what a reader needs: figures first, then whatever else the rule's own values, steps and goals use."""
    document = Document(atom)
    text = str(document.held["text"])
    here = set(EXPRESSION.findall(text))
    figures = [n for n in document.held.get("params", {}) if not re.search(rf"\{{\{{[^}}]*\b{n}\b", text)]
    used = list(dict.fromkeys(_used(document.held)))
    origins = [o for s in finding["evidence"] for o in s.get("origins", ())]
    if len(figures) > 1:
        yield document.patch(f"{atom.id}: the text says {', '.join(figures)}", _say(figures), shape="unpublished")
    for name in dict.fromkeys([*figures, *used, *origins]):
        if name not in here:
            yield document.patch(f"{atom.id}: the text says {name}", _say([name]), shape="unpublished")


def _used(held: Any) -> Iterator[str]:
    for part in ("set", "let", "step", "goal", "when"):
        for value in texts(held.get(part, [])):
            yield from (e for e in EXPRESSION.findall(value))
            if value.startswith("=") and re.fullmatch(r"= *[\w.]+( \| [\w() ',.]+)?", value):
                yield value[1:].strip()
    for name, pick in held.get("pick", {}).items():
        yield from (f"{name}.{field}" for field in ("name", "title", "path", "subject") if field and pick)


def _say(names: list[str]) -> Any:
    said = "; ".join(f"{n.replace('_', ' ').replace('.', ' ')}: {{{{ {n} }}}}" for n in names)

    def change(held: Any) -> None:
        held["text"] = f"{str(held['text']).rstrip()} ({said})"

    return change


def predicate(finding: Finding) -> Iterator[Patch]:
    """Each comparison of the rule's condition, and of what it says of the end, the other ways round."""
    atom = Atom.named(finding["atom"])
    document = Document(atom)
    for word in ("agrees", "when"):
        text = str(document.held.get(word, ""))
        for match in re.finditer(r"[<>]=|[!=]=|[<>]", text):
            for other in FLIPS[match[0]]:
                made = text[: match.start()] + other + text[match.end() :]

                def change(held: Any, word: str = word, made: str = made) -> None:
                    held[word] = made

                yield document.patch(f"{atom.id}: {word} = {made}", change, shape="predicate")
