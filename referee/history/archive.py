"""The archive of finished matches for the page: evenings, stories and statistics."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.history.statistics import Statistics, format_csv
from referee.history.story import Story, stories
from referee.storage.journal import history_in


@dataclass(frozen=True, slots=True)
class ServiceArchive:
    """The archive of a state folder; without one, or with statistics switched off, nothing is kept."""

    folder: Path | None
    kept: bool

    def evenings(self) -> Mapping[str, Any]:
        """Return the finished matches, the newest first, and the statistics of each player."""
        if self.folder is None or not self.kept:
            return {"kept": False, "evenings": [], "players": []}
        statistics = Statistics(self.folder)
        return {"kept": True, "evenings": statistics.evenings(), "players": list(statistics.players())}

    def story(self, journal: str, number: int) -> Story | None:
        """Return the story of one match of a journal; None if there is none."""
        path = None if self.folder is None else self.folder / journal
        if path is None or not path.is_file():
            return None
        return next((story for story in stories(history_in(path)) if story.number == number), None)

    def csv(self) -> str:
        """Return the statistics for a spreadsheet."""
        return format_csv(() if self.folder is None or not self.kept else Statistics(self.folder).players())

    def delete(self, player: str) -> int:
        """Remove a player and return the number of matches the name stood in."""
        return 0 if self.folder is None else Statistics(self.folder).delete(player)
