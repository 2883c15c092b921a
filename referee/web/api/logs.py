"""The last lines of the log, for the organiser's page."""

import logging
from collections import deque
from typing import Any, Final

MAX_LINES: Final = 500
LONGEST_LINE: Final = 500
TURNS: Final = "referee.turns"
"""The log of what happens in play, which the page tells in the reader's own language."""


class Logs(logging.Handler):
    """A logging handler that keeps the last lines."""

    def __init__(self, wall: Any) -> None:
        """Label each line with the time that `wall` gives."""
        super().__init__(logging.INFO)
        self._wall = wall
        self._lines: deque[dict[str, str]] = deque(maxlen=MAX_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one line, unless the page tells it otherwise."""
        if record.name == TURNS:
            return
        line = {"wall": self._wall(), "level": record.levelname.lower(), "message": record.getMessage()[:LONGEST_LINE]}
        self._lines.append(line)

    def last(self, lines: int) -> list[dict[str, str]]:
        """Return the last lines, oldest first."""
        return list(self._lines)[-lines:] if lines > 0 else []
