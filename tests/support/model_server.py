"""An OpenAI-compatible endpoint over real HTTP, driven by a script: what a model under test, or one that helps, would say."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = str | dict[str, Any] | int
"""A message's text, a whole message, or an HTTP status to refuse with."""
Policy = Callable[[dict[str, Any], int], Answer]
"""Takes a request's body and its number, counted from 0."""


class ModelServer:
    """`url` is the base URL to give to a client; `requests` are the bodies it was sent."""

    def __init__(self, policy: Policy | Sequence[Answer]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._policy = policy if callable(policy) else lambda _, n: policy[min(n, len(policy) - 1)]
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
                outer.answer(self, body)

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        with self._lock:
            number = len(self.requests)
            self.requests.append(body)
        if handler.path != "/v1/chat/completions":
            return self._send(handler, 404, {"error": {"message": f"no such path {handler.path}"}})
        said = self._policy(body, number)
        if isinstance(said, int):
            return self._send(handler, said, {"error": {"message": "scripted refusal", "type": "scripted"}})
        message = {"role": "assistant", "content": said} if isinstance(said, str) else {"role": "assistant", **said}
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        shown = {
            "id": f"chatcmpl-{number}", "object": "chat.completion", "created": 0, "model": body.get("model", ""),
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }  # fmt: skip
        return self._send(handler, 200, shown)

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)


@contextmanager
def model_server(policy: Policy | Sequence[Answer]) -> Iterator[ModelServer]:
    """A running endpoint."""
    made = ModelServer(policy)
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()
        thread.join()
