"""Tags: lower case, without spaces and commas, once each. They are kept in the order in which they came, and answered in the alphabet's."""

from collections.abc import Iterable


def clean(tags: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(part.lower() for tag in tags for part in tag.replace(",", " ").split()))


def changed(present: Iterable[str], add: Iterable[str] = (), remove: Iterable[str] = ()) -> list[str]:
    gone = set(clean(remove))
    return [tag for tag in clean([*present, *add]) if tag not in gone]
