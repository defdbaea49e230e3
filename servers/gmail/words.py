"""How Gmail's search sees text: words without case and accents, neighbours in a phrase, plural endings apart."""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def words(text: str) -> list[str]:
    """The words of a text, in lower case and without accents; each ideograph stands alone."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    plain = unicodedata.normalize("NFKC", plain)
    return _WORD.findall(_CJK.sub(r" \g<0> ", plain))


def stem(word: str) -> str:
    """A word without its plural ending, so that `invoices` finds `invoice`."""
    if len(word) < 4 or not word.isalpha() or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def joined(found: list[str]) -> str:
    """Words as they are kept and looked for: each between spaces, so that only whole ones match."""
    return f" {' '.join(found)} " if found else ""


def around(text: str, first: str, second: str, distance: int, ordered: int) -> int:
    """Whether two phrases stand at most `distance` words apart (the first one first, if ordered)."""
    held = text.split()
    a, b = first.split(), second.split()
    if not a or not b:
        return 0
    starts = [[i for i in range(len(held)) if held[i : i + len(p)] == p] for p in (a, b)]
    for i in starts[0]:
        for j in starts[1]:
            gap = j - (i + len(a)) if j >= i else i - (j + len(b))
            if 0 <= gap < distance and (j > i or not ordered):
                return 1
    return 0
