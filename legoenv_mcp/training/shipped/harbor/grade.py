"""Grades the episode and writes the reward, beside the assertions. No reward file is left where there is no verdict."""

# ruff: noqa: T201

import json
import os
import sys
import urllib.request
from pathlib import Path

LOGS = Path(os.environ.get("VERIFIER_LOGS", "/logs/verifier"))
ANSWER = Path(os.environ.get("LEGOENV_ANSWER", "/app/answer.txt"))


def main() -> int:
    answer = ANSWER.read_text(encoding="utf-8", errors="replace") if ANSWER.is_file() else None
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['LEGOENV_CONTROL_TOKEN']}"}
    body = json.dumps({} if answer is None else {"answer": answer}).encode()
    request = urllib.request.Request(f"{os.environ['LEGOENV_URL']}/episode/grade", body, headers, method="POST")
    with urllib.request.urlopen(request, timeout=120) as response:
        verdict = json.load(response)
    for assertion in verdict["assertions"]:
        print(f"{'passed' if assertion['passed'] else 'FAILED'}  {assertion['name']}: {assertion['detail']}")
    LOGS.mkdir(parents=True, exist_ok=True)
    (LOGS / "assertions.json").write_text(json.dumps(verdict["assertions"], indent=2), encoding="utf-8")
    (LOGS / "reward.txt").write_text(f"{verdict['reward']}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
