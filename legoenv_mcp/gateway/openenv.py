"""OpenEnv's wire contract under `/openenv`, for its clients (written against openenv 0.10, whose package is not needed here).

`/openenv/ws` is a session over a web socket: reset, step, state, close, mcp. `/openenv/mcp` takes the same calls as JSON-RPC, with
sessions made by `openenv/session/create`; a web socket with `?session_id=` goes on in such a session. `/openenv/{environment}/ws` and
`/openenv/{environment}/mcp` begin in that environment; without, `reset` names it (`environment`, or `split` and `index`).

An action calls one tool. The tool `submit` ends the episode: its observation carries the reward. A reward of None with `done` means
that there is no verdict (the verifier failed, or an app did): not a reward of 0.
"""

import secrets
import time
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from legoenv_mcp import __version__
from legoenv_mcp.faces.toolbox import Toolbox
from legoenv_mcp.gateway.environments import Environments
from legoenv_mcp.gateway.episodes import Lease
from legoenv_mcp.gateway.openenv_wire import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    SCHEMA,
    SERVER_ERROR,
    SUBMIT,
    Json,
    Refused,
    RpcRefused,
    as_json,
    error_message,
    failed,
    frame,
    is_object,
    observed,
    read_message,
    rpc_error,
)
from legoenv_mcp.gateway.problems import Problem, unknown_path
from legoenv_mcp.gateway.wire import Exchange, Receive, Send
from legoenv_mcp.kernel.episode import Episode

NAME, SPLIT = "legoenv", "catalogue"


class Host(Protocol):
    """What a session needs of the gateway."""

    @property
    def catalogue(self) -> Environments: ...
    async def open(self, environment_id: str) -> Lease:
        """Opens an episode. Raises the Problem where there is no such environment, or no room."""
        ...

    def living(self, lease: Lease) -> Episode:
        """The lease's episode, touched. Raises the Problem where it has been collected."""
        ...

    def grade(self, lease: Lease, answer: str | None) -> Json: ...
    def end(self, lease: Lease) -> None: ...


@dataclass(slots=True, eq=False)
class Session:
    """One agent's place: the episode it lives in, once it has been reset."""

    id: str
    environment: str = ""
    lease: Lease | None = None
    tools: Toolbox | None = None
    steps: int = 0
    reward: float | None = None
    done: bool = False
    broken: bool = False
    """Whether an app failed (5xx): there is no verdict on what came of it."""
    attached: bool = False
    touched: float = field(default_factory=time.monotonic)


