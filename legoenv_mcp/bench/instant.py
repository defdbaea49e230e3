"""An OpenAI-compatible endpoint that answers at once: `python -m legoenv_mcp.bench.instant SCRIPT.json`.

SCRIPT.json is a list of assistant messages; a request with n of them is answered with the next. It reads no more of a request than
that takes, so that what is measured is who asks.
"""

import asyncio
import json
import re
import sys
from pathlib import Path

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


def answers(script: list[dict[str, object]]) -> list[bytes]:
    """Whole HTTP responses."""
    made = list[bytes]()
    for message in script:
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
        }
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        whole = {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "instant",
            "choices": [choice],
            "usage": usage,
        }
        body = json.dumps(whole).encode()
        made.append(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
        )
    return made


async def serve(script: list[dict[str, object]]) -> None:
    made = answers(script)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                length = _LENGTH.search(await reader.readuntil(b"\r\n\r\n"))
                body = await reader.readexactly(int(length[1]) if length else 0)
                writer.write(made[min(body.count(b'"assistant"'), len(made) - 1)])
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=256)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", file=sys.stderr, flush=True)  # noqa: T201
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
