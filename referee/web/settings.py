"""What can be set of the page."""

import re
from dataclasses import dataclass, replace
from typing import Final

from referee.errors import ConfigError

CORRECTIONS: Final = ("organiser", "agreement", "players")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """Whether there is a page, where it listens, by what names it may be called, and who may correct a tile."""

    enabled: bool
    host: str
    port: int
    names: tuple[str, ...]
    corrections: str
    start_on_page: bool
    behind_proxy: bool

    @property
    def players_may_correct(self) -> bool:
        """Whether anyone who looks may correct a reading, at once."""
        return self.corrections == "players"


_HOST: Final = re.compile(r"\[[0-9a-fA-F:]{2,45}\]|[A-Za-z0-9._-]{0,253}", re.ASCII)
_PORT: Final = re.compile(r"\d{1,5}", re.ASCII)


def listening(settings: WebSettings, asked: str) -> WebSettings:
    """Give the settings of a page asked for as HOST:PORT, HOST, :PORT, PORT or nothing; else raise ConfigError."""
    host, _, port = ("", ":", asked) if _PORT.fullmatch(asked) else asked.rpartition(":")
    if not host and not _PORT.fullmatch(port):  # no colon: all of it is the host
        host, port = port, ""
    elif asked.endswith("]"):
        host, port = asked, ""
    number = int(port) if _PORT.fullmatch(port) else settings.port
    if not _HOST.fullmatch(host) or (port and not _PORT.fullmatch(port)) or not 0 < number < 65536:
        raise ConfigError(f"--web {asked[:60]!r} is no address; write 0.0.0.0:8080, a port, or nothing")
    return replace(settings, enabled=True, host=host.strip("[]") or settings.host, port=number)
