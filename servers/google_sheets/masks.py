"""Field masks: which fields of an object a request changes. https://developers.google.com/workspace/sheets/api/guides/batchupdate#field-masks"""

from typing import Any

from legoenv_mcp.styles import google
from legoenv_mcp.styles.google import Names

from .app import refuse
from .models import Json


def read(fields: str | None, root: str = "") -> Names:
    """A mask as nested names; empty names are everything."""
    if not fields or not fields.strip():
        raise refuse("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)")
    try:
        names = google.read_selection(fields)
    except google.BadSelection:
        raise refuse(
            f"Invalid value at 'fields' (type.googleapis.com/google.protobuf.FieldMask), \"{fields[:200]}\""
        ) from None
    if root and root in names:
        names = names[root]
    return {} if "*" in names else names


def only(names: Names, known: tuple[str, ...], kind: str) -> None:
    """Refuses fields that the object does not have."""
    for name in names:
        if name not in known:
            raise refuse(f"Invalid field: {name}. Cannot find field in {kind}.")


def applied(old: Any, new: Any, names: Names) -> Any:
    """The object with the fields of the mask as in `new`; a field of the mask that `new` does not have is cleared."""
    if not names:
        return new
    out: Json = dict(old) if isinstance(old, dict) else {}
    for name, below in names.items():
        value = new.get(name) if isinstance(new, dict) else None
        value = applied(out.get(name), value, below) if below else value
        if value is None or (value == {} and not (isinstance(new, dict) and new.get(name) == {})):
            out.pop(name, None)
        else:
            out[name] = value
    return out or None
