"""The product's lists: types of files, what they are exported to and imported from, colours, themes."""

GOOGLE = "application/vnd.google-apps."
FOLDER, SHORTCUT = f"{GOOGLE}folder", f"{GOOGLE}shortcut"
DOCUMENT, SPREADSHEET, PRESENTATION = f"{GOOGLE}document", f"{GOOGLE}spreadsheet", f"{GOOGLE}presentation"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

EXPORTS = {
    DOCUMENT: ["text/plain", "text/markdown", "text/x-markdown", "text/html", "application/pdf", "application/zip", DOCX],
    SPREADSHEET: ["text/csv", "text/tab-separated-values", "application/pdf", XLSX],
    PRESENTATION: ["text/plain", "application/pdf"],
}  # fmt: skip
"""What a Docs editors file of each type can be exported to."""

IMPORTS = {
    "text/plain": [DOCUMENT], "text/markdown": [DOCUMENT], "text/x-markdown": [DOCUMENT], "text/html": [DOCUMENT],
    "text/csv": [SPREADSHEET], "text/tab-separated-values": [SPREADSHEET],
}  # fmt: skip
"""What an uploaded file of each type can be converted to."""

EDITORS = {"document": DOCUMENT, "spreadsheet": SPREADSHEET, "presentation": PRESENTATION}
OTHER_EDITORS = frozenset(f"{GOOGLE}{name}" for name in ("drawing", "form", "site", "script", "map", "jam", "vid"))
"""Types of the product that hold nothing here: they can be made and found, but not exported."""

TYPES_BY_EXTENSION = {
    "txt": "text/plain", "md": "text/markdown", "csv": "text/csv", "tsv": "text/tab-separated-values", "html": "text/html",
    "htm": "text/html", "json": "application/json", "xml": "text/xml", "yaml": "application/x-yaml", "yml": "application/x-yaml",
    "pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml",
    "zip": "application/zip", "docx": DOCX, "xlsx": XLSX, "py": "text/x-python", "js": "text/javascript", "css": "text/css",
    "mp3": "audio/mpeg", "mp4": "video/mp4", "ics": "text/calendar", "eml": "message/rfc822", "log": "text/plain",
}  # fmt: skip

FOLDER_COLORS = (
    "#ac725e", "#d06b64", "#f83a22", "#fa573c", "#ff7537", "#ffad46", "#fad165", "#fbe983", "#b3dc6c", "#7bd148", "#16a765", "#42d692",
    "#92e1c0", "#9fe1e7", "#9fc6e7", "#4986e7", "#9a9cff", "#b99aff", "#8f8f8f", "#cabdbf", "#cca6ac", "#f691b2", "#cd74e6", "#a47ae2",
)  # fmt: skip
DEFAULT_COLOR = "#8f8f8f"

THEMES = {
    "abacus": "#ea6100", "blueprint": "#4285f3", "bok_choy": "#558b2f", "clouds": "#616161", "coffee": "#795548", "lake": "#0f9d57",
    "pool": "#00b8d4", "rail": "#c2175b", "sunset": "#f4b400", "wildflowers": "#7c4dff",
}  # fmt: skip
THEME_IMAGE = "https://ssl.gstatic.com/team_drive_themes/{}_background.jpg"


def extension(name: str) -> str:
    """What follows a name's last dot, in lower case; empty where there is none."""
    head, dot, tail = name.rpartition(".")
    return tail.lower() if dot and head else ""


def type_of(name: str, text: bool) -> str:
    """The type that a file of this name has when none is told."""
    return TYPES_BY_EXTENSION.get(extension(name)) or ("text/plain" if text else "application/octet-stream")


def is_editor(mime: str) -> bool:
    """Whether files of a type are Docs editors files: they have no bytes to download."""
    return mime.startswith(GOOGLE) and mime not in (FOLDER, SHORTCUT)
