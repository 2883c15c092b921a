"""`referee run`: referee a real table, a recording or a simulated table."""

import argparse
import errno
import logging
import os
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from referee.cli import interrupts
from referee.cli.match_options import add_match_options, with_match_options
from referee.cli.streams import drop_output
from referee.errors import StorageError
from referee.hardware.system import is_service
from referee.language.catalogue import ENGLISH, catalogue, languages
from referee.service.stop import Stop
from referee.settings.config import Config, folder_in_use, settings_in_force
from referee.settings.page import with_address
from referee.storage.files import LineFile, refusal
from referee.storage.folder import await_folder, state_folder

_LOCAL_HOST = "127.0.0.1"  # --web without a host serves this machine only
_HANGUP_WAIT_SECONDS = 1.0  # from a failing terminal to its signal


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings file (default: /etc/referee/referee.toml)"
    )
    parser.add_argument(
        "--camera",
        metavar="CAMERA",
        help="sim (a simulated table that plays the match of your settings), replay:PATH, usb:N, picamera, url:http://…"
        " or rtsp://… (default: as set; auto tries the camera of the profile, an attached one, then sim)",
    )
    parser.add_argument("--signals", choices=("console", "gpio", "none"), help="where lights and sounds go")
    parser.add_argument("--until-end", action="store_true", help="end when the recording or the match ends")
    parser.add_argument("--events", metavar="FILE", help="write each turn event as a JSON line; '-': standard output")
    parser.add_argument(
        "--state", type=Path, metavar="DIR", help="folder of the journals; continues an unfinished match"
    )
    parser.add_argument(
        "--web", nargs="?", const="", metavar="HOST:PORT", help="serve the page on a phone; 0.0.0.0:8080 for all phones"
    )
    parser.add_argument(
        "--language", choices=tuple(languages()), default=ENGLISH, help="language of the console; the log stays English"
    )
    add_match_options(parser)
    parser.add_argument("--new", action="store_true", help="begin a new match even if one was left unfinished")


def run(arguments: argparse.Namespace) -> int:
    """Referee until the end or a stop signal; a service falls back to safe mode."""
    stop = Stop()
    interrupts.call_on_signal(stop.set)
    code = _serve(arguments, stop) if is_service() else _at_a_terminal(arguments, stop)
    code = stop.code or code
    _end_with_camera(code)
    return code


def _at_a_terminal(arguments: argparse.Namespace, stop: Stop) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        return _referee(arguments, stop) if _folder_answers(arguments, stop) else 0
    except OSError as error:
        if error.errno != errno.EIO or not stop.wait(_HANGUP_WAIT_SECONDS):
            raise
        drop_output()  # the terminal was closed; its signal ends the command normally
        return 0


def _serve(arguments: argparse.Namespace, stop: Stop) -> int:
    from referee.service.safe_mode import serve  # noqa: PLC0415
    from referee.service.stderr_capture import StderrCapture  # noqa: PLC0415 - a signal is heard before anything large is loaded

    stderr_capture = StderrCapture()
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        if not _folder_answers(arguments, stop):
            return 0
        return serve(lambda: _referee(arguments, stop), arguments.config, stop)
    finally:
        stderr_capture.close()


def _folder_answers(arguments: argparse.Namespace, stop: Stop) -> bool:
    """Return whether the state folder answers before the referee is stopped."""
    folder = folder_in_use(arguments.config, arguments.state)
    return await_folder(folder, stop, logging.getLogger("referee").error)


def _end_with_camera(code: int) -> None:
    """End the process at once if a Pi camera is still open: its library's exit handler would wait forever."""
    from referee.hardware.picamera import has_open_camera  # noqa: PLC0415 - as above

    if has_open_camera():
        logging.shutdown()
        sys.stdout.flush()
        os._exit(code)


def _referee(arguments: argparse.Namespace, stop: Stop) -> int:
    config = _settings(arguments)
    if stop.is_set():
        return 0
    from referee.service.sources import find_camera, profiled_camera  # noqa: PLC0415 - settings are checked before models are loaded
    from referee.service.table import RunOptions  # noqa: PLC0415 - as above
    from referee.service.wiring import run_referee  # noqa: PLC0415 - as above

    if stop.is_set():
        return 0
    asked = arguments.camera or config.camera.source
    known = profiled_camera(config, arguments.state or state_folder(config.storage.folder))
    with ExitStack() as files:
        options = RunOptions(
            camera=find_camera(asked, known),
            signals=arguments.signals or config.signals.output,
            until_end=arguments.until_end,
            new=arguments.new,
            state=arguments.state,
            events=_events(arguments.events, files),
            words=sys.stderr if arguments.events == "-" else sys.stdout,
            settings_file=arguments.config,
            language=arguments.language,
        )
        if (asked, options.camera) == ("auto", "sim"):
            from referee.service.simulated import simulation_notice  # noqa: PLC0415 - only where it is simulated

            print(catalogue(options.language).say(simulation_notice(config)), file=options.words, flush=True)
        run_referee(config, options, stop)
    return 0


def _settings(arguments: argparse.Namespace) -> Config:
    """Return the settings: the file's, overridden by the page's, overridden by the command line's."""
    config = settings_in_force(arguments.config, arguments.state, logging.getLogger("referee").warning)
    config = with_match_options(config, arguments)
    if arguments.web is None:
        return config
    host = _LOCAL_HOST if config.origin["web.host"] == "default" else config.web.host
    return replace(config, web=with_address(replace(config.web, host=host), arguments.web))


def _events(name: str | None, files: ExitStack) -> LineFile | TextIO | None:
    if name is None:
        return None
    if name == "-":
        return sys.stdout
    try:
        lines = LineFile(Path(name))
    except OSError as error:
        raise StorageError(f"events file {name} cannot be written {refusal(error, Path(name))}") from None
    files.callback(lines.close)
    return lines
