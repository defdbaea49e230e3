"""Fixtures of the tests of Notion."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.notion.support import BEA, DOCUMENTS, SCHEMA, call, person, ref, rich


@pytest.fixture
def episode() -> Episode:
    return episode_of("notion", [BEA, *DOCUMENTS])


@pytest.fixture
def tasks(episode: Episode) -> str:
    """A data source of six tasks."""
    made = call(
        episode, "create-a-database", parent={"page_id": ref(episode, "guide")}, title=rich("Tasks"),
        initial_data_source={"properties": SCHEMA},
    )  # fmt: skip
    source = made["data_sources"][0]["id"]
    for i in range(6):
        values: dict[str, Any] = {
            "Name": {"title": rich(f"Task {i}")},
            "Stage": {"select": {"name": "Won" if i % 2 else "New"}},
            "Tags": {"multi_select": [{"name": "all"}, {"name": f"t{i}"}]},
            "Due": {"date": {"start": f"2026-03-0{i + 1}"}},
            "Cost": {"number": i * 10},
            "Done": {"checkbox": i > 3},
            "Who": {"people": [{"id": person(episode, "bea" if i < 2 else "alex.doyle")}]},
        }
        if i == 5:
            values |= {"Due": {"date": None}, "Mail": {"email": "x@a.example"}, "Text": {"rich_text": rich("Ärger")}}
        call(episode, "post-page", parent={"data_source_id": source}, properties=values)
    return source
