"""The service `legoenv` of an MCPMark checkout: each task is an episode on a LegoEnv gateway.

`register()` adds it to the checkout's services and agents without changing a file of the checkout.
"""

# pyright: basic, reportMissingImports=false

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.base.login_helper import BaseLoginHelper
from src.base.state_manager import BaseStateManager, InitialStateInfo
from src.base.task_manager import BaseTask, BaseTaskManager
from src.logger import get_logger

SERVICE = "legoenv"
logger = get_logger(__name__)


@dataclass
class LegoenvTask(BaseTask):
    """A task, and the episode it is lived in while it runs."""

    episode: str = ""

    @property
    def folder(self) -> Path:
        return Path(self.task_instruction_path).parent


class LegoenvTaskManager(BaseTaskManager):
    def __init__(self, tasks_root: Path | None = None, task_suite: str = "standard") -> None:
        root = tasks_root or Path(__file__).resolve().parents[3] / "tasks"
        super().__init__(
            root, mcp_service=SERVICE, task_class=LegoenvTask, task_organization="directory", task_suite=task_suite
        )

    def run_verification(self, task: LegoenvTask) -> subprocess.CompletedProcess:
        """Verifies once, on the final state, with the episode's id in the environment of the script alone."""
        command = [sys.executable, str(task.task_verification_path)]
        environment = {**os.environ, "LEGOENV_EPISODE": task.episode}
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)


class LegoenvStateManager(BaseStateManager):
    """Opens an episode for each task and ends it afterwards."""

    def __init__(self, gateway: str = "", token: str = "", control_token: str = "", toolset: str = "mcp") -> None:
        super().__init__(service_name=SERVICE)
        self.gateway = (gateway or "http://127.0.0.1:8765").rstrip("/")
        self.token = token or ""
        self.control = control_token or self.token
        self.toolset = toolset or "mcp"
        self.mcp_url = ""

    def _create_initial_state(self, task: LegoenvTask) -> InitialStateInfo | None:
        meta = json.loads((task.folder / "meta.json").read_text(encoding="utf-8"))["meta_data"]
        made = self._control("POST", "/episodes", {"environment": meta["environment"]})
        self.track_resource("episode", made["id"])
        if made["instruction"].strip() != task.get_task_instruction().strip():
            logger.error(
                "| the gateway has another version of %s than this task: export the tasks anew", meta["environment"]
            )
            self._cleanup_tracked_resources()
            return None
        self.mcp_url = made["mcp"] + ("?toolset=api" if self.toolset == "api" else "")
        return InitialStateInfo(
            state_id=made["id"], state_url=self.mcp_url, metadata={"environment": meta["environment"]}
        )

    def _store_initial_state_info(self, task: LegoenvTask, state_info: InitialStateInfo) -> None:
        task.episode = state_info.state_id

    def _cleanup_task_initial_state(self, task: LegoenvTask) -> bool:
        task.episode, self.mcp_url = "", ""
        return True  # the episode itself is a tracked resource

    def _cleanup_single_resource(self, resource: dict[str, Any]) -> bool:
        try:
            self._control("DELETE", f"/episodes/{resource['id']}")
        except urllib.error.HTTPError as error:
            return error.code == 404  # it was idle for too long and has been collected
        return True

    def get_service_config_for_agent(self) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {"mcp_url": self.mcp_url, "headers": headers}

    def _control(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Content-Type": "application/json"}
        if self.control:
            headers["Authorization"] = f"Bearer {self.control}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.gateway + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=120) as response:
            text = response.read()
        return json.loads(text) if text else None


class LegoenvLoginHelper(BaseLoginHelper):
    """There is nothing to log in to."""

    def login(self, **kwargs: Any) -> bool:
        return True


def _setting(variable: str, description: str, default: str | None = None) -> dict[str, Any]:
    return {"env_var": variable, "default": default, "required": False, "description": description}


def register() -> None:
    """Adds the service to the checkout's service table and to its agents."""
    from src.agents import AGENT_REGISTRY
    from src.agents.base_agent import BaseMCPAgent
    from src.agents.mcp import MCPHttpServer
    from src.services import SERVICES

    here = __name__
    SERVICES[SERVICE] = {
        "config_schema": {
            "gateway": _setting("LEGOENV_GATEWAY", "Address of the gateway", "http://127.0.0.1:8765"),
            "token": _setting("LEGOENV_TOKEN", "The agent's token, where the gateway has one"),
            "control_token": _setting("LEGOENV_CONTROL_TOKEN", "The control token, where the gateway has one"),
            "toolset": _setting("LEGOENV_TOOLSET", "mcp, or api for the two-tool face", "mcp"),
        },
        "components": {
            "task_manager": f"{here}.LegoenvTaskManager",
            "state_manager": f"{here}.LegoenvStateManager",
            "login_helper": f"{here}.LegoenvLoginHelper",
        },
        "config_mapping": {
            "state_manager": {name: name for name in ("gateway", "token", "control_token", "toolset")},
            "login_helper": {},
        },
        "mcp_server": None,
        "eval_config": None,
    }
    if SERVICE not in BaseMCPAgent.HTTP_SERVICES:
        BaseMCPAgent.HTTP_SERVICES = [*BaseMCPAgent.HTTP_SERVICES, SERVICE]
    for agent in {BaseMCPAgent, *AGENT_REGISTRY.values()}:
        if "_create_http_server" in vars(agent):
            agent._create_http_server = _with_service(agent._create_http_server, MCPHttpServer)


def _with_service(original: Any, server: Any) -> Any:
    def create(self: Any) -> Any:
        if self.mcp_service != SERVICE:
            return original(self)
        if not self.service_config.get("mcp_url"):
            raise ValueError("no episode has been opened for this task")
        return server(url=self.service_config["mcp_url"], headers=self.service_config["headers"])

    return create
