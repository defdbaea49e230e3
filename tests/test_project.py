"""The project as a whole: what is in the repository, and a wheel that works outside the checkout."""

import json
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_no_machine_and_no_registry_is_named() -> None:
    hosts = [r"pypi\.org", r"pythonhosted\.org", r"registry\.npmjs\.org", r"deb\.debian\.org"]
    paths = [r"/ro" + "ot/", r"/home/(?!user/)\w+/", r"/wo" + "rk/"]
    wrong = re.compile("|".join(hosts + paths))
    for path in tracked():
        if path.suffix in (".png", ".sqlite") or path == Path(__file__) or "worlds" in path.parts:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert not wrong.search(line), f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"


def test_constraints_pin_what_the_project_asks_for() -> None:
    pinned = dict(
        re.findall(r"^([a-z0-9-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    asked = [*project["project"]["dependencies"], *(r for g in groups.values() for r in g if isinstance(r, str))]
    for requirement in asked:
        name = re.sub(r"[-_.]+", "-", re.split(r"[<>=!~;\[ ]", requirement)[0]).lower()
        assert name in pinned, f"{name} is not in constraints.txt: run make lock"


def test_modules_stay_small() -> None:
    for path in tracked():
        if path.suffix == ".py" and path.parts[len(ROOT.parts)] in ("legoenv_mcp", "servers"):
            lines = path.read_text(encoding="utf-8").count("\n")
            assert lines <= 450, f"{path.relative_to(ROOT)} has {lines} lines"


def test_the_wheel_works_outside_the_checkout(tmp_path: Path) -> None:
    """Built, installed without dependencies into an environment that sees this one's packages, run from an empty folder."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    site = next((tmp_path / "venv" / "lib").glob("python*")) / "site-packages"
    here = next(p for p in map(Path, sys.path) if (p / "mcp").is_dir())
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(wheel)],
        check=True,
        capture_output=True,
    )
    # Dependencies come from this environment; its own editable legoenv is not on that path by name, since .pth files are not read.
    env = {"PYTHONPATH": f"{site}:{here}", "LEGOENV_CACHE": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin"}

    def run(*words: str) -> str:
        done = subprocess.run(
            [str(python), "-m", "legoenv_mcp.cli", *words], cwd=tmp_path, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    where = subprocess.run(
        [str(python), "-c", "import legoenv_mcp; print(legoenv_mcp.__file__)"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
    )
    assert where.stdout.startswith(str(site))
    assert len(json.loads(run("apps", "--json"))) >= 6
    assert "reward 1.0" in run("demo")
