"""Reasons why tiles are no set, with the guilty tiles; `special_joker_reasons` has those with JC or JM."""

from collections import Counter
from collections.abc import Collection
from itertools import pairwise

from referee.rules.blame import SuspectTiles, culprits
from referee.rules.editions import RuleSet
from referee.rules.set_reading import MAX_SET_TILES, MIN_SET_TILES, WIDTH_BY_CODE
from referee.rules.sets import is_set, readings
from referee.rules.single_tile_reasons import (
    colour_twice,
    group_too_wide,
    joker_colour_taken,
    number_twice,
    one_after_last,
    other_colours,
    other_numbers,
    run_too_long,
    too_many_mirrors,
    why_alone,
    wraps,
)
from referee.rules.special_joker_reasons import why_no_colour_change_run, why_no_mirror_set
from referee.rules.table import TileSet
from referee.rules.tiles import HIGHEST, Joker, JokerKind, NumberTile, Tile
from referee.rules.wording import COLOURS, Reason, comma_list, must_follow, must_precede, named, of_kind, say, say_count


def why_no_set(tiles: TileSet, rules: RuleSet, suspects: SuspectTiles = ()) -> Reason | None:
    """Return why tiles in laid order are no set; None if they are one.

    A tile without which they would be a set is blamed alone; `suspects` decides between several, likeliest first.
    """
    if is_set(tiles, rules):
        return None
    if len(tiles) < MIN_SET_TILES:
        return _too_few(tiles)
    touching = why_touching(tiles, rules, suspects)
    if touching is not None:
        return touching
    numbered = tuple(tile for tile in tiles if isinstance(tile, NumberTile))
    if not numbered:
        all_jokers = say("set.all_jokers", "these tiles are all jokers; a set has at least one number tile")
        return Reason(all_jokers, tiles)
    guess = _why_not_together(tiles, numbered, rules)
    found = {tiles[culprit.place]: culprit for culprit in culprits(tiles, rules, suspects)}
    if not found or set(guess.guilty) <= found.keys():
        return guess
    tile = next((tile for tile in guess.guilty if tile in found), next(reversed(found)))
    return Reason(why_alone(tiles, found[tile], rules), (tile,))


def why_touching(
    tiles: TileSet, rules: RuleSet, suspects: SuspectTiles = (), lying: Collection[TileSet] = ()
) -> Reason | None:
    """Return between which tiles of a row a gap would make it sets; None if no gaps would, or one tile is to blame.

    The sets are tidy or among `lying`, those that lay on the table. The tiles beside the gaps are guilty; of two, the
    one that is alone to blame.
    """
    starts = _starts_of_sets(tiles, lying, rules)
    if not starts:
        return None
    beside = tuple(tile for at in starts for tile in tiles[at - 1 : at + 1])
    alone = {tiles[culprit.place] for culprit in culprits(tiles, rules, suspects)}
    sets = (tiles[start:end] for start, end in pairwise((0, *starts, len(tiles))))
    is_alone = len(alone) == 1 and not any(one in lying for one in sets)
    if is_alone and not alone <= set(beside):
        return None
    gaps = [say("touching.gap", "{before} and {after}", before=(tiles[at - 1],), after=(tiles[at],)) for at in starts]
    wording = say_count(
        "touching.leave",
        "leave a gap between {gaps}",
        "leave gaps between {gaps}",
        count=len(gaps),
        gaps=comma_list(gaps),
    )
    return Reason(wording, tuple(alone) if is_alone else beside)


def _starts_of_sets(tiles: TileSet, lying: Collection[TileSet], rules: RuleSet) -> tuple[int, ...]:
    """Return where the second and later sets begin if a row is several sets side by side, as few as possible."""
    after: dict[int, tuple[int, ...]] = {len(tiles): ()}
    for start in range(len(tiles) - MIN_SET_TILES, -1, -1):
        ways = [
            (end, *after[end])
            for end in range(start + MIN_SET_TILES, min(len(tiles), start + MAX_SET_TILES) + 1)
            if end in after and (tiles[start:end] in lying or _is_tidy_set(tiles[start:end], rules))
        ]
        if ways:
            after[start] = min(ways, key=len)
    return after.get(0, ())[:-1]


def _is_tidy_set(tiles: TileSet, rules: RuleSet) -> bool:
    return any(not reading.untidy for reading in readings(tiles, rules))


def _why_not_together(tiles: TileSet, numbered: tuple[NumberTile, ...], rules: RuleSet) -> Reason:
    """Return why at least three tiles are no set, without blaming a single tile."""
    mirrors = of_kind(tiles, JokerKind.MIRROR)
    if mirrors[1:]:
        return Reason(too_many_mirrors(len(mirrors)), mirrors[1:])
    if mirrors or of_kind(tiles, JokerKind.COLOUR_CHANGE):
        return why_no_mirror_set(tiles, rules) if mirrors else why_no_colour_change_run(tiles, rules)
    return _why_no_group(tiles, numbered) if _looks_like_group(numbered) else _why_no_run(tiles, numbered, rules)


