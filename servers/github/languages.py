"""Programming languages by file name, as far as a repository's statistics show them."""

from legoenv_mcp.app import Ctx

from . import git
from .models import Blob, Repository

_BY_SUFFIX = {
    "py": "Python", "ts": "TypeScript", "tsx": "TypeScript", "js": "JavaScript", "jsx": "JavaScript", "mjs": "JavaScript", "go": "Go",
    "rs": "Rust", "rb": "Ruby", "java": "Java", "kt": "Kotlin", "c": "C", "h": "C", "cpp": "C++", "cc": "C++", "cs": "C#", "php": "PHP",
    "swift": "Swift", "scala": "Scala", "ex": "Elixir", "exs": "Elixir", "sh": "Shell", "bash": "Shell", "css": "CSS", "scss": "SCSS",
    "html": "HTML", "vue": "Vue", "sql": "SQL", "tf": "HCL", "hcl": "HCL", "lua": "Lua", "r": "R", "ipynb": "Jupyter Notebook",
    "dart": "Dart", "pl": "Perl", "hs": "Haskell", "clj": "Clojure", "proto": "Protocol Buffer",
}  # fmt: skip
_BY_NAME = {"Dockerfile": "Dockerfile", "Makefile": "Makefile"}
_DATA = {
    "md": "Markdown",
    "json": "JSON",
    "yml": "YAML",
    "yaml": "YAML",
    "toml": "TOML",
    "csv": "CSV",
    "txt": "Text",
    "xml": "XML",
}
"""Recognised by code search, but not counted in a repository's statistics."""


def language_of(path: str, *, data: bool = False) -> str | None:
    name = path.rsplit("/", 1)[-1]
    suffix = name.rpartition(".")[2].lower()
    return _BY_NAME.get(name) or _BY_SUFFIX.get(suffix) or (_DATA.get(suffix) if data else None)


_BY_TREE = dict[str, dict[str, int]]()
"""Trees are named by their content, so what was counted for one stays true."""


def languages(ctx: Ctx, repo: Repository) -> dict[str, int]:
    """Bytes by language on the default branch, most first."""
    head = git.branch(ctx, repo, repo.default_branch)
    tree = git.commit(ctx, repo, head.sha).tree if head else git.EMPTY_TREE
    if tree not in _BY_TREE:
        if len(_BY_TREE) > 4096:
            _BY_TREE.clear()
        found = dict[str, int]()
        for path, (_, sha) in git.files(ctx, repo, tree).items():
            language, blob = language_of(path), ctx.db.get(Blob, (repo.id, sha))
            if language and blob:
                found[language] = found.get(language, 0) + blob.size
        _BY_TREE[tree] = dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
    return _BY_TREE[tree]
