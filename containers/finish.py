"""Steps of containers/Dockerfile: `packages` trims and compiles what pip installed, `library` sets apart what all images share,
`fill` derives what is kept for each app. Times are set to one moment, so that the same sources give the same files."""

import importlib.util
import json
import os
import py_compile
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path

HOME = Path("/opt/legoenv")
SHARED, APPS, GATEWAY, DATA = Path("/opt/shared"), HOME / "apps", Path("/opt/gateway"), Path("/opt/data")
PACKAGE = HOME / "app" / "legoenv_mcp"
CACHE = HOME / "cache"
MOMENT = 946684800

# Type stubs and the sources of what is compiled serve developers; SQLAlchemy brings its test kit and other databases' dialects.
NOT_NEEDED = {".pyi", ".pyx", ".pxd", ".c", ".h", ".exe"}
UNUSED_FOLDERS = (
    "tests",
    "__pycache__",
    "sqlalchemy/testing",
    *(f"dialects/{name}" for name in ("mssql", "mysql", "oracle", "postgresql")),
)


def packages() -> None:
    (site,) = HOME.glob("lib/python3*/site-packages")
    for path in sorted(site.rglob("*")):
        if path.is_dir() and path.as_posix().endswith(tuple(f"/{folder}" for folder in UNUSED_FOLDERS)):
            shutil.rmtree(path)
        elif path.suffix in NOT_NEEDED or path.name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"):
            path.unlink()
    (site / "legoenv.pth").write_text(f"{HOME}/app\n", encoding="utf-8")
    for script in (HOME / "bin").iterdir():
        if (
            script.name not in ("python", "python3", "legoenv", "app", "probe.py", "export.py", "finish.py")
            and not script.is_symlink()
        ):
            script.unlink()
    for name in ("legoenv", "app"):
        (HOME / "bin" / name).chmod(0o755)
    # Without docstrings, which nobody reads in a container and every container would hold in memory: SQLAlchemy's are megabytes.
    compile_tree(site, optimize=2)


def library() -> None:
    compile_tree(PACKAGE)
    for folder in (SHARED, SHARED / "cache", DATA):
        folder.mkdir()
    for name in ("bin", "lib", "pyvenv.cfg"):
        copy(HOME / name, SHARED / name)
    (SHARED / "bin" / "finish.py").unlink()
    target = SHARED / "app" / "legoenv_mcp"
    keep = {"servers", "atoms_db"}
    copy(PACKAGE, target, ignore=lambda at, names: keep & set(names) if Path(at) == PACKAGE else set())
    (target / "servers").mkdir()
    for path in (PACKAGE / "servers").iterdir():
        if not is_app(path):
            copy(path, target / "servers" / path.name)
    copy(PACKAGE / "atoms_db" / "worlds", target / "atoms_db" / "worlds")
    settle(SHARED, DATA, PACKAGE)


def fill() -> None:
    """Each app in the default world; other worlds are derived in a container that asks for them."""
    slugs = sorted(path.name for path in (PACKAGE / "servers").iterdir() if is_app(path))
    environment = {**os.environ, "LEGOENV_CACHE": str(CACHE), "MALLOC_ARENA_MAX": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    script = (
        "import sys\nfrom legoenv_mcp import templates\nfrom legoenv_mcp.faces.mcp import listing\n"
        "for slug in sys.argv[1:]:\n    templates.template(slug)\n    listing(slug)\n"
    )
    workers = os.cpu_count() or 1
    shares = [share for n in range(workers) if (share := slugs[n::workers])]
    with ThreadPoolExecutor(workers) as pool:
        for done in pool.map(
            lambda share: subprocess.run([sys.executable, "-c", script, *share], env=environment), shares
        ):
            done.check_returncode()
    subprocess.run(
        [sys.executable, "-m", "legoenv_mcp.cli", "apps", "--json"],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (index_file,) = CACHE.glob("apps-*.json")
    index = json.loads(index_file.read_text(encoding="utf-8"))
    for slug in slugs:
        source, root = PACKAGE / "servers" / slug, APPS / slug
        copy(source, root / source.relative_to(HOME))
        for kept in sorted(CACHE.glob(f"*/{slug}-*")):
            copy(kept, root / kept.relative_to(HOME))
        (root / "cache" / index_file.name).write_text(json.dumps({str(source): index[str(source)]}), encoding="utf-8")
    copy(CACHE, GATEWAY / "cache")
    for slug in slugs:
        copy(PACKAGE / "servers" / slug, GATEWAY / "app/legoenv_mcp/servers" / slug)
    for path in (PACKAGE / "atoms_db").iterdir():
        if path.name != "worlds":
            copy(path, GATEWAY / "app/legoenv_mcp/atoms_db" / path.name)
    settle(APPS, GATEWAY)


def is_app(path: Path) -> bool:
    return (path / "app.toml").is_file()


def copy(source: Path, target: Path, **options: object) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True, **options)  # type: ignore[arg-type]
    else:
        shutil.copy2(source, target, follow_symlinks=False)


def compile_tree(root: Path, optimize: int = 0) -> None:
    """Compiled ahead, since nothing can be written later, and trusted unchecked: the sources cannot change either."""
    with ProcessPoolExecutor() as pool:
        done = pool.map(partial(compile_one, optimize=optimize), sorted(root.rglob("*.py")), chunksize=50)
        if failed := [str(problem) for problem in done if problem]:
            sys.exit("\n".join(failed))


def compile_one(source: Path, optimize: int) -> str:
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    target = importlib.util.cache_from_source(str(source), optimization="")
    try:
        py_compile.compile(str(source), target, doraise=True, optimize=optimize, invalidation_mode=unchecked)
    except py_compile.PyCompileError as error:
        return str(error)
    return ""


def settle(*roots: Path) -> None:
    for root in roots:
        for path in (*sorted(root.rglob("*"), reverse=True), root):
            os.utime(path, (MOMENT, MOMENT), follow_symlinks=False)


{"packages": packages, "library": library, "fill": fill}[sys.argv[1]]()
