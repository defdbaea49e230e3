"""Value added tax: children's clothes and boots have none."""

RATE = 0.20


def tax(net: float, *, childrens: bool) -> float:
    return 0.0 if childrens else round(net * RATE, 2)
