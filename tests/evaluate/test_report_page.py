"""The report's page, looked at in a real browser: Chromium without a network, opened from a file."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp.cli import main
from legoenv_mcp.controller import environments
from legoenv_mcp.evaluate.rollout import Rollout
from tests.support.runs import played, rollout, write_run

HOSTILE = (
    '</script><script>window.broken = 1</script><img src=x onerror="window.broken = 2"><!-- <script> {{ 7 * 7 }} '
    "<style>body { display: none }</style> \u2028 & \"quotes\" 'too'"
)

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Debian's Chromium and its driver: nothing is downloaded. All page loads but from files are refused."""
    from selenium import webdriver

    driver, program = shutil.which("chromedriver"), shutil.which("chromium")
    assert driver, "chromedriver is missing: apt-get install chromium chromium-driver"
    assert program, "chromium is missing: apt-get install chromium chromium-driver"
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,1000", "--lang=en",
                 "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking"):  # fmt: skip
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    browser.set_script_timeout(120)
    yield browser
    browser.quit()


class Page:
    """A report's page in the browser."""

    def __init__(self, browser: Any, path: Path) -> None:
        self.browser, self.path = browser, path
        browser.get("about:blank")
        browser.get_log("browser")
        self.open()

    def open(self, leaf: str = "") -> None:
        self.browser.get(self.path.as_uri() + leaf)
        self.until("document.documentElement.dataset.ready === 'true'")

    def until(self, condition: str) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.browser, 120).until(lambda b: b.execute_script(f"return {condition}"))

    def run(self, script: str, *words: Any) -> Any:
        return self.browser.execute_script(script, *words)

    def text(self, selector: str) -> str:
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def count(self, selector: str) -> int:
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def click(self, selector: str) -> None:
        self.browser.find_element("css selector", selector).click()

    def press(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.browser).send_keys(*keys).perform()

    def view(self, environment: str, attempt: int = 1, run: int = 0) -> str:
        """Opens a rollout by its address; answers what the viewer shows."""
        self.browser.get("about:blank")
        self.open(f"#rollout={run}/{environment}/{attempt}")
        return self.viewed()

    def viewed(self) -> str:
        self.until("document.querySelectorAll('#viewer-body section').length > 0")
        return self.text("#viewer")

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.browser.get_log("browser")]


@pytest.fixture
def page(chromium: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Page]:
    def made(*runs: list[Rollout]) -> Page:
        folders = [str(write_run(tmp_path / f"run{n}", one, k=2)) for n, one in enumerate(runs)]
        assert main(["report", *folders, "--html", str(tmp_path / "report.html")]) == 0
        assert "MB" in capsys.readouterr().out
        return Page(chromium, tmp_path / "report.html")

    return made


def lived() -> list[Rollout]:
    deal = environments.load("win_a_deal")
    return [
        played(deal, 1),
        played(deal, 2, plan=deal.plan[:1], answer="It is worth 4000."),
        rollout("e2", 1, "passed", apps=("gmail",), rules=("desk",)),
        rollout("e2", 2, "invalid"),
        rollout("e3", 1, "failed", difficulty=3, ended="step_limit", steps=50),
    ]


def test_the_page_needs_no_network_and_complains_of_nothing(page: Callable[..., Page]) -> None:
    shown = page(lived())
    assert shown.text("h1") == "acme/test-model-1.5"
    assert (
        shown.run("return performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length")
        == 0
    )
    assert shown.complaints() == []
    cards = shown.text(".cards")
    assert "pass@1" in cards
    assert "pass^2" in cards
    assert shown.count("#groups svg rect.bar") > 3
    assert shown.run("return document.documentElement.scrollWidth <= innerWidth")


def test_the_viewer_shows_the_whole_trajectory(page: Callable[..., Page]) -> None:
    shown = page(lived())
    said = shown.view("win_a_deal", 1)
    deal = environments.load("win_a_deal")
    assert deal.instruction in said
    for part in (
        "crmlite__update_deal",
        '"status": "won"',
        "Next comes win.",
        "It is worth 3000.",
        "Assertions (4 of 4 passed)",
        "200",
    ):
        assert part in said
    assert "update crmlite.deal 3" in said
    assert "open → won" in said
    failed = shown.view("win_a_deal", 2)
    assert "missing step: noted" in failed
    assert "the answer lacks" in failed
    invalid = shown.view("e2", 2)
    assert "Invalid: the fault of the provider" in invalid
    assert "503 from the endpoint" in invalid
    assert shown.complaints() == []


def test_filters_sorting_and_causes(page: Callable[..., Page]) -> None:
    shown = page(lived())
    assert shown.text("#count").startswith("5 of 5, 50.0 % of the valid ones passed")
    choose = "const s = document.querySelector(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('input', {bubbles: true}))"
    shown.run(choose, '[data-filter="verdict"]', "passed")
    assert shown.count("#table tbody tr") == 2
    shown.run(choose, '[data-filter="apps"]', "gmail")
    assert shown.count("#table tbody tr") == 1
    shown.click("#filters [type=reset]")
    shown.until("document.querySelectorAll('#table tbody tr').length === 5")
    shown.run(choose, "#search", "E3 step")
    assert shown.count("#table tbody tr") == 1
    shown.click("#filters [type=reset]")
    shown.until("document.querySelectorAll('#table tbody tr').length === 5")
    shown.click('#table th[data-name="Turns"] button')
    assert shown.run("return document.querySelector('#table th[data-name=Turns]').ariaSort") == "descending"
    assert shown.text("#table tbody tr").startswith("e3")
    shown.click('.cause[data-cause="step limit"]')
    assert shown.count("#table tbody tr") == 1
    shown.run("document.querySelector('[data-cluster]').click()")
    assert shown.text("#chosen").startswith("Failures alike")
    assert shown.count("#table tbody tr") == 1


