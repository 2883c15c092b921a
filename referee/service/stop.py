"""The request to stop, by signal or from the page; the exit code decides what systemd does next."""

import threading
from typing import Final

from referee.errors import ConfigError
from referee.rules.wording import say

START_AFRESH: Final = 75  # EX_TEMPFAIL of sysexits.h: systemd starts a fresh process
POWER_OFF: Final = 76  # the unit shuts the machine down once the process has ended


class Stop(threading.Event):
    """An event that is set to end the referee; `code` is the exit code."""

    code: int = 0

    def then(self, *, power_off: bool) -> None:
        """End, then restart the process or shut the machine down; raises ConfigError outside a service."""
        from referee.hardware.system import is_service  # noqa: PLC0415 - a signal is heard before anything large is loaded

        if not is_service():
            message = say(
                "end.no_service", "the referee does not run as a service: end it with Ctrl-C where it was started"
            )
            raise ConfigError(message)
        self.code = POWER_OFF if power_off else START_AFRESH
        self.set()
