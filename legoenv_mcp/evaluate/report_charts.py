"""The report's plots as inline SVG. Colours come from the page's style sheet (`class`), so light and dark are one drawing.

Built as an element tree: whatever a name holds, it ends up as text.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

Figures = Mapping[str, Mapping[str, Any]]
"""A group's name -> its figures, as report.groups gives them."""


def _svg(width: float, height: float, label: str) -> ET.Element:
    shape = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}", "height": f"{height:g}"}
    drawing = ET.Element("svg", {**shape, "role": "img", "aria-label": label})
    return drawing


def _add(parent: ET.Element, tag: str, text: str = "", **attributes: Any) -> ET.Element:
    named = {
        name.rstrip("_").replace("_", "-"): f"{v:.2f}".rstrip("0").rstrip(".") if isinstance(v, float) else str(v)
        for name, v in attributes.items()
    }
    made = ET.SubElement(parent, tag, named)
    made.text = text or None
    return made


def _text(drawing: ET.Element) -> str:
    return ET.tostring(drawing, encoding="unicode")


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _short(text: str, most: int = 26) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _whisker(
    parent: ET.Element, x: float, width: float, middle: float, interval: Sequence[float] | None, size: float = 4
) -> None:
    if not interval or interval[0] == interval[1]:
        return
    low, high = (x + width * value for value in interval)
    ends = "".join(f"M{x:.1f} {middle - size:.1f}V{middle + size:.1f}" for x in (low, high))
    path = f"{ends}M{low:.1f} {middle:.1f}H{high:.1f}"
    _add(parent, "path", d=path, class_="whisker")


def bars(runs: Sequence[Figures], label: str, by_size: bool = True) -> str:
    """pass@1 by group with its interval; one bar a run."""
    names = list(dict.fromkeys(name for run in runs for name in run))
    if by_size:
        names.sort(key=lambda n: (-max(run[n]["environments"] for run in runs if n in run), n))
    left, wide, right, thick, gap = 190, 400, 150, 13, 9
    step = thick * len(runs) + gap
    drawing = _svg(left + wide + right, step * len(names) + 26, label)
    _scale(drawing, left, wide, step * len(names))
    for number, name in enumerate(names):
        top = number * step + gap / 2
        row = _add(drawing, "g")
        title = _add(row, "title")
        title.text = f"{name}: " + " | ".join(_told(run[name]) for run in runs if name in run)
        _add(
            row, "text", _short(name), x=left - 10, y=top + thick * len(runs) / 2 + 4, text_anchor="end", class_="name"
        )
        for index, run in enumerate(runs):
            if name not in run:
                continue
            figures, y = run[name], top + index * thick
            share = figures["pass@1"]
            _add(row, "rect", x=left, y=y, width=wide, height=thick - 1, class_="ground", rx=2)
            if share is not None:
                _add(
                    row,
                    "rect",
                    x=left,
                    y=y,
                    width=max(wide * share, 1.5),
                    height=thick - 1,
                    class_=f"bar run{index}",
                    rx=2,
                )
            _whisker(row, left, wide, y + (thick - 1) / 2, figures["interval"])
            said = f"{percent(share)}  of {figures['environments']}" + (
                f", {figures['invalid']} invalid" if figures["invalid"] else ""
            )
            _add(row, "text", said, x=left + wide + 10, y=y + thick - 3, class_="value")
    return _text(drawing)


def _told(figures: Mapping[str, Any]) -> str:
    interval = figures["interval"]
    between = f" ({percent(interval[0])} to {percent(interval[1])})" if interval else ""
    return f"pass@1 {percent(figures['pass@1'])}{between}, {figures['environments']} environments, {figures['rollouts']} rollouts"


def _scale(drawing: ET.Element, left: float, wide: float, height: float) -> None:
    for quarter in range(5):
        x = left + wide * quarter / 4
        _add(drawing, "line", x1=x, x2=x, y1=0, y2=height, class_="grid")
        anchor = "start" if quarter == 0 else "end" if quarter == 4 else "middle"
        _add(drawing, "text", f"{25 * quarter} %", x=x, y=height + 17, text_anchor=anchor, class_="tick")


def curve(runs: Sequence[Mapping[str, Sequence[float | None]]], label: str) -> str:
    """pass@k and pass^k over k."""
    wide, high, left, top = 310, 190, 44, 12
    drawing = _svg(left + wide + 104, top + high + 36, label)
    count = max(len(run["pass@k"]) for run in runs)
    for quarter in range(5):
        y = top + high * (1 - quarter / 4)
        _add(drawing, "line", x1=left, x2=left + wide, y1=y, y2=y, class_="grid")
        _add(drawing, "text", f"{25 * quarter} %", x=left - 8, y=y + 4, text_anchor="end", class_="tick")

    def across(j: int) -> float:
        return left + (wide * (j - 1) / (count - 1) if count > 1 else wide / 2)

    for j in range(1, count + 1):
        _add(
            drawing,
            "text",
            f"k = {j}" if j in (1, count) else str(j),
            x=across(j),
            y=top + high + 20,
            text_anchor="middle",
            class_="tick",
        )
    for index, run in enumerate(runs):
        for name in ("pass@k", "pass^k"):
            points = [(across(j), top + high * (1 - v), v) for j, v in enumerate(run[name], 1) if v is not None]
            if not points:
                continue
            dashed = " dashed" if name == "pass^k" else ""
            _add(
                drawing,
                "polyline",
                points=" ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points),
                class_=f"line run{index}{dashed}",
            )
            for x, y, value in points:
                dot = _add(drawing, "circle", cx=x, cy=y, r=3.5, class_=f"dot run{index}")
                _add(dot, "title", f"{name}: {percent(value)}")
            _add(
                drawing,
                "text",
                f"{name} {percent(points[-1][2])}",
                x=points[-1][0] + 8,
                y=points[-1][1] + 4,
                class_="value",
            )
    return _text(drawing)