def test_keys_alone_are_enough(page: Callable[..., Page]) -> None:
    from selenium.webdriver.common.keys import Keys

    shown = page(lived())
    shown.press("/")
    assert shown.run("return document.activeElement.id") == "search"
    shown.press("win_a_deal")
    shown.run("document.querySelector('#table tbody button').focus()")
    shown.press(Keys.ENTER)
    assert "win_a_deal" in shown.viewed()
    assert "attempt 1" in shown.text("#viewer-facts")
    shown.press(Keys.ARROW_RIGHT)
    shown.until("document.querySelector('#viewer-facts').innerText.includes('attempt 2')")
    shown.press("1")
    shown.until("document.querySelector('#viewer-facts').innerText.includes('attempt 1')")
    shown.press(Keys.ESCAPE)
    shown.until("!document.querySelector('#viewer').open")
    shown.run("document.querySelector('#tab-difficulty').focus()")
    shown.press(Keys.ARROW_RIGHT)
    assert shown.run("return document.querySelector('#by-app').hidden") is False
    assert shown.run("return document.querySelector('#by-difficulty').hidden") is True


def test_light_and_dark(page: Callable[..., Page]) -> None:
    shown = page(lived())

    def ground() -> str:
        return shown.run("return getComputedStyle(document.body).backgroundColor")

    before = ground()
    shown.click("#theme")
    assert ground() != before
    shown.click("#theme")
    assert ground() == before


def test_nothing_that_a_model_or_a_tool_wrote_runs(page: Callable[..., Page]) -> None:
    call = {
        "id": "c",
        "tool": HOSTILE,
        "arguments": {"text": HOSTILE, HOSTILE: 1},
        "status": 404,
        "result": HOSTILE,
        "turn": 0,
    }
    message = {"role": "assistant", "content": HOSTILE, "reasoning_content": HOSTILE}
    change = {
        "app": "slack",
        "table": "message",
        "change": "insert",
        "key": [HOSTILE],
        "after": {"text": HOSTILE, "n": 2**60 + 1},
    }
    hostile = rollout(
        "hostile", 1, "failed", model=f"m{HOSTILE}", answer=HOSTILE, instruction=HOSTILE, intent=HOSTILE, apps=(HOSTILE,), domain=HOSTILE,
        messages=[{"role": "user", "content": "x"}, message], calls=[call], diff=[change], notes=[HOSTILE],
        assertions=[{"name": HOSTILE, "passed": False, "detail": HOSTILE}],
    )  # fmt: skip
    shown = page([hostile, rollout("e2", 1, "failed", model=hostile.model)], [rollout("hostile", model="other")])
    said = shown.view("hostile", 1)
    assert said.count("window.broken = 1") >= 6
    assert str(2**60 + 1) in said  # no browser number holds it
    assert "window.broken = 1" in shown.text("h1")
    assert shown.run("return window.broken === undefined && document.querySelectorAll('img').length === 0")
    # And were there a hole: the page's policy runs no script but its own.
    shown.run("document.body.insertAdjacentHTML('beforeend', '<img src=\"data:,\" onerror=\"window.broken = 3\">')")
    inject = "const s = document.createElement('script'); s.textContent = 'window.broken = 4'; document.body.append(s)"
    shown.run(inject)
    assert shown.run("return window.broken === undefined")
    assert any("Content Security Policy" in one for one in shown.complaints())


def test_two_runs_side_by_side(page: Callable[..., Page]) -> None:
    first = [rollout(f"e{n}", a, "passed" if n < 2 else "failed") for n in range(6) for a in (1, 2)]
    second = [
        rollout(f"e{n}", a, "passed" if 0 < n < 4 else "failed", model="acme/newer") for n in range(6) for a in (1, 2)
    ]
    shown = page(first, second)
    compared = shown.text("#comparison")
    assert "2 gained, 1 lost, 3 the same" in compared
    assert shown.count("#comparison svg circle.mark") == 3
    assert shown.count("#flips tbody tr") == 3
    assert shown.count("#by-difficulty rect.bar.run1") == 1
    shown.click('#flips [data-environment="e2"]')
    assert "run 1, 1 ✗" in shown.viewed()
    assert "run 2, 1 ✓" in shown.text(".attempts")
    assert shown.complaints() == []


def test_many_rollouts_are_shown_in_pages(page: Callable[..., Page]) -> None:
    shown = page([rollout(f"e{n:04}", a, "passed" if n % 3 else "failed") for n in range(130) for a in (1, 2)])
    assert shown.count("#table tbody tr") == 100
    assert shown.text("#page") == "page 1 of 3"
    shown.run("document.querySelector('#after').click(); document.querySelector('#after').click()")
    assert shown.count("#table tbody tr") == 60
    assert "e0129" in shown.view("e0129", 2)
