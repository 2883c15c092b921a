"""What can be set of the link to a hall."""

import re
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from referee.errors import ConfigError

if TYPE_CHECKING:
    from paho.mqtt.client import Client

PORT, TLS_PORT = 1883, 8883
BROKER: Final = re.compile(r"(mqtts?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\])(?::(\d{1,5}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class HallSettings:
    """The broker, `mqtt://HOST:PORT` or `mqtts://…`, "" for none; what hall and table are called; user and secrets."""

    broker: str
    hall: str
    table: str
    user: str
    password_file: str
    ca_file: str
    home_assistant: bool
    """Whether the table lets Home Assistant find it at the broker."""
    public_delay_seconds: float
    """Of the hall's server: guests see the tables as they were so long ago."""

    @property
    def linked(self) -> bool:
        """Whether there is a hall."""
        return bool(self.broker)

    @property
    def host(self) -> str:
        """The broker's host."""
        return self._parts()[1].strip("[]")

    @property
    def port(self) -> int:
        """The broker's port; 1883, or 8883 with TLS, unless it is said."""
        scheme, _, port = self._parts()
        return int(port) if port else TLS_PORT if scheme == "mqtts" else PORT

    @property
    def table_name(self) -> str:
        """What the table is called: by default as its machine."""
        return self.table or re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname())[:40].strip("-_") or "table"

    def secure(self, client: "Client") -> None:
        """Give the client user, password and certificates; ConfigError where a file of them cannot be read."""
        if self.user:
            client.username_pw_set(self.user, _first_line(self.password_file) if self.password_file else None)
        if self._parts()[0] == "mqtts":
            try:
                client.tls_set_context(ssl.create_default_context(cafile=self.ca_file or None))
            except (OSError, ssl.SSLError) as error:
                raise ConfigError(f"hall.ca_file {self.ca_file!r} cannot be read ({error}); name a PEM file") from None

    def _parts(self) -> tuple[str, str, str | None]:
        parts = BROKER.fullmatch(self.broker)
        if parts is None:
            raise ConfigError(f"hall.broker {self.broker[:60]!r} is no broker; write mqtt://HOST or mqtts://HOST:8883")
        return parts[1], parts[2], parts[3]


def _first_line(file: str) -> str:
    try:
        return Path(file).read_text("utf-8").splitlines()[0]
    except (OSError, IndexError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is empty"
        raise ConfigError(f"hall.password_file {file!r} cannot be read: {reason}; write the password into it") from None
