"""The report as one page that needs no network: plots, tables, and every trajectory, compressed, in the page itself.

An environment's rollouts are compressed together, since they read the same rows; the page unpacks them when one is looked at. What
models and tools wrote is never markup: it is base64 in the file, and text nodes in the browser; the page's policy lets no script run
but its own.
"""

import base64
import hashlib
import json
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import IO, Any, Self

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from legoenv_mcp.evaluate import report_charts as charts
from legoenv_mcp.evaluate.record import Record, Run
from legoenv_mcp.evaluate.rollout import Rollout

TABS = ("difficulty", "app", "capability", "domain", "world", "rule", "trap", "intent")
LONGEST = 20_000
"""Characters of one result or value that the page keeps; the run folder has it whole."""
_EXACT = 2**53
"""Whole numbers from here on are not exact in a browser: they are kept as text."""


class Trajectories:
    """The trajectories of a run, packed as they are read, in a temporary file. Use it as a context manager."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self._places: list[tuple[str, int, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, rollouts: list[Rollout]) -> None:
        """Packs the rollouts of one environment."""
        packed = pack({str(r.attempt): shown(r) for r in rollouts})
        self._places.append((rollouts[0].environment, self._file.tell(), len(packed)))
        self._file.write(packed)

    def packed(self) -> Iterator[tuple[str, str]]:
        """Each environment's id and its packed rollouts."""
        for name, start, length in self._places:
            self._file.seek(start)
            yield name, self._file.read(length).decode()


