"""The words that operations are called by: which of them are verbs, and what kind of thing they do; nouns in the singular."""

import re
from collections.abc import Iterable

VERBS = {
    "get": "get",
    "retrieve": "get",
    "show": "get",
    "read": "get",
    "fetch": "get",
    "info": "get",
    "lookup": "get",
    "list": "list",
    "search": "list",
    "find": "list",
    "query": "list",
    "update": "update",
    "patch": "update",
    "set": "update",
    "edit": "update",
    "modify": "update",
    "change": "update",
    "put": "update",
    "move": "update",
    "rename": "update",
    "assign": "update",
    "delete": "delete",
    "remove": "delete",
    "archive": "delete",
    "trash": "delete",
    "restore": "restore",
    "create": "create",
    "add": "create",
    "post": "create",
    "send": "create",
    "insert": "create",
    "cancel": "transition",
    "close": "transition",
    "void": "transition",
    "pay": "transition",
    "complete": "transition",
    "reopen": "transition",
    "manage": "transition",
    "write": "update",
    "reply": "create",
    "save": "update",
    "append": "update",
    "pause": "transition",
    "resume": "transition",
    "finalize": "transition",
    "upsert": "update",
}

_FIRST = {
    "transition": "transition mark open start convert schedule unschedule hold release confirm capture join leave respond submit decide",
    "update": "tag untag attach detach link unlink pin unpin replace clear adjust enable disable format sort invite merge apply",
    "restore": "untrash unarchive undelete",
    "create": "upload copy duplicate fork forward push",
}
FIRST_WORDS = {word: verb for verb, words in _FIRST.items() for word in words.split()}
"""Words that are verbs where an operation's name begins with them, and nouns elsewhere: a release, a tag."""


def tokens(name: str) -> list[str]:
    return [w.lower() for w in re.split(r"[\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)) if w]


def singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if is_plural(word) else word


def is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3


def plural(word: str) -> str:
    return (
        word[:-1] + "ies"
        if word.endswith("y") and word[-2:-1] not in "aeiou"
        else word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
    )


def nouns(name: str | Iterable[str]) -> set[str]:
    """The words of a name, in the singular."""
    return {singular(w) for w in (tokens(name) if isinstance(name, str) else name)}
