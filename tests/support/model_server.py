"""An OpenAI-compatible endpoint over real HTTP, driven by a script: what a model under test, or one that helps, would say."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """An answer with everything that can go wrong with it.

    said: a message's text or a whole message. raw: the body as it is, in place of a completion. seconds: how long it takes.
    drop: the connection is closed without an answer.
    """

    said: str | dict[str, Any] = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    raw: str | None = None
    seconds: float = 0.0
    drop: bool = False
    finish: str = ""
    usage: Mapping[str, Any] = field(
        default_factory=lambda: {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    )


Answer = str | dict[str, Any] | int | Reply
"""A message's text, a whole message, an HTTP status to refuse with, or a Reply."""
Policy = Callable[[dict[str, Any], int], Answer]
"""Takes a request's body and its number, counted from 0."""


def calls(*wanted: tuple[str, Any], **more: Any) -> dict[str, Any]:
    """A message that calls tools: names and arguments, which may be text as it is."""
    texts = [(name, given if isinstance(given, str) else json.dumps(given)) for name, given in wanted]
    made = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": text}}
        for n, (name, text) in enumerate(texts)
    ]
    return {"content": None, "tool_calls": made, **more}


class ModelServer:
    """`url` is the base URL to give to a client; `requests` are the bodies it was sent, `headers` what came with them."""

    def __init__(self, policy: Policy | Sequence[Answer]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._policy = policy if callable(policy) else lambda _, n: policy[min(n, len(policy) - 1)]
        self._lock = threading.Lock()
        self._closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
                outer.answer(self, body)

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that has gone, or that was hung up on, is what the test wants."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        with self._lock:
            number = len(self.requests)
            self.requests.append(body)
            self.headers.append(dict(handler.headers))
        if handler.path != "/v1/chat/completions":
            return self._send(handler, 404, json.dumps({"error": {"message": f"no such path {handler.path}"}}))
        said = self._policy(body, number)
        reply = Reply(status=said) if isinstance(said, int) else said if isinstance(said, Reply) else Reply(said)
        if reply.seconds:
            self._closing.wait(reply.seconds)
        if reply.drop:
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return None
        if reply.raw is not None:
            return self._send(handler, reply.status, reply.raw, reply.headers)
        if reply.status >= 400:
            refusal = {"error": {"message": reply.said or "scripted refusal", "type": "scripted"}}
            return self._send(handler, reply.status, json.dumps(refusal), reply.headers)
        message = {"content": reply.said} if isinstance(reply.said, str) else reply.said
        choice = {"index": 0, "finish_reason": reply.finish or ("tool_calls" if message.get("tool_calls") else "stop")}
        whole = {"id": f"chatcmpl-{number}", "created": 0, "model": body.get("model", "")}
        if body.get("stream"):
            return self._stream(handler, whole, choice, message, reply)
        shown = {
            **whole,
            "object": "chat.completion",
            "choices": [{**choice, "message": {"role": "assistant", **message}}],
            "usage": dict(reply.usage),
        }
        return self._send(handler, 200, json.dumps(shown), reply.headers)

    def _stream(
        self, handler: BaseHTTPRequestHandler, whole: dict[str, Any], choice: dict[str, Any], message: dict[str, Any],
        reply: Reply,
    ) -> None:  # fmt: skip
        """The same as server-sent events: the message in one delta, the finish, the usage."""
        wanted = [{"index": n, **call} for n, call in enumerate(message.get("tool_calls") or [])]
        delta = {"role": "assistant", **message, **({"tool_calls": wanted} if wanted else {})}
        events = [
            [{"index": 0, "delta": delta, "finish_reason": None}],
            [{**choice, "delta": {}}],
            [],
        ]
        chunks = [{**whole, "object": "chat.completion.chunk", "choices": choices} for choices in events]
        chunks[-1]["usage"] = dict(reply.usage)
        text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self._send(handler, 200, text, {**reply.headers, "Content-Type": "text/event-stream"})

    @staticmethod
    def _send(
        handler: BaseHTTPRequestHandler, status: int, text: str, headers: Mapping[str, str] | None = None
    ) -> None:
        data = text.encode()
        handler.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            **(headers or {}),
            "Content-Length": str(len(data)),
        }.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def close(self) -> None:
        self._closing.set()
        self.server.shutdown()
        self.server.server_close()


@contextmanager
def model_server(policy: Policy | Sequence[Answer]) -> Iterator[ModelServer]:
    """A running endpoint."""
    made = ModelServer(policy)
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.close()
        thread.join()
