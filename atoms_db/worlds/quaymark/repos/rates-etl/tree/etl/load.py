"""Reads benchmark files. A file with an unknown header is rejected as a whole: half a lane is worse than none."""

import csv
from pathlib import Path

HEADERS = {("origin", "destination", "usd_per_kg"), ("orig", "dest", "usd_per_kg")}


def read(path: Path) -> list[tuple[str, str, float]]:
    """The lanes of a file; ValueError for an unknown header."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        header = tuple(next(rows, []))
        if header not in HEADERS:
            raise ValueError(f"{path.name}: unknown header {header}")
        return [(origin, destination, float(price)) for origin, destination, price in rows]
