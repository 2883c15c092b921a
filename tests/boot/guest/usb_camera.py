"""A USB camera that can be plugged in and pulled: a UVC device on the kernel's dummy host controller.

It is made of raw-gadget, for the kernel's own UVC gadget streams over isochronous endpoints, which dummy_hcd does not
have; a bulk endpoint is as good for uvcvideo. It shows what the players leave in /run/players/frame.jpg. Ending this
program pulls the plug.
"""

import fcntl
import os
import struct
import threading
import time
from pathlib import Path

FRAME = Path("/run/players/frame.jpg")
WIDTH, HEIGHT, FPS = 1024, 768, 2.0
INTERVAL = 5_000_000  # of a frame, in 100 ns
PAYLOAD = 1016  # with its head 1,024 bytes: while `ioctl` handles more, no other thread of Python runs
PACKET = 512
MAX_BYTES = WIDTH * HEIGHT * 2
INPUT = 0x81


def _code(direction: int, number: int, size: int) -> int:
    return direction << 30 | size << 16 | ord("U") << 8 | number


INIT, RUN, FETCH = _code(1, 0, 257), _code(0, 1, 0), _code(2, 2, 8)
EP0_WRITE, EP0_READ = _code(1, 3, 8), _code(3, 4, 8)
ENABLE, WRITE, CONFIGURE, STALL = _code(1, 5, 9), _code(1, 7, 8), _code(0, 9, 0), _code(0, 12, 0)
CONTROL, HIGH_SPEED = 2, 3

DEVICE = struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x0200, 0xEF, 2, 1, 64, 0x1D6B, 0x0102, 0x0010, 1, 2, 3, 1)
ENDPOINT = struct.pack("<BBBBHB", 7, 5, INPUT, 2, PACKET, 0)
TEXTS = ("", "Boot trial", "USB table camera", "1")


def _configuration() -> bytes:
    header = struct.pack("<BBBHHIBB", 13, 0x24, 1, 0x0100, 13 + 17 + 9, 48_000_000, 1, 1)
    camera = struct.pack("<BBBBHBBHHHB", 17, 0x24, 2, 1, 0x0201, 0, 0, 0, 0, 0, 2) + bytes(2)
    output = struct.pack("<BBBBHBBB", 9, 0x24, 3, 2, 0x0101, 0, 1, 0)
    control = struct.pack("<9B", 9, 4, 0, 0, 0, 0x0E, 1, 0, 2) + header + camera + output
    format_ = struct.pack("<11B", 11, 0x24, 6, 1, 1, 1, 1, 0, 0, 0, 0)
    rate = int(MAX_BYTES * 8 * FPS)
    frame = struct.pack(
        "<BBBBBHHIIIIBI", 30, 0x24, 7, 1, 0, WIDTH, HEIGHT, rate, rate, MAX_BYTES, INTERVAL, 1, INTERVAL
    )
    colour = struct.pack("<6B", 6, 0x24, 0x0D, 1, 1, 4)
    size = 14 + len(format_) + len(frame) + len(colour)
    input_ = struct.pack("<BBBBHBBBBBBBB", 14, 0x24, 1, 1, size, INPUT, 0, 2, 0, 0, 0, 1, 0)
    stream = struct.pack("<9B", 9, 4, 1, 0, 1, 0x0E, 2, 0, 0) + input_ + format_ + frame + colour + ENDPOINT
    together = struct.pack("<8B", 8, 0x0B, 0, 2, 0x0E, 3, 0, 2)
    all_of_it = together + control + stream
    return struct.pack("<BBHBBBBB", 9, 2, 9 + len(all_of_it), 2, 1, 0, 0xC0, 50) + all_of_it


CONFIGURATION = _configuration()
PROBE = struct.pack("<HBBIHHHHHII", 1, 1, 1, INTERVAL, 0, 0, 0, 0, 0, MAX_BYTES, PAYLOAD)


def _text(number: int) -> bytes:
    if not number:
        return struct.pack("<BBH", 4, 3, 0x0409)
    said = TEXTS[number].encode("utf-16-le")
    return struct.pack("<BB", 2 + len(said), 3) + said


class Device:
    """The plugged-in camera."""

    def __init__(self) -> None:
        self._file = os.open("/dev/raw-gadget", os.O_RDWR)
        named = b"dummy_udc".ljust(128, b"\0") + b"dummy_udc.0".ljust(128, b"\0")
        fcntl.ioctl(self._file, INIT, named + bytes([HIGH_SPEED]))
        fcntl.ioctl(self._file, RUN, 0)
        self._commit = PROBE

    def serve(self) -> None:
        """Answer the host until the program is ended."""
        while True:
            event = bytearray(struct.pack("<II", 0, 8) + bytes(8))
            fcntl.ioctl(self._file, FETCH, event)
            if struct.unpack_from("<I", event)[0] == CONTROL:
                self._answer(*struct.unpack_from("<BBHHH", event, 8))

    def _answer(self, kind: int, request: int, value: int, _index: int, length: int) -> None:
        given: bytes | None = None
        match kind & 0x60, request:
            case 0x00, 6:  # a descriptor
                given = {1: DEVICE, 2: CONFIGURATION, 3: b"", 6: None}.get(value >> 8)
                given = _text(value & 255) if value >> 8 == 3 else given
            case 0x00, 9:  # the configuration
                endpoint = fcntl.ioctl(self._file, ENABLE, bytearray(ENDPOINT + bytes(2)), True)  # not bytes
                fcntl.ioctl(self._file, CONFIGURE, 0)
                threading.Thread(target=self._stream, args=(endpoint,), daemon=True).start()
                self._take(length)
                return
            case 0x00, 11:  # the only alternate setting
                self._take(length)
                return
            case 0x20, 0x01:  # SET_CUR
                taken = self._take(length)
                if value >> 8 == 1:
                    self._commit = PROBE[:2] + taken[2:4] + PROBE[4:]
                return
            case 0x20, 0x81 | 0x82 | 0x83 | 0x87:
                given = self._commit
            case 0x20, 0x85:
                given = struct.pack("<H", len(PROBE))
            case 0x20, 0x86:
                given = b"\x03"
            case _:
                given = None
        if given is None:
            fcntl.ioctl(self._file, STALL, 0)
        else:
            self._write(EP0_WRITE, 0, given[:length])

    def _take(self, length: int) -> bytes:
        buffer = bytearray(struct.pack("<HHI", 0, 0, length) + bytes(length))
        got = fcntl.ioctl(self._file, EP0_READ, buffer)
        return bytes(buffer[8 : 8 + got])

    def _write(self, code: int, endpoint: int, data: bytes) -> None:
        fcntl.ioctl(self._file, code, struct.pack("<HHI", endpoint, 0, len(data)) + data)

    def _stream(self, endpoint: int) -> None:
        toggle = 0
        while True:
            began = time.monotonic()
            try:
                picture = FRAME.read_bytes()
                parts = [picture[at : at + PAYLOAD - 2] for at in range(0, len(picture), PAYLOAD - 2)]
                for number, part in enumerate(parts, start=1):
                    last = number == len(parts)
                    header = bytes([2, 0x80 | toggle | (2 if last else 0)])
                    self._write(WRITE, endpoint, header + part)
                    if last and (len(part) + 2) % PACKET == 0 and len(part) + 2 < PAYLOAD:
                        self._write(WRITE, endpoint, b"")
                toggle ^= 1
            except OSError:
                time.sleep(0.1)
            time.sleep(max(0.0, 1 / FPS - (time.monotonic() - began)))


Device().serve()
