"""The results of a run folder as tables: `results.sqlite`, made from the files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import registry
from sqlmodel import Field, Session, SQLModel, create_engine

from legoenv_mcp.evaluate.rollout import Rollout, finished


class _Table(SQLModel, registry=registry()):
    """Metadata of their own: apps have tables too."""


class RolloutRow(_Table, table=True):
    __tablename__: Any = "rollouts"

    id: int = Field(primary_key=True)
    environment: str = Field(index=True)
    environment_hash: str
    verifier_hash: str
    attempt: int
    model: str
    toolset: str
    tool_mode: str
    verdict: str = Field(index=True)
    reward: float | None
    share: float
    ended: str
    fault_boundary: str | None
    fault_message: str | None
    apps: str
    """A JSON list, as are rules, traps, capabilities and notes."""
    world: str
    difficulty: int
    domain: str
    intent: str
    rules: str
    traps: str
    capabilities: str
    notes: str
    answer: str | None
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost: float | None
    steps: int
    started: str
    seconds: float
    model_seconds: float
    folder: str
    """Relative to the run folder."""


class CallRow(_Table, table=True):
    __tablename__: Any = "calls"

    id: int = Field(primary_key=True)
    rollout: int = Field(foreign_key="rollouts.id", index=True)
    number: int
    turn: int
    tool: str = Field(index=True)
    arguments: str
    status: int
    result: str
    seconds: float


class AssertionRow(_Table, table=True):
    __tablename__: Any = "assertions"

    id: int = Field(primary_key=True)
    rollout: int = Field(foreign_key="rollouts.id", index=True)
    name: str
    passed: bool
    detail: str


LISTS = ("apps", "rules", "traps", "capabilities", "notes")
PLAIN = (
    "environment", "environment_hash", "verifier_hash", "attempt", "model", "toolset", "tool_mode", "verdict", "reward", "share",
    "ended", "world", "difficulty", "domain", "intent", "answer", "steps", "started", "seconds", "model_seconds",
)  # fmt: skip


def build(run: Path) -> Path:
    """Makes the tables anew from the files, one rollout at a time; the old ones stay until the new are whole."""
    path, fresh = run / "results.sqlite", run / ".results.sqlite.new"
    fresh.unlink(missing_ok=True)
    engine = create_engine(f"sqlite:///{fresh}")
    _Table.metadata.create_all(engine)
    with Session(engine) as session:
        for number, rollout in enumerate(finished(run), 1):
            session.execute(insert(RolloutRow), _rollout(rollout, number, run))
            if calls := list(_calls(rollout, number)):
                session.execute(insert(CallRow), calls)
            if rollout.assertions:
                session.execute(
                    insert(AssertionRow), [{"rollout": number, **a.model_dump()} for a in rollout.assertions]
                )
        session.commit()
    engine.dispose()
    fresh.replace(path)
    return path


def _rollout(rollout: Rollout, number: int, run: Path) -> dict[str, Any]:
    return {
        "id": number,
        **{name: getattr(rollout, name) for name in PLAIN},
        **{name: json.dumps(list(getattr(rollout, name)), ensure_ascii=False) for name in LISTS},
        **rollout.usage.model_dump(),
        "fault_boundary": rollout.fault.boundary if rollout.fault else None,
        "fault_message": rollout.fault.message if rollout.fault else None,
        "folder": rollout.folder(run).relative_to(run).as_posix(),
    }


def _calls(rollout: Rollout, number: int) -> Iterator[dict[str, Any]]:
    for place, call in enumerate(rollout.calls):
        given = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
        yield {
            "rollout": number, "number": place, "turn": call.turn, "tool": call.tool, "arguments": given, "status": call.status,
            "result": call.result, "seconds": call.seconds,
        }  # fmt: skip
