"""A stored rollout lived again, offline: its calls are made anew on a fresh episode."""

from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.evaluate.rollout import Rollout
from legoenv_mcp.evaluate.tools import portable_name
from legoenv_mcp.faces import tools as face
from legoenv_mcp.kernel.episode import Episode


def replay(rollout: Rollout, environment: Environment, episode: Episode) -> None:
    """Makes the rollout's calls on an episode. Those that never reached an app (no such tool, no JSON) are left out."""
    if rollout.toolset == "api":
        from legoenv_mcp.faces import api_toolset  # noqa: PLC0415 - only those who use it pay for its index

        for call in rollout.calls:
            if isinstance(call.arguments, dict) and call.tool in ("api_search", "api_request"):
                api_toolset.call(episode, environment.apps, call.tool, call.arguments)
        return
    places = face.places(environment.apps, len(environment.apps) > 1)
    named = {portable_name(name): place for name, place in places.items()}
    for call in rollout.calls:
        if isinstance(call.arguments, dict) and call.tool in named:
            episode.call(*named[call.tool], call.arguments)
