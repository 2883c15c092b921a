"""Correcting on the page what was read: by the organiser's word, and by agreement of two players on two phones."""

import time
from typing import Any

import pytest

from referee.server.sessions import Sessions

OPENED = "R10 R11 R12 / B10 B11 B12"


def opened(page: Any) -> None:
    """Ann and Ben have opened, Ann is to move."""
    page.start()
    page.play("R10 R11 R12")
    page.play(OPENED)
    page.wait_for(lambda state: len(state["table"]["sets"]) == OPENED.count("/") + 1)


def sent_back(page: Any) -> str:
    """Ann has laid K1 K2 K3, of which the K3 is read as B3; gives the frame."""
    opened(page)
    page.play(f"{OPENED} / K1 K2 B3")
    return str(page.wait_for(lambda state: state["match"]["verdict"]["verdict"] == "illegal")["table"]["frame_id"])


# The organiser ------------------------------------------------------------------------------------------------------


def test_a_missed_tile_is_added_and_the_turn_judged_again(page: Any) -> None:
    opened(page)
    page.play(f"{OPENED} / K1 K2")
    state = page.wait_for(lambda state: state["match"]["verdict"]["verdict"] == "illegal")
    organiser = page.organiser()
    assert {"add", "join", "part"} <= set(state["match"]["can"])
    answer = organiser.say("add", frame_id=state["table"]["frame_id"], beside=7, tile="K3", side="after")
    assert [event["event"] for event in answer.json["told"]][:2] == ["tile_added", "judged"]
    state = organiser.state()
    assert state["match"]["verdict"]["verdict"] == "legal"
    assert state["table"]["tiles"][8]["corrected"] == {"was": None, "by": "organiser", "missed": True}
    assert organiser.get(state["table"]["tiles"][8]["crop"]).status == 200
    made = organiser.get("/api/turns/1/3").json["corrections"][0]
    assert (made["tile"], made["was"], made["where"]) == ("K3", None, "tile 3 of K1 K2 K3")
    assert organiser.say("correct", frame_id=state["table"]["frame_id"], index=8, tile=None).status == 200
    assert len(organiser.state()["table"]["tiles"]) == 8


def test_a_set_that_was_not_seen_is_added_and_the_turn_judged_again(page: Any) -> None:
    opened(page)
    time.sleep(0.6)
    page.move()  # Ann's hand, laying K1 K2 K3
    page.play(OPENED)
    state = page.wait_for(lambda state: state["match"]["turn"] == 4)
    assert state["match"]["verdict"]["outcome"] == "no_play"
    organiser, frame_id = page.organiser(), state["table"]["frame_id"]
    for wrong, why in (("K1 K1 K1", "more K1 than the box"), ("K1 X", "'X'"), ("", "such as"), (7, "such as")):
        assert why in organiser.say("add_set", frame_id=frame_id, tiles=wrong).json["error"], wrong
    answer = organiser.say("add_set", frame_id=frame_id, tiles="k1 k2 k3")
    assert [event["event"] for event in answer.json["told"]] == ["set_added", "draw_taken_back", "judged"]
    state = organiser.state()
    assert (state["match"]["verdict"]["verdict"], state["match"]["verdict"]["played"]) == ("legal", ["K1", "K2", "K3"])
    assert [tile["corrected"] for tile in state["table"]["tiles"][6:]] == [
        {"was": None, "by": "organiser", "missed": True}
    ] * 3
    assert (state["table"]["tiles"][6]["crop"], len(state["table"]["sets"])) == (None, 3)
    page.press()
    page.wait_for(lambda state: state["match"]["turn"] == 5)
    said = organiser.get("/api/turns/1/4").json["rows"][0]  # it was said when the next turn had begun
    assert (said["was"], said["rows"], said["by"]) == ([], [["K1", "K2", "K3"]], "organiser")


def test_two_players_agree_on_a_set_that_was_not_seen(players_agree: Any) -> None:
    opened(players_agree)
    ann, ben = players_agree.browser(), players_agree.browser()
    frame_id = ann.state()["table"]["frame_id"]
    assert ann.say("add_set", frame_id=frame_id, tiles="K1 K2 K3", seat=0).status == 200
    proposal = ben.state()["match"]["proposal"]
    assert (proposal["say"], proposal["rows_were"], proposal["rows"]) == ("add_set", [], [["K1", "K2", "K3"]])
    assert (proposal["tiles"], len(ben.state()["table"]["sets"])) == ([], 2)
    assert ben.say("agree", seat=1).status == 200
    assert len(ben.state()["table"]["sets"]) == 3


def test_one_row_is_said_to_be_two_and_one_again(page: Any) -> None:
    opened(page)
    frame_id = page.settle(f"{OPENED} / K1 K2 K3 O1 O2 O3").frame_id
    organiser = page.organiser()
    assert organiser.say("part", frame_id=frame_id, after=8).status == 200
    assert [len(row["tiles"]) for row in organiser.state()["table"]["sets"]] == [3, 3, 3, 3]
    assert organiser.say("join", frame_id=frame_id, index=6, other=11).status == 200
    assert [len(row["tiles"]) for row in organiser.state()["table"]["sets"]] == [3, 3, 6]
    organiser.say("part", frame_id=frame_id, after=8)
    page.press()
    assert page.wait_for(lambda state: state["match"]["turn"] == 4)["match"]["verdict"]["verdict"] == "legal"
    rows = organiser.get("/api/turns/1/3").json["rows"]
    assert [len(said["rows"]) for said in rows] == [2, 1, 2]
    assert rows[0]["by"] == "organiser"


