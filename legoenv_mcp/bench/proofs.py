"""How fast environments are derived, graded and proven: over a sample of the catalogue that is spread evenly."""

from legoenv_mcp.bench.clock import median, now
from legoenv_mcp.bench.figures import Figure
from legoenv_mcp.controller import catalogue
from legoenv_mcp.controller.derive import derive
from legoenv_mcp.controller.plans import play
from legoenv_mcp.controller.prove import prove


def measure(count: int) -> list[Figure]:
    """The figures; none where the catalogue is empty."""
    entries = [entry for _, entry in sorted(catalogue.entries().items())]
    sample = entries[:: max(1, len(entries) // count)][:count]
    if not sample:
        return []
    for entry in sample:
        prove(derive(entry.recipe))  # templates, tool lists and footprints are made once in a process
    deriving, proving, grading, episodes = list[float](), list[float](), list[float](), 0
    for entry in sample:
        start = now()
        environment = derive(entry.recipe)
        deriving.append(now() - start)
        start = now()
        episodes += prove(environment).episodes
        proving.append(now() - start)
        episode = environment.episode()
        play(environment.plan, episode)
        start = now()
        environment.grade(episode, environment.answer)
        grading.append(now() - start)
        episode.close()
    late = sorted(grading)[int(len(grading) * 0.95)]
    return [
        Figure("derive an environment from its recipe", median(deriving) * 1e3, "ms"),
        Figure("prove one environment", median(proving) * 1e3, "ms", None, "", "< 300 ms"),
        Figure("environments proven per second and core", len(proving) / sum(proving), ""),
        Figure("episodes played per proof", episodes / len(proving), ""),
        Figure("grade, 95th percentile over the sample", late * 1e3, "ms", None, "", "< 5 ms"),
    ]
