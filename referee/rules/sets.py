"""Sets: every reading of tiles as a group, run or mirror set; `reasons` explains why they are no set."""

from functools import lru_cache

from referee.rules.choices import ColourChangeEnds, MirrorOrder
from referee.rules.editions import RuleSet
from referee.rules.groups import read_group
from referee.rules.mirrors import read_mirrors
from referee.rules.runs import read_colour_change_runs, read_runs
from referee.rules.set_reading import IS_COLOUR_CHANGE, IS_MIRROR, MIN_SET_TILES, SetReading, SpecialJokerRules
from referee.rules.table import TileSet

_CACHED_READINGS = 4096


def readings(tiles: TileSet, rules: RuleSet) -> tuple[SetReading, ...]:
    """Return every reading of tiles in laid order, preferred one first; empty if they are no set."""
    return _readings(tiles, _special_joker_rules(rules))


def preferred_reading(tiles: TileSet, rules: RuleSet) -> SetReading | None:
    """Return the reading that counts: ascending in laid order if possible, then highest worth.

    Of a mirror set it is the one with the highest worth.
    """
    found = _readings(tiles, _special_joker_rules(rules))
    return found[0] if found else None


def is_set(tiles: TileSet, rules: RuleSet) -> bool:
    """Return whether tiles in laid order are a set."""
    return bool(_readings(tiles, _special_joker_rules(rules)))


def clear_cache() -> None:
    """Clear the cache of readings, for benchmarks."""
    _readings.cache_clear()


def _special_joker_rules(rules: RuleSet) -> SpecialJokerRules:
    return SpecialJokerRules(
        rules.mirror_counts_middle,
        rules.colour_change_ends is ColourChangeEnds.EITHER,
        rules.mirror_order is MirrorOrder.REFLECTED,
    )


@lru_cache(maxsize=_CACHED_READINGS)
def _readings(tiles: TileSet, how: SpecialJokerRules) -> tuple[SetReading, ...]:
    if len(tiles) < MIN_SET_TILES:
        return ()
    codes = [tile.code for tile in tiles]
    mirrors = sum(IS_MIRROR[code] for code in codes)
    if mirrors > 1:
        return ()
    if mirrors:
        return tuple(
            sorted(read_mirrors(codes, how), key=lambda reading: (reading.worth, reading.ascends), reverse=True)
        )
    if any(IS_COLOUR_CHANGE[code] for code in codes):
        found = list(read_colour_change_runs(codes, how))
    else:
        group = read_group(codes)
        found = [*([group] if group else []), *read_runs(codes)]
    # The sort is stable: of equal readings a group precedes a run.
    return tuple(sorted(found, key=lambda reading: (reading.ascends, reading.worth), reverse=True))
