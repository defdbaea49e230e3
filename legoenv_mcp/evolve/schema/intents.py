"""Repairs of intents: the words that single an entity out, what a phrasing says, which steps read what is needed."""

import inspect
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tomlkit

from legoenv_mcp.controller.atoms import Act, Body, Intent, Place, Rule, Trap, load_all
from legoenv_mcp.controller.expressions import BadExpression, value_of
from legoenv_mcp.controller.kinds import capability_classes
from legoenv_mcp.controller.kinds import kind as entity_kind
from legoenv_mcp.evolve.fleet import Atom, Patch
from legoenv_mcp.evolve.schema.documents import EXPRESSION, Document, failing, texts

Finding = Mapping[str, Any]
READING = re.compile(r"(list|get|find|search|read|check|show|download|query|see|open)_")
TELLING = ("email", "name", "title", "subject", "number", "path", "phone", "domain", "code", "reference", "description")


def selector(finding: Finding) -> Iterator[Patch]:
    """Other fields to point by: those that the phrasings say, alone and in pairs, then any that tells things apart."""
    document = Document(Atom.named(finding["atom"]))
    picks = [n for n, p in document.held.get("pick", {}).items() if p.get("by")]
    names = [finding["about"]] if finding["about"] in picks else picks
    for name in names:
        said = [f for text in texts(document.held["phrasing"]) for f in re.findall(rf"\b{name}\.(\w+)", text)]
        fields = entity_kind(str(document.held["pick"][name]["kind"])).model_fields
        mentioned = [f for f, _ in Counter(f for f in said if f in fields).most_common()]
        telling = [f for f in TELLING if f in fields and f not in mentioned]
        ways = [(f,) for f in mentioned] + list(itertools.combinations(mentioned[:4], 2)) + [(f,) for f in telling]
        now = tuple(document.held["pick"][name]["by"])
        ways += [(*now, f) for f in (*mentioned, *telling) if f not in now]
        for way in ways:
            if way != now:
                yield document.patch(f"{name} is told by {', '.join(way)}", _set_by(name, list(way)), shape="selector")


def _set_by(name: str, by: list[str]) -> Any:
    def change(held: Any) -> None:
        held["pick"][name]["by"] = by

    return change


def wording(finding: Finding) -> Iterator[Patch]:
    """The phrasing says what it leaves out: what the others say, what the values that were looked for in vain are called."""
    document = Document(Atom.named(finding["atom"]))
    phrasings = document.held["phrasing"]
    at = finding["evidence"][0]["phrasing"] % len(phrasings)
    here = set(EXPRESSION.findall(str(phrasings[at]["text"])))
    elsewhere = Counter(
        e for n, p in enumerate(phrasings) if n != at for e in set(EXPRESSION.findall(str(p["text"]))) if e not in here
    )
    bound = [loop for p in phrasings for loop in _LOOP.findall(str(p["text"]))]
    each = {e for e in elsewhere if any(re.search(rf"\b({name}|loop)\b", e) for name, _, _ in bound)}
    lacking = [e for e, _ in elsewhere.most_common() if e not in each]
    origins = [
        o
        for s in finding["evidence"]
        for o in s.get("origins", ())
        if o not in here and not o.endswith((".key", ".id"))
    ]
    used = [e for e in _values(document) if e not in here]
    tells = _answered(document, finding)
    wanted = [e for e in dict.fromkeys([*lacking, *origins, *used]) if e in lacking or not tells(e)]
    # What an intent's own clause says in another phrasing reads best.
    for expression in lacking:
        for clause in _clauses(phrasings, at, expression):
            yield document.patch(f"phrasing {at} says {expression}", _append(at, f" {clause}"), shape="wording")
    for expression, clause in _each(bound, each):
        yield document.patch(f"phrasing {at} says {expression}", _append(at, clause), shape="wording")
    if len(lacking) > 1:
        yield document.patch(f"phrasing {at} says what the others say", _append(at, _told(lacking)), shape="wording")
    for expression in wanted:
        yield document.patch(f"phrasing {at} says {expression}", _append(at, _told([expression])), shape="wording")


