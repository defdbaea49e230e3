"""Brace expansion, as shells and the server's glob library do it: `{a,b}`, `{1..9..2}`, `{a..e}`, nested and chained."""

import re
from itertools import islice

MAX_RESULTS = 2000
"""What a pattern expands to beyond this is left out."""
MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 50

_Tokens = list[str]
"""Single characters; a brace, comma, point or backslash that was escaped is a token of two, which means nothing special."""


def expand(pattern: str) -> list[str]:
    """The texts that a pattern stands for; itself where it has no braces that expand."""
    if not re.search(r"\{[^{]*\}", pattern, re.DOTALL):
        return [pattern]
    if pattern.startswith("{}"):
        pattern = "\\{\\}" + pattern[2:]
    return [
        "".join(token[-1] for token in each) for each in _expand(re.findall(r"\\[\\{},.]|.", pattern, re.DOTALL), 0)
    ]


def _expand(tokens: _Tokens, depth: int) -> list[_Tokens]:
    done: list[_Tokens] = [[]]
    while True:
        pair = _first_pair(tokens) if depth <= MAX_DEPTH else None
        if pair is None:
            return _combined(done, [], [tokens])
        pre, body, post = tokens[: pair[0]], tokens[pair[0] + 1 : pair[1]], tokens[pair[1] + 1 :]
        if pre[-1:] == ["$"]:
            done = _combined(done, pre, [["{", *body, "}"]])
        elif (values := _sequence("".join(body))) is not None:
            done = _combined(done, pre, [list(value) for value in values])
        elif "," in body:
            done = _combined(done, pre, _options(body, depth))
        elif re.search(r",(?!,).*\}", "".join(post)):
            # This brace closes nothing; another one behind a comma may.
            tokens = [*pre, "{", *body, "\\}", *post]
            continue
        else:
            return _combined(done, [], [tokens])
        tokens = post
        if not tokens:
            return done


def _first_pair(tokens: _Tokens) -> tuple[int, int] | None:
    """The first outermost pair of braces that match."""
    opened, found = list[int](), None
    for at, token in enumerate(tokens):
        if token == "{":
            opened.append(at)
        elif token == "}" and opened:
            start = opened.pop()
            if not opened:
                return start, at
            if found is None or start < found[0]:
                found = (start, at)
    return found


def _options(body: _Tokens, depth: int) -> list[_Tokens]:
    """The members of a comma set, each expanded."""
    parts, level = list[_Tokens]([[]]), 0
    ends = _matched(body)
    for at, token in enumerate(body):
        level += (at in ends) * (1 if token == "{" else -1)
        if token == "," and not level:
            parts.append([])
        else:
            parts[-1].append(token)
    if len(parts) == 1:
        parts = [["{", *each, "}"] for each in _expand(parts[0], depth + 1)]
    return [each for part in parts for each in _expand(part, depth + 1)][:MAX_RESULTS]


def _matched(tokens: _Tokens) -> set[int]:
    """Where the braces stand that have a partner."""
    opened, found = list[int](), set[int]()
    for at, token in enumerate(tokens):
        if token == "{":
            opened.append(at)
        elif token == "}" and opened:
            found |= {opened.pop(), at}
    return found


def _sequence(body: str) -> list[str] | None:
    """The values of `1..9`, `09..1..-2` or `a..e`; None where the body is no sequence."""
    if found := re.fullmatch(r"(-?[0-9]+)\.\.(-?[0-9]+)(?:\.\.(-?[0-9]+))?", body):
        if max(map(len, body.split(".."))) > 15:
            return None
        low, high, step = int(found[1]), int(found[2]), int(found[3] or 1)
        width = max(len(found[1]), len(found[2])) if any(re.match(r"-?0[0-9]", n) for n in body.split("..")) else 0
        return [f"{n:0{width}d}" if width else str(n) for n in islice(_range(low, high, step), MAX_RESULTS)]
    if found := re.fullmatch(r"([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?[0-9]{1,15}))?", body):
        return ["" if n == 92 else chr(n) for n in _range(ord(found[1]), ord(found[2]), int(found[3] or 1))]
    return None


def _range(low: int, high: int, step: int) -> range:
    step = max(abs(step), 1)
    return range(low, high + 1, step) if low <= high else range(low, high - 1, -step)


def _combined(done: list[_Tokens], pre: _Tokens, values: list[_Tokens]) -> list[_Tokens]:
    out, size = list[_Tokens](), 0
    for head in done:
        for value in values:
            size += len(head) + len(pre) + len(value)
            if len(out) >= MAX_RESULTS or size > MAX_CHARACTERS:
                return out
            out.append([*head, *pre, *value])
    return out
