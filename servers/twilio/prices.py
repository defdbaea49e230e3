"""List prices in US dollars, by the country at the other end. Charges are negative, as Twilio states them."""

from .phones import read

PRICE_UNIT = "USD"
_SMS_OUT = {
    "US": 0.0083,
    "CA": 0.0083,
    "GB": 0.0524,
    "DE": 0.1117,
    "FR": 0.0798,
    "AU": 0.0515,
    "IE": 0.0938,
    "IN": 0.0832,
}
_SMS_IN = {"US": 0.0083, "CA": 0.0083}
_MMS_OUT, _MMS_IN = 0.022, 0.0165
_CALL_OUT = {"US": 0.014, "CA": 0.014, "GB": 0.0158, "DE": 0.0136, "FR": 0.0147, "AU": 0.0252}
_CALL_IN = {"US": 0.0085, "CA": 0.0085, "GB": 0.01}
NUMBERS = {"local": 1.15, "toll-free": 2.15, "mobile": 1.15}
RECORDING_MINUTE = 0.0025
VERIFICATION = 0.05


def _country(number: str) -> str:
    found = read(number)
    return found.country if found else "US"


def message(direction: str, other: str, segments: int, media: int = 0) -> float:
    country = _country(other)
    if media:
        return -(_MMS_IN if direction == "inbound" else _MMS_OUT)
    each = _SMS_IN.get(country, 0.0075) if direction == "inbound" else _SMS_OUT.get(country, 0.0745)
    return -round(each * segments, 5)


def call(direction: str, other: str, seconds: int) -> float:
    """Calls are charged by the minute begun."""
    country = _country(other)
    each = _CALL_IN.get(country, 0.01) if direction == "inbound" else _CALL_OUT.get(country, 0.0345)
    return -round(each * -(-seconds // 60), 5)


def shown(price: float | None) -> str | None:
    return None if price is None else f"{price:.5f}"
