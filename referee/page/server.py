"""The web server, on its own thread; the match never waits for it."""

import asyncio
import logging
import sys
import threading
from typing import Final

import uvicorn

from referee.page.dependencies import Dependencies
from referee.page.event_stream import EventStream
from referee.page.logs import LogBuffer
from referee.page.routes import application
from referee.server.connection_limits import ConnectionLimits, Traffic
from referee.server.executors import Executors
from referee.server.serving import listen, uvicorn_config

log = logging.getLogger("referee")

START_SECONDS: Final = 10.0
STOP_SECONDS: Final = 3.0
SWITCH_SECONDS: Final = 0.0005
"""How long one thread keeps the interpreter from another that waits for it. Reading a picture gives it up and wants it
back dozens of times; at Python's 5 ms each a busy page would make every verdict late."""


class Server:
    """Serves the page from construction until `close`."""

    def __init__(self, parts: Dependencies, limits: ConnectionLimits | None = None) -> None:
        """Listen at the configured address; ConfigError if it is not available."""
        self._socket = listen(parts.settings.host, parts.settings.port)
        self.port: int = self._socket.getsockname()[1]
        self.traffic = Traffic(limits or ConnectionLimits(), behind_proxy=parts.settings.behind_proxy)
        self.stream = EventStream(
            parts.bridge,
            parts.camera_status,
            parts.now,
            parts.history,
            safe_mode=parts.safe_mode,
            arbiter=parts.arbiter,
        )
        self._parts = parts
        self._logs = LogBuffer()
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
        except Exception:  # the match continues without its page; the log says so
            log.exception("the page's server stopped; the match goes on")
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.stream.began = self._keep_picture
        app = application(self._parts, self.stream, self._executors, self._logs, self.traffic, port=self.port)
        config = uvicorn_config(app, self.traffic)
        self._server = uvicorn.Server(config)
        following = asyncio.create_task(self.stream.run())
        self._loop.call_soon(self._ready.set)
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            following.cancel()
            self._executors.close()

    def _keep_picture(self, frame_id: str) -> None:
        """Store the picture of the table at a turn's start; the restore guide may show it later."""
        if self._loop is not None:
            kept = self._executors.picture(lambda: self._parts.pictures.settled(frame_id))
            self._kept = self._loop.create_task(kept)

    def close(self) -> None:
        """Disconnect the pages and stop; a second call does nothing."""
        log.removeHandler(self._logs)
        sys.setswitchinterval(self._switch_seconds)
        if self._server is not None and self._loop is not None and not self._loop.is_closed():
            self._server.should_exit = True
            self._loop.call_soon_threadsafe(self.stream.close)
        self._thread.join(STOP_SECONDS)
        self._socket.close()
