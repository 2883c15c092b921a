"""Why tiles with a colour-change or mirror joker, which are read as they lie, are no set."""

from referee.rules.editions import RuleSet
from referee.rules.runs import stretch_colours
from referee.rules.set_reading import (
    CHANGES,
    COLOUR,
    MOST_IN_GROUP,
    NO_COLOUR,
    NUMBER,
    WIDTH,
    walk,
)
from referee.rules.table import TileSet
from referee.rules.tiles import HIGHEST, LOWEST, Joker, JokerKind, NumberTile, Tile
from referee.rules.wording import Reason, counted, listed, of_kind

AS_LAID = "a set with JC or JM is read in the order laid"


def why_no_colour_change_run(tiles: TileSet, rules: RuleSet) -> Reason:
    """Return why at least three tiles with a colour-change joker, a number tile and no mirror are no run."""
    changes = of_kind(tiles, JokerKind.COLOUR_CHANGE)
    numbers = [tile.number for tile in tiles if isinstance(tile, NumberTile)]
    if len(numbers) > 1 and len(set(numbers)) == 1:
        return Reason("JC only belongs in a run, never in a group", changes)
    rising, break_ = _as_laid(tiles)
    if break_ is not None:
        return break_
    if CHANGES[rising[0].code]:
        return Reason("JC cannot begin a run: there is no colour before it to change from", rising[:1])
    return _why_colours_clash(rising, rules)


def _as_laid(tiles: TileSet) -> tuple[TileSet, Reason | None]:
    """Return the tiles in the order in which they ascend best, and what breaks the stretch in it."""
    breaks = [(order, _why_no_stretch(order)) for order in (tiles, tiles[::-1])]
    for order, reason in breaks:
        if reason is None and not CHANGES[order[0].code]:
            return order, None
    if all(reason is not None for _, reason in breaks):
        numbers = [tile.number for tile in tiles if isinstance(tile, NumberTile)]
        return breaks[0] if numbers[0] <= numbers[-1] else breaks[1]
    return next((order, reason) for order, reason in breaks if reason is None)


def _why_no_stretch(rising: TileSet) -> Reason | None:
    """Return where tiles that should ascend one by one do not, jokers counted; None if they do."""
    if walk([tile.code for tile in rising]) is not None:
        return None
    expected = 0
    for place, tile in enumerate(rising):
        if isinstance(tile, NumberTile):
            if expected and tile.number != expected:
                before = _before(rising, place, expected)
                return Reason(f"{tile} breaks the run: {expected} would have to follow {before}; {AS_LAID}", (tile,))
            expected = tile.number + 1
        elif expected:
            expected += WIDTH[tile.code]
    if expected - 1 > HIGHEST:
        return Reason(f"the run would go on to {expected - 1}; nothing follows {HIGHEST}", rising[-1:])
    return Reason(f"there is no room before the {LOWEST} for {rising[0]}", rising[:1])


def _before(rising: TileSet, place: int, expected: int) -> str:
    """Return what stands before a place: its number, with the joker that stands for it."""
    tile = rising[place - 1]
    return str(expected - 1) if isinstance(tile, NumberTile) else f"{tile} as {expected - 1}"


def _why_colours_clash(rising: TileSet, rules: RuleSet) -> Reason:
    """Return which tile breaks the colour-change rule in a stretch that does break it."""
    for end in range(1, len(rising) + 1):
        codes = [tile.code for tile in rising[:end]]
        if stretch_colours([CHANGES[code] for code in codes], [COLOUR[code] for code in codes]) is None:
            tile = rising[end - 1]
            name = rules.colour_names[tile.colour] if tile.colour else "of no colour"
            before = next(other for other in rising[end - 2 :: -1] if other.colour or CHANGES[other.code])
            if CHANGES[before.code]:
                return Reason(f"{tile} is {name}, the colour before JC; after JC the colour must be another", (tile,))
            return Reason(
                f"{tile} is {name}, and {before} before it is not; only at a JC may the colour change", (tile,)
            )
    return Reason("JC must stand between two colours", of_kind(rising, JokerKind.COLOUR_CHANGE))


