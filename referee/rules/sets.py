"""Sets: every way to read some tiles as a group, a run or a mirror set; `reasons` says why they are not one."""

from functools import lru_cache

from referee.rules.choices import ColourChangeEnds, MirrorOrder
from referee.rules.editions import RuleSet
from referee.rules.groups import read_group
from referee.rules.mirrors import read_mirrors
from referee.rules.runs import read_colour_change_runs, read_runs
from referee.rules.set_reading import CHANGES, MIN_SET_TILES, MIRRORS, HowRead, SetReading
from referee.rules.table import TileSet

_KEPT_READINGS = 4096


def readings(tiles: TileSet, rules: RuleSet) -> tuple[SetReading, ...]:
    """Return every reading of tiles in laid order, the preferred one first; none if they are no set."""
    return _readings(tiles, _how_read(rules))


def preferred_reading(tiles: TileSet, rules: RuleSet) -> SetReading | None:
    """Return the reading that counts: ascending as laid if one does, and of those the one worth most.

    Of a mirror set it is simply the one worth most.
    """
    found = _readings(tiles, _how_read(rules))
    return found[0] if found else None


def is_set(tiles: TileSet, rules: RuleSet) -> bool:
    """Return whether tiles in laid order make a set."""
    return bool(_readings(tiles, _how_read(rules)))


def forget_readings() -> None:
    """Empty the store of readings; a benchmark measures without it."""
    _readings.cache_clear()


def _how_read(rules: RuleSet) -> HowRead:
    return HowRead(
        rules.mirror_counts_middle,
        rules.colour_change_ends is ColourChangeEnds.EITHER,
        rules.mirror_order is MirrorOrder.REFLECTED,
    )


@lru_cache(maxsize=_KEPT_READINGS)
def _readings(tiles: TileSet, how: HowRead) -> tuple[SetReading, ...]:
    if len(tiles) < MIN_SET_TILES:
        return ()
    codes = [tile.code for tile in tiles]
    mirrors = sum(MIRRORS[code] for code in codes)
    if mirrors > 1:
        return ()
    if mirrors:
        return tuple(sorted(read_mirrors(codes, how), key=lambda one: (one.worth, one.ascends), reverse=True))
    if any(CHANGES[code] for code in codes):
        found = list(read_colour_change_runs(codes, how))
    else:
        group = read_group(codes)
        found = [*([group] if group else []), *read_runs(codes)]
    # Of equals the first stays first: a group before a run.
    return tuple(sorted(found, key=lambda reading: (reading.ascends, reading.worth), reverse=True))
