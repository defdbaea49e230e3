"""A stored rollout lived again, offline: its calls are made anew on a fresh episode, and what comes of them is graded."""

from legoenv_mcp.controller import environments
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.evaluate.rollout import Rollout
from legoenv_mcp.evaluate.tools import portable_name
from legoenv_mcp.faces import mcp as face
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.verify import Verdict


class CannotReplay(ValueError):
    """The rollout has no calls that would come to the same here; the message says why."""


def regrade(rollout: Rollout) -> Verdict:
    """The verdict that the rollout's own calls earn, made again in their order: the one that it has, unless something is wrong.

    CannotReplay where it is invalid, or where its environment is gone or has changed since.
    """
    if rollout.verdict == "invalid":
        raise CannotReplay(f"{rollout.environment}: an invalid rollout has no verdict")
    try:
        environment = environments.load(rollout.environment)
    except environments.UnknownEnvironment as error:
        raise CannotReplay(str(error)) from None
    if environment.hash != rollout.environment_hash:
        raise CannotReplay(f"{rollout.environment} has changed since the rollout")
    episode = environment.episode()
    try:
        replay(rollout, environment, episode)
        return environment.grade(episode, rollout.answer)
    finally:
        episode.close()


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