def test_what_says_nothing_of_the_table_is_refused(page: Any) -> None:
    opened(page)
    frame_id = page.settle(f"{OPENED} / K1 K2 K3").frame_id
    organiser = page.organiser()
    for word, more in (("part", {"after": 8}), ("add", {"beside": 6, "tile": "K5", "side": "after"})):
        assert organiser.say(word, frame_id=frame_id, **more).json["error_id"] == "now", word
    assert organiser.say("agree").json["error_id"] == "agreement"
    wrong = {"frame_id": frame_id, "beside": 0, "tile": "K3", "side": "left"}
    assert "give 'before' or 'after'" in organiser.say("add", **wrong).json["error"]
    assert "give a tile such as" in organiser.say("add", **{**wrong, "tile": None, "side": "after"}).json["error"]


def test_another_starter_of_a_later_game_is_named_before_its_first_verdict(page: Any) -> None:
    page.start(games=2)
    organiser = page.organiser()
    assert "starter" not in organiser.state()["match"]["can"]
    organiser.say("blocked")
    organiser.say("next_game")
    page.settle("")
    state = page.wait_for(lambda state: state["match"]["game"] == 2)
    assert (state["match"]["seat"], "starter" in state["match"]["can"]) == (1, True)
    assert "next_game" not in state["match"]["can"]
    assert organiser.say("starter", first=0).status == 200
    assert (organiser.state()["match"]["seat"], organiser.state()["match"]["game"]) == (0, 2)
    assert organiser.say("starter", first=0).json["error_id"] == "now"


def test_the_numbers_drawn_say_who_begins_and_who_draws_again(page: Any) -> None:
    page.start(names=("Ann", "Ben", "Cem"), games=3)
    organiser = page.organiser()
    organiser.say("blocked")
    page.settle("")
    tied = organiser.say("next_game", drawn={"0": 9, "1": 4, "2": 9}).json["told"]
    assert [(event["event"], event["seats"], event["number"]) for event in tied] == [("start_tied", [2, 0], 9)]
    assert organiser.say("next_game", drawn={"0": 12, "2": 3}).status == 200
    assert organiser.state()["match"]["seat"] == 0
    for wrong, why in (
        ({"drawn": {"0": 14}}, "give a number from 1 to 13"),
        ({"drawn": {"0": True}}, "give a number from 1 to 13"),
        ({"drawn": {"7": 3}}, "give an object of seats"),
        ({"drawn": {"4": 3}}, "'drawn' names seat 4; give a whole number from 0 to 2"),
        ({"drawn": {"0": 3, "00": 4}}, "give an object of seats"),
        ({"drawn": [1, 2]}, "give an object of seats"),
        ({"first": 1, "drawn": {"0": 3}}, "give one of them"),
        ({}, "needs 'first'"),
    ):
        answered = organiser.say("starter", **wrong)
        assert (answered.status, why in answered.json["error"]) == (400, True), wrong


def test_numbers_of_players_who_have_all_left_say_nothing(page: Any) -> None:
    page.start(names=("Ann", "Ben", "Cem"), games=3)
    organiser = page.organiser()
    organiser.say("player_left", seat=2)
    organiser.say("blocked")
    page.settle("")
    refused = organiser.say("next_game", drawn={"2": 9})
    said = "'drawn': only players who have left are named; give the tiles of those who still play"
    assert (refused.status, refused.json["error"]) == (400, said)


def test_where_the_booklet_names_the_starter_nobody_else_can_be_named_and_it_says_who_begins(page: Any) -> None:
    page.start(names=("Ann", "Ben", "Cem"), edition="3in1-standard", games=3)
    organiser = page.organiser()
    organiser.say("blocked")
    page.settle("")
    assert (organiser.state()["match"]["seat"], "starter" in organiser.state()["match"]["can"]) == (1, False)
    for wrong in ({"first": 2}, {"drawn": {"0": 3}}):
        refused = organiser.say("starter", **wrong)
        said = "the rules decide it: Ben begins, to the left of the last starter; name nobody"
        assert (refused.status, refused.json["error"]) == (400, said)
    assert organiser.say("starter", first=1).json["error_id"] == "now"


def test_the_numbers_drawn_say_who_begins_the_first_game(page: Any) -> None:
    organiser = page.organiser()
    players = {"names": ["Ann", "Ben"], "edition": "original"}
    assert "Ann and Ben drew the same" in organiser.say("start", **players, drawn={"0": 5, "1": 5}).json["error"]
    alone = {**players, "house_rules": {"ties_draw_again": False}}
    assert organiser.say("start", **alone, drawn={"0": 5, "1": 5}).status == 200
    assert organiser.state()["match"]["seat"] == 0
    organiser.say("end_match")
    assert organiser.say("start", **players, drawn={"0": 5, "1": 6}).status == 200
    assert organiser.state()["match"]["seat"] == 1


