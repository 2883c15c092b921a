"""Reasons why tiles with a colour-change or mirror joker, read in laid order, are no set."""

from referee.rules.choices import ColourChangeEnds
from referee.rules.editions import RuleSet
from referee.rules.set_reading import (
    COLOUR_BY_CODE,
    IS_COLOUR_CHANGE,
    MAX_GROUP_TILES,
    NO_COLOUR,
    NUMBER_BY_CODE,
    WIDTH_BY_CODE,
    ascending_stretch,
)
from referee.rules.table import TileSet
from referee.rules.tiles import HIGHEST, LOWEST, Joker, JokerKind, NumberTile, Tile
from referee.rules.wording import (
    COLOURS,
    Message,
    Reason,
    Value,
    named,
    nothing_follows,
    nothing_precedes,
    of_kind,
    say,
    say_count,
)

_NOT_AT_THE_LOW_END = say(
    "laid.change_at_low_end",
    "the colour-change joker may lie only at the high end of a run: below it there is no colour to change from",
)
NO_CHANGE_IN_GROUP = say("laid.change_in_group", "a colour-change joker only belongs in a run, never in a group")
_NOTHING_LEFT = say("mirror.nothing_left", "the mirror joker has nothing on its left to mirror")
_NOTHING_RIGHT = say("mirror.nothing_right", "the mirror joker has nothing on its right to mirror")
SIDES_DIFFER = say("mirror.other_tiles", "the two sides of the mirror joker do not show the same tiles")


def why_no_colour_change_run(tiles: TileSet, rules: RuleSet) -> Reason:
    """Return why at least three tiles with a number tile and a colour-change joker, but no mirror, are no run."""
    changes = of_kind(tiles, JokerKind.COLOUR_CHANGE)
    numbers = [tile.number for tile in tiles if isinstance(tile, NumberTile)]
    if len(numbers) > 1 and len(set(numbers)) == 1:
        return Reason(NO_CHANGE_IN_GROUP, changes)
    return _why_no_laid_run(tiles, rules) or Reason(
        say("laid.change_no_place", "the colour-change joker has no place in this set"), changes
    )


def _why_no_laid_run(tiles: TileSet, rules: RuleSet) -> Reason | None:
    """Return why tiles are no run in laid or reversed order; None if they are one."""
    rising, gap = _as_laid(tiles)
    if gap is not None:
        return gap
    if IS_COLOUR_CHANGE[rising[0].code] and rules.colour_change_ends is ColourChangeEnds.LAST:
        return Reason(_NOT_AT_THE_LOW_END, rising[:1])
    return _why_colours_clash(rising, rules)


def _as_laid(tiles: TileSet) -> tuple[TileSet, Reason | None]:
    """Return the tiles in the order that ascends best, and the reason that breaks the stretch."""
    orders = [(order, _why_no_stretch(order)) for order in (tiles, tiles[::-1])]
    wrapped = [(order, gap) for order, gap in orders if gap is not None and gap.wording.id == _ONE_AFTER]
    if wrapped:
        return wrapped[0]
    unbroken = [(order, gap) for order, gap in orders if gap is None]
    if unbroken:
        return min(unbroken, key=lambda found: IS_COLOUR_CHANGE[found[0][0].code])
    numbers = [tile.number for tile in tiles if isinstance(tile, NumberTile)]
    return orders[numbers[0] > numbers[-1]]


def _why_no_stretch(rising: TileSet) -> Reason | None:
    """Return where tiles do not ascend one by one, jokers included; None if they do."""
    if ascending_stretch([tile.code for tile in rising]) is not None:
        return None
    expected = 0
    for place, tile in enumerate(rising):
        if isinstance(tile, NumberTile):
            if expected == HIGHEST + 1 and tile.number == LOWEST:
                return Reason(one_after(tile, HIGHEST), (tile,))
            if expected and tile.number != expected:
                return Reason(_out_of_order(tile, expected, rising[place - 1]), (tile,))
            expected = tile.number + 1
        elif expected:
            expected += WIDTH_BY_CODE[tile.code]
    if expected - 1 > HIGHEST:
        return Reason(nothing_follows(rising[-1]), rising[-1:])
    return Reason(nothing_precedes(rising[0]), rising[:1])


