"""What an evaluation was asked for: kept in the run folder, so that a rerun goes on with the same and refuses another."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from legoenv_mcp.evaluate.rollout import safe_name, write_whole

BASELINES = ("reference", "noop", "random")


class OtherConfig(ValueError):
    """The run folder holds another evaluation; the message is one line that names what differs."""


class Config(BaseModel):
    """What makes two evaluations the same; `k` may grow. How the endpoint and the tools are reached is in `Way`."""

    model_config = ConfigDict(extra="forbid")

    model: str
    """The endpoint's name for it, or `baseline:` and one of BASELINES."""
    environments: tuple[str, ...]
    k: int = Field(default=4, ge=1)
    max_steps: int = Field(default=50, ge=1)
    toolset: Literal["mcp", "api"] = "mcp"
    tool_mode: Literal["native", "schema"] = "native"
    temperature: float | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    reasoning_effort: str | None = None
    extra_body: dict[str, Any] = Field(default_factory=dict[str, Any])
    """More fields of the request, as the endpoint takes them (`{"top_k": 20}`)."""
    time_limit: float = Field(default=3600.0, gt=0)
    """Seconds for one rollout."""
    price_in: float | None = Field(default=None, ge=0)
    """US dollars for a million tokens."""
    price_out: float | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.baseline is not None and self.baseline not in BASELINES:
            raise ValueError(
                f"there is no baseline {self.baseline!r}; there are {', '.join(f'baseline:{b}' for b in BASELINES)}"
            )
        if self.baseline is not None and (self.toolset, self.tool_mode) != ("mcp", "native"):
            raise ValueError("a baseline calls tools directly: leave out --toolset and --tool-mode")
        if len(set(self.environments)) != len(self.environments):
            raise ValueError("an environment is named twice")
        if (self.price_in is None) != (self.price_out is None):
            raise ValueError("--price-in and --price-out go together")
        return self

    @property
    def baseline(self) -> str | None:
        return self.model.removeprefix("baseline:") if self.model.startswith("baseline:") else None

    @property
    def rollouts(self) -> int:
        """How many there are to be."""
        return self.k * len(self.environments)

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """US dollars, where prices were given."""
        if self.price_in is None or self.price_out is None:
            return None
        return (input_tokens * self.price_in + output_tokens * self.price_out) / 1e6


class Way(BaseModel):
    """How the endpoint and the tools are reached: may differ from one rerun to the next. No key or token is ever written."""

    model_config = ConfigDict(extra="forbid")

    base_url: str = ""
    """Of the OpenAI-compatible endpoint; empty: the client's own default."""
    target: str = ""
    """A gateway's address; empty: the apps run in this process."""
    concurrency: int = Field(default=8, ge=1)
    timeout: float = Field(default=600.0, gt=0)
    """Seconds for one request to the endpoint."""
    retries: int = Field(default=8, ge=0)
    """How often one request is sent again after 429, 5xx, a time-out or a lost connection."""


def default_folder(model: str) -> Path:
    return Path("results") / safe_name(model)


def begin(run: Path, config: Config) -> None:
    """Makes the run folder, or goes on with the one that is there. OtherConfig where it holds something else."""
    path = run / "config.json"
    if not path.exists():
        if run.exists() and (not run.is_dir() or any(run.iterdir())):
            raise OtherConfig(f"{run} is there and is no run folder; name another with --out")
        write_whole(path, config.model_dump_json(indent=2) + "\n")
        return
    before = read(run)
    differing = [name for name in Config.model_fields if getattr(before, name) != getattr(config, name)]
    if "k" in differing and config.k > before.k:
        differing.remove("k")
    if differing:
        raise OtherConfig(f"{run} holds another evaluation: {_said(before, config, differing)}; name another --out")
    if config.k != before.k:
        write_whole(path, config.model_dump_json(indent=2) + "\n")


@contextmanager
def held(run: Path) -> Iterator[None]:
    """Keeps the run folder to this process while it lasts: the lock goes with the process, however that ends.

    OtherConfig where another process has it.
    """
    try:
        import fcntl  # noqa: PLC0415 - where there is none, nothing is held
    except ImportError:
        yield
        return
    with (run / ".lock").open("w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OtherConfig(f"another process is evaluating into {run}; wait for it, or name another --out") from None
        yield


def read(run: Path) -> Config:
    """The configuration of a run folder. OtherConfig where there is none that can be read."""
    path = run / "config.json"
    try:
        return Config.model_validate_json(path.read_bytes())
    except OSError as error:
        raise OtherConfig(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise OtherConfig(f"{path}: {str(error).splitlines()[0]}") from None


def _said(before: Config, now: Config, names: list[str]) -> str:
    return "; ".join(f"{n} is {_shown(getattr(before, n))} there, {_shown(getattr(now, n))} here" for n in names)


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{len(value)} ({', '.join(value[:2])}{', ...' if len(value) > 2 else ''})"
    return str(value)
