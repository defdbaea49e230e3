"""Nothing lost: what repairs have done to every environment that rests on what they changed, and which of them goes where one is lost."""

from collections.abc import Callable, Mapping, Sequence

from legoenv_mcp.evolve.diagnosis import Standing
from legoenv_mcp.evolve.repairs import Repair, Round, as_sharp, first_signal, rejected, uses
from legoenv_mcp.evolve.workshop import Workshop


def keep_what_stands(
    shop: Workshop, made: Round, solvable: set[str], tell: Callable[[str], None], since: int = 0
) -> None:
    """Proves again every environment that uses an atom changed since so many repairs. While one is lost, the change that lost it goes, and
    what rests on that change's atom is proven again."""
    was = {n: e["proof"]["mutants"] for n, e in shop.standings.items() if e["proven"]}
    fresh = changed = list(made.accepted[since:])
    while changed:
        using = [n for n in shop.standings if any(_rests_on(shop.standings[n], r) for r in changed)]
        shop.know(shop.examine(using))
        lost = [n for n in shop.standings if n in solvable and not _as_before(shop.standings[n], was.get(n))]
        guilty = _guilty(shop, lost[0], made.accepted, was.get(lost[0])) if lost else None
        if guilty is None:
            break
        end = shop.standings[lost[0]]
        said = "fewer near misses fail now" if end["proven"] else first_signal({lost[0]: end})
        tell(f"taken back: {guilty.patch.atom}: {guilty.patch.title}: {lost[0]} is lost by it")
        shop.memory.gone.add((str(guilty.patch.atom), guilty.patch.title))
        shop.memory.tried.pop(guilty.finding.key, None)  # there may be another repair
        changed = _take_back(shop, guilty, made)
        made.rejected.append(rejected(guilty.finding, guilty.patch, f"{lost[0]} was proven before: {said}"))
    for repair in [r for r in fresh if r in made.accepted]:
        mine = {n: e for n, e in shop.standings.items() if _rests_on(e, repair)}
        won = [n for n, e in mine.items() if e["proven"] and n not in solvable]
        repair.reproved = len(mine)
        repair.restored = tuple(n for n in won if n in repair.finding.environments)


def _rests_on(e: Standing, repair: Repair) -> bool:
    return uses(e, repair.patch.atom.kind, repair.patch.atom.id)


def _as_before(e: Standing, was: Mapping[str, int] | None) -> bool:
    return bool(e["proven"]) and as_sharp(e, was)


def _guilty(shop: Workshop, name: str, accepted: Sequence[Repair], was: Mapping[str, int] | None) -> Repair | None:
    """The repair without which an environment is what it was; the newest that it rests on where none is that alone."""
    near = [r for r in reversed(accepted) if _rests_on(shop.standings[name], r)]
    for repair in near:
        if _as_before(shop.examine([name], repair.before)[name], was):
            return repair
    return near[0] if near else None


def _take_back(shop: Workshop, guilty: Repair, made: Round) -> list[Repair]:
    """Undoes a repair, and with it later ones of the same files; answers all that are gone."""
    paths = {e.path for e in guilty.patch.edits}
    later = made.accepted[made.accepted.index(guilty) + 1 :]
    gone = [guilty, *(r for r in later if paths & {e.path for e in r.patch.edits})]
    for repair in reversed(gone):
        shop.lay(repair.before, repair.patch.atom)
        made.accepted.remove(repair)
    return gone
