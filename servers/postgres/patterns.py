"""LIKE, SIMILAR TO and POSIX regular expressions, bounded so that no pattern can run away."""

import re
from functools import lru_cache

from .errors import SqlError

_LONGEST_PATTERN, _LONGEST_TEXT = 1_000, 100_000
_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "space": r"\s", "upper": "A-Z", "lower": "a-z", "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f", "word": r"\w", "blank": r" \t", "cntrl": r"\x00-\x1f",
}  # fmt: skip


def bad(reason: str) -> SqlError:
    return SqlError("2201B", f"invalid regular expression: {reason}")


@lru_cache(maxsize=500)
def compiled(pattern: str, flags: str = "") -> re.Pattern[str]:
    """An advanced regular expression as Python's. Refused where repetition lies in repetition, which may take forever."""
    if len(pattern) > _LONGEST_PATTERN:
        raise bad("regular expression is too complex")
    mode = re.DOTALL
    for flag in flags:
        if flag == "i":
            mode |= re.IGNORECASE
        elif flag in "nm":
            mode = (mode | re.MULTILINE) & ~re.DOTALL
        elif flag == "x":
            mode |= re.VERBOSE
        elif flag not in "gcset":
            raise SqlError("22023", f'invalid regular expression option: "{flag}"')
    if pattern.startswith("(?") and (found := re.match(r"\(\?([inmxscet]+)\)", pattern)):
        return compiled(pattern[found.end() :], flags + found[1])
    text = _translated(pattern)
    if _runs_away(text):
        raise bad("regular expression is too complex")
    try:
        return re.compile(text, mode)
    except (re.error, RecursionError, OverflowError) as error:
        reason = str(error)
        known = {
            "unterminated character set": "brackets [] not balanced", "missing ), unterminated subpattern": "parentheses () not balanced",
            "unbalanced parenthesis": "parentheses () not balanced", "nothing to repeat": "quantifier operand invalid",
            "multiple repeat": "quantifier operand invalid",
            "bad character range": "invalid character range", "bad escape": "invalid escape \\ sequence",
        }  # fmt: skip
        raise bad(next((v for k, v in known.items() if reason.startswith(k)), "invalid regexp")) from None


def _translated(pattern: str) -> str:
    text = _sets(re.sub(r"\[:(\w+):\]", lambda m: _CLASSES.get(m[1]) or _fail(), pattern))
    text = re.sub(r"(?<!\\)((?:\\\\)*)\\([yYmMAZ])", lambda m: m[1] + _ESCAPES[m[2]], text)
    # `$` is the very end, not before a last line break.
    return re.sub(r"(?<![\\])\$(?=$|\)|\|)", r"\\Z", text)


_ESCAPES = {"y": r"\b", "Y": r"\B", "m": r"\b(?=\w)", "M": r"\b(?<=\w)", "A": r"\A", "Z": r"\Z"}


def _sets(text: str) -> str:
    """Bracket expressions with what Python may one day read as set operations escaped."""
    out, at, inside = list[str](), 0, False
    while at < len(text):
        char = text[at]
        if char == "\\":
            out.append(text[at : at + 2])
            at += 2
            continue
        if not inside and char == "[":
            inside = True
            head = re.match(r"\[\^?\]?", text[at:])
            assert head is not None
            out.append(head[0].replace("]", r"\]"))
            at += head.end()
            continue
        if inside and char == "]":
            inside = False
        elif inside and (char in "[&~|" or (char == "-" and text[at - 1] == "-")):
            char = "\\" + char
        out.append(char)
        at += 1
    return "".join(out)


def _fail() -> str:
    raise bad("invalid character class")


def _runs_away(text: str) -> bool:
    """Whether a group that repeats without end is itself repeated without end."""
    depth_has: list[bool] = [False]
    at, in_set = 0, False
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 2
            continue
        if in_set:
            in_set = char != "]"
        elif char == "[":
            in_set = True
            at += text[at + 1 : at + 2] == "]"
        elif char == "(":
            depth_has.append(False)
        elif char == ")":
            inner = depth_has.pop() if len(depth_has) > 1 else False
            if inner and re.match(r"[*+]|\{\d+,\d*\}|\{\d\d+\}", text[at + 1 :]):
                return True
            depth_has[-1] = depth_has[-1] or inner
        elif char in "*+" or (char == "{" and re.match(r"\{\d*,\d*\}", text[at:])):
            depth_has[-1] = True
        at += 1
    # Several unbounded repetitions in a row multiply: a dozen of them on a long text is too many.
    return len(re.findall(r"(?<!\\)[*+]", text)) > 12