_ONE_AFTER = "laid.one_after"


def one_after(tile: Tile, number: int) -> Message:
    """Return the message about a 1 after the highest number."""
    return say(
        "laid.one_after",
        "{tile} does not follow {number}: 1 is only ever the lowest number",
        tile=(tile,),
        number=number,
    )


def _out_of_order(tile: NumberTile, expected: int, before: Tile) -> Message:
    """Return which number must follow the tile before, or the joker there."""
    if expected > HIGHEST:
        return nothing_follows(tile)
    if isinstance(before, NumberTile):
        return say(
            "laid.must_follow",
            "{tile} breaks the run: {number} would have to follow {neighbour};"
            " a set with a colour-change or mirror joker is read in the order laid",
            tile=(tile,),
            number=expected,
            neighbour=expected - 1,
        )
    return follows_joker(tile, before, expected - 1)


def follows_joker(tile: Tile, joker: Tile, last: int) -> Message:
    """Return which number must follow a joker that stands for `last`."""
    return say(
        "run.joker_must_follow",
        "{tile} breaks the run: {joker} stands for {neighbour} here, and {number} would have to follow it",
        tile=(tile,),
        joker=(joker,),
        neighbour=last,
        number=last + 1,
    )


def _why_colours_clash(rising: TileSet, rules: RuleSet) -> Reason | None:
    """Return which tile breaks the colour-change rule in a stretch; None if none does."""
    beyond: Tile | None = None
    shown: Tile | None = None
    for tile in rising:
        if IS_COLOUR_CHANGE[tile.code]:
            beyond, shown = shown, None
        elif tile.colour is not None:
            name = COLOURS[rules.colour_names[tile.colour]]
            if shown is not None and shown.colour is not tile.colour:
                return Reason(clash_before(tile, name, shown), (tile,))
            if shown is None and beyond is not None and beyond.colour is tile.colour:
                return Reason(change_after(tile, name), (tile,))
            shown = tile
    return None


def clash_before(tile: Tile, colour: Message, other: Tile) -> Message:
    """Return the message about a tile after one of another colour."""
    return say(
        "laid.clash_before",
        "{tile} is {colour}, and {other} before it is not; only at a colour-change joker may the colour change",
        tile=(tile,),
        colour=colour,
        other=(other,),
    )


def change_after(tile: Tile, colour: Message) -> Message:
    """Return the message about a tile after a JC that changes no colour."""
    return say(
        "laid.same_colour_after",
        "{tile} is {colour}, the colour before the colour-change joker; after it the colour must be another",
        tile=(tile,),
        colour=colour,
    )


# ---- mirror sets ---------------------------------------------------------------------------------------------------


def why_no_mirror_set(tiles: TileSet, rules: RuleSet) -> Reason:
    """Return why at least three tiles with one mirror joker and a number tile are no mirror set."""
    mirror = of_kind(tiles, JokerKind.MIRROR)
    middle = tiles.index(mirror[0])
    left, right = tiles[:middle], tiles[:middle:-1]
    if not left:
        return Reason(_NOTHING_LEFT, mirror)
    if not right:
        return Reason(_NOTHING_RIGHT, mirror)
    widths = [sum(WIDTH_BY_CODE[tile.code] for tile in side) for side in (left, right)]
    if widths[0] != widths[1]:
        longer = left if widths[0] > widths[1] else right
        wording = say_count(
            "mirror.sides",
            "the sides of the mirror joker differ: {count} number on its left and {right} on its right",
            "the sides of the mirror joker differ: {count} numbers on its left and {right} on its right",
            count=widths[0],
            right=widths[1],
        )
        return Reason(wording, longer[: abs(widths[0] - widths[1])])
    numbers = [tile.number for tile in tiles if isinstance(tile, NumberTile)]
    if len(set(numbers)) == 1 and (widths[0] == 1 or len(numbers) > 2):
        return _why_no_mirror_group(left, right, widths[0])
    return _with_double_jokers(_why_no_mirror_run(left, right, rules), tiles)


