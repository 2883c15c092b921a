"""The bytes of a journal: lines of JSON with checksums, marks between them, and an end that is torn or damaged."""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from referee.plain_json import json_bytes
from referee.storage.dataclass_codec import JsonValue

LINE_HEAD: Final = '{"crc":"'
_BLOCK_BYTES: Final = 1 << 20
_STEP_KEY: Final = '","step":'


def format_line(step: JsonValue) -> bytes:
    """Return a step as a line with its checksum."""
    body = json_bytes(step)
    return f"{LINE_HEAD}{zlib.crc32(body):08x}{_STEP_KEY}".encode() + body + b"}\n"


def parse_line(line: bytes) -> JsonValue:
    """Return the step of a line; None if it is torn, corrupt or no journal line."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return None
    crc, join, body = text.removeprefix(LINE_HEAD).partition(_STEP_KEY)
    body = body.removesuffix("\n").removesuffix("}")
    if not join or not text.endswith("}\n") or crc != f"{zlib.crc32(body.encode()):08x}":
        return None
    try:
        return msgspec.json.decode(body)  # a long match has many readings, which this reads four times as fast
    except (msgspec.DecodeError, ValueError, RecursionError):
        return _decoded(body)


def _decoded(body: str) -> JsonValue:
    """Return a step with half a surrogate in a name, as older programs wrote it; None for what is no JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):  # the checksum fits, so it was made by hand
        return None


@dataclass(frozen=True, slots=True)
class Mark:
    """A place between two lines of a journal: its bytes so far, their checksum, and how many steps with the head."""

    length: int = 0
    checksum: int = 0
    steps: int = 0


BEGINNING: Final = Mark()


def end_of(path: Path) -> Mark:
    """Return the mark at the end of a journal, whose steps are counted by lines in old journals without numbers."""
    last, lines, checksum = b"", 0, 0
    with path.open("rb") as file:
        for lines, last in enumerate(file, start=1):  # noqa: B007 - both are used after the loop
            checksum = zlib.crc32(last, checksum)
        length = file.tell()
    step = parse_line(last)
    steps = int(step.get("n", lines - 1)) + 1 if isinstance(step, dict) else lines
    return Mark(length, checksum, steps)


def checksum_of(path: Path, length: int) -> int:
    """Return the checksum of a file's first bytes; raises OSError."""
    checksum = 0
    with path.open("rb") as file:
        while length > 0 and (block := file.read(min(length, _BLOCK_BYTES))):
            checksum, length = zlib.crc32(block, checksum), length - len(block)
    return checksum


def damaged_tail(path: Path, good_bytes: int) -> bytes:
    """Return what follows a journal's good lines, unless it is only the beginning of the line being written."""
    with path.open("rb") as file:
        file.seek(good_bytes)
        tail = file.read()
    return b"" if _is_torn(tail) else tail


def _is_torn(tail: bytes) -> bool:
    """Return whether this is the beginning of a line as written: not yet a whole object, or one that lacks its end."""
    text = tail.decode(errors="replace")
    if b"\0" in tail or b"\n" in tail or not (text.startswith(LINE_HEAD) or LINE_HEAD.startswith(text)):
        return False
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return True
    return end == len(text) and parse_line(tail + b"\n") is not None
