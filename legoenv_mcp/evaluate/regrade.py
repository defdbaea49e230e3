"""Grading a stored rollout anew, offline: its end state is made again, from its calls or its state diff, and the verifier judges that."""

from collections.abc import Mapping
from typing import Any

from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.evaluate.mistakes import plain
from legoenv_mcp.evaluate.replay import replay
from legoenv_mcp.evaluate.rollout import Asserted, Rollout
from legoenv_mcp.kernel.episode import Episode, LiveApp


class CannotRegrade(ValueError):
    """The stored end state cannot be made again here; the message says why."""


def regraded(rollout: Rollout, environment: Environment) -> Rollout:
    """The rollout with the verdict that the environment's verifier gives today. Invalid rollouts stay as they are.

    CannotRegrade where neither leads there any more: the world or an app has changed since.
    """
    if rollout.verdict == "invalid" and rollout.fault is not None:
        return rollout
    episode = environment.episode()
    replay(rollout, environment, episode)
    if not _same(episode, rollout):
        episode = _laid(rollout, environment)
    verdict = environment.grade(episode, rollout.answer)
    return rollout.model_copy(
        update={
            "verdict": verdict.outcome, "reward": verdict.reward, "share": verdict.share,
            "assertions": [Asserted.model_validate(a.as_json()) for a in verdict.assertions],
            "environment_hash": environment.hash, "verifier_hash": environment.verifier_hash,
        }
    )  # fmt: skip


def _laid(rollout: Rollout, environment: Environment) -> Episode:
    """The start state with the stored diff written over it."""
    episode = environment.episode()
    for slug in sorted({change["app"] for change in rollout.diff}):
        if slug not in environment.apps:
            raise CannotRegrade(f"the environment no longer has the app {slug}")
        try:
            _lay(episode.app(slug), [c for c in rollout.diff if c["app"] == slug])
        except CannotRegrade:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a row of another version does to today's tables
            raise CannotRegrade(f"{slug}: {str(error).splitlines()[0]}") from None
    if not _same(episode, rollout):
        raise CannotRegrade("its calls and its diff no longer lead to the state that it ended in")
    return episode


def _lay(live: LiveApp, changes: list[Mapping[str, Any]]) -> None:
    """Writes changes into an app as rows: no operation runs, no time passes."""
    live.fork()
    store, shapes = live.store, live.app.shapes
    store.touched = {}
    store.connection.execute("BEGIN")
    store.connection.execute("PRAGMA defer_foreign_keys = ON")
    for change in changes:
        shape, key = shapes[change["table"]], tuple(change["key"])
        if change["change"] == "insert":
            store.add(shape.cls.of(dict(change["after"])))
            continue
        row = store.get(shape.cls, key[0] if len(key) == 1 else key)
        if row is None:
            raise CannotRegrade(
                f"{live.app.slug}.{change['table']} {'/'.join(map(str, key))} is not in the start state"
            )
        if change["change"] == "delete":
            store.delete(row)
        else:
            store.update(row, **{name: values["after"] for name, values in change["columns"].items()})
    store.connection.execute("COMMIT")
    live.touched.update(store.touched)


def _same(episode: Episode, rollout: Rollout) -> bool:
    return plain(change.as_json() for change in episode.changes()) == list(rollout.diff)
