"""How many segments a text takes. https://www.twilio.com/docs/glossary/what-is-gsm-7-character-encoding"""

GSM7 = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
GSM7_EXTENDED = frozenset("\f^{}\\[~]|€")
LONGEST = 1600
_SMART = str.maketrans({
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-", "‐": "-", "‑": "-",
    "−": "-", "…": "...", "\u00a0": " ", "\u2002": " ", "\u2003": " ", "\u2009": " ", "\u200b": "", "•": "*", "´": "'", "`": "'",
    "\t": " ",
})  # fmt: skip


def smart(body: str) -> str:
    """Smart encoding: look-alikes of GSM-7 characters become those, so that they do not cost the whole text its encoding."""
    return body.translate(_SMART)


def is_gsm7(body: str) -> bool:
    return all(c in GSM7 or c in GSM7_EXTENDED for c in body)


def count(body: str) -> int:
    """Segments: 160 septets (153 each when there are several), or 70 UTF-16 units (67 each).

    A character of two units (an escape and a GSM-7 extension, a surrogate pair) is never split between segments.
    """
    if is_gsm7(body):
        sizes, alone, each = [2 if c in GSM7_EXTENDED else 1 for c in body], 160, 153
    else:
        sizes, alone, each = [2 if ord(c) > 0xFFFF else 1 for c in body], 70, 67
    if sum(sizes) <= alone:
        return 1
    segments, room = 1, each
    for size in sizes:
        if size > room:
            segments, room = segments + 1, each
        room -= size
    return segments
