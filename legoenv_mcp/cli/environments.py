"""`legoenv demo | envs | show | prove | play`: environments, their proofs, and one played before your eyes."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legoenv_mcp.cli.errors import Failure, Usage
from legoenv_mcp.cli.output import print_json, progress, table

if TYPE_CHECKING:
    from legoenv_mcp.controller.environment import Environment, Step
    from legoenv_mcp.controller.environments import Listed
    from legoenv_mcp.verify import Verdict

DEMO = "refund_within_policy"


def add_parsers(commands: Any) -> None:
    demo_ = commands.add_parser("demo", help="watch one environment being played and graded through MCP")
    demo_.add_argument("environment", nargs="?", default=DEMO, metavar="ENV")
    demo_.set_defaults(run=demo)

    listing = commands.add_parser("envs", help="the environments")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=envs)

    one = commands.add_parser("show", help="one environment whole: instruction, verifier, plan, proof")
    one.add_argument("environment", metavar="ENV")
    one.add_argument("--json", action="store_true")
    one.set_defaults(run=show)

    proving = commands.add_parser("prove", help="prove environments anew")
    proving.add_argument("environments", nargs="*", metavar="ENV")
    proving.add_argument("--all", action="store_true")
    proving.add_argument("--stale", action="store_true", help="those whose proof no longer stands, or that have none")
    proving.add_argument(
        "--out", default="", metavar="DIR", help="an atoms folder's catalogue/, whose proofs are renewed"
    )
    proving.add_argument("--jobs", type=int, default=0, metavar="J", help="processes (default: one a core)")
    proving.add_argument("--json", action="store_true")
    proving.set_defaults(run=prove)

    playing = commands.add_parser("play", help="play a plan and grade it")
    playing.add_argument("environment", metavar="ENV")
    playing.add_argument(
        "--plan",
        default="reference",
        metavar="PLAN",
        help='"reference", "noop", or a JSON file: {"steps": [...], "answer": ...}',
    )
    playing.add_argument("--json", action="store_true")
    playing.set_defaults(run=play)


def _load(environment_id: str) -> "Environment":
    from legoenv_mcp.controller import environments

    try:
        return environments.load(environment_id)
    except environments.UnknownEnvironment as error:
        raise Usage(str(error)) from None


def _all() -> "list[Listed]":
    from legoenv_mcp.controller import environments

    try:
        return list(environments.listed())
    except environments.UnknownEnvironment as error:
        raise Failure(str(error)) from None


def envs(args: argparse.Namespace) -> int:
    from legoenv_mcp.controller.proofs import standings

    found = _all()
    proof = standings(found)
    if args.json:
        print_json(
            [
                {"id": e.id, "title": e.title, "apps": list(e.apps), "world": e.world, "difficulty": e.difficulty,
                 "intent": e.intent, "rules": list(e.rules), "traps": list(e.traps), "proof": proof[e.id]}
                for e in found
            ]
        )  # fmt: skip
        return 0
    rows = [(e.id, e.title, ", ".join(e.apps), e.world, str(e.difficulty), proof[e.id]) for e in found]
    table(("id", "title", "apps", "world", "difficulty", "proof"), rows, right=(4,))
    return 0


def show(args: argparse.Namespace) -> int:
    from legoenv_mcp.controller.naming import label, who_is_who
    from legoenv_mcp.controller.proofs import kept, standing
    from legoenv_mcp.verify.grading import in_words

    environment = _load(args.environment)
    if args.json:
        whole = environment.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        print_json(
            {**whole, "hash": environment.hash, "proof": kept(environment.id), "standing": standing(environment)}
        )
        return 0
    print(f"{environment.title}\n{environment.id}@{environment.version}, difficulty {environment.difficulty}")
    print(f"apps: {', '.join(environment.apps)}; world: {environment.world}; proof: {standing(environment)}\n")
    print(environment.instruction.strip())
    if environment.hard:
        print(f"\nWhat makes it hard\n{environment.hard.strip()}")
    if named := who_is_who(environment):
        print("\nWho is who")
        for found, what in named.items():
            print(f"  {found}  {what}")
    print("\nGoals")
    for goal in environment.verifier.goal:
        fields = ", ".join(f"{name} {in_words(value)}" for name, value in (goal.fields or goal.to).items())
        count = f" ({goal.count} of them)" if goal.count != 1 else ""
        print(f"  {goal.name}: {goal.kind} {goal.target}{count} with {fields}")
    if environment.verifier.answer is not None:
        print(f"  answer: states {', '.join(map(str, environment.verifier.answer.facts))}")
    print("\nWhat may change, and nothing else")
    for entry in environment.verifier.allow:
        where = ", ".join(f"{name} {in_words(value)}" for name, value in entry.fields.items())
        columns = f": {', '.join(entry.columns)}" if entry.columns else ""
        print(f"  {entry.kind} of {entry.target} {entry.row or (where and f'with {where}')}{columns}".rstrip())
    print("\nReference plan")
    for step in environment.plan:
        print(f"  {step.step}: {step.what} {json.dumps(step.arguments, ensure_ascii=False)}")
    if environment.answer:
        print(f"  answer: {environment.answer}")
    if environment.trap:
        print("\nMistakes that are caught")
        for trap in environment.trap:
            print(f"  {trap.name} (by {' or '.join(trap.catchers)})")
    if environment.added:
        print("\nAdded to the world")
        for one in environment.added:
            print(f"  {one.kind}: {label(one.entity())}")
    return 0


def prove(args: argparse.Namespace) -> int:
    from legoenv_mcp.controller.proofs import Crew, keep_in, prove_one, standings, store

    if args.all + args.stale + bool(args.environments) != 1:
        raise Usage("name the environments to prove, or --all, or --stale")
    if args.all or args.stale:
        found = _all()
        stand = standings(found) if args.stale else {}
        names = [e.id for e in found if stand.get(e.id) != "proven"]
    else:
        names = [_load(name).id for name in args.environments]
    proofs = list[Any]()
    with progress("proving", len(names), quiet=args.json) as advance, Crew(args.jobs) as crew:
        for proof in crew.map(prove_one, names):
            store(proof)
            proofs.append(proof)
            advance(f"{sum(not p.proven for p in proofs)} failed")
    if args.out:
        keep_in(Path(args.out), proofs)
    proven = sum(p.proven for p in proofs)
    if args.json:
        print_json({"proven": proven, "failed": len(proofs) - proven, "proofs": [p.as_json() for p in proofs]})
    else:
        for proof in proofs:
            for check in proof.failed:
                print(f"{proof.environment}: {check.rule} {check.name}: {check.detail}", file=sys.stderr)
        print(f"{proven} proven, {len(proofs) - proven} failed")
    return 0 if proven == len(proofs) else 1


def play(args: argparse.Namespace) -> int:
    from legoenv_mcp.controller.plans import PlanError
    from legoenv_mcp.controller.plans import play as play_plan

    environment = _load(args.environment)
    plan, answer = _plan(environment, args.plan)
    episode = environment.episode()
    try:
        run = play_plan(plan, episode)
    except PlanError as error:
        raise Failure(str(error)) from None
    verdict = environment.grade(episode, answer)
    if args.json:
        calls = [{"step": d.step.step, "app": d.step.app, "tool": d.tool, "status": d.status} for d in run.done]
        print_json(
            {
                "environment": environment.id,
                "calls": calls,
                **_verdict_json(verdict),
                "diff": [c.as_json() for c in episode.changes()],
            }
        )
    else:
        for done in run.done:
            print(f"{done.status}  {done.step.app}.{done.tool}")
        _print_verdict(verdict)
    return 0 if verdict.passed else 1


def _plan(environment: "Environment", name: str) -> "tuple[tuple[Step, ...], str | None]":
    from legoenv_mcp.controller.environment import Step

    if name == "reference":
        return environment.plan, environment.answer
    if name == "noop":
        return (), None
    try:
        data = json.loads(Path(name).read_text(encoding="utf-8"))
        steps = data["steps"] if isinstance(data, dict) else data
        plan = tuple(Step.model_validate({"step": f"step{n}", **step}) for n, step in enumerate(steps, 1))
    except OSError as error:
        raise Usage(f"{name}: {error.strerror}; a plan is reference, noop or a JSON file") from None
    except (ValueError, KeyError, TypeError) as error:
        raise Usage(f"{name} is no plan: {str(error).splitlines()[0]}") from None
    if strangers := {s.app for s in plan} - set(environment.apps):
        raise Usage(f"{name}: {environment.id} does not have the apps {', '.join(sorted(strangers))}")
    return plan, data.get("answer") if isinstance(data, dict) else None


def _verdict_json(verdict: "Verdict") -> dict[str, Any]:
    return {
        "outcome": verdict.outcome, "reward": verdict.reward, "passed": verdict.passed, "fault": verdict.fault,
        "assertions": [a.as_json() for a in verdict.assertions],
    }  # fmt: skip


def _print_verdict(verdict: "Verdict") -> None:
    for assertion in verdict.assertions:
        print(f"{'passed' if assertion.passed else 'FAILED'}  {assertion.name}: {assertion.detail}")
    if verdict.fault:
        print(f"invalid: {verdict.fault}")
    print(f"reward {verdict.reward}")


def demo(args: argparse.Namespace) -> int:
    import anyio

    environment = _load(args.environment)
    return anyio.run(_demo, environment)


async def _demo(environment: "Environment") -> int:
    """Plays the reference plan through real MCP client connections: one to each app, as an MCP host has them."""
    from contextlib import AsyncExitStack

    from mcp.client import Client

    from legoenv_mcp.controller.plans import calls_of, play_through
    from legoenv_mcp.faces.mcp import serve

    print(f"\n{environment.title}  ({environment.id}, world: {environment.world})\n")
    print(environment.instruction.strip() + "\n")
    before = environment.grade(environment.episode())
    print(f"Doing nothing: {before.outcome}, reward {before.reward}\n")
    episode = environment.episode()
    async with AsyncExitStack() as stack:
        clients = {slug: await stack.enter_async_context(Client(serve(episode, [slug]))) for slug in environment.apps}
        for slug, client in clients.items():
            listed = (await client.list_tools()).tools
            print(f"Connected to {slug} over MCP {client.protocol_version}: {len(listed)} tools")
        print()

        async def make(slug: str, tool: str, arguments: dict[str, Any]) -> tuple[int, Any]:
            print(f"  -> {slug}.{tool} {_brief(json.dumps(arguments, ensure_ascii=False))}")
            result = await clients[slug].call_tool(tool, arguments)
            text = result.content[0].text if result.content and result.content[0].type == "text" else ""
            print(f"     {'error' if result.is_error else 'ok'}: {_brief(text)}")
            status = int((result.meta or {}).get("legoenv/status", 500 if result.is_error else 200))
            body = result.structured_content if result.structured_content is not None else text
            return status, body["result"] if isinstance(body, dict) and set(body) == {"result"} else body

        await play_through(calls_of(environment.plan, environment.episode()), make)
    verdict = environment.grade(episode, environment.answer)
    print("\nGraded on what changed, not on what was said:")
    _print_verdict(verdict)
    first, command = environment.apps[0], _command()
    print(
        f"\nConnect your own MCP client:\n"
        f"  {command} config {first} --client claude    the configuration to paste (also cursor, vscode, json)\n"
        f"  {command} serve {first}                     one app over stdio\n"
        f"  {command} gateway                          the whole fleet over HTTP: POST /episodes, play, grade\n"
        f"  {command} apps                             what there is\n"
    )
    return 0 if verdict.passed else 1


def _brief(text: str) -> str:
    return text if len(text) <= 140 else text[:137] + "..."


def _command() -> str:
    """How this very command is called from here: by its name where that is on the path, else by where it lies."""
    import os
    import shutil

    found = shutil.which("legoenv")
    mine = os.path.abspath(sys.argv[0])
    return "legoenv" if found and os.path.samefile(found, mine) else os.path.relpath(mine)
