"""What jokers stand for, worked out by hand."""

from typing import Any

import pytest

from referee.game.events import Judged
from referee.game.jokers import jokers_in_play
from referee.game.texts.messages import words
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table
from referee.rules.wording import in_english


@pytest.mark.parametrize(
    ("edition", "table", "said"),
    [
        pytest.param("original", "J R12 R13", ["J R11"], id="before a run"),
        pytest.param("original", "R12 J R11", ["J R13"], id="untidy"),
        pytest.param("original", "K5 R5 J", ["J B5 or O5"], id="either missing colour"),
        pytest.param("original", "K5 R5 O5 J", ["J B5"], id="the one missing colour"),
        pytest.param("original", "J J R5", ["J K5 or B5 or O5"] * 2, id="two in a group"),
        pytest.param("original", "R3 J / K1 K2 J", ["J K3"], id="in no set it stands for nothing"),
        pytest.param("twist", "R2 JD R5", ["JD R3 and R4"], id="double in a run"),
        pytest.param("twist", "K5 JD R5", ["JD B5 and O5"], id="double in a group"),
        pytest.param("twist", "K13 JD J", ["JD two of R13, B13, O13", "J R13 or B13 or O13"], id="double and regular"),
        pytest.param("twist", "R3 R4 JC B6", ["JC a 5"], id="a colour change is a number without a colour"),
        pytest.param("twist", "R3 R4 JM R4 R3", ["JM nothing"], id="a mirror that counts nothing"),
        pytest.param("3in1-twist", "R3 R4 JM R4 R3", ["JM a 5"], id="a mirror that counts its middle"),
        pytest.param("3in1-expert", "JR R4 R5", ["JR R3"], id="of its own colour"),
        pytest.param("3in1-expert", "JB K8 O8", ["JB B8"], id="of its own colour in a group"),
    ],
)
def test_what_a_joker_stands_for(edition: str, table: str, said: list[str]) -> None:
    jokers = jokers_in_play(parse_table(table), rule_set(edition))
    assert [f"{joker.joker} {in_english(joker.stands_for)}" for joker in jokers] == said


def test_where_a_joker_lies() -> None:
    (joker,) = jokers_in_play(parse_table("R1 R2 R3 / K4 J K6"), rule_set("original"))
    assert (joker.set_index, joker.place) == (1, 1)


def test_a_verdict_says_what_new_jokers_stand_for(evening: Any) -> None:
    (judged,) = (event for event in evening.opened().play("R10 R11 R12 / B10 K10 J O10") if isinstance(event, Judged))
    assert "J stands for R10." in words(judged, ("Ann", "Ben"))
    told = evening.play("R10 R11 R12 / B10 K10 J O10 / O1 O2 O3")
    (judged,) = (event for event in told if isinstance(event, Judged))
    assert len(judged.jokers) == 1
    assert "stands for" not in words(judged, ("Ann", "Ben"))
