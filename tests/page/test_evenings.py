"""Looking back: the story of the match to anyone, earlier evenings and statistics to the organiser alone."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from referee.game.inputs import ClockSet
from referee.history.statistics import Statistics
from referee.reading.inputs import TableMoving

DEMO = Path(__file__).parents[1] / "matches" / "demo.jsonl"


def keep_demo(folder: Path) -> None:
    shutil.copy(DEMO, folder / "match-00001.jsonl")
    assert Statistics(folder).rebuild() == 1


def test_the_story_tells_each_turn_with_its_pictures(page: Any) -> None:
    viewer = page.browser()
    assert viewer.get("/api/story").json["error_id"] == "now"
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    page.play("R10 R11 R12 / K1 K2 K4")
    page.play("R10 R11 R12 / B10 K10 O10")
    story = viewer.get("/api/story").json
    assert [(turn["seat"], turn["played"], turn["opening"]) for turn in story["turns"]] == [
        (0, ["R10", "R11", "R12"], 33),
        (1, ["B10", "K10", "O10"], 30),
    ]
    assert story["players"][0]["longest_run"] == ["R10", "R11", "R12"]
    pictures = story["turns"][1]["pictures"]
    assert pictures["before"] == story["turns"][0]["pictures"]["after"] is not None
    assert viewer.get(pictures["after"]).content[:2] == b"\xff\xd8"


def test_pictures_of_another_evening_on_a_frame_of_the_same_name_are_not_shown(page: Any, tmp_path: Path) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    keep_demo(tmp_path)
    frame_id = page.judged[0].frame_id
    text = (tmp_path / "evidence" / "000001.json").read_text("utf-8")
    (tmp_path / "evidence" / "000002.json").write_text(text.replace(frame_id, "sim-00025"))
    story = page.organiser().get("/api/evenings/match-00001.jsonl/1").json
    assert story["turns"][0]["frame_id"] == "sim-00025"
    assert story["turns"][0]["pictures"] == {"before": None, "after": None}


def test_evenings_are_the_organisers(page: Any, tmp_path: Path) -> None:
    keep_demo(tmp_path)
    guest, organiser = page.browser(), page.organiser()
    for path in ("/api/evenings", "/api/evenings/match-00001.jsonl/1", "/api/export/statistics.csv"):
        assert guest.get(path).json["error_id"] == "organiser"
    assert guest.post("/api/statistics/delete", {"player": "Ann"}).json["error_id"] == "organiser"
    told = organiser.get("/api/evenings").json
    assert [(one["journal"], one["winners"]) for one in told["evenings"]] == [("match-00001.jsonl", ["Ann"])]
    assert [one["player"] for one in told["players"]] == ["Ann", "Ben", "Cem"]
    assert organiser.get("/api/export/statistics.csv").content.decode("utf-8-sig").startswith("player,matches,")
    story = organiser.get("/api/evenings/match-00001.jsonl/1").json
    assert (len(story["turns"]), story["players"][0]["score"]) == (10, 120)


@pytest.mark.parametrize("path", ["match-00001.jsonl/2", "match-00002.jsonl/1", "statistics.sqlite/1", "..%2fpin/1"])
def test_no_other_file_is_an_evening(path: str, page: Any, tmp_path: Path) -> None:
    keep_demo(tmp_path)
    assert page.organiser().get(f"/api/evenings/{path}").status == 404


def test_a_player_is_deleted_once(page: Any, tmp_path: Path) -> None:
    keep_demo(tmp_path)
    organiser = page.organiser()
    answer = organiser.post("/api/statistics/delete", {"player": "ben"}).json
    assert [one["player"] for one in answer["players"]] == ["Ann", "Cem"]
    assert organiser.post("/api/statistics/delete", {"player": "ben"}).status == 404
    assert organiser.post("/api/statistics/delete", {"player": 7}).status == 400


def test_time_given_and_hands_do_not_upset_the_story(page: Any) -> None:
    page.start(names=("Ann", "Ben"))
    page.enter(TableMoving(page.now()))
    page.enter(ClockSet(page.now(), 30.0, "organiser"))
    page.play("R10 R11 R12")
    (turn,) = page.browser().get("/api/story").json["turns"]
    assert 0 < turn["seconds"] < 5
