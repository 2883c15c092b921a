"""The hall's server: builds the desk from the settings, makes PINs, and serves the page."""

import asyncio
import logging
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import uvicorn

from referee.errors import ConfigError, RefereeError
from referee.hall.desk import Desk
from referee.hall.wall_routes import WallRoutes, application
from referee.hall.wall_stream import WallStream
from referee.hall.wall_view import ROLES_WITH_PIN
from referee.hardware.system import is_service, wall_label
from referee.server.address import is_local_only, page_addresses, qr_text
from referee.server.connection_limits import ConnectionLimits, Traffic
from referee.server.executors import Executors
from referee.server.logins import RolePin
from referee.server.pin import load_pin, make_pin, save_pin
from referee.server.serving import listen, uvicorn_config
from referee.server.sessions import SESSION_FILE
from referee.settings.hall import HallSettings
from referee.settings.page import WebSettings
from referee.storage.folder import FolderLock

_STOP_POLL_SECONDS: Final = 0.2
_STOP_TIMEOUT_SECONDS: Final = 3.0

log = logging.getLogger("referee")


def run_hall(hall: HallSettings, web: WebSettings, folder: Path, stop: threading.Event) -> None:
    """Serve the wall of a hall until `stop` is set; its records, PINs and sessions are in this folder.

    RefereeError if one of its threads ends before.
    """
    if not hall.is_linked:
        raise ConfigError('no broker is set; write broker = "mqtt://HOST" under [hall], or name one with --broker')
    with FolderLock(folder):
        locks = {role.value: _lock(folder / role.value) for role in ROLES_WITH_PIN}
        listening = listen(web.host, web.port)
        try:
            _announce(folder, web, listening.getsockname()[1])
            desk = Desk(hall, folder, wall_label)
        except BaseException:
            listening.close()
            raise
        serving = _Serving(desk, hall, web, locks, listening)
        with _ended_threads() as ended:
            try:
                desk.start()
                serving.start()
                while not stop.wait(_STOP_POLL_SECONDS) and not ended and serving.is_alive() and desk.is_alive:
                    pass
            finally:
                serving.close()
                desk.close()
                listening.close()
        if not stop.is_set():
            raise RefereeError(f"the hall {' and '.join(ended) or 'ended by itself'}; start it again, and report this")


@contextmanager
def _ended_threads() -> Iterator[list[str]]:
    """Collect how threads of this process end that nobody ended."""
    ended: list[str] = []

    def note(args: threading.ExceptHookArgs) -> None:
        error = args.exc_value
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        name = args.thread.name if args.thread else "?"
        ended.append(f"lost its thread {name} ({type(error).__name__}: {error!s:.200})")

    before, threading.excepthook = threading.excepthook, note
    try:
        yield ended
    finally:
        threading.excepthook = before


class _Serving(threading.Thread):
    """The web server in its own thread, so that the main thread keeps handling signals."""

    def __init__(
        self, desk: Desk, hall: HallSettings, web: WebSettings, locks: dict[str, RolePin], listening: socket.socket
    ) -> None:
        super().__init__(name="referee-hall-page", daemon=True)
        self._stream, self._listening = WallStream(desk, hall.public_delay_seconds), listening
        self._executors, traffic = Executors(), Traffic(ConnectionLimits(), behind_proxy=web.behind_proxy)
        app = application(WallRoutes(desk, self._stream, locks, self._executors, traffic), web.names)
        self._server = uvicorn.Server(uvicorn_config(app, traffic))

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                remembering = tasks.create_task(self._stream.run())
                await self._server.serve(sockets=[self._listening])
                remembering.cancel()
        finally:
            self._executors.close()

    def close(self) -> None:
        self._stream.close()
        self._server.should_exit = True
        self.join(_STOP_TIMEOUT_SECONDS)


def _lock(folder: Path) -> RolePin:
    """Return the login lock of the role with this folder."""
    return RolePin(lambda: load_pin(folder), folder / SESSION_FILE)


def _announce(folder: Path, web: WebSettings, port: int) -> None:
    """Log the wall's address, and make missing PINs; a PIN is written to the terminal only, never to a log."""
    best = page_addresses(web.host, port)[0]
    log.info("the hall's wall is at %s", best)
    if not is_local_only(web.host) and sys.stderr.isatty():
        sys.stderr.write(qr_text(best))
    for role in ROLES_WITH_PIN:
        if load_pin(folder / role.value) is not None:
            continue
        if is_service():
            log.warning("no PIN is set for the %s; set one: referee config pin --hall %s", role.value, role.value)
            continue
        pin = make_pin()
        save_pin(folder / role.value, pin)
        sys.stderr.write(f"the {role.value}'s PIN is {pin} (set your own: referee config pin --hall {role.value})\n")
    sys.stderr.flush()