def histogram(counts: Mapping[str, Sequence[int]], edges: Sequence[int], label: str, unit: str) -> str:
    """How many rollouts, by verdict (`counts`: verdict -> a number for each class), over classes that begin at `edges`."""
    wide, high, left, top = 400, 170, 44, 14
    drawing = _svg(left + wide + 14, top + high + 40, label)
    totals = [sum(counts[v][n] for v in counts) for n in range(len(edges))]
    most = max(totals, default=0) or 1
    step = wide / max(len(edges), 1)
    _add(drawing, "line", x1=left, x2=left + wide, y1=top + high, y2=top + high, class_="grid")
    _add(drawing, "text", str(most), x=left - 8, y=top + 6, text_anchor="end", class_="tick")
    _add(drawing, "text", "0", x=left - 8, y=top + high + 4, text_anchor="end", class_="tick")
    for n, edge in enumerate(edges):
        x, floor = left + n * step, top + high
        last = edges[n + 1] - 1 if n + 1 < len(edges) else None
        span = f"{edge}" if last == edge else f"{edge} to {last}" if last is not None else f"{edge} and more"
        column = _add(drawing, "g")
        _add(column, "title", f"{span} {unit}: " + ", ".join(f"{counts[v][n]} {v}" for v in counts))
        for verdict, numbers in counts.items():
            size = high * numbers[n] / most
            floor -= size
            if size:
                _add(column, "rect", x=x + 1, y=floor, width=step - 2, height=size, class_=f"verdict {verdict}")
        if len(edges) <= 14 or n % 2 == 0:
            _add(drawing, "text", str(edge), x=x + step / 2, y=top + high + 16, text_anchor="middle", class_="tick")
    _add(drawing, "text", unit, x=left + wide / 2, y=top + high + 34, text_anchor="middle", class_="tick")
    return _text(drawing)


def gauge(share: float | None, interval: Sequence[float] | None, label: str) -> str:
    """A share with its interval, as a thin bar for a headline."""
    drawing = _svg(150, 14, label)
    _add(drawing, "rect", x=0, y=4, width=150, height=6, rx=3, class_="ground")
    if share is not None:
        _add(drawing, "rect", x=0, y=4, width=max(150 * share, 3), height=6, rx=3, class_="bar run0")
        _whisker(drawing, 0, 150, 7, interval, 5)
    return _text(drawing)


def differences(rows: Sequence[tuple[str, Mapping[str, Any]]], label: str) -> str:
    """Second minus first, with intervals, about a line at no difference."""
    left, wide, step = 70, 420, 34
    drawing = _svg(left + wide + 190, step * len(rows) + 26, label)
    reach = max([0.05, *(abs(v) for _, r in rows for v in [r["difference"] or 0, *(r["interval"] or ())])]) * 1.1
    middle = left + wide / 2
    for at in (-reach, 0, reach):
        x = middle + wide / 2 * at / reach
        _add(drawing, "line", x1=x, x2=x, y1=0, y2=step * len(rows), class_="grid" if at else "axis")
        _add(
            drawing,
            "text",
            f"{100 * at:+.0f} points" if at else "no difference",
            x=x,
            y=step * len(rows) + 17,
            text_anchor="middle",
            class_="tick",
        )
    for number, (name, row) in enumerate(rows):
        y = number * step + step / 2
        _add(drawing, "text", name, x=left - 10, y=y + 4, text_anchor="end", class_="name")
        if row["difference"] is None:
            continue
        if row["interval"]:
            low, high = (middle + wide / 2 * v / reach for v in row["interval"])
            _add(drawing, "rect", x=low, y=y - 5, width=max(high - low, 1), height=10, rx=5, class_="span")
        tone = "better" if row["difference"] > 0 else "worse" if row["difference"] < 0 else "even"
        _add(drawing, "circle", cx=middle + wide / 2 * row["difference"] / reach, cy=y, r=6, class_=f"mark {tone}")
        between = f"  ({100 * row['interval'][0]:+.1f} to {100 * row['interval'][1]:+.1f})" if row["interval"] else ""
        _add(drawing, "text", f"{100 * row['difference']:+.1f}{between}", x=left + wide + 14, y=y + 4, class_="value")
    return _text(drawing)
