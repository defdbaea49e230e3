"""What pip-audit's report says: 0 nothing is known, 1 something is, 3 nobody could be asked."""

import json
import sys
from pathlib import Path

path, service = sys.argv[1:3]
try:
    found = json.loads(Path(path).read_text(encoding="utf-8"))["dependencies"]
except (ValueError, KeyError, TypeError):
    sys.exit(3)
asked = [one for one in found if "skip_reason" not in one]
bad = [one for one in asked if one.get("vulns")]
for one in bad:
    for vulnerability in one["vulns"]:
        mended = ", ".join(vulnerability.get("fix_versions", [])) or "no version yet"
        print(f"audit: {one['name']} {one['version']}: {vulnerability['id']} (mended in {mended})", file=sys.stderr)  # noqa: T201
if bad:
    sys.exit(1)
if not asked:
    sys.exit(3)
left_out = len(found) - len(asked)
more = f"; {left_out} COULD NOT BE ASKED FOR" if left_out else ""
print(f"audit: {service} knows of nothing wrong with {len(asked)} dependencies{more}")  # noqa: T201
