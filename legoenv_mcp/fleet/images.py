"""Images: one build of what all share, then a layer for each app."""

import hashlib
import io
import os
import re
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docker.errors import APIError, ImageNotFound

from legoenv_mcp import __version__, registry
from legoenv_mcp.fleet import context
from legoenv_mcp.fleet.engine import EngineError, asking, connect, explain, one_line

REPOSITORY = "legoenv"
"""What images are named under: `legoenv/slack`; another registry's with LEGOENV_IMAGES."""

BASE = f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
ROUTER_BASE = "haproxy:3.2-alpine"

APP, VERSION, ATOMS, INPUTS, BASED_ON = (
    "legoenv.app", "legoenv.version", "legoenv.atoms", "legoenv.inputs", "legoenv.base-image",
)  # fmt: skip

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Image:
    """An image of ours. `size` in bytes with all its layers; `built` is False where it was already as it should be."""

    name: str
    app: str
    version: str
    atoms: str
    size: int
    built: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def prefix() -> str:
    return os.environ.get("LEGOENV_IMAGES", REPOSITORY).rstrip("/")


def name(what: str) -> str:
    """An app's image (by its slug), or one of `gateway`, `router`, `runtime`, `filled`."""
    return f"{prefix()}/{what}"


def find(what: str) -> Image:
    """An image that is there. EngineError where it is not built."""
    with asking(name(what)):
        return _shown(what, connect().images.get(name(what)))


def _shown(what: str, image: Any, built: bool = False) -> Image:
    labels: Mapping[str, str] = image.labels
    return Image(
        name(what), labels.get(APP, ""), labels.get(VERSION, ""), labels.get(ATOMS, ""), image.attrs["Size"], built
    )


def build(
    slugs: Sequence[str],
    *,
    base: str = BASE,
    router_base: str = ROUTER_BASE,
    gateway: bool = True,
    report: Report = lambda _: None,
    workers: int = 4,
) -> list[Image]:
    """Builds what is not as it should be: the shared image, the router, the gateway, and an image for each slug.

    report: hears the name of each image that is done (`steps(slugs)` of them). EngineError where a step fails.
    """  # fmt: skip
    client = connect()
    python = _python(base)
    wheels = context.wheelhouse(python)
    inputs = _digest(context.fingerprint(wheels), _image_id(base))
    shared = {VERSION: __version__, INPUTS: inputs, BASED_ON: base, "org.opencontainers.image.version": __version__}
    stages = ["filled", "runtime", *(["gateway"] if gateway else [])]
    done = list[Image]()
    with tempfile.TemporaryFile() as archive:
        if any(_current(stage, inputs) is None for stage in stages):
            context.write_tar(archive, wheels)
        for stage in stages:
            labels = {**shared, **_described("gateway" if stage == "gateway" else stage, __version__)}
            found = _current(stage, inputs)
            if found is None:
                archive.seek(0)
                _run(stage, archive, stage, {"BASE": base}, labels)
            done.append(_shown(stage, client.images.get(name(stage)), built=found is None))
            report(name(stage))
    done.append(_router(router_base))
    report(name("router"))
    with ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(_app, slug, inputs) for slug in slugs]
        for one in as_completed(waiting):
            done.append(one.result())
            report(done[-1].name)
    return sorted(done, key=lambda image: image.name)


def steps(slugs: Sequence[str], gateway: bool = True) -> int:
    return len(slugs) + 3 + gateway


def export_context(target: Path, base: str) -> None:
    """Writes the build context into a folder, for other builders."""
    target.mkdir(parents=True, exist_ok=True)
    context.write_folder(target, context.wheelhouse(_python(base)))


