"""Pictures from files: every kind a camera or a careless hand may give."""

import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.errors import ImageError
from referee.vision.image.picture_file import load_image


def saved(folder: Path, name: str, image: np.ndarray) -> Path:
    path = folder / name
    path.write_bytes(cv2.imencode(path.suffix, image)[1].tobytes())
    return path


@pytest.mark.parametrize(
    ("name", "image"),
    [
        pytest.param("grey.png", np.full((20, 30), 128, np.uint8), id="grayscale"),
        pytest.param("clear.png", np.full((20, 30, 4), 128, np.uint8), id="RGBA"),
        pytest.param("deep.png", np.full((20, 30, 3), 128 * 257, np.uint16), id="16 bit"),
        pytest.param("deep-grey.png", np.full((20, 30), 128 * 257, np.uint16), id="16 bit grayscale"),
        pytest.param("photo.jpg", np.full((20, 30, 3), 128, np.uint8), id="JPEG"),
        pytest.param("photo.bmp", np.full((20, 30, 3), 128, np.uint8), id="BMP"),
    ],
)
def test_every_kind_of_picture_becomes_bgr_bytes(tmp_path: Path, name: str, image: np.ndarray) -> None:
    loaded = load_image(saved(tmp_path, name, image))
    assert (loaded.shape, loaded.dtype) == ((20, 30, 3), np.uint8)
    np.testing.assert_allclose(loaded, 128, atol=1)


def test_a_single_pixel_is_a_picture(tmp_path: Path) -> None:
    assert load_image(saved(tmp_path, "dot.png", np.zeros((1, 1, 3), np.uint8))).shape == (1, 1, 3)


def test_a_picture_in_a_file_named_otherwise_is_read(tmp_path: Path) -> None:
    path = saved(tmp_path, "picture.png", np.zeros((4, 6, 3), np.uint8)).rename(tmp_path / "picture.jpg")
    assert load_image(path).shape == (4, 6, 3)


@pytest.mark.parametrize(
    ("orientation", "shape", "corner"), [(1, (20, 40), (0, 0)), (3, (20, 40), (19, 39)), (6, (40, 20), (0, 19))]
)
def test_a_photograph_is_turned_the_way_it_was_taken(
    tmp_path: Path, orientation: int, shape: tuple[int, int], corner: tuple[int, int]
) -> None:
    image = np.zeros((20, 40, 3), np.uint8)
    image[:8, :8] = 255  # the sensor's top left
    path = saved(tmp_path, "turned.jpg", image)
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    exif = b"Exif\0\0" + tiff
    jpeg = path.read_bytes()
    path.write_bytes(jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:])
    loaded = load_image(path)
    assert loaded.shape[:2] == shape
    assert loaded[corner].min() > 200


