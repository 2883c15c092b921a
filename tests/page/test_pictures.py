"""Pictures for the page: made once each, never more than fit the memory set aside, and nobody's rack in any of them."""

import json
import os
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.history.evidence_pictures import EvidencePictures, TurnPictures
from referee.page.pictures import MAX_CACHE_BYTES, Pictures, VisibleArea, jpeg
from referee.vision.image.frame import Frame, Image


def noise(number: int) -> Frame:
    """A frame that no JPEG makes small."""
    pixels = np.random.default_rng(number).integers(0, 256, (720, 1280, 3), np.uint8)
    return Frame(f"frame-{number}", float(number), pixels)


def test_a_picture_is_made_once() -> None:
    frame = noise(0)
    pictures = Pictures(lambda: frame, lambda: frame)
    assert pictures.settled("frame-0") is pictures.settled("frame-0")
    assert pictures.settled("frame-1") is None


def test_old_pictures_make_room_for_new_ones() -> None:
    shown = [noise(0)]
    pictures = Pictures(lambda: shown[0], lambda: shown[0])
    one = pictures.settled("frame-0")
    assert one is not None
    most = MAX_CACHE_BYTES // len(one)
    assert 2 < most < 100
    for number in range(1, most + 3):
        shown[0] = noise(number)
        assert pictures.settled(f"frame-{number}") is not None
        assert pictures.settled("frame-1") is not None, "what is asked for again stays"
    assert pictures.settled("frame-0") is None
    assert sum(map(len, pictures._kept.values())) == pictures._bytes_kept <= MAX_CACHE_BYTES


def shown(content: bytes | None) -> Image:
    assert content is not None
    return np.asarray(cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR), np.uint8)


@pytest.mark.parametrize("measured", [(1280, 720), (640, 360), None], ids=["as large", "half as large", "as settled"])
def test_what_lies_beside_the_table_is_black_in_every_picture(measured: tuple[int, int] | None) -> None:
    """The newest frame (small, too), a settled one and one kept as evidence; the outline is of any size of picture."""
    white = np.full((720, 1280, 3), 255, np.uint8)
    factor = 0.5 if measured == (640, 360) else 1.0
    corners = ((320, 180), (960, 180), (960, 540), (320, 540))
    area = VisibleArea([(factor * x, factor * y) for x, y in corners], measured)
    frame = Frame("one", 0.0, white)
    small = Frame("two", 1.0, white, np.ascontiguousarray(white[::2, ::2]))
    pictures = Pictures(lambda: small, lambda: frame, lambda: area)
    made = [pictures.live(), pictures.settled("one"), pictures.evidence("000001.jpg", lambda _: jpeg(white))]
    for number, image in enumerate(map(shown, made)):
        across, down = image.shape[1] / 1280, image.shape[0] / 720
        table = image[round(190 * down) : round(530 * down), round(330 * across) : round(950 * across)]
        assert table.min() > 240, f"picture {number} hides the table"
        beside = image.copy()
        beside[round(150 * down) : round(570 * down), round(290 * across) : round(990 * across)] = 0  # JPEG smears
        assert beside.max() < 15, f"picture {number} shows what lies beside the table"


@pytest.mark.parametrize("name", ["../pin", "000001.json", "000001.jpg/", "/etc/passwd", "1.jpg", "٠٠٠٠٠١.jpg", ""])
def test_nothing_but_the_picture_of_a_turn_is_given_from_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "evidence"
    folder.mkdir()
    for path in (tmp_path / "pin", *(folder / kept for kept in ("000001.json", "1.jpg", "٠٠٠٠٠١.jpg"))):
        path.write_bytes(b"not for everybody")
    (folder / "000001.jpg").write_bytes(b"a picture")
    assert EvidencePictures(folder).picture("000001.jpg") == b"a picture"
    assert EvidencePictures(folder).picture(name) is None


def test_a_picture_left_empty_by_a_power_cut_is_none() -> None:
    pictures = Pictures(lambda: None, lambda: None)
    assert pictures.evidence("000001.jpg", lambda _: b"") is None
    assert pictures.evidence("000001.jpg", lambda _: b"no picture") is None


def keep_turn(folder: Path, number: int, turn: int, frame_id: str) -> None:
    said = {
        "game": 1,
        "turn": turn,
        "seat": 0,
        "frame_id": frame_id,
        "at": 9.5,
        "stands": True,
        "table": "",
        "pictures": {"before": None, "after": f"{number:06}.jpg"},
    }
    (folder / f"{number:06}.json").write_text(json.dumps(said))
    (folder / f"{number:06}.jpg").write_bytes(b"a picture")


def test_the_pictures_of_a_turn_are_found_as_soon_as_they_are_whole_and_the_newest_counts(tmp_path: Path) -> None:
    album = EvidencePictures(tmp_path)
    assert album.find(1, 3, "f7", 9.5) == TurnPictures(None, None)
    (tmp_path / "000001.json").write_text('{"game": 1, "tu')  # still being written
    assert album.find(1, 3, "f7", 9.5) == TurnPictures(None, None)
    keep_turn(tmp_path, 1, 3, "f7")
    assert album.find(1, 3, "f7", 9.5) == TurnPictures(None, "000001.jpg")
    keep_turn(tmp_path, 2, 3, "f7")
    assert album.find(1, 3, "f7", 9.5) == TurnPictures(None, "000002.jpg")
    (tmp_path / "000002.json").unlink()
    assert album.find(1, 3, "f7", 9.5) == TurnPictures(None, "000001.jpg")


def test_a_folder_in_which_nothing_has_changed_is_not_read_for_every_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        keep_turn(tmp_path, number, number, "f1")
    os.utime(tmp_path, (1e9, 1e9))
    album = EvidencePictures(tmp_path)
    looks = []
    listed = Path.glob
    monkeypatch.setattr(Path, "glob", lambda path, pattern: looks.append(path) or listed(path, pattern))
    assert [album.find(1, turn, "f1", 9.5).after for turn in range(30)] == [f"{number:06}.jpg" for number in range(30)]
    assert len(looks) == 1


def test_guests_see_no_picture_until_the_table_is_known(private_page: Any) -> None:
    page = private_page
    page.start()
    page.play("R10 R11 R12")
    state = page.wait_for(lambda state: state["table"]["picture"])
    assert state["table"]["private"] is True
    before = page.browser().get("/api/turns").json["turns"][0]["pictures"]["after"]
    for path in (state["table"]["picture"], state["table"]["live"], before):
        refused = page.browser().get(path)
        assert (refused.status, refused.json["error_id"]) == (403, "organiser"), path
        assert page.organiser().get(path).headers["content-type"] == "image/jpeg", path
    assert page.browser().get(state["table"]["tiles"][0]["crop"]).status == 200, "a tile that is read is no secret"