def _app(slug: str, inputs: str) -> Image:
    info = registry.info(slug)
    labels = {
        **_described(f"{info.name} ({slug})", info.version),
        APP: slug,
        VERSION: info.version,
        ATOMS: registry.source_hash(slug),
        INPUTS: _digest(inputs, _image_id(name("runtime")), registry.source_hash(slug)),
    }
    found = _current(slug, labels[INPUTS])
    if found is None:
        arguments = {"RUNTIME": name("runtime"), "FILLED": name("filled"), "SLUG": slug}
        _run(slug, _single("app.Dockerfile"), None, arguments, labels)
    return _shown(slug, connect().images.get(name(slug)), built=found is None)


def _router(base: str) -> Image:
    folder = context.containers_folder() / "router"
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    inputs = _digest(*(data.decode() for data in files.values()), _base_id(base, "--router-base"))
    found = _current("router", inputs)
    if found is None:
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for file, data in files.items():
                tar.addfile(context.entry(file, len(data)), io.BytesIO(data))
        archive.seek(0)
        _run("router", archive, None, {"BASE": base}, {**_described("router", __version__), INPUTS: inputs})
    return _shown("router", connect().images.get(name("router")), built=found is None)


def _described(title: str, version: str) -> dict[str, str]:
    return {
        "org.opencontainers.image.title": f"LegoEnv {title}",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
    }


def _single(dockerfile: str) -> io.BytesIO:
    data = (context.containers_folder() / dockerfile).read_bytes()
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(context.entry("Dockerfile", len(data)), io.BytesIO(data))
    archive.seek(0)
    return archive


def _run(what: str, archive: Any, target: str | None, arguments: Mapping[str, str], labels: Mapping[str, str]) -> None:
    """One build. The engine reports a failed step in the stream of its output."""
    with asking(f"building {name(what)}"):
        stream: Iterator[dict[str, Any]] = connect().api.build(
            fileobj=archive, custom_context=True, tag=name(what), buildargs=dict(arguments), labels=dict(labels), rm=True,
            forcerm=True, decode=True, target=target,
        )  # fmt: skip
        said = ""
        for line in stream:
            if "error" in line:
                cause = str(line["error"])
                raise EngineError(
                    explain(f"building {name(what)}", f"{said} ({cause})" if "non-zero code" in cause else cause)
                )
            text = _COLOUR.sub("", line.get("stream", "")).strip()
            if text and not text.startswith(("Removing intermediate", "--->")):
                said = text.splitlines()[-1]


def _current(what: str, inputs: str) -> Any | None:
    try:
        image = connect().images.get(name(what))
    except ImageNotFound:
        return None
    return image if image.labels.get(INPUTS) == inputs else None


def _image_id(reference: str) -> str:
    with asking(f"the image {reference}"):
        return str(connect().images.get(reference).id)


def _base_id(reference: str, option: str) -> str:
    """A base image's id; it is pulled if need be."""
    client = connect()
    try:
        return str(client.images.get(reference).id)
    except ImageNotFound:
        pass
    except APIError as error:
        raise EngineError(f"{reference!r} is no name of an image: {one_line(str(error.explanation))}") from None
    try:
        return str(client.images.pull(reference).id)
    except APIError as error:
        raise EngineError(
            f"the base image {reference} is neither here nor can it be pulled ({one_line(str(error.explanation))}): "
            f"name another with {option}, or make one with containers/base"
        ) from None


def _python(base: str) -> context.Python:
    """The interpreter of a base image, which is pulled if need be."""
    _base_id(base, "--base")
    script = "import platform, sys; print(*sys.version_info[:2], platform.machine(), platform.libc_ver()[1] or '-')"
    with asking(f"the base image {base}"):
        said = connect().containers.run(base, ["python3", "-c", script], remove=True, network_mode="none")
    major, minor, machine, glibc = bytes(said).decode().split()
    if (int(major), int(minor)) < (3, 11):
        raise EngineError(f"the base image {base} has Python {major}.{minor}: name one with 3.11 or newer with --base")
    if glibc == "-":
        raise EngineError(
            f"the base image {base} is built on musl, which few packages have wheels for: name a Debian one with --base"
        )
    return context.Python(f"{major}.{minor}", machine, glibc)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("/".join(parts).encode(), digest_size=16).hexdigest()
