"""The page's server in a thread of its own, which the match never waits for."""

import asyncio
import logging
import socket
import sys
import threading
from typing import Final

import uvicorn

from referee.errors import ConfigError
from referee.web.connection_limits import Bounds, Traffic, bounded
from referee.web.dependencies import Dependencies
from referee.web.event_stream import EventStream
from referee.web.executors import Executors
from referee.web.logs import Logs
from referee.web.routes import application

log = logging.getLogger("referee")

START_SECONDS: Final = 10.0
STOP_SECONDS: Final = 3.0
SWITCH_SECONDS: Final = 0.0005
"""How long one thread keeps the interpreter from another that waits for it. Reading a picture gives it up and wants it
back dozens of times; at Python's 5 ms each a busy page would make every verdict late."""
_BACKLOG: Final = 64
_HEADER_BYTES: Final = 16_384


class Server:
    """Serves the page from when it is made until it is closed."""

    def __init__(self, parts: Dependencies, bounds: Bounds | None = None) -> None:
        """Listen as the settings say; ConfigError where that address cannot be had."""
        self._socket = _listen(parts.settings.host, parts.settings.port)
        self.port: int = self._socket.getsockname()[1]
        self.traffic = Traffic(bounds or Bounds())
        self.stream = EventStream(
            parts.bridge, parts.sighting, parts.now, parts.wall, parts.plain, safe_mode=parts.safe_mode
        )
        self.stream.recall(parts.past)
        self._parts = parts
        self._logs = Logs(parts.wall)
        self._executors = Executors()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: uvicorn.Server | None = None
        self._ready = threading.Event()
        log.addHandler(self._logs)
        self._switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(min(self._switch_seconds, SWITCH_SECONDS))
        self._thread = threading.Thread(target=self._run, name="referee-page", daemon=True)
        self._thread.start()
        self._ready.wait(START_SECONDS)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception:  # the match goes on without its page, but not in silence
            log.exception("the page has stopped; the referee goes on without it")
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.stream.began = self._keep_picture
        config = uvicorn.Config(
            application(self._parts, self.stream, self._executors, self._logs, self.traffic, port=self.port),
            http=bounded(self.traffic),
            ws="none",
            proxy_headers=self._parts.settings.behind_proxy,
            forwarded_allow_ips="127.0.0.1,::1",
            lifespan="off",
            log_config=None,
            log_level="error",  # what strangers send is not worth the wear of a card
            access_log=False,
            server_header=False,
            timeout_keep_alive=10,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=_HEADER_BYTES,
            backlog=_BACKLOG,
        )
        self._server = uvicorn.Server(config)
        following = asyncio.create_task(self.stream.run())
        self._loop.call_soon(self._ready.set)
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            following.cancel()
            self._executors.close()

    def _keep_picture(self, frame_id: str) -> None:
        """Keep the picture of the table a turn begins with; the guide may need it when it lies so no more."""
        if self._loop is not None:
            kept = self._executors.picture(lambda: self._parts.pictures.settled(frame_id))
            self._kept = self._loop.create_task(kept)

    def close(self) -> None:
        """Let the pages go and stop; a second call does nothing."""
        log.removeHandler(self._logs)
        sys.setswitchinterval(self._switch_seconds)
        if self._server is not None and self._loop is not None and not self._loop.is_closed():
            self._server.should_exit = True
            self._loop.call_soon_threadsafe(self.stream.close)
        self._thread.join(STOP_SECONDS)
        self._socket.close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"the page cannot listen on {host}:{port}: {reason}; name another with --web") from None
    listening.setblocking(False)
    return listening
