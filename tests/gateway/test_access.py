"""Who may do what: an agent with its addresses, someone with a token, a page in a browser, a request that is too much."""

import base64
import contextlib
import json
import socket
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
MCP = {"Accept": "application/json, text/event-stream"}


def problem(response: httpx.Response, kind: str) -> dict[str, Any]:
    assert response.headers["content-type"] == "application/problem+json", response.text
    document = response.json()
    assert document["type"] == f"urn:legoenv:problem:{kind}"
    assert document["status"] == response.status_code
    assert {"title", "detail"} <= set(document)
    return document


def raw(url: str, text: str, wait: float = 20) -> str:
    """What a server answers to exactly these bytes: clients tidy paths that attackers would not."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), wait) as connection:
        connection.sendall(text.replace("\n", "\r\n").encode())
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    return answer.decode()


# The agent


TRICKS = [
    "/episodes/{key}", "/episodes/{key}/", "/episodes/{key}/grade", "/episodes/{key}/grade/", "/episodes/{key}/reset",
    "/episodes/{key}/apps/notes/mcp/../../../grade", "/episodes/{key}/apps/notes/rest/../../../grade", "/episodes/{key}/mcp/../grade",
    "/episodes/{key}/./grade", "//episodes/{key}/grade", "/episodes//{key}/grade", "/episodes/{key}//grade", "/episodes/{key}/%67rade",
    "/episodes/{key}%2fgrade", "/episodes/{key}/grade%00", "/episodes/{key}/grade?x=/mcp", "/episodes/{key};/grade",
    "/Episodes/{key}/grade",
    "/apps/notes/rest/../../../episodes/{key}/grade", "/episodes/%2e%2e/episodes/{key}/grade", "/episodes/{key}\\grade",
    "http://127.0.0.1/episodes/{key}/grade", "/episodes/{key}/apps/../grade", "/episodes/{key}/apps/notes/grade", "/episodes/*",
    "/episodes/",
]  # fmt: skip


@pytest.mark.parametrize("path", TRICKS)
def test_an_agents_address_controls_nothing(gateway: Any, path: str) -> None:
    episode = gateway.environment("win_a_deal")
    key = urlsplit(episode.mcp()).path.split("/")[2]
    host = urlsplit(gateway.url).netloc
    before = httpx.get(f"{episode.rest('notes')}/notes").json()
    for method in ("GET", "POST", "DELETE", "PUT"):
        answer = raw(
            gateway.url,
            f"{method} {path.format(key=key)} HTTP/1.1\nHost: {host}\nConnection: close\nContent-Length: 2\n\n{{}}",
        )
        status = int(answer.split(" ", 2)[1])
        assert 400 <= status < 500, answer
        for secret in ("reward", "assertions", "instruction", episode.id):
            assert secret not in answer
    assert httpx.get(f"{episode.rest('notes')}/notes").json() == before


def test_method_override_headers_mean_nothing(gateway: Any) -> None:
    episode = gateway.environment("win_a_deal")
    key = urlsplit(episode.mcp()).path.split("/")[2]
    for name in ("X-HTTP-Method-Override", "X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Path", "X-Episode-Id"):
        response = httpx.get(f"{episode.rest('notes')}/notes", headers={name: f"/episodes/{key}/grade"})
        assert "reward" not in response.text


def test_nothing_an_agent_reads_holds_the_controlling_id(gateway: Any) -> None:
    episode = gateway.environment("win_a_deal")
    base = episode.rest("crmlite")
    for response in (
        httpx.get(f"{base}/v2/tree/readme.md"),
        httpx.get(f"{base}/nosuch"),
        httpx.post(episode.mcp(), json=HELLO, headers=MCP),
    ):
        assert episode.id not in response.text + str(response.headers)


def test_keys_do_not_lead_to_ids(gateway: Any) -> None:
    one, two = gateway.episode(["notes"], world="empty"), gateway.episode(["notes"], world="empty")
    assert one.id != two.id
    assert one.mcp() != two.mcp()
    assert len(one.id) >= 32


# Tokens


def send(gateway: Any, method: str, path: str, token: str | None, body: Any = None) -> int:
    headers = {**MCP, **({} if token is None else {"Authorization": f"Bearer {token}"})}
    return httpx.request(method, gateway.url + path, json=body, headers=headers, timeout=30).status_code


@pytest.mark.parametrize(
    ("options", "control", "agent", "outside"),
    [
        # tokens set; which are good for controlling, which for the agent's paths, which for nothing
        (("--token", "T"), ["T"], ["T"], [None, "x", "TT", "t"]),
        (("--token", "T", "--control-token", "C"), ["C"], ["T", "C"], [None, "x"]),
        (("--control-token", "C"), ["C"], [None, "x", "C"], []),
    ],
)
def test_which_token_opens_what(
    start_gateway: Any, options: tuple[str, ...], control: Any, agent: Any, outside: Any
) -> None:
    gateway = start_gateway(*options, token=control[0])
    episode = gateway.environment("win_a_deal")
    place = urlsplit(episode.mcp()).path.rsplit("/", 1)[0]
    controlling = [
        ("GET", f"/episodes/{episode.id}", None), ("POST", f"/episodes/{episode.id}/grade", {}),
        ("POST", f"/episodes/{episode.id}/reset", {}),
        ("POST", "/episodes", {"apps": ["notes"], "world": "empty"}), ("DELETE", "/episodes/ep_none", None),
    ]  # fmt: skip
    agents = [
        ("GET", "/apps", None), ("GET", f"{place}/apps/notes/rest/notes", None), ("POST", f"{place}/apps/notes/mcp", HELLO),
        ("POST", f"{place}/mcp", HELLO), ("POST", "/apps/notes/mcp", HELLO), ("GET", "/apps/notes/rest/notes", None),
        ("GET", "/openapi.json", None),
    ]  # fmt: skip
    for token in {None, "x", "T", "C", *control, *agent, *outside}:
        for method, path, body in controlling:
            assert (send(gateway, method, path, token, body) != 401) == (token in control), (method, path, token)
        for method, path, body in agents:
            assert (send(gateway, method, path, token, body) != 401) == (
                token in agent or ("C" in options and "T" not in options)
            ), (path, token)
        assert send(gateway, "GET", "/healthz", token) == 200


def test_refusals_without_a_token(start_gateway: Any) -> None:
    gateway = start_gateway("--token", "s3cret", token="s3cret")
    episode = gateway.episode(["notes", "crmlite"], world="empty")
    refused = httpx.get(gateway.url + "/apps")
    assert problem(refused, "unauthorized")["status"] == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert problem(httpx.post(episode.mcp("notes"), json=HELLO), "unauthorized")
    vendors = httpx.get(f"{episode.rest('crmlite')}/v2/deals")
    assert (vendors.status_code, vendors.json()) == (401, {"success": False, "error": "unauthorized access"})
    # Whether an episode or path exists is nobody's business without a token.
    assert httpx.get(gateway.url + "/episodes/ep_none").status_code == 401
    assert httpx.get(gateway.url + "/nosuchpath").status_code == 401
    assert "s3cret" not in gateway.read_log()


@pytest.mark.parametrize("shape", ["Bearer {}", "bearer {}", "token {}", "Basic {user}", "Basic {password}"])
def test_rest_takes_the_token_as_vendors_sdks_send_it(start_gateway: Any, shape: str) -> None:
    gateway = start_gateway("--token", "s3cret", token="s3cret")
    base = gateway.episode(["notes"], world="empty").rest("notes")

    def header(token: str) -> str:
        user, password = (base64.b64encode(text.encode()).decode() for text in (f"{token}:", f"me@example.com:{token}"))
        return shape.format(token, user=user, password=password)

    assert httpx.get(f"{base}/notes", headers={"Authorization": header("s3cret")}).status_code == 200
    assert httpx.get(f"{base}/notes", headers={"Authorization": header("wrong")}).status_code == 401
    assert httpx.get(f"{base}/notes", headers={"Authorization": "Basic %%%"}).status_code == 401


# Names


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost", None, 200), ("127.0.0.1:1", None, 200), ("LOCALHOST:80", None, 200), ("[::1]:8765", None, 200),
        ("evil.example", None, 421), ("127.0.0.1.evil.example", None, 421), ("localhost.evil.example:80", None, 421),
        ("localhost:x", None, 421),
        ("localhost", "http://localhost:3000", 200), ("localhost", "https://127.0.0.1", 200),
        ("localhost", "http://evil.example", 403), ("localhost", "null", 403), ("localhost", "file://localhost", 403),
        ("localhost", "http://localhost@evil.example", 403), ("localhost", "", 403),
    ],
)  # fmt: skip
def test_names_and_origins(gateway: Any, host: str, origin: str | None, status: int) -> None:
    episode = gateway.episode(["notes"], world="empty")
    headers = {"Host": host, **({} if origin is None else {"Origin": origin})}
    response = httpx.get(f"{gateway.url}/apps", headers=headers)
    assert response.status_code == status
    if status != 200:
        problem(response, "foreign-host" if status == 421 else "foreign-origin")
    assert httpx.get(f"{episode.rest('notes')}/notes", headers=headers).status_code == status
    assert httpx.post(episode.mcp("notes"), json=HELLO, headers={**headers, **MCP}).status_code == status
    assert httpx.get(f"{gateway.url}/healthz", headers=headers).status_code == 200


def test_allowed_names(start_gateway: Any) -> None:
    gateway = start_gateway("--allowed-host", "legoenv", "--allowed-host", "api.example:8443")
    for host, status in (
        ("legoenv:8765", 200),
        ("legoenv", 200),
        ("api.example:8443", 200),
        ("api.example:80", 421),
        ("other", 421),
    ):
        assert httpx.get(f"{gateway.url}/apps", headers={"Host": host}).status_code == status
    made = httpx.post(f"{gateway.url}/episodes", json={"apps": ["notes"]}, headers={"Host": "legoenv:8765"}).json()
    assert made["mcp"].startswith("http://legoenv:8765/episodes/"), "addresses are given as the caller reached us"


# What is too much, or no request at all


def test_bodies_have_a_limit(gateway: Any) -> None:
    episode = gateway.episode(["notes"], world="empty")
    large = json.dumps({"text": "x" * (4 * 1024 * 1024)}).encode()
    headers = {"Content-Type": "application/json", **MCP}

    def in_pieces() -> Any:  # no Content-Length
        for start in range(0, len(large), 100_000):
            yield large[start : start + 100_000]

    for content in (large, in_pieces()):
        assert (
            problem(httpx.post(f"{gateway.url}/episodes", content=content, headers=headers), "too-large")["status"]
            == 413
        )
    for content in (large, in_pieces()):
        assert problem(httpx.post(episode.mcp("notes"), content=content, headers=headers), "too-large")["status"] == 413
    for content in (large, in_pieces()):
        vendors = httpx.post(f"{episode.rest('notes')}/notes", content=content, headers=headers)
        assert (vendors.status_code, set(vendors.json())) == (413, {"error"})
    assert len(httpx.get(f"{episode.rest('notes')}/notes").json()["notes"]) == 1
    fits = {"text": "x" * (4 * 1024 * 1024 - 100)}
    assert httpx.post(f"{episode.rest('notes')}/notes", json=fits, timeout=30).status_code == 201


@pytest.mark.parametrize(
    "body", [b"{", b"\xff\xfe", b"[" * 100_000, b'{"apps": NaN', b"null", b'"x"', b"[1]", b'{"apps": ["\\ud800"]}']
)
def test_malformed_bodies_are_problems(gateway: Any, body: bytes) -> None:
    episode = gateway.episode(["notes"], world="empty")
    for path in ("/episodes", f"/episodes/{episode.id}/grade"):
        response = httpx.post(gateway.url + path, content=body, headers={"Content-Type": "application/json"})
        assert response.status_code == 400
        assert response.headers["content-type"] == "application/problem+json"
    answered = httpx.post(episode.mcp("notes"), content=body, headers={"Content-Type": "application/json", **MCP})
    assert answered.status_code == 400
    assert answered.json()["error"]["code"] in (-32700, -32600, -32602)


@pytest.mark.parametrize(
    ("method", "path", "status", "kind"),
    [
        ("GET", "/", 404, "unknown-path"), ("GET", "/nosuch", 404, "unknown-path"), ("GET", "/mcp", 404, "unknown-path"),
        ("PUT", "/episodes", 405, "method-not-allowed"), ("POST", "/healthz", 405, "method-not-allowed"),
        ("GET", "/episodes/x/grade", 405, "method-not-allowed"), ("PATCH", "/apps/notes/mcp", 405, "method-not-allowed"),
        ("POST", "/apps/nosuch/mcp", 404, "unknown-app"), ("GET", "/apps/nosuch/rest/x", 404, "unknown-app"),
        ("POST", "/apps/notes/mcp?toolset=x", 400, "unknown-toolset"), ("GET", "/apps/notes/nosuch", 404, "unknown-path"),
    ],
)  # fmt: skip
def test_wrong_paths_and_methods_are_problems(gateway: Any, method: str, path: str, status: int, kind: str) -> None:
    response = gateway.request(method, path)
    assert problem(response, kind)["status"] == status
    assert status != 405 or response.headers["allow"]


def test_an_episodes_mcp_endpoint_takes_posts_only(gateway: Any) -> None:
    episode = gateway.episode(["notes"], world="empty")
    for method in ("GET", "DELETE"):
        response = httpx.request(method, episode.mcp("notes"), headers=MCP, timeout=60)
        assert problem(response, "method-not-allowed")["status"] == 405
        assert response.headers["allow"] == "POST"


def test_a_wrong_client_key_is_a_problem(gateway: Any) -> None:
    assert (
        problem(gateway.request("GET", "/apps/notes/rest/notes", headers={"X-Episode-Id": "a b"}), "bad-episode-key")[
            "status"
        ]
        == 400
    )


def test_what_is_not_http_leaves_the_server_standing(gateway: Any) -> None:
    for text in ("\n\n", "GET\n\n", "NOT HTTP AT ALL\n\n", "GET / HTTP/1.1\nContent-Length: -1\n\n", "\x16\x03\x01\n"):
        with contextlib.suppress(TimeoutError, ConnectionError):
            raw(gateway.url, text, wait=0.3)
    assert gateway.request("GET", "/healthz").status_code == 200


def test_nothing_was_our_fault(gateway: Any) -> None:
    """Last in this module: none of the above made the gateway log a failure."""
    assert "Traceback" not in gateway.read_log()
