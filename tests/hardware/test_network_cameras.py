"""Phones and network cameras: real streams of ffmpeg and live555, servers that stall, and addresses that are none."""

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.addresses import showable
from referee.errors import CameraError, ConfigError
from referee.hardware.driver import AgedPicture
from referee.hardware.live import LiveCamera
from referee.hardware.network import NetworkDriver, stream_address
from referee.hardware.system import SystemClock
from referee.rules.notation import parse_tiles
from referee.settings.hardware import CameraSettings
from referee.sim.demo import demo_setting
from referee.sim.render import Painter
from referee.sim.view import LaidTile
from referee.vision.image.frame import Frame, Image
from tests.conftest import PATIENCE_SECONDS

needs_ffmpeg = pytest.mark.skipif(
    shutil.which("ffmpeg") is None, reason="ffmpeg is not installed: sudo apt install ffmpeg"
)
SYSTEM_PYTHON = "/usr/bin/python3"
RTSP_SERVER = """
import sys, gi
gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer
Gst.init(None)
server, table = GstRtspServer.RTSPServer(), GstRtspServer.RTSPMediaFactory()
server.set_service(sys.argv[1])
pictures = "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=10/1"
table.set_launch(f"( {pictures} ! jpegenc ! rtpjpegpay name=pay0 )")
server.get_mount_points().add_factory("/table", table)
server.attach(None)
GLib.MainLoop().run()
"""


def rtsp_server_is_there() -> bool:
    words = "import gi; gi.require_version('GstRtspServer', '1.0')"
    python = Path(SYSTEM_PYTHON)
    return python.exists() and subprocess.run([python, "-c", words], capture_output=True, check=False).returncode == 0


needs_rtsp = pytest.mark.skipif(
    not rtsp_server_is_there(),
    reason="no RTSP server: sudo apt install gir1.2-gst-rtsp-server-1.0 python3-gi gstreamer1.0-plugins-good",
)
SIZE = (640, 480)


