"""The command line as its contract has it: JSON listings, exit statuses, one clear line for bad input."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "sample_apps"


def legoenv(*words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "legoenv_mcp.cli", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
        env={**os.environ, **env},
    )


def one_line(text: str) -> bool:
    return text.count("\n") == 1 and text.startswith("legoenv: ") and "Traceback" not in text


def test_apps_lists_the_fleet() -> None:
    found = json.loads(legoenv("apps", "--json").stdout)
    assert {"gmail", "slack", "stripe", "github", "salesforce", "filesystem"} <= {a["slug"] for a in found}
    for app in found:
        assert {"slug", "name", "capabilities", "version", "tools", "tables"} <= app.keys()
        assert app["tools"] >= 14
        assert app["tables"] >= 1


def test_apps_by_capability() -> None:
    assert [a["slug"] for a in json.loads(legoenv("apps", "--capability", "email", "--json").stdout)] == ["gmail"]
    none = legoenv("apps", "--capability", "no_such")
    assert (none.returncode, one_line(none.stderr), "email" in none.stderr) == (1, True, True)


def test_tools_is_mcps_listing() -> None:
    listed = json.loads(legoenv("tools", "stripe", "--json").stdout)
    tool = next(t for t in listed if t["name"] == "create_refund")
    assert tool["inputSchema"]["type"] == "object"
    assert tool["annotations"]["readOnlyHint"] is False
    assert tool["description"]
    assert "create_refund" in legoenv("tools", "stripe").stdout


def test_call_prints_the_result_and_its_state_goes_with_the_process() -> None:
    made = legoenv("call", "stripe", "create_customer", '{"email": "a@b.example", "name": "Ada"}')
    assert made.returncode == 0, made.stderr
    customer = json.loads(made.stdout)
    assert customer["id"].startswith("cus_")
    gone = legoenv("call", "stripe", "retrieve_customer", json.dumps({"customer": customer["id"]}))
    assert (gone.returncode, json.loads(gone.stdout)["error"]["code"]) == (1, "resource_missing")


def test_call_with_a_folder_keeps_its_state(tmp_path: Path) -> None:
    words = ("call", "crmlite", "add_deal", '{"title": "Kept", "stage_id": 1}', "--db", str(tmp_path))
    made = json.loads(legoenv(*words, LEGOENV_SERVERS=str(SAMPLES)).stdout)["data"]
    again = legoenv(
        "call",
        "crmlite",
        "get_deal",
        json.dumps({"id": made["id"]}),
        "--db",
        str(tmp_path),
        LEGOENV_SERVERS=str(SAMPLES),
    )
    assert json.loads(again.stdout)["data"] == made


def test_a_tool_error_is_status_1_with_the_vendors_envelope() -> None:
    refused = legoenv("call", "stripe", "create_refund", '{"charge": "ch_doesnotexist"}')
    assert refused.returncode == 1
    error = json.loads(refused.stdout)["error"]
    assert (error["type"], error["code"]) == ("invalid_request_error", "resource_missing")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("call", "nosuchapp", "x"), "nosuchapp"),
        (("call", "stripe", "no_such_tool"), "no_such_tool"),
        (("call", "stripe", "list_customers", "{not json"), "JSON"),
        (("call", "stripe", "list_customers", "[1]"), "object"),
        (("call", "stripe", "list_customers", "--world", "no_such_world"), "no_such_world"),
        (("tools", "nosuchapp"), "nosuchapp"),
        (("lint", "nosuchapp"), "nosuchapp"),
        (("show", "no_such_env"), "no_such_env"),
        (("play", "no_such_env"), "no_such_env"),
        (("play", "refund_within_policy", "--plan", "/no/such/file.json"), "/no/such/file.json"),
        (("prove",), "--all"),
        (("no_such_command",), "no_such_command"),
        ((), "COMMAND"),
        (("serve",), "SLUG"),
        (("serve", "nosuchapp"), "nosuchapp"),
        (("config", "nosuchapp"), "nosuchapp"),
        (("gateway", "--port", "x"), "port"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(words: tuple[str, ...], says: str) -> None:
    made = legoenv(*words)
    assert made.returncode == 2, made.stdout + made.stderr
    assert one_line(made.stderr), made.stderr
    assert says.lower() in made.stderr.lower()


def test_an_unwritable_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    made = legoenv("call", "stripe", "create_customer", '{"name": "A"}', "--db", str(tmp_path / "file"))
    assert (made.returncode, one_line(made.stderr)) == (1, True), made.stderr


def test_listings_do_not_pay_for_what_they_do_not_use() -> None:
    heavy = "{'mcp', 'openai', 'sqlmodel', 'docker', 'uvicorn'}"
    code = f"import sys; from legoenv_mcp.cli import main; main(['apps']); print(sorted({heavy} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_reader_that_leaves_early_is_no_fault() -> None:
    words = f"{sys.executable} -m legoenv_mcp.cli tools stripe --json | head -c 100 >/dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_demo_plays_and_grades_through_mcp() -> None:
    done = legoenv("demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Connected to stripe over MCP" in done.stdout
    assert "Doing nothing: failed, reward 0.0" in done.stdout
    assert "reward 1.0" in done.stdout
    assert " config gmail --client claude" in done.stdout


def test_envs_show_play_and_prove() -> None:
    listed = json.loads(legoenv("envs", "--json").stdout)
    assert "refund_within_policy" in [e["id"] for e in listed]
    shown = legoenv("show", "refund_within_policy").stdout
    assert "Reference plan" in shown
    assert "Goals" in shown
    whole = json.loads(legoenv("show", "refund_within_policy", "--json").stdout)
    assert {"instruction", "verifier", "plan"} <= whole.keys()
    assert legoenv("play", "refund_within_policy").returncode == 0
    nothing = legoenv("play", "refund_within_policy", "--plan", "noop")
    assert (nothing.returncode, "reward 0.0" in nothing.stdout) == (1, True)
    composed = next(e["id"] for e in listed if e["intent"])
    proven = legoenv("prove", "refund_within_policy", composed)
    assert proven.returncode == 0, proven.stdout + proven.stderr
    assert re.search(r"^2 proven, 0 failed$", proven.stdout, re.MULTILINE)
    stands = {e["id"]: e["proof"] for e in json.loads(legoenv("envs", "--json").stdout)}
    assert stands["refund_within_policy"] == stands[composed] == "proven"


def test_a_plan_of_ones_own(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(
        json.dumps({"steps": [{"app": "stripe", "tool": "list_customers", "arguments": {"limit": 1}}]}),
        encoding="utf-8",
    )
    done = legoenv("play", "refund_within_policy", "--plan", str(plan), "--json")
    made = json.loads(done.stdout)
    assert (done.returncode, made["reward"], made["calls"][0]["status"], made["diff"]) == (1, 0.0, 200, [])


def test_lint_passes_over_the_whole_fleet() -> None:
    done = legoenv("lint")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^[1-9]\d+ passed, 0 failed$", done.stdout, re.MULTILINE)


def test_version_and_help() -> None:
    assert re.fullmatch(r"legoenv \d+\.\d+\.\d+\n", legoenv("--version").stdout)
    shown = legoenv("--help").stdout
    for command in (
        "apps",
        "tools",
        "call",
        "serve",
        "gateway",
        "config",
        "demo",
        "envs",
        "show",
        "prove",
        "play",
        "lint",
        "bench",
    ):
        assert command in shown
