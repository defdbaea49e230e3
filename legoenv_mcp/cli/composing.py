"""`legoenv compose`: new environments from the atoms, proven, with the reasons for what was refused."""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legoenv_mcp.cli.errors import Failure, Usage
from legoenv_mcp.cli.output import print_json, progress, table

if TYPE_CHECKING:
    from legoenv_mcp.controller.compose import Composer, Outcome
    from legoenv_mcp.controller.propose import Proposal
    from legoenv_mcp.controller.recipes import Recipe


def add_parsers(commands: Any) -> None:
    composing = commands.add_parser("compose", help="compose and prove new environments")
    composing.add_argument("--count", type=int, default=10, metavar="N", help="how many (default 10)")
    composing.add_argument(
        "--seed", default="0", metavar="S", help="the same seed and atoms give the same environments (default 0)"
    )
    composing.add_argument("--apps", default="", metavar="A,B", help="only over these apps")
    composing.add_argument("--capability", default="", metavar="C", help="only intents that use it")
    composing.add_argument("--intent", default="", metavar="I,J", help="only these intents")
    composing.add_argument("--difficulty", type=int, default=0, choices=range(1, 6), metavar="1..5")
    composing.add_argument("--jobs", type=int, default=0, metavar="J", help="processes (default: one a core)")
    composing.add_argument(
        "--out", default="", metavar="DB", help="an SQLite file, or an atoms folder's catalogue/ (default: the cache's)"
    )
    composing.add_argument("--json", action="store_true")
    model = composing.add_argument_group("atoms proposed by a model")
    model.add_argument("--backend", choices=("atoms", "openai"), default="atoms", help="openai: a model proposes atoms")
    model.add_argument("--model", default="", metavar="M")
    model.add_argument("--base-url", default="", metavar="U", help="an OpenAI-compatible endpoint (or OPENAI_BASE_URL)")
    model.add_argument("--kind", choices=("intent", "phrasing", "rule"), default="intent", help="what it proposes")
    model.add_argument("--wish", default="", metavar="TEXT", help="what the proposals should be about")
    composing.set_defaults(run=compose)


def compose(args: argparse.Namespace) -> int:
    return _propose(args) if args.backend == "openai" else _compose(args)


def _propose(args: argparse.Namespace) -> int:
    """Each proposal becomes a file in the atoms folder that --out names, or is refused with the reason."""
    from legoenv_mcp.controller import propose as proposing
    from legoenv_mcp.controller.atoms import Intent, load_all

    if not args.model:
        raise Usage("--backend openai needs --model")
    if args.kind == "phrasing" and args.intent not in load_all(Intent):
        raise Usage("--kind phrasing needs --intent with the intent that it is for")
    folder = Path(args.out or "proposed_atoms")
    if folder.is_file():
        raise Usage(f"{folder} is a file; proposals go into a folder of atoms")
    model, tried, kept = proposing.Model(args.model, args.base_url), list["Proposal"](), list[str]()
    with progress("proposing", args.count, quiet=args.json) as advance:
        for _ in range(args.count):
            try:
                for proposal in proposing.propose(model, args.kind, args.wish, about=args.intent):
                    tried.append(proposal)
                    if proposal.accepted:
                        kept.append(str(proposing.keep(proposal, folder)))
            except proposing.NoModel as error:
                raise Failure(str(error)) from None
            advance(f"{len(kept)} accepted")
    refused = [p for p in tried if not p.accepted]
    if args.json:
        print_json({"accepted": kept, "refused": [{"id": p.id, "reason": p.reason, "toml": p.toml} for p in refused]})
    else:
        for proposal in refused:
            print(f"refused {proposal.id or 'an answer'}: {proposal.reason}")
        print("\n".join(["", *(f"accepted {path}" for path in kept)]).strip())
        print(f"{len(kept)} accepted, {len(refused)} refused; to compose from them: LEGOENV_ATOMS={folder}")
    return 0 if kept else 1