def _checked(text: str) -> str:
    if len(text) > _LONGEST_TEXT:
        raise bad("regular expression is too complex")
    return text


def search(pattern: str, text: str, flags: str = "") -> bool:
    return compiled(pattern, flags).search(_checked(text)) is not None


def first(pattern: str, text: str) -> str | None:
    found = compiled(pattern).search(_checked(text))
    if found is None:
        return None
    return found[1] if found.re.groups else found[0]


def whole(pattern: str, text: str) -> str | None:
    found = compiled(pattern).search(_checked(text))
    return found[0] if found else None


def groups(text: str, pattern: str, flags: str = "") -> list[str | None] | None:
    if "g" in flags:
        raise SqlError(
            "22023",
            'regexp_match() does not support the "global" option',
            hint="Use the regexp_matches function instead.",
        )
    found = compiled(pattern, flags).search(_checked(text))
    if found is None:
        return None
    return list(found.groups()) if found.re.groups else [found[0]]


def all_groups(text: str, pattern: str, flags: str = "") -> list[list[str | None]]:
    made = compiled(pattern, flags)
    found: list[list[str | None]] = [list(m.groups()) if made.groups else [m[0]] for m in made.finditer(_checked(text))]
    return found if "g" in flags else found[:1]


def split(text: str, pattern: str, flags: str = "") -> list[str]:
    made, out, last = compiled(pattern, flags), list[str](), 0
    for found in made.finditer(_checked(text)):
        if found.end() == found.start() and found.start() in (0, len(text), last):
            continue
        out.append(text[last : found.start()])
        last = found.end()
    return [*out, text[last:]]


def replace(text: str, pattern: str, new: str, flags: str = "") -> str:
    made = compiled(pattern, flags)

    def one(found: re.Match[str]) -> str:
        return re.sub(
            r"\\([\d&\\])",
            lambda m: (
                found[0]
                if m[1] in "&0"
                else "\\"
                if m[1] == "\\"
                else (found[int(m[1])] or "")
                if int(m[1]) <= made.groups
                else ""
            ),
            new,
        )

    return made.sub(one, _checked(text), count=0 if "g" in flags else 1)


@lru_cache(maxsize=500)
def _like(pattern: str, escape: str, fold: bool) -> re.Pattern[str]:
    out, at = list[str](), 0
    while at < len(pattern):
        char = pattern[at]
        if escape and char == escape:
            at += 1
            if at >= len(pattern):
                raise SqlError("22025", "LIKE pattern must not end with escape character")
            out.append(re.escape(pattern[at]))
        elif char == "%":
            if not out or out[-1] != ".*":
                out.append(".*")
        else:
            out.append("." if char == "_" else re.escape(char))
        at += 1
    # Between wildcards the first fit is as good as any: atomic steps keep the match linear.
    parts = "".join(out).split(".*")
    text = parts[0] + "".join(f"(?>.*?{p})" if n < len(parts) - 2 else f".*{p}" for n, p in enumerate(parts[1:]))
    return re.compile(text, re.DOTALL | (re.IGNORECASE if fold else 0))


def like(pattern: str, text: str, escape: str = "\\", *, fold: bool = False) -> bool:
    return _like(pattern, escape, fold).fullmatch(text) is not None


def similar(pattern: str, text: str, escape: str = "\\") -> bool:
    out, at, in_set = list[str](), 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == escape:
            at += 1
            out.append(re.escape(pattern[at : at + 1]))
        elif in_set:
            in_set = char != "]"
            out.append(char)
        elif char == "[":
            in_set = True
            out.append(char)
        else:
            out.append({"%": ".*", "_": ".", ".": r"\.", "^": r"\^", "$": r"\$"}.get(char, char))
        at += 1
    return compiled(f"^(?:{''.join(out)})$").search(_checked(text)) is not None
