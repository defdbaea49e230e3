"""What a run found, as tables in a terminal and as the page `docs/benchmarks.md`."""

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from rich.console import Console
from rich.table import Table

from bench.measure import MEASURES, Comparison, Effort, Measure, Reading

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Machine:
    """What it was measured on."""

    processor: str
    cores: int
    memory: float
    """Gigabytes."""
    system: str
    python: str


@dataclass(slots=True)
class Run:
    """A whole run. `load`: runnable processes on average over a minute, before and after."""

    machine: Machine
    versions: dict[str, str]
    effort: Effort
    comparisons: list[Comparison] = field(default_factory=list[Comparison])
    figures: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    load: tuple[float, float] = field(default_factory=lambda: (os.getloadavg()[0], 0.0))

    def ended(self) -> None:
        self.load = (self.load[0], os.getloadavg()[0])

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "comparisons": [c.as_json() for c in self.comparisons]}


def machine() -> Machine:
    """This machine, as Linux describes it."""
    processor = platform.machine()
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            processor = line.partition(":")[2].strip()
            break
    total = next(
        line for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines() if line.startswith("MemTotal")
    )
    system = f"{platform.system()} {platform.release().split('-')[0]}"
    return Machine(processor, os.cpu_count() or 1, int(total.split()[1]) / 2**20, system, platform.python_version())


def figure(value: float | None) -> str:
    """Three significant digits; "none" where there is no such thing."""
    if value is None:
        return "none"
    if value >= 1000:
        return f"{value:,.0f}"
    digits = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}"


def spread(reading: Reading) -> str:
    """The figure, and the smallest and largest round."""
    if reading.value is None or reading.low is None:
        return figure(reading.value)
    return f"{figure(reading.value)} ({figure(reading.low)} to {figure(reading.high)})"


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"


def rows(found: Comparison) -> list[tuple[str, str, str, str]]:
    """Measure, ours, the peer's, how many times better ours is."""
    made = list[tuple[str, str, str, str]]()
    for measure in MEASURES:
        if measure.key in found.readings:
            ours, theirs = found.readings[measure.key]
            title = f"{measure.title} ({measure.unit})" if measure.unit else measure.title
            made.append((title, spread(ours), spread(theirs), times(found.ratio(measure))))
    return made


def behind(comparisons: Sequence[Comparison]) -> list[tuple[str, list[tuple[Measure, float]]]]:
    """Where peers are ahead by more than a tenth, which is what a run may err by: peer -> measures, with how many times better ours is."""
    found = [
        (c.peer, [(m, ratio) for m in MEASURES if (ratio := c.ratio(m)) is not None and ratio < 0.9])
        for c in comparisons
    ]
    return [(peer, measures) for peer, measures in found if measures]


def print_tables(run: Run) -> None:
    console = Console()
    for found in run.comparisons:
        console.print(f"\n[bold]{found.peer}[/] over {found.wire}: {found.about}")
        if found.missing:
            console.print(found.missing)
            continue
        table = Table("measure", found.ours, found.peer, "times better", box=None, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        for row in rows(found):
            table.add_row(*row)
        console.print(table)
    console.print(f"\nload {run.load[0]:.1f} before, {run.load[1]:.1f} after, on {run.machine.cores} cores")


def page(run: Run) -> str:
    """docs/benchmarks.md: `page.md` filled in."""
    shape = Environment(
        loader=FileSystemLoader(HERE), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )  # fmt: skip
    return shape.get_template("page.md").render(
        run=run, rows=rows, behind=behind(run.comparisons), figure=figure, times=times, measures=MEASURES,
        loads=f"{run.load[0]:.1f} before and {run.load[1]:.1f} after", cells=_cells(run.figures),
    )  # fmt: skip


def _cells(figures: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The rows of `legoenv bench`."""
    return [
        (
            f["name"].strip(),
            f"{figure(f['value'])} {f['unit']}".strip(),
            f"{figure(f['floor'])} {f['unit']}" if f["floor"] is not None else "",
            f"{f['ratio']:.2f}" if f["ratio"] is not None else "",
            f["floor_name"],
            f["aim"],
        )
        for f in figures
    ]
