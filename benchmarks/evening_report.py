"""The part of a season's report on how well the referee kept the thread of its games."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from benchmarks.refereed import ACCUSED, PASSED, SILENT, UNDECIDED
from referee.rules.editions import EDITIONS

_COLUMNS = (
    "edition",
    "played",
    "judged",
    "of",
    ACCUSED,
    PASSED,
    "undecided whole",
    "of",
    "questions a game",
    "about empty places",
    "racks read",
    "of",
    "scored",
    "of",
    "lost",
)
_LATE = 0.9  # the percentile of waits that is told


def evening_lines(games: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a table by edition, the waits, and the games that were lost; games without a log are left out."""
    if not games:
        return
    yield "## The thread"
    yield ""
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "|" + "---|" * len(_COLUMNS)
    for edition in EDITIONS:
        of_edition = [game for game in games if game["edition"] == edition]
        if of_edition:
            yield _line(edition, of_edition)
    yield _line("**all**", games)
    yield ""
    waits = sorted(wait for game in games for wait in game["waits_for_look"])
    if waits:
        late = waits[min(len(waits) - 1, int(_LATE * len(waits)))]
        yield "From the first picture after a press that shows the whole table to the verdict, in the match's time:"
        yield f"median {median(waits):.2f} s, 90th percentile {late:.2f} s."
        yield ""
    for game in games:
        if game["evening"]["lost"] is not None:
            of_game, turn = game["evening"]["lost"]
            yield f"- {game['edition']} {game['seed']} was lost from turn {turn} of game {of_game}."
    yield ""


def _line(name: str, games: Sequence[dict[str, Any]]) -> str:
    logs = [game["evening"] for game in games]
    amiss = [failure for game in games for failure in game["amiss"]]
    kinds = [failure["kind"] for failure in amiss]
    asked = [questions for log in logs for questions in log["questions"]]
    judgements, whole = (sum(game[count] for game in games) for count in ("judgements", "whole"))
    of_whole = sum(failure["kind"] == UNDECIDED and failure.get("whole", False) for failure in amiss)
    empty, racks, read, scored = (
        sum(log[count] for log in logs) for count in ("empty", "racks", "racks_read", "scored")
    )
    lost = sum(log["lost"] is not None for log in logs)
    figures = (
        *(len(games), judgements - kinds.count(SILENT), judgements, kinds.count(ACCUSED), kinds.count(PASSED)),
        *(of_whole, whole, f"{median(asked):g}", empty, read, racks, scored, len(asked), lost),
    )
    return f"| {name} | " + " | ".join(map(str, figures)) + " |"
