"""The starter of each game after the first: the player left of the last starter, or who drew the highest tile.

The referee does not see the draw. Where tiles decide, people enter the starter or the numbers drawn; until then the
player to the left begins. Where the rules name the starter, nobody else can be named.
"""

from collections.abc import Sequence

from referee.game.inputs import NextGame, Seat
from referee.game.state import Match, seat_after
from referee.rules.choices import NextStarter

Drawn = Sequence[tuple[Seat, int]]


def next_starters(match: Match, last: Seat, wanted: NextGame) -> tuple[Seat, ...]:
    """Return the possible starters after `last`: one, several who draw again, or none where `wanted` is invalid."""
    left = seat_after(match, last)
    if tiles_decide(match) and wanted.drawn:
        order = [seat for seat in match.setup.after(last) if seat in match.present]
        return highest(wanted.drawn, order, draw_again=match.rules.ties_draw_again)
    named = left if wanted.first is None else wanted.first
    allowed = match.present if tiles_decide(match) else (left,)
    return (named,) if named in allowed and not wanted.drawn else ()


def tiles_decide(match: Match) -> bool:
    """Return whether tiles are drawn for the start of every game."""
    return match.rules.next_starter is NextStarter.HIGHEST_TILE


def is_untouched(match: Match) -> bool:
    """Return whether nothing has been judged yet in the game."""
    return match.turn == 1 and match.dispute.judged is None and not match.play.has_drawn


def may_begin_anew(match: Match) -> bool:
    """Return whether another starter may still be named: before anything is judged in a later game."""
    return is_untouched(match) and match.last_starter is not None and tiles_decide(match)


def highest(drawn: Drawn, order: Sequence[Seat], *, draw_again: bool) -> tuple[Seat, ...]:
    """Return the seats with the highest number: all that tie if these draw again, else the first in `order`.

    Empty if no number belongs to a seat in `order`.
    """
    numbers = {seat: number for seat, number in drawn if seat in order}
    most = max(numbers.values(), default=0)
    best = tuple(seat for seat in order if numbers.get(seat) == most)
    return best if draw_again else best[:1]
