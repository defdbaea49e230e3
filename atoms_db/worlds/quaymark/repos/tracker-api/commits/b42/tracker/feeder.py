"""Joins a feeder leg to its main voyage: same container, same transshipment port."""


def join(legs: list[dict[str, str]]) -> dict[tuple[str, str], list[dict[str, str]]]:
    """Legs by (container, port), in the order given."""
    joined: dict[tuple[str, str], list[dict[str, str]]] = {}
    for leg in legs:
        joined.setdefault((leg["container"], leg["port"]), []).append(leg)
    return joined
