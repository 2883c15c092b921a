"""Reasons why one tile does not fit the others, which are a set or compatible without it.

Used only where `reasons` would blame other tiles of the same set, so it repeats nothing from there.
"""

from collections.abc import Sequence
from itertools import pairwise

from referee.rules.blame import Culprit
from referee.rules.editions import RuleSet
from referee.rules.set_reading import IS_COLOUR_CHANGE, IS_MIRROR, MAX_GROUP_TILES, WIDTH_BY_CODE, SetReading
from referee.rules.special_joker_reasons import (
    NO_CHANGE_IN_GROUP,
    SIDES_DIFFER,
    change_after,
    clash_before,
    follows_joker,
    no_match,
)
from referee.rules.table import TileSet
from referee.rules.tiles import HIGHEST, LOWEST, Joker, NumberTile, Tile
from referee.rules.verdict import SetKind
from referee.rules.wording import (
    COLOURS,
    Message,
    TileRow,
    must_follow,
    must_precede,
    named,
    nothing_follows,
    nothing_precedes,
    say,
    say_count,
)

TileInTurn = tuple[Tile, tuple[int, ...]]
"""A tile of a run and the numbers it stands for."""


def why_alone(tiles: TileSet, culprit: Culprit, rules: RuleSet) -> Message:
    """Return why one of at least three tiles does not fit the others."""
    tile = tiles[culprit.place]
    others = (*tiles[: culprit.place], *tiles[culprit.place + 1 :])
    if not culprit.readings:
        return say(
            "laid.wrong_place",
            "{tile} lies in the wrong place; a set with a colour-change or mirror joker is read in the order laid",
            tile=(tile,),
        )
    if IS_MIRROR[tile.code]:
        return SIDES_DIFFER
    kinds = {reading.kind: reading for reading in reversed(culprit.readings)}
    if SetKind.MIRROR in kinds:
        return _why_unmatched(tile, others)
    group = kinds.get(SetKind.GROUP)
    if group is not None and (SetKind.RUN not in kinds or not _is_near_run(tile, others)):
        return _why_not_in_group(tile, others, group.stands_for[0].numbers[0])
    if any(IS_COLOUR_CHANGE[tile.code] for tile in tiles):
        return _why_not_as_laid(tiles, culprit, kinds[SetKind.RUN], rules)
    return _why_not_in_run(tile, others, tiles, rules)


def why_several(out: TileSet, others: TileSet, found: tuple[SetReading, ...], rules: RuleSet) -> Message:
    """Return why several tiles do not belong to the others, whose readings were found."""
    kinds = {reading.kind: reading for reading in reversed(found)}
    if SetKind.MIRROR in kinds:
        return no_match(out)
    if SetKind.GROUP in kinds:
        number = kinds[SetKind.GROUP].stands_for[0].numbers[0]
        if all(isinstance(tile, NumberTile) and tile.number != number for tile in out):
            return other_numbers(out, number)
    elif not any(IS_COLOUR_CHANGE[tile.code] for tile in others):
        (colour,) = kinds[SetKind.RUN].stands_for[0].colours
        if all(tile.colour not in {None, colour} for tile in out):
            return other_colours(out, COLOURS[rules.colour_names[colour]])
    return do_not_belong(out, others)


def _is_near_run(tile: Tile, others: TileSet) -> bool:
    """Return whether a tile is more likely meant for a run with the others than for a group."""
    numbers = [other for other in others if isinstance(other, NumberTile)]
    if IS_COLOUR_CHANGE[tile.code]:
        return len({other.number for other in numbers}) > 1
    return tile.colour in {other.colour for other in numbers} and tile not in numbers


def _why_unmatched(tile: Tile, others: TileSet) -> Message:
    numbers = {other.number for other in others if isinstance(other, NumberTile)}
    if IS_COLOUR_CHANGE[tile.code] and len(numbers) == 1:
        return NO_CHANGE_IN_GROUP
    return no_match((tile,))


def _why_not_in_group(tile: Tile, others: TileSet, number: int) -> Message:
    if IS_COLOUR_CHANGE[tile.code]:
        return NO_CHANGE_IN_GROUP
    if isinstance(tile, NumberTile) and tile.number != number:
        return other_numbers((tile,), number)
    if tile.colour is not None and tile.colour in {other.colour for other in others}:
        if isinstance(tile, Joker):
            return joker_colour_taken(tile, number)
        return say(
            "group.colour_taken",
            "{tile} has a colour that the group of {number}s already has",
            tile=(tile,),
            number=number,
        )
    return group_too_wide(number, sum(WIDTH_BY_CODE[other.code] for other in (tile, *others)))


