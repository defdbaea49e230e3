"""A report on the terminal: made for 100 columns, plain where the output is no terminal."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

WIDTH = 100
BAR = 24
BLOCKS = " ▏▎▍▌▋▊▉█"
CLUSTERS = 10
GROUPS_SHOWN = 25


def show(found: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any] | None, by: Sequence[str]) -> None:
    """Prints the first run's tables, and how the second differs."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    one = found[0]
    _head(console, one)
    for name in by:
        _groups(console, name, one)
    _failures(console, one)
    _spent(console, one)
    if comparison:
        _comparison(console, comparison)
    for note in (n for each in found for n in each["notes"]):
        console.print(Text(f"note: {note}", style="yellow"))
    for each in found:
        if "regraded" in each:
            _regraded(console, each["regraded"])


def percent(share: float | None) -> str:
    """12.3 %, or a dash where there is no figure."""
    return "-" if share is None else f"{100 * share:.1f} %"


def between(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f}"


def bar(share: float | None, width: int = BAR) -> Text:
    """A share as a bar, eighths of a column fine, on a dotted ground so that 0 and nothing look different."""
    if share is None:
        return Text("")
    eighths = round(share * width * 8)
    full, rest = divmod(eighths, 8)
    filled = "█" * full + (BLOCKS[rest] if rest else "")
    colour = "green" if share >= 2 / 3 else "yellow" if share >= 1 / 3 else "red"
    return Text.assemble((filled, colour), ("·" * (width - len(filled)), "dim"))


def _table(title: str, *columns: str, right: Sequence[int] = ()) -> Table:
    made = Table(
        box=None, pad_edge=False, header_style="bold", title=title, title_justify="left", title_style="bold cyan"
    )
    for number, column in enumerate(columns):
        made.add_column(column, justify="right" if number in right else "left", overflow="fold")
    return made


def _head(console: Console, one: Mapping[str, Any]) -> None:
    console.print(Text.assemble((one["model"], "bold"), f"  {one['run']}"))
    console.print(
        f"{one['environments']} environments, k = {one['k']}, {one['rollouts']} rollouts: {one['passed']} passed, "
        f"{one['failed']} failed, {one['invalid']} invalid"
        + (f" ({', '.join(f'{n} {who}' for who, n in one['invalid_by'].items())})" if one["invalid"] else "")
        + f"; toolset {one['toolset']}, {one['tool_mode']} calls\n"
    )
    k, theirs = one["k"], one["mcpmark"]
    marks = {"avg@k": theirs["pass@1"]["avg"], "pass@k": theirs[f"pass@{k}"], "pass^k": theirs[f"pass^{k}"]}
    table = _table("Metrics", "", "", "95 % interval", "as MCP-Mark", "", right=(1, 2, 3))
    for name in ("pass@1", "avg@k", "pass@k", "pass^k"):
        shown = name.replace("k", str(k)) if name != "pass@1" else name
        spread = (
            f" ± {100 * theirs['pass@1']['std']:.1f}" if name == "avg@k" and theirs["pass@1"]["std"] is not None else ""
        )
        as_theirs = percent(marks[name]) + spread if name in marks else ""
        table.add_row(shown, percent(one[name]), between(one["intervals"][name]), as_theirs, bar(one[name]))
    branch = one["every_branch"]
    if branch["intents"]:
        table.add_row(
            "every rule branch", percent(branch["share"]), between(branch["interval"]), "", bar(branch["share"])
        )
    console.print(table)
    if branch["intents"]:
        console.print(
            f"(every rule branch: over the {branch['intents']} intents that were run in two branches or more)"
        )
    console.print()


def _groups(console: Console, by: str, one: Mapping[str, Any]) -> None:
    found = one[f"by_{by}"]
    k = one["k"]
    table = _table(f"By {by}", by, "environments", "invalid", "pass@1", "95 %", f"pass^{k}", "", right=(1, 2, 3, 4, 5))
    ordered = (
        list(found.items())
        if by == "difficulty"
        else sorted(found.items(), key=lambda i: (-i[1]["environments"], i[0]))
    )
    for name, group in ordered[:GROUPS_SHOWN]:
        table.add_row(
            name, str(group["environments"]), str(group["invalid"]), percent(group["pass@1"]), between(group["interval"]),
            percent(group["pass^k"]), bar(group["pass@1"]),
        )  # fmt: skip
    console.print(table)
    if len(ordered) > GROUPS_SHOWN:
        console.print(f"and {len(ordered) - GROUPS_SHOWN} more: see --json or --html")
    console.print()


