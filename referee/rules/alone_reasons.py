"""Why a tile that alone is to blame does not fit the others, which are a set or go together without it.

Asked only where `reasons` blames other tiles of the same set, so it need not say again what is said there.
"""

from referee.rules.blame import Culprit
from referee.rules.editions import RuleSet
from referee.rules.laid_reasons import AS_LAID, NO_CHANGE_IN_GROUP, SIDES_DIFFER
from referee.rules.set_reading import CHANGES, MIRRORS, MOST_IN_GROUP, WIDTH, SetReading
from referee.rules.table import TileSet
from referee.rules.tiles import HIGHEST, LOWEST, Joker, NumberTile, Tile
from referee.rules.verdict import SetKind
from referee.rules.wording import Phrase, broken, phrase

Place = tuple[Tile, tuple[int, ...]]
"""A tile of a run and the numbers it stands for."""


def why_alone(tiles: TileSet, culprit: Culprit, rules: RuleSet) -> Phrase:
    """Return why one tile among at least three does not fit."""
    tile = tiles[culprit.place]
    others = (*tiles[: culprit.place], *tiles[culprit.place + 1 :])
    if not culprit.readings:
        return phrase("{tile} lies in the wrong place; " + AS_LAID, tile=(tile,))
    if MIRRORS[tile.code]:
        return SIDES_DIFFER
    kinds = {reading.kind: reading for reading in reversed(culprit.readings)}
    if SetKind.MIRROR in kinds:
        return _why_unmatched(tile, others)
    group = kinds.get(SetKind.GROUP)
    if group is not None and (SetKind.RUN not in kinds or not _is_near_run(tile, others)):
        return _why_not_in_group(tile, others, group.stands_for[0].numbers[0])
    if any(CHANGES[one.code] for one in tiles):
        return _why_not_as_laid(tiles, culprit, kinds[SetKind.RUN], rules)
    return _why_not_in_run(tile, others, rules)


def _is_near_run(tile: Tile, others: TileSet) -> bool:
    """Tell whether a tile seems to be meant for a run with the others rather than for a group."""
    numbers = [other for other in others if isinstance(other, NumberTile)]
    if CHANGES[tile.code]:
        return len({other.number for other in numbers}) > 1
    return tile.colour in {other.colour for other in numbers} and tile not in numbers


def _why_unmatched(tile: Tile, others: TileSet) -> Phrase:
    numbers = {other.number for other in others if isinstance(other, NumberTile)}
    if CHANGES[tile.code] and len(numbers) == 1:
        return NO_CHANGE_IN_GROUP
    return phrase("{tiles} has no match across JM", tiles=(tile,))


def _why_not_in_group(tile: Tile, others: TileSet, number: int) -> Phrase:
    if CHANGES[tile.code]:
        return NO_CHANGE_IN_GROUP
    if isinstance(tile, NumberTile) and tile.number != number:
        return phrase("{tiles} does not belong in a group of {number}s", tiles=(tile,), number=number)
    if tile.colour is not None and tile.colour in {other.colour for other in others}:
        if isinstance(tile, Joker):
            said = "{tile} stands for a colour that the group of {number}s already has"
        else:
            said = "{tile} has a colour that the group of {number}s already has"
        return phrase(said, tile=(tile,), number=number)
    width = sum(WIDTH[other.code] for other in (tile, *others))
    full = "the group of {number}s would have {width} tiles; it can have {most}"
    return phrase(full, number=number, width=width, most=MOST_IN_GROUP)


def _why_not_in_run(tile: Tile, others: TileSet, rules: RuleSet) -> Phrase:
    """Return why a tile does not fit a run of one colour, whose order does not count."""
    rising = sorted((other for other in others if isinstance(other, NumberTile)), key=lambda other: other.number)
    if tile.colour is not None and tile.colour is not rising[0].colour:
        name = rules.colour_names[rising[0].colour]
        return phrase("{tiles} does not fit: a run has one colour, here {colour}", tiles=(tile,), colour=name)
    length = sum(WIDTH[other.code] for other in (tile, *others))
    if length > HIGHEST or not isinstance(tile, NumberTile):  # in a shorter run every joker finds room
        long = "the run would have {length} numbers; there are only {lowest} to {highest}"
        return phrase(long, length=length, lowest=LOWEST, highest=HIGHEST)
    return _why_gap(tile, rising, tuple(other for other in others if isinstance(other, Joker)))


