"""`legoenv lint`: the rules that apps, tools, worlds and atoms keep. docs/tool-schemas.md says where the schema rules come from."""

from collections.abc import Sequence

from legoenv_mcp import registry, worlds
from legoenv_mcp.lint.app_rules import check_app
from legoenv_mcp.lint.atom_rules import check_atoms
from legoenv_mcp.lint.findings import Finding
from legoenv_mcp.lint.schema_rules import check_tools

__all__ = ["Finding", "run"]


def run(slugs: Sequence[str] | None = None, *, strict: bool = False) -> tuple[list[Finding], int, int]:
    """Checks these apps, or all apps, worlds and atoms. Returns the findings and how many things passed and failed: a thing is a tool,
    an app as a whole, a world, or an atom. With `strict`, warnings fail too."""
    findings, things = list[Finding](), set[tuple[str, str]]()
    for slug in slugs or [a.slug for a in registry.apps()]:
        things.add((slug, ""))
        names, found = check_app(slug)
        findings += found
        things |= {(slug, name) for name in names}
        if names:
            findings += check_tools(slug)
    if slugs is None:
        for info in worlds.worlds():
            things.add((f"world {info.id}", ""))
            try:
                worlds.load(info.id)
            except worlds.WorldError as error:
                findings.append(Finding(f"world {info.id}", "", "W1", "error", "", str(error)))
        atoms, found = check_atoms()
        things |= set(atoms)
        findings += found
    failed = {(f.app, f.tool) for f in findings if f.level == "error" or strict}
    return findings, len(things - failed), len(failed)
