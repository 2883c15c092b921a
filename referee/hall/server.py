"""The hall's server: its parts from the settings, the PINs, and the page, served until stopped."""

import asyncio
import logging
import socket
import sys
import threading
from pathlib import Path
from typing import Final

import uvicorn

from referee.errors import ConfigError
from referee.hall.desk import Desk
from referee.hall.picture import WITH_PIN
from referee.hall.wall_routes import WallRoutes, application
from referee.hall.wall_stream import WallStream
from referee.hardware.system import is_service, wall_label
from referee.link.settings import HallSettings
from referee.storage.folder import FolderLock
from referee.web.api.address import addresses, local_only, qr_text
from referee.web.security.connection_limits import Bounds, Traffic
from referee.web.security.executors import Executors
from referee.web.security.logins import Lock
from referee.web.security.pin import load_pin, make_pin, save_pin
from referee.web.security.sessions import FILE as SESSION_FILE
from referee.web.serving import listen, uvicorn_config
from referee.web.settings import WebSettings

_STOP_LOOK_SECONDS: Final = 0.2
_STOP_SECONDS: Final = 3.0

log = logging.getLogger("referee")


def run_hall(hall: HallSettings, web: WebSettings, folder: Path, stop: threading.Event) -> None:
    """Serve the wall of a hall until told to stop; everything of it is kept in this folder."""
    if not hall.linked:
        raise ConfigError('no broker is set; write broker = "mqtt://HOST" under [hall], or name one with --broker')
    with FolderLock(folder):
        locks = {role.value: _lock(folder / role.value) for role in WITH_PIN}
        listening = listen(web.host, web.port)
        try:
            _tell(folder, web, listening.getsockname()[1])
            desk = Desk(hall, folder, wall_label)
        except BaseException:
            listening.close()
            raise
        serving = _Serving(desk, hall, web, locks, listening)
        desk.start()
        serving.start()
        try:
            while not stop.wait(_STOP_LOOK_SECONDS) and serving.is_alive():
                pass
        finally:
            serving.close()
            desk.close()
            listening.close()


class _Serving(threading.Thread):
    """The server in a thread of its own, so that signals stay with whoever started it."""

    def __init__(
        self, desk: Desk, hall: HallSettings, web: WebSettings, locks: dict[str, Lock], listening: socket.socket
    ) -> None:
        super().__init__(name="referee-hall-page", daemon=True)
        self._stream, self._listening = WallStream(desk, hall.public_delay_seconds), listening
        self._executors, traffic = Executors(), Traffic(Bounds())
        app = application(WallRoutes(desk, self._stream, locks, self._executors, traffic), web.names)
        self._server = uvicorn.Server(uvicorn_config(app, traffic, behind_proxy=web.behind_proxy))

    def run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception:
            log.exception("the hall's page has stopped")

    async def _serve(self) -> None:
        remembering = asyncio.create_task(self._stream.run())
        try:
            await self._server.serve(sockets=[self._listening])
        finally:
            remembering.cancel()
            self._executors.close()

    def close(self) -> None:
        self._stream.close()
        self._server.should_exit = True
        self.join(_STOP_SECONDS)


def _lock(folder: Path) -> Lock:
    """Return a role's lock."""
    return Lock(lambda: load_pin(folder), folder / SESSION_FILE)


def _tell(folder: Path, web: WebSettings, port: int) -> None:
    """Say where the wall is, and the PINs that were just made; those go to the terminal alone, never into a log."""
    best = addresses(web.host, port)[0]
    log.info("the wall of the hall is at %s", best)
    if not local_only(web.host) and sys.stderr.isatty():
        sys.stderr.write(qr_text(best))
    for role in WITH_PIN:
        if load_pin(folder / role.value) is not None:
            continue
        if is_service():
            log.warning("no PIN is set for the %s; set one: referee config pin --hall %s", role.value, role.value)
            continue
        pin = make_pin()
        save_pin(folder / role.value, pin)
        sys.stderr.write(f"the {role.value}'s PIN is {pin} (set your own: referee config pin --hall {role.value})\n")
    sys.stderr.flush()
