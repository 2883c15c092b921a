"""Every address answers as it declares, to those who may ask."""

import io
import json
import re
from typing import Any

import cv2
import numpy as np
import pytest

from referee.errors import CameraError
from referee.game.inputs import GameEnded
from referee.game.state import Phase


def test_before_a_match_there_is_nothing_to_see_and_only_start_to_say(page: Any) -> None:
    browser = page.browser()
    state = browser.state()
    assert (state["match"], state["table"]["camera"], state["table"]["tiles"]) == (None, "none", [])
    for path in ("/api/score", "/api/nearest", "/api/export/record.txt", "/api/export/scores.csv"):
        assert browser.get(path).json["error_id"] == "now", path
    assert browser.get("/api/turns").json == {"turns": []}
    refused = page.organiser().say("pause")
    assert (refused.status, refused.json["error"]) == (400, "no match has begun; begin one first")


def test_the_page_and_its_parts_come_with_a_mark_that_spares_the_second_asking(page: Any) -> None:
    browser = page.browser()
    first = browser.get("/")
    assert (first.status, first.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert browser.get("/", **{"If-None-Match": first.headers["etag"]}).status == 304
    for part in set(re.findall(rb'(?:src|href)="(/page/[^"]+)"', first.content)):
        assert browser.get(part.decode()).status == 200, part
    packed = browser.get("/", **{"Accept-Encoding": "gzip"})
    assert packed.headers.get("content-encoding", "identity") in {"gzip", "identity"}
    for path in ("/page/../../config.py", "/page/%2e%2e/settings.py", "/page//etc/passwd", "/page/nothing.js"):
        assert browser.get(path).status == 404, path


def test_no_answer_lets_a_browser_do_more_than_it_must(page: Any) -> None:
    for path in ("/", "/display", "/api/state", "/nothing", "/api/say"):
        headers = page.browser().get(path).headers
        policy = set(headers["content-security-policy"].split("; "))
        needed = {"default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"}
        assert needed | {"base-uri 'none'", "form-action 'none'"} <= policy, path
        assert "unsafe" not in headers["content-security-policy"]
        assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
        assert "server" not in headers


def test_a_match_is_started_played_scored_and_taken_home_over_the_page_alone(page: Any) -> None:
    organiser = page.organiser()
    started = organiser.say("start", names=["Ann", "Ben"], edition="original", games=1)
    assert [event["event"] for event in started.json["told"]] == ["game_started", "turn_started"]
    page.play("R10 R11 R12")
    page.play("R10 R11 R12 / B10 K10 O10")
    state = page.wait_for(lambda state: state["match"]["turn"] == 3)
    assert [player["opened"] for player in state["match"]["players"]] == [True, True]
    assert (state["match"]["turn"], state["match"]["seat"], state["match"]["verdict"]["meld"]) == (3, 0, 30)
    assert organiser.say("blocked").status == 200
    assert organiser.state()["match"]["waiting_for_racks"] == [0, 1]
    told = organiser.say("racks", racks={"0": "R5 J", "1": 12}).json["told"]
    assert told[0]["scores"] == {"Ann": -23, "Ben": 23}  # 5 + 30 against 12: the lowest rack wins the difference
    score = organiser.get("/api/score").json
    assert (score["games"][0]["scores"], score["totals"], score["games"][0]["check"]) == ([-23, 23], [-23, 23], True)
    assert (score["games_won"], score["ranking"], score["ranks"]) == ([0, 1], [1, 0], [2, 1])
    assert organiser.say("end_match").status == 200
    assert organiser.state()["match"]["ranking"] == [1, 0]
    assert organiser.state()["match"]["ranks"] == [2, 1]
    table = organiser.get("/api/export/scores.csv").content.decode("utf-8-sig").splitlines()
    assert table[:3] == ["game,Ann,Ben,sum", "1,-23,23,0", "total,-23,23,0"]
    assert organiser.get("/api/export/record.txt").headers["content-disposition"].endswith('"record.txt"')
    everything = organiser.get("/api/export/match.zip")
    assert everything.content.startswith(b"PK")
    assert everything.headers["cache-control"] == "no-store"


def test_an_illegal_table_names_its_set_and_says_why_by_id_and_values(page: Any) -> None:
    page.start()
    page.play("R10 R11 R12")
    page.play("R10 R11 R12 / B9 K9 O8 / O1 O2 O3")
    state = page.wait_for(lambda state: state["match"]["verdict"]["verdict"] == "illegal")
    fault = next(fault for fault in state["match"]["verdict"]["faults"] if fault["fault"] == "not_a_set")
    assert (fault["set"], state["table"]["sets"][1]["state"]) == (1, "wrong")
    assert [one["state"] for one in state["table"]["sets"]] == ["ok", "wrong", "ok"]
    assert (fault["message_id"], fault["values"]) == ("group.other_number", {"tiles": ["O8"], "number": 9})
    assert fault["message"] == "O8 does not belong in a group of 9s"
    assert state["match"]["played"] == ["B9", "K9", "O8", "O1", "O2", "O3"]


def test_an_opening_that_is_too_low_marks_what_was_laid_until_it_is_enough(page: Any) -> None:
    page.start()
    page.play("R3 R4 R5 / B1 B2 B3")
    state = page.wait_for(lambda state: state["match"]["verdict"])
    assert state["match"]["verdict"]["verdict"] == "illegal"
    assert [(one["state"], one["kind"]) for one in state["table"]["sets"]] == [("wrong", "run")] * 2
    page.settle("R3 R4 R5 / B1 B2 B3 / K10 K11 K12")
    state = page.wait_for(lambda state: len(state["table"]["sets"]) == 3)
    assert [one["state"] for one in state["table"]["sets"]] == ["ok"] * 3


def test_in_the_middle_of_a_turn_nobody_is_accused(page: Any) -> None:
    page.start()
    page.settle("R10 R11")
    state = page.wait_for(lambda state: state["table"]["sets"])
    assert (state["match"]["verdict"], state["match"]["now"]["verdict"]) == (None, "illegal")
    assert state["table"]["sets"][0]["state"] == "unfinished"
    page.settle("R8 R9 R10")
    assert page.wait_for(lambda state: state["match"]["meld"]["points"] == 27)["match"]["meld"]["needed"] == 30


def test_jokers_say_what_they_stand_for(page: Any) -> None:
    page.start()
    page.settle("R8 J R10 / K1 J")
    jokers = page.wait_for(lambda state: state["match"]["jokers"])["match"]["jokers"]
    assert jokers[0] == {"tile": "J", "stands_for": {"numbers": [9], "colours": ["R"]}, "set": 0, "index": 1}
    assert jokers[1]["stands_for"] is None


def test_a_misread_tile_is_corrected_with_one_word_and_judged_again(page: Any) -> None:
    page.start()
    page.play("R10 R11 R12")
    page.play("R10 R11 R12 / B9 B10 B12")
    state = page.wait_for(lambda state: state["match"]["verdict"]["verdict"] == "illegal")
    organiser, frame_id = page.organiser(), state["table"]["frame_id"]
    answer = organiser.say("correct", frame_id=frame_id, index=5, tile="B11")
    assert answer.status == 200
    assert [event["event"] for event in answer.json["told"]][:2] == ["tile_named", "judged"]
    state = organiser.state()
    assert state["table"]["tiles"][5]["corrected"] == {"was": "B12", "by": "organiser"}
    assert (state["table"]["tiles"][5]["tile"], state["match"]["verdict"]["verdict"]) == ("B11", "legal")
    assert (state["match"]["turn"], state["match"]["seat"]) == (3, 0)
    turn = organiser.get("/api/turns/1/2").json
    made = turn["corrections"][0]
    assert (made["by"], made["index"], made["was"], made["tile"]) == ("organiser", 5, "B12", "B11")
    assert [one["verdict"] for one in turn["judgements"]] == ["illegal", "legal"]


def test_a_tap_on_an_old_picture_corrects_nothing(page: Any) -> None:
    page.start()
    old = page.settle("R10 R11 R13").frame_id
    page.settle("R10 R11 R13 / K1")
    answer = page.organiser().say("correct", frame_id=old, index=2, tile="R12")
    assert (answer.status, answer.json["error_id"]) == (409, "now")
    assert page.browser().state()["table"]["tiles"][2]["tile"] == "R13"


def test_unsure_tiles_are_asked_about_with_their_pictures(page: Any) -> None:
    page.start()
    page.settle("R10 R11 R12", {1: "R1"})
    state = page.wait_for(lambda state: state["match"]["asked"])
    asked = state["match"]["asked"][0]
    assert (asked["index"], asked["may_be"]) == (1, ["R11", "R1"])
    assert state["table"]["sets"][0]["state"] == "doubt"
    picture = page.browser().get(asked["crop"])
    assert picture.headers["content-type"] == "image/jpeg"
    assert cv2.imdecode(np.frombuffer(picture.content, np.uint8), cv2.IMREAD_COLOR).shape == (144, 96, 3)


def test_pictures_are_those_of_the_table_and_nothing_else(page: Any) -> None:
    page.start()
    page.settle("R10 R11 R12")
    browser = page.browser()
    table = browser.state()["table"]
    shown = cv2.imdecode(np.frombuffer(browser.get(table["picture"]).content, np.uint8), cv2.IMREAD_COLOR)
    assert shown.shape == (720, 1280, 3)
    assert browser.get(table["live"]).status == 200
    for path in ("/api/picture/frame-999.jpg", "/api/picture/..%2f..%2fsecret.jpg", "/api/crop/frame-001/99.jpg"):
        assert browser.get(path).json["error_id"] == "unknown", path
    for path in ("/api/evidence/000001.json", "/api/evidence/..%2Fpin", "/api/evidence/999999.jpg"):
        assert browser.get(path).status == 404, path


def test_every_judged_turn_has_its_pictures_before_and_after(page: Any) -> None:
    page.start()
    page.play("R10 R11 R12")
    page.play("R10 R11 R12 / B10 K10 O10")
    browser = page.browser()
    newest, first = browser.get("/api/turns").json["turns"]
    assert (newest["turn"], newest["table"], newest["before"]) == (2, "R10 R11 R12 / B10 K10 O10", "R10 R11 R12")
    assert newest["pictures"]["before"] == first["pictures"]["after"]
    for address in newest["pictures"].values():
        assert browser.get(address).headers["content-type"] == "image/jpeg"
    assert browser.get("/api/turns?game=2").json == {"turns": []}


def test_the_guide_ticks_off_what_has_been_put_back(page: Any) -> None:
    page.start(house_rules=(("turn_seconds", 2),))
    page.play("R10 R11 R12")
    page.settle("R10 R11 / R12 K1")  # Ben takes a set apart and lays a tile of his own; then his time is over
    state = page.wait_for(lambda state: state["match"]["phase"] == "restore")
    guide = state["match"]["restore"]
    assert guide["sets"] == [["R10", "R11", "R12"]]
    assert [(move["what"], move["tile"], move["set"], move["done"]) for move in guide["moves"]] == [
        ("move", "R12", 0, False),
        ("take_back", "K1", None, False),
    ]
    assert guide["moves"][0]["to"] == guide["before"]["tiles"][2]["quad"]
    page.settle("R10 R11 R12 / K1")
    guide = page.wait_for(lambda state: state["match"]["restore"]["moves"][0]["done"])["match"]["restore"]
    assert [(move["tile"], move["done"]) for move in guide["moves"]] == [("R12", True), ("K1", False)]
    page.settle("R10 R11 R12")
    assert page.wait_for(lambda state: state["match"]["restore"] is None)["match"]["seat"] == 0


def test_the_nearest_legal_table_is_found_while_a_turn_is_played(page: Any) -> None:
    page.start()
    page.settle("R10 R11 R12 / K1 K2 / K3")
    found = page.browser().get("/api/nearest").json
    assert sorted(found["sets"]) == [["K1", "K2", "K3"], ["R10", "R11", "R12"]]
    assert (found["moved"], found["optimal"]) == (["K3"], True)


def test_hands_and_a_pause_are_seen_at_once(page: Any) -> None:
    page.start()
    page.settle("R10 R11 R12")
    page.move()
    table = page.wait_for(lambda state: state["table"]["hands"])["table"]
    assert (table["stale"], len(table["tiles"])) == (True, 3)
    organiser = page.organiser()
    assert organiser.say("pause").status == 200
    assert organiser.say("pause").json["error_id"] == "now"
    state = organiser.state()
    assert (state["match"]["halted"], state["match"]["clock"]["running"]) == (["pause"], False)
    assert "resume" in state["match"]["can"]
    assert organiser.say("resume").status == 200


def test_words_that_are_none_get_one_line_and_the_way_out(page: Any) -> None:
    page.start()
    organiser = page.organiser()
    for said, line in (
        ({"say": "puase"}, "'puase' is not a command; did you mean 'pause'?"),
        ({"say": "pause", "seat": 1}, "'seat' does not belong to 'pause'; leave it out"),
        ({"say": "player_left"}, "'player_left' needs 'seat'; give it"),
        ({"say": "player_left", "seat": 2}, "'seat' is 2; give a whole number from 0 to 1"),
        ({"say": "correct", "frame_id": "x", "index": 0, "tile": "R14"}, "'R14' is no tile"),
        ({"say": "correct", "frame_id": "x", "index": 0, "tile": "JD"}, "not in the box of original"),
        ({"say": "clock", "seconds_left": -1}, "give seconds from 0 to 3600"),
        ({"say": "racks", "racks": {"0": "R5 R5 R5"}}, "more R5 than the box"),
        ({"say": "rename", "names": ["A", "B", "C"]}, "'names': 3 names for 2 players; name each of them"),
        ({"say": "rename", "names": ["A", "a"]}, "two to six different names"),
        ({"say": "reseat", "order": [1, 1]}, "'order' must name each seat from 0 to 1 once"),
        ({"say": "start", "names": ["A", "A"], "edition": "original"}, "two to six different names"),
        ({"say": "start", "names": ["A", "B"], "edition": "orginal"}, "did you mean 'original'?"),
        (
            {"say": "start", "names": ["A", "B", "C"], "edition": "original", "format": "two-player"},
            "format two-player with original is for 2 players, not 3",
        ),
        ({"say": "start", "names": ["A", "B"], "edition": "original", "format": 3}, "'format' is 3; give a text"),
        ({"say": "start", "names": ["A", "B"], "edition": "xp", "house_rules": {"x": 1}}, "house rule 'x'"),
    ):
        answer = organiser.post("/api/say", said)
        assert (answer.status, answer.json["error_id"]) == (400, "request"), said
        assert line in answer.json["error"]
        assert "\n" not in answer.json["error"]


def test_players_are_renamed_in_a_turn_and_change_places_between_games(page: Any) -> None:
    page.start(names=("Ann", "Ben"), games=2)
    page.play("R10 R11 R12")
    organiser = page.organiser()
    assert page.browser().say("rename", names=["Ann", "Bob"]).json["error_id"] == "organiser"
    told = organiser.say("rename", names=[" Ann", "Bob"]).json["told"]
    assert [(one["event"], one["names"], one["by"]) for one in told] == [("names_changed", ["Ann", "Bob"], "organiser")]
    match = organiser.state()["match"]
    assert [player["name"] for player in match["players"]] == ["Ann", "Bob"]
    assert ("rename" in match["can"], "reseat" in match["can"]) == (True, False)
    assert organiser.say("reseat", order=[1, 0]).json["error"] == (
        "game 1 is in its turn 2, and players change places only between games; try then"
    )
    page.enter(GameEnded(page.now(), "organiser"))
    assert organiser.say("reseat", order=[1, 0]).json["told"][0]["order"] == [1, 0]
    assert organiser.state()["match"]["order"] == [1, 0]
    assert organiser.get("/api/story").json["names"] == ["Ann", "Bob"]


def test_setting_up_is_the_organisers_alone(page: Any) -> None:
    viewer, organiser = page.browser(), page.organiser()
    for path in ("settings", "calibration", "signals", "logs", "picture/calibration.jpg", "export/match.zip"):
        assert viewer.get(f"/api/{path}").json["error_id"] == "organiser", path
    for path, body in (
        ("settings", {"settings": {"signals.volume": 0.5}}),
        ("signals/test", {"cue": "legal"}),
        ("calibration/check", {}),
        ("retry", {}),
        ("end", {"then": "power_off"}),
        ("calibration/step", {"step": "setup"}),
        ("say", {"say": "start", "names": ["A", "B"], "edition": "original"}),
    ):
        assert viewer.post(f"/api/{path}", body).json["error_id"] == "organiser", path
    assert (page.admin.changed, page.admin.played, page.match.phase) == ({}, [], Phase.IDLE)
    assert organiser.post("/api/settings", {"settings": {"signals.volume": 0.5}}).status == 200
    wrong = organiser.post("/api/settings", {"settings": {"signals.volum": 1}})
    assert (wrong.status, wrong.json["error"]) == (400, "signals.volum is no setting; write section.key")
    assert wrong.json["errors"]["signals.volum"]["message_id"] == "settings.no_key"
    assert organiser.post("/api/signals/test", {"cue": "legal"}).json == {"played": "legal"}
    assert organiser.post("/api/signals/test", {"cue": "nothing"}).status == 400
    assert organiser.post("/api/end", {"then": "explode"}).json["error"] == (
        "'then' is 'explode'; give 'restart' or 'power_off'"
    )
    assert organiser.post("/api/end", {"then": "power_off"}).json == {"then": "power_off"}
    assert (page.admin.changed, page.admin.played) == ({"signals.volume": 0.5}, ["legal", "power_off"])


def test_a_camera_that_hands_over_no_full_picture_is_said_to_who_asks_for_the_guide(
    page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def guide() -> Any:
        raise CameraError("camera picamera is silent for 1.5 s; restarting it")

    organiser = page.organiser()
    assert organiser.get("/api/calibration/guide").status == 200
    monkeypatch.setattr(page.admin, "guide", guide)
    refused = organiser.get("/api/calibration/guide")
    assert (refused.status, refused.json["error_id"]) == (409, "now")
    assert refused.json["error"] == "camera picamera is silent for 1.5 s; restarting it"


def test_a_step_of_the_calibration_is_taken_with_measures_or_without(page: Any) -> None:
    organiser = page.organiser()
    found = organiser.post("/api/calibration/step", {"step": "setup", "table_mm": [1200, 900.5]})
    assert found.json == {"step": "setup", "size_mm": [1200, 900], "error_mm": 4.2, "inks_why": None}
    assert page.admin.played == ["setup (1200.0, 900.5) None"]
    failed = organiser.post("/api/calibration/step", {"step": "table"})
    assert (failed.status, failed.json["error"][:36]) == (409, "not seen of the corner markers: 1 (f")
    for wrong, line in (
        ({"step": "lens"}, "'step' is 'lens'; give 'light' or 'setup' or 'table' or 'colours' or 'tiles'"),
        ({"step": ["setup"]}, "'step' is ['setup']; give 'light' or 'setup' or 'table' or 'colours' or 'tiles'"),
        (
            {"step": "setup", "table_mm": [1200]},
            "'table_mm' is [1200]; give two numbers from 200 to 5000",
        ),
        (
            {"step": "setup", "tile_mm": [True, 38]},
            "'tile_mm' is [True, 38]; give two numbers from 18 to 52",
        ),
    ):
        assert organiser.post("/api/calibration/step", wrong).json["error"].removesuffix(" in mm, or nothing") == line


def test_players_may_correct_where_so_set_and_nothing_else(players_correct: Any) -> None:
    players_correct.start()
    frame_id = players_correct.settle("R10 R11 R13").frame_id
    viewer = players_correct.browser()
    assert viewer.get("/api/session").json["players_may_correct"] is True
    assert viewer.say("correct", frame_id=frame_id, index=2, tile="R12").status == 200
    assert viewer.state()["table"]["tiles"][2]["corrected"] == {"was": "R13", "by": "players"}
    assert viewer.say("let_stand").json["error_id"] == "organiser"
    assert players_correct.judged == []


def test_the_qr_code_holds_the_address(page: Any) -> None:
    browser = page.browser()
    addresses = browser.get("/api/address").json
    assert addresses == {"addresses": [page.url], "local_only": True}
    drawn = browser.get("/api/qr.svg")
    assert (drawn.status, drawn.headers["content-type"]) == (200, "image/svg+xml")
    from segno import make  # noqa: PLC0415

    expected = io.BytesIO()
    make(page.url, error="m", micro=False).save(expected, kind="svg", scale=8, border=4, xmldecl=False)
    assert drawn.content == expected.getvalue()


def test_logging_in_and_out(page: Any) -> None:
    browser = page.browser()
    assert browser.get("/api/session").json["organiser"] is False
    assert browser.login("000000").json["error_id"] == "pin"
    assert browser.login(page.pin).json["organiser"] is True
    assert browser.get("/api/session").json["organiser"] is True
    assert browser.post("/api/logout", {}).json["organiser"] is False
    assert browser.say("pause").json["error_id"] == "organiser"
    assert page.pin not in json.dumps(browser.get("/api/session").json)


def test_the_organiser_sets_another_pin(page: Any) -> None:
    guest, organiser = page.browser(), page.organiser()
    assert guest.post("/api/pin", {"pin": page.pin, "new": "654987"}).json["error_id"] == "organiser"
    assert organiser.post("/api/pin", {"pin": "999111", "new": "654987"}).json["error_id"] == "pin"
    easy = organiser.post("/api/pin", {"pin": page.pin, "new": "123456"})
    assert (easy.status, easy.json["error_id"]) == (400, "request")
    assert organiser.post("/api/pin", {"pin": page.pin, "new": "654987"}).json == {"set": True}
    assert guest.login(page.pin).json["error_id"] == "pin"
    assert guest.login("654987").json["organiser"] is True


def test_a_report_is_the_organisers_and_holds_pictures_only_where_asked(page: Any) -> None:
    assert page.browser().get("/api/export/report.zip").json["error_id"] == "organiser"
    organiser = page.organiser()
    report = organiser.get("/api/export/report.zip")
    assert (report.content, report.headers["cache-control"]) == (b"PK0", "no-store")
    assert organiser.get("/api/export/report.zip?pictures=10").content == b"PK10"
    assert organiser.get("/api/export/report.zip?pictures=1000").status == 400
