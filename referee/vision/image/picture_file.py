"""Pictures from files, in their EXIF orientation: loaded whole, or refused."""

import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import ImageError
from referee.vision.image.frame import Image

_HEIF_BRANDS = frozenset({b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"avif"})  # ISO/IEC 23008-12: what phones save
_MAGIC = {b"\xff\xd8\xff": "JPEG", b"\x89PNG": "PNG", b"GIF8": "GIF", b"II*\0": "TIFF", b"MM\0*": "TIFF"}
# A marker of a JPEG; 0xFF before 0x00 or between restarts is picture (ITU-T T.81, B.1.1.2 and B.1.1.5).
_MARKER = re.compile(rb"\xff[^\x00\x01\xd0-\xd7\xff]")
_END = b"\xff\xd9"
_FRAMES = frozenset(bytes((0xFF, code)) for code in range(0xC0, 0xD0)) - {b"\xff\xc4", b"\xff\xc8", b"\xff\xcc"}
_COMPLAINT = re.compile(rb"^(Corrupt JPEG|Premature end|libpng|TIFF|\[ ?(WARN|ERROR):).*\n?|^\n", re.MULTILINE)
_DAMAGE = rb"^(?:Corrupt JPEG data: (\d+) extraneous bytes before marker 0xd9|Corrupt JPEG|Premature end)"
_DAMAGED = re.compile(_DAMAGE, re.MULTILINE)
_STANDARD_ERROR = 2
_MEGAPIXELS = int(os.environ["OPENCV_IO_MAX_IMAGE_PIXELS"]) // 1_000_000
_stderr_lock = threading.Lock()


def load_image(path: Path) -> Image:
    """Return the picture in a file as BGR bytes, its EXIF orientation applied; any depth and number of channels.

    Raises ImageError if the file is missing, empty, damaged, too large or not a picture. OpenCV would fill the missing
    part of a damaged JPEG with grey or with other tiles, which must not be read as the table.
    """
    return decode_image(_content(path), str(path))


def decode_image(content: bytes, path: str) -> Image:
    """Return the picture of a file's content, as `load_image` does; ImageError names the `path`."""
    end = _end_of_jpeg(content)
    if end < 0:
        raise ImageError(f"{path} is a JPEG that ends too soon; copy it again, or take the picture again")
    try:
        image, complaints = _decode(content)
    except cv2.error as error:
        if "pixels" in str(error).lower():
            raise ImageError(f"{path} has too many pixels; shrink it below {_MEGAPIXELS} megapixels") from None
        image, complaints = None, b""
    except MemoryError:
        raise ImageError(f"{path} is too large for this machine's memory; shrink it") from None
    if image is None or not image.size or _is_damaged(complaints, content[:end]):
        raise ImageError(f"{path} {_why_unread(content)}")
    return np.asarray(image, np.uint8)


def _content(path: Path) -> bytes:
    try:
        content = np.fromfile(path, np.uint8).tobytes()
    except FileNotFoundError:
        raise ImageError(f"{path}: there is no such file; check the name") from None
    except IsADirectoryError:
        raise ImageError(f"{path} is a folder; name the pictures in it") from None
    except (OSError, ValueError) as error:
        raise ImageError(
            f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}; check who may read it"
        ) from None
    except MemoryError:
        raise ImageError(f"{path} is too large for this machine's memory; shrink it") from None
    if not content:
        raise ImageError(f"{path} is empty (0 bytes); take the picture again")
    return content


def _end_of_jpeg(content: bytes) -> int:
    """Return the offset of a JPEG's end marker, -1 without one; data appended by phones is ignored.

    For any other format, return the length of the file.
    """
    if not content.startswith(b"\xff\xd8\xff"):
        return len(content)
    return next((at for marker, at in _segments(content) if marker == _END), -1)


def jpeg_size(content: bytes) -> tuple[int, int] | None:
    """Return the width and height that a JPEG states before it is decoded; None for anything else."""
    if not content.startswith(b"\xff\xd8\xff"):
        return None
    frame = next((at for marker, at in _segments(content) if marker in _FRAMES), None)
    if frame is None or frame + 9 > len(content):
        return None
    height, width = (int.from_bytes(content[frame + at : frame + at + 2], "big") for at in (5, 7))
    return width, height


def _segments(content: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield each marker of a JPEG and where it stands (ITU-T T.81, B.1.1.4)."""
    at = 2
    while marker := _MARKER.search(content, at):
        yield marker[0], marker.start()
        at = marker.end() + int.from_bytes(content[marker.end() : marker.end() + 2], "big")


def _is_damaged(complaints: bytes, picture: bytes) -> bool:
    """Return whether the decoder complains about more than the zero padding that some cameras write."""
    surplus = [complaint[1] for complaint in _DAMAGED.finditer(complaints)]
    return any(count is None or bool(picture[-int(count) :].strip(b"\0")) for count in surplus)


def _decode(content: bytes) -> tuple[npt.NDArray[np.generic] | None, bytes]:
    """Return the picture, and what the C decoders write to the descriptor of standard error.

    Lines that other threads write there meanwhile are passed on.
    """
    with _stderr_lock, os.fdopen(os.memfd_create("complaints"), "w+b") as heard:
        kept = os.dup(_STANDARD_ERROR)
        os.dup2(heard.fileno(), _STANDARD_ERROR)
        try:
            image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
        finally:
            os.dup2(kept, _STANDARD_ERROR)
            os.close(kept)
            heard.seek(0)
            messages = heard.read()
            if others := _COMPLAINT.sub(b"", messages):
                os.write(_STANDARD_ERROR, others)
    return image, messages


def _why_unread(content: bytes) -> str:
    if content[4:8] == b"ftyp" and content[8:12] in _HEIF_BRANDS:
        return "is a HEIC picture, which cannot be read; save it as JPEG"
    if content[4:8] == b"ftyp":
        return "is a video; take a picture, or play it to the referee: referee run --camera replay:FILE"
    kind = next((kind for magic, kind in _MAGIC.items() if content.startswith(magic)), None)
    if kind is not None:
        return f"is a {kind} that is damaged or of a rare kind; copy it again, or save it anew as JPEG"
    return "is no picture that can be read, or a damaged one; use JPEG or PNG"
