"""A shelf as an OpenEnv environment: an MCPEnvironment whose tools are a FastMCP server's, a private shelf for each session."""

from typing import Any
from uuid import uuid4

from fastmcp import FastMCP
from listening import serve
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from openenv.core.env_server.types import Action, Observation, State
from shelf_sqlite import Shelf


class ShelfEnvironment(MCPEnvironment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        mcp = FastMCP("shelf")
        self._shelf = Shelf()
        self._state = State(episode_id=str(uuid4()), step_count=0)

        @mcp.tool
        def get_item(id: str) -> dict[str, Any]:
            """Gets one item by its id."""
            return self._shelf.get_item(id)

        @mcp.tool
        def list_items(kind: str | None = None, limit: int = 20) -> list[dict[str, Any]]:
            """Lists items of a kind."""
            return self._shelf.list_items(kind, limit)

        @mcp.tool
        def add_item(name: str, kind: str = "a", amount: float = 0) -> dict[str, Any]:
            """Adds an item."""
            return self._shelf.add_item(name, kind, amount)

        super().__init__(mcp)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> Observation:
        self._shelf = Shelf()
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return Observation(done=False, reward=0.0, metadata={"status": "ready"})

    def _step_impl(self, action: Action, timeout_s: float | None = None, **kwargs: Any) -> Observation:
        return Observation(done=False, reward=0.0, metadata={"error": f"unknown action {type(action).__name__}"})

    @property
    def state(self) -> State:
        return self._state


if __name__ == "__main__":
    serve(create_app(ShelfEnvironment, CallToolAction, CallToolObservation, env_name="shelf", max_concurrent_envs=500))