# By agreement -------------------------------------------------------------------------------------------------------


def test_two_players_on_two_phones_correct_a_tile(players_agree: Any) -> None:
    frame_id = sent_back(players_agree)
    ann, ben = players_agree.browser(), players_agree.browser()
    assert ann.get("/api/session").json["corrections"] == "agreement"
    answer = ann.say("correct", frame_id=frame_id, index=8, tile="K3", seat=0)
    assert [event["event"] for event in answer.json["told"]] == ["proposal_made"]
    state = ben.state()
    proposal = state["match"]["proposal"]
    assert (proposal["seat"], proposal["say"], proposal["was"], proposal["tile"]) == (0, "correct", "B3", "K3")
    assert ben.get(proposal["tiles"][0]["crop"]).status == 200
    assert {"agree", "refuse"} <= set(state["match"]["can"])
    assert 28 < proposal["seconds_left"] <= 30
    assert state["match"]["verdict"]["verdict"] == "illegal"
    assert ben.say("agree", seat=1).status == 200
    state = ben.state()
    assert (state["match"]["proposal"], state["match"]["verdict"]["verdict"]) == (None, "legal")
    assert state["table"]["tiles"][8]["corrected"] == {"was": "B3", "by": "Ann, Ben"}


def test_one_phone_is_not_two_players(players_agree: Any) -> None:
    frame_id = sent_back(players_agree)
    ann, ben = players_agree.browser(), players_agree.browser()
    ann.say("correct", frame_id=frame_id, index=8, tile="K3", seat=0)
    assert ann.say("agree", seat=1).json["error_id"] == "agreement"
    assert ben.say("agree", seat=0).json["error_id"] == "agreement"
    assert ben.say("agree").json["error_id"] == "request"
    assert players_agree.match.dispute.proposal is not None
    assert ben.say("refuse", seat=1).status == 200
    assert ben.state()["match"]["proposal"] is None
    assert ben.state()["table"]["tiles"][8]["tile"] == "B3"


def test_rows_and_missed_tiles_are_proposed_too(players_agree: Any) -> None:
    opened(players_agree)
    frame_id = players_agree.settle(f"{OPENED} / K1 K2 K3 O1 O2 O3").frame_id
    ann, ben = players_agree.browser(), players_agree.browser()
    ann.say("part", frame_id=frame_id, after=8, seat=0)
    proposal = ben.state()["match"]["proposal"]
    assert (proposal["say"], len(proposal["tiles"])) == ("part", 6)
    assert proposal["rows_were"] == [["K1", "K2", "K3", "O1", "O2", "O3"]]
    assert proposal["rows"] == [["K1", "K2", "K3"], ["O1", "O2", "O3"]]
    ben.say("agree", seat=1)
    ben.say("add", frame_id=frame_id, beside=11, tile="O4", side="after", seat=1)
    assert ann.state()["match"]["proposal"]["where"] == "tile 4 of O1 O2 O3 O4"
    ann.say("agree", seat=0)
    assert [len(row["tiles"]) for row in ann.state()["table"]["sets"]] == [3, 3, 3, 4]


def test_the_organiser_corrects_alone_and_answers_for_all(players_agree: Any) -> None:
    frame_id = sent_back(players_agree)
    ann, organiser = players_agree.browser(), players_agree.organiser()
    ann.say("correct", frame_id=frame_id, index=8, tile="K4", seat=0)
    assert organiser.say("refuse").status == 200
    ann.say("correct", frame_id=frame_id, index=8, tile="K3", seat=0)
    assert organiser.say("agree").status == 200
    assert organiser.state()["match"]["verdict"]["verdict"] == "legal"


def test_players_say_nothing_else(players_agree: Any) -> None:
    sent_back(players_agree)
    viewer = players_agree.browser()
    for word in ("let_stand", "undo", "pause", "press"):
        assert viewer.say(word).json["error_id"] == "organiser", word


@pytest.mark.parametrize("word", ["correct", "add", "join", "part", "agree", "refuse"])
def test_without_that_setting_only_the_organiser_corrects(page: Any, word: str) -> None:
    opened(page)
    assert page.browser().say(word).json["error_id"] == "organiser"


def test_a_device_is_known_by_its_cookie_and_by_its_address() -> None:
    sessions = Sessions()
    one, other = sessions.new(), sessions.new()
    phone, tablet = "192.168.1.7", "192.168.1.8"

    def same(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
        return not set(first).isdisjoint(second)

    assert not same(sessions.device_marks(one, phone), sessions.device_marks(other, tablet))
    assert same(sessions.device_marks(one, phone), sessions.device_marks(one, tablet))
    assert same(sessions.device_marks(one, phone), sessions.device_marks(other, phone))
    assert not same(sessions.device_marks(one, "127.0.0.1"), sessions.device_marks(other, "::1"))
    assert phone not in str(sessions.device_marks(one, phone))