def _answered(document: Document, finding: Finding) -> Callable[[str], bool]:
    """Whether an expression is what the task asks for: a phrasing that says it leaves nothing to find out."""
    asked = [t[1:] for t in texts(document.held.get("answer", {}).get("facts", [])) if t.startswith("=")]
    found = next(iter(failing(finding)), None) if asked else None
    if found is None:
        return lambda _: False
    names = found.reading.names
    values = {str(v) for text in asked for v in _flat(value_of(text, names))}

    def tells(expression: str) -> bool:
        try:
            said = " ".join(str(v) for v in _flat(value_of(expression, names)))
        except (BadExpression, LookupError, TypeError, ValueError):
            return False
        return said in values or any(len(v) > 2 and v in said for v in values)

    return tells


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _values(document: Document) -> list[str]:
    """The expressions that steps and goals use."""
    found = Counter[str]()
    for part in ("step", "goal", "answer", "let", "compute"):
        for text in texts(document.held.get(part, [])):
            found.update(EXPRESSION.findall(text))
            if text.startswith("="):
                found[text[1:].strip()] += 1
    return [e for e, _ in found.most_common() if re.fullmatch(r"[\w.]+( \| .+)?", e)]


def _clauses(phrasings: Any, at: int, expression: str) -> Iterator[str]:
    for number, one in enumerate(phrasings):
        if number != at:
            for sentence in re.split(r"(?<=[.!?])\s+", str(one["text"]).strip()):
                inside = set(EXPRESSION.findall(sentence))
                if expression in inside and len(sentence) < 200:
                    yield sentence


def _each(bound: list[tuple[str, str, str]], lacking: set[str]) -> Iterator[tuple[str, str]]:
    """What is said of each of several elsewhere, and a clause that says it of each."""
    for name, several, body in bound:
        said = [e for e in dict.fromkeys(EXPRESSION.findall(body)) if e in lacking and "loop" not in e]
        if said:
            one = ", ".join(f"{{{{ {e} }}}}" for e in said)
            end = "{{ '' if loop.last else '; ' }}{% endfor %})"
            yield f"{', '.join(said)} of each of {several}", f" ({{% for {name} in {several} %}}{one}{end}"


_LOOP = re.compile(r"{%-? *for (\w+) in ([^%]+?) *-?%}(.*?){%-? *endfor *-?%}", re.DOTALL)
"""The variable, what it stands for each of, and what is said of each."""


def _told(expressions: list[str]) -> str:
    return " (" + "; ".join(f"{_label(e)}: {{{{ {e} }}}}" for e in expressions) + ")"


def _label(expression: str) -> str:
    head = re.match(r"[\w.]+", expression)
    return (head[0] if head else "that is").replace(".", " ").replace("_", " ")


def _append(at: int, text: str) -> Any:
    def change(held: Any) -> None:
        one = held["phrasing"][at]
        one["text"] = str(one["text"]).rstrip() + text

    return change


def unread(finding: Finding) -> Iterator[Patch]:
    """A step that reads: verbs of the intent's roles, with arguments as other atoms use them, or as the parameters' names say."""
    document = Document(Atom.named(finding["atom"]))
    intent = load_all(Intent)[document.atom.id]
    known = {*intent.pick, *intent.let, *intent.choose, *intent.compute, "agent", "today"}
    there = {(str(s.get("do", "")), str(s.get("with", {}))) for s in document.held.get("step", [])}
    ways = dict[tuple[str, str], tuple[dict[str, Any], int]]()
    for verb, args, order in itertools.chain(_examples(intent, known), _by_signature(intent)):
        ways.setdefault((verb, str(args)), (args, order))
    for (verb, shown), (args, _) in sorted(ways.items(), key=lambda item: item[1][1]):
        if (verb, shown) not in there:
            yield document.patch(f"reads first: {verb}", _insert_step(verb, args), shape="unread")


