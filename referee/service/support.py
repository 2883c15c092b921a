"""The file for a bug report, with a table of contents; no pictures unless requested."""

import json
import os
import platform
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from referee import __version__
from referee.addresses import showable
from referee.errors import ConfigError, StorageError
from referee.service.health import SERVICE_FILE, health_file, read_health
from referee.settings.config import folder_in_use, plain_settings, settings_in_force
from referee.storage.files import refusal, whole_file
from referee.storage.journal import list_journals

LOG_LINES: Final = 2000
LOG_SECONDS: Final = 20.0
_PACKAGES: Final = (
    "numpy",
    "opencv-python-headless",
    "onnxruntime",
    "highspy",
    "msgspec",
    "gpiozero",
    "lgpio",
    "picamera2",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """What a report should contain: which referee, how many recent matches and last pictures."""

    settings_file: Path | None
    state: Path | None
    journals: int = 1
    pictures: int = 0


@dataclass(frozen=True, slots=True)
class ReportPart:
    """One file of the report: its name, its purpose, and its content or path."""

    name: str
    purpose: str
    content: bytes | Path


class SupportReport:
    """A report before it is written."""

    def __init__(self, asked: ReportRequest) -> None:
        """Gather the requested parts."""
        self._parts = tuple(_parts(asked))

    @property
    def contents(self) -> str:
        """A line for each file of the report."""
        return "".join(f"{part.name:24} {part.purpose}\n" for part in self._parts)

    def write(self, out: Path) -> None:
        """Write the report as a ZIP file; raises StorageError."""
        try:
            with whole_file(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as report:
                report.writestr("contents.txt", self.contents)
                for part in self._parts:
                    if isinstance(part.content, Path):
                        report.write(part.content, part.name)
                    else:
                        report.writestr(part.name, part.content)
        except OSError as error:
            why = refusal(error, out, "name another with --out")
            raise StorageError(f"report {out} cannot be written {why}") from None


def _parts(asked: ReportRequest) -> Iterator[ReportPart]:
    yield ReportPart("versions.txt", "of the referee, Python, its packages and this system", _versions().encode())
    yield from _settings(asked)
    health = read_health(SERVICE_FILE) or read_health(health_file())  # the service may belong to another user
    if health:
        yield ReportPart("health.json", "what `referee status` says", _shown(json.dumps(health, indent=1)))
    log = _log()
    if log:
        yield ReportPart("log.txt", f"the last {LOG_LINES} lines of the service's log", log)
    folder = folder_in_use(asked.settings_file, asked.state)
    kept = [*list_journals(folder)][: asked.journals] if folder.is_dir() else []
    for path in kept:
        yield ReportPart(path.name, "a match: every input and what was told, players' names among it", path)
    profile = folder / "profile.json"
    if profile.is_file() and os.access(profile, os.R_OK):
        yield ReportPart(profile.name, "what calibration found out", _shown(profile.read_text("utf-8", "replace")))
    if asked.pictures:
        pictures = sorted((folder / "evidence").glob("[0-9]*.*"))[-2 * asked.pictures :]
        for path in pictures:
            yield ReportPart(f"evidence/{path.name}", "a judged table, or what was said of it", path)


def _settings(asked: ReportRequest) -> Iterator[ReportPart]:
    """Yield the settings in force without secrets, or the error: a wrong setting may be the bug."""
    warnings: list[str] = []
    try:
        shown = plain_settings(settings_in_force(asked.settings_file, asked.state, warnings.append))
    except ConfigError as error:
        yield ReportPart("settings.txt", "what is wrong with the settings", _shown(str(error)))
        return
    text = json.dumps(shown, indent=1, ensure_ascii=False, default=str)
    yield ReportPart(
        "settings.json", "the settings in force; no PIN, no password", _shown("\n".join([text, *warnings]))
    )


def _shown(text: str) -> bytes:
    return showable(text).encode()


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
    """Return the service's log from systemd; empty without the service, or if it is unreadable."""
    if shutil.which("journalctl") is None:
        return b""
    words = ["journalctl", "--unit", "referee", "--lines", str(LOG_LINES), "--no-pager", "--quiet"]
    try:
        log = subprocess.run(words, capture_output=True, check=False, timeout=LOG_SECONDS).stdout  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return _shown(log.decode("utf-8", "replace"))
