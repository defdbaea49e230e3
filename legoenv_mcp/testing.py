"""For tests of apps: an episode over one app, filled with a few entities or a whole world."""

from collections.abc import Sequence

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Organisation, Person
from legoenv_mcp.kernel.episode import Episode, Template

CLOCK = "2026-03-02T09:00:00Z"
ALEX = Person(
    key="alex.doyle", first_name="Alex", last_name="Doyle", email="alex.doyle@brightwater.example", handle="alex",
    title="Operations Manager", department="Operations", start_date="2023-05-01", admin=True,
)  # fmt: skip
BRIGHTWATER = Organisation(key="brightwater", name="Brightwater", domain="brightwater.example", agent=ALEX.key)


def episode_of(slug: str, entities: Sequence[Entity] = (), *, seed: str = "test", world: str = "") -> Episode:
    """An episode over one app: of a world, or of a fresh account plus these entities (in filling order)."""
    if world:
        return templates.episode([slug], world, seed)
    app = registry.load(slug)
    given = [(type(entity), entity) for entity in entities]
    if Person in templates.filled_by(app):
        given.insert(0, (Person, ALEX))
    image = templates.build_from(app, BRIGHTWATER, ALEX, CLOCK, given)
    template = Template(app, image)
    return Episode(lambda _: template, (slug,), seed)