def _failures(console: Console, one: Mapping[str, Any]) -> None:
    failures = one["failures"]
    if not failures["causes"]:
        return
    table = _table("Why rollouts failed", "root cause", "rollouts", "share", "", right=(1, 2))
    for cause, count in failures["causes"].items():
        table.add_row(cause, str(count), percent(count / one["failed"]), bar(count / one["failed"]))
    console.print(table)
    console.print()
    console.print(Text("Failures alike, biggest first", style="bold cyan"))
    for cluster in failures["clusters"][:CLUSTERS]:
        count = f"{cluster['rollouts']} rollouts of {cluster['environments']} environments"
        console.print(Text.assemble((f"{cluster['cause']}: {cluster['about']}", "bold"), f"  {count}"))
        evidence = cluster["evidence"]
        console.print(
            Padding(Text(evidence if len(evidence) <= 190 else evidence[:189] + "…", style="dim"), (0, 0, 0, 2))
        )
    if (more := len(failures["clusters"]) - CLUSTERS) > 0:
        console.print(f"and {more} more: see --json or --html")
    console.print()


def _spent(console: Console, one: Mapping[str, Any]) -> None:
    tokens, cost, steps, calls = one["tokens"], one["cost"], one["steps"], one["calls"]
    table = _table("Spent", "", "in all", "a rollout", right=(1, 2))
    in_all = f"{tokens['input']:,} in, {tokens['output']:,} out ({tokens['reasoning']:,} of it reasoning)"
    table.add_row("tokens", in_all, f"{tokens['per_rollout']:,.0f}")
    if cost["total"] is not None:
        each = f"$ {cost['per_rollout']:.4f}" + (
            f" ($ {cost['per_passed']:.4f} a passed one)" if cost["per_passed"] else ""
        )
        table.add_row("cost", f"$ {cost['total']:.2f}", each)
    if steps["mean"] is not None:
        table.add_row("turns", "", f"{steps['mean']:.1f} (median {steps['median']:g}, most {steps['max']})")
    table.add_row(
        "calls", f"{calls['total']:,}, of which {calls['refused']:,} refused (4xx)", f"{calls['per_rollout']:.1f}"
    )
    seconds = one["seconds"]
    table.add_row(
        "seconds", "", f"{seconds['per_rollout']:.1f}, {seconds['waiting_for_the_model']:.1f} of them the model's"
    )
    console.print(table)
    console.print()


def _comparison(console: Console, found: Mapping[str, Any]) -> None:
    first, second = found["first"], found["second"]
    console.print(Text("Compared", style="bold cyan"))
    console.print(f"first:  {first['model']}  {first['run']}\nsecond: {second['model']}  {second['run']}")
    console.print(f"{found['environments']} environments in both, unchanged; {_left_out(found)}")
    table = _table("", "", "first", "second", "difference", "95 % interval", right=(1, 2, 3, 4))
    for name in ("pass@1", "pass@k", "pass^k"):
        row, shown = found[name], name.replace("k", str(found["k"]))
        difference = "-" if row["difference"] is None else f"{100 * row['difference']:+.1f}"
        table.add_row(shown, percent(row["first"]), percent(row["second"]), difference, between(row["interval"]))
    console.print(table)
    chance = found["sign_test"]
    console.print(
        f"{len(found['gained'])} environments gained, {len(found['lost'])} lost, {found['same']} the same"
        + (f" (sign test: p = {chance:.3g})" if chance is not None else "")
    )
    for word, moved in (("gained", found["gained"]), ("lost", found["lost"])):
        for one in moved[:8]:
            console.print(f"  {word}  {percent(one['first']):>8} -> {percent(one['second']):>8}  {one['environment']}")
        if len(moved) > 8:
            console.print(f"  and {len(moved) - 8} more {word}")
    console.print()


def _left_out(found: Mapping[str, Any]) -> str:
    said = (
        (found["only_first"], "only in the first"), (found["only_second"], "only in the second"),
        (found["changed_between"], "changed between them"), (found["without_a_valid_rollout"], "without a valid rollout"),
    )  # fmt: skip
    return ", ".join(f"{count} {what}" for count, what in said if count) or "none left out"


def _regraded(console: Console, found: Mapping[str, Any]) -> None:
    console.print(
        f"graded anew: {found['same']} verdicts stand, {len(found['changed'])} changed, {len(found['not_possible'])} not possible"
    )
    for one in found["changed"][:10]:
        why = "the environment is the same" if one["same_environment"] else "the environment has changed"
        console.print(f"  {one['environment']} attempt {one['attempt']}: {one['was']} -> {one['is']} ({why})")
    for one in found["not_possible"][:5]:
        console.print(f"  {one['environment']} attempt {one['attempt']}: {one['reason']}")
