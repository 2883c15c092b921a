"""What a doubt sounds like: always something that players can look for."""

import pytest

from referee.game.event_parts import Doubt
from referee.game.events import Judged
from referee.game.inputs import Seat, Seconds
from referee.game.words import words
from referee.rules.notation import parse_table, parse_tiles
from referee.rules.table import EMPTY_TABLE
from referee.rules.verdict import Outcome, Undecided


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
        unsure_of=parse_tiles(unsure_of),
        violations=(),
    )
    judged = Judged(
        at=Seconds(1.0),
        seat=Seat(0),
        turn=1,
        game=1,
        verdict=verdict,
        before=EMPTY_TABLE,
        table=parse_table("R5 R6 R7"),
        frame_id="f",
        frame_at=Seconds(0.9),
        stands=False,
        late=False,
        doubts=tuple(Doubt(index, parse_tiles(may_be)) for index, may_be in enumerate(doubts)),
    )
    assert words(judged, ("Ann", "Ben")) == f"  Ann: UNDECIDED. {said}"
