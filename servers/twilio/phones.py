"""Phone numbers: E.164, national formats, where a number belongs. https://www.twilio.com/docs/glossary/what-e164"""

import re
from dataclasses import dataclass

_E164 = re.compile(r"\+[1-9]\d{6,14}")
_NANP = re.compile(r"\+1[2-9]\d{2}[2-9]\d{6}")
_PUNCTUATION = re.compile(r"[\s().\-]")
_TOLL_FREE = ("800", "833", "844", "855", "866", "877", "888")
_CANADA = frozenset({
    "204", "226", "236", "249", "250", "263", "289", "306", "343", "354", "365", "367", "368", "382", "403", "416", "418", "428",
    "431", "437", "438", "450", "468", "474", "506", "514", "519", "548", "579", "581", "584", "587", "604", "613", "639", "647",
    "672", "683", "705", "709", "742", "753", "778", "780", "782", "807", "819", "825", "867", "873", "879", "902", "905",
})  # fmt: skip
_CODES = {
    "7": "RU", "20": "EG", "27": "ZA", "30": "GR", "31": "NL", "32": "BE", "33": "FR", "34": "ES", "36": "HU", "39": "IT", "40": "RO",
    "41": "CH", "43": "AT", "44": "GB", "45": "DK", "46": "SE", "47": "NO", "48": "PL", "49": "DE", "51": "PE", "52": "MX", "54": "AR",
    "55": "BR", "56": "CL", "57": "CO", "60": "MY", "61": "AU", "62": "ID", "63": "PH", "64": "NZ", "65": "SG", "66": "TH", "81": "JP",
    "82": "KR", "84": "VN", "86": "CN", "90": "TR", "91": "IN", "92": "PK", "94": "LK", "98": "IR", "212": "MA", "213": "DZ", "216": "TN",
    "233": "GH", "234": "NG", "254": "KE", "255": "TZ", "256": "UG", "351": "PT", "352": "LU", "353": "IE", "354": "IS", "356": "MT",
    "357": "CY", "358": "FI", "359": "BG", "370": "LT", "371": "LV", "372": "EE", "380": "UA", "381": "RS", "385": "HR", "386": "SI",
    "420": "CZ", "421": "SK", "852": "HK", "880": "BD", "886": "TW", "961": "LB", "962": "JO", "966": "SA", "971": "AE", "972": "IL",
    "974": "QA",
}  # fmt: skip
CALLING_CODE = {country: code for code, country in _CODES.items()} | {"US": "1", "CA": "1"}


@dataclass(frozen=True, slots=True)
class Number:
    """A valid number and what can be told from its digits."""

    e164: str
    country: str
    code: str

    @property
    def national(self) -> str:
        return self.e164[1 + len(self.code) :]

    @property
    def kind(self) -> str:
        if self.code == "1":
            return "toll-free" if self.national[:3] in _TOLL_FREE else "local"
        if self.country == "GB":
            return "mobile" if self.national[:1] == "7" else "toll-free" if self.national[:2] == "80" else "local"
        return "local"


def read(text: str, country: str = "US") -> Number | None:
    """A number as Twilio reads it: E.164, or a national one of the country; None where it is neither."""
    bare = _PUNCTUATION.sub("", text)
    if not bare.isascii():
        return None
    if not bare.startswith("+"):
        code = CALLING_CODE.get(country, "")
        if not bare.isdigit() or not code:
            return None
        trunk = "" if code == "1" and len(bare) > 10 else code
        bare = f"+{trunk}{bare if code == '1' else bare.lstrip('0')}"
    if not _E164.fullmatch(bare):
        return None
    if bare.startswith("+1"):
        if not _NANP.fullmatch(bare):
            return None
        return Number(bare, "CA" if bare[2:5] in _CANADA else "US", "1")
    for length in (3, 2, 1):
        if (code := bare[1 : 1 + length]) in _CODES:
            if code == "44" and len(bare) not in (12, 13):
                return None
            return Number(bare, _CODES[code], code)
    return None


def formatted(e164: str) -> str:
    """As `to_formatted` and friendly names have it: (617) 555-0190 in North America, +442079460990 elsewhere."""
    if _NANP.fullmatch(e164):
        return f"({e164[2:5]}) {e164[5:8]}-{e164[8:]}"
    return e164


def national_format(number: Number) -> str:
    if number.code == "1":
        return formatted(number.e164)
    local = number.national
    if number.country == "GB":
        if local.startswith("2"):
            return f"0{local[:2]} {local[2:6]} {local[6:]}"
        return f"0{local[:4]} {local[4:]}"
    return f"0{local}"
