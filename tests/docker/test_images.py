"""The images that `legoenv fleet build --all` made."""

import json
from typing import Any

import pytest

from legoenv_mcp import registry
from tests.docker.conftest import legoenv

pytestmark = pytest.mark.docker


@pytest.mark.parametrize("slug", registry.slugs())
def test_an_apps_image_says_what_it_is_and_is_thin(engine: Any, slug: str) -> None:
    info, image = registry.info(slug), engine.images.get(f"legoenv/{slug}")
    assert image.labels["legoenv.app"] == slug
    assert image.labels["legoenv.version"] == info.version
    assert image.labels["legoenv.atoms"] == registry.source_hash(slug)
    config = image.attrs["Config"]
    assert config["User"] == "10001:10001"
    assert config["Healthcheck"]["Test"][0] == "CMD"
    runtime = engine.images.get("legoenv/runtime")
    assert image.attrs["RootFS"]["Layers"][:-1] == runtime.attrs["RootFS"]["Layers"], "one layer over what all share"
    assert image.attrs["Size"] - runtime.attrs["Size"] < 6e6


def test_what_all_share_is_small(engine: Any) -> None:
    base, runtime = engine.images.get("legoenv/base-python"), engine.images.get("legoenv/runtime")
    assert runtime.attrs["Size"] - base.attrs["Size"] < 120e6


def test_images_hold_no_package_installer_and_no_other_app(engine: Any) -> None:
    words = [
        "-c",
        "ls /opt/legoenv/app/legoenv_mcp/servers; find / -xdev -name pip -path '*packages*'; which pip; true",
    ]
    said = engine.containers.run(
        "legoenv/slack", words, entrypoint=["sh"], remove=True, network_mode="none", stderr=False
    )
    assert set(said.decode().split()) - {"__pycache__"} == {"__init__.py", "slack"}


def test_building_again_changes_nothing(engine: Any) -> None:
    before = {what: engine.images.get(f"legoenv/{what}").id for what in ("runtime", "gateway", "router", "slack")}
    words = ("--base", "legoenv/base-python", "--router-base", "legoenv/base-haproxy", "--json")
    done = legoenv("fleet", "build", "slack", *words)
    assert done.returncode == 0, done.stderr
    assert not any(image["built"] for image in json.loads(done.stdout))
    assert {what: engine.images.get(f"legoenv/{what}").id for what in before} == before


def test_an_app_starts_with_what_was_derived_when_it_was_built(engine: Any) -> None:
    """No template and no tool list is derived in a container: nothing could be kept."""
    script = (
        "from legoenv_mcp import registry, templates\n"
        "from legoenv_mcp.faces import tools\n"
        "templates.build = tools._tools = registry._inspect = lambda *_: exit('derived')\n"
        "templates.template('stripe'); tools.listing('stripe'); print(registry.info('stripe').name)\n"
    )
    said = engine.containers.run(
        "legoenv/stripe", ["-c", script], entrypoint=["python"], remove=True, network_mode="none"
    )
    assert said.decode() == "Stripe\n"


def test_a_base_image_that_cannot_be_had_is_one_line() -> None:
    done = legoenv("fleet", "build", "slack", "--base", "legoenv.invalid/nothing:1")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "--base" in done.stderr
    assert "containers/base" in done.stderr
