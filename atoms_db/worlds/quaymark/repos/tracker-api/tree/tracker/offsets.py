"""Offsets from UTC of the countries we deliver to, in minutes."""

WINTER = {"US-TX": -360, "MX-NLE": -360, "MX-COA": -360, "MX-QUE": -360, "GB": 0, "NL": 60, "NO": 60, "PL": 60}
SUMMER = {country: minutes + 60 for country, minutes in WINTER.items()}


def offset(country: str, summer: bool) -> int:
    """Minutes to add to UTC; KeyError for a country that is not in the table."""
    return (SUMMER if summer else WINTER)[country]
