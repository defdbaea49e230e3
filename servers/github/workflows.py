"""Workflow files (.github/workflows/*.yml) and the runs they make.

Only the shape of a workflow matters here, so its few keys are read line by line by their indentation: name, triggers, jobs, steps.
"""

import re
from dataclasses import dataclass

from legoenv_mcp.app import Ctx

from . import git
from .models import Account, Blob, Commit, Conclusion, Job, Repository, Run, RunStatus, Workflow

_FOLDER = ".github/workflows/"
_KEY = re.compile(r"^( *)(?:- )?([\w.-]+|\"[^\"]+\"|'[^']+'): *(.*?) *(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Definition:
    name: str
    triggers: frozenset[str]
    jobs: dict[str, list[str]]
    """Job names and their steps' names."""
    inputs: dict[str, dict[str, str]]
    """What workflow_dispatch takes: by name, the keys that are said of each (required, default, type)."""


def read_workflow(text: str, path: str) -> Definition:
    name, triggers, jobs, section, job = path, set[str](), dict[str, list[str]](), "", ""
    inputs, trigger, held = dict[str, dict[str, str]](), "", dict[str, str]()
    for line in text.splitlines():
        listed = re.match(r"^ +- *([\w]+) *$", line)
        if listed and section == "on":
            triggers.add(listed[1])
        found = _KEY.match(line)
        if found is None:
            continue
        depth, key, value = len(found[1]), found[2].strip("\"'"), found[3].strip("\"'")
        if depth == 0:
            section = "on" if key == "true" else key
            if section == "name":
                name = value
            elif section == "on" and value:
                triggers.update(re.findall(r"\w+", value))
        elif section == "on" and depth == 2:
            triggers.add(key)
            trigger = key
        elif section == "on" and trigger == "workflow_dispatch" and depth == 6:
            held = inputs.setdefault(key, {})
        elif section == "on" and trigger == "workflow_dispatch" and depth == 8:
            held[key] = value
        elif section == "jobs" and depth == 2:
            job = key
            jobs[job] = []
        elif (
            section == "jobs"
            and depth > 4
            and job
            and line.lstrip().startswith("- ")
            and key in ("name", "uses", "run")
        ):
            jobs[job].append(value if key == "name" else f"Run {value}")
    return Definition(name or path, frozenset(triggers), jobs or {"build": []}, inputs)


def definition(ctx: Ctx, repo: Repository, workflow: Workflow, commit: str) -> Definition | None:
    """The workflow's file as of a commit; None where that commit has none."""
    row = ctx.db.get(Commit, (repo.id, commit))
    entry = git.find(ctx, repo, row.tree, workflow.path) if row else None
    blob = ctx.db.get(Blob, (repo.id, entry[1])) if entry else None
    return read_workflow(blob.content, workflow.path) if blob and not blob.binary else None


def sync_workflows(ctx: Ctx, repo: Repository, tree: str, at: str = "") -> None:
    """Registers the workflow files of the default branch, and marks those whose file is gone."""
    here = git.find(ctx, repo, tree, _FOLDER)
    entries = git.tree_entries(ctx, repo, here[1]) if here and here[0] == git.FOLDER else []
    known = {w.path: w for w in ctx.db.find(Workflow, repository_id=repo.id)}
    seen = set[str]()
    for _, name, sha in entries:
        blob = ctx.db.get(Blob, (repo.id, sha))
        if not name.endswith((".yml", ".yaml")) or blob is None or blob.binary:
            continue
        path = _FOLDER + name
        seen.add(path)
        title = read_workflow(blob.content, path).name
        if path not in known:
            register(ctx, repo, path, title, at)
        elif known[path].name != title or known[path].state == "deleted":
            state = "active" if known[path].state == "deleted" else known[path].state
            ctx.db.update(known[path], name=title, state=state, updated_at=at or ctx.timestamp())
    for path, workflow in known.items():
        if entries and path not in seen and workflow.state != "deleted":
            ctx.db.update(workflow, state="deleted", updated_at=at or ctx.timestamp())


def register(ctx: Ctx, repo: Repository, path: str, name: str, at: str = "") -> Workflow:
    now = at or ctx.timestamp()
    key = ctx.sequence("workflow", 91_204_418, 1_787)
    return ctx.db.add(Workflow(id=key, repository_id=repo.id, path=path, name=name, created_at=now, updated_at=now))


def start_run(
    ctx: Ctx, repo: Repository, workflow: Workflow, event: str, branch: str, sha: str, actor: Account, title: str = "",
    inputs: dict[str, object] | None = None, status: RunStatus = "queued", conclusion: Conclusion | None = None, created: str = "",
) -> Run:  # fmt: skip
    now = created or ctx.timestamp()
    commit = ctx.db.get(Commit, (repo.id, sha))
    run = ctx.db.add(Run(
        id=ctx.sequence("run", 14_820_330_518, 104_729), workflow_id=workflow.id, repository_id=repo.id,
        run_number=1 + ctx.db.count(Run, workflow_id=workflow.id), event=event, status=status, conclusion=conclusion,
             # pyright: ignore[reportArgumentType]
        head_branch=branch, head_sha=sha, display_title=title or (git.subject(commit.message) if commit else workflow.name),
        actor_id=actor.id, inputs=inputs or {}, created_at=now, run_started_at=now, updated_at=now,
    ))  # fmt: skip
    start_jobs(ctx, repo, workflow, run)
    return run


def start_jobs(ctx: Ctx, repo: Repository, workflow: Workflow, run: Run, names: list[str] | None = None) -> None:
    """The jobs of the run's current attempt, in the state of the run: of a failed run it is the last job that failed."""
    found = definition(ctx, repo, workflow, run.head_sha)
    jobs = found.jobs if found else {"build": []}
    chosen = {name: steps for name, steps in jobs.items() if names is None or name in names} or jobs
    done = run.status == "completed"
    for n, (name, steps) in enumerate(chosen.items(), 1):
        last = n == len(chosen)
        verdict = run.conclusion if done and (last or run.conclusion != "failure") else "success" if done else None
        titles = ["Set up job", *(steps or [f"Run {name}"]), "Complete job"]
        shown = [
            {"name": title, "status": run.status, "conclusion": _step(verdict, k == len(titles) - 1), "number": k}
            for k, title in enumerate(titles, 1)
        ]
        ctx.db.add(Job(
            id=ctx.sequence("job", 41_573_220_117, 99_991), run_id=run.id, run_attempt=run.run_attempt, name=name, status=run.status,
            conclusion=verdict, steps=shown, started_at=run.run_started_at, completed_at=run.run_started_at if done else None,
        ))  # fmt: skip


def _step(verdict: str | None, last: bool) -> str | None:
    """How a step ended in a job with this verdict: in a failed one it is the last step of its own that failed."""
    return "success" if verdict == "failure" and not last else verdict


def log_of(ctx: Ctx, run: Run, job: Job) -> str:
    """The log of a job: what the runner prints about each step."""
    stamp = f"{run.run_started_at[:-1]}.0000000Z"
    lines = [
        f"{stamp} Current runner version: '2.321.0'",
        f"{stamp} Job name: {job.name}",
        f"{stamp} Workflow: {ctx.require(Workflow, run.workflow_id).name}",
    ]
    for step in job.steps:
        lines.append(f"{stamp} ##[group]{step['name']}")
        lines.append(f"{stamp} ##[endgroup]")
        if step["conclusion"] == "failure":
            lines.append(f"{stamp} ##[error]Process completed with exit code 1.")
        elif step["conclusion"] == "cancelled":
            lines.append(f"{stamp} ##[error]The operation was canceled.")
    return "\n".join(lines) + "\n"