def _why_gap(tile: NumberTile, rising: list[NumberTile], jokers: tuple[Joker, ...]) -> Phrase:
    """Return why a tile of a new number does not go with the number tiles, the lowest first, and jokers of a run."""
    first, last = rising[0], rising[-1]
    wrap = "{tile} does not follow {last}: 1 is only ever the lowest number"
    if tile.number == LOWEST and last.number == HIGHEST:
        return phrase(wrap, tile=(tile,), last=(last,))
    if tile.number == HIGHEST and first.number == LOWEST:
        return phrase(wrap, tile=(first,), last=(tile,))
    if first.number < tile.number < last.number:
        return phrase("{tile} takes the room of {jokers}", tile=(tile,), jokers=jokers)
    if tile.number > last.number:
        after = "{tile} breaks the run: {number} would have to follow {neighbour}"
        return broken(after, tile, last.number + 1, last.number, jokers)
    before = "{tile} breaks the run: {number} would have to come before {neighbour}"
    return broken(before, tile, first.number - 1, first.number, jokers)


# ---- runs with a colour-change joker -------------------------------------------------------------------------------


def _why_not_as_laid(tiles: TileSet, culprit: Culprit, run: SetReading, rules: RuleSet) -> Phrase:
    """Return why a tile does not fit where it lies in a run that is read in the order laid."""
    tile, place = tiles[culprit.place], culprit.place
    others = (*tiles[:place], *tiles[place + 1 :])
    numbers = [one.numbers for one in run.stands_for]
    if run.untidy:
        return phrase("{tile} has no place in this order; " + AS_LAID, tile=(tile,))
    rising = list(zip(others, numbers, strict=True))
    if numbers[0] > numbers[-1]:
        rising, place = rising[::-1], len(rising) - place
    before, after = rising[:place], rising[place:]
    if before and after:
        between = "{tile} does not fit between {before} and {after}; " + AS_LAID
        return phrase(between, tile=(tile,), before=(before[-1][0],), after=(after[0][0],))
    if before:
        return _why_not_after(tile, before, rules)
    return _why_not_before(tile, after, rules)


def _why_not_after(tile: Tile, before: list[Place], rules: RuleSet) -> Phrase:
    """Return why a tile does not go on with a run that ascends to the tile before it."""
    neighbour, (*_, last) = before[-1]
    if last == HIGHEST or not isinstance(tile, NumberTile):  # a joker goes on with every run that has room for it
        return phrase("there is no room for {tile}: nothing follows {highest}", tile=(tile,), highest=HIGHEST)
    if tile.number != last + 1:
        if isinstance(neighbour, NumberTile):
            said = "{tile} breaks the run: {number} would have to follow {neighbour}"
            return phrase(said, tile=(tile,), number=last + 1, neighbour=last)
        said = "{tile} breaks the run: {joker} stands for {neighbour} here, and {number} would have to follow it"
        return phrase(said, tile=(tile,), joker=(neighbour,), neighbour=last, number=last + 1)
    return _why_of_other_colour(tile, [one for one, _ in reversed(before)], rules, ends=True)


def _why_not_before(tile: Tile, after: list[Place], rules: RuleSet) -> Phrase:
    """Return why a tile does not begin a run that ascends from the tile after it."""
    neighbour, (first, *_) = after[0]
    if first == LOWEST or not isinstance(tile, NumberTile):
        return phrase("there is no room for {tile}: nothing comes before {lowest}", tile=(tile,), lowest=LOWEST)
    if tile.number != first - 1:
        if isinstance(neighbour, NumberTile):
            said = "{tile} breaks the run: {number} would have to come before {neighbour}"
            return phrase(said, tile=(tile,), number=first - 1, neighbour=first)
        said = "{tile} breaks the run: {joker} stands for {neighbour} here, and {number} would have to come before it"
        return phrase(said, tile=(tile,), joker=(neighbour,), neighbour=first, number=first - 1)
    return _why_of_other_colour(tile, [one for one, _ in after], rules, ends=False)


def _why_of_other_colour(tile: NumberTile, away: list[Tile], rules: RuleSet, *, ends: bool) -> Phrase:
    """Return how a tile's colour clashes with those of the tiles away from it; `ends`: at the high end of the run."""
    change = next((at for at, other in enumerate(away) if CHANGES[other.code]), len(away))
    name = rules.colour_names[tile.colour]
    shown = tuple(other for other in away[:change] if other.colour is not None)
    if not shown:
        same = (
            "{tile} is {colour}, the colour before JC; after JC the colour must be another"
            if ends
            else "{tile} is {colour}, the colour after JC; before JC the colour must be another"
        )
        return phrase(same, tile=(tile,), colour=name)
    clash = (
        "{tile} is {colour}, and {other} before it is not; only at a JC may the colour change"
        if ends
        else "{tile} is {colour}, and {other} after it is not; only at a JC may the colour change"
    )
    return phrase(clash, tile=(tile,), colour=name, other=shown[:1])