def png_header(width: int, height: int) -> bytes:
    """The beginning of a PNG that claims a size, with next to no data."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "empty", id="zero bytes"),
        pytest.param(b"dear diary", "no picture", id="text"),
        pytest.param(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC .* save it as JPEG", id="as some phones save it"),
        pytest.param(b"\0\0\0\x20ftypisom\0\0\2\0", "video; take a picture", id="a film of the table"),
        pytest.param(b"\xff\xd8\xff\xe0\0\x10JFIF", "ends too soon", id="a JPEG cut off at its head"),
        pytest.param(png_header(60_000, 60_000), "too many pixels", id="a small file that claims a huge picture"),
    ],
)
def test_what_is_no_picture_is_refused_in_one_line(
    tmp_path: Path, content: bytes, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.jpg"
    path.write_bytes(content)
    with pytest.raises(ImageError, match=reason) as caught:
        load_image(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="no such file"):
        load_image(tmp_path / "none.jpg")
    with pytest.raises(ImageError, match="is a folder"):
        load_image(tmp_path)


def photograph(quality: int = 90, *, progressive: bool = False) -> bytes:
    """A JPEG with something in every part of it."""
    noise = np.random.default_rng(1).integers(0, 256, (24, 32, 3), np.uint8)
    image = cv2.resize(noise, (320, 240), interpolation=cv2.INTER_CUBIC)
    options = [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_PROGRESSIVE, int(progressive)]
    return cv2.imencode(".jpg", image, options)[1].tobytes()


@pytest.mark.parametrize("progressive", [False, True], ids=["row by row", "progressive"])
@pytest.mark.parametrize("part", [0.5, 0.95, 1.0], ids=["half of it", "nearly all of it", "all but its end"])
def test_a_photograph_that_was_not_copied_whole_is_refused(tmp_path: Path, part: float, *, progressive: bool) -> None:
    """OpenCV 4 shows the missing rows grey and says nothing: nobody would know that tiles lie there."""
    path = tmp_path / "table.jpg"
    whole = photograph(progressive=progressive)
    path.write_bytes(whole[: int(part * len(whole)) - 2])
    with pytest.raises(ImageError, match="ends too soon"):
        load_image(path)


@pytest.mark.parametrize("zeros", [1, 3, 500])
def test_zeros_with_which_a_camera_fills_a_photograph_up_do_not_spoil_it(tmp_path: Path, zeros: int) -> None:
    path = tmp_path / "table.jpg"
    path.write_bytes(photograph()[:-2] + bytes(zeros) + photograph()[-2:])
    assert load_image(path).shape == (240, 320, 3)


def without_middle(jpeg: bytes) -> bytes:
    return jpeg[: len(jpeg) // 2] + jpeg[len(jpeg) // 2 + 400 :]


def overwritten(jpeg: bytes) -> bytes:
    return jpeg[: len(jpeg) // 2] + bytes(400) + jpeg[len(jpeg) // 2 + 400 :]


def ended_early(jpeg: bytes) -> bytes:
    return jpeg[: len(jpeg) // 2] + jpeg[-2:]


@pytest.mark.parametrize("damage", [without_middle, overwritten, ended_early], ids=lambda damage: damage.__name__)
def test_a_photograph_with_a_hole_is_refused(
    tmp_path: Path, damage: Callable[[bytes], bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.jpg"
    path.write_bytes(damage(photograph()))
    with pytest.raises(ImageError, match=r"is a JPEG that is damaged .* copy it again"):
        load_image(path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "appended",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(bytes(3), id="padding"),
        pytest.param(b"....ftypmp42 a film \xff\xda with \xff\xc4 anything", id="a film, as phones do"),
    ],
)
@pytest.mark.parametrize("progressive", [False, True], ids=["row by row", "progressive"])
def test_what_follows_a_whole_photograph_does_not_spoil_it(
    tmp_path: Path, appended: bytes, *, progressive: bool
) -> None:
    path = tmp_path / "table.jpg"
    path.write_bytes(photograph(progressive=progressive) + appended)
    assert load_image(path).shape == (240, 320, 3)


def test_what_others_say_while_a_picture_is_decoded_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.jpg"
    path.write_bytes(without_middle(photograph()))
    decode = cv2.imdecode

    def interrupted(content: np.ndarray, flags: int) -> object:
        os.write(2, b"Ann plays R7\n")
        return decode(content, flags)

    monkeypatch.setattr(cv2, "imdecode", interrupted)
    with pytest.raises(ImageError):
        load_image(path)
    assert capfd.readouterr().err == "Ann plays R7\n"


def test_a_huge_picture_is_refused_before_it_takes_memory(tmp_path: Path) -> None:
    """A file of 1 MB that is 20,000 x 20,000 pixels: as a command reads it, in the order in which it loads things."""
    side = 20_000
    row = bytes(1 + 3 * side)
    packed = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    block = packed.compress(row * 10) + packed.flush(zlib.Z_FULL_FLUSH)  # stands alone, so that it may be repeated
    checksum = len(row) * side % 65521 << 16 | 1  # Adler-32 of so many zeros
    rows = b"\x78\xda" + block * (side // 10) + packed.flush() + checksum.to_bytes(4)
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    chunks = [struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d)) for t, d in parts]
    path = tmp_path / "huge.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    script = (
        "import re; from pathlib import Path; from referee.cli.main import main\n"
        f"code = main(['read', {str(path)!r}])\n"
        "peak = re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())\n"
        "print(code, int(peak[1]) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert "too many pixels; shrink it below 100 megapixels" in done.stderr
    code, megabytes = map(int, done.stdout.split())
    assert (code, megabytes < 400) == (2, True), megabytes
