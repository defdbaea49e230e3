"""What Slack calls a file, by its name. https://docs.slack.dev/reference/objects/file-object"""

TYPES: dict[str, tuple[str, str]] = {
    "txt": ("text", "text/plain"),
    "log": ("text", "text/plain"),
    "md": ("markdown", "text/markdown"),
    "csv": ("csv", "text/csv"),
    "tsv": ("text", "text/tab-separated-values"),
    "json": ("json", "application/json"),
    "py": ("python", "text/x-python"),
    "js": ("javascript", "text/javascript"),
    "ts": ("typescript", "text/x-typescript"),
    "html": ("html", "text/html"),
    "xml": ("xml", "application/xml"),
    "yaml": ("yaml", "application/yaml"),
    "yml": ("yaml", "application/yaml"),
    "sql": ("sql", "application/sql"),
    "sh": ("shell", "text/x-shellscript"),
    "eml": ("email", "message/rfc822"),
    "pdf": ("pdf", "application/pdf"),
    "png": ("png", "image/png"),
    "jpg": ("jpg", "image/jpeg"),
    "jpeg": ("jpg", "image/jpeg"),
    "gif": ("gif", "image/gif"),
    "svg": ("svg", "image/svg+xml"),
    "webp": ("webp", "image/webp"),
    "zip": ("zip", "application/zip"),
    "gz": ("gzip", "application/gzip"),
    "tar": ("tar", "application/x-tar"),
    "mp3": ("mp3", "audio/mpeg"),
    "mp4": ("mp4", "video/mp4"),
    "mov": ("mov", "video/quicktime"),
    "doc": ("doc", "application/msword"),
    "docx": ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    "xls": ("xls", "application/vnd.ms-excel"),
    "xlsx": ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "ppt": ("ppt", "application/vnd.ms-powerpoint"),
    "pptx": ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
}

SNIPPETS = frozenset(
    {"text", "csv", "markdown", "json", "python", "javascript", "typescript", "html", "yaml", "xml", "sql", "shell"}
)
"""Types whose text Slack shows and edits."""

GROUPS: dict[str, frozenset[str]] = {
    "images": frozenset({"png", "jpg", "gif", "svg", "webp"}),
    "zips": frozenset({"zip", "gzip", "tar"}),
    "pdfs": frozenset({"pdf"}),
    "snippets": SNIPPETS,
    "canvases": frozenset({"quip"}),
    "spaces": frozenset({"space"}),
    "gdocs": frozenset({"gdoc", "gsheet", "gpres"}),
    "docs": frozenset({"doc", "docx"}),
    "videos": frozenset({"mp4", "mov"}),
}
"""The type filters of files.list and of search."""


def guess(name: str, content: bytes | None = None) -> tuple[str, str]:
    """The file type and media type of a name; of its content where the name says nothing."""
    known = TYPES.get(name.rpartition(".")[2].lower()) if "." in name else None
    if known is not None:
        return known
    try:
        (content if content is not None else b"\xff").decode()
    except UnicodeDecodeError:
        return "binary", "application/octet-stream"
    return "text", "text/plain"