def _too_few(tiles: TileSet) -> Reason:
    if len(tiles) == 1:
        return Reason(say("set.one_tile", "{tiles} is only one tile; a set has at least three", tiles=tiles), tiles)
    if of_kind(tiles, JokerKind.DOUBLE):
        double = say(
            "set.two_tiles_double",
            "{tiles} are only two tiles; a set has at least three, and a double joker is one tile",
            tiles=named(tiles),
        )
        return Reason(double, tiles)
    two = say("set.two_tiles", "{tiles} are only two tiles; a set has at least three", tiles=named(tiles))
    return Reason(two, tiles)


def _looks_like_group(numbered: tuple[NumberTile, ...]) -> bool:
    """Return whether fewer tiles prevent a group than a run."""
    same_number = Counter(tile.number for tile in numbered).most_common(1)[0][1]
    same_colour = Counter(tile.colour for tile in numbered).most_common(1)[0][1]
    return same_number > same_colour or (len(numbered) > 1 and same_number == same_colour == len(numbered))


def _why_no_group(tiles: TileSet, numbered: tuple[NumberTile, ...]) -> Reason:
    number = Counter(tile.number for tile in numbered).most_common(1)[0][0]
    strangers = tuple(tile for tile in numbered if tile.number != number)
    if strangers:
        return Reason(other_numbers(strangers, number), strangers)
    twice = _duplicates(numbered)
    if twice:
        return Reason(colour_twice(twice[0]), twice)
    shown = {tile.colour for tile in numbered}
    for joker in of_kind(tiles, JokerKind.COLOURED):
        if joker.colour in shown:
            return Reason(joker_colour_taken(joker, number), (joker,))
        shown.add(joker.colour or numbered[0].colour)
    width = sum(WIDTH_BY_CODE[tile.code] for tile in tiles)
    jokers = tuple(tile for tile in tiles if isinstance(tile, Joker))
    return Reason(group_too_wide(number, width), jokers[-1:] or tiles)


def _why_no_run(tiles: TileSet, numbered: tuple[NumberTile, ...], rules: RuleSet) -> Reason:
    colour = Counter(tile.colour for tile in numbered).most_common(1)[0][0]
    strangers = tuple(tile for tile in tiles if tile.colour not in {None, colour})
    if strangers:
        return Reason(other_colours(strangers, COLOURS[rules.colour_names[colour]]), strangers)
    twice = _duplicates(numbered)
    if twice:
        return Reason(number_twice(twice[0]), twice)
    rising = sorted(numbered, key=lambda tile: tile.number)
    jokers = tuple(tile for tile in tiles if isinstance(tile, Joker))
    return _why_no_stretch(tiles, rising, jokers) or _why_jokers_do_not_fit(rising, jokers)


def _why_no_stretch(tiles: TileSet, rising: list[NumberTile], jokers: tuple[Joker, ...]) -> Reason | None:
    """Return the gap that the jokers cannot fill; None if there is none."""
    fillers = sum(WIDTH_BY_CODE[joker.code] for joker in jokers)
    holes = rising[-1].number - rising[0].number + 1 - len(rising)
    if holes <= fillers:
        return None
    gap = max(
        (place for place in range(1, len(rising)) if rising[place].number > rising[place - 1].number + 1),
        key=lambda place: rising[place].number - rising[place - 1].number,
    )
    lower, upper = rising[:gap], rising[gap:]
    if wraps(tiles, rising):
        return Reason(one_after_last(lower[0], upper[-1]), tuple(lower))
    before, after = lower[-1], upper[0]
    if len(lower) < len(upper):
        return Reason(must_precede(before, after.number - 1, after.number, jokers), tuple(lower))
    return Reason(must_follow(after, before.number + 1, before.number, jokers), tuple(upper))


def _why_jokers_do_not_fit(rising: list[NumberTile], jokers: tuple[Joker, ...]) -> Reason:
    length = len(rising) + sum(WIDTH_BY_CODE[joker.code] for joker in jokers)
    if length > HIGHEST:
        return Reason(run_too_long(), jokers[-1:])
    doubles = tuple(joker for joker in jokers if joker.kind is JokerKind.DOUBLE)
    gaps = [low.number + 1 for low, high in pairwise(rising) if high.number == low.number + 2]
    if gaps:
        wording = say(
            "run.double_one_missing",
            "the double joker stands for two numbers in a row, and there is no room for them: only {number} is missing",
            number=gaps[0],
        )
    else:
        wording = say(
            "run.double_no_room", "the double joker stands for two numbers in a row, and there is no room for them"
        )
    return Reason(wording, doubles[-1:] or jokers)


def _duplicates(tiles: tuple[NumberTile, ...]) -> tuple[Tile, ...]:
    """Return every repeated tile."""
    return tuple(tile for place, tile in enumerate(tiles) if tile in tiles[:place])
