"""House rules on sets that must stay: no rearranging, and no tile out of a set with a joker."""

from collections import Counter
from collections.abc import Iterator

from referee.rules.editions import RuleSet
from referee.rules.joker_places import replacement
from referee.rules.table import TileSet
from referee.rules.tiles import Joker, NumberTile
from referee.rules.verdict import Fault, Violation
from referee.rules.wording import Message, named, say


def rearranging_violations(
    removed: tuple[TileSet, ...], added: tuple[tuple[int, TileSet], ...], rules: RuleSet
) -> Iterator[Violation]:
    """Yield a fault for each set that was broken up though it had to stay; `added` has new sets with their indices."""
    laid = tuple(tiles for _, tiles in added)
    if not rules.rearranging:
        for was in _broken_up(removed, laid):
            yield _violation(was, _rearranged(was))
    elif rules.joker_sets_stay:
        for was in _broken_up(removed, laid):
            if any(isinstance(tile, Joker) for tile in was) and not any(_replaced(was, tiles, rules) for tiles in laid):
                yield _violation(was, _left_joker(was))


def _broken_up(removed: tuple[TileSet, ...], laid: tuple[TileSet, ...]) -> Iterator[TileSet]:
    """Yield the sets whose tiles do not all lie in one row; rows that hold several must hold all their tiles."""
    left = [Counter(tiles) for tiles in laid]
    for was in sorted(removed, key=len, reverse=True):
        home = next((row for row in left if Counter(was) <= row), None)
        if home is None:
            yield was
        else:
            home.subtract(was)


def _replaced(was: TileSet, tiles: TileSet, rules: RuleSet) -> bool:
    """Return whether a set lies there but for a joker that its tile replaced."""
    found = replacement(was, tiles, rules)
    return (
        found is not None and isinstance(found[1], NumberTile) and Counter(was) - Counter([found[0]]) <= Counter(tiles)
    )


def _rearranged(was: TileSet) -> Message:
    return say(
        "turn.set_rearranged",
        "{tiles} lay together and no longer do; by the house rule sets may only be added to",
        tiles=named(was),
    )


def _left_joker(was: TileSet) -> Message:
    return say(
        "turn.joker_set_broken",
        "{tiles} lay together and no longer do; by the house rule no tile leaves a set with a joker",
        tiles=named(was),
    )


def _violation(was: TileSet, wording: Message) -> Violation:
    return Violation(fault=Fault.SET_REARRANGED, set_index=None, tiles=was, wording=wording)
