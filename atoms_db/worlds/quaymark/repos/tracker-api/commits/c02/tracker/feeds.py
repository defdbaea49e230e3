"""Carrier feeds: one line a position, `voyage;container;lat;lon;utc`."""

import re

VOYAGE = re.compile(r"[A-Z]{2}\d{4,5}")


def parse(line: str) -> dict[str, str]:
    """One position; ValueError where the voyage number is malformed or a field is missing."""
    voyage, container, lat, lon, utc = line.strip().split(";")
    if not VOYAGE.fullmatch(voyage):
        raise ValueError(f"voyage number {voyage!r}")
    return {"voyage": voyage, "container": container, "lat": lat, "lon": lon, "utc": utc}
