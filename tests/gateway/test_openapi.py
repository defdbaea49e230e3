"""The documents at /openapi.json and /apps/{slug}/openapi.json are valid OpenAPI 3.1 and tell the truth."""

from typing import Any

import httpx
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from legoenv_mcp import registry


def valid(response: httpx.Response) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    document = response.json()
    problems = [
        f"{'/'.join(map(str, e.path))}: {str(e.message)[:200]}" for e in OpenAPIV31SpecValidator(document).iter_errors()
    ]
    assert problems == []
    return document


def test_the_gateways_own_document(gateway: Any) -> None:
    document = valid(gateway.request("GET", "/openapi.json"))
    assert "/episodes/{id}/grade" in document["paths"]


@pytest.mark.parametrize("slug", ["crmlite", "notes", *registry.slugs()])
def test_every_apps_document(gateway: Any, slug: str) -> None:
    document = valid(gateway.request("GET", f"/apps/{slug}/openapi.json"))
    assert len(document["paths"]) > 0


def test_calls_made_from_the_document_work(gateway: Any) -> None:
    document = gateway.request("GET", "/apps/crmlite/openapi.json").json()
    base = document["servers"][0]["url"]
    get = document["paths"]["/v2/deals/{id}"]["get"]
    assert get["parameters"] == [
        {"name": "id", "in": "path", "required": True, "description": "The deal's id.", "schema": {"type": "integer"}}
    ]
    assert httpx.get(f"{base}/v2/deals/1").status_code == 200
    add = document["paths"]["/v2/deals"]["post"]["requestBody"]
    assert add["required"] is True
    assert add["content"]["application/json"]["schema"]["required"] == ["title", "stage_id"]
    assert list(document["paths"]["/v2/tree/{path}"]) == ["get"]
    assert gateway.request("GET", "/apps/nosuchapp/openapi.json").status_code == 404