def _compose(args: argparse.Namespace) -> int:
    from legoenv_mcp.controller import compose as composing
    from legoenv_mcp.controller.proofs import Crew

    composer = _composer(args)
    accepted, rejected = list["Outcome"](), list["Outcome"]()
    with progress("composing", args.count, quiet=args.json) as advance, Crew(args.jobs) as crew:

        def run(recipes: "Sequence[Recipe]") -> "Iterable[Outcome]":
            return crew.map(composing.attempt, recipes)

        for outcome in composing.compose(composer, args.count, run, batch=64 if args.count > 32 else 16):
            (accepted if outcome.entry else rejected).append(outcome)
            if outcome.entry:
                advance(f"{len(rejected)} rejected")
    _write(args.out, accepted, rejected)
    reasons = Counter((o.rule, o.atom) for o in rejected)
    if args.json:
        print_json(
            {
                "proven": len(accepted), "rejected": len(rejected),
                "environments": [o.entry.id for o in accepted if o.entry],
                "reasons": [{"rule": r, "atom": a, "count": n, "example": _example(rejected, r, a)} for (r, a), n in reasons.most_common()],
            }
        )  # fmt: skip
    else:
        if reasons:
            rows = [(str(n), r, a, _example(rejected, r, a)[:160]) for (r, a), n in reasons.most_common(12)]
            table(("rejected", "rule", "atom", "for example"), rows, right=(0,))
        print(f"{len(accepted)} proven, {len(rejected)} rejected")
    return 0 if len(accepted) == args.count else 1


def _example(rejected: "Sequence[Outcome]", rule: str, atom: str) -> str:
    return next(o.detail for o in rejected if (o.rule, o.atom) == (rule, atom))


def _composer(args: argparse.Namespace) -> "Composer":
    from legoenv_mcp import registry
    from legoenv_mcp.controller.atoms import BadFile, Intent, load_all
    from legoenv_mcp.controller.catalogue import entries
    from legoenv_mcp.controller.compose import Composer, Wanted
    from legoenv_mcp.controller.kinds import capability_classes

    if args.count < 1:
        raise Usage("--count must be at least 1")
    apps = frozenset(filter(None, args.apps.split(",")))
    known = {a.slug for a in registry.apps()}
    if strangers := apps - known:
        raise Usage(f"unknown app {', '.join(sorted(strangers))}; see: legoenv apps")
    if args.capability and args.capability not in capability_classes():
        raise Usage(f"unknown capability {args.capability!r}; there are: {', '.join(sorted(capability_classes()))}")
    try:
        intents = load_all(Intent)
    except BadFile as error:
        raise Usage(str(error)) from None
    chosen = frozenset(filter(None, args.intent.split(",")))
    if strangers := chosen - intents.keys():
        raise Usage(f"unknown intent {', '.join(sorted(strangers))}")
    if args.capability:
        having = {i.id for i in intents.values() if args.capability in i.roles.values()}
        chosen = frozenset(having & chosen if chosen else having)
        if not chosen:
            raise Usage(f"no intent uses {args.capability}")
    composer = Composer(args.seed, Wanted(apps, args.capability, args.difficulty, chosen))
    for entry in entries().values():
        composer.count(entry)
    return composer


def _write(out: str, accepted: "Sequence[Outcome]", rejected: "Sequence[Outcome]") -> None:
    from legoenv_mcp.controller import catalogue

    path = Path(out) if out else catalogue.own_catalogue()
    found = [(o.entry, o.proof) for o in accepted if o.entry]
    if path.is_dir() or out.endswith("/"):
        catalogue.write_folder(path, [e for e, _ in found], [p for _, p in found if p])
        return
    refused = [(o.rule, o.atom, o.detail, json.dumps(o.recipe.model_dump(mode="json"))) for o in rejected]
    catalogue.write_database(path, found, refused)