def settings(**more: Any) -> CameraSettings:
    size = {"width": 2304, "height": 1296}  # asked for in vain: the app says how large its pictures are
    said = {"source": "auto", "looks_per_second": 10.0, "mains_hertz": 50, "limit_seconds": 1.5, "retry_seconds": 0.2}
    return CameraSettings(**size | said | more)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def mjpeg(port: int, size: tuple[int, int] = SIZE) -> Iterator[None]:
    """A phone's app: MJPEG over HTTP, for one viewer at a time, as ffmpeg serves it."""
    pictures = f"testsrc2=size={size[0]}x{size[1]}:rate=10"
    words = ["ffmpeg", "-loglevel", "error", "-re", "-f", "lavfi", "-i", pictures, "-q:v", "5"]
    words += ["-f", "mpjpeg", "-listen", "1", f"http://127.0.0.1:{port}/video"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        try:
            yield
        finally:
            running.kill()


def capture(camera: LiveCamera) -> Frame:
    """The next frame, faults on the way not counted."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return camera.capture()
        except CameraError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def until_it_answers(port: int) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)


def until_it_fails(take: Callable[[], object]) -> None:
    """Take pictures that still lie in buffers."""
    for _ in range(100):
        take()


@contextmanager
def camera_at(address: str) -> Iterator[LiveCamera]:
    camera = LiveCamera(showable(address), lambda: NetworkDriver(address, settings()), settings(), SystemClock())
    try:
        yield camera
    finally:
        camera.close()


@needs_ffmpeg
def test_frames_of_a_phones_app_come_in_their_size_and_go_on() -> None:
    port = free_port()
    with mjpeg(port), camera_at(f"url:http://127.0.0.1:{port}/video") as camera:
        first, second = capture(camera), capture(camera)
    assert first.image.shape == second.image.shape == (SIZE[1], SIZE[0], 3)
    assert second.at > first.at
    assert np.abs(first.image.astype(int) - second.image).max() > 0  # the stream moves


@needs_ffmpeg
def test_an_upright_phone_gives_an_upright_picture() -> None:
    port = free_port()
    with mjpeg(port, (480, 640)), camera_at(f"http://127.0.0.1:{port}/video") as camera:
        assert capture(camera).image.shape == (640, 480, 3)


@needs_ffmpeg
def test_an_app_that_is_closed_is_told_and_found_again() -> None:
    port = free_port()
    with camera_at(f"url:http://127.0.0.1:{port}/video") as camera:
        with mjpeg(port):
            before = capture(camera)
        with pytest.raises(CameraError, match=r"127\.0\.0\.1"):
            until_it_fails(camera.capture)
        with mjpeg(port, (320, 240)), pytest.raises(CameraError, match="has another format"):  # set smaller meanwhile
            frames_until(camera, lambda _: False)
        with mjpeg(port):
            after = capture(camera)
    assert after.image.shape == before.image.shape
    assert after.frame_id != before.frame_id


def table_pictures(count: int) -> list[Image]:
    """Pictures of a still table in which tiles lie, each with its own noise."""
    setting = demo_setting()
    setting = replace(setting, view=replace(setting.view, size=SIZE))
    tiles = [
        LaidTile(tile=tile, copy=0, x=300.0 + 28 * place, y=200.0 + 90 * row, angle=0.0)
        for row, text in enumerate(("R1 R2 R3 R4", "K7 B7 O7", "B9 B10 B11"))
        for place, tile in enumerate(parse_tiles(text))
    ]
    painter = Painter(setting)
    return [painter.paint(tiles, noise_index=number) for number in range(count)]


@contextmanager
def stream_of(pictures: Sequence[Image]) -> Iterator[str]:
    """The address of an app that sends these pictures one after the other, ten a second."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n"
    stopped = threading.Event()

    def serve(server: socket.socket) -> None:
        one, _ = server.accept()
        with one, suppress(OSError):
            one.recv(4096)
            one.sendall(head)
            for picture in pictures:
                jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
                one.sendall(
                    b"--b\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg) + jpeg + b"\r\n"
                )
                stopped.wait(0.1)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/video"
        stopped.set()


def frames_until(camera: LiveCamera, done: Callable[[list[Frame]], bool]) -> list[Frame]:
    """The frames up to the one that ends it; silence on the way is not counted."""
    frames: list[Frame] = []
    until = time.monotonic() + PATIENCE_SECONDS
    while not done(frames):
        assert time.monotonic() < until, f"{len(frames)} frames"
        try:
            frames.append(camera.capture())
        except CameraError as error:
            if "another format" in str(error):
                raise
    return frames


def is_like(frame: Frame, picture: Image) -> bool:
    return frame.image.shape == picture.shape and float(np.abs(frame.image.astype(int) - picture).mean()) < 8


TURNS: dict[str, Callable[[Image], Image]] = {
    "turned with its app": lambda picture: np.asarray(cv2.resize(picture, SIZE[::-1]), np.uint8),
    "turned by a quarter": lambda picture: np.asarray(cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE), np.uint8),
    "mirrored": lambda picture: picture[:, ::-1],
    "upside down": lambda picture: picture[::-1, ::-1],
    "squeezed": lambda picture: np.asarray(cv2.resize(picture[60:-60], SIZE), np.uint8),
    "set smaller": lambda picture: np.asarray(cv2.resize(picture, (320, 240)), np.uint8),
}


@pytest.mark.parametrize("how", TURNS)
def test_a_phone_turned_while_its_stream_runs_is_told_and_used_again_once_it_is_turned_back(how: str) -> None:
    pictures = table_pictures(60)
    sent = [*pictures[:15], *map(TURNS[how], pictures[15:35]), *pictures[35:]]
    with stream_of(sent) as address, camera_at(address) as camera:
        first = capture(camera)
        with pytest.raises(CameraError, match="was turned or mirrored, or has another format"):
            frames_until(camera, lambda frames: bool(frames) and not is_like(frames[-1], pictures[0]))
        back = capture(camera)
    assert is_like(first, pictures[0])
    assert is_like(back, pictures[0])


def test_a_camera_settled_anew_may_have_another_shape() -> None:
    pictures = table_pictures(60)
    with stream_of([*pictures[:10], *map(TURNS["mirrored"], pictures[10:])]) as address, camera_at(address) as camera:
        capture(camera)
        with pytest.raises(CameraError, match="was turned or mirrored"):
            frames_until(camera, lambda _: False)
        camera.settle()
        assert is_like(capture(camera), pictures[0][:, ::-1])


