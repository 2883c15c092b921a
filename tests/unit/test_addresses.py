"""Of an address only scheme, host and path are shown, for cameras take their password in any other part."""

import pytest

from referee.addresses import showable


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("url:http://ann:secret@phone:8080/video", "url:http://phone:8080/video"),
        ("http://10.0.0.7/cgi/mjpg?user=ann&pwd=secret", "http://10.0.0.7/cgi/mjpg"),
        ("rtsp://cam/stream#secret", "rtsp://cam/stream"),
        ("rtsp://ann:p@secret@cam:554/s?pwd=secret#secret", "rtsp://cam:554/s"),
        ("rtsp://ann:sec/secret@cam/s", "rtsp://cam/s"),
        ("rtsp://ann:sec?secret@cam/s", "rtsp://…"),
        ("http://cam:8080?pwd=x@secret", "http://…"),
        ("http://cam:8080/v?mail=a@secret", "http://cam:8080/v"),
        ("camera rtsp://a:secret@cam/s?secret does not answer", "camera rtsp://cam/s does not answer"),
        ('{"camera": "http://cam/v?pwd=secret", "size": [1, 2]}', '{"camera": "http://cam/v", "size": [1, 2]}'),
        ("usb:0", "usb:0"),
        ("/dev/v4l/by-id/a@b?c", "/dev/v4l/by-id/a@b?c"),
        ("http://[fe80::1]:8080/video", "http://[fe80::1]:8080/video"),
    ],
)
def test_only_scheme_host_and_path_are_shown(said: str, shown: str) -> None:
    assert showable(said) == shown
    assert showable(shown) == shown
