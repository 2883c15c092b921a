"""`referee report`: one file for a bug report, with what is in it said first."""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from referee import __version__
from referee.cli.config import settings
from referee.config import SYSTEM_FILE, check_config, settings_in_force
from referee.errors import ConfigError, StorageError
from referee.files import refusal, whole_file
from referee.hardware.system import wall_label
from referee.service.health import SERVICE_FILE, health_file, read_health
from referee.storage.folder import state_folder
from referee.storage.journal import journals
from referee.vision.profile import camera_name

LOG_LINES: Final = 2000
LOG_SECONDS: Final = 20.0
MAX_JOURNALS: Final = 20
MAX_PICTURES: Final = 200
_PACKAGES: Final = ("numpy", "opencv-python-headless", "onnxruntime", "highspy", "gpiozero", "lgpio", "picamera2")


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the report: its name there, what it is, and its content or where that lies."""

    name: str
    purpose: str
    content: bytes | Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--out", type=Path, metavar="FILE", help="the report; by default referee-report-TIME.zip here")
    parser.add_argument("--config", type=Path, metavar="FILE", help=f"settings instead of {SYSTEM_FILE}")
    parser.add_argument("--state", type=Path, metavar="DIR", help="of the referee that runs with this --state")
    parser.add_argument("--journals", type=int, default=1, metavar="N", help="how many of the newest matches (1)")
    parser.add_argument(
        "--pictures",
        type=int,
        default=0,
        metavar="N",
        help="the last pictures of judged tables as well; they may show racks and hands (0)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the report and list what is in it."""
    for name, most in (("journals", MAX_JOURNALS), ("pictures", MAX_PICTURES)):
        asked = getattr(arguments, name)
        if not 0 <= asked <= most:
            raise ConfigError(f"--{name} {asked} is out of range; use 0 to {most}")
    stamp = "".join(digit for digit in wall_label()[:16] if digit.isdecimal())
    out = arguments.out or Path(f"referee-report-{stamp}.zip")
    parts = tuple(_parts(arguments))
    contents = "".join(f"{part.name:24} {part.purpose}\n" for part in parts)
    print(f"The report holds:\n{contents}", file=sys.stderr, flush=True)
    try:
        with whole_file(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as report:
            report.writestr("contents.txt", contents)
            for part in parts:
                if isinstance(part.content, Path):
                    report.write(part.content, part.name)
                else:
                    report.writestr(part.name, part.content)
    except OSError as error:
        raise StorageError(f"report {out} cannot be written {refusal(error, out, 'name another with --out')}") from None
    print(out)
    return 0


def _parts(arguments: argparse.Namespace) -> Iterator[Part]:
    yield Part("versions.txt", "of the referee, Python, its packages and this system", _versions().encode())
    yield from _settings(arguments)
    health = read_health(SERVICE_FILE) or read_health(health_file())  # a service is not of the user who reports
    if health:
        health["camera"] = camera_name(str(health.get("camera", "")))
        yield Part("health.json", "what `referee status` says", json.dumps(health, indent=1).encode())
    log = _log()
    if log:
        yield Part("log.txt", f"the last {LOG_LINES} lines of the service's log", log)
    folder = _folder(arguments)
    kept = sorted(journals(folder), reverse=True)[: arguments.journals] if folder.is_dir() else []
    for path in kept:
        yield Part(path.name, "a match: every input and what was told, players' names among it", path)
    profile = folder / "profile.json"
    if profile.is_file() and os.access(profile, os.R_OK):
        yield Part(profile.name, "what calibration found out", profile)
    if arguments.pictures:
        pictures = sorted((folder / "evidence").glob("[0-9]*.*"))[-2 * arguments.pictures :]
        for path in pictures:
            yield Part(f"evidence/{path.name}", "a judged table, or what was said of it", path)


def _folder(arguments: argparse.Namespace) -> Path:
    if arguments.state:
        return Path(arguments.state)
    config, _ = check_config(arguments.config)
    return state_folder(config.storage.folder if config else "")


def _settings(arguments: argparse.Namespace) -> Iterator[Part]:
    """The settings in force without secrets, or why there are none: a wrong setting may be what is reported."""
    warnings: list[str] = []
    try:
        shown = settings(settings_in_force(arguments.config, arguments.state, warnings.append))
    except ConfigError as error:
        yield Part("settings.txt", "what is wrong with the settings", str(error).encode())
        return
    shown["camera"]["source"] = camera_name(str(shown["camera"]["source"]))
    text = json.dumps(shown, indent=1, ensure_ascii=False, default=str)
    yield Part("settings.json", "the settings in force; no PIN, no password", "\n".join([text, *warnings]).encode())


def _versions() -> str:
    lines = [f"referee {__version__}", f"Python {platform.python_version()}", platform.platform()]
    for package in _PACKAGES:
        try:
            lines.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            lines.append(f"{package}: not installed")
    machine = (Path("/etc/os-release"), Path("/proc/device-tree/model"))
    lines += [file.read_text("utf-8", "replace").strip("\0\n") for file in machine if file.is_file()]
    return "\n".join([*lines, ""])


def _log() -> bytes:
    """The service's log as systemd kept it; nothing where there is no such service or it may not be read."""
    if shutil.which("journalctl") is None:
        return b""
    words = ["journalctl", "--unit", "referee", "--lines", str(LOG_LINES), "--no-pager", "--quiet"]
    try:
        return subprocess.run(words, capture_output=True, check=False, timeout=LOG_SECONDS).stdout  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return b""