def _insert_step(verb: str, args: dict[str, Any]) -> Any:
    def change(held: Any) -> None:
        step = tomlkit.table()
        step["do"] = verb
        if args:
            table = tomlkit.inline_table()
            table.update(args)
            step["with"] = table
        steps = tomlkit.aot()
        for one in (step, *held.pop("step", ())):
            steps.append(one)
        held.append("step", steps)

    return change


def _examples(intent: Intent, known: set[str]) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Reading steps of other atoms on the same capabilities whose values this intent has, under the same or its own names."""
    kinds = dict[str, list[str]]()
    for name, pick in intent.pick.items():
        kinds.setdefault(pick.kind, []).append(name)
    atoms: list[Body | Place | Trap] = [*load_all(Intent).values(), *load_all(Rule).values()]
    for atom in atoms:
        if not isinstance(atom, Body) or atom is intent:
            continue
        theirs = {name: pick.kind for name, pick in atom.pick.items()}
        for act in atom.step:
            if act.do and READING.match(act.name):
                for role, what in intent.roles.items():
                    if atom.roles.get(act.role) == what and not act.each:
                        yield from _adapted(act, role, theirs, kinds, known)


def _adapted(
    act: Act, role: str, theirs: Mapping[str, str], kinds: Mapping[str, list[str]], known: set[str]
) -> Iterator[Any]:
    used = {
        n
        for t in texts(act.args)
        for n in re.findall(r"(?<![\w.'])([a-z_]\w*)", re.sub(r"'[^']*'", "", t))
        if n in theirs or n in known
    }
    swaps = [[(n, o) for o in ([n] if n in known else []) + kinds.get(theirs.get(n, ""), [])][:3] for n in sorted(used)]
    if any(not s for s in swaps):
        return
    for choice in itertools.product(*swaps):
        args = {k: _renamed(v, dict(choice)) for k, v in act.args.items()}
        yield f"{role}.{act.name}", args, 0 if all(a == b for a, b in choice) else 1


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for old, new in names.items():
            value = re.sub(rf"(?<![\w.']){old}\b", new, value)
        return value
    if isinstance(value, Mapping):
        return {k: _renamed(v, names) for k, v in value.items()}
    return [_renamed(v, names) for v in value] if isinstance(value, list) else value


def _by_signature(intent: Intent) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Reading verbs whose parameters picks answer to: `ticket_id` is `= ticket`, `email` some pick's email."""
    for role, what in intent.roles.items():
        capability = capability_classes().get(what)
        if capability is None:
            continue
        for verb in [v for v in dir(capability) if READING.match(v)]:
            params = _required(getattr(capability, verb))
            ways = [[(p, e) for e in _answers(p, intent)] for p in params]
            if all(ways):
                for choice in itertools.islice(itertools.product(*ways), 4):
                    yield f"{role}.{verb}", dict(choice), 2 + len(params)


def _required(method: Any) -> list[str]:
    return [
        p.name
        for p in list(inspect.signature(method).parameters.values())[1:]
        if p.default is inspect.Parameter.empty and p.kind is not inspect.Parameter.VAR_KEYWORD
    ]


def _answers(param: str, intent: Intent) -> Iterator[str]:
    head = param.removesuffix("_id").removesuffix("_key")
    for name, pick in intent.pick.items():
        if pick.many:
            continue
        kind = re.sub(r"(?<!^)(?=[A-Z])", "_", pick.kind.partition(".")[2]).lower()
        if param.endswith("_id") and (head in (name, kind) or kind.endswith(head)):
            yield f"= {name}"
        fields = entity_kind(pick.kind).model_fields
        if param in fields:
            yield f"= {name}.{param}"
        if param in ("text", "query", "words"):
            yield from (f"= {name}.{f}" for f in ("subject", "title", "name", "number", "email") if f in fields)
