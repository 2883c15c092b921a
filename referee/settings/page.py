"""Settings of the page."""

import re
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from msgspec import Meta

from referee.declared import whole_text
from referee.errors import ConfigError
from referee.rules.wording import say

_HOST_NAME: Final = whole_text("[A-Za-z0-9.:_-]{1,253}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """Whether the page is served, its address and host names, and who may correct a reading."""

    enabled: Annotated[
        bool,
        Meta(
            title="Page for phones",
            description="serve the page on a phone (also as --web); needs the extra 'web', see README.md",
        ),
    ] = False
    host: Annotated[
        str,
        Meta(
            title="Address",
            pattern=_HOST_NAME,
            description='address to listen on; "0.0.0.0": the local network, "127.0.0.1": this machine alone',
            extra={
                "way_out": say("setting.no_address", '{value} is no address to listen on; use "0.0.0.0" or "127.0.0.1"')
            },
        ),
    ] = "0.0.0.0"  # noqa: S104 - every phone in the network
    port: Annotated[int, Meta(title="Port", ge=1, le=65535, description="port of the page")] = 8080
    names: Annotated[
        tuple[
            Annotated[
                str,
                Meta(
                    pattern=_HOST_NAME,
                    extra={
                        "way_out": say("setting.no_machine", '{value} is no name of a machine; write "referee.home"')
                    },
                ),
            ],
            ...,
        ],
        Meta(
            title="More names of this machine",
            description="more names of this machine on the network, besides its own name and addresses",
        ),
    ] = ()
    corrections: Annotated[
        Literal["organiser", "agreement", "players"],
        Meta(
            title="Who may correct tiles",
            description="who may correct a reading on the page: organiser, agreement (of two players), or players "
            "(anybody)",
        ),
    ] = "organiser"
    behind_proxy: Annotated[
        bool,
        Meta(
            title="Behind a proxy",
            description="trust a proxy on this machine that names the sender of a request (X-Forwarded-For)",
        ),
    ] = False
    start_on_page: Annotated[
        bool,
        Meta(
            title="Start matches on the page",
            description="with the page and a real camera, a match begins when the organiser starts it there",
        ),
    ] = True

    @property
    def players_may_correct(self) -> bool:
        """Whether any visitor's correction takes effect at once."""
        return self.corrections == "players"


_HOST: Final = re.compile(r"\[[0-9a-fA-F:]{2,45}\]|[A-Za-z0-9._-]{0,253}", re.ASCII)
_PORT: Final = re.compile(r"\d{1,5}", re.ASCII)


def with_address(settings: WebSettings, asked: str) -> WebSettings:
    """Return the settings with the address of `--web`: HOST:PORT, HOST, :PORT, PORT or empty; ConfigError otherwise."""
    host, _, port = ("", ":", asked) if _PORT.fullmatch(asked) else asked.rpartition(":")
    if not host and not _PORT.fullmatch(port):  # no colon: a host alone
        host, port = port, ""
    elif asked.endswith("]"):
        host, port = asked, ""
    number = int(port) if _PORT.fullmatch(port) else settings.port
    if not _HOST.fullmatch(host) or host.isdecimal() or (port and not _PORT.fullmatch(port)) or not 0 < number < 65536:
        raise ConfigError(f"--web {asked[:60]!r} is not an address; write 0.0.0.0:8080, a port, or nothing")
    return replace(settings, enabled=True, host=host.strip("[]") or settings.host, port=number)