def _why_not_in_run(tile: Tile, others: TileSet, tiles: TileSet, rules: RuleSet) -> Message:
    """Return why a tile does not fit a run of one colour, in which order does not matter."""
    rising = sorted((other for other in others if isinstance(other, NumberTile)), key=lambda other: other.number)
    if tile.colour is not None and tile.colour is not rising[0].colour:
        return other_colours((tile,), COLOURS[rules.colour_names[rising[0].colour]])
    length = sum(WIDTH_BY_CODE[other.code] for other in (tile, *others))
    if length > HIGHEST or not isinstance(tile, NumberTile):  # in a shorter run every joker fits
        return run_too_long()
    return _why_gap(tile, rising, tuple(other for other in others if isinstance(other, Joker)), tiles)


def _why_gap(tile: NumberTile, rising: list[NumberTile], jokers: tuple[Joker, ...], tiles: TileSet) -> Message:
    """Return why a tile of a new number does not extend a run of number tiles, lowest first, and jokers."""
    first, last = rising[0], rising[-1]
    if tile in rising:
        return number_twice(tile)
    if wraps(tiles, sorted((tile, *rising), key=lambda other: other.number)):
        return one_after_last(min(tile, first, key=_number), max(tile, last, key=_number))
    if first.number < tile.number < last.number:
        if not jokers:
            return do_not_belong((tile,), tuple(rising))
        return say("run.takes_room", "{tile} takes the room of {jokers}", tile=(tile,), jokers=named(jokers))
    if tile.number > last.number:
        return must_follow(tile, last.number + 1, last.number, jokers)
    return must_precede(tile, first.number - 1, first.number, jokers)


# ---- runs with a colour-change joker -------------------------------------------------------------------------------


def _why_not_as_laid(tiles: TileSet, culprit: Culprit, run: SetReading, rules: RuleSet) -> Message:
    """Return why a tile does not fit its place in a run that is read in laid order."""
    tile, place = tiles[culprit.place], culprit.place
    others = (*tiles[:place], *tiles[place + 1 :])
    numbers = [stand_in.numbers for stand_in in run.stands_for]
    if run.untidy:
        return say(
            "laid.no_place",
            "{tile} has no place in this order; a set with a colour-change or mirror joker is read in the order laid",
            tile=(tile,),
        )
    rising = list(zip(others, numbers, strict=True))
    if numbers[0] > numbers[-1]:
        rising, place = rising[::-1], len(rising) - place
    before, after = rising[:place], rising[place:]
    if before and after:
        return say(
            "laid.not_between",
            "{tile} does not fit between {before} and {after};"
            " a set with a colour-change or mirror joker is read in the order laid",
            tile=(tile,),
            before=(before[-1][0],),
            after=(after[0][0],),
        )
    if before:
        return _why_not_after(tile, before, rules)
    return _why_not_before(tile, after, rules)


def _why_not_after(tile: Tile, before: list[TileInTurn], rules: RuleSet) -> Message:
    """Return why a tile does not continue a run that ascends to the tile before it."""
    neighbour, (*_, last) = before[-1]
    if last == HIGHEST or not isinstance(tile, NumberTile):  # a joker continues every run that has room
        return nothing_follows(tile)
    if tile.number != last + 1:
        if isinstance(neighbour, NumberTile):
            return must_follow(tile, last + 1, last, ())
        return follows_joker(tile, neighbour, last)
    return _why_colour_clashes(tile, [one for one, _ in reversed(before)], rules, ends=True)


def _why_not_before(tile: Tile, after: list[TileInTurn], rules: RuleSet) -> Message:
    """Return why a tile does not begin a run that ascends from the tile after it."""
    neighbour, (first, *_) = after[0]
    if first == LOWEST or not isinstance(tile, NumberTile):
        return nothing_precedes(tile)
    if tile.number != first - 1:
        if isinstance(neighbour, NumberTile):
            return must_precede(tile, first - 1, first, ())
        return say(
            "run.joker_must_precede",
            "{tile} breaks the run: {joker} stands for {neighbour} here, and {number} would have to come before it",
            tile=(tile,),
            joker=(neighbour,),
            neighbour=first,
            number=first - 1,
        )
    return _why_colour_clashes(tile, [one for one, _ in after], rules, ends=False)


