"""Settings of the link to a hall."""

import re
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from referee.declared import whole_text
from referee.errors import ConfigError
from referee.rules.wording import say

if TYPE_CHECKING:
    from paho.mqtt.client import Client

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", re.ASCII)
"""The names that halls and tables may have: one level of a topic, and a valid file name."""
PORT, TLS_PORT = 1883, 8883
BROKER: Final = re.compile(r"(mqtts?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\])(?::([0-9]{1,5}))?")

_NO_NAME: Final = {"way_out": say("setting.no_name", "{value} is no name; use letters, digits, - and _")}


@dataclass(frozen=True, slots=True, kw_only=True)
class HallSettings:
    """The broker, `mqtt://HOST:PORT` or `mqtts://…`, "" for none; the names of hall and table; user and secrets."""

    broker: Annotated[
        str,
        Meta(
            title="Broker",
            pattern=whole_text(f"|{BROKER.pattern}"),
            description='"mqtt://HOST" or "mqtts://HOST:8883", the MQTT broker of a hall of many tables; "": none',
            extra={
                "way_out": say(
                    "setting.no_broker",
                    '{value} is no broker; write "mqtt://HOST" or "mqtts://HOST:8883", or "" for none',
                )
            },
        ),
    ] = ""
    hall: Annotated[
        str,
        Meta(
            title="Name of the hall",
            pattern=whole_text(NAME.pattern),
            description="name of the hall; letters, digits, - and _",
            extra=_NO_NAME,
        ),
    ] = "hall"
    table: Annotated[
        str,
        Meta(
            title="Name of this table",
            pattern=whole_text(f"|{NAME.pattern}"),
            description='name of this table; "": the name of its machine',
            extra=_NO_NAME,
        ),
    ] = ""
    user: Annotated[str, Meta(title="User name", description="user name at the broker, if it asks for one")] = ""
    password_file: Annotated[
        str, Meta(title="Password file", description="file with the broker's password in its first line")
    ] = ""
    ca_file: Annotated[
        str,
        Meta(
            title="Certificate file",
            description="CA certificate (PEM) of a broker that no public authority has certified",
        ),
    ] = ""
    home_assistant: Annotated[
        bool, Meta(title="Home Assistant", description="let Home Assistant discover this table through the broker")
    ] = False
    public_delay_seconds: Annotated[
        float,
        Meta(
            title="Delay for guests",
            ge=0,
            le=3600,
            description="`referee hall`: guests see the wall this much later",
            extra={"unit": "s"},
        ),
    ] = 300.0

    @property
    def is_linked(self) -> bool:
        """Whether a hall is set."""
        return bool(self.broker)

    @property
    def host(self) -> str:
        """The broker's host."""
        return self._parts()[1].strip("[]")

    @property
    def port(self) -> int:
        """The broker's port; 1883, or 8883 with TLS, by default."""
        scheme, _, port = self._parts()
        return int(port) if port else TLS_PORT if scheme == "mqtts" else PORT

    @property
    def table_name(self) -> str:
        """The table's name, by default its machine's."""
        return self.table or re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname())[:40].strip("-_") or "table"

    def secure(self, client: "Client") -> None:
        """Set user, password and certificates of the client; ConfigError if one of their files cannot be read."""
        if self.user:
            client.username_pw_set(self.user, _first_line(self.password_file) if self.password_file else None)
        if self._parts()[0] == "mqtts":
            try:
                client.tls_set_context(ssl.create_default_context(cafile=self.ca_file or None))
            except (OSError, ssl.SSLError) as error:
                message = say(
                    "hall_setting.ca_file",
                    "hall.ca_file {file} cannot be read ({why}); name a PEM file",
                    file=repr(self.ca_file),
                    why=str(error),
                )
                raise ConfigError(message) from None

    def _parts(self) -> tuple[str, str, str | None]:
        parts = BROKER.fullmatch(self.broker)
        if parts is None:
            raise ConfigError(
                say(
                    "hall_setting.broker",
                    "hall.broker {broker} is not a broker address; write mqtt://HOST or mqtts://HOST:8883",
                    broker=repr(self.broker[:60]),
                )
            )
        return parts[1], parts[2], parts[3]


def _first_line(file: str) -> str:
    try:
        return Path(file).read_text("utf-8").splitlines()[0]
    except (OSError, IndexError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or say("hall_setting.empty", "it is empty")
        message = say(
            "hall_setting.password_file",
            "hall.password_file {file} cannot be read: {why}; write the password into it",
            file=repr(file),
            why=why,
        )
        raise ConfigError(message) from None
