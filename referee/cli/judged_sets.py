"""The sets of a picture judged by an edition: legal, illegal with the reason, or doubtful."""

from referee.reading.observation import TableReading
from referee.rules.editions import RuleSet
from referee.rules.judge import judge_set
from referee.rules.reasons import why_no_set
from referee.rules.tiles import Tile
from referee.rules.wording import listed
from referee.vision.image.annotate import Mark, SetState

_FACE_DOWN_REASON = "a tile face down may be one of its tiles"


def judge_sets(reading: TableReading, rules: RuleSet) -> tuple[Mark, ...]:
    """Return a mark for each set of the likeliest layout."""
    return tuple(_mark(reading, row, rules) for row in reading.layouts[0].sets)


def _mark(reading: TableReading, row: tuple[int, ...], rules: RuleSet) -> Mark:
    tiles = [reading.tiles[index] for index in row]
    doubtful = [tile for tile in tiles if tile.doubtful]
    if doubtful:
        asked = [f"{tile.tile or 'a tile face down'} is not sure" for tile in doubtful]
        return Mark(SetState.DOUBT, listed(asked))
    names = _names(reading, row)
    if len(names) < len(row):
        return Mark(SetState.DOUBT, _FACE_DOWN_REASON)
    reason = why_no_set(names, rules)
    if reason is None:
        judged = judge_set(names, rules)
        return Mark(SetState.LEGAL, kind=None if judged.kind is None else judged.kind.value)
    if any(_can_split_into_sets(reading, row, other.sets, rules) for other in reading.layouts[1:]):
        return Mark(SetState.DOUBT, "it may be two sets side by side")
    return Mark(SetState.ILLEGAL, str(reason.wording))


def _can_split_into_sets(
    reading: TableReading, row: tuple[int, ...], sets: tuple[tuple[int, ...], ...], rules: RuleSet
) -> bool:
    """Return whether another layout splits this row into sets."""
    parts = [part for part in sets if set(part) & set(row)]
    inside = sorted(index for part in parts for index in part) == sorted(row)
    return inside and all(why_no_set(_names(reading, part), rules) is None for part in parts)


def _names(reading: TableReading, row: tuple[int, ...]) -> tuple[Tile, ...]:
    return tuple(name for index in row if (name := reading.tiles[index].tile) is not None)
