"""What can be set of the page."""

from dataclasses import dataclass
from typing import Final

CORRECTIONS: Final = ("organiser", "players")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """Whether there is a page, where it listens, by what names it may be called, and who may correct a tile."""

    enabled: bool
    host: str
    port: int
    names: tuple[str, ...]
    corrections: str
    start_on_page: bool

    @property
    def players_may_correct(self) -> bool:
        """Whether anyone who looks may correct a misread tile."""
        return self.corrections == "players"