# ---- mirror sets ---------------------------------------------------------------------------------------------------


def why_no_mirror_set(tiles: TileSet, rules: RuleSet) -> Reason:
    """Return why at least three tiles with one mirror joker and a number tile are no mirror set."""
    mirror = of_kind(tiles, JokerKind.MIRROR)
    middle = tiles.index(mirror[0])
    left, right = tiles[:middle], tiles[:middle:-1]
    for side, name in ((left, "left"), (right, "right")):
        if not side:
            return Reason(f"JM has nothing on its {name} to mirror", mirror)
    widths = [sum(WIDTH[tile.code] for tile in side) for side in (left, right)]
    if widths[0] != widths[1]:
        longer = left if widths[0] > widths[1] else right
        sizes = f"{counted(widths[0], 'number')} on its left and {widths[1]} on its right"
        return Reason(f"the sides of JM differ: {sizes}", longer[: abs(widths[0] - widths[1])])
    numbers = {tile.number for tile in tiles if isinstance(tile, NumberTile)}
    if len(numbers) == 1 and (len(tiles) == 3 or sum(isinstance(tile, NumberTile) for tile in tiles) > 2):
        return _why_no_mirror_group(left, right, widths[0])
    return _why_no_mirror_run(left, right, rules)


def _why_no_mirror_group(left: TileSet, right: TileSet, width: int) -> Reason:
    changes = of_kind((*left, *right), JokerKind.COLOUR_CHANGE)
    if changes:
        return Reason("JC only belongs in a run, never in a group", changes)
    for side in (left, right):
        twice = tuple(tile for place, tile in enumerate(side) if tile.colour and tile in side[:place])
        if twice:
            return Reason(f"{twice[0]} is there twice on one side of JM; a group has each colour only once", twice)
    if width > MOST_IN_GROUP:
        return Reason(f"each side of JM would have {width} tiles; a group has {MOST_IN_GROUP} at most", left[:1])
    lonely = tuple(tile for tile in right if tile.colour and tile not in left)
    lonely = lonely or tuple(tile for tile in left if tile.colour and tile not in right)
    return Reason(f"{listed(lonely)} {'has' if len(lonely) == 1 else 'have'} no match across JM", lonely)


def _why_no_mirror_run(left: TileSet, right: TileSet, rules: RuleSet) -> Reason:
    facing = list(zip(_slots(left), _slots(right), strict=True))
    for one, other in reversed(facing):
        if isinstance(one, NumberTile) and isinstance(other, NumberTile) and one != other:
            return Reason(f"{other} faces {one} across JM; the two must be the same", (one, other))
    # What faces a joker is what it stands for, so each side is looked at with its jokers filled in.
    sides = [tuple(_filled(pair) for pair in facing), tuple(_filled(pair[::-1]) for pair in facing)]
    reason = None
    for side in sides:
        rising, reason = _as_laid(side)
        if reason is None and CHANGES[rising[0].code]:
            reason = Reason("JC cannot begin a run: there is no colour before it to change from", rising[:1])
        if reason is None:
            codes = [tile.code for tile in rising]
            if stretch_colours([CHANGES[code] for code in codes], [COLOUR[code] for code in codes]) is None:
                reason = _why_colours_clash(rising, rules)
        if reason is not None:
            break
    return reason or Reason("the two sides of JM do not show the same numbers", (*left, *right))


def _filled(pair: tuple[Tile, Tile]) -> Tile:
    own, other = pair
    plain = not NUMBER[own.code] and COLOUR[own.code] == NO_COLOUR and not CHANGES[own.code]
    return other if plain and NUMBER[other.code] else own


def _slots(side: TileSet) -> list[Tile]:
    """Return a tile for each number of a side: a double joker counts as two regular ones."""
    slots: list[Tile] = []
    for tile in side:
        slots += [tile] if WIDTH[tile.code] == 1 else [Joker(JokerKind.REGULAR)] * WIDTH[tile.code]
    return slots
