from pathlib import Path


def build(template: str, values: dict[str, str]) -> str:
    text = Path("templates", template).read_text()
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text
