"""What a model is told before it proposes atoms: the format, the kinds and verbs there are, and an atom that works."""

import inspect
from functools import cache

from legoenv_mcp.controller.atoms import Intent, load_all
from legoenv_mcp.controller.expressions import FILTERS
from legoenv_mcp.controller.kinds import capability_classes, kinds
from legoenv_mcp.worlds import atoms_folders

_FORMAT = """You write atoms for LegoEnv: reusable parts from which verifiable tasks for tool-using agents are composed.
An atom is a TOML file.

An intent has: id, version = 1, title, domain (sales marketing operations support finance hr engineering it product), tags,
[roles] name = "capability"; [pick.NAME] kind, where (a Jinja condition over `it`), by (fields that single it out in the instruction),
key (an expression giving another pick's key); [choose] NAME = [literals]; [let] NAME = "= expression"; two or more [[phrasing]] with
register (terse chatty forwarded ticket plain) and text; [[step]] do = "role.verb", with = {...}; [[goal]] name, and one of
created / changed / deleted / exists / absent / counted = "role:capability.Entity", of = "= pick" (for changed, deleted), with / to = {...};
[[wrong]] name and pick / let / drop / step: a mistake that must be caught.
A rule has: id, version, title, topic, tags, needs (names of the intents it fits), params NAME = [figures], when, set = { NAME = "= ..." },
drop, text (the policy, from which a reader works out the very same outcome).
"= expression" keeps its value's type; text with {{ ... }} is a template; an entity stands for its id. Free text in goals is matched by
{ facts = [...], forbid = [...] }, money facts are { money = 12.5, currency = "USD" }. Steps that read come first: every id and value
that the goals demand must be readable. The instruction names no tool, no id and no plan."""


@cache
def _capabilities() -> str:
    lines = list[str]()
    for name, capability in sorted(capability_classes().items()):
        verbs = [
            f"{verb}{str(inspect.signature(getattr(capability, verb))).replace('self, ', '').replace('(self)', '()').partition(' ->')[0]}"
            for verb in vars(capability)
            if not verb.startswith("_")
            and callable(getattr(capability, verb))
            and verb not in ("fill", "view", "offers")
        ]
        lines.append(f"{name}: {'; '.join(verbs)}")
    return "\n".join(lines)


@cache
def _entities() -> str:
    return "\n".join(
        f"{name}: {', '.join(f for f in kind.model_fields if f != 'id')}" for name, kind in sorted(kinds().items())
    )


def _example() -> str:
    name = next(iter(sorted(load_all(Intent))), "")
    for root in atoms_folders():
        for path in (root / "intents").rglob("refund_payment_and_note.toml"):
            return path.read_text(encoding="utf-8")
        for path in (root / "intents").rglob(f"{name}.toml"):
            return path.read_text(encoding="utf-8")
    return ""


def brief() -> str:
    """The system message."""
    return "\n\n".join(
        [
            _FORMAT, f"Filters: {', '.join(sorted(FILTERS))}, and Jinja's own.", f"Verbs by capability:\n{_capabilities()}",
            f"Kinds and their fields:\n{_entities()}", f"An intent that works:\n{_example()}",
        ]
    )  # fmt: skip
