"""Answers that are kept: never another than asking would have given, however reads, writes and refusals follow each other."""

import json
from typing import Any

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from legoenv_mcp import templates
from legoenv_mcp.faces import rest
from legoenv_mcp.faces.replies import Answer, Replies
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import Episode, LiveApp
from tests.conftest import Gateway

CALLS: tuple[tuple[str, str, bytes], ...] = (
    ("GET", "/v1/customers", b""),
    ("GET", "/v1/customers?limit=2", b""),
    ("GET", "/v1/customers/nobody", b""),
    ("GET", "/v1/customers?limit=none", b""),
    ("POST", "/v1/customers", b"name=New"),
    ("POST", "/v1/customers", b"nonsense=1"),
    ("GET", "/v1/balance", b""),
    ("GET", "/nowhere", b""),
)


def opened() -> Episode:
    return templates.episode(["stripe"], templates.DEFAULT_WORLD, "kept")


def asked(live: LiveApp, call: tuple[str, str, bytes]) -> Answer:
    method, path, body = call
    headers = {"content-type": "application/x-www-form-urlencoded", "authorization": "Bearer sk_test"}
    query = dict(httpx.QueryParams(path.partition("?")[2]))
    request = Request(method, path.partition("?")[0], f"http://here{path}", query, headers, "http://here")
    sent = rest.encode(rest.handle(live, request, body))
    return Answer(sent, len(sent[2]), sent[0])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from(CALLS)), max_size=24))
def test_what_is_kept_is_what_asking_would_give(calls: list[tuple[int, tuple[str, str, bytes]]]) -> None:
    kept, episodes, twins = Replies(), [opened(), opened()], [opened(), opened()]
    for which, call in calls:
        live, twin = episodes[which].app("stripe"), twins[which].app("stripe")
        made = kept.answer(live, call, lambda live=live, call=call: asked(live, call))
        assert made == asked(twin, call).sent
    for episode, twin in zip(episodes, twins, strict=True):
        assert episode.app("stripe").journal == twin.app("stripe").journal
        assert episode.changes() == twin.changes()


def test_the_third_to_ask_is_answered_from_memory_and_in_another_episode_too() -> None:
    kept, count = Replies(), 0

    def ask(episode: Episode) -> Any:
        live = episode.app("stripe")

        def counted() -> Answer:
            nonlocal count
            count += 1
            return asked(live, CALLS[0])

        return kept.answer(live, CALLS[0], counted)

    first, second = opened(), opened()
    answers = [ask(first), ask(first), ask(second), ask(first)]
    assert count == 2
    assert answers == [answers[0]] * 4
    asked(first.app("stripe"), CALLS[4])
    assert ask(first) != answers[0], "a customer was added"
    assert count == 3
    assert ask(second) == answers[0], "to the other episode there was none"
    assert count == 3


def test_faults_are_not_kept_and_the_budget_holds() -> None:
    kept, live = Replies(budget=3000), opened().app("stripe")
    told = iter(range(100))
    assert [kept.answer(live, ("fault",), lambda: Answer(next(told), 1, 500)) for _ in range(4)] == [0, 1, 2, 3]
    for n in range(5):
        for _ in range(2):
            kept.answer(live, (n,), lambda: Answer(next(told), 400, 200))
    held = [kept.answer(live, (n,), lambda: Answer(None, 400, 200)) for n in (4, 3, 0)]
    assert [h is None for h in held] == [False, False, True], "the longest unused go first"


def test_what_it_was_asked_with_counts_too() -> None:
    kept, live = Replies(budget=100_000), opened().app("stripe")
    told = iter(range(100))
    for n in range(5):
        for _ in range(3):
            kept.answer(live, ("POST", b"x" * 30_000, (b"name", str(n).encode())), lambda: Answer(next(told), 100, 400))
    assert kept.answer(live, ("POST", b"x" * 30_000, (b"name", b"0")), lambda: Answer(None, 100, 400)) is None
    assert kept.answer(live, ("POST", b"x" * 30_000, (b"name", b"4")), lambda: Answer(None, 100, 400)) is not None


def test_what_was_broken_off_is_asked_again() -> None:
    kept, live, asked_for = Replies(), opened().app("stripe"), 0

    def ask() -> Answer:
        nonlocal asked_for
        asked_for += 1
        live.broken_off = True
        return Answer(asked_for, 1, 400)

    assert [kept.answer(live, ("slow",), ask) for _ in range(4)] == [1, 2, 3, 4]


def test_over_http_episodes_share_what_they_read_and_nothing_else(gateway: Gateway) -> None:
    with httpx.Client(base_url=gateway.url, timeout=60) as client:
        made = [client.post("/episodes", json={"apps": ["slack"]}).json() for _ in range(2)]

        def listed(n: int) -> Any:
            call = {
                "jsonrpc": "2.0", "id": n, "method": "tools/call",
                "params": {"name": "list_conversations", "arguments": {}},
            }  # fmt: skip
            headers = {"accept": "application/json, text/event-stream"}
            return client.post(made[n]["apps"]["slack"]["mcp"], json=call, headers=headers).json()

        answers = [listed(n) for n in (0, 1, 0, 1)]
        assert [a["id"] for a in answers] == [0, 1, 0, 1]
        assert all(a["result"] == answers[0]["result"] for a in answers)
        rest_of = made[0]["apps"]["slack"]["rest"]
        sent = client.post(f"{rest_of}/api/conversations.create", data={"name": "kept-answers"})
        assert sent.json()["ok"]
        assert "kept-answers" in json.dumps(listed(0))
        assert "kept-answers" not in json.dumps(listed(1))