def test_a_repeated_picture_is_no_look() -> None:
    pictures = table_pictures(30)
    sent = [*pictures[:10], *[pictures[10]] * 8, *pictures[11:]]
    with stream_of(sent) as address, camera_at(address) as camera:
        frames = frames_until(camera, lambda frames: len(frames) == 15)
    images = [frame.image.tobytes() for frame in frames]
    assert len(set(images)) == len(images)
    assert max(later.at - sooner.at for sooner, later in pairwise(frames)) > 0.7, "the repeats were sent"


def test_nobody_at_the_address_is_told_with_the_way_out_and_by_nobody_else(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CameraError, match=r"does not answer; start its app"):
        NetworkDriver(f"url:http://127.0.0.1:{free_port()}/video", settings())
    assert capfd.readouterr() == ("", "")  # a camera is tried every two seconds, for as long as it is off


@pytest.mark.parametrize("path", ["", "/"])
def test_the_address_that_an_app_shows_lacks_the_path_of_its_video(path: str) -> None:
    """It is that of the app's page, which answers; people copy it as it stands."""
    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"url:http://127.0.0.1:{server.server_port}{path}"
        with pytest.raises(CameraError, match=r"gives no video there; add the video's path .* with IP Webcam /video"):
            NetworkDriver(address, settings())
        server.shutdown()


def test_a_server_that_says_nothing_does_not_hold_the_driver() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(CameraError, match="does not answer"):
            NetworkDriver(f"url:http://127.0.0.1:{port}/video", settings())


def test_a_stream_that_stalls_is_given_up() -> None:
    jpeg = cv2.imencode(".jpg", np.random.default_rng(1).integers(0, 255, (120, 160, 3), np.uint8))[1].tobytes()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n"
    part = b"--b\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg) + jpeg + b"\r\n"

    def serve(server: socket.socket) -> None:
        one, _ = server.accept()
        with one:
            one.recv(4096)
            one.sendall(head + 5 * part)
            stalled.wait(60)

    stalled = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        driver = NetworkDriver(f"url:http://127.0.0.1:{server.getsockname()[1]}/video", settings())
        assert driver.read().shape == (120, 160, 3)
        with pytest.raises(CameraError, match="gives no picture"):
            until_it_fails(driver.read)
        stalled.set()
        driver.close()


@needs_rtsp
def test_an_rtsp_camera_is_read_and_dates_what_waited_on_the_way() -> None:
    port = free_port()
    with subprocess.Popen([SYSTEM_PYTHON, "-c", RTSP_SERVER, str(port)], stderr=subprocess.DEVNULL) as server:
        try:
            until_it_answers(port)
            driver = NetworkDriver(f"rtsp://127.0.0.1:{port}/table", settings(limit_seconds=10.0))
            read = [driver.read() for _ in range(5)]
            assert all(isinstance(one, AgedPicture) for one in read)
            assert {one.picture.shape for one in read} == {(240, 320, 3)}  # type: ignore[union-attr]
            time.sleep(1.5)  # pictures wait meanwhile, and come in a burst
            assert 0.7 < max(driver.read().age for _ in range(5)) < 5.0  # type: ignore[union-attr]
            driver.close()
        finally:
            server.kill()


@pytest.mark.parametrize(
    ("camera", "address"),
    [
        ("url:http://phone:8080/video", "http://phone:8080/video"),
        ("http://phone/video", "http://phone/video"),
        ("rtsp://a:b@cam:554/s", "rtsp://a:b@cam:554/s"),
        ("url:rtsp://cam/s", "rtsp://cam/s"),
    ],
)
def test_addresses_are_taken_with_and_without_url(camera: str, address: str) -> None:
    assert stream_address(camera) == address


@pytest.mark.parametrize(
    "camera", ["url:phone:8080", "url:", "url:ftp://x/y", "http://", "rtsp://cam:99999/s", "http://[::1/v"]
)
def test_what_is_no_address_is_refused_with_an_example(camera: str) -> None:
    with pytest.raises(ConfigError, match="write url:http://PHONE:8080/video"):
        stream_address(camera)


def test_user_and_password_are_kept_out_of_names() -> None:
    assert showable("url:http://ann:secret@phone:8080/video") == "url:http://phone:8080/video"
    with pytest.raises(CameraError) as told:
        NetworkDriver(f"url:http://ann:secret@127.0.0.1:{free_port()}/video", settings())
    assert "secret" not in str(told.value)
