"""The listening socket and uvicorn's configuration with connection limits."""

import socket
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from referee.errors import ConfigError
from referee.rules.wording import say
from referee.server.connection_limits import PROXY_ADDRESSES, NamedSenders, Traffic, limited_protocol

_BACKLOG: Final = 64
_HEADER_BYTES: Final = 16_384


def uvicorn_config(app: ASGIApp, traffic: Traffic) -> uvicorn.Config:
    """Return uvicorn's configuration for this application."""
    return uvicorn.Config(
        NamedSenders(app, traffic) if traffic.behind_proxy else app,
        http=limited_protocol(traffic),
        ws="none",
        proxy_headers=traffic.behind_proxy,
        forwarded_allow_ips=list(PROXY_ADDRESSES),
        lifespan="off",
        log_config=None,
        log_level="error",  # strangers' requests must not fill the log on an SD card
        access_log=False,
        server_header=False,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        backlog=_BACKLOG,
    )


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at this address; ConfigError if it is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        message = say(
            "server.taken",
            "the page cannot listen on {address}: {why}; name another with --web",
            address=f"{host}:{port}",
            why=str(reason),
        )
        raise ConfigError(message) from None
    listening.setblocking(False)
    return listening
