"""What a doubt sounds like: always something that players can look for."""

import pytest

from referee.game.event_parts import Doubt
from referee.game.events import Judged, MeldCounted
from referee.game.inputs import Seat
from referee.game.texts.messages import words
from referee.reading.inputs import Seconds
from referee.rules.editions import rule_set
from referee.rules.judge import judge_turn
from referee.rules.notation import parse_table, parse_tiles
from referee.rules.table import EMPTY_TABLE
from referee.rules.verdict import Outcome, Undecided, Verdict


@pytest.mark.parametrize(
    ("doubts", "unsure_of", "said"),
    [
        pytest.param(("R5 O5",), "R5", "I cannot tell R5 or O5.", id="named"),
        pytest.param(("",), "", "I cannot tell 1 tile that may lie face down.", id="without a name"),
        pytest.param(("", "R5 O5", ""), "R5", "I cannot tell R5 or O5, 2 tiles that may lie face down.", id="both"),
        pytest.param((), "R5 R6", "I cannot tell how R5 R6 belong together.", id="sets in doubt"),
        pytest.param((), "", "I cannot tell how the rows part.", id="nothing named at all"),
    ],
)
def test_a_doubt_names_what_to_look_at(doubts: tuple[str, ...], unsure_of: str, said: str) -> None:
    verdict = Undecided(
        outcome=Outcome.PLAYED,
        played=(),
        meld=None,
        sets=(),
        doubtful_tiles=parse_tiles(unsure_of),
        violations=(),
    )
    judged = told(verdict, "R5 R6 R7", tuple(Doubt(index, parse_tiles(tile)) for index, tile in enumerate(doubts)))
    assert words(judged, ("Ann", "Ben")) == f"  Ann: UNDECIDED. {said}"


def told(verdict: Verdict, table: str, doubts: tuple[Doubt, ...] = ()) -> Judged:
    return Judged(
        at=Seconds(1.0),
        seat=Seat(0),
        turn=1,
        game=1,
        verdict=verdict,
        before=EMPTY_TABLE,
        table=parse_table(table),
        frame_id="f",
        frame_at=Seconds(0.9),
        stands=False,
        late=False,
        doubts=doubts,
    )


def test_a_long_table_has_a_line_for_each_set() -> None:
    rules = rule_set("original")
    short = "R10 R11 R12 / K1 K2 K3"
    long = "R1 R2 R3 R4 R5 R6 / K1 K2 K3 K4 K5 K6 / B1 B2 B3 B4 B5 B6 / O1 O2 O3 O4 O5 O6 / R7 K7 B7 O7"
    said = {
        text: words(told(judge_turn(EMPTY_TABLE, parse_table(text), opened=True, rules=rules), text), ("Ann", "Ben"))
        for text in (short, long)
    }
    assert said[short].splitlines()[-1].startswith("  Table: ")
    *_, first, second, third, fourth, fifth = said[long].splitlines()
    assert {line.strip() for line in (first, second, third, fourth, fifth)} == set(long.split(" / "))
    assert "  Table:" in said[long].splitlines()


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (24, "(24 of 30 points for the opening)"),
        (30, "(30 points for the opening, 30 needed)"),
        (51, "(51 points for the opening, 30 needed)"),
    ],
)
def test_an_opening_says_how_much_is_needed(points: int, said: str) -> None:
    counted = MeldCounted(at=Seconds(1.0), seat=Seat(0), turn=1, game=1, points=points, needed=30)
    assert words(counted, ("Ann", "Ben")).strip() == said
