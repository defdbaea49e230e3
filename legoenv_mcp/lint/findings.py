"""What a rule found."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

Level = Literal["error", "warn"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One breach of a rule: where (app, tool, place within it), which rule, and what to do."""

    app: str
    tool: str
    rule: str
    level: Level
    path: str
    message: str

    def __str__(self) -> str:
        place = f"{self.app}.{self.tool}" if self.tool else self.app
        return f"{self.level:5} {self.rule:4} {place}{': ' + self.path if self.path else ''}: {self.message}"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
