"""Emission factors in grams of CO2e per tonne-kilometre."""

FACTORS = {"ocean": 16.0, "rail": 22.0, "road": 92.0, "air": 602.0, "barge": 31.0}


def grams(mode: str, tonnes: float, km: float) -> float:
    """KeyError for a mode without a factor."""
    return FACTORS[mode] * tonnes * km