def pack(data: Any) -> bytes:
    """JSON, deflated, in base64: what the page's script unpacks."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return base64.b64encode(zlib.compress(text, 9))


def shown(rollout: Rollout) -> dict[str, Any]:
    """What the viewer shows of a rollout: its turns with their calls, its assertions, its diff."""
    calls = dict[int, list[dict[str, Any]]]()
    for call in rollout.calls:
        kept = call.model_dump(include={"tool", "arguments", "status", "result", "seconds"})
        calls.setdefault(call.turn, []).append(kept)
    turns, turn = list[dict[str, Any]](), 0
    for message in rollout.messages:
        text, role = _content(message), message.get("role")
        if role == "assistant":
            thought = message.get("reasoning_content") or message.get("reasoning") or ""
            turns.append({"turn": turn, "reasoning": thought, "text": text, "calls": calls.pop(turn, [])})
            turn += 1
        elif role == "system" or (
            role == "user" and rollout.tool_mode == "native" and text.strip() != rollout.instruction.strip()
        ):
            turns.append({"role": role, "text": text})
    turns += [{"turn": n, "reasoning": "", "text": "", "calls": left} for n, left in sorted(calls.items())]
    kept = rollout.model_dump(
        include={
            "instruction", "answer", "assertions", "diff", "notes", "fault", "usage", "started", "environment_hash", "verifier_hash",
        }
    )  # fmt: skip
    return _cut({**kept, "turns": turns, "folder": "/".join(rollout.folder(Path()).parts)})


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", f"[{part.get('type')}]")) for part in content if isinstance(part, Mapping))


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return (
            value
            if len(value) <= LONGEST
            else value[:LONGEST] + f"\n… {len(value) - LONGEST:,} more characters in rollout.json"
        )
    if isinstance(value, dict):
        return {k: _cut(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cut(v) for v in value]
    return str(value) if isinstance(value, int) and abs(value) >= _EXACT else value


def write_page(
    path: Path, runs: Sequence[Run], found: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any] | None,
    trajectories: Sequence[Trajectories],
) -> int:  # fmt: skip
    """Writes the page; answers its size in bytes. `found` are the runs' reports, `comparison` of two runs."""
    names = dict[str, int]()
    for run in runs:
        for record in run.records:
            names.setdefault(record.rollout.environment, len(names))
    rows = [row for number, run in enumerate(runs) for row in _rows(number, run, found[number])]
    data = {
        "environments": list(names),
        "rows": rows,
        "clusters": [
            {
                **{k: c[k] for k in ("cause", "about")},
                "run": n,
                "where": [[w["environment"], w["attempt"]] for w in c["where"]],
            }
            for n, one in enumerate(found)
            for c in one["failures"]["clusters"]
        ],
    }
    templates = Environment(
        loader=PackageLoader("legoenv_mcp.evaluate", "page"), autoescape=True, undefined=StrictUndefined
    )
    templates.filters.update(percent=charts.percent, points=lambda v: "–" if v is None else f"{100 * v:+.1f}")
    script, style = (
        resources.files("legoenv_mcp.evaluate").joinpath("page", name).read_text("utf-8")
        for name in ("report.js", "report.css")
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    stream = templates.get_template("report.html.j2").stream(
        script=Markup(script), digest=digest, style=Markup(style), runs=found,
        comparison=comparison, plots=_plots(runs, found, comparison), tabs=TABS, data=pack(data).decode(),
        packed=((n, names[name], text) for n, one in enumerate(trajectories) for name, text in one.packed()),
    )  # fmt: skip
    stream.enable_buffering(64)
    with path.open("wb") as file:
        stream.dump(file, encoding="utf-8", errors="replace")
    return path.stat().st_size


def _rows(number: int, run: Run, found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    cluster = {
        (w["environment"], w["attempt"]): n for n, c in enumerate(found["failures"]["clusters"]) for w in c["where"]
    }
    for record in run.records:
        yield _row(number, record, cluster.get(record.key))


def _row(number: int, record: Record, cluster: int | None) -> dict[str, Any]:
    rollout, failure = record.rollout, record.failure
    return {
        "run": number, "environment": rollout.environment, "attempt": rollout.attempt, "verdict": rollout.verdict,
        "share": rollout.share, "ended": rollout.ended, "apps": list(rollout.apps), "difficulty": rollout.difficulty,
        "domain": rollout.domain, "world": rollout.world, "intent": rollout.intent, "rules": list(rollout.rules),
        "traps": list(rollout.traps), "branch": record.branch, "steps": rollout.steps, "calls": record.calls,
        "refused": record.refused, "tokens": rollout.usage.input_tokens + rollout.usage.output_tokens, "cost": rollout.usage.cost,
        "seconds": rollout.seconds, "cause": failure.cause if failure else "", "about": failure.about if failure else "",
        "evidence": failure.evidence if failure else "", "cluster": cluster,
    }  # fmt: skip


def _plots(
    runs: Sequence[Run], found: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any] | None
) -> dict[str, Any]:
    groups = {
        name: Markup(
            charts.bars([one[f"by_{name}"] for one in found], f"pass@1 by {name}", by_size=name != "difficulty")
        )
        for name in TABS
    }
    one = found[0]
    gauges = {n: Markup(charts.gauge(one[n], one["intervals"][n], n)) for n in ("pass@1", "avg@k", "pass@k", "pass^k")}
    branch = one["every_branch"]
    gauges["branch"] = Markup(charts.gauge(branch["share"], branch["interval"], "every rule branch"))
    plots: dict[str, Any] = {"groups": groups, "gauges": gauges, "curve": "", "differences": ""}
    if max(each["k"] for each in found) > 1:
        plots["curve"] = Markup(charts.curve([each["curve"] for each in found], "pass@k and pass^k by k"))
    plots["steps"] = Markup(_histogram(runs[0]))
    if comparison:
        k = str(comparison["k"])
        rows = [
            (name.replace("k", k) if name != "pass@1" else name, comparison[name])
            for name in ("pass@1", "pass@k", "pass^k")
        ]
        plots["differences"] = Markup(charts.differences(rows, "difference of the two runs"))
    return plots


def _histogram(run: Run) -> str:
    rollouts = [r.rollout for r in run.records]
    most = max((r.steps for r in rollouts), default=0)
    width = max(1, -(-(most + 1) // 14))
    edges = list(range(0, most + 1, width))
    counts = {v: [0] * len(edges) for v in ("passed", "failed", "invalid")}
    for rollout in rollouts:
        counts[rollout.verdict][rollout.steps // width] += 1
    return charts.histogram(counts, edges, "turns of the rollouts", "turns")
