"""Schemathesis against the documents that a gateway serves: of each app, and of itself.

Every operation is called over HTTP with what its schema allows and with what it does not. Whatever comes, the answer is one that the
document declares. Here a few cases an operation; LEGOENV_SCHEMA_CASES asks for more (the nightly mode for all that there are).
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from legoenv_mcp import registry

CASES = int(os.environ.get("LEGOENV_SCHEMA_CASES", "1"))
"""How many of an operation's systematic cases are sent; where more are asked for than there are, as many drawn ones besides."""
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large, HealthCheck.large_base_example]
CHECKS: list[Any] = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance, response_schema_conformance,
]  # fmt: skip


def chosen(cases: Iterator[Any], turn: int) -> list[Any]:
    """As many as are wanted, spread over all there are. One alone is another kind of case for each operation in turn, so that the fleet
    as a whole sees them all."""
    if CASES == 1:
        return list(islice(cases, 1 + turn % 12))[-1:]
    found = list(cases)
    return found if len(found) <= CASES else [found[n * len(found) // CASES] for n in range(CASES)]


def operations(document: dict[str, Any]) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Each operation with its systematic cases: every parameter at and beyond its bounds, left out, of another type."""
    schema = schemathesis.openapi.from_dict(document)
    for found in schema.get_all_operations():
        operation = found.ok()  # pyright: ignore[reportAttributeAccessIssue] - a document of ours is no invalid one
        yield (
            operation,
            schema.iter_coverage_cases(
                operation, generation_modes=list(GenerationMode), generation_config=schema.config.generation
            ),
        )


class Sender:
    """Sends cases to where a document says that its paths are."""

    def __init__(self, document: dict[str, Any], **headers: str) -> None:
        self.url, self.headers, self.sent = document["servers"][0]["url"], headers, 0
        self.session = requests.Session()

    def send(self, case: Any) -> None:
        case.call_and_validate(self.url, self.session, self.headers, checks=CHECKS, timeout=120)
        self.sent += 1

    def drawn(self, operation: Any) -> None:
        """Random cases, the same each time: half of them valid."""
        for mode in GenerationMode:

            @seed(1)
            @settings(
                max_examples=max(1, CASES // 2),
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=SLOW,
            )
            @given(operation.as_strategy(generation_mode=mode))
            def run(case: Any) -> None:
                self.send(case)

            with suppress(Unsatisfiable):  # nothing is wrong where nothing is asked for
                run()


@pytest.mark.parametrize("slug", registry.slugs())
def test_every_operation_of_an_app_answers_as_its_document_says(attacked: Any, slug: str) -> None:
    document = attacked.request("GET", f"/apps/{slug}/openapi.json").json()
    sender, count = Sender(document, **{"X-Episode-Id": f"schemas-{slug}"}), 0
    with sender.session:
        for count, (operation, cases) in enumerate(operations(document), start=1):
            found = chosen(cases, count)
            for case in found:
                sender.send(case)
            if len(found) < CASES:
                sender.drawn(operation)
    assert sender.sent >= count > 0


def test_the_gateways_own_paths_answer_as_their_document_says(attacked: Any) -> None:
    document = attacked.request("GET", "/openapi.json").json()
    sender = Sender(document, Accept="application/json, text/event-stream")
    with sender.session:
        for operation, cases in operations(document):
            for case in cases:
                sender.send(case)
            sender.drawn(operation)
    assert sender.sent > len(document["paths"])