def _with_double_jokers(reason: Reason, tiles: TileSet) -> Reason:
    """Return the reason with double jokers named as such where two regular jokers stand for them."""
    regular, double = Joker(JokerKind.REGULAR), Joker(JokerKind.DOUBLE)
    if regular in tiles or double not in tiles:
        return reason

    def renamed(value: Value) -> Value:
        return tuple(double if part == regular else part for part in value) if isinstance(value, tuple) else value

    wording = reason.wording.filled(**{gap: renamed(value) for gap, value in reason.wording.values})
    return Reason(wording, tuple(double if tile == regular else tile for tile in reason.guilty))


def _why_no_mirror_group(left: TileSet, right: TileSet, width: int) -> Reason:
    changes = of_kind((*left, *right), JokerKind.COLOUR_CHANGE)
    if changes:
        return Reason(NO_CHANGE_IN_GROUP, changes)
    for side in (left, right):
        twice = tuple(tile for place, tile in enumerate(side) if tile.colour and tile in side[:place])
        if twice:
            wording = say(
                "mirror.twice",
                "{tile} is there twice on one side of the mirror joker; a group has each colour only once",
                tile=twice[:1],
            )
            return Reason(wording, twice)
    if width > MAX_GROUP_TILES:
        wide = say(
            "mirror.too_wide",
            "each side of the mirror joker would have {width} tiles; a group has {most} at most",
            width=width,
            most=MAX_GROUP_TILES,
        )
        return Reason(wide, left[:1])
    lonely = tuple(tile for tile in right if tile.colour and tile not in left)
    lonely = lonely or tuple(tile for tile in left if tile.colour and tile not in right)
    if not lonely:  # equal tiles, but not in reflected order
        return _why_facing(left, right) or Reason(SIDES_DIFFER, (*left, *right))
    return Reason(no_match(lonely), lonely)


def no_match(tiles: tuple[Tile, ...]) -> Message:
    """Return the message about tiles without a counterpart across a mirror joker."""
    if tiles[1:]:
        return say("mirror.no_matches", "{tiles} have no match across the mirror joker", tiles=named(tiles))
    return say("mirror.no_match", "{tiles} has no match across the mirror joker", tiles=tiles)


def _why_no_mirror_run(left: TileSet, right: TileSet, rules: RuleSet) -> Reason:
    clash = _why_facing(left, right)
    if clash:
        return clash
    facing = list(zip(_slots(left), _slots(right), strict=True))
    # What faces a joker is what it stands for, so each side is looked at with its jokers filled in; a side of jokers
    # alone adds nothing to the other.
    filled = (tuple(_filled(own, other) for own, other in facing), tuple(_filled(own, other) for other, own in facing))
    reasons = (_why_no_laid_run(side, rules) for side in filled if any(isinstance(tile, NumberTile) for tile in side))
    return next((reason for reason in reasons if reason), Reason(SIDES_DIFFER, (*left, *right)))


def _why_facing(left: TileSet, right: TileSet) -> Reason | None:
    """Return the two facing tiles that differ, nearest to the mirror; None if all match."""
    for one, other in reversed(list(zip(_slots(left), _slots(right), strict=True))):
        if isinstance(one, NumberTile) and isinstance(other, NumberTile) and one != other:
            wording = say(
                "mirror.faces",
                "{tile} faces {other} across the mirror joker; the two must be the same",
                tile=(other,),
                other=(one,),
            )
            return Reason(wording, (one, other))
    return None


def _filled(own: Tile, other: Tile) -> Tile:
    """Return a tile, or for a regular joker the number tile that faces it."""
    free = not NUMBER_BY_CODE[own.code] and COLOUR_BY_CODE[own.code] == NO_COLOUR and not IS_COLOUR_CHANGE[own.code]
    return other if free and NUMBER_BY_CODE[other.code] else own


def _slots(side: TileSet) -> list[Tile]:
    """Return one tile per number of a side; a double joker counts as two regular ones."""
    slots: list[Tile] = []
    for tile in side:
        slots += [tile] if WIDTH_BY_CODE[tile.code] == 1 else [Joker(JokerKind.REGULAR)] * WIDTH_BY_CODE[tile.code]
    return slots
