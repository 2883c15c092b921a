"""A buffer of the last log lines for the organiser's page."""

import logging
from collections import deque
from typing import Final

from referee.hardware.system import wall_label

MAX_LINES: Final = 500
MAX_LINE_CHARACTERS: Final = 500
TURN_LOGGER: Final = "referee.turns"
"""The log of play, which the page shows in the reader's language."""


class LogBuffer(logging.Handler):
    """A logging handler that keeps the last MAX_LINES lines."""

    def __init__(self) -> None:
        """Keep no line yet."""
        super().__init__(logging.INFO)
        self._lines: deque[dict[str, str]] = deque(maxlen=MAX_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one line, except turns, which the page shows elsewhere."""
        if record.name == TURN_LOGGER:
            return
        line = {
            "wall": wall_label(),
            "level": record.levelname.lower(),
            "message": record.getMessage()[:MAX_LINE_CHARACTERS],
        }
        self._lines.append(line)

    def last(self, lines: int) -> list[dict[str, str]]:
        """Return the last lines, oldest first."""
        return list(self._lines)[-lines:] if lines > 0 else []
