"""The places of jokers: what stands after a turn where a joker of a set stood before."""

from collections import Counter

from referee.rules.editions import RuleSet
from referee.rules.set_reading import StandIn
from referee.rules.sets import preferred_reading
from referee.rules.table import TileSet
from referee.rules.tiles import Joker, NumberTile, Tile


def replacement(was: TileSet, laid: TileSet, rules: RuleSet) -> tuple[Joker, Tile] | None:
    """Return a joker of a set and what came to its place, if the set's number tiles still lie together in a set."""
    numbers = Counter(tile for tile in was if isinstance(tile, NumberTile))
    before, after = preferred_reading(was, rules), preferred_reading(laid, rules)
    if before is None or after is None or not numbers <= Counter(laid):
        return None
    gone, came = Counter(was) - Counter(laid), Counter(laid) - Counter(was)
    for joker, stood in zip(was, before.stands_for, strict=True):
        if isinstance(joker, Joker) and gone[joker]:
            for tile, stands in zip(laid, after.stands_for, strict=True):
                if came[tile] and _share_a_place(stood, stands):
                    return joker, tile
    return None


def _share_a_place(stood: StandIn, stands: StandIn) -> bool:
    """Return whether two tiles may stand for one tile; a colour-change joker stands for a number in no colour."""
    colours = not stood.colours or not stands.colours or not set(stood.colours).isdisjoint(stands.colours)
    return colours and not set(stood.numbers).isdisjoint(stands.numbers)
