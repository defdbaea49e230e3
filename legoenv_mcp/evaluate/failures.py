"""Why rollouts failed: one root cause each, from a fixed list of decisions, with the evidence; and the clusters they form.

The first of these that holds is the cause (docs/reports.md says the same for readers):

 1. missing tool       a tool was called that the agent was not offered, and nothing was changed
 2. malformed calls    the model kept sending what cannot be read, or half of its calls or more were no JSON objects or refused as such
 3. context limit, step limit, time limit     it ended there
 4. gave up            nothing was changed where something had to be (an answer that was due and not given: the same)
 5. missed rule        it carries the mark of a known mistake about a rule, or lacks exactly what the rule asks for
 6. fell for trap      it carries the mark of another known mistake
 7. collateral change  every goal holds; what fails is that something else changed
 8. wrong answer       every goal holds but the answer
 9. wrong record       another row than the right one was written, or a new row points at another
10. wrong value        the right row was written, or a new row made, with another value
11. missing step       a goal was not worked on
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.evaluate.mistakes import Background
from legoenv_mcp.evaluate.rollout import Asserted, Call, Rollout

CAUSES = (
    "wrong record", "wrong value", "missed rule", "fell for trap", "missing step", "collateral change", "wrong answer", "gave up",
    "step limit", "context limit", "time limit", "malformed calls", "missing tool",
)  # fmt: skip

_LIMITS = {"step_limit": "step limit", "context_limit": "context limit", "time_limit": "time limit"}
_CREATED = re.compile(
    r"expected \d+ new (?P<target>\S+) with .*; found (?P<good>\d+) of (?P<new>\d+) new \S+ match(?P<near>.*)", re.S
)
_ROW = re.compile(r"expected (?P<target>[a-z0-9_]+[.:]\S+) (?P<key>\S+) (?:to be (?:gone|changed)|(?P<wrong>.*))", re.S)
_ROWS = re.compile(r"expected (?:a|no|\d+) (?P<target>[a-z0-9_]+[.:]\S+) with ", re.S)
_STRAY = re.compile(r"(?:insert|update|delete) of (\S+)")
_POINTER = re.compile(
    r"assignee|author|board|calendar|channel|company|contact|conversation|customer|deal|folder|from|invoice|issue|item|list|opportunity|"
    r"organization|owner|page|parent|payment|person|project|recipients?|reply_to|repo|repository|requester|sheet|table|task|thread|"
    r"ticket|to|user|workbook|id|.*_id|.*Id|.*_key"
)
"""Fields that say which other record is meant."""
_ID = re.compile(r"'(?!\d{4}-\d\d-\d\d)(?=[^']*\d)[A-Za-z0-9_-]{8,}'")
"""A value that looks like an id."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one rollout failed. `about` is what makes failures of a cause alike: an assertion, a tool, a rule, a trap."""

    cause: str
    about: str
    evidence: str


@dataclass(slots=True)
class Cluster:
    """Failures alike. `rollouts` names them by environment and attempt."""

    cause: str
    about: str
    evidence: str
    rollouts: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def as_json(self) -> dict[str, Any]:
        return {
            "cause": self.cause, "about": self.about, "rollouts": len(self.rollouts),
            "environments": len({name for name, _ in self.rollouts}), "evidence": self.evidence,
            "where": [{"environment": name, "attempt": attempt} for name, attempt in self.rollouts],
        }  # fmt: skip


def clusters(failures: Iterable[tuple[str, int, Failure]]) -> list[Cluster]:
    """Failures (environment, attempt, failure) by cause and what they are about, the biggest first; the first one's evidence."""
    found = dict[tuple[str, str], Cluster]()
    for environment, attempt, failure in failures:
        key = failure.cause, failure.about
        found.setdefault(key, Cluster(*key, failure.evidence)).rollouts.append((environment, attempt))
    return sorted(found.values(), key=lambda c: (-len(c.rollouts), c.cause, c.about))


def root_cause(rollout: Rollout, background: Background | None = None) -> Failure:
    """The root cause of a failed rollout. Without its environment at hand (`background`), rules and traps cannot be told."""
    failed = [a for a in rollout.assertions if not a.passed]
    return (
        _calls(rollout) or _ends(rollout, failed) or _known(rollout, failed, background) or _assertions(rollout, failed)
    )


def _calls(rollout: Rollout) -> Failure | None:
    unknown = [c for c in rollout.calls if unknown_tool(c, rollout)]
    if unknown and not rollout.diff:
        tools = Counter(c.tool for c in unknown)
        tool, count = tools.most_common(1)[0]
        return Failure(
            "missing tool", tool, f"asked {count} times for {tool}, which was not offered, and changed nothing"
        )
    bad = [c for c in rollout.calls if isinstance(c.arguments, str)]
    if rollout.ended == "malformed" or (bad and 2 * len(bad) >= len(rollout.calls)):
        if not bad:
            return Failure(
                "malformed calls", "unreadable turns", f"its last turns cannot be read: {_last_words(rollout)}"
            )
        last = bad[-1]
        return Failure(
            "malformed calls",
            last.tool,
            f"{len(bad)} of {len(rollout.calls)} calls; the last: {_brief(str(last.arguments))}",
        )
    return None