def _why_colour_clashes(tile: NumberTile, away: list[Tile], rules: RuleSet, *, ends: bool) -> Message:
    """Return how a tile's colour clashes with the tiles `away`, nearest first; `ends`: at the high end of the run."""
    change = next((at for at, other in enumerate(away) if IS_COLOUR_CHANGE[other.code]), len(away))
    name = COLOURS[rules.colour_names[tile.colour]]
    other = next((other for other in away[:change] if other.colour is not None), None)
    if other is not None and ends:
        return clash_before(tile, name, other)
    if other is not None:
        return say(
            "laid.clash_after",
            "{tile} is {colour}, and {other} after it is not; only at a colour-change joker may the colour change",
            tile=(tile,),
            colour=name,
            other=(other,),
        )
    if ends:
        return change_after(tile, name)
    return say(
        "laid.same_colour_before",
        "{tile} is {colour}, the colour after the colour-change joker; before it the colour must be another",
        tile=(tile,),
        colour=name,
    )


# ---- messages used in several places -------------------------------------------------------------------------------


def too_many_mirrors(count: int) -> Message:
    """Return the message about more than one mirror joker."""
    return say("set.many_mirrors", "there are {count} mirror jokers; a mirror set has exactly one", count=count)


def other_numbers(tiles: tuple[Tile, ...], number: int) -> Message:
    """Return the message about tiles of other numbers in a group."""
    if tiles[1:]:
        return say("group.other_numbers", "{tiles} do not belong in a group of {number}s", tiles=tiles, number=number)
    return say("group.other_number", "{tiles} does not belong in a group of {number}s", tiles=tiles, number=number)


def colour_twice(tile: Tile) -> Message:
    """Return the message about a repeated colour in a group."""
    return say("group.twice", "{tile} is there twice; a group has each colour only once", tile=(tile,))


def joker_colour_taken(joker: Joker, number: int) -> Message:
    """Return the message about a coloured joker in a group that has its colour."""
    return say(
        "group.joker_colour_taken",
        "{tile} stands for a colour that the group of {number}s already has",
        tile=(joker,),
        number=number,
    )


def group_too_wide(number: int, width: int) -> Message:
    """Return the message about a group of too many tiles."""
    return say(
        "group.too_wide",
        "the group of {number}s would have {width} tiles; it can have {most}",
        number=number,
        width=width,
        most=MAX_GROUP_TILES,
    )


def do_not_belong(tiles: TileSet, others: TileSet) -> Message:
    """Return the message about tiles that came to others, with which they are no set."""
    return say_count(
        "set.do_not_belong",
        "{tiles} does not belong with {row}",
        "{tiles} do not belong with {row}",
        count=len(tiles),
        tiles=named(tiles),
        row=TileRow(others),
    )


def other_colours(tiles: tuple[Tile, ...], colour: Message) -> Message:
    """Return the message about tiles of other colours in a run."""
    if tiles[1:]:
        return say(
            "run.other_colours",
            "{tiles} do not fit: a run has one colour, here {colour}",
            tiles=tiles,
            colour=colour,
        )
    return say(
        "run.other_colour", "{tiles} does not fit: a run has one colour, here {colour}", tiles=tiles, colour=colour
    )


def number_twice(tile: Tile) -> Message:
    """Return the message about a repeated number in a run."""
    return say("run.twice", "{tile} is there twice; a run has each number only once", tile=(tile,))


def run_too_long() -> Message:
    """Return the message about a run of too many numbers."""
    return say(
        "run.too_long",
        "the run would have too many numbers; there are only {lowest} to {highest}",
        lowest=LOWEST,
        highest=HIGHEST,
    )


def wraps(tiles: TileSet, rising: Sequence[NumberTile]) -> bool:
    """Return whether a run was meant to go on with 1 after 13: both lie side by side, or most numbers are missing.

    `rising` has the run's number tiles from the lowest to the highest.
    """
    if rising[0].number != LOWEST or rising[-1].number != HIGHEST:
        return False
    beside = any({one, other} == {rising[0], rising[-1]} for one, other in pairwise(tiles))
    return beside or HIGHEST - len(rising) > len(tiles)


def _number(tile: NumberTile) -> int:
    return tile.number


def one_after_last(one: Tile, last: Tile) -> Message:
    """Return the message about a 1 after the highest tile."""
    return say(
        "run.one_after_last",
        "{tile} does not follow {last}: 1 is only ever the lowest number",
        tile=(one,),
        last=(last,),
    )