class OpenEnv:
    """The sessions of a gateway. limit: how many at a time; idle: seconds after which one that nobody touches is ended."""

    def __init__(self, host: Host, *, limit: int, idle: float) -> None:
        self._host = host
        self._limit = limit
        self._idle = idle
        self._sessions = dict[str, Session]()

    # HTTP

    async def serve(self, exchange: Exchange, below: str) -> None:
        """A request below `/openenv`."""
        *named, leaf = below.strip("/").split("/")
        if len(named) > 1:
            raise unknown_path()
        name = named[0] if named else ""
        match exchange.method, leaf:
            case "POST", "mcp":
                await exchange.answer_json(await self._rpc(await exchange.json_object(), None, name))
            case "POST", "tasks" | "num_tasks" | "task" | "task_range" if name == NAME:
                await exchange.answer_json(self._tasks(leaf, await exchange.json_object()))
            case "GET" | "HEAD", "splits" if name == NAME:
                await exchange.answer_json([{"name": SPLIT, "type": "train"}])
            case "GET" | "HEAD", "list_environments" if not name:
                await exchange.answer_json([NAME])
            case "GET" | "HEAD", "health":
                await exchange.answer_json({"status": "healthy"})
            case "GET" | "HEAD", "schema":
                await exchange.answer_json(SCHEMA)
            case "GET" | "HEAD", "metadata":
                description = "Tasks in simulated applications; every tool is the application's own."
                await exchange.answer_json({"name": NAME, "description": description, "version": __version__})
            case _:
                raise unknown_path()

    def _tasks(self, leaf: str, body: Json) -> Json:
        if body.get("split") != SPLIT:
            raise Problem(404, "unknown-split", f"There is one split: {SPLIT!r}.")
        names = self._host.catalogue.names()
        if leaf == "num_tasks":
            return {"num_tasks": len(names)}
        if leaf == "task":
            return {"task": self._task(self._index(body, len(names)))}
        start, stop = body.get("start"), body.get("stop")
        if leaf == "tasks":
            start = stop = None
        if not all(v is None or (isinstance(v, int) and not isinstance(v, bool)) for v in (start, stop)):
            raise Problem(400, "invalid-request", "`start` and `stop` are whole numbers.")
        found = [self._task(n) for n in range(len(names))[start:stop]]
        return {"tasks": found, **({"env_name": NAME} if leaf == "tasks" else {})}

    @staticmethod
    def _index(body: Json, count: int) -> int:
        index = body.get("index")
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
            raise Problem(400, "invalid-request", f"`index` is a whole number from 0 to {count - 1}.")
        return index

    def _task(self, index: int) -> Json:
        return {"id": self._host.catalogue.names()[index], "index": index}

    # Web socket

    async def socket(self, receive: Receive, send: Send, below: str, session_id: str) -> None:
        """A web socket's life, in a session of its own or in the one it names."""
        await receive()
        await send({"type": "websocket.accept"})
        *named, leaf = below.strip("/").split("/")
        try:
            if leaf != "ws" or len(named) > 1:
                raise Refused("there is no web socket here; it is at /openenv/ws", "SESSION_ERROR")
            session = self._attach(session_id) if session_id else self._begin(named[0] if named else "")
        except Refused as error:
            await send(frame(error_message(error)))
            await send({"type": "websocket.close", "code": 1008})
            return
        session.attached = True
        try:
            await self._talk(session, receive, send)
        finally:
            session.attached = False
            if not session_id:
                self._end(session)

    async def _talk(self, session: Session, receive: Receive, send: Send) -> None:
        while True:
            message: MutableMapping[str, Any] = await receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            try:
                said = read_message(text if text is not None else message.get("bytes") or b"")
                if said.get("type") == "close":
                    await send({"type": "websocket.close", "code": 1000})
                    return
                answer = await self._answer(session, said)
            except Refused as error:
                answer = error_message(error)
            except Problem as problem:
                code = "CAPACITY_REACHED" if problem.status == 503 else "EXECUTION_ERROR"
                answer = error_message(Refused(problem.detail, code))
            await send(frame(answer))

    async def _answer(self, session: Session, said: Json) -> Json:
        kind, data = said.get("type"), said.get("data", {})
        if not is_object(data):
            raise Refused("`data` must be an object", "VALIDATION_ERROR")
        match kind:
            case "reset":
                return {"type": "observation", "data": await self._reset(session, data)}
            case "step":
                return {"type": "observation", "data": await self._step(session, data)}
            case "state":
                shown = {"environment": session.environment, "done": session.done}
                return {"type": "state", "data": {"episode_id": session.id, "step_count": session.steps, **shown}}
            case "mcp":
                return {"type": "mcp", "data": await self._rpc(data, session, session.environment)}
            case _:
                raise Refused(f"Unknown message type: {kind}", "UNKNOWN_TYPE")

    # Sessions

    def _begin(self, environment: str) -> Session:
        if len(self._sessions) >= self._limit:
            before = time.monotonic() - self._idle
            for stale in [s for s in self._sessions.values() if not s.attached and s.touched <= before]:
                self._end(stale)
            if len(self._sessions) >= self._limit:
                raise Refused(f"All {self._limit} sessions are in use.", "CAPACITY_REACHED")
        session = Session("oe_" + secrets.token_urlsafe(24), environment)
        self._sessions[session.id] = session
        return session

    def _attach(self, session_id: str) -> Session:
        session = self._sessions.get(session_id)
        if session is None:
            raise Refused("there is no such session", "SESSION_ERROR")
        if session.attached:
            raise Refused("the session already has a web socket", "SESSION_ERROR")
        return session

    def _end(self, session: Session) -> None:
        self._sessions.pop(session.id, None)
        if session.lease is not None:
            self._host.end(session.lease)
            session.lease = None

    # Reset and step

    async def _reset(self, session: Session, data: Json) -> Json:
        """A fresh episode: of the environment named, of the task at split and index, or of the one before."""
        wanted = data.get("environment") or session.environment
        if "index" in data:
            if data.get("split", SPLIT) != SPLIT:
                raise Refused(f"there is one split: {SPLIT!r}", "VALIDATION_ERROR")
            names = self._host.catalogue.names()
            wanted = names[self._index(data, len(names))]
        if not isinstance(wanted, str) or not wanted:
            raise Refused("reset needs `environment`, or `split` and `index`", "VALIDATION_ERROR")
        lease = await self._host.open(wanted)
        if session.lease is not None:
            self._host.end(session.lease)
        session.environment, session.lease, session.touched = wanted, lease, time.monotonic()
        session.tools = Toolbox(lease.plan.slugs)
        session.steps, session.reward, session.done, session.broken = 0, None, False, False
        instruction = self._host.catalogue.load(wanted).instruction
        return observed(
            {"instruction": instruction, "environment": wanted, "apps": list(lease.plan.slugs)},
            session.reward,
            session.done,
        )

    async def _step(self, session: Session, action: Json) -> Json:
        kind = action.get("type")
        if kind == "list_tools":
            return observed({"tools": await self._listed(session)}, session.reward, session.done)
        if kind != "call_tool":
            raise Refused("an action is of type list_tools or call_tool", "VALIDATION_ERROR")
        name, arguments = action.get("tool_name"), action.get("arguments", {})
        if not isinstance(name, str) or not is_object(arguments):
            raise Refused("call_tool has a tool_name and arguments", "VALIDATION_ERROR")
        return observed({"tool_name": name, **await self._call(session, name, arguments)}, session.reward, session.done)

    async def _listed(self, session: Session) -> list[Json]:
        tools = (await self._ready(session)).tools
        shown = [
            {"name": t["name"], "description": t.get("description", ""), "input_schema": t["inputSchema"]}
            for t in tools
        ]
        return [*shown, SUBMIT]

    async def _ready(self, session: Session) -> Toolbox:
        """The session's tools; one that begins in an environment is reset by its first use."""
        if session.tools is None:
            await self._reset(session, {})
        assert session.tools is not None
        session.touched = time.monotonic()
        return session.tools

    async def _call(self, session: Session, name: str, arguments: Json) -> Json:
        """What came of a call: `result` (with the vendor's own errors), or `error` where there was no call."""
        tools = await self._ready(session)
        assert session.lease is not None
        if session.done:
            return failed("execution_error", "the episode has ended: reset begins another")
        if name == "submit":
            return self._submit(session, arguments)
        if name not in tools.names:
            return failed("tool_not_found", f"there is no tool {name!r}")
        called = tools.call(self._host.living(session.lease), name, arguments)
        session.steps += 1
        session.broken = session.broken or called.status >= 500
        # The client hands on what is under `data`, and a body of the vendor's may have a member of that name itself.
        return {
            "result": {"data": as_json(called.text), "is_error": called.error, "status": called.status},
            "error": None,
        }

    def _submit(self, session: Session, arguments: Json) -> Json:
        answer = arguments.get("answer")
        if set(arguments) - {"answer"} or not isinstance(answer, (str, type(None))):
            return failed("invalid_args", "submit takes `answer`, a text")
        assert session.lease is not None
        session.steps += 1
        session.done = True
        if session.broken:
            return {"result": {"data": "no verdict: an app failed", "is_error": True, "status": 500}, "error": None}
        try:
            grade = self._host.grade(session.lease, answer)
        except Problem as problem:
            return {"result": {"data": problem.detail, "is_error": True, "status": problem.status}, "error": None}
        session.reward = grade["reward"]
        # Which assertions failed is the trainer's business, and this is what an agent reads.
        return {"result": {"data": "The task has ended.", "is_error": False, "status": 200}, "error": None}

    # JSON-RPC

    async def _rpc(self, request: Json, session: Session | None, environment: str) -> Json:
        head = {"jsonrpc": "2.0", "id": request.get("id")}
        method, params = request.get("method"), _or_empty(request.get("params"))
        if request.get("jsonrpc") != "2.0" or not isinstance(method, str) or not is_object(params):
            return head | rpc_error(INVALID_REQUEST, "not a JSON-RPC 2.0 request")
        try:
            return head | {"result": await self._method(method, params, session, environment)}
        except RpcRefused as error:
            return head | rpc_error(error.number, str(error))
        except (Refused, Problem) as error:
            return head | rpc_error(SERVER_ERROR, str(error))

    async def _method(self, method: str, params: Json, own: Session | None, environment: str) -> Any:
        if method == "openenv/session/create":
            return {"session_id": (own or self._begin(environment)).id}
        session = own or self._sessions.get(str(params.get("session_id", "")))
        if session is None:
            raise RpcRefused(INVALID_PARAMS, "`session_id` must name a session: openenv/session/create makes one")
        if method == "openenv/session/close":
            if session.attached:
                raise RpcRefused(INVALID_REQUEST, "the session has a web socket, which ends it")
            self._end(session)
            return {"session_id": session.id, "closed": True}
        if method == "tools/list":
            return {"tools": await self._listed(session)}
        if method == "tools/call":
            name, arguments = params.get("name"), _or_empty(params.get("arguments"))
            if not isinstance(name, str) or not is_object(arguments):
                raise RpcRefused(INVALID_PARAMS, "tools/call has a name and arguments")
            made = await self._call(session, name, arguments)
            if made["error"] is not None:
                raise RpcRefused(INVALID_PARAMS, made["error"]["message"])
            return made["result"] | {"reward": session.reward, "done": session.done}
        raise RpcRefused(METHOD_NOT_FOUND, f"there is no method {method!r}")


def _or_empty(value: Any) -> Any:
    return {} if value is None else value