def unknown_tool(call: Call, rollout: Rollout) -> bool:
    """Whether a call was answered 404 because there is no such tool (not because there is no such record)."""
    offered = {tool.get("function", tool).get("name") for tool in rollout.tools}
    return call.status == 404 and bool(offered) and call.tool not in offered


def _ends(rollout: Rollout, failed: list[Asserted]) -> Failure | None:
    if cause := _LIMITS.get(rollout.ended):
        often = Counter(c.tool for c in rollout.calls[-10:]).most_common(1)
        tool, count = often[0] if often else ("no call", 0)
        return Failure(
            cause,
            tool,
            f"after {rollout.steps} turns; {count} of its last {min(10, len(rollout.calls))} calls were {tool}",
        )
    if rollout.diff or (rollout.calls and not rollout.world):
        return None  # of another benchmark's task (no world) it is not always known what changed
    due = [a for a in failed if a.name not in ("answer", "frame")]
    if due:
        refused = [c for c in rollout.calls if 400 <= c.status < 500]
        said = f"changed nothing in {len(rollout.calls)} calls"
        if refused:
            said += f", {len(refused)} of them refused; the last: {refused[-1].tool} {refused[-1].status} {_brief(refused[-1].result)}"
        about = refused[-1].tool if refused else ("asked nothing" if not rollout.calls else "no call was refused")
        return Failure("gave up", about, f"{said}. It ended with: {_last_words(rollout)}")
    if not (rollout.answer or "").strip() and any(a.name == "answer" for a in failed):
        return Failure("gave up", "no answer", f"{len(rollout.calls)} calls and no answer")
    return None


def _known(rollout: Rollout, failed: list[Asserted], background: Background | None) -> Failure | None:
    made = background.made(rollout.diff, frozenset(a.name for a in failed), rollout.answer) if background else None
    if made is None:
        return None
    mistake, evidence = made
    if mistake.rule:
        return Failure("missed rule", mistake.rule, f"{mistake.name}: {evidence}")
    return Failure("fell for trap", mistake.name, f"{mistake.name}: {evidence}")


def _assertions(rollout: Rollout, failed: list[Asserted]) -> Failure:
    goals = [a for a in failed if a.name not in ("answer", "frame")]
    if not goals:
        answer = next((a for a in failed if a.name == "answer"), None)
        if answer is not None:
            return Failure("wrong answer", "answer", f"{answer.detail}. It said: {_brief(rollout.answer or '')}")
        frame = next(
            (a for a in failed if a.name == "frame"),
            Asserted(name="frame", passed=False, detail="no assertion is kept"),
        )
        strays = Counter(_STRAY.findall(frame.detail))
        table = strays.most_common(1)[0][0] if strays else "frame"
        return Failure("collateral change", table, _brief(frame.detail, 400))
    frame = next((a.detail for a in failed if a.name == "frame"), "")
    found = [_goal(goal, rollout, frame) for goal in goals]
    return min(found, key=lambda f: ("wrong record", "wrong value", "missing step").index(f.cause))


def _goal(goal: Asserted, rollout: Rollout, frame: str) -> Failure:
    """What is wrong with one goal: read from its sentence (verify/grading.py writes them) and the state diff."""
    detail, evidence = goal.detail, f"{goal.name}: {_brief(goal.detail, 400)}"
    name = re.sub(r"\s*\d+$", "", goal.name)
    if made := _CREATED.match(detail):
        about = f"{name} ({made['target']})"
        if made["new"] == "0":
            return Failure("missing step", about, evidence)
        wrong = re.findall(r"(?:has |, )(\w+) (\S+)", made["near"])
        pointing = any(_POINTER.fullmatch(column) or _ID.match(value) for column, value in wrong)
        return Failure("wrong record" if pointing else "wrong value", about, evidence)
    if row := _ROW.match(detail):
        about, app = f"{name} ({row['target']})", re.split(r"[.:]", row["target"])[0]
        touched = [c for c in rollout.diff if c["app"] == app]
        if any(row["key"] in ("/".join(map(str, c["key"])), *map(str, c["key"])) for c in touched):
            return Failure("wrong value", about, evidence)
        strays = [s for s in re.findall(r"(?:update|delete) of (\S+ \S+)", frame) if s.startswith(f"{app}.")]
        if strays:
            return Failure("wrong record", about, f"{evidence}; instead {strays[0]} was written")
        return Failure("missing step", about, evidence)
    rows = _ROWS.match(detail)
    about = f"{name} ({rows['target']})" if rows else name
    app = re.split(r"[.:]", rows["target"])[0] if rows else ""
    worked_on = any(c["app"] == app or not app for c in rollout.diff)
    return Failure("wrong value" if worked_on else "missing step", about, evidence)


def _last_words(rollout: Rollout) -> str:
    said = next((m for m in reversed(rollout.messages) if m.get("role") == "assistant" and m.get("content")), None)
    return _brief(str(rollout.answer or (said or {}).get("content") or "nothing"))


def _brief(text: str, most: int = 160) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
