"""Photographs that a phone sends are read with the real models, judged and counted; others are refused in words."""

import signal
import subprocess
import sys
from collections import Counter
from typing import Any

import cv2
import numpy as np
import pytest

from referee.game.inputs import MatchEnded
from referee.page.photo_routes import MAX_PIXELS
from referee.rules.notation import parse_table
from referee.server.request_checks import MAX_PHOTO_BYTES
from tests.conftest import PATIENCE_SECONDS
from tests.page.conftest import Browser
from tests.vision.conftest import _paint_sets

TABLE = "R5 R6 R7 / K9 B9 O9 / B1 B2"


def jpeg(image: Any) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1])


@pytest.fixture(scope="module")
def photograph() -> bytes:
    """A photograph of a table with two sets and two tiles that are none."""
    return jpeg(_paint_sets(TABLE, (1280, 960)).image)


def send(page: Any, content: bytes, kind: str = "image/jpeg", edition: str = "original") -> Any:
    return page.browser().send(f"/api/photo?edition={edition}", content, kind)


def test_a_photograph_is_read_judged_and_counted(page: Any, photograph: bytes) -> None:
    read = send(page, photograph).json
    assert read["size"] == [1280, 960]
    assert Counter(tile["tile"] for tile in read["tiles"]) == Counter(TABLE.replace("/", "").split())
    sets = [[read["tiles"][index]["tile"] for index in row] for row in read["sets"]]
    judged = page.browser().post("/api/photo/judge", {"edition": "original", "sets": sets}).json
    told = {" ".join(names): one for names, one in zip(sets, judged["sets"], strict=True)}
    assert {text: one["legal"] for text, one in told.items()} == {"R5 R6 R7": True, "K9 B9 O9": True, "B1 B2": False}
    assert (told["R5 R6 R7"]["kind"], told["R5 R6 R7"]["worth"], told["R5 R6 R7"]["why"]) == ("run", 18, None)
    assert told["B1 B2"]["why"]["message_id"].startswith("set.")
    assert judged["points"] == 5 + 6 + 7 + 3 * 9 + 1 + 2


def test_a_joker_on_a_rack_counts_what_the_edition_says(page: Any) -> None:
    for edition, points in (("original", 30 + 5), ("pressman", 30 + 5)):
        judged = page.browser().post("/api/photo/judge", {"edition": edition, "sets": [["J", "R5"]]}).json
        assert judged["points"] == points


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        pytest.param(b"a text, no picture", 415, "photo.jpeg", id="a text"),
        pytest.param(bytes(cv2.imencode(".png", np.zeros((9, 9, 3), np.uint8))[1]), 415, "photo.jpeg", id="a PNG"),
        pytest.param(jpeg(np.zeros((90, 90, 3), np.uint8))[:-300], 400, "photo.damaged", id="half a JPEG"),
        pytest.param(jpeg(np.zeros((1, 1, 3), np.uint8))[:20], 415, "photo.jpeg", id="a JPEG's first bytes"),
        pytest.param(
            jpeg(np.zeros((4100, MAX_PIXELS // 4000, 3), np.uint8)), 413, "photo.pixels", id="few bytes, many pixels"
        ),
    ],
)
def test_what_is_no_photograph_is_refused_in_words(page: Any, content: bytes, status: int, message: str) -> None:
    answer = send(page, content)
    assert (answer.status, answer.json["message_id"]) == (status, message)


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(page: Any) -> None:
    length = {"Content-Length": str(MAX_PHOTO_BYTES + 1)}
    refused = page.browser().send("/api/photo?edition=original", b"\xff\xd8\xff", "image/jpeg", **length)
    assert (refused.status, refused.json["message_id"]) == (413, "refused.large")


def test_another_kind_of_body_or_edition_is_refused(page: Any, photograph: bytes) -> None:
    assert send(page, photograph, kind="image/heic").json["message_id"] == "photo.jpeg"
    assert send(page, photograph, edition="nonsense").status == 400
    refused = page.browser().post("/api/photo/judge", {"edition": "original", "sets": [["X9"]]})
    assert refused.status == 400
    assert "X9" in refused.json["error"]


def test_nobody_is_told_what_to_play_while_a_match_is_played(page: Any) -> None:
    ask = {"edition": "original", "sets": [["R5", "R6", "R7"]], "rack": ["R8", "K1"]}
    found = page.browser().post("/api/photo/play", ask).json
    assert found["tiles"] == ["R8"]
    assert parse_table(" / ".join(map(" ".join, found["sets"]))) == parse_table("R5 R6 R7 R8")
    page.start()
    refused = page.browser().post("/api/photo/play", ask)
    assert (refused.status, refused.json["message_id"]) == (409, "photo.match_on")
    page.enter(MatchEnded(page.now(), "organiser"))
    assert page.browser().post("/api/photo/play", ask).status == 200


def test_a_laptop_and_phones_are_enough(photograph: bytes, free_port: int) -> None:
    command = [sys.executable, "-m", "referee", "photos", "--web", f"127.0.0.1:{free_port}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as serving:
        assert serving.stderr is not None
        assert f"the page is at http://127.0.0.1:{free_port}/" in serving.stderr.readline()
        phone = Browser(free_port)
        session = phone.get("/api/session").json
        assert (session["has_table"], session["organiser"], session["pin_set"]) == (False, False, False)
        read = phone.send("/api/photo?edition=original", photograph, "image/jpeg").json
        assert len(read["tiles"]) == 8
        assert phone.post("/api/photo/play", {"edition": "original", "sets": [], "rack": ["R5"]}).json["tiles"] == []
        serving.send_signal(signal.SIGINT)
        assert serving.wait(PATIENCE_SECONDS) == 0
        assert "Traceback" not in serving.stderr.read()
