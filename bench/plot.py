"""The plot: for each measure, how many times better we are than each peer, on a logarithmic scale. The same figures, the same bytes."""

import math
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from bench.measure import MEASURES, Comparison
from bench.report import times

SHOWN = ("cold", "episode", "whole", "read p50", "list p50", "write p50", "rate 1", "rate n", "memory", "held")
COLOURS = ("#3b6fb6", "#c8702a", "#4b8f4b", "#8d5aa5", "#b04a5a", "#5b8f99", "#8a7a2f", "#666666")
LEFT, WIDE, TOP, STEP, GAP = 180, 560, 40, 11, 14
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#24292f}.tick{fill:#57606a;font-size:11px}.grid{stroke:#d0d7de}.even{stroke:#24292f}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.tick{fill:#9198a1}.grid{stroke:#3d444d}.even{stroke:#e6edf3}}"
)


def plot(comparisons: Sequence[Comparison]) -> str:
    """The drawing. Built as an element tree: whatever a name holds, it ends up as text."""
    shown = [found for found in comparisons if not found.missing]
    groups = [m for m in MEASURES if m.key in SHOWN and any(found.ratio(m) for found in shown)]
    ratios = [r for m in groups for found in shown if (r := found.ratio(m))]
    low, high = math.floor(min(map(math.log10, ratios), default=-1)), math.ceil(max(map(math.log10, ratios), default=1))
    low, high = min(low, -1), max(high, 1)
    block = STEP * len(shown) + GAP
    height = TOP + block * len(groups) + 24 + 18 * ((len(shown) + 2) // 3) + 10
    drawing = ET.Element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {LEFT + WIDE + 60} {height}", role="img"
    )
    drawing.set("aria-label", "How many times better legoenv is than each peer, by measure")
    ET.SubElement(drawing, "style").text = STYLE

    def at(ratio: float) -> float:
        return LEFT + WIDE * (math.log10(ratio) - low) / (high - low)

    _text(drawing, LEFT, 16, "times better than the peer (right of 1: legoenv is ahead)", "name")
    bottom = TOP + block * len(groups)
    for power in range(low, high + 1):
        x = f"{at(10.0**power):.1f}"
        ET.SubElement(
            drawing,
            "line",
            {"x1": x, "x2": x, "y1": str(TOP - 8), "y2": str(bottom), "class": "even" if not power else "grid"},
        )
        _text(drawing, float(x), bottom + 14, f"{10.0**power:g}", "tick", "middle")
    for number, measure in enumerate(groups):
        top = TOP + number * block
        _text(drawing, LEFT - 10, top + (block - GAP) / 2 + 4, measure.title, "name", "end")
        for index, found in enumerate(shown):
            ratio = found.ratio(measure)
            if not ratio:
                continue
            start, end = sorted((at(1), at(ratio)))
            shape = {"x": start, "y": top + index * STEP, "width": max(end - start, 1.0), "height": STEP - 2.0}
            bar = ET.SubElement(
                drawing, "rect", {k: f"{v:.1f}" for k, v in shape.items()} | {"fill": COLOURS[index % 8]}
            )
            ET.SubElement(bar, "title").text = f"{measure.title}, {found.peer}: {times(ratio)}"
    for index, found in enumerate(shown):
        x, y = 20 + 270 * (index % 3), bottom + 40 + 18 * (index // 3)
        ET.SubElement(
            drawing, "rect", {"x": str(x), "y": str(y - 10), "width": "12", "height": "12", "fill": COLOURS[index % 8]}
        )
        _text(drawing, x + 18, y, found.peer, "name")
    return ET.tostring(drawing, encoding="unicode") + "\n"


def _text(drawing: ET.Element, x: float, y: float, text: str, style: str, anchor: str = "start") -> None:
    made = ET.SubElement(drawing, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}", "class": style, "text-anchor": anchor})
    made.text = text
