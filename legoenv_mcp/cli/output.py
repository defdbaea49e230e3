"""How commands print: JSON for programs, tables for people."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def print_json(data: Any) -> None:
    """One JSON document on standard output."""
    json.dump(data, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """A table as wide as the terminal; plain tab-separated text where the output is not a terminal."""
    if not sys.stdout.isatty():
        for row in (headings, *rows):
            print("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row))
        return
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for number, heading in enumerate(headings):
        shown.add_column(heading, justify="right" if number in right else "left", overflow="fold")
    for row in rows:
        shown.add_row(*row)
    Console().print(shown)


@contextmanager
def progress(what: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A progress bar on the terminal's error channel; calling what it yields advances it by one, with a note beside it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    note = TextColumn("{task.fields[note]}")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), note)
    hidden = quiet or not sys.stderr.isatty()
    with Progress(*columns, disable=hidden, transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total, note="")
        yield lambda note: bar.update(task, advance=1, note=note)
